//! A scenario as it was written.

use watchword_model::{Span, Value};

/// A scenario: its first memory and its reactions, in order.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// The file it came from, as messages name it.
    pub name: String,
    pub(crate) variables: Vec<(String, Value)>,
    pub(crate) reactions: Vec<Reaction>,
}

/// `on entering state x do …`
#[derive(Clone, Debug)]
pub(crate) struct Reaction {
    pub moment: Moment,
    pub states: States,
    pub property: Option<Name>,
    pub body: Vec<Action>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Entering,
    Leaving,
}

/// The states a reaction is about.
#[derive(Clone, Debug)]
pub(crate) enum States {
    Named(Name),
    Accepting,
    NonAccepting,
    Any,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub kind: ActionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ActionKind {
    Assign(Name, Given),
    If(Expr, Vec<Action>, Vec<Action>),
    While(Expr, Vec<Action>),
    For(Name, Expr, Vec<Action>),
    Stop(Option<Expr>),
    Print(Vec<Expr>),
    Backtrace(Option<Expr>),
    Restore(Option<Expr>),
    Delete(Option<Expr>),
    Set(Expr, Expr),
    Command(Expr),
    Continue,
    Quit,
    /// An action whose result is not stored.
    Do(Deed),
}

/// What a variable is given.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    Expr(Expr),
    Deed(Deed),
}

/// An action that has a result.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Checkpoint(Option<Expr>),
    Call(Expr),
    /// A point in the program, and what to do when it is reached.
    Point(Point, Expr, Option<std::sync::Arc<Vec<Action>>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    Break,
    BreakOnce,
    Watch,
    ReadWatch,
    AccessWatch,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Const(Value),
    Name(String),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    List(Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Len,
    Str,
    Int,
    Range,
    Value,
}

impl Function {
    pub(crate) const TABLE: [(&'static str, Function, usize); 5] = [
        ("len", Function::Len, 1),
        ("str", Function::Str, 1),
        ("int", Function::Int, 1),
        ("range", Function::Range, 2),
        ("value", Function::Value, 1),
    ];
}

/// What every reaction can read besides variables and the slice's parameters.
pub(crate) const GIVEN: [&str; 4] = ["property", "left", "entered", "slice"];

/// Visits every expression of actions.
pub(crate) fn each_expr<'a>(actions: &'a [Action], visit: &mut dyn FnMut(&'a Expr)) {
    for action in actions {
        match &action.kind {
            ActionKind::Assign(_, Given::Expr(e)) => expr(e, visit),
            ActionKind::Assign(_, Given::Deed(deed)) | ActionKind::Do(deed) => match deed {
                Deed::Checkpoint(label) => label.iter().for_each(|e| expr(e, visit)),
                Deed::Call(e) => expr(e, visit),
                Deed::Point(_, e, body) => {
                    expr(e, visit);
                    if let Some(body) = body {
                        each_expr(body, visit);
                    }
                }
            },
            ActionKind::If(condition, then, otherwise) => {
                expr(condition, visit);
                each_expr(then, visit);
                each_expr(otherwise, visit);
            }
            ActionKind::While(e, body) | ActionKind::For(_, e, body) => {
                expr(e, visit);
                each_expr(body, visit);
            }
            ActionKind::Stop(e)
            | ActionKind::Backtrace(e)
            | ActionKind::Restore(e)
            | ActionKind::Delete(e) => e.iter().for_each(|e| expr(e, visit)),
            ActionKind::Print(list) => list.iter().for_each(|e| expr(e, visit)),
            ActionKind::Set(a, b) => {
                expr(a, visit);
                expr(b, visit);
            }
            ActionKind::Command(e) => expr(e, visit),
            ActionKind::Continue | ActionKind::Quit => {}
        }
    }
}

fn expr<'a>(e: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(e);
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Name(_) => {}
        ExprKind::Not(a) | ExprKind::Negate(a) => expr(a, visit),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
            expr(a, visit);
            expr(b, visit);
        }
        ExprKind::List(items) | ExprKind::Call(_, items) => {
            items.iter().for_each(|e| expr(e, visit));
        }
    }
}

/// Visits every name that actions write.
pub(crate) fn each_written<'a>(actions: &'a [Action], visit: &mut dyn FnMut(&'a Name)) {
    for action in actions {
        match &action.kind {
            ActionKind::Assign(name, value) => {
                visit(name);
                if let Given::Deed(Deed::Point(_, _, Some(body))) = value {
                    each_written(body, visit);
                }
            }
            ActionKind::Do(Deed::Point(_, _, Some(body))) => each_written(body, visit),
            ActionKind::If(_, then, otherwise) => {
                each_written(then, visit);
                each_written(otherwise, visit);
            }
            ActionKind::While(_, body) => each_written(body, visit),
            ActionKind::For(name, _, body) => {
                visit(name);
                each_written(body, visit);
            }
            _ => {}
        }
    }
}
