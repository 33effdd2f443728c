//! Commands with bodies: what runs when a breakpoint is hit, commands people define, `if`, `while`.
//!
//! The lines up to `end` are the body. Lines that are to be run are queued in `Console::pending`, so
//! that a body may resume the program: what a breakpoint had left to do is dropped at the next stop,
//! what a defined command has left to do is done after it, as in GDB.

use std::collections::VecDeque;
use std::mem;

use watchword_native::{Session, signals};

use super::{Console, Done, Then, commands};
use crate::error::{Context, bail};

/// Commands that call each other deeper than this do so for ever.
const DEEPEST: u32 = 200;

/// Lines that are collected until `end`.
pub(super) struct Collecting {
    what: Body,
    lines: Vec<String>,
    /// How many bodies inside this one are open.
    open: u32,
    /// Where the lines stand.
    from: From,
}

enum Body {
    /// For breakpoints.
    Points(Vec<i64>),
    /// For a command of this name.
    Command(String),
    /// To be run if this holds; `else` divides it.
    If(String),
    /// To be run as long as this holds.
    While(String),
}

/// Where a line that is to be run stands.
#[derive(Clone, Copy, Default)]
pub(super) struct From {
    /// Whether a breakpoint brought it: then it is dropped when the program stops again.
    is_of_point: bool,
    /// How many commands call each other.
    depth: u32,
}

/// A line that is to be run.
pub(super) struct Line {
    text: String,
    from: From,
}

/// Whether the lines after this one, up to its own `end`, belong to it.
fn opens(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    ["commands", "define", "if", "while"].contains(&word)
}

fn begin(console: &mut Console, what: Body) -> Done {
    let from = console.running;
    console.collecting = Some(Collecting { what, lines: Vec::new(), open: 0, from });
    Ok(Then::Next)
}

/// `commands [N…]`: the lines that follow are run when these breakpoints, or the last one, are hit.
pub(super) fn attach(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let mut numbers = Vec::new();
    for word in rest.split_whitespace() {
        let number: i64 =
            word.parse().with_context(|| format!("`{word}` is no number of a breakpoint"))?;
        if !session.points().any(|(n, _)| n == number) {
            bail!("there is no breakpoint number {number}");
        }
        numbers.push(number);
    }
    if numbers.is_empty() {
        let last = session.points().filter(|(_, p)| !p.of_scenario).map(|(n, _)| n).max();
        numbers.push(last.context("there is no breakpoint")?);
    }
    begin(console, Body::Points(numbers))
}

/// `define NAME`: the lines that follow are what the command does.
pub(super) fn define(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if rest.is_empty() || !rest.chars().all(is_name) {
        bail!("define NAME: letters, digits, `_` and `-`");
    }
    let is_taken = |name| commands::find(name).is_ok_and(|(command, _)| command.is_called(name));
    if is_taken(rest) || rest == "end" || rest == "else" {
        bail!("`{rest}` is a command already");
    }
    begin(console, Body::Command(rest.to_string()))
}

/// `if EXPRESSION`: the lines up to `else` or `end` are run if it is not zero.
pub(super) fn conditional(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    if rest.is_empty() {
        bail!("if EXPRESSION");
    }
    begin(console, Body::If(rest.to_string()))
}

/// `while EXPRESSION`: the lines up to `end` are run as long as it is not zero.
pub(super) fn repeat(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    if rest.is_empty() {
        bail!("while EXPRESSION");
    }
    begin(console, Body::While(rest.to_string()))
}

impl Console {
    /// Whether lines are being collected for a body: a front end may show that.
    pub fn is_collecting(&self) -> bool {
        self.collecting.is_some()
    }

    /// Forgets a body that was begun, and lines that are to be run.
    pub fn forget_bodies(&mut self) {
        self.collecting = None;
        self.pending.clear();
    }

    /// A line of a body. The last one, `end`, says what becomes of it.
    ///
    /// # Errors
    /// If the condition of `if` or `while` cannot be evaluated.
    pub(super) fn collect(&mut self, session: &mut Session, line: &str) -> Done {
        let line = line.trim();
        let Some(mut collecting) = self.collecting.take() else { return Ok(Then::Next) };
        let is_end = line == "end";
        if !is_end || collecting.open > 0 {
            collecting.open += u32::from(opens(line));
            collecting.open -= u32::from(is_end);
            if !line.is_empty() {
                collecting.lines.push(line.to_string());
            }
            self.collecting = Some(collecting);
            return Ok(Then::Next);
        }
        let Collecting { what, lines, from, .. } = collecting;
        match what {
            Body::Points(numbers) => {
                for number in numbers {
                    match lines.is_empty() {
                        true => self.attached.remove(&number),
                        false => self.attached.insert(number, lines.clone()),
                    };
                }
            }
            Body::Command(name) => {
                self.defined.insert(name, lines);
            }
            Body::If(condition) => {
                let (mut then, mut otherwise) = halves(lines);
                let holds = self.holds(session, &condition)?;
                let chosen = mem::take(if holds { &mut then } else { &mut otherwise });
                self.run_next(chosen, from);
            }
            Body::While(condition) => {
                if self.holds(session, &condition)? {
                    let again = format!("while {condition}");
                    let whole = [again].into_iter().chain(lines.clone()).chain(["end".into()]);
                    self.run_next(lines.into_iter().chain(whole), from);
                }
            }
        }
        Ok(Then::Next)
    }

