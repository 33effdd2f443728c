//! `make bench`: what Watchword costs, as ratios against a baseline and a peer in one run.
//!
//! Prints a Markdown report; `bench/BIAS.md` says what was chosen and why.

mod native;
mod offline;
mod random;
mod stats;
mod workload;

use std::path::{Path, PathBuf};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        // Processes of their own, to measure memory.
        ["--slices", property, count] => offline::slices(property, count.parse().expect("a count")),
        ["--sessions", keys, count] => {
            offline::sessions(count.parse().expect("a count"), keys == "text");
        }
        ["--native"] => in_scratch(native::all),
        [] => all(),
        _ => {
            eprintln!("usage: watchword-bench [--native]");
            std::process::exit(2);
        }
    }
}

fn all() {
    println!("# Watchword, checking traces\n\nmachine: {}", machine());
    offline::in_memory();
    offline::from_files();
    offline::memory();
    let ours: PathBuf =
        std::env::current_exe().expect("this program has a path").with_file_name("watchword");
    in_scratch(|scratch| {
        offline::peer(offline::find_peer().as_deref(), &ours, scratch);
        native::all(scratch);
    });
}

fn in_scratch(body: impl FnOnce(&Path)) {
    let scratch = std::env::temp_dir().join(format!("watchword-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a scratch folder");
    body(&scratch);
    let _ = std::fs::remove_dir_all(&scratch);
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|l| {
            l.strip_prefix("model name")?.split_once(':').map(|(_, m)| m.trim().to_string())
        })
        .unwrap_or_else(|| "unknown processor".to_string());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} cores")
}
