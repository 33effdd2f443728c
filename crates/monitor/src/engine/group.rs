//! Instances of sliced properties: the code that the three creation rules share.

use std::sync::Arc;

use watchword_model::{ContextId, EventId, StateKind, Time, Value};
use watchword_plan::{Action, ContextUnit, LarvaPlan, Lookup, Plan, Shape, Slices, Unit};
use watchword_step::{
    BUDGET, Frame, NONE, Program, Taken, Target, Tried, Word, enter, moves, run, run_branch, step,
    try_move,
};

use super::crowd::Classes;
use super::heap::Pending;
use super::limit::Limit;
use super::marks::Marks;
use super::members::{Alarm, ENDED, Members};
use super::shortcut::Shortcuts;
use super::sliced::New;
use super::store::{Store, is_plain};
use super::world::{Due, Letter, Timer, What, World, clear_locals, initial_value, message};
use crate::{Cause, ReportKind};

/// The instances of one root context and of the contexts inside it.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The index of the group among the engine's monitors.
    pub number: u32,
    pub root: ContextId,
    /// One per context; sliced properties have one.
    pub members: Vec<Members>,
    pub limit: Limit,
    /// Used if some joins are not made.
    pub marks: Option<Marks>,
    /// Scratch.
    pub key: Vec<Word>,
    pub targets: Vec<u32>,
    pub new: New,
    pub vars: Vec<Word>,
    /// Used for properties of rule `chen-rosu`.
    pub shortcuts: Option<Shortcuts>,
}

/// One context of a group, with references to its plan.
#[derive(Clone, Copy)]
pub(crate) struct At<'p> {
    pub plan: &'p Plan,
    pub shape: &'p Shape,
    /// The position in [`Group::members`].
    pub context: usize,
}

impl<'p> At<'p> {
    pub fn larva(&self) -> &'p [LarvaPlan] {
        match self.shape {
            Shape::Larva(plans) => plans,
            _ => &[],
        }
    }

    /// The context's id.
    pub fn id(&self, group: &Group) -> ContextId {
        self.id_of(group.root)
    }

    /// The context's id, within that root.
    pub fn id_of(&self, root: ContextId) -> ContextId {
        match self.shape {
            Shape::Larva(plans) => plans[self.context].context,
            _ => root,
        }
    }

    /// The property of the automaton with this number.
    pub fn unit(&self, automaton: usize) -> &'p Unit {
        let property = match self.shape {
            Shape::Larva(plans) => plans[self.context].properties[automaton],
            Shape::ChenRosu(property, _)
            | Shape::Verde(property, _)
            | Shape::Registers(property, _) => *property,
        };
        &self.plan.units[property.index()]
    }

    pub fn to(&self, context: usize) -> At<'p> {
        At { context, ..*self }
    }

    pub fn parent(&self) -> Option<At<'p>> {
        self.larva().get(self.context)?.parent.map(|p| self.to(p))
    }
}

/// The result of stepping an automaton.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stepped {
    /// No transition was taken.
    Skipped,
    /// A transition was taken.
    Moved,
    /// A transition was taken, and it ended the automaton.
    Ended,
}

impl Group {
    pub fn new(plan: &Plan, number: u32, root: ContextId, shape: &Shape, world: &World) -> Group {
        let history = world.history.is_on();
        let mut members = Vec::new();
        let mut add = |context: ContextId, automata: &[&Unit], parts: &[Vec<u32>]| {
            let unit = &plan.contexts[context.index()];
            let store = Store::new(unit.vars_at() + unit.inits.len(), parts, true);
            let deadlines = automata.iter().any(|u| u.deadlines.iter().any(Option::is_some));
            let clocks = !plan.model.contexts[context.index()].clocks.is_empty();
            let windows = unit.windows;
            let mut new = Members::new(store, automata.len(), deadlines, clocks, history, windows);
            if world.options.sensitive {
                new.count_states(automata.iter().map(|u| u.state_kinds.len()).max().unwrap_or(0));
            }
            members.push(new);
        };
        match shape {
            Shape::ChenRosu(property, slices) | Shape::Verde(property, slices) => {
                let parts: Vec<Vec<u32>> =
                    slices.partitions.iter().map(|p| p.indexes.clone()).collect();
                add(root, &[&plan.units[property.index()]], &parts);
            }
            Shape::Larva(plans) => {
                for inner in plans {
                    let automata: Vec<&Unit> =
                        inner.properties.iter().map(|p| &plan.units[p.index()]).collect();
                    add(
                        inner.context,
                        &automata,
                        std::slice::from_ref(&inner.storage.partition.indexes),
                    );
                }
            }
            Shape::Registers(..) => {}
        }
        let params = plan.contexts.iter().map(|c| c.params).max().unwrap_or(0);
        let mut group = Group {
            number,
            root,
            members,
            limit: Limit::new(&world.options),
            marks: None,
            key: vec![Word::UNSET; 2 * params],
            targets: Vec::new(),
            new: New::default(),
            vars: Vec::new(),
            shortcuts: None,
        };
        if let Shape::ChenRosu(property, slices) = shape {
            let unit = &plan.units[property.index()];
            let ends = &plan.model.contexts[root.index()].ends;
            let ends = ends.iter().fold(0, |ends, end| ends | 1 << end.param.0);
            group.marks = Marks::new(slices, plan.contexts[root.index()].params, ends);
            if group.marks.is_some() {
                group.members[0].keep_syncs();
            }
            if slices.lazy {
                classify(&mut group.members[0].store, unit, slices, world);
            }
            group.shortcuts = Some(Shortcuts::new(plan, unit, slices, &group, world));
        }
        group
    }

