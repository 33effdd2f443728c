//! Real programs under the tracer. One binary, one test at a time.

mod checkpoints;
mod criu;
mod fuzzing;
mod source;
mod support;
mod tracing;
mod watching;
