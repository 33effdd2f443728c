//! Child processes that are watched, too.

use watchword_debug::ExitStatus;
use watchword_monitor::Listing;
use watchword_native::Settings;

use crate::support::*;

const LOCKS: &str = "event acquire(k: int) = native before call acquire with k = arg 0
    event release(k: int) = native before call release with k = arg 0
    event divided(n: int, child: int) = native after call divide with n = arg 0, child = ret
    property Lock(k: int) {
      start state Free { on acquire(k) -> Held on release(k) -> Wrong }
      state Held { on release(k) -> Free }
      bad state Wrong
    }
    property Divided { start state S { on divided(..) -> S } }";

#[test]
fn children_and_their_programs_are_watched_each_by_itself() {
    guarded(60, || {
        for flags in [&["-O0"], &["-O2"]] {
            let listing = Listing { most: 10, ..Listing::default() };
            let settings = Settings { follow_children: true, listing, ..Settings::default() };
            let ran = run(&compile("family.c", flags), &[], &model(LOCKS), settings);
            // The program has ended before its last child.
            assert_eq!(ran.status, ExitStatus::Code(7), "{flags:?}");
            assert_eq!(ran.of_world(), [5, 12, 6], "{flags:?}: {:?}", ran.warnings());
            // A forked child holds what its parent held; one that executes a program holds nothing.
            assert_eq!(ran.found.len(), 4, "{:?}", ran.found);
            assert!(ran.found.iter().all(|f| f.child.is_some()));
            // Two of them are at the same place.
            assert_eq!(ran.found.iter().filter(|f| f.listed.number.is_some()).count(), 3);
            assert_eq!(ran.children, 0);
            // The call that forks returns twice, with the same argument.
            let divided: Vec<String> = ran
                .trace
                .iter()
                .filter(|e| e.args.len() == 2)
                .map(|e| e.args[0].to_string())
                .collect();
            let count = |n: &str| divided.iter().filter(|d| *d == n).count();
            assert_eq!(["0", "1", "2"].map(count), [2, 2, 2]);
            assert!(ran.warnings().iter().all(|w| !w.contains("not read")), "{:?}", ran.warnings());
        }
    });
}

#[test]
fn without_being_asked_children_run_by_themselves() {
    guarded(60, || {
        let program = compile("family.c", &["-O0"]);
        let ran = run(&program, &[], &model(LOCKS), Settings::default());
        assert_eq!(ran.status, ExitStatus::Code(7));
        assert_eq!(ran.of_world(), [1, 1, 3]);
        assert!(ran.found.is_empty());
        assert_eq!(ran.children, 7);
    });
}

#[test]
fn a_child_that_breaks_a_limit_of_time_is_told() {
    guarded(60, || {
        let text = "event begins = native before call acquire
            event ends = native before call release
            property P { start state S { on begins -> T on ends -> S }
              state T within 20 ms else Late { on ends -> S } bad state Late }";
        let settings = Settings { follow_children: true, ..Settings::default() };
        let program = compile("lingering.c", &["-O1"]);
        let ran = run(&program, &[], &model(text), settings);
        assert_eq!(ran.status, ExitStatus::Code(0));
        assert_eq!(ran.found.len(), 1, "{:?}", ran.found);
        assert!(ran.found[0].child.is_some());
    });
}
