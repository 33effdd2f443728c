//! The Debug Adapter Protocol: editors connect to a session while monitors run.
//!
//! [`protocol`] knows messages and does no input or output. [`serve`] answers a connected editor until
//! it lets go of the program, ends it, or vanishes. A [`Host`] supplies what the protocol does not
//! know: how properties are read, and what was given on the command line.
//!
//! ```no_run
//! use watchword_dap::{Configuration, Connection, Host, serve};
//! use watchword_native::Settings;
//! use watchword_session::{Console, NoProperties, Options};
//!
//! struct Plain;
//!
//! impl Host for Plain {
//!     fn settings(&self) -> Settings {
//!         Settings::default()
//!     }
//!     fn console(&mut self) -> Console {
//!         Console::new(Options::default(), Box::new(NoProperties))
//!     }
//!     fn defaults(&self) -> Configuration {
//!         Configuration::default()
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let listener = std::net::TcpListener::bind("127.0.0.1:4711")?;
//! serve(Connection::accept(&listener)?, &mut Plain)?;
//! # Ok(())
//! # }
//! ```
//!
//! A violation is an exception stop; its history is the exception's description. Instances of
//! properties are a scope beside locals and registers. `stepBack` and `reverseContinue` go to
//! checkpoints.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod configuration;
pub mod protocol;
mod server;

pub use configuration::Configuration;
pub use server::{Connection, Host, serve};
