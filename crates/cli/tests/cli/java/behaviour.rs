//! What monitoring must not change, and what it must tell whatever happens.

use super::{compile, java, jdks, report};
use crate::support::{Dir, root};

const ITERATOR: &str = "\
event create(c, i) = jvm after call java.util.Collection+.iterator() on c returns i
event update(c)    = jvm before call java.util.Collection+.{add, remove, clear}(..) on c
event next(i)      = jvm before call java.util.Iterator+.next() on i
property SafeIterator(c, i) {
  never create next* update+ next
  message \"{i} used after {c} changed\"
}
";

/// A folder with the property and a compiled class.
fn program(name: &str, text: &str) -> Dir {
    let dir = Dir::new();
    dir.write("it.ww", ITERATOR).write(&format!("{name}.java"), text);
    compile(&[dir.path().join(format!("{name}.java"))], dir.path());
    dir
}

const BREAK: &str = "
    static void breakIt() {
        java.util.List<Integer> list = new java.util.ArrayList<>(java.util.List.of(1, 2, 3));
        java.util.Iterator<Integer> i = list.iterator();
        list.add(4);
        try { i.next(); } catch (java.util.ConcurrentModificationException e) { }
    }
";

#[test]
fn status_and_output_are_the_programs_own() {
    let text = format!(
        "public class Exit {{ {BREAK} public static void main(String[] a) {{
            System.out.print(\"out\"); System.err.print(\"err\"); breakIt();
            Thread daemon = new Thread(() -> {{ while (true) breakIt(); }});
            daemon.setDaemon(true); daemon.start();
            System.exit(7);
        }} }}"
    );
    let dir = program("Exit", &text);
    for jdk in jdks() {
        let ran = java(jdk, &dir, &["-p", "it.ww"], &["-cp", ".", "Exit"]).expect(7);
        assert_eq!(ran.stdout, "out");
        assert!(ran.stderr.starts_with("err"), "{}", ran.stderr);
        assert!(ran.stderr.contains("used after ArrayList@"), "{}", ran.stderr);
        assert!(ran.stderr.contains("SafeIterator: 3 sites, "), "{}", ran.stderr);
        let flags = ["-p", "it.ww", "--error-exitcode", "42"];
        java(jdk, &dir, &flags, &["-cp", ".", "Exit"]).expect(42);
    }
}

