//! Programs of the system: their output and status are those of an unmonitored run.

use watchword_native::Settings;

use crate::support::{example, guarded, installed, model, plain, run};

/// Program and arguments; everything reads files that are on every such system.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("cat", &["/etc/passwd"]),
    ("sort", &["-r", "/etc/passwd"]),
    ("wc", &["/etc/passwd", "/etc/group"]),
    ("head", &["-n", "3", "/etc/passwd"]),
    ("tail", &["-n", "3", "/etc/passwd"]),
    ("cut", &["-d:", "-f1", "/etc/passwd"]),
    ("tr", &["a", "b"]),
    ("uniq", &["/etc/passwd"]),
    ("sha256sum", &["/etc/passwd"]),
    ("md5sum", &["/etc/group"]),
    ("base64", &["/etc/passwd"]),
    ("od", &["-c", "/etc/hostname"]),
    ("stat", &["-c", "%s", "/etc/passwd"]),
    ("ls", &["-1", "/etc/apt"]),
    ("grep", &["root", "/etc/passwd"]),
    ("sed", &["-n", "1p", "/etc/passwd"]),
    ("gawk", &["-F:", "{ print $1 }", "/etc/passwd"]),
    ("mawk", &["-F:", "{ print $1 }", "/etc/passwd"]),
    ("find", &["/etc/apt", "-type", "f"]),
    ("tar", &["-cf", "-", "-C", "/etc", "--mtime=2020-01-01", "passwd"]),
    ("gzip", &["-nc", "/etc/passwd"]),
    ("bzip2", &["-c", "/etc/passwd"]),
    ("xz", &["-c", "/etc/passwd"]),
    ("diff", &["/etc/passwd", "/etc/group"]),
    ("seq", &["1", "100"]),
    ("factor", &["123456789"]),
    ("expr", &["6", "*", "7"]),
    ("false", &[]),
    ("bash", &["-c", "x=$(cat /etc/hostname); for i in 1 2 3; do echo \"$i $x\"; done; exit 3"]),
    ("dash", &["-c", "echo a | cat; kill -TERM $$"]),
    (
        "sqlite3",
        &[":memory:", "create table t(x); insert into t values (1), (2); select sum(x) from t;"],
    ),
    ("perl", &["-e", "print join(',', map { $_ * 2 } 1..5), \"\\n\""]),
    ("make", &["--version"]),
    ("git", &["--version"]),
    ("gdbus", &["help"]),
    ("gapplication", &["help"]),
];

#[test]
fn output_and_status_are_those_of_an_unmonitored_run() {
    guarded(600, || {
        let model = model(&example("files.ww"));
        let mut compared = 0;
        for (name, args) in PROGRAMS {
            let Some(program) = installed(name) else { continue };
            let expected = plain(&program, args);
            let ran = run(&program, args, &model, Settings::default());
            assert_eq!(ran.status.shell_code(), expected.1, "{name}");
            assert_eq!(
                String::from_utf8_lossy(&ran.output),
                String::from_utf8_lossy(&expected.0),
                "{name}"
            );
            assert!(ran.found.is_empty(), "{name}: {:?}", ran.found);
            compared += 1;
        }
        assert!(compared >= 20, "only {compared} programs are installed");
    });
}

#[test]
fn no_invalidated_iterator_is_used_in_glib_programs() {
    guarded(120, || {
        let model = model(&example("glib-iterator.ww"));
        let programs: [(&str, &[&str]); 2] =
            [("gapplication", &["list-apps"]), ("gdbus", &["help"])];
        for (name, args) in programs {
            let Some(program) = installed(name) else { continue };
            let settings = Settings { dynamic: false, ..Settings::default() };
            let ran = run(&program, args, &model, settings);
            let expected = plain(&program, args);
            assert_eq!(ran.status.shell_code(), expected.1);
            assert_eq!(ran.output, expected.0);
            assert!(ran.by_event.iter().sum::<u64>() > 0, "no event of GLib's tables was seen");
            assert!(ran.found.is_empty(), "{:?}", ran.found);
        }
    });
}
