//! A run of a JVM program: records come in, a report comes out.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use watchword_model::{Location, Model, Property};
use watchword_monitor::{Report, ReportKind};
use watchword_view::report::Format;
use watchword_view::{Outcome, Status, Tally, Violation, text};
use watchword_wire::{Found, Record, Totals, WireError, read_record};

use crate::args::Global;
use crate::output::json::Json;
use crate::output::reports::Reports;
use crate::output::sources::Sources;
use crate::output::style::{Style, counted, harmless};
use crate::output::{self, human, tallies};

/// What was heard of a run so far.
pub struct Run<'m> {
    model: &'m Model,
    reports: Reports,
    found: Vec<Found>,
    satisfied: Vec<Report>,
    printed: Vec<String>,
    warnings: Vec<String>,
    failure: Option<String>,
    started: Option<(u32, String)>,
    totals: Option<Totals>,
    /// Nobody listened to the end.
    left: bool,
    /// By property: it was proven before the run that nothing can be reported.
    proven: Vec<bool>,
    /// By property: files of the user silence sites of it.
    silenced: Vec<bool>,
    /// What makes results doubtful.
    doubts: Vec<String>,
}

impl<'m> Run<'m> {
    /// Nothing yet.
    pub fn new(model: &'m Model, reports: Reports) -> Run<'m> {
        Run {
            model,
            reports,
            found: Vec::new(),
            satisfied: Vec::new(),
            printed: Vec::new(),
            warnings: Vec::new(),
            failure: None,
            started: None,
            totals: None,
            left: false,
            proven: model.properties.iter().map(Property::is_proven).collect(),
            silenced: vec![false; model.properties.len()],
            doubts: Vec::new(),
        }
    }

    /// Sites of these properties were silenced by the user, who may have left none, and had such
    /// doubtful reasons.
    pub fn know_silenced(&mut self, silenced: Vec<bool>, doubts: Vec<String>) {
        (self.silenced, self.doubts) = (silenced, doubts);
    }

    /// These properties were proven right before the run, too.
    pub fn know_proven(&mut self, proven: &[bool]) {
        for (known, more) in self.proven.iter_mut().zip(proven) {
            *known |= more;
        }
    }

    /// Nobody listens any more, though the program runs.
    pub fn leave(&mut self) {
        self.left = true;
    }

    /// Listens until the stream ends; with `live`, violations are shown as they come.
    pub fn listen(
        &mut self,
        stream: &mut impl Read,
        global: &Global,
        live: bool,
    ) -> Result<(), WireError> {
        let style = Style::new(global.color_on_stderr());
        while let Some(record) = read_record(stream)? {
            match record {
                Record::Started { pid, vm } => self.started = Some((pid, vm)),
                Record::Found(found) if found.report.kind == ReportKind::Satisfaction => {
                    self.satisfied.push(found.report);
                }
                Record::Found(found) => {
                    let violation = violation(&found, 1);
                    let status = self.reports.judge(self.model, &violation);
                    if live && status == Status::New {
                        show(style, self.model, &violation);
                    }
                    self.found.push(*found);
                }
                Record::Printed(text) => {
                    if live {
                        say(&format!("printed: {}\n", harmless(&text)));
                    }
                    self.printed.push(text);
                }
                Record::Warning(text) => self.warnings.push(text),
                Record::Failed(text) => {
                    if live {
                        output::warning(
                            global.color_on_stderr(),
                            &format!("not monitored: {text}"),
                        );
                    }
                    self.failure = Some(text);
                }
                Record::Finished(totals) => self.totals = Some(*totals),
            }
        }
        Ok(())
    }

    /// Whether anything was violated that was not known before.
    pub fn has_violations(&self) -> bool {
        if self.reports.has_baseline() {
            let untold = self.totals.iter().any(|t| t.untold > 0);
            return untold || self.found.len() as u64 > self.reports.known();
        }
        !self.found.is_empty()
            || self.totals.iter().flat_map(|t| &t.properties).any(|p| p.violations > 0)
    }

    /// Whether the program had any site at all.
    pub fn has_sites(&self) -> bool {
        self.totals.iter().flat_map(|t| &t.properties).any(|p| p.sites > 0)
    }

    /// The violations that were not shown as they came.
    pub fn show_all(&self, global: &Global) {
        let style = Style::new(global.color_on_stderr());
        let known = self.reports.status();
        for (i, violation) in self.violations().iter().enumerate() {
            if known.get(i) != Some(&Status::Known) {
                show(style, self.model, violation);
            }
        }
    }

    fn count(&self, found: &Found) -> u64 {
        let counts = self.totals.iter().flat_map(|t| t.counts.get(found.number));
        counts.copied().next().unwrap_or(1)
    }

    /// One line per property, and what else there is to say.
    pub fn summary(&self, global: &Global) {
        let style = Style::new(global.color_on_stderr());
        let mut out = String::new();
        if let Some(totals) = &self.totals {
            if totals.untold > 0 {
                out.push_str(&format!(
                    "… and {} more (--max-violations shows more)\n",
                    counted(totals.untold, "violation")
                ));
            }
            out.push_str(&tallies::lines(style, self.model, &self.tallies(false), global.verbose));
            for limit in self.limits() {
                out.push_str(&format!("{} {limit}\n", style.warning("limit:")));
            }
        }
        if let Some(summary) = self.reports.summary() {
            out.push_str(&format!("{summary}\n"));
        }
        say(&out);
        output::warnings(global, &self.all_warnings());
    }

    /// What makes the result less than it could be.
    fn limits(&self) -> Vec<String> {
        let cut_off: Vec<String> = self.cut_off().into_iter().chain(self.doubts.clone()).collect();
        let Some(totals) = &self.totals else { return cut_off };
        let unproven = match self.proven.contains(&true) {
            true => "nothing is proven about this run: ",
            false => "",
        };
        let left_out = self.model.properties.iter().filter(|p| p.is_proven());
        let left_out: Vec<String> = left_out.map(|p| format!("`{}`", p.name)).collect();
        let but = match left_out.is_empty() {
            true => String::new(),
            false => {
                format!("; {}, proven of the classes analysed, not at all", left_out.join(", "))
            }
        };
        let strangers = totals.strangers.iter().map(|text| format!("{unproven}{text}{but}"));
        cut_off.into_iter().chain(totals.limits.iter().cloned()).chain(strangers).collect()
    }

    /// Why not all of the run was watched, or not all of it is known.
    fn cut_off(&self) -> Option<String> {
        match &self.failure {
            None if self.left && self.totals.is_none() => {
                Some("the program was left before it ended: counts are missing".to_string())
            }
            Some(why) => Some(format!("monitoring stopped: {why}")),
            None if self.started.is_none() => {
                Some("the program ended before it could be monitored".to_string())
            }
            None if self.totals.is_none() => {
                Some("the JVM ended without a word: counts are missing".to_string())
            }
            None => None,
        }
    }

    /// What a person should know about what did not happen.
    fn all_warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        for (i, property) in self.model.properties.iter().enumerate() {
            let unwatched =
                |totals: &Totals| totals.properties.get(i).is_some_and(|t| t.sites == 0);
            if self.silenced[i] && !self.proven[i] && self.totals.as_ref().is_some_and(unwatched) {
                warnings.push(format!(
                    "{}: nothing is watched: the sites there are in the classes that were loaded, \
                     if any, are silenced",
                    property.name
                ));
            }
        }
        if self.totals.is_none() {
            warnings.extend(self.cut_off());
        }
        warnings
    }

