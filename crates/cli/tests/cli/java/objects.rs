//! State kept in the objects: the same findings as with the engine, on whatever objects there are.

use super::{compile, java, jdks, report};
use crate::support::{Dir, root};

/// Random work on collections, maps, their views and iterators of every kind; the same every time.
const PROGRAM: &str = r#"
import java.lang.reflect.Proxy;
import java.util.*;

public class Objects {
    /// Iterators of an inner collection: two collections have made them.
    static class Wrapper extends AbstractCollection<Integer> {
        final Collection<Integer> inner;
        Wrapper(Collection<Integer> inner) { this.inner = inner; }
        public Iterator<Integer> iterator() { return inner.iterator(); }
        public int size() { return inner.size(); }
        public boolean add(Integer x) { return inner.add(x); }
    }
    /// An iterator that cannot hold anything of ours.
    record Counter(int[] left) implements Iterator<Integer> {
        public boolean hasNext() { return left[0] > 0; }
        public Integer next() { return left[0]--; }
    }
    static class Counters extends AbstractCollection<Integer> {
        public Iterator<Integer> iterator() { return new Counter(new int[] {3}); }
        public int size() { return 3; }
        public boolean add(Integer x) { return false; }
    }
    static class Lambdas extends AbstractCollection<Integer> {
        @SuppressWarnings("unchecked")
        public Iterator<Integer> iterator() {
            Iterator<Integer> real = List.of(1, 2).iterator();
            return (Iterator<Integer>) Proxy.newProxyInstance(Objects.class.getClassLoader(),
                new Class<?>[] {Iterator.class}, (p, m, a) -> m.invoke(real, a));
        }
        public int size() { return 2; }
        public boolean add(Integer x) { return false; }
    }

    final Random random;
    final List<Collection<Integer>> collections = new ArrayList<>();
    final List<Map<Integer, Integer>> maps = new ArrayList<>();
    final List<Iterator<?>> iterators = new ArrayList<>();

    Objects(long seed) { random = new Random(seed); }

    Iterator<?> any() { return iterators.isEmpty() ? null : iterators.get(random.nextInt(iterators.size())); }

