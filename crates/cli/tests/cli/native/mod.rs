//! `watchword run` and `watchword debug`, as people run them.

mod clauses;
mod criu;
mod hostile;
mod prompt;
mod shown;

use std::path::Path;
use std::process::Command;

use watchword_testing::alone;

use crate::support::{Dir, Ran};

/// Compiles a program in a directory. False (and the name of what is missing printed) where there
/// is no compiler.
pub fn compile(dir: &Dir, compiler: &str, args: &[&str]) -> bool {
    match Command::new(compiler).args(args).current_dir(dir.path()).output() {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            assert!(std::env::var_os("CI").is_none_or(|v| v != "true"), "{compiler} is needed");
            println!("skipped: {compiler} is not installed");
            false
        }
        output => {
            let output = output.unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{compiler} {args:?}: {said}");
            true
        }
    }
}

/// A directory with an example, compiled; `None` where that is not possible.
fn example(name: &str, flags: &[&str]) -> Option<Dir> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/native");
    let dir = Dir::new();
    for extension in ["c", "ww", "scn"] {
        let file = format!("{name}.{extension}");
        if let Ok(text) = std::fs::read(examples.join(&file)) {
            dir.write(&file, text);
        }
    }
    let source = format!("{name}.c");
    let args = [&["-g", "-pthread"], flags, &[&source, "-o", name]].concat();
    compile(&dir, "gcc", &args).then_some(dir)
}

pub fn run(dir: &Dir, args: &[&str]) -> Ran {
    let _lock = alone();
    run_with(dir, args, "")
}

