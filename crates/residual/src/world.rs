//! What the flow analysis asks about the program around a body.

use std::rc::Rc;

use crate::body::{Body, BodyId, Call, ClassName, FieldId};

/// The program around a body.
pub trait World {
    /// The body of a method; `None` if there is none that can be analysed.
    fn body(&self, id: BodyId) -> Option<Rc<Body>>;

    /// What a call on such a receiver may run.
    fn targets(&self, call: &Call, receiver: Receiver) -> Rc<Targets>;

    /// What the receiver of the call at an offset of a method can be, by whatever else is known about
    /// the program.
    fn receivers(&self, _body: BodyId, _offset: u32) -> Vec<Receiver> {
        vec![Receiver::Any]
    }

    /// Whether a parameter of a method, receiver first, can be an object worth following.
    fn follows(&self, _body: BodyId, _param: usize) -> bool {
        true
    }

    /// Whether calls of a target can return an object worth following.
    fn returns(&self, _target: u32) -> bool {
        true
    }

    /// Methods of the program that library code may run by itself, by [`Runs`] one of whose bits is
    /// set; `None`: anything may be run then.
    fn hooks(&self, _of: Runs) -> Option<Vec<BodyId>> {
        None
    }

    /// Whether objects of a class are library objects: no code of the program runs when library
    /// code calls their methods.
    fn is_library(&self, class: ClassName) -> bool;

    /// Whether objects of a class are worth following: compared by identity, made by `new`.
    fn is_followed(&self, class: ClassName) -> bool;

    /// Whether a field is confined, see [`tiers`](crate::tiers).
    fn confined(&self, field: FieldId) -> bool;

    /// The class of everything a confined field holds, where there is only one.
    fn confined_class(&self, field: FieldId) -> Option<ClassName>;

    /// What messages call a field.
    fn field_name(&self, field: FieldId) -> String;

    /// What messages call the target of a call.
    fn target_name(&self, target: u32) -> String;
}

/// What is known about the object that a call is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Receiver {
    /// Nothing.
    Any,
    /// It is of this class, and not of one below it.
    Exactly(ClassName),
    /// It is of a class of the library, and hands through no iterator of the program.
    Library,
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
    /// Then, what of the program that may run at most.
    pub runs: Runs,
}

/// What library code may run of a program although it is not given it, or only as an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs(pub u8);

impl Runs {
    /// Nothing.
    pub const NOTHING: Runs = Runs(0);
    /// What objects say of themselves: `equals`, `hashCode`, `compareTo`, `toString`.
    pub const VALUES: Runs = Runs(1);
    /// Comparators.
    pub const ORDER: Runs = Runs(2);
    /// Collections, maps and iterators.
    pub const COLLECTIONS: Runs = Runs(4);
    /// Texts that are no strings.
    pub const TEXTS: Runs = Runs(8);
    /// Streams, readers and writers.
    pub const STREAMS: Runs = Runs(16);
    /// Initialisers of classes.
    pub const INITIALISERS: Runs = Runs(32);
    /// Anything.
    pub const ANYTHING: Runs = Runs(!0);

    /// Each alone, except for unknown code.
    pub const EACH: [Runs; 6] = [
        Runs::VALUES,
        Runs::ORDER,
        Runs::COLLECTIONS,
        Runs::TEXTS,
        Runs::STREAMS,
        Runs::INITIALISERS,
    ];

    /// Whether another is part of it.
    pub fn has(self, other: Runs) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for Runs {
    type Output = Runs;

    fn bitor(self, other: Runs) -> Runs {
        Runs(self.0 | other.0)
    }
}

impl Default for Runs {
    fn default() -> Runs {
        Runs::ANYTHING
    }
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
    /// What it may run of the program, apart from methods of its receiver.
    pub runs: Runs,
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
    /// An object of a library class, perhaps one that others have, but none it was given.
    Made,
    /// The same, and a new one each time.
    Part,
    /// The same, or the argument, if that is such a wrapper already.
    Wrapper,
}
