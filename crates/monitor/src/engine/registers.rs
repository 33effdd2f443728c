//! Register properties: a set of configurations, all enabled transitions fire.
//!
//! Most configurations *sit*: they wait at the last letter for one that concerns them. They are
//! stored by state and found by the registers that labels compare; the letters in between are
//! skipped without being touched. One that matched the beginning of a longer transition *waits*
//! with the moves that are still open; it lies a few letters back, at most as many as the longest
//! transition has labels, so that many letters are kept. As long as letters alone decide, all of a
//! state wait together and are not touched: see `together`.
//!
//! Equal configurations at one position are one, also if the first has left already: so those
//! that left are remembered as long as a configuration can still arrive at their position.

mod departed;
mod together;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use watchword_model::{EventId, PropertyId, Spot, StateKind, Time, Value};
use watchword_plan::{Configurations, Key, Plan, Unit};
use watchword_step::{
    BUDGET, Frame, Matched, NONE, NotRelevant, Place, Tag, Target, Word, bind, coerce, match_label,
    run, run_branch, same,
};

use self::departed::{Departed, Departures};
use self::together::Group;
use super::heap::Heap;
use super::history::EMPTY;
use super::limit::{Limit, Verdict};
use super::save::{Reader, Restored, Writer, wrong};
use super::store::{Mixed, Store, hash_on, hash_start, index_key};
use super::world::{Due, Letter, Timer, What, World, ask, clear_locals, message};
use crate::{Cause, ReportKind};

/// A letter that transitions may still have to be matched with.
#[derive(Clone, Debug)]
struct Kept {
    kind: u32,
    args: Vec<Word>,
    index: u64,
    cause: Cause,
    time: Time,
    event: EventId,
    thread: Option<u64>,
    location: Option<Spot>,
    /// Its record, if histories are kept and a configuration took it.
    record: u32,
}

impl Kept {
    fn empty() -> Kept {
        Kept {
            kind: NONE,
            args: Vec::new(),
            index: 0,
            cause: Cause::Event,
            time: 0,
            event: EventId::END,
            thread: None,
            location: None,
            record: EMPTY,
        }
    }

    fn letter(&self) -> Letter<'_> {
        Letter {
            event: self.event,
            args: &self.args,
            index: self.index,
            cause: self.cause,
            time: self.time,
            thread: self.thread,
            location: self.location.as_ref().map(Spot::place),
            held: None,
        }
    }
}

/// A configuration by itself.
#[derive(Clone, Debug)]
struct Configuration {
    state: u32,
    registers: Vec<Word>,
    deadline: Timer,
    history: u32,
    /// How many letters lie behind it.
    position: u64,
    /// Whether it is counted among those that were made: one that moves on is the same one.
    counted: bool,
}

/// The causes of letters, by the number they are saved as.
const CAUSES: [Cause; 5] =
    [Cause::Event, Cause::Channel, Cause::Time, Cause::EndOfLife, Cause::End];

fn cause_number(cause: Cause) -> u8 {
    CAUSES.iter().position(|c| *c == cause).unwrap_or(0) as u8
}

impl Configuration {
    fn save(&self, out: &mut Writer, heap: &Heap) {
        out.u64(u64::from(self.state));
        out.words(&self.registers, heap);
        out.timer(self.deadline);
        out.u64(self.position);
    }

    fn restore(unit: &Unit, world: &mut World, from: &mut Reader<'_>) -> Restored<Configuration> {
        let state = from.len_below(unit.lost as usize)? as u32;
        let mut registers = from.words(&mut world.heap)?;
        registers.iter_mut().for_each(|w| *w = world.heap.canonical(*w));
        if registers.len() != unit.registers.len() {
            return Err(wrong("a configuration has other registers"));
        }
        let deadline = from.timer()?;
        let position = from.u64()?;
        let (history, counted) = (EMPTY, true);
        Ok(Configuration { state, registers, deadline, history, position, counted })
    }
}

/// Where a branch that was taken leads a configuration.
struct Landing {
    registers: Vec<Word>,
    branch: u32,
    target: Target,
    position: u64,
    /// See [`Configuration`].
    counted: bool,
}

/// A configuration that lies back.
#[derive(Clone, Debug)]
struct Waiting {
    configuration: Configuration,
    /// Moves whose outcome is not known yet.
    open: Vec<u32>,
    /// Whether one of the others fired.
    fired: bool,
}

/// What was entered, after how many letters, and when if by a deadline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Entry {
    position: u64,
    state: u32,
    /// What they are compared by; nothing is by its own tag.
    registers: Vec<(Tag, u64)>,
    time: Option<Time>,
    /// Of the report: ways that say different things are told apart.
    message: String,
}

impl Entry {
    fn new(
        world: &mut World,
        position: u64,
        state: u32,
        registers: &[Word],
        time: Option<Time>,
        message: String,
    ) -> Entry {
        let key = |word: &Word| match word.is_set() {
            true => index_key(world.heap.canonical(*word)),
            false => (Tag::Unset, 0),
        };
        Entry { position, state, registers: registers.iter().map(key).collect(), time, message }
    }

    /// The registers, as words that have these keys.
    fn words(&self) -> Vec<Word> {
        let word = |(tag, bits): &(Tag, u64)| Word { bits: *bits, aux: 0, tag: *tag };
        self.registers.iter().map(word).collect()
    }

