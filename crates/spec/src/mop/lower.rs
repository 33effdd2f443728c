//! Specifications as declarations of Watchword's own language.

use std::collections::{BTreeMap, HashMap};

use watchword_model::{BinaryOp, JvmTerm, PointKind, Severity, Span, StateKind, Value};

use super::code::JavaCode;
use super::java::{self, Printed, printed, prints_texts, without_reset};
use super::logic::{Formula, Reader};
use super::machine::{MAX_STATES, Machine};
use super::pointcut::{Condition, Origin, origin};
use super::tree::{Event, Name, Property, Refused, Specification, Token};
use crate::given::JavaRules;
use crate::larva::events::Imports;
use crate::larva::lexer::Tok;
use crate::larva::{both, constant, named};
use crate::ww::ltl::{Fragment, Ltl, monitor};
use crate::ww::tree::{
    self as ww, Atom, Branch, FormulaKind, Label, LabelKind, Member, MemberKind, Step, Target,
    TemporalBinary, TemporalUnary, Transition,
};

/// Modifiers that change nothing here.
const HARMLESS: [&str; 2] = ["public", "unsynchronized"];
/// The state in which a specification has failed.
const FAIL: &str = "fail";

/// What a specification becomes.
pub struct Lowered {
    /// Declarations of Watchword's language.
    pub items: Vec<ww::Item>,
    /// Parts that have no effect.
    pub ignored: Vec<Refused>,
}

/// The declarations of a specification: its events, its properties and its Java code.
pub fn lower(
    specification: &Specification,
    text: &str,
    java: &JavaRules,
) -> Result<Lowered, Refused> {
    if let Some(foreign) = &specification.foreign {
        return Err(foreign.clone());
    }
    let strange = specification.modifiers.iter().find(|m| !HARMLESS.contains(&m.text.as_str()));
    if let Some(modifier) = strange {
        let why = format!("the modifier `{}` is not supported", modifier.text);
        return Err(Refused::new(modifier.span, why));
    }
    let broken = java.broken.iter().find(|(name, _)| *name == specification.name.text);
    if let Some((_, why)) = broken {
        let why = format!("its Java code does not compile: {why}");
        return Err(Refused::new(specification.name.span, why));
    }
    let code = java.allowed.then(|| JavaCode::new(specification, text));
    if let (None, Some(member)) = (&code, specification.members.first()) {
        return Err(Refused::new(member[0].span, "it has members written in Java"));
    }
    let mut lowering = Lowering {
        specification,
        imports: Imports { paths: &specification.imports },
        code,
        letters: Vec::new(),
        numbers: HashMap::new(),
        guards: HashMap::new(),
        said: HashMap::new(),
        observed: Vec::new(),
        creation: Vec::new(),
        items: Vec::new(),
        ignored: Vec::new(),
    };
    for event in &specification.events {
        lowering.event(event)?;
    }
    let binds = |event: &Event, name: &Name| {
        event.params.iter().chain(&event.result).any(|(_, param)| param.text == name.text)
    };
    let unbound = |param: &Name| !specification.events.iter().any(|event| binds(event, param));
    if let Some((_, param)) = specification.params.iter().find(|(_, name)| unbound(name)) {
        let why = format!("no event binds its parameter `{}`", param.text);
        return Err(Refused::new(param.span, why));
    }
    lowering.properties()?;
    if let Some(class) = lowering.code.take().map(JavaCode::finish).transpose()?.flatten() {
        lowering.items.push(ww::Item::Java(class));
    }
    Ok(Lowered { items: lowering.items, ignored: lowering.ignored })
}

/// What the code of an event does.
enum Body {
    /// It prints, or nothing.
    Prints,
    /// More.
    Java(Vec<Token>),
}

struct Lowering<'s> {
    specification: &'s Specification,
    imports: Imports<'s>,
    /// Its Java code, if that may run.
    code: Option<JavaCode<'s>>,
    /// By the number of an event: the labels it stands for.
    letters: Vec<Vec<LabelKind>>,
    numbers: HashMap<&'s str, usize>,
    /// By the name of an event of ours: when it is one for an instance.
    guards: HashMap<String, ww::Expr>,
    /// By the name of an event of ours: its parameter with what Java code printed.
    said: HashMap<String, String>,
    /// `also` lines of all events.
    observed: Vec<Member>,
    creation: Vec<Name>,
    items: Vec<ww::Item>,
    ignored: Vec<Refused>,
}

