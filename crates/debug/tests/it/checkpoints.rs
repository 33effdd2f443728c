//! Checkpoints taken and restored.

use std::cell::Cell;
use std::path::Path;
use std::time::Instant;

use watchword_debug::{
    Access, Criu, Debugger, ErrorKind, ExitStatus, Launch, Owner, ProcessId, Reason, ThreadId,
    WatchMethod, When,
};

use crate::support::*;

const MONITOR: Owner = Owner::Monitor(1);

thread_local! {
    /// The criu that makes the checkpoints of this thread's tests, if it is to.
    static ON_DISK: Cell<Option<Criu>> = const { Cell::new(None) };
}

/// Runs a test with checkpoints on disk.
pub fn on_disk(criu: Criu, test: fn()) {
    ON_DISK.set(Some(criu));
    test();
    ON_DISK.set(None);
}

fn is_on_disk() -> bool {
    let criu = ON_DISK.take();
    let is_on_disk = criu.is_some();
    ON_DISK.set(criu);
    is_on_disk
}

pub fn start(program: &Path, args: &[&str]) -> (Debugger, ProcessId, Output) {
    let (launch, out) = launch(program, args);
    let criu = ON_DISK.take();
    let (d, p) = to_marks(launch, criu.as_ref());
    ON_DISK.set(criu);
    (d, p, out)
}

/// Starts a program that stops at the calls of `mark`.
pub fn to_marks(launch: Launch, criu: Option<&Criu>) -> (Debugger, ProcessId) {
    let mut launch = launch.fixed_addresses();
    if criu.is_some() {
        launch = launch.to_be_dumped();
    }
    let (mut d, p) = Debugger::launch(launch).unwrap();
    if let Some(criu) = criu {
        d.tracer_mut().checkpoint_with(criu.clone()).unwrap();
    }
    d.arm_call(p, "mark", When::Before, MONITOR, &["n"]).unwrap();
    d.resume_all().unwrap();
    (d, p)
}

/// Runs to the call `mark(n)` with this number.
pub fn to_mark(d: &mut Debugger, n: i128) -> ThreadId {
    loop {
        let event = d.wait().unwrap();
        match &event.stop.reason {
            Reason::Points { .. } => {
                let value = event.values[0].1[0].as_ref().unwrap().as_integer().unwrap();
                if value == n {
                    return event.stop.thread;
                }
            }
            Reason::Exited(status) => panic!("ended with {status:?} before mark {n}"),
            _ => {}
        }
        d.resume(event.stop.thread).unwrap();
    }
}

pub fn to_end(d: &mut Debugger) -> i32 {
    d.resume_all().unwrap();
    loop {
        let event = d.wait().unwrap();
        if let Reason::Exited(status) = event.stop.reason {
            return status.shell_code();
        }
        let _ = d.resume(event.stop.thread);
    }
}

pub fn global(d: &mut Debugger, t: ThreadId, name: &str) -> i128 {
    d.eval(t, 0, name).unwrap().as_integer().unwrap()
}

/// The program's own result does not depend on thread timing.
pub fn result_of(text: &str) -> String {
    text.lines().last().unwrap_or_default().to_string()
}

