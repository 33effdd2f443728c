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
