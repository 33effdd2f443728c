//! Property files: text to tree to model.

pub mod diagnostic;
pub mod files;
pub mod lint;
mod load;
pub mod ww;

pub use diagnostic::{Diagnostic, all_codes, explain};
pub use files::SourceFile;
pub use lint::lint;
pub use load::{Loaded, load};
pub use ww::print::format;
pub use ww::starter::starter;