impl<'s> Lowering<'s> {
    fn event(&mut self, event: &'s Event) -> Result<(), Refused> {
        let span = event.name.span;
        let raw = self.specification.properties.is_empty();
        let body = self.body(event)?;
        // Without a property, every declaration is reported for itself.
        let next = self.letters.len();
        let number = match raw {
            true => next,
            false => *self.numbers.entry(&event.name.text).or_insert(next),
        };
        if number == next {
            self.letters.push(Vec::new());
        }
        let (mut sources, conditions) = match origin(event, &self.imports)? {
            Origin::End => {
                if !matches!(body, Body::Prints) {
                    let why = "code at the end of the program is not supported";
                    return Err(Refused::new(span, why));
                }
                self.letters[number].push(LabelKind::End);
                return Ok(());
            }
            Origin::Points(sources, conditions) => (sources, conditions),
        };
        if sources.iter().any(initialises) {
            let why = "classes that have no static initialiser of their own are not seen";
            self.ignored.push(Refused::new(span, why));
        }
        // Events of all files share their names, and one name may be declared several times.
        let text = format!("{}_{}", self.specification.name.text, self.own_name(event));
        let name = Name { text, span };
        let params = event.params.iter().chain(&event.result);
        let mut list: Vec<ww::Param> =
            params.map(|(_, name)| ww::Param { name: name.clone(), ty: None, key: None }).collect();
        let (condition, needs_java) = self.condition(event, &conditions, &body)?;
        let mut condition = condition;
        if needs_java {
            let said = self.call_java(event, &conditions, &body, &mut sources)?;
            list.push(ww::Param { name: said.clone(), ty: None, key: None });
            let is = |op, value| {
                let (left, right) = (named(&said.text, span), constant(value, span));
                let kind = ww::ExprKind::Binary(op, Box::new(left), Box::new(right));
                ww::Expr { kind, span, depth: 2 }
            };
            condition = Some(is(BinaryOp::Ne, Value::Bool(false)));
            if raw && matches!(body, Body::Java(_)) {
                condition = both(condition, Some(is(BinaryOp::Ne, Value::Null)));
                self.said.insert(name.text.clone(), said.text.clone());
            }
        }
        self.items.push(ww::Item::Event(ww::Event {
            doc: String::new(),
            name: name.clone(),
            params: ww::Params { list, variadic: false },
            sources,
            span,
        }));
        // An event that begins an instance does so even if it is none for the automaton.
        let temporal = |p: &Property| matches!(p.logic.text.as_str(), "ltl" | "ptltl");
        let always = event.creation && !self.specification.properties.iter().any(temporal);
        if let (true, Some(guard)) = (always, condition.take_if(|_| always)) {
            self.guards.insert(name.text.clone(), guard);
        }
        let kind = MemberKind::Also(vec![name.clone()], condition);
        self.observed.push(Member { kind, span });
        self.letters[number].push(LabelKind::Event(name.clone(), None));
        if event.creation {
            self.creation.push(name);
        }
        Ok(())
    }

    /// The name of an event, with a number if an event before it has the same name.
    fn own_name(&self, event: &Event) -> String {
        let before = self.specification.events.iter().take_while(|e| !std::ptr::eq(*e, event));
        match before.filter(|other| other.name.text == event.name.text).count() {
            0 => event.name.text.clone(),
            n => format!("{}_{}", event.name.text, n + 1),
        }
    }

    /// What the code of an event does.
    fn body(&mut self, event: &'s Event) -> Result<Body, Refused> {
        let mut tokens = event.body.clone();
        if let Some(around) = event.around {
            let skip = tokens.iter().position(|t| t.tok == Tok::Name("__SKIP".into()));
            if let Some(at) = skip {
                let end = tokens.iter().skip(at).position(|t| t.tok == Tok::Mark(";"));
                let why = "`__SKIP` has no effect: the program does what it does";
                self.ignored.push(Refused::new(tokens[at].span, why));
                tokens.drain(at..=at + end.unwrap_or(0));
            } else if !tokens.is_empty() {
                let why = "`around` without `__SKIP` is not supported";
                return Err(Refused::new(around, why));
            }
        }
        match printed(&tokens) {
            Ok(said) if said.reset && !self.specification.properties.is_empty() => {
                Err(Refused::new(event.name.span, "an event resets the monitor"))
            }
            Ok(_) if self.code.is_none() || prints_texts(&tokens) => Ok(Body::Prints),
            _ if self.code.is_some() => Ok(Body::Java(tokens)),
            Ok(_) => Ok(Body::Prints),
            Err(refused) => Err(refused),
        }
    }

