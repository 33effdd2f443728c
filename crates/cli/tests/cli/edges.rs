//! Where reading ends: a line that cannot be read, a reader that has gone, a file that is replaced,
//! midnight.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::support::{BOUNDED, Dir, Ran, binary};

/// Never `b` after `a`, of the same.
const NEVER: &str = "event a(x)\nevent b(x)\nproperty P(x) { never a b }\n";

/// Says what it hears.
const ECHO: &str =
    "event a(x, y)\nproperty P(x) { start state S { on a(x, ?y) { print \"{x}-{y}\" } } }\n";

fn replay(property: &str, name: &str, content: impl AsRef<[u8]>, flags: &[&str]) -> Ran {
    let dir = Dir::new();
    dir.write("p.ww", property).write(name, content);
    dir.run(&[&["replay", "-p", "p.ww"], flags, &[name]].concat())
}

#[test]
fn what_was_found_before_a_bad_line_is_told() {
    let dir = Dir::new();
    dir.write("p.ww", NEVER).write("t.csv", "a,1\nb,1\na,2\na,1,2\nb,2\n");
    let reports = ["--report", "o.json", "--report", "o.xml", "--report", "o.sarif"];
    let args =
        [&["replay", "-p", "p.ww", "--write-baseline", "o.txt"], &reports[..], &["t.csv"]].concat();
    let ran = dir.run(&args).expect(2);
    assert!(ran.stdout.contains("t.csv:2 (event 2)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("P: 3 events, 2 instances, 1 violation"), "{}", ran.stdout);
    assert!(ran.stdout.contains("the rest of the trace was not checked"), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("error:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("t.csv:4:5"), "{}", ran.stderr);
    let report = dir.read("o.json");
    assert!(report.contains("was not checked") && report.contains("t.csv:4:5"), "{report}");
    let xml = dir.read("o.xml");
    assert!(xml.contains("errors=\"1\"") && xml.contains("<error message="), "{xml}");
    let sarif: serde_json::Value = serde_json::from_str(&dir.read("o.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert!(!dir.names().contains(&"o.txt".to_string()), "half a baseline");
    let json = dir.run(&["replay", "--format", "json", "-p", "p.ww", "t.csv"]).expect(2).json();
    assert_eq!(json["violations"].as_array().map(Vec::len), Some(1), "{json}");
    // Nothing was found, so nothing is told but the mistake.
    let ran = replay(NEVER, "t.csv", "a,1,2\n", &[]).expect(2);
    assert_eq!(ran.stdout, "");
    // The trace has not ended: who waits for something may still get it.
    let pending = "event a(x)\nevent b(x)\nproperty P(x) {\n  start state S { on a(x) -> W }\n  \
        pending state W { on b(x) -> S }\n}\n";
    let ran = replay(pending, "t.csv", "a,1\na,1,2\nb,1\n", &[]).expect(2);
    assert!(ran.stdout.contains("P: 1 event, 1 instance, 0 violations"), "{}", ran.stdout);
}

fn start(dir: &Dir, args: &[&str], stdout: impl Into<Stdio>) -> Child {
    let mut command = Command::new(binary());
    command.args(args).current_dir(dir.path()).stdin(Stdio::null());
    command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn reports_are_written_though_nobody_listens() {
    let dir = Dir::new();
    let many: String = (0..5000).map(|i| format!("a,{i}\nb,{i}\n")).collect();
    dir.write("p.ww", NEVER).write("t.csv", many);
    let args = ["replay", "-p", "p.ww", "--report", "o.json", "--write-baseline", "o.txt", "t.csv"];
    let mut child = start(&dir, &args, Stdio::piped());
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(dir.names(), ["o.json", "o.txt", "p.ww", "t.csv"]);
    assert!(dir.read("o.txt").lines().count() > 1000);
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_an_error() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let dir = Dir::new();
    dir.write("p.ww", NEVER).write("t.csv", "a,1\nb,1\n");
    for args in [&["--help"][..], &["replay", "--help"], &["--version"]] {
        let out = start(&dir, args, full()).wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&out.stderr).contains("cannot print"), "{args:?}");
    }
    let args = ["replay", "-p", "p.ww", "--report", "o.json", "t.csv"];
    assert_eq!(start(&dir, &args, full()).wait().unwrap().code(), Some(2));
    assert_eq!(dir.names(), ["o.json", "p.ww", "t.csv"]);
}

/// A file that is followed.
struct Following {
    child: Child,
    told: std::io::Lines<BufReader<ChildStdout>>,
}

impl Following {
    fn of(dir: &Dir, name: &str) -> Following {
        let mut child = start(dir, &["replay", "-p", "p.ww", "--follow", name], Stdio::piped());
        let told = BufReader::new(child.stdout.take().unwrap()).lines();
        Following { child, told }
    }

    #[track_caller]
    fn hears(&mut self, texts: &[&str]) {
        for text in texts {
            let line = self.told.next().unwrap().unwrap();
            assert_eq!(line, format!("printed: {text}"));
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn each_file_that_is_followed_begins_anew() {
    let dir = Dir::new();
    let path = |name: &str| dir.path().join(name);
    dir.write("p.ww", ECHO).write("f.csv", "event,x,y\na,1,2\n");
    let mut following = Following::of(&dir, "f.csv");
    following.hears(&["1-2"]);
    // Rotated: the last line is one, though nothing ends it, and the new header counts.
    let mut file = std::fs::OpenOptions::new().append(true).open(path("f.csv")).unwrap();
    file.write_all(b"a,5,6").unwrap();
    dir.write("new", "event,y,x\na,4,3\n");
    std::fs::rename(path("f.csv"), path("f.csv.1")).unwrap();
    std::fs::rename(path("new"), path("f.csv")).unwrap();
    following.hears(&["5-6", "3-4"]);
    // Written anew in place: shorter, as long as before, longer.
    for (text, told) in [
        ("a,1,1\n", &["1-1"][..]),
        ("a,2,2\n", &["2-2"]),
        ("a,3,3\na,4,4\na,5,5\n", &["3-3", "4-4", "5-5"]),
    ] {
        dir.write("f.csv", text);
        following.hears(told);
    }
    // And what is appended is still read on.
    let mut file = std::fs::OpenOptions::new().append(true).open(path("f.csv")).unwrap();
    file.write_all(b"a,6,6\n").unwrap();
    following.hears(&["6-6"]);
}

#[cfg(unix)]
#[test]
fn files_that_were_rotated_between_two_looks_are_read() {
    let dir = Dir::new();
    let path = |name: &str| dir.path().join(name);
    dir.write("p.ww", ECHO).write("f.csv", "event,x,y\na,0,0\n");
    let mut following = Following::of(&dir, "f.csv");
    following.hears(&["0-0"]);
    for last in [4, 9] {
        for i in last - 3..=last {
            dir.write("new", format!("event,x,y\na,{i},{i}\n"));
            for number in (1..8).rev() {
                let _ = std::fs::rename(
                    path(&format!("f.csv.{number}")),
                    path(&format!("f.csv.{}", number + 1)),
                );
            }
            std::fs::rename(path("f.csv"), path("f.csv.1")).unwrap();
            std::fs::rename(path("new"), path("f.csv")).unwrap();
        }
        for i in last - 3..=last {
            following.hears(&[&format!("{i}-{i}")]);
        }
    }
}

#[test]
fn a_compressed_file_is_not_followed() {
    let dir = Dir::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"a,1\n").unwrap();
    dir.write("p.ww", NEVER).write("t.csv.gz", packed.finish().unwrap());
    let ran = dir.run(&["replay", "-p", "p.ww", "--follow", "t.csv.gz"]).expect(2);
    assert!(ran.stderr.contains("cannot read t.csv.gz: it is compressed"), "{}", ran.stderr);
    dir.run(&["replay", "-p", "p.ww", "t.csv.gz"]).expect(0);
}

#[test]
fn what_is_late_at_midnight_is_put_back() {
    let property = "event req(id) = log /req (?<id>\\d+)/\nevent rep(id) = log /rep (?<id>\\d+)/\n\
        property R(id) {\n  start state S { on req(id) -> W }\n  \
        state W within 5 s else Late { on rep(id) -> S }\n  bad state Late\n}\n";
    let log = "23:59:58 req 1\n00:00:01 req 2\n23:59:59 rep 1\n00:00:03 rep 2\n";
    let format = ["--time-format", "%H:%M:%S"];
    let ran = replay(property, "h.log", log, &[&format[..], &["--sort-window", "5s"]].concat());
    let ran = ran.expect(0);
    assert!(ran.stdout.contains("R: 4 events, 2 instances, 0 violations"), "{}", ran.stdout);
    let ran = replay(property, "h.log", log, &format).expect(2);
    assert!(ran.stderr.contains("2 s earlier"), "{}", ran.stderr);
    let odd = "2024-09-01T00:00:00Z req 1\n2024-99-01T00:00:09Z rep 1\n";
    let ran = replay(property, "h.log", odd, &[]).expect(0);
    assert!(ran.stderr.contains("1 line begins with an impossible time"), "{}", ran.stderr);
    assert!(ran.stderr.contains("h.log:2"), "{}", ran.stderr);
}

#[test]
fn times_of_patterns_have_as_many_words_as_they_are_written_with() {
    let property = "event failed(t) = log where .level == \"ERROR\" with t = .thread\n\
        property E(t) { start state S { on failed(t) -> B }  bad state B }\n";
    let pattern = ["--log-pattern", "{time} {level} [{thread}] {message}"];
    let line = "2024-05-01 12:00:00,250 ERROR [main] x y\n";
    replay(property, "a.log", line, &pattern).expect(1);
    let format = ["--time-format", "%Y-%m-%d %H:%M:%S,%f"];
    replay(property, "a.log", line, &[pattern, format].concat()).expect(1);
    let line = "May  1 12:00:00 ERROR [main] x y\n";
    replay(property, "a.log", line, &[pattern, ["--time-format", "syslog"]].concat()).expect(1);
    replay(property, "a.log", "12.5 ERROR [main] x\n", &pattern).expect(1);
    let ran = replay(property, "a.log", line, &[]).expect(2);
    assert!(ran.stderr.contains("--log-pattern"), "{}", ran.stderr);
}

#[test]
fn a_quote_that_is_closed_too_late_costs_its_line() {
    let rows = "a,\"1\na,2\nb,2\na,\"3\"\nb,3\n";
    let ran = replay(NEVER, "t.csv", rows, &["--skip-bad-lines"]).expect(1);
    assert!(ran.stdout.contains("P: 4 events, 2 instances, 2 violations"), "{}", ran.stdout);
    assert!(ran.stderr.contains("left out 1 line"), "{}", ran.stderr);
    assert!(ran.stderr.contains("t.csv:1:3"), "{}", ran.stderr);
    let rows = "a,\"1\na,\"2\n3\"\nb,1\n";
    let ran = replay(NEVER, "t.csv", rows, &["--skip-bad-lines"]).expect(0);
    assert!(ran.stdout.contains("P: 2 events"), "{}", ran.stdout);
    let rows = "a,1\na,\"2\n3\",4\nb,1\n";
    let ran = replay(NEVER, "t.csv", rows, &["--skip-bad-lines"]).expect(1);
    assert!(ran.stderr.contains("left out 2 lines"), "{}", ran.stderr);
    let ran = replay(NEVER, "t.csv", "a,\"b\"\"\n".repeat(200_000), &["--skip-bad-lines"]);
    assert!(ran.expect(0).stderr.contains("left out"));
}

#[test]
fn no_key_occurs_twice_anywhere() {
    let many: Vec<String> = (0..40).map(|i| format!("\"k{i}\":1")).collect();
    let many = many.join(",");
    for twice in [
        "{\"event\":\"pop\",\"args\":[1],\"q\":1,\"q\":2}".to_string(),
        "{\"event\":\"pop\",\"args\":{\"q\":1,\"z\":1,\"z\":2}}".to_string(),
        "{\"event\":\"pop\",\"z\":[{\"a\":{\"b\":1,\"\\u0062\":2}}]}".to_string(),
        "{\"event\":\"pop\",\"loc\":{\"file\":\"a\",\"line\":1,\"line\":2}}".to_string(),
        format!("{{\"event\":\"pop\",{many},\"k39\":2}}"),
        format!("{{\"event\":\"pop\",\"z\":{{{many},\"k0\":2}}}}"),
    ] {
        let ran = replay(BOUNDED, "t.jsonl", format!("{twice}\n"), &[]).expect(2);
        assert!(ran.stderr.contains("WW2010"), "{twice}: {}", ran.stderr);
    }
    let once = format!("{{\"event\":\"pop\",{many},\"z\":{{\"z\":{{\"z\":1}},\"\\u007a2\":1}}}}\n");
    replay(BOUNDED, "t.jsonl", once, &[]).expect(0);
}

#[test]
fn nothing_is_written_over_what_is_read() {
    let dir = Dir::new();
    dir.write("p.ww", NEVER).write("t.json", "{\"event\":\"a\",\"args\":[1]}\n");
    for flags in [
        ["--report", "t.json"],
        ["--report", "./t.json"],
        ["--write-baseline", "t.json"],
        ["--write-baseline", "p.ww"],
    ] {
        let before = (dir.read("t.json"), dir.read("p.ww"));
        let ran = dir.run(&[&["replay", "-p", "p.ww"], &flags[..], &["t.json"]].concat()).expect(2);
        assert!(ran.stderr.contains("is an input of this run"), "{}", ran.stderr);
        assert_eq!((dir.read("t.json"), dir.read("p.ww")), before);
    }
    // A baseline is brought up to date.
    dir.run(&["replay", "-p", "p.ww", "--write-baseline", "b.txt", "t.json"]).expect(0);
    let both = ["--baseline", "b.txt", "--write-baseline", "b.txt"];
    dir.run(&[&["replay", "-p", "p.ww"], &both[..], &["t.json"]].concat()).expect(0);
}

#[cfg(unix)]
#[test]
fn only_files_are_imported_and_none_without_end() {
    let dir = Dir::new();
    let made = Command::new("mkfifo").arg(dir.path().join("pipe.ww")).status().unwrap();
    assert!(made.success());
    for path in ["pipe.ww", "/dev/zero"] {
        dir.write("p.ww", format!("import \"{path}\"\n{NEVER}"));
        let ran = dir.run(&["lint", "p.ww"]).expect(2);
        let told = ran.stdout + &ran.stderr;
        assert!(told.contains("is not a file"), "{told}");
    }
    let ran = dir.run(&["lint", "--lang", "ww", "/dev/zero"]).expect(2);
    assert!(ran.stderr.contains("larger than any property file"), "{}", ran.stderr);
}
