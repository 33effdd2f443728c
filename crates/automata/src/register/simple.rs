//! Simple automata: every transition reads one letter, and a letter no transition reads is fatal.

use std::collections::BTreeSet;

use super::graph::{Graph, has_graph};
use super::label::Oracle;
use super::{DataLetter, Label, Signature, StateId, Value};

/// A register automaton over data words (a “TOPL automaton”, Definition 4).
///
/// A configuration is a state and a store. Every enabled transition may be taken; a word is in the
/// language if some walk from the start state and the initial store reads it and ends in an
/// accepting state.
///
/// ```
/// use watchword_automata::register::*;
///
/// // Three letters, the last one different from both others.
/// let mut automaton = SimpleAutomaton::new(Signature::tuples(1), [Value(0), Value(0)]);
/// let [one, two, three] = std::array::from_fn(|_| automaton.add_state());
/// let (r, s, c) = (Register(0), Register(1), Component(0));
/// automaton.add_transition(automaton.start(), Label::any().set(r, c), one);
/// automaton.add_transition(one, Label::any().set(s, c), two);
/// automaton.add_transition(two, Label::any().differ(c, r).differ(c, s), three);
/// automaton.add_accepting(three);
///
/// let word = |values: [u64; 3]| values.map(|v| DataLetter::new(Kind(0), [Value(v)]));
/// assert!(automaton.accepts(&word([7, 7, 8])));
/// assert!(!automaton.accepts(&word([7, 8, 7])));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleAutomaton {
    pub(super) signature: Signature,
    pub(super) graph: Graph<(Label, StateId)>,
}

has_graph!(SimpleAutomaton, (Label, StateId));

impl SimpleAutomaton {
    /// The automaton with a start state and no transitions; it accepts nothing. There are as many
    /// registers as `initial_store` has values.
    pub fn new(signature: Signature, initial_store: impl IntoIterator<Item = Value>) -> Self {
        SimpleAutomaton { signature, graph: Graph::new(initial_store) }
    }

    /// Adds a transition.
    ///
    /// # Panics
    /// If the automaton does not have one of the states, registers or kinds.
    pub fn add_transition(&mut self, from: StateId, label: Label, to: StateId) {
        label.check(&self.signature, self.store.len());
        self.connect(from, (label, to), to);
    }

    /// The letters read.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Whether `word` is in the language, taking every opaque test as false and so its negation as
    /// true. A letter outside the signature is never read.
    pub fn accepts(&self, word: &[DataLetter]) -> bool {
        self.accepts_with(word, &mut |_, _, _| false)
    }

    /// Whether `word` is in the language, deciding opaque tests by `opaque`.
    pub fn accepts_with(&self, word: &[DataLetter], opaque: &mut Oracle<'_>) -> bool {
        let mut current = BTreeSet::from([(self.start, self.store.clone())]);
        for letter in word {
            if !self.signature.contains(letter) {
                return false;
            }
            let mut next = BTreeSet::new();
            for (state, store) in &current {
                for (label, to) in self.transitions(*state) {
                    if let Some(store) = label.step(store, letter, opaque) {
                        next.insert((*to, store));
                    }
                }
            }
            current = next;
        }
        current.iter().any(|(state, _)| self.is_accepting(*state))
    }
}
