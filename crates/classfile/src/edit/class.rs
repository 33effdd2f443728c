//! Patching whole classes.

use std::borrow::Cow;

use super::code::CodeEditor;
use super::pool::PoolEditor;
use crate::attribute::{Attribute, Decoded, Index, write_attribute, write_table};
use crate::bytes::{put_count, put_u2};
use crate::class::{ClassFile, Member, write_header};
use crate::error::{Error, Result};
use crate::pool::Constants;

/// A class being changed or made.
///
/// Starts as a copy of a parsed class that borrows every piece of it. What is not touched is
/// written as it was; constants are only ever appended, so that indices stay valid.
#[derive(Clone)]
pub struct ClassEditor<'a> {
    /// Minor version.
    pub minor: u16,
    /// Major version.
    pub major: u16,
    /// Access flags.
    pub access: u16,
    /// `Class` index of the class.
    pub this_class: u16,
    /// `Class` index of the superclass, or 0.
    pub super_class: u16,
    /// The constants.
    pub pool: PoolEditor<'a>,
    /// `Class` indices of the superinterfaces.
    pub interfaces: Vec<u16>,
    /// The fields.
    pub fields: Vec<MemberEditor<'a>>,
    /// The methods. Methods of the original keep their positions unless the caller removes some.
    pub methods: Vec<MemberEditor<'a>>,
    /// The class's attributes.
    pub attributes: Vec<AttributeEditor<'a>>,
}

/// A field or method being changed or made.
#[derive(Clone, Debug)]
pub struct MemberEditor<'a> {
    /// Access flags.
    pub access: u16,
    /// `Utf8` index of the name.
    pub name: u16,
    /// `Utf8` index of the descriptor.
    pub descriptor: u16,
    /// Its attributes.
    pub attributes: Vec<AttributeEditor<'a>>,
}

/// An attribute, borrowed from the original or made.
#[derive(Clone, Debug)]
pub struct AttributeEditor<'a> {
    /// `Utf8` index of the name.
    pub name: u16,
    /// Contents.
    pub info: Cow<'a, [u8]>,
}

fn attributes<'a>(list: &[Attribute<'a>]) -> Vec<AttributeEditor<'a>> {
    let edit =
        |a: &Attribute<'a>| AttributeEditor { name: a.name_index, info: Cow::Borrowed(a.info) };
    list.iter().map(edit).collect()
}

impl<'a> MemberEditor<'a> {
    fn of(member: Member<'_, 'a>) -> MemberEditor<'a> {
        MemberEditor {
            access: member.access(),
            name: member.name_index(),
            descriptor: member.descriptor_index(),
            attributes: attributes(member.attributes()),
        }
    }

    /// Replaces the contents of the attribute with this name index, or appends it.
    pub fn set_attribute(&mut self, name: u16, info: Vec<u8>) {
        let info = Cow::Owned(info);
        match self.attributes.iter_mut().find(|a| a.name == name) {
            Some(attribute) => attribute.info = info,
            None => self.attributes.push(AttributeEditor { name, info }),
        }
    }
}

impl<'a> ClassEditor<'a> {
    /// Starts from a parsed class.
    pub fn new(class: &ClassFile<'a>) -> ClassEditor<'a> {
        ClassEditor {
            minor: class.minor,
            major: class.major,
            access: class.access,
            this_class: class.this_class,
            super_class: class.super_class,
            pool: PoolEditor::new(class.pool()),
            interfaces: class.interfaces().iter().map(|row| row.index).collect(),
            fields: class.fields().map(MemberEditor::of).collect(),
            methods: class.methods().map(MemberEditor::of).collect(),
            attributes: attributes(class.attributes()),
        }
    }

    /// Starts a new class.
    pub fn create(
        major: u16,
        access: u16,
        name: &str,
        super_name: &str,
    ) -> Result<ClassEditor<'a>> {
        let mut pool = PoolEditor::empty();
        let this_class = pool.class(name)?;
        let super_class = pool.class(super_name)?;
        Ok(ClassEditor {
            minor: 0,
            major,
            access,
            this_class,
            super_class,
            pool,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
        })
    }

    /// Adds a direct superinterface, unless it is there already.
    pub fn add_interface(&mut self, name: &str) -> Result<()> {
        let index = self.pool.class(name)?;
        let pool = &self.pool;
        if !self.interfaces.iter().any(|i| pool.class_name(*i).is_ok_and(|n| n == name)) {
            self.interfaces.push(index);
        }
        Ok(())
    }

