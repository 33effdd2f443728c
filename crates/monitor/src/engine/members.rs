//! The instances of one context: records, and beside them what only some contexts need.

use watchword_model::{EventId, Time};
use watchword_step::Word;

use super::history::EMPTY;
use super::store::Store;
use super::world::{Timer, World};

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
    /// If histories are kept, one per automaton.
    histories: Vec<u32>,
    has_history: bool,
}

impl Members {
    pub fn new(
        store: Store,
        automata: usize,
        has_deadlines: bool,
        has_clocks: bool,
        has_history: bool,
    ) -> Members {
        Members {
            store,
            automata,
            states: Vec::new(),
            deadlines: Vec::new(),
            has_deadlines,
            alarms: Vec::new(),
            has_clocks,
            histories: Vec::new(),
            has_history,
        }
    }

    /// A new record, with nothing running and every automaton ended.
    pub fn insert(&mut self, partition: usize, seq: u64, words: &[Word]) -> u32 {
        let id = self.store.insert(partition, seq, words);
        let end = self.store.slots() * self.automata;
        if self.automata == 1 {
            self.store.head_mut(id).state = ENDED;
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
        id
    }

    /// Stops everything and removes the record.
    pub fn remove(&mut self, world: &mut World, id: u32) {
        self.clear(world, id);
        self.store.remove(id);
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
    }

    #[inline]
    pub fn state(&self, id: u32, automaton: usize) -> u32 {
        if self.automata == 1 {
            self.store.head(id).state
        } else {
            self.states[id as usize * self.automata + automaton]
        }
    }

    #[inline]
    pub fn set_state(&mut self, id: u32, automaton: usize, state: u32) {
        if self.automata == 1 {
            self.store.head_mut(id).state = state;
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
}
