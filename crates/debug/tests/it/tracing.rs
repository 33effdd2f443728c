//! Launch, attach, breakpoints, threads, signals, children.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use watchword_debug::{
    ErrorKind, ExitStatus, Follow, Launch, Owner, Phase, PointId, ProcessId, Reason, Tracer, When,
};

use crate::support::*;

const MONITOR: Owner = Owner::Monitor(1);

fn start(program: &std::path::Path, args: &[&str]) -> (Tracer, ProcessId, Output) {
    let mut tracer = Tracer::new();
    let (launch, out) = launch(program, args);
    let process = tracer.launch(launch).unwrap();
    (tracer, process, out)
}

/// Counts hits per point and phase until the program ends.
fn count(tracer: &mut Tracer) -> (HashMap<(PointId, Phase), u64>, ExitStatus) {
    let mut counts = HashMap::new();
    tracer.resume_all().unwrap();
    loop {
        let stop = tracer.wait().unwrap();
        match stop.reason {
            Reason::Exited(status) => return (counts, status),
            Reason::Points { hits, .. } => {
                for hit in hits {
                    *counts.entry((hit.point, hit.phase)).or_default() += 1;
                }
            }
            other => panic!("unexpected stop {other:?}"),
        }
        tracer.resume(stop.thread).unwrap();
    }
}

#[test]
fn untouched_program_runs_as_ever() {
    guarded(20, || {
        let program = gcc("calls.c", &["-O1"]);
        let (expected, code) = plain(&program, &["5"]);
        let (mut tracer, _, mut out) = start(&program, &["5"]);
        assert_eq!(run_out(&mut tracer).shell_code(), code);
        assert_eq!(out.text(), expected);
        assert_eq!(tracer.wait().unwrap_err().kind(), ErrorKind::Gone);
    });
}

#[test]
fn launch_errors_come_before_the_program_starts() {
    guarded(20, || {
        let mut tracer = Tracer::new();
        for (program, part) in [
            ("/nowhere/at-all", "No such file"),
            ("no-such-program-in-path", "not found in PATH"),
            ("/", "not a file"),
            ("/etc/passwd", "not executable"),
        ] {
            let e = tracer.launch(Launch::new(program)).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Launch);
            assert!(e.to_string().contains(part), "{e}");
        }
        // Executable by its bits, but not a program.
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("not-a-program");
        std::fs::write(&path, "\x7fELF nonsense").unwrap();
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let e = tracer.launch(Launch::new(&path)).unwrap_err();
        assert!(e.to_string().contains("Exec format"), "{e}");
        let e = tracer.attach(999_999_999).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Launch);
    });
}

#[test]
fn environment_directory_and_arguments_arrive() {
    guarded(20, || {
        let mut tracer = Tracer::new();
        let (mut out, file) = capture();
        let launch = Launch::new("sh")
            .arg("-c")
            .arg("echo $WORD; pwd; echo \"$1\"; exit 42")
            .args(["sh", "a b"])
            .env("WORD", "watch")
            .cwd("/usr")
            .stdout(file);
        tracer.launch(launch).unwrap();
        assert_eq!(run_out(&mut tracer), ExitStatus::Code(42));
        assert_eq!(out.text(), "watch\n/usr\na b\n");
    });
}

fn threads_times_calls(threads: u64, calls: u64) {
    let program = gcc("threads.c", &["-O1"]);
    let args = [threads.to_string(), calls.to_string()];
    let args: Vec<&str> = args.iter().map(|s| s.as_str()).collect();
    let (expected, code) = plain(&program, &args);
    let (mut tracer, process, mut out) = start(&program, &args);
    let tick = address(&tracer, process, &program, "tick");
    let point = tracer.arm(process, tick, When::Before, MONITOR).unwrap();
    let mut per_thread: HashMap<u64, u64> = HashMap::new();
    let mut sums: HashMap<u64, u64> = HashMap::new();
    tracer.resume_all().unwrap();
    let status = loop {
        let stop = tracer.wait().unwrap();
        match stop.reason {
            Reason::Exited(status) => break status,
            Reason::Points { hits, address } => {
                assert_eq!((hits.len(), hits[0].point, address), (1, point, tick));
                let r = tracer.registers(stop.thread).unwrap();
                *per_thread.entry(r.argument(0).unwrap()).or_default() += 1;
                *sums.entry(r.argument(0).unwrap()).or_default() += r.argument(1).unwrap();
            }
            other => panic!("{other:?}"),
        }
        tracer.resume(stop.thread).unwrap();
    };
    assert_eq!(status.shell_code(), code);
    assert_eq!(out.text(), expected);
    assert_eq!(per_thread.len() as u64, threads);
    for (who, n) in per_thread {
        assert_eq!(n, calls, "thread {who}");
        assert_eq!(sums[&who], calls * (calls - 1) / 2);
    }
}

