//! Events in, violations out: the evaluators behind one small door.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use clap::ValueEnum;
use watchword_model::{Event, EventRef, Model, Origin, PropertyId, Spot, Time, Value};
use watchword_monitor::reference::Reference;
use watchword_monitor::{AnyEvaluator, Keep, Listing, Options, ReportKind, RestoreError, Run};
use watchword_trace::ahead::Batch;
use watchword_trace::emit::Sink;
use watchword_trace::error::{Fault, Flaw};
use watchword_view::Violation;

use crate::args::Keeping;
use crate::output::findings::{self, Findings};
use crate::watch::state::Saved;

type Result<T> = std::result::Result<T, Box<Flaw>>;

/// What evaluates the properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The engine.
    Engine,
    /// The slow evaluator that defines what is right.
    Reference,
    /// Nothing: reading alone, to measure it.
    None,
}

/// What becomes of a record that is earlier than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimeOrder {
    /// It is a mistake in the trace, which is read no further
    Error,
    /// It counts at the time of the one before
    Clamp,
    /// It is left out
    Ignore,
}

/// What is kept and shown.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Events of an instance's history.
    pub history: usize,
    /// Live instances of a property.
    pub max_instances: Option<usize>,
    /// Bytes that instances may take up.
    pub max_memory: Option<u64>,
    /// Which of them stay when there are more.
    pub keep: Keep,
    /// Different violations.
    pub max_violations: usize,
    /// No two violations are the same one.
    pub unique: bool,
    /// How late an event may come.
    pub sort_window: Option<Time>,
    /// What becomes of one that comes later than that.
    pub time_order: TimeOrder,
    /// Properties with time limits are checked on events whose times are not known, too.
    pub allow_untimed: bool,
    /// Somebody may want to see every change of state.
    pub moves: bool,
}

impl From<&Keeping> for Limits {
    fn from(keeping: &Keeping) -> Limits {
        Limits {
            history: keeping.history,
            max_instances: keeping.max_instances(),
            max_memory: keeping.max_memory,
            keep: keeping.keep(),
            max_violations: keeping.max_violations,
            unique: keeping.no_dedup,
            sort_window: None,
            time_order: TimeOrder::Error,
            allow_untimed: true,
            moves: false,
        }
    }
}

/// How many events back it is known where they happened: reports come a little later.
const PLACES: usize = 32;

/// An event that waits for earlier ones that may still come.
struct Waiting {
    time: Time,
    number: u64,
    what: Option<(Event, Option<Vec<PropertyId>>)>,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        (self.time, self.number) == (other.time, other.number)
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        (self.time, self.number).cmp(&(other.time, other.number))
    }
}

/// Puts the events of traces in order and hands them to a run.
pub struct Checker {
    /// The run.
    pub run: Run<AnyEvaluator>,
    /// What it found.
    pub findings: Findings,
    /// Where the last events happened, each at its number modulo [`PLACES`].
    places: Vec<Option<(u64, Spot)>>,
    /// Violations that were not shown yet.
    fresh: Vec<usize>,
    /// Violations, every single one, that somebody is to be alerted to; nobody, if there is no list.
    alerts: Option<Vec<Violation>>,
    last: Option<Time>,
    /// The latest time that a record told; a clock may have gone on since.
    by_record: Option<Time>,
    /// How many records came after the clock had passed their time.
    pub overtaken: u64,
    /// What becomes of records that are earlier than the one before, and how many were.
    pub time_order: TimeOrder,
    /// See `time_order`.
    pub disordered: u64,
    /// By event, the property whose verdict depends on when it happened.
    timed: Vec<Option<PropertyId>>,
    /// A record of the trace that is being read had a time.
    told_time: bool,
    window: Option<Time>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    latest: Time,
    numbered: u64,
}

