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
mod labels;
mod larva;
mod library;
mod merged;
mod native;
mod near;
mod packages;
#[cfg(unix)]
mod pages;
mod patterns;
mod presets;
mod project;
mod promises;
mod readme;
mod replay;
mod reports;
mod support;
mod times;
mod told;
mod topl;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tutorial;
mod verde;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod vscode;
#[cfg(unix)]
mod watch;
