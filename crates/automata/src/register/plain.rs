//! Plain register automata: words of single values, and only two forms of label.

use std::collections::BTreeSet;

use super::graph::{Graph, has_graph};
use super::{Register, StateId, Value};

/// What a transition of a [`PlainAutomaton`] asks of the value read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlainLabel {
    /// No register holds the value; it is then stored in this one.
    Fresh(Register),
    /// This register holds the value.
    Held(Register),
}

/// A register automaton in the narrow sense (Definition 3), the classical model with the known
/// theory.
///
/// ```
/// use watchword_automata::register::{PlainAutomaton, PlainLabel, Register, Value};
///
/// // Some value occurs twice in a row at the very beginning.
/// let mut automaton = PlainAutomaton::new([Value(0)]);
/// let [seen, twice] = [automaton.add_state(), automaton.add_state()];
/// automaton.add_transition(automaton.start(), PlainLabel::Fresh(Register(0)), seen);
/// automaton.add_transition(automaton.start(), PlainLabel::Held(Register(0)), seen);
/// automaton.add_transition(seen, PlainLabel::Held(Register(0)), twice);
/// automaton.add_accepting(twice);
/// assert!(automaton.accepts(&[Value(3), Value(3)]));
/// assert!(!automaton.accepts(&[Value(3), Value(4)]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainAutomaton {
    pub(super) graph: Graph<(PlainLabel, StateId)>,
}

has_graph!(PlainAutomaton, (PlainLabel, StateId));

impl PlainAutomaton {
    /// The automaton with a start state and no transitions; it accepts nothing. There are as many
    /// registers as `initial_store` has values.
    pub fn new(initial_store: impl IntoIterator<Item = Value>) -> Self {
        PlainAutomaton { graph: Graph::new(initial_store) }
    }

    /// Adds a transition.
    ///
    /// # Panics
    /// If the automaton does not have one of the states or the register.
    pub fn add_transition(&mut self, from: StateId, label: PlainLabel, to: StateId) {
        let (PlainLabel::Fresh(register) | PlainLabel::Held(register)) = label;
        assert!(register.index() < self.store.len(), "there is no register {}", register.0);
        self.connect(from, (label, to), to);
    }

    /// Whether `word` is in the language.
    pub fn accepts(&self, word: &[Value]) -> bool {
        let mut current = BTreeSet::from([(self.start, self.store.clone())]);
        for value in word {
            let mut next = BTreeSet::new();
            for (state, store) in &current {
                for (label, to) in self.transitions(*state) {
                    match label {
                        PlainLabel::Fresh(register) if !store.contains(value) => {
                            let mut store = store.clone();
                            store[register.index()] = *value;
                            next.insert((*to, store));
                        }
                        PlainLabel::Held(register) if store[register.index()] == *value => {
                            next.insert((*to, store.clone()));
                        }
                        _ => {}
                    }
                }
            }
            current = next;
        }
        current.iter().any(|(state, _)| self.is_accepting(*state))
    }
}