fn back_and_forth(what: &str, times: usize, compare: bool) {
    let program = gcc("state.c", &["-O1"]);
    let (mut d, p, mut out) = start(&program, &[what]);
    d.tracer_mut().compare_pages(compare);
    // An untraced run under the same conditions, for the expected result.
    let mut setarch = std::process::Command::new("setarch");
    let output = setarch.args(["-R"]).arg(&program).arg(what).output().unwrap();
    let expected = String::from_utf8_lossy(&output.stdout).into_owned();
    let code = output.status.code().unwrap();

    let t = to_mark(&mut d, 2);
    let early = d.checkpoint(p).unwrap();
    d.resume_all().unwrap();
    let t2 = to_mark(&mut d, 4);
    assert_eq!(t, t2);
    let total_at_4 = global(&mut d, t, "total");
    let later = d.checkpoint(p).unwrap();
    assert_eq!(d.tracer().checkpoints(p), [early, later]);
    for round in 0..times {
        d.resume_all().unwrap();
        // Stop anywhere: at another mark, or amid everything.
        if round % 3 == 2 {
            std::thread::sleep(std::time::Duration::from_millis(1));
            d.stop_all().unwrap();
        } else {
            to_mark(&mut d, 8 + (round as i128 % 3));
        }
        let id = if round % 2 == 0 { later } else { early };
        let done = d.restore(id).unwrap_or_else(|e| panic!("{what}: round {round}: {e}"));
        assert!(done.pages > 0);
        assert_eq!(global(&mut d, t, "rounds"), if id == later { 4 } else { 2 });
        if id == later {
            assert_eq!(global(&mut d, t, "total"), total_at_4);
            assert_eq!(global(&mut d, t, "big[4*65536+5]"), 4);
            assert_eq!(global(&mut d, t, "big[8*65536+5]"), 1);
            let e = d.backtrace(t, 10).unwrap();
            assert_eq!(e[0].function.as_deref(), Some("mark"));
            assert_eq!(e[1].function.as_deref(), Some("main"));
        }
    }
    d.drop_checkpoint(early).unwrap();
    d.restore(later).unwrap();
    d.tracer_mut().disarm_owner(p, MONITOR).unwrap();
    assert_eq!(to_end(&mut d), code);
    assert_eq!(result_of(&out.text()), result_of(&expected));
    let e = d.restore(later).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Gone | ErrorKind::NotFound));
}

#[test]
pub fn a_single_thread_goes_back_and_forth() {
    guarded(60, || back_and_forth("single", if soak() { 200 } else { 12 }, false));
}

#[test]
pub fn five_threads_go_back_and_forth() {
    guarded(90, || back_and_forth("plain", if soak() { 200 } else { 12 }, false));
}

#[test]
fn changes_are_found_by_comparing_where_the_kernel_does_not_track_them() {
    guarded(60, || back_and_forth("plain", 4, true));
}

#[test]
pub fn closed_files_are_opened_again() {
    guarded(60, || back_and_forth("close", 6, false));
}

#[test]
pub fn positions_in_folders_come_back() {
    guarded(60, || {
        let program = gcc("folder.c", &["-O1"]);
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
        // The folder itself and the one above are read, too.
        let expected = std::fs::read_dir(folder).unwrap().count() as i128 + 2;
        for args in [vec![folder], vec![folder, "close"]] {
            let (mut d, p, mut out) = start(&program, &args);
            to_mark(&mut d, 1);
            let amid = d.checkpoint(p).unwrap();
            d.resume_all().unwrap();
            to_mark(&mut d, 2);
            let at_start = d.checkpoint(p).unwrap();
            for id in [at_start, amid, at_start] {
                d.resume_all().unwrap();
                let t = to_mark(&mut d, 3);
                assert_eq!(global(&mut d, t, "entries"), expected, "{args:?}");
                d.restore(id).unwrap();
            }
            d.tracer_mut().disarm_owner(p, MONITOR).unwrap();
            assert_eq!(to_end(&mut d), 7);
            assert_eq!(result_of(&out.text()), format!("{expected} entries"), "{args:?}");
        }
    });
}

#[test]
fn what_cannot_be_restored_is_refused() {
    guarded(60, || {
        for (what, part) in [("pipe", "unread bytes"), ("closed-pipe", "was closed")] {
            let program = gcc("state.c", &["-O1"]);
            let (mut d, p, mut out) = start(&program, &[what]);
            to_mark(&mut d, 5);
            let id = d.checkpoint(p).unwrap();
            d.resume_all().unwrap();
            let t = to_mark(&mut d, 7);
            let before = global(&mut d, t, "total");
            let e = d.restore(id).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Refused, "{what}: {e}");
            assert!(e.to_string().contains(part), "{what}: {e}");
            // Nothing was touched: it runs on to its proper end.
            assert_eq!(global(&mut d, t, "total"), before);
            to_end(&mut d);
            assert!(out.text().starts_with(what), "{what}: {}", out.text());
        }
    });
}

