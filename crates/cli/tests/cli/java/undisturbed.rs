//! What a program would notice if it were disturbed: objects that stay reachable, and methods of its
//! own that somebody else calls.

use std::path::Path;
use std::process::Command;

use super::{compile, java, jdks, jdks_since, report};
use crate::support::Dir;

/// Objects that are garbage while the method that used them still runs.
const ALIVE: &str = r#"
import java.lang.ref.*;
import java.util.*;

public class Alive {
    static boolean gone(Reference<?> reference) throws Exception {
        for (int n = 0; n < 100 && !reference.refersTo(null); n++) {
            System.gc();
            Thread.sleep(5);
        }
        return reference.refersTo(null);
    }

    public static void main(String[] args) throws Exception {
        List<Object> list = new ArrayList<>(List.of(new Object()));
        WeakReference<Object> whole = new WeakReference<>(list), element = new WeakReference<>(list.get(0));
        Iterator<Object> i = list.iterator();
        WeakReference<Object> iterator = new WeakReference<>(i);
        while (i.hasNext()) i.next();
        i = null;
        list.add(1, new StringBuilder("x"));
        list = null;
        System.out.println("iterated " + gone(whole) + gone(element) + gone(iterator));

        List<Object> empty = new ArrayList<>();
        WeakReference<Object> thrown = new WeakReference<>(empty);
        try {
            empty.iterator().next();
        } catch (NoSuchElementException e) {
            System.out.println("caught");
        }
        empty = null;
        System.out.println("thrown " + gone(thrown));

        Object key = new Object();
        Map<Object, Object> weak = new WeakHashMap<>();
        weak.put(key, "value");
        WeakReference<Object> kept = new WeakReference<>(key);
        if (weak.containsKey(key)) key = null;
        System.out.println("weak key " + gone(kept));
        // The JVM tells the map some time after it cleared the reference.
        while (!weak.isEmpty()) Thread.sleep(1);

        Set<Object> set = new HashSet<>();
        Object member = new ArrayList<>();
        PhantomReference<Object> phantom = new PhantomReference<>(member, new ReferenceQueue<>());
        set.add(member);
        set.contains(member);
        set.remove(member);
        member = null;
        System.out.println("member " + gone(phantom));

        Optional<Object> optional = Optional.of(new Object());
        WeakReference<Object> inside = new WeakReference<>(optional.get());
        optional = null;
        System.out.println("optional " + gone(inside));

        // Each takes a third of the heap.
        for (int n = 0; n < 4; n++) {
            List<byte[]> chunks = new ArrayList<>();
            for (int k = 0; k < 14; k++) chunks.add(new byte[1 << 20]);
            int sum = 0;
            for (byte[] chunk : chunks) sum += chunk.length;
            System.out.println(sum);
            chunks = null;
        }
        List<byte[]> first = new ArrayList<>();
        for (int k = 0; k < 14; k++) first.add(new byte[1 << 20]);
        System.out.println(first.iterator().next().length);
        first = null;
        List<byte[]> second = new ArrayList<>();
        for (int k = 0; k < 14; k++) second.add(new byte[1 << 20]);
        System.out.println(second.iterator().next().length);
        second = null;
        List<byte[]> third = new ArrayList<>();
        for (int k = 0; k < 14; k++) third.add(new byte[1 << 20]);
        System.out.println(third.iterator().next().length);
    }
}
"#;

/// Sets that do not ask for hash codes, and elements that do not want to be asked.
const UNASKED: &str = r#"
import java.util.*;

public class Unasked {
    static int asked;

    static class Node implements Comparable<Node> {
        final int number;
        final List<Node> next = new ArrayList<>();
        Node(int number) { this.number = number; }
        @Override public int hashCode() {
            asked++;
            int hash = number;
            for (Node each : next) hash = 31 * hash + each.hashCode();
            return hash;
        }
        @Override public boolean equals(Object other) { asked++; return other == this; }
        @Override public String toString() { asked++; return "node"; }
        @Override public int compareTo(Node other) { return Integer.compare(number, other.number); }
    }

    static void walk(Node node, Set<Node> seen) {
        if (!seen.add(node)) return;
        for (Node each : node.next) walk(each, seen);
    }

