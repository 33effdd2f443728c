//! What residual analysis leaves to be monitored in programs people use, and what that saves.
//!
//! The programs are those of [`crate::jvm`]: jars of Debian packages, and PMD; what is not installed is
//! left out, by name. Sites are counted in all classes of the jars, and among those that one run of
//! the program executes. Events are those of one fully monitored run, with their sites: the run is
//! checked twice, with and without the events of silenced sites, and the reports must be the same.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use watchword_cli::args::{Color, Global};
use watchword_cli::classes::Classes;
use watchword_cli::residual::{Algorithm, Assumption, Request, analyse, silenced_file};
use watchword_model::{EventId, EventRef, Model, PropertyId, ValueRef};
use watchword_monitor::{Engine, Options};
use watchword_residual::analysis::Status;
use watchword_spec::SourceFile;

use crate::jvm::{self, Bench, JARS, WORKLOADS, median};
use crate::report::Report;

const PROPERTIES: [(&str, &str, f64); 3] = [
    ("HasNext", "examples/residual/hasnext.ww", 70.0),
    ("SafeIterator", "examples/residual/iterators.ww", 65.0),
    ("SafeMapIterator", "examples/residual/maps.ww", 65.0),
];

/// A run with all events written down is ended after this time: a map that lives long, with many
/// iterators, has many to tell of each of its changes.
const RUN_FOR: std::time::Duration = std::time::Duration::from_secs(120);
/// So many reasons of sites left are shown per property.
const REASONS: usize = 8;
/// So many events of a run are checked twice; the rest is counted only, as objects of a trace never
/// die.
const CHECKED: u64 = 2_000_000;
/// And for so long: instances of maps and their views that never die become many.
const CHECKED_FOR: Duration = Duration::from_secs(60);

/// A program that can be run here.
struct Subject {
    name: &'static str,
    jars: Vec<PathBuf>,
    /// What java gets.
    arguments: Vec<String>,
    any_status: bool,
}

/// Tables that can be asked for by name.
const TABLES: [&str; 3] = ["sites", "analysis", "cost"];

/// Tables of sites and events, of analysis, and of time and memory, or those that are named; of some
/// programs, or all if none is named; `runs` runs each plain, fully monitored and with what is left.
pub fn all(report: &mut Report, scratch: &Path, runs: usize, only: &[&str]) {
    let bench = Bench::new(scratch, runs);
    if let Err(why) = bench.prepare() {
        report.line(format!("\nnothing was measured: {why}"));
        return;
    }
    let (mut subjects, missing) = subjects(&bench);
    let named = only.iter().any(|name| !TABLES.contains(name));
    subjects.retain(|subject| !named || only.contains(&subject.name));
    let is_wanted =
        |table: &str| !only.iter().any(|name| TABLES.contains(name)) || only.contains(&table);
    if !missing.is_empty() {
        let why = "left out, because their packages are not installed (`scripts/bench-jvm.sh`)";
        report.line(format!("\n{why}: {}", missing.join(", ")));
    }
    if is_wanted("sites") {
        all_sites(report, &bench, &subjects);
    }
    if is_wanted("analysis") {
        analysis(report, &bench, &subjects);
    }
    if is_wanted("cost") {
        cost(report, &bench, &subjects, runs);
    }
}

