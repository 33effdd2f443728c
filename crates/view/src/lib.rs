//! What people see of Watchword, as text: reports for machines and people, explanations, pictures.
//!
//! Everything in here is pure: data in, text out. No file is read or written, no clock is asked,
//! so whoever runs monitors — the command line, a JVM agent's supervisor, the debugger — gets the
//! same reports from the same [`Outcome`].
//!
//! - [`Outcome`] is a run that has ended; [`report`] turns it into JSON, SARIF, JUnit XML or one
//!   HTML page.
//! - [`words`] tells violations and properties in plain words; [`example`] finds a shortest trace
//!   that violates a property.
//! - [`fingerprint()`] names a violation so that it is known again when lines have moved;
//!   [`Baseline`] is a set of such names.
//! - [`layout`] places any graph of boxes and arrows in layers; a [`diagram`] says what is in the
//!   boxes, [`automaton`] makes one of a property; [`svg`], [`dot`] and [`term`] draw it.
//!
//! ```
//! use watchword_view::diagram::{Diagram, Edge, Node};
//!
//! let mut diagram = Diagram::new("Files");
//! let closed = diagram.add(Node::start("Closed"));
//! let open = diagram.add(Node::plain("Open"));
//! diagram.connect(Edge::new(closed, open, "open(f)"));
//! diagram.connect(Edge::new(open, closed, "close(f)"));
//! assert!(watchword_view::svg::draw(&[diagram]).contains("open(f)"));
//! ```

pub mod automaton;
mod awaited;
mod baseline;
pub mod diagram;
pub mod dot;
pub mod example;
pub mod expression;
mod fingerprint;
mod gather;
pub mod json;
pub mod layout;
mod limits;
mod outcome;
mod program;
pub mod report;
pub mod svg;
pub mod term;
pub mod text;
pub mod words;

pub use awaited::awaited;
pub use baseline::{Baseline, BaselineError};
pub use fingerprint::fingerprint;
pub use gather::{APART, gathered};
pub use limits::{limit, puzzle, unsound};
pub use outcome::{Outcome, Snippet, Status, Tally, Verdict, Violation, first_state, path};
