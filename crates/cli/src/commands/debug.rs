//! `watchword debug [-p PROP…] [-s SCENARIO] -- PROG ARGS`.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

use anyhow::{Context, bail};
use watchword_dap::Configuration;
use watchword_debug::ExitStatus;
use watchword_native::session::{Go, Halt, Origin};
use watchword_native::{Session, Settings, signals, streams};
use watchword_remote::{Connection, GDB_SCRIPT};
use watchword_session::{Console, Then};

use crate::Outcome;
use crate::args::{Checkpoints, Global, Reading};
use crate::commands::run::shell_status;
use crate::live::{Asked, View, ViewFlags};
use crate::prompt::{self, Lines, lifted};
use crate::properties;

/// Debug a native program with properties: it stops where one is violated.
///
/// Without a scenario, the program stops at every violation. The commands are those of GDB, and
/// further ones for monitors and checkpoints; `help` at the prompt lists them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword debug -p queue.ww -- ./queue 5 20\n  \
    watchword debug -p sudoku.ww -s sudoku.scn -- ./sudoku puzzle.txt\n  \
    watchword debug --attach 4711\n  \
    watchword debug --checkpoint criu -p queue.ww -- ./queue 5 20\n  \
    watchword debug -x commands.txt --batch -- ./queue\n  \
    gdb -ex 'target remote | watchword debug --gdb stdio -p queue.ww -- ./queue 5 20' ./queue\n  \
    watchword debug --gdb 2345 -p queue.ww -- ./queue 5 20\n  \
    watchword debug --gdb-script > watchword.py\n  \
    watchword debug --dap\n  \
    watchword debug --view -p queue.ww -- ./queue 5 20\n\n\
    Exit status: the program's own with --batch (128 plus the signal if it was killed), or what\n\
    --error-exitcode says if a property was violated; 2 if it could not be started.")]
pub struct Args {
    /// A property file, or a shipped property; may be repeated
    #[arg(short = 'p', long = "property", value_name = "PROP")]
    properties: Vec<String>,
    #[command(flatten)]
    reading: Reading,
    /// A scenario: what happens when monitors change their states
    #[arg(short, long, value_name = "SCENARIO")]
    scenario: Option<String>,
    /// Attach to this running process instead of starting one
    #[arg(long, value_name = "PID", conflicts_with = "command")]
    attach: Option<i32>,
    /// Execute the commands of this file first; may be repeated
    #[arg(short = 'x', long = "command", value_name = "SCRIPT")]
    scripts: Vec<PathBuf>,
    /// No prompt: after the scripts, run the program to its end and exit with its status
    #[arg(long)]
    batch: bool,
    /// With --batch: exit with this status if a property was violated
    #[arg(long, value_name = "N", requires = "batch")]
    error_exitcode: Option<u8>,
    /// The number of events of an instance in a report; 0 keeps none
    #[arg(long, value_name = "N", default_value_t = 10)]
    history: usize,
    #[command(flatten)]
    checkpoints: Checkpoints,
    /// Let GDB or LLDB connect instead of showing a prompt: on this port of the loopback interface
    /// (0 chooses one), or over standard input and output
    #[arg(long, value_name = "PORT|stdio", conflicts_with_all = ["batch"])]
    gdb: Option<Front>,
    /// Let an editor connect by the Debug Adapter Protocol: over standard input and output, or on this
    /// port of the loopback interface (0 chooses one). The editor may name program and properties
    #[arg(long, value_name = "PORT|stdio", num_args = 0..=1, default_missing_value = "stdio",
          require_equals = true, conflicts_with_all = ["batch", "gdb", "scripts"])]
    dap: Option<Front>,
    #[command(flatten)]
    view: ViewFlags,
    /// Print commands for GDB (checkpoint, restart, verde …), to be loaded with its `source`
    #[arg(long, exclusive = true)]
    gdb_script: bool,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROG ARGS")]
    command: Vec<OsString>,
}

