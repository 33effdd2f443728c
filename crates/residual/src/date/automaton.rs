//! A property as its control flow: states, letters, and edges that are surely or perhaps taken.
//!
//! What variables hold is not followed: a guard that is neither `true` nor `false` may be either.
//! What an edge reads and writes is kept, because an edge that changes a variable that matters is no
//! less important than one that changes the state.

use std::collections::BTreeSet;

use watchword_model::{
    Arity, Branch, ClockId, ContextId, Creation, EventId, Expr, Label, Model, Observed, Origin,
    ParamId, Pattern, Place, Property, PropertyId, Source, StateId, StateKind, Target,
    TransitionId, Type, Value, VarId,
};

use super::effects::Effects;
use crate::equality::is_equal;
use crate::machine::{Letters, Unsupported};
use crate::mistake::Mistake;

/// A set of states, as bits; the bit behind the states of the property is [`Date::dropped`].
pub type States = u128;

/// A set of edges, by position in [`Date::edges`]: a part of a property.
pub type Part = Vec<bool>;

const MAX_STATES: usize = 126;
const MAX_LETTERS: usize = 60;

/// What an edge of the abstraction stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// A transition that is taken.
    Then(TransitionId),
    /// Its `else`.
    Otherwise(TransitionId),
    /// The deadline of a state.
    Deadline(StateId),
}

/// A way from a state to a state.
#[derive(Clone, Debug)]
pub struct Edge {
    /// From.
    pub from: usize,
    /// To; [`Date::dropped`] if the instance ends.
    pub to: usize,
    /// Per label, the letters it is for; empty if time takes it.
    pub labels: Vec<Letters>,
    /// Whether it is taken whenever it is its turn.
    pub certain: bool,
    /// Whether it neither leaves nor enters.
    pub stays: bool,
    /// Whether what takes it also stays.
    pub forks: bool,
    /// What it stands for.
    pub arm: Arm,
    /// What its guard and its patterns read.
    pub asks: Effects,
    /// What it does: its update, the entry action of its target.
    pub does: Effects,
    /// What its report says.
    pub says: Effects,
    /// Whether its report says something of its own.
    pub speaks: bool,
}

impl Edge {
    /// All letters it can be taken by.
    pub fn letters(&self) -> Letters {
        self.labels.iter().fold(0, |all, l| all | l)
    }

    /// Whether it can be taken if only some letters occur.
    pub fn possible(&self, present: Letters) -> bool {
        self.labels.iter().all(|l| l & present != 0)
    }
}

/// An event as a property sees it.
#[derive(Clone, Debug)]
pub struct Letter {
    /// The event.
    pub event: EventId,
    /// Its name.
    pub name: String,
    /// Whether it is raised by the engine, at any time: alarms, messages, the end.
    pub internal: bool,
    /// Whether it names all parameters of the property, whatever label uses it.
    pub full: bool,
    /// Whether an instance that is not there yet begins with it.
    pub begins: bool,
    /// Which argument is which parameter, if every label agrees.
    pub binds: Option<Vec<(ParamId, u32)>>,
    /// Whether some of these events may not exist for the property.
    pub filtered: bool,
    /// Why it may neither be silenced nor forgotten, though no edge be left.
    pub pinned: Option<&'static str>,
}

/// A property as its control flow.
#[derive(Clone, Debug)]
pub struct Date {
    /// Which property.
    pub property: PropertyId,
    /// Its name.
    pub name: String,
    /// States by name.
    pub states: Vec<String>,
    /// Where it begins.
    pub start: usize,
    /// States whose entry is reported, or that are reported if the run ends there.
    pub bad: States,
    /// Those of them that are reported if the run ends there.
    pub pending: States,
    /// Events; those the engine raises by itself come last.
    pub letters: Vec<Letter>,
    /// Edges; of one state, in the order they are tried.
    pub edges: Vec<Edge>,
    /// Whether all enabled edges are taken, or the first.
    pub registers: bool,
    /// Whether ending an instance of it is seen by others.
    pub drops_shared: bool,
    /// Whether no other property has anything to do with its instances.
    pub alone: bool,
    /// What entering the start state does.
    pub starts: Effects,
    /// Whether that is seen outside the instance.
    pub starts_seen: bool,
    /// What the messages of pending states read.
    pub at_end: Effects,
    /// How many parameters an instance has.
    pub params: usize,
    /// Whether its one parameter is compared by identity.
    pub identity: bool,
    /// Whether there are slices with fewer parameters, which receive only some of its events.
    pub partial: bool,
}

