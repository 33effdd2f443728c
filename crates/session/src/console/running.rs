//! Commands that let the program go, and breakpoints.

use crate::error::{Context, Error, bail};
use watchword_debug::{Access, ExitStatus};
use watchword_native::session::{Back, Go, Halt, PointKind};
use watchword_native::{Session, signals};
use watchword_view::text::counted;

use super::signals::signal_name;
use super::{Console, Done, Then};
use crate::answer::Answer;
use crate::happening::{Happening, Stop, StopReason};

pub(super) fn run(console: &mut Console, session: &mut Session) -> Done {
    begin_again(console, session)?;
    console.go(session, &Go::Continue)
}

/// Starts the program from the beginning if it has begun, and tells what is lost by that.
fn begin_again(console: &mut Console, session: &mut Session) -> crate::Result<()> {
    if !session.is_running() && session.is_alive() && !session.is_outdated() {
        return Ok(());
    }
    session.restart()?;
    if let Some(text) = lost(session) {
        console.say(&format!(
            "The program begins anew: {text} gone; breakpoints, signals, properties and the scenario stay."
        ));
    }
    Ok(())
}

/// What went with a program that ended, in words.
fn lost(session: &mut Session) -> Option<String> {
    let lost = session.take_lost();
    let all = [(lost.checkpoints, "checkpoint"), (lost.watchpoints, "watchpoint")];
    let gone: Vec<String> =
        all.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| counted(n as u64, what)).collect();
    (!gone.is_empty()).then(|| gone.join(" and "))
}

pub(super) fn start(console: &mut Console, session: &mut Session) -> Done {
    begin_again(console, session)?;
    let Some(main) = session.main_function() else {
        bail!("the program has no symbol for its `main`: `stepi` begins it, `run` lets it go");
    };
    session.set_break(main, None, true, false)?;
    console.go(session, &Go::Continue)
}

pub(super) fn continue_threads(
    console: &mut Console,
    session: &mut Session,
    numbers: &[u32],
) -> Done {
    let threads = super::info::threads_named(session, numbers)?;
    console.tell(&Happening::Running);
    let halt = session.go_only(threads, console)?;
    console.halted(session, halt)
}

/// The breakpoints here stop the program again at this hit.
pub(super) fn continue_past(console: &mut Console, session: &mut Session, hit: u32) -> Done {
    let thread = session.thread()?;
    let pc = session.program().debugger().tracer_mut().registers(thread)?.pc();
    let here: Vec<i64> = session
        .points()
        .filter(|(_, p)| p.addresses.contains(&pc) && p.kind == PointKind::Break)
        .map(|(n, _)| n)
        .collect();
    for number in here {
        session.ignore_point(number, u64::from(hit.saturating_sub(1)))?;
    }
    console.go(session, &Go::Continue)
}

pub(super) fn kill(console: &mut Console, session: &mut Session) -> Done {
    session.thread()?;
    session.end()?;
    let gone = lost(session).map_or(String::new(), |text| format!(" {text} went with it."));
    let text = format!("The program was ended.{gone}");
    console.tell(&Happening::Exited { code: None, signal: Some(9), text });
    Ok(Then::Next)
}

pub(super) fn detach(console: &mut Console, session: &mut Session) -> Done {
    session.thread()?;
    let process = session.program().process();
    session.detach()?;
    let text = format!("Process {process} goes on by itself.");
    console.tell(&Happening::Exited { code: None, signal: None, text });
    Ok(Then::Next)
}

/// `jump PLACE`: goes on elsewhere.
pub(super) fn jump(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    console.may_move()?;
    if rest.is_empty() {
        bail!("jump to where? FILE:LINE, LINE or *ADDRESS of the same function");
    }
    let address = session.jump_to(rest)?;
    let process = session.program().process();
    let place = session.program().debugger().describe(process, address);
    console.say(&format!("Continuing at {place}."));
    console.go(session, &Go::Continue)
}

/// `return [EXPRESSION]`: leaves the selected frame without executing the rest of it.
pub(super) fn leave(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    console.may_move()?;
    session.leave_frame(Some(rest).filter(|r| !r.is_empty()))?;
    console.show_place(session, "#0  ");
    console.tell_selected(session);
    Ok(Then::Next)
}

