//! Translates Java to Watchword's expressions and statements.
//!
//! `int` arithmetic wraps at 32 bits. `==` compares texts by content, as `equals` does. Containers
//! are values, so a method that changes one becomes an assignment.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use watchword_model::{BinaryOp, Span, UnaryOp, Value};

use super::tree::{self, ExprKind as J, Name, Operator, StmtKind as S, TypeName};
use super::types::Ty;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::tree as ww;

/// Names and their meanings, innermost last.
pub type Names = Vec<Known>;

/// Why the variable of a FOREACH cannot be assigned to.
pub const OF_FOREACH: &str = "is the variable of the FOREACH";

/// A variable, parameter or local of a script.
#[derive(Clone, Debug)]
pub struct Known {
    /// The name in the script. If several variables have it, the innermost one is meant.
    pub name: String,
    /// The name in Watchword's language, which has no hiding.
    pub own: String,
    /// Its type.
    pub ty: Ty,
    /// The reason if it cannot be assigned to.
    pub fixed: Option<&'static str>,
}

impl Known {
    /// A variable that keeps its name.
    pub fn new(name: &str, ty: Ty) -> Known {
        Known { name: name.to_string(), own: name.to_string(), ty, fixed: None }
    }

    /// A variable that cannot be assigned to.
    pub fn fixed(name: &str, ty: Ty, why: &'static str) -> Known {
        Known { fixed: Some(why), ..Known::new(name, ty) }
    }
}

/// The names that code may use besides variables.
#[derive(Clone, Default)]
pub struct Outside {
    /// Methods of METHODS: their names in Watchword's language, and their result types.
    pub methods: HashMap<String, (String, Ty)>,
    /// Clocks in scope.
    pub clocks: Vec<String>,
    /// Channels in scope: their names in Watchword's language, and the parameters of the declaring
    /// context.
    pub channels: HashMap<String, (String, Vec<String>)>,
    /// Methods that are called somewhere; all scopes share this set.
    pub called: Rc<RefCell<HashSet<String>>>,
}

/// The name, or a similar one that is not taken.
pub fn free(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut free = name.to_string();
    while taken(&free) {
        free.push('_');
    }
    free
}

/// A translation in progress.
pub struct Translation<'a> {
    /// The names that it may use.
    pub outside: &'a Outside,
    /// Variables, parameters and locals.
    pub names: Names,
    /// The diagnostics.
    pub diagnostics: &'a mut Vec<Diagnostic>,
    /// The updates of the enclosing `for` loops, for `continue`.
    updates: Vec<Option<Vec<ww::Stmt>>>,
    /// Adds a term of the program to the event, if there is an event; returns its name.
    pub bring: Option<Bring<'a>>,
}

/// Adds a term of the program to an event; returns its name there.
pub type Bring<'a> = Box<dyn FnMut(&tree::Expr) -> Option<Name> + 'a>;

/// Methods of values of a monitor; they are not called in the program.
const OF_VALUES: [&str; 19] = [
    "equals",
    "size",
    "length",
    "isEmpty",
    "contains",
    "containsKey",
    "get",
    "keySet",
    "startsWith",
    "endsWith",
    "toLowerCase",
    "toUpperCase",
    "toString",
    "intValue",
    "longValue",
    "doubleValue",
    "booleanValue",
    "add",
    "put",
];

fn expr(kind: ww::ExprKind, span: Span, depth: u32) -> ww::Expr {
    ww::Expr { kind, span, depth }
}

/// A value as an expression.
pub fn constant(value: Value, span: Span) -> ww::Expr {
    expr(ww::ExprKind::Const(value), span, 1)
}

/// A name as an expression.
pub fn named(text: &str, span: Span) -> ww::Expr {
    expr(ww::ExprKind::Name(text.to_string()), span, 1)
}

fn call(function: &str, args: Vec<ww::Expr>, span: Span) -> ww::Expr {
    let depth = args.iter().map(|a| a.depth).max().unwrap_or(0) + 1;
    expr(ww::ExprKind::Call(Name { text: function.to_string(), span }, args), span, depth)
}

fn binary(op: BinaryOp, left: ww::Expr, right: ww::Expr, span: Span) -> ww::Expr {
    let depth = left.depth.max(right.depth) + 1;
    expr(ww::ExprKind::Binary(op, Box::new(left), Box::new(right)), span, depth)
}

/// The conjunction of two conditions, either of which may be missing.
pub fn both(left: Option<ww::Expr>, right: Option<ww::Expr>) -> Option<ww::Expr> {
    match (left, right) {
        (Some(left), Some(right)) => {
            let (span, depth) = (right.span, left.depth.max(right.depth) + 1);
            Some(expr(ww::ExprKind::And(Box::new(left), Box::new(right)), span, depth))
        }
        (one, other) => one.or(other),
    }
}

