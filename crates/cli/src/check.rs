//! Events in, violations out: the evaluators behind one small door.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use clap::ValueEnum;
use watchword_model::{Event, EventRef, Model, PropertyId, Spot, Time, Value};
use watchword_monitor::reference::Reference;
use watchword_monitor::{AnyEvaluator, Keep, Listing, Options, Run};
use watchword_trace::emit::Sink;
use watchword_trace::error::{Fault, Flaw};

use crate::args::Keeping;
use crate::output::findings::Findings;

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

/// What is kept and shown.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Events of an instance's history.
    pub history: usize,
    /// Live instances of a property.
    pub max_instances: Option<usize>,
    /// Which of them stay when there are more.
    pub keep: Keep,
    /// Different violations.
    pub max_violations: usize,
    /// No two violations are the same one.
    pub unique: bool,
    /// How late an event may come.
    pub sort_window: Option<Time>,
}

impl From<&Keeping> for Limits {
    fn from(keeping: &Keeping) -> Limits {
        Limits {
            history: keeping.history,
            max_instances: keeping.max_instances,
            keep: keeping.keep(),
            max_violations: keeping.max_violations,
            unique: keeping.no_dedup,
            sort_window: None,
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
    last: Option<Time>,
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
        Checker {
            run: Run::new(model, evaluator, listing),
            findings: Findings::default(),
            places: vec![None; PLACES],
            fresh: Vec::new(),
            last: None,
            window: limits.sort_window,
            waiting: BinaryHeap::new(),
            latest: Time::MIN,
            numbered: 0,
        }
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

    #[inline]
    fn step(&mut self, event: &EventRef<'_>, only: Option<&[PropertyId]>) -> Result<()> {
        if let Some(time) = event.time {
            self.forwards(time)?;
        }
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
        self.forwards(time)?;
        self.run.advance_to(time);
        if self.run.has_news() {
            self.collect();
        }
        Ok(())
    }

    #[inline]
    fn forwards(&mut self, time: Time) -> Result<()> {
        match self.last {
            Some(last) if time < last => Err(backwards(time, last)),
            _ => {
                self.last = Some(time);
                Ok(())
            }
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
        if let Some(last) = self.last.filter(|last| time < *last && time != Time::MIN) {
            return Err(backwards(time, last));
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

    /// Whether any record had a time.
    pub fn told_time(&self) -> bool {
        self.last.is_some()
    }
}

#[cold]
fn backwards(time: Time, last: Time) -> Box<Flaw> {
    let late = crate::output::json::seconds(last.saturating_sub(time));
    let message = format!(
        "time runs backwards: this record is {late} s earlier than the one before; \
         `--sort-window` puts late events back into their place"
    );
    Flaw::new(Fault::Backwards, 0, message)
}

impl Sink for Checker {
    #[inline]
    fn event(&mut self, event: &EventRef<'_>) -> Result<()> {
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
        if self.window.is_some() {
            return self.wait(event.time, Some((event.to_event(), Some(only))));
        }
        self.step(event, Some(&only))
    }

    fn time(&mut self, time: Time) -> Result<()> {
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
            // Builds for testing tests have options of their own.
            #[allow(clippy::needless_update)]
            let options = Options {
                history: limits.history,
                max_instances: limits.max_instances,
                keep: limits.keep,
                ..Options::default()
            };
            AnyEvaluator::Engine(Box::new(watchword_monitor::Engine::new(model, options)))
        }
        Engine::Reference => AnyEvaluator::reference(Reference::new(model.clone())),
        Engine::None => AnyEvaluator::None,
    }
}
