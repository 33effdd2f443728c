//! Waking a tracer that waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use libc::pid_t;

use crate::error::{Error, Result};
use crate::sys;

/// Makes a waiting tracer return [`Reason::Interrupted`](crate::Reason::Interrupted), from any
/// thread.
#[derive(Clone, Debug)]
pub struct Interrupter {
    pid: pid_t,
    tid: pid_t,
    asked: Arc<AtomicBool>,
    /// Whether the program runs, so that there is something to interrupt.
    heeded: Arc<AtomicBool>,
}

extern "C" fn nothing(_: libc::c_int) {}

pub(super) fn wake_signal() -> libc::c_int {
    libc::SIGRTMAX() - 2
}

impl Interrupter {
    pub(super) fn for_this_thread() -> Result<Interrupter> {
        // SAFETY: the action is fully initialised (zeroed, then its handler set to a function
        // that does nothing), so installing it cannot break any invariant of this process. No
        // SA_RESTART: the point is that a blocking wait returns.
        let r = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = nothing as *const () as usize;
            libc::sigaction(wake_signal(), &action, std::ptr::null_mut())
        };
        if r != 0 {
            return Err(Error::system(
                "cannot install a wake-up signal",
                std::io::Error::last_os_error(),
            ));
        }
        Ok(Interrupter {
            pid: sys::own_pid(),
            tid: sys::own_tid(),
            asked: Arc::new(AtomicBool::new(false)),
            heeded: Arc::new(AtomicBool::new(false)),
        })
    }

    /// Asks for the interruption and returns when the tracer has noticed, or after a second.
    pub fn interrupt(&self) {
        self.asked.store(true, Ordering::SeqCst);
        // The signal may come just before the tracer enters its wait: repeat until noticed.
        for _ in 0..1000 {
            if !self.asked.load(Ordering::SeqCst) {
                return;
            }
            let _ = sys::thread_kill(self.pid, self.tid, wake_signal());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// As [`Interrupter::interrupt`], if the program runs; otherwise there is nothing to
    /// interrupt.
    pub fn interrupt_if_heeded(&self) {
        if self.heeded.load(Ordering::SeqCst) {
            self.interrupt();
        }
    }

    pub(super) fn heed(&self, yes: bool) {
        self.asked.store(false, Ordering::SeqCst);
        self.heeded.store(yes, Ordering::SeqCst);
    }

    pub(super) fn is_set(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    pub(super) fn take(&self) -> bool {
        self.asked.swap(false, Ordering::SeqCst)
    }
}
