//! Evaluators of properties.

pub mod reference;
mod report;

pub use report::*;
