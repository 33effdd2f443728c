//! What an event of a native program costs, beside a debugger with a script.
//!
//! Costs per event are slopes: the time of a run with many events less that of a run with few,
//! divided by the difference, so that starting up and reading debug information do not count.
//! Ours and theirs take turns; medians of seven are shown.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use watchword_debug::{Launch, Reason, Tracer, When};
use watchword_model::Model;
use watchword_native::{Program, Settings, Why};
use watchword_spec::SourceFile;

use crate::report::Report;

const ROUNDS: usize = 7;

const SOURCE: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
volatile long counter;
char *big;
__attribute__((noinline)) int event(int n) { __asm__ volatile(""); return n; }
static void *idle(void *arg) { for (;;) pause(); return arg; }
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
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
    /* n events with so many rounds of work between them; prints seconds. */
    if (argv[1][0] == 'g') {
        long work = atol(argv[3]);
        double start = now();
        for (long i = 0; i < n; i++) {
            event((int)i);
            for (long k = 0; k < work; k++) counter += k;
        }
        printf("%.9f\n", now() - start);
        fflush(stdout);
    }
    /* n frames at a rate, each of them due at its time; prints seconds. */
    if (argv[1][0] == 'f') {
        long rate = atol(argv[3]);
        struct timespec due;
        clock_gettime(CLOCK_MONOTONIC, &due);
        double start = now();
        for (long i = 0; i < n; i++) {
            event((int)i);
            due.tv_nsec += 1000000000 / rate;
            if (due.tv_nsec >= 1000000000) due.tv_sec++, due.tv_nsec -= 1000000000;
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        }
        printf("%.9f\n", now() - start);
        fflush(stdout);
    }
    _exit(0);
}
"#;

const BEFORE: &str = "event e(n: int) = native before call event with n = arg 0";
const BOTH: &str = "event a(n: int) = native before call event with n = arg 0\n\
                    event e(n: int) = native after call event with n = ret";
const WRITE: &str = "event e(n: int) = native write counter with n = value";

/// What is measured with.
struct Bench<'a> {
    program: PathBuf,
    scratch: &'a Path,
    gdb: bool,
}

/// Measures everything.
pub fn all(report: &mut Report, scratch: &Path) {
    let Some(program) = compile(scratch) else {
        report.line("\n## Native programs\n\ngcc is not installed; nothing was measured.");
        return;
    };
    let gdb = Command::new("gdb").arg("--version").stdout(Stdio::null()).status().is_ok();
    let bench = Bench { program, scratch, gdb };
    bench.costs(report);
    bench.checkpoints(report);
    bench.gaps(report);
    bench.frames(report);
}

/// Whether a goal is met, as a cell.
fn met(found: f64, most: f64) -> String {
    let word = if found <= most { "met" } else { "**missed**" };
    format!("≤ {most}: {word}")
}

fn micros(value: Option<f64>) -> String {
    value.map_or("–".into(), |v| format!("{v:.1} µs"))
}

