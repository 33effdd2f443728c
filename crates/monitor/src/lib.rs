//! Evaluators of properties.

mod report;

pub use report::*;
