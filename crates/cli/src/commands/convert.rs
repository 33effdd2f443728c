//! `watchword convert PROP --to LANG`.

use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;
use watchword_spec::SourceFile;

use crate::args::Global;
use crate::output::atomic;
use crate::{Outcome, Reported, properties};

/// Write a property in another language. Only Watchword's own language exists in this version:
/// `--to ww` prints the file formatted.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword convert login.ww --to ww\n  \
    watchword convert login.ww --to ww -o login2.ww")]
pub struct Args {
    /// The property file
    #[arg(value_name = "PROP")]
    file: String,
    /// The language to write
    #[arg(long, value_name = "LANG")]
    to: Target,
    /// Write to a file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A language to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Watchword's own.
    Ww,
    /// TOPL.
    #[value(hide = true)]
    Topl,
    /// LARVA.
    #[value(hide = true)]
    Lrv,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    if global.json("convert")? {
        bail!("`convert` has no JSON output");
    }
    if args.to != Target::Ww {
        bail!("this version cannot write that language yet; it writes `ww`");
    }
    let file = if args.file.starts_with("std/") {
        properties::shipped(&args.file)?
    } else {
        properties::check_own_language(&args.file, "`convert` reads")?;
        SourceFile { name: args.file.clone(), text: properties::read(&args.file)? }
    };
    let text = match watchword_spec::format(&file.text) {
        Ok(text) => text,
        Err(diagnostics) => {
            for diagnostic in diagnostics {
                let text = diagnostic.render(std::slice::from_ref(&file), global.color_on_stderr());
                let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
            }
            return Err(Reported.into());
        }
    };
    match &args.output {
        Some(path) => atomic::write(path, &text)?,
        None => super::print(&text)?,
    }
    Ok(Outcome::Clean)
}
