//! The command line of Watchword: flags become validated objects, objects become calls.
//!
//! The library half exists for the binary, its tests and its benchmarks; other programs embed
//! `watchword-monitor`. [`inputs`] opens recorded traces, [`commands`] has one file per command, and
//! [`output`] prints results for people and programs.

pub mod args;
pub mod check;
pub mod classes;
pub mod clauses;
pub mod commands;
pub mod compiled;
pub mod inputs;
pub mod jvm;
pub mod live;
pub mod output;
pub mod prompt;
pub mod properties;
pub mod reduced;
pub mod residual;
pub mod watch;

use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;

/// The version and the commit it was built from: `0.1.0 (33f0668 2026-11-18)`, or `0.1.0 (commit unknown)`.
pub const VERSION: &str = {
    const COMMIT: &str = env!("WATCHWORD_COMMIT");
    match COMMIT.as_bytes() {
        b"unknown" => concat!(env!("CARGO_PKG_VERSION"), " (commit unknown)"),
        _ => concat!(env!("CARGO_PKG_VERSION"), " (", env!("WATCHWORD_COMMIT"), ")"),
    }
};

/// How a command ended. Errors of the user and of the input are `Err`, status 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to complain about.
    Clean,
    /// Violations were found, or a check failed.
    Found,
    /// A program was run: its own exit status.
    Status(u8),
}

/// An error that the user must correct; its message is already printed.
#[derive(Debug)]
pub struct Reported;

impl std::fmt::Display for Reported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("see above")
    }
}

impl std::error::Error for Reported {}

/// Runs the command that the arguments of this process name.
pub fn main() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            let words: Vec<String> = std::env::args().collect();
            let tip = match error.kind() {
                clap::error::ErrorKind::UnknownArgument => no_dashes(&words),
                clap::error::ErrorKind::MissingRequiredArgument => no_property(&words, &error),
                _ => None,
            };
            if let Some(tip) = tip {
                eprintln!("\n{tip}");
            }
            return ExitCode::from(match printed {
                _ if error.use_stderr() => 2,
                Err(why) if why.kind() != std::io::ErrorKind::BrokenPipe => {
                    output::error(false, &anyhow::Error::from(why).context("cannot print"));
                    2
                }
                _ => 0,
            });
        }
    };
    let color = cli.global.color_on_stderr();
    ExitCode::from(guard(color, || commands::run(cli)))
}

/// What is nearly always meant by a command line with an argument that nobody knows: that of the program
/// that is to be run.
fn no_dashes(words: &[String]) -> Option<String> {
    let forgotten = !words.iter().any(|word| word == "--");
    let (command, program) = match words.get(1).filter(|_| forgotten)?.as_str() {
        "java" => ("java", "-jar app.jar"),
        "run" => ("run", "./program"),
        "debug" => ("debug", "./program"),
        _ => return None,
    };
    Some(format!(
        "The program and its arguments come after `--`: watchword {command} -p PROP -- {program}"
    ))
}

/// What to type if no property is named: `-p` before the first word that looks like one.
fn no_property(words: &[String], error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if !missing.iter().any(|argument| argument.contains("--property")) {
        return None;
    }
    let ours = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let Some(at) = words[..ours].iter().position(|word| properties::is_name(word)) else {
        return Some(
            "Say what is to be checked with `-p`: a file, `-p my.ww`, or a shipped property, `-p std/reply` \
             (`watchword list` names them)"
                .to_string(),
        );
    };
    let mut typed: Vec<&str> = vec!["watchword"];
    for (i, word) in words.iter().enumerate().skip(1) {
        typed.extend((i == at).then_some("-p"));
        typed.push(word);
    }
    Some(format!("A property needs `-p`: {}", typed.join(" ")))
}

/// Runs a command and turns what comes of it into an exit status: a broken pipe is success, an
/// error is the user's, a panic is ours.
pub fn guard(color: bool, command: impl FnOnce() -> anyhow::Result<Outcome>) -> u8 {
    static PANIC: Mutex<Option<String>> = Mutex::new(None);
    panic::set_hook(Box::new(|info| {
        if let Ok(mut slot) = PANIC.lock() {
            slot.get_or_insert(info.to_string());
        }
    }));
    let result = panic::catch_unwind(AssertUnwindSafe(command));
    let _ = panic::take_hook();
    match result {
        Ok(Ok(Outcome::Clean)) => 0,
        Ok(Ok(Outcome::Found)) => 1,
        Ok(Ok(Outcome::Status(status))) => status,
        Ok(Err(error)) if is_broken_pipe(&error) => 0,
        Ok(Err(error)) => {
            if !error.is::<Reported>() {
                output::error(color, &error);
            }
            2
        }
        Err(_) => {
            let what = PANIC.lock().ok().and_then(|mut slot| slot.take()).unwrap_or_default();
            output::internal_error(color, &what);
            3
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_a_command_is_its_status() {
        assert_eq!(guard(false, || Ok(Outcome::Clean)), 0);
        assert_eq!(guard(false, || Ok(Outcome::Found)), 1);
        assert_eq!(guard(false, || anyhow::bail!("no such file")), 2);
        assert_eq!(guard(false, || panic!("a defect")), 3);
        let pipe = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        assert_eq!(guard(false, || Err(anyhow::Error::from(pipe).context("writing"))), 0);
    }
}
