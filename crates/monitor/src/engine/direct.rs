//! One parameter, no variables, no timers: most protocols of one object.
//!
//! Key and state lie side by side in one open-addressing table, so that an event costs one access
//! to memory. The rules are those of `sliced`, for the shape the plan found: every event is placed
//! by the parameter, and ⊥ never changes, so that an instance that is not in the table is in the
//! start state (see `shape` in `watchword_plan`), and one that returns there leaves the table. With
//! creation events, one that is not in the table has not begun, and one that has begun stays.

use std::sync::Arc;

use watchword_model::{PropertyId, StateKind};
use watchword_plan::{Action, Plan, Shape, Unit};
use watchword_step::{Frame, Tag, Target, Word, step};

use super::Options;
use super::heap::Heap;
use super::history::EMPTY as NO_CHAIN;
use super::save::{Reader, Restored, Writer, wrong};
use super::store::{hash_words, index_key};
use super::world::{Letter, World, clear_locals, message};
use crate::{Cause, ReportKind};

/// What only some tables need of an instance.
#[derive(Clone, Copy, Debug)]
struct Extra {
    /// The class of the object it is about: [`Word::aux`].
    class: u32,
    /// Its history.
    chain: u32,
}

const NO_EXTRA: Extra = Extra { class: 0, chain: NO_CHAIN };

/// An instance in 16 bytes: what its parameter is, and, packed, creation order (44 bits), state
/// (16) and tag (4). All zero is an empty place; creation order begins at 1.
#[derive(Clone, Copy, Debug)]
struct Slot {
    bits: u64,
    meta: u64,
}

const EMPTY: Slot = Slot { bits: 0, meta: 0 };
const STATE: u64 = 0xffff << 4;

impl Slot {
    fn new(word: Word, seq: u64, state: u32) -> Slot {
        Slot { bits: word.bits, meta: seq << 20 | u64::from(state) << 4 | word.tag as u64 }
    }

    fn is_empty(self) -> bool {
        self.meta == 0
    }

    fn seq(self) -> u64 {
        self.meta >> 20
    }

    fn state(self) -> u32 {
        ((self.meta & STATE) >> 4) as u32
    }

    /// The parameter, but for the class of an object.
    fn word(self) -> Word {
        Word { bits: self.bits, aux: 0, tag: Tag::ALL[(self.meta & 0xf) as usize % Tag::ALL.len()] }
    }

