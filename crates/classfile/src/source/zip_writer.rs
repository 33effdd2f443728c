//! ZIP archives, written.

use super::zip::{Entry, Zip};
use crate::error::{Error, Result};

/// A ZIP archive being written. The same entries give the same bytes.
#[derive(Default)]
pub struct ZipWriter {
    out: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

/// The first of January 1980: entries that were changed have no time of their own.
const NO_TIME: u32 = 0x0021_0000;
const UTF8_NAMES: u16 = 1 << 11;

/// How an entry is compressed.
struct Packed<'p> {
    data: &'p [u8],
    method: u16,
    crc: u32,
    size: u64,
    time: u32,
}

impl ZipWriter {
    /// An empty archive.
    pub fn new() -> ZipWriter {
        ZipWriter::default()
    }

    /// Adds an entry, compressed unless it is to be stored as it is.
    pub fn add(&mut self, name: &str, content: &[u8], stored: bool) -> Result<()> {
        let deflated = if stored || content.is_empty() {
            None
        } else {
            Some(miniz_oxide::deflate::compress_to_vec(content, 6))
        };
        let (crc, size) = (crc32fast::hash(content), content.len() as u64);
        let packed = match &deflated {
            Some(data) => Packed { data, method: 8, crc, size, time: NO_TIME },
            None => Packed { data: content, method: 0, crc, size, time: NO_TIME },
        };
        self.append(name, &packed)
    }

    /// Adds an entry of another archive as it is there.
    pub fn copy<B: AsRef<[u8]>>(&mut self, zip: &Zip<B>, entry: &Entry) -> Result<()> {
        let packed = Packed {
            data: zip.raw(entry)?,
            method: entry.method(),
            crc: entry.crc(),
            size: entry.size,
            time: entry.time(),
        };
        self.append(&entry.name, &packed)
    }

    fn append(&mut self, name: &str, packed: &Packed<'_>) -> Result<()> {
        let too_large = |what: &str| Error::limit(format!("the archive has {what}"));
        let fits = |n: u64| u32::try_from(n).map_err(|_| too_large("over 4 GiB"));
        let header = fits(self.out.len() as u64)?;
        let (size, compressed) = (fits(packed.size)?, fits(packed.data.len() as u64)?);
        let name_length =
            u16::try_from(name.len()).map_err(|_| too_large("a name of over 65535 bytes"))?;
        self.count = self.count.checked_add(1).ok_or_else(|| too_large("over 65535 entries"))?;
        let mut common = Vec::with_capacity(26);
        common.extend(20u16.to_le_bytes());
        common.extend(UTF8_NAMES.to_le_bytes());
        common.extend(packed.method.to_le_bytes());
        for number in [packed.time, packed.crc, compressed, size] {
            common.extend(number.to_le_bytes());
        }
        common.extend(name_length.to_le_bytes());
        common.extend(0u16.to_le_bytes());

        self.out.extend(0x0403_4b50u32.to_le_bytes());
        self.out.extend_from_slice(&common);
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(packed.data);

        self.directory.extend(0x0201_4b50u32.to_le_bytes());
        self.directory.extend(20u16.to_le_bytes());
        self.directory.extend_from_slice(&common);
        // No comment, first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(header.to_le_bytes());
        self.directory.extend_from_slice(name.as_bytes());
        Ok(())
    }

    /// The bytes of the archive.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        let fits =
            |n: usize| u32::try_from(n).map_err(|_| Error::limit("the archive has over 4 GiB"));
        let (start, size) = (fits(self.out.len())?, fits(self.directory.len())?);
        self.out.append(&mut self.directory);
        self.out.extend(0x0605_4b50u32.to_le_bytes());
        self.out.extend([0; 4]);
        self.out.extend(self.count.to_le_bytes());
        self.out.extend(self.count.to_le_bytes());
        self.out.extend(size.to_le_bytes());
        self.out.extend(start.to_le_bytes());
        self.out.extend([0; 2]);
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::{Zip, ZipWriter};

    #[test]
    fn what_is_written_can_be_read_and_copied() {
        let mut writer = ZipWriter::new();
        writer.add("folder/", b"", false).unwrap();
        writer.add("folder/text", &b"again and ".repeat(100), false).unwrap();
        writer.add("stored", b"as it is", true).unwrap();
        let first = writer.finish().unwrap();
        let zip = Zip::parse(&first[..]).unwrap();
        assert_eq!(&*zip.read("folder/text").unwrap().unwrap(), b"again and ".repeat(100));
        assert!(zip.entry("stored").unwrap().is_stored());
        let mut copy = ZipWriter::new();
        zip.entries().iter().for_each(|entry| copy.copy(&zip, entry).unwrap());
        assert_eq!(copy.finish().unwrap(), first);
    }
}
