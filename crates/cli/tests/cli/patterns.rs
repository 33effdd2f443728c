//! Text logs by a pattern, times in other formats, and logs that are still being written.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::support::{Dir, binary};

/// Every job that began ends within five seconds, and failures are few.
const JOBS: &str = "\
event began(id) = log where .message == \"began *\" with id = .job.id
event ended(id) = log where .message == \"ended *\" with id = .job.id
event oops(code: int) = log where .level == \"ERROR\" with code = .code
event shut(text) = log /shutting (?<text>down|up)/

property Ends(id) {
  start state Idle { on began(id) -> Running }
  state Running within 5 s else Late { on ended(id) -> Idle }
  bad state Late
}

property Few() {
  also shut
  start state Ok { on oops(?code) if code >= 500 -> Bad \"{code}\" }
  bad state Bad
}
";

const LOG: &str = "\
2024-05-01T12:00:00Z [main] INFO  began x   - job=7 code=0
2024-05-01T12:00:01Z [pool 1] ERROR began x - job=8 code=503
   at some.Frame(of:1)
2024-05-01T12:00:04Z [main] INFO ended well - job=8 code=0
2024-05-01T12:00:09Z [main] INFO shutting down - job=0 code=0
";

const PATTERN: &str = "{time} [{thread}] {level} {message} - job={job.id} code={code:\\d+}";

#[test]
fn lines_are_records_by_a_pattern() {
    let dir = Dir::new();
    dir.write("p.ww", JOBS).write("app.log", LOG);
    let ran = dir.run(&["replay", "-p", "p.ww", "--log-pattern", PATTERN, "app.log"]).expect(1);
    assert!(ran.stdout.contains("violation: Ends"), "{}", ran.stdout);
    assert!(ran.stdout.contains("with id = 7"), "{}", ran.stdout);
    assert!(ran.stdout.contains("violation: Few: 503"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Ends: 3 events, 2 instances, 1 violation"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Few: 2 events"), "patterns of events find theirs: {}", ran.stdout);
    let warning = "1 of 5 lines fit no --log-pattern; the first is app.log:3";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    // The second pattern is for the lines the first is not for.
    let more = ["--log-pattern", " at {frame}"];
    let args = ["replay", "-p", "p.ww", "--log-pattern", PATTERN, more[0], more[1], "app.log"];
    let ran = dir.run(&args).expect(1);
    assert!(!ran.stderr.contains("like no"), "{}", ran.stderr);
    let regex = "/^(?<time>\\S+) \\[(?<thread>.*)\\] (?<level>\\S+) +(?<message>.*) - job=\\d+/";
    dir.run(&["replay", "-p", "p.ww", "--log-pattern", regex, "app.log"]).expect(0);
}

#[test]
fn named_events_and_places_by_a_pattern() {
    let dir = Dir::new();
    dir.write("p.ww", "event open(f)\nevent close(f)\nproperty P(f) { never open open }\n");
    dir.write("t.txt", "A.c:7 open a\nA.c:9 close a\nA.c:7 open a\nA.c:8 open a\n");
    let args = ["replay", "-p", "p.ww", "--log-pattern", "{loc} {event} {f}", "t.txt"];
    let ran = dir.run(&args).expect(1);
    assert!(ran.stdout.contains("--> A.c:8 (event 4)"), "{}", ran.stdout);
}

#[test]
fn bad_patterns_and_formats_are_refused_before_anything_is_read() {
    let dir = Dir::new();
    dir.write("p.ww", JOBS).write("app.log", LOG);
    for (flag, value, why) in [
        ("--log-pattern", "no fields", "no fields"),
        ("--log-pattern", "{a} {a}", "occurs twice"),
        ("--log-pattern", "{a", "never closed"),
        ("--time-format", "%Q", "not supported in a time"),
        ("--time-format", "yesterday", "syslog"),
    ] {
        let ran = dir.run(&["replay", "-p", "p.ww", flag, value, "app.log"]).expect(2);
        assert!(ran.stderr.contains(why), "{value}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
}

const REPLY: &str = "\
event ask(id) = log /ask (?<id>\\d+)/
event answer(id) = log /answer (?<id>\\d+)/
property Reply(id) {
  start state Idle { on ask(id) -> Waiting }
  state Waiting within 5 s else Late { on answer(id) -> Idle }
  bad state Late
}
";

#[test]
fn times_are_written_in_many_ways() {
    let dir = Dir::new();
    dir.write("p.ww", REPLY);
    for (format, slow, quick) in [
        ("%T", "23:59:58 ask 1\n00:00:04 answer 1\n", "23:59:58 ask 1\n00:00:02 answer 1\n"),
        (
            "syslog",
            "Dec 31 23:59:58 host ask 1\nJan  1 00:00:04 host answer 1\n",
            "Dec 31 23:59:58 host ask 1\nJan  1 00:00:02 host answer 1\n",
        ),
        (
            "clf",
            "[01/May/2024:12:00:00 +0200] ask 1\n[01/May/2024:10:00:06 +0000] answer 1\n",
            "[01/May/2024:12:00:00 +0200] ask 1\n[01/May/2024:10:00:03 +0000] answer 1\n",
        ),
        ("millis", "1000 ask 1\n6001 answer 1\n", "1000 ask 1\n5999 answer 1\n"),
    ] {
        for (text, status) in [(slow, 1), (quick, 0)] {
            dir.write("t.log", text);
            let ran = dir.run(&["replay", "-p", "p.ww", "--time-format", format, "t.log"]);
            assert_eq!(ran.status, status, "{format}\n{text}{}{}", ran.stdout, ran.stderr);
        }
    }
    dir.write("t.log", "12:00:00 ask 1\n12:00:06 answer 1\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "t.log"]).expect(1);
    assert!(ran.stderr.contains("times such as `12:00:00`"), "{}", ran.stderr);
    dir.write("t.log", "noon ask 1\nlater answer 1\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "t.log"]).expect(2);
    assert!(ran.stderr.contains("unknown time"), "{}", ran.stderr);
}

#[test]
fn the_time_may_be_in_any_field() {
    let dir = Dir::new();
    dir.write(
        "p.ww",
        REPLY
            .replace("log /ask (?<id>\\d+)/", "log record \"ask\" with id = .id")
            .replace("log /answer (?<id>\\d+)/", "log record \"answer\" with id = .id"),
    );
    let cases = [
        (
            "t.jsonl",
            "meta.ts",
            "millis",
            "{\"event\":\"ask\",\"id\":1,\"time\":\"noon\",\"meta\":{\"ts\":1000}}\n\
             {\"event\":\"answer\",\"id\":1,\"meta\":{\"ts\":6500.5}}\n",
        ),
        (
            "t.jsonl",
            "@timestamp",
            "rfc3339",
            "{\"@timestamp\":\"2024-05-01T12:00:00Z\",\"event\":\"ask\",\"id\":1}\n\
             {\"@timestamp\":\"2024-05-01T12:00:06Z\",\"event\":\"answer\",\"id\":1}\n",
        ),
        ("t.logfmt", "at", "%T", "at=12:00:00 event=ask id=1\nat=12:00:06 event=answer id=1\n"),
    ];
    for (file, field, format, text) in cases {
        dir.write(file, text);
        let args = ["replay", "-p", "p.ww", "--time-field", field, "--time-format", format, file];
        let ran = dir.run(&args).expect(1);
        assert!(ran.stdout.contains("a deadline after event 1"), "{text}{}", ran.stdout);
    }
    dir.write(
        "q.ww",
        "event ask(id)\nevent answer(id)\n".to_string()
            + REPLY.split_once("property").map(|(_, p)| format!("property{p}")).unwrap().as_str(),
    );
    dir.write("t.csv", "event,when,id\nask,12:00:00,1\nanswer,12:00:06,1\n");
    let args = ["replay", "-p", "q.ww", "--time-field", "when", "--time-format", "%T", "t.csv"];
    dir.run(&args).expect(1);
    dir.write("t.csv", "event,when,id\nask,noon,1\n");
    let ran = dir.run(&args).expect(2);
    assert!(ran.stderr.contains("a time like %T"), "{}", ran.stderr);
    assert!(ran.stderr.contains("t.csv:2:5"), "{}", ran.stderr);
}

/// Who follows a log stops with Ctrl-C: the summary comes, and the status says what was found.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_following_with_a_summary() {
    let property = "event out(u) = log /(?<u>\\S+) left/\nevent read(u) = log /(?<u>\\S+) read/\n\
        property P(u) {\n  start state In { on out(u) { print \"gone\" } -> Out }\n  \
        state Out { on read(u) -> Bad }\n  bad state Bad\n}\n";
    for (lines, status) in [("ada left\n", 0), ("ada left\nada read\n", 1)] {
        let dir = Dir::new();
        dir.write("p.ww", property).write("app.log", "");
        let mut child = Command::new(binary())
            .args(["replay", "-p", "p.ww", "--follow", "app.log"])
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let log = dir.path().join("app.log");
        let mut log = std::fs::OpenOptions::new().append(true).open(log).unwrap();
        log.write_all(lines.as_bytes()).unwrap();
        let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
        // What is printed says that the handler is there and the lines were read.
        let first = told.next().unwrap().unwrap();
        assert_eq!(first, "printed: gone");
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let rest: Vec<String> = told.map(|l| l.unwrap()).collect();
        assert_eq!(child.wait().unwrap().code(), Some(status), "{rest:?}");
        let summary = format!("P: {} event", lines.lines().count());
        assert!(rest.iter().any(|l| l.starts_with(&summary)), "{rest:?}");
    }
}

/// Whoever stops a long run hears what was found until then; that the trace has not ended is an error.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_trace_with_a_summary() {
    let property = "event out(u) = log /(?<u>\\S+) left/\nevent read(u) = log /(?<u>\\S+) read/\n\
        property P(u) {\n  start state In { on out(u) { print \"gone\" } -> Out }\n  \
        pending state Out { on read(u) -> Bad }\n  bad state Bad\n}\n";
    let dir = Dir::new();
    let pipe = dir.path().join("app.log");
    dir.write("p.ww", property);
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = Command::new(binary())
        .args(["replay", "-p", "p.ww", "--report", "out.json", "app.log"])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    log.write_all(b"ada left\nada read\n").unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(told.next().unwrap().unwrap(), "printed: gone");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    log.write_all(b"bob left\n").unwrap();
    let rest: Vec<String> = told.map(|l| l.unwrap()).collect();
    drop(log);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2), "{rest:?}");
    // Bob's line may be read or not; his absence is no violation: the trace has not ended.
    let line = rest.iter().find(|l| l.starts_with("P: ")).unwrap();
    let begins = ["P: 2 events", "P: 3 events"].iter().any(|begin| line.starts_with(begin));
    assert!(begins && line.contains("1 violation"), "{line}");
    assert!(String::from_utf8_lossy(&ended.stderr).contains("interrupted"));
    let report = std::fs::read_to_string(dir.path().join("out.json")).unwrap();
    assert!(report.contains("\"violated\""), "{report}");
}

/// A missing reply is told when its time is up, not when the next line comes; a reply that is read a
/// little late is no violation.
#[cfg(unix)]
#[test]
fn deadlines_of_a_log_that_is_followed_pass_by_the_clock() {
    let property = "event ask(id) = log /ask (?<id>\\d+)/\nevent answer(id) = log /answer (?<id>\\d+)/\n\
        property Reply(id) {\n  start state Idle { on ask(id) -> Waiting }\n  \
        state Waiting within 2 s else Late { on answer(id) -> Idle }\n  bad state Late \"{id}\"\n}\n";
    let dir = Dir::new();
    // The clock of the log is not ours, and its last line was written just now.
    dir.write("p.ww", property)
        .write("app.log", "12:00:00 ask 1\n12:00:01 answer 1\n12:00:01 ask 2\n");
    let mut child = Command::new(binary())
        .args(["replay", "-p", "p.ww", "--follow", "--lag", "500ms", "app.log"])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    // Nobody writes another line.
    let first = told.next().unwrap().unwrap();
    assert_eq!(first, "violation: Reply: 2");
    let log = dir.path().join("app.log");
    let mut log = std::fs::OpenOptions::new().append(true).open(log).unwrap();
    // A line of before the clock went on: it is read, and counts now.
    log.write_all(b"12:00:02 answer 2\n12:30:00 ask 3\n").unwrap();
    let third = told.by_ref().map(Result::unwrap).find(|line| line.starts_with("violation:"));
    assert_eq!(third.as_deref(), Some("violation: Reply: 3"));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let rest: Vec<String> = told.map(|l| l.unwrap()).collect();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest:?}");
    let summary = "Reply: 5 events, 3 instances, 2 violations";
    assert!(rest.iter().any(|line| line.starts_with(summary)), "{rest:?}");
}

/// A line that comes late is told of; that deadlines were reported, only if some were.
#[cfg(unix)]
#[test]
fn a_late_line_without_deadlines_is_no_word_about_deadlines() {
    let dir = Dir::new();
    dir.write(
        "p.ww",
        "event ask(id) = log /ask (?<id>\\d+)/\nevent answer(id) = log /answer (?<id>\\d+)/\n\
         property Reply(id) {\n  start state Idle { on ask(id) -> Waiting }\n  \
         state Waiting within 1 h else Late { on answer(id) -> Idle }\n  bad state Late\n}\n",
    )
    .write("app.log", "12:00:00 ask 1\n");
    let mut child = Command::new(binary())
        .args(["replay", "-p", "p.ww", "--follow", "--lag", "100ms", "app.log"])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(4));
    let log = dir.path().join("app.log");
    let mut log = std::fs::OpenOptions::new().append(true).open(log).unwrap();
    log.write_all(b"12:00:01 answer 1\n").unwrap();
    std::thread::sleep(std::time::Duration::from_secs(4));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let mut told = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut told).unwrap();
    child.wait().unwrap();
    assert!(told.contains("1 record came later than --lag allows"), "{told}");
    assert!(!told.contains("deadlines"), "{told}");
}
