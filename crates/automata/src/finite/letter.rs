//! Letters, alphabets and words.

use std::fmt;

/// One symbol of a finite alphabet, a number below the alphabet's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter(pub u32);

impl Letter {
    /// The letter as an index into a table with one row per letter.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A finite sequence of letters.
pub type Word = Vec<Letter>;

/// The alphabet `{0, …, len - 1}`.
///
/// Automata over alphabets of different length may be combined: the result is over the longer one,
/// and a letter outside an automaton's own alphabet is simply one it never accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alphabet {
    len: u32,
}

impl Alphabet {
    /// The alphabet with `len` letters.
    pub const fn new(len: u32) -> Self {
        Alphabet { len }
    }

    /// How many letters there are.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there is no letter at all; the only word is then the empty one.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Whether `letter` belongs to the alphabet.
    pub fn contains(self, letter: Letter) -> bool {
        letter.0 < self.len
    }

    /// All letters, in increasing order.
    pub fn letters(self) -> impl DoubleEndedIterator<Item = Letter> + Clone {
        (0..self.len).map(Letter)
    }

    /// The longer of the two alphabets.
    pub fn join(self, other: Alphabet) -> Alphabet {
        self.max(other)
    }
}
