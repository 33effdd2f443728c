//! `watchword run -p PROP… -- PROG ARGS`.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Context, bail};
use watchword_debug::{ExitStatus, Launch};
use watchword_model::Model;
use watchword_monitor::Said;
use watchword_native::{ArmNote, Happened, Program, Settings, Stopped, Why, signals};

use crate::args::{Global, Keeping, Reading};
use crate::output::json::{self, Json};
use crate::output::native::{self, Findings};
use crate::output::reports::ReportFlags;
use crate::output::style::{Style, harmless};
use crate::{Outcome, output, properties};

/// Run a native program under monitors.
///
/// The program's own output and exit status are those of an unmonitored run; what the monitors
/// find goes to stderr.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword run -p queue.ww -- ./queue 5 20\n  \
    watchword run -p files.ww --error-exitcode 99 -- sqlite3 test.db .schema\n  \
    watchword run -v -p queue.ww --collect-trace run.jsonl -- ./queue\n\n\
    Exit status: the program's own (128 plus the signal if it was killed), or what\n\
    --error-exitcode says if a property was violated; 2 if it could not be started.")]
pub struct Args {
    /// A property file, or a shipped property such as std/reply; may be repeated
    #[arg(short = 'p', long = "property", value_name = "PROP", required = true)]
    properties: Vec<String>,
    #[command(flatten)]
    reading: Reading,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROG ARGS")]
    command: Vec<OsString>,
    /// Exit with this status if a property was violated
    #[arg(long, value_name = "N")]
    error_exitcode: Option<u8>,
    /// Tell what is armed, where and how
    #[arg(short, long, help_heading = "Reporting")]
    verbose: bool,
    #[command(flatten)]
    keeping: Keeping,
    /// Also write every event to this file, as `watchword replay` reads it
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    collect_trace: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportFlags,
    /// Arm every event all the time, not only while some monitor is sensitive to it
    #[arg(long, help_heading = "Limits")]
    arm_everything: bool,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    // Stdout is the program's; JSON goes where people would read, at the end.
    let json = global.json("run")?;
    let mut reports = args.reports.open()?;
    let (model, _) = properties::load_valid(&args.properties, &args.reading, global)?;
    let model = Arc::new(model);
    let settings = Settings {
        history: args.keeping.history,
        max_instances: args.keeping.max_instances,
        keep: args.keeping.keep(),
        dynamic: !args.arm_everything,
        moves: false,
    };
    let recorder = args.collect_trace.as_deref().map(Recorder::create).transpose()?;
    let mut program = Program::launch(launch(&args.command)?, settings)?;
    signals::forward_to(program.process());
    let name = args.properties.join(", ");
    let id = program.load(&name, model.clone())?;
    check_sources(&program, &model)?;
    if let Some(recorder) = &recorder {
        let recorder = recorder.clone();
        program.record(move |event| recorder.record(event));
    }
    let mut findings = Findings::new(&model, args.keeping.max_violations, args.keeping.no_dedup);
    let silent = json || global.quiet;
    let mut teller =
        Teller { style: Style::new(global.color_on_stderr()), args, global, json, silent };
    program.resume_all()?;
    let status = loop {
        let stop = program.wait()?;
        teller.notes(&program.take_notes());
        if matches!(stop.why, Why::Started) && !silent {
            for text in program.missing() {
                teller.warn(&format!("{text}; libraries loaded later are searched, too"));
            }
        }
        let Stopped { thread, why, found, said, .. } = stop;
        for (_, said) in said {
            teller.said(&said);
        }
        for found in found {
            findings.add(found);
        }
        let news = findings.news(teller.style, &model, &mut reports);
        if !json {
            teller.tell(&news);
        }
        if let Why::Exited(status) = why {
            break status;
        }
        match program.resume(thread) {
            Err(e) if e.is_gone() => {}
            other => other?,
        }
    };
    teller.notes(&program.take_notes());
    if let Some(recorder) = recorder {
        recorder.finish()?;
    }
    let monitor = program.monitors().iter().find(|m| m.id == id);
    if let Some(monitor) = monitor {
        let words: Vec<_> = args.command.iter().map(|w| w.to_string_lossy()).collect();
        let report = findings.write(&reports, &args.reports.sources, monitor, &words.join(" "))?;
        if json {
            teller.tell(&report);
        }
    }
    if let Some(monitor) = monitor.filter(|_| !silent) {
        teller.tell(&native::summary(teller.style, monitor, &findings.violations));
        if let Some(summary) = reports.summary() {
            teller.tell(&format!("{summary}\n"));
        }
        for (i, property) in model.properties.iter().enumerate() {
            if monitor.observed(i) == 0 && monitor.sites(i) > 0 {
                teller.warn(&format!("{}: no event of it occurred", property.name));
            }
        }
    }
    Ok(Outcome::Status(match args.error_exitcode {
        Some(status) if findings.violations.total() > reports.known() => status,
        _ => shell_status(status),
    }))
}

