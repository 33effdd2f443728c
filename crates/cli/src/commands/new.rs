//! `watchword new NAME`.

use std::path::Path;

use anyhow::bail;

use crate::Outcome;
use crate::args::Global;
use crate::output::atomic;
use crate::output::json::Json;

/// Write NAME.ww, a commented property file to begin with.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword new login        writes login.ww\n  \
    watchword new login --stdout")]
pub struct Args {
    /// What the property is called
    name: String,
    /// Print the file instead of writing it
    #[arg(long)]
    stdout: bool,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("new")?;
    let tell = |key: &str, value: &str| {
        let told = Json::object([("watchword", 1u64.into()), (key, value.into())]);
        super::print(&format!("{told}\n"))
    };
    let path = Path::new(args.name.strip_suffix(".ww").unwrap_or(&args.name));
    let stem = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let name = property_name(stem);
    if name.is_empty() {
        bail!("`{}` cannot be the name of a property; use letters and digits", args.name);
    }
    let text = watchword_spec::starter(&name);
    if args.stdout {
        if json {
            tell("text", &text)?;
        } else {
            super::print(&text)?;
        }
        return Ok(Outcome::Clean);
    }
    let file = path.with_file_name(format!("{stem}.ww"));
    if file.exists() {
        bail!("{} exists already and was not changed", file.display());
    }
    atomic::write(&file, &text)?;
    if json {
        tell("file", &file.display().to_string())?;
    } else if !global.quiet {
        let file = argument(&file.to_string_lossy());
        super::print(&format!(
            "wrote {file}\n\nnext:\n  watchword lint {file}\n  watchword graph {file}\n  \
             watchword replay -p {file} TRACE\n"
        ))?;
    }
    Ok(Outcome::Clean)
}

/// A file name as a shell takes it, and no option by the look of it.
fn argument(name: &str) -> String {
    let name = if name.starts_with('-') { format!("./{name}") } else { name.to_string() };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+');
    match name.chars().all(plain) {
        true => name,
        false => format!("'{}'", name.replace('\'', "'\\''")),
    }
}

/// `safe-iterator` names a file, `SafeIterator` a property.
fn property_name(stem: &str) -> String {
    let mut name = String::new();
    for part in stem.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty()) {
        let mut chars = part.chars();
        name.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        name.extend(chars);
    }
    if name.starts_with(|c: char| c.is_numeric()) {
        name.insert(0, 'P');
    }
    name.retain(|c| c.is_ascii_alphanumeric());
    name
}

#[cfg(test)]
mod tests {
    use super::{argument, property_name};

    #[test]
    fn next_commands_can_be_copied() {
        assert_eq!(argument("login.ww"), "login.ww");
        assert_eq!(argument("a b.ww"), "'a b.ww'");
        assert_eq!(argument("it's.ww"), r"'it'\''s.ww'");
        assert_eq!(argument("-x.ww"), "./-x.ww");
    }

    #[test]
    fn names() {
        assert_eq!(property_name("safe-iterator"), "SafeIterator");
        assert_eq!(property_name("login"), "Login");
        assert_eq!(property_name("2pc"), "P2pc");
        assert_eq!(property_name("--"), "");
    }
}
