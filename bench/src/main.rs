//! `make bench`: what Watchword costs, as ratios against a baseline and a peer in one run.
//!
//! Prints a Markdown report, and writes it to the file given; `bench/BIAS.md` says what was chosen
//! and why.

mod date;
mod growth;
mod jvm;
mod logs;
mod native;
mod objects;
mod offline;
mod projects;
mod random;
mod rates;
mod report;
mod residual;
mod stats;
mod topl;
mod workload;

use std::path::{Path, PathBuf};

use crate::report::Report;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        // Processes of their own, to measure memory.
        ["--slices", property, count] => offline::slices(property, count.parse().expect("a count")),
        ["--sessions", keys, count] => {
            offline::sessions(count.parse().expect("a count"), keys == "text");
        }
        ["--checking"] => {
            let mut report = Report::default();
            report.line(format!("# Watchword, checking traces\n\nmachine: {}", machine()));
            checking(&mut report);
            report.marks();
        }
        ["--growth"] => {
            let mut report = Report::default();
            report.line(format!("# Watchword, growth\n\nmachine: {}", machine()));
            growth::all(&mut report);
            logs::all(&mut report);
            report.marks();
        }
        ["--native"] => {
            let mut report = Report::default();
            report.line(format!("# Watchword, native programs\n\nmachine: {}", machine()));
            in_scratch(|scratch| native::all(&mut report, scratch));
            report.marks();
        }
        ["--date"] => {
            let mut report = Report::default();
            report.line(format!("# Residuals of a payment system\n\nmachine: {}", machine()));
            in_scratch(|scratch| date::payment(&mut report, &ours(), scratch));
            report.marks();
        }
        ["--residual"] => residual_only(3, &[]),
        ["--residual", runs, ref only @ ..] => {
            residual_only(runs.parse().expect("a number of runs"), only);
        }
        ["--projects", ref only @ ..] => {
            if let Err(why) = projects::all(&ours(), only) {
                eprintln!("{why}");
                std::process::exit(2);
            }
        }
        ["--project-of-today"] => {
            if let Err(why) = projects::of_today(&ours()) {
                eprintln!("{why}");
                std::process::exit(1);
            }
        }
        ["--jvm"] => jvm_only(15, None),
        ["--jvm", runs] => jvm_only(runs.parse().expect("a number of runs"), None),
        ["--jvm", runs, file] => {
            jvm_only(runs.parse().expect("a number of runs"), Some(Path::new(file)));
        }
        [] => all(None),
        [file] if !file.starts_with('-') => all(Some(Path::new(file))),
        _ => {
            eprintln!(
                "usage: watchword-bench [--checking | --growth | --native | --residual [RUNS [PROGRAM..]] | --date | --projects [PROJECT..] | --jvm [RUNS [FILE]] | FILE]"
            );
            std::process::exit(2);
        }
    }
}

fn all(file: Option<&Path>) {
    let mut report = Report::default();
    report.line(format!("# Watchword\n\nmachine: {}", machine()));
    checking(&mut report);
    in_scratch(|scratch| {
        offline::peer(&mut report, offline::find_peer().as_deref(), &ours(), scratch);
        native::all(&mut report, scratch);
        jvm::all(&mut report, scratch, &jvm::Amount { runs: 3, workloads: 3, only: Vec::new() });
    });
    report.marks();
    if let Some(file) = file {
        report.save(file).expect("the results can be written");
        eprintln!("\nwritten to {}", file.display());
    }
}

/// The engine and the readers, in this process.
fn checking(report: &mut Report) {
    rates::in_memory(report);
    growth::all(report);
    logs::all(report);
    objects::iterators(report);
    topl::configurations(report);
    offline::from_files(report);
    offline::memory(report);
}

/// All JVM workloads.
fn jvm_only(runs: usize, file: Option<&Path>) {
    let mut report = match file {
        Some(file) => Report::in_file(file).expect("the results can be written"),
        None => Report::default(),
    };
    report.line(format!("machine: {}", machine()));
    let only = std::env::var("APPS").unwrap_or_default();
    let only = only.split([',', ' ']).filter(|name| !name.is_empty()).map(String::from).collect();
    in_scratch(|scratch| {
        jvm::all(&mut report, scratch, &jvm::Amount { runs, workloads: usize::MAX, only });
    });
    report.marks();
    if let Some(file) = file {
        eprintln!("\nwritten to {}", file.display());
    }
}

/// What residual analysis leaves of some programs, or of all.
fn residual_only(runs: usize, only: &[&str]) {
    let mut report = Report::default();
    report.line(format!("# Residual analysis\n\nmachine: {}", machine()));
    in_scratch(|scratch| residual::all(&mut report, scratch, runs, only));
    report.marks();
}

/// The command line, beside this program.
fn ours() -> PathBuf {
    std::env::current_exe().expect("this program has a path").with_file_name("watchword")
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
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory.lines().find_map(|l| {
        l.strip_prefix("MemTotal:")?.trim().trim_end_matches("kB").trim().parse().ok()
    });
    let gib = kib.map_or(String::new(), |k: u64| format!(", {} GiB", k / 1048576));
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?").to_string();
    format!("{model}, {cores} cores{gib}; load at the start {load}")
}
