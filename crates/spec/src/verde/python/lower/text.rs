//! Values as text, and texts with values in them.

use watchword_model::{BinaryOp, Builtin, Expr, Type, Value};

use super::build::*;
use super::{Lowering, Typed};
use crate::diagnostic::Code;
use crate::verde::python::format::{Part, parts};
use crate::verde::python::tree::{self, ExprKind, Piece};

impl Lowering<'_> {
    /// `str(x)`.
    pub(super) fn shown(&mut self, value: Typed) -> Expr {
        let text = |t: &str| Expr::Const(Value::str(t));
        let is = |value: &Expr, what: Value| binary(BinaryOp::Eq, value.clone(), Expr::Const(what));
        let plain = |value: Expr| Expr::Builtin(Builtin::ToStr, vec![value]);
        match value.ty {
            Type::Str => value.expr,
            Type::Bool => choose(value.expr, text("True"), text("False")),
            Type::Any => self.once(value.expr, |_, value| {
                let or_none = choose(is(&value, Value::Null), text("None"), plain(value.clone()));
                let or_false = choose(is(&value, Value::Bool(false)), text("False"), or_none);
                choose(is(&value, Value::Bool(true)), text("True"), or_false)
            }),
            _ => plain(value.expr),
        }
    }

    pub(super) fn pieces(&mut self, pieces: &[Piece]) -> Typed {
        let mut text: Option<Expr> = None;
        for piece in pieces {
            let next = match piece {
                Piece::Text(plain) => Expr::Const(Value::str(plain)),
                Piece::Value(e) => {
                    let value = self.expr(e);
                    self.shown(value)
                }
            };
            text = Some(match text {
                None => next,
                Some(text) => concat(text, next),
            });
        }
        Typed { expr: text.unwrap_or_else(|| Expr::Const(Value::str(""))), ty: Type::Str }
    }

    /// `"…" % values`.
    pub(super) fn formatted(&mut self, left: &tree::Expr, right: &tree::Expr) -> Typed {
        let empty = Typed { expr: Expr::Const(Value::str("")), ty: Type::Str };
        let ExprKind::Str(text) = &left.kind else {
            let why = "use one of the two";
            self.outside(left.span, "an f-string cannot be formatted with `%` again", why);
            return empty;
        };
        let parts = match parts(text) {
            Ok(parts) => parts,
            Err(what) => {
                let why = "`%d`, `%i`, `%s` and `%%` are";
                self.outside(left.span, format!("`{what}` is not in the subset"), why);
                return empty;
            }
        };
        let values: Vec<&tree::Expr> = match &right.kind {
            ExprKind::Tuple(items) => items.iter().collect(),
            _ => vec![right],
        };
        let wanted = parts.iter().filter(|part| !matches!(part, Part::Text(_))).count();
        if wanted != values.len() {
            let message = format!("the text takes {wanted} value(s), there are {}", values.len());
            self.error(Code::WrongCount, right.span, message);
            return empty;
        }
        let mut values = values.into_iter();
        let mut whole: Option<Expr> = None;
        for part in parts {
            let next = match part {
                Part::Text(plain) => Expr::Const(Value::str(&plain)),
                Part::Shown => match values.next() {
                    Some(e) => {
                        let value = self.expr(e);
                        self.shown(value)
                    }
                    None => continue,
                },
                Part::Whole => match values.next() {
                    Some(e) => {
                        let value = self.expr(e);
                        if value.ty == Type::Str {
                            self.error(Code::TypeMismatch, e.span, "`%d` shows numbers, not texts");
                        }
                        let number = match value.ty {
                            Type::Int => value.expr,
                            _ => Expr::Builtin(Builtin::ToInt, vec![value.expr]),
                        };
                        Expr::Builtin(Builtin::ToStr, vec![number])
                    }
                    None => continue,
                },
            };
            whole = Some(match whole {
                None => next,
                Some(text) => concat(text, next),
            });
        }
        Typed { expr: whole.unwrap_or(empty.expr), ty: Type::Str }
    }
}
