//! Java code of property files, which a compiler and a JVM give a meaning.

use crate::{JvmTerm, Span};

/// A class with the Java code of one specification.
#[derive(Clone, Debug)]
pub struct JavaClass {
    /// Its name; it is in no package.
    pub name: String,
    /// The specification or script.
    pub of: String,
    /// The source text.
    pub source: String,
    /// Lines of the source text, numbered from 1, at which code of the property file begins, and where
    /// that stands; in order.
    pub lines: Vec<(u32, Span)>,
    /// What runs when something is reported.
    pub handlers: Vec<JavaHandler>,
    /// Whether there is an object of the class for every slice: then the code runs in the order of the
    /// events.
    pub ordered: bool,
}

/// A method that runs when a state of a property is reported. What it prints is the message; if it prints
/// nothing, nothing is reported.
#[derive(Clone, Debug)]
pub struct JavaHandler {
    /// The property.
    pub property: String,
    /// The state; `None`: every state.
    pub state: Option<String>,
    /// Which of the methods.
    pub method: u32,
    /// The parameters of the specification, whose objects belong to the slice.
    pub params: Vec<String>,
}

/// A method of a [`JavaClass`] that is called when an event happens, before the event takes its place in
/// the order of events.
///
/// It gives a truth value, a text, or null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaCall {
    /// The class.
    pub class: String,
    /// Which of its methods.
    pub method: u32,
    /// What it is given.
    pub args: Vec<JavaArg>,
    /// Which of these are the objects that the slice is about.
    pub keys: Vec<u32>,
}

/// What a method is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaArg {
    /// The value.
    pub term: JvmTerm,
    /// Whether the method takes a primitive value, and no object.
    pub primitive: bool,
}
