//! From Python to the model's expressions and statements.
//!
//! Types are inferred as far as they are certain; what is certainly wrong is an error here, what
//! may be wrong is found when it is evaluated and makes the transition not relevant. Where Python
//! and the model differ (truth of any value, `/`, `%`, `//`, negative indices, `and` and `or` as
//! values, the spelling of `True` and `None`), the difference is compiled in.

use std::collections::BTreeMap;

use watchword_model::{
    BinaryOp, Builtin, Expr, FunctionId, LocalId, Place, Span, Stmt, Type, UnaryOp, Value,
};

use super::flow::CHANGING;
use super::format::{Part, parts};
use super::tree::{self, Comparison, ExprKind, Name, Op, Piece, StmtKind};
use crate::diagnostic::{Code, Diagnostic, nearest};

/// What kind of block is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Decides, changes nothing.
    Guard,
    /// Success, failure, or an event's block without `return`.
    Update,
    /// The first values of the environment.
    Initialization,
    /// A companion function.
    Function,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A variable of the environment.
    Environment(Place),
    /// A parameter of the event or of the slice.
    Given(Expr, Type),
    /// A constant of the companion file.
    Constant(Expr, Type),
    /// A variable of this block.
    Local(LocalId),
}

/// A function that can be called.
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    pub id: FunctionId,
    pub params: usize,
    /// Whether it prints, or calls one that does.
    pub prints: bool,
}

/// What is known of the types of variables: of the environment under scope 0, of blocks under
/// scopes of their own. It only ever grows less certain, so asking again ends.
#[derive(Clone, Debug, Default)]
pub struct Types {
    known: BTreeMap<(usize, String), Type>,
    pub changed: bool,
}

impl Types {
    pub fn get(&self, scope: usize, name: &str) -> Option<Type> {
        self.known.get(&(scope, name.to_string())).copied()
    }

    pub fn join(&mut self, scope: usize, name: &str, ty: Type) {
        let known = self.known.entry((scope, name.to_string())).or_insert_with(|| {
            self.changed = true;
            ty
        });
        if *known != ty && *known != Type::Any {
            *known = Type::Any;
            self.changed = true;
        }
    }

    /// Nothing is certain any more.
    pub fn give_up(&mut self) {
        self.known.values_mut().for_each(|ty| *ty = Type::Any);
    }
}

/// An expression with what is known of its type.
#[derive(Clone, Debug)]
struct Typed {
    expr: Expr,
    ty: Type,
}

/// Compiles blocks.
pub struct Lowering<'a> {
    pub mode: Mode,
    /// Where [`Types`] keeps the types of the block's own variables.
    pub scope: usize,
    pub names: BTreeMap<String, Binding>,
    pub functions: &'a BTreeMap<String, Callee>,
    pub types: &'a mut Types,
    pub next_local: u32,
    pub said: &'a mut Vec<Diagnostic>,
}

/// Elements of elements that are assigned to nest no deeper.
const MAX_ELEMENTS: usize = 4;

const NULL: Expr = Expr::Const(Value::Null);

