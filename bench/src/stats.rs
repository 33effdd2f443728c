//! Interleaved repetitions and medians: on a noisy machine only ratios within one run mean much.

use std::time::{Duration, Instant};

/// One thing to be timed: returns how many units (events) it processed.
pub type Work<'a> = Box<dyn FnMut() -> u64 + 'a>;

/// The median time per unit of one work.
#[derive(Clone, Debug)]
pub struct Row {
    /// Median nanoseconds per unit.
    pub nanos: f64,
    /// Half the distance between the quartiles, as a share of the median.
    pub spread: f64,
}

impl Row {
    /// Units per second.
    pub fn rate(&self) -> f64 {
        1e9 / self.nanos
    }
}

/// The time this thread has had a processor for, so that others on the machine do not count; the
/// time of day where the system does not tell.
struct Clock {
    had: Option<Duration>,
    started: Instant,
}

impl Clock {
    fn now() -> Clock {
        Clock { had: Clock::had(), started: Instant::now() }
    }

    fn had() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }

    fn elapsed(&self) -> Duration {
        match (self.had, Clock::had()) {
            (Some(before), Some(after)) if after > before => after - before,
            _ => self.started.elapsed(),
        }
    }
}

/// Times every work `rounds` times, one after the other in each round so that a slow moment of
/// the machine hits all of them.
pub fn interleave(rounds: usize, mut works: Vec<Work<'_>>) -> Vec<Row> {
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); works.len()];
    for _ in 0..rounds {
        for (work, samples) in works.iter_mut().zip(&mut samples) {
            let start = Clock::now();
            let units = work();
            samples.push(per_unit(start.elapsed(), units));
        }
    }
    samples
        .into_iter()
        .map(|mut samples| {
            samples.sort_by(f64::total_cmp);
            let quartile = |q: usize| samples[(samples.len() - 1) * q / 4];
            let nanos = quartile(2);
            Row { nanos, spread: (quartile(3) - quartile(1)) / 2.0 / nanos }
        })
        .collect()
}

fn per_unit(elapsed: Duration, units: u64) -> f64 {
    elapsed.as_nanos() as f64 / units.max(1) as f64
}

/// Resident memory of this process in bytes.
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok())
        .map_or(0, |kib| kib * 1024)
}
