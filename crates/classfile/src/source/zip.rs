//! ZIP archives, read from their central directory.

use std::borrow::Cow;
use std::collections::HashMap;

use super::MAX_INFLATED;
use crate::error::{Error, Result};

const END: u32 = 0x0605_4b50;
const END64_LOCATOR: u32 = 0x0706_4b50;
const END64: u32 = 0x0606_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const LOCAL: u32 = 0x0403_4b50;

/// A ZIP archive over bytes the caller has read or mapped.
///
/// The central directory decides what the archive holds, as it does for the JVM; data in front of
/// the archive (a start script, a jmod header) is allowed. Sizes and checksums are checked when an
/// entry is read.
#[derive(Clone)]
pub struct Zip<B> {
    data: B,
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
}

/// An entry of a ZIP archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Path inside the archive. Bytes that are not UTF-8 are replaced.
    pub name: String,
    /// Real size.
    pub size: u64,
    compressed: u64,
    method: u16,
    flags: u16,
    crc: u32,
    /// Time and date as MS-DOS has them.
    time: u32,
    header: u64,
}

impl Entry {
    fn bad(&self, what: &str) -> Error {
        let at = usize::try_from(self.header).unwrap_or(usize::MAX);
        Error::malformed(at, format!("expected {what} of {}", self.name))
    }

    pub(super) fn method(&self) -> u16 {
        self.method
    }

    pub(super) fn crc(&self) -> u32 {
        self.crc
    }

    pub(super) fn time(&self) -> u32 {
        self.time
    }

    /// Whether the entry is stored without compression.
    pub fn is_stored(&self) -> bool {
        self.method == 0
    }
}

/// Little-endian numbers at a position, `None` past the end.
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Where the central directory is.
struct Directory {
    start: usize,
    end: usize,
    /// What to add to the offsets stored in the archive.
    shift: usize,
    count: u64,
}

fn find_directory(bytes: &[u8]) -> Result<Directory> {
    // The end record is last, followed by a comment of at most 65535 bytes.
    let last = bytes.len().checked_sub(22);
    let first = bytes.len().saturating_sub(22 + 0xffff);
    let end = last.and_then(|last| {
        (first..=last).rev().find(|at| {
            u32_at(bytes, *at) == Some(END)
                && u16_at(bytes, at + 20).is_some_and(|n| at + 22 + usize::from(n) <= bytes.len())
        })
    });
    let end = end.ok_or_else(|| {
        Error::malformed(bytes.len(), "expected the end record of a ZIP central directory")
    })?;
    let bad = || Error::malformed(end, "expected a ZIP central directory before its end record");
    let number = |at: usize| u32_at(bytes, end + at).map(u64::from).ok_or_else(bad);
    let mut count = u64::from(u16_at(bytes, end + 10).ok_or_else(bad)?);
    let (mut size, mut offset) = (number(12)?, number(16)?);
    let mut end_of_directory = end;
    if (count == 0xffff || size == 0xffff_ffff || offset == 0xffff_ffff)
        && let Some(locator) = end.checked_sub(20)
        && u32_at(bytes, locator) == Some(END64_LOCATOR)
    {
        // Data in front of the archive shifts the record; it is the last thing before the locator.
        let stated = u64_at(bytes, locator + 8).and_then(|at| usize::try_from(at).ok());
        let at = [stated, locator.checked_sub(56)]
            .into_iter()
            .flatten()
            .find(|at| u32_at(bytes, *at) == Some(END64))
            .ok_or_else(bad)?;
        count = u64_at(bytes, at + 32).ok_or_else(bad)?;
        size = u64_at(bytes, at + 40).ok_or_else(bad)?;
        offset = u64_at(bytes, at + 48).ok_or_else(bad)?;
        end_of_directory = at;
    }
    let (size, offset) = (usize::try_from(size), usize::try_from(offset));
    let (Ok(size), Ok(offset)) = (size, offset) else { return Err(bad()) };
    let start = end_of_directory.checked_sub(size).ok_or_else(bad)?;
    let shift = start.checked_sub(offset).ok_or_else(bad)?;
    Ok(Directory { start, end: end_of_directory, shift, count })
}

