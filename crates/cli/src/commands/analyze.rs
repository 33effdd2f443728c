//! `watchword analyze -p PROP… IN…`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::ValueEnum;
use watchword_model::{Model, PropertyId};
use watchword_residual::analysis::{self, PropertyReport, SiteReport, Status};
use watchword_residual::date::jvm::{ASSUMPTION, Residual};
use watchword_residual::jvm::program::Program;
use watchword_residual::paper::{self, Reading};

use crate::args::{self, Global};
use crate::classes::{self, Classes, ProgramClasses};
use crate::output::json::Json;
use crate::reduced::{self, Flags};
use crate::{Outcome, properties};

/// Find the sites of a JVM program that need not be monitored: residual analysis.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword analyze -p std/safe-iterator app.jar\n  \
    watchword analyze -p safe.ww build/classes --cp lib.jar --sites\n  \
    watchword analyze -p safe.ww app.jar --silenced-out app.silenced\n  \
    watchword analyze -p risk.lrv app.jar --property-out left.ww --picture left.svg\n\n\
    `sound` proves every silenced site: the reports of a monitored run stay the same, none lost,\n\
    none new, none moved. `bism-paper` and `clara-quick` are published analyses, for comparison;\n\
    docs/residual.md tells on which programs they are wrong.")]
pub struct Args {
    /// Property files, or shipped properties such as std/safe-iterator
    #[arg(short, long = "property", required = true, value_name = "PROP")]
    properties: Vec<String>,
    #[command(flatten)]
    files: args::Reading,
    /// Class files, directories of them, or jars: what will be monitored
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Classes that run beside them: class files, directories or jars
    #[arg(long = "cp", value_name = "PATH", value_delimiter = ':')]
    class_path: Vec<PathBuf>,
    /// The JDK the program runs on; JAVA_HOME or `java` of the path if left out
    #[arg(long, value_name = "DIR")]
    jdk: Option<PathBuf>,
    /// How to analyse
    #[arg(long, value_name = "NAME", default_value = "sound")]
    algorithm: Algorithm,
    /// Reading of the paper's Definition 8 for `bism-paper`
    #[arg(long, value_name = "NAME", default_value = "text")]
    reading: PaperReading,
    /// Do not take iterators of collections of unknown class for new objects
    #[arg(long)]
    strict: bool,
    /// Write the silenced sites to a file, as `java --silenced` and `weave --silenced` read them
    #[arg(long, value_name = "FILE")]
    silenced_out: Option<PathBuf>,
    /// List every site that is left, with the reason
    #[arg(long)]
    sites: bool,
    #[command(flatten)]
    reduced: Flags,
}

/// An analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Algorithm {
    /// Proven: full and residual monitoring report the same.
    Sound,
    /// Reachability as published with BISM; not sound.
    BismPaper,
    /// Clara's Quick Check: which events can matter, given those that occur.
    ClaraQuick,
}

