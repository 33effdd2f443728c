//! Scenarios: scripts of debugger actions for changes of state.
//!
//! * [`parse`] reads a `.scn` file.
//! * [`check`] compares a scenario with the properties it is about.
//! * A [`Machine`] runs a scenario: it receives the [`Move`]s of the monitors, and acts through a
//!   [`Host`], which controls the program.
//!
//! `docs/scenarios.md` describes the language. This crate does no I/O; the host does it.
//!
//! # Example
//!
//! A reaction prints at the first move and stops the program at the second:
//!
//! ```
//! use watchword_scenario::{Flow, Host, Machine, Move, parse};
//!
//! struct Quiet(Vec<String>);
//! impl Host for Quiet {
//!     fn print(&mut self, text: &str) {
//!         self.0.push(text.to_string());
//!     }
//! }
//!
//! let text = "
//! pushes := 0
//! on entering state Ready do
//!   pushes := pushes + 1
//!   if pushes = 2 then stop \"that was the second\" else print \"first\"
//! ";
//! let (scenario, diagnostics) = parse(text, "two.scn");
//! assert!(diagnostics.is_empty());
//! let mut machine = Machine::new(scenario);
//! let mut host = Quiet(Vec::new());
//! let push = Move {
//!     property: "Queue", left: "Ready", left_accepting: true,
//!     entered: "Ready", entered_accepting: true, binding: &[],
//! };
//! assert_eq!(machine.react(&[push], &mut host).flow, Flow::Unsaid);
//! assert_eq!(
//!     machine.react(&[push], &mut host).flow,
//!     Flow::Stop(Some("that was the second".to_string()))
//! );
//! assert_eq!(host.0, ["first"]);
//! ```

mod check;
mod eval;
mod format;
mod lexer;
mod machine;
mod parser;
mod tree;

pub use check::check;
pub use format::format;
pub use machine::{Flow, Host, Machine, Move, Outcome, WatchMode, accepting};
pub use parser::parse;
pub use tree::Scenario;
