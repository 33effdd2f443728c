//! Several traces as one: merged by time, each record with its origin.

use crate::support::Dir;

const ORDER: &str = "\
event sent(id) = log where .what == \"sent\" with id = .id
event got(id) = log where .what == \"got\" with id = .id
property Order(id) {
  start state New { on sent(id) -> Sent  on got(id) -> Early }
  state Sent
  bad state Early
}
";

fn record(what: &str, id: u32, seconds: &str) -> String {
    format!("{{\"what\":\"{what}\",\"id\":{id},\"ts\":{seconds}}}\n")
}

#[test]
fn traces_are_merged_by_the_times_of_their_records() {
    let dir = Dir::new();
    dir.write("p.ww", ORDER);
    let sent: String = (0..2000).map(|i| record("sent", i, &format!("{i}"))).collect();
    let got: String = (0..2000).map(|i| record("got", i, &format!("{i}.5"))).collect();
    dir.write("a.jsonl", got).write("b.jsonl", sent);
    let ran = dir.run(&["replay", "-q", "-p", "p.ww", "--merge", "a.jsonl", "b.jsonl"]).expect(0);
    assert_eq!(ran.stdout, "");
    // One after the other, everything is got before it is sent.
    dir.run(&["replay", "-q", "-p", "p.ww", "a.jsonl", "b.jsonl"]).expect(1);
    // Formats may differ.
    dir.write("c.csv", "ts,what,id\n2.25,got,3\n");
    let ran =
        dir.run(&["replay", "-p", "p.ww", "--merge", "a.jsonl", "c.csv", "b.jsonl"]).expect(1);
    assert!(ran.stdout.contains("--> c.csv:2"), "{}", ran.stdout);
    assert!(ran.stdout.contains("001 events, "), "{}", ran.stdout);
}

#[test]
fn records_that_are_closer_than_clocks_agree_are_in_doubt() {
    let dir = Dir::new();
    let property = "event a(id) = log where .what == \"a\" with id = .id\n\
        event b(id) = log where .what == \"b\" with id = .id\nproperty P(id) { never a b }\n";
    dir.write("p.ww", property);
    dir.write("x.jsonl", record("a", 1, "1") + &record("a", 2, "5"));
    dir.write("y.jsonl", record("b", 1, "1.1") + &record("b", 2, "8"));
    let run = |skew: &str| {
        dir.run(&["replay", "-p", "p.ww", "--merge", "--skew", skew, "x.jsonl", "y.jsonl"])
            .expect(1)
    };
    let ran = run("200ms");
    assert!(ran.stderr.contains("1 event is closer than --skew"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("1 of 2 violations depend on it; the first is that of P at event 2")
    );
    assert!(!run("50ms").stderr.contains("skew"));
    dir.run(&["replay", "-p", "p.ww", "--skew", "1s", "x.jsonl"]).expect(2);
}

#[test]
fn merging_needs_times_and_order() {
    let dir = Dir::new();
    dir.write("p.ww", ORDER).write("a.jsonl", record("sent", 1, "5"));
    dir.write("b.jsonl", "{\"what\":\"got\",\"id\":1}\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "--merge", "a.jsonl", "b.jsonl"]).expect(2);
    assert!(ran.stderr.contains("b.jsonl:1:") && ran.stderr.contains("WW2012"), "{}", ran.stderr);
    dir.write("b.jsonl", record("got", 1, "7") + &record("got", 2, "6"));
    let ran = dir.run(&["replay", "-p", "p.ww", "--merge", "a.jsonl", "b.jsonl"]).expect(2);
    assert!(ran.stderr.contains("b.jsonl:2:") && ran.stderr.contains("WW2007"), "{}", ran.stderr);
    let sorted = ["replay", "-p", "p.ww", "--merge", "--sort-window", "2s", "a.jsonl", "b.jsonl"];
    dir.run(&sorted).expect(1);
}

#[test]
fn records_know_which_trace_they_are_of() {
    let dir = Dir::new();
    let property = "event a(o) = log where .what == \"a\" and .origin == \"web*\" with o = .origin\n\
        property P(o) { start state S { on a(o) -> B \"{o}\" }  bad state B }\n";
    dir.write("p.ww", property);
    dir.write("web1.jsonl", record("a", 1, "1")).write("db.jsonl", record("a", 1, "2"));
    let ran = dir.run(&["replay", "-p", "p.ww", "web1.jsonl", "db.jsonl"]).expect(1);
    assert!(ran.stdout.contains("violation: P: web1.jsonl"), "{}", ran.stdout);
    assert!(ran.stdout.contains("P: 1 event,"), "{}", ran.stdout);
    dir.write("web2.csv", "what,id\na,1\n");
    dir.run(&["replay", "-p", "p.ww", "web2.csv"]).expect(1);
}
