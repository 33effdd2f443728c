//! The command line of Watchword: flags become validated objects, objects become calls.
//!
//! The library half exists for the binary, its tests and its benchmarks; other programs embed
//! `watchword-monitor`. [`read`] turns recorded traces into events.

pub mod read;
