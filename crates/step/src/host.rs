//! The interface that the embedder of the machine implements.

use core::cmp::Ordering;

use crate::{Aggregate, Builtin, NotRelevant, WindowRow, Word};

/// What a branch does beyond its configuration.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// Raise a channel event.
    Send(u32, &'a [Word]),
    /// Print a line.
    Print(Word),
    /// Run a named action.
    Action(u32, &'a [Word]),
    /// Set a clock running from zero.
    ResetClock(u32),
    /// Set a clock running from zero, to ring after so many nanoseconds.
    SetClock(u32, i64),
    /// Stop a clock.
    StopClock(u32),
}

/// Text, lists, maps and outputs: everything that needs memory of its own.
///
/// Answers of `None` are *not relevant*. A host without a heap answers `None` throughout and
/// runs every property whose expressions are about numbers, truth values, objects and addresses.
pub trait Host {
    /// Whether two lists or two maps are the same.
    fn same(&self, a: Word, b: Word) -> bool;
    /// The order of two texts, by bytes.
    fn order(&self, a: Word, b: Word) -> Ordering;
    /// Whether a text, list or map is small enough to work with.
    fn fits(&self, word: Word) -> bool;
    /// The texts of two values, one after the other.
    fn concat(&mut self, a: Word, b: Word) -> Option<Word>;
    /// The time of the event that is handled, in nanoseconds.
    fn now(&self) -> i64;
    /// A built-in function, where its arguments are not all numbers.
    fn builtin(&mut self, builtin: Builtin, args: &[Word]) -> Option<Word>;
    /// Whether a value shown as a text is this text. `None` if that is found out only by making the text.
    fn shows(&self, _word: Word, _text: Word) -> Option<bool> {
        None
    }
    /// A list of these.
    fn list(&mut self, items: &[Word]) -> Option<Word>;
    /// A map of these: key, value, key, value …
    fn map(&mut self, pairs: &[Word]) -> Option<Word>;
    /// The list a loop over this walks: the list itself, or the keys of the map.
    fn walk(&mut self, word: Word) -> Option<Word>;
    /// An element of a list.
    fn element(&mut self, list: Word, index: usize) -> Option<Word>;
    /// An output. It takes place only if the branch succeeds: see [`Host::discard`].
    fn output(&mut self, output: Output<'_>);
    /// How many outputs there are.
    fn outputs(&self) -> usize;
    /// Forget the outputs beyond the first so many: their branch failed.
    fn discard(&mut self, outputs: usize);
    /// Lets a value enter a window, the one in `held` or a new one; gives what its variable holds
    /// from then on.
    ///
    /// # Errors
    /// If there are no windows, the window does not take such a value, or it has no memory for it.
    fn enter(
        &mut self,
        _held: Word,
        _window: &WindowRow,
        _value: Word,
    ) -> Result<Word, NotRelevant> {
        Err(NotRelevant::WrongKind)
    }
    /// Whether there is memory for a variable or a register to hold this from now on.
    fn keeps(&self, _word: Word) -> bool {
        true
    }
    /// What a window comes to now.
    fn window(&mut self, _held: Word, _aggregate: Aggregate) -> Option<Word> {
        None
    }
    /// Told why an evaluation was not relevant, by a host that wants to know.
    fn failed(&mut self, _why: NotRelevant) {}
}