impl<B: AsRef<[u8]>> Zip<B> {
    /// Reads the central directory.
    pub fn parse(data: B) -> Result<Zip<B>> {
        let bytes = data.as_ref();
        let directory = find_directory(bytes)?;
        let mut entries = Vec::new();
        let mut at = directory.start;
        for _ in 0..directory.count {
            let entry = read_central(&bytes[..directory.end], at, directory.shift);
            let (entry, next) = entry.ok_or_else(|| {
                Error::malformed(at, "expected an entry of the ZIP central directory")
            })?;
            entries.push(entry);
            at = next;
        }
        let mut by_name = HashMap::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            // Of entries with the same name, the last wins.
            by_name.insert(entry.name.clone(), index);
        }
        Ok(Zip { entries, by_name, data })
    }

    /// What stands before the first entry: a script that starts the archive, for example.
    pub fn prefix(&self) -> &[u8] {
        let first = self.entries.iter().map(|entry| entry.header).min().unwrap_or(0);
        let first = usize::try_from(first).unwrap_or(0);
        self.data.as_ref().get(..first).unwrap_or_default()
    }

    /// The entries in directory order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with this path.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(name).map(|index| &self.entries[*index])
    }

    /// The contents of the entry with this path.
    pub fn read(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>> {
        self.entry(name).map(|entry| self.content(entry)).transpose()
    }

    /// The bytes of an entry as they stand in the archive, compressed or not.
    pub(super) fn raw(&self, entry: &Entry) -> Result<&[u8]> {
        let bytes = self.data.as_ref();
        let at = usize::try_from(entry.header).unwrap_or(usize::MAX);
        if entry.flags & 1 != 0 {
            return Err(Error::unsupported(format!("the encrypted entry {}", entry.name)));
        }
        let raw = || {
            if u32_at(bytes, at)? != LOCAL {
                return None;
            }
            let name = usize::from(u16_at(bytes, at + 26)?);
            let extra = usize::from(u16_at(bytes, at + 28)?);
            let start = at + 30 + name + extra;
            bytes.get(start..)?.get(..usize::try_from(entry.compressed).ok()?)
        };
        raw().ok_or_else(|| entry.bad("the data"))
    }

    /// The contents of an entry; borrowed when it is stored.
    pub fn content(&self, entry: &Entry) -> Result<Cow<'_, [u8]>> {
        let raw = self.raw(entry)?;
        let size = usize::try_from(entry.size).unwrap_or(usize::MAX);
        let content = match entry.method {
            0 => Cow::Borrowed(raw),
            8 if size > MAX_INFLATED => {
                return Err(Error::limit(format!("{} inflates to {size} bytes", entry.name)));
            }
            8 => Cow::Owned(
                miniz_oxide::inflate::decompress_to_vec_with_limit(raw, size)
                    .map_err(|_| entry.bad("deflated data"))?,
            ),
            other => {
                return Err(Error::unsupported(format!(
                    "ZIP compression method {other} of {}",
                    entry.name
                )));
            }
        };
        if content.len() != size || crc32fast::hash(&content) != entry.crc {
            return Err(entry.bad("data with the stated size and checksum"));
        }
        Ok(content)
    }
}

/// Reads one entry of the central directory; also returns where the next one starts.
fn read_central(bytes: &[u8], at: usize, shift: usize) -> Option<(Entry, usize)> {
    if u32_at(bytes, at)? != CENTRAL {
        return None;
    }
    let lengths = [28, 30, 32].map(|field| u16_at(bytes, at + field).map(usize::from));
    let [Some(name_len), Some(extra_len), Some(comment_len)] = lengths else { return None };
    let name = bytes.get(at + 46..)?.get(..name_len)?;
    let extra = bytes.get(at + 46 + name_len..)?.get(..extra_len)?;
    let mut entry = Entry {
        name: String::from_utf8_lossy(name).into_owned(),
        flags: u16_at(bytes, at + 8)?,
        method: u16_at(bytes, at + 10)?,
        time: u32_at(bytes, at + 12)?,
        crc: u32_at(bytes, at + 16)?,
        compressed: u32_at(bytes, at + 20)?.into(),
        size: u32_at(bytes, at + 24)?.into(),
        header: u32_at(bytes, at + 42)?.into(),
    };
    // The 64-bit extra field holds, in this order, those of the three that did not fit.
    let mut fields = extra;
    while let (Some(id), Some(len)) = (u16_at(fields, 0), u16_at(fields, 2)) {
        let body = fields.get(4..)?.get(..usize::from(len))?;
        if id == 1 {
            let mut pos = 0;
            for value in [&mut entry.size, &mut entry.compressed, &mut entry.header] {
                if *value == 0xffff_ffff {
                    *value = u64_at(body, pos)?;
                    pos += 8;
                }
            }
        }
        fields = &fields[4 + body.len()..];
    }
    entry.header = entry.header.checked_add(shift as u64)?;
    Some((entry, at + 46 + name_len + extra_len + comment_len))
}
