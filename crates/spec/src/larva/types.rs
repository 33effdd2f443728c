//! Java types, as far as the meaning of code depends on them.

use watchword_model::Span;

use super::tree::{Name, TypeName};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `int` and what is narrower: arithmetic wraps at 32 bits.
    Int,
    /// `long`.
    Long,
    /// `double` and `float`.
    Double,
    /// `boolean`.
    Bool,
    /// `String`.
    Text,
    /// Lists.
    List,
    /// Maps.
    Map,
    /// Nothing.
    Void,
    /// Any object.
    Object,
}

impl Ty {
    /// The type of that name.
    pub fn of(name: &TypeName) -> Ty {
        let last = name.name.rsplit('.').next().unwrap_or(&name.name);
        match last {
            "int" | "short" | "byte" | "char" | "Integer" | "Short" | "Byte" | "Character" => {
                Ty::Int
            }
            "long" | "Long" => Ty::Long,
            "double" | "float" | "Double" | "Float" => Ty::Double,
            "boolean" | "Boolean" => Ty::Bool,
            "String" => Ty::Text,
            "List" | "ArrayList" | "LinkedList" | "Vector" | "Collection" => Ty::List,
            "Map" | "HashMap" | "TreeMap" | "Hashtable" | "LinkedHashMap" => Ty::Map,
            "void" => Ty::Void,
            _ => Ty::Object,
        }
    }

    /// The name of the type in Watchword's language; objects have none, so that a trace may stand
    /// numbers or texts for them.
    pub fn name(self, span: Span) -> Option<Name> {
        let text = match self {
            Ty::Int | Ty::Long => "int",
            Ty::Double => "float",
            Ty::Bool => "bool",
            Ty::Text => "string",
            Ty::List => "list",
            Ty::Map => "map",
            Ty::Void | Ty::Object => return None,
        };
        Some(Name { text: text.to_string(), span })
    }

    /// The type of a sum.
    pub fn joined(self, other: Ty) -> Ty {
        match (self, other) {
            (Ty::Text, _) | (_, Ty::Text) => Ty::Text,
            (Ty::Double, _) | (_, Ty::Double) => Ty::Double,
            (Ty::Long, _) | (_, Ty::Long) => Ty::Long,
            (Ty::Int, Ty::Int) => Ty::Int,
            (a, b) if a == b => a,
            _ => Ty::Object,
        }
    }
}
