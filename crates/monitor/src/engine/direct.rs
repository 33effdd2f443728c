//! One parameter, no timers: most protocols of one object.
//!
//! The rules are those of `sliced`, for the shape the plan found: every event is placed by the
//! parameter, and ⊥ never changes, so that an instance that is not in the table is in the start
//! state, with the initial values of the variables (see `shape` in `watchword_plan`), and one that
//! returns there leaves the table. With creation events, one that is not in the table has not
//! begun, and one that has begun stays.

use std::sync::Arc;

use watchword_model::{EventId, PropertyId, StateKind};
use watchword_plan::{Action, Plan, Shape, Unit};
use watchword_step::{Frame, NONE, Tag, Target, Tried, Word, step};

use super::cells::{Cells, Found};
use super::heap::Heap;
use super::history::{EMPTY as NO_CHAIN, History};
use super::save::{Reader, Restored, Writer, wrong};
use super::short;
use super::store::is_plain;
use super::world::{Letter, World, clear_locals, initial_value, message};
use crate::{Cause, ReportKind};

#[derive(Clone, Debug)]
pub(crate) struct Direct {
    property: PropertyId,
    cells: Cells,
    /// By kind of event: the argument that is the parameter.
    args: Vec<u32>,
    /// By kind of event: the arguments whose value ends its life.
    ends: Vec<Vec<u32>>,
    has_creation: bool,
    /// The variables of an instance that is not in the table.
    initial: Vec<Word>,
    /// The same, but while such an instance is being stepped.
    fresh: Vec<Word>,
}

impl Direct {
    /// The table for a property, if it has that shape and the options ask for nothing more.
    pub fn new(plan: &Plan, shape: &Shape, world: &mut World) -> Option<Direct> {
        let Shape::ChenRosu(property, slices) = shape else { return None };
        let unit = &plan.units[property.index()];
        let context = &plan.contexts[unit.context.index()];
        let options = &world.options;
        let fits = slices.forget
            && context.params == 1
            && !context.is_keyed
            && context.windows == 0
            && unit.deadlines.iter().all(Option::is_none)
            && unit.state_kinds.len() < usize::from(u16::MAX)
            && !options.moves
            && !options.sensitive
            && options.max_instances.is_none()
            && options.max_memory.is_none();
        // The start state is entered without an action, and its entry cannot be observed.
        let entry = unit.tables.states[unit.start as usize].entry;
        if !fits || entry != NONE {
            return None;
        }
        let mut args = Vec::new();
        let mut ends = Vec::new();
        for (kind, routes) in unit.kinds.iter().zip(&slices.routes) {
            let [route] = &routes[..] else { return None };
            let [(0, arg)] = route.pairs[..] else { return None };
            args.push(arg);
            let ending = &plan.model.contexts[unit.context.index()].ends;
            ends.push(ending.iter().filter(|e| e.event == kind.event).map(|e| e.arg).collect());
        }
        let initial = initial_values(plan, unit, world);
        Some(Direct {
            property: *property,
            cells: Cells::new(initial.len()),
            args,
            ends,
            has_creation: unit.has_creation,
            fresh: initial.clone(),
            initial,
        })
    }

    /// Removes an instance, and lets go of its history.
    fn remove(&mut self, world: &mut World, at: usize) {
        world.history.release(self.cells.chain(at));
        self.cells.remove(at);
    }

    /// Whether there are so many that they are not near as they are.
    pub fn is_large(&self) -> bool {
        self.cells.is_large()
    }

    /// Where an event is going to look first.
    #[inline]
    pub fn place(&self, plan: &Plan, event: EventId, args: &[Word]) -> Option<usize> {
        let kind = plan.units[self.property.index()].kind_of[event.index()];
        let arg = self.args.get(kind as usize).and_then(|arg| args.get(*arg as usize));
        arg.map(|word| self.cells.home(*word))
    }

    /// Has the memory of such places fetched.
    #[inline]
    pub fn fetch(&self, places: &[usize], history: &History) {
        self.cells.fetch(places, history);
    }

    /// An event.
    #[inline(never)]
    pub fn step(&mut self, plan: &Plan, world: &mut World, letter: &Letter<'_>) {
        let unit = &plan.units[self.property.index()];
        let Some(kind) = world.observed(unit, letter) else { return };
        let row = &unit.kinds[kind as usize];
        let word = letter.arg(self.args[kind as usize]);
        let found = is_plain(word).then(|| self.cells.find(word));
        if !found.is_some_and(|found| self.step_quickly(unit, world, kind, found, letter.args)) {
            self.step_slowly(plan, unit, world, kind, found, letter);
        }
        if row.ends {
            self.end_lives(plan, world, kind, letter);
        }
    }

