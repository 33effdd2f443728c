//! `replay` of program records with both dialects of TOPL.

use crate::support::{Dir, root};

fn record(kind: &str, method: &str, value: Option<&str>, args: &[&str]) -> String {
    let value = value.map(|v| format!(",\"value\":{v}")).unwrap_or_default();
    format!("{{\"{kind}\":\"java.util.{method}\"{value},\"args\":[{}]}}\n", args.join(","))
}

/// A complete call.
fn both(method: &str, value: &str, args: &[&str]) -> String {
    record("call", method, None, args) + &record("return", method, Some(value), args)
}

const LIST: &str = r#"{"ref":1,"class":"java.util.ArrayList"}"#;
const ITERATOR: &str = r#"{"ref":10}"#;

fn iteration(last: &str) -> String {
    both("Collection.iterator", ITERATOR, &[LIST])
        + &both("Iterator.hasNext", "true", &[ITERATOR])
        + &both("Iterator.next", "5", &[ITERATOR])
        + &both("Iterator.hasNext", last, &[ITERATOR])
        + &both("Iterator.next", "6", &[ITERATOR])
}

#[test]
fn calls_and_returns_of_a_trace_are_the_letters_of_classic_topl() {
    let dir = Dir::new();
    let example = root().join("examples/topl/HasNext.topl");
    dir.write("bad.jsonl", iteration("false")).write("good.jsonl", iteration("true"));
    let example = example.to_str().expect("a path");
    let ran = dir.run(&["replay", "-p", example, "bad.jsonl"]).expect(1);
    for part in ["violation: HasNext", "bad.jsonl:9", "i = "] {
        assert!(ran.stdout.contains(part), "no `{part}` in:\n{}", ran.stdout);
    }
    dir.run(&["replay", "-p", example, "good.jsonl"]).expect(0);
}

#[test]
fn returns_of_a_trace_are_the_events_of_infers_dialect() {
    let dir = Dir::new();
    let property = "property HasNext
  prefix \"java.util.Iterator\"
  prefix \"java.util.Collection\"
  start -> start: *
  start -> invalid: iterator(Ignore, RetIter) => i := RetIter
  invalid -> valid: hasNext(Iter, Ret) when Ret != 0 && Iter == i
  valid -> invalid: next(Iter, Ret) when Iter == i
  invalid -> error: next(Iter, Ret) when Iter == i
";
    dir.write("p.topl", property);
    dir.write("bad.jsonl", iteration("false")).write("good.jsonl", iteration("true"));
    let ran = dir.run(&["replay", "-p", "p.topl", "bad.jsonl"]).expect(1);
    assert!(ran.stdout.contains("bad.jsonl:10"), "{}", ran.stdout);
    dir.run(&["replay", "-p", "p.topl", "good.jsonl"]).expect(0);

    let typed = "property P
  start -> error: ~@\".*Safe\" \".*\\\\.m\"(This: \".*List\", Ret)
";
    dir.write("t.topl", typed);
    let line = |types: &str, annotations: &str| {
        format!(
            "{{\"return\":\"A.m\",\"args\":[{LIST}],\"value\":1,\"types\":{types},\
             \"annotations\":{annotations}}}\n"
        )
    };
    dir.write("a.jsonl", line("[[\"p.List\"],[\"int\"]]", "[\"p.Safe\"]"));
    dir.write("b.jsonl", line("[[\"p.Set\",\"p.List\"],[\"int\"]]", "[\"p.Other\"]"));
    dir.run(&["replay", "-p", "t.topl", "a.jsonl"]).expect(0);
    dir.run(&["replay", "-p", "t.topl", "b.jsonl"]).expect(1);
}

#[test]
fn the_examples_are_clean_and_a_vacuous_property_is_not() {
    let dir = Dir::new();
    for entry in std::fs::read_dir(root().join("examples/topl")).unwrap() {
        let path = entry.unwrap().path();
        dir.run(&["lint", path.to_str().expect("a path")]).expect(0);
    }
    dir.write("v.topl", "property P\n  observe <Form.*>\n  start -> error: <Sink.write>(X)\n");
    let ran = dir.run(&["lint", "v.topl"]);
    let said = ran.stdout + &ran.stderr;
    assert!(said.contains("can never fail"), "{said}");
    assert!(said.contains("did you mean to observe `<Sink.*>`?"), "{said}");
}
