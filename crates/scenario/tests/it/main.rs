//! Scenarios: what they mean, what is refused, and that nothing makes them panic.

mod fuzz;
mod machine;
mod pages;
mod parser;