impl Checker {
    /// At the beginning of traces of these names.
    pub fn new(model: &Model, engine: Engine, limits: &Limits, traces: &[String]) -> Checker {
        let listing = Listing {
            most: limits.max_violations,
            unique: limits.unique,
            traces: traces.iter().cloned().collect(),
        };
        let evaluator = evaluator(model, engine, limits);
        let model = match &evaluator {
            AnyEvaluator::Engine(engine) => engine.plan().model.clone(),
            _ => Arc::new(model.clone()),
        };
        let timed = match limits.allow_untimed {
            true => vec![None; model.events.len()],
            false => timed_events(&model),
        };
        Checker {
            timed,
            told_time: false,
            run: Run::new(model, evaluator, listing),
            findings: Findings::default(),
            places: vec![None; PLACES],
            fresh: Vec::new(),
            alerts: None,
            last: None,
            by_record: None,
            overtaken: 0,
            time_order: limits.time_order,
            disordered: 0,
            window: limits.sort_window,
            waiting: BinaryHeap::new(),
            latest: Time::MIN,
            numbered: 0,
        }
    }

    /// Whether every event of a batch can be stepped: none is earlier than those before, and none lacks a
    /// time that is needed.
    pub fn takes(&self, batch: &Batch) -> bool {
        let follows = |(first, _)| self.last.is_none_or(|last| first >= last);
        let lacks_time = batch.has_untimed && self.timed.iter().any(Option::is_some);
        !batch.is_unusual
            && !lacks_time
            && self.window.is_none()
            && batch.is_sorted
            && batch.times.is_none_or(follows)
    }

    /// Another trace begins; whether its records have times is not known.
    pub fn begin(&mut self) {
        self.told_time = false;
    }

    /// The trace has ended.
    pub fn end(&mut self) -> anyhow::Result<()> {
        self.release_all()?;
        self.run.end();
        self.collect();
        self.listen();
        Ok(())
    }

    /// Evaluates what waits for earlier events: none will be read any more.
    pub fn release_all(&mut self) -> anyhow::Result<()> {
        while let Some(Reverse(next)) = self.waiting.pop() {
            self.release(next).map_err(|flaw| anyhow::anyhow!("{}", flaw.message))?;
        }
        self.catch_up();
        self.collect();
        self.listen();
        Ok(())
    }

    /// Hears what updates printed; to be called now and then.
    pub fn listen(&mut self) {
        for line in self.run.take_printed() {
            self.findings.print(line);
        }
    }

    /// Whether violations wait to be shown.
    pub fn has_fresh(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Violations that were not shown yet.
    pub fn take_fresh(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.fresh)
    }

    /// Keeps every violation from now on for [`Checker::take_alerts`].
    pub fn alert(&mut self) {
        self.alerts = Some(Vec::new());
    }