    public static void main(String[] args) {
        // Diamonds, one after the other: there are 2^60 paths from the first to the last.
        Node[] nodes = new Node[121];
        for (int n = nodes.length - 1; n >= 0; n--) {
            nodes[n] = new Node(n);
            if (n % 2 == 0 && n + 2 < nodes.length) nodes[n].next.addAll(List.of(nodes[n + 1], nodes[n + 2]));
            if (n % 2 == 1 && n + 1 < nodes.length) nodes[n].next.add(nodes[n + 1]);
        }
        Set<Node> identities = Collections.newSetFromMap(new IdentityHashMap<>());
        walk(nodes[0], identities);
        Set<Node> sorted = new TreeSet<>();
        walk(nodes[0], sorted);
        System.out.println(identities.size() + " " + sorted.contains(nodes[7]) + " " + sorted.remove(nodes[8]) + " " + asked);
    }
}
"#;

/// A class loader that does not show its classes as resources, or shows others under their names. A class is seen
/// before the one above it, and both are of a kind that events speak of.
const SHADOWS: &str = r#"
import java.io.*;
import java.nio.file.*;
import java.util.*;

public class Shadows extends ClassLoader {
    final boolean shows;
    Shadows(boolean shows) { super(Shadows.class.getClassLoader()); this.shows = shows; }

    @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
        try {
            byte[] bytes = Files.readAllBytes(Path.of("shadows", name + ".bin"));
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    @Override public InputStream getResourceAsStream(String name) {
        // Any class but the one that is asked for.
        return shows && name.endsWith(".class") ? super.getResourceAsStream("Shadows.class") : null;
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        for (boolean shows : new boolean[] {false, true}) {
            Class<?> lower = new Shadows(shows).loadClass("Lower");
            Iterator<Integer> i = (Iterator<Integer>) lower.getDeclaredConstructor().newInstance();
            int sum = 0;
            while (i.hasNext()) sum += i.next();
            System.out.println(lower.getSuperclass() + " " + sum);
        }
    }
}
"#;

/// Two versions of a class, each in a loader of its own: below the one that events speak of is another such class,
/// the other one has no superclass that could have hidden members.
const VERSIONS: &str = r#"
import java.net.*;
import java.nio.file.*;
import java.util.*;

public class Versions {
    static ClassLoader loader(String folder) throws Exception {
        return new URLClassLoader(new URL[] {Path.of(folder).toUri().toURL()}, Versions.class.getClassLoader());
    }

    public static void main(String[] args) throws Exception {
        ClassLoader first = loader("first/");
        int left = 0;
        Iterator<?> upper = (Iterator<?>) first.loadClass("Upper").getDeclaredConstructor().newInstance();
        while (upper.hasNext()) left += (Integer) upper.next();
        loader("second/").loadClass("Other").getDeclaredConstructor().newInstance();
        Iterator<?> lower = (Iterator<?>) first.loadClass("Lower").getDeclaredConstructor().newInstance();
        while (lower.hasNext()) left += (Integer) lower.next();
        try { lower.next(); } catch (NoSuchElementException e) { System.out.println("nothing left of " + left); }
    }
}
"#;

/// Threads that come and go, in a heap that has no room for what each of them counts.
const SHORT: &str = r#"
import java.util.*;

public class Short {
    static int sum;

    public static void main(String[] args) throws Exception {
        for (int n = 0; n < 20_000; n++) {
            Thread thread = new Thread(() -> { for (int each : List.of(1, 2)) sum += each; });
            thread.start();
            thread.join();
        }
        System.out.println(sum);
    }
}
"#;

/// A method whose arguments are of classes that are missing, which nothing but their types would show.
const OLD: &str = r#"
import java.util.*;

public class Old {
    static void fill(List<Object> list, MissingList list1, MissingSet set) {
        list.contains("nothing");
        try { list.add(list1); list.add(set); } catch (UnsupportedOperationException e) { System.out.println("caught"); }
    }

