//! Kinds of program points in a JVM: a row each says everything that holds of all points of a kind.
//! Front ends, readers of traces and the weaver ask this table; where points of a kind are in a
//! method, only the weaver knows.

use super::{FieldPattern, JvmTerm, JvmWhen, MethodPattern, TypePattern};
use crate::Glob;

/// Program points of a kind that fit a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinPoint {
    /// The kind.
    pub kind: PointKind,
    /// Which points of the kind. It is about what [`PointKind::facts`] says.
    pub pattern: PointPattern,
}

/// A kind of program point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PointKind {
    /// A call, at the call site.
    Call,
    /// A method's execution, in the method.
    Execution,
    /// A read of a field.
    Get,
    /// A write of a field.
    Set,
    /// A read of an array element; the pattern is of the element type.
    ArrayRead,
    /// A write of an array element; the pattern is of the element type.
    ArrayWrite,
    /// An allocation.
    New,
    /// A checked cast.
    Cast,
    /// Entering a monitor (`synchronized` blocks and methods).
    Lock,
    /// Leaving a monitor.
    Unlock,
    /// A conditional branch.
    Branch,
    /// A basic block.
    Block,
    /// An instruction with a mnemonic like this.
    Opcode,
    /// An exception handler for this type.
    Handler,
    /// A class initialiser.
    ClassInit,
    /// The start of a thread.
    ThreadStart,
    /// An exception that the program throws itself, at its `throw`.
    Raise,
    /// The end of the life of an object that an instance holds: the program cannot reach it any more. It
    /// is at no place in the program.
    Death,
}

/// Which points of a kind are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointPattern {
    /// Those of these methods.
    Method(MethodPattern),
    /// Those of these fields.
    Field(FieldPattern),
    /// Those of these types.
    Type(TypePattern),
    /// Instructions with a mnemonic like this.
    Mnemonic(Glob),
    /// All points of the kind.
    All,
}

/// What patterns of a kind are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Methods.
    Method,
    /// Fields.
    Field,
    /// Types, as the program names them: nothing is left to ask when it runs.
    Type,
    /// Types of an object that is there, whose class may be below the one the program names.
    Object,
    /// Types of the elements of an array.
    Element,
    /// Mnemonics of instructions.
    Mnemonic,
    /// Nothing: there is no pattern.
    Nothing,
}

/// What holds of all program points of a kind.
#[derive(Debug)]
pub struct PointFacts {
    /// The kind.
    pub kind: PointKind,
    /// As property files write it: a word or two.
    pub words: &'static str,
    /// What its patterns are about.
    pub about: About,
    /// The keys of its records before, after and when it has thrown; empty where there is none. A
    /// record that stands for several sides has a field `when`.
    pub records: [&'static str; 3],
    /// What events there can carry, beside what is known at every point.
    pub gives: &'static [JvmTerm],
    /// What only events after it can carry.
    pub gives_after: &'static [JvmTerm],
}

impl PointKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: &'static [PointFacts] = &[
        PointFacts {
            kind: PointKind::Call,
            words: "call",
            about: About::Method,
            records: ["call", "return", "throw"],
            gives: &[JvmTerm::Receiver, JvmTerm::Arg(0), JvmTerm::Target, JvmTerm::Names],
            gives_after: &[JvmTerm::Result],
        },
        PointFacts {
            kind: PointKind::Execution,
            words: "execution",
            about: About::Method,
            records: ["enter", "exit", "unwind"],
            gives: &[JvmTerm::Receiver, JvmTerm::Arg(0)],
            gives_after: &[JvmTerm::Result],
        },
        PointFacts {
            kind: PointKind::Get,
            words: "get",
            about: About::Field,
            records: ["get", "get", ""],
            gives: &[JvmTerm::Receiver],
            gives_after: &[JvmTerm::Value],
        },
        PointFacts {
            kind: PointKind::Set,
            words: "set",
            about: About::Field,
            records: ["set", "set", ""],
            gives: &[JvmTerm::Receiver, JvmTerm::Value],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::ArrayRead,
            words: "array read",
            about: About::Element,
            records: ["aload", "aload", ""],
            gives: &[JvmTerm::Array, JvmTerm::Index],
            gives_after: &[JvmTerm::Value],
        },
        PointFacts {
            kind: PointKind::ArrayWrite,
            words: "array write",
            about: About::Element,
            records: ["astore", "astore", ""],
            gives: &[JvmTerm::Array, JvmTerm::Index, JvmTerm::Value],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::New,
            words: "new",
            about: About::Type,
            records: ["new", "new", ""],
            gives: &[],
            gives_after: &[JvmTerm::Object],
        },
        PointFacts {
            kind: PointKind::Cast,
            words: "cast",
            about: About::Type,
            records: ["cast", "cast", ""],
            gives: &[JvmTerm::Object],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::Lock,
            words: "lock",
            about: About::Object,
            records: ["lock", "lock", ""],
            gives: &[JvmTerm::Object],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::Unlock,
            words: "unlock",
            about: About::Object,
            records: ["unlock", "unlock", ""],
            gives: &[JvmTerm::Object],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::Branch,
            words: "branch",
            about: About::Nothing,
            records: ["branch", "branch", ""],
            gives: &[JvmTerm::OpcodeName],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::Block,
            words: "block",
            about: About::Nothing,
            records: ["block", "block", ""],
            gives: &[],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::Opcode,
            words: "opcode",
            about: About::Mnemonic,
            records: ["opcode", "opcode", ""],
            gives: &[JvmTerm::OpcodeName],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::Handler,
            words: "handler",
            about: About::Type,
            records: ["handler", "handler", ""],
            gives: &[JvmTerm::Exception],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::ClassInit,
            words: "class init",
            about: About::Type,
            records: ["clinit", "clinit", ""],
            gives: &[],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::ThreadStart,
            words: "thread start",
            about: About::Object,
            records: ["start", "start", ""],
            gives: &[JvmTerm::Object],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::Raise,
            words: "raise",
            about: About::Object,
            records: ["raise", "", ""],
            gives: &[JvmTerm::Object, JvmTerm::Exception],
            gives_after: &[],
        },
        PointFacts {
            kind: PointKind::Death,
            words: "death",
            about: About::Nothing,
            records: ["", "death", ""],
            gives: &[],
            gives_after: &[JvmTerm::Object],
        },
    ];

    /// What holds of all its points.
    pub const fn facts(self) -> &'static PointFacts {
        &PointKind::ALL[self as usize]
    }

    /// The kind that property files write like this.
    pub fn of_words(words: &str) -> Option<PointKind> {
        PointKind::ALL.iter().find(|facts| facts.words == words).map(|facts| facts.kind)
    }
}

