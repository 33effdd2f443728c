//! Mappings that changed since a checkpoint are changed back.

use libc::pid_t;

use super::refused;
use crate::error::Result;
use crate::maps::Mapping;
use crate::tracer::Tracer;

/// One change to make, by page range.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    Unmap(u64, u64),
    Protect(u64, u64, i32),
    Anonymous(u64, u64, i32),
    File { start: u64, end: u64, prot: i32, offset: u64, path: String },
}

/// A stretch of address space over which neither side changes.
fn at(maps: &[Mapping], address: u64) -> Option<&Mapping> {
    let i = maps.partition_point(|m| m.end <= address);
    maps.get(i).filter(|m| m.contains(address))
}

fn same_backing(a: &Mapping, b: &Mapping, address: u64) -> bool {
    let special = |m: &Mapping| m.inode == 0;
    if special(a) && special(b) {
        // The heap and the stack are anonymous memory under a name.
        return a.shared == b.shared;
    }
    a.inode == b.inode
        && a.shared == b.shared
        && a.offset + (address - a.start) == b.offset + (address - b.start)
}

/// What must change for `now` to look like `then`; refused if something is out of reach.
pub(super) fn plan(then: &[Mapping], now: &[Mapping]) -> Result<Vec<Change>> {
    let mut cuts: Vec<u64> = then.iter().chain(now).flat_map(|m| [m.start, m.end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut changes = Vec::new();
    for pair in cuts.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        let (old, new) = (at(then, start), at(now, start));
        // The heap is changed as a whole by its own system call; stacks that grew may stay.
        let is_elastic =
            |m: Option<&Mapping>| m.is_some_and(|m| m.name == "[heap]" || m.name == "[stack]");
        match (old, new) {
            (None, None) => {}
            (None, Some(_)) if is_elastic(new) => {}
            (Some(_), None) if is_elastic(old) => {}
            (None, Some(_)) => changes.push(Change::Unmap(start, end)),
            (Some(old), Some(new)) if same_backing(old, new, start) => {
                if old.prot != new.prot {
                    changes.push(Change::Protect(start, end, old.prot));
                }
            }
            (Some(old), _) => {
                if old.shared {
                    return Err(refused(format!(
                        "shared memory at {start:#x} was unmapped since the checkpoint"
                    )));
                }
                if old.inode == 0 {
                    changes.push(Change::Anonymous(start, end, old.prot));
                } else if old.name.ends_with(" (deleted)") || !old.name.starts_with('/') {
                    return Err(refused(format!(
                        "the file mapped at {start:#x} is gone: {}",
                        old.name
                    )));
                } else {
                    changes.push(Change::File {
                        start,
                        end,
                        prot: old.prot,
                        offset: old.offset + (start - old.start),
                        path: old.name.clone(),
                    });
                }
            }
        }
    }
    Ok(changes)
}

/// Carries the plan out; gives the ranges whose contents must come from the image.
pub(super) fn apply(
    tracer: &mut Tracer,
    tid: pid_t,
    plan: &[Change],
    heap_end: u64,
) -> Result<Vec<(u64, u64)>> {
    let mut fresh = Vec::new();
    let private = libc::MAP_PRIVATE | libc::MAP_FIXED;
    let old_end = tracer.syscall(tid, libc::SYS_brk, [0; 6])?;
    if old_end != heap_end {
        tracer.syscall(tid, libc::SYS_brk, [heap_end, 0, 0, 0, 0, 0])?;
        if heap_end > old_end {
            fresh.push((old_end & !0xfff, heap_end.next_multiple_of(0x1000)));
        }
    }
    for change in plan {
        match change {
            Change::Unmap(start, end) => {
                tracer.syscall(tid, libc::SYS_munmap, [*start, end - start, 0, 0, 0, 0])?;
            }
            Change::Protect(start, end, prot) => {
                let args = [*start, end - start, *prot as u64, 0, 0, 0];
                tracer.syscall(tid, libc::SYS_mprotect, args)?;
            }
            Change::Anonymous(start, end, prot) => {
                let flags = (private | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as u64;
                let args = [*start, end - start, *prot as u64, flags, u64::MAX, 0];
                tracer.syscall(tid, libc::SYS_mmap, args)?;
                fresh.push((*start, *end));
            }
            Change::File { start, end, prot, offset, path } => {
                let fd = open_in(tracer, tid, path, libc::O_RDONLY)?;
                let args = [*start, end - start, *prot as u64, private as u64, fd, *offset];
                let mapped = tracer.syscall(tid, libc::SYS_mmap, args);
                tracer.syscall(tid, libc::SYS_close, [fd, 0, 0, 0, 0, 0])?;
                mapped?;
                fresh.push((*start, *end));
            }
        }
    }
    Ok(fresh)
}

/// Opens a file in the program, with the path left on its stack for the moment.
pub(super) fn open_in(tracer: &mut Tracer, tid: pid_t, path: &str, flags: i32) -> Result<u64> {
    let pid = tracer.thread(tid)?.pid;
    let sp = tracer.raw_registers(tid)?.sp();
    let mut bytes = path.as_bytes().to_vec();
    bytes.push(0);
    let at = (sp - 256 - bytes.len() as u64) & !0xf;
    let mut before = vec![0; bytes.len()];
    let space = tracer.space_mut(pid)?;
    space.read(at, &mut before)?;
    space.write(at, &bytes)?;
    let result =
        tracer.syscall(tid, libc::SYS_openat, [libc::AT_FDCWD as u64, at, flags as u64, 0, 0, 0]);
    tracer.space_mut(pid)?.write(at, &before)?;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn m(start: u64, end: u64, prot: i32, name: &str) -> Mapping {
        Mapping {
            start,
            end,
            prot,
            shared: false,
            offset: 0,
            inode: u64::from(name.starts_with('/')),
            name: name.into(),
        }
    }

    #[test]
    fn differences_become_changes() {
        let then =
            [m(0x1000, 0x3000, 3, ""), m(0x5000, 0x6000, 1, "/lib"), m(0x8000, 0x9000, 3, "")];
        let now = [m(0x1000, 0x2000, 3, ""), m(0x2000, 0x3000, 1, ""), m(0x8000, 0xa000, 3, "")];
        assert_eq!(
            plan(&then, &now).unwrap(),
            [
                Change::Protect(0x2000, 0x3000, 3),
                Change::File {
                    start: 0x5000,
                    end: 0x6000,
                    prot: 1,
                    offset: 0,
                    path: "/lib".into()
                },
                Change::Unmap(0x9000, 0xa000),
            ]
        );
        assert!(plan(&then, &then).unwrap().is_empty());
        let gone = [m(0x5000, 0x6000, 1, "/lib (deleted)")];
        assert!(plan(&gone, &[]).is_err());
    }
}
