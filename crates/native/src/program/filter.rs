//! Events that need not be written down because of the values they have.
//!
//! A property like “a stream is not used after it was closed” has many events that matter only for few
//! values: a use of a stream changes nothing unless that stream was closed. Which events are like that
//! is read off the property: they do nothing in its start state, so they matter only to instances
//! that have left it, and those are known by the value that one parameter had in the event that made
//! them leave. The code inside the program marks those values and leaves out the others (see
//! `watchword_debug::Filter`).

use std::collections::HashMap;

use watchword_debug::{Filter, MAPS};
use watchword_model::{EventId, ParamId, Property, PropertyId};

use crate::monitor::Monitor;
use crate::source::Source;
use crate::term::Taken;

/// What events of one monitor mark and test: maps, and positions of arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filters {
    marks: HashMap<EventId, Vec<(usize, usize)>>,
    tests: HashMap<EventId, Vec<(usize, usize)>>,
}

impl Filters {
    /// The filters of a monitor. `next` is the number of the next map that is free.
    pub fn of(monitor: &Monitor, next: &mut usize) -> Filters {
        let mut filters = Filters::default();
        let mut always: Vec<EventId> = Vec::new();
        for (index, property) in monitor.model.properties.iter().enumerate() {
            let observed = property.alphabet.iter().map(|o| o.event);
            let keyed = match *next < MAPS && monitor.instances(index) == 0 {
                true => keyed(monitor, PropertyId::from_index(index), property),
                false => None,
            };
            let Some(keyed) = keyed else {
                always.extend(observed);
                continue;
            };
            let map = *next;
            *next += 1;
            for (event, matters, arguments) in keyed {
                let placed = arguments.iter().map(|a| (map, *a));
                match (matters, arguments.is_empty()) {
                    (true, _) => {
                        filters.marks.entry(event).or_default().extend(placed);
                        always.push(event);
                    }
                    // It concerns every instance.
                    (false, true) => always.push(event),
                    (false, false) => filters.tests.entry(event).or_default().extend(placed),
                }
            }
        }
        always.iter().for_each(|event| drop(filters.tests.remove(event)));
        filters
    }

    /// What an event of a source marks and tests, by what the source captures.
    pub fn of_source(&self, source: &Source) -> Filter {
        let captured = |(map, argument): &(usize, usize)| {
            let taken = source.taken.iter().find(|(param, _)| param == argument);
            match taken {
                Some((_, Taken::Read(i))) => Some((*map, *i)),
                // Told by no capture: whoever is asked for it has none of that number.
                Some(_) => Some((*map, usize::MAX)),
                // The value is null, which is in no instance.
                None => None,
            }
        };
        let all = |of: &Vec<(usize, usize)>| of.iter().filter_map(captured).collect::<Vec<_>>();
        Filter {
            marks: self.marks.get(&source.event).map(all).unwrap_or_default(),
            tests: self.tests.get(&source.event).map(all),
        }
    }

    /// The maps that an event marks values in.
    pub fn maps_of(&self, event: EventId) -> impl Iterator<Item = usize> + '_ {
        self.marks.get(&event).into_iter().flatten().map(|(map, _)| *map)
    }
}

/// For each event of a property, whether it matters at the start, and where it has the parameter by
/// which instances are known. `None` if there is no such parameter.
fn keyed(
    monitor: &Monitor,
    id: PropertyId,
    property: &Property,
) -> Option<Vec<(EventId, bool, Vec<usize>)>> {
    let at_start = monitor.run.evaluator.sensitive_at_start(id)?;
    let matters = |event: EventId| at_start.get(event.index()).copied().unwrap_or(true);
    let is_at = |placement: &[(ParamId, u32)], key: ParamId| {
        placement.iter().find(|(param, _)| *param == key).map(|(_, at)| *at as usize)
    };
    // Every way in which an instance leaves the start state has to bind it.
    let mut params = monitor.model.params(property.context).into_iter().map(|(id, _)| id);
    let key = params.find(|key| {
        let mut moving = property.alphabet.iter().filter(|o| matters(o.event));
        moving.all(|o| {
            !o.placements.is_empty() && o.placements.iter().all(|p| is_at(&p.0, *key).is_some())
        })
    })?;
    let places = property.alphabet.iter().map(|o| {
        let all: Option<Vec<usize>> = o.placements.iter().map(|p| is_at(&p.0, key)).collect();
        (o.event, matters(o.event), all.unwrap_or_default())
    });
    Some(places.collect())
}
