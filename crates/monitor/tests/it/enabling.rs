//! Instances that are not made, or made late, are not missed.

use std::sync::Arc;

use watchword_model::{Event, Time, Value};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Options, Report};
use watchword_plan::{Plan, Rest, Shape, Slices, Ways};

use crate::differential::{fail, run_planned, show_history};
use crate::generate::{Case, protocols};
use crate::support::{describe, is_full, model, quiet, seeds};

fn slices(plan: &Plan) -> &Slices {
    match &plan.shapes[0].1 {
        Shape::ChenRosu(_, slices) => slices,
        other => panic!("a protocol is sliced, not {other:?}"),
    }
}

#[test]
fn verdicts_are_the_same_with_and_without() {
    let (mut start, mut dead, mut late, mut verdicts) = (0, 0, 0, 0);
    for seed in seeds(10_000) {
        let case = protocols::case(seed);
        let plan = Plan::new(case.model.clone());
        let slices = slices(&plan);
        let rest = slices.enabling.as_ref().map(|e| e.rest);
        start += usize::from(rest == Some(Rest::Start));
        dead += usize::from(rest == Some(Rest::Dead));
        late += usize::from(slices.late.is_some());
        let is_used = rest.is_some() || slices.late.is_some();
        match quiet(|| run_planned(&case, Ways::ALL, Options::default())) {
            Err(why) => fail(seed, &case, &why),
            Ok(reached) => verdicts += usize::from(is_used && reached.verdict),
        }
        if is_used && let Err(why) = quiet(|| run_planned(&case, Ways::NONE, Options::default())) {
            panic!("seed {seed}, without: {why}");
        }
    }
    println!("at rest {start} + {dead}, late {late}; of these with a verdict {verdicts}");
    assert!(!is_full() || start > 500 && dead > 500 && late > 300 && verdicts > 500);
}

/// What is reported, with histories, and how many instances were made.
fn outcome(case: &Case, ways: Ways, events: &[Event]) -> (Vec<String>, u64) {
    let plan = Arc::new(Plan::with(case.model.clone(), ways));
    let mut engine = Engine::with_plan(plan, Options { history: 3, ..Options::default() });
    for event in events {
        let _ = engine.step_owned(event);
    }
    engine.end();
    let mut shown: Vec<String> = engine.take_reports().iter().map(show_history).collect();
    shown.sort();
    (shown, engine.stats()[0].created)
}

#[test]
fn a_late_join_has_the_steps_of_its_parts() {
    let (mut reports, mut all, mut all_early) = (0, 0, 0);
    for seed in seeds(16_000) {
        let case = protocols::case(seed);
        if slices(&Plan::new(case.model.clone())).late.is_none() {
            continue;
        }
        let (late, made) = outcome(&case, Ways::ALL, &case.events);
        let (early, made_early) = outcome(&case, Ways::NONE, &case.events);
        assert_eq!(late, early, "seed {seed}\n{}", describe(&case.model, &case.events));
        reports += late.len();
        all += made;
        all_early += made_early;
    }
    println!("{reports} reports; {all} instances, not {all_early}");
    assert!(!is_full() || reports > 300 && all < all_early);
}

#[test]
fn a_late_join_in_another_order_is_noticed() {
    let differs = |seed: &u64| {
        let case = protocols::case(*seed);
        let plan = Arc::new(Plan::new(case.model.clone()));
        let [right, wrong] = [0, 28].map(|mutant| {
            let options = Options { history: 3, mutant, ..Options::default() };
            let mut engine = Engine::with_plan(plan.clone(), options);
            for event in &case.events {
                let _ = engine.step_owned(event);
            }
            engine.end();
            engine.take_reports().iter().map(show_history).collect::<Vec<_>>()
        });
        right != wrong
    };
    assert!((0..5_000).any(|seed| differs(&seed)));
}

#[test]
fn who_begins_and_waits_is_made() {
    let model = model(
        "event begin(x)
         event other(y)
         event both(x, y)
         property P(x, y) {
           creation begin
           start state Idle within 2 s else Late { on begin(x) -> Idle }
           state Joined { on both(x, y) -> Late }
           bad state Late
         }",
    );
    let second = 1_000_000_000;
    let event = |name: &str, args: &[i64], at: Time| Event {
        time: Some(at * second),
        ..Event::new(
            model.event(name).expect("it is declared"),
            args.iter().map(|i| Value::Int(*i)).collect(),
        )
    };
    // 1 begins at 0 and again at 1, together with its pair with 7: both are late at 3.
    let events = [
        event("begin", &[1], 0),
        event("begin", &[1], 1),
        event("both", &[1, 7], 1),
        event("other", &[7], 5),
    ];
    let late = |reports: &[Report]| {
        let of = |r: &Report| (r.binding.len(), r.time.map(|time| time / second));
        let mut late: Vec<(usize, Option<i64>)> = reports.iter().map(of).collect();
        late.sort_unstable();
        late
    };
    let mut reference = Reference::new(model.clone());
    let mut engine = Engine::new(&model, Options::default());
    for event in &events {
        reference.step(event).expect("time runs forwards");
        engine.step_owned(event).expect("time runs forwards");
    }
    assert_eq!(late(reference.reports()), [(1, Some(3)), (2, Some(3))]);
    assert_eq!(late(&engine.take_reports()), [(1, Some(3)), (2, Some(3))]);
}
