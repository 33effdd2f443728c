//! Memory shared with other processes: going back does not change it, so it must not have changed.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::fs::MetadataExt;

use libc::pid_t;

use super::refused;
use crate::error::Result;
use crate::maps::Mapping;
use crate::space::Space;
use crate::sys;

const PAGE: usize = 4096;

/// What some shared memory held.
pub(super) struct Shared {
    start: u64,
    end: u64,
    sum: u64,
}

pub(super) fn save(space: &Space, maps: &[Mapping]) -> Vec<Shared> {
    let writable = maps.iter().filter(|m| m.shared && m.is_writable());
    writable.map(|m| Shared { start: m.start, end: m.end, sum: sum(space, m) }).collect()
}

/// Refuses if some of it was written or is gone.
pub(super) fn check(space: &Space, then: &[Shared], now: &[Mapping]) -> Result<()> {
    for shared in then {
        let is_it = |m: &&Mapping| m.shared && (m.start, m.end) == (shared.start, shared.end);
        if now.iter().find(is_it).is_none_or(|m| sum(space, m) != shared.sum) {
            return Err(refused(format!(
                "memory shared with others at {:#x} was written since the checkpoint",
                shared.start
            )));
        }
    }
    Ok(())
}

/// A sum over the pages that are not all zeros. Reading a page that nobody has used would make the
/// kernel find memory for it, so those are left out where they can be told.
fn sum(space: &Space, m: &Mapping) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut buffer = vec![0u8; 1 << 20];
    for (start, end) in used(space.pid, m) {
        let mut at = start;
        while at < end {
            let n = (end - at).min(buffer.len() as u64) as usize;
            let got = space.read_partly(at, &mut buffer[..n]);
            for (i, page) in buffer[..got].chunks(PAGE).enumerate() {
                if page.iter().any(|b| *b != 0) {
                    hasher.write_u64(at + (i * PAGE) as u64);
                    hasher.write(page);
                }
            }
            at += n as u64;
        }
    }
    hasher.finish()
}

/// The ranges that may have contents: all of it, if the file behind it cannot be asked.
fn used(pid: pid_t, m: &Mapping) -> Vec<(u64, u64)> {
    let whole = vec![(m.start, m.end)];
    let Some(file) = file_of(pid, m) else { return whole };
    let (first, last) = (m.offset, m.offset + (m.end - m.start));
    let mut ranges = Vec::new();
    let mut from = first;
    while from < last {
        match sys::next_data(&file, from) {
            Ok(Some((start, end))) if start < last && end > from => {
                let address = |offset: u64| m.start + (offset.min(last) - first);
                ranges.push((address(start) & !0xfff, address(end.next_multiple_of(0x1000))));
                from = end;
            }
            Ok(_) => break,
            Err(_) => return whole,
        }
    }
    ranges
}

/// The file behind a mapping. Not everybody may ask the kernel for one that has no name any more.
fn file_of(pid: pid_t, m: &Mapping) -> Option<File> {
    let mapped = format!("/proc/{pid}/map_files/{:x}-{:x}", m.start, m.end);
    File::open(mapped).ok().or_else(|| {
        let file = File::open(format!("/proc/{pid}/root{}", m.name)).ok()?;
        file.metadata().is_ok_and(|found| found.ino() == m.inode).then_some(file)
    })
}
