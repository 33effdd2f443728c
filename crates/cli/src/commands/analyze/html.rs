//! One page: every site in green or red, in its source or its bytecode, beside the automaton.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use watchword_classfile::{ClassFile, Constants, Member};
use watchword_model::Model;
use watchword_residual::analysis::{PropertyReport, SiteReport, Status};
use watchword_residual::jvm::program::instructions;
use watchword_view::report::escape;
use watchword_view::{automaton, svg};

use super::{kind, share};
use crate::classes::Classes;
use crate::output::style::counted;
use crate::residual::{self, Algorithm, Analysed, Request};

const STYLE: &str = include_str!("html.css");
/// Classes beyond this many are counted only: the page should still open.
const MAX_CLASSES: usize = 300;
/// Lines of source around a site.
const AROUND: u32 = 2;

/// The page.
pub fn page(
    request: &Request<'_>,
    model: &Model,
    analysed: &Analysed,
    own: &Classes,
    sources: &[PathBuf],
) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <title>Watchword: residual analysis</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{STYLE}{}</style>\n</head>\n<body>\n<h1>Sites that need not be monitored</h1>\n\
         <p class=\"soft\">{}. <span class=\"good\">Green</span> sites are silenced{}. \
         <span class=\"bad\">Red</span> sites are left, for the reason below them.</p>\n",
        svg::STYLE,
        counted(analysed.classes as u64, "class"),
        match residual::warning(request.algorithm) {
            None => ": with or without them, the monitor makes the same reports",
            Some(_) => "",
        }
    );
    if let Some(warning) = residual::warning(request.algorithm) {
        let _ = writeln!(out, "<p class=\"bad\">{}</p>", escape(warning));
    }
    let files: HashMap<String, &[u8]> = own
        .0
        .iter()
        .filter_map(|(_, bytes)| {
            let class = ClassFile::parse(bytes).ok()?;
            Some((class.name().ok()?.to_str().replace('/', "."), bytes.as_slice()))
        })
        .collect();
    let lines = Lines { folders: sources, read: HashMap::new() };
    let mut page = Page { out, files, lines };
    let is_proven = |report: &PropertyReport| {
        analysed.is_proven(report) && request.algorithm == Algorithm::Sound
    };
    summary(&mut page.out, analysed, &is_proven);
    for (index, (report, time)) in analysed.reports.iter().enumerate() {
        // The summary has said all there is to say.
        if report.sites.is_empty() {
            continue;
        }
        let proven = is_proven(report);
        let picture = svg::inline(&automaton::diagram(model, &model.properties[index], &[]));
        page.property(report, proven, time.as_secs_f64(), &picture);
    }
    let mut out = page.out;
    out.push_str("<h2>Assumptions</h2>\n<ul>\n");
    for assumption in residual::assumptions(request, model) {
        let _ = writeln!(out, "<li>{}</li>", escape(assumption.text));
    }
    out.push_str("</ul>\n</body>\n</html>\n");
    out
}

/// What came of each property: a table that links to what follows, and the names of those that have no
/// site.
fn summary(out: &mut String, analysed: &Analysed, is_proven: &dyn Fn(&PropertyReport) -> bool) {
    let reports = || analysed.reports.iter().map(|(report, _)| report);
    let with_sites: Vec<&PropertyReport> = reports().filter(|r| !r.sites.is_empty()).collect();
    if !with_sites.is_empty() {
        out.push_str(
            "<table class=\"summary\">\n<tr><th>Property</th><th class=\"n\">Sites</th>\
             <th class=\"n\">Silenced</th><th class=\"n\">Left</th><th></th></tr>\n",
        );
    }
    for report in &with_sites {
        let (all, silenced) = (report.sites.len(), report.silenced());
        let said = match &report.unsupported {
            Some(why) => format!("<span class=\"bad\">{}</span>", escape(why)),
            None if is_proven(report) => "<span class=\"good\">proven</span>".to_string(),
            None => String::new(),
        };
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#{name}\">{name}</a></td><td class=\"n\">{all}</td>\
             <td class=\"n\">{silenced} ({})</td><td class=\"n\">{}</td><td>{said}</td></tr>",
            share(silenced, all),
            all - silenced,
            name = escape(&report.name),
        );
    }
    if !with_sites.is_empty() {
        out.push_str("</table>\n");
    }
    let without: Vec<String> =
        reports().filter(|r| r.sites.is_empty()).map(|r| escape(&r.name)).collect();
    if !without.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"soft\">No site in these classes, so nothing to monitor: {}</p>",
            without.join(", ")
        );
    }
}

