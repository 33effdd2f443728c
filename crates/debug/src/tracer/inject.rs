//! System calls made by the program on our behalf, and calls of its functions.

use std::time::{Duration, Instant};

use libc::{c_long, pid_t};

use super::events::Quiet;
use super::{Reason, Restrictions, State, ThreadId, Tracer, kill_and_reap};
use crate::error::{Error, ErrorKind, Result};
use crate::maps;
use crate::proc;
use crate::registers::Registers;
use crate::sys;

/// Calls that a call made for the debugger leaves behind are this deep at most.
const INJECTED_DEPTH: u64 = 1 << 20;

/// What a function of the program is called with, where its convention wants it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passed {
    /// In the registers for numbers and addresses, in their order.
    pub integers: [u64; 6],
    /// In the vector registers.
    pub vectors: Vec<[u8; 8]>,
    /// On the stack, above the return address.
    pub stack: Vec<u8>,
    /// Where the stack begins for the call: what is above it is left alone. It is below
    /// [`Tracer::room`].
    pub top: u64,
}

/// The registers with results of a function that was called.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    /// `rax` and `rdx`.
    pub words: [u64; 2],
    /// `xmm0` and `xmm1`.
    pub vectors: [[u8; 16]; 2],
    /// The top of the x87 stack.
    pub x87: Vec<u8>,
}

/// What an injected system call gave.
pub(crate) struct Injected {
    /// The raw result: small negative numbers are errors.
    pub result: u64,
    /// The child, if the call made one; it is stopped and known to nobody yet.
    pub child: Option<pid_t>,
}

impl Tracer {
    /// Makes a stopped thread perform one system call. Registers, signals and the interrupted
    /// system call it may be in are as before afterwards.
    pub(crate) fn syscall(&mut self, tid: pid_t, number: c_long, args: [u64; 6]) -> Result<u64> {
        let result = self.inject(tid, number, args)?.result;
        if (-4095..0).contains(&(result as i64)) {
            let error = std::io::Error::from_raw_os_error(-(result as i64) as i32);
            return Err(Error::system(
                format!("system call {number} made for the tracer failed"),
                error,
            ));
        }
        Ok(result)
    }

    pub(crate) fn inject(
        &mut self,
        tid: pid_t,
        number: c_long,
        args: [u64; 6],
    ) -> Result<Injected> {
        self.inject_while(tid, number, args, &mut || ())
    }

    /// As [`Tracer::inject`], and does something while the thread is in the kernel, perhaps again
    /// and again.
    pub(crate) fn inject_while(
        &mut self,
        tid: pid_t,
        number: c_long,
        args: [u64; 6],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Injected> {
        let pid = self.thread(tid)?.pid;
        let at = self.syscall_instruction(pid)?;
        let saved = self.raw_registers(tid)?;
        let restricted = !self.restrictions(tid)?.are_none();
        if restricted {
            self.suspend_restrictions(tid, true)?;
        }
        let mut registers = saved;
        let raw = &mut registers.raw;
        raw.rax = number as u64;
        raw.orig_rax = u64::MAX;
        [raw.rdi, raw.rsi, raw.rdx, raw.r10, raw.r8, raw.r9] = args;
        raw.rip = at;
        let mask =
            sys::get_sigmask(tid).map_err(|e| Error::system("cannot read the signal mask", e))?;
        sys::set_sigmask(tid, sys::ALL_BUT_TRAPS)
            .map_err(|e| Error::system("cannot set the signal mask", e))?;
        self.put_registers(tid, registers)?;
        let mut child = None;
        let outcome = loop {
            match self.step_quietly_while(tid, meanwhile) {
                Ok(Quiet::Stepped) => {
                    break sys::get_regs(tid)
                        .map(|raw| raw.rax)
                        .map_err(|e| Error::system("cannot read registers", e));
                }
                Ok(Quiet::Inside) => child = sys::event_message(tid).ok().map(|c| c as pid_t),
                Err(e) => break Err(e),
            }
        };
        self.end_quiet(tid, mask)?;
        if restricted {
            // It fails for a thread that has ended, and for no other.
            let _ = self.suspend_restrictions(tid, false);
        }
        let t = self.thread_mut(tid)?;
        t.state = State::Stopped;
        t.registers = Some(saved);
        t.registers_changed = true;
        if let Some(held) = &mut t.signal {
            held.moved = true;
        }
        match (outcome, child) {
            (Ok(result), child) => Ok(Injected { result, child }),
            (Err(e), child) => {
                // Killed amid it; its child is nobody's.
                let child = match number {
                    libc::SYS_clone => child.or_else(|| self.untold_child()),
                    _ => child,
                };
                child.into_iter().for_each(kill_and_reap);
                Err(e)
            }
        }
    }

    /// The child, if there is one, whose number was not told because its parent was killed right
    /// then: the only one whose first stop comes and that nobody knows.
    fn untold_child(&mut self) -> Option<pid_t> {
        const PATIENCE: Duration = Duration::from_secs(1);
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            match self.sleeper.wait(-1, libc::__WNOTHREAD, Some(end), || false) {
                Ok(Some((tid, status)))
                    if libc::WIFSTOPPED(status)
                        && !self.threads.contains_key(&tid)
                        && !self.is_kept(tid) =>
                {
                    return Some(tid);
                }
                Ok(Some(other)) => self.deferred.push_back(other),
                Ok(None) => {}
                Err(_) => break,
            }
        }
        None
    }

