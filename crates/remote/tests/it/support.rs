//! Compiling programs, serving a session on a port, and running debuggers.

use std::ffi::OsString;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

use watchword_native::session::Origin;
use watchword_native::{Session, Settings};
use watchword_remote::{Connection, serve};
use watchword_session::{Console, Options, PropertyFiles};
pub use watchword_testing::alone;

/// Whether a debugger is here; without it a test is skipped, by name, but not in CI.
pub fn has(debugger: &str, test: &str) -> bool {
    let mut command = Command::new(debugger);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    let found = command.status().is_ok_and(|s| s.success());
    if !found {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs {debugger}");
        eprintln!("skipped {test}: there is no {debugger}");
    }
    found
}

/// A file of the examples or of these tests.
pub fn file(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["tests/programs", "../../examples/native"];
    let found = places.iter().map(|p| here.join(p).join(name)).find(|p| p.exists());
    found.unwrap_or_else(|| panic!("there is no {name}")).canonicalize().unwrap()
}

/// Compiles a program.
pub fn compile(name: &str) -> PathBuf {
    watchword_testing::compile(&file(name), &Path::new(env!("CARGO_TARGET_TMPDIR")).join("remote"))
}

/// A session that waits for a debugger on a port.
pub struct Served {
    pub port: u16,
    thread: Option<JoinHandle<()>>,
}

/// Serves a session; properties are loaded before.
pub fn session(origin: Origin, properties: &[&str]) -> Served {
    session_after(origin, properties, &[])
}

/// Serves a session after some commands of the prompt.
pub fn session_after(
    origin: Origin,
    properties: &[&str],
    commands: &'static [&'static str],
) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let names: Vec<String> = properties.iter().map(|p| file(p).display().to_string()).collect();
    let thread = std::thread::spawn(move || {
        let mut session = Session::new(origin, Settings::default()).unwrap();
        let mut console = Console::new(Options::default(), Box::new(PropertyFiles));
        if !names.is_empty() {
            console.load(&mut session, &names).unwrap();
        }
        for command in commands {
            console.execute(&mut session, command).unwrap();
        }
        let connection = Connection::accept(&listener).unwrap();
        serve(&mut session, &mut console, connection).unwrap();
        assert!(!session.is_alive(), "a program was left behind");
    });
    Served { port, thread: Some(thread) }
}

/// A program that is started.
pub fn launched(program: &Path, args: &[&str]) -> Origin {
    let command = [program.as_os_str().to_os_string()];
    Origin::Command(command.into_iter().chain(args.iter().map(OsString::from)).collect())
}

impl Served {
    /// The debugger is done: so is the session, and nothing is left of the program.
    pub fn end(mut self) {
        self.thread.take().unwrap().join().expect("the session ends well");
    }
}

/// A debugger's answers to commands, in their order.
pub fn answers(output: &str, marks: usize) -> Vec<String> {
    let mut answers = Vec::new();
    let mut rest = output;
    for mark in 0..marks {
        let begin = format!("@@{mark}@@");
        let Some(at) = rest.find(&begin) else {
            answers.push("(the command was not run)".to_string());
            continue;
        };
        let after = &rest[at + begin.len()..];
        let end = after.find("@@").unwrap_or(after.len());
        answers.push(after[..end].to_string());
        rest = &after[end..];
    }
    answers
}

/// A command and what its answer contains: one of the texts between bars; with `!` before it, what it does
/// not contain; nothing, if the debugger prints nothing. Debuggers print what they object to.
pub type Check<'a> = (&'a str, &'a str);

fn holds(want: &str, answer: &str) -> bool {
    match want.strip_prefix('!') {
        Some(unwanted) => !answer.trim().is_empty() && !answer.contains(unwanted),
        None if want.is_empty() => answer.trim().is_empty(),
        None => want.split('|').any(|w| answer.contains(w)),
    }
}

/// Compares a debugger's answers; all that are wrong are told at once.
pub fn compare(checks: &[Check<'_>], answers: &[String], output: &str) {
    let wrong: Vec<String> = checks
        .iter()
        .zip(answers)
        .filter(|((_, want), answer)| !holds(want, answer))
        .map(|((command, want), answer)| format!("`{command}`: no `{want}` in `{}`", answer.trim()))
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}\n\nall:\n{output}", wrong.len(), wrong.join("\n"));
}

/// Runs a debugger with a limit of time; answers everything it printed.
pub fn run(program: &str, args: &[String]) -> String {
    let mut command = Command::new("timeout");
    command.args(["120", "sh", "-c", "exec \"$@\" 2>&1", "sh", program]).args(args);
    command.stdin(Stdio::null()).env("HOME", env!("CARGO_TARGET_TMPDIR")).env("LC_ALL", "C");
    let output = command.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
