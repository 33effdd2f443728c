//! The instances of one context: records, and beside them what only some contexts need.

use watchword_model::{EventId, Time};
use watchword_near::fetch;
use watchword_step::Word;

use super::heap::Heap;
use super::history::EMPTY;
use super::save::{Reader, Restored, Writer, wrong};
use super::store::Store;
use super::world::{Timer, What, World};

/// An alarm that will still go off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm {
    pub clock: u32,
    pub timer: Timer,
    pub event: EventId,
}

/// The state of an automaton that has ended.
pub(crate) const ENDED: u32 = u32::MAX;

/// A record's words are its parameters, then its own variables.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    pub store: Store,
    /// How many automata an instance has.
    pub automata: usize,
    /// Of contexts with other than one automaton: their states.
    states: Vec<u32>,
    /// If some state has a deadline: the running ones.
    deadlines: Vec<Timer>,
    has_deadlines: bool,
    /// If there are clocks.
    alarms: Vec<Vec<Alarm>>,
    has_clocks: bool,
    /// How many of the last words hold windows.
    windows: usize,
    /// If histories are kept, one per automaton.
    histories: Vec<u32>,
    has_history: bool,
    /// If there are marks: when each was last known to be where those above it are.
    syncs: Vec<u64>,
    has_syncs: bool,
    /// If asked for: by automaton and state, how many are there.
    occupied: Vec<u32>,
    /// How often a state without instances was entered, or left by its last instance.
    changes: u64,
}

impl Members {
    pub fn new(
        store: Store,
        automata: usize,
        has_deadlines: bool,
        has_clocks: bool,
        has_history: bool,
        windows: usize,
    ) -> Members {
        Members {
            store,
            automata,
            states: Vec::new(),
            deadlines: Vec::new(),
            has_deadlines,
            alarms: Vec::new(),
            has_clocks,
            windows,
            histories: Vec::new(),
            has_history,
            syncs: Vec::new(),
            has_syncs: false,
            occupied: Vec::new(),
            changes: 0,
        }
    }

    /// From now on, stores when each instance was in step with those above it. There must be no
    /// instances yet.
    pub fn keep_syncs(&mut self) {
        self.has_syncs = true;
    }

    /// From now on, counts the instances in each of this number of states. There must be no
    /// instances yet.
    pub fn count_states(&mut self, states: usize) {
        self.occupied = vec![0; self.automata * states];
    }

    /// A number that changes when [`Members::occupied`] may have changed; `None` without counting.
    pub fn changes(&self) -> Option<u64> {
        (!self.occupied.is_empty()).then_some(self.changes)
    }

    /// By state: whether the automaton of some instance is in it.
    pub fn occupied(&self, automaton: usize, states: usize) -> Vec<bool> {
        if !self.occupied.is_empty() {
            let each = self.occupied.len() / self.automata;
            return self.occupied[automaton * each..][..states].iter().map(|n| *n > 0).collect();
        }
        let mut occupied = vec![false; states];
        for id in self.store.all() {
            if let Some(state) = occupied.get_mut(self.state(id, automaton) as usize) {
                *state = true;
            }
        }
        occupied
    }

    #[cold]
    fn recount(&mut self, automaton: usize, from: u32, to: u32) {
        let each = self.occupied.len() / self.automata;
        for (state, more) in [(to, true), (from, false)] {
            if state == ENDED {
                continue;
            }
            let count = &mut self.occupied[automaton * each + state as usize];
            let before = *count;
            *count = if more { before + 1 } else { before - 1 };
            self.changes += u64::from(before == 0 || *count == 0);
        }
    }

    /// A new record, with nothing running and every automaton ended; words that are not given are
    /// null.
    pub fn insert(&mut self, partition: usize, seq: u64, words: &[Word]) -> u32 {
        let id = self.store.insert(partition, seq, words);
        let end = self.store.slots() * self.automata;
        if self.automata == 1 {
            self.store.set_state(id, ENDED);
        } else if self.states.len() < end {
            self.states.resize(end, ENDED);
        }
        if self.has_deadlines && self.deadlines.len() < end {
            self.deadlines.resize(end, Timer::NONE);
        }
        if self.has_clocks && self.alarms.len() < self.store.slots() {
            self.alarms.resize(self.store.slots(), Vec::new());
        }
        if self.has_history && self.histories.len() < end {
            self.histories.resize(end, EMPTY);
        }
        if self.has_syncs {
            if self.syncs.len() < self.store.slots() {
                self.syncs.resize(self.store.slots(), 0);
            }
            self.syncs[id as usize] = 0;
        }
        id
    }

