//! Integration tests of the class-file toolkit, in one binary.

mod cfg;
mod editor;
mod fuzz;
mod hierarchy;
mod insertion;
mod java;
mod jdk;
mod mutate;
mod patch;
mod roundtrip;
mod sources;
mod tables;
