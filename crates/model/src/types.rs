//! Types of parameters, registers and variables.

use std::fmt;

/// The type of a value. `Any` is the type of a parameter without a declared one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Every value.
    Any,
    /// Truth values.
    Bool,
    /// 64-bit integers.
    Int,
    /// Floating-point numbers.
    Float,
    /// Text, compared by content.
    Str,
    /// Objects, compared by identity.
    Ref,
    /// Addresses.
    Ptr,
    /// Lists.
    List,
    /// Maps.
    Map,
    /// Lengths of time: integers, in nanoseconds. Only expressions and constants have this type;
    /// nothing that a property or a trace declares does.
    Duration,
}

impl Type {
    /// Every type that can be declared, in the order documentation lists them.
    pub const ALL: [Type; 9] = [
        Type::Any,
        Type::Bool,
        Type::Int,
        Type::Float,
        Type::Str,
        Type::Ref,
        Type::Ptr,
        Type::List,
        Type::Map,
    ];

    /// The name in property files.
    pub fn name(self) -> &'static str {
        match self {
            Type::Any => "any",
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Float => "float",
            Type::Str => "string",
            Type::Ref => "ref",
            Type::Ptr => "ptr",
            Type::List => "list",
            Type::Map => "map",
            Type::Duration => "duration",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Whether values of this type are numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Type::Int | Type::Float)
    }

    /// Whether some value may belong to both types.
    pub fn overlaps(self, other: Type) -> bool {
        self == other
            || self == Type::Any
            || other == Type::Any
            || (self.is_number() && other.is_number())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
