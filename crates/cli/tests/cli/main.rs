//! The command line, run as people run it.

mod agree;
mod anything;
mod built;
mod cases;
mod commands;
mod documents;
mod edges;
mod editors;
mod examples;
mod fronts;
mod hostile;
mod java;
mod larva;
mod library;
mod native;
mod patterns;
mod presets;
mod readme;
mod replay;
mod reports;
mod support;
mod times;
mod told;
mod topl;
mod verde;
