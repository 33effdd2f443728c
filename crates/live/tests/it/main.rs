//! The page in a real browser, and who gets it.

mod browser;
mod looks;
mod server;
mod support;
