//! Selectors of program points in a JVM.

use std::fmt;

use super::{Capture, JoinPoint};
use crate::{Glob, JavaCall};

/// Program points in a JVM, and what an event there carries.
#[derive(Clone, Debug)]
pub struct JvmSource {
    /// On which side of the point.
    pub when: JvmWhen,
    /// The points.
    pub point: JoinPoint,
    /// Only if the exception is of this class or of a subclass: its name, with dots.
    pub thrown: Option<String>,
    /// Only if these threw the exception. If not all are meant, [`thrown`](Self::thrown) names a class.
    pub thrown_by: ThrownBy,
    /// Only if the message of the exception, or the name of its class, contains this, in small or capital
    /// letters. Then [`thrown_by`](Self::thrown_by) says who threw it.
    pub saying: Option<String>,
    /// Only if all of these are of their types.
    pub instances: Vec<InstanceOf>,
    /// Only inside these methods or types; empty: everywhere.
    pub within: Vec<Within>,
    /// What the event carries.
    pub captures: Vec<Capture<JvmTerm>>,
}

/// A value that must be an instance of a type when the event happens; null is an instance of no type. If the
/// declared type of the value decides, there is no test.
#[derive(Clone, Debug)]
pub struct InstanceOf {
    /// The value: an argument, the result, the receiver or the value of a field.
    pub term: JvmTerm,
    /// The type.
    pub ty: TypePattern,
}

/// Which code must have thrown an exception.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ThrownBy {
    /// Any code.
    #[default]
    Anybody,
    /// The called method itself, not code of the program that it called: `from itself`.
    Itself,
    /// The same, and the method that made the exception is of the JDK: `from jdk`.
    Jdk,
}

impl ThrownBy {
    /// The word after `from` in property files.
    pub fn word(self) -> Option<&'static str> {
        match self {
            ThrownBy::Anybody => None,
            ThrownBy::Itself => Some("itself"),
            ThrownBy::Jdk => Some("jdk"),
        }
    }
}

/// On which side of a program point an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JvmWhen {
    /// Before it happens.
    Before,
    /// After it has happened normally.
    After,
    /// After it has thrown.
    Throwing,
}

/// Types by name, optionally with their subtypes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypePattern {
    /// The name, with dots; `*` is any type; may end in `[]`.
    pub name: Glob,
    /// `+`: subtypes too.
    pub subtypes: bool,
    /// Annotations all of which the type has.
    pub annotations: Vec<Glob>,
    /// Matches the types that do not match.
    pub negated: bool,
}

/// Methods by owner, name, parameter types and annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodPattern {
    /// The type that declares it.
    pub owner: TypePattern,
    /// The name; constructors are `<init>`.
    pub name: Glob,
    /// Parameter types; `None`: `(..)`, any.
    pub params: Option<Vec<ParamPattern>>,
    /// The result type, where the pattern names one.
    pub returns: Option<TypePattern>,
    /// Annotations all of which the method has.
    pub annotations: Vec<Glob>,
    /// Matches the methods (of any owner) that do not match.
    pub negated: bool,
    /// Whether calls by `super.m()` are calls, and constructors methods whatever the name.
    pub supers: bool,
}

/// One position of a parameter list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamPattern {
    /// One parameter of that type.
    One(TypePattern),
    /// `..`: any number of any parameters.
    Rest,
}

/// Fields by owner, name and type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPattern {
    /// The type that declares it.
    pub owner: TypePattern,
    /// The name.
    pub name: Glob,
    /// The field's type, where the pattern names one.
    pub ty: Option<TypePattern>,
    /// Annotations all of which the field has.
    pub annotations: Vec<Glob>,
}

/// A restriction to the inside of methods or types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Within {
    /// The type.
    pub owner: TypePattern,
    /// The method, if only some.
    pub method: Option<Glob>,
    /// Outside of it instead.
    pub negated: bool,
}

/// What an event at a program point in a JVM can carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JvmTerm {
    /// The object a call or field access is on.
    Receiver,
    /// An argument of the call, from 0, the receiver not counted.
    Arg(u32),
    /// The result.
    Result,
    /// The exception.
    Exception,
    /// `this` of the method the point is in.
    This,
    /// A local variable by name.
    LocalName(String),
    /// A local variable by slot.
    LocalSlot(u32),
    /// The value read or written.
    Value,
    /// The array.
    Array,
    /// The index into the array.
    Index,
    /// The lock, the allocated or the cast object.
    Object,
    /// The current thread.
    Thread,
    /// Static: the class the point is in.
    Class,
    /// Static: the method the point is in.
    Method,
    /// Static: the source line.
    Line,
    /// Static: how the code writes the receiver, or the lock: `Account.lock`; null where that is not certain.
    Expression,
    /// Static: the mnemonic.
    OpcodeName,
    /// Static: the number of the basic block.
    BlockId,
    /// Static: numbers of the blocks that can follow.
    Successors,
    /// Static: numbers of the blocks that can come before.
    Predecessors,
    /// Static: how many loops the point is in.
    LoopDepth,
    /// Static: owner and name of the called method.
    Target,
    /// Static: every name the called method goes by. A text, [`JvmTerm::Target`], if that is the
    /// only one; else a list that begins with it and goes on with the names by which supertypes of
    /// the owner declare the method.
    Names,
    /// A field of an object term.
    Field(Box<JvmTerm>, String),
    /// A call without arguments on an object term; must be pure.
    Call(Box<JvmTerm>, String),
    /// A static field.
    StaticField(String, String),
    /// The first object that was ever asked for here and that `equals` it: one for all that are
    /// equal.
    Equal(Box<JvmTerm>),
    /// Whether the current thread holds the monitor of an object.
    Holds(Box<JvmTerm>),
    /// What Java code of the property file gives for these values.
    Java(Box<JavaCall>),
}

