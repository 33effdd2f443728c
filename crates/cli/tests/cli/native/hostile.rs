//! Programs that are stripped, broken, static, killed or not programs at all: a clear message, no
//! process left behind, and the program's own output and status wherever it can run.

use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{alone, assert_parts, compile, example, left_behind, run, run_with};
use crate::support::{Dir, Ran, binary};

/// Something of everything: tail calls, `longjmp`, signals, threads that end, `vfork` and `exec`.
const ODD: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int step(int n) { __asm__ volatile("" : "+r"(n)); return n + 1; }
__attribute__((noinline)) int tail(int n) { return step(n * 2); }
static jmp_buf out;
__attribute__((noinline)) void leap(int n) { if (step(n) > 3) longjmp(out, n); leap(n + 1); }
static volatile int caught;
static void on_signal(int s) { caught += step(s) - s; }
static void *body(void *arg) { for (int i = 0; i < 50; i++) step(i); return arg; }
int main(int argc, char **argv) {
    int sum = tail(1);
    if (setjmp(out) == 0) leap(0); else sum += 10;
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 20; i++) raise(SIGUSR1);
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, body, NULL);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    fflush(stdout);
    pid_t child = vfork();
    if (child == 0) { execlp("echo", "echo", "from", "a", "child", NULL); _exit(9); }
    int status;
    waitpid(child, &status, 0);
    child = fork();
    if (child == 0) _exit(step(6));
    int other;
    waitpid(child, &other, 0);
    printf("%d %d %d %d\n", sum, caught, WEXITSTATUS(status), WEXITSTATUS(other));
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "exec")) execlp("sh", "sh", "-c", "echo now a shell; exit 5", NULL);
    if (argc > 1 && !strcmp(argv[1], "crash")) *(volatile int *)8 = 1;
    return 3;
}
"#;

const STEPS: &str = "event in(n: int) = native before call step with n = arg 0\n\
    event out(r: int) = native after call step with r = ret\n\
    property P { also out\n start state S { on in(-1) -> B } bad state B }\n";

/// Output and status of an unmonitored run.
fn plain(dir: &Dir, command: &[&str]) -> (String, i32) {
    use std::os::unix::process::ExitStatusExt;
    let mut plain = Command::new(command[0]);
    let output = plain.args(&command[1..]).current_dir(dir.path()).stdin(Stdio::null()).output();
    let output = output.unwrap();
    let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap());
    (String::from_utf8_lossy(&output.stdout).into_owned(), code)
}

/// A monitored run, which must look like an unmonitored one.
#[track_caller]
fn same(dir: &Dir, property: &str, command: &[&str]) -> Ran {
    let expected = plain(dir, command);
    let ran = run(dir, &[&["run", "-v", "-p", property, "--"], command].concat());
    assert_eq!((ran.stdout.clone(), ran.status), expected, "{command:?}\n{}", ran.stderr);
    ran
}

#[test]
fn odd_programs_of_every_kind_behave_as_always() {
    let dir = Dir::new();
    dir.write("odd.c", ODD).write("steps.ww", STEPS);
    let kinds: [(&str, &[&str]); 6] = [
        ("plain", &["-O0"]),
        ("optimised", &["-O2"]),
        ("static", &["-O1", "-static"]),
        ("static-pie", &["-O1", "-static-pie"]),
        ("fixed", &["-O1", "-no-pie"]),
        ("nodebug", &["-O1", "-g0"]),
    ];
    for (name, flags) in kinds {
        let args = [&["-g", "-w", "-pthread"], flags, &["odd.c", "-o", name]].concat();
        if !compile(&dir, "gcc", &args) {
            return;
        }
        let command = format!("./{name}");
        for args in [&[command.as_str()][..], &[&command, "exec"], &[&command, "crash"]] {
            let ran = same(&dir, "steps.ww", args);
            // A tail call, 4 before the leap, 20 in handlers, 4 times 50 in threads, entered and
            // left. The child's one is its own.
            assert_parts(&ran.stderr, &["armed `in` at step", "P: 2 sites, 450 events"]);
        }
    }
}

