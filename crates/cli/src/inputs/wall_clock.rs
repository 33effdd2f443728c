//! What time it is in a log that is being followed.
//!
//! The clock of the log is not ours: it may be in another zone, or wrong. So only how long ago the last
//! line was written is taken from our clock, and added to the time that line told.

use std::time::{Duration, Instant, SystemTime};

use watchword_model::Time;

/// The clock of a log.
pub struct WallClock {
    /// A time that a record told, and when that was here.
    told: Option<(Time, Instant)>,
    /// How long a line may take to get into the log.
    lag: Time,
}

impl WallClock {
    /// A clock that was not set.
    pub fn new(lag: Time) -> WallClock {
        WallClock { told: None, lag }
    }

    /// A record told the time; the file was last written at `written`.
    pub fn set(&mut self, time: Time, written: Option<SystemTime>) {
        if self.told.is_some_and(|(told, _)| told == time) {
            return;
        }
        let age = written.and_then(|at| SystemTime::now().duration_since(at).ok());
        let now = Instant::now();
        self.told = Some((time, now.checked_sub(age.unwrap_or(Duration::ZERO)).unwrap_or(now)));
    }

    /// The time in the log by which every line must have been read, if any record told one.
    pub fn now(&self) -> Option<Time> {
        let (time, at) = self.told?;
        let passed = Time::try_from(at.elapsed().as_nanos()).unwrap_or(Time::MAX);
        Some(time.saturating_add(passed).saturating_sub(self.lag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_goes_on_from_when_the_line_was_written() {
        let second = 1_000_000_000;
        let mut clock = WallClock::new(second);
        assert_eq!(clock.now(), None);
        clock.set(100 * second, SystemTime::now().checked_sub(Duration::from_secs(60)));
        let now = clock.now().unwrap();
        assert!((159 * second..165 * second).contains(&now), "{now}");
        // The same time again does not set the clock back.
        clock.set(100 * second, Some(SystemTime::now()));
        assert!(clock.now().unwrap() >= now);
        clock.set(200 * second, None);
        assert!((199 * second..205 * second).contains(&clock.now().unwrap()));
    }
}
