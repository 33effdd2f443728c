//! The tracer together with what the program's files tell: events by function name, backtraces,
//! expressions.

mod binding;
mod calling;
mod calls;
mod change;
mod errno;
mod eval;
mod frames;
mod inside;
mod kept;
mod library;
mod modules;
mod names;
mod outline;
mod parts;
mod pieces;
mod scoped;
mod show;
mod watch;

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use crate::checkpoint::{CheckpointId, Restored};
use crate::error::Result;
use crate::info::DebugInfo;
use crate::point::{CallId, PointId};
use crate::tracer::{Launch, ProcessId, Reason, Stop, ThreadId, Tracer};
use crate::value::Value;

pub use calls::{ArmedCall, CallWarning};
pub use frames::Frame;
pub use inside::{Compared, Filter, Needed, RecordedPoint, Recording, Word};
pub use kept::Kept;
pub use library::Contents;
pub use modules::{FunctionName, Module, Target};
pub use names::Variable as FunctionVariable;
pub use parts::{Part, Parts};
pub use show::{number_as, text_of};

/// A tracer that knows the program's names and types.
pub struct Debugger {
    tracer: Tracer,
    modules: HashMap<ProcessId, Vec<Rc<Module>>>,
    files: HashMap<PathBuf, Option<Rc<DebugInfo>>>,
    /// What to read when a point fires.
    captures: HashMap<PointId, Rc<calls::Captures>>,
    /// Read at the entry of calls that have not returned yet.
    entered: Entered,
    /// With more calls than this, those that will not return are looked for.
    entered_most: usize,
    /// The function each stopped thread has just returned from.
    returned: HashMap<ThreadId, Rc<calls::Scope>>,
    scopes: HashMap<(ProcessId, u64), Rc<calls::Scope>>,
    unwinding_hooked: HashMap<ProcessId, bool>,
    /// How far `errno` is from the thread pointer.
    errno_offsets: HashMap<ProcessId, u64>,
    /// What the records of each process tell.
    recordings: HashMap<(ProcessId, u32), Rc<Recording>>,
    /// What was read for calls in flight at each checkpoint.
    saved: HashMap<CheckpointId, Entered>,
    kept: Kept,
}

/// Values read at the entries of calls in flight.
type Entered = HashMap<CallId, Vec<(PointId, calls::Inputs)>>;

/// What one expression gave when its event happened: a value, or why there is none.
pub type Captured = std::result::Result<Value, Rc<crate::Error>>;

/// A stop, with the values that were asked for.
#[derive(Debug)]
pub struct Event {
    /// The stop.
    pub stop: Stop,
    /// For each point of the stop that has captures: their values, in the order asked.
    pub values: Vec<(PointId, Vec<Captured>)>,
}

impl Debugger {
    /// Starts a program; it is stopped before its first instruction.
    pub fn launch(launch: Launch) -> Result<(Debugger, ProcessId)> {
        let mut debugger = Debugger::around(Tracer::new());
        let process = debugger.tracer.launch(launch)?;
        debugger.adopt(process)?;
        Ok((debugger, process))
    }

    /// Joins a running process; all its threads are stopped.
    pub fn attach(pid: i32) -> Result<(Debugger, ProcessId)> {
        let mut debugger = Debugger::around(Tracer::new());
        let process = debugger.tracer.attach(pid)?;
        debugger.adopt(process)?;
        Ok((debugger, process))
    }

    fn around(tracer: Tracer) -> Debugger {
        Debugger {
            tracer,
            modules: HashMap::new(),
            files: HashMap::new(),
            captures: HashMap::new(),
            entered: HashMap::new(),
            entered_most: calls::ENTERED_LEAST,
            returned: HashMap::new(),
            scopes: HashMap::new(),
            unwinding_hooked: HashMap::new(),
            errno_offsets: HashMap::new(),
            recordings: HashMap::new(),
            saved: HashMap::new(),
            kept: Kept::default(),
        }
    }

    fn adopt(&mut self, process: ProcessId) -> Result<()> {
        self.refresh_modules(process)?;
        self.tracer.tell_libraries(process)?;
        Ok(())
    }

    /// The tracer beneath.
    pub fn tracer(&self) -> &Tracer {
        &self.tracer
    }

    /// The tracer beneath. Points armed through it have no captures.
    pub fn tracer_mut(&mut self) -> &mut Tracer {
        &mut self.tracer
    }

