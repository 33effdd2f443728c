//! The commands, one file each.

pub mod analyze;
pub mod check;
pub mod completions;
pub mod convert;
pub mod debug;
pub mod demo;
pub mod doctor;
pub mod env;
pub mod explain;
pub mod flink;
pub mod fmt;
pub mod gradle;
pub mod graph;
pub mod init;
pub mod java;
pub mod lint;
pub mod list;
pub mod lsp;
pub mod merge_reports;
pub mod model;
pub mod mvn;
pub mod new;
pub mod replay;
pub mod run;
pub mod weave;

use std::io::Write;

use crate::Outcome;
use crate::args::{Cli, Command};

/// Runs a command.
pub fn run(cli: Cli) -> anyhow::Result<Outcome> {
    let global = &cli.global;
    match &cli.command {
        Command::Replay(args) => replay::run(args, global),
        Command::Check(args) => check::run(args, global),
        Command::Init(args) => init::run(args, global),
        Command::Run(args) => run::run(args, global),
        Command::Debug(args) => debug::run(args, global),
        Command::Java(args) => java::run(args, global),
        Command::Env(args) => env::run(args, global),
        Command::Mvn(args) => mvn::run(args, global),
        Command::Gradle(args) => gradle::run(args, global),
        Command::MergeReports(args) => merge_reports::run(args, global),
        Command::Weave(args) => weave::run(args, global),
        Command::Flink(args) => flink::run(args, global),
        Command::Lint(args) => lint::run(args, global),
        Command::Explain(args) => explain::run(args, global),
        Command::Fmt(args) => fmt::run(args, global),
        Command::New(args) => new::run(args, global),
        Command::List(args) => list::run(args, global),
        Command::Lsp(args) => lsp::run(args, global),
        Command::Analyze(args) => analyze::run(args, global),
        Command::Model(args) => model::run(args, global),
        Command::Graph(args) => graph::run(args, global),
        Command::Convert(args) => convert::run(args, global),
        Command::Doctor(args) => doctor::run(args, global),
        Command::Demo(args) => demo::run(args, global),
        Command::Completions(args) => completions::run(args, global),
        Command::Man(args) => completions::man(args, global),
    }
}

/// Prints to stdout; a closed pipe is an error the caller passes on.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
