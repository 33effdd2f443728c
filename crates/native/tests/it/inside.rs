//! Events that are written down inside the program are those that breakpoints tell.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use watchword_model::{Event, Model, Value};
use watchword_monitor::reference::Reference;
use watchword_native::{ArmNote, Backend, Settings};

use crate::support::{
    Ran, compile, example, guarded, installed, model, plain, run, run_unrecorded, soak,
};

fn settings(backend: Backend) -> Settings {
    Settings { backend, dynamic: false, ..Settings::default() }
}

/// How many of the armed places are inside the program, and the reasons of the others.
pub fn inside(ran: &Ran) -> (usize, Vec<String>) {
    let armed = ran.notes.iter().filter_map(|n| match n {
        ArmNote::Armed(armed) => Some(armed),
        _ => None,
    });
    let (mut inside, mut reasons) = (0, Vec::new());
    for armed in armed {
        match &armed.why {
            Some(why) => reasons.push(format!("{}: {why}", armed.name)),
            None => inside += 1,
        }
    }
    (inside, reasons)
}

/// The events of each thread, with names for threads and addresses that do not depend on the run.
fn by_thread(trace: &[Event], model: &Model) -> Vec<Vec<String>> {
    let mut threads: Vec<(u64, Vec<String>)> = Vec::new();
    let mut addresses: HashMap<u64, usize> = HashMap::new();
    // Threads run at their own pace: addresses are named within each of them.
    let mut known: Vec<u64> = Vec::new();
    for event in trace {
        let thread = event.thread.unwrap();
        if !known.contains(&thread) {
            known.push(thread);
        }
    }
    for thread in known {
        addresses.clear();
        let mut shown = Vec::new();
        for event in trace.iter().filter(|e| e.thread == Some(thread)) {
            let mut text = format!("{:?}", event.kind);
            for (arg, param) in event.args.iter().zip(&model.events[event.kind.index()].params) {
                let next = addresses.len();
                text.push_str(&match arg {
                    Value::Ptr(p) => format!(" #{}", addresses.entry(*p).or_insert(next)),
                    Value::Int(i) if param.name == "who" && *i as u64 == thread => " self".into(),
                    other => format!(" {other:?}"),
                });
            }
            let place = event.location.as_ref();
            text.push_str(&format!(" {:?}", place.map(|l| (l.function.clone(), l.line))));
            shown.push(text);
        }
        threads.push((thread, shown));
    }
    let mut all: Vec<Vec<String>> = threads.into_iter().map(|(_, events)| events).collect();
    // The first thread is first; the others began in any order.
    if all.len() > 1 {
        all[1..].sort();
    }
    all
}

/// Runs a program both ways and compares what it did and what was told of it.
pub fn compare(program: &Path, args: &[&str], model: &Arc<Model>) -> (Ran, Ran) {
    let (output, status) = plain(program, args);
    let int3 = run(program, args, model, settings(Backend::Int3));
    let inject = run(program, args, model, settings(Backend::Inject));
    for ran in [&int3, &inject] {
        assert_eq!(ran.status.shell_code(), status);
        assert_eq!(String::from_utf8_lossy(&ran.output), String::from_utf8_lossy(&output));
    }
    let (one, other) = (by_thread(&int3.trace, model), by_thread(&inject.trace, model));
    assert_eq!(one.len(), other.len(), "threads");
    for (a, b) in one.iter().zip(&other) {
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            assert_eq!(x, y, "event {i} of a thread");
        }
        let most = a.len().min(b.len());
        assert_eq!(a.len(), b.len(), "{:?} {:?} {:?}", &a[most..], &b[most..], &a[..most.min(9)]);
    }
    (int3, inject)
}

const CALLS: &str = "
event ticked(who: int, n: int, r: int) = native after call tick with who = arg 0, n = arg 1, r = ret
event nothing() = native before call nothing
event scaled(x: float, y: float, n: int) = native before call scaled with x = arg 0, y = arg 1, n = arg 2
event was_scaled(x: float, r: float) = native after call scaled with x = arg 0, r = ret
event many(a: int, f: int, g: int) = native before call many with a = arg 0, f = arg 5, g = arg 6
event summed(r: int) = native after call many with r = ret
event looked(n, v: int, t: int) = native before call look with n = arg 0, v = n->next->value, t = n->size
event filled(p, x: int) = native after call fill with p = arg 0, x = *arg 0
event deep(n: int, r: int) = native after call depth with n = arg 0, r = ret
event first(n: int, r: int) = native after call first with n = arg 0, r = ret
event last_begun(n: int) = native before call last with n = arg 0
event last(n: int, r: int) = native after call last with n = arg 0, r = ret
event leaving(n: int) = native before call leave with n = arg 0
event left(n: int) = native after call leaves with n = arg 0
";

