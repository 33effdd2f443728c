//! Field and method descriptors.

use std::fmt;

use crate::error::{Error, Result};
use crate::jstr::JStr;

/// How the JVM computes with a value: the type letters of the opcode table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `boolean`, `byte`, `char`, `short`, `int`.
    Int,
    /// `long`, two slots.
    Long,
    /// `float`.
    Float,
    /// `double`, two slots.
    Double,
    /// A reference.
    Reference,
    /// Return address of `jsr`.
    Address,
}

impl Kind {
    /// Stack or local slots of such a value.
    pub const fn slots(self) -> u16 {
        match self {
            Kind::Long | Kind::Double => 2,
            _ => 1,
        }
    }

    /// The kind behind a letter of the opcode table.
    pub const fn of_letter(letter: u8) -> Option<Kind> {
        Some(match letter {
            b'I' => Kind::Int,
            b'J' => Kind::Long,
            b'F' => Kind::Float,
            b'D' => Kind::Double,
            b'A' => Kind::Reference,
            b'R' => Kind::Address,
            _ => return None,
        })
    }

    /// The letter used in the opcode table.
    pub const fn letter(self) -> char {
        match self {
            Kind::Int => 'I',
            Kind::Long => 'J',
            Kind::Float => 'F',
            Kind::Double => 'D',
            Kind::Reference => 'A',
            Kind::Address => 'R',
        }
    }
}

/// A field type. Its text is the whole descriptor (`I`, `Ljava/lang/String;`, `[[J`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldType<'a>(&'a [u8]);

impl<'a> FieldType<'a> {
    /// Parses a descriptor that is one field type.
    pub fn parse(descriptor: JStr<'a>) -> Result<FieldType<'a>> {
        match split(descriptor.as_bytes()) {
            Some((first, [])) => Ok(FieldType(first)),
            _ => Err(bad("field", descriptor)),
        }
    }

    /// The descriptor.
    pub fn descriptor(self) -> JStr<'a> {
        JStr::new(self.0)
    }

    /// How the JVM computes with such a value.
    pub fn kind(self) -> Kind {
        match self.0[0] {
            b'J' => Kind::Long,
            b'F' => Kind::Float,
            b'D' => Kind::Double,
            b'L' | b'[' => Kind::Reference,
            _ => Kind::Int,
        }
    }

    /// Slots of such a value.
    pub fn slots(self) -> u16 {
        self.kind().slots()
    }

    /// Number of array dimensions.
    pub fn dimensions(self) -> usize {
        self.0.iter().take_while(|b| **b == b'[').count()
    }

    /// Type of the elements, for arrays.
    pub fn element(self) -> Option<FieldType<'a>> {
        match self.0 {
            [b'[', rest @ ..] => Some(FieldType(rest)),
            _ => None,
        }
    }

    /// The name a `Class` constant for this type holds: `java/lang/String`, `[I`; `None` for
    /// primitive types.
    pub fn class_name(self) -> Option<JStr<'a>> {
        match self.0 {
            [b'L', name @ .., b';'] => Some(JStr::new(name)),
            [b'[', ..] => Some(JStr::new(self.0)),
            _ => None,
        }
    }
}

impl fmt::Debug for FieldType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&JStr::new(self.0), f)
    }
}

/// Prints the type as Java source does: `java.lang.String[]`.
impl fmt::Display for FieldType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dimensions = self.dimensions();
        match &self.0[dimensions..] {
            b"B" => f.write_str("byte")?,
            b"C" => f.write_str("char")?,
            b"D" => f.write_str("double")?,
            b"F" => f.write_str("float")?,
            b"I" => f.write_str("int")?,
            b"J" => f.write_str("long")?,
            b"S" => f.write_str("short")?,
            b"Z" => f.write_str("boolean")?,
            [_, name @ .., _] => f.write_str(&JStr::new(name).to_str().replace('/', "."))?,
            _ => {}
        }
        (0..dimensions).try_for_each(|_| f.write_str("[]"))
    }
}

