//! What a run has counted, for a host that goes on with it in another process.

use super::{Evaluator, Run};
use crate::RestoreError;
use crate::engine::wrong;

/// The counters of a run; [`Run::resume`] takes them back. What is listed is not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All events.
    pub events: u64,
    /// Events that were for all properties, by declaration.
    pub for_all: Vec<u64>,
    /// The others, by property and declaration; empty if there were none.
    pub for_some: Vec<u64>,
    /// Violations of each property.
    pub violations: Vec<u64>,
    /// How many of them are certain.
    pub certain: Vec<u64>,
    /// Satisfactions of each property.
    pub satisfactions: Vec<u64>,
}

impl<E: Evaluator> Run<E> {
    /// What was counted so far.
    pub fn counts_so_far(&self) -> Counts {
        Counts {
            events: self.counters.all,
            for_all: self.counters.for_all.clone(),
            for_some: self.counters.for_some.clone(),
            violations: self.findings.violations.clone(),
            certain: self.findings.certain.clone(),
            satisfactions: self.findings.satisfactions.clone(),
        }
    }

    /// Goes on where another run of the same properties was: with its evaluator, as it was saved, and
    /// its counts. To be called before the first event.
    ///
    /// # Errors
    /// If the counts are those of other properties.
    pub fn resume(&mut self, evaluator: E, counts: Counts) -> Result<(), RestoreError> {
        let Counts { events, for_all, for_some, violations, certain, satisfactions } = counts;
        let (declared, properties) = (self.model.events.len(), self.model.properties.len());
        let fits = for_all.len() == declared
            && (for_some.is_empty() || for_some.len() == declared * properties)
            && [&violations, &certain, &satisfactions].iter().all(|list| list.len() == properties);
        if !fits {
            return Err(wrong("the counts are those of other properties"));
        }
        self.evaluator = evaluator;
        self.counters.all = events;
        self.counters.for_all = for_all;
        self.counters.for_some = for_some;
        self.findings.violations = violations;
        self.findings.certain = certain;
        self.findings.satisfactions = satisfactions;
        Ok(())
    }
}
