//! The examples: every property with a program that breaks it and one that does not.

use std::path::PathBuf;

use super::{compile, java, jdks, report};
use crate::support::{Dir, root};

/// Property, program, and the violations: property and line.
type Example = (&'static str, &'static str, &'static [(&'static str, Option<u64>)]);

const EXAMPLES: &[Example] = &[
    ("safe-list-iterator", "ListBad", &[("SafeListIterator", Some(12))]),
    ("safe-list-iterator", "ListOk", &[]),
    ("safe-map-iterator", "MapBad", &[("SafeMapIterator", Some(12))]),
    ("safe-map-iterator", "MapOk", &[]),
    ("has-next-called", "HasNextBad", &[("HasNextCalled", Some(17))]),
    ("has-next-called", "HasNextOk", &[]),
    ("has-next-true", "HasNextBad", &[("HasNextTrue", Some(12)), ("HasNextTrue", Some(17))]),
    ("has-next-true", "HasNextOk", &[]),
    ("streams-closed", "StreamsBad", &[("StreamsClosed", Some(15)), ("StreamsClosed", Some(19))]),
    ("streams-closed", "StreamsOk", &[]),
    ("locks", "LocksBad", &[("LocksReleased", Some(9))]),
    ("locks", "LocksOk", &[]),
    (
        "jdbc",
        "JdbcBad",
        &[
            ("ResultsBeforeClose", Some(15)),
            ("StatementsBeforeClose", Some(18)),
            ("ConnectionsClosed", Some(19)),
        ],
    ),
    ("jdbc", "JdbcOk", &[]),
];

#[test]
fn examples_find_what_they_are_for() {
    let dir = Dir::new();
    let programs = root().join("examples/java/programs");
    let files: Vec<PathBuf> =
        std::fs::read_dir(&programs).unwrap().map(|entry| entry.unwrap().path()).collect();
    compile(&files, dir.path());
    for jdk in jdks() {
        for (property, program, expected) in EXAMPLES {
            let file = root().join(format!("examples/java/{property}.ww"));
            let flags = ["-p", file.to_str().unwrap(), "--report", "out.json"];
            let ran = java(jdk, &dir, &flags, &["-cp", ".", program]).expect(0);
            let report = report(&dir, "out.json");
            let mut found: Vec<(String, Option<u64>)> = report["violations"]
                .as_array()
                .unwrap()
                .iter()
                .map(|v| {
                    let line = v["location"]["line"].as_u64();
                    (v["property"].as_str().unwrap().to_string(), line)
                })
                .collect();
            let mut expected: Vec<(String, Option<u64>)> =
                expected.iter().map(|(name, line)| (name.to_string(), *line)).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{program} on {}:\n{}", jdk.display(), ran.stderr);
            for property in report["properties"].as_array().unwrap() {
                assert!(property["sites"].as_u64() > Some(0), "{program}: {}", ran.stderr);
            }
        }
    }
}
