//! Results of earlier analyses, by everything they depend on: the classes, the properties, the JDK,
//! what was asked and this very build of Watchword.
//!
//! What a run needs is also kept by the files that the classes are in, as the file system describes
//! them: a run that finds it need not read the classes at all.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use watchword_model::{EventId, Model, PropertyId, StateId, TransitionId};
use watchword_residual::analysis::{Blocker, PropertyReport, SiteReport, Status, Tier};
use watchword_residual::date::apply::{Lost, without};
use watchword_residual::date::jvm::{PropertyResidual, Residual};

use super::{Analysed, Request, Residual as ForRun};
use crate::classes::{self, Classes};
use crate::jvm::library;
use crate::output::atomic;

/// How many results are kept.
const ROOM: usize = 128;

/// Where the result of an analysis is, if there is one.
pub struct Key(PathBuf);

/// The key of an analysis; `None` if there is no place for a cache.
pub fn key(request: &Request<'_>, model: &Model, own: &Classes, beside: &Classes) -> Option<Key> {
    let mut hasher = asked(request, model)?;
    for classes in [own, beside] {
        classes.0.len().hash(&mut hasher);
        for (place, bytes) in &classes.0 {
            place.hash(&mut hasher);
            bytes.hash(&mut hasher);
        }
    }
    place_for(&hasher, "")
}

/// The key of what a run needs whose classes are in these files and folders. That a file has changed
/// although it looks the same is found out when its classes load.
pub fn key_of_files(request: &Request<'_>, model: &Model, paths: &[PathBuf]) -> Option<FilesKey> {
    let mut hasher = asked(request, model)?;
    for path in paths {
        stamp(path)?.hash(&mut hasher);
        if path.is_dir() {
            for file in classes::files_below(path).ok()? {
                stamp(&path.join(file))?.hash(&mut hasher);
            }
        }
    }
    place_for(&hasher, "-run").map(|Key(path)| FilesKey(path))
}

/// What results depend on beside classes.
fn asked(request: &Request<'_>, model: &Model) -> Option<DefaultHasher> {
    let mut hasher = DefaultHasher::new();
    stamp(&std::env::current_exe().ok()?)?.hash(&mut hasher);
    if let Some(jdk) = request.jdk.map(Path::to_path_buf).or_else(classes::find_jdk) {
        let image = [jdk.join("lib/modules"), jdk.join("jre/lib/rt.jar")];
        image.iter().find_map(|image| stamp(image)).hash(&mut hasher);
    }
    let Request { algorithm, reading, strict, distrust_missing, depth, .. } = request;
    let assumed: BTreeSet<_> = request.assume.iter().map(|what| format!("{what:?}")).collect();
    format!("{algorithm:?} {reading:?} {strict} {assumed:?} {distrust_missing} {depth:?}")
        .hash(&mut hasher);
    format!("{model:?}").hash(&mut hasher);
    Some(hasher)
}

fn place_for(hasher: &DefaultHasher, kind: &str) -> Option<Key> {
    let folder = library::folder().ok()?.join("residual");
    library::private(&folder).ok()?;
    Some(Key(folder.join(format!("{:016x}{kind}", hasher.finish()))))
}

/// What tells a file from what it was before: where it is, its number, its size, and when it and what
/// is known about it changed.
fn stamp(path: &Path) -> Option<(PathBuf, [u64; 3], [i64; 4])> {
    let of = fs::metadata(path).ok()?;
    let times = [of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec()];
    Some((path.to_path_buf(), [of.dev(), of.ino(), of.len()], times))
}

/// A result that was kept.
#[derive(Default)]
pub struct Known {
    pub reports: Vec<(PropertyReport, Duration)>,
    pub reduced: Option<Residual>,
    pub classes: usize,
    pub broken: Vec<(String, String)>,
    pub missing: Vec<String>,
    pub mistaken: Vec<(String, String)>,
}

impl Key {
    /// Keeps a result. That it cannot be kept is no error.
    pub fn store(&self, analysed: &Analysed) {
        keep(&self.0, to_text(analysed));
    }

    /// The result, if it was kept and is whole.
    pub fn load(&self, model: &Model) -> Option<Known> {
        from_text(&fs::read_to_string(&self.0).ok()?, model)
    }
}

