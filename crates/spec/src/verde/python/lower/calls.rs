//! Calls of functions and methods.

use watchword_model::{Builtin, Expr, Span, Type};

use super::build::*;
use super::{Lowering, NULL, Typed};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::verde::python::flow::CHANGING;
use crate::verde::python::tree::{self, Name};

impl Lowering<'_> {
    pub(super) fn wrong_count(&mut self, name: &Name, found: usize) {
        let message = format!("`{}` does not take {found} argument(s)", name.text);
        self.error(Code::WrongCount, name.span, message);
    }

    pub(super) fn call(&mut self, name: &Name, args: &[tree::Expr], span: Span) -> Typed {
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
                let why = "write a range after `in` of a loop";
                self.outside(span, "in the subset, a range is not a value", why);
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

    pub(super) fn method(
        &mut self,
        receiver: &tree::Expr,
        name: &Name,
        args: &[tree::Expr],
    ) -> Typed {
        if CHANGING.contains(&name.text.as_str()) {
            let why = "it changes its object; write it as a statement of its own";
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
}
