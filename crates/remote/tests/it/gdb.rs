//! Stock GDB at a session with monitors.

use std::path::Path;

use watchword_native::session::Origin;

use crate::support::{Check, alone, answers, compare, compile, has, launched, run, session};
use watchword_testing::Running;

/// Connects GDB and makes it run the commands; compares the answers.
fn gdb(port: u16, program: &Path, checks: &[Check<'_>]) -> String {
    let script = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watchword.py");
    std::fs::write(&script, watchword_remote::GDB_SCRIPT).unwrap();
    let mut args: Vec<String> = ["-nx", "-q", "-batch"].iter().map(ToString::to_string).collect();
    let mut add = |command: &str| args.extend(["-ex".to_string(), command.to_string()]);
    for setting in ["confirm off", "pagination off", "debuginfod enabled off", "width 0"] {
        add(&format!("set {setting}"));
    }
    add(&format!("source {}", script.display()));
    add(&format!("target remote 127.0.0.1:{port}"));
    for (number, (command, _)) in checks.iter().enumerate() {
        add(&format!("echo \\n@@{number}@@\\n"));
        add(command);
    }
    add("echo \\n@@end@@\\n");
    args.push(program.display().to_string());
    let output = run("gdb", &args);
    assert!(!output.contains("while parsing"), "GDB dislikes what it is sent:\n{output}");
    compare(checks, &answers(&output, checks.len()), &output);
    output
}

#[test]
fn a_queue_with_25_threads_is_stopped_where_it_overflows() {
    if !has("gdb", "a_queue_with_25_threads_is_stopped_where_it_overflows") {
        return;
    }
    let _alone = alone();
    let program = compile("queue.c");
    let served = session(launched(&program, &["5", "20", "3"]), &["queue.ww"]);
    let threads = "python print(len(gdb.selected_inferior().threads()), 'threads')";
    let many = "python print('many' if len(gdb.selected_inferior().threads()) > 5 else 'few')";
    gdb(
        served.port,
        &program,
        &[
            ("info registers rip", "rip"),
            ("info inferiors", "process"),
            ("break main", "Breakpoint 1 at"),
            ("continue", "Breakpoint 1, main (argc=4"),
            ("info args", "argc = 4"),
            ("print argv[3]", "\"3\""),
            ("info auxv", "AT_ENTRY"),
            ("info sharedlibrary", "libc.so"),
            ("info threads", "* 1 "),
            (threads, "1 threads"),
            ("print $xmm0", "v4_float"),
            ("print $st0", "= "),
            ("print $mxcsr", "[ "),
            ("print $eflags", "[ "),
            ("print $fs_base", "= "),
            ("print $orig_rax", "= "),
            ("print/x $cs", "0x33"),
            ("set var $xmm1.v4_int32[0] = 77", ""),
            ("print $xmm1.v4_int32[0]", "= 77"),
            ("print per_producer", "= 50"),
            ("set var per_producer = 20", ""),
            ("print per_producer", "= 20"),
            ("x/2i $pc", "=>"),
            ("next", "argc > 2"),
            ("next", "argc > 3"),
            ("stepi", "0x"),
            ("info signals SIGUSR1", "User defined signal 1"),
            ("tbreak queue_new", "Temporary breakpoint 2"),
            ("continue", "queue_new (capacity=4)"),
            ("backtrace", "main (argc=4"),
            ("up", "main (argc=4"),
            ("down", "queue_new"),
            ("finish", "Value returned is"),
            ("print *$", "capacity = 4"),
            ("x/8xb queue_push", "0x55"),
            ("disassemble queue_push", "push   %rbp"),
            ("monitor monitors", "NoOverflow: "),
            ("monitor slices", "NoOverflow: 2 slices"),
            ("monitor graph", "Overflow (violation)"),
            ("verde show-graph", "Open"),
            ("verde slices", "New"),
            ("checkpoint before", "Checkpoint 1 at"),
            ("monitor info checkpoints", "before"),
            ("monitor continue", "use its own command"),
            ("monitor nonsense", "there is no command"),
            ("watch left", "atchpoint 3: left"),
            ("continue", "Old value"),
            ("delete 3", ""),
            ("delete 1", ""),
            ("continue", "into a full queue of 4"),
            ("backtrace 1", "queue_push"),
            (many, "many"),
            ("thread apply all backtrace 1", "consume|pthread|futex"),
            ("info threads", "Thread"),
            ("print *q", "capacity = 4"),
            ("monitor slices", "Overflow"),
            ("monitor violations", "into a full queue of 4"),
            ("monitor restart 9", "there is no checkpoint 9"),
            ("monitor restart 1", "`reverse-continue` goes back to checkpoint 1"),
            ("print *q", "capacity = 4"),
            ("reverse-continue", "No more reverse-execution history"),
            (threads, "1 threads"),
            ("continue", "into a full queue of 4"),
            (many, "many"),
            ("restart 1", "No more reverse-execution history"),
            (threads, "1 threads"),
            ("print per_producer", "= 20"),
            ("monitor slices", "Open"),
            ("monitor violations", "before checkpoint 1 was restored"),
            ("restart 9", "there is no checkpoint 9"),
            ("break queue_push", "Breakpoint"),
            ("continue", "queue_push (q="),
            ("reverse-continue", "No more reverse-execution history"),
            ("delete", ""),
            ("continue", "into a full queue of 4"),
            ("kill", "killed"),
        ],
    );
    served.end();
}

#[test]
fn exceptions_containers_signals_and_watchpoints() {
    if !has("gdb", "exceptions_containers_signals_and_watchpoints") {
        return;
    }
    let _alone = alone();
    let program = compile("thrower.cpp");
    let served = session(launched(&program, &[]), &[]);
    gdb(
        served.port,
        &program,
        &[
            ("break count", "Breakpoint 1"),
            ("continue", "Breakpoint 1, count"),
            ("print twice(21)", "= 42"),
            ("print mine", "= 8"),
            ("up", "main"),
            ("print numbers", "length 3"),
            ("print half", "= 0.5"),
            ("print exact", "= 1.25"),
            ("down", "count"),
            ("watch watched", "ardware watchpoint"),
            ("continue", "New value = 1"),
            ("continue", "New value = 2"),
            ("rwatch half", "ead watchpoint"),
            ("delete", ""),
            ("continue", "SIGUSR1"),
            ("handle SIGUSR1 nostop noprint nopass", ""),
            ("info signals SIGUSR1", "No"),
            ("signal 0", "exited with code 03"),
            ("info inferiors", "<null>"),
            ("info threads", "No threads"),
        ],
    );
    served.end();
}

#[test]
fn thrown_exceptions_are_caught_and_the_exit_status_is_told() {
    if !has("gdb", "thrown_exceptions_are_caught_and_the_exit_status_is_told") {
        return;
    }
    let _alone = alone();
    let program = compile("thrower.cpp");
    let served = session(launched(&program, &[]), &[]);
    gdb(
        served.port,
        &program,
        &[
            ("handle SIGUSR1 nostop noprint nopass", ""),
            ("break main", "Breakpoint 1"),
            ("continue", "Breakpoint 1, main"),
            ("catch throw", "Catchpoint 2"),
            ("continue", "exception thrown"),
            ("backtrace", "fail (n=3)"),
            ("catch catch", "Catchpoint 3"),
            ("checkpoint thrown", "Checkpoint 1 at"),
            ("continue", "exception caught"),
            ("restart", "No more reverse-execution history"),
            ("backtrace", "fail (n=3)"),
            ("continue", "exception caught"),
            ("continue", "exited with code 03"),
        ],
    );
    served.end();
}

fn state(pid: u32) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("State:")).unwrap_or_default();
    line.to_string()
}

