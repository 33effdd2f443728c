//! The program and the monitors that watch it.

mod arming;
mod events;
mod family;
mod filter;
mod fitting;
mod inside;
mod privilege;
mod resident;
mod running;
mod signals;
mod snapshot;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use watchword_debug::{
    Criu, Debugger, ExitStatus, Follow, Hit, Launch, Owner, PointId, ProcessId, Result, ThreadId,
    WatchHit,
};
use watchword_model::{EventId, Location, Model, Time, Value};
use watchword_monitor::{Keep, Listed, Listing, Move, Options, Report, Said};

use crate::location::{self, FrameLine, Places};
use crate::monitor::{Monitor, MonitorId};
use crate::source::ArmNote;

use family::{Lineage, Relative};
use inside::Inside;
pub(crate) use snapshot::Snapshot;

/// The owner of the point at the program's entry; monitors count from 1.
const START: Owner = Owner::Monitor(0);

/// Frames a backtrace of a violation has at most.
const FRAMES: usize = 64;

/// How events of calls come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Backend {
    /// The thread stops at a breakpoint, and the tracer reads what it needs.
    #[default]
    Int3,
    /// Code inside the program writes the event down, where that is possible, and the program runs on.
    Inject,
}

/// How a program is watched.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many steps of an instance's history a report shows.
    pub history: usize,
    /// How many instances of a property may live at a time.
    pub max_instances: Option<usize>,
    /// How many bytes instances may take up.
    pub max_memory: Option<u64>,
    /// Which of them stay when there are more.
    pub keep: Keep,
    /// Which of the reports are listed.
    pub listing: Listing,
    /// Whether only those events are armed that some monitor is sensitive to.
    pub dynamic: bool,
    /// Whether changes of state, and of the set of libraries, are reported.
    pub moves: bool,
    /// Makes checkpoints on disk; without, they are made in memory.
    pub criu: Option<Criu>,
    /// Whether child processes are monitored, too, and the programs that they execute.
    pub follow_children: bool,
    /// How events of calls come about.
    pub backend: Backend,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            history: 10,
            max_instances: None,
            max_memory: None,
            keep: Keep::default(),
            listing: Listing::default(),
            dynamic: true,
            moves: false,
            criu: None,
            follow_children: false,
            backend: Backend::default(),
        }
    }
}

/// A verdict, with where the program was.
#[derive(Clone, Debug)]
pub struct Found {
    /// Whose it is.
    pub monitor: MonitorId,
    /// The verdict.
    pub report: Report,
    /// Where it is listed, and where it happened.
    pub listed: Listed,
    /// Whether no limit was hit before that may have led to it.
    pub certain: bool,
    /// How the program got there.
    pub backtrace: Vec<FrameLine>,
    /// The child process it was in, by the kernel's number.
    pub child: Option<i32>,
}

/// An event a monitor was told, before it was: for recorders.
#[derive(Debug)]
pub struct Happened<'a> {
    /// The model that declares the event.
    pub model: &'a Model,
    /// The event.
    pub event: EventId,
    /// Its arguments.
    pub args: &'a [Value],
    /// When.
    pub time: Time,
    /// On which thread.
    pub thread: u64,
    /// Where.
    pub location: Option<&'a Arc<Location>>,
}

/// Why the program stopped.
#[derive(Clone, Debug)]
pub enum Why {
    /// Only monitors have something to report.
    Monitors,
    /// Breakpoints of the person or a scenario.
    Points {
        /// Where the thread stands.
        address: u64,
        /// The breakpoints.
        hits: Vec<Hit>,
    },
    /// Watchpoints of the person or a scenario; the accesses have happened.
    Watch(Vec<WatchHit>),
    /// A signal is about to be delivered.
    Signal(i32),
    /// One instruction was executed.
    Step,
    /// It was requested.
    Interrupted,
    /// The program itself begins now: its libraries are loaded.
    Started,
    /// Libraries came or went; told if asked for.
    Libraries,
    /// The process runs another program now.
    Executed,
    /// The program has ended.
    Exited(ExitStatus),
}