    /// Writes an event's values for a placement into `self.key`. Returns `false` if one is null, a
    /// NaN, or has no key: then the placement concerns no instance.
    ///
    /// If a parameter is compared by a computed key, its own value follows.
    #[inline]
    pub fn place(
        &mut self,
        at: At<'_>,
        world: &mut World,
        pairs: &[(u32, u32)],
        letter: &Letter<'_>,
    ) -> bool {
        self.key.fill(Word::UNSET);
        let context = &at.plan.contexts[at.id(self).index()];
        self.place_over(at, context, world, pairs, letter)
    }

    /// The same, but keeps the words of parameters that the placement does not name. This is
    /// sufficient for look-ups, which do not read them.
    #[inline(always)]
    pub fn place_over(
        &mut self,
        at: At<'_>,
        context: &ContextUnit,
        world: &mut World,
        pairs: &[(u32, u32)],
        letter: &Letter<'_>,
    ) -> bool {
        for (param, arg) in pairs {
            let word = letter.arg(*arg);
            // Most values are compared by their bits.
            if is_plain(word) && !context.is_keyed {
                self.key[*param as usize] = word;
            } else if !self.place_value(at, context, world, *param, word) {
                return false;
            }
        }
        true
    }

    #[inline(never)]
    fn place_value(
        &mut self,
        at: At<'_>,
        context: &ContextUnit,
        world: &mut World,
        param: u32,
        word: Word,
    ) -> bool {
        if word.is_null() {
            if world.mutant(1) {
                self.key[param as usize] = word;
            }
            return world.mutant(1);
        }
        let Some(key) = parameter(context, at.id(self), world, param, word) else {
            return false;
        };
        self.key[param as usize] = key;
        if context.is_keyed {
            self.key[context.params + param as usize] = word;
        }
        true
    }

    /// Gives every variable of a new record its initial value, starts its clocks, and enters the
    /// start states. An instance whose slice has not begun is in no state.
    pub fn begin(&mut self, at: At<'_>, world: &mut World, id: u32) {
        let context_id = at.id(self);
        let context = &at.plan.contexts[context_id.index()];
        self.members[at.context].store.set_begun(id, true);
        for (i, (code, kind)) in context.inits.iter().enumerate() {
            let program = context.tables.program(&world.context_constants[context_id.index()]);
            self.gather(at, id);
            let words = self.members[at.context].store.words_mut(id);
            let mut frame = Frame {
                params: &words[context.shown_at()..context.vars_at()],
                vars: &mut self.vars,
                registers: &mut [],
                args: &[],
                stack: &mut world.stack,
            };
            let word = initial_value(&program, (*code, *kind), &mut frame, &mut world.heap);
            words[context.vars_at() + i] = word;
        }
        for clock in &at.plan.model.contexts[context_id.index()].clocks {
            if at.plan.model.clocks[clock.index()].autostart {
                self.reset_clock(at, world, id, clock.0, None);
            }
        }
        for automaton in 0..self.members[at.context].automata {
            let unit = at.unit(automaton);
            self.members[at.context].set_state(id, automaton, unit.start);
            let entry = unit.tables.states[unit.start as usize].entry;
            if entry != NONE {
                let done = self.with_frame(at, world, id, unit, &[], |program, frame, _, heap| {
                    clear_locals(program, frame);
                    run(program, entry, frame, heap, &mut { BUDGET }).is_ok()
                });
                if !done {
                    world.heap.pending.clear();
                    return self.lose(at, world, id);
                }
                self.scatter(at, id);
                self.commit(at, world, id, unit);
            }
            self.start_deadline(at, world, id, automaton);
        }
    }

