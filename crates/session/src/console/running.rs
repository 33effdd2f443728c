//! Commands that let the program go, and breakpoints.

use crate::error::{Context, Error, bail};
use watchword_debug::{Access, ExitStatus};
use watchword_native::session::{Go, Halt, PointKind};
use watchword_native::{Session, signals};
use watchword_view::text::counted;

use super::{Console, Done, Then};
use crate::happening::{Happening, Stop, StopReason};

pub(super) fn run(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if !rest.is_empty() {
        bail!("`set args` gives the program other arguments than those behind `--`");
    }
    console.may_move()?;
    begin_again(console, session)?;
    console.go(session, &Go::Continue)
}

/// Starts the program from the beginning if it has begun, and tells what is lost by that.
fn begin_again(console: &mut Console, session: &mut Session) -> crate::Result<()> {
    if !session.is_running() && session.is_alive() {
        return Ok(());
    }
    let checkpoints = session.checkpoints().count() as u64;
    let is_watch = |kind| matches!(kind, PointKind::Watch(_));
    let watches = session.points().filter(|(_, p)| is_watch(p.kind)).count() as u64;
    session.restart()?;
    let mut gone = Vec::new();
    if checkpoints > 0 {
        gone.push(counted(checkpoints, "checkpoint"));
    }
    if watches > 0 {
        gone.push(counted(watches, "watchpoint"));
    }
    if !gone.is_empty() {
        let text = gone.join(" and ");
        console.say(&format!(
            "The program begins anew: {text} gone; breakpoints, properties and the scenario stay."
        ));
    }
    Ok(())
}

pub(super) fn start(console: &mut Console, session: &mut Session, _: &str) -> Done {
    console.may_move()?;
    begin_again(console, session)?;
    session.set_break("main", None, true, false)?;
    console.go(session, &Go::Continue)
}

pub(super) fn resume(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let times = count(rest)?;
    if times > 1 {
        let thread = session.thread()?;
        let pc = session.program().debugger().tracer_mut().registers(thread)?.pc();
        let here: Vec<i64> = session
            .points()
            .filter(|(_, p)| p.addresses.contains(&pc) && p.kind == PointKind::Break)
            .map(|(n, _)| n)
            .collect();
        for number in here {
            session.ignore_point(number, u64::from(times) - 1)?;
        }
    }
    console.may_move()?;
    console.go(session, &Go::Continue)
}

/// Steps so many times, unless something else stops the program.
fn steps(console: &mut Console, session: &mut Session, rest: &str, go: &Go) -> Done {
    console.may_move()?;
    let times = count(rest)?;
    for i in 0..times {
        let halt = session.go(go, console)?;
        let is_done = matches!(halt, Halt::Stepped | Halt::Finished(_));
        if !is_done || i + 1 == times {
            return console.halted(session, halt);
        }
    }
    Ok(Then::Next)
}

pub(super) fn step(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    steps(console, session, rest, &Go::Step)
}

pub(super) fn next(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    steps(console, session, rest, &Go::Next)
}

pub(super) fn stepi(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    steps(console, session, rest, &Go::StepInstruction)
}

pub(super) fn nexti(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    steps(console, session, rest, &Go::NextInstruction)
}

pub(super) fn finish(console: &mut Console, session: &mut Session, _: &str) -> Done {
    console.may_move()?;
    console.go(session, &Go::Finish)
}

pub(super) fn until(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    console.may_move()?;
    match rest {
        "" => console.go(session, &Go::Until),
        place => console.go(session, &Go::Advance(place.to_string())),
    }
}

pub(super) fn advance(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    console.may_move()?;
    if rest.is_empty() {
        bail!("advance to where? A function, FILE:LINE or LINE");
    }
    console.go(session, &Go::Advance(rest.to_string()))
}

pub(super) fn kill(console: &mut Console, session: &mut Session, _: &str) -> Done {
    console.may_move()?;
    session.thread()?;
    session.end()?;
    console.say("The program was ended.");
    Ok(Then::Next)
}

