//! What a run is: what every host of monitors counts, merges and limits.

mod limit;

pub use limit::Limit;
