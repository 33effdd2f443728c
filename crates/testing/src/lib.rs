//! What the tests of several crates share. No part of the program.
//!
//! * [`Random`]: seeded random numbers, so that every failure can be replayed from its seed.
//! * [`Scratch`]: a folder that is removed at the end.
//! * [`Browser`]: a headless Chromium that tests look at and type into.
//! * [`guarded`]: runs a test alone, under a time limit, and checks that it leaves no process behind.
//! * [`Running`]: a program that debuggers join.

mod browser;
mod guard;
mod random;
mod running;
mod scratch;

pub use browser::{Browser, Page, browser};
pub use guard::{children, guarded};
pub use random::Random;
pub use running::Running;
pub use scratch::Scratch;
