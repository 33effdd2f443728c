//! A run of a JVM program: records come in, a report comes out.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use watchword_model::Model;
use watchword_monitor::{Report, ReportKind};
use watchword_wire::{Found, Record, Totals, WireError, read_record};

use crate::args::Global;
use crate::output::json::Json;
use crate::output::style::{Style, counted, harmless};
use crate::output::violations::Violation;
use crate::output::{self, atomic, human};

/// What was heard of a run so far.
pub struct Run<'m> {
    model: &'m Model,
    found: Vec<Found>,
    satisfied: Vec<Report>,
    printed: Vec<String>,
    warnings: Vec<String>,
    failure: Option<String>,
    started: Option<(u32, String)>,
    totals: Option<Totals>,
}

impl<'m> Run<'m> {
    /// Nothing yet.
    pub fn new(model: &'m Model) -> Run<'m> {
        Run {
            model,
            found: Vec::new(),
            satisfied: Vec::new(),
            printed: Vec::new(),
            warnings: Vec::new(),
            failure: None,
            started: None,
            totals: None,
        }
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
                    if live {
                        show(style, self.model, &violation(&found, 1), &found);
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

    /// Whether anything was violated.
    pub fn has_violations(&self) -> bool {
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
        for found in &self.found {
            show(style, self.model, &violation(found, self.count(found)), found);
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
            for (property, totals) in self.model.properties.iter().zip(&totals.properties) {
                let violations = counted(totals.violations, "violation");
                let violations = match totals.violations {
                    0 => style.good(&violations),
                    _ => style.error(&violations),
                };
                out.push_str(&format!(
                    "{}: {}, {}, {}, {violations}",
                    style.bold(&property.name),
                    counted(totals.sites, "site"),
                    counted(totals.events, "event"),
                    counted(totals.instances, "instance"),
                ));
                if totals.satisfactions > 0 {
                    let times = counted(totals.satisfactions, "time");
                    out.push_str(&format!(", satisfied {times}"));
                }
                out.push('\n');
            }
            for limit in &totals.limits {
                out.push_str(&format!("{} {limit}\n", style.warning("limit:")));
            }
        }
        say(&out);
        for warning in self.all_warnings() {
            output::warning(global.color_on_stderr(), &warning);
        }
    }

    /// What a person should know about what did not happen.
    fn all_warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        if self.started.is_none() && self.failure.is_none() {
            warnings.push("the program ended before it could be monitored".to_string());
        } else if self.totals.is_none() {
            warnings.push(match &self.failure {
                Some(why) => format!("monitoring stopped: {why}"),
                None => "the JVM ended without a word: counts are missing".to_string(),
            });
        }
        warnings
    }

    /// The report for programs.
    pub fn to_json(&self) -> Json {
        let totals = self.totals.clone().unwrap_or_default();
        let properties: Vec<Json> = self
            .model
            .properties
            .iter()
            .enumerate()
            .map(|(i, property)| {
                let totals = totals.properties.get(i).cloned().unwrap_or_default();
                let verdict = match (totals.violations, totals.satisfactions) {
                    (0, 0) => "not-violated",
                    (0, _) => "satisfied",
                    _ => "violated",
                };
                Json::object([
                    ("name", property.name.as_str().into()),
                    ("verdict", verdict.into()),
                    ("sites", totals.sites.into()),
                    ("events", totals.events.into()),
                    ("instances", totals.instances.into()),
                    ("peak", totals.peak.into()),
                    ("violations", totals.violations.into()),
                    ("satisfactions", totals.satisfactions.into()),
                ])
            })
            .collect();
        let texts = |texts: &[String]| -> Json {
            texts.iter().map(|t| Json::from(t.as_str())).collect::<Vec<_>>().into()
        };
        let violations: Vec<Json> = self
            .found
            .iter()
            .map(|found| {
                let stack: Vec<Json> = found.stack.iter().map(Json::from).collect();
                output::summary::violation_json(self.model, &violation(found, self.count(found)))
                    .with("stack", stack)
                    .with_some("thread", found.thread.as_deref())
            })
            .collect();
        let satisfied: Vec<Json> =
            self.satisfied.iter().map(|r| output::summary::report_json(self.model, r)).collect();
        Json::object([
            ("watchword", 1u64.into()),
            ("properties", properties.into()),
            ("violations", violations.into()),
            ("satisfactions", satisfied.into()),
            ("limits", texts(&totals.limits)),
            (
                "stats",
                Json::object([
                    ("events", totals.events.into()),
                    ("classes", totals.classes.into()),
                    ("woven", totals.woven.into()),
                    ("notRelevant", totals.not_relevant.into()),
                ]),
            ),
            ("warnings", texts(&self.all_warnings())),
            ("printed", texts(&self.printed)),
        ])
    }

    /// Writes the reports.
    pub fn write(&self, reports: &[PathBuf]) -> anyhow::Result<()> {
        for path in reports {
            atomic::write(path, &format!("{}\n", self.to_json()))?;
        }
        Ok(())
    }

    /// The process, for people.
    pub fn process(&self) -> Option<u32> {
        self.started.as_ref().map(|(pid, _)| *pid)
    }
}

fn violation(found: &Found, count: u64) -> Violation {
    Violation { report: found.report.clone(), location: found.location.clone(), count }
}

/// A violation, its thread and its stack.
fn show(style: Style, model: &Model, violation: &Violation, found: &Found) {
    let mut text = human::violation(style, model, violation);
    if let Some(thread) = &found.thread {
        text.push_str(&format!("  in thread {}\n", harmless(thread)));
    }
    for frame in &found.stack {
        let line = format!("    at {}", human::location(frame));
        text.push_str(&format!("{}\n", style.dim(&line)));
    }
    say(&format!("{text}\n"));
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