    fn save(&self, out: &mut Writer, heap: &Heap) {
        out.u64(self.position);
        out.u64(u64::from(self.state));
        out.bool(self.time.is_some());
        out.i64(self.time.unwrap_or(0));
        out.words(&self.words(), heap);
        out.bytes(self.message.as_bytes());
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Registers {
    number: u32,
    property: PropertyId,
    /// Those that sit: by state. Their `begun` is false while an event decides about them.
    store: Store,
    /// How many registers there are. Behind them a record has answers of guards.
    width: usize,
    deadlines: Vec<Timer>,
    histories: Vec<u32>,
    /// Since which position they have been sitting.
    since: Vec<u64>,
    /// By state: since which position the last one there has been sitting.
    newest: Vec<u64>,
    /// Those of the store that lie back together.
    groups: Vec<Group>,
    waiting: Vec<Waiting>,
    /// Those of them whose turn in this round is still to come.
    todo: VecDeque<Waiting>,
    /// How many letters there have been.
    position: u64,
    letters: VecDeque<Kept>,
    departed: Departures,
    /// How many of those that lie back, each by itself, have this hash.
    behind: HashMap<u64, u32, Mixed>,
    /// Entries that were reported and may come about again, as long as a configuration can still arrive
    /// at their position.
    entered: HashSet<Entry>,
    limit: Limit,
    /// How many configurations were counted when memory was.
    settled: usize,
    /// The configuration at the start of the trace.
    start: u32,
    initial: Vec<Word>,
    touched: Vec<u32>,
    /// Registers of a configuration that is being tried.
    trial: Vec<Word>,
    /// Placed after the last letter; processed in this round.
    arrived: VecDeque<Configuration>,
    /// Memory for registers, to be used again.
    spare: Vec<Vec<Word>>,
}

/// How many empty stores of registers are kept for later ones.
const MOST_SPARE: usize = 64;

/// What is needed everywhere.
#[derive(Clone, Copy)]
pub(crate) struct Here<'p> {
    pub plan: &'p Plan,
    pub unit: &'p Unit,
    pub shape: &'p Configurations,
}

/// Whether a letter may be the first one of a move, as far as the letter alone tells it: without the
/// registers of a configuration. A guard that is not relevant has to be counted, so it may.
fn may_begin(unit: &Unit, world: &mut World, number: u32, letter: &Letter<'_>) -> bool {
    let tables = &unit.tables;
    let first = tables.moves[number as usize].labels.start;
    let Some(label) = tables.labels.get(first as usize) else { return true };
    if !label.admits(letter.args.len() as u32) {
        return false;
    }
    let property = unit.property.index();
    for test in label.tests.of(&tables.tests) {
        if let Place::Constant(at) = test.place
            && test.key == NONE
        {
            let constant = world.constants[property][at as usize];
            if same(letter.arg(test.arg), constant, &world.heap) != test.same {
                return false;
            }
        }
    }
    let Some(arg) = unit.guard_args[first as usize].filter(|_| label.guard != NONE) else {
        return true;
    };
    let arg = letter.arg(arg);
    let memo = unit.memos as usize + first as usize;
    let answer = world.memos[property].recall(memo, arg).unwrap_or_else(|| {
        let program = tables.program(&world.constants[property]);
        let (stack, heap) = (&mut world.stack, &mut world.heap);
        let answer = ask(&program, stack, heap, label.early, label.guard, letter.args);
        world.memos[property].remember(memo, arg, answer);
        answer
    });
    answer != Some(false)
}

enum Fate {
    Fired,
    Failed,
    Open,
}

impl Registers {
    pub fn new(here: Here<'_>, number: u32, world: &mut World) -> Registers {
        let unit = here.unit;
        let width = unit.registers.len() + here.shape.most_answers();
        let mut this = Registers {
            number,
            property: unit.property,
            store: Store::new(width, &here.shape.indexes, false),
            width: unit.registers.len(),
            deadlines: Vec::new(),
            histories: Vec::new(),
            since: Vec::new(),
            newest: vec![0; here.shape.indexes.len()],
            groups: Vec::new(),
            waiting: Vec::new(),
            todo: VecDeque::new(),
            position: 0,
            letters: VecDeque::new(),
            departed: Departures::default(),
            behind: HashMap::default(),
            entered: HashSet::new(),
            limit: Limit::new(&world.options),
            settled: 0,
            start: unit.start,
            initial: Vec::new(),
            touched: Vec::new(),
            trial: Vec::new(),
            arrived: VecDeque::new(),
            spare: Vec::new(),
        };
        let mut registers = vec![Word::UNSET; unit.registers.len()];
        for (i, (init, kind)) in unit.registers.iter().enumerate() {
            if *init != NONE {
                let value = this.evaluate(here, world, &mut registers, *init);
                let word = value.and_then(|w| coerce(w, *kind)).unwrap_or(Word::NULL);
                world.heap.pending.clear();
                registers[i] = word;
            }
        }
        let entry = unit.tables.states[unit.start as usize].entry;
        if entry != NONE {
            let mut entered = registers.clone();
            if this.evaluate(here, world, &mut entered, entry).is_some() {
                registers = entered;
                world.flush_outputs(here.plan, unit.property);
            } else {
                world.heap.pending.clear();
                world.count_inconclusive(unit.property);
                return this;
            }
        }
        let deadline = start_deadline(here, world, unit.start);
        let (state, history) = (unit.start, EMPTY);
        this.initial = registers.iter().map(|w| world.heap.canonical(*w)).collect();
        let configuration =
            Configuration { state, registers, deadline, history, position: 0, counted: false };
        this.add(here, world, configuration);
        this
    }

    fn evaluate(
        &mut self,
        here: Here<'_>,
        world: &mut World,
        registers: &mut [Word],
        code: u32,
    ) -> Option<Word> {
        let program = here.unit.tables.program(&world.constants[self.property.index()]);
        let mut frame =
            Frame { params: &[], vars: &mut [], registers, args: &[], stack: &mut world.stack };
        clear_locals(&program, &mut frame);
        run(&program, code, &mut frame, &mut world.heap, &mut { BUDGET }).ok()
    }

    /// An event.
    #[inline(never)]
    pub fn step(&mut self, here: Here<'_>, world: &mut World, letter: &Letter<'_>) {
        let Some(kind) = world.observed(here.unit, letter) else { return };
        self.position += 1;
        self.keep(world, kind, letter, here.unit.longest.max(1));
        // No configuration can arrive further back than the letters that are kept.
        let oldest = self.position - self.letters.len() as u64;
        while let Some(registers) = self.departed.forget(oldest) {
            self.recycle(registers);
        }
        if !self.entered.is_empty() {
            self.entered.retain(|e| e.position > oldest);
        }
        self.collect(here, world, kind, letter);
        self.go_on(here, world, false);
    }

    /// Keeps a letter, in the memory of the oldest one if there would be more than `most`.
    fn keep(&mut self, world: &mut World, kind: u32, letter: &Letter<'_>, most: usize) {
        let mut kept = match self.letters.len() < most {
            true => Kept::empty(),
            false => self.letters.pop_front().unwrap_or_else(Kept::empty),
        };
        world.history.let_go(kept.record);
        kept.args.clear();
        kept.args.extend_from_slice(letter.args);
        // Only histories tell where something happened.
        let location =
            letter.location.filter(|_| world.history.is_on()).map(|place| place.to_spot());
        self.letters.push_back(Kept {
            kind,
            args: kept.args,
            index: letter.index,
            cause: letter.cause,
            time: letter.time,
            event: letter.event,
            thread: letter.thread,
            location,
            record: EMPTY,
        });
    }

