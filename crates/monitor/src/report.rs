//! What evaluators say.

use watchword_model::{EventId, Location, PropertyId, StateId, Time, Value};
use watchword_step::NotRelevant;

use std::sync::Arc;

/// A violation or a satisfaction of a property.
#[derive(Clone, Debug)]
pub struct Report {
    /// The property.
    pub property: PropertyId,
    /// Which of the two.
    pub kind: ReportKind,
    /// What brought it about.
    pub cause: Cause,
    /// The number of the last external event, from 1; 0 if there was none.
    pub index: u64,
    /// The time it happened, if time is known: of the event, or of the deadline.
    pub time: Option<Time>,
    /// The bound parameters of the instance, or the written registers of the configuration,
    /// by name in declaration order.
    pub binding: Vec<(Arc<str>, Value)>,
    /// The state that was entered, or in which the run ended.
    pub state: StateId,
    /// What to tell a person.
    pub message: String,
    /// How it came about, oldest first; bounded. Not part of the verdict.
    pub history: Vec<Step>,
    /// Whether there were earlier steps, which are not kept.
    pub cut: bool,
}

/// The first time an evaluation of a property was not relevant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The property.
    pub property: PropertyId,
    /// The number of the last external event; 0 if there was none.
    pub index: u64,
    /// Why it had no value.
    pub why: NotRelevant,
}

/// The first time an instance of a property became inconclusive: an update failed, or an evaluation
/// hit a limit. Nothing more is reported of such an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The property.
    pub property: PropertyId,
    /// The number of the last external event; 0 if there was none.
    pub index: u64,
    /// Why.
    pub why: NotRelevant,
}

/// Whether a property was violated or satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKind {
    /// A bad state was entered, or the run ended in a pending one.
    Violation,
    /// A good state was entered.
    Satisfaction,
}

/// What brought a report about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// An external event.
    Event,
    /// A channel event.
    Channel,
    /// A deadline or an alarm.
    Time,
    /// The end of a parameter's life, in a pending state.
    EndOfLife,
    /// The end of the trace.
    End,
}

/// An event of an instance's history that changed its state.
#[derive(Clone, Debug)]
pub struct Step {
    /// The number of the last external event.
    pub index: u64,
    /// The event; `None` for a deadline.
    pub event: Option<EventId>,
    /// Its arguments.
    pub args: Vec<Value>,
    /// When it happened.
    pub time: Option<Time>,
    /// The thread it happened on.
    pub thread: Option<u64>,
    /// Where it happened.
    pub location: Option<Arc<Location>>,
    /// The state it led to.
    pub state: StateId,
}

/// A transition or a deadline that an instance or a configuration took from one state to another,
/// or to the same one again. See [`Options::moves`](crate::Options::moves).
#[derive(Clone, Debug)]
pub struct Move {
    /// The property.
    pub property: PropertyId,
    /// The state that was left. An instance the move created (`verde`) left its ancestor's.
    pub from: StateId,
    /// The state that was entered; `None`: the instance was dropped.
    pub to: Option<StateId>,
    /// The bound parameters of the instance, or the written registers of the configuration after
    /// the move, by name in declaration order.
    pub binding: Vec<(Arc<str>, Value)>,
    /// The event, the last one of several; `None` for a deadline.
    pub event: Option<EventId>,
    /// Its arguments.
    pub args: Vec<Value>,
    /// What brought it about.
    pub cause: Cause,
    /// The number of the last external event.
    pub index: u64,
    /// When it happened, if time is known.
    pub time: Option<Time>,
}
