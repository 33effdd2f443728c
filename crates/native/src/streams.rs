//! Standard input and output, kept for ourselves: the program gets others.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};

/// Takes standard input and output away from programs that are started from now on: they read
/// nothing, and what they print goes to standard error. For protocols that talk over them.
///
/// # Errors
/// If there are no descriptors left.
pub fn take() -> io::Result<(File, File)> {
    let nothing = File::open("/dev/null")?;
    let input = duplicate(libc::STDIN_FILENO)?;
    let output = duplicate(libc::STDOUT_FILENO)?;
    // SAFETY: all four descriptors are open; the standard ones stay so, and refer to other files.
    let replaced = unsafe {
        libc::dup2(nothing.as_raw_fd(), libc::STDIN_FILENO) >= 0
            && libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) >= 0
    };
    if replaced { Ok((input, output)) } else { Err(io::Error::last_os_error()) }
}

/// Another descriptor for the same file, which programs that are started do not get.
fn duplicate(descriptor: libc::c_int) -> io::Result<File> {
    const FIRST: libc::c_int = 10;
    // SAFETY: it takes plain integers; a descriptor it returns is new and owned by nobody else.
    unsafe {
        match libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, FIRST) {
            fd if fd >= 0 => Ok(File::from_raw_fd(fd)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
