//! Checkpoints on disk, made by criu. Where there is none that works, that is what is tested.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use watchword_debug::{Criu, Debugger, ErrorKind, Launch, ProcessId};

use crate::checkpoints::{self, global, on_disk, to_end, to_mark, to_marks};
use crate::support::*;

/// A criu that works here. If there is none, that must be told with a reason and what helps.
fn usable() -> Option<Criu> {
    static FOUND: OnceLock<Option<Criu>> = OnceLock::new();
    FOUND.get_or_init(|| guarded(60, find)).clone()
}

fn find() -> Option<Criu> {
    match Criu::find() {
        Ok(criu) => Some(criu),
        Err(e) => {
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
            let told = e.to_string();
            assert!(told.contains("criu") && told.contains("; "), "{told}");
            eprintln!("only the refusal was tested: {told}");
            None
        }
    }
}

/// The folders of images that this process has.
fn folders() -> Vec<PathBuf> {
    let own = format!("watchword-criu-{}-", std::process::id());
    let all = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    all.map(|e| e.path()).filter(|p| p.to_string_lossy().contains(&own)).collect()
}

/// Runs a test of checkpoints in memory with checkpoints on disk.
fn also_on_disk(test: fn()) {
    if let Some(criu) = usable() {
        on_disk(criu, test);
        guarded(1, || assert_eq!(folders(), Vec::<PathBuf>::new()));
    }
}

macro_rules! also_on_disk {
    ($($test:ident)*) => {$(
        #[test]
        fn $test() {
            also_on_disk(checkpoints::$test);
        }
    )*};
}

also_on_disk! {
    a_single_thread_goes_back_and_forth
    five_threads_go_back_and_forth
    closed_files_are_opened_again
    positions_in_folders_come_back
    signals_are_handled_as_at_the_checkpoint
    handlers_of_traps_are_the_programs_own
    memory_that_was_discarded_moved_or_protected_comes_back
    memory_that_children_have_no_copy_of_comes_back
    signals_that_wait_and_timers_that_were_made_come_back
    names_priorities_timers_and_stacks_of_signals_come_back
    ended_threads_come_back
    a_program_ends_with_threads_of_between_two_checkpoints
    new_threads_end_when_time_goes_back
    points_and_watchpoints_of_now_survive_a_restore
    calls_in_flight_at_a_checkpoint_return_after_it
    a_killed_program_takes_its_checkpoints_with_it
    checkpoints_amid_threads_that_come_and_go
    checkpoints_amid_children_that_come_and_go
    a_program_that_is_replaced_amid_checkpoints_runs_on
    a_program_that_is_killed_amid_a_checkpoint_leaves_nothing
}

fn start_on_disk(criu: &Criu, program: &Path, args: &[&str]) -> (Debugger, ProcessId, Output) {
    let (launch, out) = launch(program, args);
    let (d, p) = to_marks(launch, Some(criu));
    (d, p, out)
}

#[test]
fn what_memory_cannot_bring_back_comes_back_from_disk() {
    let Some(criu) = usable() else { return };
    guarded(60, || {
        // Data in a pipe of its own, memory that it shares with nobody.
        for what in ["pipe", "sparse", "flags"] {
            let program = gcc("state.c", &["-O1"]);
            let (mut d, p, mut out) = start_on_disk(&criu, &program, &[what]);
            to_mark(&mut d, 5);
            let id = d.checkpoint(p).unwrap();
            for _ in 0..3 {
                d.resume_all().unwrap();
                to_mark(&mut d, 7);
                let done = d.restore(id).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert!(done.warnings.is_empty() && done.pages > 0, "{what}: {done:?}");
                assert_eq!(d.tracer().processes(), [p]);
            }
            to_end(&mut d);
            assert!(out.text().starts_with(what), "{what}: {}", out.text());
        }
        // Rights that were given up.
        let program = gcc("strict.c", &["-O1"]);
        let (mut d, p, mut out) = start_on_disk(&criu, &program, &[]);
        let t = to_mark(&mut d, 1);
        let id = d.checkpoint(p).unwrap();
        d.resume_all().unwrap();
        to_mark(&mut d, 3);
        d.restore(id).unwrap();
        let status = std::fs::read_to_string(format!("/proc/{p}/status")).unwrap();
        assert!(status.contains("Seccomp:\t0"), "{status}");
        assert_eq!(global(&mut d, t, "value"), 0);
        assert_eq!(to_end(&mut d), 4);
        assert_eq!(out.text(), "strict\n");
    });
}

