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
mod parser;
mod regex;
mod tree;

use watchword_model::{FileId, Model};

use crate::diagnostic::{Code, Diagnostic};
use crate::topl::MAX_FILE;

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
            let message = format!("the property `{}` is declared twice", name.text);
            found.push(
                Diagnostic::error(Code::DeclaredTwice, name.span, message)
                    .also(first.span, "the first time")
                    .help("rename one of them"),
            );
            continue;
        }
        // What could not be parsed is missing; complaints about the rest could be due to that.
        if parsed {
            check::check(property, &mut found);
            lower::lower(property, model, &mut found);
        }
    }
    diagnostics.extend(found);
}
