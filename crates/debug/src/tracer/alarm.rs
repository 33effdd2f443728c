//! Waking this thread at a given time, so that it can wait for the program until then.

use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::sys;

/// The signal may come just before the tracer enters its wait: it is repeated this often.
const AGAIN: Duration = Duration::from_millis(1);

/// Interrupts blocking calls of the thread that made it.
#[derive(Debug)]
pub(super) struct Alarm {
    timer: sys::Timer,
    /// When it will go off.
    set: Option<Instant>,
}

impl Alarm {
    /// For the calling thread. The signal must have a handler.
    pub fn for_this_thread(signal: libc::c_int) -> Result<Alarm> {
        let timer = sys::Timer::for_this_thread(signal);
        let timer = timer.map_err(|e| Error::system("cannot make a timer", e))?;
        Ok(Alarm { timer, set: None })
    }

    /// Goes off at this time, and again and again until it is set anew.
    pub fn set(&mut self, end: Option<Instant>) -> Result<()> {
        if self.set == end {
            return Ok(());
        }
        let least = Duration::from_nanos(1);
        let left = end.map(|end| end.saturating_duration_since(Instant::now()).max(least));
        let set = self.timer.set(left.unwrap_or_default(), AGAIN);
        set.map_err(|e| Error::system("cannot set a timer", e))?;
        self.set = end;
        Ok(())
    }
}