    /// How the program has restricted the system calls of this thread.
    pub(crate) fn restrictions(&mut self, tid: pid_t) -> Result<Restrictions> {
        if let Some(known) = &self.thread(tid)?.restrictions {
            return Ok(known.clone());
        }
        let status = proc::text(tid, "status").unwrap_or_default();
        let found = Restrictions::of(&status);
        self.thread_mut(tid)?.restrictions = Some(found.clone());
        Ok(found)
    }

    /// Lets the thread make any system call for the moment, or no longer. A call that is not
    /// allowed may end the program, so without leave for that none is made.
    fn suspend_restrictions(&mut self, tid: pid_t, yes: bool) -> Result<()> {
        const SUSPEND_SECCOMP: libc::c_int = 1 << 21;
        let pid = self.thread(tid)?.pid;
        let mut options = self.trace_options(pid);
        let space = self.space(pid)?;
        if tid == pid && (space.ends_watched || space.inside.is_some()) {
            options |= libc::PTRACE_O_TRACEEXIT;
        }
        if yes {
            options |= SUSPEND_SECCOMP;
        }
        sys::set_options(tid, options).map_err(|e| {
            Error::with_source(
                ErrorKind::Refused,
                "the program has restricted its system calls (seccomp), and only an administrator \
                 may make others in it",
                e,
            )
        })
    }

    /// Finds a `syscall` instruction in the program: the kernel's own page has some. Under a
    /// breakpoint it would make no system call.
    pub(crate) fn syscall_instruction(&mut self, pid: pid_t) -> Result<u64> {
        let space = self.space(pid)?;
        if let Some(at) = space.syscall_at.filter(|at| !space.sites.contains_key(at)) {
            return Ok(at);
        }
        const LOOK_AT_MOST: u64 = 4 << 20;
        let mut code: Vec<maps::Mapping> =
            maps::read(pid)?.into_iter().filter(|m| m.is_executable()).collect();
        code.retain(|m| m.name != "[vsyscall]");
        code.sort_by_key(|m| m.name != "[vdso]");
        for m in code {
            let mut bytes = vec![0; (m.end - m.start).min(LOOK_AT_MOST) as usize];
            let n = self.space(pid)?.read_partly(m.start, &mut bytes);
            let found = bytes[..n].windows(2).enumerate().filter(|(_, w)| *w == [0x0f, 0x05]);
            let sites = &self.space(pid)?.sites;
            let free = found.map(|(i, _)| m.start + i as u64).find(|at| !sites.contains_key(at));
            if let Some(at) = free {
                self.space_mut(pid)?.syscall_at = Some(at);
                return Ok(at);
            }
        }
        Err(Error::new(
            ErrorKind::Unsupported,
            "the program contains no system call instruction to borrow",
        ))
    }

    /// Below this address the stack of a stopped thread is free.
    pub(crate) fn room(&mut self, thread: ThreadId) -> Result<u64> {
        /// Functions that call nothing may use memory below the stack pointer.
        const RED_ZONE: u64 = 512;
        Ok(self.raw_registers(thread.0)?.sp().wrapping_sub(RED_ZONE) & !0xf)
    }

    /// Calls a function of the program with integers and addresses, at most six, and gives the integer that it
    /// returns; see [`Debugger`](crate::Debugger) for values of other types.
    ///
    /// The other threads stay as they are; if the function needs a lock one of them holds while
    /// stopped, it waits for ever. Points the function passes are not told.
    pub fn call_integers(&mut self, thread: ThreadId, function: u64, args: &[u64]) -> Result<u64> {
        let mut passed = Passed { top: self.room(thread)?, ..Passed::default() };
        let Some(integers) = passed.integers.get_mut(..args.len()) else {
            return Err(Error::expression("at most six integers can be passed to a call"));
        };
        integers.copy_from_slice(args);
        Ok(self.call(thread, function, &passed)?.words[0])
    }

