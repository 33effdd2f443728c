//! `watchword run -p PROP… -- PROG ARGS`.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use watchword_debug::{ExitStatus, Launch};
use watchword_model::{Model, Property};
use watchword_monitor::{Listing, Move, Said};
use watchword_native::session::{Front, Go, Halt, Origin, Undone};
use watchword_native::{
    ArmNote, Backend, Found, MonitorId, Program, Session, Settings, Stopped, Why, signals,
};
use watchword_session::{Console, Happening, NoProperties, Options};
use watchword_spec::SourceFile;
use watchword_spec::classes::NoClasses;
use watchword_view::APART;

use crate::args::{Checkpoints, Global, Keeping, Reading};
use crate::live::ViewFlags;
use crate::output::findings;
use crate::output::native::{self, Ended, Watched};
use crate::output::recorder::Recorder;
use crate::output::reports::{ReportFlags, Reports};
use crate::output::style::{Style, harmless};
use crate::prompt;
use crate::{Outcome, output, properties};

/// Run a native program under monitors.
///
/// The program's output and exit status are those of an unmonitored run; findings are printed on
/// standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword run -p queue.ww -- ./queue 5 20\n  \
    watchword run -p files.ww --error-exitcode 99 -- sqlite3 test.db .schema\n  \
    watchword run -v --backend auto -p std/posix -- sqlite3 test.db .schema\n  \
    watchword run -v -p queue.ww --collect-trace run.jsonl -- ./queue\n  \
    watchword run -p trail.ww --scenario trail.scn -- ./trail\n  \
    watchword run -p queue.ww --view-record session.html -- ./queue 5 20 3\n  \
    watchword run -p sudoku.ww --scenario sudoku.scn --checkpoint criu -- ./sudoku\n\n\
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
    /// A scenario: what happens when monitors change their states
    #[arg(short, long, value_name = "SCENARIO")]
    scenario: Option<String>,
    /// Exit with this status if a property was violated, or if none of its events exists in the program
    #[arg(long, value_name = "N")]
    error_exitcode: Option<u8>,
    /// Exit with this status if there is no violation, but the verdict on some property is
    /// inconclusive
    #[arg(long, value_name = "N")]
    inconclusive_exitcode: Option<u8>,
    /// How events at calls are produced: inside the program where possible, or by breakpoints
    #[arg(long, value_name = "HOW", value_enum, default_value_t = How::Int3)]
    backend: How,
    /// Also monitor child processes and the programs that they execute; one report for all
    #[arg(long, conflicts_with_all = ["scenario", "collect_trace", "view", "view_record"])]
    follow_children: bool,
    #[command(flatten)]
    view: ViewFlags,
    #[command(flatten)]
    checkpoints: Checkpoints,
    #[command(flatten)]
    keeping: Keeping,
    /// Also write every event to this file, for `watchword replay`
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    collect_trace: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportFlags,
    /// Arm every event all the time, not only while a monitor needs it
    #[arg(long, help_heading = "Limits")]
    arm_everything: bool,
}

/// How events of calls come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum How {
    /// Inside the program where that is possible, by breakpoints elsewhere
    Auto,
    /// As auto, and warn of every event for which it is not possible
    Inject,
    /// By breakpoints: the program stops at every event
    Int3,
}

