//! Commands that show where the program is.

use std::fmt::Write;

use crate::error::{Context, bail};
use watchword_debug::{Frame, ThreadId};
use watchword_native::Session;
use watchword_native::session::PointKind;

use super::{Console, Done, Then};
use crate::happening::{Happening, Place, Selected};

/// Lines that `list` shows.
const LISTED: u32 = 10;

impl Console {
    /// The selected frame, after some words, with its source line.
    pub(super) fn show_place(&mut self, session: &mut Session, head: &str) {
        let text = self.place_in_words(session, head);
        self.say(&text);
    }

    /// The selected frame, after some words, with its source line; or why there is none.
    pub(super) fn place_in_words(&mut self, session: &mut Session, head: &str) -> String {
        match self.place(session, head) {
            Ok(text) => text,
            Err(e) => format!("{head}{e}"),
        }
    }

    /// The number of the selected thread, and the place of the selected frame.
    pub(super) fn where_is(&mut self, session: &mut Session) -> (u32, Place) {
        let Ok(thread) = session.thread() else { return (0, Place::default()) };
        let number = session.program().debugger().tracer().thread_number(thread).unwrap_or(0);
        let index = session.frame();
        let frames = session.program().debugger().backtrace(thread, index + 1).unwrap_or_default();
        let place = frames.get(index).map_or(Place::default(), |frame| Place {
            function: frame.function.clone(),
            file: frame.line.as_ref().map(|l| l.file.clone()),
            line: frame.line.as_ref().map(|l| l.line),
        });
        (number, place)
    }

    /// Tells which frame is selected, and its variables, if a client wants that.
    pub(super) fn tell_selected(&mut self, session: &mut Session) {
        /// More are not told.
        const MOST: usize = 100;
        if !self.wants_frames {
            return;
        }
        let Ok(thread) = session.thread() else { return };
        let (_, place) = self.where_is(session);
        let frame = session.frame();
        let mut all = variables(session, thread, frame, true).unwrap_or_default();
        all.extend(variables(session, thread, frame, false).unwrap_or_default());
        all.truncate(MOST);
        self.tell(&Happening::Selected(Selected { place, variables: all }));
    }

    fn place(&mut self, session: &mut Session, head: &str) -> crate::Result<String> {
        let thread = session.thread()?;
        let index = session.frame();
        let frames = session.program().debugger().backtrace(thread, index + 1)?;
        let frame = frames.get(index).context("there is no frame")?;
        let mut text = head.to_string();
        let threads = threads(session);
        if threads.len() > 1
            && let Some((number, _)) = threads.iter().find(|(_, t)| *t == thread)
        {
            let _ = write!(text, "[thread {number}] ");
        }
        text.push_str(&describe(session, thread, frame));
        if let Some(line) = &frame.line {
            if let Some(source) = self.sources.line(&line.file, line.line) {
                let _ =
                    write!(text, "\n{}\t{}", line.line, watchword_view::text::harmless(&source));
            }
            self.sources.next = Some((line.file.clone(), line.line.saturating_sub(LISTED / 2)));
        }
        Ok(text)
    }
}

/// `push (q=0x55…, item=3) at queue.c:30`.
fn describe(session: &mut Session, thread: ThreadId, frame: &Frame) -> String {
    let process = session.program().process();
    let name = frame.function.clone().unwrap_or_else(|| "??".into());
    let args: Vec<String> = arguments(session, thread, frame.index)
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mut text = format!("{name} ({})", args.join(", "));
    match &frame.line {
        Some(line) => {
            let _ = write!(text, " at {}:{}", short(&line.file), line.line);
        }
        None => {
            let inside = |m: &&std::rc::Rc<watchword_debug::Module>| {
                (m.start..m.end).contains(&frame.lookup_pc())
            };
            let modules = session.program().debugger().modules(process).to_vec();
            match modules.iter().find(inside) {
                Some(module) => {
                    let _ = write!(text, " from {} ({:#x})", module.path.display(), frame.pc);
                }
                None => {
                    let _ = write!(text, " ({:#x})", frame.pc);
                }
            }
        }
    }
    text
}

fn short(file: &str) -> String {
    let here = std::env::current_dir().ok();
    let inside = here.and_then(|h| {
        std::path::Path::new(file).strip_prefix(h).ok().map(|p| p.display().to_string())
    });
    inside.unwrap_or_else(|| file.to_string())
}

fn arguments(session: &mut Session, thread: ThreadId, frame: usize) -> Vec<(String, String)> {
    variables(session, thread, frame, true).unwrap_or_default()
}

