//! Union, intersection, concatenation and star of simple automata.
//!
//! Register automata are closed under these, and not under complement. Operands keep their own
//! registers, the second one's numbered after the first one's; an [oracle](super::Oracle) for
//! opaque tests sees the combined store.

use std::collections::HashMap;

use super::{Assignment, Label, Register, SimpleAutomaton, StateId, Term};

impl SimpleAutomaton {
    /// The words either automaton accepts.
    ///
    /// # Panics
    /// If the automata have different signatures.
    pub fn union(&self, other: &SimpleAutomaton) -> SimpleAutomaton {
        let (mut union, other_start) = self.side_by_side(other);
        // A fresh start, as the old ones may be entered again and then stand for one side only.
        let start = union.add_state();
        for old in [self.start, other_start] {
            union.copy_transitions(old, start);
            union.accepting[start.index()] |= union.accepting[old.index()];
        }
        union.start = start;
        union
    }

    /// The words both automata accept; only pairs of states connected to the start are built.
    ///
    /// # Panics
    /// If the automata have different signatures.
    pub fn intersection(&self, other: &SimpleAutomaton) -> SimpleAutomaton {
        assert_eq!(self.signature, other.signature, "the signatures differ");
        let store = self.store.iter().chain(&other.store).copied();
        let mut both = SimpleAutomaton::new(self.signature.clone(), store);
        let mut ids = HashMap::from([((self.start, other.start), both.start)]);
        let mut pairs = vec![(self.start, other.start)];
        let mut done = 0;
        while done < pairs.len() {
            let (one, two) = pairs[done];
            let from = StateId::from_index(done);
            if self.is_accepting(one) && other.is_accepting(two) {
                both.add_accepting(from);
            }
            for (label_one, to_one) in self.transitions(one) {
                for (label_two, to_two) in other.transitions(two) {
                    let mut label = label_one.clone();
                    let second = label_two.shifted(self.store.len());
                    label.tests.extend(second.tests);
                    label.assignments.extend(second.assignments);
                    let to = *ids.entry((*to_one, *to_two)).or_insert_with(|| {
                        pairs.push((*to_one, *to_two));
                        both.add_state()
                    });
                    both.add_transition(from, label, to);
                }
            }
            done += 1;
        }
        both
    }

    /// The words that are a word of this automaton followed by one of `next`.
    ///
    /// # Panics
    /// If the automata have different signatures.
    pub fn concat(&self, next: &SimpleAutomaton) -> SimpleAutomaton {
        let (mut both, next_start) = self.side_by_side(next);
        for state in self.states().filter(|&state| self.is_accepting(state)) {
            // The second automaton's registers are untouched so far, so its first letter can be
            // read from here.
            both.copy_transitions(next_start, state);
            both.accepting[state.index()] = next.is_accepting(next.start);
        }
        both
    }

    /// The concatenations of any number of words of this automaton, also of none.
    pub fn star(&self) -> SimpleAutomaton {
        let mut star = self.clone();
        // The hub is the start between two rounds. It is entered by a copy of every transition
        // that completes a round, which also restores the initial store.
        let hub = star.add_state();
        let reset: Vec<Assignment> = (0..)
            .zip(&self.store)
            .map(|(register, &value)| Assignment {
                register: Register(register),
                value: Term::Constant(value),
            })
            .collect();
        for state in self.states() {
            for (label, to) in self.transitions(state) {
                if self.is_accepting(*to) {
                    let mut label = label.clone();
                    label.assignments.extend(&reset);
                    star.outgoing[state.index()].push((label, hub));
                }
            }
            star.accepting[state.index()] = false;
        }
        star.copy_transitions(self.start, hub);
        star.add_accepting(hub);
        star.start = hub;
        star
    }

    fn copy_transitions(&mut self, from: StateId, to: StateId) {
        let copies = self.outgoing[from.index()].clone();
        self.outgoing[to.index()].extend(copies);
    }

    /// Both automata in one that starts like this one, and where `other` starts in it.
    fn side_by_side(&self, other: &SimpleAutomaton) -> (SimpleAutomaton, StateId) {
        assert_eq!(self.signature, other.signature, "the signatures differ");
        let moved = |state: StateId| StateId::from_index(state.index() + self.len());
        let mut both = self.clone();
        both.store.extend(&other.store);
        both.accepting.extend(&other.accepting);
        both.outgoing.extend(other.outgoing.iter().map(|transitions| {
            let moved =
                |(label, to): &(Label, StateId)| (label.shifted(self.store.len()), moved(*to));
            transitions.iter().map(moved).collect::<Vec<_>>()
        }));
        (both, moved(other.start))
    }
}
