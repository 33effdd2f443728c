//! The engine: the reference's verdicts, at millions of events per second.
//!
//! It runs a compiled [`Plan`] on memory of its own: an event touches only the instances it
//! concerns, found through indexes; instances nobody could tell from others do not exist. It does
//! no I/O, reads no clock and starts no threads: the embedder calls [`Engine::step`] with what
//! happened, [`Engine::advance_to`] with the time, and takes the reports.
//!
//! ```
//! use watchword_model::*;
//! use watchword_monitor::{Engine, Options};
//!
//! // property Twice(x) { start state A { on e(x) -> B }  bad state B }
//! let mut model = Model::default();
//! let e = EventId::from_index(model.events.len());
//! let mut decl = EventDecl::named("e");
//! decl.params.push(Param { name: "x".into(), ty: Type::Any });
//! model.events.push(decl);
//! let x = ParamId(0);
//! model.contexts.push(Context {
//!     parent: None,
//!     params: vec![Param { name: "x".into(), ty: Type::Any }],
//!     keys: vec![None],
//!     rule: Creation::ChenRosu { creation: vec![] },
//!     variables: vec![],
//!     clocks: vec![],
//!     ends: vec![],
//! });
//! let state = |name: &str, kind| State {
//!     name: name.into(), kind, message: None, entry: vec![], deadline: None, span: Span::NONE,
//! };
//! model.properties.push(Property {
//!     name: "Once".into(), doc: String::new(), severity: Severity::Error, tags: vec![],
//!     message: None, context: ContextId(0),
//!     alphabet: vec![Observed { event: e, filter: None, placements: vec![Placement(vec![(x, 0)])] }],
//!     registers: vec![],
//!     windows: vec![],
//!     states: vec![state("A", StateKind::Normal), state("B", StateKind::Bad)],
//!     start: StateId(0),
//!     transitions: vec![Transition {
//!         source: StateId(0),
//!         labels: vec![Label { event: Some(e), arity: Arity::Any,
//!             args: vec![Pattern::Equal(Place::Param(x))], guard: None, span: Span::NONE }],
//!         keep: false, then: Branch::to(Target::State(StateId(1))), otherwise: None,
//!         span: Span::NONE,
//!     }],
//!     lang: Lang::Ww, origin: PropertyOrigin::Automaton, boxes: Boxes::ByIdentity,
//!     span: Span::NONE,
//! });
//!
//! let mut engine = Engine::new(&model, Options::default());
//! for i in [1, 2, 1] {
//!     let args = [ValueRef::Int(i)];
//!     engine.step(&EventRef { kind: e, args: &args, time: None, thread: None, location: None })?;
//! }
//! engine.end();
//! let reports = engine.take_reports();
//! assert_eq!(reports.len(), 2); // slices 1 and 2, each on its first event
//! # Ok::<(), watchword_monitor::TimeError>(())
//! ```

mod cells;
mod crowd;
mod deaths;
mod direct;
mod globs;
mod group;
mod heap;
mod history;
mod inspect;
mod item;
mod larva;
mod limit;
mod marks;
mod members;
mod registers;
mod save;
mod sensitive;
mod shard;
mod short;
mod shortcut;
mod sliced;
mod store;
mod tree;
mod window;
mod world;

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use watchword_model::{
    Event, EventId, EventRef, Model, PropertyId, Spot, Time, Value, ValueRef, Where,
};
use watchword_plan::{Plan, Shape, Ways};
use watchword_step::Word;

use self::deaths::Deaths;
use self::direct::Direct;
use self::group::{At, Group};
pub use self::inspect::{EditError, Instance, InstanceId};
use self::registers::{Here, Registers};
pub use self::save::RestoreError;
pub(crate) use self::save::wrong;
use self::save::{Reader, Writer};
pub use self::sensitive::Sensitive;
use self::shard::Shard;
pub use self::shard::{Route, SplitError};
pub use self::world::PropertyStats;
use self::world::{Due, Letter, World};
use crate::{Cause, Doubt, Limit, Move, Puzzle, Report};

/// How many sends one external event may bring about.
const MAX_DELIVERIES: u32 = 10_000;

/// How many events [`Engine::step_soon`] keeps at most; few where mistakes are looked for, so that
/// short tests do what long traces do.
const MOST_HELD: usize = if cfg!(feature = "mutants") { 5 } else { 32 };

/// How an engine works; none of it changes verdicts but a limit that is hit.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How many steps of an instance's history a report shows; 0 keeps none.
    pub history: usize,
    /// How many instances of a property may live at a time.
    pub max_instances: Option<usize>,
    /// Whom to keep when there would be more.
    pub keep: Keep,
    /// Whether [`Engine::take_moves`] tells every change of state.
    pub moves: bool,
    /// Whether to count who is in which state, so that [`Engine::sensitive_events`] is cheap
    /// enough to be asked after every event.
    pub sensitive: bool,
    /// Which mistake to make, to test tests with; 0 is none.
    #[cfg(feature = "mutants")]
    pub mutant: u8,
}

