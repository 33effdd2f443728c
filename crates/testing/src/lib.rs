//! Helpers that the tests of several crates share. The program does not contain this crate.
//!
//! * [`Random`]: seeded random numbers, so that every failure can be replayed from its seed.
//! * [`Scratch`]: a folder that is removed at the end.
//! * [`Browser`]: a headless Chromium that tests look at and type into.
//! * [`Picture`], [`look`]: screenshots, and whether they look as they did; the pictures of the book.
//! * [`compile`]: a program in C or C++ with debug information.
//! * [`alone`]: tests that run one after the other. [`guarded`]: runs a test alone, under a time limit, and checks that it leaves no process behind.
//! * [`Running`]: a running program to which debuggers attach.

mod browser;
mod compiled;
mod guard;
pub mod look;
mod picture;
mod random;
mod running;
mod scratch;

pub use browser::{Browser, Page, browser};
pub use compiled::compile;
pub use guard::{alone, children, guarded};
pub use picture::Picture;
pub use random::Random;
pub use running::Running;
pub use scratch::Scratch;
