//! Event declarations, and the events themselves.

use std::sync::Arc;

use crate::{EventId, Object, PointKind, Source, Span, ThrownBy, Type, Value};

/// A parameter of an event, or of a context.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name.
    pub name: String,
    /// The declared type; [`Type::Any`] if none was.
    pub ty: Type,
}

/// The kind of an event, its source and its parameters.
#[derive(Clone, Debug)]
pub struct EventDecl {
    /// The name.
    pub name: String,
    /// The arguments, in order.
    pub params: Vec<Param>,
    /// Whether further arguments may follow the declared ones (calls of any arity).
    pub variadic: bool,
    /// How many of the leading arguments are *static context*: fixed at a program point, so that
    /// what they decide can be decided once per point instead of once per event.
    pub fixed: usize,
    /// Which event of every program it is, if it is one.
    pub program: Option<ProgramEvent>,
    /// Its source.
    pub origin: Origin,
    /// The `///` comment.
    pub doc: String,
    /// Where it was declared.
    pub span: Span,
}

/// The source of an event.
#[derive(Clone, Debug)]
pub enum Origin {
    /// The world: program points, log records. No source means: events of that name in a trace.
    World(Vec<Source>),
    /// The engine, on behalf of a `send`.
    Channel,
    /// The engine, when a clock reaches a time.
    Clock,
    /// The engine, once, when the trace or the program ends.
    End,
}

/// The events that every program has, whatever its methods: those of all calls, and of all writes to
/// arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramEvent {
    /// A method is called: method, arguments.
    Call,
    /// A method has returned: method, value, arguments.
    Return,
    /// A call is complete: method, annotations, types, arguments, value.
    Done,
    /// An element of an array is written: array, index, value.
    ArrayWrite,
}

impl EventDecl {
    /// Whether it stands for calls of any method, which its first argument names.
    pub fn names_methods(&self) -> bool {
        self.program.is_some_and(|event| event != ProgramEvent::ArrayWrite)
    }

    /// Whether it depends on who threw an exception, which only the exception's stack trace tells.
    pub fn asks_who_threw(&self) -> bool {
        let asks = |s: &Source| matches!(s, Source::Jvm(s) if s.thrown_by != ThrownBy::Anybody);
        matches!(&self.origin, Origin::World(sources) if sources.iter().any(asks))
    }

    /// Whether it happens when an object dies: see [`PointKind::Death`].
    pub fn is_death(&self) -> bool {
        let is = |s: &Source| matches!(s, Source::Jvm(s) if s.point.kind == PointKind::Death);
        matches!(&self.origin, Origin::World(sources) if sources.iter().any(is))
    }

    /// Whether it happens where methods are executed, in classes of the JDK that may be loaded before a host
    /// can prepare anything.
    pub fn is_execution_in_jdk(&self) -> bool {
        let is_jdk = |name: &str| ["java", "jdk.", "sun.", "{"].iter().any(|p| name.starts_with(p));
        let is = |s: &Source| match s {
            Source::Jvm(s) if s.point.kind == PointKind::Execution => {
                s.point.method().is_some_and(|method| is_jdk(method.owner.name.text()))
            }
            _ => false,
        };
        matches!(&self.origin, Origin::World(sources) if sources.iter().any(is))
    }

    /// A declaration with nothing but a name: raised by events of that name in a trace.
    pub fn named(name: &str) -> EventDecl {
        EventDecl {
            name: name.to_string(),
            params: Vec::new(),
            variadic: false,
            fixed: 0,
            program: None,
            origin: Origin::World(Vec::new()),
            doc: String::new(),
            span: Span::NONE,
        }
    }

    /// The declaration of `end`; it is the first of every model, [`EventId::END`].
    pub fn end() -> EventDecl {
        EventDecl {
            name: "end".to_string(),
            params: Vec::new(),
            variadic: false,
            fixed: 0,
            program: None,
            origin: Origin::End,
            doc: "The trace or the program ended.".to_string(),
            span: Span::NONE,
        }
    }

    /// The position of the argument of that name.
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }
}

impl EventId {
    /// `end`: the end of the trace or of the program.
    pub const END: EventId = EventId(0);
}

/// Nanoseconds; since when is the recorder's business.
pub type Time = i64;

/// Where in a program or a log an event happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// The source or log file.
    pub file: Option<Arc<str>>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The function or method.
    pub function: Option<Arc<str>>,
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Which declaration.
    pub kind: EventId,
    /// The arguments; those that are missing at the end are null.
    pub args: Vec<Value>,
    /// When it happened.
    pub time: Option<Time>,
    /// The thread it happened on.
    pub thread: Option<u64>,
    /// Where it happened.
    pub location: Option<Arc<Location>>,
}

