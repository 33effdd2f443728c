//! Specifications as declarations of Watchword's own language.

use std::collections::{BTreeMap, HashMap};

use watchword_model::{Severity, Span, StateKind};

use super::java::{Printed, printed};
use super::logic::{Formula, Reader};
use super::machine::Machine;
use super::pointcut::{Origin, origin};
use super::tree::{Event, Name, Property, Refused, Specification};
use crate::larva::events::Imports;
use crate::ww::tree::{
    self as ww, Atom, Branch, FormulaKind, Label, LabelKind, Member, MemberKind, Step, Target,
    TemporalBinary, TemporalUnary, Transition,
};

/// Modifiers that change nothing here.
const HARMLESS: [&str; 2] = ["public", "unsynchronized"];
/// The state in which a specification has failed.
const FAIL: &str = "fail";

/// The declarations of a specification: its events and its properties.
pub fn lower(specification: &Specification) -> Result<Vec<ww::Item>, Refused> {
    if let Some(foreign) = &specification.foreign {
        return Err(foreign.clone());
    }
    let strange = specification.modifiers.iter().find(|m| !HARMLESS.contains(&m.text.as_str()));
    if let Some(modifier) = strange {
        let why = format!("the modifier `{}` is not supported", modifier.text);
        return Err(Refused::new(modifier.span, why));
    }
    let mut lowering = Lowering {
        specification,
        imports: Imports { paths: &specification.imports },
        letters: Vec::new(),
        numbers: HashMap::new(),
        observed: Vec::new(),
        creation: Vec::new(),
        items: Vec::new(),
    };
    for event in &specification.events {
        lowering.event(event)?;
    }
    let binds = |event: &Event, name: &Name| {
        event.params.iter().chain(&event.result).any(|(_, param)| param.text == name.text)
    };
    let unbound = |param: &Name| !specification.events.iter().any(|event| binds(event, param));
    if let Some((_, param)) = specification.params.iter().find(|(_, name)| unbound(name)) {
        let why = format!("no event brings its parameter `{}`", param.text);
        return Err(Refused::new(param.span, why));
    }
    lowering.properties()?;
    Ok(lowering.items)
}

struct Lowering<'s> {
    specification: &'s Specification,
    imports: Imports<'s>,
    /// By the number of an event: the labels it stands for.
    letters: Vec<Vec<LabelKind>>,
    numbers: HashMap<&'s str, usize>,
    /// `also` lines of all events.
    observed: Vec<Member>,
    creation: Vec<Name>,
    items: Vec<ww::Item>,
}

impl<'s> Lowering<'s> {
    fn event(&mut self, event: &'s Event) -> Result<(), Refused> {
        let span = event.name.span;
        let raw = self.specification.properties.is_empty();
        let said = printed(&event.body)?;
        if !raw && said.reset {
            return Err(Refused::new(span, "an event resets the monitor"));
        }
        let number = *self.numbers.entry(&event.name.text).or_insert_with(|| {
            self.letters.push(Vec::new());
            self.letters.len() - 1
        });
        let (sources, condition) = match origin(event, &self.imports)? {
            Origin::End => {
                self.letters[number].push(LabelKind::End);
                return Ok(());
            }
            Origin::Points(sources, condition) => (sources, condition),
        };
        // Events of all files share their names, and one name may be declared several times.
        let mut text = format!("{}_{}", self.specification.name.text, event.name.text);
        if !self.letters[number].is_empty() {
            text = format!("{text}_{}", self.letters[number].len() + 1);
        }
        let name = Name { text, span };
        let params = event.params.iter().chain(&event.result);
        let list =
            params.map(|(_, name)| ww::Param { name: name.clone(), ty: None, key: None }).collect();
        self.items.push(ww::Item::Event(ww::Event {
            doc: String::new(),
            name: name.clone(),
            params: ww::Params { list, variadic: false },
            sources,
            span,
        }));
        let kind = MemberKind::Also(vec![name.clone()], condition);
        self.observed.push(Member { kind, span });
        self.letters[number].push(LabelKind::Event(name.clone(), None));
        if event.creation {
            self.creation.push(name);
        }
        Ok(())
    }

    fn properties(&mut self) -> Result<(), Refused> {
        let specification = self.specification;
        let name = &specification.name;
        let mut found = Vec::new();
        for property in &specification.properties {
            found.push(self.property(property)?);
        }
        if found.is_empty() {
            found.push(self.raw()?);
        }
        let alone = found.len() == 1;
        for (at, members) in found.into_iter().enumerate() {
            let text = match alone {
                true => name.text.clone(),
                false => format!("{}_{}", name.text, at + 1),
            };
            let params = specification.params.iter().map(|(_, name)| ww::Param {
                name: name.clone(),
                ty: None,
                key: None,
            });
            let mut all = Vec::new();
            if specification.severity != Severity::Error {
                let kind = MemberKind::Severity(specification.severity);
                all.push(Member { kind, span: name.span });
            }
            if !self.creation.is_empty() {
                let kind = MemberKind::Creation(self.creation.clone());
                all.push(Member { kind, span: name.span });
            }
            all.extend(self.observed.iter().cloned());
            all.extend(members);
            self.items.push(ww::Item::Property(ww::Property {
                doc: String::new(),
                name: Name { text, span: name.span },
                params: Some(ww::Params { list: params.collect(), variadic: false }),
                members: all,
                span: name.span,
            }));
        }
        Ok(())
    }

