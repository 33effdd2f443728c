//! From the tree to the model.
//!
//! Truth values count as 1 and 0, null as 0. A comparison `Binder == register` becomes a pattern,
//! so that configurations are found by the register's value; what such a pattern does not see, a
//! truth value or null that was compared with a number, is the business of a second transition
//! whose guard compares as numbers and excludes what the first one matches.

use watchword_model::{
    Arity, BinaryOp, Boxes, Branch, Builtin, Context, ContextId, EventId, Expr, Label, Lang, Model,
    Observed, Pattern, Place, Placement, ProgramEvent, Property, PropertyOrigin, Register,
    RegisterId, Severity, State, StateId, Stmt, Target, Transition, Type, UnaryOp, Value,
};

use super::number::{is, number};
use super::regex::{self, Anchor, NoGlob};
use super::tree::{self, EventPattern, Filter, Name, Operand};
use crate::diagnostic::{Code, Diagnostic};
use crate::events::declare;
use crate::topl::flow::{ERROR, START};
use crate::topl::lower::{plain, state};
use crate::topl::names::{all, matches};

/// Positions of what `done` carries before its values.
const ANNOTATIONS: u32 = 1;
const TYPES: u32 = 2;
const VALUES: u32 = 3;

/// Adds a property, which must be well-formed, to a model.
pub fn lower(property: &tree::Property, model: &mut Model, diagnostics: &mut Vec<Diagnostic>) {
    let done = declare(ProgramEvent::Done, model);
    let writes_arrays = property
        .transitions
        .iter()
        .filter_map(|t| t.label.as_ref())
        .any(|l| matches!(l.pattern, EventPattern::ArrayWrite));
    let array_write = writes_arrays.then(|| declare(ProgramEvent::ArrayWrite, model));
    let prefixes = prefixes(property, diagnostics);
    let mut lowering = Lowering {
        property,
        prefixes,
        done,
        array_write,
        registers: Vec::new(),
        states: vec![state(START, property.name.span)],
        transitions: Vec::new(),
        diagnostics,
    };
    lowering.run();
    let Lowering { registers, states, transitions, .. } = lowering;
    let context = ContextId::from_index(model.contexts.len());
    model.contexts.push(Context::of_registers());
    let observed =
        |event: EventId| Observed { event, filter: None, placements: vec![Placement::default()] };
    model.properties.push(Property {
        name: property.name.text.clone(),
        doc: String::new(),
        severity: Severity::Error,
        tags: Vec::new(),
        message: property.message.as_ref().map(|m| plain(&m.text)),
        context,
        alphabet: [Some(done), array_write].into_iter().flatten().map(observed).collect(),
        registers,
        windows: Vec::new(),
        states,
        start: StateId(0),
        transitions,
        lang: Lang::Infer,
        origin: PropertyOrigin::Automaton,
        boxes: Boxes::ByIdentity,
        span: property.name.span,
    });
}

/// A prefix, as it was written and as a glob.
struct Prefix {
    text: String,
    glob: String,
}

fn prefixes(property: &tree::Property, diagnostics: &mut Vec<Diagnostic>) -> Vec<Prefix> {
    let mut prefixes = Vec::new();
    for prefix in &property.prefix {
        match regex::glob(&prefix.text, Anchor::Both) {
            Ok(glob) => prefixes.push(Prefix { text: prefix.text.clone(), glob }),
            Err(why) => diagnostics.push(refused(prefix, &why)),
        }
    }
    prefixes
}

fn refused(regex: &Name, why: &NoGlob) -> Diagnostic {
    Diagnostic::error(
        Code::InferRegex,
        regex.span,
        format!("this regular expression cannot be used: {}", why.0),
    )
    .rule(
        r"names are matched by text, `.`, `[a-z]`, `\\(a\\|b\\)`, and `*`, `+` and `?` behind them",
    )
    .help("use `.*` for any sequence of characters")
}

struct Lowering<'t> {
    property: &'t tree::Property,
    prefixes: Vec<Prefix>,
    done: EventId,
    array_write: Option<EventId>,
    registers: Vec<Register>,
    states: Vec<State>,
    transitions: Vec<Transition>,
    diagnostics: &'t mut Vec<Diagnostic>,
}