    /// A new instance with this binding.
    pub fn create(
        &mut self,
        at: At<'_>,
        world: &mut World,
        partition: usize,
        binding: &[Word],
        begun: bool,
    ) -> u32 {
        let seq = world.next();
        let id = self.members[at.context].insert(partition, seq, binding);
        self.count_created(at, world);
        self.members[at.context].store.set_begun(id, begun);
        let parent = self.parent(at, id);
        if parent.is_some_and(|(outer, p)| self.members[outer].store.head(p).lost) {
            self.lose(at, world, id);
        } else if begun {
            self.begin(at, world, id);
        }
        id
    }

    /// Marks an instance whose configuration is not known any more as inconclusive, together with
    /// all instances inside it. If enclosing contexts have variables that it may have had to
    /// change, all instances inside the outermost one are marked.
    #[cold]
    pub fn lose(&mut self, at: At<'_>, world: &mut World, id: u32) {
        let (mut outermost, mut here) = (id, at);
        if at.plan.contexts[at.id(self).index()].outer_vars > 0 {
            while let Some((context, parent)) = self.parent(here, outermost) {
                (here, outermost) = (here.to(context), parent);
            }
        }
        let mut inside = Vec::new();
        self.collect_inside(here, outermost, &mut inside);
        for (context, _, id) in inside {
            if self.members[context].store.head(id).lost {
                continue;
            }
            let here = at.to(context);
            self.members[context].store.set_lost(id);
            self.members[context].drop_windows(world, id);
            if let Some(alarms) = self.members[context].alarms_mut(id) {
                alarms.clear();
            }
            for automaton in 0..self.members[context].automata {
                let unit = here.unit(automaton);
                self.members[context].set_state(id, automaton, unit.lost);
                self.members[context].set_deadline(id, automaton, Timer::NONE);
                world.count_inconclusive(unit.property);
            }
        }
    }

    pub fn count_created(&self, at: At<'_>, world: &mut World) {
        world.heap.memory.take(self.members[at.context].record_bytes());
        for automaton in 0..self.members[at.context].automata {
            world.stats[at.unit(automaton).property.index()].created += 1;
        }
    }

    /// Resets an instance to the initial configuration; it keeps its place in the order of
    /// creation.
    fn reset(&mut self, at: At<'_>, world: &mut World, id: u32) {
        self.members[at.context].clear(world, id);
        let unit = at.unit(0);
        if unit.has_creation {
            let vars = at.plan.contexts[self.root.index()].vars_at();
            let store = &mut self.members[at.context].store;
            store.set_begun(id, false);
            store.words_mut(id)[vars..].fill(Word::NULL);
        } else {
            self.begin(at, world, id);
        }
    }

    /// A copy of a sliced instance with another binding; its timers continue.
    pub fn copy(
        &mut self,
        at: At<'_>,
        world: &mut World,
        source: u32,
        partition: usize,
        binding: &[Word],
    ) -> u32 {
        let seq = world.next();
        let members = &mut self.members[at.context];
        let head = members.store.head(source);
        let state = members.state(source, 0);
        let id = members.insert(partition, seq, binding);
        members.store.copy_rest(source, id, binding.len());
        let windows = at.plan.contexts[self.root.index()].windows;
        // A mutant: both enter the same ones.
        if windows > 0 && !world.mutant(30) {
            let words = members.store.words_mut(id);
            let first = words.len() - windows;
            words[first..].iter_mut().for_each(|word| *word = world.heap.copy_window(*word));
        }
        members.store.set_begun(id, head.begun);
        members.set_state(id, 0, state);
        let alarms = members.alarms(source).to_vec();
        for mut alarm in alarms {
            alarm.timer = world.copy_timer(alarm.timer);
            world.await_timer(
                alarm.timer,
                self.number,
                at.context as u32,
                id,
                What::Alarm(alarm.clock, alarm.event),
            );
            if let Some(alarms) = members.alarms_mut(id) {
                alarms.push(alarm);
            }
        }
        let timer = world.copy_timer(members.deadline(source, 0));
        if timer.is_running() {
            members.set_deadline(id, 0, timer);
            world.await_timer(timer, self.number, at.context as u32, id, What::Deadline(0));
        }
        let history = world.history.share(members.history(source, 0));
        members.set_history(id, 0, history);
        let sync = members.sync(source);
        members.set_sync(id, sync);
        self.count_created(at, world);
        id
    }

