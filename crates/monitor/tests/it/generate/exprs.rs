//! Random expressions and statements.

use std::sync::Arc;

use watchword_model::*;

use super::random::Random;

/// What an expression may mention.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub params: Vec<ParamId>,
    /// Integer variables; one of them may hold text or a list instead.
    pub vars: Vec<VarId>,
    pub registers: Vec<RegisterId>,
    pub locals: Vec<LocalId>,
    pub args: u32,
    pub windows: Vec<WindowId>,
    /// They may ask what time it is.
    pub now: bool,
    pub functions: Vec<FunctionId>,
    /// Statements may send, print and touch clocks.
    pub channels: Vec<EventId>,
    pub clocks: Vec<ClockId>,
    pub outputs: bool,
}

impl Names {
    fn places(&self) -> Vec<Place> {
        let params = self.params.iter().map(|p| Place::Param(*p));
        let vars = self.vars.iter().map(|v| Place::Var(*v));
        let registers = self.registers.iter().map(|r| Place::Register(*r));
        let locals = self.locals.iter().map(|l| Place::Local(*l));
        let args = (0..self.args).map(Place::Arg);
        // What windows come to is asked for often.
        let windows = self.windows.iter().flat_map(|w| [Place::Window(*w); 2]);
        let others = vars.chain(params).chain(registers).chain(locals).chain(args);
        let now = if self.now { &[Place::Now; 3][..] } else { &[] };
        others.chain(windows).chain(now.iter().copied()).collect()
    }

    fn writable(&self) -> Vec<Place> {
        let vars = self.vars.iter().map(|v| Place::Var(*v));
        let registers = self.registers.iter().map(|r| Place::Register(*r));
        vars.chain(registers).collect()
    }
}

/// A value events carry. Few, so that they meet; some awkward.
pub fn value(r: &mut Random) -> Value {
    match r.below(100) {
        0..55 => Value::Int(r.below(3) as i64),
        55..70 => Value::str(["a", "b", "ab"][r.below(3)]),
        70..76 => Value::object(r.below(2) as u64),
        76..80 => Value::Float(1.0),
        80..83 => Value::Float(0.5),
        83..85 => Value::Float(f64::NAN),
        85..86 => Value::Float(-0.0),
        86..94 => Value::Null,
        94..96 => Value::Bool(r.percent(50)),
        96..97 => Value::Ptr(r.below(2) as u64),
        97..98 => Value::Int(i64::MAX),
        _ => Value::List(Arc::new(vec![Value::Int(r.below(2) as i64), Value::str("x")])),
    }
}

fn constant(r: &mut Random) -> Expr {
    Expr::Const(match r.below(10) {
        0..6 => Value::Int(r.below(4) as i64),
        6 => Value::Int(i64::MAX - 1),
        7 => Value::str(["a", "b", "1"][r.below(3)]),
        8 => Value::Float(*r.pick(&[0.5, 1.0, -1.5])),
        _ => value(r),
    })
}

/// An expression of any type.
pub fn any(r: &mut Random, names: &Names, depth: usize) -> Expr {
    let places = names.places();
    if depth == 0 || r.percent(30) {
        if !places.is_empty() && r.percent(70) {
            return Expr::Read(*r.pick(&places));
        }
        return constant(r);
    }
    let sub = |r: &mut Random| Box::new(any(r, names, depth - 1));
    match r.below(20) {
        0..7 => {
            let op = *r.pick(&[
                BinaryOp::Add,
                BinaryOp::Add,
                BinaryOp::Add,
                BinaryOp::Sub,
                BinaryOp::Mul,
                BinaryOp::Div,
                BinaryOp::Rem,
                BinaryOp::FloorDiv,
                BinaryOp::FloorRem,
                BinaryOp::BitAnd,
                BinaryOp::BitOr,
                BinaryOp::BitXor,
                BinaryOp::Shl,
                BinaryOp::Shr,
            ]);
            Expr::Binary(op, sub(r), sub(r))
        }
        7..9 => Expr::Unary(*r.pick(&[UnaryOp::Neg, UnaryOp::BitNot]), sub(r)),
        9 => Expr::If(Box::new(truth(r, names, depth - 1)), sub(r), sub(r)),
        10..13 => {
            let (builtin, _, count) = *r.pick(&Builtin::TABLE);
            Expr::Builtin(builtin, (0..count).map(|_| *sub(r)).collect())
        }
        13 => {
            let list = Expr::List((0..r.below(3)).map(|_| *sub(r)).collect());
            let builtin = *r.pick(&[Builtin::Push, Builtin::Contains, Builtin::Remove]);
            Expr::Builtin(builtin, vec![list, *sub(r)])
        }
        14 => {
            let map = Expr::Map((0..r.below(3)).map(|_| (*sub(r), *sub(r))).collect());
            let builtin = *r.pick(&[Builtin::Get, Builtin::Contains, Builtin::Remove]);
            Expr::Builtin(builtin, vec![map, *sub(r)])
        }
        15 if !names.functions.is_empty() => Expr::Call(*r.pick(&names.functions), vec![*sub(r)]),
        16 => Expr::Block(vec![
            Stmt::If(truth(r, names, depth - 1), vec![Stmt::Return(Some(*sub(r)))], vec![]),
            Stmt::Return(if r.percent(80) { Some(*sub(r)) } else { None }),
        ]),
        17 => truth(r, names, depth - 1),
        _ => Expr::Builtin(Builtin::ToStr, vec![*sub(r)]),
    }
}

