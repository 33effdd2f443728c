//! How to wait for the next event: asking again and again, or asleep until the kernel wakes us.
//!
//! A tracer that sleeps on an idle core must be woken there first, which can cost several times what
//! an event does; where all cores are busy, asking keeps one from the program. Which of them it is
//! changes from moment to moment, so both are tried now and then and the quicker one is kept to.

use std::time::{Duration, Instant};

/// Longer than a program of events and little else needs from one to the next, on a core that has
/// to be woken for it. Nothing is asked for longer, and no wait counts for more.
const MOMENT: Duration = Duration::from_micros(200);

/// As long is asked whether a thread has made a single step: one that has to wait for our processor
/// takes longer.
const STEP: Duration = Duration::from_micros(50);

/// At most so many events are slept for between two moments: then asking in vain costs little.
const LONGEST: u32 = 64;

/// So many events each way is tried for.
const TRIAL: u32 = 32;

/// So many the better one is kept to.
const KEPT: u32 = 1500;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    TryAsking,
    TrySleeping,
    Ask,
    Sleep,
}

/// Which way of waiting is worth it.
#[derive(Debug)]
pub(super) struct Patience {
    /// No longer is asked.
    most: Duration,
    phase: Phase,
    /// Events waited for in this phase.
    events: u32,
    /// What they took in this phase.
    spent: Duration,
    /// What as many took when asked for.
    asking: Duration,
    /// So many events to come are slept for.
    sleeps: u32,
    /// So many were slept for after the last moment that passed in vain.
    last: u32,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            most: MOMENT,
            phase: Phase::default(),
            events: 0,
            spent: Duration::ZERO,
            asking: Duration::ZERO,
            sleeps: 0,
            last: 0,
        }
    }
}

impl Patience {
    /// For single steps.
    pub fn for_steps() -> Patience {
        Patience { most: STEP, ..Patience::default() }
    }

    /// Waits for an answer. `answer` is told whether it is to sleep until there is one.
    pub fn wait<T, E>(
        &mut self,
        mut answer: impl FnMut(bool) -> Result<Option<T>, E>,
    ) -> Result<Option<T>, E> {
        let start = Instant::now();
        let mut found = None;
        if self.asks() {
            while found.is_none() && start.elapsed() < self.most {
                found = answer(false)?;
            }
            self.asked(found.is_some());
        }
        if found.is_none() {
            found = answer(true)?;
        }
        self.took(start.elapsed());
        Ok(found)
    }

    fn asks(&mut self) -> bool {
        if self.sleeps > 0 {
            self.sleeps -= 1;
            return false;
        }
        matches!(self.phase, Phase::TryAsking | Phase::Ask)
    }

    /// After a moment in vain some events are slept for, twice as many as the time before.
    fn asked(&mut self, found: bool) {
        self.last = if found { 0 } else { (self.last * 2).clamp(1, LONGEST) };
        self.sleeps = self.last;
    }

    fn took(&mut self, time: Duration) {
        self.spent += time.min(MOMENT);
        self.events += 1;
        let length = match self.phase {
            Phase::TryAsking | Phase::TrySleeping => TRIAL,
            Phase::Ask | Phase::Sleep => KEPT,
        };
        if self.events < length {
            return;
        }
        let spent = std::mem::take(&mut self.spent);
        self.events = 0;
        self.phase = match self.phase {
            Phase::TryAsking => {
                self.asking = spent;
                Phase::TrySleeping
            }
            // Sleeping leaves the core to others: asking has to be clearly better.
            Phase::TrySleeping if self.asking < spent.mul_f32(0.9) => Phase::Ask,
            Phase::TrySleeping => Phase::Sleep,
            Phase::Ask | Phase::Sleep => Phase::TryAsking,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_in_vain_discourage_longer_each_time() {
        let mut patience = Patience::default();
        for slept in [1, 2, 4, 8, 16, 32, 64, 64] {
            assert!(patience.asks());
            patience.asked(false);
            for _ in 0..slept {
                assert!(!patience.asks());
            }
        }
        assert!(patience.asks());
        patience.asked(true);
        assert!(patience.asks());
        patience.asked(false);
        assert!(!patience.asks());
        assert!(patience.asks());
    }

    #[test]
    fn the_quicker_way_is_kept_to() {
        for (asking, sleeping, asks) in [(10, 30, true), (30, 10, false), (10, 10, false)] {
            let mut patience = Patience::default();
            let mut asked = 0;
            for _ in 0..10 * (2 * TRIAL + KEPT) {
                let is_asked = patience.asks();
                if is_asked {
                    patience.asked(true);
                }
                asked += u32::from(is_asked);
                patience.took(Duration::from_micros(if is_asked { asking } else { sleeping }));
            }
            let expected = if asks { TRIAL + KEPT } else { TRIAL };
            assert_eq!(asked, 10 * expected, "{asking} and {sleeping}");
        }
    }

    #[test]
    fn an_answer_that_is_there_is_not_slept_for() {
        let mut patience = Patience::default();
        assert_eq!(patience.wait(|sleep| Ok::<_, ()>((!sleep).then_some(1))), Ok(Some(1)));
        assert_eq!(patience.wait(|sleep| Ok::<_, ()>(sleep.then_some(2))), Ok(Some(2)));
        assert_eq!(patience.wait(|_| Err::<Option<u8>, _>("gone")), Err("gone"));
    }
}
