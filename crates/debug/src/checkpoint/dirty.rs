//! Which pages were written.
//!
//! With a kernel from 6.7 on, the write-protection of userfaultfd in its asynchronous mode tracks
//! writes at no cost beyond the copy-on-write fault that comes anyway, and one call lists them.
//! Without it, everything counts as written and contents are compared.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

use libc::pid_t;

use crate::error::Result;
use crate::maps::Mapping;
use crate::space::Space;
use crate::sys;
use crate::tracer::Tracer;

/// Page ranges, disjoint: start → end.
#[derive(Clone, Debug, Default)]
pub(super) struct Pages(BTreeMap<u64, u64>);

impl Pages {
    pub fn add_range(&mut self, start: u64, end: u64) {
        let (mut start, mut end) = (start, end);
        // Swallow everything that touches.
        while let Some((&s, &e)) = self.0.range(..=end).next_back() {
            if e < start {
                break;
            }
            start = start.min(s);
            end = end.max(e);
            self.0.remove(&s);
        }
        self.0.insert(start, end);
    }

    pub fn add(&mut self, other: &Pages) {
        for (s, e) in &other.0 {
            self.add_range(*s, *e);
        }
    }

    /// Whether some of a range is among them.
    pub fn meets(&self, start: u64, end: u64) -> bool {
        self.0.range(..end).next_back().is_some_and(|(_, e)| *e > start)
    }

    /// The parts inside private mappings with contents, of those mappings that are `like` it.
    pub fn within<'a>(
        &'a self,
        maps: &'a [Mapping],
        like: impl Fn(&Mapping) -> bool + 'a,
    ) -> impl Iterator<Item = (u64, u64)> + 'a {
        maps.iter().filter(move |m| !m.shared && like(m)).flat_map(move |m| {
            self.0
                .range(..m.end)
                .rev()
                .take_while(move |(_, e)| **e > m.start)
                .map(move |(s, e)| ((*s).max(m.start), (*e).min(m.end)))
                .collect::<Vec<_>>()
        })
    }
}

/// What becomes of the pages that were listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// They count as not written from now on.
    StartAnew,
    /// They are listed again the next time.
    GoOn,
}

/// The kernel's help for one process.
pub(crate) struct Tracker {
    uffd: OwnedFd,
    pagemap: File,
}

#[repr(C)]
struct UffdioApi {
    api: u64,
    features: u64,
    ioctls: u64,
}

#[repr(C)]
struct UffdioRegister {
    start: u64,
    len: u64,
    mode: u64,
    ioctls: u64,
}

#[repr(C)]
#[derive(Default)]
struct ScanArgument {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Region {
    start: u64,
    end: u64,
    categories: u64,
}

const UFFDIO_API: u64 = 0xc018_aa3f;
const UFFDIO_REGISTER: u64 = 0xc020_aa00;
const PAGEMAP_SCAN: u64 = 0xc060_6610;
const UFFD_API: u64 = 0xaa;
const WP_UNPOPULATED: u64 = 1 << 13;
const WP_ASYNC: u64 = 1 << 15;
const REGISTER_WP: u64 = 2;
const SCAN_PROTECT: u64 = 1;
const SCAN_CHECK: u64 = 2;
const IS_WRITTEN: u64 = 2;
const IS_PRESENT: u64 = 8;
const IS_ZERO: u64 = 32;

impl Tracker {
    fn register(&self, m: &Mapping) -> bool {
        let mut register =
            UffdioRegister { start: m.start, len: m.end - m.start, mode: REGISTER_WP, ioctls: 0 };
        sys::ioctl(self.uffd.as_raw_fd(), UFFDIO_REGISTER, &mut register).is_ok()
            && self.start_anew(m)
    }

    /// From now on nothing was written. False when the mapping (or part of it) is not tracked.
    fn start_anew(&self, m: &Mapping) -> bool {
        let mut argument = ScanArgument {
            size: size_of::<ScanArgument>() as u64,
            flags: SCAN_PROTECT | SCAN_CHECK,
            start: m.start,
            end: m.end,
            category_mask: IS_WRITTEN,
            return_mask: IS_WRITTEN,
            ..ScanArgument::default()
        };
        sys::ioctl(self.pagemap.as_raw_fd(), PAGEMAP_SCAN, &mut argument).is_ok()
    }

