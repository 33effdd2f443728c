//! Methods of `equateUsing`: what two objects must agree on to be one.

use watchword_model::BinaryOp;

use super::tree::{Expr, ExprKind, Method, Operator, StmtKind};

/// What a method compares.
pub enum Compared<'m> {
    /// `a == b`.
    Identity,
    /// `a.equals(b)`.
    Equals,
    /// What is computed from one of them.
    By(&'m Expr),
}

/// What a method of two parameters compares, if it compares the same of both.
pub fn compared(method: &Method) -> Option<Compared<'_>> {
    let [(_, one), (_, two)] = &method.params[..] else { return None };
    let [statement] = &method.body[..] else { return None };
    let StmtKind::Return(Some(value)) = &statement.kind else { return None };
    let (left, right, by_equals) = match &value.kind {
        ExprKind::Binary(Operator::Plain(BinaryOp::Eq), left, right) => (&**left, &**right, false),
        ExprKind::Call(Some(left), name, args) if name.text == "equals" => match &args[..] {
            [right] => (&**left, right, true),
            _ => return None,
        },
        _ => return None,
    };
    let (one, two) = match agree(left, right, &one.text, &two.text) {
        true => (&one.text, &two.text),
        false => (&two.text, &one.text),
    };
    if !agree(left, right, one, two) {
        return None;
    }
    Some(match (&left.kind, by_equals) {
        (ExprKind::Name(_), false) => Compared::Identity,
        (ExprKind::Name(_), true) => Compared::Equals,
        _ => Compared::By(left),
    })
}

/// Whether two expressions are the same, but for the parameter: the first is about `one` alone, the
/// second about `two`.
fn agree(left: &Expr, right: &Expr, one: &str, two: &str) -> bool {
    let agree = |a: &Expr, b: &Expr| self::agree(a, b, one, two);
    match (&left.kind, &right.kind) {
        (ExprKind::Name(a), ExprKind::Name(b)) => {
            if a == one || b == two {
                a == one && b == two
            } else {
                a == b && a != two
            }
        }
        (ExprKind::Int(a, x), ExprKind::Int(b, y)) => a == b && x == y,
        (ExprKind::Float(a), ExprKind::Float(b)) => a == b,
        (ExprKind::Text(a), ExprKind::Text(b)) => a == b,
        (ExprKind::Char(a), ExprKind::Char(b)) => a == b,
        (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
        (ExprKind::Null, ExprKind::Null) => true,
        (ExprKind::Field(a, x), ExprKind::Field(b, y)) => x.text == y.text && agree(a, b),
        (ExprKind::Call(a, x, c), ExprKind::Call(b, y, d)) => {
            let target = match (a, b) {
                (None, None) => true,
                (Some(a), Some(b)) => agree(a, b),
                _ => false,
            };
            target
                && x.text == y.text
                && c.len() == d.len()
                && c.iter().zip(d).all(|(a, b)| agree(a, b))
        }
        (ExprKind::Unary(x, a), ExprKind::Unary(y, b)) => x == y && agree(a, b),
        (ExprKind::Binary(x, a, c), ExprKind::Binary(y, b, d)) => {
            x == y && agree(a, b) && agree(c, d)
        }
        (ExprKind::Choice(a, c, e), ExprKind::Choice(b, d, f)) => {
            agree(a, b) && agree(c, d) && agree(e, f)
        }
        (ExprKind::Cast(x, a), ExprKind::Cast(y, b)) => x.name == y.name && agree(a, b),
        (ExprKind::Index(a, c), ExprKind::Index(b, d)) => agree(a, b) && agree(c, d),
        _ => false,
    }
}
