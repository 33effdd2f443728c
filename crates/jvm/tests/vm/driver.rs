//! The classes of the runtime in a real JVM, with a driver in the place of program and agent.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use watchword_classfile::source::{ClassSource, MemoryClasses};
use watchword_weave::identity::{self, Held};
use watchword_weave::{SourceHierarchy, cells, runtime};

use crate::jdk::Jdk;
use crate::turns::scheduled;

/// How long a script may take: a mistake may be an endless loop.
const PATIENCE: Duration = Duration::from_secs(240);

/// A JVM to be: a folder with the classes of its `java.base` that are ours.
pub struct Driver {
    folder: PathBuf,
    /// The folder of classes that the JVM is patched with.
    pub base: PathBuf,
    java: PathBuf,
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Driver {
    /// With classes of the runtime, by name; where threads are `interleaved`, those that they share
    /// ask the scheduler.
    pub fn new(jdk: &Jdk, name: &str, runtime: &[runtime::Class], interleaved: bool) -> Driver {
        let folder = std::env::temp_dir().join(format!(
            "watchword-driver-{name}-{}-{}",
            std::process::id(),
            jdk.name()
        ));
        let base = folder.join("base");
        fs::create_dir_all(base.join("java/util")).unwrap();
        let driver = Driver { base, folder, java: jdk.tool("java") };
        let thread = jdk.image.class("java/lang/Thread").unwrap().unwrap();
        driver.put("java/lang/Thread", &cells::count_in(&thread).unwrap());
        for (name, bytes) in runtime {
            driver.put(name, bytes);
        }
        driver.compile(jdk);
        let hierarchy = SourceHierarchy::new(MemoryClasses::default());
        for (kind, held) in [("Cell", Held::Cell), ("Both", Held::Both), ("Old", Held::Cell)] {
            let name = format!("java/util/WatchwordDriver$Of{kind}");
            let mut bytes = fs::read(driver.path(&name)).unwrap();
            if kind == "Old" {
                // Class files of this version have no constants that are classes, and no nests.
                bytes[6..8].copy_from_slice(&48u16.to_be_bytes());
            }
            let bytes = identity::inject(&bytes, &hierarchy, held).unwrap();
            driver.put(&name, &if interleaved { scheduled(&bytes).unwrap() } else { bytes });
        }
        let shared: BTreeSet<&str> =
            ["Cell", "Shared", "Link", "Edge", "Steps", "Identity"].into_iter().collect();
        for (name, bytes) in runtime.iter().filter(|_| interleaved) {
            if shared.contains(name.trim_start_matches("java/util/Watchword")) {
                driver.put(name, &scheduled(bytes).unwrap());
            }
        }
        driver
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.join(format!("{name}.class"))
    }

    /// Adds a class, or replaces it.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), bytes).unwrap();
    }

    fn patch(&self) -> String {
        format!("--patch-module=java.base={}", self.base.display())
    }

    fn compile(&self, jdk: &Jdk) {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
        let patch = format!("{}:{}", self.patch(), sources.display());
        let mut javac = Command::new(jdk.tool("javac"));
        javac.args(["-nowarn", "-proc:none", "-XDstringConcat=inline"]);
        javac.args(["-source", "11", "-target", "11", "-Xlint:-options"]);
        javac.arg(patch).arg("-d").arg(&self.base);
        for name in ["Driver", "Turns"] {
            javac.arg(sources.join(format!("java/util/Watchword{name}.java")));
        }
        let done = javac.output().expect("javac starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Plays a script; returns the lines of the answer, or what the JVM said when it failed.
    pub fn play(&self, script: &str) -> Result<Vec<String>, String> {
        let path = |name: &str| self.folder.join(name);
        fs::write(path("script"), script).unwrap();
        let mut java = Command::new(&self.java);
        java.args(["-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx512m", "-Xverify:all"]);
        java.arg(self.patch()).arg("java.util.WatchwordDriver");
        java.args([path("script"), path("answer")]).stdin(Stdio::null()).stdout(Stdio::null());
        java.stderr(fs::File::create(path("errors")).unwrap());
        let mut running = java.spawn().expect("java starts");
        let started = Instant::now();
        while running.try_wait().unwrap().is_none() {
            if started.elapsed() > PATIENCE {
                running.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        match running.wait().unwrap().success() {
            true => {
                let answer = fs::read_to_string(path("answer")).unwrap();
                Ok(answer.lines().map(String::from).collect())
            }
            false => Err(fs::read_to_string(path("errors")).unwrap()),
        }
    }
}
