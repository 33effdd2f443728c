//! Traces in every format, as events of a model.

mod fuzz;
mod readers;
mod written;