impl TypePattern {
    /// Any type.
    pub fn any() -> TypePattern {
        TypePattern {
            name: Glob::new("*"),
            subtypes: false,
            annotations: Vec::new(),
            negated: false,
        }
    }

    /// Whether a type of that name, with dots, is meant by the name of the pattern; subtypes,
    /// annotations and negation need class files.
    pub fn names(&self, name: &str) -> bool {
        names_class(&self.name, name)
    }
}

/// Whether a pattern means a class of that name, with dots. The JVM has a `$` between a class and
/// one that is nested in it, where sources have a dot: a pattern may have either.
pub fn names_class(pattern: &Glob, name: &str) -> bool {
    pattern.matches(name) || (name.contains('$') && pattern.matches(&name.replace('$', ".")))
}

/// The full name of a method as sources have it, if its class is nested: `a.B.C.m` for `a.B$C.m`.
pub fn source_name(method: &str) -> Option<String> {
    let (class, name) = method.rsplit_once('.')?;
    class.contains('$').then(|| format!("{}.{name}", class.replace('$', ".")))
}

/// The internal names of the classes that a name with dots can mean, the likeliest first:
/// `a.b.C.D` is `a/b/C/D` or, nested, `a/b/C$D` and so on.
pub fn internal_names(dotted: &str) -> impl Iterator<Item = String> {
    let mut next = Some(dotted.replace('.', "/"));
    std::iter::from_fn(move || {
        let name = next.take()?;
        next = name.rfind('/').map(|slash| format!("{}${}", &name[..slash], &name[slash + 1..]));
        Some(name)
    })
}

impl JvmTerm {
    /// Terms that are one word.
    pub const WORDS: [(&'static str, JvmTerm); 20] = [
        ("receiver", JvmTerm::Receiver),
        ("this", JvmTerm::This),
        ("result", JvmTerm::Result),
        ("exception", JvmTerm::Exception),
        ("value", JvmTerm::Value),
        ("array", JvmTerm::Array),
        ("index", JvmTerm::Index),
        ("object", JvmTerm::Object),
        ("thread", JvmTerm::Thread),
        ("class", JvmTerm::Class),
        ("method", JvmTerm::Method),
        ("line", JvmTerm::Line),
        ("expression", JvmTerm::Expression),
        ("opcode", JvmTerm::OpcodeName),
        ("block", JvmTerm::BlockId),
        ("successors", JvmTerm::Successors),
        ("predecessors", JvmTerm::Predecessors),
        ("loops", JvmTerm::LoopDepth),
        ("target", JvmTerm::Target),
        ("names", JvmTerm::Names),
    ];

    /// Whether it exists at points of some kinds only: see [`PointFacts::gives`](super::PointFacts).
    pub fn is_of_some_points(&self) -> bool {
        matches!(
            self,
            JvmTerm::Receiver
                | JvmTerm::Arg(_)
                | JvmTerm::Result
                | JvmTerm::Exception
                | JvmTerm::Value
                | JvmTerm::Array
                | JvmTerm::Index
                | JvmTerm::Object
                | JvmTerm::OpcodeName
                | JvmTerm::Target
                | JvmTerm::Names
        )
    }

    /// What fields are read of, methods are called on, equal objects are looked for and monitors are
    /// of, in the end.
    pub fn root(&self) -> &JvmTerm {
        match self {
            JvmTerm::Field(inner, _)
            | JvmTerm::Call(inner, _)
            | JvmTerm::Equal(inner)
            | JvmTerm::Holds(inner) => inner.root(),
            other => other,
        }
    }

    /// Whether the term is known at the program point, before anything runs.
    pub fn is_static(&self) -> bool {
        matches!(
            self,
            JvmTerm::Class
                | JvmTerm::Method
                | JvmTerm::Line
                | JvmTerm::Expression
                | JvmTerm::OpcodeName
                | JvmTerm::BlockId
                | JvmTerm::Successors
                | JvmTerm::Predecessors
                | JvmTerm::LoopDepth
                | JvmTerm::Target
                | JvmTerm::Names
        )
    }
}

/// A term as property files write it.
impl fmt::Display for JvmTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JvmTerm::Arg(n) => write!(f, "arg {n}"),
            JvmTerm::LocalName(name) => write!(f, "local {name}"),
            JvmTerm::LocalSlot(n) => write!(f, "local {n}"),
            JvmTerm::Field(inner, name) => write!(f, "{inner}.{name}"),
            JvmTerm::Call(inner, name) => write!(f, "{inner}.{name}()"),
            JvmTerm::StaticField(class, name) => write!(f, "static {class}.{name}"),
            JvmTerm::Equal(inner) => write!(f, "equal {inner}"),
            JvmTerm::Holds(inner) => write!(f, "holds {inner}"),
            JvmTerm::Java(call) => write!(f, "java {}.{}", call.class, call.method),
            word => {
                let words = JvmTerm::WORDS;
                f.write_str(
                    words.iter().find(|(_, term)| term == word).map_or("", |(text, _)| text),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_classes_have_two_spellings() {
        let names = |pattern: &str, name: &str| names_class(&Glob::new(pattern), name);
        assert!(names("a.B$C", "a.B$C") && names("a.B.C", "a.B$C") && names("a.*.C", "a.B$C"));
        assert!(!names("a.B$C", "a.B.C") && !names("a.B", "a.B$C"));
        assert_eq!(source_name("a.B$C.m$1").as_deref(), Some("a.B.C.m$1"));
        assert_eq!(source_name("a.B.m$1"), None);
        let internal: Vec<String> = internal_names("a.B.C").collect();
        assert_eq!(internal, ["a/B/C", "a/B$C", "a$B$C"]);
    }
}
