//! Threads of control that are no threads: fibers, goroutines, children that borrow the memory.

use watchword_debug::ExitStatus;
use watchword_native::session::Origin;
use watchword_native::{Session, Settings};

use crate::support::*;

#[test]
fn calls_of_fibers_return_each_once() {
    guarded(60, || {
        let text = "event inner(r: int) = native after call inner with r = ret
            event outer(me: int, round: int, r: int) =
                native after call outer with me = me, round = round, r = ret
            property P { start state S { on inner(..) -> S on outer(..) -> S } }";
        let program = compile("fibers.c", &["-O1"]);
        // In the second way fibers are taken to another thread in the middle of calls, in the third
        // they take turns by `longjmp`.
        for args in [&[][..], &["threads"], &["jumps"]] {
            let ran = run(&program, args, &model(text), Settings::default());
            assert_eq!(ran.output, b"180\n");
            assert_eq!(ran.of_world(), [40, 40], "{args:?}: {:?}", ran.warnings());
            for e in ran.trace.iter().filter(|e| e.args.len() == 3) {
                let [me, round, r] =
                    [0, 1, 2].map(|i| e.args[i].to_string().parse::<i64>().unwrap());
                assert_eq!(r, me * 100 + round + 1, "{args:?}");
            }
        }
    });
}

#[test]
fn calls_that_fibers_never_end_do_no_harm() {
    guarded(60, || {
        let text = "event left(n: int) = native after call left with n = n
            event other(n: int) = native after call other with n = n
            property P { start state S { on left(..) -> S on other(..) -> S } }";
        let ran = run(&compile("abandoned.c", &["-O1"]), &[], &model(text), Settings::default());
        assert_eq!(ran.output, b"50\n");
        // Every other fiber is given up in the middle of `left`; its stack is used again.
        assert_eq!(ran.of_world(), [50, 100], "{:?}", ran.warnings());
    });
}

#[test]
fn functions_of_go_are_counted_once_and_their_returns_refused() {
    guarded(120, || {
        if installed("go").is_none() {
            // Go is no package that set-up installs; `installed` says that it is missing.
            return;
        }
        let program = go(&source("growing.go"));
        let text = "event called = native before call main.deep
            event returned = native after call main.deep
            property P { start state S { on called -> S on returned -> S } }";
        let ran = run(&program, &[], &model(text), Settings::default());
        assert_eq!(ran.status, ExitStatus::Code(0));
        assert_eq!(ran.output, b"903\n");
        assert_eq!(ran.of_world(), [903, 0]);
        let warnings = ran.warnings();
        assert!(warnings.iter().any(|w| w.contains("whose stacks move")), "{warnings:?}");
        let origin = Origin::Command(vec![program.into()]);
        let mut session = Session::new(origin, Settings::default()).unwrap();
        assert_eq!(session.main_function(), Some("main.main"));
        session.end().unwrap();
    });
}

#[test]
fn structures_of_go_are_read_from_registers() {
    guarded(120, || {
        if installed("go").is_none() {
            // Go is no package that set-up installs; `installed` says that it is missing.
            return;
        }
        let text = "event e(x: int, y: float, name) = native before call main.put \
                with x = p.x, y = p.y, name = p.name
            property P { start state S { on e(..) -> S } }";
        let ran = run(&go(&source("growing.go")), &[], &model(text), Settings::default());
        let shown: Vec<String> = ran.trace[0].args.iter().map(|v| v.to_string()).collect();
        assert_eq!(shown, ["4", "1.5", "here"], "{:?}", ran.warnings());
    });
}

#[test]
fn arguments_of_go_are_read_from_the_stack() {
    guarded(120, || {
        if installed("go").is_none() {
            // Go is no package that set-up installs; `installed` says that it is missing.
            return;
        }
        let text =
            "event e(i: int, flag: bool, first: string, list, last: string) = native before \
                call main.many with i = i, flag = flag, first = first, list = list, last = last
            property P { start state S { on e(..) -> S } }";
        let ran = run(&go(&source("growing.go")), &[], &model(text), Settings::default());
        let shown: Vec<String> = ran.trace[0].args.iter().map(|v| v.to_string()).collect();
        assert_eq!(shown, ["9", "true", "first", "[5, 6, 7]", "last one"], "{:?}", ran.warnings());
    });
}

#[test]
fn children_that_borrow_the_memory_are_counted() {
    guarded(20, || {
        let text = "event e = native before call main\nproperty P { start state S { on e -> S } }";
        let ran = run(&compile("borrowed.c", &["-O0"]), &[], &model(text), Settings::default());
        assert_eq!(ran.status, ExitStatus::Code(3));
        assert_eq!(ran.children, 3);
    });
}
