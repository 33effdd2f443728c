//! The class file as a whole.

use std::fmt;
use std::ops::Range;

use crate::attribute::{Attribute, BootstrapMethod, Code, Decoded, Index, Table};
use crate::bytes::{Cursor, put_count, put_u2, put_u4};
use crate::descriptor::{FieldType, MethodDescriptor};
use crate::error::{Error, Result};
use crate::jstr::JStr;
use crate::pool::{ConstantPool, Constants};

/// Access and property flags of classes, fields and methods.
pub mod access {
    #![allow(missing_docs, reason = "the names are those of the JVM specification")]
    pub const PUBLIC: u16 = 0x0001;
    pub const PRIVATE: u16 = 0x0002;
    pub const PROTECTED: u16 = 0x0004;
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    pub const SYNCHRONIZED: u16 = 0x0020;
    pub const SUPER: u16 = 0x0020;
    pub const VOLATILE: u16 = 0x0040;
    pub const BRIDGE: u16 = 0x0040;
    pub const TRANSIENT: u16 = 0x0080;
    pub const VARARGS: u16 = 0x0080;
    pub const NATIVE: u16 = 0x0100;
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    pub const STRICT: u16 = 0x0800;
    pub const SYNTHETIC: u16 = 0x1000;
    pub const ANNOTATION: u16 = 0x2000;
    pub const ENUM: u16 = 0x4000;
    pub const MODULE: u16 = 0x8000;
}

/// The magic number of class files.
pub const MAGIC: u32 = 0xCAFE_BABE;

/// Attributes hold attributes (`Code`, `Record`) two deep in real class files; a hostile one may go
/// on.
pub(crate) const MAX_ATTRIBUTE_DEPTH: usize = 8;

/// A parsed class file, borrowing its bytes.
///
/// Parsing checks the structure — every length, count and tag — and finds each piece; what the
/// pieces mean (indices, descriptors, attribute contents) is decoded, and checked, when asked for.
#[derive(Clone)]
pub struct ClassFile<'a> {
    /// Minor version.
    pub minor: u16,
    /// Major version: 45 for JDK 1.1, 52 for Java 8, 69 for Java 25.
    pub major: u16,
    /// Access flags, see [`access`].
    pub access: u16,
    /// `Class` index of this class.
    pub this_class: u16,
    /// `Class` index of the superclass; 0 for `java/lang/Object` and modules.
    pub super_class: u16,
    pool: ConstantPool<'a>,
    interfaces: Table<'a, Index>,
    fields: Vec<RawMember>,
    methods: Vec<RawMember>,
    /// Attributes of all fields, then all methods, then the class.
    attributes: Vec<Attribute<'a>>,
    class_attributes: Range<u32>,
}

#[derive(Clone)]
struct RawMember {
    access: u16,
    name: u16,
    descriptor: u16,
    attributes: Range<u32>,
}

/// A field or method of a class.
#[derive(Clone, Copy)]
pub struct Member<'c, 'a> {
    class: &'c ClassFile<'a>,
    raw: &'c RawMember,
    index: usize,
}

impl<'a> ClassFile<'a> {
    /// Parses a class file; the input must end where the class does.
    pub fn parse(bytes: &'a [u8]) -> Result<ClassFile<'a>> {
        if bytes.len() > i32::MAX as usize {
            return Err(Error::limit("a class file of over 2 GiB"));
        }
        let mut c = Cursor::new(bytes, 0);
        let magic = c.u4("the magic number 0xCAFEBABE")?;
        if magic != MAGIC {
            return Err(Error::malformed(
                0,
                format!("expected the magic number 0xCAFEBABE, found {magic:#010X}"),
            ));
        }
        let minor = c.u2("a minor version")?;
        let major = c.u2("a major version")?;
        if major < 45 {
            return Err(Error::malformed(
                6,
                format!("expected a major version of at least 45, found {major}"),
            ));
        }
        let (pool, end) = ConstantPool::parse(bytes, c.offset())?;
        let mut c = Cursor::new(&bytes[end..], end);
        let access = c.u2("access flags")?;
        let this_class = c.u2("this_class")?;
        let super_class = c.u2("super_class")?;
        let interfaces = Table::parse(&mut c)?;
        let mut attributes = Vec::with_capacity(16);
        let fields = parse_members(&mut c, &mut attributes, "a field")?;
        let methods = parse_members(&mut c, &mut attributes, "a method")?;
        let start = attributes.len() as u32;
        Attribute::parse_list(&mut c, &mut attributes)?;
        c.finish("the class file")?;
        Ok(ClassFile {
            minor,
            major,
            access,
            this_class,
            super_class,
            pool,
            interfaces,
            fields,
            methods,
            class_attributes: start..attributes.len() as u32,
            attributes,
        })
    }

    /// The constant pool.
    pub fn pool(&self) -> &ConstantPool<'a> {
        &self.pool
    }