impl Bench<'_> {
    fn costs(&self, report: &mut Report) {
        report.table(
            "Native programs: one event",
            &["", "Watchword", "GDB with Python", "ratio", "goal"],
        );
        let rows = [
            // As many as take longer than starting does, which varies; with GDB the cost of a call
            // and its return grows with their number.
            ("a call, with one argument", BEFORE, "c", (2000, 42_000), CALLS, (100, 4100), 0.1),
            ("before and after a call", BOTH, "c", (1000, 11_000), FINISHES, (100, 600), 0.1),
            ("a watched write", WRITE, "w", (2000, 32_000), WATCHES, (100, 8100), 0.4),
        ];
        for (name, text, mode, few_many, script, gdb_few_many, most) in rows {
            let model = model(text);
            let script = self.script("script.py", script);
            let mut ours =
                || slope(few_many, |n| monitored(&self.program, &[mode, &n.to_string()], &model).0);
            let mut theirs =
                || slope(gdb_few_many, |n| self.under_gdb(&script, &[mode, &n.to_string()]));
            let [ours, theirs] = self.turns(&mut ours, &mut theirs);
            let ratio = theirs.map(|t| ours.unwrap_or(f64::NAN) / t.max(1e-9));
            let (cell, goal) = match ratio {
                Some(ratio) => {
                    report.bar(&format!("{name} ÷ GDB with Python"), ratio, most, "");
                    (format!("{ratio:.3}"), met(ratio, most))
                }
                None => ("–".into(), format!("≤ {most}")),
            };
            report.row(&[name.into(), micros(ours), micros(theirs), cell, goal]);
        }
        // With GDB the cost of the last call grows with the number of calls before.
        let model = model(BOTH);
        let cost = |few, many| {
            slope((few, many), |n| monitored(&self.program, &["c", &n.to_string()], &model).0)
        };
        let growth = median(|| cost(6000, 12_000) / cost(500, 6500).max(1e-9));
        let name = "before and after: calls 6 000 to 12 000 ÷ the first 6 000";
        report.bar(name, growth, 1.5, "");
        let cells = [String::new(), String::new(), format!("{growth:.2}"), met(growth, 1.5)];
        report.row(&[vec![name.to_string()], cells.to_vec()].concat());
    }

    fn checkpoints(&self, report: &mut Report) {
        report.table(
            "Native programs: checkpoint of 100 MB and going back",
            &["", "Watchword", "GDB", "ratio", "goal"],
        );
        let mut ours = || checkpoint(&self.program, "1");
        let mut theirs = || self.gdb_checkpoint().unwrap_or(f64::NAN);
        let [ours, theirs] = self.turns(&mut ours, &mut theirs);
        let ours = ours.unwrap_or(f64::NAN);
        let ratio = theirs.filter(|t| t.is_finite()).map(|t| ours / t);
        let goal = ratio.map_or("≤ 0.2".into(), |r| met(r, 0.2));
        if let Some(ratio) = ratio {
            report.bar("checkpoint and back, 1 thread ÷ GDB", ratio, 0.2, "");
        }
        let cell = ratio.map_or("–".into(), |r| format!("{r:.3}"));
        report.row(&["1 thread".into(), micros(Some(ours)), micros(theirs), cell, goal]);
        // GDB forks a copy and cannot do that for a program with threads.
        let five = median(|| checkpoint(&self.program, "5"));
        report.bar("checkpoint and back, 5 threads", five / 1000.0, 20.0, " ms");
        let goal = format!("ms {}", met(five / 1000.0, 20.0));
        report.row(&["5 threads".into(), micros(Some(five)), "refuses".into(), "–".into(), goal]);
    }

    /// Figure 6 of the paper: how much longer a program takes, by the time between two events.
    fn gaps(&self, report: &mut Report) {
        report.table(
            "Native programs: time with a monitor ÷ time without, by the gap between two events",
            &["gap", "Watchword", "GDB with Python", "the paper's Verde", "goal"],
        );
        let model = model(BEFORE);
        let script = self.script("script.py", CALLS);
        // Rounds of work in a millisecond; the shortest time is the undisturbed one.
        let took = |work: u64| {
            let args = ["g", "1", &work.to_string()];
            (0..ROUNDS).map(|_| plain(&self.program, &args)).fold(f64::MAX, f64::min)
        };
        let work = 5_000_000;
        let per_ms = work as f64 / (took(work) * 1000.0).max(1e-9);
        for (gap, count, verde, most) in [
            (0.5, 800, "2", 2.0),
            (1.0, 400, "1.5", 1.5),
            (3.0, 140, "< 1.2", 1.2),
            (10.0, 40, "< 1.05", 1.05),
        ] {
            let work = ((gap * per_ms) as u64).to_string();
            let args = ["g", &count.to_string(), &work];
            let (mut alone, mut with, mut gdb) = (Vec::new(), Vec::new(), Vec::new());
            for round in 0..ROUNDS {
                alone.push(plain(&self.program, &args));
                with.push(monitored(&self.program, &args, &model).1);
                if self.gdb && round < 3 {
                    gdb.push(self.printed_under_gdb(&script, &args));
                }
            }
            let alone = middle(&mut alone);
            let ratio = middle(&mut with) / alone;
            report.bar(&format!("a gap of {gap} ms: with ÷ without"), ratio, most, "");
            let theirs = match gdb.is_empty() {
                true => "–".into(),
                false => format!("{:.2}", middle(&mut gdb) / alone),
            };
            let goal = met(ratio, most);
            report.row(&[format!("{gap} ms"), format!("{ratio:.3}"), theirs, verde.into(), goal]);
        }
    }

    /// A function that is called once per frame of a video or a game.
    fn frames(&self, report: &mut Report) {
        report.table(
            "Native programs: a function called once per frame",
            &["frames a second", "kept", "processor time of the tracer", "goal"],
        );
        let model = model(BEFORE);
        for rate in [24u32, 60] {
            let (mut kept, mut cpu) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                let args = ["f", &rate.to_string(), &rate.to_string()];
                let before = processor_time();
                let (_, seconds) = monitored(&self.program, &args, &model);
                cpu.push((processor_time() - before) / seconds * 100.0);
                kept.push(f64::from(rate) / seconds);
            }
            let (kept, cpu) = (middle(&mut kept), middle(&mut cpu));
            let slower = f64::from(rate) / kept;
            report.bar(&format!("{rate} frames a second: wanted ÷ kept"), slower, 1.01, "");
            report.bar(&format!("{rate} frames a second: the tracer"), cpu, 10.0, " %");
            let goal = format!("wanted ÷ kept {}; % {}", met(slower, 1.01), met(cpu, 10.0));
            report.row(&[rate.to_string(), format!("{kept:.2}"), format!("{cpu:.1} %"), goal]);
        }
    }

    /// Medians of ours and, if there is a GDB, theirs.
    fn turns(
        &self,
        ours: &mut dyn FnMut() -> f64,
        theirs: &mut dyn FnMut() -> f64,
    ) -> [Option<f64>; 2] {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            a.push(ours());
            if self.gdb {
                b.push(theirs());
            }
        }
        [Some(middle(&mut a)), (!b.is_empty()).then(|| middle(&mut b))]
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.scratch.join(name);
        std::fs::write(&path, text).expect("a scratch file");
        path
    }

    fn gdb(&self, script: &Path, args: &[&str]) -> Command {
        let mut gdb = Command::new("gdb");
        gdb.args(["-nx", "-batch", "-x"]).arg(script).args(["-ex", "run", "--args"]);
        gdb.arg(&self.program).args(args).stdin(Stdio::null()).stderr(Stdio::null());
        gdb
    }

    /// How long a run under GDB took. In a virtual machine that loses the status of a trap GDB stops
    /// in the middle; such a run says nothing.
    fn under_gdb(&self, script: &Path, args: &[&str]) -> Duration {
        for _ in 0..20 {
            let start = Instant::now();
            let output = self.gdb(script, args).output().expect("gdb runs");
            let took = start.elapsed();
            if String::from_utf8_lossy(&output.stdout).contains("exited normally") {
                return took;
            }
        }
        panic!("the program does not come to its end under gdb: {args:?}");
    }

    /// The seconds that the program prints when run under GDB.
    fn printed_under_gdb(&self, script: &Path, args: &[&str]) -> f64 {
        let output = self.gdb(script, args).output().expect("gdb runs");
        seconds(&String::from_utf8_lossy(&output.stdout))
    }

    /// Microseconds for a checkpoint and going back with GDB, for a program without threads.
    fn gdb_checkpoint(&self) -> Option<f64> {
        let result = self.scratch.join("checkpoint.txt");
        let text = GDB_CHECKPOINT.replace("RESULT", &format!("{:?}", result.display().to_string()));
        let script = self.script("checkpoint.py", &text);
        let _ = std::fs::remove_file(&result);
        let mut gdb = Command::new("gdb");
        gdb.args(["-nx", "-batch", "-x"]).arg(&script).arg("--args").arg(&self.program);
        gdb.args(["m", "100", "1"]).stdin(Stdio::null()).stdout(Stdio::null());
        gdb.stderr(Stdio::null()).status().ok()?;
        std::fs::read_to_string(&result).ok()?.trim().parse().ok()
    }
}

