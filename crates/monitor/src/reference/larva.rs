//! Nested contexts.

use watchword_model::{ContextId, Model};

use super::group::{self, Binding, Group};
use super::world::{Letter, World};

pub fn start(group: &mut Group, model: &Model, world: &mut World) {
    if model.contexts[group.root.index()].params.is_empty() {
        create_with_inner(group, model, world, group.root, None, Vec::new());
    }
}

/// Creates an instance, and those of the inner contexts that have no parameters of their own.
pub fn create_with_inner(
    group: &mut Group,
    model: &Model,
    world: &mut World,
    context: ContextId,
    parent: Option<u64>,
    binding: Binding,
) -> u64 {
    let id = group.create(model, world, context, parent, binding.clone(), true);
    for (i, inner) in model.contexts.iter().enumerate() {
        if inner.parent == Some(context) && inner.params.is_empty() {
            let inner = ContextId::from_index(i);
            create_with_inner(group, model, world, inner, Some(id), binding.clone());
        }
    }
    id
}

/// The instance of a context for a full binding; created, parents first, if there is none.
fn find_or_create(
    group: &mut Group,
    model: &Model,
    world: &mut World,
    context: ContextId,
    binding: &Binding,
) -> u64 {
    if let Some(id) = find(group, model, context, binding) {
        return id;
    }
    let definition = &model.contexts[context.index()];
    let parent = definition.parent.map(|parent| {
        let outer = binding[..binding.len() - definition.params.len()].to_vec();
        find_or_create(group, model, world, parent, &outer)
    });
    // Creating the parent may have created a context without parameters.
    if let Some(id) = find(group, model, context, binding) {
        return id;
    }
    create_with_inner(group, model, world, context, parent, binding.clone())
}

fn find(group: &Group, model: &Model, context: ContextId, binding: &Binding) -> Option<u64> {
    let keys = group::keys(model, context, binding);
    group
        .instances
        .iter()
        .find(|i| {
            i.context == context && group::below(&keys, &group::keys(model, context, &i.binding))
        })
        .map(|i| i.id)
}

pub fn step(group: &mut Group, model: &Model, world: &mut World, letter: &Letter) {
    // First, the instances that the event concerns; missing ones are created, enclosing contexts
    // first.
    let mut concerned: Vec<(ContextId, u64, usize)> = Vec::new();
    for (c, _) in model.contexts.iter().enumerate() {
        let context = ContextId::from_index(c);
        if model.chain(context)[0] != group.root {
            continue;
        }
        let here = model.properties.iter().filter(|p| p.context == context);
        for (automaton, property) in here.enumerate() {
            if !group::observes(model, property, letter) {
                continue;
            }
            let placements = &property.observes(letter.event.kind).expect("observed").placements;
            for placement in placements {
                let Some(theta) = group::place(model, context, placement, letter) else { continue };
                if theta.iter().all(Option::is_some) {
                    find_or_create(group, model, world, context, &theta);
                }
                let keys = group::keys(model, context, &theta);
                for instance in group.instances.iter().filter(|i| i.context == context) {
                    if group::below(&keys, &group::keys(model, context, &instance.binding)) {
                        concerned.push((context, instance.id, automaton));
                    }
                }
            }
        }
    }
    concerned.sort();
    concerned.dedup();
    // Then they step; one that was removed meanwhile does not.
    for (_, id, automaton) in concerned {
        group.step_if_observed(model, world, id, automaton, letter);
    }
    group.end_lives(model, world, letter);
}
