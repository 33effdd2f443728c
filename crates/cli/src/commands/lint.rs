//! `watchword lint PROP…`.

use std::fmt::Write;

use watchword_model::{FileId, Severity};
use watchword_spec::classes::NoClasses;
use watchword_spec::lint::{in_words_of, lint, lint_for};
use watchword_spec::{Diagnostic, SourceFile};

use crate::args::{Classes, Global, Properties};
use crate::classes::Loaded;
use crate::output::json::Json;
use crate::output::style::{Style, counted};
use crate::{Outcome, Reported, output, properties};

/// Find mistakes in properties and scenarios: syntax, names, types, states that cannot be reached, labels that
/// can never match, properties that can never fail.
///
/// Status 2 if there are errors; warnings alone are status 0, or 1 with --strict.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword lint login.ww\n  \
    watchword lint --strict *.ww               warnings fail, for CI\n  \
    watchword lint --cp app.jar HasNext.topl   methods and constants must exist\n  \
    watchword lint queue.prop stop.scn         a scenario, with its property or alone\n  \
    watchword lint --format json login.ww")]
pub struct Args {
    #[command(flatten)]
    properties: Properties,
    #[command(flatten)]
    classes: Classes,
    /// Exit with status 1 if there are warnings
    #[arg(long)]
    strict: bool,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("lint")?;
    let Properties { properties: names, reading } = &args.properties;
    let (scenarios, names): (Vec<String>, Vec<String>) =
        names.iter().cloned().partition(|name| properties::is_scenario(name));
    let read = Loaded::read(&args.classes)?;
    for folder in read.iter().flat_map(|read| &read.without_classes).filter(|_| !global.quiet) {
        let message = format!(
            "{} has no class files; `--cp` needs the folder above the packages, or the jars themselves",
            folder.display()
        );
        output::warning(global.color_on_stderr(), &message);
    }
    let classes = read.as_ref().map(Loaded::classes);
    let mut loaded = match &classes {
        Some(classes) => properties::load(&names, reading, classes)?,
        None => properties::load(&names, reading, &NoClasses)?,
    };
    let mut diagnostics = std::mem::take(&mut loaded.diagnostics);
    if let Some(model) = loaded.for_lint() {
        let found = match &classes {
            Some(classes) => lint_for(&model, classes),
            None => lint(&model),
        };
        diagnostics.extend(in_words_of(found, &loaded.langs));
    }
    for name in &scenarios {
        diagnostics.extend(scenario(name, &names, &mut loaded)?);
    }
    if let Some(classes) = &classes
        && !classes.is_complete()
        && !global.quiet
    {
        let message = "no JDK was found, so missing methods are not reported; add one to `--cp` or set JAVA_HOME";
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
            let properties = loaded.model.as_ref().map_or(0, |m| m.properties.len());
            let mut what = Vec::new();
            if properties > 0 || scenarios.is_empty() {
                let end = if properties == 1 { "y" } else { "ies" };
                what.push(format!("{properties} propert{end}"));
            }
            if !scenarios.is_empty() {
                what.push(counted(scenarios.len() as u64, "scenario"));
            }
            let (style, what) = (Style::new(color), what.join(", "));
            let _ = match (errors, warnings) {
                (0, 0) => {
                    writeln!(text, "{} {what}, nothing to complain about", style.good("ok:"))
                }
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

/// What is wrong with a scenario: by itself, and with the properties it is checked with.
fn scenario(
    name: &str,
    properties: &[String],
    loaded: &mut watchword_spec::Loaded,
) -> anyhow::Result<Vec<Diagnostic>> {
    let text = properties::read(name)?;
    let (scenario, mut found) = watchword_scenario::parse(&text, name);
    if let Some(model) = loaded.model.as_ref().filter(|_| !properties.is_empty()) {
        found.extend(watchword_scenario::check(&scenario, model));
    }
    let file = FileId::from_index(loaded.files.len());
    loaded.files.push(SourceFile { name: name.to_string(), text });
    for diagnostic in &mut found {
        diagnostic.span.file = file;
        diagnostic.labels.iter_mut().for_each(|label| label.span.file = file);
    }
    Ok(found)
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
