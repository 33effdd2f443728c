//! Watchpoints of both kinds.

use std::path::Path;

use watchword_debug::{
    Access, Debugger, ErrorKind, Event, Moment, Owner, ProcessId, Reason, ThreadId, WatchHit,
    WatchMethod, When,
};

use crate::support::*;

const MONITOR: Owner = Owner::Monitor(1);

fn at_ready(program: &Path) -> (Debugger, ProcessId, ThreadId, Output) {
    let (launch, out) = launch(program, &[]);
    let (mut d, p) = Debugger::launch(launch).unwrap();
    d.arm_call(p, "ready", When::Before, Owner::Person, &[]).unwrap();
    d.resume_all().unwrap();
    let t = ready(&mut d);
    (d, p, t, out)
}

fn next(d: &mut Debugger) -> Event {
    loop {
        let event = d.wait().unwrap();
        match event.stop.reason {
            Reason::Libraries => d.resume(event.stop.thread).unwrap(),
            _ => return event,
        }
    }
}

fn ready(d: &mut Debugger) -> ThreadId {
    let event = next(d);
    assert!(matches!(event.stop.reason, Reason::Points { .. }), "{:?}", event.stop);
    event.stop.thread
}

/// Collects hits until the next `ready` (or the end), with the function each came from.
fn hits_until_ready(d: &mut Debugger, p: ProcessId) -> Vec<(String, WatchHit)> {
    let mut all = Vec::new();
    loop {
        let event = next(d);
        match event.stop.reason {
            Reason::Watch { hits } => {
                for hit in hits {
                    let at = hit.instruction.unwrap_or(0);
                    let name = d.function_at(p, at).map(|(f, _, _)| f.name).unwrap_or_default();
                    all.push((name, hit));
                }
            }
            Reason::Points { .. } | Reason::Exited(_) => return all,
            other => panic!("{other:?}"),
        }
        d.resume(event.stop.thread).unwrap();
    }
}

fn word(bytes: &[u8]) -> i64 {
    i64::from_le_bytes(bytes.try_into().unwrap())
}

const WRITES: [(&str, i64, i64); 7] = [
    ("store", 100, 7),
    ("store_same", 7, 7),
    ("store_byte", 7, 9),
    ("increment", 9, 10),
    ("exchange", 10, 3),
    ("string_store", 3, 4),
    ("vector_store", 4, 0),
];
const READS: [&str; 5] = ["load", "load_over", "load_byte", "compare", "push_load"];

#[test]
fn writes_by_debug_register() {
    guarded(30, || {
        for level in ["-O0", "-O2"] {
            let program = gcc("watched.c", &[level]);
            let (expected, code) = plain(&program, &[]);
            let (mut d, p, t, mut out) = at_ready(&program);
            d.watch(t, 0, "cell", Access::Write, WatchMethod::Registers, MONITOR).unwrap();
            d.resume(t).unwrap();
            let hits = hits_until_ready(&mut d, p);
            let seen: Vec<(&str, i64, i64)> = hits
                .iter()
                .map(|(f, h)| (f.as_str(), word(&h.old), word(h.new.as_ref().unwrap())))
                .collect();
            assert_eq!(seen, WRITES, "{level}");
            assert!(
                hits.iter().all(|(_, h)| h.access == Access::Write && h.moment == Moment::After)
            );
            d.tracer_mut().disarm_owner(p, MONITOR).unwrap();
            d.tracer_mut().disarm_owner(p, Owner::Person).unwrap();
            let t = d.tracer_mut();
            assert_eq!(run_out(t).shell_code(), code);
            assert_eq!(out.text(), expected);
        }
    });
}

#[test]
fn reads_are_told_from_writes() {
    guarded(30, || {
        let program = gcc("watched.c", &["-O1"]);
        for access in [Access::Read, Access::ReadWrite] {
            let (mut d, p, t, _out) = at_ready(&program);
            d.watch(t, 0, "cell", access, WatchMethod::Any, MONITOR).unwrap();
            d.resume(t).unwrap();
            let hits = hits_until_ready(&mut d, p);
            let of = |wanted: Access| -> Vec<String> {
                hits.iter()
                    .filter(|(f, h)| h.access == wanted && f != "main")
                    .map(|(f, _)| f.clone())
                    .collect()
            };
            assert_eq!(of(Access::Read), READS, "{access:?}");
            let writes: Vec<&str> = WRITES.iter().map(|w| w.0).collect();
            let expected = if access == Access::Read { Vec::new() } else { writes };
            assert_eq!(of(Access::Write), expected, "{access:?}");
        }
    });
}

