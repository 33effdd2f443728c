//! Running `javac` and `java` in a directory of our own.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::jdk::Jdk;

pub use watchword_testing::Scratch;

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
