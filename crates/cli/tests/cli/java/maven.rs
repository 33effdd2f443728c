//! A project whose tests run in a JVM that Maven forks, watched with one line.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{cache, jdks};
use crate::support::{Dir, root};

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true if entry.file_name() == "target" => {}
            true => copy(&path, &target),
            false => drop(std::fs::copy(&path, &target).unwrap()),
        }
    }
}

#[test]
fn tests_of_a_maven_project_are_watched_with_one_line() {
    let Some(jdk) = jdks().first() else { return };
    let dir = Dir::new();
    copy(&root().join("examples/java/maven"), &dir.path().join("shop"));
    let property = root().join("examples/java/safe-list-iterator.ww");
    let report = dir.path().join("found.json");
    let line = dir
        .run(&[
            "env",
            "java",
            "-p",
            property.to_str().unwrap(),
            "--report",
            report.to_str().unwrap(),
        ])
        .expect(0)
        .stdout;
    let (name, value) = line.trim().split_once('=').expect("NAME=VALUE");
    let maven = |flags: &[&str]| {
        let done = Command::new("mvn")
            .args(flags)
            .args(["--batch-mode", "test"])
            .current_dir(dir.path().join("shop"))
            .env(name, value)
            .env("JAVA_HOME", jdk)
            .env("XDG_CACHE_HOME", cache())
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        Some((done.status.success(), text + &String::from_utf8_lossy(&done.stderr)))
    };
    // Maven's plugins are asked for elsewhere only if it has not used them before.
    let done = match maven(&["--offline"]) {
        Some((false, _)) => maven(&[]),
        done => done,
    };
    let Some((passed, text)) = done else {
        // `scripts/setup.sh` installs it, where that is allowed.
        assert!(std::env::var_os("CI").is_none(), "CI needs mvn");
        println!("skipped: there is no mvn");
        return;
    };
    assert!(passed, "{text}");
    let reports: Vec<String> =
        dir.names().into_iter().filter(|n| n.starts_with("found.")).collect();
    assert_eq!(reports, ["found.json"], "{text}");
    let report: serde_json::Value = serde_json::from_str(&dir.read("found.json")).unwrap();
    let found = report["violations"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{report}");
    assert_eq!(found[0]["property"], "SafeListIterator");
    assert_eq!(found[0]["location"]["file"], "Cart.java");
}
