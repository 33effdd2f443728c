//! JSON documents: lists, objects over several lines, lists inside of objects, JSON inside of texts.

use crate::support::{Dir, Ran};

const NEVER: &str = "\
event a(id) = log where .what == \"a\" with id = .id
event b(id) = log where .what == \"b\" with id = .id
property P(id) { never a b }
";

fn replay(file: &str, text: &str, flags: &[&str]) -> Ran {
    let dir = Dir::new();
    dir.write("p.ww", NEVER).write(file, text);
    dir.run(&[&["replay", "-p", "p.ww"], flags, &[file]].concat())
}

#[test]
fn lists_and_objects_over_several_lines_are_records() {
    let list =
        "[\n  {\"what\": \"a\", \"id\": 1},\n  {\n    \"what\": \"b\",\n    \"id\": 1\n  }\n]\n";
    for file in ["t.json", "t", "t.log"] {
        let ran = replay(file, list, &[]).expect(1);
        assert!(ran.stdout.contains(&format!("--> {file}:3 (event 2)")), "{}", ran.stdout);
    }
    let one_line = "[{\"what\":\"a\",\"id\":1},{\"what\":\"b\",\"id\":1}]";
    replay("t.json", one_line, &[]).expect(1);
    let pretty = "{\n  \"what\": \"a\",\n  \"id\": 1\n}\n{\n  \"what\": \"b\",\n  \"id\": 1\n}\n";
    let ran = replay("t.json", pretty, &[]).expect(1);
    assert!(ran.stdout.contains("--> t.json:5 (event 2)"), "{}", ran.stdout);
    replay("t.jsonl", pretty, &["--input-format", "json"]).expect(1);
    // JSON Lines stay what they are.
    replay("t.json", "{\"what\":\"a\",\"id\":1}\n{\"what\":\"b\",\"id\":1}\n", &[]).expect(1);
}

#[test]
fn records_may_be_anywhere_in_a_document() {
    let text =
        "{\"page\":1,\"data\":{\"items\":[{\"what\":\"a\",\"id\":1},{\"what\":\"b\",\"id\":1}]}}\n";
    let ran = replay("t.json", text, &["--records", ".data.items[]"]).expect(1);
    assert!(ran.stdout.contains("P: 2 events"), "{}", ran.stdout);
    let ran = replay("t.json", text, &["--records", ".data[]"]).expect(2);
    assert!(ran.stderr.contains("expected a list, as --records says [WW2002]"), "{}", ran.stderr);
    let ran = replay("t.json", text, &["--records", "data"]).expect(2);
    assert!(ran.stderr.contains(".Records[]"), "{}", ran.stderr);
}

#[test]
fn a_document_that_is_none_is_refused_where_it_is_wrong() {
    let ran = replay("t.json", "[{\"what\":\"a\",\"id\":1}\n {\"what\":\"b\",\"id\":1}]\n", &[])
        .expect(2);
    assert!(ran.stderr.contains("expected `,` or `]` [WW2002]"), "{}", ran.stderr);
    assert!(ran.stderr.contains("t.json:2:2"), "{}", ran.stderr);
    let ran = replay("t.json", "[{\"what\":\"a\",\"id\":1},\n", &[]).expect(2);
    assert!(ran.stderr.contains("not closed"), "{}", ran.stderr);
    let ran =
        replay("t.json", "[{\"what\":\"a\",\"id\":1},\n {\"what\":b,\"id\":1}]\n", &[]).expect(2);
    // The record is shown, and the column is that in the record.
    assert!(ran.stderr.contains("t.json:2:9"), "{}", ran.stderr);
    assert!(ran.stderr.contains(" 2 | {\"what\":b,\"id\":1}\n"), "{}", ran.stderr);
    let ran = replay(
        "t.json",
        "[{\"what\":\"a\",\"id\":1},\n{b},{\"what\":\"b\",\"id\":1}]\n",
        &["--skip-bad-lines"],
    );
    assert!(ran.expect(1).stderr.contains("left out 1 line"));
}

