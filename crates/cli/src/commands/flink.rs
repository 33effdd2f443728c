//! `watchword flink -p PROP --source files:… --sink files:…`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use watchword_classfile::source::{Zip, ZipWriter};
use watchword_model::Time;
use watchword_monitor::{Engine, Options, Router};
use watchword_plan::Plan;
use watchword_trace::Format;
use watchword_trace::presets::Preset;
use watchword_trace::times::TimeFormat;
use watchword_wire::{Bundle, Settings};

use super::replay::{parse_duration, parse_pattern, preset_parser, trace_format};
use crate::args::{Global, Reading};
use crate::output::json::Json;
use crate::output::style::counted;
use crate::output::{atomic, routing};
use crate::{Outcome, properties};

/// Write a job for Apache Flink that checks traces with many machines.
///
/// The jar has the properties inside and needs no programming: submit it with `flink run`. Before it is
/// written, the plan is printed: what can be divided among shards, what cannot and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword flink -p std/reply --source files:/logs --sink files:/found --out reply.jar\n  \
    flink run reply.jar\n  \
    flink run reply.jar --source hdfs:///logs/monday --sink hdfs:///found/monday\n  \
    watchword flink -p login.ww --source files:s3://logs/app --sink files:s3://found --lateness 5s\n  \
    watchword replay -p login.ww --explain-plan     the plan alone")]
pub struct Args {
    /// A property file, or a shipped property such as std/reply; may be repeated
    #[arg(short = 'p', long = "property", value_name = "PROP", required = true)]
    properties: Vec<String>,
    #[command(flatten)]
    reading: Reading,
    /// Traces: `files:` and a file or a folder, by any file system of the cluster; may be repeated
    #[arg(long, value_name = "SOURCE", value_parser = files, required = true)]
    source: Vec<String>,
    /// Where findings go: `files:` and a folder, which gets the folders `violations` and `late`
    #[arg(long, value_name = "SINK", value_parser = files)]
    sink: String,
    /// The jar to write
    #[arg(short, long, value_name = "JAR", default_value = "watchword-job.jar")]
    out: PathBuf,
    /// The number of shards, the largest parallelism that the job can ever have
    #[arg(long, value_name = "N", default_value_t = 128)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=32767))]
    shards: u16,
    /// How much earlier than those before it an event of a trace may be. Later ones are not checked,
    /// but counted and written to the folder `late`
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "0s")]
    lateness: Time,
    /// The folder with watchword-flink.jar and libwatchword_flink.so; default: that of WATCHWORD_FLINK,
    /// or of this program
    #[arg(long, value_name = "FOLDER")]
    runtime: Option<PathBuf>,
    /// The format of the traces, if names and contents do not determine it
    #[arg(long, value_name = "FORMAT", value_parser = trace_format(), help_heading = "Reading")]
    input_format: Option<Format>,
    /// The program that wrote the traces, if it is not recognised
    #[arg(long, value_name = "PROGRAM", value_parser = preset_parser(), help_heading = "Reading")]
    preset: Vec<&'static Preset>,
    /// The structure of the lines of a text log, as for `replay`
    #[arg(long, value_name = "PATTERN", value_parser = parse_pattern, help_heading = "Reading")]
    log_pattern: Vec<String>,
    /// The notation of times, if it is not recognised, as for `replay`
    #[arg(long, value_name = "FORMAT", value_parser = parse_time_format, help_heading = "Reading")]
    time_format: Option<String>,
    /// The field that contains the time, if it is not recognised
    #[arg(long, value_name = "FIELD", help_heading = "Reading")]
    time_field: Option<String>,
    /// Skip and count lines that cannot be read
    #[arg(long, help_heading = "Reading")]
    skip_bad_lines: bool,
}

/// The path of a source or sink of files.
fn files(text: &str) -> Result<String, String> {
    match text.strip_prefix("files:") {
        Some("") => Err("`files:` needs a path behind it".to_string()),
        Some(path) if path.contains(['\n', '\r']) => Err("a path is one line".to_string()),
        Some(path) => Ok(path.to_string()),
        None => Err(format!("expected files:PATH, such as files:{text}")),
    }
}

/// The notation itself, if it is one.
fn parse_time_format(text: &str) -> Result<String, String> {
    TimeFormat::parse(text).map(|_| text.to_string())
}

