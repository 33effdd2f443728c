//! Runs every case on the reference and on the engine.

use std::collections::BTreeSet;
use std::path::Path;

use watchword_cases::{Case, TraceLine, load_dir, run};
use watchword_model::Model;
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Options};

fn cases() -> Vec<Case> {
    load_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).expect("cases load")
}

/// The model and trace of a case; `None` if it is refused, as it should be.
fn prepared(case: &Case) -> Result<Option<(Model, Vec<TraceLine>)>, String> {
    let model = match (case.model(), &case.refused) {
        (Ok(_), Some(code)) => return Err(format!("should be refused with {code}")),
        (Err(found), Some(code)) if found.iter().any(|(c, _)| c == code) => return Ok(None),
        (Err(found), _) => {
            let texts: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
            return Err(format!("refused:\n{}", texts.join("\n")));
        }
        (Ok(model), None) => model,
    };
    let trace = case.events(&model)?;
    Ok(Some((model, trace)))
}

fn on_the_reference(case: &Case) -> Result<(), String> {
    let Some((model, trace)) = prepared(case)? else { return Ok(()) };
    let found = run(&trace, Reference::new(model.clone()));
    case.compare(&model, &found).map_err(|e| format!("the reference {e}"))?;
    match case.not_relevant {
        Some(n) if n != found.not_relevant => {
            Err(format!("the reference counts {} not relevant, not {n}", found.not_relevant))
        }
        _ => Ok(()),
    }
}

fn on_the_engine(case: &Case) -> Result<(), String> {
    let Some((model, trace)) = prepared(case)? else { return Ok(()) };
    for history in [0, 8] {
        let options = Options { history, ..Options::default() };
        let found = run(&trace, Engine::new(&model, options));
        case.compare(&model, &found)
            .map_err(|e| format!("the engine, with a history of {history}, {e}"))?;
    }
    Ok(())
}

fn all(check: impl Fn(&Case) -> Result<(), String>) {
    let cases = cases();
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| check(case).err().map(|e| format!("{}\n{e}", case.title())))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} failed:\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
}

#[test]
fn the_reference_gives_the_verdicts() {
    all(on_the_reference);
}

#[test]
fn the_engine_gives_the_verdicts() {
    all(on_the_engine);
}

#[test]
fn cases_have_names_and_say_what_they_are_about() {
    let mut names = BTreeSet::new();
    for case in &cases() {
        assert!(names.insert(case.title()), "two cases are called {}", case.title());
        assert!(case.about.ends_with(['.', '?']), "{}: {}", case.title(), case.about);
        let pointless = case.refused.is_some() != case.trace.is_empty() && case.expect.is_empty();
        assert!(!pointless || case.refused.is_none(), "{} expects nothing", case.title());
    }
}
