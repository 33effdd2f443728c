//! Commands that let the program go, and breakpoints.

use anyhow::{Context, bail};
use watchword_debug::{Access, ExitStatus};
use watchword_native::session::{Go, Halt, PointKind};
use watchword_native::{Session, signals};

use super::{Done, Then, Ui};

pub(super) fn run(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    if !rest.is_empty() {
        bail!("the program's arguments come after `--` on the command line");
    }
    ui.may_move()?;
    if session.is_running() || !session.is_alive() {
        session.restart()?;
    }
    ui.go(session, &Go::Continue)
}

pub(super) fn start(ui: &mut Ui, session: &mut Session, _: &str) -> Done {
    ui.may_move()?;
    if session.is_running() || !session.is_alive() {
        session.restart()?;
    }
    session.set_break("main", None, true, false)?;
    ui.go(session, &Go::Continue)
}

pub(super) fn resume(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
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
    ui.may_move()?;
    ui.go(session, &Go::Continue)
}

/// Steps so many times, unless something else stops the program.
fn steps(ui: &mut Ui, session: &mut Session, rest: &str, go: &Go) -> Done {
    ui.may_move()?;
    let times = count(rest)?;
    for i in 0..times {
        let halt = session.go(go, ui)?;
        let is_done = matches!(halt, Halt::Stepped | Halt::Finished(_));
        if !is_done || i + 1 == times {
            return ui.halted(session, halt);
        }
    }
    Ok(Then::Next)
}

pub(super) fn step(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    steps(ui, session, rest, &Go::Step)
}

pub(super) fn next(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    steps(ui, session, rest, &Go::Next)
}

pub(super) fn stepi(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    steps(ui, session, rest, &Go::StepInstruction)
}

pub(super) fn nexti(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    steps(ui, session, rest, &Go::NextInstruction)
}

pub(super) fn finish(ui: &mut Ui, session: &mut Session, _: &str) -> Done {
    ui.may_move()?;
    ui.go(session, &Go::Finish)
}

pub(super) fn until(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    ui.may_move()?;
    match rest {
        "" => ui.go(session, &Go::Until),
        place => ui.go(session, &Go::Advance(place.to_string())),
    }
}

pub(super) fn advance(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    ui.may_move()?;
    if rest.is_empty() {
        bail!("advance to where? A function, FILE:LINE or LINE");
    }
    ui.go(session, &Go::Advance(rest.to_string()))
}

pub(super) fn kill(ui: &mut Ui, session: &mut Session, _: &str) -> Done {
    ui.may_move()?;
    session.thread()?;
    session.end()?;
    ui.say("The program was ended.");
    Ok(Then::Next)
}

pub(super) fn detach(ui: &mut Ui, session: &mut Session, _: &str) -> Done {
    ui.may_move()?;
    session.thread()?;
    let process = session.program().process();
    session.detach()?;
    ui.say(&format!("Process {process} goes on by itself."));
    Ok(Then::Next)
}

pub(super) fn quit(_: &mut Ui, session: &mut Session, _: &str) -> Done {
    if session.is_alive() {
        match session.is_attached() {
            true => session.detach()?,
            false => session.end()?,
        }
    }
    Ok(Then::Quit)
}

pub(super) fn source(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    /// Files that run each other for ever end here.
    const DEEPEST: usize = 20;
    if ui.depth == DEEPEST {
        bail!("{rest}: {DEEPEST} files of commands run each other; that is too many");
    }
    let text = std::fs::read_to_string(rest).with_context(|| format!("cannot read {rest}"))?;
    ui.depth += 1;
    let done = ui.script(session, &text, rest);
    ui.depth -= 1;
    done
}

// ---- breakpoints -------------------------------------------------------------------------

fn set(ui: &mut Ui, session: &mut Session, rest: &str, once: bool) -> Done {
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
    ui.say(&text);
    Ok(Then::Next)
}

pub(super) fn set_break(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    set(ui, session, rest, false)
}

pub(super) fn set_tbreak(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    set(ui, session, rest, true)
}

fn set_watch(ui: &mut Ui, session: &mut Session, rest: &str, access: Access) -> Done {
    if rest.is_empty() {
        bail!("watch what? An expression such as q->count");
    }
    let number = session.set_watch(rest, access, false)?;
    let how = match access {
        Access::Write => "Watchpoint",
        Access::Read => "Read watchpoint",
        Access::ReadWrite => "Access watchpoint",
    };
    ui.say(&format!("{how} {number}: {rest}"));
    Ok(Then::Next)
}

pub(super) fn watch(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    set_watch(ui, session, rest, Access::Write)
}

pub(super) fn rwatch(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    set_watch(ui, session, rest, Access::Read)
}

pub(super) fn awatch(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    set_watch(ui, session, rest, Access::ReadWrite)
}

/// Numbers of breakpoints; none means all of the person's.
fn numbers(session: &Session, rest: &str) -> anyhow::Result<Vec<i64>> {
    let rest = rest.strip_prefix("breakpoints").unwrap_or(rest).trim();
    if rest.is_empty() {
        return Ok(session.points().filter(|(_, p)| !p.of_scenario).map(|(n, _)| n).collect());
    }
    rest.split_whitespace()
        .map(|n| n.parse().with_context(|| format!("`{n}` is no number of a breakpoint")))
        .collect()
}

