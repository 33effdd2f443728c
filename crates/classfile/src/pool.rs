//! The constant pool.

use crate::bytes::{Cursor, put_u2, put_u4};
use crate::error::{Error, Result};
use crate::jstr::JStr;

/// Tag bytes of constant-pool entries.
pub mod tag {
    #![allow(missing_docs, reason = "the names are those of the JVM specification")]
    pub const UTF8: u8 = 1;
    pub const INTEGER: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const LONG: u8 = 5;
    pub const DOUBLE: u8 = 6;
    pub const CLASS: u8 = 7;
    pub const STRING: u8 = 8;
    pub const FIELDREF: u8 = 9;
    pub const METHODREF: u8 = 10;
    pub const INTERFACE_METHODREF: u8 = 11;
    pub const NAME_AND_TYPE: u8 = 12;
    pub const METHOD_HANDLE: u8 = 15;
    pub const METHOD_TYPE: u8 = 16;
    pub const DYNAMIC: u8 = 17;
    pub const INVOKE_DYNAMIC: u8 = 18;
    pub const MODULE: u8 = 19;
    pub const PACKAGE: u8 = 20;
}

/// One constant-pool entry, its indices not followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "fields are named as in the JVM specification")]
pub enum Constant<'a> {
    Utf8(JStr<'a>),
    Integer(i32),
    /// The bits of a float, so that every NaN survives.
    Float(u32),
    Long(i64),
    /// The bits of a double.
    Double(u64),
    Class {
        name: u16,
    },
    String {
        utf8: u16,
    },
    FieldRef {
        class: u16,
        name_and_type: u16,
    },
    MethodRef {
        class: u16,
        name_and_type: u16,
    },
    InterfaceMethodRef {
        class: u16,
        name_and_type: u16,
    },
    NameAndType {
        name: u16,
        descriptor: u16,
    },
    MethodHandle {
        kind: u8,
        reference: u16,
    },
    MethodType {
        descriptor: u16,
    },
    Dynamic {
        bootstrap: u16,
        name_and_type: u16,
    },
    InvokeDynamic {
        bootstrap: u16,
        name_and_type: u16,
    },
    Module {
        name: u16,
    },
    Package {
        name: u16,
    },
}

impl<'a> Constant<'a> {
    /// The tag byte that announces this entry.
    pub fn tag(&self) -> u8 {
        match self {
            Constant::Utf8(_) => tag::UTF8,
            Constant::Integer(_) => tag::INTEGER,
            Constant::Float(_) => tag::FLOAT,
            Constant::Long(_) => tag::LONG,
            Constant::Double(_) => tag::DOUBLE,
            Constant::Class { .. } => tag::CLASS,
            Constant::String { .. } => tag::STRING,
            Constant::FieldRef { .. } => tag::FIELDREF,
            Constant::MethodRef { .. } => tag::METHODREF,
            Constant::InterfaceMethodRef { .. } => tag::INTERFACE_METHODREF,
            Constant::NameAndType { .. } => tag::NAME_AND_TYPE,
            Constant::MethodHandle { .. } => tag::METHOD_HANDLE,
            Constant::MethodType { .. } => tag::METHOD_TYPE,
            Constant::Dynamic { .. } => tag::DYNAMIC,
            Constant::InvokeDynamic { .. } => tag::INVOKE_DYNAMIC,
            Constant::Module { .. } => tag::MODULE,
            Constant::Package { .. } => tag::PACKAGE,
        }
    }

    /// Whether the entry takes two indices, as `Long` and `Double` do.
    pub fn is_wide(&self) -> bool {
        matches!(self, Constant::Long(_) | Constant::Double(_))
    }

