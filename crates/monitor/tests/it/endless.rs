//! Timers that go off at the moment at which they are set, without end: their instances become
//! inconclusive, and time passes.

use watchword_model::{Event, Model, Time, Value};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, NotRelevant, Options};

use crate::support::{model, show};

/// Makes all time limits of a model zero. No text says so: the front end refuses it.
fn without_time(text: &str) -> Model {
    let mut model = model(text);
    let states = model.properties.iter_mut().flat_map(|p| &mut p.states);
    states.filter_map(|s| s.deadline.as_mut()).for_each(|deadline| deadline.after = 0);
    model
}

/// Runs both on events of one argument, and saves and restores the engine between them. Gives the
/// reports, and the properties that are inconclusive, by name, with the number of the event.
fn run(model: &Model, events: &[(&str, i64, Time)]) -> (Vec<String>, Vec<(String, u64)>) {
    let mut reference = Reference::new(model.clone());
    let mut engine = Engine::new(model, Options::default());
    let mut found = Vec::new();
    for (name, arg, time) in events {
        let kind = model.event(name).expect("the event is declared");
        let event = Event { time: Some(*time), ..Event::new(kind, vec![Value::Int(*arg)]) };
        reference.step(&event).expect("time runs forwards");
        engine.step_owned(&event).expect("time runs forwards");
        assert_eq!(engine.next_deadline(), reference.next_deadline());
        found.extend(engine.take_reports());
        engine = Engine::restore(engine.plan().clone(), Options::default(), &engine.save())
            .expect("what was saved is restored");
    }
    reference.end();
    engine.end();
    found.extend(engine.take_reports());
    let mut expected: Vec<String> = reference.reports().iter().map(show).collect();
    let mut found: Vec<String> = found.iter().map(show).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    assert!(engine.doubts().iter().all(|doubt| doubt.why == NotRelevant::Endless));
    let doubts: Vec<(u32, u64)> = engine.doubts().iter().map(|d| (d.property.0, d.index)).collect();
    let mut lost: Vec<(u32, u64)> =
        reference.inconclusive().iter().map(|(property, index)| (property.0, *index)).collect();
    lost.dedup_by_key(|(property, _)| *property);
    assert_eq!(doubts, lost);
    let named = |(p, at): (u32, u64)| (model.properties[p as usize].name.clone(), at);
    (found, doubts.into_iter().map(named).collect())
}

fn is_lost(name: &str, at: u64) -> Vec<(String, u64)> {
    vec![(name.to_string(), at)]
}

#[test]
fn states_without_time_in_a_circle() {
    let model = without_time(
        "event e(x)
         property P(x) {
           start state A { on e(x) -> B }
           state B within 1 s else C
           state C within 1 s else B { on e(x) -> D }
           bad state D
         }",
    );
    // The other instance is not concerned until it goes round, too.
    let (reports, lost) = run(&model, &[("e", 1, 10), ("e", 2, 10), ("e", 1, 11), ("e", 1, 12)]);
    assert!(reports.is_empty(), "{reports:#?}");
    assert_eq!(lost, is_lost("P", 1));
}

#[test]
fn the_instance_that_binds_nothing_is_dropped_and_begins_again() {
    let model = without_time(
        "event e(x)
         property P(x) {
           start state A within 1 s else drop { on e(x) -> B }
           bad state B
         }",
    );
    assert_eq!(run(&model, &[("e", 1, 10), ("e", 2, 20)]).1, is_lost("P", 0));
}

#[test]
fn a_clock_that_is_reset_whenever_it_goes_off() {
    for alarm in
        ["rings { reset t for 0 ms }", "rings { reset t for (0 - 5) ms }", "at 0 s { reset t }"]
    {
        let model = model(&format!(
            "event e(x)
             property P(x) {{
               clock t stopped
               start state A {{
                 on e(x) {{ reset t for 0 ms }}
                 on t {alarm}
               }}
               bad state B
             }}",
        ));
        assert_eq!(run(&model, &[("e", 1, 10), ("e", 1, 20)]).1, is_lost("P", 1), "{alarm}");
    }
}

#[test]
fn a_message_that_makes_the_next_instance_without_end() {
    let model = without_time(
        "channel next(n: int)
         event go(n: int)
         property P(n) {
           var m: int = 0
           start state A {
             on go(n)   { m = n } -> B
             on next(n) { m = n } -> B
           }
           state B within 1 s else C
           state C { enter { send next(m + 1) } }
         }",
    );
    let (_, lost) = run(&model, &[("go", 1, 10), ("go", 9000, 20)]);
    assert_eq!(lost, is_lost("P", 1));
}

#[test]
fn configurations_that_differ_each_time() {
    let model = without_time(
        "event e(x)
         property P {
           var n: int = 0
           start state A { on e(_) -> B }
           state B within 1 s else C { enter { n = n + 1 } }
           state C within 1 s else B
         }",
    );
    assert_eq!(run(&model, &[("e", 1, 10), ("e", 2, 20)]).1, is_lost("P", 1));
}

#[test]
fn configurations_that_are_equal_each_time() {
    let model = without_time(
        "event e(x)
         property P {
           start state A { on e(?x) => B }
           state B within 1 s else C { on e(x) -> D }
           state C within 1 s else B
           bad state D
         }",
    );
    // The one that stays in the start state goes on.
    assert_eq!(run(&model, &[("e", 1, 10), ("e", 2, 20)]).1, is_lost("P", 1));
}