    /// Waits for the next event. What only the debugger needs to know (entries of calls whose
    /// return is awaited) is dealt with silently; the lists of libraries and functions are kept
    /// up to date.
    pub fn wait(&mut self) -> Result<Event> {
        loop {
            let stop = self.tracer.wait()?;
            if let Some(event) = self.digest(stop)? {
                return Ok(event);
            }
        }
    }

    /// As [`Debugger::wait`], but not longer than this.
    pub fn wait_until(&mut self, end: std::time::Instant) -> Result<Option<Event>> {
        loop {
            let Some(stop) = self.tracer.wait_until(end)? else { return Ok(None) };
            if let Some(event) = self.digest(stop)? {
                return Ok(Some(event));
            }
        }
    }

    /// As [`Debugger::wait`], without blocking.
    pub fn poll(&mut self) -> Result<Option<Event>> {
        loop {
            let Some(stop) = self.tracer.poll()? else { return Ok(None) };
            if let Some(event) = self.digest(stop)? {
                return Ok(Some(event));
            }
        }
    }

    fn digest(&mut self, mut stop: Stop) -> Result<Option<Event>> {
        self.returned.remove(&stop.thread);
        let mut values = Vec::new();
        match &mut stop.reason {
            Reason::Points { address, hits } => {
                let address = *address;
                if self.tracer.announces_libraries(stop.process, address) {
                    self.libraries_changed(stop.process)?;
                }
                let told = self.on_hits(stop.process, stop.thread, address, hits, &mut values)?;
                if !told {
                    self.tracer.resume(stop.thread)?;
                    return Ok(None);
                }
            }
            Reason::Libraries => self.libraries_changed(stop.process)?,
            Reason::Executed => {
                self.forget(stop.process);
                match self.adopt(stop.process) {
                    // It was let run before this was told, and has ended: that comes in its turn.
                    Err(e) if e.is_gone() => {}
                    other => other?,
                }
            }
            Reason::Forked { parent, .. } => {
                let modules = self.modules.get(parent).cloned().unwrap_or_default();
                self.modules.insert(stop.process, modules);
                if let Some(yes) = self.unwinding_hooked.get(parent).copied() {
                    self.unwinding_hooked.insert(stop.process, yes);
                }
            }
            Reason::Exited(_) => self.forget(stop.process),
            _ => {}
        }
        Ok(Some(Event { stop, values }))
    }

    fn libraries_changed(&mut self, process: ProcessId) -> Result<()> {
        self.refresh_modules(process)?;
        self.rehook_unwinding(process)?;
        self.rehook_unwinders(process)
    }

    fn forget(&mut self, process: ProcessId) {
        self.modules.remove(&process);
        self.scopes.retain(|(p, _), _| *p != process);
        self.unwinding_hooked.remove(&process);
        self.errno_offsets.remove(&process);
        self.recordings.retain(|(p, _), _| *p != process);
    }

    /// Takes a checkpoint of a process; see [`Tracer::checkpoint`].
    pub fn checkpoint(&mut self, process: ProcessId) -> Result<CheckpointId> {
        let id = self.tracer.checkpoint(process)?;
        self.saved.insert(id, self.entered.clone());
        Ok(id)
    }

    /// Puts a process back to a checkpoint; see [`Tracer::restore`].
    pub fn restore(&mut self, id: CheckpointId) -> Result<Restored> {
        let done = self.tracer.restore(id)?;
        self.returned.clear();
        if let Some(entered) = self.saved.get(&id) {
            self.entered.extend(entered.iter().map(|(call, values)| (*call, values.clone())));
        }
        for process in self.tracer.processes() {
            self.refresh_modules(process)?;
        }
        Ok(done)
    }

    /// Forgets a checkpoint.
    pub fn drop_checkpoint(&mut self, id: CheckpointId) -> Result<()> {
        self.saved.remove(&id);
        self.tracer.drop_checkpoint(id)
    }

    /// Lets a stopped thread go on.
    pub fn resume(&mut self, thread: ThreadId) -> Result<()> {
        self.tracer.resume(thread)
    }

    /// Lets all held threads go on.
    pub fn resume_all(&mut self) -> Result<()> {
        self.tracer.resume_all()
    }

    /// Stops all threads.
    pub fn stop_all(&mut self) -> Result<()> {
        self.tracer.stop_all()
    }
}
