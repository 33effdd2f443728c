//! Input that is broken, cut off, binary, huge or malicious: a message with file, line and
//! column, status 2, nothing half-done.

use crate::support::{BOUNDED, Dir, Ran};

fn replay(name: &str, content: &[u8], flags: &[&str]) -> Ran {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED).write(name, content);
    let mut args = vec!["replay", "-p", "p.ww"];
    args.extend(flags);
    args.push(name);
    dir.run(&args)
}

#[test]
fn messages_have_file_line_column_and_code() {
    let good = "{\"event\":\"push\",\"args\":[1,2]}\n";
    let cases: [(&str, &str, &str, &str); 21] = [
        ("t.jsonl", "{\"event\":\"push\",", "3:17", "WW2002"),
        ("t.jsonl", "{\"event\":\"pu", "3:13", "WW2002"),
        ("t.jsonl", "{\"event\":\"push\"}x", "3:17", "WW2002"),
        ("t.jsonl", "{\"é\":\"é\",\"event\":tru}", "3:18", "WW2003"),
        ("t.jsonl", "{\"event\":\"push\",\"args\":[1,01]}", "3:28", "WW2002"),
        ("t.jsonl", "{\"event\":\"push\",\"args\":17}", "3:24", "WW2003"),
        ("t.jsonl", "[1,2]", "3:1", "WW2003"),
        ("t.jsonl", "hello", "3:1", "WW2002"),
        ("t.jsonl", "{\"event\":17}", "3:10", "WW2003"),
        ("t.jsonl", "{\"event\":\"push\",\"event\":\"pop\"}", "3:25", "WW2010"),
        ("t.jsonl", "{\"event\":\"push\",\"args\":{\"q\":1,\"q\":2}}", "3:31", "WW2010"),
        ("t.jsonl", "{\"event\":\"push\",\"args\":[1,2,3]}", "3:29", "WW2005"),
        ("t.jsonl", "{\"event\":\"push\",\"time\":\"yesterday\"}", "3:24", "WW2006"),
        ("t.jsonl", "{\"event\":\"push\",\"time\":[1]}", "3:24", "WW2006"),
        ("t.jsonl", "{\"event\":\"push\",\"thread\":{}}", "3:26", "WW2006"),
        ("t.jsonl", "{\"event\":\"push\",\"loc\":7}", "3:23", "WW2006"),
        ("t.jsonl", "{\"event\":\"push\",\"args\":[123456789012345678901]}", "3:25", "WW2004"),
        ("t.jsonl", "\u{0}\u{0}\u{0}", "3:1", "WW2002"),
        ("t.csv", "push,1,2,3", "3:10", "WW2005"),
        ("t.csv", "push,\"1", "3:6", "WW2008"),
        ("t.csv", ",1", "3:1", "WW2003"),
    ];
    for (name, bad, place, code) in cases {
        let before = if name == "t.csv" { "push,1,2\npop,1\n".to_string() } else { good.repeat(2) };
        let ran = replay(name, format!("{before}{bad}\n").as_bytes(), &[]);
        assert_eq!(ran.status, 2, "{bad}: {}", ran.stderr);
        assert!(ran.stdout.starts_with("Bounded: 2 events"), "{bad}: {}", ran.stdout);
        assert!(ran.stderr.contains(&format!("{name}:{place}\n")), "{bad}: {}", ran.stderr);
        assert!(ran.stderr.contains(code), "{bad}: {}", ran.stderr);
        let skipped = replay(name, format!("{before}{bad}\n").as_bytes(), &["--skip-bad-lines"]);
        assert_eq!(skipped.status, 0, "{bad}: {}", skipped.stderr);
        assert!(skipped.stderr.contains("left out 1 line"), "{bad}: {}", skipped.stderr);
        assert!(skipped.stdout.contains("Bounded: 2 events"), "{bad}: {}", skipped.stdout);
    }
}