    public static void main(String[] args) {
        fill(new ArrayList<Object>(), null, null);
        fill(Collections.emptyList(), null, null);
        System.out.println("linked");
    }
}

class MissingList extends ArrayList<Object> {}
class MissingSet extends HashSet<Object> {}
"#;

/// Garbage of many shapes, and memory that the collector takes from it while some of it is still used.
const GARBAGE: &str = r#"
import java.util.*;

public class Garbage {
    public static void main(String[] args) {
        List<Object> kept = new ArrayList<>();
        int sum = 0;
        for (int n = 0; n < 200_000; n++) {
            List<Integer> list = new ArrayList<>(List.of(n));
            for (int each : list) sum += each;
            Map<String, Integer> map = new HashMap<>(Map.of("a", n));
            for (int each : map.values()) sum += each;
            if (n % 10 == 0) kept.addAll(List.of(list, map, list.iterator()));
            if (n % 50_000 == 0) System.gc();
        }
        System.out.println(sum + " " + kept.size());
    }
}
"#;

/// Makes a class as Groovy's compiler does: which constructor of the superclass is called is decided in the constructor,
/// and behind the calls is code of a path that has none.
const MAKE_PATHS: &str = r#"
import java.lang.classfile.*;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.*;
import java.nio.file.*;
import java.util.*;
import static java.lang.constant.ConstantDescs.*;

public class MakePaths {
    public static void main(String[] args) throws Exception {
        ClassDesc own = ClassDesc.of("Paths"), above = ClassDesc.of("Above"), refused = ClassDesc.of("java.lang.IllegalArgumentException");
        byte[] bytes = ClassFile.of().build(own, made -> made
            .withVersion(61, 0).withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_SUPER).withSuperclass(above)
            .withMethodBody(INIT_NAME, MethodTypeDesc.of(CD_void, CD_int), ClassFile.ACC_PUBLIC, code -> {
                Label one = code.newLabel(), two = code.newLabel(), other = code.newLabel(), end = code.newLabel();
                code.iload(1).lookupswitch(other, List.of(SwitchCase.of(1, one), SwitchCase.of(2, two)));
                code.labelBinding(one).aload(0).iconst_1().invokespecial(above, INIT_NAME, MethodTypeDesc.of(CD_void, CD_int)).goto_(end);
                code.labelBinding(two).aload(0).ldc("two").invokespecial(above, INIT_NAME, MethodTypeDesc.of(CD_void, CD_String)).goto_(end);
                code.labelBinding(other).new_(refused).dup().invokespecial(refused, INIT_NAME, MTD_void).athrow();
                code.labelBinding(end).aload(0).iload(1).invokevirtual(own, "check", MethodTypeDesc.of(CD_void, CD_int)).return_();
            }));
        Files.write(Path.of("Paths.class"), bytes);
    }
}
"#;

const WAYS: &str = r#"
class Above {
    Above(int number) { }
    Above(String text) { }
    void check(int n) { if (n == 2) throw new IllegalStateException("two"); }
}

public class Ways {
    public static void main(String[] args) throws Exception {
        for (int n : new int[] {1, 2, 3}) {
            try {
                System.out.println(Class.forName("Paths").getConstructor(int.class).newInstance(n) != null);
            } catch (java.lang.reflect.InvocationTargetException e) {
                System.out.println(e.getCause());
            }
        }
    }
}
"#;

/// Has all its objects before there are events: what there is no room for then is ours.
const TIGHT: &str = r#"
public class Tight {
    void bind(Tight other) { }
    void change() { }
    void use() { }

    public static void main(String[] args) {
        Tight[] all = new Tight[400_000];
        for (int n = 0; n < all.length; n++) all[n] = new Tight();
        for (int n = 0; n < all.length; n += 2) {
            all[n].bind(all[n + 1]);
            all[n].change();
            if (n == 0) all[n + 1].use();
        }
        System.out.println(all.length);
    }
}
"#;

/// Runs a program plain and monitored, with flags of the JVM; both print the same.
fn same(jdk: &Path, dir: &Dir, flags: &[&str], class: &str) {
    let arguments = [flags, &["-cp", ".", class]].concat();
    let plain =
        Command::new(jdk.join("bin/java")).args(&arguments).current_dir(dir.path()).output();
    let plain = plain.unwrap();
    assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
    let watched = java(jdk, dir, &["-q", "-p", "std/jdk"], &arguments);
    assert_eq!(watched.stdout, String::from_utf8_lossy(&plain.stdout), "{}", watched.stderr);
    assert_eq!(watched.status, 0, "{}", watched.stderr);
}

