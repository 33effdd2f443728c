//! Transitions that are never tried because an earlier one always wins.

use watchword_model::{Creation, Expr, Label, Pattern, Stmt, Transition};

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
        for (i, transition) in property.transitions.iter().enumerate() {
            let winner = property.transitions[..i].iter().find(|earlier| {
                earlier.source == transition.source && always_wins(earlier, transition)
            });
            let Some(winner) = winner.filter(|w| w.span != transition.span) else { continue };
            found.push(
                Diagnostic::warning(
                    Code::Shadowed,
                    transition.span,
                    "this transition is never taken",
                )
                .also(winner.span, "this one is tried first and always wins")
                .rule("transitions are tried in order, and the first that matches wins")
                .help("put the more special transition first"),
            );
        }
    }
}

fn always_wins(earlier: &Transition, later: &Transition) -> bool {
    let (Some(a), Some(b)) = (earlier.labels.first(), later.labels.first()) else { return false };
    covers(a, b)
        && a.guard.as_ref().is_none_or(|g| fold::truth(g) == Some(true))
        && earlier.then.update.iter().all(cannot_fail)
}

/// Whether a label matches whatever the other matches.
fn covers(a: &Label, b: &Label) -> bool {
    if a.event.is_some() && a.event != b.event {
        return false;
    }
    if a.arity.is_some() && a.arity != b.arity {
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

/// Whether an update is not relevant only by overflow, which nobody relies on.
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
