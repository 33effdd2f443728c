//! The expression language of guards, updates, messages and captured terms.
//!
//! Expressions are typed before they get here. Evaluation has three outcomes: a value, or
//! *not relevant* — arithmetic overflow, division by zero, a missing element, a value of the
//! wrong type where the type was [`Type::Any`], a spent loop budget. A transition whose guard
//! or update is not relevant is not enabled and has no effect; the monitor counts it.

use crate::{
    ClockId, EventId, FunctionId, LocalId, ParamId, RegisterId, Span, Type, Value, VarId, WindowId,
};

/// Where a value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A parameter of the instance. Unbound in less informative instances: reads as null.
    Param(ParamId),
    /// A variable, shared by the automata of one context instance and readable further in.
    Var(VarId),
    /// A register of this configuration.
    Register(RegisterId),
    /// A name of this transition, or a parameter or variable of this function.
    Local(LocalId),
    /// An argument of the event the last label matched.
    Arg(u32),
    /// What a window of the property comes to now. Only read, and only by the property itself.
    Window(WindowId),
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// The value at a place.
    Read(Place),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands, both evaluated.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Both hold; the second is evaluated only if the first does.
    And(Box<Expr>, Box<Expr>),
    /// At least one holds; the second is evaluated only if the first does not.
    Or(Box<Expr>, Box<Expr>),
    /// A conditional.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A built-in function.
    Builtin(Builtin, Vec<Expr>),
    /// A function of the model.
    Call(FunctionId, Vec<Expr>),
    /// Statements whose `return` is the value; null if none is reached. A guard that is null is
    /// not relevant.
    Block(Vec<Stmt>),
    /// A list.
    List(Vec<Expr>),
    /// A map.
    Map(Vec<(Expr, Expr)>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Logical negation.
    Not,
    /// Arithmetic negation.
    Neg,
    /// Bitwise negation.
    BitNot,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum of numbers; concatenation if one side is text.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient; of integers, rounded towards zero.
    Div,
    /// Remainder; has the sign of the dividend.
    Rem,
    /// Quotient rounded towards minus infinity.
    FloorDiv,
    /// Remainder with the sign of the divisor.
    FloorRem,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Shift left.
    Shl,
    /// Arithmetic shift right.
    Shr,
    /// The same value, see [`Value::same`].
    Eq,
    /// Not the same value.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl BinaryOp {
    /// As property files write it; those that round down have no symbol there.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::FloorDiv => "//",
            BinaryOp::FloorRem => "mod",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }
}

/// Built-in functions: pure, total but for *not relevant*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `len(x)`: elements of a list or map, characters of a text.
    Len,
    /// `get(x, k)`: the element; not relevant if there is none.
    Get,
    /// `put(x, k, v)`: the list or map with that element replaced or added.
    Put,
    /// `push(l, v)`: the list with `v` at its end.
    Push,
    /// `remove(x, k)`: the list or map without that element.
    Remove,
    /// `contains(x, v)`: an element of the list, a key of the map, a substring of the text.
    Contains,
    /// `keys(m)`: the keys of a map in order.
    Keys,
    /// `abs(n)`.
    Abs,
    /// `min(a, b)`.
    Min,
    /// `max(a, b)`.
    Max,
    /// `int(x)`: a number without its fraction, the number a text spells, the bits of an address.
    ToInt,
    /// `float(x)`.
    ToFloat,
    /// `string(x)`: as messages show it.
    ToStr,
    /// `starts_with(text, prefix)`.
    StartsWith,
    /// `ends_with(text, suffix)`.
    EndsWith,
    /// `lower(text)`.
    Lower,
    /// `upper(text)`.
    Upper,
    /// `matches(text, glob)`: `*` any run of characters, `?` one, `{a,b}` alternatives; anchored.
    /// Of a list: whether some text in it is like that.
    Matches,
    /// `wrap32(n)`: an integer wrapped to 32 bits, as Java's `int`.
    Wrap32,
}

impl Builtin {
    /// Every function with its name and number of arguments.
    pub const TABLE: [(Builtin, &'static str, usize); 19] = [
        (Builtin::Len, "len", 1),
        (Builtin::Get, "get", 2),
        (Builtin::Put, "put", 3),
        (Builtin::Push, "push", 2),
        (Builtin::Remove, "remove", 2),
        (Builtin::Contains, "contains", 2),
        (Builtin::Keys, "keys", 1),
        (Builtin::Abs, "abs", 1),
        (Builtin::Min, "min", 2),
        (Builtin::Max, "max", 2),
        (Builtin::ToInt, "int", 1),
        (Builtin::ToFloat, "float", 1),
        (Builtin::ToStr, "string", 1),
        (Builtin::StartsWith, "starts_with", 2),
        (Builtin::EndsWith, "ends_with", 2),
        (Builtin::Lower, "lower", 1),
        (Builtin::Upper, "upper", 1),
        (Builtin::Matches, "matches", 2),
        (Builtin::Wrap32, "wrap32", 1),
    ];
}

/// A statement of an update, an entry action or a function.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Store the value.
    Assign(Place, Expr),
    /// Conditional.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Loop; bounded by the evaluation budget.
    While(Expr, Vec<Stmt>),
    /// For every element of a list or key of a map.
    ForEach(LocalId, Expr, Vec<Stmt>),
    /// Leave the innermost loop.
    Break,
    /// Next round of the innermost loop.
    Continue,
    /// Leave the block or function with a value.
    Return(Option<Expr>),
    /// Evaluate for the effects of a call.
    Eval(Expr),
    /// Raise a channel event. An *output*: seen outside the automaton.
    Send(EventId, Vec<Expr>),
    /// Print a line for the person. An output.
    Print(Expr),
    /// Run a named action of the host (a companion function, a scenario hook). An output.
    Action(String, Vec<Expr>),
    /// Set a clock running from zero.
    ResetClock(ClockId),
    /// Set a clock running from zero; it rings after so many nanoseconds, at once if that is
    /// negative.
    SetClock(ClockId, Expr),
    /// Stop a clock: its alarms do not fire.
    StopClock(ClockId),
}

/// A function: parameters first among its locals, all of its own.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: String,
    /// Parameters, `Local(0)` onwards.
    pub params: Vec<(String, Type)>,
    /// How many locals it has, parameters included.
    pub locals: u32,
    /// The statements.
    pub body: Vec<Stmt>,
    /// Where it was written.
    pub span: Span,
}

/// A message: text with values in it.
#[derive(Clone, Debug, Default)]
pub struct Template {
    /// The parts, in order.
    pub parts: Vec<TemplatePart>,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// As it is.
    Text(String),
    /// A value, shown by [`Value`]'s `Display`; shown as `?` if it is not relevant.
    Value(Expr),
}