    /// Violations since the last call.
    pub fn take_alerts(&mut self) -> Vec<Violation> {
        self.alerts.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// What another process needs to go on; `None` if the evaluator cannot be saved.
    pub fn to_saved(&mut self) -> Option<Saved> {
        self.catch_up();
        let AnyEvaluator::Engine(engine) = &self.run.evaluator else { return None };
        Some(Saved {
            engine: engine.save(),
            counts: self.run.counts_so_far(),
            times: [self.last, self.by_record],
            late: [self.overtaken, self.disordered],
            gap: self.run.gap,
            ..Saved::default()
        })
    }

    /// Goes on where another process was; before the first event.
    ///
    /// # Errors
    /// If that was one with other properties or limits.
    pub fn resume(
        &mut self,
        saved: &Saved,
        limits: &Limits,
    ) -> std::result::Result<(), RestoreError> {
        let AnyEvaluator::Engine(engine) = &self.run.evaluator else { return Ok(()) };
        let plan = engine.plan().clone();
        let engine = watchword_monitor::Engine::restore(plan, options(limits), &saved.engine)?;
        self.run.resume(AnyEvaluator::Engine(Box::new(engine)), saved.counts.clone())?;
        [self.last, self.by_record] = saved.times;
        [self.overtaken, self.disordered] = saved.late;
        self.run.gap = saved.gap;
        Ok(())
    }

    /// Goes on in the middle of a trace.
    pub fn go_on(&mut self) {
        self.told_time = self.by_record.is_some();
    }

    #[inline]
    fn step(&mut self, event: &EventRef<'_>, only: Option<&[PropertyId]>) -> Result<()> {
        let time = match event.time {
            None => None,
            Some(time) => match self.forwards(time)? {
                None => return Ok(()),
                counted => counted,
            },
        };
        let event = &EventRef { time, ..*event };
        let number = self.run.events() + 1;
        self.places[number as usize % PLACES] =
            event.location.map(|place| (number, place.to_spot()));
        match only {
            None => self.run.step_soon(event),
            Some(_) => self.run.step(event, only),
        }
        if self.run.has_news() {
            self.collect();
        }
        Ok(())
    }

    /// Evaluates what was put off.
    fn catch_up(&mut self) {
        self.run.catch_up();
        if self.run.has_news() {
            self.collect();
        }
    }

    fn pass(&mut self, time: Time) -> Result<()> {
        let Some(time) = self.forwards(time)? else { return Ok(()) };
        self.run.advance_to(time);
        if self.run.has_news() {
            self.collect();
        }
        Ok(())
    }

    /// The time that a record counts at: its own, unless the clock has gone on already. `None` if
    /// it is left out.
    #[inline]
    fn forwards(&mut self, time: Time) -> Result<Option<Time>> {
        match self.last {
            Some(last) if time < last => self.overtaken_at(time, last),
            _ => {
                self.last = Some(time);
                self.by_record = Some(time);
                Ok(Some(time))
            }
        }
    }

    #[cold]
    fn overtaken_at(&mut self, time: Time, last: Time) -> Result<Option<Time>> {
        match (self.by_record, self.time_order) {
            (Some(told), _) if told < last && told <= time => {
                self.by_record = Some(time);
                self.overtaken += 1;
                Ok(Some(last))
            }
            (told, TimeOrder::Error) => Err(backwards(time, told.unwrap_or(last))),
            (_, TimeOrder::Clamp) => {
                self.disordered += 1;
                Ok(Some(last))
            }
            (_, TimeOrder::Ignore) => {
                self.disordered += 1;
                Ok(None)
            }
        }
    }

    /// Lets time pass though no record told it: everything up to then has been read.
    pub fn tick(&mut self, time: Time) {
        let due = match self.window {
            None => time,
            Some(window) => time.saturating_sub(window),
        };
        while self.waiting.peek().is_some_and(|Reverse(next)| next.time <= due) {
            if let Some(Reverse(next)) = self.waiting.pop() {
                // What waits is not earlier than what was released.
                let _ = self.release(next);
            }
        }
        if self.last.is_some_and(|last| last < due) {
            self.last = Some(due);
            self.run.advance_to(due);
            if self.run.has_news() {
                self.collect();
            }
        }
    }

    /// The latest time that a record told.
    pub fn latest(&self) -> Option<Time> {
        match self.window {
            None => self.by_record,
            Some(_) => Some(self.latest).filter(|latest| *latest != Time::MIN),
        }
    }

    #[cold]
    #[inline(never)]
    fn collect(&mut self) {
        let places = &self.places;
        let place = |index: u64| {
            let kept = places[index as usize % PLACES].as_ref();
            kept.filter(|(number, _)| *number == index).map(|(_, spot)| spot.to_location())
        };
        for found in self.run.collect(place) {
            if let Some(alerts) = &mut self.alerts
                && found.report.kind == ReportKind::Violation
            {
                alerts.push(findings::violation(found.clone()));
            }
            self.fresh.extend(self.findings.add(found));
        }
    }

    /// Keeps an event (or just a time) until nothing earlier can come any more.
    fn wait(
        &mut self,
        time: Option<Time>,
        what: Option<(Event, Option<Vec<PropertyId>>)>,
    ) -> Result<()> {
        let Some(window) = self.window else { return Ok(()) };
        let time = time.unwrap_or(self.latest);
        let mut time = time;
        if let Some(last) = self.last.filter(|last| time < *last && time != Time::MIN) {
            match self.overtaken_at(time, last)? {
                None => return Ok(()),
                Some(counted) => time = counted,
            }
        }
        self.numbered += 1;
        self.waiting.push(Reverse(Waiting { time, number: self.numbered, what }));
        self.latest = self.latest.max(time);
        let due = self.latest.saturating_sub(window);
        while self.waiting.peek().is_some_and(|Reverse(next)| next.time <= due) {
            if let Some(Reverse(next)) = self.waiting.pop() {
                self.release(next)?;
            }
        }
        Ok(())
    }

    fn release(&mut self, waiting: Waiting) -> Result<()> {
        match waiting.what {
            Some((event, only)) => {
                let args: Vec<_> = event.args.iter().map(Into::into).collect();
                self.step(&EventRef::of(&event, &args), only.as_deref())
            }
            None => self.pass(waiting.time),
        }
    }

    /// Refuses an event whose time decides about a verdict and is not known.
    #[inline]
    fn expect_time(&mut self, event: &EventRef<'_>) -> Result<()> {
        if event.time.is_some() {
            self.told_time = true;
            return Ok(());
        }
        match self.timed.get(event.kind.index()) {
            Some(Some(property)) if !self.told_time => Err(self.timeless(event, *property)),
            _ => Ok(()),
        }
    }

    #[cold]
    #[inline(never)]
    fn timeless(&self, event: &EventRef<'_>, property: PropertyId) -> Box<Flaw> {
        let model = self.run.model();
        let message = format!(
            "`{}` happened at an unknown time, and `{}` has a time limit: `--time-format` says how times are written, \
             `--time-field`, `--log-pattern` or `--preset` where they are; --allow-untimed checks the order of events only",
            model.events[event.kind.index()].name,
            model.properties[property.index()].name,
        );
        Flaw::new(Fault::Timeless, 0, message)
    }
}

/// What is wrong with a record that is earlier than the one before.
#[cold]
pub fn backwards(time: Time, last: Time) -> Box<Flaw> {
    let late = crate::output::json::seconds(last.saturating_sub(time));
    let message = format!(
        "time runs backwards: this record is {late} s earlier than the one before; \
         `--sort-window` puts late events back into their place; `--time-order clamp` ignores their times, `--time-order ignore` leaves them out"
    );
    Flaw::new(Fault::Backwards, 0, message)
}

/// By event, a property with a time limit that observes it.
fn timed_events(model: &Model) -> Vec<Option<PropertyId>> {
    let mut timed = vec![None; model.events.len()];
    for (index, property) in model.properties.iter().enumerate() {
        let mut contexts =
            std::iter::successors(Some(property.context), |c| model.contexts[c.index()].parent);
        let is_timed = property.measures_time()
            || contexts.any(|context| !model.contexts[context.index()].clocks.is_empty());
        let observed = property.alphabet.iter().filter(|_| is_timed).map(|o| o.event.index());
        for event in observed {
            if matches!(model.events[event].origin, Origin::World(_)) {
                timed[event] = Some(PropertyId::from_index(index));
            }
        }
    }
    timed
}

impl Sink for Checker {
    #[inline]
    fn event(&mut self, event: &EventRef<'_>) -> Result<()> {
        self.expect_time(event)?;
        if self.window.is_some() {
            return self.wait(event.time, Some((event.to_event(), None)));
        }
        self.step(event, None)
    }

