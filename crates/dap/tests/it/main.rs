//! Editors at a session: a client of the protocol, and messages that make no sense.

mod client;
mod fuzz;
mod recordings;
mod sessions;
mod support;
mod tutorial;
