//! Timers that go off at the moment at which they are set, again and again.

use watchword_model::Time;

/// How many rounds of timers may follow each other at one moment. Fewer where mistakes are looked
/// for, so that small tests reach it.
const MOST: u32 = if cfg!(feature = "mutants") { 200 } else { 10_000 };

/// The rounds of timers that go off at one moment. The first round are those that were set before; each
/// further one are those that the round before set for the same moment.
///
/// Timers of one moment go off in the order in which they were set, so a round ends where the first
/// timer comes that was set after it had begun.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    moment: Option<Time>,
    /// The newest timer of the round.
    last: u64,
    number: u32,
}

impl Rounds {
    /// Whether there were too many rounds before that of the timer that goes off next, the instance
    /// of which is inconclusive then. Timers are numbered as they are set; `newest` is the number of
    /// the newest one.
    pub fn are_endless(&mut self, moment: Time, timer: u64, newest: u64) -> bool {
        if self.moment != Some(moment) {
            *self = Rounds { moment: Some(moment), last: newest, number: 0 };
        } else if timer > self.last {
            self.last = newest;
            self.number += 1;
        }
        self.number > MOST
    }
}