struct Page<'p> {
    out: String,
    files: HashMap<String, &'p [u8]>,
    lines: Lines<'p>,
}

/// Sites of one method, by name and descriptor.
type Methods<'s> = BTreeMap<(&'s str, &'s str), Vec<&'s SiteReport>>;

impl Page<'_> {
    fn property(&mut self, report: &PropertyReport, proven: bool, seconds: f64, picture: &str) {
        let (all, silenced) = (report.sites.len(), report.silenced());
        let out = &mut self.out;
        let _ = writeln!(
            out,
            "<h2 id=\"{name}\">{name}</h2>\n<p>{} in {} of {}: {silenced} silenced ({}), {} left; \
             {seconds:.2} s</p>",
            counted(all as u64, "site"),
            counted(report.methods as u64, "method"),
            counted(report.classes as u64, "class"),
            share(silenced, all),
            all - silenced,
            name = escape(&report.name),
        );
        let percent = 100.0 * silenced as f64 / all.max(1) as f64;
        let _ = writeln!(out, "<div class=\"bar\"><div style=\"width:{percent:.1}%\"></div></div>");
        if let Some(why) = &report.unsupported {
            let _ = writeln!(out, "<p class=\"bad\">every site is left: {}</p>", escape(why));
        } else if proven {
            out.push_str("<p class=\"good\">proven: no run of these classes can violate it</p>\n");
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for site in &report.sites {
            if let Status::Left(why) = &site.status {
                *reasons.entry(kind(why)).or_default() += 1;
            }
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        out.push_str("<div class=\"side\"><div>\n<table>\n");
        for (why, count) in reasons.iter().take(12) {
            let _ = writeln!(out, "<tr><td class=\"n\">{count}</td><td>{}</td></tr>", escape(why));
        }
        out.push_str("</table>\n");
        let mut classes: BTreeMap<&str, Methods<'_>> = BTreeMap::new();
        for site in &report.sites {
            let methods = classes.entry(&site.class).or_default();
            methods.entry((&site.method, &site.descriptor)).or_default().push(site);
        }
        for (class, methods) in classes.iter().take(MAX_CLASSES) {
            self.class(class, methods);
        }
        if classes.len() > MAX_CLASSES {
            let more = counted((classes.len() - MAX_CLASSES) as u64, "more class");
            let _ = writeln!(self.out, "<p class=\"soft\">and {more}</p>");
        }
        let _ = writeln!(self.out, "</div><aside>{picture}</aside></div>");
    }

    fn class(&mut self, class: &str, methods: &Methods<'_>) {
        let sites = methods.values().flatten();
        let (mut all, mut silenced) = (0, 0);
        for site in sites {
            all += 1;
            silenced += usize::from(matches!(site.status, Status::Silenced(_)));
        }
        let tone = if silenced == all { "good" } else { "bad" };
        let _ = writeln!(
            self.out,
            "<details><summary>{} <span class=\"{tone}\">{silenced} of {all} silenced</span></summary>",
            escape(class)
        );
        for ((method, descriptor), sites) in methods {
            let _ = writeln!(
                self.out,
                "<h3>{}<span class=\"soft\">{}</span></h3>",
                escape(method),
                escape(descriptor)
            );
            if !self.source(class, sites) {
                self.bytecode(class, method, descriptor, sites);
            }
        }
        self.out.push_str("</details>\n");
    }

    /// The lines of the sites and those around them; false if there is no source.
    fn source(&mut self, class: &str, sites: &[&SiteReport]) -> bool {
        let Some(file) = sites.first().and_then(|s| s.file.as_deref()) else { return false };
        let mut by_line: BTreeMap<u32, Vec<&SiteReport>> = BTreeMap::new();
        for site in sites {
            by_line.entry(site.line.unwrap_or(0)).or_default().push(site);
        }
        let (Some(first), Some(last)) = (by_line.keys().next(), by_line.keys().last()) else {
            return false;
        };
        let Some(lines) = self.lines.of(class, file) else { return false };
        if *first == 0 || *last as usize > lines.len() {
            return false;
        }
        let near = |number: u32| {
            by_line.range(number.saturating_sub(AROUND)..=number + AROUND).next().is_some()
        };
        let mut text = String::from("<pre>");
        let end = (last + AROUND).min(lines.len() as u32);
        let mut gap = false;
        for number in first.saturating_sub(AROUND).max(1)..=end {
            if !near(number) {
                if !std::mem::replace(&mut gap, true) {
                    text.push_str("<span class=\"soft\">   …</span>");
                }
                continue;
            }
            gap = false;
            let here = by_line.get(&number).map_or(&[][..], Vec::as_slice);
            let _ = write!(
                text,
                "<span{}>{number:5}  {}{}</span>",
                tone(here),
                escape(&lines[number as usize - 1]),
                remarks(here)
            );
        }
        text.push_str("</pre>\n");
        self.out.push_str(&text);
        true
    }

    fn bytecode(&mut self, class: &str, method: &str, descriptor: &str, sites: &[&SiteReport]) {
        let Some(bytes) = self.files.get(class) else { return };
        let Ok(class) = ClassFile::parse(bytes) else { return };
        let Some(member) = class.method(method, descriptor) else { return };
        let Ok(code) = instructions(member) else { return };
        let mut text = String::from("<pre>");
        for instruction in &code {
            let here: Vec<&SiteReport> =
                sites.iter().copied().filter(|s| s.offset == instruction.offset).collect();
            let _ = write!(
                text,
                "<span{}>{:5}  {}{}{}</span>",
                tone(&here),
                instruction.offset,
                instruction.opcode.mnemonic(),
                escape(&operand(member, instruction)),
                remarks(&here)
            );
        }
        text.push_str("</pre>\n");
        self.out.push_str(&text);
    }
}

/// What an instruction names.
fn operand(method: Member<'_, '_>, instruction: &watchword_classfile::Instruction<'_>) -> String {
    let pool = method.class().pool();
    if let Some(index) = instruction.constant() {
        if let Ok(member) = pool.member(index) {
            return format!(" {}.{}{}", member.class, member.name, member.descriptor);
        }
        if let Ok(name) = pool.class_name(index) {
            return format!(" {name}");
        }
    }
    let targets: Vec<String> = instruction.targets().map(|t| t.to_string()).collect();
    match (instruction.local(), targets.is_empty()) {
        (_, false) => format!(" {}", targets.join(" ")),
        (Some(local), _) => format!(" {local}"),
        _ => String::new(),
    }
}

/// The class of a line with some sites.
fn tone(sites: &[&SiteReport]) -> &'static str {
    match sites {
        [] => "",
        _ if sites.iter().all(|s| matches!(s.status, Status::Silenced(_))) => " class=\"silenced\"",
        _ => " class=\"left\"",
    }
}

