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

/// An event that is not declared is one of a trace: beside events of a program it is a mistake.
#[test]
fn an_undeclared_event_is_refused_for_programs_and_accepted_for_traces() {
    let dir = Dir::new();
    let of_programs = |undeclared: &str| {
        format!(
            "event paid(o) {{ jvm before call shop.Order.pay() on o\n  native before call pay with o = arg 0 }}\n\
             event shipped(o) {{ jvm before call shop.Order.ship() on o\n  native before call ship with o = arg 0 }}\n\
             channel done(o)\n\
             property Unpaid(o) {{\n  start state New {{ on {undeclared}(o) -> Paid  on shipped(o) -> Bad }}\n  \
             state Paid {{ on done(o) -> Paid }}\n  bad state Bad\n}}\n"
        )
    };
    dir.write("near.ww", of_programs("payd")).write("far.ww", of_programs("reading"));
    dir.write("imports.ww", "import \"good.ww\"\nproperty Other(o) {\n  start state A { on shipped(o) -> B }\n  state B { on reading(o) -> Bad }\n  bad state Bad\n}\n");
    dir.write("good.ww", of_programs("paid")).write("Empty.class", "");
    let refused = |args: &[&str]| {
        let ran = dir.run(args).expect(2);
        assert!(ran.stderr.contains("error[WW0214]: event `"), "{args:?}: {}", ran.stderr);
        ran.stderr
    };
    for (file, help) in [
        ("near.ww", "did you mean `paid`? If not, declare it with a source: `event payd(…) = …`"),
        ("far.ww", "`event reading(…) = …`; declared are `paid`, `shipped`"),
        ("imports.ww", "declare it with a source: `event reading(…) = …`"),
    ] {
        let told = refused(&["java", "-p", file, "--", "-version"]);
        assert!(told.contains(help), "{told}");
        refused(&["run", "-p", file, "--", "true"]);
        refused(&["weave", "-p", file, "-o", "out", "."]);
        refused(&["env", "java", "-p", file]);
        refused(&["mvn", "-p", file, "--", "test"]);
        refused(&["gradle", "-p", file, "--", "test"]);
        let ran = dir.run_with(&["debug", "-p", file, "--", "true"], b"quit\n");
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(told.contains("error[WW0214]"), "{told}");
        let ran = dir.run(&["lint", file]);
        assert!(
            format!("{}{}", ran.stdout, ran.stderr).contains("warning[WW0214]"),
            "{}",
            ran.stdout
        );
    }
    dir.write("t.jsonl", "{\"event\":\"shipped\",\"o\":1}\n");
    for (file, is_told) in [("near.ww", true), ("far.ww", false)] {
        let ran = dir.run(&["replay", "-p", file, "t.jsonl"]).expect(1);
        assert_eq!(ran.stderr.contains("warning[WW0214]"), is_told, "{}", ran.stderr);
    }
    // Declared without a source, it is meant.
    dir.write("meant.ww", format!("event reading(o)\n{}", of_programs("reading")));
    for file in ["meant.ww", "good.ww"] {
        dir.run(&["env", "java", "-p", file]).expect(0);
    }
}
