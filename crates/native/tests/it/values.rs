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
fn large_arrays_of_text_and_enumerators_of_a_byte_are_what_they_are() {
    guarded(20, || {
        let program = compile("wide.cpp", &["-O0"]);
        let event = "event e(t: string, k: string, n: int) = \
            native before call look with t = text, k = kind, n = kind";
        let ran = run(&program, &[], &model(&format!("{event}\n{ALL}")), Settings::default());
        assert_eq!(seen(&ran), ["all of it Large 200"], "{:?}", ran.warnings());
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

const APART: &str = "event price(name, amount) = native before call shop::price with \
    name = name, amount = amount
event bits(a, b, c, d) = native before call bits with a = x.c, b = x.b, c = y.c, d = y.d
property P { start state S { on price(_, _) -> S
  on bits(_, _, _, _) -> S } }";

const APART_VALUES: [&str; 3] = ["apple 7", "pear null", "-200 30 9999 3"];

#[test]
fn optional_values_and_bit_fields_in_registers_are_read() {
    guarded(30, || {
        for flags in [["-gdwarf-5", "-O0"], ["-gdwarf-5", "-O2"], ["-gdwarf-4", "-O2"]] {
            let program = compile("apart.cpp", &[flags[0], flags[1], "-std=c++17"]);
            let ran = run(&program, &[], &model(APART), Settings::default());
            assert_eq!(seen(&ran), APART_VALUES, "{flags:?}: {:?}", ran.warnings());
        }
    });
}

/// The function may change or free what it got before it returns.
#[test]
fn objects_passed_by_value_are_those_of_the_entry() {
    guarded(30, || {
        let event = "event e(s, v, o, size, second) = native after call kept with \
            s = s, v = v, o = o, size = v.size, second = v[1]";
        for level in ["-O0", "-O2"] {
            let program = compile("kept.cpp", &[level, "-std=c++17"]);
            let ran = run(&program, &[], &model(&format!("{event}\n{ALL}")), Settings::default());
            let long = "a text that is too long for the object itself";
            let expected =
                ["short [one, two] 5 2 two".to_string(), format!("{long} [{long}, ] null 2 ")];
            assert_eq!(seen(&ran), expected, "{level}: {:?}", ran.warnings());
        }
    });
}

fn objcopy(args: &[&str]) {
    assert!(std::process::Command::new("objcopy").args(args).status().unwrap().success());
}

/// A copy of a program without debug information, which is in a file that the copy names.
fn apart(program: &std::path::Path, strip: &str) -> (std::path::PathBuf, std::path::PathBuf) {
    let (copy, debug) = (program.with_extension(strip), program.with_extension("debug"));
    let [from, to, other] = [program, &copy, &debug].map(|p| p.to_str().unwrap());
    objcopy(&["--only-keep-debug", from, other]);
    objcopy(&[&format!("--{strip}"), &format!("--add-gnu-debuglink={other}"), from, to]);
    (copy, debug)
}

#[test]
fn a_program_and_its_debug_information_may_be_two_files() {
    guarded(30, || {
        let program = compile("apart.cpp", &["-O1", "-std=c++17", "-Wl,--build-id=none"]);
        for strip in ["strip-debug", "strip-all"] {
            let (copy, debug) = apart(&program, strip);
            let ran = run(&copy, &[], &model(APART), Settings::default());
            assert_eq!(seen(&ran), APART_VALUES, "{strip}: {:?}", ran.warnings());
            // That of another build says something wrong.
            let other = compile("apart.cpp", &["-O0", "-std=c++17", "-Wl,--build-id=none"]);
            objcopy(&["--only-keep-debug", other.to_str().unwrap(), debug.to_str().unwrap()]);
            let ran = run(&copy, &[], &model(APART), Settings::default());
            assert!(!seen(&ran).iter().any(|v| APART_VALUES.contains(&v.as_str())), "{strip}");
        }
    });
}

/// Of a library, names are known by its symbols alone.
#[test]
fn functions_of_a_library_with_a_debug_file_have_their_names() {
    guarded(30, || {
        let flags =
            ["-O1", "-std=c++17", "-shared", "-fPIC", "-DLIBRARY", "-Wl,-soname,libapart.so"];
        let whole = compile("apart.cpp", &flags);
        let (stripped, _) = apart(&whole, "strip-all");
        let folder = stripped.parent().unwrap();
        let library = folder.join("libapart.so");
        std::fs::rename(&stripped, &library).unwrap();
        let path = format!("-Wl,-rpath,{}", folder.display());
        let link = ["-O0", "-std=c++17", "-Wl,--no-as-needed", library.to_str().unwrap(), &path];
        let program = compile("called.cpp", &link);
        for name in ["shop::price", "\"shop::*\""] {
            let event = format!("event e = native before call {name}\n{ALL}");
            let ran = run(&program, &[], &model(&event), Settings::default());
            assert_eq!(ran.trace.len(), 1, "{name}: {:?}", ran.warnings());
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