#[test]
fn json_in_a_text_has_fields() {
    let property = NEVER.replace(".what", ".message.what").replace(".id", ".message.at.id");
    let dir = Dir::new();
    dir.write("p.ww", property);
    dir.write(
        "t.jsonl",
        "{\"message\":\"{\\\"what\\\":\\\"a\\\",\\\"at\\\":{\\\"id\\\":\\\"x\\\"}}\"}\n\
         {\"message\":\"plain\"}\n{\"message\":\"{broken\"}\n\
         {\"message\":\"{\\\"what\\\":\\\"b\\\",\\\"at\\\":\\\"{\\\\\\\"id\\\\\\\":\\\\\\\"x\\\\\\\"}\\\"}\\n\"}\n",
    );
    let ran = dir.run(&["replay", "-p", "p.ww", "t.jsonl"]).expect(1);
    assert!(ran.stdout.contains("with id = \"x\""), "{}", ran.stdout);
}

#[test]
fn rows_need_no_column_for_the_event() {
    let rows = "id;what;note\n1;a;\"x; y\"\n1;b;\"two\nlines\"\n";
    let ran = replay("t.csv", rows, &[]).expect(1);
    assert!(ran.stdout.contains("P: 2 events"), "{}", ran.stdout);
    replay("t.csv", &rows.replace(';', ","), &[]).expect(1);
    replay("t.csv", &rows.replace(';', "|"), &[]).expect(1);
    replay("t.tsv", "id\twhat\n1\ta\n1\tb\n", &[]).expect(1);
    replay("t.txt", &rows.replace(';', "|"), &["--input-format", "csv", "--delimiter", "|"])
        .expect(1);
    let ran = replay("t.csv", rows, &["--delimiter", "ab"]).expect(2);
    assert!(ran.stderr.contains("one character"), "{}", ran.stderr);
    // A first row that names nothing anybody asks for is a row.
    let ran = replay("t.csv", "x,y\n1,2\n", &[]).expect(0);
    assert!(ran.stderr.contains("there is no column `event`"), "{}", ran.stderr);
}

#[test]
fn conditions_ask_numbers_texts_and_patterns() {
    let records = "{\"id\":1,\"status\":200,\"path\":\"/health\",\"n\":9007199254740993}\n\
        {\"id\":2,\"status\":\"503\",\"path\":\"/a/b\",\"n\":9007199254740992}\n\
        {\"id\":3,\"status\":499.5,\"path\":\"/health/x\",\"n\":-1}\n\
        {\"id\":4,\"path\":null,\"n\":\"many\"}\n";
    let conditions = [
        (".status >= 499.5", 2),
        (".status > 499.5", 1),
        (".status < 500", 2),
        (".status <= 200", 1),
        (".status == 200", 1),
        (".status == \"5*\"", 1),
        (".status != 200", 2),
        ("not .status == 200", 3),
        (".n > 9007199254740992", 1),
        (".n >= -1", 3),
        (".path == /^\\/health/", 2),
        (".path != /^\\/health$/ and .status > 0", 2),
        ("not .path == /h/ and .status > 0", 1),
        (".status > 500 or .n < 0", 2),
        ("not (.status > 500 or .n < 0)", 2),
        (".status > 0 and (.id == 1 or .id == 3)", 2),
        (".status > 0 and .id == 1 or .id == 4", 2),
        (".gone != 1", 0),
        ("not .gone == 1", 4),
    ];
    for (condition, count) in conditions {
        let dir = Dir::new();
        let property = format!(
            "event hit(id) = log where {condition} with id = .id\nproperty P(id) {{ never hit }}\n"
        );
        dir.write("p.ww", property).write("t.jsonl", records);
        let ran = dir.run(&["replay", "-p", "p.ww", "t.jsonl"]);
        let plural = if count == 1 { "" } else { "s" };
        let said = format!("P: {count} event{plural}");
        assert!(ran.stdout.contains(&said), "{condition}: {}", ran.stdout);
    }
    for (condition, why) in [
        (".status >= \"500\"", "expected a number"),
        (".path == /(/", "not a valid regular expression"),
        (".path ~ 3", "expected `==`, `!=`"),
        ("(.path == 1", "expected"),
    ] {
        let dir = Dir::new();
        dir.write(
            "p.ww",
            format!("event hit(id) = log where {condition}\nproperty P(id) {{ never hit }}\n"),
        );
        let ran = dir.run(&["lint", "p.ww"]).expect(2);
        assert!(ran.stdout.contains(why), "{condition}: {}{}", ran.stdout, ran.stderr);
    }
}