    /// A specification without a property: every event is reported that prints something.
    fn raw(&self) -> Result<Vec<Member>, Refused> {
        let span = self.specification.name.span;
        let mut machine = Machine {
            states: vec!["start".into()],
            next: vec![BTreeMap::new()],
            matching: Vec::new(),
        };
        let mut handlers = HashMap::new();
        for event in &self.specification.events {
            if event.body.is_empty() {
                continue;
            }
            let number = self.numbers[event.name.text.as_str()];
            machine.next[0].entry(number).or_insert_with(|| {
                machine.states.push(event.name.text.clone());
                machine.states.len() - 1
            });
            let state = machine.next[0][&number];
            handlers.entry(state).or_insert(printed(&event.body)?);
        }
        if handlers.is_empty() {
            return Err(Refused::new(span, "it reports nothing"));
        }
        // Each of them is reported every time.
        machine.next = vec![machine.next[0].clone(); machine.states.len()];
        Ok(self.states(&machine, &handlers, None))
    }

    fn property(&self, property: &Property) -> Result<Vec<Member>, Refused> {
        let span = property.logic.span;
        let event = |name: &str| self.numbers.get(name).copied();
        let reader = Reader::new(&property.formula, span, &event);
        let mut handlers: HashMap<&str, Printed> = HashMap::new();
        for (category, code) in &property.handlers {
            handlers.insert(&category.text, printed(code)?);
        }
        if handlers.is_empty() {
            return Err(Refused::new(span, "it has no handler, so it reports nothing"));
        }
        match property.logic.text.as_str() {
            "ere" => {
                let regex = reader.regex()?;
                let Some(machine) = Machine::of(&regex) else {
                    return Err(Refused::new(span, "its expression is too large"));
                };
                let on_match = handlers.remove("match");
                let fail = handlers.remove(FAIL);
                self.refuse_others(property, &handlers)?;
                let states = (0..machine.states.len()).filter(|at| machine.matching[*at]);
                let states = states.filter_map(|at| Some((at, on_match.clone()?)));
                Ok(self.states(&machine, &states.collect(), fail))
            }
            "fsm" => {
                let machine = reader.machine()?;
                let fail = handlers.remove(FAIL);
                let named = |name: &&str| machine.states.iter().position(|s| s == name);
                let states: HashMap<usize, Printed> = handlers
                    .iter()
                    .filter_map(|(name, said)| Some((named(name)?, said.clone())))
                    .collect();
                handlers.retain(|name, _| named(name).is_none());
                self.refuse_others(property, &handlers)?;
                Ok(self.states(&machine, &states, fail))
            }
            logic @ ("ltl" | "ptltl") => {
                let formula = reader.formula()?;
                let (violation, validation) =
                    (handlers.remove("violation"), handlers.remove("validation"));
                self.refuse_others(property, &handlers)?;
                let past = logic == "ptltl";
                let said = match (violation, validation, past) {
                    (Some(said), None, _) => (said, formula),
                    (None, Some(said), true) => (said, Formula::Not(Box::new(formula))),
                    _ => {
                        let why = "of a formula, its violation alone is reported";
                        return Err(Refused::new(span, why));
                    }
                };
                self.temporal(said.0, said.1, past, span)
            }
            other => Err(Refused::new(span, format!("the logic `{other}` is not supported"))),
        }
    }

    fn refuse_others(
        &self,
        property: &Property,
        left: &HashMap<&str, Printed>,
    ) -> Result<(), Refused> {
        let strange = property.handlers.iter().find(|(name, _)| left.contains_key(&*name.text));
        match strange {
            None => Ok(()),
            Some((name, _)) => {
                let why = format!("the handler `@{}` is not supported here", name.text);
                Err(Refused::new(name.span, why))
            }
        }
    }

