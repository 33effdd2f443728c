//! Processes the program has started: they are no part of a checkpoint, and run on.

use libc::pid_t;

use crate::proc;
use crate::tracer::{is_zombie, tasks};

/// Those that still run.
pub(super) fn of(pid: pid_t) -> Vec<pid_t> {
    let mut all = Vec::new();
    for tid in tasks(pid).unwrap_or_default() {
        let listed = proc::text(pid, &format!("task/{tid}/children")).unwrap_or_default();
        all.extend(listed.split_whitespace().filter_map(|p| p.parse::<pid_t>().ok()));
    }
    all.retain(|child| !is_zombie(*child));
    all
}

/// What is to be said of those that were not there at a checkpoint.
pub(super) fn warning(then: &[pid_t], now: &[pid_t]) -> Option<String> {
    match now.iter().filter(|child| !then.contains(child)).count() {
        0 => None,
        1 => Some("a child process started since the checkpoint runs on".into()),
        n => Some(format!("{n} child processes started since the checkpoint run on")),
    }
}
