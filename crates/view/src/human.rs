//! Reports for people.

use std::fmt::Write;

use crate::{Violation, path, story, text, words};
use watchword_model::{Model, Property, Severity};
use watchword_monitor::Step;

use crate::style::{Style, counted, harmless};

/// One violation: message, binding, place and history.
pub fn violation(style: Style, model: &Model, violation: &Violation) -> String {
    let Violation { report, location, count, .. } = violation;
    let report = &*story(model, report);
    let property = &model.properties[report.property.index()];
    let mut out = String::new();
    // After a limit was hit, what is reported may not be real.
    let what = if violation.certain { "violation" } else { "possible violation" };
    let head = match property.severity {
        Severity::Error => style.error(&format!("{what}:")),
        Severity::Warning => style.warning(&format!("{what} (warning):")),
        Severity::Note => style.bold(&format!("{what} (note):")),
    };
    let title = format!("{}: {}", property.name, harmless(&report.message));
    let _ = writeln!(out, "{head} {}", style.bold(&title));
    let _ = writeln!(out, "  {} {}", style.dim("-->"), text::place(report, location.as_deref()));
    if !report.binding.is_empty() {
        let binding: Vec<String> = report
            .binding
            .iter()
            .map(|(name, value)| format!("{name} = {}", text::show(value)))
            .collect();
        let _ = writeln!(out, "  with {}", binding.join(", "));
    }
    if !report.history.is_empty() {
        let _ = writeln!(out, "  path {}", path(property, report).join(" → "));
        let rows: Vec<[String; 4]> =
            report.history.iter().map(|step| row(model, property, step)).collect();
        let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
        let (w0, w1, w2) = (width(0), width(1).min(60), width(2).min(40));
        for [index, event, where_, state] in &rows {
            let line = format!("    {index:>w0$}  {event:<w1$}  {where_:<w2$}  → {state}");
            let _ = writeln!(out, "{}", style.dim(line.trim_end()));
        }
    }
    for line in wrap(&words::remark(model, report), 94) {
        let _ = writeln!(out, "  {line}");
    }
    if *count > 1 {
        let _ = writeln!(out, "  {} in all", counted(*count, "time"));
    }
    out
}

fn row(model: &Model, property: &Property, step: &Step) -> [String; 4] {
    [
        text::number(model, step).map_or(String::new(), |number| number.to_string()),
        text::event(model, step),
        step.location.as_ref().map_or(String::new(), |l| text::location(l)),
        property.states[step.state.index()].name.clone(),
    ]
}

/// A paragraph in lines of at most so many characters, where its words allow that.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
