//! The counts of a run, as reports have them.

use std::sync::Arc;

use watchword_model::{EventId, Location};

use crate::{Limit, Puzzle};

/// What is known of a run besides its violations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Of the properties, in the order of the model.
    pub properties: Vec<PropertyTotals>,
    /// How often each listed violation was reported, by number.
    pub counts: Vec<u64>,
    /// All events.
    pub events: u64,
    /// Guards that were not relevant.
    pub not_relevant: u64,
    /// Where that happened first, for each property to which it did.
    pub puzzles: Vec<Puzzled>,
    /// Limits that were hit.
    pub limits: Vec<Limit>,
}

/// The counts of a property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertyTotals {
    /// Instrumentation points that can raise its events; `None` for hosts without such points.
    pub sites: Option<u64>,
    /// Events it observed.
    pub events: u64,
    /// Instances that were made; `None` if the evaluator does not count them.
    pub instances: Option<u64>,
    /// Instances at a time.
    pub peak: u64,
    /// Violations, every single one.
    pub violations: u64,
    /// How many of them are certain; see [`Limit::may_forge`].
    pub certain: u64,
    /// Satisfactions.
    pub satisfactions: u64,
    /// How often each of its events occurred; empty if filters let it see only some of them.
    pub by_event: Vec<(EventId, u64)>,
}

/// Guards of a property that had no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzled {
    /// The first.
    pub first: Puzzle,
    /// Where that was, if it is known.
    pub location: Option<Arc<Location>>,
    /// The number of its occurrences.
    pub times: u64,
}

impl Totals {
    /// Adds the counts of another run of the same properties whose violations are listed with
    /// those of this one. Instances at a time, and instrumentation points, are those of the run that
    /// has most.
    pub fn merge(&mut self, other: Totals) {
        let unlisted = self.unlisted() + other.unlisted();
        let most = self.properties.len().max(other.properties.len());
        self.properties.resize_with(most, PropertyTotals::default);
        for (own, theirs) in self.properties.iter_mut().zip(other.properties) {
            own.merge(theirs);
        }
        for (at, count) in other.counts.into_iter().enumerate() {
            match self.counts.get_mut(at) {
                Some(own) => *own += count,
                None => self.counts.push(count),
            }
        }
        self.events += other.events;
        self.not_relevant += other.not_relevant;
        for puzzled in other.puzzles {
            let is_same = |p: &&mut Puzzled| p.first.property == puzzled.first.property;
            match self.puzzles.iter_mut().find(is_same) {
                Some(own) => own.times += puzzled.times,
                None => self.puzzles.push(puzzled),
            }
        }
        for limit in other.limits {
            if !self.limits.contains(&limit) {
                self.limits.push(limit);
            }
        }
        // What is not listed adds up.
        self.limits.retain(|limit| !matches!(limit, Limit::Unlisted { .. }));
        if unlisted > 0 {
            self.limits.push(Limit::Unlisted { violations: unlisted });
        }
    }

    /// How many violations are counted but not listed.
    pub fn unlisted(&self) -> u64 {
        let of = |limit: &Limit| match limit {
            Limit::Unlisted { violations } => *violations,
            _ => 0,
        };
        self.limits.iter().map(of).sum()
    }

    /// How many violations there were in all.
    pub fn violations(&self) -> u64 {
        self.properties.iter().map(|p| p.violations).sum()
    }
}

impl PropertyTotals {
    fn merge(&mut self, other: PropertyTotals) {
        self.sites = self.sites.max(other.sites);
        self.events += other.events;
        self.instances = match (self.instances, other.instances) {
            (Some(own), Some(theirs)) => Some(own + theirs),
            (own, theirs) => own.or(theirs),
        };
        self.peak = self.peak.max(other.peak);
        self.violations += other.violations;
        self.certain += other.certain;
        self.satisfactions += other.satisfactions;
        for (event, count) in other.by_event {
            match self.by_event.iter_mut().find(|(own, _)| *own == event) {
                Some((_, own)) => *own += count,
                None => self.by_event.push((event, count)),
            }
        }
    }
}
