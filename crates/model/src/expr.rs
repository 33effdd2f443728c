//! The expression language of guards, updates, messages and captured terms.
//!
//! Expressions are typed before they get here. Evaluation has three outcomes: a value, or
//! *not relevant* — arithmetic overflow, division by zero, a missing element, a value of the
//! wrong type where the type was [`Type::Any`], a spent loop budget. A transition whose guard
//! or update is not relevant is not enabled and has no effect; the monitor counts it.

pub use watchword_step::{Binary as BinaryOp, Builtin, Unary as UnaryOp};

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
    /// The time of the event that is handled, in nanoseconds. Only read, and not in properties with
    /// registers.
    Now,
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

/// A condition on the elements of a list or the keys of a map; see [`Expr::exists`].
#[derive(Clone, Copy, Debug)]
pub struct Quantified<'e> {
    /// `exists` or `all`.
    pub word: &'static str,
    /// The element.
    pub local: LocalId,
    /// The list or the map.
    pub within: &'e Expr,
    /// The condition.
    pub condition: &'e Expr,
}

impl Expr {
    /// Whether a condition holds for some element: a loop that ends at the first one that fits.
    pub fn exists(local: LocalId, within: Expr, condition: Expr) -> Expr {
        Expr::until(local, within, condition, true)
    }

    /// Whether a condition holds for each element: a loop that ends at the first one that does not
    /// fit.
    pub fn all(local: LocalId, within: Expr, condition: Expr) -> Expr {
        Expr::until(local, within, Expr::Unary(UnaryOp::Not, Box::new(condition)), false)
    }

    fn until(local: LocalId, within: Expr, decides: Expr, answer: bool) -> Expr {
        let give = |answer| Stmt::Return(Some(Expr::Const(Value::Bool(answer))));
        let each = Stmt::If(decides, vec![give(answer)], Vec::new());
        Expr::Block(vec![Stmt::ForEach(local, within, vec![each]), give(!answer)])
    }

    /// What [`Expr::exists`] or [`Expr::all`] was made of.
    pub fn as_quantified(&self) -> Option<Quantified<'_>> {
        let Expr::Block(body) = self else { return None };
        let [Stmt::ForEach(local, within, each), otherwise] = &body[..] else { return None };
        let [Stmt::If(decides, then, rest)] = &each[..] else { return None };
        let [answer] = &then[..] else { return None };
        let given = |statement: &Stmt| match statement {
            Stmt::Return(Some(Expr::Const(Value::Bool(answer)))) => Some(*answer),
            _ => None,
        };
        let answer = given(answer)?;
        if !rest.is_empty() || given(otherwise)? == answer {
            return None;
        }
        let (word, condition) = match (answer, decides) {
            (true, condition) => ("exists", condition),
            (false, Expr::Unary(UnaryOp::Not, condition)) => ("all", &**condition),
            (false, _) => return None,
        };
        Some(Quantified { word, local: *local, within, condition })
    }
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