/// Splits the first field type off.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let dimensions = bytes.iter().take_while(|b| **b == b'[').count();
    if dimensions > 255 {
        return None;
    }
    let len = match bytes.get(dimensions)? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => 1,
        b'L' => {
            let name = &bytes[dimensions + 1..];
            let end = name.iter().position(|b| matches!(b, b';' | b'.' | b'['))?;
            if end == 0 || name[end] != b';' {
                return None;
            }
            end + 2
        }
        _ => return None,
    };
    Some(bytes.split_at(dimensions + len))
}

#[cold]
fn bad(what: &str, descriptor: JStr<'_>) -> Error {
    Error::malformed_value(format!("expected a {what} descriptor, found {descriptor:?}"))
}

/// A parsed method descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MethodDescriptor<'a> {
    parameters: &'a [u8],
    result: Option<FieldType<'a>>,
    slots: u16,
}

impl<'a> MethodDescriptor<'a> {
    /// Parses a method descriptor.
    pub fn parse(descriptor: JStr<'a>) -> Result<MethodDescriptor<'a>> {
        Self::of_bytes(descriptor.as_bytes()).ok_or_else(|| bad("method", descriptor))
    }

    fn of_bytes(bytes: &'a [u8]) -> Option<MethodDescriptor<'a>> {
        let [b'(', inside @ ..] = bytes else { return None };
        let (mut rest, mut slots) = (inside, 0u16);
        while *rest.first()? != b')' {
            let (first, after) = split(rest)?;
            slots = slots.checked_add(FieldType(first).slots())?;
            rest = after;
        }
        let parameters = &inside[..inside.len() - rest.len()];
        let result = match &rest[1..] {
            b"V" => None,
            result => match split(result)? {
                (first, []) => Some(FieldType(first)),
                _ => return None,
            },
        };
        Some(MethodDescriptor { parameters, result, slots })
    }

    /// Parameter types, in order.
    pub fn parameters(self) -> impl Iterator<Item = FieldType<'a>> {
        let mut rest = self.parameters;
        std::iter::from_fn(move || {
            let (first, after) = split(rest)?;
            rest = after;
            Some(FieldType(first))
        })
    }

    /// Slots of the parameters, the receiver not counted.
    pub fn parameter_slots(self) -> u16 {
        self.slots
    }

    /// Result type; `None` for `void`.
    pub fn result(self) -> Option<FieldType<'a>> {
        self.result
    }
}

impl fmt::Debug for MethodDescriptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.result.map_or(JStr::new(b"V"), FieldType::descriptor);
        write!(f, "({}){result}", JStr::new(self.parameters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(text: &str) -> Result<MethodDescriptor<'_>> {
        MethodDescriptor::parse(JStr::new(text.as_bytes()))
    }

    #[test]
    fn parameters_and_slots() {
        let m = method("(IJ[[DLjava/lang/String;)Z").unwrap();
        let types: Vec<String> = m.parameters().map(|p| p.to_string()).collect();
        assert_eq!(types, ["int", "long", "double[][]", "java.lang.String"]);
        assert_eq!(m.parameter_slots(), 5);
        assert_eq!(m.result().unwrap().kind(), Kind::Int);
        assert_eq!(method("()V").unwrap().result(), None);
        assert_eq!(format!("{m:?}"), "(IJ[[DLjava/lang/String;)Z");
    }

    #[test]
    fn malformed_descriptors_are_errors() {
        for text in
            ["", "(", "()", "(V)V", "()VV", "(L;)V", "(Lx)V", "([)V", "I", "(I)[", "()Lx.y;"]
        {
            assert!(method(text).is_err(), "{text}");
        }
        let deep = format!("({}I)V", "[".repeat(256));
        assert!(method(&deep).is_err());
        assert!(FieldType::parse(JStr::new(b"II")).is_err());
    }
}
