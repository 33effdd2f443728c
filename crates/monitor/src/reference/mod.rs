//! The reference evaluator: slow, obvious, and right by definition.
//!
//! It interprets the model tree directly, keeps everything, and searches everything on every
//! event. `docs/semantics.md` tells what it does and why; every other evaluator is compared with
//! it. Use it for small traces and for testing; use the engine for work.

mod chen_rosu;
mod eval;
mod group;
mod label;
mod larva;
mod registers;
mod verde;
mod window;
mod world;

use std::sync::Arc;

use watchword_model::{
    ContextId, Creation, Event, EventId, Model, PropertyId, StateKind, Target, Time, TransitionId,
    Value,
};

use self::group::Group;
use self::registers::Registers;
use self::world::{Letter, Timer, World};
use crate::rounds::{Rounds, is_endless};
use crate::{Cause, Move, Report, ReportKind};

/// How many sends one external event may bring about.
const MAX_DELIVERIES: u32 = 10_000;

/// The reference evaluator.
///
/// ```
/// use watchword_model::*;
/// use watchword_monitor::reference::Reference;
///
/// let mut reference = Reference::new(Model::default());
/// reference.end();
/// assert!(reference.reports().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Reference {
    model: Arc<Model>,
    monitors: Vec<Monitor>,
    world: World,
    ended: bool,
}

/// What evaluates the properties of one root context.
#[derive(Clone, Debug)]
enum Monitor {
    Group(Group),
    Registers(Registers),
}

/// Time that runs backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backwards {
    /// The last time seen.
    pub last: Time,
    /// The time given.
    pub given: Time,
}

/// The report of an instance that takes a transition without a guard on its own state, for hosts
/// that keep the states of instances themselves; `None` if it leads to no state that is reported.
/// The report has no history, and the number of no event.
pub fn entered(
    model: &Model,
    property: PropertyId,
    transition: TransitionId,
    binding: Vec<Option<Value>>,
) -> Option<Report> {
    let definition = &model.properties[property.index()];
    let branch = &definition.transitions[transition.index()].then;
    let Target::State(state) = branch.target else { return None };
    let kind = match definition.states[state.index()].kind {
        StateKind::Bad => ReportKind::Violation,
        StateKind::Good => ReportKind::Satisfaction,
        StateKind::Normal | StateKind::Pending => return None,
    };
    let mut scope = eval::Scope::new(model);
    scope.params.clone_from(&binding);
    let message = label::message(&mut scope, definition, state, Some(branch), "entered");
    let binding = group::shown(model, definition.context, &binding);
    Some(Report {
        property,
        kind,
        cause: Cause::Event,
        index: 0,
        time: None,
        binding,
        state,
        message,
        history: Vec::new(),
        cut: false,
    })
}

impl Reference {
    /// An evaluator at the start of a trace.
    pub fn new(model: impl Into<Arc<Model>>) -> Reference {
        let model = model.into();
        let mut world = World::default();
        let mut monitors = Vec::new();
        for (c, context) in model.contexts.iter().enumerate() {
            if context.parent.is_some() {
                continue;
            }
            let root = ContextId::from_index(c);
            let mut group = Group { root, instances: Vec::new() };
            match context.rule {
                Creation::Registers => {
                    let at = model.properties.iter().position(|p| p.context == root);
                    let property = PropertyId::from_index(at.expect("a context has a property"));
                    let registers = Registers::new(&model, &mut world, property);
                    monitors.push(Monitor::Registers(registers));
                    continue;
                }
                Creation::ChenRosu { .. } | Creation::Verde => {
                    chen_rosu::start(&mut group, &model, &mut world);
                }
                Creation::Larva => larva::start(&mut group, &model, &mut world),
            }
            monitors.push(Monitor::Group(group));
        }
        let mut reference = Reference { model, monitors, world, ended: false };
        reference.deliver();
        reference
    }

    /// Processes the next external event.
    ///
    /// # Errors
    /// If its time lies before the last time seen; nothing has happened then.
    pub fn step(&mut self, event: &Event) -> Result<(), Backwards> {
        self.step_for(event, None)
    }

    /// Processes the next external event, which exists only for these properties: for others that
    /// observe such events this one is as if it had not happened. `None` is all.
    ///
    /// # Errors
    /// As [`Reference::step`].
    pub fn step_for(
        &mut self,
        event: &Event,
        only: Option<&[PropertyId]>,
    ) -> Result<(), Backwards> {
        // Without a time it happens at the last one; what is due then goes off before it.
        let now = self.world.timed.then_some(self.world.now);
        if let Some(time) = event.time.or(now) {
            self.advance_to(time)?;
        }
        self.world.index += 1;
        let mut letter = self.letter(event.clone(), Cause::Event);
        letter.only = only.map(Arc::from);
        self.dispatch(&letter);
        self.deliver();
        Ok(())
    }

