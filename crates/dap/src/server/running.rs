//! Letting the program go, and telling why it stopped.

use serde_json::{Value, json};
use watchword_debug::ExitStatus;
use watchword_native::session::{Back, Go, Halt};
use watchword_session::{Request as Wanted, signal_name};

use super::{Adapter, Answer, words};
use crate::protocol::message::Request;

/// Why the program stands, as editors are told it.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    pub reason: &'static str,
    /// For the person.
    pub description: Option<String>,
    /// More for the person: what an exception says.
    pub text: Option<String>,
    /// The points that were reached.
    pub ids: Vec<i64>,
    /// Whether a property was violated here.
    pub is_violation: bool,
}

impl Standing {
    pub fn plain(reason: &'static str) -> Standing {
        Standing { reason, ..Standing::default() }
    }

    fn described(reason: &'static str, description: String) -> Standing {
        Standing { reason, description: Some(description), ..Standing::default() }
    }
}

impl Adapter<'_> {
    /// Lets the program go on until something happens, or a request comes.
    pub fn go_on(&mut self) {
        let Some(go) = self.going.clone() else { return };
        let Some(debuggee) = &mut self.debuggee else {
            self.going = None;
            return;
        };
        debuggee.handles.forget();
        debuggee.at_checkpoint = None;
        self.wire.begin();
        if self.wire.has_waiting() {
            self.wire.end();
            return;
        }
        let halt = debuggee.session.go(&go, &mut debuggee.console);
        let was_asked = self.wire.end();
        debuggee.outlets.iter().for_each(super::output::Outlet::show);
        match halt {
            // Somebody wants something; unless it is that, the program goes on.
            Ok(Halt::Interrupted) if was_asked && go == Go::Continue => {}
            Ok(Halt::Interrupted) if was_asked => self.going = Some(Go::Again),
            Ok(Halt::Violation) if debuggee.points.passes_violations && go == Go::Continue => {}
            Ok(halt) => {
                self.going = None;
                self.halted(halt);
            }
            Err(e) => {
                self.going = None;
                self.writer.output("console", &format!("error: {e}\n"));
                match debuggee.session.is_alive() {
                    true => self.stands(Standing::described("step", e.to_string())),
                    false => self.ended(ExitStatus::Signal(9)),
                }
                self.send_later();
            }
        }
    }

    fn halted(&mut self, halt: Halt) {
        let Some(debuggee) = &mut self.debuggee else { return };
        let noticed = self.noticed.clone();
        let standing = match &halt {
            Halt::Exited(status) => {
                let status = *status;
                // Other clients want to know.
                let _ = debuggee.console.halted(&mut debuggee.session, halt);
                return self.ended(status);
            }
            Halt::Quit => {
                let _ = debuggee.console.halted(&mut debuggee.session, halt);
                self.later_now("terminated", json!({}));
                return;
            }
            Halt::Breakpoint(numbers) => {
                let reached = debuggee.points.reached(numbers);
                Standing {
                    reason: reached.reason,
                    description: reached.description,
                    ids: reached.ids,
                    ..Standing::default()
                }
            }
            Halt::Watchpoint { number, text, old, new, is_read } => {
                let none = || "<cannot be read>".to_string();
                let (old, new) =
                    (old.clone().unwrap_or_else(none), new.clone().unwrap_or_else(none));
                let description = match is_read {
                    true => format!("{text} was read: {new}"),
                    false => format!("{text} changed: {old} → {new}"),
                };
                Standing {
                    reason: "data breakpoint",
                    description: Some(description),
                    ids: debuggee.points.reached(&[*number]).ids,
                    ..Standing::default()
                }
            }
            Halt::ScopeEnded(ended) => {
                let gone: Vec<&str> = ended.iter().map(|(_, text)| text.as_str()).collect();
                let gone = gone.join(", ");
                Standing::described(
                    "data breakpoint",
                    format!("{gone} is gone: its function has returned"),
                )
            }
            Halt::Reached => Standing::plain("breakpoint"),
            Halt::Accessed { .. } => Standing::plain("data breakpoint"),
            Halt::Signal(signal) => Standing {
                reason: "exception",
                description: Some(signal_name(*signal)),
                text: Some(signal_name(*signal)),
                ..Standing::default()
            },
            Halt::Stepped | Halt::Finished(_) => Standing::plain("step"),
            Halt::Interrupted => Standing::plain("pause"),
            Halt::Violation => {
                let noticed = noticed.borrow();
                let verdict = noticed.verdict.as_ref();
                let said = verdict.map(|v| (v.property.clone(), v.message.clone()));
                let (property, message) = said.unwrap_or_default();
                Standing {
                    reason: "exception",
                    description: Some(format!("{property} is violated")),
                    text: Some(message),
                    is_violation: true,
                    ..Standing::default()
                }
            }
            Halt::Scenario(message) => Standing::described(
                "scenario",
                message.clone().unwrap_or_else(|| "The scenario stops here".to_string()),
            ),
            Halt::Executed => {
                Standing::described("entry", "The process runs another program now".to_string())
            }
        };
        // A failure to describe the place is none of ours: the editor shows it itself.
        let _ = debuggee.console.halted(&mut debuggee.session, halt);
        self.stands(standing);
        self.send_later();
    }

    /// The program stands: the editor is told after the answer that is being given.
    pub fn stands(&mut self, standing: Standing) {
        let Some(debuggee) = &mut self.debuggee else { return };
        debuggee.stops += 1;
        debuggee.handles.forget();
        debuggee.standing = standing.clone();
        self.going = None;
        for (name, body) in debuggee.changes() {
            self.later.push((name, body));
        }
        let thread = debuggee.selected_number();
        let mut body = json!({
            "reason": standing.reason,
            "threadId": thread,
            "allThreadsStopped": true,
            "hitBreakpointIds": standing.ids,
        });
        if let Some(description) = standing.description {
            body["description"] = description.into();
        }
        if let Some(text) = standing.text {
            body["text"] = text.into();
        }
        self.later.push(("stopped", body));
    }

    fn ended(&mut self, status: ExitStatus) {
        let code = match status {
            ExitStatus::Code(code) => code,
            ExitStatus::Signal(signal) => 128 + signal,
        };
        self.later.push(("exited", json!({ "exitCode": code })));
        self.later_now("terminated", json!({}));
    }

    fn later_now(&mut self, name: &'static str, body: Value) {
        self.later.push((name, body));
        self.send_later();
    }

    fn send_later(&mut self) {
        for (name, body) in std::mem::take(&mut self.later) {
            self.writer.event(name, body);
        }
    }

    /// If a command has gone back to a checkpoint, the program is somewhere else now.
    pub fn tell_restored(&mut self) {
        let restored = self.noticed.borrow_mut().restored.take();
        let Some(number) = restored else { return };
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.at_checkpoint = Some(number);
        }
        if self.going.is_none() {
            self.stands(Standing::described("goto", format!("Back at checkpoint {number}")));
            self.send_later();
        }
    }

    /// Lets the program go on by steps of the thread that the request names.
    fn step(&mut self, request: &Request, line: Go, instruction: Go) -> Answer {
        let debuggee = self.stopped()?;
        let thread = debuggee.thread_of(request)?;
        debuggee.session.select_thread(thread);
        let is_small = request.text("granularity") == Some("instruction");
        self.going = Some(if is_small { instruction } else { line });
        Ok(json!({}))
    }

    /// Goes back to a checkpoint.
    pub fn back_to(&mut self, number: Option<i64>) -> Answer {
        if self.going.is_some() {
            return Err("the program runs".to_string());
        }
        let debuggee = self.stopped()?;
        if debuggee.session.checkpoints().next().is_none() {
            return Err("there is no checkpoint to go back to: `checkpoint` makes one".to_string());
        }
        let request = Wanted::Restore { number };
        debuggee.console.perform(&mut debuggee.session, &request).map_err(words)?;
        // Told as a stop after the answer.
        Ok(json!({}))
    }
}

