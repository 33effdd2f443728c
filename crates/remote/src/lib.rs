//! The GDB remote serial protocol: stock debuggers connect to a session while monitors run.
//!
//! [`protocol`] knows packets and registers and does no input or output. [`serve`] answers a
//! connected debugger until it lets go of the program, ends it, or vanishes:
//!
//! ```no_run
//! use watchword_native::session::Origin;
//! use watchword_native::{Session, Settings};
//! use watchword_remote::{Connection, serve};
//! use watchword_session::{Console, NoProperties, Options};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut session = Session::new(Origin::Command(vec!["./queue".into()]), Settings::default())?;
//! let mut console = Console::new(Options::default(), Box::new(NoProperties));
//! let listener = std::net::TcpListener::bind("127.0.0.1:2345")?;
//! serve(&mut session, &mut console, Connection::accept(&listener)?)?;
//! # Ok(())
//! # }
//! ```
//!
//! The debugger sees the program as if there were no monitors: their breakpoints are hidden in
//! memory, and only what they find stops the program. Verdicts are console text and the reason of a
//! stop. `monitor COMMAND` runs a command of the prompt.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

pub mod protocol;
mod server;

pub use server::{Connection, serve};

/// Commands for GDB: `checkpoint`, `restart`, `verde …`. A Python file for its `source` command.
pub const GDB_SCRIPT: &str = include_str!("script.py");
