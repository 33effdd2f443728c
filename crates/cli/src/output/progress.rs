//! Progress of long work, on a terminal only.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use super::style;

/// A line on stderr that is rewritten a few times a second.
pub struct Progress {
    shown: bool,
    enabled: bool,
    started: Instant,
    last: Instant,
    /// Bytes of everything together, if that is known.
    total: Option<u64>,
    /// What is counted.
    unit: &'static str,
}

impl Progress {
    /// Progress towards that many bytes; silent if not wanted or if stderr is no terminal.
    pub fn new(wanted: bool, total: Option<u64>) -> Progress {
        Progress::counting(wanted, total, "events")
    }

    /// Progress that counts something else than events.
    pub fn counting(wanted: bool, total: Option<u64>, unit: &'static str) -> Progress {
        let now = Instant::now();
        let enabled = wanted && std::io::stderr().is_terminal();
        Progress { shown: false, enabled, started: now, last: now, total, unit }
    }

    /// How long it has taken so far.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Shows where we are, if that was not shown just now.
    pub fn update(&mut self, bytes: u64, count: u64) {
        if !self.enabled || self.last.elapsed() < Duration::from_millis(200) {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let seconds = self.started.elapsed().as_secs_f64();
        let line = describe(bytes, self.total, count, self.unit, seconds);
        let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
    }

    /// Shows how many of all are done, if that was not shown just now.
    pub fn part(&mut self, done: u64, all: u64) {
        if self.total.is_none() {
            self.total = Some(all);
        }
        self.update(done, done);
    }

    /// Takes the line away, so that other output can be printed.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn describe(bytes: u64, total: Option<u64>, count: u64, unit: &str, seconds: f64) -> String {
    let rate = style::count((count as f64 / seconds.max(0.001)) as u64);
    let mut line = format!("{} {unit}, {rate} {unit}/s", style::count(count));
    if let Some(total) = total.filter(|t| *t > 0 && bytes > 0) {
        let done = bytes as f64 / total as f64;
        let left = seconds * (1.0 - done).max(0.0) / done;
        let (minutes, rest) = (left as u64 / 60, left as u64 % 60);
        line = format!("{:3.0} %  {line}, {minutes}:{rest:02} left", done * 100.0);
    }
    line
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn lines() {
        assert_eq!(
            describe(50, Some(200), 4_000_000, "events", 2.0),
            " 25 %  4.0 M events, 2.0 M events/s, 0:06 left"
        );
        assert_eq!(describe(50, None, 10, "events", 1.0), "10 events, 10 events/s");
    }
}
