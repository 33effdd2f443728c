//! `watchword convert PROP --to LANG`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;
use watchword_spec::{Diagnostic, Lang, SourceFile, convert};

use crate::args::{Classes, Global, Reading};
use crate::output::atomic;
use crate::output::json::Json;
use crate::{Outcome, Reported, properties};

/// Write a property in another language, with the same verdicts.
///
/// `--to ww` writes a property of any language in Watchword's own language, and formats a `.ww`
/// file. `--to topl` writes a property with registers about calls and returns as classic TOPL,
/// `--to lrv` a property with parameters about events of a JVM as a LARVA script. A property
/// without a counterpart there is refused, with the place.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword convert HasNext.topl --to ww\n  \
    watchword convert HasNext.topl --to ww -o has-next.ww\n  \
    watchword convert has-next.ww --to topl\n  \
    watchword convert logins.lrv --to ww\n  \
    watchword convert logins.ww --to lrv")]
pub struct Args {
    /// The property file
    #[arg(value_name = "PROP")]
    file: String,
    /// The language to write
    #[arg(long, value_name = "LANG")]
    to: Target,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    classes: Classes,
    /// Write to a file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A language to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Watchword's own.
    Ww,
    /// Classic TOPL.
    Topl,
    /// LARVA.
    Lrv,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("convert")?;
    args.reading.refuse_java("convert")?;
    let (file, lang) = properties::find_one(&args.file, args.reading.lang)?;
    let text = match (args.to, lang) {
        (Target::Ww, Lang::Ww) => watchword_spec::format(&file.text)
            .map_err(|found| report(&found, std::slice::from_ref(&file), global))?,
        (Target::Topl, Lang::Topl) => bail!("{} is classic TOPL already", args.file),
        (Target::Lrv, Lang::Larva) => bail!("{} is a LARVA script already", args.file),
        (target, _) => {
            let names = std::slice::from_ref(&args.file);
            let (model, files) =
                properties::load_valid_for(names, &args.reading, &args.classes, global)?;
            let written = match target {
                Target::Ww => convert::to_ww(&model, &files).map_err(|why| vec![*why]),
                Target::Topl => convert::to_topl(&model),
                Target::Lrv => convert::to_lrv(&model),
            };
            written.map_err(|found| report(&found, &files, global))?
        }
    };
    if let Some(path) = &args.output {
        atomic::write(path, &text)?;
    }
    if json {
        let language =
            args.to.to_possible_value().map_or_else(String::new, |v| v.get_name().into());
        let file = args.output.as_ref().map(|path| path.display().to_string());
        let told = Json::object([("watchword", 1u64.into()), ("language", Json::Text(language))])
            .with_some("file", file.map(Json::Text))
            .with("text", text.as_str());
        super::print(&format!("{told}\n"))?;
    } else if args.output.is_none() {
        super::print(&text)?;
    }
    Ok(Outcome::Clean)
}

/// Prints what is wrong with the property.
fn report(found: &[Diagnostic], files: &[SourceFile], global: &Global) -> anyhow::Error {
    for diagnostic in found {
        let text = diagnostic.render(files, global.color_on_stderr());
        let _ = writeln!(std::io::stderr(), "{text}");
    }
    Reported.into()
}
