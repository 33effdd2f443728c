//! What all properties share: time, numbering, timers, sends, reports, the heap and scratch
//! memory.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use watchword_model::{EventId, PropertyId, StateId, Time, Where};
use watchword_plan::{Action, Choice, Part, Plan, Unit};
use watchword_step::{
    BUDGET, Frame, Kind, LabelRow, NONE, NotRelevant, Place, Program, Range, Tag, Word, bind,
    coerce, run, same,
};

use super::heap::{Heap, Pending};
use super::history::{EMPTY, History};
use super::memory::Memory;
use super::{Options, Said};
use crate::{Cause, Doubt, Move, Puzzle, Report, ReportKind, rounds};

/// An event as it is delivered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter<'a> {
    pub event: EventId,
    pub args: &'a [Word],
    pub index: u64,
    pub cause: Cause,
    pub time: Time,
    pub thread: Option<u64>,
    pub location: Option<Where<'a>>,
    /// Its number among the events that waited, if it did.
    pub held: Option<usize>,
}

impl Letter<'_> {
    #[inline]
    pub fn arg(&self, at: u32) -> Word {
        self.args.get(at as usize).copied().unwrap_or(Word::NULL)
    }
}

/// A running timer: when, and its place among those of the same time. Number 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Timer {
    pub at: Time,
    pub sequence: u64,
}

impl Timer {
    pub const NONE: Timer = Timer { at: 0, sequence: 0 };

    pub fn is_running(self) -> bool {
        self.sequence != 0
    }

    /// The same timer, so much later; one that does not run stays as it is.
    pub fn later(self, by: Time) -> Timer {
        match self.is_running() {
            true => Timer { at: self.at.saturating_add(by), ..self },
            false => self,
        }
    }
}

/// A timer in the queue. It is out of date if its owner does not hold the same timer any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Due {
    pub timer: Timer,
    /// Which of the engine's monitors.
    pub monitor: u32,
    /// Which context within it.
    pub context: u32,
    pub id: u32,
    pub what: What,
    /// See [`Rounds`](crate::rounds::Rounds).
    pub round: u32,
}

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// The deadline of that automaton.
    Deadline(u32),
    /// An alarm of a clock, which raises that event.
    Alarm(u32, EventId),
}

/// Counters of one property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PropertyStats {
    /// Events it observed.
    pub events: u64,
    /// Instances or configurations that were looked at for them: what an event costs.
    pub visited: u64,
    /// Instances or configurations that were made.
    pub created: u64,
    /// Configurations that forked, or re-bound a register that held something else.
    pub forks: u64,
    /// How many there are now; of automata of one context, the same ones.
    pub instances: u64,
    /// The most there ever were at a time.
    pub peak: u64,
    /// Guards that were not relevant.
    pub not_relevant: u64,
    /// Instances or configurations that became inconclusive: an update failed or an evaluation hit
    /// a limit, so that nothing is known of them any more.
    pub inconclusive: u64,
    /// Violations reported.
    pub violations: u64,
    /// Instances discarded because of [`Options::max_instances`] or [`Options::max_memory`].
    pub discarded: u64,
    /// The number of the external event at which the first of them was.
    pub discarded_since: u64,
}

impl PropertyStats {
    /// Counts an instance that is discarded at that event.
    pub(crate) fn count_discarded(&mut self, index: u64) {
        if self.discarded == 0 {
            self.discarded_since = index;
        }
        self.discarded += 1;
    }

