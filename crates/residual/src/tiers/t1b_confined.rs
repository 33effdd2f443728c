//! T1b. Objects that live in one field and nowhere else.
//!
//! A field is *confined* if everything that is ever stored in it is a new library object that goes
//! nowhere else, and everything that is ever read from it is only used: called, or lent to calls that
//! do not keep it. Then all events of its objects happen at sites that can be listed, in whatever
//! order and by whatever thread: the letters of these sites are all that slices with such an object
//! can read, apart from letters that do not bind it.

use std::collections::{HashMap, HashSet};

use super::{Run, Tier};
use crate::analysis::Status;
use crate::body::{BodyId, ClassName, FieldId, NodeId, Op, Operand};
use crate::flow::{
    Flow, Flows, NULL, Objects, OriginKey, State, UNKNOWN, confined_bit, old_bit, recent_bit,
    recents,
};
use crate::jvm::property::PropertyWorld;
use crate::machine::{Letters, Machines, iter};
use crate::mistake::Mistake;
use crate::quick::is_idle;
use crate::world::World;

/// Sites that may be silenced because their objects are confined and no letter of theirs matters.
pub fn silence(
    world: &PropertyWorld<'_, '_>,
    machines: &Machines,
    present: Letters,
) -> HashSet<u32> {
    let program = world.program;
    let mut holding: HashMap<ClassName, bool> = HashMap::new();
    let mut holds = |field: FieldId| {
        program.field_type(field).is_some_and(|ty| {
            *holding.entry(ty).or_insert_with(|| {
                let name = program.types.class_name(ty);
                world.bound.iter().any(|bound| program.may_share(&name, bound))
            })
        })
    };
    let users = program.field_users().iter().filter(|(field, _)| {
        world.may_be_own(**field)
            && holds(**field)
            && !program.is_restored(**field)
            && !program.is_reached_otherwise(**field)
            && !program.is_compared(**field)
    });
    let mut users = users.map(|(field, users)| (*field, users.clone())).collect();
    let Some(flows) = find(world, &mut users) else { return HashSet::new() };
    // By field and parameter: letters of the sites on what the field holds.
    let mut letters: HashMap<FieldId, Vec<Letters>> = HashMap::new();
    for (id, flow) in &flows {
        let Some(body) = world.body(*id) else { continue };
        let holdings = holdings(world, flow);
        for (field, objects) in &holdings {
            let row = letters.entry(*field).or_insert_with(|| vec![0; machines.params.len()]);
            for (index, node) in body.nodes.iter().enumerate() {
                let Some(state) = &flow.before[index] else { continue };
                let held = |var: u16| state.vars[usize::from(var)] & objects != 0;
                for event in &node.events {
                    let binds = &machines.letters[event.letter].binds;
                    for ((param, _), operand) in binds.iter().zip(&event.operands) {
                        if bound_to(flow, index, state, *operand) & objects != 0 {
                            row[param.index()] |= 1 << event.letter;
                        }
                    }
                }
                if let Op::Call(call) = &node.op
                    && let Some(effect) = flow.effects.get(&(index as NodeId))
                {
                    for (arg, emits) in call.args.iter().zip(&effect.emits) {
                        if arg.is_some_and(held) {
                            for letter in iter(*emits) {
                                for (param, slot) in row.iter_mut().enumerate() {
                                    if machines.letters[letter].params >> param & 1 == 1 {
                                        *slot |= 1 << letter;
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    let mut silenced = HashSet::new();
    let mut kept = HashSet::new();
    for (id, flow) in &flows {
        let Some(body) = world.body(*id) else { continue };
        let holdings = holdings(world, flow);
        for (index, node) in body.nodes.iter().enumerate() {
            let Some(state) = &flow.before[index] else { continue };
            for event in &node.events {
                let binds = &machines.letters[event.letter].binds;
                let idle = binds.iter().zip(&event.operands).any(|((param, _), operand)| {
                    let objects = bound_to(flow, index, state, *operand) & !NULL;
                    let fields = holdings.iter().filter(|(_, held)| objects & held != 0);
                    let fields: Vec<&(FieldId, Objects)> = fields.collect();
                    let all = fields.iter().fold(0, |set, (_, held)| set | held);
                    if objects == 0 || objects & !all != 0 {
                        return false;
                    }
                    let own = fields.iter().fold(0, |set, (field, _)| {
                        set | letters.get(field).map_or(!0, |row| row[param.index()])
                    });
                    let binding = (0..machines.letters.len())
                        .filter(|l| machines.letters[*l].params >> param.index() & 1 == 1)
                        .fold(0 as Letters, |set, l| set | 1 << l);
                    let read = present & !binding | own;
                    is_idle(machines, event.letter, read, 1 << param.index())
                });
                if idle { &mut silenced } else { &mut kept }.insert(event.site);
            }
        }
    }
    silenced.retain(|site| !kept.contains(site));
    silenced
}

/// What an event at a node may bind.
fn bound_to(flow: &Flow, node: usize, state: &State, operand: Operand) -> Objects {
    match operand {
        Operand::Var(var) => state.vars[usize::from(var)],
        Operand::Result => match flow.effects.get(&(node as NodeId)) {
            Some(effect) => effect.result | effect.fresh.map_or(0, recent_bit),
            None => UNKNOWN,
        },
        Operand::Unknown => UNKNOWN,
    }
}

/// What of a body's objects belongs to which confined field.
fn holdings(world: &PropertyWorld<'_, '_>, flow: &Flow) -> Vec<(FieldId, Objects)> {
    let mut all: Vec<(FieldId, Objects)> = Vec::new();
    let mut add = |field: FieldId, objects: Objects| match all.iter_mut().find(|(f, _)| *f == field)
    {
        Some((_, known)) => *known |= objects,
        None => all.push((field, objects)),
    };
    for (index, field) in flow.confined.iter().enumerate() {
        add(*field, confined_bit(index));
    }
    for (field, _, objects) in &flow.stores {
        let origins = recents(*objects).fold(0, |set, o| set | recent_bit(o) | old_bit(o));
        if origins != 0 && world.confined(*field) {
            add(*field, origins);
        }
    }
    all
}

/// Leaves in `users` the confined fields, tells the world, and returns the flows of all bodies that
/// use them. First fields with a store of anything but a new object go; the rest is assumed to be
/// confined until a use disproves it.
fn find(
    world: &PropertyWorld<'_, '_>,
    users: &mut HashMap<FieldId, Vec<BodyId>>,
) -> Option<HashMap<BodyId, Flow>> {
    const MAX_ROUNDS: usize = 8;
    world.confined.borrow_mut().clear();
    for _ in 0..MAX_ROUNDS {
        if users.is_empty() {
            return None;
        }
        let flows = Flows::of_threads(world);
        let mut results: HashMap<BodyId, Flow> = HashMap::new();
        let mut failed: HashSet<FieldId> = HashSet::new();
        let mut classes: HashMap<FieldId, Option<ClassName>> = HashMap::new();
        let mut stored: HashSet<FieldId> = HashSet::new();
        let mut bodies: Vec<BodyId> = users.values().flatten().copied().collect();
        bodies.sort_unstable();
        bodies.dedup();
        for id in bodies {
            let flow = world.body(id).and_then(|body| Some((flows.of(id, &body)?, body)));
            let Some((flow, body)) = flow else {
                failed.extend(users.iter().filter(|(_, ids)| ids.contains(&id)).map(|(f, _)| *f));
                continue;
            };
            for (index, field) in flow.confined.iter().enumerate() {
                if flow.confined_leaks[index].is_some() && !Mistake::EverythingConfined.is_made() {
                    failed.insert(*field);
                }
            }
            for (field, _, objects) in &flow.stores {
                if !users.contains_key(field) {
                    continue;
                }
                stored.insert(*field);
                let objects = objects & !NULL;
                let mut new = 0;
                for origin in recents(objects) {
                    let info = &flow.origins[origin];
                    let class = match info.classes.known() {
                        Some([class]) => Some(*class),
                        _ => None,
                    };
                    let library = class.is_some_and(|class| world.is_library(class));
                    let only_here = flow.leak_nodes[origin].iter().all(|node| {
                        matches!(&body.nodes[*node as usize].op, Op::Store(_, f) if f == field)
                    });
                    let made = matches!(info.key, OriginKey::Node(_));
                    if library && only_here && made && info.history == 0 {
                        new |= recent_bit(origin);
                        let known = classes.entry(*field).or_insert(class);
                        if *known != class {
                            *known = None;
                        }
                    }
                }
                if new != objects {
                    failed.insert(*field);
                }
            }
            results.insert(id, flow);
        }
        let assumed = world.confined.borrow().clone();
        users.retain(|field, _| !failed.contains(field) && stored.contains(field));
        let now: HashMap<FieldId, Option<ClassName>> =
            users.keys().map(|f| (*f, classes.get(f).copied().flatten())).collect();
        if now == assumed {
            return Some(results);
        }
        *world.confined.borrow_mut() = now;
    }
    world.confined.borrow_mut().clear();
    None
}

impl Run<'_, '_> {
    /// T1b.
    pub(super) fn confined(&mut self, world: &PropertyWorld<'_, '_>) {
        let found = silence(world, self.machines, self.present());
        for site in &found {
            self.status[*site as usize] = Some(Status::Silenced(Tier::T1b));
        }
        world.silence(found);
    }
}