/// What there is to say about sites, behind their line.
fn remarks(sites: &[&SiteReport]) -> String {
    let mut out = String::new();
    for site in sites {
        let _ = match &site.status {
            Status::Silenced(tier) => {
                write!(out, "  <small>{} silenced by {}</small>", escape(&site.event), tier.name())
            }
            Status::Left(why) => {
                write!(out, "  <small>{} left: {}</small>", escape(&site.event), escape(why))
            }
        };
    }
    out
}

/// Sources by class and file name, each read once.
struct Lines<'l> {
    folders: &'l [PathBuf],
    read: HashMap<PathBuf, Option<Vec<String>>>,
}

impl Lines<'_> {
    fn of(&mut self, class: &str, file: &str) -> Option<&[String]> {
        let package = class.rsplit_once('.').map_or(String::new(), |(p, _)| p.replace('.', "/"));
        // A file name of a class file is a name, not a path.
        let name = Path::new(file).file_name()?;
        let mut found = None;
        for folder in self.folders {
            for path in [folder.join(&package).join(name), folder.join(name)] {
                let lines = self.read.entry(path.clone()).or_insert_with(|| {
                    let text = std::fs::read(&path).ok()?;
                    let text = String::from_utf8_lossy(&text).into_owned();
                    Some(text.lines().map(str::to_owned).collect())
                });
                if lines.is_some() && found.is_none() {
                    found = Some(path);
                }
            }
        }
        self.read.get(&found?)?.as_deref()
    }
}
