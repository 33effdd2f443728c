//! Labels written as patterns, the way TOPL writes them.

use super::{Component, Kind, Label, Register, Steps, Value};

/// What a label asks of one component of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// Anything, stored in a register (TOPL's uppercase `V`).
    Bind(Register),
    /// What the register holds (`v`).
    Same(Register),
    /// Something else than the register holds (`!v`).
    Other(Register),
    /// This value.
    Constant(Value),
    /// Anything (`*`).
    Any,
}

impl Label {
    /// The label that matches letters of this kind, component by component; components without a
    /// pattern match anything.
    ///
    /// All patterns read the store before any of them writes it.
    pub fn matching(kind: Kind, patterns: &[Pattern]) -> Label {
        let mut label = Label::kind(kind);
        for (j, &pattern) in patterns.iter().enumerate() {
            let component = Component(j);
            label = match pattern {
                Pattern::Bind(register) => label.set(register, component),
                Pattern::Same(register) => label.equal(component, register),
                Pattern::Other(register) => label.differ(component, register),
                Pattern::Constant(value) => label.equal(component, value),
                Pattern::Any => label,
            };
        }
        label
    }
}

impl Steps {}
