//! Values that events carry: what a call has left in memory, and types without debug information.

use watchword_model::Value;
use watchword_native::Settings;

use crate::support::*;

/// The arguments of each event of a run, in order.
fn seen(ran: &Ran) -> Vec<String> {
    let shown = |args: &[Value]| args.iter().map(Value::to_string).collect::<Vec<_>>().join(" ");
    ran.trace.iter().map(|e| shown(&e.args)).collect()
}

/// The words of the line of the program's output that begins with `first`, without it.
fn line(ran: &Ran, first: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(&ran.output).into_owned();
    let line = text.lines().find(|l| l.starts_with(first)).unwrap_or_else(|| panic!("{text}"));
    line.split(' ').skip(1).map(str::to_string).collect()
}

const ALL: &str = "property P { start state S { on e(..) -> S } }";

#[test]
fn after_a_call_memory_is_what_the_function_left_there() {
    guarded(20, || {
        for level in ["-O0", "-O2"] {
            let event = "event e(a: int, b: int, by: int, copied: int, all: int, ret_: int) = \
                native after call fill with a = out->a, b = (*out).b, by = by, copied = copy.a, \
                all = total, ret_ = ret";
            let program = compile("outputs.c", &[level]);
            let ran = run(&program, &[], &model(&format!("{event}\n{ALL}")), Settings::default());
            assert_eq!(seen(&ran), ["15 30 5 30 7 -3"], "{level}: {:?}", ran.warnings());
            assert_eq!(line(&ran, "pair"), ["15", "30", "1000"]);
        }
    });
}

#[test]
fn pointers_to_results_are_followed_after_the_return() {
    guarded(20, || {
        let program = compile("outputs.c", &[]);
        let event = "event e(p, result: int) = \
            native after call posix_memalign with p = *arg 0, result = ret";
        let ran = run(&program, &[], &model(&format!("{event}\n{ALL}")), Settings::default());
        assert_eq!(seen(&ran), [format!("{} 0", line(&ran, "memory")[1])]);

        let event = "event e(h: int) { native after call pthread_create with h = *arg 0
            native before call pthread_join with h = arg 0 }";
        let ran = run(&program, &[], &model(&format!("{event}\n{ALL}")), Settings::default());
        let thread = line(&ran, "thread").remove(0);
        assert_eq!(seen(&ran), [thread.clone(), thread]);
    });
}

#[test]
fn the_c_library_has_its_own_types() {
    guarded(20, || {
        let program = compile("outputs.c", &[]);
        let event = "event e(fd, result) = native after call close with fd = arg 0, result = ret";
        let ran = run(&program, &[], &model(&format!("{event}\n{ALL}")), Settings::default());
        assert_eq!(line(&ran, "close"), ["-1"]);
        assert!(seen(&ran).contains(&"999 -1".to_string()), "{:?}", seen(&ran));
    });
}

#[test]
fn casts_give_types_where_nobody_else_does() {
    guarded(20, || {
        let program = compile("outputs.c", &["-g0", "-O1"]);
        let event = "event e(by, result, wrong: float) = native after call fill \
            with by = (int) arg 1, result = (int) ret, wrong = (double) arg 1";
        let ran = run(&program, &[], &model(&format!("{event}\n{ALL}")), Settings::default());
        assert_eq!(seen(&ran), ["5 -3 null"]);
        let warnings = ran.warnings();
        assert!(warnings.iter().any(|w| w.contains("floating-point arguments")), "{warnings:?}");
    });
}

#[test]
fn debug_information_in_other_files_is_read_or_missed() {
    guarded(60, || {
        let event = "event e(by) = native before call fill with by = by";
        for version in ["-gdwarf-4", "-gdwarf-5"] {
            let flags = ["-O0", "-gsplit-dwarf", version];
            let program = compile("outputs.c", &flags);
            let again = || {
                let all = model(&format!("{event}\n{ALL}"));
                run(&program, &[], &all, Settings::default())
            };
            let ran = again();
            assert_eq!(seen(&ran), ["5"], "{version}: {:?}", ran.warnings());
            assert!(ran.lost.is_empty());
            // The place is told by the lines of the program's own file.
            let place = ran.trace[0].location.clone().unwrap();
            assert!(place.file.as_ref().is_some_and(|f| f.ends_with("outputs.c")), "{place:?}");
            let lost = files_beside(&program, ".dwo");
            assert_eq!(lost.len(), 1, "{lost:?}");
            std::fs::remove_file(&lost[0]).unwrap();
            let ran = again();
            assert_eq!(ran.lost.len(), 1);
            assert_eq!(seen(&ran), ["null"]);
        }
    });
}

/// The files that were made together with a program.
fn files_beside(program: &std::path::Path, ending: &str) -> Vec<std::path::PathBuf> {
    let stem = program.file_name().unwrap().to_string_lossy().into_owned();
    let files = std::fs::read_dir(program.parent().unwrap()).unwrap();
    let is_one = |p: &std::path::PathBuf| {
        let name = p.file_name().unwrap().to_string_lossy();
        name.starts_with(&stem) && name.ends_with(ending)
    };
    files.map(|f| f.unwrap().path()).filter(is_one).collect()
}
