//! A person at a program under monitors: breakpoints with numbers, steps by source line,
//! checkpoints, scenarios. Front ends (a prompt, a remote protocol) drive it.

mod checkpoints;
mod elsewhere;
mod host;
mod locking;
mod points;
mod remote;
mod reverse;
mod running;
mod signals;
mod stepping;
mod surroundings;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

use watchword_debug::{Error, ErrorKind, ExitStatus, Launch, Result, ThreadId};
use watchword_model::Model;
use watchword_monitor::{Move, ReportKind, Said};
use watchword_scenario::Machine;

use crate::monitor::MonitorId;
use crate::program::{Found, Program, Settings};

pub use checkpoints::{Saved, Undone};
pub use locking::Locking;
pub use points::{Hits, PointKind, UserPoint};
pub use remote::{Freely, Resumption};
pub use reverse::Back;
pub use running::{Go, Halt, Lost};
pub use signals::Handling;
pub use surroundings::Surroundings;

/// The front end: shows output to the user and executes commands.
pub trait Front {
    /// Shows a line.
    fn print(&mut self, text: &str);

    /// Runs a command as if the person had typed it.
    ///
    /// # Errors
    /// Why not, in words.
    fn command(&mut self, session: &mut Session, line: &str) -> std::result::Result<(), String>;

    /// A thread got a signal that does not stop the program.
    fn signalled(&mut self, _: &mut Session, _: ThreadId, _: i32) {}

    /// A property said something.
    fn said(&mut self, said: &Said);

    /// A verdict, as soon as it is there.
    fn found(&mut self, session: &Session, found: &Found);

    /// Instances of properties moved; told before a scenario reacts.
    fn moved(&mut self, _: &Session, _: &[(MonitorId, Move)]) {}

    /// The program itself begins now: its libraries are loaded.
    fn started(&mut self, _: &mut Session) {}

    /// A scenario made a checkpoint.
    fn checkpointed(&mut self, _: &Session, _: i64) {}

    /// A scenario went back to a checkpoint.
    fn restored(&mut self, _: &mut Session, _: i64, _: &Undone) {}

    /// The program went back to a checkpoint, and will run on from there to the moment that the person
    /// wants to go back to.
    fn retraced(&mut self, _: &mut Session, _: i64, _: &Undone) {}
}

/// A verdict of a session, with whether it still holds.
#[derive(Clone, Debug)]
pub struct Logged {
    /// The verdict.
    pub found: Found,
    /// The checkpoint whose restoration undid the run it belongs to.
    pub undone: Option<i64>,
}

impl Logged {
    /// Whether it is a violation in a run that was undone.
    pub fn is_undone_violation(&self) -> bool {
        self.undone.is_some() && self.found.report.kind == ReportKind::Violation
    }
}

/// How the program of a session comes about.
#[derive(Clone, Debug)]
pub enum Origin {
    /// It is started.
    Command(Vec<OsString>),
    /// It is joined.
    Process(i32),
}

/// A person at a program.
pub struct Session {
    origin: Origin,
    settings: Settings,
    surroundings: Surroundings,
    program: Program,
    points: BTreeMap<i64, UserPoint>,
    next_point: i64,
    saved: BTreeMap<i64, Saved>,
    next_saved: i64,
    /// The last checkpoint on the way here.
    base: Option<i64>,
    /// The way from there, if somebody has gone back on it.
    way: Option<reverse::Way>,
    machine: Option<Machine>,
    log: Vec<Logged>,
    /// The thread and frame the person looks at.
    thread: Option<ThreadId>,
    frame: usize,
    /// A breakpoint the person was already shown.
    skip: Option<(ThreadId, u64)>,
    /// A signal that the person sends, which need not be told again.
    sent: Option<(ThreadId, i32)>,
    /// Something stopped all threads since the program went on.
    held_all: bool,
    /// Which threads go on together.
    locking: Locking,
    /// What is to be done about signals.
    signals: signals::Signals,
    /// What went with the program when it ended.
    lost: Lost,
    /// Whether the program was let go at least once.
    running: bool,
    /// It was given other arguments since it was launched.
    is_outdated: bool,
    /// A scenario is doing something.
    reacting: bool,
    /// The operation that was interrupted.
    interrupted: Option<stepping::Plan>,
    /// Points of a connected debugger.
    remote: remote::Points,
}

