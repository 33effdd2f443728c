//! JaCoCo beside the agent: it names a class by a checksum of the file that it sees.

use std::process::Command;

use crate::java::artifacts::{class_path, joined};
use crate::java::{cache, compile, compile_with, java, jdks, report};
use crate::support::{Dir, binary, root};

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
    let Some(jdk) = jdks().first() else { return };
    let agent = class_path(&["org.jacoco:org.jacoco.agent:0.8.12:runtime"]);
    let (Some(agent), Some(core)) = (agent, class_path(&["org.jacoco:org.jacoco.core:0.8.12"]))
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
    let dump = |file: &str| {
        let arguments = ["-cp", &path, "Dump", file];
        let mut java = Command::new(jdk.join("bin/java"));
        let done = java.args(arguments).current_dir(dir.path()).output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    let covered = |file: &str| format!("-javaagent:{agent}=destfile={file}");

    let arguments = [&covered("plain.exec"), "-cp", ".", "Covered"];
    let plain = Command::new(jdk.join("bin/java")).args(arguments).current_dir(dir.path()).output();
    let plain = plain.unwrap();
    assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
    let recorded = dump("plain.exec");
    assert!(recorded.lines().count() >= 3, "{recorded}");

    // The agent of a command line comes after ours, and so does that of JAVA_TOOL_OPTIONS.
    let flags = ["-q", "-p", "std/jdk", "--report", "found.json"];
    let arguments = [&covered("watched.exec"), "-cp", ".", "Covered"];
    let watched = java(jdk, &dir, &flags, &arguments).expect(0);
    assert_eq!(watched.stdout, String::from_utf8_lossy(&plain.stdout));
    assert_eq!(dump("watched.exec"), recorded);
    let first = report(&dir, "found.json");
    assert_eq!(first["violations"].as_array().unwrap().len(), 1, "{first}");

    // The other way round: JaCoCo in JAVA_TOOL_OPTIONS comes before the command line.
    let output = Command::new(binary())
        .args(["java", "-q", "-p", "std/jdk", "--report", "other.json", "--java"])
        .arg(jdk.join("bin/java"))
        .args(["--", "-cp", ".", "Covered"])
        .current_dir(dir.path())
        .env("JAVA_TOOL_OPTIONS", covered("other.exec"))
        .env("XDG_CACHE_HOME", cache())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(dump("other.exec"), recorded);
    let other = report(&dir, "other.json");
    assert_eq!(other["violations"].as_array().unwrap().len(), 1, "{other}");
}