impl Options {
    /// Whether the engine shall make this mistake: only ever in tests of the tests.
    #[inline]
    pub(crate) fn is_mutant(&self, number: u8) -> bool {
        #[cfg(feature = "mutants")]
        {
            self.mutant == number
        }
        #[cfg(not(feature = "mutants"))]
        {
            let _ = number;
            false
        }
    }
}

/// Whom to keep when there would be more instances than [`Options::max_instances`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The newest: the oldest is discarded.
    #[default]
    Newest,
    /// The oldest: the new one is not created.
    Oldest,
    /// One drawn by a generator with this seed is discarded.
    Random(u64),
}

/// What a property said beside reports.
#[derive(Clone, Debug)]
pub enum Said {
    /// A line for the person.
    Print {
        /// Who.
        property: PropertyId,
        /// What.
        text: String,
    },
    /// A named action for the host to run.
    Action {
        /// Who.
        property: PropertyId,
        /// The action.
        name: String,
        /// Its arguments.
        args: Vec<Value>,
    },
}

/// Time that runs backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeError {
    /// The last time seen.
    pub last: Time,
    /// The time given.
    pub given: Time,
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "time runs backwards: {} after {}", self.given, self.last)
    }
}

impl std::error::Error for TimeError {}

/// The engine. A clone is a checkpoint: the whole configuration, clocks and queues included.
#[derive(Clone, Debug)]
pub struct Engine {
    plan: Arc<Plan>,
    monitors: Vec<Monitor>,
    world: World,
    ended: bool,
    /// Of the event that is being processed, or of those in `held`, one after the other.
    args: Vec<Word>,
    /// Those that will be processed soon.
    held: Vec<Held>,
    circumstances: Vec<Circumstances>,
    events: u64,
    /// Which part it has, if it was split.
    shard: Option<Shard>,
    sensitive: Sensitive,
    deaths: Deaths,
}

/// An event that will be processed soon.
#[derive(Clone, Debug)]
struct Held {
    kind: EventId,
    /// Where its arguments begin and end in [`Engine::args`].
    args: (usize, usize),
    /// Its number in [`Engine::circumstances`], if it has any.
    circumstances: Option<u8>,
}

impl Held {
    #[inline]
    fn args(&self) -> Range<usize> {
        self.args.0..self.args.1
    }
}

/// What may be known of an event besides its arguments.
#[derive(Clone, Debug)]
struct Circumstances {
    time: Option<Time>,
    thread: Option<u64>,
    location: Option<Spot>,
}

#[derive(Clone, Debug)]
enum Monitor {
    Direct(Direct),
    Group(Box<Group>),
    Registers(Box<Registers>),
}

impl Engine {
    /// An engine at the start of a trace.
    pub fn new(model: &Model, options: Options) -> Engine {
        Engine::with_plan(Arc::new(Plan::new(model.clone())), options)
    }

    /// An engine at the start of a trace, for a plan that was made before; engines can share one.
    ///
    /// Where moves are to be told, instances that take them are all made: then a plan of its own is
    /// made if that one leaves some out.
    pub fn with_plan(plan: Arc<Plan>, options: Options) -> Engine {
        let plan = match options.moves && plan.ways != Ways::NONE {
            true => Arc::new(Plan::with(plan.model.clone(), Ways::NONE)),
            false => plan,
        };
        let mut world = World::new(&plan, options);
        let mut monitors = Vec::new();
        for (number, (root, shape)) in (0..).zip(&plan.shapes) {
            if let Shape::Registers(property, configurations) = shape {
                let unit = &plan.units[property.index()];
                let here = Here { plan: &plan, unit, shape: configurations };
                let registers = Box::new(Registers::new(here, number, &mut world));
                monitors.push(Monitor::Registers(registers));
                continue;
            }
            if let Some(direct) = Direct::new(&plan, shape, &mut world) {
                monitors.push(Monitor::Direct(direct));
                continue;
            }
            let mut group = Box::new(Group::new(&plan, number, *root, shape, &world));
            let at = At { plan: &plan, shape, context: 0 };
            match shape {
                Shape::Larva(_) => larva::start(&mut group, at, &mut world),
                _ => sliced::start(&mut group, at, &mut world),
            }
            monitors.push(Monitor::Group(group));
        }
        let mut engine = Engine {
            plan,
            monitors,
            world,
            ended: false,
            args: Vec::new(),
            held: Vec::new(),
            circumstances: Vec::new(),
            events: 0,
            shard: None,
            sensitive: Sensitive::default(),
            deaths: Deaths::default(),
        };
        engine.deliver();
        engine
    }

