//! Libraries that transform loaded classes again: Mockito describes them by reflection, which does not
//! show what the agent has put into them.

use std::path::Path;
use std::process::Command;

use crate::java::artifacts::{class_path, joined};
use crate::java::{compile_with, java, jdks, report};
use crate::support::{Dir, root};

/// Runs the program with a version of Mockito, plain and monitored.
fn mock_with(artifact: &str, jdk: &Path) {
    let Some(jars) = class_path(&[artifact]) else { return };
    let dir = Dir::new();
    let source = root().join("crates/cli/tests/cli/java/strangers/Mocks.java");
    compile_with(&["-cp", &joined(&jars)], &[source], dir.path());
    let path = format!(".:{}", joined(&jars));
    // Byte Buddy refuses JDKs that are newer than itself.
    let new = "-Dnet.bytebuddy.experimental=true";
    let arguments = ["-Xverify:all", new, "-cp", &path, "Mocks"];
    let plain = Command::new(jdk.join("bin/java")).args(arguments).current_dir(dir.path()).output();
    let plain = plain.unwrap();
    assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
    let flags = ["-q", "-p", "std/jdk", "--report", "found.json"];
    let watched = java(jdk, &dir, &flags, &arguments).expect(0);
    assert_eq!(watched.stdout, String::from_utf8_lossy(&plain.stdout), "{}", watched.stderr);
    let report = report(&dir, "found.json");
    let found = report["violations"].as_array().unwrap();
    let stale = |v: &&serde_json::Value| v["property"] == "IteratorComodification";
    assert_eq!(found.iter().filter(stale).count(), 1, "{report}");
}

#[test]
fn mocks_and_spies_of_mockito_4_are_not_disturbed() {
    let Some(jdk) = jdks().first() else { return };
    mock_with("org.mockito:mockito-inline:4.11.0", jdk);
}

#[test]
fn mocks_and_spies_of_mockito_5_are_not_disturbed() {
    for jdk in jdks() {
        mock_with("org.mockito:mockito-core:5.14.2", jdk);
    }
}
