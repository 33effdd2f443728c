//! What is done about signals.

use std::ops::RangeInclusive;

use watchword_native::Session;
use watchword_native::session::Handling;

use super::{Console, Done};
use crate::answer::{self, Answer};
use crate::error::{Context, bail};

/// All signals that have a name, with what they mean.
const NAMES: [(&str, &str); 31] = [
    ("SIGHUP", "hangup"),
    ("SIGINT", "interrupt"),
    ("SIGQUIT", "quit"),
    ("SIGILL", "illegal instruction"),
    ("SIGTRAP", "trap"),
    ("SIGABRT", "aborted"),
    ("SIGBUS", "bus error"),
    ("SIGFPE", "arithmetic exception"),
    ("SIGKILL", "killed"),
    ("SIGUSR1", "user signal 1"),
    ("SIGSEGV", "segmentation fault"),
    ("SIGUSR2", "user signal 2"),
    ("SIGPIPE", "broken pipe"),
    ("SIGALRM", "alarm clock"),
    ("SIGTERM", "terminated"),
    ("SIGSTKFLT", "stack fault"),
    ("SIGCHLD", "a child has changed"),
    ("SIGCONT", "continued"),
    ("SIGSTOP", "stopped"),
    ("SIGTSTP", "stopped by the person"),
    ("SIGTTIN", "stopped for input"),
    ("SIGTTOU", "stopped for output"),
    ("SIGURG", "urgent input"),
    ("SIGXCPU", "too much processor time"),
    ("SIGXFSZ", "too large a file"),
    ("SIGVTALRM", "virtual alarm clock"),
    ("SIGPROF", "profiling alarm clock"),
    ("SIGWINCH", "another size of the window"),
    ("SIGIO", "input or output is possible"),
    ("SIGPWR", "power failure"),
    ("SIGSYS", "bad system call"),
];

/// All signals.
const ALL: RangeInclusive<i32> = 1..=64;

/// The person interrupts with one of them, breakpoints are made of the other.
const OF_DEBUGGERS: [i32; 2] = [2, 5];

const USAGE: &str = "handle SIGNAL… stop|nostop print|noprint pass|nopass";

/// A signal by its name, and what it means.
pub fn signal_name(signal: i32) -> String {
    match named(signal) {
        (name, "") => name,
        (name, meaning) => format!("{name}, {meaning}"),
    }
}

fn named(signal: i32) -> (String, &'static str) {
    let known = usize::try_from(signal).ok().and_then(|n| NAMES.get(n.checked_sub(1)?));
    match known {
        Some((name, meaning)) => (name.to_string(), meaning),
        // The C library keeps some of these for itself; GDB calls them like this, too.
        None => (format!("SIG{signal}"), ""),
    }
}

/// The signals that a word means: a name, a number, a range of numbers, or all that programs do not need
/// for being debugged.
fn meant(word: &str) -> crate::Result<Vec<i32>> {
    if word == "all" {
        return Ok(ALL.filter(|n| !OF_DEBUGGERS.contains(n)).collect());
    }
    let number = |text: &str| text.parse::<i32>().ok().filter(|n| ALL.contains(n));
    if let Some((first, last)) = word.split_once('-')
        && let (Some(first), Some(last)) = (number(first), number(last))
    {
        return Ok((first..=last).collect());
    }
    let wanted = word.to_ascii_uppercase();
    let is_named = |n: &i32| {
        let (name, _) = named(*n);
        name == wanted || name.strip_prefix("SIG") == Some(wanted.as_str())
    };
    let found = number(word).or_else(|| ALL.clone().find(is_named));
    found.map(|n| vec![n]).with_context(|| format!("there is no signal `{word}`"))
}

/// A signal by its name or number.
pub(crate) fn signal_called(word: &str) -> crate::Result<i32> {
    match meant(word)?[..] {
        [signal] => Ok(signal),
        _ => bail!("`{word}` is more than one signal"),
    }
}

/// What is to be done when the program gets a signal.
pub(super) fn set(
    console: &mut Console,
    session: &mut Session,
    signal: i32,
    handling: Handling,
) -> Done {
    session.handle_signal(signal, handling);
    show(console, session, &[signal])
}

/// What is done about all signals that have a name.
pub(super) fn all(console: &mut Console, session: &mut Session) -> Done {
    info(console, session, "")
}

/// What is to be done when the program gets signals.
pub(super) fn handle(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let mut signals = Vec::new();
    let mut changes: Vec<fn(&mut Handling)> = Vec::new();
    for word in rest.split_whitespace() {
        changes.push(match word {
            "stop" => |h| (h.stop, h.print) = (true, true),
            "nostop" => |h| h.stop = false,
            "print" => |h| h.print = true,
            // What stops the program cannot be hidden.
            "noprint" => |h| (h.stop, h.print) = (false, false),
            "pass" | "noignore" => |h| h.pass = true,
            "nopass" | "ignore" => |h| h.pass = false,
            word => {
                signals.extend(meant(word)?);
                continue;
            }
        });
    }
    if signals.is_empty() {
        bail!("{USAGE}");
    }
    for &signal in &signals {
        let mut handling = session.handling(signal);
        changes.iter().for_each(|change| change(&mut handling));
        if !changes.is_empty() {
            session.handle_signal(signal, handling);
        }
    }
    show(console, session, &signals)
}

/// What is done about signals: one, or all that have a name.
pub(super) fn info(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let mut signals = Vec::new();
    for word in rest.split_whitespace() {
        signals.extend(meant(word)?);
    }
    if signals.is_empty() {
        signals.extend(1..=NAMES.len() as i32);
    }
    show(console, session, &signals)
}

fn show(console: &mut Console, session: &Session, signals: &[i32]) -> Done {
    let row = |name: &str, [stop, print, pass]: [&str; 3], meaning: &str| {
        format!("{name:<10} {stop:<5} {print:<6} {pass:<16} {meaning}").trim_end().to_string()
    };
    let mut lines = vec![row("Signal", ["Stop", "Print", "Pass to program"], "Meaning")];
    let mut told = Vec::new();
    for &number in signals {
        let (name, meaning) = named(number);
        let Handling { stop, print, pass } = session.handling(number);
        lines.push(row(
            &name,
            [stop, print, pass].map(|yes| if yes { "yes" } else { "no" }),
            meaning,
        ));
        told.push(answer::Signal { number, name, stop, print, pass });
    }
    console.answer(Answer::Signals(told), lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names_and_numbers() {
        assert_eq!(meant("SIGUSR1").unwrap(), [10]);
        assert_eq!(meant("usr2").unwrap(), [12]);
        assert_eq!(meant("14").unwrap(), [14]);
        assert_eq!(meant("14-16").unwrap(), [14, 15, 16]);
        assert_eq!(meant("SIG34").unwrap(), [34]);
        assert_eq!(meant("all").unwrap().len(), 62);
        for wrong in ["", "0", "65", "SIGNAL", "1-65", "-", "x-3"] {
            assert!(meant(wrong).is_err(), "{wrong}");
        }
        assert_eq!(signal_name(11), "SIGSEGV, segmentation fault");
        assert_eq!(signal_name(31), "SIGSYS, bad system call");
        assert_eq!(signal_name(40), "SIG40");
    }
}
