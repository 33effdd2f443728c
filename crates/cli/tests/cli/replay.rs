//! `watchword replay`: verdicts, reports, summaries, hints.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::support::{BOUNDED, Dir, Ran, binary};

fn pushes(n: usize) -> String {
    (0..n).map(|i| format!("{{\"event\":\"push\",\"args\":{{\"q\":1,\"who\":{i}}}}}\n")).collect()
}

#[test]
fn a_violation_explains_itself() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED).write("t.jsonl", pushes(3));
    let ran = dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(1);
    for part in [
        "violation: Bounded: by 2",
        "t.jsonl:3 (event 3)",
        "with q = 1",
        "path Ok → Full",
        "push(q = 1, who = 2)",
        "Bounded: 3 events, 1 instance, 1 violation",
    ] {
        assert!(ran.stdout.contains(part), "no `{part}` in:\n{}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");
    let ran = dir.run(&["replay", "-q", "-p", "p.ww", "t.jsonl"]).expect(1);
    assert!(
        ran.stdout.contains("violation:") && !ran.stdout.contains("3 events"),
        "{}",
        ran.stdout
    );
    dir.write("ok.jsonl", pushes(2));
    let ran = dir.run(&["replay", "-p", "p.ww", "ok.jsonl"]).expect(0);
    assert!(ran.stdout.starts_with("Bounded: 2 events, 1 instance, 0 violations"));
}

#[test]
fn the_report_has_the_documented_fields() {
    let dir = Dir::new();
    let text = "{\"event\":\"push\",\"args\":[{\"ref\":12,\"class\":\"a.Queue\"},\"x\"],\
                \"time\":1.5,\"thread\":7,\"loc\":{\"file\":\"A.java\",\"line\":9,\"function\":\"A.m\"}}\n";
    dir.write("p.ww", BOUNDED).write("t.jsonl", text.repeat(3));
    let ran = dir.run(&["replay", "-p", "p.ww", "--format", "json", "t.jsonl"]).expect(1);
    let report = ran.json();
    assert_eq!(report["watchword"], 1);
    let property = &report["properties"][0];
    assert_eq!(property["name"], "Bounded");
    assert_eq!(property["verdict"], "violated");
    assert_eq!(property["events"], 3);
    assert_eq!(property["instances"], 1);
    assert_eq!(property["peak"], 1);
    assert_eq!(property["violations"], 1);
    let violation = &report["violations"][0];
    assert_eq!(violation["property"], "Bounded");
    assert_eq!(violation["message"], "by x");
    assert_eq!(violation["severity"], "error");
    assert_eq!(violation["binding"]["q"]["ref"], 12);
    assert_eq!(violation["binding"]["q"]["class"], "a.Queue");
    assert_eq!(violation["count"], 1);
    assert_eq!(violation["first"]["index"], 3);
    assert_eq!(violation["first"]["time"], 1.5);
    assert_eq!(violation["location"]["file"], "A.java");
    assert_eq!(violation["location"]["line"], 9);
    assert_eq!(violation["location"]["function"], "A.m");
    let last = violation["history"].as_array().unwrap().last().unwrap();
    assert_eq!(last["event"], "push");
    assert_eq!(last["args"]["who"], "x");
    assert_eq!(last["state"], "Full");
    assert_eq!(last["location"]["line"], 9);
    assert_eq!(last["thread"], 7);
    assert!(violation["stack"].is_array());
    assert!(report["limits"].as_array().unwrap().is_empty());
    assert_eq!(report["stats"]["events"], 3);

    dir.run(&["replay", "-p", "p.ww", "--report", "out.json", "t.jsonl"]).expect(1);
    assert_eq!(dir.read("out.json"), ran.stdout);
    assert_eq!(dir.names(), ["out.json", "p.ww", "t.jsonl"]);
}

#[test]
fn a_failed_run_leaves_an_old_report_alone() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED).write("t.jsonl", "{\"event\":\n").write("out.json", "old");
    dir.run(&["replay", "-p", "p.ww", "--report", "out.json", "t.jsonl"]).expect(2);
    assert_eq!(dir.read("out.json"), "old");
}

