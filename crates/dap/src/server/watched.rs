//! Monitors, their instances, and checkpoints.

use serde_json::{Value, json};
use watchword_native::Session;
use watchword_session::{Request as Wanted, Slice, Slices, slices_now};
use watchword_view::text::show;

use super::client::Noticed;
use super::{Adapter, Answer, words};
use crate::protocol::message::Request;

/// The instance the stop is about: that of the violation, or the one that moved last. The place of its
/// property, its own place, and the name of the property.
pub(super) fn current(session: &Session, noticed: &Noticed) -> Option<(usize, usize, String)> {
    let moved = noticed.moved.as_ref().map(|m| (m.monitor, &m.property, &m.binding, m.index));
    let verdict = noticed.verdict.as_ref().map(|v| (v.monitor, &v.property, &v.binding, v.index));
    // The later of the two; a violation is the reason of the move that goes with it.
    let (monitor, property, binding, _) = match (moved, verdict) {
        (Some(m), Some(v)) if m.3 > v.3 => m,
        (m, v) => v.or(m)?,
    };
    let all = slices_now(session);
    let at = all.iter().position(|s| s.monitor == monitor && s.property == *property)?;
    // Values are the same if they look the same.
    let is_same = |s: &Slice| {
        s.binding.len() == binding.len()
            && s.binding.iter().zip(binding).all(|(a, b)| a.0 == b.0 && show(&a.1) == show(&b.1))
    };
    let instance = all[at].slices.iter().position(is_same)?;
    Some((at, instance, property.clone()))
}

/// An instance in a line.
pub(super) fn line(slice: &Slice) -> String {
    let parts: Vec<String> =
        slice.binding.iter().map(|(name, value)| format!("{name} = {}", show(value))).collect();
    match parts.is_empty() {
        true => "(nothing bound)".to_string(),
        false => parts.join(", "),
    }
}

/// The state of an instance.
pub(super) fn state(slice: &Slice) -> &str {
    slice.state.as_deref().unwrap_or("(ended)")
}

fn property(slices: &Slices) -> Value {
    let instance = |slice: &Slice| {
        let binding = slice.binding.iter().map(|(n, v)| (n.clone(), show(v).into()));
        let variables = slice.variables.iter().map(|(n, v)| (n.clone(), show(v).into()));
        json!({
            "binding": Value::Object(binding.collect()),
            "state": slice.state,
            "variables": Value::Object(variables.collect()),
        })
    };
    let instances: Vec<Value> = slices.slices.iter().map(instance).collect();
    json!({
        "monitor": slices.monitor,
        "property": slices.property,
        "total": slices.total,
        "instances": instances,
    })
}

/// The properties with their instances.
pub(super) fn monitors(adapter: &mut Adapter, _: &Request) -> Answer {
    let debuggee = adapter.debuggee()?;
    let all: Vec<Value> = slices_now(&debuggee.session).iter().map(property).collect();
    Ok(json!({ "properties": all, "violations": debuggee.console.violations }))
}

/// The checkpoints.
pub(super) fn checkpoints(adapter: &mut Adapter, _: &Request) -> Answer {
    let debuggee = adapter.debuggee()?;
    let all: Vec<Value> = debuggee
        .session
        .checkpoints()
        .map(|(number, saved)| {
            json!({ "number": number, "label": saved.label, "place": saved.place })
        })
        .collect();
    Ok(json!({ "checkpoints": all }))
}

/// Makes a checkpoint.
pub(super) fn checkpoint(adapter: &mut Adapter, request: &Request) -> Answer {
    let debuggee = adapter.stopped()?;
    let label = request.text("label").map(str::to_string);
    let wanted = Wanted::Checkpoint { label };
    debuggee.console.perform(&mut debuggee.session, &wanted).map_err(words)?;
    let number = debuggee.session.checkpoints().map(|(n, _)| n).max();
    debuggee.at_checkpoint = number;
    Ok(json!({ "number": number }))
}

/// Goes back to a checkpoint.
pub(super) fn restore(adapter: &mut Adapter, request: &Request) -> Answer {
    adapter.back_to(request.number("number"))
}
