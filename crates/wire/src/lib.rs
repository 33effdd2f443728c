//! What the command line and the agents it puts into programs tell each other.
//!
//! Down goes a [`Bundle`]: the model of the properties and what was asked for on the command line.
//! An agent needs no front end.
//! Up come [`Record`]s: violations as they happen and, once, the totals. The command line renders
//! them, so there is one renderer however a program is watched.
//!
//! Both ends come out of the same build, so there is one version of the format, and a reader
//! refuses every other: see [`VERSION`]. Bytes are checked nevertheless: a file may be cut short,
//! or be another file.
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
mod model;
mod record;

pub use bundle::{Bundle, Events, OTHER_BUILD, OnViolation, Settings};
pub use code::{VERSION, WireError, fingerprint};
pub use record::{Ending, Found, Record, read_record};
