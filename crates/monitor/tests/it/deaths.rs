//! Objects that are gone: who cannot show anything without them leaves, and nobody can tell.

use std::collections::{BTreeMap, BTreeSet};

use watchword_model::{Creation, Event, Value};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Options, Said};

use crate::generate::{self, Case, random::Random};
use crate::support::{describe, is_full, rule, seeds, show};

/// The case of a seed, with objects for small numbers, other ones as the trace goes on.
fn case(seed: u64) -> Case {
    let mut case = generate::case(seed);
    let mut r = Random::new(seed);
    let (spared, era) = (r.below(6), 3 + r.below(5));
    let object = |i: usize, arg: usize, value: &Value| match value {
        Value::Int(n @ 0..10) if arg != spared => Value::object(*n as u64 + 10 * (i / era) as u64),
        value => value.clone(),
    };
    for (i, event) in case.events.iter_mut().enumerate() {
        event.args = event.args.iter().enumerate().map(|(a, v)| object(i, a, v)).collect();
    }
    case
}

fn objects(event: &Event) -> impl Iterator<Item = u64> + '_ {
    event.args.iter().filter_map(|v| match v {
        Value::Ref(object) => Some(object.id),
        _ => None,
    })
}

#[test]
fn the_dead_leave_unnoticed() {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut verdicts, mut by_table) = (0, 0);
    for seed in seeds(5_000) {
        let case = case(seed);
        let mut r = Random::new(seed + 1);
        let mut reference = Reference::new(case.model.clone());
        let history = usize::from(seed % 4 == 0);
        let mut engine = Engine::new(&case.model, Options { history, ..Options::default() });
        let (mut seen, mut printed) = (0, 0);
        let mut compare = |reference: &Reference, engine: &mut Engine, when: usize| {
            let mut expected: Vec<String> = reference.reports()[seen..].iter().map(show).collect();
            let mut found: Vec<String> = engine.take_reports().iter().map(show).collect();
            seen += expected.len();
            expected.extend(reference.printed()[printed..].iter().cloned());
            printed = reference.printed().len();
            found.extend(engine.take_said().into_iter().filter_map(|s| match s {
                Said::Print { text, .. } => Some(text),
                Said::Action { .. } => None,
            }));
            expected.sort();
            found.sort();
            let about = || format!("seed {seed}\n{}", describe(&case.model, &case.events));
            assert_eq!(found, expected, "at {when}, {}", about());
        };
        let mut died: BTreeSet<u64> = BTreeSet::new();
        for (i, event) in case.events.iter().enumerate() {
            let _ = (reference.step(event), engine.step_owned(event));
            compare(&reference, &mut engine, i + 1);
            let later: BTreeSet<u64> = case.events[i + 1..].iter().flat_map(objects).collect();
            let gone: Vec<u64> = case.events[..=i]
                .iter()
                .flat_map(objects)
                .filter(|o| !later.contains(o) && r.percent(80) && died.insert(*o))
                .collect();
            let dropped = match r.percent(50) {
                true => engine.died(&gone),
                false => {
                    let held = engine.held(None, |o| died.contains(&o));
                    engine.died(&held)
                }
            };
            *left.entry(rule(&case.model)).or_default() += dropped;
            let one = case.model.contexts[0].params.len() == 1;
            if one && matches!(case.model.contexts[0].rule, Creation::ChenRosu { .. }) {
                by_table += dropped;
            }
        }
        reference.end();
        engine.end();
        compare(&reference, &mut engine, case.events.len() + 1);
        verdicts += usize::from(!reference.reports().is_empty());
    }
    println!("{left:?} left, {by_table} with one parameter; {verdicts} traces reach a verdict");
    assert!(!is_full() || left.values().all(|n| *n > 100) && left.len() == 4 && verdicts > 1_500);
}
