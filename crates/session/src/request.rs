//! What clients ask of a session.

use watchword_debug::Access;
use watchword_native::Session;
use watchword_native::session::{Back, Go, Handling, Locking};

use crate::console::{Console, Then};
use crate::error::Result;

/// What a client asks of a session. What comes of it is told as happenings; a question is answered by
/// [`Happening::Answered`](crate::Happening::Answered).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Go on until something happens.
    Continue,
    /// To another source line, into calls.
    Step,
    /// To another source line, over calls.
    Next,
    /// One instruction, into calls.
    StepInstruction,
    /// One instruction, over calls.
    NextInstruction,
    /// To the caller of the selected frame.
    Finish,
    /// Go on in some way, so many times unless something else stops the program.
    Go {
        /// How.
        how: Go,
        /// How often.
        times: u32,
    },
    /// Go on, and pass the breakpoints here the next times.
    ContinuePast {
        /// At which hit they stop the program again, counted from 1.
        hit: u32,
    },
    /// Only these threads go on, by their numbers, until something happens.
    ContinueThreads {
        /// The numbers.
        threads: Vec<u32>,
    },
    /// Back to an earlier moment, so many times.
    GoBack {
        /// How.
        how: Back,
        /// How often.
        times: u32,
    },
    /// Start the program from the beginning, and let it go.
    Run,
    /// Start the program from the beginning, to `main`.
    Start,
    /// End the program.
    Kill,
    /// Let the program go on by itself.
    Detach,
    /// Set a breakpoint.
    Break {
        /// A function, `FILE:LINE`, `LINE`, `*ADDRESS`; empty: here.
        place: String,
        /// It stops the program only if this holds.
        condition: Option<String>,
        /// Whether it goes away when it was hit.
        once: bool,
    },
    /// Watch what an expression names.
    Watch {
        /// The expression.
        expression: String,
        /// What is to stop the program.
        access: Access,
    },
    /// Remove points.
    Delete {
        /// Their numbers; none: all of the person's.
        numbers: Vec<i64>,
    },
    /// Turn points on or off.
    Enable {
        /// Their numbers; none: all of the person's.
        numbers: Vec<i64>,
        /// Whether they are to be on.
        on: bool,
    },
    /// Give a point a condition, or take it away.
    Condition {
        /// Its number.
        number: i64,
        /// The condition.
        condition: Option<String>,
    },
    /// Let the next hits of a point pass.
    Ignore {
        /// Its number.
        number: i64,
        /// How many.
        hits: u64,
    },
    /// Which break- and watchpoints there are.
    Points,
    /// Which threads there are.
    Threads,
    /// Look at a thread.
    Thread {
        /// Its number.
        number: u32,
    },
    /// Whether the other threads stand while one is moved.
    Lock {
        /// Whether they do.
        locking: Locking,
    },
    /// How the thread that is looked at got where it is.
    Frames {
        /// At most so many frames.
        limit: Option<usize>,
    },
    /// Look at a frame.
    Frame {
        /// Its number.
        number: usize,
    },
    /// The arguments and variables of the frame.
    Variables,
    /// The value of an expression, or of an assignment, which is carried out.
    Evaluate {
        /// The expression.
        expression: String,
        /// How numbers are shown: a letter of `print/FORMAT`.
        format: Option<char>,
    },
    /// The general registers of the thread.
    Registers,
    /// Bytes of memory.
    Memory {
        /// An expression for where they begin.
        address: String,
        /// How many.
        size: usize,
    },
    /// The instructions of a function.
    Disassemble {
        /// A place in it; without, that of the frame.
        place: Option<String>,
    },
    /// Which property files the program is watched with.
    Monitors,
    /// The instances of properties.
    Slices {
        /// The property; without, all.
        property: Option<String>,
    },
    /// What was found, also in runs that were undone.
    Verdicts,
    /// Watch the program with another property file.
    LoadProperty {
        /// The file.
        file: String,
        /// A file of functions for guards, for properties that have such.
        functions: Option<String>,
    },
    /// Stop watching with a property file.
    Unload {
        /// Its number.
        monitor: u32,
    },
    /// Put an instance of a property into a state.
    SetState {
        /// The property.
        property: String,
        /// The parameters of the instance, as `slices` shows them; empty if there are none.
        binding: String,
        /// The state.
        state: String,
    },
    /// Save program and monitors.
    Checkpoint {
        /// What to call it.
        label: Option<String>,
    },
    /// Go back to a checkpoint, or to the last one.
    Restore {
        /// Its number.
        number: Option<i64>,
    },
    /// Which checkpoints there are.
    Checkpoints,
    /// Forget a checkpoint.
    DropCheckpoint {
        /// Its number.
        number: i64,
    },
    /// Let a scenario decide what happens.
    LoadScenario {
        /// The file.
        file: String,
    },
    /// No scenario any more.
    UnloadScenario,
    /// What is done when the program gets a signal.
    Handle {
        /// The signal.
        signal: i32,
        /// What is done.
        handling: Handling,
    },
    /// What is done about signals.
    Signals,
    /// Anything else the prompt can do.
    Command(String),
}

impl Console {
    /// Serves a request, and what follows from it.
    ///
    /// # Errors
    /// Why it cannot be served; then nothing has changed.
    pub fn perform(&mut self, session: &mut Session, request: &Request) -> Result<Then> {
        match self.serve(session, request)? {
            Then::Quit => Ok(Then::Quit),
            Then::Next => self.run_pending(session),
        }
    }
}