#[test]
fn page_protection_tells_before_the_access() {
    guarded(30, || {
        let program = gcc("watched.c", &["-O1"]);
        let (expected, code) = plain(&program, &[]);
        let (mut d, p, t, mut out) = at_ready(&program);
        d.watch(t, 0, "cell", Access::ReadWrite, WatchMethod::Pages, MONITOR).unwrap();
        d.resume(t).unwrap();
        let hits = hits_until_ready(&mut d, p);
        let before: Vec<(&str, i64)> = hits
            .iter()
            .filter(|(f, h)| h.access == Access::Write && f != "main")
            .map(|(f, h)| (f.as_str(), word(&h.old)))
            .collect();
        assert_eq!(before, WRITES.map(|(f, old, _)| (f, old)));
        let reads: Vec<&str> = hits
            .iter()
            .filter(|(f, h)| h.access == Access::Read && f != "main")
            .map(|(f, _)| f.as_str())
            .collect();
        assert_eq!(reads, READS);
        assert!(hits.iter().all(|(_, h)| h.moment == Moment::Before && h.new.is_none()));
        // And on to the end with everything still protected.
        let threads = d.tracer().threads(p);
        d.resume(threads[0]).unwrap();
        let status = loop {
            let event = next(&mut d);
            if let Reason::Exited(status) = event.stop.reason {
                break status;
            }
            d.resume(event.stop.thread).unwrap();
        };
        assert_eq!((out.text(), status.shell_code()), (expected, code));
    });
}

#[test]
fn memory_watched_in_both_ways_is_told_once_to_each() {
    guarded(30, || {
        let program = gcc("watched.c", &["-O1"]);
        let (mut d, p, t, _out) = at_ready(&program);
        let ways = [(WatchMethod::Registers, MONITOR), (WatchMethod::Pages, Owner::Monitor(2))];
        for (method, owner) in ways {
            d.watch(t, 0, "cell", Access::Write, method, owner).unwrap();
        }
        d.resume(t).unwrap();
        let hits = hits_until_ready(&mut d, p);
        for (method, owner) in ways {
            let told = hits.iter().filter(|(_, h)| h.owner == owner).map(|(f, _)| f.as_str());
            assert_eq!(told.collect::<Vec<_>>(), WRITES.map(|(f, _, _)| f), "{method:?}");
        }
    });
}

#[test]
fn wide_objects_and_system_calls() {
    guarded(30, || {
        let program = gcc("watched.c", &["-O1"]);
        let (expected, code) = plain(&program, &[]);
        let (mut d, p, t, mut out) = at_ready(&program);
        d.resume(t).unwrap();
        let t = ready(&mut d);
        d.watch(t, 0, "wide", Access::Write, WatchMethod::Any, MONITOR).unwrap();
        d.resume(t).unwrap();
        let hits = hits_until_ready(&mut d, p);
        assert!(hits.iter().filter(|(_, h)| h.moment == Moment::Before).count() >= 3);
        let by_kernel: Vec<&WatchHit> =
            hits.iter().map(|(_, h)| h).filter(|h| h.by_system_call).collect();
        assert_eq!(by_kernel.len(), 1);
        assert_eq!(&by_kernel[0].new.as_ref().unwrap()[200..210], b"0123456789");
        let t = d.tracer().threads(p)[0];
        d.resume(t).unwrap();
        assert_eq!(run_out(d.tracer_mut()).shell_code(), code);
        assert_eq!(out.text(), expected);
    });
}

#[test]
fn every_thread_is_watched_also_those_to_come() {
    guarded(60, || {
        let program = gcc("watched.c", &["-O1"]);
        let (expected, code) = plain(&program, &[]);
        for method in [WatchMethod::Registers, WatchMethod::Pages] {
            let (mut d, p, t, mut out) = at_ready(&program);
            d.resume(t).unwrap();
            let t = ready(&mut d);
            d.resume(t).unwrap();
            let t = ready(&mut d);
            let mut points = Vec::new();
            for i in 0..4 {
                let e = format!("many[{i}]");
                points.push(d.watch(t, 0, &e, Access::Write, method, MONITOR).unwrap());
            }
            if method == WatchMethod::Registers {
                let e = d.watch(t, 0, "cell", Access::Write, method, MONITOR).unwrap_err();
                assert_eq!(e.kind(), ErrorKind::Limit);
                // Another owner shares a register, and both are told.
                points
                    .push(d.watch(t, 0, "many[2]", Access::Write, method, Owner::Person).unwrap());
            }
            d.resume(t).unwrap();
            let mut counts = vec![0; points.len()];
            let status = loop {
                let event = next(&mut d);
                match event.stop.reason {
                    Reason::Watch { hits } => {
                        for hit in hits {
                            counts[points.iter().position(|p| *p == hit.point).unwrap()] += 1;
                        }
                    }
                    Reason::Exited(status) => break status,
                    other => panic!("{other:?}"),
                }
                d.resume(event.stop.thread).unwrap();
            };
            assert!(counts.iter().all(|c| *c == 50), "{method:?} {counts:?}");
            // Other variables of the program are on the same page; the sum shows no lost write.
            assert_eq!((out.text(), status.shell_code()), (expected.clone(), code), "{method:?}");
            let _ = p;
        }
    });
}

