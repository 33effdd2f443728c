//! `watchword env java -p PROP…`: monitoring for programs somebody else starts.

use std::path::{Path, PathBuf};

use anyhow::Context;
use watchword_spec::SourceFile;
use watchword_wire::{Bundle, Record, read_record};

use crate::Outcome;
use crate::args::Global;
use crate::jvm::flags::Flags;
use crate::jvm::forked::{self, Forked};
use crate::jvm::records::{self, Records};
use crate::jvm::run::{self, Run, for_process, is_of_process};
use crate::jvm::{LAUNCHERS, arguments};
use crate::output::json::Json;
use crate::output::reports::ReportFlags;

/// Print an environment setting with which programs that are started elsewhere are monitored
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    env \"$(watchword env java -p std/safe-iterator)\" mvn test\n  \
    export \"$(watchword env java -p locks.ww --report target/watchword.json)\"\n  \
    env \"$(watchword env java -p std/jdk --error-exitcode 99)\" ./start-server.sh\n\n\
    Every JVM prints its findings on standard error. There is one report for all of them, which\n\
    each JVM updates when it ends. With %p in its name, every process writes its own. The JVMs of Maven, Gradle\n\
    and Ant themselves are not monitored. For builds with Maven and Gradle, see `watchword mvn` and `watchword gradle`.")]
pub struct Args {
    #[command(subcommand)]
    program: Program,
}

/// What every JVM reads.
const VARIABLE: &str = "JAVA_TOOL_OPTIONS";

/// Which kind of programs.
#[derive(Debug, clap::Subcommand)]
enum Program {
    /// JVM programs: test runners' forked JVMs, servers started by scripts
    Java(Box<JavaArgs>),
    /// Print the findings of a program: called by its agent
    #[command(hide = true)]
    Report(ReportArgs),
}

#[derive(Debug, clap::Args)]
struct JavaArgs {
    #[command(flatten)]
    flags: Flags,
    /// A JVM that found a violation ends with this status instead of its own
    #[arg(long, value_name = "N", help_heading = "Reporting")]
    error_exitcode: Option<u8>,
    /// The folder for the record files of the JVMs, for `watchword merge-reports`; by default a
    /// folder in the cache
    #[arg(long, value_name = "DIR", help_heading = "Reporting")]
    records: Option<PathBuf>,
    /// Jars and directories of the program's classes, for class constants that properties name
    #[arg(long, value_name = "PATH")]
    cp: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct ReportArgs {
    /// What was checked
    #[arg(long)]
    bundle: PathBuf,
    /// The records are of no use any more afterwards
    #[arg(long)]
    forget: bool,
    #[command(flatten)]
    reports: ReportFlags,
    /// What was told
    records: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    match &args.program {
        Program::Java(args) => java(args, global),
        Program::Report(args) => report(args, global),
    }
}

fn java(args: &JavaArgs, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("env")?;
    let forked = Forked::prepare(&args.flags, &args.cp, args.records.as_deref(), global)?;
    let given = std::env::var(VARIABLE).unwrap_or_default();
    let (mut options, patched) = arguments::environment(given, &forked.base);
    let command = std::env::current_exe().context("cannot find the command itself")?;
    let mut reporter = vec![forked::text(&command)?, "env".into(), "report".into()];
    let bundle = Records::bundle_path(forked.records.folder());
    reporter.extend(["--bundle".to_string(), forked::text(&bundle)?]);
    let ReportFlags { report, write_baseline, .. } = &args.flags.reports;
    if args.records.is_none() && report.iter().chain(write_baseline).all(|p| is_of_process(p)) {
        reporter.push("--forget".to_string());
    }
    reporter.extend(forked::words(&args.flags.reports)?);
    let agent = forked.agent_option(patched, &LAUNCHERS, reporter, args.error_exitcode)?;
    options.push(' ');
    options.push_str(&arguments::quoted(agent));
    if json {
        let variable = Json::object([("name", VARIABLE.into()), ("value", Json::Text(options))]);
        let told = Json::object([("watchword", 1u64.into()), ("variables", vec![variable].into())]);
        super::print(&format!("{told}\n"))?;
    } else {
        super::print(&format!("{VARIABLE}={options}\n"))?;
    }
    Ok(Outcome::Clean)
}

/// Renders what an agent has written, and renews the report of all of them.
fn report(args: &ReportArgs, global: &Global) -> anyhow::Result<Outcome> {
    let bytes = std::fs::read(&args.bundle)
        .with_context(|| format!("cannot read {}", args.bundle.display()))?;
    let bundle = Bundle::from_bytes(&bytes)?;
    let model = &bundle.model;
    // The text is not needed any more.
    let file = |name: &String| SourceFile { name: name.clone(), text: String::new() };
    let files: Vec<SourceFile> = bundle.settings.files.iter().map(file).collect();
    let told = std::fs::read(&args.records)
        .with_context(|| format!("cannot read {}", args.records.display()))?;
    if args.forget {
        let _ = std::fs::remove_file(&args.records);
    }
    // The first it told is which process it is.
    let pid = match read_record(&mut told.as_slice())? {
        Some(Record::Started { pid, .. }) => pid.to_string(),
        _ => "unknown".to_string(),
    };
    let (own, all) = split(&args.reports, &pid);
    own.make_folders()?;
    let mut run = Run::new(model, &files, own.open()?);
    if !bundle.settings.silenced.is_empty() {
        run.expect_unseen_events();
    }
    run.listen(&mut told.as_slice(), global, false)?;
    if run.has_sites() {
        run::say(&format!("watchword: process {pid}\n"));
        run.show_all(global);
        run.summary(global);
        run.write(&own.sources, &format!("process {pid}"))?;
    } else if !global.quiet {
        run::say(&format!("watchword: process {pid} has no site of any property\n"));
    }
    if !args.forget {
        let folder = Records::open(args.records.parent().unwrap_or(Path::new(".")))?;
        if let Some(turn) = folder.turn(&args.records)? {
            all.make_folders()?;
            folder.begin(&turn);
            records::merged(&[folder], &all, global, |run| {
                let target = format!("{} JVMs", run.heard());
                run.write(&all.sources, &target).map(drop)
            })?;
        }
    }
    Ok(if run.has_violations() { Outcome::Found } else { Outcome::Clean })
}

/// The flags for the files of this process alone, and those for the files of all processes.
fn split(flags: &ReportFlags, pid: &str) -> (ReportFlags, ReportFlags) {
    let (mut own, mut all) = (flags.clone(), flags.clone());
    own.report.retain(|path| is_of_process(path));
    all.report.retain(|path| !is_of_process(path));
    own.write_baseline.take_if(|path| !is_of_process(path));
    all.write_baseline.take_if(|path| is_of_process(path));
    for path in own.report.iter_mut().chain(&mut own.write_baseline) {
        *path = for_process(path, pid);
    }
    (own, all)
}
