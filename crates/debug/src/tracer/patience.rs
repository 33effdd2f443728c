//! How to wait for the next event: where they come in quick succession, it is soon there.
//!
//! A tracer that sleeps on an idle core must be woken there first, which costs several times what
//! an event does. So it asks for a moment before it sleeps, as long as that was worth it lately.

use std::time::{Duration, Instant};

/// Longer than a program of events and little else needs from one to the next, on a core that has
/// to be woken for it.
const MOMENT: Duration = Duration::from_micros(200);

/// At most so many events are slept for between two moments: then asking in vain costs little.
const LONGEST: u32 = 64;

/// Whether asking is worth it.
#[derive(Debug, Default)]
pub(super) struct Patience {
    /// So many events to come are slept for.
    sleeps: u32,
    /// So many were slept for after the last moment that passed in vain.
    last: u32,
}

impl Patience {
    /// Asks until there is an answer, for a moment at most. After a moment in vain some events are
    /// slept for, twice as many as the time before.
    pub fn ask<T>(&mut self, mut answer: impl FnMut() -> Option<T>) -> Option<T> {
        if self.sleeps > 0 {
            self.sleeps -= 1;
            return None;
        }
        let start = Instant::now();
        loop {
            if let Some(found) = answer() {
                self.last = 0;
                return Some(found);
            }
            if start.elapsed() >= MOMENT {
                self.last = (self.last * 2).clamp(1, LONGEST);
                self.sleeps = self.last;
                return None;
            }
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_in_vain_discourage_longer_each_time() {
        let mut patience = Patience::default();
        for slept in [1, 2, 4, 8, 16, 32, 64, 64] {
            assert_eq!(patience.ask(|| None::<u32>), None);
            for _ in 0..slept {
                assert_eq!(patience.ask(|| -> Option<u32> { panic!("asked") }), None);
            }
        }
        assert_eq!(patience.ask(|| Some(2)), Some(2));
        assert_eq!(patience.ask(|| None::<u32>), None);
        assert_eq!(patience.ask(|| -> Option<u32> { panic!("asked") }), None);
        assert_eq!(patience.ask(|| Some(3)), Some(3));
    }
}
