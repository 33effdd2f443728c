//! Violations as people count them: what is reported again at the same site is the same violation.
//!
//! Deduplication is presentation only: every report counts for the verdict and the totals.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use watchword_model::{Location, PropertyId, StateId};

use crate::{Report, ReportKind};

/// What a host lists of the reports of a run.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// How many different violations, and how many satisfactions.
    pub most: usize,
    /// Whether every report is listed by itself, satisfactions included.
    pub unique: bool,
    /// The names of the traces that are read: a line of a trace is not a place in a program.
    pub traces: HashSet<String>,
}

/// What makes two violations of a property the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Site {
    /// The same place in the program.
    Place(Arc<Location>),
    /// The same instance, where the place is unknown or is a line of a trace.
    Binding(String),
    /// Nothing: all are listed.
    Unique(u64),
}

/// The reports of a run, merged by site and counted.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    listing: Listing,
    /// By property, state, site, and whether the host said that the violation is expected.
    sites: HashMap<(PropertyId, StateId, Site, bool), usize>,
    /// What is reported now is expected.
    pub expected: bool,
    /// How often each listed violation was reported.
    pub counts: Vec<u64>,
    /// Violations that are not among the listed ones.
    pub unlisted: u64,
    /// Violations of each property.
    pub violations: Vec<u64>,
    /// How many of them are certain; see [`Limit::may_forge`](super::Limit::may_forge).
    pub certain: Vec<u64>,
    /// Satisfactions of each property.
    pub satisfactions: Vec<u64>,
    listed_satisfactions: usize,
}

/// Where a report belongs.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its position among the listed violations, or satisfactions; `None` if it is not listed, or
    /// was before.
    pub number: Option<usize>,
    /// Where it happened, as far as that is known.
    pub location: Option<Arc<Location>>,
    /// Whether that is a place in a program, not just a line of a trace.
    pub in_program: bool,
}

impl Findings {
    pub fn new(properties: usize, listing: Listing) -> Findings {
        Findings {
            listing,
            sites: HashMap::new(),
            expected: false,
            counts: Vec::new(),
            unlisted: 0,
            violations: vec![0; properties],
            certain: vec![0; properties],
            satisfactions: vec![0; properties],
            listed_satisfactions: 0,
        }
    }

    /// Counts a report that was made at this place, if the event that led to it has one.
    pub fn add(&mut self, report: &Report, here: Option<&Arc<Location>>, certain: bool) -> Listed {
        // The death of an object has no place: what the object was used for last has.
        let last = || report.history.iter().rev().find_map(|step| step.location.clone());
        let location = here.cloned().or_else(last);
        let in_program = location.as_ref().is_some_and(|place| !self.is_trace_line(place));
        let number = match report.kind {
            ReportKind::Satisfaction => self.add_satisfaction(report.property),
            ReportKind::Violation => {
                let place = location.as_ref().filter(|_| in_program);
                self.add_violation(report, place, certain)
            }
        };
        Listed { number, location, in_program }
    }

    fn add_satisfaction(&mut self, property: PropertyId) -> Option<usize> {
        self.satisfactions[property.index()] += 1;
        let is_listed = self.listing.unique && self.listed_satisfactions < self.listing.most;
        is_listed.then(|| {
            self.listed_satisfactions += 1;
            self.listed_satisfactions - 1
        })
    }

    fn add_violation(
        &mut self,
        report: &Report,
        place: Option<&Arc<Location>>,
        certain: bool,
    ) -> Option<usize> {
        self.count_violation(report.property, certain);
        let site = match place {
            _ if self.listing.unique => Site::Unique(self.violations.iter().sum()),
            Some(place) => Site::Place(place.clone()),
            None => {
                let mut binding = String::new();
                for (name, value) in &report.binding {
                    let _ = write!(binding, "{name}={value:?},");
                }
                Site::Binding(binding)
            }
        };
        let key = (report.property, report.state, site, self.expected);
        if let Some(known) = self.sites.get(&key) {
            self.counts[*known] += 1;
            return None;
        }
        if self.counts.len() >= self.listing.most {
            self.unlisted += 1;
            return None;
        }
        self.sites.insert(key, self.counts.len());
        self.counts.push(1);
        Some(self.counts.len() - 1)
    }

    /// Counts what was listed at this place before, without its report; answers whether it was.
    pub fn add_again(
        &mut self,
        kind: ReportKind,
        property: PropertyId,
        state: StateId,
        here: &Arc<Location>,
        certain: bool,
    ) -> bool {
        if self.listing.unique {
            return false;
        }
        if kind == ReportKind::Satisfaction {
            self.satisfactions[property.index()] += 1;
            return true;
        }
        let Some(known) =
            self.sites.get(&(property, state, Site::Place(here.clone()), self.expected))
        else {
            return false;
        };
        self.counts[*known] += 1;
        self.count_violation(property, certain);
        true
    }

    fn count_violation(&mut self, property: PropertyId, certain: bool) {
        self.violations[property.index()] += 1;
        self.certain[property.index()] += u64::from(certain);
    }

    /// A line of the trace itself: every event has its own.
    fn is_trace_line(&self, place: &Location) -> bool {
        let traces = &self.listing.traces;
        place.function.is_none() && place.file.as_ref().is_some_and(|f| traces.contains(&**f))
    }
}
