//! The monitors: one engine, one critical section per event.
//!
//! The order in which events take the lock is the order in which they happened. A thread that is
//! inside, or that runs Java on the agent's behalf, raises no events: what happens there is not
//! the program's doing.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use watchword_model::{EventId, EventRef, Model, PropertyId, StateId, Time, ValueRef, Where};
use watchword_monitor::{Engine, Listing, Options, ReportKind, Run};

use crate::deaths::Crowds;
use crate::ids::ClassNumbers;
use crate::sites::Planned;
use crate::trace::Trace;

/// A thread, by the address of its environment.
pub type ThreadKey = usize;

/// A site, a letter, its case and the code of a state.
pub type ToldAt = (usize, usize, usize, usize);

/// The monitors.
pub struct Monitor {
    /// The thread that is inside.
    owner: AtomicUsize,
    /// How many threads run Java on the agent's behalf, and which.
    muted: AtomicUsize,
    muted_threads: Mutex<Vec<ThreadKey>>,
    state: Mutex<State>,
}

/// What the lock protects.
pub struct State {
    /// The run.
    pub run: Run,
    /// Where the trace goes.
    pub trace: Option<Trace>,
    /// It could not be written.
    pub trace_failed: bool,
    /// What came of a site, a letter, its case and a code.
    pub told_before: HashMap<ToldAt, (ReportKind, PropertyId, StateId)>,
    /// Nothing is to be done any more.
    pub over: bool,
    /// What is known of the instances that somebody looks at, if anybody does.
    pub look: Option<Look>,
    /// How much was stepped in vain, perhaps.
    pub crowds: Crowds,
    /// The events that happen when an object dies, each with a property that observes it.
    deaths: Vec<(EventId, PropertyId)>,
    threads: HashMap<ThreadKey, u64>,
    last_thread: (ThreadKey, u64),
    next_thread: u64,
    /// The start of the time of events.
    clock: Option<Instant>,
}

/// What somebody who looks at the instances is told.
pub struct Look {
    /// How long the engine took for events.
    pub spent: Duration,
    /// When instances were listed last.
    pub listed: Instant,
    /// Some have moved since.
    pub has_moved: bool,
}

impl Look {
    fn new() -> Look {
        Look { spent: Duration::ZERO, listed: Instant::now(), has_moved: false }
    }
}

impl Monitor {
    /// Monitors at the beginning of the program.
    pub fn new(
        model: &Arc<Model>,
        options: Options,
        listing: Listing,
        trace: Option<Trace>,
    ) -> Monitor {
        let timed = model.measures_time();
        let look = options.moves.then(Look::new);
        let engine = Engine::new(model, options);
        let deaths = deaths(model);
        Monitor {
            owner: AtomicUsize::new(0),
            muted: AtomicUsize::new(0),
            muted_threads: Mutex::new(Vec::new()),
            state: Mutex::new(State {
                run: Run::new(model.clone(), engine, listing),
                trace,
                trace_failed: false,
                told_before: HashMap::new(),
                over: false,
                look,
                crowds: Crowds::default(),
                deaths,
                threads: HashMap::new(),
                last_thread: (0, 0),
                next_thread: 1,
                clock: timed.then(Instant::now),
            }),
        }
    }

    /// Whether what a thread does now is the agent's doing.
    #[inline]
    pub fn is_inside(&self, thread: ThreadKey) -> bool {
        self.owner.load(Ordering::Relaxed) == thread
            || (self.muted.load(Ordering::Relaxed) > 0 && self.is_muted(thread))
    }

    #[cold]
    fn is_muted(&self, thread: ThreadKey) -> bool {
        self.muted_threads.lock().is_ok_and(|muted| muted.contains(&thread))
    }

    /// Runs something on the agent's behalf: it raises no events.
    pub fn muted<T>(&self, thread: ThreadKey, body: impl FnOnce() -> T) -> T {
        if let Ok(mut muted) = self.muted_threads.lock() {
            muted.push(thread);
        }
        self.muted.fetch_add(1, Ordering::Relaxed);
        let result = body();
        self.muted.fetch_sub(1, Ordering::Relaxed);
        if let Ok(mut muted) = self.muted_threads.lock()
            && let Some(at) = muted.iter().position(|t| *t == thread)
        {
            muted.swap_remove(at);
        }
        result
    }

    /// Enters the critical section; `None` if it is over or was left by a panic.
    #[inline]
    pub fn enter<T>(&self, thread: ThreadKey, body: impl FnOnce(&mut State) -> T) -> Option<T> {
        let mut state = self.state.lock().ok()?;
        if state.over {
            return None;
        }
        self.owner.store(thread, Ordering::Relaxed);
        let result = body(&mut state);
        self.owner.store(0, Ordering::Relaxed);
        Some(result)
    }

