//! `watchword replay -p PROP… TRACE…`.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use watchword_model::{EventRef, Location, Time};
use watchword_monitor::{AnyEvaluator, Options};
use watchword_trace::elements::{self, Step};
use watchword_trace::emit::Sink;
use watchword_trace::error::Flaw;
use watchword_trace::presets::{PRESETS, Preset};
use watchword_trace::times::TimeFormat;
use watchword_trace::zone::Zone;
use watchword_trace::{BadLines, Format, Manner, Reader, Stepped, Trace, pattern, time};
use watchword_view::{Status, report};

use crate::args::{Classes, Global, Keeping, Reading, TracePath};
use crate::check::{Checker, Engine, Limits, TimeOrder};
use crate::inputs::ahead;
use crate::inputs::merge::Merge;
use crate::inputs::wall_clock::WallClock;
use crate::inputs::{self, Gate, Input, OnInterrupt, zone};
use crate::live::{Teller, ViewFlags};
use crate::output::human;
use crate::output::json::Json;
use crate::output::progress::Progress;
use crate::output::reports::{ReportFlags, Reports};
use crate::output::routing;
use crate::output::sources::Sources;
use crate::output::style::{Style, harmless};
use crate::output::summary::Summary;
use crate::watch::alerts::Target;
use crate::watch::listen::Listener;
use crate::watch::state::{Place, Saved};
use crate::watch::{Watch, WatchFlags};
use crate::{Outcome, output, properties};

