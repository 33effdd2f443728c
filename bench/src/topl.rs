//! TOPL: what an event costs when many configurations are live.

use std::fmt::Write;

use watchword_model::{Event, EventRef, Model, Time, Value};
use watchword_monitor::{Engine, Options};
use watchword_trace::emit::Sink;
use watchword_trace::error::Flaw;
use watchword_trace::{BadLines, Format, Reader};

use crate::random::Random;
use crate::rates::{Map, load};
use crate::report::Report;
use crate::stats::interleave;

/// How often each row is repeated.
const ROUNDS: usize = 5;
/// How many calls a row has; each is a call and a return.
const CALLS: usize = 50_000;

/// Collects events, to hand them over from memory.
struct Collect(Vec<Event>);

impl Sink for Collect {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.0.push(event.to_event());
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        Ok(())
    }
}

/// A trace in the making.
#[derive(Default)]
struct Calls(String);

impl Calls {
    fn add(&mut self, method: &str, receiver: u64, value: &str) {
        let args = format!("\"args\":[{{\"ref\":{receiver}}}]");
        let _ = writeln!(self.0, "{{\"call\":\"java.util.{method}\",{args}}}");
        let _ = writeln!(self.0, "{{\"return\":\"java.util.{method}\",\"value\":{value},{args}}}");
    }

    fn iterator(&mut self, collection: u64, iterator: u64) {
        self.add("Collection.iterator", collection, &format!("{{\"ref\":{iterator}}}"));
    }

    fn events(&self, model: &Model) -> Vec<Event> {
        let mut collect = Collect(Vec::new());
        let mut reader = Reader::new(model, BadLines::Refuse).expect("a reader");
        reader
            .read("trace", self.0.as_bytes(), Some(Format::Jsonl), &mut collect, |_, _| {})
            .expect("well-formed");
        collect.0
    }
}

/// The object an event is about: the first among its arguments.
fn object(event: &Event) -> Option<u64> {
    event.args.iter().find_map(|value| match value {
        Value::Ref(object) => Some(object.id),
        _ => None,
    })
}

/// The first number of a collection's iterators.
const ITERATORS: u64 = 1 << 32;

/// One iterator per collection: so many configurations.
fn has_next(live: u64) -> (Calls, Calls) {
    let (mut before, mut timed) = (Calls::default(), Calls::default());
    for c in 0..live {
        before.iterator(c, ITERATORS + c);
    }
    let mut random = Random::new(5);
    for _ in 0..CALLS / 2 {
        let iterator = ITERATORS + random.below(live);
        timed.add("Iterator.hasNext", iterator, "true");
        timed.add("Iterator.next", iterator, "7");
    }
    (before, timed)
}

/// Two iterators per collection, which make three configurations; then they are used.
fn invalidate_others(live: u64) -> (Calls, Calls) {
    let (mut before, mut timed) = (Calls::default(), Calls::default());
    let collections = live.div_ceil(3);
    for c in 0..collections {
        before.iterator(c, ITERATORS + 2 * c);
        before.iterator(c, ITERATORS + 2 * c + 1);
    }
    let mut random = Random::new(6);
    for i in 0..CALLS {
        let iterator = ITERATORS + random.below(2 * collections);
        match i % 8 {
            0 => timed.add("Collection.size", random.below(collections), "3"),
            1..5 => timed.add("Iterator.hasNext", iterator, "true"),
            _ => timed.add("Iterator.next", iterator, "7"),
        }
    }
    (before, timed)
}

/// Both properties, with 10 to 100 000 live configurations.
pub fn configurations(report: &mut Report) {
    type Make = fn(u64) -> (Calls, Calls);
    let properties: [(&str, &str, Make); 2] = [
        ("HasNext", include_str!("../../examples/topl/HasNext.topl"), has_next),
        (
            "InvalidateOtherIterators",
            include_str!("../../examples/topl/InvalidateOtherIterators.topl"),
            invalidate_others,
        ),
    ];
    for (name, text, make) in properties {
        let model = load(&format!("{name}.topl"), text);
        let columns = [
            "live configurations",
            "collections",
            "hash map",
            "engine",
            "engine ÷ hash map",
            "visited per event",
        ];
        report.table(&format!("TOPL, {name}, in memory"), &columns);
        let (mut times, mut ratios, mut visits) = (Vec::new(), Vec::new(), Vec::new());
        for live in [10, 1_000, 100_000] {
            let (before, timed) = make(live);
            let (before, timed) = (before.events(&model), timed.events(&model));
            let mut engine = Engine::new(&model, Options { history: 0, ..Options::default() });
            before.iter().for_each(|e| engine.step_owned(e).expect("no times are given"));
            let there = engine.instances();
            let before_timing = (engine.stats()[0].visited, engine.events());
            let keys: Vec<u64> = timed.iter().filter_map(object).collect();
            let mut map: Map = before.iter().filter_map(object).map(|key| (key, 0)).collect();
            let rows = interleave(
                ROUNDS,
                vec![
                    Box::new(|| {
                        keys.iter().for_each(|key| *map.entry(*key).or_insert(0) += 1);
                        keys.len() as u64
                    }),
                    Box::new(|| {
                        timed
                            .iter()
                            .for_each(|e| engine.step_owned(e).expect("no times are given"));
                        timed.len() as u64
                    }),
                ],
            );
            assert!(engine.take_reports().is_empty(), "the trace keeps to the rules");
            let visited = (engine.stats()[0].visited - before_timing.0) as f64
                / (engine.events() - before_timing.1) as f64;
            times.push(rows[1].nanos);
            ratios.push(rows[1].nanos / rows[0].nanos);
            visits.push(visited);
            let collections = if name == "HasNext" { live } else { live.div_ceil(3) };
            report.row(&[
                there.to_string(),
                collections.to_string(),
                format!("{:.1} ns ±{:.0} %", rows[0].nanos, rows[0].spread * 100.0),
                format!("{:.0} ns ±{:.0} %", rows[1].nanos, rows[1].spread * 100.0),
                format!("{:.2}", rows[1].nanos / rows[0].nanos),
                format!("{visited:.3}"),
            ]);
        }
        let most = visits.iter().copied().fold(0.0, f64::max);
        let least = visits.iter().copied().fold(f64::MAX, f64::min);
        report.bar(
            &format!("TOPL {name}: growth of configurations visited per event, 10 to 100 000"),
            (most - least).abs(),
            0.05,
            "",
        );
        let what = format!("TOPL {name}: growth of engine ÷ hash map, 10 to 100 000");
        report.bar(&what, ratios[ratios.len() - 1] / ratios[0], 1.5, "×");
        report.line(format!(
            "\nThe time grows ×{:.1} from 10 to 100 000 configurations. The original checker's \
             published figures, not measured here: 11 µs per event at 11 configurations, 86 µs at \
             101, 789 µs at 1 001.",
            times[times.len() - 1] / times[0]
        ));
    }
}
