//! The engine against the reference, on random properties and traces.
//!
//! `WATCHWORD_SOAK=1` runs many more; `WATCHWORD_SEED=n` runs one.

mod deaths;
mod differential;
mod generate;
mod inspect;
mod moves;
mod sensitive;
mod support;
