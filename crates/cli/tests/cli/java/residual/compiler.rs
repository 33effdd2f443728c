//! A compiler that stays: most of what `javac` takes for a batch is spent on getting warm.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::support::Dir;

/// A JVM that compiles until it is dropped.
pub struct Compiler {
    /// `None` once it was told to end.
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    process: Child,
    _source: Dir,
}

impl Compiler {
    pub fn start(jdk: &Path) -> Compiler {
        let source = Dir::new();
        source.write("Compiler.java", include_str!("Compiler.java"));
        let mut process = Command::new(jdk.join("bin/java"))
            .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "Compiler.java"])
            .current_dir(source.path())
            .env_remove("JAVA_TOOL_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = process.stdin.take();
        let from = BufReader::new(process.stdout.take().unwrap());
        Compiler { to, from, process, _source: source }
    }

    /// Compiles files, for JDK 17 and newer, into a folder.
    pub fn compile(&mut self, files: &[PathBuf], folder: &Path) {
        self.compile_for(17, files, folder);
    }

    /// The same, for a JDK and newer ones.
    pub fn compile_for(&mut self, release: u32, files: &[PathBuf], folder: &Path) {
        let mut line = format!("-proc:none\t--release\t{release}\t-nowarn\t-d");
        for path in [folder.to_owned()].iter().chain(files) {
            line += "\t";
            line += path.to_str().unwrap();
        }
        writeln!(self.to.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.from.read_line(&mut answer).unwrap();
        assert!(answer.starts_with("0 "), "{answer}");
    }
}

impl Drop for Compiler {
    /// It ends when its input does.
    fn drop(&mut self) {
        self.to = None;
        let _ = self.process.wait();
    }
}
