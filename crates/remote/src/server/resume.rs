//! Letting the program go on, and saying why it stopped.

use std::fmt::Write;

use watchword_debug::{Access, ExitStatus, ThreadId};
use watchword_native::Session;
use watchword_native::session::{Freely, Halt, Resumption};

use super::{Answer, Server};
use crate::protocol::command::{Action, ThreadRef};
use crate::protocol::hex;
use crate::protocol::signal;

/// Why the program stands.
#[derive(Clone, Debug)]
pub(super) enum Last {
    /// It has ended.
    Ended(ExitStatus),
    /// A thread stopped.
    Stopped {
        thread: Option<ThreadId>,
        /// The signal of Linux that says why; zero if a monitor wants the program to stop.
        signal: i32,
        /// A signal that the thread is about to get, and gets only if the debugger wants it.
        held: bool,
        why: Why,
    },
}

/// Reasons that have words in the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Plain,
    Breakpoint,
    Watch(u64, Access),
    Executed,
    /// There is nothing before this.
    Beginning,
    /// A monitor or a scenario, in words.
    Monitor(String),
}

const SIGINT: i32 = 2;
const SIGTRAP: i32 = 5;
const SIGKILL: i32 = 9;

impl Last {
    /// Before the program went on for the first time.
    pub fn first(session: &Session) -> Last {
        let thread = session.thread().ok();
        let signal = if session.is_attached() { 0 } else { SIGTRAP };
        Last::Stopped { thread, signal, held: false, why: Why::Plain }
    }

    fn of(halt: &Halt, session: &Session) -> Last {
        let (signal, held, why) = match halt {
            Halt::Exited(status) => return Last::Ended(*status),
            Halt::Quit => {
                let status = session.watched().exited();
                return Last::Ended(status.unwrap_or(ExitStatus::Signal(SIGKILL)));
            }
            Halt::Signal(signal) => (*signal, true, Why::Plain),
            Halt::Interrupted => (SIGINT, false, Why::Plain),
            Halt::Reached => (SIGTRAP, false, Why::Breakpoint),
            Halt::Accessed { address, access } => (SIGTRAP, false, Why::Watch(*address, *access)),
            Halt::Executed => (SIGTRAP, false, Why::Executed),
            Halt::Violation => (0, false, Why::Monitor("a property was violated".into())),
            Halt::Scenario(message) => {
                let text = message.as_ref().map_or(String::new(), |m| format!(": {m}"));
                (0, false, Why::Monitor(format!("stopped by the scenario{text}")))
            }
            Halt::Breakpoint(_)
            | Halt::Watchpoint { .. }
            | Halt::ScopeEnded(..)
            | Halt::Stepped
            | Halt::Finished(_) => (SIGTRAP, false, Why::Plain),
        };
        Last::Stopped { thread: session.thread().ok(), signal, held, why }
    }
}

