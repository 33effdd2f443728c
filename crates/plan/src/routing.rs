//! Which of several engines the events of a property go to.
//!
//! Several engines can share the instances of a property if no instance needs to know of another.
//! The *routing plan* says, per root context, whether that is so, and by what an event finds the
//! engines (*shards*) that have its instances.
//!
//! * [`Way::Arg`]: the event carries the *key*, the parameter that all instances bind. It goes to
//!   the shard of that value.
//! * [`Way::Learnt`]: the event carries a *child* of the key only. Earlier events carried both, or
//!   the child together with another child whose shard was known, so the shards that know the child
//!   are known. If there are none, no instance that binds the child exists.
//! * [`Way::Everywhere`]: the event concerns instances of every key. It goes to all shards.
//!
//! # Why the verdicts are the same
//!
//! Claim: engines that receive the events of their shard in the order of the trace, and are told
//! the time, together report what one engine reports, if the key `p` is chosen by these rules.
//!
//! 1. The property neither sends to nor observes a channel, has no clocks outside of instances
//!    that bind `p`, and compares `p` by itself.
//! 2. Every instance that is kept binds `p`, except for ⊥, which never changes and is never seen
//!    (`Slices::pivot`); or every placement of every event names `p`, and ⊥ cannot be reported.
//! 3. All placements of an event name `p` at the same argument, or none of them names it.
//! 4. A life that ends with an event ends in the shards that the event goes to.
//!
//! By 2 an event with θ(p) = v steps, joins and creates only instances with p = v, which by 3 are in
//! the shard of v; ⊥ is the same everywhere. An event without `p` concerns instances of every value,
//! and each shard has its own. By 1 nothing else leads from one instance to another. An event may be
//! kept from a shard in which its child `q` = w never occurred if it creates nothing, leaves no mark,
//! and steps and joins only instances that are found by `q`: the shard has none with `q` = w. ∎

use std::fmt::Write;

use watchword_model::{Context, ContextId, Model, Origin, Property, PropertyId, StateKind};
use watchword_step::Op;

use crate::effects;
use crate::shape::{Mask, Slices};
use crate::unit::Unit;
use crate::{LarvaPlan, Plan, Shape};

/// How the events of a root context are divided among engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Routing {
    /// By the value of a parameter.
    Keyed(Keyed),
    /// Not at all: one engine has all instances, for this reason.
    Whole(&'static str),
}

/// A division by the value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// The parameter.
    pub key: u32,
    /// Its name.
    pub name: String,
    /// By event of the model: where it goes; `None` if nobody observes it.
    pub ways: Vec<Option<Way>>,
    /// By event of the model: the children of the key that it carries, with their arguments.
    pub children: Vec<Vec<(u32, u32)>>,
}

/// Where an event goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the shard of the value of this argument.
    Arg(u32),
    /// To the shards where the value of a child of the key occurred.
    Learnt {
        /// The child: a parameter.
        child: u32,
        /// The argument with its value.
        arg: u32,
    },
    /// To all shards.
    Everywhere,
}

/// The routing of one root context.
pub(crate) fn of_shape(plan: &Plan, root: ContextId, shape: &Shape) -> Routing {
    let model = &*plan.model;
    let properties = properties_of(shape);
    if properties.iter().any(|p| talks(model, &plan.units[p.index()])) {
        return Routing::Whole("it sends to a channel or observes one");
    }
    let found = match shape {
        Shape::Registers(property, _) => Err(match plan.units[property.index()].registers.len() {
            0 => "it has no parameters",
            _ => "any event may concern any configuration: registers are bound again",
        }),
        Shape::ChenRosu(property, slices) => chen_rosu(plan, root, *property, slices),
        Shape::Verde(property, _) => verde(plan, root, *property),
        Shape::Larva(contexts) => larva(plan, root, contexts),
    };
    match found {
        Ok(keyed) => Routing::Keyed(keyed),
        Err(why) => Routing::Whole(why),
    }
}

/// The properties of a root context.
pub(crate) fn properties_of(shape: &Shape) -> Vec<PropertyId> {
    match shape {
        Shape::Larva(contexts) => contexts.iter().flat_map(|c| &c.properties).copied().collect(),
        Shape::ChenRosu(property, _)
        | Shape::Verde(property, _)
        | Shape::Registers(property, _) => vec![*property],
    }
}

fn talks(model: &Model, unit: &Unit) -> bool {
    let sends = unit.tables.code.iter().any(|op| matches!(op, Op::Send(..)));
    let hears =
        unit.kinds.iter().any(|k| matches!(model.events[k.event.index()].origin, Origin::Channel));
    sends || hears
}

fn name_of(model: &Model, context: ContextId, param: u32) -> String {
    let params = model.params(context);
    let own = params.into_iter().find(|(id, _)| id.0 == param);
    own.map_or_else(String::new, |(_, p)| p.name.clone())
}

type Found = Result<Keyed, &'static str>;

