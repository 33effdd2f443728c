//! Reading ahead: blocks of a trace that others read while events of earlier blocks are stepped.
//!
//! A trace is cut into blocks of whole lines ([`Reader::cut`]). A [`Scout`] is a copy of the reader in the
//! middle of the trace; it reads a block into a [`Batch`] of events. The reader takes batches in the order
//! of their blocks ([`Reader::take`]), which hands the same events to the sink as reading the block would,
//! and counts the same.
//!
//! What a block may change for the blocks after it makes a batch *unusual*: a line that cannot be read, a
//! name of a thread, the first time of a trace, an undeclared argument. The reader then reads the
//! block
//! itself, so that nothing depends on who read what. Scouts start no threads; whoever has some gives
//! them blocks.

use std::io::Read;
use std::sync::Arc;

use watchword_model::{EventId, EventRef, Location, Time, Value, ValueRef, Where};

use crate::emit::Sink;
use crate::error::{Error, Flaw, ReadError};
use crate::formats::csv;
use crate::pass::{Pass, State};
use crate::points::Point;
use crate::{Reader, Result, Trace};

/// Lines of a trace that were not read yet.
#[derive(Debug)]
pub struct Cut {
    bytes: Vec<u8>,
    /// How many lines of the trace come before.
    before: u64,
    overlong: bool,
}

/// What became of a trace that was to be cut.
#[derive(Debug)]
pub enum Next {
    /// The next block.
    Cut(Cut),
    /// A row goes on beyond a block: the trace is to be read on by [`Reader::step`].
    Whole,
    /// The trace has ended.
    End,
}

/// A value of a batch.
#[derive(Debug)]
enum Packed {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A part of [`Batch::text`].
    Str(u32, u32),
    /// An object and its class, a part of [`Batch::text`] that may be empty.
    Ref(u64, Option<(u32, u32)>),
    Ptr(u64),
    Other(Value),
}

/// Where an event of a batch happened.
#[derive(Debug)]
enum Place {
    /// In that line of the trace.
    Line(Option<u32>),
    /// Elsewhere; an entry of [`Batch::places`].
    Named(u32),
    Unknown,
}

/// An event of a batch; without a kind, the time of a record that is none.
#[derive(Debug)]
struct Item {
    kind: Option<EventId>,
    /// Where its arguments end in [`Batch::values`].
    args: u32,
    time: Option<Time>,
    thread: Option<u64>,
    place: Place,
}

/// What a block holds, read by a [`Scout`].
#[derive(Debug)]
pub struct Batch {
    /// The block.
    pub cut: Cut,
    /// The reader is to read the block itself.
    pub is_unusual: bool,
    /// The earliest and the latest time, if there is any.
    pub times: Option<(Time, Time)>,
    /// No time is earlier than the one before.
    pub is_sorted: bool,
    /// Some event has no time.
    pub has_untimed: bool,
    items: Vec<Item>,
    values: Vec<Packed>,
    text: String,
    places: Vec<Arc<Location>>,
    counts: Counts,
    routes: Vec<(Point, Box<str>, u64)>,
    /// By event, how often it occurred and which parameters were given.
    seen: Vec<(u64, u64)>,
}

/// What a reader counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    lines: u64,
    skipped: u64,
    unlike: u64,
    alike: u64,
    mistimed: u64,
    unmatched: u64,
}

/// What a reader finds out once; a block that changes it is unusual.
#[derive(PartialEq, Eq)]
struct Discoveries {
    skipped: bool,
    unlike: bool,
    mistimed: bool,
    unnamed: bool,
    json: bool,
    samples: usize,
    looked: u32,
    strangers: usize,
    forgotten: u64,
    threads: usize,
    notes: usize,
    columns: usize,
    is_looking: bool,
}

impl Reader {
    fn counts(&self) -> Counts {
        Counts {
            lines: self.lines,
            skipped: self.skipped,
            unlike: self.unlike,
            alike: self.alike,
            mistimed: self.mistimed,
            unmatched: self.emitter.unmatched,
        }
    }

