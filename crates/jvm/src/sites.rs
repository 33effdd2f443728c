//! Sites as the runtime needs them: which value of a hook becomes which argument of which event.

use std::sync::{Arc, OnceLock};

use watchword_model::{
    EventId, Expr, Location, Model, Place, ProgramEvent, PropertyId, Type, Value,
};
use watchword_plan::{Letter, Role};
use watchword_weave::{Arg, OperandKind, Read, Site, Start, Test, cells};

use crate::homes::Homes;
use crate::texts::{Texts, is_string};

/// Sites are numbered without gaps; the first block holds this many, each of the others twice as
/// many as the one before: few sites take little memory.
const BLOCK: usize = 1 << 8;
/// At most this many blocks: 16 million sites.
const BLOCKS: usize = 16;

/// Sites with neighbouring numbers.
type Block = Box<[OnceLock<Planned>]>;

/// All sites so far. Reading takes no lock: hooks do it for every event.
pub struct Sites {
    blocks: Box<[OnceLock<Block>]>,
}

/// A site.
pub struct Planned {
    /// Where it is.
    pub location: Arc<Location>,
    /// Where it is in the bytecode, as silenced-site files have it: class, method, offset.
    pub place: Box<str>,
    /// Tests that the woven code does not make.
    pub tests: Vec<Test>,
    /// The events for the engine, in order.
    pub emits: Vec<PlannedEmit>,
    /// What the runtime does here by itself.
    pub operations: Operations,
    /// What it has to be asked to do: it cannot know the values.
    pub asked: Vec<Asked>,
    /// The letters of properties whose state is in the objects.
    pub letters: Vec<usize>,
    /// Whether an event is left out: what should be one of two objects is a number.
    pub odd: bool,
    /// Whether every argument is at hand: no Java has to run, no text is to be copied. If some of
    /// them are compared by `equals`, that depends on the objects.
    pub plain: bool,
    /// The objects that are compared by `equals`.
    pub equal: Vec<usize>,
    /// Whether Java code runs here that has to see the events in their order.
    pub ordered: bool,
}

/// What the runtime does at a site by itself, as it knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Operations {
    /// Letters and objects; 0 if there is nothing to do, negative if the engine wants the event, too.
    pub packed: i64,
    /// The choice of each.
    pub choices: i64,
    /// Up to two choices that decide whether there is an event at all, as [`cells::tests`] packs them.
    pub tests: u32,
}

/// An event for objects that have the state of a property.
pub struct Asked {
    /// The letter's number.
    pub letter: usize,
    /// The objects; one twice if there is one only.
    pub objects: [Fetch; 2],
    /// The arguments that the case depends on, by position.
    pub values: Vec<(u32, Fetch)>,
    /// How the case is found out; `None` if the agent has to.
    choice: Option<usize>,
}

/// An event of a site.
pub struct PlannedEmit {
    /// Which.
    pub event: EventId,
    /// Its arguments.
    pub args: Vec<Fetch>,
    /// The properties it is for; `None`: all that observe it.
    pub only: Option<Vec<PropertyId>>,
}

/// How an argument is obtained.
#[derive(Clone)]
pub enum Fetch {
    /// The identity of an object.
    Id(usize),
    /// The identity of the object that stands for all that are equal to one.
    Equal(usize),
    /// What is in an object: the text of a string, the number in a box.
    Content(usize, Type),
    /// The text of a string that is one of these, or the value in a box if boxes are among them;
    /// else the identity. Whether nothing but a string can be there.
    Text(usize, Arc<Texts>, bool),
    /// A `long` as it is.
    Int(usize),
    /// A truth value.
    Bool(usize),
    /// A character: as text.
    Char(usize),
    /// A `double`.
    Float(usize),
    /// An integer for a parameter that wants a float.
    IntAsFloat(usize),
    /// A float for a parameter that wants an integer.
    FloatAsInt(usize),
    /// Known.
    Const(Value),
    /// The current thread.
    Thread,
    /// Fields and calls, and the type wanted.
    Read(Box<Read>, Type),
    /// The types of values, a list of names each: the declared ones, and which object they are of, if
    /// they are of one. The class of the object, if it is not null, takes their place.
    Types(Vec<(Value, Option<usize>)>),
    /// What Java code of a property gives, and the type wanted.
    Java(Box<JavaFetch>, Type),
}

/// A call of Java code of a property.
#[derive(Clone)]
pub struct JavaFetch {
    /// The class, by its place in the model.
    pub class: usize,
    /// Which of its methods.
    pub method: u32,
    /// What it is given.
    pub args: Vec<JavaValue>,
    /// Which of these are the objects that the slice is about.
    pub keys: Vec<u32>,
}