fn statement(kind: ww::StmtKind, span: Span) -> ww::Stmt {
    ww::Stmt { kind, span }
}

/// The value of a variable that is declared without one.
pub fn initial(ty: Ty, span: Span) -> Option<ww::Expr> {
    match ty {
        Ty::List => Some(expr(ww::ExprKind::List(Vec::new()), span, 1)),
        Ty::Map => Some(expr(ww::ExprKind::Map(Vec::new()), span, 1)),
        _ => None,
    }
}

impl<'a> Translation<'a> {
    /// A translation with these names.
    pub fn new(
        outside: &'a Outside,
        names: Names,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Translation<'a> {
        Translation { outside, names, diagnostics, updates: Vec::new(), bring: None }
    }

    fn known(&self, name: &str) -> Option<&Known> {
        match name.rsplit_once("::") {
            None => self.names.iter().rev().find(|known| known.name == name),
            // `u::a::count`: the variable `count` of the FOREACH of `a`, whatever hides it.
            Some((path, name)) => {
                let each = path.rsplit("::").next()?;
                let is_each = |known: &Known| known.name == each && known.fixed == Some(OF_FOREACH);
                let at = self.names.iter().position(is_each)?;
                self.names[at..].iter().find(|known| known.name == name)
            }
        }
    }

    /// A local; it may hide others.
    fn declare(&mut self, name: &Name, ty: Ty) -> Name {
        let own = free(&name.text, |text| self.names.iter().any(|known| known.own == text));
        self.names.push(Known { own: own.clone(), ..Known::new(&name.text, ty) });
        Name { text: own, span: name.span }
    }

    /// The meaning of a name; reports a diagnostic if there is none.
    fn resolve(&mut self, name: &str, span: Span) -> Option<Known> {
        let found = self.known(name).cloned();
        if found.is_none() {
            let clock = self.outside.clocks.iter().any(|c| c == name);
            let channel = self.outside.channels.contains_key(name);
            let near = nearest(name, self.names.iter().map(|known| known.name.as_str()));
            let mut error = Diagnostic::error(
                Code::UnknownName,
                span,
                match (clock, channel) {
                    (true, _) => format!("the clock `{name}` is not a value"),
                    (_, true) => format!("the channel `{name}` is not a value"),
                    _ => format!("`{name}` is not known here"),
                },
            )
            .rule(
                "known names are VARIABLES, the variables of the FOREACHs around, parameters of the event, and local variables",
            );
            error = match near {
                Some(near) => error.did_you_mean(Some(near)),
                None if clock => error.help("use it in an event: `tick() = {c@5}`"),
                None if channel => {
                    error.help("receive from it in an event: `r(x) = {c.receive(x)}`")
                }
                None => error.help(format!(
                    "declare it in VARIABLES, or make it a parameter of the event: `e(int {name}) = …`"
                )),
            };
            self.diagnostics.push(error);
        }
        found
    }

