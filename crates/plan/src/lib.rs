//! From the model to what the engine runs: compiled automata, and for each property how its
//! instances are stored and how an event finds those it concerns.
//!
//! The plan decides nothing about verdicts; it only chooses among ways to get the same ones.
//! [`Plan::explain`] says what it chose and why, for people.
//!
//! * every property becomes a [`Unit`]: tables for `watchword-step`;
//! * every root context gets a [`Shape`]: partitions, indexes, and which instances need not exist
//!   at all — the argument why nobody can tell is in the documentation of [`Slices`]' module,
//!   `shape.rs`.
//!
//! ```
//! use watchword_model::Model;
//! use watchword_plan::Plan;
//!
//! let plan = Plan::new(Model::default());
//! assert!(plan.explain().is_empty()); // nothing to monitor
//! ```

mod choice;
mod code;
mod condition;
mod configurations;
mod effects;
mod enable;
mod explain;
mod fate;
mod home;
mod late;
mod routing;
mod shape;
mod unit;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use watchword_model::{ContextId, Creation, EventId, Model, PropertyId};

pub use choice::{Action, Choice, Operand, Operation, Short};
pub use condition::{Condition, Likeness};
pub use configurations::{Bucket, Configurations, Key, Scan, Together};
pub use enable::{Enabling, Mark, Rest};
pub use home::{CASES, Inline, Letter, Role, Table};
pub use late::Late;
pub use routing::{Keyed, Routing, Way};
pub use shape::{LarvaContext, Lookup, Mask, Partition, Route, Slices};
pub use unit::{ContextUnit, DeadlineRow, KindRow, Part, Tables, Unit};

/// Ways to get the same verdicts with less: what tests switch off to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// Whether partial bindings that cannot be completed to a report are not made.
    pub enable: bool,
    /// Whether instances whose state the states of their parts tell are made late.
    pub late: bool,
    /// Whether configurations of one state look ahead together as long as letters alone decide.
    pub together: bool,
}

impl Ways {
    /// All of them.
    pub const ALL: Ways = Ways { enable: true, late: true, together: true };
    /// None of them.
    pub const NONE: Ways = Ways { enable: false, late: false, together: false };
}

/// How the properties of one root context are evaluated.
#[derive(Debug)]
pub enum Shape {
    /// Parametric slicing.
    ChenRosu(PropertyId, Slices),
    /// Instances created by an ancestor's transition.
    Verde(PropertyId, Slices),
    /// Nested contexts, a parent before its children.
    Larva(Vec<LarvaPlan>),
    /// Configurations with registers.
    Registers(PropertyId, Configurations),
}

/// A context of rule `larva` within its root.
#[derive(Debug)]
pub struct LarvaPlan {
    /// The context.
    pub context: ContextId,
    /// Its properties, in the order of the model.
    pub properties: Vec<PropertyId>,
    /// The position of the enclosing context in the list.
    pub parent: Option<usize>,
    /// The positions of those directly inside.
    pub inner: Vec<usize>,
    /// Storage.
    pub storage: LarvaContext,
}

/// A compiled and planned model.
#[derive(Debug)]
pub struct Plan {
    /// What it was made from.
    pub model: Arc<Model>,
    /// By property.
    pub units: Vec<Unit>,
    /// By context.
    pub contexts: Vec<ContextUnit>,
    /// The root contexts, in order.
    pub shapes: Vec<(ContextId, Shape)>,
    /// By event: the positions in `shapes` of those it may concern.
    pub observers: Vec<Vec<u32>>,
    /// By event: the arguments somebody looks at, as bits; positions from 63 on share the last.
    pub used_args: Vec<u64>,
    /// How long the machine's stack must be.
    pub stack: usize,
    /// How many variables, registers and locals the largest configuration has.
    pub saved: usize,
    /// In which ways it was planned.
    pub ways: Ways,
    fingerprint: OnceLock<u64>,
}

impl Plan {
    /// Compiles and plans a model.
    pub fn new(model: impl Into<Arc<Model>>) -> Plan {
        Plan::with(model, Ways::ALL)
    }

    /// Compiles and plans a model in some ways only.
    pub fn with(model: impl Into<Arc<Model>>, ways: Ways) -> Plan {
        let model: Arc<Model> = model.into();
        let units: Vec<Unit> = (0..model.properties.len())
            .map(|p| unit::property(&model, PropertyId::from_index(p)))
            .collect();
        let contexts: Vec<ContextUnit> = (0..model.contexts.len())
            .map(|c| unit::context(&model, ContextId::from_index(c)))
            .collect();
        let mut shapes = Vec::new();
        for (c, context) in model.contexts.iter().enumerate() {
            if context.parent.is_some() {
                continue;
            }
            let id = ContextId::from_index(c);
            let shape = match context.rule {
                Creation::Larva => Shape::Larva(larva(&model, id, &units)),
                _ => {
                    // A context of any other rule has exactly one property.
                    let Some(unit) = units.iter().find(|u| u.context == id) else { continue };
                    match context.rule {
                        Creation::Registers => {
                            let planned = configurations::registers(&model, unit, ways.together);
                            Shape::Registers(unit.property, planned)
                        }
                        Creation::Verde => Shape::Verde(unit.property, shape::verde(&model, unit)),
                        _ => Shape::ChenRosu(unit.property, shape::chen_rosu(&model, unit, ways)),
                    }
                }
            };
            shapes.push((id, shape));
        }
        let tables = || units.iter().map(|u| &u.tables).chain(contexts.iter().map(|c| &c.tables));
        let stack = tables().map(|t| t.stack as usize).max().unwrap_or(0) + 8;
        let vars = contexts.iter().map(|c| c.vars).max().unwrap_or(0);
        let registers = units.iter().map(|u| u.registers.len()).max().unwrap_or(0);
        let locals = tables().map(|t| t.locals as usize).max().unwrap_or(0);
        let used_args = used_args(&model, &units);
        let saved = vars + registers + locals;
        let observers = observers(&model, &units, &shapes);
        let fingerprint = OnceLock::new();
        Plan {
            model,
            units,
            contexts,
            shapes,
            observers,
            used_args,
            stack,
            saved,
            ways,
            fingerprint,
        }
    }

