//! Evaluators of properties.

mod engine;
pub mod reference;
mod report;
mod run;

pub use engine::{
    EditError, Engine, Instance, InstanceId, Keep, Options, PropertyStats, RestoreError, Route,
    Said, Sensitive, SplitError, TimeError,
};
pub use report::*;
pub use run::Limit;
pub use watchword_step::NotRelevant;
