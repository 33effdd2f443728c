//! What the program prints, shown by the editor.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use watchword_native::streams;

use super::wire::Writer;

/// One stream of the program. A thread shows what comes; at a stop everything is shown that was written
/// before it.
pub(super) struct Outlet {
    shared: Arc<Shared>,
}

struct Shared {
    category: &'static str,
    source: Mutex<Source>,
    /// For those who only wait for more.
    waited_for: File,
    writer: Writer,
    is_over: AtomicBool,
}

struct Source {
    file: File,
    /// Bytes of a character that is not complete.
    rest: Vec<u8>,
}

impl Outlet {
    /// Begins to show a stream; the descriptor is for the program.
    pub fn open(category: &'static str, writer: Writer) -> io::Result<(Outlet, OwnedFd)> {
        let (ours, theirs) = streams::terminal()?;
        let shared = Arc::new(Shared {
            category,
            waited_for: ours.try_clone()?,
            source: Mutex::new(Source { file: ours, rest: Vec::new() }),
            writer,
            is_over: AtomicBool::new(false),
        });
        let reader = shared.clone();
        std::thread::spawn(move || {
            const PATIENCE: Duration = Duration::from_millis(500);
            while !reader.is_over.load(Ordering::SeqCst) {
                if streams::is_readable(&reader.waited_for, PATIENCE) && !reader.show() {
                    // Nobody has the other end open for now.
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
        });
        Ok((Outlet { shared }, theirs))
    }

    /// Shows what has been written until now.
    pub fn show(&self) {
        self.shared.show();
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
    }
}

impl Shared {
    /// Shows what is there; whether there was anything.
    fn show(&self) -> bool {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = [0; 1 << 14];
        let mut any = false;
        loop {
            match source.file.read(&mut bytes) {
                Ok(0) => return any,
                Ok(read) => {
                    any = true;
                    source.rest.extend_from_slice(&bytes[..read]);
                    let rest = std::mem::take(&mut source.rest);
                    let whole = whole(&rest);
                    source.rest = rest[whole..].to_vec();
                    self.writer.output(self.category, &String::from_utf8_lossy(&rest[..whole]));
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                // Nothing more for now, or nobody writes any more.
                Err(_) => return any,
            }
        }
    }
}

/// How many of the bytes make whole characters; bytes that are none count as such.
fn whole(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(e) => match bytes.len() - e.valid_up_to() {
            left @ 1..=3 if e.error_len().is_none() => bytes.len() - left,
            _ => bytes.len(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn characters_are_not_cut() {
        assert_eq!(whole("aä".as_bytes()), 3);
        assert_eq!(whole(&"aä".as_bytes()[..2]), 1);
        assert_eq!(whole(b"a\xff"), 2);
        assert_eq!(whole(&"€".as_bytes()[..2]), 0);
    }
}
