//! The JDK's run-time image, `lib/modules`.
//!
//! The file is a header, a perfect hash table over resource names (`/java.base/java/lang/Object.class`),
//! location attributes, a string table and the resources. Numbers of the header and tables are in
//! the byte order of the machine the image was built for; both orders are read.

use std::borrow::Cow;

use super::ClassSource;
use crate::error::{Error, Result};
use crate::jstr::JStr;

const MAGIC: u32 = 0xCAFE_DADA;
const RESOURCE_MAGIC: u32 = 0xCAFE_FAFA;
const HASH_SEED: u32 = 0x0100_0193;
const HEADER: usize = 28;
/// Header in front of a compressed resource.
const RESOURCE_HEADER: usize = 29;

/// A run-time image over bytes the caller has read or mapped.
#[derive(Clone)]
pub struct JImage<B> {
    data: B,
    big_endian: bool,
    table_length: usize,
    redirect: usize,
    offsets: usize,
    locations: usize,
    strings: usize,
    resources: usize,
}

/// A resource of an image: a name in parts, and where its bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Resource<'i> {
    /// Module, for example `java.base`.
    pub module: JStr<'i>,
    /// Directory, for example `java/lang`.
    pub parent: JStr<'i>,
    /// Name without extension.
    pub base: JStr<'i>,
    /// Extension without the dot.
    pub extension: JStr<'i>,
    /// Offset among the resources.
    pub offset: u64,
    /// Stored size if compressed, else 0.
    pub compressed: u64,
    /// Real size.
    pub size: u64,
}

impl Resource<'_> {
    /// The internal name, if this is a class.
    pub fn class_name(&self) -> Option<String> {
        if self.extension != "class" || self.module.is_empty() {
            return None;
        }
        Some(match self.parent.is_empty() {
            true => self.base.to_string(),
            false => format!("{}/{}", self.parent, self.base),
        })
    }

    /// Whether the resource has this full name.
    fn is_named(&self, name: &str) -> bool {
        let mut rest = name.as_bytes();
        let mut eat = |before: &[u8], part: JStr<'_>, after: &[u8]| {
            for bytes in [before, part.as_bytes(), after] {
                match rest.strip_prefix(bytes) {
                    Some(tail) => rest = tail,
                    None => return false,
                }
            }
            true
        };
        (self.module.is_empty() || eat(b"/", self.module, b"/"))
            && (self.parent.is_empty() || eat(b"", self.parent, b"/"))
            && eat(b"", self.base, b"")
            && (self.extension.is_empty() || eat(b".", self.extension, b""))
            && rest.is_empty()
    }
}

