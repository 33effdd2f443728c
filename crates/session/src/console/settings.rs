//! `set`, `show` and `unset`: what can be set beside the program's own variables.

use watchword_native::Session;

use super::{Console, Done, Then, examine, monitors};
use crate::error::{Context, bail};

/// A setting: its name, how it is set, and how it is shown.
struct Setting {
    name: &'static str,
    set: fn(&mut Console, &mut Session, &str) -> Done,
    show: fn(&mut Console, &mut Session, &str) -> Done,
}

const SETTINGS: &[Setting] = &[
    Setting { name: "args", set: set_arguments, show: show_arguments },
    Setting { name: "environment", set: set_environment, show: show_environment },
    Setting { name: "cwd", set: set_folder, show: show_folder },
    Setting { name: "scheduler-locking", set: set_locking, show: show_locking },
    Setting { name: "listsize", set: set_list_size, show: show_list_size },
    Setting { name: "state", set: monitors::set_state, show: show_slices },
    Setting { name: "slice-variable", set: monitors::set_slice_variable, show: show_slices },
    Setting {
        name: "scenario-variable",
        set: monitors::set_scenario_variable,
        show: monitors::scenario,
    },
];

/// Settings of GDB that are always so here: what they are set to, and what is said of another value.
const FIXED: &[(&str, &str, &str)] = &[
    ("pagination", "off", "the prompt never waits for a key between pages"),
    ("confirm", "off", "the prompt never asks back"),
    ("width", "0", "lines are never broken"),
    ("height", "0", "the prompt never waits for a key between pages"),
    ("verbose", "off", "`-v` on the command line tells every place that is armed"),
    ("disassembly-flavor", "intel", "instructions are shown in Intel's notation"),
    ("breakpoint pending", "on", "breakpoints wait for libraries while the program begins"),
    (
        "print pretty",
        "off",
        "values are shown in one line; a front end (`--gdb`, `--dap`) shows them as trees",
    ),
    ("print elements", "200", "200 elements are shown; `p a[200]@100` shows others"),
    ("print object", "off", "cast to the class: p *(Derived *) base"),
    ("print static-members", "off", "`p Class::member` shows a static member"),
    ("follow-fork-mode", "parent", "children run on; `run --follow-children` monitors them"),
    ("detach-on-fork", "on", "children run on; `run --follow-children` monitors them"),
    (
        "non-stop",
        "off",
        "all threads stand when one stops; `continue thread N` lets single ones go on",
    ),
    ("language", "auto", "expressions are C expressions, with names of C++ and Rust"),
    ("history", "save off", "the prompt keeps no history between sessions"),
    ("logging", "off", "redirect the output of the session: `| tee FILE`"),
];

fn find(text: &str) -> Option<(&'static Setting, &str)> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_meant = |s: &&Setting| s.name == word || (word == "env" && s.name == "environment");
    SETTINGS.iter().find(is_meant).map(|setting| (setting, rest.trim()))
}

/// `set WHAT …`, or an assignment.
pub(super) fn set(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if let Some((setting, value)) = find(rest) {
        return (setting.set)(console, session, value);
    }
    if let Some((name, is, why)) = fixed(rest) {
        let value = rest[name.len()..].trim();
        let is_so = value == *is || (*is == "off" && matches!(value, "0" | "no"));
        let is_unlimited = *is == "0" && value == "unlimited";
        if is_so || is_unlimited {
            return Ok(Then::Next);
        }
        bail!("`{name}` is always {is}: {why}");
    }
    let text = match rest.split_once(' ') {
        Some(("var" | "variable", after)) => after.trim(),
        _ => rest,
    };
    let is_statement = watchword_debug::expr::parse_statement(text).is_ok_and(|e| e.changes());
    if !is_statement && examine::assignment(text).is_none() {
        let names: Vec<&str> = SETTINGS.iter().map(|s| s.name).collect();
        bail!("set var PLACE = EXPRESSION, or one of {}", names.join(", "));
    }
    console.value(session, text)?;
    console.tell_selected(session);
    Ok(Then::Next)
}

