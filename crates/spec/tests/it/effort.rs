//! How long something took, on a machine that may be busy with other things.

use std::time::{Duration, Instant};

/// Counts the time this thread has had a processor for.
pub struct Effort {
    had: Option<Duration>,
    begun: Instant,
}

impl Effort {
    pub fn begin() -> Effort {
        Effort { had: had(), begun: Instant::now() }
    }

    pub fn so_far(&self) -> Duration {
        match (self.had, had()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            // The system does not tell: the time of day.
            _ => self.begun.elapsed(),
        }
    }
}

fn had() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