/// The table of sites and events, and what follows from it.
fn all_sites(report: &mut Report, bench: &Bench<'_>, subjects: &[Subject]) {
    report.table(
        "Sites that need not be monitored, and events of one run",
        &[
            "program",
            "classes",
            "property",
            "methods",
            "sites",
            "silenced",
            "one thread",
            "no reflection",
            "executed sites",
            "silenced",
            "events",
            "residual",
            "reports",
        ],
    );
    eprintln!("{} programs; for each, sites and events", subjects.len());
    let mut found: Vec<Vec<Found>> = vec![Vec::new(); PROPERTIES.len()];
    for subject in subjects {
        sites(report, bench, subject, &mut found);
    }
    for ((name, _, goal), found) in PROPERTIES.iter().zip(&found) {
        let share = median(found.iter().map(|f| 100.0 * f.silenced as f64 / f.sites as f64));
        report.goal(&format!("{name}: sites silenced, median"), share, *goal, " %");
        let share = median(found.iter().map(|f| 100.0 * f.alone as f64 / f.sites as f64));
        report.goal(&format!("{name}: with one thread, median"), share, *goal, " %");
        let share = median(found.iter().map(|f| 100.0 * f.unreflected as f64 / f.sites as f64));
        report.goal(&format!("{name}: without reflection, median"), share, *goal, " %");
    }
    reasons(report, &found);
    let every = || found.iter().flatten();
    let fewer = |all: u64, silenced: u64| all as f64 / (all - silenced).max(1) as f64;
    report.goal("sites, median", median(every().map(|f| fewer(f.sites, f.silenced))), 3.0, "÷");
    let sum: f64 = every().map(|f| fewer(f.sites, f.silenced)).sum();
    report.goal("sites, mean", sum / every().count().max(1) as f64, 5.0, "÷");
    let events = every().filter(|f| f.events > 0).map(|f| fewer(f.events, f.silenced_events));
    report.goal("events, median", median(events), 2.0, "÷");
    let different = every().filter(|f| !f.same).count();
    report.bar("runs with different reports", different as f64, 0.0, "");
}
/// What holds back the rest: the commonest reasons of sites left, over all programs.
fn reasons(report: &mut Report, found: &[Vec<Found>]) {
    let columns = ["property", "sites left", "event", "reason"];
    report.table("What keeps sites, over all programs", &columns);
    for ((name, ..), found) in PROPERTIES.iter().zip(found) {
        let mut all: HashMap<&(String, String), u64> = HashMap::new();
        for (reason, count) in found.iter().flat_map(|f| &f.reasons) {
            *all.entry(reason).or_default() += count;
        }
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
        for ((event, reason), count) in all.into_iter().take(REASONS) {
            report.row(&[name.to_string(), count.to_string(), event.clone(), reason.clone()]);
        }
    }
}

/// A reason without names and places.
fn kind(reason: &str) -> String {
    let ends = ["read from field", "returned by", "stored in field", "kept by", "called by"];
    let end = ends.iter().find_map(|end| reason.find(end).map(|at| at + end.len()));
    let general = end.map_or(reason, |end| &reason[..end]);
    match general.split_once(" at ") {
        Some((general, _)) if end.is_none() => general.to_owned(),
        _ => general.to_owned(),
    }
}

fn subjects(bench: &Bench<'_>) -> (Vec<Subject>, Vec<&'static str>) {
    let mut missing = Vec::new();
    let mut subjects = Vec::new();
    // What javac runs is the JDK's own.
    for workload in WORKLOADS.iter().filter(|workload| !workload.jars.is_empty()) {
        let Some(arguments) = bench.arguments(workload) else {
            missing.push(workload.name);
            continue;
        };
        let jars = workload.jars.iter().map(|jar| Path::new(JARS).join(format!("{jar}.jar")));
        let mut jars: Vec<PathBuf> = jars.collect();
        // The driver of a library is part of the program.
        if workload.name == "jgrapht" {
            let driver = std::fs::read_dir(bench.scratch.join("classes")).into_iter().flatten();
            let driver = driver.flatten().map(|file| file.path()).filter(|path| {
                path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("GraphRun"))
            });
            jars.extend(driver);
        }
        let any_status = workload.any_status;
        subjects.push(Subject { name: workload.name, jars, arguments, any_status });
    }
    match jvm::maven_pmd() {
        None => missing.push("pmd"),
        Some(path) => {
            let sources = bench.scratch.join("in/old").display().to_string();
            let rules = "rulesets/basic.xml,rulesets/unusedcode.xml";
            let words =
                ["-Xmx1g", "-cp", &path, "net.sourceforge.pmd.PMD", &sources, "text", rules];
            subjects.push(Subject {
                name: "pmd",
                jars: path.split(':').map(PathBuf::from).collect(),
                arguments: words.map(str::to_string).to_vec(),
                any_status: true,
            });
        }
    }
    (subjects, missing)
}