    /// What the entry is called in messages.
    pub fn kind_name(&self) -> &'static str {
        tag_name(self.tag()).unwrap_or("unknown")
    }

    /// Appends the entry as it stands in a class file.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        out.push(self.tag());
        match *self {
            Constant::Utf8(text) => {
                let bytes = text.as_bytes();
                let len = u16::try_from(bytes.len()).map_err(|_| {
                    Error::limit(format!("a string of {} bytes, over 65535", bytes.len()))
                })?;
                put_u2(out, len);
                out.extend_from_slice(bytes);
            }
            Constant::Integer(value) => put_u4(out, value as u32),
            Constant::Float(bits) => put_u4(out, bits),
            Constant::Long(value) => out.extend_from_slice(&value.to_be_bytes()),
            Constant::Double(bits) => out.extend_from_slice(&bits.to_be_bytes()),
            Constant::Class { name: index }
            | Constant::String { utf8: index }
            | Constant::MethodType { descriptor: index }
            | Constant::Module { name: index }
            | Constant::Package { name: index } => put_u2(out, index),
            Constant::FieldRef { class: a, name_and_type: b }
            | Constant::MethodRef { class: a, name_and_type: b }
            | Constant::InterfaceMethodRef { class: a, name_and_type: b }
            | Constant::NameAndType { name: a, descriptor: b }
            | Constant::Dynamic { bootstrap: a, name_and_type: b }
            | Constant::InvokeDynamic { bootstrap: a, name_and_type: b } => {
                put_u2(out, a);
                put_u2(out, b);
            }
            Constant::MethodHandle { kind, reference } => {
                out.push(kind);
                put_u2(out, reference);
            }
        }
        Ok(())
    }

    /// Reads the entry at the start of `entry`, which has been measured before.
    pub(crate) fn decode(entry: &'a [u8], offset: usize) -> Result<Constant<'a>> {
        const WHAT: &str = "a constant-pool entry";
        let mut c = Cursor::new(entry, offset);
        Ok(match c.u1(WHAT)? {
            tag::UTF8 => {
                let len = c.u2(WHAT)?;
                Constant::Utf8(JStr::new(c.take(len.into(), WHAT)?))
            }
            tag::INTEGER => Constant::Integer(c.u4(WHAT)? as i32),
            tag::FLOAT => Constant::Float(c.u4(WHAT)?),
            tag::LONG => {
                Constant::Long((u64::from(c.u4(WHAT)?) << 32 | u64::from(c.u4(WHAT)?)) as i64)
            }
            tag::DOUBLE => Constant::Double(u64::from(c.u4(WHAT)?) << 32 | u64::from(c.u4(WHAT)?)),
            tag::CLASS => Constant::Class { name: c.u2(WHAT)? },
            tag::STRING => Constant::String { utf8: c.u2(WHAT)? },
            tag::FIELDREF => Constant::FieldRef { class: c.u2(WHAT)?, name_and_type: c.u2(WHAT)? },
            tag::METHODREF => {
                Constant::MethodRef { class: c.u2(WHAT)?, name_and_type: c.u2(WHAT)? }
            }
            tag::INTERFACE_METHODREF => {
                Constant::InterfaceMethodRef { class: c.u2(WHAT)?, name_and_type: c.u2(WHAT)? }
            }
            tag::NAME_AND_TYPE => {
                Constant::NameAndType { name: c.u2(WHAT)?, descriptor: c.u2(WHAT)? }
            }
            tag::METHOD_HANDLE => {
                Constant::MethodHandle { kind: c.u1(WHAT)?, reference: c.u2(WHAT)? }
            }
            tag::METHOD_TYPE => Constant::MethodType { descriptor: c.u2(WHAT)? },
            tag::DYNAMIC => {
                Constant::Dynamic { bootstrap: c.u2(WHAT)?, name_and_type: c.u2(WHAT)? }
            }
            tag::INVOKE_DYNAMIC => {
                Constant::InvokeDynamic { bootstrap: c.u2(WHAT)?, name_and_type: c.u2(WHAT)? }
            }
            tag::MODULE => Constant::Module { name: c.u2(WHAT)? },
            tag::PACKAGE => Constant::Package { name: c.u2(WHAT)? },
            other => return Err(bad_tag(offset, other)),
        })
    }
}

#[cold]
fn bad_tag(offset: usize, found: u8) -> Error {
    Error::malformed(offset, format!("expected a constant-pool tag, found {found}"))
}

fn tag_name(tag: u8) -> Option<&'static str> {
    Some(match tag {
        tag::UTF8 => "Utf8",
        tag::INTEGER => "Integer",
        tag::FLOAT => "Float",
        tag::LONG => "Long",
        tag::DOUBLE => "Double",
        tag::CLASS => "Class",
        tag::STRING => "String",
        tag::FIELDREF => "Fieldref",
        tag::METHODREF => "Methodref",
        tag::INTERFACE_METHODREF => "InterfaceMethodref",
        tag::NAME_AND_TYPE => "NameAndType",
        tag::METHOD_HANDLE => "MethodHandle",
        tag::METHOD_TYPE => "MethodType",
        tag::DYNAMIC => "Dynamic",
        tag::INVOKE_DYNAMIC => "InvokeDynamic",
        tag::MODULE => "Module",
        tag::PACKAGE => "Package",
        _ => return None,
    })
}

