//! Open files at a checkpoint and at a restore.

use std::collections::BTreeMap;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use libc::pid_t;

use super::mappings::open_in;
use super::refused;
use crate::error::{Error, Result};
use crate::proc;
use crate::sys;
use crate::tracer::Tracer;

/// How the kernel marks files that have no name any more.
const DELETED: &str = " (deleted)";

/// One descriptor.
#[derive(Clone, Debug)]
pub(super) struct SavedFile {
    pub fd: i32,
    /// What the descriptor leads to, as the kernel shows it.
    pub target: String,
    pub kind: FileKind,
    pub position: u64,
    pub flags: i32,
    /// Unread bytes of a pipe or socket; the kernel's description of other special files.
    pub state: String,
    pub size: u64,
    pub modified: (i64, i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Regular,
    /// Directories and disks: nothing but the position is put back.
    Positioned,
    /// Terminals and other devices: nothing to put back.
    Stateless,
    Stream,
    /// Event counters, timers, poll sets.
    Special,
}

/// What to do to make the descriptors as they were.
#[derive(Debug)]
pub(super) enum Step {
    Close(i32),
    Reopen(SavedFile),
    Seek(SavedFile),
    /// The flags that can be changed of a descriptor and of what it leads to.
    SetFlags(SavedFile),
}

impl SavedFile {
    pub fn is_deleted(&self) -> bool {
        self.target.ends_with(DELETED)
    }

    /// The name it has, or had.
    pub fn name(&self) -> &str {
        self.target.strip_suffix(DELETED).unwrap_or(&self.target)
    }
}

pub(super) fn save(pid: pid_t) -> Vec<SavedFile> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if let Some(fd) = name.to_str().and_then(|n| n.parse().ok())
            && let Some(file) = look(pid, fd)
        {
            all.push(file);
        }
    }
    all.sort_by_key(|f| f.fd);
    all
}

fn look(pid: pid_t, fd: i32) -> Option<SavedFile> {
    let path = format!("/proc/{pid}/fd/{fd}");
    let target = std::fs::read_link(&path).ok()?.to_string_lossy().into_owned();
    let info = proc::text(pid, &format!("fdinfo/{fd}")).ok()?;
    let field =
        |name: &str| info.lines().find_map(|l| l.strip_prefix(name)).map(|v| v.trim().to_string());
    let position = field("pos:").and_then(|v| v.parse().ok()).unwrap_or(0);
    let flags = field("flags:").and_then(|v| i32::from_str_radix(&v, 8).ok()).unwrap_or(0);
    let metadata = std::fs::metadata(&path).ok();
    let file_type = metadata.as_ref().map(|m| m.file_type());
    let kind = match &file_type {
        Some(t) if t.is_file() => FileKind::Regular,
        Some(t) if t.is_fifo() || t.is_socket() => FileKind::Stream,
        Some(t) if t.is_block_device() || t.is_dir() => FileKind::Positioned,
        Some(t) if t.is_char_device() => FileKind::Stateless,
        _ if target.starts_with("socket:") || target.starts_with("pipe:") => FileKind::Stream,
        _ => FileKind::Special,
    };
    let state = match kind {
        // Only a reading end can lose data to the program; what was written stays written.
        FileKind::Stream if flags & libc::O_ACCMODE == libc::O_WRONLY => String::new(),
        FileKind::Stream => unread(pid, fd).map_or(String::new(), |n| n.to_string()),
        FileKind::Special => info,
        _ => String::new(),
    };
    let size = metadata.as_ref().map_or(0, |m| m.len());
    let modified = metadata.as_ref().map_or((0, 0), |m| (m.mtime(), m.mtime_nsec()));
    Some(SavedFile { fd, target, kind, position, flags, state, size, modified })
}

/// Bytes waiting to be read.
fn unread(pid: pid_t, fd: i32) -> Option<i32> {
    let copy = sys::take_fd(pid, fd).ok()?;
    let mut n: libc::c_int = 0;
    sys::ioctl(copy.as_raw_fd(), libc::FIONREAD, &mut n).ok()?;
    Some(n)
}