#[test]
fn faults_of_the_program_stay_what_they_are() {
    let text = format!(
        "public class Faults {{ {BREAK}
          static class Late {{ static {{ breakIt(); if (true) throw new IllegalStateException(\"late\"); }} }}
          public static void main(String[] a) {{
            System.setErr(new java.io.PrintStream(new java.io.OutputStream() {{
                public void write(int b) throws java.io.IOException {{ throw new java.io.IOException(); }} }}));
            System.setOut(null);
            switch (a[0]) {{
              case \"uncaught\": breakIt(); throw new RuntimeException(\"mine\");
              case \"memory\": breakIt(); Object[] all = null; while (true) all = new Object[][] {{all, new Object[1 << 20]}};
              case \"static\": new Late();
              case \"halt\": breakIt(); Runtime.getRuntime().halt(9);
              case \"kill\": breakIt(); String own = \"\" + ProcessHandle.current().pid();
                try {{ new ProcessBuilder(\"kill\", \"-9\", own).start().waitFor(); }} catch (Exception e) {{ }}
            }}
        }} }}"
    );
    let dir = program("Faults", &text);
    for jdk in jdks() {
        for (what, status) in [("uncaught", 1), ("memory", 1), ("static", 1), ("halt", 9)] {
            let arguments = ["-Xmx64m", "-cp", ".", "Faults", what];
            let ran = java(jdk, &dir, &["-p", "it.ww"], &arguments).expect(status);
            assert!(ran.stderr.contains("1 violation"), "{what}: {}", ran.stderr);
        }
        // Of one that is killed nobody hears the end; what was heard counts.
        let flags = ["-p", "it.ww", "--report", "out.json"];
        java(jdk, &dir, &flags, &["-cp", ".", "Faults", "kill"]);
        let told = report(&dir, "out.json");
        assert_eq!(told["properties"][0]["verdict"], "violated", "{told}");
        assert_eq!(told["properties"][0]["violations"], 1, "{told}");
        assert!(told["limits"][0].as_str().unwrap().contains("ended without a report"), "{told}");
        // A trace that has no place is refused before anything runs.
        let flags = ["-p", "it.ww", "--collect-trace", "nowhere/t.jsonl"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "Faults", "uncaught"]).expect(2);
        assert!(ran.stderr.contains("there is no folder to write this file to"), "{}", ran.stderr);
    }
}

#[test]
fn reactions() {
    let text = format!(
        "public class React {{ {BREAK}
          public static void alarm(String property, String message) {{
            System.out.println(\"alarm \" + property);
            java.util.List<Integer> l = new java.util.ArrayList<>(); l.add(1);
            for (int x : l) System.out.println(x);
          }}
          public static void main(String[] a) {{
            try {{ breakIt(); System.out.println(\"went on\"); }}
            catch (Error e) {{ System.out.println(e.getClass().getName() + \": \" + e.getMessage()); }}
        }} }}"
    );
    let dir = program("React", &text);
    for jdk in jdks() {
        let run = |words: &[&str]| {
            let mut flags = vec!["-p", "it.ww", "--report", "out.json", "--on-violation"];
            flags.extend(words);
            java(jdk, &dir, &flags, &["-cp", ".", "React"])
        };
        assert_eq!(run(&["report"]).expect(0).stdout, "went on\n");
        let events = report(&dir, "out.json")["stats"]["events"].as_u64();
        let thrown = run(&["throw"]).expect(0).stdout;
        assert!(
            thrown.starts_with("watchword.Violation: SafeIterator: ArrayList$Itr@"),
            "{thrown}"
        );
        assert_eq!(run(&["exit"]).expect(1).stdout, "");
        let called = run(&["call", "React.alarm"]).expect(0);
        assert_eq!(called.stdout, "alarm SafeIterator\n1\nwent on\n", "{}", called.stderr);
        // Whoever cannot be called ends monitoring, and that is told.
        run(&["call", "React.nobody"]).expect(0);
        let told = report(&dir, "out.json");
        assert!(told["limits"][0].as_str().unwrap().contains("monitoring stopped"), "{told}");
        run(&["call", "React.alarm"]).expect(0);
        // What the called method does is no event.
        assert_eq!(report(&dir, "out.json")["stats"]["events"].as_u64(), events);
    }
}

#[test]
fn silence_is_explained() {
    let text = "public class Quiet { public static void main(String[] a) { } }";
    let dir = program("Quiet", text);
    dir.write("wrong.ww", ITERATOR.replace("java.util.Iterator+.next", "java.util.Iterater+.next"));
    for jdk in jdks() {
        let ran = java(jdk, &dir, &["-p", "wrong.ww"], &["-cp", ".", "Quiet"]).expect(0);
        let hint = "there is no class java.util.Iterater, did you mean java.util.Iterator?";
        assert!(ran.stderr.contains(hint), "{}", ran.stderr);
        let ran = java(jdk, &dir, &["-p", "it.ww", "-q"], &["-cp", ".", "Quiet"]).expect(0);
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn an_event_of_a_method_that_does_not_exist_is_named_though_others_occur() {
    let text = "import java.util.*;
        public class Half { public static void main(String[] a) {
            List<Integer> list = new ArrayList<>(List.of(1, 2));
            Iterator<Integer> i = list.iterator();
            while (i.hasNext()) i.next();
        } }";
    let dir = program("Half", text);
    dir.write("half.ww", ITERATOR.replace("java.util.Iterator+.next", "java.util.Iterator+.nxt"));
    for jdk in jdks() {
        let ran = java(jdk, &dir, &["-p", "half.ww"], &["-cp", ".", "Half"]).expect(0);
        let hint = "java.util.Iterator has no method nxt, did you mean next?";
        assert!(ran.stderr.contains(hint), "{}", ran.stderr);
        let ran = java(jdk, &dir, &["-p", "it.ww"], &["-cp", ".", "Half"]).expect(0);
        assert!(!ran.stderr.contains("has no method"), "{}", ran.stderr);
        // Of a family, what saw nothing is counted.
        let ran = java(jdk, &dir, &["-p", "std/jdk"], &["-cp", ".", "Half"]).expect(0);
        assert!(ran.stderr.contains("without any event (-v lists them)"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("has no method"), "{}", ran.stderr);
        assert!(ran.stderr.lines().count() < 16, "{}", ran.stderr);
    }
}

#[test]
fn events_of_several_topl_properties_are_counted_apart() {
    let text = "import java.util.*;
        public class Count { public static void main(String[] a) {
            Iterator<Integer> i = List.of(1, 2).iterator();
            while (i.hasNext()) i.next();
        } }";
    let dir = program("Count", text);
    let property = |name: &str, method: &str| {
        format!("property {name}\n  observe <{method}>\n  start -> error: <99> := <{method}>[*]\n")
    };
    dir.write("nope.topl", property("Nope", "no.Such.method"));
    dir.write("next.topl", property("Next", "java.util.Iterator.next"));
    dir.write("has.topl", property("Has", "java.util.Iterator.hasNext"));
    for jdk in jdks() {
        let flags = ["-p", "nope.topl", "-p", "next.topl", "-p", "has.topl"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "Count"]).expect(0);
        for line in ["Nope: 0 sites, 0 events", "Next: 1 site, 2 events", "Has: 1 site, 3 events"] {
            assert!(ran.stderr.contains(line), "no `{line}` in {}", ran.stderr);
        }
    }
}

#[test]
fn mistakes_are_found_before_the_program_starts() {
    let text = "public class Loud { public static void main(String[] a) { System.out.print(1); } }";
    let dir = program("Loud", text);
    dir.write("log.ww", "event e(x)\nproperty P(x) { never e e }\n");
    dir.write("silenced.txt", "one two\n");
    let Some(jdk) = jdks().first() else { return };
    for (flags, message) in [
        (&["-p", "missing.ww"][..], "missing.ww"),
        (&["-p", "log.ww"], "no property has events of a JVM"),
        (&["-p", "it.ww", "--report", "out.txt"], "out.txt"),
        (&["-p", "it.ww", "--on-violation", "dance"], "expected report, throw, exit or call"),
        (&["-p", "it.ww", "--silenced", "silenced.txt"], "silenced.txt: line 1"),
    ] {
        let ran = java(jdk, &dir, flags, &["-cp", ".", "Loud"]).expect(2);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
}

/// Programs that look at themselves, or are looked at by another agent.
#[test]
fn hostile_places() {
    let text = r#"
import java.io.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;

public class Hostile {
    static class Mine implements Iterator<String>, Serializable {
        int left = 2;
        public boolean hasNext() { return left > 0; }
        public String next() { left--; return "x"; }
    }
    record Pair(List<String> list, Iterator<String> i) {}
    enum Source implements Iterable<String> { ONE; public Iterator<String> iterator() { return new Mine(); } }

    public static void main(String[] a) throws Exception {
        List<String> seen = new ArrayList<>();
        for (Field f : Mine.class.getDeclaredFields()) seen.add(f.getName());
        for (Method m : Mine.class.getDeclaredMethods()) seen.add(m.getName() + m.getParameterCount() + m.getReturnType());
        for (Method m : ArrayList.class.getMethods()) seen.add(m.getName());
        for (Class<?> c : ArrayList.class.getInterfaces()) seen.add(c.getName());
        for (Class<?> c : Mine.class.getInterfaces()) seen.add(c.getName());
        Collections.sort(seen);
        System.out.println(seen);
        System.out.println(ObjectStreamClass.lookup(Mine.class).getSerialVersionUID());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Mine mine = new Mine();
        mine.next();
        new ObjectOutputStream(bytes).writeObject(mine);
        System.out.println(bytes.size());
        Mine copy = (Mine) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        System.out.println(copy.left + " " + copy.next());
        List<String> calls = new ArrayList<>();
        Iterator<?> proxy = (Iterator<?>) Proxy.newProxyInstance(Hostile.class.getClassLoader(),
            new Class<?>[] {Iterator.class}, (p, m, args) -> { calls.add(m.getName()); return m.getName().equals("next") ? "y" : (Object) true; });
        proxy.hasNext(); proxy.next();
        System.out.println(calls);
        calls.clear();
        Iterator<?> all = (Iterator<?>) Proxy.newProxyInstance(Hostile.class.getClassLoader(),
            new Mine().getClass().getInterfaces(), (p, m, args) -> { calls.add(m.getName()); return m.getName().equals("next") ? "y" : (Object) true; });
        all.hasNext(); all.next();
        System.out.println(calls);
        Function<List<String>, Iterator<String>> f = List::iterator;
        Iterator<String> i = f.apply(new ArrayList<>(List.of("q")));
        Supplier<String> next = i::next;
        System.out.println(next.get());
        System.out.println(new Pair(List.of(), null).equals(new Pair(List.of(), null)) + " " + Source.valueOf("ONE").iterator().next());
        System.out.println(Arrays.toString(Pair.class.getRecordComponents()).length());
    }
}
"#;
    let dir = program("Hostile", text);
    for jdk in jdks() {
        let plain = std::process::Command::new(jdk.join("bin/java"))
            .args(["-cp", ".", "Hostile"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        let plain = String::from_utf8(plain.stdout).unwrap();
        let arguments = ["-Xverify:all", "-cp", ".", "Hostile"];
        let ran = java(jdk, &dir, &["-p", "it.ww"], &arguments).expect(0);
        assert_eq!(ran.stdout, plain, "{}", ran.stderr);
    }
}

#[test]
fn class_constants_of_the_program_are_known_where_it_runs() {
    let text = "public class Limits {
        static class Known { static final int MAX = 7; static final long FAR = 1L << 40; }
        static void sink(long far, int n) { }
        public static void main(String[] a) { sink(1, 7); sink(1L << 40, 3); sink(1L << 40, 7); }
    }";
    let dir = program("Limits", text);
    let property = "property Constants
  observe <Limits.sink>
  start -> start: *
  start -> error: <Limits.sink>(<Limits$Known.FAR>, <Limits.Known.MAX>)
";
    dir.write("p.topl", property).write("none.topl", property.replace("MAX", "MIN"));
    for jdk in jdks() {
        let flags = ["-p", "p.topl", "--report", "r.json"];
        java(jdk, &dir, &flags, &["-cp", ".", "Limits"]).expect(0);
        assert_eq!(report(&dir, "r.json")["properties"][0]["violations"], 1);
        // Nothing runs for a property that has a mistake.
        let ran = java(jdk, &dir, &["-p", "none.topl"], &["-cp", ".", "Limits"]).expect(2);
        assert!(ran.stderr.contains("no field `MIN`"), "{}", ran.stderr);
        // Limits and what goes beyond them, as for traces.
        for evict in ["oldest", "newest", "random"] {
            let flags = ["-p", "p.topl", "--max-instances", "1", "--evict", evict, "--stack", "0"];
            java(jdk, &dir, &flags, &["-cp", ".", "Limits"]).expect(0);
        }
    }
}

/// A class is not made to name a type that its loader does not know: `java.xml` knows nothing of
/// `java.sql`.
#[test]
fn classes_that_cannot_name_a_type_stay_whole() {
    let text = "public class Sax { public static void main(String[] a) {
        System.out.println(new org.xml.sax.SAXParseException(\"m\", \"p\", \"s\", 1, 2));
    } }";
    let dir = program("Sax", text);
    for jdk in jdks() {
        let flags = ["-q", "-p", "std/jdbc-result-set-closed"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "Sax"]).expect(0);
        assert!(ran.stdout.contains("systemId: s"), "{}{}", ran.stdout, ran.stderr);
    }
}

/// Methods that are called by references, through other types, on objects that references make: the
/// program runs as it does alone, and says the same with and without analysis.
#[test]
fn calls_go_by_other_ways() {
    let dir = Dir::new();
    dir.write(
        "door.ww",
        "event open(d) = jvm before call Door+.open() on d\n\
         event shut(d) = jvm before call Door+.shut() on d\n\
         property Shut(d) { never shut open }\n",
    );
    dir.write(
        "Main.java",
        "interface Opens { void open(); }
         class Door { public void open() { } public void shut() { } }
         class Gate extends Door implements Opens { }
         class Main { public static void main(String[] a) {
             Gate inherited = new Gate();
             Runnable open = inherited::open;
             inherited.shut();
             open.run();
             Gate beside = new Gate();
             beside.shut();
             Opens opens = beside;
             opens.open();
             java.util.function.Supplier<Door> make = Door::new;
             Door made = make.get();
             made.shut();
             made.open();
             System.out.println(\"fine\");
         } }",
    );
    compile(&[dir.path().join("Main.java")], dir.path());
    for jdk in jdks() {
        for flags in [&["-p", "door.ww"][..], &["--residual", "-p", "door.ww"]] {
            let ran = java(jdk, &dir, flags, &["-cp", ".", "Main"]).expect(0);
            assert_eq!(ran.stdout, "fine\n", "{}", ran.stderr);
            assert!(ran.stderr.contains(" 3 violations"), "{flags:?}: {}", ran.stderr);
        }
    }
}

/// A call through a type that says nothing about the object is an event if the object is of the named type,
/// which not every class can name: for properties in the objects and in the engine.
#[test]
fn objects_are_told_apart_by_types_that_only_they_know() {
    let dir = Dir::new();
    dir.write(
        "doors.ww",
        "event open(d) = jvm before call Door+.open() on d\n\
         event shut(d) = jvm before call Door+.shut() on d\n\
         event bolt(d, key) = jvm before call Door+.bolt(..) on d args (key)\n\
         property Shut(d) { never shut open }\n\
         property Bolted(d, key) { never bolt bolt }\n\
         property Often {\n\
           var n: int = 0\n\
           start state Seldom { on open if n < 3 { n = n + 1 }\n on open if n >= 3 -> TooOften }\n\
           bad state TooOften\n\
         }\n",
    );
    dir.write(
        "Main.java",
        "interface Opens { default void open() { } default void shut() { } default void bolt(Object key) { } }
         interface Door { void open(); void shut(); void bolt(Object key); }
         class Gate implements Opens, Door {
             public void open() { } public void shut() { } public void bolt(Object key) { } }
         class Iron extends Gate { }
         class Shop implements Opens { }
         class Bank extends Shop { }
         class Main {
             static void all(Opens o) {
                 o.shut();
                 o.open();
                 Object key = new Object();
                 o.bolt(key);
                 o.bolt(key);
             }
             public static void main(String[] a) {
                 for (int n = 0; n < 1000; n++) {
                     all(new Shop());
                     all(new Bank());
                     if (n % 100 == 0) all(n == 0 ? new Gate() : new Iron());
                     try { all(null); } catch (NullPointerException e) { }
                 }
                 System.out.println(\"fine\");
             } }",
    );
    compile(&[dir.path().join("Main.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-p", "doors.ww", "--report", "r.json"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "Main"]).expect(0);
        assert_eq!(ran.stdout, "fine\n", "{}", ran.stderr);
        let report = report(&dir, "r.json");
        let properties = report["properties"].as_array().unwrap();
        let number = |value: &serde_json::Value| value.as_u64().unwrap();
        let found: Vec<(&str, u64, u64)> = properties
            .iter()
            .map(|p| (p["name"].as_str().unwrap(), number(&p["events"]), number(&p["violations"])))
            .collect();
        let expected = [("Shut", 20, 10), ("Bolted", 20, 10), ("Often", 10, 1)];
        assert_eq!(found, expected, "{}", ran.stderr);
        // Objects of other types were not even given an identity.
        assert!(ran.stderr.contains("open(d = Iron@7)"), "{}", ran.stderr);
    }
}

/// State that is in the objects does not have every argument: those are left out, not shown as null. A
/// sentence does not begin with the name of a parameter.
#[test]
fn histories_leave_out_what_is_not_known() {
    let text = "import java.util.*; public class Known { public static void main(String[] a) { \
        try { new ArrayDeque<String>().pop(); } catch (NoSuchElementException e) { } \
        List<Integer> l = new ArrayList<>(List.of(1, 2)); \
        try { l.forEach(x -> l.add(x)); } catch (ConcurrentModificationException e) { } \
        try { l.wait(); } catch (IllegalMonitorStateException | InterruptedException e) { } } }";
    let dir = program("Known", text);
    for jdk in jdks() {
        let ran = java(jdk, &dir, &["-p", "std/jdk"], &["-cp", ".", "Known"]).expect(0);
        let told = ran.stdout.clone() + &ran.stderr;
        for part in
            ["Here, c (ArrayDeque@", "A traversal failed with e (", "Waiting for or notifying o ("]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains("null"), "{told}");
    }
}

/// Shipped properties name methods of several JDKs: one that this JDK does not have is no mistake of the
/// user's, and nothing is looked for that has nearly its name. In a user's own file it may be one.
#[test]
fn shipped_properties_are_not_suspected_of_mistakes() {
    let text = "public class Idle { public static void main(String[] a) { } }";
    let dir = program("Idle", text);
    dir.write(
        "own.ww",
        "event made(m) = jvm after call java.util.SequencdMap+.sequencedKeySet() on m\n\
         property Made(m) { never made made }\n",
    );
    for jdk in jdks() {
        let ran = java(jdk, &dir, &["-p", "std/jdk"], &["-cp", ".", "Idle"]).expect(0);
        assert!(
            ran.stderr.contains("no loaded class contains one of its program points"),
            "{}",
            ran.stderr
        );
        for suspicion in ["did you mean", "there is no class", "has no method"] {
            assert!(!ran.stderr.contains(suspicion), "{suspicion}: {}", ran.stderr);
        }
        let ran = java(jdk, &dir, &["-p", "own.ww"], &["-cp", ".", "Idle"]).expect(0);
        assert!(ran.stderr.contains("there is no class java.util.SequencdMap"), "{}", ran.stderr);
    }
}

/// A program prints its stack traces, and whatever else it can find out about its method
/// references, as it does alone.
#[test]
fn method_references_look_the_same() {
    let folder = root().join("crates/weave/tests/cases/references");
    let dir = Dir::new();
    compile(&[folder.join("Main.java")], dir.path());
    let property = folder.join("property.ww").display().to_string();
    for jdk in jdks() {
        let alone = std::process::Command::new(jdk.join("bin/java"))
            .args(["-cp", ".", "references.Main"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        let alone = String::from_utf8(alone.stdout).unwrap();
        assert!(alone.contains("at references.Main$Base.send(Main.java:"), "{alone}");
        let flags = ["-p", &property, "--report", "out.json"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "references.Main"]).expect(0);
        assert_eq!(ran.stdout, alone, "{}", ran.stderr);
        assert!(ran.stderr.contains(" 27 events"), "{}", ran.stderr);
    }
}

/// Class loaders that delegate nothing but `java.*`, as those of OSGi do, find what woven classes call:
/// hooks that step objects, and hooks that call the agent.
#[test]
fn loaders_that_delegate_only_java_find_the_hooks() {
    let text = format!(
        "public class Alone {{
            public static class Inner {{ {BREAK} public static void run() {{ breakIt(); }} }}
            static class Loader extends ClassLoader {{
                Loader() {{ super(null); }}
                protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {{
                    if (name.startsWith(\"java.\")) return super.loadClass(name, resolve);
                    if (!name.startsWith(\"Alone\")) throw new ClassNotFoundException(name);
                    Class<?> known = findLoadedClass(name);
                    if (known != null) return known;
                    try (java.io.InputStream in = Alone.class.getResourceAsStream(name + \".class\")) {{
                        byte[] bytes = in.readAllBytes();
                        return defineClass(name, bytes, 0, bytes.length);
                    }} catch (java.io.IOException e) {{ throw new ClassNotFoundException(name); }}
                }}
            }}
            public static void main(String[] a) throws Exception {{
                Class<?> inner = new Loader().loadClass(\"Alone$Inner\");
                System.out.println(inner != Inner.class);
                inner.getMethod(\"run\").invoke(null);
            }}
        }}"
    );
    let dir = program("Alone", &text);
    let in_objects = root().join("examples/java/safe-list-iterator.ww");
    for jdk in jdks() {
        for property in ["it.ww", &in_objects.to_string_lossy()] {
            let ran = java(jdk, &dir, &["-p", property], &["-cp", ".", "Alone"]).expect(0);
            assert_eq!(ran.stdout, "true\n", "{property}: {}", ran.stderr);
            assert!(ran.stderr.contains(" 1 violation"), "{property}: {}", ran.stderr);
        }
    }
}

/// Who threw an exception is only known by its stack trace: a JVM that makes none is a limit of the run.
#[test]
fn a_jvm_without_stack_traces_is_a_limit_of_properties_that_ask_who_threw() {
    let text = "public class Full { public static void main(String[] a) {
        java.util.Queue<Integer> queue = new java.util.concurrent.ArrayBlockingQueue<>(1);
        queue.add(1);
        try { queue.add(2); } catch (IllegalStateException e) { }
    } }";
    let dir = program("Full", text);
    dir.write(
        "full.ww",
        "event full(q) = jvm throwing call java.util.Queue+.add(..) on q throws _: \
         java.lang.IllegalStateException from itself\nproperty Full(q) { never full }\n",
    );
    for jdk in jdks() {
        let run = |flag: &[&str]| {
            let flags = ["-p", "full.ww", "-p", "it.ww", "--report", "out.json"];
            let ran = java(jdk, &dir, &flags, &[flag, &["-cp", ".", "Full"]].concat());
            (ran.expect(0).stderr, report(&dir, "out.json"))
        };
        let (said, with) = run(&[]);
        assert_eq!(with["violations"].as_array().unwrap().len(), 1, "{said}");
        assert_eq!(with["limits"].as_array().map_or(0, Vec::len), 0, "{with}");
        let (said, without) = run(&["-XX:-StackTraceInThrowable"]);
        assert_eq!(without["violations"].as_array().unwrap().len(), 0, "{said}");
        assert_eq!(said.matches("-XX:-StackTraceInThrowable").count(), 1, "{said}");
        assert!(without["limits"][0].as_str().unwrap().contains("`from itself`"), "{without}");
        let verdict = |at: usize| without["properties"][at]["verdict"].as_str().unwrap();
        assert_eq!((verdict(0), verdict(1)), ("inconclusive", "not-violated"), "{without}");
    }
}
