//! Values of expressions.

use std::sync::Arc;

use watchword_model::{Span, Value};

use crate::tree::{Expr, ExprKind, Function, Op};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub span: Span,
    pub message: String,
}

/// Longer lists and texts are refused.
const MAX_LENGTH: usize = 1 << 20;

/// What an expression sees.
pub(crate) trait World {
    /// The value of a name; `None` if it is nothing here.
    fn name(&mut self, name: &str) -> Option<Value>;
    /// The value of an expression over the program.
    fn program(&mut self, expression: &str) -> Result<Value, String>;
}

pub(crate) fn eval(expr: &Expr, world: &mut dyn World) -> Result<Value, Failure> {
    let fail = |message: String| Failure { span: expr.span, message };
    match &expr.kind {
        ExprKind::Const(value) => Ok(value.clone()),
        ExprKind::Name(name) => world.name(name).ok_or_else(|| {
            fail(format!("`{name}` is neither a variable nor a parameter of the slice that moved"))
        }),
        ExprKind::Not(operand) => Ok(Value::Bool(!truth(operand, world)?)),
        ExprKind::Negate(operand) => match eval(operand, world)? {
            Value::Int(i) => i
                .checked_neg()
                .map(Value::Int)
                .ok_or_else(|| fail("the result does not fit into 64 bits".into())),
            Value::Float(f) => Ok(Value::Float(-f)),
            other => Err(fail(format!("`{other}` is not a number"))),
        },
        ExprKind::Binary(Op::And, a, b) => Ok(Value::Bool(truth(a, world)? && truth(b, world)?)),
        ExprKind::Binary(Op::Or, a, b) => Ok(Value::Bool(truth(a, world)? || truth(b, world)?)),
        ExprKind::Binary(op, a, b) => {
            let a = eval(a, world)?;
            let b = eval(b, world)?;
            binary(*op, &a, &b).map_err(fail)
        }
        ExprKind::List(items) => {
            let items: Result<Vec<Value>, Failure> =
                items.iter().map(|item| eval(item, world)).collect();
            Ok(Value::List(Arc::new(items?)))
        }
        ExprKind::Index(list, index) => match (eval(list, world)?, eval(index, world)?) {
            (Value::List(items), Value::Int(i)) => {
                usize::try_from(i).ok().and_then(|i| items.get(i).cloned()).ok_or_else(|| {
                    fail(format!("element {i} does not exist; the list has {}", items.len()))
                })
            }
            (list, index) => Err(fail(format!("`{list}` has no element `{index}`"))),
        },
        ExprKind::Call(function, args) => {
            let args: Result<Vec<Value>, Failure> =
                args.iter().map(|arg| eval(arg, world)).collect();
            call(*function, &args?, world).map_err(fail)
        }
    }
}

/// A condition.
pub(crate) fn truth(expr: &Expr, world: &mut dyn World) -> Result<bool, Failure> {
    match eval(expr, world)? {
        Value::Bool(b) => Ok(b),
        other => Err(Failure {
            span: expr.span,
            message: format!("`{other}` is neither true nor false"),
        }),
    }
}

fn binary(op: Op, a: &Value, b: &Value) -> Result<Value, String> {
    let compared = |holds: fn(std::cmp::Ordering) -> bool| match number(a).order(&number(b)) {
        Some(order) => Ok(Value::Bool(holds(order))),
        None => Err(format!("`{a}` and `{b}` have no order")),
    };
    match op {
        Op::Eq => return Ok(Value::Bool(number(a).same(&number(b)))),
        Op::Ne => return Ok(Value::Bool(!number(a).same(&number(b)))),
        Op::Lt => return compared(std::cmp::Ordering::is_lt),
        Op::Le => return compared(std::cmp::Ordering::is_le),
        Op::Gt => return compared(std::cmp::Ordering::is_gt),
        Op::Ge => return compared(std::cmp::Ordering::is_ge),
        _ => {}
    }
    let name = match op {
        Op::Add => "added",
        Op::Sub => "subtracted",
        Op::Mul => "multiplied",
        _ => "divided",
    };
    match (op, a, b) {
        (Op::Add, Value::Str(_), _) | (Op::Add, _, Value::Str(_)) => {
            let text = format!("{a}{b}");
            if text.len() > MAX_LENGTH {
                return Err("this text grows too long".to_string());
            }
            Ok(Value::str(&text))
        }
        (Op::Add, Value::List(a), Value::List(b)) => {
            if a.len() + b.len() > MAX_LENGTH {
                return Err("this list grows too long".to_string());
            }
            Ok(Value::List(Arc::new(a.iter().chain(b.iter()).cloned().collect())))
        }
        (Op::Div | Op::Rem, _, Value::Int(0)) => Err("division by zero".to_string()),
        (op, a, b) => match (number(a), number(b)) {
            (Value::Int(a), Value::Int(b)) => match op {
                Op::Add => a.checked_add(b),
                Op::Sub => a.checked_sub(b),
                Op::Mul => a.checked_mul(b),
                Op::Div => a.checked_div(b),
                _ => a.checked_rem(b),
            }
            .map(Value::Int)
            .ok_or_else(|| "the result does not fit into 64 bits".to_string()),
            (Value::Float(a), Value::Float(b)) => Ok(float(op, a, b)),
            (Value::Int(a), Value::Float(b)) => Ok(float(op, a as f64, b)),
            (Value::Float(a), Value::Int(b)) => Ok(float(op, a, b as f64)),
            (a, b) => Err(format!("`{a}` and `{b}` cannot be {name}")),
        },
    }
}

fn float(op: Op, a: f64, b: f64) -> Value {
    Value::Float(match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        _ => a % b,
    })
}

/// Addresses count as the numbers they are: people write them so.
fn number(value: &Value) -> Value {
    match value {
        Value::Ptr(p) => Value::Int(*p as i64),
        other => other.clone(),
    }
}

fn call(function: Function, args: &[Value], world: &mut dyn World) -> Result<Value, String> {
    match (function, args) {
        (Function::Len, [Value::List(items)]) => Ok(Value::Int(items.len() as i64)),
        (Function::Len, [Value::Str(text)]) => Ok(Value::Int(text.chars().count() as i64)),
        (Function::Len, [other]) => Err(format!("`{other}` has no length")),
        (Function::Str, [value]) => Ok(Value::str(&value.to_string())),
        (Function::Int, [Value::Str(text)]) => {
            text.trim().parse().map(Value::Int).map_err(|_| format!("`{text}` is not an integer"))
        }
        (Function::Int, [Value::Bool(b)]) => Ok(Value::Int(i64::from(*b))),
        (Function::Int, [Value::Float(f)]) if f.is_finite() && f.abs() < 9e18 => {
            Ok(Value::Int(*f as i64))
        }
        (Function::Int, [value]) => match number(value) {
            Value::Int(i) => Ok(Value::Int(i)),
            other => Err(format!("`{other}` is not a number")),
        },
        (Function::Range, [Value::Int(from), Value::Int(to)]) => {
            let length = to.saturating_sub(*from).max(0);
            if length as u64 > MAX_LENGTH as u64 {
                return Err(format!("a list of {length} elements is too long"));
            }
            Ok(Value::List(Arc::new((*from..*to).map(Value::Int).collect())))
        }
        (Function::Range, _) => Err("a range needs two integers".to_string()),
        (Function::Value, [Value::Str(expression)]) => world.program(expression),
        (Function::Value, [other]) => Err(format!("`{other}` is not a text with an expression")),
        _ => Err("the wrong number of arguments".to_string()),
    }
}
