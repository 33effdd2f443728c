//! Expressions and statements → code of the stack machine.

use std::collections::HashMap;

use watchword_model::{Expr, FunctionId, Model, Place, Stmt, Type, Value, VarId};
use watchword_step::{self as step, Kind, NONE, Op, Tag};

/// Code under construction: one per property or context.
#[derive(Debug)]
pub(crate) struct Coder<'m> {
    model: &'m Model,
    /// Where the variables of the context chain live.
    vars: HashMap<VarId, u32>,
    register_types: Vec<Type>,
    /// By window: the variable that holds it, and what it comes to.
    windows: Vec<(u32, step::Aggregate)>,
    pub code: Vec<Op>,
    pub constants: Vec<Value>,
    pub functions: Vec<step::FunctionRow>,
    pub actions: Vec<String>,
    numbers: HashMap<FunctionId, u16>,
    todo: Vec<FunctionId>,
    /// Words on the stack above the locals, at the current instruction.
    depth: u32,
    /// The most there ever are in code outside functions, and in functions.
    pub deepest: u32,
    loops: Vec<Loop>,
    /// Where `return` leads: the depth to cut back to, and the jumps to mend.
    blocks: Vec<Block>,
    /// While a key expression is inlined: what its `Arg(0)` stands for.
    subject: Option<Place>,
}

#[derive(Debug)]
struct Loop {
    depth: u32,
    again: u32,
    breaks: Vec<usize>,
}

#[derive(Debug)]
struct Block {
    depth: u32,
    exits: Vec<usize>,
    /// Whether it leaves a value.
    value: bool,
}

impl<'m> Coder<'m> {
    pub fn new(model: &'m Model, vars: HashMap<VarId, u32>, register_types: Vec<Type>) -> Self {
        Coder {
            model,
            vars,
            register_types,
            windows: Vec::new(),
            code: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            actions: Vec::new(),
            numbers: HashMap::new(),
            todo: Vec::new(),
            depth: 0,
            deepest: 0,
            loops: Vec::new(),
            blocks: Vec::new(),
            subject: None,
        }
    }

    /// The same for a property with windows.
    pub fn with_windows(self, windows: Vec<(u32, step::Aggregate)>) -> Self {
        Coder { windows, ..self }
    }

    /// The variable that holds a window, and what it comes to.
    pub fn window(&self, number: usize) -> (u32, step::Aggregate) {
        self.windows.get(number).copied().unwrap_or((NONE, step::Aggregate::Count))
    }

    fn here(&self) -> u32 {
        u32::try_from(self.code.len()).expect("code fits in 32 bits")
    }

    fn emit(&mut self, op: Op, pops: u32, pushes: u32) -> usize {
        self.code.push(op);
        self.depth = self.depth.saturating_sub(pops) + pushes;
        self.deepest = self.deepest.max(self.depth + 2);
        self.code.len() - 1
    }

    fn mend(&mut self, at: usize) {
        let here = self.here();
        match &mut self.code[at] {
            Op::Jump(to) | Op::JumpIfFalse(to) | Op::JumpIfTrue(to) => *to = here,
            _ => {}
        }
    }

    pub fn constant(&mut self, value: Value) -> u32 {
        self.constants.push(value);
        u32::try_from(self.constants.len() - 1).expect("constants fit in 32 bits")
    }

    /// Code that leaves the value of an expression.
    pub fn expression(&mut self, expr: &Expr) -> u32 {
        let entry = self.here();
        self.depth = 0;
        self.expr(expr);
        self.emit(Op::Halt, 1, 0);
        self.finish_functions();
        entry
    }

    /// Code that runs statements; [`NONE`] if there are none.
    pub fn statements(&mut self, stmts: &[Stmt]) -> u32 {
        if stmts.is_empty() {
            return NONE;
        }
        let entry = self.here();
        self.depth = 0;
        self.block(stmts, false);
        self.emit(Op::Halt, 0, 0);
        self.finish_functions();
        entry
    }

    /// Code that leaves whether the key of a place is the same as the key of an argument.
    pub fn same_keys(&mut self, key: &Expr, place: Place, arg: u32) -> u32 {
        let entry = self.here();
        self.depth = 0;
        self.subject = Some(place);
        self.expr(key);
        self.subject = Some(Place::Arg(arg));
        self.expr(key);
        self.subject = None;
        self.emit(Op::Binary(step::Binary::Eq), 2, 1);
        self.emit(Op::Halt, 1, 0);
        self.finish_functions();
        entry
    }