    /// Counts evaluations that were not relevant; the first one is reported.
    #[cold]
    pub(crate) fn count_not_relevant(
        &mut self,
        property: PropertyId,
        index: u64,
        why: Option<NotRelevant>,
        count: u64,
    ) -> Option<Puzzle> {
        let first = self.not_relevant == 0;
        self.not_relevant += count;
        first.then(|| Puzzle { property, index, why: why.unwrap_or(NotRelevant::NoAnswer) })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    pub now: Time,
    pub timed: bool,
    pub index: u64,
    pub sequence: u64,
    pub queue: VecDeque<(EventId, Vec<Word>)>,
    pub reports: Vec<Report>,
    pub moves: Vec<Move>,
    pub said: Vec<Said>,
    /// The first evaluation of each property that was not relevant.
    pub puzzles: Vec<Puzzle>,
    /// The first instance of each property that became inconclusive.
    pub doubts: Vec<Doubt>,
    pub discarded: u64,
    pub timers: BinaryHeap<Reverse<Due>>,
    /// How many timers there were after the last clearing of those out of date.
    pub timers_kept: usize,
    /// The round of the timer that goes off.
    pub round: u32,
    pub heap: Heap,
    pub history: History,
    /// The record of the letter being processed, if an instance took it; see [`World::remember`].
    pub current: u32,
    pub stack: Vec<Word>,
    pub saved: Vec<Word>,
    /// By property and by context: the constants as words.
    pub constants: Vec<Vec<Word>>,
    pub context_constants: Vec<Vec<Word>>,
    pub stats: Vec<PropertyStats>,
    /// By property: what guards and filters said of an argument.
    pub memos: Vec<Memos>,
    pub options: Options,
}

/// How many answers of a guard are remembered.
const MEMOS: usize = 8;

/// What a guard said of an argument; see [`World::holds`].
type Memo = Option<(Word, Option<bool>)>;

/// What code of a property said of arguments: [`MEMOS`] answers for each choice, label and filter.
#[derive(Clone, Debug)]
pub(crate) struct Memos(Vec<Memo>);

impl Memos {
    fn new(unit: &Unit) -> Memos {
        let count = unit.memos as usize + unit.guard_args.len() + unit.kinds.len();
        Memos(vec![None; count * MEMOS])
    }

    /// What was said of an argument, if that is remembered.
    #[inline]
    pub fn recall(&self, memo: usize, arg: Word) -> Option<Option<bool>> {
        let (known, answer) = self.0[Memos::place(memo, arg)]?;
        (known == arg).then_some(answer)
    }

    pub fn remember(&mut self, memo: usize, arg: Word, answer: Option<bool>) {
        self.0[Memos::place(memo, arg)] = Some((arg, answer));
    }

    #[inline]
    fn place(memo: usize, arg: Word) -> usize {
        // Neighbouring addresses have their lowest bits in common.
        let mixed = arg.bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        memo * MEMOS + (mixed >> (64 - MEMOS.trailing_zeros())) as usize
    }
}

/// What a guard says, after its locals were bound; `None` if it is not relevant.
pub(crate) fn ask(
    program: &Program<'_>,
    stack: &mut [Word],
    heap: &mut Heap,
    early: Range,
    guard: u32,
    args: &[Word],
) -> Option<bool> {
    let mut frame = Frame { params: &[], vars: &mut [], registers: &mut [], args, stack };
    clear_locals(program, &mut frame);
    bind(program, early, &mut frame);
    let value = run(program, guard, &mut frame, heap, &mut { BUDGET });
    match value {
        Ok(word) if word.tag == Tag::Bool => Some(word.bits != 0),
        Ok(_) => {
            heap.why = Some(NotRelevant::WrongKind);
            None
        }
        Err(_) => None,
    }
}

impl World {
    pub fn new(plan: &Plan, options: Options) -> World {
        let mut heap = Heap::default();
        let words = |heap: &mut Heap, t: &watchword_plan::Tables| {
            t.constants.iter().map(|v| heap.value(v)).collect::<Vec<Word>>()
        };
        let constants = plan.units.iter().map(|u| words(&mut heap, &u.tables)).collect();
        let context_constants = plan.contexts.iter().map(|c| words(&mut heap, &c.tables)).collect();
        heap.pin();
        heap.memory = Memory::new(&options);
        heap.shorter = u64::from(options.is_mutant(32));
        heap.behind = i64::from(options.is_mutant(35));
        World {
            now: 0,
            timed: false,
            index: 0,
            sequence: 0,
            queue: VecDeque::new(),
            reports: Vec::new(),
            moves: Vec::new(),
            said: Vec::new(),
            puzzles: Vec::new(),
            doubts: Vec::new(),
            discarded: 0,
            timers: BinaryHeap::new(),
            timers_kept: 0,
            round: 0,
            heap,
            history: History::new(options.history),
            current: EMPTY,
            stack: vec![Word::UNSET; plan.stack],
            saved: vec![Word::UNSET; plan.saved],
            constants,
            context_constants,
            stats: vec![PropertyStats::default(); plan.units.len()],
            memos: plan.units.iter().map(Memos::new).collect(),
            options,
        }
    }

