//! A bound on the memory that instances, their values and their windows take up.
//!
//! Windows and records are counted exactly when they come and go. Texts, lists and maps are shared,
//! so what they take up is known only after a sweep; what is added in between is added up.

use super::Options;

/// What a list or a map takes up for each unit of its weight.
pub(crate) const PER_WEIGHT: usize = 64;
/// What a text takes up besides its characters.
pub(crate) const PER_TEXT: usize = 48;

/// How much memory there is, and how much of it is used, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    most: usize,
    /// Windows and records.
    exact: usize,
    /// Texts, lists and maps at the last sweep.
    swept: usize,
    /// Those that were added since.
    added: usize,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { most: usize::MAX, exact: 0, swept: 0, added: 0 }
    }
}

impl Memory {
    pub fn new(options: &Options) -> Memory {
        let most = options.max_memory.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
        Memory { most: most.unwrap_or(usize::MAX), ..Memory::default() }
    }

    #[inline]
    pub fn is_limited(&self) -> bool {
        self.most != usize::MAX
    }

    /// How much is used; 0 if there is no limit.
    pub fn in_use(&self) -> u64 {
        if self.is_limited() { self.used() as u64 } else { 0 }
    }

    fn used(&self) -> usize {
        self.exact.saturating_add(self.swept).saturating_add(self.added)
    }

    /// Whether there is no room for so many bytes more.
    #[inline]
    pub fn lacks(&self, bytes: usize) -> bool {
        self.is_limited() && self.used().saturating_add(bytes) > self.most
    }

    /// A record or a part of a window was made.
    #[inline]
    pub fn take(&mut self, bytes: usize) {
        self.exact = self.exact.saturating_add(bytes);
    }

    /// A record or a window was given back.
    #[inline]
    pub fn give_back(&mut self, bytes: usize) {
        self.exact = self.exact.saturating_sub(bytes);
    }

    /// A text, a list or a map was made.
    #[inline]
    pub fn add(&mut self, bytes: usize) {
        self.added = self.added.saturating_add(bytes);
    }

    /// Whether memory is short, and a sweep may help: so much was added since the last one.
    #[inline]
    pub fn wants_sweep(&self) -> bool {
        self.is_limited() && self.added > self.most / 16 && self.used() > self.most - self.most / 8
    }

    /// A sweep found that so much is used.
    pub fn set(&mut self, exact: usize, swept: usize) {
        (self.exact, self.swept, self.added) = (exact, swept, 0);
    }
}