#[test]
pub fn signals_are_handled_as_at_the_checkpoint() {
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        let (mut d, p, _out) = start(&program, &["handler"]);
        let t = to_mark(&mut d, 5);
        let id = d.checkpoint(p).unwrap();
        let path = format!("/proc/{p}/status");
        let signals = || {
            let status = std::fs::read_to_string(&path).unwrap();
            let lines =
                status.lines().filter(|l| l.starts_with("SigCgt") || l.starts_with("SigIgn"));
            lines.map(str::to_string).collect::<Vec<_>>()
        };
        let before = signals();
        d.resume_all().unwrap();
        to_mark(&mut d, 7);
        assert_ne!(signals(), before);
        d.restore(id).unwrap();
        assert_eq!(signals(), before);
        // Now it does not change them, and raises a signal in the end.
        d.assign(t, 0, "unchanged", "1").unwrap();
        d.resume_all().unwrap();
        let t = to_mark(&mut d, 11);
        assert_eq!(global(&mut d, t, "handled"), 10);
    });
}

#[test]
pub fn handlers_of_traps_are_the_programs_own() {
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        let (mut d, p, _out) = start(&program, &["trap"]);
        to_mark(&mut d, 5);
        let id = d.checkpoint(p).unwrap();
        d.resume_all().unwrap();
        to_mark(&mut d, 7);
        d.restore(id).unwrap();
        d.resume_all().unwrap();
        let t = to_mark(&mut d, 11);
        assert_eq!(global(&mut d, t, "handled"), 5);
    });
}

#[test]
fn programs_without_system_calls_are_not_killed_by_ours() {
    guarded(60, || {
        let program = gcc("strict.c", &["-O1"]);
        let (mut d, p, mut out) = start(&program, &[]);
        let t = to_mark(&mut d, 3);
        match d.checkpoint(p) {
            Ok(id) => {
                d.resume_all().unwrap();
                to_mark(&mut d, 5);
                d.restore(id).unwrap();
                assert_eq!(global(&mut d, t, "value"), 2);
            }
            // Not everybody may lift what the program has given up.
            Err(e) => assert!(e.to_string().contains("seccomp"), "{e}"),
        }
        assert_eq!(to_end(&mut d), 4);
        assert_eq!(out.text(), "strict\n");
        // What it has given up since does not come back.
        let (mut d, p, mut out) = start(&program, &[]);
        to_mark(&mut d, 1);
        let id = d.checkpoint(p).unwrap();
        d.resume_all().unwrap();
        to_mark(&mut d, 3);
        let e = d.restore(id).unwrap_err();
        assert!(e.kind() == ErrorKind::Refused && e.to_string().contains("seccomp"), "{e}");
        assert_eq!(to_end(&mut d), 4);
        assert_eq!(out.text(), "strict\n");
    });
}

#[test]
fn flags_of_descriptors_come_back_and_what_stays_is_told() {
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        let (mut d, p, mut out) = start(&program, &["flags"]);
        let t = to_mark(&mut d, 5);
        let id = d.checkpoint(p).unwrap();
        let path = format!("/proc/{p}/fdinfo/{}", global(&mut d, t, "reader"));
        let before = std::fs::read_to_string(&path).unwrap();
        d.resume_all().unwrap();
        to_mark(&mut d, 7);
        assert_ne!(std::fs::read_to_string(&path).unwrap(), before);
        let restored = d.restore(id).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
        let told = restored.warnings.join("; ");
        assert!(told.contains("current folder") && told.contains("umask"), "{told}");
        assert!(!told.contains("limits"), "{told}");
        to_end(&mut d);
        assert!(out.text().starts_with("flags"), "{}", out.text());
    });
}

#[test]
pub fn memory_that_was_discarded_moved_or_protected_comes_back() {
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        for what in ["discard", "move", "protect", "discard-file"] {
            let (mut d, p, mut out) = start(&program, &[what]);
            let t = to_mark(&mut d, 5);
            let id = d.checkpoint(p).unwrap();
            let big = global(&mut d, t, "big");
            for _ in 0..3 {
                d.resume_all().unwrap();
                to_mark(&mut d, 7);
                if what == "discard" {
                    assert_eq!(global(&mut d, t, "big[8388708]"), 0);
                }
                d.restore(id).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert_eq!(global(&mut d, t, "big"), big);
                assert_eq!(global(&mut d, t, "big[8388708]"), 1, "{what}");
                assert_eq!(global(&mut d, t, "big[12*1048576]"), 1, "{what}");
            }
            to_end(&mut d);
            assert!(out.text().starts_with(what), "{}", out.text());
        }
    });
}

