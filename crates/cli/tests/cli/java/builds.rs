//! Builds whose tests run in JVMs that Maven forks: one report, however many there are.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::artifacts::{class_path, joined};
use super::maven::copy;
use super::{cache, compile, compile_with, jdks, report};
use crate::support::{Dir, Ran, binary, root};

/// Runs `watchword` in a folder of the test, with the tests' own cache; `None` if there is no Maven.
fn watchword(dir: &Dir, folder: &str, arguments: &[&str]) -> Option<Ran> {
    let jdk = jdks().first()?;
    let has_maven = Command::new("mvn").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_maven {
        // `scripts/setup.sh` installs it, where that is allowed.
        assert!(std::env::var_os("CI").is_none(), "CI needs mvn");
        println!("skipped: there is no mvn");
        return None;
    }
    let output = Command::new(binary())
        .args(arguments)
        .current_dir(dir.path().join(folder))
        .env("JAVA_HOME", jdk)
        .env("XDG_CACHE_HOME", cache())
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Some(Ran::of(&output))
}

/// Violations by test: how often, and whether they were expected.
fn by_test(report: &Value) -> BTreeMap<String, (u64, bool)> {
    let violations = report["violations"].as_array().unwrap().iter();
    let of = |violation: &Value| {
        let test = violation["test"].as_str().unwrap_or("none").to_string();
        let expected = violation["expected"].as_bool().unwrap_or(false);
        (test, (violation["count"].as_u64().unwrap(), expected))
    };
    violations.map(of).collect()
}

