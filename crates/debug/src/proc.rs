//! What the kernel tells of a process or thread in `/proc`.

use std::fs::File;
use std::io::{self, Read};

use libc::pid_t;

/// As much as most of these files have, so that one call reads all of it: their size is not told
/// beforehand, and the kernel makes the text anew for every call.
const USUAL: usize = 8 << 10;

/// A file of a process or thread.
pub(crate) fn read(id: pid_t, name: &str) -> io::Result<Vec<u8>> {
    let mut file = File::open(format!("/proc/{id}/{name}"))?;
    let mut bytes = vec![0; USUAL];
    let mut length = 0;
    loop {
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        }
        match file.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// A file of a process or thread, as text; names in it may be anything.
pub(crate) fn text(id: pid_t, name: &str) -> io::Result<String> {
    read(id, name).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_short_files_are_read_whole() {
        let own = std::process::id() as pid_t;
        assert!(text(own, "comm").unwrap().ends_with('\n'));
        let maps = text(own, "smaps").unwrap();
        assert!(maps.len() > 2 * USUAL, "{}", maps.len());
        assert!(maps.contains("[stack]"));
        assert!(text(own, "no such file").is_err());
    }
}