#[test]
fn nothing_is_reachable_longer_than_in_the_program_alone() {
    let dir = Dir::new();
    // The first compiler of the JVM takes what a handler needs for used until the basic block ends.
    let in_blocks = ALIVE.replace("class Alive", "class InBlocks").replace(
        "System.out.println(\"",
        "for (int block = 0; block < 1; block++) System.out.println(\"",
    );
    dir.write("Alive.java", ALIVE).write("InBlocks.java", &in_blocks);
    compile(&["Alive", "InBlocks"].map(|c| dir.path().join(format!("{c}.java"))), dir.path());
    let second = ["-XX:TieredStopAtLevel=4", "-XX:CompileCommand=quiet"];
    let only = "-XX:CompileCommand=compileonly,Alive::*";
    for jdk in jdks() {
        same(jdk, &dir, &["-Xint", "-Xmx40m"], "Alive");
        same(jdk, &dir, &["-Xcomp", second[0], second[1], only, "-Xmx40m"], "Alive");
        same(jdk, &dir, &["-Xcomp", "-Xmx40m"], "InBlocks");
    }
}

#[test]
fn sets_that_do_not_hash_are_not_asked_for_hash_codes() {
    let Some(jdk) = jdks().first() else { return };
    let dir = Dir::new();
    dir.write("Unasked.java", UNASKED);
    compile(&[dir.path().join("Unasked.java")], dir.path());
    same(jdk, &dir, &[], "Unasked");
}

#[test]
fn classes_above_those_of_a_loader_that_shows_nothing_are_not_guessed() {
    let dir = Dir::new();
    let upper = "import java.util.*;
        class Upper implements Iterator<Integer> {
            int left = 3;
            public boolean hasNext() { return left > 0; }
            public Integer next() { if (left == 0) throw new NoSuchElementException(); return left--; }
        }";
    let lower = "public class Lower extends Upper implements java.util.Iterator<Integer> { public Lower() {} }";
    dir.write("Shadows.java", SHADOWS).write("Upper.java", upper).write("Lower.java", lower);
    let files = ["Shadows", "Upper", "Lower"].map(|c| dir.path().join(format!("{c}.java")));
    compile(&files, dir.path());
    std::fs::create_dir(dir.path().join("shadows")).unwrap();
    for class in ["Upper", "Lower"].iter().filter(|_| !jdks().is_empty()) {
        let hidden = dir.path().join(format!("shadows/{class}.bin"));
        std::fs::rename(dir.path().join(format!("{class}.class")), hidden).unwrap();
    }
    for jdk in jdks() {
        same(jdk, &dir, &["-Xverify:all"], "Shadows");
    }
}

#[test]
fn classes_of_one_name_may_differ_from_loader_to_loader() {
    let dir = Dir::new();
    let upper = "import java.util.*;
        public class Upper implements Iterator<Integer> {
            int left = 3;
            public boolean hasNext() { return left > 0; }
            public Integer next() { if (left == 0) throw new NoSuchElementException(); return left--; }
        }";
    let lower = "public class Lower extends Upper implements java.util.Iterator<Integer> {}";
    for folder in ["first", "second"] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
    }
    dir.write("first/Upper.java", upper).write("first/Lower.java", lower);
    dir.write("second/Upper.java", "public interface Upper {}");
    dir.write("second/Other.java", "public class Other implements Upper {}");
    dir.write("Versions.java", VERSIONS);
    compile(&[dir.path().join("Versions.java")], dir.path());
    for (folder, classes) in [("first", ["Upper", "Lower"]), ("second", ["Upper", "Other"])] {
        let folder = dir.path().join(folder);
        compile(&classes.map(|class| folder.join(format!("{class}.java"))), &folder);
    }
    for jdk in jdks() {
        same(jdk, &dir, &["-Xverify:all"], "Versions");
    }
}

