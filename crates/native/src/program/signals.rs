//! Events of signals, before they are delivered.

use watchword_debug::{Debugger, ProcessId, Result, ThreadId};
use watchword_model::Glob;

use super::events::{Accessed, Place, Seen};
use super::{Program, Stopped};
use crate::source::{ArmNote, Armed, Source};

/// Signals by name. `SIGKILL` and `SIGSTOP` end and stop a program without its tracer being asked.
const NAMES: [(&str, i32); 29] = [
    ("SIGHUP", libc::SIGHUP),
    ("SIGINT", libc::SIGINT),
    ("SIGQUIT", libc::SIGQUIT),
    ("SIGILL", libc::SIGILL),
    ("SIGTRAP", libc::SIGTRAP),
    ("SIGABRT", libc::SIGABRT),
    ("SIGBUS", libc::SIGBUS),
    ("SIGFPE", libc::SIGFPE),
    ("SIGUSR1", libc::SIGUSR1),
    ("SIGSEGV", libc::SIGSEGV),
    ("SIGUSR2", libc::SIGUSR2),
    ("SIGPIPE", libc::SIGPIPE),
    ("SIGALRM", libc::SIGALRM),
    ("SIGTERM", libc::SIGTERM),
    ("SIGSTKFLT", libc::SIGSTKFLT),
    ("SIGCHLD", libc::SIGCHLD),
    ("SIGCONT", libc::SIGCONT),
    ("SIGTSTP", libc::SIGTSTP),
    ("SIGTTIN", libc::SIGTTIN),
    ("SIGTTOU", libc::SIGTTOU),
    ("SIGURG", libc::SIGURG),
    ("SIGXCPU", libc::SIGXCPU),
    ("SIGXFSZ", libc::SIGXFSZ),
    ("SIGVTALRM", libc::SIGVTALRM),
    ("SIGPROF", libc::SIGPROF),
    ("SIGWINCH", libc::SIGWINCH),
    ("SIGIO", libc::SIGIO),
    ("SIGPWR", libc::SIGPWR),
    ("SIGSYS", libc::SIGSYS),
];

/// The signals that a pattern names.
fn meant(names: &Glob) -> Vec<i32> {
    NAMES.iter().filter(|(name, _)| names.matches(name)).map(|(_, signal)| *signal).collect()
}

/// Arms an event of signals.
pub(super) fn arm(source: &mut Source, debugger: &mut Debugger, process: ProcessId, event: &str) {
    let names = source.declared.point.named().filter(|_| source.numbers.is_empty());
    let Some(names) = names.cloned() else { return };
    source.numbers = meant(&names);
    for signal in &source.numbers {
        debugger.tracer_mut().watch_signal(*signal);
    }
    if !source.numbers.is_empty() {
        let module = debugger.modules(process).first().map(|m| m.path.clone()).unwrap_or_default();
        source.news.push(ArmNote::Armed(Armed {
            event: event.into(),
            name: names.text().into(),
            module,
            address: 0,
            how: "before it is delivered",
            why: None,
        }));
    }
}

impl Program {
    /// A signal is about to be delivered to a thread: the events, in the order of their declarations.
    pub(super) fn on_signal(
        &mut self,
        thread: ThreadId,
        signal: i32,
        stopped: &mut Stopped,
    ) -> Result<()> {
        for m in 0..self.monitors.len() {
            for s in 0..self.monitors[m].sources.len() {
                if !self.monitors[m].sources[s].numbers.contains(&signal) {
                    continue;
                }
                let pc = self.debugger.tracer_mut().registers(thread)?.pc();
                let read = self.read(m, s, thread);
                let value = Seen::Number(signal.into());
                let seen = Accessed { value, address: 0, of: None };
                let args = self.arguments(m, s, &read, thread, Some(&seen));
                self.step(m, s, args, thread, Place::At(pc), stopped)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_signals() {
        assert_eq!(meant(&Glob::new("SIGUSR1")), [libc::SIGUSR1]);
        assert_eq!(meant(&Glob::new("SIGUSR?")), [libc::SIGUSR1, libc::SIGUSR2]);
        assert_eq!(meant(&Glob::new("*")).len(), NAMES.len());
        assert!(meant(&Glob::new("SIGNOSUCH")).is_empty());
    }
}
