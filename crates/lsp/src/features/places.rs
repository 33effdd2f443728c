//! Where something is declared, and where it is named.

use serde_json::{Value, json};
use watchword_spec::ww::parser;
use watchword_spec::ww::tree::Item;

use super::diagnostics::location;
use super::{Analysis, Called, ROOT};
use crate::Resolve;
use crate::index::{Role, Use};
use crate::text;

/// Where the name at a byte is declared; of an import, the file.
pub fn definition(
    analysis: &Analysis,
    offset: usize,
    resolve: Resolve<'_>,
    called: Called<'_>,
) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for used in analysis.index.at(ROOT, offset) {
        for span in &analysis.index.symbols[used.symbol].declared {
            found.extend(location(*span, analysis));
        }
    }
    if analysis.own && found.is_empty() {
        found.extend(imported(analysis, offset, resolve, called));
    }
    found
}

fn imported(
    analysis: &Analysis,
    offset: usize,
    resolve: Resolve<'_>,
    called: Called<'_>,
) -> Option<Value> {
    let tree = parser::parse(analysis.text(), ROOT).file;
    let import = tree.items.iter().find_map(|item| match item {
        Item::Import(import)
            if (import.span.start as usize..=import.span.end as usize).contains(&offset) =>
        {
            Some(import)
        }
        _ => None,
    })?;
    let file = resolve(&analysis.files[0].name, &import.path).ok()?;
    // Shipped properties are no files an editor could open.
    if file.name.starts_with("std/") {
        return None;
    }
    Some(json!({"uri": called(&file.name), "range": text::range("", 0, 0)}))
}

/// Every place that names what is named at a byte.
pub fn references(analysis: &Analysis, offset: usize, declarations: bool) -> Vec<Value> {
    uses(analysis, offset)
        .into_iter()
        .filter(|u| declarations || u.role != Role::Declares)
        .filter_map(|u| location(u.span, analysis))
        .collect()
}

/// The same, in the document only.
pub fn highlights(analysis: &Analysis, offset: usize) -> Vec<Value> {
    uses(analysis, offset)
        .into_iter()
        .filter(|u| u.span.file == ROOT)
        .map(|u| {
            let kind = if u.role == Role::Declares { 3 } else { 2 };
            let (start, end) = (u.span.start as usize, u.span.end as usize);
            json!({"range": text::range(analysis.text(), start, end), "kind": kind})
        })
        .collect()
}

fn uses(analysis: &Analysis, offset: usize) -> Vec<Use> {
    let index = &analysis.index;
    let symbols: Vec<usize> = index.at(ROOT, offset).iter().map(|u| u.symbol).collect();
    let mut found: Vec<Use> = symbols.iter().flat_map(|s| index.named(*s)).copied().collect();
    found.sort_by_key(|u| (u.span.file, u.span.start));
    found.dedup_by_key(|u| u.span);
    found
}