impl Date {
    /// The control flow of a property, or why there is none.
    pub fn of(model: &Model, id: PropertyId) -> Result<Date, Unsupported> {
        let property = &model.properties[id.index()];
        let context = &model.contexts[property.context.index()];
        let no = |why: &str| Err(Unsupported(why.to_owned()));
        if context.rule == Creation::Verde {
            return no("its transitions create its instances");
        }
        if !property.windows.is_empty() {
            return no("it has windows");
        }
        if property.asks_time() {
            return no("it asks what time it is");
        }
        if property.states.len() > MAX_STATES {
            return no("it has more than 126 states");
        }
        if property.alphabet.len() > MAX_LETTERS {
            return no("it observes more than 60 events");
        }
        let params = model.params(property.context);
        let mut letters: Vec<Letter> =
            property.alphabet.iter().map(|o| letter(model, property.context, o)).collect();
        // Events of one instruction happen in the order in which they are declared.
        letters.sort_by_key(|l| (l.internal, l.event));
        let mut at_end = Effects::default();
        for state in property.states.iter().filter(|s| s.kind == StateKind::Pending) {
            for message in property.message.iter().chain(&state.message) {
                at_end.template(model, message);
            }
        }
        let mut starts = Effects::default();
        starts.statements(model, &property.states[property.start.index()].entry);
        let root = |c: ContextId| model.chain(c)[0];
        let family =
            model.properties.iter().filter(|p| root(p.context) == root(property.context)).count();
        let keyed = |c: &ContextId| model.contexts[c.index()].keys.iter().any(Option::is_some);
        let mut date = Date {
            property: id,
            name: property.name.clone(),
            states: property.states.iter().map(|s| s.name.clone()).collect(),
            start: property.start.index(),
            bad: 0,
            pending: 0,
            letters,
            edges: Vec::new(),
            registers: context.rule == Creation::Registers,
            drops_shared: drops_shared(model, property.context),
            alone: family == 1,
            starts_seen: starts.outputs
                || !starts.clocks.is_empty()
                || starts.writes.iter().any(|v| {
                    model.variables[v.index()].context != property.context
                        && !Mistake::BeginningIsPrivate.is_made()
                }),
            starts,
            at_end,
            params: params.len(),
            identity: params.len() == 1
                && matches!(params[0].1.ty, Type::Any | Type::Ref)
                && !model.chain(property.context).iter().any(keyed)
                && !property.alphabet.iter().any(|o| compares_by_equals(model, o.event))
                || Mistake::KeysAreIdentities.is_made(),
            partial: false,
        };
        for (at, state) in property.states.iter().enumerate() {
            if state.kind != StateKind::Normal {
                date.bad |= 1 << at;
            }
            if state.kind == StateKind::Pending {
                date.pending |= 1 << at;
            }
        }
        if date.name.starts_with("Invariant_") && Mistake::InvariantsIgnored.is_made() {
            date.bad = 0;
        }
        date.add_edges(model, property);
        date.pin(model, property);
        Ok(date)
    }

    /// The state of an instance that has ended.
    pub fn dropped(&self) -> usize {
        self.states.len()
    }

    /// Whether nothing of a part can be reported or seen elsewhere.
    pub fn is_proven(&self, part: &[bool]) -> bool {
        let pinned = self.letters.iter().any(|l| l.pinned.is_some());
        !part.iter().any(|p| *p)
            && self.pending >> self.start & 1 == 0
            && !self.drops_shared
            && !self.starts_seen
            && (self.alone || !pinned)
    }

