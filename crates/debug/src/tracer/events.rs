//! What each wait result means.

use std::time::{Duration, Instant};

use libc::{c_int, pid_t};

use super::sleep::Sleeper;
use super::{
    ExitStatus, Follow, Held, Origin, ProcessId, Reason, Role, State, Stop, Thread, ThreadId,
    Tracer, ignore_gone, is_zombie, signal_bit,
};
use crate::error::{Error, ErrorKind, Result};
use crate::point::{CallId, Hit, Phase, PointId, When};
use crate::proc;
use crate::space::{INT3, Space};
use crate::sys;

/// Stops at a return address with no call in flight before its breakpoint is taken out.
const IDLE_RETURNS: u32 = 16;

impl Tracer {
    pub(crate) fn on_status(&mut self, tid: pid_t, status: c_int) -> Result<()> {
        let result = if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
            self.on_end(tid, status)
        } else if libc::WIFSTOPPED(status) {
            self.on_stop(tid, status)
        } else {
            Ok(())
        };
        match result {
            // Killed between its stop and our looking at it: its end will be told.
            Err(e) if e.is_gone() => Ok(()),
            other => other,
        }
    }

    fn on_end(&mut self, tid: pid_t, status: c_int) -> Result<()> {
        self.early.remove(&tid);
        self.images.remove(&tid);
        let Some(t) = self.threads.remove(&tid) else { return Ok(()) };
        if t.role == Role::Member {
            match tid == t.pid {
                true => self.collect_rest(t.pid),
                false => self.collect_begun(t.pid)?,
            }
        }
        self.queue.retain(|s| s.thread.0 != tid || matches!(s.reason, Reason::Exited(_)));
        let (pid, role) = (t.pid, t.role);
        self.forget_calls(pid, t.shadows);
        if role == Role::Borrower {
            return Ok(());
        }
        let process = ProcessId(pid);
        if tid == pid {
            self.threads.retain(|_, other| other.pid != pid || other.role == Role::Borrower);
            self.forget_process(pid);
            let reason = Reason::Exited(ExitStatus::from_wait(status));
            self.queue.push_back(Stop { thread: ThreadId(tid), process, reason });
        } else if self.thread_events {
            let reason = Reason::ThreadExited;
            self.queue.push_back(Stop { thread: ThreadId(tid), process, reason });
        }
        Ok(())
    }

    /// Forgets what is known of a process, which has ended.
    pub(crate) fn forget_process(&mut self, pid: pid_t) {
        self.spaces.remove(&pid);
        self.forget_checkpoints(pid);
        self.watches.remove(&pid);
        self.origins.remove(&pid);
        self.numbered.remove(&pid);
        self.queue.retain(|s| s.process.0 != pid);
    }

    fn on_stop(&mut self, tid: pid_t, status: c_int) -> Result<()> {
        let Some(t) = self.threads.get_mut(&tid) else {
            if status >> 16 == libc::PTRACE_EVENT_EXIT {
                // A kept thread that is killed with its process, which waits for it.
                let _ = sys::cont(tid, 0);
            } else if !self.images.contains(&tid) {
                self.early.insert(tid, status);
            }
            return Ok(());
        };
        t.state = State::Stopped;
        t.forget_registers();
        t.restrictions = None;
        // Any stop swallows an interrupt that was sent before it.
        t.interrupt_sent = false;
        let signal = libc::WSTOPSIG(status);
        if status >> 16 == 0 && self.on_stop_inside(tid, signal)? {
            return Ok(());
        }
        match status >> 16 {
            0 if signal == libc::SIGTRAP => self.on_trap(tid),
            0 if signal == libc::SIGTRAP | 0x80 => self.on_syscall_stop(tid),
            0 => self.on_signal(tid, signal),
            sys::EVENT_STOP => self.on_event_stop(tid, signal),
            libc::PTRACE_EVENT_CLONE | libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK => {
                self.on_birth(tid, status >> 16 == libc::PTRACE_EVENT_VFORK)
            }
            libc::PTRACE_EVENT_VFORK_DONE => {
                self.thread_mut(tid)?.in_vfork = false;
                self.lend_inside(tid, false)?;
                self.leave_kernel(tid)
            }
            libc::PTRACE_EVENT_EXEC => self.on_exec(tid),
            libc::PTRACE_EVENT_EXIT => self.on_last_exit(tid),
            _ => self.settle(tid),
        }
    }

    /// The answer to an interrupt, the first stop of a thread, or job control.
    fn on_event_stop(&mut self, tid: pid_t, signal: c_int) -> Result<()> {
        let t = self.thread_mut(tid)?;
        t.group_stop = signal != libc::SIGTRAP;
        self.step_outside(tid)?;
        if self.thread(tid)?.want_stop && self.has_event_underway(tid)? {
            // No second interrupt: it would overtake the signal again.
            return self.release_wanted(tid);
        }
        self.settle(tid)
    }

    /// Whether the thread has made its step, or has run into one of our traps, and has not met the signal
    /// yet: stops on request overtake signals.
    fn has_event_underway(&mut self, tid: pid_t) -> Result<bool> {
        let t = self.thread(tid)?;
        let (pid, is_stepping) = (t.pid, t.stepping);
        let before = self.fetch_registers(tid)?.pc().wrapping_sub(1);
        let watched = self.watches.get(&pid).is_some_and(|w| !w.is_empty());
        // A step that was overtaken would later look like a trap of the program's own, and kill it.
        if !is_stepping && !watched && !self.space(pid)?.sites.contains_key(&before) {
            return Ok(false);
        }
        let ours = signal_bit(libc::SIGTRAP) | if watched { signal_bit(libc::SIGSEGV) } else { 0 };
        Ok(pending_signals(tid) & ours != 0)
    }

    /// The breakpoint a thread has run into, where that can be told from its program counter alone:
    /// right behind the breakpoint there is no other instruction, so nothing but the breakpoint
    /// brings a thread there, and a trap that somebody sent finds it elsewhere.
    fn certain_site(&mut self, tid: pid_t) -> Result<Option<u64>> {
        let address = self.fetch_registers(tid)?.pc().wrapping_sub(1);
        let t = self.thread(tid)?;
        let is_watched = self.watches.get(&t.pid).is_some_and(|w| !w.is_empty());
        if t.stepping || is_watched {
            return Ok(None);
        }
        let site = self.space(t.pid)?.sites.get(&address);
        Ok(site.filter(|s| s.displaced.is_alone(address, s.original)).map(|_| address))
    }

    fn on_trap(&mut self, tid: pid_t) -> Result<()> {
        if let Some(address) = self.certain_site(tid)? {
            let mut registers = self.fetch_registers(tid)?;
            registers.set_pc(address);
            self.put_registers(tid, registers)?;
            return self.on_site(tid, address);
        }
        let info = sys::get_siginfo(tid)
            .map_err(|e| Error::system(format!("cannot ask why thread {tid} stopped"), e))?;
        let mut registers = self.fetch_registers(tid)?;
        let pid = self.thread(tid)?.pid;
        match info.si_code {
            sys::SI_KERNEL => {
                let address = registers.pc().wrapping_sub(1);
                let space = self.space(pid)?;
                if space.sites.contains_key(&address) {
                    registers.set_pc(address);
                    self.put_registers(tid, registers)?;
                    return self.on_site(tid, address);
                }
                let mut byte = [0];
                if sys::read_process(pid, address, &mut byte).is_ok() && byte[0] != INT3 {
                    // The breakpoint was taken out after the thread had run into it.
                    registers.set_pc(address);
                    self.put_registers(tid, registers)?;
                    return self.settle(tid);
                }
                // The program's own int3. If we moved it, show the place it came from.
                if let Some(copy) = space.copy_at(address) {
                    registers.set_pc(copy.next);
                    self.put_registers(tid, registers)?;
                }
                self.pass_signal_on(tid, libc::SIGTRAP, info)
            }
            libc::TRAP_TRACE | libc::TRAP_BRKPT | sys::TRAP_HWBKPT => {
                if self.on_debug_trap(tid, info.si_code)? {
                    return Ok(());
                }
                if self.thread(tid)?.stepping {
                    let logical = self.space(pid)?.logical_pc(registers.pc());
                    if logical != registers.pc() {
                        registers.set_pc(logical);
                        self.put_registers(tid, registers)?;
                    }
                    return self.tell(tid, Reason::Step);
                }
                let is_ours = match info.si_code {
                    sys::TRAP_HWBKPT => true,
                    libc::TRAP_BRKPT => !self.is_own_trap(tid)?,
                    _ => false,
                };
                if is_ours {
                    // A debug register that was released after it had fired.
                    return self.settle(tid);
                }
                self.pass_signal_on(tid, libc::SIGTRAP, info)
            }
            _ => self.pass_signal_on(tid, libc::SIGTRAP, info),
        }
    }

    pub(crate) fn put_registers(&mut self, tid: pid_t, registers: crate::Registers) -> Result<()> {
        let t = self.thread_mut(tid)?;
        t.registers = Some(registers);
        t.registers_changed = true;
        Ok(())
    }

    /// The thread arrived at one of our addresses; its program counter is there already.
    pub(crate) fn on_site(&mut self, tid: pid_t, address: u64) -> Result<()> {
        self.collect_begun(self.thread(tid)?.pid)?;
        let registers = self.fetch_registers(tid)?;
        let sp = registers.sp();
        let t = self.thread_mut(tid)?;
        t.at_point = Some(address);
        let pid = t.pid;
        if t.redo.take() == Some((address, sp)) || t.role == Role::Borrower {
            return self.settle(tid);
        }
        let mut hits = Vec::new();
        let (internal, is_shared) = match self.space(pid)?.sites.get(&address) {
            Some(site) => (site.internal.clone(), !site.points.is_empty()),
            None => return self.settle(tid),
        };
        if internal.thread_end && !is_shared && self.keep_if_ending(tid)? {
            return Ok(());
        }
        if internal.is_return {
            self.on_return(tid, address, sp, &mut hits)?;
        }
        if internal.libraries {
            let maps = crate::maps::read(pid)?;
            let mapped = |a: u64| maps.iter().any(|m| m.contains(a) && m.is_executable());
            self.space_mut(pid)?.forget_unmapped(mapped);
            if let Some(watches) = self.watches.get_mut(&pid) {
                watches.forget_unmapped(|page| maps.iter().any(|m| m.contains(page)));
            }
        }
        if internal.unwound {
            self.drop_caught(tid, sp)?;
        }
        if internal.landing {
            self.on_landing(tid, &registers)?;
        }
        if internal.long_jump {
            self.on_long_jump(tid, &registers)?;
        }
        self.on_points(tid, address, sp, &mut hits)?;
        if internal.libraries && hits.is_empty() {
            return self.tell(tid, Reason::Libraries);
        }
        if hits.is_empty() {
            return self.settle(tid);
        }
        self.tell(tid, Reason::Points { address, hits })
    }

    /// Fires the points armed at the address; notes the call if somebody waits for its return.
    fn on_points(&mut self, tid: pid_t, address: u64, sp: u64, hits: &mut Vec<Hit>) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        let space = self.space(pid)?;
        let Some(site) = space.sites.get(&address) else { return Ok(()) };
        let mut waiting: Vec<PointId> = Vec::new();
        let mut entered: Vec<Hit> = Vec::new();
        for id in &site.points {
            let Some(point) = space.points.get(id) else { continue };
            match point.when {
                When::Before => hits.push(Hit {
                    point: *id,
                    owner: point.owner,
                    phase: Phase::Before,
                    call: None,
                }),
                When::After => waiting.push(*id),
                When::AfterWithEntry => {
                    waiting.push(*id);
                    entered.push(Hit {
                        point: *id,
                        owner: point.owner,
                        phase: Phase::Entered,
                        call: None,
                    });
                }
            }
        }
        if waiting.is_empty() {
            return Ok(());
        }
        let call = CallId(self.next_call);
        self.next_call += 1;
        self.on_call(tid, address, sp, call, waiting)?;
        hits.extend(entered.into_iter().map(|h| Hit { call: Some(call), ..h }));
        Ok(())
    }

    /// The thread stands at an address calls return to.
    fn on_return(&mut self, tid: pid_t, address: u64, sp: u64, hits: &mut Vec<Hit>) -> Result<()> {
        let returned = self.take_returned(tid, address, sp)?;
        let pid = self.thread(tid)?.pid;
        let space = self.space_mut(pid)?;
        if returned.is_empty() {
            if let Some(site) = space.sites.get_mut(&address)
                && site.internal.returns == 0
            {
                site.internal.idle += 1;
                if site.internal.idle > IDLE_RETURNS {
                    site.internal.is_return = false;
                    space.release(address)?;
                }
            }
            return Ok(());
        }
        if let Some(site) = space.sites.get_mut(&address) {
            site.internal.idle = 0;
        }
        // Innermost first: that is the order in which the functions ended.
        let mut redo = None;
        for pending in &returned {
            redo = redo.or(pending.again);
            for id in &pending.points {
                if let Some(point) = space.points.get(id) {
                    hits.push(Hit {
                        point: *id,
                        owner: point.owner,
                        phase: Phase::After,
                        call: Some(pending.call),
                    });
                }
            }
        }
        if redo.is_some() {
            self.thread_mut(tid)?.redo = redo;
        }
        Ok(())
    }

    fn on_signal(&mut self, tid: pid_t, signal: c_int) -> Result<()> {
        let info = match sys::get_siginfo(tid) {
            Ok(info) => info,
            // Not a signal after all but a stop by job control, seen in the old way.
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => return self.settle(tid),
            Err(e) => return Err(Error::system("cannot read a signal's details", e)),
        };
        if signal == libc::SIGSEGV && self.on_protected_access(tid, &info)? {
            return Ok(());
        }
        if !self.on_fault_inside(tid, signal, &info)? && self.step_outside(tid)? {
            self.thread_mut(tid)?.signal = Some(Held { signal, info, moved: true });
            return self.tell_or_pass(tid, signal);
        }
        let mut registers = self.fetch_registers(tid)?;
        let pid = self.thread(tid)?.pid;
        let copy = self.space(pid)?.copy_at(registers.pc()).cloned();
        if let Some(copy) = copy {
            let pc = registers.pc();
            let has_pages = self.watches.get(&pid).is_some_and(|w| w.needs_syscall_stops());
            let fault =
                matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL)
                    && info.si_code > 0;
            if copy.back.is_some_and(|b| pc >= copy.at + b as u64) {
                // Already executed: the signal arrives after the instruction.
                registers.set_pc(copy.next);
                self.put_registers(tid, registers)?;
            } else if fault || copy.is_syscall || has_pages {
                // The instruction will be tried again where it belongs; that is not a new event. (It
                // could touch a page we protected if it were stepped.)
                registers.set_pc(copy.original);
                self.put_registers(tid, registers)?;
                let t = self.thread_mut(tid)?;
                t.again = Some((copy.original, registers.sp()));
            } else {
                self.step_out_of_copy(tid, false)?;
                let t = self.thread_mut(tid)?;
                t.signal = Some(Held { signal, info, moved: true });
                return self.tell_or_pass(tid, signal);
            }
        }
        self.pass_signal_on(tid, signal, info)
    }

    fn pass_signal_on(&mut self, tid: pid_t, signal: c_int, info: libc::siginfo_t) -> Result<()> {
        self.thread_mut(tid)?.signal = Some(Held { signal, info, moved: false });
        self.tell_or_pass(tid, signal)
    }

    fn tell_or_pass(&mut self, tid: pid_t, signal: c_int) -> Result<()> {
        self.collect_begun(self.thread(tid)?.pid)?;
        let stops = (self.told_signals | self.watched_signals) & signal_bit(signal) != 0;
        if stops && self.thread(tid)?.role == Role::Member {
            return self.tell(tid, Reason::Signal(signal));
        }
        self.settle(tid)
    }

    /// Finishes the copied instruction with all signals blocked, so that a signal finds the
    /// thread in the program's own code. `is_told` says whether what the instruction does to watched
    /// memory was told before.
    pub(crate) fn step_out_of_copy(&mut self, tid: pid_t, is_told: bool) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        let mask =
            sys::get_sigmask(tid).map_err(|e| Error::system("cannot read signal mask", e))?;
        sys::set_sigmask(tid, sys::ALL_BUT_TRAPS)
            .map_err(|e| Error::system("cannot set signal mask", e))?;
        let mut result = Ok(());
        // A repeated string instruction traps once per round.
        for _ in 0..1_000_000 {
            result = self.step_quietly(tid).map(drop);
            if result.is_ok() && !is_told {
                result = self.note_watched(tid);
            }
            if result.is_err() {
                break;
            }
            let mut registers = self.fetch_registers(tid)?;
            let pc = registers.pc();
            let space = self.space(pid)?;
            let logical = match space.copy_at(pc) {
                None => break,
                Some(copy) if copy.back.is_some_and(|b| pc >= copy.at + b as u64) => copy.next,
                Some(_) => continue,
            };
            registers.set_pc(logical);
            self.put_registers(tid, registers)?;
            break;
        }
        self.end_quiet(tid, mask)?;
        result
    }

    /// Lets one thread execute one instruction, with signals blocked meanwhile.
    pub(crate) fn step_alone(&mut self, tid: pid_t) -> Result<()> {
        let mask =
            sys::get_sigmask(tid).map_err(|e| Error::system("cannot read signal mask", e))?;
        sys::set_sigmask(tid, sys::ALL_BUT_TRAPS)
            .map_err(|e| Error::system("cannot set signal mask", e))?;
        let result = self.step_quietly(tid).map(drop);
        self.end_quiet(tid, mask)?;
        result
    }

    /// Signals are blocked as before quiet steps. A trap that somebody sent meanwhile comes now.
    pub(crate) fn end_quiet(&mut self, tid: pid_t, mask: u64) -> Result<()> {
        let _ = sys::set_sigmask(tid, mask);
        let t = self.thread_mut(tid)?;
        if std::mem::take(&mut t.trap_sent) {
            let _ = sys::thread_kill(t.pid, tid, libc::SIGTRAP);
        }
        Ok(())
    }

    /// Lets one thread execute one instruction and nothing else; signals must be blocked.
    pub(crate) fn step_quietly(&mut self, tid: pid_t) -> Result<Quiet> {
        self.step_quietly_while(tid, &mut || ())
    }

    /// As [`Tracer::step_quietly`], and does something before waiting for the thread.
    pub(crate) fn step_quietly_while(
        &mut self,
        tid: pid_t,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Quiet> {
        self.flush_registers(tid)?;
        loop {
            sys::single_step(tid, 0).map_err(|e| Error::system("cannot step a thread", e))?;
            meanwhile();
            let status = self.wait_thread(tid)?;
            if !libc::WIFSTOPPED(status) {
                self.deferred.push_back((tid, status));
                return Err(Error::new(ErrorKind::Gone, format!("thread {tid} ended")));
            }
            match (status >> 16, libc::WSTOPSIG(status)) {
                (0, libc::SIGTRAP) if sys::get_siginfo(tid).is_ok_and(|i| i.si_code <= 0) => {
                    // Sent by somebody, and met before the instruction.
                    self.thread_mut(tid)?.trap_sent = true;
                }
                (0, libc::SIGTRAP) => return Ok(Quiet::Stepped),
                (0, libc::SIGSTOP) => {
                    // Cannot be blocked: let it come again later.
                    let pid = self.thread(tid)?.pid;
                    let _ = sys::thread_kill(pid, tid, libc::SIGSTOP);
                    let t = self.thread_mut(tid)?;
                    t.group_stop = false;
                }
                (0, signal) => {
                    // A fault of the instruction itself.
                    self.deferred.push_back((tid, status));
                    return Err(Error::new(
                        ErrorKind::Memory,
                        format!("signal {signal} while stepping"),
                    ));
                }
                (sys::EVENT_STOP, signal) => {
                    let t = self.thread_mut(tid)?;
                    t.interrupt_sent = false;
                    t.group_stop = signal != libc::SIGTRAP;
                }
                (libc::PTRACE_EVENT_EXIT, _) => {
                    // Killed; it ends when its status is dealt with.
                    self.deferred.push_back((tid, status));
                    return Err(Error::new(ErrorKind::Gone, format!("thread {tid} ended")));
                }
                _ => return Ok(Quiet::Inside),
            }
        }
    }

    pub(crate) fn wait_thread(&mut self, tid: pid_t) -> Result<c_int> {
        let is_leader = self.threads.get(&tid).is_some_and(|t| t.pid == tid);
        let Tracer { patience_with_one, sleeper, .. } = self;
        loop {
            let wait = |sleep| match sleep {
                true if is_leader => wait_for_leader(tid, sleeper),
                true => sys::wait_for(tid, 0),
                false => sys::wait_for(tid, libc::WNOHANG),
            };
            match patience_with_one.wait(wait) {
                Ok(Some((_, status))) => return Ok(status),
                Ok(None) => {}
                Err(e) if e.raw_os_error() == Some(libc::EINTR) => {}
                Err(e) if e.raw_os_error() == Some(libc::ESRCH) => {
                    return Err(Error::new(ErrorKind::Gone, format!("thread {tid} ended")));
                }
                Err(e) => return Err(Error::system(format!("cannot wait for thread {tid}"), e)),
            }
        }
    }

    /// A thread or process was born: threads join, children are followed or set free.
    fn on_birth(&mut self, tid: pid_t, is_vfork: bool) -> Result<()> {
        let child = sys::event_message(tid)
            .map_err(|e| Error::system("cannot learn of a new thread", e))?
            as pid_t;
        let parent_pid = self.thread(tid)?.pid;
        let parent_role = self.thread(tid)?.role;
        if is_vfork {
            self.thread_mut(tid)?.in_vfork = true;
        }
        self.collect_begun(parent_pid)?;
        let status = match self.early.remove(&child) {
            Some(status) => status,
            None => self.wait_thread(child).unwrap_or(0),
        };
        if !libc::WIFSTOPPED(status) {
            // It was killed before it ever ran.
            return self.leave_kernel(tid);
        }
        if thread_group(child) == Some(parent_pid) {
            let mut t = Thread::new(parent_pid, State::Stopped);
            t.role = parent_role;
            self.enter(child, t);
            self.greet_inside(parent_pid, child)?;
            if self.thread_events {
                self.tell(child, Reason::ThreadStarted)?;
            } else if !self.stopping {
                self.go(child)?;
            }
        } else if sys::share_memory(tid, child) {
            if self.follow == Follow::Parent {
                self.let_go += 1;
            }
            let mut t = Thread::new(parent_pid, State::Stopped);
            t.role = Role::Borrower;
            self.threads.insert(child, t);
            match is_vfork {
                true => self.lend_inside(tid, true)?,
                // Both run with one thread pointer.
                false => self.leave_inside(parent_pid)?,
            }
            self.go(child)?;
        } else {
            self.on_fork(tid, child)?;
        }
        self.leave_kernel(tid)
    }

    fn on_fork(&mut self, parent_tid: pid_t, child: pid_t) -> Result<()> {
        let parent = self.thread(parent_tid)?.pid;
        if self.follow == Follow::Parent {
            self.let_go += 1;
        }
        let space = self.space(parent)?;
        if self.follow == Follow::Parent {
            let cleaned = space.clean_copy(child);
            self.unprotect_child(parent, child)?;
            ignore_gone(sys::detach(child, 0), "cannot let a child process go")?;
            return cleaned;
        }
        let copy = space.fork(child)?;
        self.spaces.insert(child, copy);
        let origin = self.origins.get(&parent).copied().unwrap_or(Origin::Attached);
        self.origins.insert(child, origin);
        let mut t = Thread::new(child, State::Stopped);
        // The child is in the middle of the same calls as the thread that forked.
        t.shadows = self.thread(parent_tid)?.shadows.clone();
        for pending in t.shadows.iter().flat_map(|s| &s.calls) {
            if let Some(site) = self.space_mut(child)?.sites.get_mut(&pending.ret) {
                site.internal.returns += 1;
            }
        }
        self.enter(child, t);
        self.fork_watches(parent, child)?;
        self.tell(child, Reason::Forked { parent: ProcessId(parent), by: ThreadId(parent_tid) })
    }

    fn on_exec(&mut self, tid: pid_t) -> Result<()> {
        let t = self.thread(tid)?;
        let (pid, role) = (t.pid, t.role);
        if role == Role::Borrower {
            self.threads.remove(&tid);
            if self.follow == Follow::Parent {
                return ignore_gone(sys::detach(tid, 0), "cannot let a child process go");
            }
            let origin = self.origins.get(&pid).copied().unwrap_or(Origin::Attached);
            self.origins.insert(tid, origin);
            self.adopt(tid)?;
            return self.tell(tid, Reason::Executed);
        }
        // All other threads are gone without further notice; this one has the leader's number.
        self.collect_rest(pid);
        self.threads.retain(|_, other| other.pid != pid || other.role == Role::Borrower);
        self.queue.retain(|s| s.process.0 != pid);
        self.adopt(pid)?;
        self.tell(pid, Reason::Executed)
    }

    /// Starts afresh with a process that has just executed a program.
    pub(crate) fn adopt(&mut self, pid: pid_t) -> Result<()> {
        // It still stands inside the kernel's exec; let that finish, up to the first instruction.
        let finish = sys::interrupt(pid).and_then(|()| sys::cont(pid, 0));
        finish.map_err(|e| Error::system("cannot finish an exec", e))?;
        let status = self.wait_thread(pid)?;
        if !libc::WIFSTOPPED(status) {
            self.deferred.push_back((pid, status));
        }
        self.forget_checkpoints(pid);
        self.spaces.insert(pid, Space::open(pid)?);
        self.watches.remove(&pid);
        self.numbered.remove(&pid);
        self.enter(pid, Thread::new(pid, State::Stopped));
        Ok(())
    }
}

