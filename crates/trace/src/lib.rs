//! Recorded traces: read into the events of a model, and [written](mod@write).
//!
//! A trace is a stream of [lines]. A [format](formats) reads each
//! into a [`Record`] without copying; the [routes] of the model say which declared events a
//! record of that name stands for; the emitter ([emit]) takes the arguments out of the record,
//! checks them against the declared types and hands borrowed events to a [`Sink`]. All of it is
//! pure over `Read`.
//!
//! What is wrong with a line is a [`Flaw`] at a byte; [`ReadError`] says in which file, line and
//! column. Nothing in here panics on input.

pub mod emit;
pub mod error;
pub mod formats;
pub mod json;
pub mod lines;
pub mod locations;
pub mod paths;
pub mod pattern;
pub mod points;
pub mod record;
pub mod routes;
mod selected;
pub mod threads;
pub mod time;
pub mod times;
pub mod write;

use std::io::Read;

use watchword_model::{Model, Time};

use emit::{Emitter, Sink};
use error::{Fault, Flaw, ReadError};
use formats::text::{TextLog, Told};
use formats::{Around, Line, LineFormat, csv};
use lines::Lines;
use locations::Locations;
use pattern::LogPattern;
use record::Record;
use routes::Routes;
use threads::Threads;
use times::{TimeFormat, Times};

pub use error::Error;
pub use formats::Format;

type Result<T, E = Error> = std::result::Result<T, E>;

/// What to do with lines that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadLines {
    /// The first one is an error.
    Refuse,
    /// They are left out and counted.
    Skip,
}

/// How traces are read, where that is not as usual.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// Patterns for the lines of text logs; the first that fits a line is taken.
    pub patterns: Vec<String>,
    /// How times are written.
    pub time_format: Option<TimeFormat>,
    /// The field that has the time, if not `time`; dots are levels.
    pub time_field: Option<String>,
    /// How late an event may come.
    pub sort_window: Option<Time>,
}

/// Reads traces as the events of one model.
pub struct Reader {
    /// Where names lead; tells afterwards what was there.
    pub routes: Routes,
    /// Tells afterwards what was seen of each event.
    pub emitter: Emitter,
    /// How many lines were read.
    pub lines: u64,
    /// How many were left out, and the first of them.
    pub skipped: u64,
    /// The first line that was left out.
    pub first_skipped: Option<ReadError>,
    /// How many lines were like none of the patterns, and the first of them.
    pub unlike: u64,
    /// The first line that was like none of the patterns: file and number.
    pub first_unlike: Option<(String, u64)>,
    /// How many lines were like a pattern.
    pub alike: u64,
    /// How many lines begin with what looks like a time and is none.
    pub mistimed: u64,
    /// The first of them: file and number.
    pub first_mistimed: Option<(String, u64)>,
    /// The first file of rows without names of columns whose first row is no event that is known.
    pub first_unnamed: Option<String>,
    text: TextLog,
    patterns: Vec<LogPattern>,
    times: Times,
    bad_lines: BadLines,
    threads: Threads,
    locations: Locations,
    record: Record,
}

impl Reader {
    /// A reader for the events of that model.
    pub fn new(model: &Model, bad_lines: BadLines) -> Result<Reader> {
        Reader::with(model, bad_lines, &Manner::default())
    }

    /// A reader for the events of that model that reads in a manner of its own.
    pub fn with(model: &Model, bad_lines: BadLines, manner: &Manner) -> Result<Reader> {
        let mut routes = Routes::new(model);
        let mut times = Times::new(manner.time_format.clone().unwrap_or(TimeFormat::Usual));
        times.late = manner.sort_window.unwrap_or(0);
        if let Some(field) = &manner.time_field {
            let path: Vec<&str> = field.split('.').collect();
            times.field = Some(routes.paths.add(&path));
            times.name = Some(field.as_str().into());
        }
        let time = manner.time_field.as_deref().unwrap_or("time");
        let patterns = manner.patterns.iter().map(|pattern| {
            LogPattern::new(pattern, &routes.paths, time, &times)
                .map_err(|why| Error::pattern(format!("--log-pattern {pattern:?}: {why}")))
        });
        let patterns = patterns.collect::<Result<Vec<_>>>()?;
        Ok(Reader {
            emitter: Emitter::new(routes.events.len()),
            record: Record::new(routes.paths.len()),
            routes,
            lines: 0,
            skipped: 0,
            first_skipped: None,
            unlike: 0,
            first_unlike: None,
            alike: 0,
            mistimed: 0,
            first_mistimed: None,
            first_unnamed: None,
            text: TextLog::new(model)?,
            patterns,
            times,
            bad_lines,
            threads: Threads::default(),
            locations: Locations::new(""),
        })
    }

