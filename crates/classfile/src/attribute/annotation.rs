//! Annotations, parameter annotations, type annotations and annotation defaults.

use crate::bytes::{Cursor, put_count, put_u2};
use crate::error::{Error, Result};

/// Annotations nested deeper than this are refused; compilers stay far below.
pub const MAX_NESTING: usize = 64;

/// An annotation: its type and its element values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// `Utf8` index of the annotation's type descriptor.
    pub kind: u16,
    /// `Utf8` index of each element's name, and its value.
    pub elements: Vec<(u16, ElementValue)>,
}

/// The value of an annotation element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ElementValue {
    /// A primitive (`B C D F I J S Z`) or string (`s`): tag and constant index.
    Const(u8, u16),
    /// An enum constant: `Utf8` indices of its type and name.
    Enum(u16, u16),
    /// A class literal: `Utf8` index of its descriptor.
    Class(u16),
    /// A nested annotation.
    Annotation(Annotation),
    /// An array of values.
    Array(Vec<ElementValue>),
}

impl Annotation {
    fn parse(c: &mut Cursor<'_>, depth: usize) -> Result<Annotation> {
        const WHAT: &str = "an annotation";
        let kind = c.u2(WHAT)?;
        let count = c.u2(WHAT)?;
        let mut elements = Vec::new();
        for _ in 0..count {
            let name = c.u2(WHAT)?;
            elements.push((name, ElementValue::parse(c, depth)?));
        }
        Ok(Annotation { kind, elements })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_u2(out, self.kind);
        put_count(out, self.elements.len(), "annotation elements")?;
        for (name, value) in &self.elements {
            put_u2(out, *name);
            value.write(out)?;
        }
        Ok(())
    }
}

impl ElementValue {
    pub(crate) fn parse(c: &mut Cursor<'_>, depth: usize) -> Result<ElementValue> {
        const WHAT: &str = "an element value";
        if depth >= MAX_NESTING {
            return Err(Error::limit(format!("annotations nested over {MAX_NESTING} deep")));
        }
        let at = c.offset();
        Ok(match c.u1(WHAT)? {
            tag @ (b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's') => {
                ElementValue::Const(tag, c.u2(WHAT)?)
            }
            b'e' => ElementValue::Enum(c.u2(WHAT)?, c.u2(WHAT)?),
            b'c' => ElementValue::Class(c.u2(WHAT)?),
            b'@' => ElementValue::Annotation(Annotation::parse(c, depth + 1)?),
            b'[' => {
                let count = c.u2(WHAT)?;
                let mut values = Vec::new();
                for _ in 0..count {
                    values.push(ElementValue::parse(c, depth + 1)?);
                }
                ElementValue::Array(values)
            }
            other => {
                return Err(Error::malformed(
                    at,
                    format!("expected an element-value tag, found {other}"),
                ));
            }
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            ElementValue::Const(tag, index) => {
                out.push(*tag);
                put_u2(out, *index);
            }
            ElementValue::Enum(kind, name) => {
                out.push(b'e');
                put_u2(out, *kind);
                put_u2(out, *name);
            }
            ElementValue::Class(index) => {
                out.push(b'c');
                put_u2(out, *index);
            }
            ElementValue::Annotation(annotation) => {
                out.push(b'@');
                annotation.write(out)?;
            }
            ElementValue::Array(values) => {
                out.push(b'[');
                put_count(out, values.len(), "element values")?;
                for value in values {
                    value.write(out)?;
                }
            }
        }
        Ok(())
    }
}

/// What a type annotation applies to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeTarget {
    /// Type parameter number (targets 0x00, 0x01).
    TypeParameter(u8),
    /// Superclass (65535) or interface number (0x10).
    Supertype(u16),
    /// Bound of a type parameter: parameter and bound number (0x11, 0x12).
    Bound(u8, u8),
    /// Field, return or receiver type (0x13 to 0x15).
    Empty,
    /// Formal parameter number (0x16).
    FormalParameter(u8),
    /// Exception number of the `throws` clause (0x17).
    Throws(u16),
    /// Ranges of a local variable: start, length, slot (0x40, 0x41).
    Locals(Vec<(u16, u16, u16)>),
    /// Exception-table row (0x42).
    Catch(u16),
    /// Offset of an instruction (0x43 to 0x46).
    Offset(u16),
    /// Offset of an instruction and a type-argument number (0x47 to 0x4b).
    Argument(u16, u8),
}

/// An annotation on a use of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeAnnotation {
    /// `target_type` byte, which tells targets of the same shape apart.
    pub target_type: u8,
    /// What is annotated.
    pub target: TypeTarget,
    /// Steps into the type: kind and type-argument number.
    pub path: Vec<(u8, u8)>,
    /// The annotation.
    pub annotation: Annotation,
}