    pub fn start_deadline(&mut self, at: At<'_>, world: &mut World, id: u32, automaton: usize) {
        let unit = at.unit(automaton);
        let members = &mut self.members[at.context];
        let state = members.state(id, automaton);
        let timer = match unit.deadlines.get(state as usize).copied().flatten() {
            None => Timer::NONE,
            Some(row) => {
                let timer = world.start_timer(row.after);
                world.await_timer(
                    timer,
                    self.number,
                    at.context as u32,
                    id,
                    What::Deadline(automaton as u32),
                );
                timer
            }
        };
        members.set_deadline(id, automaton, timer);
    }

    /// Starts a clock from zero, with an alarm if a time was computed.
    fn reset_clock(
        &mut self,
        at: At<'_>,
        world: &mut World,
        id: u32,
        clock: u32,
        rings: Option<Time>,
    ) {
        let Some(alarms) = self.members[at.context].alarms_mut(id) else { return };
        alarms.retain(|a| a.clock != clock);
        let declared = &at.plan.model.clocks[clock as usize];
        let fixed = declared.alarms.iter().map(|alarm| (alarm.after, alarm.event));
        for (after, event) in fixed.chain(rings.zip(declared.rings)) {
            let timer = world.start_timer(after);
            alarms.push(Alarm { clock, timer, event });
            world.await_timer(timer, self.number, at.context as u32, id, What::Alarm(clock, event));
        }
        // Copies number alarms in the order of the clocks.
        alarms.sort_by_key(|a| a.clock);
    }

    /// Returns the instance of the enclosing context.
    pub fn parent(&self, at: At<'_>, id: u32) -> Option<(usize, u32)> {
        let outer = at.parent()?;
        let key = self.members[at.context].store.words(id);
        let found = self.members[outer.context].store.find(0, 0, key)?;
        Some((outer.context, found))
    }

    /// Collects the variables of the chain, outermost first, in `self.vars`.
    fn gather(&mut self, at: At<'_>, id: u32) {
        self.vars.clear();
        self.gather_chain(at, id);
    }

    fn gather_chain(&mut self, at: At<'_>, id: u32) {
        let context = &at.plan.contexts[at.id(self).index()];
        match self.parent(at, id) {
            Some((outer, parent)) => self.gather_chain(at.to(outer), parent),
            None => self.vars.resize(context.outer_vars, Word::NULL),
        }
        let own = &self.members[at.context].store.words(id)[context.vars_at()..];
        self.vars.extend_from_slice(own);
    }

    /// Writes `self.vars` back to the instances of the chain.
    fn scatter(&mut self, at: At<'_>, id: u32) {
        let context = &at.plan.contexts[at.id(self).index()];
        let own = &self.vars[context.outer_vars..context.vars];
        self.members[at.context].store.words_mut(id)[context.vars_at()..].copy_from_slice(own);
        if context.outer_vars > 0
            && let Some((outer, parent)) = self.parent(at, id)
        {
            self.scatter(at.to(outer), parent);
        }
    }

    /// Runs `body` with everything that expressions of an instance can read. The variables are a
    /// copy in `self.vars`.
    pub fn with_frame<R>(
        &mut self,
        at: At<'_>,
        world: &mut World,
        id: u32,
        unit: &Unit,
        args: &[Word],
        body: impl FnOnce(&Program<'_>, &mut Frame<'_>, &mut [Word], &mut super::heap::Heap) -> R,
    ) -> R {
        self.gather(at, id);
        let context = &at.plan.contexts[at.id(self).index()];
        let program = unit.tables.program(&world.constants[unit.property.index()]);
        let mut frame = Frame {
            params: &self.members[at.context].store.words(id)
                [context.shown_at()..context.vars_at()],
            vars: &mut self.vars,
            registers: &mut [],
            args,
            stack: &mut world.stack,
        };
        body(&program, &mut frame, &mut world.saved, &mut world.heap)
    }

