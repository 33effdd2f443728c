//! Sets of numbers.

/// A set of numbers: words of 64 bits that are not empty, ascending, each with its position. Most sets
/// have few numbers, which may be large.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits(Vec<(u32, u64)>);

impl Bits {
    /// The set of one number.
    pub fn of(number: u32) -> Bits {
        Bits(vec![(number / 64, 1 << (number % 64))])
    }

    fn find(&self, at: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&at, |(at, _)| *at)
    }

    /// Adds a number.
    pub fn add(&mut self, number: u32) {
        let (at, bit) = (number / 64, 1 << (number % 64));
        match self.find(at) {
            Ok(index) => self.0[index].1 |= bit,
            Err(index) => self.0.insert(index, (at, bit)),
        }
    }

    /// Whether a number is in it.
    pub fn has(&self, number: u32) -> bool {
        self.word(number / 64) >> (number % 64) & 1 == 1
    }

    /// The numbers from 64 times `at` on, as bits.
    pub fn word(&self, at: u32) -> u64 {
        self.find(at).map_or(0, |index| self.0[index].1)
    }

    /// Adds what `more` has, except for what `except` says, and notes in `new` what was not there.
    /// Returns whether there was anything new.
    pub fn add_all(&mut self, more: &Bits, new: &mut Bits, except: impl Fn(u32) -> u64) -> bool {
        // Mostly there is nothing new, which takes no room to find out.
        let mut fresh = Bits::default();
        let mut here = &self.0[..];
        for (at, word) in &more.0 {
            here = skip(here, *at);
            let known = here.first().filter(|known| known.0 == *at).map_or(0, |known| known.1);
            let left = word & !known;
            if left != 0 {
                let left = left & !except(*at);
                if left != 0 {
                    fresh.0.push((*at, left));
                }
            }
        }
        if fresh.0.is_empty() {
            return false;
        }
        self.join(&fresh);
        new.join(&fresh);
        true
    }

    fn join(&mut self, more: &Bits) {
        if self.0.last().is_none_or(|(last, _)| more.0.first().is_some_and(|(at, _)| last < at)) {
            self.0.extend_from_slice(&more.0);
            return;
        }
        let mut here = 0;
        let mut missing = 0;
        for (at, word) in &more.0 {
            here = self.0.len() - skip(&self.0[here..], *at).len();
            match self.0.get_mut(here).filter(|known| known.0 == *at) {
                Some(known) => known.1 |= word,
                None => missing += 1,
            }
        }
        // From the end, as there is room.
        let (mut from, mut to) = (self.0.len(), self.0.len() + missing);
        self.0.resize(to, (0, 0));
        for (at, word) in more.0.iter().rev() {
            while from > 0 && self.0[from - 1].0 > *at {
                (from, to) = (from - 1, to - 1);
                self.0[to] = self.0[from];
            }
            if from == to {
                return;
            }
            if from == 0 || self.0[from - 1].0 < *at {
                to -= 1;
                self.0[to] = (*at, *word);
            }
        }
    }

    /// By word of this one: that of the other.
    fn beside<'b>(&'b self, other: &'b Bits) -> impl Iterator<Item = (u32, u64, u64)> + 'b {
        let mut others = other.0.iter().copied().peekable();
        self.0.iter().map(move |(at, word)| {
            while others.next_if(|other| other.0 < *at).is_some() {}
            let same = others.next_if(|other| other.0 == *at);
            (*at, *word, same.map_or(0, |other| other.1))
        })
    }

    /// What is in both.
    pub fn and(&self, other: &Bits) -> Bits {
        let both = self.beside(other).map(|(at, one, two)| (at, one & two));
        Bits(both.filter(|(_, word)| *word != 0).collect())
    }

    /// What is in this one only.
    pub fn without(&self, other: &Bits) -> Bits {
        let one = self.beside(other).map(|(at, one, two)| (at, one & !two));
        Bits(one.filter(|(_, word)| *word != 0).collect())
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.checked_sub(1)?;
                Some(at * 64 + bit)
            })
        })
    }
}

/// What begins at a position or behind it.
fn skip(words: &[(u32, u64)], at: u32) -> &[(u32, u64)] {
    const NEAR: usize = 8;
    let near = words.iter().take(NEAR).take_while(|word| word.0 < at).count();
    match near {
        NEAR => &words[words.partition_point(|word| word.0 < at)..],
        near => &words[near..],
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;
    use std::collections::BTreeSet;

    #[test]
    fn sets_of_bits_are_sets() {
        let mut state = 7u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % 700
        };
        let is = |bits: &Bits, set: &BTreeSet<u32>| bits.iter().eq(set.iter().copied());
        for _ in 0..300 {
            let mut sets: [BTreeSet<u32>; 3] = Default::default();
            for set in &mut sets {
                set.extend((0..number() % 20).map(|_| number()));
            }
            let [mut one, two, mut new] = sets.clone().map(|set| {
                let mut bits = Bits::default();
                set.into_iter().for_each(|number| bits.add(number));
                bits
            });
            let [a, b, c] = sets;
            assert!(is(&one, &a) && (0..700).all(|n| one.has(n) == a.contains(&n)));
            assert!(is(&one.and(&two), &(&a & &b)) && is(&one.without(&two), &(&a - &b)));
            let fresh: BTreeSet<u32> = (&b - &a).into_iter().filter(|n| n % 64 != 3).collect();
            assert_eq!(one.add_all(&two, &mut new, |_| 1 << 3), !fresh.is_empty());
            assert!(is(&one, &(&a | &fresh)) && is(&new, &(&c | &fresh)));
        }
    }
}