/// How Definition 8 of the reachability paper is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PaperReading {
    /// As the text around it says: an escape leads to every reachable state.
    Text,
    /// As the formula says: to every reachable state but the final ones.
    Formula,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("analyze")?;
    let known = ProgramClasses::new(args.inputs.iter().chain(&args.class_path).cloned());
    let (model, _) = properties::load_valid_with(&args.properties, &args.files, &known, global)?;
    let own = Classes::read(&args.inputs)?;
    let beside = Classes::read(&args.class_path)?;
    if own.0.is_empty() {
        bail!("there is no class file in what was given");
    }
    let platform = classes::platform(args.jdk.as_deref())?;
    let begun = Instant::now();
    let program = Program::new(own.borrowed(), beside.borrowed(), &*platform, !args.strict);
    let loading = begun.elapsed();
    for (place, why) in &program.broken {
        eprintln!("{place}: left as it is: {why}");
    }
    let mut reports: Vec<(PropertyReport, Duration)> = Vec::new();
    for index in 0..model.properties.len() {
        let property = PropertyId::from_index(index);
        let begun = Instant::now();
        let report = match args.algorithm {
            Algorithm::Sound => analysis::analyse(&program, &model, property),
            Algorithm::ClaraQuick => paper::quick(&program, &model, property),
            Algorithm::BismPaper => {
                let reading = match args.reading {
                    PaperReading::Text => Reading::Text,
                    PaperReading::Formula => Reading::Formula,
                };
                paper::reachability(&program, &model, property, reading)
            }
        };
        reports.push((report, begun.elapsed()));
    }
    // Properties themselves are reduced for the program that the other tiers leave.
    let residual = (args.algorithm == Algorithm::Sound).then(|| {
        let begun = Instant::now();
        let known = reports.iter_mut().map(|(report, _)| report);
        let residual = reduced::analyse(&program, &model, known, args.reduced.depth);
        if let Some((_, time)) = reports.last_mut() {
            *time += begun.elapsed();
        }
        residual
    });
    match &residual {
        Some(residual) => reduced::write(&args.reduced, &model, residual)?,
        None if args.reduced.property_out.is_some() || args.reduced.picture.is_some() => {
            bail!("only `--algorithm sound` reduces properties");
        }
        None => {}
    }
    let reduction = residual.as_ref().map(|residual| (&model, residual));
    if let Some(path) = &args.silenced_out {
        let text = silenced_file(&reports, args.algorithm);
        crate::output::atomic::write(path, &text)?;
    }
    let text = match json {
        true => to_json(args, &reports, reduction),
        false => to_text(args, &program, &reports, loading, reduction),
    };
    super::print(&text)?;
    Ok(Outcome::Clean)
}

fn warning(algorithm: Algorithm) -> Option<&'static str> {
    match algorithm {
        Algorithm::BismPaper => Some(
            "this published analysis is not sound: it may silence sites that matter; see docs/residual.md",
        ),
        Algorithm::Sound | Algorithm::ClaraQuick => None,
    }
}

fn assumptions(args: &Args) -> Vec<&'static str> {
    match args.algorithm {
        Algorithm::Sound => {
            let mut all = analysis::assumptions(!args.strict);
            all.push(ASSUMPTION);
            all
        }
        _ => vec!["the classes that run are the classes that were analysed"],
    }
}

fn silenced_file(reports: &[(PropertyReport, Duration)], algorithm: Algorithm) -> String {
    let mut out = String::from("# property class method+descriptor offset event\n");
    if let Some(warning) = warning(algorithm) {
        let _ = writeln!(out, "# {warning}");
    }
    for (report, _) in reports {
        for site in &report.sites {
            if let Status::Silenced(_) = site.status {
                let SiteReport { class, method, descriptor, offset, event, .. } = site;
                let name = &report.name;
                let _ = writeln!(out, "{name}\t{class}\t{method}{descriptor}\t{offset}\t{event}");
            }
        }
    }
    out
}

fn share(part: usize, all: usize) -> String {
    match all {
        0 => "-".to_owned(),
        all => format!("{:.1} %", 100.0 * part as f64 / all as f64),
    }
}

/// The properties, and what is left of them.
type Reduction<'r> = Option<(&'r Model, &'r Residual)>;