impl Server<'_> {
    pub(super) fn resume(&mut self, actions: &[(Action, ThreadRef)]) -> Answer {
        if !self.session.is_alive() {
            return Answer::error();
        }
        let resumption = self.resumption(actions);
        if resumption.is_nothing() {
            // Nobody would ever stop.
            return Answer::error();
        }
        // LLDB steps off its breakpoints before it lets the program go, and would take another stop for
        // the end of that step.
        if resumption.step.is_none() && std::mem::take(&mut self.turns_back) {
            return self.backwards();
        }
        self.talk.borrow_mut().open();
        let halt = self.session.resume(&resumption, self.console);
        let answer = match halt {
            Ok(halt) => {
                self.last = Last::of(&halt, self.session);
                self.selected = None;
                self.runner = None;
                // Other clients want to know; a failure to describe the place is none of ours.
                let _ = self.console.halted(self.session, halt);
                self.why()
            }
            Err(e) => {
                self.talk.borrow_mut().say(&format!("error: {e}"));
                if !self.session.is_alive() {
                    self.last = Last::Ended(ExitStatus::Signal(SIGKILL));
                }
                self.why()
            }
        };
        self.talk.borrow_mut().close();
        match self.last {
            Last::Ended(_) if !self.is_extended => Answer::Last(answer),
            _ => Answer::Packet(answer),
        }
    }

    /// What the actions mean for every thread: the first one that names it counts.
    fn resumption(&mut self, actions: &[(Action, ThreadRef)]) -> Resumption {
        let runner = self.runner;
        let current = runner.or(self.current());
        let mut step = None;
        let mut freely = Vec::new();
        let threads = self.threads();
        // Plain `c` and `s` are about one thread only if one was chosen.
        let is_plain = matches!(actions, [(_, ThreadRef::Any)]);
        for &thread in &threads {
            let names = |which: &ThreadRef| match which {
                ThreadRef::All => true,
                ThreadRef::Any => Some(thread) == current || (runner.is_none() && is_plain),
                ThreadRef::One(number) => thread.raw() == *number,
            };
            let Some((action, _)) = actions.iter().find(|(_, which)| names(which)) else {
                continue;
            };
            let signal = match action {
                Action::Continue(signal) | Action::Step(signal) => *signal,
                Action::Range(..) | Action::Stop => None,
            };
            match action {
                Action::Stop => continue,
                Action::Continue(_) => freely.push(thread),
                // One thread steps at a time; of several, the current one.
                Action::Step(_) if step.is_none() && self.may_step(thread, current, actions) => {
                    step = Some((thread, 0..0));
                }
                Action::Range(start, end)
                    if step.is_none() && self.may_step(thread, current, actions) =>
                {
                    step = Some((thread, *start..*end));
                }
                Action::Step(_) | Action::Range(..) => continue,
            }
            self.settle_signal(thread, signal);
        }
        let running = freely.len() + usize::from(step.is_some());
        let freely = if running == threads.len() { Freely::All } else { Freely::Only(freely) };
        Resumption { step, freely }
    }

    /// Whether a thread named by an action for several is the one that steps.
    fn may_step(
        &self,
        thread: ThreadId,
        current: Option<ThreadId>,
        actions: &[(Action, ThreadRef)],
    ) -> bool {
        let is_named = |(_, which): &(Action, ThreadRef)| *which == ThreadRef::One(thread.raw());
        current == Some(thread) || actions.iter().any(is_named)
    }

    /// The signal that was told is delivered only if the debugger says so.
    fn settle_signal(&mut self, thread: ThreadId, wanted: Option<u8>) {
        let tracer = self.session.program().debugger().tracer_mut();
        let wanted = wanted.map(signal::from_protocol).filter(|s| *s != 0);
        // A thread that is gone needs no signal.
        if let Some(signal) = wanted {
            let _ = tracer.deliver(thread, signal);
            return;
        }
        if let Last::Stopped { thread: Some(told), held: true, .. } = self.last
            && told == thread
        {
            let _ = tracer.forget_signal(thread);
        }
    }

    /// Back to a checkpoint. Debuggers take it as the beginning of what is known.
    pub(super) fn backwards(&mut self) -> Answer {
        let chosen = self.checkpoint.take();
        self.talk.borrow_mut().open();
        let request = watchword_session::Request::Restore { number: chosen };
        let why = match self.console.perform(self.session, &request) {
            Ok(_) => Why::Beginning,
            Err(e) => {
                self.console.complain(&e);
                match self.is_lldb {
                    true => Why::Monitor("the checkpoint was not restored".into()),
                    false => Why::Beginning,
                }
            }
        };
        self.talk.borrow_mut().close();
        self.selected = None;
        self.last =
            Last::Stopped { thread: self.session.thread().ok(), signal: SIGTRAP, held: false, why };
        Answer::Packet(self.why())
    }

    /// Why the program stands, as a packet.
    pub(super) fn why(&mut self) -> Vec<u8> {
        let last = self.last.clone();
        let process = self.session.watched().process().raw();
        match last {
            Last::Ended(status) => {
                let (letter, code) = match status {
                    ExitStatus::Code(code) => ('W', (code & 0xff) as u8),
                    ExitStatus::Signal(number) => ('X', signal::to_protocol(number)),
                };
                let whose = match self.is_multiprocess {
                    true => format!(";process:{process:x}"),
                    false => String::new(),
                };
                format!("{letter}{code:02x}{whose}").into_bytes()
            }
            Last::Stopped { thread, signal, why, .. } => {
                let thread = thread.or(self.current());
                self.stop_packet(thread, signal, &why).into_bytes()
            }
        }
    }

    /// Why one thread stands.
    pub(super) fn why_thread(&mut self, which: ThreadRef) -> Answer {
        let Some(thread) = self.thread(which) else { return Answer::error() };
        match &self.last {
            Last::Stopped { thread: Some(told), .. } if *told == thread => {
                Answer::Packet(self.why())
            }
            _ => Answer::text(self.stop_packet(Some(thread), 0, &Why::Plain)),
        }
    }

    fn stop_packet(&mut self, thread: Option<ThreadId>, told: i32, why: &Why) -> String {
        // LLDB takes a stop without a signal for none.
        let number = match why {
            Why::Monitor(_) if self.is_lldb => SIGTRAP,
            _ => told,
        };
        let mut out = format!("T{:02x}", signal::to_protocol(number));
        match why {
            Why::Breakpoint if self.knows_breakpoints => out.push_str("swbreak:;"),
            Why::Breakpoint | Why::Plain => {}
            Why::Watch(address, access) => {
                let kind = match access {
                    Access::Write => "watch",
                    Access::Read => "rwatch",
                    Access::ReadWrite => "awatch",
                };
                let _ = write!(out, "{kind}:{address:x};");
            }
            Why::Executed if self.knows_exec => {
                let process = self.session.watched().process();
                let path = std::fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
                let _ = write!(out, "exec:{};", hex::encode(path.to_string_lossy().as_bytes()));
            }
            Why::Executed => {}
            Why::Beginning if self.is_lldb => describe(&mut out, "back at a checkpoint"),
            Why::Beginning => out.push_str("replaylog:begin;"),
            Why::Monitor(text) if self.is_lldb => describe(&mut out, text),
            Why::Monitor(_) => {}
        }
        if let Some(thread) = thread {
            let _ = write!(out, "thread:{};", self.name(thread));
            for (number, value) in self.usual_registers(thread) {
                let _ = write!(out, "{number:02x}:{value};");
            }
        }
        out
    }
}

/// A reason in words, as LLDB shows it.
fn describe(out: &mut String, text: &str) {
    let _ = write!(out, "reason:exception;description:{};", hex::encode(text.as_bytes()));
}