    fn discoveries(&self) -> Discoveries {
        Discoveries {
            skipped: self.first_skipped.is_some(),
            unlike: self.first_unlike.is_some(),
            mistimed: self.first_mistimed.is_some(),
            unnamed: self.first_unnamed.is_some(),
            json: self.first_json.is_some(),
            samples: self.samples.len(),
            looked: self.emitter.looked(),
            strangers: self.emitter.seen.iter().map(|seen| seen.strangers.len()).sum(),
            forgotten: self.routes.forgotten,
            threads: self.threads.len(),
            notes: self.notes.len(),
            columns: self.emitter.columns.len(),
            is_looking: self.times.is_looking(),
        }
    }

    /// A copy that reads blocks of the trace ahead; none if its lines depend on those before: times
    /// without a date, lines that go on, documents, threads by name. A trace is best read a little
    /// before, so that there is less to discover.
    pub fn scout<R>(&self, trace: &Trace<R>) -> Option<Scout> {
        let is_settled = trace.state.lines.as_ref().is_none_or(|lines| lines.is_settled());
        let depends = !is_settled
            || trace.elements.is_some()
            || trace.state.envelope.is_some()
            || trace.times.remembers()
            || self.threads.len() > 0;
        if depends {
            return None;
        }
        let mut reader = self.clone();
        reader.times = trace.times.clone();
        reader.locations = trace.locations.clone();
        reader.emitter.columns = trace.columns.clone();
        reader.patterns = trace.patterns.clone();
        for route in &mut reader.routes.table {
            route.records = 0;
        }
        let file = trace.locations.file().clone();
        let state = trace.state.copy();
        Some(Scout { base: (reader.clone(), state.copy()), reader, state, file })
    }

    /// Cuts the next block off a trace.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn cut<R: Read>(&mut self, trace: &mut Trace<R>) -> Result<Next> {
        let Trace { lines, state, .. } = trace;
        let failed = |e| Error::stream(&state.name, e);
        let Some(block) = lines.next_block().map_err(failed)? else { return Ok(Next::End) };
        let bytes = block.bytes.to_vec();
        let overlong = block.overlong;
        if state.spanning && !overlong && has_open_row(&bytes, state.separator) {
            lines.put_back(bytes.len()).map_err(|e| Error::stream(&state.name, e))?;
            return Ok(Next::Whole);
        }
        let before = state.number;
        let is_closed = overlong || bytes.ends_with(b"\n");
        state.number += match overlong {
            true => 1,
            false => memchr::memchr_iter(b'\n', &bytes).count() as u64 + u64::from(!is_closed),
        };
        Ok(Next::Cut(Cut { bytes, before, overlong }))
    }

    /// Reads a block that was cut off a trace; blocks are to be read in their order.
    ///
    /// # Errors
    /// As [`Reader::step`].
    pub fn read_cut<R, S: Sink>(
        &mut self,
        trace: &mut Trace<R>,
        cut: &Cut,
        sink: &mut S,
    ) -> Result<()> {
        trace.lend(self);
        let after = std::mem::replace(&mut trace.state.number, cut.before);
        let mut pass = Pass { reader: self, state: &mut trace.state };
        let read = match cut.overlong {
            true => pass.block(&cut.bytes, true, sink).map(drop),
            false => pass.rest(&cut.bytes, sink),
        };
        trace.state.number = after;
        trace.lend(self);
        sink.rest();
        if let Some(note) = trace.times.note.take() {
            self.notes.push(format!("{}: {note}", trace.state.name));
        }
        read
    }

    /// Hands the events of a batch to a sink that takes all of them; batches are to be taken in the order
    /// of their blocks. It must not be [unusual](Batch::is_unusual).
    ///
    /// # Errors
    /// What the sink says; what was handed over before stays.
    pub fn take<R, S: Sink>(
        &mut self,
        trace: &Trace<R>,
        batch: &Batch,
        sink: &mut S,
    ) -> Result<()> {
        let place =
            |flaw: Box<Flaw>| ReadError::place(&flaw, &trace.state.name, batch.cut.before + 1, b"");
        let file = trace.locations.file();
        let mut args: Vec<ValueRef<'_>> = Vec::new();
        let mut at = 0;
        for item in &batch.items {
            let Some(kind) = item.kind else {
                if let Some(time) = item.time {
                    sink.time(time).map_err(place)?;
                }
                continue;
            };
            let values = &batch.values[at..item.args as usize];
            at = item.args as usize;
            args.clear();
            args.extend(values.iter().map(|value| batch.unpack(value)));
            let location = match item.place {
                Place::Line(line) => Some(Where { location: file, line }),
                Place::Named(place) => Some(Where::from(&batch.places[place as usize])),
                Place::Unknown => None,
            };
            let (time, thread) = (item.time, item.thread);
            let event = EventRef { kind, args: &args, time, thread, location };
            sink.event(&event).map_err(place)?;
        }
        sink.rest();
        let Counts { lines, skipped, unlike, alike, mistimed, unmatched } = batch.counts;
        self.lines += lines;
        self.skipped += skipped;
        self.unlike += unlike;
        self.alike += alike;
        self.mistimed += mistimed;
        self.emitter.unmatched += unmatched;
        for (point, name, records) in &batch.routes {
            if let Some(route) = self.routes.find(*point, name) {
                self.routes.table[route].records += records;
            }
        }
        for (own, (count, given)) in self.emitter.seen.iter_mut().zip(&batch.seen) {
            own.count += count;
            own.given |= given;
        }
        Ok(())
    }
}

