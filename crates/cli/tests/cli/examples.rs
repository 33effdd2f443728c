//! The examples people start from.

use std::path::PathBuf;

use crate::support::{Dir, root};

fn traces() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("examples/traces")).unwrap();
    let mut all: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
fn every_example_finds_what_its_name_says() {
    let dir = Dir::new();
    let mut seen = 0;
    for trace in traces() {
        let name = trace.file_name().unwrap().to_str().unwrap().to_string();
        let mut parts = name.split('.');
        let (property, kind) = (parts.next().unwrap(), parts.next().unwrap());
        let file = root().join(format!("examples/properties/{property}.ww"));
        let want = match kind {
            "bad" => 1,
            "ok" => 0,
            _ => panic!("{name}: neither bad nor ok"),
        };
        for property in [file.to_str().unwrap(), &format!("std/{property}")] {
            for engine in ["engine", "reference"] {
                let args = ["replay", "--engine", engine, "-p", property, trace.to_str().unwrap()];
                let ran = dir.run(&args).expect(want);
                assert_eq!(ran.stderr, "", "{name}: nothing to warn about");
            }
        }
        seen += 1;
    }
    assert!(seen >= 12);
}

#[test]
fn every_property_is_formatted_shipped_and_free_of_warnings() {
    let dir = Dir::new();
    let entries = std::fs::read_dir(root().join("examples/properties")).unwrap();
    let listed = dir.run(&["list", "--format", "json"]).expect(0).json().to_string();
    for entry in entries {
        let path = entry.unwrap().path();
        let file = path.to_str().unwrap();
        dir.run(&["lint", "--strict", file]).expect(0);
        dir.run(&["fmt", "--check", file]).expect(0);
        let name = format!("std/{}", path.file_stem().unwrap().to_str().unwrap());
        assert!(listed.contains(&format!("{name:?}")), "{name} is not shipped");
        dir.run(&["lint", "--strict", &name]).expect(0);
        dir.run(&["graph", &name]).expect(0);
        let shown = dir.run(&["list", "--show", &name]).expect(0).stdout;
        assert_eq!(shown, std::fs::read_to_string(&path).unwrap());
    }
    dir.run(&["lint", "std/all"]).expect(0);
}

#[test]
fn the_demo_shows_every_violation_where_it_lands() {
    let dir = Dir::new();
    let ran = dir.run(&["demo"]).expect(0);
    assert_eq!(ran.stderr, "");
    let logs = ran.stdout.split("\na Java program").next().unwrap();
    assert_eq!(logs.matches("violation: ").count(), 5, "{}", ran.stdout);
    for (tool, found) in
        [("javac", "violation: SafeListIterator: "), ("cc", "violation: NoOverflow: ")]
    {
        let left_out = ran.stdout.contains(&format!("{tool} is not installed"))
            || tool == "javac" && ran.stdout.contains("contains no JVM agent");
        assert!(left_out || ran.stdout.contains(found), "{}", ran.stdout);
        assert!(!left_out || std::env::var("CI").as_deref() != Ok("true"), "CI needs {tool}");
    }
    let login = ran.stdout.find("ada read /srv/payroll.db").unwrap();
    let report = ran.stdout.find("violation: Login").unwrap();
    let summary = ran.stdout.find("Login: 4 events").unwrap();
    assert!(login < report && report < summary);
    assert!(dir.names().is_empty(), "nothing is written");
}
