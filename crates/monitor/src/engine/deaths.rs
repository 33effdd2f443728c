//! Objects that are gone: instances that can show nothing any more without them leave.
//!
//! Everything that binds a parameter to a dead object is a *family*: an instance that binds it can
//! only come of one that does, since no later event carries it. If nobody of a family can show
//! anything any more, all of it leaves at once, and nobody can tell: what it could have created
//! would have been of the family too. Where instances are all kept, a joined instance may be a copy
//! of one outside the family; then no state at all may be able to show anything.

use std::collections::{HashMap, HashSet};

use watchword_model::PropertyId;
use watchword_plan::{Mask, Plan, Shape};
use watchword_step::{Tag, Word};

use super::direct::Direct;
use super::group::{At, Group};
use super::members::ENDED;
use super::store::Mixed;
use super::world::World;
use super::{Engine, Monitor};

type Ids = HashSet<u64, Mixed>;

/// What is known about the dead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deaths {
    /// Instances with a live object that may still have an effect.
    held: Ids,
    /// How many died since those were last looked at.
    since: usize,
    /// Those that are being looked at.
    gone: Ids,
    /// By property, state and dead parameters or registers: whether anything can be shown still, or
    /// would be missed.
    shows: HashMap<(u32, u32, Mask), bool, Mixed>,
    /// The last one that was asked for.
    last: Option<((u32, u32, Mask), bool)>,
    /// Temporary: the instances that bind a dead object.
    families: Vec<Member>,
}

/// An instance that binds a dead object.
#[derive(Clone, Copy, Debug)]
struct Member {
    param: u32,
    object: u64,
    context: u32,
    id: u32,
    seq: u64,
}

impl Deaths {
    fn is_dead(&self, word: Word) -> bool {
        word.tag == Tag::Ref && (self.gone.contains(&word.bits) || self.held.contains(&word.bits))
    }

    /// Whether it can still have an effect, or its removal could be observed.
    fn shows(&mut self, plan: &Plan, property: PropertyId, state: u32, dead: Mask) -> bool {
        let key = (property.0, state, dead);
        if let Some((last, shows)) = self.last
            && last == key
        {
            return shows;
        }
        let shows = *self.shows.entry(key).or_insert_with(|| {
            plan.can_show(property, state, dead) || plan.is_missed(property, dead)
        });
        self.last = Some((key, shows));
        shows
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
        self.catch_up();
        let deaths = &mut self.deaths;
        deaths.since += objects.len();
        deaths.gone.clear();
        deaths.gone.extend(objects);
        if 2 * deaths.since >= deaths.held.len() {
            deaths.since = 0;
            deaths.gone.extend(deaths.held.drain());
        }
        let dead: Vec<u64> = deaths.gone.iter().copied().collect();
        let mut held: Vec<u64> = Vec::new();
        let mut left = 0;
        let plan = self.plan.clone();
        for (monitor, (_, shape)) in self.monitors.iter_mut().zip(&plan.shapes) {
            let (deaths, world) = (&mut self.deaths, &mut self.world);
            left += match (monitor, shape) {
                (Monitor::Direct(direct), Shape::ChenRosu(property, _)) => {
                    bury(direct, &plan, *property, world, deaths, &dead, &mut held)
                }
                (Monitor::Group(group), _) => {
                    if let Some(marks) = &mut group.marks {
                        marks.died(&dead);
                    }
                    let at = At { plan: &plan, shape, context: 0 };
                    leave(group, at, world, deaths, &dead, &mut held)
                }
                (Monitor::Registers(registers), Shape::Registers(property, _)) => {
                    let mut going = Vec::new();
                    let gone =
                        |word: Word| word.tag == Tag::Ref && deaths.gone.contains(&word.bits);
                    let holders = registers.holders(&dead, gone);
                    for (id, state, words) in holders {
                        let mask = mask_of(words, |w| deaths.is_dead(*w));
                        match deaths.shows(&plan, *property, state, mask) {
                            false => going.push(id),
                            true => {
                                let dead = words.iter().filter(|w| deaths.is_dead(**w));
                                held.extend(dead.map(|w| w.bits));
                            }
                        }
                    }
                    registers.leave(world, &going);
                    going.len()
                }
                _ => 0,
            };
        }
        self.deaths.held.extend(held);
        left
    }