#[test]
fn configurations_that_meet_at_once_are_no_circle() {
    let model = without_time(
        "event e(x)
         property P {
           start state A { on e(?x) => B  on e(?x) => C }
           state B within 1 s else C
           state C within 1 s else D
           state D within 1 s else E
           bad state E
         }",
    );
    let (reports, lost) = run(&model, &[("e", 1, 10), ("e", 1, 20)]);
    assert_eq!((reports.len(), lost), (2, vec![]));
}

/// Nothing happens for an hour.
const LONG: Time = 3_600_000_000_000;

#[test]
fn short_time_limits_in_a_circle_while_nothing_happens() {
    for last in ["within 1 ns else B", "within 1 ns else drop", "within 1 ns else A"] {
        let model = model(&format!(
            "event e(x)
             property P(x) {{
               start state A within 1 ns else B {{ on e(x) -> B }}
               state B within 2 ns else C
               state C {last} {{ on e(x) -> D }}
               bad state D
             }}",
        ));
        let (reports, lost) = run(&model, &[("e", 1, 10), ("e", 1, LONG), ("e", 2, 2 * LONG)]);
        assert!(reports.is_empty(), "{reports:#?}");
        assert_eq!(lost, is_lost("P", 1), "{last}");
    }
}

#[test]
fn only_the_instance_that_goes_round_is_inconclusive() {
    let model = model(
        "event e(x)
         event f(x)
         property P(x) {
           start state A { on e(x) -> B  on f(x) -> W }
           state B within 1 ns else C
           state C within 1 ns else B
           state W within 1 min else Late
           bad state Late
         }",
    );
    let (reports, lost) = run(&model, &[("e", 1, 10), ("f", 2, 10), ("e", 3, LONG)]);
    assert_eq!((reports.len(), lost), (1, is_lost("P", 2)));
}

#[test]
fn a_clock_that_is_reset_after_a_short_time() {
    for alarm in ["rings { reset t for 1 ms }", "at 1 us { reset t }"] {
        let model = model(&format!(
            "event e(x)
             property P(x) {{
               clock t stopped
               start state A {{
                 on e(x) {{ reset t for 1 ms }}
                 on t {alarm}
               }}
               bad state B
             }}",
        ));
        assert_eq!(run(&model, &[("e", 1, 10), ("e", 1, LONG)]).1, is_lost("P", 1), "{alarm}");
    }
}

#[test]
fn a_chain_of_instances_each_of_which_makes_the_next() {
    let model = model(
        "channel next(n: int)
         event go(n: int)
         property P(n) {
           var m: int = 0
           start state A {
             on go(n)   { m = n } -> B
             on next(n) { m = n } -> B
           }
           state B within 1 ns else C
           state C within 1 ns else drop { enter { send next(m + 1) } }
         }",
    );
    let (_, lost) = run(&model, &[("go", 1, 10), ("go", 2, LONG)]);
    assert_eq!(lost, is_lost("P", 1));
}

#[test]
fn configurations_of_a_short_circle() {
    let model = model(
        "event e(x)
         property P {
           start state A { on e(?x) => B }
           state B within 1 ns else C { on e(x) -> D }
           state C within 1 ns else B
           bad state D
         }",
    );
    assert_eq!(run(&model, &[("e", 1, 10), ("e", 2, LONG)]).1, is_lost("P", 1));
}

#[test]
fn every_second_for_a_day_is_not_too_often() {
    let model = model(
        "event e(x)
         property P(x) {
           start state A { on e(x) -> B }
           state B within 1 s else C
           bad state C within 1 s else B
         }",
    );
    // Fewer rounds are allowed where mistakes are looked for.
    let rounds = if cfg!(feature = "mutants") { 2_000 } else { 86_400 };
    let (reports, lost) = run(&model, &[("e", 1, 0), ("e", 2, rounds * 1_000_000_000)]);
    assert_eq!((reports.len(), lost), (rounds as usize / 2, vec![]));
    let (_, lost) = run(&model, &[("e", 1, 0), ("e", 2, 2 * rounds * 1_000_000_000)]);
    assert_eq!(lost, is_lost("P", 1));
}

#[test]
fn no_time_is_left_at_the_end_of_time() {
    let model = model(
        "event e(x)
         property P(x) {
           start state A { on e(x) -> B }
           state B within 5 s else C
           bad state C within 5 s else B
         }",
    );
    let (_, lost) = run(&model, &[("e", 1, Time::MAX - 1), ("e", 2, Time::MAX)]);
    assert_eq!(lost, is_lost("P", 1));
}

#[test]
fn many_timers_of_one_moment_that_end_are_no_circle() {
    let model = model(
        "event e(x)
         event all(y)
         property P(x) {
           clock t stopped
           var n: int = 0
           start state A {
             on e(x) -> W
           }
           state W {
             on all(_) { reset t for 0 ms }
             on t rings if n < 100 { n += 1  reset t for 0 ms }
             on t rings -> B
           }
           bad state B
         }",
    );
    let mut events: Vec<(&str, i64, Time)> = (0..300).map(|x| ("e", x, 10)).collect();
    events.push(("all", 0, 20));
    let (reports, lost) = run(&model, &events);
    assert_eq!((reports.len(), lost), (300, vec![]));
}