    /// The plan it runs.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Processes the next external event.
    ///
    /// # Errors
    /// If its time lies before the last time seen; nothing has happened then.
    pub fn step(&mut self, event: &EventRef<'_>) -> Result<(), TimeError> {
        self.step_for(event, None)
    }

    /// Processes the next external event, which exists only for these properties: for others that
    /// observe such events this one is as if it had not happened. `None` is all.
    ///
    /// # Errors
    /// As [`Engine::step`].
    pub fn step_for(
        &mut self,
        event: &EventRef<'_>,
        only: Option<&[PropertyId]>,
    ) -> Result<(), TimeError> {
        self.catch_up();
        if let Some(time) = event.time {
            self.advance_to(time)?;
        }
        self.args.clear();
        self.take_args(event);
        let EventRef { kind, thread, location, .. } = *event;
        self.process(kind, 0..self.args.len(), thread, location, None, only);
        Ok(())
    }

    /// Processes an event soon: together with those that come right after it, and before anything
    /// that changes the engine or takes something from it. In the end all is as if [`Engine::step`]
    /// had been called; but where there are many instances it takes less time, because those that
    /// the next events concern are fetched from memory all at once.
    ///
    /// What only looks at the engine, such as [`Engine::stats`] and [`Engine::save`], does not see
    /// the event before it is processed: [`Engine::catch_up`] first.
    ///
    /// # Errors
    /// If its time lies before the last time seen; nothing has happened then.
    pub fn step_soon(&mut self, event: &EventRef<'_>) -> Result<(), TimeError> {
        if let Some(given) = event.time {
            let last = self.circumstances.iter().rev().find_map(|known| known.time);
            let last = last.or(self.world.time());
            if let Some(last) = last.filter(|last| given < *last) {
                return Err(TimeError { last, given });
            }
        }
        if self.held.is_empty() {
            self.args.clear();
        }
        let start = self.args.len();
        self.take_args(event);
        // Only histories tell where something happened.
        let location = event.location.filter(|_| self.world.history.is_on());
        let mut circumstances = None;
        if event.time.is_some() || event.thread.is_some() || location.is_some() {
            circumstances = Some(self.circumstances.len() as u8);
            self.circumstances.push(Circumstances {
                time: event.time,
                thread: event.thread,
                location: location.map(|place| place.to_spot()),
            });
        }
        let args = (start, self.args.len());
        self.held.push(Held { kind: event.kind, args, circumstances });
        if self.held.len() == MOST_HELD {
            self.catch_up();
        }
        Ok(())
    }

    /// Processes the events that [`Engine::step_soon`] was given and that have not been processed.
    #[inline]
    pub fn catch_up(&mut self) {
        if !self.held.is_empty() {
            self.process_held();
        }
    }

    #[inline(never)]
    fn process_held(&mut self) {
        let mut held = std::mem::take(&mut self.held);
        let mut circumstances = std::mem::take(&mut self.circumstances);
        self.fetch(&held);
        let is_remembered = self.world.history.is_on();
        for (number, event) in held.iter().enumerate() {
            let args = event.args();
            let known = event.circumstances.map(|at| &circumstances[usize::from(at)]);
            if let Some(time) = known.and_then(|known| known.time) {
                // It was seen to when the event was given.
                let _ = self.advance_to(time);
            }
            if !is_remembered && self.is_processed(event.kind, args.clone(), number) {
                continue;
            }
            let thread = known.and_then(|known| known.thread);
            let location = known.and_then(|known| known.location.as_ref().map(Spot::place));
            self.process(event.kind, args, thread, location, Some(number), None);
        }
        held.clear();
        circumstances.clear();
        self.held = held;
        self.circumstances = circumstances;
    }

    /// Processes an event that waited if that takes no more than its arguments, as most do that
    /// only one monitor observes. Answers `false`, and has done nothing, if it does not.
    #[inline(always)]
    fn is_processed(&mut self, event: EventId, args: Range<usize>, held: usize) -> bool {
        let [observer] = self.plan.observers[event.index()][..] else { return false };
        let args = &self.args[args];
        let world = &mut self.world;
        let is_done = match &mut self.monitors[observer as usize] {
            _ if self.shard.is_some() => false,
            Monitor::Direct(direct) => direct.step_unremembered(&self.plan, world, event, args),
            Monitor::Group(group) => shortcut::step_unremembered(group, world, event, args, held),
            Monitor::Registers(_) => false,
        };
        if !is_done {
            return false;
        }
        self.world.index += 1;
        self.events += 1;
        if self.world.heap.wants_sweep() {
            self.sweep();
        }
        true
    }

