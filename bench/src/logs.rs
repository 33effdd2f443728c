//! What one core checks in a second: chains of three parameters, pairs, and windows with many keys; from
//! memory, from JSON Lines, and beside a bare hash map that does one look-up per event.

use std::cell::RefCell;
use std::fmt::Write;

use watchword_cases::growth::{ALL, Growth, Keys};
use watchword_model::{EventId, EventRef, Model, Time, ValueRef};
use watchword_monitor::Engine;
use watchword_trace::{BadLines, Format, Reader};

use crate::offline::{Check, Count};
use crate::random::Random;
use crate::rates::{EVENTS, Map, ROUNDS, load, millions, no_history};
use crate::report::Report;
use crate::stats::interleave;

/// A property and a trace.
struct Log {
    name: &'static str,
    model: Model,
    events: Vec<Made>,
    /// Millions of events per second that are wanted from memory and from JSON Lines.
    wanted: (f64, f64),
}

struct Made {
    kind: EventId,
    args: Vec<ValueRef<'static>>,
    time: Option<Time>,
}

const MS: Time = 1_000_000;

const WINDOWS: &str = "event pay(u: int, amount: int)\n\
    property Limits(u) {\n\
    window often = count pay(u, _) within 1200 s\n\
    window spent = sum pay(u, ?amount) of amount within 1200 s\n\
    start state Ok { on pay(u, _) if often > 30 or spent > 3000 -> Over }\n\
    bad state Over\n}\n";

impl Log {
    fn of(workload: &Growth, keys: Keys, name: &'static str) -> Log {
        let model = load(workload.name, workload.property);
        let kinds: Vec<EventId> =
            workload.kinds.iter().map(|name| model.event(name).expect("declared")).collect();
        let made = workload.events(EVENTS, keys).into_iter().map(|(kind, args)| Made {
            kind: kinds[kind],
            args: args.into_iter().map(ValueRef::Int).collect(),
            time: None,
        });
        Log { name, events: made.collect(), model, wanted: (2.0, 1.0) }
    }

    /// Payments of a hundred thousand users; about six of a user are in a window.
    fn of_windows() -> Log {
        let model = load("windows", WINDOWS);
        let kind = model.event("pay").expect("declared");
        let mut random = Random::new(5);
        let mut now = 0;
        let made = (0..EVENTS).map(|_| {
            now += MS * (1 + random.below(3) as Time);
            let args = [random.below(100_000), random.below(100)];
            let args = args.map(|arg| ValueRef::Int(arg as i64)).to_vec();
            Made { kind, args, time: Some(now) }
        });
        Log {
            name: "windows: count and sum, 100 000 keys",
            events: made.collect(),
            model,
            wanted: (1.5, 1.5),
        }
    }

    fn jsonl(&self) -> String {
        let mut text = String::new();
        for made in &self.events {
            let decl = &self.model.events[made.kind.index()];
            let _ = write!(text, "{{\"event\":\"{}\"", decl.name);
            if let Some(time) = made.time {
                let _ =
                    write!(text, ",\"time\":{}.{:09}", time / 1_000_000_000, time % 1_000_000_000);
            }
            text.push_str(",\"args\":{");
            for (i, (param, arg)) in decl.params.iter().zip(&made.args).enumerate() {
                let ValueRef::Int(arg) = arg else { unreachable!("arguments are integers") };
                let comma = if i > 0 { "," } else { "" };
                let _ = write!(text, "{comma}\"{}\":{arg}", param.name);
            }
            text.push_str("}}\n");
        }
        text
    }

    fn step(&self) -> u64 {
        let mut engine = Engine::new(&self.model, no_history());
        for Made { kind, args, time } in &self.events {
            let (kind, time) = (*kind, *time);
            let event = EventRef { kind, args, time, thread: None, location: None };
            engine.step_soon(&event).expect("time goes on");
        }
        engine.catch_up();
        drop(engine.take_reports());
        self.events.len() as u64
    }

    /// A look-up of the last argument, and a small change.
    fn bare(&self) -> u64 {
        let mut map = Map::default();
        for made in &self.events {
            let Some(ValueRef::Int(key)) = made.args.first() else { continue };
            let state = map.entry(*key as u64).or_insert(0);
            *state = (*state + 1 + made.kind.0) & 7;
        }
        std::hint::black_box(map.len());
        self.events.len() as u64
    }
}

/// All rows.
pub fn all(report: &mut Report) {
    let columns = [
        "log",
        "hash map",
        "from memory",
        "÷ hash map",
        "JSON Lines, read only",
        "JSON Lines, checked",
    ];
    report.table("Chains, pairs and windows, an engine of their own in each round", &columns);
    let named = |start: &str| {
        ALL.iter().find(|w| w.name.starts_with(start)).expect("there is such a workload")
    };
    let logs = [
        Log::of(named("chain of three"), Keys::Uniform, "map, collection, iterator; uniform"),
        Log::of(named("chain of three"), Keys::Zipf, "map, collection, iterator; Zipf"),
        Log::of(named("pairs"), Keys::Uniform, "pairs of users and files; uniform"),
        Log::of(named("pairs"), Keys::Zipf, "pairs of users and files; Zipf"),
        Log::of_windows(),
    ];
    for log in &logs {
        let text = log.jsonl();
        let read = |sink: &mut dyn FnMut(&mut Reader)| {
            let mut reader = Reader::new(&log.model, BadLines::Refuse).expect("a reader");
            sink(&mut reader);
            log.events.len() as u64
        };
        let found = RefCell::new([0; 2]);
        let rows = interleave(
            ROUNDS,
            vec![
                Box::new(|| log.bare()),
                Box::new(|| log.step()),
                Box::new(|| {
                    read(&mut |reader| {
                        let mut count = Count(0);
                        reader
                            .read(
                                "log",
                                text.as_bytes(),
                                Some(Format::Jsonl),
                                &mut count,
                                |_, _| {},
                            )
                            .expect("well-formed");
                        found.borrow_mut()[0] = count.0;
                    })
                }),
                Box::new(|| {
                    read(&mut |reader| {
                        let mut check = Check(Engine::new(&log.model, no_history()));
                        reader
                            .read(
                                "log",
                                text.as_bytes(),
                                Some(Format::Jsonl),
                                &mut check,
                                |_, _| {},
                            )
                            .expect("well-formed");
                        found.borrow_mut()[1] = check.0.events();
                    })
                }),
            ],
        );
        assert_eq!(found.into_inner(), [log.events.len() as u64; 2], "every line is an event");
        report.row(&[
            log.name.to_string(),
            millions(&rows[0]),
            millions(&rows[1]),
            format!("{:.2}", rows[1].nanos / rows[0].nanos),
            millions(&rows[2]),
            millions(&rows[3]),
        ]);
        let (memory, file) = log.wanted;
        report.goal(
            &format!("{}: from memory", log.name),
            rows[1].rate() / 1e6,
            memory,
            " M events/s",
        );
        report.goal(
            &format!("{}: from JSON Lines", log.name),
            rows[3].rate() / 1e6,
            file,
            " M events/s",
        );
    }
}
