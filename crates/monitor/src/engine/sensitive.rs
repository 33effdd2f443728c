//! Which events matter now.
//! A debugger or a weaver need not stop for an event to which no instance can react. An event
//! matters
//! to a property if a transition for it leaves a state of some instance, if it enters a window
//! there, or
//! if it can bring about an instance whose existence others could tell.

use watchword_model::{EventId, PropertyId};
use watchword_plan::{Plan, Shape, Slices, Unit};

use super::registers::Registers;
use super::{Engine, Monitor};

/// The events that matter in the present configuration: see [`Engine::sensitive_events`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sensitive {
    /// By event.
    events: Vec<bool>,
    generation: u64,
    /// What the counters of all monitors were when it was found out.
    changes: Option<u64>,
}

impl Sensitive {
    /// Whether an event matters.
    pub fn contains(&self, event: EventId) -> bool {
        self.events.get(event.index()).copied().unwrap_or(false)
    }

    /// The events that matter.
    pub fn iter(&self) -> impl Iterator<Item = EventId> + '_ {
        (0..self.events.len()).filter(|e| self.events[*e]).map(EventId::from_index)
    }

    /// A number that changes when the set does.
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

impl Engine {
    /// The events that matter in the present configuration: any other one changes no verdict,
    /// output or timer, now or later, and need not be told. (Its time, and its place in the
    /// numbering of events, are told with [`Engine::pass`] if they are of interest.)
    ///
    /// Events the engine itself raises are in the set too, if they matter. With
    /// [`Options::sensitive`](super::Options::sensitive) this costs a few additions unless some
    /// state was entered first or left last; without it, a look at every instance.
    pub fn sensitive_events(&mut self) -> &Sensitive {
        self.catch_up();
        let changes = self.state_changes();
        if changes.is_none() || changes != self.sensitive.changes {
            self.sensitive.changes = changes;
            let events = self.find_sensitive();
            if events != self.sensitive.events {
                self.sensitive.events = events;
                self.sensitive.generation += 1;
            }
        }
        &self.sensitive
    }

    /// The events of a property that matter while no instance has left its start state, by event.
    /// Any other event matters only to instances that agree with it on its parameters and have left
    /// that state. `None` where that cannot be said.
    pub fn sensitive_at_start(&self, property: PropertyId) -> Option<Vec<bool>> {
        let mut events = self.sensitive_in_any_case(property)?;
        let unit = unit(&self.plan, property);
        let occupied: Vec<bool> =
            (0..unit.state_kinds.len()).map(|s| s == unit.start as usize).collect();
        of_states(unit, &occupied, &mut events);
        Some(events)
    }

    /// The events of a property that matter even if no transition is taken for them, by event. Any other
    /// event matters only if a label of some transition fits it. `None` where that cannot be said.
    pub fn sensitive_in_any_case(&self, property: PropertyId) -> Option<Vec<bool>> {
        let slices = self.plan.shapes.iter().find_map(|(_, shape)| match shape {
            Shape::ChenRosu(p, slices) if *p == property => Some(slices),
            _ => None,
        });
        let slices = slices.filter(|s| s.late.is_none())?;
        let unit = unit(&self.plan, property);
        let mut events = vec![false; self.plan.model.events.len()];
        of_slices(unit, slices, &mut events);
        of_kinds(unit, |kind| unit.enters(kind as u32), &mut events);
        Some(events)
    }

    /// All counters of changes in one number, mixed so that two changes do not cancel out.
    fn state_changes(&self) -> Option<u64> {
        let mut all = 0u64;
        let mut mix = |n: u64| all = all.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(n);
        for monitor in &self.monitors {
            match monitor {
                Monitor::Direct(_) => return None,
                Monitor::Group(group) => {
                    for members in group.members.iter().filter(|m| m.automata > 0) {
                        mix(members.changes()?);
                    }
                }
                Monitor::Registers(registers) => mix(registers.changes()),
            }
        }
        Some(all)
    }