    /// Adds the arguments of an event to `args`, as words; none if nobody observes it.
    #[inline(always)]
    fn take_args(&mut self, event: &EventRef<'_>) {
        if self.plan.observers[event.kind.index()].is_empty() {
            return;
        }
        let used = match self.world.is_watched() {
            true => u64::MAX,
            false => self.plan.used_args[event.kind.index()],
        };
        let heap = &mut self.world.heap;
        for (i, value) in event.args.iter().enumerate() {
            self.args.push(match *value {
                ValueRef::Int(i) => Word::int(i),
                ValueRef::Ref(id, None) => Word::object(id),
                // Text nobody looks at need not be remembered.
                _ if used & (1 << i.min(63)) == 0 => Word::NULL,
                _ => heap.word(value),
            });
        }
    }

    /// Has the memory fetched that these events will need.
    #[inline(never)]
    fn fetch(&mut self, held: &[Held]) {
        let plan = &*self.plan;
        let args = &self.args;
        for monitor in &mut self.monitors {
            match monitor {
                Monitor::Direct(direct) if direct.is_large() => {
                    let place = |e: &Held| direct.place(plan, e.kind, &args[e.args()]);
                    let (places, count) = gather(held.iter().filter_map(place));
                    direct.fetch(&places[..count], &self.world.history);
                }
                Monitor::Group(group) => {
                    shortcut::fetch(group, &self.world.history, held, args);
                }
                _ => {}
            }
        }
    }

    /// Processes an event whose arguments are there in `args`, now.
    #[inline(always)]
    fn process(
        &mut self,
        event: EventId,
        args: Range<usize>,
        thread: Option<u64>,
        location: Option<Where<'_>>,
        held: Option<usize>,
        only: Option<&[PropertyId]>,
    ) {
        self.world.index += 1;
        self.events += 1;
        if self.plan.observers[event.index()].is_empty() {
            return;
        }
        let letter = Letter {
            event,
            args: &self.args[args],
            index: self.world.index,
            cause: Cause::Event,
            time: self.world.now,
            thread,
            location,
            held,
        };
        dispatch(&self.plan, &mut self.monitors, &mut self.world, self.shard, &letter, only);
        if !self.world.queue.is_empty() {
            self.deliver();
        }
        if self.world.heap.wants_sweep() {
            self.sweep();
        }
    }

    /// [`Engine::step`] for an owned event.
    ///
    /// # Errors
    /// As [`Engine::step`].
    pub fn step_owned(&mut self, event: &Event) -> Result<(), TimeError> {
        // Few events have more arguments than this.
        let mut few = [ValueRef::Null; 8];
        let many: Vec<ValueRef<'_>>;
        let args = match few.get_mut(..event.args.len()) {
            Some(few) => {
                few.iter_mut().zip(&event.args).for_each(|(to, from)| *to = from.into());
                &*few
            }
            None => {
                many = event.args.iter().map(ValueRef::from).collect();
                &many
            }
        };
        self.step(&EventRef::of(event, args))
    }

    /// Lets time pass: fires every timer due at `time` or before.
    ///
    /// # Errors
    /// If `time` lies before the last time seen; nothing has happened then.
    pub fn advance_to(&mut self, time: Time) -> Result<(), TimeError> {
        self.catch_up();
        if self.world.timed && time < self.world.now {
            return Err(TimeError { last: self.world.now, given: time });
        }
        if !std::mem::replace(&mut self.world.timed, true) {
            self.begin_time(time);
        }
        while let Some(due) = self.next_due() {
            // A mutant: what is due at the time of an event fires after it.
            let late = self.world.mutant(17) && due.timer.at == time;
            if due.timer.at > time || late {
                break;
            }
            self.take_due(due);
            self.world.set_now(due.timer.at.max(self.world.now));
            self.world.begin_letter();
            let (_, shape) = &self.plan.shapes[due.monitor as usize];
            match &mut self.monitors[due.monitor as usize] {
                Monitor::Direct(_) => {}
                Monitor::Group(group) => {
                    let at = At { plan: &self.plan, shape, context: due.context as usize };
                    group.fire(at, &mut self.world, due);
                }
                Monitor::Registers(registers) => {
                    if let Some(here) = here(&self.plan, shape) {
                        registers.fire(here, &mut self.world, due);
                    }
                }
            }
            self.deliver();
        }
        self.world.set_now(time);
        Ok(())
    }

