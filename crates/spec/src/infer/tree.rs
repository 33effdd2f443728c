//! Infer's dialect as it was written.

use watchword_model::{BinaryOp, Span, Value};

pub use crate::topl::cursor::Name;

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: Name,
    /// What every violation says.
    pub message: Option<Name>,
    /// Regular expressions of what may stand in front of a procedure.
    pub prefix: Vec<Name>,
    /// Its transitions.
    pub transitions: Vec<Transition>,
}

/// `source -> target: label`.
#[derive(Clone, Debug)]
pub struct Transition {
    /// From.
    pub source: Name,
    /// To.
    pub target: Name,
    /// The label; `None`: `*`.
    pub label: Option<Label>,
    /// All of it.
    pub span: Span,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// What happened.
    pub pattern: EventPattern,
    /// The binders; `None`: any number of values.
    pub binders: Option<Vec<Binder>>,
    /// Conditions, all of which must hold.
    pub conditions: Vec<Condition>,
    /// `register := Binder`.
    pub actions: Vec<(Name, Name)>,
    /// All of it.
    pub span: Span,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum EventPattern {
    /// A call of a procedure is complete.
    Call {
        /// An annotation the procedure has.
        annotation: Option<Filter>,
        /// Its name.
        procedure: Filter,
    },
    /// `#ArrayWrite`.
    ArrayWrite,
}

/// A regular expression, perhaps negated.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Matches what the expression does not match.
    pub negated: bool,
    /// The expression.
    pub regex: Name,
}

/// `Name: type`.
#[derive(Clone, Debug)]
pub struct Binder {
    /// The name.
    pub name: Name,
    /// The type.
    pub ty: Option<Filter>,
}

/// A condition.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The left side.
    pub left: Operand,
    /// The comparison and the right side; without one, the left side must not be 0.
    pub right: Option<(BinaryOp, Operand)>,
}

/// A side of a comparison.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A value of this event.
    Binder(Name),
    /// A register.
    Register(Name),
    /// A literal.
    Const(Value),
}
