//! Instances that are created when an ancestor's transition fires.

use watchword_model::{Model, Pattern, Place, Placement};

use super::group::{self, Group, Taken};
use super::label::{self, Offer};
use super::world::{Letter, World};

pub fn step(group: &mut Group, model: &Model, world: &mut World, letter: &Letter) {
    let context = group.root;
    let property =
        model.properties.iter().find(|p| p.context == context).expect("a context has a property");
    if !group::observes(model, property, letter) {
        return;
    }
    let contexts = group::chain(model, context);
    let existing: Vec<u64> = group.instances.iter().map(|i| i.id).collect();
    for id in existing {
        let Some(at) = group.position(id) else { continue };
        if group.instances[at].lost {
            continue;
        }
        let own = group::keys(model, context, &group.instances[at].binding);
        let state = group.instances[at].automata[0].state;
        for (_, transition) in property.leaving(state) {
            let label = &transition.labels[0];
            // The label's own placement.
            let placement = Placement(
                label
                    .args
                    .iter()
                    .enumerate()
                    .filter_map(|(arg, pattern)| match pattern {
                        Pattern::Equal(Place::Param(param)) => Some((*param, arg as u32)),
                        _ => None,
                    })
                    .collect(),
            );
            let Some(theta) = group::place(model, context, &placement, letter) else { continue };
            let theta_keys = group::keys(model, context, &theta);
            if !group::compatible(&theta_keys, &own) {
                continue;
            }
            let in_place = group::below(&theta_keys, &own);
            if !in_place {
                let taken = group
                    .instances
                    .iter()
                    .any(|i| group::below(&theta_keys, &group::keys(model, context, &i.binding)));
                if taken {
                    continue;
                }
            }
            let mut scope = group.scope(model, id, world.now);
            if !in_place {
                scope.params = theta.clone();
            }
            let offer = match label::offer(&scope, &contexts, label, &letter.event) {
                Offer::NoMatch => continue,
                Offer::NotRelevant => {
                    world.not_relevant += 1;
                    continue;
                }
                Offer::GuardFalse(bound) => match &transition.otherwise {
                    Some(branch) => Some((bound, branch)),
                    None => continue,
                },
                Offer::Match(bound) => Some((bound, &transition.then)),
                Offer::Limit => None,
            };
            let taken = offer.and_then(|(bound, branch)| {
                let scope = label::take(&bound, property, branch).ok()?;
                Some(Taken { scope, branch })
            });
            let acting = match in_place {
                true => id,
                false => {
                    let original = group.instances[at].clone();
                    group.copy(world, original, theta)
                }
            };
            let Some(taken) = taken else {
                group.lose(model, world, acting);
                break;
            };
            if group.carry_out(model, world, acting, 0, taken, Some(letter)) {
                group.after_end(model, world, acting);
            }
            break;
        }
    }
    group.end_lives(model, world, letter);
}
