//! Commands that show where the program is.

use std::fmt::Write;

use crate::error::{Context, bail};
use watchword_debug::{Frame, ThreadId};
use watchword_native::Session;
use watchword_native::session::PointKind;

use super::{Console, Done, Then, symbols};
use crate::answer::{self, Answer};
use crate::happening::{Happening, Place, Selected};

/// Lines that `list` shows.
pub(super) const LISTED: u32 = 10;

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
        let place = frames.get(index).map_or(Place::default(), place_of_frame);
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
            self.sources.next =
                Some((line.file.clone(), line.line.saturating_sub(self.list_size / 2)));
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

/// Where a thread stands.
pub(super) fn place_now(session: &mut Session, thread: ThreadId) -> crate::Result<String> {
    let frames = session.program().debugger().backtrace(thread, 1)?;
    let frame = frames.first().context("there is no frame")?;
    Ok(describe(session, thread, frame))
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

/// How the thread that is looked at got where it is.
pub(super) fn frames(console: &mut Console, session: &mut Session, limit: Option<usize>) -> Done {
    let (all, text) = stack(session, limit, false)?;
    console.answer(Answer::Frames(all), text)
}

/// `backtrace full [N]`: with the variables of each frame.
fn full_stack(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let rest = rest.strip_prefix("full").unwrap_or(rest).trim();
    let (all, text) = stack(session, limit(rest)?, true)?;
    console.answer(Answer::Frames(all), text)
}

fn limit(rest: &str) -> crate::Result<Option<usize>> {
    match rest {
        "" => Ok(None),
        n => n.parse().map(Some).with_context(|| format!("`{n}` is no number of frames")),
    }
}

/// `backtrace -N`: the outermost frames.
pub(super) fn outermost(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let count = limit(rest)?.unwrap_or(1);
    let (all, _) = stack(session, None, false)?;
    let first = all.len().saturating_sub(count);
    let mut lines = Vec::new();
    let thread = session.thread()?;
    let frames = session.program().debugger().backtrace(thread, usize::MAX)?;
    for frame in frames.iter().skip(first) {
        lines.push(format!("#{:<2} {}", frame.index, describe(session, thread, frame)));
    }
    console.answer(Answer::Frames(all.into_iter().skip(first).collect()), lines.join("\n"))
}

fn stack(
    session: &mut Session,
    limit: Option<usize>,
    full: bool,
) -> crate::Result<(Vec<answer::Frame>, String)> {
    let (thread, selected) = (session.thread()?, session.frame());
    let limit = limit.unwrap_or(usize::MAX);
    let frames = session.program().debugger().backtrace(thread, limit)?;
    let (mut all, mut lines) = (Vec::new(), Vec::new());
    for frame in frames.iter().take(limit) {
        let inlined = frame.inlined.len().saturating_sub(1);
        for inner in frame.inlined.iter().take(inlined) {
            let name = inner.function.clone().unwrap_or_else(|| "??".into());
            let at = inner
                .line
                .as_ref()
                .map_or(String::new(), |l| format!(" at {}:{}", short(&l.file), l.line));
            lines.push(format!("    {name}{at} (inlined)"));
        }
        let mut outer = frame.clone();
        if let Some(last) = frame.inlined.last() {
            outer.line = last.line.clone();
        }
        let text = describe(session, thread, &outer);
        lines.push(format!("#{:<2} {text}", frame.index));
        if full {
            for (name, value) in variables(session, thread, frame.index, false)? {
                lines.push(format!("        {name} = {value}"));
            }
        }
        all.push(answer::Frame {
            number: frame.index,
            pc: frame.pc,
            place: place_of_frame(&outer),
            is_selected: frame.index == selected,
        });
    }
    Ok((all, lines.join("\n")))
}

fn place_of_frame(frame: &Frame) -> Place {
    Place {
        function: frame.function.clone(),
        file: frame.line.as_ref().map(|l| l.file.clone()),
        line: frame.line.as_ref().map(|l| l.line),
    }
}

pub(super) fn frame(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if let Some(rest) = rest.strip_prefix("apply ") {
        return apply_to_frames(console, session, rest.trim());
    }
    if let Some(name) = rest.strip_prefix("function ") {
        let number = frame_of(session, name.trim())?;
        session.select_frame(number)?;
    } else if !rest.is_empty() {
        let number = rest.strip_prefix("level ").unwrap_or(rest).trim();
        let number =
            number.parse().ok().with_context(|| format!("`{number}` is no number of a frame"))?;
        session.select_frame(number)?;
    }
    look_here(console, session)
}

/// The innermost frame of a function.
fn frame_of(session: &mut Session, name: &str) -> crate::Result<usize> {
    let thread = session.thread()?;
    let frames = session.program().debugger().backtrace(thread, usize::MAX)?;
    let is_meant = |f: &&Frame| {
        f.function.as_deref().is_some_and(|function| {
            function == name || function.strip_suffix(name).is_some_and(|rest| rest.ends_with("::"))
        })
    };
    let found = frames.iter().find(is_meant).map(|f| f.index);
    found.with_context(|| format!("no frame is of a function `{name}`; `bt` lists them"))
}

/// `frame apply all COMMAND`, `frame apply N COMMAND`: for all frames, or the N innermost ones.
fn apply_to_frames(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (count, command) = rest.split_once(' ').context("frame apply all|N COMMAND")?;
    let most = match count {
        "all" => usize::MAX,
        n => n.parse().ok().with_context(|| format!("`{n}` is no number of frames"))?,
    };
    let thread = session.thread()?;
    let before = session.frame();
    let all = session.program().debugger().backtrace(thread, most)?.len().min(most);
    for number in 0..all {
        session.select_frame(number)?;
        console.show_place(session, &format!("#{number:<2} "));
        if let Err(e) = console.execute(session, command) {
            console.complain(&e);
        }
    }
    session.select_frame(before).map_err(Into::into).map(|()| Then::Next)
}

/// Shows the frame that is looked at.
pub(super) fn look_here(console: &mut Console, session: &mut Session) -> Done {
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

/// Threads by their numbers.
pub(super) fn threads_named(
    session: &mut Session,
    numbers: &[u32],
) -> crate::Result<Vec<ThreadId>> {
    let all = threads(session);
    let find = |number: &u32| {
        let found = all.iter().find(|(n, _)| n == number);
        found.map(|(_, thread)| *thread).with_context(|| {
            format!("there is no thread {number}; `info threads` lists the {}", all.len())
        })
    };
    numbers.iter().map(find).collect()
}

/// `thread apply all COMMAND`, `thread apply N… COMMAND`.
fn apply(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (chosen, command) = match rest.strip_prefix("all") {
        Some(command) => (threads(session), command),
        None => {
            let at = rest.find(char::is_alphabetic).unwrap_or(rest.len());
            let (numbers, command) = rest.split_at(at);
            let words = numbers.split([' ', ',']).filter(|w| !w.is_empty());
            let numbers: Vec<u32> = words.map(thread_number).collect::<Result<_, _>>()?;
            let named = threads_named(session, &numbers)?;
            let mut all = threads(session);
            all.retain(|(_, t)| named.contains(t));
            (all, command)
        }
    };
    let before = session.thread()?;
    for (number, thread) in chosen {
        if !session.program().debugger().tracer().is_stopped(thread) {
            // It has ended meanwhile.
            continue;
        }
        session.select_thread(thread);
        console.say(&format!("\nThread {number} ({thread}):"));
        if let Err(e) = console.execute(session, command) {
            console.complain(&e);
        }
    }
    if session.program().debugger().tracer().is_stopped(before) {
        session.select_thread(before);
    }
    Ok(Then::Next)
}

pub(super) fn thread(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if let Some(rest) = rest.strip_prefix("apply") {
        return apply(console, session, rest.trim());
    }
    if let Some((word @ ("name" | "find"), _)) = rest.split_once(' ') {
        bail!(
            "there is no `thread {word}`: threads have the names that the program gives them; `info threads` lists them"
        );
    }
    match rest {
        "" => look_at_this_thread(console, session),
        number => look_at_thread(console, session, thread_number(number)?),
    }
}

fn thread_number(word: &str) -> crate::Result<u32> {
    word.parse().with_context(|| format!("`{word}` is no number of a thread"))
}

pub(super) fn look_at_thread(console: &mut Console, session: &mut Session, number: u32) -> Done {
    for thread in threads_named(session, &[number])? {
        session.select_thread(thread);
    }
    look_at_this_thread(console, session)
}

fn look_at_this_thread(console: &mut Console, session: &mut Session) -> Done {
    console.place(session, "").map(|text| console.say(&text))?;
    console.tell_selected(session);
    Ok(Then::Next)
}

pub(super) fn list(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let size = console.list_size;
    let (file, first, last) = if rest == "-" {
        // What comes before the lines that were shown last.
        let (file, shown) = console.sources.shown.clone().context("nothing was listed yet")?;
        if shown <= 1 {
            bail!("{} begins there", short(&file));
        }
        (file, shown.saturating_sub(size).max(1), shown - 1)
    } else if rest.is_empty() {
        let (file, next) = match console.sources.next.clone() {
            Some(next) => next,
            None => place_of(session, "main", size)?,
        };
        (file, next, next.saturating_add(size - 1))
    } else if let Some((a, b)) = rest.split_once(',')
        && let (Some(a), Some(b)) = (number(a), number(b))
    {
        (session.current_file()?, a, b)
    } else if let Some((from, to)) = rest.split_once(',') {
        let (file, line) = match number(from) {
            Some(line) => (session.current_file()?, line),
            None => line_of(session, from.trim())?,
        };
        (file, line, number(to).unwrap_or(line.saturating_add(size - 1)))
    } else if let Some(line) = number(rest) {
        let first = line.saturating_sub(size / 2);
        (session.current_file()?, first, first.saturating_add(size - 1))
    } else {
        let (file, line) = place_of(session, rest, size)?;
        (file, line, line.saturating_add(size - 1))
    };
    let lines = console.sources.lines(&file, first, last);
    if lines.is_empty() {
        bail!("there is no line {} of {}", first.max(1), short(&file));
    }
    for (n, text) in &lines {
        console.say(&format!("{n}\t{}", watchword_view::text::harmless(text)));
    }
    let after = lines.last().map_or(first, |(n, _)| n + 1);
    console.sources.shown = Some((file.clone(), first.max(1)));
    console.sources.next = Some((file, after));
    Ok(Then::Next)
}

/// The file of a place, and a line a little before it.
fn place_of(session: &mut Session, place: &str, size: u32) -> crate::Result<(String, u32)> {
    let (file, line) = line_of(session, place)?;
    Ok((file, line.saturating_sub(size / 2)))
}

/// The file of a place, and its line.
fn line_of(session: &mut Session, place: &str) -> crate::Result<(String, u32)> {
    // A line without code can be shown, too.
    if let Some((file, line)) = place.rsplit_once(':')
        && let Ok(line) = line.parse::<u32>()
        && let Ok(address) = session.locate(place)
    {
        let process = session.program().process();
        let found = address.first().and_then(|a| session.program().debugger().line_at(process, *a));
        return Ok((found.map_or(file.to_string(), |l| l.file), line));
    }
    let address = *session.locate(place)?.first().context("there is no such place")?;
    let process = session.program().process();
    let line = session.program().debugger().line_at(process, address);
    let line = line.with_context(|| format!("the source line of {place} is not known"))?;
    Ok((line.file, line.line))
}

/// What `info` can tell.
type Teller = fn(&mut Console, &mut Session, &str) -> Done;

const TOPICS: &[(&str, Teller)] = &[
    ("address", symbols::address),
    ("all-registers", all_registers),
    ("args", args),
    ("breakpoints", |c, s, _| points(c, s)),
    ("checkpoints", |c, s, _| super::monitors::checkpoints(c, s)),
    ("display", displays),
    ("frame", frame_info),
    ("functions", functions),
    ("line", line),
    ("locals", locals),
    ("monitors", |c, s, _| super::monitors::monitors(c, s)),
    ("outermost", outermost),
    ("proc", symbols::process),
    ("program", symbols::program),
    ("registers", some_registers),
    ("scenario", super::monitors::scenario),
    ("scope", symbols::scope),
    ("sharedlibrary", libraries),
    ("signals", super::signals::info),
    ("slices", super::monitors::slices),
    ("source", symbols::source),
    ("stack", full_stack),
    ("symbol", symbols::symbol),
    ("threads", |c, s, _| thread_list(c, s)),
    ("types", symbols::types),
    ("variables", symbols::variables),
    ("watchpoints", |c, s, _| points(c, s)),
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

pub(super) fn points(console: &mut Console, session: &mut Session) -> Done {
    let process = session.program().process();
    let all: Vec<answer::Point> = session.points().map(|(n, p)| point(n, p)).collect();
    let alive = session.is_alive();
    let mut lines = Vec::new();
    for point in &all {
        let keep = if point.once { "once" } else { "keep" };
        let on = if point.is_on { "on " } else { "off" };
        let whose = if point.of_scenario { " (scenario)" } else { "" };
        let condition = point.condition.as_ref().map_or(String::new(), |c| format!(" if {c}"));
        let debugger = session.program().debugger();
        let places: Vec<String> = match alive {
            true => point.addresses.iter().map(|a| debugger.describe(process, *a)).collect(),
            false => Vec::new(),
        };
        let at = if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
        let hits = point.hits;
        let times = if hits > 0 { format!(" ({hits} hits)") } else { String::new() };
        let body = console.attached.get(&point.number).map_or(String::new(), |lines| {
            lines.iter().map(|line| format!("\n        {line}")).collect()
        });
        lines.push(format!(
            "{:<4} {:<17} {keep} {on} {}{condition}{whose}{at}{times}{body}",
            point.number, point.kind, point.text
        ));
    }
    if lines.is_empty() {
        lines.push("No breakpoints or watchpoints.".to_string());
    }
    console.answer(Answer::Points(all), lines.join("\n"))
}

fn point(number: i64, point: &watchword_native::session::UserPoint) -> answer::Point {
    answer::Point {
        number,
        kind: match point.kind {
            PointKind::Break => "breakpoint",
            PointKind::Watch(watchword_debug::Access::Write) => "watchpoint",
            PointKind::Watch(watchword_debug::Access::Read) => "read watchpoint",
            PointKind::Watch(_) => "access watchpoint",
        },
        text: point.text.clone(),
        condition: point.condition.clone(),
        is_on: point.enabled,
        once: point.once,
        of_scenario: point.of_scenario,
        hits: point.hits,
        addresses: point.addresses.clone(),
    }
}

/// The arguments and variables of the frame.
pub(super) fn variables_of_frame(console: &mut Console, session: &mut Session) -> Done {
    let (thread, frame) = (session.thread()?, session.frame());
    let arguments = variables(session, thread, frame, true)?;
    let locals = variables(session, thread, frame, false)?;
    let all = arguments.iter().chain(&locals);
    let text: Vec<String> = all.map(|(name, value)| format!("{name} = {value}")).collect();
    console.answer(Answer::Variables { arguments, locals }, text.join("\n"))
}

/// The general registers.
pub(super) fn registers(console: &mut Console, session: &mut Session) -> Done {
    let thread = session.thread()?;
    let registers = session.program().debugger().tracer_mut().registers(thread)?;
    let mut all: Vec<(String, u64)> = registers.iter().map(|(n, v)| (n.to_string(), v)).collect();
    let others = ["eflags", "fs_base", "gs_base"].into_iter();
    all.extend(others.filter_map(|n| Some((n.to_string(), registers.by_name(n)?))));
    let text: Vec<String> =
        all.iter().map(|(name, value)| format!("{name:<8} {value:#x}")).collect();
    console.answer(Answer::Registers(all), text.join("\n"))
}

fn displays(console: &mut Console, _: &mut Session, _: &str) -> Done {
    if console.displays.is_empty() {
        console.say("There are no displays; `display EXPRESSION` makes one.");
    }
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

fn some_registers(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let thread = session.thread()?;
    let process = session.program().process();
    let registers = session.program().debugger().tracer_mut().registers(thread)?;
    let mut all: Vec<(&str, u64)> = registers.iter().collect();
    all.extend(
        ["eflags", "fs_base", "gs_base"].iter().filter_map(|n| Some((*n, registers.by_name(n)?))),
    );
    let wanted: Vec<&str> = rest.split_whitespace().map(|n| n.trim_start_matches('$')).collect();
    let name = |n: &str| if n == "pc" { "rip".to_string() } else { n.to_string() };
    let wanted: Vec<String> = wanted.into_iter().map(name).collect();
    for (name, value) in &all {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            let extra = match *name {
                "rip" => session.program().debugger().describe(process, *value),
                "eflags" => {
                    let flags = console.value(session, "$eflags")?;
                    session.program().debugger().show(process, &flags)
                }
                _ => (*value as i64).to_string(),
            };
            console.say(&format!("{name:<8} {value:#18x}  {extra}"));
        }
    }
    // Parts of registers, and those for vectors.
    for name in wanted.iter().filter(|w| !all.iter().any(|(n, _)| n == w)) {
        let value = console.value(session, &format!("${name}"))?;
        let shown = session.program().debugger().show(process, &value);
        console.say(&format!("{name:<8} {shown}"));
    }
    Ok(Then::Next)
}

/// All registers, also those for vectors and floating-point numbers.
fn all_registers(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    some_registers(console, session, rest)?;
    if !rest.is_empty() {
        return Ok(Then::Next);
    }
    let vectors = (0..8).map(|i| format!("st{i}")).chain((0..16).map(|i| format!("xmm{i}")));
    for name in vectors {
        let value = console.value(session, &format!("${name}"))?;
        let process = session.program().process();
        let shown = session.program().debugger().show(process, &value);
        console.say(&format!("{name:<8} {shown}"));
    }
    Ok(Then::Next)
}

fn libraries(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let process = session.program().process();
    let modules = session.program().debugger().modules(process).to_vec();
    for module in modules.into_iter().filter(|m| !m.path.ends_with("ld.so.cache")) {
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

pub(super) fn thread_list(console: &mut Console, session: &mut Session) -> Done {
    let selected = session.thread()?;
    let process = session.program().process();
    let all = threads(session);
    let name = |t: &ThreadId| format!("{t} \"{}\"", thread_name(process, *t));
    let names: Vec<String> = all.iter().map(|(_, t)| name(t)).collect();
    const HEAD: &str = "Thread";
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(HEAD.len());
    let mut lines = vec![format!("  Id  {HEAD:width$}  Where")];
    let mut told = Vec::new();
    for ((number, thread), name) in all.into_iter().zip(names) {
        let is_selected = thread == selected;
        let mark = if is_selected { "*" } else { " " };
        let frames = session.program().debugger().backtrace(thread, 1).unwrap_or_default();
        let text = match frames.first() {
            Some(frame) => describe(session, thread, frame),
            None => "(running)".to_string(),
        };
        lines.push(format!("{mark} {number:<3} {name:width$}  {text}"));
        told.push(answer::Thread {
            number,
            id: thread.raw(),
            name: thread_name(process, thread),
            is_selected,
            place: frames.first().map(place_of_frame),
        });
    }
    console.answer(Answer::Threads(told), lines.join("\n"))
}

/// What a thread calls itself.
fn thread_name(process: watchword_debug::ProcessId, thread: ThreadId) -> String {
    let name = std::fs::read(format!("/proc/{process}/task/{thread}/comm")).unwrap_or_default();
    watchword_view::text::harmless(String::from_utf8_lossy(&name).trim()).to_string()
}