/// `signal SIGNAL`: goes on with this signal; 0 is none.
pub(super) fn signal(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    console.may_move()?;
    let signal = match rest {
        "" => bail!("signal SIGNAL: a name or a number; 0 goes on without the signal that came"),
        "0" => 0,
        name => super::signals::signal_called(name)?,
    };
    session.send_signal(signal)?;
    console.say(&match signal {
        0 => "Continuing without a signal.".to_string(),
        signal => format!("Continuing with {}.", signal_name(signal)),
    });
    console.go(session, &Go::Continue)
}

pub(super) fn quit(_: &mut Console, session: &mut Session, _: &str) -> Done {
    if session.is_alive() {
        match session.is_attached() {
            true => session.detach()?,
            false => session.end()?,
        }
    }
    Ok(Then::Quit)
}

pub(super) fn source(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    /// Files that run each other for ever end here.
    const DEEPEST: usize = 20;
    if console.depth == DEEPEST {
        bail!("{rest}: {DEEPEST} files of commands run each other; that is too many");
    }
    let text = std::fs::read_to_string(rest).with_context(|| format!("cannot read {rest}"))?;
    console.depth += 1;
    let done = console.script(session, &text, rest);
    console.depth -= 1;
    done
}

/// Runs a command of the shell; its output is on this terminal.
pub(super) fn shell(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    if console.moved_elsewhere {
        bail!("`shell` is for the prompt");
    }
    let line = rest.to_string();
    // The thread that traces has no other children.
    let run = move || std::process::Command::new("sh").args(["-c", &line]).status();
    let status = std::thread::spawn(run).join().map_err(|_| Error::new("the shell failed"))?;
    let status = status.context("there is no shell")?;
    if !status.success() {
        console.say(&format!("The command ended with {status}."));
    }
    Ok(Then::Next)
}

// ---- breakpoints -------------------------------------------------------------------------

pub(super) fn set_break(
    console: &mut Console,
    session: &mut Session,
    place: &str,
    condition: Option<&str>,
    once: bool,
) -> Done {
    if !session.is_alive() && !session.is_attached() {
        // The addresses of a program are known while it exists: the next run is prepared.
        begin_again(console, session)?;
        console.say("The program is ready to run again.");
    }
    // `PLACE thread N` is a condition, too.
    let (place, thread) = match place.rsplit_once(" thread ") {
        Some((place, number)) => {
            let number: u32 = number
                .trim()
                .parse()
                .with_context(|| format!("`{number}` is no number of a thread"))?;
            (place, Some(format!("$_thread == {number}")))
        }
        None => (place, None),
    };
    let condition = match (condition, thread) {
        (Some(condition), Some(thread)) => Some(format!("{thread} && ({condition})")),
        (condition, thread) => condition.map(str::to_string).or(thread),
    };
    let number = session.set_break(place, condition.as_deref(), once, false)?;
    session.program().debugger().keep_number("bpnum", number);
    let point = session.points().find(|(n, _)| *n == number);
    let (text, addresses) =
        point.map(|(_, p)| (p.text.clone(), p.addresses.clone())).unwrap_or_default();
    let process = session.program().process();
    let places: Vec<String> =
        addresses.iter().map(|a| session.program().debugger().describe(process, *a)).collect();
    let what = if once { "Temporary breakpoint" } else { "Breakpoint" };
    let text = match places.is_empty() {
        true => format!(
            "{what} {number}: {text} is not there yet; libraries are searched when they come"
        ),
        false => format!("{what} {number} at {}", places.join(", ")),
    };
    console.answer(Answer::Set { number }, text)
}

/// `-l EXPRESSION` means the object that is there now, whatever becomes of the expression.
fn located(session: &mut Session, expression: &str) -> crate::Result<String> {
    let (thread, frame) = (session.thread()?, session.frame());
    let found = session.program().debugger().outline(thread, frame, expression)?;
    let address = found.address().context("the expression is not in memory")?;
    Ok(format!("{{{}}} {address:#x}", found.ty.name))
}