fn variables(
    session: &mut Session,
    thread: ThreadId,
    frame: usize,
    parameters: bool,
) -> crate::Result<Vec<(String, String)>> {
    let process = session.program().process();
    let debugger = session.program().debugger();
    let locals = debugger.locals(thread, frame)?;
    Ok(locals
        .into_iter()
        .filter(|(v, _)| v.is_parameter == parameters)
        .map(|(v, value)| {
            let shown = match value {
                Ok(value) => debugger.show(process, &value),
                Err(e) => format!("<{e}>"),
            };
            (v.name, shown)
        })
        .collect())
}

/// The threads of the program with their numbers, in that order.
fn threads(session: &mut Session) -> Vec<(u32, ThreadId)> {
    let process = session.program().process();
    let tracer = session.program().debugger().tracer();
    let number = |t: ThreadId| tracer.thread_number(t).map(|n| (n, t));
    let mut all: Vec<_> = tracer.threads(process).into_iter().filter_map(number).collect();
    all.sort_unstable();
    all
}

pub(super) fn backtrace(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let thread = session.thread()?;
    let (full, rest) = match rest.strip_prefix("full") {
        Some(rest) => (true, rest.trim()),
        None => (false, rest),
    };
    let limit = match rest {
        "" => usize::MAX,
        n => n.parse().with_context(|| format!("`{n}` is no number of frames"))?,
    };
    let frames = session.program().debugger().backtrace(thread, limit)?;
    for frame in frames.iter().take(limit) {
        let inlined = frame.inlined.len().saturating_sub(1);
        for inner in frame.inlined.iter().take(inlined) {
            let name = inner.function.clone().unwrap_or_else(|| "??".into());
            let at = inner
                .line
                .as_ref()
                .map_or(String::new(), |l| format!(" at {}:{}", short(&l.file), l.line));
            console.say(&format!("    {name}{at} (inlined)"));
        }
        let mut outer = frame.clone();
        if let Some(last) = frame.inlined.last() {
            outer.line = last.line.clone();
        }
        let text = describe(session, thread, &outer);
        console.say(&format!("#{:<2} {text}", frame.index));
        if full {
            for (name, value) in variables(session, thread, frame.index, false)? {
                console.say(&format!("        {name} = {value}"));
            }
        }
    }
    Ok(Then::Next)
}

pub(super) fn frame(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if !rest.is_empty() {
        let number = rest.parse().with_context(|| format!("`{rest}` is no number of a frame"))?;
        session.select_frame(number)?;
    }
    let head = format!("#{:<2} ", session.frame());
    console.place(session, &head).map(|text| console.say(&text))?;
    console.tell_selected(session);
    Ok(Then::Next)
}

pub(super) fn up(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let by: usize = if rest.is_empty() { 1 } else { rest.parse()? };
    let to = session.frame().saturating_add(by);
    if session.select_frame(to).is_err() {
        bail!("this is the outermost frame");
    }
    frame(console, session, "")
}

pub(super) fn down(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let by: usize = if rest.is_empty() { 1 } else { rest.parse()? };
    if session.frame() == 0 {
        bail!("this is the innermost frame");
    }
    session.select_frame(session.frame().saturating_sub(by))?;
    frame(console, session, "")
}

pub(super) fn thread(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let all = threads(session);
    if let Some(command) = rest.strip_prefix("apply all") {
        let before = session.thread()?;
        for (number, thread) in &all {
            session.select_thread(*thread);
            console.say(&format!("\nThread {number} ({thread}):"));
            if let Err(e) = console.execute(session, command) {
                console.complain(&e);
            }
        }
        session.select_thread(before);
        return Ok(Then::Next);
    }
    if !rest.is_empty() {
        let number: u32 =
            rest.parse().with_context(|| format!("`{rest}` is no number of a thread"))?;
        let Some((_, thread)) = all.iter().find(|(n, _)| *n == number) else {
            bail!("there is no thread {number}; `info threads` lists the {}", all.len());
        };
        session.select_thread(*thread);
    }
    console.place(session, "").map(|text| console.say(&text))?;
    console.tell_selected(session);
    Ok(Then::Next)
}

