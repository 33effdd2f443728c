//! Watchpoints: told when memory is accessed.
//!
//! Two methods. *Debug registers*: four per thread, up to eight aligned bytes each, no cost until
//! they fire, and then after the access; the old value is remembered here. *Page protection*: as
//! many and as wide as wanted, told before the access; every access to the page costs a stop, and
//! system calls that touch it are repeated with the protection lifted for their duration.
//!
//! Neither sees the kernel's own accesses through debug registers (`read` into a watched buffer);
//! page protection does.

mod decode;
mod pages;
mod registers;

use std::collections::{BTreeMap, HashSet};

use libc::pid_t;

use crate::error::{Error, ErrorKind, Result};
use crate::point::{Owner, PointId};
use crate::tracer::{ProcessId, State, Tracer};

/// Which accesses count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads.
    Read,
    /// Writes, also of the same value.
    Write,
    /// Both.
    ReadWrite,
}

impl Access {
    fn wants_reads(self) -> bool {
        self != Access::Write
    }

    fn wants_writes(self) -> bool {
        self != Access::Read
    }
}

/// How a watchpoint is realised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WatchMethod {
    /// Debug registers if the object fits and some are free, page protection otherwise.
    Any,
    /// Debug registers: told after the access.
    Registers,
    /// Page protection: told before the access.
    Pages,
}

/// Whether the access is yet to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// The instruction is about to run.
    Before,
    /// The access has happened.
    After,
}

/// A watched access.
#[derive(Clone, Debug)]
pub struct WatchHit {
    /// The watchpoint.
    pub point: PointId,
    /// Its owner.
    pub owner: Owner,
    /// The watched memory.
    pub address: u64,
    /// What was done: a read or a write (one that also reads counts as a write).
    pub access: Access,
    /// When it is told.
    pub moment: Moment,
    /// The contents before the access.
    pub old: Vec<u8>,
    /// The contents after the access, if it has happened.
    pub new: Option<Vec<u8>>,
    /// The address of the instruction, if it could be determined.
    pub instruction: Option<u64>,
    /// Whether the kernel did it, on behalf of a system call.
    pub by_system_call: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub address: u64,
    pub size: u64,
    pub access: Access,
    pub owner: Owner,
    pub method: WatchMethod,
    /// The contents when last looked at.
    pub value: Vec<u8>,
}

impl Watch {
    fn touches(&self, address: u64, size: u64) -> bool {
        address < self.address.saturating_add(self.size)
            && self.address < address.saturating_add(size.max(1))
    }
}

/// The watchpoints of one process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watches {
    points: BTreeMap<PointId, Watch>,
    registers: [Option<registers::Slot>; 4],
    pages: BTreeMap<u64, pages::Page>,
    /// Pages were protected at some time: late faults may still arrive.
    had_pages: bool,
}

impl Watches {
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && !self.had_pages
    }

    pub fn contains(&self, point: PointId) -> bool {
        self.points.contains_key(&point)
    }

    pub fn needs_syscall_stops(&self) -> bool {
        !self.pages.is_empty()
    }

    /// Forgets pages that are no longer mapped: what comes there later is not ours to protect.
    pub fn forget_unmapped(&mut self, mapped: impl Fn(u64) -> bool) {
        self.pages.retain(|page, _| mapped(*page));
    }

    pub fn owned_by(&self, owner: Owner) -> Vec<PointId> {
        self.points.iter().filter(|(_, w)| w.owner == owner).map(|(id, _)| *id).collect()
    }
}

impl Tracer {
    /// Watches memory. The threads of the process are stopped for a moment.
    pub fn watch(
        &mut self,
        process: ProcessId,
        address: u64,
        size: u64,
        access: Access,
        method: WatchMethod,
        owner: Owner,
    ) -> Result<PointId> {
        const LARGEST: u64 = 1 << 30;
        if size == 0 || size > LARGEST || address.checked_add(size).is_none() {
            return Err(Error::new(ErrorKind::Limit, format!("{size} bytes cannot be watched")));
        }
        let mut value = vec![0; size.min(1 << 16) as usize];
        self.read(process, address, &mut value)?;
        let id = self.new_point_id();
        self.while_stopped(process.0, |tracer| {
            let watches = tracer.watches.entry(process.0).or_default();
            let method = match method {
                WatchMethod::Any if watches.fits_registers(address, size, access) => {
                    WatchMethod::Registers
                }
                WatchMethod::Any => WatchMethod::Pages,
                chosen => chosen,
            };
            match method {
                WatchMethod::Registers => watches.take_registers(id, address, size, access)?,
                _ => tracer.protect(process.0, address, size, access)?,
            }
            let watches = tracer.watches.entry(process.0).or_default();
            watches.points.insert(id, Watch { address, size, access, owner, method, value });
            Ok(id)
        })
    }

    /// Ends a watchpoint.
    pub fn unwatch(&mut self, process: ProcessId, point: PointId) -> Result<()> {
        self.while_stopped(process.0, |tracer| {
            let watches = tracer.watches.entry(process.0).or_default();
            let Some(watch) = watches.points.remove(&point) else {
                return Err(Error::new(ErrorKind::NotFound, format!("no watchpoint {point}")));
            };
            watches.release_registers(point);
            if watch.method == WatchMethod::Pages {
                tracer.reprotect(process.0)?;
            }
            Ok(())
        })
    }

    /// How a watchpoint is realised.
    pub fn watch_method(&self, process: ProcessId, point: PointId) -> Option<WatchMethod> {
        self.watches.get(&process.0)?.points.get(&point).map(|w| w.method)
    }

    /// Runs `f` with all threads of the process stopped; those that ran before run afterwards.
    pub(crate) fn while_stopped<R>(
        &mut self,
        pid: pid_t,
        f: impl FnOnce(&mut Tracer) -> Result<R>,
    ) -> Result<R> {
        // Threads born meanwhile are to run as well, so it is the held ones that are remembered.
        let held: HashSet<pid_t> = self
            .threads
            .iter()
            .filter(|(_, t)| t.pid == pid && t.state == State::Stopped)
            .map(|(tid, _)| *tid)
            .collect();
        self.stop_process(ProcessId(pid))?;
        let result = f(self);
        let mut ran: Vec<pid_t> = self
            .threads
            .iter()
            .filter(|(tid, t)| t.pid == pid && !held.contains(tid))
            .map(|(tid, _)| *tid)
            .collect();
        ran.sort_unstable();
        for tid in ran {
            if let Some(t) = self.threads.get_mut(&tid).filter(|t| t.in_vfork) {
                t.want_stop = false;
            }
            let is_held = self.threads.get(&tid).is_some_and(|t| t.state == State::Stopped);
            if is_held && !self.queue.iter().any(|s| s.thread.0 == tid) {
                self.go(tid)?;
            }
        }
        result
    }

    /// The child's watchpoints are those of its parent.
    pub(crate) fn fork_watches(&mut self, parent: pid_t, child: pid_t) -> Result<()> {
        if let Some(watches) = self.watches.get(&parent).cloned() {
            self.watches.insert(child, watches);
        }
        Ok(())
    }
}
