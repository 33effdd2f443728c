//! Reports for people.

use std::fmt::Write;

use watchword_model::{EventId, Location, Model, Property, Severity, Value};
use watchword_monitor::{Cause, Report, Step};

use super::json::seconds;
use super::style::{Style, counted, harmless};
use super::violations::Violation;

/// One violation: what, who, where, how it came about.
pub fn violation(style: Style, model: &Model, violation: &Violation) -> String {
    let Violation { report, location, count } = violation;
    let property = &model.properties[report.property.index()];
    let mut out = String::new();
    let head = match property.severity {
        Severity::Error => style.error("violation:"),
        Severity::Warning => style.warning("violation (warning):"),
        Severity::Note => style.bold("violation (note):"),
    };
    let title = format!("{}: {}", property.name, harmless(&report.message));
    let _ = writeln!(out, "{head} {}", style.bold(&title));
    let _ = writeln!(out, "  {} {}", style.dim("-->"), place(report, location.as_deref()));
    if !report.binding.is_empty() {
        let binding: Vec<String> = report
            .binding
            .iter()
            .map(|(name, value)| format!("{name} = {}", show(value)))
            .collect();
        let _ = writeln!(out, "  with {}", binding.join(", "));
    }
    if !report.history.is_empty() {
        let _ = writeln!(out, "  path {}", path(property, &report.history));
        let rows: Vec<[String; 4]> =
            report.history.iter().map(|step| row(model, property, step)).collect();
        let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
        let (w0, w1, w2) = (width(0), width(1).min(60), width(2).min(40));
        for [index, event, where_, state] in &rows {
            let line = format!("    {index:>w0$}  {event:<w1$}  {where_:<w2$}  → {state}");
            let _ = writeln!(out, "{}", style.dim(line.trim_end()));
        }
    }
    if *count > 1 {
        let _ = writeln!(out, "  {} in all", counted(*count, "time"));
    }
    out
}

/// Where a violation was found.
fn place(report: &Report, location: Option<&Location>) -> String {
    let mut text = match report.cause {
        Cause::Event => match location {
            Some(location) => self::location(location),
            None => format!("event {}", report.index),
        },
        Cause::Channel => "a message".to_string(),
        Cause::Time => "a deadline".to_string(),
        Cause::EndOfLife => "the end of a parameter's life".to_string(),
        Cause::End => "the end of the trace".to_string(),
    };
    match report.cause {
        Cause::Event if location.is_some() => {
            let _ = write!(text, " (event {})", report.index);
        }
        Cause::Event | Cause::End => {}
        _ => {
            let _ = write!(text, " after event {}", report.index);
        }
    }
    if let Some(time) = report.time.filter(|_| report.cause == Cause::Time) {
        let _ = write!(text, ", at {} s", seconds(time));
    }
    text
}

/// `A.java:9 in A.m`.
pub fn location(location: &Location) -> String {
    let mut text = harmless(location.file.as_deref().unwrap_or(""));
    if let Some(line) = location.line {
        let _ = write!(text, "{}{line}", if text.is_empty() { "line " } else { ":" });
    }
    if let Some(function) = &location.function {
        let _ = write!(text, "{}{}", if text.is_empty() { "" } else { " in " }, harmless(function));
    }
    text
}

fn path(property: &Property, history: &[Step]) -> String {
    let mut names = Vec::new();
    // A history that was cut off does not begin at the start.
    if let Some(first) = history.first() {
        names.push(if is_first_step(property, first) {
            property.states[property.start.index()].name.clone()
        } else {
            "…".to_string()
        });
    }
    for step in history {
        let name = &property.states[step.state.index()].name;
        if names.last() != Some(name) {
            names.push(name.clone());
        }
    }
    names.join(" → ")
}

/// Whether the step can have been the first one of an instance.
fn is_first_step(property: &Property, step: &Step) -> bool {
    use watchword_model::Target;
    property.leaving(property.start).any(|(_, transition)| {
        let leads = |target: Target| match target {
            Target::State(state) => state == step.state,
            Target::Stay => step.state == property.start,
            Target::Drop => false,
        };
        leads(transition.then.target)
            || transition.otherwise.as_ref().is_some_and(|branch| leads(branch.target))
    }) || property.states[property.start.index()].deadline.is_some()
}

fn row(model: &Model, property: &Property, step: &Step) -> [String; 4] {
    [
        step.index.to_string(),
        event(model, step),
        step.location.as_ref().map_or(String::new(), |l| location(l)),
        property.states[step.state.index()].name.clone(),
    ]
}

/// `push(q = 17, who = 3)`.
fn event(model: &Model, step: &Step) -> String {
    let Some(id) = step.event else { return "(deadline)".to_string() };
    if id == EventId::END {
        return "end".to_string();
    }
    let decl = &model.events[id.index()];
    let args: Vec<String> = step
        .args
        .iter()
        .enumerate()
        .map(|(i, value)| match decl.params.get(i) {
            Some(param) => format!("{} = {}", param.name, show(value)),
            None => show(value),
        })
        .collect();
    format!("{}({})", decl.name, args.join(", "))
}

/// A value, with text in quotes.
pub fn show(value: &Value) -> String {
    match value {
        Value::Str(text) => {
            let mut short: String = text.chars().take(60).collect();
            if short.len() < text.len() {
                short.push('…');
            }
            format!("{short:?}")
        }
        other => harmless(&other.to_string()),
    }
}
