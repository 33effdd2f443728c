//! Tests of the crate as its users see it.

mod docs;
mod effort;
mod format;
mod fuzz;
mod given;
mod golden;
mod grammar;
mod language;
mod larva;
mod ltl;
mod metric;
mod mop;
mod mutate;
mod pages;
mod show;
mod topl;
mod verde;
