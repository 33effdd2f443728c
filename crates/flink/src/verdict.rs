//! What is found, as lines of JSON.

use std::sync::Arc;

use watchword_model::Location;
use watchword_monitor::{Doubt, Engine, Limit, Report};
use watchword_view::Violation;
use watchword_view::json::{self, Json};
use watchword_view::report::json as reports;
use watchword_wire::Carried;

use crate::Job;

/// A violation as alerts of `watchword replay` have it, but for the number of the event: nobody knows how
/// many events other shards had.
pub(crate) fn violation(job: &Job, report: Report, at: Option<&Carried>) -> String {
    let time = report.time;
    let violation = Violation {
        report,
        location: at.and_then(|carried| place(job, carried)),
        in_program: at.is_some_and(|carried| carried.place.is_some()),
        stack: Vec::new(),
        thread: None,
        count: 1,
        certain: true,
        test: None,
        expected: false,
    };
    let mut line = reports::violation(&job.fresh.plan().model, &violation);
    if let Json::Object(members) = &mut line {
        for (key, value) in members.iter_mut() {
            if key == "first" {
                let first = Json::object([]);
                *value = first.with_some("time", time.map(json::time));
            }
        }
        members.retain(|(key, _)| !["count", "history", "stack"].contains(&key.as_str()));
    }
    format!("{line}\n")
}

/// A property whose verdict is not known any more for some instance of a shard.
pub(crate) fn inconclusive(job: &Job, shard: usize, doubt: &Doubt) -> String {
    let property = &job.fresh.plan().model.properties[doubt.property.index()].name;
    let line = Json::object([
        ("property", property.as_str().into()),
        ("verdict", "inconclusive".into()),
        ("shard", (shard as u64).into()),
        ("reason", doubt.why.text().into()),
    ]);
    format!("{line}\n")
}

/// What limits were hit that concern no property alone.
pub(crate) fn limits(job: &Job, engine: &Engine) -> String {
    let model = &job.fresh.plan().model;
    let limits = engine.limits();
    let general = limits.iter().filter(|limit| matches!(limit, Limit::Sends { .. }));
    general
        .map(|limit| {
            let text = watchword_view::limit(model, limit);
            format!("{}\n", Json::object([("limit", text.as_str().into())]))
        })
        .collect()
}

/// An event that came too late.
pub(crate) fn late(job: &Job, carried: &Carried) -> String {
    let model = &job.fresh.plan().model;
    let Some(event) = carried.event else { return String::new() };
    let args: Vec<Json> = carried.args.iter().map(Json::from).collect();
    let line = Json::object([
        ("late", model.events[event.index()].name.as_str().into()),
        ("args", args.into()),
        ("time", json::time(carried.time)),
    ])
    .with_some("location", place(job, carried).as_deref().map(Json::from));
    format!("{line}\n")
}

fn place(job: &Job, carried: &Carried) -> Option<Arc<Location>> {
    if carried.place.is_some() {
        return carried.place.clone();
    }
    let trace = job.traces.get(carried.trace)?;
    let line = carried.line?;
    Some(Arc::new(Location { line: Some(line), ..(**trace).clone() }))
}
