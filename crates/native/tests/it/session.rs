//! A person at a program: steps, breakpoints, checkpoints, scenarios.

use std::ffi::OsString;
use std::path::Path;

use watchword_debug::{Access, Criu, ExitStatus};
use watchword_monitor::Said;
use watchword_native::session::{Front, Go, Halt, Origin};
use watchword_native::{Found, Session, Settings};
use watchword_scenario::{Machine, parse};

use crate::support::{compile, example, guarded, model};

/// Remembers what a person would see.
#[derive(Default)]
struct Seen {
    lines: Vec<String>,
    found: Vec<String>,
}

impl Front for Seen {
    fn print(&mut self, text: &str) {
        self.lines.push(text.to_string());
    }

    fn command(&mut self, _: &mut Session, line: &str) -> Result<(), String> {
        Err(format!("no commands here: {line}"))
    }

    fn said(&mut self, said: &Said) {
        self.lines.push(format!("{said:?}"));
    }

    fn found(&mut self, _: &Session, found: &Found) {
        self.found.push(found.report.message.clone());
    }
}

fn session(program: &Path, args: &[&str]) -> Session {
    let mut command: Vec<OsString> = vec![program.into()];
    command.extend(args.iter().map(OsString::from));
    Session::new(Origin::Command(command), Settings::default()).unwrap()
}

/// Runs a test with checkpoints in memory, and on disk where there is a criu that works. (Where there
/// is none, the tests of the command line see to it that this is told.)
fn with_checkpoints(test: impl Fn(&dyn Fn(&Path, &[&str]) -> Session)) {
    test(&session);
    if let Ok(criu) = Criu::find() {
        test(&|program, args| {
            let mut command: Vec<OsString> = vec![program.into()];
            command.extend(args.iter().map(OsString::from));
            let settings = Settings { criu: Some(criu.clone()), ..Settings::default() };
            Session::new(Origin::Command(command), settings).unwrap()
        });
    }
}

fn line(session: &mut Session) -> (String, u32) {
    let thread = session.thread().unwrap();
    let frames = session.program().debugger().backtrace(thread, 1).unwrap();
    let frame = &frames[0];
    (frame.function.clone().unwrap_or_default(), frame.line.as_ref().map_or(0, |l| l.line))
}

fn value(session: &mut Session, text: &str) -> i128 {
    let thread = session.thread().unwrap();
    session.program().debugger().eval(thread, 0, text).unwrap().as_integer().unwrap()
}

#[test]
fn steps_go_by_lines() {
    guarded(60, || {
        let program = compile("watched.c", &["-O0"]);
        let mut s = session(&program, &[]);
        let mut seen = Seen::default();
        s.set_break("main", None, true, false).unwrap();
        assert!(matches!(s.go(&Go::Continue, &mut seen).unwrap(), Halt::Breakpoint(_)));
        assert_eq!(line(&mut s), ("main".into(), 9));
        for expected in [10, 11, 12] {
            assert!(matches!(s.go(&Go::Next, &mut seen).unwrap(), Halt::Stepped));
            assert_eq!(line(&mut s).1, expected);
        }
        assert!(matches!(
            s.go(&Go::Advance("watched.c:20".into()), &mut seen).unwrap(),
            Halt::Finished(None)
        ));
        assert_eq!(line(&mut s), ("main".into(), 20));
        // Into the call, whose function is one line here, and out of it again.
        assert!(matches!(s.go(&Go::Step, &mut seen).unwrap(), Halt::Stepped));
        assert_eq!(line(&mut s), ("sum".into(), 7));
        assert_eq!(value(&mut s, "n"), 4);
        let Halt::Finished(Some(result)) = s.go(&Go::Finish, &mut seen).unwrap() else {
            panic!("not finished")
        };
        assert_eq!(result.as_integer().unwrap(), 6);
        assert_eq!(line(&mut s).0, "main");
        assert!(matches!(s.go(&Go::Next, &mut seen).unwrap(), Halt::Stepped));
        assert_eq!(line(&mut s), ("main".into(), 21));
        let before = value(&mut s, "$pc");
        assert!(matches!(s.go(&Go::StepInstruction, &mut seen).unwrap(), Halt::Stepped));
        assert_ne!(value(&mut s, "$pc"), before);
        let end = s.go(&Go::Continue, &mut seen).unwrap();
        assert!(matches!(end, Halt::Exited(ExitStatus::Code(3))), "{end:?}");
    });
}

