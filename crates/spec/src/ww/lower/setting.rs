//! `param`: constants of a run, and lengths of time in expressions.

use watchword_model::{BinaryOp, Builtin, Expr, Span, Time, Type, Value};

use super::Lowering;
use super::context::Surroundings;
use super::scope::{Meaning, Scope};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::given::{Setting, TYPES, value_of};
use crate::ww::duration_text;
use crate::ww::tree::{self, Constant, Duration, Member, MemberKind};

impl Lowering<'_> {
    /// The `param`s among some lines of a property or context become names there.
    pub(super) fn settings(&mut self, members: &[Member], around: &mut Surroundings) {
        for member in members {
            let MemberKind::Setting(setting) = &member.kind else { continue };
            self.refuse_taken(&setting.name, &around.scope, "param");
            let Some((ty, default)) = self.default_of(setting) else { continue };
            let owner = around.path.rsplit('.').next().unwrap_or_default().to_string();
            let value = self.chosen_value(&owner, &setting.name, ty).unwrap_or(default.clone());
            let (name, span) = (&setting.name.text, setting.name.span);
            around.scope.add_setting(name, value.clone(), ty, span);
            let doc = setting.doc.trim().to_string();
            let name = name.clone();
            self.settings.push(Setting { owner, name, ty, default, value, doc, span, reads: 0 });
        }
    }

    /// The type of a `param` and the value it has if no other is chosen.
    fn default_of(&mut self, setting: &tree::Setting) -> Option<(Type, Value)> {
        let (value, found) = match &setting.default {
            Constant::Duration(nanos) => (Value::Int(*nanos), Type::Duration),
            Constant::Value(value) => (value.clone(), value.type_of()),
        };
        let declared = match &setting.ty {
            Some(name) => {
                let known = TYPES.iter().find(|ty| ty.name() == name.text);
                let Some(known) = known else {
                    self.not_for_settings(name.span, &name.text);
                    return None;
                };
                *known
            }
            None if TYPES.contains(&found) => found,
            None => {
                self.not_for_settings(setting.default_span, "null");
                return None;
            }
        };
        let fits = match (found, declared) {
            (Type::Duration, Type::Duration) => Some(value),
            (Type::Duration, _) | (_, Type::Duration) | (Type::Any, _) => None,
            _ => value.coerce(declared),
        };
        if fits.is_none() {
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    setting.default_span,
                    format!("expected `{declared}`, found `{found}`"),
                )
                .label(format!("this is `{found}`"))
                .help(format!("write {}", example_of(declared))),
            );
        }
        fits.map(|value| (declared, value))
    }

    fn not_for_settings(&mut self, span: Span, found: &str) {
        let names: Vec<String> = TYPES.iter().map(|ty| format!("`{ty}`")).collect();
        let near = nearest(found, TYPES.iter().map(|ty| ty.name()));
        self.report(
            Diagnostic::error(Code::UnknownType, span, format!("a `param` cannot be `{found}`"))
                .rule(format!("a `param` is one of {}", names.join(", ")))
                .help("write one of these")
                .did_you_mean(near),
        );
    }

    /// The value that was chosen for a `param`, if one was: the last one that names its owner,
    /// or else the last one that does not.
    fn chosen_value(&mut self, owner: &str, name: &tree::Name, ty: Type) -> Option<Value> {
        let given = self.given;
        let is_meant = |qualified: bool, set: &crate::given::Assignment| {
            set.name == name.text
                && set.owner.is_some() == qualified
                && set.owner.as_ref().is_none_or(|o| o == owner)
        };
        for (at, set) in given.set.iter().enumerate() {
            self.taken[at] |= is_meant(true, set) || is_meant(false, set);
        }
        let find = |qualified| given.set.iter().rev().find(|set| is_meant(qualified, set));
        let set = find(true).or_else(|| find(false))?;
        let value = value_of(&set.value, ty);
        if value.is_none() {
            let written = set.value.trim();
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    set.value_span,
                    format!("`{written}` is not a value of `{}`, which has type `{ty}`", name.text),
                )
                .also(name.span, "declared here")
                .help(format!("write {}", example_of(ty))),
            );
        }
        value
    }

    /// Reports what was chosen for a `param` that does not exist.
    pub(super) fn refuse_unknown_settings(&mut self) {
        for (at, set) in self.given.set.iter().enumerate() {
            if self.taken[at] {
                continue;
            }
            let with_owner = set.owner.is_some();
            let known: Vec<String> = self
                .settings
                .iter()
                .map(|s| if with_owner { s.full_name() } else { s.name.clone() })
                .collect();
            let written = match &set.owner {
                Some(owner) => format!("{owner}.{}", set.name),
                None => set.name.clone(),
            };
            let near = nearest(&written, known.iter().map(String::as_str));
            let mut all: Vec<String> =
                self.settings.iter().map(|s| format!("`{}`", s.full_name())).collect();
            all.sort();
            all.dedup();
            let help = match &all[..] {
                [] => "declare one in the property: `param limit: duration = 5 s`".to_string(),
                all => format!("there are {}", all.join(", ")),
            };
            self.report(
                Diagnostic::error(
                    Code::UnknownName,
                    set.name_span,
                    format!("no property has a param `{written}`"),
                )
                .rule("`--set` chooses the values of params of the loaded properties")
                .help(help)
                .did_you_mean(near),
            );
        }
    }

    /// Warns of every `param` that is not read.
    pub(super) fn tell_unused_settings(&mut self) {
        let unused = self.settings.iter().filter(|s| s.reads == 0);
        let warnings: Vec<Diagnostic> = unused
            .map(|setting| {
                Diagnostic::warning(
                    Code::UnusedVariable,
                    setting.span,
                    format!("the param `{}` is never used", setting.name),
                )
                .help("use it in a time limit, a guard or a message, or remove it")
            })
            .collect();
        warnings.into_iter().for_each(|warning| self.report(warning));
    }

    /// Notes that the `param` declared there is read.
    pub(super) fn read_setting(&mut self, declared: Span) {
        self.setting_reads += 1;
        if let Some(setting) = self.settings.iter_mut().find(|s| s.span == declared) {
            setting.reads += 1;
        }
    }

    /// The guard of a label; notes whether it depends on what was chosen for this run.
    pub(super) fn guard(&mut self, guard: &tree::Expr, label: Span, scope: &Scope) -> Expr {
        let before = self.setting_reads;
        let condition = self.condition(guard, scope);
        if self.setting_reads > before {
            self.chosen.push(label);
        }
        condition
    }

    /// How long something lasts.
    pub(super) fn duration(&mut self, duration: &Duration, scope: &Scope) -> Option<Time> {
        let name = match duration {
            Duration::Fixed(nanos) => return Some(*nanos),
            Duration::Setting(name) => name,
        };
        let binding = scope.find(&name.text);
        let error = match binding {
            Some(binding) => match (binding.means, binding.ty) {
                (Meaning::Setting(Value::Int(nanos)), Type::Duration) => {
                    self.read_setting(binding.span);
                    return Some(nanos);
                }
                (Meaning::Setting(_), ty) => Diagnostic::error(
                    Code::TypeMismatch,
                    name.span,
                    format!("expected a duration, found `{ty}`"),
                )
                .also(binding.span, "declared here")
                .help("declare it with a unit: `param limit: duration = 5 s`"),
                (Meaning::Place(_), _) => Diagnostic::error(
                    Code::WrongKind,
                    name.span,
                    format!("`{}` is not a `param`", name.text),
                )
                .also(binding.span, "declared here")
                .rule("a time limit is constant during a run")
                .help(
                    "write a duration, such as `5 s`, or declare `param limit: duration = 5 s`; for a computed time, use `reset t for …`",
                ),
            },
            None => {
                let settings = scope.settings();
                Diagnostic::error(
                    Code::UnknownName,
                    name.span,
                    format!("`{}` is not known here", name.text),
                )
                .rule("a duration is written with its unit, or is the name of a `param`")
                .help(format!("write `5 s`, or declare `param {}: duration = 5 s`", name.text))
                .did_you_mean(settings.nearest(&name.text))
            }
        };
        self.report(error);
        None
    }

    /// `e ms`: so many of a unit.
    pub(super) fn length(
        &mut self,
        amount: &tree::Expr,
        unit: &str,
        nanos: Time,
        scope: &Scope,
    ) -> (Expr, Type) {
        let (lowered, ty) = self.expr(amount, scope);
        if !ty.is_number() && ty != Type::Any {
            self.mismatch(amount.span, &format!("a number before the unit `{unit}`"), ty);
        }
        if let Expr::Const(value @ (Value::Int(_) | Value::Float(_))) = &lowered
            && let Some(nanos) = crate::ww::parser::nanoseconds(value, nanos)
        {
            return (Expr::Const(Value::Int(nanos)), Type::Duration);
        }
        let scaled = match nanos {
            1 => lowered,
            nanos => {
                let unit = Expr::Const(Value::Int(nanos));
                Expr::Binary(BinaryOp::Mul, Box::new(lowered), Box::new(unit))
            }
        };
        let whole = ty == Type::Int;
        let scaled = if whole { scaled } else { Expr::Builtin(Builtin::ToInt, vec![scaled]) };
        (scaled, Type::Duration)
    }

    /// What an operator gives if one of its operands is a length of time.
    pub(super) fn duration_type(
        &mut self,
        op: BinaryOp,
        whole: &tree::Expr,
        (left, ta): (&tree::Expr, Type),
        (right, tb): (&tree::Expr, Type),
    ) -> Type {
        let both = ta == Type::Duration && tb == Type::Duration;
        match op {
            BinaryOp::Mul if ta == Type::Int || tb == Type::Int => Type::Duration,
            BinaryOp::Div if tb == Type::Int => Type::Duration,
            BinaryOp::Add | BinaryOp::Sub if both => Type::Duration,
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
                if both =>
            {
                Type::Bool
            }
            BinaryOp::Mul | BinaryOp::Div => {
                let other = if ta == Type::Duration { (right, tb) } else { (left, ta) };
                self.mismatch(other.0.span, "an integer beside a length of time", other.1);
                Type::Duration
            }
            _ if both => {
                self.mismatch(whole.span, "numbers", Type::Duration);
                Type::Duration
            }
            _ => {
                let other = if ta == Type::Duration { (right, tb) } else { (left, ta) };
                self.unitless(other.0, other.1);
                let sum = matches!(op, BinaryOp::Add | BinaryOp::Sub);
                if sum { Type::Duration } else { Type::Bool }
            }
        }
    }

    /// Reports a number that stands where a length of time is wanted.
    pub(super) fn unitless(&mut self, expr: &tree::Expr, found: Type) {
        let text = self.text(expr.span);
        let error = Diagnostic::error(
            Code::TypeMismatch,
            expr.span,
            format!("expected a length of time, found `{found}`"),
        )
        .label(format!("this is `{found}`"));
        self.report(if found.is_number() || found == Type::Any {
            error
                .rule("a number has no unit")
                .help(format!("write its unit after it: `({text}) ms`"))
        } else {
            error
        });
    }
}

/// What a value of such a type looks like.
fn example_of(ty: Type) -> String {
    match ty {
        Type::Duration => "a number and a unit (ns, us, ms, s, min, h, d), such as `5 s`".into(),
        Type::Int => "an integer, such as `3`".into(),
        Type::Float => "a number, such as `0.5`".into(),
        Type::Bool => "`true` or `false`".into(),
        _ => "a text".into(),
    }
}

/// A value of a `param` as people write it.
pub(crate) fn setting_text(value: &Value, ty: Type) -> String {
    match (value, ty) {
        (Value::Int(nanos), Type::Duration) => duration_text(*nanos),
        (Value::Str(text), _) => format!("{text:?}"),
        (value, _) => value.to_string(),
    }
}
