//! Windows that nothing enters, and bounds that a window never reaches or never leaves.

use watchword_model::{Aggregate, BinaryOp, Expr, Place, Property, Value, Window};

use super::{Facts, reach, walk};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    for property in &facts.model.properties {
        for window in &property.windows {
            if !reach::can_match(&window.label, property, &facts.possible) {
                found.push(
                    Diagnostic::warning(
                        Code::NeverMatches,
                        window.label.span,
                        "this label can never match",
                    )
                    .rule(format!("nothing ever enters the window `{}`", window.name))
                    .help("mend where the event comes from, or remove the window"),
                );
            }
        }
        for label in property.transitions.iter().flat_map(|t| &t.labels) {
            let Some(guard) = &label.guard else { continue };
            walk::expr(guard, &mut |expr| {
                let Some((window, always)) = decided(property, expr) else { return };
                let (what, help) = match always {
                    true => ("always holds", "remove the comparison, or correct its bound"),
                    false => ("never holds", "correct its bound, or remove the transition"),
                };
                found.push(
                    Diagnostic::warning(
                        Code::WindowBound,
                        label.span,
                        format!("a comparison of the window `{}` {what}", window.name),
                    )
                    .rule(reason(window))
                    .help(help),
                );
            });
        }
    }
}

/// The window that a comparison with a constant is about, if it has the same outcome at all events.
fn decided<'m>(property: &'m Property, expr: &Expr) -> Option<(&'m Window, bool)> {
    let Expr::Binary(op, a, b) = expr else { return None };
    let (window, op, bound) = match (&**a, &**b) {
        (Expr::Read(Place::Window(window)), Expr::Const(Value::Int(n))) => (window, *op, *n),
        (Expr::Const(Value::Int(n)), Expr::Read(Place::Window(window))) => {
            (window, turned(*op), *n)
        }
        _ => return None,
    };
    let window = &property.windows[window.index()];
    let most = most(window)?;
    let always = match op {
        BinaryOp::Lt => outcome(most < bound, bound <= 0),
        BinaryOp::Le => outcome(most <= bound, bound < 0),
        BinaryOp::Gt => outcome(bound < 0, most <= bound),
        BinaryOp::Ge => outcome(bound <= 0, most < bound),
        BinaryOp::Eq => outcome(false, bound < 0 || most < bound),
        BinaryOp::Ne => outcome(bound < 0 || most < bound, false),
        _ => None,
    };
    Some((window, always?))
}

fn outcome(always: bool, never: bool) -> Option<bool> {
    match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// The operator with its operands exchanged.
fn turned(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

/// The most that a window which counts comes to; the least is zero. `None` if it does not count.
fn most(window: &Window) -> Option<i64> {
    match window.aggregate {
        Aggregate::Count => Some(i64::MAX),
        Aggregate::Distinct if is_same(window) => Some(1),
        Aggregate::Distinct => Some(i64::MAX),
        _ => None,
    }
}

/// Whether all events of an instance have the same value.
fn is_same(window: &Window) -> bool {
    let mut varies = false;
    if let Some(of) = &window.of {
        walk::expr(of, &mut |expr| {
            varies |= match expr {
                Expr::Read(place) => !matches!(place, Place::Param(_)),
                Expr::Const(_) => false,
                // What else there may be is not looked into.
                _ => true,
            };
        });
    }
    !varies
}

fn reason(window: &Window) -> String {
    match most(window) {
        Some(1) => {
            "all events of an instance have the same value here: it comes to 0 or 1".to_string()
        }
        _ => "a number of events is never less than 0".to_string(),
    }
}
