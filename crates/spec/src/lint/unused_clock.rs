//! Clocks without alarms that nothing reads.

use super::Facts;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    for clock in &model.clocks {
        if !clock.alarms.is_empty() || clock.rings.is_some() || clock.since.is_some() {
            continue;
        }
        let shown =
            model.properties.iter().find(|p| model.chain(p.context).contains(&clock.context));
        let Some(property) = shown else { continue };
        found.push(
            Diagnostic::warning(
                Code::UnusedClock,
                property.span,
                format!("no label waits for the clock `{}`, and nothing reads it", clock.name),
            )
            .rule("a clock is used by labels such as `t at 5 s` and guards such as `if t > 5 s`")
            .help("add such a label, or remove the clock"),
        );
    }
}
