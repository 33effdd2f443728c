//! The page in a real browser, and who gets it.

mod browser;
mod server;
mod support;
