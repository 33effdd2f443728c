//! Texts that properties name, and strings of the program, which are objects.

use super::{compile, java, jdks, report};
use crate::support::Dir;

const MAIN: &str = "\
package app;
public class Main {
    static class Store {
        static void put(Object key, Object value) {}
        static Object get(Object key) { return key; }
    }
    static String text(String s) { return new StringBuilder(s).toString(); }
    public static void main(String[] args) {
        Store.put(text(\"other\"), text(\"v\"));   // 9
        Store.put(text(\"admin\"), text(\"v\"));   // 10
        String secret = text(\"secret\");
        Store.put(secret, null);                  // 12
        Store.get(text(\"secret\"));              // 13: equal, but another object
        Store.get(secret);                        // 14
    }
}
";

const TOPL: &str = "\
property Admin
  message \"admin\"
  observe <app.Main$Store.*>
  prefix <app.Main.Store>
  start -> start: *
  start -> error: call put(<\"admin\">, *)
";

/// A key that was put is asked for again.
const SAME: &str = "\
property Same
  message \"same\"
  observe <app.Main.Store.*>
  prefix <app.Main$Store>
  start -> start: *
  start -> put: call put(K, *)
  put -> error: call get(k)
";

const INFER: &str = "\
property Admin
  message \"admin\"
  prefix \"app.Main.Store\"
  start -> start: *
  start -> error: put(K, V, Ret) when K == \"admin\"
property Late
  message \"late\"
  prefix \"app.Main.Store\"
  start -> start: *
  start -> error: put(K, V, Ret) when K > \"p\"
";

fn lines(report: &serde_json::Value) -> Vec<(String, u64)> {
    let mut found: Vec<(String, u64)> = report["violations"]
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
}

fn pairs(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    expected.iter().map(|(name, line)| (name.to_string(), *line)).collect()
}

#[test]
fn constant_texts_match_strings_with_that_content() {
    let dir = Dir::new();
    dir.write("Main.java", MAIN)
        .write("admin.topl", TOPL)
        .write("same.topl", SAME)
        .write("infer.topl", INFER);
    compile(&[dir.path().join("Main.java")], dir.path());
    let run = ["-cp", ".", "app.Main"];
    for jdk in jdks() {
        let both = ["-p", "admin.topl", "-p", "same.topl"];
        let flags = [&both[..], &["--report", "topl.json", "--collect-trace", "t.jsonl"]].concat();
        let ran = java(jdk, &dir, &flags, &run).expect(0);
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
        let expected = pairs(&[("Admin", 10), ("Same", 13)]);
        assert_eq!(lines(&report(&dir, "topl.json")), expected, "{}", ran.stderr);
        // A trace keeps apart what each property was told.
        let replay = [&["replay", "t.jsonl", "--report", "again.json"], &both[..]].concat();
        for engine in ["engine", "reference"] {
            dir.run(&[&replay[..], &["--engine", engine]].concat());
            assert_eq!(lines(&report(&dir, "again.json")), expected, "{engine}");
        }
        // By identity, an equal string is another object; a text that is named is still that text.
        let identity = ["--boxes", "identity"];
        let flags = [&both[..], &identity, &["--report", "i.json", "--collect-trace", "i.jsonl"]];
        java(jdk, &dir, &flags.concat(), &run).expect(0);
        let expected = pairs(&[("Admin", 10), ("Same", 14)]);
        assert_eq!(lines(&report(&dir, "i.json")), expected);
        let replay = [&["replay", "i.jsonl", "--report", "again.json"], &both[..], &identity];
        dir.run(&replay.concat());
        assert_eq!(lines(&report(&dir, "again.json")), expected);
        let flags = ["-p", "infer.topl", "--lang", "infer", "--report", "infer.json"];
        let ran = java(jdk, &dir, &flags, &run).expect(0);
        let expected = pairs(&[("Admin", 10), ("Late", 12)]);
        assert_eq!(lines(&report(&dir, "infer.json")), expected, "{}", ran.stderr);
    }
}

#[test]
fn a_trace_says_for_which_properties_a_site_was_silenced() {
    let dir = Dir::new();
    dir.write("Main.java", MAIN)
        .write("same.topl", SAME)
        .write("again.topl", SAME.replace("Same", "Again"))
        .write("silenced", "Same app.Main main* * *\n");
    compile(&[dir.path().join("Main.java")], dir.path());
    let both = ["-p", "same.topl", "-p", "again.topl"];
    for jdk in jdks() {
        let trace = ["--silenced", "silenced", "--collect-trace", "t.jsonl"];
        let flags = [&both[..], &trace, &["--report", "out.json"]].concat();
        java(jdk, &dir, &flags, &["-cp", ".", "app.Main"]).expect(0);
        let expected = pairs(&[("Again", 13)]);
        assert_eq!(lines(&report(&dir, "out.json")), expected);
        dir.run(&[&["replay", "t.jsonl", "--report", "again.json"], &both[..]].concat());
        assert_eq!(lines(&report(&dir, "again.json")), expected);
    }
}

#[test]
fn a_property_without_sites_says_that_they_are_silenced() {
    let dir = Dir::new();
    dir.write("Main.java", MAIN)
        .write("same.topl", SAME)
        .write("again.topl", SAME.replace("Same", "Again"))
        .write("silenced", "Same * * * *\n");
    compile(&[dir.path().join("Main.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-p", "same.topl", "-p", "again.topl", "--silenced", "silenced"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "app.Main"]).expect(0);
        let nothing = "warning: Same: nothing is monitored: all its sites";
        assert!(ran.stderr.contains(nothing), "{}", ran.stderr);
        assert!(!ran.stderr.contains("Again: nothing is monitored"), "{}", ran.stderr);
    }
}

const BOXES: &str = "\
package app;
import java.util.Arrays;
import java.util.List;
public class Boxes {
    static class Store {
        static void put(Object key) {}
        static void get(Object key) {}
        static void number(Integer key) {}
    }
    public static void main(String[] args) {
        List<Boolean> flags = Arrays.asList(false, true, null);
        flags.get(0);
        flags.get(1);                             // 13
        flags.get(2);
        Object lost = new int[0];
        Store.put(Integer.valueOf(1000));
        Store.get(Integer.valueOf(1000));         // 17: another object with the same number
        Store.put(Double.valueOf(0.5));
        Store.get(Float.valueOf(0.5f));           // 19
        Store.put(Character.valueOf('\\u1234'));
        Store.get(Character.valueOf('\\u1234')); // 21
        Store.put(lost);
        Store.get(new int[0]);
        Store.get(lost);                          // 24
        Store.number(Integer.valueOf(-5000));     // 25
    }
}
";

const BY_VALUE: &str = "\
property True
  observe <java.util.List.get>
  start -> start: *
  start -> error: <true> := *.<java.util.List.get>(*)
property Again
  observe <app.Boxes.Store.*>
  prefix <app.Boxes.Store>
  start -> start: *
  start -> put: call put(K)
  put -> error: call get(k)
property Number
  observe <app.Boxes.Store.number>
  start -> error: call <app.Boxes.Store.number>(<-5000>)
";

#[test]
fn boxes_compare_by_value_in_constants_and_registers_live_and_in_replay() {
    let dir = Dir::new();
    dir.write("Boxes.java", BOXES).write("p.topl", BY_VALUE);
    compile(&[dir.path().join("Boxes.java")], dir.path());
    dir.run(&["convert", "p.topl", "--to", "ww", "-o", "p.ww"]).expect(0);
    let run = ["-cp", ".", "app.Boxes"];
    let by_value = pairs(&[
        ("Again", 17),
        ("Again", 19),
        ("Again", 21),
        ("Again", 24),
        ("Number", 25),
        ("True", 13),
    ]);
    let by_identity = pairs(&[("Again", 24)]);
    for jdk in jdks() {
        for (property, flags, expected) in [
            ("p.topl", &[][..], &by_value),
            ("p.ww", &[][..], &by_value),
            ("p.topl", &["--boxes", "identity"][..], &by_identity),
        ] {
            let live =
                [&["-p", property, "--report", "r.json", "--collect-trace", "t.jsonl"], flags];
            let ran = java(jdk, &dir, &live.concat(), &run).expect(0);
            assert_eq!(&lines(&report(&dir, "r.json")), expected, "{property} {}", ran.stderr);
            let again = [&["replay", "t.jsonl", "-p", property, "--report", "a.json"], flags];
            dir.run(&again.concat());
            assert_eq!(&lines(&report(&dir, "a.json")), expected, "{property}");
        }
    }
}
