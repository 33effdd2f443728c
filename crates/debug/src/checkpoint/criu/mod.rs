//! Checkpoints on disk, made by `criu` on request: the program is dumped into a folder,
//! and going back ends it and makes it anew, with the same numbers.
//!
//! Memory, mappings, files, timers, handlers and whatever else the kernel has of a process is criu's
//! matter. What the tracer knows of threads is kept here: registers as they are to be, events that
//! were told, calls in flight, signals it holds.

mod descriptors;
mod dump;
mod folder;
mod handover;
mod restore;
mod tool;

use std::path::Path;

use libc::pid_t;

use super::{CheckpointId, SavedThread, pending, shared};
use crate::error::{Error, ErrorKind, Result};
use crate::maps::Mapping;
use crate::space::Area;
use crate::tracer::{Stop, Tracer};

pub use tool::{CRIU_VARIABLE, Criu};

/// A program on disk.
pub(super) struct Image {
    pub process: pid_t,
    room: folder::Room,
    bytes: u64,
    pages: u64,
    threads: Vec<SavedThread>,
    /// The how-manieth thread of the process each of them is.
    numbers: Vec<u32>,
    pending: pending::Pending,
    descriptors: descriptors::Descriptors,
    /// Files with memory of the program, as they were.
    mapped: Vec<MappedFile>,
    shared: Vec<shared::Shared>,
    /// Memory that forked children find empty, which criu does not know of.
    wiped: Vec<(u64, u64)>,
    /// Our scratch code, which is part of the image.
    areas: Vec<Area>,
    /// What the program gets when its parent ends, by which thread.
    death: (pid_t, u64),
    untold: Vec<Stop>,
}

/// The back end, when it was chosen.
pub(super) struct OnDisk {
    criu: Criu,
    folder: folder::Folder,
}

/// A file that is mapped: criu maps it again by its name.
#[derive(PartialEq, Eq)]
struct MappedFile {
    name: String,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl MappedFile {
    fn of(name: &str) -> Option<MappedFile> {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(name).ok()?;
        let modified = (found.mtime(), found.mtime_nsec());
        Some(MappedFile { name: name.into(), inode: found.ino(), size: found.len(), modified })
    }
}

/// Whether a mapping is of a file with a name.
fn is_of_file(m: &Mapping) -> bool {
    m.inode != 0 && m.name.starts_with('/') && !m.name.ends_with(" (deleted)")
}

impl Image {
    /// Where it is, and how large.
    pub fn place(&self) -> (&Path, u64) {
        (self.room.path(), self.bytes)
    }
}

impl Tracer {
    /// Makes checkpoints on disk from now on, with criu. To be chosen before the first one.
    pub fn checkpoint_with(&mut self, criu: Criu) -> Result<()> {
        self.checkpoints.on_disk = Some(OnDisk { criu, folder: folder::Folder::new()? });
        Ok(())
    }

    /// The folder a checkpoint is in and the bytes there, for those on disk.
    pub fn checkpoint_place(&self, id: CheckpointId) -> Option<(&Path, u64)> {
        self.checkpoints.images.get(&id).map(Image::place)
    }

    fn on_disk(&mut self) -> Result<&mut OnDisk> {
        let chosen = self.checkpoints.on_disk.as_mut();
        chosen.ok_or_else(|| Error::new(ErrorKind::Unsupported, "criu was not chosen"))
    }
}
