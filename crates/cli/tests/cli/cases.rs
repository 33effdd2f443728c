//! Every case of `cases/`, through a file and the command line.

use std::fmt::Write;

use serde_json::Value as Json;
use watchword_cases::{Case, FUNCTIONS_FILE, TraceLine, load_dir, sorted};
use watchword_model::{EventRef, Model, Origin, ValueRef};
use watchword_trace::write::{self, Arguments, AsTheyAre, Beside};

use crate::support::{Dir, root};

#[test]
fn every_case_has_the_same_verdicts_on_the_command_line() {
    let cases = load_dir(&root().join("cases")).unwrap();
    assert!(!cases.is_empty());
    let dir = Dir::new();
    let mut failures = Vec::new();
    let mut run = 0;
    for case in &cases {
        match check(&dir, case) {
            Ok(counted) => run += u32::from(counted),
            Err(message) => failures.push(format!("{}: {message}", case.title())),
        }
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    assert!(run as usize * 10 >= cases.len() * 9, "only {run} of {} could be run", cases.len());
}

/// Whether the case could be run at all, or what is wrong.
fn check(dir: &Dir, case: &Case) -> Result<bool, String> {
    let file = case.file_name();
    dir.write(&file, &case.property);
    let mut given = Vec::new();
    if !case.functions.is_empty() {
        dir.write(FUNCTIONS_FILE, &case.functions);
        given = vec!["--functions", FUNCTIONS_FILE];
    }
    given.extend(case.set.iter().flat_map(|set| ["--set", set]));
    given.extend(case.bind.iter().flat_map(|bind| ["--bind", bind]));
    if let Some(code) = &case.refused {
        let mut args = vec!["lint", "--lang", &case.lang, "--format", "json", &file];
        args.extend(given);
        let ran = dir.run(&args);
        let codes = ran.json()["diagnostics"].to_string();
        return match (ran.status, codes.contains(code)) {
            (2, true) => Ok(true),
            _ => Err(format!("expected {code} and status 2, got {codes} and {}", ran.status)),
        };
    }
    let model = case.model().map_err(|codes| format!("{codes:?}"))?;
    let Some(trace) = write_trace(&model, &case.events(&model)?) else { return Ok(false) };
    dir.write("t.jsonl", &trace);
    let mut args = vec!["replay", "-p", &file, "--lang", &case.lang];
    args.extend(given);
    // Cases have events without times, too, and say what they mean.
    args.extend(["--allow-untimed", "--no-dedup", "--format", "json", "t.jsonl"]);
    let ran = dir.run(&args);
    let violated = u8::from(case.expect.iter().any(|e| !e.contains("satisfied")));
    if ran.status != i32::from(violated) {
        return Err(format!("status {}, not {violated}: {}", ran.status, ran.stderr));
    }
    let report = ran.json();
    let mut found: Vec<String> = Vec::new();
    found.extend(list(&report["violations"]).map(|v| render(v, "")));
    found.extend(list(&report["satisfactions"]).map(|v| render(v, " satisfied")));
    let (found, wanted) = (sorted(found), sorted(case.expect.clone()));
    if found != wanted {
        return Err(format!("\n  expected {wanted:#?}\n  got {found:#?}\n  from {trace}"));
    }
    if let Some(printed) = &case.printed {
        let found: Vec<&str> = list(&report["printed"]).filter_map(Json::as_str).collect();
        if found != *printed {
            return Err(format!("expected it to print {printed:?}, got {found:?}"));
        }
    }
    Ok(true)
}

pub fn list(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}

/// The trace as a file, unless it holds events that files cannot.
fn write_trace(model: &Model, lines: &[TraceLine]) -> Option<String> {
    let mut out = String::new();
    for line in lines {
        match line {
            TraceLine::Time(time) => {
                write::end(&mut out, *time);
            }
            TraceLine::Event(event) => {
                let decl = &model.events[event.kind.index()];
                if !matches!(decl.origin, Origin::World(_)) {
                    return None;
                }
                let args: Vec<ValueRef<'_>> = event.args.iter().map(ValueRef::from).collect();
                let seq = out.lines().count() as u64 + 1;
                let beside =
                    Beside { arguments: Arguments::ByPosition, only: None, site: None, seq };
                write::event(&mut out, model, &EventRef::of(event, &args), &beside, &AsTheyAre);
            }
        }
    }
    Some(out)
}

/// As cases write verdicts.
pub fn render(violation: &Json, suffix: &str) -> String {
    let binding = violation["binding"].as_object().unwrap();
    let binding: Vec<String> = binding.iter().map(|(k, v)| format!("{k}={}", show(v))).collect();
    let mut line = format!(
        "{} {} [{}] {} {:?}{suffix}",
        violation["first"]["index"],
        violation["property"].as_str().unwrap(),
        binding.join(", "),
        violation["state"].as_str().unwrap(),
        violation["message"].as_str().unwrap(),
    );
    match violation["cause"].as_str().unwrap() {
        "event" => {}
        "channel" => line.push_str(" on channel"),
        "time" => {
            let _ = write!(line, " at {}s", violation["first"]["time"]);
        }
        "end-of-life" => line.push_str(" at end of life"),
        _ => line.push_str(" at end"),
    }
    line
}

fn show(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", "))
        }
        Json::Object(fields) => match (fields.get("ref"), fields.get("ptr"), fields.get("float")) {
            (Some(id), None, None) => {
                let class = fields.get("class").and_then(Json::as_str).unwrap_or_default();
                format!("{}@{id}", class.rsplit('.').next().unwrap_or_default())
            }
            (None, Some(address), None) => address.as_str().unwrap_or_default().to_string(),
            (None, None, Some(float)) => match float.as_str().unwrap_or_default() {
                "nan" => "NaN".to_string(),
                other => other.to_string(),
            },
            _ => {
                let fields: Vec<String> =
                    fields.iter().map(|(k, v)| format!("{k}: {}", show(v))).collect();
                format!("{{{}}}", fields.join(", "))
            }
        },
        Json::Number(n) if n.is_f64() => format!("{:?}", n.as_f64().unwrap_or_default()),
        other => other.to_string(),
    }
}
