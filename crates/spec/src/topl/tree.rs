//! Classic TOPL as it was written.

use watchword_model::{Span, Value};

pub use super::cursor::Name;

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: Name,
    /// What every violation says.
    pub message: Option<Name>,
    /// Which methods exist for it; a union.
    pub observe: Vec<Name>,
    /// What may stand in front of a method pattern.
    pub prefix: Vec<Name>,
    /// Its transitions.
    pub transitions: Vec<Transition>,
}

/// `source -> target: label, label`.
#[derive(Clone, Debug)]
pub struct Transition {
    /// From.
    pub source: Name,
    /// To.
    pub target: Name,
    /// Alternatives.
    pub labels: Vec<Label>,
    /// All of it.
    pub span: Span,
}

/// Which letters of the alphabet a label was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// `call`.
    Call,
    /// `return`.
    Return,
    /// Nothing was written: what the label looks at decides.
    Unsaid,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// Which letter.
    pub letter: Letter,
    /// `x :=`.
    pub result: Option<ValuePattern>,
    /// `x.`.
    pub receiver: Option<ValuePattern>,
    /// The method; `None`: any.
    pub method: Option<MethodPattern>,
    /// The arguments.
    pub args: Args,
    /// All of it.
    pub span: Span,
}

/// Which methods.
#[derive(Clone, Debug)]
pub struct MethodPattern {
    /// `(!m)`.
    pub negated: bool,
    /// The pattern of the name.
    pub pattern: Name,
}

/// Which arguments.
#[derive(Clone, Debug)]
pub enum Args {
    /// Any number of any arguments.
    Any,
    /// `[n]`: so many, beside the receiver if the label shows one.
    Count(u32),
    /// `(a, b)`: these, after the receiver.
    Values(Vec<ValuePattern>),
}

/// What a value must be.
#[derive(Clone, Debug)]
pub struct ValuePattern {
    /// What.
    pub kind: ValueKind,
    /// Where it was written.
    pub span: Span,
}

/// Kinds of value patterns. Variables have the name of their register.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// `*`.
    Any,
    /// `X`.
    Bind(String),
    /// `x`.
    Equal(String),
    /// `!x`.
    Differs(String),
    /// `<…>`.
    Const(Value),
    /// `!<…>`.
    NotConst(Value),
}

impl ValuePattern {
    /// Whether it looks at the value at all.
    pub fn is_constrained(&self) -> bool {
        !matches!(self.kind, ValueKind::Any)
    }
}
