//! Rates in memory, and how they change with the number of live slices.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use watchword_model::{EventId, EventRef, Model, ValueRef};
use watchword_monitor::{Engine, Options};

use crate::random::Draw;
use crate::report::Report;
use crate::stats::{Row, interleave};
use crate::workload::{self, Workload};

/// How often each row is repeated.
pub const ROUNDS: usize = 5;
/// How many events a row has.
pub const EVENTS: usize = 1_000_000;

/// A multiplicative hash: the baseline should not pay for resistance to attacks.
#[derive(Default)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// The baseline's map.
pub type Map = HashMap<u64, u32, BuildHasherDefault<Multiply>>;

/// The model of one of the properties in `bench/workloads`.
pub fn load(name: &str, text: &str) -> Model {
    let file = watchword_spec::SourceFile { name: name.to_string(), text: text.to_string() };
    let loaded = watchword_spec::load(&[file], &|_, path| Err(format!("no import of {path}")));
    for diagnostic in &loaded.diagnostics {
        eprintln!("{}", diagnostic.render(&loaded.files, false));
    }
    loaded.model.expect("the workloads' properties are well-formed")
}

/// Events with their arguments, ready to be handed over.
struct Ready {
    kinds: Vec<EventId>,
    arities: Vec<usize>,
}

impl Ready {
    fn new(model: &Model, workload: &Workload) -> Ready {
        let kinds = workload.events.iter().map(|(name, _)| model.event(name).expect("declared"));
        let arities = workload.events.iter().map(|(_, params)| params.len());
        Ready { kinds: kinds.collect(), arities: arities.collect() }
    }

    fn args(row: &workload::Row) -> [ValueRef<'static>; 2] {
        row.args.map(|arg| ValueRef::Int(arg as i64))
    }

    fn event<'a>(&self, row: &workload::Row, args: &'a [ValueRef<'a>; 2]) -> EventRef<'a> {
        EventRef {
            kind: self.kinds[row.event as usize],
            args: &args[..self.arities[row.event as usize]],
            time: None,
            thread: None,
            location: None,
        }
    }

    /// Hands over one event after the other.
    fn step(&self, engine: &mut Engine, rows: &[workload::Row]) -> u64 {
        for row in rows {
            engine.step(&self.event(row, &Ready::args(row))).expect("no times are given");
        }
        drop(engine.take_reports());
        rows.len() as u64
    }

    /// Hands over one event after the other, to be processed soon.
    fn step_soon(&self, engine: &mut Engine, rows: &[workload::Row]) -> u64 {
        for row in rows {
            engine.step_soon(&self.event(row, &Ready::args(row))).expect("no times are given");
        }
        drop(engine.take_reports());
        rows.len() as u64
    }
}

/// No histories.
pub fn no_history() -> Options {
    Options { history: 0, ..Options::default() }
}

/// The baseline: a look-up and a small change per event.
fn bare(map: &mut Map, rows: &[workload::Row]) -> u64 {
    for row in rows {
        let state = map.entry(row.args[0]).or_insert(0);
        *state = (*state + 1 + u32::from(row.event)) & 7;
    }
    rows.len() as u64
}

/// A rate, for people.
pub fn millions(row: &Row) -> String {
    format!("{:.1} M/s ±{:.0} %", row.rate() / 1e6, row.spread * 100.0)
}

/// In memory: rates against the baseline, from 100 to 100 000 live slices.
pub fn in_memory(report: &mut Report) {
    type Make = fn(usize, u64, Draw) -> Workload;
    let properties: [(&str, &str, Make, f64); 3] = [
        ("one parameter", include_str!("../workloads/lock.ww"), workload::lock, 15.0),
        (
            "one parameter, a variable and a guard",
            include_str!("../workloads/queue.ww"),
            workload::bounded,
            15.0,
        ),
        ("two parameters", include_str!("../workloads/iterator.ww"), workload::iterator, 6.0),
    ];
    for (name, text, make, goal) in properties {
        let model = load(&format!("{name}.ww"), text);
        for draw in [Draw::Uniform, Draw::Zipf] {
            let columns = [
                "live slices",
                "hash map",
                "noise",
                "engine",
                "engine ÷ hash map",
                "`step_soon`",
                "÷ hash map",
                "visited per event",
            ];
            report.table(&format!("In memory, {name}, {draw:?} keys"), &columns);
            let (mut ratios, mut soon) = (Vec::new(), Vec::new());
            let mut visits = Vec::new();
            for live in [100, 1_000, 10_000, 100_000] {
                let workload = make(EVENTS, live, draw);
                let ready = Ready::new(&model, &workload);
                let mut engine = Engine::new(&model, no_history());
                let (mut map, mut again) = (Map::default(), Map::default());
                bare(&mut map, &workload.warmup);
                bare(&mut again, &workload.warmup);
                ready.step(&mut engine, &workload.warmup);
                let mut engine = std::cell::RefCell::new(engine);
                let before = (engine.get_mut().stats()[0].visited, engine.get_mut().events());
                let rows = interleave(
                    ROUNDS,
                    vec![
                        Box::new(|| bare(&mut map, &workload.rows)),
                        Box::new(|| bare(&mut again, &workload.rows)),
                        Box::new(|| ready.step(&mut engine.borrow_mut(), &workload.rows)),
                        Box::new(|| ready.step_soon(&mut engine.borrow_mut(), &workload.rows)),
                    ],
                );
                let engine = engine.into_inner();
                let visited = (engine.stats()[0].visited - before.0) as f64
                    / (engine.events() - before.1) as f64;
                let (ratio, soon_ratio) =
                    (rows[2].nanos / rows[0].nanos, rows[3].nanos / rows[0].nanos);
                ratios.push(ratio);
                soon.push(soon_ratio);
                visits.push(visited);
                report.row(&[
                    live.to_string(),
                    millions(&rows[0]),
                    format!("{:.2}", rows[1].nanos / rows[0].nanos),
                    millions(&rows[2]),
                    format!("{ratio:.2}"),
                    millions(&rows[3]),
                    format!("{soon_ratio:.2}"),
                    format!("{visited:.3}"),
                ]);
                if [100, 100_000].contains(&live) {
                    let what = format!("{name}, {draw:?}, {live} live slices");
                    report.goal(&what, rows[3].rate() / 1e6, goal, " M events/s");
                }
            }
            let what = format!("{name}, {draw:?}: growth of engine ÷ hash map, 100 to 100 000");
            report.bar(&what, ratios[ratios.len() - 1] / ratios[0], 1.5, "×");
            let what = format!("{name}, {draw:?}: the same, `step_soon`");
            report.bar(&what, soon[soon.len() - 1] / soon[0], 1.5, "×");
            let most = visits.iter().copied().fold(0.0, f64::max);
            let what = format!("{name}, {draw:?}: growth of instances visited per event");
            report.bar(&what, most / visits[0], 1.02, "×");
        }
    }
}