/// The first number that stands alone in a line.
fn seconds(text: &str) -> f64 {
    text.lines().find_map(|l| l.trim().parse().ok()).unwrap_or(f64::NAN)
}

/// Seconds this process has had a processor for.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos: Option<f64> = text.split(' ').next().and_then(|n| n.parse().ok());
    nanos.unwrap_or(f64::NAN) * 1e-9
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

fn median(measure: impl FnMut() -> f64) -> f64 {
    let mut all: Vec<f64> = std::iter::repeat_with(measure).take(ROUNDS).collect();
    middle(&mut all)
}

fn middle(all: &mut [f64]) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Microseconds per event.
fn slope((few, many): (u64, u64), mut run: impl FnMut(u64) -> Duration) -> f64 {
    let (short, long) = (run(few), run(many));
    (long.as_secs_f64() - short.as_secs_f64()) * 1e6 / (many - few) as f64
}

/// The seconds that the program prints when run alone.
fn plain(program: &Path, args: &[&str]) -> f64 {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    seconds(&String::from_utf8_lossy(&output.expect("it runs").stdout))
}

/// How long a monitored run took, and the seconds that the program printed.
fn monitored(program: &Path, args: &[&str], model: &Arc<Model>) -> (Duration, f64) {
    let start = Instant::now();
    let settings = Settings { history: 0, ..Settings::default() };
    let path = std::env::temp_dir().join(format!("watchword-bench-{}.out", std::process::id()));
    let mut output = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)
        .expect("a scratch file");
    let launch = Launch::new(program).args(args).stdout(output.try_clone().expect("a descriptor"));
    let mut program = Program::launch(launch, settings).expect("it runs");
    program.load("bench.ww", model.clone()).expect("it is watched");
    program.resume_all().expect("it goes on");
    loop {
        let stop = program.wait().expect("it is traced");
        if let Why::Exited(status) = stop.why {
            assert_eq!(status.shell_code(), 0, "the program comes to its end: {args:?}");
            break;
        }
        program.resume(stop.thread).expect("it goes on");
    }
    let took = start.elapsed();
    let mut text = String::new();
    let _ = output.rewind().and_then(|()| output.read_to_string(&mut text));
    let _ = std::fs::remove_file(&path);
    (took, seconds(&text))
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

const GDB_CHECKPOINT: &str = "
import gdb, time
gdb.execute('break event')
gdb.execute('run')
start = time.perf_counter()
gdb.execute('checkpoint')
saved = time.perf_counter() - start
gdb.execute('continue')
start = time.perf_counter()
gdb.execute('restart 1')
saved += time.perf_counter() - start
open(RESULT, 'w').write(str(saved * 1e6))
gdb.execute('kill inferiors 1')
";

/// Microseconds for a checkpoint of 100 MB, and for going back after every sixteenth page was
/// written.
fn checkpoint(program: &Path, threads: &str) -> f64 {
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
    let saved = start.elapsed();
    tracer.resume_all().expect("it goes on");
    until_event(&mut tracer);
    let start = Instant::now();
    tracer.restore(id).expect("it goes back");
    (saved + start.elapsed()).as_secs_f64() * 1e6
}
