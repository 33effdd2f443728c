//! Objects that died: what the engine knows of them goes, of others it stays.

use super::{compile, java, jdks, report};
use crate::support::{Dir, root};

/// A change of a map steps the instances of all its iterators. The program makes no garbage
/// collection due by itself, so without one that is asked for they would all be kept.
#[test]
fn dead_iterators_of_a_map_that_changes_are_not_kept() {
    let dir = Dir::new();
    dir.write(
        "Changes.java",
        "import java.util.*;
        public class Changes {
          public static void main(String[] a) {
            Map<Integer, Integer> map = new HashMap<>(Map.of(1, 1, 2, 2));
            Collection<Integer> values = map.values();
            Iterator<Integer> kept = values.iterator();
            for (int n = 0; n < 20_000; n++) {
              Iterator<Integer> i = values.iterator();
              i.next();
              map.put(1, n);
            }
            kept.next();
          }
        }",
    );
    compile(&[dir.path().join("Changes.java")], dir.path());
    let maps = root().join("examples/residual/maps.ww").display().to_string();
    for jdk in jdks() {
        let flags = ["-p", &maps, "--report", "report.json"];
        java(jdk, &dir, &flags, &["-Xms512m", "-cp", ".", "Changes"]).expect(0);
        let property = &report(&dir, "report.json")["properties"][0];
        assert_eq!(property["instances"], 20_002, "{property}");
        assert_eq!(property["violations"], 1, "{property}");
        assert!(property["peak"].as_u64().unwrap() < 15_000, "{property}");
    }
}

const RESOURCES: &str = "
    event opened(r) = jvm after call Resources$One.<init>(..) on r
    event closed(r) = jvm before execution Resources$One.close() on r
    event lost(r) = jvm after death on r
    event marked(n: int) = jvm before call Resources.mark(int) args (n)
    property Closed(r) {
      creation opened
      start state New { on opened(r) -> Open }
      state Open { on closed(r) -> drop on lost(r) -> Leaked }
      bad state Leaked \"{r} was never closed\"
    }
    property Marked(n) { start state Watching { on marked(n) -> Seen } state Seen }";

const PROGRAM: &str = "
    import java.util.*;
    public class Resources {
      static final List<One> kept = new ArrayList<>();
      static class One implements AutoCloseable {
        @Override public void close() { }
      }
      static void lose() { new One().hashCode(); }
      static void keep() { kept.add(new One()); }
      static void close() { try (One one = new One()) { one.hashCode(); } }
      static void loseLate() { new One().hashCode(); }
      static void mark(int n) { }
      public static void main(String[] a) {
        lose();
        keep();
        close();
        System.gc();
        mark(1);
        mark(2);
        loseLate();
        try (One open = new One()) {
          System.exit(0);
        }
      }
    }";

/// An object that nobody can reach any more has died, while the program runs or when it ends; one that can be
/// reached has not, not even if it is never closed.
#[test]
fn the_death_of_an_object_is_an_event() {
    let dir = Dir::new();
    dir.write("Resources.java", PROGRAM);
    dir.write("p.ww", RESOURCES);
    compile(&[dir.path().join("Resources.java")], dir.path());
    let places = |violations: &serde_json::Value| {
        let all = violations["violations"].as_array().unwrap();
        let place = |v: &serde_json::Value| v["location"]["function"].as_str().unwrap().to_string();
        let mut all: Vec<String> = all.iter().map(place).collect();
        all.sort();
        all
    };
    for jdk in jdks() {
        let flags = ["-p", "p.ww", "--report", "report.json"];
        java(jdk, &dir, &flags, &["-cp", ".", "Resources"]).expect(0);
        let wanted = ["Resources.lose", "Resources.loseLate"];
        assert_eq!(places(&report(&dir, "report.json")), wanted, "{}", jdk.display());
        // In the order in which the monitors saw them: the first was found before the second mark.
        let flags = ["-p", "p.ww", "--collect-trace", "t.jsonl"];
        java(jdk, &dir, &flags, &["-cp", ".", "Resources"]).expect(0);
        let trace = std::fs::read_to_string(dir.path().join("t.jsonl")).unwrap();
        let at = |text: &str| trace.find(text).unwrap_or_else(|| panic!("no {text} in {trace}"));
        assert!(at("\"lost\"") < at("\"marked\",\"args\":[2]"), "{trace}");
        dir.run(&["replay", "-p", "p.ww", "t.jsonl", "--report", "again.json"]).expect(1);
        let replayed = report(&dir, "again.json");
        assert_eq!(replayed["properties"][0]["violations"], 2, "{}", jdk.display());
        // What happens to objects of the program outside of a scope is not known.
        let flags = ["-p", "p.ww", "--scope", "Resources", "--report", "report.json"];
        java(jdk, &dir, &flags, &["-cp", ".", "Resources"]).expect(0);
        assert_eq!(places(&report(&dir, "report.json")), [""; 0], "{}", jdk.display());
    }
}

/// Executions in classes of the JDK that a selector names are seen whoever calls them, also in those that the
/// JVM loads first; those of a pattern are not.
#[test]
fn executions_in_named_classes_of_the_jdk_are_seen() {
    let dir = Dir::new();
    dir.write(
        "Closes.java",
        "import java.io.*;
        public class Closes {
          public static void main(String[] a) throws Exception {
            new InputStreamReader(new BufferedInputStream(new FileInputStream(\"/dev/null\"))).close();
          }
        }",
    );
    dir.write(
        "p.ww",
        "event named(f) = jvm before execution java.io.FileInputStream.close() on f
         event several(f) = jvm before execution java.io.{BufferedInputStream, InputStreamReader}.close() on f
         event pattern(f) = jvm before execution java.io.*.close() on f
         property Named(f) { also several, pattern never named }",
    );
    compile(&[dir.path().join("Closes.java")], dir.path());
    for jdk in jdks() {
        for scope in [&[][..], &["--scope", "nothing.*"]] {
            let flags = [&["-q", "-p", "p.ww", "--report", "report.json"], scope].concat();
            java(jdk, &dir, &flags, &["-cp", ".", "Closes"]).expect(0);
            let report = report(&dir, "report.json");
            let events = &report["properties"][0]["byEvent"];
            let count = |name: &str| events[name].as_u64().unwrap_or(0);
            assert!(count("named") >= 1 && count("several") >= 2, "{scope:?}: {events}");
            assert_eq!(count("pattern"), 0, "{scope:?}: {events}");
        }
    }
}
