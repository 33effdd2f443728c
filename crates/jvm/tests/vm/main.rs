//! Tests with real JVMs.

mod tables;