    /// Lets time pass: fires every timer due at `time` or before.
    ///
    /// # Errors
    /// If `time` lies before the last time seen; nothing has happened then.
    pub fn advance_to(&mut self, time: Time) -> Result<(), Backwards> {
        if self.world.timed && time < self.world.now {
            return Err(Backwards { last: self.world.now, given: time });
        }
        if !std::mem::replace(&mut self.world.timed, true) {
            for monitor in &mut self.monitors {
                match monitor {
                    Monitor::Group(group) => group.begin_time(time),
                    Monitor::Registers(registers) => registers.begin_time(time),
                }
            }
            self.world.now = time;
        }
        let rounds = Rounds::new(self.world.sequence);
        while let Some(timer) = self.next_timer().filter(|t| t.at <= time) {
            self.world.now = timer.at.max(self.world.now);
            let round = rounds.of(timer.sequence, timer.round);
            let endless = is_endless(round);
            self.world.round = round;
            let model = self.model.clone();
            for monitor in &mut self.monitors {
                match monitor {
                    Monitor::Group(group) if group.next_timer() == Some(timer) => {
                        group.fire(&model, &mut self.world, timer, endless);
                    }
                    Monitor::Registers(registers) if registers.next_timer() == Some(timer) => {
                        registers.fire(&model, &mut self.world, timer, endless);
                    }
                    _ => {}
                }
            }
            self.deliver();
        }
        self.world.round = 0;
        self.world.now = time;
        Ok(())
    }

    /// When the next timer is due.
    pub fn next_deadline(&self) -> Option<Time> {
        self.next_timer().map(|t| t.at)
    }

    fn next_timer(&self) -> Option<Timer> {
        self.monitors
            .iter()
            .filter_map(|m| match m {
                Monitor::Group(group) => group.next_timer(),
                Monitor::Registers(registers) => registers.next_timer(),
            })
            .min()
    }

    /// The trace has ended. Only the first call does anything.
    pub fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        // Deadlines up to the last time seen have fired as it was reached, except those that its own
        // event set.
        if self.world.timed {
            let reached = self.advance_to(self.world.now);
            reached.expect("time stands still");
        }
        let letter = self.letter(Event::new(EventId::END, Vec::new()), Cause::End);
        self.dispatch(&letter);
        self.deliver();
        let model = self.model.clone();
        for monitor in &mut self.monitors {
            match monitor {
                Monitor::Registers(registers) => registers.end(&model, &mut self.world),
                Monitor::Group(group) => {
                    let ids: Vec<u64> = group.instances.iter().map(|i| i.id).collect();
                    for id in ids {
                        group.report_pending(&model, &mut self.world, id, Cause::End);
                    }
                }
            }
        }
    }

    fn letter(&self, event: Event, cause: Cause) -> Letter {
        Letter { event, only: None, index: self.world.index, cause, time: self.world.now }
    }

    fn dispatch(&mut self, letter: &Letter) {
        let model = self.model.clone();
        for monitor in &mut self.monitors {
            match monitor {
                Monitor::Registers(registers) => registers.step(&model, &mut self.world, letter),
                Monitor::Group(group) => match model.contexts[group.root.index()].rule {
                    Creation::Verde => verde::step(group, &model, &mut self.world, letter),
                    Creation::Larva => larva::step(group, &model, &mut self.world, letter),
                    _ => chen_rosu::step(group, &model, &mut self.world, letter),
                },
            }
        }
    }

    /// Delivers what was sent, and what that sends.
    fn deliver(&mut self) {
        let mut deliveries = 0;
        while let Some((event, args)) = self.world.queue.pop_front() {
            if deliveries == MAX_DELIVERIES {
                self.world.discarded += 1 + self.world.queue.len() as u64;
                self.world.queue.clear();
                return;
            }
            deliveries += 1;
            let letter = self.letter(Event::new(event, args), Cause::Channel);
            self.dispatch(&letter);
        }
    }

    /// All reports so far.
    pub fn reports(&self) -> &[Report] {
        &self.world.reports
    }

    /// All moves so far: see [`Options::moves`](crate::Options::moves).
    pub fn moves(&self) -> &[Move] {
        &self.world.moves
    }

    /// What updates printed.
    pub fn printed(&self) -> &[String] {
        &self.world.printed
    }

    /// What updates asked the host to do.
    pub fn actions(&self) -> &[(String, Vec<Value>)] {
        &self.world.actions
    }

    /// What became inconclusive, because an update failed or an evaluation hit a limit: for every
    /// instance or configuration its property and the number of the last external event.
    pub fn inconclusive(&self) -> &[(PropertyId, u64)] {
        &self.world.lost
    }

    /// How many guards were not relevant.
    pub fn not_relevant(&self) -> u64 {
        self.world.not_relevant
    }

    /// How many sends were discarded because one event led to too many messages.
    pub fn discarded(&self) -> u64 {
        self.world.discarded
    }

    /// How many instances and configurations there are.
    pub fn instances(&self) -> usize {
        self.monitors
            .iter()
            .map(|m| match m {
                Monitor::Group(group) => group.instances.len(),
                Monitor::Registers(registers) => registers.len(),
            })
            .sum()
    }
}
