//! Evaluators of properties.

mod engine;
pub mod reference;
mod report;

pub use engine::{
    Engine, Keep, Options, PropertyStats, RestoreError, Route, Said, Sensitive, SplitError,
    TimeError,
};
pub use report::*;
