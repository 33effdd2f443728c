//! From the bytes of a trace to events for shards.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;

use watchword_model::{EventRef, Model, PropertyId, Time, Value};
use watchword_monitor::{Delivery, Router};
use watchword_trace::emit::Sink;
use watchword_trace::error::{Fault, Flaw};
use watchword_trace::{Reader, Stepped, Trace};
use watchword_wire::Carried;

use crate::{Job, JobError};

/// Reads one trace. It is fed the bytes from the beginning, whole lines at a time.
///
/// What a reader learns from the first lines (columns, notation of times) is not part of a saved position.
/// After a restart, feed the bytes up to the position again, to be passed over.
pub struct Source {
    reader: Reader,
    feed: Feed,
    trace: Option<Trace<Feed>>,
    name: String,
    job: Arc<Job>,
    split: Split,
}

/// Bytes that come by and by.
#[derive(Clone, Default)]
struct Feed(Rc<RefCell<Pipe>>);

#[derive(Default)]
struct Pipe {
    bytes: VecDeque<u8>,
    is_closed: bool,
}

impl Read for Feed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut pipe = self.0.borrow_mut();
        if pipe.bytes.is_empty() && !pipe.is_closed {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        pipe.bytes.read(out)
    }
}

/// Divides events among shards.
struct Split {
    router: Router,
    model: Arc<Model>,
    trace: usize,
    number: u64,
    earliest: Option<Time>,
    latest: Option<Time>,
    /// By shard: events that were not taken.
    out: Vec<Vec<u8>>,
    /// Nobody wants the events.
    passes_over: bool,
}

impl Source {
    /// A source for the trace of that number. `written` is when it was last written: times without
    /// a year are of that year.
    ///
    /// # Errors
    /// If there is no such trace, or traces cannot be read in this manner.
    pub fn new(job: &Arc<Job>, trace: usize, written: Option<Time>) -> Result<Source, JobError> {
        let model = job.fresh.plan().model.clone();
        let mut reader = Reader::with(&model, job.bad_lines, &job.manner)?;
        reader.written = written;
        let name = job.traces.get(trace).and_then(|place| place.file.clone());
        let name = name.ok_or_else(|| JobError(format!("there is no trace {trace}")))?.to_string();
        let split = Split {
            router: job.router.clone(),
            model,
            trace,
            number: 0,
            earliest: None,
            latest: None,
            out: vec![Vec::new(); job.shards],
            passes_over: false,
        };
        let job = job.clone();
        Ok(Source { reader, feed: Feed::default(), trace: None, name, job, split })
    }

    /// Reads the next bytes of the trace: whole lines, unless they are the `last` ones. Events are
    /// then to be [taken](Source::take), except if the bytes are only to be passed over.
    ///
    /// # Errors
    /// If a line cannot be read, or an event has no time.
    pub fn feed(&mut self, bytes: &[u8], last: bool, pass_over: bool) -> Result<(), JobError> {
        self.split.passes_over = pass_over;
        {
            let mut pipe = self.feed.0.borrow_mut();
            pipe.bytes.extend(bytes);
            pipe.is_closed |= last;
        }
        let mut trace = match self.trace.take() {
            Some(trace) => trace,
            None if bytes.is_empty() && !last => return Ok(()),
            None => self.reader.open(&self.name, self.feed.clone(), self.job.format)?,
        };
        while self.reader.step(&mut trace, &mut self.split)? == Stepped::Read {}
        if last {
            self.split.pass_time(self.split.latest);
        }
        self.trace = Some(trace);
        Ok(())
    }

    /// Events for a shard since the last call, as [`Shard::add`](crate::Shard::add) reads them.
    pub fn take(&mut self, shard: usize) -> Vec<u8> {
        self.split.out.get_mut(shard).map(std::mem::take).unwrap_or_default()
    }

    /// How many lines could not be read and were skipped.
    pub fn skipped(&self) -> u64 {
        self.reader.skipped
    }

    /// The time before which no more events of this trace come; `None` if no time was read yet.
    pub fn watermark(&self) -> Option<Time> {
        self.split.latest.map(|time| time.saturating_sub(self.job.lateness).saturating_sub(1))
    }
}

impl Split {
    fn put(&mut self, shard: usize, carried: &Carried) {
        carried.put(&mut self.out[shard]);
    }

    /// Tells all shards a time of the trace.
    fn pass_time(&mut self, time: Option<Time>) {
        let Some(time) = time.filter(|_| !self.passes_over) else { return };
        let carried = Carried {
            time,
            trace: self.trace,
            number: self.number,
            event: None,
            only: None,
            args: Vec::new(),
            line: None,
            place: None,
        };
        (0..self.out.len()).for_each(|shard| self.put(shard, &carried));
    }

    fn see_time(&mut self, time: Time) {
        // Timers that wait for the first time start in every shard.
        if self.earliest.is_none_or(|earliest| time < earliest) {
            self.earliest = Some(time);
            self.pass_time(Some(time));
        }
        self.latest = self.latest.max(Some(time));
    }

    fn carry(
        &mut self,
        event: &EventRef<'_>,
        only: Option<&[PropertyId]>,
    ) -> Result<(), Box<Flaw>> {
        let Some(time) = event.time else {
            let name = &self.model.events[event.kind.index()].name;
            let message = format!(
                "`{name}` has no time, which tells its place among events that are read elsewhere; \
                 name the field with --time-field, or use `watchword replay`"
            );
            return Err(Flaw::new(Fault::Timeless, 0, message));
        };
        self.see_time(time);
        self.number += 1;
        if self.passes_over {
            return Ok(());
        }
        // A place in a program has its line inside.
        let line = event.location.and_then(|place| place.line);
        let place = event.location.filter(|_| line.is_none()).map(|place| place.location.clone());
        let mut carried = Carried {
            time,
            trace: self.trace,
            number: self.number,
            event: Some(event.kind),
            only: None,
            args: event.args.iter().map(|value| value.to_value()).collect(),
            line,
            place,
        };
        for Delivery { shard, only: wanted } in self.router.route(event) {
            carried.only = match (wanted, only) {
                (wanted, None) => wanted,
                (None, Some(only)) => Some(only.to_vec()),
                (Some(wanted), Some(only)) => {
                    Some(wanted.into_iter().filter(|property| only.contains(property)).collect())
                }
            };
            carried.put(&mut self.out[shard]);
        }
        Ok(())
    }
}

impl Sink for Split {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.carry(event, None)
    }

    fn event_for(&mut self, event: &EventRef<'_>, properties: &[Value]) -> Result<(), Box<Flaw>> {
        let id = |name: &Value| match name {
            Value::Str(name) => self.model.property(name),
            _ => None,
        };
        let only: Vec<PropertyId> = properties.iter().filter_map(id).collect();
        self.carry(event, Some(&only))
    }

    fn time(&mut self, time: Time) -> Result<(), Box<Flaw>> {
        self.see_time(time);
        Ok(())
    }
}