/// The flags of the mapping that holds an address.
fn flags_at(p: ProcessId, address: i128) -> String {
    let text = std::fs::read_to_string(format!("/proc/{p}/smaps")).unwrap();
    let mut inside = false;
    for line in text.lines() {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
        let number = |n: &str| i128::from_str_radix(n, 16).ok();
        if let Some((Some(start), Some(end))) = range.map(|(a, b)| (number(a), number(b))) {
            inside = (start..end).contains(&address);
        }
        if inside && let Some(flags) = line.strip_prefix("VmFlags:") {
            return flags.to_string();
        }
    }
    panic!("nothing is mapped at {address:#x}");
}

#[test]
pub fn memory_that_children_have_no_copy_of_comes_back() {
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        for what in ["apart", "apart-later"] {
            let (mut d, p, mut out) = start(&program, &[what]);
            let t = to_mark(&mut d, 5);
            let id = d.checkpoint(p).unwrap();
            let [wiped, out_of] = ["wiped", "kept_out"].map(|n| global(&mut d, t, n) + 4096);
            let flags = || {
                [flags_at(p, wiped), flags_at(p, out_of)]
                    .map(|f| [" wf", " dc"].map(|flag| f.contains(flag)))
            };
            let before = flags();
            for _ in 0..2 {
                d.resume_all().unwrap();
                to_mark(&mut d, 7);
                assert_eq!(global(&mut d, t, "wiped[4100]"), 8);
                let told = d.restore(id).unwrap().warnings;
                assert!(told.is_empty(), "{told:?}");
                assert_eq!(global(&mut d, t, "wiped[4100]"), 7, "{what}");
                assert_eq!(global(&mut d, t, "kept_out[4100]"), 7, "{what}");
                assert_eq!(global(&mut d, t, "kept_out[5]"), 0, "{what}");
                if what == "apart" {
                    assert_eq!(flags(), before);
                }
            }
            to_end(&mut d);
            assert!(out.text().starts_with(what), "{}", out.text());
        }
    });
}

#[test]
pub fn signals_that_wait_and_timers_that_were_made_come_back() {
    guarded(60, || {
        let program = gcc("pending.c", &["-O1"]);
        let (mut d, p, _out) = start(&program, &[]);
        to_mark(&mut d, 1);
        let id = d.checkpoint(p).unwrap();
        for _ in 0..3 {
            d.resume_all().unwrap();
            let t = to_mark(&mut d, 2);
            assert_eq!(global(&mut d, t, "waits"), 101, "two wait, and not the one sent later");
            assert_eq!(global(&mut d, t, "value"), 42);
            let left = global(&mut d, t, "left");
            assert!((900..=1000).contains(&left), "{left}");
            let told = d.restore(id).unwrap().warnings;
            assert!(told.is_empty(), "{told:?}");
        }
        assert_eq!(to_end(&mut d), 3);
    });
}

#[test]
pub fn names_priorities_timers_and_stacks_of_signals_come_back() {
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        let (mut d, p, mut out) = start(&program, &["traits"]);
        let t = to_mark(&mut d, 5);
        let nice = |p: ProcessId| {
            let stat = std::fs::read_to_string(format!("/proc/{p}/stat")).unwrap();
            stat.rsplit(')').next().unwrap().split(' ').nth(17).unwrap().parse::<i32>().unwrap()
        };
        let before = nice(p);
        let id = d.checkpoint(p).unwrap();
        d.resume_all().unwrap();
        to_mark(&mut d, 7);
        let seen =
            |d: &mut Debugger| ["left_ms > 0", "stack_size", "name[0]"].map(|e| global(d, t, e));
        assert_eq!(seen(&mut d), [1, 65536, i128::from(b's')]);
        assert_eq!(nice(p), (before + 1).min(19));
        let told = d.restore(id).unwrap().warnings;
        // Not everybody may have more of the processor.
        if told.is_empty() {
            assert_eq!(nice(p), before);
        } else {
            assert!(told.iter().all(|w| w.contains("priority")), "{told:?}");
        }
        d.resume_all().unwrap();
        to_mark(&mut d, 6);
        // It has set them again; so much for that they were gone.
        d.restore(id).unwrap();
        d.assign(t, 0, "unchanged", "1").unwrap();
        d.resume_all().unwrap();
        to_mark(&mut d, 7);
        assert_eq!(seen(&mut d), [0, 0, i128::from(b'f')]);
        to_end(&mut d);
        assert!(out.text().starts_with("traits"), "{}", out.text());
    });
}