pub(super) fn watch(
    console: &mut Console,
    session: &mut Session,
    rest: &str,
    access: Access,
) -> Done {
    let location = ["-l ", "-location "].iter().find_map(|flag| rest.strip_prefix(flag));
    let text = match location {
        Some(expression) => located(session, expression.trim())?,
        None => rest.to_string(),
    };
    let rest = text.as_str();
    let number = session.set_watch(rest, access, false)?;
    let how = match access {
        Access::Write => "Watchpoint",
        Access::Read => "Read watchpoint",
        Access::ReadWrite => "Access watchpoint",
    };
    console.answer(Answer::Set { number }, format!("{how} {number}: {rest}"))
}

/// These points; none means all of the person's.
fn chosen(session: &Session, numbers: &[i64]) -> Vec<i64> {
    match numbers {
        [] => session.points().filter(|(_, p)| !p.of_scenario).map(|(n, _)| n).collect(),
        some => some.to_vec(),
    }
}

pub(super) fn delete(session: &mut Session, numbers: &[i64]) -> Done {
    for number in chosen(session, numbers) {
        session.remove_point(number)?;
    }
    Ok(Then::Next)
}

pub(super) fn clear(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let addresses = match rest {
        "" => {
            let thread = session.thread()?;
            vec![session.program().debugger().tracer_mut().registers(thread)?.pc()]
        }
        place => session.locate(place)?,
    };
    let there: Vec<i64> = session
        .points()
        .filter(|(_, p)| p.addresses.iter().any(|a| addresses.contains(a)) && !p.of_scenario)
        .map(|(n, _)| n)
        .collect();
    if there.is_empty() {
        let place = if rest.is_empty() { "this place" } else { rest };
        bail!("there is no breakpoint at {place}");
    }
    for number in there {
        session.remove_point(number)?;
        console.say(&format!("Breakpoint {number} is gone."));
    }
    Ok(Then::Next)
}

pub(super) fn enable(session: &mut Session, numbers: &[i64], on: bool) -> Done {
    for number in chosen(session, numbers) {
        session.enable_point(number, on)?;
    }
    Ok(Then::Next)
}

pub(super) fn ignore(console: &mut Console, session: &mut Session, number: i64, hits: u64) -> Done {
    session.ignore_point(number, hits)?;
    console.say(&format!("The next {hits} hits of breakpoint {number} are passed."));
    Ok(Then::Next)
}

impl Console {
    /// Lets the program go and shows where it stops.
    ///
    /// # Errors
    /// If it cannot go on.
    pub fn go(&mut self, session: &mut Session, go: &Go) -> Done {
        self.tell(&Happening::Running);
        let halt = session.go(go, self)?;
        self.halted(session, halt)
    }

    /// Goes back to an earlier moment and shows where that is.
    ///
    /// # Errors
    /// If the way to it cannot be known; then nothing has changed.
    pub fn go_back(&mut self, session: &mut Session, back: Back) -> Done {
        let halt = session.go_back(back, self)?;
        self.halted(session, halt)
    }

    /// Runs the commands of a script until one fails or somebody interrupts.
    pub fn script(&mut self, session: &mut Session, text: &str, name: &str) -> Done {
        // What interrupted the program before was not about the script.
        signals::was_interrupted();
        for (i, line) in text.lines().enumerate() {
            if line.trim().is_empty() && !self.is_collecting() {
                continue;
            }
            let done = self.execute(session, line).map_err(|e| match e.is_reported() {
                true => e,
                false => Error::new(format!("{name}:{}: {e}", i + 1)),
            });
            if done? == Then::Quit {
                return Ok(Then::Quit);
            }
            if signals::was_interrupted() {
                self.interrupted = true;
                bail!("{name}:{}: interrupted", i + 1);
            }
        }
        Ok(Then::Next)
    }

