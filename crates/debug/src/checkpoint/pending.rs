//! Signals that were sent and wait to be delivered, to the process or to one of its threads.

use libc::pid_t;

use crate::error::{Error, Result};
use crate::sys::{self, SignalInfo};
use crate::tracer::Tracer;

/// The signals that wait, in their order, each as the kernel describes it.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Pending {
    process: Vec<SignalInfo>,
    threads: Vec<(pid_t, Vec<SignalInfo>)>,
}

impl Pending {
    /// These, and those of `now` that have come since, while the program was stopped. Not the one that
    /// ends a stop by job control, which was ours, nor faults, which somebody's code in it had.
    pub(super) fn with_news(&self, now: &Pending) -> Pending {
        let joined = |then: &[SignalInfo], now: &[SignalInfo]| {
            let is_ours = |s: &SignalInfo| number(s) == libc::SIGCONT as u64 || is_fault(s);
            let is_new = |s: &&SignalInfo| !is_ours(s) && !then.contains(s);
            then.iter().chain(now.iter().filter(is_new)).copied().collect()
        };
        let of = |tid: pid_t| now.threads.iter().find(|(t, _)| *t == tid).map(|(_, s)| &s[..]);
        Pending {
            process: joined(&self.process, &now.process),
            threads: self
                .threads
                .iter()
                .map(|(tid, then)| (*tid, joined(then, of(*tid).unwrap_or_default())))
                .collect(),
        }
    }
}

/// Its number.
fn number(signal: &SignalInfo) -> u64 {
    u32::from_ne_bytes([signal[0], signal[1], signal[2], signal[3]]).into()
}

/// Its bit in a mask.
pub(super) fn bit(signal: &SignalInfo) -> u64 {
    1 << (number(signal) - 1)
}

/// Whether the kernel sent it because of something the thread did.
pub(super) fn is_fault(signal: &SignalInfo) -> bool {
    const FAULTS: [libc::c_int; 6] =
        [libc::SIGTRAP, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGSYS];
    let code = i32::from_ne_bytes([signal[8], signal[9], signal[10], signal[11]]);
    code > 0 && FAULTS.contains(&(number(signal) as libc::c_int))
}

/// The pending signals, except those that cannot be taken.
fn waiting(tid: pid_t, of_process: bool) -> Result<Vec<SignalInfo>> {
    let mut all = sys::pending_signals(tid, of_process)
        .map_err(|e| Error::system("cannot read the pending signals", e))?;
    all.retain(|signal| ![libc::SIGKILL as u64, libc::SIGSTOP as u64].contains(&number(signal)));
    Ok(all)
}

impl Tracer {
    /// Those of a process with these threads, which are stopped.
    pub(super) fn pending_signals(&self, threads: &[pid_t]) -> Result<Pending> {
        let Some(first) = threads.first() else { return Ok(Pending::default()) };
        let mut pending = Pending { process: waiting(*first, true)?, threads: Vec::new() };
        for tid in threads {
            pending.threads.push((*tid, waiting(*tid, false)?));
        }
        Ok(pending)
    }

    /// Makes these wait again, and no others.
    pub(super) fn put_pending_back(&mut self, pid: pid_t, then: &Pending) -> Result<()> {
        let threads: Vec<pid_t> = then.threads.iter().map(|(tid, _)| *tid).collect();
        let now = self.pending_signals(&threads)?;
        let Some(first) = threads.first().filter(|_| now != *then) else { return Ok(()) };
        // A thread takes its own first.
        for (tid, signals) in &now.threads {
            self.take_signals(*tid, signals)?;
        }
        self.take_signals(*first, &now.process)?;
        for (tid, signals) in &then.threads {
            for signal in signals {
                let to = [pid as u64, *tid as u64, number(signal)];
                self.send_again(*tid, libc::SYS_rt_tgsigqueueinfo, &to, signal)?;
            }
        }
        for signal in &then.process {
            let to = [pid as u64, number(signal)];
            self.send_again(*first, libc::SYS_rt_sigqueueinfo, &to, signal)?;
        }
        Ok(())
    }

    /// Has a thread take signals that wait for it, without their handlers.
    fn take_signals(&mut self, tid: pid_t, signals: &[SignalInfo]) -> Result<()> {
        for signal in signals {
            // The set of signals, and how long to wait for one.
            let mut wanted = [0; 24];
            wanted[..8].copy_from_slice(&bit(signal).to_ne_bytes());
            self.with_room(tid, &mut wanted, |tracer, room| {
                let args = [room, 0, room + 8, 8, 0, 0];
                // One that is gone already need not be taken.
                tracer.inject(tid, libc::SYS_rt_sigtimedwait, args).map(|done| done.result)
            })?;
        }
        Ok(())
    }

    /// Has a thread send a signal as it was sent before.
    fn send_again(
        &mut self,
        tid: pid_t,
        call: libc::c_long,
        to: &[u64],
        signal: &SignalInfo,
    ) -> Result<()> {
        let mut info = *signal;
        self.with_room(tid, &mut info, |tracer, room| {
            let mut args = [0; 6];
            args[..to.len()].copy_from_slice(to);
            args[to.len()] = room;
            tracer.syscall(tid, call, args)
        })
    }
}
