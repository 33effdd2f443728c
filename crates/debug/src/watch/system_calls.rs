//! System calls that touch protected pages.
//!
//! The kernel does not get past a protection of ours: the call would fail, perhaps after it has taken
//! what it was to deliver. So a call that may touch such a page is made with the protection lifted:
//! where it enters the kernel, the lifting is done in its place, and then it is made again.

use libc::{c_long, pid_t};

use super::pages::{PAGE, pages_of};
use super::{Access, Moment, WatchHit, WatchMethod};
use crate::error::Result;
use crate::registers::Registers;
use crate::sys;
use crate::tracer::{Reason, Role, State, Thread, Tracer};

/// Structures the kernel fills are no longer than this.
const STRUCTURE: u64 = 8192;
/// Whether a number may be the length of a buffer.
const LONGEST: u64 = 1 << 31;

/// Calls that wait, and read memory at most: of pages that can be read they need nothing lifted.
const ONLY_READ: [c_long; 9] = [
    libc::SYS_futex,
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_pwritev,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_connect,
];

/// Calls with addresses in what their arguments point to.
const INDIRECT: [c_long; 8] = [
    libc::SYS_readv,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_process_vm_readv,
    libc::SYS_ioctl,
    libc::SYS_io_getevents,
];

/// Calls that are about mappings, not about what is in them.
const MAPPING: [c_long; 7] = [
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_pkey_mprotect,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
];

impl Tracer {
    /// A stop at the entry to or exit from the kernel, asked for while pages are protected.
    pub(crate) fn on_syscall_stop(&mut self, tid: pid_t) -> Result<()> {
        let registers = self.fetch_registers(tid)?;
        if !sys::is_syscall_exit(tid) {
            if !self.thread(tid)?.repeating && self.needs_pages(tid, &registers)? {
                self.postpone(tid, registers)?;
            }
            return self.leave_kernel(tid);
        }
        if let Some(postponed) = self.thread_mut(tid)?.postponed.take() {
            return self.make_again(tid, *postponed);
        }
        if std::mem::take(&mut self.thread_mut(tid)?.repeating) {
            self.lift(tid, false)?;
            return self.after_syscall(tid);
        }
        const EFAULT: u64 = (-(libc::EFAULT as i64)) as u64;
        if registers.raw.rax == EFAULT {
            // One that was not seen through.
            return self.make_again(tid, registers);
        }
        self.after_mapping(tid, &registers)?;
        self.settle(tid)
    }