pub(super) fn detach(console: &mut Console, session: &mut Session, _: &str) -> Done {
    console.may_move()?;
    session.thread()?;
    let process = session.program().process();
    session.detach()?;
    console.say(&format!("Process {process} goes on by itself."));
    Ok(Then::Next)
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

/// Whether the program stops when it gets a signal.
pub(super) fn handle(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let mut words = rest.split_whitespace();
    let usage = "handle SIGNAL stop|nostop";
    let (name, what) = (words.next().context(usage)?, words.next().context(usage)?);
    let all = 1..=31;
    let named = |n: &i32| signal_name(*n).split(',').next() == Some(name);
    let number = name.parse::<i32>().ok().filter(|n| all.contains(n)).or(all.clone().find(named));
    let number = number.with_context(|| format!("there is no signal `{name}`"))?;
    let tracer = session.program().debugger().tracer_mut();
    match what {
        "stop" => tracer.tell_signal(number),
        "nostop" => tracer.pass_signal(number),
        _ => bail!("{usage}"),
    }
    let verb = if what == "stop" { "stops" } else { "goes on" };
    console.say(&format!("The program {verb} when it gets {}.", signal_name(number)));
    Ok(Then::Next)
}

// ---- breakpoints -------------------------------------------------------------------------

fn set(console: &mut Console, session: &mut Session, rest: &str, once: bool) -> Done {
    let (place, condition) = match rest.split_once(" if ") {
        Some((place, condition)) => (place, Some(condition.trim())),
        None => match rest.strip_prefix("if ") {
            Some(condition) => ("", Some(condition.trim())),
            None => (rest, None),
        },
    };
    let number = session.set_break(place, condition, once, false)?;
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
    console.say(&text);
    Ok(Then::Next)
}

pub(super) fn set_break(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    set(console, session, rest, false)
}

pub(super) fn set_tbreak(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    set(console, session, rest, true)
}

fn set_watch(console: &mut Console, session: &mut Session, rest: &str, access: Access) -> Done {
    if rest.is_empty() {
        bail!("watch what? An expression such as q->count");
    }
    let number = session.set_watch(rest, access, false)?;
    let how = match access {
        Access::Write => "Watchpoint",
        Access::Read => "Read watchpoint",
        Access::ReadWrite => "Access watchpoint",
    };
    console.say(&format!("{how} {number}: {rest}"));
    Ok(Then::Next)
}

pub(super) fn watch(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    set_watch(console, session, rest, Access::Write)
}

pub(super) fn rwatch(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    set_watch(console, session, rest, Access::Read)
}

pub(super) fn awatch(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    set_watch(console, session, rest, Access::ReadWrite)
}

/// Numbers of breakpoints; none means all of the person's.
fn numbers(session: &Session, rest: &str) -> crate::Result<Vec<i64>> {
    let rest = rest.strip_prefix("breakpoints").unwrap_or(rest).trim();
    if rest.is_empty() {
        return Ok(session.points().filter(|(_, p)| !p.of_scenario).map(|(n, _)| n).collect());
    }
    rest.split_whitespace()
        .map(|n| n.parse().with_context(|| format!("`{n}` is no number of a breakpoint")))
        .collect()
}

pub(super) fn delete(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if let Some(rest) = rest.strip_prefix("checkpoint") {
        return super::monitors::delete_checkpoint(console, session, rest.trim());
    }
    for number in numbers(session, rest)? {
        session.remove_point(number)?;
    }
    Ok(Then::Next)
}

pub(super) fn clear(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let addresses = session.locate(rest)?;
    let there: Vec<i64> = session
        .points()
        .filter(|(_, p)| p.addresses.iter().any(|a| addresses.contains(a)) && !p.of_scenario)
        .map(|(n, _)| n)
        .collect();
    if there.is_empty() {
        bail!("there is no breakpoint at {rest}");
    }
    for number in there {
        session.remove_point(number)?;
        console.say(&format!("Breakpoint {number} is gone."));
    }
    Ok(Then::Next)
}

fn switch(session: &mut Session, rest: &str, on: bool) -> Done {
    for number in numbers(session, rest)? {
        session.enable_point(number, on)?;
    }
    Ok(Then::Next)
}

pub(super) fn disable(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if let Some(rest) = rest.strip_prefix("display") {
        return super::examine::undisplay(console, session, rest.trim());
    }
    switch(session, rest, false)
}

pub(super) fn enable(_: &mut Console, session: &mut Session, rest: &str) -> Done {
    switch(session, rest, true)
}

pub(super) fn condition(_: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (number, condition) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = number.parse().context("condition N [EXPRESSION]")?;
    session.set_condition(number, Some(condition.trim()).filter(|c| !c.is_empty()))?;
    Ok(Then::Next)
}

pub(super) fn ignore(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (number, hits) = rest.split_once(' ').context("ignore N COUNT")?;
    let (number, hits) = (number.parse().context("ignore N COUNT")?, hits.trim().parse()?);
    session.ignore_point(number, hits)?;
    console.say(&format!("The next {hits} hits of breakpoint {number} are passed."));
    Ok(Then::Next)
}

fn count(text: &str) -> crate::Result<u32> {
    match text {
        "" => Ok(1),
        n => n.parse().with_context(|| format!("`{n}` is no number of times")),
    }
}

impl Console {
    /// Refuses to move the program from inside a scenario.
    fn may_move(&self) -> crate::Result<()> {
        if self.in_scenario {
            bail!("a scenario moves the program with `continue`, `stop`, `restore` and `quit`");
        }
        if self.moved_elsewhere {
            bail!("the debugger that is connected moves the program: use its own command");
        }
        Ok(())
    }

    /// Lets the program go and shows where it stops.
    ///
    /// # Errors
    /// If it cannot go on.
    pub fn go(&mut self, session: &mut Session, go: &Go) -> Done {
        self.tell(&Happening::Running);
        let halt = session.go(go, self)?;
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
                self.exited(status);
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
            Halt::ScopeEnded(number, text) => {
                points.push(number);
                let head = format!(
                    "Watchpoint {number} is gone: the function of `{text}` has returned.\n"
                );
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
                (StopReason::Executed, "The process runs another program now.\n".to_string())
            }
        };
        self.stopped(session, reason, points, &head);
        if let Some(value) = value {
            let process = session.program().process();
            let shown = session.program().debugger().show(process, &value);
            let number = self.keep(&value);
            self.say(&format!("Value returned is ${number} = {shown}"));
        }
        self.show_displays(session);
        Ok(Then::Next)
    }
}

