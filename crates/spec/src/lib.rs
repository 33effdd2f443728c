//! Property files: text to tree to model.

pub mod diagnostic;
pub mod events;
pub mod files;
mod infer;
mod lang;
pub mod lint;
mod load;
mod topl;
pub mod ww;

pub use diagnostic::{Diagnostic, all_codes, explain};
pub use files::SourceFile;
pub use lang::Lang;
pub use lint::lint;
pub use load::{Loaded, load, load_with};
pub use ww::print::format;
pub use ww::starter::starter;
