//! Sleeping until a thread of the program stops, somebody wants something, or a time has come.

use std::io;
use std::time::{Duration, Instant};

use libc::{c_int, pid_t};

use crate::error::{Error, Result};
use crate::{sys, wake};

/// A timer of the thread that made it, and when it will go off.
#[derive(Debug)]
struct Alarm {
    timer: sys::Timer,
    set: Option<Instant>,
}

/// Sleeps for the thread that made it.
#[derive(Debug, Default)]
pub(super) struct Sleeper {
    alarm: Option<Alarm>,
}

impl Sleeper {
    /// Waits for a thread (-1: any) as `waitpid` does, but not after `end`, and not if somebody wants
    /// something: `None` then, or after a signal. Whoever begins to want something sends this thread
    /// [`wake::signal`] afterwards.
    pub fn wait(
        &mut self,
        tid: pid_t,
        flags: c_int,
        end: Option<Instant>,
        is_wanted: impl Fn() -> bool,
    ) -> io::Result<Option<(pid_t, c_int)>> {
        self.set(end)?;
        wake::expect();
        if is_wanted() || end.is_some_and(|end| Instant::now() >= end) {
            return Ok(None);
        }
        match wake::wait(tid, flags) {
            Err(e) if e.raw_os_error() == Some(libc::EINTR) => Ok(None),
            other => other,
        }
    }

    /// The timer does not go off any more.
    pub fn rest(&mut self) -> Result<()> {
        self.set(None).map_err(|e| Error::system("cannot set a timer", e))
    }

    /// The timer goes off at this time and not before.
    fn set(&mut self, end: Option<Instant>) -> io::Result<()> {
        if self.alarm.as_ref().and_then(|a| a.set) == end {
            return Ok(());
        }
        if self.alarm.is_none() {
            wake::prepare()?;
            let timer = sys::Timer::for_this_thread(wake::signal())?;
            self.alarm = Some(Alarm { timer, set: None });
        }
        let Some(alarm) = &mut self.alarm else { return Ok(()) };
        // Zero would mean never.
        let least = Duration::from_nanos(1);
        let left = end.map(|end| end.saturating_duration_since(Instant::now()).max(least));
        alarm.timer.set(left.unwrap_or_default())?;
        alarm.set = end;
        Ok(())
    }
}