    fn is(self, word: Word) -> bool {
        self.bits == word.bits && self.meta & 0xf == word.tag as u64
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Direct {
    property: PropertyId,
    slots: Vec<Slot>,
    /// As long as `slots`, or empty as long as no object has a class and no history is kept.
    extras: Vec<Extra>,
    len: usize,
    peak: usize,
    /// By kind of event: the argument that is the parameter.
    args: Vec<u32>,
    /// By kind of event: the arguments whose value ends its life.
    ends: Vec<Vec<u32>>,
    has_creation: bool,
}

/// Where a key is, or would be.
#[derive(Clone, Copy)]
enum Found {
    At(usize),
    Free(usize),
}

impl Direct {
    /// The table for a property, if it has that shape and the options ask for nothing more.
    pub fn new(plan: &Plan, shape: &Shape, options: &Options) -> Option<Direct> {
        let Shape::ChenRosu(property, slices) = shape else { return None };
        let unit = &plan.units[property.index()];
        let context = &plan.contexts[unit.context.index()];
        let fits = slices.forget
            && context.params == 1
            && !context.is_keyed
            && context.vars == 0
            && unit.deadlines.iter().all(Option::is_none)
            && unit.state_kinds.len() < usize::from(u16::MAX)
            && !options.moves
            && !options.sensitive
            && options.max_instances.is_none();
        // The start state is entered without an action, and seen by nobody.
        let entry = unit.tables.states[unit.start as usize].entry;
        if !fits || entry != watchword_step::NONE {
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
        Some(Direct {
            property: *property,
            slots: vec![EMPTY; 16],
            extras: Vec::new(),
            len: 0,
            peak: 0,
            args,
            ends,
            has_creation: unit.has_creation,
        })
    }

    #[inline]
    fn find(&self, word: Word) -> Found {
        let mask = self.slots.len() - 1;
        let mut at = hash_words(&[word], 1) as usize & mask;
        let key = index_key(word);
        let is_number = matches!(word.tag, Tag::Int | Tag::Float);
        loop {
            let slot = self.slots[at];
            if slot.is_empty() {
                return Found::Free(at);
            }
            // Numbers of both kinds may be the same; other kinds are the same if they look it.
            if slot.is(word) || is_number && index_key(slot.word()) == key {
                return Found::At(at);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds an instance that is not there. Answers where it is.
    fn insert(&mut self, word: Word, seq: u64, state: u32, chain: u32) -> usize {
        if (self.len + 1) * 5 > self.slots.len() * 4 {
            self.resize(self.slots.len() * 2);
        }
        if (word.aux != 0 || chain != NO_CHAIN) && self.extras.is_empty() {
            self.extras = vec![NO_EXTRA; self.slots.len()];
        }
        match self.find(word) {
            Found::At(at) => at,
            Found::Free(at) => {
                self.put(at, Slot::new(word, seq, state), Extra { class: word.aux, chain });
                self.len += 1;
                self.peak = self.peak.max(self.len);
                at
            }
        }
    }

    #[inline]
    fn put(&mut self, at: usize, slot: Slot, extra: Extra) {
        self.slots[at] = slot;
        if let Some(place) = self.extras.get_mut(at) {
            *place = extra;
        }
    }

    #[inline]
    fn extra(&self, at: usize) -> Extra {
        self.extras.get(at).copied().unwrap_or(NO_EXTRA)
    }

    /// The parameter at a place.
    fn word(&self, at: usize) -> Word {
        Word { aux: self.extra(at).class, ..self.slots[at].word() }
    }

    /// Gives the instance at a place another history.
    fn set_chain(&mut self, at: usize, chain: u32) {
        if self.extras.is_empty() && chain != NO_CHAIN {
            self.extras = vec![NO_EXTRA; self.slots.len()];
        }
        if let Some(extra) = self.extras.get_mut(at) {
            extra.chain = chain;
        }
    }

    fn resize(&mut self, size: usize) {
        let slots = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        let extras = std::mem::take(&mut self.extras);
        if !extras.is_empty() {
            self.extras = vec![NO_EXTRA; size];
        }
        for (at, slot) in slots.into_iter().enumerate().filter(|(_, s)| !s.is_empty()) {
            if let Found::Free(to) = self.find(slot.word()) {
                self.put(to, slot, extras.get(at).copied().unwrap_or(NO_EXTRA));
            }
        }
    }

    /// Removes an instance and moves back those that had been pushed past it.
    fn remove(&mut self, world: &mut World, mut hole: usize) {
        world.history.release(self.extra(hole).chain);
        let mask = self.slots.len() - 1;
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let slot = self.slots[at];
            if slot.is_empty() {
                break;
            }
            let home = hash_words(&[slot.word()], 1) as usize & mask;
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.put(hole, slot, self.extra(at));
                hole = at;
            }
        }
        self.put(hole, EMPTY, NO_EXTRA);
        self.len -= 1;
        if self.slots.len() > 1024 && self.len * 8 < self.slots.len() {
            self.resize(self.slots.len() / 4);
        }
    }

    /// An event.
    #[inline]
    pub fn step(&mut self, plan: &Plan, world: &mut World, letter: &Letter<'_>) {
        let unit = &plan.units[self.property.index()];
        let Some(kind) = world.observed(unit, letter) else { return };
        if let Some(word) = self.key(world, letter.arg(self.args[kind as usize])) {
            self.step_one(plan, unit, world, kind, word, letter);
        }
        for i in 0..self.ends[kind as usize].len() {
            let arg = self.ends[kind as usize][i];
            if !world.mutant(9)
                && let Some(word) = self.key(world, letter.arg(arg))
                && let Found::At(at) = self.find(word)
            {
                if !world.mutant(10) {
                    self.report_pending(plan, world, at, Cause::EndOfLife);
                }
                self.remove(world, at);
            }
        }
    }

    /// The parameter an argument is; `None` if it is null or a NaN.
    #[inline]
    fn key(&self, world: &mut World, word: Word) -> Option<Word> {
        match word.tag {
            Tag::Int | Tag::Str | Tag::Ref | Tag::Ptr | Tag::Bool => Some(word),
            Tag::Null | Tag::Unset => world.mutant(1).then_some(word),
            Tag::Float if world.mutant(4) => Some(word),
            Tag::Float | Tag::List | Tag::Map => world.heap.parameter(word),
        }
    }

    #[inline]
    fn step_one(
        &mut self,
        plan: &Plan,
        unit: &Unit,
        world: &mut World,
        kind: u32,
        word: Word,
        letter: &Letter<'_>,
    ) {
        let mut found = self.find(word);
        let state = match found {
            Found::At(at) => self.slots[at].state(),
            Found::Free(_) => unit.start,
        };
        if self.has_creation && matches!(found, Found::Free(_)) {
            // A mutant: a slice begins at any event.
            if !unit.kinds[kind as usize].creation && !world.mutant(5) {
                return;
            }
            world.stats[self.property.index()].created += 1;
            let seq = world.next();
            found = Found::At(self.insert(word, seq, unit.start, NO_CHAIN));
        }
        let mut action = unit.action(state, kind);
        if let Action::Choose(choices) = action {
            action = world.choose(unit, choices, letter.args);
        }
        match action {
            // Of an instance that is not there, nothing is looked at but the plan.
            Action::Skip => {
                let visited = u64::from(matches!(found, Found::At(_)));
                world.stats[self.property.index()].visited += visited;
            }
            Action::Stay => {
                let visited = u64::from(matches!(found, Found::At(_)));
                world.stats[self.property.index()].visited += visited;
                self.stay(world, found, state, letter);
            }
            Action::Go(to) => {
                world.stats[self.property.index()].visited += 1;
                let chain = self.remember(world, found, to, letter);
                self.go(unit, world, found, word, to, chain);
            }
            Action::Choose(_) | Action::Ask => {
                self.ask(plan, unit, world, kind, found, state, word, letter)
            }
        }
    }

    /// A transition was taken that leads nowhere else.
    #[inline]
    fn stay(&mut self, world: &mut World, found: Found, state: u32, letter: &Letter<'_>) {
        if world.history.is_on()
            && let Found::At(at) = found
        {
            let chain = world.remember(self.extra(at).chain, letter, false, state);
            self.set_chain(at, chain);
        }
    }

    /// The history of an instance that goes to a state; it is the caller's to keep.
    #[inline]
    fn remember(&self, world: &mut World, found: Found, to: u32, letter: &Letter<'_>) -> u32 {
        if !world.history.is_on() {
            return NO_CHAIN;
        }
        let chain = match found {
            Found::At(at) => self.extra(at).chain,
            Found::Free(_) => NO_CHAIN,
        };
        world.remember(chain, letter, false, to)
    }

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
        let is_kept = to != unit.start || self.has_creation;
        match found {
            Found::At(at) => {
                self.set_chain(at, chain);
                match is_kept {
                    true => {
                        let meta = &mut self.slots[at].meta;
                        *meta = *meta & !STATE | u64::from(to) << 4;
                    }
                    false => self.remove(world, at),
                }
            }
            Found::Free(_) if is_kept => {
                world.stats[self.property.index()].created += 1;
                let seq = world.next();
                self.insert(word, seq, to, chain);
            }
            Found::Free(_) => world.history.release(chain),
        }
    }

    /// Lets the machine decide, and reports what it comes to.
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
            Found::At(at) => self.word(at),
            Found::Free(_) => word,
        };
        let params = [own];
        let program = unit.tables.program(&world.constants[property]);
        let mut frame = Frame {
            params: &params,
            vars: &mut [],
            registers: &mut [],
            args: letter.args,
            stack: &mut world.stack,
        };
        let arity = letter.args.len() as u32;
        let (saved, heap) = (&mut world.saved, &mut world.heap);
        let (taken, not_relevant) = match world.options.is_mutant(2) {
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
        let Some(taken) = taken else { return };
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
            Target::Stay => return self.stay(world, found, state, letter),
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
        let (word, state) = (self.word(at), self.slots[at].state());
        if unit.state_kinds[state as usize] != StateKind::Pending {
            return;
        }
        let params = [word];
        let program = unit.tables.program(&world.constants[self.property.index()]);
        let mut frame = Frame {
            params: &params,
            vars: &mut [],
            registers: &mut [],
            args: &[],
            stack: &mut world.stack,
        };
        clear_locals(&program, &mut frame);
        let heap = &mut world.heap;
        let text = message(plan, unit, &program, state, None, "ended in", &mut frame, heap);
        let (kind, chain) = (ReportKind::Violation, self.extra(at).chain);
        self.report(plan, unit, world, kind, cause, word, state, text, chain);
    }

    /// The end: who is pending is reported, in order of creation.
    pub fn end(&self, plan: &Plan, world: &mut World) {
        let mut all: Vec<(u64, usize)> = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, s)| !s.is_empty())
            .map(|(at, s)| (s.seq(), at))
            .collect();
        all.sort_unstable();
        for (_, at) in all {
            self.report_pending(plan, world, at, Cause::End);
        }
    }

