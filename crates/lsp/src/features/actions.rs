//! Fixes of diagnostics.

use serde_json::{Value, json};

use super::{Analysis, ROOT, diagnostics};
use crate::text;

/// The fixes of what is wrong between two bytes of the document.
pub fn of(analysis: &Analysis, start: usize, end: usize) -> Vec<Value> {
    let uri = &analysis.uris[0];
    let here = |d: &&watchword_spec::Diagnostic| {
        d.span.file == ROOT && d.span.start as usize <= end && start <= d.span.end as usize
    };
    let mut actions = Vec::new();
    for diagnostic in analysis.diagnostics.iter().filter(here) {
        let Some(fix) = &diagnostic.fix else { continue };
        let range = text::range(analysis.text(), fix.span.start as usize, fix.span.end as usize);
        let old = watchword_spec::files::text_of(&analysis.files, fix.span);
        let title = match (old, fix.text.as_str()) {
            (old, "") => format!("Remove `{old}`"),
            ("", new) => format!("Insert `{new}`"),
            (_, new) => format!("Write `{new}`"),
        };
        actions.push(json!({
            "title": title,
            "kind": "quickfix",
            "isPreferred": true,
            "diagnostics": [diagnostics::one(diagnostic, analysis)],
            "edit": {"changes": {uri: [{"range": range, "newText": fix.text}]}},
        }));
    }
    actions
}
