//! Events outside the sensitive set change nothing: an engine that is not told of them agrees with
//! the reference, which is.

use watchword_model::{EventRef, ValueRef};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Options};

use crate::generate;
use crate::support::{describe, is_full, seeds, show};

#[test]
fn other_events_change_nothing() {
    let (mut told, mut saved, mut polls, mut changed) = (0, 0, 0, 0);
    for seed in seeds(6_000) {
        let case = generate::case(seed);
        let mut reference = Reference::new(case.model.clone());
        let options = Options { sensitive: seed % 3 != 0, ..Options::default() };
        let mut engine = Engine::new(&case.model, options);
        let (mut seen, mut generation) = (0, 0);
        let mut compare = |reference: &Reference, engine: &mut Engine, when: usize| {
            let mut expected: Vec<String> = reference.reports()[seen..].iter().map(show).collect();
            seen += expected.len();
            let mut found: Vec<String> = engine.take_reports().iter().map(show).collect();
            expected.sort();
            found.sort();
            let about = || format!("seed {seed}\n{}", describe(&case.model, &case.events));
            assert_eq!(found, expected, "at {when}, {}", about());
            assert_eq!(engine.next_deadline(), reference.next_deadline(), "at {when}, {}", about());
        };
        for (i, event) in case.events.iter().enumerate() {
            let _ = reference.step(event);
            let args: Vec<ValueRef<'_>> = event.args.iter().map(ValueRef::from).collect();
            let borrowed = EventRef {
                kind: event.kind,
                args: &args,
                time: event.time,
                thread: None,
                location: None,
            };
            // Timers that are due before the event may change what matters.
            if let Some(time) = event.time {
                let _ = engine.advance_to(time);
            }
            let sensitive = engine.sensitive_events();
            polls += 1;
            changed += usize::from(sensitive.generation() != generation);
            generation = sensitive.generation();
            let _ = if sensitive.contains(event.kind) {
                told += 1;
                engine.step(&borrowed)
            } else {
                saved += 1;
                engine.pass(&borrowed)
            };
            compare(&reference, &mut engine, i + 1);
        }
        reference.end();
        engine.end();
        compare(&reference, &mut engine, case.events.len() + 1);
    }
    println!("{told} events told, {saved} not; the set changed at {changed} of {polls} polls");
    assert!(!is_full() || saved > 5_000 && changed * 2 < polls);
}

#[test]
fn counting_and_looking_agree() {
    for seed in seeds(2_000) {
        let case = generate::case(seed);
        let engine =
            |sensitive| Engine::new(&case.model, Options { sensitive, ..Options::default() });
        let (mut counts, mut looks) = (engine(true), engine(false));
        for event in &case.events {
            let _ = (counts.step_owned(event), looks.step_owned(event));
            let counted: Vec<_> = counts.sensitive_events().iter().collect();
            let looked: Vec<_> = looks.sensitive_events().iter().collect();
            assert_eq!(counted, looked, "seed {seed}");
        }
    }
}