    fn find_sensitive(&self) -> Vec<bool> {
        let mut events = vec![false; self.plan.model.events.len()];
        for (monitor, (root, shape)) in self.monitors.iter().zip(&self.plan.shapes) {
            match (monitor, shape) {
                (Monitor::Direct(direct), Shape::ChenRosu(property, slices)) => {
                    let unit = unit(&self.plan, *property);
                    let mut occupied = vec![false; unit.state_kinds.len()];
                    // An instance that is not in the table is at the start, or has not begun.
                    occupied[unit.start as usize] = !unit.has_creation;
                    direct.instances().for_each(|(_, _, s, _)| occupied[s as usize] = true);
                    of_states(unit, &occupied, &mut events);
                    of_slices(unit, slices, &mut events);
                }
                (
                    Monitor::Group(group),
                    Shape::ChenRosu(property, slices) | Shape::Verde(property, slices),
                ) => {
                    let unit = unit(&self.plan, *property);
                    let occupied = group.members[0].occupied(0, unit.state_kinds.len());
                    of_states(unit, &occupied, &mut events);
                    if matches!(shape, Shape::ChenRosu(..)) {
                        of_slices(unit, slices, &mut events);
                    }
                    // An instance that is joined late may be in a state in which no stored instance
                    // is.
                    of_kinds(unit, |_| slices.late.is_some(), &mut events);
                    of_kinds(unit, |k| unit.kinds[k].ends, &mut events);
                }
                (Monitor::Group(group), Shape::Larva(plans)) => {
                    for (members, plan) in group.members.iter().zip(plans) {
                        for (automaton, property) in plan.properties.iter().enumerate() {
                            let unit = unit(&self.plan, *property);
                            let occupied = members.occupied(automaton, unit.state_kinds.len());
                            of_states(unit, &occupied, &mut events);
                            let routes = &plan.storage.routes[automaton];
                            let creates = |k: usize| {
                                routes[k].iter().any(|(_, r)| r.creates && r.domain != 0)
                            };
                            of_kinds(unit, creates, &mut events);
                        }
                    }
                    for end in &self.plan.model.contexts[root.index()].ends {
                        events[end.event.index()] = true;
                    }
                }
                (Monitor::Registers(registers), Shape::Registers(property, _)) => {
                    of_registers(unit(&self.plan, *property), registers, &mut events);
                }
                _ => {}
            }
        }
        events
    }
}

fn unit(plan: &Plan, property: PropertyId) -> &Unit {
    &plan.units[property.index()]
}

/// Adds the kinds of events that are so.
fn of_kinds(unit: &Unit, is: impl Fn(usize) -> bool, events: &mut [bool]) {
    for (number, kind) in unit.kinds.iter().enumerate() {
        events[kind.event.index()] |= is(number);
    }
}

/// Adds the events for which a transition leaves an occupied state, or which enter a window there.
fn of_states(unit: &Unit, occupied: &[bool], events: &mut [bool]) {
    let kinds = unit.kinds.len();
    let moves = |state: usize, kind: usize| {
        let enters = unit.enters(kind as u32)
            && unit.action(state as u32, kind as u32) != watchword_plan::Action::Skip;
        enters || !unit.tables.rows[state * kinds + kind].is_empty()
    };
    for state in (0..occupied.len()).filter(|s| occupied[*s]) {
        of_kinds(unit, |kind| moves(state, kind), events);
    }
}

/// Adds the events that begin a slice, or create an instance that others can tell.
fn of_slices(unit: &Unit, slices: &Slices, events: &mut [bool]) {
    let creates = |k: usize| !slices.lazy && slices.routes[k].iter().any(|r| r.domain != 0);
    of_kinds(unit, |k| unit.kinds[k].creation || unit.kinds[k].ends || creates(k), events);
}

fn of_registers(unit: &Unit, registers: &Registers, events: &mut [bool]) {
    // Deadlines of zero length distinguish instances that arrived before an event from later ones.
    let instant = unit.deadlines.iter().flatten().any(|d| d.after <= 0);
    if instant || registers.minds_every_letter() {
        return of_kinds(unit, |_| true, events);
    }
    let states = unit.lost as usize;
    let occupied: Vec<bool> = (0..states).map(|s| registers.is_occupied(s)).collect();
    of_states(unit, &occupied, events);
}
