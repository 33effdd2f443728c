//! `ltl F`.

use watchword_model::{Property, PropertyOrigin, StateKind};

use super::Lowering;
use super::context::Owner;
use super::letters::{Atoms, MAX_STATES};
use crate::diagnostic::{Code, Diagnostic};
use crate::ww::ltl::{Fragment, Ltl, Refusal, monitor};
use crate::ww::tree::{Formula, FormulaKind, TemporalBinary, TemporalUnary};

impl Lowering<'_> {
    /// Lowers a formula's atoms, which also makes the property observe their events.
    pub(super) fn formula_atoms(
        &mut self,
        formula: &Formula,
        owner: &mut Owner,
        atoms: &mut Atoms,
    ) -> Option<Ltl> {
        Some(match &formula.kind {
            FormulaKind::Const(value) => Ltl::Const(*value),
            FormulaKind::Atom(atom) => Ltl::Atom(self.atom(atom, owner, atoms)?),
            FormulaKind::Not(a) => Ltl::Not(Box::new(self.formula_atoms(a, owner, atoms)?)),
            FormulaKind::Unary(op, a) => {
                let a = Box::new(self.formula_atoms(a, owner, atoms)?);
                match op {
                    TemporalUnary::Always => Ltl::Always(a),
                    TemporalUnary::Eventually => Ltl::Eventually(a),
                    TemporalUnary::Next => Ltl::Next(a),
                    TemporalUnary::Once => Ltl::Once(a),
                    TemporalUnary::Historically => Ltl::Historically(a),
                    TemporalUnary::Previous => Ltl::Previous(a),
                }
            }
            FormulaKind::Binary(op, a, b) => {
                let left = self.formula_atoms(a, owner, atoms);
                let right = self.formula_atoms(b, owner, atoms);
                let (a, b) = (Box::new(left?), Box::new(right?));
                match op {
                    TemporalBinary::And => Ltl::And(a, b),
                    TemporalBinary::Or => Ltl::Or(a, b),
                    TemporalBinary::Implies => Ltl::Or(Box::new(Ltl::Not(a)), b),
                    TemporalBinary::Iff => Ltl::Iff(a, b),
                    TemporalBinary::Until => Ltl::Until(a, b),
                    TemporalBinary::WeakUntil => Ltl::WeakUntil(a, b),
                    TemporalBinary::Release => Ltl::Release(a, b),
                    TemporalBinary::Since => Ltl::Since(a, b),
                }
            }
            FormulaKind::Error => return None,
        })
    }

    pub(super) fn ltl(
        &mut self,
        formula: &Formula,
        ltl: &Ltl,
        text: String,
        atoms: &Atoms,
        owner: &Owner,
        lowered: &mut Property,
    ) {
        let Some(letters) = self.letters(atoms, owner, formula.span) else { return };
        let holds: Vec<Vec<usize>> = letters.iter().map(|l| l.atoms.clone()).collect();
        lowered.origin = PropertyOrigin::Ltl(text);
        match monitor(ltl, &holds, MAX_STATES) {
            Ok((Fragment::Safety, dfa)) => self.emit(
                &dfa,
                StateKind::Bad,
                "violated",
                &letters,
                atoms,
                owner,
                formula.span,
                lowered,
            ),
            Ok((Fragment::CoSafety, dfa)) => self.emit(
                &dfa,
                StateKind::Good,
                "satisfied",
                &letters,
                atoms,
                owner,
                formula.span,
                lowered,
            ),
            Err(Refusal::TooLarge) => self.too_large(formula.span),
            Err(Refusal::FutureInPast) => self.report(
                Diagnostic::error(
                    Code::NotMonitorable,
                    formula.span,
                    "a past operator of this formula speaks of the future",
                )
                .rule(
                    "inside `once`, `historically`, `previous` and `since` there is no `always`, \
                     `eventually`, `next`, `until`, `weak-until` or `release`",
                ),
            ),
            Err(Refusal::Mixed) => self.report(
                Diagnostic::error(
                    Code::NotMonitorable,
                    formula.span,
                    "no finite run can decide this formula",
                )
                .rule(
                    "it both forbids something for ever (`always`, `release`, `weak-until`) and \
                     promises something without a bound (`eventually`, `until`)",
                )
                .help(
                    "for a promise that must be kept before the run ends write states and mark \
                     one `pending`; for one with a time limit use `within`",
                ),
            ),
        }
    }
}
