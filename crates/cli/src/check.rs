//! Events in, violations out: the evaluators behind one small door.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use clap::ValueEnum;
use watchword_model::{
    Event, EventId, EventRef, Location, Model, Origin, PropertyId, Spot, Time, Value,
};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Keep, Limit, Options, PropertyStats, Puzzle, Report, Said};
use watchword_trace::emit::Sink;
use watchword_trace::error::{Fault, Flaw};
use watchword_view::text::{self, counted};

use crate::args::Keeping;
use crate::output::violations::Violations;

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

/// How many printed lines are kept for whoever wants them at the end.
const MAX_PRINTED: usize = 10_000;

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

/// Puts events in order, evaluates them and collects what is reported.
pub struct Checker<'m> {
    /// What was found.
    pub violations: Violations,
    /// What updates printed, up to a limit.
    pub printed: Vec<String>,
    /// How many lines were beyond that.
    pub unprinted: u64,
    /// How many events were evaluated.
    pub events: u64,
    /// How many events of each declaration were evaluated that exist for all properties.
    by_event: Vec<u64>,
    /// How many others were, by property.
    by_property: Vec<u64>,
    /// Where an evaluation of a property was not relevant for the first time, in the order of
    /// [`Engine::puzzles`](watchword_monitor::Engine::puzzles).
    puzzled: Vec<Option<Arc<Location>>>,
    /// What is checked.
    pub model: &'m Model,
    evaluator: Evaluator,
    /// Where the last events happened, each at its number modulo [`PLACES`].
    places: Vec<Option<(u64, Spot)>>,
    /// The counters before the first event.
    before: Vec<PropertyStats>,
    /// Violations that were not shown yet.
    fresh: Vec<usize>,
    last: Option<Time>,
    window: Option<Time>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    latest: Time,
    numbered: u64,
}

