//! Memory that a forked child has no copy of, so an image has none either: some keeps its secrets to
//! one process (`MADV_WIPEONFORK`), some is for devices (`MADV_DONTFORK`). Its contents are saved
//! beside the image.

use libc::pid_t;

use super::refused;
use crate::error::Result;
use crate::maps::{self, Kept};
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

impl Tracer {
    /// Saves the memory that the image will not have.
    pub(super) fn save_apart(&self, pid: pid_t) -> Result<Vec<Apart>> {
        let mappings = maps::not_forked(pid)?;
        let size: u64 = mappings.iter().map(|(m, _)| m.end - m.start).sum();
        if size > MOST {
            return Err(refused(format!(
                "{} MiB of memory are kept from copies of the process (MADV_DONTFORK, \
                 MADV_WIPEONFORK), more than the {} MiB that are saved",
                size >> 20,
                MOST >> 20
            )));
        }
        let space = self.space(pid)?;
        let save = |(m, kept): (maps::Mapping, Kept)| {
            let mut contents = vec![0; (m.end - m.start) as usize];
            let n = space.read_partly(m.start, &mut contents);
            contents.truncate(n);
            Apart { start: m.start, end: m.end, kept, contents }
        };
        Ok(mappings.into_iter().map(save).collect())
    }

    /// Makes the memory, and what a forked child finds of it, as it was. Its mappings are there
    /// again already.
    pub(super) fn put_apart_back(
        &mut self,
        tid: pid_t,
        then: &[Apart],
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        let now = maps::not_forked(pid)?;
        let was = |m: &maps::Mapping, kept: Kept| {
            then.iter().any(|a| (a.start, a.end, a.kept) == (m.start, m.end, kept))
        };
        if now.len() != then.len() || !now.iter().all(|(m, kept)| was(m, *kept)) {
            let undone = now.iter().filter(|(m, kept)| !was(m, *kept));
            let undone = undone.map(|(m, kept)| ((m.start, m.end), *kept, false));
            let redone = then.iter().map(|a| ((a.start, a.end), a.kept, true));
            for (range, kept, yes) in undone.chain(redone) {
                // Some memory can only be of this kind.
                if self.advise(tid, range, kept, yes).is_err() {
                    warnings.push(format!(
                        "whether memory at {:#x} is copied to forked children stays as it is",
                        range.0
                    ));
                }
            }
        }
        for apart in then {
            for (i, page) in apart.contents.chunks(PAGE).enumerate() {
                let at = apart.start + (i * PAGE) as u64;
                let mut present = [0; PAGE];
                let n = self.space(pid)?.read_partly(at, &mut present[..page.len()]);
                if present[..n] != *page {
                    self.space_mut(pid)?.write(at, page)?;
                }
            }
        }
        Ok(())
    }

    fn advise(&mut self, tid: pid_t, range: (u64, u64), kept: Kept, yes: bool) -> Result<()> {
        let (start, end) = range;
        let advice = [
            (kept.out, if yes { libc::MADV_DONTFORK } else { libc::MADV_DOFORK }),
            (kept.wiped, if yes { libc::MADV_WIPEONFORK } else { libc::MADV_KEEPONFORK }),
        ];
        for (wanted, advice) in advice {
            if wanted {
                let args = [start, end - start, advice as u64, 0, 0, 0];
                self.syscall(tid, libc::SYS_madvise, args)?;
            }
        }
        Ok(())
    }
}