    /// Puts lines before all others that are to be run.
    fn run_next(&mut self, lines: impl IntoIterator<Item = String>, from: From) {
        let mut next: VecDeque<Line> = lines.into_iter().map(|text| Line { text, from }).collect();
        next.append(&mut self.pending);
        self.pending = next;
    }

    /// If the line is a command that was defined: its body is to be run next.
    ///
    /// # Errors
    /// If commands call each other for ever.
    pub(super) fn expand_defined(&mut self, line: &str) -> crate::Result<bool> {
        let mut words = line.split_whitespace();
        let Some(body) = words.next().and_then(|name| self.defined.get(name)) else {
            return Ok(false);
        };
        let from = From { depth: self.running.depth + 1, ..self.running };
        if from.depth > DEEPEST {
            bail!("`{line}`: {DEEPEST} commands call each other; that is too many");
        }
        let args: Vec<&str> = words.collect();
        let filled = |line: &String| {
            // From behind, so that $arg1 does not take a part of $arg10.
            let mut text = line.clone();
            for (i, arg) in args.iter().enumerate().rev() {
                text = text.replace(&format!("$arg{i}"), arg);
            }
            text.replace("$argc", &args.len().to_string())
        };
        let lines: Vec<String> = body.iter().map(filled).collect();
        self.run_next(lines, from);
        Ok(true)
    }

    /// The program stopped, perhaps at breakpoints: what is attached to them is run next. What
    /// another breakpoint had left to do is dropped.
    pub(super) fn hit(&mut self, numbers: &[i64]) {
        if self.moved_elsewhere || self.in_scenario {
            return;
        }
        self.stops += 1;
        self.pending.retain(|line| !line.from.is_of_point);
        let attached = numbers.iter().filter_map(|n| self.attached.get(n)).flatten();
        let lines: Vec<String> = attached.filter(|l| *l != "silent").cloned().collect();
        self.run_next(lines, From { is_of_point: true, depth: 0 });
    }

    /// Whether nothing is to be said about a stop at these breakpoints.
    pub(super) fn is_silent(&self, numbers: &[i64]) -> bool {
        let says = |n: &i64| {
            self.attached.get(n).is_none_or(|lines| lines.first().is_none_or(|l| l != "silent"))
        };
        !numbers.is_empty() && !numbers.iter().any(says)
    }

    /// Runs a line and everything that follows from it, apart from what is to be run anyway.
    pub(super) fn execute_all(&mut self, session: &mut Session, line: &str) -> Done {
        let (later, stops) = (mem::take(&mut self.pending), self.stops);
        let running = mem::take(&mut self.running);
        let done = match self.execute_one(session, line) {
            Ok(Then::Next) => self.run_pending(session),
            done => done,
        };
        self.running = running;
        let has_stopped = self.stops != stops;
        if done.is_ok() {
            self.pending.extend(later.into_iter().filter(|l| !has_stopped || !l.from.is_of_point));
        }
        done
    }

    /// Runs the lines that are to be run next, until one fails or somebody interrupts.
    ///
    /// # Errors
    /// That of the line that fails; those after it are forgotten.
    pub fn run_pending(&mut self, session: &mut Session) -> Done {
        while let Some(line) = self.pending.pop_front() {
            let running = mem::replace(&mut self.running, line.from);
            let done = match self.collecting {
                Some(_) => self.collect(session, &line.text),
                None => self.execute_one(session, &line.text),
            };
            self.running = running;
            match done {
                Ok(Then::Next) => {}
                Ok(Then::Quit) => return Ok(Then::Quit),
                Err(e) => {
                    self.forget_bodies();
                    return Err(e);
                }
            }
            if !self.pending.is_empty() && signals::was_interrupted() {
                self.interrupted = true;
                self.forget_bodies();
                bail!("interrupted; the commands that were left are not run");
            }
        }
        Ok(Then::Next)
    }
}

/// The lines before and after the `else` that belongs to them.
fn halves(mut lines: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut open = 0u32;
    let divides = |line: &String| {
        if line == "end" {
            open = open.saturating_sub(1);
        }
        open += u32::from(opens(line));
        line == "else" && open == 0
    };
    match lines.iter().position(divides) {
        Some(at) => {
            let otherwise = lines.split_off(at + 1);
            lines.pop();
            (lines, otherwise)
        }
        None => (lines, Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_else_of_an_inner_if_is_not_ours() {
        let lines = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let (then, otherwise) = halves(lines("if a else b end c else d"));
        assert_eq!((then, otherwise), (lines("if a else b end c"), lines("d")));
        assert_eq!(halves(lines("a b")), (lines("a b"), Vec::new()));
    }
}
