//! Late joins: where the states of the parts determine the state of the whole.
//!
//! In a property of users and files, `login(u)` and `open(f)` each advance slices of their own, and
//! parametric slicing makes an instance of every pair of a user and a file, long before an event
//! names both: a product. But what state the pair is in can be told from the states of `u` and of
//! `f` alone, if the events of the one change nothing of what the events of the other do. Then pairs
//! need not exist: one is made when an event that names it takes a transition on it.
//!
//! # What is asked, and why verdicts are the same
//!
//! The property is pure (see `enable`). Events are *whole*, placed by all parameters, or *of a part*:
//! the parts are disjoint sets of parameters, at least two. From the start on, all events of parts
//! are tried in all orders on tuples of the states of the parts together with the state of the
//! whole. It is asked that
//!
//! 1. an event of a part leads to one state, whatever its arguments are, or is taken neither by the
//!    part nor by the whole;
//! 2. no state that is reached has a deadline or is pending, and none that is reported is reached:
//!    nothing is seen of instances before they are made;
//! 3. two tuples with the same states of the parts have the same state of the whole.
//!
//! By 3 there is a table from the states of the parts to that of the whole. By induction over the
//! events an instance of the whole that no whole event has changed yet is in the state the table
//! gives: events of parts keep that so, by construction; whole events that change it make it be
//! kept. An instance of some of the parts has the state the table gives with the others at the start.
//! The end of a value's life removes its part, and the whole is as if the part had not begun, as it
//! is in the full table.

use std::collections::{BTreeMap, BTreeSet};

use watchword_model::{Context, Model, Origin, Property, StateKind};

use crate::enable::{is_pure, targets};
use crate::shape::{Mask, mask_of, moves};
use crate::unit::Unit;

/// How the state of an instance that is not kept is found.
#[derive(Clone, Debug)]
pub struct Late {
    /// The parts: disjoint domains.
    pub parts: Vec<Mask>,
    /// How many states a part may be in, one that has not begun included.
    pub states: u32,
    /// By the states of the parts, the first one counting most: the state of the whole, or `states`
    /// minus 1 if it has not begun.
    pub table: Vec<u32>,
}

impl Late {
    /// The state of the whole; `None` if it has not begun. `part` gives the state of a part, or
    /// `None` if that has not begun.
    pub fn state(&self, part: impl Fn(usize) -> Option<u32>) -> Option<u32> {
        let unbegun = self.states - 1;
        let at = (0..self.parts.len())
            .fold(0, |at, i| at * self.states as usize + part(i).unwrap_or(unbegun) as usize);
        Some(self.table[at]).filter(|state| *state != unbegun)
    }
}

/// A table has so many entries at most.
const MOST_ENTRIES: usize = 1 << 14;

/// The states of a tuple: of every part, then of the whole.
type Tuple = Vec<u32>;

/// Finds out whether instances can be joined late. If not, and it is asked of a property whose
/// parts advance on their own, says why.
pub(crate) fn late(
    model: &Model,
    property: &Property,
    context: &Context,
    unit: &Unit,
) -> Result<Late, &'static str> {
    if !context.variables.is_empty() || !is_pure(property) {
        return Err("it has variables, updates, outputs or `drop`");
    }
    let mut placed = Vec::new();
    for kind in &unit.kinds {
        let [only] = &kind.placements[..] else {
            return Err("an event concerns its instances in several ways");
        };
        // Only events of the trace have an order of their own.
        if matches!(model.events[kind.event.index()].origin, Origin::Channel | Origin::Clock) {
            return Err("it observes sends or alarms");
        }
        placed.push(mask_of(only));
    }
    let full = placed.iter().fold(0, |all, x| all | x);
    let parts: BTreeSet<Mask> = placed.iter().copied().filter(|x| *x != full && *x != 0).collect();
    let parts: Vec<Mask> = parts.into_iter().collect();
    let is_disjoint = parts.iter().map(|p| p.count_ones()).sum::<u32>()
        == parts.iter().fold(0, |all, p| all | p).count_ones();
    if parts.len() < 2 || !is_disjoint {
        return Err("its events bind overlapping sets of parameters");
    }
    let states = property.states.len() as u32 + 1;
    let entries = (0..parts.len()).try_fold(1usize, |n, _| n.checked_mul(states as usize));
    let Some(entries) = entries.filter(|n| *n <= MOST_ENTRIES) else {
        return Err("it has too many states and parts");
    };
    let unbegun = states - 1;
    let first = if unit.has_creation { unbegun } else { unit.start };
    let start: Tuple = vec![first; parts.len() + 1];
    let mut known: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let mut todo = vec![start];
    while let Some(tuple) = todo.pop() {
        let (of_parts, whole) = (&tuple[..parts.len()], tuple[parts.len()]);
        match known.get(of_parts) {
            Some(state) if *state == whole => continue,
            Some(_) => return Err("the states of its parts do not determine that of the whole"),
            None => known.insert(of_parts.to_vec(), whole),
        };
        for (kind, x) in placed.iter().enumerate().filter(|(_, x)| **x != full) {
            let part = parts.iter().position(|p| p == x);
            let mut next = tuple.clone();
            let concerned = part.into_iter().chain([parts.len()]);
            let all = 0..=parts.len();
            // What binds nothing concerns everybody.
            let concerned: Vec<usize> =
                if part.is_some() { concerned.collect() } else { all.collect() };
            let mut is_taken = None;
            for at in concerned {
                let Some((to, taken)) = step(property, unit, tuple[at], kind, unbegun) else {
                    return Err("an event of a part may lead to different states");
                };
                if *is_taken.get_or_insert(taken) != taken {
                    return Err(
                        "an event of a part is taken by it and not by the whole, or not by it",
                    );
                }
                next[at] = to;
            }
            if next.iter().any(|state| *state != unbegun && is_seen(property, *state)) {
                return Err("an instance with few parameters is reported, pending or waits");
            }
            todo.push(next);
        }
    }
    let mut table = vec![unbegun; entries];
    for (of_parts, whole) in known {
        let at = of_parts.iter().fold(0, |at, s| at * states as usize + *s as usize);
        table[at] = whole;
    }
    Ok(Late { parts, states, table })
}

/// Whether something is seen of an instance in a state, or of one that enters it.
fn is_seen(property: &Property, state: u32) -> bool {
    let definition = &property.states[state as usize];
    definition.kind != StateKind::Normal || definition.deadline.is_some()
}

/// The state after an event, and whether a transition is taken; `None` if that depends on more.
fn step(
    property: &Property,
    unit: &Unit,
    state: u32,
    kind: usize,
    unbegun: u32,
) -> Option<(u32, bool)> {
    let state = match state == unbegun {
        true if !unit.kinds[kind].creation => return Some((unbegun, false)),
        true => unit.start,
        false => state,
    };
    if moves(unit, state, kind).next().is_none() {
        return Some((state, false));
    }
    match targets(property, unit, state, kind) {
        (to, true) if to.len() == 1 => to.first().map(|to| (*to, true)),
        _ => None,
    }
}