/// What was found out about one property in one program.
#[derive(Clone, Default)]
struct Found {
    sites: u64,
    silenced: u64,
    /// Silenced sites if there is one thread only.
    alone: u64,
    /// Silenced sites if reflection is assumed away.
    unreflected: u64,
    executed: u64,
    executed_silenced: u64,
    events: u64,
    silenced_events: u64,
    reports: u64,
    /// Whether the run took too long, and was ended.
    cut_off: bool,
    /// How many events were checked twice.
    checked: u64,
    /// Whether the run was reported alike.
    same: bool,
    /// By event and reason: how many sites are left.
    reasons: HashMap<(String, String), u64>,
}

fn model(path: &Path) -> Model {
    let text = std::fs::read_to_string(path).expect("the examples are there");
    let file = SourceFile::new("property.ww", &text);
    let loaded = watchword_spec::load(&[file], &|_, path| Err(path.to_owned()));
    loaded.model.expect("a shipped example is in order")
}

fn root(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)
}

/// The rows of a program.
fn sites(report: &mut Report, bench: &Bench<'_>, subject: &Subject, found: &mut [Vec<Found>]) {
    let global = Global { format: None, color: Color::Never, quiet: true, verbose: false };
    let own = Classes::read(&subject.jars).expect("the jars can be read");
    for ((name, file, _), found) in PROPERTIES.iter().zip(found) {
        eprintln!("{}: {name}", subject.name);
        let model = model(&root(file));
        let assuming = |assume: &[Assumption]| {
            let request = Request { assume, ..Request::default() };
            let analysed = analyse(&request, &model, &own, &Classes::default(), &global);
            analysed.expect("the jars can be analysed").reports[0].0.silenced() as u64
        };
        let analysed = analyse(&Request::default(), &model, &own, &Classes::default(), &global);
        let analysed = analysed.expect("the jars can be analysed");
        let (result, _) = &analysed.reports[0];
        let silenced: HashSet<String> = silenced_file(&analysed, &model, Algorithm::Sound)
            .lines()
            .filter_map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
                [_, class, method, offset, event] => {
                    Some(format!("{event} {class} {method} {offset}"))
                }
                _ => None,
            })
            .collect();
        let mut one = events(bench, subject, &root(file), &model, &silenced);
        (one.sites, one.silenced) = (result.sites.len() as u64, result.silenced() as u64);
        one.alone = assuming(&[Assumption::SingleThread]);
        one.unreflected = assuming(&[Assumption::NoReflection]);
        for site in &result.sites {
            if let Status::Left(reason) = &site.status {
                *one.reasons.entry((site.event.clone(), kind(reason))).or_default() += 1;
            }
        }
        if one.sites == 0 {
            continue;
        }
        let reports = match one.same {
            true if one.checked < one.events => {
                format!("{} at the first {} events", one.reports, one.checked)
            }
            true => one.reports.to_string(),
            false => "**different**".to_string(),
        };
        report.row(&[
            subject.name.to_string(),
            analysed.classes.to_string(),
            name.to_string(),
            result.methods.to_string(),
            one.sites.to_string(),
            share(one.silenced, one.sites),
            share(one.alone, one.sites),
            share(one.unreflected, one.sites),
            one.executed.to_string(),
            share(one.executed_silenced, one.executed),
            format!("{}{}", if one.cut_off { "first " } else { "" }, one.events),
            (one.events - one.silenced_events).to_string(),
            reports,
        ]);
        found.push(one);
    }
}

fn share(part: u64, all: u64) -> String {
    format!("{part} ({:.1} %)", 100.0 * part as f64 / all.max(1) as f64)
}