impl<'m> Checker<'m> {
    /// At the beginning of traces of these names.
    pub fn new(
        model: &'m Model,
        engine: Engine,
        limits: &Limits,
        traces: &[String],
    ) -> Checker<'m> {
        let evaluator = Evaluator::new(model, engine, limits);
        Checker {
            violations: Violations::new(model, traces, limits.max_violations, limits.unique),
            events: 0,
            by_event: vec![0; model.events.len()],
            by_property: vec![0; model.properties.len()],
            model,
            before: evaluator.stats().unwrap_or_default(),
            evaluator,
            places: vec![None; PLACES],
            printed: Vec::new(),
            unprinted: 0,
            puzzled: Vec::new(),
            fresh: Vec::new(),
            last: None,
            window: limits.sort_window,
            waiting: BinaryHeap::new(),
            latest: Time::MIN,
            numbered: 0,
        }
    }

    /// What the evaluator tells about itself.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The trace has ended.
    pub fn end(&mut self) -> anyhow::Result<()> {
        self.release_all()?;
        self.evaluator.end();
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
        for line in self.evaluator.take_printed() {
            if self.printed.len() < MAX_PRINTED {
                self.printed.push(line);
            } else {
                self.unprinted += 1;
            }
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
        self.events += 1;
        match only {
            None => self.by_event[event.kind.index()] += 1,
            Some(only) => {
                for id in only {
                    let observes = self.model.properties[id.index()].observes(event.kind).is_some();
                    self.by_property[id.index()] += u64::from(observes);
                }
            }
        }
        self.places[self.events as usize % PLACES] =
            event.location.map(|place| (self.events, place.to_spot()));
        if self.evaluator.step(event, only) {
            self.collect();
        }
        if self.evaluator.puzzles().len() > self.puzzled.len() {
            self.wonder();
        }
        Ok(())
    }

    /// Evaluates what was put off.
    fn catch_up(&mut self) {
        if self.evaluator.catch_up() {
            self.collect();
        }
        self.wonder();
    }

    fn pass(&mut self, time: Time) -> Result<()> {
        self.forwards(time)?;
        if self.evaluator.advance_to(time) {
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
        for report in self.evaluator.take_reports() {
            let here = self.places[report.index as usize % PLACES].as_ref();
            let here = here.filter(|(number, _)| {
                *number == report.index && report.cause == watchword_monitor::Cause::Event
            });
            let here = here.map(|(_, spot)| spot.to_location());
            self.fresh.extend(self.violations.add(report, here.as_ref()));
        }
    }

    /// Notes where evaluations had no value.
    #[cold]
    #[inline(never)]
    fn wonder(&mut self) {
        for puzzle in &self.evaluator.puzzles()[self.puzzled.len()..] {
            let here = self.places[puzzle.index as usize % PLACES].as_ref();
            let here = here.filter(|(number, _)| *number == puzzle.index);
            self.puzzled.push(here.map(|(_, spot)| spot.to_location()));
        }
    }

    /// Guards that had no value, by property, in words.
    pub fn puzzles(&self) -> Vec<String> {
        let Some(stats) = self.stats() else {
            let n = self.evaluator.not_relevant();
            let text = format!("{} had no value and were passed over", counted(n, "guard"));
            return if n > 0 { vec![text] } else { Vec::new() };
        };
        let puzzles = self.evaluator.puzzles().iter().enumerate();
        let mut texts: Vec<(PropertyId, String)> = puzzles
            .map(|(i, puzzle)| {
                let name = &self.model.properties[puzzle.property.index()].name;
                let place = self.puzzled.get(i).and_then(|l| l.as_deref()).map(text::location);
                let times = stats[puzzle.property.index()].not_relevant;
                (puzzle.property, puzzle.text(name, times, place.as_deref()))
            })
            .collect();
        texts.sort();
        texts.into_iter().map(|(_, text)| text).collect()
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

    /// The counters of the engine; other evaluators have none. Instances that were there before
    /// anything had happened are nobody's and do not count, unless there can be no others.
    pub fn stats(&self) -> Option<Vec<PropertyStats>> {
        let mut stats = self.evaluator.stats()?;
        for ((stats, before), property) in
            stats.iter_mut().zip(&self.before).zip(&self.model.properties)
        {
            if !self.model.params(property.context).is_empty() {
                stats.created = stats.created.saturating_sub(before.created);
                stats.peak = stats.peak.saturating_sub(before.instances);
                stats.instances = stats.instances.saturating_sub(before.instances);
            }
        }
        Some(stats)
    }

    /// Whether a property could not be evaluated to the end for some instance.
    pub fn is_inconclusive(&self, property: PropertyId) -> bool {
        let limits = self.evaluator.limits();
        limits.iter().any(|limit| limit.blurs(self.model, property))
    }

    /// Limits that were hit, in words.
    pub fn limits_hit(&self) -> Vec<String> {
        let mut hit = Vec::new();
        if let Evaluator::Engine(engine) = &self.evaluator {
            for doubt in engine.doubts() {
                let at = doubt.property.index();
                let instances = engine.stats()[at].inconclusive;
                hit.push(doubt.text(&self.model.properties[at].name, instances));
            }
        }
        for (property, stats) in self.model.properties.iter().zip(self.stats().iter().flatten()) {
            if stats.discarded > 0 {
                let name = &property.name;
                let discarded = counted(stats.discarded, "instance");
                let were = if stats.discarded == 1 { "was" } else { "were" };
                let text = format!("{name}: {discarded} {were} discarded");
                hit.push(format!("{text} (--max-instances): violations may be missing"));
            }
        }
        if self.unprinted > 0 {
            hit.push(format!("{} printed lines are not shown", self.unprinted));
        }
        let sends = self.evaluator.discarded_sends();
        if sends > 0 {
            let were = if sends == 1 { "was" } else { "were" };
            let messages = counted(sends, "message");
            hit.push(format!("{messages} {were} discarded: one event brought about too many"));
        }
        hit
    }

    /// Whether any record had a time.
    pub fn told_time(&self) -> bool {
        self.last.is_some()
    }

    /// How many events each property observed.
    pub fn observed(&self, property: usize) -> u64 {
        let alphabet = &self.model.properties[property].alphabet;
        let is_message =
            |event: EventId| matches!(self.model.events[event.index()].origin, Origin::Channel);
        let all = alphabet.iter().map(|o| self.by_event[o.event.index()]).sum::<u64>();
        let seen = all + self.by_property[property];
        match self.evaluator.stats() {
            // Some exist for other properties only, as their filters have it; the engine knows.
            Some(stats) if alphabet.iter().any(|o| o.filter.is_some()) => stats[property].events,
            // Messages of other properties are no events of the trace; the engine counts them.
            Some(stats) if alphabet.iter().any(|o| is_message(o.event)) => {
                stats[property].events.max(seen)
            }
            _ => seen,
        }
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

impl Sink for Checker<'_> {
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
            Value::Str(name) => self.model.property(name),
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

/// An evaluator.
pub enum Evaluator {
    /// The engine.
    Engine(Box<watchword_monitor::Engine>),
    /// The reference, and how many of its reports and printed lines were taken.
    Reference(Box<Reference>, usize, usize),
    /// None.
    None,
}

impl Evaluator {
    fn new(model: &Model, engine: Engine, limits: &Limits) -> Evaluator {
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
                Evaluator::Engine(Box::new(watchword_monitor::Engine::new(model, options)))
            }
            Engine::Reference => {
                Evaluator::Reference(Box::new(Reference::new(model.clone())), 0, 0)
            }
            Engine::None => Evaluator::None,
        }
    }

    /// Evaluates an event, now or soon; answers whether there are reports to take.
    #[inline]
    fn step(&mut self, event: &EventRef<'_>, only: Option<&[PropertyId]>) -> bool {
        // The checker has seen to it that time runs forwards.
        match self {
            Evaluator::Engine(engine) => {
                let _ = match only {
                    None => engine.step_soon(event),
                    Some(_) => engine.step_for(event, only),
                };
                engine.has_reports()
            }
            Evaluator::Reference(reference, taken, _) => {
                let _ = reference.step_for(&event.to_event(), only);
                reference.reports().len() > *taken
            }
            Evaluator::None => false,
        }
    }

    /// Evaluates what was put off; answers whether there are reports to take.
    fn catch_up(&mut self) -> bool {
        match self {
            Evaluator::Engine(engine) => {
                engine.catch_up();
                engine.has_reports()
            }
            Evaluator::Reference(..) | Evaluator::None => false,
        }
    }

    fn advance_to(&mut self, time: Time) -> bool {
        match self {
            Evaluator::Engine(engine) => {
                let _ = engine.advance_to(time);
                engine.has_reports()
            }
            Evaluator::Reference(reference, taken, _) => {
                let _ = reference.advance_to(time);
                reference.reports().len() > *taken
            }
            Evaluator::None => false,
        }
    }

    fn end(&mut self) {
        match self {
            Evaluator::Engine(engine) => engine.end(),
            Evaluator::Reference(reference, _, _) => reference.end(),
            Evaluator::None => {}
        }
    }

    fn take_reports(&mut self) -> Vec<Report> {
        match self {
            Evaluator::Engine(engine) => engine.take_reports(),
            Evaluator::Reference(reference, taken, _) => {
                let new = reference.reports()[*taken..].to_vec();
                *taken = reference.reports().len();
                new
            }
            Evaluator::None => Vec::new(),
        }
    }

    /// What updates printed since the last call.
    fn take_printed(&mut self) -> Vec<String> {
        match self {
            Evaluator::Engine(engine) => engine
                .take_said()
                .into_iter()
                .filter_map(|said| match said {
                    Said::Print { text, .. } => Some(text),
                    // Actions are run by hosts that have functions for them.
                    Said::Action { .. } => None,
                })
                .collect(),
            Evaluator::Reference(reference, _, taken) => {
                let new = reference.printed()[*taken..].to_vec();
                *taken = reference.printed().len();
                new
            }
            Evaluator::None => Vec::new(),
        }
    }

    fn stats(&self) -> Option<Vec<PropertyStats>> {
        match self {
            Evaluator::Engine(engine) => Some(engine.stats()),
            _ => None,
        }
    }

    /// The first evaluations that were not relevant; only the engine tells them apart.
    #[inline]
    fn puzzles(&self) -> &[Puzzle] {
        match self {
            Evaluator::Engine(engine) => engine.puzzles(),
            _ => &[],
        }
    }

    /// The limits that were hit; only the engine tells them.
    fn limits(&self) -> Vec<Limit> {
        match self {
            Evaluator::Engine(engine) => engine.limits(),
            _ => Vec::new(),
        }
    }

    /// Guards that were not relevant.
    pub fn not_relevant(&self) -> u64 {
        match self {
            Evaluator::Engine(engine) => engine.not_relevant(),
            Evaluator::Reference(reference, _, _) => reference.not_relevant(),
            Evaluator::None => 0,
        }
    }

    /// How many sends were discarded.
    pub fn discarded_sends(&self) -> u64 {
        match self {
            Evaluator::Engine(engine) => engine.discarded_sends(),
            Evaluator::Reference(reference, _, _) => reference.discarded(),
            Evaluator::None => 0,
        }
    }
}
