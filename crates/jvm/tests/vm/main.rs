//! Tests with real JVMs.

mod homes;
mod tables;