#[test]
fn steps_are_right_while_other_threads_run_and_monitors_watch() {
    guarded(180, || {
        let program = compile("queue.c", &["-O0"]);
        let mut s = session(&program, &["4", "8"]);
        s.load("queue.ww", model(&example("queue.ww"))).unwrap();
        let mut seen = Seen::default();
        s.set_break("queue_push", Some("item == 1010"), true, false).unwrap();
        assert!(matches!(s.go(&Go::Continue, &mut seen).unwrap(), Halt::Breakpoint(_)));
        let thread = s.thread().unwrap();
        let count = value(&mut s, "q->count");
        // The lock is held: nobody else changes the queue.
        assert!(matches!(s.go(&Go::Next, &mut seen).unwrap(), Halt::Stepped));
        assert_eq!(s.thread().unwrap(), thread);
        assert_eq!(value(&mut s, "q->count"), count + 1);
        assert!(matches!(s.go(&Go::Next, &mut seen).unwrap(), Halt::Stepped));
        assert_eq!(line(&mut s).0, "produce");
        for _ in 0..6 {
            assert!(matches!(s.go(&Go::Next, &mut seen).unwrap(), Halt::Stepped));
            assert_eq!((line(&mut s).0.as_str(), s.thread().unwrap()), ("produce", thread));
        }
        assert!(matches!(
            s.go(&Go::Continue, &mut seen).unwrap(),
            Halt::Exited(ExitStatus::Code(0))
        ));
        assert!(seen.found.is_empty());
    });
}

