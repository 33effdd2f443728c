//! The output of Watchword as text: reports for machines and people, explanations, pictures.
//!
//! All functions are pure: they take data and return text, read and write no files, and read no
//! clock. So every program that runs monitors (the command line, the supervisor of a JVM agent, the
//! debugger) gets the same reports from the same [`Outcome`].
//!
//! - [`Outcome`] is a run that has ended; [`report`] turns it into JSON, SARIF, JUnit XML or one
//!   HTML page.
//! - [`words`] describes violations and properties in plain words; [`example`] finds a shortest trace
//!   that violates a property.
//! - [`fingerprint()`] identifies a violation even after lines have moved; [`Baseline`] is a set of
//!   fingerprints.
//! - [`layout`] places any graph of boxes and arrows in layers. A [`diagram`] says what is in the
//!   boxes, and [`automaton`] makes a diagram of a property; [`svg`], [`dot`] and [`term`] draw it.
//!
//! # Example
//!
//! Draw an automaton with two states:
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
pub mod human;
pub mod json;
pub mod layout;
mod limits;
mod outcome;
mod program;
pub mod report;
pub mod style;
pub mod svg;
pub mod term;
pub mod text;
pub mod words;

pub use awaited::awaited;
pub use baseline::{Baseline, BaselineError};
pub use fingerprint::fingerprint;
pub use gather::{APART, gathered};
pub use limits::{limit, puzzle, unsound};
pub use outcome::{Outcome, Snippet, Status, Tally, Verdict, Violation, first_state, path, story};
