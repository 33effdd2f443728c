//! Register automata: finite automata that remember and compare data values.
//!
//! A [`DataLetter`] has a kind and values; a register automaton stores values of letters in
//! registers and compares later letters with them. There are three models, equally expressive:
//!
//! - [`RollbackAutomaton`]: what properties are written in. A transition reads one or several
//!   consecutive letters, all or none, and letters no transition starts with are skipped.
//! - [`SimpleAutomaton`]: easier to compute with. A transition reads one letter, and a letter
//!   without a transition is fatal.
//! - [`PlainAutomaton`]: the classical model. Letters are single values, either held by a register
//!   or fresh.
//!
//! | to … | use |
//! |---|---|
//! | write labels | [`Label`], or [`Pattern`]s and [`Label::matching`] |
//! | ask whether a word is in the language | [`RollbackAutomaton::accepts`], [`SimpleAutomaton::accepts`], [`PlainAutomaton::accepts`]; letter by letter: [`Run`] |
//! | ask whether there is any word, and get a shortest | [`RollbackAutomaton::emptiness`], [`SimpleAutomaton::emptiness`] |
//! | combine languages | [`SimpleAutomaton::union`], [`SimpleAutomaton::intersection`], [`SimpleAutomaton::concat`], [`SimpleAutomaton::star`] |
//! | try transitions in order instead of all at once | [`SimpleAutomaton::first_enabled`] |
//! | change the model | [`PlainAutomaton::to_simple`], [`SimpleAutomaton::to_plain`], [`SimpleAutomaton::to_rollback`], [`RollbackAutomaton::to_simple`] |
//!
//! There is no complement, no inclusion and no equivalence: they are undecidable for these models.
//! Guards that are neither equality nor inequality can be present as [opaque](Test::Opaque) tests;
//! then [`Emptiness`] may be unknown.
//!
//! # Example
//!
//! An iterator used after its collection changed, and the shortest run that does that.
//!
//! ```
//! use watchword_automata::register::*;
//!
//! let [create, update, next] = [Kind(0), Kind(1), Kind(2)]; // create(c, i), update(c), next(i)
//! let (c, i) = (Register(0), Register(1));
//! let mut property = RollbackAutomaton::new(Signature::new([2, 1, 1]), [Value(0), Value(0)]);
//! let start = property.start();
//! let [created, changed, bad] = std::array::from_fn(|_| property.add_state());
//! let creation = Label::matching(create, &[Pattern::Bind(c), Pattern::Bind(i)]);
//! property.add_forking_transition(start, creation, created);
//! property.add_transition(created, Label::matching(update, &[Pattern::Same(c)]), changed);
//! property.add_transition(changed, Label::matching(next, &[Pattern::Same(i)]), bad);
//! property.add_accepting(bad);
//!
//! let Emptiness::Witness(word) = property.emptiness() else { panic!("can it never fail?") };
//! let word: Vec<String> = word.iter().map(|letter| letter.to_string()).collect();
//! assert_eq!(word, ["k0(1, 2)", "k1(1)", "k2(2)"]);
//! ```

mod combine;
mod emptiness;
mod graph;
mod knowledge;
mod label;
mod letter;
mod negation;
mod order;
mod pattern;
mod plain;
mod rollback;
mod run;
mod simple;
mod translate;

pub use crate::finite::StateId;
pub use emptiness::{Emptiness, Unknown};
pub use graph::Graph;
pub use label::{Assignment, Component, Label, Oracle, Register, Term, Test};
pub use letter::{DataLetter, DataWord, Kind, Signature, Value};
pub use pattern::Pattern;
pub use plain::{PlainAutomaton, PlainLabel};
pub use rollback::{RollbackAutomaton, RollbackTransition, Steps};
pub use run::{Configuration, Run};
pub use simple::SimpleAutomaton;
pub use translate::plain_to_simple::unary_word;
pub use translate::rollback_to_simple::Unrolled;
pub use translate::simple_to_plain::Flattened;
