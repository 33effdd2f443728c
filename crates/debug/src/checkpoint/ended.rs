//! Threads that end after a checkpoint and come back with it.
//!
//! The kernel cannot give a thread its number back. So a thread that some checkpoint knows and that
//! is about to make its last system call, `exit`, is kept right there: it never runs again, yet it
//! exists. What the kernel would do for it is done: its number is cleared and whoever waits for
//! that is woken, so to the program it has ended. It gives up everything the kernel holds for it in
//! the program's memory, which may now be freed or become another thread's.
//!
//! A thread that ends another way ends for good; going back is then refused.

use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};

use iced_x86::{Decoder, DecoderOptions, Mnemonic, OpKind};
use libc::pid_t;

use super::Checkpoint;
use crate::error::Result;
use crate::maps::Mapping;
use crate::sys;
use crate::tracer::{
    ProcessId, Reason, Role, State, Stop, Thread, ThreadId, Tracer, ignore_gone, is_zombie,
};

/// A thread that has ended as far as the program can tell.
pub(crate) struct Ended {
    tid: pid_t,
    thread: Thread,
    holds: Holds,
}

/// Addresses in the program's memory that the kernel uses when a thread ends.
struct Holds {
    /// Where its number is cleared.
    number: u64,
    /// The list of its robust locks.
    robust: (u64, u64),
}

/// The size of the list head of robust locks that the kernel expects.
const ROBUST_HEAD_SIZE: u64 = 24;

/// How the kernel is entered.
const SYSCALL: [u8; 2] = [0x0f, 0x05];

/// Code that is searched for the end of threads, per file.
const LOOK_AT_MOST: u64 = 64 << 20;

/// As much of it is read at once.
const PIECE: u64 = 128 << 10;

/// The row of bytes that is looked for is at most so long, and may begin at the end of a piece.
const ROW: usize = 45;

/// Numbers of bytes into the code at which `exit` is called: the number is put into a register,
/// perhaps moved between registers, and the kernel is entered. Such a row of bytes is no accident.
fn exits(code: &[u8]) -> Vec<usize> {
    const NUMBER: [u8; 4] = (libc::SYS_exit as u32).to_le_bytes();
    let mut found = Vec::new();
    for number in memchr::memmem::find_iter(code, &NUMBER) {
        let Some(at) = number.checked_sub(1).filter(|at| (0xb8..=0xbf).contains(&code[*at])) else {
            continue;
        };
        let rest = &code[at + 5..code.len().min(at + ROW)];
        for instruction in Decoder::new(64, rest, DecoderOptions::NONE).iter() {
            let is_plain = (0..instruction.op_count())
                .all(|i| instruction.op_kind(i) == OpKind::Register)
                || instruction.mnemonic() == Mnemonic::Nop;
            match instruction.mnemonic() {
                Mnemonic::Syscall => {
                    found.push(at + 5 + instruction.ip() as usize);
                    break;
                }
                Mnemonic::Nop | Mnemonic::Xor | Mnemonic::Mov if is_plain => {}
                _ => break,
            }
        }
    }
    found.dedup();
    found
}

/// Addresses in some code of a process at which `exit` seems to be called. The code is read from its
/// file, which is much faster than from the memory of a program that has not used most of it; from
/// there, breakpoints and all, if the file is another one by now.
pub(super) fn ends_in(pid: pid_t, code: &[Mapping]) -> Vec<u64> {
    let mut found = Vec::new();
    let mut bytes = vec![0; PIECE as usize + ROW];
    for m in code {
        let same = |file: &File| file.metadata().is_ok_and(|found| found.ino() == m.inode);
        let file = File::open(&m.name).ok().filter(same);
        let mut start = m.start;
        while start < m.end {
            let length = (m.end - start).min(bytes.len() as u64) as usize;
            let piece = &mut bytes[..length];
            let n = match &file {
                Some(file) => file.read_at(piece, m.offset + (start - m.start)),
                None => sys::read_process(pid, start, piece),
            };
            let there = exits(&piece[..n.unwrap_or(0)]);
            found.extend(there.into_iter().map(|offset| start + offset as u64));
            start += PIECE;
        }
    }
    found.dedup();
    found
}

