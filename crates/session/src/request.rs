//! What clients ask of a session.

use watchword_native::Session;
use watchword_native::session::Go;

use crate::console::{Console, Then};
use crate::error::Result;

/// What a client asks of a session. What comes of it is told as happenings.
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
    /// Put an instance of a property into a state.
    SetState {
        /// The property.
        property: String,
        /// The parameters of the instance, as `slices` shows them; empty if there are none.
        binding: String,
        /// The state.
        state: String,
    },
    /// Anything the prompt can do.
    Command(String),
}

impl Console {
    /// Serves a request.
    ///
    /// # Errors
    /// Why it cannot be served; then nothing has changed.
    pub fn perform(&mut self, session: &mut Session, request: &Request) -> Result<Then> {
        let done = match request {
            Request::Continue => self.go(session, &Go::Continue),
            Request::Step => self.go(session, &Go::Step),
            Request::Next => self.go(session, &Go::Next),
            Request::StepInstruction => self.go(session, &Go::StepInstruction),
            Request::NextInstruction => self.go(session, &Go::NextInstruction),
            Request::Finish => self.go(session, &Go::Finish),
            Request::Checkpoint { label } => self.checkpoint(session, label.as_deref()),
            Request::Restore { number } => self.restore(session, *number),
            Request::SetState { property, binding, state } => {
                self.set_state_of(session, property, binding, state)
            }
            Request::Command(line) => self.execute(session, line),
        };
        match done? {
            Then::Quit => Ok(Then::Quit),
            Then::Next => self.run_pending(session),
        }
    }
}
