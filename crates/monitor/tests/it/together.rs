//! Configurations that look ahead together do what each would do alone, and are looked at less often.

use std::sync::Arc;

use watchword_monitor::{Engine, Options};
use watchword_plan::{Plan, Shape, Ways};

use crate::differential::{fail, run_planned};
use crate::generate::{self, Case};
use crate::support::{is_full, quiet, seeds};

fn looks_ahead(plan: &Plan) -> bool {
    plan.shapes.iter().any(|(_, shape)| match shape {
        Shape::Registers(_, planned) => planned.together.iter().any(Option::is_some),
        _ => false,
    })
}

/// How many configurations events looked at.
fn visited(case: &Case, ways: Ways) -> u64 {
    let plan = Arc::new(Plan::with(case.model.clone(), ways));
    let mut engine = Engine::with_plan(plan, Options::default());
    for event in &case.events {
        let _ = engine.step_owned(event);
    }
    engine.end();
    engine.stats().iter().map(|stats| stats.visited).sum()
}

#[test]
fn verdicts_are_the_same_together_and_alone() {
    let alone = Ways { together: false, ..Ways::ALL };
    let (mut cases, mut verdicts, mut fewer) = (0, 0, 0);
    for seed in seeds(40_000) {
        let case = generate::general(seed);
        if !looks_ahead(&Plan::new(case.model.clone())) {
            continue;
        }
        cases += 1;
        for ways in [Ways::ALL, alone] {
            match quiet(|| run_planned(&case, ways, Options::default())) {
                Err(why) => fail(seed, &case, &why),
                Ok(reached) => verdicts += usize::from(reached.verdict),
            }
        }
        fewer += usize::from(visited(&case, Ways::ALL) < visited(&case, alone));
    }
    println!(
        "{cases} cases; {verdicts} of twice as many with a verdict, {fewer} with fewer visits"
    );
    assert!(!is_full() || cases > 500 && verdicts > 300 && fewer > 100);
}
