//! Threads one by one, signals, and what is lost when a program begins anew.

use std::path::Path;

use crate::prompt::Prompt;

fn threads() -> Prompt {
    let mut prompt =
        Prompt::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/threads.c"), &[]);
    prompt.check(&[("break reached", "Breakpoint 1"), ("run", "[thread 1] reached ()")]);
    prompt
}

fn count(prompt: &mut Prompt, of: usize) -> i64 {
    let said = prompt.line(&format!("output counts[{of}]"));
    said.trim().parse().unwrap_or_else(|_| panic!("{said}"))
}

#[test]
fn threads_are_a_table() {
    let _alone = watchword_testing::alone();
    let mut prompt = threads();
    let said = prompt.line("info threads");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    let at = lines[0].find("Where").unwrap();
    assert!(lines[0].starts_with("  Id  Thread "), "{said}");
    for (i, (line, mark)) in lines[1..].iter().zip(["* 1   ", "  2   ", "  3   "]).enumerate() {
        assert!(line.starts_with(mark), "{said}");
        // `4711 "first"`, and then the place in one column.
        let (id, name) = line[6..at].trim_end().split_once(' ').unwrap();
        assert!(id.parse::<u32>().is_ok(), "{said}");
        let wanted = ["\"threads_c-", "\"first\"", "\"second\""][i];
        assert!(name.starts_with(wanted), "{said}");
        assert_eq!(&line[at - 2..at], "  ", "{said}");
    }
    assert!(lines[1][at..].starts_with("reached () at "), "{said}");
    assert!(lines[1].ends_with("threads.c:26"), "{said}");
    prompt.check(&[
        ("thread 4", "error: there is no thread 4; `info threads` lists the 3"),
        ("thread 2", "[thread 2]"),
        ("info threads", "* 2   "),
        ("thread apply 1 3 p 1 + 1", "Thread 3 ("),
        ("thread apply 7 p 1", "error: there is no thread 7"),
        ("info threads", "* 2   "),
    ]);
}

#[test]
fn the_others_stand_while_one_is_moved() {
    let _alone = watchword_testing::alone();
    let mut prompt = threads();
    prompt.check(&[
        ("set scheduler-locking", "off: all threads go on"),
        ("set scheduler-locking sometimes", "error: set scheduler-locking off|step|on"),
        ("set scheduler-locking step", "step: the other threads stand while one steps"),
        ("thread 2", "[thread 2]"),
    ]);
    let before = (count(&mut prompt, 0), count(&mut prompt, 1));
    prompt.check(&[("stepi 400", "[thread 2]")]);
    let stepped = (count(&mut prompt, 0), count(&mut prompt, 1));
    assert!(stepped.0 > before.0 && stepped.1 == before.1, "{before:?} {stepped:?}");

    // One thread alone, to a breakpoint that all of them would meet.
    prompt.check(&[
        ("set scheduler-locking on", "on: only the thread"),
        ("thread 3", "[thread 3]"),
        ("break tick", "Breakpoint 2"),
        ("continue", "Breakpoint 2, [thread 3] tick (me=1)"),
        ("continue 5", "Breakpoint 2, [thread 3] tick (me=1)"),
        ("finish", "[thread 3]"),
    ]);
    let alone = (count(&mut prompt, 0), count(&mut prompt, 1));
    assert!(alone.0 == stepped.0 && alone.1 > stepped.1, "{stepped:?} {alone:?}");
    prompt.check(&[
        ("set scheduler-locking off", "off: "),
        ("continue thread 2", "Breakpoint 2, [thread 2] tick (me=0)"),
        ("continue thread", "error: "),
        ("continue thread 9", "error: there is no thread 9"),
    ]);
    assert_eq!(count(&mut prompt, 1), alone.1);

    // All of them.
    prompt.check(&[("delete 2", ""), ("thread 2", "")]);
    for _ in 0..200 {
        prompt.line("stepi 50");
        if count(&mut prompt, 1) > alone.1 {
            return;
        }
    }
    panic!("the other thread does not go on");
}

#[test]
fn signals_are_handled_as_the_person_wants() {
    let _alone = watchword_testing::alone();
    let mut prompt = threads();
    prompt.check(&[
        ("info signals", "SIGUSR1    yes   yes    yes              user signal 1"),
        ("info signals", "SIGCHLD    no    no     yes              a child has changed"),
        ("info signals 2", "SIGINT     yes   yes    no               interrupt"),
        ("continue", "The program got SIGUSR1, user signal 1."),
        ("continue", "The program has ended with status 10."),
        ("handle SIGUSR1 nostop", "SIGUSR1    no    yes    yes "),
        ("disable 1", ""),
        ("run", "Thread 1 got SIGUSR1, user signal 1.\nThe program has ended with status 10."),
        ("handle usr1 noprint nopass", "SIGUSR1    no    no     no "),
        ("run", "The program has ended."),
        ("info signals SIGUSR1", "SIGUSR1    no    no     no "),
        ("handle 10 12 stop", "SIGUSR2    yes   yes    yes"),
        ("handle SIGUSR1 pass", "SIGUSR1    yes   yes    yes"),
        ("run", "The program got SIGUSR1"),
        ("handle SIGWHAT stop", "error: there is no signal `SIGWHAT`"),
        ("handle stop", "error: handle SIGNAL"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn what_goes_with_a_program_is_told() {
    let _alone = watchword_testing::alone();
    let mut prompt = threads();
    prompt.check(&[
        ("handle SIGUSR1 nostop noprint", ""),
        ("checkpoint", "Checkpoint 1"),
        ("watch got", "Watchpoint 2"),
        (
            "run",
            "The program begins anew: 1 checkpoint and 1 watchpoint gone; breakpoints, signals, \
             properties and the scenario stay.\n",
        ),
        ("info breakpoints", "reached"),
        ("watch got", "Watchpoint 3"),
        ("checkpoint", "Checkpoint "),
        ("continue", "Watchpoint 3: got"),
        ("continue", "has ended with status 10.\n1 checkpoint and 1 watchpoint went with it."),
        ("run", "reached ()"),
        ("checkpoint", "Checkpoint "),
        ("kill", "The program was ended. 1 checkpoint went with it."),
    ]);
    let said = prompt.line("run");
    assert!(!said.contains("anew"), "{said}");
}
