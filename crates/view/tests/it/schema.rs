//! SARIF against the published schema, JUnit XML against its shape.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;
use watchword_view::report::Format;
use watchword_view::{Baseline, Status, fingerprint};

use crate::sample::Sample;

/// The schema, from a package that ships it and is named in Cargo.toml for that alone.
fn sarif_schema() -> Option<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
    let package = metadata["packages"].as_array()?.iter().find(|p| p["name"] == "serde-sarif")?;
    let manifest = std::path::Path::new(package["manifest_path"].as_str()?);
    let text = std::fs::read_to_string(manifest.parent()?.join("src/schema.json")).ok()?;
    serde_json::from_str(&text).ok()
}

/// The part of JSON Schema that the schema of SARIF uses. What it does not know fails the test.
struct Schema {
    root: Value,
}

impl Schema {
    fn check(&self, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
        let Some(rules) = schema.as_object() else { return };
        for (rule, want) in rules {
            let fits = match rule.as_str() {
                "$ref" => {
                    let pointer = want.as_str().unwrap().trim_start_matches('#');
                    let target = self.root.pointer(pointer).expect("a reference leads somewhere");
                    self.check(target, value, at, wrong);
                    true
                }
                "type" => match want {
                    Value::Array(options) => options.iter().any(|o| is(o, value)),
                    one => is(one, value),
                },
                "properties" => {
                    for (name, schema) in want.as_object().unwrap() {
                        if let Some(member) = value.get(name) {
                            self.check(schema, member, &format!("{at}/{name}"), wrong);
                        }
                    }
                    true
                }
                "additionalProperties" => {
                    let known = schema["properties"].as_object();
                    for (name, member) in value.as_object().into_iter().flatten() {
                        if known.is_some_and(|k| k.contains_key(name)) {
                            continue;
                        }
                        match want {
                            Value::Bool(false) => wrong.push(format!("{at}: unknown `{name}`")),
                            schema => self.check(schema, member, &format!("{at}/{name}"), wrong),
                        }
                    }
                    true
                }
                "required" => value.as_object().is_none_or(|object| {
                    want.as_array()
                        .unwrap()
                        .iter()
                        .all(|n| object.contains_key(n.as_str().unwrap()))
                }),
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(want, item, &format!("{at}/{i}"), wrong);
                    }
                    true
                }
                "enum" => want.as_array().unwrap().contains(value),
                "minItems" => {
                    value.as_array().is_none_or(|a| a.len() as u64 >= want.as_u64().unwrap())
                }
                "uniqueItems" => value.as_array().is_none_or(|a| {
                    a.iter().map(Value::to_string).collect::<BTreeSet<_>>().len() == a.len()
                }),
                "minimum" => value.as_f64().is_none_or(|n| n >= want.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|n| n <= want.as_f64().unwrap()),
                "anyOf" | "oneOf" => want.as_array().unwrap().iter().any(|option| {
                    let mut inner = Vec::new();
                    self.check(option, value, at, &mut inner);
                    inner.is_empty()
                }),
                "allOf" => {
                    for schema in want.as_array().unwrap() {
                        self.check(schema, value, at, wrong);
                    }
                    true
                }
                "format" => match (want.as_str(), value.as_str()) {
                    (Some("uri" | "uri-reference"), Some(text)) => {
                        text.bytes().all(|b| b.is_ascii_graphic() && !br#"<>"{}|\^`"#.contains(&b))
                    }
                    _ => true,
                },
                // Texts about the schema, and patterns of texts that the reports do not have.
                "$schema" | "id" | "$id" | "title" | "description" | "definitions" | "default"
                | "pattern" | "not" | "if" | "then" | "else" | "dependencies" => true,
                other => panic!("the schema has a rule `{other}` nobody checks"),
            };
            if !fits {
                wrong.push(format!("{at}: {rule} {want}, found {value}"));
            }
        }
    }
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("unknown type {other}"),
    }
}

