//! From the tree to the model.

use watchword_model::{
    Arity, Boxes, Branch, Context, ContextId, EventId, Label, Lang, Model, Observed, Pattern,
    Place, Placement, ProgramEvent, Property, PropertyOrigin, Register, RegisterId, Severity, Span,
    State, StateId, StateKind, Target, Template, TemplatePart, Transition, Type,
};

use super::flow::{ERROR, START};
use super::{names, tree};
use crate::events::declare;

/// The two letters of the alphabet.
struct Letters {
    call: EventId,
    ret: EventId,
}

/// Adds a property, which must be well-formed, to a model.
pub fn lower(property: &tree::Property, model: &mut Model) {
    let letters = Letters {
        call: declare(ProgramEvent::Call, model),
        ret: declare(ProgramEvent::Return, model),
    };
    let mut lowering = Lowering {
        property,
        letters,
        registers: Vec::new(),
        states: Vec::new(),
        transitions: Vec::new(),
    };
    lowering.run();
    let Lowering { letters, registers, states, transitions, .. } = lowering;
    let start = states.iter().position(|s| s.name == START).map_or(StateId(0), StateId::from_index);
    let context = ContextId::from_index(model.contexts.len());
    model.contexts.push(Context::of_registers());
    model.properties.push(Property {
        name: property.name.text.clone(),
        doc: String::new(),
        severity: Severity::Error,
        tags: Vec::new(),
        message: property.message.as_ref().map(|m| plain(&m.text)),
        context,
        alphabet: alphabet(property, &letters),
        registers,
        windows: Vec::new(),
        states,
        start,
        transitions,
        lang: Lang::Topl,
        origin: PropertyOrigin::Automaton,
        boxes: Boxes::ByValue,
        span: property.name.span,
    });
}

/// A message without values.
pub fn plain(text: &str) -> Template {
    Template { parts: vec![TemplatePart::Text(text.to_string())] }
}

/// A state as TOPL has them: only `error` means anything.
pub fn state(name: &str, span: Span) -> State {
    State {
        name: name.to_string(),
        kind: if name == ERROR { StateKind::Bad } else { StateKind::Normal },
        message: None,
        entry: Vec::new(),
        deadline: None,
        span,
    }
}

/// The arguments of a method as arguments of an event, which has others before them.
fn behind(others: u32, arguments: Arity) -> Arity {
    match arguments {
        Arity::Any => Arity::Any,
        Arity::Exactly(n) => Arity::Exactly(others + n),
        Arity::AtLeast(n) => Arity::AtLeast(others + n),
    }
}

fn alphabet(property: &tree::Property, letters: &Letters) -> Vec<Observed> {
    if property.observe.is_empty() {
        return Vec::new();
    }
    let filter = names::matches(&names::union(&property.observe));
    [letters.call, letters.ret]
        .map(|event| Observed {
            event,
            filter: Some(filter.clone()),
            placements: vec![Placement::default()],
        })
        .to_vec()
}

struct Lowering<'t> {
    property: &'t tree::Property,
    letters: Letters,
    registers: Vec<Register>,
    states: Vec<State>,
    transitions: Vec<Transition>,
}

