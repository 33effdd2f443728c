//! Verde's `.prop` files: one property for a native program, with blocks of Python.
//!
//! ```text
//! slice on queue
//! initialization: { N = 0; maxSize = 0 }
//! state init accepting:
//!   transition:
//!     event queue_new(queue, size : int) { maxSize = size - 1 }
//!     success queue_ready
//! state queue_ready accepting:
//!   transition:
//!     event queue_push(queue, prod_id) { return N < maxSize }
//!     success { N = N + 1 } queue_ready
//!     failure { print("%d made %d overflow!" % (prod_id, queue)) } sink
//! state sink non-accepting sink_reached()
//! ```
//!
//! Text becomes [tokens](lexer), tokens the [tree], the tree is [lowered](lower) to a property of
//! rule `verde`. The [Python](python) of its blocks is a subset that is compiled to the model's own
//! expressions and statements; functions of a companion file become functions of the model.
//! `docs/verde.md` tells the language.

mod declare;
mod functions;
mod lexer;
mod lower;
mod parser;
mod python;
mod tree;

use std::ops::Range;

use watchword_model::{FileId, Model};

use crate::diagnostic::{Code, Diagnostic};
pub(crate) use functions::Companion;

/// Files larger than this are not read.
const MAX_FILE: usize = 4 << 20;
/// After so many errors the rest of a file is not looked at.
const MAX_ERRORS: usize = 100;

/// Reads a file for its mistakes alone.
pub(crate) fn parse(file: FileId, text: &str, found: &mut Vec<Diagnostic>) {
    if is_readable(file, text, found) {
        parser::parse(file, text, found);
    }
}

/// Where its tokens are.
pub(crate) fn tokens(text: &str) -> Vec<Range<usize>> {
    let tokens = lexer::lex(FileId(0), text, &mut Vec::new());
    let ranges = tokens.iter().map(|t| t.span.start as usize..t.span.end as usize);
    ranges.filter(|range| !range.is_empty()).collect()
}

/// Reads a file of companion functions.
pub(crate) fn companion(
    file: FileId,
    text: &str,
    into: &mut Companion,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if is_readable(file, text, diagnostics) {
        functions::read(file, text, into, diagnostics);
    } else {
        into.broken = true;
    }
}

/// Adds the property of a file to a model. Mistakes are added to `diagnostics`.
pub(crate) fn load_into(
    file: FileId,
    name: &str,
    text: &str,
    companion: &mut Companion,
    model: &mut Model,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if !is_readable(file, text, diagnostics) {
        return;
    }
    let mut found = Vec::new();
    let property = parser::parse(file, text, &mut found);
    // What could not be parsed is missing; complaints about the rest could be due to that.
    if !companion.broken && !found.iter().any(Diagnostic::is_error) {
        lower::lower(&property_name(name), &property, companion, model, &mut found);
    }
    if found.len() > MAX_ERRORS {
        found.truncate(MAX_ERRORS);
        let span = found[MAX_ERRORS - 1].span;
        let message = "too many errors; the rest of the file was not checked";
        found.push(Diagnostic::error(Code::TooManyErrors, span, message));
    }
    diagnostics.extend(found);
}

fn is_readable(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> bool {
    if text.len() > MAX_FILE {
        let start = crate::files::start_of(file);
        let message = "a property file has at most 4 MiB";
        diagnostics.push(Diagnostic::error(Code::FileTooLarge, start, message));
    }
    text.len() <= MAX_FILE
}

/// A property is called like its file.
fn property_name(file: &str) -> String {
    let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    if stem.is_empty() { last.to_string() } else { stem.to_string() }
}
