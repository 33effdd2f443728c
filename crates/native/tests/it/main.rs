//! Programs under monitors, compiled here or taken from the system.

mod monitoring;
mod names;
mod posix;
mod real;
mod session;
mod support;
mod values;
mod watching;