    /// Whether a report or an output may still come of a configuration of a property in `state`
    /// when the values of the parameters, or registers, in `dead` occur in no later event.
    /// Answers `true` when in doubt.
    pub fn can_show(&self, property: PropertyId, state: u32, dead: Mask) -> bool {
        fate::can_show(&self.model, &self.units[property.index()], state, dead)
    }

    /// Whether others could tell that an instance of a sliced property is gone whose parameters in
    /// `dead` have values that occur in no later event.
    pub fn is_missed(&self, property: PropertyId, dead: Mask) -> bool {
        fate::is_missed(&self.model, &self.units[property.index()], dead)
    }

    /// Whether an instance that binds `domain` can be joined with more parameters by an event that
    /// carries none of the values of the parameters in `dead`.
    pub fn can_grow(&self, property: PropertyId, domain: Mask, dead: Mask) -> bool {
        fate::can_grow(&self.units[property.index()], domain, dead)
    }

    /// A number that tells plans apart: of everything in the model that bears on what happens, and
    /// of what was chosen for it. Found out once.
    pub fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let model = &self.model;
            let mut hasher = DefaultHasher::new();
            self.explain().hash(&mut hasher);
            for event in &model.events {
                (&event.name, event.params.len(), event.variadic, event.fixed).hash(&mut hasher);
                let types: Vec<_> = event.params.iter().map(|p| (&p.name, p.ty)).collect();
                types.hash(&mut hasher);
                std::mem::discriminant(&event.origin).hash(&mut hasher);
            }
            let definitions = format!(
                "{:?} {:?} {:?} {:?} {:?}",
                model.contexts, model.variables, model.clocks, model.functions, model.properties
            );
            definitions.hash(&mut hasher);
            hasher.finish()
        })
    }

    /// What was chosen for every property, and why: a few lines of text for people.
    pub fn explain(&self) -> String {
        explain::explain(self)
    }

    /// By root context, as in [`Plan::shapes`]: how its events can be divided among several
    /// engines.
    pub fn routings(&self) -> Vec<Routing> {
        self.shapes.iter().map(|(root, shape)| routing::of_shape(self, *root, shape)).collect()
    }

    /// The properties of a root context, by its position in [`Plan::shapes`].
    pub fn properties_of(&self, shape: usize) -> Vec<PropertyId> {
        routing::properties_of(&self.shapes[shape].1)
    }

    /// How events can be divided among several engines, and why not: a few lines of text for
    /// people.
    pub fn explain_routing(&self) -> String {
        routing::explain(self)
    }
}

fn larva(model: &Model, root: ContextId, units: &[Unit]) -> Vec<LarvaPlan> {
    let mut plans: Vec<LarvaPlan> = Vec::new();
    for c in 0..model.contexts.len() {
        let context = ContextId::from_index(c);
        if model.chain(context)[0] != root {
            continue;
        }
        let own: Vec<&Unit> = units.iter().filter(|u| u.context == context).collect();
        let parent = model.contexts[c].parent;
        let parent = parent.and_then(|p| plans.iter().position(|plan| plan.context == p));
        let at = plans.len();
        plans.push(LarvaPlan {
            context,
            properties: own.iter().map(|u| u.property).collect(),
            parent,
            inner: Vec::new(),
            storage: shape::larva(model, context, &own),
        });
        if let Some(parent) = parent {
            plans[parent].inner.push(at);
        }
    }
    plans
}

/// Who observes which events, or has instances whose life ends with them.
fn observers(model: &Model, units: &[Unit], shapes: &[(ContextId, Shape)]) -> Vec<Vec<u32>> {
    let mut observers = vec![Vec::new(); model.events.len()];
    for (number, (root, shape)) in (0..).zip(shapes) {
        let properties: Vec<PropertyId> = match shape {
            Shape::Larva(plans) => plans.iter().flat_map(|p| &p.properties).copied().collect(),
            Shape::ChenRosu(property, _)
            | Shape::Verde(property, _)
            | Shape::Registers(property, _) => vec![*property],
        };
        for (event, observers) in observers.iter_mut().enumerate() {
            let ends = &model.contexts[root.index()].ends;
            let observed = |p: &PropertyId| units[p.index()].kind_of[event] != watchword_step::NONE;
            if properties.iter().any(observed) || ends.iter().any(|e| e.event.index() == event) {
                observers.push(number);
            }
        }
    }
    observers
}

/// Which arguments of which events somebody looks at.
fn used_args(model: &Model, units: &[Unit]) -> Vec<u64> {
    let mut used = vec![0; model.events.len()];
    for unit in units {
        let read = effects::args_read(&model.properties[unit.property.index()]);
        for kind in &unit.kinds {
            let placed = kind.placements.iter().flatten();
            let placed = placed.fold(0, |bits, (_, arg)| bits | effects::arg_bit(*arg));
            used[kind.event.index()] |= read | placed;
        }
    }
    for end in model.contexts.iter().flat_map(|c| &c.ends) {
        let EventId(event) = end.event;
        used[event as usize] |= effects::arg_bit(end.arg);
    }
    used
}