impl PointFacts {
    /// The key of its records on a side, if there are any.
    pub fn record(&self, when: JvmWhen) -> Option<&'static str> {
        Some(self.records[when as usize]).filter(|key| !key.is_empty())
    }

    /// Whether events on a side of it can carry a term.
    pub fn gives(&self, term: &JvmTerm, when: JvmWhen) -> bool {
        let alike = |given: &JvmTerm| std::mem::discriminant(given) == std::mem::discriminant(term);
        match term {
            JvmTerm::Exception if when == JvmWhen::Throwing => true,
            _ if !term.is_of_some_points() => true,
            _ => {
                let after = self.gives_after.iter().filter(|_| when == JvmWhen::After);
                self.gives.iter().chain(after).any(alike)
            }
        }
    }

    /// What `on x` captures: the object that the point is about.
    pub fn subject(&self) -> JvmTerm {
        match self.about {
            About::Element => JvmTerm::Array,
            About::Type | About::Object => JvmTerm::Object,
            About::Nothing if self.kind == PointKind::Death => JvmTerm::Object,
            _ => JvmTerm::Receiver,
        }
    }
}

impl JoinPoint {
    /// Calls of these methods.
    pub fn call(method: MethodPattern) -> JoinPoint {
        JoinPoint { kind: PointKind::Call, pattern: PointPattern::Method(method) }
    }

    /// Executions of these methods.
    pub fn execution(method: MethodPattern) -> JoinPoint {
        JoinPoint { kind: PointKind::Execution, pattern: PointPattern::Method(method) }
    }

    /// Points of a kind whose patterns are about types.
    pub fn of_type(kind: PointKind, ty: TypePattern) -> JoinPoint {
        JoinPoint { kind, pattern: PointPattern::Type(ty) }
    }

    /// Accesses of these fields: [`PointKind::Get`] or [`PointKind::Set`].
    pub fn of_field(kind: PointKind, field: FieldPattern) -> JoinPoint {
        JoinPoint { kind, pattern: PointPattern::Field(field) }
    }

    /// The methods whose calls these are, if they are calls.
    pub fn called(&self) -> Option<&MethodPattern> {
        self.method().filter(|_| self.kind == PointKind::Call)
    }

    /// The methods, if these are calls or executions.
    pub fn method(&self) -> Option<&MethodPattern> {
        match &self.pattern {
            PointPattern::Method(method) => Some(method),
            _ => None,
        }
    }

    /// Whether it is an access to an element of an array: its type is that of the element.
    pub fn is_element(&self) -> bool {
        self.kind.facts().about == About::Element
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row() {
        for (i, facts) in PointKind::ALL.iter().enumerate() {
            assert_eq!(facts.kind as usize, i);
            assert_eq!(PointKind::of_words(facts.words), Some(facts.kind));
        }
        let last = PointKind::ALL.last().map(|facts| facts.kind);
        assert_eq!(last, Some(PointKind::Death), "a kind has no row");
    }

    #[test]
    fn values_are_given_where_they_are() {
        let gives = |kind: PointKind, term: JvmTerm, when| kind.facts().gives(&term, when);
        assert!(gives(PointKind::Get, JvmTerm::Value, JvmWhen::After));
        assert!(!gives(PointKind::Get, JvmTerm::Value, JvmWhen::Before));
        assert!(gives(PointKind::Call, JvmTerm::Arg(3), JvmWhen::Before));
        assert!(gives(PointKind::Get, JvmTerm::Exception, JvmWhen::Throwing));
        assert!(!gives(PointKind::Get, JvmTerm::Exception, JvmWhen::After));
        assert!(gives(PointKind::Block, JvmTerm::Line, JvmWhen::After));
    }
}
