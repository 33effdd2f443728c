//! Watchword's own report; `docs/json-format.md` documents it.

use watchword_model::{EventId, Location, Model};
use watchword_monitor::{Report, Step};

use crate::json::{self, Json};
use crate::{Outcome, Tally, Violation, fingerprint, text, words};

/// The whole report.
pub fn report(outcome: &Outcome<'_>) -> Json {
    let properties: Vec<Json> =
        (0..outcome.properties.len()).map(|i| property(outcome, i)).collect();
    let violations: Vec<Json> = outcome
        .violations
        .iter()
        .enumerate()
        .map(|(i, v)| {
            violation(outcome.model, v).with_some("status", outcome.status.get(i).map(|s| s.name()))
        })
        .collect();
    let limits: Vec<Json> =
        outcome.limits.iter().map(|l| Json::Text(crate::limit(outcome.model, l))).collect();
    let mut report = Json::object([
        ("watchword", 1u64.into()),
        ("properties", properties.into()),
        ("violations", violations.into()),
        ("limits", limits.into()),
        ("stats", outcome.stats.clone()),
    ]);
    if !outcome.satisfied.is_empty() {
        let satisfied: Vec<Json> =
            outcome.satisfied.iter().map(|r| about(outcome.model, r)).collect();
        report = report.with("satisfactions", satisfied);
    }
    if !outcome.printed.is_empty() {
        let printed: Vec<Json> = outcome.printed.iter().map(|l| l.as_str().into()).collect();
        report = report.with("printed", printed);
    }
    report
}

fn property(outcome: &Outcome<'_>, index: usize) -> Json {
    let Tally { totals, missed, .. } = &outcome.properties[index];
    let property = &outcome.model.properties[index];
    let name = |event: EventId| outcome.model.events[event.index()].name.clone();
    let by_event = (!totals.by_event.is_empty()).then(|| {
        Json::Object(totals.by_event.iter().map(|(event, n)| (name(*event), (*n).into())).collect())
    });
    let missed: Vec<Json> = missed.iter().map(|event| Json::Text(name(*event))).collect();
    Json::object([
        ("name", property.name.as_str().into()),
        ("verdict", outcome.verdict(index).name().into()),
    ])
    .with_some("sites", totals.sites)
    .with("events", totals.events)
    .with("instances", totals.instances.unwrap_or(0))
    .with("peak", totals.peak)
    .with("violations", totals.violations)
    .with("satisfactions", totals.satisfactions)
    .with_some("byEvent", by_event)
    .with_some("missed", (!missed.is_empty()).then_some(missed))
}

/// A violation, as reports and alerts have it.
pub fn violation(model: &Model, violation: &Violation) -> Json {
    let Violation { report, location, stack, thread, count, certain, test, expected, .. } =
        violation;
    let steps = report.history.iter().map(|s| step(model, report, s));
    let frames = stack.iter().map(|f: &Location| Json::from(f));
    about(model, report)
        .with("count", *count)
        .with_some("certain", (!certain).then_some(false))
        .with_some("location", location.as_deref().map(Json::from))
        .with("history", steps.collect::<Vec<Json>>())
        .with("stack", frames.collect::<Vec<Json>>())
        .with_some("thread", thread.as_deref())
        .with_some("test", test.as_deref())
        .with_some("expected", expected.then_some(true))
        .with("explanation", words::violation(model, violation).as_str())
        .with("fingerprint", fingerprint(model, violation).as_str())
}

fn about(model: &Model, report: &Report) -> Json {
    let property = &model.properties[report.property.index()];
    let binding = report.binding.iter().map(|(n, v)| (n.to_string(), Json::from(v))).collect();
    Json::object([
        ("property", property.name.as_str().into()),
        ("message", report.message.as_str().into()),
        ("severity", property.severity.name().into()),
        ("binding", Json::Object(binding)),
        ("state", property.states[report.state.index()].name.as_str().into()),
        ("cause", text::cause(report.cause).into()),
    ])
    .with(
        "first",
        Json::object([("index", report.index.into())])
            .with_some("time", report.time.map(json::time)),
    )
}

fn step(model: &Model, report: &Report, step: &Step) -> Json {
    let property = &model.properties[report.property.index()];
    let name = |event: EventId| model.events[event.index()].name.as_str();
    let args = text::arguments(model, step)
        .enumerate()
        .map(|(i, (name, value))| (name.map_or(i.to_string(), String::from), Json::from(value)))
        .collect();
    Json::object([
        ("event", step.event.map_or(Json::Null, |e| name(e).into())),
        ("args", Json::Object(args)),
    ])
    .with_some("index", Some(step.index).filter(|index| *index > 0))
    .with_some("time", step.time.map(json::time))
    .with_some("thread", step.thread)
    .with_some("location", step.location.as_deref().map(Json::from))
    .with("state", property.states[step.state.index()].name.as_str())
}
