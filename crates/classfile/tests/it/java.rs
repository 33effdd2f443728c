//! Running `javac` and `java` in a directory of our own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::jdk::Jdk;

/// A directory that is removed at the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir()
            .join(format!("watchword-classfile-{name}-{}-{id}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary directory is writable");
        Scratch(path)
    }

    pub fn write(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("has a parent")).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Where the Java sources of these tests are.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java")
}

/// Compiles sources of [`sources`] into `out`.
pub fn compile(jdk: &Jdk, files: &[&str], options: &[&str], out: &Path) {
    let mut javac = Command::new(jdk.tool("javac"));
    javac.arg("-g").arg("-nowarn").args(options).arg("-d").arg(out);
    javac.args(files.iter().map(|file| sources().join(file)));
    let done = javac.output().expect("javac starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Runs a class and returns what it printed; anything but success is a failure of the test.
pub fn run(jdk: &Jdk, arguments: &[String]) -> String {
    let mut java = Command::new(jdk.tool("java"));
    // Reports of a crash would be written where the tests run.
    java.args(["-XX:ErrorFile=/dev/stderr", "-XX:-CreateCoredumpOnCrash"]).args(arguments);
    let done = java.output().expect("java starts");
    let stdout = String::from_utf8_lossy(&done.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}\n{stdout}\n{stderr}", jdk.name());
    stdout
}
