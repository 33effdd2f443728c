//! Looking at instances, and changing them: what a debugger shows and lets a person edit.

use std::fmt;
use std::sync::Arc;

use watchword_model::{PropertyId, StateId, Time, Type, Value, VarId};
use watchword_plan::{Shape, Unit};
use watchword_step::Word;

use super::group::{At, Group};
use super::registers::Here;
use super::store::NIL;
use super::world::{Timer, World};
use super::{Engine, Monitor};

/// Names an instance or configuration of a property, as long as it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstanceId {
    property: PropertyId,
    record: u32,
    number: u64,
}

impl InstanceId {
    /// The property.
    pub fn property(self) -> PropertyId {
        self.property
    }

    /// Its place in the order of creation.
    pub fn number(self) -> u64 {
        self.number
    }
}

/// An instance or configuration as it is now.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name; `None` for a configuration that waits for more events, which cannot be edited.
    pub id: Option<InstanceId>,
    /// The bound parameters, by name in declaration order.
    pub binding: Vec<(Arc<str>, Value)>,
    /// The state; `None` if its slice has not begun, its automaton has ended, or it is inconclusive.
    pub state: Option<StateId>,
    /// The variables of the context chain, or the written registers, by name.
    pub variables: Vec<(Arc<str>, Value)>,
    /// When its deadline is due, if one is running.
    pub deadline: Option<Time>,
}

/// Why an instance cannot be changed so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// It is not there any more.
    NoInstance,
    /// Its slice has not begun.
    NotBegun,
    /// The property has no such state.
    NoState,
    /// Instances with these parameters never get into this state; events do not look for them
    /// there.
    Unreachable,
    /// There is no variable or register of that name.
    NoVariable,
    /// The value does not fit the type.
    WrongType(Type),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::NoInstance => f.write_str("the instance does not exist any more"),
            EditError::NotBegun => f.write_str("its slice has not begun"),
            EditError::NoState => f.write_str("the property has no such state"),
            EditError::Unreachable => {
                f.write_str("an instance with these parameters never gets into this state")
            }
            EditError::NoVariable => f.write_str("there is no such variable"),
            EditError::WrongType(ty) => write!(f, "the value is not of type {ty}"),
        }
    }
}

impl std::error::Error for EditError {}

/// The monitor of a property, and which context and automaton it is there.
struct Place<'e> {
    at: At<'e>,
    automaton: usize,
    monitor: usize,
}

