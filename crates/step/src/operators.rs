//! Operators and built-in functions of expressions.

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Logical negation.
    Not,
    /// Arithmetic negation.
    Neg,
    /// Bitwise negation.
    BitNot,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Sum of numbers; concatenation if one side is text.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient; of integers, rounded towards zero.
    Div,
    /// Remainder; has the sign of the dividend.
    Rem,
    /// Quotient rounded towards minus infinity.
    FloorDiv,
    /// Remainder with the sign of the divisor.
    FloorRem,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Shift left.
    Shl,
    /// Arithmetic shift right.
    Shr,
    /// The same value.
    Eq,
    /// Not the same value.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Binary {
    /// As property files write it; those that round down have no symbol there.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::FloorDiv => "//",
            Binary::FloorRem => "mod",
            Binary::BitAnd => "&",
            Binary::BitOr => "|",
            Binary::BitXor => "^",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
        }
    }
}

/// Built-in functions: pure, total but for *not relevant*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `len(x)`: elements of a list or map, characters of a text.
    Len,
    /// `get(x, k)`: the element; not relevant if there is none.
    Get,
    /// `put(x, k, v)`: the list or map with that element replaced or added.
    Put,
    /// `push(l, v)`: the list with `v` at its end.
    Push,
    /// `remove(x, k)`: the list or map without that element.
    Remove,
    /// `contains(x, v)`: an element of the list, a key of the map, a substring of the text.
    Contains,
    /// `keys(m)`: the keys of a map in order.
    Keys,
    /// `abs(n)`.
    Abs,
    /// `min(a, b)`.
    Min,
    /// `max(a, b)`.
    Max,
    /// `int(x)`: a number without its fraction, the number a text spells, the bits of an address.
    ToInt,
    /// `float(x)`.
    ToFloat,
    /// `string(x)`: as messages show it.
    ToStr,
    /// `starts_with(text, prefix)`.
    StartsWith,
    /// `ends_with(text, suffix)`.
    EndsWith,
    /// `lower(text)`.
    Lower,
    /// `upper(text)`.
    Upper,
    /// `matches(text, glob)`: `*` any run of characters, `?` one, `{a,b}` alternatives; anchored.
    /// Of a list: whether some text in it is like that.
    Matches,
    /// `wrap32(n)`: an integer wrapped to 32 bits, as Java's `int`.
    Wrap32,
}

impl Builtin {
    /// Every function with its name and number of arguments.
    pub const TABLE: [(Builtin, &'static str, usize); 19] = [
        (Builtin::Len, "len", 1),
        (Builtin::Get, "get", 2),
        (Builtin::Put, "put", 3),
        (Builtin::Push, "push", 2),
        (Builtin::Remove, "remove", 2),
        (Builtin::Contains, "contains", 2),
        (Builtin::Keys, "keys", 1),
        (Builtin::Abs, "abs", 1),
        (Builtin::Min, "min", 2),
        (Builtin::Max, "max", 2),
        (Builtin::ToInt, "int", 1),
        (Builtin::ToFloat, "float", 1),
        (Builtin::ToStr, "string", 1),
        (Builtin::StartsWith, "starts_with", 2),
        (Builtin::EndsWith, "ends_with", 2),
        (Builtin::Lower, "lower", 1),
        (Builtin::Upper, "upper", 1),
        (Builtin::Matches, "matches", 2),
        (Builtin::Wrap32, "wrap32", 1),
    ];
}
