//! JaCoCo beside the agent: it names a class by a checksum of the file that it sees.

use crate::java::artifacts::{class_path, joined};
use crate::java::{compile, compile_with, jdks};
use crate::support::{Dir, root};

use super::agents::{alone, before_us, behind_us};

const COVERED: &str = "
import java.util.*;
import java.util.function.*;

public class Covered {
    interface Shape { default int area() { return 1; } }
    static class Square implements Shape, Iterable<Integer> {
        public Iterator<Integer> iterator() { return List.of(4).iterator(); }
    }
    public static void main(String[] args) {
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
        int sum = 0;
        for (int each : list) sum += each;
        for (int each : new Square()) sum += each;
        Function<List<Integer>, Iterator<Integer>> way = List::iterator;
        sum += way.apply(list).next() + new Square().area();
        Iterator<Integer> stale = list.iterator();
        list.add(4);
        try { stale.next(); } catch (ConcurrentModificationException e) { sum++; }
        if (sum < 0) System.out.println(\"never\");
        System.out.println(sum);
    }
}
";

#[test]
fn coverage_of_jacoco_is_the_same_beside_the_agent() {
    let agent = class_path(&["org.jacoco:org.jacoco.agent:0.8.14:runtime"]);
    let (Some(agent), Some(core)) = (agent, class_path(&["org.jacoco:org.jacoco.core:0.8.14"]))
    else {
        return;
    };
    let agent = agent.iter().find(|jar| jar.to_str().is_some_and(|n| n.contains("runtime")));
    let agent = agent.unwrap().display();
    let dir = Dir::new();
    dir.write("Covered.java", COVERED);
    compile(&[dir.path().join("Covered.java")], dir.path());
    let tool = root().join("crates/cli/tests/cli/java/strangers/Dump.java");
    compile_with(&["-cp", &joined(&core)], &[tool], dir.path());
    let path = format!(".:{}", joined(&core));
    let covered = |file: &str| format!("-javaagent:{agent}=destfile={file}");
    let program = ["-cp", ".", "Covered"];
    for jdk in jdks() {
        let dump = |file: &str| alone(jdk, &dir, &[], &["-cp", &path, "Dump", file]).stdout;
        let plain = alone(jdk, &dir, &[&covered("plain.exec")], &program);
        let recorded = dump("plain.exec");
        assert!(recorded.lines().count() >= 3, "{recorded}");
        let behind = behind_us(jdk, &dir, &[&covered("behind.exec")], &program, 1);
        let before = before_us(jdk, &dir, &[&covered("before.exec")], &program, 1);
        for (ran, file) in [(behind, "behind.exec"), (before, "before.exec")] {
            assert_eq!(ran.stdout, plain.stdout, "{}", ran.stderr);
            assert_eq!(dump(file), recorded);
        }
        // Runs add to what is in a file.
        for file in ["plain.exec", "behind.exec", "before.exec"] {
            std::fs::remove_file(dir.path().join(file)).unwrap();
        }
    }
}
