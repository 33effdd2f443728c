//! What happens in a session, as clients are told it.

use std::sync::Arc;

use watchword_model::{Model, Value};

use crate::answer::Answer;

/// Something that happened. Where people have words for it, `text` holds them.
#[derive(Clone, Debug)]
pub enum Happening {
    /// Text for people: the answer to a command, a warning, what a scenario prints.
    Text {
        /// The text; it may have several lines.
        text: String,
        /// How serious it is.
        level: Level,
    },
    /// The answer to a question.
    Answered {
        /// The answer.
        answer: Answer,
        /// In words.
        text: String,
    },
    /// Properties are being watched from now on.
    Loaded {
        /// The number of the property file.
        monitor: u32,
        /// The names of its properties.
        properties: Vec<String>,
        /// The properties themselves.
        model: Arc<Model>,
        /// In words.
        text: String,
    },
    /// A property file is no longer watched.
    Unloaded {
        /// The number of the property file.
        monitor: u32,
    },
    /// The program goes on.
    Running,
    /// The program stopped.
    Stopped(Stop),
    /// The program ended.
    Exited {
        /// The status it ended with; `None` if a signal killed it.
        code: Option<i32>,
        /// The signal that killed it.
        signal: Option<i32>,
        /// In words.
        text: String,
    },
    /// An instance of a property moved.
    Moved(Moved),
    /// A verdict.
    Verdict(Box<Verdict>),
    /// A property printed something, or called an action that is not built in.
    Said {
        /// In words.
        text: String,
    },
    /// Program and monitors were saved.
    Checkpointed(Checkpointed),
    /// Program and monitors are as they were at a checkpoint.
    Restored(Restored),
    /// There are no such checkpoints any more: they were deleted, or went with the program.
    Forgotten {
        /// Their numbers.
        numbers: Vec<i64>,
    },
    /// How many instances of a property there are now: told when the program stops, if there are too many
    /// to be told one by one.
    Counted {
        /// The number of the property file.
        monitor: u32,
        /// The property.
        property: String,
        /// How many instances there are.
        total: u64,
    },
    /// The instances of a property as they are now: told when they changed by other means than
    /// moves, and when the program stops.
    Slices(Slices),
    /// The frame that is selected: told when the program stops and when another one is selected, to
    /// clients that want frames.
    Selected(Selected),
}

/// How serious a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// An answer.
    Plain,
    /// Something may not be as expected.
    Warning,
    /// Something could not be done.
    Error,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: Option<String>,
    /// The file, as the debug information names it.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
}

/// Why a program stopped, without details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A breakpoint.
    Breakpoint,
    /// A watchpoint.
    Watchpoint,
    /// The variable of a watchpoint went out of scope.
    ScopeEnded,
    /// A signal is about to be delivered.
    Signal,
    /// A step is done.
    Step,
    /// A function returned.
    Finished,
    /// Somebody interrupted it.
    Interrupted,
    /// A property was violated.
    Violation,
    /// A scenario stopped it.
    Scenario,
    /// The process runs another program now.
    Executed,
}

impl StopReason {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Breakpoint => "breakpoint",
            StopReason::Watchpoint => "watchpoint",
            StopReason::ScopeEnded => "scope-ended",
            StopReason::Signal => "signal",
            StopReason::Step => "step",
            StopReason::Finished => "finished",
            StopReason::Interrupted => "interrupted",
            StopReason::Violation => "violation",
            StopReason::Scenario => "scenario",
            StopReason::Executed => "executed",
        }
    }
}

/// A stop of the program.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// The numbers of the break- or watchpoints.
    pub points: Vec<i64>,
    /// The thread that stopped, by the number `info threads` shows.
    pub thread: u32,
    /// Where.
    pub place: Place,
    /// In words, with the source line.
    pub text: String,
}

/// A move of an instance.
#[derive(Clone, Debug)]
pub struct Moved {
    /// The number of the property file.
    pub monitor: u32,
    /// The property.
    pub property: String,
    /// The parameters of the instance.
    pub binding: Vec<(String, Value)>,
    /// The state that was left.
    pub from: String,
    /// The state that was entered; `None` if the instance was dropped.
    pub to: Option<String>,
    /// The event, with its arguments, in words; `None` for a deadline.
    pub event: Option<String>,
    /// The number of the event in the run.
    pub index: u64,
}