#[test]
fn bytes_that_are_no_text() {
    let ran = replay("t.jsonl", b"{\"event\":\"pop\"}\n{\"event\":\"\xff\"}\n", &[]).expect(2);
    assert!(ran.stderr.contains("t.jsonl:2:11") && ran.stderr.contains("WW2001"), "{}", ran.stderr);
    let binary: Vec<u8> =
        (0..100_000u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    for name in ["t.jsonl", "t.csv", "t.bin"] {
        let ran = replay(name, &binary, &[]).expect(2);
        assert!(ran.stderr.contains(&format!("{name}:1:")), "{}", ran.stderr);
        replay(name, &binary, &["--skip-bad-lines"]).expect(0);
    }
}

#[test]
fn compressed_files_are_named() {
    let ran = replay("t.jsonl.gz", b"\x1f\x8b\x08\x00garbage", &[]).expect(2);
    assert!(ran.stderr.contains("the gzip data"), "{}", ran.stderr);
    let ran = replay("t.jsonl.xz", b"\xfd7zXZ\x00garbage", &[]).expect(2);
    assert!(ran.stderr.contains("xz") && ran.stderr.contains("xzcat"), "{}", ran.stderr);
}

#[test]
fn a_line_of_64_megabytes() {
    let size = 64 << 20;
    let mut long = b"{\"event\":\"push\",\"args\":[1,\"".to_vec();
    long.resize(size, b'a');
    let mut whole = long.clone();
    whole.extend_from_slice(b"\"]}\n{\"event\":\"pop\",\"args\":[1]}\n");
    let ran = replay("t.jsonl", &whole, &[]).expect(0);
    assert!(ran.stdout.contains("2 events"), "{}", ran.stdout);
    let ran = replay("t.jsonl", &long, &[]).expect(2);
    assert!(ran.stderr.contains(&format!("t.jsonl:1:{}", size + 1)), "{}", ran.stderr);
    assert!(ran.stderr.len() < 2000, "the message does not repeat the line");
    let ran = replay("t.csv", &vec![b'x'; size], &[]).expect(0);
    assert!(ran.stderr.len() < size * 2);
}

#[test]
fn a_whole_array_instead_of_lines() {
    let ran = replay("t.json", b"[\n  {\"event\":\"push\"}\n]\n", &[]).expect(0);
    assert!(ran.stdout.contains("1 event,"), "{}", ran.stdout);
    let lines = ["--input-format", "jsonl"];
    let ran = replay("t.json", b"[\n  {\"event\":\"push\"}\n]\n", &lines).expect(2);
    assert!(ran.stderr.contains("t.json:1:1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("begins with `{`"), "{}", ran.stderr);
    let ran = replay("t.json", b"[\n  {\"event\":\"push\"]\n]\n", &[]).expect(2);
    assert!(ran.stderr.contains("t.json:2:"), "{}", ran.stderr);
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{{\"event\":\"push\",\"args\":{}", "[".repeat(1_000_000));
    let ran = replay("t.jsonl", deep.as_bytes(), &[]).expect(2);
    assert!(ran.stderr.contains("nest deeper"), "{}", ran.stderr);
    let deep = format!("{{\"x\":{}", "{\"a\":".repeat(1_000_000));
    replay("t.jsonl", deep.as_bytes(), &[]).expect(2);
}

#[test]
fn terminals_are_not_driven_by_input() {
    let line = "{\"event\":\"push\",\"args\":[\"\\u001b[2J\",1]}\n";
    let ran = replay("t.jsonl", line.repeat(3).as_bytes(), &[]).expect(1);
    assert!(!ran.stdout.contains('\x1b'), "{:?}", ran.stdout);
    let ran = replay("t.csv", b"\x1b[2J,1\n", &[]).expect(0);
    assert!(!ran.stderr.contains('\x1b'), "{:?}", ran.stderr);
    let ran = replay("t.jsonl", b"{\"event\":\"\x1b[2J\"}\n", &[]).expect(2);
    assert!(!ran.stderr.contains('\x1b'), "{:?}", ran.stderr);
}

#[test]
fn quotes_that_never_close_cost_one_line_and_no_time() {
    let mut rows = "push,1,2\n".to_string();
    rows.push_str(&"x\"y,\"\n".repeat(200_000));
    let ran = replay("t.csv", rows.as_bytes(), &["--skip-bad-lines"]).expect(0);
    assert!(ran.stdout.contains("Bounded: 1 event"), "{}", ran.stdout);
    let ran = replay("t.csv", b"push,\"a\npush,2,2\npush,3,3\n", &["--skip-bad-lines"]).expect(0);
    assert!(ran.stdout.contains("Bounded: 2 events"), "{}", ran.stdout);
}

#[test]
fn a_header_with_a_mistake_is_none() {
    let rows = b"event,q,q\npush,1,2\npush,1,3\n";
    let ran = replay("t.csv", rows, &[]).expect(2);
    assert!(ran.stderr.contains("t.csv:1:9") && ran.stderr.contains("WW2010"), "{}", ran.stderr);
    let ran = replay("t.csv", rows, &["--skip-bad-lines"]).expect(0);
    assert!(ran.stdout.contains("Bounded: 2 events"), "{}", ran.stdout);
}

#[test]
fn hostile_property_files() {
    let dir = Dir::new();
    dir.write("nul.ww", b"\0\0\0").write("latin.ww", b"// \xe9\n").write("open.ww", "property P(");
    dir.write("deep.ww", format!("property P {{ var x: int = {}", "(".repeat(100_000)));
    for name in ["nul.ww", "latin.ww", "open.ww", "deep.ww"] {
        let ran = dir.run(&["lint", name]).expect(2);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains(&format!("{name}:1")), "{all}");
        assert!(all.len() < 100_000);
    }
}
