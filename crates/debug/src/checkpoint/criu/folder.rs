//! Where images are kept, and that nothing stays of them.

use std::fs;
use std::io::{PipeWriter, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Waits for the end of its input, which is ours, and removes what is left then: the folder, and the
/// process it was told last, if any. In the background and deaf to what ends us, so that it outlives
/// us by a moment, and nobody's child.
const CLEAN_UP: &str = r#"exec 3<&0; (
    trap '' INT QUIT TERM HUP
    while read -r pid <&3; do unfinished=$pid; done
    [ -z "$unfinished" ] || kill -9 "$unfinished"
    rm -rf -- "$1"
) >/dev/null 2>&1 &"#;

/// Numbers the folders of this process.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// A folder of this session for images, readable by its owner alone: they hold all of the
/// program's memory. It goes with the session, however that ends.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    next: u32,
    /// Open for as long as we live.
    alive: PipeWriter,
}

impl Folder {
    pub fn new() -> Result<Folder> {
        let failed = |e| Error::system("cannot make a folder for checkpoints", e);
        let base = std::env::temp_dir();
        // No name twice: it is removed a moment after the folder was given up.
        let numbers = std::iter::repeat_with(|| NEXT.fetch_add(1, Ordering::Relaxed));
        let path = numbers
            .take(1000)
            .map(|n| base.join(format!("watchword-criu-{}-{n}", std::process::id())))
            .find_map(|path| match private().create(&path) {
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => None,
                made => Some(made.map(|()| path)),
            })
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::System,
                    format!("{} is full of folders of other sessions", base.display()),
                )
            })?
            .map_err(failed)?;
        let watched = std::io::pipe().and_then(|(reader, alive)| {
            let mut sh = Command::new("sh");
            sh.arg("-c").arg(CLEAN_UP).arg("sh").arg(&path).current_dir("/");
            sh.stdin(reader).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
            Ok(alive)
        });
        match watched {
            Ok(alive) => Ok(Folder { path, next: 0, alive }),
            Err(e) => {
                let _ = fs::remove_dir(&path);
                Err(failed(e))
            }
        }
    }

    /// Says which process is being made, and would be left half made if we ended now; or none.
    pub fn making(&mut self, process: Option<i32>) {
        let told = process.map_or(String::new(), |pid| pid.to_string());
        // Nobody hears it where processes cannot be started; then this one could not be either.
        let _ = writeln!(self.alive, "{told}");
    }

    /// Makes room for the images of one checkpoint.
    pub fn room(&mut self) -> Result<Room> {
        self.next += 1;
        let path = self.path.join(self.next.to_string());
        private()
            .create(&path)
            .map_err(|e| Error::system(format!("cannot make {}", path.display()), e))?;
        Ok(Room { path })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The images of one checkpoint; they go with it.
#[derive(Debug)]
pub(super) struct Room {
    path: PathBuf,
}

impl Room {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How much there is in files whose names begin so.
    pub fn bytes(&self, prefix: &str) -> u64 {
        let files = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let chosen =
            files.filter(|f| f.file_name().as_encoded_bytes().starts_with(prefix.as_bytes()));
        chosen.filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn private() -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o700);
    builder
}
