//! From Python to the model's expressions and statements.
//!
//! Types are inferred as far as they are certain; what is certainly wrong is an error here, what
//! may be wrong is found when it is evaluated and makes the transition not relevant. Where Python
//! and the model differ (truth of any value, `/`, `%`, `//`, negative indices, `and` and `or` as
//! values, the spelling of `True` and `None`), the difference is compiled in.

mod build;
mod calls;
mod expressions;
mod statements;
mod text;

use std::collections::BTreeMap;

use watchword_model::{Expr, FunctionId, LocalId, Place, Span, Stmt, Type, Value};

use super::tree::{self, StmtKind};
use crate::diagnostic::{Code, Diagnostic};

/// What kind of block is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Decides, changes nothing.
    Guard,
    /// Success, failure, or an event's block without `return`.
    Update,
    /// The first values of the environment.
    Initialization,
    /// A companion function.
    Function,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A variable of the environment.
    Environment(Place),
    /// A parameter of the event or of the slice.
    Given(Expr, Type),
    /// A constant of the companion file.
    Constant(Expr, Type),
    /// A variable of this block.
    Local(LocalId),
}

/// A function that can be called.
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    pub id: FunctionId,
    pub params: usize,
    /// Whether it prints, or calls one that does.
    pub prints: bool,
}

/// What is known of the types of variables: of the environment under scope 0, of blocks under
/// scopes of their own. It only ever grows less certain, so asking again ends.
#[derive(Clone, Debug, Default)]
pub struct Types {
    known: BTreeMap<(usize, String), Type>,
    pub changed: bool,
}

impl Types {
    pub fn get(&self, scope: usize, name: &str) -> Option<Type> {
        self.known.get(&(scope, name.to_string())).copied()
    }

    pub fn join(&mut self, scope: usize, name: &str, ty: Type) {
        let known = self.known.entry((scope, name.to_string())).or_insert_with(|| {
            self.changed = true;
            ty
        });
        if *known != ty && *known != Type::Any {
            *known = Type::Any;
            self.changed = true;
        }
    }

    /// Nothing is certain any more.
    pub fn give_up(&mut self) {
        self.known.values_mut().for_each(|ty| *ty = Type::Any);
    }
}

/// An expression with what is known of its type.
#[derive(Clone, Debug)]
struct Typed {
    expr: Expr,
    ty: Type,
}

/// Compiles blocks.
pub struct Lowering<'a> {
    pub mode: Mode,
    /// Where [`Types`] keeps the types of the block's own variables.
    pub scope: usize,
    pub names: BTreeMap<String, Binding>,
    pub functions: &'a BTreeMap<String, Callee>,
    pub types: &'a mut Types,
    pub next_local: u32,
    pub said: &'a mut Vec<Diagnostic>,
}

const NULL: Expr = Expr::Const(Value::Null);

impl Lowering<'_> {
    /// The statements of a block.
    pub fn block(&mut self, stmts: &[tree::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in stmts {
            self.stmt(stmt, &mut out);
        }
        out
    }

    /// A guard: the expression of a single `return`, or a block.
    pub fn guard(&mut self, stmts: &[tree::Stmt]) -> Expr {
        if let [tree::Stmt { kind: StmtKind::Return(Some(value)), .. }] = stmts {
            return self.returned(value);
        }
        Expr::Block(self.block(stmts))
    }

    /// An expression.
    pub fn value(&mut self, e: &tree::Expr) -> (Expr, Type) {
        let Typed { expr, ty } = self.expr(e);
        (expr, ty)
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.said.push(Diagnostic::error(code, span, message));
    }

    fn outside(&mut self, span: Span, message: impl Into<String>, why: &str) {
        self.said.push(Diagnostic::error(Code::VerdePython, span, message).rule(why));
    }

    fn temporary(&mut self) -> LocalId {
        self.next_local += 1;
        LocalId(self.next_local - 1)
    }

    fn local(&mut self, name: &str) -> LocalId {
        if let Some(Binding::Local(id)) = self.names.get(name) {
            return *id;
        }
        let id = self.temporary();
        self.names.insert(name.to_string(), Binding::Local(id));
        id
    }

    /// Uses a value several times but computes it once.
    fn once(&mut self, value: Expr, build: impl FnOnce(&mut Self, Expr) -> Expr) -> Expr {
        if matches!(value, Expr::Const(_) | Expr::Read(_)) {
            return build(self, value);
        }
        let local = Place::Local(self.temporary());
        let built = build(self, Expr::Read(local));
        Expr::Block(vec![Stmt::Assign(local, value), Stmt::Return(Some(built))])
    }
}
