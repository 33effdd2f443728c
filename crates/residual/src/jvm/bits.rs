//! Sets of small numbers.

/// A set of numbers, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// The set of one number.
    pub fn of(number: u32) -> Bits {
        let mut bits = Bits::default();
        bits.add(number);
        bits
    }

    /// Adds a number.
    pub fn add(&mut self, number: u32) {
        let word = number as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    /// Whether a number is in it.
    pub fn has(&self, number: u32) -> bool {
        self.word(number as usize / 64) >> (number % 64) & 1 == 1
    }

    /// The numbers from 64 times `at` on, as bits.
    pub fn word(&self, at: usize) -> u64 {
        self.0.get(at).copied().unwrap_or(0)
    }

    /// Adds what `more` has, except for what `except` says, and notes in `new` what was not there.
    /// Returns whether there was anything new.
    pub fn add_all(&mut self, more: &Bits, new: &mut Bits, except: impl Fn(usize) -> u64) -> bool {
        let mut any = false;
        for (at, word) in more.0.iter().enumerate() {
            let fresh = *word & !self.word(at);
            if fresh == 0 {
                continue;
            }
            let fresh = fresh & !except(at);
            if fresh == 0 {
                continue;
            }
            for bits in [&mut *self, &mut *new] {
                if bits.0.len() <= at {
                    bits.0.resize(at + 1, 0);
                }
                bits.0[at] |= fresh;
            }
            any = true;
        }
        any
    }

    /// What is in both.
    pub fn and(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// What is in this one only.
    pub fn without(&self, other: &Bits) -> Bits {
        let one = |(at, word): (usize, &u64)| word & !other.word(at);
        Bits(self.0.iter().enumerate().map(one).collect())
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.checked_sub(1)?;
                Some(at as u32 * 64 + bit)
            })
        })
    }
}
