//! From the name of a record to the events it stands for.
//!
//! The declarations are compiled once. The first record of a name asks all of them; what was
//! found is remembered, so that every later record costs one lookup.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use watchword_model::{
    EventId, Glob, JvmSource, JvmTerm, JvmWhen, LogSelect, LogTerm, LogTest, Model, NativeCaller,
    NativePattern, NativeSource, NativeTerm, NativeVariable, NativeWhen, Origin, Source, ThrownBy,
    Type, Within,
};
use watchword_select::Answer;

use crate::paths::{PathId, Paths};
use crate::points::Point;
use crate::selected;
use crate::test::Test;

/// A route: a position in [`Routes::table`].
pub type RouteId = usize;

/// Names that lead nowhere are remembered up to this many.
const REMEMBERED: usize = 1 << 16;

/// What the readers know about a declared event.
#[derive(Clone, Debug)]
pub struct EventInfo {
    /// The name.
    pub name: Box<str>,
    /// Names and types of the parameters.
    pub params: Vec<(Box<str>, Type)>,
    /// Fields of the record that serve as arguments where it has none of its own.
    pub flat: Vec<PathId>,
    /// Whether further arguments may follow.
    pub variadic: bool,
}

/// Where records of one name lead.
#[derive(Clone, Debug)]
pub struct Route {
    /// The kind of name.
    pub point: Point,
    /// The name.
    pub name: Box<str>,
    /// The events, in the order of their declarations.
    pub targets: Vec<Target>,
    /// How many records came along.
    pub records: u64,
}

/// An event a record stands for, if the conditions hold.
#[derive(Clone, Debug)]
pub struct Target {
    /// The event.
    pub event: EventId,
    /// What the record must be like, beyond its name.
    pub conditions: Vec<Condition>,
    /// Where the arguments are.
    pub how: How,
}

/// Where the arguments of an event are in a record.
#[derive(Clone, Debug)]
pub enum How {
    /// Under `args`, by name or position; or in fields named like the parameters.
    Direct {
        /// Another source says where the arguments are of records that have no fitting `args`.
        only_with_args: bool,
    },
    /// The source says where, per parameter.
    Captures(Vec<(usize, Term)>),
}

/// A piece of a record.
#[derive(Clone, Debug)]
pub enum Term {
    /// An argument by position.
    Arg(usize),
    /// An argument of a call, the receiver not counted.
    CallArg(usize),
    /// A field; if it is missing, the named argument.
    Field(PathId, Option<Box<str>>),
    /// The thread as an object.
    ThreadObject,
    /// The thread as a number.
    ThreadNumber,
    /// The line of the location.
    Line,
    /// The record's name.
    Name,
    /// The names a field lists; if it is missing, the record's name.
    Names(PathId),
    /// The whole record as text.
    Record,
}

/// What a record must be like.
#[derive(Clone, Debug)]
pub enum Condition {
    /// A field, if it is there, is this text.
    FieldOrAbsent(PathId, Box<str>),
    /// A field is there and like this.
    Field(PathId, Glob),
    /// This holds of fields.
    Test(Arc<Test>),
    /// A field, if it is there, is like this.
    LikeOrAbsent(PathId, Glob),
    /// This selects what the record tells about.
    Selected(Arc<JvmSource>),
    /// The exception is of this class, as far as the record tells.
    Thrown(Box<str>),
    /// Inside (or outside) of this type or method.
    Within(Within),
}

/// Fields of program records that conditions look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointFields {
    /// `static`: a call without a receiver.
    pub is_static: PathId,
    /// `params`: names of the parameter types.
    pub params: PathId,
    /// `supers`: names of the owner's supertypes.
    pub supers: PathId,
    /// `value`: what was returned, read or written.
    pub value: PathId,
    /// `returns`: the type of the result.
    pub returns: PathId,
    /// `annotations`: names of those of the method or field.
    pub annotations: PathId,
    /// `thrown`: names of the exception's class and of its superclasses.
    pub thrown: PathId,
    /// `type`: that of the field.
    pub ty: PathId,
    by: PathId,
    when: PathId,
    module: PathId,
    from: PathId,
    scope: PathId,
}

/// A compiled source.
#[derive(Clone, Debug)]
enum Compiled {
    /// Records of the declared name.
    Named,
    /// Structured records.
    Log(LogSelect, How),
    /// JVM program points.
    Jvm(Arc<JvmSource>, How),
    /// Native program points.
    Native(NativeSource, How),
}

