//! Limits: why a run saw less than what happened.

use watchword_model::{Model, Origin, PropertyId};
use watchword_step::NotRelevant;

/// A limit that was hit. It holds numbers and names, no sentences: `view` renders it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Instances of a property were discarded or not created because there would have been more
    /// than [`Options::max_instances`](crate::Options::max_instances) or
    /// [`Options::max_memory`](crate::Options::max_memory) allows.
    Instances {
        /// Whose instances.
        property: PropertyId,
        /// How many.
        discarded: u64,
        /// The number of the external event at which the first of them was.
        since: u64,
    },
    /// Instances of a property became inconclusive because an update failed, an evaluation took
    /// too long, a value grew too large or there was no more memory: nothing more is reported of
    /// them.
    Evaluations {
        /// Whose instances.
        property: PropertyId,
        /// How many.
        instances: u64,
        /// The number of the external event at which the first of them did.
        since: u64,
        /// Why the first of them did.
        why: NotRelevant,
    },
    /// Messages between properties were discarded because one event led to too many.
    Sends {
        /// How many.
        discarded: u64,
    },
    /// Violations are counted but not listed.
    Unlisted {
        /// How many.
        violations: u64,
    },
    /// Lines that updates printed are not listed.
    Unprinted {
        /// How many.
        lines: u64,
    },
    /// The input could not be read to its end.
    Unread {
        /// The reader's message.
        why: String,
    },
    /// Events that happened while no watch was running are missing.
    Gap {
        /// The number of the last external event before the first of them.
        since: u64,
    },
    /// A trace of the run was asked for and could not be written to its end.
    TraceCut,
    /// The run, or a part of it, was not monitored.
    Unmonitored(Unmonitored),
    /// Classes were loaded that are not those that were analysed before the run.
    Strangers(Strangers),
    /// An analysis that is not sound chose sites that are not watched.
    Unsound {
        /// The name of the analysis.
        analysis: String,
        /// The properties of which it chose sites.
        silenced: Vec<PropertyId>,
    },
    /// The JVM makes exceptions without stack traces, so nobody knows who threw them.
    Traceless,
}

/// Why a run was not monitored from its beginning to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmonitored {
    /// The host left before the program ended: what happened later is unknown.
    Left,
    /// The program ended before the agent could start.
    NotStarted,
    /// The program ended, and the agent could not report its counts.
    EndedEarly,
    /// The agent gave up; this is its message.
    Failed(String),
}

/// Loaded classes that an analysis before the run did not see as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strangers {
    /// Whether they were analysed in another version; otherwise they were not analysed at all.
    pub were_analysed: bool,
    /// How many there are; at least one.
    pub count: u64,
    /// The first one that was loaded.
    pub first: String,
    /// When it was loaded, in milliseconds since monitoring began.
    pub since: u64,
    /// The properties of which sites in other classes are silenced, or that were proven before the
    /// run: the analysis assumed that there are no such classes.
    pub silenced: Vec<PropertyId>,
    /// Whether something was proven before the run, which therefore does not hold.
    pub refute_proof: bool,
}

impl Limit {
    /// The property it concerns; `None` if it is none in particular.
    pub fn property(&self) -> Option<PropertyId> {
        match self {
            Limit::Instances { property, .. } | Limit::Evaluations { property, .. } => {
                Some(*property)
            }
            _ => None,
        }
    }

    /// Whether verdicts on this property are uncertain since the limit was hit: violations may be
    /// missing.
    pub fn blurs(&self, model: &Model, property: PropertyId) -> bool {
        match self {
            Limit::Instances { property: limited, .. }
            | Limit::Evaluations { property: limited, .. } => *limited == property,
            Limit::Sends { .. } => {
                let alphabet = &model.properties[property.index()].alphabet;
                let mut origins = alphabet.iter().map(|o| &model.events[o.event.index()].origin);
                origins.any(|origin| matches!(origin, Origin::Channel))
            }
            Limit::Traceless => {
                let alphabet = &model.properties[property.index()].alphabet;
                alphabet.iter().any(|o| model.events[o.event.index()].asks_who_threw())
            }
            Limit::Strangers(Strangers { silenced, .. }) | Limit::Unsound { silenced, .. } => {
                silenced.contains(&property)
            }
            Limit::Unread { .. } | Limit::Gap { .. } | Limit::Unmonitored(_) => true,
            // These concern what is listed.
            Limit::Unlisted { .. } | Limit::Unprinted { .. } | Limit::TraceCut => false,
        }
    }

    /// Whether a violation of this property that is reported at this event may not be real: an
    /// instance was discarded, and another one made for the same binding; or a message is missing, or
    /// events are. What a host that silenced sites learns during the run, it says by
    /// [`Run::doubt`](crate::Run::doubt).
    pub fn may_forge(&self, model: &Model, property: PropertyId, index: u64) -> bool {
        match self {
            Limit::Instances { since, .. } => *since <= index && self.blurs(model, property),
            Limit::Sends { .. } => self.blurs(model, property),
            Limit::Gap { since } => *since <= index,
            _ => false,
        }
    }
}