    /// An event in the usual case, where no histories are kept, which have to know more of it.
    /// Answers `false`, and has done nothing, if the case is another one.
    #[inline]
    pub fn step_unremembered(
        &mut self,
        plan: &Plan,
        world: &mut World,
        event: EventId,
        args: &[Word],
    ) -> bool {
        let unit = &plan.units[self.property.index()];
        let kind = unit.kind_of[event.index()];
        let Some(row) = unit.kinds.get(kind as usize) else { return false };
        let Some(word) = args.get(self.args[kind as usize] as usize) else { return false };
        if row.filter != NONE || row.ends || !is_plain(*word) {
            return false;
        }
        let found = self.cells.find(*word);
        let is_done = self.step_quickly(unit, world, kind, found, args);
        world.stats[self.property.index()].events += u64::from(is_done);
        is_done
    }

    /// The usual case: one that is there changes its state, or counts, or does not. Answers `false`,
    /// and has done nothing, if the case is another one.
    #[inline]
    fn step_quickly(
        &mut self,
        unit: &Unit,
        world: &mut World,
        kind: u32,
        found: Found,
        args: &[Word],
    ) -> bool {
        let Found::At(at) = found else { return false };
        if world.history.is_on() {
            return false;
        }
        let state = self.cells.state(at);
        let to = unit.next(state, kind);
        if to == NONE {
            return self.count(unit, world, kind, at, args);
        }
        // One that returns to the start may have to leave.
        if to == unit.start && to != state {
            return false;
        }
        world.stats[self.property.index()].visited += 1;
        self.cells.set_state(at, to);
        true
    }

    /// The same where integers decide.
    #[inline]
    fn count(
        &mut self,
        unit: &Unit,
        world: &mut World,
        kind: u32,
        at: usize,
        args: &[Word],
    ) -> bool {
        let state = self.cells.state(at);
        let Action::Short(moves) = unit.action(state, kind) else { return false };
        let to = match short::decide(unit, moves, self.cells.vars_mut(at), args) {
            Action::Skip => None,
            Action::Stay => Some(state),
            Action::Go(to) => Some(to),
            Action::Choose(_) | Action::Short(_) | Action::Ask => return false,
        };
        world.stats[self.property.index()].visited += 1;
        if let Some(to) = to {
            self.go(unit, world, Found::At(at), Word::NULL, to, NO_CHAIN);
        }
        true
    }

    /// Removes those whose parameter's value has died with this event.
    #[inline(never)]
    fn end_lives(&mut self, plan: &Plan, world: &mut World, kind: u32, letter: &Letter<'_>) {
        for i in 0..self.ends[kind as usize].len() {
            let arg = self.ends[kind as usize][i];
            if !world.mutant(9)
                && let Some(word) = key(world, letter.arg(arg))
                && let Found::At(at) = self.cells.find(word)
            {
                if !world.mutant(10) {
                    self.report_pending(plan, world, at, Cause::EndOfLife);
                }
                self.remove(world, at);
            }
        }
    }

    /// Any case; `found` if it was looked up.
    #[inline(never)]
    fn step_slowly(
        &mut self,
        plan: &Plan,
        unit: &Unit,
        world: &mut World,
        kind: u32,
        found: Option<Found>,
        letter: &Letter<'_>,
    ) {
        let Some(word) = key(world, letter.arg(self.args[kind as usize])) else { return };
        let mut found = found.unwrap_or_else(|| self.cells.find(word));
        let state = match found {
            Found::At(at) => self.cells.state(at),
            Found::Free(_) => unit.start,
        };
        if self.has_creation && !found.is_there() {
            // A mutant: a slice begins at any event.
            if !unit.kinds[kind as usize].creation && !world.mutant(5) {
                return;
            }
            world.stats[self.property.index()].created += 1;
            let seq = world.next();
            let at = self.cells.insert(word, seq, unit.start, NO_CHAIN, &self.initial);
            found = Found::At(at);
        }
        let action = match unit.action(state, kind) {
            Action::Choose(choices) => world.choose(unit, choices, letter.args),
            Action::Short(moves) => short::decide(
                unit,
                moves,
                vars(&mut self.cells, &mut self.fresh, found),
                letter.args,
            ),
            action => action,
        };
        match action {
            // Of an instance that is not there, nothing is looked at but the plan.
            Action::Skip => {
                world.stats[self.property.index()].visited += u64::from(found.is_there());
            }
            Action::Stay => {
                world.stats[self.property.index()].visited += u64::from(found.is_there());
                self.stay(unit, world, found, word, state, letter);
            }
            Action::Go(to) => {
                world.stats[self.property.index()].visited += 1;
                let chain = self.remember(world, found, to, letter);
                self.go(unit, world, found, word, to, chain);
            }
            Action::Choose(_) | Action::Short(_) | Action::Ask => {
                self.ask(plan, unit, world, kind, found, state, word, letter);
            }
        }
        if !found.is_there() {
            self.fresh.copy_from_slice(&self.initial);
        }
    }

