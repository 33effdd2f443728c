//! `watchword run --view` and `--view-record`: native programs in a browser.

use std::io::Write;
use std::process::Stdio;

use super::compile;
use crate::pages::shown;
use crate::support::Dir;

const ONCE: &str = "event take(k: int) = native before call take with k = k\n\
    property Once(k: int) { start state Free { on take(k) -> Taken } \
    state Taken { on take(k) -> Twice \"{k} is taken twice\" } bad state Twice }";

/// Takes 1 and, when somebody has typed a line, 1 again.
const PROGRAM: &str = "#include <stdio.h>\n\
    __attribute__((noinline)) void take(int k) { __asm__ volatile(\"\" : : \"r\"(k)); }\n\
    int main(void) { take(1); getchar(); take(1); puts(\"done\"); return 3; }\n";

fn program() -> Option<Dir> {
    let dir = Dir::new();
    dir.write("once.ww", ONCE).write("once.c", PROGRAM);
    compile(&dir, "gcc", &["-g", "-O1", "once.c", "-o", "once"]).then_some(dir)
}

#[test]
fn a_program_is_shown_while_it_runs() {
    // Needs a compiler; `compile` says so where there is none, and fails under CI.
    let Some(dir) = program() else { return };
    let args = ["run", "--view", "-p", "once.ww", "--", "./once"];
    let (mut child, lines, mut page) = shown(&dir, &args, Stdio::piped());
    page.expect(&["\"controls\":false", "\"name\":\"Once\"", "\"event\":\"take(k = 1)\""]);
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    page.expect(&["\"message\":\"1 is taken twice\"", "\"over\":true"]);
    let said: Vec<String> = lines.map(Result::unwrap).collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{said:?}");
    assert_eq!(output.stdout, b"done\n");
    assert!(said.iter().any(|line| line.contains("1 is taken twice")), "{said:?}");
}

#[test]
fn a_run_is_kept_as_a_page() {
    // Needs a compiler; `compile` says so where there is none, and fails under CI.
    let Some(dir) = program() else { return };
    let args = ["run", "--view-record", "page.html", "-p", "once.ww", "--", "./once"];
    let ran = dir.run(&args).expect(3);
    assert!(ran.stderr.contains("1 is taken twice"), "{}", ran.stderr);
    let page = dir.read("page.html");
    for part in ["1 is taken twice", "take(k = 1)"] {
        assert!(page.contains(part), "no {part}");
    }
}