impl Engine {
    fn place(&self, property: PropertyId) -> Option<Place<'_>> {
        self.plan.shapes.iter().enumerate().find_map(|(monitor, (_, shape))| {
            let found = match shape {
                Shape::Larva(plans) => plans.iter().enumerate().find_map(|(context, plan)| {
                    let automaton = plan.properties.iter().position(|p| *p == property)?;
                    Some((context, automaton))
                }),
                Shape::ChenRosu(p, _) | Shape::Verde(p, _) | Shape::Registers(p, _) => {
                    (*p == property).then_some((0, 0))
                }
            };
            let (context, automaton) = found?;
            Some(Place { at: At { plan: &self.plan, shape, context }, automaton, monitor })
        })
    }

    /// The instances or configurations of a property, in order of creation.
    ///
    /// Those that nobody can tell from a smaller one, or from one that was never there, are not
    /// kept and not shown: a slice that is in its start state may be missing.
    pub fn inspect(&self, property: PropertyId) -> Vec<Instance> {
        let Some(Place { at, automaton, monitor }) = self.place(property) else {
            return Vec::new();
        };
        let heap = &self.world.heap;
        let id = |record, number| Some(InstanceId { property, record, number });
        match &self.monitors[monitor] {
            Monitor::Direct(direct) => {
                let context = &self.plan.model.contexts[at.unit(0).context.index()];
                let name = context.params[0].name.as_str();
                let variable = |(var, word): (&VarId, &Word)| {
                    let name = self.plan.model.variables[var.index()].name.as_str();
                    (Arc::from(name), heap.to_value(*word))
                };
                let mut all: Vec<_> = direct.instances().collect();
                all.sort_unstable_by_key(|(_, seq, ..)| *seq);
                all.into_iter()
                    .map(|(word, seq, state, vars)| Instance {
                        id: id(NIL, seq),
                        binding: vec![(Arc::from(name), heap.to_value(word))],
                        state: known(at.unit(0), state),
                        variables: context.variables.iter().zip(vars).map(variable).collect(),
                        deadline: None,
                    })
                    .collect()
            }
            Monitor::Group(group) => {
                let members = &group.members[at.context];
                let shown = |record: u32| {
                    let state = members.state(record, automaton);
                    let mut variables = Vec::new();
                    chain_variables(group, at, record, &self.world, &mut variables);
                    Instance {
                        id: id(record, members.store.head(record).seq),
                        binding: group.shown_binding(at, &self.world, record),
                        state: known(at.unit(automaton), state),
                        variables,
                        deadline: due(members.deadline(record, automaton)),
                    }
                };
                members.store.in_order().into_iter().map(shown).collect()
            }
            Monitor::Registers(registers) => {
                let Some(here) = super::here(&self.plan, at.shape) else { return Vec::new() };
                let shown = |id, state, deadline, words: &[Word]| Instance {
                    id,
                    binding: Vec::new(),
                    state: Some(StateId(state)),
                    variables: registers.shown(here, &self.world, words),
                    deadline: due(deadline),
                };
                let seats = registers.seats().map(|(record, seq, state, t, words)| {
                    let is_editable = registers.is_editable(record, seq);
                    shown(id(record, seq).filter(|_| is_editable), state, t, words)
                });
                let waiting = registers
                    .waiting()
                    .map(|(state, words)| shown(None, state, Timer::NONE, words));
                seats.chain(waiting).collect()
            }
        }
    }

    /// Puts an instance into a state, as if it had been entered now: its deadline starts; nothing
    /// is run or reported. Answers its name: a configuration that becomes equal to another one is
    /// that one from then on.
    ///
    /// # Errors
    /// If there is no such instance or state, or the state is out of its reach; nothing has
    /// happened then.
    pub fn set_state(&mut self, id: InstanceId, state: StateId) -> Result<InstanceId, EditError> {
        self.catch_up();
        let plan = self.plan.clone();
        let Place { at, automaton, monitor } =
            self.place(id.property).ok_or(EditError::NoInstance)?;
        let at = At { plan: &plan, shape: &plan.shapes[monitor].1, context: at.context };
        if state.0 >= at.unit(automaton).lost {
            return Err(EditError::NoState);
        }
        let world = &mut self.world;
        match &mut self.monitors[monitor] {
            Monitor::Direct(direct) => {
                let reach = reachable(at.shape, None, state);
                match reach && direct.set_state(at.unit(0), world, id.number, state.0) {
                    true => Ok(id),
                    false if !reach => Err(EditError::Unreachable),
                    false => Err(EditError::NoInstance),
                }
            }
            Monitor::Group(group) => {
                let store = &group.members[at.context].store;
                if !store.is(id.record, id.number) {
                    return Err(EditError::NoInstance);
                }
                let head = store.head(id.record);
                if !head.begun {
                    return Err(EditError::NotBegun);
                }
                if !reachable(at.shape, Some(head.partition as usize), state) {
                    return Err(EditError::Unreachable);
                }
                group.members[at.context].set_state(id.record, automaton, state.0);
                group.start_deadline(at, world, id.record, automaton);
                Ok(id)
            }
            Monitor::Registers(registers) => {
                let here = register_place(registers, at, id)?;
                let (record, number) = registers.edit(here, world, id.record, Some(state.0), None);
                Ok(InstanceId { record, number, ..id })
            }
        }
    }

    /// Gives a variable, or a register, of an instance a value. Answers its name, as
    /// [`Engine::set_state`] does.
    ///
    /// # Errors
    /// If there is no such instance or variable, or the value does not fit; nothing has happened
    /// then.
    pub fn set_variable(
        &mut self,
        id: InstanceId,
        name: &str,
        value: Value,
    ) -> Result<InstanceId, EditError> {
        self.catch_up();
        let plan = self.plan.clone();
        let Place { at, monitor, .. } = self.place(id.property).ok_or(EditError::NoInstance)?;
        let at = At { plan: &plan, shape: &plan.shapes[monitor].1, context: at.context };
        let world = &mut self.world;
        let fit = |value: Value, ty: Type| value.coerce(ty).ok_or(EditError::WrongType(ty));
        match &mut self.monitors[monitor] {
            Monitor::Direct(direct) => {
                let variables = &plan.model.contexts[at.unit(0).context.index()].variables;
                let is = |v: &VarId| plan.model.variables[v.index()].name == name;
                let own = variables.iter().position(is).ok_or(EditError::NoVariable)?;
                let ty = plan.model.variables[variables[own].index()].ty;
                let word = world.heap.value(&fit(value, ty)?);
                match direct.set_variable(id.number, own, word) {
                    true => Ok(id),
                    false => Err(EditError::NoInstance),
                }
            }
            Monitor::Group(group) => {
                if !group.members[at.context].store.is(id.record, id.number) {
                    return Err(EditError::NoInstance);
                }
                if !group.members[at.context].store.head(id.record).begun {
                    return Err(EditError::NotBegun);
                }
                // The innermost of that name.
                let (mut here, mut record) = (at, id.record);
                loop {
                    let context = here.id(group);
                    let variables = &plan.model.contexts[context.index()].variables;
                    let is = |v: &&VarId| plan.model.variables[v.index()].name == name;
                    if let Some(own) = variables.iter().position(|v| is(&v)) {
                        let ty = plan.model.variables[variables[own].index()].ty;
                        let word = world.heap.value(&fit(value, ty)?);
                        let slot = plan.contexts[context.index()].vars_at() + own;
                        group.members[here.context].store.words_mut(record)[slot] = word;
                        return Ok(id);
                    }
                    match group.parent(here, record) {
                        Some((outer, parent)) => (here, record) = (here.to(outer), parent),
                        None => return Err(EditError::NoVariable),
                    }
                }
            }
            Monitor::Registers(registers) => {
                let here = register_place(registers, at, id)?;
                let definition = &plan.model.properties[id.property.index()];
                let register = definition.register(name).ok_or(EditError::NoVariable)?;
                let ty = definition.registers[register.index()].ty;
                let word = world.heap.value(&fit(value, ty)?);
                let change = Some((register.index(), word));
                let (record, number) = registers.edit(here, world, id.record, None, change);
                Ok(InstanceId { record, number, ..id })
            }
        }
    }
}

