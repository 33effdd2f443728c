//! Programs under monitors, compiled here or taken from the system.

mod monitoring;
mod real;
mod session;
mod support;
mod watching;
