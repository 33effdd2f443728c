//! A JVM program in a browser: `java --view`.

use super::{compile, java, jdks};
use crate::support::Dir;

const SHOP: &str = "import java.util.*;
public class Shop {
    public static void main(String[] a) {
        for (int i = 0; i < 2000; i++) {
            List<Integer> l = new ArrayList<>(List.of(1, 2, 3));
            for (int n : l) if (n == 0) System.out.println(n);
        }
        List<Integer> l = new ArrayList<>(List.of(1, 2, 3));
        Iterator<Integer> i = l.iterator();
        l.add(4);
        try { i.next(); } catch (ConcurrentModificationException e) { System.out.println(\"caught\"); }
    }
}";

/// The instances of a property whose state would be in the objects are shown, and what that costs is
/// printed. What is found is the same.
#[test]
fn instances_of_a_jvm_are_shown_and_the_cost_is_printed() {
    let dir = Dir::new();
    dir.write("Shop.java", SHOP);
    compile(&[dir.path().join("Shop.java")], dir.path());
    for jdk in jdks() {
        let shown = ["-p", "std/safe-iterator", "--view-record", "page.html"];
        let ran = java(jdk, &dir, &shown, &["-cp", ".", "Shop"]).expect(0);
        assert_eq!(ran.stdout, "caught\n");
        let note = "note: --view: 8 003 events took ";
        for part in [note, "the state of SafeIterator is in the objects", "1 violation"] {
            assert!(ran.stderr.contains(part), "no {part}: {}", ran.stderr);
        }
        let page = dir.read("page.html");
        for part in [
            "\"binding\":\"c = ArrayList@",
            "next(i = ArrayList$Itr@",
            "forbidden",
            "the program has ended",
            "changed\",\"binding\":",
            "Shop.java:11",
        ] {
            assert!(page.contains(part), "no {part} in {page}");
        }
        let alone = java(jdk, &dir, &["-p", "std/safe-iterator"], &["-cp", ".", "Shop"]).expect(0);
        assert!(!alone.stderr.contains("--view"), "{}", alone.stderr);
        let counts =
            |text: &str| text.lines().find(|l| l.starts_with("SafeIterator:")).map(str::to_string);
        assert_eq!(counts(&alone.stderr), counts(&ran.stderr));
    }
}