    /// ⊥ counts as an instance, as it does elsewhere.
    pub fn len(&self) -> usize {
        self.len + 1
    }

    pub fn peak(&self) -> usize {
        self.peak + 1
    }

    /// The instances: parameter, creation order, state.
    pub fn instances(&self) -> impl Iterator<Item = (Word, u64, u32)> + '_ {
        (0..self.slots.len())
            .filter(|at| !self.slots[*at].is_empty())
            .map(|at| (self.word(at), self.slots[at].seq(), self.slots[at].state()))
    }

    /// Puts the instance created as number `seq` into a state. Answers whether there is one.
    pub fn set_state(&mut self, unit: &Unit, world: &mut World, seq: u64, state: u32) -> bool {
        let is = |s: &Slot| !s.is_empty() && s.seq() == seq;
        let Some(at) = self.slots.iter().position(is) else { return false };
        if state == unit.start && !self.has_creation {
            self.remove(world, at);
        } else {
            let meta = &mut self.slots[at].meta;
            *meta = *meta & !STATE | u64::from(state) << 4;
        }
        true
    }

    /// The state of the instance of a parameter, if there is one.
    pub fn state_of(&self, word: Word) -> Option<u32> {
        match self.find(word) {
            Found::At(at) => Some(self.slots[at].state()),
            Found::Free(_) => None,
        }
    }

    /// Removes the instance of a parameter.
    pub fn forget(&mut self, world: &mut World, word: Word) {
        if let Found::At(at) = self.find(word) {
            self.remove(world, at);
        }
    }

    /// Removes whom `goes` says, by parameter and state. Answers how many went. Looks at everybody.
    pub fn remove_where(
        &mut self,
        world: &mut World,
        mut goes: impl FnMut(Word, u32) -> bool,
    ) -> usize {
        let mut stay: Vec<(Slot, Extra)> = Vec::new();
        for at in 0..self.slots.len() {
            let slot = self.slots[at];
            if slot.is_empty() {
                continue;
            }
            let extra = self.extra(at);
            match goes(slot.word(), slot.state()) {
                true => world.history.release(extra.chain),
                false => stay.push((slot, extra)),
            }
        }
        let gone = self.len - stay.len();
        if gone == 0 {
            return 0;
        }
        let size = match self.slots.len() > 1024 && stay.len() * 32 < self.slots.len() {
            true => self.slots.len() / 4,
            false => self.slots.len(),
        };
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        if !self.extras.is_empty() {
            self.extras.clear();
            self.extras.resize(size, NO_EXTRA);
        }
        self.len = stay.len();
        for (slot, extra) in stay {
            if let Found::Free(at) = self.find(slot.word()) {
                self.put(at, slot, extra);
            }
        }
        gone
    }

    /// Every instance as bytes.
    pub fn save(&self, out: &mut Writer, heap: &Heap) {
        out.u64(self.len as u64);
        for (word, seq, state) in self.instances() {
            out.word(word, heap);
            out.u64(seq);
            out.u64(u64::from(state));
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
            self.insert(word, seq, state, NO_CHAIN);
        }
        Ok(())
    }

    /// Keeps those whose parameter `keep` says.
    pub fn retain(&mut self, world: &mut World, keep: impl Fn(Word) -> bool) {
        let slots = std::mem::replace(&mut self.slots, vec![EMPTY; 16]);
        let extras = std::mem::take(&mut self.extras);
        self.len = 0;
        for (at, slot) in slots.into_iter().enumerate().filter(|(_, s)| !s.is_empty()) {
            let Extra { class, chain } = extras.get(at).copied().unwrap_or(NO_EXTRA);
            let word = Word { aux: class, ..slot.word() };
            match keep(word) {
                true => {
                    self.insert(word, slot.seq(), slot.state(), chain);
                }
                false => world.history.release(chain),
            }
        }
    }
}

/// Whether entering a state is reported.
fn is_reported(unit: &Unit, state: u32) -> bool {
    matches!(unit.state_kinds[state as usize], StateKind::Bad | StateKind::Good)
}
