//! Instances that were stepped elsewhere: the engine takes them over.
//!
//! A host may step simple instances itself where an event of the engine would cost too much, and hand
//! them over once they are no longer simple. See [`Engine::can_adopt`] for the properties for which this
//! is possible.

use watchword_model::{EventRef, PropertyId, StateId, Value};
use watchword_plan::Shape;
use watchword_step::Word;

use super::group::At;
use super::history::EMPTY;
use super::world::Letter;
use super::{Engine, Monitor};
use crate::Cause;

/// An instance that was stepped elsewhere.
#[derive(Clone, Debug)]
pub struct Stepped<'e> {
    /// The values of all its parameters.
    pub binding: Vec<Value>,
    /// Its state.
    pub state: StateId,
    /// The values of its variables.
    pub variables: Vec<Value>,
    /// Its last steps, oldest first: events, and the states they led to. At most as many as are kept.
    pub steps: Vec<(EventRef<'e>, StateId)>,
    /// Whether there were more.
    pub is_cut: bool,
}

impl Engine {
    /// Whether instances of a property may be stepped elsewhere and taken over later: nothing but the
    /// events that agree with an instance decides what happens to it, and one that is as new is not kept.
    /// The host sees to it that events that do not name all parameters leave those that are as new alone:
    /// then no instance is a copy of one that has moved.
    pub fn can_adopt(&self, property: PropertyId) -> bool {
        let options = &self.world.options;
        let shape = self.plan.shapes.iter().find_map(|(_, shape)| match shape {
            Shape::ChenRosu(p, slices) if *p == property => Some(slices),
            _ => None,
        });
        shape.is_some_and(|slices| {
            let unit = &self.plan.units[property.index()];
            let context = &self.plan.contexts[unit.context.index()];
            slices.forget
                && slices.late.is_none()
                && !unit.has_creation
                && !context.is_keyed
                && context.windows == 0
                && unit.deadlines.iter().all(Option::is_none)
                && options.max_instances.is_none()
                && options.max_memory.is_none()
                && !options.moves
                && self.shard.is_none()
        })
    }

    /// Takes an instance over that was stepped elsewhere until now; it counts as made there. An instance with
    /// the same parameters must not exist.
    pub fn adopt(&mut self, property: PropertyId, stepped: &Stepped<'_>) {
        self.catch_up();
        let plan = self.plan.clone();
        let Some(monitor) = plan
            .shapes
            .iter()
            .position(|(_, shape)| matches!(shape, Shape::ChenRosu(p, _) if *p == property))
        else {
            return;
        };
        let shape = &plan.shapes[monitor].1;
        let at = At { plan: &plan, shape, context: 0 };
        let words = |engine: &mut Engine, values: &[Value]| -> Vec<Word> {
            values.iter().map(|value| engine.world.heap.value(value)).collect()
        };
        let binding = words(self, &stepped.binding);
        let variables = words(self, &stepped.variables);
        let chain = self.adopt_steps(stepped);
        let world = &mut self.world;
        match &mut self.monitors[monitor] {
            Monitor::Direct(direct) => {
                direct.adopt(world, binding[0], stepped.state.0, chain, &variables)
            }
            Monitor::Group(group) => {
                let Shape::ChenRosu(_, slices) = shape else { return };
                let all = (1 << binding.len()) - 1;
                let partition = slices.partitions.iter().position(|p| p.domain == all);
                let Some(partition) = partition else { return };
                let id = group.create(at, world, partition, &binding, true);
                let first = plan.contexts[group.root.index()].vars_at();
                group.members[0].store.words_mut(id)[first..first + variables.len()]
                    .copy_from_slice(&variables);
                group.members[0].set_state(id, 0, stepped.state.0);
                group.members[0].set_history(id, 0, chain);
                world.stats[property.index()].created -= 1;
            }
            Monitor::Registers(_) => {}
        }
    }

    /// The history of an instance that was stepped elsewhere.
    fn adopt_steps(&mut self, stepped: &Stepped<'_>) -> u32 {
        let mut chain = EMPTY;
        if !self.world.history.is_on() {
            return chain;
        }
        // If there were more, one more is added, and lost.
        let more = stepped.steps.first().filter(|_| stepped.is_cut);
        for (event, state) in more.into_iter().chain(&stepped.steps) {
            self.args.clear();
            self.take_args(event);
            let letter = Letter {
                event: event.kind,
                args: &self.args,
                index: self.world.index,
                cause: Cause::Event,
                time: event.time.unwrap_or(self.world.now),
                thread: event.thread,
                location: event.location,
                held: None,
            };
            self.world.begin_letter();
            chain = self.world.remember(chain, &letter, false, state.0);
        }
        self.world.begin_letter();
        chain
    }

    /// Counts instances that were made elsewhere, and events of a property that were dealt with there.
    pub fn count_elsewhere(&mut self, property: PropertyId, created: u64, events: u64) {
        let stats = &mut self.world.stats[property.index()];
        stats.created += created;
        stats.events += events;
    }
}