/// Compares with now. Refuses what cannot be put back.
pub(super) fn plan(
    pid: pid_t,
    saved: &[SavedFile],
    warnings: &mut Vec<String>,
) -> Result<Vec<Step>> {
    let now: BTreeMap<i32, SavedFile> = save(pid).into_iter().map(|f| (f.fd, f)).collect();
    let mut steps = Vec::new();
    for fd in now.keys() {
        if !saved.iter().any(|f| f.fd == *fd) {
            steps.push(Step::Close(*fd));
        }
    }
    for file in saved {
        let current = now.get(&file.fd);
        let is_same = current.is_some_and(|c| c.target == file.target);
        if !is_same {
            let has_name = matches!(file.kind, FileKind::Regular | FileKind::Positioned);
            if !has_name || file.is_deleted() {
                return Err(refused(format!(
                    "descriptor {} ({}) was closed since the checkpoint",
                    file.fd, file.target
                )));
            }
            if current.is_some() {
                steps.push(Step::Close(file.fd));
            }
            steps.push(Step::Reopen(file.clone()));
            continue;
        }
        let Some(current) = current else { continue };
        if current.flags != file.flags {
            steps.push(Step::SetFlags(file.clone()));
        }
        let writable = file.flags & libc::O_ACCMODE != libc::O_RDONLY;
        let is_shared = file.kind == FileKind::Regular && sys::own_stream(pid, file.fd).is_some();
        match file.kind {
            // Our own output goes there.
            FileKind::Regular if is_shared && writable => {}
            // Or our commands come from there.
            FileKind::Regular if is_shared => {
                warnings.extend((current.position != file.position).then(|| {
                    format!("{} is also read by the debugger and stays where it is", file.target)
                }))
            }
            FileKind::Regular => {
                if writable && (current.size, current.modified) != (file.size, file.modified) {
                    warnings.push(format!(
                        "{} was written since the checkpoint and stays as it is",
                        file.target
                    ));
                }
                if current.position != file.position {
                    steps.push(Step::Seek(file.clone()));
                }
            }
            FileKind::Positioned if current.position != file.position => {
                steps.push(Step::Seek(file.clone()));
            }
            FileKind::Stream if file.state != current.state => {
                return Err(refused(format!(
                    "descriptor {} ({}) had {} unread bytes at the checkpoint and has {} now",
                    file.fd, file.target, file.state, current.state
                )));
            }
            FileKind::Special if file.state != current.state => {
                return Err(refused(format!(
                    "descriptor {} ({}) has changed since the checkpoint",
                    file.fd, file.target
                )));
            }
            _ => {}
        }
    }
    Ok(steps)
}

pub(super) fn apply(tracer: &mut Tracer, tid: pid_t, steps: &[Step]) -> Result<()> {
    let pid = tracer.thread(tid)?.pid;
    for step in steps {
        match step {
            Step::Close(fd) => {
                tracer.syscall(tid, libc::SYS_close, [*fd as u64, 0, 0, 0, 0, 0])?;
            }
            Step::Reopen(file) => {
                let once = libc::O_CREAT | libc::O_EXCL | libc::O_TRUNC;
                let fd = open_in(tracer, tid, &file.target, file.flags & !once)?;
                if fd as i32 != file.fd {
                    let cloexec = (file.flags & libc::O_CLOEXEC) as u64;
                    let args = [fd, file.fd as u64, cloexec, 0, 0, 0];
                    tracer.syscall(tid, libc::SYS_dup3, args)?;
                    tracer.syscall(tid, libc::SYS_close, [fd, 0, 0, 0, 0, 0])?;
                }
                seek(pid, file)?;
            }
            Step::Seek(file) => seek(pid, file)?,
            Step::SetFlags(file) => {
                let cloexec = if file.flags & libc::O_CLOEXEC != 0 { libc::FD_CLOEXEC } else { 0 };
                let status = file.flags & !libc::O_CLOEXEC;
                for (command, flags) in [(libc::F_SETFD, cloexec), (libc::F_SETFL, status)] {
                    let args = [file.fd as u64, command as u64, flags as u64, 0, 0, 0];
                    tracer.syscall(tid, libc::SYS_fcntl, args)?;
                }
            }
        }
    }
    Ok(())
}

/// The position belongs to the open file, which our duplicate shares.
fn seek(pid: pid_t, file: &SavedFile) -> Result<()> {
    let failed = |e| Error::system(format!("cannot set the position of {}", file.target), e);
    let copy = sys::take_fd(pid, file.fd).map_err(failed)?;
    use std::io::{Seek, SeekFrom};
    std::fs::File::from(copy).seek(SeekFrom::Start(file.position)).map(drop).map_err(failed)
}