pub(super) fn delete(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    if let Some(rest) = rest.strip_prefix("checkpoint") {
        return super::monitors::delete_checkpoint(ui, session, rest.trim());
    }
    for number in numbers(session, rest)? {
        session.remove_point(number)?;
    }
    Ok(Then::Next)
}

pub(super) fn clear(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
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
        ui.say(&format!("Breakpoint {number} is gone."));
    }
    Ok(Then::Next)
}

fn switch(session: &mut Session, rest: &str, on: bool) -> Done {
    for number in numbers(session, rest)? {
        session.enable_point(number, on)?;
    }
    Ok(Then::Next)
}

pub(super) fn disable(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    if let Some(rest) = rest.strip_prefix("display") {
        return super::examine::undisplay(ui, session, rest.trim());
    }
    switch(session, rest, false)
}

pub(super) fn enable(_: &mut Ui, session: &mut Session, rest: &str) -> Done {
    switch(session, rest, true)
}

pub(super) fn condition(_: &mut Ui, session: &mut Session, rest: &str) -> Done {
    let (number, condition) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = number.parse().context("condition N [EXPRESSION]")?;
    session.set_condition(number, Some(condition.trim()).filter(|c| !c.is_empty()))?;
    Ok(Then::Next)
}

pub(super) fn ignore(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    let (number, hits) = rest.split_once(' ').context("ignore N COUNT")?;
    let (number, hits) = (number.parse().context("ignore N COUNT")?, hits.trim().parse()?);
    session.ignore_point(number, hits)?;
    ui.say(&format!("The next {hits} hits of breakpoint {number} are passed."));
    Ok(Then::Next)
}

fn count(text: &str) -> anyhow::Result<u32> {
    match text {
        "" => Ok(1),
        n => n.parse().with_context(|| format!("`{n}` is no number of times")),
    }
}

impl Ui {
    /// Refuses to move the program from inside a scenario.
    fn may_move(&self) -> anyhow::Result<()> {
        if self.in_scenario {
            bail!("a scenario moves the program with `continue`, `stop`, `restore` and `quit`");
        }
        Ok(())
    }

    /// Lets the program go and shows where it stops.
    pub fn go(&mut self, session: &mut Session, go: &Go) -> Done {
        let halt = session.go(go, self)?;
        self.halted(session, halt)
    }

    /// Runs the commands of a script until one fails or somebody interrupts.
    pub fn script(&mut self, session: &mut Session, text: &str, name: &str) -> Done {
        // What interrupted the program before was not about the script.
        signals::was_interrupted();
        for (i, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let done = self.execute(session, line);
            if done.with_context(|| format!("{name}:{}", i + 1))? == Then::Quit {
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
        let head = match halt {
            Halt::Exited(status) => {
                self.status = Some(status);
                self.say(&match status {
                    ExitStatus::Code(0) => "The program has ended.".to_string(),
                    ExitStatus::Code(code) => format!("The program has ended with status {code}."),
                    ExitStatus::Signal(signal) => {
                        format!("The program was killed by {}.", signal_name(signal))
                    }
                });
                return Ok(Then::Next);
            }
            Halt::Quit => return quit(self, session, ""),
            Halt::Breakpoint(numbers) => format!("Breakpoint {}, ", names(&numbers)),
            Halt::Watchpoint { number, text, old, new, is_read } => {
                let none = || "<cannot be read>".to_string();
                let (old, new) = (old.unwrap_or_else(none), new.unwrap_or_else(none));
                match is_read {
                    true => format!("Watchpoint {number}: {text}\n  Value = {new}\n"),
                    false => {
                        format!(
                            "Watchpoint {number}: {text}\n  Old value = {old}\n  New value = {new}\n"
                        )
                    }
                }
            }
            Halt::ScopeEnded(number, text) => {
                format!("Watchpoint {number} is gone: the function of `{text}` has returned.\n")
            }
            Halt::Signal(signal) => format!("The program got {}.\n", signal_name(signal)),
            Halt::Finished(result) => {
                value = result;
                "Run till exit, ".to_string()
            }
            Halt::Interrupted => "Interrupted.\n".to_string(),
            Halt::Violation | Halt::Stepped => String::new(),
            Halt::Scenario(Some(message)) => {
                format!("The scenario stops here: {}\n", crate::output::style::harmless(&message))
            }
            Halt::Scenario(None) => "The scenario stops here.\n".to_string(),
            Halt::Executed => "The process runs another program now.\n".to_string(),
        };
        self.show_place(session, &head);
        if let Some(value) = value {
            let process = session.program().process();
            let shown = session.program().debugger().show(process, &value);
            self.results.push(shown.clone());
            self.say(&format!("Value returned is ${} = {shown}", self.results.len()));
        }
        self.show_displays(session);
        Ok(Then::Next)
    }
}

/// A signal by its name.
fn signal_name(signal: i32) -> String {
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
