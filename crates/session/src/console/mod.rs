//! The commands: those people know from GDB, and those for monitors.

mod arguments;
mod bodies;
mod commands;
mod completion;
mod examine;
mod info;
mod memory;
mod monitors;
mod parse;
mod printing;
mod refused;
mod running;
mod serve;
mod settings;
mod signals;
mod source;
mod symbols;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use watchword_debug::{ExitStatus, ThreadId};
use watchword_monitor::{ReportKind, Said};
use watchword_native::session::Front;
use watchword_native::{MonitorId, Session};
use watchword_view::human;
use watchword_view::style::Style;
use watchword_view::text::harmless;

use crate::error::Result;
use crate::happening::{Client, Happening, Level, Moved, Verdict};
use crate::notes;
use crate::properties::Properties;
use crate::request::Request;

use bodies::{Collecting, From, Line};

pub use commands::COMMANDS;
use commands::Run;
pub use completion::{Candidate, CandidateKind};
pub use examine::assignment;
pub use monitors::slices_now;
pub(crate) use signals::signal_called;
pub use signals::signal_name;

/// What a command came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The next command.
    Next,
    /// The session is over.
    Quit,
}

type Done = Result<Then>;

/// How a console behaves.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether texts are coloured.
    pub color: bool,
    /// Whether every armed place is told.
    pub verbose: bool,
}

/// Knows the commands and what they remember, and tells clients what happens.
pub struct Console {
    style: Style,
    options: Options,
    clients: Vec<Box<dyn Client>>,
    wants_moves: bool,
    /// Whether a client wants the selected frame at every stop.
    wants_frames: bool,
    properties: Box<dyn Properties>,
    /// Expressions shown at every stop.
    displays: Vec<(u32, String, String)>,
    next_display: u32,
    /// What `x` showed last.
    examined: Option<memory::Examined>,
    /// Text of a line that is not complete yet.
    unfinished: String,
    /// Lines that `list` shows.
    list_size: u32,
    /// What runs when a breakpoint is hit, by its number.
    attached: BTreeMap<i64, Vec<String>>,
    /// Commands the person has defined.
    defined: BTreeMap<String, Vec<String>>,
    /// Lines that are collected until `end`.
    collecting: Option<Collecting>,
    /// Lines that are to be run next.
    pending: VecDeque<Line>,
    /// Where the line that is being run stands.
    running: From,
    /// How often the program has stopped for the person.
    stops: u64,
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
    /// Another debugger moves the program.
    moved_elsewhere: bool,
    /// How many violations there were.
    pub violations: u64,
    /// The checkpoints that clients know of.
    told_checkpoints: BTreeSet<i64>,
}

impl Console {
    /// For a session that begins. Properties are read from there.
    pub fn new(options: Options, properties: Box<dyn Properties>) -> Console {
        Console {
            style: Style::new(options.color),
            options,
            clients: Vec::new(),
            wants_moves: false,
            wants_frames: false,
            properties,
            displays: Vec::new(),
            next_display: 1,
            examined: None,
            unfinished: String::new(),
            list_size: info::LISTED,
            attached: BTreeMap::new(),
            defined: BTreeMap::new(),
            collecting: None,
            pending: VecDeque::new(),
            running: From::default(),
            stops: 0,
            sources: source::Sources::default(),
            again: None,
            status: None,
            interrupted: false,
            depth: 0,
            in_scenario: false,
            moved_elsewhere: false,
            violations: 0,
            told_checkpoints: BTreeSet::new(),
        }
    }

    /// From now on another debugger moves the program: commands that let it go are refused.
    pub fn hand_over(&mut self) {
        self.moved_elsewhere = true;
    }

    /// From now on, this client is told what happens, too.
    pub fn add_client(&mut self, client: Box<dyn Client>) {
        self.wants_moves |= client.wants_moves();
        self.wants_frames |= client.wants_frames();
        self.clients.push(client);
    }

    /// Forgets the client that was added first: somebody else shows what happens.
    pub fn drop_first_client(&mut self) {
        if !self.clients.is_empty() {
            self.clients.remove(0);
        }
    }

    /// Tells all clients.
    pub fn tell(&mut self, happening: &Happening) {
        for client in &mut self.clients {
            client.happened(happening);
        }
    }

    /// Shows text.
    pub fn say(&mut self, text: &str) {
        let text = std::mem::take(&mut self.unfinished) + text;
        self.tell(&Happening::plain(&text));
    }

    /// Shows what may not be as expected.
    pub fn warn(&mut self, text: &str) {
        self.tell(&Happening::Text { text: text.to_string(), level: Level::Warning });
    }

    /// Tells what was armed, and what cannot be.
    pub fn notes(&mut self, session: &mut Session) {
        for note in notes::notes(&session.program().take_notes(), self.options.verbose) {
            match note {
                notes::Note::Warning(text) => self.warn(&text),
                notes::Note::Detail(text) => self.say(&text),
            }
        }
    }