    /// The memory that one instance takes up, without its values.
    pub fn record_bytes(&self) -> usize {
        let timers = usize::from(self.has_deadlines) * 2 * size_of::<Timer>();
        let histories = usize::from(self.has_history) * size_of::<u32>();
        self.store.record_bytes() + self.automata * (timers + histories)
    }

    /// The memory that all instances take up, without their values.
    pub fn bytes(&self) -> usize {
        self.store.len() * self.record_bytes()
    }

    /// Stops everything and removes the record.
    pub fn remove(&mut self, world: &mut World, id: u32) {
        self.clear(world, id);
        world.heap.memory.give_back(self.record_bytes());
        self.store.remove(id);
    }

    /// [`Members::remove`] for many.
    pub fn remove_many(&mut self, world: &mut World, going: &[u32]) {
        going.iter().for_each(|id| self.clear(world, *id));
        world.heap.memory.give_back(going.len() * self.record_bytes());
        self.store.remove_many(going);
    }

    /// Stops everything.
    pub fn clear(&mut self, world: &mut World, id: u32) {
        for automaton in 0..self.automata {
            self.set_state(id, automaton, ENDED);
            self.set_deadline(id, automaton, Timer::NONE);
            world.history.release(self.history(id, automaton));
            self.set_history(id, automaton, EMPTY);
        }
        if self.has_clocks {
            self.alarms[id as usize].clear();
        }
        self.drop_windows(world, id);
    }

    pub fn has_windows(&self) -> bool {
        self.windows > 0
    }

    /// What an instance holds in place of its windows.
    pub fn windows_of(&self, id: u32) -> &[Word] {
        let words = self.store.words(id);
        &words[words.len() - self.windows..]
    }

    /// Gives the memory of an instance's windows back.
    pub fn drop_windows(&mut self, world: &mut World, id: u32) {
        if self.windows > 0 {
            let words = self.store.words_mut(id);
            let first = words.len() - self.windows;
            for word in &mut words[first..] {
                world.heap.drop_window(std::mem::replace(word, Word::NULL));
            }
        }
    }

    #[inline]
    pub fn state(&self, id: u32, automaton: usize) -> u32 {
        if self.automata == 1 {
            self.store.state(id)
        } else {
            self.states[id as usize * self.automata + automaton]
        }
    }

    #[inline]
    pub fn set_state(&mut self, id: u32, automaton: usize, state: u32) {
        if !self.occupied.is_empty() {
            self.recount(automaton, self.state(id, automaton), state);
        }
        if self.automata == 1 {
            self.store.set_state(id, state);
        } else {
            self.states[id as usize * self.automata + automaton] = state;
        }
    }

    pub fn all_ended(&self, id: u32) -> bool {
        (0..self.automata).all(|a| self.state(id, a) == ENDED)
    }

    pub fn deadline(&self, id: u32, automaton: usize) -> Timer {
        match self.has_deadlines {
            true => self.deadlines[id as usize * self.automata + automaton],
            false => Timer::NONE,
        }
    }

    pub fn set_deadline(&mut self, id: u32, automaton: usize, timer: Timer) {
        if self.has_deadlines {
            self.deadlines[id as usize * self.automata + automaton] = timer;
        }
    }

    /// Makes every timer later.
    pub fn delay(&mut self, by: Time) {
        self.deadlines.iter_mut().for_each(|t| *t = t.later(by));
        self.alarms.iter_mut().flatten().for_each(|a| a.timer = a.timer.later(by));
    }

    pub fn alarms(&self, id: u32) -> &[Alarm] {
        if self.has_clocks { &self.alarms[id as usize] } else { &[] }
    }

