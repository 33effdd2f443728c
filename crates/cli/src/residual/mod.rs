//! Residual analysis as `analyze`, `java --residual` and `weave --residual` run it: on classes of
//! files, with a cache.

mod cache;
mod java_path;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use watchword_classfile::ClassFile;
use watchword_model::{Model, Origin, PointKind, Property, PropertyId, Source};
use watchword_residual::analysis::{
    self, Asked, Assumed, PropertyReport, Shared, SiteReport, Status,
};
use watchword_residual::date::jvm::{ASSUMPTION, Residual as Reduced};
use watchword_residual::equality;
use watchword_residual::jvm::program::Program;
use watchword_residual::model::SafeList;
use watchword_residual::paper::{self, Reading};
use watchword_residual::proof::{Proof, Proofs};
use watchword_spec::diagnostic::nearest;
use watchword_weave::{ClassFacts, Hierarchy, hash, is_jdk, members};

use crate::args::Global;
use crate::classes::{self, Classes};
use crate::output::progress::Progress;
use crate::output::style::counted;
use crate::reduced::{self, Depth};

/// Why nothing is left out if properties run code of their own.
pub const JAVA_CODE: &str =
    "the Java code of the properties may do anything with the objects of the program";

pub use java_path::{archives, class_path, class_path_unknown};

/// An analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    /// Proven: full and residual monitoring report the same.
    #[default]
    Sound,
    /// Reachability as published with BISM; not sound.
    BismPaper,
    /// Clara's Quick Check: which events can matter, given those that occur.
    ClaraQuick,
}

/// How Definition 8 of the reachability paper is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PaperReading {
    /// As the text around it says: an escape leads to every reachable state.
    #[default]
    Text,
    /// As the formula says: to every reachable state but the final ones.
    Formula,
}

/// What may be assumed beside what is always assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Assumption {
    /// Only one thread uses the objects that properties are about.
    SingleThread,
    /// Reflection neither calls methods of the program nor reaches its fields.
    NoReflection,
}

/// What is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'r> {
    /// How to analyse.
    pub algorithm: Algorithm,
    /// For the published analysis.
    pub reading: PaperReading,
    /// Whether iterators of collections of unknown class may be shared.
    pub strict: bool,
    /// What may be assumed.
    pub assume: &'r [Assumption],
    /// The JDK.
    pub jdk: Option<&'r Path>,
    /// Whether missing classes may do anything: it is not detected whether they run.
    pub distrust_missing: bool,
    /// How far the properties themselves are reduced.
    pub depth: Depth,
    /// Whether earlier results are used, and this one is kept.
    pub cached: bool,
    /// What does not escape, for the published analysis; calls of the JDK if left out.
    pub safe: Option<&'r SafeList>,
    /// Whether certificates are written down.
    pub certificates: bool,
    /// Certificates to check, instead of finding them.
    pub given: Option<&'r Proofs>,
}

impl Request<'_> {
    /// Whether something may be assumed.
    fn assumes(&self, what: Assumption) -> bool {
        self.assume.contains(&what)
    }
}

/// The instructions that a file says are no escapes; calls of the JDK without a file.
pub fn safe_list(file: Option<&Path>) -> anyhow::Result<SafeList> {
    let Some(path) = file else { return Ok(SafeList::jdk()) };
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    SafeList::parse(&text).map_err(|why| anyhow!("{shown}: {why}"))
}

/// What came of it.
pub struct Analysed {
    /// By property, in the order of the model.
    pub reports: Vec<(PropertyReport, Duration)>,
    /// What is left of the properties themselves; only the sound analysis says.
    pub reduced: Option<Reduced>,
    /// How many classes were read.
    pub classes: usize,
    /// Classes that could not be read, and why.
    pub broken: Vec<(String, String)>,
    /// Classes that these name and that are missing.
    pub missing: Vec<String>,
    /// Properties that name what their classes do not have, and what, in words.
    pub mistaken: Vec<(String, String)>,
    /// Names, with dots, and hashes of all class files.
    pub hashes: Vec<(String, u64)>,
    /// Whether the result is an earlier one.
    pub remembered: bool,
    /// How long it took to read the classes.
    pub loading: Duration,
    /// The certificates, as a file has them, if they were asked for.
    pub certificates: String,
}

