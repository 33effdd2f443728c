//! The way out: records for the command line.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use watchword_wire::Record;

/// Where records go.
pub struct Outlet {
    path: PathBuf,
    /// A command line receives the records; otherwise they are stored for later.
    is_heard: bool,
    file: Mutex<Option<Box<dyn Write + Send>>>,
}

impl Outlet {
    /// Connects to the socket somebody listens at, or makes a file if nobody does. `%p` in the path
    /// is the process id, `%t` the time. A file is locked until it is closed or the process ends.
    pub fn open(path: &str) -> std::io::Result<Outlet> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let path = with_pid(path).replace("%t", &now.as_nanos().to_string());
        let path = PathBuf::from(path);
        let (is_heard, file): (bool, Box<dyn Write + Send>) = match UnixStream::connect(&path) {
            Ok(stream) => (true, Box::new(stream)),
            Err(_) => {
                let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
                // Without a lock the process is taken for one that has ended, no more.
                let _ = file.try_lock();
                (false, Box::new(file))
            }
        };
        Ok(Outlet { path, is_heard, file: Mutex::new(Some(file)) })
    }

    /// Whether a command line receives the records.
    pub fn is_heard(&self) -> bool {
        self.is_heard
    }

    /// Sends a record. A missing receiver must not disturb the program.
    pub fn tell(&self, record: &Record) {
        let Ok(mut file) = self.file.lock() else { return };
        if let Some(open) = file.as_mut()
            && open.write_all(&record.to_frame()).is_err()
        {
            *file = None;
        }
    }

    /// The file, once nothing more will be told.
    pub fn close(&self) -> &PathBuf {
        if let Ok(mut file) = self.file.lock() {
            *file = None;
        }
        &self.path
    }
}

/// The path for this process.
pub fn with_pid(path: &str) -> String {
    path.replace("%p", &std::process::id().to_string())
}