#[test]
fn no_event_is_lost_with_2_threads() {
    guarded(100, || threads_times_calls(2, if soak() { 20_000 } else { 4_000 }));
}

#[test]
fn no_event_is_lost_with_8_threads() {
    guarded(100, || threads_times_calls(8, if soak() { 20_000 } else { 1_000 }));
}

#[test]
fn no_event_is_lost_with_25_threads() {
    guarded(200, || threads_times_calls(25, if soak() { 20_000 } else { 400 }));
}

#[test]
fn every_kind_of_instruction_under_a_breakpoint() {
    guarded(60, || {
        for flags in
            [&["-O0"][..], &["-O2", "-fcf-protection=none"], &["-O1", "-static"], &["-no-pie"]]
        {
            let program = gcc("calls.c", flags);
            let (expected, code) = plain(&program, &["4"]);
            let (mut tracer, process, mut out) = start(&program, &["4"]);
            let mut points = Vec::new();
            for name in [
                "fib", "leaf", "tail", "deep", "relative", "calling", "one", "jumping", "jumping2",
                "nothing", "fill",
            ] {
                let at = address(&tracer, process, &program, name);
                points.push((name, tracer.arm(process, at, When::Before, MONITOR).unwrap()));
            }
            let (counts, status) = count(&mut tracer);
            assert_eq!(out.text(), expected, "{flags:?}");
            assert_eq!(status.shell_code(), code);
            let of = |name: &str| {
                let point = points.iter().find(|p| p.0 == name).unwrap().1;
                counts.get(&(point, Phase::Before)).copied().unwrap_or(0)
            };
            for (name, n) in [
                ("tail", 4),
                ("leaf", 8),
                ("relative", 4),
                ("calling", 4),
                ("one", 4),
                ("jumping", 4),
                ("jumping2", 4),
                ("nothing", 4),
                ("fill", 4),
            ] {
                assert_eq!(of(name), n, "{name} {flags:?}");
            }
            if flags == ["-O0"] {
                assert_eq!((of("fib"), of("deep")), (4 * 25, 4 * 21));
            }
        }
    });
}

#[test]
fn every_instruction_of_a_function_can_be_a_point() {
    guarded(60, || {
        let program = gcc("calls.c", &["-O1"]);
        let (expected, code) = plain(&program, &["2"]);
        let (mut tracer, process, mut out) = start(&program, &["2"]);
        let listing = Command::new("objdump").arg("-d").arg(&program).output().unwrap().stdout;
        let listing = String::from_utf8_lossy(&listing).into_owned();
        let bias = address(&tracer, process, &program, "main") - symbols(&program)["main"];
        let mut wanted = false;
        let mut armed = 0;
        for line in listing.lines() {
            if line.ends_with(">:") {
                wanted = ["<main>:", "<fib>:", "<deep>:", "<tail>:", "<calling>:"]
                    .iter()
                    .any(|n| line.ends_with(n));
            } else if wanted
                && let Some((at, rest)) = line.trim().split_once(':')
                && rest.split('\t').nth(2).is_some()
                && let Ok(at) = u64::from_str_radix(at, 16)
            {
                tracer.arm(process, bias + at, When::Before, MONITOR).unwrap();
                armed += 1;
            }
        }
        assert!(armed > 60, "{armed}");
        let (counts, status) = count(&mut tracer);
        assert!(counts.len() > armed / 2);
        assert_eq!((out.text(), status.shell_code()), (expected, code));
    });
}

#[test]
fn owners_share_an_address_without_disturbing_each_other() {
    guarded(30, || {
        let program = gcc("calls.c", &["-O1"]);
        let (mut tracer, process, _out) = start(&program, &["6"]);
        let at = address(&tracer, process, &program, "tail");
        let person = tracer.arm(process, at, When::Before, Owner::Person).unwrap();
        let monitor = tracer.arm(process, at, When::Before, MONITOR).unwrap();
        let scenario = tracer.arm(process, at, When::After, Owner::Scenario(0)).unwrap();
        let mut seen: HashMap<PointId, u32> = HashMap::new();
        tracer.resume_all().unwrap();
        loop {
            let stop = tracer.wait().unwrap();
            match stop.reason {
                Reason::Exited(_) => break,
                Reason::Points { hits, .. } => {
                    for hit in hits {
                        *seen.entry(hit.point).or_default() += 1;
                    }
                }
                other => panic!("{other:?}"),
            }
            if seen.get(&person) == Some(&2) {
                tracer.disarm_owner(process, Owner::Person).unwrap();
            }
            if seen.get(&monitor) == Some(&4) {
                // The second time there is nothing to disarm, and that is an error.
                let first = tracer.disarm(process, monitor);
                assert!(first.is_ok() || first.unwrap_err().kind() == ErrorKind::NotFound);
            }
            tracer.resume(stop.thread).unwrap();
        }
        assert_eq!((seen[&person], seen[&monitor], seen[&scenario]), (2, 4, 6));
    });
}

