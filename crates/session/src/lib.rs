//! A debugging session as a library.
//!
//! A front end (the prompt, the GDB remote protocol, a page in a browser, an editor) makes
//! [`Request`]s of a [`Console`], and receives everything that happens as a stream of typed
//! [`Happening`]s: stops, moves of monitors, verdicts, checkpoints, answers, text for people. Several
//! clients can listen to one session at the same time. Both directions have a versioned JSON form
//! ([`Happening::to_json`], [`Request::from_json`]).
//!
//! The [`watchword_native::Session`] beneath does the work; this crate knows the requests, and the
//! commands of the prompt: [`Console::execute`] reads a line as a request.
//!
//! ```no_run
//! use watchword_native::session::Origin;
//! use watchword_native::{Session, Settings};
//! use watchword_session::{Client, Console, Happening, NoProperties, Options, Request};
//!
//! struct Printer;
//!
//! impl Client for Printer {
//!     fn happened(&mut self, happening: &Happening) {
//!         println!("{}", happening.to_json());
//!     }
//! }
//!
//! # fn main() -> watchword_session::Result<()> {
//! let mut session = Session::new(Origin::Command(vec!["./queue".into()]), Settings::default())?;
//! let mut console = Console::new(Options::default(), Box::new(NoProperties));
//! console.add_client(Box::new(Printer));
//! let (place, condition) = ("main".to_string(), None);
//! console.perform(&mut session, &Request::Break { place, condition, once: false })?;
//! console.perform(&mut session, &Request::Continue)?;
//! # Ok(())
//! # }
//! ```

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

pub mod answer;
pub mod console;
mod error;
mod happening;
mod json;
pub mod notes;
mod properties;
mod read;
mod request;
mod telling;

pub use answer::Answer;
pub use console::{
    COMMANDS, Candidate, CandidateKind, Console, Options, Then, signal_name, slices_now,
};
pub use error::{Error, Result};
pub use happening::{
    Checkpointed, Client, Happening, Level, Moved, Place, Restored, Selected, Slice, Slices, Stop,
    StopReason, Verdict,
};
pub use json::VERSION;
pub use properties::{NoProperties, Properties, PropertyFiles, Read};
pub use request::Request;
pub use telling::MOST_TOLD;
