//! Python as it was written.

use watchword_model::Span;

#[derive(Clone, Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `a = b = e`: the targets from left to right.
    Assign(Vec<Expr>, Expr),
    Augmented(Expr, Op, Expr),
    Expr(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    For(Name, Expr, Vec<Stmt>),
    Break,
    Continue,
    Pass,
    Return(Option<Expr>),
    Delete(Expr),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    pub params: Vec<Name>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Name(String),
    Int(i64),
    Float(f64),
    Str(String),
    /// An f-string: texts and expressions by turns.
    Format(Vec<Piece>),
    Bool(bool),
    None,
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Invert(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `a if c else b`: c, a, b.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(Name, Vec<Expr>),
    Method(Box<Expr>, Name, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Piece {
    Text(String),
    Value(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
    Is,
    IsNot,
}

/// Visits every expression of statements, outer ones first.
pub fn each_expr<'a>(stmts: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Assign(targets, value) => {
                targets.iter().for_each(|e| within(e, visit));
                within(value, visit);
            }
            StmtKind::Augmented(target, _, value) => {
                within(target, visit);
                within(value, visit);
            }
            StmtKind::Expr(e) | StmtKind::Delete(e) | StmtKind::Return(Some(e)) => within(e, visit),
            StmtKind::If(condition, then, otherwise) => {
                within(condition, visit);
                each_expr(then, visit);
                each_expr(otherwise, visit);
            }
            StmtKind::While(e, body) | StmtKind::For(_, e, body) => {
                within(e, visit);
                each_expr(body, visit);
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Pass | StmtKind::Return(None) => {}
        }
    }
}

/// Visits an expression and what it is made of.
pub fn within<'a>(e: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(e);
    match &e.kind {
        ExprKind::Name(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Bool(_)
        | ExprKind::None => {}
        ExprKind::Format(pieces) => {
            for piece in pieces {
                if let Piece::Value(e) = piece {
                    within(e, visit);
                }
            }
        }
        ExprKind::List(items) | ExprKind::Tuple(items) | ExprKind::Call(_, items) => {
            items.iter().for_each(|e| within(e, visit));
        }
        ExprKind::Dict(entries) => {
            for (key, value) in entries {
                within(key, visit);
                within(value, visit);
            }
        }
        ExprKind::Not(a) | ExprKind::Negate(a) | ExprKind::Invert(a) => within(a, visit),
        ExprKind::Binary(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Index(a, b) => {
            within(a, visit);
            within(b, visit);
        }
        ExprKind::Compare(first, rest) => {
            within(first, visit);
            rest.iter().for_each(|(_, e)| within(e, visit));
        }
        ExprKind::Conditional(a, b, c) => {
            within(a, visit);
            within(b, visit);
            within(c, visit);
        }
        ExprKind::Method(receiver, _, args) => {
            within(receiver, visit);
            args.iter().for_each(|e| within(e, visit));
        }
    }
}

/// Whether some statement returns.
pub fn returns(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::If(_, then, otherwise) => returns(then) || returns(otherwise),
        StmtKind::While(_, body) | StmtKind::For(_, _, body) => returns(body),
        _ => false,
    })
}