impl How {
    fn backend(self) -> Backend {
        match self {
            How::Auto | How::Inject => Backend::Inject,
            How::Int3 => Backend::Int3,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    // Stdout is the program's; JSON goes where people would read, at the end.
    let json = global.json("run")?;
    let criu = args.checkpoints.criu()?;
    if criu.is_some() && args.scenario.is_none() {
        bail!("`--checkpoint criu` needs `--scenario`, because only a scenario makes checkpoints");
    }
    args.reading.refuse_java("run")?;
    let reports = args.reports.open()?;
    let (model, files) =
        properties::load_valid_with(&args.properties, &args.reading, &NoClasses, global)?;
    let read = files.iter().map(|f| Path::new(&f.name));
    args.reports.refuse_inputs(read.clone())?;
    args.view.refuse_inputs(read.chain(args.command.first().map(Path::new)))?;
    let model = Arc::new(model);
    let settings = Settings {
        history: args.keeping.history,
        max_instances: args.keeping.max_instances(),
        max_memory: args.keeping.max_memory,
        keep: args.keeping.keep(),
        listing: Listing {
            most: args.keeping.max_violations,
            unique: args.keeping.no_dedup,
            traces: HashSet::new(),
        },
        dynamic: !args.arm_everything,
        moves: false,
        criu,
        follow_children: args.follow_children,
        backend: args.backend.backend(),
    };
    let recorder = args.collect_trace.as_deref().map(Recorder::create).transpose()?;
    let mut shown = Console::new(Options::default(), Box::new(NoProperties));
    let view = args.view.open(&mut shown, None)?;
    let mut watch = Watch {
        style: Style::new(global.color_on_stderr()),
        console: prompt::console(&args.reading, global),
        shown: view.is_some().then_some(shown),
        watched: Watched::new(&model),
        model,
        files,
        reports,
        args,
        global,
        json,
    };
    // With a scenario or a view it is a session, with nobody at the prompt.
    let (status, program) = match &args.scenario {
        None if view.is_none() => {
            let mut program = Program::launch(launch(&args.command)?, settings)?;
            watch.begin(&mut program, &recorder)?;
            (watch.until_end(&mut program)?, program)
        }
        scenario => {
            let mut session = Session::new(Origin::Command(args.command.clone()), settings)?;
            watch.begin(session.program(), &recorder)?;
            session.pass_signals();
            if let Some(file) = scenario {
                watch.console.load_scenario(&mut session, file).map_err(prompt::lifted)?;
            }
            if let Some(shown) = &mut watch.shown {
                shown.announce(&session);
                shown.tell(&Happening::Running);
            }
            let status = watch.play(&mut session)?;
            for logged in session.log().iter().filter(|l| l.is_undone_violation()) {
                watch.watched.undone[logged.found.report.property.index()] += 1;
            }
            (status, session.into_program())
        }
    };
    if let Some(recorder) = recorder {
        recorder.finish(program.ended())?;
    }
    if let Some(view) = view {
        view.close()?;
    }
    let Judged { violated, inconclusive } = watch.finish(&program)?;
    Ok(Outcome::Status(match (args.error_exitcode, args.inconclusive_exitcode) {
        (Some(status), _) if violated => status,
        // Nothing was checked: that must not look like success.
        (Some(status), _) if is_blind(&program) => status,
        (_, Some(status)) if inconclusive && !violated => status,
        _ => shell_status(status),
    }))
}

/// What came of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    /// There are violations that were not known.
    violated: bool,
    /// The verdict on some property is inconclusive.
    inconclusive: bool,
}

/// Whether no event of any property was found in the program.
fn is_blind(program: &Program) -> bool {
    !program.monitors().iter().any(|m| m.was_armed)
}

/// How to start the program of a command line.
pub fn launch(command: &[OsString]) -> anyhow::Result<Launch> {
    let Some((program, args)) = command.split_first() else {
        bail!("no program is named; write it after `--`");
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
        "no event of {} has a `native` source, so no event could occur. Example of a source:\n  \
         event open(f) = native after call fopen with f = ret",
        names.join(", ")
    )
}

/// What is known of the run, told to people on stderr as it comes about.
struct Watch<'a> {
    style: Style,
    /// Knows the commands that scenarios may use.
    console: Console,
    /// Tells pages what happens.
    shown: Option<Console>,
    watched: Watched,
    model: Arc<Model>,
    files: Vec<SourceFile>,
    reports: Reports,
    args: &'a Args,
    global: &'a Global,
    /// The report is for programs: nothing else is told.
    json: bool,
}