impl Lowering<'_> {
    fn run(&mut self) {
        self.states.push(state(START, self.property.name.span));
        let property = self.property;
        if let Some(first) = property.transitions.iter().find(|t| t.source.text == START) {
            self.states[0].span = first.source.span;
        }
        for transition in &property.transitions {
            let source = self.state(&transition.source);
            let target = self.state(&transition.target);
            if transition.source.text == ERROR {
                continue;
            }
            for label in &transition.labels {
                for labels in self.words(label) {
                    self.transitions.push(Transition {
                        source,
                        labels,
                        keep: false,
                        then: Branch::to(Target::State(target)),
                        otherwise: None,
                        span: label.span,
                    });
                }
            }
        }
    }

    fn state(&mut self, name: &tree::Name) -> StateId {
        let at = self.states.iter().position(|s| s.name == name.text).unwrap_or_else(|| {
            self.states.push(state(&name.text, name.span));
            self.states.len() - 1
        });
        StateId::from_index(at)
    }

    fn register(&mut self, name: &str, span: Span) -> RegisterId {
        let at = self.registers.iter().position(|r| r.name == name).unwrap_or_else(|| {
            self.registers.push(Register {
                name: name.to_string(),
                ty: Type::Any,
                init: None,
                span,
            });
            self.registers.len() - 1
        });
        RegisterId::from_index(at)
    }

    fn pattern(&mut self, value: &tree::ValuePattern) -> Pattern {
        let mut place = |name: &str| Place::Register(self.register(name, value.span));
        match &value.kind {
            tree::ValueKind::Any => Pattern::Any,
            tree::ValueKind::Bind(name) => Pattern::Bind(place(name)),
            tree::ValueKind::Equal(name) => Pattern::Equal(place(name)),
            tree::ValueKind::Differs(name) => Pattern::Differs(place(name)),
            tree::ValueKind::Const(constant) => Pattern::Const(constant.clone()),
            tree::ValueKind::NotConst(constant) => Pattern::NotConst(constant.clone()),
        }
    }

    /// The words of letters a label stands for.
    fn words(&mut self, label: &tree::Label) -> Vec<Vec<Label>> {
        let values: &[tree::ValuePattern] = match &label.args {
            tree::Args::Values(values) => values,
            _ => &[],
        };
        let args = label.receiver.iter().chain(values).any(tree::ValuePattern::is_constrained);
        let result = label.result.as_ref().is_some_and(tree::ValuePattern::is_constrained);
        match (label.letter, args, result) {
            (tree::Letter::Call, ..) | (tree::Letter::Unsaid, true, false) => {
                vec![vec![self.call(label)]]
            }
            (tree::Letter::Return, ..) | (tree::Letter::Unsaid, false, true) => {
                vec![vec![self.ret(label)]]
            }
            (tree::Letter::Unsaid, true, true) => vec![vec![self.call(label), self.ret(label)]],
            (tree::Letter::Unsaid, false, false) => match self.arguments(label) {
                Arity::Any => vec![vec![self.either(label)]],
                _ => vec![vec![self.call(label)], vec![self.ret(label)]],
            },
        }
    }

    /// How many arguments the method has. A receiver that the label shows is one of them, beside
    /// those it counts or lists.
    fn arguments(&self, label: &tree::Label) -> Arity {
        let receiver = u32::from(label.receiver.is_some());
        match &label.args {
            tree::Args::Any if label.receiver.is_none() => Arity::Any,
            tree::Args::Any => Arity::AtLeast(receiver),
            tree::Args::Count(n) => Arity::Exactly(receiver + n),
            tree::Args::Values(values) => Arity::Exactly(receiver + values.len() as u32),
        }
    }

    fn method(&self, label: &tree::Label) -> Option<watchword_model::Expr> {
        label.method.as_ref().map(|m| names::guard(&self.property.prefix, m))
    }

    fn call(&mut self, label: &tree::Label) -> Label {
        let mut args = vec![Pattern::Any];
        let values: &[tree::ValuePattern] = match &label.args {
            tree::Args::Values(values) => values,
            _ => &[],
        };
        args.extend(label.receiver.iter().chain(values).map(|v| self.pattern(v)));
        let arity = behind(1, self.arguments(label));
        // No method runs on null; elsewhere the first argument need not be a receiver.
        let present = matches!(arity, Arity::AtLeast(_)).then(|| names::present(1));
        Label {
            event: Some(self.letters.call),
            arity,
            args,
            guard: names::all(self.method(label).into_iter().chain(present)),
            span: label.span,
        }
    }

    fn ret(&mut self, label: &tree::Label) -> Label {
        let value = label.result.as_ref().map_or(Pattern::Any, |v| self.pattern(v));
        Label {
            event: Some(self.letters.ret),
            arity: behind(2, self.arguments(label)),
            args: vec![Pattern::Any, value],
            guard: self.method(label),
            span: label.span,
        }
    }

    fn either(&mut self, label: &tree::Label) -> Label {
        Label {
            event: None,
            arity: Arity::Any,
            args: Vec::new(),
            guard: self.method(label),
            span: label.span,
        }
    }
}