impl Session {
    /// Starts or joins a program; it is stopped.
    pub fn new(origin: Origin, settings: Settings) -> Result<Session> {
        Session::new_in(origin, settings, Surroundings::default())
    }

    /// Starts or joins a program; it is stopped. One that is started finds these surroundings, now and
    /// whenever it is started again.
    pub fn new_in(
        origin: Origin,
        settings: Settings,
        surroundings: Surroundings,
    ) -> Result<Session> {
        let settings = Settings { moves: true, ..settings };
        let program = open(&origin, &settings, &surroundings)?;
        let mut session = Session {
            thread: Some(program.process().main_thread()),
            running: matches!(origin, Origin::Process(_)),
            is_outdated: false,
            origin,
            settings,
            surroundings,
            program,
            points: BTreeMap::new(),
            next_point: 1,
            saved: BTreeMap::new(),
            next_saved: 1,
            base: None,
            way: None,
            machine: None,
            log: Vec::new(),
            frame: 0,
            skip: None,
            sent: None,
            held_all: true,
            locking: Locking::default(),
            signals: signals::Signals::default(),
            lost: Lost::default(),
            reacting: false,
            interrupted: None,
            remote: remote::Points::default(),
        };
        session.tell_signals();
        Ok(session)
    }

    /// Gives the program other arguments when it is started the next time. The one that is there already,
    /// though it has executed nothing yet, is [outdated](Session::is_outdated).
    pub fn set_arguments(&mut self, arguments: Vec<OsString>) -> Result<()> {
        match &mut self.origin {
            Origin::Command(words) => {
                words.truncate(1);
                words.extend(arguments);
                self.is_outdated = true;
                Ok(())
            }
            Origin::Process(_) => Err(Error::new(
                ErrorKind::Unsupported,
                "the debugger did not start the program, so its arguments cannot change",
            )),
        }
    }

    /// The program and its arguments, unless it was joined.
    pub fn command(&self) -> &[OsString] {
        match &self.origin {
            Origin::Command(words) => words,
            Origin::Process(_) => &[],
        }
    }

