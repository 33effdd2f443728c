//! The way out: records for the command line.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Mutex;

use watchword_wire::Record;

/// Where records go.
pub struct Outlet {
    path: PathBuf,
    file: Mutex<Option<Box<dyn Write + Send>>>,
}

impl Outlet {
    /// Connects to the socket somebody listens at, or makes a file if nobody does. `%p` in the path
    /// is the process id.
    pub fn open(path: &str) -> std::io::Result<Outlet> {
        let path = PathBuf::from(with_pid(path));
        let file: Box<dyn Write + Send> = match UnixStream::connect(&path) {
            Ok(stream) => Box::new(stream),
            Err(_) => {
                Box::new(OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?)
            }
        };
        Ok(Outlet { path, file: Mutex::new(Some(file)) })
    }

    /// Tells something. Nobody to tell it to is no reason to disturb the program.
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
