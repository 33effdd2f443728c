//! What a program would notice if it were disturbed: objects that stay reachable, and methods of its
//! own that somebody else calls.

use std::path::Path;
use std::process::Command;

use super::{compile, java, jdks};
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