/// Size of an entry by tag, tag included; 0 for no such tag, 3 for `Utf8` plus its bytes.
const SIZES: [u8; 21] = [0, 3, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3];

/// A field or method as an instruction names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemberName<'a> {
    /// Internal name of the class the reference goes through; an array descriptor for `clone()`.
    pub class: JStr<'a>,
    /// Member name.
    pub name: JStr<'a>,
    /// Field or method descriptor.
    pub descriptor: JStr<'a>,
    /// Whether the reference is an `InterfaceMethodref`.
    pub interface: bool,
}

/// Anything that resolves constant-pool indices: a class's own pool, or one being extended by a
/// [`PoolEditor`](crate::PoolEditor).
pub trait Constants<'p> {
    /// The entry at `index`; index 0 and the second half of wide entries are errors.
    fn constant(&self, index: u16) -> Result<Constant<'p>>;

    /// Where the entry at `index` stands in the input, for messages.
    fn constant_offset(&self, index: u16) -> usize;

    /// The error for an entry of another kind than was needed.
    #[cold]
    fn mismatch(&self, index: u16, expected: &str, found: Constant<'_>) -> Error {
        Error::malformed(
            self.constant_offset(index),
            format!("expected constant {index} to be {expected}, found {}", found.kind_name()),
        )
    }

    /// The string at `index`.
    fn utf8(&self, index: u16) -> Result<JStr<'p>> {
        match self.constant(index)? {
            Constant::Utf8(text) => Ok(text),
            other => Err(self.mismatch(index, "a Utf8", other)),
        }
    }

    /// The internal name (`java/lang/Object`, `[I`) of the `Class` entry at `index`.
    fn class_name(&self, index: u16) -> Result<JStr<'p>> {
        match self.constant(index)? {
            Constant::Class { name } => self.utf8(name),
            other => Err(self.mismatch(index, "a Class", other)),
        }
    }

    /// Like [`class_name`](Constants::class_name), with index 0 meaning “none”.
    fn optional_class_name(&self, index: u16) -> Result<Option<JStr<'p>>> {
        if index == 0 { Ok(None) } else { self.class_name(index).map(Some) }
    }

    /// Name and descriptor of the `NameAndType` entry at `index`.
    fn name_and_type(&self, index: u16) -> Result<(JStr<'p>, JStr<'p>)> {
        match self.constant(index)? {
            Constant::NameAndType { name, descriptor } => {
                Ok((self.utf8(name)?, self.utf8(descriptor)?))
            }
            other => Err(self.mismatch(index, "a NameAndType", other)),
        }
    }

    /// The field or method reference at `index`.
    fn member(&self, index: u16) -> Result<MemberName<'p>> {
        let (class, name_and_type, interface) = match self.constant(index)? {
            Constant::FieldRef { class, name_and_type }
            | Constant::MethodRef { class, name_and_type } => (class, name_and_type, false),
            Constant::InterfaceMethodRef { class, name_and_type } => (class, name_and_type, true),
            other => return Err(self.mismatch(index, "a field or method reference", other)),
        };
        let (name, descriptor) = self.name_and_type(name_and_type)?;
        Ok(MemberName { class: self.class_name(class)?, name, descriptor, interface })
    }

    /// Name and descriptor of a `Dynamic` or `InvokeDynamic` entry, with its bootstrap-method
    /// index.
    fn dynamic(&self, index: u16) -> Result<(u16, JStr<'p>, JStr<'p>)> {
        match self.constant(index)? {
            Constant::Dynamic { bootstrap, name_and_type }
            | Constant::InvokeDynamic { bootstrap, name_and_type } => {
                let (name, descriptor) = self.name_and_type(name_and_type)?;
                Ok((bootstrap, name, descriptor))
            }
            other => Err(self.mismatch(index, "a Dynamic or InvokeDynamic", other)),
        }
    }

    /// Name and descriptor behind the operand of any invoke instruction.
    fn invoked(&self, index: u16) -> Result<(JStr<'p>, JStr<'p>)> {
        match self.constant(index)? {
            Constant::MethodRef { name_and_type, .. }
            | Constant::InterfaceMethodRef { name_and_type, .. }
            | Constant::InvokeDynamic { name_and_type, .. } => self.name_and_type(name_and_type),
            other => Err(self.mismatch(index, "a method reference or call site", other)),
        }
    }

    /// Name of the `Module` entry at `index`.
    fn module_name(&self, index: u16) -> Result<JStr<'p>> {
        match self.constant(index)? {
            Constant::Module { name } => self.utf8(name),
            other => Err(self.mismatch(index, "a Module", other)),
        }
    }

    /// Name of the `Package` entry at `index`.
    fn package_name(&self, index: u16) -> Result<JStr<'p>> {
        match self.constant(index)? {
            Constant::Package { name } => self.utf8(name),
            other => Err(self.mismatch(index, "a Package", other)),
        }
    }
}