impl Watch<'_> {
    /// The program stands before its first instruction.
    fn begin(&self, program: &mut Program, recorder: &Option<Recorder>) -> anyhow::Result<()> {
        signals::forward_to(program.process());
        if let Some(recorder) = recorder.clone() {
            program.record(recorder);
        }
        program.load(&self.args.properties.join(", "), self.model.clone())?;
        check_sources(program, &self.model)
    }

    fn until_end(&mut self, program: &mut Program) -> anyhow::Result<ExitStatus> {
        program.resume_all()?;
        loop {
            let Stopped { thread, why, found, said, .. } = program.wait()?;
            self.notes(&program.take_notes());
            if matches!(why, Why::Started) {
                self.missing(program);
            }
            for (_, said) in said {
                self.hear(&said);
            }
            for found in found {
                self.watched.add(found);
            }
            self.news();
            if let Why::Exited(status) = why {
                return Ok(status);
            }
            match program.resume(thread) {
                Err(e) if e.is_gone() => {}
                other => other?,
            }
        }
    }

    /// Lets the scenario decide what happens, to the end.
    fn play(&mut self, session: &mut Session) -> anyhow::Result<ExitStatus> {
        loop {
            let halt = session.go(&Go::Continue, self)?;
            self.notes(&session.program().take_notes());
            match halt {
                Halt::Exited(status) => {
                    if let Some(shown) = &mut self.shown {
                        shown.halted(session, Halt::Exited(status))?;
                    }
                    return Ok(status);
                }
                Halt::Quit => {
                    session.end_run(self)?;
                    self.tell("The scenario ended the program.\n");
                    return Ok(session.watched().exited().unwrap_or(ExitStatus::Code(0)));
                }
                // What is for a person to look at is shown, and the program goes on.
                halt @ Halt::Scenario(_) => {
                    self.console.halted(session, halt)?;
                }
                _ => {}
            }
        }
    }

    /// The program has ended: reports, and a summary.
    fn finish(&mut self, program: &Program) -> anyhow::Result<Judged> {
        let Some(monitor) = program.monitors().first() else { return Ok(Judged::default()) };
        let words: Vec<_> = self.args.command.iter().map(|w| w.to_string_lossy()).collect();
        let sources = &self.args.reports.sources;
        let ended = self.watched.end(monitor, &self.files);
        let violated = self.watched.findings.has_new(&ended.totals, &self.reports);
        let inconclusive = self.watched.is_inconclusive(&self.model, &ended);
        let judged = Judged { violated, inconclusive };
        let warnings = self.warnings(program, &ended);
        let (told, target) = (warnings.clone(), words.join(" "));
        let report =
            self.watched.write(&self.reports, sources, &self.model, &ended, told, target)?;
        if self.json {
            let _ = io::stderr().write_all(report.as_bytes());
        }
        if self.global.quiet || self.json {
            return Ok(judged);
        }
        self.tell(&self.watched.summary(
            self.style,
            &self.model,
            &ended,
            &self.reports,
            self.global.verbose,
        ));
        match program.children_watched() {
            0 => {}
            n => self.tell(&format!(
                "{} watched, too\n",
                watchword_view::text::counted(n, "child process")
            )),
        }
        match program.children_let_go() {
            0 => {}
            1 => self.tell("a child process was not monitored\n"),
            n => self.tell(&format!("{n} child processes were not monitored\n")),
        }
        if let Some(summary) = self.reports.summary() {
            self.tell(&format!("{summary}\n"));
        }
        output::warnings(self.global, &warnings);
        Ok(judged)
    }

    /// What a person should know of the run.
    fn warnings(&self, program: &Program, ended: &Ended) -> Vec<String> {
        let mut warnings = findings::puzzles(&self.model, &ended.totals);
        if is_blind(program) {
            warnings.push(findings::NOTHING_FOUND.to_string());
        }
        if program.calls_unseen() > 0 {
            warnings.push(format!(
                "other threads ran during {} that accessed watched pages; some of their events may be missing",
                watchword_view::text::counted(program.calls_unseen(), "system call"),
            ));
        }
        let tallied = self.model.properties.iter().zip(&ended.totals.properties);
        let silent = tallied.filter(|(_, t)| t.events == 0 && t.sites.is_some_and(|n| n > 0));
        let silent: Vec<&Property> = silent.map(|(property, _)| property).collect();
        // Of a family, the summary has said it.
        if silent.len() <= APART || self.global.verbose {
            let said = |p: &&Property| format!("{}: no event of it occurred", p.name);
            warnings.extend(silent.iter().map(said));
        }
        warnings
    }

    fn tell(&self, text: &str) {
        // Nobody can be told that stderr is gone.
        if !self.json {
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }

    fn warn(&self, text: &str) {
        if !self.global.quiet && !self.json {
            output::warning(self.global.color_on_stderr(), text);
        }
    }

    fn news(&mut self) {
        let news = self.watched.news(self.style, &self.model, &mut self.reports);
        self.tell(&news);
    }

    fn missing(&self, program: &mut Program) {
        for text in native::missing(program) {
            self.warn(&text);
        }
    }

    fn notes(&self, notes: &[ArmNote]) {
        if self.args.backend == How::Inject {
            for text in native::left_outside(notes) {
                self.warn(&text);
            }
        }
        for note in native::notes(notes, self.global.verbose) {
            match note {
                native::Note::Warning(text) => self.warn(&text),
                native::Note::Detail(text) => self.tell(&format!("{text}\n")),
            }
        }
    }

    fn hear(&mut self, said: &Said) {
        match said {
            Said::Print { text, .. } => {
                self.tell(&format!("printed: {}\n", harmless(text)));
                self.watched.findings.print(text.clone());
            }
            // Actions are run by hosts that have functions for them.
            Said::Action { .. } => {}
        }
    }
}

impl Front for Watch<'_> {
    fn print(&mut self, text: &str) {
        self.console.print(text);
    }

    fn command(&mut self, session: &mut Session, line: &str) -> Result<(), String> {
        self.console.command(session, line)
    }

    fn said(&mut self, said: &Said) {
        if let Some(shown) = &mut self.shown {
            shown.said(said);
        }
        self.hear(said);
    }

    fn moved(&mut self, session: &Session, moves: &[(MonitorId, Move)]) {
        if let Some(shown) = &mut self.shown {
            shown.moved(session, moves);
        }
    }

    fn restored(&mut self, session: &mut Session, number: i64, undone: &Undone) {
        if let Some(shown) = &mut self.shown {
            shown.restored(session, number, undone);
        }
    }

    fn checkpointed(&mut self, session: &Session, number: i64) {
        if let Some(shown) = &mut self.shown {
            shown.checkpointed(session, number);
        }
    }

    fn found(&mut self, session: &Session, found: &Found) {
        if let Some(shown) = &mut self.shown {
            shown.found(session, found);
        }
        self.watched.add(found.clone());
        self.news();
    }

    fn started(&mut self, session: &mut Session) {
        self.missing(session.program());
    }
}
