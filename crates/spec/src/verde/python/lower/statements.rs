//! Statements.

use watchword_model::{BinaryOp, Builtin, Expr, Place, Span, Stmt, Type, Value};

use super::build::*;
use super::{Binding, Lowering, Mode, Typed};
use crate::diagnostic::{Code, Diagnostic};
use crate::verde::python::flow::CHANGING;
use crate::verde::python::tree::{self, ExprKind, Name, StmtKind};

/// Elements of elements that are assigned to nest no deeper.
const MAX_ELEMENTS: usize = 4;

impl Lowering<'_> {
    pub(super) fn stmt(&mut self, stmt: &tree::Stmt, out: &mut Vec<Stmt>) {
        match &stmt.kind {
            StmtKind::Pass => {}
            StmtKind::Break => out.push(Stmt::Break),
            StmtKind::Continue => out.push(Stmt::Continue),
            StmtKind::Assign(targets, value) => self.assign(targets, value, out),
            StmtKind::Augmented(target, op, value) => {
                let old = self.expr(target);
                let new = self.expr(value);
                let result = self.binary(*op, old, new, Some(value), stmt.span);
                self.store(target, result, out);
            }
            StmtKind::Expr(e) => self.expr_stmt(e, out),
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let then = self.block(then);
                let otherwise = self.block(otherwise);
                out.push(Stmt::If(condition, then, otherwise));
            }
            StmtKind::While(condition, body) => {
                let condition = self.condition(condition);
                let body = self.block(body);
                out.push(Stmt::While(condition, body));
            }
            StmtKind::For(name, items, body) => self.for_loop(name, items, body, out),
            StmtKind::Return(value) => {
                if matches!(self.mode, Mode::Update | Mode::Initialization) {
                    let why = "a guard and a function return a value";
                    self.outside(stmt.span, "no value can be returned here", why);
                }
                let value = value.as_ref().map(|value| match self.mode {
                    Mode::Guard => self.returned(value),
                    _ => self.expr(value).expr,
                });
                out.push(Stmt::Return(value));
            }
            StmtKind::Delete(target) => match &target.kind {
                ExprKind::Index(container, key) => {
                    let base = self.expr(container);
                    let key = self.index(&base, key);
                    let expr = Expr::Builtin(Builtin::Remove, vec![base.expr, key]);
                    self.store(container, Typed { expr, ty: base.ty }, out);
                }
                _ => self.outside(target.span, "names cannot be deleted", "set it to `None`"),
            },
        }
    }

    /// What a guard returns: `True`, `False` or `None`.
    pub(super) fn returned(&mut self, e: &tree::Expr) -> Expr {
        let value = self.expr(e);
        if !matches!(value.ty, Type::Any | Type::Bool) {
            self.said.push(
                Diagnostic::error(
                    Code::NotACondition,
                    e.span,
                    format!(
                        "a guard returns `True`, `False` or `None`, not a value of type {}",
                        value.ty
                    ),
                )
                .help("compare it with something"),
            );
        }
        value.expr
    }

    fn assign(&mut self, targets: &[tree::Expr], value: &tree::Expr, out: &mut Vec<Stmt>) {
        // `x = l.pop()` takes the element first and the place it had afterwards.
        if let ExprKind::Method(receiver, name, args) = &value.kind
            && name.text == "pop"
        {
            if let Some((element, rest)) = self.pop(receiver, args, value.span) {
                let kept = Place::Local(self.temporary());
                out.push(Stmt::Assign(kept, element.expr));
                self.store(receiver, rest, out);
                for target in targets {
                    let taken = Typed { expr: Expr::Read(kept), ty: Type::Any };
                    self.store(target, taken, out);
                }
            }
            return;
        }
        let value = self.expr(value);
        if let [target] = targets {
            return self.store(target, value, out);
        }
        let kept = Place::Local(self.temporary());
        out.push(Stmt::Assign(kept, value.expr));
        for target in targets {
            self.store(target, Typed { expr: Expr::Read(kept), ty: value.ty }, out);
        }
    }

    /// Writes a value to a name or an element.
    fn store(&mut self, target: &tree::Expr, value: Typed, out: &mut Vec<Stmt>) {
        let mut depth = 0;
        let mut root = target;
        while let ExprKind::Index(inner, _) = &root.kind {
            (root, depth) = (inner, depth + 1);
        }
        // Every level is written out once more for each level below it.
        if depth > MAX_ELEMENTS {
            let message = format!("elements more than {MAX_ELEMENTS} deep cannot be changed");
            return self.outside(target.span, message, "use one dict with composed keys");
        }
        match &target.kind {
            ExprKind::Name(name) => {
                let Some(place) = self.target(name, target.span) else { return };
                let scope = if matches!(place, Place::Local(_)) { self.scope } else { 0 };
                self.types.join(scope, name, value.ty);
                out.push(Stmt::Assign(place, value.expr));
            }
            ExprKind::Index(container, key) => {
                let base = self.expr(container);
                let index = self.index(&base, key);
                if !matches!(base.ty, Type::List | Type::Map | Type::Any) {
                    self.no_elements(container.span, base.ty);
                }
                if base.ty == Type::List {
                    // Python does not let a list grow this way.
                    let there = Expr::Builtin(Builtin::Get, vec![base.expr.clone(), index.clone()]);
                    out.push(Stmt::Eval(there));
                }
                let expr = Expr::Builtin(Builtin::Put, vec![base.expr, index, value.expr]);
                self.store(container, Typed { expr, ty: base.ty }, out);
            }
            _ => self.error(Code::NotAssignable, target.span, "this cannot be assigned to"),
        }
    }

    /// Where a name that is assigned to lives.
    fn target(&mut self, name: &str, span: Span) -> Option<Place> {
        match self.names.get(name) {
            Some(Binding::Environment(place)) => {
                let place = *place;
                if self.mode == Mode::Guard {
                    self.said.push(
                        Diagnostic::error(
                            Code::VerdeGuardEffect,
                            span,
                            format!("a guard must not change `{name}`"),
                        )
                        .rule("a block with `return` is a guard, which must not change anything")
                        .help("change it in the `success` or `failure` block"),
                    );
                }
                Some(place)
            }
            Some(Binding::Given(..)) => {
                self.said.push(
                    Diagnostic::error(
                        Code::NotAssignable,
                        span,
                        format!("`{name}` is a parameter and cannot be assigned to"),
                    )
                    .help("use another name"),
                );
                None
            }
            Some(Binding::Constant(..)) => {
                let message = format!("`{name}` is a constant of the companion file");
                self.error(Code::NotAssignable, span, message);
                None
            }
            Some(Binding::Local(_)) | None => Some(Place::Local(self.local(name))),
        }
    }

    fn expr_stmt(&mut self, e: &tree::Expr, out: &mut Vec<Stmt>) {
        match &e.kind {
            // A text alone is a remark, as Python has them.
            ExprKind::Str(_) => {}
            ExprKind::Call(name, args) if name.text == "print" => {
                self.says_something(e.span, "prints");
                let mut line: Option<Expr> = None;
                for arg in args {
                    let value = self.expr(arg);
                    let shown = self.shown(value);
                    line = Some(match line {
                        None => shown,
                        Some(line) => {
                            let spaced = concat(line, Expr::Const(Value::str(" ")));
                            concat(spaced, shown)
                        }
                    });
                }
                out.push(Stmt::Print(line.unwrap_or_else(|| Expr::Const(Value::str("")))));
            }
            ExprKind::Method(receiver, name, args) if CHANGING.contains(&name.text.as_str()) => {
                let changed = match (name.text.as_str(), &args[..]) {
                    ("append", [item]) => {
                        let list = self.list(receiver);
                        let item = self.expr(item);
                        Some(Expr::Builtin(Builtin::Push, vec![list.expr, item.expr]))
                            .map(|expr| Typed { expr, ty: Type::List })
                    }
                    ("clear", []) => match self.expr(receiver).ty {
                        Type::Map => Some(Typed { expr: Expr::Map(Vec::new()), ty: Type::Map }),
                        Type::List => Some(Typed { expr: Expr::List(Vec::new()), ty: Type::List }),
                        _ => {
                            let why = "assign `[]` or `{}`";
                            self.outside(e.span, "the type of the cleared value is not known", why);
                            None
                        }
                    },
                    ("pop", _) => self.pop(receiver, args, e.span).map(|(_, rest)| rest),
                    _ => {
                        self.wrong_count(name, args.len());
                        None
                    }
                };
                if let Some(changed) = changed {
                    self.store(receiver, changed, out);
                }
            }
            _ => {
                let value = self.expr(e);
                out.push(Stmt::Eval(value.expr));
            }
        }
    }

    /// Something with an effect outside.
    pub(super) fn says_something(&mut self, span: Span, what: &str) {
        match self.mode {
            Mode::Guard => self.said.push(
                Diagnostic::error(Code::VerdeGuardEffect, span, format!("this guard {what}"))
                    .rule("a block with `return` is a guard, which must have no effect")
                    .help("do it in the `success` or `failure` block"),
            ),
            Mode::Initialization => {
                let why = "`initialization` gives variables their first values";
                self.outside(span, format!("this initialization {what}"), why);
            }
            Mode::Update | Mode::Function => {}
        }
    }

    /// A list, as far as that is known.
    fn list(&mut self, e: &tree::Expr) -> Typed {
        let list = self.expr(e);
        if !matches!(list.ty, Type::List | Type::Any) {
            let message = format!("this value has type {} and is not a list", list.ty);
            self.error(Code::TypeMismatch, e.span, message);
        }
        list
    }

    /// The element `pop` takes, and the list without it.
    fn pop(
        &mut self,
        receiver: &tree::Expr,
        args: &[tree::Expr],
        span: Span,
    ) -> Option<(Typed, Typed)> {
        let base = self.expr(receiver);
        let index = match args {
            [] => {
                let one = Expr::Const(Value::Int(1));
                binary(BinaryOp::Sub, length(base.expr.clone()), one)
            }
            [index] => self.index(&base, index),
            _ => {
                let why = "`pop` takes the last element, or the element with the given key";
                self.outside(span, "`pop` with a default is not in the subset", why);
                return None;
            }
        };
        let get = Expr::Builtin(Builtin::Get, vec![base.expr.clone(), index.clone()]);
        let rest = Expr::Builtin(Builtin::Remove, vec![base.expr, index]);
        Some((Typed { expr: get, ty: Type::Any }, Typed { expr: rest, ty: base.ty }))
    }

    fn for_loop(
        &mut self,
        name: &Name,
        items: &tree::Expr,
        body: &[tree::Stmt],
        out: &mut Vec<Stmt>,
    ) {
        if let ExprKind::Call(function, args) = &items.kind
            && function.text == "range"
        {
            return self.counted(name, args, body, items.span, out);
        }
        let items_typed = self.expr(items);
        if !matches!(items_typed.ty, Type::List | Type::Map | Type::Any) {
            let message = format!("a loop goes over a list or a dict, not over {}", items_typed.ty);
            self.error(Code::TypeMismatch, items.span, message);
        }
        let Some(place) = self.target(&name.text, name.span) else { return };
        let (item, first) = match place {
            Place::Local(id) => {
                self.types.join(self.scope, &name.text, Type::Any);
                (id, None)
            }
            place => {
                self.types.join(0, &name.text, Type::Any);
                let id = self.temporary();
                (id, Some(Stmt::Assign(place, Expr::Read(Place::Local(id)))))
            }
        };
        let mut inside: Vec<Stmt> = first.into_iter().collect();
        inside.extend(self.block(body));
        out.push(Stmt::ForEach(item, items_typed.expr, inside));
    }

    /// A loop over a range: counts, without a list.
    fn counted(
        &mut self,
        name: &Name,
        args: &[tree::Expr],
        body: &[tree::Stmt],
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let int = |i: i64| Typed { expr: Expr::Const(Value::Int(i)), ty: Type::Int };
        let (from, to, step) = match args {
            [to] => (int(0), self.expr(to), 1),
            [from, to] => (self.expr(from), self.expr(to), 1),
            [from, to, step] => {
                let step = match &step.kind {
                    ExprKind::Int(i) if *i != 0 => *i,
                    ExprKind::Negate(inner) => match inner.kind {
                        ExprKind::Int(i) if i != 0 => -i,
                        _ => 0,
                    },
                    _ => 0,
                };
                if step == 0 {
                    let why = "the sign of the step must be known when the file is loaded";
                    self.outside(span, "the step of a range is a number other than 0", why);
                }
                (self.expr(from), self.expr(to), step)
            }
            _ => {
                self.error(Code::WrongCount, span, "`range` has one, two or three arguments");
                return;
            }
        };
        for bound in [&from, &to] {
            if !matches!(bound.ty, Type::Int | Type::Any) {
                let message = format!("a range goes over whole numbers, not over {}", bound.ty);
                self.error(Code::TypeMismatch, span, message);
            }
        }
        let Some(place) = self.target(&name.text, name.span) else { return };
        let scope = if matches!(place, Place::Local(_)) { self.scope } else { 0 };
        self.types.join(scope, &name.text, Type::Int);
        let (counter, limit) = (Place::Local(self.temporary()), Place::Local(self.temporary()));
        out.push(Stmt::Assign(counter, from.expr));
        out.push(Stmt::Assign(limit, to.expr));
        let compare = if step > 0 { BinaryOp::Lt } else { BinaryOp::Gt };
        // Counted before the body, so that `continue` counts too.
        let mut inside = vec![
            Stmt::Assign(place, Expr::Read(counter)),
            Stmt::Assign(
                counter,
                binary(BinaryOp::Add, Expr::Read(counter), Expr::Const(Value::Int(step))),
            ),
        ];
        inside.extend(self.block(body));
        out.push(Stmt::While(binary(compare, Expr::Read(counter), Expr::Read(limit)), inside));
    }
}