#[test]
fn a_program_that_was_joined_goes_on_after_detach() {
    if !has("gdb", "a_program_that_was_joined_goes_on_after_detach") {
        return;
    }
    let _alone = alone();
    let program = compile("ticker.c");
    let child = Running::start(&program);
    let pid = child.pid();
    let served = session(Origin::Process(pid as i32), &[]);
    gdb(
        served.port,
        &program,
        &[
            // Files come over the connection.
            ("set sysroot target:", "from remote target"),
            ("info sharedlibrary", "target:/lib"),
            ("break tick", "Breakpoint 1"),
            ("continue", "Breakpoint 1, tick"),
            ("set $before = ticks", ""),
            ("continue", "Breakpoint 1, tick"),
            ("print ticks - $before", "= 1"),
            ("stepi", "tick"),
            ("set scheduler-locking on", ""),
            ("stepi", "0x"),
            ("detach", "detached"),
        ],
    );
    served.end();
    let text = state(pid);
    assert!(text.contains("sleeping") || text.contains("running"), "{text}");
    assert!(!text.contains("stop"), "{text}");
}

/// GDB has a breakpoint of its own where the dynamic linker says what it loaded: monitors notice the
/// libraries all the same.
#[test]
fn events_in_libraries_are_seen_while_gdb_looks_at_libraries_too() {
    if !has("gdb", "events_in_libraries_are_seen_while_gdb_looks_at_libraries_too") {
        return;
    }
    let _alone = alone();
    let program = compile("closed.c");
    let served = session(launched(&program, &[]), &["files.ww"]);
    gdb(
        served.port,
        &program,
        &[
            ("break main", "Breakpoint 1"),
            ("continue", "Breakpoint 1, main"),
            ("monitor info sharedlibrary", "libc.so"),
            ("continue", "a closed stream is used"),
            ("backtrace", "main () at"),
            ("up", "fgets(line, sizeof line, users)"),
            ("monitor violations", "ClosedStreams"),
            ("kill", "killed"),
        ],
    );
    served.end();
}