#[test]
fn images_are_on_disk_for_as_long_as_they_are_wanted() {
    let Some(criu) = usable() else { return };
    guarded(60, || {
        let program = gcc("state.c", &["-O1"]);
        let (mut d, p, _out) = start_on_disk(&criu, &program, &["single"]);
        to_mark(&mut d, 2);
        let one = d.checkpoint(p).unwrap();
        let two = d.checkpoint(p).unwrap();
        let place = |d: &Debugger, id| {
            let (folder, bytes) = d.tracer().checkpoint_place(id)?;
            Some((folder.to_path_buf(), bytes))
        };
        let (first, bytes) = place(&d, one).unwrap();
        let (second, _) = place(&d, two).unwrap();
        assert!(first.is_dir() && second.is_dir() && first != second);
        // All of its memory is there, for its owner alone.
        assert!(bytes > 16 << 20, "{bytes}");
        use std::os::unix::fs::PermissionsExt;
        let folder = first.parent().unwrap();
        assert_eq!(std::fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        d.drop_checkpoint(one).unwrap();
        assert!(!first.exists() && second.is_dir());
        assert_eq!(place(&d, one), None);
        // If they are taken away, going back is refused, and nothing has changed.
        std::fs::remove_dir_all(&second).unwrap();
        let e = d.restore(two).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Refused, "{e}");
        d.resume_all().unwrap();
        to_mark(&mut d, 4);
        drop(d);
        assert_eq!(folders(), Vec::<PathBuf>::new());
    });
}

#[test]
fn what_criu_cannot_do_is_refused_and_the_program_runs_on() {
    let Some(criu) = usable() else { return };
    guarded(60, || {
        // One end of a connection to somebody else.
        let (theirs, ours) = std::os::unix::net::UnixStream::pair().unwrap();
        let program = gcc("state.c", &["-O1"]);
        let (launch, mut out) = launch(&program, &["plain"]);
        let launch = launch.stdin(std::os::fd::OwnedFd::from(theirs));
        let (mut d, p) = to_marks(launch, Some(&criu));
        let t = to_mark(&mut d, 3);
        let before = d.backtrace(t, 10).unwrap().len();
        for _ in 0..2 {
            let e = d.checkpoint(p).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Refused, "{e}");
            // What criu itself says of it.
            assert!(e.to_string().contains("sk-unix"), "{e}");
        }
        assert_eq!(d.backtrace(t, 10).unwrap().len(), before);
        let [folder] = &folders()[..] else { panic!("{:?}", folders()) };
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
        // The event of before is not told again, and none is lost.
        d.resume_all().unwrap();
        to_mark(&mut d, 4);
        assert_eq!(to_end(&mut d), plain(&program, &["plain"]).1);
        assert!(out.text().starts_with("plain"));
        drop(ours);

        // What it reads ends with the process.
        let program = gcc("folder.c", &["-O1"]);
        let (mut d, p, mut out) = start_on_disk(&criu, &program, &["/", "/proc/self/maps"]);
        to_mark(&mut d, 2);
        let e = d.checkpoint(p).unwrap_err();
        assert!(e.kind() == ErrorKind::Refused && e.to_string().contains("/maps"), "{e}");
        d.resume_all().unwrap();
        assert_eq!(to_end(&mut d), 7);
        assert!(out.text().ends_with("entries\n"));

        // A program that was joined.
        let program = gcc("idle.c", &[]);
        let mut child = std::process::Command::new(&program)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let (mut d, p) = Debugger::attach(child.id() as i32).unwrap();
        d.tracer_mut().checkpoint_with(criu.clone()).unwrap();
        let e = d.checkpoint(p).unwrap_err();
        assert!(
            e.kind() == ErrorKind::Refused && e.to_string().contains("started by Watchword"),
            "{e}"
        );
        drop(d);
        child.kill().unwrap();
        child.wait().unwrap();
    });
}