#[test]
fn a_checkpoint_uses_no_memory_of_those_who_share_it() {
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        let (mut d, p, mut out) = start(&program, &["sparse"]);
        let t = to_mark(&mut d, 5);
        let used = |p: ProcessId| {
            let text = std::fs::read_to_string(format!("/proc/{p}/status")).unwrap();
            let line = text.lines().find_map(|l| l.strip_prefix("RssShmem:")).unwrap();
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
        };
        let id = d.checkpoint(p).unwrap();
        // Without leave to open what has no name, all of it must be read.
        let address = global(&mut d, t, "sparse") as u64;
        let end = address + (256 << 20);
        if std::fs::File::open(format!("/proc/{p}/map_files/{address:x}-{end:x}")).is_ok() {
            assert!(used(p) < 1 << 12, "{} kB", used(p));
        }
        d.resume_all().unwrap();
        to_mark(&mut d, 5 + 1);
        let e = d.restore(id).unwrap_err();
        assert!(e.to_string().contains("shared"), "{e}");
        to_end(&mut d);
        assert!(out.text().starts_with("sparse"), "{}", out.text());
    });
}

#[test]
pub fn ended_threads_come_back() {
    guarded(60, || {
        let program = gcc("ending.c", &["-O1"]);
        for how in ["joined", "detached", "reuse", "raw"] {
            let (mut d, p, mut out) = start(&program, &[how]);
            let t = to_mark(&mut d, 1);
            let early = d.checkpoint(p).unwrap();
            d.resume_all().unwrap();
            to_mark(&mut d, 3);
            let later = d.checkpoint(p).unwrap();
            let total = global(&mut d, t, "ended");
            assert!(d.tracer().threads(p).len() < 4, "{how}");
            for round in 0..6 {
                let done = d.restore(early).unwrap_or_else(|e| panic!("{how}: {e}"));
                assert!(done.pages > 0);
                assert_eq!(d.tracer().threads(p).len(), 4, "{how}");
                assert_eq!(global(&mut d, t, "ended"), 0);
                if round % 2 == 0 {
                    d.resume_all().unwrap();
                    if how == "reuse" && round == 2 {
                        // Amid it: a new thread lives in the memory of an old one.
                        to_mark(&mut d, 2);
                        continue;
                    }
                    to_mark(&mut d, 3);
                    assert_eq!(global(&mut d, t, "ended"), total, "{how}");
                } else {
                    // Forward without having run.
                    d.restore(later).unwrap();
                    assert_eq!(global(&mut d, t, "ended"), total, "{how}");
                }
            }
            d.restore(early).unwrap();
            if how == "joined" {
                d.drop_checkpoint(later).unwrap();
            }
            assert_eq!(to_end(&mut d), 0, "{how}");
            assert_eq!(out.text(), plain(&program, &[how]).0, "{how}");
        }
    });
}

