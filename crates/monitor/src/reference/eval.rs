//! Expressions and statements, interpreted straight from the tree.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use watchword_model::{
    BinaryOp, Builtin, ClockId, EventId, Expr, Glob, Key, LocalId, Model, Place, Stmt, Template,
    TemplatePart, Time, Type, UnaryOp, Value, VarId,
};

use crate::{MAX_TEXT, MAX_WEIGHT};

/// Why an evaluation has no value: see “Expressions” in `docs/semantics.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It is not relevant.
    NotRelevant,
    /// It took too long or its value grew too large.
    Limit,
}

use Failure::{Limit, NotRelevant};

/// A value, or none.
pub type Eval<T> = Result<T, Failure>;

/// How many loop rounds and calls one evaluation may take.
pub const BUDGET: u32 = 100_000;
/// How deep calls may nest.
const MAX_DEPTH: u32 = 64;

/// What a branch does beyond its configuration, in order.
#[derive(Clone, Debug)]
pub enum Output {
    Send(EventId, Vec<Value>),
    Print(String),
    Action(String, Vec<Value>),
    ResetClock(ClockId),
    SetClock(ClockId, Time),
    StopClock(ClockId),
}

/// What an evaluation sees and changes. Branches work on a copy and commit it if they succeed.
#[derive(Clone)]
pub struct Scope<'a> {
    pub model: &'a Model,
    pub params: Vec<Option<Value>>,
    pub vars: BTreeMap<VarId, Value>,
    pub registers: Vec<Option<Value>>,
    pub locals: BTreeMap<LocalId, Value>,
    pub args: Vec<Value>,
    pub outputs: Vec<Output>,
    /// What the windows of the property come to.
    pub windows: Vec<Eval<Value>>,
    /// What time it is.
    pub now: Time,
    /// Declared types of the registers, for assignments.
    pub register_types: Vec<Type>,
}

/// Why a block of statements stopped.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

struct Run {
    budget: u32,
    depth: u32,
}

impl Run {
    fn spend(&mut self) -> Eval<()> {
        self.budget = self.budget.checked_sub(1).ok_or(Limit)?;
        Ok(())
    }
}