impl Lowering<'_> {
    fn run(&mut self) {
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
            let span = transition.label.as_ref().map_or(transition.span, |l| l.span);
            let variants = match &transition.label {
                None => {
                    let any = Label {
                        event: None,
                        arity: Arity::Any,
                        args: Vec::new(),
                        guard: None,
                        span,
                    };
                    vec![(any, Vec::new())]
                }
                Some(label) => self.label(label),
            };
            for (label, update) in variants {
                self.transitions.push(Transition {
                    source,
                    labels: vec![label],
                    keep: false,
                    then: Branch { update, ..Branch::to(Target::State(target)) },
                    otherwise: None,
                    span,
                });
            }
        }
    }

    fn state(&mut self, name: &Name) -> StateId {
        let at = self.states.iter().position(|s| s.name == name.text).unwrap_or_else(|| {
            self.states.push(state(&name.text, name.span));
            self.states.len() - 1
        });
        StateId::from_index(at)
    }

    fn register(&mut self, name: &Name) -> RegisterId {
        let at = self.registers.iter().position(|r| r.name == name.text).unwrap_or_else(|| {
            let Name { text, span } = name.clone();
            self.registers.push(Register { name: text, ty: Type::Any, init: None, span });
            self.registers.len() - 1
        });
        RegisterId::from_index(at)
    }

    /// The labels that together match what a label matches, each event by at most one of them.
    fn label(&mut self, label: &tree::Label) -> Vec<(Label, Vec<Stmt>)> {
        let (event, first) = match label.pattern {
            EventPattern::Call { .. } => (Some(self.done), VALUES),
            EventPattern::ArrayWrite => (self.array_write, 0),
        };
        let binders = label.binders.as_deref().unwrap_or_default();
        let position = |name: &str| {
            let at = binders.iter().position(|b| b.name.text == name);
            at.map(|at| first + at as u32)
        };
        let arity = match label.pattern {
            EventPattern::Call { .. } => match &label.binders {
                Some(binders) => Arity::Exactly(first + binders.len() as u32),
                None => Arity::Any,
            },
            EventPattern::ArrayWrite => Arity::Any,
        };
        let mut guards = self.statics(label);

        // Comparisons of a value with a register, one per value, are patterns.
        let mut equal: Vec<(u32, RegisterId)> = Vec::new();
        for condition in &label.conditions {
            let pair = match (&condition.left, &condition.right) {
                (Operand::Binder(b), Some((BinaryOp::Eq, Operand::Register(r))))
                | (Operand::Register(r), Some((BinaryOp::Eq, Operand::Binder(b)))) => {
                    position(&b.text).map(|at| (at, r))
                }
                _ => None,
            };
            match pair {
                Some((at, register)) if !equal.iter().any(|(known, _)| *known == at) => {
                    equal.push((at, self.register(register)));
                }
                _ => guards.push(self.condition(condition, &position)),
            }
        }
        let mut writes: Vec<(u32, RegisterId)> = Vec::new();
        for (register, value) in &label.actions {
            if let Some(at) = position(&value.text) {
                writes.push((at, self.register(register)));
            }
        }

        let build = |equal: &[(u32, RegisterId)], guards: Vec<Expr>| {
            let mut args = Vec::new();
            let mut update = Vec::new();
            let mut set = |at: u32, pattern: Pattern| {
                let at = at as usize;
                if args.len() <= at {
                    args.resize(at + 1, Pattern::Any);
                }
                let free = matches!(args[at], Pattern::Any);
                if free {
                    args[at] = pattern;
                }
                free
            };
            for (at, register) in equal {
                set(*at, Pattern::Equal(Place::Register(*register)));
            }
            for (at, register) in &writes {
                let place = Place::Register(*register);
                if !set(*at, Pattern::Bind(place)) {
                    update.push(Stmt::Assign(place, Expr::Read(Place::Arg(*at))));
                }
            }
            (Label { event, arity, args, guard: all(guards), span: label.span }, update)
        };
        let mut variants = vec![build(&equal, guards.clone())];
        if !equal.is_empty() {
            guards.extend(as_numbers(&equal));
            variants.push(build(&[], guards));
        }
        variants
    }

    /// What is known before anything runs: name, annotations, types.
    fn statics(&mut self, label: &tree::Label) -> Vec<Expr> {
        let mut guards = Vec::new();
        let EventPattern::Call { annotation, procedure } = &label.pattern else { return guards };
        if procedure.regex.text != ".*"
            && let Some(glob) = self.procedure(&procedure.regex)
        {
            guards.push(unless(procedure.negated, matches(&glob)));
        }
        if let Some(annotation) = annotation
            && let Some(glob) = self.glob(&annotation.regex)
        {
            let list = Expr::Read(Place::Arg(ANNOTATIONS));
            guards.push(unless(annotation.negated, some(list, &glob)));
        }
        for (at, binder) in label.binders.iter().flatten().enumerate() {
            let Some(Filter { negated, regex }) = &binder.ty else { continue };
            let Some(glob) = self.glob(regex) else { continue };
            let types = Expr::Read(Place::Arg(TYPES));
            let index = Expr::Const(Value::Int(at as i64));
            let names = Expr::Builtin(Builtin::Get, vec![types, index]);
            guards.push(unless(*negated, some(names, &glob)));
        }
        guards
    }

    fn glob(&mut self, regex: &Name) -> Option<String> {
        regex::glob(&regex.text, Anchor::Start)
            .map_err(|why| self.diagnostics.push(refused(regex, &why)))
            .ok()
    }

    /// The glob of a procedure, each prefix optional in front of it.
    fn procedure(&mut self, regex: &Name) -> Option<String> {
        let glob = regex::glob(&regex.text, Anchor::Both)
            .map_err(|why| self.diagnostics.push(refused(regex, &why)))
            .ok()?;
        if self.prefixes.is_empty() {
            return Some(glob);
        }
        let prefixes: String = self.prefixes.iter().map(|p| format!(",{}?", p.glob)).collect();
        let names = format!("{{{prefixes}}}{glob}");
        // A constructor is called like its class.
        let constructors: String = self
            .prefixes
            .iter()
            .filter(|p| p.text.rsplit('.').next() == Some(regex.text.as_str()))
            .map(|p| format!(",{}.<init>", p.glob))
            .collect();
        Some(if constructors.is_empty() { names } else { format!("{{{names}{constructors}}}") })
    }

    fn condition(
        &mut self,
        condition: &tree::Condition,
        position: &dyn Fn(&str) -> Option<u32>,
    ) -> Expr {
        let left = self.operand(&condition.left, position);
        let (op, right) = match &condition.right {
            Some((op, right)) => (*op, self.operand(right, position)),
            None => (BinaryOp::Ne, Expr::Const(Value::Int(0))),
        };
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    fn operand(&mut self, operand: &Operand, position: &dyn Fn(&str) -> Option<u32>) -> Expr {
        match operand {
            Operand::Const(value) => Expr::Const(value.clone()),
            Operand::Register(name) => number(Place::Register(self.register(name))),
            Operand::Binder(name) => match position(&name.text) {
                Some(at) => number(Place::Arg(at)),
                None => Expr::Const(Value::Null),
            },
        }
    }
}

