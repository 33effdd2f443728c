//! What people are told: silence is explained, and numbers read well.

use crate::support::Dir;

#[test]
fn guards_without_a_value_are_told_in_every_report() {
    let dir = Dir::new();
    let property = "event a(v: int)\nproperty P() { start state S { on a(?v) if v + 1 > 0 -> B }\n\
                    bad state B }\n";
    dir.write("p.ww", property).write("t.csv", "a,-5\na,9223372036854775807\n");
    let mut args = vec!["replay", "-p", "p.ww", "t.csv"];
    for name in ["o.json", "o.sarif", "o.xml", "o.html"] {
        args.extend(["--report", name]);
    }
    let ran = dir.run(&args).expect(0);
    let told = "P: a guard or an update had no value and was passed over; at t.csv:2: a number \
                became too large";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    for name in ["o.sarif", "o.xml", "o.html"] {
        assert!(dir.read(name).contains(told), "{name}");
    }
    dir.write("t.csv", "a,9223372036854775807\n".repeat(3));
    let ran = dir.run(&["replay", "-p", "p.ww", "t.csv"]).expect(0);
    assert!(ran.stderr.contains("had no value 3 times and were passed over; first at t.csv:1:"));
}

#[test]
fn why_a_guard_has_no_value() {
    let dir = Dir::new();
    let cases = [
        ("10 / v > 1", "0", "a division by zero"),
        ("10 % v > 1", "0", "a division by zero"),
        ("v + 1 > 0", "x", "a value of the wrong type"),
        ("v < null", "1", "a value of the wrong type"),
        ("get([1], v) > 0", "7", "a function had no answer"),
    ];
    for (guard, value, why) in cases {
        let property = format!(
            "event a(v)\nproperty P() {{ start state S {{ on a(?v) if {guard} -> B }}\nbad state B }}\n"
        );
        dir.write("p.ww", property).write("t.csv", format!("a,{value}\n"));
        let ran = dir.run(&["replay", "-p", "p.ww", "t.csv"]);
        assert!(ran.stderr.contains(&format!("at t.csv:1: {why}")), "{guard}: {}", ran.stderr);
    }
}

#[test]
fn a_page_shows_no_files_a_trace_should_not_know() {
    let dir = Dir::new();
    dir.write("p.ww", "event b(x)\nproperty P(x) { never b }\n");
    dir.write("secret.txt", "the secret\n");
    std::fs::create_dir_all(dir.path().join("work/src")).unwrap();
    dir.write("work/src/A.c", "the source\n").write("work/near.c", "near by\n");
    let secret = dir.path().join("secret.txt");
    let line = |file: &str| {
        format!("{{\"event\":\"b\",\"args\":[1],\"loc\":{{\"file\":\"{file}\",\"line\":1}}}}\n")
    };
    let files = [secret.to_str().unwrap(), "../secret.txt", "link.c", "near.c", "A.c"];
    dir.write("work/t.jsonl", files.map(line).concat());
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, dir.path().join("work/link.c")).unwrap();
    let work = dir.path().join("work");
    let ran = std::process::Command::new(crate::support::binary())
        .current_dir(&work)
        .args(["replay", "-p", "../p.ww", "--report", "o.html", "--sources", "src", "t.jsonl"])
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1));
    let page = dir.read("work/o.html");
    assert!(!page.contains("the secret"));
    assert!(page.contains("near by") && page.contains("the source"));
}

#[test]
fn what_was_left_out_of_a_long_history_is_said() {
    let dir = Dir::new();
    let states: String =
        (1..24).map(|i| format!("state S{i} {{ on tick(x) -> S{} }}\n", i + 1)).collect();
    let property = format!(
        "event tick(x)\nproperty P(x) {{ start state S0 {{ on tick(x) -> S1 }}\n{states}bad state S24 }}\n"
    );
    dir.write("p.ww", property).write("t.csv", "tick,7\n".repeat(24));
    let ran = dir.run(&["replay", "-p", "p.ww", "--history", "30", "t.csv"]).expect(1);
    assert!(ran.stdout.contains("path S0 → S1") && ran.stdout.contains("First, "));
    // A loop looks like the beginning.
    let property = "event tick(x)\nproperty P(x) {\nvar n: int = 0\nstart state S {\n\
                    on tick(x) if n > 23 -> B\non tick(x) { n = n + 1 } -> S\n}\nbad state B }\n";
    dir.write("p.ww", property);
    dir.write("t.csv", "tick,7\n".repeat(25));
    let ran = dir.run(&["replay", "-p", "p.ww", "--history", "10", "t.csv"]).expect(1);
    assert!(ran.stdout.contains("path … → S → B"), "{}", ran.stdout);
    assert!(ran.stdout.contains("After earlier events, `tick` happened"), "{}", ran.stdout);
}

