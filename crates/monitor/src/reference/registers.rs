//! Register properties: a set of configurations, all enabled transitions fire.
//!
//! A configuration sits at a position of the word of observed events. What it does depends on the
//! letters after that position: a transition may need several, so a configuration waits while
//! some transition could still match more letters than there are. A node (state, registers,
//! position, deadline) is explored once, however many ways lead to it.

use std::collections::BTreeSet;
use std::sync::Arc;

use watchword_model::{
    Branch, Context, Key, Model, Property, PropertyId, StateId, StateKind, Target, Time,
    Transition, Type, Value,
};

use super::eval::{Output, Scope};
use super::group;
use super::label::{self, Offer};
use super::world::{Letter, Timer, World};
use crate::{Cause, Report, ReportKind};

/// What identifies a node.
type Node = (StateId, Vec<Option<Key>>, usize, Option<Timer>);

/// What was entered, after which letter, by a deadline when, and the message.
type Entry = (StateId, Vec<Option<Key>>, usize, Option<Time>, String);

#[derive(Clone, Debug)]
struct Configuration {
    state: StateId,
    registers: Vec<Option<Value>>,
    deadline: Option<Timer>,
    /// How many letters of the word lie behind it.
    position: usize,
    /// Transitions, by number, whose outcome from here is known.
    decided: BTreeSet<usize>,
    /// Whether one of them fired.
    fired: bool,
}

/// A register property being evaluated.
#[derive(Clone, Debug)]
pub struct Registers {
    property: PropertyId,
    /// All observed letters so far. Slow and obvious: none is ever forgotten.
    word: Vec<Letter>,
    configurations: Vec<Configuration>,
    explored: BTreeSet<Node>,
    /// Entries that were reported.
    entered: BTreeSet<Entry>,
}

/// How a transition fares on the letters after a position.
enum Fate<'m> {
    Fires(Box<Scope<'m>>, usize),
    /// It fires, but what comes of it is not known.
    Lost,
    Fails,
    /// All letters there are match; it needs more.
    Open,
}

impl Registers {
    pub fn new(model: &Model, world: &mut World, property: PropertyId) -> Registers {
        let mut this = Registers {
            property,
            word: Vec::new(),
            configurations: Vec::new(),
            explored: BTreeSet::new(),
            entered: BTreeSet::new(),
        };
        let definition = &model.properties[property.index()];
        let mut scope = this.scope(model, &vec![None; definition.registers.len()]);
        for (i, register) in definition.registers.iter().enumerate() {
            if let Some(init) = &register.init {
                let value = scope.eval(init).ok().and_then(|v| v.coerce(register.ty));
                scope.registers[i] = Some(value.unwrap_or(Value::Null));
            }
        }
        let mut entered = scope.clone();
        match entered.run(&[&definition.states[definition.start.index()].entry]) {
            Ok(()) => scope = entered,
            Err(_) => {
                world.lose(property);
                return this;
            }
        }
        commit(world, &scope);
        let deadline = start_deadline(world, definition, definition.start);
        this.add(Configuration {
            state: definition.start,
            registers: scope.registers,
            deadline,
            position: 0,
            decided: BTreeSet::new(),
            fired: false,
        });
        this
    }