/// GDB as a person has it: with a `.gdbinit`, on a terminal.
#[test]
fn the_text_user_interface_and_gdbinit_work_while_connected() {
    let test = "the_text_user_interface_and_gdbinit_work_while_connected";
    if !has("gdb", test) || !has("script", test) {
        return;
    }
    let _alone = alone();
    let program = compile("queue.c");
    let home = watchword_testing::Scratch::new("gdb-home");
    home.write("watchword.py", watchword_remote::GDB_SCRIPT.as_bytes());
    let init = format!(
        "set confirm off\nset pagination off\nset debuginfod enabled off\nset width 0\n\
         set style enabled off\nsource {}\ndefine room\n  printf \"room for %d\\n\", q->capacity\nend\n\
         define hook-stop\n  echo (hook)\\n\nend\n",
        home.0.join("watchword.py").display()
    );
    home.write(".gdbinit", init.as_bytes());
    let served = session(launched(&program, &["5", "20", "3"]), &["queue.ww"]);
    let commands = format!(
        "target remote 127.0.0.1:{}\nbreak queue_push\ncontinue\nroom\nlayout split\nnext\nstepi\n\
         checkpoint inside\ndelete\ncontinue\nrestart 1\ntui disable\nmonitor slices\n\
         echo @@left@@\\n\nkill\nquit\n",
        served.port
    );
    let commands = home.write("commands.gdb", commands.as_bytes());
    let line = format!(
        "stty rows 50 cols 150; HOME={} TERM=xterm exec gdb -q -x {} {}",
        home.0.display(),
        commands.display(),
        program.display()
    );
    let output = run("script", &["-qefc".into(), line, "/dev/null".into()]);
    served.end();
    let (before, inside) = output.split_once("room for 4").expect(&output);
    assert!(before.contains("Breakpoint 1, queue_push") && before.contains("(hook)"), "{output}");
    // Its windows: source, instructions, where the thread stands, and what the monitors say.
    for shown in [
        "q->items[q->count++] = item;",
        "<queue_push+",
        "remote Thread",
        "PC: 0x",
        "Checkpoint 1 at",
        "into a full queue of 4",
    ] {
        assert!(inside.contains(shown), "no {shown} in {output}");
    }
    let (_, left) = inside.rsplit_once("\u{1b}[?1049l").expect(&output);
    assert!(left.contains("NoOverflow: 2 slices") && left.contains("Open"), "{output}");
    assert!(left.contains("@@left@@"), "{output}");
}