fn register_place<'p>(
    registers: &super::registers::Registers,
    at: At<'p>,
    id: InstanceId,
) -> Result<Here<'p>, EditError> {
    if !registers.is_editable(id.record, id.number) {
        return Err(EditError::NoInstance);
    }
    super::here(at.plan, at.shape).ok_or(EditError::NoInstance)
}

/// Whether members of a partition, of the last one if not told, can be in a state.
fn reachable(shape: &Shape, partition: Option<usize>, state: StateId) -> bool {
    let Shape::ChenRosu(_, slices) = shape else { return true };
    let reach = match partition {
        Some(p) => slices.reach.get(p),
        None => slices.reach.last(),
    };
    reach.is_none_or(|r| r[state.index()])
}

/// The variables of an instance and those around it, outermost first.
fn chain_variables(
    group: &Group,
    at: At<'_>,
    record: u32,
    world: &World,
    out: &mut Vec<(Arc<str>, Value)>,
) {
    if let Some((outer, parent)) = group.parent(at, record) {
        chain_variables(group, at.to(outer), parent, world, out);
    }
    let context = at.id(group);
    let words = &group.members[at.context].store.words(record);
    let own = &words[at.plan.contexts[context.index()].vars_at()..];
    for (var, word) in at.plan.model.contexts[context.index()].variables.iter().zip(own) {
        let name = at.plan.model.variables[var.index()].name.as_str();
        out.push((Arc::from(name), world.heap.to_value(*word)));
    }
}

/// The state of an automaton, if it is in one of its property.
fn known(unit: &Unit, state: u32) -> Option<StateId> {
    (state < unit.lost).then_some(StateId(state))
}

fn due(timer: Timer) -> Option<Time> {
    timer.is_running().then_some(timer.at)
}