impl<B: AsRef<[u8]>> JImage<B> {
    /// Opens an image.
    pub fn parse(data: B) -> Result<JImage<B>> {
        let bytes = data.as_ref();
        let head: &[u8; HEADER] = bytes
            .first_chunk()
            .ok_or_else(|| Error::malformed(0, "expected a run-time image header of 28 bytes"))?;
        let big_endian = match u32::from_le_bytes([head[0], head[1], head[2], head[3]]) {
            MAGIC => false,
            magic if magic.swap_bytes() == MAGIC => true,
            found => {
                return Err(Error::malformed(
                    0,
                    format!("expected the run-time image magic 0xCAFEDADA, found {found:#010X}"),
                ));
            }
        };
        let word = |i: usize| {
            let b = [head[4 * i], head[4 * i + 1], head[4 * i + 2], head[4 * i + 3]];
            if big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) }
        };
        let version = word(1);
        if version >> 16 != 1 {
            return Err(Error::unsupported(format!(
                "run-time image version {}.{}",
                version >> 16,
                version & 0xffff
            )));
        }
        let table_length = word(4) as usize;
        let (locations_size, strings_size) = (word(5) as usize, word(6) as usize);
        let redirect = HEADER;
        let parts = || {
            let offsets = table_length.checked_mul(4)?.checked_add(redirect)?;
            let locations = table_length.checked_mul(4)?.checked_add(offsets)?;
            let strings = locations.checked_add(locations_size)?;
            let resources = strings.checked_add(strings_size)?;
            (resources <= bytes.len()).then_some((offsets, locations, strings, resources))
        };
        let (offsets, locations, strings, resources) = parts().ok_or_else(|| {
            Error::malformed(16, "expected index tables, but the image is too short for them")
        })?;
        Ok(JImage {
            big_endian,
            table_length,
            redirect,
            offsets,
            locations,
            strings,
            resources,
            data,
        })
    }

    fn bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// A 32-bit number of the tables, which [`parse`](JImage::parse) has measured.
    fn word(&self, at: usize) -> u32 {
        let b = &self.bytes()[at..at + 4];
        let b = [b[0], b[1], b[2], b[3]];
        if self.big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) }
    }

    fn string(&self, offset: u64) -> Result<JStr<'_>> {
        let strings = &self.bytes()[self.strings..self.resources];
        let text = usize::try_from(offset).ok().and_then(|start| strings.get(start..));
        let text = text.and_then(|text| Some(&text[..text.iter().position(|byte| *byte == 0)?]));
        text.map(JStr::new).ok_or_else(|| {
            Error::malformed(self.strings, format!("expected a string at {offset} of the table"))
        })
    }

    /// Reads the location attributes of table slot `slot`.
    fn location(&self, slot: usize) -> Result<Resource<'_>> {
        let start = self.word(self.offsets + 4 * slot) as usize;
        let bytes = self.bytes()[self.locations..self.strings].get(start..).unwrap_or(&[]);
        let bad = || Error::malformed(self.locations + start, "expected location attributes");
        let (mut resource, mut pos) = (Resource::default(), 0);
        loop {
            let head = *bytes.get(pos).ok_or_else(bad)?;
            if head >> 3 == 0 {
                return Ok(resource);
            }
            let length = usize::from(head & 7) + 1;
            let value = bytes.get(pos + 1..pos + 1 + length).ok_or_else(bad)?;
            let value = value.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
            match head >> 3 {
                1 => resource.module = self.string(value)?,
                2 => resource.parent = self.string(value)?,
                3 => resource.base = self.string(value)?,
                4 => resource.extension = self.string(value)?,
                5 => resource.offset = value,
                6 => resource.compressed = value,
                7 => resource.size = value,
                // Later JDKs may add attributes; their length says how to skip them.
                _ => {}
            }
            pos += 1 + length;
        }
    }

    /// All resources, in table order.
    pub fn resources(&self) -> impl Iterator<Item = Result<Resource<'_>>> {
        (0..self.table_length).map(|slot| self.location(slot))
    }

    /// Finds a resource by full name, such as `/java.base/java/lang/Object.class`.
    pub fn find(&self, name: &str) -> Result<Option<Resource<'_>>> {
        if self.table_length == 0 {
            return Ok(None);
        }
        let length = self.table_length;
        let slot = hash(name, HASH_SEED) as usize % length;
        let slot = match self.word(self.redirect + 4 * slot) as i32 {
            0 => return Ok(None),
            seed @ 1.. => hash(name, seed as u32) as usize % length,
            direct => (-1i64 - i64::from(direct)) as usize,
        };
        if slot >= length {
            return Err(Error::malformed(self.redirect, "expected a redirection inside the table"));
        }
        let resource = self.location(slot)?;
        Ok(resource.is_named(name).then_some(resource))
    }

    /// The bytes of a resource; compressed ones are inflated.
    pub fn content(&self, resource: &Resource<'_>) -> Result<Cow<'_, [u8]>> {
        let stored = if resource.compressed != 0 { resource.compressed } else { resource.size };
        let bytes = || {
            let start = usize::try_from(resource.offset).ok()?.checked_add(self.resources)?;
            let end = start.checked_add(usize::try_from(stored).ok()?)?;
            self.bytes().get(start..end)
        };
        let bytes = bytes().ok_or_else(|| {
            Error::malformed(
                self.resources,
                format!("expected {stored} bytes of {}.{}", resource.base, resource.extension),
            )
        })?;
        if resource.compressed == 0 { Ok(Cow::Borrowed(bytes)) } else { self.decompress(bytes) }
    }

    /// Undoes the compressions, the last applied first.
    fn decompress<'i>(&'i self, stored: &'i [u8]) -> Result<Cow<'i, [u8]>> {
        let mut current = Cow::Borrowed(stored);
        // `jlink` applies at most two; the bound keeps a hostile chain short.
        for _ in 0..8 {
            let bytes = &*current;
            let number = |at: usize, len: usize| {
                let field = bytes[at..at + len].iter();
                let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
                if self.big_endian { field.fold(0, fold) } else { field.rev().fold(0, fold) }
            };
            if bytes.len() < RESOURCE_HEADER || number(0, 4) != u64::from(RESOURCE_MAGIC) {
                return Ok(current);
            }
            let (size, name) = (number(12, 8), number(20, 4));
            let method = self.string(name)?;
            if method != "zip" {
                return Err(Error::unsupported(format!("resources compressed by {method}")));
            }
            let limit = usize::try_from(size).unwrap_or(usize::MAX).min(super::MAX_INFLATED);
            let inflated = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(
                &bytes[RESOURCE_HEADER..],
                limit,
            )
            .map_err(|_| Error::malformed(self.resources, "expected a zlib stream"))?;
            current = Cow::Owned(inflated);
        }
        Err(Error::limit("a resource compressed over eight times"))
    }

    /// Module that holds a package (`java.lang` → `java.base`), by the image's own index.
    pub fn module_of(&self, package: &str) -> Result<Option<JStr<'_>>> {
        let Some(resource) = self.find(&format!("/packages/{package}"))? else { return Ok(None) };
        let content = self.content(&resource)?;
        for entry in content.chunks_exact(8) {
            let word = |at: usize| {
                let b = [entry[at], entry[at + 1], entry[at + 2], entry[at + 3]];
                if self.big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) }
            };
            // The first number is set when the module has only sub-packages of this one.
            if word(0) == 0 {
                return self.string(u64::from(word(4))).map(Some);
            }
        }
        Ok(None)
    }
}

impl<B: AsRef<[u8]>> ClassSource for JImage<B> {
    fn class(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>> {
        let package = name.rsplit_once('/').map_or("", |(package, _)| package);
        let Some(module) = self.module_of(&package.replace('/', "."))? else { return Ok(None) };
        match self.find(&format!("/{module}/{name}.class"))? {
            Some(resource) => self.content(&resource).map(Some),
            None => Ok(None),
        }
    }

    fn for_each_name(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        for resource in self.resources() {
            match resource?.class_name() {
                Some(name) if !name.ends_with("module-info") => visit(&name),
                _ => {}
            }
        }
        Ok(())
    }
}

fn hash(name: &str, seed: u32) -> u32 {
    name.bytes().fold(seed, |sum, byte| sum.wrapping_mul(HASH_SEED) ^ u32::from(byte)) & 0x7fff_ffff
}