    /// The condition of an event as far as it is one of ours, and whether Java is needed for the rest,
    /// or for the body.
    fn condition(
        &self,
        event: &Event,
        conditions: &[Condition<'_>],
        body: &Body,
    ) -> Result<(Option<ww::Expr>, bool), Refused> {
        let Some(code) = &self.code else { return Ok((self.own(event, conditions)?, false)) };
        if matches!(body, Body::Java(_)) || (code.has_state() && code.begins(event)) {
            return Ok((None, true));
        }
        Ok(match self.own(event, conditions) {
            Ok(own) => (own, false),
            Err(_) => (None, true),
        })
    }

    fn own(
        &self,
        event: &Event,
        conditions: &[Condition<'_>],
    ) -> Result<Option<ww::Expr>, Refused> {
        let is_known = |text: &str| {
            let mut all = event.params.iter().chain(&event.result);
            all.any(|(_, name)| name.text == text)
        };
        let mut own = None;
        for Condition { tokens, span } in conditions {
            own = both(own, Some(java::condition(tokens, *span, &is_known)?));
        }
        Ok(own)
    }

    /// Adds what the Java code of an event gives to what its sources carry; the name of the parameter.
    fn call_java(
        &self,
        event: &'s Event,
        conditions: &[Condition<'_>],
        body: &Body,
        sources: &mut [ww::Source],
    ) -> Result<Name, Refused> {
        let span = event.name.span;
        let Some(code) = &self.code else {
            return Err(Refused::new(span, "its Java code may not run"));
        };
        let conditions: Vec<&[Token]> = conditions.iter().map(|c| c.tokens).collect();
        let body = match body {
            Body::Java(tokens) => Some(tokens.as_slice()),
            Body::Prints => None,
        };
        let method = code.method(event, &conditions, body)?;
        let taken = |text: &str| {
            event.params.iter().chain(&event.result).any(|(_, name)| name.text == text)
        };
        let said = Name { text: crate::larva::free("said", taken), span };
        for source in sources {
            let ww::SourceKind::Jvm { captures, .. } = &mut source.kind else { continue };
            let term = |name: &str| {
                let found = captures.iter().find(|c| c.param.text == name);
                found.map(|c| c.term.clone())
            };
            let Some(call) = code.call(method, event, term) else {
                return Err(Refused::new(span, "its code needs a value that is not there"));
            };
            let term = JvmTerm::Java(Box::new(call));
            captures.push(ww::Capture { param: said.clone(), term, span });
        }
        Ok(said)
    }

    fn properties(&mut self) -> Result<(), Refused> {
        let specification = self.specification;
        let name = &specification.name;
        let count = specification.properties.len();
        let called = |at: usize| match count {
            0 | 1 => name.text.clone(),
            _ => format!("{}_{}", name.text, at + 1),
        };
        let mut found = Vec::new();
        for (at, property) in specification.properties.iter().enumerate() {
            found.push(self.property(property, &called(at))?);
        }
        if found.is_empty() {
            found.push(self.raw()?);
        }
        for (at, members) in found.into_iter().enumerate() {
            let text = called(at);
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
        for (number, event) in self.specification.events.iter().enumerate() {
            if event.body.is_empty() {
                machine.next[0].insert(number, 0);
                continue;
            }
            machine.states.push(self.own_name(event));
            let state = machine.states.len() - 1;
            machine.next[0].insert(number, state);
            // What Java code printed is in the event.
            handlers.insert(state, printed(&event.body).unwrap_or_default());
        }
        if handlers.is_empty() {
            return Err(Refused::new(span, "it reports nothing"));
        }
        // Each of them is reported every time.
        machine.next = vec![machine.next[0].clone(); machine.states.len()];
        Ok(self.states(&machine, &handlers, None))
    }

    fn property(&self, property: &Property, called: &str) -> Result<Vec<Member>, Refused> {
        let span = property.logic.span;
        let event = |name: &str| self.numbers.get(name).copied();
        let reader = Reader::new(&property.formula, span, &event);
        let mut handlers: HashMap<&str, Printed> = HashMap::new();
        for (category, code) in &property.handlers {
            handlers.insert(&category.text, self.handler(code)?);
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
                let states = states.collect();
                self.handle(called, &machine, &states, fail.as_ref());
                Ok(self.states(&machine, &states, fail))
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
                self.handle(called, &machine, &states, fail.as_ref());
                Ok(self.states(&machine, &states, fail))
            }
            logic @ ("ltl" | "ptltl") => {
                let past = logic == "ptltl";
                let formula = reader.formula(past)?;
                let (violation, validation) =
                    (handlers.remove("violation"), handlers.remove("validation"));
                self.refuse_others(property, &handlers)?;
                let said = match (violation, validation, past) {
                    (Some(said), None, _) => (said, formula),
                    (None, Some(said), true) => (said, Formula::Not(Box::new(formula))),
                    _ => {
                        let why = "for a formula, only its violation is reported";
                        return Err(Refused::new(span, why));
                    }
                };
                if let (Some(code), Some(method)) = (&self.code, said.0.java) {
                    code.handle(called, None, method);
                }
                self.temporal(said.0, said.1, past, span)
            }
            other => Err(Refused::new(span, format!("the logic `{other}` is not supported"))),
        }
    }

    /// What a handler does.
    fn handler(&self, tokens: &[Token]) -> Result<Printed, Refused> {
        let Some(code) = self.code.as_ref().filter(|code| code.runs(tokens)) else {
            return printed(tokens);
        };
        let (rest, reset) = without_reset(tokens);
        let java = Some(code.handler(&rest)?);
        Ok(Printed { message: None, reset, java })
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

    /// Notes which states of a property have handlers in Java.
    fn handle(
        &self,
        called: &str,
        machine: &Machine,
        handlers: &HashMap<usize, Printed>,
        fail: Option<&Printed>,
    ) {
        let Some(code) = &self.code else { return };
        for (at, said) in handlers {
            if let Some(method) = said.java {
                code.handle(called, Some(&machine.states[*at]), method);
            }
        }
        if let Some(method) = fail.and_then(|said| said.java) {
            let taken = |text: &str| machine.states.iter().any(|s| s == text);
            code.handle(called, Some(&crate::larva::free(FAIL, taken)), method);
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
        let fails = |at: &usize| machine.next[*at].len() < self.letters.len();
        if fail.is_none() && !(0..machine.states.len()).any(|at| fails(&at)) {
            return members;
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
                let name = match kind {
                    LabelKind::Event(name, _) => name.text.as_str(),
                    _ => "",
                };
                let message = self.said.get(name).map(|said| ww::Template {
                    parts: vec![ww::TemplatePart::Value(crate::larva::named(said, span))],
                    span,
                });
                transitions.push(Transition {
                    steps: vec![Step {
                        labels: vec![Label { kind: kind.clone(), span }],
                        guard: self.guards.get(name).cloned(),
                    }],
                    keep: false,
                    then: Branch {
                        update: Vec::new(),
                        target: Some(Target::State(Name { text: target.clone(), span })),
                        message,
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
        if self.letters.iter().flatten().any(|label| matches!(label, LabelKind::End)) {
            return self.to_the_end(said, &formula, past, span);
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

    /// A temporal formula of a specification with an event at the end of the program, as an automaton:
    /// formulas of ours do not speak of the end.
    fn to_the_end(
        &self,
        said: Printed,
        formula: &Formula,
        past: bool,
        span: Span,
    ) -> Result<Vec<Member>, Refused> {
        let mut about = formula.of_events();
        if past {
            about = Ltl::Always(Box::new(about));
        }
        let letters: Vec<Vec<usize>> = (0..self.letters.len()).map(|n| vec![n]).collect();
        let Ok((Fragment::Safety, monitor)) = monitor(&about, &[], &letters, MAX_STATES) else {
            return Err(Refused::new(span, "its formula is too large"));
        };
        let dfa = monitor.dfa;
        if dfa.is_accepting(dfa.start()) {
            return Err(Refused::new(span, "its formula never holds"));
        }
        let machine = Machine::broken(&dfa);
        let violated = machine.matching.iter().position(|broken| *broken);
        let handlers = violated.map(|at| (at, said)).into_iter().collect();
        Ok(self.states(&machine, &handlers, None))
    }

    fn formula(&self, formula: &Formula, span: Span) -> Result<ww::Formula, Refused> {
        Ok(match formula {
            Formula::Const(truth) => {
                ww::Formula { kind: FormulaKind::Const(*truth), span, depth: 1 }
            }
            Formula::Event(number) => {
                let mut atoms = self.letters[*number].iter().map(|kind| {
                    let label = Label { kind: kind.clone(), span };
                    let atom = Box::new(Atom { label, guard: None });
                    ww::Formula { kind: FormulaKind::Atom(atom), span, depth: 1 }
                });
                let none = || Refused::new(span, "its formula names no event");
                let first = atoms.next().ok_or_else(none)?;
                atoms.fold(first, |left, right| binary(TemporalBinary::Or, left, right, span))
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

/// Whether a source is the initialisation of a class.
fn initialises(source: &ww::Source) -> bool {
    match &source.kind {
        ww::SourceKind::Jvm { source, .. } => source.point.kind == PointKind::ClassInit,
        _ => false,
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
