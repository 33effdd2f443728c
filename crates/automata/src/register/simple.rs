//! Simple automata: every transition reads one letter, and a letter no transition reads is fatal.

use std::collections::BTreeSet;

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
    pub(super) store: Vec<Value>,
    pub(super) start: StateId,
    pub(super) accepting: Vec<bool>,
    pub(super) outgoing: Vec<Vec<(Label, StateId)>>,
}

impl SimpleAutomaton {
    /// The automaton with a start state and no transitions; it accepts nothing. There are as many
    /// registers as `initial_store` has values.
    pub fn new(signature: Signature, initial_store: impl IntoIterator<Item = Value>) -> Self {
        let mut automaton = SimpleAutomaton {
            signature,
            store: initial_store.into_iter().collect(),
            start: StateId(0),
            accepting: Vec::new(),
            outgoing: Vec::new(),
        };
        automaton.add_state();
        automaton
    }

    /// Adds a state that is not accepting.
    pub fn add_state(&mut self) -> StateId {
        self.accepting.push(false);
        self.outgoing.push(Vec::new());
        StateId::from_index(self.accepting.len() - 1)
    }

    /// Makes `state` accepting.
    ///
    /// # Panics
    /// If `state` is not a state of this automaton.
    pub fn add_accepting(&mut self, state: StateId) {
        self.accepting[state.index()] = true;
    }

    /// Adds a transition.
    ///
    /// # Panics
    /// If the automaton does not have one of the states, registers or kinds.
    pub fn add_transition(&mut self, from: StateId, label: Label, to: StateId) {
        assert!(to.index() < self.len(), "{to} is not a state of this automaton");
        label.check(&self.signature, self.store.len());
        self.outgoing[from.index()].push((label, to));
    }

    /// The letters read.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The store of the initial configuration, one value per register.
    pub fn initial_store(&self) -> &[Value] {
        &self.store
    }

    /// How many states there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "there is always a start state")]
    pub fn len(&self) -> usize {
        self.accepting.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.len()).map(StateId::from_index)
    }

    /// The start state.
    pub fn start(&self) -> StateId {
        self.start
    }

    /// Whether `state` is accepting.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state.index()]
    }

    /// The transitions leaving `state`, in the order they were added.
    pub fn transitions(&self, state: StateId) -> &[(Label, StateId)] {
        &self.outgoing[state.index()]
    }

    /// How many transitions there are.
    pub fn transition_count(&self) -> usize {
        self.outgoing.iter().map(Vec::len).sum()
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