fn calls() -> Arc<Model> {
    // A property observes what it mentions.
    let names: Vec<&str> = CALLS
        .lines()
        .filter_map(|l| l.strip_prefix("event ").and_then(|l| l.split('(').next()))
        .collect();
    let events: String =
        CALLS.lines().filter(|l| l.starts_with("event")).collect::<Vec<_>>().join("\n");
    let arity = |name: &str| {
        let line = CALLS.lines().find(|l| l.starts_with(&format!("event {name}("))).unwrap();
        let inside = line.split('(').nth(1).unwrap().split(')').next().unwrap();
        if inside.is_empty() { 0 } else { inside.split(',').count() }
    };
    let mention = |name: &&str| {
        let holes = vec!["_"; arity(name)].join(", ");
        format!("    on {name}({holes}) -> A\n")
    };
    let stay: String = names.iter().map(mention).collect();
    model(&format!(
        "{events}\nproperty P {{\n  start state A {{\n    on ticked(5, _, _) -> B\n{stay}  }}\n  bad state B\n}}"
    ))
}

#[test]
fn calls_of_every_shape_are_told_alike() {
    guarded(300, || {
        for flags in [&["-O0"][..], &["-O1"], &["-O2"], &["-O2", "-fno-omit-frame-pointer"]] {
            let program = compile("inside.c", flags);
            let (int3, inject) = compare_but_ticks(&program);
            let (count, reasons) = inside(&inject);
            // Functions that are not aligned and short, or begin with a call, are left out.
            assert!(count >= 6, "{flags:?}: {count} inside, {reasons:?}");
            assert_eq!(int3.found.len(), 1);
            assert_eq!(inject.found.len(), 1);
        }
    });
}

/// How often the program ticks while it waits for signals depends on the run: those events are
/// left out.
fn compare_but_ticks(program: &Path) -> (Ran, Ran) {
    let model = calls();
    let (output, status) = plain(program, &["20"]);
    let keep = |mut ran: Ran| {
        let waits = |e: &Event| e.args.len() == 3 && matches!(e.args[0], Value::Int(2));
        ran.trace.retain(|e| !waits(e));
        ran
    };
    let int3 = keep(run(program, &["20"], &model, settings(Backend::Int3)));
    let inject = keep(run(program, &["20"], &model, settings(Backend::Inject)));
    for ran in [&int3, &inject] {
        assert_eq!(ran.status.shell_code(), status);
        assert_eq!(String::from_utf8_lossy(&ran.output), String::from_utf8_lossy(&output));
        assert_eq!(ran.children, 3);
    }
    let (one, other) = (by_thread(&int3.trace, &model), by_thread(&inject.trace, &model));
    assert_eq!(one.len(), other.len(), "threads");
    for (a, b) in one.iter().zip(&other) {
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            assert_eq!(x, y, "event {i} of a thread; {:?}", inside(&inject).1);
        }
        assert_eq!(a.len(), b.len(), "events of a thread");
    }
    (int3, inject)
}

#[test]
fn frames_that_are_left_are_told_alike() {
    guarded(200, || {
        let names = ["thrower", "middle", "rethrower", "catcher", "jumper", "sleeper", "leaver"];
        let mut text = String::new();
        let mut stay = String::new();
        for name in names {
            text.push_str(&format!(
                "event {name}_in(n: int) = native before call {name} with n = arg 0\n\
                 event {name}_out(n: int, r: int) = native after call {name} with n = arg 0, r = ret\n"
            ));
            stay.push_str(&format!("    on {name}_in(_) -> A\n    on {name}_out(_, _) -> A\n"));
        }
        let model = model(&format!(
            "{text}property P {{\n  start state A {{\n    on catcher_out(48, _) -> B\n{stay}  }}\n  bad state B\n}}"
        ));
        for flags in [&["-O0"][..], &["-O2"], &["-O1", "-static"]] {
            let program = compile("inside.cpp", flags);
            let (_, inject) = compare(&program, &[], &model);
            let (count, reasons) = inside(&inject);
            assert!(count >= 10, "{flags:?}: {count} inside, {reasons:?}");
        }
    });
}

#[test]
fn events_of_other_objects_are_left_out_even_if_their_call_is_recorded() {
    guarded(100, || {
        let model = model(
            "event ended(o) = native before call ended with o = arg 0\n\
             event used(o) = native before call used with o = arg 0\n\
             event counted(o) = native before call used with o = arg 0\n\
             property Ended(o) {\n  start state A { on ended(o) -> B }\n  \
             state B { on used(o) -> C }\n  bad state C\n}\n\
             property Counted(o) {\n  start state A { on counted(o) -> B }\n  \
             state B { on counted(o) -> A }\n}",
        );
        let program = compile("ended.c", &["-O1"]);
        for backend in [Backend::Int3, Backend::Inject] {
            let settings = Settings { backend, ..Settings::default() };
            let ran = run_unrecorded(&program, &[], &model, settings);
            assert_eq!(ran.found.len(), 1, "{backend:?}");
            assert_eq!(ran.instances[0], Some(1), "{backend:?}");
            let is_inside = ran.trampolines > 0;
            assert_eq!(is_inside, backend == Backend::Inject);
            let [ended, used, counted] = ran.of_world() else { panic!("there are three events") };
            assert_eq!((*ended, *counted), (1, 701), "{backend:?}");
            // Few objects share a mark with the one that was ended.
            assert!(if is_inside { *used <= 101 } else { *used == 701 }, "{backend:?}: {used}");
        }
    });
}

