//! Tests of the crate as its users see it.

mod docs;
mod format;
mod fuzz;
mod golden;
mod grammar;
mod language;
mod ltl;
mod pages;
mod random;
mod show;
mod verde;
