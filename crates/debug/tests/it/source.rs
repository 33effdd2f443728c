//! Debug information, expressions, backtraces, call events by name.

use std::path::Path;

use watchword_debug::info::{DebugInfo, Kind};
use watchword_debug::{
    CallWarning, Debugger, ErrorKind, Event, ExitStatus, Owner, Phase, ProcessId, Reason, ThreadId,
    When,
};

use crate::support::*;

const MONITOR: Owner = Owner::Monitor(1);

fn start(program: &Path, args: &[&str]) -> (Debugger, ProcessId, Output) {
    let (launch, out) = launch(program, args);
    let (debugger, process) = Debugger::launch(launch).unwrap();
    (debugger, process, out)
}

/// Waits for the next event that is not about libraries.
fn next(debugger: &mut Debugger) -> Event {
    loop {
        let event = debugger.wait().unwrap();
        match event.stop.reason {
            Reason::Libraries => debugger.resume(event.stop.thread).unwrap(),
            _ => return event,
        }
    }
}

fn run_to(debugger: &mut Debugger, process: ProcessId, function: &str) -> ThreadId {
    let armed = debugger.arm_call(process, function, When::Before, Owner::Person, &[]).unwrap();
    debugger.resume_all().unwrap();
    let event = next(debugger);
    assert!(matches!(event.stop.reason, Reason::Points { .. }), "{:?}", event.stop);
    for point in armed.points {
        debugger.disarm(process, point).unwrap();
    }
    event.stop.thread
}

fn shown(
    debugger: &mut Debugger,
    process: ProcessId,
    thread: ThreadId,
    frame: usize,
    e: &str,
) -> String {
    match debugger.eval(thread, frame, e) {
        Ok(value) => debugger.show(process, &value),
        Err(error) => format!("error: {error}"),
    }
}

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// gcc at three levels, and clang where there is one.
fn builds(source: &str) -> Vec<(String, std::path::PathBuf)> {
    let mut all = Vec::new();
    for level in LEVELS {
        all.push((format!("gcc {level}"), gcc(source, &[level])));
        if let Some(program) = compile_with("clang", source, &["-g", "-pthread", level]) {
            all.push((format!("clang {level}"), program));
        }
    }
    all.push(("gcc -gdwarf-4".into(), gcc(source, &["-O1", "-gdwarf-4"])));
    all.push(("gcc -gz".into(), gcc(source, &["-O1", "-gz"])));
    all
}

#[test]
fn arguments_at_the_entry_by_convention() {
    guarded(60, || {
        for (name, program) in builds("data.c") {
            let (mut d, p, _out) = start(&program, &[]);
            let t = run_to(&mut d, p, "scalars");
            let mut see = |e: &str| shown(&mut d, p, t, 0, e);
            assert_eq!(see("i"), "-1", "{name}");
            assert_eq!(see("c"), "120 'x'", "{name}");
            assert_eq!(see("s"), "65535", "{name}");
            assert_eq!(see("l"), "1099511627776", "{name}");
            assert_eq!(see("d"), "2.5", "{name}");
            assert_eq!(see("f"), "0.25", "{name}");
            assert!(see("text").ends_with(" \"text\""), "{name} {}", see("text"));
            assert_eq!(see("*p"), r"1 '\001'", "{name}");
            assert_eq!(see("p[2]"), r"250 '\372'", "{name}");
            assert_eq!(see("seventh"), "1234567", "{name}");
            assert_eq!(see("arg 9"), r"-7 '\371'", "{name}");
            assert_eq!(see("arg 3 + arg 0"), "1099511627775", "{name}");
            assert!(see("arg 10").contains("no argument 10"), "{name}");
            let t = run_to(&mut d, p, "structures");
            let mut see = |e: &str| shown(&mut d, p, t, 0, e);
            assert_eq!(see("p"), "{a = 3, b = 4}", "{name}");
            assert_eq!(see("p.b"), "4", "{name}");
            assert_eq!(see("m"), "{d = 0.5, n = -9}", "{name}");
            assert_eq!(see("big.v[4]"), "5", "{name}");
            assert_eq!(see("f"), "{x = 1, y = 2, z = 3}", "{name}");
            assert_eq!(see("*q"), "{a = 5, b = 6}", "{name}");
            assert_eq!(see("q->b"), "6", "{name}");
        }
    });
}

