//! One configuration as several, by slice.
//!
//! A sliced property whose instances all bind one parameter, its *pivot*, falls apart by the value
//! of that parameter: an event that carries it concerns the instances of one shard, another event
//! those of every shard, each its own. What does not fall apart stays whole in the first shard.
//! Properties that talk to each other through channels cannot be split: a send would have to be
//! delivered elsewhere, in order.

use std::fmt;

use watchword_model::{EventRef, PropertyId, ValueRef};
use watchword_plan::{Plan, Shape, Slices};
use watchword_step::{Op, Tag, Word};

use super::heap::Heap;
use super::store::{hash_bytes, hash_words};
use super::world::Letter;
use super::{Engine, Monitor};

/// Which shards an event goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// This one; the others [pass](Engine::pass).
    One(usize),
    /// All of them.
    All,
}

/// Why a configuration cannot be split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitError {
    /// The property that sends.
    pub property: PropertyId,
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a property that sends to channels cannot be split by slice")
    }
}

impl std::error::Error for SplitError {}

/// Which part of a split configuration an engine has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shard {
    number: usize,
    count: usize,
}

/// The argument of a kind of event that is the pivot; `None` if the kind does not carry it.
fn pivot_arg(slices: &Slices, kind: u32) -> Option<Option<u32>> {
    let pivot = slices.pivot?;
    let [route] = &slices.routes[kind as usize][..] else { return Some(None) };
    Some(route.pairs.iter().find(|(param, _)| *param == pivot).map(|(_, arg)| *arg))
}

/// The shard of a value; the same for values that are the same.
pub(crate) fn shard_of(value: &ValueRef<'_>, count: usize) -> usize {
    let hash = match value {
        ValueRef::Null => 0,
        ValueRef::Bool(b) => hash_words(&[Word::bool(*b)], 1),
        ValueRef::Int(i) => hash_words(&[Word::int(*i)], 1),
        ValueRef::Float(f) => hash_words(&[Word::float(*f)], 1),
        ValueRef::Str(text) => hash_bytes(text.as_bytes()),
        ValueRef::Ref(id, _) => hash_words(&[Word::object(*id)], 1),
        ValueRef::Ptr(p) => hash_words(&[Word::ptr(*p)], 1),
        ValueRef::Other(value) => hash_bytes(format!("{:?}", value.key()).as_bytes()),
    };
    // The low bits choose places within tables.
    (hash as usize >> 12) % count.max(1)
}

fn shard_of_word(word: Word, heap: &Heap, count: usize) -> usize {
    match word.tag {
        Tag::Str | Tag::List | Tag::Map => shard_of(&ValueRef::from(&heap.to_value(word)), count),
        _ => shard_of(
            &match word.tag {
                Tag::Unset | Tag::Null => ValueRef::Null,
                Tag::Bool => ValueRef::Bool(word.bits != 0),
                Tag::Float => ValueRef::Float(word.as_float()),
                Tag::Ref => ValueRef::Ref(word.bits, None),
                Tag::Ptr => ValueRef::Ptr(word.bits),
                _ => ValueRef::Int(word.as_int()),
            },
            count,
        ),
    }
}

impl Shard {
    /// Whether an event may concern what this shard has of a property.
    pub fn concerns(self, plan: &Plan, shape: &Shape, letter: &Letter<'_>, heap: &Heap) -> bool {
        let Shape::ChenRosu(property, slices) = shape else { return self.number == 0 };
        let kind = plan.units[property.index()].kind_of[letter.event.index()];
        if kind == watchword_step::NONE {
            return true;
        }
        match pivot_arg(slices, kind) {
            None => self.number == 0,
            Some(None) => true,
            Some(Some(arg)) => shard_of_word(letter.arg(arg), heap, self.count) == self.number,
        }
    }
}

