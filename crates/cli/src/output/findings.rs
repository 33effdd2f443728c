//! What a run has found, in the form reports need.

use std::time::SystemTime;

use watchword_model::{Location, Model, Time};
use watchword_monitor::{Found, Limit, Report, ReportKind, Totals};
use watchword_view::{Outcome, Snippet, Status, Tally, Violation, limit, puzzle};

use super::json::Json;
use super::reports::Reports;
use super::style::Style;
use crate::inputs;

/// The warning after a run in which no property could notice anything.
pub const NOTHING_FOUND: &str =
    "nothing was checked: no event of the properties was found in the program";

/// How many printed lines are kept for reports.
const MAX_PRINTED: usize = 10_000;

/// The listed violations and satisfactions of a run, and what its properties printed.
#[derive(Debug, Default)]
pub struct Findings {
    /// Violations, in the order of their first report.
    pub violations: Vec<Violation>,
    /// Satisfactions that are listed.
    pub satisfied: Vec<Report>,
    /// What updates printed, up to a limit.
    pub printed: Vec<String>,
    unprinted: u64,
}

impl Findings {
    /// Takes what was found; gives the position of a violation that is listed and new.
    pub fn add(&mut self, found: Found) -> Option<usize> {
        found.listed.number?;
        if found.report.kind == ReportKind::Satisfaction {
            self.satisfied.push(found.report);
            return None;
        }
        self.violations.push(violation(found));
        Some(self.violations.len() - 1)
    }

    /// Takes a line that an update printed.
    pub fn print(&mut self, line: String) {
        if self.printed.len() < MAX_PRINTED {
            self.printed.push(line);
        } else {
            self.unprinted += 1;
        }
    }

    /// Sets how often each violation was reported, by position.
    pub fn recount(&mut self, counts: &[u64]) {
        for (violation, count) in self.violations.iter_mut().zip(counts) {
            violation.count = *count;
        }
    }

    /// Whether violations were found that the baseline does not know and no test expected. What is not listed could not
    /// be compared with it and counts as new.
    pub fn has_new(&self, totals: &Totals, reports: &Reports) -> bool {
        let known = reports.status();
        let is_new = |at: usize| known.get(at) != Some(&Status::Known);
        let mut listed = self.violations.iter().enumerate();
        // If none is listed, all there are go beyond what is listed.
        listed.any(|(at, violation)| !violation.expected && is_new(at))
            || totals.unlisted() > 0
            || (self.violations.is_empty() && totals.violations() > 0)
    }

    /// That violations happened again at places where they were shown, above the summary: what was
    /// shown when it was found could not say so.
    pub fn repeated(&self, reports: &Reports) -> String {
        let known = reports.status();
        let shown = self.violations.iter().enumerate().filter(|(at, violation)| {
            !violation.expected && known.get(*at) != Some(&Status::Known)
        });
        match shown.map(|(_, violation)| violation.count.saturating_sub(1)).sum() {
            0 => String::new(),
            n => {
                let more = watchword_view::text::counted(n, "violation");
                format!("… and {more} more at the places shown above\n\n")
            }
        }
    }

    /// The limits of the run, with those of what is listed.
    pub fn limits(&self, totals: &Totals) -> Vec<Limit> {
        let unprinted = Limit::Unprinted { lines: self.unprinted };
        let unprinted = (self.unprinted > 0).then_some(unprinted);
        totals.limits.iter().cloned().chain(unprinted).collect()
    }

    /// A report of the run. The caller adds what only it knows: the target, more limits and
    /// counters.
    pub fn outcome<'r>(
        &'r self,
        model: &'r Model,
        totals: &Totals,
        properties: Vec<Tally>,
        reports: &Reports,
        source: &'r dyn Fn(&Location) -> Option<Snippet>,
    ) -> Outcome<'r> {
        Outcome {
            model,
            properties,
            violations: &self.violations,
            status: reports.status(),
            satisfied: &self.satisfied,
            limits: self.limits(totals),
            warnings: puzzles(model, totals),
            stats: Json::object([
                ("events", totals.events.into()),
                ("notRelevant", totals.not_relevant.into()),
            ]),
            printed: &self.printed,
            target: String::new(),
            date: today(),
            version: env!("CARGO_PKG_VERSION"),
            source,
            stopped: None,
        }
    }
}

/// A violation that was reported once, as reports and alerts show it.
pub fn violation(found: Found) -> Violation {
    let Found { report, listed, certain } = found;
    Violation {
        report,
        location: listed.location,
        in_program: listed.in_program,
        stack: Vec::new(),
        thread: None,
        count: 1,
        certain,
        test: None,
        expected: false,
    }
}

/// The time it is, or the one that `SOURCE_DATE_EPOCH` says for reports that are the same every time.
fn today() -> Option<Time> {
    let said = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|said| said.parse::<Time>().ok());
    match said {
        Some(seconds) => seconds.checked_mul(1_000_000_000),
        None => inputs::since_1970(SystemTime::now()),
    }
}

/// Guards that had no value, by property.
pub fn puzzles(model: &Model, totals: &Totals) -> Vec<String> {
    totals.puzzles.iter().map(|puzzled| puzzle(model, puzzled)).collect()
}

/// That more violations were counted than are listed, above the summary.
pub fn unlisted(totals: &Totals) -> String {
    match totals.unlisted() {
        0 => String::new(),
        n => {
            let more = watchword_view::text::counted(n, "violation");
            format!("… and {more} more (--max-violations shows more)\n\n")
        }
    }
}

/// A line for each limit that was hit. Other lines of the summary name violations that are not
/// listed, and an error tells why a trace could not be read.
pub fn limit_lines(style: Style, model: &Model, limits: &[Limit]) -> String {
    let line = |hit: &Limit| {
        let text = match hit {
            Limit::Unlisted { .. } => return String::new(),
            Limit::Unread { .. } => "the rest of the trace was not checked".to_string(),
            other => limit(model, other),
        };
        format!("{} {text}\n", style.warning("limit:"))
    };
    limits.iter().map(line).collect()
}
