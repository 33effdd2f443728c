//! Going backwards at the prompt.

use std::path::Path;

use crate::prompt::Prompt;

fn back() -> Prompt {
    Prompt::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/back.c"), &[])
}

#[test]
fn lines_and_instructions_are_gone_back_on() {
    let _alone = watchword_testing::alone();
    let mut prompt = back();
    prompt.check(&[
        ("reverse-step", "error: "),
        ("break 24", "Breakpoint 1"),
        ("run", "Breakpoint 1, "),
        ("reverse-step", "error: there is no checkpoint on the way here"),
        ("checkpoint", "Checkpoint 1 at"),
        ("reverse-next", "error: what was before checkpoint 1 is not known"),
        ("next", "back.c:25"),
        ("p first", "= 12"),
        ("p total", "= 12"),
        // Over the call, and into it.
        ("reverse-next", "back.c:24"),
        ("p total", "= 0"),
        ("next", "back.c:25"),
        ("reverse-step", "back.c:19"),
        ("p total", "= 12"),
        ("reverse-step", "back.c:18"),
        ("reverse-step", "back.c:15"),
        ("p i", "= 2"),
        ("reverse-step", "back.c:11"),
        ("reverse-step", "back.c:10"),
        ("p result", "= 6"),
        ("p total", "= 6"),
        ("reverse-step", "back.c:9"),
        ("bt", "sum (all="),
        ("p n", "= 3"),
        ("reverse-finish", "back.c:16"),
        ("p i", "= 2"),
        ("reverse-next 3", "back.c:16"),
        ("p i", "= 1"),
        ("p total", "= 2"),
        // Instructions, there and back again.
        ("p $from = $pc", ""),
        ("stepi 3", ""),
        ("reverse-stepi 3", ""),
        ("p $pc == $from", "= 1"),
        // Forwards it is the same program as ever.
        ("delete", ""),
        ("break 25", "Breakpoint 2"),
        ("continue", "Breakpoint 2, "),
        ("p total", "= 12"),
        ("reverse-next", "back.c:24"),
        ("delete", ""),
        ("continue", "ended"),
    ]);
}

#[test]
fn what_would_not_be_the_truth_is_refused_with_the_reason() {
    let _alone = watchword_testing::alone();
    let mut prompt = back();
    prompt.check(&[
        ("break 25", "Breakpoint 1"),
        ("run", "Breakpoint 1, "),
        ("checkpoint", "Checkpoint 1 at"),
        ("next", "back.c:26"),
        ("next", "back.c:27"),
        ("reverse-next", "system call"),
        // Nothing has changed by the attempt.
        ("p first", "= 12"),
        ("next", "back.c:28"),
        ("checkpoint", "Checkpoint 2 at"),
        ("next", "back.c:29"),
        ("p second", "= 13"),
        ("reverse-next", "back.c:28"),
        // Nor is the time the same again.
        ("next 2", "back.c:30"),
        ("reverse-next", "error: "),
        ("info line", "back.c:30"),
        // A checkpoint that was gone back before is not on the way any more.
        ("restart 1", "Back at checkpoint 1"),
        ("next", "back.c:26"),
        ("reverse-next", ""),
        ("delete-checkpoint 1", ""),
        ("reverse-next", "error: there is no checkpoint on the way here"),
    ]);
    let mut prompt = Prompt::at("queue.c", &["2", "2"]);
    prompt.check(&[
        ("break queue_push", "Breakpoint 1 at"),
        ("run", "Breakpoint 1, "),
        ("checkpoint", "Checkpoint 1 at"),
        ("next", ""),
        ("reverse-next", "threads, and nobody knows in which order they ran"),
    ]);
}

#[test]
fn monitors_go_back_with_the_program() {
    let _alone = watchword_testing::alone();
    let mut prompt = back();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/back.ww");
    let text = std::fs::read_to_string(folder).unwrap();
    let model = crate::model(&text);
    prompt.session.load("back.ww", model).unwrap();
    prompt.check(&[
        ("break 24", "Breakpoint 1"),
        ("run", "Breakpoint 1, "),
        ("checkpoint", "Checkpoint 1 at"),
        ("break 16 if i == 2", "Breakpoint 2"),
        ("continue", "Breakpoint 2, "),
        ("slices", "seen = 2"),
        ("slices", "sum = 3"),
        // What is monitored comes with the call, which is not made yet.
        ("reverse-next", "back.c:15"),
        ("slices", "seen = 2"),
        ("reverse-next", "back.c:16"),
        ("p i", "= 1"),
        ("slices", "seen = 1"),
        ("delete", ""),
        ("continue", "the third"),
        ("slices", "Enough"),
        ("reverse-finish", "back.c:16"),
        ("slices", "seen = 2"),
        // What was found in the run that is undone is not lost, and not found twice.
        ("continue", "the third"),
        ("violations", "the third"),
    ]);
    assert_eq!(prompt.session.log().len(), 2, "{:?}", prompt.session.log());
    assert_eq!(prompt.session.log().iter().filter(|l| l.undone.is_none()).count(), 1);
}
