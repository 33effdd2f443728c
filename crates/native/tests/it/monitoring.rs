//! Calls as events: all of them, with the right values, and the right verdicts.

use watchword_model::Value;
use watchword_monitor::reference::Reference;
use watchword_monitor::{Report, ReportKind};
use watchword_native::Settings;

use crate::support::{compile, example, guarded, model, plain, run, soak};

fn violations(ran: &crate::support::Ran) -> Vec<&watchword_native::Found> {
    ran.found.iter().filter(|f| f.report.kind == ReportKind::Violation).collect()
}

#[test]
fn the_overflow_is_found_at_the_guilty_push() {
    guarded(if soak() { 900 } else { 120 }, || {
        let program = compile("queue.c", &["-O1"]);
        let model = model(&example("queue.ww"));
        let expected = plain(&program, &["5", "20", "3"]);
        for _ in 0..if soak() { 100 } else { 10 } {
            let ran = run(&program, &["5", "20", "3"], &model, Settings::default());
            assert_eq!(
                (ran.output.as_slice(), ran.status.shell_code()),
                (&*expected.0, expected.1)
            );
            let found = violations(&ran);
            assert_eq!(found.len(), 1);
            let Value::Ptr(queue) = found[0].report.binding[0].1 else { panic!("no queue") };
            let made = ran.trace.iter().find(|e| model.events[e.kind.index()].name == "made");
            assert!(made.unwrap().args[0].same(&Value::Ptr(queue)));
            // Whoever is guilty pushes 3501 and on; which of them is one too many varies.
            assert!(found[0].report.message.starts_with("a push of 350"), "{:?}", found[0].report);
            let frames: Vec<&str> =
                found[0].backtrace.iter().take(2).map(|f| f.function.as_str()).collect();
            assert_eq!(frames, ["queue_push", "produce"]);
            let location = found[0].listed.location.as_ref().unwrap();
            assert!(location.file.as_deref().unwrap().ends_with("queue.c"));
            assert_eq!(location.function.as_deref(), Some("produce"));
        }
        let ran = run(&program, &["5", "20"], &model, Settings::default());
        assert!(violations(&ran).is_empty());
    });
}

/// After a call, the next line to be executed is not where the program was.
#[test]
fn the_backtrace_of_a_return_begins_at_the_call() {
    guarded(60, || {
        let program = compile("closed.c", &["-O0", "-g"]);
        let model = model(
            "event closed(fd: int) = native after call close with fd = arg 0\n\
             property P(fd) { start state A { on closed(fd) -> B }\n\
               state B { on closed(fd) -> Bad } bad state Bad }",
        );
        let ran = run(&program, &[], &model, Settings::default());
        let found = violations(&ran);
        assert_eq!(found.len(), 1);
        let place = found[0].listed.location.as_ref().unwrap();
        let innermost = &found[0].backtrace[0];
        assert_eq!((innermost.function.as_str(), innermost.line), ("main", Some(5)));
        assert_eq!(place.line, innermost.line);
    });
}

#[test]
fn no_event_is_lost_with_many_threads() {
    guarded(if soak() { 1800 } else { 300 }, || {
        let program = compile("threads.c", &["-O1"]);
        let model = model(
            "event tick(who: int, n: int) = native before call tick with who = arg 0, n = arg 1\n\
             event done(who: int) = native after call tick with who = ret\n\
             property P(who) { also done\n start state S { on tick(who, _) -> S } }",
        );
        for threads in [2u64, 8, 25] {
            let calls = if soak() { 20_000 } else { 20_000 / threads };
            let args = [threads.to_string(), calls.to_string()];
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let ran = run(&program, &args, &model, Settings::default());
            let expected = plain(&program, &args);
            assert_eq!(
                (ran.output.as_slice(), ran.status.shell_code()),
                (&*expected.0, expected.1)
            );
            let count = |name: &str| {
                let at = model.events.iter().position(|e| e.name == name).unwrap();
                ran.by_event[at]
            };
            assert_eq!(count("tick"), threads * calls, "{threads} threads");
            assert_eq!(count("done"), threads * calls, "{threads} threads");
            // Every thread's own calls are all there, and in order.
            for who in 0..threads {
                let mine: Vec<i64> = ran
                    .trace
                    .iter()
                    .filter(|e| e.args.len() == 2 && e.args[0].same(&Value::Int(who as i64)))
                    .map(|e| if let Value::Int(n) = e.args[1] { n } else { -1 })
                    .collect();
                assert!(mine.iter().copied().eq(0..calls as i64), "thread {who} of {threads}");
            }
        }
    });
}

/// What is compared of a report.
fn shown(report: &Report) -> String {
    let Report { property, kind, index, binding, state, message, .. } = report;
    format!("{property:?} {kind:?} {index} {binding:?} {state:?} {message}")
}

#[test]
fn verdicts_are_the_references_on_the_collected_trace() {
    guarded(120, || {
        let program = compile("queue.c", &["-O1"]);
        let model = model(&example("queue.ww"));
        for settings in [Settings::default(), Settings { dynamic: false, ..Settings::default() }] {
            let ran = run(&program, &["4", "4", "1"], &model, settings);
            let mut reference = Reference::new((*model).clone());
            for event in &ran.trace {
                reference.step(event).unwrap();
            }
            reference.end();
            let expected: Vec<String> = reference.reports().iter().map(shown).collect();
            let got: Vec<String> = ran.found.iter().map(|f| shown(&f.report)).collect();
            assert_eq!(got, expected);
        }
    });
}

