//! Moves: every change of state is told, by every rule, as the reference takes them.

use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Move, Options};

use crate::generate;
use crate::support::{describe, is_full, is_ordered, seeds};

/// A move without its binding, and the binding by itself.
fn show(m: &Move) -> (String, Vec<String>) {
    let args: Vec<_> = m.args.iter().map(|v| v.key()).collect();
    let step = format!(
        "{:?} {:?} -> {:?} on {:?} {args:?} {:?} at {} time {:?}",
        m.property, m.from, m.to, m.event, m.cause, m.index, m.time
    );
    (step, m.binding.iter().map(|(name, value)| format!("{name}={:?}", value.key())).collect())
}

#[test]
fn moves_are_those_of_the_reference() {
    let (mut told, mut shared) = (0, 0);
    for seed in seeds(3_000) {
        let case = generate::case(seed);
        let mut reference = Reference::new(case.model.clone());
        let options = Options { moves: true, ..Options::default() };
        let mut engine = Engine::new(&case.model, options);
        let ordered = is_ordered(&engine);
        for event in &case.events {
            let _ = (reference.step(event), engine.step_owned(event));
        }
        reference.end();
        engine.end();
        let mut expected: Vec<_> = reference.moves().iter().map(show).collect();
        let mut found: Vec<_> = engine.take_moves().iter().map(show).collect();
        told += found.len();
        let about = || format!("seed {seed}\n{}", describe(&case.model, &case.events));
        if ordered {
            assert_eq!(found, expected, "{}", about());
            continue;
        }
        expected.sort();
        found.sort();
        // Nothing is made up, and what is not told for itself is told for a smaller binding.
        for one in &found {
            match expected.iter().position(|e| e == one) {
                Some(at) => drop(expected.remove(at)),
                None => panic!("not a move of the reference: {one:?}\n{}", about()),
            }
        }
        shared += expected.len();
        for (step, binding) in &expected {
            let smaller =
                found.iter().any(|(s, b)| s == step && b.iter().all(|v| binding.contains(v)));
            assert!(smaller, "not told: {step} {binding:?}\n{}", about());
        }
    }
    println!("{told} moves told, {shared} told once for several instances");
    assert!(!is_full() || told > 10_000 && shared > 0);
}

#[test]
fn moves_are_not_kept_unless_asked_for() {
    let case = generate::case(1);
    let mut engine = Engine::new(&case.model, Options::default());
    for event in &case.events {
        let _ = engine.step_owned(event);
    }
    assert!(engine.take_moves().is_empty());
}
