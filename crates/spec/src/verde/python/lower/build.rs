//! Expressions of the model, put together.

use watchword_model::{BinaryOp, Builtin, Expr, UnaryOp};

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// Two texts, or a text and what is shown of a value.
pub(super) fn concat(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Add, left, right)
}

pub(super) fn not(truth: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(truth))
}

pub(super) fn choose(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise))
}

pub(super) fn length(value: Expr) -> Expr {
    Expr::Builtin(Builtin::Len, vec![value])
}
