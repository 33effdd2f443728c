//! States no run can reach.

use watchword_model::PropertyOrigin;

use super::{Facts, reach};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let Facts { model, possible, .. } = facts;
    for property in &model.properties {
        if property.origin != PropertyOrigin::Automaton {
            continue;
        }
        let reached = reach::reachable(property, possible);
        for (state, reached) in property.states.iter().zip(reached) {
            if !reached {
                found.push(
                    Diagnostic::warning(
                        Code::Unreachable,
                        state.span,
                        format!("state `{}` can never be reached", state.name),
                    )
                    .rule("no transition that can be taken leads here from the start state")
                    .help("remove it, or lead to it from another state"),
                );
            }
        }
    }
}