impl<'a> Scope<'a> {
    /// An empty scope.
    pub fn new(model: &'a Model) -> Scope<'a> {
        Scope {
            model,
            params: Vec::new(),
            vars: BTreeMap::new(),
            registers: Vec::new(),
            locals: BTreeMap::new(),
            args: Vec::new(),
            outputs: Vec::new(),
            windows: Vec::new(),
            now: 0,
            register_types: Vec::new(),
        }
    }

    /// The value of an expression, with a budget of its own.
    pub fn eval(&mut self, expr: &Expr) -> Eval<Value> {
        self.expr(expr, &mut Run { budget: BUDGET, depth: 0 })
    }

    /// A guard: true, false, or not relevant (also if it is null or no truth value).
    pub fn guard(&mut self, expr: &Expr) -> Eval<bool> {
        match self.eval(expr)? {
            Value::Bool(b) => Ok(b),
            _ => Err(NotRelevant),
        }
    }

    /// Runs statements one after the other, with one budget for all of them.
    pub fn run(&mut self, blocks: &[&[Stmt]]) -> Eval<()> {
        let mut run = Run { budget: BUDGET, depth: 0 };
        for block in blocks {
            // A `return` in an update ends that block only.
            self.block(block, &mut run)?;
        }
        Ok(())
    }

    /// A message with its values filled in.
    pub fn render(&mut self, template: &Template) -> String {
        let mut text = String::new();
        for part in &template.parts {
            match part {
                TemplatePart::Text(t) => text.push_str(t),
                TemplatePart::Value(expr) => match self.eval(expr) {
                    Ok(value) => text.push_str(&value.to_string()),
                    Err(_) => text.push('?'),
                },
            }
        }
        text
    }

    /// What a place holds; null if it holds nothing.
    pub fn read(&self, place: Place) -> Value {
        match place {
            Place::Param(p) => self.params.get(p.index()).cloned().flatten(),
            Place::Var(v) => self.vars.get(&v).cloned(),
            Place::Register(r) => self.registers.get(r.index()).cloned().flatten(),
            Place::Local(l) => self.locals.get(&l).cloned(),
            Place::Arg(i) => self.args.get(i as usize).cloned(),
            Place::Window(w) => self.window(w).ok(),
            Place::Now => Some(Value::Int(self.now)),
        }
        .unwrap_or(Value::Null)
    }

    /// Whether a place holds anything.
    pub fn is_bound(&self, place: Place) -> bool {
        match place {
            Place::Param(p) => matches!(self.params.get(p.index()), Some(Some(_))),
            Place::Register(r) => matches!(self.registers.get(r.index()), Some(Some(_))),
            Place::Local(l) => self.locals.contains_key(&l),
            Place::Var(_) | Place::Arg(_) | Place::Window(_) | Place::Now => true,
        }
    }

    /// Stores a value as it is.
    pub fn write(&mut self, place: Place, value: Value) {
        match place {
            Place::Var(v) => {
                self.vars.insert(v, value);
            }
            Place::Register(r) => {
                if self.registers.len() <= r.index() {
                    self.registers.resize(r.index() + 1, None);
                }
                self.registers[r.index()] = Some(value);
            }
            Place::Local(l) => {
                self.locals.insert(l, value);
            }
            Place::Param(_) | Place::Arg(_) | Place::Window(_) | Place::Now => {
                unreachable!("front ends refuse assignments to what is only read")
            }
        }
    }

    /// Stores a value in a place of a declared type.
    fn assign(&mut self, place: Place, value: Value) -> Eval<()> {
        let ty = match place {
            Place::Var(v) => self.model.variables[v.index()].ty,
            Place::Register(r) => self.register_types.get(r.index()).copied().unwrap_or(Type::Any),
            _ => Type::Any,
        };
        let value = value.coerce(ty).ok_or(NotRelevant)?;
        self.write(place, value);
        Ok(())
    }

    fn block(&mut self, stmts: &[Stmt], run: &mut Run) -> Eval<Flow> {
        for stmt in stmts {
            match self.stmt(stmt, run)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn truth(&mut self, expr: &Expr, run: &mut Run) -> Eval<bool> {
        match self.expr(expr, run)? {
            Value::Bool(b) => Ok(b),
            _ => Err(NotRelevant),
        }
    }

    fn all(&mut self, exprs: &[Expr], run: &mut Run) -> Eval<Vec<Value>> {
        exprs.iter().map(|e| self.expr(e, run)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt, run: &mut Run) -> Eval<Flow> {
        match stmt {
            Stmt::Assign(place, expr) => {
                let value = self.expr(expr, run)?;
                self.assign(*place, value)?;
            }
            Stmt::If(cond, then, otherwise) => {
                let branch = if self.truth(cond, run)? { then } else { otherwise };
                return self.block(branch, run);
            }
            Stmt::While(cond, body) => {
                while self.truth(cond, run)? {
                    run.spend()?;
                    match self.block(body, run)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                    }
                }
            }
            Stmt::ForEach(local, expr, body) => {
                let items: Vec<Value> = match self.expr(expr, run)? {
                    Value::List(items) => items.to_vec(),
                    Value::Map(entries) => entries.keys().cloned().map(Value::from).collect(),
                    _ => return Err(NotRelevant),
                };
                for item in items {
                    run.spend()?;
                    self.locals.insert(*local, item);
                    match self.block(body, run)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                    }
                }
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Return(None) => return Ok(Flow::Return(Value::Null)),
            Stmt::Return(Some(expr)) => return Ok(Flow::Return(self.expr(expr, run)?)),
            Stmt::Eval(expr) => {
                self.expr(expr, run)?;
            }
            Stmt::Send(event, args) => {
                let args = self.all(args, run)?;
                self.outputs.push(Output::Send(*event, args));
            }
            Stmt::Print(expr) => {
                let text = self.expr(expr, run)?.to_string();
                self.outputs.push(Output::Print(text));
            }
            Stmt::Action(name, args) => {
                let args = self.all(args, run)?;
                self.outputs.push(Output::Action(name.clone(), args));
            }
            Stmt::ResetClock(clock) => self.outputs.push(Output::ResetClock(*clock)),
            Stmt::SetClock(clock, after) => {
                let Value::Int(after) = self.expr(after, run)? else { return Err(NotRelevant) };
                self.outputs.push(Output::SetClock(*clock, after.max(0)));
            }
            Stmt::StopClock(clock) => self.outputs.push(Output::StopClock(*clock)),
        }
        Ok(Flow::Next)
    }

    fn expr(&mut self, expr: &Expr, run: &mut Run) -> Eval<Value> {
        let value = match expr {
            Expr::Const(value) => value.clone(),
            Expr::Read(Place::Window(window)) => self.window(*window)?,
            Expr::Read(place) => self.read(*place),
            Expr::Unary(op, operand) => unary(*op, self.expr(operand, run)?)?,
            Expr::Binary(op, left, right) => {
                let left = self.expr(left, run)?;
                let right = self.expr(right, run)?;
                binary(*op, left, right)?
            }
            Expr::And(left, right) => {
                Value::Bool(self.truth(left, run)? && self.truth(right, run)?)
            }
            Expr::Or(left, right) => Value::Bool(self.truth(left, run)? || self.truth(right, run)?),
            Expr::If(cond, then, otherwise) => {
                let branch = if self.truth(cond, run)? { then } else { otherwise };
                self.expr(branch, run)?
            }
            Expr::Builtin(builtin, args) => {
                let args = self.all(args, run)?;
                call_builtin(*builtin, &args)?
            }
            Expr::Call(function, args) => {
                let args = self.all(args, run)?;
                run.spend()?;
                if run.depth == MAX_DEPTH {
                    return Err(Limit);
                }
                let body = &self.model.functions[function.index()].body;
                let locals = args
                    .into_iter()
                    .enumerate()
                    .map(|(i, value)| (LocalId::from_index(i), value))
                    .collect();
                // A function sees its own locals and nothing of the instance.
                let callers = std::mem::replace(&mut self.locals, locals);
                run.depth += 1;
                let flow = self.block(body, run);
                run.depth -= 1;
                self.locals = callers;
                match flow? {
                    Flow::Return(value) => value,
                    _ => Value::Null,
                }
            }
            Expr::Block(stmts) => match self.block(stmts, run)? {
                Flow::Return(value) => value,
                _ => Value::Null,
            },
            Expr::List(items) => Value::List(Arc::new(self.all(items, run)?)),
            Expr::Map(entries) => {
                let mut map = BTreeMap::new();
                for (key, value) in entries {
                    let key = self.expr(key, run)?.key().ok_or(NotRelevant)?;
                    map.insert(key, self.expr(value, run)?);
                }
                Value::Map(Arc::new(map))
            }
        };
        let limit = if matches!(value, Value::Str(_)) { MAX_TEXT } else { MAX_WEIGHT };
        if weight(&value, limit) > limit {
            return Err(Limit);
        }
        Ok(value)
    }
}

/// How large a value is: one for itself, one per 16 bytes of text, and what it contains.
/// Counting stops soon after `limit`.
fn weight(value: &Value, limit: usize) -> usize {
    let mut total = 1;
    match value {
        Value::Str(text) => total += text.len() / 16,
        Value::List(items) => {
            for item in items.iter() {
                if total > limit {
                    break;
                }
                total += weight(item, limit);
            }
        }
        Value::Map(entries) => {
            for (key, item) in entries.iter() {
                if total > limit {
                    break;
                }
                total += weight(&Value::from(key.clone()), limit) + weight(item, limit);
            }
        }
        _ => {}
    }
    total
}

fn unary(op: UnaryOp, operand: Value) -> Eval<Value> {
    match (op, operand) {
        (UnaryOp::Not, Value::Bool(b)) => Ok(Value::Bool(!b)),
        (UnaryOp::Neg, Value::Int(i)) => i.checked_neg().map(Value::Int).ok_or(NotRelevant),
        (UnaryOp::Neg, Value::Float(f)) => Ok(Value::Float(-f)),
        (UnaryOp::BitNot, Value::Int(i)) => Ok(Value::Int(!i)),
        _ => Err(NotRelevant),
    }
}

fn binary(op: BinaryOp, left: Value, right: Value) -> Eval<Value> {
    match op {
        BinaryOp::Eq => return Ok(Value::Bool(left.same(&right))),
        BinaryOp::Ne => return Ok(Value::Bool(!left.same(&right))),
        BinaryOp::Lt => return compare(&left, &right, Ordering::is_lt),
        BinaryOp::Le => return compare(&left, &right, Ordering::is_le),
        BinaryOp::Gt => return compare(&left, &right, Ordering::is_gt),
        BinaryOp::Ge => return compare(&left, &right, Ordering::is_ge),
        BinaryOp::Add if matches!(left, Value::Str(_)) || matches!(right, Value::Str(_)) => {
            return Ok(Value::str(&format!("{left}{right}")));
        }
        _ => {}
    }
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => int_op(op, a, b).map(Value::Int),
        (Value::Float(a), Value::Float(b)) => float_op(op, a, b).map(Value::Float),
        (Value::Int(a), Value::Float(b)) => float_op(op, a as f64, b).map(Value::Float),
        (Value::Float(a), Value::Int(b)) => float_op(op, a, b as f64).map(Value::Float),
        _ => Err(NotRelevant),
    }
}

fn compare(left: &Value, right: &Value, holds: fn(Ordering) -> bool) -> Eval<Value> {
    let comparable = matches!(
        (left, right),
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_))
            | (Value::Str(_), Value::Str(_))
            | (Value::Ptr(_), Value::Ptr(_))
    );
    if !comparable {
        return Err(NotRelevant);
    }
    // Only a NaN has no order among comparable values, and no comparison with it holds.
    Ok(Value::Bool(left.order(right).is_some_and(holds)))
}

