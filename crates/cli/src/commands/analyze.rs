//! `watchword analyze -p PROP… IN…`.

mod html;
mod why;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use watchword_model::{Model, PropertyId};
use watchword_residual::analysis::{Blocker, SiteReport, Status};
use watchword_residual::proof::{self, Proofs};

use crate::args::{self, Global, OutputFormat};
use crate::classes::{Classes, ProgramClasses};
use crate::output::json::Json;
use crate::output::style::counted;
use crate::output::{atomic, warning};
use crate::reduced::{self, Flags};
use crate::residual::{self, Algorithm, Analysed, Assumption, PaperReading, Request};
use crate::{Outcome, properties};

/// Find the sites of a JVM program that need not be monitored: residual analysis.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword analyze -p std/safe-iterator app.jar\n  \
    watchword analyze -p safe.ww build/classes --cp lib.jar --sites\n  \
    watchword analyze -p safe.ww build/classes --why Cache.java:41\n  \
    watchword analyze -p safe.ww app.jar --silenced-out app.silenced\n  \
    watchword analyze -p safe.ww app.jar --certificates app.proofs\n  \
    watchword analyze -p safe.ww app.jar --check-certificates app.proofs\n  \
    watchword analyze -p risk.lrv app.jar --property-out left.ww --picture left.svg\n  \
    watchword analyze -p safe.ww app.jar --format html --sources src > app.html\n\n\
    `sound` proves every silenced site: the reports of a monitored run stay the same, none lost,\n\
    none new, none moved. `bism-paper` and `clara-quick` are published analyses, for comparison;\n\
    docs/residual.md shows programs on which the first is wrong.")]
