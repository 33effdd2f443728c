//! Circles of states, each of which leads to one other state at most.

use watchword_model::StateId;

/// The circles among the first states, by what follows each.
pub(crate) fn circles(
    states: usize,
    follows: impl Fn(StateId) -> Option<StateId>,
) -> Vec<Vec<StateId>> {
    let mut found = Vec::new();
    let mut known = vec![false; states];
    for first in 0..states {
        let mut path = Vec::new();
        let mut next = Some(StateId::from_index(first));
        while let Some(state) = next.filter(|state| !known[state.index()]) {
            known[state.index()] = true;
            path.push(state);
            next = follows(state);
        }
        let entry = next.and_then(|state| path.iter().position(|s| *s == state));
        found.extend(entry.map(|entry| path.split_off(entry)));
    }
    found
}
