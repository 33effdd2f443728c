//! The command line, run as people run it.

mod cases;
mod commands;
mod examples;
mod fuzz;
mod hostile;
mod java;
mod readers;
mod readme;
mod replay;
mod support;
mod topl;
