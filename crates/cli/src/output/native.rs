//! What came of a run of a native program.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use watchword_model::{Location, Model, Property, PropertyId};
use watchword_native::{ArmNote, Armed, Found, FrameLine, Monitor, Program};
use watchword_spec::SourceFile;
use watchword_view::report::Format;
use watchword_view::{APART, Outcome, Status, Tally};

use super::json::Json;
use super::reports::Reports;
use super::sources::Sources;
use super::style::{Style, harmless};
use super::violations::Violations;
use super::{human, style, tallies};

/// Verdicts of one set of properties, merged by site, with the backtrace of the first.
#[derive(Debug)]
pub struct Findings {
    /// The violations.
    pub violations: Violations,
    /// How many violations of every property were in runs that were undone.
    pub undone: Vec<u64>,
    backtraces: HashMap<usize, Vec<FrameLine>>,
    /// Positions that were not shown yet.
    fresh: Vec<usize>,
}

impl Findings {
    /// Nothing yet; at most `limit` violations are kept.
    pub fn new(model: &Model, limit: usize, unique: bool) -> Findings {
        Findings {
            violations: Violations::new(model, &[], limit, unique),
            undone: vec![0; model.properties.len()],
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
        files: &[SourceFile],
        target: &str,
    ) -> anyhow::Result<String> {
        let Violations { kept, satisfied, dropped, .. } = &self.violations;
        let sources = Sources::of_program(sources);
        let source = |location: &Location| sources.snippet(location);
        let mut limits = Vec::new();
        if *dropped > 0 {
            limits.push(format!("{dropped} violations are counted but not listed"));
        }
        let stats = monitor.engine.stats();
        for doubt in monitor.engine.doubts() {
            let at = doubt.property.index();
            limits.push(doubt.text(&monitor.model.properties[at].name, stats[at].inconclusive));
        }
        let outcome = Outcome {
            model: &monitor.model,
            properties: self.count(monitor, files),
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

    /// What came of each property.
    fn count(&self, monitor: &Monitor, files: &[SourceFile]) -> Vec<Tally> {
        let (stats, made) = (monitor.engine.stats(), monitor.engine.made());
        let model = &monitor.model;
        let properties = model.properties.iter().enumerate();
        let tally = |(i, property): (usize, &Property)| {
            let by_event = tallies::by_event(model, property, |e| monitor.by_event[e.index()]);
            let missed = tallies::missed(model, property, &by_event, files);
            Tally {
                sites: Some(monitor.sites(i) as u64),
                events: monitor.observed(i),
                instances: Some(made[i]),
                peak: stats[i].peak,
                violations: self.violations.counts[i],
                undone: self.undone[i],
                satisfactions: self.violations.satisfactions[i],
                inconclusive: monitor
                    .engine
                    .limits()
                    .iter()
                    .any(|limit| limit.blurs(model, PropertyId::from_index(i))),
                proven: property.is_proven(),
                by_event,
                missed,
            }
        };
        properties.map(tally).collect()
    }

    /// One line per property, or per property that has anything to tell.
    pub fn summary(
        &self,
        style: Style,
        monitor: &Monitor,
        files: &[SourceFile],
        all: bool,
    ) -> String {
        let counted = self.count(monitor, files);
        let mut out = tallies::lines(style, &monitor.model, &counted, all);
        for (property, stats) in monitor.model.properties.iter().zip(monitor.engine.stats()) {
            if stats.discarded > 0 {
                let discarded = style::counted(stats.discarded, "instance");
                let were = if stats.discarded == 1 { "was" } else { "were" };
                let limit = style.warning("limit:");
                let _ = writeln!(
                    out,
                    "{limit} {}: {discarded} {were} discarded (--max-instances): violations may be \
                 missing",
                    property.name
                );
            }
        }
        out
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
        all.push(
            "the program has no debug information: compile it with -g, do not strip it".into(),
        );
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