#[test]
fn a_program_ends_although_ended_threads_are_kept() {
    guarded(60, || {
        let program = gcc("ending.c", &["-O1"]);
        // Its first thread ends before the others; it dies with a lock that another one wants.
        for how in ["leader", "lock", "joined"] {
            let (mut d, p, mut out) = start(&program, &[how]);
            to_mark(&mut d, 1);
            let id = d.checkpoint(p).unwrap();
            if how == "joined" {
                d.resume_all().unwrap();
                to_mark(&mut d, 3);
                // Nobody can go back any more: the kept threads end for good.
                d.drop_checkpoint(id).unwrap();
                let tasks = std::fs::read_dir(format!("/proc/{}/task", p.raw())).unwrap().count();
                assert_eq!(tasks, 1);
            }
            assert_eq!(to_end(&mut d), 0, "{how}");
            assert_eq!(out.text(), plain(&program, &[how]).0, "{how}");
        }
        let (mut d, p, _out) = start(&program, &["lock"]);
        to_mark(&mut d, 1);
        let id = d.checkpoint(p).unwrap();
        d.resume_all().unwrap();
        to_mark(&mut d, 3);
        let e = d.restore(id).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Refused);
        assert!(e.to_string().contains("has ended"), "{e}");
    });
}

#[test]
pub fn a_program_ends_with_threads_of_between_two_checkpoints() {
    guarded(120, || {
        let program = gcc("leaving.c", &["-O1"]);
        for round in 0..20 {
            let (mut d, p, mut out) = start(&program, &[]);
            to_mark(&mut d, 1);
            d.checkpoint(p).unwrap();
            d.resume_all().unwrap();
            to_mark(&mut d, 2);
            d.checkpoint(p).unwrap();
            assert_eq!(to_end(&mut d), 0, "round {round}");
            assert_eq!(out.text(), "end\n", "round {round}");
        }
    });
}

#[test]
pub fn new_threads_end_when_time_goes_back() {
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        let (mut d, p, mut out) = start(&program, &["new-thread"]);
        let t = to_mark(&mut d, 5);
        let id = d.checkpoint(p).unwrap();
        for _ in 0..4 {
            d.resume_all().unwrap();
            to_mark(&mut d, 9);
            assert_eq!(d.tracer().threads(p).len(), 6);
            let done = d.restore(id).unwrap();
            assert_eq!(done.ended_threads.len(), 1);
            assert_eq!(d.tracer().threads(p).len(), 5);
            assert_eq!(global(&mut d, t, "rounds"), 5);
        }
        to_end(&mut d);
        assert!(out.text().starts_with("new-thread rounds 12"));
    });
}

#[test]
pub fn points_and_watchpoints_of_now_survive_a_restore() {
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        let (mut d, p, _out) = start(&program, &["plain"]);
        let t = to_mark(&mut d, 3);
        let id = d.checkpoint(p).unwrap();
        for method in [WatchMethod::Registers, WatchMethod::Pages] {
            let watch = d.watch(t, 0, "total", Access::Write, method, MONITOR).unwrap();
            let usleep = d.arm_call(p, "usleep", When::After, Owner::Person, &[]).unwrap();
            let mut seen = Vec::new();
            for _ in 0..2 {
                d.resume_all().unwrap();
                let (mut watched, mut returned) = (0, 0);
                loop {
                    let event = d.wait().unwrap();
                    match &event.stop.reason {
                        Reason::Watch { .. } => watched += 1,
                        Reason::Points { hits, .. } => {
                            if hits.iter().any(|h| usleep.points.contains(&h.point)) {
                                returned += 1;
                            } else {
                                let n = event.values[0].1[0].as_ref().unwrap();
                                if n.as_integer().unwrap() == 6 {
                                    break;
                                }
                            }
                        }
                        _ => {}
                    }
                    d.resume(event.stop.thread).unwrap();
                }
                seen.push((watched, returned));
                d.restore(id).unwrap();
            }
            assert_eq!(seen, [(3, 3), (3, 3)], "{method:?}");
            d.tracer_mut().unwatch(p, watch).unwrap();
            for point in usleep.points {
                d.disarm(p, point).unwrap();
            }
        }
    });
}

