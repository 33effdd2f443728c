//! The sources of a model, sorted by the kind of program point.

use std::collections::HashMap;

use watchword_model::{
    Builtin, EventId, Expr, Glob, InstanceOf, JoinPoint, JvmTerm, JvmWhen, Model, Origin, Pattern,
    Place, PointKind, ProgramEvent, Property, PropertyId, Source, Target, ThrownBy, Transition,
    Value, Within,
};
use watchword_select::{expand, listed};

use crate::options::{CallEvents, is_jdk};

/// A source of an event.
#[derive(Debug)]
pub struct Selector {
    /// The event.
    pub event: EventId,
    /// On which side.
    pub when: JvmWhen,
    /// Where.
    pub point: JoinPoint,
    /// Only if the exception is of this class: its internal name.
    pub thrown: Option<String>,
    /// Only if these threw it.
    pub thrown_by: ThrownBy,
    /// Only if its message or its class says so.
    pub saying: Option<String>,
    /// Only if these are of their types.
    pub instances: Vec<InstanceOf>,
    /// Only inside of these.
    pub within: Vec<Within>,
    /// Term per parameter of the event.
    pub captures: Vec<(usize, JvmTerm)>,
    /// How many parameters are declared.
    pub params: usize,
    /// If it is an event of every call, which one.
    pub letter: Option<ProgramEvent>,
    /// A call that is looked for in the called method.
    pub in_callee: bool,
}

/// All sources of a model in a JVM, and the properties that observe their events.
#[derive(Debug, Default)]
pub struct Selectors {
    /// The sources, by event and then as declared.
    pub all: Vec<Selector>,
    /// By event: the properties that observe it, ascending.
    pub observers: Vec<Vec<PropertyId>>,
    /// Kinds of points that some source selects.
    pub kinds: Kinds,
    /// Those of allocations.
    pub news: Vec<usize>,
    /// Those that are looked for where methods are called.
    calls: Calls,
}

/// Sources of calls, by the names of methods that can concern them: most calls of a program are
/// of methods that concern none.
#[derive(Debug, Default)]
struct Calls {
    /// By name, ascending.
    named: HashMap<String, Vec<usize>>,
    /// Those whose names cannot be listed, ascending, and the pattern that a name must match, if there is one.
    any: Vec<(usize, Option<Glob>)>,
}

/// Which kinds of program points are selected at all: a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kinds(u32);

impl Selectors {
    /// The sources of events that some property observes.
    pub fn new(model: &Model, calls: CallEvents) -> Selectors {
        let mut observers = vec![Vec::new(); model.events.len()];
        for (index, property) in model.properties.iter().enumerate() {
            for observed in &property.alphabet {
                let list: &mut Vec<PropertyId> = &mut observers[observed.event.index()];
                let id = PropertyId::from_index(index);
                if list.last() != Some(&id) {
                    list.push(id);
                }
            }
        }
        let mut selectors = Selectors { observers, ..Selectors::default() };
        for (index, decl) in model.events.iter().enumerate() {
            let Origin::World(sources) = &decl.origin else { continue };
            if selectors.observers[index].is_empty() {
                continue;
            }
            let letter = decl.program.filter(|_| decl.names_methods());
            for source in sources {
                let Source::Jvm(source) = source else { continue };
                // Objects die at no place in the program.
                if source.point.kind == PointKind::Death {
                    continue;
                }
                let in_callee = calls == CallEvents::Callee && source.point.kind == PointKind::Call;
                selectors.kinds.add(&source.point, in_callee);
                let names = method_names(
                    &source.point,
                    letter,
                    EventId::from_index(index),
                    selectors.observers[index].iter().map(|id| &model.properties[id.index()]),
                );
                let at = selectors.all.len();
                selectors.calls.add(at, &source.point, in_callee, letter.is_some(), names);
                if source.point.kind == PointKind::New {
                    selectors.news.push(at);
                }
                selectors.all.push(Selector {
                    event: EventId::from_index(index),
                    when: source.when,
                    point: source.point.clone(),
                    thrown: source.thrown.as_ref().map(|class| class.replace('.', "/")),
                    thrown_by: source.thrown_by,
                    saying: source.saying.clone(),
                    instances: source.instances.clone(),
                    within: source.within.clone(),
                    captures: source.captures.iter().map(|c| (c.param, c.term.clone())).collect(),
                    params: decl.params.len(),
                    letter,
                    in_callee,
                });
            }
        }
        selectors
    }

    /// Only the executions of methods in classes of the JDK that their selectors name one by one, and
    /// the names of these classes, with dots. `None` if there are none.
    pub fn of_named_jdk_classes(model: &Model) -> Option<(Selectors, Vec<String>)> {
        let sources = model.events.iter().flat_map(|decl| match &decl.origin {
            Origin::World(sources) => sources.as_slice(),
            _ => &[],
        });
        let executes = |source: &Source| match source {
            Source::Jvm(source) => source.point.kind == PointKind::Execution,
            _ => false,
        };
        if !sources.into_iter().any(executes) {
            return None;
        }
        let all = Selectors::new(model, CallEvents::Caller);
        let mut names = Vec::new();
        let mut named = Selectors { observers: all.observers, ..Selectors::default() };
        for selector in all.all {
            let listed = executed_in(&selector.point);
            let listed: Vec<String> = listed.into_iter().filter(|name| is_jdk(name)).collect();
            if !listed.is_empty() {
                named.kinds.add(&selector.point, false);
                named.all.push(selector);
                names.extend(listed);
            }
        }
        names.sort();
        names.dedup();
        (!names.is_empty()).then_some((named, names))
    }

