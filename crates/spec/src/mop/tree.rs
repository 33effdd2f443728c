//! Specifications as they were written.

use std::rc::Rc;

use watchword_model::{Severity, Span};

pub use crate::larva::lexer::Token;
pub use crate::larva::tree::TypeName;
pub use crate::ww::tree::Name;

/// A specification.
#[derive(Debug)]
pub struct Specification {
    /// The name.
    pub name: Name,
    /// The words before the name.
    pub modifiers: Vec<Name>,
    /// The parameters.
    pub params: Vec<(TypeName, Name)>,
    /// What the file imports.
    pub imports: Rc<Vec<String>>,
    /// Imports of static members, for Java code.
    pub static_imports: Rc<Vec<String>>,
    /// Its members in Java: fields and methods, one after the other.
    pub members: Vec<Vec<Token>>,
    /// What its comment says about how serious a violation is.
    pub severity: Severity,
    /// The events, in order. Several may have one name.
    pub events: Vec<Event>,
    /// The properties, in order.
    pub properties: Vec<Property>,
    /// The first part that has no meaning here.
    pub foreign: Option<Refused>,
}

/// Why a specification is not monitored.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Where.
    pub span: Span,
    /// Why.
    pub why: String,
}

impl Refused {
    /// With a reason.
    pub fn new(span: Span, why: impl Into<String>) -> Refused {
        Refused { span, why: why.into() }
    }
}

/// On which side of a program point an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Before it.
    Before,
    /// After it, whichever way it ended.
    After,
    /// After it has returned.
    Returning,
    /// After it has thrown.
    Throwing,
}

/// An event.
#[derive(Debug)]
pub struct Event {
    /// Whether an instance begins with it.
    pub creation: bool,
    /// The word `around`, which lets code take the place of what is called.
    pub around: Option<Span>,
    /// The name.
    pub name: Name,
    /// On which side.
    pub advice: Advice,
    /// The parameters.
    pub params: Vec<(TypeName, Name)>,
    /// What is returned or thrown, if that is named.
    pub result: Option<(TypeName, Name)>,
    /// Where it happens.
    pub pointcut: Pointcut,
    /// The Java code.
    pub body: Vec<Token>,
}

/// A pointcut.
#[derive(Clone, Debug)]
pub enum Pointcut {
    /// All of them.
    All(Vec<Pointcut>),
    /// One of them.
    One(Vec<Pointcut>),
    /// Not this one.
    Not(Box<Pointcut>),
    /// A designator and what is between its parentheses.
    Atom(Name, Vec<Token>),
}

/// A property.
#[derive(Debug)]
pub struct Property {
    /// The logic.
    pub logic: Name,
    /// The formula.
    pub formula: Vec<Token>,
    /// The handlers: category and Java code.
    pub handlers: Vec<(Name, Vec<Token>)>,
}
