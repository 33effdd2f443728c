//! Infer's dialect of TOPL: properties with registers over complete calls.
//!
//! ```text
//! property Taint
//!   prefix "Main"
//!   start -> start: *
//!   start -> tracking: source(Ret) => x := Ret
//!   tracking -> error: sink(Arg, VoidRet) when x == Arg
//! ```
//!
//! Text becomes [tokens](lexer), tokens the [tree], the tree is [checked](check) and
//! [lowered](lower) to a register property over the event `done` of [`crate::events`]: one event
//! per complete call, its arguments and then its result. `docs/topl.md` tells the language.

mod check;
mod lexer;
mod lower;
pub(crate) mod number;
mod parser;
mod regex;
mod tree;

use watchword_model::{FileId, Model};

use crate::diagnostic::Diagnostic;
use crate::topl::Dialect;
pub(crate) use lexer::tokens;

/// Adds the properties of a file to a model. Mistakes are added to `diagnostics`.
pub(crate) fn load_into(
    file: FileId,
    text: &str,
    model: &mut Model,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let dialect = Dialect {
        parse: &parser::parse,
        name: |p: &tree::Property| (p.name.text.as_str(), p.name.span),
        labels: |p| p.transitions.len().saturating_mul(p.prefix.len().max(1)),
        add: |property, model, found| {
            check::check(property, found);
            lower::lower(property, model, found);
        },
    };
    dialect.load_into(file, text, model, diagnostics);
}

/// Reads a file for its mistakes alone.
pub(crate) fn parse(file: FileId, text: &str, found: &mut Vec<Diagnostic>) {
    parser::parse(file, text, found);
}
