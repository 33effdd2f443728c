//! Property files: text to tree to model.
//!
//! [`load`] reads files and their imports, and returns a [`Model`](watchword_model::Model) or
//! diagnostics. Every [`Diagnostic`] has a stable code, a place and a correction, and, where the
//! message does not contain it, the rule that was broken. [`lint()`] searches a loaded model for code
//! that is legal but probably a mistake. [`format()`] formats a file, [`starter`] is a property to
//! begin with, and [`explain`] returns the page of a code.
//!
//! Each front end has a folder: [`ww`] is Watchword's own language, described in
//! `docs/language.md` and `docs/grammar.ebnf`. All of them produce the same model, and no later stage
//! depends on the language of a property.
//!
//! This crate does no I/O: the caller passes files as text, and a function that returns imported
//! files.
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

mod circles;
pub mod classes;
pub mod convert;
pub mod diagnostic;
pub mod events;
pub mod files;
pub mod given;
mod infer;
mod java_class;
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
