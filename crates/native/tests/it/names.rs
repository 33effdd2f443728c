//! Which functions a name means.

use watchword_native::{Backend, Settings};

use crate::support::*;

fn count(program: &std::path::Path, event: &str) -> usize {
    let text = format!("{event}\nproperty P {{ start state S {{ on e(..) -> S }} }}");
    let ran = run(program, &[], &model(&text), Settings::default());
    assert_eq!(ran.status, watchword_debug::ExitStatus::Code(0));
    ran.trace.len()
}

#[test]
fn a_bare_name_is_no_method() {
    guarded(20, || {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../properties/posix/programs");
        let source = std::path::Path::new(folder).join("double-free.ok-methods.cpp");
        let program = compile_file(&source, &["-O1"]);
        assert_eq!(
            count(&program, "event e(p) = native before call free from outside with p = arg 0"),
            1
        );
        assert_eq!(count(&program, "event e = native before call Pool::free"), 2);
        assert_eq!(count(&program, "event e = native before call \"*::free\""), 4);
        assert_eq!(
            count(&program, "event e = native before call close module \"libc\" from outside"),
            0
        );
    });
}

#[test]
fn two_names_of_one_function_are_one_event() {
    guarded(20, || {
        let program = compile("called.c", &[]);
        let event =
            "event e(fd: int) { native after call open module \"libc\" from outside with fd = ret
            native after call open64 module \"libc\" from outside with fd = ret }";
        assert_eq!(count(&program, event), 6);
    });
}

#[test]
fn of_an_allocator_and_the_one_it_replaces_one_counts() {
    guarded(20, || {
        let library = compile("interposer.c", &["-shared", "-fPIC"]);
        let program = compile("called.c", &[library.to_str().unwrap()]);
        let event =
            "event e(p) = native before call free module \"libc\" from outside with p = arg 0";
        assert_eq!(count(&program, event), 3);
    });
}

#[test]
fn relocation_by_the_dynamic_linker_is_no_update() {
    guarded(20, || {
        let program = compile("called.c", &["-fPIE", "-pie"]);
        assert_eq!(count(&program, "event e(v: int) = native update head->v with v = value"), 2);
        assert_eq!(count(&program, "event e = native write head"), 0);
    });
}

#[test]
fn returns_that_never_happen_are_told() {
    guarded(60, || {
        let text = "event left = native after call leave
            event ended = native after call exit module \"libc\"
            event jumped = native after call longjmp module \"libc\"
            event replaced(r: int) = native after call execl module \"libc\" with r = (int) ret
            property P { start state S { on left -> S on ended -> S on jumped -> S on replaced(..) -> S } }";
        for backend in [Backend::Int3, Backend::Inject] {
            let settings = Settings { backend, ..Settings::default() };
            let ran = run(&compile("leaving.c", &["-O1"]), &[], &model(text), settings);
            assert_eq!(ran.output, b"failed\n");
            assert_eq!(ran.of_world(), [0, 0, 0, 1]);
            let warnings = ran.warnings();
            for (name, what) in [
                ("leave", "does not return"),
                ("exit", "does not return"),
                ("longjmp", "does not return"),
                ("execl", "returns only if it fails"),
            ] {
                let is_told = |w: &String| w.contains(&format!("`{name}` {what}"));
                assert!(warnings.iter().any(is_told), "{name}: {warnings:?}");
            }
        }
    });
}
