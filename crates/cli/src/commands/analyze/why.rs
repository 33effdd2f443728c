//! `analyze --why SITE`: what became of single sites, what they depend on, and what would help.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::bail;
use watchword_residual::analysis::{PropertyReport, SiteReport, Status};

use super::{kind, place};
use crate::output::style::counted;
use crate::residual::Analysed;

/// So many steps from site to site are followed.
const MAX_STEPS: usize = 6;

/// What there is to say about the sites that `wanted` names: `File.java`, `File.java:LINE`, `Class` or
/// `Class.method`.
pub fn text(analysed: &Analysed, wanted: &str) -> anyhow::Result<String> {
    let mut out = String::new();
    for (report, _) in &analysed.reports {
        for site in report.sites.iter().filter(|site| is_named(site, wanted)) {
            about(&mut out, report, site);
        }
    }
    if out.is_empty() {
        bail!(
            "--why {wanted}: there is no site at this place; --sites lists the sites that are left"
        );
    }
    Ok(out)
}

/// Whether a site is meant.
fn is_named(site: &SiteReport, wanted: &str) -> bool {
    let file = site.file.as_deref().unwrap_or_default();
    let line = site.line.map(|line| format!("{file}:{line}"));
    let class = site.class.rsplit(['.', '/']).next().unwrap_or_default();
    let method = |class: &str| format!("{class}.{}", site.method);
    file == wanted
        || line.as_deref() == Some(wanted)
        || [class, site.class.as_str()]
            .iter()
            .any(|class| *class == wanted || method(class) == wanted)
}

fn about(out: &mut String, report: &PropertyReport, site: &SiteReport) {
    let _ = write!(out, "{}: {} {}: ", report.name, place(site), site.event);
    let why = match &site.status {
        Status::Silenced(tier) => {
            let _ = writeln!(out, "silenced by {}", tier.name());
            return;
        }
        Status::Left(why) => why,
    };
    let _ = writeln!(out, "left, {why}");
    // From site to site, along the places that reasons name.
    let mut seen = BTreeSet::from([(site.class.as_str(), site.offset, site.event.as_str())]);
    let mut named = places(why);
    let mut steps = 0;
    while let Some(at) = named.pop() {
        for next in report.sites.iter().filter(|next| is_named(next, &at)) {
            let key = (next.class.as_str(), next.offset, next.event.as_str());
            let Status::Left(why) = &next.status else { continue };
            if steps == MAX_STEPS || !seen.insert(key) {
                continue;
            }
            steps += 1;
            let _ = writeln!(out, "  depends on {} {}: {why}", place(next), next.event);
            named.extend(places(why));
        }
    }
    let alike = |other: &&SiteReport| match &other.status {
        Status::Left(other) => kind(other) == kind(why),
        Status::Silenced(_) => false,
    };
    let count = report.sites.iter().filter(alike).count() as u64;
    let _ = writeln!(out, "  {} left for this reason", counted(count, "site"));
    if let Some(help) = help(why) {
        let _ = writeln!(out, "  what would help: {help}");
    }
}

/// The places that a reason names, as `File.java:LINE`.
fn places(why: &str) -> Vec<String> {
    let named = why.split(" at ").skip(1);
    let first = named.filter_map(|rest| rest.split_whitespace().next());
    first.map(str::to_owned).filter(|place| place.contains(':')).collect()
}

/// What the program, or who analyses it, could do about a reason.
fn help(why: &str) -> Option<&'static str> {
    let starts = |text: &str| why.starts_with(text);
    Some(if starts("escapes: stored in field") {
        "keeping the object in a local variable; or, if it belongs to one object only, in a private field that is assigned once and never returned or passed on"
    } else if starts("escapes: captured") || why.contains("lambda") {
        "a loop instead of the lambda, because captured values may be used at any time"
    } else if starts("escapes") {
        "passing or returning a copy instead of the object itself"
    } else if starts("unknown: the object is read from field") {
        "a private field that is assigned only new objects, and whose value is never passed on"
    } else if starts("unknown: the object is returned by") {
        "a method that always returns a new object and stores it nowhere; --cp, if its class was not given"
    } else if starts("unknown") {
        "creating the object in the method that uses it; --assume no-reflection, if reflection calls no methods of the program"
    } else if starts("needed: objects of its slice live on") {
        "keeping the collection and its iterator in the method between these events"
    } else if starts("needed") {
        "--assume single-thread, if only one thread uses these objects; otherwise the events are needed"
    } else {
        return None;
    })
}