impl TypeAnnotation {
    fn parse(c: &mut Cursor<'_>) -> Result<TypeAnnotation> {
        const WHAT: &str = "a type annotation";
        let at = c.offset();
        let target_type = c.u1(WHAT)?;
        let target = match target_type {
            0x00 | 0x01 => TypeTarget::TypeParameter(c.u1(WHAT)?),
            0x10 => TypeTarget::Supertype(c.u2(WHAT)?),
            0x11 | 0x12 => TypeTarget::Bound(c.u1(WHAT)?, c.u1(WHAT)?),
            0x13..=0x15 => TypeTarget::Empty,
            0x16 => TypeTarget::FormalParameter(c.u1(WHAT)?),
            0x17 => TypeTarget::Throws(c.u2(WHAT)?),
            0x40 | 0x41 => {
                let count = c.u2(WHAT)?;
                let mut ranges = Vec::new();
                for _ in 0..count {
                    ranges.push((c.u2(WHAT)?, c.u2(WHAT)?, c.u2(WHAT)?));
                }
                TypeTarget::Locals(ranges)
            }
            0x42 => TypeTarget::Catch(c.u2(WHAT)?),
            0x43..=0x46 => TypeTarget::Offset(c.u2(WHAT)?),
            0x47..=0x4b => TypeTarget::Argument(c.u2(WHAT)?, c.u1(WHAT)?),
            other => {
                return Err(Error::malformed(
                    at,
                    format!("expected a type-annotation target, found {other:#04x}"),
                ));
            }
        };
        let steps = c.u1(WHAT)?;
        let mut path = Vec::new();
        for _ in 0..steps {
            path.push((c.u1(WHAT)?, c.u1(WHAT)?));
        }
        Ok(TypeAnnotation { target_type, target, path, annotation: Annotation::parse(c, 0)? })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.push(self.target_type);
        match &self.target {
            TypeTarget::Empty => {}
            TypeTarget::TypeParameter(a) | TypeTarget::FormalParameter(a) => out.push(*a),
            TypeTarget::Bound(a, b) => out.extend([*a, *b]),
            TypeTarget::Supertype(a)
            | TypeTarget::Throws(a)
            | TypeTarget::Catch(a)
            | TypeTarget::Offset(a) => put_u2(out, *a),
            TypeTarget::Argument(a, b) => {
                put_u2(out, *a);
                out.push(*b);
            }
            TypeTarget::Locals(ranges) => {
                put_count(out, ranges.len(), "local-variable ranges")?;
                for (start, length, slot) in ranges {
                    put_u2(out, *start);
                    put_u2(out, *length);
                    put_u2(out, *slot);
                }
            }
        }
        out.push(self.path.len() as u8);
        self.path.iter().for_each(|(kind, argument)| out.extend([*kind, *argument]));
        self.annotation.write(out)
    }
}

pub(crate) fn parse_annotations(c: &mut Cursor<'_>) -> Result<Vec<Annotation>> {
    let count = c.u2("an annotation count")?;
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(Annotation::parse(c, 0)?);
    }
    Ok(list)
}

/// Writes the contents of a `Runtime(In)VisibleAnnotations` attribute.
pub fn write_annotations(list: &[Annotation], out: &mut Vec<u8>) -> Result<()> {
    put_count(out, list.len(), "annotations")?;
    list.iter().try_for_each(|annotation| annotation.write(out))
}

pub(crate) fn parse_parameter_annotations(c: &mut Cursor<'_>) -> Result<Vec<Vec<Annotation>>> {
    let count = c.u1("a parameter count")?;
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(parse_annotations(c)?);
    }
    Ok(list)
}

pub(crate) fn write_parameter_annotations(
    list: &[Vec<Annotation>],
    out: &mut Vec<u8>,
) -> Result<()> {
    out.push(list.len() as u8);
    list.iter().try_for_each(|annotations| write_annotations(annotations, out))
}

pub(crate) fn parse_type_annotations(c: &mut Cursor<'_>) -> Result<Vec<TypeAnnotation>> {
    let count = c.u2("a type-annotation count")?;
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(TypeAnnotation::parse(c)?);
    }
    Ok(list)
}

/// Writes the contents of a `Runtime(In)VisibleTypeAnnotations` attribute.
pub fn write_type_annotations(list: &[TypeAnnotation], out: &mut Vec<u8>) -> Result<()> {
    put_count(out, list.len(), "type annotations")?;
    list.iter().try_for_each(|annotation| annotation.write(out))
}