/// A stop worth telling.
#[derive(Debug)]
pub struct Stopped {
    /// The thread that is held.
    pub thread: ThreadId,
    /// Why.
    pub why: Why,
    /// What monitors found.
    pub found: Vec<Found>,
    /// What properties said.
    pub said: Vec<(MonitorId, Said)>,
    /// Changes of state, if they are to be told.
    pub moves: Vec<(MonitorId, Move)>,
}

/// The recorder of events.
pub trait Recorder {
    /// An event, before the monitors see it.
    fn record(&mut self, event: &Happened<'_>);

    /// How far it has got: a checkpoint is made.
    fn mark(&mut self) -> u64;

    /// The program goes back to where it was at this mark: what was recorded since is undone.
    fn go_back(&mut self, mark: u64);
}

/// A process and the monitors that watch it.
pub struct Program {
    pub(crate) debugger: Debugger,
    /// The process whose turn it is; the first one, but while an event of another is dealt with.
    pub(crate) process: ProcessId,
    /// The process that was launched or attached to.
    first: ProcessId,
    pub(crate) monitors: Vec<Monitor>,
    /// The other processes, if children are watched.
    relatives: Vec<Relative>,
    lineage: Lineage,
    children: u64,
    said_of_children: HashSet<String>,
    pub(crate) settings: Settings,
    next_monitor: u32,
    places: Places,
    start: Option<PointId>,
    started: bool,
    /// Accesses that threads are about to make and that are reported afterwards.
    accessing: HashMap<ThreadId, Vec<WatchHit>>,
    /// Threads that stand before an access that was told.
    told: HashSet<ThreadId>,
    /// Instructions the person asked for, that turned out to be watched accesses.
    pub(crate) stepping: Option<ThreadId>,
    clock: Instant,
    recorder: Option<Box<dyn Recorder>>,
    notes: Vec<ArmNote>,
    pub(crate) exited: Option<ExitStatus>,
    /// When the monitors were told that it had ended.
    ended: Option<Time>,
    inside: Inside,
}

impl Program {
    /// Starts a program; it stands before its first instruction.
    pub fn launch(launch: Launch, settings: Settings) -> Result<Program> {
        let launch = match settings.criu {
            Some(_) => launch.to_be_dumped(),
            None => launch,
        };
        let (mut debugger, process) = Debugger::launch(launch)?;
        if let Some(criu) = &settings.criu {
            debugger.tracer_mut().checkpoint_with(criu.clone())?;
        }
        if settings.follow_children {
            debugger.tracer_mut().follow(Follow::Both);
        }
        let mut program = Program::around(debugger, process, settings);
        if let Some(entry) = program.debugger.tracer().entry_address(process) {
            program.start = Some(program.debugger.arm_address(process, entry, START, &[])?);
        }
        Ok(program)
    }

    /// Joins a running process; its threads are stopped.
    pub fn attach(pid: i32, settings: Settings) -> Result<Program> {
        let (debugger, process) = Debugger::attach(pid)?;
        let mut program = Program::around(debugger, process, settings);
        program.started = true;
        Ok(program)
    }

    fn around(debugger: Debugger, process: ProcessId, settings: Settings) -> Program {
        Program {
            debugger,
            process,
            first: process,
            monitors: Vec::new(),
            relatives: Vec::new(),
            lineage: Lineage::default(),
            children: 0,
            said_of_children: HashSet::new(),
            settings,
            next_monitor: 1,
            places: Places::default(),
            start: None,
            started: false,
            accessing: HashMap::new(),
            told: HashSet::new(),
            stepping: None,
            clock: Instant::now(),
            recorder: None,
            notes: Vec::new(),
            exited: None,
            ended: None,
            inside: Inside::default(),
        }
    }

    /// The debugger beneath.
    pub fn debugger(&mut self) -> &mut Debugger {
        &mut self.debugger
    }

    /// The process.
    pub fn process(&self) -> ProcessId {
        self.process
    }

    /// How the program ended, if it has.
    pub fn exited(&self) -> Option<ExitStatus> {
        self.exited
    }