    /// The first time is seen: what was started before starts now.
    fn begin_time(&mut self, first: Time) {
        self.world.now = first;
        // A mutant: what is in windows came at zero.
        if !self.world.mutant(33) {
            self.world.heap.begin_time(first);
        }
        self.world.heap.now = first;
        let all = std::mem::take(&mut self.world.timers).into_vec();
        self.world.timers = all
            .into_iter()
            .map(|Reverse(mut due)| {
                due.timer = due.timer.later(first);
                Reverse(due)
            })
            .collect();
        for monitor in &mut self.monitors {
            match monitor {
                Monitor::Direct(_) => {}
                Monitor::Group(group) => group.members.iter_mut().for_each(|m| m.delay(first)),
                Monitor::Registers(registers) => registers.delay(first),
            }
        }
    }

    /// When the next timer is due.
    pub fn next_deadline(&mut self) -> Option<Time> {
        self.catch_up();
        self.next_due().map(|due| due.timer.at)
    }

    /// The first timer that is still running; those before it are cleared away.
    fn next_due(&mut self) -> Option<Due> {
        if self.world.timers.len() > 2 * self.world.timers_kept + 1024 {
            let all = std::mem::take(&mut self.world.timers).into_vec();
            let monitors = &self.monitors;
            self.world.timers = all.into_iter().filter(|d| is_running(monitors, &d.0)).collect();
            self.world.timers_kept = self.world.timers.len();
        }
        while let Some(Reverse(due)) = self.world.timers.peek().copied() {
            if is_running(&self.monitors, &due) {
                if self.world.mutant(18) {
                    return self.last_of_its_time(due);
                }
                return Some(due);
            }
            self.world.timers.pop();
        }
        None
    }

    /// A mutant's order: of timers due together, the newest first.
    fn last_of_its_time(&self, first: Due) -> Option<Due> {
        self.world
            .timers
            .iter()
            .map(|d| d.0)
            .filter(|d| d.timer.at == first.timer.at && is_running(&self.monitors, d))
            .max()
    }

    fn take_due(&mut self, due: Due) {
        if self.world.timers.peek() == Some(&Reverse(due)) {
            self.world.timers.pop();
        }
    }

    /// The trace has ended. Only the first call does anything.
    pub fn end(&mut self) {
        self.catch_up();
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let letter = Letter {
            event: EventId::END,
            args: &[],
            index: self.world.index,
            cause: Cause::End,
            time: self.world.now,
            thread: None,
            location: None,
            held: None,
        };
        dispatch(&self.plan, &mut self.monitors, &mut self.world, self.shard, &letter, None);
        self.deliver();
        for (monitor, (_, shape)) in self.monitors.iter_mut().zip(&self.plan.shapes) {
            match monitor {
                Monitor::Direct(direct) => direct.end(&self.plan, &mut self.world),
                Monitor::Registers(registers) => {
                    if let Some(here) = here(&self.plan, shape) {
                        registers.end(here, &mut self.world);
                    }
                }
                Monitor::Group(group) => {
                    let at = At { plan: &self.plan, shape, context: 0 };
                    let mut all: Vec<(u64, usize, u32)> = Vec::new();
                    for (c, members) in group.members.iter().enumerate() {
                        let store = &members.store;
                        all.extend(store.all().map(|id| (store.head(id).seq, c, id)));
                    }
                    all.sort_unstable();
                    for (_, c, id) in all {
                        group.report_pending(at.to(c), &mut self.world, id, Cause::End);
                    }
                }
            }
        }
    }

    /// Delivers what was sent, and what that sends.
    #[inline(never)]
    fn deliver(&mut self) {
        let mut deliveries = 0;
        while let Some((event, args)) = match self.world.mutant(19) {
            true => self.world.queue.pop_back(),
            false => self.world.queue.pop_front(),
        } {
            if deliveries == MAX_DELIVERIES {
                self.world.discarded += 1 + self.world.queue.len() as u64;
                self.world.queue.clear();
                return;
            }
            deliveries += 1;
            let letter = Letter {
                event,
                args: &args,
                index: self.world.index,
                cause: Cause::Channel,
                time: self.world.now,
                thread: None,
                location: None,
                held: None,
            };
            dispatch(&self.plan, &mut self.monitors, &mut self.world, self.shard, &letter, None);
        }
    }

    /// Gives back texts, lists and maps that no instance holds any more.
    #[inline(never)]
    fn sweep(&mut self) {
        for (monitor, (_, shape)) in self.monitors.iter_mut().zip(&self.plan.shapes) {
            if let (Monitor::Group(group), Shape::ChenRosu(..)) = (monitor, shape) {
                let at = At { plan: &self.plan, shape, context: 0 };
                sliced::forget_over(group, at, &mut self.world);
            }
        }
        let heap = &mut self.world.heap;
        heap.start_marking();
        for monitor in &self.monitors {
            match monitor {
                Monitor::Direct(direct) => direct.mark(heap),
                Monitor::Registers(registers) => registers.mark(heap),
                Monitor::Group(group) => {
                    for members in &group.members {
                        for id in members.store.all() {
                            members.store.words(id).iter().for_each(|w| heap.mark(*w));
                        }
                    }
                    group.marks.iter().for_each(|marks| marks.mark(heap));
                }
            }
        }
        let queued = self.world.queue.iter().flat_map(|(_, args)| args);
        self.args.iter().chain(queued).for_each(|w| heap.mark(*w));
        self.world.history.mark(heap);
        heap.sweep();
        self.world.forget_answers();
    }