/// Check recorded traces and logs against properties.
///
/// Traces are JSON, CSV, TSV, logfmt or text logs, which may be compressed with gzip or zstd.
/// Several files are read one after the other as one trace; `-` is standard input. The extension
/// determines the format, otherwise the first line does; the first line also shows which program
/// wrote a log.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword replay -p login.ww app.log\n  \
    watchword replay -p reply.ww -p std/closed monday.jsonl tuesday.jsonl\n  \
    watchword replay -p std/reply --set limit=2s --bind request='.kind == \"request\"' \
    --bind reply='/DONE (?<id>\\S+)/' app.log\n  \
    watchword replay -p login.ww --rotated --follow /var/log/app.log\n  \
    watchword replay -p login.ww --follow --state watch --alert http://127.0.0.1:9000/ app.log\n  \
    watchword replay -p login.ww --listen syslog://5514 --metrics 9464\n  \
    watchword replay -p order.ww --merge --skew 200ms web1.log web2.log db.log\n  \
    watchword replay -p login.ww --jobs 4 /var/log/app.log.gz\n  \
    watchword replay -p errors.ww --preset nginx /var/log/nginx/access.log\n  \
    watchword replay -p slow.ww --log-pattern '{time} {level} [{thread}] {message}' app.log\n  \
    watchword replay -p slow.ww --time-field @timestamp --time-format millis app.jsonl\n  \
    watchword replay -p reply.ww --time-order clamp rover.csv\n  \
    watchword replay -p reply.ww --report out.sarif --report out.html trace.csv\n  \
    watchword replay -p reply.ww --write-baseline known.txt trace.csv\n  \
    watchword replay -p reply.ww --follow --view app.log\n  \
    watchword replay -p reply.ww --view-record page.html trace.csv\n\n\
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
    #[arg(value_name = "TRACE", required_unless_present_any = ["listen", "explain_plan"])]
    traces: Vec<TracePath>,
    /// The format of the traces, if names and contents do not determine it
    #[arg(long, value_name = "FORMAT", value_parser = trace_format(), help_heading = "Reading")]
    input_format: Option<Format>,
    /// The program that wrote the log, if it is not recognised; docs/log-formats.md lists the
    /// fields.
    /// For lines of a container runtime, name the runtime in addition
    #[arg(long, value_name = "PROGRAM", value_parser = preset_parser(), help_heading = "Reading")]
    preset: Vec<&'static Preset>,
    /// The place of the records in JSON documents: .Records[]
    #[arg(long, value_name = "PATH", value_parser = Steps::parse, help_heading = "Reading")]
    records: Option<Steps>,
    /// The structure of the lines of a text log, e.g. '{time} [{thread}] {level} {message}': names
    /// in braces are fields; `{code:\d+}` is a field that matches a regular expression; /…/ is a
    /// regular expression with named groups. May be repeated: the first that fits a line is used
    #[arg(long, value_name = "PATTERN", value_parser = parse_pattern, help_heading = "Reading")]
    log_pattern: Vec<String>,
    /// The notation of times, if it is not recognised: rfc3339, seconds, millis, micros,
    /// nanos, clf, syslog, klog, or like '%d.%m.%Y %H:%M:%S,%f'
    #[arg(long, value_name = "FORMAT", value_parser = TimeFormat::parse, help_heading = "Reading")]
    time_format: Option<TimeFormat>,
    /// The time zone of times without an offset from UTC: a name such as Europe/Berlin, an offset
    /// such as +02:00, or `local` (default: UTC)
    #[arg(long, value_name = "ZONE", value_parser = zone::open, help_heading = "Reading")]
    zone: Option<Zone>,
    /// The field that contains the time, if it is not recognised; dots separate levels:
    /// meta.timestamp
    #[arg(long, value_name = "FIELD", help_heading = "Reading")]
    time_field: Option<String>,
    /// The separator of CSV values, if it is no comma, semicolon or vertical bar
    #[arg(long, value_name = "CHARACTER", value_parser = parse_delimiter, help_heading = "Reading")]
    delimiter: Option<u8>,
    /// Also check properties with time limits on events without times: only their order counts
    #[arg(long, help_heading = "Reading")]
    allow_untimed: bool,
    /// Also read the files that a log was rotated to, oldest first: app.log.2.gz, app.log.1,
    /// app.log
    #[arg(long, help_heading = "Reading")]
    rotated: bool,
    /// Wait for more at the end of the last file, also when it is rotated
    #[arg(short, long, help_heading = "Reading")]
    follow: bool,
    /// With --follow: how late a line may reach the log. A deadline is reported this long after it
    /// has passed
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "1s")]
    #[arg(help_heading = "Reading")]
    lag: Time,
    /// Merge the traces by the times of their records, instead of reading one after the other
    #[arg(long, conflicts_with = "follow", help_heading = "Reading")]
    merge: bool,
    /// With --merge: how far apart the clocks of the traces may be, e.g. 200ms. Violations that
    /// depend on the order of closer events are named
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Reading")]
    #[arg(requires = "merge")]
    skew: Option<Time>,
    /// The number of threads that read a trace; default: the number of processors. The findings do
    /// not depend on it
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    #[arg(help_heading = "Reading")]
    jobs: Option<u16>,
    /// Skip and count lines that cannot be read
    #[arg(long, help_heading = "Reading")]
    skip_bad_lines: bool,
    /// Put events that are at most this late back into their place, e.g. 5s
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Reading")]
    sort_window: Option<Time>,
    /// What to do with a record that is earlier than the one before, or later than --sort-window
    /// allows; default: `error`, with --listen `clamp`
    #[arg(long, value_name = "ORDER", help_heading = "Reading")]
    time_order: Option<TimeOrder>,
    #[command(flatten)]
    watch: WatchFlags,
    #[command(flatten)]
    view: ViewFlags,
    #[command(flatten)]
    keeping: Keeping,
    #[command(flatten)]
    reports: ReportFlags,
    /// Exit with this status if there is no (new) violation, but the verdict on some property is
    /// inconclusive; default: 0
    #[arg(long, value_name = "N", help_heading = "Reporting")]
    inconclusive_exitcode: Option<u8>,
    /// Also print counts of events, instances and steps, and the time
    #[arg(long, help_heading = "Reporting")]
    stats: bool,
    /// Print how events find the instances that they concern, and how several engines could share
    /// the instances; read no trace
    #[arg(long, help_heading = "Reporting")]
    explain_plan: bool,
    /// What evaluates the properties
    #[arg(long, value_name = "ENGINE", default_value = "engine", hide = true)]
    engine: Engine,
}

pub(super) fn parse_duration(text: &str) -> Result<Time, String> {
    time::duration(text).ok_or_else(|| "expected a duration such as 5s, 250ms or 2min".to_string())
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_punctuation() && *byte != b'"' => Ok(*byte),
        _ => Err("expected one character such as ; or |; for tabs, --input-format tsv".to_string()),
    }
}