#[test]
pub fn calls_in_flight_at_a_checkpoint_return_after_it() {
    guarded(60, || {
        let program = gcc("calls.c", &["-O0"]);
        let (launch, mut out) = launch(&program, &["2"]);
        let (mut d, p) = Debugger::launch(launch).unwrap();
        d.arm_call(p, "deep", When::After, MONITOR, &["n", "ret"]).unwrap();
        let leaf = d.arm_call(p, "deep", When::Before, Owner::Person, &["n"]).unwrap();
        d.resume_all().unwrap();
        let mut checkpoint = None;
        let mut returns: Vec<Vec<i128>> = vec![Vec::new()];
        loop {
            let event = d.wait().unwrap();
            if matches!(event.stop.reason, Reason::Exited(_)) {
                break;
            }
            let mut again = false;
            for (point, values) in &event.values {
                let number = |i: usize| values[i].as_ref().unwrap().as_integer().unwrap();
                if leaf.points.contains(point) {
                    if number(0) == 5 && checkpoint.is_none() {
                        checkpoint = Some(d.checkpoint(p).unwrap());
                    }
                } else {
                    assert_eq!(number(0), number(1));
                    returns.last_mut().unwrap().push(number(0));
                    again = number(0) == 20 && returns.len() < 4;
                }
            }
            if again {
                d.restore(checkpoint.unwrap()).unwrap();
                returns.push(Vec::new());
                d.resume_all().unwrap();
            } else {
                let threads = d.tracer().threads(p);
                for t in threads {
                    if d.tracer().is_stopped(t) {
                        d.resume(t).unwrap();
                    }
                }
            }
        }
        let each: Vec<i128> = (0..=20).collect();
        assert_eq!(returns[..3], [each.clone(), each.clone(), each]);
        assert_eq!(out.text(), plain(&program, &["2"]).0);
    });
}

#[test]
fn children_run_on_and_that_is_told() {
    guarded(60, || {
        let program = gcc("streams.c", &["-O1"]);
        let children = |p: ProcessId| {
            let text = std::fs::read_to_string(format!("/proc/{p}/task/{p}/children")).unwrap();
            text.trim().to_string()
        };
        for (what, mark, told) in [("child", 1, false), ("later-child", 2, true)] {
            let (mut d, p, mut out) = start(&program, &[what]);
            to_mark(&mut d, mark);
            let id = d.checkpoint(p).unwrap();
            if told {
                d.resume_all().unwrap();
                to_mark(&mut d, 3);
            }
            let child = children(p);
            let warnings = d.restore(id).unwrap().warnings;
            let said = warnings.iter().any(|w| w.contains("a child process started since"));
            assert_eq!(said, told, "{what}: {warnings:?}");
            assert_eq!(children(p), child, "{what}");
            if told {
                kill(child.parse().unwrap(), "-KILL");
            }
            assert_eq!(to_end(&mut d), 0);
            assert!(out.text().starts_with(what));
        }
    });
}

#[test]
pub fn a_killed_program_takes_its_checkpoints_with_it() {
    guarded(30, || {
        let program = gcc("state.c", &["-O1"]);
        let (mut d, p, _out) = start(&program, &["plain"]);
        to_mark(&mut d, 1);
        let id = d.checkpoint(p).unwrap();
        d.checkpoint(p).unwrap();
        d.tracer_mut().kill(p).unwrap();
        assert!(d.restore(id).is_err());
        assert!(children().is_empty());
        // And a tracer that is dropped amid it all leaves nothing either.
        let (mut d, p, _out) = start(&program, &["plain"]);
        to_mark(&mut d, 1);
        d.checkpoint(p).unwrap();
    });
}

#[test]
fn restoring_a_large_program_writes_back_only_what_changed() {
    guarded(60, || {
        let program = gcc("large.c", &["-O1"]);
        let (out, file) = capture();
        drop(out);
        let (mut d, p) = Debugger::launch(Launch::new(&program).arg("100").stdout(file)).unwrap();
        d.arm_call(p, "mark", When::Before, MONITOR, &[]).unwrap();
        d.resume_all().unwrap();
        let mut times = Vec::new();
        for _ in 0..5 {
            loop {
                let event = d.wait().unwrap();
                match event.stop.reason {
                    Reason::Points { .. } => break,
                    Reason::Exited(status) => panic!("ended: {status:?}"),
                    _ => d.resume(event.stop.thread).unwrap(),
                }
            }
            let start = Instant::now();
            let id = d.tracer_mut().checkpoint(p).unwrap();
            let taken = start.elapsed();
            d.resume_all().unwrap();
            loop {
                let event = d.wait().unwrap();
                match event.stop.reason {
                    Reason::Points { .. } => break,
                    Reason::Exited(status) => panic!("ended: {status:?}"),
                    _ => d.resume(event.stop.thread).unwrap(),
                }
            }
            let start = Instant::now();
            let done = d.tracer_mut().restore(id).unwrap();
            times.push((taken, start.elapsed(), done.pages));
            d.drop_checkpoint(id).unwrap();
            d.resume_all().unwrap();
        }
        eprintln!("checkpoint, restore, pages of 100 MB with 5 threads: {times:?}");
        // What keeps it quick: only what changed is written back.
        assert!(times.iter().all(|(_, _, pages)| *pages < 2_000), "{times:?}");
    });
}

