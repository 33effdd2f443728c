//! What JVMs leave behind that Watchword did not start, or for later.

use std::process::Command;

use watchword_wire::Bundle;

use super::{cache, compile, java, jdks, report};
use crate::support::Dir;

const PROGRAM: &str = "interface Source extends AutoCloseable { int poll(); }
class Feed implements Source {
    public int poll() { return 1; }
    public void close() {}
}
public class Feeds {
    public static void main(String[] args) {
        Feed feed = new Feed();
        feed.poll();
        feed.close();
        feed.poll();
    }
}
";

/// A method goes by the names of all classes that declare it.
const PROPERTY: &str = "property Closed
  observe <Feed.{close,poll}>
  prefix <Feed>
  start -> start: *
  start -> closed: F.close()
  closed -> error: f.poll()
";

#[test]
fn traces_keep_all_names_of_a_method() {
    let dir = Dir::new();
    dir.write("Feeds.java", PROGRAM).write("closed.topl", PROPERTY);
    compile(&[dir.path().join("Feeds.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-p", "closed.topl", "--collect-trace", "t.jsonl", "--report", "out.json"];
        java(jdk, &dir, &flags, &["-cp", ".", "Feeds"]).expect(0);
        let found = report(&dir, "out.json")["violations"].as_array().unwrap().len();
        assert_eq!(found, 1);
        let replayed =
            dir.run(&["replay", "-p", "closed.topl", "--format", "json", "t.jsonl"]).expect(1);
        assert_eq!(replayed.json()["violations"].as_array().unwrap().len(), found);
    }
}

#[test]
fn reports_of_other_jvms_make_their_folders() {
    let dir = Dir::new();
    dir.write("Feeds.java", PROGRAM).write("closed.topl", PROPERTY);
    compile(&[dir.path().join("Feeds.java")], dir.path());
    for jdk in jdks() {
        let output = Command::new(crate::support::binary())
            .args(["env", "java", "-p", "closed.topl", "--report", "build/out/%p.json"])
            .current_dir(dir.path())
            .env("XDG_CACHE_HOME", cache())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!dir.path().join("build").exists(), "nothing is made before it is needed");
        let line = String::from_utf8(output.stdout).unwrap();
        let (name, value) = line.trim().split_once('=').unwrap();
        let done = Command::new(jdk.join("bin/java"))
            .args(["-cp", ".", "Feeds"])
            .current_dir(dir.path())
            .env(name, value)
            .env("XDG_CACHE_HOME", cache())
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let mut files = std::fs::read_dir(dir.path().join("build/out")).unwrap().flatten();
        let file = files.next().expect("a report").file_name();
        let found = report(&dir, &format!("build/out/{}", file.to_string_lossy()));
        assert_eq!(found["violations"].as_array().unwrap().len(), 1);
        std::fs::remove_dir_all(dir.path().join("build")).unwrap();
    }
}

/// The line for the environment of JVMs, made in an environment that has some options: their value.
fn environment(dir: &Dir, given: &str) -> String {
    let output = Command::new(crate::support::binary())
        .args(["env", "java", "-p", "closed.topl"])
        .current_dir(dir.path())
        .env("XDG_CACHE_HOME", cache())
        .env("JAVA_TOOL_OPTIONS", given)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = String::from_utf8(output.stdout).unwrap();
    line.trim().strip_prefix("JAVA_TOOL_OPTIONS=").unwrap().to_string()
}

/// Starts the program with that; answers what it said, and what was said about it.
fn feeds(jdk: &std::path::Path, dir: &Dir, options: &str) -> (String, String) {
    let done = Command::new(jdk.join("bin/java"))
        .args(["-cp", ".", "Feeds"])
        .current_dir(dir.path())
        .env("JAVA_TOOL_OPTIONS", options)
        .env("XDG_CACHE_HOME", cache())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{}", text(&done.stderr));
    (text(&done.stdout), text(&done.stderr))
}

/// A JVM takes one patch of a module: ours goes with that of a person.
#[test]
fn an_environment_may_patch_the_jdk() {
    let dir = Dir::new();
    dir.write("Feeds.java", PROGRAM).write("closed.topl", PROPERTY);
    std::fs::create_dir_all(dir.path().join("patch/java/util")).unwrap();
    dir.write("patch/java/util/Patched.txt", "a file of java.base");
    compile(&[dir.path().join("Feeds.java")], dir.path());
    for jdk in jdks() {
        let options = environment(&dir, "-Dx=1 --patch-module=java.base=patch -Dy=2");
        let (_, said) = feeds(jdk, &dir, &options);
        assert!(said.contains("1 violation"), "{said}");
    }
}

/// Properties prepared by another build are refused in words; the program runs.
#[test]
fn agents_and_command_lines_of_different_builds_are_told() {
    let dir = Dir::new();
    dir.write("Feeds.java", PROGRAM).write("closed.topl", PROPERTY);
    compile(&[dir.path().join("Feeds.java")], dir.path());
    for jdk in jdks() {
        let options = environment(&dir, "");
        let (before, bundle) = options.rsplit_once('=').unwrap();
        let bytes = std::fs::read(bundle.trim_end_matches('"')).unwrap();
        // The bytes after the first eight tell the format.
        let mut other_format = bytes.clone();
        other_format[8] ^= 1;
        let mut bundle = Bundle::from_bytes(&bytes).unwrap();
        bundle.settings.runtime ^= 1;
        let other_classes = bundle.to_bytes().unwrap();
        let mut damaged = bytes;
        *damaged.last_mut().unwrap() ^= 1;
        for (bytes, why) in [
            (other_format, "the agent and the command line"),
            (other_classes, "the agent and the command line"),
            (damaged, "the bundle of properties is damaged"),
        ] {
            std::fs::write(dir.path().join("other.ww"), &bytes).unwrap();
            let (output, said) = feeds(jdk, &dir, &format!("{before}=other.ww"));
            assert_eq!(output, "");
            assert!(said.contains(&format!("not monitored: {why}")), "{said}");
        }
    }
}
