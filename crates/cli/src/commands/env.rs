//! `watchword env java -p PROP…`: monitoring for programs somebody else starts.

use std::path::{Path, PathBuf};

use anyhow::Context;
use watchword_spec::SourceFile;
use watchword_wire::{Bundle, Record, read_record};

use crate::Outcome;
use crate::args::Global;
use crate::classes::ProgramClasses;
use crate::jvm::flags::{Flags, absolute};
use crate::jvm::run::{self, Run};
use crate::jvm::{arguments, library, run::for_process};
use crate::output::json::Json;
use crate::output::reports::ReportFlags;

/// Print the line to put in the environment so that programs started there are monitored too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    env \"$(watchword env java -p std/safe-iterator)\" mvn test\n  \
    export \"$(watchword env java -p locks.ww --report target/watchword.json)\"\n\n\
    Every JVM tells what it found on standard error and writes its own report, with its process\n\
    number in the name: target/watchword.4711.json. The JVMs of Maven, Gradle and Ant themselves are left alone.")]
pub struct Args {
    #[command(subcommand)]
    program: Program,
}

/// What every JVM reads.
const VARIABLE: &str = "JAVA_TOOL_OPTIONS";

/// Programs that start the programs one means: `main class and arguments`.
const LAUNCHERS: [&str; 4] = [
    "org.codehaus.plexus.classworlds.launcher.Launcher*",
    "org.apache.maven.wrapper.*",
    "org.gradle.*",
    "org.apache.tools.ant.launch.Launcher*",
];

/// Which kind of programs.
#[derive(Debug, clap::Subcommand)]
enum Program {
    /// JVM programs: test runners' forked JVMs, servers started by scripts
    Java(JavaArgs),
    /// Tell what a program found: called by its agent
    #[command(hide = true)]
    Report(ReportArgs),
}

#[derive(Debug, clap::Args)]
struct JavaArgs {
    #[command(flatten)]
    flags: Flags,
    /// Jars and directories of the program's classes, for class constants that properties name
    #[arg(long, value_name = "PATH")]
    cp: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct ReportArgs {
    /// What was checked
    #[arg(long)]
    bundle: PathBuf,
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
    args.flags.reports.check_early()?;
    args.flags.reports.refuse_inputs(args.flags.properties.iter().map(Path::new))?;
    let classes = ProgramClasses::new(|| crate::residual::archives(&args.cp));
    let mut checked = args.flags.check(&classes, global, 1)?;
    let cache = library::folder()?;
    let agent = library::extract(&cache)?;
    let text = |path: &std::path::Path| -> anyhow::Result<String> {
        Ok(path.to_str().context("a path is not UTF-8")?.to_string())
    };
    let runs = cache.join("runs");
    library::private(&runs)?;
    let settings = &mut checked.settings;
    let base = library::base_classes(&cache)?;
    let (mut options, patched) =
        arguments::environment(std::env::var(VARIABLE).unwrap_or_default(), &base);
    settings.patched = patched;
    settings.base = text(&base)?;
    settings.runtime = library::RUNTIME;
    settings.output = text(&runs.join("%p.records"))?;
    settings.skip = LAUNCHERS.map(String::from).to_vec();
    settings.trace = settings
        .trace
        .take()
        .map(|path| for_process(std::path::Path::new(&path), "%p").to_string_lossy().into_owned());
    // The reporter reads the bundle again, so it is stored without the way to the reporter first.
    let described = Bundle { model: checked.model.clone(), settings: checked.settings.clone() };
    let described = library::store(&cache, "properties", "ww", &described.to_bytes()?)?;
    let command = std::env::current_exe().context("cannot find the command itself")?;
    let mut reporter = vec![text(&command)?, "env".into(), "report".into()];
    reporter.extend(["--bundle".to_string(), text(&described)?]);
    let ReportFlags { report, baseline, write_baseline, sources } = &args.flags.reports;
    let flags = [("--report", report.as_slice()), ("--sources", sources.as_slice())];
    let single =
        [("--baseline", baseline.as_slice()), ("--write-baseline", write_baseline.as_slice())];
    for (flag, paths) in flags.into_iter().chain(single) {
        for path in paths {
            reporter.extend([flag.to_string(), absolute(path)?]);
        }
    }
    checked.settings.reporter = reporter;
    let bundle = Bundle { model: checked.model, settings: checked.settings };
    let bundle = library::store(&cache, "bundle", "ww", &bundle.to_bytes()?)?;
    let agent = format!("-agentpath:{}={}", agent.display(), bundle.display());
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

/// Renders what an agent has written.
fn report(args: &ReportArgs, global: &Global) -> anyhow::Result<Outcome> {
    let bytes = std::fs::read(&args.bundle)
        .with_context(|| format!("cannot read {}", args.bundle.display()))?;
    let bundle = Bundle::from_bytes(&bytes)?;
    let model = &bundle.model;
    // Whose text nobody needs any more.
    let file = |name: &String| SourceFile { name: name.clone(), text: String::new() };
    let files: Vec<SourceFile> = bundle.settings.files.iter().map(file).collect();
    let told = std::fs::read(&args.records)
        .with_context(|| format!("cannot read {}", args.records.display()))?;
    let _ = std::fs::remove_file(&args.records);
    // Each process writes reports of its own; the first it told is which one it is.
    let pid = match read_record(&mut told.as_slice())? {
        Some(Record::Started { pid, .. }) => pid.to_string(),
        _ => "unknown".to_string(),
    };
    let mut flags = args.reports.clone();
    for path in flags.report.iter_mut().chain(&mut flags.write_baseline) {
        *path = for_process(path, &pid);
    }
    flags.make_folders()?;
    let mut run = Run::new(model, &files, flags.open()?);
    if !bundle.settings.silenced.is_empty() {
        run.expect_unseen_events();
    }
    run.listen(&mut told.as_slice(), global, false)?;
    if run.has_sites() {
        run::say(&format!("watchword: process {pid}\n"));
        run.show_all(global);
        run.summary(global);
        run.write(&flags.sources, &format!("process {pid}"))?;
    } else if !global.quiet {
        run::say(&format!("watchword: process {pid} has no site of any property\n"));
    }
    Ok(if run.has_violations() { Outcome::Found } else { Outcome::Clean })
}
