//! Lines of a trace on their way to events: cut, decoded, read by the format, handed to the emitter.

use crate::elements::{Elements, Step};
use crate::emit::Sink;
use crate::envelope::{self, Inside};
use crate::error::{Fault, Flaw, ReadError};
use crate::formats::jsonl::JsonLines;
use crate::formats::text::Told;
use crate::formats::{Around, Line, LineFormat, csv};
use crate::paths::PathId;
use crate::presets::{self, Envelope};
use crate::record::{Raw, Record, Slot};
use crate::{BadLines, Reader, Result, lines};

/// How the end of a record is read that has one.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    /// The field that has its time.
    pub time: PathId,
    /// The field that tells the beginning from the end, if a property reads it.
    pub phase: Option<PathId>,
    /// Which of them is read.
    pub now: &'static str,
}

/// How far a trace was read.
pub(crate) struct State {
    pub name: String,
    /// Makes records of lines; without it, lines are searched for patterns.
    pub lines: Option<Box<dyn LineFormat>>,
    /// The number of the line that is being read.
    pub number: u64,
    /// Rows may span lines. Not any more once a quote turned out never to be closed: looking for its
    /// end again and again would take forever.
    pub spanning: bool,
    /// What stands between the values of a row.
    pub separator: u8,
    /// How many bytes may still be read once more because a quote was closed in the wrong place.
    pub patience: usize,
    /// Neither the name nor the first line tells the format.
    pub unsure: bool,
    /// Where in documents the records are, as a preset says.
    pub records: Option<Vec<Step>>,
    /// Records are two events each: where they begin and where they end.
    pub ends: Option<Ends>,
    /// What stands around the lines of a program.
    pub envelope: Option<Envelope>,
    /// The beginnings of lines that go on in the next envelope, by stream.
    unfinished: [String; 2],
}

impl State {
    /// At the beginning of a trace; the caller that opens it says how it is read.
    pub fn new(name: &str, unsure: bool) -> State {
        State {
            name: name.to_string(),
            lines: None,
            number: 0,
            spanning: false,
            separator: b',',
            patience: PATIENCE,
            unsure,
            records: None,
            ends: None,
            envelope: None,
            unfinished: Default::default(),
        }
    }
}

impl State {
    /// The same place of the trace, for a second reader.
    pub fn copy(&self) -> State {
        State {
            name: self.name.clone(),
            lines: self.lines.as_ref().map(|lines| lines.copy()),
            number: self.number,
            spanning: self.spanning,
            separator: self.separator,
            patience: self.patience,
            unsure: self.unsure,
            records: self.records.clone(),
            ends: self.ends,
            envelope: self.envelope,
            unfinished: self.unfinished.clone(),
        }
    }
}

/// Lines of one trace, read by the reader of many.
pub(crate) struct Pass<'r> {
    pub reader: &'r mut Reader,
    pub state: &'r mut State,
}

/// Rows that are read once more, in bytes of one trace; enough for mistakes, not for malice.
const PATIENCE: usize = 64 << 20;

/// What to do about a trace of unknown format.
const NO_FORMAT: &str = "; for a text log, `--log-pattern` describes its lines, and properties may have patterns of their own (`log /…/`)";

