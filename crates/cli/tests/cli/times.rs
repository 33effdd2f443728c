//! How times are written is found by looking; where it is not, nobody gets a verdict that depends on it.

use crate::support::{Dir, Ran};

/// Nobody fails to log in five times within a minute.
const FAILURES: &str = "\
event failed(u) = log /Failed password for (?<u>\\S+)/
property FailedLogins(u) {
  var failures: int = 0
  start state Calm { on failed(u) { failures = 1 } -> Counting }
  state Counting within 1 min else Calm {
    on failed(u) if failures >= 4 -> Attacked
    on failed(u) { failures += 1 }
  }
  bad state Attacked
}
";

const REPLY: &str = "\
event ask(id) = log where .what == \"ask\" with id = .id
event answer(id) = log where .what == \"answer\" with id = .id
property Reply(id) {
  start state Idle { on ask(id) -> Waiting }
  state Waiting within 5 s else Late { on answer(id) -> Idle }
  bad state Late
}
";

fn replay(property: &str, file: &str, text: &str, flags: &[&str]) -> Ran {
    let dir = Dir::new();
    dir.write("p.ww", property).write(file, text);
    dir.run(&[&["replay", "-p", "p.ww"], flags, &[file]].concat())
}

#[test]
fn five_failures_in_an_hour_of_a_syslog_are_not_five_in_a_minute() {
    let line = |minute: u32, second: u32| {
        format!("May  1 12:{minute:02}:{second:02} host sshd[7]: Failed password for root\n")
    };
    let hour: String = (0..5).map(|i| line(12 * i, 0)).collect();
    let ran = replay(FAILURES, "auth.log", &hour, &[]).expect(0);
    assert!(ran.stdout.contains("5 events"), "{}", ran.stdout);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("note: auth.log: times such as `May  1 12:00:00`"));
    let minute: String = (0..5).map(|i| line(0, 12 * i)).collect();
    replay(FAILURES, "auth.log", &minute, &[]).expect(1);
    let ran = replay(FAILURES, "auth.log", &minute, &["-q"]).expect(1);
    assert_eq!(ran.stderr, "");
}

