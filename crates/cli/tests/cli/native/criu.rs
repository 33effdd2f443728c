//! Checkpoints on disk, as people ask for them. Where no criu works, what they are told.

use std::process::Command;
use std::time::{Duration, Instant};

use super::{alone, assert_parts, compile, example, left_behind, write_marks};
use crate::support::{Dir, Ran, binary};

/// Runs watchword with a folder of its own for temporary files, which is empty in the end.
fn run(dir: &Dir, args: &[&str], criu: Option<&str>) -> Ran {
    let _lock = alone();
    let folder = dir.path().join("temporary");
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new("timeout");
    command.args(["300", binary()]).args(args).current_dir(dir.path());
    command.env("TMPDIR", &folder).stdin(std::process::Stdio::null());
    if let Some(criu) = criu {
        command.env("WATCHWORD_CRIU", criu);
    }
    let output = command.output().unwrap();
    assert_eq!(left_behind(dir), Vec::<String>::new(), "{args:?}");
    let end = Instant::now() + Duration::from_secs(20);
    while std::fs::read_dir(&folder).unwrap().count() != 0 {
        assert!(Instant::now() < end, "{args:?}: images are left behind");
        std::thread::sleep(Duration::from_millis(5));
    }
    Ran {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Whether checkpoints on disk work here, as `doctor` says. Where they do not, they are refused
/// before the program starts, with the reason.
pub(super) fn works(dir: &Dir, program: &str) -> bool {
    let told = dir.run(&["doctor", "--format", "json"]).expect(0).json();
    let checks = told["checks"].as_array().unwrap();
    let row = checks.iter().find(|c| c["name"] == "criu").unwrap();
    let found = row["found"].as_str().unwrap();
    if row["status"] == "ok" {
        assert!(found.contains("passes its check"), "{row}");
        return true;
    }
    assert!(row["fix"].as_str().is_some_and(|fix| fix.contains("WATCHWORD_CRIU")), "{row}");
    let ran = run(dir, &["debug", "--checkpoint", "criu", "--batch", "--", program], None);
    let ran = ran.expect(2);
    assert_parts(&ran.stderr, &["no checkpoints with criu", found]);
    assert_eq!(ran.stdout, "");
    println!("only the refusal was tested: {found}");
    false
}

/// Counts, in as many threads, and writes to a file of its own.
fn counter(dir: &Dir) -> bool {
    dir.write(
        "count.c",
        "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\nlong sums[64];\n\
         __attribute__((noinline)) void tick(int n) { printf(\"tick %d\\n\", n); fflush(stdout); }\n\
         void *work(void *a) { for (int i = 0; i < 40000000; i++) *(long *)a += i % 7; return 0; }\n\
         int main(int c, char **v) {\n\
         int threads = c > 1 ? atoi(v[1]) : 0;\n  pthread_t t[64];\n\
         FILE *log = fopen(\"log.txt\", \"w\");\n\
         for (int i = 0; i < threads; i++) pthread_create(&t[i], 0, work, &sums[i]);\n\
         for (int i = 0; i < 8; i++) { tick(i); fprintf(log, \"%d\\n\", i); fflush(log); }\n\
         for (int i = 0; i < threads; i++) { pthread_join(t[i], 0); printf(\"%ld\\n\", sums[i]); }\n\
         return 7;\n}\n",
    );
    compile(dir, "gcc", &["-g", "-O1", "-pthread", "count.c", "-o", "count"])
}

#[test]
fn without_criu_nothing_starts() {
    let dir = Dir::new();
    if !counter(&dir) {
        return;
    }
    dir.write("tick.ww", "event tick() = native before call tick\nproperty P { start state S }\n");
    dir.write("s.scn", "on entering state S do\n  checkpoint\n");
    let debug = ["debug", "--checkpoint", "criu", "--batch", "--", "./count"];
    let scenario = ["run", "-p", "tick.ww", "-s", "s.scn", "--checkpoint", "criu", "--", "./count"];
    for args in [&debug[..], &scenario] {
        let ran = run(&dir, args, Some("/nonexistent/criu")).expect(2);
        let parts = ["no checkpoints with criu: cannot run /nonexistent/criu", "scripts/criu.sh"];
        assert_parts(&ran.stderr, &parts);
        let ran = run(&dir, args, Some("/bin/true")).expect(2);
        assert_parts(&ran.stderr, &["/bin/true is not criu"]);
        assert!(!dir.path().join("log.txt").exists(), "the program was started");
    }
    works(&dir, "./count");
    assert!(!dir.path().join("log.txt").exists(), "the program was started");
}

#[test]
fn what_needs_no_checkpoints_on_disk_is_told() {
    let dir = Dir::new();
    if !counter(&dir) || !works(&dir, "./count") {
        return;
    }
    dir.write("tick.ww", "event tick() = native before call tick\nproperty P { start state S }\n");
    let ran = run(&dir, &["run", "-p", "tick.ww", "--checkpoint", "criu", "--", "./count"], None);
    assert_parts(&ran.expect(2).stderr, &["only a scenario makes checkpoints"]);
    let own = std::process::id().to_string();
    let ran = run(&dir, &["debug", "--checkpoint", "criu", "--attach", &own], None);
    assert_parts(&ran.expect(2).stderr, &["possible only for programs started by Watchword"]);
}

#[test]
fn a_counter_goes_back_three_times_and_forth() {
    for threads in ["0", "5"] {
        let dir = Dir::new();
        if !counter(&dir) || !works(&dir, "./count") {
            return;
        }
        let plain = Command::new("./count").arg(threads).current_dir(dir.path()).output().unwrap();
        dir.write(
            "commands.txt",
            "break tick if n == 2\nrun\ncheckpoint\ntbreak tick if n == 5\ncontinue\n\
             checkpoint later\ninfo checkpoints\nrestart 1\nprint n\nrestart 2\nprint n\n\
             restart 1\nprint n\nreverse-continue\nprint n\nrestart 1\nprint n\ndelete 1\n",
        );
        let args = ["debug", "--batch", "-x", "commands.txt", "--checkpoint"];
        let program = ["--", "./count", threads];
        let on_disk = run(&dir, &[&args[..], &["criu"], &program].concat(), None).expect(7);
        let in_memory = run(&dir, &[&args[..], &["memory"], &program].concat(), None).expect(7);
        // What was printed stays printed; from the checkpoint on it is printed again.
        let text = String::from_utf8_lossy(&plain.stdout);
        let cut = |n: usize| text.find(&format!("tick {n}\n")).unwrap();
        let expected = format!("{}{}", &text[..cut(5)], &text[cut(2)..]);
        assert_eq!(on_disk.stdout, expected);
        assert_eq!(in_memory.stdout, expected);
        let values = |told: &str| {
            let lines = told.lines().filter(|l| l.starts_with('$'));
            lines.map(str::to_string).collect::<Vec<_>>()
        };
        assert_eq!(values(&on_disk.stderr), ["$1 = 2", "$2 = 5", "$3 = 2", "$4 = 5", "$5 = 2"]);
        assert_eq!(values(&in_memory.stderr), values(&on_disk.stderr));
        assert_parts(
            &on_disk.stderr,
            &[
                " on disk in ",
                "/temporary/watchword-criu-",
                "/1, by criu",
                "“later”",
                "log.txt was written since the checkpoint and stays as it is",
            ],
        );
        assert_parts(&in_memory.stderr, &["in memory"]);
        // It is written from where it was at the checkpoint.
        assert_eq!(dir.read("log.txt"), "0\n1\n2\n3\n4\n5\n6\n7\n");
    }
}

#[test]
fn scenarios_find_the_same_on_disk() {
    let Some(dir) = example("queue", &["-O1"]) else { return };
    if !works(&dir, "./queue") {
        return;
    }
    write_marks(&dir, 3);
    dir.write(
        "mark.scn",
        "runs := 0\nmarks := 0\non entering state Fine do\n  marks := marks + 1\n\
         \x20 if marks = 4 then checkpoint\n  if marks = 15 then checkpoint\n\
         on entering state Many do\n  runs := runs + 1\n  if runs < 5 then restore\n  continue\n",
    );
    if !compile(&dir, "gcc", &["-g", "-O1", "mark.c", "-o", "mark"]) {
        return;
    }
    let flags = ["-p", "mark.ww", "-s", "mark.scn", "--", "./mark"];
    for command in [&["run"][..], &["debug", "--batch"]] {
        let on_disk =
            run(&dir, &[command, &["--checkpoint", "criu"], &flags].concat(), None).expect(3);
        let in_memory = run(&dir, &[command, &flags].concat(), None).expect(3);
        assert_eq!(on_disk.stderr, in_memory.stderr);
        assert_parts(&on_disk.stderr, &["violations (4 in runs that were undone)"]);
    }
}

#[test]
fn the_terminal_stays_the_programs() {
    let dir = Dir::new();
    if !counter(&dir) || !works(&dir, "./count") {
        return;
    }
    dir.write("commands.txt", "break tick if n == 6\nrun\ncheckpoint\nrestart 1\nrestart 1\n");
    let command =
        format!("{} debug --batch --checkpoint criu -x commands.txt -- ./count", binary());
    let args = ["-qec", &command, "/dev/null"];
    // `script` gives it a terminal.
    let _lock = alone();
    let output = Command::new("script")
        .args(args)
        .current_dir(dir.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(7), "{told}");
    assert_parts(&told, &["Back at checkpoint 1", "tick 6\r\n", "tick 7\r\n", "with status 7"]);
    assert_eq!(left_behind(&dir), Vec::<String>::new());
}
