//! How to wait for the next event: where they come in quick succession, it is soon there.
//!
//! A tracer that sleeps on an idle core must be woken there first, which costs several times what
//! an event does. So it asks for a moment before it sleeps, as long as that was worth it lately.

use std::time::{Duration, Instant};

/// Longer than a program of events and little else needs from one to the next.
const MOMENT: Duration = Duration::from_micros(60);

/// So many events are slept for after a moment that passed in vain: asking then costs little.
const DISCOURAGED: u32 = 32;

/// Whether asking is worth it.
#[derive(Debug, Default)]
pub(super) struct Patience {
    sleeps: u32,
}

impl Patience {
    /// Asks until there is an answer, for a moment at most.
    pub fn ask<T>(&mut self, mut answer: impl FnMut() -> Option<T>) -> Option<T> {
        if self.sleeps > 0 {
            self.sleeps -= 1;
            return None;
        }
        let start = Instant::now();
        loop {
            if let Some(found) = answer() {
                return Some(found);
            }
            if start.elapsed() >= MOMENT {
                self.sleeps = DISCOURAGED;
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
    fn a_moment_in_vain_discourages_for_a_while() {
        let mut patience = Patience::default();
        assert_eq!(patience.ask(|| Some(1)), Some(1));
        assert_eq!(patience.ask(|| None::<u32>), None);
        for _ in 0..DISCOURAGED {
            assert_eq!(patience.ask(|| -> Option<u32> { panic!("asked") }), None);
        }
        assert_eq!(patience.ask(|| Some(2)), Some(2));
    }
}
