//! Properties whose instances are inside the program: which can be, and what becomes of them.
//!
//! For a property with one or two parameters whose transitions compare and count integers, the code
//! inside the program finds the instance in a table and steps it itself (see `watchword_debug::Table`).
//! What it cannot do, above all entering a bad state, is written down; then the engine takes the
//! instance over, with its state and its last steps, and keeps it.

use std::sync::Arc;

use watchword_debug::{
    Choice, Comparison, Condition, Effect, KINDS, Keys, Layout, Operand, Resident as Instance,
    Step, Table, Then, Update, Word,
};
use watchword_model::{
    BinaryOp, Branch, Creation, EventId, EventRef, Expr, Label, NativeCaller, Observed, Origin,
    ParamId, Pattern, Place, Placement, Property, PropertyId, StateId, StateKind, Stmt, Target,
    Time, Type, UnaryOp, Value, ValueRef, VarId, Where,
};
use watchword_monitor::Stepped;

use super::Program;
use super::inside::{FEW, Plain, plain, plain_value};
use crate::monitor::Monitor;
use crate::source::Source;

/// Longer histories are not kept inside.
const LONGEST: usize = 64;

/// What keys that are no address are mixed with, so that none is zero; see [`Operand::Key`].
const KEY: u64 = 1 << 63;

/// A property whose instances are inside the program.
pub(super) struct Resident {
    property: PropertyId,
    /// The parameter that instances are looked up by, and the other one.
    first: ParamId,
    second: Option<ParamId>,
    variable: Option<VarId>,
    layout: Layout,
    table: Arc<Table>,
    /// Where the program has the table.
    address: u64,
    sites: Vec<Site>,
    /// Whether the first keys are numbers.
    has_numbers: Option<bool>,
    /// Why its instances are the tracer's after all.
    pub retired: Option<String>,
}

/// What a step inside the program is.
struct Site {
    source: usize,
    /// The arguments, by the words of the record.
    plain: Vec<(usize, Plain)>,
    /// The words that are keys of the instance.
    keys: [Option<usize>; 2],
    /// The words that are kept.
    kept: Vec<usize>,
}

/// What an argument is, inside the program.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    /// An address, or null if it is zero.
    Address(Operand),
    Number(Operand),
    Null,
}

impl Resident {
    /// A property of a monitor, if its instances can be inside; else why not. `make` makes the table.
    pub fn new(
        monitor: &Monitor,
        property: PropertyId,
        history: usize,
        make: impl FnOnce(Layout) -> watchword_debug::Result<(Arc<Table>, u64)>,
    ) -> Result<Resident, String> {
        let model = &monitor.model;
        let of = &model.properties[property.index()];
        if history > LONGEST {
            return Err(format!("histories of more than {LONGEST} steps are kept by the tracer"));
        }
        if !monitor.run.evaluator.can_adopt(property) {
            return Err("its instances depend on each other, or on more than events".into());
        }
        let variable = simple_context(monitor, of)?;
        let initial = match variable.map(|v| &model.variables[v.index()].init) {
            None => 0,
            Some(Expr::Const(Value::Int(number))) => *number,
            Some(_) => return Err("the initial value of its variable is computed".into()),
        };
        let (first, second) = parameters(monitor, of)?;
        let start = of.start;
        let state = |s: StateId| &of.states[s.index()];
        if state(start).kind != StateKind::Normal || !state(start).entry.is_empty() {
            return Err("something happens in its start state".into());
        }
        let shape = Shape { of, second, variable, start, initial };
        for observed in &of.alphabet {
            shape.check(observed)?;
        }
        // What is not a key is kept of each step.
        let arguments = |o: &Observed| {
            let arity = model.events[o.event.index()].params.len();
            let keys = o.placements.iter().map(|p| p.0.len()).min().unwrap_or(0);
            match o.placements.len() {
                1 => arity - keys.min(arity),
                _ => 0,
            }
        };
        let words = of.alphabet.iter().map(arguments).max().unwrap_or(0).min(FEW);
        let layout = Layout {
            history: history as u16,
            words: words as u8,
            start: u16::try_from(start.0).map_err(|_| "it has too many states")?,
            initial,
        };
        let (table, address) = make(layout).map_err(|e| e.to_string())?;
        let sites = Vec::new();
        Ok(Resident {
            property,
            first,
            second,
            variable,
            layout,
            table,
            address,
            sites,
            has_numbers: None,
            retired: None,
        })
    }

