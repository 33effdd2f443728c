//! Sources that events are given from outside.

use watchword_model::{Origin, Param, Source, Type};

use super::Lowering;
use super::declare::RESERVED_EVENTS;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::tree::{Event, SourceKind};

impl Lowering<'_> {
    /// Events that were given sources have these and no others.
    pub(super) fn bind_events(&mut self) {
        let given = self.given;
        for (at, event) in given.bind.iter().enumerate() {
            let first = given.bind[..at].iter().all(|e| e.name.text != event.name.text);
            if let Some(source) = self.bound_source(event) {
                let id = self.events[&event.name.text].id;
                let decl = &mut self.model.events[id.index()];
                match &mut decl.origin {
                    Origin::World(sources) if !first => sources.push(source),
                    origin => *origin = Origin::World(vec![source]),
                }
                decl.span = event.span;
            }
        }
    }

    /// The source of an event that exists and can have one.
    fn bound_source(&mut self, event: &Event) -> Option<Source> {
        let name = &event.name;
        let Some(entry) = self.events.get(&name.text) else {
            self.unknown_bound(event);
            return None;
        };
        let (id, declared) = (entry.id, entry.span);
        let decl = &self.model.events[id.index()];
        let [source] = &event.sources[..] else { return None };
        let fixed = match (&decl.origin, decl.program) {
            (Origin::World(_), None) => matches!(source.kind, SourceKind::Program(_)),
            _ => true,
        };
        if fixed {
            self.report(
                Diagnostic::error(
                    Code::OptionMisplaced,
                    name.span,
                    format!("the source of `{}` cannot be chosen", name.text),
                )
                .also(declared, "declared here")
                .rule(
                    "properties raise channel events, and `program` events match every call; only other events have `jvm`, `native` and `log` sources",
                )
                .help("name another event"),
            );
            return None;
        }
        let params = self.bound_params(event)?;
        self.source(source, event, &params)
    }

    /// The parameters of the event, under the names that the source uses.
    fn bound_params(&mut self, event: &Event) -> Option<Vec<Param>> {
        let entry = &self.events[&event.name.text];
        let (id, declared) = (entry.id, entry.span);
        let known = self.model.events[id.index()].params.clone();
        if event.params.list.is_empty() {
            return Some(known);
        }
        let mut named = self.event_params(&event.params);
        if named.len() != known.len() {
            let names: Vec<&str> = known.iter().map(|p| p.name.as_str()).collect();
            self.report(
                Diagnostic::error(
                    Code::WrongCount,
                    event.name.span,
                    format!(
                        "`{}` carries {} values, not {}",
                        event.name.text,
                        known.len(),
                        named.len()
                    ),
                )
                .also(declared, "declared here")
                .help(format!(
                    "write `{}({})=…`",
                    event.name.text,
                    names.join(", ")
                )),
            );
            return None;
        }
        for (at, (param, known)) in named.iter_mut().zip(&known).enumerate() {
            if param.ty == Type::Any || param.ty == known.ty {
                param.ty = known.ty;
            } else if known.ty == Type::Any {
                self.model.events[id.index()].params[at].ty = param.ty;
            } else {
                let span = event.params.list[at].name.span;
                self.mismatch(span, &format!("`{}`, as it is declared", known.ty), param.ty);
            }
        }
        Some(named)
    }

    fn unknown_bound(&mut self, event: &Event) {
        let name = &event.name;
        let reserved = |n: &&str| !RESERVED_EVENTS.contains(n);
        let mut known: Vec<&str> =
            self.events.keys().map(String::as_str).filter(reserved).collect();
        known.sort_unstable();
        let near = nearest(&name.text, known.iter().copied());
        let quoted: Vec<String> = known.iter().map(|n| format!("`{n}`")).collect();
        let error = Diagnostic::error(
            Code::UnknownName,
            name.span,
            format!("no property has an event `{}`", name.text),
        )
        .rule("`--bind` chooses the source of an event of the loaded properties")
        .help(format!("there are {}", quoted.join(", ")))
        .did_you_mean(near);
        self.report(error);
    }
}
