//! From any deterministic process with finitely many states to an automaton.

use std::collections::HashMap;
use std::hash::Hash;

use super::{Alphabet, Dfa, Letter, StateId};
use crate::Error;

impl Dfa {
    /// The automaton of a process given by its first state, its steps and which of its states
    /// accept; also returns the process's state behind each automaton state.
    ///
    /// Only states that can be reached are built, breadth first and in the order of the letters.
    /// Does not return if there are infinitely many; see [`explore_within`](Dfa::explore_within).
    ///
    /// ```
    /// use watchword_automata::finite::{Alphabet, Dfa, Letter};
    ///
    /// // At most two more `open`s (0) than `close`s (1), and at the end as many.
    /// let step = |open: &u32, letter| match letter {
    ///     Letter(0) => Some(open + 1).filter(|&open| open <= 2),
    ///     _ => open.checked_sub(1),
    /// };
    /// let (dfa, depths) = Dfa::explore(Alphabet::new(2), 0, step, |&open| open == 0);
    /// assert_eq!(depths, [0, 1, 2]);
    /// assert!(dfa.accepts(&[0, 0, 1, 1, 0, 1].map(Letter)));
    /// assert!(!dfa.accepts(&[1, 0].map(Letter)));
    /// ```
    pub fn explore<S: Clone + Eq + Hash>(
        alphabet: Alphabet,
        first: S,
        step: impl FnMut(&S, Letter) -> Option<S>,
        accepting: impl FnMut(&S) -> bool,
    ) -> (Dfa, Vec<S>) {
        Dfa::explore_within(alphabet, first, step, accepting, usize::MAX)
            .expect("no limit was given")
    }

    /// Like [`explore`](Dfa::explore), but fails if more than `limit` states are reached.
    pub fn explore_within<S: Clone + Eq + Hash>(
        alphabet: Alphabet,
        first: S,
        mut step: impl FnMut(&S, Letter) -> Option<S>,
        mut accepting: impl FnMut(&S) -> bool,
        limit: usize,
    ) -> Result<(Dfa, Vec<S>), Error> {
        if limit == 0 {
            return Err(Error::limit("states", limit));
        }
        let mut dfa = Dfa::new(alphabet);
        let mut ids = HashMap::from([(first.clone(), dfa.start())]);
        let mut states = vec![first];
        let mut done = 0;
        while done < states.len() {
            let from = StateId::from_index(done);
            if accepting(&states[done]) {
                dfa.add_accepting(from);
            }
            for letter in alphabet.letters() {
                let Some(next) = step(&states[done], letter) else { continue };
                let to = match ids.get(&next) {
                    Some(&to) => to,
                    None => {
                        if dfa.len() == limit {
                            return Err(Error::limit("states", limit));
                        }
                        let to = dfa.add_state();
                        ids.insert(next.clone(), to);
                        states.push(next);
                        to
                    }
                };
                dfa.set_next(from, letter, to);
            }
            done += 1;
        }
        Ok((dfa, states))
    }
}
