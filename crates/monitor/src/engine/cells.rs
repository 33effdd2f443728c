//! Instances by one key, in an open-addressing table: the memory of `direct`.
//!
//! Key, state and creation order lie side by side, so that an event costs one access to memory;
//! what only some properties need (variables, histories, classes) lies in columns of its own.

use watchword_near::fetch;
use watchword_step::{Tag, Word};

use super::history::{EMPTY as NO_CHAIN, History};
use super::store::{NEAR, hash_word, index_key};

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

    fn state(self) -> u32 {
        ((self.meta & STATE) >> 4) as u32
    }

    /// The parameter, but for the class of an object.
    fn word(self) -> Word {
        Word { bits: self.bits, aux: 0, tag: Tag::ALL[(self.meta & 0xf) as usize % Tag::ALL.len()] }
    }

    fn is(self, word: Word) -> bool {
        self.bits == word.bits && self.tag() == word.tag as u64
    }

    fn tag(self) -> u64 {
        self.meta & 0xf
    }
}

/// Where a key is, or would be.
#[derive(Clone, Copy)]
pub(crate) enum Found {
    At(usize),
    Free(usize),
}

impl Found {
    #[inline]
    pub fn is_there(self) -> bool {
        matches!(self, Found::At(_))
    }
}

/// See the module's text.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    slots: Vec<Slot>,
    /// As long as `slots`, or empty as long as no object has a class and no history is kept.
    extras: Vec<Extra>,
    /// So many for each of `slots`.
    vars: Vec<Word>,
    width: usize,
    len: usize,
    peak: usize,
}

impl Cells {
    /// A table of instances with that many variables.
    pub fn new(width: usize) -> Cells {
        Cells::with_size(16, width, false)
    }

    fn with_size(size: usize, width: usize, has_extras: bool) -> Cells {
        Cells {
            slots: vec![EMPTY; size],
            extras: vec![NO_EXTRA; if has_extras { size } else { 0 }],
            vars: vec![Word::UNSET; size * width],
            width,
            len: 0,
            peak: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Where a key would best be.
    #[inline]
    pub fn home(&self, word: Word) -> usize {
        hash_word(word) as usize & (self.slots.len() - 1)
    }

    #[inline(always)]
    pub fn find(&self, word: Word) -> Found {
        let mask = self.slots.len() - 1;
        let mut at = self.home(word);
        loop {
            let slot = self.slots[at];
            if slot.is(word) {
                return Found::At(at);
            }
            if slot.is_empty() {
                return Found::Free(at);
            }
            // Numbers of both kinds may be the same; other kinds are the same if they look it.
            let has_float = word.tag == Tag::Float || slot.tag() == Tag::Float as u64;
            if has_float && index_key(slot.word()) == index_key(word) {
                return Found::At(at);
            }
            at = (at + 1) & mask;
        }
    }

    /// Whether it is more than a cache near the processor holds.
    pub fn is_large(&self) -> bool {
        self.slots.len() * (size_of::<Slot>() + self.width * size_of::<Word>()) >= NEAR
    }

    /// Has the memory of places fetched, so that it is near when they are looked for.
    #[inline]
    pub fn fetch(&self, places: &[usize], history: &History) {
        for at in places {
            fetch(&self.slots[*at]);
            if let Some(first) = self.vars.get(at * self.width) {
                fetch(first);
            }
            if let Some(extra) = self.extras.get(*at) {
                fetch(extra);
            }
        }
        if history.is_on() && !self.extras.is_empty() {
            history.fetch(places.iter().map(|at| self.extras[*at].chain));
        }
    }

    /// Adds an instance that is not there. Answers where it is.
    pub fn insert(&mut self, word: Word, seq: u64, state: u32, chain: u32, vars: &[Word]) -> usize {
        if (self.len + 1) * 3 > self.slots.len() * 2 {
            let all: Vec<usize> = self.places().collect();
            self.rebuild(self.slots.len() * 2, &all);
        }
        if (word.aux != 0 || chain != NO_CHAIN) && self.extras.is_empty() {
            self.extras = vec![NO_EXTRA; self.slots.len()];
        }
        match self.find(word) {
            Found::At(at) => at,
            Found::Free(at) => {
                self.slots[at] = Slot::new(word, seq, state);
                if let Some(extra) = self.extras.get_mut(at) {
                    *extra = Extra { class: word.aux, chain };
                }
                self.vars_mut(at).copy_from_slice(vars);
                self.len += 1;
                self.peak = self.peak.max(self.len);
                at
            }
        }
    }

    /// Removes an instance and moves back those that had been pushed past it.
    pub fn remove(&mut self, mut hole: usize) {
        let mask = self.slots.len() - 1;
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let slot = self.slots[at];
            if slot.is_empty() {
                break;
            }
            let home = self.home(slot.word());
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.slots[hole] = slot;
                if !self.extras.is_empty() {
                    self.extras[hole] = self.extras[at];
                }
                self.vars.copy_within(at * self.width..(at + 1) * self.width, hole * self.width);
                hole = at;
            }
        }
        self.slots[hole] = EMPTY;
        if let Some(extra) = self.extras.get_mut(hole) {
            *extra = NO_EXTRA;
        }
        self.len -= 1;
        if self.slots.len() > 1024 && self.len * 8 < self.slots.len() {
            let all: Vec<usize> = self.places().collect();
            self.rebuild(self.slots.len() / 4, &all);
        }
    }

