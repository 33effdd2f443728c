//! The plan in words.

use std::fmt::Write;

use watchword_model::{ContextId, Model, Property, PropertyId};

use crate::configurations::Key;
use crate::shape::{Mask, rule_name};
use crate::{Plan, Rest, Shape, Slices};

pub(crate) fn explain(plan: &Plan) -> String {
    let mut text = String::new();
    for (context, shape) in &plan.shapes {
        let rule = rule_name(&plan.model.contexts[context.index()].rule);
        match shape {
            Shape::ChenRosu(property, slices) | Shape::Verde(property, slices) => {
                let name = &plan.model.properties[property.index()].name;
                let _ = writeln!(text, "{name}: sliced, rule {rule}, state in the engine");
                explain_slices(&mut text, plan, *context, *property, slices);
            }
            Shape::Larva(contexts) => {
                for inner in contexts {
                    let names: Vec<&str> = inner
                        .properties
                        .iter()
                        .map(|p| plan.model.properties[p.index()].name.as_str())
                        .collect();
                    let _ = writeln!(text, "{}: context of rule {rule}", names.join(", "));
                    for mask in &inner.storage.partition.indexes {
                        let by = names_of(&plan.model, inner.context, *mask);
                        let _ = writeln!(text, "  index by {by}");
                    }
                }
            }
            Shape::Registers(property, configurations) => {
                let definition = &plan.model.properties[property.index()];
                let _ = writeln!(
                    text,
                    "{}: configurations with registers, look-ahead {}",
                    definition.name,
                    plan.units[property.index()].longest
                );
                let names = |key: &Key| found_by(definition, key);
                for (state, scans) in definition.states.iter().zip(&configurations.routes) {
                    for (kind, scan) in plan.units[property.index()].kinds.iter().zip(scans) {
                        let event = &plan.model.events[kind.event.index()].name;
                        let mut ways: Vec<String> =
                            scan.buckets.iter().map(|bucket| names(&bucket.key)).collect();
                        let ahead = |number: &u32| {
                            let together = configurations.together[*number as usize].as_ref()?;
                            Some(format!("all look ahead together, then {}", names(&together.key)))
                        };
                        ways.extend(scan.together.iter().filter_map(ahead));
                        if ways.is_empty() {
                            continue;
                        }
                        let how = ways.join("; ");
                        let _ = writeln!(text, "  {event} in `{}`: {how}", state.name);
                    }
                }
            }
        }
    }
    text
}

/// How configurations are found, in words.
fn found_by(property: &Property, key: &Key) -> String {
    let register = |(r, _): &(u32, u32)| property.registers[*r as usize].name.as_str();
    let names: Vec<&str> = key.pairs.iter().map(register).collect();
    match (names.is_empty(), key.answer) {
        (true, None) => "all configurations there".to_string(),
        (false, None) => format!("those with the same {}", names.join(", ")),
        (true, Some(_)) => "those whose registers the guard lets through".to_string(),
        (false, Some(_)) => {
            let names = names.join(", ");
            format!("those with the same {names} whose registers the guard lets through")
        }
    }
}

fn explain_slices(
    text: &mut String,
    plan: &Plan,
    context: ContextId,
    property: PropertyId,
    slices: &Slices,
) {
    if slices.lazy {
        let _ = writeln!(text, "  an instance is kept from the first transition of its own on");
    } else if !slices.reason.is_empty() {
        let _ = writeln!(text, "  every instance is kept: {}", slices.reason);
    }
    if let Some(why) = slices.product {
        let _ = writeln!(
            text,
            "  instances multiply: events are joined with others they share no parameter with; not \
             joined late, because {why}"
        );
    }
    if let Some(late) = &slices.late {
        let parts: Vec<String> =
            late.parts.iter().map(|part| names_of(&plan.model, context, *part)).collect();
        let parts = parts.join(" and ");
        let _ = writeln!(text, "  joined late: the states of {parts} tell that of the whole");
    }
    if let Some(enabling) = &slices.enabling {
        let rest = match enabling.rest {
            Rest::Start => "would be back at the start",
            Rest::Dead => "could not be reported any more",
        };
        let events: Vec<&str> = plan.units[property.index()]
            .kinds
            .iter()
            .zip(&enabling.marks)
            .filter(|(_, mark)| mark.is_some())
            .map(|(kind, _)| plan.model.events[kind.event.index()].name.as_str())
            .collect();
        let events = events.join(", ");
        let _ = writeln!(text, "  not joined, because an instance {rest}: {events}");
    }
    if slices.forget {
        let _ = writeln!(text, "  an instance back at the start is forgotten");
    }
    let definition = &plan.model.properties[property.index()];
    if !definition.windows.is_empty() {
        let names: Vec<&str> = definition.windows.iter().map(|w| w.name.as_str()).collect();
        let _ = writeln!(
            text,
            "  windows of each instance: {}; each holds its events, and events that may enter one \
             are stepped by the machine",
            names.join(", ")
        );
    }
    for partition in &slices.partitions {
        let domain = names_of(&plan.model, context, partition.domain);
        let by: Vec<String> =
            partition.indexes.iter().map(|m| names_of(&plan.model, context, *m)).collect();
        let _ = writeln!(text, "  instances of {domain}: found by {}", by.join("; "));
    }
    for (kind, routes) in plan.units[property.index()].kinds.iter().zip(&slices.routes) {
        let event = &plan.model.events[kind.event.index()].name;
        for route in routes {
            let by = names_of(&plan.model, context, route.domain);
            let _ = writeln!(
                text,
                "  {event} by {by}: steps {}, joins {}{}",
                route.steps.len(),
                route.joins.len(),
                if route.creates { ", may create" } else { "" }
            );
        }
    }
}

fn names_of(model: &Model, context: ContextId, mask: Mask) -> String {
    let names: Vec<&str> = model
        .params(context)
        .into_iter()
        .filter(|(id, _)| mask & (1 << id.0) != 0)
        .map(|(_, p)| p.name.as_str())
        .collect();
    if names.is_empty() { "nothing".to_string() } else { format!("({})", names.join(", ")) }
}
