//! The engine: the reference's verdicts, at millions of events per second.
//!
//! It runs a compiled [`Plan`] on memory of its own: an event touches only the instances it
//! concerns, found through indexes; instances that cannot be distinguished from others do not
//! exist. It does
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
//!     alphabet: vec![Observed { event: e, filter: None, placements: vec![Placement(vec![(x, 0)])] }],
//!     states: vec![state("A", StateKind::Normal), state("B", StateKind::Bad)],
//!     transitions: vec![Transition {
//!         source: StateId(0),
//!         labels: vec![Label { event: Some(e), arity: Arity::Any,
//!             args: vec![Pattern::Equal(Place::Param(x))], guard: None, span: Span::NONE }],
//!         keep: false, then: Branch::to(Target::State(StateId(1))), otherwise: None,
//!         span: Span::NONE,
//!     }],
//!     ..Property::named("Once", ContextId(0))
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

mod adopt;
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
mod memory;
mod registers;
mod save;
mod sensitive;
mod shard;
mod short;
mod shortcut;
mod sliced;
mod spots;
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
use watchword_step::{NotRelevant, Word};

pub use self::adopt::Stepped;
use self::deaths::Deaths;
use self::direct::Direct;
use self::group::{At, Group};
pub use self::inspect::{EditError, Instance, InstanceId};
use self::members::Members;
use self::registers::{Here, Registers};
pub use self::save::RestoreError;
pub(crate) use self::save::wrong;
use self::save::{Reader, Writer};
pub use self::sensitive::Sensitive;
use self::shard::Shard;
pub(crate) use self::shard::shard_of;
pub use self::shard::{Route, SplitError};
pub use self::world::PropertyStats;
use self::world::{Due, Letter, World};
use crate::rounds::{Rounds, is_endless};
use crate::{Cause, Doubt, Limit, Move, Puzzle, Report};

/// The largest number of sends that one external event may cause.
const MAX_DELIVERIES: u32 = 10_000;

/// The largest number of events that [`Engine::step_soon`] holds back. It is small in builds with
/// mutants, so that short tests do what long traces do.
const MOST_HELD: usize = if cfg!(feature = "mutants") { 5 } else { 32 };

/// Settings of an engine. They change no verdicts, except when a limit is reached.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The number of steps of an instance's history in a report; 0 keeps none.
    pub history: usize,
    /// The largest number of live instances of a property.
    pub max_instances: Option<usize>,
    /// Which instances to keep if there would be more.
    pub keep: Keep,
    /// The largest number of bytes that instances, their values and their windows may take up. An
    /// instance that needs more becomes inconclusive; a new one that has no room is not made, or
    /// another one is discarded, as [`Options::keep`] says.
    pub max_memory: Option<u64>,
    /// Whether [`Engine::take_moves`] returns every change of state.
    pub moves: bool,
    /// Whether to count the instances in each state, so that [`Engine::sensitive_events`] is cheap
    /// enough to be called after every event.
    pub sensitive: bool,
    /// The mistake to make, for tests of the tests; 0 is none.
    #[cfg(feature = "mutants")]
    pub mutant: u8,
}

impl Options {
    /// Whether the engine makes this mistake; used only by tests of the tests.
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

/// Which instances to keep if there would be more than [`Options::max_instances`] or
/// [`Options::max_memory`] allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The newest: the oldest is discarded.
    #[default]
    Newest,
    /// The oldest: the new one is not created.
    Oldest,
    /// A random instance is discarded; the seed of the generator is given.
    Random(u64),
}

/// Output of a property other than reports.
#[derive(Clone, Debug)]
pub enum Said {
    /// A line for the user.
    Print {
        /// The property.
        property: PropertyId,
        /// The text.
        text: String,
    },
    /// A named action that the host is to execute.
    Action {
        /// The property.
        property: PropertyId,
        /// The action.
        name: String,
        /// Its arguments.
        args: Vec<Value>,
    },
}

/// The error for a time that is earlier than the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeError {
    /// The time of the last event.
    pub last: Time,
    /// The time that was passed.
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
    /// It was made to tell moves.
    knows_moves: bool,
    monitors: Vec<Monitor>,
    world: World,
    ended: bool,
    /// Data of the event that is being processed, or of all events in `held`.
    args: Vec<Word>,
    /// Events that are held back.
    held: Vec<Held>,
    circumstances: Vec<Circumstances>,
    events: u64,
    /// The number of its shard, if the engine was split.
    shard: Option<Shard>,
    sensitive: Sensitive,
    deaths: Deaths,
}