/// The parts of a job that do not depend on properties.
const RUNTIME: &str = "watchword-flink.jar";
const LIBRARY: &str = "libwatchword_flink.so";

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("flink")?;
    args.reading.refuse_java("flink")?;
    let (model, files) = properties::load_valid(&args.properties, &args.reading, global)?;
    if files.iter().any(|file| Path::new(&file.name) == args.out) {
        bail!("{} is a property file; name another one with --out", args.out.display());
    }
    atomic::check(&args.out)?;
    let (runtime, library) = args.runtime()?;
    let engine = Engine::new(&model, Options::default());
    if !json {
        super::print(&args.explain(engine.plan()))?;
    }
    let bundle = Bundle { model, settings: Settings::default() };
    let jar = jar(&runtime, &library, &bundle.to_bytes()?, &args.options())?;
    atomic::write(&args.out, jar)?;
    let out = args.out.display();
    if json {
        let written = Json::object([("watchword", Json::from(1u64))])
            .with("file", &*out.to_string())
            .with("shards", u64::from(args.shards))
            .with("routing", routing::to_json(engine.plan()));
        super::print(&format!("{written}\n"))?;
        return Ok(Outcome::Clean);
    }
    super::print(&format!("\nwrote {out}; run it with `flink run {out}`\n"))?;
    Ok(Outcome::Clean)
}

impl Args {
    /// The contents of the runtime's files.
    fn runtime(&self) -> anyhow::Result<(Vec<u8>, Vec<u8>)> {
        let named = self.runtime.clone();
        let named = named.or_else(|| std::env::var_os("WATCHWORD_FLINK").map(PathBuf::from));
        let beside = || Some(std::env::current_exe().ok()?.parent()?.to_path_buf());
        let folder = named.or_else(beside).unwrap_or_default();
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).with_context(|| {
                format!(
                    "{} cannot be read; build it as docs/flink.md says, and name its folder with --runtime",
                    path.display()
                )
            })
        };
        Ok((read(RUNTIME)?, read(LIBRARY)?))
    }

    /// What the job is told, as `watchword-flink` reads it.
    fn options(&self) -> String {
        let mut lines = Vec::new();
        let mut add = |key: &str, value: &str| lines.push(format!("{key}={value}\n"));
        add("shards", &self.shards.to_string());
        add("lateness", &self.lateness.to_string());
        self.source.iter().for_each(|source| add("source", source));
        add("sink", &self.sink);
        if let Some(name) = self.input_format.and_then(|f| f.entry().names.first()) {
            add("format", name);
        }
        self.preset.iter().for_each(|preset| add("preset", preset.name));
        self.log_pattern.iter().for_each(|pattern| add("log-pattern", pattern));
        self.time_format.iter().for_each(|format| add("time-format", format));
        self.time_field.iter().for_each(|field| add("time-field", field));
        if self.skip_bad_lines {
            add("skip-bad-lines", "true");
        }
        lines.concat()
    }

    /// The plan and its limits, in words.
    fn explain(&self, plan: &Arc<Plan>) -> String {
        let shards = u64::from(self.shards);
        let mut text = format!("{}:\n{}", counted(shards, "shard"), plan.explain_routing());
        let mut say = |what: &str| {
            let _ = writeln!(text, "- {what}");
        };
        say("A trace is read by one task: many traces are read by many tasks.");
        if Router::new(plan.clone(), 1).can_learn() {
            say("No task sees all events, so what would be learnt goes to all shards.");
        }
        say("Every event needs a time; times are compared across traces.");
        if self.lateness == 0 {
            say("Times of a trace must not run backwards; --lateness allows some disorder.");
        }
        say("Late events are not checked: they are counted and written to the folder `late`.");
        say("Violations have no histories, and no numbers of events.");
        text
    }
}

/// The jar of a job: the runtime with the library, the properties and the options.
fn jar(
    runtime: &[u8],
    library: &[u8],
    properties: &[u8],
    options: &str,
) -> anyhow::Result<Vec<u8>> {
    let zip = Zip::parse(runtime).context(RUNTIME)?;
    let mut jar = ZipWriter::new();
    for entry in zip.entries() {
        jar.copy(&zip, entry)?;
    }
    jar.add("watchword/libwatchword_flink.so", library, false)?;
    jar.add("watchword/properties", properties, false)?;
    jar.add("watchword/options", options.as_bytes(), false)?;
    Ok(jar.finish()?)
}