/// Where what a run needs is, if it was kept.
pub struct FilesKey(PathBuf);

impl FilesKey {
    /// Keeps what a run needs. That it cannot be kept is no error.
    pub fn store(&self, found: &ForRun) {
        let proven = found.proven.iter().map(|proven| format!(" {proven}")).collect::<String>();
        let mut text = format!("{HEAD_OF_RUNS}\n{}{proven}\n", found.lines.len());
        for line in &found.lines {
            let _ = writeln!(text, "{}", line.replace('\n', " "));
        }
        text.push_str(&found.silenced);
        text.push_str("end\n");
        keep(&self.0, text);
    }

    /// It, if it was kept and is whole.
    pub fn load(&self) -> Option<ForRun> {
        let text = fs::read_to_string(&self.0).ok()?;
        let text = text.strip_suffix("end\n")?.strip_prefix(HEAD_OF_RUNS)?.strip_prefix('\n')?;
        let (numbers, mut rest) = text.split_once('\n')?;
        let mut numbers = numbers.split(' ');
        let count: usize = numbers.next()?.parse().ok()?;
        let proven = numbers.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let mut lines = Vec::new();
        for _ in 0..count {
            let (line, more) = rest.split_once('\n')?;
            lines.push(line.to_string());
            rest = more;
        }
        Some(ForRun { silenced: rest.to_string(), proven, lines })
    }
}

fn keep(place: &Path, text: String) {
    let _ = atomic::write(place, text);
    if let Some(folder) = place.parent() {
        forget_old(folder);
    }
}

/// Leaves the newest results.
fn forget_old(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<_> =
        entries.filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path()))).collect();
    all.sort();
    let superfluous = all.len().saturating_sub(ROOM);
    for (_, path) in &all[..superfluous] {
        let _ = fs::remove_file(path);
    }
}

const HEAD: &str = "watchword residual 9";
const HEAD_OF_RUNS: &str = "watchword residual run 2";
const TIERS: [Tier; 6] = [Tier::T0, Tier::T1a, Tier::T1b, Tier::T1c, Tier::T2, Tier::Residual];

fn to_text(analysed: &Analysed) -> String {
    let mut out = format!("{HEAD}\nclasses\t{}\n", analysed.classes);
    let clean = |text: &str| text.replace(['\t', '\n'], " ");
    for (place, why) in &analysed.broken {
        let _ = writeln!(out, "broken\t{}\t{}", clean(place), clean(why));
    }
    for name in &analysed.missing {
        let _ = writeln!(out, "missing\t{}", clean(name));
    }
    for (property, text) in &analysed.mistaken {
        let _ = writeln!(out, "mistaken\t{}\t{}", clean(property), clean(text));
    }
    for (report, time) in &analysed.reports {
        let [unsupported, coarse] = [&report.unsupported, &report.coarse]
            .map(|why| why.as_deref().map(clean).unwrap_or_default());
        let _ = writeln!(
            out,
            "property\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{unsupported}\t{coarse}",
            clean(&report.name),
            time.as_micros(),
            report.methods,
            report.classes,
            report.points,
            report.elsewhere,
            report.references
        );
        for site in &report.sites {
            let (status, why) = match &site.status {
                Status::Silenced(tier) => (tier.name(), String::new()),
                Status::Left(why) => ("left", clean(why)),
            };
            let _ = writeln!(
                out,
                "site\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{status}\t{why}",
                clean(&site.class),
                clean(&site.method),
                clean(&site.descriptor),
                site.offset,
                clean(&site.event),
                site.file.as_deref().map(clean).unwrap_or_default(),
                site.line.map_or(String::new(), |line| line.to_string()),
            );
        }
        for blocker in &report.blockers {
            let _ = writeln!(
                out,
                "blocker\t{}\t{}\t{}\t{}\t{}",
                clean(&blocker.place),
                clean(&blocker.event),
                blocker.holds,
                blocker.alone,
                blocker.object.as_deref().map(clean).unwrap_or_default(),
            );
        }
    }
    for property in analysed.reduced.iter().flat_map(|r| &r.properties) {
        let lost = &property.lost;
        let _ = writeln!(
            out,
            "lost\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            lost.proven,
            property.elsewhere,
            numbers(lost.transitions.iter().map(|t| t.index())),
            numbers(lost.states.iter().map(|s| s.index())),
            numbers(lost.deadlines.iter().map(|s| s.index())),
            numbers(lost.events.iter().map(|e| e.index())),
            property.unsupported.as_deref().map(clean).unwrap_or_default(),
        );
    }
    out.push_str("end\n");
    out
}