#[test]
fn results_after_the_return() {
    guarded(60, || {
        for (name, program) in builds("data.c") {
            let (expected, code) = plain(&program, &[]);
            let (mut d, p, mut out) = start(&program, &[]);
            for (f, captures) in [
                ("make_pair", &["ret.b", "a", "ret"][..]),
                ("make_large", &["ret.v[3]", "x"]),
                ("halve", &["ret", "d"]),
                ("third", &["ret"]),
                ("twice", &["ret", "x", "x + ret"]),
            ] {
                d.arm_call(p, f, When::After, MONITOR, captures).unwrap();
            }
            d.resume_all().unwrap();
            let mut seen: Vec<Vec<String>> = Vec::new();
            let status = loop {
                let event = next(&mut d);
                if let Reason::Exited(status) = event.stop.reason {
                    break status;
                }
                for (_, values) in &event.values {
                    let texts = values
                        .iter()
                        .map(|v| v.as_ref().map_or_else(|e| e.to_string(), |v| d.show(p, v)))
                        .collect();
                    seen.push(texts);
                }
                d.resume(event.stop.thread).unwrap();
            };
            assert_eq!((out.text(), status.shell_code()), (expected, code), "{name}");
            assert_eq!(seen[0], ["9", "8", "{a = 8, b = 9}"], "{name}");
            assert_eq!(seen[1], ["103", "100"], "{name}");
            assert_eq!(seen[2], ["4.5", "9"], "{name}");
            assert_eq!(seen[3], ["3"], "{name}");
            // An expression with `ret` is read after the return: the argument is gone by then.
            assert_eq!(seen[4][..2], ["4", "2"], "{name}");
            assert_eq!(seen.len(), 7, "{name}");
        }
    });
}

#[test]
fn globals_fields_elements_and_casts() {
    guarded(60, || {
        for (name, program) in builds("data.c") {
            let (mut d, p, _out) = start(&program, &[]);
            let t = run_to(&mut d, p, "depth1");
            let mut see = |e: &str| shown(&mut d, p, t, 0, e);
            for (e, expected) in [
                ("first.key", "41"),
                ("first.flag", "5"),
                ("first.level", "-3"),
                ("first.color", "GREEN"),
                ("first.color == GREEN", "1"),
                ("first.next->key", "42"),
                ("first.next == &second", "1"),
                ("first.grid[1][2]", "7"),
                ("first.grid", "{{0, 0, 0}, {0, 0, 7}}"),
                ("first.f < 3.5", "1"),
                ("first.f * 2 > 6.0 && first.f / 2 + 1 < 3.0", "1"),
                ("first.f > 3 && first.f < 4", "1"),
                ("second.next", "0x0"),
                ("second.next && second.next->key", "0"),
                ("numbers[9] - numbers[8]", "17"),
                ("*(numbers + 3)", "9"),
                ("&numbers[3] - numbers", "3"),
                ("big", "18364758544493064720"),
                ("ratio", "1.5"),
                ("per_thread", "77"),
                ("word", "\"hello\""),
                ("word[1] == 'e'", "1"),
                ("bytes[3]", r"255 '\377'"),
                ("(int)bytes[3]", "255"),
                ("(signed char)bytes[3]", r"-1 '\377'"),
                ("((node_t *)(long)&first)->next->name[0]", "116 't'"),
                ("*(struct node **)&first.next == &second", "1"),
                ("1 << 4 | 3", "19"),
                ("7 % 4 * -2", "-6"),
                ("0x10 >= 16", "1"),
                ("~0", "-1"),
                ("!first.key", "0"),
                ("twice(21)", "42"),
                ("callback(4)", "8"),
            ] {
                assert_eq!(see(e), expected, "{name}: {e}");
            }
            assert!(see("first.next->name").ends_with("\"two\""));
            assert!(see("callback").contains("twice"), "{}", see("callback"));
            for (e, part) in [
                ("nonsense", "no variable named `nonsense`"),
                ("first.kex", "no member `kex`; it has key, flag"),
                ("second.next->key", "null pointer"),
                ("*first.key", "is not a pointer"),
                ("$nope", "no register and no variable $nope"),
                ("1 / 0", "division by zero"),
                ("&1", "no address"),
                ("ret", "only exists right after"),
                ("(nonsense *)1", "no type named"),
                ("*(int *)8", "cannot read memory at 0x8"),
            ] {
                assert!(see(e).contains(part), "{name}: {e}: {}", see(e));
            }
            assert_eq!(see("$rip"), see("$pc"));
        }
    });
}