    /// Reads a whole trace. `progress` hears after every block how many bytes were read.
    pub fn read<R: Read, S: Sink>(
        &mut self,
        name: &str,
        input: R,
        format: Option<Format>,
        sink: &mut S,
        mut progress: impl FnMut(u64, &mut S),
    ) -> Result<()> {
        let mut lines = Lines::new(input);
        let start = lines.peek_line(4096).map_err(|e| Error::stream(name, e))?;
        refuse_compressed(name, start)?;
        let guess = format.is_none().then(|| self.guess(name, start));
        let format = format.or(guess.flatten());
        if start.starts_with(b"\xEF\xBB\xBF") {
            lines.skip(3);
        }
        self.locations.set_file(name);
        let entry = format.unwrap_or(Format::Jsonl).entry();
        let mut pass = Pass {
            unsure: format.is_none(),
            lines: entry.open.map(|open| open(&self.routes, &self.times)),
            name,
            number: 0,
            spanning: entry.spans,
            patience: PATIENCE,
            reader: self,
        };
        loop {
            let Some(block) = lines.next_block().map_err(|e| Error::stream(name, e))? else {
                return Ok(());
            };
            let overlong = block.overlong;
            let unfinished = pass.block(block.bytes, overlong, sink)?;
            if unfinished > 0 {
                let more = lines.put_back(unfinished);
                if !more.map_err(|e| Error::stream(name, e))? {
                    let block = lines.next_block().map_err(|e| Error::stream(name, e))?;
                    if let Some(block) = block {
                        pass.rest(block.bytes, sink)?;
                    }
                }
            }
            sink.rest();
            progress(lines.taken(), sink);
        }
    }

    /// The format by the extension of the name, or by the first characters, if they tell.
    fn guess(&self, name: &str, start: &[u8]) -> Option<Format> {
        match Format::of_file(name) {
            Some(Format::Text) if self.text.is_empty() && self.patterns.is_empty() => {}
            Some(format) => return Some(format),
            None if !self.patterns.is_empty() => return Some(Format::Text),
            None => {}
        }
        let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
        let start = start.trim_ascii_start();
        let line = start.split(|b| *b == b'\n').next().unwrap_or_default();
        // Only its beginning is here, which may end within a character.
        let line = &*String::from_utf8_lossy(line);
        let surely = Format::TABLE.iter().find(|entry| (entry.is)(line, &self.routes));
        let searched = || (!self.text.is_empty()).then(|| Format::Text.entry());
        let likely = || Format::TABLE.iter().find(|entry| (entry.looks_like)(line));
        surely.or_else(searched).or_else(likely).map(|entry| entry.format)
    }
}

/// What is still compressed here is so in a way that is not read.
fn refuse_compressed(name: &str, start: &[u8]) -> Result<()> {
    let (what, how) = match start {
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("xz", "xzcat"),
        [b'B', b'Z', b'h', ..] => ("bzip2", "bzcat"),
        _ => return Ok(()),
    };
    let message = format!(
        "the trace is compressed with {what}, which is not read directly; \
         use `{how} {name} | watchword replay … -`"
    );
    Err(ReadError::place(&Flaw { fault: Fault::Compressed, at: 0, message }, name, 1, b"").into())
}

/// One pass over one trace.
struct Pass<'r> {
    reader: &'r mut Reader,
    name: &'r str,
    /// Makes records of lines; without it, lines are searched for patterns.
    lines: Option<Box<dyn LineFormat>>,
    /// The number of the line that is being read.
    number: u64,
    /// Rows may span lines. Not any more once a quote turned out never to be closed: looking for its
    /// end again and again would take forever.
    spanning: bool,
    /// How many bytes may still be read once more because a quote was closed in the wrong place.
    patience: usize,
    /// Neither the name nor the first line tells the format.
    unsure: bool,
}

/// Rows that are read once more, in bytes of one trace; enough for mistakes, not for malice.
const PATIENCE: usize = 64 << 20;

/// What to do about a trace of unknown format.
const NO_FORMAT: &str = "; for a text log, `--log-pattern` says what its lines are like, and properties may have \
     patterns of their own (`log /…/`)";