fn unless(negated: bool, condition: Expr) -> Expr {
    if negated { Expr::Unary(UnaryOp::Not, Box::new(condition)) } else { condition }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

fn or(left: Expr, right: Expr) -> Expr {
    Expr::Or(Box::new(left), Box::new(right))
}

/// All pairs are equal as numbers, but not all of them as they are.
fn as_numbers(pairs: &[(u32, RegisterId)]) -> Vec<Expr> {
    let odd = |at: &u32| {
        let values =
            [Value::Bool(true), Value::Bool(false), Value::Null, Value::Int(0), Value::Int(1)];
        values.map(|v| is(Place::Arg(*at), v)).into_iter().reduce(or)
    };
    let same = |op: BinaryOp, at: u32, register: RegisterId| {
        binary(op, Expr::Read(Place::Arg(at)), Expr::Read(Place::Register(register)))
    };
    let mut guards = Vec::new();
    // First what needs no register: hardly any event passes it.
    guards.extend(pairs.iter().filter_map(|(at, _)| odd(at)).reduce(or));
    guards.extend(pairs.iter().map(|(at, r)| same(BinaryOp::Ne, *at, *r)).reduce(or));
    guards.extend(pairs.iter().map(|(at, register)| {
        binary(BinaryOp::Eq, number(Place::Arg(*at)), number(Place::Register(*register)))
    }));
    guards
}

/// Some text of a list is like this.
fn some(list: Expr, glob: &str) -> Expr {
    Expr::Builtin(Builtin::Matches, vec![list, Expr::Const(Value::str(glob))])
}
