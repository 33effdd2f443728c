//! What the program prints, shown by the editor.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use watchword_native::streams;

use super::wire::Writer;

/// One stream of the program. A thread shows what comes; at a stop everything is shown that was written
/// before it.
pub(super) struct Outlet {
    shared: Arc<Shared>,
    /// Ends the thread when it is dropped.
    _is_over: io::PipeWriter,
}

struct Shared {
    category: &'static str,
    source: Mutex<Source>,
    writer: Writer,
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
        let (over, is_over) = io::pipe()?;
        let shared = Arc::new(Shared {
            category,
            source: Mutex::new(Source { file: ours.try_clone()?, rest: Vec::new() }),
            writer,
        });
        let reader = shared.clone();
        // As long as somebody has the other end open, there is more to wait for.
        let kept = theirs.try_clone()?;
        std::thread::spawn(move || {
            while streams::is_readable(&ours, &over) {
                reader.show();
            }
            drop(kept);
        });
        Ok((Outlet { shared, _is_over: is_over }, theirs))
    }

    /// Shows what has been written until now.
    pub fn show(&self) {
        self.shared.show();
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