impl Pass<'_> {
    /// Reads whole lines; answers how many bytes at the end belong to a row that goes on.
    pub fn block<S: Sink>(&mut self, bytes: &[u8], overlong: bool, sink: &mut S) -> Result<usize> {
        if overlong {
            self.state.number += 1;
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
                    self.state.number += 1;
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
    pub fn rest<S: Sink>(&mut self, bytes: &[u8], sink: &mut S) -> Result<()> {
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
            if self.state.spanning
                && memchr::memchr(b'"', line.as_bytes()).is_some()
                && csv::open_after(line.as_bytes(), self.state.separator, false)
            {
                match row_end(bytes, self.state.separator, end + 1) {
                    RowEnd::At(row_end) => {
                        let row = text[start..row_end].trim_end_matches('\n');
                        start = if self.row(row, sink)? { row_end } else { end + 1 };
                        continue;
                    }
                    RowEnd::Beyond if bytes.len() - start <= csv::MAX_ROW => {
                        return Ok(bytes.len() - start);
                    }
                    // The quote was never meant to span lines: only this line is bad.
                    RowEnd::Beyond | RowEnd::TooFar => self.state.spanning = false,
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
        self.state.number += 1;
        self.reader.lines += 1;
        let Err(flaw) = self.record(row, sink) else {
            self.state.number += more;
            return Ok(true);
        };
        if flaw.fault == Fault::Quotes && self.reader.bad_lines == BadLines::Skip {
            self.state.spanning = self.state.patience > row.len();
            self.state.patience = self.state.patience.saturating_sub(row.len());
            let first = row.lines().next().unwrap_or_default();
            let at = memchr::memrchr(b'"', first.as_bytes()).unwrap_or(0);
            self.bad(&Flaw::new(Fault::Quotes, at, csv::UNCLOSED), first.as_bytes())?;
            return Ok(false);
        }
        self.bad(&flaw, row.as_bytes())?;
        self.reader.skipped += more;
        self.state.number += more;
        Ok(true)
    }

    /// Lines at the end of the trace after a quote that is never closed: the first one is bad,
    /// the others may be fine.
    fn unclosed<S: Sink>(&mut self, text: &str, sink: &mut S) -> Result<()> {
        self.state.spanning = false;
        self.lines(text, sink).map(drop)
    }

    #[inline]
    fn line<S: Sink>(&mut self, line: &str, sink: &mut S) -> Result<()> {
        self.state.number += 1;
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
                if self.state.unsure && !line.trim_ascii_start().starts_with('{') {
                    flaw.message.push_str(NO_FORMAT);
                }
                self.bad(&flaw, line.as_bytes())
            }
        }
    }

    #[inline]
    fn record<S: Sink>(&mut self, line: &str, sink: &mut S) -> Result<(), Box<Flaw>> {
        let Reader {
            routes,
            emitter,
            threads,
            locations,
            record,
            times,
            first_unnamed,
            origin,
            ..
        } = &mut *self.reader;
        record.clear();
        let Some(lines) = &mut self.state.lines else {
            return match self.state.envelope {
                Some(envelope) => self.enveloped(envelope, line, sink),
                None => self.searched(line, None, sink),
            };
        };
        let mut around = Around { routes, locations, threads, times, unnamed: false };
        let read = lines.read(line, record, &mut around);
        if around.unnamed {
            first_unnamed.get_or_insert_with(|| self.state.name.to_string());
        }
        match read? {
            Line::Record => {
                if let Some(ends) = self.state.ends {
                    // Of what has not ended, the time of the end is missing or 0.
                    if ends.now == presets::END && record.time.unwrap_or(0) == 0 {
                        return Ok(());
                    }
                    ends.phase.into_iter().for_each(|phase| fill(record, phase, ends.now));
                }
                name_origin(record, *origin, &self.state.name);
                emitter.emit(line, record, routes, locations, self.state.number, sink)
            }
            Line::Comment => Ok(()),
            Line::Header => {
                emitter.set_columns(routes, lines.columns().into_iter());
                Ok(())
            }
        }
    }

    /// A line of text, in which patterns of the model find events.
    fn searched<S: Sink>(
        &mut self,
        line: &str,
        told: Option<Told>,
        sink: &mut S,
    ) -> Result<(), Box<Flaw>> {
        if !self.reader.text.is_empty() {
            self.reader.samples.add(&self.state.name, self.state.number, line);
        }
        if !self.reader.patterns.is_empty() {
            return self.patterned(line, told, sink);
        }
        let number = self.state.number;
        let Reader { routes, emitter, text, locations, record, times, .. } = &mut *self.reader;
        let found =
            text.read(line, told, record, emitter, routes, locations, number, times, sink)?;
        if !found {
            emitter.pass_by(record, sink)?;
        }
        self.look_at_times();
        Ok(())
    }

    /// A line of text that a pattern makes a record of; the events of both are there.
    fn patterned<S: Sink>(
        &mut self,
        line: &str,
        outside: Option<Told>,
        sink: &mut S,
    ) -> Result<(), Box<Flaw>> {
        let number = self.state.number;
        let Reader {
            routes,
            emitter,
            text,
            threads,
            locations,
            record,
            times,
            patterns,
            origin,
            ..
        } = &mut *self.reader;
        let mut alike = false;
        for pattern in patterns {
            let times = outside.is_none().then_some(&mut *times);
            alike = pattern.read(line, record, locations, threads, times)?;
            if alike {
                break;
            }
        }
        let mut found = false;
        let mut told = outside;
        if alike {
            let known = Told::of(record).but_at(outside);
            known.put_into(record);
            told = Some(known);
            name_origin(record, *origin, &self.state.name);
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
                let name = &self.state.name;
                self.reader.first_unlike.get_or_insert_with(|| (name.clone(), number));
            }
        }
        Ok(())
    }

    /// A line in what a container runtime puts around it.
    fn enveloped<S: Sink>(
        &mut self,
        envelope: Envelope,
        line: &str,
        sink: &mut S,
    ) -> Result<(), Box<Flaw>> {
        let Some(Inside { time, is_error, text, goes_on }) = envelope::open(envelope, line) else {
            return self.searched(line, None, sink);
        };
        let before = &mut self.state.unfinished[usize::from(is_error)];
        if goes_on && before.len() + text.len() <= lines::MAX_LINE {
            before.push_str(&text);
            return Ok(());
        }
        let text = std::mem::take(before) + &text;
        let Some(at) = self.reader.times.text(&time) else {
            let message = format!("expected {}", self.reader.times.expected());
            return Err(Flaw::new(Fault::Field, 0, message));
        };
        // Where something is wrong inside is not where it is in the line.
        self.inside(&text, is_error, Told::at(at), sink).map_err(|mut flaw| {
            flaw.at = 0;
            flaw
        })
    }

    /// What was in an envelope: a record if it is JSON, else a line of text.
    fn inside<S: Sink>(
        &mut self,
        text: &str,
        is_error: bool,
        told: Told,
        sink: &mut S,
    ) -> Result<(), Box<Flaw>> {
        let is_patterned = !self.reader.patterns.is_empty();
        let Reader { routes, emitter, threads, locations, record, times, origin, .. } =
            &mut *self.reader;
        let mut around = Around { routes, locations, threads, times, unnamed: false };
        let is_record = text.trim_start().starts_with('{') && {
            let json = JsonLines::without_time(&around.routes.paths, around.times);
            json.fields(text, record, &mut around).is_ok()
        };
        if !is_record {
            record.clear();
            if is_patterned {
                return self.searched(text, Some(told), sink);
            }
            for name in ["log", "message"] {
                let path = routes.paths.find(&[name]);
                path.into_iter().for_each(|path| fill(record, path, text));
            }
        }
        let stream = if is_error { "stderr" } else { "stdout" };
        let path = routes.paths.find(&["stream"]);
        path.into_iter().for_each(|path| fill(record, path, stream));
        name_origin(record, *origin, &self.state.name);
        told.put_into(record);
        let number = self.state.number;
        let found = emitter.offer(text, record, routes, locations, number, sink)?;
        match is_record {
            true if found => Ok(()),
            true => emitter.pass_by(record, sink),
            false => self.searched(text, Some(told), sink),
        }
    }

    /// More of a document, or its end.
    pub fn document<S: Sink>(
        &mut self,
        elements: &mut Elements,
        bytes: Option<(&[u8], bool)>,
        sink: &mut S,
    ) -> Result<()> {
        match bytes {
            Some((bytes, true)) => {
                self.state.number += 1;
                return self.bad(&too_long(), &bytes[..bytes.len().min(4096)]);
            }
            Some((bytes, false)) => elements.push(bytes),
            None => elements.push(b"\n"),
        }
        loop {
            let flaw = match elements.take() {
                Ok(Some(element)) => {
                    self.element(element.bytes, element.line, sink)?;
                    continue;
                }
                Ok(None) if bytes.is_some() => return Ok(()),
                Ok(None) => match elements.finish() {
                    Ok(()) => return Ok(()),
                    Err(flaw) => flaw,
                },
                Err(flaw) => flaw,
            };
            let (text, line) = elements.around_here();
            self.state.number = line;
            return self.bad(&flaw, text);
        }
    }

    /// A record of a document.
    fn element<S: Sink>(&mut self, bytes: &[u8], line: u64, sink: &mut S) -> Result<()> {
        self.state.number = line;
        self.reader.lines += 1;
        let read = match std::str::from_utf8(bytes) {
            Ok(text) => self.record(text, sink).and_then(|()| self.end_of(text, sink)),
            Err(error) => {
                let at = error.valid_up_to();
                Err(Flaw::new(Fault::Encoding, at, "expected UTF-8 text, found other bytes"))
            }
        };
        read.or_else(|flaw| self.bad(&flaw, bytes))
    }

    /// The end of a record, if records have one.
    fn end_of<S: Sink>(&mut self, text: &str, sink: &mut S) -> Result<(), Box<Flaw>> {
        let Some(ends) = self.state.ends else { return Ok(()) };
        let begin = self.reader.times.field.replace(ends.time);
        self.state.ends = Some(Ends { now: presets::END, ..ends });
        let read = self.record(text, sink);
        self.state.ends = Some(ends);
        self.reader.times.field = begin;
        read
    }

    /// Notes that the line began with a time that is none.
    #[inline]
    fn look_at_times(&mut self) {
        if std::mem::take(&mut self.reader.times.mistaken) {
            self.reader.mistimed += 1;
            let place = || (self.state.name.to_string(), self.state.number);
            self.reader.first_mistimed.get_or_insert_with(place);
        }
    }

    #[cold]
    #[inline(never)]
    fn bad(&mut self, flaw: &Flaw, record: &[u8]) -> Result<()> {
        let error = ReadError::place(flaw, &self.state.name, self.state.number, record);
        // Lines that are left out do not tell the time.
        if self.reader.bad_lines == BadLines::Refuse || flaw.fault == Fault::Timeless {
            return Err(error.into());
        }
        self.reader.skipped += 1;
        self.reader.first_skipped.get_or_insert(error);
        Ok(())
    }
}

/// A field that is not in the line, unless something else is there already.
fn fill(record: &mut Record, path: usize, text: &str) {
    if matches!(record.fields[path].raw, Raw::Missing) {
        record.fields[path] = Slot::new(record.decoded(text), 0);
    }
}

/// The name of the trace as a field, if a property reads it and the record has no field of that
/// name.
#[inline]
fn name_origin(record: &mut Record, origin: Option<usize>, name: &str) {
    if let Some(origin) = origin {
        fill(record, origin, name);
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

fn row_end(bytes: &[u8], separator: u8, from: usize) -> RowEnd {
    let mut start = from;
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |i| start + i);
        if !csv::open_after(&bytes[start..end], separator, true) {
            return RowEnd::At((end + 1).min(bytes.len()));
        }
        if end - from > csv::MAX_ROW {
            return RowEnd::TooFar;
        }
        start = end + 1;
    }
    RowEnd::Beyond
}
