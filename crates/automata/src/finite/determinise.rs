//! The subset construction.

use super::{Dfa, Nfa, StateId};
use crate::Error;

impl Nfa {
    /// A deterministic automaton for the same language, built from the reachable sets of states.
    ///
    /// Exponential in the worst case; see [`determinise_within`](Nfa::determinise_within). The
    /// result is partial (the empty set is not a state) and numbered breadth first.
    pub fn determinise(&self) -> Dfa {
        self.determinise_within(usize::MAX).expect("no limit was given")
    }

    /// Like [`determinise`](Nfa::determinise), but fails if more than `limit` states are needed.
    ///
    /// ```
    /// use watchword_automata::finite::{Alphabet, Letter, Regex};
    ///
    /// // The tenth letter from the end is 0: every deterministic automaton needs 1024 states.
    /// let tenth = (0..9).fold(
    ///     Regex::Any.star().then(Regex::letter(Letter(0))),
    ///     |regex, _| regex.then(Regex::Any),
    /// );
    /// let nfa = tenth.compile(Alphabet::new(2));
    /// assert!(nfa.determinise_within(1023).unwrap_err().is_limit());
    /// assert_eq!(nfa.determinise_within(1024).unwrap().len(), 1024);
    /// ```
    pub fn determinise_within(&self, limit: usize) -> Result<Dfa, Error> {
        let first = self.telling(self.silent_closure(self.starts.iter().copied()));
        let step = |set: &Vec<StateId>, letter| {
            let next = self.telling(self.successors(set, letter));
            Some(next).filter(|next| !next.is_empty())
        };
        let accepting = |set: &Vec<StateId>| self.any_accepting(set);
        let (dfa, _) = Dfa::explore_within(self.alphabet, first, step, accepting, limit)?;
        Ok(dfa)
    }

    /// Drops the states that only have silent edges: in a closed set they tell nothing, and sets
    /// that differ in them alone would become equivalent states.
    fn telling(&self, mut set: Vec<StateId>) -> Vec<StateId> {
        set.retain(|&state| self.is_accepting(state) || !self.edges(state).is_empty());
        set
    }
}