    fn violations(&self) -> Vec<Violation> {
        self.found.iter().map(|found| violation(found, self.count(found))).collect()
    }

    /// What came of each property; if that is doubted, nothing is proven.
    fn tallies(&self, doubted: bool) -> Vec<Tally> {
        let totals = |i: usize| self.totals.as_ref().and_then(|t| t.properties.get(i).cloned());
        let tally = |i: usize| {
            let totals = totals(i).unwrap_or_default();
            let heard = self.found.iter().filter(|f| f.report.property.index() == i).count();
            Tally {
                sites: Some(totals.sites),
                events: totals.events,
                instances: Some(totals.instances),
                peak: totals.peak,
                // If the end was not heard of, what was heard counts.
                violations: totals.violations.max(heard as u64),
                satisfactions: totals.satisfactions,
                proven: !doubted && self.proven.get(i).copied().unwrap_or(false),
                ..Tally::default()
            }
        };
        (0..self.model.properties.len()).map(tally).collect()
    }

    /// Writes the reports, with lines of sources from these folders; gives the one for programs.
    pub fn write(&self, sources: &[PathBuf], target: &str) -> anyhow::Result<String> {
        // What was proven was proven of other classes.
        let doubted = self.totals.as_ref().is_none_or(|totals| !totals.strangers.is_empty());
        let totals = self.totals.clone().unwrap_or_default();
        let usual = ["src/main/java", "src/test/java", "src"].map(PathBuf::from);
        let sources = Sources::of_program(if sources.is_empty() { &usual } else { sources });
        let source = |location: &Location| sources.snippet(location);
        let violations = self.violations();
        let outcome = Outcome {
            model: self.model,
            properties: self.tallies(doubted),
            violations: &violations,
            status: self.reports.status(),
            satisfied: &self.satisfied,
            limits: self.limits(),
            warnings: self.all_warnings(),
            stats: Json::object([
                ("events", totals.events.into()),
                ("classes", totals.classes.into()),
                ("woven", totals.woven.into()),
                ("notRelevant", totals.not_relevant.into()),
            ]),
            printed: &self.printed,
            target: target.to_string(),
            version: env!("CARGO_PKG_VERSION"),
            source: &source,
            stopped: None,
        };
        self.reports.write(&outcome)?;
        Ok(Format::Json.render(&outcome))
    }
}

fn violation(found: &Found, count: u64) -> Violation {
    Violation {
        report: found.report.clone(),
        location: found.location.clone(),
        in_program: true,
        stack: found.stack.clone(),
        thread: found.thread.clone(),
        count,
    }
}

/// A violation, its thread and its stack.
fn show(style: Style, model: &Model, violation: &Violation) {
    let mut out = human::violation(style, model, violation);
    if let Some(thread) = &violation.thread {
        out.push_str(&format!("  in thread {}\n", harmless(thread)));
    }
    for frame in &violation.stack {
        let line = format!("    at {}", text::location(frame));
        out.push_str(&format!("{}\n", style.dim(&line)));
    }
    say(&format!("{out}\n"));
}

/// Says something to the person; that nobody listens is nobody's problem.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The report of one process among several: `out.json` becomes `out.1234.json`.
pub fn for_process(path: &Path, pid: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.contains("%p") {
        return path.with_file_name(name.replace("%p", pid));
    }
    match name.rsplit_once('.') {
        Some((stem, extension)) => path.with_file_name(format!("{stem}.{pid}.{extension}")),
        None => path.with_file_name(format!("{name}.{pid}")),
    }
}
