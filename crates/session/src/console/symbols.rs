//! `info` about names: symbols, variables, types, the source.

use watchword_debug::FunctionVariable;
use watchword_debug::info::Kind;
use watchword_native::Session;
use watchword_view::text::{counted, harmless};

use super::{Console, Done, Then};
use crate::error::{Context, bail};

/// More names are not shown.
const MOST: usize = 200;

/// `info symbol ADDRESS`: which function or variable is there.
pub(super) fn symbol(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if rest.is_empty() {
        bail!("info symbol ADDRESS");
    }
    let address = console.address(session, rest)?;
    let process = session.program().process();
    let debugger = session.program().debugger();
    let file = debugger.modules(process).iter().find(|m| (m.start..m.end).contains(&address));
    let file = file.map(|m| m.path.display().to_string());
    let text = match (debugger.symbol(process, address), file) {
        (Some(symbol), Some(file)) => format!("{symbol} in {file}"),
        (_, Some(file)) => format!("No symbol is at {address:#x}, in {file}."),
        _ => format!("No symbol is at {address:#x}."),
    };
    console.say(&harmless(&text));
    Ok(Then::Next)
}

/// `info address NAME`: where a function or variable is.
pub(super) fn address(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if rest.is_empty() {
        bail!("info address NAME");
    }
    let (thread, frame) = (session.thread()?, session.frame());
    let value = session.program().debugger().outline(thread, frame, rest)?;
    let what = if matches!(value.ty.kind, Kind::Function) { "function" } else { "variable" };
    console.say(&match value.address() {
        Some(address) => format!("{what} {rest} is at {address:#x}"),
        None => format!("{what} {rest} is in a register, or optimised out"),
    });
    Ok(Then::Next)
}

/// `info scope FUNCTION`: the parameters and variables of a function, of all its blocks.
pub(super) fn scope(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if rest.is_empty() {
        bail!("info scope FUNCTION, or another place as `break` takes it");
    }
    let at = *session.locate(rest)?.first().context("there is no such place")?;
    let process = session.program().process();
    let all = session.program().debugger().variables_of_function(process, at);
    if all.is_empty() {
        console.say(&format!("{rest} has no parameters or variables, or no debug information."));
    }
    for FunctionVariable { name, ty, is_parameter, is_static } in all {
        let what = match (is_parameter, is_static) {
            (true, _) => "parameter",
            (_, true) => "static variable",
            _ => "variable",
        };
        console.say(&harmless(&format!("{what} {name}: {ty}")));
    }
    Ok(Then::Next)
}

/// `info source`: the source file of the frame.
pub(super) fn source(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let file = session.current_file()?;
    console.say(&harmless(&format!("Source file: {file}")));
    if !std::path::Path::new(&file).exists() {
        console.say("It is not there; a file of that name in the current folder is shown instead.");
    }
    let thread = session.thread()?;
    let process = session.program().process();
    let index = session.frame();
    let debugger = session.program().debugger();
    let frames = debugger.backtrace(thread, index + 1)?;
    let unit = frames.get(index).and_then(|f| debugger.unit_at(process, f.lookup_pc()));
    if let Some((name, folder, compiler)) = unit {
        console.say(&harmless(&format!("Compiled as: {name}")));
        console.say(&harmless(&format!("Folder: {folder}")));
        console.say(&harmless(&format!("Compiler: {compiler}")));
    }
    Ok(Then::Next)
}

/// `info types [PATTERN]`
pub(super) fn types(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let process = session.program().process();
    let names = session.program().debugger().type_names(process);
    names_like(console, names, rest, "type")
}

/// `info variables [PATTERN]`
pub(super) fn variables(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let process = session.program().process();
    let names = session.program().debugger().global_names(process);
    names_like(console, names, rest, "variable")
}

fn names_like(console: &mut Console, names: Vec<String>, wanted: &str, what: &str) -> Done {
    let pattern = watchword_model::Glob::new(&format!("*{wanted}*"));
    let found: Vec<&String> = names.iter().filter(|n| pattern.matches(n)).collect();
    if found.is_empty() {
        console.say(&format!("The program has no such {what}, or no debug information."));
    }
    for name in found.iter().take(MOST) {
        console.say(&harmless(name));
    }
    if found.len() > MOST {
        console.say(&format!("… {} more; a pattern shows some of them", found.len() - MOST));
    }
    Ok(Then::Next)
}

/// `info program`: which process it is, and where it stands.
pub(super) fn program(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let thread = session.thread()?;
    let process = session.program().process();
    let threads = session.program().debugger().tracer().threads(process).len();
    let how = if session.is_attached() { "joined" } else { "started here" };
    let place = super::info::place_now(session, thread)?;
    console.say(&format!(
        "Process {process}, {how}, with {}. It stands at {place}.",
        counted(threads as u64, "thread")
    ));
    Ok(Then::Next)
}

/// `info proc [mappings]`: the process as the system sees it.
pub(super) fn process(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    session.thread()?;
    let process = session.program().process();
    if "mappings".starts_with(rest) && !rest.is_empty() {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps"))
            .context("the memory of the process is not told")?;
        console.say(&harmless(maps.trim_end()));
        return Ok(Then::Next);
    }
    if !rest.is_empty() {
        bail!("info proc, or info proc mappings; `shell cat /proc/{process}/status` tells more");
    }
    let link = |name: &str| {
        let found = std::fs::read_link(format!("/proc/{process}/{name}"));
        found.map_or("?".to_string(), |p| p.display().to_string())
    };
    let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ");
    console.say(&harmless(&format!(
        "process {process}\ncommand = {words}\nfolder = {}\nprogram = {}",
        link("cwd"),
        link("exe")
    )));
    Ok(Then::Next)
}
