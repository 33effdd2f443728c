//! What the person keeps: results of `print`, and variables with names.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Debugger;
use super::eval::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::expr::Expr;
use crate::info::{DebugInfo, Kind, Type};
use crate::value::Value;

/// Results, numbered from 1, and variables with names. Both stay when the program is started again.
#[derive(Default)]
pub struct Kept {
    results: Vec<Value>,
    variables: BTreeMap<String, Value>,
    /// The types of the values are in these.
    infos: Vec<Rc<DebugInfo>>,
}

impl Kept {
    /// Keeps a result; its number.
    pub fn keep(&mut self, value: &Value) -> usize {
        self.results.push(value.clone());
        self.results.len()
    }

    /// Defines a variable.
    ///
    /// # Errors
    /// If the name is one of results.
    pub fn set(&mut self, name: &str, value: Value) -> Result<()> {
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err(Error::expression(format!(
                "${name} is a result, which cannot be changed; `set $name = …` makes a variable"
            )));
        }
        self.variables.insert(name.to_string(), value);
        Ok(())
    }

    /// The variables, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The results, from number 1 on.
    pub fn results(&self) -> &[Value] {
        &self.results
    }

    /// `1` is the first result, nothing the last, `$` the one before, `$2` the one before that.
    fn get(&self, name: &str) -> Result<&Value> {
        if let Some(value) = self.variables.get(name) {
            return Ok(value);
        }
        let last = self.results.len();
        let number = match name.strip_prefix('$') {
            Some("") => last.checked_sub(1),
            Some(back) => back.parse().ok().and_then(|n: usize| last.checked_sub(n)),
            None if name.is_empty() => Some(last),
            None if name.starts_with(|c: char| c.is_ascii_digit()) => name.parse().ok(),
            None => {
                return Err(Error::expression(format!(
                    "there is no register and no variable ${name}; `set ${name} = …` makes a variable"
                )));
            }
        };
        let kept = number.and_then(|n| n.checked_sub(1)).and_then(|n| self.results.get(n));
        kept.ok_or_else(|| match name {
            "" => Error::expression("there is no result yet"),
            name => Error::expression(format!("there is no result ${name}")),
        })
    }
}

impl Debugger {
    /// What the person keeps.
    pub fn kept(&mut self) -> &mut Kept {
        &mut self.kept
    }

    /// Keeps what was looked at in memory last: `$_` is its address, `$__` what is there.
    pub fn keep_examined(&mut self, address: u64, contents: u64, size: u64) {
        let ty = Type::integer("int", size.clamp(1, 8), true);
        let pointer = Value::integer(i128::from(address), Type::pointer_to(&ty));
        let contents = Value::integer(i128::from(contents), ty);
        for (name, value) in [("_", pointer), ("__", contents)] {
            self.kept.variables.insert(name.to_string(), value);
        }
    }

    /// Keeps a number under a name.
    pub fn keep_number(&mut self, name: &str, number: i64) {
        self.kept.variables.insert(name.to_string(), Value::number(i128::from(number)));
    }

    /// The value of an expression that needs no program: of numbers, and of what the person keeps.
    ///
    /// # Errors
    /// If it needs one.
    pub fn evaluate_alone(&self, e: &Expr) -> Result<Value> {
        Ok(match e {
            Expr::Number(n) => Value::number(*n),
            Expr::Float(n) => Value::double(*n),
            Expr::Text(text) => Value::text(text),
            Expr::Register(name) => Value { place: None, ..self.kept.get(name)?.clone() },
            Expr::Binary(operator, a, b) => {
                self.compute(*operator, self.evaluate_alone(a)?, self.evaluate_alone(b)?)?
            }
            _ => return Err(Error::new(ErrorKind::Gone, "the program is not being run")),
        })
    }

    /// Takes what the person keeps, for the debugger of the next run.
    pub fn take_kept(&mut self) -> Kept {
        let mut kept = std::mem::take(&mut self.kept);
        if !kept.results.is_empty() || !kept.variables.is_empty() {
            kept.infos.extend(self.files.values().flatten().cloned());
        }
        kept
    }

    /// Goes on with what the person kept in an earlier run.
    pub fn set_kept(&mut self, kept: Kept) {
        self.kept = kept;
    }

    /// A result or a variable. What consists of parts is read again where it is in memory.
    pub(super) fn kept_value(&mut self, context: &Context, name: &str) -> Result<Value> {
        if name == "_thread" {
            let number = self.tracer.thread_number(context.thread).unwrap_or(0);
            return Ok(Value::number(i128::from(number)));
        }
        let value = self.kept.get(name)?.clone();
        let is_made_of_parts = matches!(value.ty.kind, Kind::Structure { .. } | Kind::Array { .. });
        match (&value.place, is_made_of_parts) {
            (Some(crate::info::Place::Memory(address)), true) => {
                let place = crate::info::Place::Memory(*address);
                self.load_value(context, value.ty.clone(), place)
            }
            (Some(crate::info::Place::Memory(_)), false) => Ok(value),
            _ => Ok(Value { place: None, ..value }),
        }
    }
}
