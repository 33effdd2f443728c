//! Instances of sliced properties: the code that the three creation rules share.

use std::collections::BTreeMap;
use std::sync::Arc;

use watchword_model::{
    Branch, ClockId, Context, ContextId, EventId, Model, Origin, Placement, Property, PropertyId,
    StateId, StateKind, Target, Time, Value, VarId,
};

use super::eval::{Eval, Failure, Output, Scope};
use super::label::{self, Offer};
use super::window::{self, Entries};
use super::world::{Letter, Timer, World};
use crate::{Cause, Report, ReportKind};

/// Values of parameters, by [`watchword_model::ParamId`]; `None` is unbound.
pub type Binding = Vec<Option<Value>>;

/// One automaton of an instance.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub property: PropertyId,
    pub state: StateId,
    pub ended: bool,
    pub deadline: Option<Timer>,
}

/// An instance of a context.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Creation order; also its name.
    pub id: u64,
    pub context: ContextId,
    /// The instance of the enclosing context.
    pub parent: Option<u64>,
    pub binding: Binding,
    /// For creation events: whether its slice has begun. Before, it has no configuration.
    pub begun: bool,
    /// Whether its configuration is not known any more: an update failed or a limit was hit. It
    /// does nothing from then on.
    pub lost: bool,
    pub vars: BTreeMap<VarId, Value>,
    /// Alarms that will still go off.
    pub alarms: BTreeMap<ClockId, Vec<(Timer, EventId)>>,
    pub automata: Vec<Automaton>,
    /// The events in the windows of the property.
    pub windows: Vec<Entries>,
}

/// The instances of one root context and everything inside it.
#[derive(Clone, Debug)]
pub struct Group {
    pub root: ContextId,
    /// In creation order.
    pub instances: Vec<Instance>,
}

/// The bound parameters of an instance, by name.
pub fn shown(
    model: &Model,
    context: ContextId,
    binding: &[Option<Value>],
) -> Vec<(Arc<str>, Value)> {
    let params = model.params(context);
    let bound = params.iter().zip(binding).filter_map(|((_, param), value)| {
        value.as_ref().map(|v| (Arc::from(param.name.as_str()), v.clone()))
    });
    bound.collect()
}

/// The contexts of a chain, outermost first.
pub fn chain(model: &Model, context: ContextId) -> Vec<&Context> {
    model.chain(context).into_iter().map(|c| &model.contexts[c.index()]).collect()
}

/// The keys by which a binding is compared; `None` for unbound parameters.
pub fn keys(model: &Model, context: ContextId, binding: &Binding) -> Vec<Option<Value>> {
    let contexts = chain(model, context);
    binding
        .iter()
        .enumerate()
        .map(|(i, value)| {
            let param = watchword_model::ParamId::from_index(i);
            // Only values that have a key are ever bound.
            value.as_ref().map(|v| label::key_of(model, &contexts, param, v).unwrap_or(Value::Null))
        })
        .collect()
}

/// The binding a placement gives an event, or `None` if one of its values is null, a NaN, or has
/// no key.
pub fn place(
    model: &Model,
    context: ContextId,
    placement: &Placement,
    letter: &Letter,
) -> Option<Binding> {
    let contexts = chain(model, context);
    let mut binding: Binding = vec![None; model.params(context).len()];
    for (param, arg) in &placement.0 {
        let value = letter.event.arg(*arg as usize);
        let key = label::key_of(model, &contexts, *param, value).ok()?;
        if matches!(value, Value::Null) || matches!(key, Value::Null) || key.key().is_none() {
            return None;
        }
        binding[param.index()] = Some(value.clone());
    }
    Some(binding)
}

/// Whether `a` binds nothing that `b` does not bind to the same. Both are keys.
pub fn below(a: &[Option<Value>], b: &[Option<Value>]) -> bool {
    a.iter().zip(b).all(|(a, b)| match (a, b) {
        (None, _) => true,
        (Some(a), Some(b)) => a.same(b),
        (Some(_), None) => false,
    })
}

/// Whether no parameter is bound to different values.
pub fn compatible(a: &[Option<Value>], b: &[Option<Value>]) -> bool {
    a.iter().zip(b).all(|(a, b)| match (a, b) {
        (Some(a), Some(b)) => a.same(b),
        _ => true,
    })
}