    /// A transition was taken that leads nowhere else.
    #[inline]
    fn stay(
        &mut self,
        unit: &Unit,
        world: &mut World,
        found: Found,
        word: Word,
        state: u32,
        letter: &Letter<'_>,
    ) {
        // One that is as if it had never been there need not be there.
        if found.is_there() || !self.is_initial(found) {
            let chain = self.remember(world, found, state, letter);
            self.go(unit, world, found, word, state, chain);
        }
    }

    /// The history of an instance that goes to a state; it is the caller's to keep.
    #[inline]
    fn remember(&self, world: &mut World, found: Found, to: u32, letter: &Letter<'_>) -> u32 {
        if !world.history.is_on() {
            return NO_CHAIN;
        }
        let chain = match found {
            Found::At(at) => self.cells.chain(at),
            Found::Free(_) => NO_CHAIN,
        };
        world.remember(chain, letter, false, to)
    }

    /// `word` is the value of its parameter, if it does not exist yet.
    #[inline]
    fn go(
        &mut self,
        unit: &Unit,
        world: &mut World,
        found: Found,
        word: Word,
        to: u32,
        chain: u32,
    ) {
        let is_kept = to != unit.start || self.has_creation || !self.is_initial(found);
        match found {
            Found::At(at) => {
                if chain != NO_CHAIN {
                    self.cells.set_chain(at, chain);
                }
                match is_kept {
                    true => self.cells.set_state(at, to),
                    false => self.remove(world, at),
                }
            }
            Found::Free(_) if is_kept => {
                world.stats[self.property.index()].created += 1;
                let seq = world.next();
                self.cells.insert(word, seq, to, chain, &self.fresh);
            }
            Found::Free(_) => world.history.release(chain),
        }
    }

    /// Whether the variables are as at the beginning.
    #[inline]
    fn is_initial(&self, found: Found) -> bool {
        match found {
            Found::At(at) => self.cells.vars(at) == self.initial,
            Found::Free(_) => self.fresh == self.initial,
        }
    }

