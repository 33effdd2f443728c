//! Expressions and messages.

use watchword_model::{
    BinaryOp, Builtin, Expr, Glob, Place, Template, TemplatePart, Type, UnaryOp, Value,
};

use super::Lowering;
use super::flow::Flow;
use super::scope::{Meaning, Scope};
use super::types::{builtin_gives, builtin_wants};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::tree;

/// What an argument of the event is called that has no name.
pub(crate) const ARGUMENT: &str = "arg";
/// Larger numbers of arguments are not supported.
const MAX_ARGS: u32 = 1 << 16;

impl Lowering<'_> {
    /// An expression and its type. After a mistake: null, which has every type.
    pub(super) fn expr(&mut self, expr: &tree::Expr, scope: &Scope) -> (Expr, Type) {
        use tree::ExprKind;
        match &expr.kind {
            ExprKind::Error => (Expr::Const(Value::Null), Type::Any),
            ExprKind::Const(value) => (Expr::Const(value.clone()), value.type_of()),
            ExprKind::Name(name) => self.read(name, expr.span, scope),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, scope),
            ExprKind::Binary(op, left, right) => self.binary(*op, expr, left, right, scope),
            ExprKind::And(left, right) => {
                let left = self.condition(left, scope);
                let right = self.condition(right, scope);
                (Expr::And(Box::new(left), Box::new(right)), Type::Bool)
            }
            ExprKind::Or(left, right) => {
                let left = self.condition(left, scope);
                let right = self.condition(right, scope);
                (Expr::Or(Box::new(left), Box::new(right)), Type::Bool)
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.condition(condition, scope);
                let (then, a) = self.expr(then, scope);
                let (otherwise, b) = self.expr(otherwise, scope);
                let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
                (Expr::If(condition, then, otherwise), super::types::join(a, b))
            }
            ExprKind::Call(name, args) => self.call(name, args, scope),
            ExprKind::Index(container, key) => {
                let (inner, ty) = self.expr(container, scope);
                if !matches!(ty, Type::Any | Type::List | Type::Map) {
                    self.mismatch(container.span, "a list or a map", ty);
                }
                let (key, _) = self.expr(key, scope);
                (Expr::Builtin(Builtin::Get, vec![inner, key]), Type::Any)
            }
            ExprKind::Quantified(quantifier, name, within, condition) => {
                (self.quantified(*quantifier, name, within, condition, scope), Type::Bool)
            }
            ExprKind::Time(amount, unit, nanos) => self.length(amount, unit, *nanos, scope),
            ExprKind::List(items) => {
                let items = items.iter().map(|e| self.expr_as(e, Type::Any, scope)).collect();
                (Expr::List(items), Type::List)
            }
            ExprKind::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(k, v)| {
                        let key = self.expr_as(k, Type::Any, scope);
                        (key, self.expr_as(v, Type::Any, scope))
                    })
                    .collect();
                (Expr::Map(entries), Type::Map)
            }
        }
    }

    /// `exists x in e: c`, or `all x in e: c`.
    fn quantified(
        &mut self,
        quantifier: tree::Quantifier,
        name: &tree::Name,
        within: &tree::Expr,
        condition: &tree::Expr,
        scope: &Scope,
    ) -> Expr {
        let (list, ty) = self.expr(within, scope);
        if !matches!(ty, Type::Any | Type::List | Type::Map) {
            self.mismatch(within.span, "a list or a map", ty);
        }
        let local = self.new_local();
        let mut inside = scope.clone();
        inside.add(&name.text, Place::Local(local), Type::Any, name.span);
        let condition = self.condition(condition, &inside);
        match quantifier {
            tree::Quantifier::Exists => Expr::exists(local, list, condition),
            tree::Quantifier::All => Expr::all(local, list, condition),
        }
    }

    /// An expression that must be a truth value.
    pub(super) fn condition(&mut self, expr: &tree::Expr, scope: &Scope) -> Expr {
        let (lowered, ty) = self.expr(expr, scope);
        if !matches!(ty, Type::Bool | Type::Any) {
            self.report(
                Diagnostic::error(
                    Code::NotACondition,
                    expr.span,
                    format!("expected a condition, found `{ty}`"),
                )
                .label(format!("this is `{ty}`, not a truth value"))
                .rule("guards, `and`, `or`, `not`, `if` and `while` need truth values")
                .help_if(ty.is_number().then(|| "compare it, as in `… != 0`".to_string())),
            );
        }
        lowered
    }

    /// An expression whose value must fit a declared type.
    pub(super) fn expr_as(&mut self, expr: &tree::Expr, ty: Type, scope: &Scope) -> Expr {
        let (lowered, found) = self.expr(expr, scope);
        self.adapt(lowered, found, ty, expr.span)
    }

    fn adapt(&mut self, lowered: Expr, found: Type, ty: Type, span: watchword_model::Span) -> Expr {
        if let Expr::Const(value) = &lowered
            && found != Type::Duration
            && let Some(value) = super::types::constant(value.clone(), ty)
        {
            return Expr::Const(value);
        }
        // A number that has lost its unit would mean nothing.
        if !super::types::fits(found, ty) || (found == Type::Duration && ty != found) {
            let mut error = Diagnostic::error(
                Code::TypeMismatch,
                span,
                format!("expected `{ty}`, found `{found}`"),
            )
            .label(format!("this is `{found}`"));
            error = match (found, ty) {
                (Type::Duration, _) => {
                    error.rule("a duration can be used only where a `duration` is declared")
                }
                (_, Type::Int) => error.help("convert it: `int(…)`"),
                (_, Type::Float) => error.help("convert it: `float(…)`"),
                (_, Type::Str) => error.help("convert it: `string(…)`"),
                _ => error,
            };
            self.report(error);
        }
        lowered
    }

    fn read(&mut self, name: &str, span: watchword_model::Span, scope: &Scope) -> (Expr, Type) {
        let Some(binding) = scope.find(name) else {
            if let Some(elapsed) = self.elapsed(name, span, scope) {
                return (elapsed, Type::Duration);
            }
            self.unknown_name(name, span, scope);
            return (Expr::Const(Value::Null), Type::Any);
        };
        match binding.means {
            Meaning::Place(place) => {
                if let Place::Register(register) = place {
                    self.flow.push(Flow::Read(register, span));
                }
                (Expr::Read(place), binding.ty)
            }
            Meaning::Setting(value) => {
                self.read_setting(binding.span);
                (Expr::Const(value), binding.ty)
            }
        }
    }

    pub(super) fn unknown_name(&mut self, name: &str, span: watchword_model::Span, scope: &Scope) {
        let function =
            Builtin::TABLE.iter().any(|(_, n, _)| *n == name) || self.functions.contains_key(name);
        let (help, near) = if function {
            (format!("to call the function write `{name}(…)`"), None)
        } else if self.clock_called(name).is_some() {
            let help = "a clock can be read in the guards, updates, entry actions and messages of a property with states";
            (help.to_string(), None)
        } else {
            let help = format!("bind it with `?{name}` in the label, or declare `var {name}`");
            (help, scope.nearest(name))
        };
        self.report(
            Diagnostic::error(Code::UnknownName, span, format!("`{name}` is not known here"))
                .rule(
                    "known names are parameters, variables, names bound by this label, and the event's own parameters",
                )
                .help(help)
                .did_you_mean(near),
        );
    }

    fn unary(&mut self, op: UnaryOp, operand: &tree::Expr, scope: &Scope) -> (Expr, Type) {
        if op == UnaryOp::Not {
            let operand = self.condition(operand, scope);
            return (Expr::Unary(op, Box::new(operand)), Type::Bool);
        }
        let (lowered, ty) = self.expr(operand, scope);
        let good = match op {
            UnaryOp::BitNot => matches!(ty, Type::Int | Type::Any),
            _ => ty.is_number() || ty == Type::Any,
        };
        if !good {
            self.mismatch(operand.span, "a number", ty);
        }
        (Expr::Unary(op, Box::new(lowered)), ty)
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        whole: &tree::Expr,
        left: &tree::Expr,
        right: &tree::Expr,
        scope: &Scope,
    ) -> (Expr, Type) {
        let (mut a, mut ta) = self.expr(left, scope);
        let (mut b, mut tb) = self.expr(right, scope);
        // An integer literal beside an address is an address.
        let (left_type, right_type) = (ta, tb);
        for (x, tx, other) in [(&mut a, &mut ta, right_type), (&mut b, &mut tb, left_type)] {
            if let Expr::Const(value @ Value::Int(_)) = x
                && other == Type::Ptr
                && let Some(value) = value.clone().coerce(Type::Ptr)
            {
                *x = Expr::Const(value);
                *tx = Type::Ptr;
            }
        }
        let ty = self.binary_type(op, whole, (left, ta), (right, tb));
        (Expr::Binary(op, Box::new(a), Box::new(b)), ty)
    }

    fn binary_type(
        &mut self,
        op: BinaryOp,
        whole: &tree::Expr,
        (left, ta): (&tree::Expr, Type),
        (right, tb): (&tree::Expr, Type),
    ) -> Type {
        let number = |ty: Type| ty.is_number() || ty == Type::Any;
        if ta == Type::Duration || tb == Type::Duration {
            return self.duration_type(op, whole, (left, ta), (right, tb));
        }
        match op {
            BinaryOp::Add if ta == Type::Str || tb == Type::Str => Type::Str,
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::FloorDiv
            | BinaryOp::FloorRem => {
                for (operand, ty) in [(left, ta), (right, tb)] {
                    if !number(ty) {
                        self.mismatch(operand.span, "a number", ty);
                    }
                }
                match (ta, tb) {
                    (Type::Int, Type::Int) => Type::Int,
                    (Type::Any, _) | (_, Type::Any) => Type::Any,
                    _ => Type::Float,
                }
            }
            BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::Shl
            | BinaryOp::Shr => {
                for (operand, ty) in [(left, ta), (right, tb)] {
                    if !matches!(ty, Type::Int | Type::Any) {
                        self.mismatch(operand.span, "an integer", ty);
                    }
                }
                Type::Int
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                if !ta.overlaps(tb) {
                    self.never_equal(whole.span, ta, tb);
                }
                Type::Bool
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let ordered = |ty: Type| number(ty) || matches!(ty, Type::Str | Type::Ptr);
                for (operand, ty) in [(left, ta), (right, tb)] {
                    if !ordered(ty) {
                        self.mismatch(operand.span, "a number, a text or an address", ty);
                        return Type::Bool;
                    }
                }
                if !ta.overlaps(tb) {
                    self.mismatch(right.span, &format!("`{ta}`, as on the left"), tb);
                }
                Type::Bool
            }
        }
    }

    pub(super) fn never_equal(&mut self, span: watchword_model::Span, a: Type, b: Type) {
        self.report(
            Diagnostic::error(
                Code::NeverEqual,
                span,
                format!("`{a}` and `{b}` are never the same"),
            )
            .rule("values of different kinds differ; numbers compare by value"),
        );
    }

    /// `arg(n)`: an argument of the event by its position.
    fn argument(&mut self, name: &tree::Name, args: &[tree::Expr], scope: &Scope) -> (Expr, Type) {
        let nothing = (Expr::Const(Value::Null), Type::Any);
        let position = match args {
            [tree::Expr { kind: tree::ExprKind::Const(Value::Int(n)), .. }] => {
                u32::try_from(*n).ok().filter(|n| *n < MAX_ARGS)
            }
            _ => None,
        };
        let Some(position) = position else {
            self.report(
                Diagnostic::error(
                    Code::WrongCount,
                    name.span,
                    "`arg` takes the position of an argument, a number",
                )
                .rule(format!("positions are counted from 0 and less than {MAX_ARGS}"))
                .help("write `arg(0)` for the first argument of the event"),
            );
            return nothing;
        };
        let Some(event) = &scope.event else {
            self.report(
                Diagnostic::error(Code::UnknownName, name.span, "there is no event here")
                    .rule("`arg(n)` is an argument of the event that the label before it matched")
                    .help("use it in the guard, the updates or the message of a transition"),
            );
            return nothing;
        };
        let ty = match event.types.get(position as usize) {
            Some(ty) => *ty,
            None if event.more => Type::Any,
            None => {
                let count = event.types.len();
                let plural = if count == 1 { "" } else { "s" };
                self.report(
                    Diagnostic::error(
                        Code::WrongCount,
                        args[0].span,
                        format!("the event has {count} argument{plural}"),
                    )
                    .rule("positions are counted from 0"),
                );
                return nothing;
            }
        };
        (Expr::Read(Place::Arg(position)), ty)
    }

    fn call(&mut self, name: &tree::Name, args: &[tree::Expr], scope: &Scope) -> (Expr, Type) {
        if name.text == ARGUMENT {
            return self.argument(name, args, scope);
        }
        let lowered: Vec<(Expr, Type)> = args.iter().map(|a| self.expr(a, scope)).collect();
        if let Some(entry) = self.functions.get(&name.text).copied() {
            let params = self.model.functions[entry.id.index()].params.clone();
            self.count_args(&name.text, name.span, params.len(), args.len(), entry.span);
            let lowered = lowered
                .into_iter()
                .enumerate()
                .map(|(i, (e, ty))| match params.get(i) {
                    Some((_, wanted)) => self.adapt(e, ty, *wanted, args[i].span),
                    None => e,
                })
                .collect();
            self.calls.push((entry.id, name.span));
            return (Expr::Call(entry.id, lowered), Type::Any);
        }
        let Some((builtin, _, count)) = Builtin::TABLE.iter().find(|(_, n, _)| *n == name.text)
        else {
            let near = nearest(
                &name.text,
                Builtin::TABLE
                    .iter()
                    .map(|(_, n, _)| *n)
                    .chain(self.functions.keys().map(String::as_str))
                    .chain([ARGUMENT]),
            );
            let error = Diagnostic::error(
                Code::UnknownFunction,
                name.span,
                format!("there is no function `{}`", name.text),
            )
            .did_you_mean(near);
            self.report(error);
            return (Expr::Const(Value::Null), Type::Any);
        };
        self.count_args(&name.text, name.span, *count, args.len(), watchword_model::Span::NONE);
        for ((arg, (_, ty)), wanted) in args.iter().zip(&lowered).zip(builtin_wants(*builtin)) {
            if !wanted.accepts(*ty) {
                self.mismatch(arg.span, &wanted.text(), *ty);
            }
        }
        let (lowered, types): (Vec<Expr>, Vec<Type>) = lowered.into_iter().unzip();
        if let (Builtin::Matches, [_, Expr::Const(Value::Str(glob))]) = (builtin, &lowered[..])
            && let Err(why) = Glob::check(glob)
        {
            self.report(
                Diagnostic::error(
                    Code::BadRegex,
                    args[1].span,
                    format!("this is not a glob: {why}"),
                )
                .rule("in a glob, `{regex(…)}` matches what the regular expression matches")
                .help("write `\\\\c` for a character `c` that means something else"),
            );
        }
        (Expr::Builtin(*builtin, lowered), builtin_gives(*builtin, &types))
    }

    /// Reports a call with the wrong number of arguments.
    pub(super) fn count_args(
        &mut self,
        name: &str,
        span: watchword_model::Span,
        wanted: usize,
        found: usize,
        declared: watchword_model::Span,
    ) {
        if wanted == found {
            return;
        }
        let plural = if wanted == 1 { "" } else { "s" };
        self.report(
            Diagnostic::error(
                Code::WrongCount,
                span,
                format!("`{name}` takes {wanted} argument{plural}, found {found}"),
            )
            .also(declared, "declared here"),
        );
    }

    /// A text with values in it.
    pub(super) fn template(&mut self, template: &tree::Template, scope: &Scope) -> Template {
        let parts = template
            .parts
            .iter()
            .flat_map(|part| match part {
                tree::TemplatePart::Text(text) => vec![TemplatePart::Text(text.clone())],
                tree::TemplatePart::Value(expr) => self.shown_parts(expr, scope),
            })
            .collect();
        Template { parts }
    }

    /// A value as a message shows it: a length of time in its unit, or in seconds.
    fn shown_parts(&mut self, expr: &tree::Expr, scope: &Scope) -> Vec<TemplatePart> {
        let with_unit = |number, unit| {
            vec![TemplatePart::Value(number), TemplatePart::Text(format!(" {unit}"))]
        };
        let lowered = self.expr(expr, scope);
        match (lowered, &expr.kind) {
            ((Expr::Const(Value::Int(nanos)), Type::Duration), _) => {
                vec![TemplatePart::Text(crate::ww::duration_text(nanos))]
            }
            ((Expr::Const(value), _), _) => vec![TemplatePart::Text(value.to_string())],
            ((_, Type::Duration), tree::ExprKind::Time(amount, unit, _)) => {
                with_unit(self.expr(amount, scope).0, *unit)
            }
            ((nanos, Type::Duration), _) => {
                let nanos = Expr::Builtin(Builtin::ToFloat, vec![nanos]);
                let second = Expr::Const(Value::Float(1e9));
                with_unit(Expr::Binary(BinaryOp::Div, Box::new(nanos), Box::new(second)), "s")
            }
            ((lowered, _), _) => vec![TemplatePart::Value(lowered)],
        }
    }

    /// A value as a person reads it: a length of time as text, anything else as it is.
    pub(super) fn shown(&mut self, expr: &tree::Expr, scope: &Scope) -> Expr {
        match self.expr(expr, scope) {
            (_, Type::Duration) => joined(self.shown_parts(expr, scope)),
            (lowered, _) => lowered,
        }
    }

    /// The same as an expression: what `print "…{x}…"` prints.
    pub(super) fn template_expr(&mut self, template: &tree::Template, scope: &Scope) -> Expr {
        joined(self.template(template, scope).parts)
    }
}

/// The text that parts make one after the other.
fn joined(parts: Vec<TemplatePart>) -> Expr {
    let mut whole = Expr::Const(Value::str(""));
    for part in parts {
        let part = match part {
            TemplatePart::Text(text) => Expr::Const(Value::str(&text)),
            TemplatePart::Value(expr) => expr,
        };
        whole = match whole {
            Expr::Const(Value::Str(s)) if s.is_empty() && matches!(part, Expr::Const(_)) => part,
            whole => Expr::Binary(BinaryOp::Add, Box::new(whole), Box::new(part)),
        };
    }
    whole
}