#[test]
fn assignments() {
    guarded(30, || {
        let program = gcc("data.c", &["-O0"]);
        let (mut d, p, mut out) = start(&program, &[]);
        let t = run_to(&mut d, p, "depth1");
        d.assign(t, 0, "first.key", "1000").unwrap();
        d.assign(t, 0, "first.level", "-7").unwrap();
        d.assign(t, 0, "first.flag", "2").unwrap();
        d.assign(t, 0, "numbers[2]", "first.key * 2").unwrap();
        d.assign(t, 0, "ratio", "3").unwrap();
        d.assign(t, 0, "word[0]", "'J'").unwrap();
        d.assign(t, 0, "$rdi", "0").unwrap();
        let mut see = |e: &str| shown(&mut d, p, t, 0, e);
        assert_eq!(see("first.level"), "-7");
        assert_eq!(see("first.flag"), "2");
        assert_eq!(see("first.color"), "GREEN");
        assert_eq!(see("numbers[2]"), "2000");
        assert_eq!(see("ratio"), "3");
        assert_eq!(see("word"), "\"Jello\"");
        assert_eq!(see("n"), "0");
        assert!(d.assign(t, 0, "1", "2").is_err());
        assert!(d.assign(t, 0, "first", "2").is_err());
        d.resume(t).unwrap();
        loop {
            let event = next(&mut d);
            if matches!(event.stop.reason, Reason::Exited(_)) {
                break;
            }
            d.resume(event.stop.thread).unwrap();
        }
        let plain_sum: i64 = plain(&program, &[]).0.trim().parse().unwrap();
        let sum: i64 = out.text().trim().parse().unwrap();
        // n = 7 became 0, key = 41 became 1000.
        let value = |n: i64, key: i64| -> i64 {
            (0..2)
                .map(|i| {
                    let h = n + i + 1;
                    30 * h + h + key + (n + i) * (n + i) + 1
                })
                .sum()
        };
        assert_eq!(sum - plain_sum, value(0, 1000) - value(7, 41));
    });
}

#[test]
fn backtraces_and_locals_of_callers() {
    guarded(60, || {
        for (name, program) in builds("data.c") {
            let (mut d, p, _out) = start(&program, &[]);
            run_to(&mut d, p, "depth3");
            let t = run_to(&mut d, p, "twice");
            let frames = d.backtrace(t, 100).unwrap();
            let names: Vec<&str> =
                frames.iter().map(|f| f.function.as_deref().unwrap_or("?")).collect();
            assert_eq!(names[..5], ["twice", "depth3", "depth2", "depth1", "main"], "{name}");
            assert!(frames[3].line.as_ref().unwrap().file.ends_with("data.c"));
            let text = std::fs::read_to_string(sources().join("data.c")).unwrap();
            let line_of =
                |part: &str| text.lines().position(|l| l.contains(part)).unwrap() as u32 + 1;
            assert_eq!(frames[1].line.as_ref().unwrap().line, line_of("twice(local)"), "{name}");
            assert_eq!(frames[2].line.as_ref().unwrap().line, line_of("depth3(here)"), "{name}");
            let mut see = |frame: usize, e: &str| shown(&mut d, p, t, frame, e);
            assert_eq!(see(0, "x"), "80", "{name}");
            assert_eq!(see(1, "local"), "80", "{name}");
            // At -O2 callers keep values in registers they know their callees spare; what the
            // frame information does not vouch for is not shown.
            for (e, expected) in [("here", "8"), ("list->key", "41")] {
                let text = see(2, e);
                let honest = name.contains("-O2") && text.contains("optimised out");
                assert!(text == expected || honest, "{name} {e}: {text}");
            }
            if name.contains("-O0") {
                assert_eq!(see(1, "n"), "8", "{name}");
                assert_eq!(see(3, "inner"), "7", "{name}");
                assert_eq!(see(3, "i"), "0", "{name}");
                assert_eq!(see(3, "total"), "0", "{name}");
                let locals = d.locals(t, 3).unwrap();
                let names: Vec<&str> = locals.iter().map(|(v, _)| v.name.as_str()).collect();
                assert_eq!(names, ["n", "total", "i", "inner"], "{name}");
                assert!(locals.iter().all(|(_, v)| v.is_ok()));
            } else {
                // Whatever is not there is said to be not there, not invented.
                for (v, value) in d.locals(t, 3).unwrap() {
                    match value {
                        Ok(_) => {}
                        Err(e) => {
                            assert_eq!(e.kind(), ErrorKind::OptimizedOut, "{name} {} {e}", v.name)
                        }
                    }
                }
            }
            assert!(d.eval(t, 50, "x").is_err());
        }
    });
}

