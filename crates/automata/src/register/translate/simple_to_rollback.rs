//! Lemma 3: simple automata as rollback automata that never skip.

use crate::Error;
use crate::register::negation::none_enabled;
use crate::register::{Label, RollbackAutomaton, SimpleAutomaton};

impl SimpleAutomaton {
    /// The rollback automaton, with one state more and transitions of length one, that accepts
    /// exactly the words this automaton accepts (Lemma 3).
    ///
    /// Letters this automaton gets stuck on lead to the additional state, so nothing is skipped on
    /// the way to acceptance. The guards for that are the disjunctive normal form of “no transition
    /// is enabled”, which may be exponential in the number of transitions of a state.
    pub fn to_rollback(&self) -> RollbackAutomaton {
        self.to_rollback_within(usize::MAX).expect("no limit was given")
    }

    /// Like [`to_rollback`](SimpleAutomaton::to_rollback), but fails if some state would get more
    /// than `limit` additional transitions.
    pub fn to_rollback_within(&self, limit: usize) -> Result<RollbackAutomaton, Error> {
        let mut rollback = RollbackAutomaton::new(self.signature.clone(), self.store.clone());
        for _ in 1..self.len() {
            rollback.add_state();
        }
        rollback.start = self.start;
        rollback.accepting.clone_from(&self.accepting);
        let stuck = rollback.add_state();
        for state in self.states() {
            for (label, to) in self.transitions(state) {
                rollback.add_transition(state, label.clone(), *to);
            }
            let labels = self.transitions(state).iter().map(|(label, _)| label);
            for guard in none_enabled(&[], labels, &self.signature, limit)? {
                let label = guard.into_iter().fold(Label::any(), Label::test);
                rollback.add_transition(state, label, stuck);
            }
        }
        Ok(rollback)
    }
}