/// What Java code is given.
#[derive(Clone)]
pub enum JavaValue {
    /// An object.
    Object(usize),
    /// A primitive value as it is passed: integers, truth values and characters as a `long`, other numbers
    /// as the bits of a `double`.
    Long(usize),
    /// A primitive value for code that takes an object; the descriptor of its type.
    Boxed(usize, u8),
    /// The current thread.
    Thread,
    /// A text.
    Text(String),
    /// A number.
    Int(i64),
    /// Null, or 0.
    Nothing,
}

impl Sites {
    /// None yet.
    pub fn new() -> Sites {
        Sites { blocks: (0..BLOCKS).map(|_| OnceLock::new()).collect() }
    }

    /// Adds a site; answers whether there was room.
    pub fn add(&self, index: usize, site: Planned) -> bool {
        let (number, at) = place(index);
        let Some(block) = self.blocks.get(number) else { return false };
        let new = || (0..BLOCK << number).map(|_| OnceLock::new()).collect();
        block.get_or_init(new)[at].set(site).is_ok()
    }

    /// A site by its number.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&Planned> {
        let (number, at) = place(index);
        self.blocks.get(number)?.get()?[at].get()
    }
}

/// The block of a site, and its place there.
#[inline]
fn place(index: usize) -> (usize, usize) {
    let number = (index / BLOCK + 1).ilog2() as usize;
    (number, index - BLOCK * ((1 << number) - 1))
}

impl Default for Sites {
    fn default() -> Sites {
        Sites::new()
    }
}

impl Planned {
    /// Works a site out.
    pub fn new(model: &Model, site: &Site, homes: &Homes, texts: &[Option<Arc<Texts>>]) -> Planned {
        let place = &site.place;
        let location = Location {
            file: place.file.as_deref().map(Arc::from),
            line: place.line,
            function: Some(format!("{}.{}", place.class, place.method).into()),
        };
        let mut emits = Vec::new();
        let mut asked = Vec::new();
        let mut odd = false;
        for emit in &site.emits {
            let params = &model.events[emit.event.index()].params;
            let mut args: Vec<Fetch> = (0..)
                .zip(&emit.args)
                .map(|(i, arg)| fetch(model, site, arg, params.get(i).map_or(Type::Any, |p| p.ty)))
                .collect();
            let decl = &model.events[emit.event.index()];
            let asks = |id: &PropertyId| asks_for_types(&model.properties[id.index()]);
            if decl.program == Some(ProgramEvent::Done) && emit.properties.iter().any(asks) {
                of_objects(site, &mut args);
            }
            let mut others = Vec::new();
            for property in &emit.properties {
                match homes.letter(*property, emit.event) {
                    Some((number, letter)) => {
                        let choice = homes.choices.number(letter, &args);
                        let one = Asked::new(number, letter, &args, choice);
                        // A slice of a number is not one of any object: the engine has it.
                        match one.is_of_objects() {
                            true => asked.push(one),
                            false if homes.is_chain(*property) => odd = true,
                            false => others.push(*property),
                        }
                    }
                    None => others.push(*property),
                }
            }
            // A property that compares strings or boxes by value receives its own copy of the event.
            others.retain(|property| {
                let Some(texts) = &texts[property.index()] else { return true };
                let typed = |i: usize| params.get(i).is_some_and(|p| p.ty != Type::Any);
                let args: Vec<Fetch> = (0..)
                    .zip(&args)
                    .map(|(i, arg)| if typed(i) { arg.clone() } else { arg.with(site, texts) })
                    .collect();
                let differ = args.iter().any(|arg| matches!(arg, Fetch::Text(..)));
                if differ {
                    let only =
                        (!emit.for_all || emit.properties.len() > 1).then(|| vec![*property]);
                    emits.push(PlannedEmit { event: emit.event, args, only });
                }
                !differ
            });
            if !others.is_empty() {
                let all = emit.for_all && others.len() == emit.properties.len();
                emits.push(PlannedEmit { event: emit.event, args, only: (!all).then_some(others) });
            }
        }
        let letters = asked.iter().map(|asked| asked.letter).collect();
        let mut tests: Vec<Test> = site.tests.iter().filter(|t| t.by_runtime).cloned().collect();
        let mut operations = Operations::default();
        if let Some(decided) = decided(site, &tests, homes) {
            operations.tests = decided;
            tests.clear();
        }
        let plain = tests.is_empty()
            && emits.iter().flat_map(|e| &e.args).all(|fetch| {
                !matches!(
                    fetch,
                    Fetch::Content(..)
                        | Fetch::Text(..)
                        | Fetch::Char(_)
                        | Fetch::Thread
                        | Fetch::Read(..)
                        | Fetch::Types(_)
                        | Fetch::Java(..)
                )
            });
        let fetches = emits.iter().flat_map(|e| &e.args);
        let equal = fetches.filter_map(|fetch| match fetch {
            Fetch::Equal(at) => Some(*at),
            _ => None,
        });
        let equal = equal.collect();
        let ordered = emits
            .iter()
            .flat_map(|e| &e.args)
            .any(|fetch| matches!(fetch, Fetch::Java(call, _) if model.java[call.class].ordered));
        if tests.is_empty() && site.shape().is_small() && asked.len() <= cells::MAX_OPERATIONS {
            let all: Option<Vec<(i64, usize)>> = asked.iter().map(Asked::operation).collect();
            if let Some(all) = all {
                let (packed, choices): (Vec<i64>, Vec<usize>) = all.into_iter().unzip();
                let packed = cells::operations(&packed, !emits.is_empty());
                (operations.packed, operations.choices) = (packed, cells::choices(&choices));
                asked.clear();
            }
        }
        let plain = plain && asked.is_empty();
        let location = Arc::new(location);
        let place =
            format!("{} {}{} {}", place.class, place.method, place.descriptor, place.offset);
        let place = place.into();
        Planned {
            location,
            place,
            tests,
            emits,
            operations,
            asked,
            letters,
            plain,
            equal,
            odd,
            ordered,
        }
    }
}