    /// Adds a field. One of the same name and type is an error.
    pub fn add_field(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
    ) -> Result<&mut MemberEditor<'a>> {
        let member = self.new_member(access, name, descriptor)?;
        self.check_new(&self.fields, name, descriptor, "field")?;
        self.fields.push(member);
        Ok(self.fields.last_mut().expect("just pushed"))
    }

    /// Adds a method; `code` is what [`CodeEditor::finish`] returned, `None` for abstract and
    /// native methods. One of the same name and descriptor is an error.
    pub fn add_method(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
        code: Option<Vec<u8>>,
    ) -> Result<&mut MemberEditor<'a>> {
        let mut member = self.new_member(access, name, descriptor)?;
        self.check_new(&self.methods, name, descriptor, "method")?;
        if let Some(code) = code {
            member.set_attribute(self.pool.utf8("Code")?, code);
        }
        self.methods.push(member);
        Ok(self.methods.last_mut().expect("just pushed"))
    }

    fn new_member(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
    ) -> Result<MemberEditor<'a>> {
        let (name, descriptor) = (self.pool.utf8(name)?, self.pool.utf8(descriptor)?);
        Ok(MemberEditor { access, name, descriptor, attributes: Vec::new() })
    }

    fn check_new(
        &self,
        members: &[MemberEditor<'a>],
        name: &str,
        descriptor: &str,
        what: &str,
    ) -> Result<()> {
        let pool = &self.pool;
        let taken = members.iter().any(|m| {
            pool.utf8(m.name).is_ok_and(|n| n == name)
                && pool.utf8(m.descriptor).is_ok_and(|d| d == descriptor)
        });
        if taken {
            return Err(Error::edit(format!("the class already has a {what} {name} {descriptor}")));
        }
        Ok(())
    }

    /// Adds a class attribute.
    pub fn add_attribute(&mut self, name: &str, info: Vec<u8>) -> Result<()> {
        let name = self.pool.utf8(name)?;
        self.attributes.push(AttributeEditor { name, info: Cow::Owned(info) });
        Ok(())
    }

    /// Replaces the code of the method at `index`.
    pub fn set_code(&mut self, index: usize, code: Vec<u8>) -> Result<()> {
        let count = self.methods.len();
        let name = self.pool.utf8("Code")?;
        let pool = &self.pool;
        let method = self
            .methods
            .get_mut(index)
            .ok_or_else(|| Error::edit(format!("no method {index} among {count}")))?;
        // The original may spell the name by another, equal constant.
        let old = method.attributes.iter_mut();
        match old.into_iter().find(|a| pool.utf8(a.name).is_ok_and(|n| n == "Code")) {
            Some(attribute) => attribute.info = Cow::Owned(code),
            None => method.set_attribute(name, code),
        }
        Ok(())
    }

    /// Edits the code of `method` in place; `false` when it has none. Errors name the method.
    pub fn edit_code(
        &mut self,
        method: Member<'_, 'a>,
        edit: impl FnOnce(&mut CodeEditor<'a>, &mut PoolEditor<'a>) -> Result<()>,
    ) -> Result<bool> {
        let run = || {
            let Some(mut code) = CodeEditor::new(method)? else { return Ok(false) };
            edit(&mut code, &mut self.pool)?;
            let info = code.finish(&mut self.pool)?;
            self.set_code(method.index(), info)?;
            Ok(true)
        };
        run().map_err(|error: Error| match method.class().name() {
            Ok(class) => error.in_context(format_args!("{class}.{method}")),
            Err(_) => error,
        })
    }

    /// Appends a bootstrap method and returns its number. `method` is a `MethodHandle` index,
    /// `arguments` are indices of its static arguments.
    pub fn add_bootstrap_method(&mut self, method: u16, arguments: &[u16]) -> Result<u16> {
        let mut row = Vec::new();
        put_u2(&mut row, method);
        write_table(arguments.iter().map(|index| Index { index: *index }), &mut row)?;
        let pool = &self.pool;
        let found = self
            .attributes
            .iter_mut()
            .find(|a| pool.utf8(a.name).is_ok_and(|name| name == "BootstrapMethods"));
        let Some(attribute) = found else {
            let mut info = vec![0, 1];
            info.extend(row);
            self.add_attribute("BootstrapMethods", info)?;
            return Ok(0);
        };
        let decoded = Decoded::parse(b"BootstrapMethods", &attribute.info, 0)?;
        let count = match decoded {
            Decoded::BootstrapMethods(list) => list.len(),
            _ => 0,
        };
        let mut info = Vec::new();
        put_count(&mut info, count + 1, "bootstrap methods")?;
        info.extend_from_slice(&attribute.info[2..]);
        info.extend(row);
        attribute.info = Cow::Owned(info);
        Ok(count as u16)
    }

    /// Writes the class.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(8192);
        write_header(&mut out, self.minor, self.major);
        self.pool.write(&mut out)?;
        put_u2(&mut out, self.access);
        put_u2(&mut out, self.this_class);
        put_u2(&mut out, self.super_class);
        write_table(self.interfaces.iter().map(|index| Index { index: *index }), &mut out)?;
        for (members, what) in [(&self.fields, "fields"), (&self.methods, "methods")] {
            put_count(&mut out, members.len(), what)?;
            for member in members {
                put_u2(&mut out, member.access);
                put_u2(&mut out, member.name);
                put_u2(&mut out, member.descriptor);
                write_attributes(&member.attributes, &mut out)?;
            }
        }
        write_attributes(&self.attributes, &mut out)?;
        Ok(out)
    }
}

fn write_attributes(list: &[AttributeEditor<'_>], out: &mut Vec<u8>) -> Result<()> {
    put_count(out, list.len(), "attributes")?;
    list.iter().try_for_each(|a| write_attribute(a.name, &a.info, out))
}
