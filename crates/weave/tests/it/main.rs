//! Weaving, tested by what woven programs do.

mod answered;
mod cases;
mod fuzz;
mod identity;
mod java;
mod jdk;
mod mass;
mod runtime;