/// A file name of a test's own.
fn own_path(name: &str) -> String {
    let name = format!("criu-{name}-{}", std::process::id());
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string()
}

#[test]
fn open_files_are_those_they_were() {
    let Some(criu) = usable() else { return };
    guarded(60, || {
        let program = gcc("streams.c", &["-O1"]);
        for (what, warned, printed) in [
            // Without a name it is the program's alone, and part of the checkpoint.
            ("unnamed", false, "unnamed 0 at 6 of 6\n"),
            // With one, it stays as it is, and is written again from where it was.
            ("named", true, "named 0 at 6 of 6\n"),
        ] {
            let path = own_path(what);
            let (mut d, p, mut out) = start_on_disk(&criu, &program, &[what, &path]);
            to_mark(&mut d, 2);
            let id = d.checkpoint(p).unwrap();
            for _ in 0..3 {
                d.resume_all().unwrap();
                to_mark(&mut d, 3);
                let told = d.restore(id).unwrap().warnings;
                assert_eq!(told.iter().any(|w| w.contains("was written")), warned, "{told:?}");
            }
            assert_eq!(to_end(&mut d), 0);
            assert_eq!(out.text(), printed);
            let _ = std::fs::remove_file(path);
        }
    });
}

#[test]
fn what_would_not_be_as_it_was_is_refused_while_the_program_lives() {
    let Some(criu) = usable() else { return };
    guarded(60, || {
        let program = gcc("streams.c", &["-O1"]);
        let path = own_path("twice");
        let (mut d, p, mut out) = start_on_disk(&criu, &program, &["twice", &path]);
        to_mark(&mut d, 2);
        let id = d.checkpoint(p).unwrap();
        d.restore(id).unwrap();
        d.resume_all().unwrap();
        to_mark(&mut d, 3);
        let e = d.restore(id).unwrap_err();
        assert!(e.kind() == ErrorKind::Refused && e.to_string().contains("open twice"), "{e}");
        assert_eq!(to_end(&mut d), 0);
        assert_eq!(out.text(), "twice 97 at 6 of 6\n");
        std::fs::remove_file(path).unwrap();

        // What was read from somebody else cannot be read again.
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, b"xyz").unwrap();
        let (launch, mut out) = launch(&program, &["stdin"]);
        let launch = launch.stdin(std::os::fd::OwnedFd::from(reader));
        let (mut d, p) = to_marks(launch, Some(&criu));
        to_mark(&mut d, 2);
        let id = d.checkpoint(p).unwrap();
        // Nothing was read yet: it is the same pipe afterwards, with what is in it.
        d.restore(id).unwrap();
        d.resume_all().unwrap();
        to_mark(&mut d, 3);
        let e = d.restore(id).unwrap_err();
        assert!(e.kind() == ErrorKind::Refused && e.to_string().contains("unread bytes"), "{e}");
        assert_eq!(to_end(&mut d), 0);
        assert_eq!(out.text(), "stdin 120 at 0 of 0\n");

        let path = own_path("fifo");
        let (mut d, p, mut out) = start_on_disk(&criu, &program, &["fifo", &path]);
        to_mark(&mut d, 2);
        let e = d.checkpoint(p).unwrap_err();
        assert!(e.kind() == ErrorKind::Refused && e.to_string().contains("with a name"), "{e}");
        assert_eq!(to_end(&mut d), 0);
        assert!(out.text().starts_with("fifo"));
        std::fs::remove_file(path).unwrap();
    });
}

fn process_group(p: ProcessId) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{p}/stat")).unwrap();
    // After the name: state, parent, group.
    stat.rsplit_once(')').unwrap().1.split_whitespace().nth(2).unwrap().parse().unwrap()
}

