//! What came of a run of a native program.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use watchword_model::{Location, Model};
use watchword_monitor::{self as monitor, Totals};
use watchword_native::{ArmNote, Armed, Found, FrameLine, Monitor, Program};
use watchword_spec::SourceFile;
use watchword_view::report::Format;
use watchword_view::{APART, Outcome, Status, Tally};

use super::findings::{self, Findings};
use super::reports::Reports;
use super::sources::Sources;
use super::style::{Style, harmless};
use super::{human, tallies};

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

    /// One line per property, or per property that has anything to tell.
    pub fn summary(&self, style: Style, model: &Model, ended: &Ended, all: bool) -> String {
        let Ended { totals, tallies } = ended;
        let limits = self.findings.limits(totals);
        let mut out = findings::unlisted(totals);
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

/// A backtrace for people, indented.
pub fn backtrace(style: Style, frames: &[FrameLine]) -> String {
    let mut out = String::new();
    for (i, frame) in frames.iter().enumerate() {
        let line = format!("    #{i:<2} {}", harmless(&frame.to_string()));
        let _ = writeln!(out, "{}", style.dim(&line));
    }
    out
}

/// Declared events that were found nowhere in the program so far, for people.
pub fn missing(program: &mut Program) -> Vec<String> {
    let all = program.missing().into_iter();
    let mut all: Vec<String> = all
        .map(|text| format!("{}; libraries loaded later are searched, too", harmless(&text)))
        .collect();
    if !all.is_empty() && !program.has_debug_info() {
        all.push(
            "the program has no debug information: compile it with -g, do not strip it".into(),
        );
    }
    let lost = program.lost_debug_files();
    if let Some(first) = lost.first() {
        let others = match lost.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        all.push(format!(
            "debug information of the program is missing: {}{others} cannot be found; types, \
             variables and places in there are not known",
            harmless(first)
        ));
    }
    all
}

/// A note about arming, for people.
#[derive(Debug, PartialEq, Eq)]
pub enum Note {
    /// Something will not be seen as it is.
    Warning(String),
    /// What the curious want to know.
    Detail(String),
}

/// What is to be told about arming. What is so for many functions is told of one of them, unless
/// everything is wanted.
pub fn notes(notes: &[ArmNote], verbose: bool) -> Vec<Note> {
    let mut told: Vec<Note> = Vec::new();
    let mut alike: Vec<(String, Vec<String>)> = Vec::new();
    for note in notes {
        match note {
            ArmNote::Armed(armed) if verbose => told.push(Note::Detail(detail(armed))),
            ArmNote::Armed(_) => {}
            ArmNote::Unprivileged { program } => told.push(Note::Warning(format!(
                "{} runs without the rights of its owner: the kernel grants them to a traced \
                 program only if the tracer is root",
                harmless(&program.to_string_lossy())
            ))),
            ArmNote::Warning { event, text } => {
                let said = format!("`{event}`: {}", harmless(text));
                let kind = kind(text);
                match alike.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, all)) => all.push(said),
                    None => alike.push((kind, vec![said])),
                }
            }
        }
    }
    for (_, all) in alike {
        if verbose || all.len() <= APART {
            told.extend(all.into_iter().map(Note::Warning));
        } else {
            let more = all.len() - 1;
            told.push(Note::Warning(format!("{} (and {more} more like it; -v)", all[0])));
        }
    }
    told
}

fn detail(armed: &Armed) -> String {
    let file = armed.module.file_name().unwrap_or(armed.module.as_os_str());
    format!(
        "armed `{}` at {} ({:#x} in {}): {}",
        armed.event,
        harmless(&armed.name),
        armed.address,
        file.to_string_lossy(),
        armed.how
    )
}

/// What a note says, whatever it says it of: without names in quotes, numbers and plurals.
fn kind(text: &str) -> String {
    let outside = text.split('`').step_by(2).collect::<String>();
    let words = outside.split_whitespace();
    let words = words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    words.map(|word| word.trim_end_matches(['s', ':', ','])).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_so_for_many_functions_is_told_once() {
        let jumps = |name: &str, n: u32| {
            let places = if n == 1 { "place" } else { "places" };
            let text = format!("`{name}` ends by jumping in {n} {places}: so be it");
            ArmNote::Warning { event: "opened".to_string(), text }
        };
        let other = ArmNote::Warning { event: "e".to_string(), text: "something".to_string() };
        let few = [jumps("a", 1), jumps("b", 2), other.clone()];
        assert_eq!(notes(&few, false).len(), 3);
        let many = [jumps("a", 1), jumps("b", 2), other, jumps("c", 1), jumps("d::e", 1)];
        let said = "`opened`: `a` ends by jumping in 1 place: so be it (and 3 more like it; -v)";
        let want = [Note::Warning(said.to_string()), Note::Warning("`e`: something".to_string())];
        assert_eq!(notes(&many, false), want);
        assert_eq!(notes(&many, true).len(), 5);
    }
}
