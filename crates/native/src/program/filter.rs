//! Events that need not be written down because of the values they have.
//!
//! A property like “a stream is not used after it was closed” has many events that matter only for few
//! values: a use of a stream changes nothing unless that stream was closed. Which events are like that
//! is read off the property: they do nothing in its start state, so they matter only to instances
//! that have left it, and those are known by the value that one parameter had in the event that made
//! them leave. The code inside the program marks those values and leaves out the others (see
//! `watchword_debug::Filter`).
//!
//! Other events matter only if they have certain values, in whatever state an instance is: see
//! [`super::fitting`].

use std::collections::HashMap;

use watchword_debug::{Filter, MAPS, Needed};
use watchword_model::{EventId, ParamId, Property, PropertyId};

use super::fitting::{Fitting, fitting};
use crate::monitor::Monitor;
use crate::source::Source;
use crate::term::Taken;

/// What events of one monitor mark and need: maps, and positions of arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filters {
    marks: HashMap<EventId, Vec<(usize, usize)>>,
    /// Events that are not here matter in any case.
    needs: HashMap<EventId, Vec<Need>>,
}

/// What makes an event matter to a property.
#[derive(Clone, Debug)]
struct Need {
    /// If present, the value of one of these arguments is marked in its map.
    marks: Option<Vec<(usize, usize)>>,
    /// The values of arguments are like that.
    fitting: Fitting,
}

impl Filters {
    /// The filters of a monitor. `next` is the number of the next map that is free.
    pub fn of(monitor: &Monitor, next: &mut usize) -> Filters {
        let mut filters = Filters::default();
        let mut always: Vec<EventId> = Vec::new();
        for (index, property) in monitor.model.properties.iter().enumerate() {
            let id = PropertyId::from_index(index);
            let keyed = match *next < MAPS && monitor.instances(index) == 0 {
                true => keyed(monitor, id, property),
                false => None,
            };
            let map = *next;
            *next += usize::from(keyed.is_some());
            let places = |event: EventId| {
                let known = keyed.as_ref()?.iter().find(|(e, ..)| *e == event)?;
                let placed = known.2.iter().map(|argument| (map, *argument)).collect::<Vec<_>>();
                Some((known.1, placed))
            };
            for event in property.alphabet.iter().map(|o| o.event) {
                let marks = match places(event) {
                    Some((true, placed)) => {
                        filters.marks.entry(event).or_default().extend(placed);
                        None
                    }
                    // One without arguments concerns every instance.
                    Some((false, placed)) => Some(placed).filter(|p| !p.is_empty()),
                    None => None,
                };
                match fitting(monitor, id, property, event) {
                    Some(ways) => {
                        let ways =
                            ways.into_iter().map(|fitting| Need { marks: marks.clone(), fitting });
                        filters.needs.entry(event).or_default().extend(ways);
                    }
                    None if marks.is_none() => always.push(event),
                    None => {
                        let need = Need { marks, fitting: Fitting::default() };
                        filters.needs.entry(event).or_default().push(need);
                    }
                }
            }
        }
        always.iter().for_each(|event| drop(filters.needs.remove(event)));
        filters
    }

    /// What an event of a source marks and needs, by what the source captures.
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
        let needed = |need: &Need| Needed {
            marks: need.marks.as_ref().map(all),
            tests: need.fitting.of_source(source),
        };
        Filter {
            marks: self.marks.get(&source.event).map(all).unwrap_or_default(),
            needs: self.needs.get(&source.event).map(|all| all.iter().map(needed).collect()),
            step: None,
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
