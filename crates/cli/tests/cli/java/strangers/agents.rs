//! Other agents in the same JVM, before us and after us.

use std::path::Path;
use std::process::Command;

use crate::java::{cache, java, report};
use crate::support::{Dir, Ran, binary};

/// Runs a program alone with an agent.
pub fn alone(jdk: &Path, dir: &Dir, agent: &[&str], program: &[&str]) -> Ran {
    let arguments = [agent, program].concat();
    let mut java = Command::new(jdk.join("bin/java"));
    java.args(arguments).current_dir(dir.path()).env_remove("JAVA_TOOL_OPTIONS");
    Ran::of(&java.output().unwrap()).expect(0)
}

/// Runs a program with an agent and all of `std/jdk`, which finds as many violations as there are.
pub fn behind_us(jdk: &Path, dir: &Dir, agent: &[&str], program: &[&str], found: usize) -> Ran {
    // The agent of a command line comes after ours, and so does that of JAVA_TOOL_OPTIONS.
    let flags = ["-q", "-p", "std/jdk", "--report", "behind.json"];
    let ran = java(jdk, dir, &flags, &[agent, program].concat()).expect(0);
    assert_eq!(violations(dir, "behind.json"), found, "{}", ran.stderr);
    ran
}

/// The other way round: an agent in `JAVA_TOOL_OPTIONS` comes before those of the command line.
pub fn before_us(jdk: &Path, dir: &Dir, agent: &[&str], program: &[&str], found: usize) -> Ran {
    let mut watchword = Command::new(binary());
    watchword.args(["java", "-q", "-p", "std/jdk", "--report", "before.json", "--java"]);
    watchword.arg(jdk.join("bin/java")).arg("--").args(program).current_dir(dir.path());
    watchword.env("JAVA_TOOL_OPTIONS", agent.join(" ")).env("XDG_CACHE_HOME", cache());
    let ran = Ran::of(&watchword.output().unwrap()).expect(0);
    assert_eq!(violations(dir, "before.json"), found, "{}", ran.stderr);
    ran
}

fn violations(dir: &Dir, name: &str) -> usize {
    report(dir, name)["violations"].as_array().unwrap().len()
}