/// How to start the program of a command line.
pub fn launch(command: &[OsString]) -> anyhow::Result<Launch> {
    let Some((program, args)) = command.split_first() else {
        bail!("no program is named; it comes after `--`");
    };
    Ok(Launch::new(program).args(args))
}

/// A status as shells show it.
pub fn shell_status(status: ExitStatus) -> u8 {
    u8::try_from(status.shell_code() & 0xff).unwrap_or(u8::MAX)
}

/// Refuses properties none of whose events can come from a native program.
pub fn check_sources(program: &Program, model: &Model) -> anyhow::Result<()> {
    if program.monitors().iter().any(|m| m.has_sources()) {
        return Ok(());
    }
    let names: Vec<&str> = model.properties.iter().map(|p| p.name.as_str()).collect();
    bail!(
        "no event of {} has a `native` source, so nothing could ever happen; for example\n  \
         event open(f) = native after call fopen with f = ret",
        names.join(", ")
    )
}

/// Tells people what happens, on stderr.
struct Teller<'a> {
    style: Style,
    args: &'a Args,
    global: &'a Global,
    /// The report is for programs: nothing else is told.
    json: bool,
    /// Nobody wants warnings.
    silent: bool,
}

impl Teller<'_> {
    fn tell(&mut self, text: &str) {
        // Nobody can be told that stderr is gone.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    fn warn(&mut self, text: &str) {
        output::warning(self.global.color_on_stderr(), text);
    }

    fn notes(&mut self, notes: &[ArmNote]) {
        let notes = if self.json { &[] } else { notes };
        for note in notes {
            let Some(text) = native::arm_note(note, self.args.verbose) else { continue };
            match note {
                ArmNote::Warning { .. } if self.silent => {}
                ArmNote::Warning { .. } => self.warn(&text),
                ArmNote::Armed(_) => self.tell(&format!("{text}\n")),
            }
        }
    }

    fn said(&mut self, said: &Said) {
        match said {
            Said::Print { .. } if self.json => {}
            Said::Print { text, .. } => self.tell(&format!("printed: {}\n", harmless(text))),
            // Actions are run by hosts that have functions for them.
            Said::Action { .. } => {}
        }
    }
}

/// Writes events as `watchword replay` reads them.
#[derive(Clone)]
pub struct Recorder {
    path: PathBuf,
    state: Rc<RefCell<Recording>>,
}

struct Recording {
    out: BufWriter<File>,
    seq: u64,
    failure: Option<io::Error>,
}

impl Recorder {
    /// Begins a file.
    pub fn create(path: &Path) -> anyhow::Result<Recorder> {
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let state = Recording { out: BufWriter::new(file), seq: 0, failure: None };
        Ok(Recorder { path: path.to_path_buf(), state: Rc::new(RefCell::new(state)) })
    }

    /// Writes an event.
    pub fn record(&self, event: &Happened<'_>) {
        let mut state = self.state.borrow_mut();
        if state.failure.is_some() {
            return;
        }
        state.seq += 1;
        let decl = &event.model.events[event.event.index()];
        let args = decl.params.iter().zip(event.args);
        let args = args.map(|(p, v)| (p.name.clone(), Json::from(v))).collect();
        let line =
            Json::object([("event", decl.name.as_str().into()), ("args", Json::Object(args))])
                .with("time", json::time(event.time))
                .with("thread", event.thread)
                .with_some("loc", event.location.map(|l| Json::from(&**l)))
                .with("seq", state.seq);
        if let Err(error) = writeln!(state.out, "{line}") {
            state.failure = Some(error);
        }
    }

    /// Ends the file.
    pub fn finish(&self) -> anyhow::Result<()> {
        let mut state = self.state.borrow_mut();
        let flushed = state.out.flush();
        let result = state.failure.take().map_or(flushed, Err);
        result.with_context(|| format!("cannot write {}", self.path.display()))
    }
}
