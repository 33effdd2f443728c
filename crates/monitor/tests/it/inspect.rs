//! Looking at instances and changing them.

use watchword_model::{Creation, PropertyId, StateId, Type, Value};
use watchword_monitor::{EditError, Engine, Instance, Options};

use crate::generate::{self, random::Random};
use crate::support::{describe, is_full, seeds, show};

#[test]
fn what_is_shown_is_what_there_is() {
    let mut entered = 0;
    for seed in seeds(3_000) {
        let case = generate::case(seed);
        let options = Options { moves: true, ..Options::default() };
        let mut engine = Engine::new(&case.model, options);
        for event in &case.events {
            let _ = engine.step_owned(event);
            let moves = engine.take_moves();
            // Who moved last is where it went, unless its life ended or the state ends it.
            if let [only] = &moves[..]
                && let Some(to) = only.to
            {
                let property = &case.model.properties[only.property.index()];
                let rule = &case.model.contexts[property.context.index()].rule;
                let all = engine.inspect(only.property);
                let found = all.iter().any(|i| i.state == Some(to));
                let may_leave = *rule == Creation::Registers
                    || to == property.start
                    || engine.doubts().iter().any(|d| d.property == only.property)
                    || case.model.contexts.iter().any(|c| !c.ends.is_empty());
                assert!(found || may_leave, "seed {seed}: {only:?} {all:?}");
                entered += usize::from(found);
            }
        }
        for (p, stats) in engine.stats().iter().enumerate() {
            let all = engine.inspect(PropertyId::from_index(p));
            assert_eq!(all.len() as u64, stats.instances, "seed {seed}");
            let numbers: Vec<u64> = all.iter().filter_map(|i| i.id).map(|i| i.number()).collect();
            assert!(numbers.windows(2).all(|n| n[0] < n[1]), "seed {seed}: {numbers:?}");
        }
    }
    assert!(!is_full() || entered > 1_000);
}

/// All of an instance but its name.
fn looks(instance: &Instance) -> String {
    let held = |all: &[(std::sync::Arc<str>, Value)]| {
        all.iter().map(|(name, value)| format!("{name}={:?} ", value.key())).collect::<String>()
    };
    let Instance { binding, state, variables, deadline, .. } = instance;
    format!("{} {state:?} {} {deadline:?}", held(binding), held(variables))
}

/// Puts back what is there: nothing changes. Then changes something: nothing breaks.
#[test]
fn edits_are_checked_and_take_place() {
    let (mut states, mut variables, mut refused) = (0, 0, 0);
    for seed in seeds(4_000) {
        let case = generate::case(seed);
        // A label may bind a float variable to an integer, which becomes a float when put back.
        if case.model.variables.iter().any(|v| v.ty == Type::Float) {
            continue;
        }
        let mut r = Random::new(seed);
        let options = Options { sensitive: seed % 2 == 0, ..Options::default() };
        let mut engine = Engine::new(&case.model, options);
        let mut same = engine.clone();
        for event in &case.events {
            let _ = (engine.step_owned(event), same.step_owned(event));
            for p in 0..case.model.properties.len() {
                let property = PropertyId::from_index(p);
                let there = same.inspect(property);
                for instance in &there {
                    let Some(mut id) = instance.id else { continue };
                    for (name, value) in instance.variables.clone() {
                        match same.set_variable(id, &name, value) {
                            Ok(still) => {
                                // Configurations whose deadlines came to nothing may be equal
                                // already; an edit makes them one.
                                let is = |i: &&Instance| {
                                    i.id.is_some_and(|i| i.number() == still.number())
                                };
                                let twin = there.iter().find(is).expect("it was there");
                                assert_eq!(looks(twin), looks(instance), "seed {seed}");
                                assert!(
                                    still.number() == id.number() || instance.binding.is_empty(),
                                    "seed {seed}"
                                );
                                id = still;
                            }
                            // A label may bind a register to what does not fit its type.
                            Err(EditError::NotBegun | EditError::WrongType(_)) => {}
                            Err(why) => panic!("seed {seed}: {why}"),
                        }
                    }
                }
                let all = engine.inspect(property);
                if all.is_empty() || !r.percent(10) {
                    continue;
                }
                let Some(id) = r.pick(&all).id else { continue };
                let count = case.model.properties[p].states.len();
                let to = StateId::from_index(r.below(count));
                let before = engine.save();
                match engine.set_state(id, to) {
                    Ok(id) => {
                        states += 1;
                        let now = engine.inspect(property);
                        // A one-parameter slice in its start state is not kept.
                        let found = now.iter().find(|i| i.id == Some(id));
                        assert!(found.is_none_or(|i| i.state == Some(to)), "seed {seed}");
                        let name = found.and_then(|i| i.variables.last()).map(|v| v.0.clone());
                        if let Some(name) = name
                            && let Ok(id) = engine.set_variable(id, &name, Value::Int(7))
                        {
                            variables += 1;
                            let now = engine.inspect(property);
                            let held = now.iter().find(|i| i.id == Some(id)).map(|i| {
                                i.variables
                                    .iter()
                                    .rev()
                                    .find(|(n, _)| *n == name)
                                    .map(|v| v.1.key())
                            });
                            assert_eq!(held, Some(Some(Value::Int(7).key())), "seed {seed}");
                        }
                    }
                    Err(_) => {
                        refused += 1;
                        assert_eq!(engine.save(), before, "seed {seed}: half an edit");
                    }
                }
                assert_eq!(
                    engine.set_state(id, StateId(99)).err(),
                    Some(EditError::NoState),
                    "seed {seed}"
                );
            }
        }
        engine.end();
        same.end();
        let mut plain = Engine::new(&case.model, Options::default());
        for event in &case.events {
            let _ = plain.step_owned(event);
        }
        plain.end();
        let mut expected: Vec<String> = plain.take_reports().iter().map(show).collect();
        let mut found: Vec<String> = same.take_reports().iter().map(show).collect();
        expected.sort();
        found.sort();
        let about = describe(&case.model, &case.events);
        assert_eq!(found, expected, "seed {seed}: putting back what is there\n{about}");
    }
    println!("{states} states and {variables} variables set, {refused} refused");
    assert!(!is_full() || states > 500 && variables > 50 && refused > 20);
}

#[test]
fn values_must_fit() {
    for seed in 0..400 {
        let case = generate::case(seed);
        let mut engine = Engine::new(&case.model, Options::default());
        for p in 0..case.model.properties.len() {
            let property = PropertyId::from_index(p);
            for instance in engine.inspect(property) {
                let Some(id) = instance.id.filter(|_| instance.state.is_some()) else { continue };
                let unknown = engine.set_variable(id, "nobody", Value::Null);
                assert_eq!(unknown.err(), Some(EditError::NoVariable));
                let definition = &case.model.properties[p];
                for v in &case.model.contexts[definition.context.index()].variables {
                    let variable = &case.model.variables[v.index()];
                    let wrong = Value::Bool(true);
                    let result = engine.set_variable(id, &variable.name, wrong);
                    match variable.ty {
                        Type::Any | Type::Bool => assert!(result.is_ok()),
                        ty => assert_eq!(result.err(), Some(EditError::WrongType(ty))),
                    }
                }
            }
        }
    }
}
