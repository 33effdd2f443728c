//! Weaving, tested by what woven programs do.

mod cases;
mod java;
mod jdk;
mod mass;
