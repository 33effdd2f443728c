//! Who was where a short while ago.

use std::collections::{HashMap, VecDeque};

use watchword_model::Time;
use watchword_step::Word;

use super::super::store::Mixed;
use super::super::world::Timer;
use super::hash_of;

/// One that was at these positions, and is not any more.
#[derive(Clone, Debug)]
pub(super) struct Departed {
    pub state: u32,
    pub registers: Vec<Word>,
    pub deadline: Timer,
    pub from: u64,
    pub to: u64,
}

/// All of them, found by what they hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Departures {
    /// In the order in which they left.
    list: VecDeque<Departed>,
    /// The number of the first one among all there ever were.
    first: u64,
    /// By hash: the numbers of those who have it, oldest first.
    by_hash: HashMap<u64, VecDeque<u64>, Mixed>,
}

impl Departures {
    pub fn push(&mut self, departed: Departed) {
        let hash = hash_of(departed.state, &departed.registers);
        let number = self.first + self.list.len() as u64;
        self.by_hash.entry(hash).or_default().push_back(number);
        self.list.push_back(departed);
    }

    /// Forgets the oldest one, if it left before that position. Answers its registers.
    pub fn forget(&mut self, position: u64) -> Option<Vec<Word>> {
        let departed = self.list.pop_front_if(|d| d.to < position)?;
        self.first += 1;
        let hash = hash_of(departed.state, &departed.registers);
        if let Some(numbers) = self.by_hash.get_mut(&hash) {
            numbers.pop_front();
            if numbers.is_empty() {
                self.by_hash.remove(&hash);
            }
        }
        Some(departed.registers)
    }

    /// Those with a hash.
    pub fn alike(&self, hash: u64) -> impl Iterator<Item = &Departed> {
        let numbers = self.by_hash.get(&hash).into_iter().flatten();
        numbers.filter_map(|number| self.list.get((number - self.first) as usize))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Departed> {
        self.list.iter()
    }

    /// Makes every timer later.
    pub fn delay(&mut self, by: Time) {
        self.list.iter_mut().for_each(|d| d.deadline = d.deadline.later(by));
    }
}