    /// The meaning of a name that is assigned to; reports a diagnostic if this is not allowed.
    fn assignable(&mut self, name: &str, span: Span) -> Option<Known> {
        let known = self.resolve(name, span)?;
        if let Some(why) = known.fixed {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::NotAssignable,
                    span,
                    format!("`{name}` {why} and cannot be changed"),
                )
                .help("declare a variable in VARIABLES, or a local, and assign to that"),
            );
            return None;
        }
        Some(known)
    }

    fn refuse(&mut self, span: Span, message: impl Into<String>, help: &str) -> (ww::Expr, Ty) {
        self.diagnostics.push(
            Diagnostic::error(Code::LarvaSubset, span, message)
                .help_if((!help.is_empty()).then(|| help.to_string())),
        );
        (expr(ww::ExprKind::Error, span, 1), Ty::Object)
    }

    /// An expression.
    pub fn expr(&mut self, e: &tree::Expr) -> (ww::Expr, Ty) {
        let span = e.span;
        match &e.kind {
            J::Int(value, long) => {
                (constant(Value::Int(*value), span), if *long { Ty::Long } else { Ty::Int })
            }
            J::Float(value) => (constant(Value::Float(*value), span), Ty::Double),
            J::Text(text) => (constant(Value::str(text), span), Ty::Text),
            J::Char(c) => (constant(Value::Int(i64::from(u32::from(*c))), span), Ty::Int),
            J::Bool(b) => (constant(Value::Bool(*b), span), Ty::Bool),
            J::Null => (constant(Value::Null, span), Ty::Object),
            J::Name(name) => match self.resolve(name, span) {
                Some(known) => (named(&known.own, span), known.ty),
                None => (expr(ww::ExprKind::Error, span, 1), Ty::Object),
            },
            J::Unary(op, operand) => {
                let (inner, ty) = self.expr(operand);
                let depth = inner.depth + 1;
                let unary = expr(ww::ExprKind::Unary(*op, Box::new(inner)), span, depth);
                match op {
                    UnaryOp::Not => (unary, Ty::Bool),
                    _ if ty == Ty::Int => (call("wrap32", vec![unary], span), Ty::Int),
                    _ => (unary, ty),
                }
            }
            J::Binary(op, left, right) => self.binary(*op, left, right, span),
            J::Choice(condition, then, otherwise) => {
                let condition = self.expr(condition).0;
                let (then, a) = self.expr(then);
                let (otherwise, b) = self.expr(otherwise);
                (self.choice(condition, then, otherwise, span), a.joined(b))
            }
            J::Cast(ty, operand) => self.cast(ty, operand, span),
            J::Index(container, index) => {
                let (container, ty) = self.expr(container);
                let index = self.expr(index).0;
                if ty != Ty::List {
                    return self.refuse(span, "only lists have elements here", "use a `List`");
                }
                (self.at(container, index, span), Ty::Object)
            }
            J::New(ty, args) => match (Ty::of(ty), args.len()) {
                (of @ (Ty::List | Ty::Map), 0) => {
                    (initial(of, span).unwrap_or_else(|| constant(Value::Null, span)), of)
                }
                _ => self.refuse(
                    span,
                    format!("a script cannot create a `{}`", ty.name),
                    "only lists and maps can be created: `new ArrayList()`, `new HashMap()`",
                ),
            },
            J::Field(target, field) => self.field(target, field, span),
            J::Call(None, method, args) => {
                let args = args.iter().map(|a| self.expr(a).0).collect();
                let Some((own, ty)) = self.outside.methods.get(&method.text).cloned() else {
                    return self.refuse(
                        method.span,
                        format!("there is no method `{}` in METHODS", method.text),
                        "write it there, in the Java subset for scripts",
                    );
                };
                self.outside.called.borrow_mut().insert(method.text.clone());
                (call(&own, args, span), ty)
            }
            J::Call(Some(target), method, args) => self.method(target, method, args, span),
            J::Assign(..) | J::Step(..) => self.refuse(
                span,
                "an assignment inside an expression",
                "assign in a statement of its own",
            ),
        }
    }

    fn choice(
        &self,
        condition: ww::Expr,
        then: ww::Expr,
        otherwise: ww::Expr,
        span: Span,
    ) -> ww::Expr {
        let depth = condition.depth.max(then.depth).max(otherwise.depth) + 1;
        let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
        expr(ww::ExprKind::If(condition, then, otherwise), span, depth)
    }

    fn at(&self, container: ww::Expr, key: ww::Expr, span: Span) -> ww::Expr {
        let depth = container.depth.max(key.depth) + 1;
        expr(ww::ExprKind::Index(Box::new(container), Box::new(key)), span, depth)
    }

    fn binary(
        &mut self,
        op: Operator,
        left: &tree::Expr,
        right: &tree::Expr,
        span: Span,
    ) -> (ww::Expr, Ty) {
        if let Operator::Plain(op) = op
            && let Some((shown, other)) = self.compared_clock(op, left, right)
        {
            return (binary(op, shown, other, span), Ty::Bool);
        }
        let (left, a) = self.expr(left);
        let (right, b) = self.expr(right);
        let depth = left.depth.max(right.depth) + 1;
        let op = match op {
            Operator::And => {
                return (
                    expr(ww::ExprKind::And(Box::new(left), Box::new(right)), span, depth),
                    Ty::Bool,
                );
            }
            Operator::Or => {
                return (
                    expr(ww::ExprKind::Or(Box::new(left), Box::new(right)), span, depth),
                    Ty::Bool,
                );
            }
            Operator::Plain(op) => op,
        };
        self.plain(op, left, a, right, b, span)
    }

    /// Both sides of `c.compareTo(5) >= 0`, in milliseconds.
    fn compared_clock(
        &mut self,
        op: BinaryOp,
        left: &tree::Expr,
        right: &tree::Expr,
    ) -> Option<(ww::Expr, ww::Expr)> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let (J::Call(Some(target), method, args), J::Int(0, _)) = (&left.kind, &right.kind) else {
            return None;
        };
        let clock = self.clock(target)?;
        let [other] = args.as_slice() else { return None };
        if !matches!(op, Eq | Ne | Lt | Le | Gt | Ge) {
            return None;
        }
        let factor = match method.text.as_str() {
            "compareTo" => 1000,
            "compareToMillis" => 1,
            _ => return None,
        };
        let (other, ty) = self.expr(other);
        let span = left.span;
        let other = match (factor, ty) {
            (1, _) => other,
            (_, Ty::Int | Ty::Long) => {
                binary(BinaryOp::Mul, other, constant(Value::Int(factor), span), span)
            }
            _ => {
                let float = constant(Value::Float(factor as f64), span);
                call("int", vec![binary(BinaryOp::Mul, other, float, span)], span)
            }
        };
        Some((milliseconds(named(&clock, span), span), other))
    }

    /// The name of the clock that an expression is, in Watchword's language.
    fn clock(&self, e: &tree::Expr) -> Option<String> {
        let J::Name(name) = &e.kind else { return None };
        let is_hidden = self.known(name).is_some();
        (!is_hidden && self.outside.clocks.contains(name)).then(|| name.clone())
    }

    /// An operator on values whose types are known.
    fn plain(
        &mut self,
        op: BinaryOp,
        left: ww::Expr,
        a: Ty,
        right: ww::Expr,
        b: Ty,
        span: Span,
    ) -> (ww::Expr, Ty) {
        use BinaryOp::{
            Add, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shl, Shr, Sub,
        };
        if a == Ty::Bool && b == Ty::Bool {
            let depth = left.depth.max(right.depth) + 1;
            let (left_box, right_box) = (Box::new(left.clone()), Box::new(right.clone()));
            match op {
                BitAnd => {
                    return (expr(ww::ExprKind::And(left_box, right_box), span, depth), Ty::Bool);
                }
                BitOr => {
                    return (expr(ww::ExprKind::Or(left_box, right_box), span, depth), Ty::Bool);
                }
                BitXor => return (binary(Ne, left, right, span), Ty::Bool),
                _ => {}
            }
        }
        let ty = match op {
            Eq | Ne | Lt | Le | Gt | Ge => Ty::Bool,
            Shl | Shr => a,
            _ => a.joined(b),
        };
        // Java uses only the lower bits of the distance.
        let right = match (op, a) {
            (Shl | Shr, Ty::Int | Ty::Long) => {
                let mask = if a == Ty::Int { 31 } else { 63 };
                binary(BitAnd, right, constant(Value::Int(mask), span), span)
            }
            _ => right,
        };
        let result = binary(op, left, right, span);
        match (op, ty) {
            (Add | Sub | Mul | Div | Shl, Ty::Int) => (call("wrap32", vec![result], span), ty),
            (Add | Sub | Mul | Div | Rem | Shl | Shr | BitAnd | BitOr | BitXor, _) => (result, ty),
            _ => (result, ty),
        }
    }

    fn cast(&mut self, ty: &TypeName, operand: &tree::Expr, span: Span) -> (ww::Expr, Ty) {
        let (operand, from) = self.expr(operand);
        match (ty.name.as_str(), Ty::of(ty)) {
            ("int", _) if from == Ty::Int => (operand, Ty::Int),
            ("int", _) => {
                let whole = call("int", vec![operand], span);
                (call("wrap32", vec![whole], span), Ty::Int)
            }
            ("long", _) => (call("int", vec![operand], span), Ty::Long),
            ("double" | "float", _) => (call("float", vec![operand], span), Ty::Double),
            ("short" | "byte" | "char", _) => {
                self.refuse(span, format!("a cast to `{}`", ty.name), "cast to `int`")
            }
            // A cast does not change an object.
            (_, to) => (operand, to),
        }
    }

    fn field(&mut self, target: &tree::Expr, field: &Name, span: Span) -> (ww::Expr, Ty) {
        let path = dotted(target).map(|p| format!("{p}.{}", field.text));
        let known = match path.as_deref() {
            Some("Integer.MAX_VALUE") => Some((i64::from(i32::MAX), Ty::Int)),
            Some("Integer.MIN_VALUE") => Some((i64::from(i32::MIN), Ty::Int)),
            Some("Long.MAX_VALUE") => Some((i64::MAX, Ty::Long)),
            Some("Long.MIN_VALUE") => Some((i64::MIN, Ty::Long)),
            _ => None,
        };
        let kind = J::Field(Box::new(target.clone()), field.clone());
        match known {
            Some((value, ty)) => (constant(Value::Int(value), span), ty),
            None => match self.brought(kind, span) {
                Some(found) => found,
                None => self.refuse(
                    span,
                    "a field of the program",
                    "pass it with the event: `where x = target.field;` with a parameter `x`",
                ),
            },
        }
    }

    /// Whether an expression may be an object of the program, as far as its type says.
    fn is_object(&self, e: &tree::Expr) -> bool {
        match &e.kind {
            J::Name(name) => self.known(name).is_some_and(|known| known.ty == Ty::Object),
            J::Field(..) | J::Call(Some(_), ..) => true,
            _ => false,
        }
    }

    /// The name of a term of the program, if the event can supply it.
    fn brought(&mut self, kind: J, span: Span) -> Option<(ww::Expr, Ty)> {
        let term = tree::Expr { kind, span };
        let name = self.bring.as_mut()?(&term)?;
        Some((named(&name.text, span), Ty::Object))
    }

    fn method(
        &mut self,
        target: &tree::Expr,
        method: &Name,
        args: &[tree::Expr],
        span: Span,
    ) -> (ww::Expr, Ty) {
        let path = dotted(target);
        let name = method.text.as_str();
        // An expression that begins with a class is evaluated in the program, and so are members of
        // objects that values do not have.
        let of_class = path.as_deref().is_some_and(|p| {
            p.contains('.') && p.starts_with(char::is_uppercase) && self.known(p).is_none()
        });
        // Only the program knows what its objects are as texts; numbers and texts are values.
        let is_shown = name == "toString" && self.is_object(target);
        if of_class || is_shown || !OF_VALUES.contains(&name) {
            let kind = J::Call(Some(Box::new(target.clone())), method.clone(), args.to_vec());
            if let Some(found) = self.brought(kind, span) {
                return found;
            }
        }
        let translated: Vec<(ww::Expr, Ty)> = args.iter().map(|a| self.expr(a)).collect();
        let types: Vec<Ty> = translated.iter().map(|(_, ty)| *ty).collect();
        let mut values = translated.into_iter().map(|(e, _)| e);
        if let Some(clock) = self.clock(target) {
            let shown = milliseconds(named(&clock, span), span);
            return match (name, args.len()) {
                ("current_long", 0) => (shown, Ty::Long),
                ("current", 0) => {
                    let float = call("float", vec![shown], span);
                    let seconds = constant(Value::Float(1000.0), span);
                    (binary(BinaryOp::Div, float, seconds, span), Ty::Double)
                }
                _ => self.refuse(
                    method.span,
                    format!("the clock's `{name}` as a value"),
                    "write `c.current()`, the seconds since it was started, or compare: `c.compareTo(5) >= 0`",
                ),
            };
        }
        if (path.as_deref(), name, args.len()) == (Some("System"), "currentTimeMillis", 0) {
            return (milliseconds(named("now", span), span), Ty::Long);
        }
        if path.as_deref() == Some("Math") {
            let ty = types.iter().copied().reduce(Ty::joined).unwrap_or(Ty::Object);
            if matches!((name, args.len()), ("abs", 1) | ("min" | "max", 2)) {
                return (call(name, values.collect(), span), ty);
            }
            return self.refuse(
                method.span,
                format!("`Math.{name}`"),
                "`abs`, `min` and `max` are known",
            );
        }
        match (path.as_deref(), name, args.len()) {
            (Some("Integer"), "parseInt" | "valueOf", 1) => {
                return (call("int", values.collect(), span), Ty::Int);
            }
            (Some("Long"), "parseLong" | "valueOf", 1) => {
                return (call("int", values.collect(), span), Ty::Long);
            }
            (Some("Double"), "parseDouble" | "valueOf", 1) => {
                return (call("float", values.collect(), span), Ty::Double);
            }
            (Some("String"), "valueOf", 1) => {
                return (call("string", values.collect(), span), Ty::Text);
            }
            _ => {}
        }
        let (object, ty) = self.expr(target);
        let mut with = |object: ww::Expr, function: &str| {
            let mut all = vec![object];
            all.extend(&mut values);
            call(function, all, span)
        };
        match (name, args.len()) {
            ("equals", 1) => {
                let other = values.next().unwrap_or_else(|| constant(Value::Null, span));
                (binary(BinaryOp::Eq, object, other, span), Ty::Bool)
            }
            ("size", 0) | ("length", 0) => (call("len", vec![object], span), Ty::Int),
            ("isEmpty", 0) => {
                let length = call("len", vec![object], span);
                (binary(BinaryOp::Eq, length, constant(Value::Int(0), span), span), Ty::Bool)
            }
            ("contains" | "containsKey", 1) => (with(object, "contains"), Ty::Bool),
            ("get", 1) if ty == Ty::Map => {
                // Java returns null for a missing key.
                let key = values.next().unwrap_or_else(|| constant(Value::Null, span));
                let there = call("contains", vec![object.clone(), key.clone()], span);
                let found = self.at(object, key, span);
                (self.choice(there, found, constant(Value::Null, span), span), Ty::Object)
            }
            ("get", 1) if ty == Ty::List => {
                let key = values.next().unwrap_or_else(|| constant(Value::Null, span));
                (self.at(object, key, span), Ty::Object)
            }
            ("keySet", 0) if ty == Ty::Map => (call("keys", vec![object], span), Ty::List),
            ("startsWith", 1) => (with(object, "starts_with"), Ty::Bool),
            ("endsWith", 1) => (with(object, "ends_with"), Ty::Bool),
            ("toLowerCase", 0) => (call("lower", vec![object], span), Ty::Text),
            ("toUpperCase", 0) => (call("upper", vec![object], span), Ty::Text),
            ("toString", 0) => (call("string", vec![object], span), Ty::Text),
            ("intValue", 0) | ("longValue", 0) | ("doubleValue", 0) | ("booleanValue", 0) => {
                (object, ty)
            }
            _ => self.refuse(
                method.span,
                format!("`{name}` of an object of the program cannot be called by the monitor"),
                "pass its result with the event: `where x = target.method();` with a parameter `x`",
            ),
        }
    }

    /// A block of statements. Its declarations end with it.
    pub fn block(&mut self, statements: &[tree::Stmt]) -> Vec<ww::Stmt> {
        let outside = self.names.len();
        let mut out = Vec::new();
        for s in statements {
            self.statement(s, &mut out);
        }
        self.names.truncate(outside);
        out
    }

    fn statement(&mut self, s: &tree::Stmt, out: &mut Vec<ww::Stmt>) {
        let span = s.span;
        let kind = match &s.kind {
            S::Expr(e) => {
                if let Some(kind) = self.effect(e) {
                    out.push(statement(kind, span));
                }
                return;
            }
            S::Local(ty, name, init) => {
                let of = Ty::of(ty);
                let init = init.as_ref().map(|e| self.value(e, of)).or_else(|| initial(of, span));
                let name = self.declare(name, of);
                ww::StmtKind::Var(ww::Var { name, ty: of.name(ty.span), init })
            }
            S::If(condition, then, otherwise) => {
                let condition = self.expr(condition).0;
                ww::StmtKind::If(condition, self.block(then), self.block(otherwise))
            }
            S::While(condition, body) => {
                let condition = self.expr(condition).0;
                self.updates.push(None);
                let body = self.block(body);
                self.updates.pop();
                ww::StmtKind::While(condition, body)
            }
            S::For(init, condition, update, body) => {
                self.for_loop(init, condition.as_ref(), update, body, span, out);
                return;
            }
            S::ForEach(ty, name, list, body) => {
                let list = self.expr(list).0;
                let outside = self.names.len();
                let name = self.declare(name, Ty::of(ty));
                self.updates.push(None);
                let body = self.block(body);
                self.updates.pop();
                self.names.truncate(outside);
                ww::StmtKind::For(name, list, body)
            }
            S::Return(value) => ww::StmtKind::Return(value.as_ref().map(|e| self.expr(e).0)),
            S::Break => ww::StmtKind::Break,
            S::Continue => {
                if let Some(Some(update)) = self.updates.last() {
                    out.extend(update.iter().cloned());
                }
                ww::StmtKind::Continue
            }
            S::Block(body) => {
                // A block of its own, so that its declarations can be repeated elsewhere.
                ww::StmtKind::If(constant(Value::Bool(true), span), self.block(body), Vec::new())
            }
        };
        out.push(statement(kind, span));
    }

    fn for_loop(
        &mut self,
        init: &[tree::Stmt],
        condition: Option<&tree::Expr>,
        update: &[tree::Stmt],
        body: &[tree::Stmt],
        span: Span,
        out: &mut Vec<ww::Stmt>,
    ) {
        let outside = self.names.len();
        let mut inside = Vec::new();
        for s in init {
            self.statement(s, &mut inside);
        }
        let condition = match condition {
            Some(e) => self.expr(e).0,
            None => constant(Value::Bool(true), span),
        };
        let mut step = Vec::new();
        for s in update {
            self.statement(s, &mut step);
        }
        self.updates.push(Some(step.clone()));
        let mut body = self.block(body);
        self.updates.pop();
        body.extend(step);
        inside.push(statement(ww::StmtKind::While(condition, body), span));
        self.names.truncate(outside);
        // A block of its own, so that the counter can be declared again.
        let always = constant(Value::Bool(true), span);
        out.push(statement(ww::StmtKind::If(always, inside, Vec::new()), span));
    }

    /// A value for a variable of that type.
    pub fn value(&mut self, e: &tree::Expr, ty: Ty) -> ww::Expr {
        let (value, found) = self.expr(e);
        if ty == Ty::Double && matches!(found, Ty::Int | Ty::Long) {
            let span = value.span;
            return call("float", vec![value], span);
        }
        value
    }

    /// An expression that stands for itself.
    fn effect(&mut self, e: &tree::Expr) -> Option<ww::StmtKind> {
        let span = e.span;
        match &e.kind {
            J::Assign(target, op, value) => self.assign(target, *op, value),
            J::Step(target, by) => {
                let one = tree::Expr { kind: J::Int(by.abs(), false), span };
                let op = if *by > 0 { BinaryOp::Add } else { BinaryOp::Sub };
                self.assign(target, Some(op), &one)
            }
            J::Call(None, ..) => Some(ww::StmtKind::Call(self.expr(e).0)),
            J::Call(Some(target), method, args) => self.method_effect(target, method, args, e),
            _ => {
                self.refuse(span, "this expression has no effect", "");
                None
            }
        }
    }

    fn assign(
        &mut self,
        target: &tree::Expr,
        op: Option<BinaryOp>,
        value: &tree::Expr,
    ) -> Option<ww::StmtKind> {
        match &target.kind {
            J::Name(name) => {
                let Known { own, ty, .. } = self.assignable(name, target.span)?;
                let name = Name { text: own, span: target.span };
                let value = match op {
                    None => self.value(value, ty),
                    Some(op) => {
                        let (value, found) = self.expr(value);
                        let span = target.span.to(value.span);
                        let old = named(&name.text, name.span);
                        let (sum, given) = self.plain(op, old, ty, value, found, span);
                        // `int += double` narrows, as in Java.
                        match (ty, given) {
                            (Ty::Int, Ty::Double | Ty::Long) => {
                                call("wrap32", vec![call("int", vec![sum], span)], span)
                            }
                            (Ty::Long, Ty::Double) => call("int", vec![sum], span),
                            _ => sum,
                        }
                    }
                };
                Some(ww::StmtKind::Assign(name, None, value))
            }
            J::Index(container, index) => {
                let J::Name(list) = &container.kind else {
                    self.refuse(target.span, "only elements of a variable can be assigned", "");
                    return None;
                };
                let Known { own, .. } = self.assignable(list, container.span)?;
                let name = Name { text: own, span: container.span };
                let index = self.expr(index).0;
                let value = self.expr(value).0;
                Some(ww::StmtKind::AssignIndex(name, index, op, value))
            }
            _ => {
                self.refuse(
                    target.span,
                    "this cannot be assigned to",
                    "a monitor changes only its own variables, never the program",
                );
                None
            }
        }
    }

    fn method_effect(
        &mut self,
        target: &tree::Expr,
        method: &Name,
        args: &[tree::Expr],
        whole: &tree::Expr,
    ) -> Option<ww::StmtKind> {
        let path = dotted(target).unwrap_or_default();
        let here = Name { text: path.clone(), span: target.span };
        if matches!(path.as_str(), "System.out" | "System.err")
            && matches!(method.text.as_str(), "println" | "print")
        {
            let text = match args.first() {
                Some(e) => self.expr(e).0,
                None => constant(Value::str(""), whole.span),
            };
            return Some(ww::StmtKind::Print(text));
        }
        if self.outside.clocks.contains(&path) {
            return match method.text.as_str() {
                "reset" => Some(ww::StmtKind::Reset(here)),
                "off" => Some(ww::StmtKind::Stop(here)),
                "registerDynamically" if from_now(args) => {
                    let after = self.expr(&args[0]).0;
                    let (span, depth) = (after.span, after.depth + 1);
                    let after = ww::ExprKind::Time(Box::new(after), "ms", 1_000_000);
                    Some(ww::StmtKind::ResetFor(here, expr(after, span, depth)))
                }
                "registerDynamically" => {
                    self.refuse(
                        method.span,
                        "a clock can only be set relative to the present time",
                        "write `c.registerDynamically(ms)`, or `System.currentTimeMillis()` as the \
                         second argument",
                    );
                    None
                }
                _ => {
                    self.refuse(
                        method.span,
                        format!("clocks have no `{}` here", method.text),
                        "`reset` starts a clock from zero, `registerDynamically` sets an alarm after a number of milliseconds, `off` stops it",
                    );
                    None
                }
            };
        }
        if let Some((own, keys)) = self.outside.channels.get(&path) {
            let here = Name { text: own.clone(), span: target.span };
            if method.text != "send" || args.len() > 1 {
                self.refuse(method.span, "channels have `send` with at most one value", "");
                return None;
            }
            let mut values: Vec<ww::Expr> = keys.iter().map(|k| named(k, whole.span)).collect();
            values.push(match args.first() {
                Some(e) => self.expr(e).0,
                None => constant(Value::Null, whole.span),
            });
            return Some(ww::StmtKind::Send(here, values));
        }
        if let Some(kind) = self.element_effect(target, method, args, whole) {
            return Some(kind);
        }
        let known = self.known(&path).cloned();
        let ty = known.as_ref().map(|k| k.ty);
        let own = known.map_or(path, |k| k.own);
        let values: Vec<ww::Expr> = args.iter().map(|a| self.expr(a).0).collect();
        let span = whole.span;
        let itself = named(&own, target.span);
        let here = Name { text: own, span: target.span };
        match (ty, method.text.as_str(), values.len()) {
            (Some(Ty::List), "add", 1) => {
                let all = vec![itself, values.into_iter().next()?];
                Some(ww::StmtKind::Assign(here, None, call("push", all, span)))
            }
            (Some(Ty::List), "set", 2) | (Some(Ty::Map), "put", 2) => {
                let mut values = values.into_iter();
                Some(ww::StmtKind::AssignIndex(here, values.next()?, None, values.next()?))
            }
            (Some(Ty::List | Ty::Map), "remove", 1) => {
                let all = vec![itself, values.into_iter().next()?];
                Some(ww::StmtKind::Assign(here, None, call("remove", all, span)))
            }
            (Some(of @ (Ty::List | Ty::Map)), "clear", 0) => {
                Some(ww::StmtKind::Assign(here, None, initial(of, span)?))
            }
            _ => {
                self.refuse(
                    method.span,
                    format!("`{}` would run code of the program", method.text),
                    "a monitor does not run code of the program: use `System.out.println`, clocks, channels, variables and methods of METHODS",
                );
                None
            }
        }
    }
}

