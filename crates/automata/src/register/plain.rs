//! Plain register automata: words of single values, and only two forms of label.

use std::collections::BTreeSet;

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
    pub(super) store: Vec<Value>,
    pub(super) start: StateId,
    pub(super) accepting: Vec<bool>,
    pub(super) outgoing: Vec<Vec<(PlainLabel, StateId)>>,
}

impl PlainAutomaton {
    /// The automaton with a start state and no transitions; it accepts nothing. There are as many
    /// registers as `initial_store` has values.
    pub fn new(initial_store: impl IntoIterator<Item = Value>) -> Self {
        let mut automaton = PlainAutomaton {
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
    /// If the automaton does not have one of the states or the register.
    pub fn add_transition(&mut self, from: StateId, label: PlainLabel, to: StateId) {
        let (PlainLabel::Fresh(register) | PlainLabel::Held(register)) = label;
        assert!(register.index() < self.store.len(), "there is no register {}", register.0);
        assert!(to.index() < self.len(), "{to} is not a state of this automaton");
        self.outgoing[from.index()].push((label, to));
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
    pub fn transitions(&self, state: StateId) -> &[(PlainLabel, StateId)] {
        &self.outgoing[state.index()]
    }

    /// How many transitions there are.
    pub fn transition_count(&self) -> usize {
        self.outgoing.iter().map(Vec::len).sum()
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
