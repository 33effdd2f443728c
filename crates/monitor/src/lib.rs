//! Evaluators of properties.

mod engine;
pub mod reference;
mod report;

pub use engine::{Engine, Keep, Options, PropertyStats, Said, TimeError};
pub use report::*;
