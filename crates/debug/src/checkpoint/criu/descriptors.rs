//! Descriptors whose other side is outside the program: its standard streams, mostly. A program
//! that is made anew must get the same open files again, not others of the same name.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use libc::pid_t;

use super::super::files::{self, FileKind, SavedFile};
use super::super::refused;
use crate::error::{Error, Result};
use crate::proc;
use crate::sys;

/// An open file of the program that it keeps when it is made anew.
pub(super) struct Outer {
    file: SavedFile,
    /// What criu calls it; nothing for the terminal, of which there is one.
    id: String,
    /// The descriptor of ours that is the same open file.
    own: Option<i32>,
}

/// The open files of a program at a checkpoint.
pub(super) struct Descriptors {
    outer: Vec<Outer>,
    /// Files that criu opens again, which it does if they are as large as they were.
    inner: Vec<SavedFile>,
}

/// An open file the new program gets, and where it is to stand.
pub(super) struct Given {
    pub id: String,
    pub fd: OwnedFd,
    position: Option<u64>,
}

impl Given {
    /// Positions belong to open files, which outlive the program that is undone.
    pub fn seek(&mut self) -> Result<()> {
        let Some(position) = self.position else { return Ok(()) };
        // SAFETY: plain integers, on a descriptor that is open.
        let at =
            unsafe { libc::lseek(self.fd.as_raw_fd(), position as libc::off_t, libc::SEEK_SET) };
        match at {
            -1 => Err(Error::system(
                format!("cannot set the position of {}", self.id),
                std::io::Error::last_os_error(),
            )),
            _ => Ok(()),
        }
    }
}

impl Descriptors {
    /// Those of a stopped program.
    pub fn of(pid: pid_t) -> Result<Descriptors> {
        let all = files::save(pid);
        let mut found = Descriptors { outer: Vec::new(), inner: Vec::new() };
        let mounts = mounts(pid);
        for file in &all {
            let own = sys::own_descriptor(pid, file.fd);
            let is_first =
                all.iter().find(|f| f.target == file.target).is_some_and(|f| f.fd == file.fd);
            let is_terminal = file.kind == FileKind::Stateless && is_terminal(pid, file.fd);
            let unreached = match file.kind {
                FileKind::Stateless if is_terminal => None,
                FileKind::Stream | FileKind::Special => None,
                _ => unreached(pid, file.fd, &mounts),
            };
            let id = match file.kind {
                _ if unreached.is_some() => {
                    let namesake = found.outer.iter().find(|o| Some(&o.id) == unreached.as_ref());
                    if namesake.is_some_and(|o| !is_one(pid, file, &o.file)) {
                        return Err(refused(format!(
                            "{} is open more than once, and cannot be reached from here",
                            file.target
                        )));
                    }
                    unreached
                }
                FileKind::Regular if file.target.starts_with(&format!("/proc/{pid}/")) => {
                    return Err(refused(format!(
                        "descriptor {} ({}) belongs to the process, and is lost when the program is created again",
                        file.fd, file.target
                    )));
                }
                FileKind::Regular => {
                    let name = file.name();
                    let mut namesakes = all.iter().filter(|f| f.name() == name);
                    match namesakes.all(|f| sys::is_same_file(pid, file.fd, f.fd)) {
                        // Without a name it is part of the image.
                        true if file.is_deleted() && own.is_none() => None,
                        true => name.strip_prefix('/').map(str::to_string),
                        // The name would stand for several open files.
                        false => {
                            found.inner.push(file.clone());
                            None
                        }
                    }
                }
                FileKind::Stream if file.target.starts_with("pipe:") => {
                    let ends = all.iter().filter(|f| f.target == file.target);
                    let mut modes: Vec<i32> = ends.map(|f| f.flags & libc::O_ACCMODE).collect();
                    modes.sort_unstable();
                    modes.dedup();
                    // With both ends in the program it is the program's own.
                    (modes.len() == 1).then(|| file.target.clone())
                }
                FileKind::Stream if file.target.starts_with('/') => {
                    return Err(refused(format!(
                        "descriptor {} is a pipe with a name ({}), which criu would fill again",
                        file.fd, file.target
                    )));
                }
                FileKind::Stateless if is_terminal => {
                    if is_first && found.outer.iter().any(|o| o.id.is_empty()) {
                        return Err(refused("the program uses several terminals"));
                    }
                    Some(String::new())
                }
                FileKind::Stateless | FileKind::Positioned => None,
                FileKind::Stream | FileKind::Special => None,
            };
            let is_new = |id: &String| found.outer.iter().all(|o| o.id != *id);
            if let Some(id) = id.filter(is_new) {
                found.outer.push(Outer { file: file.clone(), id, own });
            }
        }
        Ok(found)
    }