    /// When the monitors were told that the program had ended, on the clock of its events.
    pub fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// Whether the program itself has begun: before that, only the dynamic linker has run.
    pub fn has_started(&self) -> bool {
        self.started
    }

    /// How many system calls were made while other threads could touch watched pages unseen.
    pub fn calls_unseen(&self) -> u64 {
        self.debugger.tracer().calls_unseen()
    }

    /// How many child processes of the program were not watched.
    pub fn children_let_go(&self) -> u64 {
        self.debugger.tracer().children_let_go()
    }

    /// The monitors.
    pub fn monitors(&self) -> &[Monitor] {
        &self.monitors
    }

    /// The monitors, to be changed by a person.
    pub fn monitors_mut(&mut self) -> &mut [Monitor] {
        &mut self.monitors
    }

    /// Tells every event to a recorder before the monitors see it. To be called before properties are
    /// loaded: otherwise code inside the program may leave out events that no monitor needs.
    pub fn record(&mut self, recorder: impl Recorder + 'static) {
        self.recorder = Some(Box::new(recorder));
    }

    /// What is to be told about arming, since the last call.
    pub fn take_notes(&mut self) -> Vec<ArmNote> {
        for (point, why) in self.debugger.tracer_mut().take_unseen_returns() {
            let others = self.relatives.iter_mut().flat_map(Relative::monitors);
            for monitor in self.monitors.iter_mut().chain(others) {
                let Some(&source) = monitor.calls.get(&point) else { continue };
                monitor.warn_once(source, format!("the return of a call is not observed: {why}"));
            }
        }
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(self.monitors.iter_mut().flat_map(Monitor::take_notes));
        if self.children > 0 {
            notes.extend(self.monitors_of_others().flat_map(Monitor::take_notes));
            // Many children execute the same programs: notes that are the same for all are printed
            // once.
            let said = &mut self.said_of_children;
            notes.retain(|note| match note {
                ArmNote::Armed(_) | ArmNote::Resident { .. } | ArmNote::Unprivileged { .. } => true,
                ArmNote::Warning { event, text } => said.insert(format!("{event}: {text}")),
            });
        }
        notes
    }

    /// Some thread that is stopped.
    pub fn stopped_thread(&self) -> Option<ThreadId> {
        let tracer = self.debugger.tracer();
        tracer.threads(self.process).into_iter().find(|t| tracer.is_stopped(*t))
    }

    /// A handle with which any thread can stop the program.
    pub fn interrupter(&mut self) -> Result<watchword_debug::Interrupter> {
        self.debugger.tracer_mut().interrupter()
    }

    fn now(&self) -> Time {
        self.clock.elapsed().as_nanos() as Time
    }

    /// The backtrace of a stopped thread, as far as it can be found.
    pub fn backtrace(&mut self, thread: ThreadId) -> Vec<FrameLine> {
        self.backtrace_of(thread, None)
    }

    /// The same for a thread that has just executed an instruction, if that is known.
    fn backtrace_of(&mut self, thread: ThreadId, executed: Option<u64>) -> Vec<FrameLine> {
        let frames = match executed {
            Some(address) => self.debugger.backtrace_of(thread, FRAMES, address),
            None => self.debugger.backtrace(thread, FRAMES),
        };
        let frames = frames.unwrap_or_default();
        location::frame_lines(&self.debugger, self.process, &frames)
    }
}

impl Stopped {
    fn new(thread: ThreadId) -> Stopped {
        let (found, said, moves) = (Vec::new(), Vec::new(), Vec::new());
        Stopped { thread, why: Why::Monitors, found, said, moves }
    }

    /// Whether monitors have nothing to say.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.said.is_empty() && self.moves.is_empty()
    }
}

fn options(settings: &Settings) -> Options {
    // Builds for testing tests have options of their own.
    #[allow(clippy::needless_update)]
    Options {
        history: settings.history,
        max_instances: settings.max_instances,
        max_memory: settings.max_memory,
        keep: settings.keep,
        moves: settings.moves,
        sensitive: settings.dynamic,
        ..Options::default()
    }
}
