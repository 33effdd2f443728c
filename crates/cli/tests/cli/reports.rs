//! Report files, baselines and explanations, from the command line.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::{BOUNDED, Dir, binary, root};

const TRACE: &str = "push,1,a\npush,1,b\npush,1,c\n";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED).write("t.csv", TRACE);
    dir
}

#[test]
fn reports_follow_the_extension_and_may_be_several() {
    let dir = dir();
    let names = ["out.json", "out.SARIF", "out.xml", "out.html"];
    let mut args = vec!["replay", "-p", "p.ww", "t.csv"];
    for name in names {
        args.extend(["--report", name]);
    }
    dir.run(&args).expect(1);
    let json: serde_json::Value = serde_json::from_str(&dir.read("out.json")).unwrap();
    assert_eq!(json["violations"][0]["property"], "Bounded");
    let explanation = json["violations"][0]["explanation"].as_str().unwrap();
    assert!(explanation.contains("`push` happened") && explanation.contains("leads to `Full`"));
    assert_eq!(json["violations"][0]["fingerprint"].as_str().unwrap().len(), 32);
    let sarif: serde_json::Value = serde_json::from_str(&dir.read("out.SARIF")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "Bounded");
    assert!(dir.read("out.xml").contains("<testsuite name=\"Bounded\" tests=\"1\" failures=\"1\""));
    assert!(dir.read("out.html").starts_with("<!doctype html>"));
    assert_eq!(dir.names(), ["out.SARIF", "out.html", "out.json", "out.xml", "p.ww", "t.csv"]);
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_read() {
    let dir = dir();
    std::fs::create_dir(dir.path().join("d.html")).unwrap();
    for bad in ["nowhere/out.sarif", "d.html", "out.pdf", "out"] {
        let ran =
            dir.run(&["replay", "-p", "p.ww", "--report", "ok.json", "--report", bad, "t.csv"]);
        assert_eq!(ran.expect(2).stdout, "");
    }
    assert_eq!(dir.names(), ["d.html", "p.ww", "t.csv"]);
}

#[test]
fn a_baseline_hides_what_is_known_and_nothing_else() {
    let dir = dir();
    dir.run(&["replay", "-p", "p.ww", "--write-baseline", "known.txt", "t.csv"]).expect(1);
    let ran = dir.run(&["replay", "-p", "p.ww", "--baseline", "known.txt", "t.csv"]).expect(0);
    assert!(!ran.stdout.contains("violation:"), "{}", ran.stdout);
    assert!(ran.stdout.contains("baseline: 1 known, 0 new"), "{}", ran.stdout);
    // Other lines, other callers: the same queue overflows.
    dir.write("moved.csv", format!("pop,9\n{}", TRACE.replace(",c", ",zoe")));
    dir.run(&["replay", "-p", "p.ww", "--baseline", "known.txt", "moved.csv"]).expect(1);
    dir.write("moved.csv", format!("pop,9\npop,9\n{TRACE}"));
    dir.run(&["replay", "-p", "p.ww", "--baseline", "known.txt", "moved.csv"]).expect(0);
    // Another queue is news, live and at the end, for people and programs.
    let more = format!("{TRACE}push,2,a\npush,2,b\npush,2,c\n");
    let args = ["replay", "-p", "p.ww", "--baseline", "known.txt", "-"];
    let ran = dir.run_with(&args, more.as_bytes()).expect(1);
    assert_eq!(ran.stdout.matches("violation:").count(), 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("with q = 2"), "{}", ran.stdout);
    dir.write("more.csv", &more);
    let args = ["replay", "-p", "p.ww", "--baseline", "known.txt", "--format", "json", "more.csv"];
    let json = dir.run(&args).expect(1).json();
    let status: Vec<_> =
        json["violations"].as_array().unwrap().iter().map(|v| &v["status"]).collect();
    assert_eq!(status, ["known", "new"]);
    // What was not kept could not be compared.
    let args =
        ["replay", "-p", "p.ww", "--baseline", "known.txt", "--max-violations", "1", "more.csv"];
    dir.run(&args).expect(1);
}

#[test]
fn explain_tells_a_property_in_words_with_a_run_that_violates_it() {
    let dir = dir();
    let told = dir.run(&["explain", "p.ww"]).expect(0).stdout;
    for part in [
        "Bounded(q) (error)",
        "Two is enough.",
        "There is one instance for every q",
        "shortest run",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    let json = dir.run(&["explain", "p.ww", "--format", "json"]).expect(0).json();
    let run = json["properties"][0]["example"].as_array().unwrap().clone();
    assert_eq!(run.len(), 3, "two fit, the third does not");
    let trace: String = run.iter().map(|record| format!("{record}\n")).collect();
    dir.write("example.jsonl", trace);
    dir.run(&["replay", "-p", "p.ww", "example.jsonl"]).expect(1);
}

#[test]
fn pictures_have_three_formats() {
    let dir = dir();
    assert!(dir.run(&["graph", "p.ww"]).expect(0).stdout.contains("● Ok"));
    assert!(dir.run(&["graph", "--format", "term", "p.ww"]).expect(0).stdout.contains("║ Full ║"));
    assert!(dir.run(&["graph", "--format", "dot", "p.ww"]).expect(0).stdout.starts_with("digraph"));
    let svg = dir.run(&["graph", "--format", "svg", "p.ww"]).expect(0).stdout;
    assert!(svg.starts_with("<svg") && svg.contains("push(q, ?who)"), "{svg}");
    assert_eq!(dir.run(&["graph", "--format", "svg", "p.ww"]).expect(0).stdout, svg);
}

#[test]
fn sources_are_shown_in_the_page() {
    let dir = dir();
    std::fs::create_dir_all(dir.path().join("src/shop")).unwrap();
    dir.write("src/shop/Queue.java", "one\ntwo\n  q.<b>push</b>(x);\nfour\n");
    let record = r#"{"event":"push","args":[1,"a"],"loc":"Queue.java:3:shop.Queue.add"}"#;
    dir.write("t.jsonl", format!("{record}\n{record}\n{record}\n"));
    dir.run(&["replay", "-p", "p.ww", "--sources", "src", "--report", "r.html", "t.jsonl"])
        .expect(1);
    let page = dir.read("r.html");
    assert!(page.contains("q.&lt;b&gt;push&lt;/b&gt;(x);"), "the line is there, as text");
}

#[test]
fn compressed_and_rotated_logs_are_one_trace() {
    let dir = dir();
    let gzip = |text: &str| {
        let mut child =
            Command::new("gzip").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child.wait_with_output().unwrap().stdout
    };
    dir.write("all.csv.gz", gzip(TRACE));
    dir.run(&["replay", "-p", "p.ww", "all.csv.gz"]).expect(1);
    dir.run_with(&["replay", "-p", "p.ww", "-"], &gzip(TRACE)).expect(1);
    let whole = gzip(TRACE);
    let cut = dir.run_with(&["replay", "-p", "p.ww", "-"], &whole[..whole.len() - 5]).expect(2);
    assert!(cut.stderr.contains("ends too early"), "{}", cut.stderr);
    dir.write("app.csv.10", gzip("push,1,a\n"))
        .write("app.csv.2", "push,1,b\n")
        .write("app.csv", "push,1,c\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "--rotated", "--input-format", "csv", "app.csv"]);
    let ran = ran.expect(1);
    let order: Vec<usize> = ["app.csv.10:1", "app.csv.2:1", "app.csv:1"]
        .iter()
        .map(|place| ran.stdout.find(place).unwrap_or_else(|| panic!("{place}: {}", ran.stdout)))
        .collect();
    assert!(ran.stdout.contains("\"c\""), "{}", ran.stdout);
    assert!(order.len() == 3);
    dir.run(&["replay", "-p", "p.ww", "--rotated", "missing.csv"]).expect(2);
}

#[test]
fn quotes_around_nothing_are_the_empty_text() {
    let dir = Dir::new();
    let property = "property P(x) { start state S { on a(x) if x == \"\" -> B } bad state B }";
    dir.write("p.ww", format!("event a(x)\n{property}\n"));
    for (file, nothing, empty) in [
        ("t.csv", "event,x\na,\n", "event,x\na,\"\"\n"),
        ("t.logfmt", "event=a x=\n", "event=a x=\"\"\n"),
    ] {
        dir.write(file, nothing).run(&["replay", "-p", "p.ww", file]).expect(0);
        let ran = dir.write(file, empty).run(&["replay", "-p", "p.ww", file]).expect(1);
        assert!(ran.stdout.contains("x = \"\""), "{file}: {}", ran.stdout);
    }
}

#[test]
fn logfmt_is_read_by_name_and_by_field() {
    let dir = dir();
    let lines = "time=1 event=push q=1 who=a\ntime=2 event=push q=1 who=\"b \\\"c\\\"\"\n\
        level=info msg=\"nothing\" ok\ntime=3 event=push q=1 who=\"the last\" loc=q.c:7:add\n";
    dir.write("t.logfmt", lines);
    let ran = dir.run(&["replay", "-p", "p.ww", "t.logfmt"]).expect(1);
    assert!(ran.stdout.contains("by the last"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("q.c:7 in add") && ran.stdout.contains("b \\\"c\\\""),
        "{}",
        ran.stdout
    );
    // By its first line, too; as a field at a path, typed as declared.
    dir.run_with(&["replay", "-p", "p.ww", "-"], lines.as_bytes()).expect(1);
    dir.write(
        "f.ww",
        "event failed(id: int, code: string) = log where .level == \"error\" with id = .order.id, code = .code\n\
         property F(id) { never (failed(id, \"007\")) }\n",
    );
    let line = b"level=warn order.id=17 code=007\nlevel=error order.id=17 code=007\n";
    let ran = dir.run_with(&["replay", "-p", "f.ww", "-"], line).expect(1);
    assert!(ran.stdout.contains("with id = 17"), "{}", ran.stdout);
    for bad in ["event=push who=\"a", "=1", "event=push event=pop", "event=push time=soon", "a\"b"]
    {
        let args = ["replay", "-p", "p.ww", "--input-format", "logfmt", "-"];
        let ran = dir.run_with(&args, format!("ok=1\n{bad}\n").as_bytes()).expect(2);
        assert!(ran.stderr.contains("<stdin>:2:"), "{bad}: {}", ran.stderr);
    }
}

#[test]
fn a_file_that_grows_is_followed() {
    use std::io::{BufRead, BufReader};
    let dir = dir();
    dir.write("live.csv", "push,1,a\n");
    let mut child = Command::new(binary())
        .args(["replay", "-p", "p.ww", "--follow", "live.csv"])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut file =
        std::fs::OpenOptions::new().append(true).open(dir.path().join("live.csv")).unwrap();
    file.write_all(b"push,1,b\npush,1,c\n").unwrap();
    // Nothing but the violation ends this wait.
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("violation: Bounded"), "{line}");
}

#[test]
fn completions_and_manual_pages_come_from_the_flags() {
    let dir = dir();
    for shell in ["bash", "zsh", "fish"] {
        let script = dir.run(&["completions", shell]).expect(0).stdout;
        assert!(script.contains("write-baseline"), "{shell}");
    }
    assert!(dir.run(&["man"]).expect(0).stdout.contains("watchword"));
    assert!(dir.run(&["man", "replay"]).expect(0).stdout.contains("baseline"));
    dir.run(&["man", "nothing"]).expect(2);
}

#[test]
fn the_page_about_reports_is_true() {
    assert!(crate::readme::run_page(&root().join("docs/reports.md")) >= 3);
}

#[test]
fn every_format_names_events_that_never_occurred() {
    let dir = Dir::new();
    dir.write(
        "p.ww",
        "event open(f)\nevent closed(f)\nevent read(f)\nproperty P(f) {\n  start state A { on \
         closed(f) -> B\n on open(f) -> A }\n  state B { on read(f) -> C }\n  bad state C\n}\n",
    );
    dir.write("t.jsonl", "{\"event\":\"open\",\"args\":[1]}\n");
    for file in ["out.xml", "out.sarif", "out.html", "out.json"] {
        dir.run(&["replay", "-p", "p.ww", "t.jsonl", "--report", file]).expect(0);
        let text = dir.read(file);
        let told = text.contains("never occurred") || text.contains("\"missed\"");
        assert!(told && text.contains("closed"), "{file}: {text}");
    }
}

#[test]
fn what_is_said_about_topl_properties() {
    let dir = Dir::new();
    dir.write(
        "p.topl",
        "property P\n  message \"an iterator was misused\"\n  observe <java.util.Iterator.*>\n  \
         prefix <java.util.Iterator>\n  start -> start: *\n  start -> asked: call I.hasNext()\n  \
         aksed -> error: call i.next()\n",
    );
    let explained = dir.run(&["explain", "p.topl"]).expect(0).stdout;
    assert!(explained.contains("an iterator was misused"), "{explained}");
    let linted = dir.run(&["lint", "p.topl"]).stdout;
    assert!(linted.contains("did you mean `asked`?"), "{linted}");
}
