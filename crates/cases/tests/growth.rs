//! Instances do not multiply: what events look at and make does not grow with the trace, and has a
//! budget in `bench/budgets.toml`.

use std::time::Instant;

use watchword_cases::budgets::Budgets;
use watchword_cases::growth::{ALL, Growth, Keys};
use watchword_model::{EventRef, Model, ValueRef};
use watchword_monitor::{Engine, Options, PropertyStats};
use watchword_spec::{SourceFile, load};

/// How long the traces are.
const FEW: usize = 20_000;
const MANY: usize = 200_000;

fn model(workload: &Growth) -> Model {
    let file = SourceFile::new("growth.ww", workload.property);
    let loaded = load(&[file], &|_, path| Err(path.to_owned()));
    loaded.model.unwrap_or_else(|| panic!("{}: {:?}", workload.name, loaded.diagnostics))
}

/// What the engine counted after so many events, and how many nanoseconds one took.
fn run(workload: &Growth, keys: Keys, count: usize) -> (PropertyStats, u128) {
    let model = model(workload);
    let kinds: Vec<_> =
        workload.kinds.iter().map(|name| model.event(name).expect("declared")).collect();
    let events: Vec<_> = workload
        .events(count, keys)
        .into_iter()
        .map(|(kind, args)| (kinds[kind], args.into_iter().map(ValueRef::Int).collect::<Vec<_>>()))
        .collect();
    let mut engine = Engine::new(&model, Options::default());
    let start = Instant::now();
    for (kind, args) in &events {
        let event = EventRef { kind: *kind, args, time: None, thread: None, location: None };
        engine.step_soon(&event).expect("events have no times");
    }
    engine.catch_up();
    let each = start.elapsed().as_nanos() / count as u128;
    (engine.stats()[0], each)
}

#[test]
fn an_event_costs_the_same_however_long_the_trace_is() {
    let mut budgets = Budgets::open();
    for workload in &ALL {
        for (keys, what) in [(Keys::Uniform, "uniform"), (Keys::Zipf, "Zipf")] {
            let (few, _) = run(workload, keys, FEW);
            let (many, each) = run(workload, keys, MANY);
            let name = workload.name;
            println!("{name}, {what}: {each} ns per event, {many:?}");
            for (stats, count) in [(few, FEW), (many, MANY)] {
                let table = format!("growth, {name}, {what}");
                let mut spend = |counter: &str, all: u64| {
                    let counter = format!("{counter} per 1000 of {count} events");
                    budgets.spend(&table, &counter, all * 1_000 / count as u64, 0);
                };
                spend("instances looked at", stats.visited);
                spend("instances made", stats.created);
            }
            let times = (MANY / FEW) as u64;
            let flat = |few: u64, many: u64| many / times <= few + few / 2 + 1_000;
            assert!(flat(few.visited, many.visited), "{name}, {what}: {few:?}, then {many:?}");
            assert!(flat(few.created, many.created), "{name}, {what}: {few:?}, then {many:?}");
            assert!(many.visited <= 4 * many.events, "{name}, {what}: {many:?}");
        }
    }
    budgets.close();
}

/// A thousand users log in, a thousand files are opened, and nine thousand times a user accesses a file:
/// a million pairs could be, and only those that an event names are made.
#[test]
fn pairs_are_made_where_events_name_them() {
    let workload = ALL.iter().find(|w| w.name.starts_with("pairs")).expect("there is one");
    let model = model(workload);
    let mut engine = Engine::new(&model, Options::default());
    let mut step = |name: &str, args: &[i64]| {
        let kind = model.event(name).expect("declared");
        let args: Vec<ValueRef> = args.iter().copied().map(ValueRef::Int).collect();
        let event = EventRef { kind, args: &args, time: None, thread: None, location: None };
        engine.step(&event).expect("events have no times");
    };
    for number in 0..1_000 {
        step("login", &[number]);
        step("open", &[number]);
    }
    for number in 0..9_000 {
        step("access", &[number % 1_000, number * 7 % 1_000]);
    }
    let stats = &engine.stats()[0];
    assert_eq!(stats.events, 11_000);
    assert!(!engine.has_reports());
    assert!(stats.created <= 11_000 && stats.visited <= 22_000, "{stats:?}");
}

#[test]
fn instances_whose_windows_are_over_are_collected() {
    let file = SourceFile::new(
        "growth.ww",
        "event failed(u)\n\
         property P(u) {\n\
           window fails = count failed(u) within 1 s\n\
           start state Ok { on failed(u) if fails > 3 -> Locked }\n\
           bad state Locked\n\
         }\n",
    );
    let loaded = load(&[file], &|_, path| Err(path.to_owned()));
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let failed = model.event("failed").expect("declared");
    let mut engine = Engine::new(&model, Options::default());
    for user in 0..200_000i64 {
        // A thousand users at a time.
        let (args, time) = ([ValueRef::Int(user)], Some(user * 1_000_000));
        let event = EventRef { kind: failed, args: &args, time, thread: None, location: None };
        engine.step(&event).expect("time goes on");
        assert!(engine.instances() < 20_000, "{} after {user}", engine.instances());
    }
    assert!(!engine.has_reports());
}
