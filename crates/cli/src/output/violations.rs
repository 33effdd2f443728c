//! Violations as people count them: what happens again at the same site is the same one.
//!
//! Deduplication is presentation only: every report counts for the verdict and the totals.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use watchword_model::{Location, Model, PropertyId, StateId};
use watchword_monitor::{Report, ReportKind};
use watchword_view::Violation;

/// What makes two violations of a property the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Site {
    /// The same place in the program.
    Place(Arc<Location>),
    /// The same instance, where the trace does not name places.
    Binding(String),
    /// Nothing: all are told apart.
    Unique(u64),
}

/// All violations and satisfactions of a run.
#[derive(Debug)]
pub struct Violations {
    /// Violations, in the order of their first report, up to a limit.
    pub kept: Vec<Violation>,
    /// Satisfactions; only if violations are told apart too.
    pub satisfied: Vec<Report>,
    /// How many violations each property had.
    pub counts: Vec<u64>,
    /// How many satisfactions each property had.
    pub satisfactions: Vec<u64>,
    /// Violations beyond the limit that are not among the kept ones.
    pub dropped: u64,
    sites: HashMap<(PropertyId, StateId, Site), usize>,
    traces: HashSet<String>,
    limit: usize,
    unique: bool,
}

impl Violations {
    /// Nothing yet. At most `limit` violations are kept; if `unique`, none are merged.
    pub fn new(model: &Model, traces: &[String], limit: usize, unique: bool) -> Violations {
        Violations {
            kept: Vec::new(),
            satisfied: Vec::new(),
            counts: vec![0; model.properties.len()],
            satisfactions: vec![0; model.properties.len()],
            dropped: 0,
            sites: HashMap::new(),
            traces: traces.iter().cloned().collect(),
            limit,
            unique,
        }
    }

    /// How many violations there were in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Takes a report; answers its position if it is a violation nobody has seen yet.
    pub fn add(&mut self, report: Report, here: Option<&Arc<Location>>) -> Option<usize> {
        if report.kind == ReportKind::Satisfaction {
            self.satisfactions[report.property.index()] += 1;
            if self.unique && self.satisfied.len() < self.limit {
                self.satisfied.push(report);
            }
            return None;
        }
        self.counts[report.property.index()] += 1;
        let last = || report.history.last().and_then(|step| step.location.clone());
        let location = here.cloned().or_else(last);
        let in_program = location.as_ref().is_some_and(|place| !self.is_trace_line(place));
        let site = match &location {
            _ if self.unique => Site::Unique(self.total()),
            Some(place) if in_program => Site::Place(place.clone()),
            _ => {
                let mut binding = String::new();
                for (name, value) in &report.binding {
                    let _ = write!(binding, "{name}={value:?},");
                }
                Site::Binding(binding)
            }
        };
        let key = (report.property, report.state, site);
        if let Some(known) = self.sites.get(&key) {
            self.kept[*known].count += 1;
            return None;
        }
        if self.kept.len() >= self.limit {
            self.dropped += 1;
            return None;
        }
        self.sites.insert(key, self.kept.len());
        self.kept.push(Violation {
            report,
            location,
            in_program,
            stack: Vec::new(),
            thread: None,
            count: 1,
        });
        Some(self.kept.len() - 1)
    }

    /// A line of the trace itself: every event has its own.
    fn is_trace_line(&self, place: &Location) -> bool {
        place.function.is_none() && place.file.as_ref().is_some_and(|f| self.traces.contains(&**f))
    }
}
