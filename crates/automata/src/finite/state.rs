//! State identifiers.

use std::fmt;

/// A state of one particular automaton, numbered from zero.
///
/// An id means something only for the automaton it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub(crate) u32);

impl StateId {
    /// The id with this number.
    pub fn new(number: u32) -> Self {
        StateId(number)
    }

    /// The state as an index into a table with one row per state.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> Self {
        // An automaton with 2^32 states does not fit in memory, so the cast loses nothing.
        StateId(index as u32)
    }
}

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q{}", self.0)
    }
}