impl Tracer {
    /// Code in which threads of the process end; none if that is known, or there is one thread only.
    pub(super) fn ends_to_search(&self, pid: pid_t, maps: &[Mapping]) -> Result<Vec<Mapping>> {
        if self.threads(ProcessId(pid)).len() < 2 || self.space(pid)?.ends_watched {
            return Ok(Vec::new());
        }
        let executable = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let is_code = |m: &&Mapping| m.is_executable() && m.end - m.start <= LOOK_AT_MOST;
        let is_library = |m: &&Mapping| {
            let name = m.name.rsplit('/').next().unwrap_or_default();
            ["libc.", "libc-", "libpthread", "ld-musl"].iter().any(|p| name.starts_with(p))
        };
        let code: Vec<&Mapping> = maps.iter().filter(is_code).collect();
        let mut searched: Vec<&Mapping> = code.iter().copied().filter(is_library).collect();
        if searched.is_empty() {
            // A static program brings its own.
            searched.extend(code.iter().filter(|m| executable.as_os_str() == m.name.as_str()));
        }
        Ok(searched.into_iter().cloned().collect())
    }

    /// Makes threads of the process stop before they end, where they may do that; once for each
    /// process.
    pub(super) fn watch_thread_ends(&mut self, pid: pid_t, ends: &[u64]) -> Result<()> {
        if self.threads(ProcessId(pid)).len() < 2 || self.space(pid)?.ends_watched {
            return Ok(());
        }
        self.space_mut(pid)?.ends_watched = true;
        for &address in ends {
            let mut there = [0; SYSCALL.len()];
            if self.space(pid)?.read_partly(address, &mut there) < there.len() || there != SYSCALL {
                continue;
            }
            self.ensure_room(pid, address)?;
            self.space_mut(pid)?.install(address)?.internal.thread_end = true;
        }
        // The process ends with its last thread; kept ones must not prevent that.
        let options = self.trace_options(pid) | libc::PTRACE_O_TRACEEXIT;
        ignore_gone(sys::set_options(pid, options), "cannot watch for the program's end")
    }

    /// Threads that are about to end, and were let pass because no checkpoint knew them, will be met
    /// there once more: now there is one.
    pub(super) fn meet_ends_again(&mut self, pid: pid_t) -> Result<()> {
        for ThreadId(tid) in self.threads(ProcessId(pid)) {
            if self.thread(tid)?.state != State::Stopped {
                continue;
            }
            let mut registers = self.raw_registers(tid)?;
            let space = self.space(pid)?;
            let address = space.logical_pc(registers.pc());
            let site = space.sites.get(&address);
            if site.is_some_and(|s| s.internal.thread_end && s.points.is_empty()) {
                registers.set_pc(address);
                self.put_registers(tid, registers)?;
                self.thread_mut(tid)?.at_point = None;
            }
        }
        Ok(())
    }

    pub(super) fn is_known(&self, tid: pid_t) -> bool {
        self.checkpoints.all.values().any(|c| c.knows(tid))
    }

    /// A thread stands before a system call that is probably its last. True if it was kept.
    pub(crate) fn keep_if_ending(&mut self, tid: pid_t) -> Result<bool> {
        let is_exit = self.fetch_registers(tid)?.raw.rax as u32 as i64 == libc::SYS_exit;
        let t = self.thread(tid)?;
        let pid = t.pid;
        if !is_exit || t.role != Role::Member || t.signal.is_some() {
            return Ok(false);
        }
        if self.is_alone(tid) {
            self.let_ended_go(|e| e.thread.pid == pid);
            return Ok(false);
        }
        if tid == pid || !self.is_known(tid) || self.is_holding_locks(tid)? {
            return Ok(false);
        }
        if !self.put_away(tid, true)? {
            return Ok(false);
        }
        if self.thread_events {
            let (thread, process) = (ThreadId(tid), ProcessId(pid));
            self.queue.push_back(Stop { thread, process, reason: Reason::ThreadExited });
        }
        Ok(true)
    }