    fn scope<'m>(&self, model: &'m Model, registers: &[Option<Value>]) -> Scope<'m> {
        let mut scope = Scope::new(model);
        scope.registers = registers.to_vec();
        scope.register_types = model.properties[self.property.index()]
            .registers
            .iter()
            .map(|r| r.ty)
            .collect::<Vec<Type>>();
        scope
    }

    fn context<'m>(&self, model: &'m Model) -> Vec<&'m Context> {
        group::chain(model, model.properties[self.property.index()].context)
    }

    /// Adds a configuration unless its node has been explored.
    fn add(&mut self, configuration: Configuration) {
        if self.explored.insert(node(&configuration)) {
            self.configurations.push(configuration);
        }
    }

    /// Adds a configuration that a deadline led to, unless an equal one is there. One that was explored before
    /// may be the same one, which goes in a circle that takes no time: its timers are counted, and say when
    /// that is too often.
    fn add_in_time(&mut self, configuration: Configuration) {
        let node = node(&configuration);
        if !self.configurations.iter().any(|other| self::node(other) == node) {
            self.configurations.push(configuration);
        }
    }

    pub fn step(&mut self, model: &Model, world: &mut World, letter: &Letter) {
        let property = &model.properties[self.property.index()];
        if group::observes(model, property, letter) {
            self.word.push(letter.clone());
            self.explore(model, world, false);
        }
    }

    /// Goes as far as the word allows.
    fn explore(&mut self, model: &Model, world: &mut World, ended: bool) {
        let mut at = 0;
        while at < self.configurations.len() {
            if self.advance(model, world, at, ended) {
                self.configurations.remove(at);
                // A removal shifts the rest; new ones are behind.
                continue;
            }
            at += 1;
        }
    }

    /// Decides what can be decided about one configuration. Returns whether it is done with.
    fn advance(&mut self, model: &Model, world: &mut World, at: usize, ended: bool) -> bool {
        let current = self.configurations[at].clone();
        if current.position == self.word.len() {
            return false;
        }
        let property = &model.properties[self.property.index()];
        let mut open = false;
        for (i, transition) in property.leaving(current.state) {
            if self.configurations[at].decided.contains(&i.index()) {
                continue;
            }
            match self.fate(model, world, &current, transition, ended) {
                Fate::Open => {
                    open = true;
                    continue;
                }
                Fate::Fails => {}
                Fate::Fires(scope, consumed) => {
                    let position = current.position + consumed;
                    let last = self.word[position - 1].clone();
                    self.configurations[at].fired = true;
                    let idle = property.is_idle(transition);
                    let told = world.moves.len();
                    self.land(model, world, &current, *scope, &transition.then, position, &last);
                    if idle {
                        // Nothing moved.
                        world.moves.truncate(told);
                    }
                    self.keep(&current, transition);
                }
                Fate::Lost => {
                    self.configurations[at].fired = true;
                    world.lose(self.property);
                    self.keep(&current, transition);
                }
            }
            self.configurations[at].decided.insert(i.index());
        }
        if open {
            return false;
        }
        if !self.configurations[at].fired {
            // Skip exactly one letter.
            self.add(Configuration {
                position: current.position + 1,
                decided: BTreeSet::new(),
                fired: false,
                ..current
            });
        }
        true
    }

    /// With `=>`, the source of a transition that fired stays.
    fn keep(&mut self, current: &Configuration, transition: &Transition) {
        if transition.keep {
            // After the first letter, however many were consumed: matches that overlap this one
            // are not lost.
            self.add(Configuration {
                position: current.position + 1,
                decided: BTreeSet::new(),
                fired: false,
                ..current.clone()
            });
        }
    }

    fn fate<'m>(
        &self,
        model: &'m Model,
        world: &mut World,
        from: &Configuration,
        transition: &Transition,
        ended: bool,
    ) -> Fate<'m> {
        let property = &model.properties[self.property.index()];
        let contexts = self.context(model);
        let mut scope = self.scope(model, &from.registers);
        for (i, label) in transition.labels.iter().enumerate() {
            let Some(letter) = self.word.get(from.position + i) else {
                return if ended { Fate::Fails } else { Fate::Open };
            };
            match label::offer(&scope, &contexts, label, &letter.event) {
                Offer::Match(bound) => scope = bound,
                Offer::NoMatch | Offer::GuardFalse(_) => return Fate::Fails,
                Offer::NotRelevant => {
                    world.not_relevant += 1;
                    return Fate::Fails;
                }
                Offer::Limit => return Fate::Lost,
            }
        }
        match label::take(&scope, property, &transition.then) {
            Ok(scope) => Fate::Fires(Box::new(scope), transition.labels.len()),
            Err(_) => Fate::Lost,
        }
    }

    /// Carries out a branch; `last` is the last letter it consumed.
    #[allow(clippy::too_many_arguments, reason = "the parts of one step, used twice")]
    fn land(
        &mut self,
        model: &Model,
        world: &mut World,
        from: &Configuration,
        mut scope: Scope<'_>,
        branch: &Branch,
        position: usize,
        last: &Letter,
    ) {
        commit(world, &scope);
        let property = &model.properties[self.property.index()];
        if branch.target != Target::Stay {
            let to = match branch.target {
                Target::State(state) => Some(state),
                Target::Stay | Target::Drop => None,
            };
            let binding = shown_registers(property, &scope.registers);
            let letter = (last.cause != Cause::Time).then_some(last);
            world.tell_move(self.property, from.state, to, binding, letter);
        }
        let (state, deadline) = match branch.target {
            Target::Drop => return,
            Target::Stay => (from.state, from.deadline),
            Target::State(state) => {
                let deadline = start_deadline(world, property, state);
                let kind = match property.states[state.index()].kind {
                    StateKind::Bad => Some(ReportKind::Violation),
                    StateKind::Good => Some(ReportKind::Satisfaction),
                    StateKind::Normal | StateKind::Pending => None,
                };
                if let Some(kind) = kind {
                    let message =
                        label::message(&mut scope, property, state, Some(branch), "entered");
                    let time = (last.cause == Cause::Time).then_some(last.time);
                    let keys = keys(&scope.registers);
                    let entry = (state, keys, position, time, message.clone());
                    let is_new = self.entered.insert(entry);
                    if is_new {
                        let binding = shown_registers(property, &scope.registers);
                        self.report(world, kind, last.cause, last, binding, state, message);
                    }
                }
                let ends = property.states[state.index()].kind == StateKind::Bad
                    && property.leaving(state).next().is_none();
                if ends {
                    return;
                }
                (state, deadline)
            }
        };
        let arrives = Configuration {
            state,
            registers: scope.registers,
            deadline,
            position,
            decided: BTreeSet::new(),
            fired: false,
        };
        if last.cause == Cause::Time {
            return self.add_in_time(arrives);
        }
        self.add(arrives);
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of a report")]
    fn report(
        &self,
        world: &mut World,
        kind: ReportKind,
        cause: Cause,
        last: &Letter,
        binding: Vec<(Arc<str>, Value)>,
        state: StateId,
        message: String,
    ) {
        world.reports.push(Report {
            property: self.property,
            kind,
            cause,
            index: last.index,
            time: world.timed.then_some(last.time),
            binding,
            state,
            message,
            history: Vec::new(),
            cut: false,
        });
    }

    /// The first time was seen: timers that were started before it start then.
    pub fn begin_time(&mut self, first: Time) {
        for timer in self.configurations.iter_mut().filter_map(|c| c.deadline.as_mut()) {
            timer.at = timer.at.saturating_add(first);
        }
    }

    pub fn next_timer(&self) -> Option<Timer> {
        self.configurations.iter().filter_map(|c| c.deadline).min()
    }

    pub fn fire(&mut self, model: &Model, world: &mut World, timer: Timer, endless: bool) {
        let Some(at) = self.configurations.iter().position(|c| c.deadline == Some(timer)) else {
            return;
        };
        let property = &model.properties[self.property.index()];
        let Some(deadline) = &property.states[self.configurations[at].state.index()].deadline
        else {
            return;
        };
        let mut current = self.configurations.remove(at);
        current.deadline = None;
        let scope = self.scope(model, &current.registers);
        let taken = label::take(&scope, property, &deadline.branch);
        let Some(scope) = taken.ok().filter(|_| !endless) else {
            return world.lose(self.property);
        };
        let now = Letter {
            event: watchword_model::Event::new(watchword_model::EventId::END, Vec::new()),
            only: None,
            index: world.index,
            cause: Cause::Time,
            time: world.now,
        };
        let position = current.position;
        self.land(model, world, &current, scope, &deadline.branch, position, &now);
    }

    /// The word has ended: what needs more letters fails.
    pub fn end(&mut self, model: &Model, world: &mut World) {
        self.explore(model, world, true);
        let property = &model.properties[self.property.index()];
        let now = Letter {
            event: watchword_model::Event::new(watchword_model::EventId::END, Vec::new()),
            only: None,
            index: world.index,
            cause: Cause::End,
            time: world.now,
        };
        for configuration in self.configurations.clone() {
            if property.states[configuration.state.index()].kind != StateKind::Pending {
                continue;
            }
            let mut scope = self.scope(model, &configuration.registers);
            let message =
                label::message(&mut scope, property, configuration.state, None, "ended in");
            let binding = shown_registers(property, &configuration.registers);
            let state = configuration.state;
            self.report(world, ReportKind::Violation, Cause::End, &now, binding, state, message);
        }
    }

    /// How many configurations there are.
    pub fn len(&self) -> usize {
        self.configurations.len()
    }
}

