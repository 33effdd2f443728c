//! Builds the JVM agent and hands it to the command line, which has it inside; and finds out which
//! commit is built.
//!
//! The agent is another package of this workspace, built in release mode whatever the command line
//! is built in: it runs inside other people's programs. It has a target folder of its own beside
//! the one in use, shared by all profiles, so it is built once and no two builds wait for each
//! other's lock. `WATCHWORD_AGENT` names a library to take instead; empty, none is built.
//!
//! It is built again when a package it is made of changes. Which packages these are is what cargo
//! writes beside the library: the sources of all of them.
//!
//! The command line has it inside compressed: less than half as large. It is inflated once per
//! machine and build, when a JVM is watched for the first time.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=WATCHWORD_AGENT");
    name_commit();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where output goes"));
    let to = out.join("agent");
    // For a test: the folders that are watched, a line each.
    let watched = out.join("agent.watched");
    fs::write(&watched, []).expect("the output folder can be written to");
    let given = env::var_os("WATCHWORD_AGENT");
    if let Some(given) = given.as_ref().filter(|given| !given.is_empty()) {
        println!("cargo::rerun-if-changed={}", Path::new(given).display());
        let library = fs::read(given).expect("WATCHWORD_AGENT names a library that can be read");
        return write(&to, &library);
    }
    let crates = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    let linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if given.is_some() || !linux || !crates.join("jvm/Cargo.toml").is_file() {
        // `watchword java` says that it was built without its agent.
        return write(&to, &[]);
    }
    for file in ["../Cargo.toml", "../Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", crates.join(file).display());
    }
    let library = build(&crates, &out);
    let packages = watch(&sources(&library.with_extension("d")));
    let packages: String = packages.iter().map(|p| format!("{}\n", p.display())).collect();
    fs::write(&watched, packages).expect("the output folder can be written to");
    write(&to, &fs::read(library).expect("the agent was built where cargo was told to"));
}

/// Hands the commit to the command line, which names it in its version. `WATCHWORD_COMMIT` says it where
/// there is no repository; else it is unknown. Builds for development do not ask: every commit would
/// compile them again.
fn name_commit() {
    println!("cargo::rerun-if-env-changed=WATCHWORD_COMMIT");
    let given = env::var("WATCHWORD_COMMIT").ok().filter(|given| !given.is_empty());
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = given.or_else(|| is_release.then(commit).flatten());
    println!("cargo::rustc-env=WATCHWORD_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

/// The commit and its date, if this workspace is a repository of its own.
fn commit() -> Option<String> {
    let root = Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../..").canonicalize().ok()?;
    let git = |args: &[&str]| {
        let told = Command::new("git").args(args).current_dir(&root).output().ok()?;
        let text = String::from_utf8(told.stdout).ok()?;
        told.status.success().then(|| text.trim().to_string())
    };
    // An archive may be unpacked inside another repository.
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()? != root {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        // A file that does not exist would have this script run every time.
        let path = root.join(git(&["rev-parse", "--git-path", file])?);
        if path.is_file() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(&["log", "-1", "--format=%h %cs"])
}

/// The files a library was made of, as cargo lists them: `LIBRARY: FILE FILE …`, with a backslash
/// before blanks that belong to a name.
fn sources(list: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(list).expect("cargo lists the sources beside the library");
    let line = text.lines().next().unwrap_or_default();
    let files = line.split_once(": ").map_or("", |(_, files)| files).replace("\\ ", "\0");
    files.split_whitespace().map(|file| PathBuf::from(file.replace('\0', " "))).collect()
}

/// Has this script run again when one of the files or the manifest of its package changes, or a
/// file is added to a folder of sources; answers the folders of the packages.
fn watch(sources: &[PathBuf]) -> BTreeSet<PathBuf> {
    assert!(!sources.is_empty(), "the agent is made of sources");
    let mut packages = BTreeSet::new();
    for source in sources {
        println!("cargo::rerun-if-changed={}", source.display());
        // Pages of the documentation are named relative to the sources that include them.
        let source = without_detours(source);
        let package = source.ancestors().find(|folder| folder.join("Cargo.toml").is_file());
        if let Some(package) = package.filter(|folder| folder.join("src").is_dir())
            && packages.insert(package.to_path_buf())
        {
            println!("cargo::rerun-if-changed={}", package.join("Cargo.toml").display());
            println!("cargo::rerun-if-changed={}", package.join("src").display());
        }
    }
    packages
}

/// A path without `FOLDER/..`, decided by its text: links stay what they are.
fn without_detours(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if short.file_name().is_some() => _ = short.pop(),
            part => short.push(part),
        }
    }
    short
}

/// Writes the library compressed, and beside it its length and a hash: its file is named after that.
fn write(to: &Path, library: &[u8]) {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(library).expect("memory can be written to");
    let compressed = encoder.finish().expect("memory can be written to");
    let mut hasher = DefaultHasher::new();
    library.hash(&mut hasher);
    let constants = [
        (to.to_path_buf(), compressed),
        (to.with_extension("hash"), format!("{:016x}", hasher.finish()).into_bytes()),
        (to.with_extension("length"), library.len().to_string().into_bytes()),
    ];
    for (path, bytes) in constants {
        fs::write(path, bytes).expect("the output folder can be written to");
    }
}

/// Builds the agent; answers where it is.
fn build(crates: &Path, out: &Path) -> PathBuf {
    let target = env::var("TARGET").unwrap_or_default();
    // OUT_DIR is TARGET_FOLDER/[TRIPLE/]PROFILE/build/PACKAGE/out.
    let parent = out.ancestors().nth(4).unwrap_or(out);
    let has_triple = parent.file_name().is_some_and(|name| *name == *target);
    let own = if has_triple { parent.parent().unwrap_or(parent) } else { parent }.join("agent");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--release", "--quiet", "--lib", "--package", "watchword-jvm"])
        .args(["--target", &target])
        .arg("--manifest-path")
        .arg(crates.join("../Cargo.toml"))
        .arg("--target-dir")
        .arg(&own)
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        // Flags and wrappers are for the build of the command line: linters, coverage.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_TARGET_DIR");
    let done = cargo.status().expect("cargo can be started");
    assert!(done.success(), "the JVM agent was not built");
    own.join(target).join("release/libwatchword_jvm.so")
}
