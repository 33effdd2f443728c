//! Reading a word letter by letter, with look-ahead.

use std::collections::BTreeSet;

use super::label::Oracle;
use super::{DataLetter, DataWord, RollbackAutomaton, StateId, Value};

/// A configuration of a [`Run`]: the letters in `pending` are read but not yet consumed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration {
    /// The state.
    pub state: StateId,
    /// The value of every register.
    pub store: Vec<Value>,
    /// The look-ahead, shorter than the longest transition leaving the state.
    pub pending: DataWord,
}

/// A rollback automaton reading a word letter by letter.
///
/// Which transition can be taken may depend on letters still to come. A configuration waits until
/// it has seen as many letters as the longest transition of its state reads; the end of the word
/// settles the rest.
///
/// ```
/// use watchword_automata::register::*;
///
/// let (c, r) = (Component(0), Register(0));
/// let mut automaton = RollbackAutomaton::new(Signature::tuples(1), [Value(0)]);
/// let done = automaton.add_state();
/// let pair = Steps::one(Label::any().set(r, c)).then(Label::any().equal(c, r));
/// automaton.add_transition(automaton.start(), pair, done);
/// automaton.add_accepting(done);
///
/// let mut run = Run::new(&automaton);
/// run.push(&DataLetter::new(Kind(0), [Value(5)]));
/// assert_eq!(run.configurations().next().unwrap().pending.len(), 1);
/// run.push(&DataLetter::new(Kind(0), [Value(5)]));
/// assert!(run.finish());
/// ```
#[derive(Debug, Clone)]
pub struct Run<'a> {
    automaton: &'a RollbackAutomaton,
    configurations: BTreeSet<Configuration>,
}

impl<'a> Run<'a> {
    /// The run that has read nothing yet.
    pub fn new(automaton: &'a RollbackAutomaton) -> Self {
        let initial = Configuration {
            state: automaton.start,
            store: automaton.store.clone(),
            pending: Vec::new(),
        };
        Run { automaton, configurations: BTreeSet::from([initial]) }
    }

    /// The present configurations, in order and without duplicates.
    pub fn configurations(&self) -> impl Iterator<Item = &Configuration> {
        self.configurations.iter()
    }

    /// Reads a letter, taking opaque tests as false.
    pub fn push(&mut self, letter: &DataLetter) {
        self.push_with(letter, &mut |_, _, _| false);
    }

    /// Reads a letter, deciding opaque tests by `opaque`. A letter outside the signature ends every
    /// configuration, since no word with such a letter is in the language.
    pub fn push_with(&mut self, letter: &DataLetter, opaque: &mut Oracle<'_>) {
        if !self.automaton.signature.contains(letter) {
            self.configurations.clear();
            return;
        }
        let before = std::mem::take(&mut self.configurations);
        let extended = before.into_iter().map(|mut configuration| {
            configuration.pending.push(letter.clone());
            configuration
        });
        self.settle(extended.collect(), opaque, |automaton, configuration| {
            let depth = automaton.depth(configuration.state).max(1);
            configuration.pending.len() < depth
        });
    }

    /// Ends the word, taking opaque tests as false: whether it is in the language.
    pub fn finish(self) -> bool {
        self.finish_with(&mut |_, _, _| false)
    }

    /// Ends the word, deciding opaque tests by `opaque`: whether it is in the language.
    pub fn finish_with(mut self, opaque: &mut Oracle<'_>) -> bool {
        let before = std::mem::take(&mut self.configurations);
        self.settle(before, opaque, |_, c| c.pending.is_empty());
        self.configurations.iter().any(|c| self.automaton.is_accepting(c.state))
    }

    /// Moves configurations until all of them wait.
    fn settle(
        &mut self,
        mut work: BTreeSet<Configuration>,
        opaque: &mut Oracle<'_>,
        waits: impl Fn(&RollbackAutomaton, &Configuration) -> bool,
    ) {
        // Every move consumes a letter, so this ends.
        while let Some(configuration) = work.pop_last() {
            if waits(self.automaton, &configuration) {
                self.configurations.insert(configuration);
                continue;
            }
            let Configuration { state, store, pending } = configuration;
            for (consumed, state, store) in self.automaton.moves(state, &store, &pending, opaque) {
                work.insert(Configuration { state, store, pending: pending[consumed..].to_vec() });
            }
        }
    }
}
