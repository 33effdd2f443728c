//! Timers that go off and are set again, again and again, while nothing else happens.

use watchword_model::Time;

/// How many rounds of timers may follow each other between two events. Fewer where mistakes are looked
/// for, so that small tests reach it.
const MOST: u32 = if cfg!(feature = "mutants") { 2_000 } else { 100_000 };

/// A round in which no time passes counts as often: it would go on for ever, however soon the next event
/// is.
const AT_ONCE: u32 = 10;

/// The rounds of timers while time passes. In the first round are those that were set before; a timer that
/// is set when one goes off is in a round after that one's.
///
/// Each timer knows its round, so one that goes off often does not count for another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    /// The newest timer that was set before. Timers are numbered as they are set.
    before: u64,
}

impl Rounds {
    /// Time passes from now on; that is the number of the newest timer.
    pub fn new(newest: u64) -> Rounds {
        Rounds { before: newest }
    }

    /// The round of a timer that goes off: its own, if it was set since time passes.
    pub fn of(self, timer: u64, round: u32) -> u32 {
        if timer > self.before { round } else { 0 }
    }
}

/// The round of a timer that is set at one moment for another, when a timer of that round goes off.
pub(crate) fn after(round: u32, now: Time, at: Time) -> u32 {
    round.saturating_add(if at > now { 1 } else { AT_ONCE })
}

/// Whether there were too many rounds before this one: the instances whose timers go off in it become
/// inconclusive.
pub(crate) fn is_endless(round: u32) -> bool {
    round > MOST
}