/// Waits for the first thread of a process. If it was killed, that is told only when the end of all
/// others has been asked for; whoever waits for this one then would wait for ever.
fn wait_for_leader(tid: pid_t, sleeper: &mut Sleeper) -> std::io::Result<Option<(pid_t, c_int)>> {
    /// Others have something to tell that is not asked for now; as long this one is waited for alone.
    const PATIENCE: Duration = Duration::from_millis(2);
    loop {
        if let Some(found) = sys::wait_for(tid, libc::WNOHANG)? {
            return Ok(Some(found));
        }
        if is_zombie(tid) {
            return Err(std::io::Error::from_raw_os_error(libc::ESRCH));
        }
        if sys::await_any()? != tid {
            let end = Instant::now() + PATIENCE;
            if let Some(found) = sleeper.wait(tid, 0, Some(end), || false)? {
                return Ok(Some(found));
            }
        }
    }
}

/// Signals sent to this thread that it has not met yet.
fn pending_signals(tid: pid_t) -> u64 {
    signal_set(tid, "SigPnd:")
}

/// Whether the program has a handler for the signal.
pub(super) fn is_caught(tid: pid_t, signal: c_int) -> bool {
    signal_set(tid, "SigCgt:") & signal_bit(signal) != 0
}

/// A set of signals, as the kernel tells it.
fn signal_set(tid: pid_t, name: &str) -> u64 {
    let status = proc::text(tid, "status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix(name));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).unwrap_or(0)
}

/// How far [`Tracer::step_quietly`] got.
pub(crate) enum Quiet {
    /// The instruction is done.
    Stepped,
    /// The thread stopped inside the system call, at the birth of a child.
    Inside,
}

/// The process a kernel task belongs to.
pub(crate) fn thread_group(tid: pid_t) -> Option<pid_t> {
    let status = proc::text(tid, "status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("Tgid:"))?.trim().parse().ok()
}
