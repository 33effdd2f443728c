//! Numbers of Infer's dialect: truth values count as 1 and 0, null as 0.

use watchword_model::{BinaryOp, Expr, Place, Value};

/// The value at a place; truth values as 1 and 0, null as 0.
pub fn number(place: Place) -> Expr {
    let zero = Expr::Or(Box::new(is(place, Value::Bool(false))), Box::new(is(place, Value::Null)));
    let choose = |condition, then, otherwise| {
        Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise))
    };
    choose(
        is(place, Value::Bool(true)),
        Expr::Const(Value::Int(1)),
        choose(zero, Expr::Const(Value::Int(0)), Expr::Read(place)),
    )
}

/// The place whose number an expression is, if it is one.
pub fn place_of(expr: &Expr) -> Option<Place> {
    let Expr::If(_, _, otherwise) = expr else { return None };
    let Expr::If(_, _, read) = &**otherwise else { return None };
    let Expr::Read(place) = **read else { return None };
    (format!("{expr:?}") == format!("{:?}", number(place))).then_some(place)
}

/// The value at a place is that constant.
pub fn is(place: Place, value: Value) -> Expr {
    Expr::Binary(BinaryOp::Eq, Box::new(Expr::Read(place)), Box::new(Expr::Const(value)))
}
