//! The pages about scenarios: every example has the code it is there for, the mended one does not.
//! And what `docs/scenarios.md` shows is a scenario.

use watchword_model::Model;
use watchword_scenario::{check, parse};
use watchword_spec::{SourceFile, all_codes, explain, load};

fn model() -> Model {
    let property = "
        event e(queue)
        property Queue(queue) {
          start state init { on e(queue) -> ready }
          state ready { on e(queue) -> sink }
          bad state sink
        }";
    let refuse = |_: &str, _: &str| Err("no".to_string());
    load(&[SourceFile::new("p.ww", property)], &refuse).model.expect("it loads")
}

/// The fenced blocks of a page: info string and text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if let Some(info) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                blocks.push((info.to_string(), String::new()));
            }
        } else if inside {
            let text = &mut blocks.last_mut().expect("a block is open").1;
            text.push_str(line);
            text.push('\n');
        }
    }
    blocks
}

fn codes(text: &str) -> Vec<&'static str> {
    let (scenario, mut said) = parse(text, "example.scn");
    said.extend(check(&scenario, &model()));
    said.iter().map(|d| d.code).collect()
}

#[test]
fn every_page_has_an_example_that_fails_and_one_that_does_not() {
    let mut pages = 0;
    for (code, _) in all_codes().filter(|(code, _)| code.starts_with("WW095")) {
        let blocks = blocks(explain(code).expect("every code has a page"));
        let fails = |text: &str| codes(text).contains(&code);
        assert!(blocks.iter().any(|(info, text)| info == "scn fails" && fails(text)), "{code}");
        assert!(
            blocks.iter().any(|(info, text)| info == "scn" && codes(text).is_empty()),
            "{code}"
        );
        pages += 1;
    }
    assert_eq!(pages, 3);
}

#[test]
fn the_documentation_shows_scenarios() {
    let page = include_str!("../../../../docs/scenarios.md");
    let mut shown = 0;
    for (info, text) in blocks(page) {
        if info == "scn" {
            let (_, said) = parse(&text, "docs.scn");
            assert!(said.is_empty(), "{text}\n{said:#?}");
            shown += 1;
        }
    }
    assert!(shown >= 3, "{shown}");
}

#[test]
fn the_examples_are_scenarios_about_their_properties() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/verde");
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).expect(name);
    let refuse = |_: &str, _: &str| Err("no".to_string());
    for (scenario, property) in [
        ("stop.scn", "queue.prop"),
        ("count.scn", "queue.prop"),
        ("trail.scn", "pointer.prop"),
        ("rewind.scn", "pointer.prop"),
    ] {
        let (parsed, said) = parse(&read(scenario), scenario);
        assert!(said.is_empty(), "{scenario}: {said:#?}");
        let model = load(&[SourceFile::new(property, &read(property))], &refuse).model;
        let said = check(&parsed, &model.expect(property));
        assert!(said.is_empty(), "{scenario}: {said:#?}");
    }
}