/// Three modules with JUnit 5, JUnit 4 and TestNG, two JVMs at a time and one per class; one JVM is killed, and a test
/// that fails is run again.
#[test]
fn a_build_of_several_modules_has_one_report() {
    let dir = Dir::new();
    copy(&root().join("crates/cli/tests/cli/java/build"), &dir.path().join("build"));
    let flags = ["mvn", "-p", "std/jdk", "--report", "target/found.json", "--report"];
    let flags = [&flags[..], &["target/found.xml", "--error-exitcode", "99"]].concat();
    // The module whose JVM is killed does not keep the next one from its tests.
    let maven = ["--", "--batch-mode", "--fail-at-end", "test"];
    let Some(ran) = watchword(&dir, "build", &[&flags[..], &maven].concat()) else { return };
    assert_eq!(ran.status, 99, "{}\n{}", ran.stdout, ran.stderr);
    // The options of each module are still there, and the flaky test passed in the end.
    assert!(ran.stdout.contains("Flakes: 1"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("keepsItsOptions"), "{}", ran.stdout);
    let found = report(&dir, "build/target/found.json");
    let tests = by_test(&found);
    let expected = [
        ("legacy.KilledTest.isKilled", (1, false)),
        ("legacy.LegacyTest.expectsAnException", (1, true)),
        ("legacy.LegacyTest.expectsAnother", (1, true)),
        ("legacy.LegacyTest.isFlaky", (2, false)),
        // Twice in one JVM, and at the same place in another.
        ("list.ListTest.expectsAnException", (1, true)),
        ("list.ListTest.swallowsAnException", (3, false)),
        ("suite.SuiteTest.expectsAnException", (1, true)),
        ("suite.SuiteTest.swallowsAnException", (1, false)),
    ];
    let mut expected: BTreeMap<String, (u64, bool)> =
        expected.into_iter().map(|(test, counted)| (test.to_string(), counted)).collect();
    // Whichever JVM ends first tells of the place that both have.
    if let Some(shared) = tests.get("list.OtherTest.swallowsItToo") {
        expected.remove("list.ListTest.swallowsAnException");
        expected.insert("list.OtherTest.swallowsItToo".to_string(), *shared);
    }
    assert_eq!(tests, expected, "{}", ran.stderr);
    let limits = found["limits"].to_string();
    assert!(limits.contains("the JVM ended without a report"), "{limits}");
    // What tests expected does not fail.
    let xml = dir.read("build/target/found.xml");
    assert!(xml.contains("the test expected it"), "{xml}");
    let reports = std::fs::read_dir(dir.path().join("build/target")).unwrap().flatten();
    assert_eq!(reports.count(), 2, "one file per report");
    assert!(ran.stderr.contains("4 violations expected by tests"), "{}", ran.stderr);

    // With what is known as a baseline, nothing is new.
    let write =
        ["mvn", "--write-baseline", "known.txt", "--", "--batch-mode", "test", "-pl", "list,suite"];
    watchword(&dir, "build", &write).unwrap().expect(0);
    let again = ["mvn", "--baseline", "known.txt", "--error-exitcode", "99"];
    let maven = ["--", "--batch-mode", "test", "-pl", "list,suite"];
    watchword(&dir, "build", &[&again[..], &maven].concat()).unwrap().expect(0);
}

/// Tests of Gradle in several JVMs: one report, and the options that the project gives them. No release of Gradle is in
/// the registries that this build may ask, so the test says that it is skipped where nobody installed one.
#[test]
fn a_build_of_gradle_has_one_report() {
    let has_gradle = Command::new("gradle").arg("--version").stdout(Stdio::null()).status().is_ok();
    let Some(jdk) = jdks().first().filter(|_| has_gradle) else {
        println!("skipped: there is no gradle");
        return;
    };
    // Needs Maven for the jar; `class_path` says so where it is missing, and fails under CI.
    let Some(junit) = class_path(&["junit:junit:4.13.2"]) else { return };
    let dir = Dir::new();
    copy(&root().join("crates/cli/tests/cli/java/gradle"), dir.path());
    let flags = ["gradle", "-p", "std/jdk", "--report", "found.json", "--error-exitcode", "99"];
    let output = Command::new(binary())
        .args([&flags[..], &["--", "--offline", "--no-daemon", "test"]].concat())
        .current_dir(dir.path())
        .env("JAVA_HOME", jdk)
        .env("JUNIT", joined(&junit))
        .env("GRADLE_USER_HOME", dir.path().join("home"))
        .env("XDG_CACHE_HOME", cache())
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let ran = Ran::of(&output).expect(99);
    assert!(ran.stdout.contains("BUILD SUCCESSFUL"), "{}", ran.stdout);
    let expected = [
        ("shop.FirstTest.expectsAnException", (1, true)),
        ("shop.FirstTest.swallowsAnException", (1, false)),
        ("shop.SecondTest.swallowsAnother", (1, false)),
    ];
    let expected = expected.map(|(test, counted)| (test.to_string(), counted));
    assert_eq!(by_test(&report(&dir, "found.json")), BTreeMap::from(expected), "{}", ran.stderr);
}

/// What cannot work is refused before Maven starts.
#[test]
fn mistakes_are_told_before_the_build_begins() {
    let dir = Dir::new();
    dir.write("pom.xml", "this is no project").write("taken", "a file");
    let refused = |arguments: &[&str], why: &str| {
        let Some(ran) = watchword(&dir, ".", arguments) else { return };
        assert_eq!(ran.status, 2, "{}\n{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert!(!ran.stdout.contains("[INFO]"), "Maven ran: {}", ran.stdout);
    };
    refused(&["mvn", "-p", "std/no-such-property", "test"], "no-such-property");
    refused(&["mvn", "--report", "out.pdf", "test"], ".sarif");
    refused(&["mvn", "--report", "taken/out.json", "test"], "taken");
    refused(&["gradle", "--baseline", "missing.txt", "test"], "missing.txt");
    // A JDK without an agent: what Maven would start is not even asked.
    if jdks().is_empty() {
        return;
    }
    std::fs::create_dir_all(dir.path().join("old/bin")).unwrap();
    dir.write("old/release", "JAVA_VERSION=\"11.0.24\"\n").write("old/bin/java", "#!/bin/sh\n");
    let output = Command::new(binary())
        .args(["mvn", "--", "test"])
        .current_dir(dir.path())
        .env("JAVA_HOME", dir.path().join("old"))
        .output()
        .unwrap();
    let ran = Ran::of(&output).expect(2);
    assert!(ran.stderr.contains("needs JDK 17 or newer"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "", "Maven ran");
}

const PROGRAM: &str = "import java.util.*;
public class Takes {
    public static void main(String[] args) throws Exception {
        for (int n = 0; n < args.length; n++)
            try { new ArrayList<>().iterator().next(); } catch (NoSuchElementException e) { }
        if (args.length > 2) {
            new ProcessBuilder(\"kill\", \"-9\", \"\" + ProcessHandle.current().pid()).start();
            Thread.sleep(60_000);
        }
        System.exit(args.length == 2 ? 7 : 0);
    }
}
";

/// Several JVMs of one environment renew one report; a JVM that found something ends with the status that is wanted, and
/// what a JVM that did not come to its end had found is kept.
#[test]
fn jvms_of_one_environment_have_one_report() {
    let dir = Dir::new();
    dir.write("Takes.java", PROGRAM);
    compile(&[dir.path().join("Takes.java")], dir.path());
    for jdk in jdks() {
        let flags = ["--report", "out.json", "--error-exitcode", "42", "--records", "told"];
        let output = Command::new(binary())
            .args([&["env", "java", "-p", "std/iterator-exhausted"], &flags[..]].concat())
            .current_dir(dir.path())
            .env("XDG_CACHE_HOME", cache())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let line = String::from_utf8(output.stdout).unwrap();
        let (name, value) = line.trim().split_once('=').unwrap();
        let run = |arguments: &[&str]| {
            let done = Command::new(jdk.join("bin/java"))
                .args(["-cp", ".", "Takes"])
                .args(arguments)
                .current_dir(dir.path())
                .env(name, value)
                .env("XDG_CACHE_HOME", cache())
                .output()
                .unwrap();
            done.status.code()
        };
        assert_eq!(run(&[]), Some(0));
        assert_eq!(run(&["a"]), Some(42));
        assert_eq!(run(&["a", "b"]), Some(42));
        assert_eq!(run(&["a", "b", "c"]), None, "it is killed");
        let counted = |name: &str| {
            let report = report(&dir, name);
            let violations = report["violations"].as_array().unwrap().clone();
            assert_eq!(violations.len(), 1, "{report}");
            violations[0]["count"].as_u64().unwrap()
        };
        assert_eq!(counted("out.json"), 3, "the one that was killed renewed nothing");
        let merge = ["merge-reports", "told", "--report", "all.json"];
        let merged = dir.run(&merge).expect(1);
        // How often it happened in the one that was killed is not known.
        assert_eq!(counted("all.json"), 4, "{}", merged.stderr);
        assert!(merged.stderr.contains("did not report its end"), "{}", merged.stderr);
        dir.run(&["merge-reports", "told", "--error-exitcode", "99"]).expect(99);
        std::fs::remove_dir_all(dir.path().join("told")).unwrap();
    }
}

/// The class file of Maven's extension is that of its source.
#[test]
fn the_extension_of_maven_is_made_from_its_source() {
    let Some(jars) = class_path(&["org.apache.maven:maven-core:3.8.7"]) else { return };
    let dir = Dir::new();
    let java = root().join("crates/cli/java");
    let source = java.join("maven/watchword/maven/WatchTests.java");
    compile_with(&["-cp", &joined(&jars)], &[source], dir.path());
    let class = Path::new("watchword/maven/WatchTests.class");
    let made = std::fs::read(dir.path().join(class));
    let Ok(made) = made else { return };
    let kept = std::fs::read(java.join("classes").join(class)).unwrap();
    assert!(made == kept, "compile {} again", class.display());
}