    /// The sources that a call of a method of that name could concern, ascending: a cheap question
    /// asked first.
    pub fn of_calls(&self, method: &str) -> Vec<usize> {
        let named = self.calls.named.get(method).into_iter().flatten().copied();
        let mut all: Vec<usize> = named.chain(self.calls.any_of(method)).collect();
        all.sort_unstable();
        all
    }

    /// Whether there are any.
    pub fn may_call(&self, method: &str) -> bool {
        self.calls.named.contains_key(method) || self.calls.any_of(method).next().is_some()
    }
}

impl Calls {
    /// Those whose names cannot be listed that could concern a method.
    fn any_of(&self, method: &str) -> impl Iterator<Item = usize> {
        let may = |pattern: &Option<Glob>| pattern.as_ref().is_none_or(|p| p.matches(method));
        self.any.iter().filter(move |(_, pattern)| may(pattern)).map(|(at, _)| *at)
    }

    /// Adds a source; `is_letter` if it is of all calls, and the properties choose.
    fn add(
        &mut self,
        at: usize,
        point: &JoinPoint,
        callee: bool,
        is_letter: bool,
        names: Option<Vec<String>>,
    ) {
        if callee || !matches!(point.kind, PointKind::Call | PointKind::ThreadStart) {
            return;
        }
        let Some(names) = names else {
            let pattern = point.called().filter(|pattern| !is_letter && !pattern.negated);
            self.any.push((at, pattern.map(|pattern| pattern.name.clone())));
            return;
        };
        for name in names {
            let list = self.named.entry(name).or_default();
            if list.last() != Some(&at) {
                list.push(at);
            }
        }
    }
}

/// The classes that a selector of executions names one by one.
fn executed_in(point: &JoinPoint) -> Vec<String> {
    let method = point.method().filter(|_| point.kind == PointKind::Execution);
    let owner = method.map(|method| &method.owner).filter(|owner| !owner.negated);
    owner.and_then(|owner| listed(owner.name.text())).unwrap_or_default()
}

/// The names of the methods that can concern a source, if they can be listed.
fn method_names<'p>(
    point: &JoinPoint,
    letter: Option<ProgramEvent>,
    event: EventId,
    observers: impl Iterator<Item = &'p Property>,
) -> Option<Vec<String>> {
    if point.kind == PointKind::ThreadStart {
        return Some(vec!["start".to_string()]);
    }
    match point.called()? {
        pattern if letter.is_none() && !pattern.negated => listed(pattern.name.text()),
        _ if letter.is_some() => {
            let mut names = Vec::new();
            for property in observers {
                names.extend(names_of_property(property, event)?);
            }
            Some(names)
        }
        _ => None,
    }
}

fn names_of_property(property: &Property, event: EventId) -> Option<Vec<String>> {
    let observed = property.observes(event)?;
    if let Some(filter) = &observed.filter {
        return names_in(filter);
    }
    let mut names = Vec::new();
    let of_windows = property.windows.iter().map(|w| &w.label);
    let moving = property.transitions.iter().filter(|t| moves(t)).flat_map(|t| &t.labels);
    for label in moving.chain(of_windows) {
        if label.event.is_none_or(|e| e == event) {
            names.extend(names_in(label.guard.as_ref()?)?);
        }
    }
    Some(names)
}

/// Simple names of the methods for which a condition on the name can hold.
fn names_in(condition: &Expr) -> Option<Vec<String>> {
    match condition {
        Expr::Builtin(Builtin::Matches, args) => match &args[..] {
            [Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(glob))] => {
                let simple = |name: &String| name.rsplit('.').next().unwrap_or(name).to_string();
                let names: Vec<String> = expand(glob).iter().map(simple).collect();
                let plain = |name: &String| !name.contains(['*', '?', '{', '}']);
                names.iter().all(plain).then_some(names)
            }
            _ => None,
        },
        Expr::And(a, b) => names_in(a).or_else(|| names_in(b)),
        Expr::Or(a, b) => {
            let mut names = names_in(a)?;
            names.extend(names_in(b)?);
            Some(names)
        }
        _ => None,
    }
}

/// Whether taking a transition can change anything.
pub fn moves(transition: &Transition) -> bool {
    transition.then.target != Target::State(transition.source)
        || !transition.then.update.is_empty()
        || transition
            .labels
            .iter()
            .any(|l| l.args.iter().any(|arg| matches!(arg, Pattern::Bind(_))))
}

impl Kinds {
    /// Whether points of one of these kinds are selected.
    pub fn any(self, kinds: &[PointKind]) -> bool {
        kinds.iter().any(|kind| self.0 & (1 << *kind as u32) != 0)
    }

    /// Whether nothing is selected but class initialisers and what single instructions show: calls,
    /// allocations, locks.
    pub fn show_in_instructions(self) -> bool {
        const SHOWN: [PointKind; 6] = [
            PointKind::Call,
            PointKind::New,
            PointKind::Lock,
            PointKind::Unlock,
            PointKind::ClassInit,
            PointKind::ThreadStart,
        ];
        let shown = SHOWN.iter().fold(0, |bits, kind| bits | 1 << *kind as u32);
        self.0 & !shown == 0
    }

    fn add(&mut self, point: &JoinPoint, in_callee: bool) {
        let kind = if in_callee { PointKind::Execution } else { point.kind };
        self.0 |= 1 << kind as u32;
    }
}
