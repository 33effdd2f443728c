//! States no run can reach.

use watchword_model::{Property, PropertyOrigin, StateId, StateKind, Target};

use super::{Facts, reach};
use crate::diagnostic::{Code, Diagnostic, nearest};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let Facts { model, accounted, .. } = facts;
    for property in &model.properties {
        if property.origin != PropertyOrigin::Automaton {
            continue;
        }
        let reached = reach::reachable(property, accounted);
        for (at, (state, reached)) in property.states.iter().zip(reached).enumerate() {
            if !reached {
                found.push(
                    Diagnostic::warning(
                        Code::Unreachable,
                        state.span,
                        format!("state `{}` can never be reached", state.name),
                    )
                    .rule("no transition that can be taken leads here from the start state")
                    .help("remove it, or lead to it from another state")
                    .did_you_mean(meant(property, StateId::from_index(at))),
                );
            }
        }
    }
}

/// The state that was meant by a name that nobody leads to: one that somebody leads to, and that
/// nobody leaves.
fn meant(property: &Property, state: StateId) -> Option<&str> {
    let led_to = |id: StateId| {
        let branches =
            property.transitions.iter().flat_map(|t| [Some(&t.then), t.otherwise.as_ref()]);
        branches.flatten().any(|b| b.target == Target::State(id))
    };
    let left = |id: StateId| property.leaving(id).next().is_some();
    let normal = |id: StateId| property.states[id.index()].kind == StateKind::Normal;
    if led_to(state) || !left(state) {
        return None;
    }
    let all = (0..property.states.len()).map(StateId::from_index);
    let dead = all.filter(|id| normal(*id) && led_to(*id) && !left(*id));
    nearest(
        &property.states[state.index()].name,
        dead.map(|id| property.states[id.index()].name.as_str()),
    )
}