    /// Whether a source is of one of its events.
    pub fn observes(&self, monitor: &Monitor, source: usize) -> bool {
        let of = &monitor.model.properties[self.property.index()];
        of.alphabet.iter().any(|o| o.event == monitor.sources[source].event)
    }

    /// What an event of a source does to instances inside the program, by the words of its record. `None` if
    /// the tracer has them after all, because it cannot be done.
    pub fn step(
        &mut self,
        monitor: &Monitor,
        source: usize,
        words: &[Word],
        function: u64,
    ) -> Option<Step> {
        if self.retired.is_some() {
            return None;
        }
        let step = self.make_step(monitor, source, words, function);
        step.map_err(|why| {
            self.table.shut();
            self.retired = Some(why);
        })
        .ok()
    }

    fn make_step(
        &mut self,
        monitor: &Monitor,
        source: usize,
        words: &[Word],
        function: u64,
    ) -> Result<Step, String> {
        let of = &monitor.model.properties[self.property.index()];
        let from = &monitor.sources[source];
        let (kind, observed) = (0..)
            .zip(&of.alphabet)
            .find(|(_, o)| o.event == from.event)
            .ok_or("it is no event of the property")?;
        let plain = plain(from, words).ok_or("the tracer has to look at its values")?;
        let known = |argument: usize| known(&plain, argument);
        let shape = Shape {
            of,
            second: self.second,
            variable: self.variable,
            start: of.start,
            initial: self.layout.initial,
        };
        let all: Option<Vec<Keys>> =
            observed.placements.iter().map(|p| self.keys(from, p, &known)).collect();
        let all = all.ok_or("what its parameters are is found out by the tracer")?;
        for keys in &all {
            let is_number = matches!(keys.first, Operand::Key(..));
            if *self.has_numbers.get_or_insert(is_number) != is_number {
                return Err("its parameter is a number or an address".into());
            }
        }
        let (effect, keys) = match (&observed.placements[..], &all[..]) {
            ([one], [keys]) if one.0.len() == self.arity() => {
                let rows = shape.rows(observed.event, one, &known, from.params.len());
                (Effect::One(*keys, rows), [word_of(keys.first), word_of(keys.second)])
            }
            ([_], [keys]) => (Effect::All(keys.first), [None; 2]),
            _ => (Effect::Out(all), [None; 2]),
        };
        let mut kept: Vec<usize> = plain.iter().filter_map(|(_, p)| p.word()).collect();
        kept.retain(|word| !keys.contains(&Some(*word)));
        kept.sort_unstable();
        kept.dedup();
        if matches!(effect, Effect::One(..)) && kept.len() > usize::from(self.layout.words) {
            return Err("it has too many values".into());
        }
        let caller = from.declared.caller.map(|c| (c == NativeCaller::Inside, function));
        if matches!(effect, Effect::All(_)) && caller.is_some() {
            return Err("it depends on who called it which instances it concerns".into());
        }
        let site = u16::try_from(self.sites.len()).map_err(|_| "there are too many places")?;
        self.sites.push(Site { source, plain, keys, kept: kept.clone() });
        let (table, layout) = (self.address, self.layout);
        Ok(Step { table, layout, site, kind, caller, needs: None, effect, kept })
    }

    fn arity(&self) -> usize {
        1 + usize::from(self.second.is_some())
    }

