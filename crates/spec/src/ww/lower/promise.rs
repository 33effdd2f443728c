//! Formulas that promise something within a time: `always (a implies eventually within 5 s b)`.
//!
//! Such a formula is compiled as if there were one more letter, the *timeout*, at which nothing new is
//! promised and every promise that is open is broken. In a state that a timeout would break, a promise
//! has been open since the state was entered. So the state gets a deadline instead of the letter.
//! A promise that is made while another one is open ends later and is kept or broken with it.
//!
//! What is forbidden for a time needs no deadline: `always (a implies always within 5 s F)` means
//! that F is true at every event with an `a` in the 5 s before it.

use watchword_automata::finite::{Dfa, Letter};
use watchword_model::{Branch, Deadline, Property, Span, StateId, Target, Time};

use super::Lowering;
use super::context::Owner;
use super::formula::negated;
use super::letters::Atoms;
use crate::diagnostic::{Code, Diagnostic};
use crate::ww::ltl::Ltl;
use crate::ww::tree::{Bound, Formula, FormulaKind, TemporalBinary, TemporalUnary};

/// The atom of the timeout.
pub(super) const TIMEOUT: usize = usize::MAX;

/// `a implies always within 5 s F`.
pub(super) struct Response<'t> {
    cause: &'t Formula,
    bound: &'t Bound,
    /// What holds then.
    then: Formula,
}

/// What is below an `always`, if it has that form, or `a implies not eventually within 5 s F`.
pub(super) fn response(formula: &Formula) -> Option<Response<'_>> {
    let FormulaKind::Binary(TemporalBinary::Implies, cause, effect) = &formula.kind else {
        return None;
    };
    match &effect.kind {
        FormulaKind::Timed(TemporalUnary::Always, bound, then) => {
            Some(Response { cause, bound, then: (**then).clone() })
        }
        FormulaKind::Not(inner) => match &inner.kind {
            FormulaKind::Timed(TemporalUnary::Eventually, bound, then) => {
                Some(Response { cause, bound, then: negated(then) })
            }
            _ => None,
        },
        _ => None,
    }
}

/// The promises in a formula.
fn promises<'t>(formula: &'t Formula, found: &mut Vec<&'t Formula>) {
    match &formula.kind {
        FormulaKind::Timed(TemporalUnary::Eventually, ..)
        | FormulaKind::TimedBinary(TemporalBinary::Until, ..) => found.push(formula),
        FormulaKind::Unary(TemporalUnary::Always, a) if response(a).is_some() => {}
        FormulaKind::Not(a) | FormulaKind::Unary(_, a) | FormulaKind::Timed(_, _, a) => {
            promises(a, found);
        }
        FormulaKind::Binary(_, a, b) | FormulaKind::TimedBinary(_, _, a, b) => {
            promises(a, found);
            promises(b, found);
        }
        FormulaKind::Const(_) | FormulaKind::Atom(_) | FormulaKind::Error => {}
    }
}

/// Whether a formula is a conjunction of `always G`, and a promise is in none of them but where it
/// must hold if nothing else does.
fn is_conjunction(formula: &Formula) -> bool {
    match &formula.kind {
        FormulaKind::Binary(TemporalBinary::And, a, b) => is_conjunction(a) && is_conjunction(b),
        FormulaKind::Unary(TemporalUnary::Always, a) => response(a).is_some() || is_body(a),
        _ => false,
    }
}

fn is_body(formula: &Formula) -> bool {
    if is_past(formula) {
        return true;
    }
    match &formula.kind {
        FormulaKind::Timed(TemporalUnary::Eventually, _, a) => is_past(a),
        FormulaKind::TimedBinary(TemporalBinary::Until, _, a, b) => is_past(a) && is_past(b),
        FormulaKind::Binary(TemporalBinary::And | TemporalBinary::Or, a, b) => {
            is_body(a) && is_body(b)
        }
        FormulaKind::Binary(TemporalBinary::Implies, a, b) => is_past(a) && is_body(b),
        _ => false,
    }
}

/// Whether the events so far decide a formula.
pub(super) fn is_past(formula: &Formula) -> bool {
    use TemporalBinary::{Release, Until, WeakUntil};
    use TemporalUnary::{Always, Eventually, Next};
    match &formula.kind {
        FormulaKind::Const(_) | FormulaKind::Atom(_) | FormulaKind::Error => true,
        FormulaKind::Unary(Always | Eventually | Next, _)
        | FormulaKind::Timed(Always | Eventually, ..)
        | FormulaKind::Binary(Until | WeakUntil | Release, ..)
        | FormulaKind::TimedBinary(Until, ..) => false,
        FormulaKind::Not(a) | FormulaKind::Unary(_, a) | FormulaKind::Timed(_, _, a) => is_past(a),
        FormulaKind::Binary(_, a, b) | FormulaKind::TimedBinary(_, _, a, b) => {
            is_past(a) && is_past(b)
        }
    }
}