#[test]
fn memory_reads_hide_breakpoints_and_writes_go_beneath() {
    guarded(30, || {
        let program = gcc("calls.c", &["-O1"]);
        let (mut tracer, process, _out) = start(&program, &["1"]);
        let at = address(&tracer, process, &program, "leaf");
        let mut before = [0u8; 32];
        tracer.read(process, at - 8, &mut before).unwrap();
        let point = tracer.arm(process, at, When::Before, MONITOR).unwrap();
        let mut during = [0u8; 32];
        tracer.read(process, at - 8, &mut during).unwrap();
        assert_eq!(before, during);
        let raw = std::fs::File::open(format!("/proc/{process}/mem")).unwrap();
        let mut byte = [0];
        use std::os::unix::fs::FileExt;
        raw.read_at(&mut byte, at).unwrap();
        assert_eq!(byte[0], 0xcc);
        // mov eax, 77; ret — written over the function while the breakpoint stays.
        let code = [0xb8, 77, 0, 0, 0, 0xc3];
        tracer.write(process, at, &code).unwrap();
        raw.read_at(&mut byte, at).unwrap();
        assert_eq!(byte[0], 0xcc);
        let mut now = [0u8; 6];
        tracer.read(process, at, &mut now).unwrap();
        assert_eq!(now, code);
        let stop = tracer.wait_hit();
        assert_eq!(stop, point);
        tracer.disarm(process, point).unwrap();
        raw.read_at(&mut byte, at).unwrap();
        assert_eq!(byte[0], 0xb8);
        assert!(tracer.read(process, 8, &mut now).is_err());
        assert!(tracer.write(process, 8, &now).is_err());
        assert!(tracer.arm(process, 8, When::Before, MONITOR).is_err());
    });
}

trait WaitHit {
    fn wait_hit(&mut self) -> PointId;
}