#[test]
fn only_what_matters_is_armed() {
    guarded(60, || {
        let program = compile("threads.c", &["-O1"]);
        // After the third call of a thread nothing can happen any more.
        let text = "event tick(who: int, n: int) = native before call tick with who = arg 0, n = arg 1\n\
                    property P { start state A { on tick(_, 0) -> B }\n\
                      state B { on tick(_, 1) -> C }\n state C { on tick(_, 2) -> D }\n bad state D }";
        let model = model(text);
        let count = |dynamic| {
            let settings = Settings { dynamic, ..Settings::default() };
            let ran = run(&program, &["1", "500"], &model, settings);
            assert_eq!(ran.found.len(), 1);
            // Inside the program nothing is disarmed.
            let is_inside = ran.trampolines > 0;
            (ran.by_event.iter().sum::<u64>(), is_inside)
        };
        assert_eq!(count(false).0, 500);
        let (told, is_inside) = count(true);
        assert_eq!(told, if is_inside { 500 } else { 3 });
    });
}

#[test]
fn libraries_loaded_late_are_watched() {
    guarded(60, || {
        let program = compile("loader.c", &["-ldl"]);
        let plugin = compile("plugin.c", &["-shared", "-fPIC"]);
        let model = model(
            "event plug(n: int, r: int) = native after call plug with n = arg 0, r = ret\n\
             property P { start state S { on plug(?n, ?r) { print \"{n} {r}\" } } }",
        );
        let args = [plugin.to_str().unwrap()];
        let ran = run(&program, &args, &model, Settings::default());
        assert_eq!(ran.said, ["0 5", "0 6", "0 5", "1 7", "0 5", "2 8"]);
        assert_eq!(ran.output, plain(&program, &args).0);
    });
}

#[test]
fn the_rarely_needed_part_of_a_function_is_no_call_of_it() {
    guarded(60, || {
        for source in ["rare.c", "rare.cpp"] {
            for flags in [&["-O2"][..], &["-O2", "-g0"], &["-O0"]] {
                let program = compile(source, flags);
                for (when, function) in
                    [("before", "check"), ("after", "check"), ("before", "\"*check*\"")]
                {
                    let model = model(&format!(
                        "event check = native {when} call {function}\n\
                         property P {{ start state S {{ on check -> S }} }}"
                    ));
                    let ran = run(&program, &[], &model, Settings::default());
                    assert_eq!(ran.trace.len(), 9, "{source} {flags:?} {when} {function}");
                    assert_eq!(ran.warnings(), [""; 0]);
                    assert_eq!(ran.output, b"45\n");
                }
            }
        }
    });
}

#[test]
fn an_object_is_destroyed_once() {
    guarded(60, || {
        for flags in ["-O0", "-O2 -fno-inline", "-O1 -g0 -fno-inline", "-O2"] {
            let flags: Vec<&str> = flags.split(' ').chain(["-lstdc++"]).collect();
            let program = compile("destroyed.cpp", &flags);
            // Three bases by themselves, two as parts of derived objects; one on the stack.
            for (name, count) in
                [("Base::~Base", 6), ("Derived::~Derived", 2), ("{Base,Derived}::~*", 8)]
            {
                // The parts of derived objects may be destroyed inline.
                if flags[0] == "-O2" && flags.len() == 2 && name != "Derived::~Derived" {
                    continue;
                }
                for when in ["before", "after"] {
                    let model = model(&format!(
                        "event gone = native {when} call \"{name}\"\n\
                         property P {{ start state S {{ on gone -> S }} }}"
                    ));
                    let ran = run(&program, &[], &model, Settings::default());
                    assert_eq!(ran.trace.len(), count, "{flags:?} {when} {name}");
                    assert_eq!(ran.output, b"BBBDBDBB");
                }
            }
        }
    });
}

#[test]
fn a_call_with_no_way_back_is_said_and_the_program_goes_on() {
    guarded(60, || {
        let program = compile("rare.c", &["-O1"]);
        let model = model(
            "event left = native after call leave\n\
             property P { start state S { on left -> S } }",
        );
        let ran = run(&program, &["leave"], &model, Settings::default());
        assert_eq!((ran.trace.len(), ran.status.shell_code()), (0, 5));
        assert_eq!(ran.output, b"45\n");
        let why = "the return of a call is not observed: there is no code at 0x0";
        assert_eq!(ran.warnings(), [why]);
    });
}

#[test]
fn what_cannot_be_seen_is_said() {
    guarded(60, || {
        let program = compile("queue.c", &["-O2"]);
        let misspelt = model(
            "event push(q) = native before call queue_psh with q = arg 0\n\
             property P(q) { start state S { on push(q) -> S } }",
        );
        let ran = run(&program, &["1", "1"], &misspelt, Settings::default());
        assert_eq!(ran.missing.len(), 1);
        assert!(ran.missing[0].contains("queue_push"), "{:?}", ran.missing);

        let unreadable = model(
            "event push(x: string) = native before call queue_push with x = no_such_variable\n\
             property P { start state S { on push(_) -> S } }",
        );
        let ran = run(&program, &["1", "1"], &unreadable, Settings::default());
        let warnings = ran.warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("no_such_variable"), "{warnings:?}");
    });
}

#[test]
fn stripped_programs_have_nothing_to_say_and_run_on() {
    guarded(60, || {
        let program = compile("queue.c", &["-O1", "-s"]);
        let model = model(&example("queue.ww"));
        let ran = run(&program, &["2", "2"], &model, Settings::default());
        assert_eq!(ran.missing.len(), 3);
        assert_eq!(ran.status.shell_code(), 0);
        assert_eq!(ran.output, plain(&program, &["2", "2"]).0);
    });
}
