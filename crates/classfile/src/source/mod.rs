//! Where class files come from.
//!
//! Nothing here opens a file: the caller supplies bytes (read, mapped or made) and gets classes
//! out of jars, jmods, run-time images and directories.

mod jar;
mod jimage;
mod manifest;
mod zip;
mod zip_writer;

pub use jar::{Jar, NestedJar, is_signature};
pub use jimage::{JImage, Resource};
pub use manifest::Manifest;
pub use zip::{Entry, Zip};
pub use zip_writer::ZipWriter;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::Result;

/// Larger entries of archives are refused, so that a small archive cannot fill the memory.
pub const MAX_INFLATED: usize = 1 << 30;

/// Something that has class files by internal name.
pub trait ClassSource {
    /// The bytes of the class with this internal name (`java/util/Map$Entry`), or `None` when the
    /// source does not have it.
    fn class(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>>;

    /// Calls `visit` with the internal name of every class the source has.
    fn for_each_name(&self, visit: &mut dyn FnMut(&str)) -> Result<()>;

    /// The internal names of all classes, sorted.
    fn names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        self.for_each_name(&mut |name| names.push(name.to_owned()))?;
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}

impl<S: ClassSource + ?Sized> ClassSource for &S {
    fn class(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>> {
        (**self).class(name)
    }

    fn for_each_name(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        (**self).for_each_name(visit)
    }
}

impl<S: ClassSource + ?Sized> ClassSource for Box<S> {
    fn class(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>> {
        (**self).class(name)
    }

    fn for_each_name(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        (**self).for_each_name(visit)
    }
}

/// Classes held in memory, by internal name.
#[derive(Clone, Debug, Default)]
pub struct MemoryClasses(pub BTreeMap<String, Vec<u8>>);

impl ClassSource for MemoryClasses {
    fn class(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>> {
        Ok(self.0.get(name).map(|bytes| Cow::Borrowed(bytes.as_slice())))
    }

    fn for_each_name(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        self.0.keys().for_each(|name| visit(name));
        Ok(())
    }
}

/// A directory of class files, listed by the caller and read by a function of the caller's.
pub struct Directory<F> {
    paths: std::collections::BTreeSet<String>,
    read: F,
}

impl<F: Fn(&str) -> Option<Vec<u8>>> Directory<F> {
    /// `paths` are relative to the directory, with `/`; others than class files are ignored.
    /// `read` returns the contents of one of them, or `None` when it is gone.
    pub fn new(paths: impl IntoIterator<Item = String>, read: F) -> Directory<F> {
        let paths = paths.into_iter().filter(|path| path.ends_with(".class")).collect();
        Directory { paths, read }
    }
}

impl<F: Fn(&str) -> Option<Vec<u8>>> ClassSource for Directory<F> {
    fn class(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>> {
        let path = format!("{name}.class");
        if !self.paths.contains(&path) {
            return Ok(None);
        }
        Ok((self.read)(&path).map(Cow::Owned))
    }

    fn for_each_name(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        let names = self.paths.iter().filter_map(|path| path.strip_suffix(".class"));
        names.filter(|name| !name.ends_with("module-info")).for_each(visit);
        Ok(())
    }
}

/// Sources searched one after the other, as a class path is: the first that has a class wins.
#[derive(Default)]
pub struct ClassPath<'s> {
    sources: Vec<Box<dyn ClassSource + 's>>,
}

impl<'s> ClassPath<'s> {
    /// An empty class path.
    pub fn new() -> ClassPath<'s> {
        ClassPath::default()
    }

    /// Appends a source.
    pub fn push(&mut self, source: impl ClassSource + 's) {
        self.sources.push(Box::new(source));
    }
}

impl ClassSource for ClassPath<'_> {
    fn class(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>> {
        for source in &self.sources {
            if let Some(bytes) = source.class(name)? {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    fn for_each_name(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        self.sources.iter().try_for_each(|source| source.for_each_name(visit))
    }
}
