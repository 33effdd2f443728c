//! Folders for the files of a test.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own, removed at the end.
#[derive(Debug)]
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// Makes a folder with the name in its name.
    pub fn new(name: &str) -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("watchword-{name}-{}-{id}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary directory is writable");
        Scratch(path)
    }

    /// Writes a file in it, and the folders it is in.
    pub fn write(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("has a parent")).expect("it is ours");
        std::fs::write(&path, bytes).expect("it is ours");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