    /// It is that time now.
    #[inline]
    pub fn set_now(&mut self, time: Time) {
        self.now = time;
        self.heap.now = time;
    }

    /// Whether the engine shall make this mistake: only ever in tests of the tests.
    #[inline]
    pub fn mutant(&self, number: u8) -> bool {
        self.options.is_mutant(number)
    }

    /// The letter of a timer: the events are those of the last external one.
    pub fn timer_letter(&self) -> Letter<'static> {
        Letter {
            event: EventId::END,
            args: &[],
            index: self.index,
            cause: Cause::Time,
            time: self.now,
            thread: None,
            location: None,
            held: None,
        }
    }

    /// Adds a letter to a chain its caller holds, with the state it led to. It is recorded once,
    /// however many take it.
    pub fn remember(
        &mut self,
        chain: u32,
        letter: &Letter<'_>,
        by_deadline: bool,
        state: u32,
    ) -> u32 {
        if self.current == EMPTY {
            self.current = self.history.record(letter, self.timed, by_deadline);
        }
        self.history.push(chain, self.current, state)
    }

    /// Another letter is next.
    #[inline]
    pub fn begin_letter(&mut self) {
        if self.current != EMPTY {
            self.history.let_go(std::mem::replace(&mut self.current, EMPTY));
        }
    }

    /// Counts evaluations that were not relevant; the first ones of a property are reported.
    #[cold]
    pub fn count_not_relevant(&mut self, property: PropertyId, count: u64) {
        let stats = &mut self.stats[property.index()];
        let first = stats.count_not_relevant(property, self.index, self.heap.why, count);
        self.puzzles.extend(first);
    }

    /// An instance or a configuration of a property became inconclusive. Why is what the last
    /// evaluation told the heap.
    #[cold]
    pub fn count_inconclusive(&mut self, property: PropertyId) {
        let stats = &mut self.stats[property.index()];
        stats.inconclusive += 1;
        if stats.inconclusive == 1 {
            let why = self.heap.why.unwrap_or(NotRelevant::NoAnswer);
            self.doubts.push(Doubt { property, index: self.index, why });
        }
    }

    pub fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    pub fn time(&self) -> Option<Time> {
        self.timed.then_some(self.now)
    }

    /// A timer that starts now.
    pub fn start_timer(&mut self, after: Time) -> Timer {
        Timer { at: self.now.saturating_add(after), sequence: self.next() }
    }

    /// The same timer in a copied configuration: it counts as created by the copy.
    pub fn copy_timer(&mut self, timer: Timer) -> Timer {
        if timer.is_running() { Timer { at: timer.at, sequence: self.next() } } else { timer }
    }

    /// Puts a timer that was set or copied now into the queue.
    pub fn await_timer(&mut self, timer: Timer, monitor: u32, context: u32, id: u32, what: What) {
        let round = rounds::after(self.round, self.now, timer.at);
        self.timers.push(Reverse(Due { timer, monitor, context, id, what, round }));
    }

    /// Whether a property observes an event, and as which kind.
    #[inline(always)]
    pub fn observed(&mut self, unit: &Unit, letter: &Letter<'_>) -> Option<u32> {
        let kind = unit.kind_of[letter.event.index()];
        if kind == NONE {
            return None;
        }
        let filter = unit.kinds[kind as usize].filter;
        if filter != NONE && !self.lets_pass(unit, kind, letter) {
            return None;
        }
        self.stats[unit.property.index()].events += 1;
        Some(kind)
    }

