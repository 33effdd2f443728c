//! What came of a run of a native program.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use watchword_model::{Location, Model};
use watchword_native::{ArmNote, Found, FrameLine, Monitor, Program};
use watchword_view::report::Format;
use watchword_view::{Outcome, Status, Tally};

use super::json::Json;
use super::reports::Reports;
use super::sources::Sources;
use super::style::{Style, counted, harmless};
use super::violations::Violations;
use super::{human, style};

/// Verdicts of one set of properties, merged by site, with the backtrace of the first.
#[derive(Debug)]
pub struct Findings {
    /// The violations.
    pub violations: Violations,
    backtraces: HashMap<usize, Vec<FrameLine>>,
    /// Positions that were not shown yet.
    fresh: Vec<usize>,
}

impl Findings {
    /// Nothing yet; at most `limit` violations are kept.
    pub fn new(model: &Model, limit: usize, unique: bool) -> Findings {
        Findings {
            violations: Violations::new(model, &[], limit, unique),
            backtraces: HashMap::new(),
            fresh: Vec::new(),
        }
    }

    /// Takes a verdict.
    pub fn add(&mut self, found: Found) {
        if let Some(at) = self.violations.add(found.report, found.location.as_ref()) {
            self.violations.kept[at].stack = found.backtrace.iter().map(place).collect();
            self.backtraces.insert(at, found.backtrace);
            self.fresh.push(at);
        }
    }

    /// What was not shown yet and is not known, for people.
    pub fn news(&mut self, style: Style, model: &Model, reports: &mut Reports) -> String {
        let mut out = String::new();
        for at in std::mem::take(&mut self.fresh) {
            if reports.judge(model, &self.violations.kept[at]) == Status::Known {
                continue;
            }
            out.push_str(&human::violation(style, model, &self.violations.kept[at]));
            out.push_str(&backtrace(style, self.backtraces.get(&at).map_or(&[], |b| b)));
        }
        out
    }

    /// Writes the reports, with lines of sources from these folders; gives the one for programs.
    pub fn write(
        &self,
        reports: &Reports,
        sources: &[PathBuf],
        monitor: &Monitor,
        target: &str,
    ) -> anyhow::Result<String> {
        let Violations { kept, counts, satisfactions, satisfied, dropped, .. } = &self.violations;
        let stats = monitor.engine.stats();
        let tallies = (0..monitor.model.properties.len()).map(|i| Tally {
            sites: Some(monitor.sites(i) as u64),
            events: monitor.observed(i),
            instances: stats[i].created,
            peak: stats[i].peak,
            violations: counts[i],
            satisfactions: satisfactions[i],
            proven: false,
        });
        let sources = Sources::of_program(sources);
        let source = |location: &Location| sources.snippet(location);
        let mut limits = Vec::new();
        if *dropped > 0 {
            limits.push(format!("{dropped} violations are counted but not listed"));
        }
        let outcome = Outcome {
            model: &monitor.model,
            properties: tallies.collect(),
            violations: kept,
            status: reports.status(),
            satisfied,
            limits,
            warnings: puzzles(monitor),
            stats: Json::object([
                ("events", monitor.engine.events().into()),
                ("notRelevant", monitor.engine.not_relevant().into()),
            ]),
            printed: &[],
            target: target.to_string(),
            version: env!("CARGO_PKG_VERSION"),
            source: &source,
            stopped: None,
        };
        reports.write(&outcome)?;
        Ok(Format::Json.render(&outcome))
    }
}

/// Where a frame is.
fn place(frame: &FrameLine) -> Location {
    Location {
        file: frame.file.as_deref().map(Arc::from),
        line: frame.line,
        function: Some(Arc::from(frame.function.as_str())),
    }
}

/// A backtrace for people, indented.
pub fn backtrace(style: Style, frames: &[FrameLine]) -> String {
    let mut out = String::new();
    for (i, frame) in frames.iter().enumerate() {
        let line = format!("    #{i:<2} {}", harmless(&frame.to_string()));
        let _ = writeln!(out, "{}", style.dim(&line));
    }
    out
}

/// One line per property.
pub fn summary(style: Style, monitor: &Monitor, violations: &Violations) -> String {
    let mut out = String::new();
    let stats = monitor.engine.stats();
    for (i, property) in monitor.model.properties.iter().enumerate() {
        let n = violations.counts[i];
        let text = counted(n, "violation");
        let text = if n > 0 { style.error(&text) } else { style.good(&text) };
        let is_global = monitor.model.params(property.context).is_empty();
        // The instance that binds nothing is nobody's, unless there can be no other.
        let instances = stats[i].created.saturating_sub(u64::from(!is_global));
        let _ = write!(
            out,
            "{}: {}, {}, {}, {text}",
            style.bold(&property.name),
            counted(monitor.sites(i) as u64, "site"),
            counted(monitor.observed(i), "event"),
            counted(instances, "instance"),
        );
        if violations.satisfactions[i] > 0 {
            let times = counted(violations.satisfactions[i], "time");
            let _ = write!(out, ", satisfied {times}");
        }
        out.push('\n');
        if stats[i].discarded > 0 {
            let discarded = style::count(stats[i].discarded);
            let limit = style.warning("limit:");
            let _ = writeln!(
                out,
                "{limit} {}: {discarded} instances were discarded (--max-instances): violations \
                 may be missing",
                property.name
            );
        }
    }
    out
}

/// Guards and updates that had no value, for people.
pub fn puzzles(monitor: &Monitor) -> Vec<String> {
    let stats = monitor.engine.stats();
    let puzzles = monitor.engine.puzzles().iter();
    puzzles
        .map(|puzzle| {
            let at = puzzle.property.index();
            puzzle.text(&monitor.model.properties[at].name, stats[at].not_relevant, None)
        })
        .collect()
}

/// Declared events that were found nowhere in the program so far, for people.
pub fn missing(program: &mut Program) -> Vec<String> {
    let all = program.missing().into_iter();
    let mut all: Vec<String> = all
        .map(|text| format!("{}; libraries loaded later are searched, too", harmless(&text)))
        .collect();
    if !all.is_empty() && !program.has_debug_info() {
        all.push("the program has no debug information: compile it with -g, do not strip it".into());
    }
    all
}

/// A note about arming; `None` where only the curious want to know.
pub fn arm_note(note: &ArmNote, verbose: bool) -> Option<String> {
    match note {
        ArmNote::Armed(armed) => verbose.then(|| {
            let file = armed.module.file_name().unwrap_or(armed.module.as_os_str());
            format!(
                "armed `{}` at {} ({:#x} in {}): {}",
                armed.event,
                harmless(&armed.name),
                armed.address,
                file.to_string_lossy(),
                armed.how
            )
        }),
        ArmNote::Warning { event, text } => Some(format!("`{event}`: {}", harmless(text))),
    }
}