    void work(int steps) {
        for (int n = 0; n < steps; n++) {
            if (collections.size() < 6 || random.nextInt(200) == 0) {
                switch (random.nextInt(6)) {
                    case 0: collections.add(new ArrayList<>(List.of(1, 2, 3))); break;
                    case 1: collections.add(new HashSet<>(List.of(1, 2))); break;
                    case 2: collections.add(new Wrapper(new LinkedList<>(List.of(4, 5)))); break;
                    case 3: collections.add(new Counters()); break;
                    case 4: collections.add(new Lambdas()); break;
                    default: maps.add(new HashMap<>(Map.of(1, 1, 2, 2)));
                }
                if (collections.size() > 12) collections.remove(random.nextInt(12));
                if (maps.size() > 4) maps.remove(random.nextInt(4));
            }
            try {
                switch (random.nextInt(9)) {
                    case 0: iterators.add(collections.get(random.nextInt(collections.size())).iterator()); break;
                    case 1: collections.get(random.nextInt(collections.size())).add(n); break;
                    case 2: if (!maps.isEmpty()) maps.get(random.nextInt(maps.size())).put(random.nextInt(5), n); break;
                    case 3: if (!maps.isEmpty()) { Map<Integer, Integer> m = maps.get(random.nextInt(maps.size()));
                                Set<Integer> keys = m.keySet(); iterators.add(keys.iterator());
                                if (random.nextInt(3) == 0) iterators.add(keys.iterator()); } break;
                    case 4: if (!maps.isEmpty()) iterators.add(maps.get(random.nextInt(maps.size())).values().iterator()); break;
                    case 5: Iterator<?> a = any(); a.next(); break;
                    case 6: Iterator<?> b = any(); if (b.hasNext()) b.next(); break;
                    case 7: Iterator<?> c = any(); c.hasNext(); break;
                    default: if (iterators.size() > 20) iterators.remove(random.nextInt(iterators.size()));
                }
            } catch (NoSuchElementException | ConcurrentModificationException | NullPointerException e) { }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[Integer.parseInt(args[0])];
        for (int t = 0; t < threads.length; t++) {
            long seed = 100 + t;
            threads[t] = new Thread(() -> new Objects(seed).work(Integer.parseInt(args[1])));
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        System.gc();
    }
}
"#;

const PROPERTIES: [&str; 4] =
    ["has-next-called", "has-next-true", "safe-list-iterator", "safe-map-iterator"];

#[test]
fn objects_know_what_the_engine_knows() {
    let dir = Dir::new();
    dir.write("Objects.java", PROGRAM);
    compile(&[dir.path().join("Objects.java")], dir.path());
    let files: Vec<String> = PROPERTIES
        .map(|name| root().join(format!("examples/java/{name}.ww")).display().to_string())
        .to_vec();
    let properties: Vec<&str> = files.iter().flat_map(|file| ["-p", file]).collect();
    for jdk in jdks() {
        for (threads, steps) in [("1", "20000"), ("6", "4000")] {
            let run = |flags: &[&str]| {
                let flags = [&properties[..], &["--report", "out.json", "-q"], flags].concat();
                let arguments = ["-Xverify:all", "-Xmx64m", "-cp", ".", "Objects", threads, steps];
                java(jdk, &dir, &flags, &arguments).expect(0);
                totals(&report(&dir, "out.json"))
            };
            // A longer history than objects remember is the engine's business.
            let (objects, engine) = (run(&[]), run(&["--history", "11"]));
            assert_eq!(objects, engine, "{threads} threads on {}", jdk.display());
            assert!(engine.iter().filter(|line| line.contains("violations")).count() > 3);
        }
    }
}

/// Guards over results and classes, `drop`, and slices that begin without being told to.
const GUARDED: &str = r#"
event begun(c, i, kind: string) = jvm after call java.util.Collection+.iterator() on c returns i with kind = result.getClass().getName()
event changed(c, result) = jvm after call java.util.Collection+.{add, remove}(..) on c returns result
event asked(i, more: bool) = jvm after call java.util.Iterator+.hasNext() on i returns more
event taken(i, kind: string) = jvm before call java.util.Iterator+.next() on i with kind = receiver.getClass().getName()
event view(m, v) = jvm after call java.util.Map+.{keySet, values}() on m returns v
event walked(v, i, kind: string) = jvm after call java.util.Collection+.iterator() on v returns i with kind = result.getClass().getName()
event put(m, old) = jvm after call java.util.Map+.put(..) on m returns old

property OfClasses(c, i) {
  creation begun
  start state New {
    on begun(c, i, ?kind) if kind == null or starts_with(kind, "java.util.") -> Traversing
    on begun(c, i, _) -> drop
  }
  state Traversing { on changed(c, ?result) if result != false -> Stale }
  state Stale { on taken(i, _) -> Failed }
  bad state Failed
}
property OfOthers(i) {
  start state Unknown { on asked(i, false) -> Over }
  state Over {
    on asked(i, true) -> drop
    on taken(i, ?kind) if kind != null and not matches(kind, "java.util.{ArrayList,HashMap$Key}*") -> Beyond "of another class"
    on taken(i, "java.util.ArrayList$Itr") -> Beyond
  }
  bad state Beyond { on asked(i, _) -> Unknown }
}
property OfViews(m, v, i) {
  creation view
  start state New { on view(m, v) -> Viewed }
  state Viewed { on walked(v, i, ?kind) if kind == null or ends_with(kind, "Iterator") -> Walking }
  state Walking { on put(m, null) -> Stale }
  state Stale { on taken(i, _) -> Failed }
  bad state Failed
}
property Begins(c, i) {
  never begun taken* changed+ taken
}
"#;

#[test]
fn guards_say_in_objects_what_they_say_in_the_engine() {
    let dir = Dir::new();
    dir.write("Objects.java", PROGRAM);
    dir.write("guarded.ww", GUARDED);
    compile(&[dir.path().join("Objects.java")], dir.path());
    for jdk in jdks() {
        for (threads, steps) in [("1", "20000"), ("6", "4000")] {
            let run = |flags: &[&str]| {
                let properties = ["-p", "guarded.ww", "--report", "out.json", "--explain-plan"];
                let arguments = ["-Xverify:all", "-Xmx64m", "-cp", ".", "Objects", threads, steps];
                let ran = java(jdk, &dir, &[&properties[..], flags].concat(), &arguments).expect(0);
                assert!(!ran.stderr.contains("in the engine"), "{}", ran.stderr);
                // Instances that are dropped as they begin are counted by the engine alone.
                let all = totals(&report(&dir, "out.json")).into_iter();
                let uncounted = |line: String| match line.split_once(" events, ") {
                    Some((events, rest)) => {
                        format!("{events} {}", rest.split_once(" instances, ").unwrap().1)
                    }
                    None => line,
                };
                all.map(uncounted).collect::<Vec<String>>()
            };
            let (objects, engine) = (run(&[]), run(&["--history", "11"]));
            assert_eq!(objects, engine, "{threads} threads on {}", jdk.display());
            let names = ["OfClasses", "OfViews", "Begins", "OfOthers"];
            // One thread leaves hardly an iterator at its end.
            for name in &names[..if threads == "1" { 3 } else { 4 }] {
                let found =
                    |line: &&String| line.contains(name) && !line.ends_with(" 0 violations");
                assert!(engine.iter().filter(found).count() > 1, "{name}: {engine:?}");
            }
        }
    }
}

/// Totals of every property, and how often what was found where.
fn totals(report: &serde_json::Value) -> Vec<String> {
    let properties = report["properties"].as_array().unwrap().iter().map(|p| {
        format!(
            "{} {} events, {} instances, {} violations",
            p["name"], p["events"], p["instances"], p["violations"]
        )
    });
    let mut violations: Vec<String> = report["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| {
            let last = v["history"].as_array().unwrap().last().map(|s| s["event"].clone());
            format!("{} {} {} {last:?}", v["property"], v["location"]["line"], v["count"])
        })
        .collect();
    violations.sort();
    properties.chain(violations).collect()
}

#[test]
fn the_plan_is_explained() {
    let Some(jdk) = jdks().first() else { return };
    let dir = Dir::new();
    dir.write("Quiet.java", "public class Quiet { public static void main(String[] a) { } }");
    compile(&[dir.path().join("Quiet.java")], dir.path());
    let file = |name: &str| root().join(format!("examples/java/{name}.ww")).display().to_string();
    let (list, locks) = (file("safe-list-iterator"), file("locks"));
    let flags = ["-p", &list, "-p", &locks, "--explain-plan"];
    let ran = java(jdk, &dir, &flags, &["-cp", ".", "Quiet"]).expect(0);
    for line in [
        "SafeListIterator: state in the object i, which knows c",
        "LocksReleased: state in the engine, because ",
    ] {
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
    }
}

/// A violation shows what led to it, also if only the objects remember.
#[test]
fn objects_remember() {
    let Some(jdk) = jdks().first() else { return };
    let text = "import java.util.*;
public class Past { public static void main(String[] a) {
    List<Integer> l = new ArrayList<>(List.of(1, 2, 3));
    Iterator<Integer> i = l.iterator();
    i.next();
    l.add(4);
    try { i.next(); } catch (ConcurrentModificationException e) { }
} }";
    let dir = Dir::new();
    dir.write("Past.java", text);
    compile(&[dir.path().join("Past.java")], dir.path());
    let property = root().join("examples/java/safe-list-iterator.ww").display().to_string();
    let flags = ["-p", &property, "--report", "out.json", "-q"];
    java(jdk, &dir, &flags, &["-cp", ".", "Past"]).expect(0);
    let report = report(&dir, "out.json");
    let violation = &report["violations"][0];
    let lines: Vec<u64> = violation["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["location"]["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [4, 6, 7], "{violation:#}");
    assert_eq!(violation["binding"]["c"]["class"], "java.util.ArrayList");
    assert_eq!(violation["binding"]["i"]["class"], "java.util.ArrayList$Itr");
    assert_eq!(violation["stack"][0]["line"], 7);
}

/// Iterators that do what others did before them need no memory of their own.
#[test]
fn short_lived_objects_take_no_memory() {
    let text = "import java.lang.management.ManagementFactory;
import java.util.*;
public class Many {
    static int sum;
    static void loop(Iterable<Integer> all, int times) {
        for (int n = 0; n < times; n++) {
            Iterator<Integer> i = all.iterator();
            while (i.hasNext()) sum += i.next();
        }
    }
    public static void main(String[] a) {
        com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
        Map<Integer, Integer> map = new HashMap<>(Map.of(1, 1, 2, 2));
        loop(list, 100); loop(map.keySet(), 100);
        long before = threads.getCurrentThreadAllocatedBytes();
        loop(list, 50_000);
        loop(map.keySet(), 50_000);
        System.out.println((threads.getCurrentThreadAllocatedBytes() - before) / 100_000);
    }
}";
    let dir = Dir::new();
    dir.write("Many.java", text);
    compile(&[dir.path().join("Many.java")], dir.path());
    let files = PROPERTIES
        .map(|name| root().join(format!("examples/java/{name}.ww")).display().to_string());
    for jdk in jdks() {
        let flags: Vec<&str> = files.iter().flat_map(|file| ["-p", file]).collect();
        let plain = std::process::Command::new(jdk.join("bin/java"))
            .args(["-XX:TieredStopAtLevel=1", "-cp", ".", "Many"])
            .env_remove("JAVA_TOOL_OPTIONS")
            .current_dir(dir.path())
            .output()
            .unwrap();
        let bytes = |output: &str| output.trim().parse::<f64>().unwrap();
        let plain = bytes(&String::from_utf8_lossy(&plain.stdout));
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "Many"]).expect(0);
        let monitored = bytes(&ran.stdout);
        assert!(monitored <= 1.2 * plain, "{monitored} bytes per iterator, not {plain}");
    }
}

