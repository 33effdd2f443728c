//! Whether code asks what time it is.

use crate::{Expr, Place, Stmt, Template, TemplatePart};

pub(crate) fn expr(e: &Expr) -> bool {
    match e {
        Expr::Const(_) => false,
        Expr::Read(place) => *place == Place::Now,
        Expr::Unary(_, a) => expr(a),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => expr(a) || expr(b),
        Expr::If(a, b, c) => expr(a) || expr(b) || expr(c),
        Expr::Builtin(_, args) | Expr::Call(_, args) | Expr::List(args) => args.iter().any(expr),
        Expr::Block(body) => stmts(body),
        Expr::Map(entries) => entries.iter().any(|(k, v)| expr(k) || expr(v)),
    }
}

pub(crate) fn stmts(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Assign(_, e)
        | Stmt::Return(Some(e))
        | Stmt::Eval(e)
        | Stmt::Print(e)
        | Stmt::SetClock(_, e) => expr(e),
        Stmt::If(cond, then, otherwise) => expr(cond) || stmts(then) || stmts(otherwise),
        Stmt::While(cond, body) | Stmt::ForEach(_, cond, body) => expr(cond) || stmts(body),
        Stmt::Send(_, args) | Stmt::Action(_, args) => args.iter().any(expr),
        Stmt::Break
        | Stmt::Continue
        | Stmt::Return(None)
        | Stmt::ResetClock(_)
        | Stmt::StopClock(_) => false,
    })
}

pub(crate) fn template(text: &Template) -> bool {
    text.parts.iter().any(|part| match part {
        TemplatePart::Text(_) => false,
        TemplatePart::Value(e) => expr(e),
    })
}