    pub fn alarms_mut(&mut self, id: u32) -> Option<&mut Vec<Alarm>> {
        if self.has_clocks { self.alarms.get_mut(id as usize) } else { None }
    }

    /// Has the memory of an instance fetched.
    #[inline]
    pub fn fetch(&self, id: u32) {
        self.store.fetch(id);
        if self.has_history
            && let Some(history) = self.histories.get(id as usize * self.automata)
        {
            fetch(history);
        }
    }

    pub fn history(&self, id: u32, automaton: usize) -> u32 {
        match self.has_history {
            true => self.histories[id as usize * self.automata + automaton],
            false => EMPTY,
        }
    }

    pub fn set_history(&mut self, id: u32, automaton: usize, history: u32) {
        if self.has_history {
            self.histories[id as usize * self.automata + automaton] = history;
        }
    }

    /// When an instance was last in step with those above it; 0 if it never was.
    pub fn sync(&self, id: u32) -> u64 {
        if self.has_syncs { self.syncs[id as usize] } else { 0 }
    }

    /// It is in step with those above it, or was at that time.
    pub fn set_sync(&mut self, id: u32, time: u64) {
        if self.has_syncs {
            self.syncs[id as usize] = time;
        }
    }

    /// Every instance as bytes, in order of creation.
    pub fn save(&self, out: &mut Writer, heap: &Heap) {
        out.u64(self.store.len() as u64);
        for id in self.store.in_order() {
            let head = self.store.head(id);
            out.u64(u64::from(head.partition));
            out.u64(head.seq);
            out.bool(head.begun);
            out.bool(head.lost);
            self.store.words(id).iter().for_each(|w| out.word(*w, heap));
            for automaton in 0..self.automata {
                out.u64(u64::from(self.state(id, automaton)));
                out.timer(self.deadline(id, automaton));
            }
            if self.has_syncs {
                out.u64(self.syncs[id as usize]);
            }
            let alarms = self.alarms(id);
            out.u64(alarms.len() as u64);
            for alarm in alarms {
                out.u64(u64::from(alarm.clock));
                out.timer(alarm.timer);
                out.u64(u64::from(alarm.event.0));
            }
        }
    }

    /// Reads instances back, into members that are empty. The first `binding` words are compared
    /// by handle; `states` of each automaton bound what is read.
    pub fn restore(
        &mut self,
        from: &mut Reader<'_>,
        heap: &mut Heap,
        binding: usize,
        states: &[usize],
        events: usize,
        mut timer: impl FnMut(Timer, u32, What),
    ) -> Restored<()> {
        for _ in 0..from.len()? {
            let partition = from.len_below(self.store.partitions())?;
            let seq = from.u64()?;
            let begun = from.bool()?;
            let lost = from.bool()?;
            let width = self.store.width();
            let mut words: Vec<Word> =
                (0..width).map(|_| from.word(heap)).collect::<Restored<_>>()?;
            for word in words[..binding].iter_mut().filter(|w| w.is_heap()) {
                *word = heap.parameter(*word).ok_or(wrong("a parameter has no key"))?;
            }
            if self.store.find(partition, 0, &words).is_some() {
                return Err(wrong("an instance is there twice"));
            }
            let id = self.insert(partition, seq, &words);
            self.store.set_begun(id, begun);
            if lost {
                self.store.set_lost(id);
            }
            for (automaton, states) in states.iter().enumerate() {
                let state = from.u32()?;
                if state != ENDED && state as usize >= *states {
                    return Err(wrong("there is no such state"));
                }
                self.set_state(id, automaton, state);
                let deadline = from.timer()?;
                self.set_deadline(id, automaton, deadline);
                if deadline.is_running() {
                    timer(deadline, id, What::Deadline(automaton as u32));
                }
            }
            if self.has_syncs {
                self.syncs[id as usize] = from.u64()?;
            }
            for _ in 0..from.len()? {
                let clock = from.u32()?;
                let alarm = Alarm { clock, timer: from.timer()?, event: from.event(events)? };
                timer(alarm.timer, id, What::Alarm(clock, alarm.event));
                if let Some(alarms) = self.alarms_mut(id) {
                    alarms.push(alarm);
                }
            }
        }
        Ok(())
    }
}