#[test]
fn threads_that_have_ended_take_no_memory_and_what_they_did_is_counted() {
    let dir = Dir::new();
    dir.write("Short.java", SHORT);
    compile(&[dir.path().join("Short.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-q", "-p", "std/jdk", "--report", "found.json"];
        let ran = java(jdk, &dir, &flags, &["-Xmx20m", "-cp", ".", "Short"]).expect(0);
        assert_eq!(ran.stdout, "60000\n", "{}", ran.stderr);
        let report = report(&dir, "found.json");
        let properties = report["properties"].as_array().unwrap();
        let exhausted = properties.iter().find(|p| p["name"] == "IteratorExhausted").unwrap();
        assert!(exhausted["events"].as_u64().unwrap() >= 60_000, "{exhausted}");
    }
}

/// Class files of JDK 5 and older have no stack-map frames: the JVM infers types, and loads classes to merge them.
#[test]
fn old_classes_are_linked_without_classes_that_are_missing() {
    let dir = Dir::new();
    dir.write("Old.java", OLD);
    compile(&[dir.path().join("Old.java")], dir.path());
    for jdk in jdks() {
        let file = dir.path().join("Old.class");
        let mut bytes = std::fs::read(&file).unwrap();
        // The version of the class file.
        bytes[7] = 49;
        std::fs::write(&file, bytes).unwrap();
        for missing in ["MissingList", "MissingSet"] {
            let _ = std::fs::remove_file(dir.path().join(format!("{missing}.class")));
        }
        same(jdk, &dir, &["-Xverify:all"], "Old");
    }
}

/// The JVM fills gaps in the heap with objects that it takes to have no fields. Small headers leave no room in which
/// one would not be noticed; a property about any object asks for fields in all classes.
#[test]
fn objects_that_fill_gaps_in_the_heap_stay_small() {
    let dir = Dir::new();
    dir.write("Garbage.java", GARBAGE);
    compile(&[dir.path().join("Garbage.java")], dir.path());
    let heap = ["-Xmx128m", "-Xshare:off", "-XX:+UseG1GC"];
    for jdk in jdks() {
        same(jdk, &dir, &[&heap[..], &["-XX:-UseCompressedClassPointers"]].concat(), "Garbage");
    }
    for jdk in jdks_since(25) {
        same(jdk, &dir, &[&heap[..], &["-XX:+UseCompactObjectHeaders"]].concat(), "Garbage");
    }
}

#[test]
fn constructors_may_call_one_of_several_others() {
    let dir = Dir::new();
    dir.write("MakePaths.java", MAKE_PATHS).write("Ways.java", WAYS).write(
        "paths.ww",
        "event begun(o) = jvm before execution Paths.<init>(..) on o\n\
         event done(o, n) = jvm after execution Paths.<init>(..) on o args (n)\n\
         event failed(o, n) = jvm throwing execution Paths.<init>(..) on o args (n)\n\
         property Begun(o) { never begun }\n\
         property Done(o, n) { never done }\n\
         property Failed(o, n) { never failed }\n",
    );
    compile(&[dir.path().join("Ways.java")], dir.path());
    // What makes class files is a part of JDK 24 and newer; the class itself is for JDK 17.
    let Some(maker) = jdks_since(25).into_iter().next() else { return };
    let mut make = Command::new(maker.join("bin/java"));
    let made = make.arg("MakePaths.java").current_dir(dir.path()).status();
    assert!(made.unwrap().success());
    for jdk in jdks() {
        same(jdk, &dir, &["-Xverify:all"], "Ways");
        let flags = ["-p", "paths.ww", "--no-dedup", "--report", "found.json"];
        let ran = java(jdk, &dir, &flags, &["-Xverify:all", "-cp", ".", "Ways"]).expect(0);
        let report = report(&dir, "found.json");
        let properties = report["properties"].as_array().unwrap();
        let events: Vec<u64> = properties.iter().map(|p| p["events"].as_u64().unwrap()).collect();
        // The third constructor ends before there is an object.
        assert_eq!(events, [2, 1, 1], "{}", ran.stderr);
    }
}

/// What monitors keep in objects may be what the program has no room for: it goes on without them.
#[test]
fn a_heap_that_monitors_fill_is_told() {
    let dir = Dir::new();
    dir.write("Tight.java", TIGHT).write(
        "stale.ww",
        "event bound(a, b) = jvm after call Tight.bind(..) on a args (b)\n\
         event changed(a) = jvm before call Tight.change() on a\n\
         event used(b) = jvm before call Tight.use() on b\n\
         property Stale(a, b) { creation bound never bound changed+ used }\n",
    );
    compile(&[dir.path().join("Tight.java")], dir.path());
    for jdk in jdks() {
        for (heap, is_full) in [("-Xmx24m", true), ("-Xmx200m", false)] {
            let flags = ["-p", "stale.ww", "--report", "found.json"];
            let program = [heap, "-XX:+UseSerialGC", "-cp", ".", "Tight"];
            let ran = java(jdk, &dir, &flags, &program).expect(0);
            assert_eq!(ran.stdout, "400000\n", "{}", ran.stderr);
            let told = "the heap of the program is full";
            assert_eq!(ran.stderr.contains(told), is_full, "{}", ran.stderr);
            let report = report(&dir, "found.json");
            assert_eq!(report["limits"].to_string().contains(told), is_full, "{report}");
            // What was found before is reported.
            assert_eq!(report["violations"].as_array().unwrap().len(), 1, "{report}");
        }
    }
}

/// A store of one variable ends another one that had a slot in common with it: nothing is read from there any more.
#[test]
fn variables_whose_slots_are_used_again_are_not_read() {
    let dir = Dir::new();
    dir.write(
        "Slots.java",
        "public class Slots {
            static Object of(long given) {
                { long first = given + 1; System.out.println(first); }
                { int late; Object second = \"second\"; System.out.println(second); late = 3; return late; }
            }
            public static void main(String[] args) { System.out.println(of(7)); }
        }",
    );
    dir.write(
        "slot.ww",
        "event slot(x) = jvm after opcode {istore*, astore*, lstore*} with x = local 2\n\
        property Slot() { also slot start state A { on slot(_) -> A } }\n",
    );
    compile(&[dir.path().join("Slots.java")], dir.path());
    for jdk in jdks() {
        let arguments = ["-Xverify:all", "-cp", ".", "Slots"];
        let ran = java(jdk, &dir, &["-p", "slot.ww"], &arguments).expect(0);
        assert_eq!(ran.stdout, "8\nsecond\n3\n", "{}", ran.stderr);
        assert!(!ran.stderr.contains(" 0 events"), "{}", ran.stderr);
    }
}

/// What monitoring remembers of a collection does not grow with the places where it is iterated.
#[test]
fn a_collection_keeps_little_wherever_it_is_iterated() {
    let dir = Dir::new();
    dir.write(
        "Live.java",
        "import java.util.*;
        public class Live {
          static final List<List<Integer>> ALL = new ArrayList<>();
          static int one(List<Integer> l) { int s = 0; for (int x : l) s += x; return s; }
          static int two(List<Integer> l) { int s = 0; for (int x : l) s += x; return s; }
          static int three(List<Integer> l) { int s = 0; for (int x : l) s += x; return s; }
          static long used() {
            System.gc();
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
          }
          public static void main(String[] arguments) {
            for (int i = 0; i < 60_000; i++) ALL.add(new ArrayList<>(List.of(1, 2)));
            long before = used();
            int sum = 0;
            for (int times = 0; times < 3; times++)
              for (List<Integer> l : ALL) sum += one(l) + two(l) + three(l);
            System.out.println((used() - before) / ALL.size() + (sum > 0 ? \"\" : \"!\"));
          }
        }",
    );
    compile(&[dir.path().join("Live.java")], dir.path());
    for jdk in jdks() {
        let arguments = ["-XX:+UseSerialGC", "-Xmx600m", "-cp", ".", "Live"];
        let ran = java(jdk, &dir, &["-q", "-p", "std/jdk"], &arguments).expect(0);
        let each: u64 = ran.stdout.trim().parse().unwrap();
        // A cell and an epoch each, and 4 MB for all of them.
        assert!((80..250).contains(&each), "{}: {each} bytes per list", jdk.display());
    }
}
