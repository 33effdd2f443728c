//! State in the objects: what the runtime is told of the properties whose plan says so (see `home` in
//! `watchword-plan`).
//!
//! A site of the program has up to four *operations*, fourteen bits each: which letter, which
//! operands; the sign bit says that the engine wants the event as well. What a letter does may depend
//! on its *case*: on a truth value, on whether an object is there, on the class of an object. How the
//! case is found is a [`Choice`], of which each operation has one. The runtime steps the state of the
//! objects by tables (`java/base/java/util/WatchwordSteps`); the agent is only asked for reports.

use watchword_classfile::{ClassEditor, ClassFile, Result, access};

/// Name of the field of `java.lang.Thread` that has a thread's counters.
pub const COUNTERS: &str = "$watchword$counts";

/// What an operation says to the objects, as the runtime knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// The state is in the lane at this bit, below [`LANE_BITS`].
    Lane(u32),
    /// The leaf of a chain.
    Leaf(u32),
    /// The root of a chain.
    Root(u32),
    /// Root, and leaf or middle.
    Link(u32),
    /// Middle and leaf.
    Grow(u32),
}

impl OperationKind {
    /// As a number; `counter` counts the instances that begin.
    pub fn bits(self, counter: usize) -> i32 {
        let (role, what) = match self {
            OperationKind::Lane(shift) => (0, shift),
            OperationKind::Leaf(chain) => (1, chain),
            OperationKind::Root(chain) => (2, chain),
            OperationKind::Link(chain) => (3, chain),
            OperationKind::Grow(chain) => (4, chain),
        };
        (role | what << 8 | (counter as u32) << 16) as i32
    }
}

/// A cell has so many bits for lanes.
pub const LANE_BITS: u32 = 256;

/// How many operations a site can have.
pub const MAX_OPERATIONS: usize = 4;
const OPERATION_BITS: usize = 14;
const OPERATION_MASK: i64 = (1 << OPERATION_BITS) - 1;

/// One operation of a site: the letter, and whether the first and the second object are the hook's
/// second.
pub fn operation(letter: usize, first: bool, second: bool) -> i64 {
    i64::from(first) | i64::from(second) << 1 | (letter as i64) << 2
}

/// The operations in a number, as [`operation`] makes them.
pub fn each_operation(packed: i64) -> impl Iterator<Item = i64> {
    let parts = (0..MAX_OPERATIONS).map(move |at| packed >> (OPERATION_BITS * at) & OPERATION_MASK);
    parts.take_while(|part| *part != 0)
}

/// What tells two cases of an event apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bit {
    /// The hook's number is not 0.
    Number,
    /// An object of the hook, its second if that is said, is not null.
    There(bool),
}

/// How the case of an event is found from what its hook has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Choice {
    /// The case if the bit is 0 and if it is 1; if the class matters, of null.
    pub cases: [u8; 2],
    /// The bit; without one it is 0.
    pub bit: Option<Bit>,
    /// Whether the class of an object matters, and whether that is the hook's second. The agent
    /// knows the cases of a class.
    pub class: Option<bool>,
}

impl Choice {
    /// One case, whatever the values are.
    pub fn always(case: u8) -> Choice {
        Choice { cases: [case; 2], bit: None, class: None }
    }

    /// As the runtime has it.
    pub fn bits(self) -> i32 {
        let bit = match self.bit {
            None => 0,
            Some(Bit::Number) => 1 << 8,
            Some(Bit::There(second)) => 1 << 9 | i32::from(second) << 11,
        };
        let class = self.class.map_or(0, |second| 1 << 10 | i32::from(second) << 12);
        pack_cases(self.cases) | bit | class
    }
}

/// Two cases in one number, as the runtime has them.
pub fn pack_cases([no, yes]: [u8; 2]) -> i32 {
    i32::from(no) | i32::from(yes) << 4
}

/// Numbers of choices have so many bits.
pub const CHOICE_BITS: usize = 16;

/// The choices of a site's operations in one number.
pub fn choices(all: &[usize]) -> i64 {
    all.iter().rev().fold(0, |packed, one| packed << CHOICE_BITS | *one as i64)
}

/// The choices in a number, as many as a site can have operations.
pub fn each_choice(packed: i64) -> impl Iterator<Item = usize> {
    let mask = (1 << CHOICE_BITS) - 1;
    (0..MAX_OPERATIONS).map(move |at| (packed >> (CHOICE_BITS * at) & mask) as usize)
}

/// How many types of objects the runtime can test at a site.
pub const MAX_TESTS: usize = 2;

/// The choices that decide whether a site has an event, in one number; `None` if they do not fit.
pub fn tests(all: &[usize]) -> Option<u32> {
    let fit = all.len() <= MAX_TESTS && all.iter().all(|one| *one < 1 << CHOICE_BITS);
    fit.then(|| all.iter().rev().fold(0, |packed, one| packed << CHOICE_BITS | *one as u32))
}

/// All operations of a site in one number; `also` if the agent wants the event, too. 0 if there are
/// none: the runtime takes anything else for at least one.
pub fn operations(all: &[i64], also: bool) -> i64 {
    if all.is_empty() {
        return 0;
    }
    let packed = all.iter().rev().fold(0, |packed, one| packed << OPERATION_BITS | one);
    if also { packed | i64::MIN } else { packed }
}

/// Adds the field for counters to `java/lang/Thread`.
pub fn count_in(bytes: &[u8]) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = ClassEditor::new(&class);
    let flags = access::PUBLIC | access::TRANSIENT | access::SYNTHETIC;
    editor.add_field(flags, COUNTERS, "[J")?;
    editor.to_bytes()
}
