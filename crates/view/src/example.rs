//! A shortest trace that violates a property, found by trying.
//!
//! The engine itself judges every candidate, so what is shown is a violation. Candidates are made
//! of the values the property can tell apart: one per parameter, one other, and its constants.

use std::collections::{BTreeSet, HashSet, VecDeque};

use watchword_model::{
    Builtin, Creation, Event, EventId, Expr, Glob, Key, Model, Origin, Pattern, Place, Property,
    PropertyId, StateKind, Stmt, Time, Type, Value,
};
use watchword_monitor::{Engine, Options, ReportKind};

/// A trace that violates a property.
#[derive(Clone, Debug)]
pub struct Example {
    /// The events, in order.
    pub events: Vec<Event>,
    /// What happens after the last event, if that is what is reported: the end of the run, or the
    /// passing of time.
    pub then: Then,
}

/// What happens after the events of an [`Example`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing: the last event is reported.
    Nothing,
    /// The run ends.
    End,
    /// So much time passes.
    Time(Time),
}

/// How many events are tried before the search is given up.
const LIMIT: usize = 10_000;
/// How many of fewer events.
const LIMIT_OF_FEW: usize = 40_000;
/// How many ways to fill an event's arguments are looked at.
const MAX_WAYS: usize = 64;

/// A shortest trace that violates the property; none if none was found. Where there are too many events to
/// try, events whose arguments differ less are tried, so that there may be a shorter one.
pub fn shortest(model: &Model, property: PropertyId) -> Option<Example> {
    let alone = alone(model, property);
    let (model, property) = match &alone {
        Some(alone) => (alone, PropertyId::from_index(0)),
        None => (model, property),
    };
    let family = with_senders(model, property);
    let letters = |choice: Choice| -> Vec<(EventId, Vec<Value>)> {
        let of = |id: &PropertyId| letters(model, &model.properties[id.index()], choice);
        family.iter().flat_map(of).collect()
    };
    // Every candidate steps all properties of the model.
    let share = |limit: usize| limit / model.properties.len().max(1);
    search(model, property, &letters(Choice::All), share(LIMIT))
        .or_else(|| search(model, property, &letters(Choice::Few), share(LIMIT_OF_FEW)))
}

/// Which values of arguments are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// All that the property may tell apart.
    All,
    /// Two objects for each name of a parameter, and one value of another type.
    Few,
}

/// A shortest trace of these events that violates the property, if there is one within the limit.
fn search(
    model: &Model,
    property: PropertyId,
    letters: &[(EventId, Vec<Value>)],
    limit: usize,
) -> Option<Example> {
    let definition = &model.properties[property.index()];
    let timed = definition.states.iter().filter_map(|s| s.deadline.as_ref()).map(|d| d.after);
    let clocks = &model.contexts[definition.context.index()].clocks;
    let alarms = clocks.iter().flat_map(|c| &model.clocks[c.index()].alarms).map(|a| a.after);
    let waits: BTreeSet<Time> = timed.chain(alarms).collect();
    let pending = definition.states.iter().any(|s| s.kind == StateKind::Pending);
    let violated = |engine: &mut Engine| {
        let reports = engine.take_reports();
        reports.iter().any(|r| r.property == property && r.kind == ReportKind::Violation)
    };
    let start = Search { engine: Engine::new(model, Options::default()), last: None, now: 0 };
    let mut words = Words::default();
    let mut queue = VecDeque::from([start]);
    let mut seen: HashSet<(usize, Vec<u8>)> = HashSet::new();
    let mut tried = 0;
    while let Some(at) = queue.pop_front() {
        let done = |then| Some(Example { events: words.up_to(at.last), then });
        if pending {
            let mut engine = at.engine.clone();
            engine.end();
            if violated(&mut engine) {
                return done(Then::End);
            }
        }
        for wait in &waits {
            let mut engine = at.engine.clone();
            let _ = engine.advance_to(at.now + wait);
            if violated(&mut engine) {
                return done(Then::Time(*wait));
            }
        }
        for (event, values) in letters {
            tried += 1;
            if tried > limit {
                return None;
            }
            let mut engine = at.engine.clone();
            let mut event = Event::new(*event, values.clone());
            if !waits.is_empty() {
                event.time = Some(at.now);
            }
            if engine.step_owned(&event).is_err() {
                continue;
            }
            let is_violated = violated(&mut engine);
            let last = words.add(at.last, event);
            if is_violated {
                return Some(Example { events: words.up_to(Some(last)), then: Then::Nothing });
            }
            if seen.insert((words.length(last), engine.save())) {
                queue.push_back(Search { engine, last: Some(last), now: at.now });
            }
        }
    }
    None
}

