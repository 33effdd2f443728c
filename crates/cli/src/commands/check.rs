//! `watchword check`: runs what a project file says.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args as _, CommandFactory, FromArgMatches};
use toml::{Table, Value};

use crate::Outcome;
use crate::args::{Cli, Global};
use crate::commands::replay;
use watchword_model::nearest;

/// Run the checks of a project file: properties, logs and reports of a project, written down once.
///
/// The file is `watchword.toml`, in this folder or above; paths in it are relative to the file.
/// Every `[[check]]` has `properties`, `traces`, an optional `name`, and any long flag of
/// `watchword replay` as a key: `preset = "nginx"`, `merge = true`, `report = ["out.html",
/// "out.sarif"]`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword check\n  \
    watchword check --only web\n  \
    watchword check --file ci/watchword.toml --format json\n\n\
    A project file:\n  \
    [[check]]\n  \
    name = \"web\"\n  \
    properties = [\"probing.ww\", \"std/response-in-time\"]\n  \
    traces = [\"logs/access.log\", \"logs/*.jsonl\"]\n  \
    preset = \"nginx\"\n  \
    report = \"out.html\"\n\n\
    Exit status: 0 no (new) violation, 1 violations found, 2 bad usage or input. If there is no\n\
    violation but an inconclusive verdict: the check's `inconclusive-exitcode`, or 0.\n\
    With --format json, each check prints its report on one line.")]
pub struct Args {
    /// The project file, if it is not the nearest watchword.toml
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Only the checks of this name; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
}

/// The name of project files.
pub const NAME: &str = "watchword.toml";

/// A check of a project file.
struct Check {
    name: String,
    args: replay::Args,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("check")?;
    let file = match &args.file {
        Some(file) => file.clone(),
        None => find()?,
    };
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {shown}"))?;
    // Names in the file are those of files beside it.
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::env::set_current_dir(folder)
            .with_context(|| format!("cannot go to {}", folder.display()))?;
    }
    let mut checks = parse(&text).with_context(|| shown.clone())?;
    for name in &args.only {
        if !checks.iter().any(|check| check.name == *name) {
            let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
            bail!("{shown}: there is no check `{name}`; there are {}", names.join(", "));
        }
    }
    checks.retain(|check| args.only.is_empty() || args.only.contains(&check.name));
    let several = checks.len() > 1;
    let mut outcome = Outcome::Clean;
    for check in &checks {
        if several && !json && !global.quiet {
            super::print(&format!("== {}\n", check.name))?;
        }
        let found = replay::run(&check.args, global);
        let found = found.with_context(|| format!("check `{}`", check.name))?;
        // Violations weigh most; then what the first inconclusive check asked for.
        if found == Outcome::Found || outcome == Outcome::Clean {
            outcome = found;
        }
    }
    Ok(outcome)
}

/// The project file of this folder, or of the nearest one above.
fn find() -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("cannot determine the current folder")?;
    let found = here.ancestors().map(|folder| folder.join(NAME)).find(|file| file.is_file());
    match found {
        // A short name where that is enough.
        Some(file) if file.parent() == Some(&*here) => Ok(PathBuf::from(NAME)),
        Some(file) => Ok(file),
        None => {
            bail!("there is no {NAME} here or in a folder above; `watchword init LOG` writes one")
        }
    }
}

/// The checks of a file; paths are those below the current folder.
fn parse(text: &str) -> anyhow::Result<Vec<Check>> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        // Its own words come with the line.
        anyhow::anyhow!("{}", error.to_string().trim_end())
    })?;
    if let Some(key) = table.keys().find(|key| *key != "check") {
        if nearest(key, ["check"]).is_some() {
            bail!("there is no key `{key}`, did you mean `[[check]]`?");
        }
        bail!(
            "there is no key `{key}` here; all keys belong to a check: write them below a line `[[check]]`"
        );
    }
    let tables = match table.get("check") {
        Some(Value::Array(tables)) if !tables.is_empty() => tables,
        Some(Value::Table(_)) => {
            bail!("`[check]` needs two brackets: write `[[check]]`, once for each check")
        }
        _ => bail!("there is no [[check]]"),
    };
    let mut checks = Vec::new();
    for (number, table) in tables.iter().enumerate() {
        let Value::Table(table) = table else { bail!("`check` must be a table: [[check]]") };
        let name = match table.get("name") {
            None => format!("{}", number + 1),
            Some(Value::String(name)) => name.clone(),
            Some(_) => bail!("the name of a check must be a text"),
        };
        let args = arguments(table).with_context(|| format!("check `{name}`"))?;
        checks.push(Check { name, args });
    }
    Ok(checks)
}

