//! OpenTelemetry's agent, which instruments the JDK and has a class loader of its own.

use crate::java::artifacts::class_path;
use crate::java::{compile, jdks};
use crate::support::{Dir, root};

use super::agents::{alone, before_us, behind_us};

/// What was traced: names, kinds and instrumentations of spans, without their numbers and times.
fn spans(told: &str) -> Vec<String> {
    let after =
        |line: &str| line.split_once("LoggingSpanExporter - ").map(|(_, span)| span.to_string());
    let is_number = |word: &&str| word.len() >= 16 && word.chars().all(|c| c.is_ascii_hexdigit());
    let plain = |span: String| {
        let span = span.split(']').next().unwrap_or_default().to_string();
        span.split(' ').filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
    };
    let mut found: Vec<String> = told.lines().filter_map(after).map(plain).collect();
    found.sort();
    found
}

#[test]
fn opentelemetry_traces_the_same_beside_the_agent() {
    let Some(jars) = class_path(&["io.opentelemetry.javaagent:opentelemetry-javaagent:2.21.0"])
    else {
        // Needs Maven for the agent; `class_path` says so where it is missing, and fails under CI.
        return;
    };
    let agent = format!("-javaagent:{}", jars[0].display());
    let flags = [
        &agent,
        "-Dotel.traces.exporter=console",
        "-Dotel.metrics.exporter=none",
        "-Dotel.logs.exporter=none",
    ];
    let dir = Dir::new();
    compile(&[root().join("crates/cli/tests/cli/java/strangers/Web.java")], dir.path());
    let program = ["-Xverify:all", "-cp", ".", "Web"];
    for jdk in jdks() {
        let plain = alone(jdk, &dir, &flags, &program);
        let traced = spans(&plain.stderr);
        // Three requests of the old client, one of the new one, and what the server saw of them.
        assert_eq!(traced.len(), 8, "{}", plain.stderr);
        for ran in
            [behind_us(jdk, &dir, &flags, &program, 1), before_us(jdk, &dir, &flags, &program, 1)]
        {
            assert_eq!(ran.stdout, plain.stdout, "{}", ran.stderr);
            assert_eq!(spans(&ran.stderr), traced, "{}", ran.stderr);
        }
    }
}