    /// Internal name of this class.
    pub fn name(&self) -> Result<JStr<'a>> {
        self.pool.class_name(self.this_class)
    }

    /// Internal name of the superclass.
    pub fn super_name(&self) -> Result<Option<JStr<'a>>> {
        self.pool.optional_class_name(self.super_class)
    }

    /// `Class` indices of the direct superinterfaces.
    pub fn interfaces(&self) -> Table<'a, Index> {
        self.interfaces
    }

    /// Internal names of the direct superinterfaces.
    pub fn interface_names(&self) -> impl Iterator<Item = Result<JStr<'a>>> + '_ {
        self.interfaces.iter().map(|row| self.pool.class_name(row.index))
    }

    /// Whether all of `flags` are set on the class.
    pub fn has_access(&self, flags: u16) -> bool {
        self.access & flags == flags
    }

    /// The fields, in order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = Member<'_, 'a>> {
        self.fields.iter().enumerate().map(|(index, raw)| Member { class: self, raw, index })
    }

    /// The methods, in order.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = Member<'_, 'a>> {
        self.methods.iter().enumerate().map(|(index, raw)| Member { class: self, raw, index })
    }

    /// The method with this name and descriptor.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<Member<'_, 'a>> {
        self.methods().find(|m| {
            m.name().is_ok_and(|n| n == name) && m.descriptor().is_ok_and(|d| d == descriptor)
        })
    }

    /// The class's own attributes.
    pub fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes[self.class_attributes.start as usize..self.class_attributes.end as usize]
    }

    /// The first class attribute with this name, decoded.
    pub fn attribute(&self, name: &str) -> Result<Option<Decoded<'a>>> {
        find(self.attributes(), &self.pool, name)
    }

    /// The bootstrap methods that `invokedynamic` and dynamic constants refer to by number.
    pub fn bootstrap_methods(&self) -> Result<Vec<BootstrapMethod<'a>>> {
        Ok(match self.attribute("BootstrapMethods")? {
            Some(Decoded::BootstrapMethods(list)) => list,
            _ => Vec::new(),
        })
    }

    /// Name of the source file, by debug information.
    pub fn source_file(&self) -> Result<Option<JStr<'a>>> {
        match self.attribute("SourceFile")? {
            Some(Decoded::SourceFile(index)) => self.pool.utf8(index).map(Some),
            _ => Ok(None),
        }
    }

    /// Writes the class again from its parsed pieces: constants decoded and encoded, members and
    /// attributes one by one. Every class that parses is written as the bytes it came from.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(4096);
        write_header(&mut out, self.minor, self.major);
        put_u2(&mut out, self.pool.count());
        for index in 1..self.pool.count() {
            if self.pool.constant_offset(index) != 0 {
                self.pool.constant(index)?.encode(&mut out)?;
            }
        }
        put_u2(&mut out, self.access);
        put_u2(&mut out, self.this_class);
        put_u2(&mut out, self.super_class);
        crate::attribute::write_table(self.interfaces.iter(), &mut out)?;
        for members in [&self.fields, &self.methods] {
            put_count(&mut out, members.len(), "members")?;
            for raw in members {
                put_u2(&mut out, raw.access);
                put_u2(&mut out, raw.name);
                put_u2(&mut out, raw.descriptor);
                self.write_attributes(&raw.attributes, &mut out)?;
            }
        }
        self.write_attributes(&self.class_attributes, &mut out)?;
        Ok(out)
    }

    fn write_attributes(&self, range: &Range<u32>, out: &mut Vec<u8>) -> Result<()> {
        put_count(out, range.len(), "attributes")?;
        for attribute in &self.attributes[range.start as usize..range.end as usize] {
            crate::attribute::write_attribute(attribute.name_index, attribute.info, out)?;
        }
        Ok(())
    }

    /// Decodes everything there is — names, descriptors, every known attribute, every instruction
    /// and frame — and returns the first error.
    pub fn validate(&self) -> Result<()> {
        for index in 1..self.pool.count() {
            if self.pool.constant_offset(index) != 0 {
                self.validate_constant(index)?;
            }
        }
        self.name()?;
        self.super_name()?;
        self.interface_names().try_for_each(|name| name.map(drop))?;
        for field in self.fields() {
            field.name()?;
            FieldType::parse(field.descriptor()?)
                .map_err(|e| e.at(self.pool.constant_offset(field.descriptor_index())))?;
        }
        for method in self.methods() {
            method.name()?;
            MethodDescriptor::parse(method.descriptor()?)
                .map_err(|e| e.at(self.pool.constant_offset(method.descriptor_index())))?;
        }
        self.attributes.iter().try_for_each(|attribute| self.validate_attribute(*attribute, 0))
    }

    fn validate_constant(&self, index: u16) -> Result<()> {
        use crate::pool::Constant as C;
        let pool = &self.pool;
        match pool.constant(index)? {
            C::Utf8(_) | C::Integer(_) | C::Float(_) | C::Long(_) | C::Double(_) => Ok(()),
            C::Class { name } | C::Module { name } | C::Package { name } => {
                pool.utf8(name).map(drop)
            }
            C::String { utf8 } => pool.utf8(utf8).map(drop),
            C::FieldRef { .. } | C::MethodRef { .. } | C::InterfaceMethodRef { .. } => {
                pool.member(index).map(drop)
            }
            C::NameAndType { .. } => pool.name_and_type(index).map(drop),
            C::MethodHandle { reference, .. } => pool.member(reference).map(drop),
            C::MethodType { descriptor } => pool.utf8(descriptor).map(drop),
            C::Dynamic { .. } | C::InvokeDynamic { .. } => pool.dynamic(index).map(drop),
        }
    }

    fn validate_attribute(&self, attribute: Attribute<'a>, depth: usize) -> Result<()> {
        if depth > MAX_ATTRIBUTE_DEPTH {
            return Err(Error::limit("attributes nested too deeply"));
        }
        let decoded = attribute.decode(&self.pool)?;
        match &decoded {
            Decoded::Code(code) => {
                for instruction in code.instructions() {
                    if let Some(index) = instruction?.constant() {
                        self.pool.constant(index)?;
                    }
                }
            }
            Decoded::StackMapTable(table) => table.iter().try_for_each(|f| f.map(drop))?,
            _ => {}
        }
        decoded.nested().try_for_each(|inner| self.validate_attribute(inner, depth + 1))
    }
}

