//! Buckets with many records, by what events do to them.
//!
//! An event that looks up a bucket steps every record in it, also those it changes nothing of. Where
//! those are many, the bucket becomes a *crowd*: its records lie in one list per *class*, which are
//! the states in which the same events, of those that look up this index, do something. An event
//! then looks at the lists of its own classes only.

use super::store::{NIL, Table};

/// The states of an index in which the same events do something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    /// By state; states beyond have the last class.
    of: Vec<u8>,
    /// By kind of event: the classes it does something to, as bits.
    awake: Vec<u64>,
    count: usize,
}

impl Classes {
    /// `does` says whether an event of a kind does something in a state, for the kinds that look up
    /// this index. `None` if there is nothing to be gained.
    pub fn new(
        states: usize,
        kinds: usize,
        looks: &[u32],
        does: impl Fn(u32, u32) -> bool,
    ) -> Option<Classes> {
        let mut sets: Vec<Vec<bool>> = Vec::new();
        let mut of = Vec::new();
        for state in 0..=states as u32 {
            let set: Vec<bool> = looks.iter().map(|kind| does(state, *kind)).collect();
            let known = sets.iter().position(|other| *other == set);
            of.push(known.unwrap_or(sets.len()) as u8);
            if known.is_none() {
                sets.push(set);
            }
        }
        if sets.len() < 2 || sets.len() > 64 {
            return None;
        }
        let mut awake = vec![u64::MAX; kinds];
        for (at, kind) in looks.iter().enumerate() {
            let classes = sets.iter().enumerate().filter(|(_, set)| set[at]);
            awake[*kind as usize] = classes.fold(0, |bits, (class, _)| bits | 1 << class);
        }
        Some(Classes { of, awake, count: sets.len() })
    }

    #[inline]
    pub fn of(&self, state: u32) -> usize {
        let at = (state as usize).min(self.of.len() - 1);
        usize::from(self.of[at])
    }

    /// The classes an event of a kind does something to, as bits.
    pub fn awake(&self, kind: u32) -> u64 {
        self.awake[kind as usize]
    }
}

/// A crowd: the first record of every class.
#[derive(Clone, Debug)]
pub(crate) struct Crowd {
    pub hash: u32,
    pub firsts: Vec<u32>,
    pub len: usize,
}

impl Crowd {
    /// Any of its records.
    pub fn any(&self) -> u32 {
        self.firsts.iter().copied().find(|first| *first != NIL).unwrap_or(NIL)
    }
}

/// The crowds of one index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowds {
    /// From key to crowd.
    table: Table,
    all: Vec<Crowd>,
    free: Vec<u32>,
    /// By record: its crowd.
    of: Vec<u32>,
}

impl Crowds {
    /// The crowd with a key; `is` says whether a record has it.
    #[inline]
    pub fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.table.find(hash, |crowd| is(self.all[crowd as usize].any()))
    }

    pub fn get(&self, crowd: u32) -> &Crowd {
        &self.all[crowd as usize]
    }

    /// The crowd a record is in.
    #[inline]
    pub fn of(&self, id: u32) -> Option<u32> {
        self.of.get(id as usize).copied().filter(|crowd| *crowd != NIL)
    }

    /// A new crowd without records.
    pub fn make(&mut self, hash: u32, classes: &Classes) -> u32 {
        let new = Crowd { hash, firsts: vec![NIL; classes.count], len: 0 };
        let number = self.free.pop().unwrap_or(self.all.len() as u32);
        match self.all.get_mut(number as usize) {
            Some(crowd) => *crowd = new,
            None => self.all.push(new),
        }
        self.table.insert(hash, number);
        number
    }

    /// Counts a record in.
    pub fn enter(&mut self, crowd: u32, id: u32) {
        if self.of.len() <= id as usize {
            self.of.resize(id as usize + 1, NIL);
        }
        self.of[id as usize] = crowd;
        self.all[crowd as usize].len += 1;
    }

    /// Removes a record from the count; an empty crowd is removed.
    pub fn leave(&mut self, crowd: u32, id: u32) {
        self.of[id as usize] = NIL;
        let left = &mut self.all[crowd as usize];
        left.len -= 1;
        if left.len == 0 {
            let hash = left.hash;
            self.table.remove(hash, crowd);
            self.free.push(crowd);
        }
    }

    /// The first record of a class.
    pub fn first(&mut self, crowd: u32, class: usize) -> &mut u32 {
        &mut self.all[crowd as usize].firsts[class]
    }
}