/// Whether some line of a block begins a row that may go on in the next.
fn has_open_row(bytes: &[u8], separator: u8) -> bool {
    if memchr::memchr(b'"', bytes).is_none() {
        return false;
    }
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines
        .any(|line| memchr::memchr(b'"', line).is_some() && csv::open_after(line, separator, false))
}

/// Reads blocks of a trace ahead.
pub struct Scout {
    /// The reader as it was copied. Blocks are not read in their order, so that what one of them teaches
    /// must not be known when the next one is read.
    base: (Reader, State),
    reader: Reader,
    state: State,
    /// The trace as a place.
    file: Arc<Location>,
}

impl Scout {
    /// Reads a block.
    pub fn read(&mut self, cut: Cut) -> Batch {
        let mut notes = Notes {
            file: &self.file,
            is_unusual: cut.overlong,
            times: None,
            is_sorted: true,
            has_untimed: false,
            // Lines have some hundred characters.
            items: Vec::with_capacity(cut.bytes.len() / 128),
            values: Vec::with_capacity(cut.bytes.len() / 64),
            text: String::new(),
            places: Vec::new(),
        };
        let (counts, known) = (self.reader.counts(), self.reader.discoveries());
        let names = self.reader.routes.table.len();
        let seen = self.reader.emitter.seen.iter().map(|seen| seen.count).collect::<Vec<u64>>();
        if !notes.is_unusual {
            self.state.number = cut.before;
            let mut pass = Pass { reader: &mut self.reader, state: &mut self.state };
            let read = pass.block(&cut.bytes, false, &mut notes);
            notes.is_unusual |= !matches!(read, Ok(0)) || known != self.reader.discoveries();
        }
        let is_taught = notes.is_unusual || self.reader.routes.table.len() > names;
        let after = self.reader.counts();
        let counts = Counts {
            lines: after.lines - counts.lines,
            skipped: after.skipped - counts.skipped,
            unlike: after.unlike - counts.unlike,
            alike: after.alike - counts.alike,
            mistimed: after.mistimed - counts.mistimed,
            unmatched: after.unmatched - counts.unmatched,
        };
        let mut routes = Vec::new();
        for route in self.reader.routes.table.iter_mut().filter(|route| route.records > 0) {
            routes.push((route.point, route.name.clone(), std::mem::take(&mut route.records)));
        }
        let occurred = self.reader.emitter.seen.iter().zip(seen);
        let seen = occurred.map(|(now, before)| (now.count - before, now.given)).collect();
        if is_taught {
            self.reader = self.base.0.clone();
            self.state = self.base.1.copy();
        }
        let Notes {
            is_unusual, times, is_sorted, has_untimed, items, values, text, places, ..
        } = notes;
        Batch {
            cut,
            is_unusual,
            times,
            is_sorted,
            has_untimed,
            items,
            values,
            text,
            places,
            counts,
            routes,
            seen,
        }
    }
}

