//! Several engines that share the events of a trace by the routing plan report what one reports.

use std::collections::BTreeSet;
use std::sync::Arc;

use watchword_model::{Event, EventRef, PropertyId, ValueRef};
use watchword_monitor::{Delivery, Engine, Options, Report, Router};
use watchword_plan::{Plan, Routing, Way};

use crate::generate::{self, Case};
use crate::support::{describe, is_full, quiet, seeds, show};

/// What is found: reports without the number of the event, which is one of the shard; and the
/// properties that are inconclusive.
#[derive(Debug, Default, PartialEq, Eq)]
struct Findings {
    reports: Vec<String>,
    inconclusive: BTreeSet<u32>,
}

impl Findings {
    fn take(&mut self, engine: &mut Engine, counts: impl Fn(PropertyId) -> bool) {
        let reports = engine.take_reports();
        let shown = |report: Report| show(&Report { index: 0, ..report });
        self.reports.extend(reports.into_iter().filter(|r| counts(r.property)).map(shown));
        let doubts = engine.doubts();
        let doubted = doubts.iter().map(|d| d.property).filter(|property| counts(*property));
        self.inconclusive.extend(doubted.map(|property| property.0));
    }

    fn sorted(mut self) -> Findings {
        self.reports.sort();
        self
    }
}

fn whole(plan: &Arc<Plan>, events: &[Event]) -> Findings {
    let mut engine = Engine::with_plan(plan.clone(), Options::default());
    for event in events {
        let _ = engine.step_owned(event);
    }
    engine.end();
    let mut found = Findings::default();
    found.take(&mut engine, |_| true);
    found.sorted()
}

/// What shards find, and how many deliveries of events there were.
fn divided(
    plan: &Arc<Plan>,
    events: &[Event],
    mut router: Router,
    count: usize,
) -> (Findings, usize) {
    let mut shards: Vec<Engine> =
        (0..count).map(|_| Engine::with_plan(plan.clone(), Options::default())).collect();
    let mut last = None;
    let mut deliveries = 0;
    for event in events {
        if event.time.is_some_and(|time| last.is_some_and(|last| time < last)) {
            continue;
        }
        if let (None, Some(first)) = (last, event.time) {
            shards.iter_mut().for_each(|shard| shard.advance_to(first).expect("the first time"));
        }
        last = event.time.or(last);
        let args: Vec<ValueRef<'_>> = event.args.iter().map(ValueRef::from).collect();
        let event = EventRef { time: last, ..EventRef::of(event, &args) };
        for Delivery { shard, only } in router.route(&event) {
            deliveries += 1;
            shards[shard].step_for(&event, only.as_deref()).expect("times are in order");
        }
    }
    let mut found = Findings::default();
    for (number, shard) in shards.iter_mut().enumerate() {
        if let Some(last) = last {
            shard.advance_to(last).expect("the last time");
        }
        shard.end();
        found.take(shard, |property| router.counts(number, property));
    }
    (found.sorted(), deliveries)
}

fn compare(case: &Case, count: usize) -> Result<usize, String> {
    let plan = Arc::new(Plan::new(case.model.clone()));
    let expected = whole(&plan, &case.events);
    let mut saved = 0;
    let routers = [Router::new(plan.clone(), count), Router::stateless(plan.clone(), count)];
    for (router, what) in routers.into_iter().zip(["learning", "stateless"]) {
        let (found, deliveries) = divided(&plan, &case.events, router, count);
        if found != expected {
            return Err(format!("{count} shards, {what}: {found:#?}\nexpected {expected:#?}"));
        }
        saved += (count * case.events.len()).saturating_sub(deliveries);
    }
    Ok(saved)
}

#[test]
fn shards_by_the_routing_plan_report_what_one_engine_does() {
    let [mut keyed, mut learnt, mut everywhere, mut wholly, mut saved] = [0; 5];
    for seed in seeds(20_000) {
        let case = generate::case(seed);
        for routing in Plan::new(case.model.clone()).routings() {
            let Routing::Keyed(routing) = routing else {
                wholly += 1;
                continue;
            };
            keyed += 1;
            let has = |wanted: fn(&Way) -> bool| routing.ways.iter().flatten().any(wanted);
            learnt += usize::from(has(|way| matches!(way, Way::Learnt { .. })));
            everywhere += usize::from(has(|way| *way == Way::Everywhere));
        }
        let count = [1, 2, 3, 7][seed as usize % 4];
        match quiet(|| compare(&case, count)) {
            Ok(deliveries) => saved += deliveries,
            Err(why) => panic!(
                "seed {seed}: {why}\n{}\n{}",
                Plan::new(case.model.clone()).explain_routing(),
                describe(&case.model, &case.events)
            ),
        }
    }
    println!(
        "{keyed} keyed, {learnt} learn, {everywhere} go everywhere with some event, {wholly} in one \
         shard; {saved} deliveries saved"
    );
    assert!(!is_full() || keyed > 3_000 && learnt > 100 && everywhere > 300 && wholly > 3_000);
}