pub(super) fn list(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let (file, first, last) = if rest.is_empty() {
        let (file, next) = match console.sources.next.clone() {
            Some(next) => next,
            None => place_of(session, "main")?,
        };
        (file, next, next.saturating_add(LISTED - 1))
    } else if let Some((a, b)) = rest.split_once(',')
        && let (Some(a), Some(b)) = (number(a), number(b))
    {
        (session.current_file()?, a, b)
    } else if let Some(line) = number(rest) {
        let first = line.saturating_sub(LISTED / 2);
        (session.current_file()?, first, first.saturating_add(LISTED - 1))
    } else {
        let (file, line) = place_of(session, rest)?;
        (file, line, line.saturating_add(LISTED - 1))
    };
    let lines = console.sources.lines(&file, first, last);
    if lines.is_empty() {
        bail!("there is no line {} of {}", first.max(1), short(&file));
    }
    for (n, text) in &lines {
        console.say(&format!("{n}\t{}", watchword_view::text::harmless(text)));
    }
    let after = lines.last().map_or(first, |(n, _)| n + 1);
    console.sources.next = Some((file, after));
    Ok(Then::Next)
}

/// The file of a place, and a line a little before it.
fn place_of(session: &mut Session, place: &str) -> crate::Result<(String, u32)> {
    let address = *session.locate(place)?.first().context("there is no such place")?;
    let process = session.program().process();
    let line = session.program().debugger().line_at(process, address);
    let line = line.with_context(|| format!("the source line of {place} is not known"))?;
    Ok((line.file, line.line.saturating_sub(LISTED / 2)))
}

/// What `info` can tell.
type Teller = fn(&mut Console, &mut Session, &str) -> Done;

const TOPICS: &[(&str, Teller)] = &[
    ("args", args),
    ("breakpoints", breakpoints),
    ("checkpoints", super::monitors::checkpoints),
    ("display", displays),
    ("frame", frame_info),
    ("functions", functions),
    ("line", line),
    ("locals", locals),
    ("monitors", super::monitors::monitors),
    ("registers", registers),
    ("scenario", super::monitors::scenario),
    ("sharedlibrary", libraries),
    ("slices", super::monitors::slices),
    ("threads", thread_list),
    ("watchpoints", breakpoints),
];

/// The topics of `info`.
pub(super) fn topics() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|(name, _)| *name)
}

pub(super) fn info(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let found: Vec<_> =
        TOPICS.iter().filter(|(name, _)| !word.is_empty() && name.starts_with(word)).collect();
    match found.as_slice() {
        [(_, tell), ..] => tell(console, session, rest.trim()),
        [] => {
            let names: Vec<&str> = TOPICS.iter().map(|(n, _)| *n).collect();
            bail!("info about what? {}", names.join(", "))
        }
    }
}

fn args(console: &mut Console, session: &mut Session, _: &str) -> Done {
    show_variables(console, session, true)
}

fn locals(console: &mut Console, session: &mut Session, _: &str) -> Done {
    show_variables(console, session, false)
}

fn show_variables(console: &mut Console, session: &mut Session, parameters: bool) -> Done {
    let (thread, frame) = (session.thread()?, session.frame());
    let all = variables(session, thread, frame, parameters)?;
    if all.is_empty() {
        console.say(if parameters { "No arguments." } else { "No locals." });
    }
    for (name, value) in all {
        console.say(&format!("{name} = {value}"));
    }
    Ok(Then::Next)
}

fn breakpoints(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let process = session.program().process();
    let rows: Vec<(i64, String, Vec<u64>, u64)> = session
        .points()
        .map(|(n, p)| {
            let kind = match p.kind {
                PointKind::Break => "breakpoint",
                PointKind::Watch(watchword_debug::Access::Write) => "watchpoint",
                PointKind::Watch(watchword_debug::Access::Read) => "read watchpoint",
                PointKind::Watch(_) => "access watchpoint",
            };
            let keep = if p.once { "once" } else { "keep" };
            let on = if p.enabled { "on " } else { "off" };
            let whose = if p.of_scenario { " (scenario)" } else { "" };
            let condition = p.condition.as_ref().map_or(String::new(), |c| format!(" if {c}"));
            (
                n,
                format!("{n:<4} {kind:<17} {keep} {on} {}{condition}{whose}", p.text),
                p.addresses.clone(),
                p.hits,
            )
        })
        .collect();
    if rows.is_empty() {
        console.say("No breakpoints or watchpoints.");
    }
    for (number, row, addresses, hits) in rows {
        let alive = session.is_alive();
        let places: Vec<String> = addresses
            .iter()
            .filter(|_| alive)
            .map(|a| session.program().debugger().describe(process, *a))
            .collect();
        let at = if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
        let times = if hits > 0 { format!(" ({hits} hits)") } else { String::new() };
        let body = console.attached.get(&number).map_or(String::new(), |lines| {
            lines.iter().map(|line| format!("\n        {line}")).collect()
        });
        console.say(&format!("{row}{at}{times}{body}"));
    }
    Ok(Then::Next)
}

fn displays(console: &mut Console, _: &mut Session, _: &str) -> Done {
    for (number, format, text) in console.displays.clone() {
        console.say(&format!("{number}: {format}{text}"));
    }
    Ok(Then::Next)
}

