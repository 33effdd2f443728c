//! Programs under monitors, compiled here or taken from the system.

mod children;
mod contexts;
mod fitting;
mod generated;
mod inside;
mod monitoring;
mod names;
mod posix;
mod real;
mod resident;
mod session;
mod signals;
mod support;
mod table;
mod time;
mod values;
mod watching;
