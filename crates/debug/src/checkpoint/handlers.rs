//! What the program does about signals: only it can ask the kernel for that, and change it.

use libc::pid_t;

use crate::error::Result;
use crate::tracer::Tracer;

/// What the kernel knows of a signal's handler: address, flags, way back, and blocked signals.
type Action = [u8; 32];

/// The last signal there is.
const LAST: u32 = 64;
/// The size of a set of signals.
const SET: u64 = 8;

/// By signal, what is to be done; the default if it is not there.
pub(super) type Handlers = Vec<(u32, Action)>;

/// The handler that ignores.
const fn ignores() -> Action {
    let mut action = [0; 32];
    action[0] = libc::SIG_IGN as u8;
    action
}

/// A set of signals, as a line of `/proc/PID/status` tells it.
fn set(line: &str) -> u64 {
    let digits = line.split_once(':').map_or("", |(_, digits)| digits.trim());
    u64::from_str_radix(digits, 16).unwrap_or(0)
}

impl Tracer {
    /// What is done about signals now. `caught` and `ignored` are lines of `/proc/PID/status`.
    pub(super) fn handlers(&mut self, tid: pid_t, caught: &str, ignored: &str) -> Result<Handlers> {
        let (caught, ignored) = (set(caught), set(ignored));
        let (pid, room) = (self.thread(tid)?.pid, self.room_below(tid)?);
        let mut handlers = Vec::new();
        for signal in 1..=LAST {
            if ignored >> (signal - 1) & 1 != 0 {
                handlers.push((signal, ignores()));
            } else if caught >> (signal - 1) & 1 != 0 {
                let args = [signal.into(), 0, room, SET, 0, 0];
                self.syscall(tid, libc::SYS_rt_sigaction, args)?;
                let mut action = [0; 32];
                self.space(pid)?.read(room, &mut action)?;
                handlers.push((signal, action));
            }
        }
        Ok(handlers)
    }

    /// Makes `now` what was `then`.
    pub(super) fn put_handlers_back(
        &mut self,
        tid: pid_t,
        then: &Handlers,
        now: &Handlers,
    ) -> Result<()> {
        let of = |handlers: &Handlers, signal: u32| {
            handlers.iter().find(|(s, _)| *s == signal).map_or([0; 32], |(_, action)| *action)
        };
        let (pid, room) = (self.thread(tid)?.pid, self.room_below(tid)?);
        for signal in 1..=LAST {
            let action = of(then, signal);
            if action != of(now, signal) {
                self.space_mut(pid)?.write(room, &action)?;
                let args = [signal.into(), room, 0, SET, 0, 0];
                self.syscall(tid, libc::SYS_rt_sigaction, args)?;
            }
        }
        Ok(())
    }
}
