//! The interval timers of a process: only it can ask the kernel for them, and set them.

use libc::pid_t;

use crate::error::Result;
use crate::tracer::Tracer;

/// What the kernel knows of one: the period, and the time that is left.
type Timer = [u8; 32];

const ALL: [libc::c_int; 3] = [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF];

/// Real time, processor time, processor time with the kernel's.
pub(super) type Timers = [Timer; 3];

impl Tracer {
    /// The timers now.
    pub(super) fn interval_timers(&mut self, tid: pid_t) -> Result<Timers> {
        let mut timers = [[0; 32]; 3];
        for (which, timer) in ALL.into_iter().zip(&mut timers) {
            self.with_room(tid, timer, |tracer, room| {
                tracer.syscall(tid, libc::SYS_getitimer, [which as u64, room, 0, 0, 0, 0])
            })?;
        }
        Ok(timers)
    }

    /// Sets the timers: as much time is left as there was. Those that never ran are let alone.
    pub(super) fn put_timers_back(&mut self, tid: pid_t, then: &Timers) -> Result<()> {
        let now = self.interval_timers(tid)?;
        for ((which, then), now) in ALL.into_iter().zip(then).zip(&now) {
            if then != now {
                let mut timer = *then;
                self.with_room(tid, &mut timer, |tracer, room| {
                    tracer.syscall(tid, libc::SYS_setitimer, [which as u64, room, 0, 0, 0, 0])
                })?;
            }
        }
        Ok(())
    }
}
