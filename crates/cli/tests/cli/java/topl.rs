//! Published TOPL files on running programs.

use super::{compile, java, jdks, report};
use crate::support::Dir;

const MAIN: &str = "\
package app;
public class Main {
    static void open() {}
    public static void main(String[] args) {
        open();
    }
}
";

const LEFT_OPEN: &str = "\
property LeftOpen
  message \"left open\"
  observe <app.Main.*>
  start -> start: *
  start -> open: call <app.Main.open>()
  open -> error: return <app.Main.main>[*]
";

/// The launcher calls `main`: there is no call site of it.
#[test]
fn methods_that_only_the_jvm_calls_are_reported_and_seen_with_callee_events() {
    let dir = Dir::new();
    dir.write("Main.java", MAIN).write("p.topl", LEFT_OPEN);
    compile(&[dir.path().join("Main.java")], dir.path());
    let run = ["-cp", ".", "app.Main"];
    let uncalled = "LeftOpen: no instrumented class calls app.Main.main";
    for jdk in jdks() {
        let ran = java(jdk, &dir, &["-p", "p.topl", "--report", "r.json"], &run).expect(0);
        assert!(ran.stderr.contains(uncalled), "{}", ran.stderr);
        assert!(!ran.stderr.contains("app.Main.open,"), "{}", ran.stderr);
        assert_eq!(report(&dir, "r.json")["violations"].as_array().map(Vec::len), Some(0));
        let callee = ["-p", "p.topl", "--events", "callee", "--report", "r.json"];
        let ran = java(jdk, &dir, &callee, &run).expect(0);
        assert!(!ran.stderr.contains("no instrumented class calls"), "{}", ran.stderr);
        assert_eq!(report(&dir, "r.json")["violations"].as_array().map(Vec::len), Some(1));
    }
}

const FILTERED: &str = "\
package app;
public class Main {
    @interface Marked {}
    @Marked interface Job { default void run() {} }
    static class Work implements Job { void plain() {} }
    static class Other { void run() {} }
    static class Base {}
    static class Special extends Base {}
    static void take(Object o) {}
    public static void main(String[] args) {
        take(new Base());
        take(null);
        take(new Special());   // 13
        new Other().run();
        new Work().run();      // 15
        new Work().plain();    // 16
    }
}
";

const FILTERS: &str = "\
property Special
  start -> start: *
  start -> error: \"app.Main.take\"(X: \"app.Main.Special\", Ret)
property Marked
  start -> start: *
  start -> error: @\".*Marked\" \"app.*\"
property General
  start -> start: *
  start -> error: \"app.Main.take\"(X: ! \"app.Main.Base\", Ret)
";

/// The declared type of the parameter is `Object`, and the annotation is one of an interface.
#[test]
fn infer_filters_look_at_the_classes_of_objects_and_at_annotations_of_classes() {
    let dir = Dir::new();
    dir.write("Main.java", FILTERED).write("p.topl", FILTERS);
    compile(&[dir.path().join("Main.java")], dir.path());
    let lines = |file: &str| {
        let mut found: Vec<(String, u64)> = report(&dir, file)["violations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| {
                let line = v["location"]["line"].as_u64().unwrap();
                (v["property"].as_str().unwrap().to_string(), line)
            })
            .collect();
        found.sort();
        found
    };
    let expected = [("General", 12), ("Marked", 15), ("Marked", 16), ("Special", 13)];
    let expected: Vec<(String, u64)> =
        expected.iter().map(|(name, line)| (name.to_string(), *line)).collect();
    for jdk in jdks() {
        let flags = ["-p", "p.topl", "--lang", "infer", "--report", "r.json"];
        let live = [&flags[..], &["--collect-trace", "t.jsonl"]].concat();
        let ran = java(jdk, &dir, &live, &["-cp", ".", "app.Main"]).expect(0);
        assert_eq!(lines("r.json"), expected, "{}", ran.stderr);
        dir.run(&[&["replay", "t.jsonl"], &flags[..]].concat());
        assert_eq!(lines("r.json"), expected);
    }
}