impl Analysed {
    /// Whether no class is missing or unreadable.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.broken.is_empty()
    }

    /// Whether nothing can be reported of a property, and that says something: all classes are there,
    /// and it names what they have.
    pub fn is_proven(&self, report: &PropertyReport) -> bool {
        report.is_proven() && self.is_whole() && !self.is_mistaken(report)
    }

    /// Whether a property names what its classes do not have.
    pub fn is_mistaken(&self, report: &PropertyReport) -> bool {
        self.mistaken.iter().any(|(property, _)| *property == report.name)
    }

    /// What to tell about classes that are missing: whether the analysis assumes that they may do
    /// anything, or their behaviour is not analysed.
    pub fn about_missing(&self, distrusted: bool) -> Option<String> {
        const SHOWN: usize = 3;
        let first = self.missing.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        let more = if self.missing.len() > SHOWN { ", …" } else { "" };
        Some(match self.missing.len() {
            0 => return None,
            1 => {
                let then = match distrusted {
                    true => "the analysis assumes that it may do anything",
                    false => "its behaviour is not analysed",
                };
                format!("{first} is missing, but these classes use it: {then}; add it with --cp")
            }
            count => {
                let then = match distrusted {
                    true => "the analysis assumes that they may do anything",
                    false => "their behaviour is not analysed",
                };
                format!(
                    "{count} classes that these classes use are missing ({first}{more}): {then}; add them with --cp"
                )
            }
        })
    }
}

/// Analyses classes for all properties of a model.
pub fn analyse(
    request: &Request<'_>,
    model: &Model,
    own: &Classes,
    beside: &Classes,
    global: &Global,
) -> anyhow::Result<Analysed> {
    let begun = Instant::now();
    let hashes = hashes(own, beside);
    let key = request.cached.then(|| cache::key(request, model, own, beside)).flatten();
    if let Some(known) = key.as_ref().and_then(|key| key.load(model)) {
        return Ok(Analysed {
            reports: known.reports,
            reduced: known.reduced,
            classes: known.classes,
            broken: known.broken,
            missing: known.missing,
            mistaken: known.mistaken,
            hashes,
            remembered: true,
            loading: begun.elapsed(),
            certificates: String::new(),
        });
    }
    let platform = classes::platform(request.jdk)?;
    let mut program = Program::new(own.borrowed(), beside.borrowed(), &*platform, !request.strict);
    if request.assumes(Assumption::NoReflection) {
        program.ignore_reflection();
    }
    if request.distrust_missing {
        program.distrust_missing();
    }
    let loading = begun.elapsed();
    let mut reports = Vec::new();
    let mut certificates = String::new();
    let shared = Shared::of((0..model.properties.len()).map(PropertyId::from_index).collect());
    for index in 0..model.properties.len() {
        let property = PropertyId::from_index(index);
        let begun = Instant::now();
        let report = match request.algorithm {
            Algorithm::Sound => {
                let mut progress = Progress::counting(!global.quiet, None, "methods");
                let mut tell = |done, all| progress.part(done as u64, all as u64);
                let name = &model.properties[index].name;
                let _ = writeln!(certificates, "property\t{name}");
                let mut keep = |proof: Proof| certificates.push_str(&proof.to_text());
                let asked = Asked {
                    alone: request.assumes(Assumption::SingleThread),
                    progress: &mut tell,
                    keep: request.certificates.then_some(&mut keep),
                    given: request.given,
                    shared: &shared,
                };
                analysis::analyse_as(&program, model, property, asked)
            }
            Algorithm::ClaraQuick => paper::quick(&program, model, property),
            Algorithm::BismPaper => {
                let reading = match request.reading {
                    PaperReading::Text => Reading::Text,
                    PaperReading::Formula => Reading::Formula,
                };
                let jdk = SafeList::jdk();
                let safe = request.safe.unwrap_or(&jdk);
                paper::reachability(&program, model, property, reading, safe)
            }
        };
        reports.push((report, begun.elapsed()));
    }
    // Properties themselves are reduced for the program that the other tiers leave.
    let reduced = (request.algorithm == Algorithm::Sound).then(|| {
        let begun = Instant::now();
        let known = reports.iter_mut().map(|(report, _)| report);
        let reduced = reduced::analyse(&program, model, known, request.depth);
        if let Some((_, time)) = reports.last_mut() {
            *time += begun.elapsed();
        }
        reduced
    });
    let analysed = Analysed {
        reports,
        reduced,
        classes: program.code.classes.len(),
        broken: program.code.broken.clone(),
        missing: program.missing().to_vec(),
        mistaken: mistaken(&program, model),
        hashes,
        remembered: false,
        loading,
        certificates,
    };
    if let Some(key) = key {
        key.store(&analysed);
    }
    Ok(analysed)
}

