//! Guards that are always true or always false.

use watchword_model::PropertyOrigin;

use super::{Facts, fold};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    let labels = model
        .properties
        .iter()
        .filter(|p| p.origin == PropertyOrigin::Automaton)
        .flat_map(|p| &p.transitions)
        .flat_map(|t| &t.labels);
    for label in labels {
        let Some(value) = label.guard.as_ref().and_then(fold::truth) else { continue };
        let (rule, help) = if value {
            ("the transition is taken whenever its label matches", "remove the guard")
        } else {
            ("the transition is never taken", "remove the transition, or correct the guard")
        };
        found.push(
            Diagnostic::warning(
                Code::ConstantGuard,
                label.span,
                format!("the guard of this label is always {value}"),
            )
            .rule(rule)
            .help(help),
        );
    }
}
