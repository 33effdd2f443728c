//! The table of what POSIX promises: every function that is covered has a program that misuses it, and the
//! property of its row finds that.

use std::collections::BTreeSet;
use std::path::PathBuf;

use watchword_cli::clauses::{self, Api, Verdict, alternatives};

use crate::java::report;
use crate::native::{compile, run};
use crate::support::{Dir, root};

/// The status of the programs when they do not know a function, see `clause.h`.
const UNKNOWN: i32 = 9;

fn folder() -> PathBuf {
    root().join("properties/posix/clauses")
}

/// Whether the property, and nothing else, is what a program violates that calls this function in a wrong state.
fn is_found(dir: &Dir, property: &str, program: &str, function: &str) -> Result<(), String> {
    let flags = ["-q", "--backend", "inject", "-p", property, "--report", "found.json", "--"];
    let program = format!("./{program}");
    // What is undefined may crash, and what waits for ever is ended by a signal.
    let ran = run(dir, &[&["run"], &flags[..], &[&program, function]].concat());
    if ran.status == UNKNOWN {
        return Err(format!("{program} does not know {function}"));
    }
    let found = report(dir, "found.json");
    let violations = found["violations"].as_array().unwrap();
    match violations.is_empty() {
        true => Err(format!("{property} does not find {function}: {}", ran.stderr)),
        false => Ok(()),
    }
}

#[test]
fn every_covered_function_has_a_program_that_misuses_it() {
    let dir = Dir::new();
    let mut built = BTreeSet::new();
    let (mut count, mut wrong) = (0, Vec::new());
    for row in clauses::all(Api::Posix) {
        let Verdict::Covered(by) = row.verdict() else { continue };
        for property in by {
            let program = property.strip_prefix("std/").unwrap();
            if built.insert(program) {
                let source = folder().join(format!("{program}.c"));
                let source = source.to_str().unwrap();
                if !compile(&dir, "gcc", &["-O1", "-w", "-pthread", "-o", program, source]) {
                    // Needs a compiler; `compile` says so, and fails under CI.
                    return;
                }
            }
            for function in alternatives(row.methods) {
                count += 1;
                wrong.extend(is_found(&dir, property, program, &function).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 138, "{count} functions are covered");
}