#[test]
fn many_watchpoints_come_and_go() {
    guarded(60, || {
        let program = gcc("watched.c", &["-O1"]);
        let (expected, code) = plain(&program, &[]);
        let (mut d, p, t, mut out) = at_ready(&program);
        let mut points = Vec::new();
        for i in 0..16 {
            let e = format!("many[{i}]");
            points.push(d.watch(t, 0, &e, Access::ReadWrite, WatchMethod::Any, MONITOR).unwrap());
        }
        let methods: Vec<_> =
            points.iter().map(|x| d.tracer().watch_method(p, *x).unwrap()).collect();
        assert_eq!(methods.iter().filter(|m| **m == WatchMethod::Registers).count(), 4);
        let person = d.watch(t, 0, "wide[0]", Access::Write, WatchMethod::Pages, Owner::Person);
        person.unwrap();
        for x in points.drain(..8) {
            d.tracer_mut().unwatch(p, x).unwrap();
        }
        let gone = watch_nothing(&mut d, p, t);
        assert!(d.tracer_mut().unwatch(p, gone).is_err());
        d.tracer_mut().disarm_owner(p, MONITOR).unwrap();
        d.tracer_mut().disarm_owner(p, Owner::Person).unwrap();
        let maps = d.tracer().mappings(p).unwrap();
        let cell = d.eval(t, 0, "&cell").unwrap().as_u64().unwrap();
        assert!(maps.iter().any(|m| m.contains(cell) && m.is_writable()));
        assert_eq!(run_out(d.tracer_mut()).shell_code(), code);
        assert_eq!(out.text(), expected);
    });
}

#[test]
fn protected_pages_are_given_back_on_detach_and_to_children() {
    guarded(30, || {
        use std::io::Read;
        let program = gcc("idle.c", &["-O1"]);
        let mut child = std::process::Command::new(&program)
            .arg("3")
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 6]).unwrap();
        let pid = child.id() as i32;
        std::thread::spawn(move || {
            for method in [WatchMethod::Pages, WatchMethod::Registers] {
                let (mut d, p) = Debugger::attach(pid).unwrap();
                let t = p.main_thread();
                let e = d.eval(t, 0, "&beats").unwrap().as_u64().unwrap();
                d.tracer_mut().watch(p, e, 8, Access::ReadWrite, method, MONITOR).unwrap();
                d.resume_all().unwrap();
                for _ in 0..60 {
                    let event = next(&mut d);
                    assert!(matches!(event.stop.reason, Reason::Watch { .. }));
                    d.resume(event.stop.thread).unwrap();
                }
            }
        })
        .join()
        .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(child.try_wait().unwrap().is_none(), "it died");
        std::process::Command::new("kill").arg(pid.to_string()).status().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(4));

        // A child that is not followed finds its pages as they should be.
        let program = gcc("forking.c", &["-O1"]);
        let (expected, code) = plain(&program, &[]);
        let (mut d, p, t, mut out) = at_ready(&program);
        d.watch(t, 0, "value", Access::Write, WatchMethod::Pages, MONITOR).unwrap();
        d.resume(t).unwrap();
        let hits = hits_until_ready(&mut d, p);
        assert_eq!(hits.len(), 2);
        assert_eq!(out.text(), expected);
        assert_eq!(code, 0);
    });
}

/// A watchpoint that is gone already.
fn watch_nothing(d: &mut Debugger, p: ProcessId, t: ThreadId) -> watchword_debug::PointId {
    let x = d.watch(t, 0, "cell", Access::Write, WatchMethod::Any, MONITOR).unwrap();
    d.tracer_mut().unwatch(p, x).unwrap();
    x
}