impl Engine {
    /// Splits the configuration: engines that together report what this one would, if every event
    /// goes to the shards [`Engine::route`] names and the others [`Engine::pass`] it. The position
    /// in the list is the shard's number.
    ///
    /// Limits hold per shard, and `end` is for each of them. Reports of one event come from
    /// several shards in no order. [Save](Engine::save) before splitting: a shard's bytes do not
    /// say which shard it was.
    ///
    /// # Errors
    /// If some property sends to a channel.
    pub fn split(&self, shards: usize) -> Result<Vec<Engine>, SplitError> {
        for unit in &self.plan.units {
            if unit.tables.code.iter().any(|op| matches!(op, Op::Send(..))) {
                return Err(SplitError { property: unit.property });
            }
        }
        let count = shards.max(1);
        Ok((0..count).map(|number| self.part(Shard { number, count })).collect())
    }

    /// This engine with what belongs to one shard.
    fn part(&self, shard: Shard) -> Engine {
        let Shard { number, count } = shard;
        let mut part = self.clone();
        part.shard = Some(shard);
        let heap = &self.world.heap;
        if number > 0 {
            part.world.reports.clear();
            part.world.moves.clear();
            part.world.said.clear();
        }
        for (monitor, (root, shape)) in part.monitors.iter_mut().zip(&self.plan.shapes) {
            let slices = match shape {
                Shape::ChenRosu(_, slices) => Some(slices),
                _ => None,
            };
            let pivot = slices.and_then(|s| s.pivot);
            match monitor {
                Monitor::Direct(direct) => match pivot {
                    Some(_) => {
                        let own = |w| shard_of_word(w, heap, count) == number;
                        direct.remove_where(&mut part.world, |word, _| !own(word));
                    }
                    None if number > 0 => {
                        direct.remove_where(&mut part.world, |_, _| true);
                    }
                    None => {}
                },
                Monitor::Group(group) => {
                    let params = self.plan.contexts[root.index()].params;
                    if let Some(marks) = &mut group.marks {
                        marks.remove_where(|words| match pivot {
                            Some(p) if words[p as usize].is_set() => {
                                shard_of_word(words[p as usize], heap, count) != number
                            }
                            Some(_) => false,
                            None => number > 0,
                        });
                    }
                    for members in &mut group.members {
                        for id in members.store.in_order() {
                            let words = members.store.words(id);
                            let own = match pivot {
                                Some(p) => {
                                    // Every shard has the instance that binds nothing, which
                                    // never changes.
                                    words[..params].iter().all(|w| !w.is_set())
                                        || shard_of_word(words[p as usize], heap, count) == number
                                }
                                None => number == 0,
                            };
                            if !own {
                                members.remove(&mut part.world, id);
                            }
                        }
                    }
                }
                Monitor::Registers(registers) if number > 0 => registers.clear(&mut part.world),
                Monitor::Registers(_) => {}
            }
        }
        part
    }

    /// Which of so many shards an event goes to.
    pub fn route(&self, event: &EventRef<'_>, shards: usize) -> Route {
        let mut to: Option<usize> = None;
        for (_, shape) in &self.plan.shapes {
            let wanted = match shape {
                Shape::ChenRosu(property, slices) => {
                    let kind = self.plan.units[property.index()].kind_of[event.kind.index()];
                    if kind == watchword_step::NONE {
                        continue;
                    }
                    match pivot_arg(slices, kind) {
                        None => 0,
                        Some(None) => return Route::All,
                        Some(Some(arg)) => {
                            let value = event.args.get(arg as usize).unwrap_or(&ValueRef::Null);
                            shard_of(value, shards)
                        }
                    }
                }
                _ => 0,
            };
            if *to.get_or_insert(wanted) != wanted {
                return Route::All;
            }
        }
        Route::One(to.unwrap_or(0))
    }

    /// An event that goes to other shards: it is counted, and its time passes.
    ///
    /// # Errors
    /// As [`Engine::step`].
    pub fn pass(&mut self, event: &EventRef<'_>) -> Result<(), super::TimeError> {
        self.catch_up();
        self.reach(event.time)?;
        self.world.index += 1;
        self.events += 1;
        Ok(())
    }
}