/// What properties name and their classes do not have: what is proven of them means nothing.
fn mistaken(program: &Program<'_>, model: &Model) -> Vec<(String, String)> {
    let near = |name: &str, names: &[String]| {
        nearest(name, names.iter().map(String::as_str)).map(str::to_string)
    };
    let all = model.properties.iter();
    let told = |p: &Property| {
        let text = members::mistaken(model, p, &|_| false, &Known(program), &near)?;
        Some((p.name.clone(), text))
    };
    all.filter_map(told).collect()
}

/// The classes of a program and of its JDK.
struct Known<'k, 'a>(&'k Program<'a>);

impl Hierarchy for Known<'_, '_> {
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        let facts = match self.0.class_file(name) {
            Some(class) => ClassFacts::of(class),
            None => ClassFacts::of(&ClassFile::parse(&self.0.types.platform_class(name)?).ok()?),
        };
        facts.ok().map(Arc::new)
    }
}

/// The classes by name; of two of the same name the first counts.
fn hashes(own: &Classes, beside: &Classes) -> Vec<(String, u64)> {
    let mut seen = std::collections::HashSet::new();
    let mut all = Vec::new();
    for (_, bytes) in own.0.iter().chain(&beside.0) {
        let Ok(class) = ClassFile::parse(bytes) else { continue };
        let Ok(name) = class.name() else { continue };
        let name = name.to_str().replace('/', ".");
        if seen.insert(name.clone()) {
            all.push((name, hash(bytes)));
        }
    }
    all
}

/// What must be told about an analysis that is not sound.
pub fn warning(algorithm: Algorithm) -> Option<&'static str> {
    match algorithm {
        Algorithm::BismPaper => Some(
            "this published analysis is not sound: it may silence sites that matter; see docs/residual.md",
        ),
        Algorithm::Sound | Algorithm::ClaraQuick => None,
    }
}

/// What results about these properties assume.
pub fn assumptions(request: &Request<'_>, model: &Model) -> Vec<Assumed> {
    match request.algorithm {
        Algorithm::Sound => {
            let alone = request.assumes(Assumption::SingleThread);
            let unreflected = request.assumes(Assumption::NoReflection);
            let mut all = analysis::assumptions(!request.strict, alone, unreflected);
            all.push(ASSUMPTION);
            if equality::compares(model) {
                all.push(equality::ASSUMPTION);
            }
            all
        }
        _ => vec![Assumed {
            name: "same classes",
            text: "the program runs exactly the analysed classes",
        }],
    }
}

/// What the proof of one property assumes, in a line: the names of the assumptions.
pub fn assumed_of(request: &Request<'_>, model: &Model, property: PropertyId) -> String {
    let compares = equality::compares_objects(model, &model.properties[property.index()]);
    let all = assumptions(request, model).into_iter();
    let all = all.filter(|assumed| compares || *assumed != equality::ASSUMPTION);
    format!("assuming {}", all.map(|assumed| assumed.name).collect::<Vec<_>>().join(", "))
}

