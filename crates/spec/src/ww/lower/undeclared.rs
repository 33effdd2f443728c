//! Events that are used but not declared: legal, because every name can be an event of a trace, and
//! often a mistake.

use std::collections::HashSet;

use watchword_model::{EventId, FileId, Origin, Source, Span};

use super::Lowering;
use super::visit::{Use, context_uses, uses};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::tree::{File, Item, LabelKind, Name};

impl Lowering<'_> {
    /// Reports names that are almost those of declared events, and names that no program can make
    /// happen although the property is one about programs.
    pub(super) fn question_undeclared(&mut self, files: &[File]) {
        let of_programs: HashSet<FileId> = self
            .events
            .values()
            .filter(|e| self.is_of_program(e.id))
            .map(|e| e.span.file)
            .collect();
        for item in files.iter().flat_map(|file| &file.items) {
            let (owner, used) = match item {
                Item::Property(property) => {
                    let mut used = Vec::new();
                    uses(&property.members, &mut |u| used.extend(named(u).cloned()));
                    (property.name.span.file, used)
                }
                Item::Context(context) => {
                    let mut used = Vec::new();
                    context_uses(context, &mut |u, _| used.extend(named(u).cloned()));
                    (context.name.span.file, used)
                }
                _ => continue,
            };
            // Its events may be declared in a file that it imports.
            let is_of_program = of_programs.contains(&owner)
                || used.iter().any(|name| {
                    self.events.get(&name.text).is_some_and(|e| self.is_of_program(e.id))
                });
            let mut seen = HashSet::new();
            for name in used.iter().filter(|name| seen.insert(name.text.as_str())) {
                let first = match self.events.get(&name.text) {
                    Some(entry) if entry.implicit => entry.span,
                    _ => continue,
                };
                if is_of_program {
                    self.report(self.not_of_program(name));
                } else if let Some(near) = self.declared_near(name).filter(|_| name.span == first) {
                    self.report(self.misspelt(name, &near));
                }
            }
        }
    }

    fn is_of_program(&self, event: EventId) -> bool {
        let is = |source: &Source| matches!(source, Source::Jvm(_) | Source::Native(_));
        matches!(&self.model.events[event.index()].origin, Origin::World(s) if s.iter().any(is))
    }

    /// The declared event that has almost this name.
    fn declared_near(&self, name: &Name) -> Option<(String, Span)> {
        let declared: Vec<&str> =
            self.events.iter().filter(|(_, e)| !e.implicit).map(|(n, _)| n.as_str()).collect();
        // `payed` for `pay`: endings are mistaken more often than letters.
        let ending = |known: &&str| {
            known.len().min(name.text.len()) >= 3
                && (name.text.starts_with(*known) || known.starts_with(&name.text))
                && known.len().abs_diff(name.text.len()) <= 3
        };
        let near = nearest(&name.text, declared.iter().copied())
            .or_else(|| declared.iter().copied().filter(ending).min())?;
        Some((near.to_string(), self.events[near].span))
    }

    fn misspelt(&self, name: &Name, (near, span): &(String, Span)) -> Diagnostic {
        Diagnostic::warning(Code::UndeclaredEvent, name.span, not_declared(name))
            .also(*span, format!("`{near}` is declared here"))
            .rule("an event that is not declared is the event of that name in a trace")
            .help(format!("did you mean `{near}`? If not, declare `event {}(…)`", name.text))
            .fix(name.span, near.as_str())
    }

    fn not_of_program(&self, name: &Name) -> Diagnostic {
        let mut declared: Vec<(Span, &str)> = self
            .events
            .iter()
            .filter(|(_, e)| self.is_of_program(e.id))
            .map(|(n, e)| (e.span, n.as_str()))
            .collect();
        declared.sort_unstable_by_key(|(span, _)| (span.file, span.start));
        let told = Diagnostic::warning(Code::NotOfProgram, name.span, not_declared(name)).rule(
            "an event that is not declared is the event of that name in a trace; in a program it never happens",
        );
        let source = format!("declare it with a source: `event {}(…) = …`", name.text);
        match self.declared_near(name) {
            Some((near, span)) => told
                .also(span, format!("`{near}` is declared here"))
                .help(format!("did you mean `{near}`? If not, {source}"))
                .fix(name.span, near),
            None => {
                let listed: Vec<String> =
                    declared.iter().take(MAX_LISTED).map(|(_, n)| format!("`{n}`")).collect();
                told.help(format!("{source}; declared are {}", listed.join(", ")))
            }
        }
    }
}

/// More declared events are not proposed.
const MAX_LISTED: usize = 6;

fn not_declared(name: &Name) -> String {
    format!("event `{}` is not declared", name.text)
}

/// The event that is named there.
fn named(used: Use<'_>) -> Option<&Name> {
    match used {
        Use::Label(label) => match &label.kind {
            LabelKind::Event(name, _) => Some(name),
            _ => None,
        },
        Use::Name(name) => Some(name),
    }
}