fn to_text(
    args: &Args,
    program: &Program<'_>,
    reports: &[(PropertyReport, Duration)],
    loading: Duration,
    reduction: Reduction<'_>,
) -> String {
    let mut out = String::new();
    if let Some(warning) = warning(args.algorithm) {
        let _ = writeln!(out, "warning: {warning}\n");
    }
    let _ =
        writeln!(out, "{} classes read in {:.2} s", program.classes.len(), loading.as_secs_f64());
    let mut proven = false;
    for (at, (report, time)) in reports.iter().enumerate() {
        let silenced = report.silenced();
        let _ = write!(
            out,
            "\n{}: {} sites in {} methods of {} classes, {silenced} silenced ({}), {} left; {:.2} s\n",
            report.name,
            report.sites.len(),
            report.methods,
            report.classes,
            share(silenced, report.sites.len()),
            report.sites.len() - silenced,
            time.as_secs_f64()
        );
        if let Some(why) = &report.unsupported {
            let _ = writeln!(out, "  every site is left: {why}");
            continue;
        }
        if report.sites.is_empty() {
            out.push_str("  no instruction of these classes is selected by its events\n");
            continue;
        }
        if let Some((model, residual)) = reduction {
            out.push_str(&reduced::line(model, &residual.properties[at]));
        }
        if report.is_proven() && args.algorithm == Algorithm::Sound {
            out.push_str("  proven: nothing these classes do can be reported\n");
            proven = true;
        }
        let mut tiers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for site in &report.sites {
            match &site.status {
                Status::Silenced(tier) => *tiers.entry(tier.name()).or_default() += 1,
                Status::Left(why) => *reasons.entry(kind(why).to_owned()).or_default() += 1,
            }
        }
        let tiers: Vec<String> = tiers.iter().map(|(tier, n)| format!("{tier} {n}")).collect();
        if !tiers.is_empty() {
            let _ = writeln!(out, "  silenced by {}", tiers.join(", "));
        }
        let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        for (why, n) in reasons.iter().take(6) {
            let _ = writeln!(out, "  {n:6} left, {why}");
        }
        if args.sites {
            for site in &report.sites {
                if let Status::Left(why) = &site.status {
                    let _ = writeln!(out, "  {} {}: {why}", place(site), site.event);
                }
            }
        }
    }
    if proven {
        out.push_str("\nassuming that\n");
        for assumption in assumptions(args) {
            let _ = writeln!(out, "  - {assumption}");
        }
    }
    out
}

/// A reason without its places.
fn kind(why: &str) -> &str {
    match why.split_once(" at ") {
        Some((kind, _)) => kind,
        None => why,
    }
}

fn place(site: &SiteReport) -> String {
    match (&site.file, site.line) {
        (Some(file), Some(line)) => format!("{file}:{line} ({}.{})", site.class, site.method),
        _ => format!("{}.{}{}@{}", site.class, site.method, site.descriptor, site.offset),
    }
}

fn to_json(
    args: &Args,
    reports: &[(PropertyReport, Duration)],
    reduction: Reduction<'_>,
) -> String {
    let number = |n: usize| Json::from(n as u64);
    let mut properties = Vec::new();
    let mut sites = Vec::new();
    for (at, (report, time)) in reports.iter().enumerate() {
        let silenced = report.silenced();
        let all = report.sites.len();
        let proven = report.is_proven() && all > 0 && args.algorithm == Algorithm::Sound;
        properties.push(
            Json::object([("name", report.name.as_str().into()), ("proven", proven.into())])
                .with("sites", number(all))
                .with("silenced", number(silenced))
                .with("left", number(all - silenced))
                .with("classes", number(report.classes))
                .with("methods", number(report.methods))
                .with("seconds", Json::Number(format!("{:.3}", time.as_secs_f64())))
                .with_some("unsupported", report.unsupported.as_deref())
                .with_some("residual", reduction.map(|(m, r)| reduced::json(m, &r.properties[at]))),
        );
        for site in &report.sites {
            let (status, tier, reason) = match &site.status {
                Status::Silenced(tier) => ("silenced", Some(tier.name()), None),
                Status::Left(why) => ("left", None, Some(why.as_str())),
            };
            sites.push(
                Json::object([("id", number(sites.len()))])
                    .with("property", report.name.as_str())
                    .with("event", site.event.as_str())
                    .with("class", site.class.as_str())
                    .with("method", format!("{}{}", site.method, site.descriptor).as_str())
                    .with("offset", u64::from(site.offset))
                    .with_some("file", site.file.as_deref())
                    .with_some("line", site.line.map(u64::from))
                    .with("status", status)
                    .with_some("tier", tier)
                    .with_some("reason", reason),
            );
        }
    }
    let algorithm = args.algorithm.to_possible_value();
    let algorithm = algorithm.map_or(String::new(), |v| v.get_name().to_owned());
    let assumed = assumptions(args).into_iter().map(Json::from).collect::<Vec<_>>();
    let json = Json::object([("watchword", 1u64.into()), ("algorithm", algorithm.as_str().into())])
        .with("properties", properties)
        .with("sites", sites)
        .with("assumptions", assumed)
        .with_some("warning", warning(args.algorithm));
    format!("{json}\n")
}