fn numbers(all: impl Iterator<Item = usize>) -> String {
    all.map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
}

/// Numbers below a bound, as they were written.
fn read_numbers<T>(text: &str, bound: usize, of: fn(usize) -> T) -> Option<Vec<T>> {
    let number = |word: &str| word.parse().ok().filter(|n| *n < bound).map(of);
    text.split(' ').filter(|word| !word.is_empty()).map(number).collect()
}

fn from_text(text: &str, model: &Model) -> Option<Known> {
    let text = text.strip_suffix("end\n")?;
    let mut lines = text.lines();
    if lines.next()? != HEAD {
        return None;
    }
    let mut known = Known::default();
    let mut reduced = Vec::new();
    let some = |text: &str| (!text.is_empty()).then(|| text.to_string());
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["classes", count] => known.classes = count.parse().ok()?,
            ["broken", place, why] => known.broken.push((place.into(), why.into())),
            ["missing", name] => known.missing.push(name.into()),
            ["mistaken", property, text] => known.mistaken.push((property.into(), text.into())),
            [
                "property",
                name,
                time,
                methods,
                classes,
                points,
                elsewhere,
                references,
                unsupported,
                coarse,
            ] => {
                let report = PropertyReport {
                    name: name.into(),
                    unsupported: some(unsupported),
                    coarse: some(coarse),
                    sites: Vec::new(),
                    elsewhere: elsewhere.parse().ok()?,
                    references: references.parse().ok()?,
                    methods: methods.parse().ok()?,
                    classes: classes.parse().ok()?,
                    points: points.parse().ok()?,
                    rejected: Vec::new(),
                    blockers: Vec::new(),
                };
                known.reports.push((report, Duration::from_micros(time.parse().ok()?)));
            }
            ["site", class, method, descriptor, offset, event, file, line, status, why] => {
                let status = match TIERS.iter().find(|t| t.name() == status) {
                    Some(tier) => Status::Silenced(*tier),
                    None => Status::Left(why.into()),
                };
                known.reports.last_mut()?.0.sites.push(SiteReport {
                    class: class.into(),
                    method: method.into(),
                    descriptor: descriptor.into(),
                    offset: offset.parse().ok()?,
                    event: event.into(),
                    file: some(file),
                    line: if line.is_empty() { None } else { Some(line.parse().ok()?) },
                    status,
                });
            }
            ["blocker", place, event, holds, alone, object] => {
                known.reports.last_mut()?.0.blockers.push(Blocker {
                    place: place.into(),
                    event: event.into(),
                    object: some(object),
                    holds: holds.parse().ok()?,
                    alone: alone.parse().ok()?,
                });
            }
            ["lost", proven, elsewhere, transitions, states, deadlines, events, unsupported] => {
                let property = PropertyId::from_index(reduced.len());
                let of = model.properties.get(property.index())?;
                let (arrows, places) = (of.transitions.len(), of.states.len());
                reduced.push(PropertyResidual {
                    property,
                    unsupported: some(unsupported),
                    transitions: arrows,
                    states: places,
                    lost: Lost {
                        transitions: read_numbers(transitions, arrows, TransitionId::from_index)?,
                        states: read_numbers(states, places, StateId::from_index)?,
                        deadlines: read_numbers(deadlines, places, StateId::from_index)?,
                        events: read_numbers(events, model.events.len(), EventId::from_index)?,
                        proven: proven.parse().ok()?,
                    },
                    sites: Vec::new(),
                    elsewhere: elsewhere.parse().ok()?,
                });
            }
            _ => return None,
        }
    }
    if !reduced.is_empty() {
        let left = without(model, reduced.iter().map(|p| (p.property, &p.lost)));
        known.reduced = Some(Residual { properties: reduced, model: left });
    }
    Some(known)
}
