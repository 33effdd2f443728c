//! Stock LLDB at a session with monitors.

use std::path::Path;

use watchword_native::session::Origin;

use crate::support::{Check, alone, compare, compile, has, launched, run, session, session_after};
use watchword_testing::Running;

/// Connects LLDB and makes it run the commands; compares the answers.
fn lldb(port: u16, program: &Path, checks: &[Check<'_>]) {
    // Without `--batch`: that ends where an exception stops a program of one thread.
    let mut args: Vec<String> = vec!["--no-lldbinit".into()];
    let mut add = |command: &str| args.extend(["-o".to_string(), command.to_string()]);
    add(&format!("gdb-remote 127.0.0.1:{port}"));
    for (command, _) in checks {
        add(command);
    }
    args.push(program.display().to_string());
    let output = run("lldb", &args);
    let mut rest = output.as_str();
    let mut found = Vec::new();
    for (command, _) in checks {
        // Every command is echoed behind the prompt.
        let echo = format!("(lldb) {command}");
        let Some(at) = rest.find(&echo) else {
            found.push("(the command was not run)".to_string());
            continue;
        };
        let after = &rest[at + echo.len()..];
        let end = after.find("\n(lldb) ").unwrap_or(after.len());
        found.push(after[..end].to_string());
        rest = &after[end..];
    }
    compare(checks, &found, &output);
}

#[test]
fn lldb_sees_threads_registers_and_verdicts() {
    if !has("lldb", "lldb_sees_threads_registers_and_verdicts") {
        return;
    }
    let _alone = alone();
    let program = compile("queue.c");
    // LLDB finds libraries only in a program that has loaded them.
    let served = session_after(launched(&program, &["5", "20", "3"]), &["queue.ww"], &["start"]);
    lldb(
        served.port,
        &program,
        &[
            ("process status", "stopped"),
            ("frame variable argc", "argc = 4"),
            ("thread list", "* thread #1"),
            ("image list -b", "libc.so"),
            ("register read rip", "rip"),
            ("register read rsp", "rsp"),
            ("register read eflags", "eflags"),
            ("register read xmm0", "xmm0"),
            ("register read mxcsr", "mxcsr"),
            ("register read st0", "st0"),
            ("register read fs_base", "fs_base"),
            ("register write rbx 77", ""),
            ("register read rbx", "0x000000000000004d"),
            ("expression per_producer", "50"),
            ("expression per_producer = 20", "20"),
            ("expression per_producer", "20"),
            ("memory read -c 16 argv", "0x"),
            ("memory region argv", "rw-"),
            ("disassemble -n queue_push -c 2", "push"),
            ("thread step-over", "stop reason = step over"),
            ("thread step-inst", "stop reason = instruction step into"),
            ("breakpoint set -n queue_new", "Breakpoint 1"),
            ("breakpoint list", "queue_new"),
            ("continue", "stop reason = breakpoint 1.1"),
            ("frame variable capacity", "capacity = 4"),
            ("thread backtrace", "main(argc=4"),
            ("frame select 1", "main"),
            ("frame select 0", "queue_new"),
            ("process plugin packet monitor checkpoint empty", "Checkpoint 1"),
            ("thread step-out", "stop reason = step out"),
            // Every producer gets there before the guilty one violates the property.
            ("breakpoint set -n queue_push -c 'item % 1000 == 2'", "Breakpoint 2"),
            ("continue", "stop reason = breakpoint 2.1"),
            ("expression item % 1000", "= 2"),
            ("breakpoint delete 1", "1 breakpoints deleted"),
            ("breakpoint delete 2", "1 breakpoints deleted"),
            ("process plugin packet monitor monitors", "NoOverflow"),
            ("process plugin packet monitor slices", "NoOverflow"),
            ("process plugin packet monitor graph", "Overflow (violation)"),
            ("process plugin packet monitor checkpoint here", "Checkpoint 2"),
            ("process plugin packet monitor info checkpoints", "here"),
            ("process plugin packet monitor next", "use its own command"),
            ("continue", "a property was violated"),
            ("thread backtrace", "queue_push"),
            ("frame variable item", "item"),
            ("thread list", "thread #20"),
            ("process plugin packet monitor violations", "into a full queue of 4"),
            // Back to where there was one thread, and forward again.
            ("process plugin packet monitor restart 9", "there is no checkpoint 9"),
            ("process plugin packet monitor restart 1", "`continue` goes back to checkpoint 1"),
            ("thread list", "thread #20"),
            ("continue", "back at a checkpoint"),
            ("thread list", "!thread #2"),
            ("thread backtrace", "queue_new(capacity=4)"),
            ("frame variable capacity", "capacity = 4"),
            ("register read rip", "queue_new"),
            ("expression per_producer", "20"),
            ("process plugin packet monitor slices", "NoOverflow: 1 slice"),
            ("process plugin packet monitor violations", "before checkpoint 1 was restored"),
            ("breakpoint set -n queue_push", "Breakpoint 3"),
            ("continue", "stop reason = breakpoint 3.1"),
            ("expression q->capacity", "= 4"),
            // A breakpoint does not outlive the way back twice, nor is it lost.
            ("process plugin packet monitor restart 1", "goes back to checkpoint 1"),
            ("continue", "back at a checkpoint"),
            ("continue", "stop reason = breakpoint 3.1"),
            ("breakpoint delete 3", "1 breakpoints deleted"),
            ("continue", "a property was violated"),
            ("process plugin packet monitor restart", "goes back to the last checkpoint"),
            ("continue", "back at a checkpoint"),
            ("thread backtrace", "queue_push"),
            ("process kill", "exited"),
        ],
    );
    served.end();
}

#[test]
fn lldb_watches_steps_and_detaches() {
    if !has("lldb", "lldb_watches_steps_and_detaches") {
        return;
    }
    let _alone = alone();
    let program = compile("thrower.cpp");
    let served = session_after(launched(&program, &[]), &[], &["start"]);
    lldb(
        served.port,
        &program,
        &[
            ("breakpoint set -n count", "Breakpoint 1"),
            ("continue", "stop reason = breakpoint 1.1"),
            ("expression twice(21)", "42"),
            ("frame variable", "i ="),
            ("thread list", "thread #1"),
            ("register read rip", "rip"),
            ("process status", "stopped"),
            ("image list -b", "libstdc++"),
            ("source info", "thrower.cpp"),
            ("expression watched", "0"),
            ("target variable watched", "watched = 0"),
            ("target variable half", "half = 0.5"),
            ("watchpoint set variable watched", "Watchpoint created"),
            ("continue", "watchpoint"),
            ("continue", "watchpoint"),
            ("watchpoint delete 1", "1 watchpoints deleted"),
            ("breakpoint delete 1", "1 breakpoints deleted"),
            // A stop for a signal would end LLDB here: it has no terminal.
            ("process handle SIGUSR1 -p false -s false", "SIGUSR1"),
            ("breakpoint set -n fail", "Breakpoint 2"),
            ("continue", "stop reason = breakpoint 2.1"),
            ("frame variable n", "n = 1"),
            ("thread step-out", "stop reason = step out"),
            ("thread step-over", "stop reason ="),
            ("detach", "detached"),
        ],
    );
    served.end();
}

#[test]
fn lldb_joins_a_program_and_leaves_it_running() {
    if !has("lldb", "lldb_joins_a_program_and_leaves_it_running") {
        return;
    }
    let _alone = alone();
    let program = compile("ticker.c");
    let child = Running::start(&program);
    let pid = child.pid();
    let served = session(Origin::Process(pid as i32), &[]);
    lldb(
        served.port,
        &program,
        &[
            ("process status", "stopped"),
            ("image list -b", "libc.so"),
            ("breakpoint set -n tick -c 'ticks % 2 == 0'", "Breakpoint 1"),
            ("continue", "stop reason = breakpoint 1.1"),
            ("expression ticks % 2", "= 0"),
            ("thread backtrace", "main"),
            ("register read rip", "tick"),
            ("expression ticks = 1000", "1000"),
            ("thread step-inst", "stop reason = instruction step into"),
            ("continue", "stop reason = breakpoint 1.1"),
            ("expression ticks > 1000", "true|1"),
            ("breakpoint disable 1", "1 breakpoints disabled"),
            ("detach", "detached"),
        ],
    );
    served.end();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    assert!(status.contains("TracerPid:\t0") && !status.contains("stop)"), "{status}");
}

#[test]
fn lldb_stops_where_exceptions_are_thrown() {
    if !has("lldb", "lldb_stops_where_exceptions_are_thrown") {
        return;
    }
    let _alone = alone();
    let program = compile("thrower.cpp");
    let served = session_after(launched(&program, &[]), &[], &["start"]);
    lldb(
        served.port,
        &program,
        &[
            ("process handle SIGUSR1 -p false -s false", "SIGUSR1"),
            ("breakpoint set -E c++", "Breakpoint 1"),
            ("continue", "stop reason = breakpoint 1."),
            ("thread backtrace", "fail(n=3)"),
            ("frame select 1", "fail"),
            ("frame variable n", "n = 3"),
            ("process plugin packet monitor checkpoint thrown", "Checkpoint 1"),
            ("expression watched = 44", "44"),
            ("process plugin packet monitor restart 1", "goes back to checkpoint 1"),
            ("continue", "back at a checkpoint"),
            ("expression watched", "3"),
            ("breakpoint delete 1", "1 breakpoints deleted"),
            ("continue", "exited with status = 3"),
        ],
    );
    served.end();
}
