//! `ltl F`.

use watchword_model::{
    Aggregate, BinaryOp, Expr, Label, Pattern, Place, Property, PropertyOrigin, StateKind, Time,
    Value, Window,
};

use super::Lowering;
use super::context::Owner;
use super::letters::{Atoms, MAX_STATES};
use super::promise;
use crate::diagnostic::{Code, Diagnostic};
use crate::lint::walk;
use crate::ww::ltl::{Fragment, Ltl, Refusal, monitor};
use crate::ww::tree::{Atom, Bound, Formula, FormulaKind, TemporalBinary, TemporalUnary};

/// The negation of a formula, without `not not`.
pub(super) fn negated(formula: &Formula) -> Formula {
    match &formula.kind {
        FormulaKind::Not(inner) => (**inner).clone(),
        FormulaKind::Binary(TemporalBinary::And, a, b) => {
            let (a, b) = (Box::new(negated(a)), Box::new(negated(b)));
            let kind = FormulaKind::Binary(TemporalBinary::Or, a, b);
            Formula { kind, ..formula.clone() }
        }
        _ => Formula { kind: FormulaKind::Not(Box::new(formula.clone())), ..formula.clone() },
    }
}

/// The events a formula is a disjunction of. `false` if it is something else.
fn disjuncts<'t>(formula: &'t Formula, found: &mut Vec<&'t Atom>) -> bool {
    match &formula.kind {
        FormulaKind::Atom(atom) => {
            found.push(atom);
            true
        }
        FormulaKind::Binary(TemporalBinary::Or, a, b) => disjuncts(a, found) && disjuncts(b, found),
        _ => false,
    }
}