    /// The keys of the instances with which an event agrees; `None` if they are no words.
    fn keys(
        &self,
        source: &Source,
        placement: &Placement,
        known: &impl Fn(usize) -> Known,
    ) -> Option<Keys> {
        let key = |param: ParamId| {
            let (_, at) = placement.0.iter().find(|(p, _)| *p == param)?;
            match (known(*at as usize), source.params.get(*at as usize)?) {
                (Known::Address(operand), Type::Any | Type::Ptr) => Some(operand),
                (Known::Number(Operand::Thread), _) => Some(Operand::Thread),
                (Known::Number(Operand::Word(word, size, signed)), Type::Any | Type::Int) => {
                    Some(Operand::Key(word, size, signed))
                }
                _ => None,
            }
        };
        let first = key(self.first).filter(|first| *first != Operand::Thread)?;
        let second = match self.second.filter(|p| placement.0.iter().any(|(q, _)| q == p)) {
            None => Operand::Constant(0),
            // An event without a value for it concerns no instance; this is not checked there.
            Some(param) => key(param).filter(|second| *second == Operand::Thread)?,
        };
        Some(Keys { first, second })
    }

    /// The keys of the instances that an event concerns which is not stepped inside.
    fn keys_of(
        &self,
        model: &watchword_model::Model,
        event: EventId,
        args: &[ValueRef<'_>],
    ) -> Vec<(u64, Option<u64>)> {
        let of = &model.properties[self.property.index()];
        let observed = of.alphabet.iter().find(|o| o.event == event);
        let key = |param: ParamId, placement: &Placement| {
            let (_, at) = placement.0.iter().find(|(p, _)| *p == param)?;
            args.get(*at as usize)
        };
        let first = |value: &ValueRef<'_>| match *value {
            ValueRef::Ptr(address) => Some(address),
            ValueRef::Int(number) => Some(number as u64 ^ KEY),
            _ => None,
        };
        let second = |value: &ValueRef<'_>| match *value {
            ValueRef::Int(thread) => Some(thread as u64),
            _ => None,
        };
        let keys = |placement: &Placement| {
            let one = key(self.first, placement).and_then(first)?;
            let other = match self.second {
                None => Some(0),
                Some(param) => key(param, placement).and_then(second),
            };
            Some((one, other))
        };
        observed.into_iter().flat_map(|o| o.placements.iter().filter_map(keys)).collect()
    }
}

/// What is asked of a property.
struct Shape<'m> {
    of: &'m Property,
    second: Option<ParamId>,
    variable: Option<VarId>,
    start: StateId,
    initial: i64,
}

