//! The tests of the runtime find mistakes: each of these, put into its sources, is found.

use std::fs;
use std::path::Path;
use std::process::Command;

use watchword_weave::runtime;

use crate::homes::{in_sequence, interleaved};
use crate::jdk::{Jdk, jdks};

/// A mistake: the class it is in, what is written there, and what is written instead.
struct Mutant {
    class: &'static str,
    right: &'static str,
    wrong: &'static str,
    /// Only threads notice.
    threads: bool,
}

const MUTANTS: [Mutant; 7] = [
    // A mask that is too narrow.
    Mutant {
        class: "Tables",
        right: "return (int) (next >>> (code << 2)) & 15;",
        wrong: "return (int) (next >>> (code << 2)) & 3;",
        threads: false,
    },
    // A root that is not told that somebody has looked.
    Mutant { class: "Cell", right: "link.epoch.looked = true;", wrong: "", threads: false },
    // A cell that is made and not published.
    Mutant {
        class: "Cell",
        right: "if (object.$watchword$swap(cell, fresh)) {",
        wrong: "if (cell == null || object.$watchword$swap(cell, fresh)) {",
        threads: false,
    },
    // An atomic step that is not tried again.
    Mutant {
        class: "Cell",
        right: "if (moveFrom(shift, next, code, tag)) {",
        wrong: "if (moveFrom(shift, next, code, tag) || code >= 0) {",
        threads: true,
    },
    // A cell that is published though the object has got another one.
    Mutant {
        class: "Cell",
        right: "if (object.$watchword$swap(cell, fresh)) {",
        wrong: "object.$watchword$setCell(fresh); if (fresh != null) {",
        threads: true,
    },
    // A step without its lock.
    Mutant {
        class: "Cell",
        right: "final synchronized int step(",
        wrong: "final int step(",
        threads: true,
    },
    // Epochs that links know already are made anew.
    Mutant {
        class: "Cell",
        right: "if (epoch == null) {",
        wrong: "if (chain >= 0) {",
        threads: true,
    },
];

/// The classes of the runtime with a mistake.
fn mutated(jdk: &Jdk, number: usize, mutant: &Mutant) -> Vec<runtime::Class> {
    let folder =
        std::env::temp_dir().join(format!("watchword-mutant-{number}-{}", std::process::id()));
    let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("../weave/java");
    let sources = folder.join("base/java/util");
    fs::create_dir_all(&sources).unwrap();
    let mut files = Vec::new();
    for (name, _) in runtime::BASE {
        let file = sources.join(format!("{}.java", name.trim_start_matches("java/util/")));
        let mut text = fs::read_to_string(java.join(format!("base/{name}.java"))).unwrap();
        if name == format!("java/util/Watchword{}", mutant.class) {
            assert_eq!(text.matches(mutant.right).count(), 1, "{}", mutant.right);
            text = text.replace(mutant.right, mutant.wrong);
        }
        fs::write(&file, text).unwrap();
        files.push(file);
    }
    let out = folder.join("classes");
    let mut javac = Command::new(jdk.tool("javac"));
    javac.args(["--release", "11", "-g:none", "-proc:none", "-implicit:none"]);
    let (base, stubs) = (folder.join("base"), java.join("stubs"));
    javac.arg(format!("--patch-module=java.base={}:{}", base.display(), stubs.display()));
    let done = javac.arg("-d").arg(&out).args(files).output().expect("javac starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let classes = runtime::BASE.map(|(name, _)| {
        let bytes: &'static [u8] = fs::read(out.join(format!("{name}.class"))).unwrap().leak();
        (name, bytes)
    });
    let _ = fs::remove_dir_all(&folder);
    classes.to_vec()
}

#[test]
fn mistakes_in_the_runtime_are_found() {
    for jdk in jdks().iter().take(1) {
        let missed = MUTANTS.iter().enumerate().filter(|(number, mutant)| {
            let (name, classes) = (format!("mutant{number}"), mutated(jdk, *number, mutant));
            let found = match mutant.threads {
                true => interleaved(jdk, &name, &classes, 3000),
                false => in_sequence(jdk, &name, &classes, 1500),
            };
            found.is_ok()
        });
        let missed: Vec<&str> = missed.map(|(_, mutant)| mutant.wrong).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }
}