    /// A copy of registers, in memory that was used before.
    fn copied(&mut self, words: &[Word]) -> Vec<Word> {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(words);
        copy
    }

    /// Memory that is not needed any more.
    fn recycle(&mut self, words: Vec<Word>) {
        if self.spare.len() < MOST_SPARE {
            self.spare.push(words);
        }
    }

    /// Finds those that sit and may be concerned, and marks them as undecided.
    fn collect(&mut self, here: Here<'_>, world: &mut World, kind: u32, letter: &Letter<'_>) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        for (state, scans) in here.shape.routes.iter().enumerate() {
            if !self.store.is_occupied(state) {
                continue;
            }
            let scan = &scans[kind as usize];
            for bucket in &scan.buckets {
                let mut moves = bucket.moves.iter();
                if moves.any(|number| may_begin(here.unit, world, *number, letter)) {
                    self.look_up(world, &bucket.key, letter.args);
                    let own = |id: u32| self.group_of(id).is_none();
                    let see = |id| touched.extend(Some(id).filter(|id| own(*id)));
                    self.store.each(state, bucket.key.index, &self.trial, see);
                }
            }
            self.begin_together(here, world, state as u32, &scan.together);
        }
        self.touched = touched;
        let store = &self.store;
        self.touched.sort_unstable_by_key(|id| store.head(*id).seq);
        self.touched.dedup();
        for id in &self.touched {
            self.store.set_begun(*id, false);
        }
    }

    /// Makes the key that finds configurations of a state for a letter with these arguments.
    fn look_up(&mut self, world: &mut World, key: &Key, args: &[Word]) {
        self.trial.clear();
        self.trial.resize(self.store.width(), Word::UNSET);
        for (register, arg) in &key.pairs {
            let arg = args.get(*arg as usize).copied().unwrap_or(Word::NULL);
            self.trial[*register as usize] = world.heap.canonical(arg);
        }
        if let Some(answer) = key.answer {
            self.trial[answer as usize] = Word::bool(true);
        }
    }

    /// Decides what can be decided.
    fn go_on(&mut self, here: Here<'_>, world: &mut World, ended: bool) {
        self.todo.extend(self.waiting.drain(..));
        while let Some(waiting) = self.todo.pop_front() {
            self.unnote(&waiting.configuration);
            self.advance(here, world, waiting, ended);
        }
        self.advance_together(here, world, ended);
        let touched = std::mem::take(&mut self.touched);
        for id in &touched {
            self.advance_sitting(here, world, *id);
        }
        self.touched = touched;
        self.touched.clear();
        while let Some(configuration) = self.arrived.pop_front() {
            self.unnote(&configuration);
            let open = self.moves_of(here, configuration.state);
            let idle = here.unit.idle[configuration.state as usize];
            if idle && configuration.position < self.position {
                // It stays, whatever else it does.
                let history = world.history.share(configuration.history);
                let position = configuration.position + 1;
                self.add(here, world, Configuration { position, history, ..configuration.clone() });
            }
            let waiting = Waiting { configuration, open, fired: idle };
            self.advance(here, world, waiting, ended);
        }
    }

    /// The moves of a state, but for idle loops.
    fn moves_of(&self, here: Here<'_>, state: u32) -> Vec<u32> {
        let property = &here.plan.model.properties[self.property.index()];
        let is_move = |i: usize| !property.is_idle(&property.transitions[i]);
        let sources = (0..).zip(&here.unit.sources);
        sources.filter(|(i, s)| **s == state && is_move(*i as usize)).map(|(i, _)| i).collect()
    }

    /// The registers of one in the store.
    fn registers_of(&self, id: u32) -> &[Word] {
        &self.store.words(id)[..self.width]
    }

    /// Lets one wait, by itself.
    fn wait(&mut self, waiting: Waiting) {
        self.note(&waiting.configuration);
        self.waiting.push(waiting);
    }

    /// Notes one that lies back.
    fn note(&mut self, configuration: &Configuration) {
        let hash = hash_of(configuration.state, &configuration.registers);
        *self.behind.entry(hash).or_default() += 1;
    }

    /// Notes that one that lay back is decided about.
    fn unnote(&mut self, configuration: &Configuration) {
        let hash = hash_of(configuration.state, &configuration.registers);
        if let Some(count) = self.behind.get_mut(&hash) {
            *count -= 1;
            if *count == 0 {
                self.behind.remove(&hash);
            }
        }
    }

    /// A copy of one that sits, placed after the last letter.
    fn sitting(&self, id: u32) -> Configuration {
        Configuration {
            state: u32::from(self.store.head(id).partition),
            registers: self.registers_of(id).to_vec(),
            deadline: self.deadlines[id as usize],
            history: self.histories[id as usize],
            position: self.position,
            counted: true,
        }
    }

    /// One that sat until this letter.
    fn advance_sitting(&mut self, here: Here<'_>, world: &mut World, id: u32) {
        world.stats[self.property.index()].visited += 1;
        let state = u32::from(self.store.head(id).partition);
        let mut registers = self.spare.pop().unwrap_or_default();
        registers.clear();
        registers.extend_from_slice(self.registers_of(id));
        let configuration = Configuration {
            state,
            registers,
            deadline: self.deadlines[id as usize],
            history: self.histories[id as usize],
            position: self.position - 1,
            counted: true,
        };
        let kind = self.letters.back().map_or(NONE, |l| l.kind);
        let tables = &here.unit.tables;
        let row = tables.rows[state as usize * tables.kinds as usize + kind as usize];
        let idle = here.unit.idle[state as usize];
        let mut fired = false;
        let mut open = Vec::new();
        for &number in row.of(&tables.order) {
            let goes_on = !fired && !idle;
            match self.attempt(here, world, &configuration, number, goes_on, false) {
                Fate::Fired => fired = true,
                Fate::Failed => {}
                Fate::Open => open.push(number),
            }
        }
        if idle || !fired && open.is_empty() && !world.mutant(11) {
            if !open.is_empty() {
                let history = world.history.share(configuration.history);
                let configuration = Configuration { history, ..configuration.clone() };
                self.wait(Waiting { configuration, open, fired: true });
            }
            // It is where it is, after this letter, unless an equal one has arrived there.
            self.store.set_begun(id, true);
            if self.find_sitting(&configuration, Some(id)).is_some() {
                self.leave_place(here, &configuration, id);
                self.take_out(world, id);
            }
            self.recycle(configuration.registers);
            return;
        }
        self.leave_place(here, &configuration, id);
        self.deadlines[id as usize] = Timer::NONE;
        self.histories[id as usize] = EMPTY;
        self.store.remove(id);
        if open.is_empty() {
            world.history.release(configuration.history);
            self.recycle(configuration.registers);
        } else {
            self.wait(Waiting { configuration, open, fired });
        }
    }

