//! Signals as events: before they are delivered, also those that nobody handles.

use std::path::Path;

use watchword_model::Value;
use watchword_monitor::ReportKind;
use watchword_native::Settings;

use crate::support::{compile, guarded, model, plain, run};

#[test]
fn a_signal_that_comes_at_the_wrong_time_is_found() {
    guarded(60, || {
        let program = compile("signals.c", &["-O1"]);
        let model = model(
            "event locked(n: int) = native before call lock with n = arg 0\n\
             event unlocked() = native before call unlock\n\
             event usr(s: int, t: int) = native signal SIGUSR1 with s = value, t = thread\n\
             event ignored(s: int) = native before signal \"SIGUSR2\" with s = value\n\
             event never(s: int) = native signal SIG{TERM,HUP} with s = value\n\
             property Calm {\n also ignored, never\n\
             start state Free { on locked(_) -> Held }\n\
             state Held { on unlocked() -> Free\n on usr(_, _) -> Bad }\n\
             bad state Bad \"a signal while the lock is held\" }",
        );
        let expected = plain(&program, &[]);
        let ran = run(&program, &[], &model, Settings { dynamic: false, ..Settings::default() });
        assert_eq!((ran.output.as_slice(), ran.status.shell_code()), (&*expected.0, expected.1));
        assert_eq!(ran.output, b"2\n");
        assert_eq!(ran.of_world(), [2, 2, 2, 1, 0], "{:?}", ran.missing);
        let violations = ran.found.iter().filter(|f| f.report.kind == ReportKind::Violation);
        assert_eq!(violations.count(), 1);
        let usr = ran.trace.iter().find(|e| model.events[e.kind.index()].name == "usr").unwrap();
        assert!(usr.args[0].same(&Value::Int(libc::SIGUSR1.into())), "{usr:?}");
    });
}

#[test]
fn a_name_that_no_signal_has_is_missing() {
    guarded(60, || {
        let program = compile("signals.c", &["-O1"]);
        let model = model(
            "event odd() = native signal SIGODD\nproperty P { start state A { on odd() -> B }\n\
             bad state B }",
        );
        let ran = run(&program, &[], &model, Settings::default());
        assert_eq!(ran.missing.len(), 1, "{:?}", ran.missing);
        assert!(ran.missing[0].contains("before signal SIGODD"), "{:?}", ran.missing);
    });
}

#[test]
fn signals_of_a_shell_are_counted() {
    guarded(60, || {
        let model = model(
            "event usr() = native signal SIGUSR1\nevent each(s: int) = native signal * with s = value\n\
             property Twice {\n also each\n start state A { on usr() -> B }\n\
             state B { on usr() -> C }\n bad state C }",
        );
        let script = "trap 'echo got' USR1; kill -USR1 $$; kill -USR1 $$; kill -WINCH $$";
        let settings = Settings { dynamic: false, ..Settings::default() };
        let ran = run(Path::new("/bin/sh"), &["-c", script], &model, settings);
        assert_eq!(ran.output, b"got\ngot\n");
        assert_eq!(ran.of_world()[0], 2);
        assert_eq!(ran.of_world()[1], 3);
        assert_eq!(ran.found.len(), 1);
    });
}
