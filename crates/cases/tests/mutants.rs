//! Some case fails under every deliberate mistake of the reference: the cases have teeth.
//!
//! `cargo test -p watchword-cases --features mutants --test mutants -- --nocapture` lists the
//! mistakes and which case notices each first.

#![cfg(feature = "mutants")]
#![allow(missing_docs, reason = "the copy of the reference is private here")]

#[path = "../mutants/table.rs"]
mod table;

/// The reference with mistakes; see `build.rs`.
#[allow(
    dead_code,
    unused,
    clippy::all,
    reason = "a copy in which pieces of text were replaced by machine"
)]
mod reference {
    include!(concat!(env!("OUT_DIR"), "/reference.rs"));
}

/// What the reference shares with the engine.
#[path = "../../monitor/src/rounds.rs"]
mod rounds;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use reference::Reference;
use watchword_cases::{Case, Evaluator, Finished, TraceLine, first_inconclusive, load_dir, run};
use watchword_model::{Event, Model, Time};
use watchword_monitor::{Cause, MAX_TEXT, MAX_WEIGHT, Move, Report, ReportKind};

thread_local! {
    static MISTAKE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Whether to make the mistake of that number.
fn makes(number: usize) -> bool {
    MISTAKE.get() == Some(number)
}

struct Mutant(Reference);

impl Evaluator for Mutant {
    fn step(&mut self, event: &Event) {
        self.0.step(event).expect("time runs forwards");
    }

    fn advance_to(&mut self, time: Time) {
        self.0.advance_to(time).expect("time runs forwards");
    }

    fn finish(mut self) -> Finished {
        self.0.end();
        Finished {
            reports: self.0.reports().to_vec(),
            printed: self.0.printed().to_vec(),
            not_relevant: self.0.not_relevant(),
            inconclusive: first_inconclusive(self.0.inconclusive()),
        }
    }
}

/// Whether a case notices the mistake; one that makes the evaluator panic is noticed.
fn notices(case: &Case, model: &Model, trace: &[TraceLine]) -> bool {
    let found =
        catch_unwind(AssertUnwindSafe(|| run(trace, Mutant(Reference::new(model.clone())))));
    !matches!(found, Ok(found) if case.compare(model, &found).is_ok())
}

#[test]
fn every_mistake_is_noticed() {
    let cases = load_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases"));
    let mut prepared: Vec<(Case, Model, Vec<TraceLine>)> = Vec::new();
    for case in cases.expect("cases load") {
        if let Ok(model) = case.model()
            && let Ok(trace) = case.events(&model)
        {
            prepared.push((case, model, trace));
        }
    }
    MISTAKE.set(None);
    for (case, model, trace) in &prepared {
        assert!(!notices(case, model, trace), "{} fails without a mistake", case.title());
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut missed = Vec::new();
    for (number, mutant) in table::MUTANTS.iter().enumerate() {
        MISTAKE.set(Some(number));
        let noticed = prepared.iter().find(|(case, model, trace)| notices(case, model, trace));
        match noticed {
            Some((case, ..)) => println!("{:45} {}", mutant.name, case.title()),
            None => {
                let table::Mutant { name, file, old, new } = mutant;
                missed.push(format!("{name}, in {file}: `{old}` made `{new}`"));
            }
        }
    }
    let _ = std::panic::take_hook();
    println!("{} mistakes, {} cases", table::MUTANTS.len(), prepared.len());
    assert!(missed.is_empty(), "no case notices:\n{}", missed.join("\n"));
}
