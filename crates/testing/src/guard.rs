//! Tests of programs that run beside the test.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Tests that hold this run one after the other: those that trace programs, or have a browser.
pub fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner())
}

/// Runs a test alone, under a time limit, and checks that no process is left behind.
pub fn guarded<R>(seconds: u64, body: impl FnOnce() -> R) -> R {
    let _lock = alone();
    let done = Arc::new(AtomicBool::new(false));
    let seen = done.clone();
    let name = std::thread::current().name().unwrap_or("?").to_string();
    std::thread::spawn(move || {
        // Machines may be busy: this is against hanging, not against being slow.
        let seconds = seconds * 5;
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end {
            if seen.load(Ordering::SeqCst) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // Not eprintln: that would be kept for a report which never comes.
        let _ = writeln!(std::io::stderr(), "test {name} took longer than {seconds} s");
        for pid in children() {
            let wchan = |t: &Path| {
                let read = |f: &str| std::fs::read_to_string(t.join(f)).unwrap_or_default();
                (read("stat"), read("syscall"), read("wchan"))
            };
            for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten() {
                let Ok(path) = task.map(|task| task.path()) else { continue };
                let _ = writeln!(std::io::stderr(), "{:?}", wchan(&path));
            }
        }
        for pid in children() {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
        std::process::abort();
    });
    let before = children();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
    done.store(true, Ordering::SeqCst);
    match result {
        Ok(r) => {
            let mut left = children();
            left.retain(|pid| !before.contains(pid));
            // Those of tests beside this one end soon.
            let patience = Instant::now() + Duration::from_secs(20);
            while !left.is_empty() && Instant::now() < patience {
                std::thread::sleep(Duration::from_millis(20));
                let here = children();
                left.retain(|pid| here.contains(pid));
            }
            let states: Vec<String> = left
                .iter()
                .map(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default())
                .collect();
            assert!(left.is_empty(), "processes left behind: {states:?}");
            r
        }
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Children of this process, zombies included.
pub fn children() -> Vec<i32> {
    let own = std::process::id() as i32;
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let Some((_, rest)) = stat.rsplit_once(')') else { continue };
        if rest.split_whitespace().nth(1).and_then(|p| p.parse::<i32>().ok()) == Some(own) {
            found.push(pid);
        }
    }
    found
}
