//! Traces in every format, as events of a model.

mod ahead;
mod fuzz;
mod readers;
mod written;
mod xes;
