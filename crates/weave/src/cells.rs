//! State in the objects: what the runtime is told of the properties whose plan says so (see `home` in
//! `watchword-plan`).
//!
//! A site of the program has up to four *operations*, fifteen bits each: which letter, which
//! operands, whether the last one is a flag; the sign bit says that the engine wants the event as
//! well. The runtime steps the state of the objects by tables (`java/base/java/util/WatchwordSteps`);
//! the agent is only asked for reports.

use watchword_classfile::{ClassEditor, ClassFile, Result, access};

/// Name of the field of `java.lang.Thread` that has a thread's counters.
pub const COUNTERS: &str = "$watchword$counts";

/// What an operation says to the objects, as the runtime knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// The state is in the lane at this bit.
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

/// How many operations a site can have.
pub const MAX_OPERATIONS: usize = 4;

/// One operation of a site: the letter, whether the first and the second object are the hook's
/// second, and whether the hook's `long` is the flag.
pub fn operation(letter: usize, first: bool, second: bool, flag: bool) -> i64 {
    i64::from(first) | i64::from(second) << 1 | i64::from(flag) << 2 | (letter as i64) << 3
}

/// All operations of a site in one number; `also` if the agent wants the event, too. 0 if there are
/// none: the runtime takes anything else for at least one.
pub fn operations(all: &[i64], also: bool) -> i64 {
    if all.is_empty() {
        return 0;
    }
    let packed = all.iter().rev().fold(0, |packed, one| packed << 15 | one);
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
