//! A `.prop` file as it was written.

use watchword_model::{NativeTerm, Span, Type};

use super::python::tree::Block;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub slices: Vec<Name>,
    pub initialization: Option<Block>,
    pub states: Vec<State>,
    /// Where to point if the property itself is meant.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct State {
    pub name: Name,
    pub non_accepting: bool,
    pub action: Option<Name>,
    pub transitions: Vec<Transition>,
}

#[derive(Clone, Debug)]
pub struct Transition {
    pub event: Event,
    pub block: Option<Block>,
    pub success: Outcome,
    pub failure: Option<Outcome>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub after: bool,
    pub point: Point,
    pub params: Vec<Param>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Point {
    Call(String),
    Write(Variable),
    Read(Variable),
    Update(Variable),
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub term: NativeTerm,
    pub scope: Option<String>,
    /// As it was written, without blanks: part of the event's name.
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    pub term: NativeTerm,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub block: Option<Block>,
    pub action: Option<Name>,
    pub target: Name,
    pub span: Span,
}