fn chen_rosu(plan: &Plan, root: ContextId, property: PropertyId, slices: &Slices) -> Found {
    let model = &*plan.model;
    let unit = &plan.units[property.index()];
    let context = &model.contexts[root.index()];
    if context.params.is_empty() {
        return Err("it has no parameters");
    }
    if !context.clocks.is_empty() {
        return Err("its clocks also run where no parameter is bound");
    }
    if context.keys.iter().any(Option::is_some) {
        return Err("its parameters are compared by a key");
    }
    // Every shard has it.
    expect_bottom_unseen(&model.properties[property.index()], unit)?;
    let key = match slices.pivot {
        Some(pivot) => pivot,
        None => {
            let lists = || unit.kinds.iter().flat_map(|k| &k.placements);
            shared(lists, context.params.len())
                .ok_or("its events share no parameter that all instances bind")?
        }
    };
    let mut keyed = Keyed::new(model, root, key);
    keyed.add(unit)?;
    keyed.end_lives(context)?;
    keyed.learn(unit, slices);
    Ok(keyed)
}

/// Whether nobody can tell that there is an instance that binds nothing, which no event changes.
fn expect_bottom_unseen(property: &Property, unit: &Unit) -> Result<(), &'static str> {
    let start = &property.states[property.start.index()];
    if unit.has_creation {
        return Ok(());
    }
    if start.kind == StateKind::Pending || start.deadline.is_some() {
        return Err("it waits where no parameter is bound");
    }
    if effects::stmts_output(&start.entry) {
        return Err("it has an output where no parameter is bound");
    }
    Ok(())
}

/// A parameter that all these placements name.
fn shared<'a, I>(lists: impl Fn() -> I, params: usize) -> Option<u32>
where
    I: Iterator<Item = &'a Vec<(u32, u32)>>,
{
    lists().next()?;
    (0..params as u32).find(|p| lists().all(|pairs| pairs.iter().any(|(param, _)| param == p)))
}

fn verde(plan: &Plan, root: ContextId, property: PropertyId) -> Found {
    let model = &*plan.model;
    let unit = &plan.units[property.index()];
    let context = &model.contexts[root.index()];
    if !context.clocks.is_empty() {
        return Err("its clocks also run where no parameter is bound");
    }
    if context.keys.iter().any(Option::is_some) {
        return Err("its parameters are compared by a key");
    }
    expect_bottom_unseen(&model.properties[property.index()], unit)?;
    let lists = || {
        let of_kinds = unit.kinds.iter().flat_map(|k| &k.placements);
        of_kinds.chain(&unit.own_placements)
    };
    let key = shared(lists, context.params.len())
        .ok_or("the instance that binds nothing changes, too")?;
    let mut keyed = Keyed::new(model, root, key);
    keyed.add(unit)?;
    keyed.end_lives(context)?;
    Ok(keyed)
}

fn larva(plan: &Plan, root: ContextId, contexts: &[LarvaPlan]) -> Found {
    let model = &*plan.model;
    let global = &model.contexts[root.index()];
    let all = || contexts.iter().map(|c| &model.contexts[c.context.index()]);
    if all().any(|c| c.keys.iter().any(Option::is_some)) {
        return Err("its parameters are compared by a key");
    }
    // A context without parameters that does nothing stands above all scripts.
    let [first, rest @ ..] = contexts else { return Err("it has no properties") };
    let key_context = match (&global.params[..], rest) {
        ([_, ..], _) => root,
        ([], [only, ..]) => {
            let is_bare = first.properties.is_empty()
                && global.variables.is_empty()
                && global.clocks.is_empty();
            let is_only = rest.iter().filter(|c| c.parent == Some(0)).count() == 1;
            if !is_bare || !is_only {
                return Err("instances share what its outermost context has");
            }
            only.context
        }
        _ => return Err("it has no parameters"),
    };
    let key = model.params(key_context).first().map(|(id, _)| id.0);
    let key = key.ok_or("its outermost contexts have no parameters")?;
    let mut keyed = Keyed::new(model, key_context, key);
    for property in properties_of_larva(contexts) {
        keyed.add(&plan.units[property.index()])?;
    }
    for context in all() {
        keyed.end_lives(context)?;
    }
    Ok(keyed)
}

fn properties_of_larva(contexts: &[LarvaPlan]) -> impl Iterator<Item = PropertyId> + '_ {
    contexts.iter().flat_map(|c| &c.properties).copied()
}

impl Keyed {
    fn new(model: &Model, context: ContextId, key: u32) -> Keyed {
        Keyed {
            key,
            name: name_of(model, context, key),
            ways: vec![None; model.events.len()],
            children: vec![Vec::new(); model.events.len()],
        }
    }