    /// Whether a filter lets an event pass.
    #[inline(never)]
    fn lets_pass(&mut self, unit: &Unit, kind: u32, letter: &Letter<'_>) -> bool {
        let row = &unit.kinds[kind as usize];
        if let Some(arg) = row.filter_arg {
            let memo = unit.memos as usize + unit.guard_args.len() + kind as usize;
            let answer = self.answer(unit, memo, arg, Range::default(), row.filter, letter.args);
            return answer == Some(true);
        }
        let program = unit.tables.program(&self.constants[unit.property.index()]);
        let mut frame = Frame {
            params: &[],
            vars: &mut [],
            registers: &mut [],
            args: letter.args,
            stack: &mut self.stack,
        };
        clear_locals(&program, &mut frame);
        let value = run(&program, row.filter, &mut frame, &mut self.heap, &mut { BUDGET });
        self.heap.pending.clear();
        value == Ok(Word::bool(true))
    }

    /// What the first of these choices says that fits an event.
    #[inline(never)]
    pub fn choose(&mut self, unit: &Unit, choices: Range, args: &[Word]) -> Action {
        let mut not_relevant = 0;
        for choice in choices.of(&unit.choices) {
            let fits = choice.label == NONE || {
                let label = &unit.tables.labels[choice.label as usize];
                label.admits(args.len() as u32)
                    && self.passes(unit, label.tests, args)
                    && match choice.memo {
                        NONE => true,
                        _ => self.holds(unit, choice, label, args).unwrap_or_else(|| {
                            not_relevant += 1;
                            false
                        }),
                    }
            };
            if fits {
                // The machine counts for itself.
                if choice.then != Action::Ask && not_relevant > 0 {
                    self.count_not_relevant(unit.property, not_relevant);
                }
                return choice.then;
            }
        }
        if not_relevant > 0 {
            self.count_not_relevant(unit.property, not_relevant);
        }
        Action::Skip
    }

    /// Whether arguments pass tests, all of constants.
    #[inline]
    fn passes(&self, unit: &Unit, tests: Range, args: &[Word]) -> bool {
        let constants = &self.constants[unit.property.index()];
        tests.of(&unit.tables.tests).iter().all(|test| {
            let arg = args.get(test.arg as usize).copied().unwrap_or(Word::NULL);
            let held = match test.place {
                Place::Constant(i) => constants[i as usize],
                _ => Word::UNSET,
            };
            (held.is_set() && same(arg, held, &self.heap)) == test.same
        })
    }

    /// Whether a guard holds that reads one argument; `None` if it is not relevant. The answer is
    /// remembered.
    #[inline]
    fn holds(
        &mut self,
        unit: &Unit,
        choice: &Choice,
        label: &LabelRow,
        args: &[Word],
    ) -> Option<bool> {
        let memo = choice.memo as usize;
        self.answer(unit, memo, choice.arg, label.early, label.guard, args)
    }

    /// What code says that reads one argument and nothing else, from memory if it was asked about
    /// this one before; `None` if it is not relevant.
    #[inline]
    fn answer(
        &mut self,
        unit: &Unit,
        memo: usize,
        arg: u32,
        early: Range,
        code: u32,
        args: &[Word],
    ) -> Option<bool> {
        let property = unit.property.index();
        let arg = args.get(arg as usize).copied().unwrap_or(Word::NULL);
        if let Some(answer) = self.memos[property].recall(memo, arg) {
            return answer;
        }
        let program = unit.tables.program(&self.constants[property]);
        let answer = ask(&program, &mut self.stack, &mut self.heap, early, code, args);
        self.memos[property].remember(memo, arg, answer);
        answer
    }

    /// Handles of texts, lists and maps may mean others from now on.
    pub fn forget_answers(&mut self) {
        self.memos.iter_mut().for_each(|memos| memos.0.fill(None));
    }

