//! States and transitions, which all register automata have.

use super::{StateId, Value};

/// The states of a register automaton, its transitions `T`, and the initial store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph<T> {
    pub(super) store: Vec<Value>,
    pub(super) start: StateId,
    pub(super) accepting: Vec<bool>,
    pub(super) outgoing: Vec<Vec<T>>,
}

impl<T> Graph<T> {
    /// A start state and no transitions.
    pub(super) fn new(initial_store: impl IntoIterator<Item = Value>) -> Self {
        Graph {
            store: initial_store.into_iter().collect(),
            start: StateId(0),
            accepting: vec![false],
            outgoing: vec![Vec::new()],
        }
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

    /// Adds a transition whose label was looked at.
    pub(super) fn connect(&mut self, from: StateId, transition: T, to: StateId) {
        assert!(to.index() < self.len(), "{to} is not a state of this automaton");
        self.outgoing[from.index()].push(transition);
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
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + use<T> {
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
    pub fn transitions(&self, state: StateId) -> &[T] {
        &self.outgoing[state.index()]
    }

    /// How many transitions there are.
    pub fn transition_count(&self) -> usize {
        self.outgoing.iter().map(Vec::len).sum()
    }
}

/// Makes an automaton's graph part of itself.
macro_rules! has_graph {
    ($automaton:ty, $transition:ty) => {
        impl std::ops::Deref for $automaton {
            type Target = super::graph::Graph<$transition>;

            fn deref(&self) -> &Self::Target {
                &self.graph
            }
        }

        impl std::ops::DerefMut for $automaton {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.graph
            }
        }
    };
}

pub(super) use has_graph;
