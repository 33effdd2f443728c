//! Method bodies as the flow analysis sees them: a graph of small operations on variables.
//!
//! A JVM method is lowered to this form ([`jvm`](crate::jvm)); the tests also make bodies directly
//! and run them. Variables hold references or nothing; local variables and stack slots are variables
//! alike. Only what can move a reference, make an event or leave the method is kept.

use crate::machine::Letter;

/// A variable of a body.
pub type Var = u16;

/// Position of a node in [`Body::nodes`].
pub type NodeId = u32;

/// A method of the program, numbered by the [`World`](crate::world::World).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub u32);

/// A field of the program, numbered by the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(pub u32);

/// A class name, numbered by the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassName(pub u32);

/// The body of a method.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// How many variables there are.
    pub vars: usize,
    /// The variable of each argument, receiver first; `None` for primitives.
    pub params: Vec<Option<Var>>,
    /// The nodes; the first is the entry.
    pub nodes: Vec<Node>,
    /// Variables from here on are stack slots: empty when an exception handler is entered.
    pub stack: Var,
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// Where control goes on.
    pub next: Vec<NodeId>,
    /// Exception handlers that may be entered from here.
    pub handlers: Vec<NodeId>,
    /// Whether an exception from here may leave the method.
    pub throws_out: bool,
    /// Variables emptied by the operation: operands that were popped.
    pub clears: std::ops::Range<Var>,
    /// Variables, as bits, that may still be read before they are written; only the first 64 are
    /// told, the others count as live.
    pub live: u64,
    /// Events around the operation, in order.
    pub events: Vec<EventAt>,
    /// Bytecode offset.
    pub offset: u32,
    /// Whether it may be the first use of another class of the program, whose initialiser then
    /// runs.
    pub initialises: bool,
}

/// What a node does.
#[derive(Clone, Debug)]
pub enum Op {
    /// Copies values, all at once.
    Move(Vec<(Var, Source)>),
    /// Allocates an object; its constructor is a call of its own.
    New(Var, ClassName),
    /// Reads a field.
    Load(Var, FieldId),
    /// Writes a reference to a field.
    Store(Var, FieldId),
    /// A reference goes where it is not followed; the last one says into which array, if it is one.
    Leak(Vec<Var>, &'static str, Option<Var>),
    /// Calls something.
    Call(Call),
    /// Returns, with a reference or without.
    Return(Option<Var>),
    /// Throws an object.
    Throw(Var),
}

/// Where a copied value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Another variable.
    Var(Var),
    /// `null`.
    Null,
    /// No reference at all.
    Nothing,
    /// Another variable, if what it holds is of a class; otherwise the operation throws.
    Cast(Var, ClassName),
    /// An array, a text or a class: not made by `new`.
    Constant,
    /// A new array of that class.
    Array(ClassName),
    /// An element of an array.
    Element(Var),
    /// An object of which nothing is known, and why.
    Unknown(&'static str),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called, numbered by the world.
    pub target: u32,
    /// The arguments, receiver first; `None` for primitives.
    pub args: Vec<Option<Var>>,
    /// Where the result goes, if it is a reference.
    pub result: Option<Var>,
    /// Whether the first argument decides which method runs.
    pub dispatched: bool,
    /// Whether the first argument is the object the call is on.
    pub has_receiver: bool,
}

/// When an event happens relative to the operation it is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// Before.
    Before,
    /// After it completed normally.
    After,
    /// After it threw.
    Throwing,
}

/// An event at a node.
#[derive(Clone, Debug)]
pub struct EventAt {
    /// The site, numbered over the whole program.
    pub site: u32,
    /// Which letter.
    pub letter: Letter,
    /// When.
    pub when: When,
    /// What the parameters of the letter are bound to, in the order of the letter's `binds`.
    pub operands: Vec<Operand>,
    /// Whether it happens whenever control passes; otherwise it may also not happen.
    pub certain: bool,
}

/// What an event binds a parameter to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// What the variable held before the operation.
    Var(Var),
    /// The result of the operation.
    Result,
    /// Something that is not followed.
    Unknown,
}
