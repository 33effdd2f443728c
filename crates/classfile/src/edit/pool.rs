//! A constant pool that can grow.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::bytes::put_u2;
use crate::error::{Error, Result};
use crate::jstr::{JStr, encode};
use crate::pool::{Constant, ConstantPool, Constants, no_constant};

/// A constant pool to which entries are appended. Existing entries keep their indices and bytes;
/// an entry that is already there is reused.
#[derive(Clone)]
pub struct PoolEditor<'a> {
    base: ConstantPool<'a>,
    /// The appended entries, encoded.
    added: Vec<u8>,
    /// Where each appended index starts in `added`; `None` for second halves of wide entries.
    offsets: Vec<Option<u32>>,
    /// Encoded entry → index; filled when first needed. There are at most 65535 entries, so a class whose
    /// entries collide on purpose is woven slowly, and nothing else.
    known: Option<FxHashMap<Cow<'a, [u8]>, u16>>,
}

impl<'a> PoolEditor<'a> {
    /// Starts from a class's pool.
    pub fn new(base: &ConstantPool<'a>) -> PoolEditor<'a> {
        PoolEditor { base: base.clone(), added: Vec::new(), offsets: Vec::new(), known: None }
    }

    /// Starts from nothing.
    pub fn empty() -> PoolEditor<'a> {
        PoolEditor::new(&ConstantPool::empty())
    }

    /// The pool's count as stored: one more than the highest index.
    pub fn count(&self) -> usize {
        usize::from(self.base.count()) + self.offsets.len()
    }

    /// Index of `constant`, appended if it is not there yet.
    pub fn add(&mut self, constant: Constant<'_>) -> Result<u16> {
        let mut entry = Vec::with_capacity(16);
        constant.encode(&mut entry)?;
        let base = &self.base;
        let known = self.known.get_or_insert_with(|| {
            let capacity = usize::from(base.count()) + 16;
            let mut known = FxHashMap::with_capacity_and_hasher(capacity, Default::default());
            for index in 1..base.count() {
                if let Some(raw) = base.raw(index) {
                    known.entry(Cow::Borrowed(raw)).or_insert(index);
                }
            }
            known
        });
        if let Some(index) = known.get(entry.as_slice()) {
            return Ok(*index);
        }
        let index = usize::from(base.count()) + self.offsets.len();
        let end = index + if constant.is_wide() { 2 } else { 1 };
        if end > 0xffff {
            return Err(Error::limit("the constant pool is full (65535 entries)"));
        }
        let index = index as u16;
        self.offsets.push(Some(self.added.len() as u32));
        if constant.is_wide() {
            self.offsets.push(None);
        }
        self.added.extend_from_slice(&entry);
        known.insert(Cow::Owned(entry), index);
        Ok(index)
    }

    /// A `Utf8` entry.
    pub fn utf8(&mut self, text: &str) -> Result<u16> {
        self.add(Constant::Utf8(JStr::new(&encode(text))))
    }

    /// A `Utf8` entry from raw modified UTF-8.
    pub fn utf8_bytes(&mut self, text: JStr<'_>) -> Result<u16> {
        self.add(Constant::Utf8(text))
    }

    /// A `Class` entry by internal name or array descriptor.
    pub fn class(&mut self, name: &str) -> Result<u16> {
        let name = self.utf8(name)?;
        self.add(Constant::Class { name })
    }

    /// A `Class` entry from raw modified UTF-8.
    pub fn class_bytes(&mut self, name: JStr<'_>) -> Result<u16> {
        let name = self.utf8_bytes(name)?;
        self.add(Constant::Class { name })
    }

    /// A `String` entry.
    pub fn string(&mut self, text: &str) -> Result<u16> {
        let utf8 = self.utf8(text)?;
        self.add(Constant::String { utf8 })
    }

    /// A `NameAndType` entry.
    pub fn name_and_type(&mut self, name: &str, descriptor: &str) -> Result<u16> {
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        self.add(Constant::NameAndType { name, descriptor })
    }

    /// A `Fieldref` entry.
    pub fn field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16> {
        let class = self.class(class)?;
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.add(Constant::FieldRef { class, name_and_type })
    }

    /// A `Methodref` entry.
    pub fn method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16> {
        let class = self.class(class)?;
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.add(Constant::MethodRef { class, name_and_type })
    }

    /// An `InterfaceMethodref` entry.
    pub fn interface_method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16> {
        let class = self.class(class)?;
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.add(Constant::InterfaceMethodRef { class, name_and_type })
    }

    /// An `InvokeDynamic` entry for the given bootstrap method.
    pub fn invoke_dynamic(&mut self, bootstrap: u16, name: &str, descriptor: &str) -> Result<u16> {
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.add(Constant::InvokeDynamic { bootstrap, name_and_type })
    }

    /// Appends the count and all entries, as they stand in a class file.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_u2(out, self.count() as u16);
        for index in 1..self.base.count() {
            if let Some(entry) = self.base.raw(index) {
                out.extend_from_slice(entry);
            }
        }
        out.extend_from_slice(&self.added);
        Ok(())
    }
}

impl<'p, 'a: 'p> Constants<'p> for &'p PoolEditor<'a> {
    fn constant(&self, index: u16) -> Result<Constant<'p>> {
        let Some(added) = usize::from(index).checked_sub(usize::from(self.base.count())) else {
            return self.base.constant(index);
        };
        match self.offsets.get(added) {
            Some(Some(start)) => Constant::decode(&self.added[*start as usize..], 0),
            _ => Err(no_constant(index, self.count())),
        }
    }

    fn constant_offset(&self, index: u16) -> usize {
        self.base.constant_offset(index)
    }
}
