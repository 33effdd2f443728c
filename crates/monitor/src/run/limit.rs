//! Limits: why a run saw less than what happened.

use watchword_model::{Model, Origin, PropertyId};
use watchword_step::NotRelevant;

/// A limit that was hit. It holds numbers, not words: `view` renders it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Instances of a property were discarded or not created because there would have been more
    /// than [`Options::max_instances`](crate::Options::max_instances).
    Instances {
        /// Whose instances.
        property: PropertyId,
        /// How many.
        discarded: u64,
        /// The number of the external event at which the first of them was.
        since: u64,
    },
    /// Instances of a property became inconclusive because an update failed, or an evaluation took
    /// too long or a value grew too large: nothing more is reported of them.
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
}

impl Limit {
    /// The property it concerns; `None` if it is none in particular.
    pub fn property(&self) -> Option<PropertyId> {
        match self {
            Limit::Instances { property, .. } | Limit::Evaluations { property, .. } => {
                Some(*property)
            }
            Limit::Sends { .. } => None,
        }
    }

    /// Whether verdicts on this property are uncertain since the limit was hit: violations may be
    /// missing.
    pub fn blurs(&self, model: &Model, property: PropertyId) -> bool {
        match self {
            Limit::Instances { property: limited, .. }
            | Limit::Evaluations { property: limited, .. } => *limited == property,
            Limit::Sends { .. } => {
                let observed = &model.properties[property.index()].alphabet;
                let origin = |event: watchword_model::EventId| &model.events[event.index()].origin;
                observed.iter().any(|o| matches!(origin(o.event), Origin::Channel))
            }
        }
    }
}