/// A verdict.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The number of the property file.
    pub monitor: u32,
    /// The property.
    pub property: String,
    /// Whether it was violated; otherwise it was satisfied.
    pub is_violation: bool,
    /// The message of the property.
    pub message: String,
    /// The parameters of the instance.
    pub binding: Vec<(String, Value)>,
    /// Where the program was.
    pub place: Place,
    /// The events that led to it, in words, with the states they led to.
    pub history: Vec<(String, String)>,
    /// How the program got there.
    pub backtrace: Vec<String>,
    /// The number of the event in the run.
    pub index: u64,
    /// In words.
    pub text: String,
}

/// A checkpoint that was made.
#[derive(Clone, Debug)]
pub struct Checkpointed {
    /// Its number.
    pub number: i64,
    /// What it is called.
    pub label: Option<String>,
    /// Where the program was, in words.
    pub place: String,
    /// Whether a scenario made it.
    pub by_scenario: bool,
    /// In words.
    pub text: String,
}

/// A checkpoint that was restored.
#[derive(Clone, Debug)]
pub struct Restored {
    /// Its number.
    pub number: i64,
    /// How many pages of memory were written back.
    pub pages: u64,
    /// How many verdicts belong to the run that was undone.
    pub verdicts: usize,
    /// Where the program is now.
    pub place: Place,
    /// Whether a scenario restored it.
    pub by_scenario: bool,
    /// In words.
    pub text: String,
}

/// The frame that is selected.
#[derive(Clone, Debug)]
pub struct Selected {
    /// Where it is.
    pub place: Place,
    /// Its arguments and local variables with their values, in words.
    pub variables: Vec<(String, String)>,
}

/// The instances of a property.
#[derive(Clone, Debug)]
pub struct Slices {
    /// The number of the property file.
    pub monitor: u32,
    /// The property.
    pub property: String,
    /// How many instances there are.
    pub total: usize,
    /// The first of them.
    pub slices: Vec<Slice>,
}

/// An instance of a property.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Its parameters.
    pub binding: Vec<(String, Value)>,
    /// Its state; `None` if it has ended.
    pub state: Option<String>,
    /// Its variables.
    pub variables: Vec<(String, Value)>,
}

impl Happening {
    /// A plain text.
    pub fn plain(text: impl Into<String>) -> Happening {
        Happening::Text { text: text.into(), level: Level::Plain }
    }

    /// What people are shown of it, if anything.
    pub fn text(&self) -> Option<(&str, Level)> {
        match self {
            Happening::Text { text, level } => Some((text, *level)),
            Happening::Answered { text, .. }
            | Happening::Loaded { text, .. }
            | Happening::Exited { text, .. }
            | Happening::Said { text } => Some((text, Level::Plain)),
            // Somebody does not want to be told.
            Happening::Stopped(stop) if stop.text.is_empty() => None,
            Happening::Stopped(stop) => Some((&stop.text, Level::Plain)),
            Happening::Verdict(verdict) => Some((&verdict.text, Level::Plain)),
            // What scenarios do is told by what they print.
            Happening::Checkpointed(made) if made.by_scenario => None,
            Happening::Checkpointed(made) => Some((&made.text, Level::Plain)),
            Happening::Restored(restored) if restored.by_scenario || restored.text.is_empty() => {
                None
            }
            Happening::Restored(restored) => Some((&restored.text, Level::Plain)),
            Happening::Running
            | Happening::Moved(_)
            | Happening::Unloaded { .. }
            | Happening::Forgotten { .. }
            | Happening::Counted { .. }
            | Happening::Slices(_)
            | Happening::Selected(_) => None,
        }
    }
}

/// Somebody who is told what happens.
pub trait Client {
    /// Something happened.
    fn happened(&mut self, happening: &Happening);

    /// Whether moves of instances are of interest. They are the only frequent happenings; a session
    /// none of whose clients wants them does not describe them.
    fn wants_moves(&self) -> bool {
        false
    }

    /// Whether the selected frame and the variables of instances are of interest at every stop.
    fn wants_frames(&self) -> bool {
        false
    }
}
