//! The Java code of JavaMOP specifications: compiled, and run in the program.

use super::{compile, java, jdks, report};
use crate::support::Dir;

/// Conditions and bodies about the values of an event alone.
const VALUES: &str = "\
import java.util.*;

/** @severity warning */
Port() {
  private boolean isPort(int number) { return number >= 0 && number <= 65535; }
  event bind before(int port, String host) :
    call(* app.Net.bind(int, String)) && args(port, host) && condition(host.startsWith(\"db\")) {
    if (isPort(port))
      return;
    for (int i = 0; i < 2; i++) System.err.println(\"port \" + port + \" of \" + host);
  }
}

Sorted(List l) {
  event sort after(List l) : call(* app.Net.sort(List)) && args(l) {}
  event find before(List l) : call(* app.Net.find(List)) && args(l) && condition(l.size() > 2) {}
  ere : find
  @match { System.err.println(\"not sorted\"); }
}
";

/// Fields: there is an object for every slice.
const FIELDS: &str = "\
import java.util.*;

OneThread(StringBuilder b) {
  Thread owner = null;
  static int handlers = 0;
  event good before(StringBuilder b, Thread t) :
    call(* StringBuilder.append(..)) && target(b) && thread(t) &&
    condition(this.owner == null || this.owner == t) { this.owner = t; }
  event bad before(StringBuilder b, Thread t) :
    call(* StringBuilder.append(..)) && target(b) && thread(t) &&
    condition(this.owner != null && this.owner != t) {}
  ere : good*
  @fail {
    handlers++;
    System.err.println(\"builder of length \" + b.length() + \", number \" + handlers + \" at \" + __LOC);
    __RESET;
  }
}

Limit(List l) {
  int left = 2;
  event add before(List l) : call(* List+.add(..)) && target(l) { left--; }
  event clear before(List l) : call(* List+.clear()) && target(l) { left = 2; }
  ere : (add | clear)+
  @match { if (left < 0) { System.err.println(\"too many: \" + -left); } }
}
";

const MAIN: &str = "\
package app;
import java.util.*;
public class Net {
    static void bind(int port, String host) { }
    static void sort(List<?> list) { }
    static void find(List<?> list) { }
    public static void main(String[] args) throws Exception {
        bind(80, \"db1\");
        bind(70000, \"web\");
        bind(70000, \"db2\");                                // 10
        find(List.of(1, 2));
        List<Integer> three = List.of(1, 2, 3);
        sort(three);
        find(List.of(1, 2, 3));                             // 14
        StringBuilder one = new StringBuilder(), two = new StringBuilder();
        one.append(1);
        Thread thread = new Thread(() -> {
            two.append(2);
            one.append(3);                                  // 19
            one.append(4);
        });
        thread.start();
        thread.join();
        List<Integer> list = new ArrayList<>(), other = new ArrayList<>();
        list.add(1);
        other.add(1);
        list.add(2);
        list.clear();
        list.add(3);
        list.add(4);
        list.add(5);                                        // 31
        System.out.println(\"done\");
    }
}
";

/// Property, line and message of every violation.
fn violations(dir: &Dir) -> Vec<(String, u64, String)> {
    let report = report(dir, "r.json");
    let found = report["violations"].as_array().unwrap().iter().map(|v| {
        let text = |key: &str| v[key].as_str().unwrap().to_string();
        (text("property"), v["location"]["line"].as_u64().unwrap_or(0), text("message"))
    });
    let mut found: Vec<_> = found.collect();
    found.sort();
    found
}

#[test]
fn code_runs_in_the_program_and_what_it_prints_is_reported() {
    let dir = Dir::new();
    dir.write("values.mop", VALUES).write("fields.mop", FIELDS).write("Net.java", MAIN);
    compile(&[dir.path().join("Net.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-p", "values.mop", "-p", "fields.mop", "--allow-java", "--report", "r.json"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "app.Net"]).expect(0);
        assert_eq!(ran.stdout, "done\n", "{}", ran.stderr);
        let found = violations(&dir);
        let one = |property: &str, line: u64, message: &str| {
            (property.to_string(), line, message.to_string())
        };
        let expected = [
            one("Limit", 31, "too many: 1"),
            one(
                "OneThread",
                19,
                "builder of length 1, number 1 at app.Net.lambda$main$0(Net.java:19)",
            ),
            one(
                "OneThread",
                20,
                "builder of length 2, number 2 at app.Net.lambda$main$0(Net.java:20)",
            ),
            one("Port", 10, "port 70000 of db2 port 70000 of db2"),
            one("Sorted", 14, "not sorted"),
        ];
        assert_eq!(found, expected, "{}", ran.stderr);
    }
}

/// Code that throws, overflows the stack, calls what is monitored, and waits.
const HOSTILE: &str = "\
import java.util.*;

Throws() {
  event add before(Object o) : call(* List+.add(Object)) && args(o) {
    if (o.equals(1)) throw new IllegalStateException(\"one\");
    System.err.println(\"added \" + o);
  }
}

Overflows() {
  private int deeper(int n) { return deeper(n + 1) + 1; }
  event add before(Object o) :
    call(* List+.add(Object)) && args(o) && condition(deeper(0) > 0) {
    System.err.println(\"never\");
  }
}

Adds(List l) {
  event add before(List l) : call(* List+.add(Object)) && target(l) {
    new ArrayList<Object>().add(\"more\");
    app.Main.helper(l);
  }
  ere : add add add
  @match { app.Main.helper(l); l.hashCode(); System.err.println(\"three\"); throw new RuntimeException(\"late\"); }
}

Broken() {
  event add before(Object o) : call(* List+.add(Object)) && args(o) {
    int n = 1;
    undefined(n);
  }
}
";

const HOSTILE_MAIN: &str = "\
package app;
import java.util.*;
public class Main {
    public static void helper(List<Object> list) { List<Object> l = new ArrayList<>(); l.add(7); l.add(8); l.add(9); l.add(10); }
    public static void main(String[] args) {
        List<Object> list = new ArrayList<>();
        list.add(1);
        list.add(2);
        list.add(3);                                        // 9
        System.out.println(list);
    }
}
";

#[test]
fn exceptions_of_the_code_are_reported_and_never_reach_the_program() {
    let dir = Dir::new();
    dir.write("hostile.mop", HOSTILE).write("Main.java", HOSTILE_MAIN);
    compile(&[dir.path().join("Main.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-p", "hostile.mop", "--allow-java", "--report", "r.json"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "app.Main"]).expect(0);
        assert_eq!(ran.stdout, "[1, 2, 3]\n", "{}", ran.stderr);
        let found: Vec<(String, u64)> =
            violations(&dir).into_iter().map(|(property, line, _)| (property, line)).collect();
        let expected = [("Adds", 9), ("Throws", 8), ("Throws", 9)];
        let expected = expected.map(|(property, line)| (property.to_string(), line));
        assert_eq!(found, expected, "{}", ran.stderr);
        for said in [
            "the Java code of `Throws` threw an exception: java.lang.IllegalStateException: one",
            "the Java code of `Overflows` threw an exception: java.lang.StackOverflowError",
            "the Java code of `Adds` threw an exception: java.lang.RuntimeException: late",
            "`Broken` is not monitored: its Java code does not compile: cannot find symbol: method undefined(int) (line 30)",
        ] {
            assert_eq!(ran.stderr.matches(said).count(), 1, "{said}\n{}", ran.stderr);
        }
    }
}

#[test]
fn code_is_refused_where_it_cannot_run_or_may_not() {
    let dir = Dir::new();
    dir.write("fields.mop", FIELDS).write("t.jsonl", "");
    let without = dir.run(&["lint", "fields.mop"]).expect(2);
    let said = "`OneThread` is not monitored: it has members written in Java";
    assert!(without.stdout.contains(said), "{}", without.stdout);
    assert!(without.stdout.contains("--allow-java"), "{}", without.stdout);
    let replay = dir.run(&["replay", "-p", "fields.mop", "--allow-java", "t.jsonl"]).expect(2);
    assert!(replay.stderr.contains("`replay` cannot run it"), "{}", replay.stderr);
    let convert = dir.run(&["convert", "fields.mop", "--allow-java", "--to", "ww"]).expect(2);
    assert!(convert.stderr.contains("`convert` cannot run it"), "{}", convert.stderr);
}
