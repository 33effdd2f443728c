//! Expressions.

use watchword_model::{BinaryOp, Builtin, Expr, Place, Span, Type, UnaryOp, Value};

use super::build::*;
use super::{Binding, Lowering, NULL, Typed};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::verde::python::tree::{self, Comparison, ExprKind, Op};

impl Lowering<'_> {
    /// The truth of a value, as Python has it.
    pub(super) fn condition(&mut self, e: &tree::Expr) -> Expr {
        match &e.kind {
            ExprKind::And(a, b) => {
                Expr::And(Box::new(self.condition(a)), Box::new(self.condition(b)))
            }
            ExprKind::Or(a, b) => {
                Expr::Or(Box::new(self.condition(a)), Box::new(self.condition(b)))
            }
            _ => {
                let value = self.expr(e);
                self.truth(value)
            }
        }
    }

    fn truth(&mut self, value: Typed) -> Expr {
        let differs = |value: Expr, from: Value| binary(BinaryOp::Ne, value, Expr::Const(from));
        match value.ty {
            Type::Bool => value.expr,
            Type::Int | Type::Float | Type::Duration => differs(value.expr, Value::Int(0)),
            Type::Str => differs(value.expr, Value::str("")),
            Type::Ptr => differs(value.expr, Value::Ptr(0)),
            Type::Ref => differs(value.expr, Value::Null),
            Type::List | Type::Map => differs(length(value.expr), Value::Int(0)),
            Type::Any => self.once(value.expr, |_, value| {
                let empty = [
                    Value::Bool(false),
                    Value::Null,
                    Value::Int(0),
                    Value::Ptr(0),
                    Value::str(""),
                    Value::List(Default::default()),
                    Value::Map(Default::default()),
                ];
                let tests = empty.into_iter().map(|from| differs(value.clone(), from));
                tests.reduce(|a, b| Expr::And(Box::new(a), Box::new(b))).unwrap_or(value.clone())
            }),
        }
    }

    pub(super) fn expr(&mut self, e: &tree::Expr) -> Typed {
        let constant = |value: Value| {
            let ty = value.type_of();
            Typed { expr: Expr::Const(value), ty }
        };
        match &e.kind {
            ExprKind::Int(i) => constant(Value::Int(*i)),
            ExprKind::Float(f) => constant(Value::Float(*f)),
            ExprKind::Str(text) => constant(Value::str(text)),
            ExprKind::Bool(b) => constant(Value::Bool(*b)),
            ExprKind::None => Typed { expr: NULL, ty: Type::Any },
            ExprKind::Name(name) => self.name(name, e.span),
            ExprKind::Format(pieces) => self.pieces(pieces),
            ExprKind::List(items) | ExprKind::Tuple(items) => {
                let items = items.iter().map(|item| self.expr(item).expr).collect();
                Typed { expr: Expr::List(items), ty: Type::List }
            }
            ExprKind::Dict(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| (self.expr(key).expr, self.expr(value).expr))
                    .collect();
                Typed { expr: Expr::Map(entries), ty: Type::Map }
            }
            ExprKind::Not(operand) => {
                let truth = self.condition(operand);
                Typed { expr: not(truth), ty: Type::Bool }
            }
            ExprKind::Negate(operand) => {
                let value = self.number(operand);
                let ty = value.ty;
                Typed { expr: Expr::Unary(UnaryOp::Neg, Box::new(value.expr)), ty }
            }
            ExprKind::Invert(operand) => {
                let value = self.number(operand);
                if value.ty == Type::Float {
                    self.error(Code::TypeMismatch, operand.span, "`~` needs an integer");
                }
                Typed { expr: Expr::Unary(UnaryOp::BitNot, Box::new(value.expr)), ty: Type::Int }
            }
            ExprKind::Binary(Op::Mod, left, right) if is_text(left) => self.formatted(left, right),
            ExprKind::Binary(op, left, right) => {
                let a = self.expr(left);
                let b = self.expr(right);
                self.binary(*op, a, b, Some(right), e.span)
            }
            ExprKind::Compare(first, rest) => self.comparisons(first, rest),
            ExprKind::And(left, right) => self.either(left, right, true),
            ExprKind::Or(left, right) => self.either(left, right, false),
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let then = self.expr(then);
                let otherwise = self.expr(otherwise);
                let ty = if then.ty == otherwise.ty { then.ty } else { Type::Any };
                Typed { expr: choose(condition, then.expr, otherwise.expr), ty }
            }
            ExprKind::Call(name, args) => self.call(name, args, e.span),
            ExprKind::Method(receiver, name, args) => self.method(receiver, name, args),
            ExprKind::Index(container, index) => {
                let Typed { expr, ty } = self.expr(container);
                if !matches!(ty, Type::List | Type::Map | Type::Any) {
                    self.no_elements(container.span, ty);
                }
                let expr = self.once(expr, |lowering, expr| {
                    let base = Typed { expr, ty };
                    let index = lowering.index(&base, index);
                    Expr::Builtin(Builtin::Get, vec![base.expr, index])
                });
                Typed { expr, ty: Type::Any }
            }
        }
    }

    pub(super) fn no_elements(&mut self, span: Span, ty: Type) {
        let message = format!("a value of type {ty} has no elements here");
        self.said.push(
            Diagnostic::error(Code::TypeMismatch, span, message)
                .rule("only lists and dicts have elements; a text has none"),
        );
    }

    fn name(&mut self, name: &str, span: Span) -> Typed {
        match self.names.get(name) {
            Some(Binding::Environment(place)) => {
                let ty = self.types.get(0, name).unwrap_or(Type::Any);
                Typed { expr: Expr::Read(*place), ty }
            }
            Some(Binding::Local(id)) => {
                let ty = self.types.get(self.scope, name).unwrap_or(Type::Any);
                Typed { expr: Expr::Read(Place::Local(*id)), ty }
            }
            Some(Binding::Given(expr, ty) | Binding::Constant(expr, ty)) => {
                Typed { expr: expr.clone(), ty: *ty }
            }
            None => {
                let known = self.names.keys().map(String::as_str);
                let near = nearest(name, known).map(str::to_string);
                let message = format!("`{name}` is not known here");
                self.said.push(
                    Diagnostic::error(Code::UnknownName, span, message)
                        .rule(
                            "known names are the parameters of the event and of the slice, and assigned names",
                        )
                        .did_you_mean(near.as_deref()),
                );
                Typed { expr: NULL, ty: Type::Any }
            }
        }
    }

    /// A number; truth values count.
    pub(super) fn number(&mut self, e: &tree::Expr) -> Typed {
        let value = self.expr(e);
        self.as_number(value, e.span)
    }

    fn as_number(&mut self, value: Typed, span: Span) -> Typed {
        match value.ty {
            Type::Int | Type::Float | Type::Any => value,
            Type::Bool => {
                Typed { expr: Expr::Builtin(Builtin::ToInt, vec![value.expr]), ty: Type::Int }
            }
            ty => {
                let mut said = Diagnostic::error(
                    Code::TypeMismatch,
                    span,
                    format!("a value of type {ty} is not a number"),
                );
                if ty == Type::Ptr {
                    said = said.help("`int(p)` is the address as a number");
                }
                self.said.push(said);
                Typed { expr: value.expr, ty: Type::Any }
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: Op,
        a: Typed,
        b: Typed,
        right: Option<&tree::Expr>,
        span: Span,
    ) -> Typed {
        if op == Op::Add {
            match (a.ty, b.ty) {
                (Type::Str, Type::Str) => {
                    return Typed { expr: concat(a.expr, b.expr), ty: Type::Str };
                }
                (Type::Str, Type::Any) | (Type::Any, Type::Str) => {
                    return Typed { expr: concat(a.expr, b.expr), ty: Type::Str };
                }
                (Type::Str, other) | (other, Type::Str) => {
                    self.said.push(
                        Diagnostic::error(
                            Code::TypeMismatch,
                            span,
                            format!("a text and a value of type {other} cannot be added"),
                        )
                        .help("write `str(…)` around it"),
                    );
                    return Typed { expr: concat(a.expr, b.expr), ty: Type::Str };
                }
                (Type::List | Type::Any, Type::List) => {
                    let Some(Expr::List(items)) = right.map(|_| &b.expr) else {
                        let why = "add a list of written elements, or use `append`";
                        self.outside(span, "two lists cannot be added", why);
                        return a;
                    };
                    let expr = items
                        .iter()
                        .cloned()
                        .fold(a.expr, |list, item| Expr::Builtin(Builtin::Push, vec![list, item]));
                    return Typed { expr, ty: Type::List };
                }
                _ => {}
            }
        }
        if op == Op::Mod && a.ty == Type::Str {
            let why = "write the text before `%` as a literal";
            self.outside(span, "only a literal text can be formatted with `%`", why);
            return Typed { expr: a.expr, ty: Type::Str };
        }
        let a = self.as_number(a, span);
        let b = self.as_number(b, span);
        let whole = matches!(op, Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr);
        if whole && (a.ty == Type::Float || b.ty == Type::Float) {
            self.error(Code::TypeMismatch, span, "bit operators need integers");
        }
        let ty = match (a.ty, b.ty) {
            _ if op == Op::Div => Type::Float,
            _ if whole => Type::Int,
            (Type::Float, Type::Int | Type::Float) | (Type::Int, Type::Float) => Type::Float,
            (Type::Int, Type::Int) => Type::Int,
            _ => Type::Any,
        };
        let op = match op {
            Op::Add => BinaryOp::Add,
            Op::Sub => BinaryOp::Sub,
            Op::Mul => BinaryOp::Mul,
            Op::Div => {
                let a = Expr::Builtin(Builtin::ToFloat, vec![a.expr]);
                return Typed { expr: binary(BinaryOp::Div, a, b.expr), ty };
            }
            Op::FloorDiv => BinaryOp::FloorDiv,
            Op::Mod => BinaryOp::FloorRem,
            Op::BitAnd => BinaryOp::BitAnd,
            Op::BitOr => BinaryOp::BitOr,
            Op::BitXor => BinaryOp::BitXor,
            Op::Shr => BinaryOp::Shr,
            Op::Shl => {
                // Bits that are shifted out are an overflow: multiply, which notices.
                let int = |i: i64| Expr::Const(Value::Int(i));
                let expr = self.once(b.expr, |_, by| {
                    let power = binary(BinaryOp::Shl, int(1), by.clone());
                    let fits = binary(BinaryOp::Le, by, int(62));
                    let overflow = binary(BinaryOp::Div, int(1), int(0));
                    choose(fits, binary(BinaryOp::Mul, a.expr, power), overflow)
                });
                return Typed { expr, ty };
            }
        };
        Typed { expr: binary(op, a.expr, b.expr), ty }
    }

    /// `and` and `or` give one of their operands.
    fn either(&mut self, left: &tree::Expr, right: &tree::Expr, and: bool) -> Typed {
        let a = self.expr(left);
        let b = self.expr(right);
        if a.ty == Type::Bool && b.ty == Type::Bool {
            let (a, b) = (Box::new(a.expr), Box::new(b.expr));
            let expr = if and { Expr::And(a, b) } else { Expr::Or(a, b) };
            return Typed { expr, ty: Type::Bool };
        }
        let ty = if a.ty == b.ty { a.ty } else { Type::Any };
        let expr = self.once(a.expr, |lowering, first| {
            let truth = lowering.truth(Typed { expr: first.clone(), ty: a.ty });
            if and { choose(truth, b.expr, first) } else { choose(truth, first, b.expr) }
        });
        Typed { expr, ty }
    }

    fn comparisons(&mut self, first: &tree::Expr, rest: &[(Comparison, tree::Expr)]) -> Typed {
        let left = self.expr(first);
        let expr = self.chain(left, first, rest);
        Typed { expr, ty: Type::Bool }
    }

    /// `a < b < c`: `b` is computed once.
    fn chain(
        &mut self,
        left: Typed,
        left_tree: &tree::Expr,
        rest: &[(Comparison, tree::Expr)],
    ) -> Expr {
        let Some(((comparison, right_tree), more)) = rest.split_first() else { return left.expr };
        let right = self.expr(right_tree);
        let span = left_tree.span.to(right_tree.span);
        if more.is_empty() {
            return self.comparison(*comparison, left, right, right_tree, span);
        }
        let ty = right.ty;
        self.once(right.expr, |lowering, middle| {
            let middle = Typed { expr: middle, ty };
            let one = lowering.comparison(*comparison, left, middle.clone(), right_tree, span);
            let others = lowering.chain(middle, right_tree, more);
            Expr::And(Box::new(one), Box::new(others))
        })
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        a: Typed,
        b: Typed,
        right: &tree::Expr,
        span: Span,
    ) -> Expr {
        let op = match comparison {
            Comparison::Eq => return self.same(a, b),
            Comparison::Ne => return not(self.same(a, b)),
            Comparison::Is | Comparison::IsNot => {
                if !matches!(right.kind, ExprKind::None | ExprKind::Bool(_)) {
                    let why = "write `==`";
                    self.outside(span, "`is` compares with `None`, `True` and `False` only", why);
                }
                let op = if comparison == Comparison::Is { BinaryOp::Eq } else { BinaryOp::Ne };
                return binary(op, a.expr, b.expr);
            }
            Comparison::In | Comparison::NotIn => {
                if !matches!(b.ty, Type::List | Type::Map | Type::Str | Type::Any) {
                    let message = format!("a value of type {} contains no elements", b.ty);
                    self.error(Code::TypeMismatch, right.span, message);
                }
                let within = Expr::Builtin(Builtin::Contains, vec![b.expr, a.expr]);
                return if comparison == Comparison::In { within } else { not(within) };
            }
            Comparison::Lt => BinaryOp::Lt,
            Comparison::Le => BinaryOp::Le,
            Comparison::Gt => BinaryOp::Gt,
            Comparison::Ge => BinaryOp::Ge,
        };
        let (a, b) = (ordered(a), ordered(b));
        let comparable = match (a.ty, b.ty) {
            (Type::Any, _) | (_, Type::Any) => true,
            (x, y) if x.is_number() && y.is_number() => true,
            (Type::Str, Type::Str) | (Type::Ptr, Type::Ptr) => true,
            (Type::Ptr, Type::Int) | (Type::Int, Type::Ptr) => {
                let number = |v: Typed| match v.ty {
                    Type::Ptr => Expr::Builtin(Builtin::ToInt, vec![v.expr]),
                    _ => v.expr,
                };
                return binary(op, number(a), number(b));
            }
            _ => false,
        };
        if !comparable {
            let message = format!("values of type {} and {} have no order", a.ty, b.ty);
            self.error(Code::TypeMismatch, span, message);
        }
        binary(op, a.expr, b.expr)
    }

    /// Python's `==`: 1 is the same as `True`, and an address the same as its number.
    fn same(&mut self, a: Typed, b: Typed) -> Expr {
        let (a, b) = if matches!(a.expr, Expr::Const(_)) { (b, a) } else { (a, b) };
        let also = match &b.expr {
            Expr::Const(Value::Int(i)) if matches!(a.ty, Type::Any | Type::Ptr) && *i >= 0 => {
                Some(Value::Ptr(*i as u64))
            }
            Expr::Const(Value::Bool(t)) if matches!(a.ty, Type::Any | Type::Int | Type::Float) => {
                Some(Value::Int(i64::from(*t)))
            }
            _ => None,
        };
        if let Some(also) = also {
            return self.once(a.expr, |_, a| {
                let second = binary(BinaryOp::Eq, a.clone(), Expr::Const(also));
                Expr::Or(Box::new(binary(BinaryOp::Eq, a, b.expr)), Box::new(second))
            });
        }
        let mixed = |x: Type, y: Type| {
            (x == Type::Bool && y.is_number()) || (x == Type::Ptr && y == Type::Int)
        };
        let (mut left, mut right) = (a.expr, b.expr);
        if mixed(a.ty, b.ty) {
            left = Expr::Builtin(Builtin::ToInt, vec![left]);
        } else if mixed(b.ty, a.ty) {
            right = Expr::Builtin(Builtin::ToInt, vec![right]);
        }
        binary(BinaryOp::Eq, left, right)
    }

    /// A key of a dict, or a position in a list: those below zero count from the end.
    pub(super) fn index(&mut self, base: &Typed, index: &tree::Expr) -> Expr {
        let key = self.expr(index);
        let from_end = |length_of: Expr, i: Expr| binary(BinaryOp::Add, length(length_of), i);
        let negative = matches!(&index.kind, ExprKind::Negate(inner) if matches!(inner.kind, ExprKind::Int(_)));
        match base.ty {
            Type::List | Type::Any if negative => from_end(base.expr.clone(), key.expr),
            Type::List => {
                if !matches!(key.ty, Type::Int | Type::Any) {
                    let message =
                        format!("elements of a list are accessed by number, not by {}", key.ty);
                    self.error(Code::TypeMismatch, index.span, message);
                }
                if matches!(key.expr, Expr::Const(_)) {
                    return key.expr;
                }
                let list = base.expr.clone();
                self.once(key.expr, |_, i| {
                    let below = binary(BinaryOp::Lt, i.clone(), Expr::Const(Value::Int(0)));
                    choose(below, from_end(list, i.clone()), i)
                })
            }
            _ => key.expr,
        }
    }
}

/// A truth value that is ordered counts as a number.
fn ordered(value: Typed) -> Typed {
    match value.ty {
        Type::Bool => {
            Typed { expr: Expr::Builtin(Builtin::ToInt, vec![value.expr]), ty: Type::Int }
        }
        _ => value,
    }
}

fn is_text(e: &tree::Expr) -> bool {
    matches!(e.kind, ExprKind::Str(_) | ExprKind::Format(_))
}