/// Where a debugger or an editor connects.
#[derive(Clone, Copy, Debug)]
enum Front {
    Port(u16),
    Streams,
}

impl std::str::FromStr for Front {
    type Err = String;

    fn from_str(text: &str) -> Result<Front, String> {
        match text {
            "stdio" | "-" => Ok(Front::Streams),
            _ => text.parse().map(Front::Port).map_err(|_| {
                "a port number, or `stdio`; only this machine can connect".to_string()
            }),
        }
    }
}

/// Where one will connect, before the program is started.
enum Waiting {
    Listener(TcpListener),
    Streams(File, File),
}

impl Front {
    fn prepare(self) -> anyhow::Result<Waiting> {
        Ok(match self {
            Front::Port(port) => Waiting::Listener(
                TcpListener::bind((Ipv4Addr::LOCALHOST, port))
                    .with_context(|| format!("cannot listen on port {port}"))?,
            ),
            Front::Streams => {
                let (input, output) =
                    streams::take().context("cannot use standard input and output")?;
                Waiting::Streams(input, output)
            }
        })
    }
}

impl Waiting {
    fn connection(self) -> anyhow::Result<Connection> {
        Ok(match self {
            Waiting::Streams(input, output) => Connection::new(input, output),
            Waiting::Listener(listener) => {
                announce("a debugger", &listener)?;
                Connection::accept(&listener)?
            }
        })
    }

    fn editor(self) -> anyhow::Result<watchword_dap::Connection> {
        Ok(match self {
            Waiting::Streams(input, output) => watchword_dap::Connection::new(input, output),
            Waiting::Listener(listener) => {
                announce("an editor", &listener)?;
                watchword_dap::Connection::accept(&listener)?
            }
        })
    }
}

fn announce(whom: &str, listener: &TcpListener) -> anyhow::Result<()> {
    let address = listener.local_addr()?;
    let _ = writeln!(std::io::stderr(), "Waiting for {whom} on {address}");
    Ok(())
}

/// What the command line says to a session that an editor begins.
struct Editor<'a> {
    args: &'a Args,
    global: &'a Global,
    settings: Settings,
    view: Option<View>,
}

impl watchword_dap::Host for Editor<'_> {
    fn settings(&self) -> Settings {
        self.settings.clone()
    }

    fn console(&mut self) -> Console {
        let mut console = prompt::silent_console(&self.args.reading, self.global);
        // The editor moves the program; pages only show.
        match self.args.view.open(&mut console, None) {
            Ok(view) => self.view = view,
            Err(e) => crate::output::error(self.global.color_on_stderr(), &e),
        }
        console
    }

    fn defaults(&self) -> Configuration {
        let (program, args) = match self.args.command.split_first() {
            Some((program, args)) => (Some(program.clone()), args.to_vec()),
            None => (None, Vec::new()),
        };
        Configuration {
            program,
            args,
            process: self.args.attach,
            properties: self.args.properties.clone(),
            scenario: self.args.scenario.clone(),
            ..Configuration::default()
        }
    }
}