    /// Delivers a signal with a handler while the protections are lifted: the kernel writes onto the
    /// stack for it, which may be watched.
    pub(crate) fn deliver_onto_pages(&mut self, tid: pid_t) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        self.while_stopped(pid, |tracer| {
            tracer.lift(tid, true)?;
            tracer.flush_registers(tid)?;
            let signal = tracer.take_signal(tid)?;
            match tracer.thread_mut(tid)?.again.take() {
                Some(again) => tracer.deliver_with_return(tid, signal, again)?,
                None => tracer.enter_handler(tid, signal)?,
            }
            tracer.lift(tid, false)
        })
    }

    /// Whether a call, about to be made, may touch a protected page in a way it does not allow.
    fn needs_pages(&mut self, tid: pid_t, registers: &Registers) -> Result<bool> {
        let pid = self.thread(tid)?.pid;
        let Some(watches) = self.watches.get(&pid) else { return Ok(false) };
        let raw = &registers.raw;
        let number = raw.orig_rax as c_long;
        if MAPPING.contains(&number) {
            return Ok(false);
        }
        let only_reads = ONLY_READ.contains(&number);
        let mut pages = watches
            .pages
            .iter()
            .filter(|(_, page)| !(only_reads && page.current & libc::PROT_READ != 0))
            .peekable();
        if INDIRECT.contains(&number) {
            return Ok(pages.peek().is_some());
        }
        let mut arguments = [raw.rdi, raw.rsi, raw.rdx, raw.r10, raw.r8, raw.r9];
        if number == libc::SYS_rt_sigreturn {
            arguments = [raw.rsp; 6];
        }
        let length = arguments.iter().filter(|a| **a < LONGEST).max();
        let length = length.copied().unwrap_or(0).max(STRUCTURE);
        let reaches =
            |start: u64, page: u64| start < page + PAGE && start.saturating_add(length) > page;
        Ok(pages.any(|(page, _)| arguments.iter().any(|a| reaches(*a, *page))))
    }

    /// Has the thread, which is about to make a call, lift the protection of a page instead.
    fn postpone(&mut self, tid: pid_t, registers: Registers) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        let page = self.watches.get(&pid).and_then(|w| w.pages.first_key_value());
        let Some((page, original)) = page.map(|(at, page)| (*at, page.original)) else {
            return Ok(());
        };
        // What the program forbids itself it need not have forbidden.
        if !self.restrictions(tid)?.are_none() {
            return Ok(());
        }
        let mut instead = registers;
        instead.raw.orig_rax = libc::SYS_mprotect as u64;
        [instead.raw.rdi, instead.raw.rsi, instead.raw.rdx] = [page, PAGE, original as u64];
        self.put_registers(tid, instead)?;
        self.thread_mut(tid)?.postponed = Some(Box::new(registers));
        Ok(())
    }

    /// Lifts the protections and has the thread, which has left the kernel, make its call again.
    fn make_again(&mut self, tid: pid_t, mut registers: Registers) -> Result<()> {
        const INSTRUCTION: u64 = 2;
        registers.raw.rax = registers.raw.orig_rax;
        registers.raw.rip = registers.raw.rip.wrapping_sub(INSTRUCTION);
        registers.raw.orig_rax = u64::MAX;
        self.put_registers(tid, registers)?;
        let t = self.thread_mut(tid)?;
        t.repeating = true;
        let pid = t.pid;
        let running =
            |t: &Thread| t.pid == pid && t.role == Role::Member && t.state == State::Running;
        if self.threads.values().any(running) {
            self.unseen += 1;
        }
        self.lift(tid, true)?;
        self.settle(tid)
    }

    /// Protects pages again to which the program has given another protection of its own.
    fn after_mapping(&mut self, tid: pid_t, registers: &Registers) -> Result<()> {
        let raw = &registers.raw;
        let number = raw.orig_rax as c_long;
        let failed = (-4095..0).contains(&(raw.rax as i64));
        let is_new = matches!(number, libc::SYS_mprotect | libc::SYS_pkey_mprotect)
            || number == libc::SYS_mmap && raw.r10 as i32 & libc::MAP_FIXED != 0;
        let pid = self.thread(tid)?.pid;
        let Some(watches) = self.watches.get_mut(&pid) else { return Ok(()) };
        if failed || !is_new || raw.rsi == 0 {
            return Ok(());
        }
        let mut changed = false;
        for page in pages_of(raw.rdi, raw.rsi) {
            if let Some(known) = watches.pages.get_mut(&page) {
                known.original = raw.rdx as i32;
                known.current = raw.rdx as i32;
                changed = true;
            }
        }
        if changed { self.reprotect(pid) } else { Ok(()) }
    }

    /// Tells what a repeated system call wrote into watched memory.
    fn after_syscall(&mut self, tid: pid_t) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        let registers = self.fetch_registers(tid)?;
        let space = self.space(pid)?;
        let Some(watches) = self.watches.get(&pid) else { return self.settle(tid) };
        let mut hits = Vec::new();
        for (id, w) in &watches.points {
            let mut new = vec![0; w.value.len()];
            if w.method == WatchMethod::Pages
                && space.read(w.address, &mut new).is_ok()
                && new != w.value
                && w.access.wants_writes()
            {
                hits.push(WatchHit {
                    point: *id,
                    owner: w.owner,
                    address: w.address,
                    access: Access::Write,
                    moment: Moment::After,
                    old: w.value.clone(),
                    new: Some(new),
                    instruction: Some(space.logical_pc(registers.pc()).wrapping_sub(2)),
                    by_system_call: true,
                });
            }
        }
        if hits.is_empty() {
            return self.settle(tid);
        }
        if let Some(watches) = self.watches.get_mut(&pid) {
            for hit in &hits {
                if let (Some(w), Some(new)) = (watches.points.get_mut(&hit.point), &hit.new) {
                    w.value = new.clone();
                }
            }
        }
        self.tell(tid, Reason::Watch { hits })
    }
}
