//! Lemma 1: plain register automata are simple automata over single values.

use crate::register::{
    Component, DataLetter, DataWord, Kind, Label, PlainAutomaton, PlainLabel, Register, Signature,
    SimpleAutomaton, Value,
};

impl PlainAutomaton {
    /// The simple automaton over one-component letters with the same states and registers that
    /// accepts [`unary_word`]`(w)` exactly if this automaton accepts `w` (Lemma 1).
    pub fn to_simple(&self) -> SimpleAutomaton {
        let value = Component(0);
        let mut simple = SimpleAutomaton::new(Signature::tuples(1), self.store.iter().copied());
        for _ in 1..self.len() {
            simple.add_state();
        }
        for state in self.states() {
            if self.is_accepting(state) {
                simple.add_accepting(state);
            }
            for &(label, to) in self.transitions(state) {
                let label = match label {
                    PlainLabel::Held(register) => Label::any().equal(register, value),
                    PlainLabel::Fresh(target) => (0..self.store.len())
                        .map(Register::from_index)
                        .fold(Label::any(), |label, register| label.differ(register, value))
                        .set(target, value),
                };
                simple.add_transition(state, label, to);
            }
        }
        simple
    }
}

/// The values as letters with one component, all of kind 0.
pub fn unary_word(values: &[Value]) -> DataWord {
    values.iter().map(|&value| DataLetter::new(Kind(0), [value])).collect()
}
