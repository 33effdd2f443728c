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
pub use run::{
    AnyEvaluator, Checkpoint, Counts, Evaluator, Found, Limit, Listed, Listing, PropertyTotals,
    Puzzled, Run, Strangers, Totals, Unmonitored,
};
pub use watchword_step::NotRelevant;

/// How large a list or a map may grow: one for itself and for each value in it, and one per 16
/// bytes of text. Less where mistakes are looked for, so that small tests reach it.
pub const MAX_WEIGHT: usize = if cfg!(feature = "mutants") { 1 << 16 } else { 1 << 24 };
/// How long a text may be, in units of 16 bytes.
pub const MAX_TEXT: usize = if cfg!(feature = "mutants") { 1 << 16 } else { 1 << 22 };
