//! A limit on memory: what does not fit becomes inconclusive, and nothing else changes.

use std::collections::BTreeMap;

use watchword_model::{EventRef, Model, ValueRef};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Keep, Limit, NotRelevant, Options, Report};

use crate::generate;
use crate::support::{is_full, model, seeds, show};

fn limited(bytes: u64, keep: Keep) -> Options {
    Options { max_memory: Some(bytes), keep, ..Options::default() }
}

/// How often something was reported, by property.
fn counted(reports: &[Report]) -> Vec<BTreeMap<String, usize>> {
    let mut counted: Vec<BTreeMap<String, usize>> = Vec::new();
    for report in reports {
        let property = report.property.index();
        counted.resize_with(counted.len().max(property + 1), BTreeMap::new);
        *counted[property].entry(show(report)).or_default() += 1;
    }
    counted
}

/// Raises an event with integers.
fn raise(engine: &mut Engine, model: &Model, event: &str, args: &[i64], time: i64) {
    let kind = model.event(event).expect("the event is declared");
    let args: Vec<ValueRef<'_>> = args.iter().map(|i| ValueRef::Int(*i)).collect();
    let event = EventRef { kind, args: &args, time: Some(time), thread: None, location: None };
    engine.step(&event).expect("time runs forwards");
}

#[test]
fn what_has_no_memory_is_missing_and_never_wrong() {
    let (mut lost, mut discarded, mut same) = (0, 0, 0);
    for seed in seeds(6_000) {
        let case = generate::general(seed);
        let mut reference = Reference::new(case.model.clone());
        let bytes = 300 + seed % 40 * 100;
        let mut engine = Engine::new(&case.model, limited(bytes, Keep::Oldest));
        for event in &case.events {
            let (a, b) = (reference.step(event), engine.step_owned(event));
            assert_eq!(a.is_ok(), b.is_ok(), "seed {seed}");
        }
        reference.end();
        engine.end();
        let expected = counted(reference.reports());
        let found = counted(&engine.take_reports());
        let limits = engine.limits();
        let is_short =
            |limit: &Limit| matches!(limit, Limit::Evaluations { why: NotRelevant::Memory, .. });
        let sends =
            case.model.events.iter().any(|e| matches!(e.origin, watchword_model::Origin::Channel));
        for (number, property) in case.model.properties.iter().enumerate() {
            let of = |limit: &&Limit| limit.property().is_some_and(|p| p.index() == number);
            let empty = BTreeMap::new();
            let expected = expected.get(number).unwrap_or(&empty);
            let found = found.get(number).unwrap_or(&empty);
            let mut limits = limits.iter().filter(of);
            if limits.clone().any(|l| matches!(l, Limit::Instances { .. })) {
                // Another instance may have been made for the same binding later.
                discarded += 1;
            } else if limits.clone().any(is_short) {
                lost += 1;
                if !sends {
                    for (report, times) in found {
                        let all = expected.get(report).copied().unwrap_or(0);
                        assert!(*times <= all, "seed {seed}: {} {report}", property.name);
                    }
                }
            } else if !sends && limits.all(|l| !l.blurs(&case.model, property_id(number))) {
                assert_eq!(expected, found, "seed {seed}: {}", property.name);
                same += 1;
            }
        }
    }
    println!("{lost} inconclusive, {discarded} discarded, {same} the same");
    assert!(!is_full() || lost > 40 && discarded > 400 && same > 4_000);
}

fn property_id(number: usize) -> watchword_model::PropertyId {
    watchword_model::PropertyId::from_index(number)
}

const FAILS: &str = "
    event failed(u)
    property Lockout(u) {
      window fails = count failed(u) within 1 h
      start state Ok { on failed(u) if fails == 10 -> Locked }
      bad state Locked { on failed(u) if fails < 5 -> Ok }
    }";

