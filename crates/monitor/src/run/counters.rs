//! How many events there were, and of which properties.

use watchword_model::{EventId, Model, Origin, PropertyId};

use crate::PropertyStats;

/// Counts the events of a run.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    /// All events.
    pub all: u64,
    /// Events that were for all properties, by declaration.
    pub for_all: Vec<u64>,
    /// The others, by property and declaration; empty if there were none.
    pub for_some: Vec<u64>,
}

impl Counters {
    pub fn new(model: &Model) -> Counters {
        Counters { all: 0, for_all: vec![0; model.events.len()], for_some: Vec::new() }
    }

    /// Counts an event, for all properties or for these only.
    #[inline]
    pub fn count(&mut self, model: &Model, event: EventId, only: Option<&[PropertyId]>) {
        self.all += 1;
        match only {
            None => self.for_all[event.index()] += 1,
            Some(only) => self.count_for(model, event, only),
        }
    }

    fn count_for(&mut self, model: &Model, event: EventId, only: &[PropertyId]) {
        let width = self.for_all.len();
        if self.for_some.is_empty() {
            self.for_some = vec![0; model.properties.len() * width];
        }
        for property in only {
            self.for_some[property.index() * width + event.index()] += 1;
        }
    }

    /// How many events of a declaration there were for a property.
    fn of(&self, property: usize, event: EventId) -> u64 {
        let at = property * self.for_all.len() + event.index();
        self.for_all[event.index()] + self.for_some.get(at).unwrap_or(&0)
    }

    /// How many events a property observed. The evaluator counts more exactly where filters decide
    /// which events exist for a property, and where properties send messages.
    pub fn observed(&self, model: &Model, property: usize, stats: Option<&PropertyStats>) -> u64 {
        let alphabet = &model.properties[property].alphabet;
        let seen = alphabet.iter().map(|o| self.of(property, o.event)).sum::<u64>();
        let is_message =
            |event: EventId| matches!(model.events[event.index()].origin, Origin::Channel);
        match stats {
            Some(stats) if alphabet.iter().any(|o| o.filter.is_some()) => stats.events,
            Some(stats) if alphabet.iter().any(|o| is_message(o.event)) => stats.events.max(seen),
            _ => seen,
        }
    }

    /// How often each event of the world that a property observes occurred; empty if filters let
    /// the property see only some of them.
    pub fn by_event(&self, model: &Model, property: usize) -> Vec<(EventId, u64)> {
        let alphabet = &model.properties[property].alphabet;
        if alphabet.iter().any(|o| o.filter.is_some()) {
            return Vec::new();
        }
        let of_world =
            |event: &EventId| matches!(model.events[event.index()].origin, Origin::World(_));
        let events = alphabet.iter().map(|o| o.event).filter(of_world);
        events.map(|event| (event, self.of(property, event))).collect()
    }
}