#[test]
fn sarif_fits_its_schema() {
    let Some(root) = sarif_schema() else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs the schema of SARIF");
        eprintln!("skipped sarif_fits_its_schema: the package with the schema is not there");
        return;
    };
    let schema = Schema { root: root.clone() };
    for (text, status) in [
        ("ship", Vec::new()),
        ("<a b> \"é\" %", vec![Status::New, Status::Known]),
        ("C:\\x\u{1}", vec![Status::Known, Status::Known]),
    ] {
        let sample = Sample::with(text);
        let report = Format::Sarif.render(&sample.outcome(status, &|_| None, text));
        let report: Value = serde_json::from_str(&report).unwrap();
        let mut wrong = Vec::new();
        schema.check(&root, &report, "", &mut wrong);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    // The check can fail.
    for bad in [
        serde_json::json!({"version": "2.1.0"}),
        serde_json::json!({"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]}),
        serde_json::json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": {"text": "m"}, "level": "fatal"}]}]}),
    ] {
        let mut wrong = Vec::new();
        schema.check(&root, &bad, "", &mut wrong);
        assert!(!wrong.is_empty(), "{bad}");
    }
}

#[test]
fn sarif_says_what_there_is() {
    let sample = Sample::with("ship");
    let status = vec![Status::New, Status::Known];
    let report = Format::Sarif.render(&sample.outcome(status, &|_| None, ""));
    let report: Value = serde_json::from_str(&report).unwrap();
    let run = &report["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 3);
    let [first, second] = run["results"].as_array().unwrap().as_slice() else { panic!("{run}") };
    assert_eq!(first["ruleId"], "SafeIterator");
    assert_eq!((&first["level"], &second["level"]), (&"error".into(), &"warning".into()));
    assert_eq!(first["baselineState"], "new");
    assert_eq!(second["baselineState"], "unchanged");
    assert_eq!(first["occurrenceCount"], 3);
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/ship.java");
    assert_eq!(place["region"]["startLine"], 12);
    let flows = first["codeFlows"][0]["threadFlows"].as_array().unwrap();
    assert_eq!(flows.len(), 2, "one per thread");
    let order = |flow: &Value| {
        let steps = flow["locations"].as_array().unwrap().iter();
        steps.map(|l| l["executionOrder"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((order(&flows[0]), order(&flows[1])), (vec![1, 3], vec![2]));
    let prints = &first["partialFingerprints"]["watchword/v1"];
    assert_eq!(*prints, fingerprint(&sample.model, &sample.violations[0]));
}

#[test]
fn fingerprints_survive_moved_lines_and_tell_functions_apart() {
    let sample = Sample::with("ship");
    let print = |change: &dyn Fn(&mut watchword_model::Location)| {
        let mut violation = sample.violations[0].clone();
        let mut place = (**violation.location.as_ref().unwrap()).clone();
        change(&mut place);
        violation.location = Some(place.into());
        fingerprint(&sample.model, &violation)
    };
    let same = print(&|_| {});
    assert_eq!(print(&|place| place.line = Some(900)), same);
    assert_ne!(print(&|place| place.function = Some("Orders.pay".into())), same);
    assert_ne!(fingerprint(&sample.model, &sample.violations[1]), same);
    // A second site in the same function is new.
    let twice = [sample.violations[0].clone(), sample.violations[0].clone()];
    let mut baseline = Baseline::of(&sample.model, &twice[..1]);
    let judged = twice.each_ref().map(|v| baseline.judge(&sample.model, v));
    assert_eq!(judged, [Status::Known, Status::New]);
}

#[test]
fn junit_has_a_suite_per_property() {
    let sample = Sample::with("<&\">'\u{1}");
    let text =
        Format::Junit.render(&sample.outcome(vec![Status::New, Status::Known], &|_| None, ""));
    let document = roxmltree::Document::parse(&text).expect("well-formed XML");
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let count = |node: &roxmltree::Node<'_, '_>, name: &str| -> usize {
        node.attribute(name).unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
    };
    let suites: Vec<_> = root.children().filter(|n| n.is_element()).collect();
    assert_eq!(suites.len(), 3);
    for suite in &suites {
        assert_eq!(suite.tag_name().name(), "testsuite");
        // Notes come last, after the tests.
        let (notes, cases): (Vec<_>, Vec<_>) = suite
            .children()
            .filter(|n| n.is_element())
            .partition(|n| n.tag_name().name() == "system-out");
        assert!(notes.len() <= 1 && notes.iter().all(|n| n.next_sibling_element().is_none()));
        let with = |tag: &str| {
            cases.iter().filter(|c| c.children().any(|n| n.tag_name().name() == tag)).count()
        };
        assert_eq!(count(suite, "tests"), cases.len());
        assert_eq!(count(suite, "failures"), with("failure"));
        assert_eq!(count(suite, "skipped"), with("skipped"));
        assert_eq!(count(suite, "errors"), 0);
        for case in cases {
            assert_eq!(case.tag_name().name(), "testcase");
            assert!(case.attribute("name").is_some() && case.attribute("classname").is_some());
        }
    }
    let sum = |name: &str| suites.iter().map(|s| count(s, name)).sum::<usize>();
    for name in ["tests", "failures", "skipped"] {
        assert_eq!(count(&root, name), sum(name));
    }
    assert_eq!((sum("failures"), sum("skipped")), (1, 2), "one new, one known, one without events");
}