    /// Keeps those that `keep` says, asked once for every place. Answers how many went.
    pub fn retain(&mut self, mut keep: impl FnMut(&Cells, usize) -> bool) -> usize {
        let stay: Vec<usize> = self.places().filter(|at| keep(self, *at)).collect();
        let gone = self.len - stay.len();
        if gone > 0 {
            let is_roomy = self.slots.len() > 1024 && stay.len() * 32 < self.slots.len();
            self.rebuild(if is_roomy { self.slots.len() / 4 } else { self.slots.len() }, &stay);
        }
        gone
    }

    /// A table of that size with the instances at these places.
    fn rebuild(&mut self, size: usize, stay: &[usize]) {
        let new = Cells::with_size(size, self.width, !self.extras.is_empty());
        let old = std::mem::replace(self, new);
        for &at in stay {
            let slot = old.slots[at];
            if let Found::Free(to) = self.find(slot.word()) {
                self.slots[to] = slot;
                if let (Some(to), Some(from)) = (self.extras.get_mut(to), old.extras.get(at)) {
                    *to = *from;
                }
                self.vars_mut(to).copy_from_slice(old.vars(at));
            }
        }
        self.len = stay.len();
        self.peak = old.peak;
    }

    /// Where there is an instance.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.slots.len()).filter(|at| !self.slots[*at].is_empty())
    }

    /// The parameter of an instance.
    pub fn word(&self, at: usize) -> Word {
        let class = self.extras.get(at).map_or(0, |extra| extra.class);
        Word { aux: class, ..self.slots[at].word() }
    }

    /// Its place in the order of creation.
    pub fn seq(&self, at: usize) -> u64 {
        self.slots[at].meta >> 20
    }

    #[inline]
    pub fn state(&self, at: usize) -> u32 {
        self.slots[at].state()
    }

    #[inline]
    pub fn set_state(&mut self, at: usize, state: u32) {
        let meta = &mut self.slots[at].meta;
        *meta = *meta & !STATE | u64::from(state) << 4;
    }

    #[inline]
    pub fn vars(&self, at: usize) -> &[Word] {
        &self.vars[at * self.width..(at + 1) * self.width]
    }

    #[inline]
    pub fn vars_mut(&mut self, at: usize) -> &mut [Word] {
        &mut self.vars[at * self.width..(at + 1) * self.width]
    }

    /// Its history.
    #[inline]
    pub fn chain(&self, at: usize) -> u32 {
        self.extras.get(at).map_or(NO_CHAIN, |extra| extra.chain)
    }

    /// Gives it another history.
    pub fn set_chain(&mut self, at: usize, chain: u32) {
        if self.extras.is_empty() && chain != NO_CHAIN {
            self.extras = vec![NO_EXTRA; self.slots.len()];
        }
        if let Some(extra) = self.extras.get_mut(at) {
            extra.chain = chain;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_keep_what_is_theirs_when_others_come_and_go() {
        let mut cells = Cells::new(2);
        let key = |i: i64| Word::int(i.wrapping_mul(0x1234_5678_9abc));
        let vars = |i: i64| [Word::int(-i), Word::float(i as f64)];
        let is = |cells: &Cells, i: i64| match cells.find(key(i)) {
            Found::At(at) => {
                assert_eq!(cells.vars(at), vars(i));
                assert_eq!((cells.seq(at), cells.state(at)), (i as u64 + 1, i as u32 % 7));
                true
            }
            Found::Free(_) => false,
        };
        for round in 0..3 {
            for i in (0..5000).filter(|i| round == 0 || i % 3 == 0) {
                cells.insert(key(i), i as u64 + 1, i as u32 % 7, NO_CHAIN, &vars(i));
            }
            for i in (0..5000).filter(|i| i % 3 == 0) {
                let Found::At(at) = cells.find(key(i)) else { panic!("{i} is there") };
                cells.remove(at);
            }
            assert!((0..5000).all(|i| is(&cells, i) == (i % 3 != 0)));
        }
        let gone = cells.retain(|cells, at| cells.seq(at) % 100 == 0);
        assert_eq!(gone + cells.len(), 3333);
        assert!((0..5000).all(|i| is(&cells, i) == (i % 3 != 0 && i % 100 == 99)));
        assert_eq!(cells.peak(), 5000);
    }
}
