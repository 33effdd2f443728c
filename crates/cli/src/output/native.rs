//! What came of a run of a native program.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use watchword_model::{Location, Model, PropertyId};
use watchword_monitor::{self as monitor, Totals};
use watchword_native::{Found, FrameLine, Monitor};
use watchword_spec::SourceFile;
use watchword_view::report::Format;
use watchword_view::{Outcome, Status, Tally, Verdict};

use super::findings::{self, Findings};
use super::reports::Reports;
use super::sources::Sources;
use super::style::Style;
use super::{human, tallies};

pub use watchword_session::notes::{Note, backtrace, left_outside, missing, notes};

/// What one set of properties found, with the backtraces.
#[derive(Debug)]
pub struct Watched {
    /// What was found.
    pub findings: Findings,
    /// How many violations of every property were in runs that were undone.
    pub undone: Vec<u64>,
    backtraces: HashMap<usize, Vec<FrameLine>>,
    /// The child process a violation was in, by its number.
    children: HashMap<usize, i32>,
    /// Positions that were not shown yet.
    fresh: Vec<usize>,
}

impl Watched {
    /// Nothing yet.
    pub fn new(model: &Model) -> Watched {
        Watched {
            findings: Findings::default(),
            undone: vec![0; model.properties.len()],
            backtraces: HashMap::new(),
            children: HashMap::new(),
            fresh: Vec::new(),
        }
    }

    /// Takes a verdict.
    pub fn add(&mut self, found: Found) {
        let Found { report, listed, certain, backtrace, child, .. } = found;
        if let Some(at) = self.findings.add(monitor::Found { report, listed, certain }) {
            self.findings.violations[at].stack = backtrace.iter().map(place).collect();
            self.backtraces.insert(at, backtrace);
            self.children.extend(child.map(|pid| (at, pid)));
            self.fresh.push(at);
        }
    }

    /// What was not shown yet and is not known, for people.
    pub fn news(&mut self, style: Style, model: &Model, reports: &mut Reports) -> String {
        let mut out = String::new();
        for at in std::mem::take(&mut self.fresh) {
            let violation = &self.findings.violations[at];
            if reports.judge(model, violation) == Status::Known {
                continue;
            }
            out.push_str(&human::violation(style, model, violation));
            if let Some(pid) = self.children.get(&at) {
                let _ = writeln!(out, "    {}", style.dim(&format!("in child process {pid}")));
            }
            out.push_str(&backtrace(style, self.backtraces.get(&at).map_or(&[], |b| b)));
        }
        out
    }

    /// The program has ended: its counts.
    pub fn end(&mut self, monitor: &Monitor, files: &[SourceFile]) -> Ended {
        let totals = monitor.totals();
        self.findings.recount(&totals.counts);
        let mut tallies = tallies::of(&monitor.model, &totals, files);
        for (tally, undone) in tallies.iter_mut().zip(&self.undone) {
            tally.undone = *undone;
        }
        Ended { totals, tallies }
    }

    /// Writes the reports, with lines of sources from these folders; gives the one for programs.
    pub fn write(
        &self,
        reports: &Reports,
        sources: &[PathBuf],
        model: &Model,
        ended: &Ended,
        warnings: Vec<String>,
        target: String,
    ) -> anyhow::Result<String> {
        let sources = Sources::of_program(sources);
        let source = |location: &Location| sources.snippet(location);
        let Ended { totals, tallies } = ended;
        let outcome = Outcome {
            target,
            warnings,
            ..self.findings.outcome(model, totals, tallies.clone(), reports, &source)
        };
        reports.write(&outcome)?;
        Ok(Format::Json.render(&outcome))
    }

    /// Whether the verdict on some property is inconclusive.
    pub fn is_inconclusive(&self, model: &Model, ended: &Ended) -> bool {
        let limits = self.findings.limits(&ended.totals);
        ended.tallies.iter().enumerate().any(|(i, tally)| {
            let verdict = tally.verdict(model, PropertyId::from_index(i), &limits);
            verdict == Verdict::Inconclusive
        })
    }

    /// One line per property, or per property that has anything to tell.
    pub fn summary(
        &self,
        style: Style,
        model: &Model,
        ended: &Ended,
        reports: &Reports,
        all: bool,
    ) -> String {
        let Ended { totals, tallies } = ended;
        let limits = self.findings.limits(totals);
        let mut out = self.findings.repeated(reports);
        out.push_str(&findings::unlisted(totals));
        out.push_str(&tallies::lines(style, model, tallies, &limits, all));
        out.push_str(&findings::limit_lines(style, model, &limits));
        out
    }
}

/// What is known of a run that has ended.
pub struct Ended {
    /// The counts.
    pub totals: Totals,
    /// What came of each property.
    pub tallies: Vec<Tally>,
}

/// Where a frame is.
fn place(frame: &FrameLine) -> Location {
    Location {
        file: frame.file.as_deref().map(Arc::from),
        line: frame.line,
        function: Some(Arc::from(frame.function.as_str())),
    }
}
