//! Sites: where hooks are, and which events a hook stands for.

use watchword_model::{EventId, JvmWhen, PointKind, PropertyId, Value};

/// The number a hook passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

impl SiteId {
    /// Position in a list of all sites.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An instrumentation point: one hook call in one method.
#[derive(Clone, Debug)]
pub struct Site {
    /// The number its hook passes.
    pub id: SiteId,
    /// Where it is.
    pub place: Place,
    /// On which side of the program point.
    pub when: JvmWhen,
    /// The kind of program point and what it concerns, as trace records name it: `call`
    /// and `java.util.Iterator.next`, `get` and `java.awt.Point.x`.
    pub point: PointName,
    /// What the hook passes, objects first, in order of its parameters.
    pub operands: Vec<Operand>,
    /// The events, in the order in which they are to be raised.
    pub emits: Vec<Emit>,
    /// Only if operands are of a type, or are not, where the code does not tell: all of these hold.
    pub tests: Vec<Test>,
}

/// A test of an operand's class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Which operand.
    pub operand: usize,
    /// Internal name of the type.
    pub ty: String,
    /// Whether it must not be of that type.
    pub negated: bool,
    /// Whether the runtime has to test it. Otherwise the woven code does, and the hook does
    /// nothing for other objects.
    pub by_runtime: bool,
}

/// A place in the original, unwoven code.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The class, with dots.
    pub class: String,
    /// The method.
    pub method: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// The original bytecode offset.
    pub offset: u32,
    /// The source line.
    pub line: Option<u32>,
    /// The source file.
    pub file: Option<String>,
}

/// What a program point is called in trace records.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PointName {
    /// The kind. With the side of the site it is the key of the record: `call`, `return`, `get`, …
    pub kind: PointKind,
    /// The value of that key.
    pub name: String,
}

impl PointName {
    /// The name of the called method; none if this is no call.
    pub(crate) fn called(&self) -> Option<&str> {
        let (_, method) = self.name.rsplit_once('.')?;
        (self.kind == PointKind::Call).then_some(method)
    }
}

/// A value a hook passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// How it is passed, and how its bits are read.
    pub kind: OperandKind,
    /// The static type, as a descriptor: `Ljava/util/List;`, `I`.
    pub ty: String,
}

/// How a value is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperandKind {
    /// A reference, in an `Object` parameter.
    Object,
    /// `byte`, `short`, `int`, `long`, sign-extended, in a `long` parameter.
    Int,
    /// A truth value, 0 or 1, in a `long` parameter.
    Bool,
    /// A character's code, in a `long` parameter.
    Char,
    /// `float` or `double`: the bits of the `double`, in a `long` parameter.
    Float,
}

/// An event a hook stands for.
#[derive(Clone, Debug)]
pub struct Emit {
    /// Which event.
    pub event: EventId,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// The properties it exists for here, ascending. A property that observes the event but is
    /// not in the list must not be stepped: it is silenced at this site, or another emit of the
    /// same site gives it the method by another name.
    pub properties: Vec<PropertyId>,
    /// Whether these are all the properties of the model that observe the event.
    pub for_all: bool,
}

/// Where an argument of an event comes from.
#[derive(Clone, Debug)]
pub enum Arg {
    /// The operand at this position in [`Site::operands`].
    Operand(usize),
    /// Known before the program runs: static context, or null for a value that is not needed.
    Const(Value),
    /// The current thread as an object.
    Thread,
    /// Read from an object by the runtime (through JNI, so that private members are no obstacle
    /// and the events of pure calls can be kept out). Null as soon as a step meets null or an
    /// exception.
    Read(Read),
    /// What a method of a class with the Java code of properties gives.
    Java {
        /// The class.
        class: String,
        /// Which of its methods.
        method: u32,
        /// What it is given, and whether it takes that as a primitive value.
        args: Vec<(Arg, bool)>,
        /// Which of these are the objects that the slice is about.
        keys: Vec<u32>,
    },
}

/// Fields and pure calls on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The object the first step is on.
    pub start: Start,
    /// The steps, at least one.
    pub steps: Vec<Step>,
}

/// What the first step of a [`Read`] is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// An operand.
    Operand(usize),
    /// The current thread.
    Thread,
    /// Nothing: the first step is a static field.
    Static,
}

/// A step of a [`Read`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Internal name of the class that declares the member.
    pub owner: String,
    /// The name.
    pub name: String,
    /// A field's type, or the descriptor `()…` of a method without parameters.
    pub descriptor: String,
}

impl Step {
    /// The step from an object to the one that stands for all that are equal to it.
    pub fn equal() -> Step {
        let object = "java/lang/Object".to_string();
        Step { owner: object, name: "equals".into(), descriptor: EQUALS.into() }
    }

    /// Whether it is that step.
    pub fn is_equal(&self) -> bool {
        self.descriptor == EQUALS
    }

    /// The step from an object to whether the current thread holds its monitor.
    pub fn holds() -> Step {
        let thread = "java/lang/Thread".to_string();
        Step { owner: thread, name: "holdsLock".into(), descriptor: HOLDS.into() }
    }

    /// Whether it is that step.
    pub fn is_holds(&self) -> bool {
        self.descriptor == HOLDS
    }

    /// Whether it is a call.
    pub fn is_call(&self) -> bool {
        self.descriptor.starts_with('(')
    }

    /// The type of what it leads to.
    pub fn ty(&self) -> &str {
        self.descriptor.rsplit(')').next().unwrap_or_default()
    }
}

/// No member has it: a method of an object that gives an equal one.
const EQUALS: &str = "(Ljava/lang/Object;)Ljava/lang/Object;";

/// That of the static method which the step calls with the object; getters have no parameters.
const HOLDS: &str = "(Ljava/lang/Object;)Z";

impl Site {
    /// Object and `long` parameters of its hook.
    pub fn shape(&self) -> crate::hook::Shape {
        let objects = self.operands.iter().filter(|o| o.kind == OperandKind::Object).count();
        crate::hook::Shape { objects, longs: self.operands.len() - objects }
    }
}