#[test]
fn dates_and_durations_read_well() {
    let dir = Dir::new();
    let property = "event req(id)\nproperty P(id) { start state I { on req(id) -> W }\n\
                    state W within 300 ms else L\nbad state L }\n";
    dir.write("p.ww", property);
    let line = |time: &str, id: u32| {
        format!("{{\"event\":\"req\",\"args\":[{id}],\"time\":\"{time}\"}}\n")
    };
    dir.write("t.jsonl", line("2024-06-03T08:01:00Z", 1) + &line("2024-06-03T08:02:00Z", 2));
    let ran = dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(1);
    assert!(ran.stdout.contains("at 2024-06-03T08:01:00.300Z"), "{}", ran.stdout);
    assert!(ran.stdout.contains("within 300 ms, so the limit"), "{}", ran.stdout);
}

#[test]
fn properties_fed_by_messages_count_them() {
    let dir = Dir::new();
    let property = "event a(x)\nchannel m(x)\n\
        property Sender(x) { start state S { on a(x) { send m(x) } -> S } }\n\
        property Receiver(x) { start state S { on m(x) -> T }\nstate T { on m(x) -> B }\nbad state B }\n";
    dir.write("p.ww", property).write("t.csv", "a,1\na,2\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "--report", "o.xml", "t.csv"]).expect(0);
    assert!(ran.stdout.contains("Receiver: 2 events"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("no event of it occurred"), "{}", ran.stderr);
    assert!(!dir.read("o.xml").contains("<skipped"));
}

#[test]
fn large_automata_are_not_drawn_and_cannot_stop_anybody() {
    let dir = Dir::new();
    dir.write(
        "p.ww",
        format!("event a\nevent b\nproperty P() {{ never (a|b)* a {} }}\n", "(a|b) ".repeat(8)),
    );
    let ran = dir.run(&["graph", "p.ww"]).expect(2);
    assert!(ran.stderr.contains("too many to draw; `--format dot`"), "{}", ran.stderr);
    dir.run(&["graph", "--format", "dot", "p.ww"]).expect(0);
}

#[test]
fn a_property_that_cannot_fail_is_explained_at_once() {
    let dir = Dir::new();
    dir.write(
        "p.ww",
        "event b(y)\nproperty P(x, y) {\n start state S { on b(y) -> drop }\n bad state T\n}\n",
    );
    let ran = dir.run(&["explain", "p.ww"]).expect(0);
    assert!(ran.stdout.contains("No short run that violates it was found"));
}

#[test]
fn functions_of_cpp_need_no_quotes() {
    let dir = Dir::new();
    dir.write(
        "p.ww",
        "event released(c) = native before call Pool::release with c = arg 1\n\n\
         property P(c) {\n  never released released\n}\n",
    );
    dir.run(&["lint", "p.ww"]).expect(0);
    dir.run(&["fmt", "p.ww"]).expect(0);
    assert!(dir.read("p.ww").contains("before call Pool::release with"), "{}", dir.read("p.ww"));
}

#[test]
fn mistakes_are_named() {
    let dir = Dir::new();
    let cases = [
        ("event pay(x)\nproperty P(x) { never payed(x) }\n", "did you mean `pay`"),
        ("event pay(x)\nproperty P(x) { ltl allways (pay(x)) }\n", "did you mean `always`"),
        (
            "event pay(x)\nproperty P(x) {\n start state A {\n on pay(x) = Done\n }\n bad state Done\n}\n",
            "`-> Name`",
        ),
        (
            "event a(x, p)\nproperty P(x) {\n var last = 0\n start state S { on a(x, ?p) { last = p } -> S\n\
             on a(x, ?p) if p == last -> B }\n bad state B }\n",
            "WW0405",
        ),
    ];
    for (text, want) in cases {
        dir.write("p.ww", text);
        let ran = dir.run(&["lint", "p.ww"]);
        assert!(ran.stdout.contains(want), "{text}: {}", ran.stdout);
    }
    dir.write("p.ww", "event a(x, y) = log /a (?<x>\\d+) (?<y>\\d+/\nproperty P(x) { never a }\n");
    let ran = dir.run(&["lint", "p.ww"]).expect(2);
    assert!(ran.stdout.contains("WW0504") && !ran.stdout.contains("WW0501"), "{}", ran.stdout);
    // A slice that has not begun is not pending.
    dir.write(
        "p.ww",
        "event open(f)\nevent close(f)\nproperty Closed(f) {\n creation open\n start pending state Open \
         { on close(f) -> Done }\n state Done { on open(f) -> Open }\n}\n",
    );
    dir.run(&["lint", "--strict", "p.ww"]).expect(0);
    let ran = dir.run(&["list", "--tag", "nosuch"]).expect(2);
    assert!(ran.stderr.contains("no property has the tag `nosuch`"));
}