    /// One that sat is not there any more; with look-ahead, others may still arrive where it was.
    fn leave_place(&mut self, here: Here<'_>, configuration: &Configuration, id: u32) {
        if here.unit.longest > 1 {
            let from = self.since[id as usize];
            self.depart(configuration, from, configuration.position);
        }
    }

    /// One that lies back.
    fn advance(&mut self, here: Here<'_>, world: &mut World, mut waiting: Waiting, ended: bool) {
        world.stats[self.property.index()].visited += 1;
        let configuration = &waiting.configuration;
        if configuration.position == self.position {
            return self.add(here, world, waiting.configuration);
        }
        let Waiting { configuration, open, fired } = &mut waiting;
        open.retain(|number| {
            match self.attempt(here, world, configuration, *number, !*fired, ended) {
                Fate::Fired => {
                    *fired = true;
                    false
                }
                Fate::Failed => false,
                Fate::Open => true,
            }
        });
        if !open.is_empty() {
            return self.wait(waiting);
        }
        let position = waiting.configuration.position;
        self.depart(&waiting.configuration, position, position);
        if waiting.fired || world.mutant(11) {
            world.history.release(waiting.configuration.history);
            self.recycle(waiting.configuration.registers);
        } else {
            // Skip exactly one letter.
            let to = if world.mutant(12) { self.position } else { position + 1 };
            self.add(here, world, Configuration { position: to, ..waiting.configuration });
        }
    }

    fn depart(&mut self, configuration: &Configuration, from: u64, to: u64) {
        let registers = self.copied(&configuration.registers);
        let Configuration { state, deadline, .. } = *configuration;
        self.departed.push(Departed { state, registers, deadline, from, to });
    }

    /// Matches a move with the letters after a configuration; carries it out if it fires. What it
    /// leads to is the same configuration, if that `goes_on` with it, or another one.
    fn attempt(
        &mut self,
        here: Here<'_>,
        world: &mut World,
        from: &Configuration,
        number: u32,
        goes_on: bool,
        ended: bool,
    ) -> Fate {
        let unit = here.unit;
        let row = unit.tables.moves[number as usize];
        let labels = row.labels.of(&unit.tables.labels);
        let first = self.position - self.letters.len() as u64;
        self.trial.clear();
        self.trial.extend_from_slice(&from.registers);
        let mut trial = std::mem::take(&mut self.trial);
        let program = unit.tables.program(&world.constants[self.property.index()]);
        world.stack[..program.locals as usize].fill(Word::UNSET);
        let no_locals = program.locals == 0;
        let mut at = (from.position - first) as usize;
        let mut not_relevant = false;
        let mut is_lost = false;
        let mut fate = None;
        for (number, label) in (row.labels.start..).zip(labels) {
            let Some(letter) = self.letters.get(at) else {
                fate = Some(if ended { Fate::Failed } else { Fate::Open });
                break;
            };
            let mut label = *label;
            let fits = label.kind == letter.kind || label.kind == NONE;
            // Locals of the labels before must not be touched.
            if let Some(arg) = unit.guard_args[number as usize].filter(|_| fits && no_locals) {
                let arg = letter.args.get(arg as usize).copied().unwrap_or(Word::NULL);
                let memo = unit.memos as usize + number as usize;
                let memos = &mut world.memos[self.property.index()];
                let holds = memos.recall(memo, arg).unwrap_or_else(|| {
                    let (stack, heap) = (&mut world.stack, &mut world.heap);
                    let answer = ask(&program, stack, heap, label.early, label.guard, &letter.args);
                    memos.remember(memo, arg, answer);
                    answer
                });
                match holds {
                    Some(true) => label.guard = NONE,
                    Some(false) => {
                        fate = Some(Fate::Failed);
                        break;
                    }
                    None => {}
                }
            }
            let mut frame = Frame {
                params: &[],
                vars: &mut [],
                registers: &mut trial,
                args: &letter.args,
                stack: &mut world.stack,
            };
            let arity = letter.args.len() as u32;
            let saved = &mut world.saved;
            match match_label(
                &program,
                &label,
                letter.kind,
                arity,
                &mut frame,
                saved,
                &mut world.heap,
            ) {
                Matched::Yes => bind(&program, label.late, &mut frame),
                Matched::No | Matched::Refused => fate = Some(Fate::Failed),
                Matched::NotRelevant => {
                    not_relevant = true;
                    fate = Some(Fate::Failed);
                }
                Matched::Limit => {
                    is_lost = true;
                    fate = Some(Fate::Fired);
                }
            }
            if world.options.is_mutant(13) {
                // A register that holds something keeps it.
                for (new, old) in trial.iter_mut().zip(&from.registers) {
                    if old.is_set() {
                        *new = *old;
                    }
                }
            }
            if fate.is_some() {
                break;
            }
            at += 1;
        }
        let mut landed = None;
        if fate.is_none() {
            let letter = &self.letters[at - 1];
            let mut frame = Frame {
                params: &[],
                vars: &mut [],
                registers: &mut trial,
                args: &letter.args,
                stack: &mut world.stack,
            };
            match run_branch(&program, row.then, &mut frame, &mut world.heap) {
                Ok(target) => landed = Some(target),
                Err(_) => {
                    is_lost = true;
                    fate = Some(Fate::Fired);
                }
            }
        }
        if not_relevant {
            world.count_not_relevant(self.property, 1);
        }
        if is_lost {
            world.count_inconclusive(self.property);
        }
        let Some(target) = landed else {
            self.trial = trial;
            if is_lost {
                self.keep_source(here, world, from, row.keep);
            }
            return fate.unwrap_or(Fate::Failed);
        };
        let registers = self.copied(&trial);
        self.trial = trial;
        let rebound = registers.iter().zip(&from.registers).any(|(n, o)| o.is_set() && n != o);
        if row.keep || rebound {
            world.stats[self.property.index()].forks += 1;
        }
        let position = first + at as u64;
        // Taken out while it is used: no other code looks for it meanwhile.
        let mut kept = std::mem::replace(&mut self.letters[at - 1], Kept::empty());
        let outer = std::mem::replace(&mut world.current, kept.record);
        let letter = kept.letter();
        let counted = from.counted && goes_on && !row.keep;
        let to = Landing { registers, branch: row.then, target, position, counted };
        self.land(here, world, from, to, &letter, false);
        kept.record = std::mem::replace(&mut world.current, outer);
        self.letters[at - 1] = kept;
        self.keep_source(here, world, from, row.keep);
        Fate::Fired
    }

