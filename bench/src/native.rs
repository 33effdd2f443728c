//! What an event of a native program costs, beside a debugger with a script.
//!
//! Costs per event are slopes: the time of a run with many events less that of a run with few,
//! divided by the difference, so that starting up and reading debug information do not count.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use watchword_debug::{Launch, Reason, Tracer, When};
use watchword_model::Model;
use watchword_native::{Program, Settings, Why};
use watchword_spec::SourceFile;

const ROUNDS: usize = 7;

const SOURCE: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
volatile long counter;
char *big;
__attribute__((noinline)) int event(int n) { __asm__ volatile(""); return n; }
static void *idle(void *arg) { for (;;) pause(); return arg; }
int main(int argc, char **argv) {
    long n = atol(argv[2]);
    if (argv[1][0] == 'c') for (long i = 0; i < n; i++) event((int)i);
    if (argv[1][0] == 'w') for (long i = 0; i < n; i++) counter = i;
    if (argv[1][0] == 'm') {
        big = malloc((size_t)n << 20);
        memset(big, 1, (size_t)n << 20);
        for (int i = 1; i < atoi(argv[3]); i++) { pthread_t t; pthread_create(&t, NULL, idle, NULL); }
        usleep(100000);
        event(0);
        for (size_t i = 0; i < (size_t)n << 20; i += 4096 * 16) big[i]++;
        event(1);
    }
    _exit(0);
}
"#;

/// Prints the table.
pub fn all(scratch: &Path) {
    println!("\n## Native programs\n");
    let Some(program) = compile(scratch) else {
        println!("gcc is not installed; nothing was measured.");
        return;
    };
    let gdb = Command::new("gdb").arg("--version").stdout(Stdio::null()).status().is_ok();
    println!("| | Watchword | GDB with Python | ratio |\n|---|---:|---:|---:|");
    let before = "event e(n: int) = native before call event with n = arg 0";
    let both = "event a(n: int) = native before call event with n = arg 0\n\
                event e(n: int) = native after call event with n = ret";
    let write = "event e(n: int) = native write counter with n = value";
    let row = |name: &str, ours: f64, theirs: Option<f64>| match theirs {
        Some(theirs) => {
            println!("| {name} | {ours:.1} µs | {theirs:.1} µs | {:.3} |", ours / theirs.max(1e-9))
        }
        None => println!("| {name} | {ours:.1} µs | – | – |"),
    };
    let ours = |text: &str, mode: &str, few: u64, many: u64| {
        let model = model(text);
        median(|| slope(few, many, |n| monitored(&program, &[mode, &n.to_string()], &model)))
    };
    let theirs = |script: &str, mode: &str, few: u64, many: u64| {
        gdb.then(|| {
            let path = scratch.join("script.py");
            std::fs::write(&path, script).expect("a scratch file");
            median(|| slope(few, many, |n| under_gdb(&program, &path, &[mode, &n.to_string()])))
        })
    };
    row("call, one argument", ours(before, "c", 1000, 6000), theirs(CALLS, "c", 50, 350));
    let short = ours(both, "c", 500, 1500);
    let long = ours(both, "c", 4000, 8000);
    row("before and after a call", short, theirs(FINISHES, "c", 100, 400));
    println!(
        "| … the same after 4 000 calls | {long:.1} µs | | {:.2} of the first |",
        long / short
    );
    row("watched write", ours(write, "w", 1000, 4000), theirs(WATCHES, "w", 50, 350));
    for (name, threads) in [("100 MB, 1 thread", "1"), ("100 MB, 5 threads", "5")] {
        let (save, back) = checkpoint(&program, threads);
        // GDB forks a copy and cannot do that for a program with threads.
        let theirs = (gdb && threads == "1").then(|| gdb_checkpoint(&program, scratch));
        row(&format!("checkpoint and restore, {name}"), save + back, theirs.flatten());
    }
}

fn compile(scratch: &Path) -> Option<PathBuf> {
    let (source, program) = (scratch.join("native.c"), scratch.join("native"));
    std::fs::write(&source, SOURCE).ok()?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "-pthread"]).arg(&source).arg("-o").arg(&program);
    gcc.status().ok().filter(|s| s.success()).map(|_| program)
}

fn model(events: &str) -> Arc<Model> {
    let also = if events.contains("event a(") { "also a" } else { "" };
    let text = format!(
        "{events}\nproperty P {{ {also}\n start state S {{ on e(_) if n < 0 -> Bad }} bad state Bad }}"
    );
    let loaded =
        watchword_spec::load(&[SourceFile::new("bench.ww", &text)], &|_, _| Err("none".into()));
    Arc::new(loaded.model.expect("the property is well-formed"))
}

fn median(mut measure: impl FnMut() -> f64) -> f64 {
    let mut all: Vec<f64> = (0..ROUNDS).map(|_| measure()).collect();
    all.sort_by(f64::total_cmp);
    all[ROUNDS / 2]
}

