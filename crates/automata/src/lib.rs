//! Finite automata and register automata: data and algorithms, without I/O and without
//! dependencies.
//!
//! | module | what it has | who uses it |
//! |---|---|---|
//! | [`finite`] | regular expressions, nondeterministic and deterministic automata over a finite alphabet, and the usual operations on their languages | the compiler of `never R` and `only R`, and the analyses of programs |
//! | [`register`] | automata that remember data values in registers and compare them, with or without transitions that read several letters at once; a decision procedure for emptiness | `lint`, to find properties that can never fail |
//!
//! This crate knows nothing about events, properties or programs: the caller numbers its events as
//! letters and translates the results back. Do not use it to match texts: alphabets are expected to
//! be small, and tables are dense.
//!
//! # Example
//!
//! A protocol allows “open, any number of reads, close”, repeated. The first assertion shows that
//! every run with a read directly after a close breaks the protocol. The second shows that there are
//! other ways to break it: a shortest one is a single read.
//!
//! ```
//! use watchword_automata::finite::{Alphabet, Letter, Regex, only_dfa};
//!
//! let [open, read, close] = [Letter(0), Letter(1), Letter(2)];
//! let alphabet = Alphabet::new(3);
//! let [o, r, c] = [open, read, close].map(Regex::letter);
//!
//! let read_after_close =
//!     c.clone().then(r.clone()).compile(alphabet).containing_factor().determinise();
//! let out_of_protocol = only_dfa(&o.then(r.star()).then(c).star(), alphabet);
//!
//! assert!(read_after_close.is_included_in(&out_of_protocol));
//! assert_eq!(out_of_protocol.inclusion_counterexample(&read_after_close), Some(vec![read]));
//! ```

mod error;
pub mod finite;
pub mod register;

pub use error::Error;