    /// All edges.
    pub fn whole(&self) -> Part {
        vec![true; self.edges.len()]
    }

    /// Letters the engine raises by itself.
    pub fn internal(&self) -> Letters {
        self.set(|l| l.internal)
    }

    /// The letters that are like this.
    pub fn set(&self, like: impl Fn(&Letter) -> bool) -> Letters {
        self.letters.iter().enumerate().filter(|(_, l)| like(l)).fold(0, |set, (i, _)| set | 1 << i)
    }

    /// The letter of an event's name.
    pub fn letter(&self, name: &str) -> Option<usize> {
        self.letters.iter().position(|l| l.name == name)
    }

    fn add_edges(&mut self, model: &Model, property: &Property) {
        for (at, transition) in property.transitions.iter().enumerate() {
            let id = TransitionId::from_index(at);
            let mut asks = Effects::default();
            let mut certain = transition.labels.len() == 1;
            let mut never = false;
            let mut labels = Vec::new();
            for label in &transition.labels {
                let letters = self.letters_of(label);
                labels.push(letters);
                let plain = self.is_plain(label, letters);
                certain &= plain;
                reads_of_patterns(label, &mut asks);
                match &label.guard {
                    None | Some(Expr::Const(Value::Bool(true))) => {}
                    Some(guard) => {
                        never |= matches!(guard, Expr::Const(Value::Bool(false)));
                        certain = false;
                        asks.expr(model, guard);
                    }
                }
            }
            let from = transition.source.index();
            if !never {
                let arm = Arm::Then(id);
                let edge = self.edge(model, property, from, &transition.then, &labels, &asks, arm);
                let certain = certain && !edge.does.may_fail;
                self.edges.push(Edge { certain, forks: transition.keep, ..edge });
            }
            if let Some(otherwise) = &transition.otherwise {
                let arm = Arm::Otherwise(id);
                let edge = self.edge(model, property, from, otherwise, &labels, &asks, arm);
                self.edges.push(edge);
            }
        }
        for (at, state) in property.states.iter().enumerate() {
            if let Some(deadline) = &state.deadline {
                let arm = Arm::Deadline(StateId::from_index(at));
                let asks = Effects::default();
                let edge = self.edge(model, property, at, &deadline.branch, &[], &asks, arm);
                self.edges.push(edge);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what an edge is made of")]
    fn edge(
        &self,
        model: &Model,
        property: &Property,
        from: usize,
        branch: &Branch,
        labels: &[Letters],
        asks: &Effects,
        arm: Arm,
    ) -> Edge {
        let (to, stays) = match branch.target {
            Target::State(state) => (state.index(), false),
            Target::Stay => (from, true),
            Target::Drop => (self.dropped(), false),
        };
        let mut does = Effects::default();
        let mut says = Effects::default();
        does.statements(model, &branch.update);
        if let Target::State(state) = branch.target {
            let state = &property.states[state.index()];
            if !Mistake::EntriesDoNothing.is_made() {
                does.statements(model, &state.entry);
            }
            if matches!(state.kind, StateKind::Bad | StateKind::Good) {
                let own = branch.message.as_ref().or(state.message.as_ref());
                for message in property.message.iter().chain(own) {
                    says.template(model, message);
                }
            }
        }
        // Both end the instance, also for other properties that share it.
        if branch.target == Target::Drop || does.may_fail {
            does.outputs |= self.drops_shared;
        }
        Edge {
            from,
            to,
            labels: labels.to_vec(),
            certain: false,
            stays,
            forks: false,
            arm,
            asks: asks.clone(),
            does,
            says,
            speaks: branch.message.is_some(),
        }
    }

    fn letters_of(&self, label: &Label) -> Letters {
        match label.event {
            None => self.set(|_| true),
            Some(event) => self.set(|l| l.event == event),
        }
    }

    /// Whether a label matches every event of its letters that concerns the instance.
    fn is_plain(&self, label: &Label, letters: Letters) -> bool {
        let one = label.event.and_then(|e| self.letters.iter().find(|l| l.event == e));
        let sure = self.letters.iter().enumerate().all(|(i, l)| {
            letters >> i & 1 == 0 || !l.filtered && (l.binds.is_some() || l.internal)
        });
        sure && label.arity == Arity::Any
            && label.args.iter().enumerate().all(|(at, pattern)| match pattern {
                Pattern::Any | Pattern::Bind(_) => true,
                Pattern::Equal(Place::Param(param)) => one
                    .and_then(|l| l.binds.as_ref())
                    .is_some_and(|binds| binds.contains(&(*param, at as u32))),
                _ => false,
            })
    }

    /// Keeps all events about objects that are compared by `equals`: what is equal may change, and the
    /// first of them stands for those that equal it then, for all properties.
    pub(super) fn keep_first_of_equals(&mut self, model: &Model) {
        let equal = |l: &&mut Letter| compares_by_equals(model, l.event);
        for letter in self.letters.iter_mut().filter(equal) {
            letter.pinned = Some(
                "equality of objects may change, and the first object represents all equal ones",
            );
        }
        self.alone &= model.properties.len() == 1;
    }

    /// Which events bring an instance into being, where somebody can tell when that happened.
    fn pin(&mut self, model: &Model, property: &Property) {
        if self.registers {
            let long = self.edges.iter().any(|e| e.labels.len() > 1);
            for letter in &mut self.letters {
                if long && !Mistake::NothingIsAdjacent.is_made() {
                    letter.pinned =
                        Some("transitions that take several events in a row depend on it");
                }
            }
            return;
        }
        if let Some(why) = creation_matters(model, property.context) {
            for letter in self.letters.iter_mut().filter(|l| !l.internal && l.full) {
                letter.pinned = Some(why);
            }
        }
        let context = &model.contexts[property.context.index()];
        if let Creation::ChenRosu { creation } = &context.rule {
            let params = |l: &Letter| {
                l.binds.as_ref().map(|b| b.iter().map(|(p, _)| *p).collect::<Vec<_>>())
            };
            let world: Vec<_> = self.letters.iter().filter(|l| !l.internal).map(params).collect();
            // Whether an instance of more parameters exists decides whether it is reported.
            let alike = world.iter().all(|p| p.is_some() && *p == world[0]);
            self.partial = !alike && !Mistake::SlicesAreWhole.is_made();
            for letter in self.letters.iter_mut().filter(|l| !l.internal) {
                if creation.contains(&letter.event) {
                    letter.pinned = Some("a slice begins with it");
                } else if !alike {
                    letter.pinned = Some("its events name different parameters");
                }
            }
        }
        for c in model.chain(property.context) {
            for end in &model.contexts[c.index()].ends {
                for letter in self.letters.iter_mut().filter(|l| l.event == end.event) {
                    letter.pinned = Some("it ends the life of a value");
                }
            }
        }
    }
}

fn letter(model: &Model, context: ContextId, observed: &Observed) -> Letter {
    let decl = &model.events[observed.event.index()];
    let all = model.params(context).len();
    let binds = match &observed.placements[..] {
        [one] => Some(one.0.clone()),
        _ => None,
    };
    let full = all == 0
        || !observed.placements.is_empty() && observed.placements.iter().all(|p| p.0.len() == all);
    let creates = match &model.contexts[context.index()].rule {
        Creation::ChenRosu { creation } => {
            creation.is_empty() || creation.contains(&observed.event)
        }
        Creation::Verde | Creation::Larva | Creation::Registers => true,
    };
    Letter {
        event: observed.event,
        name: decl.name.clone(),
        internal: !matches!(decl.origin, Origin::World(_)),
        full,
        begins: full && creates,
        binds,
        filtered: observed.filter.is_some(),
        pinned: None,
    }
}

/// Whether an event of a JVM stands for objects that are equal to those it is about.
fn compares_by_equals(model: &Model, event: EventId) -> bool {
    let Origin::World(sources) = &model.events[event.index()].origin else { return false };
    sources.iter().any(|source| {
        matches!(source, Source::Jvm(source) if source.captures.iter().any(|c| is_equal(&c.term)))
    })
}

fn reads_of_patterns(label: &Label, asks: &mut Effects) {
    for pattern in &label.args {
        if let Pattern::Equal(Place::Var(var)) | Pattern::Differs(Place::Var(var)) = pattern {
            asks.reads.insert(*var);
        }
    }
}

/// Whether ending one automaton decides about others: they live in one instance, or below it, or use
/// its variables.
fn drops_shared(model: &Model, context: ContextId) -> bool {
    let here: Vec<&Property> = model.properties.iter().filter(|p| p.context == context).collect();
    let inside = model.contexts.iter().any(|c| c.parent == Some(context));
    let drops = |p: &&Property| {
        let branches = p.transitions.iter().flat_map(|t| [Some(&t.then), t.otherwise.as_ref()]);
        let deadlines = p.states.iter().map(|s| s.deadline.as_ref().map(|d| &d.branch));
        branches.chain(deadlines).flatten().any(|b| b.target == Target::Drop)
    };
    model.contexts[context.index()].rule == Creation::Larva
        && !Mistake::DropsConcernNobody.is_made()
        && (here.len() > 1 || inside)
        && here.iter().any(drops)
}

/// Why it matters when an instance of a context is created, if it does: for any property of the
/// context and of those around it, which are created with it.
fn creation_matters(model: &Model, context: ContextId) -> Option<&'static str> {
    let larva = model.contexts[context.index()].rule == Creation::Larva;
    for c in model.chain(context) {
        let context = &model.contexts[c.index()];
        // What has no parameters around it exists from the start.
        if model.params(c).is_empty() {
            continue;
        }
        let runs = |clock: &ClockId| model.clocks[clock.index()].autostart;
        if context.clocks.iter().any(runs) && !Mistake::ClocksAlwaysRun.is_made() {
            return Some("a clock runs from the creation of its instance");
        }
        for var in &context.variables {
            let mut init = Effects::default();
            init.expr(model, &model.variables[var.index()].init);
            if !init.reads.is_empty() {
                return Some("the initial value of a variable reads another variable");
            }
        }
        for property in model.properties.iter().filter(|p| p.context == c) {
            let start = &property.states[property.start.index()];
            if !start.entry.is_empty() {
                return Some("the entry action of the start state runs at the creation");
            }
            if start.deadline.is_some() && !Mistake::DeadlinesAlwaysRun.is_made() {
                return Some("a deadline runs from the creation of its instance");
            }
            if start.kind == StateKind::Pending {
                return Some("an instance is pending from its creation");
            }
            for observed in &property.alphabet {
                let letter = letter(model, c, observed);
                if letter.event == EventId::END {
                    return Some("existing instances observe the end of the run");
                }
                let clock = matches!(model.events[letter.event.index()].origin, Origin::Clock);
                let ignored = match clock {
                    true => Mistake::ClocksAlwaysRun.is_made(),
                    false => Mistake::EverybodyExists.is_made(),
                };
                if !letter.full && (larva || letter.internal) && !ignored {
                    return Some("existing instances observe events of the outer contexts");
                }
            }
        }
    }
    None
}

/// The names of a set of states.
pub fn names(date: &Date, set: States) -> Vec<&str> {
    date.states.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, n)| &**n).collect()
}

/// Variables that the initial values of some variables read, directly or through others; they are
/// added to these.
pub fn initial_reads(model: &Model, live: &mut BTreeSet<VarId>) -> BTreeSet<VarId> {
    let mut read = BTreeSet::new();
    // Initial values read earlier variables only.
    for (at, variable) in model.variables.iter().enumerate().rev() {
        if live.contains(&VarId::from_index(at)) {
            let mut init = Effects::default();
            init.expr(model, &variable.init);
            live.extend(&init.reads);
            read.extend(init.reads);
        }
    }
    read
}