impl Lowering<'_> {
    /// The statements of a block.
    pub fn block(&mut self, stmts: &[tree::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in stmts {
            self.stmt(stmt, &mut out);
        }
        out
    }

    /// A guard: the expression of a single `return`, or a block.
    pub fn guard(&mut self, stmts: &[tree::Stmt]) -> Expr {
        if let [tree::Stmt { kind: StmtKind::Return(Some(value)), .. }] = stmts {
            return self.returned(value);
        }
        Expr::Block(self.block(stmts))
    }

    /// An expression.
    pub fn value(&mut self, e: &tree::Expr) -> (Expr, Type) {
        let Typed { expr, ty } = self.expr(e);
        (expr, ty)
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.said.push(Diagnostic::error(code, span, message));
    }

    fn outside(&mut self, span: Span, message: impl Into<String>, why: &str) {
        self.said.push(Diagnostic::error(Code::VerdePython, span, message).rule(why));
    }

    fn temporary(&mut self) -> LocalId {
        self.next_local += 1;
        LocalId(self.next_local - 1)
    }

    fn local(&mut self, name: &str) -> LocalId {
        if let Some(Binding::Local(id)) = self.names.get(name) {
            return *id;
        }
        let id = self.temporary();
        self.names.insert(name.to_string(), Binding::Local(id));
        id
    }

    /// Uses a value several times but computes it once.
    fn once(&mut self, value: Expr, build: impl FnOnce(&mut Self, Expr) -> Expr) -> Expr {
        if matches!(value, Expr::Const(_) | Expr::Read(_)) {
            return build(self, value);
        }
        let local = Place::Local(self.temporary());
        let built = build(self, Expr::Read(local));
        Expr::Block(vec![Stmt::Assign(local, value), Stmt::Return(Some(built))])
    }

    // Statements.

    fn stmt(&mut self, stmt: &tree::Stmt, out: &mut Vec<Stmt>) {
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
                    self.outside(stmt.span, "nothing waits for a value here", why);
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
    fn returned(&mut self, e: &tree::Expr) -> Expr {
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
            return self.outside(target.span, message, "use a dict with longer keys");
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
                        .rule("a block with `return` decides; it changes nothing")
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
                            self.outside(e.span, "what is cleared is not known", why);
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
    fn says_something(&mut self, span: Span, what: &str) {
        match self.mode {
            Mode::Guard => self.said.push(
                Diagnostic::error(Code::VerdeGuardEffect, span, format!("this guard {what}"))
                    .rule("a block with `return` decides; it does nothing")
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
            let message = format!("this is a value of type {}, not a list", list.ty);
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
                let why = "`pop` takes the last element, or the one that is named";
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
                    let why = "whether the loop counts up or down must be known";
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

    // Expressions.

    /// The truth of a value, as Python has it.
    fn condition(&mut self, e: &tree::Expr) -> Expr {
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
            Type::Int | Type::Float => differs(value.expr, Value::Int(0)),
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

    fn expr(&mut self, e: &tree::Expr) -> Typed {
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
                    self.error(Code::TypeMismatch, operand.span, "`~` is for whole numbers");
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

    fn no_elements(&mut self, span: Span, ty: Type) {
        let message = format!("a value of type {ty} has no elements here");
        self.said.push(
            Diagnostic::error(Code::TypeMismatch, span, message)
                .rule("lists and dicts have elements; characters of a text are not taken out"),
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
                            "names are the event's and the slice's parameters and what is assigned",
                        )
                        .did_you_mean(near.as_deref()),
                );
                Typed { expr: NULL, ty: Type::Any }
            }
        }
    }

    /// A number; truth values count.
    fn number(&mut self, e: &tree::Expr) -> Typed {
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
                    format!("a value of type {ty} is no number"),
                );
                if ty == Type::Ptr {
                    said = said.help("`int(p)` is the address as a number");
                }
                self.said.push(said);
                Typed { expr: value.expr, ty: Type::Any }
            }
        }
    }

    fn binary(
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
                        let why = "add a list of elements that are written out, or `append`";
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
            let why = "the text before `%` is written out";
            self.outside(span, "a text that is not known cannot be formatted with `%`", why);
            return Typed { expr: a.expr, ty: Type::Str };
        }
        let a = self.as_number(a, span);
        let b = self.as_number(b, span);
        let whole = matches!(op, Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr);
        if whole && (a.ty == Type::Float || b.ty == Type::Float) {
            self.error(Code::TypeMismatch, span, "bits are those of whole numbers");
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
                    let message = format!("nothing is in a value of type {}", b.ty);
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
    fn index(&mut self, base: &Typed, index: &tree::Expr) -> Expr {
        let key = self.expr(index);
        let from_end = |length_of: Expr, i: Expr| binary(BinaryOp::Add, length(length_of), i);
        let negative = matches!(&index.kind, ExprKind::Negate(inner) if matches!(inner.kind, ExprKind::Int(_)));
        match base.ty {
            Type::List | Type::Any if negative => from_end(base.expr.clone(), key.expr),
            Type::List => {
                if !matches!(key.ty, Type::Int | Type::Any) {
                    let message =
                        format!("elements of a list are numbered, not named by {}", key.ty);
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

    // Calls.

    fn wrong_count(&mut self, name: &Name, found: usize) {
        let message = format!("`{}` does not take {found} argument(s)", name.text);
        self.error(Code::WrongCount, name.span, message);
    }

    fn call(&mut self, name: &Name, args: &[tree::Expr], span: Span) -> Typed {
        let nothing = Typed { expr: NULL, ty: Type::Any };
        if let Some(callee) = self.functions.get(&name.text).copied() {
            if callee.params != args.len() {
                let message = format!(
                    "`{}` takes {} argument(s), not {}",
                    name.text,
                    callee.params,
                    args.len()
                );
                self.error(Code::WrongCount, span, message);
            }
            if callee.prints {
                self.says_something(span, &format!("calls `{}`, which prints", name.text));
            }
            let args = args.iter().map(|arg| self.expr(arg).expr).collect();
            return Typed { expr: Expr::Call(callee.id, args), ty: Type::Any };
        }
        match (name.text.as_str(), args) {
            ("print", _) => {
                self.outside(span, "`print` gives no value", "write it as a statement");
                nothing
            }
            ("range", _) => {
                let why = "a range stands after `in` of a loop";
                self.outside(span, "a range is no value in the subset", why);
                nothing
            }
            ("str", [value]) => {
                let value = self.expr(value);
                Typed { expr: self.shown(value), ty: Type::Str }
            }
            ("len", [value]) => {
                let argument = self.expr(value);
                if !matches!(argument.ty, Type::Str | Type::List | Type::Map | Type::Any) {
                    let message = format!("a value of type {} has no length", argument.ty);
                    self.error(Code::TypeMismatch, value.span, message);
                }
                Typed { expr: length(argument.expr), ty: Type::Int }
            }
            ("int", [value]) => {
                let value = self.expr(value);
                if value.ty == Type::Int {
                    return value;
                }
                Typed { expr: Expr::Builtin(Builtin::ToInt, vec![value.expr]), ty: Type::Int }
            }
            ("float", [value]) => {
                let value = self.expr(value);
                Typed { expr: Expr::Builtin(Builtin::ToFloat, vec![value.expr]), ty: Type::Float }
            }
            ("bool", [value]) => {
                let truth = self.condition(value);
                Typed { expr: truth, ty: Type::Bool }
            }
            ("abs", [value]) => {
                let value = self.number(value);
                Typed { expr: Expr::Builtin(Builtin::Abs, vec![value.expr]), ty: value.ty }
            }
            ("min" | "max", [first, rest @ ..]) if !rest.is_empty() => {
                let builtin = if name.text == "min" { Builtin::Min } else { Builtin::Max };
                let mut best = self.number(first);
                for other in rest {
                    let other = self.number(other);
                    let ty = if best.ty == other.ty { best.ty } else { Type::Any };
                    best = Typed { expr: Expr::Builtin(builtin, vec![best.expr, other.expr]), ty };
                }
                best
            }
            ("str" | "len" | "int" | "float" | "bool" | "abs" | "min" | "max", _) => {
                self.wrong_count(name, args.len());
                nothing
            }
            _ => {
                let built_in =
                    ["print", "str", "len", "int", "float", "bool", "abs", "min", "max", "range"];
                let known = self.functions.keys().map(String::as_str).chain(built_in);
                let near = nearest(&name.text, known).map(str::to_string);
                let message = format!("there is no function `{}`", name.text);
                self.said.push(
                    Diagnostic::error(Code::UnknownFunction, name.span, message)
                        .rule("functions come from the companion file, `--functions FILE`")
                        .did_you_mean(near.as_deref()),
                );
                nothing
            }
        }
    }

    fn method(&mut self, receiver: &tree::Expr, name: &Name, args: &[tree::Expr]) -> Typed {
        if CHANGING.contains(&name.text.as_str()) {
            let why = "it changes what it is called on; write it as a statement of its own";
            self.outside(name.span, format!("`{}` inside of an expression", name.text), why);
            return Typed { expr: NULL, ty: Type::Any };
        }
        let base = self.expr(receiver);
        let mut given: Vec<Expr> = args.iter().map(|arg| self.expr(arg).expr).collect();
        let text = |builtin: Builtin, ty: Type, given: Vec<Expr>| {
            let args = std::iter::once(base.expr.clone()).chain(given).collect();
            Typed { expr: Expr::Builtin(builtin, args), ty }
        };
        match (name.text.as_str(), given.len()) {
            ("startswith", 1) => text(Builtin::StartsWith, Type::Bool, given),
            ("endswith", 1) => text(Builtin::EndsWith, Type::Bool, given),
            ("lower", 0) => text(Builtin::Lower, Type::Str, given),
            ("upper", 0) => text(Builtin::Upper, Type::Str, given),
            ("keys", 0) => text(Builtin::Keys, Type::List, given),
            ("get", 1 | 2) => {
                let default = if given.len() == 2 { given.pop().unwrap_or(NULL) } else { NULL };
                let key = given.pop().unwrap_or(NULL);
                let expr = self.once(key, |_, key| {
                    let pair = vec![base.expr.clone(), key];
                    let there = Expr::Builtin(Builtin::Contains, pair.clone());
                    choose(there, Expr::Builtin(Builtin::Get, pair), default)
                });
                Typed { expr, ty: Type::Any }
            }
            ("startswith" | "endswith" | "lower" | "upper" | "keys" | "get", found) => {
                self.wrong_count(name, found);
                Typed { expr: NULL, ty: Type::Any }
            }
            _ => {
                let why =
                    "methods are append, pop, clear, get, keys, startswith, endswith, lower, upper";
                self.outside(name.span, format!("`{}` is not in the subset", name.text), why);
                Typed { expr: NULL, ty: Type::Any }
            }
        }
    }

    // Texts.

    /// `str(x)`.
    fn shown(&mut self, value: Typed) -> Expr {
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

    fn pieces(&mut self, pieces: &[Piece]) -> Typed {
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
    fn formatted(&mut self, left: &tree::Expr, right: &tree::Expr) -> Typed {
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

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// Two texts, or a text and what is shown of a value.
fn concat(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Add, left, right)
}

fn not(truth: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(truth))
}

fn choose(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise))
}

fn length(value: Expr) -> Expr {
    Expr::Builtin(Builtin::Len, vec![value])
}
