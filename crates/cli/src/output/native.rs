//! What came of a run of a native program.

use std::collections::HashMap;
use std::fmt::Write;

use watchword_model::Model;
use watchword_native::{ArmNote, Found, FrameLine, Monitor};

use super::style::{Style, counted, harmless};
use super::violations::Violations;
use super::{human, style};

/// Verdicts of one set of properties, merged by site, with the backtrace of the first.
#[derive(Debug)]
pub struct Findings {
    /// The violations.
    pub violations: Violations,
    backtraces: HashMap<usize, Vec<FrameLine>>,
    /// Positions that were not shown yet.
    fresh: Vec<usize>,
}

impl Findings {
    /// Nothing yet; at most `limit` violations are kept.
    pub fn new(model: &Model, limit: usize, unique: bool) -> Findings {
        Findings {
            violations: Violations::new(model, &[], limit, unique),
            backtraces: HashMap::new(),
            fresh: Vec::new(),
        }
    }

    /// Takes a verdict.
    pub fn add(&mut self, found: Found) {
        if let Some(at) = self.violations.add(found.report, found.location.as_ref()) {
            self.backtraces.insert(at, found.backtrace);
            self.fresh.push(at);
        }
    }

    /// What was not shown yet, for people.
    pub fn news(&mut self, style: Style, model: &Model) -> String {
        let mut out = String::new();
        for at in std::mem::take(&mut self.fresh) {
            out.push_str(&human::violation(style, model, &self.violations.kept[at]));
            out.push_str(&backtrace(style, self.backtraces.get(&at).map_or(&[], |b| b)));
        }
        out
    }
}

/// A backtrace for people, indented.
pub fn backtrace(style: Style, frames: &[FrameLine]) -> String {
    let mut out = String::new();
    for (i, frame) in frames.iter().enumerate() {
        let line = format!("    #{i:<2} {}", harmless(&frame.to_string()));
        let _ = writeln!(out, "{}", style.dim(&line));
    }
    out
}

/// One line per property.
pub fn summary(style: Style, monitor: &Monitor, violations: &Violations) -> String {
    let mut out = String::new();
    let stats = monitor.engine.stats();
    for (i, property) in monitor.model.properties.iter().enumerate() {
        let n = violations.counts[i];
        let text = counted(n, "violation");
        let text = if n > 0 { style.error(&text) } else { style.good(&text) };
        let is_global = monitor.model.params(property.context).is_empty();
        // The instance that binds nothing is nobody's, unless there can be no other.
        let instances = stats[i].created.saturating_sub(u64::from(!is_global));
        let _ = write!(
            out,
            "{}: {}, {}, {}, {text}",
            style.bold(&property.name),
            counted(monitor.sites(i) as u64, "site"),
            counted(monitor.observed(i), "event"),
            counted(instances, "instance"),
        );
        if violations.satisfactions[i] > 0 {
            let times = counted(violations.satisfactions[i], "time");
            let _ = write!(out, ", satisfied {times}");
        }
        out.push('\n');
        if stats[i].discarded > 0 {
            let discarded = style::count(stats[i].discarded);
            let limit = style.warning("limit:");
            let _ = writeln!(
                out,
                "{limit} {}: {discarded} instances were discarded (--max-instances): violations \
                 may be missing",
                property.name
            );
        }
    }
    out
}

/// A note about arming; `None` where only the curious want to know.
pub fn arm_note(note: &ArmNote, verbose: bool) -> Option<String> {
    match note {
        ArmNote::Armed(armed) => verbose.then(|| {
            let file = armed.module.file_name().unwrap_or(armed.module.as_os_str());
            format!(
                "armed `{}` at {} ({:#x} in {}): {}",
                armed.event,
                harmless(&armed.name),
                armed.address,
                file.to_string_lossy(),
                armed.how
            )
        }),
        ArmNote::Warning { event, text } => Some(format!("`{event}`: {}", harmless(text))),
    }
}