/// How a letter fares with an automaton's current state.
pub struct Taken<'m> {
    pub scope: Scope<'m>,
    pub branch: &'m Branch,
}

impl Group {
    pub fn position(&self, id: u64) -> Option<usize> {
        self.instances.iter().position(|i| i.id == id)
    }

    /// A fresh instance; if its slice has begun, in the initial configuration.
    pub fn create(
        &mut self,
        model: &Model,
        world: &mut World,
        context: ContextId,
        parent: Option<u64>,
        binding: Binding,
        begun: bool,
    ) -> u64 {
        let id = world.next();
        self.instances.push(Instance {
            id,
            context,
            parent,
            binding,
            begun,
            lost: false,
            vars: BTreeMap::new(),
            alarms: BTreeMap::new(),
            automata: Vec::new(),
            windows: Vec::new(),
        });
        let is_inside_lost =
            parent.and_then(|p| self.position(p)).is_some_and(|p| self.instances[p].lost);
        if is_inside_lost {
            self.lose(model, world, id);
        } else if begun {
            self.begin(model, world, id);
        }
        id
    }

    /// Marks an instance whose configuration is not known any more as inconclusive, together with
    /// all instances inside it. If enclosing contexts have variables that it may have had to
    /// change, all instances inside the outermost one are marked.
    pub fn lose(&mut self, model: &Model, world: &mut World, id: u64) {
        let mut outermost = id;
        let at = self.position(id).expect("the instance exists");
        let chain = chain(model, self.instances[at].context);
        if chain[..chain.len() - 1].iter().any(|c| !c.variables.is_empty()) {
            while let Some(at) = self.position(outermost)
                && let Some(parent) = self.instances[at].parent
            {
                outermost = parent;
            }
        }
        for at in 0..self.instances.len() {
            if self.instances[at].lost || !self.is_inside(self.instances[at].id, outermost) {
                continue;
            }
            let instance = &mut self.instances[at];
            instance.lost = true;
            instance.alarms.clear();
            instance.automata.iter_mut().for_each(|a| a.deadline = None);
            for (i, property) in model.properties.iter().enumerate() {
                if property.context == instance.context {
                    world.lose(PropertyId::from_index(i));
                }
            }
        }
    }

    /// Begins a slice: the initial configuration, entered but not reported.
    pub fn begin(&mut self, model: &Model, world: &mut World, id: u64) {
        let at = self.position(id).expect("the instance exists");
        self.instances[at].begun = true;
        let context = self.instances[at].context;
        let definition = &model.contexts[context.index()];
        for var in &definition.variables {
            let mut scope = self.scope(model, id, world.now);
            let variable = &model.variables[var.index()];
            let value = scope.eval(&variable.init).ok().and_then(|v| v.coerce(variable.ty));
            let at = self.position(id).expect("just created");
            self.instances[at].vars.insert(*var, value.unwrap_or(Value::Null));
        }
        for clock in &definition.clocks {
            if model.clocks[clock.index()].autostart {
                self.reset_clock(model, world, id, *clock, None);
            }
        }
        for (i, property) in model.properties.iter().enumerate() {
            if property.context != context {
                continue;
            }
            let at = self.position(id).expect("just created");
            let automaton = self.instances[at].automata.len();
            self.instances[at].windows = vec![Entries::new(); property.windows.len()];
            self.instances[at].automata.push(Automaton {
                property: PropertyId::from_index(i),
                state: property.start,
                ended: false,
                deadline: None,
            });
            let mut scope = self.scope(model, id, world.now);
            if scope.run(&[&property.states[property.start.index()].entry]).is_err() {
                return self.lose(model, world, id);
            }
            self.commit(model, world, id, &scope);
            self.start_deadline(model, world, id, automaton);
        }
    }

    /// A copy of an instance under another binding; its timers run on.
    pub fn copy(&mut self, world: &mut World, mut original: Instance, binding: Binding) -> u64 {
        original.id = world.next();
        original.binding = binding;
        for alarms in original.alarms.values_mut() {
            for (timer, _) in alarms {
                *timer = timer.copy(world);
            }
        }
        for automaton in &mut original.automata {
            automaton.deadline = automaton.deadline.map(|t| t.copy(world));
        }
        let id = original.id;
        self.instances.push(original);
        id
    }

