//! Which states can be reached, and which labels can match.

use watchword_model::{Branch, EventId, Label, Model, Origin, Property, Stmt, Target, Transition};

use super::{fold, walk};

/// Events that can happen: all except channels without sends and alarms of clocks that are never
/// started.
pub(super) fn possible_events(model: &Model) -> Vec<bool> {
    let mut sent = vec![false; model.events.len()];
    let mut started: Vec<bool> = model.clocks.iter().map(|c| c.autostart).collect();
    let mut set = vec![false; model.clocks.len()];
    walk::model(
        model,
        &mut |statement| match statement {
            Stmt::Send(event, _) => sent[event.index()] = true,
            Stmt::ResetClock(clock) => started[clock.index()] = true,
            Stmt::SetClock(clock, _) => {
                started[clock.index()] = true;
                set[clock.index()] = true;
            }
            _ => {}
        },
        &mut |_| {},
    );
    let mut possible: Vec<bool> = model
        .events
        .iter()
        .zip(sent)
        .map(|(decl, sent)| !matches!(decl.origin, Origin::Channel) || sent)
        .collect();
    for (at, clock) in model.clocks.iter().enumerate() {
        for alarm in &clock.alarms {
            possible[alarm.event.index()] = started[at];
        }
        if let Some(event) = clock.rings {
            possible[event.index()] = set[at];
        }
    }
    possible
}

/// Whether some event could match the label.
pub(super) fn can_match(label: &Label, property: &Property, possible: &[bool]) -> bool {
    match label.event {
        Some(event) => possible[event.index()],
        None => property.alphabet.iter().any(|o: &watchword_model::Observed| {
            let event: EventId = o.event;
            possible[event.index()]
        }),
    }
}

/// The branches of a transition that can be taken.
pub(super) fn live_branches<'m>(
    transition: &'m Transition,
    property: &Property,
    possible: &[bool],
) -> Vec<&'m Branch> {
    if !transition.labels.iter().all(|l| can_match(l, property, possible)) {
        return Vec::new();
    }
    let truth: Vec<Option<bool>> = transition
        .labels
        .iter()
        .map(|l| l.guard.as_ref().map_or(Some(true), fold::truth))
        .collect();
    let mut live = Vec::new();
    if !truth.contains(&Some(false)) {
        live.push(&transition.then);
    }
    if truth.iter().any(|t| *t != Some(true)) {
        live.extend(&transition.otherwise);
    }
    live
}

/// Which states can be reached, as far as labels and constant guards tell.
pub(super) fn reachable(property: &Property, possible: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; property.states.len()];
    if reached.is_empty() {
        return reached;
    }
    let mut leaving: Vec<Vec<&Transition>> = vec![Vec::new(); property.states.len()];
    for transition in &property.transitions {
        leaving[transition.source.index()].push(transition);
    }
    let mut todo = vec![property.start];
    reached[property.start.index()] = true;
    while let Some(state) = todo.pop() {
        let deadline = property.states[state.index()].deadline.iter().map(|d| &d.branch);
        let transitions =
            leaving[state.index()].iter().flat_map(|t| live_branches(t, property, possible));
        for branch in deadline.chain(transitions) {
            if let Target::State(target) = branch.target
                && !std::mem::replace(&mut reached[target.index()], true)
            {
                todo.push(target);
            }
        }
    }
    reached
}
