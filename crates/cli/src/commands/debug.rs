//! `watchword debug [-p PROP…] [-s SCENARIO] -- PROG ARGS`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, bail};
use watchword_debug::ExitStatus;
use watchword_native::session::{Go, Halt, Origin};
use watchword_native::{Session, Settings, signals};

use crate::Outcome;
use crate::args::{Checkpoints, Global, Reading};
use crate::commands::run::shell_status;
use crate::prompt::{Lines, Then, Ui};
use crate::properties;

/// Debug a native program with properties: it stops where they break.
///
/// Without anything else the program stops at the first violation. A scenario decides otherwise.
/// The commands are GDB's, and some for monitors and checkpoints; `help` at the prompt lists them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword debug -p queue.ww -- ./queue 5 20\n  \
    watchword debug -p sudoku.ww -s sudoku.scn -- ./sudoku puzzle.txt\n  \
    watchword debug --attach 4711\n  \
    watchword debug --checkpoint criu -p queue.ww -- ./queue 5 20\n  \
    watchword debug -x commands.txt --batch -- ./queue\n\n\
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
    /// Join this running process instead of starting one
    #[arg(long, value_name = "PID", conflicts_with = "command")]
    attach: Option<i32>,
    /// Run the commands of this file first; may be repeated
    #[arg(short = 'x', long = "command", value_name = "SCRIPT")]
    scripts: Vec<PathBuf>,
    /// No prompt: after the scripts, run the program to its end and exit with its status
    #[arg(long)]
    batch: bool,
    /// With --batch: exit with this status if a property was violated
    #[arg(long, value_name = "N", requires = "batch")]
    error_exitcode: Option<u8>,
    /// How many events of an instance's history a report shows; 0 keeps none
    #[arg(long, value_name = "N", default_value_t = 10)]
    history: usize,
    #[command(flatten)]
    checkpoints: Checkpoints,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROG ARGS")]
    command: Vec<OsString>,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    if global.json("debug")? {
        bail!("`debug` is for people; `run --report FILE.json` writes JSON");
    }
    let origin = match args.attach {
        Some(pid) => Origin::Process(pid),
        None if args.command.is_empty() => {
            bail!("which program? It comes after `--`, or `--attach PID` joins a running one")
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
            "criu ends a program and makes it anew, which is only done to those started here: \
             `--attach` has its checkpoints in memory"
        );
    }
    let settings = Settings { history: args.history, criu, ..Settings::default() };
    if args.attach.is_some() {
        signals::end_when_asked(args.batch);
    }
    let mut session = Session::new(origin, settings)?;
    let mut ui = Ui::new(global, global.verbose, args.reading.clone());
    signals::interrupt(session.program().interrupter()?);
    if !args.properties.is_empty() {
        ui.load(&mut session, &args.properties)?;
    }
    if let Some(file) = &args.scenario {
        ui.load_scenario(&mut session, file)?;
    }
    for (name, text) in &scripts {
        match ui.script(&mut session, text, name) {
            Ok(Then::Next) => {}
            Ok(Then::Quit) => return Ok(outcome(args, &ui)),
            Err(_) if signals::asked_to_end().is_some() || args.batch && ui.interrupted => {
                end(&mut ui, &mut session)?;
                return Ok(outcome(args, &ui));
            }
            Err(e) if args.batch => return Err(e),
            Err(e) => ui.complain(&e),
        }
    }
    match args.batch {
        true => {
            to_the_end(&mut ui, &mut session)?;
            if !global.quiet && !session.watched().monitors().is_empty() {
                ui.execute(&mut session, "monitors")?;
            }
        }
        false => prompt(&mut ui, &mut session)?,
    }
    Ok(outcome(args, &ui))
}

fn outcome(args: &Args, ui: &Ui) -> Outcome {
    let ended = signals::asked_to_end().map(|signal| shell_status(ExitStatus::Signal(signal)));
    match (args.error_exitcode, ended) {
        (Some(status), _) if ui.violations > 0 => Outcome::Status(status),
        (_, Some(status)) => Outcome::Status(status),
        _ if !args.batch => Outcome::Clean,
        _ => Outcome::Status(ui.status.map_or(0, shell_status)),
    }
}

/// What Ctrl-C sends.
const SIGINT: i32 = 2;

/// Lets the program go on, whatever stops it, until it has ended.
fn to_the_end(ui: &mut Ui, session: &mut Session) -> anyhow::Result<()> {
    while session.is_alive() {
        match session.go(&Go::Continue, ui)? {
            Halt::Interrupted => end(ui, session)?,
            halt => {
                ui.halted(session, halt)?;
                if session.is_alive() && signals::was_interrupted() {
                    end(ui, session)?;
                }
            }
        }
    }
    Ok(())
}

/// Nobody is there to go on from here: whoever interrupted wanted an end. It is that of the
/// program only if it was started here.
fn end(ui: &mut Ui, session: &mut Session) -> anyhow::Result<()> {
    match session.is_attached() {
        true if session.is_alive() => ui.execute(session, "detach").map(drop)?,
        true => {}
        false => session.end_run(ui)?,
    }
    ui.status = Some(ExitStatus::Signal(SIGINT));
    Ok(())
}

fn prompt(ui: &mut Ui, session: &mut Session) -> anyhow::Result<()> {
    let mut lines = Lines::open()?;
    lines.set_functions(ui.function_names(session));
    loop {
        let Some(line) = lines.read()? else {
            return ui.execute(session, "quit").map(drop);
        };
        match ui.execute(session, &line) {
            Ok(Then::Next) => {}
            Ok(Then::Quit) => return Ok(()),
            Err(e) => ui.complain(&e),
        }
        if signals::asked_to_end().is_some() {
            return end(ui, session);
        }
    }
}
