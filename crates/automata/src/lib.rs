//! Finite automata and register automata: data and algorithms, without I/O and without
//! dependencies.
//!
//! [`finite`] has regular expressions, nondeterministic and deterministic automata over a finite
//! alphabet, and the usual operations on their languages. It is what `never R` and `only R` are
//! compiled with, and what analyses of programs compute with.
//!
//! [`register`] has automata that also remember data values and compare them, with or without
//! transitions that read several letters at once; in particular it decides whether such an automaton
//! accepts anything, which is how a property that can never fail is found.
//!
//! This crate knows nothing about events, properties or programs; callers number what they care
//! about and translate back. It is not a text matcher: alphabets are small and tables dense.
//!
//! # Example
//!
//! Does a program that reads a file after closing it always break the protocol “open, read, close,
//! again and again”? Yes. Is that the only way to break it? No, and the shortest counterexample is
//! a single read.
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