#[test]
fn cplusplus_and_rust_programs() {
    let dir = Dir::new();
    dir.write(
        "throws.cc",
        "#include <cstdio>\n#include <stdexcept>\n\
         struct Q { int n = 0; __attribute__((noinline)) int push(int v) {\n\
           if (v == 3) throw std::runtime_error(\"three\");\n return n += v; } };\n\
         int main() { Q q; for (int i = 1; i < 6; i++)\n\
           try { std::printf(\"%d\\n\", q.push(i)); } catch (std::exception &e) { std::puts(e.what()); } }\n",
    );
    dir.write(
        "push.ww",
        "event in(v: int) = native before call \"*Q::push\" with v = v\n\
         event out(r: int) = native after call \"*Q::push\" with r = ret\n\
         property P { also out\n start state S { on in(4) -> B } bad state B }\n",
    );
    for compiler in ["g++", "clang++"] {
        if !compile(&dir, compiler, &["-g", "-O1", "throws.cc", "-o", "throws"]) {
            continue;
        }
        // Entries up to the fourth, after which they matter no more, and four returns: an
        // exception is none.
        let ran = same(&dir, "push.ww", &["./throws"]);
        assert_parts(&ran.stderr, &["P: 2 sites, 8 events", "1 violation", "Q::push"]);
    }
    dir.write(
        "oxide.rs",
        "struct Q { n: i32 }\nimpl Q { #[inline(never)] fn push(&mut self, v: i32) -> i32 {\n\
           if v == 3 { panic!(\"three\") } self.n += v; self.n } }\n\
         fn main() { let t: Vec<_> = (0..3).map(|k| std::thread::spawn(move || {\n\
             let mut q = Q { n: k }; (1..6).map(|i| q.push(i * 10)).sum::<i32>() })).collect();\n\
           for t in t { println!(\"{}\", t.join().unwrap()); }\n\
           std::panic::set_hook(Box::new(|_| {}));\n\
           let failed = std::panic::catch_unwind(|| Q { n: 0 }.push(3)).is_err();\n\
           println!(\"{failed}\"); std::process::exit(4) }\n",
    );
    if compile(&dir, "rustc", &["-g", "-Copt-level=1", "oxide.rs"]) {
        let ran = same(&dir, "push.ww", &["./oxide"]);
        assert_parts(&ran.stderr, &["P: 2 sites, 31 events", "Q::push"]);
    }
}

#[test]
fn what_is_missing_in_a_program_is_said() {
    let Some(dir) = example("queue", &["-O1"]) else { return };
    let strip = |flag: &str, out: &str| {
        let ran =
            Command::new("objcopy").args([flag, "queue", out]).current_dir(dir.path()).status();
        assert!(ran.unwrap().success());
    };
    strip("--strip-all", "stripped");
    let ran = same(&dir, "queue.ww", &["./stripped", "1", "1"]);
    assert_parts(&ran.stderr, &["no function named `queue_push`", "compile it with -g"]);
    // Names without debug information do for calls.
    strip("--strip-debug", "names");
    let ran = same(&dir, "queue.ww", &["./names", "1", "1"]);
    assert_parts(&ran.stderr, &["armed `push` at queue_push", "NoOverflow: 3 sites, 101 events"]);
    // Debug information that is rubbish, in every section, at several places.
    let good = std::fs::read(dir.path().join("queue")).unwrap();
    let text = Command::new("objdump").args(["-h", "queue"]).current_dir(dir.path()).output();
    let text = String::from_utf8(text.unwrap().stdout).unwrap();
    let number = |w: &str| usize::from_str_radix(w, 16).unwrap();
    let mut broken = 0;
    for line in text.lines().filter(|l| l.contains(" .debug_")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (size, at) = (number(words[2]), number(words[5]));
        for (part, rubbish) in [(0, 0xffu8), (size / 3, 0x91), (size / 2, 0x00)] {
            let mut bytes = good.clone();
            bytes[at + part..at + size.min(part + 64)].fill(rubbish);
            dir.write("broken", bytes);
            let path = dir.path().join("broken");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
            let ran = same(&dir, "queue.ww", &["./broken", "1", "1"]);
            assert!(!ran.stderr.contains("panicked"), "{}: {}", words[1], ran.stderr);
            broken += 1;
        }
    }
    assert!(broken > 10);
}

