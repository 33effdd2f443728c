//! What JVMs leave behind that Watchword did not start, or for later.

use std::process::Command;

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
