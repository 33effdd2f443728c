//! Classic TOPL: properties with registers over calls and returns.
//!
//! ```text
//! property HasNext
//!   message "advanced without asking"
//!   observe <java.util.Iterator.{hasNext,next}>
//!   observe <java.util.Collection.iterator>
//!   prefix <java.util.{Collection,Iterator}>
//!   start -> start: *
//!   start -> unknown: I := *.iterator()
//!   unknown -> known: <true> := i.hasNext()
//!   known -> unknown: i.next()
//!   unknown -> error: i.next()
//! ```
//!
//! Text becomes [tokens](lexer), tokens the [tree], the tree is [checked](check) and
//! [lowered](lower) to a register property over the events `call` and `return` of
//! [`crate::events`]. `docs/topl.md` tells the language.

mod check;
mod constant;
pub(crate) mod flow;
mod lexer;
pub(crate) mod lower;
pub(crate) mod names;
mod parser;
mod tree;

use watchword_model::{FileId, Model};

use crate::diagnostic::{Code, Diagnostic};

/// Files larger than this are not read.
pub(crate) const MAX_FILE: usize = 4 << 20;

/// Adds the properties of a file to a model; what is wrong with it goes to `diagnostics`.
pub(crate) fn load_into(
    file: FileId,
    text: &str,
    model: &mut Model,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if text.len() > MAX_FILE {
        let span = crate::files::start_of(file);
        let message = "a property file has at most 4 MiB";
        diagnostics.push(Diagnostic::error(Code::FileTooLarge, span, message));
        return;
    }
    let mut found = Vec::new();
    let properties = parser::parse(file, text, &mut found);
    if properties.is_empty() && found.is_empty() {
        let span = crate::files::start_of(file);
        found.push(
            Diagnostic::error(Code::EmptyBody, span, "this file has no property")
                .help("a property begins with `property NAME`"),
        );
    }
    let parsed = !found.iter().any(Diagnostic::is_error);
    for property in &properties {
        let name = &property.name;
        if let Some(first) = model.properties.iter().find(|p| p.name == name.text) {
            found.push(
                Diagnostic::error(
                    Code::DeclaredTwice,
                    name.span,
                    format!("the property `{}` is declared twice", name.text),
                )
                .also(first.span, "the first time")
                .help("rename one of them"),
            );
            continue;
        }
        // What could not be parsed is missing; complaints about the rest could be due to that.
        if parsed {
            check::check(property, &mut found);
            lower::lower(property, model);
        }
    }
    diagnostics.extend(found);
}
