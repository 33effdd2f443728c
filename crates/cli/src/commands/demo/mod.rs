//! `watchword demo`.

mod programs;

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use watchword_monitor::Keep;
use watchword_spec::classes::NoClasses;
use watchword_trace::{BadLines, Reader};

use crate::args::{Global, Reading};
use crate::check::{Checker, Engine, Limits, TimeOrder};
use crate::output::human;
use crate::output::json::Json;
use crate::output::style::Style;
use crate::output::summary::Summary;
use crate::{Outcome, properties};

/// Show a guided tour with built-in examples: logs, a Java program and a native program. It needs
/// no configuration and leaves no files behind.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword demo\n  watchword demo --fast     without pauses")]
pub struct Args {
    /// Do not pause between lines and parts
    #[arg(long)]
    fast: bool,
}

/// A stop of the tour: a shipped property and a trace that violates it.
struct Stop {
    property: &'static str,
    trace: &'static str,
    text: &'static str,
    about: &'static str,
}

macro_rules! stop {
    ($property:literal, $trace:literal, $about:literal) => {
        Stop {
            property: concat!("std/", $property),
            trace: $trace,
            text: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../examples/traces/",
                $trace
            )),
            about: $about,
        }
    };
}

const STOPS: [Stop; 5] = [
    stop!(
        "login",
        "login.bad.log",
        "A text log. Each event is a regular expression; `u` connects the events of one user."
    ),
    stop!(
        "reply",
        "reply.bad.jsonl",
        "Time. A deadline is part of a state; the violation is found when it has passed."
    ),
    stop!(
        "bounded",
        "bounded.bad.jsonl",
        "Counting. Each queue has its own variable `n`; the first transition that matches is taken."
    ),
    stop!(
        "taint",
        "taint.bad.csv",
        "Registers. `=>` forks: the property follows every value that comes from outside."
    ),
    stop!(
        "safe-iterator",
        "safe-iterator.bad.jsonl",
        "A recorded Java run. Two parameters: an iterator and the collection it belongs to."
    ),
];

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    if global.json("demo")? {
        return for_programs();
    }
    let pause = !args.fast && io::stdout().is_terminal();
    let mut out = io::stdout().lock();
    let style = Style::new(global.color_on_stdout());
    let mut found = 0;
    writeln!(out, "Watchword finds the exact moment at which a program violates its protocol.")?;
    for (i, stop) in STOPS.iter().enumerate() {
        if i > 0 && !next_part(&mut out, style, pause)? {
            return Ok(Outcome::Clean);
        }
        let title = format!("{} of {}: {}", i + 1, STOPS.len(), stop.property);
        writeln!(out, "\n{}\n{}\n", style.bold(&title), stop.about)?;
        found += visit(&mut out, style, stop, pause)?;
    }
    if !next_part(&mut out, style, pause)? {
        return Ok(Outcome::Clean);
    }
    programs::visit(&mut out, style)?;
    writeln!(
        out,
        "\n{} violations were found in logs, and those of the programs, as expected. For your own program:\n\n  \
         watchword new mine                       a commented property to begin with\n  \
         watchword lint mine.ww                   find mistakes in it\n  \
         watchword replay -p mine.ww TRACE        check a log with it\n  \
         watchword java -p mine.ww -- -jar app.jar    a Java program\n  \
         watchword run -p mine.ww -- ./program        a native one",
        found
    )?;
    out.flush()?;
    Ok(Outcome::Clean)
}

/// Waits until whoever sits at the terminal has read a part; whether the tour goes on.
fn next_part(out: &mut impl Write, style: Style, pause: bool) -> io::Result<bool> {
    if !pause || !io::stdin().is_terminal() {
        return Ok(true);
    }
    write!(out, "\n{}", style.dim("— Enter continues, q and Enter quits —"))?;
    out.flush()?;
    let mut answer = String::new();
    // The end of the input is an answer, too: nobody is there any more.
    let read = io::stdin().read_line(&mut answer)?;
    Ok(read > 0 && !answer.trim().eq_ignore_ascii_case("q"))
}

