//! One of the engines that share the instances.

use std::collections::BTreeMap;
use std::sync::Arc;

use watchword_model::{EventRef, Time, ValueRef};
use watchword_monitor::{Engine, Options, ReportKind};
use watchword_wire::{Carried, VERSION};

use crate::verdict;
use crate::{Job, JobError};

/// The first bytes of every saved shard; the last is the version of the format.
const MAGIC: [u8; 4] = *b"WWS\x01";

/// An engine, and events that wait for the watermark.
///
/// Events may be added in any order. They are stepped in the order of their times, those of one time
/// by trace and by their place in it, when a watermark says that no earlier event comes.
pub struct Shard {
    job: Arc<Job>,
    number: usize,
    engine: Engine,
    /// By time, trace and number.
    waiting: BTreeMap<(Time, usize, u64), Carried>,
    watermark: Option<Time>,
    /// The first time of the trace was passed to the engine.
    has_begun: bool,
    has_ended: bool,
    /// How many properties were said to be inconclusive.
    doubts: usize,
    late: u64,
    violations: u64,
}

impl Shard {
    /// The shard of that number, at the start of the traces.
    pub fn new(job: &Arc<Job>, number: usize) -> Shard {
        Shard {
            engine: job.fresh.clone(),
            job: job.clone(),
            number,
            waiting: BTreeMap::new(),
            watermark: None,
            has_begun: false,
            has_ended: false,
            doubts: 0,
            late: 0,
            violations: 0,
        }
    }

    /// Adds events, as [`Source::take`](crate::Source::take) gives them. Answers those that are late, at or
    /// before the last watermark, as lines of JSON: no verdict depends on them.
    ///
    /// # Errors
    /// If the bytes are something else.
    pub fn add(&mut self, mut events: &[u8]) -> Result<String, JobError> {
        let mut late = String::new();
        while let Some(carried) = Carried::take(&mut events)? {
            if self.watermark.is_some_and(|watermark| carried.time <= watermark) {
                if carried.event.is_some() {
                    self.late += 1;
                    late += &verdict::late(&self.job, &carried);
                }
                continue;
            }
            let key = (carried.time, carried.trace, carried.number);
            match carried.event {
                // Events that time alone passes by share the number of the event before them.
                None => _ = self.waiting.entry(key).or_insert(carried),
                Some(_) => _ = self.waiting.insert(key, carried),
            }
        }
        Ok(late)
    }

    /// Steps all events up to this time and fires the deadlines that have passed by then: no more
    /// such event comes. Answers violations as lines of JSON.
    pub fn advance(&mut self, watermark: Time) -> String {
        if self.watermark.is_some_and(|last| watermark <= last) {
            return String::new();
        }
        let mut found = String::new();
        while let Some(first) = self.waiting.first_entry() {
            if first.key().0 > watermark {
                break;
            }
            let carried = first.remove();
            self.step(&carried, &mut found);
        }
        self.watermark = Some(watermark);
        if self.has_begun {
            // It cannot be earlier than an event that was stepped.
            let _ = self.engine.advance_to(watermark);
            self.collect(None, &mut found);
        }
        found
    }

    /// The end of all traces: steps all events that wait, and ends the engine. Answers as
    /// [`Shard::advance`].
    pub fn end(&mut self) -> String {
        let mut found = String::new();
        while let Some((_, carried)) = self.waiting.pop_first() {
            self.step(&carried, &mut found);
        }
        if !std::mem::replace(&mut self.has_ended, true) {
            self.engine.end();
            self.collect(None, &mut found);
            found += &verdict::limits(&self.job, &self.engine);
        }
        found
    }

    fn step(&mut self, carried: &Carried, found: &mut String) {
        self.has_begun = true;
        let Some(kind) = carried.event else {
            let _ = self.engine.advance_to(carried.time);
            return self.collect(None, found);
        };
        let args: Vec<ValueRef<'_>> = carried.args.iter().map(ValueRef::from).collect();
        let event =
            EventRef { kind, args: &args, time: Some(carried.time), thread: None, location: None };
        // Deadlines before the event happen elsewhere.
        let _ = self.engine.advance_to(carried.time);
        self.collect(None, found);
        // Times are in order: the engine refuses nothing.
        let _ = self.engine.step_for(&event, carried.only.as_deref());
        self.collect(Some(carried), found);
    }

    /// Writes what the engine reports, at this event.
    fn collect(&mut self, at: Option<&Carried>, found: &mut String) {
        for report in self.engine.take_reports() {
            let counts = self.job.router.counts(self.number, report.property);
            if counts && report.kind == ReportKind::Violation {
                self.violations += 1;
                *found += &verdict::violation(&self.job, report, at);
            }
        }
        self.engine.take_said();
        let doubts = self.engine.doubts();
        for doubt in doubts.iter().skip(self.doubts) {
            if self.job.router.counts(self.number, doubt.property) {
                *found += &verdict::inconclusive(&self.job, self.number, doubt);
            }
        }
        self.doubts = doubts.len();
    }

    /// How many events were late.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// How many violations there were.
    pub fn violations(&self) -> u64 {
        self.violations
    }

    /// The shard as bytes, which [`Shard::restore`] reads.
    pub fn save(&mut self) -> Vec<u8> {
        self.engine.catch_up();
        let engine = self.engine.save();
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.push(u8::from(self.watermark.is_some()));
        out.extend(self.watermark.unwrap_or_default().to_le_bytes());
        out.extend([u8::from(self.has_begun), u8::from(self.has_ended)]);
        for number in [self.late, self.violations, engine.len() as u64] {
            out.extend(number.to_le_bytes());
        }
        out.extend(engine);
        self.waiting.values().for_each(|carried| carried.put(&mut out));
        out
    }

    /// A shard that was saved, with the same properties.
    ///
    /// # Errors
    /// If the bytes are of other properties or another build, or damaged.
    pub fn restore(job: &Arc<Job>, number: usize, bytes: &[u8]) -> Result<Shard, JobError> {
        let mut shard = Shard::new(job, number);
        let mut from = Bytes(bytes);
        if from.take::<4>()? != MAGIC || from.take()? != VERSION.to_le_bytes() {
            let message =
                "the saved state is of another build of watchword: start the job without it";
            return Err(JobError(message.to_string()));
        }
        let [is_marked] = from.take()?;
        let watermark = Time::from_le_bytes(from.take()?);
        shard.watermark = (is_marked != 0).then_some(watermark);
        let [has_begun, has_ended] = from.take()?;
        (shard.has_begun, shard.has_ended) = (has_begun != 0, has_ended != 0);
        shard.late = from.number()?;
        shard.violations = from.number()?;
        let length = from.number()? as usize;
        let (engine, mut rest) = from.0.split_at_checked(length).ok_or_else(too_short)?;
        let plan = job.fresh.plan().clone();
        let restored = Engine::restore(plan, Options::default(), engine);
        shard.engine = restored.map_err(|error| {
            JobError(format!("{error}: the properties differ from those it was saved with"))
        })?;
        shard.doubts = shard.engine.doubts().len();
        while let Some(carried) = Carried::take(&mut rest)? {
            shard.waiting.insert((carried.time, carried.trace, carried.number), carried);
        }
        Ok(shard)
    }
}

/// Bytes that are being read.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], JobError> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or_else(too_short)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn number(&mut self) -> Result<u64, JobError> {
        self.take().map(u64::from_le_bytes)
    }
}

fn too_short() -> JobError {
    JobError("the saved state ends too early".to_string())
}