    fn start_deadline(&mut self, model: &Model, world: &mut World, id: u64, automaton: usize) {
        let at = self.position(id).expect("the instance exists");
        let automaton = &mut self.instances[at].automata[automaton];
        let property = &model.properties[automaton.property.index()];
        automaton.deadline = property.states[automaton.state.index()]
            .deadline
            .as_ref()
            .map(|deadline| Timer::start(world, deadline.after));
    }

    /// Sets a clock running from zero, perhaps to ring after a time that was computed.
    fn reset_clock(
        &mut self,
        model: &Model,
        world: &mut World,
        id: u64,
        clock: ClockId,
        rings: Option<Time>,
    ) {
        let declared = &model.clocks[clock.index()];
        let fixed = declared.alarms.iter().map(|alarm| (alarm.after, alarm.event));
        let alarms = fixed
            .chain(rings.zip(declared.rings))
            .map(|(after, event)| (Timer::start(world, after), event))
            .collect();
        let at = self.position(id).expect("the instance exists");
        self.instances[at].alarms.insert(clock, alarms);
    }

    /// The instance of `context` that this instance is inside of, itself included.
    fn owner(&self, id: u64, context: ContextId) -> Option<u64> {
        let mut id = id;
        loop {
            let instance = &self.instances[self.position(id)?];
            if instance.context == context {
                return Some(id);
            }
            id = instance.parent?;
        }
    }

