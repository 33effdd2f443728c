//! The functions of large files, kept between runs: to find them means to read all of the debug
//! information.
//!
//! A file is known by its build id and size. What cannot be read back exactly as it was written is
//! found again.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::functions::{Function, Instance, Named};

const MAGIC: &[u8] = b"watchword functions 1\n";

/// Files with less debug information than this are read in no time.
pub(super) const WORTHWHILE: usize = 8 << 20;

/// How many files are kept.
const KEPT: usize = 32;

/// Where the functions of a file with this build id and size are kept.
pub(super) fn place(build_id: &[u8], size: u64) -> Option<PathBuf> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")))?;
    let id: String = build_id.iter().map(|b| format!("{b:02x}")).collect();
    Some(cache.join("watchword").join("functions").join(format!("{id}-{size:x}")))
}

/// The functions that were kept there, if they were.
pub(super) fn load(path: &Path) -> Option<Vec<Named>> {
    let bytes = std::fs::read(path).ok()?;
    let (contents, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    if sum != checksum(contents).to_le_bytes() {
        return None;
    }
    let mut reader = Reader(contents.strip_prefix(MAGIC)?);
    let count = reader.number()?;
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(reader.named()?);
    }
    reader.0.is_empty().then_some(all)
}

/// Keeps functions there. Another process may do the same: the file appears whole or not at all.
/// That it cannot be kept is no harm.
pub(super) fn store(path: &Path, all: &[Named]) {
    let mut writer = Writer(MAGIC.to_vec());
    writer.number(all.len() as u64);
    all.iter().for_each(|named| writer.named(named));
    let sum = checksum(&writer.0);
    writer.0.extend(sum.to_le_bytes());
    let Some(folder) = path.parent() else { return };
    let unfinished = path.with_extension(format!("{}", std::process::id()));
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::File::create(&unfinished))
        .and_then(|mut file| file.write_all(&writer.0))
        .and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    forget_oldest(folder);
}

fn forget_oldest(folder: &Path) {
    let Ok(files) = std::fs::read_dir(folder) else { return };
    let dated = |f: std::fs::DirEntry| Some((f.metadata().ok()?.modified().ok()?, f.path()));
    let mut files: Vec<_> = files.flatten().filter_map(dated).collect();
    files.sort();
    let many = files.len().saturating_sub(KEPT);
    for (_, path) in files.into_iter().take(many) {
        let _ = std::fs::remove_file(path);
    }
}

/// Tells damage from what was written; not meant against malice, of which the folder's owner has
/// nothing to fear.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.try_into().map_or(0, u64::from_le_bytes);
        sum = (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    }
    for byte in chunks.remainder() {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    sum
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, n: u64) {
        self.0.extend(n.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        self.text(text.unwrap_or_default());
    }

    fn named(&mut self, Named { function, names, last }: &Named) {
        self.text(&function.name);
        self.optional(function.linkage_name.as_deref());
        self.number(u64::from(function.inlined));
        self.number(function.instances.len() as u64);
        for instance in &function.instances {
            self.number(instance.entry);
            self.number(instance.ranges.len() as u64);
            for (low, high) in &instance.ranges {
                self.number(*low);
                self.number(*high);
            }
            self.optional(instance.clone_of.as_deref());
            self.number(u64::from(instance.die.is_some()));
            let (unit, offset) = instance.die.unwrap_or_default();
            self.number(unit as u64);
            self.number(offset as u64);
        }
        self.number(names.len() as u64);
        names.iter().for_each(|name| self.text(name));
        self.optional(last.as_deref());
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(std::str::from_utf8(text).ok()?.to_string())
    }

    fn optional(&mut self) -> Option<Option<String>> {
        let is_there = self.number()? == 1;
        let text = self.text()?;
        Some(is_there.then_some(text))
    }

    fn named(&mut self) -> Option<Named> {
        let (name, linkage_name) = (self.text()?, self.optional()?);
        let inlined = u32::try_from(self.number()?).ok()?;
        let mut instances = Vec::new();
        for _ in 0..self.number()? {
            let entry = self.number()?;
            let mut ranges = Vec::new();
            for _ in 0..self.number()? {
                ranges.push((self.number()?, self.number()?));
            }
            let clone_of = self.optional()?;
            let has_die = self.number()? == 1;
            let die = (self.number()? as usize, self.number()? as usize);
            instances.push(Instance { entry, ranges, clone_of, die: has_die.then_some(die) });
        }
        let mut names = Vec::new();
        for _ in 0..self.number()? {
            names.push(self.text()?);
        }
        let last = self.optional()?;
        let function = Function { name, linkage_name, instances, inlined };
        Some(Named { function, names, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Named> {
        let instance = Instance {
            entry: 7,
            ranges: vec![(7, 9), (11, 12)],
            clone_of: Some("f.part.0".into()),
            die: Some((3, 4)),
        };
        let function = Function {
            name: "Queue::push".into(),
            linkage_name: None,
            instances: vec![instance],
            inlined: 2,
        };
        let names = vec!["push".into(), "Queue::push".into()];
        vec![Named { function, names, last: Some("push".into()) }]
    }

    #[test]
    fn functions_are_read_back_as_they_were_written_or_not_at_all() {
        let folder =
            std::env::temp_dir().join(format!("watchword-functions-{}", std::process::id()));
        let path = folder.join("id-1");
        store(&path, &some());
        assert_eq!(format!("{:?}", load(&path).unwrap()), format!("{:?}", some()));
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, &damaged).unwrap();
            assert!(load(&path).is_none(), "byte {at}");
            std::fs::write(&path, &bytes[..at]).unwrap();
            assert!(load(&path).is_none(), "cut at {at}");
        }
        for i in 0..KEPT + 5 {
            store(&folder.join(format!("other-{i}")), &some());
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), KEPT);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