/// A model of this property and of those that send it messages, the property first, if no other one
/// can matter to it.
fn alone(model: &Model, property: PropertyId) -> Option<Model> {
    let family = with_senders(model, property);
    let is_shared = |id: &PropertyId| {
        let definition = &model.properties[id.index()];
        let context = &model.contexts[definition.context.index()];
        matches!(context.rule, Creation::Larva)
            || context.parent.is_some()
            || model.properties.iter().filter(|p| p.context == definition.context).count() > 1
    };
    if model.properties.len() == family.len() || family.iter().any(is_shared) {
        return None;
    }
    Some(Model {
        events: model.events.clone(),
        contexts: model.contexts.clone(),
        variables: model.variables.clone(),
        clocks: model.clocks.clone(),
        properties: family.iter().map(|id| model.properties[id.index()].clone()).collect(),
        functions: model.functions.clone(),
        java: Vec::new(),
    })
}

/// The property, and those whose messages it receives, directly or by others.
fn with_senders(model: &Model, property: PropertyId) -> Vec<PropertyId> {
    let mut family = vec![property];
    let mut next = 0;
    while let Some(id) = family.get(next).copied() {
        next += 1;
        for observed in &model.properties[id.index()].alphabet {
            if !matches!(model.events[observed.event.index()].origin, Origin::Channel) {
                continue;
            }
            for (at, other) in model.properties.iter().enumerate() {
                let other_id = PropertyId::from_index(at);
                if !family.contains(&other_id) && sends(other, observed.event) {
                    family.push(other_id);
                }
            }
        }
    }
    family
}

/// Whether a move of a property sends a message.
fn sends(property: &Property, event: EventId) -> bool {
    fn sent(body: &[Stmt], event: EventId) -> bool {
        body.iter().any(|stmt| match stmt {
            Stmt::Send(sent, _) => *sent == event,
            Stmt::If(_, then, otherwise) => sent(then, event) || sent(otherwise, event),
            Stmt::While(_, body) | Stmt::ForEach(_, _, body) => sent(body, event),
            _ => false,
        })
    }
    let late = property.states.iter().filter_map(|state| Some(&state.deadline.as_ref()?.branch));
    let moves = property.transitions.iter().flat_map(|t| [Some(&t.then), t.otherwise.as_ref()]);
    late.chain(moves.flatten()).any(|branch| sent(&branch.update, event))
}

struct Search {
    engine: Engine,
    /// Its last event, by its number in [`Words`].
    last: Option<usize>,
    now: Time,
}

/// Words of events, most of which begin alike: a property with one kind of event is tried with thousands
/// in a row.
#[derive(Default)]
struct Words(Vec<Letter>);

struct Letter {
    event: Event,
    /// The letter before it.
    before: Option<usize>,
    /// How many letters the word has up to it.
    length: usize,
}

impl Words {
    fn add(&mut self, before: Option<usize>, event: Event) -> usize {
        let length = before.map_or(0, |letter| self.length(letter)) + 1;
        self.0.push(Letter { event, before, length });
        self.0.len() - 1
    }

    fn length(&self, letter: usize) -> usize {
        self.0[letter].length
    }

    /// The word that ends with a letter.
    fn up_to(&self, last: Option<usize>) -> Vec<Event> {
        let letters = std::iter::successors(last, |letter| self.0[*letter].before);
        let mut events: Vec<Event> = letters.map(|letter| self.0[letter].event.clone()).collect();
        events.reverse();
        events
    }
}

/// The events worth trying.
fn letters(model: &Model, property: &Property, choice: Choice) -> Vec<(EventId, Vec<Value>)> {
    let mut constants: Vec<Value> = Vec::new();
    let mut note = |value: &Value| {
        if value.key().is_some() && !constants.iter().any(|c| c.same(value)) {
            constants.push(value.clone());
        }
    };
    for label in property.transitions.iter().flat_map(|t| &t.labels) {
        for pattern in &label.args {
            if let Pattern::Const(value) | Pattern::NotConst(value) = pattern {
                note(value);
            }
        }
        if let Some(guard) = &label.guard {
            each_constant(guard, &mut note);
        }
    }
    for observed in &property.alphabet {
        if let Some(filter) = &observed.filter {
            each_constant(filter, &mut note);
        }
    }
    let mut letters = Vec::new();
    for observed in &property.alphabet {
        let decl = &model.events[observed.event.index()];
        if !matches!(decl.origin, Origin::World(_)) || observed.event == EventId::END {
            continue;
        }
        let mut ways: Vec<Vec<Value>> = vec![Vec::new()];
        for (at, param) in decl.params.iter().enumerate() {
            let mut options = match choice {
                Choice::All => options(property, observed.event, at, param.ty, &constants),
                Choice::Few => few_options(model, property, observed.event, at),
            };
            // An argument that is a parameter of the instance under its own name is that one.
            let params = model.params(property.context);
            if let Some(own) = params.iter().position(|(_, p)| p.name == param.name) {
                options = vec![fresh(param.ty, own as u64 + 1)];
            }
            ways = ways
                .iter()
                .flat_map(|way| {
                    options.iter().map(move |option| {
                        way.iter().cloned().chain([option.clone()]).collect::<Vec<Value>>()
                    })
                })
                .take(MAX_WAYS)
                .collect();
        }
        letters.extend(ways.into_iter().map(|way| (observed.event, way)));
    }
    letters
}

