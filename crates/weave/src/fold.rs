//! What a guard says when only static context is known.

use std::collections::BTreeMap;

use watchword_model::{BinaryOp, Builtin, Expr, Glob, LocalId, Place, Stmt, UnaryOp, Value};

/// The value of a guard where it depends on known arguments only; `None` where it does not, or
/// where nothing short of the evaluator could tell.
pub fn fold(expr: &Expr, known: &[Value]) -> Option<Value> {
    Folder { known, locals: BTreeMap::new() }.expr(expr)
}

/// Whether a guard can hold.
pub fn may_hold(guard: Option<&Expr>, known: &[Value]) -> bool {
    guard.is_none_or(|guard| !matches!(fold(guard, known), Some(Value::Bool(false) | Value::Null)))
}

struct Folder<'k> {
    known: &'k [Value],
    locals: BTreeMap<LocalId, Value>,
}

enum Flow {
    On,
    Return(Value),
    Unknown,
}

impl Folder<'_> {
    fn truth(&mut self, expr: &Expr) -> Option<bool> {
        match self.expr(expr)? {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    fn expr(&mut self, expr: &Expr) -> Option<Value> {
        match expr {
            Expr::Const(value) => Some(value.clone()),
            Expr::Read(Place::Arg(index)) => self.known.get(*index as usize).cloned(),
            Expr::Read(Place::Local(local)) => self.locals.get(local).cloned(),
            Expr::Unary(UnaryOp::Not, inner) => self.truth(inner).map(|t| Value::Bool(!t)),
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
                let same = self.expr(a)?.same(&self.expr(b)?);
                Some(Value::Bool(same == (*op == BinaryOp::Eq)))
            }
            Expr::And(a, b) => match (self.truth(a), self.truth(b)) {
                (Some(false), _) | (_, Some(false)) => Some(Value::Bool(false)),
                (Some(true), Some(true)) => Some(Value::Bool(true)),
                _ => None,
            },
            Expr::Or(a, b) => match (self.truth(a), self.truth(b)) {
                (Some(true), _) | (_, Some(true)) => Some(Value::Bool(true)),
                (Some(false), Some(false)) => Some(Value::Bool(false)),
                _ => None,
            },
            Expr::If(condition, then, otherwise) => match self.truth(condition)? {
                true => self.expr(then),
                false => self.expr(otherwise),
            },
            Expr::Builtin(Builtin::Matches, args) => match &args[..] {
                [text, glob] => match (self.expr(text)?, self.expr(glob)?) {
                    (Value::Str(text), Value::Str(glob)) => {
                        Some(Value::Bool(Glob::new(&glob).matches(&text)))
                    }
                    (Value::List(texts), Value::Str(glob)) => {
                        let glob = Glob::new(&glob);
                        let hit = |t: &Value| matches!(t, Value::Str(t) if glob.matches(t));
                        Some(Value::Bool(texts.iter().any(hit)))
                    }
                    _ => None,
                },
                _ => None,
            },
            Expr::Builtin(Builtin::Get, args) => match &args[..] {
                [list, index] => match (self.expr(list)?, self.expr(index)?) {
                    // An element that is not there makes the guard not relevant: it does not hold.
                    (Value::List(items), Value::Int(index)) => {
                        let item = usize::try_from(index).ok().and_then(|i| items.get(i));
                        Some(item.cloned().unwrap_or(Value::Null))
                    }
                    _ => None,
                },
                _ => None,
            },
            Expr::Block(body) => match self.body(body) {
                Flow::Return(value) => Some(value),
                Flow::On => Some(Value::Null),
                Flow::Unknown => None,
            },
            _ => None,
        }
    }

    fn body(&mut self, body: &[Stmt]) -> Flow {
        for stmt in body {
            match self.stmt(stmt) {
                Flow::On => {}
                other => return other,
            }
        }
        Flow::On
    }

    fn stmt(&mut self, stmt: &Stmt) -> Flow {
        match stmt {
            Stmt::Return(value) => match value.as_ref().map(|v| self.expr(v)) {
                None => Flow::Return(Value::Null),
                Some(Some(value)) => Flow::Return(value),
                Some(None) => Flow::Unknown,
            },
            Stmt::If(condition, then, otherwise) => match self.truth(condition) {
                Some(true) => self.body(then),
                Some(false) => self.body(otherwise),
                None => Flow::Unknown,
            },
            Stmt::ForEach(local, list, body) => match self.expr(list) {
                Some(Value::List(items)) => {
                    for item in items.iter() {
                        self.locals.insert(*local, item.clone());
                        match self.body(body) {
                            Flow::On => {}
                            other => return other,
                        }
                    }
                    Flow::On
                }
                Some(Value::Null) => Flow::On,
                _ => Flow::Unknown,
            },
            _ => Flow::Unknown,
        }
    }
}