#[test]
fn many_threads_lose_no_event() {
    guarded(600, || {
        let program = compile("queue.c", &["-O1"]);
        let model = model(&example("queue.ww"));
        let rounds = if soak() { 100 } else { 5 };
        let expected = run(&program, &["5", "20", "3"], &model, settings(Backend::Int3));
        for _ in 0..rounds {
            let ran = run(&program, &["5", "20", "3"], &model, settings(Backend::Inject));
            assert!(inside(&ran).0 > 0, "{:?}", inside(&ran).1);
            assert_eq!(ran.of_world(), expected.of_world());
            let mut reference = Reference::new((*model).clone());
            for event in &ran.trace {
                reference.step(event).unwrap();
            }
            reference.end();
            let of =
                |r: &watchword_monitor::Report| format!("{:?} {} {:?}", r.kind, r.index, r.state);
            let expected: Vec<String> = reference.reports().iter().map(of).collect();
            let got: Vec<String> = ran.found.iter().map(|f| of(&f.report)).collect();
            assert_eq!(got, expected);
        }
    });
}

#[test]
fn programs_of_the_system_are_told_alike() {
    guarded(600, || {
        let text = "
event made(p) {
  native after call malloc module \"libc\" with p = ret
  native after call calloc module \"libc\" with p = ret
}
event grown(old, new) = native after call realloc module \"libc\" with old = arg 0, new = ret
event freed(p) = native before call free module \"libc\" from outside with p = arg 0
event closed(fd: int, r: int, e: int) = native after call close module \"libc\" with fd = arg 0, r = ret, e = errno
property P {
  start state A { on made(_) -> A on grown(_, _) -> A on freed(_) -> A on closed(77, _, _) -> B }
  bad state B
}";
        let model = model(text);
        let programs: [(&str, &[&str]); 4] = [
            (
                "sqlite3",
                &[
                    ":memory:",
                    "create table t(x); insert into t values (1), (2); select sum(x) from t;",
                ],
            ),
            ("python3", &["-S", "-c", "print(sum(len(str(i)) for i in range(3000)))"]),
            (
                "bash",
                &["-c", "x=$(cat /etc/hostname); for i in 1 2 3; do echo \"$i $x\"; done; exit 3"],
            ),
            ("sort", &["-r", "/etc/passwd"]),
        ];
        for (name, args) in programs {
            let Some(program) = installed(name) else { continue };
            let (_, inject) = compare_counts(&program, args, &model);
            let (count, reasons) = inside(&inject);
            assert!(count >= 4, "{name}: {count} inside, {reasons:?}");
            assert!(inject.trampolines >= 4, "{name}: {} of {count} are left", inject.trampolines);
        }
    });
}

/// As [`compare`], for programs whose addresses decide what they do next: counts only.
fn compare_counts(program: &Path, args: &[&str], model: &Arc<Model>) -> (Ran, Ran) {
    let (output, status) = plain(program, args);
    let int3 = run(program, args, model, settings(Backend::Int3));
    let inject = run(program, args, model, settings(Backend::Inject));
    for ran in [&int3, &inject] {
        assert_eq!(ran.status.shell_code(), status);
        assert_eq!(String::from_utf8_lossy(&ran.output), String::from_utf8_lossy(&output));
    }
    assert_eq!(int3.by_event, inject.by_event, "{}", program.display());
    (int3, inject)
}

#[test]
fn a_trace_has_the_events_that_no_monitor_needs() {
    guarded(100, || {
        let model = model(
            "event used(o, n: int) = native before call used with o = arg 0, n = *arg 0\n\
             property P(o) { start state A { on used(o, 7) -> B }\n bad state B }",
        );
        let program = compile("ended.c", &["-O1"]);
        let settings = Settings { backend: Backend::Inject, ..Settings::default() };
        let ran = run(&program, &[], &model, settings.clone());
        assert!(ran.trampolines > 0, "{:?}", inside(&ran).1);
        assert_eq!(ran.trace.len(), 701);
        let ran = run_unrecorded(&program, &[], &model, settings);
        assert_eq!(ran.of_world(), [0]);
    });
}