impl Event {
    /// An event with nothing but its arguments.
    pub fn new(kind: EventId, args: Vec<Value>) -> Event {
        Event { kind, args, time: None, thread: None, location: None }
    }

    /// The same event at a time.
    pub fn at(mut self, time: Time) -> Event {
        self.time = Some(time);
        self
    }

    /// An argument; null if it is missing.
    pub fn arg(&self, index: usize) -> &Value {
        self.args.get(index).unwrap_or(&Value::Null)
    }
}

/// A borrowed value, as readers and runtimes hand it to an engine without allocating.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    /// Null.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Str(&'a str),
    /// An object and, where known, the name of its class.
    Ref(u64, Option<&'a str>),
    /// An address.
    Ptr(u64),
    /// A list or a map.
    Other(&'a Value),
}

/// Where a borrowed event happened. A line of a file is a number beside what all its lines share.
#[derive(Clone, Copy, Debug)]
pub struct Where<'a> {
    /// The location, or the file.
    pub location: &'a Arc<Location>,
    /// The line of that file; `None` if the location says it all.
    pub line: Option<u32>,
}

/// A place that is kept.
#[derive(Clone, Debug)]
pub struct Spot {
    location: Arc<Location>,
    line: Option<u32>,
}

impl<'a> From<&'a Arc<Location>> for Where<'a> {
    fn from(location: &'a Arc<Location>) -> Where<'a> {
        Where { location, line: None }
    }
}

impl Where<'_> {
    /// Its line, if it is known.
    pub fn line(&self) -> Option<u32> {
        self.line.or(self.location.line)
    }

    /// To be kept.
    pub fn to_spot(&self) -> Spot {
        Spot { location: self.location.clone(), line: self.line }
    }

    /// As one thing.
    pub fn to_location(&self) -> Arc<Location> {
        match self.line {
            None => self.location.clone(),
            line => Arc::new(Location { line, ..Location::clone(self.location) }),
        }
    }
}

impl Spot {
    /// Borrowed.
    pub fn place(&self) -> Where<'_> {
        Where { location: &self.location, line: self.line }
    }

    /// As one thing.
    pub fn to_location(&self) -> Arc<Location> {
        self.place().to_location()
    }
}

/// A borrowed event.
#[derive(Clone, Copy, Debug)]
pub struct EventRef<'a> {
    /// Which declaration.
    pub kind: EventId,
    /// The arguments; those that are missing at the end are null.
    pub args: &'a [ValueRef<'a>],
    /// When it happened.
    pub time: Option<Time>,
    /// The thread it happened on.
    pub thread: Option<u64>,
    /// Where it happened.
    pub location: Option<Where<'a>>,
}

impl<'a> EventRef<'a> {
    /// An owned event, borrowed; its arguments were borrowed before.
    pub fn of(event: &'a Event, args: &'a [ValueRef<'a>]) -> EventRef<'a> {
        EventRef {
            kind: event.kind,
            args,
            time: event.time,
            thread: event.thread,
            location: event.location.as_ref().map(Where::from),
        }
    }
}

impl ValueRef<'_> {
    /// An owned copy.
    pub fn to_value(&self) -> Value {
        match *self {
            ValueRef::Null => Value::Null,
            ValueRef::Bool(b) => Value::Bool(b),
            ValueRef::Int(i) => Value::Int(i),
            ValueRef::Float(f) => Value::Float(f),
            ValueRef::Str(s) => Value::str(s),
            ValueRef::Ref(id, class) => Value::Ref(Object { id, class: class.map(Arc::from) }),
            ValueRef::Ptr(p) => Value::Ptr(p),
            ValueRef::Other(value) => value.clone(),
        }
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> ValueRef<'a> {
        match value {
            Value::Null => ValueRef::Null,
            Value::Bool(b) => ValueRef::Bool(*b),
            Value::Int(i) => ValueRef::Int(*i),
            Value::Float(f) => ValueRef::Float(*f),
            Value::Str(s) => ValueRef::Str(s),
            Value::Ref(o) => ValueRef::Ref(o.id, o.class.as_deref()),
            Value::Ptr(p) => ValueRef::Ptr(*p),
            Value::List(_) | Value::Map(_) => ValueRef::Other(value),
        }
    }
}

impl EventRef<'_> {
    /// An owned copy.
    pub fn to_event(&self) -> Event {
        Event {
            kind: self.kind,
            args: self.args.iter().map(ValueRef::to_value).collect(),
            time: self.time,
            thread: self.thread,
            location: self.location.map(|place| place.to_location()),
        }
    }
}