/// What `replay` is to be told.
fn arguments(table: &Table) -> anyhow::Result<replay::Args> {
    let mut words = vec!["watchword replay".to_string()];
    let mut traces = Vec::new();
    for (key, value) in table {
        match key.as_str() {
            "name" => {}
            "properties" => {
                for property in texts(key, value)? {
                    words.extend(["--property".to_string(), property]);
                }
            }
            "traces" => {
                for trace in texts(key, value)? {
                    traces.extend(matching(&trace)?);
                }
            }
            _ => flag(key, value, &mut words)?,
        }
    }
    for needed in ["properties", "traces"] {
        if !table.contains_key(needed) {
            bail!("`{needed}` is missing");
        }
    }
    words.push("--".to_string());
    words.extend(traces);
    let command = replay::Args::augment_args(clap::Command::new("watchword replay"));
    let matches = command.try_get_matches_from(words).map_err(|error| {
        let text = error.to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        let first: Vec<&str> = first.lines().map(str::trim).collect();
        anyhow::anyhow!("{}", first.join(" ").trim_start_matches("error: "))
    })?;
    Ok(replay::Args::from_arg_matches(&matches)?)
}

/// A key that is a flag of `replay`.
fn flag(key: &str, value: &Value, words: &mut Vec<String>) -> anyhow::Result<()> {
    let cli = Cli::command();
    let replay = cli.find_subcommand("replay").context("`replay` is a command")?;
    let flags = || replay.get_arguments().filter_map(|argument| argument.get_long());
    if key == "follow" {
        bail!("`follow` is no key: checks end. To watch a log, type `watchword replay --follow`");
    }
    let known = || flags().filter(|flag| !["property", "follow", "help"].contains(flag));
    if !known().any(|flag| flag == key) {
        let near = match key {
            "trace" | "log" | "logs" | "file" | "files" => Some("traces"),
            "property" | "prop" | "props" => Some("properties"),
            _ => nearest(key, ["properties", "traces", "name"].into_iter().chain(known())),
        };
        let near = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        bail!(
            "there is no key `{key}`{near}; keys are `properties`, `traces`, `name` and the flags of `replay`"
        );
    }
    match value {
        Value::Boolean(true) => words.push(format!("--{key}")),
        Value::Boolean(false) => {}
        // `set = { limit = 3 }` is `--set limit=3`.
        Value::Table(table) => {
            for (name, value) in table {
                words.push(format!("--{key}={name}={}", text(key, value)?));
            }
        }
        _ => {
            for value in texts(key, value)? {
                words.push(format!("--{key}={value}"));
            }
        }
    }
    Ok(())
}

/// One value or a list of them.
fn texts(key: &str, value: &Value) -> anyhow::Result<Vec<String>> {
    match value {
        Value::Array(values) => values.iter().map(|value| text(key, value)).collect(),
        value => Ok(vec![text(key, value)?]),
    }
}

fn text(key: &str, value: &Value) -> anyhow::Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(truth) => Ok(truth.to_string()),
        _ => bail!("`{key}` must be a text, a number or a list of them"),
    }
}

/// The files that a name with `*` in its last part stands for, in the order of their names.
fn matching(name: &str) -> anyhow::Result<Vec<String>> {
    let path = Path::new(name);
    let pattern = path.file_name().and_then(|last| last.to_str()).unwrap_or_default();
    if !pattern.contains('*') {
        return Ok(vec![name.to_string()]);
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let glob = watchword_model::Glob::new(pattern);
    let mut found: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|file| glob.matches(file))
        .map(|file| path.with_file_name(file).display().to_string())
        .collect();
    if found.is_empty() {
        bail!("no file matches {name}");
    }
    found.sort();
    Ok(found)
}
