//! LARVA scripts: DATEs, automata with symbolic state over nested contexts.
//!
//! ```text
//! GLOBAL {
//!   FOREACH (User u) {
//!     VARIABLES { int logins = 0; }
//!     EVENTS { bad(User u) = {User u.loginFailed()} good(User u) = {User u.loggedIn()} }
//!     PROPERTY Logins {
//!       STATES { BAD { locked } STARTING { out } }
//!       TRANSITIONS {
//!         out -> locked [bad\logins >= 2\]
//!         out -> out    [bad\\logins++;]
//!         out -> out    [good\\logins = 0;]
//!       }
//!     }
//!   }
//! }
//! ```
//!
//! Text becomes [tokens](lexer), tokens the [tree], parsed by [sections](script) and the [Java](java)
//! inside them; the tree is written as [a file of Watchword's own language](lower), and that is
//! lowered like any other. `docs/larva.md` tells the language.

mod advice;
mod code;
pub(crate) mod cursor;
mod equality;
pub(crate) mod events;
mod java;
pub(crate) mod lexer;
mod lower;
mod script;
pub(crate) mod tree;
mod types;

pub(crate) use code::{both, constant, free, named};
use std::ops::Range;

use watchword_model::FileId;

use crate::diagnostic::{Code, Diagnostic};
use crate::ww::tree::File;

/// Files larger than this are not read.
const MAX_FILE: usize = 4 << 20;

/// The script in a text as a file of Watchword's own language.
pub(crate) fn parse(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> File {
    if text.len() > MAX_FILE {
        let start = crate::files::start_of(file);
        let message = "a property file has at most 4 MiB";
        diagnostics.push(Diagnostic::error(Code::FileTooLarge, start, message));
        return File::default();
    }
    let mut found = Vec::new();
    let script = script::parse(file, text, &mut found);
    // What could not be understood is missing; complaints about the rest could be due to that.
    let mut tree = File::default();
    if !found.iter().any(Diagnostic::is_error) {
        let lowered = lower::lower(&script, &mut found);
        if !found.iter().any(Diagnostic::is_error) {
            tree = lowered;
        }
    }
    diagnostics.extend(found);
    tree
}

/// What was found about a script by those who know Watchword's own language only, with the terms of
/// scripts.
pub(crate) fn in_own_words(diagnostics: &mut Vec<Diagnostic>, is_script: impl Fn(FileId) -> bool) {
    diagnostics.retain(|d| !is_script(d.span.file) || !advice::is_usual(d));
    for diagnostic in diagnostics.iter_mut().filter(|d| is_script(d.span.file)) {
        advice::translate(diagnostic);
    }
}

/// Reads a file for its mistakes alone.
pub(crate) fn read(file: FileId, text: &str, found: &mut Vec<Diagnostic>) {
    if text.len() <= MAX_FILE {
        script::parse(file, text, found);
    } else {
        parse(file, text, found);
    }
}

/// Where its tokens are.
pub(crate) fn tokens(text: &str) -> Vec<Range<usize>> {
    let tokens = lexer::lex(FileId(0), text, &mut Vec::new());
    let ranges = tokens.iter().map(|t| t.span.start as usize..t.span.end as usize);
    ranges.filter(|range| !range.is_empty()).collect()
}