#[test]
fn times_of_many_programs_are_recognised() {
    for (first, minute_later) in [
        ("2024-05-01T12:00:00Z", "2024-05-01T12:01:00Z"),
        ("<34>1 2024-05-01T12:00:00.5Z host", "<34>1 2024-05-01T14:01:00.5+02:00 host"),
        ("<34>Dec 31 23:59:30 host", "<34>Jan  1 00:00:30 host"),
        ("::1 - - [01/May/2024:12:00:00 +0000]", "::1 - - [01/May/2024:14:01:00 +0200]"),
        ("2024/05/01 12:00:00", "2024/05/01 12:01:00"),
        ("I0501 12:00:00.000001  7 a.go:7]", "E0501 12:01:00.000001  7 a.go:7]"),
        ("23:59:30.250 [main] INFO a.B -", "00:00:30,250 [main] INFO a.B -"),
        ("1714564800.250", "1714564860.250"),
        ("1714564800250", "1714564860250"),
        ("7:M 01 May 2024 12:00:00.250 *", "7:M 01 May 2024 12:01:00.250 *"),
        ("[2024-05-01T12:00:00Z INFO  app]", "[2024-05-01T12:01:00Z WARN  app]"),
        ("2024-10-27 02:59:30 CEST [7] LOG:", "2024-10-27 02:00:30 CET [7] LOG:"),
    ] {
        // A time limit of a minute: exactly a minute later it has passed, a moment before it has not.
        let lines = |n: usize| format!("{first} Failed password for x\n").repeat(n);
        let log = format!("{}{minute_later} Failed password for x\n", lines(4));
        let ran = replay(FAILURES, "a.log", &log, &[]);
        assert_eq!(ran.status, 0, "{log}{}{}", ran.stdout, ran.stderr);
        let ran = replay(FAILURES, "a.log", &lines(5), &[]);
        assert_eq!(ran.status, 1, "{first}{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn without_times_there_is_no_verdict_about_time() {
    let log = "05/06/2024 12:00:00 Failed password for root\n".repeat(5);
    for flags in [&[][..], &["--skip-bad-lines"], &["--format", "json"], &["--sort-window", "1s"]] {
        let ran = replay(FAILURES, "auth.log", &log, flags).expect(2);
        assert!(
            ran.stderr.contains("WW2012") && ran.stderr.contains("auth.log:1:"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("--time-format"), "{}", ran.stderr);
        assert!(!ran.stdout.contains("violat"), "{}", ran.stdout);
    }
    replay(FAILURES, "auth.log", &log, &["--allow-untimed"]).expect(1);
    replay(FAILURES, "auth.log", &log, &["--time-format", "%d/%m/%Y %H:%M:%S"]).expect(1);
    // Behind a host and a process; further back, its place must be named as well.
    let given = ["--time-format", "%d/%m/%Y %H:%M:%S"];
    replay(FAILURES, "auth.log", &log.replace("05/06", "web1 sshd 05/06"), &given).expect(1);
    let late = log.replace(
        "05/06/2024 12:00:00 Failed password for root",
        "Failed password for root at 05/06/2024 12:00:00",
    );
    let ran = replay(FAILURES, "auth.log", &late, &given).expect(2);
    assert!(ran.stderr.contains("`--log-pattern`"), "{}", ran.stderr);
    let placed = [&given[..], &["--log-pattern", "{message} at {time}"]].concat();
    replay(FAILURES, "auth.log", &late, &placed).expect(1);
    // The second of two files has no times; what the first said is not true of it.
    let dir = Dir::new();
    dir.write("p.ww", FAILURES).write("b.log", &log);
    dir.write("a.log", "2024-05-01T12:00:00Z Failed password for root\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "a.log", "b.log"]).expect(2);
    assert!(ran.stderr.contains("b.log:1:"), "{}", ran.stderr);
    // What does not depend on time needs none.
    let never = "event e(u) = log /password for (?<u>\\S+)/\nproperty N(u) { never e e }\n";
    replay(never, "auth.log", &log, &[]).expect(1);
}

#[test]
fn a_log_that_changes_its_way_to_write_times_is_refused() {
    let log = "May  1 12:00:00 h a: Failed password for x\n\
               2024-05-01T12:00:07Z h a: Failed password for x\n";
    let ran = replay(FAILURES, "a.log", log, &[]).expect(2);
    assert!(ran.stderr.contains("a.log:2:") && ran.stderr.contains("WW2006"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`2024-05-01T12:00:07Z` is not a time like"), "{}", ran.stderr);
    let log = "{\"@timestamp\":1714564800250,\"what\":\"ask\",\"id\":1}\n\
               {\"@timestamp\":\"2024-05-01T12:00:07Z\",\"what\":\"answer\",\"id\":1}\n";
    let ran = replay(REPLY, "a.jsonl", log, &[]).expect(2);
    assert!(ran.stderr.contains("as in the lines before"), "{}", ran.stderr);
}

#[test]
fn the_first_record_tells_which_field_has_the_time() {
    for (slow, note) in [
        (
            "{\"what\":\"ask\",\"id\":1,\"@timestamp\":\"2024-05-01T12:00:00Z\"}\n\
             {\"what\":\"answer\",\"id\":1,\"@timestamp\":\"2024-05-01T12:00:06Z\"}\n",
            "`@timestamp`",
        ),
        (
            "{\"ts\":1714564800250,\"t\":7,\"what\":\"ask\",\"id\":1}\n\
             {\"ts\":1714564806250,\"what\":\"answer\",\"id\":1}\n",
            "milliseconds",
        ),
        (
            "{\"__REALTIME_TIMESTAMP\":\"1714564800250000\",\"what\":\"ask\",\"id\":1}\n\
             {\"__REALTIME_TIMESTAMP\":\"1714564806250000\",\"what\":\"answer\",\"id\":1}\n",
            "`--preset journald`",
        ),
        (
            "{\"timestamp\":\"soon\",\"timeUnixNano\":\"1714564800250000000\",\"what\":\"ask\",\"id\":1}\n\
             {\"timeUnixNano\":\"1714564806250000000\",\"what\":\"answer\",\"id\":1}\n",
            "nanoseconds",
        ),
    ] {
        let ran = replay(REPLY, "a.jsonl", slow, &[]).expect(1);
        assert!(ran.stderr.contains(note), "{}", ran.stderr);
        replay(REPLY, "a.jsonl", &slow.replace("806", "803").replace("0:06", "0:03"), &[])
            .expect(0);
    }
    let rows = "Timestamp;what;id\n01/May/2024:12:00:00 +0000;ask;1\n01/May/2024:12:00:06 +0000;answer;1\n";
    let ran = replay(REPLY, "a.csv", rows, &[]).expect(1);
    assert!(ran.stdout.contains("Reply: 2 events"), "{}", ran.stdout);
    let ran = replay(REPLY, "a.csv", &rows.replace("00:06", "00:03"), &[]).expect(0);
    assert!(ran.stdout.contains("Reply: 2 events"), "{}", ran.stdout);
    // A column of that name that holds no times is none.
    let ran = replay(REPLY, "a.csv", "date,what,id\nlate,ask,1\n", &[]).expect(2);
    assert!(ran.stderr.contains("WW2012"), "{}", ran.stderr);
}

/// `begin` is followed by `done` within a second.
const PROMPT: &str = "\
event begin(id) = log /begin (?<id>\\w+)/
event done(id) = log /done (?<id>\\w+)/
property Prompt(id) {
  start state Idle { on begin(id) -> Waiting }
  state Waiting within 1 s else Late { on done(id) -> Idle }
  bad state Late
}
";

/// The time zone database, with Berlin only, as it has been since 1980.
fn zones(dir: &Dir) {
    let mut file = Vec::new();
    for _ in 0..2 {
        file.extend(b"TZif2");
        file.extend([0; 15]);
        for count in [0, 0, 0, 0, 1, 4u32] {
            file.extend(count.to_be_bytes());
        }
        file.extend(3600i32.to_be_bytes());
        file.extend([0, 0]);
        file.extend(b"CET\0");
    }
    file.extend(b"\nCET-1CEST,M3.5.0,M10.5.0/3\n");
    std::fs::create_dir_all(dir.path().join("zones/Europe")).unwrap();
    std::fs::write(dir.path().join("zones/Europe/Berlin"), file).unwrap();
}

#[test]
fn an_hour_that_clocks_leave_out_or_show_twice_is_none_or_two() {
    let dir = Dir::new();
    zones(&dir);
    dir.write("p.ww", PROMPT);
    let zones = dir.path().join("zones");
    let replay = |zone: Option<&str>, log: &str| {
        dir.write("t.log", log);
        let mut args = vec!["replay", "-p", "p.ww", "t.log"];
        args.extend(zone.iter().flat_map(|zone| ["--zone", zone]));
        let envs = [("TZDIR", zones.to_str().unwrap()), ("TZ", "Europe/Berlin")];
        dir.run_in(&args, &envs)
    };
    // Clocks are put forward: a second passes.
    let spring = "2024-03-31 01:59:59.5 begin x\n2024-03-31 03:00:00 done x\n";
    replay(None, spring).expect(1);
    for zone in ["Europe/Berlin", "local", "CET-1CEST,M3.5.0,M10.5.0/3"] {
        replay(Some(zone), spring).expect(0);
    }
    replay(Some("+01:00"), spring).expect(1);
    // A deadline at the time of an event fires before it.
    let late = "2024-03-31 01:59:58 begin x\n2024-03-31 03:00:00 done x\n";
    replay(Some("Europe/Berlin"), late).expect(1);
    // In another notation, too.
    let spring = "31/Mar/2024:01:59:59.5 begin x\n31/Mar/2024:03:00:00 done x\n";
    replay(Some("Europe/Berlin"), spring).expect(0);
    // Clocks are put back: times go on.
    let autumn = "2024-10-27 02:59:59.5 begin x\n2024-10-27 02:00:00 done x\n";
    let ran = replay(None, autumn).expect(2);
    assert!(ran.stderr.contains("earlier"), "{}", ran.stderr);
    replay(Some("Europe/Berlin"), autumn).expect(0);
    // An hour and a second pass between two clocks that show nearly the same.
    let autumn = "2024-10-27T02:30:00+02:00 begin x\n2024-10-27T02:30:01+01:00 done x\n";
    replay(None, autumn).expect(1);
    replay(Some("Europe/Berlin"), autumn).expect(1);
    for (zone, why) in [
        ("Europe/Nowhere", "no time zone of this name"),
        ("../p.ww", "expected a name such as"),
        ("+25:00", "no time zone of this name"),
    ] {
        let ran = replay(Some(zone), autumn).expect(2);
        assert!(ran.stderr.contains(why), "{zone}: {}", ran.stderr);
    }
    std::fs::write(dir.path().join("zones/Broken"), "TZif2").unwrap();
    let ran = replay(Some("Broken"), autumn).expect(2);
    assert!(ran.stderr.contains("ends too early"), "{}", ran.stderr);
}