    /// Executes the outputs of a branch.
    fn commit(&mut self, at: At<'_>, world: &mut World, id: u32, unit: &Unit) {
        if world.heap.pending.is_empty() {
            return;
        }
        for output in world.flush_outputs(at.plan, unit.property) {
            let (Pending::ResetClock(clock)
            | Pending::SetClock(clock, _)
            | Pending::StopClock(clock)) = output
            else {
                continue;
            };
            let owner = at.plan.model.clocks[clock as usize].context;
            let (mut here, mut holder) = (at, Some(id));
            while let Some(found) = holder {
                if here.id(self) == owner {
                    break;
                }
                holder = self.parent(here, found).map(|(context, parent)| {
                    here = here.to(context);
                    parent
                });
            }
            let Some(holder) = holder else { continue };
            match output {
                Pending::ResetClock(_) => self.reset_clock(here, world, holder, clock, None),
                Pending::SetClock(_, after) => {
                    self.reset_clock(here, world, holder, clock, Some(after));
                }
                _ => {
                    if let Some(alarms) = self.members[here.context].alarms_mut(holder) {
                        alarms.retain(|a| a.clock != clock);
                    }
                }
            }
        }
    }

    /// Steps one automaton of an instance.
    #[inline(never)]
    pub fn step(
        &mut self,
        at: At<'_>,
        world: &mut World,
        id: u32,
        automaton: usize,
        kind: u32,
        letter: &Letter<'_>,
    ) -> Stepped {
        let unit = at.unit(automaton);
        let state = self.members[at.context].state(id, automaton);
        world.stats[unit.property.index()].visited += 1;
        let arity = letter.args.len() as u32;
        let context = &at.plan.contexts[at.id(self).index()];
        let mut skipped = Stepped::Skipped;
        if unit.enters(kind) && unit.action(state, kind) != Action::Skip {
            match self.enter_windows(at, world, id, kind, letter) {
                Some(false) => {}
                // A mutant: the step has no effect.
                Some(true) if world.mutant(31) => {}
                Some(true) => skipped = Stepped::Moved,
                None => {
                    self.lose(at, world, id);
                    return Stepped::Moved;
                }
            }
        }
        let program = unit.tables.program(&world.constants[unit.property.index()]);
        if moves(&program, state, kind).is_empty() {
            return self.stayed(at, world, id, state, letter, skipped);
        }
        let (tried, not_relevant) = if context.outer_vars == 0 {
            // The instance owns all its variables, so they are changed in place.
            let words = self.members[at.context].store.words_mut(id);
            let (binding, vars) = words.split_at_mut(context.vars_at());
            let mut frame = Frame {
                params: &binding[context.shown_at()..],
                vars,
                registers: &mut [],
                args: letter.args,
                stack: &mut world.stack,
            };
            if world.options.is_mutant(2) {
                else_ignored(
                    &program,
                    state,
                    kind,
                    arity,
                    &mut frame,
                    &mut world.saved,
                    &mut world.heap,
                )
            } else {
                step(&program, state, kind, arity, &mut frame, &mut world.saved, &mut world.heap)
            }
        } else {
            let result =
                self.with_frame(at, world, id, unit, letter.args, |p, frame, saved, heap| {
                    step(p, state, kind, arity, frame, saved, heap)
                });
            if matches!(result.0, Tried::Taken(_)) {
                self.scatter(at, id);
            }
            result
        };
        if not_relevant > 0 {
            world.count_not_relevant(unit.property, u64::from(not_relevant));
        }
        match tried {
            Tried::Taken(taken) => self.carry_out(at, world, id, automaton, taken, letter, false),
            Tried::Failed => {
                self.lose(at, world, id);
                Stepped::Moved
            }
            Tried::No | Tried::NotRelevant => self.stayed(at, world, id, state, letter, skipped),
        }
    }

    /// No transition was taken. If the event entered a window, it is part of the history.
    #[inline]
    fn stayed(
        &mut self,
        at: At<'_>,
        world: &mut World,
        id: u32,
        state: u32,
        letter: &Letter<'_>,
        skipped: Stepped,
    ) -> Stepped {
        if skipped == Stepped::Moved && world.history.is_on() {
            self.remember(at, world, id, 0, state, letter, false);
        }
        skipped
    }

    /// Adds an event to the windows of an instance that has no enclosing ones. Returns whether it
    /// entered one; `None` if the value of a window is not known any more.
    fn enter_windows(
        &mut self,
        at: At<'_>,
        world: &mut World,
        id: u32,
        kind: u32,
        letter: &Letter<'_>,
    ) -> Option<bool> {
        let unit = at.unit(0);
        let context = &at.plan.contexts[self.root.index()];
        let program = unit.tables.program(&world.constants[unit.property.index()]);
        let words = self.members[at.context].store.words_mut(id);
        let (binding, vars) = words.split_at_mut(context.vars_at());
        let mut frame = Frame {
            params: &binding[context.shown_at()..],
            vars,
            registers: &mut [],
            args: letter.args,
            stack: &mut world.stack,
        };
        let arity = letter.args.len() as u32;
        let entered = enter(&program, kind, arity, &mut frame, &mut world.saved, &mut world.heap);
        if entered.not_relevant > 0 {
            world.count_not_relevant(unit.property, u64::from(entered.not_relevant));
        }
        (!entered.failed).then_some(entered.any)
    }

