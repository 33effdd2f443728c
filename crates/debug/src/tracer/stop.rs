//! Why a thread stopped.

use crate::point::Hit;
use crate::tracer::{ProcessId, ThreadId};
use crate::watch::WatchHit;

/// A thread that stopped. Only this thread is held; the others run on.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The thread. For [`Reason::Exited`] it is gone already.
    pub thread: ThreadId,
    /// Its process.
    pub process: ProcessId,
    /// Why it stopped.
    pub reason: Reason,
}

/// The reason of a [`Stop`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// Points fired at one address: all of them, whoever owns them.
    Points {
        /// Where the thread stands.
        address: u64,
        /// The points, returns first, then in the order they were armed.
        hits: Vec<Hit>,
    },
    /// Watched memory was accessed.
    Watch {
        /// The watchpoints, whoever owns them.
        hits: Vec<WatchHit>,
    },
    /// A signal is about to be delivered, one that [`Tracer::tell_signal`] named.
    ///
    /// [`Tracer::tell_signal`]: crate::Tracer::tell_signal
    Signal(i32),
    /// One instruction was executed on request.
    Step,
    /// An [`Interrupter`](crate::Interrupter) asked for it. All threads are stopped.
    Interrupted,
    /// A followed child process exists now; this is its only thread.
    Forked {
        /// The process that forked.
        parent: ProcessId,
        /// Its thread that did.
        by: ThreadId,
    },
    /// The process executes another program now. Its points and watchpoints are gone.
    Executed,
    /// The dynamic linker is about to load or unload libraries, or has done so (it announces
    /// both); nothing of a new library has run yet. Points in unloaded ones are gone.
    Libraries,
    /// Events were written down inside a process, which does not wait: [`Tracer::take_records`] has them.
    ///
    /// [`Tracer::take_records`]: crate::Tracer::take_records
    Recorded,
    /// The first thread of a process with trampolines is about to end, alone or with the whole process,
    /// whose memory can be read once more.
    Ending,
    /// A thread began (only when asked for).
    ThreadStarted,
    /// A thread ended (only when asked for); it is gone already.
    ThreadExited,
    /// The process ended.
    Exited(ExitStatus),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// It exited with this status.
    Code(i32),
    /// It was killed by this signal.
    Signal(i32),
}

impl ExitStatus {
    pub(crate) fn from_wait(status: i32) -> ExitStatus {
        if libc::WIFSIGNALED(status) {
            ExitStatus::Signal(libc::WTERMSIG(status))
        } else {
            ExitStatus::Code(libc::WEXITSTATUS(status))
        }
    }

    /// The status as a shell shows it: 128 plus the signal number for a killed program.
    pub fn shell_code(self) -> i32 {
        match self {
            ExitStatus::Code(code) => code,
            ExitStatus::Signal(signal) => 128 + signal,
        }
    }
}
