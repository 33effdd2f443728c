//! JavaMOP specifications: parametric events with AspectJ pointcuts, and automata over them.
//!
//! ```text
//! import java.util.*;
//!
//! HasNext(Iterator i) {
//!   event hasnext after(Iterator i) returning(boolean b) :
//!     call(* Iterator+.hasNext()) && target(i) && condition(b) {}
//!   event next before(Iterator i) : call(* Iterator+.next()) && target(i) {}
//!
//!   ltl : [](next => (*) hasnext)
//!
//!   @violation { System.err.println("next without hasNext"); }
//! }
//! ```
//!
//! A file is [parsed](parser) into specifications, with [pointcuts](pointcut) and
//! [formulas](logic) as they were written; each specification is [written](lower) in Watchword's own
//! language, and that is lowered like any other file. Java code that does more than print becomes
//! [a class](code) that the JDK's compiler compiles, if that is allowed. A specification that needs
//! something a monitor here does not do is refused with the reason; the others are read.
//! `docs/mop.md` describes the language.

mod code;
mod java;
mod logic;
mod lower;
mod machine;
mod parser;
mod pointcut;
mod tree;

use watchword_model::FileId;

use crate::diagnostic::{Code, Diagnostic};
use crate::given::JavaRules;
use crate::ww::tree::File;

/// Files larger than this are not read.
const MAX_FILE: usize = 4 << 20;

/// The specifications in a text as a file of Watchword's own language. Those that are refused are
/// missing in it, with a warning each.
pub(crate) fn parse(
    file: FileId,
    text: &str,
    java: &JavaRules,
    diagnostics: &mut Vec<Diagnostic>,
) -> File {
    let mut found = Vec::new();
    let specifications = read(file, text, &mut found);
    let mut tree = File::default();
    // What could not be understood is missing; complaints about the rest could be due to that.
    if !found.iter().any(Diagnostic::is_error) {
        for specification in &specifications {
            match lower::lower(specification, text, java) {
                Ok(lowered) => {
                    tree.items.extend(lowered.items);
                    found.extend(lowered.ignored.into_iter().map(|ignored| {
                        Diagnostic::warning(
                            Code::MopIgnored,
                            ignored.span,
                            format!("`{}`: {}", specification.name.text, ignored.why),
                        )
                    }));
                }
                Err(refused) => {
                    let needs_java = !java.allowed && is_possible(specification, text);
                    let help = "`--allow-java` compiles its Java code and runs it in the program";
                    let diagnostic = Diagnostic::warning(
                        Code::MopRefused,
                        refused.span,
                        format!("`{}` is not monitored: {}", specification.name.text, refused.why),
                    );
                    let ignored = "this specification is ignored";
                    let diagnostic = diagnostic.also(specification.name.span, ignored);
                    found.push(if needs_java { diagnostic.help(help) } else { diagnostic });
                }
            }
        }
    }
    diagnostics.extend(found);
    tree
}

/// Whether a specification can be monitored if its Java code may run.
fn is_possible(specification: &tree::Specification, text: &str) -> bool {
    let allowed = JavaRules { allowed: true, broken: Vec::new() };
    lower::lower(specification, text, &allowed).is_ok()
}

/// The specifications of a file as they were written.
pub(crate) fn read(
    file: FileId,
    text: &str,
    found: &mut Vec<Diagnostic>,
) -> Vec<tree::Specification> {
    if text.len() > MAX_FILE {
        let start = crate::files::start_of(file);
        let message = "a property file has at most 4 MiB";
        found.push(Diagnostic::error(Code::FileTooLarge, start, message));
        return Vec::new();
    }
    parser::parse(file, text, found)
}

/// If nothing is left to monitor, what was refused is an error.
pub(crate) fn insist(diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics.iter_mut().filter(|d| d.code == Code::MopRefused.text()) {
        diagnostic.severity = watchword_model::Severity::Error;
    }
}
