//! Renaming: what changes is the name and nothing else, or it is refused.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};
use watchword_model::Span;
use watchword_spec::SourceFile;
use watchword_spec::ww::lexer::{Lexer, TokenKind};

use super::{Analysis, ROOT, own_files};
use crate::Resolve;
use crate::index::{Index, Kind, Role};
use crate::text;

/// The range and the name at a byte, if it can be renamed.
pub fn prepare(analysis: &Analysis, offset: usize) -> Option<Value> {
    let used = *analysis.index.at(ROOT, offset).first()?;
    let name = &analysis.index.symbols[used.symbol].name;
    let (start, end) = (used.span.start as usize, used.span.end as usize);
    Some(json!({"range": text::range(analysis.text(), start, end), "placeholder": name}))
}

/// The edits that rename what is named at a byte, by document.
pub fn of(
    analysis: &Analysis,
    offset: usize,
    new: &str,
    resolve: Resolve<'_>,
) -> Result<Value, String> {
    let index = &analysis.index;
    let here: Vec<usize> = index.at(ROOT, offset).iter().map(|u| u.symbol).collect();
    if here.is_empty() {
        return Err("there is no name here that could be renamed".to_string());
    }
    let plain = new.trim_matches('`');
    let mut lexer = Lexer::new(plain);
    if lexer.next_token().kind != TokenKind::Ident
        || lexer.next_token().kind != TokenKind::End
        || plain == "_"
    {
        return Err(format!(
            "`{new}` is not a name: a letter or `_`, then letters, digits, `_` or `$`"
        ));
    }
    let symbols = index.tied(&here);
    // In backquotes if the name is a word of the language where it stands.
    let mut refused = String::new();
    for written in [plain.to_string(), format!("`{plain}`")] {
        let edits = edits(analysis, &symbols, plain, &written);
        match check(analysis, &edits, resolve) {
            Ok(()) => return Ok(json!({"changes": changes(analysis, &edits)})),
            Err(why) if refused.is_empty() => refused = why,
            Err(_) => {}
        }
    }
    Err(refused)
}

/// Edits by place.
type Edits = BTreeMap<(usize, u32, u32), String>;

fn edits(analysis: &Analysis, symbols: &[usize], plain: &str, written: &str) -> Edits {
    let index = &analysis.index;
    let mut edits = Edits::new();
    for symbol in symbols {
        for used in index.named(*symbol) {
            // A group of a regular expression has no backquotes.
            let written = if in_regex(analysis, used.span) { plain } else { written };
            edits.insert(key(used.span), written.to_string());
        }
    }
    // A label that is a name alone takes its arguments by their names: it has to say them now.
    for used in index.uses.iter().filter(|u| u.role == Role::Implies) {
        if symbols.contains(&used.symbol) && !edits.contains_key(&key(used.span)) {
            let args = arguments(index, used.span, symbols, written);
            edits.insert(key(used.span), args);
        }
    }
    edits
}

fn key(span: Span) -> (usize, u32, u32) {
    (span.file.index(), span.start, span.end)
}

fn in_regex(analysis: &Analysis, span: Span) -> bool {
    let text = &analysis.files[span.file.index()].text;
    let before = &text[..span.start as usize];
    before.ends_with("(?<") || before.ends_with("(?P<")
}

/// The arguments of the label that ends here, as they are implied.
fn arguments(index: &Index, place: Span, symbols: &[usize], written: &str) -> String {
    let event = index
        .uses
        .iter()
        .find(|u| u.span.file == place.file && u.span.end == place.start && u.role != Role::Implies)
        .map(|u| u.symbol);
    let Some((params, more)) = event.and_then(|e| index.events.get(&e)) else {
        return String::new();
    };
    let implied: Vec<usize> = index
        .uses
        .iter()
        .filter(|u| u.span == place && u.role == Role::Implies)
        .map(|u| u.symbol)
        .collect();
    let mut args: Vec<String> = params
        .iter()
        .map(|param| {
            let name = &index.symbols[*param].name;
            let own = implied.iter().find(|s| {
                index.symbols[**s].kind == Kind::Param && index.symbols[**s].name == *name
            });
            match own {
                Some(own) if symbols.contains(own) => written.to_string(),
                Some(_) => name.clone(),
                None => "_".to_string(),
            }
        })
        .collect();
    if *more {
        args.push("..".to_string());
    }
    format!("({})", args.join(", "))
}

/// Whether every name means after the edits what it meant before.
fn check(analysis: &Analysis, edits: &Edits, resolve: Resolve<'_>) -> Result<(), String> {
    let mut files = analysis.files.clone();
    for ((file, start, end), new) in edits.iter().rev() {
        let file = &mut files[*file];
        if file.name.starts_with("std/") {
            return Err(format!("`{}` is part of Watchword and cannot be renamed", file.name));
        }
        file.text.replace_range(*start as usize..*end as usize, new);
    }
    let after = Index::of(&own_files(&files));
    if shape(&analysis.index) != shape(&after) {
        return Err("another declaration has this name where it is used".to_string());
    }
    let by_name = |importer: &str, path: &str| -> Result<SourceFile, String> {
        let found = resolve(importer, path)?;
        let known = files.iter().find(|f| f.name == found.name);
        Ok(known.cloned().unwrap_or(found))
    };
    let changed = Analysis::of(files[0].clone(), &by_name, &|name| name.to_string());
    let errors = |a: &Analysis| a.diagnostics.iter().filter(|d| d.is_error()).count();
    if errors(&changed) > errors(analysis) {
        let said = changed.diagnostics.iter().find(|d| d.is_error());
        return Err(said.map_or(String::new(), |d| d.message.clone()));
    }
    Ok(())
}

/// Which uses mean the same thing, in the order of the text, without names and places.
fn shape(index: &Index) -> Vec<(usize, Kind)> {
    let mut order: HashMap<usize, usize> = HashMap::new();
    let mut shape = Vec::new();
    for used in &index.uses {
        // Parameters of events that are implied are not named by the arguments either.
        let kind = index.symbols[used.symbol].kind;
        if used.role == Role::Implies && kind == Kind::EventParam {
            continue;
        }
        let next = order.len();
        shape.push((*order.entry(used.symbol).or_insert(next), kind));
    }
    shape
}

fn changes(analysis: &Analysis, edits: &Edits) -> Map<String, Value> {
    let mut changes: Map<String, Value> = Map::new();
    for ((at, start, end), new) in edits {
        let file = &analysis.files[*at];
        let range = text::range(&file.text, *start as usize, *end as usize);
        let list =
            changes.entry(analysis.uris[*at].clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(json!({"range": range, "newText": new}));
        }
    }
    changes
}
