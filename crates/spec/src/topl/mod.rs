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
pub(crate) mod cursor;
pub(crate) mod flow;
mod lexer;
pub(crate) mod lower;
pub(crate) mod names;
mod parser;
mod tree;

pub(crate) use lexer::tokens;

use std::collections::BTreeMap;

use watchword_model::{FileId, Model, Span};

use crate::classes::ClassConstants;
use crate::diagnostic::{Code, Diagnostic};

/// Files larger than this are not read.
const MAX_FILE: usize = 4 << 20;
/// Properties with more labels than this are refused.
const MAX_LABELS: usize = 5_000;
/// After so many errors the rest of the properties is not looked at.
const MAX_ERRORS: usize = 200;

/// Adds the properties of a file to a model. Mistakes are added to `diagnostics`.
pub(crate) fn load_into(
    file: FileId,
    text: &str,
    constants: &dyn ClassConstants,
    model: &mut Model,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let dialect = Dialect {
        parse: &|file, text, found| parser::parse(file, text, constants, found),
        name: |p: &tree::Property| (p.name.text.as_str(), p.name.span),
        labels: |p| {
            let labels: usize = p.transitions.iter().map(|t| t.labels.len()).sum();
            labels.saturating_mul(p.prefix.len().max(1)).saturating_add(p.observe.len())
        },
        add: |property, model, found| {
            check::check(property, found);
            lower::lower(property, model);
        },
    };
    dialect.load_into(file, text, model, diagnostics);
}

/// Reads a file for its mistakes alone.
pub(crate) fn parse(
    file: FileId,
    text: &str,
    constants: &dyn ClassConstants,
    found: &mut Vec<Diagnostic>,
) {
    parser::parse(file, text, constants, found);
}

/// Text to trees; what is wrong goes to the list.
type Parse<'d, P> = dyn Fn(FileId, &str, &mut Vec<Diagnostic>) -> Vec<P> + 'd;

/// What the dialects of TOPL do differently when a file is loaded.
pub(crate) struct Dialect<'d, P> {
    /// Text to trees.
    pub parse: &'d Parse<'d, P>,
    /// The name of a property, and where it stands.
    pub name: fn(&P) -> (&str, Span),
    /// How many labels it has, counted once per prefix.
    pub labels: fn(&P) -> usize,
    /// Checks it and adds it to the model.
    pub add: fn(&P, &mut Model, &mut Vec<Diagnostic>),
}

impl<P> Dialect<'_, P> {
    /// Adds the properties of a file to a model. Mistakes are added to `diagnostics`.
    pub(crate) fn load_into(
        &self,
        file: FileId,
        text: &str,
        model: &mut Model,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let start = crate::files::start_of(file);
        if text.len() > MAX_FILE {
            let message = "a property file has at most 4 MiB";
            diagnostics.push(Diagnostic::error(Code::FileTooLarge, start, message));
            return;
        }
        let mut found = Vec::new();
        let properties = (self.parse)(file, text, &mut found);
        if properties.is_empty() && found.is_empty() {
            found.push(
                Diagnostic::error(Code::EmptyBody, start, "this file has no property")
                    .help("a property begins with `property NAME`"),
            );
        }
        // What could not be parsed is missing; complaints about the rest could be due to that.
        if !found.iter().any(Diagnostic::is_error) {
            self.add_all(&properties, model, &mut found);
        }
        diagnostics.extend(found);
    }

    fn add_all(&self, properties: &[P], model: &mut Model, found: &mut Vec<Diagnostic>) {
        let mut names: BTreeMap<String, Span> =
            model.properties.iter().map(|p| (p.name.clone(), p.span)).collect();
        for property in properties {
            let (name, span) = (self.name)(property);
            if found.len() > MAX_ERRORS {
                let message = "too many errors; the rest of the file was not checked";
                found.push(Diagnostic::error(Code::TooManyErrors, span, message));
                return;
            }
            if let Some(first) = names.insert(name.to_string(), span) {
                found.push(
                    Diagnostic::error(
                        Code::DeclaredTwice,
                        span,
                        format!("the property `{name}` is declared twice"),
                    )
                    .also(first, "first defined here")
                    .help("rename one of them"),
                );
                continue;
            }
            if (self.labels)(property) > MAX_LABELS {
                let message =
                    format!("a property has at most {MAX_LABELS} labels, counted once per prefix");
                found.push(
                    Diagnostic::error(Code::AutomatonTooLarge, span, message)
                        .help("split it into several properties"),
                );
                continue;
            }
            (self.add)(property, model, found);
        }
    }
}
