//! Nested contexts.

use watchword_plan::Plan;
use watchword_step::Word;

use super::group::{At, Group, parameter};
use super::world::{Letter, World};
use crate::Cause;

pub(crate) fn start(group: &mut Group, at: At<'_>, world: &mut World) {
    if at.plan.model.contexts[group.root.index()].params.is_empty() {
        group.create_with_inner(at, world, &[]);
    }
}

/// The instance of a context for a full binding; created, parents first, if there is none.
fn find_or_create(group: &mut Group, at: At<'_>, world: &mut World, binding: &[Word]) {
    if group.members[at.context].store.find(0, 0, binding).is_some() {
        return;
    }
    if let Some(parent) = at.parent() {
        let outer = outer_binding(at.plan, group, at, parent, binding);
        find_or_create(group, parent, world, &outer);
        // Creating the parent may have created a context without parameters.
        if group.members[at.context].store.find(0, 0, binding).is_some() {
            return;
        }
    }
    group.create_with_inner(at, world, binding);
}

/// The part of a binding that is the enclosing context's.
fn outer_binding(
    plan: &Plan,
    group: &Group,
    at: At<'_>,
    parent: At<'_>,
    binding: &[Word],
) -> Vec<Word> {
    let (inner, outer) =
        (&plan.contexts[at.id(group).index()], &plan.contexts[parent.id(group).index()]);
    let mut words = binding[..outer.params].to_vec();
    if outer.is_keyed {
        words.extend_from_slice(&binding[inner.params..][..outer.params]);
    }
    words
}

#[inline(never)]
pub(crate) fn step(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) {
    // First, the instances that the event concerns; missing ones are created, enclosing contexts
    // first.
    let mut concerned: Vec<(usize, u64, usize, u32)> = Vec::new();
    for (c, plan) in at.larva().iter().enumerate() {
        let here = at.to(c);
        let context = &at.plan.contexts[plan.context.index()];
        for (automaton, routes) in plan.storage.routes.iter().enumerate() {
            let Some(kind) = world.observed(here.unit(automaton), letter) else { continue };
            for (index, route) in &routes[kind as usize] {
                if !group.place(here, world, &route.pairs, letter) {
                    continue;
                }
                if route.creates {
                    let binding = group.key[..context.vars_at()].to_vec();
                    find_or_create(group, here, world, &binding);
                    // Initial values may have been computed with the same scratch memory.
                    group.key[..binding.len()].copy_from_slice(&binding);
                }
                let store = &group.members[c].store;
                store.each(0, *index, &group.key, |id| {
                    concerned.push((c, store.head(id).seq, automaton, id));
                });
            }
        }
    }
    concerned.sort_unstable();
    concerned.dedup();
    // Then they step; one that was removed meanwhile does not.
    for (c, seq, automaton, id) in concerned {
        let here = at.to(c);
        let members = &group.members[c];
        if !members.store.is(id, seq) || members.state(id, automaton) == super::members::ENDED {
            continue;
        }
        let kind = here.unit(automaton).kind_of[letter.event.index()];
        if group.step(here, world, id, automaton, kind, letter) == super::group::Stepped::Ended {
            group.after_end(here, world, id);
        }
    }
    end_lives(group, at, world, letter);
}

/// Removes the instances whose parameter's value has died with this event.
fn end_lives(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) {
    let root = &at.plan.model.contexts[group.root.index()];
    for (number, end) in root.ends.iter().enumerate().filter(|(_, e)| e.event == letter.event) {
        let word = letter.arg(end.arg);
        let unit = &at.plan.contexts[group.root.index()];
        if word.is_null() || end.param.index() >= unit.params {
            continue;
        }
        let Some(key) = parameter(unit, group.root, world, end.param.0, word) else { continue };
        group.key.fill(Word::UNSET);
        group.key[end.param.index()] = key;
        let mut dying: Vec<(u64, usize, u32)> = Vec::new();
        for (c, plan) in at.larva().iter().enumerate() {
            let store = &group.members[c].store;
            let index = plan.storage.by_end[number];
            store.each(0, index, &group.key, |id| dying.push((store.head(id).seq, c, id)));
        }
        dying.sort_unstable();
        for (_, c, id) in dying {
            group.report_pending(at.to(c), world, id, Cause::EndOfLife);
            group.members[c].remove(world, id);
        }
    }
}