    /// Whether no other thread of the process is left but those that were kept.
    fn is_alone(&self, tid: pid_t) -> bool {
        let Some(pid) = self.threads.get(&tid).map(|t| t.pid) else { return false };
        let is_other = |other: pid_t, t: &Thread| {
            // A leader that has ended stays as a zombie.
            other != tid && t.pid == pid && t.role == Role::Member && !is_zombie(other)
        };
        !self.threads.iter().any(|(other, t)| is_other(*other, t))
    }

    /// The first thread ends, alone or with the whole process.
    pub(crate) fn on_last_exit(&mut self, tid: pid_t) -> Result<()> {
        if self.is_alone(tid) {
            let pid = self.thread(tid)?.pid;
            self.let_ended_go(|e| e.thread.pid == pid);
        }
        if self.end_inside(tid)? {
            return Ok(());
        }
        self.leave_kernel(tid)
    }

    /// Others may be waiting for locks this thread dies with; only the kernel tells them so.
    fn is_holding_locks(&self, tid: pid_t) -> Result<bool> {
        let (head, _) = sys::robust_list(tid);
        Ok(head != 0 && self.space(self.thread(tid)?.pid)?.read_u64(head)? != head)
    }

    /// Takes a thread out of the program: it gives up what the kernel holds for it and stands
    /// before its end. With `tell`, the program learns that it ended. False, with nothing
    /// changed, where that is not possible.
    pub(super) fn put_away(&mut self, tid: pid_t, tell: bool) -> Result<bool> {
        let pid = self.thread(tid)?.pid;
        let room = self.room_below(tid)?;
        let asked =
            self.syscall(tid, libc::SYS_prctl, [libc::PR_GET_TID_ADDRESS as u64, room, 0, 0, 0, 0]);
        if asked.is_err() {
            return Ok(false);
        }
        let number = self.space(pid)?.read_u64(room)?;
        let holds = Holds { number, robust: sys::robust_list(tid) };
        if self.register_sequence(tid, (0, 0, 0)).is_err() {
            return Ok(false);
        }
        self.syscall(tid, libc::SYS_set_robust_list, [0, ROBUST_HEAD_SIZE, 0, 0, 0, 0])?;
        self.syscall(tid, libc::SYS_set_tid_address, [0; 6])?;
        if tell && number != 0 {
            self.space_mut(pid)?.write(number, &0u32.to_le_bytes())?;
            let wake = [number, libc::FUTEX_WAKE as u64, 1, 0, 0, 0];
            self.syscall(tid, libc::SYS_futex, wake)?;
        }
        self.set_to_exit(tid)?;
        self.flush_registers(tid)?;
        if let Some(thread) = self.threads.remove(&tid) {
            self.forget_calls(thread.pid, thread.shadows.clone());
            self.checkpoints.ended.insert(tid, Ended { tid, thread, holds });
        }
        Ok(true)
    }

    /// Some room below the stack of a thread and its red zone.
    pub(super) fn room_below(&mut self, tid: pid_t) -> Result<u64> {
        Ok(self.raw_registers(tid)?.sp().wrapping_sub(1024) & !0xf)
    }

    /// Lends a system call some bytes of the program's memory: they are written there, read again
    /// after the call, and what was there before comes back.
    pub(super) fn with_room(
        &mut self,
        tid: pid_t,
        bytes: &mut [u8],
        call: impl FnOnce(&mut Tracer, u64) -> Result<u64>,
    ) -> Result<()> {
        let (pid, room) = (self.thread(tid)?.pid, self.room_below(tid)?);
        let mut before = vec![0; bytes.len()];
        self.space(pid)?.read(room, &mut before)?;
        self.space_mut(pid)?.write(room, bytes)?;
        let called = call(self, room);
        self.space(pid)?.read(room, bytes)?;
        self.space_mut(pid)?.write(room, &before)?;
        called.map(drop)
    }

