//! A program has one tracer at a time: it is handed to criu stopped, without a trace of ours, and
//! taken back stopped.
//!
//! In between it is stopped as by job control, with all signals blocked: none is delivered, those
//! that come wait. What that changes is put right afterwards from what was saved before.

use std::time::{Duration, Instant};

use libc::pid_t;

use super::super::{SavedThread, pending, refused};
use crate::error::{Error, ErrorKind, Result};
use crate::sys;
use crate::tracer::{ProcessId, State, Tracer, ignore_gone, tasks};

/// How long threads have to stop.
const PATIENCE: Duration = Duration::from_secs(10);

impl Tracer {
    /// Lets go of a stopped process, so that it stays stopped. It dies with us all the same.
    pub(super) fn hand_over(&mut self, pid: pid_t) -> Result<()> {
        self.space(pid)?.clean();
        let tids: Vec<pid_t> = self.threads(ProcessId(pid)).iter().map(|t| t.0).collect();
        for &tid in &tids {
            self.clear_debug_registers(tid);
            sys::set_sigmask(tid, sys::ALL_BUT_TRAPS)
                .map_err(|e| Error::system("cannot set the signal mask", e))?;
        }
        sys::kill(pid, libc::SIGSTOP).map_err(|e| Error::system("cannot stop the program", e))?;
        for &tid in &tids {
            self.thread_mut(tid)?.forget_registers();
            ignore_gone(sys::detach(tid, 0), "cannot let go of a thread")?;
        }
        await_rest(&tids)
    }

    /// Traces a process again that is stopped by job control; afterwards it is stopped by us. Its
    /// threads are known already.
    pub(super) fn take_back(&mut self, pid: pid_t, threads: &[SavedThread]) -> Result<()> {
        let options = self.trace_options(pid);
        // criu lets go of a thread a moment before the thread stops.
        await_rest(&threads.iter().map(|t| t.tid).collect::<Vec<_>>())?;
        for tid in tasks(pid).map_err(|_| gone())? {
            if !threads.iter().any(|t| t.tid == tid) {
                return Err(Error::new(
                    ErrorKind::System,
                    format!("thread {tid} cannot be traced"),
                ));
            }
            sys::seize(tid, options)
                .map_err(|e| Error::system("cannot trace the program again", e))?;
        }
        // The end of the stop is told to every thread, which stops once more for that.
        let _ = sys::kill(pid, libc::SIGCONT);
        for saved in threads {
            let tid = saved.tid;
            let _ = sys::interrupt(tid);
            self.await_stop(tid)?;
            self.drop_faults(tid)?;
            let t = self.thread_mut(tid)?;
            t.state = State::Stopped;
            t.forget_registers();
            t.restrictions = None;
            t.interrupt_sent = false;
            t.want_stop = false;
            t.debug_registers = [0; 5];
            t.registers = Some(saved.registers);
            t.registers_changed = true;
            sys::set_xstate(tid, &saved.vectors)
                .map_err(|e| Error::system("cannot restore vector registers", e))?;
            sys::set_sigmask(tid, saved.mask)
                .map_err(|e| Error::system("cannot restore the signal mask", e))?;
        }
        Ok(())
    }

    /// Waits until a thread that was interrupted has stopped for that. Signals that it meets on its
    /// way are faults of criu's code in it, and nobody's.
    fn await_stop(&mut self, tid: pid_t) -> Result<()> {
        loop {
            let status = self.wait_thread(tid)?;
            if !libc::WIFSTOPPED(status) {
                self.deferred.push_back((tid, status));
                return Err(gone());
            }
            if (status >> 16, libc::WSTOPSIG(status)) == (sys::EVENT_STOP, libc::SIGTRAP) {
                return Ok(());
            }
            ignore_gone(sys::cont(tid, 0), "cannot continue a thread")?;
        }
    }

    /// If criu was killed amid its work, its code in the program may have run into a fault: has the
    /// thread meet it, and drops it.
    fn drop_faults(&mut self, tid: pid_t) -> Result<()> {
        let is_met = |mask: u64| {
            let waiting = sys::pending_signals(tid, false).unwrap_or_default();
            waiting.iter().any(|s| pending::is_fault(s) && mask & pending::bit(s) == 0)
        };
        while sys::get_sigmask(tid).is_ok_and(is_met) {
            ignore_gone(sys::cont(tid, 0), "cannot continue a thread")?;
            if !libc::WIFSTOPPED(self.wait_thread(tid)?) {
                return Err(gone());
            }
        }
        Ok(())
    }

    /// The signals that wait are those that waited, and those that came meanwhile.
    pub(super) fn put_lost_back(&mut self, pid: pid_t, then: &pending::Pending) -> Result<()> {
        let threads: Vec<pid_t> = self.threads(ProcessId(pid)).iter().map(|t| t.0).collect();
        let now = self.pending_signals(&threads)?;
        self.put_pending_back(pid, &then.with_news(&now))
    }

    /// A signal can only be handed to a thread that has just met one: those that hold one are
    /// brought to such a stop.
    pub(super) fn prepare_held_signals(&mut self, pid: pid_t) -> Result<()> {
        for thread in self.threads(ProcessId(pid)) {
            if self.thread(thread.0)?.signal.is_some() {
                self.inject(thread.0, libc::SYS_getpid, [0; 6])?;
            }
        }
        Ok(())
    }

    /// Has the kernel end the program if we end, however we do; gives what it did before.
    pub(super) fn die_with_us(&mut self, tid: pid_t, signal: u64) -> Result<u64> {
        let mut before = [0; 8];
        self.with_room(tid, &mut before, |tracer, room| {
            let args = [libc::PR_GET_PDEATHSIG as u64, room, 0, 0, 0, 0];
            tracer.syscall(tid, libc::SYS_prctl, args)
        })?;
        let args = [libc::PR_SET_PDEATHSIG as u64, signal, 0, 0, 0, 0];
        self.syscall(tid, libc::SYS_prctl, args)?;
        let [a, b, c, d, ..] = before;
        Ok(u32::from_ne_bytes([a, b, c, d]).into())
    }

    fn clear_debug_registers(&mut self, tid: pid_t) {
        let Some(t) = self.threads.get_mut(&tid) else { return };
        if std::mem::take(&mut t.debug_registers) != [0; 5] {
            for index in [7, 0, 1, 2, 3] {
                let _ = sys::set_debug_register(tid, index, 0);
            }
        }
    }
}

fn gone() -> Error {
    Error::new(ErrorKind::Gone, "the program was killed")
}

/// Waits until threads are stopped by job control.
fn await_rest(tids: &[pid_t]) -> Result<()> {
    let end = Instant::now() + PATIENCE;
    while !tids.iter().all(|tid| is_at_rest(*tid)) {
        if Instant::now() > end {
            return Err(refused("the program could not be stopped"));
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    Ok(())
}

/// Whether a thread is stopped by job control, or not there any more.
fn is_at_rest(tid: pid_t) -> bool {
    let Ok(stat) = crate::proc::text(tid, "stat") else { return true };
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['T', 'Z', 'X']))
}
