//! What the flow analysis asks about the program around a body.

use std::rc::Rc;

use crate::body::{Body, BodyId, Call, ClassName, FieldId};

/// The program around a body.
pub trait World {
    /// The body of a method; `None` if there is none that can be analysed.
    fn body(&self, id: BodyId) -> Option<Rc<Body>>;

    /// What a call may run. `receiver` is the exact class of the receiver, where known.
    fn targets(&self, call: &Call, receiver: Option<ClassName>) -> Targets;

    /// Whether objects of a class are library objects: no code of the program runs when library
    /// code calls their methods.
    fn is_library(&self, class: ClassName) -> bool;

    /// Whether objects of a class are worth following: compared by identity, made by `new`.
    fn is_followed(&self, class: ClassName) -> bool;

    /// Whether a field is confined, see [`confined`](crate::confined).
    fn confined(&self, field: FieldId) -> bool;

    /// The class of everything a confined field holds, where there is only one.
    fn confined_class(&self, field: FieldId) -> Option<ClassName>;

    /// What messages call a field.
    fn field_name(&self, field: FieldId) -> String;

    /// What messages call the target of a call.
    fn target_name(&self, target: u32) -> String;
}

/// What a call may run.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Methods with bodies.
    pub bodies: Vec<BodyId>,
    /// Library code, and what it does.
    pub library: Option<Library>,
    /// Whether anything else may run.
    pub unknown: bool,
}

/// What library code does with what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// Arguments it keeps, as bits, receiver first.
    pub keeps: u64,
    /// Arguments whose methods it may call.
    pub calls: u64,
    /// What it returns.
    pub returns: Returns,
    /// If it returns a view of its receiver, whatever the receiver's class: the view's name.
    pub view: Option<&'static str>,
}

/// What a call returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Anything.
    Unknown,
    /// A new object, of this class where known.
    Fresh(Option<ClassName>),
    /// One of the arguments.
    Argument(usize),
    /// A view of the receiver: for one receiver and one name, always the same object.
    View(&'static str),
}
