//! The subset of Python that blocks and companion functions are written in.

pub mod flow;
mod format;
mod lexer;
pub mod lower;
mod parser;
pub mod tree;

pub use parser::{parse_block, parse_module};
