//! Events that never occurred, and what came near to them.

use crate::support::{Dir, Ran};

fn replay(property: &str, file: &str, text: &str) -> Ran {
    let dir = Dir::new();
    dir.write("p.ww", property).write(file, text);
    dir.run(&["replay", "-p", "p.ww", file]).expect(0)
}

#[test]
fn a_pattern_that_found_nothing_shows_the_closest_line() {
    let property = "event login(u) = log /(?<u>\\S+) logged in from/\n\
        property P(u) { start state S { on login(u) -> B }  bad state B }\n";
    let ran = replay(property, "a.log", "starting\nada logged on from 10.0.0.7\n");
    assert!(
        ran.stderr.contains("`login` never occurred: the closest line is a.log:2"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("the line goes on with `on from 10.0.0.7`"), "{}", ran.stderr);
    let ran = replay(property, "a.log", "starting\nstopping\n");
    assert!(!ran.stderr.contains("closest"), "{}", ran.stderr);
}

#[test]
fn a_pattern_on_records_says_what_to_do() {
    let property = "event login(u) = log /(?<u>\\S+) logged in/\n\
        property P(u) { start state S { on login(u) -> B }  bad state B }\n";
    let ran = replay(property, "a.jsonl", "{\"message\":\"ada logged in\"}\n");
    assert!(ran.stderr.contains("a.jsonl holds records of JSON"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--input-format text"), "{}", ran.stderr);
}

#[test]
fn a_condition_that_never_held_shows_the_closest_record() {
    let property = "event failed(u) = log where .kind == \"http\" and .level == \"ERROR\" with u = .user\n\
        property P(u) { start state S { on failed(u) -> B }  bad state B }\n";
    let log = "{\"kind\":\"db\",\"level\":\"x\",\"user\":1}\n{\"kind\":\"http\",\"level\":\"error\",\"user\":1}\n";
    let ran = replay(property, "a.jsonl", log);
    let want = "the closest record is a.jsonl:2: `.level` is \"error\", not \"ERROR\"";
    assert!(ran.stderr.contains(want), "{}", ran.stderr);
}
