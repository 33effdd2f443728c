//! Objects that are gone: instances that can show nothing any more without them leave.
//!
//! Everything that binds a parameter to a dead object is a *family*: an instance that binds it can
//! only come of one that does, since no later event carries it. If nobody of a family can show
//! anything any more, all of it leaves at once, and nobody can tell: what it could have created
//! would have been of the family too. Where instances are all kept, a joined instance may be a copy
//! of one outside the family; then no state at all may be able to show anything.

use std::collections::{BTreeMap, HashMap, HashSet};

use watchword_model::PropertyId;
use watchword_plan::{Mask, Plan, Shape};
use watchword_step::{Tag, Word};

use super::group::{At, Group};
use super::members::ENDED;
use super::world::World;
use super::{Engine, Monitor};

/// What is known about the dead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deaths {
    /// Those somebody still holds who may show something.
    held: HashSet<u64>,
    /// How many died since those were last looked at.
    since: usize,
    /// By property, state and dead parameters or registers: whether anything can be shown still.
    can_show: HashMap<(PropertyId, u32, Mask), bool>,
}

impl Deaths {
    fn can_show(&mut self, plan: &Plan, property: PropertyId, state: u32, dead: Mask) -> bool {
        *self
            .can_show
            .entry((property, state, dead))
            .or_insert_with(|| plan.can_show(property, state, dead))
    }
}

impl Engine {
    /// Objects with these identities are gone, and their identities are not used again: no later
    /// event carries one of them. Instances and configurations that cannot come to a report or an
    /// output any more leave; verdicts are the same. Answers how many left.
    ///
    /// The cost is that of finding who holds the objects, through the indexes where there are
    /// such, and of removing those who leave. Who may still show something, one in a pending state
    /// for instance, is looked at again from time to time in later calls.
    pub fn died(&mut self, objects: &[u64]) -> usize {
        let mut dead: Vec<u64> = objects.to_vec();
        self.deaths.since += objects.len();
        if 2 * self.deaths.since >= self.deaths.held.len() {
            self.deaths.since = 0;
            dead.extend(&self.deaths.held);
        }
        dead.sort_unstable();
        dead.dedup();
        self.deaths.held.extend(&dead);
        let mut held = HashSet::new();
        let mut left = 0;
        let plan = self.plan.clone();
        for (monitor, (_, shape)) in self.monitors.iter_mut().zip(&plan.shapes) {
            let (deaths, world) = (&mut self.deaths, &mut self.world);
            left += match (monitor, shape) {
                (Monitor::Direct(direct), Shape::ChenRosu(property, _)) => {
                    let mut left = 0;
                    for id in &dead {
                        let word = Word::object(*id);
                        let Some(state) = direct.state_of(word) else { continue };
                        if deaths.can_show(&plan, *property, state, 1) {
                            held.insert(*id);
                        } else {
                            direct.forget(word);
                            left += 1;
                        }
                    }
                    left
                }
                (Monitor::Group(group), _) => {
                    let at = At { plan: &plan, shape, context: 0 };
                    leave(group, at, world, deaths, &dead, &mut held)
                }
                (Monitor::Registers(registers), Shape::Registers(property, _)) => {
                    let mut going = Vec::new();
                    for (id, state, words) in registers.holders(&dead) {
                        let known = &deaths.held;
                        let is_dead = |w: &Word| w.tag == Tag::Ref && known.contains(&w.bits);
                        let mask = mask_of(words, is_dead);
                        match deaths.can_show(&plan, *property, state, mask) {
                            false => going.push(id),
                            true => held.extend(
                                words.iter().map(|w| w.bits).filter(|b| deaths.held.contains(b)),
                            ),
                        }
                    }
                    registers.leave(world, &going);
                    going.len()
                }
                _ => 0,
            };
        }
        for id in &dead {
            if !held.contains(id) {
                self.deaths.held.remove(id);
            }
        }
        left
    }

    /// [`Engine::died`] for whichever objects `is_dead` says, asked for every object that some
    /// instance or configuration holds.
    pub fn died_if(&mut self, is_dead: impl Fn(u64) -> bool) -> usize {
        let mut held: Vec<u64> = Vec::new();
        let mut see = |word: Word| {
            if word.tag == Tag::Ref {
                held.push(word.bits);
            }
        };
        for (monitor, (_, shape)) in self.monitors.iter().zip(&self.plan.shapes) {
            match monitor {
                Monitor::Direct(direct) => direct.instances().for_each(|(w, ..)| see(w)),
                Monitor::Group(group) => {
                    for (context, members) in group.members.iter().enumerate() {
                        let at = At { plan: &self.plan, shape, context };
                        let params = self.plan.contexts[at.id(group).index()].params;
                        for id in members.store.all() {
                            members.store.words(id)[..params].iter().for_each(|w| see(*w));
                        }
                    }
                }
                Monitor::Registers(registers) => {
                    for (_, _, _, _, words) in registers.seats() {
                        words.iter().for_each(|w| see(*w));
                    }
                }
            }
        }
        held.sort_unstable();
        held.dedup();
        held.retain(|id| is_dead(*id));
        self.died(&held)
    }
}

