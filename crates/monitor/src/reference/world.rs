//! What all evaluators of the reference share: time, numbering, the queue of sends, reports.

use std::collections::VecDeque;
use std::sync::Arc;

use watchword_model::{Event, EventId, PropertyId, StateId, Time, Value};

use crate::{Cause, Move, Report, rounds};

/// An event as it is delivered: with its place in the trace.
#[derive(Clone, Debug)]
pub struct Letter {
    pub event: Event,
    /// The properties it exists for; `None` is all.
    pub only: Option<Arc<[PropertyId]>>,
    /// The number of the last external event.
    pub index: u64,
    pub cause: Cause,
    pub time: Time,
}

/// Shared state.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub now: Time,
    /// Whether any time was ever given; reports carry none otherwise.
    pub timed: bool,
    /// The number of the last external event.
    pub index: u64,
    /// Creation order of instances and timers.
    pub sequence: u64,
    /// The round of the timer that goes off; see [`Rounds`](crate::rounds::Rounds).
    pub round: u32,
    pub queue: VecDeque<(EventId, Vec<Value>)>,
    pub reports: Vec<Report>,
    pub moves: Vec<Move>,
    /// Texts printed by updates.
    pub printed: Vec<String>,
    /// Actions updates asked the host for; the reference has no host and carries none out.
    pub actions: Vec<(String, Vec<Value>)>,
    /// Guards that were not relevant.
    pub not_relevant: u64,
    /// What is not known any more: the property, and the number of the external event.
    pub lost: Vec<(PropertyId, u64)>,
    /// Sends that were discarded because of the limit.
    pub discarded: u64,
}

impl World {
    pub fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    pub fn time(&self) -> Option<Time> {
        self.timed.then_some(self.now)
    }

    /// An instance or a configuration of a property is not known any more.
    pub fn lose(&mut self, property: PropertyId) {
        self.lost.push((property, self.index));
    }

    /// Tells a move; `letter` is `None` for a deadline.
    pub fn tell_move(
        &mut self,
        property: PropertyId,
        from: StateId,
        to: Option<StateId>,
        binding: Vec<(Arc<str>, Value)>,
        letter: Option<&Letter>,
    ) {
        self.moves.push(Move {
            property,
            from,
            to,
            binding,
            event: letter.map(|l| l.event.kind),
            args: letter.map_or(Vec::new(), |l| l.event.args.clone()),
            cause: letter.map_or(Cause::Time, |l| l.cause),
            index: letter.map_or(self.index, |l| l.index),
            time: self.timed.then_some(letter.map_or(self.now, |l| l.time)),
        });
    }
}

/// A running timer: when, and its place among those of the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timer {
    pub at: Time,
    pub sequence: u64,
    /// See [`Rounds`](crate::rounds::Rounds).
    pub round: u32,
}

impl Timer {
    /// A timer that starts now.
    pub fn start(world: &mut World, after: Time) -> Timer {
        Timer::at(world.now.saturating_add(after), world)
    }

    /// The same timer in a copied configuration: it counts as created by the copy.
    pub fn copy(self, world: &mut World) -> Timer {
        Timer::at(self.at, world)
    }

    fn at(at: Time, world: &mut World) -> Timer {
        let round = rounds::after(world.round, world.now, at);
        Timer { at, sequence: world.next(), round }
    }
}