    /// Everything that expressions of an instance can read.
    pub fn scope<'m>(&self, model: &'m Model, id: u64, now: Time) -> Scope<'m> {
        let mut scope = Scope { now, ..Scope::new(model) };
        let mut next = Some(id);
        while let Some(instance) = next.and_then(|id| self.position(id)).map(|i| &self.instances[i])
        {
            if instance.id == id {
                scope.params = instance.binding.clone();
                // Only instances with one automaton have windows.
                if let [automaton] = &instance.automata[..] {
                    let property = &model.properties[automaton.property.index()];
                    scope.windows = window::values(property, &instance.windows, now);
                }
            }
            for (var, value) in &instance.vars {
                scope.vars.insert(*var, value.clone());
            }
            next = instance.parent;
        }
        scope
    }

    /// Stores the effects of a branch.
    pub fn commit(&mut self, model: &Model, world: &mut World, id: u64, scope: &Scope<'_>) {
        for (var, value) in &scope.vars {
            let owner = model.variables[var.index()].context;
            if let Some(at) = self.owner(id, owner).and_then(|o| self.position(o)) {
                self.instances[at].vars.insert(*var, value.clone());
            }
        }
        for output in &scope.outputs {
            match output {
                Output::Send(event, args) => world.queue.push_back((*event, args.clone())),
                Output::Print(text) => world.printed.push(text.clone()),
                Output::Action(name, args) => world.actions.push((name.clone(), args.clone())),
                Output::ResetClock(clock) => {
                    let context = model.clocks[clock.index()].context;
                    if let Some(owner) = self.owner(id, context) {
                        self.reset_clock(model, world, owner, *clock, None);
                    }
                }
                Output::SetClock(clock, after) => {
                    let context = model.clocks[clock.index()].context;
                    if let Some(owner) = self.owner(id, context) {
                        self.reset_clock(model, world, owner, *clock, Some(*after));
                    }
                }
                Output::StopClock(clock) => {
                    let context = model.clocks[clock.index()].context;
                    if let Some(at) = self.owner(id, context).and_then(|o| self.position(o)) {
                        self.instances[at].alarms.remove(clock);
                    }
                }
            }
        }
    }

    /// The first branch of the automaton's current state that the letter enables; an error if its
    /// effects cannot be computed.
    fn choose<'m>(
        &self,
        model: &'m Model,
        world: &mut World,
        id: u64,
        automaton: usize,
        letter: &Letter,
    ) -> Eval<Option<Taken<'m>>> {
        let Some(at) = self.position(id) else { return Ok(None) };
        let instance = &self.instances[at];
        let automaton = &instance.automata[automaton];
        let property = &model.properties[automaton.property.index()];
        let contexts = chain(model, instance.context);
        let scope = self.scope(model, id, world.now);
        for (_, transition) in property.leaving(automaton.state) {
            let Some(label) = transition.labels.first() else { continue };
            let (bound, branch) = match label::offer(&scope, &contexts, label, &letter.event) {
                Offer::NoMatch => continue,
                Offer::NotRelevant => {
                    world.not_relevant += 1;
                    continue;
                }
                Offer::GuardFalse(bound) => match &transition.otherwise {
                    Some(branch) => (bound, branch),
                    None => continue,
                },
                Offer::Match(bound) => (bound, &transition.then),
                Offer::Limit => return Err(Failure::Limit),
            };
            let scope = label::take(&bound, property, branch)?;
            return Ok(Some(Taken { scope, branch }));
        }
        Ok(None)
    }

    /// Executes a branch, for a letter or a deadline. Returns whether the automaton ended.
    pub fn carry_out(
        &mut self,
        model: &Model,
        world: &mut World,
        id: u64,
        automaton: usize,
        taken: Taken<'_>,
        letter: Option<&Letter>,
    ) -> bool {
        let Taken { mut scope, branch } = taken;
        self.commit(model, world, id, &scope);
        let at = self.position(id).expect("the instance exists");
        let cause = letter.map_or(Cause::Time, |l| l.cause);
        let to = match branch.target {
            Target::State(state) => Some(state),
            Target::Stay | Target::Drop => None,
        };
        if branch.target != Target::Stay {
            let Automaton { property, state, .. } = self.instances[at].automata[automaton];
            let binding = self.shown_binding(model, at);
            world.tell_move(property, state, to, binding, letter);
        }
        match branch.target {
            Target::Stay => false,
            Target::Drop => {
                let automaton = &mut self.instances[at].automata[automaton];
                automaton.ended = true;
                automaton.deadline = None;
                true
            }
            Target::State(state) => {
                self.instances[at].automata[automaton].state = state;
                self.start_deadline(model, world, id, automaton);
                let property = self.instances[at].automata[automaton].property;
                let definition = &model.properties[property.index()];
                let kind = match definition.states[state.index()].kind {
                    StateKind::Bad => ReportKind::Violation,
                    StateKind::Good => ReportKind::Satisfaction,
                    StateKind::Normal | StateKind::Pending => return false,
                };
                let message =
                    label::message(&mut scope, definition, state, Some(branch), "entered");
                let report = Report {
                    property,
                    kind,
                    cause,
                    index: world.index,
                    time: world.time(),
                    binding: self.shown_binding(model, at),
                    state,
                    message,
                    history: Vec::new(),
                    cut: false,
                };
                world.reports.push(report);
                false
            }
        }
    }

    /// Steps one automaton of an instance. Returns whether it ended.
    pub fn step(
        &mut self,
        model: &Model,
        world: &mut World,
        id: u64,
        automaton: usize,
        letter: &Letter,
    ) -> bool {
        if self.position(id).is_some_and(|at| self.instances[at].lost) {
            return false;
        }
        let outcome = match self.enter_windows(model, world, id, letter) {
            Ok(()) => self.choose(model, world, id, automaton, letter),
            Err(failure) => Err(failure),
        };
        match outcome {
            Ok(Some(taken)) => self.carry_out(model, world, id, automaton, taken, Some(letter)),
            Ok(None) => false,
            Err(_) => {
                self.lose(model, world, id);
                false
            }
        }
    }

    /// A letter enters the windows of an instance before it is offered to its transitions.
    fn enter_windows(
        &mut self,
        model: &Model,
        world: &mut World,
        id: u64,
        letter: &Letter,
    ) -> Eval<()> {
        let Some(at) = self.position(id) else { return Ok(()) };
        if self.instances[at].windows.is_empty() {
            return Ok(());
        }
        let scope = self.scope(model, id, world.now);
        let instance = &mut self.instances[at];
        let automaton = &instance.automata[0];
        let property = &model.properties[automaton.property.index()];
        if property.is_settled(automaton.state) {
            return Ok(());
        }
        let contexts = chain(model, instance.context);
        let windows = &mut instance.windows;
        window::enter(&scope, &contexts, property, windows, &letter.event, world)
    }

    fn shown_binding(&self, model: &Model, at: usize) -> Vec<(Arc<str>, Value)> {
        let instance = &self.instances[at];
        shown(model, instance.context, &instance.binding)
    }

    /// The first time was seen: timers that were started before it start then.
    pub fn begin_time(&mut self, first: Time) {
        for instance in &mut self.instances {
            let alarms = instance.alarms.values_mut().flatten().map(|(timer, _)| timer);
            let deadlines = instance.automata.iter_mut().filter_map(|a| a.deadline.as_mut());
            for timer in alarms.chain(deadlines) {
                timer.at = timer.at.saturating_add(first);
            }
            for (at, _) in instance.windows.iter_mut().flatten() {
                *at = first;
            }
        }
    }

    /// The earliest timer of the group.
    pub fn next_timer(&self) -> Option<Timer> {
        self.instances
            .iter()
            .flat_map(|i| {
                let alarms = i.alarms.values().flatten().map(|(timer, _)| *timer);
                let deadlines = i.automata.iter().filter_map(|a| a.deadline);
                alarms.chain(deadlines).collect::<Vec<_>>()
            })
            .min()
    }

    /// Fires a timer, or, if such timers go off without end, its instance is inconclusive. The present time
    /// is the time of the timer.
    pub fn fire(&mut self, model: &Model, world: &mut World, timer: Timer, endless: bool) {
        for at in 0..self.instances.len() {
            let instance = &self.instances[at];
            let id = instance.id;
            let is_deadline = instance.automata.iter().any(|a| a.deadline == Some(timer));
            let is_alarm = || instance.alarms.values().flatten().any(|(t, _)| *t == timer);
            if endless && (is_deadline || is_alarm()) {
                return self.lose(model, world, id);
            }
            for automaton in 0..self.instances[at].automata.len() {
                if self.instances[at].automata[automaton].deadline == Some(timer) {
                    self.fire_deadline(model, world, id, automaton);
                    return;
                }
            }
            let mut event = None;
            for alarms in self.instances[at].alarms.values_mut() {
                if let Some(i) = alarms.iter().position(|(t, _)| *t == timer) {
                    event = Some(alarms.remove(i).1);
                }
            }
            if let Some(event) = event {
                self.fire_alarm(model, world, id, event);
                return;
            }
        }
    }

    fn fire_deadline(&mut self, model: &Model, world: &mut World, id: u64, automaton: usize) {
        let at = self.position(id).expect("the instance exists");
        let current = &mut self.instances[at].automata[automaton];
        current.deadline = None;
        let property = &model.properties[current.property.index()];
        let Some(deadline) = &property.states[current.state.index()].deadline else { return };
        let scope = self.scope(model, id, world.now);
        match label::take(&scope, property, &deadline.branch) {
            Ok(scope) => {
                let taken = Taken { scope, branch: &deadline.branch };
                if self.carry_out(model, world, id, automaton, taken, None) {
                    self.after_end(model, world, id);
                }
            }
            Err(_) => self.lose(model, world, id),
        }
    }

    /// An alarm is delivered to the clock's own instance and to the instances inside it.
    fn fire_alarm(&mut self, model: &Model, world: &mut World, id: u64, event: EventId) {
        debug_assert!(matches!(model.events[event.index()].origin, Origin::Clock));
        let letter = Letter {
            event: watchword_model::Event::new(event, Vec::new()),
            only: None,
            index: world.index,
            cause: Cause::Time,
            time: world.now,
        };
        let mut order: Vec<(ContextId, u64)> = self
            .instances
            .iter()
            .filter(|i| self.is_inside(i.id, id))
            .map(|i| (i.context, i.id))
            .collect();
        order.sort();
        for (_, inside) in order {
            let Some(at) = self.position(inside) else { continue };
            for automaton in 0..self.instances[at].automata.len() {
                self.step_if_observed(model, world, inside, automaton, &letter);
            }
        }
    }

    fn is_inside(&self, id: u64, outer: u64) -> bool {
        let mut next = Some(id);
        while let Some(id) = next {
            if id == outer {
                return true;
            }
            next = self.position(id).and_then(|at| self.instances[at].parent);
        }
        false
    }

    /// Steps an automaton that is still there, if its property observes the event.
    pub fn step_if_observed(
        &mut self,
        model: &Model,
        world: &mut World,
        id: u64,
        automaton: usize,
        letter: &Letter,
    ) {
        let Some(at) = self.position(id).filter(|at| !self.instances[*at].lost) else { return };
        let current = &self.instances[at].automata[automaton];
        let property = &model.properties[current.property.index()];
        if current.ended || !observes(model, property, letter) {
            return;
        }
        if self.step(model, world, id, automaton, letter) {
            self.after_end(model, world, id);
        }
    }

    /// Called after an automaton ended. An instance whose automata have all ended is removed with
    /// everything inside it. The instance without bindings is reset instead, except with rule
    /// `larva`.
    pub fn after_end(&mut self, model: &Model, world: &mut World, id: u64) {
        let Some(at) = self.position(id) else { return };
        if !self.instances[at].automata.iter().all(|a| a.ended) {
            return;
        }
        let context = self.instances[at].context;
        let rule = &model.contexts[context.index()].rule;
        let unbound = self.instances[at].binding.iter().all(Option::is_none);
        if unbound && *rule != watchword_model::Creation::Larva {
            // Reset in place: it keeps its place in the order of creation.
            let binding = self.instances[at].binding.clone();
            let begun = initially_begun(rule);
            let fresh = self.create(model, world, context, None, binding, begun);
            let from = self.position(fresh).expect("just created");
            let mut instance = self.instances.remove(from);
            instance.id = id;
            self.instances[at] = instance;
            return;
        }
        let parent = self.instances[at].parent;
        let removed: Vec<u64> =
            self.instances.iter().map(|i| i.id).filter(|i| self.is_inside(*i, id)).collect();
        let binding = self.instances[at].binding.clone();
        self.instances.retain(|i| !removed.contains(&i.id));
        if model.contexts[context.index()].params.is_empty() {
            // A context without parameters always exists.
            super::larva::create_with_inner(self, model, world, context, parent, binding);
        }
    }

    /// Removes the instances of a parameter value whose life ends with this event.
    pub fn end_lives(&mut self, model: &Model, world: &mut World, letter: &Letter) {
        let ends = model.contexts[self.root.index()].ends.clone();
        for end in ends.iter().filter(|e| e.event == letter.event.kind) {
            let dead = letter.event.arg(end.arg as usize);
            let contexts = chain(model, self.root);
            let Ok(dead) = label::key_of(model, &contexts, end.param, dead) else { continue };
            let dying: Vec<u64> = self
                .instances
                .iter()
                .filter(|i| {
                    keys(model, i.context, &i.binding)[end.param.index()]
                        .as_ref()
                        .is_some_and(|v| v.same(&dead))
                })
                .map(|i| i.id)
                .collect();
            for id in dying {
                self.report_pending(model, world, id, Cause::EndOfLife);
                self.instances.retain(|i| i.id != id);
            }
        }
    }

    /// Reports the automata of an instance that are in a pending state.
    pub fn report_pending(&mut self, model: &Model, world: &mut World, id: u64, cause: Cause) {
        let at = self.position(id).expect("the instance exists");
        if self.instances[at].lost {
            return;
        }
        for automaton in 0..self.instances[at].automata.len() {
            let Automaton { property, state, ended, .. } = self.instances[at].automata[automaton];
            let definition = &model.properties[property.index()];
            if ended || definition.states[state.index()].kind != StateKind::Pending {
                continue;
            }
            let mut scope = self.scope(model, id, world.now);
            let message = label::message(&mut scope, definition, state, None, "ended in");
            let report = Report {
                property,
                kind: ReportKind::Violation,
                cause,
                index: world.index,
                time: world.time(),
                binding: self.shown_binding(model, at),
                state,
                message,
                history: Vec::new(),
                cut: false,
            };
            world.reports.push(report);
        }
    }
}

/// Whether a new instance has begun: it has not, if there are creation events.
pub fn initially_begun(rule: &watchword_model::Creation) -> bool {
    match rule {
        watchword_model::Creation::ChenRosu { creation } => creation.is_empty(),
        _ => true,
    }
}

/// Whether an event exists for a property.
pub fn observes(model: &Model, property: &Property, letter: &Letter) -> bool {
    let Some(observed) = property.observes(letter.event.kind) else { return false };
    let is_this = |id: &PropertyId| std::ptr::eq(&model.properties[id.index()], property);
    if letter.only.as_ref().is_some_and(|only| !only.iter().any(is_this)) {
        return false;
    }
    match &observed.filter {
        None => true,
        Some(filter) => matches!(
            label::eval_args(model, filter, letter.event.args.clone()),
            Ok(Value::Bool(true))
        ),
    }
}