pub struct Args {
    /// Property files, or shipped properties such as std/safe-iterator
    #[arg(short, long = "property", required = true, value_name = "PROP")]
    properties: Vec<String>,
    #[command(flatten)]
    files: args::Reading,
    /// Class files, directories of them, or jars: the classes that will be monitored
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Other classes of the program: class files, directories or jars
    #[arg(long = "cp", value_name = "PATH", value_delimiter = ':')]
    class_path: Vec<PathBuf>,
    /// The JDK on which the program will run; default: JAVA_HOME, or `java` of the path
    #[arg(long, value_name = "DIR")]
    jdk: Option<PathBuf>,
    /// How to analyse
    #[arg(long, value_name = "NAME", default_value = "sound")]
    algorithm: Algorithm,
    /// Reading of the paper's Definition 8 for `bism-paper`
    #[arg(long, value_name = "NAME", default_value = "text")]
    reading: PaperReading,
    /// Do not assume that iterators of collections of unknown class are new objects
    #[arg(long)]
    strict: bool,
    /// Additional assumptions about the program
    #[arg(long, value_name = "WHAT")]
    assume: Vec<Assumption>,
    /// Write the silenced sites to a file, as `java --silenced` and `weave --silenced` read them
    #[arg(long, value_name = "FILE")]
    silenced_out: Option<PathBuf>,
    /// A file of instructions that are not escapes, for `bism-paper`; default: calls of the JDK
    #[arg(long, value_name = "FILE")]
    safe: Option<PathBuf>,
    /// Write the certificates of the method-by-method tier to a file
    #[arg(long, value_name = "FILE")]
    certificates: Option<PathBuf>,
    /// Check the certificates of a file instead of searching for certificates
    #[arg(long, value_name = "FILE", conflicts_with = "certificates")]
    check_certificates: Option<PathBuf>,
    /// List every site that is left, with the reason
    #[arg(long)]
    sites: bool,
    /// Explain why the sites of a place are left, what they depend on and what would help:
    /// File.java:LINE,
    /// File.java, Class or Class.method
    #[arg(long, value_name = "SITE")]
    why: Option<String>,
    #[command(flatten)]
    reduced: Flags,
    /// Folders with the program's sources, for --format html; may be repeated
    #[arg(long, value_name = "DIR")]
    sources: Vec<PathBuf>,
    /// Do not use results of earlier runs, and do not keep this one
    #[arg(long)]
    no_cache: bool,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let format = match global.format {
        None | Some(OutputFormat::Human) => Format::Human,
        Some(OutputFormat::Json) => Format::Json,
        Some(OutputFormat::Html) => Format::Html,
        Some(_) => bail!("`analyze` prints human, json or html"),
    };
    let inputs = args.inputs.iter().chain(&args.class_path);
    let known = ProgramClasses::new(|| Ok(inputs.clone().cloned().collect()));
    let (model, _) = properties::load_valid_with(&args.properties, &args.files, &known, global)?;
    if !model.java.is_empty() {
        bail!("no site can be left out: {}", residual::JAVA_CODE);
    }
    for path in args.silenced_out.iter().chain(&args.certificates) {
        atomic::check(path)?;
    }
    args.reduced.check()?;
    if args.reduced.property_out.is_some() && args.silenced_out.is_none() {
        let text = "--property-out is half of the result: run its properties together with the silenced sites that --silenced-out writes";
        warning(global.color_on_stderr(), text);
    }
    let wants_proofs = args.certificates.is_some() || args.check_certificates.is_some();
    if wants_proofs && args.algorithm != Algorithm::Sound {
        bail!("only `--algorithm sound` has certificates");
    }
    if args.safe.is_some() && args.algorithm != Algorithm::BismPaper {
        bail!("--safe is for `--algorithm bism-paper`");
    }
    let own = Classes::read(&args.inputs)?;
    let beside = Classes::read(&args.class_path)?;
    if own.0.is_empty() {
        bail!("the inputs contain no class file");
    }
    let safe = residual::safe_list(args.safe.as_deref())?;
    let given = args.check_certificates.as_deref().map(proofs).transpose()?;
    let mut request = args.request();
    request.safe = Some(&safe);
    request.given = given.as_ref();
    let analysed = residual::analyse(&request, &model, &own, &beside, global)?;
    if let Some(given) = &given {
        confirmed(given, &analysed).map_err(|why| {
            anyhow!(
                "{}: {why}",
                args.check_certificates.as_deref().unwrap_or(Path::new("")).display()
            )
        })?;
    }
    if let ([(place, why), ..], 0) = (&analysed.broken[..], analysed.classes) {
        bail!("no class could be read; {place}: {why}");
    }
    for (place, why) in &analysed.broken {
        warning(global.color_on_stderr(), &format!("{place}: not analysed: {why}"));
    }
    for (_, text) in &analysed.mistaken {
        warning(global.color_on_stderr(), text);
    }
    if let Some(text) = analysed.about_missing(false) {
        warning(global.color_on_stderr(), &text);
    }
    match &analysed.reduced {
        Some(reduced) => {
            let reports = analysed.reports.iter().map(|(report, _)| report);
            reduced::write(&args.reduced, &model, reduced, reports)?;
        }
        None if args.reduced.property_out.is_some() || args.reduced.picture.is_some() => {
            bail!("only `--algorithm sound` reduces properties");
        }
        None => {}
    }
    if let Some(path) = &args.silenced_out {
        atomic::write(path, residual::silenced_file(&analysed, &model, args.algorithm))?;
    }
    if let Some(path) = &args.certificates {
        atomic::write(path, &analysed.certificates)?;
    }
    let text = match (&args.why, format) {
        (Some(wanted), Format::Human) => why::text(&analysed, wanted)?,
        (Some(_), _) => bail!("--why prints text only"),
        (None, format) => in_format(format, args, &request, &model, &analysed, &own),
    };
    super::print(&text)?;
    Ok(Outcome::Clean)
}

fn in_format(
    format: Format,
    args: &Args,
    request: &Request<'_>,
    model: &Model,
    analysed: &Analysed,
    own: &Classes,
) -> String {
    match format {
        Format::Json => to_json(request, model, analysed),
        Format::Human => to_text(args, request, model, analysed),
        Format::Html => html::page(request, model, analysed, own, &args.sources),
    }
}

