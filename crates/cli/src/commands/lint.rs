//! `watchword lint PROP…`.

use std::fmt::Write;

use watchword_model::Severity;
use watchword_spec::classes::NoClasses;
use watchword_spec::lint::{lint, lint_for};
use watchword_spec::{Diagnostic, SourceFile};

use crate::args::{Classes, Global, Properties};
use crate::classes::Loaded;
use crate::output::json::Json;
use crate::output::style::{Style, counted};
use crate::{Outcome, Reported, output, properties};

/// Find mistakes in properties: syntax, names, types, states that cannot be reached, labels that
/// can never match, properties that can never fail.
///
/// Status 2 if there are errors; warnings alone are status 0, or 1 with --strict.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword lint login.ww\n  \
    watchword lint --strict *.ww               warnings fail, for CI\n  \
    watchword lint --cp app.jar HasNext.topl   methods and constants must exist\n  \
    watchword lint --format json login.ww")]
pub struct Args {
    #[command(flatten)]
    properties: Properties,
    #[command(flatten)]
    classes: Classes,
    /// Warnings are status 1
    #[arg(long)]
    strict: bool,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("lint")?;
    let Properties { properties: names, reading } = &args.properties;
    let classes = Loaded::read(&args.classes)?;
    let classes = classes.as_ref().map(Loaded::classes);
    let loaded = match &classes {
        Some(classes) => properties::load(names, reading, classes)?,
        None => properties::load(names, reading, &NoClasses)?,
    };
    let mut diagnostics = loaded.diagnostics;
    if let Some(model) = &loaded.model {
        diagnostics.extend(match &classes {
            Some(classes) => lint_for(model, classes),
            None => lint(model),
        });
    }
    if let Some(classes) = &classes
        && !classes.is_complete()
        && !global.quiet
    {
        let message = "no JDK was found, so methods that do not exist are not reported; \
                       add one to `--cp` or set JAVA_HOME";
        output::warning(global.color_on_stderr(), message);
    }
    let count = |severity| diagnostics.iter().filter(|d| d.severity == severity).count() as u64;
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if json {
        let all: Vec<Json> = diagnostics.iter().map(|d| to_json(d, &loaded.files)).collect();
        let json = Json::object([("watchword", 1u64.into()), ("diagnostics", all.into())]);
        super::print(&format!("{json}\n"))?;
    } else {
        let color = global.color_on_stdout();
        let mut text = String::new();
        for diagnostic in &diagnostics {
            let _ = writeln!(text, "{}", diagnostic.render(&loaded.files, color));
        }
        if !global.quiet {
            let properties = loaded.model.as_ref().map_or(0, |m| m.properties.len() as u64);
            let style = Style::new(color);
            let _ = match (errors, warnings) {
                (0, 0) => writeln!(
                    text,
                    "{} {properties} propert{}, nothing to complain about",
                    style.good("ok:"),
                    if properties == 1 { "y" } else { "ies" },
                ),
                _ => {
                    writeln!(text, "{}, {}", counted(errors, "error"), counted(warnings, "warning"))
                }
            };
        }
        super::print(&text)?;
    }
    if errors > 0 {
        return Err(Reported.into());
    }
    Ok(if args.strict && warnings > 0 { Outcome::Found } else { Outcome::Clean })
}

fn to_json(diagnostic: &Diagnostic, files: &[SourceFile]) -> Json {
    let position = |p: watchword_spec::files::Position| {
        Json::object([("line", u64::from(p.line).into()), ("column", u64::from(p.column).into())])
    };
    let span = diagnostic
        .range(files)
        .map(|(start, end)| Json::object([("start", position(start)), ("end", position(end))]));
    Json::object([
        ("code", diagnostic.code.into()),
        ("severity", diagnostic.severity.name().into()),
        ("message", diagnostic.message.as_str().into()),
    ])
    .with_some("file", diagnostic.file(files))
    .with_some("span", span)
    .with_some("note", diagnostic.note.as_deref())
    .with_some("help", diagnostic.help.as_deref())
}
