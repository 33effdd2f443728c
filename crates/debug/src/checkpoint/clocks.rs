//! The timers of a process: only it can ask the kernel for them, and set them.

use libc::pid_t;

use crate::error::Result;
use crate::proc;
use crate::tracer::Tracer;

/// What the kernel knows of one: the period, and the time that is left.
pub(super) type Timer = [u8; 32];

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

    /// What is left of timers that the program made (`timer_create`), by their numbers.
    pub(super) fn made_timers(&mut self, pid: pid_t, tid: pid_t) -> Result<Vec<(u64, Timer)>> {
        let listed = proc::text(pid, "timers").unwrap_or_default();
        let numbers = listed.lines().filter_map(|l| l.strip_prefix("ID:")?.trim().parse().ok());
        let mut timers = Vec::new();
        for number in numbers {
            let mut timer = [0; 32];
            self.with_room(tid, &mut timer, |tracer, room| {
                tracer.syscall(tid, libc::SYS_timer_gettime, [number, room, 0, 0, 0, 0])
            })?;
            timers.push((number, timer));
        }
        Ok(timers)
    }

    /// Sets them: as much time is left as there was.
    pub(super) fn put_made_timers_back(&mut self, tid: pid_t, then: &[(u64, Timer)]) -> Result<()> {
        for (number, timer) in then {
            let mut timer = *timer;
            self.with_room(tid, &mut timer, |tracer, room| {
                tracer.syscall(tid, libc::SYS_timer_settime, [*number, 0, room, 0, 0, 0])
            })?;
        }
        Ok(())
    }
}