/// An event that is held back.
#[derive(Clone, Debug)]
struct Held {
    kind: EventId,
    /// The range of its arguments in [`Engine::args`].
    args: (usize, usize),
    /// Its index in [`Engine::circumstances`], if it has any.
    circumstances: Option<u8>,
}

impl Held {
    #[inline]
    fn args(&self) -> Range<usize> {
        self.args.0..self.args.1
    }
}

/// Optional data of an event besides its arguments.
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

impl Monitor {
    /// The memory of its records. Direct tables are not used if memory is limited.
    fn bytes(&mut self) -> usize {
        match self {
            Monitor::Direct(_) => 0,
            Monitor::Group(group) => group.members.iter().map(Members::bytes).sum(),
            Monitor::Registers(registers) => registers.bytes(),
        }
    }
}

impl Engine {
    /// An engine at the start of a trace.
    pub fn new(model: &Model, options: Options) -> Engine {
        Engine::with_plan(Arc::new(Plan::new(model.clone())), options)
    }

    /// An engine at the start of a trace, with an existing plan, which several engines can share.
    ///
    /// If moves are requested, all instances that move must exist. If the plan leaves some out, the
    /// engine makes a plan of its own.
    pub fn with_plan(plan: Arc<Plan>, options: Options) -> Engine {
        let plan = match options.moves && plan.ways != Ways::NONE {
            true => Arc::new(Plan::with(plan.model.clone(), Ways::NONE)),
            false => plan,
        };
        let knows_moves = options.moves;
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
            knows_moves,
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

    /// The plan that the engine executes.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Processes the next external event.
    ///
    /// # Errors
    ///
    /// If its time is earlier than that of the last event; the engine is unchanged then.
    pub fn step(&mut self, event: &EventRef<'_>) -> Result<(), TimeError> {
        self.step_for(event, None)
    }

    /// Processes the next external event for these properties only; for other properties the event
    /// does not exist. `None` stands for all properties.
    ///
    /// # Errors
    ///
    /// Like [`Engine::step`].
    pub fn step_for(
        &mut self,
        event: &EventRef<'_>,
        only: Option<&[PropertyId]>,
    ) -> Result<(), TimeError> {
        self.catch_up();
        self.reach(event.time)?;
        self.args.clear();
        self.take_args(event);
        let EventRef { kind, thread, location, .. } = *event;
        self.process(kind, 0..self.args.len(), thread, location, None, only);
        Ok(())
    }

    /// Holds an event back, to process it together with the events that follow directly, and before
    /// any operation that changes the engine or reads a result. The result is the same as that of
    /// [`Engine::step`]. With many instances it takes less time, because the memory of the next
    /// events' instances is prefetched.
    ///
    /// Operations that only read the engine, such as [`Engine::stats`] and [`Engine::save`], do not
    /// include events that are held back: call [`Engine::catch_up`] first.
    ///
    /// # Errors
    ///
    /// If its time is earlier than that of the last event; the engine is unchanged then.
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
        // Only histories use the place of an event.
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

    /// Processes the events that [`Engine::step_soon`] holds back.
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
            // The time was checked when the event was passed.
            let _ = self.reach(known.and_then(|known| known.time));
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

    /// Processes an event that was held back if this needs nothing but its arguments, as for most
    /// events that only one monitor observes. Otherwise returns `false` without any change.
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

    /// Appends the arguments of an event to `args`, as words; appends nothing if no property
    /// observes it.
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
        // A word that is written piecemeal and then copied as a whole stalls the processor: each kind is
        // written to its place.
        for (i, value) in event.args.iter().enumerate() {
            match *value {
                ValueRef::Int(i) => self.args.push(Word::int(i)),
                ValueRef::Ptr(address) => self.args.push(Word::ptr(address)),
                ValueRef::Ref(id, None) => self.args.push(Word::object(id)),
                // Texts that no property observes need not be interned.
                _ if used & (1 << i.min(63)) == 0 => self.args.push(Word::NULL),
                _ => self.args.push(heap.word(value)),
            }
        }
    }