    /// Shows why the program stopped, and where.
    pub fn halted(&mut self, session: &mut Session, halt: Halt) -> Done {
        self.notes(session);
        let names = |numbers: &[i64]| {
            let all: Vec<String> = numbers.iter().map(i64::to_string).collect();
            all.join(", ")
        };
        let mut value = None;
        let mut points = Vec::new();
        let (reason, head) = match halt {
            Halt::Exited(status) => {
                self.exited(session, status);
                return Ok(Then::Next);
            }
            Halt::Quit => return quit(self, session, ""),
            Halt::Breakpoint(numbers) => {
                let head = format!("Breakpoint {}, ", names(&numbers));
                points = numbers;
                (StopReason::Breakpoint, head)
            }
            Halt::Watchpoint { number, text, old, new, is_read } => {
                points.push(number);
                let none = || "<cannot be read>".to_string();
                let (old, new) = (old.unwrap_or_else(none), new.unwrap_or_else(none));
                let head = match is_read {
                    true => format!("Watchpoint {number}: {text}\n  Value = {new}\n"),
                    false => {
                        format!(
                            "Watchpoint {number}: {text}\n  Old value = {old}\n  New value = {new}\n"
                        )
                    }
                };
                (StopReason::Watchpoint, head)
            }
            Halt::Reached => (StopReason::Breakpoint, String::new()),
            Halt::Accessed { .. } => {
                (StopReason::Watchpoint, "Watched memory was accessed.\n".into())
            }
            Halt::ScopeEnded(ended) => {
                let mut head = String::new();
                for (number, text) in ended {
                    points.push(number);
                    head.push_str(&format!(
                        "Watchpoint {number} is gone: the function of `{text}` has returned.\n"
                    ));
                }
                (StopReason::ScopeEnded, head)
            }
            Halt::Signal(signal) => {
                (StopReason::Signal, format!("The program got {}.\n", signal_name(signal)))
            }
            Halt::Finished(result) => {
                value = result;
                (StopReason::Finished, "Run till exit, ".to_string())
            }
            Halt::Interrupted => (StopReason::Interrupted, "Interrupted.\n".to_string()),
            Halt::Violation => (StopReason::Violation, String::new()),
            Halt::Stepped => (StopReason::Step, String::new()),
            Halt::Scenario(message) => {
                let head = match message {
                    Some(message) => {
                        format!(
                            "The scenario stops here: {}\n",
                            watchword_view::text::harmless(&message)
                        )
                    }
                    None => "The scenario stops here.\n".to_string(),
                };
                (StopReason::Scenario, head)
            }
            Halt::Executed => {
                let gone = lost(session);
                let gone =
                    gone.map_or(String::new(), |text| format!("{text} went with the old one.\n"));
                (StopReason::Executed, format!("The process runs another program now.\n{gone}"))
            }
        };
        self.stopped(session, reason, points, &head);
        if let Some(value) = value {
            let process = session.program().process();
            let shown = session.program().debugger().show(process, &value);
            let number = self.keep(session, &value);
            self.say(&format!("Value returned is ${number} = {shown}"));
        }
        self.show_displays(session);
        Ok(Then::Next)
    }
}

impl Console {
    fn exited(&mut self, session: &mut Session, status: ExitStatus) {
        self.status = Some(status);
        let debugger = session.program().debugger();
        match status {
            ExitStatus::Code(code) => debugger.keep_number("_exitcode", code.into()),
            ExitStatus::Signal(signal) => debugger.keep_number("_exitsignal", signal.into()),
        }
        let (code, signal, mut text) = match status {
            ExitStatus::Code(0) => (Some(0), None, "The program has ended.".to_string()),
            ExitStatus::Code(code) => {
                (Some(code), None, format!("The program has ended with status {code}."))
            }
            ExitStatus::Signal(signal) => {
                let text = format!("The program was killed by {}.", signal_name(signal));
                (None, Some(signal), text)
            }
        };
        if let Some(gone) = lost(session) {
            text.push_str(&format!("\n{gone} went with it."));
        }
        self.tell(&Happening::Exited { code, signal, text });
        self.tell_forgotten(session);
    }

    /// Tells that the program stopped, and where.
    fn stopped(&mut self, session: &mut Session, reason: StopReason, points: Vec<i64>, head: &str) {
        let (thread, place) = self.where_is(session);
        let text = match self.is_silent(&points) {
            true => String::new(),
            false => self.place_in_words(session, head),
        };
        self.hit(&points);
        self.tell(&Happening::Stopped(Stop { reason, points, thread, place, text }));
        self.tell_forgotten(session);
        self.tell_few_slices(session);
        self.tell_selected(session);
    }
}