    /// Has an event go somewhere; an error if it already goes elsewhere.
    fn send(&mut self, event: usize, way: Way) -> Result<(), &'static str> {
        match self.ways[event].replace(way) {
            Some(other) if other != way => Err("an event carries the key in different arguments"),
            _ => Ok(()),
        }
    }

    /// The events of a property.
    fn add(&mut self, unit: &Unit) -> Result<(), &'static str> {
        for kind in &unit.kinds {
            let event = kind.event.index();
            if kind.placements.is_empty() {
                self.send(event, Way::Everywhere)?;
            }
            for pairs in &kind.placements {
                let arg = pairs.iter().find(|(param, _)| *param == self.key);
                self.send(event, arg.map_or(Way::Everywhere, |(_, arg)| Way::Arg(*arg)))?;
            }
        }
        Ok(())
    }

    /// Lives end in the shards where they are lived.
    fn end_lives(&mut self, context: &Context) -> Result<(), &'static str> {
        for end in &context.ends {
            let way = match end.param.0 == self.key {
                true => Way::Arg(end.arg),
                false => Way::Everywhere,
            };
            let known = self.ways[end.event.index()];
            if known != Some(Way::Everywhere) && known.is_some_and(|known| known != way) {
                return Err("a life that ends with an event is lived elsewhere");
            }
            self.ways[end.event.index()].get_or_insert(way);
        }
        Ok(())
    }

    /// Finds events that concern only instances with one of their own values.
    fn learn(&mut self, unit: &Unit, slices: &Slices) {
        if slices.pivot.is_none() || slices.late.is_some() {
            return;
        }
        for (k, kind) in unit.kinds.iter().enumerate() {
            let event = kind.event.index();
            let marks = slices.enabling.as_ref().and_then(|e| e.marks[k].as_ref());
            let [route] = &slices.routes[k][..] else { continue };
            let whole = self.ways[event] != Some(Way::Everywhere)
                || route.creates
                || kind.ends
                || marks.is_some();
            if whole {
                continue;
            }
            let found_by = |param: u32| {
                let domains = route.joins.iter().map(|j| slices.partitions[j.partition].domain);
                let mut domains: Vec<Mask> = domains.collect();
                domains.extend(route.steps.iter().map(|s| slices.partitions[s.partition].domain));
                domains.iter().all(|domain| domain & 1 << param != 0)
            };
            let child = route.pairs.iter().find(|(param, _)| found_by(*param));
            if let Some((child, arg)) = child {
                self.ways[event] = Some(Way::Learnt { child: *child, arg: *arg });
            }
        }
        let learnt: Mask = self.ways.iter().flatten().fold(0, |mask, way| match way {
            Way::Learnt { child, .. } => mask | 1 << child,
            _ => mask,
        });
        for kind in &unit.kinds {
            let pairs = kind.placements.iter().flatten();
            self.children[kind.event.index()] =
                pairs.filter(|(param, _)| learnt & 1 << param != 0).copied().collect();
        }
    }

    /// The events that go to all shards.
    pub fn everywhere(&self) -> impl Iterator<Item = usize> + '_ {
        let ways = self.ways.iter().enumerate();
        ways.filter(|(_, way)| **way == Some(Way::Everywhere)).map(|(event, _)| event)
    }
}

/// The routing plan in words: a few lines for every root context.
pub(crate) fn explain(plan: &Plan) -> String {
    let model = &*plan.model;
    let mut text = String::new();
    for ((root, shape), routing) in plan.shapes.iter().zip(plan.routings()) {
        let names: Vec<&str> = properties_of(shape)
            .iter()
            .map(|p| model.properties[p.index()].name.as_str())
            .collect();
        let names = names.join(", ");
        match routing {
            Routing::Whole(why) => {
                let _ = writeln!(text, "{names}: one shard, because {why}");
            }
            Routing::Keyed(keyed) => {
                let _ = writeln!(text, "{names}: shards by {}", keyed.name);
                explain_ways(&mut text, model, *root, &keyed);
            }
        }
    }
    text
}

fn explain_ways(text: &mut String, model: &Model, root: ContextId, keyed: &Keyed) {
    let name = |event: usize| model.events[event].name.as_str();
    let list = |events: Vec<usize>| events.into_iter().map(name).collect::<Vec<_>>().join(", ");
    let of = |wanted: &dyn Fn(Way) -> bool| -> Vec<usize> {
        let ways = keyed.ways.iter().enumerate();
        ways.filter(|(_, way)| way.is_some_and(wanted)).map(|(event, _)| event).collect()
    };
    let carrying = of(&|way| matches!(way, Way::Arg(_)));
    if !carrying.is_empty() {
        let _ = writeln!(text, "  {}: to the shard of their {}", list(carrying), keyed.name);
    }
    let mut children: Vec<u32> = keyed.children.iter().flatten().map(|(param, _)| *param).collect();
    children.sort_unstable();
    children.dedup();
    for child in children {
        let learns = of(&|way| matches!(way, Way::Learnt { child: c, .. } if c == child));
        let teach = (0..keyed.ways.len()).filter(|event| {
            keyed.children[*event].iter().any(|(param, _)| *param == child)
                && !learns.contains(event)
        });
        let (learns, teach) = (list(learns.clone()), list(teach.collect()));
        let _ = writeln!(
            text,
            "  {learns}: to the shards that know their {}, learnt from {teach}",
            name_of(model, root, child),
        );
    }
    let everywhere: Vec<usize> = keyed.everywhere().collect();
    if !everywhere.is_empty() {
        let _ = writeln!(text, "  {}: to all shards", list(everywhere));
    }
}
