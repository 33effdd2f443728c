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

impl Steps {
    /// TOPL's composed label `result := m(arguments)`: the call, and right after it the return.
    ///
    /// The result is the return letter's only component, and its pattern is treated as any other.
    /// (The paper prints `eq reg(x) = 2` as the guard of a return, which is right only for the
    /// pattern `v`; it has to be `pred(x)(2)`.)
    ///
    /// ```
    /// use watchword_automata::register::*;
    ///
    /// // start -> a: I := getInstance();  a -> error: !i := getInstance()
    /// let (call, ret, i) = (Kind(0), Kind(1), Register(0));
    /// let mut singleton = RollbackAutomaton::new(Signature::new([0, 1]), [Value(0)]);
    /// let [a, error] = [singleton.add_state(), singleton.add_state()];
    /// let first = Steps::call_and_return(call, &[], ret, Pattern::Bind(i));
    /// let other = Steps::call_and_return(call, &[], ret, Pattern::Other(i));
    /// singleton.add_transition(singleton.start(), first, a);
    /// singleton.add_transition(a, other, error);
    /// singleton.add_accepting(error);
    ///
    /// let get = |object| [DataLetter::new(call, []), DataLetter::new(ret, [Value(object)])];
    /// assert!(!singleton.accepts(&[get(7), get(7), get(7)].concat()));
    /// assert!(singleton.accepts(&[get(7), get(7), get(8)].concat()));
    /// ```
    pub fn call_and_return(call: Kind, arguments: &[Pattern], ret: Kind, result: Pattern) -> Steps {
        Steps::one(Label::matching(call, arguments)).then(Label::matching(ret, &[result]))
    }
}
