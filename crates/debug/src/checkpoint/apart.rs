//! Memory that a forked child has no copy of, so an image has none either: some keeps its secrets to
//! one process (`MADV_WIPEONFORK`), some is for devices (`MADV_DONTFORK`). Its contents are saved
//! beside the image.

use std::fs::File;

use libc::pid_t;

use super::{dirty, refused};
use crate::error::Result;
use crate::maps::{self, Kept, Mapping};
use crate::proc;
use crate::tracer::Tracer;

const PAGE: usize = 4096;
/// More than programs have of it, and little enough to be copied for each checkpoint.
const MOST: u64 = 64 << 20;

/// One such mapping.
pub(super) struct Apart {
    start: u64,
    end: u64,
    kept: Kept,
    contents: Vec<u8>,
}

/// Whether some of the memory of a process is on disk.
fn is_swapped(pid: pid_t) -> bool {
    let status = proc::text(pid, "status").unwrap_or_default();
    let size = status.lines().find_map(|l| l.strip_prefix("VmSwap:"));
    size.is_none_or(|s| s.trim() != "0 kB")
}

/// The private memory of a process that a child it has just forked has no copy of: what is not
/// mapped there, and what has contents here and none there. Other kernels tell the advice that was
/// given, and look at every page for it.
fn missing(maps: &[Mapping], pid: pid_t, image: pid_t) -> Result<Vec<(Mapping, Kept)>> {
    let copied = maps::read(image)?;
    let pagemap = |pid: pid_t| File::open(format!("/proc/{pid}/pagemap"));
    let (Ok(here), Ok(there), false) = (pagemap(pid), pagemap(image), is_swapped(pid)) else {
        return maps::not_forked(pid);
    };
    let mut all = Vec::new();
    for m in maps.iter().filter(|m| !m.shared) {
        let out = !copied.iter().any(|c| c.contains(m.start));
        let wiped = match out || m.inode != 0 {
            true => false,
            false => match dirty::has_contents(&there, m) {
                Some(true) => false,
                Some(false) => dirty::has_contents(&here, m) == Some(true),
                None => return maps::not_forked(pid),
            },
        };
        if out || wiped {
            all.push((m.clone(), Kept { out, wiped }));
        }
    }
    Ok(all)
}

impl Tracer {
    /// Saves the memory that the image does not have.
    pub(super) fn save_apart(
        &self,
        pid: pid_t,
        image: pid_t,
        maps: &[Mapping],
    ) -> Result<Vec<Apart>> {
        let mappings = missing(maps, pid, image)?;
        let size: u64 = mappings.iter().map(|(m, _)| m.end - m.start).sum();
        if size > MOST {
            return Err(refused(format!(
                "{} MiB of memory are excluded from copies of the process (MADV_DONTFORK, MADV_WIPEONFORK), more than the {} MiB that can be saved",
                size >> 20,
                MOST >> 20
            )));
        }
        let space = self.space(pid)?;
        let save = |(m, kept): (Mapping, Kept)| {
            let mut contents = vec![0; (m.end - m.start) as usize];
            let n = space.read_partly(m.start, &mut contents);
            contents.truncate(n);
            Apart { start: m.start, end: m.end, kept, contents }
        };
        Ok(mappings.into_iter().map(save).collect())
    }

    /// Makes the memory what it was. Its mappings are there again already; those in `fresh` were
    /// made anew, and nobody has told the kernel yet that children get no copy of them.
    pub(super) fn put_apart_back(
        &mut self,
        tid: pid_t,
        then: &[Apart],
        fresh: &[(u64, u64)],
    ) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        for apart in then {
            if fresh.iter().any(|(start, end)| *start < apart.end && apart.start < *end) {
                self.keep_from_children(tid, apart)?;
            }
            let mut present = vec![0; apart.contents.len()];
            let n = self.space(pid)?.read_partly(apart.start, &mut present);
            for (i, page) in apart.contents.chunks(PAGE).enumerate() {
                let from = i * PAGE;
                if present[..n].get(from..from + page.len()) != Some(page) {
                    self.space_mut(pid)?.write(apart.start + from as u64, page)?;
                }
            }
        }
        Ok(())
    }

    fn keep_from_children(&mut self, tid: pid_t, apart: &Apart) -> Result<()> {
        let advice =
            [(apart.kept.out, libc::MADV_DONTFORK), (apart.kept.wiped, libc::MADV_WIPEONFORK)];
        for (_, advice) in advice.into_iter().filter(|(wanted, _)| *wanted) {
            let args = [apart.start, apart.end - apart.start, advice as u64, 0, 0, 0];
            self.syscall(tid, libc::SYS_madvise, args)?;
        }
        Ok(())
    }
}
