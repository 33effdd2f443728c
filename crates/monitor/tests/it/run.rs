//! Runs: what is counted, merged and limited, whatever evaluates.

use std::sync::Arc;

use watchword_model::{EventRef, Location, Model, PropertyId};
use watchword_monitor::reference::Reference;
use watchword_monitor::{
    AnyEvaluator, Engine, Evaluator, Found, Listing, Options, PropertyTotals, ReportKind, Run,
};

use crate::generate;
use crate::support::{is_full, is_ordered, seeds};

fn listing(most: usize, unique: bool) -> Listing {
    Listing { most, unique, ..Listing::default() }
}

/// The place of an event: few, so that much is reported at the same one.
fn place(index: u64) -> Option<Arc<Location>> {
    let line = u32::try_from(index % 3).ok();
    Some(Arc::new(Location { file: Some("a.c".into()), line, function: Some("f".into()) }))
}

/// Runs a case; gives what was found, and the run.
fn run<E: Evaluator>(
    case: &generate::Case,
    evaluator: E,
    listing: Listing,
) -> (Vec<Found>, Run<E>) {
    let mut run = Run::new(Arc::new(case.model.clone()), evaluator, listing);
    let mut found = Vec::new();
    for event in &case.events {
        let args: Vec<_> = event.args.iter().map(Into::into).collect();
        run.step(&EventRef::of(event, &args), None);
        found.extend(run.collect(place));
    }
    run.end();
    found.extend(run.collect(place));
    (found, run)
}

fn engine(model: &Model) -> Engine {
    Engine::new(model, Options::default())
}

/// What every evaluator counts.
fn common(run: &Run<impl Evaluator>) -> Vec<(u64, u64, u64)> {
    let of = |p: &PropertyTotals| (p.violations, p.certain, p.satisfactions);
    run.totals().properties.iter().map(of).collect()
}

#[test]
fn the_engine_and_the_reference_are_counted_alike() {
    let mut violations = 0;
    for seed in seeds(2_000) {
        let case = generate::case(seed);
        let (_, of_engine) = run(&case, engine(&case.model), listing(10, false));
        let reference = AnyEvaluator::reference(Reference::new(case.model.clone()));
        let (_, of_reference) = run(&case, reference, listing(10, false));
        assert_eq!(common(&of_engine), common(&of_reference), "seed {seed}");
        assert_eq!(of_engine.events(), of_reference.events());
        if is_ordered(&of_engine.evaluator) {
            assert_eq!(of_engine.counts(), of_reference.counts(), "seed {seed}");
        }
        violations += of_engine.totals().violations();
    }
    assert!(!is_full() || violations > 1_000);
}

#[test]
fn every_violation_is_listed_or_counted() {
    for seed in seeds(1_000) {
        let case = generate::case(seed);
        for (most, unique) in [(0, false), (1, false), (3, true), (1_000, true)] {
            let (found, run) = run(&case, engine(&case.model), listing(most, unique));
            let totals = run.totals();
            let listed = found.iter().filter(|f| f.report.kind == ReportKind::Violation);
            let listed = listed.filter(|f| f.listed.number.is_some()).count();
            assert_eq!(listed, totals.counts.len(), "seed {seed}");
            assert!(listed <= most, "seed {seed}");
            let counted = totals.counts.iter().sum::<u64>() + totals.unlisted();
            assert_eq!(counted, totals.violations(), "seed {seed}");
            assert!(!unique || totals.counts.iter().all(|n| *n == 1), "seed {seed}");
        }
    }
}

#[test]
fn going_back_undoes_counts_but_not_findings() {
    for seed in seeds(500) {
        let case = generate::case(seed);
        let (found, mut run) = run(&case, engine(&case.model), listing(10, false));
        let fresh = Run::new(run.model().clone(), engine(&case.model), listing(10, false));
        run.go_back(&fresh.checkpoint());
        let totals = run.totals();
        assert_eq!(totals.events, 0);
        // A property may observe `start`, which has happened.
        let events = |of: &[PropertyTotals]| of.iter().map(|p| p.events).collect::<Vec<_>>();
        let began = events(&fresh.totals().properties);
        assert_eq!(events(&totals.properties), began, "seed {seed}");
        let violations = found.iter().filter(|f| f.report.kind == ReportKind::Violation).count();
        assert_eq!(totals.violations(), violations as u64, "seed {seed}");
    }
}

#[test]
fn events_for_some_properties_are_counted_for_these_only() {
    let mut partial = 0;
    for seed in seeds(500) {
        let case = generate::case(seed);
        let model = Arc::new(case.model.clone());
        let mut run = Run::new(model.clone(), engine(&model), Listing::default());
        let only = [PropertyId::from_index(0)];
        for event in &case.events {
            let args: Vec<_> = event.args.iter().map(Into::into).collect();
            run.step(&EventRef::of(event, &args), Some(&only));
        }
        for (i, own) in run.totals().properties.iter().enumerate() {
            let counted: u64 = own.by_event.iter().map(|(_, n)| n).sum();
            assert!(i == 0 || counted == 0, "seed {seed}: {own:?}");
            partial += counted;
        }
    }
    assert!(!is_full() || partial > 100);
}