impl Pass<'_> {
    /// Reads whole lines; answers how many bytes at the end belong to a row that goes on.
    fn block<S: Sink>(&mut self, bytes: &[u8], overlong: bool, sink: &mut S) -> Result<usize> {
        if overlong {
            self.number += 1;
            self.bad(&too_long(), &bytes[..bytes.len().min(4096)])?;
            return Ok(0);
        }
        let mut rest = bytes;
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.lines(text, sink),
                Err(error) => {
                    let valid = error.valid_up_to();
                    let start = memchr::memrchr(b'\n', &rest[..valid]).map_or(0, |i| i + 1);
                    let end =
                        memchr::memchr(b'\n', &rest[valid..]).map_or(rest.len(), |i| valid + i + 1);
                    // Everything before the bad line is valid text.
                    let before = std::str::from_utf8(&rest[..start]).unwrap_or_default();
                    let unfinished = self.lines(before, sink)?;
                    if unfinished > 0 {
                        self.unclosed(&before[before.len() - unfinished..], sink)?;
                    }
                    self.number += 1;
                    let flaw = Flaw {
                        fault: Fault::Encoding,
                        at: valid - start,
                        message: "expected UTF-8 text, found other bytes".to_string(),
                    };
                    self.bad(&flaw, &rest[start..end])?;
                    rest = &rest[end..];
                }
            }
        }
    }

    /// Reads the last lines of the trace, where nothing can go on any more.
    fn rest<S: Sink>(&mut self, bytes: &[u8], sink: &mut S) -> Result<()> {
        let unfinished = self.block(bytes, false, sink)?;
        if unfinished > 0 {
            let text = std::str::from_utf8(&bytes[bytes.len() - unfinished..]);
            self.unclosed(text.unwrap_or_default(), sink)?;
        }
        Ok(())
    }

    fn lines<S: Sink>(&mut self, text: &str, sink: &mut S) -> Result<usize> {
        let bytes = text.as_bytes();
        let mut start = 0;
        while start < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |i| start + i);
            let mut line = &text[start..end];
            if self.spanning
                && memchr::memchr(b'"', line.as_bytes()).is_some()
                && csv::open_after(line.as_bytes(), false)
            {
                match row_end(bytes, end + 1) {
                    RowEnd::At(row_end) => {
                        let row = text[start..row_end].trim_end_matches('\n');
                        start = if self.row(row, sink)? { row_end } else { end + 1 };
                        continue;
                    }
                    RowEnd::Beyond if bytes.len() - start <= csv::MAX_ROW => {
                        return Ok(bytes.len() - start);
                    }
                    // The quote was never meant to span lines: only this line is bad.
                    RowEnd::Beyond | RowEnd::TooFar => self.spanning = false,
                }
            }
            start = end + 1;
            if line.ends_with('\r') {
                line = &line[..line.len() - 1];
            }
            self.line(line, sink)?;
        }
        Ok(0)
    }

    /// A row of several lines; whether it was one. A quote that is closed where no row ends was
    /// never meant to span lines: if bad lines are left out, only the first of them is bad.
    fn row<S: Sink>(&mut self, row: &str, sink: &mut S) -> Result<bool> {
        let more = memchr::memchr_iter(b'\n', row.as_bytes()).count() as u64;
        self.number += 1;
        self.reader.lines += 1;
        let Err(flaw) = self.record(row, sink) else {
            self.number += more;
            return Ok(true);
        };
        if flaw.fault == Fault::Quotes && self.reader.bad_lines == BadLines::Skip {
            self.spanning = self.patience > row.len();
            self.patience = self.patience.saturating_sub(row.len());
            let first = row.lines().next().unwrap_or_default();
            let at = memchr::memrchr(b'"', first.as_bytes()).unwrap_or(0);
            self.bad(&Flaw::new(Fault::Quotes, at, csv::UNCLOSED), first.as_bytes())?;
            return Ok(false);
        }
        self.bad(&flaw, row.as_bytes())?;
        self.reader.skipped += more;
        self.number += more;
        Ok(true)
    }

    /// Lines at the end of the trace after a quote that is never closed: the first one is bad,
    /// the others may be fine.
    fn unclosed<S: Sink>(&mut self, text: &str, sink: &mut S) -> Result<()> {
        self.spanning = false;
        self.lines(text, sink).map(drop)
    }

    #[inline]
    fn line<S: Sink>(&mut self, line: &str, sink: &mut S) -> Result<()> {
        self.number += 1;
        self.reader.lines += 1;
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        if line.len() > lines::MAX_LINE {
            return self.bad(&too_long(), &line.as_bytes()[..4096]);
        }
        match self.record(line, sink) {
            Ok(()) => Ok(()),
            Err(mut flaw) => {
                if self.unsure && !line.trim_ascii_start().starts_with('{') {
                    flaw.message.push_str(NO_FORMAT);
                }
                self.bad(&flaw, line.as_bytes())
            }
        }
    }

    #[inline]
    fn record<S: Sink>(&mut self, line: &str, sink: &mut S) -> Result<(), Box<Flaw>> {
        let Reader { routes, emitter, threads, locations, record, times, first_unnamed, .. } =
            &mut *self.reader;
        record.clear();
        let Some(lines) = &mut self.lines else { return self.searched(line, sink) };
        let mut around = Around { routes, locations, threads, times, unnamed: false };
        let read = lines.read(line, record, &mut around);
        if around.unnamed {
            first_unnamed.get_or_insert_with(|| self.name.to_string());
        }
        match read? {
            Line::Record => emitter.emit(line, record, routes, locations, self.number, sink),
            Line::Header => {
                emitter.set_columns(routes, lines.columns().into_iter());
                Ok(())
            }
        }
    }

    /// A line of text, in which patterns of the model find events.
    fn searched<S: Sink>(&mut self, line: &str, sink: &mut S) -> Result<(), Box<Flaw>> {
        if !self.reader.patterns.is_empty() {
            return self.patterned(line, sink);
        }
        let number = self.number;
        let Reader { routes, emitter, text, locations, record, times, .. } = &mut *self.reader;
        let found =
            text.read(line, None, record, emitter, routes, locations, number, times, sink)?;
        if !found {
            emitter.pass_by(record, sink)?;
        }
        self.look_at_times();
        Ok(())
    }

    /// A line of text that a pattern makes a record of; the events of both are there.
    fn patterned<S: Sink>(&mut self, line: &str, sink: &mut S) -> Result<(), Box<Flaw>> {
        let number = self.number;
        let Reader { routes, emitter, text, threads, locations, record, times, patterns, .. } =
            &mut *self.reader;
        let mut alike = false;
        for pattern in patterns {
            alike = pattern.read(line, record, locations, threads, times)?;
            if alike {
                break;
            }
        }
        let mut found = false;
        let mut told = None;
        if alike {
            told = Some(Told::of(record));
            found = emitter.offer(line, record, routes, locations, number, sink)?;
        }
        found |= text.read(line, told, record, emitter, routes, locations, number, times, sink)?;
        if !found {
            emitter.pass_by(record, sink)?;
        }
        self.look_at_times();
        match alike {
            true => self.reader.alike += 1,
            false => {
                self.reader.unlike += 1;
                let name = self.name;
                self.reader.first_unlike.get_or_insert_with(|| (name.to_string(), number));
            }
        }
        Ok(())
    }

    /// Notes that the line began with a time that is none.
    #[inline]
    fn look_at_times(&mut self) {
        if std::mem::take(&mut self.reader.times.mistaken) {
            self.reader.mistimed += 1;
            let place = || (self.name.to_string(), self.number);
            self.reader.first_mistimed.get_or_insert_with(place);
        }
    }

    #[cold]
    #[inline(never)]
    fn bad(&mut self, flaw: &Flaw, record: &[u8]) -> Result<()> {
        let error = ReadError::place(flaw, self.name, self.number, record);
        if self.reader.bad_lines == BadLines::Refuse {
            return Err(error.into());
        }
        self.reader.skipped += 1;
        self.reader.first_skipped.get_or_insert(error);
        Ok(())
    }
}

fn too_long() -> Box<Flaw> {
    let message = format!("this line has more than {} MiB", lines::MAX_LINE >> 20);
    Flaw::new(Fault::TooLong, 0, message)
}

/// Where a CSV row ends that has an open quote.
enum RowEnd {
    At(usize),
    /// Not in this block.
    Beyond,
    TooFar,
}

fn row_end(bytes: &[u8], from: usize) -> RowEnd {
    let mut start = from;
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |i| start + i);
        if !csv::open_after(&bytes[start..end], true) {
            return RowEnd::At((end + 1).min(bytes.len()));
        }
        if end - from > csv::MAX_ROW {
            return RowEnd::TooFar;
        }
        start = end + 1;
    }
    RowEnd::Beyond
}
