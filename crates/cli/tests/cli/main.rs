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
mod given;
mod hostile;
mod java;
mod jobs;
mod larva;
mod library;
mod merged;
mod native;
mod near;
mod packages;
mod patterns;
mod presets;
mod project;
mod readme;
mod replay;
mod reports;
mod support;
mod times;
mod told;
mod topl;
mod verde;
#[cfg(unix)]
mod watch;