    #[cold]
    fn event_for(&mut self, event: &EventRef<'_>, properties: &[Value]) -> Result<()> {
        let id = |name: &Value| match name {
            Value::Str(name) => self.run.model().property(name),
            _ => None,
        };
        let only: Vec<PropertyId> = properties.iter().filter_map(id).collect();
        self.expect_time(event)?;
        if self.window.is_some() {
            return self.wait(event.time, Some((event.to_event(), Some(only))));
        }
        self.step(event, Some(&only))
    }

    fn time(&mut self, time: Time) -> Result<()> {
        self.told_time = true;
        if self.window.is_some() {
            return self.wait(Some(time), None);
        }
        self.pass(time)
    }

    fn rest(&mut self) {
        self.catch_up();
    }
}

fn evaluator(model: &Model, engine: Engine, limits: &Limits) -> AnyEvaluator {
    match engine {
        Engine::Engine => {
            AnyEvaluator::Engine(Box::new(watchword_monitor::Engine::new(model, options(limits))))
        }
        Engine::Reference => AnyEvaluator::reference(Reference::new(model.clone())),
        Engine::None => AnyEvaluator::None,
    }
}

// Builds for testing tests have options of their own.
#[allow(clippy::needless_update)]
fn options(limits: &Limits) -> Options {
    Options {
        history: limits.history,
        max_instances: limits.max_instances,
        max_memory: limits.max_memory,
        keep: limits.keep,
        moves: limits.moves,
        ..Options::default()
    }
}
