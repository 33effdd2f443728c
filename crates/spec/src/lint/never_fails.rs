//! Properties that can never report anything.

use watchword_model::{Lang, StateKind};

use super::{Facts, reach};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let Facts { model, possible, .. } = facts;
    for property in model.properties.iter().filter(|p| !p.is_proven()) {
        let reached = reach::reachable(property, possible);
        let reports = property
            .states
            .iter()
            .zip(&reached)
            .any(|(state, reached)| *reached && state.kind != StateKind::Normal);
        if reports || has_outputs(property) {
            continue;
        }
        let any = property.states.iter().any(|s| s.kind != StateKind::Normal);
        let topl = matches!(property.lang, Lang::Topl | Lang::Infer);
        let (rule, help) = if topl {
            ("no run leads from `start` to `error`", "lead a transition to `error`")
        } else if any {
            (
                "no `bad` or `pending` state can be reached from the start state",
                "lead a transition to one of them",
            )
        } else {
            ("it has no `bad` or `pending` state", "mark the state that must not be reached `bad`")
        };
        found.push(
            Diagnostic::warning(
                Code::NeverFails,
                property.span,
                format!("property `{}` can never fail", property.name),
            )
            .rule(rule)
            .help(help),
        );
    }
}

/// A property that sends, prints or acts is good for something without failing.
fn has_outputs(property: &watchword_model::Property) -> bool {
    use watchword_model::Stmt;
    let mut outputs = false;
    super::walk::property(
        property,
        &mut |s| outputs |= matches!(s, Stmt::Send(..) | Stmt::Print(_) | Stmt::Action(..)),
        &mut |_| {},
    );
    outputs
}