impl Atoms {
    /// What holds at a timeout, too.
    pub(super) fn or_timeout(&self, formula: Ltl) -> Ltl {
        match self.promise {
            Some(_) => Ltl::Or(Box::new(Ltl::Atom(TIMEOUT)), Box::new(formula)),
            None => formula,
        }
    }
}

impl Lowering<'_> {
    /// How long the promise of a formula may be open, if it makes one. `None` if promises are where
    /// they cannot be, which was reported.
    pub(super) fn promise(&mut self, formula: &Formula, owner: &Owner) -> Option<Option<Time>> {
        let mut found = Vec::new();
        promises(formula, &mut found);
        let (first, is_alone) = match found[..] {
            [] => return Some(None),
            [first] => (first, true),
            [first, ..] => (first, false),
        };
        if !is_alone || !is_conjunction(formula) {
            let (span, what) = match is_alone {
                true => (first.span, "this promise is not below `always` alone"),
                false => (found[1].span, "a formula makes one promise with a time bound"),
            };
            self.refuse_promise(span, what);
            return None;
        }
        match &first.kind {
            FormulaKind::Timed(_, Bound::Within(within), _)
            | FormulaKind::TimedBinary(_, Bound::Within(within), ..) => {
                self.duration(within, &owner.base).map(Some)
            }
            _ => {
                self.refuse_promise(first.span, "a promise has no lower bound of time");
                None
            }
        }
    }

    /// `left until right`, which may be open only until the timeout. [`Lowering::promise`] has
    /// checked where it is.
    pub(super) fn promised(
        &mut self,
        span: Span,
        bound: &Bound,
        atoms: &Atoms,
        left: Ltl,
        right: Ltl,
    ) -> Option<Ltl> {
        if atoms.promise.is_none() || !matches!(bound, Bound::Within(_)) {
            self.refuse_promise(span, "this promise is not below `always` alone");
            return None;
        }
        // The timeout is no event: nothing is true at it, not even what is true where another thing is not.
        let at_event = |formula| {
            let is_event = Ltl::Not(Box::new(Ltl::Atom(TIMEOUT)));
            Box::new(Ltl::And(Box::new(formula), Box::new(is_event)))
        };
        Some(Ltl::WeakUntil(at_event(left), at_event(right)))
    }

    /// What an `always` of a response requires of each event.
    pub(super) fn response(
        &mut self,
        response: &Response<'_>,
        owner: &mut Owner,
        atoms: &mut Atoms,
    ) -> Option<Ltl> {
        let caused = self.recently(response.bound, response.cause, owner, atoms);
        let then = self.formula_atoms(&response.then, owner, atoms)?;
        Some(Ltl::Or(Box::new(Ltl::Not(Box::new(caused?))), Box::new(then)))
    }

    /// Gives the states in which a promise is open their deadlines. `timeout` is the letter.
    pub(super) fn deadlines(
        &mut self,
        dfa: &Dfa,
        timeout: usize,
        within: Time,
        span: Span,
        lowered: &mut Property,
    ) {
        let broken = |state| {
            let to = dfa.next(state, Letter(timeout as u32))?;
            (!dfa.is_accepting(state) && dfa.is_accepting(to)).then_some(to)
        };
        for state in dfa.states() {
            let Some(to) = broken(state) else { continue };
            let others = (0..timeout).filter_map(|l| dfa.next(state, Letter(l as u32)));
            if others.into_iter().any(|other| other != state && broken(other).is_some()) {
                self.refuse_promise(span, "what is promised here depends on earlier events");
                return;
            }
            // The bound is part of the time, and a deadline expires before an event at its time.
            let after = within.saturating_add(1);
            let branch = Branch::to(Target::State(StateId::from_index(to.index())));
            lowered.states[state.index()].deadline = Some(Deadline { after, branch });
        }
    }

    fn refuse_promise(&mut self, span: Span, what: &str) {
        self.report(
            Diagnostic::error(Code::NotMonitorable, span, what)
                .rule(
                    "`eventually within` and `until within` are written once, below `always`: \
                     `always (a implies eventually within 5 s b)`",
                )
                .help("write several properties, or states and `within` after the state that must be left"),
        );
    }
}
