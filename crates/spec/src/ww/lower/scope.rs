//! Names and what they stand for.

use watchword_model::{Place, Span, Type};

use crate::diagnostic::nearest;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub place: Place,
    pub ty: Type,
    /// Where it was declared.
    pub span: Span,
}

/// Names that can be used somewhere; later ones hide earlier ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: Vec<(String, Binding)>,
    /// What `arg(n)` means here.
    pub event: Option<EventArgs>,
}

/// The arguments of the event a label matched.
#[derive(Clone, Debug)]
pub(super) struct EventArgs {
    /// The types of those that are declared.
    pub types: Vec<Type>,
    /// Whether there may be more.
    pub more: bool,
}

impl Scope {
    pub(super) fn add(&mut self, name: &str, place: Place, ty: Type, span: Span) {
        self.names.push((name.to_string(), Binding { place, ty, span }));
    }

    pub(super) fn find(&self, name: &str) -> Option<Binding> {
        self.names.iter().rev().find(|(n, _)| n == name).map(|(_, b)| *b)
    }

    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.names.iter().map(|(n, _)| n.as_str()))
    }

    /// How many names there are, to [`truncate`](Scope::truncate) to when a block ends.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.names.truncate(len);
    }

    /// Adds the names of another scope; they hide those of this one.
    pub(super) fn append(&mut self, mut other: Scope) {
        self.names.append(&mut other.names);
    }

    /// This scope with names of another put behind all of its own: they hide nothing.
    pub(super) fn behind(&self, hidden: Scope) -> Scope {
        let mut names = hidden.names;
        names.extend(self.names.iter().cloned());
        Scope { names, event: hidden.event }
    }
}