impl Translation<'_> {
    /// A change of a container that is an element of another: `sites.get(k).put(a, b)`.
    fn element_effect(
        &mut self,
        target: &tree::Expr,
        method: &Name,
        args: &[tree::Expr],
        whole: &tree::Expr,
    ) -> Option<ww::StmtKind> {
        let J::Call(Some(container), get, key) = &target.kind else { return None };
        let (J::Name(name), "get", [key]) = (&container.kind, get.text.as_str(), key.as_slice())
        else {
            return None;
        };
        if !matches!(self.known(name)?.ty, Ty::List | Ty::Map) {
            return None;
        }
        let function = match (method.text.as_str(), args.len()) {
            ("add", 1) => "push",
            ("put" | "set", 2) => "put",
            ("remove", 1) => "remove",
            _ => return None,
        };
        let Known { own, .. } = self.assignable(name, container.span)?;
        let (key, span) = (self.expr(key).0, whole.span);
        let mut all = vec![self.at(named(&own, container.span), key.clone(), span)];
        all.extend(args.iter().map(|a| self.expr(a).0));
        let here = Name { text: own, span: container.span };
        Some(ww::StmtKind::AssignIndex(here, key, None, call(function, all, span)))
    }
}

/// A length of time in milliseconds.
fn milliseconds(time: ww::Expr, span: Span) -> ww::Expr {
    let nanoseconds = call("int", vec![time], span);
    binary(BinaryOp::Div, nanoseconds, constant(Value::Int(1_000_000), span), span)
}

/// `ms`, or `ms, System.currentTimeMillis()`.
fn from_now(args: &[tree::Expr]) -> bool {
    let is_now = |e: &tree::Expr| match &e.kind {
        J::Call(Some(target), name, args) => {
            name.text == "currentTimeMillis"
                && args.is_empty()
                && dotted(target).as_deref() == Some("System")
        }
        _ => false,
    };
    match args {
        [_] => true,
        [_, start] => is_now(start),
        _ => false,
    }
}

/// `a.b.c`, if the expression is that.
pub fn dotted(e: &tree::Expr) -> Option<String> {
    match &e.kind {
        J::Name(name) => Some(name.clone()),
        J::Field(inner, field) => Some(format!("{}.{}", dotted(inner)?, field.text)),
        _ => None,
    }
}