    /// What criu is to leave alone when it dumps, as it could not find it.
    pub fn left_alone(&self) -> impl Iterator<Item = &str> {
        self.outer.iter().map(|o| &*o.id).filter(|id| id.starts_with(UNREACHED))
    }

    /// The open files for a new program, as long as the present one has them. Refuses what would
    /// not be as it was.
    pub fn to_restore(&self, pid: pid_t, warnings: &mut Vec<String>) -> Result<Vec<Given>> {
        let now = files::save(pid);
        for file in &self.inner {
            let size = std::fs::metadata(&file.target).map(|m| m.len()).ok();
            if !file.is_deleted() && size != Some(file.size) {
                return Err(refused(format!(
                    "{} was written since the checkpoint, and the program has it open twice",
                    file.target
                )));
            }
        }
        self.outer.iter().map(|outer| outer.now(pid, &now, warnings)).collect()
    }
}

impl Outer {
    fn now(&self, pid: pid_t, now: &[SavedFile], warnings: &mut Vec<String>) -> Result<Given> {
        let file = &self.file;
        let mut same: Vec<&SavedFile> = now.iter().filter(|f| f.target == file.target).collect();
        same.sort_by_key(|f| f.fd != file.fd);
        let current = same.first().copied();
        if file.kind == FileKind::Stream && current.is_some_and(|c| c.state != file.state) {
            return Err(refused(format!(
                "descriptor {} ({}) had {} unread bytes at the checkpoint and has {} now",
                file.fd,
                file.target,
                file.state,
                current.map_or("", |c| &c.state)
            )));
        }
        let closed = || {
            refused(format!(
                "descriptor {} ({}) was closed since the checkpoint",
                file.fd, file.target
            ))
        };
        let taken = match (current, self.own) {
            (Some(current), _) => sys::take_fd(pid, current.fd),
            (None, Some(own)) => sys::duplicate(own),
            (None, None)
                if file.kind == FileKind::Stream || file.target.ends_with(" (deleted)") =>
            {
                return Err(closed());
            }
            (None, None) => open(file),
        };
        let fd = taken.map_err(|e| Error::system(format!("cannot open {}", file.target), e))?;
        let mut position = None;
        if file.kind == FileKind::Regular && self.own.is_none() {
            position = Some(file.position);
            let found = File::from(fd.try_clone().map_err(|_| closed())?).metadata().ok();
            let is_as_it_was = found.is_some_and(|m| {
                (m.len(), (m.mtime(), m.mtime_nsec())) == (file.size, file.modified)
            });
            if file.flags & libc::O_ACCMODE != libc::O_RDONLY && !is_as_it_was {
                warnings.push(format!(
                    "{} was written since the checkpoint and stays as it is",
                    file.target
                ));
            }
        }
        Ok(Given { id: self.id.clone(), fd, position })
    }
}

/// Opens a file as the program had it open.
fn open(file: &SavedFile) -> std::io::Result<OwnedFd> {
    let mode = file.flags & libc::O_ACCMODE;
    let once = libc::O_CREAT | libc::O_EXCL | libc::O_TRUNC | libc::O_ACCMODE | libc::O_CLOEXEC;
    File::options()
        .read(mode != libc::O_WRONLY)
        .write(mode != libc::O_RDONLY)
        .custom_flags((file.flags & !once) | libc::O_NOCTTY)
        .open(&file.target)
        .map(OwnedFd::from)
}

/// How criu's names begin for files that it is not to look for.
const UNREACHED: &str = "file[";

/// The numbers of the mounts a program sees.
fn mounts(pid: pid_t) -> Vec<u64> {
    let all = proc::text(pid, "mountinfo").unwrap_or_default();
    all.lines().filter_map(|l| l.split(' ').next()?.parse().ok()).collect()
}

/// criu's name of an open file that is in none of these mounts: who started us in a container may
/// have opened it outside.
fn unreached(pid: pid_t, fd: i32, mounts: &[u64]) -> Option<String> {
    let info = proc::text(pid, &format!("fdinfo/{fd}")).ok()?;
    let mount = info.lines().find_map(|l| l.strip_prefix("mnt_id:"))?.trim().parse().ok()?;
    let inode = std::fs::metadata(format!("/proc/{pid}/fd/{fd}")).ok()?.ino();
    (!mounts.contains(&mount)).then(|| format!("{UNREACHED}{mount:x}:{inode:x}]"))
}

/// Whether it makes no difference which of two descriptors it is.
fn is_one(pid: pid_t, a: &SavedFile, b: &SavedFile) -> bool {
    sys::is_same_file(pid, a.fd, b.fd) || a.kind == FileKind::Stateless && a.flags == b.flags
}

fn is_terminal(pid: pid_t, fd: i32) -> bool {
    // SAFETY: a plain integer.
    sys::take_fd(pid, fd).is_ok_and(|copy| unsafe { libc::isatty(copy.as_raw_fd()) } == 1)
}
