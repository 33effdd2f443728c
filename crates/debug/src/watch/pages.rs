//! Watching by page protection.

use libc::pid_t;

use super::decode::{self, Move};
use super::{Access, Moment, WatchHit, WatchMethod};
use crate::error::{Error, ErrorKind, Result};
use crate::maps;
use crate::sys;
use crate::tracer::{Reason, Role, State, Thread, Tracer};

pub(super) const PAGE: u64 = 4096;
const SEGV_ACCERR: i32 = 2;

/// A page whose protection we changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// What the program asked for.
    pub(super) original: i32,
    /// What it has now.
    pub(super) current: i32,
}

pub(super) fn pages_of(address: u64, size: u64) -> impl Iterator<Item = u64> {
    let first = address & !(PAGE - 1);
    let last = (address + size - 1) & !(PAGE - 1);
    (first..=last).step_by(PAGE as usize)
}

impl Tracer {
    /// Protects the pages of a new watchpoint. All threads must be stopped.
    pub(super) fn protect(
        &mut self,
        pid: pid_t,
        address: u64,
        size: u64,
        access: Access,
    ) -> Result<()> {
        let maps = maps::read(pid)?;
        let own = self.thread_pages(pid)?;
        let mut fresh = Vec::new();
        for page in pages_of(address, size) {
            let mapping = maps.iter().find(|m| m.contains(page)).ok_or_else(|| {
                Error::new(ErrorKind::Memory, format!("nothing is mapped at {page:#x}"))
            })?;
            let known = self.watches.get(&pid).and_then(|w| w.pages.get(&page));
            let original = known.map_or(mapping.prot, |p| p.original);
            if mapping.is_kernels() {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    "pages of the kernel cannot be watched",
                ));
            }
            if own.contains(&page) {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    "a page that contains the kernel's data about a thread cannot be watched",
                ));
            }
            fresh.push((page, original));
        }
        for (page, original) in fresh {
            let now = self.watches.get(&pid).and_then(|w| w.pages.get(&page)).map(|p| p.current);
            let allowed = match access {
                Access::Write => libc::PROT_READ | libc::PROT_EXEC,
                _ => 0,
            };
            let wanted = now.unwrap_or(original) & allowed;
            if now != Some(wanted) {
                self.set_protection(pid, page, wanted)?;
            }
            let watches = self.watches.entry(pid).or_default();
            watches.pages.insert(page, Page { original, current: wanted });
            watches.had_pages = true;
        }
        Ok(())
    }

    /// The pages with the control blocks of threads: the kernel writes there whenever it likes, and ends
    /// a program where it cannot.
    fn thread_pages(&mut self, pid: pid_t) -> Result<Vec<u64>> {
        const CONTROL_BLOCK: u64 = 0xb00;
        let of = |(tid, t): (&pid_t, &Thread)| {
            (t.pid == pid && t.state == State::Stopped).then_some(*tid)
        };
        let stopped: Vec<pid_t> = self.threads.iter().filter_map(of).collect();
        let mut pages = Vec::new();
        for tid in stopped {
            let base = self.fetch_registers(tid)?.raw.fs_base;
            if base != 0 {
                pages.extend(pages_of(base, CONTROL_BLOCK));
            }
        }
        Ok(pages)
    }

    /// Brings page protections in line with the watchpoints that are left.
    pub(super) fn reprotect(&mut self, pid: pid_t) -> Result<()> {
        let Some(watches) = self.watches.get(&pid) else { return Ok(()) };
        let mut changes = Vec::new();
        for (&page, state) in &watches.pages {
            let mut wanted = state.original;
            let mut is_free = true;
            for w in watches.points.values() {
                if w.method == WatchMethod::Pages && w.touches(page, PAGE) {
                    is_free = false;
                    wanted &= match w.access {
                        Access::Write => libc::PROT_READ | libc::PROT_EXEC,
                        _ => 0,
                    };
                }
            }
            changes.push((page, state.current, wanted, is_free));
        }
        for (page, current, wanted, is_free) in changes {
            if current != wanted {
                self.set_protection(pid, page, wanted)?;
            }
            if let Some(watches) = self.watches.get_mut(&pid) {
                if is_free {
                    watches.pages.remove(&page);
                } else if let Some(p) = watches.pages.get_mut(&page) {
                    p.current = wanted;
                }
            }
        }
        Ok(())
    }

    fn set_protection(&mut self, pid: pid_t, page: u64, prot: i32) -> Result<()> {
        let tid = self.any_stopped(pid)?;
        self.syscall(tid, libc::SYS_mprotect, [page, PAGE, prot as u64, 0, 0, 0]).map(drop)
    }

    /// Gives every page back its own protection (`lift`) or ours, which has to wait if another thread
    /// is in a system call that needs the pages.
    pub(crate) fn lift(&mut self, tid: pid_t, lift: bool) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        let needs_them =
            |(other, t): (&pid_t, &Thread)| *other != tid && t.pid == pid && t.repeating;
        if !lift && self.threads.iter().any(needs_them) {
            return Ok(());
        }
        let pages: Vec<(u64, Page)> = match self.watches.get(&pid) {
            Some(w) => w.pages.iter().map(|(a, p)| (*a, *p)).collect(),
            None => return Ok(()),
        };
        for (address, page) in pages {
            let prot = if lift { page.original } else { page.current };
            self.syscall(tid, libc::SYS_mprotect, [address, PAGE, prot as u64, 0, 0, 0])?;
        }
        Ok(())
    }

    /// For good: the process is being let go.
    pub(crate) fn unprotect_all(&mut self, pid: pid_t) -> Result<()> {
        if self.watches.get(&pid).is_some_and(|w| !w.pages.is_empty()) {
            let tid = self.any_stopped(pid)?;
            self.lift(tid, true)?;
            if let Some(w) = self.watches.get_mut(&pid) {
                w.pages.clear();
            }
        }
        Ok(())
    }

    /// A forked child that is not followed gets its pages back.
    pub(crate) fn unprotect_child(&mut self, parent: pid_t, child: pid_t) -> Result<()> {
        let Some(watches) = self.watches.get(&parent) else { return Ok(()) };
        if watches.pages.is_empty() {
            return Ok(());
        }
        let watches = watches.clone();
        let space = self.space(parent)?.fork(child)?;
        self.spaces.insert(child, space);
        self.watches.insert(child, watches);
        self.threads.insert(child, Thread::new(child, State::Stopped));
        let result = self.lift(child, true).and_then(|()| self.flush_registers(child));
        self.threads.remove(&child);
        self.watches.remove(&child);
        self.spaces.remove(&child);
        result
    }

    /// A fault that may be due to a protection of ours. True when it was dealt with.
    pub(crate) fn on_protected_access(
        &mut self,
        tid: pid_t,
        info: &libc::siginfo_t,
    ) -> Result<bool> {
        let pid = self.thread(tid)?.pid;
        let Some(watches) = self.watches.get(&pid) else { return Ok(false) };
        if !watches.had_pages || info.si_code != SEGV_ACCERR {
            return Ok(false);
        }
        // SAFETY: for SIGSEGV the kernel fills in the fault address.
        let fault = unsafe { info.si_addr() } as u64;
        let Some(page) = watches.pages.get(&(fault & !(PAGE - 1))).copied() else {
            return self.is_late_fault(tid, fault);
        };
        let registers = self.fetch_registers(tid)?;
        let space = self.space(pid)?;
        let pc = registers.pc();
        let instruction = decode::instruction_at(space, pc);
        let touches = instruction.map(|i| decode::touches(&i, &registers)).unwrap_or_default();
        // An access the program itself forbade is the program's own fault.
        let faulting = touches.iter().find(|t| {
            (t.address..t.address.saturating_add(t.size)).contains(&fault)
                || t.address & !(PAGE - 1) == fault & !(PAGE - 1)
        });
        if let Some(t) = faulting {
            let forbidden = t.is_write && page.original & libc::PROT_WRITE == 0
                || t.is_read && page.original & libc::PROT_READ == 0;
            if forbidden {
                return Ok(false);
            }
        }
        let logical = space.logical_pc(pc);
        let mut hits = Vec::new();
        let Some(watches) = self.watches.get(&pid) else { return Ok(false) };
        // Debug registers do not see what the tracer carries out: watchpoints of theirs on a
        // protected page are told here as well.
        for (id, w) in &watches.points {
            let mine: Vec<_> = touches.iter().filter(|t| w.touches(t.address, t.size)).collect();
            let is_write = mine.iter().any(|t| t.is_write);
            let wanted = if is_write {
                w.access.wants_writes() || w.access.wants_reads() && mine.iter().any(|t| t.is_read)
            } else {
                w.access.wants_reads()
            };
            if mine.is_empty() || !wanted {
                continue;
            }
            let mut old = vec![0; w.value.len()];
            space.read(w.address, &mut old)?;
            hits.push(WatchHit {
                point: *id,
                owner: w.owner,
                address: w.address,
                access: if is_write { Access::Write } else { Access::Read },
                moment: Moment::Before,
                old,
                new: None,
                instruction: Some(logical),
                by_system_call: false,
            });
        }
        self.thread_mut(tid)?.at_protected = true;
        let is_member = self.thread(tid)?.role == Role::Member;
        if hits.is_empty() || !is_member {
            self.settle(tid)?;
        } else {
            self.tell(tid, Reason::Watch { hits })?;
        }
        Ok(true)
    }

    /// A fault on a page that is not protected any more: the access is simply tried again.
    fn is_late_fault(&mut self, tid: pid_t, fault: u64) -> Result<bool> {
        let pid = self.thread(tid)?.pid;
        let registers = self.fetch_registers(tid)?;
        let maps = maps::read(pid)?;
        let Some(m) = maps.iter().find(|m| m.contains(fault)) else { return Ok(false) };
        let space = self.space(pid)?;
        let touches = decode::instruction_at(space, registers.pc())
            .map(|i| decode::touches(&i, &registers))
            .unwrap_or_default();
        let allowed = !touches.is_empty()
            && touches
                .iter()
                .all(|t| (!t.is_write || m.is_writable()) && (!t.is_read || m.is_readable()));
        if allowed {
            self.settle(tid)?;
        }
        Ok(allowed)
    }

    /// Carries out the access a thread stands before, unseen: by the tracer itself if it is a
    /// plain move, else by the thread alone with the protection lifted.
    pub(crate) fn pass_protected(&mut self, tid: pid_t) -> Result<()> {
        let t = self.thread_mut(tid)?;
        if !std::mem::take(&mut t.at_protected) {
            return Ok(());
        }
        let pid = t.pid;
        let by_registers = t.debug_registers[4] != 0;
        self.carry_out(tid, pid)?;
        if by_registers {
            // Told already; not again.
            let _ = sys::set_debug_register(tid, 6, 0);
        }
        let (Some(watches), Some(space)) = (self.watches.get_mut(&pid), self.spaces.get(&pid))
        else {
            return Ok(());
        };
        for w in watches.points.values_mut() {
            // What cannot be read any more keeps its last value.
            let _ = space.read(w.address, &mut w.value);
        }
        Ok(())
    }

    fn carry_out(&mut self, tid: pid_t, pid: pid_t) -> Result<()> {
        let mut registers = self.raw_registers(tid)?;
        let space = self.space(pid)?;
        let pc = registers.pc();
        let in_copy = space.copy_at(pc).cloned();
        let Some(instruction) = decode::instruction_at(space, pc) else { return Ok(()) };
        let next = match &in_copy {
            Some(copy) => copy.next,
            None => instruction.next_ip(),
        };
        match decode::simple_move(&instruction, &registers) {
            Some(Move::Store { address, bytes })
                if self.space_mut(pid)?.write(address, &bytes).is_ok() =>
            {
                registers.set_pc(next);
                return self.put_registers(tid, registers);
            }
            Some(Move::Load { address, size, to, signed }) => {
                let mut word = [0u8; 8];
                self.space(pid)?.read(address, &mut word[..size])?;
                let mut value = u64::from_le_bytes(word);
                if signed {
                    let shift = 64 - 8 * size as u32;
                    value = ((value << shift) as i64 >> shift) as u64;
                }
                registers.set_decoded(to, value);
                registers.set_pc(next);
                return self.put_registers(tid, registers);
            }
            _ => {}
        }
        self.while_stopped(pid, |tracer| {
            tracer.lift(tid, true)?;
            let result = if in_copy.is_some() {
                tracer.step_out_of_copy(tid, true)
            } else {
                tracer.step_alone(tid)
            };
            tracer.lift(tid, false)?;
            match result {
                // The instruction faulted for reasons of its own; that is told in its turn.
                Err(e) if e.kind() == ErrorKind::Memory => Ok(()),
                other => other,
            }
        })
    }
}