    /// Prefetches the memory that these events will need.
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
                    shortcut::fetch(group, &self.world, held, args);
                }
                _ => {}
            }
        }
    }

    /// Processes an event whose arguments are in `args`.
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

    /// Like [`Engine::step`], for an owned event.
    ///
    /// # Errors
    ///
    /// Like [`Engine::step`].
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

    /// Lets time pass up to that of an event. Without a time it happens at the last one; timers that
    /// were set then, and are due at once, fire before it.
    #[inline(always)]
    fn reach(&mut self, time: Option<Time>) -> Result<(), TimeError> {
        let world = &self.world;
        let is_due = |now: &Time| world.timers.peek().is_some_and(|due| due.0.timer.at <= *now);
        match time.or(world.time().filter(is_due)) {
            Some(time) => self.advance_to(time),
            None => Ok(()),
        }
    }

    /// Lets time pass: fires every timer that is due at `time` or before.
    ///
    /// # Errors
    ///
    /// If `time` is earlier than the last time; the engine is unchanged then.
    pub fn advance_to(&mut self, time: Time) -> Result<(), TimeError> {
        self.catch_up();
        if self.world.timed && time < self.world.now {
            return Err(TimeError { last: self.world.now, given: time });
        }
        if !std::mem::replace(&mut self.world.timed, true) {
            self.begin_time(time);
        }
        let rounds = Rounds::new(self.world.sequence);
        while let Some(due) = self.next_due() {
            // A mutant: timers that are due at the time of an event fire after it.
            let late = self.world.mutant(17) && due.timer.at == time;
            if due.timer.at > time || late {
                break;
            }
            self.take_due(due);
            self.world.set_now(due.timer.at.max(self.world.now));
            self.world.begin_letter();
            let round = rounds.of(due.timer.sequence, due.round);
            let endless = is_endless(round);
            self.world.round = round;
            if endless {
                self.world.heap.why = Some(NotRelevant::Endless);
            }
            let (_, shape) = &self.plan.shapes[due.monitor as usize];
            match &mut self.monitors[due.monitor as usize] {
                Monitor::Direct(_) => {}
                Monitor::Group(group) => {
                    let at = At { plan: &self.plan, shape, context: due.context as usize };
                    match endless {
                        // A mutant: the instance waits for ever.
                        true if self.world.mutant(36) => {}
                        true => group.lose(at, &mut self.world, due.id),
                        false => group.fire(at, &mut self.world, due),
                    }
                }
                Monitor::Registers(registers) => {
                    if let Some(here) = here(&self.plan, shape) {
                        registers.fire(here, &mut self.world, due, endless);
                    }
                }
            }
            self.deliver();
        }
        self.world.round = 0;
        self.world.set_now(time);
        Ok(())
    }

    /// The first time of the trace: timers that were started before start now.
    fn begin_time(&mut self, first: Time) {
        self.world.now = first;
        // A mutant: events in windows have time zero.
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

    /// The first timer that is still running. Outdated timers before it are removed.
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

    /// A mutant: of several timers that are due at the same time, the newest fires first.
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

    /// Ends the trace. Only the first call has an effect.
    pub fn end(&mut self) {
        self.catch_up();
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        // Deadlines that the last event set for its own time.
        if self.world.timed {
            let reached = self.advance_to(self.world.now);
            reached.expect("time stands still");
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

    /// Delivers sent messages, and the messages that their delivery sends.
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

    /// Frees texts, lists and maps that no instance holds.
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
        self.count_memory();
        self.world.forget_answers();
    }

    /// Counts the memory that is in use. Called when only values that are in use are left.
    fn count_memory(&mut self) {
        if !self.world.heap.memory.is_limited() {
            return;
        }
        let records: usize = self.monitors.iter_mut().map(Monitor::bytes).sum();
        let heap = &mut self.world.heap;
        let exact = records + heap.bytes_of_windows() + self.world.history.bytes();
        heap.memory.set(exact, heap.bytes_of_values());
    }

    /// The whole configuration as bytes, from which [`Engine::restore`] continues exactly as this
    /// engine would. Reports that were not taken, and histories, are not included.
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
                    group.limit.save(&group.members[0].store, &mut out);
                }
                Monitor::Registers(registers) => registers.save(&mut out, &world.heap),
            }
        }
        out.0
    }

    /// An engine that continues where [`Engine::save`] was called, with the same model and options.
    ///
    /// # Errors
    ///
    /// If the bytes were saved for another model or other options, or are damaged.
    pub fn restore(
        plan: Arc<Plan>,
        options: Options,
        bytes: &[u8],
    ) -> Result<Engine, RestoreError> {
        let bytes = bytes.strip_prefix(&save::MAGIC);
        let mut from = Reader(bytes.ok_or(save::wrong("this is not a saved configuration"))?);
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
                            let round = 0;
                            timers.push(Reverse(Due {
                                timer,
                                monitor: number,
                                context,
                                id,
                                what,
                                round,
                            }));
                        };
                        members.restore(&mut from, heap, binding, &states, events, due)?;
                    }
                    if let Some(marks) = &mut group.marks {
                        marks.restore(&mut from, &mut world.heap)?;
                    }
                    let params = plan.contexts[root.index()].params;
                    let bottom = &group.members[0].store;
                    let binds_nothing =
                        |id: u32| bottom.words(id)[..params].iter().all(|word| !word.is_set());
                    group.limit.restore(bottom, &mut from, binds_nothing)?;
                    if !matches!(shape, Shape::Larva(_))
                        && (bottom.slots() == 0 || !is_bottom(bottom))
                    {
                        return Err(save::wrong("the instance that binds nothing is missing"));
                    }
                }
            }
        }
        engine.count_memory();
        match from.0.is_empty() {
            true => Ok(engine),
            false => Err(save::wrong("there are bytes left over")),
        }
    }

    /// A number that identifies the model and the storage format, so that bytes are restored only
    /// where they fit.
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

    /// The moves since the last call, in order, if [`Options::moves`] is on: for each, the state
    /// that was left and the one that was entered, including self-loops. Staying (`-> stay`) is not
    /// a move, and neither is entering the start state.
    ///
    /// An instance that cannot be distinguished from a smaller one is not stored and moves together
    /// with it. Their common move is reported once, with the binding of the smaller one.
    pub fn take_moves(&mut self) -> Vec<Move> {
        self.catch_up();
        std::mem::take(&mut self.world.moves)
    }

    /// Whether moves are told from now on: an engine that was made with [`Options::moves`] need not
    /// tell them all the time. One that was made without them never tells any.
    pub fn tell_moves(&mut self, are_told: bool) {
        self.catch_up();
        self.world.options.moves = are_told && self.knows_moves;
    }

    /// How many moves wait to be taken.
    pub fn moves_waiting(&self) -> usize {
        self.world.moves.len()
    }

    /// Whether there are reports to take.
    pub fn has_reports(&self) -> bool {
        !self.world.reports.is_empty()
    }

    /// Whether there are lines or actions to take.
    pub fn has_said(&self) -> bool {
        !self.world.said.is_empty()
    }

    /// The lines that properties printed and the actions that they requested since the last call.
    pub fn take_said(&mut self) -> Vec<Said> {
        self.catch_up();
        std::mem::take(&mut self.world.said)
    }

    /// For each property with an evaluation that was not relevant: the first one and its reason, in
    /// the order in which they happened.
    #[inline]
    pub fn puzzles(&self) -> &[Puzzle] {
        &self.world.puzzles
    }

    /// For each property with an inconclusive instance: the first one and its reason, in the order
    /// in which they happened.
    #[inline]
    pub fn doubts(&self) -> &[Doubt] {
        &self.world.doubts
    }

    /// The number of external events.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The number of sends that were discarded because one event led to too many messages; this is
    /// a limit.
    pub fn discarded_sends(&self) -> u64 {
        self.world.discarded
    }

    /// The number of bytes that count towards [`Options::max_memory`]; 0 without such a limit.
    pub fn memory(&self) -> u64 {
        self.world.heap.memory.in_use()
    }

    /// The limits that were reached so far: first those of properties, in their order.
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

    /// The number of guards that were not relevant, over all properties.
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

    /// For every property, the number of instances that were created. The instance without bindings
    /// does not count, unless the property has no other.
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

    /// How often an instance or a configuration was created, stepped, or tested whether it steps.
    pub fn visits(&self) -> u64 {
        self.world.stats.iter().map(|s| s.created + s.visited).sum()
    }

    /// The number of stored instances and configurations, over all properties.
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

/// The first [`MOST_HELD`] items, and their number.
fn gather<T: Copy + Default>(all: impl Iterator<Item = T>) -> ([T; MOST_HELD], usize) {
    let mut gathered = [T::default(); MOST_HELD];
    let mut count = 0;
    for (to, from) in gathered.iter_mut().zip(all) {
        *to = from;
        count += 1;
    }
    (gathered, count)
}

/// Whether the first record is the instance without bindings: saved instances are in order of
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

/// Whether a group of instances belongs to one of these properties.
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

/// Whether an event is for a group of instances, if it is not for all properties.
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
