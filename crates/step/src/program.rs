//! The compiled tables: plain slices, so that they can live in a `static`, in a mapped page or
//! in `Vec`s alike.

use crate::{Binary, Builtin, Tag, Unary, Word};

/// “There is none”, in every column that holds an index.
pub const NONE: u32 = u32::MAX;

/// A range of another table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Range {
    /// The first.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

impl Range {
    /// As the range of a slice.
    #[inline]
    pub fn of<T>(self, table: &[T]) -> &[T] {
        table.get(self.start as usize..self.end as usize).unwrap_or(&[])
    }

    /// Whether it holds nothing.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// A compiled automaton.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The states.
    pub states: &'a [StateRow],
    /// How many kinds of events it observes; they are numbered from 0.
    pub kinds: u32,
    /// For every state and, within it, every kind: the moves to try, in order.
    pub rows: &'a [Range],
    /// What `rows` point into: indexes of moves.
    pub order: &'a [u32],
    /// The transitions.
    pub moves: &'a [Move],
    /// Their labels.
    pub labels: &'a [LabelRow],
    /// Tests of arguments.
    pub tests: &'a [Test],
    /// Arguments that are stored.
    pub binds: &'a [Bind],
    /// Outcomes of transitions and deadlines.
    pub branches: &'a [BranchRow],
    /// Guards, updates, functions.
    pub code: &'a [Op],
    /// The constants code reads.
    pub constants: &'a [Word],
    /// The functions code calls.
    pub functions: &'a [FunctionRow],
    /// The windows.
    pub windows: &'a [WindowRow],
    /// For every kind: the windows that such events may enter. Empty if there are none at all.
    pub entering: &'a [Range],
    /// How many locals a transition may use.
    pub locals: u32,
}

/// A window. Rows are sorted by the kind of events that may enter them.
#[derive(Clone, Copy, Debug)]
pub struct WindowRow {
    /// What it comes to.
    pub aggregate: Aggregate,
    /// The label of events that enter it.
    pub label: u32,
    /// Code of the value of an event, or [`NONE`].
    pub of: u32,
    /// The variable that holds it.
    pub var: u32,
    /// How long an event stays in it, in nanoseconds.
    pub within: u64,
}

/// What the events in a window come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// How many there are.
    Count,
    /// How many different values they have.
    Distinct,
    /// The sum of their values.
    Sum,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The mean value.
    Avg,
}

/// A state.
#[derive(Clone, Copy, Debug)]
pub struct StateRow {
    /// What is run on entry, or [`NONE`].
    pub entry: u32,
}

/// A transition.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// What it consumes; one label in an ordered automaton.
    pub labels: Range,
    /// The branch taken.
    pub then: u32,
    /// The branch taken if the guard is false, or [`NONE`].
    pub otherwise: u32,
    /// Whether the source configuration stays too.
    pub keep: bool,
}

/// A label.
#[derive(Clone, Copy, Debug)]
pub struct LabelRow {
    /// The kind it matches, or [`NONE`]: every one.
    pub kind: u32,
    /// The least number of arguments.
    pub least: u32,
    /// The greatest number of arguments, or [`NONE`]: no limit.
    pub most: u32,
    /// The tests of arguments.
    pub tests: Range,
    /// What is stored before the guard is evaluated: locals.
    pub early: Range,
    /// What is stored after the guard held: registers and variables.
    pub late: Range,
    /// The guard's code, or [`NONE`].
    pub guard: u32,
    /// Whether the guard's code may write or output; what it does is undone.
    pub impure: bool,
}

impl LabelRow {
    /// Whether an event with so many arguments fits.
    #[inline]
    pub fn admits(&self, arguments: u32) -> bool {
        // `NONE` is the greatest number there is.
        self.least <= arguments && arguments <= self.most
    }

    /// Whether every number of arguments fits.
    pub fn admits_all(&self) -> bool {
        self.least == 0 && self.most == NONE
    }
}

/// A test of one argument.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The argument.
    pub arg: u32,
    /// Whether it must be the same, or must not.
    pub same: bool,
    /// As what.
    pub place: Place,
    /// Code that compares the two by their keys, or [`NONE`]: they are compared as they are.
    pub key: u32,
}

/// An argument that is stored.
#[derive(Clone, Copy, Debug)]
pub struct Bind {
    /// The argument.
    pub arg: u32,
    /// Where to.
    pub place: Place,
}

/// Where a value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A parameter of the instance.
    Param(u32),
    /// A variable of the instance.
    Var(u32),
    /// A register of the configuration.
    Register(u32),
    /// A local of the transition.
    Local(u32),
    /// An argument of the event.
    Arg(u32),
    /// A constant.
    Constant(u32),
}

/// An outcome.
#[derive(Clone, Copy, Debug)]
pub struct BranchRow {
    /// The update's code, or [`NONE`].
    pub update: u32,
    /// Where it leads.
    pub target: Target,
}

/// Where a branch leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Enter that state.
    State(u32),
    /// Neither leave nor enter.
    Stay,
    /// End the instance or the configuration.
    Drop,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionRow {
    /// Where its code begins.
    pub entry: u32,
    /// How many locals it has, parameters first.
    pub locals: u32,
}

/// What a variable or register is declared to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every value.
    Any,
    /// Values of one tag, and null; integers become floats or addresses, integral floats integers.
    Of(Tag),
}

/// One instruction of the stack machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// Push a constant.
    Constant(u32),
    /// Push a parameter.
    Param(u32),
    /// Push a variable.
    Var(u32),
    /// Push a register.
    Register(u32),
    /// Push a local of the running transition or function.
    Local(u32),
    /// Push an argument.
    Arg(u32),
    /// Push what the window in a variable comes to.
    Window(u32, Aggregate),
    /// Push what time it is.
    Now,
    /// Pop into a variable, if it fits.
    SetVar(u16, Kind),
    /// Pop into a register, if it fits.
    SetRegister(u16, Kind),
    /// Pop into a local.
    SetLocal(u32),
    /// Replace the top.
    Unary(Unary),
    /// Replace the two on top.
    Binary(Binary),
    /// The top must be a truth value.
    Truth,
    /// Go on there.
    Jump(u32),
    /// Pop a truth value; go on there if it is false.
    JumpIfFalse(u32),
    /// Pop a truth value; go on there if it is true.
    JumpIfTrue(u32),
    /// Spend one of the budget.
    Spend,
    /// Call a function with so many arguments.
    Call(u16, u16),
    /// Leave the function with the top.
    Return,
    /// Call a built-in function with so many arguments.
    Builtin(Builtin, u16),
    /// Make a list of the top so many.
    List(u32),
    /// Make a map of the top so many pairs.
    Map(u32),
    /// Discard so many.
    Pop(u32),
    /// Discard so many below the top.
    Squash(u32),
    /// Replace a list or map by the list to walk, and push position 0.
    Iterate,
    /// Store the next element in a local and skip the instruction that follows; if there is
    /// none, discard list and position and go on with that instruction, a jump out of the loop.
    Next(u32),
    /// Output an event with so many arguments.
    Send(u32, u16),
    /// Output a line.
    Print,
    /// Output a named action (an index of the host's table) with so many arguments.
    Action(u32, u16),
    /// Output the restart of a clock.
    ResetClock(u32),
    /// Output the restart of a clock that rings after the top.
    SetClock(u32),
    /// Output the stop of a clock.
    StopClock(u32),
    /// The end of this piece of code.
    Halt,
}