enum Format {
    Human,
    Json,
    Html,
}

impl Args {
    fn request(&self) -> Request<'_> {
        Request {
            algorithm: self.algorithm,
            reading: self.reading,
            strict: self.strict,
            assume: &self.assume,
            jdk: self.jdk.as_deref(),
            depth: self.reduced.depth,
            cached: !self.no_cache
                && [&self.certificates, &self.check_certificates, &self.safe]
                    .iter()
                    .all(|f| f.is_none()),
            certificates: self.certificates.is_some(),
            ..Request::default()
        }
    }
}

/// The certificates of a file.
fn proofs(path: &Path) -> anyhow::Result<Proofs> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    proof::parse(&text).map_err(|why| anyhow!("{shown}: {why}"))
}

/// What is wrong with certificates that were given, if they do not prove what they say.
fn confirmed(given: &Proofs, analysed: &Analysed) -> Result<(), String> {
    let analysed = |name: &str| {
        let mut reports = analysed.reports.iter().map(|(report, _)| report);
        reports.find(|report| report.name == name && report.unsupported.is_none())
    };
    let mut rejected = std::collections::BTreeSet::new();
    for (name, _) in given.iter() {
        match analysed(name) {
            Some(report) => rejected.extend(report.rejected.iter().cloned()),
            None => return Err(format!("{name} is not an analysed property")),
        }
    }
    match rejected.first() {
        None => Ok(()),
        Some(first) => {
            let count = counted(rejected.len() as u64, "method");
            Err(format!("certificates of {count} not confirmed; the first: {first}"))
        }
    }
}

fn share(part: usize, all: usize) -> String {
    match all {
        0 => "-".to_owned(),
        all => format!("{:.1} %", 100.0 * part as f64 / all as f64),
    }
}

