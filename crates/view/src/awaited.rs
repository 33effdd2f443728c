//! The events a property cannot do without.
//!
//! That an event never occurred is good news if all it does is violate; if it is what leads from one
//! allowed state to another, the property may have been blind, for instance because the pattern
//! that should have found the event has a mistake.

use watchword_model::{
    Branch, Creation, EventId, Model, Origin, Property, StateId, StateKind, Target,
};

/// The events of the world that lead somewhere without violating the property, or change what it
/// remembers, in the order of its alphabet.
pub fn awaited(model: &Model, property: &Property) -> Vec<EventId> {
    let mut found: Vec<EventId> = Vec::new();
    let is_bad = |state: StateId| property.states[state.index()].kind == StateKind::Bad;
    for transition in property.transitions.iter().filter(|t| !is_bad(t.source)) {
        let Some((last, before)) = transition.labels.split_last() else { continue };
        // Before the last of several labels nothing can be violated.
        found.extend(before.iter().filter_map(|label| label.event));
        let mut branches = std::iter::once(&transition.then).chain(&transition.otherwise);
        if branches.any(|branch| leads_on(property, transition.source, branch)) {
            found.extend(last.event);
        }
    }
    let context = &model.contexts[property.context.index()];
    found.extend(context.ends.iter().map(|end| end.event));
    if let Creation::ChenRosu { creation } = &context.rule {
        found.extend(creation);
    }
    let of_world = |event: EventId| matches!(model.events[event.index()].origin, Origin::World(_));
    let observed = property.alphabet.iter().filter(|o| o.filter.is_none()).map(|o| o.event);
    observed.filter(|event| found.contains(event) && of_world(*event)).collect()
}

/// Whether something is different afterwards, and allowed.
fn leads_on(property: &Property, source: StateId, branch: &Branch) -> bool {
    match branch.target {
        Target::Drop => true,
        Target::Stay => !branch.update.is_empty(),
        Target::State(to) => {
            let state = &property.states[to.index()];
            let differs = to != source || !branch.update.is_empty();
            let entered = !state.entry.is_empty() || state.deadline.is_some();
            state.kind != StateKind::Bad && (differs || entered)
        }
    }
}
