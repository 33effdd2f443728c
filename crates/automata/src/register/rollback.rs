//! Automata with rollback: transitions read several letters at once or not at all.

use std::collections::BTreeSet;

use super::graph::{Graph, has_graph};
use super::label::Oracle;
use super::{DataLetter, Label, Signature, StateId, Value};

/// The labels of a transition: at least one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Steps(Vec<Label>);

impl Steps {
    /// One label, reading one letter.
    pub fn one(label: Label) -> Self {
        Steps(vec![label])
    }

    /// Then another label, reading the letter right after.
    pub fn then(mut self, label: Label) -> Self {
        self.0.push(label);
        self
    }

    /// The labels, in order; never empty.
    pub fn labels(&self) -> &[Label] {
        &self.0
    }

    /// The store after reading exactly these letters; none if there are too few letters or a label
    /// is not enabled.
    pub(super) fn run(
        &self,
        store: &[Value],
        word: &[DataLetter],
        opaque: &mut Oracle<'_>,
    ) -> Option<Vec<Value>> {
        let letters = word.get(..self.0.len())?;
        self.0
            .iter()
            .zip(letters)
            .try_fold(store.to_vec(), |store, (label, letter)| label.step(&store, letter, opaque))
    }
}

impl From<Label> for Steps {
    fn from(label: Label) -> Self {
        Steps::one(label)
    }
}

/// A transition of a [`RollbackAutomaton`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RollbackTransition {
    /// What is read.
    pub steps: Steps,
    /// Where it leads.
    pub to: StateId,
    /// Whether the configuration also stays behind, right after the first letter read (`=>`).
    pub keep: bool,
}

/// A register automaton with rollback and skip (Definitions 5 and 6).
///
/// A transition with several labels reads that many consecutive letters, or, if one of them does
/// not match, none. If no transition can be taken from a configuration at a letter, and only then,
/// that one letter is skipped. So the automaton never gets stuck, and a transition need not say
/// what to ignore.
///
/// A transition added with [`add_forking_transition`](RollbackAutomaton::add_forking_transition)
/// also keeps the source configuration, after the first letter read: it behaves as if there were a
/// second transition back to the source that reads any one letter, usable whenever the first is.
///
/// ```
/// use watchword_automata::register::*;
///
/// // Written twice in a row to the same file, at some point of the run.
/// let (file, write) = (Register(0), Kind(0));
/// let mut automaton = RollbackAutomaton::new(Signature::new([1, 1]), [Value(0)]);
/// let bad = automaton.add_state();
/// let twice = Steps::one(Label::kind(write).set(file, Component(0)))
///     .then(Label::kind(write).equal(Component(0), file));
/// automaton.add_transition(automaton.start(), twice, bad);
/// automaton.add_accepting(bad);
///
/// let letter = |kind, value| DataLetter::new(Kind(kind), [Value(value)]);
/// assert!(automaton.accepts(&[letter(0, 8), letter(1, 9), letter(0, 9), letter(0, 9)]));
/// assert!(!automaton.accepts(&[letter(0, 9), letter(1, 9), letter(0, 9)]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollbackAutomaton {
    pub(super) signature: Signature,
    pub(super) graph: Graph<RollbackTransition>,
}

has_graph!(RollbackAutomaton, RollbackTransition);

impl RollbackAutomaton {
    /// The automaton with a start state and no transitions; it accepts nothing. There are as many
    /// registers as `initial_store` has values.
    pub fn new(signature: Signature, initial_store: impl IntoIterator<Item = Value>) -> Self {
        RollbackAutomaton { signature, graph: Graph::new(initial_store) }
    }

    /// Adds a transition that moves (`->`).
    ///
    /// # Panics
    /// If the automaton does not have one of the states, registers or kinds.
    pub fn add_transition(&mut self, from: StateId, steps: impl Into<Steps>, to: StateId) {
        self.add(from, RollbackTransition { steps: steps.into(), to, keep: false });
    }

    /// Adds a transition that forks (`=>`): the source configuration is kept as well.
    ///
    /// # Panics
    /// If the automaton does not have one of the states, registers or kinds.
    pub fn add_forking_transition(&mut self, from: StateId, steps: impl Into<Steps>, to: StateId) {
        self.add(from, RollbackTransition { steps: steps.into(), to, keep: true });
    }

    fn add(&mut self, from: StateId, transition: RollbackTransition) {
        for label in transition.steps.labels() {
            label.check(&self.signature, self.store.len());
        }
        let to = transition.to;
        self.connect(from, transition, to);
    }

    /// The letters read.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// How many letters the longest transition leaving `state` reads; zero if there is none.
    pub fn depth(&self, state: StateId) -> usize {
        self.transitions(state).iter().map(|t| t.steps.labels().len()).max().unwrap_or(0)
    }

    /// Whether `word` is in the language, taking every opaque test as false and so its negation as
    /// true. Letters outside the signature make the answer no.
    pub fn accepts(&self, word: &[DataLetter]) -> bool {
        self.accepts_with(word, &mut |_, _, _| false)
    }

    /// Whether `word` is in the language, deciding opaque tests by `opaque`.
    ///
    /// This is the definition, with the whole word at hand: a graph of (state, store, position).
    /// [`Run`](super::Run) reads letter by letter and agrees with it.
    pub fn accepts_with(&self, word: &[DataLetter], opaque: &mut Oracle<'_>) -> bool {
        if !word.iter().all(|letter| self.signature.contains(letter)) {
            return false;
        }
        let first = (0, self.start, self.store.clone());
        let mut seen = BTreeSet::from([first.clone()]);
        let mut stack = vec![first];
        while let Some((at, state, store)) = stack.pop() {
            if at == word.len() {
                if self.is_accepting(state) {
                    return true;
                }
                continue;
            }
            for (consumed, state, store) in self.moves(state, &store, &word[at..], opaque) {
                let next = (at + consumed, state, store);
                if seen.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        false
    }

    /// What a configuration can do at the beginning of a non-empty `word`, no letter of which
    /// comes later: (letters consumed, state, store) by rollback, or if there is none, by skip.
    pub(super) fn moves(
        &self,
        state: StateId,
        store: &[Value],
        word: &[DataLetter],
        opaque: &mut Oracle<'_>,
    ) -> Vec<(usize, StateId, Vec<Value>)> {
        let mut moves = Vec::new();
        for transition in self.transitions(state) {
            if let Some(after) = transition.steps.run(store, word, opaque) {
                moves.push((transition.steps.labels().len(), transition.to, after));
                if transition.keep {
                    moves.push((1, state, store.to_vec()));
                }
            }
        }
        if moves.is_empty() {
            moves.push((1, state, store.to_vec()));
        }
        moves
    }
}
