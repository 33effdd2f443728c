//! The value of an expression that does not depend on anything.

use std::cmp::Ordering;

use watchword_model::{BinaryOp, Expr, UnaryOp, Value};

/// Whether a condition is always true or always false.
pub(super) fn truth(expr: &Expr) -> Option<bool> {
    match fold(expr)? {
        Value::Bool(value) => Some(value),
        _ => None,
    }
}

fn fold(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Const(value) => Some(value.clone()),
        Expr::Unary(op, operand) => match (op, fold(operand)?) {
            (UnaryOp::Not, Value::Bool(b)) => Some(Value::Bool(!b)),
            (UnaryOp::Neg, Value::Int(i)) => i.checked_neg().map(Value::Int),
            (UnaryOp::Neg, Value::Float(f)) => Some(Value::Float(-f)),
            _ => None,
        },
        Expr::And(a, b) => match (truth(a), truth(b)) {
            (Some(false), _) => Some(Value::Bool(false)),
            (Some(true), Some(b)) => Some(Value::Bool(b)),
            _ => None,
        },
        Expr::Or(a, b) => match (truth(a), truth(b)) {
            (Some(true), _) => Some(Value::Bool(true)),
            (Some(false), Some(b)) => Some(Value::Bool(b)),
            _ => None,
        },
        Expr::If(c, a, b) => fold(if truth(c)? { a } else { b }),
        Expr::Binary(op, a, b) => {
            let (a, b) = (fold(a)?, fold(b)?);
            let order = || a.order(&b);
            let value = match op {
                BinaryOp::Eq => a.same(&b),
                BinaryOp::Ne => !a.same(&b),
                BinaryOp::Lt => order()? == Ordering::Less,
                BinaryOp::Le => order()? != Ordering::Greater,
                BinaryOp::Gt => order()? == Ordering::Greater,
                BinaryOp::Ge => order()? != Ordering::Less,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                    let (Value::Int(a), Value::Int(b)) = (&a, &b) else { return None };
                    let value = match op {
                        BinaryOp::Add => a.checked_add(*b),
                        BinaryOp::Sub => a.checked_sub(*b),
                        _ => a.checked_mul(*b),
                    };
                    return value.map(Value::Int);
                }
                _ => return None,
            };
            Some(Value::Bool(value))
        }
        _ => None,
    }
}