#[test]
fn breakpoints_of_person_and_monitors_share_an_address() {
    guarded(60, || {
        let program = compile("queue.c", &["-O1"]);
        let mut s = session(&program, &["1", "1"]);
        s.load("queue.ww", model(&example("queue.ww"))).unwrap();
        let mut seen = Seen::default();
        let entry = {
            let process = s.program().process();
            s.program().debugger().functions(process, "queue_push")[0].entries()[0]
        };
        let number = s.set_break(&format!("*{entry:#x}"), None, false, false).unwrap();
        let mut hits = 0;
        let status = loop {
            match s.go(&Go::Continue, &mut seen).unwrap() {
                Halt::Breakpoint(numbers) => {
                    assert_eq!(numbers, [number]);
                    hits += 1;
                }
                Halt::Exited(status) => break status,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((hits, status), (50, ExitStatus::Code(0)));
        let monitor = &s.watched().monitors()[0];
        assert_eq!(monitor.run.events(), 101);
    });
}

#[test]
fn breakpoints_and_monitors_are_there_again_in_another_run() {
    guarded(120, || {
        let program = compile("queue.c", &["-O1"]);
        let mut s = session(&program, &["1", "1"]);
        let mut seen = Seen::default();
        // The breakpoint first: in the next run the properties are.
        let number = s.set_break("queue_push", None, false, false).unwrap();
        s.load("queue.ww", model(&example("queue.ww"))).unwrap();
        let mut events = Vec::new();
        for run in 0..3 {
            let mut hits = 0;
            loop {
                match s.go(&Go::Continue, &mut seen).unwrap() {
                    Halt::Breakpoint(_) => hits += 1,
                    Halt::Exited(status) => break assert_eq!(status, ExitStatus::Code(0)),
                    other => panic!("{other:?}"),
                }
                if run == 1 {
                    // Taken out amid the run; the properties still hear of everything.
                    s.remove_point(number).unwrap();
                }
            }
            events.push(s.watched().monitors()[0].run.observed(0));
            match run {
                0 => assert!(hits > 1, "{hits}"),
                1 => assert_eq!(hits, 1),
                _ => assert_eq!(hits, 0),
            }
            s.restart().unwrap();
        }
        assert!(events[0] > 0 && events.iter().all(|n| *n == events[0]), "{events:?}");
    });
}

#[test]
fn a_watchpoint_tells_old_and_new() {
    guarded(60, || {
        let program = compile("watched.c", &["-O0"]);
        let mut s = session(&program, &[]);
        let mut seen = Seen::default();
        s.set_break("main", None, true, false).unwrap();
        s.go(&Go::Continue, &mut seen).unwrap();
        s.set_watch("counter", Access::Write, false).unwrap();
        // A write of the same value is no change.
        for (before, after) in [("0", "1"), ("1", "2")] {
            match s.go(&Go::Continue, &mut seen).unwrap() {
                Halt::Watchpoint { old, new, .. } => {
                    assert_eq!((old.as_deref(), new.as_deref()), (Some(before), Some(after)));
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(matches!(s.go(&Go::Continue, &mut seen).unwrap(), Halt::Exited(_)));
    });
}

#[test]
fn what_a_parameter_points_to_is_watched_from_the_entry_on() {
    guarded(60, || {
        let program = compile("queue.c", &["-O0"]);
        let mut s = session(&program, &["2", "2", "1"]);
        s.load("queue.ww", model(&example("queue.ww"))).unwrap();
        let mut seen = Seen::default();
        // There `q` is in a register still.
        assert!(matches!(s.go(&Go::Continue, &mut seen).unwrap(), Halt::Violation));
        let e = s.set_watch("q", Access::Write, false).unwrap_err();
        assert!(e.to_string().contains("kept in a register"), "{e}");
        s.set_watch("q->count", Access::Write, false).unwrap();
        match s.go(&Go::Continue, &mut seen).unwrap() {
            Halt::Watchpoint { old, new, .. } => {
                assert_eq!((old.as_deref(), new.as_deref()), (Some("4"), Some("5")));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(line(&mut s).0, "queue_push");
    });
}

#[test]
fn threads_keep_their_numbers() {
    guarded(60, || {
        let program = compile("queue.c", &["-O0"]);
        let mut s = session(&program, &["3", "3"]);
        let mut seen = Seen::default();
        s.set_break("queue_pop", None, false, false).unwrap();
        let process = s.program().process();
        let mut numbers = std::collections::HashMap::new();
        while !matches!(s.go(&Go::Continue, &mut seen).unwrap(), Halt::Exited(_)) {
            let tracer = s.program().debugger().tracer();
            for thread in tracer.threads(process) {
                let number = tracer.thread_number(thread).unwrap();
                assert_eq!(*numbers.entry(thread).or_insert(number), number);
            }
        }
        // Some may have ended before anybody looked.
        let count = numbers.len();
        let all: std::collections::BTreeSet<u32> = numbers.into_values().collect();
        assert!(all.len() == count && all.iter().all(|n| (1..=7).contains(n)), "{all:?}");
    });
}

#[test]
fn writes_of_children_that_borrow_the_memory_are_told() {
    guarded(60, || {
        let program = compile("borrowed.c", &["-O0"]);
        let mut s = session(&program, &[]);
        let mut seen = Seen::default();
        s.set_break("main", None, true, false).unwrap();
        s.go(&Go::Continue, &mut seen).unwrap();
        s.set_watch("counter", Access::Write, false).unwrap();
        for _ in 0..3 {
            let halt = s.go(&Go::Continue, &mut seen).unwrap();
            assert!(matches!(halt, Halt::Watchpoint { .. }), "{halt:?}");
        }
        let end = s.go(&Go::Continue, &mut seen).unwrap();
        assert!(matches!(end, Halt::Exited(ExitStatus::Code(3))), "{end:?}");
    });
}

#[test]
fn a_watched_local_ends_with_its_function() {
    guarded(60, || {
        let program = compile("watched.c", &["-O0"]);
        let mut s = session(&program, &[]);
        let mut seen = Seen::default();
        s.set_break("sum", None, true, false).unwrap();
        s.go(&Go::Continue, &mut seen).unwrap();
        let number = s.set_watch("total", Access::Write, false).unwrap();
        let mut values = Vec::new();
        loop {
            match s.go(&Go::Continue, &mut seen).unwrap() {
                Halt::Watchpoint { new, .. } => values.extend(new),
                Halt::ScopeEnded(ended) => break assert_eq!(ended[0].0, number),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(values[values.len() - 3..], ["1", "3", "6"]);
        assert!(s.points().next().is_none());
    });
}

#[test]
fn going_back_takes_program_and_monitors_along() {
    guarded(120, || {
        with_checkpoints(|session| {
            let program = compile("queue.c", &["-O1"]);
            // Other producers may be through before the guilty push: they come back, too.
            let mut s = session(&program, &["3", "5", "0"]);
            s.load("queue.ww", model(&example("queue.ww"))).unwrap();
            let mut seen = Seen::default();
            s.set_break("queue_push", Some("item == 1"), true, false).unwrap();
            assert!(matches!(s.go(&Go::Continue, &mut seen).unwrap(), Halt::Breakpoint(_)));
            let at = |s: &mut Session| {
                let property = watchword_model::PropertyId::from_index(0);
                let slices = s.watched().monitors()[0].run.evaluator.inspect(property);
                let slices: Vec<String> =
                    slices.iter().map(|i| format!("{:?} {:?}", i.state, i.variables)).collect();
                (
                    slices,
                    s.watched().monitors()[0].run.totals().properties[0].by_event.clone(),
                    line(s),
                )
            };
            let before = at(&mut s);
            let number = s.checkpoint(Some("here")).unwrap();
            for round in 0..3 {
                assert!(matches!(s.go(&Go::Continue, &mut seen).unwrap(), Halt::Violation));
                assert_eq!(seen.found.len(), round + 1);
                assert_ne!(at(&mut s).1, before.1);
                let (restored, undone) = s.restore(None).unwrap();
                assert_eq!((restored, undone.verdicts), (number, 1));
                assert_eq!(at(&mut s), before);
            }
            assert!(s.log().iter().all(|l| l.undone == Some(number)));
            // A violation that is let be, and the run to its end.
            assert!(matches!(s.go(&Go::Continue, &mut seen).unwrap(), Halt::Violation));
            assert!(matches!(
                s.go(&Go::Continue, &mut seen).unwrap(),
                Halt::Exited(ExitStatus::Code(0))
            ));
        })
    });
}

#[test]
fn the_sudoku_mutant_is_watched_from_the_last_checkpoint_on() {
    guarded(300, || {
        with_checkpoints(|session| {
            let program = compile("sudoku.c", &["-O0"]);
            let mut s = session(&program, &[]);
            s.load("sudoku.ww", model(&example("sudoku.ww"))).unwrap();
            let (scenario, diagnostics) = parse(&example("sudoku.scn"), "sudoku.scn");
            assert!(diagnostics.is_empty(), "{diagnostics:?}");
            s.set_scenario(Some(Machine::new(scenario)));
            let mut seen = Seen::default();
            match s.go(&Go::Continue, &mut seen).unwrap() {
                Halt::Scenario(Some(message)) => assert_eq!(message, "row 3 has two 3s now"),
                other => panic!("{other:?}: {:?}", seen.lines),
            }
            assert_eq!(seen.found.len(), 2, "the same violation before and after going back");
            assert_eq!(seen.found[0], seen.found[1]);
            assert!(seen.lines.iter().any(|l| l == "row 3 is written in"), "{:?}", seen.lines);
            assert!(seen.lines.iter().any(|l| l.contains("put at ")), "{:?}", seen.lines);
            assert!(s.log()[0].undone.is_some() && s.log()[1].undone.is_none());
            // Here the last cell of row 3 has a 3 already, and another one is about to be put.
            assert_eq!(line(&mut s).0, "put");
            assert_eq!(value(&mut s, "board[3][8]"), 3);
        })
    });
}

#[test]
fn a_null_pointer_is_traced_back_to_who_made_it() {
    guarded(60, || {
        let program = compile("trail.c", &["-O0"]);
        let mut s = session(&program, &[]);
        s.load("trail.ww", model(&example("trail.ww"))).unwrap();
        let (scenario, diagnostics) = parse(&example("trail.scn"), "trail.scn");
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        s.set_scenario(Some(Machine::new(scenario)));
        let mut seen = Seen::default();
        // The crash itself says where, not why.
        assert!(matches!(s.go(&Go::Continue, &mut seen).unwrap(), Halt::Signal(11)));
        assert_eq!(line(&mut s).0, "show");
        // The last change of the variable says why.
        let last = seen.lines.iter().rposition(|l| l.starts_with("current is")).unwrap();
        assert!(seen.lines[last].contains("null"), "{:?}", seen.lines);
        assert!(seen.lines[last + 1].contains("forget_user"), "{:?}", seen.lines);
        assert!(matches!(
            s.go(&Go::Continue, &mut seen).unwrap(),
            Halt::Exited(ExitStatus::Signal(11))
        ));
    });
}

#[test]
fn a_program_that_is_killed_leaves_nothing_behind() {
    guarded(60, || {
        with_checkpoints(|session| {
            let program = compile("queue.c", &["-O1"]);
            let mut s = session(&program, &["2", "2"]);
            let mut seen = Seen::default();
            s.set_break("queue_push", None, true, false).unwrap();
            s.go(&Go::Continue, &mut seen).unwrap();
            s.checkpoint(None).unwrap();
            s.checkpoint(None).unwrap();
            let pid = s.program().process().raw().to_string();
            let killed = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap();
            assert!(killed.success());
            let end = s.go(&Go::Continue, &mut seen).unwrap();
            assert!(matches!(end, Halt::Exited(ExitStatus::Signal(9))), "{end:?}");
            assert!(s.restore(None).is_err());
            // And again from the beginning.
            s.restart().unwrap();
            assert!(matches!(
                s.go(&Go::Continue, &mut seen).unwrap(),
                Halt::Exited(ExitStatus::Code(0))
            ));
        })
    });
}
