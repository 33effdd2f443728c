//! Attributes: kept as raw bytes, decoded on request.

mod annotation;
mod code;
mod frames;
mod module;
mod table;

pub use annotation::{
    Annotation, ElementValue, MAX_NESTING, TypeAnnotation, TypeTarget, write_annotations,
    write_type_annotations,
};
pub use code::Code;
pub use frames::{Frame, FrameKind, FrameType, Frames, StackMapTable, write_frames};
pub use module::{BootstrapMethod, Exports, Module, ModuleHash, ModuleHashes, Provides};
pub use table::{
    ExceptionEntry, Index, InnerClass, LineNumber, LocalVariable, MethodParameter, Requires, Row,
    Table, write_table,
};

use crate::bytes::{Cursor, put_count, put_u2, put_u4};
use crate::error::{Error, Result};
use crate::jstr::JStr;
use crate::pool::Constants;

/// An attribute as stored: a name and bytes.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// `Utf8` index of the name.
    pub name_index: u16,
    /// Contents.
    pub info: &'a [u8],
    /// Where the contents start in the class file.
    pub offset: u32,
}

impl<'a> Attribute<'a> {
    /// Reads one attribute without looking inside.
    #[inline]
    pub(crate) fn parse(c: &mut Cursor<'a>) -> Result<Attribute<'a>> {
        let name_index = c.u2("an attribute name")?;
        let length = c.u4("an attribute length")? as usize;
        let offset = c.offset() as u32;
        let info = c.take(length, "an attribute's contents")?;
        Ok(Attribute { name_index, info, offset })
    }

    /// Reads a count and that many attributes, appending them to `list`.
    #[inline]
    pub(crate) fn parse_list(c: &mut Cursor<'a>, list: &mut Vec<Attribute<'a>>) -> Result<()> {
        let count = c.u2("an attribute count")?;
        for _ in 0..count {
            list.push(Attribute::parse(c)?);
        }
        Ok(())
    }

    /// The attribute's name.
    pub fn name<'p>(&self, pool: &impl Constants<'p>) -> Result<JStr<'p>> {
        pool.utf8(self.name_index)
    }

    /// Decodes the contents by the attribute's name; unknown names give
    /// [`Decoded::Unknown`].
    pub fn decode<'p>(&self, pool: &impl Constants<'p>) -> Result<Decoded<'a>> {
        Decoded::parse(self.name(pool)?.as_bytes(), self.info, self.offset as usize)
    }
}

/// Appends one attribute.
pub(crate) fn write_attribute(name: u16, info: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let length = u32::try_from(info.len())
        .map_err(|_| Error::limit("an attribute of over 4294967295 bytes"))?;
    put_u2(out, name);
    put_u4(out, length);
    out.extend_from_slice(info);
    Ok(())
}

/// A component of a record.
#[derive(Clone, Debug)]
pub struct RecordComponent<'a> {
    /// `Utf8` index of the name.
    pub name: u16,
    /// `Utf8` index of the descriptor.
    pub descriptor: u16,
    /// Its attributes.
    pub attributes: Vec<Attribute<'a>>,
}

