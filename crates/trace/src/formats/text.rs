//! Text logs: lines in which regular expressions find events.

use regex::{CaptureLocations, Regex, RegexSet};
use watchword_model::{EventId, LogSelect, LogTerm, Model, Origin, Source, Time};

use crate::emit::{Emitter, Sink};
use crate::error::{Error, Fault, Flaw};
use crate::locations::Locations;
use crate::recognise::{self, Place};
use crate::record::{Arg, ArgKey, Raw, Record, Slot, Text};
use crate::routes::{How, Routes, Target, Term};
use crate::times::Times;

type Result<T> = std::result::Result<T, Box<Flaw>>;

/// Whether a line begins with a time and goes on with text: such a line has commas, but is no row.
pub fn begins_with_time(line: &str) -> bool {
    recognise::in_line(line).is_some_and(|(_, place, time)| {
        let rest = line[time.end..].trim_start_matches(']');
        place == Place::Start && rest.starts_with(char::is_whitespace)
    })
}

/// A `log /…/` source.
#[derive(Clone)]
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
#[derive(Clone)]
pub struct TextLog {
    patterns: Vec<Pattern>,
    /// Which patterns match, in one pass; only where there are several.
    set: Option<RegexSet>,
    /// The times at the beginning of lines matter.
    timed: bool,
}

impl TextLog {
    /// Compiles the patterns of a model. `timed`: the times of lines matter.
    pub fn new(model: &Model, timed: bool) -> std::result::Result<TextLog, Error> {
        let mut patterns = Vec::new();
        for (index, decl) in model.events.iter().enumerate() {
            let Origin::World(sources) = &decl.origin else { continue };
            for source in sources {
                let Source::Log(log) = source else { continue };
                let LogSelect::Regex(text) = &log.select else { continue };
                let regex = Regex::new(text).map_err(|e| {
                    Error::pattern(format!(
                        "event `{}`: the pattern /{text}/ is not valid: {e}",
                        decl.name
                    ))
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
            _ => {
                let set = RegexSet::new(patterns.iter().map(|p| p.regex.as_str()));
                Some(set.map_err(|e| Error::pattern(e.to_string()))?)
            }
        };
        Ok(TextLog { patterns, set, timed })
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Finds the events of a line and hands them over; whether there were some. `told` is what is
    /// known of the line already.
    #[allow(clippy::too_many_arguments)] // One call, from the reader that owns all of these.
    pub fn read<S: Sink>(
        &mut self,
        line: &str,
        told: Option<Told>,
        record: &mut Record,
        emitter: &mut Emitter,
        routes: &Routes,
        locations: &mut Locations,
        line_number: u64,
        times: &mut Times,
        sink: &mut S,
    ) -> Result<bool> {
        let told = told.unwrap_or_else(|| match self.timed {
            true => Told::leading(line, times),
            false => Told::default(),
        });
        let (mut last, timed) = (None, self.timed);
        let mut try_pattern = |pattern: &mut Pattern| -> Result<()> {
            if let Some(event) = pattern.find(line, record, told, last, times)? {
                last = Some(event);
                if timed
                    && record.time.is_none()
                    && let Some(why) = times.written_otherwise(line)
                {
                    return Err(Flaw::new(Fault::Field, told.time_at, why));
                }
                let here = match record.location {
                    Some(known) => locations.get(known),
                    None => locations.line(line_number),
                };
                emitter.send_cells(line, record, &pattern.target, routes, here, sink)?;
            }
            Ok(())
        };
        match &self.set {
            None => self.patterns.iter_mut().try_for_each(&mut try_pattern)?,
            Some(set) => {
                for index in set.matches(line) {
                    try_pattern(&mut self.patterns[index])?;
                }
            }
        }
        record.clear();
        told.put_into(record);
        Ok(last.is_some())
    }
}

/// What is known of a line before its events are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    time: Option<Time>,
    time_at: usize,
    thread: Option<u64>,
    location: Option<usize>,
}

impl Told {
    /// What a record says of its line.
    pub fn of(record: &Record) -> Told {
        let Record { time, time_at, thread, location, .. } = *record;
        Told { time, time_at, thread, location }
    }

    /// Something is known of the time alone.
    pub fn at(time: Time) -> Told {
        Told { time: Some(time), ..Told::default() }
    }

    /// The same at another time, if that is known better.
    pub fn but_at(self, other: Option<Told>) -> Told {
        let time = other.and_then(|other| other.time);
        Told { time: time.or(self.time), ..self }
    }

    /// The time of the line.
    fn leading(line: &str, times: &mut Times) -> Told {
        let (time, time_at) = times.in_text(line);
        Told { time, time_at, ..Told::default() }
    }

    /// Lets a record say it.
    pub fn put_into(self, record: &mut Record) {
        record.time = self.time;
        record.time_at = self.time_at;
        record.thread = self.thread;
        record.location = self.location;
    }
}

impl Pattern {
    /// Fills the record if the line matches, unless the same declaration did already.
    fn find(
        &mut self,
        line: &str,
        record: &mut Record,
        told: Told,
        last: Option<EventId>,
        times: &mut Times,
    ) -> Result<Option<EventId>> {
        if last == Some(self.target.event) {
            return Ok(None);
        }
        if self.regex.captures_read(&mut self.groups, line).is_none() {
            return Ok(None);
        }
        record.clear();
        told.put_into(record);
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
        if let Some((start, end)) = self.time.and_then(|group| self.groups.get(group)) {
            record.time_at = start;
            record.time = times.text(&line[start..end]);
            if record.time.is_none() {
                let message = format!("expected the group `time` to hold {}", times.expected());
                return Err(Flaw::new(Fault::Field, start, message));
            }
        }
        Ok(Some(self.target.event))
    }
}
