//! What a debugger that is connected from outside needs: points by address, and threads that go on
//! one by one.

use std::collections::BTreeMap;
use std::ops::Range;

use watchword_debug::{Access, ErrorKind, Owner, PointId, Result, ThreadId, WatchMethod, When};

use super::running::Halt;
use super::stepping::Plan;
use super::{Front, Session};

/// How the threads of the program go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumption {
    /// A thread that executes one instruction, and more as long as they are in the range.
    pub step: Option<(ThreadId, Range<u64>)>,
    /// The other threads that go on.
    pub freely: Freely,
}

impl Resumption {
    /// Whether no thread goes on.
    pub fn is_nothing(&self) -> bool {
        self.step.is_none() && matches!(&self.freely, Freely::Only(threads) if threads.is_empty())
    }
}

/// Which threads go on freely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freely {
    /// All of them.
    All,
    /// These; the others stay where they are. Threads that begin meanwhile run.
    Only(Vec<ThreadId>),
}

/// Points of a connected debugger, by address.
#[derive(Debug, Default)]
pub(super) struct Points {
    /// Breakpoints. Where there is no code, there is nothing to arm: a thread that gets there
    /// faults, and the debugger knows what that means.
    breaks: BTreeMap<u64, Option<PointId>>,
    watches: BTreeMap<(u64, u64, u8), PointId>,
}

fn code(access: Access) -> u8 {
    match access {
        Access::Write => 0,
        Access::Read => 1,
        Access::ReadWrite => 2,
    }
}

impl Points {
    /// Whether it is one of its breakpoints.
    pub fn is_break(&self, point: PointId) -> bool {
        self.breaks.values().any(|p| *p == Some(point))
    }

    /// What one of its watchpoints watches.
    pub fn watched(&self, point: PointId) -> Option<(u64, Access)> {
        let ((address, _, access), _) = self.watches.iter().find(|(_, p)| **p == point)?;
        let access = [Access::Write, Access::Read, Access::ReadWrite][usize::from(*access)];
        Some((*address, access))
    }
}

impl Session {
    /// Lets threads go on until something is worth telling; then all of them are stopped.
    pub fn resume(&mut self, resumption: &Resumption, front: &mut dyn Front) -> Result<Halt> {
        self.thread()?;
        self.forget_interrupted();
        let plan = match &resumption.step {
            None => Plan::Continue,
            Some((thread, range)) => Plan::Range { thread: *thread, range: range.clone() },
        };
        let step = resumption.step.as_ref().map(|(thread, _)| *thread);
        let only = match &resumption.freely {
            Freely::All => None,
            Freely::Only(threads) => Some(threads.iter().copied().chain(step).collect()),
        };
        self.program.debugger.tracer_mut().confine(only);
        let result = self.carry_out(Ok(plan), front);
        self.program.debugger.tracer_mut().confine(None);
        result
    }

    /// Sets a breakpoint of a connected debugger; a second one at the same place is the same.
    pub fn insert_break(&mut self, address: u64) -> Result<()> {
        self.thread()?;
        if self.remote.breaks.contains_key(&address) {
            return Ok(());
        }
        let process = self.program.process();
        let tracer = self.program.debugger.tracer_mut();
        let point = match tracer.arm(process, address, When::Before, Owner::Person) {
            Ok(point) => Some(point),
            Err(e) if e.kind() == ErrorKind::NotFound && tracer.is_mapped(process, address) => None,
            Err(e) => return Err(e),
        };
        self.remote.breaks.insert(address, point);
        Ok(())
    }

    /// Removes a breakpoint of a connected debugger.
    pub fn remove_break(&mut self, address: u64) -> Result<()> {
        if let Some(Some(point)) = self.remote.breaks.remove(&address)
            && self.is_alive()
        {
            let process = self.program.process();
            // It is gone with the library it was in, or with the program.
            let _ = self.program.debugger.tracer_mut().disarm(process, point);
        }
        Ok(())
    }

    /// Watches memory for a connected debugger.
    pub fn insert_watch(&mut self, address: u64, size: u64, access: Access) -> Result<()> {
        self.thread()?;
        let key = (address, size, code(access));
        if self.remote.watches.contains_key(&key) {
            return Ok(());
        }
        let process = self.program.process();
        let tracer = self.program.debugger.tracer_mut();
        let method = WatchMethod::Any;
        let point = tracer.watch(process, address, size, access, method, Owner::Person)?;
        self.remote.watches.insert(key, point);
        Ok(())
    }

    /// Ends a watchpoint of a connected debugger.
    pub fn remove_watch(&mut self, address: u64, size: u64, access: Access) -> Result<()> {
        if let Some(point) = self.remote.watches.remove(&(address, size, code(access)))
            && self.is_alive()
        {
            let process = self.program.process();
            let _ = self.program.debugger.tracer_mut().unwatch(process, point);
        }
        Ok(())
    }

    /// Removes all points of a connected debugger.
    pub fn remove_remote_points(&mut self) -> Result<()> {
        for address in self.remote.breaks.keys().copied().collect::<Vec<_>>() {
            self.remove_break(address)?;
        }
        let watches = std::mem::take(&mut self.remote.watches);
        if self.is_alive() {
            let process = self.program.process();
            for point in watches.into_values() {
                let _ = self.program.debugger.tracer_mut().unwatch(process, point);
            }
        }
        Ok(())
    }
}
