//! Runs every case on the reference evaluator.

use std::collections::BTreeSet;
use std::path::Path;

use watchword_cases::{Case, load_dir, sorted, verdicts};
use watchword_monitor::reference::Reference;

fn cases() -> Vec<Case> {
    load_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).expect("cases load")
}

/// What is wrong with a case, if anything.
fn check(case: &Case) -> Result<(), String> {
    let model = match (case.model(), &case.refused) {
        (Ok(_), Some(code)) => return Err(format!("should be refused with {code}")),
        (Err(found), Some(code)) if found.iter().any(|(c, _)| c == code) => return Ok(()),
        (Err(found), _) => {
            let texts: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
            return Err(format!("refused:\n{}", texts.join("\n")));
        }
        (Ok(model), None) => model,
    };
    let trace = case.events(&model)?;
    let reference = verdicts(&model, &trace, Reference::new(model.clone()));
    let expected = sorted(case.expect.clone());
    if reference != expected {
        return Err(format!("reference gives\n  {reference:#?}\nexpected\n  {expected:#?}"));
    }
    Ok(())
}

#[test]
fn all_cases() {
    let cases = cases();
    let mut names = BTreeSet::new();
    let mut failures = Vec::new();
    for case in &cases {
        assert!(names.insert(case.title()), "two cases are called {}", case.title());
        if let Err(message) = check(case) {
            failures.push(format!("{}\n{message}", case.title()));
        }
    }
    println!("{} cases", cases.len());
    assert!(!cases.is_empty());
    assert!(failures.is_empty(), "{} failed:\n\n{}", failures.len(), failures.join("\n\n"));
}
