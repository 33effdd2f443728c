//! A build whose tests run in JVMs that the build tool forks: `watchword mvn`, `watchword gradle`.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use clap::FromArgMatches;

use super::flags::Flags;
use super::forked::Forked;
use super::records;
use super::run::{self, Run};
use super::{arguments, java};
use crate::Outcome;
use crate::args::Global;
use crate::output::reports::ReportFlags;

/// The default properties.
const USUAL: &str = "std/jdk";

/// Flags of commands that run a build.
#[derive(Debug, clap::Args)]
pub struct BuildFlags {
    /// What is checked, and how.
    #[command(flatten)]
    pub flags: UsualFlags,
    /// Exit with this status if a violation was found, or if the build succeeded although nothing was checked
    #[arg(long, value_name = "N", help_heading = "Reporting")]
    pub error_exitcode: Option<u8>,
    /// The folder for the record files of the JVMs, for `watchword merge-reports`; by default a
    /// folder in the cache
    #[arg(long, value_name = "DIR", help_heading = "Reporting")]
    pub records: Option<PathBuf>,
}

/// The flags for JVM programs, with properties that are checked if none is named.
#[derive(Debug)]
pub struct UsualFlags(Flags);

impl FromArgMatches for UsualFlags {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<UsualFlags, clap::Error> {
        let mut flags = Flags::from_arg_matches(matches)?;
        if flags.properties.is_empty() {
            flags.properties.push(USUAL.to_string());
        }
        Ok(UsualFlags(flags))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl clap::Args for UsualFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        Flags::augment_args(command).mut_arg("properties", |properties| properties.required(false))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        UsualFlags::augment_args(command)
    }
}

/// The script of a project that runs the build tool, if the current folder has one.
pub fn wrapper(name: &str) -> Option<PathBuf> {
    let script = PathBuf::from(".").join(name);
    script.is_file().then_some(script)
}

/// A text within the quotes of a script of Groovy, or as a value in a file of Java properties.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}

/// Options of a JVM that is to be monitored, in two variants.
pub struct Options {
    /// With our classes in the JDK's own module.
    pub usual: Vec<String>,
    /// For a JVM with a patch of that module of its own; it takes one only.
    pub unpatched: Vec<String>,
}

/// How a build tool is started.
pub struct Tool {
    /// What is run.
    pub program: PathBuf,
    /// All its arguments.
    pub arguments: Vec<OsString>,
    /// What JVMs to look for if none was monitored.
    pub if_silent: &'static str,
}

/// Runs a build: `tool` makes its command of the options for test JVMs and a folder to put files in.
/// Reports name the build by the arguments that were `given`.
///
/// # Errors
/// If something is not as it has to be, before the build begins; or if a report cannot be written.
pub fn run(
    build: &BuildFlags,
    given: &[OsString],
    global: &Global,
    tool: impl FnOnce(&Options, &Path) -> anyhow::Result<Tool>,
) -> anyhow::Result<Outcome> {
    java::refuse_old(&java::find(None)?)?;
    let flags = &build.flags.0;
    let reports = &flags.reports;
    let forked = Forked::prepare(flags, &[], build.records.as_deref(), global)?;
    let option = |patched: bool| forked.agent_option(patched, &[], Vec::new(), None);
    let options = Options {
        usual: vec![arguments::patch(&forked.base), option(true)?],
        unpatched: vec![option(false)?],
    };
    let Tool { program, arguments, if_silent } = tool(&options, forked.records.folder())?;
    let status = Command::new(&program)
        .args(&arguments)
        .status()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let target = format!("{} {}", program.display(), words(given));
    reports.make_folders()?;
    let (found, is_blind) = records::merged(&[forked.records], reports, global, |run| {
        if run.heard() == 0 {
            let text = format!("no JVM was monitored: {if_silent}");
            crate::output::warning(global.color_on_stderr(), &text);
        }
        conclude(run, reports, global, &target, false)?;
        Ok((run.has_violations(), run.is_blind()))
    })?;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    std::process::exit(match build.error_exitcode {
        Some(instead) if found || is_blind && code == 0 => i32::from(instead),
        _ => code,
    })
}

/// Writes the reports of several JVMs, and tells the person unless `quiet`; answers the report for programs.
///
/// # Errors
/// If a report cannot be written.
pub fn conclude(
    run: &Run<'_>,
    reports: &ReportFlags,
    global: &Global,
    target: &str,
    quiet: bool,
) -> anyhow::Result<String> {
    let report = run.write(&reports.sources, target)?;
    if !quiet {
        run.show_all(global);
        if !global.quiet {
            run::say(&format!(
                "watchword: {}\n",
                watchword_view::text::counted(run.heard() as u64, "JVM")
            ));
            run.summary(global);
        }
    }
    Ok(report)
}

fn words(arguments: &[OsString]) -> String {
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