/// What a property says, however it is written down; `None` if no `.ww` file can say it.
pub fn said(model: &Model, property: &str) -> Option<String> {
    let mut alone = model.clone();
    alone.properties.retain(|p| p.name == property);
    watchword_spec::convert::to_ww_of_used(&alone).ok()
}

/// The silenced sites and the hashes of the classes and properties, as `--silenced` reads them.
pub fn silenced_file(analysed: &Analysed, model: &Model, algorithm: Algorithm) -> String {
    let mut out = String::from("# property class method+descriptor offset event\n");
    if let Some(warning) = warning(algorithm) {
        let name = algorithm.to_possible_value();
        let name = name.map_or(String::new(), |value| value.get_name().to_owned());
        let _ = writeln!(out, "# {warning}\nunsound\t{name}");
    }
    for (report, _) in &analysed.reports {
        if analysed.is_proven(report) && algorithm == Algorithm::Sound {
            let _ = writeln!(out, "# {} is proven: none of its sites is left", report.name);
        }
        for site in &report.sites {
            if let Status::Silenced(_) = site.status {
                let SiteReport { class, method, descriptor, offset, event, .. } = site;
                let name = &report.name;
                let _ = writeln!(out, "{name}\t{class}\t{method}{descriptor}\t{offset}\t{event}");
            }
        }
    }
    out.push_str("# the properties and classes that were analysed\n");
    let left = analysed.reduced.as_ref().and_then(|reduced| {
        let reports = analysed.reports.iter().map(|(report, _)| report);
        crate::reduced::left(reduced, reports)
    });
    for (report, _) in &analysed.reports {
        // What `--property-out` writes of a property counts as the property.
        let texts = [Some(model), left.as_ref()].into_iter().flatten();
        let texts: BTreeSet<String> = texts.filter_map(|m| said(m, &report.name)).collect();
        for text in texts {
            let hash = hash(text.as_bytes());
            let _ = writeln!(out, "property\t{}\t{hash:016x}", report.name);
        }
    }
    for (class, hash) in &analysed.hashes {
        let _ = writeln!(out, "class\t{class}\t{hash:016x}");
    }
    out
}

/// What a run needs: the silenced sites, and which properties are proven.
pub struct Residual {
    /// As `--silenced` has it.
    pub silenced: String,
    /// By property: nothing is left of its sites.
    pub proven: Vec<bool>,
    /// What to tell: a line per property, then what proofs assume.
    pub lines: Vec<String>,
}

