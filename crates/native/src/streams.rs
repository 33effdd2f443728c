//! Standard input and output, kept for ourselves: the program gets others.

use std::fs::File;
use std::io::{self, PipeReader};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use crate::signals;

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
    // SAFETY: it takes plain integers; a descriptor that it returns is new and has no other owner.
    unsafe {
        match libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, FIRST) {
            fd if fd >= 0 => Ok(File::from_raw_fd(fd)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// A terminal for a program whose output we show ourselves: what the program writes to the second can be
/// read from the first, unchanged and without waiting for more. Programs write lines to a terminal when
/// they are complete; to a pipe, when there are many.
///
/// # Errors
/// If there are no more terminals or descriptors.
pub fn terminal() -> io::Result<(File, OwnedFd)> {
    // SAFETY: plain integers go in; a descriptor that it returns is new and has no other owner.
    let ours = unsafe {
        let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC | libc::O_NONBLOCK;
        match libc::posix_openpt(flags) {
            fd if fd >= 0 => File::from_raw_fd(fd),
            _ => return Err(io::Error::last_os_error()),
        }
    };
    let fd = ours.as_raw_fd();
    let mut name = [0; 64];
    // SAFETY: `fd` is an open terminal, and the buffer is as long as is said.
    let is_ready = unsafe {
        libc::grantpt(fd) == 0
            && libc::unlockpt(fd) == 0
            && libc::ptsname_r(fd, name.as_mut_ptr(), name.len()) == 0
    };
    if !is_ready {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above left a text that ends with a zero; the descriptor is new; the attributes
    // are read into a value of their type and written back from it.
    let theirs = unsafe {
        let theirs =
            match libc::open(name.as_ptr(), libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC) {
                fd if fd >= 0 => OwnedFd::from_raw_fd(fd),
                _ => return Err(io::Error::last_os_error()),
            };
        let mut attributes = std::mem::zeroed::<libc::termios>();
        if libc::tcgetattr(theirs.as_raw_fd(), &mut attributes) != 0 {
            return Err(io::Error::last_os_error());
        }
        libc::cfmakeraw(&mut attributes);
        if libc::tcsetattr(theirs.as_raw_fd(), libc::TCSANOW, &attributes) != 0 {
            return Err(io::Error::last_os_error());
        }
        theirs
    };
    Ok((ours, theirs))
}

/// Waits until something can be read, or nobody has the other end of `while_open` open any more; whether
/// it is the former.
pub fn is_readable(file: &File, while_open: &PipeReader) -> bool {
    let asked = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut all = [asked(file.as_raw_fd()), asked(while_open.as_raw_fd())];
    loop {
        // SAFETY: two entries are passed, and two are announced.
        let told = unsafe { libc::poll(all.as_mut_ptr(), 2, -1) };
        if told >= 0 {
            return all[1].revents == 0 && all[0].revents & libc::POLLIN != 0;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return false;
        }
    }
}

/// Waits for a connection. Messages are small and have answers, so they are sent without delay.
///
/// # Errors
/// If the socket fails, or the end of the process is requested in the meantime.
pub fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
    listener.set_nonblocking(true)?;
    let stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break stream,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
        if !signals::await_readable(&[listener.as_fd()])? {
            return Err(io::Error::other("ended before a debugger connected"));
        }
    };
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