/// The same tour without a word: what each stop found.
fn for_programs() -> anyhow::Result<Outcome> {
    let style = Style::new(false);
    let mut stops = Vec::new();
    for stop in &STOPS {
        let violations = visit(&mut io::sink(), style, stop, false)?;
        stops.push(
            Json::object([("property", stop.property.into()), ("trace", stop.trace.into())])
                .with("violations", violations),
        );
    }
    let mut programs = Vec::new();
    for (title, shown) in programs::visit(&mut io::sink(), style)? {
        programs.push(Json::object([("title", title.into()), ("run", shown.into())]));
    }
    let told =
        Json::object([("watchword", 1u64.into())]).with("stops", stops).with("programs", programs);
    super::print(&format!("{told}\n"))?;
    Ok(Outcome::Clean)
}

fn visit(out: &mut impl Write, style: Style, stop: &Stop, pause: bool) -> anyhow::Result<u64> {
    let reading = Reading::default();
    let loaded = properties::load(&[stop.property.to_string()], &reading, &NoClasses)?;
    let Some(model) = loaded.model else {
        anyhow::bail!("the built-in property {} is damaged", stop.property);
    };
    write!(out, "{}", indent(&loaded.files[0].text))?;
    writeln!(
        out,
        "\n  {}",
        style.dim(&format!("watchword replay -p {} {}", stop.property, stop.trace))
    )?;
    let limits = Limits {
        history: 10,
        max_instances: None,
        max_memory: None,
        keep: Keep::default(),
        max_violations: 100,
        unique: false,
        sort_window: None,
        time_order: TimeOrder::Error,
        allow_untimed: false,
        moves: false,
    };
    let mut reader = Reader::new(&model, BadLines::Refuse)?;
    let mut checker = Checker::new(&model, Engine::Engine, &limits, &[stop.trace.to_string()]);
    let mut lines = Vec::new();
    // Line by line, so that each violation is shown where it lands.
    let source = Drip { rest: stop.text.as_bytes() };
    let mut shown = 0;
    let mut failure: io::Result<()> = Ok(());
    reader.read(stop.trace, source, None, &mut checker, |bytes, checker| {
        lines.clear();
        let until = bytes as usize;
        for line in stop.text[shown..until].lines() {
            lines.push(line);
        }
        shown = until;
        if failure.is_ok() {
            failure = show(out, style, &lines, &model, checker, pause);
        }
    })?;
    failure?;
    checker.end()?;
    show(out, style, &[], &model, &mut checker, pause)?;
    let totals = checker.run.totals();
    let run = Summary {
        model: &model,
        checker: &checker,
        totals: &totals,
        reader: &reader,
        files: &loaded.files,
        elapsed: None,
        stopped: None,
        skew: None,
    };
    write!(out, "{}", indent(&run.to_text(style, false)))?;
    Ok(totals.violations())
}

fn show(
    out: &mut impl Write,
    style: Style,
    lines: &[&str],
    model: &watchword_model::Model,
    checker: &mut Checker,
    pause: bool,
) -> io::Result<()> {
    for line in lines {
        let mut short: String = line.chars().take(94).collect();
        if short.len() < line.len() {
            short.push('…');
        }
        writeln!(out, "  {}", style.dim(&format!("│ {short}")))?;
    }
    checker.findings.recount(checker.run.counts());
    for index in checker.take_fresh() {
        let text = human::violation(style, model, &checker.findings.violations[index]);
        write!(out, "{}", indent(&text))?;
    }
    out.flush()?;
    if pause && !lines.is_empty() {
        std::thread::sleep(Duration::from_millis(250));
    }
    Ok(())
}

fn indent(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let _ = writeln!(out, "{}{line}", if line.is_empty() { "" } else { "  " });
    }
    out
}

/// A stream that gives one line at a time.
struct Drip {
    rest: &'static [u8],
}

impl io::Read for Drip {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let line = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |i| i + 1);
        let count = line.min(out.len());
        out[..count].copy_from_slice(&self.rest[..count]);
        self.rest = &self.rest[count..];
        Ok(count)
    }
}