impl WaitHit for Tracer {
    fn wait_hit(&mut self) -> PointId {
        let process = self.processes()[0];
        let _ = self.resume_all();
        assert!(self.threads(process).len() == 1);
        match self.wait().unwrap().reason {
            Reason::Points { hits, .. } => hits[0].point,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn after_events_with_recursion_and_tail_calls() {
    guarded(60, || {
        let program = gcc("calls.c", &["-O0"]);
        let (expected, code) = plain(&program, &["3"]);
        let (mut tracer, process, mut out) = start(&program, &["3"]);
        let fib = address(&tracer, process, &program, "fib");
        let deep = address(&tracer, process, &program, "deep");
        let before = tracer.arm(process, fib, When::Before, MONITOR).unwrap();
        let after = tracer.arm(process, fib, When::AfterWithEntry, Owner::Monitor(2)).unwrap();
        let deep_after = tracer.arm(process, deep, When::After, MONITOR).unwrap();
        let mut open: Vec<(u64, watchword_debug::CallId)> = Vec::new();
        let mut checked = 0;
        let mut deep_results = Vec::new();
        tracer.resume_all().unwrap();
        let status = loop {
            let stop = tracer.wait().unwrap();
            let Reason::Points { hits, .. } = stop.reason else {
                let Reason::Exited(status) = stop.reason else { panic!() };
                break status;
            };
            let registers = tracer.registers(stop.thread).unwrap();
            for hit in hits {
                match (hit.point, hit.phase) {
                    (p, Phase::Entered) => {
                        assert_eq!(p, after);
                        open.push((registers.argument(0).unwrap(), hit.call.unwrap()));
                    }
                    (p, Phase::After) if p == after => {
                        let (n, call) = open.pop().unwrap();
                        assert_eq!(Some(call), hit.call);
                        let fibs = [0, 1, 1, 2, 3, 5, 8];
                        assert_eq!(registers.result(), fibs[n as usize]);
                        checked += 1;
                    }
                    (p, Phase::After) => {
                        assert_eq!(p, deep_after);
                        deep_results.push(registers.result());
                    }
                    (p, Phase::Before) => assert_eq!(p, before),
                }
            }
            tracer.resume(stop.thread).unwrap();
        };
        assert_eq!((checked, open.len()), (75, 0));
        let each: Vec<u64> = (0..=20).collect();
        assert_eq!(deep_results, [each.clone(), each.clone(), each].concat());
        assert_eq!((out.text(), status.shell_code()), (expected, code));

        // With optimisation `tail` jumps to `leaf`: both return at once, leaf first.
        let program = gcc("calls.c", &["-O2"]);
        let (mut tracer, process, _out) = start(&program, &["2"]);
        let mut points = Vec::new();
        for name in ["tail", "leaf"] {
            let at = address(&tracer, process, &program, name);
            points.push(tracer.arm(process, at, When::After, MONITOR).unwrap());
        }
        let mut order = Vec::new();
        tracer.resume_all().unwrap();
        loop {
            let stop = tracer.wait().unwrap();
            let Reason::Points { hits, .. } = stop.reason else { break };
            order.push(
                hits.iter()
                    .map(|h| points.iter().position(|p| *p == h.point).unwrap())
                    .collect::<Vec<_>>(),
            );
            tracer.resume(stop.thread).unwrap();
        }
        assert_eq!(order, [vec![1, 0], vec![1], vec![1, 0], vec![1]]);
    });
}

#[test]
fn after_events_when_exceptions_leave_frames() {
    guarded(60, || {
        for flags in [["-O0"], ["-O2"]] {
            let program = gxx("unwind.cpp", &flags);
            let (expected, code) = plain(&program, &[]);
            let (mut tracer, process, mut out) = start(&program, &[]);
            let names = ["_Z5riskyi", "_Z6middleiPi", "_ZN6Square4drawEi", "_Z5climbi"];
            let points = names.map(|name| {
                let at = address(&tracer, process, &program, name);
                tracer.arm(process, at, When::AfterWithEntry, MONITOR).unwrap()
            });
            let (counts, status) = count(&mut tracer);
            let of = |i: usize, phase| counts.get(&(points[i], phase)).copied().unwrap_or(0);
            assert_eq!((of(0, Phase::Entered), of(0, Phase::After)), (9, 6), "{flags:?}");
            assert_eq!((of(1, Phase::Entered), of(1, Phase::After)), (9, 6), "{flags:?}");
            assert_eq!((of(2, Phase::Entered), of(2, Phase::After)), (2, 2), "{flags:?}");
            assert_eq!((of(3, Phase::Entered), of(3, Phase::After)), (7, 4), "{flags:?}");
            assert_eq!((out.text(), status.shell_code()), (expected, code));
        }
    });
}

#[test]
fn after_events_when_longjmp_leaves_frames() {
    guarded(60, || {
        for flags in [["-O0"], ["-O2"]] {
            let program = gcc("jump.c", &flags);
            let (expected, code) = plain(&program, &[]);
            let (mut tracer, process, mut out) = start(&program, &[]);
            let points = ["thrower", "outer"].map(|name| {
                let at = address(&tracer, process, &program, name);
                tracer.arm(process, at, When::AfterWithEntry, MONITOR).unwrap()
            });
            let (counts, status) = count(&mut tracer);
            let of = |i: usize, phase| counts.get(&(points[i], phase)).copied().unwrap_or(0);
            assert_eq!((of(0, Phase::Entered), of(0, Phase::After)), (10, 5), "{flags:?}");
            assert_eq!((of(1, Phase::Entered), of(1, Phase::After)), (10, 5), "{flags:?}");
            assert_eq!((out.text(), status.shell_code()), (expected, code));
        }
    });
}

/// What makes the cost of after-events grow is what is left behind of earlier ones.
#[test]
fn after_events_leave_nothing_behind() {
    guarded(60, || {
        let program = gcc("threads.c", &["-O1"]);
        let (mut tracer, process, _out) = start(&program, &["1", "3000"]);
        let tick = address(&tracer, process, &program, "tick");
        tracer.arm(process, tick, When::After, MONITOR).unwrap();
        let mut events = 0;
        tracer.resume_all().unwrap();
        loop {
            let stop = tracer.wait().unwrap();
            if matches!(stop.reason, Reason::Exited(_)) {
                break;
            }
            events += 1;
            assert!(tracer.calls_in_flight(stop.thread).is_empty());
            tracer.resume(stop.thread).unwrap();
        }
        assert_eq!(events, 3000);
    });
}

#[test]
fn signals_pass_through_also_at_breakpoints() {
    guarded(60, || {
        let program = gcc("signals.c", &["-O1"]);
        let (expected, _) = plain(&program, &["2000"]);
        for (args, code) in
            [(&["2000"][..], 3), (&["500", "15"], 128 + 15), (&["500", "6"], 128 + 6)]
        {
            let (mut tracer, process, mut out) = start(&program, args);
            let step = address(&tracer, process, &program, "step");
            let peek = address(&tracer, process, &program, "peek");
            let handler = address(&tracer, process, &program, "in_handler");
            let point = tracer.arm(process, step, When::AfterWithEntry, MONITOR).unwrap();
            let faulting = tracer.arm(process, peek, When::Before, MONITOR).unwrap();
            let inside = tracer.arm(process, handler, When::AfterWithEntry, MONITOR).unwrap();
            let (counts, status) = count(&mut tracer);
            let calls: u64 = args[0].parse().unwrap();
            assert_eq!(counts[&(point, Phase::Entered)], calls);
            assert_eq!(counts[&(point, Phase::After)], calls);
            assert_eq!(counts[&(faulting, Phase::Before)], 6);
            assert!(counts[&(inside, Phase::Entered)] >= 3);
            assert_eq!(counts[&(inside, Phase::Entered)], counts[&(inside, Phase::After)]);
            assert_eq!(status.shell_code(), code);
            if args.len() == 1 {
                assert_eq!(out.text(), expected);
            }
        }
    });
}

#[test]
fn told_signals_can_be_withheld() {
    guarded(30, || {
        let program = gcc("signals.c", &["-O1"]);
        let (mut tracer, _process, _out) = start(&program, &["100", "15"]);
        tracer.tell_signal(15);
        let mut told = 0;
        tracer.resume_all().unwrap();
        let status = loop {
            let stop = tracer.wait().unwrap();
            match stop.reason {
                Reason::Exited(status) => break status,
                Reason::Signal(15) => {
                    told += 1;
                    tracer.resume_without_signal(stop.thread).unwrap();
                }
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((told, status), (1, ExitStatus::Code(3)));
    });
}

fn state_of(pid: i32) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.trim().chars().next().unwrap()
}

/// Handles what happens for a while without blocking.
fn poll_for(tracer: &mut Tracer, milliseconds: u64) -> u64 {
    let end = std::time::Instant::now() + std::time::Duration::from_millis(milliseconds);
    let mut stops = 0;
    tracer.resume_all().unwrap();
    while std::time::Instant::now() < end {
        match tracer.poll().unwrap() {
            Some(stop) => {
                stops += 1;
                tracer.resume(stop.thread).unwrap();
            }
            None => std::thread::sleep(std::time::Duration::from_micros(200)),
        }
    }
    stops
}

#[test]
fn job_control_stops_and_continues_the_program() {
    guarded(30, || {
        let program = gcc("idle.c", &["-O1"]);
        let (mut tracer, process, _out) = start(&program, &["3"]);
        let beat = address(&tracer, process, &program, "beat");
        tracer.arm(process, beat, When::Before, MONITOR).unwrap();
        assert!(poll_for(&mut tracer, 150) > 10);
        kill(process.raw(), "-STOP");
        poll_for(&mut tracer, 100);
        assert_eq!(poll_for(&mut tracer, 150), 0, "events while stopped");
        // A person may look at everything meanwhile; it stays stopped afterwards.
        tracer.stop_all().unwrap();
        assert!(tracer.threads(process).iter().all(|t| tracer.is_stopped(*t)));
        tracer.resume_all().unwrap();
        assert_eq!(poll_for(&mut tracer, 150), 0, "events while stopped");
        kill(process.raw(), "-CONT");
        assert!(poll_for(&mut tracer, 200) > 10, "no events after SIGCONT");
        kill(process.raw(), "-TERM");
        assert_eq!(run_out(&mut tracer), ExitStatus::Code(4));
    });
}

#[test]
fn all_threads_stop_for_a_person_and_go_on() {
    guarded(60, || {
        let program = gcc("idle.c", &["-O1"]);
        let (mut tracer, process, _out) = start(&program, &["5"]);
        let beat = address(&tracer, process, &program, "beat");
        tracer.arm(process, beat, When::Before, MONITOR).unwrap();
        assert!(poll_for(&mut tracer, 100) > 0);
        for _ in 0..50 {
            tracer.stop_all().unwrap();
            let threads = tracer.threads(process);
            assert_eq!(threads.len(), 6);
            for t in &threads {
                assert!(tracer.is_stopped(*t));
                tracer.registers(*t).unwrap();
                assert_eq!(state_of(t.raw()), 't');
            }
            tracer.resume_all().unwrap();
            poll_for(&mut tracer, 2);
        }
        assert!(poll_for(&mut tracer, 100) > 0);
        // Arming and disarming while everything runs.
        for _ in 0..50 {
            let extra = tracer.arm(process, beat, When::After, Owner::Person).unwrap();
            poll_for(&mut tracer, 2);
            tracer.disarm(process, extra).unwrap();
        }
        tracer.disarm_owner(process, MONITOR).unwrap();
        poll_for(&mut tracer, 20);
        assert_eq!(poll_for(&mut tracer, 50), 0);
        let interrupter = tracer.interrupter().unwrap();
        let waker = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            interrupter.interrupt();
        });
        let stop = tracer.wait().unwrap();
        assert!(matches!(stop.reason, Reason::Interrupted));
        assert!(tracer.threads(process).iter().all(|t| tracer.is_stopped(*t)));
        waker.join().unwrap();
        tracer.resume_all().unwrap();
        kill(process.raw(), "-TERM");
        assert_eq!(run_out(&mut tracer), ExitStatus::Code(4));
    });
}

#[test]
fn whoever_interrupts_is_heard_at_once_whenever_that_is() {
    guarded(60, || {
        let program = gcc("idle.c", &["-O1"]);
        let mut tracer = Tracer::new();
        let process = tracer.launch(Launch::new(&program).arg("1")).unwrap();
        let interrupter = tracer.interrupter().unwrap();
        let (asks, asked) = std::sync::mpsc::channel::<()>();
        let (answers, answered) = std::sync::mpsc::channel();
        let theirs = interrupter.clone();
        let other = std::thread::spawn(move || {
            for round in 0u32.. {
                if asked.recv().is_err() {
                    break;
                }
                // Just before the tracer waits, while it asks, and while it sleeps.
                for _ in 0..(round % 100) * 100 {
                    std::hint::spin_loop();
                }
                answers.send(std::time::Instant::now()).unwrap();
                theirs.interrupt();
            }
        });
        let mut slowest = std::time::Duration::ZERO;
        for _ in 0..1000 {
            tracer.resume_all().unwrap();
            asks.send(()).unwrap();
            let stop = tracer.wait().unwrap();
            assert!(matches!(stop.reason, Reason::Interrupted), "{stop:?}");
            slowest = slowest.max(answered.recv().unwrap().elapsed());
        }
        drop(asks);
        other.join().unwrap();
        assert!(slowest < std::time::Duration::from_secs(5), "{slowest:?}");
        // Nothing is left over.
        tracer.resume_all().unwrap();
        let soon = std::time::Instant::now() + std::time::Duration::from_millis(30);
        assert!(tracer.wait_until(soon).unwrap().is_none());
        assert!(std::time::Instant::now() >= soon);
        // One that lasts comes whenever the program is let go, and once then.
        interrupter.interrupt_for_good();
        for _ in 0..3 {
            tracer.heed_interrupts(true);
            assert!(matches!(tracer.wait().unwrap().reason, Reason::Interrupted));
            tracer.resume_all().unwrap();
            let soon = std::time::Instant::now() + std::time::Duration::from_millis(5);
            assert!(tracer.wait_until(soon).unwrap().is_none());
            tracer.heed_interrupts(false);
        }
        tracer.kill(process).unwrap();
    });
}

#[test]
fn a_program_that_job_control_has_stopped_is_joined_and_left_as_it_is() {
    guarded(60, || {
        let program = gcc("idle.c", &["-O1"]);
        let mut child = Command::new(&program).arg("3").stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = [0; 6];
        use std::io::Read;
        child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        let pid = child.id() as i32;
        kill(pid, "-STOP");
        while state_of(pid) != 'T' {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::spawn(move || {
            let mut tracer = Tracer::new();
            let process = tracer.attach(pid).unwrap();
            let beat = address(&tracer, process, &program, "beat");
            // Room for displaced instructions is made by the program itself, while it is stopped.
            tracer.arm(process, beat, When::Before, MONITOR).unwrap();
            assert_eq!(poll_for(&mut tracer, 150), 0, "events while stopped");
            tracer.stop_all().unwrap();
            assert_eq!(poll_for(&mut tracer, 150), 0, "events while stopped");
            kill(pid, "-CONT");
            assert!(poll_for(&mut tracer, 300) > 10, "no events after SIGCONT");
            kill(pid, "-STOP");
            poll_for(&mut tracer, 100);
            tracer.stop_all().unwrap();
            tracer.detach(process).unwrap();
        })
        .join()
        .unwrap();
        // The kernel lets it go, and it meets its stop again.
        while state_of(pid) != 'T' {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        kill(pid, "-CONT");
        kill(pid, "-TERM");
        assert_eq!(child.wait().unwrap().code(), Some(4));
    });
}

#[test]
fn attached_programs_survive_being_left() {
    guarded(60, || {
        let program = gcc("idle.c", &["-O1"]);
        let mut child = Command::new(&program).arg("8").stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = [0; 6];
        use std::io::Read;
        child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        let pid = child.id() as i32;
        // On another thread: the one that made the child would also be asked for its status.
        let handle = std::thread::spawn(move || {
            for round in 0..5 {
                let mut tracer = Tracer::new();
                let process = tracer.attach(pid).unwrap();
                assert_eq!(tracer.threads(process).len(), 9);
                assert!(tracer.threads(process).iter().all(|t| tracer.is_stopped(*t)));
                let beat = address(&tracer, process, &program, "beat");
                let when = if round % 2 == 0 { When::Before } else { When::AfterWithEntry };
                tracer.arm(process, beat, when, MONITOR).unwrap();
                tracer.resume_all().unwrap();
                let mut seen = 0;
                while seen < 50 {
                    let stop = tracer.wait().unwrap();
                    seen += 1;
                    tracer.resume(stop.thread).unwrap();
                }
                if round == 4 {
                    tracer.detach(process).unwrap();
                    assert!(tracer.processes().is_empty());
                }
                // Otherwise dropped in the middle of things.
            }
        });
        handle.join().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(child.try_wait().unwrap().is_none(), "it died");
        assert_ne!(state_of(pid), 't');
        kill(pid, "-TERM");
        let mut rest = String::new();
        child.stdout.as_mut().unwrap().read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "beats some\n");
        assert_eq!(child.wait().unwrap().code(), Some(4));
    });
}

#[test]
fn children_run_clean_when_not_followed() {
    guarded(30, || {
        let program = gcc("children.c", &["-O1"]);
        let (expected, code) = plain(&program, &[]);
        let (mut tracer, process, mut out) = start(&program, &[]);
        let work = address(&tracer, process, &program, "work");
        let point = tracer.arm(process, work, When::AfterWithEntry, MONITOR).unwrap();
        let (counts, status) = count(&mut tracer);
        assert_eq!(out.text(), expected);
        assert_eq!(status.shell_code(), code);
        assert_eq!(counts[&(point, Phase::Entered)], 2);
        assert_eq!(counts[&(point, Phase::After)], 2);
    });
}

#[test]
fn children_are_followed_on_request() {
    guarded(30, || {
        let program = gcc("children.c", &["-O1"]);
        let (expected, code) = plain(&program, &[]);
        let (mut tracer, process, mut out) = start(&program, &[]);
        tracer.follow(Follow::Both);
        let work = address(&tracer, process, &program, "work");
        tracer.arm(process, work, When::AfterWithEntry, MONITOR).unwrap();
        let mut entered: HashMap<bool, u32> = HashMap::new();
        let mut after: HashMap<bool, u32> = HashMap::new();
        let (mut forked, mut executed, mut ends) = (0, 0, Vec::new());
        tracer.resume_all().unwrap();
        while let Ok(stop) = tracer.wait() {
            match stop.reason {
                Reason::Points { hits, .. } => {
                    for hit in hits {
                        let map = if hit.phase == Phase::After { &mut after } else { &mut entered };
                        *map.entry(stop.process == process).or_default() += 1;
                    }
                }
                Reason::Forked { parent, .. } => {
                    assert_eq!(parent, process);
                    forked += 1;
                }
                Reason::Executed => executed += 1,
                Reason::Exited(status) => {
                    ends.push((stop.process == process, status.shell_code()));
                    continue;
                }
                other => panic!("{other:?}"),
            }
            tracer.resume(stop.thread).unwrap();
        }
        assert_eq!(out.text(), expected);
        assert_eq!((entered[&true], after[&true]), (2, 2));
        assert_eq!((entered[&false], after[&false]), (2, 2));
        assert_eq!((forked, executed), (1, 2));
        ends.sort();
        assert_eq!(ends, [(false, 5), (false, 12), (false, 137), (true, code)]);
    });
}

#[test]
fn exec_starts_afresh() {
    guarded(30, || {
        let program = gcc("children.c", &["-O1"]);
        let (expected, code) = plain(&program, &["exec"]);
        let (mut tracer, process, mut out) = start(&program, &["exec"]);
        let work = address(&tracer, process, &program, "work");
        tracer.arm(process, work, When::Before, MONITOR).unwrap();
        let mut values = Vec::new();
        tracer.resume_all().unwrap();
        let status = loop {
            let stop = tracer.wait().unwrap();
            match stop.reason {
                Reason::Exited(status) => break status,
                Reason::Executed => {
                    assert_eq!(stop.process, process);
                    let work = address(&tracer, process, &program, "work");
                    tracer.arm(process, work, When::Before, MONITOR).unwrap();
                }
                Reason::Points { .. } => {
                    values.push(tracer.registers(stop.thread).unwrap().argument(0).unwrap());
                }
                other => panic!("{other:?}"),
            }
            tracer.resume(stop.thread).unwrap();
        };
        assert_eq!(values, [1, 40]);
        assert_eq!((out.text(), status.shell_code()), (expected, code));
    });
}

#[test]
fn late_libraries_are_told_before_they_run() {
    guarded(30, || {
        let program = gcc("loader.c", &["-O1"]);
        let plugin = gcc("plugin.c", &["-O1", "-shared", "-fPIC"]);
        let path = plugin.to_str().unwrap();
        let (expected, code) = plain(&program, &[path]);
        let (mut tracer, process, mut out) = start(&program, &[path]);
        assert!(tracer.tell_libraries(process).unwrap());
        let mut values = Vec::new();
        let mut armed = None;
        tracer.resume_all().unwrap();
        let status = loop {
            let stop = tracer.wait().unwrap();
            match stop.reason {
                Reason::Exited(status) => break status,
                Reason::Libraries => {
                    let loaded = tracer.mappings(process).unwrap().iter().any(|m| m.name == path);
                    if loaded && armed.is_none() {
                        let plug = address(&tracer, process, &plugin, "plug");
                        armed =
                            Some(tracer.arm(process, plug, When::AfterWithEntry, MONITOR).unwrap());
                    } else if !loaded && let Some(point) = armed.take() {
                        // It went with the library.
                        let e = tracer.disarm(process, point).unwrap_err();
                        assert_eq!(e.kind(), ErrorKind::NotFound);
                    }
                }
                Reason::Points { hits, .. } => {
                    let registers = tracer.registers(stop.thread).unwrap();
                    if hits[0].phase == Phase::After {
                        values.push(registers.result());
                    }
                }
                other => panic!("{other:?}"),
            }
            tracer.resume(stop.thread).unwrap();
        };
        assert_eq!(values, [5, 6, 5, 7, 5, 8]);
        assert_eq!((out.text(), status.shell_code()), (expected, code));
        // A static program has no linker to ask.
        let program = gcc("calls.c", &["-O1", "-static"]);
        let (mut tracer, process, _out) = start(&program, &[]);
        assert!(!tracer.tell_libraries(process).unwrap());
    });
}

#[test]
fn single_steps_pass_over_breakpoints() {
    guarded(30, || {
        let program = gcc("calls.c", &["-O1"]);
        let (expected, code) = plain(&program, &["1"]);
        let (mut tracer, process, mut out) = start(&program, &["1"]);
        let calling = address(&tracer, process, &program, "calling");
        let one = address(&tracer, process, &program, "one");
        let point = tracer.arm(process, calling, When::Before, MONITOR).unwrap();
        tracer.resume_all().unwrap();
        let stop = tracer.wait().unwrap();
        let thread = stop.thread;
        let inner = tracer.arm(process, one, When::Before, MONITOR).unwrap();
        tracer.step(thread).unwrap();
        assert!(matches!(tracer.wait().unwrap().reason, Reason::Step));
        assert_eq!(tracer.registers(thread).unwrap().pc(), one);
        let sp = tracer.registers(thread).unwrap().sp();
        let ret = tracer.read_u64(process, sp).unwrap();
        assert_eq!(ret, calling + 5);
        // Stepping onto a breakpoint and then going on is one event.
        tracer.step(thread).unwrap();
        let Reason::Points { hits, .. } = tracer.wait().unwrap().reason else { panic!() };
        assert_eq!(hits[0].point, inner);
        let mut steps = 0;
        loop {
            tracer.step(thread).unwrap();
            assert!(matches!(tracer.wait().unwrap().reason, Reason::Step));
            steps += 1;
            let pc = tracer.registers(thread).unwrap().pc();
            assert!(!tracer.is_scratch(process, pc));
            if pc == calling + 5 {
                break;
            }
            assert!(steps < 20);
        }
        tracer.disarm(process, point).unwrap();
        tracer.resume(thread).unwrap();
        assert_eq!(run_out(&mut tracer).shell_code(), code);
        assert_eq!(out.text(), expected);
    });
}

#[test]
fn functions_of_the_program_can_be_called() {
    guarded(30, || {
        let program = gcc("calls.c", &["-O1"]);
        let (expected, code) = plain(&program, &["2"]);
        let (mut tracer, process, mut out) = start(&program, &["2"]);
        let fib = address(&tracer, process, &program, "fib");
        let tail = address(&tracer, process, &program, "tail");
        tracer.arm(process, tail, When::Before, MONITOR).unwrap();
        let mut hits = 0;
        tracer.resume_all().unwrap();
        let status = loop {
            let stop = tracer.wait().unwrap();
            if let Reason::Exited(status) = stop.reason {
                break status;
            }
            hits += 1;
            assert_eq!(tracer.call_integers(stop.thread, fib, &[10]).unwrap(), 55);
            assert_eq!(tracer.call_integers(stop.thread, tail, &[4]).unwrap(), 9);
            tracer.resume(stop.thread).unwrap();
        };
        assert_eq!(hits, 2);
        assert_eq!((out.text(), status.shell_code()), (expected, code));
    });
}

#[test]
fn a_dropped_tracer_leaves_no_process() {
    guarded(30, || {
        let program = gcc("idle.c", &["-O1"]);
        for n in ["1", "2", "6"] {
            let (mut tracer, process, _out) = start(&program, &[n]);
            tracer.resume_all().unwrap();
            poll_for(&mut tracer, 30);
            if n == "6" {
                tracer.stop_all().unwrap();
            }
            let pid = process.raw();
            drop(tracer);
            assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
        }
    });
}

#[test]
fn killed_from_outside() {
    guarded(30, || {
        let program = gcc("idle.c", &["-O1"]);
        let (mut tracer, process, _out) = start(&program, &["4"]);
        let beat = address(&tracer, process, &program, "beat");
        tracer.arm(process, beat, When::Before, MONITOR).unwrap();
        tracer.resume_all().unwrap();
        for _ in 0..20 {
            let stop = tracer.wait().unwrap();
            tracer.resume(stop.thread).unwrap();
        }
        tracer.stop_all().unwrap();
        kill(process.raw(), "-KILL");
        std::thread::sleep(std::time::Duration::from_millis(20));
        tracer.resume_all().unwrap();
        assert_eq!(run_out(&mut tracer), ExitStatus::Signal(9));
    });
}
