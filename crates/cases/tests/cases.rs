//! Runs every case on the reference and on the engine.

#[path = "topl/mod.rs"]
mod topl;

use std::collections::BTreeSet;
use std::path::Path;

use watchword_cases::{Case, Evaluator, Finished, TraceLine, divided, load_dir, run};
use watchword_model::{Creation, Model};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Cause, Engine, Options};

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

fn on_several_engines(case: &Case) -> Result<(), String> {
    let Some((model, trace)) = prepared(case)? else { return Ok(()) };
    [1, 2, 3, 7].into_iter().try_for_each(|count| divided::compare(&model, &trace, count))
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
fn several_engines_that_share_the_events_give_the_verdicts() {
    all(on_several_engines);
}

/// The formatter changes no verdict, and nothing of what it has laid out.
#[test]
fn formatted_properties_give_the_same_verdicts() {
    let mut formatted = 0;
    let mut wrong = Vec::new();
    for case in cases().into_iter().filter(|c| c.refused.is_none() && c.lang == "ww") {
        let once = watchword_spec::format(&case.property).expect("a good property");
        if watchword_spec::format(&once).as_ref() != Ok(&once) {
            wrong.push(format!("{} is laid out in two ways:\n{once}", case.title()));
        }
        let other = Case { property: once, ..case };
        for check in [on_the_reference, on_the_engine] {
            if let Err(e) = check(&other) {
                wrong.push(format!("{}, as\n{}\n{e}", other.title(), other.property));
            }
        }
        formatted += 1;
    }
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(formatted > 250, "only {formatted} cases");
}

/// Every property, written as a `.ww` property, gives the verdicts it gave. What Python blocks do may
/// have no words there.
#[test]
fn converted_properties_give_the_same_verdicts() {
    let mut converted = 0;
    let mut wrong = Vec::new();
    for case in cases().into_iter().filter(|c| c.refused.is_none()) {
        let model = case.model().expect("a good property");
        let text = match watchword_spec::convert::to_ww(&model, &[]) {
            Ok(text) => text,
            Err(_) if case.lang == "verde" => continue,
            Err(e) => {
                wrong.push(format!("{} is not converted: {}", case.title(), e.message));
                continue;
            }
        };
        let (property, lang, functions) = (text.clone(), "ww".into(), String::new());
        // What was chosen for params is part of the model.
        let (set, bind) = (Vec::new(), Vec::new());
        let other = Case { property, lang, functions, set, bind, ..case.clone() };
        for check in [on_the_reference, on_the_engine] {
            if let Err(e) = check(&other) {
                wrong.push(format!("{}, as\n{text}\n{e}", case.title()));
            }
        }
        converted += 1;
    }
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(converted > 300, "only {converted} cases");
}

/// Every LARVA script that is written as a LARVA script again gives the verdicts it gave.
#[test]
fn scripts_that_are_written_again_give_the_same_verdicts() {
    let (mut written, mut wrong) = (0, Vec::new());
    for case in cases().into_iter().filter(|c| c.refused.is_none() && c.lang == "larva") {
        let model = case.model().expect("a good property");
        let property = match watchword_spec::convert::to_lrv(&model) {
            Ok(property) => property,
            Err(refused) => {
                wrong.push(format!("{} cannot be written: {}", case.title(), refused[0].message));
                continue;
            }
        };
        let other = Case { property: property.clone(), ..case.clone() };
        for check in [on_the_reference, on_the_engine] {
            if let Err(e) = check(&other) {
                wrong.push(format!("{}, as\n{property}\n{e}", case.title()));
            }
        }
        written += 1;
    }
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(written > 20, "only {written} scripts");
}

/// What a script says and Watchword does not take is refused where it stands, with a reason or what
/// to write instead.
#[test]
fn scripts_are_refused_with_the_place_and_the_reason() {
    let mut wrong = Vec::new();
    for case in cases().into_iter().filter(|c| c.refused.is_some() && c.lang == "larva") {
        for (_, text) in case.model().expect_err("it is refused") {
            let placed = text.contains(&format!("--> {}:", case.file_name()));
            if !placed || !(text.contains("note:") || text.contains("help:")) {
                wrong.push(format!("{}\n{text}", case.title()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reports of events, of sliced properties outside contexts: those of register properties may come
/// late, and within a context instances take turns.
fn in_model_order(model: &Model, found: &Finished) -> Result<(), String> {
    let mut last = (0, 0);
    for report in &found.reports {
        let property = &model.properties[report.property.index()];
        let context = &model.contexts[property.context.index()];
        let alone = matches!(context.rule, Creation::ChenRosu { .. } | Creation::Verde);
        if report.cause != Cause::Event || !alone {
            continue;
        }
        let this = (report.index, report.property.index());
        if this < last {
            return Err(format!("`{}` reports out of order at {}", property.name, report.index));
        }
        last = this;
    }
    Ok(())
}

#[test]
fn reports_at_one_event_come_in_the_order_of_the_model() {
    all(|case| {
        let Some((model, trace)) = prepared(case)? else { return Ok(()) };
        in_model_order(&model, &run(&trace, Reference::new(model.clone())))?;
        in_model_order(&model, &run(&trace, Engine::new(&model, Options::default())))
    });
}

/// Time that runs backwards is an error of the input, and nothing has happened.
#[test]
fn time_does_not_run_backwards() {
    let property = "
        property P(x) {
          start state A { on go(x) -> W }
          state W within 5 s else Late
          bad state Late
        }";
    let case = Case {
        name: "backwards".into(),
        about: String::new(),
        property: property.into(),
        lang: "ww".into(),
        set: Vec::new(),
        bind: Vec::new(),
        functions: String::new(),
        trace: "go(1) @ 3s\ngo(2) @ 2s\ngo(1) @ 8s".into(),
        expect: vec!["1 P [x=1] Late \"entered `Late`\" at 8s".into()],
        refused: None,
        printed: None,
        not_relevant: None,
        inconclusive: Vec::new(),
        file: "".into(),
    };
    let model = case.model().expect("a good property");
    let events: Vec<_> = case
        .events(&model)
        .expect("a good trace")
        .into_iter()
        .filter_map(|line| if let TraceLine::Event(event) = line { Some(event) } else { None })
        .collect();
    let mut reference = Reference::new(model.clone());
    let mut engine = Engine::new(&model, Options::default());
    for (event, good) in events.iter().zip([true, false, true]) {
        assert_eq!(reference.step(event).is_ok(), good);
        assert_eq!(engine.step_owned(event).is_ok(), good);
    }
    for found in [reference.finish(), engine.finish()] {
        case.compare(&model, &found).unwrap();
    }
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
