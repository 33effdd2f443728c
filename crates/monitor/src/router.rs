//! Divides the events of a trace among several engines.

use std::collections::HashMap;
use std::sync::Arc;

use watchword_model::{EventRef, Key, PropertyId, ValueRef};
use watchword_plan::{Keyed, Plan, Routing, Way};

use crate::engine::shard_of;

/// Divides the events of a trace among engines (*shards*) that together report what one engine
/// would.
///
/// Every shard is an engine of the same plan. It receives the events that [`Router::route`] names it
/// for, in the order of the trace, and is told the time by [`Engine::advance_to`]: the first time of
/// the trace before any event, and the last one before the end. An event without a time happens at
/// the last time of the trace, which a shard may not have seen; give it that time.
///
/// Reports and outputs count where [`Router::counts`] says so. The number of the event in a report
/// is among the events of the shard.
///
/// [`Engine::advance_to`]: crate::Engine::advance_to
#[derive(Clone, Debug)]
pub struct Router {
    plan: Arc<Plan>,
    roots: Vec<Root>,
    shards: usize,
    learns: bool,
    /// Memory that is used for every event: by root context that observes it, its shards.
    wanted: Vec<(usize, Shards)>,
}

/// A root context.
#[derive(Clone, Debug)]
struct Root {
    routing: Routing,
    properties: Vec<PropertyId>,
    /// Where values of children of the key occurred.
    learnt: HashMap<(u32, Key), Shards>,
}

/// Some of the shards.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shards {
    /// In ascending order.
    These(Vec<usize>),
    All,
}

impl Shards {
    fn add(&mut self, more: &Shards) {
        match (&mut *self, more) {
            (Shards::All, _) => {}
            (_, Shards::All) => *self = Shards::All,
            (Shards::These(own), Shards::These(more)) => {
                for shard in more {
                    if let Err(at) = own.binary_search(shard) {
                        own.insert(at, *shard);
                    }
                }
            }
        }
    }
}

/// A shard that an event goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The shard.
    pub shard: usize,
    /// The properties that it is for, as [`Engine::step_for`] takes them; `None` stands for all.
    ///
    /// [`Engine::step_for`]: crate::Engine::step_for
    pub only: Option<Vec<PropertyId>>,
}

impl Router {
    /// A router to so many shards that remembers where values occurred.
    pub fn new(plan: Arc<Plan>, shards: usize) -> Router {
        let roots = plan.routings().into_iter().enumerate().map(|(number, routing)| Root {
            routing,
            properties: plan.properties_of(number),
            learnt: HashMap::new(),
        });
        let roots = roots.collect();
        Router { plan, roots, shards: shards.max(1), learns: true, wanted: Vec::new() }
    }

    /// A router that remembers nothing: where an event goes does not depend on other events. What
    /// could be learnt goes to all shards.
    pub fn stateless(plan: Arc<Plan>, shards: usize) -> Router {
        Router { learns: false, ..Router::new(plan, shards) }
    }

    /// Whether where an event goes may depend on earlier events, unless the router is stateless.
    pub fn can_learn(&self) -> bool {
        let learns = |keyed: &Keyed| {
            keyed.ways.iter().flatten().any(|way| matches!(way, Way::Learnt { .. }))
        };
        self.roots
            .iter()
            .any(|root| matches!(&root.routing, Routing::Keyed(keyed) if learns(keyed)))
    }

    /// Whether what a shard says of a property counts. Properties that are not divided are in the
    /// first shard; the others have them, too, but no event reaches them there.
    pub fn counts(&self, shard: usize, property: PropertyId) -> bool {
        let is_whole = |root: &Root| {
            matches!(root.routing, Routing::Whole(_)) && root.properties.contains(&property)
        };
        shard == 0 || !self.roots.iter().any(is_whole)
    }

    /// Where an event goes, in the order of the shards. Nowhere, if it can have no effect.
    pub fn route(&mut self, event: &EventRef<'_>) -> Vec<Delivery> {
        self.wanted.clear();
        for number in &self.plan.observers[event.kind.index()] {
            let number = *number as usize;
            let root = &mut self.roots[number];
            let shards = root.route(event, self.shards, self.learns);
            self.wanted.push((number, shards));
        }
        let Some((_, first)) = self.wanted.first() else { return Vec::new() };
        let agree = self.wanted.iter().all(|(_, shards)| shards == first);
        let listed = |shards: &Shards| match shards {
            Shards::These(these) => these.clone(),
            Shards::All => (0..self.shards).collect(),
        };
        if agree {
            let to = listed(first).into_iter();
            return to.map(|shard| Delivery { shard, only: None }).collect();
        }
        let mut to: Vec<Delivery> = Vec::new();
        for (number, shards) in &self.wanted {
            for shard in listed(shards) {
                let at = match to.binary_search_by_key(&shard, |delivery| delivery.shard) {
                    Ok(at) => at,
                    Err(at) => {
                        to.insert(at, Delivery { shard, only: Some(Vec::new()) });
                        at
                    }
                };
                let only = to[at].only.get_or_insert_default();
                only.extend(&self.roots[*number].properties);
            }
        }
        to
    }
}

impl Root {
    fn route(&mut self, event: &EventRef<'_>, count: usize, learns: bool) -> Shards {
        let Routing::Keyed(keyed) = &self.routing else { return Shards::These(vec![0]) };
        let kind = event.kind.index();
        let value = |arg: u32| event.args.get(arg as usize).copied().unwrap_or(ValueRef::Null);
        let shards = match keyed.ways[kind] {
            None => return Shards::These(Vec::new()),
            Some(Way::Arg(arg)) => Shards::These(vec![shard_of(&value(arg), count)]),
            Some(Way::Learnt { child, arg }) if learns => {
                let known = key_of(&value(arg)).and_then(|key| self.learnt.get(&(child, key)));
                known.cloned().unwrap_or(Shards::These(Vec::new()))
            }
            Some(Way::Learnt { .. } | Way::Everywhere) => Shards::All,
        };
        if learns {
            learn(keyed, kind, &value, &shards, &mut self.learnt);
        }
        shards
    }
}

/// Remembers that the values of an event occurred in these shards.
fn learn<'v>(
    keyed: &Keyed,
    kind: usize,
    value: &impl Fn(u32) -> ValueRef<'v>,
    shards: &Shards,
    learnt: &mut HashMap<(u32, Key), Shards>,
) {
    for (child, arg) in &keyed.children[kind] {
        if let Some(key) = key_of(&value(*arg)) {
            learnt
                .entry((*child, key))
                .and_modify(|known| known.add(shards))
                .or_insert_with(|| shards.clone());
        }
    }
}

/// What is equal for values that are the same; `None` for values that no instance binds.
fn key_of(value: &ValueRef<'_>) -> Option<Key> {
    value.to_value().key()
}