#[test]
fn the_window_that_grows_is_given_up_and_the_others_stay() {
    let model = model(FAILS);
    let mut engine = Engine::new(&model, limited(1 << 20, Keep::Newest));
    let mut most = 0;
    for i in 0..1_000_000i64 {
        // A user that fails all the time, and a thousand who do so now and then.
        let user = if i % 100 == 0 { 1 + i / 100 % 1_000 } else { 0 };
        raise(&mut engine, &model, "failed", &[user], i * 1_000_000);
        most = most.max(engine.memory());
    }
    assert!(most <= 1 << 20, "{most}");
    // The thousand failed ten times each; the one had been reported before it became too large.
    let locked = engine.take_reports().len();
    assert_eq!(locked, 1_001);
    let limits = engine.limits();
    let [Limit::Evaluations { instances: 1, since, why: NotRelevant::Memory, .. }] = limits[..]
    else {
        panic!("{limits:?}")
    };
    assert!((50_000..200_000).contains(&since), "{since}");
}

#[test]
fn windows_of_the_past_give_their_memory_back() {
    let model = model(FAILS);
    let mut engine = Engine::new(&model, limited(8 << 20, Keep::Newest));
    // In every hour other users, each with a few failures.
    for hour in 0..40i64 {
        for i in 0..20_000i64 {
            let time = (hour * 2 * 3600) * 1_000_000_000 + i;
            raise(&mut engine, &model, "failed", &[hour * 5_000 + i % 5_000], time);
        }
    }
    assert_eq!(engine.limits(), []);
    assert!(engine.memory() < 8 << 20);
}

#[test]
fn maps_and_instances_are_limited() {
    let text = "
        event put(u, k)
        property Seen(u) {
          var seen: map = {}
          start state Ok { on put(u, ?k) { seen[k] = true } }
        }
        property Pairs(u, k) {
          start state Idle { on put(u, k) -> Put }
          state Put { on put(u, k) -> Again }
          bad state Again
        }";
    let model = model(text);
    let mut engine = Engine::new(&model, limited(1 << 20, Keep::Oldest));
    let mut most = 0;
    for i in 0..100_000 {
        raise(&mut engine, &model, "put", &[0, i], i);
        most = most.max(engine.memory());
    }
    assert!(most <= (1 << 20) + 4096, "{most}");
    let limits = engine.limits();
    let [
        Limit::Evaluations { instances: 1, why: NotRelevant::Memory, .. },
        Limit::Instances { .. },
    ] = limits[..]
    else {
        panic!("{limits:?}")
    };
    assert!(engine.instances() > 1_000, "{}", engine.instances());
    // What is restored counts as before.
    let plan = engine.plan().clone();
    let bytes = engine.save();
    let restored = Engine::restore(plan, limited(1 << 20, Keep::Oldest), &bytes).expect("restored");
    let (now, then) = (restored.memory(), engine.memory());
    assert!(now <= then && now > then / 2, "{now} {then}");
}

#[test]
fn a_restored_engine_still_makes_room_for_new_instances() {
    let model = model(
        "event open(f)
         event read(f)
         property P(f) {
           start state A { on open(f) -> B }
           state B { on read(f) -> C }
           bad state C
         }",
    );
    let options = Options { max_instances: Some(2), keep: Keep::Newest, ..Options::default() };
    let mut engine = Engine::new(&model, options.clone());
    for f in [1, 2] {
        raise(&mut engine, &model, "open", &[f], 0);
    }
    let plan = engine.plan().clone();
    let mut engine = Engine::restore(plan, options, &engine.save()).expect("it was saved");
    raise(&mut engine, &model, "open", &[3], 1);
    for f in [1, 2, 3] {
        raise(&mut engine, &model, "read", &[f], 2);
    }
    // The first one had to go.
    let found: Vec<String> =
        engine.take_reports().iter().map(|r| r.binding[0].1.to_string()).collect();
    assert_eq!(found, ["2", "3"]);
}