    fn finish_functions(&mut self) {
        while let Some(id) = self.todo.pop() {
            let function = &self.model.functions[id.index()];
            let number = self.numbers[&id] as usize;
            self.functions[number].entry = self.here();
            self.depth = 0;
            self.block(&function.body, true);
            self.emit(Op::Return, 1, 0);
        }
    }

    /// Statements whose `return` leads to their end; so does a `break` that is not in a loop of
    /// their own.
    fn block(&mut self, stmts: &[Stmt], value: bool) {
        let depth = self.depth;
        self.blocks.push(Block { depth, exits: Vec::new(), value });
        let outer = std::mem::take(&mut self.loops);
        self.stmts(stmts);
        self.loops = outer;
        if value {
            self.depth = depth;
            self.push_value(Value::Null);
        }
        let block = self.blocks.pop().expect("pushed above");
        for exit in block.exits {
            self.mend(exit);
        }
        self.depth = depth + u32::from(value);
    }

    fn push_value(&mut self, value: Value) {
        let constant = self.constant(value);
        self.emit(Op::Constant(constant), 0, 1);
    }

    /// Leaves the innermost block; its value, if it has one, is on top.
    fn leave_block(&mut self) {
        let Some(block) = self.blocks.last() else { return };
        let kept = u32::from(block.value);
        let excess = self.depth.saturating_sub(block.depth + kept);
        let depth = self.depth;
        if excess > 0 {
            let op = if block.value { Op::Squash(excess) } else { Op::Pop(excess) };
            self.emit(op, excess, 0);
        }
        let exit = self.emit(Op::Jump(NONE), 0, 0);
        self.blocks.last_mut().expect("checked above").exits.push(exit);
        self.depth = depth;
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign(place, expr) => {
                self.expr(expr);
                self.assign(*place);
            }
            Stmt::If(cond, then, otherwise) => {
                self.expr(cond);
                let over = self.emit(Op::JumpIfFalse(NONE), 1, 0);
                self.stmts(then);
                if otherwise.is_empty() {
                    self.mend(over);
                } else {
                    let end = self.emit(Op::Jump(NONE), 0, 0);
                    self.mend(over);
                    self.stmts(otherwise);
                    self.mend(end);
                }
            }
            Stmt::While(cond, body) => {
                let again = self.here();
                self.expr(cond);
                let out = self.emit(Op::JumpIfFalse(NONE), 1, 0);
                self.emit(Op::Spend, 0, 0);
                self.open_loop(again);
                self.stmts(body);
                self.emit(Op::Jump(again), 0, 0);
                self.mend(out);
                self.close_loop();
            }
            Stmt::ForEach(local, expr, body) => {
                self.expr(expr);
                self.emit(Op::Iterate, 1, 2);
                let again = self.here();
                self.emit(Op::Next(local.0), 0, 0);
                let out = self.emit(Op::Jump(NONE), 0, 0);
                self.open_loop(again);
                self.stmts(body);
                self.emit(Op::Jump(again), 0, 0);
                // A `break` leaves list and position behind, the end of the list does not.
                self.close_loop();
                self.emit(Op::Pop(2), 2, 0);
                self.mend(out);
            }
            Stmt::Break => match self.loops.last() {
                Some(_) => {
                    let exit = self.cut_to_loop(None);
                    self.loops.last_mut().expect("checked above").breaks.push(exit);
                }
                // Outside a loop it ends the block.
                None => self.give_up_block(),
            },
            Stmt::Continue => match self.loops.last() {
                Some(innermost) => {
                    let again = innermost.again;
                    self.cut_to_loop(Some(again));
                }
                None => self.give_up_block(),
            },
            Stmt::Return(value) => {
                let wanted = self.blocks.last().is_some_and(|b| b.value);
                match value {
                    Some(expr) => {
                        self.expr(expr);
                        if !wanted {
                            self.emit(Op::Pop(1), 1, 0);
                        }
                    }
                    None if wanted => self.push_value(Value::Null),
                    None => {}
                }
                self.leave_block();
                if wanted {
                    self.depth -= 1;
                }
            }
            Stmt::Eval(expr) => {
                self.expr(expr);
                self.emit(Op::Pop(1), 1, 0);
            }
            Stmt::Send(event, args) => {
                let count = self.exprs(args);
                self.emit(Op::Send(event.0, count), u32::from(count), 0);
            }
            Stmt::Print(expr) => {
                self.expr(expr);
                self.emit(Op::Print, 1, 0);
            }
            Stmt::Action(name, args) => {
                let count = self.exprs(args);
                let known = self.actions.iter().position(|a| a == name);
                let number = known.unwrap_or_else(|| {
                    self.actions.push(name.clone());
                    self.actions.len() - 1
                });
                let number = u32::try_from(number).expect("actions fit in 32 bits");
                self.emit(Op::Action(number, count), u32::from(count), 0);
            }
            Stmt::ResetClock(clock) => {
                self.emit(Op::ResetClock(clock.0), 0, 0);
            }
            Stmt::SetClock(clock, after) => {
                self.expr(after);
                self.emit(Op::SetClock(clock.0), 1, 0);
            }
            Stmt::StopClock(clock) => {
                self.emit(Op::StopClock(clock.0), 0, 0);
            }
        }
    }

    fn open_loop(&mut self, again: u32) {
        self.loops.push(Loop { depth: self.depth, again, breaks: Vec::new() });
    }

    fn close_loop(&mut self) {
        let innermost = self.loops.pop().expect("opened before");
        for exit in innermost.breaks {
            self.mend(exit);
        }
    }

    /// Cuts the stack back to the innermost loop's and jumps.
    fn cut_to_loop(&mut self, to: Option<u32>) -> usize {
        let depth = self.depth;
        let target = self.loops.last().map_or(0, |l| l.depth);
        if depth > target {
            self.emit(Op::Pop(depth - target), depth - target, 0);
        }
        let jump = self.emit(Op::Jump(to.unwrap_or(NONE)), 0, 0);
        self.depth = depth;
        jump
    }

    fn give_up_block(&mut self) {
        let depth = self.depth;
        if self.blocks.last().is_some_and(|b| b.value) {
            self.push_value(Value::Null);
        }
        self.leave_block();
        self.depth = depth;
    }

    fn assign(&mut self, place: Place) {
        let op = match place {
            Place::Var(var) => match self.vars.get(&var) {
                Some(slot) => Op::SetVar(
                    u16::try_from(*slot).expect("an instance has fewer than 2^16 variables"),
                    kind_of(self.model.variables[var.index()].ty),
                ),
                None => Op::Pop(1),
            },
            Place::Register(register) => Op::SetRegister(
                u16::try_from(register.0).expect("a property has fewer than 2^16 registers"),
                kind_of(self.register_types.get(register.index()).copied().unwrap_or(Type::Any)),
            ),
            Place::Local(local) => Op::SetLocal(local.0),
            // Front ends refuse these.
            Place::Param(_) | Place::Arg(_) | Place::Window(_) | Place::Now => Op::Pop(1),
        };
        self.emit(op, 1, 0);
    }

    fn exprs(&mut self, exprs: &[Expr]) -> u16 {
        for expr in exprs {
            self.expr(expr);
        }
        u16::try_from(exprs.len()).expect("fewer than 2^16 operands")
    }

    /// Where a place is, in the machine's terms.
    pub fn place(&self, place: Place) -> step::Place {
        match place {
            Place::Param(p) => step::Place::Param(p.0),
            Place::Var(v) => step::Place::Var(self.vars.get(&v).copied().unwrap_or(NONE)),
            Place::Register(r) => step::Place::Register(r.0),
            Place::Local(l) => step::Place::Local(l.0),
            Place::Arg(i) => step::Place::Arg(i),
            // Nothing but code reads what a window comes to, and what time it is.
            Place::Window(_) | Place::Now => step::Place::Var(NONE),
        }
    }

    fn read(&mut self, place: Place) {
        let place = match (place, self.subject) {
            (Place::Arg(0), Some(subject)) => subject,
            (place, _) => place,
        };
        if place == Place::Now {
            self.emit(Op::Now, 0, 1);
            return;
        }
        if let Place::Window(window) = place {
            let (var, aggregate) = self.window(window.index());
            self.emit(Op::Window(var, aggregate), 0, 1);
            return;
        }
        let op = match self.place(place) {
            step::Place::Param(i) => Op::Param(i),
            step::Place::Var(i) => Op::Var(i),
            step::Place::Register(i) => Op::Register(i),
            step::Place::Local(i) => Op::Local(i),
            step::Place::Arg(i) => Op::Arg(i),
            step::Place::Constant(i) => Op::Constant(i),
        };
        self.emit(op, 0, 1);
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(value) => self.push_value(value.clone()),
            Expr::Read(place) => self.read(*place),
            Expr::Unary(op, operand) => {
                self.expr(operand);
                self.emit(Op::Unary(*op), 1, 1);
            }
            Expr::Binary(op, left, right) => {
                self.expr(left);
                self.expr(right);
                self.emit(Op::Binary(*op), 2, 1);
            }
            Expr::And(left, right) => self.short_circuit(left, right, false),
            Expr::Or(left, right) => self.short_circuit(left, right, true),
            Expr::If(cond, then, otherwise) => {
                self.expr(cond);
                let over = self.emit(Op::JumpIfFalse(NONE), 1, 0);
                self.expr(then);
                let end = self.emit(Op::Jump(NONE), 1, 0);
                self.mend(over);
                self.expr(otherwise);
                self.mend(end);
            }
            Expr::Builtin(function, args) => {
                let count = self.exprs(args);
                self.emit(Op::Builtin(*function, count), u32::from(count), 1);
            }
            Expr::Call(function, args) => {
                let count = self.exprs(args);
                let number = self.function(*function);
                self.emit(Op::Call(number, count), u32::from(count), 1);
            }
            Expr::Block(stmts) => self.block(stmts, true),
            Expr::List(items) => {
                let count = u32::from(self.exprs(items));
                self.emit(Op::List(count), count, 1);
            }
            Expr::Map(entries) => {
                for (key, value) in entries {
                    self.expr(key);
                    self.expr(value);
                }
                let count = u32::try_from(entries.len()).expect("fewer than 2^32 entries");
                self.emit(Op::Map(count), count * 2, 1);
            }
        }
    }

    /// `and` (stops at false) and `or` (stops at true).
    fn short_circuit(&mut self, left: &Expr, right: &Expr, stops: bool) {
        self.expr(left);
        let jump = if stops { Op::JumpIfTrue(NONE) } else { Op::JumpIfFalse(NONE) };
        let short = self.emit(jump, 1, 0);
        self.expr(right);
        self.emit(Op::Truth, 1, 1);
        let end = self.emit(Op::Jump(NONE), 1, 0);
        self.mend(short);
        self.push_value(Value::Bool(stops));
        self.mend(end);
    }

    fn function(&mut self, id: FunctionId) -> u16 {
        if let Some(number) = self.numbers.get(&id) {
            return *number;
        }
        let number = u16::try_from(self.functions.len()).expect("fewer than 2^16 functions");
        let locals = self.model.functions[id.index()].locals;
        self.functions.push(step::FunctionRow { entry: NONE, locals });
        self.numbers.insert(id, number);
        self.todo.push(id);
        number
    }

    /// How much stack any evaluation needs, locals aside: calls nest at most so deep.
    pub fn stack(&self) -> u32 {
        let locals = self.functions.iter().map(|f| f.locals).max().unwrap_or(0);
        let calls = if self.functions.is_empty() { 0 } else { step::MAX_DEPTH };
        (self.deepest + 2) * (calls + 1) + (locals + 4) * calls + 8
    }
}

/// What a place declared with a type holds.
pub(crate) fn kind_of(ty: Type) -> Kind {
    match ty {
        Type::Any => Kind::Any,
        Type::Bool => Kind::Of(Tag::Bool),
        Type::Int | Type::Duration => Kind::Of(Tag::Int),
        Type::Float => Kind::Of(Tag::Float),
        Type::Str => Kind::Of(Tag::Str),
        Type::Ref => Kind::Of(Tag::Ref),
        Type::Ptr => Kind::Of(Tag::Ptr),
        Type::List => Kind::Of(Tag::List),
        Type::Map => Kind::Of(Tag::Map),
    }
}