    /// Calls a function of the program in a stopped thread. The other threads stay as they are; if the
    /// function needs a lock one of them holds while stopped, it waits for ever.
    ///
    /// Points the function passes are not told. If it is hit by a fatal signal, the call is
    /// abandoned, the thread is put back where it was, and the signal is the error.
    pub(crate) fn call(
        &mut self,
        thread: ThreadId,
        function: u64,
        passed: &Passed,
    ) -> Result<Results> {
        let tid = thread.0;
        let saved = self.raw_registers(tid)?;
        let pid = self.thread(tid)?.pid;
        let vectors =
            sys::get_xstate(tid).map_err(|e| Error::system("cannot save vector registers", e))?;
        let at_point = self.thread(tid)?.at_point;
        // Returns to an address that has nothing to do with the function: its breakpoint is the end
        // of the call.
        let back = self.syscall_instruction(pid)?;
        self.ensure_room(pid, back)?;
        let mut registers = saved;
        // Aligned as at a call.
        let stacked = (passed.top.wrapping_sub(passed.stack.len() as u64)) & !0xf;
        let sp = stacked.wrapping_sub(8);
        if !passed.stack.is_empty() {
            self.space_mut(pid)?.write(stacked, &passed.stack)?;
        }
        self.space_mut(pid)?.write(sp, &back.to_le_bytes())?;
        registers.set_sp(sp);
        registers.set_pc(function);
        // Functions with arguments that they do not name are told how many are in vector registers.
        registers.raw.rax = passed.vectors.len() as u64;
        registers.raw.orig_rax = u64::MAX;
        registers.raw.eflags &= !0x400;
        for (i, arg) in passed.integers.iter().enumerate() {
            registers.set_argument(i, *arg);
        }
        if !passed.vectors.is_empty() {
            let mut state = self.extended_state(thread)?;
            for (i, vector) in passed.vectors.iter().enumerate() {
                let mut whole = [0; 16];
                whole[..8].copy_from_slice(vector);
                state.set(&format!("xmm{i}"), &whole);
            }
            self.set_extended_state(thread, &state)?;
        }
        let id =
            self.arm(super::ProcessId(pid), back, crate::When::Before, crate::Owner::Person)?;
        let held = self.thread_mut(tid)?.signal.take();
        self.thread_mut(tid)?.at_point = None;
        self.put_registers(tid, registers)?;
        let result = self.run_call(tid, sp.wrapping_add(8), back);
        let dropped = self.drop_frames(tid, sp.saturating_sub(INJECTED_DEPTH), sp.wrapping_add(8));
        self.expect_no_return(pid, back)?;
        self.disarm(super::ProcessId(pid), id)?;
        dropped?;
        let t = self.thread_mut(tid)?;
        t.registers = Some(saved);
        t.registers_changed = true;
        t.at_point = at_point;
        t.signal = held.map(|mut h| {
            h.moved = true;
            h
        });
        sys::set_xstate(tid, &vectors)
            .map_err(|e| Error::system("cannot restore vector registers", e))?;
        result
    }

    fn results(&self, thread: ThreadId, registers: &Registers) -> Result<Results> {
        Ok(Results {
            words: [registers.raw.rax, registers.raw.rdx],
            vectors: [self.vector_register(thread, 0)?, self.vector_register(thread, 1)?],
            x87: self.x87_top(thread)?.to_vec(),
        })
    }

    fn run_call(&mut self, tid: pid_t, sp: u64, back: u64) -> Result<Results> {
        self.go(tid)?;
        let mut kept = Vec::new();
        let outcome = loop {
            let stop = match self.wait() {
                Ok(stop) => stop,
                Err(e) => break Err(e),
            };
            if matches!(stop.reason, Reason::Interrupted) {
                break Err(Error::new(
                    ErrorKind::Expression,
                    "the called function was interrupted",
                ));
            }
            if stop.thread.0 != tid {
                kept.push(stop);
                continue;
            }
            match stop.reason {
                Reason::Points { address, .. } if address == back => {
                    let registers = self.raw_registers(tid)?;
                    if registers.sp() == sp {
                        break self.results(ThreadId(tid), &registers);
                    }
                    self.go(tid)?;
                }
                Reason::Signal(signal) => {
                    break Err(Error::new(
                        ErrorKind::Expression,
                        format!("the called function was stopped by signal {signal}"),
                    ));
                }
                Reason::Exited(_) => {
                    self.queue.push_back(stop);
                    break Err(Error::new(ErrorKind::Gone, "the program ended during the call"));
                }
                _ => self.go(tid)?,
            }
        };
        for stop in kept.into_iter().rev() {
            self.queue.push_front(stop);
        }
        outcome
    }
}

impl Registers {
    /// Undoes the kernel's bookkeeping for an interrupted system call, so that the call is made
    /// again from the start when the thread goes on with these registers.
    pub(crate) fn restart_syscall(&mut self) {
        // The kernel's private “restart me” results.
        const RESTART: [i64; 4] = [-512, -513, -514, -516];
        if self.raw.orig_rax as i64 >= 0 && RESTART.contains(&(self.raw.rax as i64)) {
            self.raw.rax = self.raw.orig_rax;
            self.raw.rip = self.raw.rip.wrapping_sub(2);
        }
        self.raw.orig_rax = u64::MAX;
    }
}
