//! The engine against the reference, on random properties and traces.
//!
//! `WATCHWORD_FUZZ=n` compares n cases, other tests in proportion; `WATCHWORD_SEED=n` runs one.

mod deaths;
mod differential;
mod enabling;
mod endless;
mod generate;
mod inspect;
mod memory;
mod moves;
mod routing;
mod run;
mod sensitive;
mod support;
mod texts;
mod together;