    /// Lets the machine decide, and reports what it comes to.
    #[inline(never)]
    #[allow(clippy::too_many_arguments, reason = "the parts of one step")]
    fn ask(
        &mut self,
        plan: &Plan,
        unit: &Unit,
        world: &mut World,
        kind: u32,
        found: Found,
        state: u32,
        word: Word,
        letter: &Letter<'_>,
    ) {
        let property = self.property.index();
        world.stats[property].visited += 1;
        // An instance keeps the value it was created with.
        let own = match found {
            Found::At(at) => self.cells.word(at),
            Found::Free(_) => word,
        };
        let vars = vars(&mut self.cells, &mut self.fresh, found);
        let params = [own];
        let program = unit.tables.program(&world.constants[property]);
        let mut frame = Frame {
            params: &params,
            vars,
            registers: &mut [],
            args: letter.args,
            stack: &mut world.stack,
        };
        let arity = letter.args.len() as u32;
        let (saved, heap) = (&mut world.saved, &mut world.heap);
        let (tried, not_relevant) = match world.options.is_mutant(2) {
            true => {
                super::group::else_ignored(&program, state, kind, arity, &mut frame, saved, heap)
            }
            false => step(&program, state, kind, arity, &mut frame, saved, heap),
        };
        if not_relevant > 0 {
            // The frame still holds a part of the world.
            let why = world.heap.why;
            let stats = &mut world.stats[property];
            if let Some(puzzle) =
                stats.count_not_relevant(self.property, world.index, why, u64::from(not_relevant))
            {
                world.puzzles.push(puzzle);
            }
        }
        let taken = match tried {
            Tried::Taken(taken) => taken,
            Tried::Failed => {
                world.count_inconclusive(self.property);
                return self.go(unit, world, found, own, unit.lost, NO_CHAIN);
            }
            Tried::No | Tried::NotRelevant => return,
        };
        let outputs = std::mem::take(&mut world.heap.pending);
        let text = match taken.target {
            Target::State(to) if is_reported(unit, to) => {
                let branch = Some(taken.branch);
                let heap = &mut world.heap;
                message(plan, unit, &program, to, branch, "entered", &mut frame, heap)
            }
            _ => String::new(),
        };
        if !outputs.is_empty() {
            world.heap.pending = outputs;
            world.flush_outputs(plan, self.property);
        }
        let to = match taken.target {
            Target::Stay => return self.stay(unit, world, found, own, state, letter),
            Target::Drop => {
                if let Found::At(at) = found
                    && !world.mutant(7)
                {
                    self.remove(world, at);
                }
                return;
            }
            Target::State(to) => to,
        };
        let kind = match unit.state_kinds[to as usize] {
            StateKind::Bad => Some(ReportKind::Violation),
            StateKind::Good => Some(ReportKind::Satisfaction),
            StateKind::Normal | StateKind::Pending => None,
        };
        let chain = self.remember(world, found, to, letter);
        if let Some(kind) = kind {
            self.report(plan, unit, world, kind, letter.cause, own, to, text, chain);
        }
        self.go(unit, world, found, own, to, chain);
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of a report")]
    fn report(
        &self,
        plan: &Plan,
        unit: &Unit,
        world: &mut World,
        kind: ReportKind,
        cause: Cause,
        word: Word,
        state: u32,
        text: String,
        chain: u32,
    ) {
        let name = plan.model.contexts[unit.context.index()].params[0].name.as_str();
        let binding = vec![(Arc::from(name), world.heap.to_value(word))];
        let (index, time) = (world.index, world.time());
        world.report(unit, kind, cause, index, time, binding, state, text, chain);
    }

    fn report_pending(&self, plan: &Plan, world: &mut World, at: usize, cause: Cause) {
        let unit = &plan.units[self.property.index()];
        let (word, state) = (self.cells.word(at), self.cells.state(at));
        if unit.state_kinds[state as usize] != StateKind::Pending {
            return;
        }
        let params = [word];
        let program = unit.tables.program(&world.constants[self.property.index()]);
        let mut vars = self.cells.vars(at).to_vec();
        let mut frame = Frame {
            params: &params,
            vars: &mut vars,
            registers: &mut [],
            args: &[],
            stack: &mut world.stack,
        };
        clear_locals(&program, &mut frame);
        let heap = &mut world.heap;
        let text = message(plan, unit, &program, state, None, "ended in", &mut frame, heap);
        let (kind, chain) = (ReportKind::Violation, self.cells.chain(at));
        self.report(plan, unit, world, kind, cause, word, state, text, chain);
    }

    /// The end: pending instances are reported, in order of creation.
    pub fn end(&self, plan: &Plan, world: &mut World) {
        let mut all: Vec<(u64, usize)> =
            self.cells.places().map(|at| (self.cells.seq(at), at)).collect();
        all.sort_unstable();
        for (_, at) in all {
            self.report_pending(plan, world, at, Cause::End);
        }
    }

    /// ⊥ counts as an instance, as it does elsewhere.
    pub fn len(&self) -> usize {
        self.cells.len() + 1
    }

    pub fn peak(&self) -> usize {
        self.cells.peak() + 1
    }

    /// The instances: parameter, creation order, state, variables.
    pub fn instances(&self) -> impl Iterator<Item = (Word, u64, u32, &[Word])> + '_ {
        let cells = &self.cells;
        cells.places().map(|at| (cells.word(at), cells.seq(at), cells.state(at), cells.vars(at)))
    }

    /// Marks what is held.
    pub fn mark(&self, heap: &mut Heap) {
        self.initial.iter().for_each(|w| heap.mark(*w));
        for (word, _, _, vars) in self.instances() {
            heap.mark(word);
            vars.iter().for_each(|w| heap.mark(*w));
        }
    }

    /// Where the instance created as number `seq` is.
    fn place_of(&self, seq: u64) -> Option<usize> {
        self.cells.places().find(|at| self.cells.seq(*at) == seq)
    }

    /// Puts the instance created as number `seq` into a state. Answers whether there is one.
    pub fn set_state(&mut self, unit: &Unit, world: &mut World, seq: u64, state: u32) -> bool {
        let Some(at) = self.place_of(seq) else { return false };
        let found = Found::At(at);
        if state == unit.start && !self.has_creation && self.is_initial(found) {
            self.remove(world, at);
        } else {
            self.cells.set_state(at, state);
        }
        true
    }