fn int_op(op: BinaryOp, a: i64, b: i64) -> Eval<i64> {
    let shift = || u32::try_from(b).ok().filter(|b| *b < 64).ok_or(NotRelevant);
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        // The rest is 0 where the quotient is too large.
        BinaryOp::Rem if b != 0 => Some(a.wrapping_rem(b)),
        BinaryOp::FloorDiv => {
            a.checked_div(b).map(|q| if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
        }
        BinaryOp::FloorRem => (b != 0)
            .then(|| a.wrapping_rem(b))
            .map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => Some(a << shift()?),
        BinaryOp::Shr => Some(a >> shift()?),
        _ => None,
    }
    .ok_or(NotRelevant)
}

fn float_op(op: BinaryOp, a: f64, b: f64) -> Eval<f64> {
    let divides =
        matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::FloorDiv | BinaryOp::FloorRem);
    if divides && b == 0.0 {
        return Err(NotRelevant);
    }
    match op {
        BinaryOp::Add => Ok(a + b),
        BinaryOp::Sub => Ok(a - b),
        BinaryOp::Mul => Ok(a * b),
        BinaryOp::Div => Ok(a / b),
        BinaryOp::Rem => Ok(a % b),
        BinaryOp::FloorDiv => Ok((a / b).floor()),
        BinaryOp::FloorRem => Ok(a - b * (a / b).floor()),
        _ => Err(NotRelevant),
    }
}