/// Microseconds per event.
fn slope(few: u64, many: u64, mut run: impl FnMut(u64) -> Duration) -> f64 {
    let (short, long) = (run(few), run(many));
    (long.as_secs_f64() - short.as_secs_f64()) * 1e6 / (many - few) as f64
}

fn monitored(program: &Path, args: &[&str], model: &Arc<Model>) -> Duration {
    let start = Instant::now();
    let settings = Settings { history: 0, ..Settings::default() };
    let mut program = Program::launch(Launch::new(program).args(args), settings).expect("it runs");
    program.load("bench.ww", model.clone()).expect("it is watched");
    program.resume_all().expect("it goes on");
    loop {
        let stop = program.wait().expect("it is traced");
        if matches!(stop.why, Why::Exited(_)) {
            return start.elapsed();
        }
        program.resume(stop.thread).expect("it goes on");
    }
}

fn under_gdb(program: &Path, script: &Path, args: &[&str]) -> Duration {
    let start = Instant::now();
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-x"]).arg(script).arg("-ex").arg("run").arg("--args");
    gdb.arg(program).args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    gdb.status().expect("gdb runs");
    start.elapsed()
}

const CALLS: &str = "
import gdb
class Event(gdb.Breakpoint):
    def stop(self):
        self.last = int(gdb.selected_frame().read_var('n'))
        return False
Event('event')
";

const FINISHES: &str = "
import gdb
class After(gdb.FinishBreakpoint):
    def stop(self):
        return False
class Event(gdb.Breakpoint):
    def stop(self):
        After(gdb.newest_frame(), internal=True)
        return False
Event('event')
";

const WATCHES: &str = "
import gdb
class Write(gdb.Breakpoint):
    def stop(self):
        self.last = int(gdb.parse_and_eval('counter'))
        return False
Write('counter', gdb.BP_WATCHPOINT, gdb.WP_WRITE)
";

/// Microseconds for a checkpoint of 100 MB, and for going back after every sixteenth page was
/// written.
fn checkpoint(program: &Path, threads: &str) -> (f64, f64) {
    let mut saves = Vec::new();
    let back = median(|| {
        let mut tracer = Tracer::new();
        let launch = Launch::new(program).args(["m", "100", threads]);
        let process = tracer.launch(launch).expect("it runs");
        let info = watchword_debug::info::DebugInfo::open(program).expect("it has symbols");
        let entry = info.functions_named("event")[0].instances[0].entry;
        let maps = tracer.mappings(process).expect("it has mappings");
        let own = maps.iter().find(|m| m.name == program.to_string_lossy()).expect("its own");
        let address = entry.wrapping_add(info.bias(own.start));
        tracer
            .arm(process, address, When::Before, watchword_debug::Owner::Person)
            .expect("it can be stopped");
        tracer.resume_all().expect("it goes on");
        let until_event = |tracer: &mut Tracer| loop {
            let stop = tracer.wait().expect("it is traced");
            if matches!(stop.reason, Reason::Points { .. }) {
                return;
            }
            tracer.resume(stop.thread).expect("it goes on");
        };
        until_event(&mut tracer);
        let start = Instant::now();
        let id = tracer.checkpoint(process).expect("a checkpoint");
        saves.push(start.elapsed().as_secs_f64() * 1e6);
        tracer.resume_all().expect("it goes on");
        until_event(&mut tracer);
        let start = Instant::now();
        tracer.restore(id).expect("it goes back");
        start.elapsed().as_secs_f64() * 1e6
    });
    saves.sort_by(f64::total_cmp);
    (saves[saves.len() / 2], back)
}

/// The same with GDB, for a program without threads.
fn gdb_checkpoint(program: &Path, scratch: &Path) -> Option<f64> {
    let (script, result) = (scratch.join("checkpoint.py"), scratch.join("checkpoint.txt"));
    let text = format!(
        "import gdb, time
gdb.execute('break event')
gdb.execute('run')
start = time.perf_counter()
gdb.execute('checkpoint')
saved = time.perf_counter() - start
gdb.execute('continue')
start = time.perf_counter()
gdb.execute('restart 1')
saved += time.perf_counter() - start
open({:?}, 'w').write(str(saved * 1e6))
gdb.execute('kill inferiors 1')
",
        result.display().to_string()
    );
    std::fs::write(&script, text).ok()?;
    let mut all: Vec<f64> = Vec::new();
    for _ in 0..ROUNDS {
        let _ = std::fs::remove_file(&result);
        let mut gdb = Command::new("gdb");
        gdb.args(["-nx", "-batch", "-x"]).arg(&script).arg("--args").arg(program);
        gdb.args(["m", "100", "1"]).stdin(Stdio::null()).stdout(Stdio::null());
        gdb.stderr(Stdio::null()).status().ok()?;
        all.push(std::fs::read_to_string(&result).ok()?.trim().parse().ok()?);
    }
    all.sort_by(f64::total_cmp);
    Some(all[all.len() / 2])
}