/// Analyses a program that is about to be run or woven.
pub fn for_run(
    request: &Request<'_>,
    model: &Model,
    paths: &[PathBuf],
    beside: &[PathBuf],
    scope: &[String],
    global: &Global,
) -> anyhow::Result<Residual> {
    for pattern in scope.iter().filter(|p| !p.starts_with('!')) {
        let class = pattern.replace(['*', '?'], "x");
        if is_jdk(&class) || pattern.starts_with(['*', '?', '{']) {
            bail!("--scope {pattern}: --residual does not analyse the JDK's own classes");
        }
    }
    // What is woven ahead is not compared with what was analysed when it loads, so it is read again.
    let compared = request.cached && !request.distrust_missing && beside.is_empty();
    let key = compared.then(|| cache::key_of_files(request, model, paths)).flatten();
    if let Some(known) = key.as_ref().and_then(|key| key.load()) {
        return Ok(known);
    }
    let release = request.jdk.map_or(classes::RELEASE, classes::release_of);
    let own = Classes::read_for(paths, release)?;
    let beside = Classes::read_for(beside, release)?;
    let analysed = analyse(request, model, &own, &beside, global)?;
    let mut lines: Vec<String> = analysed
        .broken
        .iter()
        .map(|(place, why)| format!("{place}: not analysed, fully monitored: {why}"))
        .collect();
    lines.extend(analysed.about_missing(request.distrust_missing));
    lines.extend(analysed.mistaken.iter().map(|(_, text)| text.clone()));
    let mut proven = Vec::new();
    // One without a site says so, many do it together.
    let absent = |report: &PropertyReport| {
        report.sites.is_empty() && !report.elsewhere && report.unsupported.is_none()
    };
    let absentees = analysed.reports.iter().filter(|(report, _)| absent(report)).count();
    for (at, (report, _)) in analysed.reports.iter().enumerate() {
        let is_proven = analysed.is_proven(report);
        proven.push(is_proven);
        if absent(report) && absentees > MAX_ABSENTEES {
            continue;
        }
        let reduced = analysed.reduced.as_ref().and_then(|r| r.properties.get(at));
        let mut told = tell(report, is_proven, model, at);
        if is_proven {
            told += &format!(", {}", assumed_of(request, model, PropertyId::from_index(at)));
        }
        lines.push(told + &reduced.map_or(String::new(), reduced::beside));
    }
    if absentees > MAX_ABSENTEES {
        lines.push(format!("and {absentees} properties without a site"));
    }
    if proven.contains(&true) {
        let all = assumptions(request, model).into_iter();
        let assumed: Vec<String> = all.map(|a| format!("{} ({})", a.text, a.name)).collect();
        lines.push(format!("proven assuming that {}", assumed.join("; ")));
    }
    let silenced = silenced_file(&analysed, model, request.algorithm);
    let found = Residual { silenced, proven, lines };
    if let Some(key) = key {
        key.store(&found);
    }
    Ok(found)
}

/// Up to this number, properties without a site are listed one by one.
const MAX_ABSENTEES: usize = 3;

/// One line about a property.
fn tell(report: &PropertyReport, is_proven: bool, model: &Model, at: usize) -> String {
    let (silenced, all) = (report.silenced() as u64, report.sites.len() as u64);
    let name = &report.name;
    if let Some(why) = &report.unsupported {
        return format!("{name}: every site is monitored: {why}");
    }
    let sites = counted(all, "site");
    match beside(report, model, at) {
        _ if all == 0 && report.elsewhere => format!("{name}: {ELSEWHERE}"),
        _ if all == 0 => format!("{name}: no site"),
        _ if is_proven && all == 1 => format!("{name}: proven: its site cannot be reported"),
        _ if is_proven => format!("{name}: proven: none of its {sites} can be reported"),
        Some(others) => {
            format!("{name}: {silenced} of {sites} at calls silenced; monitored beside: {others}")
        }
        None if report.coarse.is_some() && silenced == 0 => {
            format!("{name}: none of {sites} silenced; `analyze` gives the reasons")
        }
        None => format!("{name}: {silenced} of {sites} silenced"),
    }
}

/// The message for a property without a site at a call.
pub const ELSEWHERE: &str = "no call to silence: its sites are not calls, are method references or are in other classes; all of them are monitored";

/// What is monitored of a property beside the sites that are counted, which are calls.
pub fn beside(report: &PropertyReport, model: &Model, at: usize) -> Option<String> {
    let references = report.references as u64;
    let references = (references > 0).then(|| counted(references, "method reference"));
    let others = has_others(model, &model.properties[at]).then(|| "sites that are no calls".into());
    let all: Vec<String> = references.into_iter().chain(others).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Whether events of a property happen at sites that are not analysed: executions, handlers and
/// others that are no calls. (Class initialisers are calls to properties that name methods.)
fn has_others(model: &Model, property: &Property) -> bool {
    let sources =
        property.alphabet.iter().flat_map(|o| match &model.events[o.event.index()].origin {
            Origin::World(sources) => &sources[..],
            _ => &[],
        });
    let mut points = sources.filter_map(|source| match source {
        Source::Jvm(source) => Some(&source.point),
        _ => None,
    });
    points.any(|point| !matches!(point.kind, PointKind::Call | PointKind::ClassInit))
}