#[test]
fn lines_and_prologues() {
    guarded(30, || {
        let program = gcc("data.c", &["-O0"]);
        let (mut d, p, _out) = start(&program, &[]);
        let text = std::fs::read_to_string(sources().join("data.c")).unwrap();
        let line =
            text.lines().position(|l| l.contains("int r = twice(local)")).unwrap() as u32 + 1;
        let found = d.addresses_of_line(p, "data.c", line);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1.line, line);
        d.arm_address(p, found[0].0, Owner::Person, &["local", "n"]).unwrap();
        d.resume_all().unwrap();
        let event = next(&mut d);
        let values: Vec<String> =
            event.values[0].1.iter().map(|v| d.show(p, v.as_ref().unwrap())).collect();
        assert_eq!(values, ["80", "8"]);
        assert_eq!(d.line_at(p, found[0].0).unwrap().line, line);
        // A comment has no code: the next line that has is meant.
        let next_line = d.addresses_of_line(p, "programs/data.c", 1);
        assert!(!next_line.is_empty() && next_line[0].1.line > 1);
        assert!(d.addresses_of_line(p, "nothing.c", 1).is_empty());
        assert!(d.addresses_of_line(p, "data.c", 100_000).is_empty());
        let info = DebugInfo::open(&program).unwrap();
        let f = info.functions_named("depth3")[0];
        let after = info.after_prologue(&f.instances[0]);
        assert!(after > f.instances[0].entry && f.instances[0].contains(after));
    });
}

#[test]
fn inlined_functions_and_clones_are_reported() {
    guarded(30, || {
        let program = gcc("data.c", &["-O2"]);
        let (mut d, p, _out) = start(&program, &[]);
        let e = d.arm_call(p, "folded", When::Before, MONITOR, &[]).unwrap_err();
        assert!(e.to_string().contains("exists only inlined"), "{e}");
        let e = d.arm_call(p, "depht3", When::Before, MONITOR, &[]).unwrap_err();
        assert!(e.to_string().contains("there is `depth3`"), "{e}");
        let program = gcc("calls.c", &["-O2"]);
        let (mut d, p, _out) = start(&program, &[]);
        let armed = d.arm_call(p, "tail", When::After, MONITOR, &[]).unwrap();
        assert!(
            armed.warnings.iter().any(|w| matches!(w, CallWarning::TailCalls { .. })),
            "{:?}",
            armed.warnings
        );
    });
}

#[test]
fn frames_left_by_longjmp_never_return() {
    guarded(30, || {
        for level in LEVELS {
            let program = gcc("jump.c", &[level]);
            let (expected, code) = plain(&program, &["indirect"]);
            let (mut d, p, mut out) = start(&program, &["indirect"]);
            for f in ["thrower", "outer"] {
                d.arm_call(p, f, When::AfterWithEntry, MONITOR, &["n"]).unwrap();
            }
            d.resume_all().unwrap();
            let (mut entered, mut after) = (0, 0);
            let status = loop {
                let event = next(&mut d);
                let Reason::Points { hits, .. } = &event.stop.reason else {
                    let Reason::Exited(status) = event.stop.reason else { panic!() };
                    break status;
                };
                for hit in hits {
                    match hit.phase {
                        Phase::Entered => entered += 1,
                        _ => after += 1,
                    }
                }
                d.resume(event.stop.thread).unwrap();
            };
            assert_eq!((entered, after), (24, 10), "{level}");
            assert_eq!((out.text(), status.shell_code()), (expected, code));
        }
    });
}

#[test]
fn virtual_calls_left_by_exceptions_never_return() {
    guarded(30, || {
        for level in LEVELS {
            let program = gxx("unwind.cpp", &[level]);
            let (expected, code) = plain(&program, &[]);
            let (mut d, p, mut out) = start(&program, &[]);
            d.arm_call(p, "Circle::draw", When::After, MONITOR, &["n"]).unwrap();
            let square =
                d.arm_call(p, "Square::draw", When::After, MONITOR, &["n", "ret"]).unwrap();
            d.resume_all().unwrap();
            let mut after = Vec::new();
            let status = loop {
                let event = next(&mut d);
                if let Reason::Exited(status) = event.stop.reason {
                    break status;
                }
                for (point, values) in &event.values {
                    assert_eq!(*point, square.points[0]);
                    after.push(values[1].as_ref().unwrap().as_integer().unwrap());
                }
                d.resume(event.stop.thread).unwrap();
            };
            assert_eq!(after, [5, 5], "{level}");
            assert_eq!((out.text(), status.shell_code()), (expected, code));
        }
    });
}

