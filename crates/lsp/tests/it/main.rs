//! A scripted editor.

mod client;
mod features;
mod fuzz;
mod grammar;
mod names;
mod protocol;
