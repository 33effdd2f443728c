//! `watchword replay -p PROP… TRACE…`.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use watchword_model::{Location, Time};
use watchword_view::{Status, report};

use crate::args::{Classes, Global, Keeping, Reading, TracePath};
use crate::check::{Checker, Engine, Limits};
use crate::output::progress::Progress;
use crate::output::reports::{ReportFlags, Reports};
use crate::output::sources::Sources;
use crate::output::style::{Style, harmless};
use crate::output::{human, summary};
use crate::read::inputs::{self, Input};
use crate::read::times::TimeFormat;
use crate::read::{BadLines, Format, Manner, Reader, pattern, time};
use crate::{Outcome, output, properties};

/// Check recorded traces and logs against properties.
///
/// Traces are JSON Lines, CSV or text logs, compressed with gzip or zstd or not, read one after the
/// other as one trace; `-` is standard input. The format follows from the extension, else from the
/// first line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword replay -p login.ww app.log\n  \
    watchword replay -p reply.ww -p std/closed monday.jsonl tuesday.jsonl\n  \
    watchword replay -p login.ww --rotated --follow /var/log/app.log\n  \
    watchword replay -p slow.ww --log-pattern '{time} {level} [{thread}] {message}' app.log\n  \
    watchword replay -p slow.ww --time-field @timestamp --time-format millis app.jsonl\n  \
    watchword replay -p reply.ww --report out.sarif --report out.html trace.csv\n  \
    watchword replay -p reply.ww --write-baseline known.txt trace.csv\n\n\
    Exit status: 0 no (new) violation, 1 violations found, 2 bad usage or input.")]
pub struct Args {
    /// A property file, or a shipped property such as std/reply; may be repeated
    #[arg(short = 'p', long = "property", value_name = "PROP", required = true)]
    properties: Vec<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    classes: Classes,
    /// Traces, in order; `-` is standard input
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<TracePath>,
    /// How the traces are written, if their names do not tell
    #[arg(long, value_name = "FORMAT", help_heading = "Reading")]
    input_format: Option<Format>,
    /// What the lines of a text log are like, e.g. '{time} [{thread}] {level} {message}': names in
    /// braces are fields; `{code:\d+}` says what one is like; /…/ is a regular expression with
    /// named groups. May be repeated: the first that fits a line is taken
    #[arg(long, value_name = "PATTERN", value_parser = parse_pattern, help_heading = "Reading")]
    log_pattern: Vec<String>,
    /// How times are written: rfc3339, seconds, millis, micros, nanos, clf, syslog, or like
    /// '%d.%m.%Y %H:%M:%S,%f'
    #[arg(long, value_name = "FORMAT", value_parser = TimeFormat::parse, help_heading = "Reading")]
    time_format: Option<TimeFormat>,
    /// The field that has the time, if not `time`; dots are levels: meta.timestamp
    #[arg(long, value_name = "FIELD", help_heading = "Reading")]
    time_field: Option<String>,
    /// Read the files a log was rotated to as well, oldest first: app.log.2.gz, app.log.1, app.log
    #[arg(long, help_heading = "Reading")]
    rotated: bool,
    /// Wait for more at the end of the last file, also when it is rotated
    #[arg(short, long, help_heading = "Reading")]
    follow: bool,
    /// Leave out lines that cannot be read, and count them
    #[arg(long, help_heading = "Reading")]
    skip_bad_lines: bool,
    /// Put events that are at most so late back into their place, e.g. 5s
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Reading")]
    sort_window: Option<Time>,
    #[command(flatten)]
    keeping: Keeping,
    #[command(flatten)]
    reports: ReportFlags,
    /// Also print how much work it was
    #[arg(long, help_heading = "Reporting")]
    stats: bool,
    /// What evaluates the properties
    #[arg(long, value_name = "ENGINE", default_value = "engine", hide = true)]
    engine: Engine,
}

fn parse_duration(text: &str) -> Result<Time, String> {
    time::duration(text).ok_or_else(|| "expected a duration such as 5s, 250ms or 2min".to_string())
}