#[test]
fn what_is_no_program_is_refused() {
    let Some(dir) = example("queue", &["-O1"]) else { return };
    let executable = |name: &str, bytes: &[u8]| {
        dir.write(name, bytes);
        let path = dir.path().join(name);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    };
    let good = std::fs::read(dir.path().join("queue")).unwrap();
    executable("text", b"no program\n");
    executable("empty", b"");
    executable("short", &good[..70]);
    executable("no-interpreter", b"#!/no/such/interpreter\n");
    dir.write("data", "not executable\n");
    for name in ["text", "empty", "short", "no-interpreter", "data", ".", "nothing"] {
        let path = format!("./{name}");
        for command in ["run", "debug"] {
            let ran = run(&dir, &[command, "-p", "queue.ww", "--", &path]).expect(2);
            assert_parts(&ran.stderr, &[&format!("cannot run {path}")]);
            assert_eq!(ran.stdout, "");
        }
    }
    // A script is its interpreter; a shared library is no program of its own.
    executable("script", b"#!/bin/sh\necho from a script; exit 4\n");
    same(&dir, "queue.ww", &["./script"]);
    let ran = run(&dir, &["run", "--", "./queue"]);
    assert_eq!(ran.status, 2);
    let ran = run(&dir, &["run", "-p", "nothing.ww", "--", "./queue"]).expect(2);
    assert_parts(&ran.stderr, &["nothing.ww"]);
    dir.write("broken.scn", "on entering stat x do stop\n");
    dir.write("wrong.scn", "on entering state Nowhere do stop\n");
    for command in ["run", "debug"] {
        for (file, part) in [
            ("nothing.scn", "nothing.scn"),
            ("broken.scn", "broken.scn:1:"),
            ("wrong.scn", "WW0951"),
        ] {
            let args = [command, "-p", "queue.ww", "-s", file, "--", "./queue"];
            let ran = run(&dir, &args).expect(2);
            assert_parts(&ran.stderr, &[part]);
            assert_eq!(ran.stdout, "");
        }
    }
}

/// Where programs that run in the background have their temporary files.
const TEMPORARY: &str = "temporary";