    /// The states of an automaton. Those with a handler are reported on every entry; what is reset
    /// goes on as from the first state.
    fn states(
        &self,
        machine: &Machine,
        handlers: &HashMap<usize, Printed>,
        fail: Option<Printed>,
    ) -> Vec<Member> {
        let span = self.specification.name.span;
        let taken = |text: &str| machine.states.iter().any(|s| s == text);
        let failed = crate::larva::free(FAIL, taken);
        let start = crate::larva::free("begin", taken);
        // Nothing has happened yet in the first state: entering it is no report.
        let apart = handlers.contains_key(&0);
        let state = |name: &str, kind, said: Option<&Printed>, from: Option<usize>, first: bool| {
            let transitions = match from {
                Some(at) => self.transitions(machine, at, &failed),
                None => Vec::new(),
            };
            let message = said.and_then(|said| said.message.as_ref()).map(|text| ww::Template {
                parts: vec![ww::TemplatePart::Text(text.clone())],
                span,
            });
            let state = ww::State {
                start: first,
                kind,
                name: Name { text: name.to_string(), span },
                deadline: None,
                message,
                entry: Vec::new(),
                transitions,
            };
            Member { kind: MemberKind::State(state), span }
        };
        let mut members = Vec::new();
        if apart {
            members.push(state(&start, StateKind::Normal, None, Some(0), true));
        }
        for (at, name) in machine.states.iter().enumerate() {
            let said = handlers.get(&at);
            let kind = if said.is_some() { StateKind::Bad } else { StateKind::Normal };
            let from = if said.is_some_and(|said| said.reset) { 0 } else { at };
            members.push(state(name, kind, said, Some(from), at == 0 && !apart));
        }
        let kind = if fail.is_some() { StateKind::Bad } else { StateKind::Normal };
        let from = fail.as_ref().filter(|said| said.reset).map(|_| 0);
        members.push(state(&failed, kind, fail.as_ref(), from, false));
        members
    }

    fn transitions(&self, machine: &Machine, from: usize, failed: &str) -> Vec<Transition> {
        let span = self.specification.name.span;
        let mut transitions = Vec::new();
        for (number, labels) in self.letters.iter().enumerate() {
            let target = match machine.next[from].get(&number) {
                Some(target) => machine.states[*target].clone(),
                None => failed.to_string(),
            };
            for kind in labels {
                transitions.push(Transition {
                    steps: vec![Step {
                        labels: vec![Label { kind: kind.clone(), span }],
                        guard: None,
                    }],
                    keep: false,
                    then: Branch {
                        update: Vec::new(),
                        target: Some(Target::State(Name { text: target.clone(), span })),
                        message: None,
                    },
                    otherwise: None,
                    span,
                    arrow: Some(span),
                });
            }
        }
        transitions
    }

    /// A temporal formula. One about the past must hold at every event.
    fn temporal(
        &self,
        said: Printed,
        formula: Formula,
        past: bool,
        span: Span,
    ) -> Result<Vec<Member>, Refused> {
        if said.reset {
            return Err(Refused::new(span, "`__RESET` after a violation is not supported here"));
        }
        if let Some(why) = formula.unmonitorable() {
            return Err(Refused::new(span, why));
        }
        let mut written = self.formula(&formula, span)?;
        if past {
            written = unary(TemporalUnary::Always, written, span);
        }
        let mut members = Vec::new();
        if let Some(text) = said.message {
            let parts = vec![ww::TemplatePart::Text(text)];
            let message = ww::Template { parts, span };
            members.push(Member { kind: MemberKind::Message(message), span });
        }
        members.push(Member { kind: MemberKind::Ltl(written), span });
        Ok(members)
    }

    fn formula(&self, formula: &Formula, span: Span) -> Result<ww::Formula, Refused> {
        Ok(match formula {
            Formula::Const(truth) => {
                ww::Formula { kind: FormulaKind::Const(*truth), span, depth: 1 }
            }
            Formula::Event(number) => {
                let labels = self.letters[*number].iter();
                let mut atoms = labels.map(|kind| match kind {
                    LabelKind::End => {
                        let why = "its formula speaks about the end of the program";
                        Err(Refused::new(span, why))
                    }
                    kind => {
                        let label = Label { kind: kind.clone(), span };
                        let atom = Box::new(Atom { label, guard: None });
                        Ok(ww::Formula { kind: FormulaKind::Atom(atom), span, depth: 1 })
                    }
                });
                let none = || Refused::new(span, "its formula speaks about no event");
                let first = atoms.next().ok_or_else(none)??;
                atoms.try_fold(first, |left, right| {
                    Ok(binary(TemporalBinary::Or, left, right?, span))
                })?
            }
            Formula::Not(inner) => {
                let inner = self.formula(inner, span)?;
                let depth = inner.depth + 1;
                ww::Formula { kind: FormulaKind::Not(Box::new(inner)), span, depth }
            }
            Formula::Unary(operator, inner) => unary(*operator, self.formula(inner, span)?, span),
            Formula::Binary(operator, left, right) => {
                binary(*operator, self.formula(left, span)?, self.formula(right, span)?, span)
            }
        })
    }
}

fn unary(operator: TemporalUnary, inner: ww::Formula, span: Span) -> ww::Formula {
    let depth = inner.depth + 1;
    ww::Formula { kind: FormulaKind::Unary(operator, Box::new(inner)), span, depth }
}

fn binary(
    operator: TemporalBinary,
    left: ww::Formula,
    right: ww::Formula,
    span: Span,
) -> ww::Formula {
    let depth = left.depth.max(right.depth) + 1;
    let kind = FormulaKind::Binary(operator, Box::new(left), Box::new(right));
    ww::Formula { kind, span, depth }
}
