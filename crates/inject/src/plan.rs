//! What a trampoline writes down.

/// Where a captured value begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// An integer register, by its DWARF number.
    Register(u16),
    /// The low half of a vector register.
    Vector(u16),
    /// A word on the stack, this far above the return address. Only when a function is entered.
    Stack(u32),
    /// The thread pointer.
    Thread,
    /// A number that is known beforehand: the address of a variable.
    Constant(u64),
    /// A word that was kept when the function was entered. Only when it returns.
    Kept(usize),
}

/// One word of a record: a value, or what is found by following it through memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Capture {
    /// Where it begins.
    pub start: Start,
    /// Offsets of the pointers on the way, innermost first: each is added to the word so far, and the
    /// word there is the next one.
    pub hops: Vec<i32>,
    /// The last step, with the number of bytes that are read there: 1, 2, 4 or 8.
    pub last: Option<(i32, u8)>,
}

impl Capture {
    /// A word as it is.
    pub fn word(start: Start) -> Capture {
        Capture { start, hops: Vec::new(), last: None }
    }

    /// Whether memory is read that may not be there.
    pub fn follows(&self) -> bool {
        !self.hops.is_empty() || self.last.is_some()
    }
}

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// What the record is recognised by.
    pub id: u32,
    /// Its words, at most [`crate::WORDS`].
    pub captures: Vec<Capture>,
    /// Words that are marked: see [`Mark`].
    pub marks: Vec<Mark>,
    /// If present, the record is left out unless one of these is met.
    pub needs: Option<Vec<Need>>,
}

/// What makes a record worth writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// If present, one of these words was marked before.
    pub marks: Option<Vec<Mark>>,
    /// All of these hold.
    pub tests: Vec<Test>,
}

/// A comparison of a word with a number. It holds if the word cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Test {
    /// Which word of the record.
    pub word: usize,
    /// So many bytes of it count: 1, 2, 4 or 8.
    pub size: u8,
    /// Whether they have to be the same as those of the number, or different.
    pub equal: bool,
    /// The number.
    pub number: u64,
}

/// A word of a record, in a map of words that were met.
///
/// Some events matter only for values that another event had before: a stream is used wrongly only if
/// it was closed. The trampoline of the one *marks* the value, that of the other *tests* it and writes
/// nothing if it was never marked. Different values may share a mark: then more is written than
/// need be, never less. Marks stay. The low four bytes of a word count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Which map, below [`crate::MAPS`].
    pub map: usize,
    /// Which word of the record. Memory is not followed for it.
    pub word: usize,
}

/// What is done when a function returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returning {
    /// What is kept from the entry, at most [`Returning::MOST`] words of registers.
    pub kept: Vec<Start>,
    /// The record.
    pub moment: Moment,
}

impl Returning {
    /// A frame holds so many words.
    pub const MOST: usize = 7;
}

/// What a trampoline does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// When the function is entered.
    pub entering: Option<Moment>,
    /// When it returns.
    pub returning: Option<Returning>,
}