    /// With `=>`, the source of a transition that fired stays: after the first letter, however many
    /// were consumed, so that matches that overlap this one are not lost.
    fn keep_source(&mut self, here: Here<'_>, world: &mut World, from: &Configuration, keep: bool) {
        if !keep || world.mutant(14) {
            return;
        }
        let history = world.history.share(from.history);
        let position = from.position + 1;
        let registers = self.copied(&from.registers);
        let Configuration { state, deadline, counted, .. } = *from;
        let stays = Configuration { state, registers, deadline, history, position, counted };
        self.add(here, world, stays);
    }

    /// Carries out a branch; `last` is the last letter it consumed.
    fn land(
        &mut self,
        here: Here<'_>,
        world: &mut World,
        from: &Configuration,
        to: Landing,
        last: &Letter<'_>,
        by_deadline: bool,
    ) {
        let Landing { mut registers, branch, target, position, counted } = to;
        let unit = here.unit;
        world.flush_outputs(here.plan, unit.property);
        if world.options.moves && target != Target::Stay {
            let to = match target {
                Target::State(state) => Some(state),
                Target::Drop | Target::Stay => None,
            };
            let binding = self.shown(here, world, &registers);
            world.tell_move(unit.property, from.state, to, binding, last, by_deadline);
        }
        let (state, deadline) = match target {
            Target::Drop => return self.recycle(registers),
            Target::Stay => (from.state, from.deadline),
            Target::State(state) => (state, start_deadline(here, world, state)),
        };
        let mut history = EMPTY;
        if world.history.is_on() {
            let chain = world.history.share(from.history);
            history = world.remember(chain, last, by_deadline, state);
        }
        if let Target::State(state) = target {
            let kind = match unit.state_kinds[state as usize] {
                StateKind::Bad => Some(ReportKind::Violation),
                StateKind::Good => Some(ReportKind::Satisfaction),
                StateKind::Normal | StateKind::Pending => None,
            };
            let text =
                kind.map(|_| self.message(here, world, &mut registers, state, Some(branch), last));
            if let (Some(kind), Some(text)) = (kind, text)
                && (self.enters(world, state, &registers, position, last, &text)
                    || world.mutant(20))
            {
                let binding = self.shown(here, world, &registers);
                let time = world.timed.then_some(last.time);
                let index = last.index;
                world.report(unit, kind, last.cause, index, time, binding, state, text, history);
            }
            if unit.state_kinds[state as usize] == StateKind::Bad && unit.stuck[state as usize] {
                world.history.release(history);
                return self.recycle(registers);
            }
        }
        let arrives = Configuration { state, registers, deadline, history, position, counted };
        // A mutant: it may be one that was there before.
        if by_deadline && !world.mutant(37) {
            return self.add_in_time(here, world, arrives);
        }
        self.add(here, world, arrives);
    }

    /// Whether a configuration is entered for the first time after that letter, with that message.
    #[allow(clippy::too_many_arguments, reason = "what makes an entry")]
    fn enters(
        &mut self,
        world: &mut World,
        state: u32,
        registers: &[Word],
        position: u64,
        last: &Letter<'_>,
        message: &str,
    ) -> bool {
        let time = (last.cause == Cause::Time).then_some(last.time);
        let entry = Entry::new(world, position, state, registers, time, message.to_string());
        self.entered.insert(entry)
    }

    fn message(
        &mut self,
        here: Here<'_>,
        world: &mut World,
        registers: &mut [Word],
        state: u32,
        branch: Option<u32>,
        last: &Letter<'_>,
    ) -> String {
        let program = here.unit.tables.program(&world.constants[self.property.index()]);
        let mut frame = Frame {
            params: &[],
            vars: &mut [],
            registers,
            args: last.args,
            stack: &mut world.stack,
        };
        let verb = if branch.is_some() { "entered" } else { "ended in" };
        message(here.plan, here.unit, &program, state, branch, verb, &mut frame, &mut world.heap)
    }