    /// Executes a branch that was taken; its variables are already written.
    #[allow(clippy::too_many_arguments, reason = "the parts of one step")]
    pub fn carry_out(
        &mut self,
        at: At<'_>,
        world: &mut World,
        id: u32,
        automaton: usize,
        taken: Taken,
        letter: &Letter<'_>,
        by_deadline: bool,
    ) -> Stepped {
        let unit = at.unit(automaton);
        self.commit(at, world, id, unit);
        let state = match taken.target {
            Target::Stay => {
                if world.history.is_on() {
                    let state = self.members[at.context].state(id, automaton);
                    self.remember(at, world, id, automaton, state, letter, by_deadline);
                }
                return Stepped::Moved;
            }
            Target::Drop => {
                if world.options.moves {
                    self.tell_move(at, world, id, automaton, None, letter, by_deadline);
                }
                let members = &mut self.members[at.context];
                members.set_state(id, automaton, ENDED);
                members.set_deadline(id, automaton, Timer::NONE);
                return Stepped::Ended;
            }
            Target::State(state) => state,
        };
        let before = self.members[at.context].state(id, automaton);
        if world.options.moves {
            self.tell_move(at, world, id, automaton, Some(state), letter, by_deadline);
        }
        self.members[at.context].set_state(id, automaton, state);
        // A mutant: a self-loop does not restart the deadline.
        if !(world.mutant(3) && before == state) {
            self.start_deadline(at, world, id, automaton);
        }
        if world.history.is_on() {
            self.remember(at, world, id, automaton, state, letter, by_deadline);
        }
        let kind = match unit.state_kinds[state as usize] {
            StateKind::Bad => ReportKind::Violation,
            StateKind::Good => ReportKind::Satisfaction,
            StateKind::Normal | StateKind::Pending => return Stepped::Moved,
        };
        let plan = at.plan;
        // The locals of the transition are still in the frame of the step.
        let text = self.with_frame(at, world, id, unit, letter.args, |p, frame, _, heap| {
            message(plan, unit, p, state, Some(taken.branch), "entered", frame, heap)
        });
        let binding = self.shown_binding(at, world, id);
        let (index, time) = (world.index, world.time());
        let history = self.members[at.context].history(id, automaton);
        world.report(unit, kind, letter.cause, index, time, binding, state, text, history);
        Stepped::Moved
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one step")]
    pub fn remember(
        &mut self,
        at: At<'_>,
        world: &mut World,
        id: u32,
        automaton: usize,
        state: u32,
        letter: &Letter<'_>,
        by_deadline: bool,
    ) {
        let members = &mut self.members[at.context];
        let chain = members.history(id, automaton);
        let chain = world.remember(chain, letter, by_deadline, state);
        members.set_history(id, automaton, chain);
    }

    /// Records that an automaton leaves its state.
    #[allow(clippy::too_many_arguments, reason = "the parts of one step")]
    fn tell_move(
        &self,
        at: At<'_>,
        world: &mut World,
        id: u32,
        automaton: usize,
        to: Option<u32>,
        letter: &Letter<'_>,
        by_deadline: bool,
    ) {
        let from = self.members[at.context].state(id, automaton);
        let binding = self.shown_binding(at, world, id);
        world.tell_move(at.unit(automaton).property, from, to, binding, letter, by_deadline);
    }

    pub fn shown_binding(&self, at: At<'_>, world: &World, id: u32) -> Vec<(Arc<str>, Value)> {
        let params = at.plan.model.params(at.id(self));
        let shown = at.plan.contexts[at.id(self).index()].shown_at();
        params
            .iter()
            .zip(&self.members[at.context].store.words(id)[shown..])
            .filter(|(_, word)| word.is_set())
            .map(|((_, param), word)| (Arc::from(param.name.as_str()), world.heap.to_value(*word)))
            .collect()
    }

    /// Fires a timer, unless it is outdated. The present time becomes that of the timer.
    pub fn fire(&mut self, at: At<'_>, world: &mut World, due: Due) {
        match due.what {
            What::Deadline(automaton) => self.fire_deadline(at, world, due.id, automaton as usize),
            What::Alarm(_, event) => {
                if let Some(alarms) = self.members[at.context].alarms_mut(due.id) {
                    alarms.retain(|a| a.timer != due.timer);
                }
                self.fire_alarm(at, world, due.id, event);
            }
        }
    }

    /// Whether a timer in the queue is still valid.
    pub fn is_running(&self, due: &Due) -> bool {
        let members = &self.members[due.context as usize];
        if due.id as usize >= members.store.slots() || !members.store.head(due.id).live {
            return false;
        }
        match due.what {
            What::Deadline(automaton) => members.deadline(due.id, automaton as usize) == due.timer,
            What::Alarm(..) => members.alarms(due.id).iter().any(|a| a.timer == due.timer),
        }
    }

    fn fire_deadline(&mut self, at: At<'_>, world: &mut World, id: u32, automaton: usize) {
        let unit = at.unit(automaton);
        let state = self.members[at.context].state(id, automaton);
        self.members[at.context].set_deadline(id, automaton, Timer::NONE);
        let Some(row) = unit.deadlines.get(state as usize).copied().flatten() else { return };
        world.stats[unit.property.index()].visited += 1;
        let target = self.with_frame(at, world, id, unit, &[], |program, frame, _, heap| {
            clear_locals(program, frame);
            run_branch(program, row.branch, frame, heap)
        });
        let Ok(target) = target else {
            return self.lose(at, world, id);
        };
        self.scatter(at, id);
        let letter = world.timer_letter();
        let taken = Taken { step: NONE, branch: row.branch, target };
        if self.carry_out(at, world, id, automaton, taken, &letter, true) == Stepped::Ended {
            self.after_end(at, world, id);
        }
    }

    /// An alarm is delivered to the clock's own instance and to the instances inside it.
    fn fire_alarm(&mut self, at: At<'_>, world: &mut World, id: u32, event: EventId) {
        let mut inside = Vec::new();
        self.collect_inside(at, id, &mut inside);
        inside.sort_unstable();
        let letter = Letter { event, ..world.timer_letter() };
        for (context, seq, id) in inside {
            let here = at.to(context);
            for automaton in 0..self.members[context].automata {
                self.step_if_observed(here, world, id, seq, automaton, &letter);
            }
        }
    }

    /// The instance and all instances inside it: context, creation order, record.
    fn collect_inside(&self, at: At<'_>, id: u32, found: &mut Vec<(usize, u64, u32)>) {
        let store = &self.members[at.context].store;
        found.push((at.context, store.head(id).seq, id));
        let Some(plan) = at.larva().get(at.context) else { return };
        for inner in &plan.inner {
            let by_parent = at.larva()[*inner].storage.by_parent;
            let mut children = Vec::new();
            let key = store.words(id);
            // The key has the length of the outer parameters, which is all that the index reads.
            self.members[*inner].store.each(0, by_parent, key, |child| children.push(child));
            for child in children {
                self.collect_inside(at.to(*inner), child, found);
            }
        }
    }

    /// Steps an automaton that still exists, if its property observes the event.
    pub fn step_if_observed(
        &mut self,
        at: At<'_>,
        world: &mut World,
        id: u32,
        seq: u64,
        automaton: usize,
        letter: &Letter<'_>,
    ) {
        let members = &self.members[at.context];
        if !members.store.is(id, seq) || members.state(id, automaton) == ENDED {
            return;
        }
        let Some(kind) = world.observed(at.unit(automaton), letter) else { return };
        if self.step(at, world, id, automaton, kind, letter) == Stepped::Ended {
            self.after_end(at, world, id);
        }
    }

    /// Called after an automaton ended. An instance whose automata have all ended is removed with
    /// everything inside it. The instance without bindings is reset instead, except with rule
    /// `larva`.
    pub fn after_end(&mut self, at: At<'_>, world: &mut World, id: u32) {
        if !self.members[at.context].all_ended(id) {
            return;
        }
        let Shape::Larva(plans) = at.shape else {
            let words = self.members[0].store.words(id);
            let params = at.plan.contexts[self.root.index()].params;
            if words[..params].iter().any(|w| w.is_set()) {
                self.members[0].remove(world, id);
            } else {
                self.reset(at, world, id);
            }
            return;
        };
        let mut inside = Vec::new();
        self.collect_inside(at, id, &mut inside);
        let length = at.plan.contexts[at.id(self).index()].vars_at();
        let binding = self.members[at.context].store.words(id)[..length].to_vec();
        for (context, _, id) in inside {
            self.members[context].remove(world, id);
        }
        let own = plans[at.context].context;
        if at.plan.model.contexts[own.index()].params.is_empty() {
            // A context without parameters always exists.
            self.create_with_inner(at, world, &binding);
        }
    }

    /// Creates a `larva` instance, and those of the inner contexts without parameters.
    pub fn create_with_inner(&mut self, at: At<'_>, world: &mut World, binding: &[Word]) -> u32 {
        let id = self.create(at, world, 0, binding, true);
        for inner in &at.larva()[at.context].inner {
            // The context has no parameters of its own, so the binding has the same layout.
            let context = at.larva()[*inner].context;
            if at.plan.model.contexts[context.index()].params.is_empty() {
                self.create_with_inner(at.to(*inner), world, binding);
            }
        }
        id
    }

    /// Reports the automata of an instance that are in a pending state.
    pub fn report_pending(&mut self, at: At<'_>, world: &mut World, id: u32, cause: Cause) {
        for automaton in 0..self.members[at.context].automata {
            let unit = at.unit(automaton);
            let state = self.members[at.context].state(id, automaton);
            if state == ENDED || unit.state_kinds[state as usize] != StateKind::Pending {
                continue;
            }
            let plan = at.plan;
            let text = self.with_frame(at, world, id, unit, &[], |program, frame, _, heap| {
                clear_locals(program, frame);
                message(plan, unit, program, state, None, "ended in", frame, heap)
            });
            let binding = self.shown_binding(at, world, id);
            let (index, time) = (world.index, world.time());
            let history = self.members[at.context].history(id, automaton);
            let kind = ReportKind::Violation;
            world.report(unit, kind, cause, index, time, binding, state, text, history);
        }
    }
}

/// Computes the effect of events on the members of partitions that they look up by some of their
/// parameters.
fn classify(store: &mut Store, unit: &Unit, slices: &Slices, world: &World) {
    for (partition, of_partition) in slices.partitions.iter().enumerate() {
        for index in 1..of_partition.indexes.len() {
            let lookup = Lookup { partition, index };
            let looks: Vec<u32> = (0..)
                .zip(&slices.routes)
                .filter(|(_, routes)| routes.iter().any(|r| r.steps.contains(&lookup)))
                .map(|(kind, _)| kind)
                .collect();
            // A mutant: in one of the states, the event has no effect.
            let does = |state, kind: u32| {
                let starts = slices.enabling.as_ref().is_some_and(|e| e.starters[kind as usize]);
                (starts || unit.action(state, kind) != Action::Skip)
                    && !(world.mutant(29) && state == 1)
            };
            let classes = Classes::new(unit.lost as usize, unit.kinds.len(), &looks, does);
            if let Some(classes) = classes {
                store.classify(partition, index, classes);
            }
        }
    }
}

/// The word as which a parameter is stored and compared; `None` if it is null, a NaN, or has no
/// key.
pub(crate) fn parameter(
    context: &ContextUnit,
    id: ContextId,
    world: &mut World,
    param: u32,
    word: Word,
) -> Option<Word> {
    let key = context.keys[param as usize];
    if key == NONE {
        if world.mutant(4) && word.key().is_none() {
            return Some(word);
        }
        return world.heap.parameter(word);
    }
    let program = context.tables.program(&world.context_constants[id.index()]);
    let args = [word];
    let mut frame = Frame {
        params: &[],
        vars: &mut [],
        registers: &mut [],
        args: &args,
        stack: &mut world.stack,
    };
    clear_locals(&program, &mut frame);
    let value = run(&program, key, &mut frame, &mut world.heap, &mut { BUDGET }).ok();
    world.heap.pending.clear();
    let value = value.filter(|w| !w.is_null())?;
    world.heap.parameter(value)
}

/// A mutant: a guard that is false counts as not relevant.
pub(crate) fn else_ignored(
    program: &Program<'_>,
    state: u32,
    kind: u32,
    arity: u32,
    frame: &mut Frame<'_>,
    saved: &mut [Word],
    heap: &mut super::heap::Heap,
) -> (Tried, u32) {
    for &number in moves(program, state, kind) {
        let then = program.moves[number as usize].then;
        if let Tried::Taken(taken) = try_move(program, number, kind, arity, frame, saved, heap)
            && taken.branch == then
        {
            return (Tried::Taken(taken), 0);
        }
    }
    (Tried::No, 0)
}
