//! An agent that redefines classes and has them transformed again, from their files and from what the
//! JVM shows it.

use std::process::Command;

use crate::java::{compile, java, jdks, report};
use crate::support::{Dir, root};

#[test]
fn classes_that_agents_redefine_keep_their_members_and_stay_watched() {
    for jdk in jdks() {
        let dir = Dir::new();
        compile(&[root().join("crates/cli/tests/cli/java/strangers/Swap.java")], dir.path());
        dir.write(
            "manifest",
            "Premain-Class: Swap\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n",
        );
        let jar = ["cfm", "swap.jar", "manifest", "Swap.class"];
        let made = Command::new(jdk.join("bin/jar")).args(jar).current_dir(dir.path()).status();
        assert!(made.unwrap().success());
        let arguments = ["-Xverify:all", "-javaagent:swap.jar", "-cp", ".", "Swap"];
        let mut plain = Command::new(jdk.join("bin/java"));
        let plain = plain.args(arguments).current_dir(dir.path()).output().unwrap();
        assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
        let flags =
            ["-q", "-p", "std/iterator-comodification", "--report", "found.json", "--no-dedup"];
        let watched = java(jdk, &dir, &flags, &arguments).expect(0);
        assert_eq!(watched.stdout, String::from_utf8_lossy(&plain.stdout), "{}", watched.stderr);
        let report = report(&dir, "found.json");
        assert_eq!(report["violations"].as_array().unwrap().len(), 6, "{report}");
    }
}
