//! Names and what they stand for.

use watchword_model::{Place, Span, Type, Value, WindowId};

use crate::diagnostic::nearest;

/// The name of the time of the event, where nothing else has it.
pub(super) const NOW: &str = "now";

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub means: Meaning,
    pub ty: Type,
    /// Where it was declared.
    pub span: Span,
}

/// What a name is read from.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// Something an instance or an event holds.
    Place(Place),
    /// The value of a `param`, which is the same all through the run.
    Setting(Value),
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
        self.names.push((name.to_string(), Binding { means: Meaning::Place(place), ty, span }));
    }

    /// Adds a `param` with its value.
    pub(super) fn add_setting(&mut self, name: &str, value: Value, ty: Type, span: Span) {
        self.names.push((name.to_string(), Binding { means: Meaning::Setting(value), ty, span }));
    }

    /// The names that stand for values all through the run.
    pub(super) fn settings(&self) -> Scope {
        let names = self.names.iter().filter(|(_, b)| matches!(b.means, Meaning::Setting(_)));
        Scope { names: names.cloned().collect(), event: None }
    }

    /// What time it is, by the name of that.
    pub(super) fn of_now() -> Scope {
        let mut scope = Scope::default();
        scope.add(NOW, Place::Now, Type::Duration, Span::NONE);
        scope
    }

    /// Whether it is known here what time it is.
    pub(super) fn knows_now(&self) -> bool {
        self.names.iter().any(|(_, b)| matches!(b.means, Meaning::Place(Place::Now)))
    }

    /// Adds a window by its number.
    pub(super) fn add_window(&mut self, name: &str, window: WindowId, ty: Type, span: Span) {
        self.add(name, Place::Window(window), ty, span);
    }

    /// The names that mean the same for all events of an instance: its parameters, and those that
    /// stand for values all through the run.
    pub(super) fn constants(&self) -> Scope {
        let is_constant =
            |b: &Binding| matches!(b.means, Meaning::Setting(_) | Meaning::Place(Place::Param(_)));
        let names = self.names.iter().filter(|(_, b)| is_constant(b));
        Scope { names: names.cloned().collect(), event: None }
    }

    pub(super) fn find(&self, name: &str) -> Option<Binding> {
        self.names.iter().rev().find(|(n, _)| n == name).map(|(_, b)| b.clone())
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
