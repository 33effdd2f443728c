//! Events and channels no property observes.

use watchword_model::{Origin, Span};

use super::Facts;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    for (i, event) in model.events.iter().enumerate() {
        let used = model.properties.iter().any(|p| p.alphabet.iter().any(|o| o.event.index() == i))
            || model.contexts.iter().any(|c| c.ends.iter().any(|e| e.event.index() == i));
        // A file without properties is a library; it need not use what it declares.
        let library = !model.properties.iter().any(|p| p.span.file == event.span.file);
        if used || library || event.span == Span::NONE {
            continue;
        }
        let what = match event.origin {
            Origin::World(_) => "event",
            Origin::Channel => "channel",
            Origin::Clock | Origin::End => continue,
        };
        found.push(
            Diagnostic::warning(
                Code::UnusedEvent,
                event.span,
                format!("no property observes the {what} `{}`", event.name),
            )
            .rule("a property observes the events its body names, and those of `also`")
            .help(format!("name it in a property, or remove the {what}")),
        );
    }
}