    /// The whole configuration as bytes: everything [`Engine::restore`] needs to go on as this
    /// engine would. Reports that were not taken, and histories, are not part of it.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer(save::MAGIC.to_vec());
        let world = &self.world;
        out.u64(self.fingerprint());
        out.u64(self.events);
        out.bool(self.ended);
        out.i64(world.now);
        out.bool(world.timed);
        out.u64(world.index);
        out.u64(world.sequence);
        out.u64(world.discarded);
        out.u64(world.queue.len() as u64);
        for (event, args) in &world.queue {
            out.u64(u64::from(event.0));
            out.words(args, &world.heap);
        }
        self.stats().iter().for_each(|s| out.stats(s));
        out.u64(world.doubts.len() as u64);
        world.doubts.iter().for_each(|d| out.doubt(d));
        for monitor in &self.monitors {
            match monitor {
                Monitor::Direct(direct) => direct.save(&mut out, &world.heap),
                Monitor::Group(group) => {
                    group.members.iter().for_each(|m| m.save(&mut out, &world.heap));
                    group.marks.iter().for_each(|m| m.save(&mut out, &world.heap));
                }
                Monitor::Registers(registers) => registers.save(&mut out, &world.heap),
            }
        }
        out.0
    }

    /// An engine that goes on where [`Engine::save`] was called, with the same model and options.
    ///
    /// # Errors
    /// If the bytes were not saved for this model with such options, or are damaged.
    pub fn restore(
        plan: Arc<Plan>,
        options: Options,
        bytes: &[u8],
    ) -> Result<Engine, RestoreError> {
        let bytes = bytes.strip_prefix(&save::MAGIC);
        let mut from = Reader(bytes.ok_or(save::wrong("this is no saved configuration"))?);
        let mut engine = Engine::with_plan(plan, options);
        if from.u64()? != engine.fingerprint() {
            return Err(save::wrong("it was saved for another model or other options"));
        }
        let plan = engine.plan.clone();
        let world = &mut engine.world;
        world.timers.clear();
        world.queue.clear();
        world.reports.clear();
        world.moves.clear();
        world.said.clear();
        engine.events = from.u64()?;
        engine.ended = from.bool()?;
        world.set_now(from.i64()?);
        world.timed = from.bool()?;
        world.index = from.u64()?;
        world.sequence = from.u64()?;
        world.discarded = from.u64()?;
        let events = plan.model.events.len();
        for _ in 0..from.len()? {
            let event = from.event(events)?;
            let args = from.words(&mut world.heap)?;
            world.queue.push_back((event, args));
        }
        for stats in &mut world.stats {
            *stats = from.stats()?;
        }
        world.doubts.clear();
        for _ in 0..from.len()? {
            world.doubts.push(from.doubt(plan.units.len())?);
        }
        let monitors = engine.monitors.iter_mut().zip(&plan.shapes);
        for (number, (monitor, (root, shape))) in (0..).zip(monitors) {
            match monitor {
                Monitor::Direct(direct) => {
                    let states = match shape {
                        Shape::ChenRosu(p, _) => plan.units[p.index()].state_kinds.len(),
                        _ => 0,
                    };
                    direct.restore(&mut from, &mut world.heap, states)?;
                }
                Monitor::Registers(registers) => {
                    if let Some(here) = here(&plan, shape) {
                        registers.restore(here, world, &mut from)?;
                    }
                }
                Monitor::Group(group) => {
                    let empty = Group::new(&plan, number, *root, shape, world);
                    let mut old = std::mem::replace(&mut **group, empty);
                    for members in &mut old.members {
                        for id in members.store.in_order() {
                            members.remove(world, id);
                        }
                    }
                    let at = At { plan: &plan, shape, context: 0 };
                    for (context, members) in group.members.iter_mut().enumerate() {
                        let states: Vec<usize> = (0..members.automata)
                            .map(|a| at.to(context).unit(a).state_kinds.len())
                            .collect();
                        let timers = &mut world.timers;
                        let heap = &mut world.heap;
                        let binding = plan.contexts[at.to(context).id_of(*root).index()].vars_at();
                        let due = |timer, id, what| {
                            let context = context as u32;
                            timers.push(Reverse(Due { timer, monitor: number, context, id, what }));
                        };
                        members.restore(&mut from, heap, binding, &states, events, due)?;
                    }
                    if let Some(marks) = &mut group.marks {
                        marks.restore(&mut from, &mut world.heap)?;
                    }
                    let bottom = &group.members[0].store;
                    if !matches!(shape, Shape::Larva(_))
                        && (bottom.slots() == 0 || !is_bottom(bottom))
                    {
                        return Err(save::wrong("the instance that binds nothing is missing"));
                    }
                }
            }
        }
        match from.0.is_empty() {
            true => Ok(engine),
            false => Err(save::wrong("there are bytes left over")),
        }
    }

    /// A number that tells models and storage apart, so that bytes are restored where they fit.
    fn fingerprint(&self) -> u64 {
        let tables = self.monitors.iter().map(|m| u8::from(matches!(m, Monitor::Direct(_))));
        let tables: Vec<u8> = tables.collect();
        self.plan.fingerprint() ^ u64::from(store::hash_bytes(&tables))
    }

    /// The reports since the last call, in order.
    pub fn take_reports(&mut self) -> Vec<Report> {
        self.catch_up();
        std::mem::take(&mut self.world.reports)
    }

    /// The moves since the last call, in order, if [`Options::moves`] is on: for each the state
    /// that was left and the one that was entered, self-loops included. Staying (`-> stay`) is
    /// none, and neither is the entry of the start state.
    ///
    /// Instances that nobody can tell from a smaller one are not kept, and move with it: their
    /// common move is told once, with the binding of the smaller one.
    pub fn take_moves(&mut self) -> Vec<Move> {
        self.catch_up();
        std::mem::take(&mut self.world.moves)
    }

    /// Whether there are reports to take.
    pub fn has_reports(&self) -> bool {
        !self.world.reports.is_empty()
    }

    /// What properties printed, and actions they want run, since the last call.
    pub fn take_said(&mut self) -> Vec<Said> {
        self.catch_up();
        std::mem::take(&mut self.world.said)
    }

    /// For each property of which an evaluation was not relevant, when that happened first and
    /// why, in that order.
    #[inline]
    pub fn puzzles(&self) -> &[Puzzle] {
        &self.world.puzzles
    }

    /// For each property of which an instance became inconclusive, when that happened first and
    /// why, in that order.
    #[inline]
    pub fn doubts(&self) -> &[Doubt] {
        &self.world.doubts
    }

    /// How many external events there were.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How many sends were discarded because one event brought about too many: a limit that was
    /// hit.
    pub fn discarded_sends(&self) -> u64 {
        self.world.discarded
    }

    /// The limits that were hit so far, those of properties first, in their order.
    pub fn limits(&self) -> Vec<Limit> {
        let mut limits = Vec::new();
        for (i, stats) in self.world.stats.iter().enumerate() {
            let property = PropertyId::from_index(i);
            if stats.discarded > 0 {
                let (discarded, since) = (stats.discarded, stats.discarded_since);
                limits.push(Limit::Instances { property, discarded, since });
            }
            if let Some(doubt) = self.world.doubts.iter().find(|d| d.property == property) {
                let Doubt { index: since, why, .. } = *doubt;
                let instances = stats.inconclusive;
                limits.push(Limit::Evaluations { property, instances, since, why });
            }
        }
        if self.world.discarded > 0 {
            limits.push(Limit::Sends { discarded: self.world.discarded });
        }
        limits
    }

    /// How many guards were not relevant, over all properties.
    pub fn not_relevant(&self) -> u64 {
        self.world.stats.iter().map(|s| s.not_relevant).sum()
    }

    /// The counters of every property.
    pub fn stats(&self) -> Vec<PropertyStats> {
        let mut stats = self.world.stats.clone();
        for (monitor, (_, shape)) in self.monitors.iter().zip(&self.plan.shapes) {
            let mut set = |property: PropertyId, len: usize, peak: usize| {
                stats[property.index()].instances = len as u64;
                let stats = &mut stats[property.index()];
                stats.peak = stats.peak.max(peak as u64);
            };
            match (monitor, shape) {
                (Monitor::Direct(direct), Shape::ChenRosu(property, _)) => {
                    set(*property, direct.len(), direct.peak());
                }
                (Monitor::Group(group), Shape::Larva(plans)) => {
                    for (members, plan) in group.members.iter().zip(plans) {
                        for property in &plan.properties {
                            set(*property, members.store.len(), members.store.peak());
                        }
                    }
                }
                (
                    Monitor::Group(group),
                    Shape::ChenRosu(property, _) | Shape::Verde(property, _),
                ) => {
                    let store = &group.members[0].store;
                    set(*property, store.len(), store.peak());
                }
                (Monitor::Registers(registers), Shape::Registers(property, _)) => {
                    set(*property, registers.len(), registers.peak());
                }
                _ => {}
            }
        }
        stats
    }

    /// How many instances of every property were made for somebody: the one that binds nothing
    /// does not count, unless there can be no other.
    pub fn made(&self) -> Vec<u64> {
        let mut made: Vec<u64> = self.world.stats.iter().map(|s| s.created).collect();
        for (monitor, (_, shape)) in self.monitors.iter().zip(&self.plan.shapes) {
            if let (Monitor::Group(_), Shape::ChenRosu(property, _) | Shape::Verde(property, _)) =
                (monitor, shape)
            {
                let context = self.plan.units[property.index()].context;
                if self.plan.contexts[context.index()].params > 0 {
                    let made = &mut made[property.index()];
                    *made = made.saturating_sub(1);
                }
            }
        }
        made
    }

    /// How often an instance or a configuration was made, stepped, or asked whether it steps.
    pub fn visits(&self) -> u64 {
        self.world.stats.iter().map(|s| s.created + s.visited).sum()
    }

    /// How many instances and configurations are kept, over all properties.
    pub fn instances(&self) -> usize {
        self.monitors
            .iter()
            .map(|m| match m {
                Monitor::Direct(direct) => direct.len(),
                Monitor::Group(group) => group.members.iter().map(|m| m.store.len()).sum(),
                Monitor::Registers(registers) => registers.len(),
            })
            .sum()
    }
}

