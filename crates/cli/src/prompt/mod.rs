//! The prompt of `watchword debug`: the commands people know from GDB, and those for monitors.

mod commands;
mod examine;
mod info;
mod line;
mod monitors;
mod running;
mod source;

use std::io::{self, Write};

use watchword_debug::ExitStatus;
use watchword_monitor::Said;
use watchword_native::Session;
use watchword_native::session::Front;

use crate::args::{Global, Reading};
use crate::output::native;
use crate::output::style::{Style, harmless};
use crate::output::{self, human};

pub use commands::COMMANDS;
pub use line::Lines;

/// What a command came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The next command.
    Next,
    /// The session is over.
    Quit,
}

type Done = anyhow::Result<Then>;

/// What the person sees, and what commands remember.
pub struct Ui {
    style: Style,
    color: bool,
    verbose: bool,
    global: Global,
    /// How property files are read.
    reading: Reading,
    /// Expressions shown at every stop.
    displays: Vec<(u32, String, String)>,
    next_display: u32,
    /// Results of `print`, from 1.
    results: Vec<String>,
    sources: source::Sources,
    /// What an empty line repeats.
    again: Option<String>,
    /// How the program ended the last time.
    pub status: Option<ExitStatus>,
    /// Whether somebody has interrupted a file of commands.
    pub interrupted: bool,
    /// How many files of commands are being run, one from the other.
    depth: usize,
    /// A scenario is at work: the program must not be moved by commands.
    in_scenario: bool,
    /// How many violations there were.
    pub violations: u64,
}

impl Ui {
    /// For a session that begins.
    pub fn new(global: &Global, verbose: bool, reading: Reading) -> Ui {
        let color = global.color_on_stderr();
        Ui {
            style: Style::new(color),
            color,
            verbose,
            global: global.clone(),
            reading,
            displays: Vec::new(),
            next_display: 1,
            results: Vec::new(),
            sources: source::Sources::default(),
            again: None,
            status: None,
            interrupted: false,
            depth: 0,
            in_scenario: false,
            violations: 0,
        }
    }

    /// Shows text; a closed terminal is nobody's business here.
    pub fn say(&mut self, text: &str) {
        let mut out = io::stderr().lock();
        let _ = out.write_all(text.as_bytes());
        if !text.ends_with('\n') {
            let _ = out.write_all(b"\n");
        }
    }

    /// Shows what went wrong.
    pub fn complain(&mut self, error: &anyhow::Error) {
        if !error.is::<crate::Reported>() {
            output::error(self.color, error);
        }
    }

    /// Tells what was armed, and what cannot be.
    pub fn notes(&mut self, session: &mut Session) {
        for note in native::notes(&session.program().take_notes(), self.verbose) {
            match note {
                native::Note::Warning(text) => output::warning(self.color, &text),
                native::Note::Detail(text) => self.say(&text),
            }
        }
    }

    /// Warns of events that come from nowhere in the program.
    fn missing(&mut self, session: &mut Session) {
        for text in native::missing(session.program()) {
            output::warning(self.color, &text);
        }
    }

    /// Names of functions of the program, for completion.
    pub fn function_names(&mut self, session: &mut Session) -> Vec<String> {
        info::function_names(session)
    }

    /// Runs one line; an empty one repeats the last command that can be repeated.
    pub fn execute(&mut self, session: &mut Session, line: &str) -> Done {
        let line = line.trim();
        let line = match (line.is_empty(), &self.again) {
            (true, Some(again)) => again.clone(),
            _ => line.to_string(),
        };
        if line.is_empty() || line.starts_with('#') {
            return Ok(Then::Next);
        }
        let (command, rest) = commands::find(&line)?;
        self.again = command.repeats.then(|| line.clone());
        (command.run)(self, session, rest)
    }
}

impl Front for Ui {
    fn print(&mut self, text: &str) {
        let text = harmless(text);
        self.say(&text);
    }

    fn command(&mut self, session: &mut Session, line: &str) -> Result<(), String> {
        let again = self.again.take();
        self.in_scenario = true;
        let result = self.execute(session, line);
        self.in_scenario = false;
        self.again = again;
        result.map(drop).map_err(|e| format!("{e:#}"))
    }

    fn said(&mut self, said: &Said) {
        match said {
            Said::Print { text, .. } => self.say(&format!("printed: {}", harmless(text))),
            Said::Action { name, args, .. } => {
                let args: Vec<String> = args.iter().map(watchword_view::text::show).collect();
                self.say(&format!("action: {}({})", harmless(name), args.join(", ")));
            }
        }
    }

    fn found(&mut self, session: &Session, found: &watchword_native::Found) {
        let monitors = session.watched().monitors();
        let Some(monitor) = monitors.iter().find(|m| m.id == found.monitor) else { return };
        if found.report.kind == watchword_monitor::ReportKind::Satisfaction {
            let property = &monitor.model.properties[found.report.property.index()];
            return self.say(&format!("{}: satisfied: {}", property.name, found.report.message));
        }
        self.violations += 1;
        let violation = watchword_view::Violation {
            report: found.report.clone(),
            location: found.listed.location.clone(),
            in_program: true,
            stack: Vec::new(),
            thread: None,
            count: 1,
            certain: found.certain,
            test: None,
            expected: false,
        };
        let text = human::violation(self.style, &monitor.model, &violation);
        let trace = native::backtrace(self.style, &found.backtrace);
        self.say(&format!("{text}{trace}"));
    }

    fn started(&mut self, session: &mut Session) {
        self.missing(session);
    }
}