fn frame_info(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let (thread, index) = (session.thread()?, session.frame());
    let frames = session.program().debugger().backtrace(thread, index + 2)?;
    let Some(frame) = frames.get(index) else { bail!("there is no frame {index}") };
    let text = describe(session, thread, frame);
    console.say(&format!("#{index} {text}\n  pc = {:#x}, frame base = {:#x}", frame.pc, frame.cfa));
    match frames.get(index + 1) {
        Some(caller) => {
            let text = describe(session, thread, caller);
            console.say(&format!("  called by {text}"));
        }
        None => console.say("  outermost"),
    }
    Ok(Then::Next)
}

fn functions(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let pattern = watchword_model::Glob::new(&format!("*{rest}*"));
    let mut shown = 0;
    let process = session.program().process();
    let names = function_names(session);
    for name in names.iter().filter(|n| pattern.matches(n)) {
        if shown == 200 {
            console.say("… more; `info functions PATTERN` shows some of them");
            break;
        }
        shown += 1;
        let targets = session.program().debugger().functions(process, name);
        let at = targets.first().and_then(|t| t.entries().first().copied());
        let place = at.map_or("inlined only".to_string(), |a| format!("{a:#x}"));
        console.say(&format!("{place:>18}  {}", watchword_view::text::harmless(name)));
    }
    if shown == 0 {
        console.say("No such function in the program.");
    }
    Ok(Then::Next)
}

/// Names of functions of the program itself.
pub(super) fn function_names(session: &mut Session) -> Vec<String> {
    let process = session.program().process();
    let debugger = session.program().debugger();
    let Some(module) = debugger.modules(process).first().cloned() else { return Vec::new() };
    let all =
        debugger.functions_in(process, &module, watchword_debug::FunctionName::Like(&|_| true));
    let mut names: Vec<String> = all.into_iter().map(|t| t.function.name).collect();
    names.sort();
    names.dedup();
    names
}

fn line(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let process = session.program().process();
    let addresses = match rest {
        "" => {
            let thread = session.thread()?;
            vec![session.program().debugger().tracer_mut().registers(thread)?.pc()]
        }
        place => session.locate(place)?,
    };
    for address in addresses {
        let text = session.program().debugger().describe(process, address);
        console.say(&format!("{address:#x} is {text}"));
    }
    Ok(Then::Next)
}

fn registers(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let thread = session.thread()?;
    let process = session.program().process();
    let registers = session.program().debugger().tracer_mut().registers(thread)?;
    let mut all: Vec<(&str, u64)> = registers.iter().collect();
    all.extend(
        ["eflags", "fs_base", "gs_base"].iter().filter_map(|n| Some((*n, registers.by_name(n)?))),
    );
    for (name, value) in all {
        if rest.is_empty() || rest.trim_start_matches('$') == name {
            let extra = match name {
                "rip" => session.program().debugger().describe(process, value),
                _ => (value as i64).to_string(),
            };
            console.say(&format!("{name:<8} {value:#18x}  {extra}"));
        }
    }
    Ok(Then::Next)
}

fn libraries(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let process = session.program().process();
    let modules = session.program().debugger().modules(process).to_vec();
    for module in modules {
        let has = match module.info() {
            Some((info, _)) if info.has_debug_info() => "with debug information",
            Some(_) => "without debug information",
            None => "not looked at",
        };
        console.say(&format!(
            "{:#x}-{:#x}  {} ({has})",
            module.start,
            module.end,
            module.path.display()
        ));
    }
    Ok(Then::Next)
}

fn thread_list(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let selected = session.thread()?;
    let process = session.program().process();
    let all = threads(session);
    let names: Vec<String> = all.iter().map(|(_, t)| thread_name(process, *t)).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
    for ((number, thread), name) in all.into_iter().zip(names) {
        let mark = if thread == selected { "*" } else { " " };
        let frames = session.program().debugger().backtrace(thread, 1);
        let text = match frames.as_ref().ok().and_then(|f| f.first()) {
            Some(frame) => describe(session, thread, frame),
            None => "(running)".to_string(),
        };
        console.say(&format!("{mark} {number:<3} {thread} {name:width$}  {text}"));
    }
    Ok(Then::Next)
}

/// What a thread calls itself.
fn thread_name(process: watchword_debug::ProcessId, thread: ThreadId) -> String {
    let name = std::fs::read(format!("/proc/{process}/task/{thread}/comm")).unwrap_or_default();
    watchword_view::text::harmless(String::from_utf8_lossy(&name).trim()).to_string()
}
