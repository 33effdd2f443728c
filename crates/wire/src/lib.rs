//! Messages between the command line and the agents that it puts into programs.
//!
//! * The command line sends a [`Bundle`]: the model of the properties and the settings of the command
//!   line. So an agent needs no front end.
//! * The agent sends [`Record`]s: each violation when it happens, and the totals once. The command line
//!   prints them, so the output is the same for all kinds of programs.
//!
//! Both sides come from the same build. Therefore the format has one version, and a reader refuses all
//! others: see [`VERSION`]. The bytes are checked in any case, because a file may be truncated or may
//! be another file.
//!
//! ```
//! use watchword_wire::{Record, read_record};
//!
//! let bytes = Record::Warning("a method was left alone".into()).to_frame();
//! let mut stream = &bytes[..];
//! let record = read_record(&mut stream).unwrap();
//! assert!(matches!(record, Some(Record::Warning(text)) if text.starts_with("a method")));
//! assert!(read_record(&mut stream).unwrap().is_none());
//! ```

mod bundle;
mod code;
mod event;
mod model;
mod record;

pub use bundle::{Bundle, Events, OTHER_BUILD, OnViolation, Settings};
pub use code::{VERSION, WireError, fingerprint};
pub use event::Carried;
pub use record::{Ending, Found, Record, Shown, Slice, Slices, read_record};
