//! Verde's properties on the command line.

use crate::support::{Dir, root};

fn example(name: &str) -> String {
    root().join("examples/verde").join(name).to_string_lossy().into_owned()
}

#[test]
fn the_papers_queue() {
    let dir = Dir::new();
    let (property, functions) = (example("queue.prop"), example("functions.py"));
    dir.run(&["lint", "--strict", "--functions", &functions, &property]).expect(0);
    // Without its functions an action is warned about.
    let ran = dir.run(&["lint", &property]).expect(0);
    assert!(ran.stdout.contains("WW0935"), "{}", ran.stdout);
    assert!(dir.run(&["explain", "WW0935"]).expect(0).stdout.contains("sink_reached"));
    assert!(dir.run(&["graph", &property]).expect(0).stdout.contains("queue_push"));
    let trace = example("queue.jsonl");
    let args = ["replay", "-p", &property, "--functions", &functions, "--format", "json", &trace];
    let report = dir.run(&args).expect(1).json();
    let states: Vec<&str> = report["violations"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|v| v["state"].as_str())
        .collect();
    assert_eq!(states, ["sink", "sink"]);
    let printed: Vec<&str> =
        report["printed"].as_array().unwrap().iter().filter_map(|p| p.as_str()).collect();
    assert!(printed.contains(&"3 made 4096 overflow!"), "{printed:?}");
    assert_eq!(printed.iter().filter(|p| **p == "this queue is beyond repair").count(), 2);
}

#[test]
fn the_other_examples() {
    let dir = Dir::new();
    let property = example("files.prop");
    dir.run(&["lint", "--strict", &property]).expect(0);
    let trace = example("files.jsonl");
    let ran = dir.run(&["replay", "-p", &property, "--format", "json", &trace]).expect(1);
    assert_eq!(ran.json()["violations"].as_array().map(Vec::len), Some(2));
    dir.run(&["lint", "--strict", &example("pointer.prop")]).expect(0);
}

#[test]
fn bad_files_of_functions() {
    let dir = Dir::new();
    dir.write("p.prop", "state init transition: event e() { return f() } success init\n");
    dir.write("f.py", "import os\ndef f():\n  return True\n");
    dir.write("p.ww", "property P { start state A { on e() -> B } bad state B }\nevent e()\n");
    let ran = dir.run(&["lint", "--functions", "f.py", "p.prop"]).expect(2);
    assert!(ran.stdout.contains("f.py:1:1") && ran.stdout.contains("WW0932"), "{}", ran.stdout);
    let ran = dir.run(&["lint", "--functions", "missing.py", "p.prop"]).expect(2);
    assert!(ran.stderr.contains("missing.py"), "{}", ran.stderr);
    let ran = dir.run(&["lint", "--functions", "f.py", "p.ww"]).expect(2);
    assert!(ran.stderr.contains("--functions"), "{}", ran.stderr);
}
