//! Property files: text to tree to model.
//!
//! [`load`] reads files and what they import and gives a [`Model`](watchword_model::Model), or
//! tells what is wrong: every [`Diagnostic`] has a stable code, a place and a mend, and, where the
//! message does not say it, the rule that was broken. [`lint()`] looks at a model that loaded for what is allowed but
//! hardly meant. [`format()`] lays a file out, [`starter`] is a property to begin with, [`explain`]
//! is the page of a code.
//!
//! Each front end has a folder: [`ww`] is Watchword's own language, described in
//! `docs/language.md` and `docs/grammar.ebnf`. All of them produce the same model; nothing behind
//! it knows what language a property was written in.
//!
//! This crate does no I/O: files come as text, and imports are asked for.
//!
//! ```
//! use watchword_spec::{SourceFile, lint, load};
//!
//! let text = "
//!     event open(f)
//!     event close(f)
//!     property Closed(f) {
//!       start state New { on open(f) -> Open }
//!       pending state Open { on close(f) -> New }
//!     }";
//! let files = [SourceFile::new("closed.ww", text)];
//! let loaded = load(&files, &|_, path| Err(format!("there is no {path}")));
//! let model = loaded.model.expect("the file has no errors");
//! assert_eq!(model.properties[0].name, "Closed");
//! assert!(lint(&model).is_empty());
//!
//! let wrong = SourceFile::new("wrong.ww", &text.replace("-> Open", "-> Opne"));
//! let loaded = load(&[wrong], &|_, path| Err(format!("there is no {path}")));
//! assert!(loaded.model.is_none());
//! let error = &loaded.diagnostics[0];
//! assert_eq!(error.code, "WW0204");
//! assert_eq!(error.help.as_deref(), Some("did you mean `Open`?"));
//! assert!(error.render(&loaded.files, false).contains("wrong.ww:5:"));
//! ```

pub mod classes;
pub mod convert;
pub mod diagnostic;
pub mod events;
pub mod files;
pub mod given;
mod infer;
mod lang;
mod larva;
pub mod layout;
pub mod lint;
mod load;
mod mop;
pub mod tokens;
mod topl;
mod verde;
pub mod ww;

pub use diagnostic::{Diagnostic, all_codes, explain};
pub use files::SourceFile;
pub use lang::{detect, lang_of};
pub use layout::format_as;
pub use lint::lint;
pub use load::{Loaded, load, load_for, load_given, load_with};
pub use watchword_model::Lang;
pub use ww::print::format;
pub use ww::starter::starter;