    /// Which objects that some instance or configuration holds are such, in ascending order. If a property is
    /// given, instances that are surely of others are not asked.
    pub fn held(&mut self, of: Option<PropertyId>, is_such: impl Fn(u64) -> bool) -> Vec<u64> {
        self.catch_up();
        let mut held: Vec<u64> = Vec::new();
        let mut see = |word: Word| {
            if word.tag == Tag::Ref {
                held.push(word.bits);
            }
        };
        for (monitor, (_, shape)) in self.monitors.iter().zip(&self.plan.shapes) {
            let is_of_others = match shape {
                Shape::ChenRosu(own, _) | Shape::Registers(own, _) => {
                    of.is_some_and(|of| of != *own)
                }
                _ => false,
            };
            if !is_of_others {
                see_all(&self.plan, monitor, shape, &mut see);
            }
        }
        held.sort_unstable();
        held.dedup();
        held.retain(|id| is_such(*id));
        held
    }
}

/// Shows the values of the parameters or registers of all instances.
fn see_all(plan: &Plan, monitor: &Monitor, shape: &Shape, see: &mut impl FnMut(Word)) {
    match monitor {
        Monitor::Direct(direct) => direct.instances().for_each(|(w, ..)| see(w)),
        Monitor::Group(group) => {
            for (context, members) in group.members.iter().enumerate() {
                let at = At { plan, shape, context };
                let params = plan.contexts[at.id(group).index()].params;
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

/// Lets instances of a table leave of which nothing can be seen any more.
fn bury(
    direct: &mut Direct,
    plan: &Plan,
    property: PropertyId,
    world: &mut World,
    deaths: &mut Deaths,
    dead: &[u64],
    held: &mut Vec<u64>,
) -> usize {
    if 2 * dead.len() > direct.len() {
        return direct.remove_where(world, |word, state| {
            let is_gone = word.tag == Tag::Ref && deaths.gone.contains(&word.bits);
            let shows = is_gone && deaths.shows(plan, property, state, 1);
            if shows {
                held.push(word.bits);
            }
            is_gone && !shows
        });
    }
    let mut left = 0;
    for id in dead {
        let word = Word::object(*id);
        let Some(state) = direct.state_of(word) else { continue };
        if deaths.shows(plan, property, state, 1) {
            held.push(*id);
        } else {
            direct.forget(world, word);
            left += 1;
        }
    }
    left
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
    held: &mut Vec<u64>,
) -> usize {
    // What objects are compared by may be equal for several of them.
    if at.plan.contexts.iter().any(|c| c.is_keyed) {
        return 0;
    }
    // Usually all objects are dead, and no instance has an effect.
    if dead.len() >= group.members.iter().map(|m| m.store.len()).sum::<usize>() / 2
        && let Some(left) = leave_together(group, at, world, deaths)
    {
        return left;
    }
    let mut families = std::mem::take(&mut deaths.families);
    find_families(group, at, deaths, dead, &mut families);
    let mut left = 0;
    for family in families.chunk_by(|a, b| (a.param, a.object) == (b.param, b.object)) {
        let is_there = |m: &&Member| group.members[m.context as usize].store.is(m.id, m.seq);
        let shows = family.iter().filter(is_there).any(|m| {
            let at = at.to(m.context as usize);
            let params = at.plan.contexts[at.id(group).index()].params;
            let words = &group.members[at.context].store.words(m.id)[..params];
            let dead = mask_of(words, |w| deaths.is_dead(*w));
            shows(group, at, deaths, m.id, dead)
        });
        if shows {
            held.push(family[0].object);
            continue;
        }
        for member in family {
            let members = &mut group.members[member.context as usize];
            if members.store.is(member.id, member.seq) {
                members.remove(world, member.id);
                left += 1;
            }
        }
    }
    families.clear();
    deaths.families = families;
    left
}

/// Lets everybody leave who binds a dead object, if nothing can be seen of any of them any more.
/// Answers how many; `None`, and nobody has left, if somebody shows something.
fn leave_together(
    group: &mut Group,
    at: At<'_>,
    world: &mut World,
    deaths: &mut Deaths,
) -> Option<usize> {
    let mut going: Vec<Vec<u32>> = vec![Vec::new(); group.members.len()];
    for (context, members) in group.members.iter().enumerate() {
        let at = at.to(context);
        let params = at.plan.contexts[at.id(group).index()].params;
        for id in members.store.all() {
            let words = &members.store.words(id)[..params];
            let dead = mask_of(words, |w| deaths.is_dead(*w));
            if dead != 0 {
                if shows(group, at, deaths, id, dead) {
                    return None;
                }
                going[context].push(id);
            }
        }
    }
    for (members, going) in group.members.iter_mut().zip(&going) {
        members.remove_many(world, going);
    }
    Some(going.iter().map(Vec::len).sum())
}

/// Finds everybody who binds a dead object, those who bind the same parameter to it side by side.
fn find_families(
    group: &Group,
    at: At<'_>,
    deaths: &Deaths,
    dead: &[u64],
    families: &mut Vec<Member>,
) {
    let mut key = vec![Word::UNSET; group.key.len()];
    let mut is_sorted = true;
    let places = || {
        group.members.iter().enumerate().flat_map(|(c, members)| {
            (0..members.store.partitions()).map(move |p| (c, &members.store, p))
        })
    };
    let params = at.plan.contexts.iter().map(|c| c.params).max().unwrap_or(0);
    for param in 0..params {
        // Where there is an index, and looking everybody up is cheaper than looking at everybody.
        let by_index: Vec<_> = places()
            .filter_map(|(context, store, partition)| {
                let index = store.index_of(partition, 1 << param)?;
                (dead.len() < store.len()).then_some((context, store, partition, index))
            })
            .collect();
        for object in dead.iter().filter(|_| !by_index.is_empty()) {
            key[param] = Word::object(*object);
            for (context, store, partition, index) in &by_index {
                store.each(*partition, *index, &key, |id| {
                    let seq = store.head(id).seq;
                    let (param, context) = (param as u32, *context as u32);
                    families.push(Member { param, object: *object, context, id, seq });
                });
            }
        }
        key[param] = Word::UNSET;
        for (context, store, partition) in places() {
            let binds = store.domain(partition) & 1 << param != 0;
            let is_done = by_index.iter().any(|(c, _, p, _)| (*c, *p) == (context, partition));
            if !binds || is_done {
                continue;
            }
            is_sorted = false;
            for id in store.all() {
                let head = store.head(id);
                let word = store.words(id)[param];
                if head.partition as usize == partition
                    && word.tag == Tag::Ref
                    && deaths.gone.contains(&word.bits)
                {
                    let (param, context) = (param as u32, context as u32);
                    let object = word.bits;
                    families.push(Member { param, object, context, id, seq: head.seq });
                }
            }
        }
    }
    if !is_sorted {
        families.sort_unstable_by_key(|m| (m.param, m.object));
    }
}

/// Whether something can still be seen of an instance whose parameters in `dead` are so, or
/// without it.
fn shows(group: &Group, at: At<'_>, deaths: &mut Deaths, id: u32, dead: Mask) -> bool {
    let members = &group.members[at.context];
    (0..members.automata).any(|automaton| {
        let unit = at.unit(automaton);
        let property = unit.property;
        let copies = match at.shape {
            Shape::ChenRosu(_, slices) if !slices.lazy => {
                let domain = members.store.domain(members.store.head(id).partition as usize);
                at.plan.can_grow(property, domain, dead)
            }
            _ => false,
        };
        if copies {
            let states = unit.state_kinds.len() as u32;
            return (0..states).any(|s| deaths.shows(at.plan, property, s, dead));
        }
        let state = match members.state(id, automaton) {
            ENDED if members.store.head(id).begun => {
                return at.plan.is_missed(property, dead);
            }
            ENDED => unit.start,
            state => state,
        };
        deaths.shows(at.plan, property, state, dead)
    })
}