impl fmt::Debug for ClassFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClassFile")
            .field("name", &self.name())
            .field("version", &(self.major, self.minor))
            .field("fields", &self.fields.len())
            .field("methods", &self.methods.len())
            .finish_non_exhaustive()
    }
}

pub(crate) fn write_header(out: &mut Vec<u8>, minor: u16, major: u16) {
    put_u4(out, MAGIC);
    put_u2(out, minor);
    put_u2(out, major);
}

fn parse_members<'a>(
    c: &mut Cursor<'a>,
    attributes: &mut Vec<Attribute<'a>>,
    what: &str,
) -> Result<Vec<RawMember>> {
    let count = usize::from(c.u2(what)?);
    // A member takes at least eight bytes, so a lying count cannot reserve more than the input.
    let mut members = Vec::with_capacity(count.min(c.remaining() / 8));
    for _ in 0..count {
        let (access, name, descriptor) = (c.u2(what)?, c.u2(what)?, c.u2(what)?);
        let start = attributes.len() as u32;
        Attribute::parse_list(c, attributes)?;
        let attributes = start..attributes.len() as u32;
        members.push(RawMember { access, name, descriptor, attributes });
    }
    Ok(members)
}

fn find<'a>(
    attributes: &[Attribute<'a>],
    pool: &ConstantPool<'a>,
    name: &str,
) -> Result<Option<Decoded<'a>>> {
    for attribute in attributes {
        if attribute.name(pool)?.as_bytes() == name.as_bytes() {
            return attribute.decode(pool).map(Some);
        }
    }
    Ok(None)
}

impl<'c, 'a> Member<'c, 'a> {
    /// Position among the fields or methods of the class.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The class it belongs to.
    pub fn class(&self) -> &'c ClassFile<'a> {
        self.class
    }

    /// Access flags, see [`access`].
    pub fn access(&self) -> u16 {
        self.raw.access
    }

    /// Whether all of `flags` are set.
    pub fn has_access(&self, flags: u16) -> bool {
        self.raw.access & flags == flags
    }

    /// `Utf8` index of the name.
    pub fn name_index(&self) -> u16 {
        self.raw.name
    }

    /// `Utf8` index of the descriptor.
    pub fn descriptor_index(&self) -> u16 {
        self.raw.descriptor
    }

    /// Its name.
    pub fn name(&self) -> Result<JStr<'a>> {
        self.class.pool.utf8(self.raw.name)
    }

    /// Its descriptor.
    pub fn descriptor(&self) -> Result<JStr<'a>> {
        self.class.pool.utf8(self.raw.descriptor)
    }

    /// Its attributes.
    pub fn attributes(&self) -> &'c [Attribute<'a>] {
        let range = &self.raw.attributes;
        &self.class.attributes[range.start as usize..range.end as usize]
    }

    /// The first attribute with this name, decoded.
    pub fn attribute(&self, name: &str) -> Result<Option<Decoded<'a>>> {
        find(self.attributes(), &self.class.pool, name)
    }

    /// The method's code; abstract and native methods have none.
    pub fn code(&self) -> Result<Option<Code<'a>>> {
        if (self.class.major, self.class.minor) < (45, 3) {
            return Err(Error::unsupported("code of class files before version 45.3"));
        }
        Ok(match self.attribute("Code")? {
            Some(Decoded::Code(code)) => Some(code),
            _ => None,
        })
    }
}

impl fmt::Debug for Member<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Prints name and descriptor, as in `next()Ljava/lang/Object;`.
impl fmt::Display for Member<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Ok(name), Ok(descriptor)) = (self.name(), self.descriptor()) else {
            return f.write_str("<malformed>");
        };
        let gap = if descriptor.as_bytes().first() == Some(&b'(') { "" } else { " " };
        write!(f, "{name}{gap}{descriptor}")
    }
}
