//! Several traces merged by the times of their records.
//!
//! Each trace is read a block at a time, and what was read of it waits in a queue; the earliest of all
//! that wait is next. So memory holds a block of every trace, however long they are.

use std::collections::VecDeque;
use std::io::Read;

use watchword_model::{Event, EventRef, Time, Value};
use watchword_trace::emit::Sink;
use watchword_trace::error::{Fault, Flaw};
use watchword_trace::{Error, Reader, Stepped, Trace};

use crate::check::{TimeOrder, backwards};

type Result<T> = std::result::Result<T, Box<Flaw>>;

/// A record that waits for its turn.
struct Waiting {
    time: Time,
    /// The event, and for which properties if not for all; nothing if the record only tells the time.
    event: Option<(Event, Option<Vec<Value>>)>,
}

/// What was read of a trace and waits.
struct Queue {
    waiting: VecDeque<Waiting>,
    last: Option<Time>,
    /// How much earlier than the one before a record may be.
    window: Time,
    /// What becomes of one that is earlier than that, and how many were.
    time_order: TimeOrder,
    disordered: u64,
}

impl Queue {
    /// The time of a record: its own, or that of the one before; `None` if it is left out.
    fn time(&mut self, time: Option<Time>) -> Result<Option<Time>> {
        match (time, self.last) {
            (Some(time), Some(last)) if time < last.saturating_sub(self.window) => {
                self.disordered += 1;
                match self.time_order {
                    TimeOrder::Error => Err(backwards(time, last)),
                    TimeOrder::Clamp => Ok(Some(last)),
                    TimeOrder::Ignore => Ok(None),
                }
            }
            (Some(time), last) => {
                self.last = Some(last.map_or(time, |last| last.max(time)));
                Ok(Some(time))
            }
            (None, Some(last)) => Ok(Some(last)),
            (None, None) => Err(Flaw::new(
                Fault::Timeless,
                0,
                "traces are merged by time, and the time of this record is not known: `--time-format` says how times are written, `--time-field`, `--log-pattern` or `--preset` where they are",
            )),
        }
    }

    fn wait(&mut self, event: &EventRef<'_>, only: Option<&[Value]>) -> Result<()> {
        let Some(time) = self.time(event.time)? else { return Ok(()) };
        let event = Event { time: Some(time), ..event.to_event() };
        let event = Some((event, only.map(<[Value]>::to_vec)));
        self.waiting.push_back(Waiting { time, event });
        Ok(())
    }
}

impl Sink for Queue {
    fn event(&mut self, event: &EventRef<'_>) -> Result<()> {
        self.wait(event, None)
    }

    fn event_for(&mut self, event: &EventRef<'_>, properties: &[Value]) -> Result<()> {
        self.wait(event, Some(properties))
    }

    fn time(&mut self, time: Time) -> Result<()> {
        let Some(time) = self.time(Some(time))? else { return Ok(()) };
        self.waiting.push_back(Waiting { time, event: None });
        Ok(())
    }
}

/// Traces on their way into one.
pub struct Merge<R> {
    sources: Vec<(Trace<R>, Queue, bool)>,
    /// The latest record: when, and of which trace.
    latest: Option<(Time, usize)>,
    /// Records of different traces that are closer than this may have happened in any order.
    skew: Time,
    /// How many records are closer than that to the one before, which is of another trace.
    pub close: u64,
}

impl<R: Read> Merge<R> {
    /// Merges these traces, whose clocks may differ by `skew`; records of one of them may be late by
    /// `window`, and `time_order` says what becomes of those that are later than that.
    pub fn new(traces: Vec<Trace<R>>, skew: Time, window: Time, time_order: TimeOrder) -> Merge<R> {
        let (last, disordered) = (None, 0);
        let queue = || Queue { waiting: VecDeque::new(), last, window, time_order, disordered };
        let sources = traces.into_iter().map(|trace| (trace, queue(), false)).collect();
        Merge { sources, latest: None, skew, close: 0 }
    }

    /// How many records were later than they may be.
    pub fn disordered(&self) -> u64 {
        self.sources.iter().map(|(_, queue, _)| queue.disordered).sum()
    }

    /// How many bytes were read.
    pub fn taken(&self) -> u64 {
        self.sources.iter().map(|(trace, ..)| trace.taken()).sum()
    }

    /// Hands the next records to a sink, up to `most`; `false` at the end of all traces.
    ///
    /// # Errors
    /// If a trace cannot be read, or the sink refuses an event.
    pub fn step<S: Sink>(
        &mut self,
        reader: &mut Reader,
        sink: &mut S,
        most: usize,
    ) -> anyhow::Result<bool> {
        for _ in 0..most {
            self.fill(reader)?;
            let heads = self.sources.iter().enumerate();
            let heads =
                heads.filter_map(|(i, (_, queue, _))| Some((queue.waiting.front()?.time, i)));
            let Some((time, source)) = heads.min() else { return Ok(false) };
            let Some(Waiting { event, .. }) = self.sources[source].1.waiting.pop_front() else {
                return Ok(false);
            };
            if event.is_some() {
                let near =
                    |(last, other): (Time, usize)| other != source && time - last < self.skew;
                self.close += u64::from(self.latest.is_some_and(near));
                self.latest = Some((time, source));
            }
            let handed = match event {
                None => sink.time(time),
                Some((event, only)) => {
                    let args: Vec<_> = event.args.iter().map(Into::into).collect();
                    let event = EventRef::of(&event, &args);
                    match only {
                        None => sink.event(&event),
                        Some(only) => sink.event_for(&event, &only),
                    }
                }
            };
            handed.map_err(|flaw| anyhow::anyhow!("{} [{}]", flaw.message, flaw.fault.code()))?;
        }
        sink.rest();
        Ok(true)
    }

    /// Reads on where nothing waits.
    fn fill(&mut self, reader: &mut Reader) -> std::result::Result<(), Error> {
        for (trace, queue, ended) in &mut self.sources {
            while queue.waiting.is_empty() && !*ended {
                *ended = reader.step(trace, queue)? == Stepped::End;
            }
        }
        Ok(())
    }
}
