//! The native language, `.ww`.

pub mod lexer;
pub mod lower;
pub mod ltl;
pub mod parser;
pub mod print;
pub mod starter;
pub mod tree;

use parser::UNITS;

/// A duration as people write it, in the largest unit that divides it.
pub(crate) fn duration_text(nanos: i64) -> String {
    let (unit, factor) = UNITS
        .iter()
        .rev()
        .find(|(_, factor)| nanos != 0 && nanos % factor == 0)
        .copied()
        .unwrap_or(("s", 1));
    format!("{} {unit}", nanos / factor)
}