/// A session that an editor begins and ends.
fn with_editor(args: &Args, global: &Global, front: Front) -> anyhow::Result<Outcome> {
    let criu = args.checkpoints.criu()?;
    let settings = Settings { history: args.history, criu, ..Settings::default() };
    // Whatever ends us, a program that was joined is let go.
    signals::end_when_asked(true);
    let waiting = front.prepare()?;
    let connection = match waiting.editor() {
        Err(_) if signals::asked_to_end().is_some() => return Ok(Outcome::Clean),
        connection => connection?,
    };
    let mut editor = Editor { args, global, settings, view: None };
    let served = watchword_dap::serve(connection, &mut editor);
    if let Some(view) = editor.view {
        view.close()?;
    }
    served?;
    Ok(match signals::asked_to_end() {
        Some(signal) => Outcome::Status(shell_status(ExitStatus::Signal(signal))),
        None => Outcome::Clean,
    })
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    if global.json("debug")? {
        bail!("`debug` has no JSON output; use `run --report FILE.json`");
    }
    if args.gdb_script {
        std::io::stdout().write_all(GDB_SCRIPT.as_bytes())?;
        return Ok(Outcome::Clean);
    }
    let read = args.properties.iter().chain(&args.scenario).map(Path::new);
    let scripts = args.scripts.iter().map(|script| &**script);
    args.view.refuse_inputs(read.chain(scripts).chain(args.command.first().map(Path::new)))?;
    if let Some(front) = args.dap {
        return with_editor(args, global, front);
    }
    args.reading.refuse_java("debug")?;
    let origin = match args.attach {
        Some(pid) => Origin::Process(pid),
        None if args.command.is_empty() => {
            bail!(
                "no program is named; write it after `--`, or attach to a running one with `--attach PID`"
            )
        }
        None => Origin::Command(args.command.clone()),
    };
    if args.properties.is_empty() {
        // They are for properties loaded later; what is wrong with their names is told now.
        args.reading.functions.iter().try_for_each(|name| properties::read(name).map(drop))?;
    }
    let mut scripts = Vec::new();
    for path in &args.scripts {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        scripts.push((name, text));
    }
    let criu = args.checkpoints.criu()?;
    if criu.is_some() && args.attach.is_some() {
        bail!(
            "criu ends a program and creates it again, which is possible only for programs started by Watchword: with `--attach`, checkpoints are in memory"
        );
    }
    let settings = Settings { history: args.history, criu, ..Settings::default() };
    if args.attach.is_some() {
        signals::end_when_asked(args.batch);
    }
    let waiting = args.gdb.map(Front::prepare).transpose()?;
    let mut session = Session::new(origin, settings)?;
    let mut console = match waiting {
        None => prompt::console(&args.reading, global),
        Some(_) => prompt::remote_console(&args.reading, global),
    };
    if waiting.is_none() {
        signals::interrupt(session.program().interrupter()?);
    }
    // Somebody else moves the program, or nobody does: then pages only show.
    let moves = waiting.is_none() && !args.batch;
    let view = args.view.open(&mut console, moves.then_some(session.program().interrupter()?))?;
    let result = converse(args, global, &mut session, &mut console, &scripts, waiting, &view);
    if let Some(view) = view {
        view.close()?;
    }
    result
}

/// The session itself, from its first commands to its end.
fn converse(
    args: &Args,
    global: &Global,
    session: &mut Session,
    console: &mut Console,
    scripts: &[(String, String)],
    waiting: Option<Waiting>,
    view: &Option<View>,
) -> anyhow::Result<Outcome> {
    if !args.properties.is_empty() {
        console.load(session, &args.properties).map_err(lifted)?;
    }
    if let Some(file) = &args.scenario {
        console.load_scenario(session, file).map_err(lifted)?;
    }
    for (name, text) in scripts {
        match console.script(session, text, name) {
            Ok(Then::Next) => {}
            Ok(Then::Quit) => return Ok(outcome(args, console)),
            Err(_) if signals::asked_to_end().is_some() || args.batch && console.interrupted => {
                end(console, session)?;
                return Ok(outcome(args, console));
            }
            Err(e) if args.batch => return Err(lifted(e)),
            Err(e) => console.complain(&e),
        }
    }
    if let Some(waiting) = waiting {
        let connection = match waiting.connection() {
            Ok(connection) => connection,
            Err(_) if signals::asked_to_end().is_some() => {
                end(console, session)?;
                return Ok(outcome(args, console));
            }
            Err(e) => return Err(e),
        };
        signals::interrupt(session.program().interrupter()?);
        // The debugger shows everything itself.
        console.drop_first_client();
        watchword_remote::serve(session, console, connection)?;
        return Ok(outcome(args, console));
    }
    match args.batch {
        true => {
            to_the_end(console, session)?;
            if !global.quiet && !session.watched().monitors().is_empty() {
                console.execute(session, "monitors")?;
            }
        }
        false => match view.as_ref().and_then(View::requests) {
            Some(requests) => at_the_prompt(console, session, requests)?,
            None => {
                let (sender, asked) = channel();
                at_the_prompt(console, session, (&sender, &asked))?;
            }
        },
    }
    Ok(outcome(args, console))
}

