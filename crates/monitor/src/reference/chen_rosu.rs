//! Parametric slicing.

use watchword_model::{Creation, Model, Value};

use super::group::{self, Binding, Group};
use super::world::{Letter, World};

pub fn start(group: &mut Group, model: &Model, world: &mut World) {
    let unbound = vec![None; model.params(group.root).len()];
    let begun = group::initially_begun(&model.contexts[group.root.index()].rule);
    group.create(model, world, group.root, None, unbound, begun);
}

pub fn step(group: &mut Group, model: &Model, world: &mut World, letter: &Letter) {
    let context = group.root;
    let property =
        model.properties.iter().find(|p| p.context == context).expect("a context has a property");
    if !group::observes(model, property, letter) {
        return;
    }
    let Creation::ChenRosu { creation } = &model.contexts[context.index()].rule else { return };
    let placements = &property.observes(letter.event.kind).expect("observed").placements;
    let keys_of = |binding: &Binding| group::keys(model, context, binding);
    let same = |a: &[Option<Value>], b: &[Option<Value>]| group::below(a, b) && group::below(b, a);

    // The bindings of the event.
    let mut thetas: Vec<Binding> = Vec::new();
    for placement in placements {
        if let Some(theta) = group::place(model, context, placement, letter)
            && !thetas.iter().any(|t| same(&keys_of(t), &keys_of(&theta)))
        {
            thetas.push(theta);
        }
    }

    // The targets: existing ones first, then those to be created.
    let before = group.instances.clone();
    let existing: Vec<u64> = before
        .iter()
        .filter(|i| thetas.iter().any(|t| group::below(&keys_of(t), &keys_of(&i.binding))))
        .map(|i| i.id)
        .collect();
    let mut new: Vec<Binding> = Vec::new();
    let mut consider = |target: Binding| {
        let keys = keys_of(&target);
        let known =
            before.iter().map(|i| &i.binding).chain(new.iter()).any(|b| same(&keys_of(b), &keys));
        if !known {
            new.push(target);
        }
    };
    for theta in &thetas {
        consider(theta.clone());
        for instance in &before {
            if group::compatible(&keys_of(theta), &keys_of(&instance.binding)) {
                // On parameters both bind, the existing instance's own value stays.
                let joined =
                    instance.binding.iter().zip(theta).map(|(a, b)| a.clone().or(b.clone()));
                consider(joined.collect());
            }
        }
    }

    // Copies are of the configurations before this event.
    let mut targets = existing;
    for target in new {
        let keys = keys_of(&target);
        let bound = |b: &Binding| b.iter().filter(|v| v.is_some()).count();
        let mut source: Option<&group::Instance> = None;
        for instance in before.iter().filter(|i| group::below(&keys_of(&i.binding), &keys)) {
            if source.is_none_or(|s| bound(&instance.binding) > bound(&s.binding)) {
                source = Some(instance);
            }
        }
        let source = source.expect("the instance that binds nothing is below every binding");
        targets.push(group.copy(world, source.clone(), target));
    }

    let is_creation = creation.contains(&letter.event.kind);
    for id in targets {
        let Some(at) = group.position(id) else { continue };
        if is_creation && !group.instances[at].begun {
            group.begin(model, world, id);
        }
        if group.instances[at].begun && group.step(model, world, id, 0, letter) {
            group.after_end(model, world, id);
        }
    }
    group.end_lives(model, world, letter);
}
