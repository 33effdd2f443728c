//! JavaMOP specifications on running programs.

use serde_json::Value;

use super::{compile, java, jdks, report};
use crate::support::Dir;

const MAIN: &str = "\
package app;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
public class Main {
    public static void main(String[] args) {
        List<String> names = new ArrayList<>();
        names.add(\"a\");
        Iterator<String> good = names.iterator();
        while (good.hasNext()) good.next();
        Iterator<String> bad = names.iterator();
        names.add(\"b\");
        try {
            bad.next();                     // 14: no hasNext, and the list has changed
        } catch (RuntimeException e) {
        }
    }
}
";

const UNSAFE: &str = "\
import java.util.*;

UnsafeIterator(Collection c, Iterator i) {
  creation event create after(Collection c) returning(Iterator i) :
    call(Iterator Iterable+.iterator()) && target(c) {}
  event modify before(Collection c) :
    (call(* Collection+.add*(..)) || call(* Collection+.remove*(..))) && target(c) {}
  event use before(Iterator i) : call(* Iterator.next()) && target(i) {}

  ere : create use* modify modify* use

  @match { System.err.println(\"the collection changed\"); }
}
";

const HAS_NEXT: &str = "\
import java.util.*;

HasNext(Iterator i) {
  event yes after(Iterator i) returning(boolean b) :
    call(* Iterator+.hasNext()) && target(i) && condition(b) {}
  event no after(Iterator i) returning(boolean b) :
    call(* Iterator+.hasNext()) && target(i) && condition(!b) {}
  event next before(Iterator i) : call(* Iterator+.next()) && target(i) {}

  ltl : [](next => (*) yes)

  @violation { System.err.println(\"hasNext was not called\"); }
}
";

const NEEDS_JAVA: &str = "\
Counted(Object o) {
  int n = 0;
  event use before(Object o) : call(* Object+.toString()) && target(o) { n++; }
  ere : use
  @match { System.err.println(n); }
}
";

/// What the code does not say: the classes of arguments and results.
const VALUES: &str = "\
package app;
import java.util.*;
public class Values {
    public static void main(String[] args) {
        List<Object> objects = new ArrayList<>();
        String text = \"x\";
        objects.add(text);
        objects.add(text);                  // 8
        objects.add(7);
        objects.add(7);
        objects.add(null);
        objects.add(null);
        Set<Object> mixed = new HashSet<>();
        mixed.add(7);
        mixed.add(text);
        Map<String, Object> map = new HashMap<>();
        map.put(\"text\", text);
        map.put(\"number\", 7);
        map.get(\"text\");
        map.get(\"number\");
        map.get(\"number\");
        map.get(\"text\");                    // 22
    }
}
";

const ASKED: &str = "\
import java.util.*;

Added(Collection c, String o) {
  event add before(Collection c, String o) : call(* Collection+.add(..)) && target(c) && args(o) {}
  ere : add add
  @match { System.err.println(\"added twice\"); }
}

Texts(Collection c) {
  event text before(Collection c) : call(* Collection+.add(..)) && target(c) && args(String) {}
  event number before(Collection c) : call(* Collection+.add(..)) && target(c) && args(Integer) {}
  ere : number text
  @match { System.err.println(\"a text behind a number\"); }
}

Got(Map m, String s) {
  event get after(Map m) returning(String s) : call(* Map.get(..)) && target(m) {}
  ere : get get
  @match { System.err.println(\"got twice\"); }
}
";

/// The property and the line of every violation, in order.
fn properties_and_lines(report: &Value) -> Vec<(&str, u64)> {
    let violations = report["violations"].as_array().unwrap().iter();
    let mut found: Vec<(&str, u64)> = violations
        .map(|v| (v["property"].as_str().unwrap(), v["location"]["line"].as_u64().unwrap()))
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn arguments_and_results_are_of_the_classes_they_have_not_of_those_declared() {
    let dir = Dir::new();
    dir.write("asked.mop", ASKED).write("Values.java", VALUES);
    compile(&[dir.path().join("Values.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-p", "asked.mop", "--report", "r.json"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "app.Values"]).expect(0);
        let report = report(&dir, "r.json");
        let found = properties_and_lines(&report);
        assert_eq!(found, [("Added", 8), ("Got", 22), ("Texts", 15)], "{}", ran.stderr);
    }
}

/// What a pattern says beside the type that `target` names, and which exception `throwing` names.
const ASIDE: &str = "\
package app;
import java.util.*;
public class Aside {
    static class Task implements Runnable {
        public void run() { }               // 5
    }
    static class Other implements Runnable {
        public void run() { }
    }
    public static void main(String[] args) {
        Collection<Object> linked = new LinkedList<>();
        linked.add(1);
        Collection<Object> array = new ArrayList<>();
        array.add(1);                       // 14
        new Task().run();
        new Other().run();
        Queue<Object> full = new java.util.concurrent.ArrayBlockingQueue<>(1);
        try {
            full.add(null);
        } catch (NullPointerException e) {
        }
        full.add(1);
        try {
            full.add(2);                    // 24
        } catch (IllegalStateException e) {
        }
        new Above().close();
        new Below().close();                // 28: once, not also by `super`
    }
    static class Above implements AutoCloseable {
        public void close() { }
    }
    static class Below extends Above {
        public void close() { super.close(); }
    }
}
";

const NARROW: &str = "\
import java.util.*;
Arrays(Collection c) {
  event add before(Collection c) : call(* ArrayList.add(..)) && target(c) { System.err.println(\"array\"); }
}
Tasks(Runnable r) {
  event run before(Runnable r) : execution(* app.Aside.Task.run()) && this(r) { System.err.println(\"task\"); }
}
Full(Queue q) {
  event add after(Queue q) throwing(IllegalStateException e) :
    call(* Queue.add(..)) && target(q) { System.err.println(\"full\"); }
}
Closed(AutoCloseable c) {
  event close before(AutoCloseable c) : call(* AutoCloseable+.close()) && target(c) {}
  ere : close close
  @match { System.err.println(\"closed twice\"); }
}
Never(Runnable r) {
  event run before(Runnable r) : execution(* Runnable+.run()) && this(r) && !within(app.Aside) { System.err.println(\"?\"); }
}
";

#[test]
fn every_part_of_a_pointcut_is_asked() {
    let dir = Dir::new();
    dir.write("narrow.mop", NARROW).write("Aside.java", ASIDE);
    compile(&[dir.path().join("Aside.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-p", "narrow.mop", "--report", "r.json"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "app.Aside"]).expect(0);
        let report = report(&dir, "r.json");
        let found = properties_and_lines(&report);
        assert_eq!(found, [("Arrays", 14), ("Full", 24), ("Tasks", 5)], "{}", ran.stderr);
    }
}

#[test]
fn a_folder_of_specifications_is_monitored_and_what_needs_java_is_named() {
    let dir = Dir::new();
    let folder = dir.path().join("db/util");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in [("Unsafe", UNSAFE), ("HasNext", HAS_NEXT), ("Counted", NEEDS_JAVA)] {
        std::fs::write(folder.join(format!("{name}.mop")), text).unwrap();
    }
    std::fs::write(folder.join("notes.txt"), "not a property").unwrap();
    dir.write("Main.java", MAIN);
    compile(&[dir.path().join("Main.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-p", "db/", "--report", "r.json"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "app.Main"]).expect(0);
        let refused = "`Counted` is not monitored: it has members written in Java";
        assert!(ran.stderr.contains(refused), "{}", ran.stderr);
        let report = report(&dir, "r.json");
        let mut found: Vec<(&str, u64)> = report["violations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| (v["property"].as_str().unwrap(), v["location"]["line"].as_u64().unwrap()))
            .collect();
        found.sort_unstable();
        assert_eq!(found, [("HasNext", 14), ("UnsafeIterator", 14)], "{}", ran.stderr);
    }
}