#[test]
fn names_of_cpp() {
    guarded(60, || {
        for level in LEVELS {
            let program = gxx("names.cpp", &[level]);
            let (expected, _) = plain(&program, &[]);
            let (mut d, p, mut out) = start(&program, &[]);
            assert_eq!(d.functions(p, "push").len(), 2);
            assert_eq!(d.functions(p, "shop::Queue::push").len(), 2);
            assert_eq!(d.functions(p, "Queue::push(int)").len(), 0);
            assert_eq!(d.functions(p, "shop::Queue::push(int)").len(), 1);
            assert_eq!(d.functions(p, "_ZN4shop5Queue4pushEi").len(), 1);
            assert_eq!(d.functions(p, "largest").len(), 2);
            assert_eq!(d.functions(p, "largest<int>").len(), 1);
            d.arm_call(
                p,
                "shop::Queue::push(int)",
                When::Before,
                MONITOR,
                &["v", "this->size", "this->id", "shop::counter"],
            )
            .unwrap();
            d.arm_call(
                p,
                "by_reference",
                When::Before,
                MONITOR,
                &["q.size", "q.items[0]", "counter"],
            )
            .unwrap();
            d.resume_all().unwrap();
            let mut seen: Vec<Vec<String>> = Vec::new();
            loop {
                let event = next(&mut d);
                if matches!(event.stop.reason, Reason::Exited(_)) {
                    break;
                }
                for (_, values) in &event.values {
                    seen.push(
                        values
                            .iter()
                            .map(|v| v.as_ref().map_or_else(|e| e.to_string(), |v| d.show(p, v)))
                            .collect(),
                    );
                }
                d.resume(event.stop.thread).unwrap();
            }
            assert_eq!(seen, [vec!["5", "0", "7", "3"], vec!["2", "5", "3"]], "{level}");
            assert_eq!(out.text(), expected);
        }
    });
}

#[test]
fn names_of_rust() {
    guarded(90, || {
        for level in ["-Copt-level=0", "-Copt-level=2"] {
            let program = rustc("oxide.rs", &[level]);
            let (expected, _) = plain(&program, &[]);
            let (mut d, p, mut out) = start(&program, &[]);
            assert_eq!(d.functions(p, "oxide::shop::Queue::push").len(), 1, "{level}");
            assert_eq!(d.functions(p, "Queue::push").len(), 0);
            d.arm_call(
                p,
                "oxide::shop::Queue::push",
                When::After,
                MONITOR,
                &["value", "self->limit", "ret"],
            )
            .unwrap();
            d.arm_call(
                p,
                "oxide::shop::total",
                When::Before,
                MONITOR,
                &["name", "values.length", "values[1]", "scale"],
            )
            .unwrap();
            d.arm_call(p, "oxide::fails", When::After, MONITOR, &["n", "ret"]).unwrap();
            d.resume_all().unwrap();
            let mut seen: Vec<String> = Vec::new();
            loop {
                let event = next(&mut d);
                if matches!(event.stop.reason, Reason::Exited(_)) {
                    break;
                }
                for (_, values) in &event.values {
                    let texts: Vec<String> = values
                        .iter()
                        .map(|v| v.as_ref().map_or_else(|e| e.to_string(), |v| d.show(p, v)))
                        .collect();
                    seen.push(texts.join(" "));
                }
                d.resume(event.stop.thread).unwrap();
            }
            assert_eq!(
                seen,
                [
                    "0 3 true",
                    "11 3 true",
                    "22 3 true",
                    "33 3 false",
                    "44 3 false",
                    "\"rust\" 3 11 2",
                    "1 1",
                    "3 3"
                ],
                "{level}"
            );
            assert_eq!(out.text(), expected);
        }
    });
}

