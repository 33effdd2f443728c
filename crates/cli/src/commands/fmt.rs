//! `watchword fmt PROP…`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use watchword_spec::{Lang, SourceFile, lang_of};

use crate::args::{Global, lang_parser};
use crate::output::json::Json;
use crate::output::{atomic, style::Style};
use crate::{Outcome, Reported, properties};

/// Format property files and scenarios in place. A file with syntax errors is not changed.
///
/// All languages are supported. Only indentation, blanks and blank lines change; words and comments
/// stay the same.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword fmt login.ww\n  \
    watchword fmt --check *.ww     status 1 if a file is not formatted; nothing is written\n  \
    watchword fmt HasNext.topl logins.lrv queue.prop stop.scn\n  \
    watchword fmt - < login.ww     from stdin to stdout")]
pub struct Args {
    /// Property files and scenarios; `-` reads stdin and prints
    #[arg(required = true, value_name = "PROP")]
    files: Vec<String>,
    /// Only list the files that are not formatted
    #[arg(long)]
    check: bool,
    /// The language of the files, if the extension does not determine it
    #[arg(long, value_name = "LANG", value_parser = lang_parser())]
    lang: Option<Lang>,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("fmt")?;
    // All files are read and formatted before the first is written.
    let mut formatted = Vec::new();
    let mut failed = false;
    for name in &args.files {
        let scenario = properties::is_scenario(name);
        if args.lang.is_none() && !scenario {
            properties::check_language(name)?;
        }
        let text = properties::read(name)?;
        let new = match scenario {
            true => watchword_scenario::format(&text),
            false => {
                let lang = args.lang.unwrap_or_else(|| lang_of(name, &text));
                watchword_spec::format_as(lang, &text)
            }
        };
        match new {
            Ok(new) => formatted.push((name, text, new)),
            Err(diagnostics) => {
                failed = true;
                let files = [SourceFile { name: name.clone(), text }];
                for diagnostic in diagnostics {
                    let text = diagnostic.render(&files, global.color_on_stderr());
                    let _ = writeln!(std::io::stderr(), "{text}");
                }
            }
        }
    }
    if failed {
        return Err(Reported.into());
    }
    let mut differing = 0;
    let mut told = Vec::new();
    for (name, old, new) in formatted {
        let printed = name == "-" && !args.check;
        if json {
            told.push(
                Json::object([("file", name.as_str().into()), ("changed", (old != new).into())])
                    .with_some("text", printed.then_some(new.as_str())),
            );
        } else if printed {
            super::print(&new)?;
        }
        if printed || old == new {
            continue;
        }
        differing += 1;
        if !args.check {
            atomic::write(Path::new(name), &new)?;
        }
        if json {
            continue;
        }
        if args.check {
            super::print(&difference(global, name, &old, &new))?;
        } else if !global.quiet {
            super::print(&format!("formatted {name}\n"))?;
        }
    }
    if json {
        let told = Json::object([("watchword", 1u64.into()), ("files", told.into())]);
        super::print(&format!("{told}\n"))?;
    }
    Ok(if args.check && differing > 0 { Outcome::Found } else { Outcome::Clean })
}

/// The first line that differs; a whole diff is `fmt` and the version control's business.
fn difference(global: &Global, name: &str, old: &str, new: &str) -> String {
    let style = Style::new(global.color_on_stdout());
    let mut text = format!("{name} is not formatted\n");
    let (mut olds, mut news) = (old.lines(), new.lines());
    for number in 1.. {
        let (a, b) = (olds.next(), news.next());
        if a.is_none() && b.is_none() {
            break;
        }
        if a != b {
            let shown = |line: Option<&str>| line.unwrap_or("(end of file)").to_string();
            let _ = writeln!(text, "  {name}:{number}");
            let _ = writeln!(text, "  {}", style.error(&format!("- {}", shown(a))));
            let _ = writeln!(text, "  {}", style.good(&format!("+ {}", shown(b))));
            break;
        }
    }
    text
}
