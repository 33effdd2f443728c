//! What a breakpoint is for and whose it is.

use std::fmt;

/// The owner of a point. Owners share addresses and are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// The person at the prompt or behind a remote protocol.
    Person,
    /// A monitor, by a number its user chooses.
    Monitor(u32),
    /// A scenario, by a number its user chooses.
    Scenario(u32),
}

/// Names a point (breakpoint, call event or watchpoint) for as long as the tracer lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PointId(pub(crate) u32);

impl fmt::Display for PointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// When a point at code fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// Each time the program counter arrives, before the instruction runs.
    Before,
    /// The address is the entry of a function: fires when that call has returned.
    After,
    /// As [`When::After`], and the entry is told as well ([`Phase::Entered`]), so that arguments
    /// can be read while they are still there.
    AfterWithEntry,
}

/// Which moment of a point a hit tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The instruction is about to run.
    Before,
    /// A function with an after point was entered; the after event follows.
    Entered,
    /// The function has returned; the thread stands at the return address.
    After,
}

/// One point that fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The point.
    pub point: PointId,
    /// Its owner.
    pub owner: Owner,
    /// Which moment.
    pub phase: Phase,
    /// For [`Phase::Entered`] and [`Phase::After`]: the same number on both sides of one call.
    pub call: Option<CallId>,
}

/// Names one call of a function with an after point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallId(pub(crate) u64);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub address: u64,
    pub owner: Owner,
    pub when: When,
}