/// The first [`MOST_HELD`] of these, and how many there are.
fn gather<T: Copy + Default>(all: impl Iterator<Item = T>) -> ([T; MOST_HELD], usize) {
    let mut gathered = [T::default(); MOST_HELD];
    let mut count = 0;
    for (to, from) in gathered.iter_mut().zip(all) {
        *to = from;
        count += 1;
    }
    (gathered, count)
}

/// Whether the first record is the instance that binds nothing: saved instances are in order of
/// creation, and it is the oldest.
fn is_bottom(store: &store::Store) -> bool {
    store.head(0).live && store.head(0).partition == 0
}

fn here<'p>(plan: &'p Plan, shape: &'p Shape) -> Option<Here<'p>> {
    let Shape::Registers(property, configurations) = shape else { return None };
    Some(Here { plan, unit: &plan.units[property.index()], shape: configurations })
}

fn is_running(monitors: &[Monitor], due: &Due) -> bool {
    match &monitors[due.monitor as usize] {
        Monitor::Direct(_) => false,
        Monitor::Group(group) => group.is_running(due),
        Monitor::Registers(registers) => registers.is_running(due),
    }
}

/// Whether a group of instances is of one of these properties.
fn concerns(shape: &Shape, only: &[PropertyId]) -> bool {
    match shape {
        Shape::ChenRosu(property, _)
        | Shape::Verde(property, _)
        | Shape::Registers(property, _) => only.contains(property),
        Shape::Larva(plans) => {
            plans.iter().flat_map(|plan| &plan.properties).any(|p| only.contains(p))
        }
    }
}