/// Keeps the events of a block.
struct Notes<'f> {
    file: &'f Arc<Location>,
    is_unusual: bool,
    times: Option<(Time, Time)>,
    is_sorted: bool,
    has_untimed: bool,
    items: Vec<Item>,
    values: Vec<Packed>,
    text: String,
    places: Vec<Arc<Location>>,
}

impl Notes<'_> {
    fn keep_text(&mut self, text: &str) -> (u32, u32) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        (start, self.text.len() as u32)
    }

    fn keep_time(&mut self, time: Time) {
        let (first, last) = *self.times.get_or_insert((time, time));
        self.is_sorted &= time >= last;
        self.times = Some((first.min(time), last.max(time)));
    }
}

impl Sink for Notes<'_> {
    #[inline]
    fn event(&mut self, event: &EventRef<'_>) -> std::result::Result<(), Box<Flaw>> {
        for value in event.args {
            let packed = match value {
                ValueRef::Null => Packed::Null,
                ValueRef::Bool(it) => Packed::Bool(*it),
                ValueRef::Int(it) => Packed::Int(*it),
                ValueRef::Float(it) => Packed::Float(*it),
                ValueRef::Str(text) => {
                    let (start, end) = self.keep_text(text);
                    Packed::Str(start, end)
                }
                ValueRef::Ref(id, class) => {
                    Packed::Ref(*id, class.map(|class| self.keep_text(class)))
                }
                ValueRef::Ptr(it) => Packed::Ptr(*it),
                ValueRef::Other(value) => Packed::Other((*value).clone()),
            };
            self.values.push(packed);
        }
        match event.time {
            Some(time) => self.keep_time(time),
            None => self.has_untimed = true,
        }
        let place = match event.location {
            None => Place::Unknown,
            Some(place) if Arc::ptr_eq(place.location, self.file) => Place::Line(place.line),
            Some(place) => {
                // A place in a program says it all.
                self.is_unusual |= place.line.is_some();
                self.places.push(place.location.clone());
                Place::Named(self.places.len() as u32 - 1)
            }
        };
        self.items.push(Item {
            kind: Some(event.kind),
            args: self.values.len() as u32,
            time: event.time,
            thread: event.thread,
            place,
        });
        Ok(())
    }

    fn event_for(
        &mut self,
        event: &EventRef<'_>,
        _: &[Value],
    ) -> std::result::Result<(), Box<Flaw>> {
        self.is_unusual = true;
        self.event(event)
    }

    fn time(&mut self, time: Time) -> std::result::Result<(), Box<Flaw>> {
        self.keep_time(time);
        let args = self.values.len() as u32;
        let place = Place::Unknown;
        self.items.push(Item { kind: None, args, time: Some(time), thread: None, place });
        Ok(())
    }
}

impl Batch {
    #[inline]
    fn unpack<'b>(&'b self, value: &'b Packed) -> ValueRef<'b> {
        let text = |(start, end): (u32, u32)| &self.text[start as usize..end as usize];
        match value {
            Packed::Null => ValueRef::Null,
            Packed::Bool(it) => ValueRef::Bool(*it),
            Packed::Int(it) => ValueRef::Int(*it),
            Packed::Float(it) => ValueRef::Float(*it),
            Packed::Str(start, end) => ValueRef::Str(text((*start, *end))),
            Packed::Ref(id, class) => ValueRef::Ref(*id, class.map(text)),
            Packed::Ptr(it) => ValueRef::Ptr(*it),
            Packed::Other(value) => ValueRef::Other(value),
        }
    }
}
