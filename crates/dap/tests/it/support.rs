//! Compiling programs, and serving sessions on a port.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use watchword_dap::{Configuration, Connection, Host, serve};
use watchword_native::Settings;
use watchword_session::{Console, Options, PropertyFiles};
pub use watchword_testing::alone;

/// A file of the examples, or of tests of debuggers.
pub fn file(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["tests/programs", "../remote/tests/programs", "../../examples/native"];
    let found = places.iter().map(|p| here.join(p).join(name)).find(|p| p.exists());
    found.unwrap_or_else(|| panic!("there is no {name}")).canonicalize().unwrap()
}

/// Compiles a program.
pub fn compile(name: &str) -> PathBuf {
    watchword_testing::compile(&file(name), &Path::new(env!("CARGO_TARGET_TMPDIR")).join("dap"))
}

struct Plain;

impl Host for Plain {
    fn settings(&self) -> Settings {
        Settings::default()
    }

    fn console(&mut self) -> Console {
        Console::new(Options::default(), Box::new(PropertyFiles))
    }

    fn defaults(&self) -> Configuration {
        Configuration::default()
    }
}

/// A server that waits for an editor on a port.
pub struct Served {
    pub port: u16,
    thread: Option<JoinHandle<()>>,
}

/// Serves one session.
pub fn server() -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let connection = Connection::accept(&listener).unwrap();
        serve(connection, &mut Plain).unwrap();
    });
    Served { port, thread: Some(thread) }
}

impl Served {
    /// The editor is done: so is the server.
    pub fn end(mut self) {
        self.thread.take().unwrap().join().expect("the session ends well");
    }
}

/// Whether a process exists and does something.
pub fn exists(pid: i64) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|l| l.starts_with("State:") && !l.contains("zombie"))
}

/// What the kernel says a process does.
pub fn state(pid: i64) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let wanted = |l: &&str| l.starts_with("State:") || l.starts_with("TracerPid:");
    status.lines().filter(wanted).collect::<Vec<_>>().join(" ")
}
