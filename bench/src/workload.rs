//! Workloads: sequences of events drawn from a seed, as numbers and as text.

use std::fmt::Write;

use crate::random::{Draw, Keys, Random};

/// An event of a workload: which one of the property's events, and up to two arguments.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Position in the workload's list of names.
    pub event: u8,
    /// The arguments.
    pub args: [u64; 2],
}

/// A sequence of events.
pub struct Workload {
    /// The names of the events, with the names of their arguments.
    pub events: &'static [(&'static str, &'static [&'static str])],
    /// Events that make all slices exist.
    pub warmup: Vec<Row>,
    /// Events to be timed.
    pub rows: Vec<Row>,
}

/// Keys are spread so that neighbours do not share cache lines by accident of numbering.
fn spread(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

/// Queues that are pushed to and popped from alike.
pub fn bounded(count: usize, live: u64, draw: Draw) -> Workload {
    let mut random = Random::new(1);
    let keys = Keys::new(draw, live);
    let warmup = (0..live).map(|q| Row { event: 0, args: [spread(q), 0] }).collect();
    let rows = (0..count)
        .map(|_| {
            let event = (random.next() & 1) as u8;
            Row { event, args: [spread(keys.next(&mut random)), 0] }
        })
        .collect();
    Workload { events: &[("push", &["q"]), ("pop", &["q"])], warmup, rows }
}

/// Locks that are used, and now and then given back and taken again.
pub fn lock(count: usize, live: u64, draw: Draw) -> Workload {
    const LOCK: u8 = 0;
    const UNLOCK: u8 = 1;
    const USE: u8 = 2;
    let mut random = Random::new(3);
    let keys = Keys::new(draw, live);
    let warmup = (0..live).map(|l| Row { event: LOCK, args: [spread(l), 0] }).collect();
    let mut rows = Vec::with_capacity(count + 1);
    while rows.len() < count {
        let args = [spread(keys.next(&mut random)), 0];
        if random.below(5) == 0 {
            rows.push(Row { event: UNLOCK, args });
            rows.push(Row { event: LOCK, args });
        } else {
            rows.push(Row { event: USE, args });
        }
    }
    Workload { events: &[("lock", &["l"]), ("unlock", &["l"]), ("use", &["l"])], warmup, rows }
}

/// Iterators that are used, and collections that change.
pub fn iterator(count: usize, live: u64, draw: Draw) -> Workload {
    const CREATE: u8 = 0;
    const UPDATE: u8 = 1;
    const NEXT: u8 = 2;
    let mut random = Random::new(2);
    let keys = Keys::new(draw, live);
    let pair = |k: u64| [spread(k), spread(k) ^ 1 << 50];
    let warmup = (0..live).map(|k| Row { event: CREATE, args: pair(k) }).collect();
    let mut rows = Vec::with_capacity(count + 1);
    while rows.len() < count {
        let [c, i] = pair(keys.next(&mut random));
        if random.below(5) == 0 {
            rows.push(Row { event: UPDATE, args: [c, 0] });
            rows.push(Row { event: CREATE, args: [c, i] });
        } else {
            rows.push(Row { event: NEXT, args: [i, 0] });
        }
    }
    Workload {
        events: &[("create", &["c", "i"]), ("update", &["c"]), ("next", &["i"])],
        warmup,
        rows,
    }
}

impl Workload {
    /// All rows as JSON Lines.
    pub fn jsonl(&self) -> String {
        let mut text = String::new();
        for row in self.warmup.iter().chain(&self.rows) {
            let (name, params) = self.events[row.event as usize];
            let _ = write!(text, "{{\"event\":\"{name}\",\"args\":{{");
            for (i, param) in params.iter().enumerate() {
                let comma = if i > 0 { "," } else { "" };
                let _ = write!(text, "{comma}\"{param}\":{}", row.args[i]);
            }
            text.push_str("}}\n");
        }
        text
    }

    /// All rows as CSV without a header.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for row in self.warmup.iter().chain(&self.rows) {
            let (name, params) = self.events[row.event as usize];
            text.push_str(name);
            for arg in &row.args[..params.len()] {
                let _ = write!(text, ",{arg}");
            }
            text.push('\n');
        }
        text
    }
}
