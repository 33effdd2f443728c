//! What is wrong, as the editor shows it.

use serde_json::{Value, json};
use watchword_model::{Severity, Span};
use watchword_spec::Diagnostic;

use super::{Analysis, ROOT};
use crate::text;

/// The diagnostics of the document itself. Mistakes in what it imports are told where it imports.
pub fn of(analysis: &Analysis) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut elsewhere: Vec<&str> = Vec::new();
    for diagnostic in &analysis.diagnostics {
        if diagnostic.span.file == ROOT {
            found.push(one(diagnostic, analysis));
        } else if diagnostic.is_error()
            && let Some(name) = diagnostic.file(&analysis.files)
            && !elsewhere.contains(&name)
        {
            elsewhere.push(name);
            found.push(json!({
                "range": text::range(analysis.text(), 0, first_line(analysis.text())),
                "severity": 1,
                "source": "watchword",
                "code": diagnostic.code,
                "message": format!("{name}, which this file imports, has errors: {}", diagnostic.message),
            }));
        }
    }
    found
}

fn first_line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// One diagnostic.
pub fn one(diagnostic: &Diagnostic, analysis: &Analysis) -> Value {
    let mut message = diagnostic.message.clone();
    for (word, remark) in [("note", &diagnostic.note), ("help", &diagnostic.help)] {
        if let Some(remark) = remark {
            message.push_str(&format!("\n{word}: {remark}"));
        }
    }
    let related: Vec<Value> = diagnostic
        .labels
        .iter()
        .filter_map(|label| {
            let location = location(label.span, analysis)?;
            Some(json!({"location": location, "message": label.message}))
        })
        .collect();
    let severity = match diagnostic.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    };
    // Unused things are greyed out by editors that can.
    let unused = ["WW1001", "WW1002", "WW1008", "WW1009", "WW1010", "WW1011"];
    let tags: Vec<u32> = if unused.contains(&diagnostic.code) { vec![1] } else { Vec::new() };
    let span = diagnostic.span;
    json!({
        "range": text::range(analysis.text(), span.start as usize, span.end as usize),
        "severity": severity,
        "source": "watchword",
        "code": diagnostic.code,
        "message": message,
        "relatedInformation": related,
        "tags": tags,
    })
}

/// A place as the editor knows it.
pub fn location(span: Span, analysis: &Analysis) -> Option<Value> {
    let file = analysis.files.get(span.file.index())?;
    Some(json!({
        "uri": analysis.uris[span.file.index()],
        "range": text::range(&file.text, span.start as usize, span.end as usize),
    }))
}