/// Runs a program once, fully monitored, and checks its events twice while they come.
fn events(
    bench: &Bench<'_>,
    subject: &Subject,
    property: &Path,
    model: &Model,
    silenced: &HashSet<String>,
) -> Found {
    let pipe = bench.scratch.join("trace");
    let _ = std::fs::remove_file(&pipe);
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe can be made");
    let flags = ["-p", &property.display().to_string(), "--collect-trace"].map(str::to_string);
    let pipe_text = pipe.display().to_string();
    let flags: Vec<&str> = flags.iter().map(String::as_str).chain([pipe_text.as_str()]).collect();
    let flags = [&flags[..], &["--history", "0"]].concat();
    let command = bench.command(&flags, &subject.arguments);
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .current_dir(bench.scratch)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("watchword is beside this program");
    let reader = std::thread::spawn({
        let (model, silenced, pipe) = (model.clone(), silenced.clone(), pipe.clone());
        move || read(&pipe, &model, &silenced)
    });
    let end = Instant::now() + RUN_FOR;
    let mut cut_off = false;
    while child.try_wait().is_ok_and(|status| status.is_none()) {
        std::thread::sleep(std::time::Duration::from_millis(50));
        if Instant::now() > end && !cut_off {
            cut_off = true;
            let java = Command::new("pkill").arg("-P").arg(child.id().to_string()).status();
            assert!(java.is_ok(), "processes can be ended");
        }
    }
    // A run that never opened the pipe leaves the reader waiting; to open it both ways never waits.
    drop(std::fs::OpenOptions::new().read(true).write(true).open(&pipe));
    Found { cut_off, ..reader.join().expect("see above") }
}

/// Checks the events of a trace with and without those of silenced sites.
fn read(pipe: &Path, model: &Model, silenced: &HashSet<String>) -> Found {
    let mut found = Found { same: true, ..Found::default() };
    let mut engines =
        [Engine::new(model, Options::default()), Engine::new(model, Options::default())];
    let names: HashMap<&str, EventId> = model
        .events
        .iter()
        .enumerate()
        .map(|(index, event)| (event.name.as_str(), EventId::from_index(index)))
        .collect();
    // By event and site: whether it is silenced.
    let mut executed: HashMap<String, bool> = HashMap::new();
    let file = std::fs::File::open(pipe).expect("the pipe can be read");
    let (begun, mut over) = (Instant::now(), false);
    for line in BufReader::with_capacity(1 << 20, file).lines() {
        let Ok(line) = line else { break };
        let Some((name, args, site)) = parts(&line) else { continue };
        let key = format!("{name} {site}");
        let is_silenced = match executed.get(&key) {
            Some(known) => *known,
            None => {
                // The method and its descriptor are one word there.
                let known = silenced.contains(&key);
                executed.insert(key, known);
                known
            }
        };
        found.events += 1;
        found.silenced_events += u64::from(is_silenced);
        if found.events > CHECKED || over {
            continue;
        }
        over = found.events.is_multiple_of(1024) && begun.elapsed() > CHECKED_FOR;
        found.checked += 1;
        let Some(kind) = names.get(name) else { continue };
        let event = EventRef { kind: *kind, args: &args, time: None, thread: None, location: None };
        let [full, residual] = &mut engines;
        let done = full.step(&event).is_ok()
            && match is_silenced {
                false => residual.step(&event).is_ok(),
                true => residual.step_for(&event, Some(&[] as &[PropertyId])).is_ok(),
            };
        let told = |engine: &mut Engine| {
            let mut told: Vec<String> = engine
                .take_reports()
                .iter()
                .map(|r| format!("{:?} {:?} {:?} {}", r.kind, r.binding, r.state, r.message))
                .collect();
            told.sort();
            told
        };
        let (one, two) = (told(full), told(residual));
        found.reports += one.len() as u64;
        if !done || one != two {
            found.same = false;
        }
    }
    found.executed = executed.len() as u64;
    found.executed_silenced = executed.values().filter(|silenced| **silenced).count() as u64;
    found
}

