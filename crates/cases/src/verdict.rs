//! Verdicts as text.

use std::fmt::Write;

use watchword_model::Model;
use watchword_monitor::{Cause, Report, ReportKind};

/// A report as one line: `3 Bounded [q=1] Full "by 5"`, followed by `satisfied` for a good state
/// and by `at 2s`, `on channel`, `at end` or `at end of life` if it was not an event's doing.
pub fn render(model: &Model, report: &Report) -> String {
    let property = &model.properties[report.property.index()];
    let mut line = format!("{} {} [", report.index, property.name);
    for (i, (name, value)) in report.binding.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        let _ = write!(line, "{comma}{name}={value}");
    }
    let state = &property.states[report.state.index()].name;
    let _ = write!(line, "] {state} {:?}", report.message);
    if report.kind == ReportKind::Satisfaction {
        line.push_str(" satisfied");
    }
    match report.cause {
        Cause::Event => {}
        Cause::Channel => line.push_str(" on channel"),
        Cause::Time => {
            let _ = write!(line, " at {}", seconds(report.time.unwrap_or(0)));
        }
        Cause::EndOfLife => line.push_str(" at end of life"),
        Cause::End => line.push_str(" at end"),
    }
    line
}

fn seconds(nanos: i64) -> String {
    let whole = nanos / 1_000_000_000;
    let rest = (nanos % 1_000_000_000).unsigned_abs();
    if rest == 0 {
        format!("{whole}s")
    } else {
        format!("{whole}.{:09}", rest).trim_end_matches('0').to_string() + "s"
    }
}

/// Verdicts in an order that does not depend on the evaluator: by event number, then by text.
pub fn sorted(mut lines: Vec<String>) -> Vec<String> {
    let number = |line: &String| {
        line.split(' ').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(u64::MAX)
    };
    lines.sort_by(|a, b| number(a).cmp(&number(b)).then_with(|| a.cmp(b)));
    lines
}