/// Values of one argument that the property may tell apart.
fn options(
    property: &Property,
    event: EventId,
    at: usize,
    ty: Type,
    constants: &[Value],
) -> Vec<Value> {
    let labels = property.transitions.iter().flat_map(|t| &t.labels);
    let labels: Vec<_> = labels.filter(|l| l.event == Some(event)).collect();
    let mut options: Vec<Value> = Vec::new();
    let mut add = |value: Value| {
        if !options.iter().any(|o| o.same(&value)) {
            options.push(value);
        }
    };
    for label in &labels {
        match label.args.get(at) {
            Some(Pattern::Equal(Place::Param(id)) | Pattern::Differs(Place::Param(id))) => {
                add(fresh(ty, id.index() as u64 + 1));
            }
            Some(Pattern::Const(value) | Pattern::NotConst(value)) => add(value.clone()),
            _ => {}
        }
    }
    let compared = labels.iter().any(|l| {
        let mut read = false;
        if let Some(guard) = &l.guard {
            // By its own name, or by the one the label binds it to.
            let bound = match l.args.get(at) {
                Some(Pattern::Bind(place)) => Some(*place),
                _ => None,
            };
            each_read(guard, &mut |place| {
                read |= place == Place::Arg(at as u32) || Some(place) == bound;
            });
        }
        read
    });
    if compared {
        for constant in constants {
            let near = match constant {
                Value::Int(i) => vec![
                    constant.clone(),
                    Value::Int(i.saturating_add(1)),
                    Value::Int(i.saturating_sub(1)),
                ],
                other => vec![other.clone()],
            };
            for value in near.into_iter().filter(|v| ty == Type::Any || v.type_of() == ty) {
                add(value);
            }
        }
    }
    let differs = labels.iter().any(|l| matches!(l.args.get(at), Some(Pattern::Differs(_))));
    if differs || compared || !property.registers.is_empty() {
        add(fresh(ty, 8));
        add(fresh(ty, 9));
    } else {
        add(fresh(ty, 10 + at as u64));
    }
    options
}

/// A few values of one argument: what labels want it to be, else by its name.
fn few_options(model: &Model, property: &Property, event: EventId, at: usize) -> Vec<Value> {
    let labels = property.transitions.iter().flat_map(|t| &t.labels);
    let wanted = labels.filter(|l| l.event == Some(event)).filter_map(|l| match l.args.get(at) {
        Some(Pattern::Const(value)) => Some(value.clone()),
        _ => None,
    });
    let mut options: Vec<Value> = Vec::new();
    for value in wanted {
        if !options.iter().any(|o| o.same(&value)) {
            options.push(value);
        }
    }
    let param = &model.events[event.index()].params[at];
    let params = || model.events.iter().flat_map(|e| &e.params);
    let names: BTreeSet<&str> = params().map(|p| p.name.as_str()).collect();
    let number = 8 + 2 * names.iter().position(|name| *name == param.name).unwrap_or(0) as u64;
    match param.ty {
        Type::Any | Type::Ref | Type::Ptr => {
            options.extend([fresh(param.ty, number), fresh(param.ty, number + 1)]);
        }
        ty if options.is_empty() => options.push(fresh(ty, number)),
        _ => {}
    }
    options
}

/// A value of a type, different for different numbers.
fn fresh(ty: Type, number: u64) -> Value {
    match ty {
        Type::Bool => Value::Bool(number.is_multiple_of(2)),
        Type::Int | Type::Duration => Value::Int(number as i64),
        Type::Float => Value::Float(number as f64),
        Type::Str => Value::str(&format!("v{number}")),
        Type::Ptr => Value::Ptr(number << 4),
        Type::List => Value::from(Key::List(Vec::new())),
        Type::Map => Value::from(Key::Map(Vec::new())),
        Type::Any | Type::Ref => Value::object(number),
    }
}

fn each_constant(expr: &Expr, note: &mut dyn FnMut(&Value)) {
    each(expr, &mut |e| match e {
        Expr::Const(value) => note(value),
        Expr::Builtin(Builtin::Matches, items) => {
            if let [_, Expr::Const(Value::Str(pattern))] = &items[..]
                && let Some(text) = Glob::new(pattern).shortest()
            {
                note(&Value::str(&text));
            }
        }
        _ => {}
    });
}

fn each_read(expr: &Expr, note: &mut dyn FnMut(Place)) {
    each(expr, &mut |e| {
        if let Expr::Read(place) = e {
            note(*place);
        }
    });
}

fn each(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    match expr {
        Expr::Const(_) | Expr::Read(_) | Expr::Block(_) => {}
        Expr::Unary(_, a) => each(a, see),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
            each(a, see);
            each(b, see);
        }
        Expr::If(a, b, c) => {
            for part in [a, b, c] {
                each(part, see);
            }
        }
        Expr::Builtin(_, items) | Expr::Call(_, items) | Expr::List(items) => {
            for item in items {
                each(item, see);
            }
        }
        Expr::Map(entries) => {
            for (key, value) in entries {
                each(key, see);
                each(value, see);
            }
        }
    }
}
