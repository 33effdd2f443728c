//! Answers to questions, as clients are given them.

use watchword_model::Value;

use crate::happening::{Place, Slices};

/// What was asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// The number of the point that was set.
    Set {
        /// Its number.
        number: i64,
    },
    /// Break- and watchpoints.
    Points(Vec<Point>),
    /// Threads.
    Threads(Vec<Thread>),
    /// The frames of the thread that is looked at, the innermost first.
    Frames(Vec<Frame>),
    /// Arguments and variables of the frame, with their values in words.
    Variables {
        /// The arguments.
        arguments: Vec<(String, String)>,
        /// The other variables.
        locals: Vec<(String, String)>,
    },
    /// A value.
    Value {
        /// The number under which it is kept, `$N`.
        number: usize,
        /// Its type.
        ty: String,
        /// In words.
        value: String,
        /// Where it is in memory.
        address: Option<u64>,
    },
    /// Registers and their values.
    Registers(Vec<(String, u64)>),
    /// Memory, as much as there is.
    Memory {
        /// Where it begins.
        address: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Instructions.
    Instructions {
        /// The function they are of.
        function: String,
        /// The instructions.
        all: Vec<Instruction>,
    },
    /// Property files.
    Monitors(Vec<Monitor>),
    /// Instances of properties.
    Slices(Vec<Slices>),
    /// What was found.
    Verdicts(Vec<Found>),
    /// Checkpoints.
    Checkpoints(Vec<Saved>),
    /// What is done about signals.
    Signals(Vec<Signal>),
}

/// A break- or watchpoint.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its number.
    pub number: i64,
    /// `breakpoint`, `watchpoint`, `read watchpoint`, `access watchpoint`.
    pub kind: &'static str,
    /// What it was set for.
    pub text: String,
    /// Its condition.
    pub condition: Option<String>,
    /// Whether it is on.
    pub is_on: bool,
    /// Whether it goes away when it was hit.
    pub once: bool,
    /// Whether a scenario set it.
    pub of_scenario: bool,
    /// How often it was hit.
    pub hits: u64,
    /// Where it is in the program.
    pub addresses: Vec<u64>,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Its number.
    pub number: u32,
    /// The system's number.
    pub id: i32,
    /// What it calls itself.
    pub name: String,
    /// Whether it is the one that is looked at.
    pub is_selected: bool,
    /// Where it stands; nowhere if it runs.
    pub place: Option<Place>,
}

/// A frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its number.
    pub number: usize,
    /// Where it is in the code.
    pub pc: u64,
    /// Where it is in the source.
    pub place: Place,
    /// Whether it is the one that is looked at.
    pub is_selected: bool,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Where it is.
    pub address: u64,
    /// In words.
    pub text: String,
    /// Whether it is the next one of the frame.
    pub is_here: bool,
}

/// A property file.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its properties.
    pub properties: Vec<Property>,
}

/// A property that the program is watched with.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Places in the program that its events come from.
    pub sites: u64,
    /// Events that were seen.
    pub events: u64,
    /// Instances there are now.
    pub instances: u64,
    /// Violations that were found, also in runs that were undone.
    pub violations: u64,
    /// Those in runs that were undone.
    pub undone: u64,
}

/// Something that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The property file.
    pub monitor: u32,
    /// The property.
    pub property: String,
    /// Whether it is a violation.
    pub is_violation: bool,
    /// What the property says.
    pub message: String,
    /// The parameters of the instance.
    pub binding: Vec<(String, Value)>,
    /// The checkpoint whose restoration undid the run it belongs to.
    pub undone: Option<i64>,
}

/// A checkpoint.
#[derive(Clone, Debug)]
pub struct Saved {
    /// Its number.
    pub number: i64,
    /// What it is called.
    pub label: Option<String>,
    /// Where the program was.
    pub place: String,
    /// How long ago it was made, in seconds.
    pub age: f64,
    /// Bytes it takes on disk, if it is there.
    pub on_disk: Option<u64>,
}

/// What is done when the program gets a signal.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Its number.
    pub number: i32,
    /// Its name.
    pub name: String,
    /// Whether the program stops.
    pub stop: bool,
    /// Whether it is shown.
    pub print: bool,
    /// Whether the program gets it.
    pub pass: bool,
}