/// Runs watchword, not for ever, with these lines on its standard input. No process of a
/// program in the directory is left behind.
fn run_with(dir: &Dir, args: &[&str], input: &str) -> Ran {
    dir.write("input", input);
    let output = Command::new("timeout")
        .args(["300", env!("CARGO_BIN_EXE_watchword")])
        .args(args)
        .current_dir(dir.path())
        .stdin(std::fs::File::open(dir.path().join("input")).unwrap())
        .output()
        .unwrap();
    assert_eq!(left_behind(dir), Vec::<String>::new(), "{args:?}\n{input}");
    Ran {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Processes that run a program of the directory.
fn left_behind(dir: &Dir) -> Vec<String> {
    let folder = dir.path().canonicalize().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let programs = processes.filter_map(|p| std::fs::read_link(p.path().join("exe")).ok());
    programs.filter(|p| p.starts_with(&folder)).map(|p| p.display().to_string()).collect()
}

/// Fails unless all parts are there.
#[track_caller]
fn assert_parts(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn programs_get_json_where_people_get_text() {
    let Some(dir) = example("queue", &["-O1"]) else { return };
    let args = ["run", "--format", "json", "-p", "queue.ww", "--", "./queue", "5", "20", "3"];
    let ran = run(&dir, &args);
    let told: serde_json::Value = serde_json::from_str(&ran.stderr)
        .unwrap_or_else(|e| panic!("not JSON ({e}): {}", ran.stderr));
    assert_eq!(told["watchword"], 1);
    assert!(told["violations"].as_array().is_some_and(|v| !v.is_empty()), "{told}");
    // As many instances, whichever events are armed.
    assert_eq!(told["properties"][0]["instances"], 1);
    let ran = run(&dir, &[&args[..3], &["--arm-everything"], &args[3..]].concat());
    let all: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(all["properties"][0]["instances"], 1, "{all}");
}

#[test]
fn a_violation_is_told_and_the_program_is_left_alone() {
    let Some(dir) = example("queue", &["-O1"]) else { return };
    let ran = run(
        &dir,
        &[
            "run",
            "-v",
            "-p",
            "queue.ww",
            "--collect-trace",
            "t.jsonl",
            "--",
            "./queue",
            "2",
            "2",
            "1",
        ],
    );
    let ran = ran.expect(0);
    assert_eq!(ran.stdout, "2 producers, 2 consumers, all done\n");
    for part in [
        "armed `push` at queue_push",
        "violation: NoOverflow: a push of 150",
        "--> queue.c:",
        "with q = 0x",
        "#0  queue_push at queue.c:",
        "#1  produce at queue.c:",
        "NoOverflow: 3 sites, ",
        ", 1 instance, 1 violation",
    ] {
        assert!(ran.stderr.contains(part), "{part} is missing in\n{}", ran.stderr);
    }
    let again = dir.run(&[
        "replay",
        "-p",
        "queue.ww",
        "--engine",
        "reference",
        "--format",
        "json",
        "t.jsonl",
    ]);
    let json = again.expect(1).json();
    assert_eq!(json["properties"][0]["violations"], 1);
    let message = json["violations"][0]["message"].as_str().unwrap();
    assert!(ran.stderr.contains(message));
}

#[test]
fn a_collected_trace_says_when_the_program_ended() {
    let dir = Dir::new();
    dir.write(
        "reply.ww",
        "event asked = native before call ask\nevent answered = native before call answer\n\
         property Reply() { start state Idle { on asked -> Open }\n\
         state Open within 10 ms else Late { on answered -> Idle } bad state Late }",
    );
    dir.write(
        "reply.c",
        "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
         __attribute__((noinline)) void ask(void) { __asm__ volatile(\"\"); }\n\
         __attribute__((noinline, used)) void answer(void) { __asm__ volatile(\"\"); }\n\
         int main(int n, char **words) {\n\
         ask(); usleep(50000); if (n == 3) exit(0);\n\
         if (n == 2) raise(SIGKILL); return 0; }\n",
    );
    if !compile(&dir, "gcc", &["-g", "-O1", "reply.c", "-o", "reply"]) {
        return;
    }
    for (words, status) in [(&[][..], 0), (&["x"], 128 + 9), (&["x"; 2], 0)] {
        let args = ["run", "-p", "reply.ww", "--collect-trace", "t.jsonl", "--", "./reply"];
        let ran = run(&dir, &[&args[..], words].concat()).expect(status);
        assert!(ran.stderr.contains(", 1 violation"), "{}", ran.stderr);
        let again = dir.run(&["replay", "-p", "reply.ww", "--format", "json", "t.jsonl"]).expect(1);
        assert_eq!(again.json()["properties"][0]["violations"], 1, "{words:?}");
    }
}

#[test]
fn the_status_is_the_programs_own() {
    let Some(dir) = example("queue", &["-O1"]) else { return };
    let with = |args: &[&str]| {
        let mut all = vec!["run", "-p", "queue.ww"];
        all.extend(args);
        run(&dir, &all)
    };
    with(&["--error-exitcode", "99", "--", "./queue", "2", "2", "1"]).expect(99);
    with(&["--error-exitcode", "99", "--", "./queue", "2", "2"]).expect(0);
    with(&["--", "sh", "-c", "exit 7"]).expect(7);
    with(&["--", "sh", "-c", "kill -TERM $$"]).expect(128 + 15);
    let ran = with(&["--", "./no-such-program"]).expect(2);
    assert!(ran.stderr.contains("cannot run ./no-such-program"), "{}", ran.stderr);
    let ran = with(&["--", "sh", "-c", "exit 0"]).expect(0);
    assert!(ran.stderr.contains("no function named `queue_push`"), "{}", ran.stderr);
    // A run that has checked nothing is no success.
    assert!(ran.stderr.contains("nothing was checked"), "{}", ran.stderr);
    let ran = with(&["--error-exitcode", "99", "--", "sh", "-c", "exit 0"]).expect(99);
    assert!(ran.stderr.contains("nothing was checked"), "{}", ran.stderr);
    // What a program becomes counts.
    let ran = with(&["--error-exitcode", "99", "--", "sh", "-c", "exec ./queue 2 2"]).expect(0);
    assert!(!ran.stderr.contains("nothing was checked"), "{}", ran.stderr);
    compile(&dir, "strip", &["queue", "-o", "stripped"]);
    with(&["--error-exitcode", "99", "--", "./stripped", "2", "2"]).expect(99);
    dir.write("none.ww", "event e()\nproperty P { start state S { on e() -> B } bad state B }");
    let ran = run(&dir, &["run", "-p", "none.ww", "--", "./queue"]).expect(2);
    assert!(ran.stderr.contains("has a `native` source"), "{}", ran.stderr);
}

#[test]
fn children_are_watched_if_asked_for() {
    let dir = Dir::new();
    dir.write(
        "twice.ww",
        "event take(k: int) = native before call take with k = k\n\
         property Once(k: int) { start state S { on take(k) -> T } state T { on take(k) -> B } bad state B }",
    );
    dir.write(
        "twice.c",
        "#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
         __attribute__((noinline)) void take(int k) { __asm__ volatile(\"\" : : \"r\"(k)); }\n\
         int main(int n, char **words) {\n\
         if (n > 1) { take(1); take(atoi(words[1])); return 0; }\n\
         take(1);\n\
         for (int i = 0; i < 3; i++) if (!fork()) { take(i); _exit(0); }\n\
         while (wait(NULL) > 0) {}\n\
         return system(\"./twice 1; ./twice 2\"); }\n",
    );
    if !compile(&dir, "gcc", &["-g", "-O1", "twice.c", "-o", "twice"]) {
        return;
    }
    let with =
        |args: &[&str]| run(&dir, &[&["run", "-p", "twice.ww"], args, &["--", "./twice"]].concat());
    let ran = with(&["--error-exitcode", "9"]).expect(0);
    assert!(ran.stderr.contains("4 child processes were not monitored"), "{}", ran.stderr);
    // The child that takes 1 again, and the program that does so by itself.
    let ran = with(&["--error-exitcode", "9", "--follow-children"]).expect(9);
    assert!(ran.stderr.contains("2 violations"), "{}", ran.stderr);
    assert!(ran.stderr.contains("in child process"), "{}", ran.stderr);
    assert!(ran.stderr.contains("child processes watched, too"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("not monitored"), "{}", ran.stderr);
    with(&["--follow-children", "--collect-trace", "t.jsonl"]).expect(2);
}

#[test]
fn a_session_without_a_person() {
    let Some(dir) = example("queue", &["-O0"]) else { return };
    dir.write(
        "commands.txt",
        "# A comment\n\
         break queue_push if item == 1\n\
         run\n\
         bt\n\
         print *q\n\
         print/x q->capacity\n\
         print item + 1\n\
         up\n\
         info locals\n\
         down\n\
         finish\n\
         delete\n\
         checkpoint one\n\
         continue\n\
         slices\n\
         monitors\n\
         graph\n\
         set state NoOverflow 2 Open\n\
         set slice-variable NoOverflow 2 room = 1000\n\
         info checkpoints\n\
         restart 1\n\
         violations\n\
         x/2xw shared\n\
         list queue_new\n\
         info threads\n\
         info breakpoints\n\
         kill\n",
    );
    let ran = run(
        &dir,
        &[
            "debug",
            "--batch",
            "-x",
            "commands.txt",
            "-p",
            "queue.ww",
            "--",
            "./queue",
            "1",
            "2",
            "0",
        ],
    );
    for part in [
        "Breakpoint 1, ",
        "queue_push (q=0x",
        "capacity = 4",
        "$2 = 0x4",
        "$3 = 2",
        "me = 0",
        "Checkpoint 1 at ",
        "violation: NoOverflow: a push of 50",
        "Overflow",
        "room = 4, held = 4",
        "→ New",
        "q = 0x",
        "● 1 slice",
        "Back at checkpoint 1",
        "(before checkpoint 1 was restored)",
        "queue_t *queue_new(int capacity) {",
        "No breakpoints or watchpoints.",
        "The program was ended.",
    ] {
        assert!(ran.stderr.contains(part), "{part} is missing in\n{}", ran.stderr);
    }
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_scenario_without_a_person() {
    let Some(dir) = example("trail", &["-O0"]) else { return };
    let ran =
        run(&dir, &["debug", "--batch", "-p", "trail.ww", "-s", "trail.scn", "--", "./trail"]);
    let ran = ran.expect(128 + 11);
    assert_eq!(ran.stdout, "");
    for part in [
        "current is ada",
        "current is bob",
        "current is null now",
        "#0  forget_user at trail.c:",
        "SIGSEGV",
        // In the end, what came of the properties.
        "1: trail.ww\n",
    ] {
        assert!(ran.stderr.contains(part), "{part} is missing in\n{}", ran.stderr);
    }
}

#[test]
fn run_and_debug_count_alike() {
    let dir = Dir::new();
    dir.write(
        "mark.c",
        "__attribute__((noinline)) void mark(int n) { __asm__ volatile(\"\" :: \"r\"(n)); }\n\
         int main(void) { for (int i = 1; i <= 3; i++) mark(i); return 0; }\n",
    );
    dir.write(
        "mark.ww",
        "event mark(n: int) = native before call mark with n = arg 0\n\
         property Few(n) { start state New { on mark(n) if n < 3 -> Fine\n\
         on mark(n) if n >= 3 -> Many } state Fine bad state Many }\n",
    );
    dir.write(
        "mark.scn",
        "runs := 0\non entering state Fine do\n  if runs = 0 then checkpoint\n\
         on entering state Many do\n  runs := runs + 1\n  if runs < 3 then restore\n  continue\n",
    );
    if !compile(&dir, "gcc", &["-g", "-O1", "mark.c", "-o", "mark"]) {
        return;
    }
    let flags = ["-p", "mark.ww", "-s", "mark.scn", "--", "./mark"];
    for (command, instances) in
        [(&["run"][..], "3 instances"), (&["debug", "--batch"], "3 instances now")]
    {
        let ran = run(&dir, &[command, &flags].concat()).expect(0);
        let told = format!(
            "Few: 1 site, 3 events, {instances}, 3 violations (2 in runs that were undone)\n"
        );
        assert!(ran.stderr.contains(&told), "{told} is missing in\n{}", ran.stderr);
    }
}

/// A program that calls `mark` with 1 to 30, and a property that every tenth of them breaks.
fn write_marks(dir: &Dir, status: i32) {
    let program = format!(
        "__attribute__((noinline)) void mark(int n) {{ __asm__ volatile(\"\" :: \"r\"(n)); }}\n\
         int main(void) {{ for (int i = 1; i <= 30; i++) mark(i); return {status}; }}\n"
    );
    dir.write("mark.c", &program);
    dir.write(
        "mark.ww",
        "event mark(n: int) = native before call mark with n = arg 0\n\
         property Few(n) { start state New { on mark(n) if n % 10 != 0 -> Fine\n\
         on mark(n) if n % 10 == 0 -> Many } state Fine bad state Many }\n",
    );
}

#[test]
fn a_collected_trace_is_that_of_the_run_that_stands() {
    let dir = Dir::new();
    write_marks(&dir, 0);
    // To 20, back to 4, to 10, forth to 16 again, and to the end.
    dir.write(
        "back.scn",
        "tens := 0\nmarks := 0\non entering state Fine do\n  marks := marks + 1\n\
         \x20 if marks = 4 or marks = 15 then checkpoint\n\
         on entering state Many do\n  tens := tens + 1\n\
         \x20 if tens = 2 then restore 1\n  if tens = 3 then restore 2\n  continue\n",
    );
    dir.write(
        "quit.scn",
        "marks := 0\non entering state Fine do\n  marks := marks + 1\n  if marks = 5 then quit\n",
    );
    if !compile(&dir, "gcc", &["-g", "-O1", "mark.c", "-o", "mark"]) {
        return;
    }
    for (scenario, last, violations) in [("back.scn", 30, 3), ("quit.scn", 5, 0)] {
        let args = ["run", "-p", "mark.ww", "-s", scenario, "--collect-trace", "t.jsonl"];
        let ran = run(&dir, &[&args[..], &["--", "./mark"]].concat());
        let trace = dir.read("t.jsonl");
        let lines: Vec<serde_json::Value> =
            trace.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let (end, events) = lines.split_last().unwrap();
        let numbers = |f: &dyn Fn(&serde_json::Value) -> &serde_json::Value| {
            events.iter().map(|e| f(e).as_i64().unwrap()).collect::<Vec<_>>()
        };
        let expected: Vec<i64> = (1..=last).collect();
        assert_eq!(numbers(&|e| &e["args"]["n"]), expected, "{}", ran.stderr);
        assert_eq!(numbers(&|e| &e["seq"]), expected);
        // It says when the program ended.
        assert!(end["event"].is_null() && end["time"].is_number(), "{end}");
        let replayed = dir.run(&["replay", "-p", "mark.ww", "t.jsonl"]);
        let told = replayed.expect(i32::from(violations > 0)).stdout;
        let counted = format!("{last} events, {last} instances, {violations} violations");
        assert!(told.contains(&counted), "{counted} is missing in\n{told}");
    }
}

#[test]
fn mistakes_at_the_prompt_are_told_and_end_nothing() {
    let Some(dir) = example("queue", &["-O0"]) else { return };
    let _lock = alone();
    let input = "frobnicate\nbreak queue_psh\nbt\nprint nothing\nrun\nprint nothing\nquit\n";
    let ran = run_with(&dir, &["debug", "--", "./queue", "1", "1"], input).expect(0);
    for part in [
        "there is no command `frobnicate`",
        "is not there yet",
        "no variable named `nothing`",
        "The program has ended.",
        "the program is not being run",
    ] {
        assert!(ran.stderr.contains(part), "{part} is missing in\n{}", ran.stderr);
    }
    dir.write("bad.txt", "run\nfrobnicate\n");
    let ran = dir.run(&["debug", "--batch", "-x", "bad.txt", "--", "./queue", "1", "1"]).expect(2);
    assert!(ran.stderr.contains("bad.txt:2"), "{}", ran.stderr);
    let ran = dir.run(&["debug", "--functions", "none.py", "--", "./queue"]).expect(2);
    assert!(ran.stderr.contains("none.py"), "{}", ran.stderr);
    let ran = dir.run(&["debug", "--attach", "999999999"]).expect(2);
    assert!(ran.stderr.contains("cannot attach"), "{}", ran.stderr);
}

const QUEUES: &str = "\
event push(q: int) = native before call push with q = arg 0
channel ping(q)
channel pong(q)

property Queue(q) {
  start state Idle { on push(q) -> Once }
  state Once { on push(q) -> Twice }
  bad state Twice
}

property Circle(q) {
  start state Idle {
    on push(q) if q == 1 { send ping(q) }
    on ping(q) { send pong(q) }
    on pong(q) { send ping(q) }
  }
}

property Large(q) {
  also push if q > 7
  start state Idle { on push(q) -> Seen }
  good state Seen
}
";

const PUSHES: &str = "\
__attribute__((noinline, noclone)) void push(int q) { __asm__ volatile(\"\" : : \"r\"(q)); }
int main(void) { for (int q = 0; q < 10; q++) push(q); return 0; }
";

/// A program that pushes to ten queues, and the report of a run of it with these flags.
fn queues(flags: &[&str]) -> Option<(Ran, serde_json::Value)> {
    let dir = Dir::new();
    dir.write("queues.ww", QUEUES).write("queues.c", PUSHES);
    if !compile(&dir, "gcc", &["-g", "queues.c", "-o", "queues"]) {
        return None;
    }
    let fixed = ["run", "-p", "queues.ww", "--report", "out.json"];
    let args = [&fixed[..], flags, &["--", "./queues"]].concat();
    let ran = run(&dir, &args).expect(0);
    let report = serde_json::from_str(&dir.read("out.json")).unwrap();
    Some((ran, report))
}

#[test]
fn run_reports_discarded_instances() {
    let Some((ran, report)) = queues(&["--max-instances", "3"]) else { return };
    let said =
        "Queue: 7 instances were discarded (--max-instances or --max-memory), first at event 4";
    assert!(ran.stderr.contains(&format!("limit: {said}")), "{}", ran.stderr);
    assert!(report["limits"][0].as_str().unwrap().starts_with(said), "{report}");
    assert_eq!(report["properties"][0]["verdict"], "inconclusive");
    assert!(ran.stderr.contains("0 violations, inconclusive"), "{}", ran.stderr);
}

#[test]
fn run_reports_discarded_sends() {
    let Some((ran, report)) = queues(&[]) else { return };
    assert!(ran.stderr.contains("message was discarded"), "{}", ran.stderr);
    assert!(report["limits"][0].as_str().unwrap().contains("was discarded"), "{report}");
    assert_eq!(report["properties"][0]["verdict"], "not-violated");
    assert_eq!(report["properties"][1]["verdict"], "inconclusive");
}

#[test]
fn run_counts_only_the_events_that_filters_let_exist() {
    let Some((ran, report)) = queues(&[]) else { return };
    assert_eq!(report["properties"][2]["events"], 2);
    assert!(ran.stderr.contains("Large: 1 site, 2 events"), "{}", ran.stderr);
}

/// Without debug information nobody knows members, and the message says what to do.
#[test]
fn members_need_debug_information() {
    let dir = Dir::new();
    dir.write(
        "session.c",
        "#include <stdlib.h>\nstruct session { int id; };\n\
         __attribute__((noinline)) struct session *session_open(void) { return calloc(1, sizeof(struct session)); }\n\
         int main(void) { return session_open() == 0; }\n",
    );
    dir.write(
        "session.ww",
        "event opened(s, id: int) = native after call session_open with s = ret, id = ret.id\n\
         property Once(id) { start state A { on opened(_, id) -> B } state B { on opened(_, id) -> C } bad state C }",
    );
    if !compile(&dir, "gcc", &["session.c", "-o", "session"]) {
        // Needs a compiler; `compile` says so, and fails under CI.
        return;
    }
    let ran = run(&dir, &["run", "-p", "session.ww", "--", "./session"]).expect(0);
    assert!(ran.stderr.contains("no debug information says what this value is"), "{}", ran.stderr);
    assert!(ran.stderr.contains("compile with -g"), "{}", ran.stderr);
}
