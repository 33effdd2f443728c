//! What a trampoline does.

use crate::table::Layout;

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
    /// What is done to instances that are inside the program, at most [`Step::MOST`].
    pub steps: Vec<Step>,
}

/// What an event does to the instances of a property that are inside the program; see
/// [`crate::Table`]. If it does not come to its end there, a record is written; the steps that did are
/// [marked](crate::Record::is_done) in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where the table is in the program.
    pub table: u64,
    /// What it is like.
    pub layout: Layout,
    /// What the step is remembered by.
    pub site: u16,
    /// What it is counted as, below [`crate::KINDS`].
    pub kind: usize,
    /// If present, whether the function has to be called from inside its library, and the function.
    pub caller: Option<(bool, u64)>,
    /// If present, nothing is done unless one of these is met.
    pub needs: Option<Vec<Need>>,
    /// What it does to whom.
    pub effect: Effect,
    /// The words of the record that are remembered.
    pub kept: Vec<usize>,
}

impl Step {
    /// A moment has at most so many.
    pub const MOST: usize = 8;
}

/// What an event does to instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Steps the instance with these keys. By state: the first of the choices that fits is taken; if none
    /// does, nothing happens.
    One(Keys, Vec<Vec<Choice>>),
    /// The tracer takes over the instances with these keys, and steps them.
    Out(Vec<Keys>),
    /// The tracer takes over the instances with this first key that are not as new, and steps them.
    All(Operand),
}

/// The keys of an instance. Without a second parameter, the second one is the constant 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The first one. If it is zero, there is no such instance; a [`Operand::Key`] that is zero is the
    /// tracer's.
    pub first: Operand,
    /// The second one.
    pub second: Operand,
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// So many bytes of a word of the record, and whether they are signed.
    Word(usize, u8, bool),
    /// The same as a key: no number but the smallest one is zero.
    Key(usize, u8, bool),
    /// The number of the thread.
    Thread,
    /// The variable of the instance.
    Variable,
    /// A constant.
    Constant(i64),
}

/// One way in which an instance can be stepped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// When it is taken.
    pub when: Condition,
    /// What happens then.
    pub then: Then,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It always holds, or never.
    Constant(bool),
    /// The tracer has to find out.
    Unknown,
    /// Two numbers compare like this.
    Compare(Operand, Comparison, Operand),
    /// Another condition does not hold.
    Not(Box<Condition>),
    /// Both hold; the second one is looked at only if the first one does.
    And(Box<Condition>, Box<Condition>),
    /// One of them holds; the second one is looked at only if the first one does not.
    Or(Box<Condition>, Box<Condition>),
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are what they are called")]
pub enum Comparison {
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What happens to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The tracer takes it over and steps it.
    Out,
    /// Its variable changes, and then its state.
    Go(Option<Update>, u16),
}

/// How a variable changes. If the sum is no number, the tracer takes the instance over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It becomes this number.
    Set(i64),
    /// This number is added.
    Add(i32),
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

/// What a trampoline does when a function is entered and when it returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// When the function is entered.
    pub entering: Option<Moment>,
    /// When it returns.
    pub returning: Option<Returning>,
}