/// The constant pool of a parsed class.
///
/// Entries are found by one offset each and decoded when asked for; see [`Constants`] for the
/// look-ups.
#[derive(Clone)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    /// Offset of each entry's tag; 0 where there is no entry.
    offsets: Vec<u32>,
}

impl<'a> ConstantPool<'a> {
    /// An empty pool, for classes made from nothing.
    pub(crate) fn empty() -> ConstantPool<'a> {
        ConstantPool { bytes: &[], offsets: vec![0] }
    }

    /// Reads the pool that starts (with its count) at `start` of the class file `bytes`; also
    /// returns where it ends.
    pub(crate) fn parse(bytes: &'a [u8], start: usize) -> Result<(ConstantPool<'a>, usize)> {
        let short = |pos: usize| {
            let pos = pos.min(bytes.len());
            Error::malformed(pos, "expected a constant-pool entry, but the input ends in it")
        };
        let count: [u8; 2] = bytes
            .get(start..)
            .and_then(|b| b.first_chunk().copied())
            .ok_or_else(|| Error::malformed(start, "expected the constant-pool count"))?;
        let count = usize::from(u16::from_be_bytes(count));
        if count == 0 {
            return Err(Error::malformed(start, "expected a constant-pool count of at least 1"));
        }
        // An entry takes at least three bytes for one index (or nine for two).
        if count - 1 > (bytes.len() - start) / 3 {
            return Err(Error::malformed(
                start,
                format!("expected {} constants, but the input is too short for them", count - 1),
            ));
        }
        let mut offsets = vec![0u32; count];
        let mut pos = start + 2;
        let mut index = 1;
        while index < count {
            let Some(&tag) = bytes.get(pos) else { return Err(short(pos)) };
            let mut size = usize::from(*SIZES.get(usize::from(tag)).unwrap_or(&0));
            if tag == tag::UTF8 {
                let Some(&[hi, lo]) = bytes.get(pos + 1..).and_then(|b| b.first_chunk()) else {
                    return Err(short(pos));
                };
                size += usize::from(u16::from_be_bytes([hi, lo]));
            } else if size == 0 {
                return Err(bad_tag(pos, tag));
            }
            offsets[index] = pos as u32;
            pos += size;
            index += if tag == tag::LONG || tag == tag::DOUBLE { 2 } else { 1 };
        }
        if index > count {
            return Err(Error::malformed(
                pos,
                "expected a free index after a Long or Double, but the pool is full",
            ));
        }
        if pos > bytes.len() {
            return Err(short(pos));
        }
        Ok((ConstantPool { bytes, offsets }, pos))
    }

    /// The pool's count as stored: one more than the highest index.
    pub fn count(&self) -> u16 {
        self.offsets.len() as u16
    }

    /// All entries with their indices, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u16, Constant<'a>)> + '_ {
        (1..self.count()).filter_map(|index| Some((index, self.constant(index).ok()?)))
    }

    /// The raw bytes of the entry at `index`, tag included.
    pub(crate) fn raw(&self, index: u16) -> Option<&'a [u8]> {
        let start = *self.offsets.get(usize::from(index))? as usize;
        if start == 0 {
            return None;
        }
        let entry = &self.bytes[start..];
        let mut size = usize::from(SIZES[usize::from(entry[0])]);
        if entry[0] == tag::UTF8 {
            size += usize::from(u16::from_be_bytes([entry[1], entry[2]]));
        }
        Some(&entry[..size])
    }
}

impl<'a> Constants<'a> for ConstantPool<'a> {
    #[inline]
    fn constant(&self, index: u16) -> Result<Constant<'a>> {
        match self.offsets.get(usize::from(index)) {
            Some(&start) if start != 0 => {
                Constant::decode(&self.bytes[start as usize..], start as usize)
            }
            _ => Err(no_constant(index, self.offsets.len())),
        }
    }

    fn constant_offset(&self, index: u16) -> usize {
        self.offsets.get(usize::from(index)).map_or(0, |o| *o as usize)
    }
}

#[cold]
pub(crate) fn no_constant(index: u16, count: usize) -> Error {
    Error::malformed(
        8,
        format!("expected an index into the constant pool (count {count}), found {index}"),
    )
}