    /// Whether time matters to some property.
    pub fn is_timed(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.clock.is_some())
    }

    /// A thread has ended: its address may be used again.
    pub fn forget_thread(&self, thread: ThreadKey) {
        if let Ok(mut state) = self.state.lock() {
            state.threads.remove(&thread);
            state.last_thread = (0, 0);
        }
    }
}

impl State {
    /// Steps the engine with an event.
    #[inline]
    pub fn step(
        &mut self,
        thread: ThreadKey,
        kind: EventId,
        args: &[ValueRef<'_>],
        site: &Planned,
        only: Option<&[PropertyId]>,
        numbers: &ClassNumbers,
    ) {
        let time = self.clock.map(now);
        let thread = Some(self.thread(thread));
        let event =
            EventRef { kind, args, time, thread, location: Some(Where::from(&site.location)) };
        if let Some(trace) = &mut self.trace {
            let seq = self.run.events() + 1;
            if trace.write(&event, only, seq, Some(&site.place), numbers).is_err() {
                self.trace = None;
                self.trace_failed = true;
            }
        }
        // The clock is monotonic and read inside the critical section: time cannot run backwards.
        let Some(look) = &mut self.look else { return self.run.step(&event, only) };
        let begun = Instant::now();
        self.run.step(&event, only);
        look.spent += begun.elapsed();
    }

    /// The number of a thread.
    #[inline]
    pub fn thread(&mut self, key: ThreadKey) -> u64 {
        if self.last_thread.0 != key {
            let next = &mut self.next_thread;
            let number = *self.threads.entry(key).or_insert_with(|| {
                *next += 1;
                *next - 1
            });
            self.last_thread = (key, number);
        }
        self.last_thread.1
    }

    /// Whether an instance waits for the death of an object.
    pub fn waits_for_deaths(&self) -> bool {
        if self.deaths.is_empty() {
            return false;
        }
        let stats = self.run.stats().unwrap_or_default();
        self.deaths.iter().any(|(_, property)| stats[property.index()].instances > 0)
    }

    /// Objects died: there are events of the deaths that are told, and instances that need these objects
    /// for every report can go.
    pub fn bury(
        &mut self,
        is_dead: impl Fn(u64) -> bool,
        is_told: impl Fn(u64) -> bool,
        numbers: &ClassNumbers,
    ) {
        // Several properties may observe the event.
        let mut told = HashSet::new();
        for (kind, property) in self.deaths.clone() {
            for id in self.run.evaluator.held(Some(property), |id| is_dead(id) && is_told(id)) {
                if told.insert((kind, id)) {
                    self.step_death(kind, id, numbers);
                }
            }
        }
        let dead = self.run.evaluator.held(None, is_dead);
        self.run.evaluator.died(&dead);
    }

    fn step_death(&mut self, kind: EventId, id: u64, numbers: &ClassNumbers) {
        let args = [ValueRef::Ref(id, None)];
        let time = self.clock.map(now);
        let event = EventRef { kind, args: &args, time, thread: None, location: None };
        if let Some(trace) = &mut self.trace {
            let seq = self.run.events() + 1;
            if trace.write(&event, None, seq, None, numbers).is_err() {
                self.trace = None;
                self.trace_failed = true;
            }
        }
        self.run.step(&event, None);
    }

    /// Fires the deadlines that have passed; answers whether any was due.
    pub fn pass_time(&mut self) -> bool {
        let Some(clock) = self.clock else { return false };
        let now = now(clock);
        if self.run.evaluator.next_deadline().is_none_or(|due| due > now) {
            return false;
        }
        self.run.advance_to(now);
        true
    }

    /// The program has ended; answers when, if time matters.
    pub fn end(&mut self) -> Option<Time> {
        let time = self.clock.map(now);
        if let Some(time) = time {
            self.run.advance_to(time);
        }
        self.run.end();
        time
    }
}

/// The events that happen when an object dies, each with every property that observes it.
fn deaths(model: &Model) -> Vec<(EventId, PropertyId)> {
    let observers = model.properties.iter().enumerate().flat_map(|(index, property)| {
        property.alphabet.iter().map(move |o| (o.event, PropertyId::from_index(index)))
    });
    let mut deaths: Vec<_> =
        observers.filter(|(event, _)| model.events[event.index()].is_death()).collect();
    deaths.sort_unstable();
    deaths.dedup();
    deaths
}

/// Nanoseconds since the beginning.
fn now(since: Instant) -> Time {
    Time::try_from(since.elapsed().as_nanos()).unwrap_or(Time::MAX)
}
