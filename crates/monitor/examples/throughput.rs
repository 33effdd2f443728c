//! How fast the engine is in memory, beside a bare keyed hash map on the same keys.
//!
//! ```text
//! cargo run --release -p watchword-monitor --example throughput [-- --speed]
//! ```
//!
//! Prints events per second of a one- and a two-parameter property and of one with a window at 100 and
//! 100 000 live slices, keys drawn uniformly and by Zipf's law; the same for a hash map from key to state with a cheap
//! hash; instances visited per event; memory per live slice; and memory over ten million slices
//! that end their life. The row with the window passes events as `watchword replay` does, with
//! [`Engine::step_soon`](watchword_monitor::Engine::step_soon); the others one by one.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::hint::black_box;
use std::time::Instant;

use watchword_model::*;
use watchword_monitor::{Engine, Options};

/// A cheap hash for the bare map: its best case.
#[derive(Default)]
struct Cheap(u64);

impl Hasher for Cheap {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }
    fn write_u64(&mut self, n: u64) {
        let wide = u128::from(self.0 ^ n ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        self.0 = (wide as u64) ^ (wide >> 64) as u64;
    }
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Cheap>>;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Keys `0..n`, uniformly or by Zipf's law with exponent 1.
fn keys(n: usize, zipf: bool, count: usize) -> Vec<u32> {
    let mut random = Random(0x1234_5678_9abc);
    if !zipf {
        return (0..count).map(|_| (random.next() >> 20) as u32 % n as u32).collect();
    }
    // Inverse of the harmonic sums, by the usual continuous approximation; ranks are scattered
    // over the keys so that frequent ones are not neighbours.
    let scale = (n as f64).ln();
    (0..count)
        .map(|_| {
            let rank = (random.unit() * scale).exp() as u64 - 1;
            (rank.wrapping_mul(0x9e37_79b1) % n as u64) as u32
        })
        .collect()
}

/// A key as programs have them: object identities, not small numbers.
fn spread(key: u32) -> i64 {
    (u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8) as i64
}

fn declare(model: &mut Model, name: &str, params: &[&str]) -> EventId {
    let params =
        params.iter().map(|p| Param { name: p.to_string(), ty: Type::Any }).collect::<Vec<_>>();
    model.events.push(EventDecl { params, ..EventDecl::named(name) });
    EventId::from_index(model.events.len() - 1)
}

fn state(name: &str, kind: StateKind) -> State {
    State {
        name: name.into(),
        kind,
        message: None,
        entry: vec![],
        deadline: None,
        span: Span::NONE,
    }
}

fn on(source: u32, event: EventId, params: &[u32], target: Target) -> Transition {
    let args = params.iter().map(|p| Pattern::Equal(Place::Param(ParamId(*p)))).collect();
    let label =
        Label { event: Some(event), arity: Arity::Any, args, guard: None, span: Span::NONE };
    Transition {
        source: StateId(source),
        labels: vec![label],
        keep: false,
        then: Branch::to(target),
        otherwise: None,
        span: Span::NONE,
    }
}

fn to(state: u32) -> Target {
    Target::State(StateId(state))
}

fn property(
    model: &mut Model,
    params: &[&str],
    observed: &[(EventId, &[(u32, u32)])],
    states: Vec<State>,
    transitions: Vec<Transition>,
    ends: Vec<EndOfLife>,
) {
    model.contexts.push(Context {
        parent: None,
        params: params.iter().map(|p| Param { name: p.to_string(), ty: Type::Any }).collect(),
        keys: vec![None; params.len()],
        rule: Creation::ChenRosu { creation: vec![] },
        variables: vec![],
        clocks: vec![],
        ends,
    });
    let alphabet = observed
        .iter()
        .map(|(event, pairs)| Observed {
            event: *event,
            filter: None,
            placements: vec![Placement(pairs.iter().map(|(p, a)| (ParamId(*p), *a)).collect())],
        })
        .collect();
    let named = Property::named("P", ContextId(0));
    model.properties.push(Property { alphabet, states, transitions, ..named });
}

/// `hasNext` and `next` alternate.
fn has_next() -> (Model, [EventId; 3]) {
    let mut model = Model::default();
    let has = declare(&mut model, "hasNext", &["i"]);
    let next = declare(&mut model, "next", &["i"]);
    let done = declare(&mut model, "done", &["i"]);
    let states = vec![
        state("New", StateKind::Normal),
        state("May", StateKind::Normal),
        state("Used", StateKind::Normal),
        state("Bad", StateKind::Bad),
    ];
    let transitions = vec![
        on(0, has, &[0], to(1)),
        on(0, next, &[0], to(3)),
        on(1, next, &[0], to(2)),
        on(1, has, &[0], to(1)),
        on(2, has, &[0], to(1)),
        on(2, next, &[0], to(3)),
    ];
    let one: &[(u32, u32)] = &[(0, 0)];
    let ends = vec![EndOfLife { param: ParamId(0), event: done, arg: 0 }];
    property(
        &mut model,
        &["i"],
        &[(has, one), (next, one), (done, one)],
        states,
        transitions,
        ends,
    );
    (model, [has, next, done])
}

/// An iterator is not used after its collection changed.
fn safe_iterator() -> (Model, [EventId; 4]) {
    let mut model = Model::default();
    let create = declare(&mut model, "create", &["c", "i"]);
    let update = declare(&mut model, "update", &["c"]);
    let next = declare(&mut model, "next", &["i"]);
    let done = declare(&mut model, "done", &["i"]);
    let states = vec![
        state("New", StateKind::Normal),
        state("Valid", StateKind::Normal),
        state("Stale", StateKind::Normal),
        state("Bad", StateKind::Bad),
    ];
    let transitions = vec![
        on(0, create, &[0, 1], to(1)),
        on(1, next, &[1], Target::Stay),
        on(1, update, &[0], to(2)),
        on(2, create, &[0, 1], to(1)),
        on(2, next, &[1], to(3)),
    ];
    let ends = vec![EndOfLife { param: ParamId(1), event: done, arg: 0 }];
    property(
        &mut model,
        &["c", "i"],
        &[(create, &[(0, 0), (1, 1)]), (update, &[(0, 0)]), (next, &[(1, 0)]), (done, &[(1, 0)])],
        states,
        transitions,
        ends,
    );
    (model, [create, update, next, done])
}

fn event<'a>(kind: EventId, args: &'a [ValueRef<'a>]) -> EventRef<'a> {
    EventRef { kind, args, time: None, thread: None, location: None }
}

/// Resident bytes of this process; 0 where the system does not tell.
fn resident() -> usize {
    std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|s| s.split_whitespace().nth(1)?.parse::<usize>().ok())
        .map_or(0, |pages| pages * 4096)
}

/// Processor time of this thread in seconds, so that a busy machine does not count against either
/// side; wall time where the system does not tell.
fn now(start: &Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok())
        .map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// The best of a few repetitions: the least disturbed.
fn best(mut run: impl FnMut() -> f64) -> f64 {
    (0..5).map(|_| run()).fold(f64::MAX, f64::min)
}

const EVENTS: usize = 1_000_000;

fn one_parameter(live: usize, zipf: bool) -> (f64, f64) {
    let (model, [has, next, _]) = has_next();
    let keys = keys(live, zipf, EVENTS);
    let mut engine = Engine::new(&model, Options::default());
    for key in 0..live as u32 {
        let args = [ValueRef::Int(spread(key))];
        engine.step(&event(has, &args)).expect("no times");
    }
    // A bit per key says which of the two events is next, for engine and map alike.
    let mut turn = vec![true; live];
    let engine_time = best(|| {
        let clock = Instant::now();
        let start = now(&clock);
        for key in &keys {
            let flag = &mut turn[*key as usize];
            let kind = if *flag { next } else { has };
            *flag = !*flag;
            let args = [ValueRef::Int(spread(*key))];
            engine.step(&event(kind, &args)).expect("no times");
        }
        (now(&clock) - start) / keys.len() as f64
    });
    assert!(!engine.has_reports());
    let stats = engine.stats()[0];
    let mut map: Map<u64, u8> = Map::default();
    for key in 0..live as u32 {
        map.insert(spread(key) as u64, 1);
    }
    let mut turn = vec![true; live];
    let table = [[1u8, 3], [1, 2], [1, 3], [3, 3]];
    let map_time = best(|| {
        let clock = Instant::now();
        let start = now(&clock);
        for key in &keys {
            let flag = &mut turn[*key as usize];
            let kind = usize::from(*flag);
            *flag = !*flag;
            let state = map.entry(spread(*key) as u64).or_insert(0);
            *state = table[*state as usize][kind];
            if *state == 3 {
                black_box(&state);
            }
        }
        (now(&clock) - start) / keys.len() as f64
    });
    report("one parameter", live, zipf, engine_time, map_time, stats.visited, stats.events);
    (engine_time, map_time)
}

/// More than a million failures of a user within a while, of which there are ten on average.
fn windowed(live: usize, zipf: bool) -> (f64, f64) {
    const MOST: i64 = 1_000_000;
    let within = 10 * live as Time;
    let mut model = Model::default();
    let failed = declare(&mut model, "failed", &["u"]);
    let states = vec![state("Ok", StateKind::Normal), state("Locked", StateKind::Bad)];
    let mut locks = on(0, failed, &[0], to(1));
    let count = Box::new(Expr::Read(Place::Window(WindowId(0))));
    let most = Box::new(Expr::Const(Value::Int(MOST)));
    locks.labels[0].guard = Some(Expr::Binary(BinaryOp::Gt, count, most));
    property(&mut model, &["u"], &[(failed, &[(0, 0)])], states, vec![locks.clone()], vec![]);
    model.properties[0].windows.push(Window {
        name: "fails".into(),
        aggregate: Aggregate::Count,
        label: Label { guard: None, ..locks.labels[0].clone() },
        of: None,
        within,
        span: Span::NONE,
    });
    let keys = keys(live, zipf, EVENTS);
    let mut engine = Engine::new(&model, Options::default());
    let mut time: Time = 0;
    let engine_time = best(|| {
        let clock = Instant::now();
        let start = now(&clock);
        for key in &keys {
            time += 1;
            let args = [ValueRef::Int(spread(*key))];
            let event = EventRef { time: Some(time), ..event(failed, &args) };
            engine.step_soon(&event).expect("time goes on");
        }
        engine.catch_up();
        (now(&clock) - start) / keys.len() as f64
    });
    assert!(!engine.has_reports());
    let stats = engine.stats()[0];
    let mut map: Map<u64, VecDeque<Time>> = Map::default();
    let mut time: Time = 0;
    let map_time = best(|| {
        let clock = Instant::now();
        let start = now(&clock);
        for key in &keys {
            time += 1;
            let times = map.entry(spread(*key) as u64).or_default();
            while times.front().is_some_and(|at| time - at > within) {
                times.pop_front();
            }
            times.push_back(time);
            if times.len() as i64 > MOST {
                black_box(&times);
            }
        }
        (now(&clock) - start) / keys.len() as f64
    });
    report("window", live, zipf, engine_time, map_time, stats.visited, stats.events);
    (engine_time, map_time)
}

fn two_parameters(live: usize, zipf: bool) -> (f64, f64) {
    let (model, [create, update, next, _]) = safe_iterator();
    let keys = keys(live, zipf, EVENTS);
    let mut engine = Engine::new(&model, Options::default());
    // Four iterators to a collection. One event in eight changes a collection, and its iterators
    // are created again.
    let pair = |key: u32| [ValueRef::Int(spread(key / 4) | 1 << 60), ValueRef::Int(spread(key))];
    for key in 0..live as u32 {
        engine.step(&event(create, &pair(key))).expect("no times");
    }
    let mut events = 0usize;
    let engine_time = best(|| {
        events = 0;
        let clock = Instant::now();
        let start = now(&clock);
        for (n, key) in keys.iter().enumerate() {
            if n % 8 == 0 {
                let [c, _] = pair(*key);
                engine.step(&event(update, &[c])).expect("no times");
                let first = *key / 4 * 4;
                for i in first..(first + 4).min(live as u32) {
                    engine.step(&event(create, &pair(i))).expect("no times");
                    events += 1;
                }
            } else {
                let [_, i] = pair(*key);
                engine.step(&event(next, &[i])).expect("no times");
            }
            events += 1;
        }
        (now(&clock) - start) / events as f64
    });
    assert!(!engine.has_reports());
    let stats = engine.stats()[0];
    // The bare map: one lookup per event, by the iterator or by the collection.
    let mut map: Map<u64, u8> = Map::default();
    for key in 0..live as u32 {
        map.insert(spread(key) as u64, 1);
        map.insert(spread(key / 4) as u64 | 1 << 60, 1);
    }
    let map_time = best(|| {
        let clock = Instant::now();
        let start = now(&clock);
        for (n, key) in keys.iter().enumerate() {
            if n % 8 == 0 {
                *map.entry(spread(*key / 4) as u64 | 1 << 60).or_insert(0) ^= 2;
                let first = *key / 4 * 4;
                for i in first..(first + 4).min(live as u32) {
                    *map.entry(spread(i) as u64).or_insert(0) ^= 1;
                }
            } else {
                *map.entry(spread(*key) as u64).or_insert(0) ^= 1;
            }
        }
        black_box(&map);
        (now(&clock) - start) / events as f64
    });
    report("two parameters", live, zipf, engine_time, map_time, stats.visited, stats.events);
    (engine_time, map_time)
}

fn report(what: &str, live: usize, zipf: bool, engine: f64, map: f64, visited: u64, events: u64) {
    println!(
        "{what:15} {live:>7} live {:8} engine {:6.1} ns {:5.1} M/s   map {:5.1} ns {:5.1} M/s   \
         ratio {:4.2}   visited per event {:.3}",
        if zipf { "zipf" } else { "uniform" },
        engine * 1e9,
        1e-6 / engine,
        map * 1e9,
        1e-6 / map,
        engine / map,
        visited as f64 / events as f64,
    );
}

fn memory() {
    for two in [false, true] {
        let (mut engine, create) = match two {
            false => {
                let (model, [has, ..]) = has_next();
                (Engine::new(&model, Options::default()), has)
            }
            true => {
                let (model, [create, ..]) = safe_iterator();
                (Engine::new(&model, Options::default()), create)
            }
        };
        let mut fill = |from: u32, to: u32| {
            for key in from..to {
                let args = [ValueRef::Int(spread(key / 4) | 1 << 60), ValueRef::Int(spread(key))];
                let args = if two { &args[..] } else { &args[1..] };
                engine.step(&event(create, args)).expect("no times");
            }
            resident()
        };
        let before = fill(0, 100_000);
        let after = fill(100_000, 1_000_000);
        println!(
            "memory, {} parameter(s): {:.1} bytes per live slice between 10^5 and 10^6",
            1 + usize::from(two),
            (after - before) as f64 / 900_000.0
        );
    }
    for text in [false, true] {
        let (model, [has, next, done]) = has_next();
        let mut engine = Engine::new(&model, Options::default());
        let mut peak_early = 0;
        let mut peak = 0;
        for key in 0..10_000_000u32 {
            let name;
            let value = match text {
                true => {
                    name = format!("session-{key}");
                    ValueRef::Str(&name)
                }
                false => ValueRef::Int(spread(key)),
            };
            for kind in [has, next, done] {
                engine.step(&event(kind, &[value])).expect("no times");
            }
            if key % 100_000 == 0 {
                peak = peak.max(resident());
                if key == 1_000_000 {
                    peak_early = peak;
                }
            }
        }
        println!(
            "10^7 slices that end, keys are {}: resident {:.1} MB after 10^6, {:.1} MB after all",
            if text { "text" } else { "numbers" },
            peak_early as f64 / 1e6,
            peak as f64 / 1e6
        );
    }
}

fn main() {
    if std::env::args().nth(1).as_deref() != Some("--speed") {
        memory();
    }
    for run in [one_parameter, two_parameters, windowed] {
        for zipf in [false, true] {
            let (small, small_map) = run(100, zipf);
            let (large, large_map) = run(100_000, zipf);
            println!(
                "  engine ÷ map grows {:.2}x from 100 to 100 000 live slices",
                (large / large_map) / (small / small_map)
            );
        }
    }
}