fn fixed(text: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let is_meant = |(name, ..): &&(&str, &str, &str)| {
        text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    FIXED.iter().find(is_meant)
}

/// `show WHAT`: what was set.
pub(super) fn show(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if let Some((setting, rest)) = find(rest) {
        return (setting.show)(console, session, rest);
    }
    if let Some((name, is, why)) = fixed(rest) {
        console.say(&format!("{name} is {is}: {why}."));
        return Ok(Then::Next);
    }
    match rest {
        "" => {
            for name in ["args", "cwd", "scheduler-locking", "listsize"] {
                show(console, session, name)?;
            }
            console.say("`show environment`, `show convenience`, `show values`, `show user` and `show version` tell more.");
            Ok(Then::Next)
        }
        "convenience" | "conv" => show_variables(console, session),
        "values" => show_values(console, session),
        "user" => show_user(console),
        "version" => {
            console.say(concat!("Watchword ", env!("CARGO_PKG_VERSION")));
            Ok(Then::Next)
        }
        other => {
            let names: Vec<&str> = SETTINGS.iter().map(|s| s.name).collect();
            bail!(
                "`{other}` cannot be shown; there are {}, convenience, values, user, version",
                names.join(", ")
            )
        }
    }
}

/// `unset environment NAME`.
pub(super) fn unset(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    match find(rest) {
        Some((setting, name)) if setting.name == "environment" => {
            let name = Some(name).filter(|n| !n.is_empty());
            let name = name.context("unset environment NAME")?.to_string();
            session.change_surroundings(|s| s.set_variable(&name, None))?;
            console.say("The program runs without it from the next `run` on.");
            Ok(Then::Next)
        }
        Some((setting, _)) if setting.name == "args" => set_arguments(console, session, ""),
        _ => bail!("unset environment NAME, or unset args"),
    }
}

fn set_arguments(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    session.set_arguments(super::arguments::split(rest)?)?;
    console.say("The program gets them when it is run.");
    Ok(Then::Next)
}

fn show_arguments(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let words = session.command().iter().skip(1);
    let words: Vec<String> = words.map(|w| quoted(&w.to_string_lossy())).collect();
    console.say(
        match words.is_empty() {
            true => "The program has no arguments.".to_string(),
            false => format!("Arguments of the program: {}", words.join(" ")),
        }
        .as_str(),
    );
    Ok(Then::Next)
}

/// A word as `set args` reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn set_environment(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (name, value) = rest.split_once('=').or_else(|| rest.split_once(' ')).unwrap_or((rest, ""));
    let (name, value) = (name.trim().to_string(), value.trim().to_string());
    if name.is_empty() {
        bail!("set environment NAME = VALUE");
    }
    session.change_surroundings(|s| s.set_variable(&name, Some(&value)))?;
    console.say("The program gets it when it is run.");
    Ok(Then::Next)
}

fn show_environment(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let mut shown = 0;
    for (name, value) in session.surroundings().variables() {
        let name = name.to_string_lossy();
        if rest.is_empty() || rest == name {
            shown += 1;
            let text = format!("{name}={}", value.to_string_lossy());
            console.say(&watchword_view::text::harmless(&text));
        }
    }
    if shown == 0 {
        console.say(&format!("`{rest}` is not in the program's environment."));
    }
    Ok(Then::Next)
}

fn set_folder(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let folder = Some(rest.to_string()).filter(|f| !f.is_empty()).map(std::path::PathBuf::from);
    if folder.as_ref().is_some_and(|f| !f.is_dir()) {
        bail!("there is no folder {rest}");
    }
    session.change_surroundings(|s| s.directory = folder)?;
    console.say("The program is started there when it is run.");
    Ok(Then::Next)
}

fn show_folder(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let folder = session.surroundings().directory.clone();
    let here = || std::env::current_dir().unwrap_or_default();
    console.say(&format!("The program is started in {}", folder.unwrap_or_else(here).display()));
    Ok(Then::Next)
}

/// `pwd`
pub(super) fn pwd(console: &mut Console, _: &mut Session, _: &str) -> Done {
    let here = std::env::current_dir().context("the folder is gone")?;
    console.say(&here.display().to_string());
    Ok(Then::Next)
}

fn set_locking(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    match rest {
        "" => examine::tell_locking(console, session),
        value => console.serve(session, &super::parse::locking(value)?),
    }
}

fn show_locking(console: &mut Console, session: &mut Session, _: &str) -> Done {
    examine::tell_locking(console, session)
}

fn set_list_size(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    let size = rest.parse().ok().filter(|n| (1..=10_000).contains(n));
    console.list_size = size.with_context(|| format!("`{rest}` is no number of lines"))?;
    Ok(Then::Next)
}

fn show_list_size(console: &mut Console, _: &mut Session, _: &str) -> Done {
    console.say(&format!("`list` shows {} lines.", console.list_size));
    Ok(Then::Next)
}

fn show_slices(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    monitors::slices(console, session, rest)
}

/// The variables of the person.
fn show_variables(console: &mut Console, session: &mut Session) -> Done {
    let process = session.program().process();
    let debugger = session.program().debugger();
    let all: Vec<(String, watchword_debug::Value)> =
        debugger.kept().variables().map(|(n, v)| (n.to_string(), v.clone())).collect();
    for (name, value) in &all {
        let shown = session.program().debugger().show(process, value);
        console.say(&format!("${name} = {shown}"));
    }
    if all.is_empty() {
        console.say("There are no variables; `set $NAME = EXPRESSION` makes one.");
    }
    Ok(Then::Next)
}

/// The last results of `print`.
fn show_values(console: &mut Console, session: &mut Session) -> Done {
    /// So many are shown.
    const LAST: usize = 10;
    let process = session.program().process();
    let results = session.program().debugger().kept().results().to_vec();
    let first = results.len().saturating_sub(LAST);
    for (i, value) in results.iter().enumerate().skip(first) {
        let shown = session.program().debugger().show(process, value);
        console.say(&format!("${} = {shown}", i + 1));
    }
    Ok(Then::Next)
}

/// The commands that the person has defined.
fn show_user(console: &mut Console) -> Done {
    let all = console.defined.clone();
    for (name, lines) in &all {
        console.say(&format!("define {name}\n  {}\nend", lines.join("\n  ")));
    }
    if all.is_empty() {
        console.say("No commands are defined; `define NAME` makes one.");
    }
    Ok(Then::Next)
}