impl Shape<'_> {
    /// Whether an event can be dealt with.
    fn check(&self, observed: &Observed) -> Result<(), String> {
        let is_full = |p: &Placement| p.0.len() == 1 + usize::from(self.second.is_some());
        if observed.placements.iter().all(is_full) {
            return Ok(());
        }
        if observed.placements.len() > 1 {
            return Err("an event concerns several instances in several ways".into());
        }
        // Instances that are as new are not looked for: it must not change them.
        let label_of = |l: &&Label| l.event.is_none_or(|e| e == observed.event);
        let concerned = self
            .of
            .transitions
            .iter()
            .filter(|t| t.source == self.start && t.labels.iter().any(|l| label_of(&l)));
        for transition in concerned {
            let stays = match transition.then.target {
                Target::Stay => true,
                Target::State(state) => state == self.start,
                Target::Drop => false,
            };
            let resets = match &transition.then.update[..] {
                [] => true,
                [Stmt::Assign(Place::Var(_), Expr::Const(Value::Int(n)))] => *n == self.initial,
                _ => false,
            };
            if !stays || !resets || transition.otherwise.is_some() {
                return Err("an event changes instances that it does not name".into());
            }
        }
        Ok(())
    }

    /// By state: what an event does to an instance that it names with this placement.
    fn rows(
        &self,
        event: EventId,
        placement: &Placement,
        known: &impl Fn(usize) -> Known,
        arity: usize,
    ) -> Vec<Vec<Choice>> {
        let row = |state: usize| {
            let mut row = Vec::new();
            let from = self.of.transitions.iter().filter(|t| t.source.index() == state);
            for transition in from {
                let [label] = &transition.labels[..] else {
                    row.push(Choice { when: Condition::Constant(true), then: Then::Out });
                    continue;
                };
                if label.event.is_some_and(|e| e != event) || !admits(label, arity) {
                    continue;
                }
                let reader = Reader { shape: self, label, placement, known };
                let patterns = reader.patterns();
                let guard = label.guard.as_ref().map(|guard| reader.condition(guard));
                if transition.otherwise.is_some() {
                    row.push(Choice { when: patterns, then: Then::Out });
                    continue;
                }
                let when = match guard {
                    Some(guard) => and(patterns, guard),
                    None => patterns,
                };
                if when == Condition::Constant(false) {
                    continue;
                }
                let is_last = when == Condition::Constant(true);
                row.push(Choice { when, then: self.then(&transition.then, state) });
                if is_last {
                    break;
                }
            }
            row
        };
        (0..self.of.states.len()).map(row).collect()
    }

    fn then(&self, branch: &Branch, from: usize) -> Then {
        let state = match branch.target {
            Target::State(state) => state.index(),
            Target::Stay => from,
            Target::Drop => return Then::Out,
        };
        let of = &self.of.states[state];
        let is_quiet = matches!(of.kind, StateKind::Normal | StateKind::Pending);
        if !is_quiet || !of.entry.is_empty() {
            return Then::Out;
        }
        let is_own = |place: &Place| matches!(place, Place::Var(v) if Some(*v) == self.variable);
        let update = match &branch.update[..] {
            [] => None,
            [Stmt::Assign(place, value)] if is_own(place) => match self.update(value) {
                Some(update) => Some(update),
                None => return Then::Out,
            },
            _ => return Then::Out,
        };
        Then::Go(update, state as u16)
    }

    fn update(&self, value: &Expr) -> Option<Update> {
        let is_own = |e: &Expr| matches!(e, Expr::Read(Place::Var(v)) if Some(*v) == self.variable);
        match value {
            Expr::Const(Value::Int(number)) => Some(Update::Set(*number)),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), one, other) if is_own(one) => {
                let Expr::Const(Value::Int(number)) = **other else { return None };
                let number = i32::try_from(number).ok()?;
                match op {
                    BinaryOp::Add => Some(Update::Add(number)),
                    _ => number.checked_neg().map(Update::Add),
                }
            }
            _ => None,
        }
    }
}

/// Reads a label as conditions on words.
struct Reader<'r, 'm, K> {
    shape: &'r Shape<'m>,
    label: &'r Label,
    placement: &'r Placement,
    known: &'r K,
}

impl<K: Fn(usize) -> Known> Reader<'_, '_, K> {
    fn patterns(&self) -> Condition {
        let pattern = |(argument, pattern): (usize, &Pattern)| {
            let value = Some((self.known)(argument));
            match pattern {
                Pattern::Any | Pattern::Bind(Place::Local(_)) => Condition::Constant(true),
                Pattern::Bind(_) => Condition::Unknown,
                Pattern::Equal(Place::Param(param)) if self.is_placed(*param, argument) => {
                    Condition::Constant(true)
                }
                Pattern::Equal(place) => self.same(value, self.place(*place)),
                Pattern::Differs(place) => not(self.same(value, self.place(*place))),
                Pattern::Const(constant) => self.same(value, constant_of(constant)),
                Pattern::NotConst(constant) => not(self.same(value, constant_of(constant))),
            }
        };
        let all = self.label.args.iter().enumerate().map(pattern);
        all.fold(Condition::Constant(true), and)
    }

    fn is_placed(&self, param: ParamId, argument: usize) -> bool {
        self.placement.0.iter().any(|(p, at)| *p == param && *at as usize == argument)
    }