/// An expression that is mostly a truth value.
pub fn truth(r: &mut Random, names: &Names, depth: usize) -> Expr {
    if depth > 0 && r.percent(25) {
        let a = Box::new(truth(r, names, depth - 1));
        let b = Box::new(truth(r, names, depth - 1));
        return match r.below(3) {
            0 => Expr::And(a, b),
            1 => Expr::Or(a, b),
            _ => Expr::Unary(UnaryOp::Not, a),
        };
    }
    if r.percent(4) {
        return any(r, names, depth.saturating_sub(1));
    }
    if depth > 0 && r.percent(4) {
        return quantified(r, names, depth);
    }
    let op = *r.pick(&[
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::Le,
    ]);
    let places = names.places();
    let depth = depth.min(1);
    let left = match places.is_empty() {
        false if r.percent(75) => Expr::Read(*r.pick(&places)),
        _ => any(r, names, depth),
    };
    Expr::Binary(op, Box::new(left), Box::new(any(r, names, depth)))
}

/// Whether some element, or each of them, is so.
fn quantified(r: &mut Random, names: &Names, depth: usize) -> Expr {
    let local = LocalId(6);
    let mut inner = names.clone();
    inner.locals.push(local);
    let list = match r.percent(60) {
        true => Expr::List((0..r.below(3)).map(|_| any(r, names, 1)).collect()),
        false => any(r, names, 1),
    };
    let condition = truth(r, &inner, depth - 1);
    match r.percent(50) {
        true => Expr::exists(local, list, condition),
        false => Expr::all(local, list, condition),
    }
}

/// Statements of an update or an entry action.
pub fn update(r: &mut Random, names: &Names, depth: usize) -> Vec<Stmt> {
    (0..1 + r.below(2)).map(|_| stmt(r, names, depth)).collect()
}

fn stmt(r: &mut Random, names: &Names, depth: usize) -> Stmt {
    let writable = names.writable();
    match r.below(20) {
        0..12 if !writable.is_empty() => {
            let place = *r.pick(&writable);
            if r.percent(50) {
                let one = Box::new(Expr::Const(Value::Int(1 + r.below(2) as i64)));
                return Stmt::Assign(
                    place,
                    Expr::Binary(BinaryOp::Add, Box::new(Expr::Read(place)), one),
                );
            }
            Stmt::Assign(place, any(r, names, 2))
        }
        12 if depth > 0 => {
            let then = update(r, names, depth - 1);
            let otherwise = if r.percent(40) { update(r, names, depth - 1) } else { vec![] };
            Stmt::If(truth(r, names, 1), then, otherwise)
        }
        13 if depth > 0 && !writable.is_empty() => {
            // Bounded by a counter, or by the budget in one case of many.
            let place = *r.pick(&writable);
            let below = Expr::Const(Value::Int(3));
            let body = vec![
                Stmt::Assign(
                    place,
                    Expr::Binary(
                        BinaryOp::Add,
                        Box::new(Expr::Read(place)),
                        Box::new(Expr::Const(Value::Int(1))),
                    ),
                ),
                if r.percent(30) { Stmt::Break } else { Stmt::Continue },
            ];
            Stmt::While(
                Expr::Binary(BinaryOp::Lt, Box::new(Expr::Read(place)), Box::new(below)),
                body,
            )
        }
        14 if depth > 0 && !writable.is_empty() => {
            let local = LocalId(7);
            let mut inner = names.clone();
            inner.locals.push(local);
            let list = Expr::List((0..r.below(3)).map(|_| any(r, names, 1)).collect());
            let mut body = update(r, &inner, depth - 1);
            if r.percent(30) {
                body.push(Stmt::If(truth(r, &inner, 1), vec![Stmt::Break], vec![]));
            }
            Stmt::ForEach(local, list, body)
        }
        15 if !names.channels.is_empty() => {
            // A register property's configurations are in no order one could rely on, so what
            // they send does not depend on them.
            let mut send = |with: i64| {
                let arg = match names.registers.is_empty() {
                    true if r.percent(50) => any(r, names, 1),
                    _ => Expr::Const(Value::Int(with)),
                };
                Stmt::Send(*r.pick(&names.channels), vec![arg])
            };
            match names.registers.is_empty() {
                // Two at once tell in which order they arrive.
                true => Stmt::If(Expr::Const(Value::Bool(true)), vec![send(1), send(2)], vec![]),
                false => send(1),
            }
        }
        16 if names.outputs => Stmt::Print(any(r, names, 1)),
        17 if !names.clocks.is_empty() => {
            let clock = *r.pick(&names.clocks);
            match r.percent(70) {
                true if r.percent(70) => Stmt::ResetClock(clock),
                true => Stmt::SetClock(clock, any(r, names, 1)),
                false => Stmt::StopClock(clock),
            }
        }
        18 if r.percent(20) => Stmt::Return(None),
        _ => Stmt::Eval(any(r, names, 1)),
    }
}

/// A message.
pub fn template(r: &mut Random, names: &Names) -> Template {
    let mut parts = vec![TemplatePart::Text("m".into())];
    if r.percent(70) {
        parts.push(TemplatePart::Value(any(r, names, 1)));
    }
    Template { parts }
}
