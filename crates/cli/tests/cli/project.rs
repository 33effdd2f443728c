//! Project files: what `watchword check` runs.

use crate::support::{BOUNDED, Dir};

const FILE: &str = "\
[[check]]
name = \"queues\"
properties = \"p.ww\"
traces = \"logs/*.csv\"
history = 1
report = [\"out.json\"]

[[check]]
name = \"others\"
properties = [\"p.ww\", \"std/reply\"]
traces = [\"other.jsonl\"]
quiet-please = true
";

fn project(file: &str) -> Dir {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.path().join("logs")).unwrap();
    std::fs::create_dir_all(dir.path().join("src/deep")).unwrap();
    dir.write("p.ww", BOUNDED).write("watchword.toml", file);
    dir.write("logs/b.csv", "push,1,b\n").write("logs/a.csv", "push,1,a\npush,1,a\n");
    dir.write("other.jsonl", "{\"event\":\"pop\",\"args\":[1]}\n");
    dir
}

#[test]
fn checks_run_with_the_flags_of_replay() {
    let dir = project(&FILE.replace("quiet-please = true\n", "skip-bad-lines = true\n"));
    let ran = dir.run(&["check"]).expect(1);
    // Files in the order of their names; the third push is one too many.
    assert!(ran.stdout.contains("== queues\nviolation: Bounded: by b"), "{}", ran.stdout);
    assert!(ran.stdout.contains("--> logs/b.csv:1 (event 3)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("== others\n"), "{}", ran.stdout);
    assert!(dir.read("out.json").contains("\"violations\":1"), "{}", dir.read("out.json"));
    // From a folder below, as beside the file.
    let deep = std::process::Command::new(crate::support::binary())
        .args(["check", "--only", "queues"])
        .current_dir(dir.path().join("src/deep"))
        .output()
        .unwrap();
    assert_eq!(deep.status.code(), Some(1), "{}", String::from_utf8_lossy(&deep.stderr));
    let told = String::from_utf8(deep.stdout).unwrap();
    assert!(told.starts_with("violation: Bounded") && !told.contains("=="), "{told}");
    dir.run(&["check", "--only", "others"]).expect(0);
    let reports = dir.run(&["check", "--format", "json"]).expect(1).stdout;
    assert_eq!(reports.lines().count(), 2, "{reports}");
    assert!(reports.lines().all(|line| line.starts_with("{\"watchword\":1,")), "{reports}");
}

#[test]
fn mistakes_in_a_project_file_are_explained() {
    for (file, said) in [
        (FILE.to_string(), "there is no key `quiet-please`"),
        (FILE.replace("quiet-please", "skip-bad-line"), "did you mean `skip-bad-lines`?"),
        (FILE.replace("quiet-please = true", "history = \"many\""), "invalid value 'many'"),
        ("[[check]]\ntraces = \"x\"\n".to_string(), "`properties` is missing"),
        (
            "[[check]]\nproperties = \"p.ww\"\ntraces = \"*.log\"\n".to_string(),
            "no file matches *.log",
        ),
        ("[[check]\n".to_string(), "line 1"),
        ("checks = 1\n".to_string(), "there is no key `checks`, did you mean `[[check]]`?"),
        ("properties = \"p.ww\"\n".to_string(), "write them below a line `[[check]]`"),
        (
            FILE.replace("[[check]]", "[check]").split_once("\n\n").unwrap().0.to_string(),
            "write `[[check]]`",
        ),
        (FILE.replacen("properties", "property", 1), "did you mean `properties`?"),
        (FILE.replacen("traces", "trace", 1), "did you mean `traces`?"),
        (FILE.replacen("traces", "logs", 1), "did you mean `traces`?"),
        (FILE.replace("quiet-please", "follow"), "`watchword replay --follow`"),
        (String::new(), "there is no [[check]]"),
    ] {
        let ran = project(&file).run(&["check"]).expect(2);
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{file}");
    }
    let ran = Dir::new().run(&["check", "--file", "none.toml"]).expect(2);
    assert!(ran.stderr.contains("none.toml"), "{}", ran.stderr);
    let ran = project(&FILE.replace("quiet-please = true\n", "")).run(&["check", "--only", "x"]);
    assert!(ran.expect(2).stderr.contains("there are queues, others"));
}

/// Requests that are answered, but for one.
fn answered(request: impl Fn(usize) -> String, answer: impl Fn(usize) -> String) -> String {
    let lines = (0..40).flat_map(|i| {
        let answer = (i != 17).then(|| answer(i));
        std::iter::once(request(i)).chain(answer)
    });
    lines.collect()
}

#[test]
fn init_proposes_what_a_log_mostly_keeps() {
    let json = answered(
        |i| {
            format!(
                "{{\"ts\":{i},\"http\":{{\"op\":\"ask\",\"session\":\"s{i}\"}},\"host\":\"a\"}}\n"
            )
        },
        |i| {
            format!(
                "{{\"ts\":{i},\"http\":{{\"op\":\"tell\",\"session\":\"s{i}\"}},\"host\":\"a\"}}\n"
            )
        },
    );
    let csv = answered(|i| format!("{i},begin,u{i},x\n"), |i| format!("{i},finish,u{i},y\n"));
    let csv = format!("n,action,user_id,note\n{csv}");
    let logfmt = answered(
        |i| format!("level=info action=lock conn=c{i} ok=true\n"),
        |i| format!("level=info action=unlock conn=c{i} ok=true\n"),
    );
    let text = answered(
        |i| format!("2024-05-01T12:00:{i:02}Z client k{i} connected from port {}\n", i * 7),
        |i| format!("2024-05-01T12:00:{i:02}Z goodbye to client k{i}\n"),
    );
    for (file, log, kind) in [
        ("web.jsonl", &json, "TellFollows"),
        ("steps.csv", &csv, "FinishFollows"),
        ("locks.log", &logfmt, "UnlockFollows"),
        ("talk.log", &text, "GoodbyeToClientFollows"),
    ] {
        let dir = Dir::new();
        dir.write(file, log);
        let told = dir.run(&["init", file]).expect(0).stdout;
        assert!(told.contains("39 of 40 times"), "{file}: {told}");
        let property = format!("{}.ww", file.split('.').next().unwrap());
        dir.run(&["lint", "--strict", &property]).expect(0);
        dir.run(&["fmt", "--check", &property]).expect(0);
        let found = dir.run(&["check"]).expect(1).stdout;
        assert!(found.contains(&format!("violation: {kind}: ")), "{file}: {found}");
        assert!(found.contains("1 violation\n"), "{file}: {found}");
        // Nothing is written over.
        let ran = dir.run(&["init", file]).expect(2);
        assert!(ran.stderr.contains("exists already"), "{}", ran.stderr);
    }
}

#[test]
fn init_says_when_it_has_nothing_to_propose() {
    let dir = Dir::new();
    dir.write("empty.log", "").write("same.log", "x\nx\nx\n").write("bin.log", [0u8, 159, 146]);
    for file in ["empty.log", "same.log", "bin.log", "missing.log"] {
        let ran = dir.run(&["init", file]).expect(2);
        assert!(ran.stderr.contains(file), "{file}: {}", ran.stderr);
    }
    assert!(!dir.names().contains(&"watchword.toml".to_string()));
}

/// What `init` proposes for a log, and what `check` says of it then.
fn proposed(log: &str) -> (String, String) {
    let dir = Dir::new();
    dir.write("a.log", log);
    let ran = dir.run(&["init", "a.log"]).expect(0);
    let checked = dir.run(&["check"]).expect(1);
    assert!(checked.stdout.contains("1 violation\n"), "{}\n{}", ran.stdout, checked.stdout);
    assert!(!checked.stderr.contains("warning"), "{}\n{}", ran.stdout, checked.stderr);
    (dir.read("a.ww"), ran.stdout)
}

#[test]
fn init_quotes_what_means_something_in_expressions() {
    let log = answered(
        |i| format!("<in> (job) {i} begins $now\n"),
        |i| format!("<out> job* {i} ends a/b\n"),
    );
    let (property, told) = proposed(&log);
    assert!(told.contains("39 of 40 times"), "{told}\n{property}");
    assert!(property.contains(r"<in>\s+\(job\)"), "{property}");
}

#[test]
fn init_sees_what_happened_in_a_single_word() {
    for (opened, closed) in [
        ("job $ opened", "job $ closed"),
        ("INFO connection conn-$ opened", "INFO connection conn-$ closed"),
        ("accepted connection c-$ from 10.0.0.1:80", "closed connection c-$ from 10.0.0.1:80"),
    ] {
        let of = |text: &str, i: usize| text.replace('$', &i.to_string()) + "\n";
        let (property, told) = proposed(&answered(|i| of(opened, i), |i| of(closed, i)));
        assert!(told.contains("39 of 40 times"), "{told}\n{property}");
        assert!(property.contains("opened") != property.contains("accepted"), "{property}");
    }
}

#[test]
fn init_takes_no_time_for_an_id() {
    let log = answered(
        |i| format!("tool 2026-11-19 14:36:{i:02}: run with x{i}\n"),
        |i| format!("tool 2026-11-19 14:36:{i:02}: link group y x{i}\n"),
    );
    let (property, told) = proposed(&log);
    assert!(told.contains("39 of 40 times") && property.contains(r"with\s+(?<id>"), "{property}");
}

#[test]
fn init_selects_one_value_of_a_field_only() {
    let log = answered(
        |i| format!("{{\"op\":\"a*b\",\"id\":{i}}}\n"),
        |i| format!("{{\"op\":\"aXb\",\"id\":{i}}}\n"),
    );
    let (property, told) = proposed(&log);
    assert!(told.contains("39 of 40 times"), "{told}\n{property}");
    assert!(property.contains(r"== /^a\*b$/"), "{property}");
}
