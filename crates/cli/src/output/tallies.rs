//! One line per property at the end of a run, whatever was checked.

use std::fmt::Write;

use watchword_model::{EventId, Model, Origin, Property, PropertyId, Source};
use watchword_monitor::{Limit, Totals};
use watchword_spec::SourceFile;
use watchword_view::{APART, Tally, Verdict, awaited, text};

use super::style::{Style, counted};

/// What came of each property, with what its file says of it.
pub fn of(model: &Model, totals: &Totals, files: &[SourceFile]) -> Vec<Tally> {
    let properties = model.properties.iter().enumerate();
    let tally = |(i, property): (usize, &Property)| {
        let totals = totals.properties.get(i).cloned().unwrap_or_default();
        Tally {
            undone: 0,
            proven: property.is_proven(),
            missed: missed(model, property, &totals.by_event, files),
            totals,
        }
    };
    properties.map(tally).collect()
}

/// The lines. Unless all are wanted, the many properties of a family that a program has nothing to
/// do with are counted, not listed.
pub fn lines(
    style: Style,
    model: &Model,
    tallies: &[Tally],
    limits: &[Limit],
    all: bool,
) -> String {
    let mut out = String::new();
    let is_proven = |t: &&Tally| t.proven && t.totals.sites.unwrap_or(0) == 0;
    let has_nothing =
        |t: &Tally| t.totals.events == 0 && t.totals.violations == 0 && t.totals.satisfactions == 0;
    let is_silent = |t: &&Tally| !is_proven(t) && has_nothing(t);
    let proven = tallies.iter().filter(is_proven).count();
    let silent = tallies.iter().filter(is_silent).count();
    let mut listed = 0;
    for (i, (property, tally)) in model.properties.iter().zip(tallies).enumerate() {
        if is_proven(&tally) {
            if all || proven <= APART {
                listed += 1;
                let name = style.bold(&property.name);
                let _ = writeln!(out, "{name}: proven before the run, not monitored");
            }
        } else if all || silent <= APART || !is_silent(&tally) {
            listed += 1;
            let verdict = tally.verdict(model, PropertyId::from_index(i), limits);
            line(&mut out, style, model, property, tally, verdict);
            if all && !tally.totals.by_event.is_empty() {
                let of = |(event, n): &(EventId, u64)| {
                    format!("{} {}", model.events[event.index()].name, text::count(*n))
                };
                let events: Vec<String> = tally.totals.by_event.iter().map(of).collect();
                let _ = writeln!(out, "{}", style.dim(&format!("    {}", events.join(", "))));
            }
        }
    }
    for (folded, what) in
        [(proven, "proven before the run, not monitored"), (silent, "without any event")]
    {
        if !all && folded > APART {
            let and = if listed > 0 { "… and " } else { "" };
            let _ = writeln!(out, "{and}{folded} properties {what} (-v lists them)");
            listed += 1;
        }
    }
    out
}

fn line(
    out: &mut String,
    style: Style,
    model: &Model,
    property: &Property,
    tally: &Tally,
    verdict: Verdict,
) {
    let totals = &tally.totals;
    let _ = write!(out, "{}: ", style.bold(&property.name));
    if let Some(sites) = totals.sites {
        let _ = write!(out, "{}, ", counted(sites, "site"));
    }
    let _ = write!(out, "{}", counted(totals.events, "event"));
    if let Some(instances) = totals.instances {
        let _ = write!(out, ", {}", counted(instances, "instance"));
    }
    let violations = counted(totals.violations, "violation");
    let violations = match totals.violations {
        0 => style.good(&violations),
        _ => style.error(&violations),
    };
    let _ = write!(out, ", {violations}{}", text::in_undone_runs(tally.undone));
    if totals.satisfactions > 0 {
        let _ = write!(out, ", satisfied {}", counted(totals.satisfactions, "time"));
    }
    if verdict == Verdict::Inconclusive {
        let _ = write!(out, ", {}", style.warning(verdict.words()));
    }
    if let Some(missed) = text::missed(model, &tally.missed) {
        let _ = write!(out, " ({missed})");
    }
    out.push('\n');
}

/// The events a property needs and did not see, although it saw others: whoever has mistyped a
/// pattern is told so. Program points of shipped properties are not mistyped, and most programs do
/// without some of them.
fn missed(
    model: &Model,
    property: &Property,
    by_event: &[(EventId, u64)],
    files: &[SourceFile],
) -> Vec<EventId> {
    if by_event.iter().all(|(_, n)| *n == 0) {
        return Vec::new();
    }
    let shipped = is_shipped(property, files);
    let is_known_good = |event: &EventId| {
        let Origin::World(sources) = &model.events[event.index()].origin else { return false };
        let in_logs = sources.iter().any(|s| matches!(s, Source::Log(_)));
        shipped && !sources.is_empty() && !in_logs
    };
    let never = |event: &EventId| by_event.iter().any(|(e, n)| e == event && *n == 0);
    let awaited = awaited(model, property).into_iter();
    awaited.filter(|event| never(event) && !is_known_good(event)).collect()
}

/// Whether a property comes with Watchword.
pub fn is_shipped(property: &Property, files: &[SourceFile]) -> bool {
    let file = files.get(property.span.file.0 as usize);
    file.is_some_and(|file| file.name.starts_with("std/"))
}