/// The pattern itself, if it is one.
fn parse_pattern(text: &str) -> Result<String, String> {
    pattern::compile(text).map(|_| text.to_string())
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("replay")?;
    let mut reports = args.reports.open()?;
    let (model, _) =
        properties::load_valid_for(&args.properties, &args.reading, &args.classes, global)?;
    let bad_lines = if args.skip_bad_lines { BadLines::Skip } else { BadLines::Refuse };
    let manner = Manner {
        patterns: args.log_pattern.clone(),
        time_format: args.time_format.clone(),
        time_field: args.time_field.clone(),
    };
    let mut reader = Reader::with(&model, bad_lines, &manner)?;
    let inputs = open(args)?;
    let names: Vec<String> = inputs.iter().map(|i| i.name.clone()).collect();

    let total = inputs.iter().map(|i| i.size).sum::<Option<u64>>();
    let mut progress = Progress::new(!global.quiet && !json, total);
    let limits = Limits { sort_window: args.sort_window, ..Limits::from(&args.keeping) };
    let style = Style::new(global.color_on_stdout());
    let mut out = BufWriter::new(io::stdout().lock());
    // Whoever pipes a live log in wants to hear at once; the others get the counts, too.
    let live = !json && inputs.iter().any(|i| i.live);
    let mut checker = Checker::new(&model, args.engine, &limits, &names);
    let (mut done, mut shown) = (0, 0);
    for input in inputs {
        let mut failure = None;
        let before = done;
        let format = args.input_format;
        reader.read(&input.name, input.stream, format, &mut checker, |bytes, checker| {
            done = before + bytes;
            progress.update(done, checker.events);
            checker.listen();
            let fresh = live && checker.has_fresh();
            if !json && failure.is_none() && (fresh || checker.printed.len() > shown) {
                progress.clear();
                let news = if fresh { checker.take_fresh() } else { Vec::new() };
                failure =
                    print_news(&mut out, style, checker, &mut shown, &news, &mut reports).err();
            }
        })?;
        if let Some(error) = failure {
            return Err(error.into());
        }
    }
    checker.end()?;
    progress.clear();
    let elapsed = progress.elapsed();

    if !json {
        let all = 0..checker.violations.kept.len();
        let news = if live { checker.take_fresh() } else { all.collect() };
        print_news(&mut out, style, &checker, &mut shown, &news, &mut reports)?;
    }
    reports.judge_all(&model, &checker.violations.kept);
    let elapsed = args.stats.then_some(elapsed);
    let run = summary::Run { model: &model, checker: &checker, reader: &reader, elapsed };
    let sources = Sources::of_traces(&args.reports.sources, &names);
    let source = |location: &Location| sources.snippet(location);
    let outcome = run.outcome(&reports, &source, names.join(", "));
    reports.write(&outcome)?;
    if json {
        writeln!(out, "{}", report::json::report(&outcome))?;
    } else if !global.quiet {
        write!(out, "{}", run.to_text(style))?;
        if let Some(summary) = reports.summary() {
            writeln!(out, "{summary}")?;
        }
        out.flush()?;
        output::warnings(global.color_on_stderr(), &outcome.warnings);
    }
    out.flush()?;
    let violations = &checker.violations;
    // What was not kept could not be compared with the baseline, so it counts as new.
    let found = match reports.has_baseline() {
        true => violations.kept.len() as u64 - reports.known() + violations.dropped,
        false => violations.total(),
    };
    Ok(if found > 0 { Outcome::Found } else { Outcome::Clean })
}

/// What updates printed since `shown`, and these violations but the known ones.
fn print_news(
    out: &mut impl Write,
    style: Style,
    checker: &Checker<'_>,
    shown: &mut usize,
    violations: &[usize],
    reports: &mut Reports,
) -> io::Result<()> {
    for line in &checker.printed[*shown..] {
        writeln!(out, "printed: {}", harmless(line))?;
    }
    *shown = checker.printed.len();
    for index in violations {
        let violation = &checker.violations.kept[*index];
        if reports.judge(checker.model, violation) == Status::Known {
            continue;
        }
        writeln!(out, "{}", human::violation(style, checker.model, violation))?;
    }
    out.flush()
}

/// Opens all traces before the first one is read.
fn open(args: &Args) -> anyhow::Result<Vec<Input>> {
    let mut paths = Vec::new();
    for trace in &args.traces {
        match args.rotated && trace != Path::new("-") {
            true => paths.extend(inputs::rotated(trace)?),
            false => paths.push(trace.clone()),
        }
    }
    let last = paths.len().saturating_sub(1);
    let open = |(i, path): (usize, &PathBuf)| match args.follow && i == last {
        true => Input::follow(path),
        false => Input::open(path),
    };
    paths.iter().enumerate().map(open).collect()
}