fn outcome(args: &Args, console: &Console) -> Outcome {
    let ended = signals::asked_to_end().map(|signal| shell_status(ExitStatus::Signal(signal)));
    match (args.error_exitcode, ended) {
        (Some(status), _) if console.violations > 0 => Outcome::Status(status),
        (_, Some(status)) => Outcome::Status(status),
        _ if !args.batch => Outcome::Clean,
        _ => Outcome::Status(console.status.map_or(0, shell_status)),
    }
}

/// What Ctrl-C sends.
const SIGINT: i32 = 2;

/// Lets the program go on, whatever stops it, until it has ended.
fn to_the_end(console: &mut Console, session: &mut Session) -> anyhow::Result<()> {
    while session.is_alive() {
        match session.go(&Go::Continue, console)? {
            Halt::Interrupted => end(console, session)?,
            halt => {
                console.halted(session, halt)?;
                console.run_pending(session)?;
                if session.is_alive() && signals::was_interrupted() {
                    end(console, session)?;
                }
            }
        }
    }
    Ok(())
}

/// Nobody is there to go on from here: whoever interrupted wanted an end. It is that of the
/// program only if it was started here.
fn end(console: &mut Console, session: &mut Session) -> anyhow::Result<()> {
    match session.is_attached() {
        true if session.is_alive() => console.execute(session, "detach").map(drop)?,
        true => {}
        false => session.end_run(console)?,
    }
    console.status = Some(ExitStatus::Signal(SIGINT));
    Ok(())
}

/// The person types, and pages ask: what comes first is served first. Lines are read by a thread of
/// their own, which also asks what words may become; it reads the next line when the last one was
/// dealt with.
fn at_the_prompt(
    console: &mut Console,
    session: &mut Session,
    (sender, asked): (&Sender<Asked>, &Receiver<Asked>),
) -> anyhow::Result<()> {
    let (ready, next) = channel();
    let lines = sender.clone();
    let reader = std::thread::spawn(move || {
        let Ok(mut editor) = Lines::open(lines.clone()) else { return };
        while let Ok(mark) = next.recv() {
            let asked = match editor.read(mark) {
                Ok(Some(line)) => Asked::Line(line),
                _ => Asked::End,
            };
            if lines.send(asked).is_err() {
                return;
            }
        }
    });
    let mut is_reading = true;
    ready.send(prompt::READY)?;
    let ended = loop {
        let done = match asked.recv()? {
            Asked::Line(line) => {
                is_reading = false;
                // An interruption before this line was not about it.
                signals::was_interrupted();
                console.execute(session, &line)
            }
            Asked::Page(request) => console.perform(session, &request),
            Asked::Complete(line, answer) => {
                // Nobody waits any longer if it took too long.
                let _ = answer.send(console.complete(session, &line, None));
                continue;
            }
            Asked::End => {
                is_reading = false;
                break console.execute(session, "quit").map(drop).map_err(lifted);
            }
        };
        match done {
            Ok(Then::Next) => {}
            Ok(Then::Quit) => break Ok(()),
            Err(e) => console.complain(&e),
        }
        if signals::asked_to_end().is_some() {
            break end(console, session);
        }
        if !is_reading {
            is_reading = true;
            ready.send(if console.is_collecting() { prompt::BODY } else { prompt::READY })?;
        }
    };
    drop(ready);
    if !is_reading {
        // It keeps the history of the lines.
        let _ = reader.join();
    }
    ended
}