/// All routes of a model.
#[derive(Clone, Debug)]
pub struct Routes {
    /// The declared events, by [`EventId`].
    pub events: Vec<EventInfo>,
    /// The fields that sources ask for.
    pub paths: Paths,
    /// Fields of program records.
    pub fields: PointFields,
    /// Routes found so far.
    pub table: Vec<Route>,
    /// Records whose name was not remembered.
    pub forgotten: u64,
    sources: Vec<(EventId, Compiled)>,
    /// Names come from a file that the user chose to check: those that collide on purpose slow this run down.
    cache: Vec<FxHashMap<Box<str>, RouteId>>,
}

impl Routes {
    /// The routes of a model; text patterns are not among them.
    pub fn new(model: &Model) -> Routes {
        let mut paths = Paths::new();
        let mut events = Vec::new();
        let mut sources = Vec::new();
        let has_points = model.events.iter().any(|e| match &e.origin {
            Origin::World(sources) => sources.iter().any(|s| !matches!(s, Source::Log(_))),
            _ => false,
        });
        let fields = if has_points {
            let mut field = |name: &str| paths.add(&[name]);
            PointFields {
                is_static: field("static"),
                params: field("params"),
                supers: field("supers"),
                thrown: field("thrown"),
                by: field("by"),
                value: field("value"),
                when: field("when"),
                returns: field("returns"),
                annotations: field("annotations"),
                ty: field("type"),
                module: field("module"),
                from: field("from"),
                scope: field("scope"),
            }
        } else {
            PointFields::default()
        };
        for (index, decl) in model.events.iter().enumerate() {
            let id = EventId::from_index(index);
            let world = match &decl.origin {
                Origin::World(world) => Some(world),
                _ => None,
            };
            let params: Vec<(Box<str>, Type)> =
                decl.params.iter().map(|p| (p.name.as_str().into(), p.ty)).collect();
            let flat = match world {
                Some(_) => params.iter().map(|(name, _)| paths.add(&[name])).collect(),
                None => Vec::new(),
            };
            events.push(EventInfo {
                name: decl.name.as_str().into(),
                params,
                flat,
                variadic: decl.variadic,
            });
            let Some(world) = world else { continue };
            // A record whose fields a source describes is read as the source says; one that has
            // arguments of its own by name.
            sources.push((id, Compiled::Named));
            for source in world {
                let compiled = match source {
                    Source::Log(log) => {
                        if let LogSelect::Regex(_) = log.select {
                            continue;
                        }
                        if let LogSelect::Where(test) = &log.select {
                            test.each(&mut |test| {
                                if let Some(field) = test.field() {
                                    paths.add(field);
                                }
                            });
                        }
                        let captures = log.captures.iter();
                        let captures =
                            captures.map(|c| (c.param, log_term(&c.term, &mut paths))).collect();
                        Compiled::Log(log.select.clone(), How::Captures(captures))
                    }
                    Source::Jvm(jvm) => {
                        let captures = jvm.captures.iter();
                        let captures =
                            captures.map(|c| (c.param, jvm_term(&c.term, &mut paths))).collect();
                        Compiled::Jvm(Arc::new(jvm.clone()), How::Captures(captures))
                    }
                    Source::Native(native) => {
                        let captures = native.captures.iter();
                        let captures =
                            captures.map(|c| (c.param, native_term(&c.term, &mut paths))).collect();
                        Compiled::Native(native.clone(), How::Captures(captures))
                    }
                };
                sources.push((id, compiled));
            }
        }
        Routes {
            events,
            paths,
            fields,
            table: Vec::new(),
            forgotten: 0,
            sources,
            cache: (0..Point::COUNT).map(|_| FxHashMap::default()).collect(),
        }
    }

    /// Whether some event has that name.
    pub fn is_event(&self, name: &str) -> bool {
        self.events.iter().any(|e| *e.name == *name)
    }

    /// Whether some event has a parameter of that name.
    pub fn is_param(&self, name: &str) -> bool {
        self.events.iter().any(|e| e.params.iter().any(|(p, _)| **p == *name))
    }

    /// Whether some source says which fields of records it wants.
    pub fn asks_for_fields(&self) -> bool {
        self.sources.iter().any(|(_, source)| matches!(source, Compiled::Log(..)))
    }

    /// Where records of that name lead.
    #[inline]
    pub fn find(&mut self, point: Point, name: &str) -> Option<RouteId> {
        match self.cache[point.index()].get(name) {
            Some(route) => Some(*route),
            None => self.resolve(point, name),
        }
    }

