//! One line per property at the end of a run, whatever was checked.

use std::fmt::Write;

use watchword_model::{EventId, Model, Origin, Property, Source};
use watchword_spec::SourceFile;
use watchword_view::{APART, Tally, awaited, text};

use super::style::{Style, counted};

/// The lines. Unless all are wanted, the many properties of a family that a program has nothing to
/// do with are counted, not listed.
pub fn lines(style: Style, model: &Model, tallies: &[Tally], all: bool) -> String {
    let mut out = String::new();
    let is_proven = |t: &&Tally| t.proven && t.sites.unwrap_or(0) == 0;
    let is_silent =
        |t: &&Tally| !is_proven(t) && t.events == 0 && t.violations == 0 && t.satisfactions == 0;
    let proven = tallies.iter().filter(is_proven).count();
    let silent = tallies.iter().filter(is_silent).count();
    let mut listed = 0;
    for (property, tally) in model.properties.iter().zip(tallies) {
        if is_proven(&tally) {
            if all || proven <= APART {
                listed += 1;
                let name = style.bold(&property.name);
                let _ = writeln!(out, "{name}: proven before the run, not monitored");
            }
        } else if all || silent <= APART || !is_silent(&tally) {
            listed += 1;
            line(&mut out, style, model, property, tally);
            if all && !tally.by_event.is_empty() {
                let of = |(event, n): &(EventId, u64)| {
                    format!("{} {}", model.events[event.index()].name, text::count(*n))
                };
                let events: Vec<String> = tally.by_event.iter().map(of).collect();
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

fn line(out: &mut String, style: Style, model: &Model, property: &Property, tally: &Tally) {
    let _ = write!(out, "{}: ", style.bold(&property.name));
    if let Some(sites) = tally.sites {
        let _ = write!(out, "{}, ", counted(sites, "site"));
    }
    let _ = write!(out, "{}", counted(tally.events, "event"));
    if let Some(instances) = tally.instances {
        let _ = write!(out, ", {}", counted(instances, "instance"));
    }
    let violations = counted(tally.violations, "violation");
    let violations = match tally.violations {
        0 => style.good(&violations),
        _ => style.error(&violations),
    };
    let _ = write!(out, ", {violations}{}", in_undone_runs(tally.undone));
    if tally.satisfactions > 0 {
        let _ = write!(out, ", satisfied {}", counted(tally.satisfactions, "time"));
    }
    if let Some(missed) = text::missed(model, &tally.missed) {
        let _ = write!(out, " ({missed})");
    }
    out.push('\n');
}

/// What is said of violations some of which were in runs that were undone.
pub fn in_undone_runs(violations: u64) -> String {
    match violations {
        0 => String::new(),
        n => format!(" ({} in runs that were undone)", text::count(n)),
    }
}

/// How often the events of a property occurred, for those of the world; nothing if it sees only
/// some of them.
pub fn by_event(
    model: &Model,
    property: &Property,
    count: impl Fn(EventId) -> u64,
) -> Vec<(EventId, u64)> {
    if property.alphabet.iter().any(|o| o.filter.is_some()) {
        return Vec::new();
    }
    let of_world = |event: &EventId| matches!(model.events[event.index()].origin, Origin::World(_));
    let events = property.alphabet.iter().map(|o| o.event).filter(of_world);
    events.map(|event| (event, count(event))).collect()
}

/// The events a property needs and did not see, although it saw others: whoever has mistyped a
/// pattern is told so. Program points of shipped properties are not mistyped, and most programs do
/// without some of them.
pub fn missed(
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
