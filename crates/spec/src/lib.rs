//! Property files: text to tree to model.

pub mod diagnostic;
pub mod files;
mod load;
pub mod ww;

pub use diagnostic::{Diagnostic, all_codes, explain};
pub use files::SourceFile;
pub use load::{Loaded, load};