    #[cold]
    #[inline(never)]
    fn resolve(&mut self, point: Point, name: &str) -> Option<RouteId> {
        let mut targets: Vec<Target> = Vec::new();
        for (event, source) in &self.sources {
            if let Some((conditions, how)) = self.apply(*event, source, point, name) {
                targets.push(Target { event: *event, conditions, how });
            }
        }
        for i in 1..targets.len() {
            let (before, after) = targets.split_at_mut(i);
            if before[i - 1].event == after[0].event
                && let How::Direct { only_with_args } = &mut before[i - 1].how
            {
                *only_with_args = true;
            }
        }
        if targets.is_empty() && self.table.len() >= REMEMBERED {
            self.forgotten += 1;
            return None;
        }
        let id = self.table.len();
        self.table.push(Route { point, name: name.into(), targets, records: 0 });
        self.cache[point.index()].insert(name.into(), id);
        Some(id)
    }

    /// Under which conditions a record of that name is an event of that source.
    fn apply(
        &self,
        event: EventId,
        source: &Compiled,
        point: Point,
        name: &str,
    ) -> Option<(Vec<Condition>, How)> {
        match source {
            Compiled::Named => (point == Point::EVENT && *self.events[event.index()].name == *name)
                .then_some((Vec::new(), How::Direct { only_with_args: false })),
            Compiled::Log(LogSelect::Record(wanted), how) => {
                (point == Point::EVENT && wanted == name).then(|| (Vec::new(), how.clone()))
            }
            Compiled::Log(LogSelect::Where(test), how) => {
                // What is to be equal is a condition of its own: near misses tell which one failed.
                let tests = match test {
                    LogTest::All(tests) => &tests[..],
                    test => std::slice::from_ref(test),
                };
                let conditions = tests.iter().map(|test| match test {
                    LogTest::Like(path, glob) => {
                        Condition::Field(self.paths.find(path).unwrap_or_default(), glob.clone())
                    }
                    test => Condition::Test(Arc::new(Test::new(test, &self.paths))),
                });
                Some((conditions.collect(), how.clone()))
            }
            Compiled::Log(LogSelect::Regex(_), _) => None,
            Compiled::Jvm(jvm, how) => {
                if Point::of_jvm(&jvm.point, jvm.when) != Some(point) {
                    return None;
                }
                Some((self.jvm_conditions(jvm, point, name)?, how.clone()))
            }
            Compiled::Native(native, how) => {
                if Point::of_native(&native.point, native.when) != Some(point) {
                    return None;
                }
                Some((self.native_conditions(native, point, name)?, how.clone()))
            }
        }
    }

    fn jvm_conditions(
        &self,
        jvm: &Arc<JvmSource>,
        point: Point,
        name: &str,
    ) -> Option<Vec<Condition>> {
        let mut conditions = match selected::by_name(&jvm.point, point, name) {
            Answer::No => return None,
            Answer::Yes => Vec::new(),
            Answer::Maybe(_) => vec![Condition::Selected(jvm.clone())],
        };
        if point.has_sides() {
            let side = if jvm.when == JvmWhen::Before { "before" } else { "after" };
            conditions.push(Condition::FieldOrAbsent(self.fields.when, side.into()));
        }
        conditions.extend(jvm.thrown.iter().map(|class| Condition::Thrown(class.as_str().into())));
        // If the JDK threw it, the called method did.
        conditions.extend(match jvm.thrown_by {
            ThrownBy::Anybody => None,
            ThrownBy::Itself => {
                Some(Condition::LikeOrAbsent(self.fields.by, Glob::new("{itself,jdk}")))
            }
            ThrownBy::Jdk => Some(Condition::FieldOrAbsent(self.fields.by, "jdk".into())),
        });
        conditions.extend(jvm.within.iter().cloned().map(Condition::Within));
        Some(conditions)
    }

    fn native_conditions(
        &self,
        native: &NativeSource,
        point: Point,
        name: &str,
    ) -> Option<Vec<Condition>> {
        let mut conditions = match &native.point.pattern {
            NativePattern::Named(glob) => glob.matches(name).then(Vec::new)?,
            NativePattern::Variable(NativeVariable { term, scope }) => {
                (term.to_string() == name).then_some(())?;
                let scope = scope.iter();
                scope
                    .map(|s| Condition::FieldOrAbsent(self.fields.scope, s.as_str().into()))
                    .collect()
            }
        };
        if point.has_sides() {
            let side = if native.when == NativeWhen::Before { "before" } else { "after" };
            conditions.push(Condition::FieldOrAbsent(self.fields.when, side.into()));
        }
        match native.caller {
            // Recorded calls are those of the program, unless the record says otherwise.
            Some(NativeCaller::Outside) => {
                conditions.push(Condition::FieldOrAbsent(self.fields.from, "outside".into()));
            }
            Some(NativeCaller::Inside) => {
                conditions.push(Condition::Field(self.fields.from, Glob::new("inside")));
            }
            None => {}
        }
        if let Some(module) = native.module.as_ref().filter(|_| !native.is_in_c_library()) {
            conditions.push(Condition::LikeOrAbsent(self.fields.module, module.clone()));
        }
        Some(conditions)
    }
}

