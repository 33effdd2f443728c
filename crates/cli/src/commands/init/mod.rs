//! `watchword init LOG`: looks at a log, proposes events and a property, and writes them.

mod fields;
mod pairs;
mod templates;

use std::collections::HashMap;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_spec::Lang;

use self::pairs::Pair;
use crate::Outcome;
use crate::args::Global;
use crate::commands::check;
use crate::inputs::Input;
use crate::output::atomic;
use crate::output::json::Json;
use crate::output::style::{count, harmless};

/// Look at a log, propose events and a property, and write them with a project file for `watchword check`.
///
/// The beginning of the log shows the structure of its records: fields of JSON, CSV and key=value
/// lines and of well-known programs, otherwise words that change from line to line. The proposed
/// property is one that most of the log satisfies: an event that is followed by another event with
/// the same id. Read it before you rely on it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  watchword init app.log          writes app.ww and watchword.toml\n  \
    watchword init app.log --stdout\n  \
    watchword init app.log && watchword check"
)]
pub struct Args {
    /// The log
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Print the property instead of writing files
    #[arg(long)]
    stdout: bool,
}

/// How much of a log is looked at.
const MOST: u64 = 4 << 20;

/// A kind of thing that happens, and how a property selects it.
struct Kind {
    name: String,
    /// What comes after `= log`.
    source: String,
}

/// What a log holds, of things that carry an id.
struct Seen {
    /// What the id is called.
    id: String,
    kinds: Vec<Kind>,
    /// The kind and the id of what happened, in order.
    happened: Vec<(usize, String)>,
    /// How records were found, in words.
    how: String,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("init")?;
    let name = args.log.display().to_string();
    let text = beginning(&args.log)?;
    let seen = fields::look(&name, &text).or_else(|| templates::look(&text));
    let Some(seen) = seen else {
        bail!(
            "{name}: no id was found that occurs in several kinds of lines; \
             `watchword new NAME` begins a property by hand"
        );
    };
    let pair = pairs::best(seen.kinds.len(), &seen.happened);
    let property = accepted(&property(&name, &seen, pair.as_ref()))?;
    if args.stdout {
        match json {
            true => tell(&[("text", property.as_str().into())])?,
            false => super::print(&property)?,
        }
        return Ok(Outcome::Clean);
    }
    let stem = args.log.file_stem().and_then(|stem| stem.to_str()).unwrap_or("log");
    let stem = stem.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("log");
    let file = format!("{stem}.ww");
    let project = format!(
        "# What `watchword check` runs; its keys are the flags of `watchword replay`.\n\
         [[check]]\nname = {}\nproperties = [{}]\ntraces = [{}]\n",
        quoted(stem),
        quoted(&file),
        quoted(&name)
    );
    for file in [&*file, check::NAME] {
        if Path::new(file).exists() {
            bail!("{file} exists already; nothing was written");
        }
    }
    atomic::write(Path::new(&file), &property)?;
    atomic::write(Path::new(check::NAME), &project)?;
    if json {
        tell(&[("file", file.as_str().into()), ("project", check::NAME.into())])?;
    } else if !global.quiet {
        let mut told = format!("{}: {}\n", harmless(&name), seen.how);
        if let Some(pair) = &pair {
            let (first, then) = (&seen.kinds[pair.first].name, &seen.kinds[pair.then].name);
            let _ = writeln!(
                told,
                "`{first}` is followed by `{then}` of the same {} {} of {} times",
                seen.id,
                count(pair.kept),
                count(pair.all)
            );
        }
        let _ = write!(
            told,
            "wrote {file} and {}\n\nnext:\n  watchword check\n  watchword explain {file}\n",
            check::NAME
        );
        super::print(&told)?;
    }
    Ok(Outcome::Clean)
}

fn tell(told: &[(&str, Json)]) -> anyhow::Result<()> {
    let json = Json::object([("watchword", 1u64.into())]);
    let json = told.iter().fold(json, |json, (key, value)| json.with(key, value.clone()));
    super::print(&format!("{json}\n"))
}