    /// What the program finds around it when it is started the next time.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// Changes what the program finds around it when it is started the next time. The one that is there
    /// already is [outdated](Session::is_outdated).
    pub fn change_surroundings(&mut self, change: impl FnOnce(&mut Surroundings)) -> Result<()> {
        if let Origin::Process(_) = self.origin {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "the debugger did not start the program, so it cannot change what is around it",
            ));
        }
        change(&mut self.surroundings);
        self.is_outdated = true;
        Ok(())
    }

    /// Whether the program that is there has other arguments than it is to have.
    pub fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Starts the program from the beginning. Properties, scenario and breakpoints stay; the
    /// monitors begin anew, checkpoints are gone.
    pub fn restart(&mut self) -> Result<()> {
        if let Origin::Process(_) = self.origin {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "the debugger did not start the program, so it cannot start it again",
            ));
        }
        let loaded: Vec<(String, Arc<Model>)> =
            self.program.monitors().iter().map(|m| (m.name.clone(), m.model.clone())).collect();
        self.forget_saved();
        self.interrupted = None;
        let interrupter = self.program.interrupter()?;
        let kept = self.program.debugger().take_kept();
        self.end()?;
        // What was found stays found.
        let earlier = std::mem::take(&mut self.program.monitors);
        self.program = open(&self.origin, &self.settings, &self.surroundings)?;
        self.remote = remote::Points::default();
        self.program.debugger().tracer_mut().set_interrupter(interrupter);
        self.program.debugger().set_kept(kept);
        self.tell_signals();
        for (name, model) in loaded {
            self.program.load(&name, model)?;
        }
        for (new, earlier) in self.program.monitors_mut().iter_mut().zip(earlier) {
            new.run.inherit(earlier.run);
        }
        self.thread = Some(self.program.process().main_thread());
        self.frame = 0;
        self.skip = None;
        self.held_all = true;
        self.running = false;
        self.is_outdated = false;
        self.note_lost();
        self.forget_armed();
        self.rearm_points()
    }

    /// Ends the program now.
    pub fn end(&mut self) -> Result<()> {
        if self.program.exited().is_none() {
            let process = self.program.process();
            if !self.has_vanished() {
                self.program.debugger().tracer_mut().kill(process)?;
            }
            self.program.exited = Some(ExitStatus::Signal(libc::SIGKILL));
        }
        self.thread = None;
        self.forget_saved();
        Ok(())
    }

    /// Ends the program now, and tells what comes of that: to monitors it is the end of the run.
    pub fn end_run(&mut self, front: &mut dyn Front) -> Result<()> {
        if self.is_alive() {
            self.end()?;
            let stop = self.program.finish();
            self.show(&stop, front);
        }
        Ok(())
    }

    /// Lets the program go on without us.
    pub fn detach(&mut self) -> Result<()> {
        self.forget_interrupted();
        let process = self.program.process();
        if !self.has_vanished() {
            self.program.debugger().tracer_mut().detach(process)?;
        }
        self.program.exited = Some(ExitStatus::Code(0));
        self.thread = None;
        self.forget_saved();
        Ok(())
    }

    /// There are no checkpoints any more.
    fn forget_saved(&mut self) {
        self.lost.checkpoints += self.saved.len();
        self.saved.clear();
        self.base = None;
        self.way = None;
    }

    /// Watchpoints go with the memory that they watch.
    fn note_lost(&mut self) {
        let is_watch = |p: &&UserPoint| matches!(p.kind, PointKind::Watch(_));
        self.lost.watchpoints += self.points.values().filter(is_watch).count();
    }

    /// What went with a program that ended, or was replaced, since the last call.
    pub fn take_lost(&mut self) -> Lost {
        std::mem::take(&mut self.lost)
    }

    /// Whether the program was joined, not started.
    pub fn is_attached(&self) -> bool {
        matches!(self.origin, Origin::Process(_))
    }

    /// Whether the program exists.
    pub fn is_alive(&self) -> bool {
        self.program.exited().is_none()
    }

    /// Whether the program was let go at least once since it was started.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// The program under monitors.
    pub fn program(&mut self) -> &mut Program {
        &mut self.program
    }

    /// The program under monitors, to look at.
    pub fn watched(&self) -> &Program {
        &self.program
    }

    /// The program under monitors, when the session has ended.
    pub fn into_program(self) -> Program {
        self.program
    }

    /// The verdicts so far, also those of runs that were undone.
    pub fn log(&self) -> &[Logged] {
        &self.log
    }

    /// Loads properties.
    pub fn load(&mut self, name: &str, model: Arc<Model>) -> Result<MonitorId> {
        self.program.load(name, model)
    }

    /// Loads a scenario; it replaces the one before.
    pub fn set_scenario(&mut self, machine: Option<Machine>) {
        self.machine = machine;
    }

    /// Whether a scenario is doing something at this moment.
    pub fn has_scenario_at_work(&self) -> bool {
        self.reacting
    }

    /// The scenario.
    pub fn scenario(&mut self) -> Option<&mut Machine> {
        self.machine.as_mut()
    }

    // ---- where the person looks ---------------------------------------------------------

    /// The thread the person looks at.
    pub fn thread(&self) -> Result<ThreadId> {
        if !self.is_alive() {
            return Err(not_run());
        }
        self.thread.ok_or_else(|| Error::new(ErrorKind::Gone, "no thread is selected"))
    }

    /// The frame the person looks at.
    pub fn frame(&self) -> usize {
        self.frame
    }

    /// Looks at another thread.
    pub fn select_thread(&mut self, thread: ThreadId) {
        self.thread = Some(thread);
        self.frame = 0;
    }

    /// Looks at another frame of the thread.
    pub fn select_frame(&mut self, frame: usize) -> Result<()> {
        let thread = self.thread()?;
        let frames = self.program.debugger().backtrace(thread, frame + 1)?;
        if frames.len() <= frame {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no frame {frame}")));
        }
        self.frame = frame;
        Ok(())
    }
}

fn open(origin: &Origin, settings: &Settings, around: &Surroundings) -> Result<Program> {
    match origin {
        Origin::Process(pid) => Program::attach(*pid, settings.clone()),
        Origin::Command(command) => {
            let Some((program, args)) = command.split_first() else {
                return Err(Error::new(ErrorKind::Launch, "no program is named"));
            };
            let launch = around.prepare(Launch::new(program).args(args))?;
            Program::launch(launch, settings.clone())
        }
    }
}

fn not_run() -> Error {
    Error::new(ErrorKind::Gone, "the program is not being run")
}