/// Takes checkpoints of `storm.c` at some of its marks and goes back now and then; what is refused
/// is left alone. Returns how often something was done, and the exit status.
fn through_a_storm(what: &str, goes_back: bool) -> (usize, i32, String) {
    let program = gcc("storm.c", &["-O1", "-pthread"]);
    let (mut d, p, mut out) = start(&program, &[what]);
    let (mut taken, mut done, mut marks) = (Vec::new(), 0, 0);
    let status = loop {
        let event = d.wait().unwrap();
        match event.stop.reason {
            Reason::Exited(status) => break status.shell_code(),
            Reason::Points { .. } => marks += 1,
            _ => {}
        }
        // Somewhere in between, not always at the same place of a round.
        if marks % 7 == 3 && done < 20 {
            let result = match taken.get(done % 5) {
                Some(id) if goes_back && done % 2 == 1 => d.restore(*id).map(drop),
                _ => d.checkpoint(p).map(|id| taken.push(id)),
            };
            match result {
                Ok(()) => done += 1,
                Err(e) if matches!(e.kind(), ErrorKind::Refused | ErrorKind::Gone) => {}
                Err(e) => panic!("{what}: {e}"),
            }
            marks += 1;
        }
        d.resume_all().unwrap();
        let _ = d.resume(event.stop.thread);
    };
    (done, status, out.text())
}

#[test]
pub fn checkpoints_amid_threads_that_come_and_go() {
    guarded(120, || {
        let (done, status, text) = through_a_storm("threads", true);
        assert_eq!((status, text.as_str()), (0, "1800\n"));
        // Whatever ended meanwhile has come back.
        assert!(done > 15, "{done}");
        assert!(children().is_empty());
    });
}

#[test]
pub fn checkpoints_amid_children_that_come_and_go() {
    guarded(120, || {
        let (done, status, text) = through_a_storm("children", false);
        assert_eq!((status, text.as_str()), (0, "600\n"));
        // With criu all are refused that find a child alive: how many, chance decides.
        assert!(is_on_disk() || done > 5, "{done}");
        assert!(children().is_empty());
    });
}

#[test]
pub fn a_program_that_is_replaced_amid_checkpoints_runs_on() {
    guarded(60, || {
        for _ in 0..5 {
            let (_, status, text) = through_a_storm("exec", true);
            assert_eq!((status, text.as_str()), (0, "replaced\n"));
        }
        assert!(children().is_empty());
    });
}

#[test]
pub fn a_program_that_is_killed_amid_a_checkpoint_leaves_nothing() {
    guarded(120, || {
        let program = gcc("storm.c", &["-O1", "-pthread"]);
        for round in 0..16 {
            let (mut d, p, _out) = start(&program, &["threads"]);
            d.wait().unwrap();
            // At another moment of what follows each time.
            let killer = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_micros(700 * round));
                kill(p.raw(), "-KILL");
            });
            let mut last = None;
            let status = loop {
                last = match last {
                    Some(id) => d.restore(id).map(|_| None).unwrap_or(None),
                    None => d.checkpoint(p).ok(),
                };
                // What fails here fails because the program is gone, which is told next.
                let _ = d.resume_all();
                let stop = d.wait().unwrap().stop;
                if let Reason::Exited(status) = stop.reason {
                    break status;
                }
                let _ = d.resume(stop.thread);
            };
            assert_eq!(status, ExitStatus::Signal(9), "round {round}");
            killer.join().unwrap();
            drop(d);
            assert!(children().is_empty(), "round {round}: {:?}", children());
        }
    });
}
