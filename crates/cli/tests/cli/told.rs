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
    let told = "P: a guard had no value, and its transition was not taken; at t.csv:2: a number became too large";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    for name in ["o.sarif", "o.xml", "o.html"] {
        assert!(dir.read(name).contains(told), "{name}");
    }
    dir.write("t.csv", "a,9223372036854775807\n".repeat(3));
    let ran = dir.run(&["replay", "-p", "p.ww", "t.csv"]).expect(0);
    assert!(
        ran.stderr.contains(
            "had no value 3 times, and their transitions were not taken; first at t.csv:1:"
        )
    );
}

#[test]
fn a_failed_update_is_inconclusive_in_every_report() {
    let dir = Dir::new();
    let property = "event a(x, v: int)\nproperty P(x) { var n: int = 0\n\
                    start state S { on a(x, ?v) if v >= 0 { n = n + v }\non a(x, _) -> B }\n\
                    bad state B }\n";
    dir.write("p.ww", property);
    dir.write("t.csv", "a,1,9223372036854775807\na,1,1\na,1,-1\n");
    let mut args = vec!["replay", "-p", "p.ww", "t.csv"];
    for name in ["o.json", "o.sarif", "o.xml", "o.html"] {
        args.extend(["--report", name]);
    }
    let ran = dir.run(&args).expect(0);
    let told = "P: an update failed, and 1 instance is inconclusive; first at event 2: a number \
                became too large";
    assert!(ran.stdout.contains(told) || ran.stderr.contains(told), "{}{}", ran.stdout, ran.stderr);
    for name in ["o.json", "o.sarif", "o.xml", "o.html"] {
        assert!(dir.read(name).contains(told), "{name}");
    }
    let verdict = |dir: &Dir, verdict: &str| {
        dir.read("o.json").replace(' ', "").contains(&format!("\"verdict\":\"{verdict}\""))
    };
    assert!(verdict(&dir, "inconclusive"), "{}", dir.read("o.json"));
    // Another instance is not concerned.
    dir.write("t.csv", "a,1,9223372036854775807\na,1,1\na,2,-1\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "t.csv", "--report", "o.json"]).expect(1);
    assert!(ran.stdout.contains(told) || ran.stderr.contains(told));
    assert!(verdict(&dir, "violated"), "{}", dir.read("o.json"));
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
    let whole = ["replay", "-p", "p.ww", "--history", "30", "t.csv"];
    let ran = dir.run(&whole).expect(1);
    assert!(ran.stdout.contains("path S0 → S1"), "{}", ran.stdout);
    // The table says what happened; where there is none, words do.
    let ran = dir.run(&[&whole[..], &["--format", "json"]].concat()).expect(1);
    assert!(ran.stdout.contains("First, `tick` happened"), "{}", ran.stdout);
    // A loop looks like the beginning.
    let property = "event tick(x)\nproperty P(x) {\nvar n: int = 0\nstart state S {\n\
                    on tick(x) if n > 23 -> B\non tick(x) { n = n + 1 } -> S\n}\nbad state B }\n";
    dir.write("p.ww", property);
    dir.write("t.csv", "tick,7\n".repeat(25));
    let cut = ["replay", "-p", "p.ww", "--history", "10", "t.csv"];
    let ran = dir.run(&cut).expect(1);
    assert!(ran.stdout.contains("path … → S → B"), "{}", ran.stdout);
    let ran = dir.run(&[&cut[..], &["--format", "json"]].concat()).expect(1);
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
    assert!(ran.stderr.contains("too many to draw; use `--format dot`"), "{}", ran.stderr);
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

const SESSION: &str = "\
event login(u) = log /(?<u>\\w+) logged in/
event logout(u) = log /(?<u>\\w+) logged out/
event access(u) = log /(?<u>\\w+) accesses/

property Access(u) {
  start state Out {
    on login(u) -> In
    on access(u) -> Denied
  }
  state In { on logout(u) -> Out }
  bad state Denied
}
";

#[test]
fn an_event_that_a_property_needs_and_never_saw_is_named() {
    let dir = Dir::new();
    let typo = SESSION.replace("logged out", "loged out");
    dir.write("good.ww", SESSION).write("typo.ww", typo);
    dir.write("t.log", "ann logged in\nann accesses\nann logged out\nann accesses\n");
    let ran = dir.run(&["replay", "-p", "typo.ww", "t.log"]).expect(0);
    let line = "Access: 3 events, 1 instance, 0 violations (`logout` never occurred)\n";
    assert_eq!(ran.stdout, line);
    let ran = dir.run(&["replay", "-p", "typo.ww", "--format", "json", "t.log"]).expect(0);
    let property = &ran.json()["properties"][0];
    assert_eq!(property["missed"], serde_json::json!(["logout"]));
    assert_eq!(property["byEvent"], serde_json::json!({"login": 1, "logout": 0, "access": 2}));
    dir.run(&["replay", "-p", "typo.ww", "--report", "o.html", "t.log"]).expect(0);
    assert!(dir.read("o.html").contains("<code>logout</code> never occurred"));
    // As it should be, nothing is said; and that nothing bad happened is no news.
    let ran = dir.run(&["replay", "-p", "good.ww", "t.log"]).expect(1);
    assert!(ran.stdout.ends_with("4 events, 2 instances, 1 violation\n"), "{}", ran.stdout);
    dir.write("quiet.log", "ann logged in\nann logged out\n");
    let ran = dir.run(&["replay", "-p", "good.ww", "quiet.log"]).expect(0);
    assert_eq!(ran.stdout, "Access: 2 events, 1 instance, 0 violations\n");
    // Whoever wants to know more asks.
    let ran = dir.run(&["replay", "-v", "-p", "good.ww", "quiet.log"]).expect(0);
    assert!(ran.stdout.contains("\n    login 1, access 0, logout 1\n"), "{}", ran.stdout);
}

#[test]
fn what_changes_variables_is_needed_and_program_points_of_shipped_properties_are_not() {
    let dir = Dir::new();
    dir.write("p.ww", crate::support::BOUNDED);
    dir.write("t.csv", "push,1,2\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "t.csv"]).expect(0);
    assert!(ran.stdout.contains("0 violations (`pop` never occurred)"), "{}", ran.stdout);
    // One event alone, of which nothing else is known.
    dir.write("n.ww", "event a(x)\nevent b(x)\nproperty P(x) { never a b }\n");
    dir.write("n.csv", "a,1\n");
    let ran = dir.run(&["replay", "-p", "n.ww", "n.csv"]).expect(0);
    assert_eq!(ran.stdout, "P: 1 event, 1 instance, 0 violations\n");
    let call = "{\"return\":\"java.util.Collection.iterator\",\"value\":{\"ref\":2},\
                \"args\":[{\"ref\":1}]}\n";
    dir.write("j.jsonl", call);
    let ran = dir.run(&["replay", "-p", "std/iterator-comodification", "j.jsonl"]);
    assert!(!ran.stdout.contains("never occurred"), "{}", ran.stdout);
}

#[test]
fn families_are_summed_up() {
    let dir = Dir::new();
    let call = "{\"return\":\"java.util.Collection.iterator\",\"value\":{\"ref\":2},\
                \"args\":[{\"ref\":1}]}\n";
    dir.write("j.jsonl", call);
    dir.write("mine.ww", "event nope(x)\nproperty Mine(x) { never nope }\n");
    let ran = dir.run(&["replay", "-p", "std/jdk", "-p", "mine.ww", "j.jsonl"]).expect(0);
    let last = ran.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("… and ") && last.contains("without any event (-v"), "{last}");
    assert!(ran.stdout.lines().count() < 8, "{}", ran.stdout);
    assert!(ran.stderr.contains("Mine: no event of it occurred"), "{}", ran.stderr);
    assert!(ran.stderr.lines().count() < 5, "{}", ran.stderr);
    dir.write("u.jsonl", "{\"event\":\"nop\"}\n");
    let ran = dir.run(&["replay", "-p", "std/jdk", "u.jsonl"]).expect(0);
    let said = "no event of 64 shipped properties occurred; the trace has `nop` (1)";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(ran.stdout, "64 properties without any event (-v lists them)\n");
    let all = dir.run(&["replay", "-v", "-p", "std/jdk", "-p", "mine.ww", "j.jsonl"]).expect(0);
    let lines = all.stdout.lines().filter(|l| !l.starts_with(' ')).count();
    assert_eq!(lines, 65, "{}", all.stdout);
}

#[test]
fn a_report_is_written_where_a_link_points_to() {
    let dir = Dir::new();
    dir.write("p.ww", "event b(x)\nproperty P(x) { never b }\n").write("t.csv", "b,1\n");
    std::fs::create_dir(dir.path().join("out")).unwrap();
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, dir.path().join(name)).unwrap();
    };
    dir.write("out/there.json", "old");
    link("out/there.json", "a.json");
    link("out/new.json", "b.json");
    link("d.json", "c.json");
    link("c.json", "d.json");
    let report = |name: &str| dir.run(&["replay", "-p", "p.ww", "--report", name, "t.csv"]);
    for (name, file) in [("a.json", "out/there.json"), ("b.json", "out/new.json")] {
        report(name).expect(1);
        assert!(dir.read(file).contains("\"watchword\":1"), "{name}");
        let is_link = dir.path().join(name).symlink_metadata().unwrap().is_symlink();
        assert!(is_link, "{name} is still a link");
    }
    let ran = report("c.json").expect(2);
    assert!(ran.stderr.contains("circle") || ran.stderr.contains("links"), "{}", ran.stderr);
}

#[test]
fn properties_whose_names_begin_alike_are_asked_for_together() {
    let dir = Dir::new();
    let ran = dir.run(&["lint", "std/iterator"]).expect(0);
    assert!(ran.stdout.contains("3 properties"), "{}", ran.stdout);
    dir.run(&["lint", "std/iterato"]).expect(2);
}