    fn place(&self, place: Place) -> Option<Known> {
        match place {
            Place::Arg(i) => Some((self.known)(i as usize)),
            Place::Local(_) => {
                let binds = |p: &Pattern| matches!(p, Pattern::Bind(bound) if *bound == place);
                let mut bound = (0..self.label.args.len()).filter(|i| binds(&self.label.args[*i]));
                let argument = bound.next()?;
                bound.next().is_none().then(|| (self.known)(argument))
            }
            Place::Param(param) => {
                let (_, at) = self.placement.0.iter().find(|(p, _)| *p == param)?;
                Some((self.known)(*at as usize))
            }
            Place::Var(v) if Some(v) == self.shape.variable => {
                Some(Known::Number(Operand::Variable))
            }
            _ => None,
        }
    }

    fn value(&self, e: &Expr) -> Option<Known> {
        match e {
            Expr::Const(constant) => constant_of(constant),
            Expr::Read(place) => self.place(*place),
            _ => None,
        }
    }

    fn same(&self, one: Option<Known>, other: Option<Known>) -> Condition {
        let (Some(one), Some(other)) = (one, other) else { return Condition::Unknown };
        let equal = |a, b| Condition::Compare(a, Comparison::Equal, b);
        match (one, other) {
            (Known::Null, Known::Null) => Condition::Constant(true),
            (Known::Address(a), Known::Address(b)) | (Known::Number(a), Known::Number(b)) => {
                equal(a, b)
            }
            (Known::Address(a), Known::Null) | (Known::Null, Known::Address(a)) => {
                equal(a, Operand::Constant(0))
            }
            (Known::Number(_), _) | (_, Known::Number(_)) => Condition::Constant(false),
        }
    }

    fn condition(&self, e: &Expr) -> Condition {
        match e {
            Expr::Const(Value::Bool(holds)) => Condition::Constant(*holds),
            Expr::Unary(UnaryOp::Not, inner) => not(self.condition(inner)),
            Expr::And(one, other) => and(self.condition(one), self.condition(other)),
            Expr::Or(one, other) => {
                Condition::Or(Box::new(self.condition(one)), Box::new(self.condition(other)))
            }
            Expr::Binary(op, one, other) => {
                if let Some(condition) = self.shown(*op, one, other) {
                    return condition;
                }
                let (one, other) = (self.value(one), self.value(other));
                let comparison = match op {
                    BinaryOp::Eq => return self.same(one, other),
                    BinaryOp::Ne => return not(self.same(one, other)),
                    BinaryOp::Lt => Comparison::Less,
                    BinaryOp::Le => Comparison::LessOrEqual,
                    BinaryOp::Gt => Comparison::Greater,
                    BinaryOp::Ge => Comparison::GreaterOrEqual,
                    _ => return Condition::Unknown,
                };
                match (one, other) {
                    (Some(Known::Number(a)), Some(Known::Number(b))) => {
                        Condition::Compare(a, comparison, b)
                    }
                    _ => Condition::Unknown,
                }
            }
            _ => Condition::Unknown,
        }
    }

    /// Whether an address is shown as zero is: traces write null in this way.
    fn shown(&self, op: BinaryOp, one: &Expr, other: &Expr) -> Option<Condition> {
        let Expr::Builtin(watchword_model::Builtin::ToStr, of) = one else { return None };
        let (Expr::Const(Value::Str(text)), [of]) = (other, &of[..]) else { return None };
        let Some(Known::Address(address)) = self.value(of) else { return None };
        if &**text != "0x0" || !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return None;
        }
        let is_null = Condition::Compare(address, Comparison::Equal, Operand::Constant(0));
        let unlike = Condition::Constant(op == BinaryOp::Ne);
        Some(Condition::Or(Box::new(and(is_null, Condition::Unknown)), Box::new(unlike)))
    }
}

fn and(one: Condition, other: Condition) -> Condition {
    match (one, other) {
        (Condition::Constant(true), other) => other,
        (Condition::Constant(false), _) => Condition::Constant(false),
        (one, Condition::Constant(true)) => one,
        (one, other) => Condition::And(Box::new(one), Box::new(other)),
    }
}

