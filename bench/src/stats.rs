//! Interleaved repetitions and medians: on a noisy machine only ratios within one run mean much.

use std::time::Duration;

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

/// How long a repetition takes at least: short works are done several times.
const LEAST: Duration = Duration::from_millis(100);

/// The time this thread has had a processor for, so that others on the machine do not count.
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Times every work `rounds` times, one after the other in each round so that a slow moment of
/// the machine hits all of them.
pub fn interleave(rounds: usize, mut works: Vec<Work<'_>>) -> Vec<Row> {
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); works.len()];
    for _ in 0..rounds {
        for (work, samples) in works.iter_mut().zip(&mut samples) {
            let start = now();
            let mut units = 0;
            while now() - start < LEAST {
                units += work();
            }
            samples.push(per_unit(now() - start, units));
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
