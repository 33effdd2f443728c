//! JVM programs, run under monitors as people run them, on every JDK of this machine.

mod artifacts;
mod behaviour;
mod builds;
mod cases;
mod clauses;
mod deaths;
mod examples;
mod forked;
mod handling;
mod hostile;
mod keys;
mod larva;
mod launch;
mod maven;
mod mop;
mod mop_java;
mod objects;
mod pairs;
mod payment;
mod proven;
mod residual;
mod shipped;
mod shown;
mod strangers;
mod texts;
mod threads;
mod topl;
mod undisturbed;
mod weave;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::support::{Dir, Ran, binary};

/// The JDKs of this machine, each once. Without one, or in a build without the agent, tests say so
/// and pass; not under CI.
pub fn jdks() -> &'static [PathBuf] {
    static JDKS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    JDKS.get_or_init(|| {
        let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
        let mut homes: Vec<PathBuf> = installed.map(|entry| entry.path()).collect();
        homes.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
        homes.retain(|home| home.join("bin/javac").is_file());
        let mut homes: Vec<PathBuf> =
            homes.iter().filter_map(|home| home.canonicalize().ok()).collect();
        homes.sort();
        homes.dedup();
        if option_env!("WATCHWORD_AGENT") == Some("") {
            homes.clear();
        }
        assert!(!homes.is_empty() || std::env::var_os("CI").is_none(), "no JDK, or no agent");
        if homes.is_empty() {
            println!("skipped: there is no JDK, or no agent in this build");
        }
        homes
    })
}

/// The JDKs of this machine that are at least of this release. Where there is none, tests of what only newer
/// JDKs have say so and pass: no JDK is asked for beyond the one that everything needs.
pub fn jdks_since(release: u32) -> Vec<&'static Path> {
    let is_new = |jdk: &&Path| {
        let told = std::fs::read_to_string(jdk.join("release")).unwrap_or_default();
        let version = told.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""));
        let major = version.and_then(|v| v.split(['.', '"']).next()?.parse::<u32>().ok());
        major.is_some_and(|major| major >= release)
    };
    let found: Vec<&Path> = jdks().iter().map(PathBuf::as_path).filter(is_new).collect();
    if found.is_empty() {
        println!("skipped: there is no JDK {release} or newer");
    }
    found
}

/// Compiles Java files, for JDK 17 and newer, into a folder.
pub fn compile(files: &[PathBuf], to: &Path) {
    compile_with(&[], files, to);
}

/// The same, with flags for the compiler.
pub fn compile_with(flags: &[&str], files: &[PathBuf], to: &Path) {
    let Some(jdk) = jdks().first() else { return };
    let done = Command::new(jdk.join("bin/javac"))
        .args(["-J-XX:TieredStopAtLevel=1", "-proc:none", "--release", "17", "-nowarn", "-d"])
        .arg(to)
        .args(flags)
        .args(files)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Runs `watchword java` with a JDK: flags, then arguments of java.
pub fn java(jdk: &Path, dir: &Dir, flags: &[&str], arguments: &[&str]) -> Ran {
    java_with_cache(&cache(), jdk, dir, flags, arguments)
}

/// The same, with a cache in that folder.
pub fn java_with_cache(
    cache: &Path,
    jdk: &Path,
    dir: &Dir,
    flags: &[&str],
    arguments: &[&str],
) -> Ran {
    let output = Command::new(binary())
        .arg("java")
        .arg("--java")
        .arg(jdk.join("bin/java"))
        .args(flags)
        .arg("--")
        .arg("-XX:TieredStopAtLevel=1")
        .args(arguments)
        .current_dir(dir.path())
        .env("XDG_CACHE_HOME", cache)
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Ran::of(&output)
}

/// A cache of the tests' own, kept between them.
pub fn cache() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The report a run wrote.
pub fn report(dir: &Dir, name: &str) -> serde_json::Value {
    serde_json::from_str(&dir.read(name)).unwrap()
}