#[test]
fn layouts_are_those_of_the_compiler() {
    let program = guarded(30, || gcc("data.c", &["-O0"]));
    let info = DebugInfo::open(&program).unwrap();
    let node = info.type_named("node").unwrap();
    assert_eq!(info.type_named("node_t").unwrap().size, node.size);
    let Kind::Structure { members, .. } = &node.kind else { panic!() };
    let offsets: Vec<(&str, u64)> = members.iter().map(|m| (m.name.as_str(), m.offset)).collect();
    assert_eq!(
        offsets,
        [
            ("key", 0),
            ("flag", 4),
            ("level", 4),
            ("color", 8),
            ("next", 16),
            ("name", 24),
            ("grid", 32),
            ("", 44)
        ]
    );
    assert_eq!(members[2].bits, Some((3, 5)));
    assert_eq!(node.size, 48);
    assert_eq!(node.member("f").unwrap().offset, 44);
}

#[test]
fn stripped_programs_still_have_symbols_of_libraries() {
    guarded(30, || {
        let program = gcc("data.c", &["-O1", "-s"]);
        let (expected, _) = plain(&program, &[]);
        let (mut d, p, mut out) = start(&program, &[]);
        assert!(d.arm_call(p, "twice", When::Before, MONITOR, &[]).is_err());
        // The library is not there before the dynamic linker has run.
        d.resume_all().unwrap();
        let mut armed = false;
        let mut hits = 0;
        loop {
            let event = d.wait().unwrap();
            match event.stop.reason {
                Reason::Exited(_) => break,
                Reason::Libraries if !armed => {
                    armed = d.arm_call(p, "puts", When::Before, MONITOR, &["arg 0"]).is_ok()
                        && d.arm_call(p, "printf", When::Before, MONITOR, &["arg 1"]).is_ok();
                }
                Reason::Points { .. } => {
                    hits += 1;
                    assert_eq!(d.show(p, event.values[0].1[0].as_ref().unwrap()), expected.trim());
                    let frames = d.backtrace(event.stop.thread, 20).unwrap();
                    assert!(frames.len() >= 2);
                }
                _ => {}
            }
            d.resume(event.stop.thread).unwrap();
        }
        assert!(armed);
        assert_eq!(hits, 1);
        assert_eq!(out.text(), expected);
    });
}

#[test]
fn code_that_a_handler_returns_into_is_not_replaced() {
    let takes = |_, _, _: &watchword_debug::info::Type| true;
    let filter = |_, _: &[watchword_debug::Word]| Ok(watchword_debug::Filter::default());
    for args in [&[][..], &["own stack"]] {
        guarded(60, || {
            let program = gcc("handled.c", &["-O1"]);
            let (mut debugger, process, _out) = start(&program, args);
            let [wanted, held, ready] = ["wanted", "held", "ready"]
                .map(|name| debugger.functions(process, name)[0].entries()[0]);
            let thread = process.main_thread();
            let reach = |debugger: &mut Debugger, address: u64| {
                let tracer = debugger.tracer_mut();
                let point = tracer.arm(process, address, When::Before, Owner::Person).unwrap();
                tracer.resume_all().unwrap();
                let stop = next(debugger).stop;
                assert!(matches!(stop.reason, Reason::Points { .. }), "{stop:?}");
                let tracer = debugger.tracer_mut();
                assert_eq!(tracer.registers(thread).unwrap().pc(), address);
                tracer.disarm(process, point).unwrap();
            };
            // In the middle of the bytes that a jump would replace.
            reach(&mut debugger, wanted + 2);
            debugger.tracer_mut().deliver(thread, 10).unwrap();
            reach(&mut debugger, held);
            debugger.arm_call(process, "wanted", When::Before, MONITOR, &[]).unwrap();
            let refused = debugger.move_inside(process, wanted, &takes, &filter);
            assert!(refused.as_ref().is_err_and(|e| e.contains("handler")), "{refused:?}");
            // When the handler has returned, nothing is in the way.
            reach(&mut debugger, ready);
            debugger.move_inside(process, wanted, &takes, &filter).unwrap();
            debugger.tracer_mut().resume_all().unwrap();
            let mut recorded = 0;
            loop {
                let stop = next(&mut debugger).stop;
                match stop.reason {
                    Reason::Recorded => recorded += debugger.tracer_mut().take_records().len(),
                    Reason::Exited(status) => {
                        assert_eq!(status, ExitStatus::Code(4 + 5));
                        break;
                    }
                    _ => debugger.tracer_mut().resume(stop.thread).unwrap(),
                }
            }
            assert_eq!(recorded, 1);
        });
    }
}