fn log_term(term: &LogTerm, paths: &mut Paths) -> Term {
    match term {
        LogTerm::Field(path) => {
            let single = (path.len() == 1).then(|| path[0].as_str().into());
            Term::Field(paths.add(path), single)
        }
        LogTerm::Group(name) => Term::Field(paths.add(&[name]), None),
        LogTerm::Position(index) => Term::Arg(*index as usize),
        LogTerm::Line => Term::Record,
    }
}

fn jvm_term(term: &JvmTerm, paths: &mut Paths) -> Term {
    let mut field = |path: &[&str]| Term::Field(paths.add(path), None);
    match term {
        JvmTerm::Receiver => Term::Arg(0),
        JvmTerm::Arg(index) => Term::CallArg(*index as usize),
        JvmTerm::Result | JvmTerm::Value => field(&["value"]),
        JvmTerm::Exception => field(&["exception"]),
        JvmTerm::This => field(&["this"]),
        JvmTerm::LocalName(name) => field(&["locals", name]),
        JvmTerm::LocalSlot(slot) => field(&["locals", &slot.to_string()]),
        JvmTerm::Array => field(&["array"]),
        JvmTerm::Index => field(&["index"]),
        JvmTerm::Object => field(&["object"]),
        JvmTerm::Thread => Term::ThreadObject,
        JvmTerm::Class => field(&["class"]),
        JvmTerm::Method => field(&["method"]),
        JvmTerm::Line => Term::Line,
        JvmTerm::Expression => field(&["expression"]),
        JvmTerm::OpcodeName => field(&["mnemonic"]),
        JvmTerm::BlockId => field(&["id"]),
        JvmTerm::Successors => field(&["successors"]),
        JvmTerm::Predecessors => field(&["predecessors"]),
        JvmTerm::LoopDepth => field(&["depth"]),
        JvmTerm::Target => Term::Name,
        JvmTerm::Names => Term::Names(paths.add(&["names"])),
        JvmTerm::Field(..)
        | JvmTerm::Call(..)
        | JvmTerm::StaticField(..)
        | JvmTerm::Holds(_)
        | JvmTerm::Java(_) => field(&["terms", &jvm_text(term)]),
        // A record has values; which objects are equal is known where they are.
        JvmTerm::Equal(inner) => jvm_term(inner, paths),
    }
}

/// A captured term as records name it: `receiver.size()`, `arg 0.name`.
fn jvm_text(term: &JvmTerm) -> String {
    match term {
        JvmTerm::Receiver => "receiver".into(),
        JvmTerm::Arg(index) => format!("arg {index}"),
        JvmTerm::Result => "result".into(),
        JvmTerm::Exception => "exception".into(),
        JvmTerm::This => "this".into(),
        JvmTerm::LocalName(name) => name.clone(),
        JvmTerm::LocalSlot(slot) => format!("local {slot}"),
        JvmTerm::Value => "value".into(),
        JvmTerm::Array => "array".into(),
        JvmTerm::Index => "index".into(),
        JvmTerm::Object => "object".into(),
        JvmTerm::Thread => "thread".into(),
        JvmTerm::Field(inner, name) => format!("{}.{name}", jvm_text(inner)),
        JvmTerm::Call(inner, name) => format!("{}.{name}()", jvm_text(inner)),
        JvmTerm::StaticField(owner, name) => format!("{owner}.{name}"),
        JvmTerm::Holds(inner) => format!("holds {}", jvm_text(inner)),
        JvmTerm::Java(_) => term.to_string(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn native_term(term: &NativeTerm, paths: &mut Paths) -> Term {
    match term {
        NativeTerm::Arg(index) => Term::Arg(*index as usize),
        NativeTerm::Ret | NativeTerm::Value => Term::Field(paths.add(&["value"]), None),
        NativeTerm::Address => Term::Field(paths.add(&["address"]), None),
        NativeTerm::Thread => Term::ThreadNumber,
        // Records hold values, not registers that could be read in several ways.
        NativeTerm::Cast(_, inner) => native_term(inner, paths),
        _ => Term::Field(paths.add(&["terms", &term.to_string()]), None),
    }
}
