//! Labels no event can match.

use watchword_model::{Lang, Origin};

use super::{Facts, reach};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let Facts { model, accounted, .. } = facts;
    for property in &model.properties {
        for label in property.transitions.iter().flat_map(|t| &t.labels) {
            if reach::can_match(label, property, accounted) {
                continue;
            }
            let (rule, help) = match label.event.map(|e| &model.events[e.index()]) {
                Some(decl) if matches!(decl.origin, Origin::Channel) => (
                    format!("no property sends on the channel `{}`", decl.name),
                    format!("send on it: `send {}(…)`", decl.name),
                ),
                Some(_) => (
                    "the clock is declared `stopped` and never started".to_string(),
                    "start it with `reset`, or remove `stopped`".to_string(),
                ),
                None => (
                    "the property observes no events".to_string(),
                    match property.lang {
                        Lang::Topl => "declare what it observes: `observe <java.util.Iterator.*>`",
                        _ => "name the events: `also e, f`",
                    }
                    .to_string(),
                ),
            };
            found.push(
                Diagnostic::warning(Code::NeverMatches, label.span, "this label can never match")
                    .rule(rule)
                    .help(help),
            );
        }
    }
}
