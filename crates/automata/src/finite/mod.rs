//! Finite automata over a finite alphabet.
//!
//! An [`Alphabet`] has numbered [`Letter`]s; a caller maps its event kinds to them. A [`Regex`] is
//! compiled to an [`Nfa`], an [`Nfa`] is [determinised](Nfa::determinise) to a [`Dfa`], and a
//! [`Dfa`] has a [minimal form](Dfa::minimise) that is equal for equal languages.
//!
//! | to … | use |
//! |---|---|
//! | monitor a property given by a regular expression | [`never_dfa`], [`only_dfa`] |
//! | combine languages | [`Dfa::union`], [`Dfa::intersection`], [`Dfa::difference`], [`Dfa::complement`], [`Nfa::union`], [`Nfa::intersection`], [`Nfa::concat`], [`Nfa::star`] |
//! | rearrange words | [`Nfa::reverse`], [`Nfa::superwords`], [`Nfa::containing_factor`], [`Nfa::containing_suffix`], [`Nfa::prefixes`] |
//! | ask with an answer in words | [`Dfa::shortest_word`], [`Dfa::inclusion_counterexample`], [`Dfa::equivalence_counterexample`] |
//! | build an automaton from a process | [`Dfa::explore`] |
//! | find states that matter | [`Dfa::reachable`], [`Dfa::co_reachable`], [`Dfa::trim`], [`Dfa::equivalent_states`], [`Dfa::residual`] |
//!
//! Results are deterministic: the same input gives the same state numbers on every run. Functions
//! that may need exponentially many states have a variant whose name ends in `_within` and takes a
//! limit.

mod closure;
mod compile;
mod determinise;
mod dfa;
mod explore;
mod letter;
mod minimise;
mod nfa;
mod product;
mod reach;
mod regex;
mod state;
mod verdict;
mod witness;

pub use dfa::Dfa;
pub use letter::{Alphabet, Letter, Word};
pub use minimise::Classes;
pub use nfa::Nfa;
pub use regex::Regex;
pub use state::StateId;
pub use verdict::{bad_state, never_dfa, never_dfa_within, only_dfa, only_dfa_within};
