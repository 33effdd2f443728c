//! A native program under monitors.
//!
//! [`Program`] is a process under a tracer, together with its monitors. The events that properties
//! declare are found in the program by name and armed. When an event happens, its values are read and
//! it is passed to the engine, in the order in which the events happened; only the thread of the event
//! waits meanwhile. The caller of [`Program`] receives the stops: a violation, a breakpoint of the user,
//! a signal, the end of the program.
//!
//! ```no_run
//! use std::sync::Arc;
//! use watchword_debug::Launch;
//! use watchword_native::{Program, Settings, Why};
//!
//! # fn main() -> Result<(), watchword_debug::Error> {
//! # let model = Arc::new(watchword_model::Model::default());
//! let mut program = Program::launch(Launch::new("./queue"), Settings::default())?;
//! program.load("queue.ww", model)?;
//! let status = loop {
//!     let stop = program.wait()?;
//!     for found in &stop.found {
//!         println!("{}", found.report.message);
//!     }
//!     if let Why::Exited(status) = stop.why {
//!         break status;
//!     }
//!     program.resume(stop.thread)?;
//! };
//! # let _ = status;
//! # Ok(())
//! # }
//! ```

// The handlers for signals of the terminal are system calls; each block argues its safety.
#![allow(unsafe_code)]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod location;
mod monitor;
mod program;
pub mod session;
pub mod signals;
mod source;
pub mod streams;
pub mod term;
mod value;
mod watching;

pub use location::FrameLine;
pub use monitor::{Monitor, MonitorId};
pub use program::{Backend, Found, Happened, Program, Recorder, Settings, Stopped, Why};
pub use session::Session;
pub use source::{ArmNote, Armed};