/// The formats of traces by their names.
pub(super) fn trace_format() -> impl TypedValueParser<Value = Format> {
    let values = Format::TABLE.iter().map(|entry| {
        let (name, aliases) = entry.names.split_first().unwrap_or((&"", &[]));
        PossibleValue::new(*name).aliases(aliases).help(entry.about)
    });
    PossibleValuesParser::new(values).try_map(|name| Format::named(&name).ok_or("no such format"))
}

/// The presets by their names.
pub(super) fn preset_parser() -> impl TypedValueParser<Value = &'static Preset> {
    let values = PRESETS.iter().map(|preset| PossibleValue::new(preset.name).help(preset.about));
    PossibleValuesParser::new(values).try_map(|name| Preset::named(&name).ok_or("no such preset"))
}

/// A path to the records of documents.
#[derive(Clone, Debug)]
struct Steps(Vec<Step>);

impl Steps {
    fn parse(text: &str) -> Result<Steps, String> {
        elements::path(text).map(Steps)
    }
}

/// The pattern itself, if it is one.
pub(super) fn parse_pattern(text: &str) -> Result<String, String> {
    pattern::compile(text, None).map(|_| text.to_string())
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("replay")?;
    args.reading.refuse_java("replay")?;
    let mut reports = args.reports.open()?;
    let (model, files) =
        properties::load_valid_for(&args.properties, &args.reading, &args.classes, global)?;
    if args.explain_plan {
        let engine = watchword_monitor::Engine::new(&model, Options::default());
        if json {
            let plan = Json::object([("watchword", Json::from(1u64))])
                .with("routing", routing::to_json(engine.plan()));
            super::print(&format!("{plan}\n"))?;
            return Ok(Outcome::Clean);
        }
        let (plan, routing) = (engine.plan().explain(), engine.plan().explain_routing());
        super::print(&format!("{plan}\nShared by several engines:\n{routing}"))?;
        return Ok(Outcome::Clean);
    }
    // A line that one sender sends must not end the watch for the others.
    let skips = args.skip_bad_lines || args.watch.listen.is_some();
    let bad_lines = if skips { BadLines::Skip } else { BadLines::Refuse };
    let time_order = args.time_order.unwrap_or(match args.watch.listen {
        None => TimeOrder::Error,
        Some(_) => TimeOrder::Clamp,
    });
    let manner = Manner {
        patterns: args.log_pattern.clone(),
        time_format: args.time_format.clone(),
        time_field: args.time_field.clone(),
        zone: args.zone.clone(),
        sort_window: args.sort_window,
        delimiter: args.delimiter,
        needs_times: args.merge,
        presets: presets(args),
        records: args.records.as_ref().map_or_else(Vec::new, |path| path.0.clone()),
    };
    let mut reader = Reader::with(&model, bad_lines, &manner)?;
    expect_state_to_fit(args)?;
    expect_view_to_fit(args)?;
    let (watch, saved) = Watch::open(&args.watch, &model)?;
    let watch = RefCell::new(watch);
    let Going { paths, mut place, is_torn } = going(args, saved.as_ref())?;
    let read = files.iter().map(|f| Path::new(&f.name)).chain(paths.iter().map(|p| &**p));
    args.reports.refuse_inputs(read.clone())?;
    args.view.refuse_inputs(read)?;
    let (inputs, lost) = open(args, &paths)?;
    let sort_window = sort_window(args, global, &inputs);
    tell_addresses(global, &watch.borrow(), &inputs);
    let names: Vec<String> = inputs.iter().map(|i| i.name.clone()).collect();

    let total = inputs.iter().map(|i| i.size).sum::<Option<u64>>();
    let mut progress = Progress::new(!global.quiet && !json, total);
    let limits = Limits {
        sort_window,
        time_order,
        allow_untimed: args.allow_untimed,
        moves: args.view.is_wanted(),
        ..Limits::from(&args.keeping)
    };
    let style = Style::new(global.color_on_stdout());
    let mut out = io::stdout().lock();
    // Violations of a live log are printed at once; otherwise they come at the end, with their counts.
    let is_bare = args.watch.alert.contains(&Target::Stdout);
    let live = !json && !is_bare && inputs.iter().any(|i| i.live);
    let mut checker = Checker::new(&model, args.engine, &limits, &names);
    if !args.watch.alert.is_empty() {
        checker.alert();
    }
    if let Some(saved) = &saved {
        let folder = args.watch.state.as_deref().unwrap_or(Path::new("")).display();
        checker.resume(saved, &limits).with_context(|| {
            format!("cannot continue from {folder}; remove that folder to start from scratch")
        })?;
        if is_torn {
            checker.run.gap.get_or_insert(saved.counts.events);
        }
    }
    let view = args.view.open_run()?;
    let mut teller = view.as_ref().map(|v| v.teller(&names.join(", "), checker.run.model()));
    show(&mut teller, &mut checker);
    // What is left of the watch is saved, and the trace goes on another time.
    let mut left = false;
    let mut said = Said::default();
    let (mut done, mut shown) = (0, 0);
    let mut stopped: Option<anyhow::Error> = None;
    let mut tell = |checker: &mut Checker, reader: &mut Reader, progress: &mut Progress, done| {
        tell_notes(global, reader, progress);
        progress.update(done, checker.run.events());
        checker.listen();
        if lost.as_ref().is_some_and(|lost| lost.load(Ordering::Relaxed) > 0) {
            let events = checker.run.events();
            checker.run.gap.get_or_insert(events);
        }
        watch.borrow_mut().tell(checker, reader);
        show(&mut teller, checker);
        if watch.borrow().failure.is_some() {
            inputs::nobody_listens();
        }
        let fresh = live && checker.has_fresh();
        if !json && !is_bare && (fresh || checker.findings.printed.len() > shown) {
            progress.clear();
            let news = if fresh { checker.take_fresh() } else { Vec::new() };
            let news = news_of(style, checker, &mut shown, &news, &mut reports);
            said.say(&mut out, &news);
        }
        if said.is_unheard() {
            inputs::nobody_listens();
        }
    };
    let mut close = 0;
    if args.merge {
        let merged = || -> anyhow::Result<()> {
            let mut traces = Vec::new();
            for input in inputs {
                reader.written = input.written;
                traces.push(reader.open(&input.name, input.stream, args.input_format)?);
            }
            let window = sort_window.unwrap_or(0);
            let skew = args.skew.unwrap_or(0);
            let mut merge = Merge::new(traces, skew, window, time_order);
            loop {
                let more = merge.step(&mut reader, &mut checker, AT_ONCE);
                checker.disordered = merge.disordered();
                tell(&mut checker, &mut reader, &mut progress, merge.taken());
                close = merge.close;
                if !more? {
                    return Ok(());
                }
                stop_if_interrupted()?;
            }
        };
        stopped = merged().err();
    } else {
        let timed = watchword_trace::uses_time(&model);
        let is_kept = args.watch.state.is_some();
        let jobs = args.jobs.map_or_else(processors, usize::from);
        'inputs: for mut input in inputs {
            loop {
                checker.begin();
                reader.written = input.written;
                let mut clock = WallClock::new(args.lag);
                let live = input.live;
                let probe = input.probe.clone();
                let mut written = input.written;
                let mut read = || -> anyhow::Result<()> {
                    let name = input.name.clone();
                    let resumed = place.take();
                    if let Some(place) = &resumed {
                        written = place.written;
                        reader.written = written;
                    }
                    let gate = Gate::new(&mut input.stream, resumed.as_ref().map(|p| p.taken));
                    let opened = gate.left.clone();
                    let mut trace = reader.open(&name, gate, args.input_format)?;
                    probe.iter().for_each(|probe| probe.is_begun.set(true));
                    if let Some(place) = resumed {
                        read_again(&mut reader, &mut trace, &place)?;
                        opened.set(None);
                        checker.go_on();
                    }
                    let before = done;
                    // A trace that grows is read as it comes, and late events wait for each other.
                    let mut jobs = if input.live || sort_window.is_some() { 1 } else { jobs };
                    loop {
                        if jobs > 1 && trace.taken() >= ahead::FIRST {
                            let jobs = std::mem::replace(&mut jobs, 1);
                            let tell = |checker: &mut Checker, reader: &mut Reader, taken| {
                                done = before + taken;
                                tell(checker, reader, &mut progress, done);
                                stop_if_interrupted()
                            };
                            ahead::read(&mut reader, &mut trace, &mut checker, jobs, tell)?;
                        }
                        let stepped = reader.step(&mut trace, &mut checker);
                        done = before + trace.taken();
                        if let Ok(Stepped::Idle) = stepped
                            && timed
                        {
                            if let Some(time) = checker.latest() {
                                clock.set(time, inputs::last_written(&name));
                            }
                            clock.now().into_iter().for_each(|now| checker.tick(now));
                        }
                        tell(&mut checker, &mut reader, &mut progress, done);
                        let stepped = stepped?;
                        if is_kept && live {
                            let is_read = stepped != Stepped::Read || probe.is_some();
                            let is_over = inputs::is_over() && is_read;
                            if is_over || watch.borrow().is_due() {
                                let here = probe.as_ref().map(|p| p.place(trace.taken(), written));
                                // Between two files there is no place; there will be one.
                                if here != Some(None) {
                                    watch.borrow_mut().save(&mut checker, here.flatten())?;
                                    left = is_over;
                                }
                            }
                            if left {
                                return Ok(());
                            }
                        }
                        if stepped == Stepped::End {
                            reader.close(trace);
                            return Ok(());
                        }
                        // One that grows ends by itself then.
                        if !live {
                            stop_if_interrupted()?;
                        }
                    }
                };
                if let Err(error) = read() {
                    stopped = Some(error);
                    break 'inputs;
                }
                if left || !input.goes_on() {
                    break;
                }
            }
        }
    }
    // What was found before a line that cannot be read was found; but the trace has not ended.
    match stopped {
        None if !left => checker.end()?,
        _ => checker.release_all()?,
    }
    let mut watch = watch.into_inner();
    watch.tell(&mut checker, &reader);
    let troubles = watch.close();
    stopped = watch.failure.take().or(stopped);
    progress.clear();
    let elapsed = progress.elapsed();

    let totals = checker.run.totals();
    show(&mut teller, &mut checker);
    if let Some(view) = view {
        let events = watchword_view::text::counted(totals.events, "event");
        teller.iter_mut().for_each(|teller| teller.end(format!("{events} were read")));
        view.close()?;
    }
    checker.findings.recount(&totals.counts);
    if !json && !is_bare {
        let all = 0..checker.findings.violations.len();
        let news = if live { checker.take_fresh() } else { all.collect() };
        let news = news_of(style, &mut checker, &mut shown, &news, &mut reports);
        said.say(&mut out, &news);
    }
    reports.judge_all(&model, &checker.findings.violations);
    let elapsed = args.stats.then_some(elapsed);
    let run = Summary {
        model: &model,
        checker: &checker,
        totals: &totals,
        reader: &reader,
        files: &files,
        elapsed,
        stopped: stopped.as_ref().map(|error| format!("{error:#}")),
        skew: args.skew.map(|skew| (skew, close)),
    };
    let sources = Sources::of_traces(&args.reports.sources, &names);
    let source = |location: &Location| sources.snippet(location);
    let outcome = run.outcome(&reports, &source, names.join(", "));
    // If nothing was found out, there is nothing to tell but the mistake.
    let tell = stopped.is_none() || totals.events > 0;
    if tell {
        reports.write(&outcome)?;
    }
    if json && tell {
        said.say(&mut out, &format!("{}\n", report::json::report(&outcome)));
    } else if !global.quiet && !is_bare && tell {
        said.say(&mut out, &run.to_text(style, global.verbose));
        if let Some(summary) = reports.summary() {
            said.say(&mut out, &format!("{summary}\n"));
        }
        output::warnings(global, &outcome.warnings);
    }
    output::warnings(global, &troubles);
    said.result()?;
    if let Some(error) = stopped {
        return Err(error);
    }
    let found = checker.findings.has_new(&totals, &reports);
    Ok(match args.inconclusive_exitcode {
        _ if found => Outcome::Found,
        Some(status) if outcome.is_inconclusive() => Outcome::Status(status),
        _ => Outcome::Clean,
    })
}