/// The position an index names in a list of that length.
fn position(index: &Value, len: usize) -> Eval<usize> {
    match index {
        Value::Int(i) => usize::try_from(*i).ok().filter(|i| *i < len).ok_or(NotRelevant),
        _ => Err(NotRelevant),
    }
}

fn call_builtin(builtin: Builtin, args: &[Value]) -> Eval<Value> {
    Ok(match (builtin, args) {
        (Builtin::Len, [Value::List(items)]) => Value::Int(items.len() as i64),
        (Builtin::Len, [Value::Map(entries)]) => Value::Int(entries.len() as i64),
        (Builtin::Len, [Value::Str(text)]) => Value::Int(text.chars().count() as i64),
        (Builtin::Get, [Value::List(items), index]) => items[position(index, items.len())?].clone(),
        (Builtin::Get, [Value::Map(entries), key]) => {
            key.key().and_then(|k| entries.get(&k).cloned()).ok_or(NotRelevant)?
        }
        (Builtin::Put, [Value::List(items), index, value]) => {
            let mut items = items.to_vec();
            // One past the end appends.
            let at = position(index, items.len() + 1)?;
            if at == items.len() {
                items.push(value.clone());
            } else {
                items[at] = value.clone();
            }
            Value::List(Arc::new(items))
        }
        (Builtin::Put, [Value::Map(entries), key, value]) => {
            let mut entries = (**entries).clone();
            entries.insert(key.key().ok_or(NotRelevant)?, value.clone());
            Value::Map(Arc::new(entries))
        }
        (Builtin::Push, [Value::List(items), value]) => {
            let mut items = items.to_vec();
            items.push(value.clone());
            Value::List(Arc::new(items))
        }
        (Builtin::Remove, [Value::List(items), index]) => {
            let mut items = items.to_vec();
            items.remove(position(index, items.len())?);
            Value::List(Arc::new(items))
        }
        (Builtin::Remove, [Value::Map(entries), key]) => {
            let mut entries = (**entries).clone();
            if let Some(key) = key.key() {
                entries.remove(&key);
            }
            Value::Map(Arc::new(entries))
        }
        (Builtin::Contains, [Value::List(items), value]) => {
            Value::Bool(items.iter().any(|item| item.same(value)))
        }
        (Builtin::Contains, [Value::Map(entries), key]) => {
            Value::Bool(key.key().is_some_and(|k| entries.contains_key(&k)))
        }
        (Builtin::Contains, [Value::Str(text), Value::Str(part)]) => {
            Value::Bool(text.contains(&**part))
        }
        (Builtin::Keys, [Value::Map(entries)]) => {
            Value::List(Arc::new(entries.keys().cloned().map(Value::from).collect()))
        }
        (Builtin::Abs, [Value::Int(i)]) => Value::Int(i.checked_abs().ok_or(NotRelevant)?),
        (Builtin::Abs, [Value::Float(f)]) => Value::Float(f.abs()),
        (Builtin::Min, [a, b]) if is_number(a) && is_number(b) => {
            let order = a.order(b).ok_or(NotRelevant)?;
            if order.is_le() { a.clone() } else { b.clone() }
        }
        (Builtin::Max, [a, b]) if is_number(a) && is_number(b) => {
            let order = a.order(b).ok_or(NotRelevant)?;
            if order.is_ge() { a.clone() } else { b.clone() }
        }
        (Builtin::ToInt, [Value::Int(i)]) => Value::Int(*i),
        (Builtin::ToInt, [Value::Bool(b)]) => Value::Int(i64::from(*b)),
        (Builtin::ToInt, [Value::Ptr(p)]) => Value::Int(*p as i64),
        (Builtin::ToInt, [Value::Float(f)]) => match Value::Float(f.trunc()).key() {
            Some(Key::Int(i)) => Value::Int(i),
            _ => return Err(NotRelevant),
        },
        (Builtin::ToInt, [Value::Str(text)]) => {
            Value::Int(text.trim().parse().map_err(|_| NotRelevant)?)
        }
        (Builtin::ToFloat, [Value::Int(i)]) => Value::Float(*i as f64),
        (Builtin::ToFloat, [Value::Float(f)]) => Value::Float(*f),
        (Builtin::ToFloat, [Value::Str(text)]) => {
            Value::Float(text.trim().parse().map_err(|_| NotRelevant)?)
        }
        (Builtin::ToStr, [value]) => Value::str(&value.to_string()),
        (Builtin::StartsWith, [Value::Str(text), Value::Str(part)]) => {
            Value::Bool(text.starts_with(&**part))
        }
        (Builtin::EndsWith, [Value::Str(text), Value::Str(part)]) => {
            Value::Bool(text.ends_with(&**part))
        }
        (Builtin::Lower, [Value::Str(text)]) => Value::str(&text.to_lowercase()),
        (Builtin::Upper, [Value::Str(text)]) => Value::str(&text.to_uppercase()),
        (Builtin::Matches, [Value::Str(text), Value::Str(glob)]) => {
            Value::Bool(Glob::new(glob).matches(text))
        }
        (Builtin::Matches, [Value::List(items), Value::Str(glob)]) => {
            let glob = Glob::new(glob);
            let like = |item: &Value| matches!(item, Value::Str(text) if glob.matches(text));
            Value::Bool(items.iter().any(like))
        }
        (Builtin::Wrap32, [Value::Int(i)]) => Value::Int(i64::from(*i as i32)),
        _ => return Err(NotRelevant),
    })
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_))
}
