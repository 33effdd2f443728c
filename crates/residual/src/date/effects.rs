//! What statements and expressions read, write and do to the world outside the automaton.

use std::collections::BTreeSet;

use watchword_model::{
    BinaryOp, ClockId, Expr, FunctionId, Model, Place, Stmt, Template, TemplatePart, Type, VarId,
};

use crate::mistake::Mistake;

/// What a piece of code reads, writes and does.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Variables it reads.
    pub reads: BTreeSet<VarId>,
    /// Variables it writes.
    pub writes: BTreeSet<VarId>,
    /// Clocks it sets or stops.
    pub clocks: BTreeSet<ClockId>,
    /// Whether it does something that is seen elsewhere: prints, sends, acts.
    pub outputs: bool,
    /// Whether it writes registers.
    pub registers: bool,
    /// Whether evaluating it may be *not relevant*.
    pub may_fail: bool,
}

impl Effects {
    /// Adds what a list of statements does.
    pub fn statements(&mut self, model: &Model, statements: &[Stmt]) {
        for statement in statements {
            match statement {
                Stmt::Assign(place, value) => {
                    self.expr(model, value);
                    self.assign(model, *place, value);
                }
                Stmt::If(condition, then, otherwise) => {
                    self.expr(model, condition);
                    // What is no truth value is not relevant.
                    self.may_fail = true;
                    self.statements(model, then);
                    self.statements(model, otherwise);
                }
                Stmt::While(e, body) | Stmt::ForEach(_, e, body) => {
                    self.expr(model, e);
                    self.may_fail = true;
                    self.statements(model, body);
                }
                Stmt::Return(Some(e)) | Stmt::Eval(e) => self.expr(model, e),
                Stmt::Send(_, args) | Stmt::Action(_, args) => {
                    self.outputs |= !Mistake::NothingIsSeen.is_made();
                    args.iter().for_each(|e| self.expr(model, e));
                }
                Stmt::Print(e) => {
                    self.outputs |= !Mistake::NothingIsSeen.is_made();
                    self.expr(model, e);
                }
                Stmt::ResetClock(clock) | Stmt::StopClock(clock) => {
                    if !Mistake::ClockActionsIgnored.is_made() {
                        self.clocks.insert(*clock);
                    }
                }
                Stmt::SetClock(clock, after) => {
                    self.expr(model, after);
                    self.may_fail = true;
                    if !Mistake::ClockActionsIgnored.is_made() {
                        self.clocks.insert(*clock);
                    }
                }
                Stmt::Break | Stmt::Continue | Stmt::Return(None) => {}
            }
        }
    }

    fn assign(&mut self, model: &Model, place: Place, value: &Expr) {
        match place {
            Place::Var(var) => {
                self.writes.insert(var);
                // A value that does not fit the declared type is not relevant.
                let ty = model.variables[var.index()].ty;
                let fits = match value {
                    Expr::Const(value) => value.clone().coerce(ty).is_some(),
                    _ => ty == Type::Any,
                };
                self.may_fail |= !fits;
            }
            Place::Register(_) => {
                self.registers = true;
                self.may_fail = true;
            }
            Place::Local(_) => {}
            Place::Param(_) | Place::Arg(_) | Place::Window(_) | Place::Now => self.may_fail = true,
        }
    }

    /// Adds what an expression does.
    pub fn expr(&mut self, model: &Model, e: &Expr) {
        match e {
            Expr::Const(_) => {}
            Expr::Read(Place::Var(var)) => {
                self.reads.insert(*var);
            }
            Expr::Read(_) => {}
            Expr::Binary(op, a, b) => {
                self.may_fail |= !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
                self.expr(model, a);
                self.expr(model, b);
            }
            Expr::Unary(_, a) => {
                self.may_fail = true;
                self.expr(model, a);
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.may_fail = true;
                self.expr(model, a);
                self.expr(model, b);
            }
            Expr::If(a, b, c) => {
                self.may_fail = true;
                [a, b, c].into_iter().for_each(|e| self.expr(model, e));
            }
            Expr::Builtin(_, args) => {
                self.may_fail = true;
                args.iter().for_each(|e| self.expr(model, e));
            }
            Expr::Call(function, args) => {
                self.may_fail = true;
                args.iter().for_each(|e| self.expr(model, e));
                self.call(model, *function);
            }
            Expr::Block(statements) => {
                self.may_fail = true;
                self.statements(model, statements);
            }
            Expr::List(list) => list.iter().for_each(|e| self.expr(model, e)),
            Expr::Map(list) => {
                self.may_fail = true;
                for (k, v) in list {
                    self.expr(model, k);
                    self.expr(model, v);
                }
            }
        }
    }

    /// Functions have only locals, and do not call themselves.
    fn call(&mut self, model: &Model, function: FunctionId) {
        if let Some(function) = model.functions.get(function.index()) {
            self.statements(model, &function.body);
        }
    }

    /// Adds what a message reads.
    pub fn template(&mut self, model: &Model, template: &Template) {
        for part in &template.parts {
            if let TemplatePart::Value(e) = part {
                self.expr(model, e);
            }
        }
    }

    /// Whether it leaves alone everything that matters.
    pub fn is_idle(&self, live: &BTreeSet<VarId>) -> bool {
        !self.outputs && !self.registers && self.clocks.is_empty() && self.writes.is_disjoint(live)
    }
}
