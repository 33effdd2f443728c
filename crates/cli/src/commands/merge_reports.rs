//! `watchword merge-reports DIR…`: one report of what several JVMs found.

use std::path::PathBuf;

use crate::Outcome;
use crate::args::Global;
use crate::jvm::build;
use crate::jvm::records::{self, Records};
use crate::output::reports::ReportFlags;

/// Make one report of the findings of the JVMs of a build, or of several machines.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword merge-reports target/records --report target/watchword.html\n  \
    watchword merge-reports linux/records arm/records --baseline known.txt\n  \
    watchword merge-reports records --error-exitcode 99          also fails if nothing was checked\n\n\
    The folders are those of `watchword env java --records DIR` and `watchword mvn --records DIR`. The report\n\
    also contains the findings of JVMs that were killed. Exit status: 0 no new violation, 1 new violations, 2 wrong input;\n\
    --error-exitcode replaces 1, and 0 if nothing was checked.")]
pub struct Args {
    /// Folders of records
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Exit with this status if a violation was found, or if nothing was checked
    #[arg(long, value_name = "N", help_heading = "Reporting")]
    error_exitcode: Option<u8>,
    #[command(flatten)]
    reports: ReportFlags,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("merge-reports")?;
    let folders: anyhow::Result<Vec<Records>> =
        args.folders.iter().map(|folder| Records::open(folder)).collect();
    records::merged(&folders?, &args.reports, global, |run| {
        let target = args.folders.iter().map(|f| f.display().to_string()).collect::<Vec<_>>();
        let report = build::conclude(run, &args.reports, global, &target.join(", "), json)?;
        if json {
            super::print(&format!("{report}\n"))?;
        }
        let found = run.has_violations();
        Ok(match args.error_exitcode {
            Some(status) if found || run.is_blind() => Outcome::Status(status),
            _ if found => Outcome::Found,
            _ => Outcome::Clean,
        })
    })
}