/// Starts watchword on a program that never ends by itself, and gives it time to begin.
fn endless(dir: &Dir, args: &[&str]) -> std::process::Child {
    let temporary = dir.path().join(TEMPORARY);
    std::fs::create_dir_all(&temporary).unwrap();
    // Tests that run in the background ignore Ctrl-C, and what they start would do so, too.
    let child = Command::new("env")
        .args(["--default-signal=HUP,INT,QUIT,TERM", binary()])
        .args(args)
        .current_dir(dir.path())
        .env("TMPDIR", &temporary)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(120);
    while left_behind(dir).is_empty() || !dir.path().join("ready").exists() {
        assert!(Instant::now() < end, "the program did not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn kill(signal: &str, pid: u32) {
    let ran = Command::new("kill").args([signal, &pid.to_string()]).status().unwrap();
    assert!(ran.success());
}

#[test]
fn signals_to_the_tracer_and_the_program() {
    signals_with("memory");
}

#[test]
fn signals_amid_checkpoints_on_disk() {
    let dir = Dir::new();
    if super::criu::works(&dir, "true") {
        signals_with("criu");
    }
}

/// Signals while checkpoints are made, in memory or with criu.
fn signals_with(checkpoint: &str) {
    let dir = Dir::new();
    dir.write(
        "forever.c",
        "#include <stdio.h>\n__attribute__((noinline)) void tick(void) { __asm__ volatile(\"\"); }\n\
         int main(void) { fclose(fopen(\"ready\", \"w\")); for (;;) tick(); }\n",
    );
    dir.write(
        "tick.ww",
        "event tick() = native before call tick\n\
         property P { start state S { on tick() -> S } bad state B }\n\
         property Ended() { start state Ticking { on tick() -> Ticking\n\
         on end -> Over } bad state Over }\n",
    );
    // Most of the time a checkpoint is being made.
    dir.write(
        "save.scn",
        "on entering state S do\n  c := checkpoint\n  command \"delete-checkpoint \" + c\n",
    );
    if !compile(&dir, "gcc", &["-g", "forever.c", "-o", "forever"]) {
        return;
    }
    let _lock = alone();
    let plain = ["run", "-p", "tick.ww", "--", "./forever"];
    let with = ["--checkpoint", checkpoint];
    let saving =
        [&["run", "-p", "tick.ww", "-s", "save.scn"], &with[..], &["--", "./forever"]].concat();
    // Most of the time a command is being carried out.
    let rounds = "continue\nrestart 1\n".repeat(99_999);
    let commands = format!("break tick\nrun\ncheckpoint\n{rounds}");
    dir.write("many.txt", &commands);
    let script =
        [&["debug", "--batch", "-x", "many.txt"], &with[..], &["--", "./forever"]].concat();
    let batch = ["debug", "--batch", "-p", "tick.ww", "-s", "save.scn"];
    let batch = [&batch, &with[..], &["--", "./forever"]].concat();
    let gone = |dir: &Dir| {
        let end = Instant::now() + Duration::from_secs(120);
        let images = || std::fs::read_dir(dir.path().join(TEMPORARY)).unwrap().count();
        while !left_behind(dir).is_empty() || images() != 0 {
            assert!(
                Instant::now() < end,
                "left behind: {:?} and {} folders",
                left_behind(dir),
                images()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    for args in [&plain[..], &saving, &batch, &script] {
        // Ctrl-C and a request to end are for the program; the tracer tells what came of it.
        for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
            if args[0] == "debug" && signal == "-TERM" {
                // That ends the tracer, and everything with it.
                let _ = std::fs::remove_file(dir.path().join("ready"));
                let mut child = endless(&dir, args);
                kill(signal, child.id());
                child.wait().unwrap();
                gone(&dir);
                continue;
            }
            let _ = std::fs::remove_file(dir.path().join("ready"));
            let child = endless(&dir, args);
            kill(signal, child.id());
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(status), "{args:?} {signal}");
            // To monitors that is the end of the run.
            let told = String::from_utf8_lossy(&output.stderr);
            let ended = told.contains("violation: Ended") || !args.contains(&"-p");
            assert!(ended, "{args:?} {signal}: {told}");
            gone(&dir);
        }
        // A tracer that is killed, amid checkpoints, takes everything along.
        let _ = std::fs::remove_file(dir.path().join("ready"));
        let mut child = endless(&dir, args);
        kill("-KILL", child.id());
        child.wait().unwrap();
        gone(&dir);
        if args.contains(&"-x") {
            continue;
        }
        // So does a program that is killed amid checkpoints, and that is told.
        let _ = std::fs::remove_file(dir.path().join("ready"));
        let child = endless(&dir, args);
        let found =
            Command::new("pgrep").args(["-o", "-P", &child.id().to_string()]).output().unwrap();
        let pids = String::from_utf8(found.stdout).unwrap();
        let first = pids.split_whitespace().next().unwrap().parse().unwrap();
        kill("-KILL", first);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(137), "{args:?}");
        gone(&dir);
    }
}

#[test]
fn a_joined_program_runs_on() {
    let dir = Dir::new();
    dir.write(
        "forever.c",
        "#include <stdio.h>\n#include <unistd.h>\n\
         __attribute__((noinline)) void tick(void) { __asm__ volatile(\"\"); }\n\
         int main(void) { fclose(fopen(\"ready\", \"w\")); for (int i = 0; i < 6000; i++) tick(), usleep(10000); }\n",
    );
    if !compile(&dir, "gcc", &["-g", "forever.c", "-o", "forever"]) {
        return;
    }
    let _lock = alone();
    let mut program =
        Command::new(dir.path().join("forever")).current_dir(dir.path()).spawn().unwrap();
    while !dir.path().join("ready").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = program.id().to_string();
    dir.write("input", "break tick\ncontinue\nbt\ncheckpoint\ncontinue\nrestart 1\nquit\n");
    let output = Command::new("timeout")
        .args(["300", binary(), "debug", "--attach", &pid])
        .current_dir(dir.path())
        .stdin(std::fs::File::open(dir.path().join("input")).unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_parts(&said, &["Breakpoint 1", "#1  main", "Back at checkpoint 1"]);
    // It lives, untraced, without breakpoints; the images are gone.
    assert!(program.try_wait().unwrap().is_none());
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    assert_parts(&status, &["TracerPid:\t0"]);
    assert_eq!(left_behind(&dir).len(), 1);
    std::thread::sleep(Duration::from_millis(50));
    assert!(program.try_wait().unwrap().is_none());
    program.kill().unwrap();
    program.wait().unwrap();
}

/// A program that runs on by itself, with what can be done to it.
struct Joined {
    dir: Dir,
    program: Child,
}

const TICKING: &str = r#"
#include <stdio.h>
#include <unistd.h>
char big[64];
volatile int stay = 1;
__attribute__((noinline)) int tick(int i) { __asm__ volatile(""); return i; }
__attribute__((noinline)) int forever(void) { while (stay) usleep(1000); return 0; }
int main(int argc, char **argv) {
    fclose(fopen("ready", "w"));
    for (int i = 0; i < 60000; i++) { big[5] = tick(i); usleep(1000); }
    return argc > 1 ? forever() : 0;
}
"#;

const TICKS: &str = "event in(i: int) = native before call tick with i = arg 0\n\
    event out(i: int) = native after call tick with i = ret\n\
    event store() = native write big\n\
    property P() { also in, out, store\n var n: int = 0\n start state S { on any { n += 1 } } }\n";

impl Joined {
    fn start() -> Option<Joined> {
        let dir = Dir::new();
        dir.write("ticking.c", TICKING);
        dir.write("ticks.ww", TICKS);
        if !compile(&dir, "gcc", &["-g", "-O1", "ticking.c", "-o", "ticking"]) {
            return None;
        }
        let mut command = Command::new(dir.path().join("ticking"));
        let program = command.current_dir(dir.path()).spawn().unwrap();
        while !dir.path().join("ready").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(Joined { dir, program })
    }

    fn debug(&self, args: &[&str]) -> Child {
        // Whoever runs the tests may ignore this signal.
        Command::new("env")
            .arg("--default-signal=HUP")
            .arg(binary())
            .args(["debug", "--attach", &self.program.id().to_string(), "-p", "ticks.ww"])
            .args(args)
            .current_dir(self.dir.path())
            .stdin(Stdio::piped())
            .stderr(std::fs::File::create(self.dir.path().join("said")).unwrap())
            .spawn()
            .unwrap()
    }

    /// Waits until the debugger has said this.
    fn until(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(120);
        while !self.dir.read("said").contains(text) {
            assert!(Instant::now() < end, "{text:?} was not said: {}", self.dir.read("said"));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// It lives, untraced, and meets nothing that was left in it.
    #[track_caller]
    fn assert_runs_on(&mut self) {
        let status = format!("/proc/{}/status", self.program.id());
        assert_parts(&std::fs::read_to_string(status).unwrap(), &["TracerPid:\t0"]);
        std::thread::sleep(Duration::from_millis(200));
        let said = self.dir.read("said");
        assert_eq!(self.program.try_wait().unwrap(), None, "{said}");
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn a_joined_program_runs_on_when_the_debugger_is_asked_to_end() {
    let _lock = alone();
    let Some(mut joined) = Joined::start() else { return };
    joined.dir.write("go.cmds", "tbreak tick\ncontinue\necho gone\ncontinue\n");
    joined.dir.write("call.cmds", "tbreak tick\ncontinue\ncall forever()\n");
    joined.dir.write("stop.cmds", "tbreak tick\ncontinue\n");
    let batch = |script| ["--batch", "-x", script].to_vec();
    let cases = [
        ("-TERM", 143, batch("go.cmds")),
        ("-HUP", 129, batch("go.cmds")),
        ("-INT", 130, batch("go.cmds")),
        ("-TERM", 143, batch("stop.cmds")),
        ("-TERM", 143, batch("call.cmds")),
        // It waits for a line.
        ("-TERM", 143, ["-x", "stop.cmds"].to_vec()),
        ("-HUP", 129, ["-x", "stop.cmds"].to_vec()),
    ];
    for (signal, status, args) in cases {
        let mut debugger = joined.debug(&args);
        joined.until("Breakpoint 1, ");
        std::thread::sleep(Duration::from_millis(100));
        kill(signal, debugger.id());
        let ended = debugger.wait().unwrap().code();
        assert_eq!(ended, Some(status), "{signal} {args:?}: {}", joined.dir.read("said"));
        joined.assert_runs_on();
    }
    // It may not even have joined yet.
    for ms in (0..100).step_by(25) {
        let mut debugger = joined.debug(&batch("go.cmds"));
        std::thread::sleep(Duration::from_millis(ms));
        kill("-TERM", debugger.id());
        debugger.wait().unwrap();
        joined.assert_runs_on();
    }
}

#[test]
fn a_joined_program_runs_on_after_a_call_of_its_function() {
    let _lock = alone();
    let Some(mut joined) = Joined::start() else { return };
    joined.dir.write("call.cmds", "tbreak tick\ncontinue\ncall tick(77)\ncall tick(78)\ndetach\n");
    let mut debugger = joined.debug(&["--batch", "-x", "call.cmds"]);
    assert_eq!(debugger.wait().unwrap().code(), Some(0), "{}", joined.dir.read("said"));
    assert_parts(&joined.dir.read("said"), &["$1 = 77", "$2 = 78", "goes on by itself"]);
    joined.assert_runs_on();
}

#[test]
fn a_scenario_decides_while_nobody_is_there() {
    let Some(dir) = example("trail", &["-O0"]) else { return };
    let ran = run(&dir, &["run", "-p", "trail.ww", "-s", "trail.scn", "--", "./trail"]).expect(139);
    assert_parts(
        &ran.stderr,
        &["current is ada", "current is null now", "#0  forget_user at trail.c:"],
    );
    dir.write("quit.scn", "on entering any state do quit\n");
    let ran = run(&dir, &["run", "-p", "trail.ww", "-s", "quit.scn", "--", "./trail"]).expect(137);
    assert_parts(&ran.stderr, &["The scenario ended the program."]);
    // A function that returns nothing can be called, and its result kept.
    dir.write(
        "call.scn",
        "on entering any state do\n  call \"log_in(current)\"\n  \
         r := call \"log_in(current)\"\n  print \"gave\", r\n",
    );
    let ran = run(&dir, &["run", "-p", "trail.ww", "-s", "call.scn", "--", "./trail"]).expect(139);
    assert_parts(&ran.stderr, &["gave null"]);
    let _lock = alone();
    let ran = run_with(
        &dir,
        &["debug", "-p", "trail.ww", "--", "./trail"],
        "run\nload-scenario nothing\n",
    );
    assert_parts(&ran.expect(0).stderr, &["nothing"]);
}
