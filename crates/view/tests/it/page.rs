//! What the page for people says, and what people are spared.

use watchword_model::{Event, Location, Value};
use watchword_monitor::{Engine, Options, Report};
use watchword_spec::{SourceFile, load};
use watchword_view::{Snippet, path, report, story, text, words};

use crate::sample::Sample;

/// No file is at hand.
const SOURCE: &dyn Fn(&Location) -> Option<Snippet> = &|_| None;

#[test]
fn violations_come_first_and_nothing_observed_is_not_good_news() {
    let sample = Sample::with("x");
    let page = report::html::report(&sample.outcome(Vec::new(), SOURCE, "known"));
    let at = |what: &str| page.find(what).unwrap_or_else(|| panic!("no {what} in {page}"));
    assert!(at("id=\"violations\"") < at("<h2>Notes</h2>"));
    assert!(page.contains("trace known · 2024-06-03 08:01 UTC"), "{page}");
    let (_, quiet) = page.split_once("<b>Quiet</b>").unwrap();
    let (quiet, _) = quiet.split_once("</tr>").unwrap();
    assert!(quiet.contains("<span class=\"tag unseen\">not observed</span>"), "{quiet}");
    let (_, reply) = page.split_once(">Reply</a>").unwrap();
    assert!(reply.contains("<span class=\"tag violated\">"), "{reply}");
    assert!(report::html::report(&empty(&sample)).contains("Nothing was observed"));
}

#[test]
fn expected_violations_are_counted_apart() {
    let mut sample = Sample::with("x");
    let tiles = |sample: &Sample| {
        let mut outcome = sample.outcome(Vec::new(), SOURCE, "known");
        outcome.status.clear();
        report::html::report(&outcome)
    };
    assert!(tiles(&sample).contains("<b>2</b><span>violations</span>"));
    assert!(!tiles(&sample).contains("expected by tests"));
    sample.violations[0].expected = true;
    let page = tiles(&sample);
    assert!(page.contains("<b>1</b><span>violation</span>"), "{page}");
    assert!(page.contains("<b>1</b><span>expected by tests</span>"), "{page}");
    assert!(page.contains("<title>Watchword: 1 violation</title>"), "{page}");
}

/// The sample if nothing had happened.
fn empty(sample: &Sample) -> watchword_view::Outcome<'_> {
    let mut outcome = sample.outcome(Vec::new(), SOURCE, "known");
    outcome.violations = &[];
    outcome.limits.clear();
    outcome.properties = outcome.properties.iter().map(|_| Default::default()).collect();
    outcome
}

/// What is reported of `open 1, close 1, open 1, …` by a property.
fn reports(property: &str, events: &[&str]) -> (watchword_model::Model, Vec<Report>) {
    let text = format!("event open(f)\nevent close(f)\n{property}");
    let loaded = load(&[SourceFile::new("p.ww", &text)], &|_, _| Err("none".to_string()));
    let model = loaded.model.expect("the property is fine");
    let mut engine = Engine::new(&model, Options { history: 10, ..Options::default() });
    for name in events {
        let kind = model.event(name).unwrap();
        engine.step_owned(&Event::new(kind, vec![Value::Int(1)])).unwrap();
    }
    engine.end();
    let reports = engine.take_reports();
    (model, reports)
}

#[test]
fn a_story_begins_with_its_last_round() {
    let states = "start state Idle { on open(f) -> Busy on close(f) -> Idle }\n\
                  state Busy { on close(f) -> Idle on open(f) -> Twice }\n bad state Twice";
    let rounds = ["open", "close", "open", "close", "open", "open"];
    let (model, found) = reports(&format!("property P(f) {{ {states} }}"), &rounds);
    let told = story(&model, &found[0]);
    assert_eq!(told.history.len(), 2, "{:?}", told.history);
    assert_eq!(path(&model.properties[0], &told), ["Idle", "Busy", "Twice"]);
    // The table has the steps; the paragraph says why.
    let said = "In state `Busy` this is not allowed; it leads to `Twice`.";
    assert_eq!(words::remark(&model, &told), said);
    // A variable remembers what was before.
    let counted = states.replacen("-> Busy", "{ n += 1 } -> Busy", 1);
    let (model, found) =
        reports(&format!("property P(f) {{ var n: int = 0\n {counted} }}"), &rounds);
    assert_eq!(story(&model, &found[0]).history.len(), found[0].history.len());
    assert!(found[0].history.len() > 2);
}

#[test]
fn what_is_missing_at_the_end_has_a_place() {
    let states =
        "start state Idle { on open(f) -> Busy }\n pending state Busy { on close(f) -> Idle }";
    let (_, mut found) = reports(&format!("property P(f) {{ {states} }}"), &["open"]);
    assert_eq!(text::place(&found[0], None), "the end of the trace");
    let place = Location { file: Some("a.log".into()), line: Some(7), ..Default::default() };
    found[0].history[0].location = Some(std::sync::Arc::new(place));
    let told = "the end of the trace; its last event was at a.log:7 (event 1)";
    assert_eq!(text::place(&found[0], None), told);
}