    /// Carries out sends, prints and actions of a branch that was taken; what concerns clocks is
    /// left for the caller.
    pub fn flush_outputs(&mut self, plan: &Plan, property: PropertyId) -> Vec<Pending> {
        let mut clocks = Vec::new();
        for output in std::mem::take(&mut self.heap.pending) {
            match output {
                Pending::Send(event, args) => self.queue.push_back((EventId(event), args)),
                Pending::Print(word) => {
                    let text = self.heap.to_value(word).to_string();
                    self.said.push(Said::Print { property, text });
                }
                Pending::Action(name, args) => {
                    let actions = &plan.units[property.index()].tables.actions;
                    let name = actions.get(name as usize).cloned().unwrap_or_default();
                    let args = args.iter().map(|w| self.heap.to_value(*w)).collect();
                    self.said.push(Said::Action { property, name, args });
                }
                Pending::ResetClock(_) | Pending::SetClock(..) | Pending::StopClock(_) => {
                    clocks.push(output);
                }
            }
        }
        clocks
    }

    /// Whether every change of state is to be told, or remembered: then none is taken unseen.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.options.moves || self.history.is_on()
    }

    /// Tells a move; `last` is the letter that brought it about.
    pub fn tell_move(
        &mut self,
        property: PropertyId,
        from: u32,
        to: Option<u32>,
        binding: Vec<(Arc<str>, watchword_model::Value)>,
        last: &Letter<'_>,
        by_deadline: bool,
    ) {
        self.moves.push(Move {
            property,
            from: StateId(from),
            to: to.map(StateId),
            binding,
            event: (!by_deadline).then_some(last.event),
            args: last.args.iter().map(|w| self.heap.to_value(*w)).collect(),
            cause: last.cause,
            index: last.index,
            time: self.timed.then_some(last.time),
        });
    }

    /// Files a report.
    #[allow(clippy::too_many_arguments, reason = "the fields of a report")]
    pub fn report(
        &mut self,
        unit: &Unit,
        kind: ReportKind,
        cause: Cause,
        index: u64,
        time: Option<Time>,
        binding: Vec<(Arc<str>, watchword_model::Value)>,
        state: u32,
        message: String,
        history: u32,
    ) {
        if kind == ReportKind::Violation {
            self.stats[unit.property.index()].violations += 1;
        }
        let cut = self.history.is_cut(history);
        let history = self.history.steps(history, &self.heap);
        self.reports.push(Report {
            property: unit.property,
            kind,
            cause,
            index,
            time,
            binding,
            state: StateId(state),
            message,
            history,
            cut,
        });
    }
}

/// Makes the locals of a transition hold nothing.
pub(crate) fn clear_locals(program: &Program<'_>, frame: &mut Frame<'_>) {
    frame.stack[..program.locals as usize].fill(Word::UNSET);
}

/// What a variable holds at first: what its code says, null if that has no value.
pub(crate) fn initial_value(
    program: &Program<'_>,
    (code, kind): (u32, Kind),
    frame: &mut Frame<'_>,
    heap: &mut Heap,
) -> Word {
    clear_locals(program, frame);
    let value = run(program, code, frame, heap, &mut { BUDGET }).ok();
    // It has no effects.
    heap.pending.clear();
    value.and_then(|word| coerce(word, kind)).unwrap_or(Word::NULL)
}

#[allow(clippy::too_many_arguments, reason = "what a message can be made of")]
/// The message of a report about a state, entered by a branch or not; see “Reports” in the
/// definition of verdicts.
pub(crate) fn message(
    plan: &Plan,
    unit: &Unit,
    program: &Program<'_>,
    state: u32,
    branch: Option<u32>,
    verb: &str,
    frame: &mut Frame<'_>,
    heap: &mut Heap,
) -> String {
    let own = branch.and_then(|b| unit.branch_messages[b as usize].as_ref());
    let detail = own.or(unit.state_messages[state as usize].as_ref());
    let mut text = String::new();
    let mut first = true;
    for template in [unit.message.as_ref(), detail].into_iter().flatten() {
        if !std::mem::take(&mut first) {
            text.push_str(": ");
        }
        for part in template {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Code(code) => match run(program, *code, frame, heap, &mut { BUDGET }) {
                    Ok(word) => text.push_str(&heap.to_value(word).to_string()),
                    Err(_) => text.push('?'),
                },
            }
        }
    }
    heap.pending.clear();
    if first {
        let property = &plan.model.properties[unit.property.index()];
        text = format!("{verb} `{}`", property.states[state as usize].name);
    }
    text
}