    /// Lists what was written since the last start. `None` when the mapping (or part of it) is not
    /// tracked.
    fn scan(&self, m: &Mapping, then: Then) -> Option<Vec<(u64, u64)>> {
        let mut found = Vec::new();
        let mut regions = vec![Region::default(); 512];
        let mut start = m.start;
        while start < m.end {
            let mut argument = ScanArgument {
                size: size_of::<ScanArgument>() as u64,
                flags: SCAN_CHECK | if then == Then::StartAnew { SCAN_PROTECT } else { 0 },
                start,
                end: m.end,
                vec: regions.as_mut_ptr() as u64,
                vec_len: regions.len() as u64,
                category_mask: IS_WRITTEN,
                return_mask: IS_WRITTEN,
                ..ScanArgument::default()
            };
            // The argument points to `regions`, which outlives the call.
            let n = sys::ioctl(self.pagemap.as_raw_fd(), PAGEMAP_SCAN, &mut argument).ok()?;
            found.extend(regions[..n as usize].iter().map(|r| (r.start, r.end)));
            if argument.walk_end <= start {
                break;
            }
            start = argument.walk_end;
        }
        Some(found)
    }
}

/// Whether some page of a private mapping was ever written and is in memory; `None` where the kernel
/// cannot say so at once. `pagemap` is that of the process. Pages that were swapped out cannot be told
/// from those that are only tracked.
pub(super) fn has_contents(pagemap: &File, m: &Mapping) -> Option<bool> {
    let mut region = Region::default();
    let mut argument = ScanArgument {
        size: size_of::<ScanArgument>() as u64,
        start: m.start,
        end: m.end,
        vec: &raw mut region as u64,
        vec_len: 1,
        max_pages: 1,
        // The one page of zeros that stands for all that were only read.
        category_inverted: IS_ZERO,
        category_mask: IS_ZERO,
        category_anyof_mask: IS_PRESENT,
        return_mask: IS_PRESENT,
        ..ScanArgument::default()
    };
    // The argument points to `region`, which outlives the call.
    let found = sys::ioctl(pagemap.as_raw_fd(), PAGEMAP_SCAN, &mut argument).ok()?;
    Some(found > 0)
}

/// The pages of a program that were written, and those of them that only may have been.
fn list(tracker: Option<&Tracker>, maps: &[Mapping], then: Then) -> (Pages, Pages) {
    let (mut written, mut guessed) = (Pages::default(), Pages::default());
    for m in maps.iter().filter(|m| !m.shared) {
        // What the program discards of a file's copy counts as untouched, and is not.
        if m.inode != 0 && m.is_writable() {
            written.add_range(m.start, m.end);
            guessed.add_range(m.start, m.end);
        }
        match tracker.and_then(|t| t.scan(m, then)) {
            Some(ranges) => {
                for (start, end) in ranges {
                    written.add_range(start, end);
                }
            }
            None => {
                // New since, or no tracking at all.
                written.add_range(m.start, m.end);
                guessed.add_range(m.start, m.end);
                if let Some(t) = tracker {
                    t.register(m);
                }
            }
        }
    }
    (written, guessed)
}

impl Tracer {
    fn start_tracker(&mut self, pid: pid_t) -> Option<Tracker> {
        const USER_MODE_ONLY: u64 = 1;
        if self.checkpoints.compare_only {
            return None;
        }
        let tid = self.any_stopped(pid).ok()?;
        let flags = libc::O_CLOEXEC as u64 | USER_MODE_ONLY;
        let fd = self.syscall(tid, libc::SYS_userfaultfd, [flags, 0, 0, 0, 0, 0]).ok()?;
        let uffd = sys::take_fd(pid, fd as i32);
        // The program keeps no descriptor of ours.
        self.syscall(tid, libc::SYS_close, [fd, 0, 0, 0, 0, 0]).ok()?;
        let uffd = uffd.ok()?;
        let mut api = UffdioApi { api: UFFD_API, features: WP_ASYNC | WP_UNPOPULATED, ioctls: 0 };
        sys::ioctl(uffd.as_raw_fd(), UFFDIO_API, &mut api).ok()?;
        let pagemap = File::open(format!("/proc/{pid}/pagemap")).ok()?;
        Some(Tracker { uffd, pagemap })
    }

    /// The pages written since this was last asked, and those of them that only may have been; they
    /// are added to every checkpoint.
    pub(super) fn collect_dirty(
        &mut self,
        pid: pid_t,
        maps: &[Mapping],
        then: Then,
    ) -> (Pages, Pages) {
        if !self.checkpoints.trackers.contains_key(&pid) {
            let tracker = self.start_tracker(pid);
            self.checkpoints.trackers.insert(pid, tracker);
        }
        let tracker = self.checkpoints.trackers.get(&pid).and_then(|t| t.as_ref());
        let (written, guessed) = list(tracker, maps, then);
        for c in self.checkpoints.all.values_mut().filter(|c| c.process == pid) {
            c.dirty.add(&written);
            c.guessed.add(&guessed);
        }
        (written, guessed)
    }

    /// Starts anew without adding to any checkpoint: what was written made memory equal to one.
    pub(super) fn forget_writes(&mut self, pid: pid_t, maps: &[Mapping]) -> Result<()> {
        if let Some(Some(tracker)) = self.checkpoints.trackers.get(&pid) {
            for m in maps.iter().filter(|m| !m.shared) {
                tracker.start_anew(m);
            }
        }
        Ok(())
    }
}

/// Reads a range of the image; what is unreadable there reads as far as it goes.
pub(super) fn read(image: pid_t, memory: &File, at: u64, buffer: &mut [u8]) -> usize {
    match sys::read_process(image, at, buffer) {
        Ok(n) if n == buffer.len() => n,
        _ => read_file(memory, at, buffer),
    }
}

/// Reads the program's memory with breakpoints in it.
pub(super) fn read_live(pid: pid_t, space: &Space, at: u64, buffer: &mut [u8]) -> usize {
    match sys::read_process(pid, at, buffer) {
        Ok(n) if n == buffer.len() => n,
        _ => {
            let n = space.read_partly(at, buffer);
            space.overlay(at, &mut buffer[..n]);
            n
        }
    }
}

fn read_file(memory: &File, at: u64, buffer: &mut [u8]) -> usize {
    let mut done = 0;
    while done < buffer.len() {
        let end = buffer.len().min(done + 4096);
        match memory.read_at(&mut buffer[done..end], at + done as u64) {
            Ok(n) if n > 0 => done += n,
            _ => break,
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_merge() {
        let mut p = Pages::default();
        for (s, e) in [(10, 20), (30, 40), (20, 25), (50, 60), (24, 31), (5, 6), (55, 58)] {
            p.add_range(s, e);
        }
        assert_eq!(p.0.into_iter().collect::<Vec<_>>(), [(5, 6), (10, 40), (50, 60)]);
    }
}
