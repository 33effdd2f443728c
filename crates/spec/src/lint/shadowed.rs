//! Transitions that are never tried because an earlier one always wins.

use std::collections::HashMap;

use watchword_model::{Creation, EventId, Expr, Key, Label, Pattern, StateId, Stmt, Transition};

use super::{Facts, fold, walk};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    for property in &model.properties {
        // Under `registers` there is no order; under `verde` a transition also depends on which
        // instances exist.
        let rule = &model.contexts[property.context.index()].rule;
        if matches!(rule, Creation::Registers | Creation::Verde) {
            continue;
        }
        // By state and event: the earlier ones that can win, those of `any` event under none.
        let mut winners: HashMap<(StateId, Option<EventId>), Winners<'_>> = HashMap::new();
        for transition in &property.transitions {
            let event = transition.labels.first().and_then(|label| label.event);
            let mut keys = vec![(transition.source, None)];
            keys.extend(event.map(|event| (transition.source, Some(event))));
            let winner = keys
                .iter()
                .filter_map(|key| winners.get(key)?.of(transition))
                .min_by_key(|winner| winner.span.start);
            if let Some(key) = keys.last().filter(|_| can_win(transition)) {
                winners.entry(*key).or_default().add(transition);
            }
            let Some(winner) = winner.filter(|w| w.span != transition.span) else { continue };
            found.push(
                Diagnostic::warning(
                    Code::Shadowed,
                    transition.span,
                    "this transition is never taken",
                )
                .also(winner.span, "this transition is tried first and always taken")
                .rule("transitions are tried in order, and the first that matches is taken")
                .help("put the more specific transition first"),
            );
        }
    }
}

/// Transitions with the same source and event that can win over later ones.
#[derive(Default)]
struct Winners<'m> {
    /// Those that ask for constants and nothing else, each by the first of them. Such a one wins
    /// only over one that asks for the same.
    constant: HashMap<(usize, Key), Vec<&'m Transition>>,
    others: Vec<&'m Transition>,
}

impl<'m> Winners<'m> {
    fn add(&mut self, transition: &'m Transition) {
        match transition.labels.first().and_then(|label| constants(label).next()) {
            Some(constant) => self.constant.entry(constant).or_default().push(transition),
            None => self.others.push(transition),
        }
    }

    /// The first one that wins over this transition.
    fn of(&self, later: &Transition) -> Option<&'m Transition> {
        let label = later.labels.first()?;
        let wins =
            |earlier: &&&Transition| earlier.labels.first().is_some_and(|a| covers(a, label));
        let candidates = constants(label).filter_map(|constant| self.constant.get(&constant));
        let first = |all: &Vec<&'m Transition>| all.iter().find(wins).copied();
        let winners = candidates.chain([&self.others]).filter_map(first);
        winners.min_by_key(|winner| winner.span.start)
    }
}

/// The constants a label asks for, and where.
fn constants(label: &Label) -> impl Iterator<Item = (usize, Key)> {
    label.args.iter().enumerate().filter_map(|(i, pattern)| match pattern {
        Pattern::Const(value) => Some((i, value.key()?)),
        _ => None,
    })
}

/// Whether a transition is taken whenever its label matches.
fn can_win(transition: &Transition) -> bool {
    let Some(label) = transition.labels.first() else { return false };
    label.guard.as_ref().is_none_or(|g| fold::truth(g) == Some(true))
        && transition.then.update.iter().all(cannot_fail)
}

/// Whether a label matches whatever the other matches.
fn covers(a: &Label, b: &Label) -> bool {
    if a.event.is_some() && a.event != b.event {
        return false;
    }
    if !a.arity.covers(b.arity) {
        return false;
    }
    let any = Pattern::Any;
    a.args.iter().enumerate().all(|(i, p)| pattern_covers(p, b.args.get(i).unwrap_or(&any)))
}

fn pattern_covers(a: &Pattern, b: &Pattern) -> bool {
    match (a, b) {
        (Pattern::Any | Pattern::Bind(_), _) => true,
        (Pattern::Equal(x), Pattern::Equal(y)) | (Pattern::Differs(x), Pattern::Differs(y)) => {
            x == y
        }
        (Pattern::Const(x), Pattern::Const(y)) | (Pattern::NotConst(x), Pattern::NotConst(y)) => {
            x.same(y)
        }
        (Pattern::NotConst(x), Pattern::Const(y)) => !x.same(y),
        _ => false,
    }
}

/// Whether an update is not relevant only by overflow, on which no property relies.
fn cannot_fail(statement: &Stmt) -> bool {
    match statement {
        Stmt::Assign(_, value) => {
            let mut total = true;
            walk::expr(value, &mut |e| {
                total &= matches!(e, Expr::Const(_) | Expr::Read(_) | Expr::Binary(..))
                    && !matches!(
                        e,
                        Expr::Binary(watchword_model::BinaryOp::Div, ..)
                            | Expr::Binary(watchword_model::BinaryOp::Rem, ..)
                    );
            });
            total
        }
        Stmt::ResetClock(_) | Stmt::StopClock(_) => true,
        _ => false,
    }
}
