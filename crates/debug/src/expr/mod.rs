//! A small C-like expression language over the stopped program.
//!
//! Names, `arg 0`, `ret`, `$rax`, numbers, characters and texts; `* & - ! ~ sizeof`, `. -> []`, casts,
//! calls, arithmetic, comparisons, `&& ||` and `? :` with C's precedence; `object @ count`, `{type} address`,
//! `'file.c'::name` and `::name` as in GDB. Statements also have assignments, `++`, `--` and `,`.

mod parse;

pub use parse::{Expr, Object, Taken, escaped, parse, parse_list, parse_statement};

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
    Plus,
    SizeOf,
}