pub(super) fn proceed(adapter: &mut Adapter, _: &Request) -> Answer {
    adapter.stopped()?;
    adapter.going = Some(Go::Continue);
    Ok(json!({ "allThreadsContinued": true }))
}

pub(super) fn next(adapter: &mut Adapter, request: &Request) -> Answer {
    adapter.step(request, Go::Next, Go::NextInstruction)
}

pub(super) fn step_in(adapter: &mut Adapter, request: &Request) -> Answer {
    adapter.step(request, Go::Step, Go::StepInstruction)
}

pub(super) fn step_out(adapter: &mut Adapter, request: &Request) -> Answer {
    adapter.step(request, Go::Finish, Go::Finish)
}

/// To the source line or the instruction before; from a checkpoint, to the one before that.
pub(super) fn step_back(adapter: &mut Adapter, request: &Request) -> Answer {
    if adapter.going.is_some() {
        return Err("the program runs".to_string());
    }
    let debuggee = adapter.stopped()?;
    let here = debuggee.at_checkpoint;
    if here.is_none() {
        let back = match request.text("granularity") {
            Some("instruction") => Back::StepInstruction,
            _ => Back::Next,
        };
        let halt = debuggee.session.go_back(back, &mut debuggee.console).map_err(words)?;
        // On the way it was at a checkpoint.
        adapter.noticed.borrow_mut().restored = None;
        adapter.halted(halt);
        return Ok(json!({}));
    }
    let all = debuggee.session.checkpoints().map(|(number, _)| number);
    let earlier = all.filter(|n| here.is_none_or(|here| *n < here)).max();
    if here.is_some() && earlier.is_none() {
        return Err("this is the first checkpoint".to_string());
    }
    adapter.back_to(earlier)
}

/// To the last checkpoint.
pub(super) fn reverse(adapter: &mut Adapter, _: &Request) -> Answer {
    adapter.back_to(None)
}

pub(super) fn pause(adapter: &mut Adapter, _: &Request) -> Answer {
    adapter.stopped()?;
    if adapter.going.is_none() {
        return Err("the program stands already".to_string());
    }
    adapter.stands(Standing::plain("pause"));
    Ok(json!({}))
}