/// The name, the objects and the site of an event.
fn parts(line: &str) -> Option<(&str, Vec<ValueRef<'static>>, &str)> {
    let (name, rest) = line.strip_prefix("{\"event\":\"")?.split_once('"')?;
    let mut rest = rest.strip_prefix(",\"args\":[")?;
    let mut args = Vec::new();
    while !rest.starts_with(']') {
        rest = rest.strip_prefix(',').unwrap_or(rest);
        if let Some(object) = rest.strip_prefix("{\"ref\":") {
            let end = object.find([',', '}'])?;
            args.push(ValueRef::Ref(object[..end].parse().ok()?, None));
            rest = &object[object.find('}')? + 1..];
        } else {
            args.push(ValueRef::Null);
            rest = &rest[rest.find([',', ']'])?..];
        }
    }
    let (_, site) = rest.rsplit_once(",\"site\":\"")?;
    Some((name, args, site.split_once('"')?.0))
}

/// What the analysis itself costs, all properties together, first and again.
fn analysis(report: &mut Report, bench: &Bench<'_>, subjects: &[Subject]) {
    report.table("Analysis of all three properties", &["program", "CPU", "memory", "again, CPU"]);
    for subject in subjects {
        eprintln!("{}: analysis", subject.name);
        let mut command = vec![bench.ours.display().to_string(), "analyze".to_string()];
        for (_, file, _) in PROPERTIES {
            command.extend(["-p".to_string(), root(file).display().to_string()]);
        }
        command.extend(subject.jars.iter().map(|jar| jar.display().to_string()));
        let cold = [&command[..], &["--no-cache".to_string()]].concat();
        let runs =
            [bench.run(&cold, false), bench.run(&command, false), bench.run(&command, false)];
        let [Some(cold), Some(_), Some(warm)] = runs else {
            report.row(&[subject.name.to_string(), "failed".to_string()]);
            continue;
        };
        report.row(&[
            subject.name.to_string(),
            format!("{:.2} s", cold.cpu),
            format!("{:.0} MiB", cold.memory),
            format!("{:.2} s", warm.cpu),
        ]);
    }
}

/// Time and memory of runs: plain, fully monitored, and without what need not be; with the properties
/// that are shipped for use, as [`crate::jvm`] measures them.
fn cost(report: &mut Report, bench: &Bench<'_>, subjects: &[Subject], runs: usize) {
    report.table(
        &format!("Time and memory, all three properties together ({runs} interleaved runs)"),
        &["program", "plain", "full", "residual", "memory", "full", "residual"],
    );
    let (_, files) = jvm::CONFIGURATIONS[3];
    let files: Vec<String> = files.iter().map(|file| root(file).display().to_string()).collect();
    let flags: Vec<&str> = files.iter().flat_map(|file| ["-p", file]).collect();
    let residual = [&flags[..], &["--residual"]].concat();
    for subject in subjects {
        let commands = [
            ("plain", bench.plain(&subject.arguments)),
            ("full", bench.command(&flags, &subject.arguments)),
            ("residual", bench.command(&residual, &subject.arguments)),
        ];
        eprintln!("{}: runs", subject.name);
        // The first run leaves the analysis in the cache.
        let _ = bench.run(&commands[2].1, true);
        let Some(samples) = bench.rounds(&commands, subject.any_status) else {
            report.row(&[subject.name.to_string(), "could not be run".to_string()]);
            continue;
        };
        let cpu = |at: usize| median(samples[at].iter().map(|run| run.cpu));
        let memory = |at: usize| format!("{:.0} MiB", median(samples[at].iter().map(|r| r.memory)));
        report.row(&[
            subject.name.to_string(),
            format!("{:.2} s", cpu(0)),
            format!("{:.2}×", cpu(1) / cpu(0).max(0.01)),
            format!("{:.2}×", cpu(2) / cpu(0).max(0.01)),
            memory(0),
            memory(1),
            memory(2),
        ]);
    }
}