/// Whether an event is one for a group of instances, where not all are for all.
#[inline(never)]
fn is_concerned(
    plan: &Plan,
    shape: &Shape,
    world: &World,
    shard: Option<Shard>,
    letter: &Letter<'_>,
    only: Option<&[PropertyId]>,
) -> bool {
    only.is_none_or(|only| concerns(shape, only))
        && shard.is_none_or(|s| s.concerns(plan, shape, letter, &world.heap))
}

#[inline(always)]
fn dispatch(
    plan: &Plan,
    monitors: &mut [Monitor],
    world: &mut World,
    shard: Option<Shard>,
    letter: &Letter<'_>,
    only: Option<&[PropertyId]>,
) {
    world.begin_letter();
    for number in &plan.observers[letter.event.index()] {
        let monitor = &mut monitors[*number as usize];
        let (_, shape) = &plan.shapes[*number as usize];
        let is_partial = only.is_some() || shard.is_some();
        if is_partial && !is_concerned(plan, shape, world, shard, letter, only) {
            continue;
        }
        match (monitor, shape) {
            (Monitor::Direct(direct), _) => direct.step(plan, world, letter),
            (Monitor::Group(group), Shape::ChenRosu(..)) => {
                sliced::step(group, At { plan, shape, context: 0 }, world, letter);
            }
            (Monitor::Group(group), Shape::Verde(..)) => {
                sliced::step_verde(group, At { plan, shape, context: 0 }, world, letter);
            }
            (Monitor::Group(group), Shape::Larva(_)) => {
                larva::step(group, At { plan, shape, context: 0 }, world, letter);
            }
            (Monitor::Registers(registers), shape) => {
                if let Some(here) = here(plan, shape) {
                    registers.step(here, world, letter);
                }
            }
            _ => {}
        }
    }
}