/// The contents of an attribute.
///
/// Variants are named after the attributes of the JVM specification; what appears in two flavours
/// (visible and invisible annotations) shares a variant, since the attribute's name tells which.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(missing_docs, reason = "variants are the attributes of the JVM specification")]
pub enum Decoded<'a> {
    Code(Code<'a>),
    StackMapTable(StackMapTable<'a>),
    LineNumberTable(Table<'a, LineNumber>),
    LocalVariableTable(Table<'a, LocalVariable>),
    LocalVariableTypeTable(Table<'a, LocalVariable>),
    Exceptions(Table<'a, Index>),
    InnerClasses(Table<'a, InnerClass>),
    /// `Class` index, and `NameAndType` index or 0.
    EnclosingMethod(u16, u16),
    BootstrapMethods(Vec<BootstrapMethod<'a>>),
    NestHost(u16),
    NestMembers(Table<'a, Index>),
    PermittedSubclasses(Table<'a, Index>),
    LoadableDescriptors(Table<'a, Index>),
    Record(Vec<RecordComponent<'a>>),
    Signature(u16),
    SourceFile(u16),
    ConstantValue(u16),
    MethodParameters(Table<'a, MethodParameter>),
    Annotations(Vec<Annotation>),
    ParameterAnnotations(Vec<Vec<Annotation>>),
    TypeAnnotations(Vec<TypeAnnotation>),
    AnnotationDefault(ElementValue),
    Module(Module<'a>),
    ModulePackages(Table<'a, Index>),
    ModuleMainClass(u16),
    ModuleTarget(u16),
    ModuleHashes(ModuleHashes<'a>),
    ModuleResolution(u16),
    Deprecated,
    Synthetic,
    /// Free-form debugging text.
    SourceDebugExtension(&'a [u8]),
    /// Any other attribute.
    Unknown(&'a [u8]),
}

impl<'a> Decoded<'a> {
    /// Decodes `info`, the contents of the attribute `name`, found at `offset` of the class file.
    pub fn parse(name: &[u8], info: &'a [u8], offset: usize) -> Result<Decoded<'a>> {
        let c = &mut Cursor::new(info, offset);
        let decoded = match name {
            b"Code" => Decoded::Code(Code::parse(c)?),
            // Frames are read to their end by their iterator.
            b"StackMapTable" => {
                return Ok(Decoded::StackMapTable(StackMapTable::parse(info, offset)?));
            }
            b"LineNumberTable" => Decoded::LineNumberTable(Table::parse(c)?),
            b"LocalVariableTable" => Decoded::LocalVariableTable(Table::parse(c)?),
            b"LocalVariableTypeTable" => Decoded::LocalVariableTypeTable(Table::parse(c)?),
            b"Exceptions" => Decoded::Exceptions(Table::parse(c)?),
            b"InnerClasses" => Decoded::InnerClasses(Table::parse(c)?),
            b"EnclosingMethod" => {
                Decoded::EnclosingMethod(c.u2("a class index")?, c.u2("a method index")?)
            }
            b"BootstrapMethods" => Decoded::BootstrapMethods(module::parse_bootstrap_methods(c)?),
            b"NestHost" => Decoded::NestHost(c.u2("a class index")?),
            b"NestMembers" => Decoded::NestMembers(Table::parse(c)?),
            b"PermittedSubclasses" => Decoded::PermittedSubclasses(Table::parse(c)?),
            b"LoadableDescriptors" => Decoded::LoadableDescriptors(Table::parse(c)?),
            b"Record" => Decoded::Record(parse_record(c)?),
            b"Signature" => Decoded::Signature(c.u2("a signature index")?),
            b"SourceFile" => Decoded::SourceFile(c.u2("a source-file index")?),
            b"ConstantValue" => Decoded::ConstantValue(c.u2("a constant index")?),
            b"MethodParameters" => Decoded::MethodParameters(Table::parse_short(c)?),
            b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => {
                Decoded::Annotations(annotation::parse_annotations(c)?)
            }
            b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations" => {
                Decoded::ParameterAnnotations(annotation::parse_parameter_annotations(c)?)
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                Decoded::TypeAnnotations(annotation::parse_type_annotations(c)?)
            }
            b"AnnotationDefault" => Decoded::AnnotationDefault(ElementValue::parse(c, 0)?),
            b"Module" => Decoded::Module(Module::parse(c)?),
            b"ModulePackages" => Decoded::ModulePackages(Table::parse(c)?),
            b"ModuleMainClass" => Decoded::ModuleMainClass(c.u2("a class index")?),
            b"ModuleTarget" => Decoded::ModuleTarget(c.u2("a target index")?),
            b"ModuleHashes" => Decoded::ModuleHashes(ModuleHashes::parse(c)?),
            b"ModuleResolution" => Decoded::ModuleResolution(c.u2("resolution flags")?),
            b"Deprecated" => Decoded::Deprecated,
            b"Synthetic" => Decoded::Synthetic,
            b"SourceDebugExtension" => return Ok(Decoded::SourceDebugExtension(info)),
            _ => return Ok(Decoded::Unknown(info)),
        };
        c.finish("the attribute")?;
        Ok(decoded)
    }

    /// Writes the contents back. What [`parse`](Decoded::parse) accepted is written as the same
    /// bytes.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Decoded::Code(code) => code.write(out)?,
            Decoded::StackMapTable(table) => {
                let frames = table.iter().collect::<Result<Vec<_>>>()?;
                write_frames(frames.iter(), out)?;
            }
            Decoded::LineNumberTable(table) => write_table(table.iter(), out)?,
            Decoded::LocalVariableTable(table) | Decoded::LocalVariableTypeTable(table) => {
                write_table(table.iter(), out)?;
            }
            Decoded::Exceptions(table)
            | Decoded::NestMembers(table)
            | Decoded::PermittedSubclasses(table)
            | Decoded::LoadableDescriptors(table)
            | Decoded::ModulePackages(table) => write_table(table.iter(), out)?,
            Decoded::InnerClasses(table) => write_table(table.iter(), out)?,
            Decoded::EnclosingMethod(class, method) => {
                put_u2(out, *class);
                put_u2(out, *method);
            }
            Decoded::BootstrapMethods(list) => module::write_bootstrap_methods(list, out)?,
            Decoded::NestHost(index)
            | Decoded::Signature(index)
            | Decoded::SourceFile(index)
            | Decoded::ConstantValue(index)
            | Decoded::ModuleMainClass(index)
            | Decoded::ModuleTarget(index)
            | Decoded::ModuleResolution(index) => put_u2(out, *index),
            Decoded::Record(components) => {
                put_count(out, components.len(), "record components")?;
                for component in components {
                    put_u2(out, component.name);
                    put_u2(out, component.descriptor);
                    put_count(out, component.attributes.len(), "attributes")?;
                    for attribute in &component.attributes {
                        write_attribute(attribute.name_index, attribute.info, out)?;
                    }
                }
            }
            Decoded::MethodParameters(table) => module::write_short_table(*table, out),
            Decoded::Annotations(list) => write_annotations(list, out)?,
            Decoded::ParameterAnnotations(list) => {
                annotation::write_parameter_annotations(list, out)?;
            }
            Decoded::TypeAnnotations(list) => write_type_annotations(list, out)?,
            Decoded::AnnotationDefault(value) => value.write(out)?,
            Decoded::Module(module) => module.write(out)?,
            Decoded::ModuleHashes(hashes) => hashes.write(out)?,
            Decoded::Deprecated | Decoded::Synthetic => {}
            Decoded::SourceDebugExtension(bytes) | Decoded::Unknown(bytes) => {
                out.extend_from_slice(bytes);
            }
        }
        Ok(())
    }

    /// The attributes nested inside this one.
    pub fn nested(&self) -> impl Iterator<Item = Attribute<'a>> + '_ {
        let code = match self {
            Decoded::Code(code) => code.attributes.as_slice(),
            _ => &[],
        };
        let components = match self {
            Decoded::Record(components) => components.as_slice(),
            _ => &[],
        };
        code.iter().chain(components.iter().flat_map(|c| &c.attributes)).copied()
    }
}

fn parse_record<'a>(c: &mut Cursor<'a>) -> Result<Vec<RecordComponent<'a>>> {
    const WHAT: &str = "a record component";
    let count = c.u2(WHAT)?;
    let mut components = Vec::new();
    for _ in 0..count {
        let (name, descriptor) = (c.u2(WHAT)?, c.u2(WHAT)?);
        let mut attributes = Vec::new();
        Attribute::parse_list(c, &mut attributes)?;
        components.push(RecordComponent { name, descriptor, attributes });
    }
    Ok(components)
}
