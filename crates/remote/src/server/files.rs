//! Files of this machine, to be read: a debugger finds symbols and separate debug files there.
//! Nothing is written.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};

use crate::protocol::command::FileCommand;

/// Files a debugger has open.
#[derive(Debug, Default)]
pub(super) struct Files {
    open: BTreeMap<u64, File>,
    next: u64,
}

/// Open files at a time.
const MOST: usize = 256;
/// Bytes that are read at once.
const LARGEST: u64 = 1 << 15;

/// Numbers of errors in the protocol.
const EPERM: i32 = 1;
const EBADF: i32 = 9;
const EINVAL: i32 = 22;
const EMFILE: i32 = 24;

impl Files {
    /// Does it; the packet says what came of it.
    pub fn perform(&mut self, command: &FileCommand) -> Vec<u8> {
        self.attempt(command).unwrap_or_else(|error| format!("F-1,{error:x}").into_bytes())
    }

    fn attempt(&mut self, command: &FileCommand) -> Result<Vec<u8>, i32> {
        match command {
            FileCommand::Open(path, flags) => {
                // The lowest bits ask for writing, the others for creating.
                if *flags != 0 {
                    return Err(EPERM);
                }
                if self.open.len() >= MOST {
                    return Err(EMFILE);
                }
                let metadata = std::fs::metadata(path).map_err(|e| number(&e))?;
                // Opening a pipe or a device may wait, or do something.
                if !metadata.is_file() {
                    return Err(EINVAL);
                }
                let file = File::open(path).map_err(|e| number(&e))?;
                let descriptor = self.next;
                self.next += 1;
                self.open.insert(descriptor, file);
                Ok(format!("F{descriptor:x}").into_bytes())
            }
            FileCommand::Read(descriptor, size, offset) => {
                let file = self.open.get(descriptor).ok_or(EBADF)?;
                let mut bytes = vec![0; (*size).min(LARGEST) as usize];
                let read = file.read_at(&mut bytes, *offset).map_err(|e| number(&e))?;
                Ok(attached(&bytes[..read]))
            }
            FileCommand::Close(descriptor) => {
                self.open.remove(descriptor).ok_or(EBADF)?;
                Ok(b"F0".to_vec())
            }
            FileCommand::Status(descriptor) => {
                let file = self.open.get(descriptor).ok_or(EBADF)?;
                let metadata = file.metadata().map_err(|e| number(&e))?;
                Ok(attached(&status(&metadata)))
            }
            FileCommand::ReadLink(path) => {
                let target = std::fs::read_link(path).map_err(|e| number(&e))?;
                Ok(attached(target.as_os_str().as_bytes()))
            }
            FileCommand::SetFileSystem => Ok(b"F0".to_vec()),
            FileCommand::Change => Err(EPERM),
        }
    }
}

fn attached(bytes: &[u8]) -> Vec<u8> {
    let mut out = format!("F{:x};", bytes.len()).into_bytes();
    out.extend(bytes);
    out
}

/// What a file is, as the protocol has it: numbers in the order of networks.
fn status(metadata: &std::fs::Metadata) -> Vec<u8> {
    let mut out = Vec::new();
    let short = |n: u64| (n as u32).to_be_bytes();
    for n in [
        metadata.dev(),
        metadata.ino(),
        u64::from(metadata.mode()),
        metadata.nlink(),
        u64::from(metadata.uid()),
        u64::from(metadata.gid()),
        metadata.rdev(),
    ] {
        out.extend(short(n));
    }
    for n in [metadata.size(), metadata.blksize(), metadata.blocks()] {
        out.extend(n.to_be_bytes());
    }
    for n in [metadata.atime(), metadata.mtime(), metadata.ctime()] {
        out.extend(short(n as u64));
    }
    out
}

/// An error in the protocol's numbers.
fn number(error: &io::Error) -> i32 {
    /// What the protocol calls an error without a number.
    const EUNKNOWN: i32 = 9999;
    match error.raw_os_error() {
        Some(n @ (1 | 2 | 4 | 9 | 13 | 14 | 16 | 17 | 19..=24 | 27..=30)) => n,
        Some(36) => 91,
        _ => EUNKNOWN,
    }
}