fn to_text(args: &Args, request: &Request<'_>, model: &Model, analysed: &Analysed) -> String {
    let mut out = String::new();
    if let Some(warning) = residual::warning(args.algorithm) {
        let _ = writeln!(out, "warning: {warning}\n");
    }
    let classes = counted(analysed.classes as u64, "class");
    let loading = analysed.loading.as_secs_f64();
    let _ = match analysed.remembered {
        false => writeln!(out, "{classes} read in {loading:.2} s"),
        true => writeln!(out, "{classes}, as analysed before; {loading:.2} s"),
    };
    let mut proven = false;
    for (at, (report, time)) in analysed.reports.iter().enumerate() {
        let silenced = report.silenced();
        let _ = write!(
            out,
            "\n{}: {} in {} of {}, {silenced} silenced ({}), {} left; {:.2} s\n",
            report.name,
            counted(report.sites.len() as u64, "site"),
            counted(report.methods as u64, "method"),
            counted(report.classes as u64, "class"),
            share(silenced, report.sites.len()),
            report.sites.len() - silenced,
            time.as_secs_f64()
        );
        if let Some(why) = &report.unsupported {
            let _ = writeln!(out, "  every site is left: {why}");
            continue;
        }
        if report.sites.is_empty() {
            let why = match report.elsewhere {
                true => residual::ELSEWHERE,
                false => "no instruction of these classes is selected by its events",
            };
            let _ = writeln!(out, "  {why}");
            continue;
        }
        if let Some(why) = &report.coarse {
            let _ = writeln!(
                out,
                "  sites are not analysed one by one, only the residual of the property is: {why}"
            );
        }
        if let Some(others) = residual::beside(report, model, at) {
            let _ = writeln!(out, "  sites are calls; monitored beside: {others}");
        }
        if let Some(reduced) = &analysed.reduced {
            out.push_str(&reduced::line(model, &reduced.properties[at]));
        }
        if report.is_proven() && args.algorithm == Algorithm::Sound {
            proven |= analysed.is_proven(report);
            let line = match analysed.is_whole() {
                false => "not proven: classes are missing, or could not be read".to_owned(),
                true if analysed.is_mistaken(report) => {
                    "not proven: it names a method or field that does not exist".to_owned()
                }
                true => {
                    let assumed = residual::assumed_of(request, model, PropertyId::from_index(at));
                    format!("proven: no run of these classes can violate it, {assumed}")
                }
            };
            let _ = writeln!(out, "  {line}");
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
        for (why, n) in reasons.iter().take(REASONS) {
            let _ = writeln!(out, "  {n:6} left, {why}");
        }
        if let [_, ..] = reasons.get(REASONS..).unwrap_or_default() {
            let others = reasons[REASONS..].iter().map(|(_, n)| n).sum::<usize>();
            let _ = writeln!(out, "  {others:6} left, for other reasons; --sites lists all");
        }
        for blocker in &report.blockers {
            let _ = write!(
                out,
                "  {:6} held back by `{}` at {}",
                blocker.holds, blocker.event, blocker.place
            );
            if let Some(object) = &blocker.object {
                let _ = write!(out, " of {object}");
            }
            let _ = match blocker.alone {
                0 => writeln!(out),
                alone => writeln!(out, "; {alone} by nothing else"),
            };
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
        for assumption in residual::assumptions(request, model) {
            let _ = writeln!(out, "  - {} ({})", assumption.text, assumption.name);
        }
    }
    out
}

/// So many reasons are told of sites that are left, the commonest ones.
const REASONS: usize = 6;

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

fn blocker(blocker: &Blocker) -> Json {
    Json::object([("event", blocker.event.as_str().into())])
        .with("place", blocker.place.as_str())
        .with_some("object", blocker.object.as_deref())
        .with("holds", blocker.holds as u64)
        .with("alone", blocker.alone as u64)
}

fn to_json(request: &Request<'_>, model: &Model, analysed: &Analysed) -> String {
    let number = |n: usize| Json::from(n as u64);
    let mut properties = Vec::new();
    let mut sites = Vec::new();
    for (at, (report, time)) in analysed.reports.iter().enumerate() {
        let reduced = analysed.reduced.as_ref().map(|r| &r.properties[at]);
        let silenced = report.silenced();
        let all = report.sites.len();
        let proven = analysed.is_proven(report) && request.algorithm == Algorithm::Sound;
        properties.push(
            Json::object([("name", report.name.as_str().into()), ("proven", proven.into())])
                .with("sites", number(all))
                .with("silenced", number(silenced))
                .with("left", number(all - silenced))
                .with("references", number(report.references))
                .with("classes", number(report.classes))
                .with("methods", number(report.methods))
                .with("seconds", Json::Number(format!("{:.3}", time.as_secs_f64())))
                .with_some("unsupported", report.unsupported.as_deref())
                .with_some("coarse", report.coarse.as_deref())
                .with_some("residual", reduced.map(|r| reduced::json(model, r)))
                .with("blockers", report.blockers.iter().map(blocker).collect::<Vec<Json>>()),
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
    let algorithm = request.algorithm.to_possible_value();
    let algorithm = algorithm.map_or(String::new(), |v| v.get_name().to_owned());
    let assumed = residual::assumptions(request, model)
        .into_iter()
        .map(|a| Json::from(a.text))
        .collect::<Vec<_>>();
    let json = Json::object([("watchword", 1u64.into()), ("algorithm", algorithm.as_str().into())])
        .with("properties", properties)
        .with("sites", sites)
        .with("assumptions", assumed)
        .with("missing", analysed.missing.iter().map(|n| n.as_str().into()).collect::<Vec<Json>>())
        .with(
            "unreadable",
            analysed.broken.iter().map(|b| b.0.as_str().into()).collect::<Vec<Json>>(),
        )
        .with_some("warning", residual::warning(request.algorithm));
    format!("{json}\n")
}
