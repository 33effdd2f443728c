//! Formulas whose times are kept, for bounds of time over what no event alone says:
//! `once within 5 s (a and previous b)`.
//!
//! A window holds events, and it cannot know which formulas were true at them. So the automaton, which
//! knows that, writes the time of an event at which the formula is true into a variable: the last such
//! time for `within`, the first one for `after`. A guard compares it with the present time. It reads
//! what earlier events wrote, so the present event is asked separately.

use watchword_model::{
    BinaryOp, ContextId, Expr, Place, Span, Stmt, Time, Type, Value, VarId, Variable,
};

use super::Lowering;
use super::context::Owner;
use super::letters::Atoms;
use super::promise::is_past;
use super::types::stored;
use crate::ww::ltl::Ltl;
use crate::ww::tree::{Bound, Formula};

/// Which of the times at which a formula was true is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    First,
    Last,
}

/// A formula whose time is kept.
pub(super) struct Recalled {
    pub formula: Ltl,
    which: Which,
    at: Place,
}

impl Recalled {
    /// The update at an event at which the formula is true.
    pub(super) fn keep(&self) -> Stmt {
        let keep = Stmt::Assign(self.at, Expr::Read(Place::Now));
        match self.which {
            Which::Last => keep,
            Which::First => Stmt::If(self.is_known(BinaryOp::Eq), vec![keep], Vec::new()),
        }
    }

    /// Whether no time is kept yet, or whether one is.
    fn is_known(&self, op: BinaryOp) -> Expr {
        Expr::Binary(op, Box::new(Expr::Read(self.at)), Box::new(Expr::Const(Value::Null)))
    }

    /// Whether the time that is kept is so long ago.
    fn is_ago(&self, op: BinaryOp, time: Time) -> Expr {
        let (now, at) = (Box::new(Expr::Read(Place::Now)), Box::new(Expr::Read(self.at)));
        let ago = Box::new(Expr::Binary(BinaryOp::Sub, now, at));
        let compared = Expr::Binary(op, ago, Box::new(Expr::Const(Value::Int(time))));
        Expr::And(Box::new(self.is_known(BinaryOp::Ne)), Box::new(compared))
    }
}

impl Lowering<'_> {
    /// `previous within 5 s F`.
    pub(super) fn previously(
        &mut self,
        bound: &Bound,
        operand: &Formula,
        owner: &mut Owner,
        atoms: &mut Atoms,
    ) -> Option<Ltl> {
        let (from, to) = self.bounds(bound, operand.span, owner)?;
        let formula = self.formula_atoms(operand, owner, atoms)?;
        let before = self.recalled(Ltl::Const(true), Which::Last, owner, atoms, operand.span)?;
        let is_ago = |op, time| atoms.recalled[before].is_ago(op, time);
        let guards =
            [(from > 0).then(|| is_ago(BinaryOp::Ge, from)), to.map(|to| is_ago(BinaryOp::Le, to))];
        let mut whole = Ltl::Previous(Box::new(formula));
        for guard in guards.into_iter().flatten() {
            let asked = Ltl::Atom(atoms.any_if(guard, operand.span));
            whole = Ltl::And(Box::new(whole), Box::new(asked));
        }
        Some(whole)
    }

    /// Whether a formula was true at some event within the bound, including the present one.
    pub(super) fn recently_true(
        &mut self,
        bound: &Bound,
        operand: &Formula,
        owner: &mut Owner,
        atoms: &mut Atoms,
    ) -> Option<Ltl> {
        if !is_past(operand) {
            self.not_timed(
                operand.span,
                "the past with a time bound contains a future operator",
                "use past operators inside of it",
            );
            return None;
        }
        let (from, to) = self.bounds(bound, operand.span, owner)?;
        if from > 0 && to.is_some() {
            self.not_timed(
                operand.span,
                "this is neither an event nor several events joined with `or`",
                "name the events: `once between 5 s and 10 s (a or b)`; other formulas have one bound, `within` or `after`",
            );
            return None;
        }
        let formula = self.formula_atoms(operand, owner, atoms)?;
        let (which, op, time) = match to {
            Some(to) => (Which::Last, BinaryOp::Le, to),
            None => (Which::First, BinaryOp::Ge, from),
        };
        let recalled = self.recalled(formula.clone(), which, owner, atoms, operand.span)?;
        let guard = atoms.recalled[recalled].is_ago(op, time);
        let before = Ltl::Atom(atoms.any_if(guard, operand.span));
        Some(match from {
            0 => Ltl::Or(Box::new(formula), Box::new(before)),
            _ => before,
        })
    }

    /// A formula whose time is kept; those that are the same share a variable.
    fn recalled(
        &mut self,
        formula: Ltl,
        which: Which,
        owner: &Owner,
        atoms: &mut Atoms,
        span: Span,
    ) -> Option<usize> {
        let same = |r: &Recalled| r.which == which && r.formula == formula;
        if let Some(known) = atoms.recalled.iter().position(same) {
            return Some(known);
        }
        let context: ContextId = atoms.context?;
        // Instances that come to be in another way do not see all events of a slice.
        if !self.may_have_windows(context, owner, span) {
            return None;
        }
        let word = match which {
            Which::First => "first",
            Which::Last => "last",
        };
        let at = VarId::from_index(self.model.variables.len());
        let mut name = format!("{word}_time");
        while self.model.variables.iter().any(|v| v.name == name)
            || owner.base.find(&name).is_some()
        {
            name.push('_');
        }
        self.model.variables.push(Variable {
            name,
            ty: stored(Type::Duration),
            init: Expr::Const(Value::Null),
            context,
            span,
        });
        self.model.contexts[context.index()].variables.push(at);
        atoms.recalled.push(Recalled { formula, which, at: Place::Var(at) });
        Some(atoms.recalled.len() - 1)
    }

    /// The bounds as times; no second one if there is none.
    pub(super) fn bounds(
        &mut self,
        bound: &Bound,
        span: Span,
        owner: &Owner,
    ) -> Option<(Time, Option<Time>)> {
        let (from, to) = match bound {
            Bound::Within(to) => (0, Some(self.duration(to, &owner.base)?)),
            Bound::After(from) => (self.duration(from, &owner.base)?, None),
            Bound::Between(from, to) => {
                (self.duration(from, &owner.base)?, Some(self.duration(to, &owner.base)?))
            }
        };
        if to.is_some_and(|to| from > to) {
            self.not_timed(
                span,
                "the first bound is greater than the second",
                "write the smaller time first: `between 5 s and 10 s`",
            );
            return None;
        }
        Some((from, to))
    }
}