impl Console {
    fn exited(&mut self, status: ExitStatus) {
        self.status = Some(status);
        let (code, signal, text) = match status {
            ExitStatus::Code(0) => (Some(0), None, "The program has ended.".to_string()),
            ExitStatus::Code(code) => {
                (Some(code), None, format!("The program has ended with status {code}."))
            }
            ExitStatus::Signal(signal) => {
                let text = format!("The program was killed by {}.", signal_name(signal));
                (None, Some(signal), text)
            }
        };
        self.tell(&Happening::Exited { code, signal, text });
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
        self.tell_few_slices(session);
        self.tell_selected(session);
    }
}

/// A signal by its name.
pub fn signal_name(signal: i32) -> String {
    const NAMES: [(i32, &str, &str); 13] = [
        (1, "SIGHUP", "hangup"),
        (2, "SIGINT", "interrupt"),
        (3, "SIGQUIT", "quit"),
        (4, "SIGILL", "illegal instruction"),
        (5, "SIGTRAP", "trap"),
        (6, "SIGABRT", "aborted"),
        (7, "SIGBUS", "bus error"),
        (8, "SIGFPE", "arithmetic exception"),
        (9, "SIGKILL", "killed"),
        (10, "SIGUSR1", "user signal 1"),
        (11, "SIGSEGV", "segmentation fault"),
        (13, "SIGPIPE", "broken pipe"),
        (15, "SIGTERM", "terminated"),
    ];
    match NAMES.iter().find(|(n, ..)| *n == signal) {
        Some((_, name, text)) => format!("{name}, {text}"),
        None => format!("signal {signal}"),
    }
}