/// The tests of a site as choices of the runtime; `None` if it cannot make them.
fn decided(site: &Site, tests: &[Test], homes: &Homes) -> Option<u32> {
    // Without properties in the objects the runtime has no choices.
    if homes.is_empty() || !site.shape().is_small() || tests.len() > cells::MAX_TESTS {
        return None;
    }
    let choice = |test: &Test| match test.operand {
        at @ (0 | 1) => homes.choices.test(&test.ty, test.negated, at == 1),
        _ => None,
    };
    cells::tests(&tests.iter().map(choice).collect::<Option<Vec<_>>>()?)
}

impl Asked {
    fn new(letter: usize, of: &Letter, args: &[Fetch], choice: Option<usize>) -> Asked {
        let arg = |at: u32| args.get(at as usize).cloned().unwrap_or(Fetch::Const(Value::Null));
        let objects = match of.role {
            Role::Leaf(a) | Role::Root(a) => [arg(a), arg(a)],
            Role::Link(a, b) | Role::Grow(a, b) => [arg(a), arg(b)],
        };
        let mut looked_at: Vec<u32> = of.conditions.iter().flat_map(|c| c.args()).collect();
        looked_at.sort_unstable();
        looked_at.dedup();
        let values = looked_at.into_iter().map(|at| (at, arg(at))).collect();
        Asked { letter, objects, values, choice }
    }

    /// Whether it is about objects, or about nothing.
    fn is_of_objects(&self) -> bool {
        let is = |fetch: &Fetch| matches!(fetch, Fetch::Id(_) | Fetch::Const(Value::Null));
        self.objects.iter().all(is)
    }

    /// As the runtime knows it, and its choice; `None` if it has to be asked.
    fn operation(&self) -> Option<(i64, usize)> {
        let second = |fetch: &Fetch| match fetch {
            Fetch::Id(0) => Some(false),
            Fetch::Id(1) => Some(true),
            _ => None,
        };
        let [a, b] = &self.objects;
        Some((cells::operation(self.letter, second(a)?, second(b)?), self.choice?))
    }
}

/// Where `done` carries the types of its values, and the first value.
const TYPES: usize = 2;
const VALUES: usize = 3;

/// Puts the classes of the objects of `done` where their declared types are.
fn of_objects(site: &Site, args: &mut [Fetch]) {
    let Some(Fetch::Const(Value::List(declared))) = args.get(TYPES) else { return };
    let is_object =
        |at: &usize| site.operands.get(*at).is_some_and(|o| o.kind == OperandKind::Object);
    let types = declared.iter().zip(&args[VALUES..]).map(|(declared, value)| {
        let object = match value {
            Fetch::Id(at) | Fetch::Equal(at) => Some(*at),
            _ => None,
        };
        (declared.clone(), object.filter(is_object))
    });
    args[TYPES] = Fetch::Types(types.collect());
}

