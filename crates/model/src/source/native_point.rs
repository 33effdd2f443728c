//! Kinds of events in native programs: a row each says everything that holds of all events of a
//! kind. Front ends, readers of traces and reports ask this table; how events of a kind are armed
//! and noticed, only the debugger's side knows.

use super::{NativeTerm, NativeVariable, NativeWhen};
use crate::Glob;

/// Events of a kind that fit a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativePoint {
    /// The kind.
    pub kind: NativeKind,
    /// Which events of the kind. It is about what [`NativeKind::facts`] says.
    pub pattern: NativePattern,
}

/// A kind of event in a native program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NativeKind {
    /// A call of a function.
    Call,
    /// A write of a variable, or of a field of every object of a type.
    Write,
    /// A read of one.
    Read,
    /// The value of an expression changed.
    Update,
    /// A signal is about to be delivered.
    Signal,
}

/// Which events of a kind are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativePattern {
    /// Those of what has a name like this.
    Named(Glob),
    /// Those of a variable.
    Variable(NativeVariable),
}

/// What patterns of a kind are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeAbout {
    /// Functions, by name.
    Function,
    /// Variables.
    Variable,
    /// Signals, by name.
    Signal,
}

/// On which sides of what happens events of a kind can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeSides {
    /// On both; property files have to say on which one.
    Said,
    /// On both; on this one unless property files say otherwise.
    Unless(NativeWhen),
    /// On this one only.
    Only(NativeWhen),
}

/// What holds of all events of a kind.
#[derive(Debug)]
pub struct NativeFacts {
    /// The kind.
    pub kind: NativeKind,
    /// As property files write it.
    pub word: &'static str,
    /// What its patterns are about.
    pub about: NativeAbout,
    /// The keys of its records before and after it. If they are the same, a record has a field
    /// `when`.
    pub records: [&'static str; 2],
    /// On which sides its events can be.
    pub sides: NativeSides,
    /// What events can carry, beside what is known everywhere.
    pub gives: &'static [NativeTerm],
    /// What only events after it can carry.
    pub gives_after: &'static [NativeTerm],
    /// What happens to the named thing before and after, for sentences about it: `f was called`.
    pub happens: Option<[&'static str; 2]>,
}

impl NativeKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: &'static [NativeFacts] = &[
        NativeFacts {
            kind: NativeKind::Call,
            word: "call",
            about: NativeAbout::Function,
            records: ["call", "return"],
            sides: NativeSides::Said,
            gives: &[NativeTerm::Arg(0)],
            gives_after: &[NativeTerm::Ret],
            happens: Some(["was called", "returned"]),
        },
        NativeFacts {
            kind: NativeKind::Write,
            word: "write",
            about: NativeAbout::Variable,
            records: ["write", "write"],
            sides: NativeSides::Unless(NativeWhen::After),
            gives: &[NativeTerm::Value, NativeTerm::Address],
            gives_after: &[],
            happens: None,
        },
        NativeFacts {
            kind: NativeKind::Read,
            word: "read",
            about: NativeAbout::Variable,
            records: ["read", "read"],
            sides: NativeSides::Unless(NativeWhen::After),
            gives: &[NativeTerm::Value, NativeTerm::Address],
            gives_after: &[],
            happens: None,
        },
        NativeFacts {
            kind: NativeKind::Update,
            word: "update",
            about: NativeAbout::Variable,
            records: ["update", "update"],
            sides: NativeSides::Unless(NativeWhen::After),
            gives: &[NativeTerm::Value, NativeTerm::Address],
            gives_after: &[],
            happens: None,
        },
        NativeFacts {
            kind: NativeKind::Signal,
            word: "signal",
            about: NativeAbout::Signal,
            records: ["signal", "signal"],
            sides: NativeSides::Only(NativeWhen::Before),
            gives: &[NativeTerm::Value],
            gives_after: &[],
            happens: Some(["was received", "was received"]),
        },
    ];

    /// What holds of all its events.
    pub const fn facts(self) -> &'static NativeFacts {
        &NativeKind::ALL[self as usize]
    }
}

impl NativeFacts {
    /// The key of its records on a side.
    pub fn record(&self, when: NativeWhen) -> &'static str {
        self.records[when as usize]
    }

    /// Whether events on a side of it can carry a term.
    pub fn gives(&self, term: &NativeTerm, when: NativeWhen) -> bool {
        let alike =
            |given: &NativeTerm| std::mem::discriminant(given) == std::mem::discriminant(term);
        let everywhere = !matches!(
            term,
            NativeTerm::Arg(_) | NativeTerm::Ret | NativeTerm::Value | NativeTerm::Address
        );
        let after = self.gives_after.iter().filter(|_| when == NativeWhen::After);
        everywhere || self.gives.iter().chain(after).any(alike)
    }
}

impl NativePoint {
    /// Calls of functions with a name like this.
    pub fn call(name: Glob) -> NativePoint {
        NativePoint { kind: NativeKind::Call, pattern: NativePattern::Named(name) }
    }

    /// Events of a kind whose patterns are about variables.
    pub fn of_variable(kind: NativeKind, variable: NativeVariable) -> NativePoint {
        NativePoint { kind, pattern: NativePattern::Variable(variable) }
    }

    /// The functions, if these are calls.
    pub fn called(&self) -> Option<&Glob> {
        self.named().filter(|_| self.is_call())
    }

    /// Whether these are calls.
    pub fn is_call(&self) -> bool {
        self.kind == NativeKind::Call
    }

    /// The names, if the pattern is about names.
    pub fn named(&self) -> Option<&Glob> {
        match &self.pattern {
            NativePattern::Named(name) => Some(name),
            NativePattern::Variable(_) => None,
        }
    }

    /// The variable, if the pattern is about one.
    pub fn variable(&self) -> Option<&NativeVariable> {
        match &self.pattern {
            NativePattern::Variable(variable) => Some(variable),
            NativePattern::Named(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row() {
        for (i, facts) in NativeKind::ALL.iter().enumerate() {
            assert_eq!(facts.kind as usize, i);
        }
        let last = NativeKind::ALL.last().map(|facts| facts.kind);
        assert_eq!(last, Some(NativeKind::Signal), "a kind has no row");
    }
}