#[test]
fn children_are_no_part_of_it() {
    let Some(criu) = usable() else { return };
    guarded(60, || {
        let program = gcc("streams.c", &["-O1"]);
        let (mut d, p, mut out) = start_on_disk(&criu, &program, &["child"]);
        to_mark(&mut d, 1);
        let e = d.checkpoint(p).unwrap_err();
        assert!(e.kind() == ErrorKind::Refused && e.to_string().contains("child processes"), "{e}");
        d.resume_all().unwrap();
        // It has none any more.
        to_mark(&mut d, 2);
        let id = d.checkpoint(p).unwrap();
        d.restore(id).unwrap();
        assert_eq!(to_end(&mut d), 0);
        assert!(out.text().starts_with("child"));

        for own_group in [false, true] {
            let (mut out, file) = capture();
            let launch = Launch::new(&program).arg("later-child").stdout(file);
            let launch = if own_group { launch.own_process_group() } else { launch };
            let (mut d, p) = to_marks(launch, Some(&criu));
            to_mark(&mut d, 2);
            let id = d.checkpoint(p).unwrap();
            d.resume_all().unwrap();
            to_mark(&mut d, 3);
            let leads = process_group(p) == p.raw();
            assert!(leads || !own_group);
            let children = std::fs::read_to_string(format!("/proc/{p}/task/{p}/children")).unwrap();
            let restored = d.restore(id);
            // Where it runs on, it is nobody's now.
            kill(children.trim().parse().unwrap(), "-KILL");
            match restored {
                Ok(done) => {
                    let told = done.warnings;
                    assert!(told.iter().any(|w| w.contains("child process")), "{told:?}");
                    assert!(!leads);
                }
                Err(e) => {
                    assert!(e.to_string().contains("process group"), "{e}");
                    assert!(leads, "{e}");
                }
            }
            assert_eq!(to_end(&mut d), 0);
            assert!(out.text().starts_with("later-child"));
        }
    });
}

/// Runs a test of these again in a container whose starter is outside of it, with the leader of
/// the session and the file that is standard input.
fn again_in_a_container(test: &str) {
    let unshare = || {
        let mut command = std::process::Command::new("unshare");
        command.args(["--pid", "--fork", "--mount-proc"]);
        command.stdin(std::fs::File::open("/dev/null").unwrap());
        command
    };
    let possible = guarded(60, || unshare().arg("true").output());
    if !possible.is_ok_and(|done| done.status.success()) {
        eprintln!("only tested outside of containers: this machine makes none");
        return;
    }
    // The shell is the first process there, which others are left to.
    let own = std::env::current_exe().unwrap();
    let ran = guarded(300, || {
        let shell = ["sh", "-c", "\"$0\" --exact \"$1\"; exit $?"];
        unshare().args(shell).arg(&own).arg(test).output().unwrap()
    });
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && told.contains("1 passed"), "{told}");
}

#[test]
fn programs_in_a_container_go_back_and_forth() {
    if usable().is_some() {
        again_in_a_container("criu::five_threads_go_back_and_forth");
        again_in_a_container("criu::children_are_no_part_of_it");
    }
}

/// A criu that is killed when it has begun to dump, after so many milliseconds.
fn short_lived(criu: &Criu, milliseconds: u32) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("short-lived-{}-{milliseconds}", std::process::id()));
    let real = criu.path().display();
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = dump ] || exec {real} \"$@\"\n{real} \"$@\" &\nsleep {}\n\
         kill -9 $!\nwait $!\nexit 9\n",
        f64::from(milliseconds) / 1000.0
    );
    std::fs::write(&path, text).unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_dump_that_is_killed_leaves_nothing() {
    let Some(criu) = usable() else { return };
    guarded(60, || {
        for milliseconds in [1, 10, 20, 30, 40, 50] {
            let path = short_lived(&criu, milliseconds);
            let program = gcc("state.c", &["-O1"]);
            let (mut d, p, mut out) = start_on_disk(&criu.at(&path), &program, &["plain"]);
            to_mark(&mut d, 3);
            let e = d.checkpoint(p).unwrap_err();
            let [folder] = &folders()[..] else { panic!("{:?}", folders()) };
            assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
            if e.is_gone() {
                // It was amid code of criu's; that this is its end is told.
                assert!(e.to_string().contains("the program has ended"), "{e}");
                assert!(to_end(&mut d) > 128);
            } else {
                // A trap of criu's may still wait for it.
                let expected = plain(&program, &["plain"]);
                let status = to_end(&mut d);
                assert!(status == expected.1 || status > 128, "{status}");
                assert!(status != expected.1 || out.text().starts_with("plain"), "{}", out.text());
            }
            drop(d);
            assert_eq!(folders(), Vec::<PathBuf>::new());
        }
    });
}