/// Whether a property asks for the types of values of `done`.
fn asks_for_types(property: &watchword_model::Property) -> bool {
    fn asks(expr: &Expr) -> bool {
        match expr {
            Expr::Read(Place::Arg(at)) => *at as usize == TYPES,
            Expr::Unary(_, a) => asks(a),
            Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => asks(a) || asks(b),
            Expr::If(a, b, c) => asks(a) || asks(b) || asks(c),
            Expr::Builtin(_, args) | Expr::Call(_, args) | Expr::List(args) => {
                args.iter().any(asks)
            }
            _ => false,
        }
    }
    let of_windows = property.windows.iter().map(|w| &w.label);
    let labels = property.transitions.iter().flat_map(|t| &t.labels).chain(of_windows);
    let values = property.windows.iter().filter_map(|w| w.of.as_ref());
    labels.filter_map(|label| label.guard.as_ref()).chain(values).any(asks)
}

impl Fetch {
    /// The same for a property that takes some strings, and perhaps boxes, for their values.
    fn with(&self, site: &Site, texts: &Arc<Texts>) -> Fetch {
        match self {
            Fetch::Id(at) => match site.operands.get(*at) {
                Some(operand) if texts.may_be_in(&operand.ty) => {
                    Fetch::Text(*at, texts.clone(), is_string(&operand.ty))
                }
                _ => self.clone(),
            },
            other => other.clone(),
        }
    }
}

/// How what Java code is given is obtained.
fn given(site: &Site, arg: &Arg, primitive: bool) -> JavaValue {
    match arg {
        Arg::Thread => JavaValue::Thread,
        Arg::Const(Value::Str(text)) => JavaValue::Text(text.to_string()),
        Arg::Const(Value::Int(number)) => JavaValue::Int(*number),
        Arg::Operand(position) => {
            let objects = site.shape().objects;
            let Some(operand) = site.operands.get(*position) else { return JavaValue::Nothing };
            match (operand.kind, primitive) {
                (OperandKind::Object, false) => JavaValue::Object(*position),
                // The code was compiled for another type than the one that is there.
                (OperandKind::Object, true) => JavaValue::Nothing,
                (_, true) => JavaValue::Long(position - objects),
                (_, false) => {
                    let kind = operand.ty.bytes().next().unwrap_or(b'J');
                    JavaValue::Boxed(position - objects, kind)
                }
            }
        }
        Arg::Const(_) | Arg::Read(_) | Arg::Java { .. } => JavaValue::Nothing,
    }
}

/// How an argument of a declared type is obtained.
fn fetch(model: &Model, site: &Site, arg: &Arg, ty: Type) -> Fetch {
    match arg {
        Arg::Const(value) => Fetch::Const(value.clone().coerce(ty).unwrap_or(Value::Null)),
        Arg::Thread => Fetch::Thread,
        Arg::Java { class, method, args, keys } => {
            let Some(class) = model.java.iter().position(|java| java.name == *class) else {
                return Fetch::Const(Value::Null);
            };
            let args = args.iter().map(|(arg, primitive)| given(site, arg, *primitive)).collect();
            let (method, keys) = (*method, keys.clone());
            Fetch::Java(Box::new(JavaFetch { class, method, args, keys }), ty)
        }
        Arg::Read(read) => match (&read.start, &read.steps[..], ty) {
            (Start::Operand(at), [step], Type::Any | Type::Ref) if step.is_equal() => {
                Fetch::Equal(*at)
            }
            _ => Fetch::Read(Box::new(read.clone()), ty),
        },
        Arg::Operand(position) => {
            let objects = site.shape().objects;
            let Some(operand) = site.operands.get(*position) else {
                return Fetch::Const(Value::Null);
            };
            let long = position.saturating_sub(objects);
            match (operand.kind, ty) {
                (OperandKind::Object, Type::Str | Type::Int | Type::Float | Type::Bool) => {
                    Fetch::Content(*position, ty)
                }
                (OperandKind::Object, _) => Fetch::Id(*position),
                (OperandKind::Int | OperandKind::Char, Type::Float) => Fetch::IntAsFloat(long),
                (OperandKind::Char, Type::Str) => Fetch::Char(long),
                (OperandKind::Int | OperandKind::Char, Type::Any | Type::Int) => Fetch::Int(long),
                (OperandKind::Bool, Type::Any | Type::Bool) => Fetch::Bool(long),
                (OperandKind::Float, Type::Any | Type::Float) => Fetch::Float(long),
                (OperandKind::Float, Type::Int) => Fetch::FloatAsInt(long),
                // The declared type fits no value of this kind.
                _ => Fetch::Const(Value::Null),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_place_of_its_own() {
        let mut expected = (0, 0);
        for index in 0..BLOCK * 40 {
            assert_eq!(place(index), expected);
            expected.1 += 1;
            if expected.1 == BLOCK << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
    }
}
