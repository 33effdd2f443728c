//! Interrupting a tracer that waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use libc::pid_t;

use crate::error::{Error, Result};
use crate::{sys, wake};

/// An interruption is wanted.
const WANTED: u8 = 1;
/// The program runs, so that there is something to interrupt.
const HEEDED: u8 = 2;
/// One is wanted whenever the program is let go.
const LASTING: u8 = 4;

/// Makes a waiting tracer return [`Reason::Interrupted`](crate::Reason::Interrupted), from any
/// thread. It does not wait until that is so.
#[derive(Clone, Debug)]
pub struct Interrupter {
    pid: pid_t,
    tid: pid_t,
    state: Arc<AtomicU8>,
}

impl Interrupter {
    pub(super) fn for_this_thread() -> Result<Interrupter> {
        wake::prepare().map_err(|e| Error::system("cannot install a wake-up signal", e))?;
        Ok(Interrupter {
            pid: sys::own_pid(),
            tid: sys::own_tid(),
            state: Arc::new(AtomicU8::new(0)),
        })
    }

    /// Interrupts the wait that is underway, or else the next one.
    pub fn interrupt(&self) {
        self.want(WANTED);
    }

    /// As [`Interrupter::interrupt`], and again whenever the program is let go from now on.
    pub fn interrupt_for_good(&self) {
        self.want(LASTING | WANTED);
    }

    /// As [`Interrupter::interrupt`], if the program runs; otherwise there is nothing to
    /// interrupt.
    pub fn interrupt_if_heeded(&self) {
        let wanted = |state| (state & HEEDED != 0).then_some(state | WANTED);
        if self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, wanted).is_ok() {
            self.wake();
        }
    }

    /// An interruption that is wanted and has not come about is no longer wanted.
    pub fn forget(&self) {
        self.state.fetch_and(!WANTED, Ordering::SeqCst);
    }

    fn want(&self, what: u8) {
        self.state.fetch_or(what, Ordering::SeqCst);
        self.wake();
    }

    /// The tracer looks at what is wanted after it has begun to expect wake-ups: none is missed.
    fn wake(&self) {
        // A tracer that is gone waits for nothing.
        let _ = sys::thread_kill(self.pid, self.tid, wake::signal());
    }

    pub(super) fn heed(&self, yes: bool) {
        let next = |state: u8| {
            Some(match yes {
                true if state & LASTING != 0 => state | HEEDED | WANTED,
                true => state | HEEDED,
                // The program stands: whoever wanted that has it.
                false => state & LASTING,
            })
        };
        // It always has a next state, so this does not fail.
        let _ = self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
    }

    pub(super) fn is_set(&self) -> bool {
        self.state.load(Ordering::SeqCst) & WANTED != 0
    }

    pub(super) fn take(&self) -> bool {
        self.state.fetch_and(!WANTED, Ordering::SeqCst) & WANTED != 0
    }
}
