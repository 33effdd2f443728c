//! What a document declares, as an outline.

use serde_json::{Value, json};
use watchword_model::Span;
use watchword_spec::ww::lexer::{Punct, TokenKind};
use watchword_spec::ww::parser::{self, Consumed};

use super::{Analysis, ROOT};
use crate::index::{Kind, Symbol};
use crate::text;

/// The outline: events, functions, properties with their states, contexts with what is in them.
pub fn of(analysis: &Analysis) -> Vec<Value> {
    if !analysis.own {
        return Vec::new();
    }
    let tokens = parser::parse(analysis.text(), ROOT).tokens;
    below(analysis, &tokens, None)
}

fn below(analysis: &Analysis, tokens: &[Consumed], owner: Option<usize>) -> Vec<Value> {
    let mut found = Vec::new();
    for (id, symbol) in analysis.index.symbols.iter().enumerate() {
        let Some(span) = symbol.declared.iter().find(|s| s.file == ROOT) else { continue };
        let Some(kind) = number(symbol.kind) else { continue };
        // What is not declared is no part of the outline.
        if symbol.owner != owner || symbol.detail.ends_with("(not declared)") {
            continue;
        }
        let (start, end) = extent(tokens, *span);
        let children = match symbol.kind {
            Kind::Property | Kind::Context => below(analysis, tokens, Some(id)),
            _ => Vec::new(),
        };
        found.push(json!({
            "name": symbol.name,
            "detail": detail(symbol),
            "kind": kind,
            "range": text::range(analysis.text(), start, end),
            "selectionRange":
                text::range(analysis.text(), span.start as usize, span.end as usize),
            "children": children,
        }));
    }
    found
}

fn detail(symbol: &Symbol) -> &str {
    match symbol.doc.lines().next() {
        Some(line) if !line.is_empty() => line,
        _ => &symbol.detail,
    }
}

/// The number the protocol has for it; `None`: no part of the outline.
fn number(kind: Kind) -> Option<u32> {
    Some(match kind {
        Kind::Event | Kind::Channel => 24,
        Kind::Function => 12,
        Kind::Property => 5,
        Kind::Context => 3,
        Kind::State => 22,
        Kind::Variable | Kind::Clock | Kind::Window => 13,
        Kind::Setting => 14,
        Kind::Param | Kind::EventParam | Kind::Register | Kind::Binder | Kind::Local => {
            return None;
        }
    })
}

/// The whole declaration around a name: from the token that begins it to the last one before
/// another thing begins beside or around it.
fn extent(tokens: &[Consumed], name: Span) -> (usize, usize) {
    let fallback = (name.start as usize, name.end as usize);
    let Some(at) = tokens.iter().position(|t| t.token.start == name.start) else { return fallback };
    let first = (0..=at).rev().find(|i| tokens[*i].begins).unwrap_or(at);
    let mut depth = 0i32;
    let mut last = at;
    for (i, consumed) in tokens.iter().enumerate().skip(first) {
        if i > first && consumed.begins && depth <= 0 {
            break;
        }
        match consumed.token.kind {
            TokenKind::Punct(Punct::BraceOpen) => depth += 1,
            TokenKind::Punct(Punct::BraceClose) => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            break;
        }
        last = i;
    }
    (tokens[first].token.start as usize, tokens[last.max(at)].token.end as usize)
}