fn not(condition: Condition) -> Condition {
    match condition {
        Condition::Constant(holds) => Condition::Constant(!holds),
        Condition::Unknown => Condition::Unknown,
        other => Condition::Not(Box::new(other)),
    }
}

fn constant_of(value: &Value) -> Option<Known> {
    match value {
        Value::Null => Some(Known::Null),
        Value::Int(number) => Some(Known::Number(Operand::Constant(*number))),
        _ => None,
    }
}

fn known(plain: &[(usize, Plain)], argument: usize) -> Known {
    let found = plain.iter().find(|(param, _)| *param == argument);
    match found.map(|(_, plain)| *plain) {
        None => Known::Null,
        Some(Plain::Address(word)) => Known::Address(Operand::Word(word, 8, false)),
        Some(Plain::Integer { word, unused, signed }) => {
            Known::Number(Operand::Word(word, (8 - unused / 8) as u8, signed))
        }
        Some(Plain::Thread) => Known::Number(Operand::Thread),
    }
}

fn word_of(operand: Operand) -> Option<usize> {
    match operand {
        Operand::Word(word, ..) | Operand::Key(word, ..) => Some(word),
        _ => None,
    }
}

fn admits(label: &Label, arity: usize) -> bool {
    match label.arity {
        watchword_model::Arity::Any => true,
        watchword_model::Arity::Exactly(n) => arity == n as usize,
        watchword_model::Arity::AtLeast(n) => arity >= n as usize,
    }
}

/// The only variable of a property whose context is its own and has nothing else.
fn simple_context(monitor: &Monitor, of: &Property) -> Result<Option<VarId>, String> {
    let model = &monitor.model;
    let context = &model.contexts[of.context.index()];
    let is_chen_rosu =
        matches!(&context.rule, Creation::ChenRosu { creation } if creation.is_empty());
    let is_own = model.properties.iter().filter(|p| p.context == of.context).count() == 1
        && model.contexts.iter().all(|c| c.parent != Some(of.context));
    let has_more = context.parent.is_some()
        || !context.clocks.is_empty()
        || !context.ends.is_empty()
        || context.keys.iter().any(Option::is_some)
        || !of.windows.is_empty()
        || !of.registers.is_empty();
    if !is_chen_rosu || !is_own || has_more {
        return Err("its instances have more than states".into());
    }
    if of.states.iter().any(|s| s.deadline.is_some()) {
        return Err("it has deadlines".into());
    }
    if of.alphabet.len() > KINDS {
        return Err("it has too many events".into());
    }
    for observed in &of.alphabet {
        let event = &model.events[observed.event.index()];
        let is_native = matches!(&event.origin, Origin::World(_));
        let others = model
            .properties
            .iter()
            .filter(|p| p.alphabet.iter().any(|o| o.event == observed.event));
        if !is_native || observed.filter.is_some() || others.count() > 1 {
            return Err(format!("`{}` is not an event of this property alone", event.name));
        }
    }
    match &context.variables[..] {
        [] => Ok(None),
        [one] if model.variables[one.index()].ty == Type::Int => Ok(Some(*one)),
        _ => Err("it has other variables than one integer".into()),
    }
}

/// The parameter that every event names, and the other one.
fn parameters(monitor: &Monitor, of: &Property) -> Result<(ParamId, Option<ParamId>), String> {
    let params: Vec<ParamId> =
        monitor.model.params(of.context).into_iter().map(|(id, _)| id).collect();
    if !(1..=2).contains(&params.len()) {
        return Err("it has no parameter, or more than two".into());
    }
    let names = |p: &ParamId| {
        let in_all = |o: &Observed| {
            !o.placements.is_empty()
                && o.placements.iter().all(|placement| placement.0.iter().any(|(q, _)| q == p))
        };
        of.alphabet.iter().all(in_all)
    };
    let first = params.iter().copied().find(names);
    let first = first.ok_or("an event does not say which instances it concerns")?;
    Ok((first, params.into_iter().find(|p| *p != first)))
}

