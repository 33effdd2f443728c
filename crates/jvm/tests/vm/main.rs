//! Tests with real JVMs.

mod driver;
mod homes;
#[path = "../../../weave/tests/it/jdk.rs"]
mod jdk;
mod mutants;
mod tables;
mod turns;