/// A property whose state is in objects may be about a number: the engine has it then, and counts.
#[test]
fn events_about_what_is_no_object_are_counted() {
    let Some(jdk) = jdks().first() else { return };
    let dir = Dir::new();
    dir.write(
        "Numbers.java",
        "public class Numbers {
          static void one(int n) { }
          static void two(long n) { }
          public static void main(String[] a) { one(3); one(3); two(3); one(4); }
        }",
    );
    compile(&[dir.path().join("Numbers.java")], dir.path());
    dir.write(
        "numbers.ww",
        "event one(n) = jvm before call Numbers.one(..) args (n)
        event two(n) = jvm before call Numbers.two(..) args (n)
        property Numbers(n) {
          start state None { on one(n) -> One }
          state One { on one(n) -> Two }
          bad state Two { on two(n) -> None }
        }",
    );
    let flags = ["-p", "numbers.ww", "--report", "report.json"];
    let ran = java(jdk, &dir, &flags, &["-cp", ".", "Numbers"]).expect(0);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    let property = &report(&dir, "report.json")["properties"][0];
    assert_eq!(
        (&property["events"], &property["violations"]),
        (&4.into(), &1.into()),
        "{property}"
    );
}

#[test]
fn copies_are_objects_of_their_own() {
    for jdk in jdks() {
        let dir = Dir::new();
        dir.write(
            "Copies.java",
            "import java.util.*;
            public class Copies {
              static class Door implements Cloneable {
                void open() { }
                void close() { }
                public Door clone() {
                  try {
                    Door copy = (Door) super.clone();
                    copy.open();
                    return copy;
                  } catch (CloneNotSupportedException e) { throw new AssertionError(e); }
                }
              }
              static class Gate extends Door { public Gate clone() { return (Gate) super.clone(); } }
              public static void main(String[] args) {
                ArrayList<String> list = new ArrayList<>(List.of(\"a\", \"b\", \"c\"));
                HashMap<String, String> map = new HashMap<>(Map.of(\"a\", \"b\"));
                list.iterator().next();
                map.keySet().iterator().next();
                for (Object each : (List<?>) list.clone()) list.remove(each);
                for (Object each : ((Map<?, ?>) map.clone()).keySet()) map.remove(each);
                Door first = new Gate();
                first.open();
                Door second = first.clone();
                second.close();
                first.close();
                System.out.println(list + \" \" + map);
              }
            }",
        );
        dir.write(
            "doors.ww",
            "event open(d)  = jvm before call Copies$Door+.open() on d\n\
             event close(d) = jvm before call Copies$Door+.close() on d\n\
             property Doors(d) {\n  start state Closed { on open(d) -> Open\n  on close(d) -> Odd }\n  \
             state Open { on close(d) -> Closed\n  on open(d) -> Odd }\n  bad state Odd\n}\n",
        );
        compile(&[dir.path().join("Copies.java")], &dir.path().join("classes"));
        let maps = root().join("examples/java/safe-map-iterator.ww");
        let maps = maps.to_str().unwrap();
        // In the objects, and in the engine.
        for flags in [
            &["-p", "std/safe-iterator", "-p", "std/iterator-comodification"][..],
            &["-p", "std/safe-iterator", "-p", "doors.ww", "--max-instances", "100000"],
            &["-p", maps, "-p", "doors.ww"],
        ] {
            let ran = java(jdk, &dir, flags, &["-cp", "classes", "Copies"]);
            assert_eq!(ran.stdout, "[] {}\n", "{}", ran.stderr);
            assert_eq!(ran.status, 0, "{}", ran.stderr);
        }
    }
}
