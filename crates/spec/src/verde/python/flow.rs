//! Which names a block reads before it has surely assigned to them, and which it assigns to.

use std::collections::BTreeSet;

use super::tree::{Expr, ExprKind, Stmt, StmtKind, within};

/// Methods that change what they are called on.
pub const CHANGING: [&str; 3] = ["append", "pop", "clear"];

/// What a block does with names.
#[derive(Clone, Debug, Default)]
pub struct Names<'t> {
    /// Read where nothing in the block has surely assigned to them.
    pub free: BTreeSet<&'t str>,
    /// Assigned to.
    pub assigned: BTreeSet<&'t str>,
}

/// Follows a block.
pub fn names<'t>(stmts: &'t [Stmt], known: &[&'t str]) -> Names<'t> {
    let mut names = Names::default();
    let mut defined: BTreeSet<&'t str> = known.iter().copied().collect();
    names.follow(stmts, &mut defined);
    names
}

impl<'t> Names<'t> {
    fn follow(&mut self, stmts: &'t [Stmt], defined: &mut BTreeSet<&'t str>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Assign(targets, value) => {
                    self.read(value, defined);
                    self.call(value, defined);
                    for target in targets {
                        self.write(target, defined);
                    }
                }
                StmtKind::Augmented(target, _, value) => {
                    self.read(target, defined);
                    self.read(value, defined);
                    self.write(target, defined);
                }
                StmtKind::Delete(target) => {
                    self.read(target, defined);
                    self.write(target, defined);
                }
                StmtKind::Expr(e) => {
                    self.read(e, defined);
                    self.call(e, defined);
                }
                StmtKind::Return(Some(e)) => self.read(e, defined),
                StmtKind::If(condition, then, otherwise) => {
                    self.read(condition, defined);
                    let mut other = defined.clone();
                    self.follow(then, defined);
                    self.follow(otherwise, &mut other);
                    defined.retain(|name| other.contains(name));
                }
                StmtKind::While(condition, body) => {
                    self.read(condition, defined);
                    self.follow(body, &mut defined.clone());
                }
                StmtKind::For(name, items, body) => {
                    self.read(items, defined);
                    self.assigned.insert(&name.text);
                    let mut inside = defined.clone();
                    inside.insert(&name.text);
                    self.follow(body, &mut inside);
                }
                StmtKind::Break | StmtKind::Continue | StmtKind::Pass | StmtKind::Return(None) => {}
            }
        }
    }

    fn read(&mut self, e: &'t Expr, defined: &BTreeSet<&'t str>) {
        within(e, &mut |e| {
            if let ExprKind::Name(name) = &e.kind
                && !defined.contains(name.as_str())
            {
                self.free.insert(name);
            }
        });
    }

    /// A method may change what it is called on.
    fn call(&mut self, e: &'t Expr, defined: &mut BTreeSet<&'t str>) {
        if let ExprKind::Method(receiver, name, _) = &e.kind
            && CHANGING.contains(&name.text.as_str())
        {
            self.write(receiver, defined);
        }
    }

    fn write(&mut self, target: &'t Expr, defined: &mut BTreeSet<&'t str>) {
        match &target.kind {
            ExprKind::Name(name) => {
                self.assigned.insert(name);
                defined.insert(name);
            }
            // An element of something: the whole is read and written.
            ExprKind::Index(root, index) => {
                self.read(root, defined);
                self.read(index, defined);
                self.write(root, defined);
            }
            _ => self.read(target, defined),
        }
    }
}