/// What a configuration is told from others by. Two deadlines at one time differ in nothing that matters.
fn node(configuration: &Configuration) -> Node {
    let deadline = configuration.deadline.map(|t| Timer { at: t.at, sequence: 0, round: 0 });
    let keys = keys(&configuration.registers);
    (configuration.state, keys, configuration.position, deadline)
}

/// What a store is told from others by.
fn keys(registers: &[Option<Value>]) -> Vec<Option<Key>> {
    registers.iter().map(|value| value.as_ref().map(Value::identity)).collect()
}

fn start_deadline(world: &mut World, property: &Property, state: StateId) -> Option<Timer> {
    let deadline = property.states[state.index()].deadline.as_ref()?;
    Some(Timer::start(world, deadline.after))
}

/// Makes outputs real. Register properties have no clocks.
fn commit(world: &mut World, scope: &Scope<'_>) {
    for output in &scope.outputs {
        match output {
            Output::Send(event, args) => world.queue.push_back((*event, args.clone())),
            Output::Print(text) => world.printed.push(text.clone()),
            Output::Action(name, args) => world.actions.push((name.clone(), args.clone())),
            Output::ResetClock(_) | Output::SetClock(..) | Output::StopClock(_) => {}
        }
    }
}

fn shown_registers(property: &Property, registers: &[Option<Value>]) -> Vec<(Arc<str>, Value)> {
    property
        .registers
        .iter()
        .zip(registers)
        .filter_map(|(r, value)| value.as_ref().map(|v| (Arc::from(r.name.as_str()), v.clone())))
        .collect()
}