/// An error once somebody has pressed Ctrl-C: the rest of the trace is not read, and what was found
/// so far is printed.
fn stop_if_interrupted() -> anyhow::Result<()> {
    match inputs::is_interrupted() {
        true => anyhow::bail!("interrupted: the rest was not checked"),
        false => Ok(()),
    }
}

/// How many threads can run at a time.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The number of records of merged traces that are checked before findings are printed.
const AT_ONCE: usize = 4096;

/// Says on standard error what was found out by looking at the traces.
fn tell_notes(global: &Global, reader: &mut Reader, progress: &mut Progress) {
    for note in std::mem::take(&mut reader.notes) {
        if !global.quiet {
            progress.clear();
            output::note(global.color_on_stderr(), &harmless(&note));
        }
    }
}

/// What is printed on standard output. That its reader has gone changes neither the reports nor
/// the status; that it cannot be written for another reason is an error, in the end.
#[derive(Default)]
struct Said(Option<io::Error>);

impl Said {
    fn say(&mut self, out: &mut impl Write, text: &str) {
        if self.0.is_none() {
            self.0 = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err();
        }
    }

    fn is_unheard(&self) -> bool {
        self.0.is_some()
    }

    fn result(self) -> io::Result<()> {
        match self.0 {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}

/// What updates printed since `shown`, and these violations but the known ones.
fn news_of(
    style: Style,
    checker: &mut Checker,
    shown: &mut usize,
    violations: &[usize],
    reports: &mut Reports,
) -> String {
    let mut news = String::new();
    checker.findings.recount(checker.run.counts());
    for line in &checker.findings.printed[*shown..] {
        news.push_str(&format!("printed: {}\n", harmless(line)));
    }
    *shown = checker.findings.printed.len();
    for index in violations {
        let violation = &checker.findings.violations[*index];
        let model = checker.run.model();
        if reports.judge(model, violation) != Status::Known {
            news.push_str(&human::violation(style, model, violation));
            news.push('\n');
        }
    }
    news
}

/// Which programs wrote the traces, if that is said.
fn presets(args: &Args) -> Vec<&'static Preset> {
    match args.watch.listen {
        Some(source) => Preset::named(source.preset()).into_iter().collect(),
        None => args.preset.clone(),
    }
}

/// Refuses a state that would not be one.
fn expect_state_to_fit(args: &Args) -> anyhow::Result<()> {
    let WatchFlags { state, alert, listen, .. } = &args.watch;
    if !alert.is_empty() && args.reports.baseline.is_some() {
        bail!("--alert and --baseline cannot be combined");
    }
    if state.is_none() {
        return Ok(());
    }
    if listen.is_none() && !args.follow {
        bail!("--state needs --follow or --listen");
    }
    if args.sort_window.is_some() {
        bail!("--state and --sort-window cannot be combined");
    }
    if args.engine != Engine::Engine {
        bail!("--state works only with the engine, not with other evaluators");
    }
    let is_file = |path: &TracePath| path.is_file();
    if args.follow && !args.traces.last().is_some_and(is_file) {
        bail!(
            "with --state, the log must be a regular file, because it is read again after a restart"
        );
    }
    Ok(())
}

/// Refuses a view of what cannot be looked at.
fn expect_view_to_fit(args: &Args) -> anyhow::Result<()> {
    if !args.view.is_wanted() {
        return Ok(());
    }
    if args.view.view.is_some() && !args.follow && args.watch.listen.is_none() {
        bail!(
            "--view shows a log while it grows: it needs --follow or --listen. \
             --view-record FILE writes a page that shows a trace that has ended"
        );
    }
    if args.watch.state.is_some() {
        bail!("--view and --view-record cannot be combined with --state");
    }
    if args.engine != Engine::Engine {
        bail!("--view works only with the engine, not with other evaluators");
    }
    Ok(())
}

/// Tells pages what has happened.
fn show(teller: &mut Option<Teller>, checker: &mut Checker) {
    let Some(teller) = teller else { return };
    let events = checker.run.events();
    if let AnyEvaluator::Engine(engine) = &mut checker.run.evaluator {
        teller.tell(engine, events);
    }
    teller.findings(&checker.findings);
}

/// Where reading goes on.
struct Going {
    paths: Vec<PathBuf>,
    /// How far the first of them was read.
    place: Option<Place>,
    /// What happened meanwhile is not known.
    is_torn: bool,
}

/// The files that are left to read, and where.
fn going(args: &Args, saved: Option<&Saved>) -> anyhow::Result<Going> {
    let Some(saved) = saved else {
        return Ok(Going { paths: paths(args)?, place: None, is_torn: false });
    };
    let (Some(place), Some(live)) = (&saved.place, args.traces.last()) else {
        return Ok(Going { paths: paths(args)?, place: None, is_torn: true });
    };
    // The log may have been rotated meanwhile.
    let files = inputs::rotated(live)?;
    Ok(match inputs::find(&files, place)? {
        Some((at, has_text)) => Going {
            paths: files[at..].to_vec(),
            place: has_text.then(|| place.clone()),
            is_torn: false,
        },
        None => Going { paths: vec![live.clone()], place: None, is_torn: true },
    })
}

/// Reads once more what was read by another process: the reader learns from it, and no event is passed on.
fn read_again<R: Read>(
    reader: &mut Reader,
    trace: &mut Trace<R>,
    place: &Place,
) -> anyhow::Result<()> {
    while reader.step(trace, &mut Deaf)? == Stepped::Read {}
    if trace.taken() != place.taken {
        bail!(
            "the log has changed since the state was saved; remove the state to start from scratch"
        );
    }
    Ok(())
}

/// Takes events and does nothing.
struct Deaf;

impl Sink for Deaf {
    fn event(&mut self, _: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        Ok(())
    }
}

/// How late an event may come: as late as it likes where events are written case by case.
fn sort_window(args: &Args, global: &Global, inputs: &[Input]) -> Option<Time> {
    let by_case = inputs.iter().find(|input| input.by_case);
    match (args.sort_window, by_case) {
        (None, Some(input)) => {
            if !global.quiet {
                let name = harmless(&input.name);
                let text = format!("{name}: events are put into the order of time");
                output::note(global.color_on_stderr(), &text);
            }
            Some(Time::MAX)
        }
        (said, _) => said,
    }
}

/// Says where others can reach this watch.
fn tell_addresses(global: &Global, watch: &Watch, inputs: &[Input]) {
    if global.quiet {
        return;
    }
    let color = global.color_on_stderr();
    for input in inputs.iter().filter(|input| input.name.contains("://")) {
        output::note(color, &format!("listening at {}", input.name));
    }
    if let Some(address) = watch.metrics_at() {
        output::note(color, &format!("metrics at http://{address}/metrics"));
    }
}

/// The files that are read, in order; `-` is standard input.
fn paths(args: &Args) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for trace in &args.traces {
        match args.rotated && trace != Path::new("-") {
            true => paths.extend(inputs::rotated(trace)?),
            false => paths.push(trace.clone()),
        }
    }
    Ok(paths)
}

/// Opens all traces before the first one is read.
fn open(args: &Args, paths: &[PathBuf]) -> anyhow::Result<(Vec<Input>, Option<Lost>)> {
    if let Some(source) = args.watch.listen {
        let Listener { name, heard, lost, .. } = source.open()?;
        return Ok((vec![Input::heard(name, Box::new(heard))], Some(lost)));
    }
    let last = paths.len().saturating_sub(1);
    let on_interrupt = match args.watch.state {
        Some(_) => OnInterrupt::Wait,
        None => OnInterrupt::End,
    };
    let open = |(i, path): (usize, &PathBuf)| match args.follow && i == last {
        true => Input::follow(path, on_interrupt),
        false => Input::open(path),
    };
    let inputs: anyhow::Result<Vec<Input>> = paths.iter().enumerate().map(open).collect();
    Ok((inputs?, None))
}

/// How many messages came over the network and were lost.
type Lost = Arc<AtomicU64>;