/// Whether a label reads what an instance holds and not only its parameters.
fn reads_instance(label: &Label) -> bool {
    let mut reads = false;
    let held = |place: &Place| matches!(place, Place::Var(_) | Place::Window(_) | Place::Now);
    label.guard.iter().for_each(|guard| {
        walk::expr(guard, &mut |e| reads |= matches!(e, Expr::Read(place) if held(place)));
    });
    let compared = |p: &Pattern| matches!(p, Pattern::Equal(p) | Pattern::Differs(p) if held(p));
    reads || label.args.iter().any(compared)
}

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
            FormulaKind::Unary(TemporalUnary::Always, a) => {
                let a = match promise::response(a) {
                    Some(response) => self.response(&response, owner, atoms)?,
                    None => self.formula_atoms(a, owner, atoms)?,
                };
                Ltl::Always(Box::new(atoms.or_timeout(a)))
            }
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
                Ltl::binary(*op, a, b)
            }
            FormulaKind::Timed(op, bound, a) => {
                return self.timed(formula, *op, bound, a, owner, atoms);
            }
            FormulaKind::TimedBinary(TemporalBinary::Until, bound, a, b) => {
                let left = self.formula_atoms(a, owner, atoms);
                let right = self.formula_atoms(b, owner, atoms);
                return self.promised(formula.span, bound, atoms, left?, right?);
            }
            FormulaKind::TimedBinary(_, bound, a, b) => {
                if !matches!(bound, Bound::Within(_)) {
                    let help = "write `within`, or states";
                    self.not_timed(formula.span, "`since` has no lower bound of time", help);
                    return None;
                }
                // Of the events with G after which F always held, the last event with G is one if
                // there is any: it is the one to be recent. (G may be a formula.)
                let left = self.formula_atoms(a, owner, atoms);
                let right = self.formula_atoms(b, owner, atoms);
                let recent = self.recently(bound, b, owner, atoms)?;
                let since = Ltl::Since(Box::new(left?), Box::new(right?));
                Ltl::And(Box::new(since), Box::new(recent))
            }
            FormulaKind::Error => return None,
        })
    }

    /// An operator with one operand and a bound of time.
    fn timed(
        &mut self,
        formula: &Formula,
        op: TemporalUnary,
        bound: &Bound,
        operand: &Formula,
        owner: &mut Owner,
        atoms: &mut Atoms,
    ) -> Option<Ltl> {
        match op {
            TemporalUnary::Eventually => {
                let operand = self.formula_atoms(operand, owner, atoms)?;
                self.promised(formula.span, bound, atoms, Ltl::Const(true), operand)
            }
            TemporalUnary::Once => self.recently(bound, operand, owner, atoms),
            TemporalUnary::Previous => self.previously(bound, operand, owner, atoms),
            TemporalUnary::Historically => {
                let violated = negated(operand);
                let recently = self.recently(bound, &violated, owner, atoms)?;
                Some(Ltl::Not(Box::new(recently)))
            }
            _ => {
                self.not_timed(
                    formula.span,
                    "`always` with a time bound does not follow `always (… implies` here",
                    "write `always (a implies always within 5 s not b)`, or use states",
                );
                None
            }
        }
    }

    /// Whether the operand was true at some event within the bound, including the present one. If it
    /// is an event, or one of several, a window over each of them is asked.
    pub(super) fn recently(
        &mut self,
        bound: &Bound,
        operand: &Formula,
        owner: &mut Owner,
        atoms: &mut Atoms,
    ) -> Option<Ltl> {
        let mut found = Vec::new();
        if !disjuncts(operand, &mut found) {
            return self.recently_true(bound, operand, owner, atoms);
        }
        let mut labels = Vec::new();
        for atom in found {
            let id = self.atom(atom, owner, atoms)?;
            labels.push((atom, atoms.label(id).clone()));
        }
        // What enters a window depends on the event alone.
        if labels.iter().any(|(_, label)| label.event.is_none() || reads_instance(label)) {
            return self.recently_true(bound, operand, owner, atoms);
        }
        let (from, to) = self.bounds(bound, operand.span, owner)?;
        let (from, to) = (from.checked_sub(1).filter(|from| *from >= 0), to.unwrap_or(Time::MAX));
        let mut any = Ltl::Const(false);
        for (atom, label) in labels {
            let event = label.event.map_or("", |e| self.model.events[e.index()].name.as_str());
            let mut count = |within: watchword_model::Time| {
                let window = Window {
                    name: atoms.window_name(event, within, &owner.base),
                    aggregate: Aggregate::Count,
                    label: label.clone(),
                    of: None,
                    within,
                    span: atom.label.span,
                };
                Expr::Read(Place::Window(atoms.window(window)))
            };
            // Those that are recent, but for those that are too recent.
            let recent = count(to);
            let too_recent = from.map_or(Expr::Const(Value::Int(0)), &mut count);
            let guard = Expr::Binary(BinaryOp::Gt, Box::new(recent), Box::new(too_recent));
            let asked = Ltl::Atom(atoms.any_if(guard, atom.label.span));
            any = Ltl::Or(Box::new(any), Box::new(asked));
        }
        Some(any)
    }

    pub(super) fn not_timed(&mut self, span: watchword_model::Span, what: &str, help: &str) {
        self.report(
            Diagnostic::error(Code::NotMonitorable, span, what)
                .rule(
                    "the past has a bound of time behind its operator: `once within 5 s (a or b)`; the future needs `always`: `always (a implies eventually within 5 s b)`",
                )
                .help(help),
        );
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
        let timeout = atoms.promise.map(|_| vec![promise::TIMEOUT]);
        let holds: Vec<Vec<usize>> =
            letters.iter().map(|l| l.atoms.clone()).chain(timeout).collect();
        lowered.origin = PropertyOrigin::Ltl(text);
        let recalled: Vec<&Ltl> = atoms.recalled.iter().map(|r| &r.formula).collect();
        match monitor(ltl, &recalled, &holds, MAX_STATES) {
            Ok((Fragment::Safety, automaton)) => {
                self.emit_recalling(
                    &automaton,
                    StateKind::Bad,
                    "violated",
                    &letters,
                    atoms,
                    owner,
                    formula.span,
                    lowered,
                );
                if let Some(within) = atoms.promise {
                    self.deadlines(&automaton.dfa, letters.len(), within, formula.span, lowered);
                }
            }
            Ok((Fragment::CoSafety, automaton)) => self.emit_recalling(
                &automaton,
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
                    "a past operator of this formula contains a future operator",
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
                    "it both forbids something for ever (`always`, `release`, `weak-until`) and requires something without a time limit (`eventually`, `until`)",
                )
                .help(
                    "if it must happen before the run ends, use states and mark one `pending`; if it must happen within a time, use `within`",
                ),
            ),
        }
    }
}
