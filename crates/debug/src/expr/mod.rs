//! A small C-like expression language over the stopped program.
//!
//! Names, `arg 0`, `ret`, `$rax`, numbers, characters and texts; `* & - ! ~ sizeof`, `. -> []`, casts,
//! calls, arithmetic, comparisons, `&& ||` and `? :` with C's precedence; `object @ count` as in GDB.

mod parse;

pub use parse::{Expr, Object, parse};

/// An operator with two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
pub enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
    /// `object @ count`: so many objects beside each other, as an array.
    Repeat,
}

/// An operator with one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
pub enum Unary {
    Dereference,
    AddressOf,
    Negate,
    Not,
    Complement,
    SizeOf,
}
