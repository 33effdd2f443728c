//! What an event costs as traces get longer: one to four parameters, values all alike or a few hot.

use std::time::Instant;

use watchword_cases::growth::{ALL, Growth, Keys};
use watchword_model::{EventId, EventRef, ValueRef};
use watchword_monitor::{Engine, Options};

use crate::rates::load;
use crate::report::Report;

/// How long the traces are.
const LENGTHS: [usize; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
/// How often each is measured; the best counts.
const ROUNDS: usize = 3;

/// Nanoseconds per event.
fn cost(workload: &Growth, keys: Keys, length: usize) -> f64 {
    let model = load(workload.name, workload.property);
    let kinds: Vec<EventId> =
        workload.kinds.iter().map(|name| model.event(name).expect("declared")).collect();
    let events: Vec<(EventId, Vec<ValueRef<'static>>)> = workload
        .events(length, keys)
        .into_iter()
        .map(|(kind, args)| (kinds[kind], args.into_iter().map(ValueRef::Int).collect()))
        .collect();
    let once = || {
        let mut engine = Engine::new(&model, Options::default());
        let start = Instant::now();
        for (kind, args) in &events {
            let (kind, time) = (*kind, None);
            let event = EventRef { kind, args, time, thread: None, location: None };
            engine.step_soon(&event).expect("events have no times");
        }
        engine.end();
        let elapsed = start.elapsed();
        engine.take_reports();
        elapsed.as_nanos() as f64 / length as f64
    };
    (0..ROUNDS).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// All rows.
pub fn all(report: &mut Report) {
    report.line("\n## Growth: nanoseconds per event in memory\n");
    let lengths: Vec<String> = LENGTHS.iter().map(|n| format!("{n} events")).collect();
    report.line(format!("| workload | values | {} | growth |", lengths.join(" | ")));
    report.line(format!("|---|---|{}---|", "---|".repeat(LENGTHS.len())));
    for workload in &ALL {
        for (keys, what) in [(Keys::Uniform, "all alike"), (Keys::Zipf, "Zipf")] {
            let costs = LENGTHS.map(|length| cost(workload, keys, length));
            let shown: Vec<String> = costs.iter().map(|cost| format!("{cost:.0}")).collect();
            let growth = costs[LENGTHS.len() - 1] / costs[0];
            let name = workload.name;
            report.line(format!("| {name} | {what} | {} | {growth:.2}× |", shown.join(" | ")));
        }
    }
}