/// The positions of words that are so.
fn mask_of(words: &[Word], is: impl Fn(&Word) -> bool) -> Mask {
    let bits = Mask::BITS as usize;
    (0..).zip(words.iter().take(bits)).fold(0, |mask, (i, w)| mask | Mask::from(is(w)) << i)
}

/// Lets families leave of which nothing can be seen any more.
fn leave(
    group: &mut Group,
    at: At<'_>,
    world: &mut World,
    deaths: &mut Deaths,
    dead: &[u64],
    held: &mut HashSet<u64>,
) -> usize {
    // What objects are compared by may be equal for several of them.
    if at.plan.contexts.iter().any(|c| c.is_keyed) {
        return 0;
    }
    let mut left = 0;
    for ((_, object), family) in families(group, at, dead) {
        let there: Vec<(usize, u32)> = family
            .into_iter()
            .filter(|(c, id, seq)| group.members[*c].store.is(*id, *seq))
            .map(|(c, id, _)| (c, id))
            .collect();
        let shows = there.iter().any(|(c, id)| shows(group, at.to(*c), deaths, *id));
        if shows {
            held.insert(object);
            continue;
        }
        for (context, id) in &there {
            group.members[*context].remove(world, *id);
        }
        left += there.len();
    }
    left
}

/// By parameter and object: context, record and creation number of everybody who binds it so.
type Families = BTreeMap<(u32, u64), Vec<(usize, u32, u64)>>;

fn families(group: &Group, at: At<'_>, dead: &[u64]) -> Families {
    let mut families = Families::new();
    let mut key = vec![Word::UNSET; group.key.len()];
    for (context, members) in group.members.iter().enumerate() {
        let store = &members.store;
        let params = at.plan.contexts[at.to(context).id(group).index()].params;
        for partition in 0..store.partitions() {
            let masks = store.masks(partition);
            for p in (0..params).filter(|p| masks[0] & 1 << p != 0) {
                if let Some(index) = masks.iter().position(|m| *m == 1 << p) {
                    for object in dead {
                        key[p] = Word::object(*object);
                        store.each(partition, index, &key, |id| {
                            let member = (context, id, store.head(id).seq);
                            families.entry((p as u32, *object)).or_default().push(member);
                        });
                    }
                    key[p] = Word::UNSET;
                    continue;
                }
                for id in store.all() {
                    let head = store.head(id);
                    let word = store.words(id)[p];
                    if head.partition as usize == partition
                        && word.tag == Tag::Ref
                        && dead.binary_search(&word.bits).is_ok()
                    {
                        let member = (context, id, head.seq);
                        families.entry((p as u32, word.bits)).or_default().push(member);
                    }
                }
            }
        }
    }
    families
}

/// Whether something can still be seen of an instance, or without it.
fn shows(group: &Group, at: At<'_>, deaths: &mut Deaths, id: u32) -> bool {
    let members = &group.members[at.context];
    let params = at.plan.contexts[at.id(group).index()].params;
    let words = &members.store.words(id)[..params];
    let held = &deaths.held;
    let dead = mask_of(words, |w| w.tag == Tag::Ref && held.contains(&w.bits));
    let domain = mask_of(words, |w| w.is_set());
    (0..members.automata).any(|automaton| {
        let unit = at.unit(automaton);
        let property = unit.property;
        if at.plan.is_missed(property, dead) {
            return true;
        }
        let copies = match at.shape {
            Shape::ChenRosu(_, slices) => !slices.lazy && at.plan.can_grow(property, domain, dead),
            _ => false,
        };
        if copies {
            let states = unit.state_kinds.len() as u32;
            return (0..states).any(|s| deaths.can_show(at.plan, property, s, dead));
        }
        let state = match members.state(id, automaton) {
            ENDED if members.store.head(id).begun => return false,
            ENDED => unit.start,
            state => state,
        };
        deaths.can_show(at.plan, property, state, dead)
    })
}