    /// Gives a variable of the instance created as number `seq` a value. Answers whether there is
    /// one.
    pub fn set_variable(&mut self, seq: u64, variable: usize, word: Word) -> bool {
        let Some(at) = self.place_of(seq) else { return false };
        self.cells.vars_mut(at)[variable] = word;
        true
    }

    /// Takes over an instance that was stepped elsewhere, with its history.
    pub fn adopt(&mut self, world: &mut World, word: Word, state: u32, chain: u32, vars: &[Word]) {
        let seq = world.next();
        match self.cells.find(word) {
            Found::Free(_) => drop(self.cells.insert(word, seq, state, chain, vars)),
            Found::At(_) => world.history.release(chain),
        }
    }

    /// The state of the instance of a parameter, if there is one.
    pub fn state_of(&self, word: Word) -> Option<u32> {
        match self.cells.find(word) {
            Found::At(at) => Some(self.cells.state(at)),
            Found::Free(_) => None,
        }
    }

    /// Removes the instance of a parameter.
    pub fn forget(&mut self, world: &mut World, word: Word) {
        if let Found::At(at) = self.cells.find(word) {
            self.remove(world, at);
        }
    }

    /// Removes the instances for which `goes` returns true, by parameter and state, and returns
    /// their number. Visits all instances.
    pub fn remove_where(
        &mut self,
        world: &mut World,
        mut goes: impl FnMut(Word, u32) -> bool,
    ) -> usize {
        self.cells.retain(|cells, at| {
            let goes = goes(cells.word(at), cells.state(at));
            if goes {
                world.history.release(cells.chain(at));
            }
            !goes
        })
    }

    /// Every instance as bytes.
    pub fn save(&self, out: &mut Writer, heap: &Heap) {
        out.u64(self.cells.len() as u64);
        for (word, seq, state, vars) in self.instances() {
            out.word(word, heap);
            out.u64(seq);
            out.u64(u64::from(state));
            vars.iter().for_each(|w| out.word(*w, heap));
        }
    }

    /// Reads instances back, into a table that is empty.
    pub fn restore(
        &mut self,
        from: &mut Reader<'_>,
        heap: &mut Heap,
        states: usize,
    ) -> Restored<()> {
        for _ in 0..from.len()? {
            let word = from.word(heap)?;
            let word = heap.parameter(word).ok_or(wrong("a parameter has no key"))?;
            let seq = from.u64()?;
            let state = from.len_below(states)? as u32;
            if word.is_null() || seq == 0 || seq >> 44 != 0 {
                return Err(wrong("an instance has no parameter or no number"));
            }
            let vars =
                self.initial.iter().map(|_| from.word(heap)).collect::<Restored<Vec<_>>>()?;
            self.cells.insert(word, seq, state, NO_CHAIN, &vars);
        }
        Ok(())
    }
}

/// The variables of an instance that nothing has happened to.
fn initial_values(plan: &Plan, unit: &Unit, world: &mut World) -> Vec<Word> {
    let context = &plan.contexts[unit.context.index()];
    let mut values = vec![Word::NULL; context.inits.len()];
    for (i, (code, kind)) in context.inits.iter().enumerate() {
        let program = context.tables.program(&world.context_constants[unit.context.index()]);
        let mut frame = Frame {
            params: &[Word::UNSET],
            vars: &mut values.clone(),
            registers: &mut [],
            args: &[],
            stack: &mut world.stack,
        };
        values[i] = initial_value(&program, (*code, *kind), &mut frame, &mut world.heap);
    }
    values
}

/// The parameter an argument is; `None` if it is null or a NaN.
fn key(world: &mut World, word: Word) -> Option<Word> {
    match word.tag {
        _ if is_plain(word) => Some(word),
        Tag::Null | Tag::Unset => world.mutant(1).then_some(word),
        Tag::Float if world.mutant(4) => Some(word),
        _ => world.heap.parameter(word),
    }
}

/// The variables of an instance.
#[inline]
fn vars<'v>(cells: &'v mut Cells, fresh: &'v mut [Word], found: Found) -> &'v mut [Word] {
    match found {
        Found::At(at) => cells.vars_mut(at),
        Found::Free(_) => fresh,
    }
}

/// Whether entering a state is reported.
fn is_reported(unit: &Unit, state: u32) -> bool {
    matches!(unit.state_kinds[state as usize], StateKind::Bad | StateKind::Good)
}