/// The values of the writes that are told until the program has ended, one after the other.
fn count_writes(d: &mut Debugger, t: ThreadId, names: &[&str]) -> (i64, i32) {
    for name in names {
        d.watch(t, 0, name, Access::Write, WatchMethod::Registers, MONITOR).unwrap();
    }
    d.resume(t).unwrap();
    let mut last = 0;
    loop {
        let event = next(d);
        match event.stop.reason {
            Reason::Watch { hits } => {
                assert_eq!(hits.len(), 1, "{hits:?}");
                let new = word(hits[0].new.as_ref().unwrap());
                assert_eq!(new, last + 1, "{hits:?}");
                last = new;
            }
            Reason::Points { .. } => {}
            Reason::Exited(status) => return (last, status.shell_code()),
            other => panic!("after {last} writes: {other:?}"),
        }
        d.resume(event.stop.thread).unwrap();
    }
}

/// Virtual machines lose the processor's status of a trap now and then: one in some ten thousand.
#[test]
fn no_write_of_many_is_lost_or_taken_for_the_programs_own_trap() {
    guarded(60, || {
        let program = gcc("writes.c", &["-O1"]);
        let (launch, _out) = launch(&program, &["50000"]);
        let (mut d, p) = Debugger::launch(launch).unwrap();
        d.arm_call(p, "ready", When::Before, Owner::Person, &[]).unwrap();
        d.resume_all().unwrap();
        let t = ready(&mut d);
        assert_eq!(count_writes(&mut d, t, &["written", "beside"]), (50_000, 0));
    });
}

/// The instruction a call returns to is executed elsewhere, and quickly if a signal waits.
#[test]
fn a_write_is_told_if_a_signal_interrupts_it_behind_a_call() {
    guarded(60, || {
        let program = gcc("alarmed.c", &["-O1"]);
        let (launch, _out) = launch(&program, &["20000"]);
        let (mut d, p) = Debugger::launch(launch).unwrap();
        d.arm_call(p, "main", When::Before, Owner::Person, &[]).unwrap();
        d.resume_all().unwrap();
        let t = ready(&mut d);
        d.arm_call(p, "called", When::After, Owner::Person, &[]).unwrap();
        assert_eq!(count_writes(&mut d, t, &["written"]), (20_000, 0));
    });
}

/// Runs a program to its end with a page watched; answers how many accesses were told.
fn run_with_page(program: &Path, watched: &str, arguments: &[&str]) -> (usize, String, i32) {
    let (launch, mut out) = launch(program, arguments);
    let (mut d, p) = Debugger::launch(launch).unwrap();
    d.arm_call(p, "ready", When::Before, Owner::Person, &[]).unwrap();
    d.resume_all().unwrap();
    let t = ready(&mut d);
    d.watch(t, 0, watched, Access::Write, WatchMethod::Pages, MONITOR).unwrap();
    d.arm_call(p, "ready", When::After, Owner::Person, &[]).unwrap();
    d.resume(t).unwrap();
    let mut told = 0;
    loop {
        let event = next(&mut d);
        match event.stop.reason {
            Reason::Watch { hits } => told += hits.len(),
            Reason::Points { .. } => {}
            Reason::Exited(status) => return (told, out.text(), status.shell_code()),
            other => panic!("{other:?}"),
        }
        d.resume(event.stop.thread).unwrap();
    }
}

#[test]
fn system_calls_on_watched_pages_are_made_once() {
    guarded(60, || {
        for mode in ["wait", "datagrams", "threads", "vectors"] {
            let program = gcc("kernel_writes.c", &["-O1", "-pthread"]);
            let (expected, code) = plain(&program, &[mode]);
            let (told, text, status) = run_with_page(&program, "watched", &[mode]);
            assert_eq!((text, status), (expected, code), "{mode}");
            assert_eq!(told, 5, "{mode}");
        }
    });
}

#[test]
fn signals_are_delivered_onto_watched_stacks() {
    guarded(60, || {
        let program = gcc("kernel_writes.c", &["-O1", "-pthread"]);
        let (expected, code) = plain(&program, &["signals"]);
        let (told, text, status) = run_with_page(&program, "*on_stack", &["signals"]);
        assert_eq!((told, text, status), (200, expected, code));
    });
}

#[test]
fn pages_the_program_protects_itself_stay_watched() {
    guarded(60, || {
        let program = gcc("kernel_writes.c", &["-O1", "-pthread"]);
        let (expected, code) = plain(&program, &["protect"]);
        let (told, text, status) = run_with_page(&program, "watched", &["protect"]);
        assert_eq!((told, text, status), (10, expected, code));
    });
}