impl Program {
    /// An event of a property whose instances are inside reaches the engine: it takes those over that the
    /// event concerns.
    pub(super) fn take_over(&mut self, m: usize, s: usize, args: &[ValueRef<'_>], time: Time) {
        let monitor = &self.monitors[m];
        let event = monitor.sources[s].event;
        let Some(residents) = self.inside.residents.get(&monitor.id) else { return };
        let Some(at) = residents.iter().position(|r| r.observes(monitor, s)) else { return };
        let resident = &residents[at];
        let mut taken = Vec::new();
        for (first, second) in resident.keys_of(&monitor.model, event, args) {
            taken.extend(resident.table.claim(first, second));
        }
        for instance in taken {
            self.adopt(m, at, &instance, time);
        }
    }

    /// The process is gone, or another program is executed: the engine takes over what is left inside.
    pub(super) fn take_over_rest(&mut self) {
        let time = self.now();
        for m in 0..self.monitors.len() {
            let id = self.monitors[m].id;
            let count = self.inside.residents.get(&id).map_or(0, Vec::len);
            for at in 0..count {
                let resident = &self.inside.residents[&id][at];
                let (left, (counts, created)) = (resident.table.close(), resident.table.counts());
                let property = resident.property;
                for instance in left {
                    self.adopt(m, at, &instance, time);
                }
                let monitor = &mut self.monitors[m];
                let of = &monitor.model.properties[property.index()];
                let events: Vec<EventId> = of.alphabet.iter().map(|o| o.event).collect();
                for (event, count) in events.into_iter().zip(counts) {
                    monitor.run.count_elsewhere(event, count);
                }
                monitor.run.evaluator.count_elsewhere(property, created, counts.iter().sum());
            }
            self.inside.residents.remove(&id);
        }
    }

    /// The engine takes an instance over.
    fn adopt(&mut self, m: usize, at: usize, instance: &Instance, time: Time) {
        let id = self.monitors[m].id;
        let places: Vec<_> =
            instance.steps.iter().map(|step| self.place(step.caller.wrapping_sub(1))).collect();
        let monitor = &mut self.monitors[m];
        let Some(resident) = self.inside.residents.get(&id).and_then(|all| all.get(at)) else {
            return;
        };
        let mut args = vec![[ValueRef::Null; FEW]; instance.steps.len()];
        for (args, step) in args.iter_mut().zip(&instance.steps) {
            let site = &resident.sites[usize::from(step.site)];
            let mut words = [0; FEW];
            for (word, key) in site.keys.iter().zip(instance.keys) {
                if let Some(word) = word {
                    words[*word] = key;
                }
            }
            site.kept.iter().zip(&step.words).for_each(|(word, value)| words[*word] = *value);
            for (param, what) in &site.plain {
                args[*param] = plain_value(*what, &words, u64::from(step.thread));
            }
        }
        let steps = instance.steps.iter().zip(&args).zip(&places).map(|((step, args), place)| {
            let source = &monitor.sources[resident.sites[usize::from(step.site)].source];
            let event = EventRef {
                kind: source.event,
                args: &args[..source.params.len()],
                time: Some(time),
                thread: Some(u64::from(step.thread)),
                location: Some(Where::from(place)),
            };
            (event, StateId(u32::from(step.state)))
        });
        let steps = steps.collect();
        let (first, second) = (resident.first, resident.second);
        let mut binding = vec![Value::Null; resident.arity()];
        binding[first.index()] = match instance.keys[0] {
            key if resident.has_numbers == Some(true) => Value::Int((key ^ KEY) as i64),
            key => Value::Ptr(key),
        };
        if let Some(second) = second {
            binding[second.index()] = Value::Int(instance.keys[1] as i64);
        }
        let stepped = Stepped {
            binding,
            state: StateId(u32::from(instance.state)),
            variables: resident.variable.iter().map(|_| Value::Int(instance.variable)).collect(),
            steps,
            is_cut: instance.is_cut,
        };
        monitor.run.evaluator.adopt(resident.property, &stepped);
    }
}