/// The whole lines at the beginning of a log.
fn beginning(log: &Path) -> anyhow::Result<String> {
    let input = Input::open(log)?;
    let mut bytes = Vec::new();
    let context = || format!("cannot read {}", log.display());
    input.stream.take(MOST).read_to_end(&mut bytes).with_context(context)?;
    if bytes.len() as u64 == MOST {
        let end = memchr::memrchr(b'\n', &bytes).map_or(bytes.len(), |end| end + 1);
        bytes.truncate(end);
    }
    if bytes.is_empty() {
        bail!("{} is empty", log.display());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The property file.
fn property(log: &str, seen: &Seen, pair: Option<&Pair>) -> String {
    let id = &seen.id;
    let mut out = format!("// Proposed from {}: {}.\n\n", harmless(log), seen.how);
    for kind in &seen.kinds {
        let _ = writeln!(out, "event {}({id}) = log {}", kind.name, kind.source);
    }
    match pair {
        Some(pair) => {
            let (first, then) = (&seen.kinds[pair.first].name, &seen.kinds[pair.then].name);
            let _ = write!(
                out,
                "\n/// Every `{first}` is followed by `{then}` of the same {id}: {} of {} were.\n\
                 /// To limit the time between them: `state Waiting within 5 s else Late`, and `bad state Late`.\n\
                 property {}Follows({id}) {{\n  \
                 start state Idle {{ on {first}({id}) -> Waiting }}\n  \
                 pending state Waiting {{ on {then}({id}) -> Idle }}\n}}\n",
                pair.kept,
                pair.all,
                capital(then),
            );
        }
        None => {
            let rare = unwelcome(seen);
            let _ = write!(
                out,
                "\n/// Nothing in the log is usually followed by something else. Does it matter if `{rare}`\n\
                 /// happens three times to the same {id}?\n\
                 property {}ThreeTimes({id}) {{\n  \
                 severity warning\n  \
                 start state Never {{ on {rare}({id}) -> Once }}\n  \
                 state Once {{ on {rare}({id}) -> Twice }}\n  \
                 state Twice {{ on {rare}({id}) -> Often \"{{{id}}}: three times\" }}\n  \
                 bad state Often\n}}\n",
                capital(rare),
            );
        }
    }
    out
}

/// What names of unwelcome things hold.
const UNWELCOME: [&str; 11] = [
    "error", "fail", "fatal", "denied", "refused", "invalid", "timeout", "reject", "is_4", "is_5",
    "warn",
];

/// The kind that nobody wants to see often: by its name, else the one that happened least often.
fn unwelcome(seen: &Seen) -> &str {
    let mut times: HashMap<usize, u64> = HashMap::new();
    for (kind, _) in &seen.happened {
        *times.entry(*kind).or_default() += 1;
    }
    let is_welcome =
        |kind: usize| !UNWELCOME.iter().any(|word| seen.kinds[kind].name.contains(word));
    let rank = |kind: &usize| (is_welcome(*kind), times.get(kind).copied().unwrap_or(0));
    &seen.kinds[(0..seen.kinds.len()).min_by_key(rank).unwrap_or(0)].name
}

/// What is proposed, laid out as files are; it must be a property, and if it is not, the mistake is here.
fn accepted(text: &str) -> anyhow::Result<String> {
    let file = watchword_spec::SourceFile::new("proposed.ww", text);
    let loaded = watchword_spec::load(&[file], &crate::properties::import);
    let wrong = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    match (wrong, watchword_spec::format_as(Lang::Ww, text)) {
        (None, Ok(formatted)) => Ok(formatted),
        (wrong, _) => bail!(
            "no property could be proposed for this log; `watchword new NAME` begins one by hand\n{}",
            wrong.map_or(String::new(), |wrong| wrong.render(&loaded.files, false))
        ),
    }
}

/// A text of TOML and of a property.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}

/// A text as a regular expression between slashes that only it matches.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        // Others may not be escaped: `\<` is the beginning of a word.
        if r"\.+*?()|[]{}^$#&-~/".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// `request_sent` as `RequestSent`.
fn capital(name: &str) -> String {
    let parts = name.split('_').map(|part| {
        let mut chars = part.chars();
        chars.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(chars).collect::<String>()
    });
    parts.collect()
}

/// A text as the name of an event: letters and digits of its first words; no word of the language, and no
/// name that is taken.
fn event_name(text: &str, taken: &[Kind]) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.take(4).collect::<Vec<_>>().join("_").to_ascii_lowercase();
    if name.is_empty() {
        name.push_str("kind");
    } else if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "is_");
    }
    // Events may have names such as `next`, but these would have to be quoted.
    let words =
        ["on", "if", "else", "or", "and", "not", "then", "end", "state", "null", "true", "false"];
    if words.contains(&&*name) {
        name.insert_str(0, "is_");
    }
    let is_taken = |name: &str| taken.iter().any(|kind| kind.name == name);
    let mut number = 1;
    let base = name.clone();
    while is_taken(&name) {
        number += 1;
        name = format!("{base}_{number}");
    }
    name
}