    /// Those that sit, in order of creation: record, creation number, state, deadline, registers.
    pub fn seats(&self) -> impl Iterator<Item = (u32, u64, u32, Timer, &[Word])> + '_ {
        self.store.in_order().into_iter().map(|id| {
            let head = self.store.head(id);
            let state = u32::from(head.partition);
            (id, head.seq, state, self.deadlines[id as usize], self.registers_of(id))
        })
    }

    /// Those that wait for more letters: state and registers.
    pub fn waiting(&self) -> impl Iterator<Item = (u32, &[Word])> + '_ {
        self.waiting.iter().map(|w| (w.configuration.state, &w.configuration.registers[..]))
    }

    /// Those that sit and hold one of these objects: record, state, registers.
    pub fn holders(
        &self,
        objects: &[u64],
        is_one: impl Fn(Word) -> bool,
    ) -> Vec<(u32, u32, &[Word])> {
        let mut found: Vec<u32> = Vec::new();
        let registers = self.width;
        let mut key = vec![Word::UNSET; self.store.width()];
        for state in 0..self.store.partitions() {
            if !self.store.is_occupied(state) {
                continue;
            }
            for r in 0..registers {
                let mask = u32::try_from(r).ok().and_then(|r| 1u32.checked_shl(r));
                let index = mask.and_then(|m| self.store.index_of(state, m));
                // Scanning is cheaper than looking each of them up.
                if let Some(index) = index
                    && objects.len() < self.store.len()
                {
                    for object in objects {
                        key[r] = Word::object(*object);
                        self.store.each(state, index, &key, |id| found.push(id));
                    }
                    key[r] = Word::UNSET;
                    continue;
                }
                found.extend(self.store.all().filter(|id| {
                    self.store.head(*id).partition as usize == state
                        && is_one(self.store.words(*id)[r])
                }));
            }
        }
        found.sort_unstable();
        found.dedup();
        // Letters that came before the objects died are still to be decided about.
        found.retain(|id| self.group_of(*id).is_none());
        let shown = |id: u32| (id, u32::from(self.store.head(id).partition), self.registers_of(id));
        found.into_iter().map(shown).collect()
    }

    /// Removes some that sit.
    pub fn leave(&mut self, world: &mut World, going: &[u32]) {
        for id in going {
            self.take_out(world, *id);
        }
    }

    /// Whether a record is still the configuration created as number `seq`, and waits for no more
    /// letters: a change of one that lies back would lose what it waits for.
    pub fn is_editable(&self, id: u32, seq: u64) -> bool {
        self.store.is(id, seq) && self.group_of(id).is_none()
    }

    /// Replaces one that sits: another state, entered now, or another value in a register. It may
    /// become equal to another one. Answers which it is then.
    pub fn edit(
        &mut self,
        here: Here<'_>,
        world: &mut World,
        id: u32,
        state: Option<u32>,
        register: Option<(usize, Word)>,
    ) -> (u32, u64) {
        let seq = self.store.head(id).seq;
        let mut configuration = self.sitting(id);
        self.histories[id as usize] = EMPTY;
        self.deadlines[id as usize] = Timer::NONE;
        self.store.remove(id);
        if let Some(state) = state {
            configuration.state = state;
            configuration.deadline = start_deadline(here, world, state);
        }
        if let Some((register, word)) = register {
            configuration.registers[register] = world.heap.canonical(word);
        }
        match self.find_sitting(&configuration, None) {
            Some(other) => {
                world.history.release(configuration.history);
                (other, self.store.head(other).seq)
            }
            None => (self.seat(here, world, configuration, seq), seq),
        }
    }

    pub fn shown(
        &self,
        here: Here<'_>,
        world: &World,
        registers: &[Word],
    ) -> Vec<(Arc<str>, Value)> {
        here.plan.model.properties[self.property.index()]
            .registers
            .iter()
            .zip(registers)
            .filter(|(_, word)| word.is_set())
            .map(|(r, word)| (Arc::from(r.name.as_str()), world.heap.to_value(*word)))
            .collect()
    }

    /// One that sits and equals this, deadline included; not one an event is deciding about.
    fn find_sitting(&self, other: &Configuration, but: Option<u32>) -> Option<u32> {
        let mut found = None;
        self.store.each(other.state as usize, 0, &other.registers, |id| {
            if found.is_none()
                && Some(id) != but
                && self.store.head(id).begun
                && self.group_of(id).is_none()
                && equal(self.registers_of(id), &other.registers)
                && same_deadline(self.deadlines[id as usize], other.deadline)
            {
                found = Some(id);
            }
        });
        found
    }

    /// Whether an equal configuration is or was at that position.
    fn was_there(&self, other: &Configuration) -> bool {
        let hash = hash_of(other.state, &other.registers);
        let is = |state: u32, registers: &[Word], deadline: Timer| {
            state == other.state
                && equal(registers, &other.registers)
                && same_deadline(deadline, other.deadline)
        };
        let mut gone = self.departed.alike(hash);
        if gone.any(|d| {
            (d.from..=d.to).contains(&other.position) && is(d.state, &d.registers, d.deadline)
        }) {
            return true;
        }
        if other.position == self.position {
            return self.find_sitting(other, None).is_some();
        }
        let behind = |c: &Configuration| {
            c.position == other.position && is(c.state, &c.registers, c.deadline)
        };
        if self.behind.contains_key(&hash) {
            let mut waiting = self.waiting.iter().chain(&self.todo);
            if waiting.any(|w| behind(&w.configuration)) || self.arrived.iter().any(behind) {
                return true;
            }
        }
        let mut sat = false;
        self.store.each(other.state as usize, 0, &other.registers, |id| {
            let until = self.group_of(id).map_or(self.position, |at| self.groups[at].position);
            sat |= (self.since[id as usize]..=until).contains(&other.position)
                && equal(self.registers_of(id), &other.registers)
                && same_deadline(self.deadlines[id as usize], other.deadline);
        });
        sat
    }

    /// Adds a configuration, unless an equal one is or was at its position. Takes over its
    /// history.
    fn add(&mut self, here: Here<'_>, world: &mut World, mut configuration: Configuration) {
        for word in &mut configuration.registers {
            *word = world.heap.canonical(*word);
        }
        let is_known = !world.mutant(15) && self.was_there(&configuration);
        self.add_unless(is_known, here, world, configuration);
    }

    /// Adds a configuration that a deadline led to, unless an equal one is there. One that was there before
    /// may be the same one, which goes in a circle that takes no time: its timers are counted, and say when
    /// that is too often.
    fn add_in_time(&mut self, here: Here<'_>, world: &mut World, mut configuration: Configuration) {
        for word in &mut configuration.registers {
            *word = world.heap.canonical(*word);
        }
        let is_known = self.find_sitting(&configuration, None).is_some();
        self.add_unless(is_known, here, world, configuration);
    }

    fn add_unless(
        &mut self,
        is_known: bool,
        here: Here<'_>,
        world: &mut World,
        configuration: Configuration,
    ) {
        if is_known {
            world.history.release(configuration.history);
            return self.recycle(configuration.registers);
        }
        if configuration.position < self.position {
            self.note(&configuration);
            self.arrived.push_back(configuration);
            return;
        }
        self.settle(world);
        // Where every match begins is never discarded: without it the property would be blind.
        let is_start =
            |state: u32, registers: &[Word]| state == self.start && equal(registers, &self.initial);
        let stays =
            |id: u32| is_start(u32::from(self.store.head(id).partition), self.store.words(id));
        let verdict = match is_start(configuration.state, &configuration.registers) {
            true => Verdict::Room,
            false => {
                let lacks_memory = world.heap.memory.lacks(self.store.record_bytes());
                self.limit.before(&self.store, self.store.len(), lacks_memory, stays)
            }
        };
        match verdict {
            Verdict::Room => {}
            Verdict::Refuse => {
                world.stats[self.property.index()].count_discarded(world.index);
                world.history.release(configuration.history);
                return;
            }
            Verdict::Evict(id) => {
                world.stats[self.property.index()].count_discarded(world.index);
                self.take_out(world, id);
            }
        }
        let seq = world.next();
        world.stats[self.property.index()].created += u64::from(!configuration.counted);
        let id = self.seat(here, world, configuration, seq);
        self.note_twins(id);
    }

    /// Lets a configuration sit after the last letter.
    fn seat(
        &mut self,
        here: Here<'_>,
        world: &mut World,
        mut configuration: Configuration,
        seq: u64,
    ) -> u32 {
        let state = configuration.state as usize;
        self.answer(here, world, &mut configuration);
        let id = self.store.insert(state, seq, &configuration.registers);
        self.newest[state] = self.position;
        self.limit.after(&self.store, id);
        if self.deadlines.len() < self.store.slots() {
            self.deadlines.resize(self.store.slots(), Timer::NONE);
            self.histories.resize(self.store.slots(), EMPTY);
            self.since.resize(self.store.slots(), 0);
        }
        self.deadlines[id as usize] = configuration.deadline;
        self.histories[id as usize] = configuration.history;
        self.since[id as usize] = self.position;
        self.recycle(configuration.registers);
        if configuration.deadline.is_running() {
            let what = What::Deadline(0);
            world.await_timer(configuration.deadline, self.number, 0, id, what);
        }
        id
    }

    /// Puts the answers of guards that ask its registers only behind them. One that is not relevant
    /// has to be counted whenever it is asked, so it is not stored as `false`.
    fn answer(&mut self, here: Here<'_>, world: &mut World, configuration: &mut Configuration) {
        let answers = &here.shape.answers[configuration.state as usize];
        if answers.is_empty() {
            return;
        }
        let program = here.unit.tables.program(&world.constants[self.property.index()]);
        let why = world.heap.why;
        for code in answers {
            let mut frame = Frame {
                params: &[],
                vars: &mut [],
                registers: &mut configuration.registers,
                args: &[],
                stack: &mut world.stack,
            };
            clear_locals(&program, &mut frame);
            let answer = run(&program, *code, &mut frame, &mut world.heap, &mut { BUDGET });
            configuration.registers.push(Word::bool(answer != Ok(Word::bool(false))));
        }
        world.heap.why = why;
    }

    /// Removes one that sits.
    fn take_out(&mut self, world: &mut World, id: u32) {
        world.history.release(self.histories[id as usize]);
        self.histories[id as usize] = EMPTY;
        self.deadlines[id as usize] = Timer::NONE;
        self.store.remove(id);
    }

    /// Makes every timer later.
    pub fn delay(&mut self, by: Time) {
        self.deadlines.iter_mut().for_each(|t| *t = t.later(by));
        self.departed.delay(by);
    }

    /// Whether a timer in the queue is still running.
    pub fn is_running(&self, due: &Due) -> bool {
        (due.id as usize) < self.store.slots()
            && self.store.head(due.id).live
            && self.deadlines[due.id as usize] == due.timer
    }

    /// Fires a deadline, which is running; if deadlines fire without end, the configuration becomes
    /// inconclusive. A property with deadlines has no look-ahead, so that
    /// every configuration sits.
    pub fn fire(&mut self, here: Here<'_>, world: &mut World, due: Due, endless: bool) {
        let mut current = self.sitting(due.id);
        let Some(row) = here.unit.deadlines[current.state as usize] else { return };
        world.stats[self.property.index()].visited += 1;
        let mut registers = current.registers.clone();
        let program = here.unit.tables.program(&world.constants[self.property.index()]);
        let mut frame = Frame {
            params: &[],
            vars: &mut [],
            registers: &mut registers,
            args: &[],
            stack: &mut world.stack,
        };
        clear_locals(&program, &mut frame);
        let target = match endless {
            true => Err(NotRelevant::Endless),
            false => run_branch(&program, row.branch, &mut frame, &mut world.heap),
        };
        self.deadlines[due.id as usize] = Timer::NONE;
        let from = self.since[due.id as usize];
        self.depart(&current, from, self.position);
        let history = std::mem::replace(&mut self.histories[due.id as usize], EMPTY);
        self.store.remove(due.id);
        let Ok(target) = target else {
            world.count_inconclusive(self.property);
            return world.history.release(history);
        };
        current.deadline = Timer::NONE;
        let letter = world.timer_letter();
        let Configuration { position, counted, .. } = current;
        let to = Landing { registers, branch: row.branch, target, position, counted };
        self.land(here, world, &current, to, &letter, true);
        world.history.release(history);
    }

    /// The word has ended: transitions that need more letters fail; then pending configurations are reported.
    pub fn end(&mut self, here: Here<'_>, world: &mut World) {
        while self.minds_every_letter() {
            if world.mutant(16) {
                break;
            }
            self.go_on(here, world, true);
        }
        for id in self.store.in_order() {
            let state = u32::from(self.store.head(id).partition);
            if here.unit.state_kinds[state as usize] != StateKind::Pending {
                continue;
            }
            let letter = Letter { cause: Cause::End, ..world.timer_letter() };
            let mut registers = self.registers_of(id).to_vec();
            world.stack[..here.unit.tables.locals as usize].fill(Word::UNSET);
            let text = self.message(here, world, &mut registers, state, None, &letter);
            let binding = self.shown(here, world, &registers);
            let (index, time) = (world.index, world.time());
            let history = self.histories[id as usize];
            let kind = ReportKind::Violation;
            world.report(here.unit, kind, Cause::End, index, time, binding, state, text, history);
        }
    }

    /// Every configuration, the letters look-ahead may need, and what has left, as bytes.
    pub fn save(&self, out: &mut Writer, heap: &Heap) {
        out.u64(self.position);
        out.u64(self.store.len() as u64);
        for id in self.store.in_order() {
            let configuration = self.sitting(id);
            out.u64(self.store.head(id).seq);
            out.u64(self.since[id as usize]);
            configuration.save(out, heap);
        }
        out.u64(self.waiting.len() as u64);
        for waiting in &self.waiting {
            waiting.configuration.save(out, heap);
            out.bool(waiting.fired);
            out.u64(waiting.open.len() as u64);
            waiting.open.iter().for_each(|m| out.u64(u64::from(*m)));
        }
        out.u64(self.groups.len() as u64);
        self.groups.iter().for_each(|group| group.save(out, &self.store));
        out.u64(self.letters.len() as u64);
        for letter in &self.letters {
            out.u64(u64::from(letter.event.0));
            out.words(&letter.args, heap);
            out.u64(letter.index);
            out.u8(cause_number(letter.cause));
            out.i64(letter.time);
        }
        out.u64(self.departed.iter().count() as u64);
        for departed in self.departed.iter() {
            out.u64(u64::from(departed.state));
            out.words(&departed.registers, heap);
            out.timer(departed.deadline);
            out.u64(departed.from);
            out.u64(departed.to);
        }
        // In an order of their own, so that equal configurations give equal bytes.
        let mut entered: Vec<Vec<u8>> = Vec::new();
        for entry in &self.entered {
            let mut bytes = Writer::default();
            entry.save(&mut bytes, heap);
            entered.push(bytes.0);
        }
        entered.sort_unstable();
        out.u64(entered.len() as u64);
        entered.iter().for_each(|bytes| out.0.extend_from_slice(bytes));
        self.limit.save(&self.store, out);
    }

    /// Forgets everything.
    pub fn clear(&mut self, world: &mut World) {
        for id in self.store.in_order() {
            self.take_out(world, id);
        }
        for waiting in std::mem::take(&mut self.waiting) {
            world.history.release(waiting.configuration.history);
        }
        self.departed = Departures::default();
        self.behind.clear();
        self.groups.clear();
        self.entered.clear();
        for letter in std::mem::take(&mut self.letters) {
            world.history.let_go(letter.record);
        }
        self.position = 0;
    }

    /// Reads configurations back.
    pub fn restore(
        &mut self,
        here: Here<'_>,
        world: &mut World,
        from: &mut Reader<'_>,
    ) -> Restored<()> {
        let unit = here.unit;
        self.clear(world);
        self.position = from.u64()?;
        for _ in 0..from.len()? {
            let seq = from.u64()?;
            let since = from.u64()?;
            let configuration = Configuration::restore(unit, world, from)?;
            if configuration.position != self.position || since > self.position {
                return Err(wrong("a configuration is out of place"));
            }
            let id = self.seat(here, world, configuration, seq);
            self.since[id as usize] = since;
        }
        for _ in 0..from.len()? {
            let configuration = Configuration::restore(unit, world, from)?;
            let fired = from.bool()?;
            let count = from.len()?;
            let open: Vec<u32> = (0..count)
                .map(|_| Ok(from.len_below(unit.tables.moves.len())? as u32))
                .collect::<Restored<_>>()?;
            self.wait(Waiting { configuration, open, fired });
        }
        for _ in 0..from.len()? {
            let group = Group::restore(here, &self.store, from)?;
            self.groups.push(group);
        }
        for _ in 0..from.len()? {
            let event = from.event(unit.kind_of.len())?;
            let kind = unit.kind_of[event.index()];
            if kind == NONE {
                return Err(wrong("a letter is not observed"));
            }
            let args = from.words(&mut world.heap)?;
            let index = from.u64()?;
            let cause = CAUSES[from.len_below(CAUSES.len())?];
            let time = from.i64()?;
            let kept = Kept { kind, args, index, cause, time, event, ..Kept::empty() };
            self.letters.push_back(kept);
        }
        let oldest = self.position.checked_sub(self.letters.len() as u64);
        let oldest = oldest.ok_or(wrong("there are more letters than there were"))?;
        let behind = |p: u64| {
            (oldest..self.position).contains(&p) && self.position - p < unit.longest as u64
        };
        if self.letters.len() > unit.longest.max(1) {
            return Err(wrong("there are more letters than anybody looks at"));
        }
        if self.waiting.iter().any(|w| !behind(w.configuration.position)) {
            return Err(wrong("a configuration is out of place"));
        }
        let lies = |group: &Group| behind(group.position);
        if !self.groups.iter().all(lies) {
            return Err(wrong("a group is out of place"));
        }
        for _ in 0..from.len()? {
            let state = from.len_below(unit.lost as usize)? as u32;
            let mut registers = from.words(&mut world.heap)?;
            registers.iter_mut().for_each(|w| *w = world.heap.canonical(*w));
            let deadline = from.timer()?;
            let (from, to) = (from.u64()?, from.u64()?);
            self.departed.push(Departed { state, registers, deadline, from, to });
        }
        for _ in 0..from.len()? {
            let position = from.u64()?;
            let state = from.len_below(unit.lost as usize)? as u32;
            let is_timed = from.bool()?;
            let time = Some(from.i64()?).filter(|_| is_timed);
            let registers = from.words(&mut world.heap)?;
            let message = from.text()?.to_string();
            self.entered.insert(Entry::new(world, position, state, &registers, time, message));
        }
        self.limit.restore(&self.store, from, |_| false)
    }

    pub fn len(&self) -> usize {
        self.store.len() + self.waiting.len()
    }

    /// The memory that the configurations take up, without their values.
    pub fn bytes(&mut self) -> usize {
        self.settled = self.store.len();
        self.settled * self.store.record_bytes()
    }

    /// Tells how many configurations have come or gone since the last time.
    fn settle(&mut self, world: &mut World) {
        let memory = &mut world.heap.memory;
        if memory.is_limited() {
            memory.give_back(self.settled * self.store.record_bytes());
            memory.take(self.bytes());
        }
    }

    /// Whether a configuration is in a state.
    pub fn is_occupied(&self, state: usize) -> bool {
        self.store.is_occupied(state)
    }

    /// Whether any letter at all matters: for look-ahead.
    pub fn minds_every_letter(&self) -> bool {
        !self.waiting.is_empty() || !self.groups.is_empty()
    }

    /// A number that changes when what the two functions above say may have changed.
    pub fn changes(&self) -> u64 {
        self.store.changes() << 1 | u64::from(self.minds_every_letter())
    }

    pub fn peak(&self) -> usize {
        self.store.peak()
    }

    /// Marks what is held.
    pub fn mark(&self, heap: &mut Heap) {
        for id in self.store.all() {
            self.registers_of(id).iter().for_each(|w| heap.mark(*w));
        }
        for entry in &self.entered {
            entry.words().iter().for_each(|w| heap.mark(*w));
        }
        self.initial.iter().for_each(|w| heap.mark(*w));
        let words = self
            .waiting
            .iter()
            .map(|w| &w.configuration.registers)
            .chain(self.departed.iter().map(|d| &d.registers))
            .chain(self.letters.iter().map(|l| &l.args));
        for words in words {
            words.iter().for_each(|w| heap.mark(*w));
        }
    }
}

/// A hash of a state and registers: those that are equal have the same.
fn hash_of(state: u32, registers: &[Word]) -> u64 {
    registers.iter().fold(hash_start(state), |hash, word| hash_on(hash, *word))
}

/// Whether two stores hold the same, nothing where nothing is.
fn equal(a: &[Word], b: &[Word]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.is_set() == b.is_set() && index_key(*a) == index_key(*b))
}

/// Two deadlines at one time differ in nothing that matters.
fn same_deadline(a: Timer, b: Timer) -> bool {
    a.is_running() == b.is_running() && a.at == b.at
}

fn start_deadline(here: Here<'_>, world: &mut World, state: u32) -> Timer {
    match here.unit.deadlines[state as usize] {
        Some(row) => world.start_timer(row.after),
        None => Timer::NONE,
    }
}