#[test]
fn the_same_site_is_one_violation_with_a_count() {
    let dir = Dir::new();
    let property = "event e(x)\nproperty P(x) { start state A { on e(x) -> B } bad state B }\n";
    let line =
        |x: u32, line: u32| format!("{{\"event\":\"e\",\"args\":[{x}],\"loc\":\"a.c:{line}\"}}\n");
    dir.write("p.ww", property);
    dir.write("t.jsonl", [line(1, 5), line(2, 5), line(3, 6)].concat());
    let report = dir.run(&["replay", "-p", "p.ww", "--format", "json", "t.jsonl"]).expect(1).json();
    let counts: Vec<_> =
        report["violations"].as_array().unwrap().iter().map(|v| v["count"].as_u64()).collect();
    assert_eq!(counts, [Some(2), Some(1)]);
    assert_eq!(report["properties"][0]["violations"], 3);
    let ran = dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(1);
    assert!(ran.stdout.contains("2 times in all"), "{}", ran.stdout);
    let ran = dir.run(&["replay", "-p", "p.ww", "--no-dedup", "t.jsonl"]).expect(1);
    assert_eq!(ran.stdout.matches("violation:").count(), 3);
    let ran = dir.run(&["replay", "-p", "p.ww", "--max-violations", "1", "t.jsonl"]).expect(1);
    assert_eq!(ran.stdout.matches("violation:").count(), 1);
    assert!(
        ran.stdout.contains("1 violation more") || ran.stdout.contains("1 more"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("3 violations"), "all are counted: {}", ran.stdout);
}

#[test]
fn silence_is_explained() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED).write("t.csv", "psh,1,2\npsh,1,3\nlen,4\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "t.csv"]).expect(0);
    assert!(ran.stderr.contains("no event of it occurred"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`psh` (2), did you mean `push`?"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("no column"), "{}", ran.stderr);
    dir.write("t.csv", "time,name,q,who\n1,push,1,2\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "t.csv"]).expect(0);
    assert!(ran.stderr.contains("t.csv: there is no column `event`"), "{}", ran.stderr);
    dir.write("t.csv", "push,1,2\npup,1\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "t.csv"]).expect(0);
    assert!(ran.stderr.contains("`pup` (1), did you mean `pop`?"), "{}", ran.stderr);
    dir.write("t.jsonl", "{\"event\":\"push\",\"args\":{\"queue\":1,\"who\":2}}\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(0);
    assert!(ran.stderr.contains("no record gave `q`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("records have `queue`"), "{}", ran.stderr);
    dir.write("t.jsonl", "");
    let ran = dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(0);
    assert!(ran.stderr.contains("the trace is empty"), "{}", ran.stderr);
    let ran = dir.run(&["replay", "-q", "-p", "p.ww", "t.jsonl"]).expect(0);
    assert_eq!(ran.stderr, "", "--quiet hints at nothing");
}

#[test]
fn several_traces_are_one() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED).write("a.jsonl", pushes(2)).write("b.csv", "push,1,9\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "a.jsonl", "b.csv"]).expect(1);
    assert!(ran.stdout.contains("b.csv:1 (event 3)"), "{}", ran.stdout);
    let ran = dir.run_with(&["replay", "-p", "p.ww", "a.jsonl", "-"], b"push,1,9\n").expect(1);
    assert!(ran.stdout.contains("<stdin>:1 (event 3)"), "{}", ran.stdout);
}

#[test]
fn a_live_log_is_reported_at_once() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED);
    let mut child = Command::new(binary())
        .args(["replay", "-p", "p.ww", "-"])
        .current_dir(dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    stdin.write_all(pushes(3).as_bytes()).unwrap();
    stdin.flush().unwrap();
    // The stream is still open: whoever waits for its end waits forever.
    let (sender, receiver) = std::sync::mpsc::channel();
    // Reads on to the end: closing the pipe would be success.
    std::thread::spawn(move || lines.by_ref().for_each(|line| drop(sender.send(line.unwrap()))));
    let first = receiver.recv_timeout(std::time::Duration::from_secs(60));
    drop(stdin);
    let status = child.wait().unwrap().code();
    assert!(first.as_ref().is_ok_and(|l| l.contains("violation: Bounded")), "{first:?}");
    assert_eq!(status, Some(1));
}

#[test]
fn time_must_not_run_backwards() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED);
    let line = |t: &str, q: u32| format!("{{\"event\":\"push\",\"args\":[{q},0],\"time\":{t}}}\n");
    dir.write("t.jsonl", [line("10", 1), line("10", 2), line("9.75", 3)].concat());
    let ran = dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(2);
    assert!(ran.stderr.contains("t.jsonl:3:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("WW2007") && ran.stderr.contains("0.25 s"), "{}", ran.stderr);
    let ran = dir.run(&["replay", "-p", "p.ww", "--skip-bad-lines", "t.jsonl"]).expect(0);
    assert!(ran.stdout.contains("2 events"), "{}", ran.stdout);
    let ran = dir.run(&["replay", "-p", "p.ww", "--sort-window", "1s", "t.jsonl"]).expect(0);
    assert!(ran.stdout.contains("3 events"), "{}", ran.stdout);
    dir.write("t.jsonl", [line("10", 1), line("10.5", 2), line("9.75", 3)].concat());
    let ran = dir.run(&["replay", "-p", "p.ww", "--sort-window", "100ms", "t.jsonl"]).expect(2);
    assert!(ran.stderr.contains("t.jsonl:3:"), "{}", ran.stderr);
    dir.run(&["replay", "-p", "p.ww", "--sort-window", "1s", "t.jsonl"]).expect(0);
}

#[test]
fn records_out_of_order_are_clamped_or_left_out() {
    let dir = Dir::new();
    let property = "event ask(id)\nevent answer(id)\n\
        property P(id) { start state I { on ask(id) -> W }\n\
        state W within 5 s else Late { on answer(id) -> I } bad state Late }\n";
    dir.write("p.ww", property);
    let line = |n: &str, t: u32| format!("{{\"event\":\"{n}\",\"args\":[1],\"time\":{t}}}\n");
    // At its own time the answer would be in time, and the question is put at 12.
    let trace = [line("ask", 10), line("ask", 12), line("answer", 9), line("ask", 30)].concat();
    dir.write("t.jsonl", &trace);
    let run = |order: &str| dir.run(&["replay", "-p", "p.ww", "--time-order", order, "t.jsonl"]);
    let ran = run("error").expect(2);
    assert!(ran.stderr.contains("WW2007"), "{}", ran.stderr);
    let ran = run("clamp").expect(0);
    assert!(ran.stdout.contains("4 events"), "{}", ran.stdout);
    let told = |ran: &Ran, what: &str| ran.stdout.contains(what) || ran.stderr.contains(what);
    assert!(told(&ran, "1 record was earlier than the one before; they got its time"));
    // Without the answer the question stays open.
    let ran = run("ignore").expect(1);
    assert!(ran.stdout.contains("3 events"), "{}", ran.stdout);
    assert!(told(&ran, "1 record was earlier than the one before and left out"));
    dir.write("u.jsonl", line("ask", 31));
    let merged =
        ["replay", "-p", "p.ww", "--merge", "--time-order", "ignore", "t.jsonl", "u.jsonl"];
    let ran = dir.run(&merged).expect(1);
    assert!(ran.stdout.contains("4 events"), "{}", ran.stdout);
}

#[test]
fn sorting_puts_late_events_back_into_their_place() {
    let dir = Dir::new();
    let property = "event a(x)\nevent b(x)\n\
        property P(x) { start state S { on b(x) -> B  on a(x) -> A } state A bad state B }\n";
    dir.write("p.ww", property);
    let line = |n: &str, t: u32| format!("{{\"event\":\"{n}\",\"args\":[1],\"time\":{t}}}\n");
    dir.write("t.jsonl", [line("b", 12), line("a", 11), line("a", 40)].concat());
    dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(2);
    dir.run(&["replay", "-p", "p.ww", "--sort-window", "5s", "t.jsonl"]).expect(0);
    dir.write("t.jsonl", [line("b", 11), line("a", 12)].concat());
    dir.run(&["replay", "-p", "p.ww", "--sort-window", "5s", "t.jsonl"]).expect(1);
}

#[test]
fn records_that_are_no_events_still_tell_the_time() {
    let dir = Dir::new();
    let property = "event ask(id)\nevent answer(id)\n\
        property P(id) { start state I { on ask(id) -> W }\n\
        state W within 5 s else L { on answer(id) -> I } bad state L }\n";
    dir.write("p.ww", property);
    let ask = "{\"event\":\"ask\",\"args\":[1],\"time\":1}\n";
    dir.write("t.jsonl", ask);
    dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(0);
    for later in ["{\"time\":6}\n", "{\"event\":\"other\",\"time\":6}\n", "{\"x\":1,\"time\":7}\n"]
    {
        dir.write("t.jsonl", format!("{ask}{later}"));
        let ran = dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(1);
        assert!(ran.stdout.contains("a deadline after event 1, at 6 s"), "{}", ran.stdout);
    }
}

#[test]
fn limits_are_reported_when_they_were_hit() {
    let dir = Dir::new();
    let trace: String = (0..100).map(|i| format!("push,{i},0\n")).collect();
    dir.write("p.ww", BOUNDED).write("t.csv", trace);
    for evict in ["oldest", "newest", "random"] {
        let ran = dir
            .run(&["replay", "-p", "p.ww", "--max-instances", "10", "--evict", evict, "t.csv"])
            .expect(0);
        assert!(ran.stdout.contains("limit:"), "{evict}: {}", ran.stdout);
    }
    let ran = dir.run(&["replay", "-p", "p.ww", "--max-instances", "1000", "t.csv"]).expect(0);
    assert!(!ran.stdout.contains("limit:"), "{}", ran.stdout);
}

#[test]
fn a_limit_makes_the_verdict_inconclusive_in_every_format() {
    let dir = Dir::new();
    let trace: String = (0..100).map(|i| format!("push,{i},0\n")).collect();
    dir.write("p.ww", BOUNDED).write("t.csv", trace);
    let reports = ["--report", "o.json", "--report", "o.sarif", "--report", "o.xml"];
    let limited = ["replay", "-p", "p.ww", "--max-instances", "10", "t.csv"];
    // The exit status is 0 unless another one is asked for.
    dir.run(&[&limited[..], &["--inconclusive-exitcode", "77"]].concat()).expect(77);
    let whole = ["replay", "-p", "p.ww", "--inconclusive-exitcode", "77", "t.csv"];
    dir.run(&whole).expect(0);
    let ran = dir.run(&[&limited[..], &reports, &["--report", "o.html"]].concat()).expect(0);
    assert!(ran.stdout.contains("0 violations, inconclusive"), "{}", ran.stdout);
    let json: serde_json::Value = serde_json::from_str(&dir.read("o.json")).unwrap();
    assert_eq!(json["properties"][0]["verdict"], "inconclusive");
    let sarif: serde_json::Value = serde_json::from_str(&dir.read("o.sarif")).unwrap();
    let results = &sarif["runs"][0]["results"];
    assert_eq!((&results[0]["kind"], &results[0]["level"]), (&"open".into(), &"none".into()));
    assert!(results[1].is_null(), "{results}");
    assert!(dir.read("o.xml").contains("<skipped message=\"inconclusive: "));
    assert!(dir.read("o.html").contains("1 verdict is inconclusive"));
}

#[test]
fn a_window_that_lacks_memory_is_inconclusive_in_every_format() {
    let dir = Dir::new();
    let property = "event fail(u)\nproperty Often(u) {\n\
        \x20 window fails = count fail(u) within 1 h\n\
        \x20 start state Ok { on fail(u) if fails > 1000000 -> Many }\n  bad state Many\n}\n";
    let trace: String = (0..20_000).map(|i| format!("fail,{},1\n", i / 1_000)).collect();
    let trace = format!("event,time,u\n{trace}");
    dir.write("p.ww", property).write("t.csv", trace);
    let reports = ["--report", "o.json", "--report", "o.sarif", "--report", "o.xml"];
    let limited = ["replay", "-p", "p.ww", "--max-memory", "64K", "t.csv"];
    dir.run(&["replay", "-p", "p.ww", "--max-memory", "10MiB", "t.csv"]).expect(0);
    dir.run(&[&limited[..], &["--inconclusive-exitcode", "77"]].concat()).expect(77);
    let ran = dir.run(&[&limited[..], &reports].concat()).expect(0);
    let said = "1 instance is inconclusive; first at event";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    assert!(ran.stdout.contains("no more memory (--max-memory)"), "{}", ran.stdout);
    let json: serde_json::Value = serde_json::from_str(&dir.read("o.json")).unwrap();
    assert_eq!(json["properties"][0]["verdict"], "inconclusive");
    assert!(dir.read("o.sarif").contains("\"open\""));
    assert!(dir.read("o.xml").contains("<skipped message=\"inconclusive: "));
    for size in ["0", "12X", "-1", "99999999999G", "1.5G", ""] {
        let flag = format!("--max-memory={size}");
        let ran = dir.run(&["replay", "-p", "p.ww", &flag, "t.csv"]).expect(2);
        assert!(ran.stderr.contains("--max-memory"), "{size}: {}", ran.stderr);
    }
}

#[test]
fn a_violation_after_a_limit_is_not_certain() {
    let dir = Dir::new();
    let reports = ["--report", "o.json", "--report", "o.sarif", "--report", "o.xml"];
    let limited = ["replay", "-p", "p.ww", "--max-instances", "1", "t.csv"];
    let limited = [&limited[..], &reports].concat();
    let thrice = "push,1,0\npush,1,0\npush,1,0\n";
    // The limit is hit before the violation: it may not be real.
    dir.write("p.ww", BOUNDED).write("t.csv", format!("push,0,0\n{thrice}"));
    let ran = dir.run(&limited).expect(1);
    assert!(ran.stdout.starts_with("possible violation: Bounded"), "{}", ran.stdout);
    let json: serde_json::Value = serde_json::from_str(&dir.read("o.json")).unwrap();
    assert_eq!(json["properties"][0]["verdict"], "inconclusive");
    assert_eq!(json["violations"][0]["certain"], false);
    let sarif: serde_json::Value = serde_json::from_str(&dir.read("o.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["kind"], "open");
    assert!(dir.read("o.xml").contains("<error message=\"by 0\" type=\"inconclusive\">"));
    // The limit is hit after the violation, which is certain. Events are evaluated a few at a time.
    dir.write("t.csv", format!("{thrice}{}push,0,0\n", "pop,1\n".repeat(100)));
    let ran = dir.run(&limited).expect(1);
    assert!(ran.stdout.starts_with("violation: Bounded"), "{}", ran.stdout);
    let json: serde_json::Value = serde_json::from_str(&dir.read("o.json")).unwrap();
    assert_eq!(json["properties"][0]["verdict"], "violated");
    assert!(json["violations"][0]["certain"].is_null());
    let sarif: serde_json::Value = serde_json::from_str(&dir.read("o.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["kind"], "fail");
    assert!(dir.read("o.xml").contains("<failure message=\"by 0\""));
}

#[test]
fn stats_tell_how_much_work_it_was() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED).write("t.jsonl", pushes(2));
    let ran = dir.run(&["replay", "-p", "p.ww", "--stats", "t.jsonl"]).expect(0);
    assert!(ran.stdout.contains("2 lines read, 2 events in"), "{}", ran.stdout);
    let ran = dir.run(&["replay", "-p", "p.ww", "--stats", "--format", "json", "t.jsonl"]);
    assert!(ran.expect(0).json()["stats"]["seconds"].is_number());
}

#[test]
fn the_history_is_as_long_as_asked() {
    let dir = Dir::new();
    let property = "event e(x)\nproperty P(x) { start state A { on e(x) -> B } \
        state B { on e(x) -> C } state C { on e(x) -> D } bad state D }\n";
    dir.write("p.ww", property).write("t.csv", "e,1\ne,1\ne,1\n");
    for (flag, want) in [("10", 3), ("2", 2), ("0", 0)] {
        let args = ["replay", "-p", "p.ww", "--history", flag, "--format", "json", "t.csv"];
        let report = dir.run(&args).expect(1).json();
        assert_eq!(report["violations"][0]["history"].as_array().unwrap().len(), want);
    }
    let ran = dir.run(&["replay", "-p", "p.ww", "t.csv"]).expect(1);
    assert!(ran.stdout.contains("path A → B → C → D"), "{}", ran.stdout);
    let ran = dir.run(&["replay", "-p", "p.ww", "--history", "2", "t.csv"]).expect(1);
    assert!(ran.stdout.contains("path … → C → D"), "{}", ran.stdout);
}

#[test]
fn a_property_with_mistakes_is_status_2_with_its_diagnostics() {
    let dir = Dir::new();
    dir.write("p.ww", "property P(x) { start state A { on e(x) -> B } }\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "-"]).expect(2);
    assert!(ran.stderr.contains("error[WW") && ran.stderr.contains("p.ww:1:"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    dir.write("p.ww", "event e(x)\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "-"]).expect(2);
    assert!(ran.stderr.contains("contains no property"), "{}", ran.stderr);
}

#[test]
fn what_updates_print_is_shown() {
    let dir = Dir::new();
    let property = "event e(x)\nproperty P(x) { start state A { on e(x) { print \"saw {x}\" } -> B } bad state B }\n";
    dir.write("p.ww", property).write("t.csv", "e,1\ne,\"\x1b[2J\"\n");
    for engine in ["engine", "reference"] {
        let ran = dir.run(&["replay", "--engine", engine, "-p", "p.ww", "t.csv"]).expect(1);
        assert!(
            ran.stdout.starts_with("printed: saw 1\nprinted: saw \u{fffd}[2J\n"),
            "{}",
            ran.stdout
        );
    }
    let report = dir.run(&["replay", "-p", "p.ww", "--format", "json", "t.csv"]).expect(1).json();
    assert_eq!(report["printed"][0], "saw 1");
}

#[test]
fn the_plan_of_shards_is_json_for_programs() {
    let dir = Dir::new();
    let text = "event create(c, i)\nevent update(c)\nevent next(i)\nevent tick()\n\
        property Safe(c, i) {\n  creation create\n  never create next* update+ next\n}\n\
        property Ticks() { never tick tick }\n";
    dir.write("p.ww", text);
    let plan = |flags: &[&str]| {
        let flags = [&["replay", "-p", "p.ww", "--explain-plan"], flags].concat();
        dir.run(&flags).expect(0).stdout
    };
    let json: serde_json::Value = serde_json::from_str(&plan(&["--format", "json"])).unwrap();
    let [safe, ticks] = &json["routing"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!(safe["properties"][0], "Safe");
    assert_eq!(safe["key"], "i");
    let to = |event: &str| {
        let events = safe["events"].as_array().unwrap();
        events.iter().find(|e| e["event"] == event).unwrap_or(&serde_json::Value::Null).clone()
    };
    assert_eq!(to("create")["to"], "key");
    assert_eq!(to("next")["to"], "key");
    assert_eq!((&to("update")["to"], &to("update")["by"]), (&"learnt".into(), &"c".into()));
    assert_eq!(to("tick"), serde_json::Value::Null);
    assert_eq!(ticks["properties"][0], "Ticks");
    assert_eq!(ticks["whole"], "it has no parameters");
    // The same in words.
    let words = plan(&[]);
    assert!(words.contains("Safe: shards by i"), "{words}");
    assert!(words.contains("Ticks: one shard, because it has no parameters"), "{words}");
}
