//! Objects of a JVM that are compared by `equals`.

use super::{compile, java, jdks, report};
use crate::support::Dir;

const PROGRAM: &str = r#"
class Account {
    final int number;
    static int asked;
    Account(int number) { this.number = number; }
    void open() {}
    void close() {}
    @Override public boolean equals(Object o) {
        asked++;
        new Account(number).touch();
        return o instanceof Account && ((Account) o).number == number;
    }
    @Override public int hashCode() {
        if (number < 0) throw new IllegalStateException("no number");
        return number % 3;
    }
    void touch() {}
}
class Plain {
    void open() {}
    void close() {}
    void touch() {}
}
public class Main {
    public static void main(String[] args) {
        for (int i = 0; i < 6; i++) {
            new Account(i).close();
        }
        new Account(4).open();
        System.gc();
        new Account(1).open();
        new Account(7).open();
        Account lost = new Account(-1);
        lost.close();
        lost.open();
        new Account(-1).open();
        Plain one = new Plain(), two = new Plain();
        one.close();
        two.open();
        one.open();
        System.out.println(Account.asked > 0);
    }
}
"#;

fn script(class: &str, compare: &str) -> String {
    format!(
        r"GLOBAL {{ FOREACH ({class} a {compare}) {{
            EVENTS {{
              open({class} a) = {{a.open()}}
              close({class} a) = {{a.close()}}
              touch({class} a) = {{a.touch()}}
            }}
            PROPERTY P {{
              STATES {{ BAD {{ reopened touched }} NORMAL {{ closed }} STARTING {{ s }} }}
              TRANSITIONS {{
                s -> touched [touch]
                s -> closed [close] closed -> reopened [open]
              }}
            }} }} }}
          METHODS {{ boolean same(Object a, Object b) {{ return a == b; }} }}"
    )
}

/// The lines of the program at which something is found.
fn lines(dir: &Dir, jdk: &std::path::Path, property: &str) -> Vec<u64> {
    let flags = ["-p", property, "--report", "out.json", "--collect-trace", "trace.jsonl"];
    let ran = java(jdk, dir, &flags, &["-cp", "classes", "Main"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    // The program goes on as it would.
    let plain = property.contains("plain") || property.contains("same");
    assert_eq!(ran.stdout, if plain { "false\n" } else { "true\n" });
    let json = report(dir, "out.json");
    let found = json["violations"].as_array().unwrap();
    let mut lines: Vec<u64> =
        found.iter().map(|v| v["location"]["line"].as_u64().unwrap()).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn objects_of_foreach_are_compared_by_equals() {
    let dir = Dir::new();
    dir.write("Main.java", PROGRAM);
    compile(&[dir.path().join("Main.java")], &dir.path().join("classes"));
    let line = |text: &str| PROGRAM.lines().position(|l| l.contains(text)).unwrap() as u64 + 1;
    dir.write("equal.lrv", script("Account", ""));
    dir.write("same.lrv", script("Account", "equateUsing same"));
    dir.write("plain.lrv", script("Plain", ""));
    for jdk in jdks() {
        // What is equal is one, long after it is gone; what cannot be compared is itself. What
        // `equals` does is no event.
        let found = lines(&dir, jdk, "equal.lrv");
        assert_eq!(
            found,
            [line("new Account(4).open()"), line("new Account(1).open()"), line("lost.open()")]
        );
        // The trace says the same.
        let again = dir.run(&["replay", "-p", "equal.lrv", "trace.jsonl", "--format", "json"]);
        assert_eq!(again.json()["violations"].as_array().unwrap().len(), 3);
        assert_eq!(lines(&dir, jdk, "same.lrv"), [line("lost.open()")]);
        assert_eq!(lines(&dir, jdk, "plain.lrv"), [line("one.open()")]);
        // Written in other words, and back.
        for (script, other, again) in
            [("equal.lrv", "equal.ww", "equal2.lrv"), ("same.lrv", "same.ww", "same2.lrv")]
        {
            dir.run(&["convert", script, "--to", "ww", "-o", other]).expect(0);
            dir.run(&["convert", other, "--to", "lrv", "-o", again]).expect(0);
            let found = lines(&dir, jdk, script);
            assert_eq!(lines(&dir, jdk, other), found, "{}", dir.read(other));
            assert_eq!(lines(&dir, jdk, again), found, "{}", dir.read(again));
        }
        // Sites are silenced only where that is the same.
        let at = jdk.to_str().unwrap();
        for script in ["equal.lrv", "plain.lrv"] {
            let found = lines(&dir, jdk, script);
            let args = ["analyze", "-p", script, "--jdk", at, "classes"];
            let outputs = ["--property-out", "left-plain.ww", "--silenced-out", "app.silenced"];
            dir.run(&[&args[..], &outputs].concat()).expect(0);
            let flags = ["-p", "left-plain.ww", "--silenced", "app.silenced", "--report", "r.json"];
            let ran = java(jdk, &dir, &flags, &["-cp", "classes", "Main"]);
            assert_eq!(ran.status, 0, "{}", ran.stderr);
            let json = report(&dir, "r.json");
            assert_eq!(json["violations"].as_array().unwrap().len(), found.len(), "{script}");
        }
    }
}
