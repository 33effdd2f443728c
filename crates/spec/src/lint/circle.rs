//! Time limits that lead in a circle so fast that instances are soon given up where nothing happens.

use watchword_model::{Property, StateId, Target, Time};

use super::Facts;
use crate::circles::circles;
use crate::diagnostic::{Code, Diagnostic};

/// A circle that takes less than this is warned about.
const SHORT: Time = 1_000_000;

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    for property in &facts.model.properties {
        for circle in circles(property.states.len(), |state| after_its_time(property, state)) {
            warn(property, &circle, found);
        }
    }
}

/// The state that follows when the time limit of a state is over.
fn after_its_time(property: &Property, state: StateId) -> Option<StateId> {
    match property.states[state.index()].deadline.as_ref()?.branch.target {
        Target::State(target) => Some(target),
        Target::Stay | Target::Drop => None,
    }
}

fn warn(property: &Property, circle: &[StateId], found: &mut Vec<Diagnostic>) {
    let limits = circle.iter().filter_map(|s| property.states[s.index()].deadline.as_ref());
    let length = limits.fold(0, |sum: Time, limit| sum.saturating_add(limit.after.max(0)));
    let [first, rest @ ..] = circle else { return };
    if length >= SHORT {
        return;
    }
    let first = &property.states[first.index()];
    let warning = Diagnostic::warning(
        Code::ShortCircle,
        first.span,
        format!("time limits lead from `{}` back to it within {length} ns", first.name),
    );
    let warning = rest.iter().fold(warning, |warning, state| {
        warning.also(property.states[state.index()].span, "by way of this state")
    });
    found.push(
        warning
            .rule("after 100 000 time limits between two events, an instance is inconclusive")
            .help("give one of the states a longer time limit"),
    );
}
