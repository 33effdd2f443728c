//! Text logs: lines in which regular expressions find events.

use regex::{CaptureLocations, Regex, RegexSet};
use watchword_model::{EventId, LogSelect, LogTerm, Model, Origin, Source};

use super::emit::{Emitter, Sink};
use super::error::{Fault, Flaw};
use super::locations::Locations;
use super::record::{Arg, ArgKey, Raw, Record, Slot, Text};
use super::routes::{How, Routes, Target, Term};
use super::time;

type Result<T> = std::result::Result<T, Box<Flaw>>;

/// A `log /…/` source.
struct Pattern {
    regex: Regex,
    groups: CaptureLocations,
    target: Target,
    /// Per captured parameter, the group; `None` is the whole line.
    captures: Vec<Option<usize>>,
    /// The group that holds the time, if no parameter is called so.
    time: Option<usize>,
}

/// All `log /…/` sources of a model, in the order of their declarations.
pub struct TextLog {
    patterns: Vec<Pattern>,
    /// Which patterns match, in one pass; only where there are several.
    set: Option<RegexSet>,
    /// The times at the beginning of lines matter.
    timed: bool,
}

impl TextLog {
    /// Compiles the patterns of a model.
    pub fn new(model: &Model) -> anyhow::Result<TextLog> {
        let mut patterns = Vec::new();
        for (index, decl) in model.events.iter().enumerate() {
            let Origin::World(sources) = &decl.origin else { continue };
            for source in sources {
                let Source::Log(log) = source else { continue };
                let LogSelect::Regex(text) = &log.select else { continue };
                let regex = Regex::new(text).map_err(|e| {
                    anyhow::anyhow!("event `{}`: the pattern /{text}/ is not valid: {e}", decl.name)
                })?;
                let mut captures = Vec::new();
                let mut terms = Vec::new();
                for capture in &log.captures {
                    let group = match &capture.term {
                        LogTerm::Group(name) => {
                            match regex.capture_names().position(|n| n == Some(name)) {
                                Some(group) => Some(group),
                                None => continue,
                            }
                        }
                        LogTerm::Position(n) => Some(*n as usize + 1),
                        LogTerm::Line => None,
                        LogTerm::Field(_) => continue,
                    };
                    terms.push((capture.param, Term::Arg(captures.len())));
                    captures.push(group);
                }
                let time = regex
                    .capture_names()
                    .position(|name| name == Some("time"))
                    .filter(|_| decl.param("time").is_none());
                patterns.push(Pattern {
                    groups: regex.capture_locations(),
                    target: Target {
                        event: EventId::from_index(index),
                        conditions: Vec::new(),
                        how: How::Captures(terms),
                    },
                    captures,
                    time,
                    regex,
                });
            }
        }
        let set = match patterns.len() {
            0 | 1 => None,
            _ => Some(RegexSet::new(patterns.iter().map(|p| p.regex.as_str()))?),
        };
        let timed = !model.clocks.is_empty()
            || model.properties.iter().any(|p| p.states.iter().any(|s| s.deadline.is_some()));
        Ok(TextLog { patterns, set, timed })
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Finds the events of a line and hands them over.
    #[allow(clippy::too_many_arguments)] // One call, from the reader that owns all of these.
    pub fn read<S: Sink>(
        &mut self,
        line: &str,
        record: &mut Record,
        emitter: &mut Emitter,
        routes: &Routes,
        locations: &mut Locations,
        line_number: u64,
        sink: &mut S,
    ) -> Result<()> {
        let mut last = None;
        match &self.set {
            None => {
                for pattern in &mut self.patterns {
                    if let Some(event) = pattern.find(line, record, self.timed, last)? {
                        last = Some(event);
                        let here = locations.line(line_number);
                        emitter.send_cells(line, record, &pattern.target, routes, here, sink)?;
                    }
                }
            }
            Some(set) => {
                for index in set.matches(line) {
                    let pattern = &mut self.patterns[index];
                    if let Some(event) = pattern.find(line, record, self.timed, last)? {
                        last = Some(event);
                        let here = locations.line(line_number);
                        emitter.send_cells(line, record, &pattern.target, routes, here, sink)?;
                    }
                }
            }
        }
        if last.is_some() {
            return Ok(());
        }
        record.clear();
        if self.timed {
            leading_time(line, record);
        }
        emitter.pass_by(record, sink)
    }
}

impl Pattern {
    /// Fills the record if the line matches, unless the same declaration did already.
    fn find(
        &mut self,
        line: &str,
        record: &mut Record,
        timed: bool,
        last: Option<EventId>,
    ) -> Result<Option<EventId>> {
        if last == Some(self.target.event) {
            return Ok(None);
        }
        if self.regex.captures_read(&mut self.groups, line).is_none() {
            return Ok(None);
        }
        record.clear();
        record.has_args = true;
        for group in &self.captures {
            let range = match group {
                Some(group) => self.groups.get(*group),
                None => Some((0, line.len())),
            };
            let slot = match range {
                Some((start, end)) => Slot::new(Raw::Cell(Text::of_line(start, end)), start),
                None => Slot::MISSING,
            };
            record.args.push(Arg { key: ArgKey::Position, slot });
        }
        if let Some(group) = self.time {
            if let Some((start, end)) = self.groups.get(group) {
                let text = &line[start..end];
                record.time_at = start;
                record.time = time::seconds(text).or_else(|| time::rfc3339(text));
                if record.time.is_none() {
                    let message = "expected the group `time` to hold seconds or an RFC 3339 time";
                    return Err(Flaw::new(Fault::Field, start, message));
                }
            }
        } else if timed {
            leading_time(line, record);
        }
        Ok(Some(self.target.event))
    }
}

/// The time a line begins with, perhaps in brackets.
fn leading_time(line: &str, record: &mut Record) {
    let start = usize::from(line.starts_with('['));
    record.time_at = start;
    record.time = time::rfc3339_prefix(&line[start..]).map(|(time, _)| time);
}
