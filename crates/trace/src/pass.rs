//! Lines of a trace on their way to events: cut, decoded, read by the format, handed to the emitter.

use crate::emit::Sink;
use crate::error::{Fault, Flaw, ReadError};
use crate::formats::text::Told;
use crate::formats::{Around, Line, LineFormat, csv};
use crate::{BadLines, Reader, Result, lines};

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
}

/// Lines of one trace, read by the reader of many.
pub(crate) struct Pass<'r> {
    pub reader: &'r mut Reader,
    pub state: &'r mut State,
}

/// Rows that are read once more, in bytes of one trace; enough for mistakes, not for malice.
pub(crate) const PATIENCE: usize = 64 << 20;

/// What to do about a trace of unknown format.
const NO_FORMAT: &str = "; for a text log, `--log-pattern` says what its lines are like, and properties may have \
     patterns of their own (`log /…/`)";

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
        let Reader { routes, emitter, threads, locations, record, times, first_unnamed, .. } =
            &mut *self.reader;
        record.clear();
        let Some(lines) = &mut self.state.lines else { return self.searched(line, sink) };
        let mut around = Around { routes, locations, threads, times, unnamed: false };
        let read = lines.read(line, record, &mut around);
        if around.unnamed {
            first_unnamed.get_or_insert_with(|| self.state.name.to_string());
        }
        match read? {
            Line::Record => emitter.emit(line, record, routes, locations, self.state.number, sink),
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
        let number = self.state.number;
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
        let number = self.state.number;
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
                let name = &self.state.name;
                self.reader.first_unlike.get_or_insert_with(|| (name.clone(), number));
            }
        }
        Ok(())
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
