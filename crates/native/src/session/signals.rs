//! What is done when the program gets a signal.

use std::collections::BTreeMap;

use watchword_debug::{Result, ThreadId};

use super::running::Halt;
use super::{Front, Session};

/// Signals that stop the program for the person before they are delivered, unless the person wants
/// something else.
const TOLD: [i32; 13] = [
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGSEGV,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGSYS,
];

/// What is done when the program gets a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handling {
    /// The program stops; this is shown, too.
    pub stop: bool,
    /// It is shown.
    pub print: bool,
    /// The program gets it when it goes on.
    pub pass: bool,
}

impl Handling {
    /// The program gets it, and nobody is told.
    const UNSEEN: Handling = Handling { stop: false, print: false, pass: true };

    fn told(signal: i32) -> Handling {
        // It is how the person asks for the word: not for the program.
        Handling { stop: true, print: true, pass: signal != libc::SIGINT }
    }

    fn is_told(self) -> bool {
        self != Handling::UNSEEN
    }
}

/// What is to be done about signals; it stays when the program is started again.
#[derive(Debug)]
pub(super) struct Signals(BTreeMap<i32, Handling>);

impl Default for Signals {
    fn default() -> Signals {
        Signals(TOLD.into_iter().map(|signal| (signal, Handling::told(signal))).collect())
    }
}

impl Session {
    /// What is done when the program gets this signal.
    pub fn handling(&self, signal: i32) -> Handling {
        // Another debugger may want to be told of more.
        let is_told = self.program.debugger.tracer().is_signal_told(signal);
        let otherwise = if is_told { Handling::told(signal) } else { Handling::UNSEEN };
        self.signals.0.get(&signal).copied().unwrap_or(otherwise)
    }

    /// Says what is to be done when the program gets this signal.
    pub fn handle_signal(&mut self, signal: i32, handling: Handling) {
        self.signals.0.insert(signal, handling);
        self.tell_signal(signal, handling);
    }

    fn tell_signal(&mut self, signal: i32, handling: Handling) {
        let tracer = self.program.debugger.tracer_mut();
        match handling.is_told() {
            true => tracer.tell_signal(signal),
            false => tracer.pass_signal(signal),
        }
    }

    /// A program that has just been started knows nothing of it.
    pub(super) fn tell_signals(&mut self) {
        for (signal, handling) in self.signals.0.clone() {
            self.tell_signal(signal, handling);
        }
    }

    /// Nobody is there to be told of signals: they go to the program.
    pub fn pass_signals(&mut self) {
        for signal in TOLD {
            self.handle_signal(signal, Handling::UNSEEN);
        }
    }

    /// A thread is about to get a signal: whether the person is to look.
    pub(super) fn on_signal(
        &mut self,
        thread: ThreadId,
        signal: i32,
        front: &mut dyn Front,
    ) -> Result<Option<Halt>> {
        if self.sent.take_if(|sent| *sent == (thread, signal)).is_some() {
            return Ok(None);
        }
        let handling = self.handling(signal);
        if !handling.pass {
            self.program.debugger.tracer_mut().forget_signal(thread)?;
        }
        if !handling.stop {
            if handling.print {
                front.signalled(self, thread, signal);
            }
            return Ok(None);
        }
        Ok(Some(match (signal, handling.pass) {
            (libc::SIGINT, false) => Halt::Interrupted,
            _ => Halt::Signal(signal),
        }))
    }
}
