//! Transitions tried in order.

use super::negation::none_enabled;
use super::{Label, SimpleAutomaton};
use crate::Error;

impl SimpleAutomaton {
    /// The automaton that takes only the first of several enabled transitions of a state, in the
    /// order they were added; it is deterministic.
    ///
    /// Each transition additionally asks that no earlier one is enabled. So questions about
    /// automata that try transitions in order become questions about ordinary ones:
    ///
    /// ```
    /// use watchword_automata::register::*;
    ///
    /// let mut automaton = SimpleAutomaton::new(Signature::tuples(1), [Value(0)]);
    /// let [fine, bad] = [automaton.add_state(), automaton.add_state()];
    /// automaton.add_transition(automaton.start(), Label::any(), fine);
    /// automaton.add_transition(automaton.start(), Label::any().equal(Component(0), Value(3)), bad);
    /// automaton.add_accepting(bad);
    /// assert_ne!(automaton.emptiness(), Emptiness::Empty);
    /// assert_eq!(automaton.first_enabled().emptiness(), Emptiness::Empty); // shadowed
    /// ```
    pub fn first_enabled(&self) -> SimpleAutomaton {
        self.first_enabled_within(usize::MAX).expect("no limit was given")
    }

    /// Like [`first_enabled`](SimpleAutomaton::first_enabled), but fails if some transition would
    /// have to be replaced by more than `limit`.
    pub fn first_enabled_within(&self, limit: usize) -> Result<SimpleAutomaton, Error> {
        let mut ordered = self.clone();
        for (state, transitions) in self.states().zip(&self.outgoing) {
            ordered.outgoing[state.index()].clear();
            for (i, (label, to)) in transitions.iter().enumerate() {
                let earlier = transitions[..i].iter().map(|(label, _)| label);
                for guard in none_enabled(&label.tests, earlier, &self.signature, limit)? {
                    let tests = guard.into_iter().collect();
                    let label = Label { tests, assignments: label.assignments.clone() };
                    ordered.outgoing[state.index()].push((label, *to));
                }
            }
        }
        Ok(ordered)
    }
}
