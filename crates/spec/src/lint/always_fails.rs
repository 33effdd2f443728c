//! Properties that fail whatever happens.

use watchword_model::{Creation, StateKind, Target};

use super::Facts;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    for property in &model.properties {
        let Some(start) = property.states.get(property.start.index()) else { continue };
        let context = &model.contexts[property.context.index()];
        if start.kind == StateKind::Bad {
            let diagnostic = Diagnostic::warning(
                Code::AlwaysFails,
                start.span,
                format!("the start state `{}` is bad", start.name),
            )
            .rule(
                "a bad state is reported when it is entered, but the start state is never entered",
            )
            .help("begin in another state and enter this one by a transition");
            found.push(diagnostic);
            continue;
        }
        // The instance that binds nothing exists from the start and sees only events that place
        // no parameter.
        // With creation events, it has not begun before one of them, and is not pending until then.
        let sliced = match &context.rule {
            Creation::ChenRosu { creation } => creation.is_empty(),
            Creation::Verde => true,
            _ => false,
        };
        if start.kind != StateKind::Pending || !sliced || context.params.is_empty() {
            continue;
        }
        let leaves = property.leaving(property.start).any(|(_, t)| {
            t.labels.iter().all(|label| {
                property
                    .alphabet
                    .iter()
                    .filter(|o| label.event.is_none_or(|e| e == o.event))
                    .any(|o| o.placements.iter().any(|p| p.0.is_empty()))
            }) && t.then.target != Target::Stay
        });
        if !leaves && start.deadline.is_none() {
            found.push(
                Diagnostic::warning(
                    Code::AlwaysFails,
                    start.span,
                    format!("the pending start state `{}` is always reported", start.name),
                )
                .rule(
                    "the instance without bound parameters exists from the start, and no event moves it out of this state",
                )
                .help("begin in a state that is not pending, and enter this one by an event"),
            );
        }
    }
}