    /// Makes a stopped thread end as soon as it goes on, whatever it was doing.
    pub(super) fn set_to_exit(&mut self, tid: pid_t) -> Result<()> {
        let at = self.syscall_instruction(self.thread(tid)?.pid)?;
        let mut registers = self.raw_registers(tid)?;
        registers.raw.rax = libc::SYS_exit as u64;
        registers.raw.rdi = 0;
        registers.raw.orig_rax = u64::MAX;
        registers.set_pc(at);
        self.put_registers(tid, registers)?;
        let _ = sys::set_sigmask(tid, !0);
        Ok(())
    }

    /// Ends kept threads for good.
    pub(super) fn let_ended_go(&mut self, which: impl Fn(&Ended) -> bool) {
        for (tid, _) in self.checkpoints.ended.extract_if(.., |_, e| which(e)) {
            // It may have been killed with its process and be gone already.
            if sys::cont(tid, 0).is_ok() {
                while sys::wait_for(tid, 0).is_ok_and(|s| s.is_some_and(|s| libc::WIFSTOPPED(s.1)))
                {
                    let _ = sys::cont(tid, 0);
                }
            }
        }
    }

    /// Ends those kept threads that no checkpoint knows any more.
    pub(super) fn let_forgotten_go(&mut self) {
        let checkpoints = &self.checkpoints.all;
        let known: Vec<pid_t> = self.checkpoints.ended.keys().copied().collect();
        let known: Vec<pid_t> =
            known.into_iter().filter(|t| checkpoints.values().any(|c| c.knows(*t))).collect();
        self.let_ended_go(|e| !known.contains(&e.tid));
    }

    /// Whether this is a thread that has ended and was kept.
    pub(crate) fn is_kept(&self, tid: pid_t) -> bool {
        self.checkpoints.ended.contains_key(&tid)
    }

    /// Whether the thread is there, or was kept and can come back.
    pub(super) fn can_have_back(&self, pid: pid_t, tid: pid_t) -> bool {
        let kept = self.checkpoints.ended.get(&tid).map(|e| e.thread.pid);
        kept.or(self.threads.get(&tid).map(|t| t.pid)) == Some(pid) && !is_zombie(tid)
    }

    /// Makes the kept threads of a checkpoint threads of the program again, with what the kernel
    /// held for them. Their memory is back already.
    pub(super) fn bring_back(&mut self, c: &Checkpoint) -> Result<()> {
        for saved in &c.threads {
            let tid = saved.tid;
            let Some(Ended { thread, holds, .. }) = self.checkpoints.ended.remove(&tid) else {
                continue;
            };
            let mut fresh = Thread::new(c.process, State::Stopped);
            fresh.number = thread.number;
            fresh.debug_registers = thread.debug_registers;
            self.threads.insert(tid, fresh);
            self.register_sequence(tid, saved.rseq)?;
            let (head, size) = holds.robust;
            if size != 0 {
                self.syscall(tid, libc::SYS_set_robust_list, [head, size, 0, 0, 0, 0])?;
            }
            self.syscall(tid, libc::SYS_set_tid_address, [holds.number, 0, 0, 0, 0, 0])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::exits;

    #[test]
    fn only_the_call_itself_is_found() {
        // mov $60, %edx; nop; xor %edi, %edi; mov %edx, %eax; syscall
        let glibc = [0x90, 0xba, 60, 0, 0, 0, 0x66, 0x90, 0x31, 0xff, 0x89, 0xd0, 0x0f, 0x05];
        assert_eq!(exits(&glibc), [12]);
        // mov $60, %eax; syscall, and the same with another number
        assert_eq!(exits(&[0xb8, 60, 0, 0, 0, 0x0f, 0x05]), [5]);
        assert!(exits(&[0xb8, 61, 0, 0, 0, 0x0f, 0x05]).is_empty());
        // mov $60, %eax; jmp over it
        assert!(exits(&[0xb8, 60, 0, 0, 0, 0xeb, 0x02, 0x0f, 0x05]).is_empty());
        assert!(exits(&[0xb8, 60, 0, 0]).is_empty());
    }
}