    /// Warns of events that come from nowhere in the program.
    fn missing(&mut self, session: &mut Session) {
        for text in notes::missing(session.program()) {
            self.warn(&text);
        }
    }

    /// Names of functions of the program, for completion.
    pub fn function_names(&mut self, session: &mut Session) -> Vec<String> {
        info::function_names(session)
    }

    /// Runs one line, and what follows from it; an empty one repeats the last command that can be
    /// repeated.
    pub fn execute(&mut self, session: &mut Session, line: &str) -> Done {
        if self.collecting.is_some() {
            let done = match self.collect(session, line)? {
                Then::Quit => Ok(Then::Quit),
                Then::Next => self.run_pending(session),
            };
            self.finish_line();
            return done;
        }
        let done = self.execute_all(session, line);
        self.finish_line();
        self.tell_forgotten(session);
        done
    }

    fn execute_one(&mut self, session: &mut Session, line: &str) -> Done {
        let line = line.trim();
        let line = match (line.is_empty(), &self.again) {
            (true, Some(again)) => again.clone(),
            _ => line.to_string(),
        };
        if line.is_empty() || line.starts_with('#') {
            return Ok(Then::Next);
        }
        if self.expand_defined(&line)? {
            return Ok(Then::Next);
        }
        let (command, rest) = commands::find(&line)?;
        self.again = command.repeats.then(|| line.clone());
        match command.run {
            Run::Asks(parse) => match parse(rest)? {
                Request::Command(line) => self.execute_one(session, &line),
                request => self.serve(session, &request),
            },
            Run::Does(run) => run(self, session, rest),
        }
    }
}

impl Front for Console {
    fn print(&mut self, text: &str) {
        let text = harmless(text);
        self.say(&text);
    }

    fn command(&mut self, session: &mut Session, line: &str) -> std::result::Result<(), String> {
        let again = self.again.take();
        let collecting = self.collecting.take();
        self.in_scenario = true;
        let result = self.execute_all(session, line);
        self.in_scenario = false;
        self.collecting = collecting;
        self.again = again;
        result.map(drop).map_err(|e| e.to_string())
    }

    fn signalled(&mut self, session: &mut Session, thread: ThreadId, signal: i32) {
        let number = session.program().debugger().tracer().thread_number(thread).unwrap_or(0);
        self.say(&format!("Thread {number} got {}.", signal_name(signal)));
    }

    fn said(&mut self, said: &Said) {
        let text = match said {
            Said::Print { text, .. } => format!("printed: {}", harmless(text)),
            Said::Action { name, args, .. } => {
                let args: Vec<String> = args.iter().map(watchword_view::text::show).collect();
                format!("action: {}({})", harmless(name), args.join(", "))
            }
        };
        self.tell(&Happening::Said { text });
    }

    fn moved(&mut self, session: &Session, moves: &[(MonitorId, watchword_monitor::Move)]) {
        if !self.wants_moves {
            return;
        }
        for (id, step) in moves {
            let monitors = session.watched().monitors();
            let Some(monitor) = monitors.iter().find(|m| m.id == *id) else { continue };
            self.tell(&Happening::Moved(Moved::of(id.0, &monitor.model, step)));
        }
    }

    fn found(&mut self, session: &Session, found: &watchword_native::Found) {
        let monitors = session.watched().monitors();
        let Some(monitor) = monitors.iter().find(|m| m.id == found.monitor) else { return };
        let model = &monitor.model;
        let report = &found.report;
        let property = &model.properties[report.property.index()];
        let is_violation = report.kind != ReportKind::Satisfaction;
        let location = found.listed.location.clone();
        let text = match is_violation {
            false => format!("{}: satisfied: {}", property.name, report.message),
            true => {
                self.violations += 1;
                let violation = watchword_view::Violation {
                    report: report.clone(),
                    location: location.clone(),
                    in_program: true,
                    stack: Vec::new(),
                    thread: None,
                    count: 1,
                    certain: found.certain,
                    test: None,
                    expected: false,
                };
                let text = human::violation(self.style, model, &violation);
                let trace = notes::backtrace(self.style, &found.backtrace);
                format!("{text}{trace}")
            }
        };
        let verdict = Verdict {
            backtrace: found.backtrace.iter().map(ToString::to_string).collect(),
            text,
            ..Verdict::of(found.monitor.0, model, report, location.as_deref())
        };
        self.tell(&Happening::Verdict(Box::new(verdict)));
    }

    fn started(&mut self, session: &mut Session) {
        self.missing(session);
    }

    fn checkpointed(&mut self, session: &Session, number: i64) {
        self.tell_checkpoint(session, number);
    }

    fn restored(
        &mut self,
        session: &mut Session,
        number: i64,
        undone: &watchword_native::session::Undone,
    ) {
        let text = monitors::went_back(number, undone);
        self.tell_restored(session, number, undone, text);
    }

    fn retraced(
        &mut self,
        session: &mut Session,
        number: i64,
        undone: &watchword_native::session::Undone,
    ) {
        // Where it stands in the end is what people are told.
        self.tell_restored(session, number, undone, String::new());
    }
}
