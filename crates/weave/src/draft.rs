//! From selected points to sites: which values are passed, which events that means.

use std::collections::BTreeSet;
use std::sync::Arc;

use watchword_model::{JvmTerm, JvmWhen, Model, ProgramEvent, PropertyId, ThrownBy, Value};
use watchword_select::Test as Left;
use watchword_select::{Answer, KnownTypes, Ty, descriptor_of, dotted_type, is_instance};

use crate::answered::Answered;
use crate::body::Body;
use crate::fold::may_hold;
use crate::options::Options;
use crate::point::{Loc, Point, Termed, Val};
use crate::selectors::{Selector, Selectors, moves};
use crate::site::{Arg, Emit, Operand, OperandKind, PointName, Start, Test};
use crate::target::Target;

/// A site before it has a number.
#[derive(Clone, Debug)]
pub struct Draft {
    /// On which side.
    pub when: JvmWhen,
    /// What the point is called.
    pub name: PointName,
    /// The values the hook passes, in order.
    pub values: Vec<(Loc, Operand)>,
    /// The events.
    pub emits: Vec<Emit>,
    /// Tests of types, all of which must hold.
    pub tests: Vec<Test>,
    /// What is asked of the exception.
    pub thrown: Option<Thrown>,
}

/// Who must have thrown an exception, and what it must say.
#[derive(Clone, Debug)]
pub struct Thrown {
    /// Which code.
    pub by: ThrownBy,
    /// What its message or the name of its class contains.
    pub saying: Option<String>,
    /// The position of the exception among the values.
    pub operand: usize,
}

/// What drafting needs to know about everything.
pub struct Drafting<'d> {
    /// The model.
    pub model: &'d Model,
    /// Its sources.
    pub selectors: &'d Selectors,
    /// The options.
    pub options: &'d Options,
    /// The types.
    pub world: &'d KnownTypes<'d>,
    /// What was found out about calls while other classes were woven.
    pub answered: &'d Answered,
}

/// Packages of `java.base`, with those below them.
const JAVA_BASE: [&str; 9] = [
    "java/io/",
    "java/lang/",
    "java/math/",
    "java/net/",
    "java/nio/",
    "java/security/",
    "java/text/",
    "java/time/",
    "java/util/",
];

/// Packages below those that are of other modules.
const ELSEWHERE: [&str; 6] = [
    "java/lang/instrument/",
    "java/lang/management/",
    "java/net/http/",
    "java/util/logging/",
    "java/util/prefs/",
    "java/security/sasl/",
];

/// Whether a type is of a package of `java.base`.
fn is_in_java_base(ty: &str) -> bool {
    let under = |prefixes: &[&str]| prefixes.iter().any(|prefix| ty.starts_with(prefix));
    under(&JAVA_BASE) && !under(&ELSEWHERE)
}

/// What is left to test of a source at a point: of the object; of the exception its class, who threw it and what
/// it says; of values.
type Asked = (Answer, Option<String>, ThrownBy, Option<String>, Vec<Instance>);

/// A value that is left to test: where it is, its declared type, the type to test, and whether it must not be
/// of that.
type Instance = (Loc, String, String, bool);

impl Drafting<'_> {
    /// The sites at a point: one for the sources that match for sure, and one per type that only
    /// the object can tell. What a user should know goes to `notes`.
    pub fn draft(
        &self,
        point: &Point,
        name: PointName,
        when: JvmWhen,
        matched: &[(&Selector, Answer)],
        body: &Body<'_, '_>,
        notes: &mut BTreeSet<String>,
    ) -> Vec<Draft> {
        let asked = |(selector, answer): &(&Selector, Answer)| {
            let instances = self.instances(selector, point)?;
            let (thrown, saying) = (selector.thrown.clone(), selector.saying.clone());
            Some((answer.clone(), thrown, selector.thrown_by, saying, instances))
        };
        let mut answers: Vec<Asked> = matched.iter().filter_map(asked).collect();
        answers.sort();
        answers.dedup();
        let mut drafts = Vec::new();
        for wanted in &answers {
            let (answer, thrown, by, saying, instances) = wanted;
            let mut draft = Draft {
                when,
                name: name.clone(),
                values: Vec::new(),
                emits: Vec::new(),
                tests: Vec::new(),
                thrown: None,
            };
            let tested = point.receiver.as_ref().or(point.object.as_ref());
            let tested = tested.or(point.exception.as_ref());
            let shown = match (answer, tested) {
                (Answer::Maybe(Left::Instance(ty)), Some(val)) => Some((val.loc, ty.clone())),
                _ => {
                    let shown = instances.iter().find(|(.., negated)| !negated);
                    shown.map(|(loc, _, ty, _)| (*loc, ty.clone()))
                }
            };
            let point = &Point { shown, ..point.clone() };
            for (selector, _) in matched.iter().filter(|m| asked(m).as_ref() == Some(wanted)) {
                for emit in self.emits(selector, point, body, &mut draft.values, notes) {
                    // Two sources of an event that say the same are one.
                    let same = |other: &Emit| {
                        other.event == emit.event
                            && format!("{:?}", other.args) == format!("{:?}", emit.args)
                    };
                    match draft.emits.iter_mut().find(|other| same(other)) {
                        Some(other) => {
                            other.properties.extend(&emit.properties);
                            other.properties.sort_unstable();
                            other.properties.dedup();
                            other.for_all = self.is_everyone(other);
                        }
                        None => draft.emits.push(emit),
                    }
                }
            }
            if draft.emits.is_empty() {
                continue;
            }
            if let Answer::Maybe(test) = answer {
                let (ty, negated) = match test {
                    Left::Instance(ty) => (ty, false),
                    Left::NotInstance(ty) => (ty, true),
                    // Where a class is not known, the names have decided.
                    Left::Unknown => continue,
                };
                let Some(val) = tested else { continue };
                let test = self.test(&mut draft.values, val, ty, negated);
                draft.tests.push(test);
            }
            if let Some(class) = thrown {
                let Some(exception) = &point.exception else { continue };
                let test = self.test(&mut draft.values, exception, class, false);
                let (saying, operand) = (saying.clone(), test.operand);
                draft.thrown = by.word().map(|_| Thrown { by: *by, saying, operand });
                draft.tests.push(test);
            }
            for (loc, declared, ty, negated) in instances {
                // The same is asked of the receiver by the method.
                let asked = |asked: &String| asked == ty && tested.is_some_and(|t| t.loc == *loc);
                if !negated && matches!(answer, Answer::Maybe(Left::Instance(ty)) if asked(ty)) {
                    continue;
                }
                let val = Val::new(*loc, declared.clone());
                let test = self.test(&mut draft.values, &val, ty, *negated);
                draft.tests.push(test);
            }
            objects_first(&mut draft);
            drafts.push(draft);
        }
        drafts
    }

    /// What is left to test of the arguments and the result of a call. `None` if one of them cannot be of the
    /// type that is asked for.
    fn instances(&self, selector: &Selector, point: &Point) -> Option<Vec<Instance>> {
        let mut left = Vec::new();
        for instance in &selector.instances {
            let val = match &instance.term {
                JvmTerm::Arg(n) => point.args.get(*n as usize)?.as_ref(),
                JvmTerm::Result => point.result.as_ref(),
                JvmTerm::Receiver => point.receiver.as_ref(),
                JvmTerm::Value => point.value.as_ref(),
                _ => None,
            }?;
            match is_instance(&instance.ty, Ty::of_descriptor(&val.ty), self.world) {
                Answer::Yes => {}
                // Of the receiver the method has decided as far as that is possible.
                Answer::Maybe(Left::Unknown)
                    if instance.term == JvmTerm::Receiver && !instance.ty.negated => {}
                Answer::Maybe(Left::Instance(ty)) => {
                    left.push((val.loc, val.ty.clone(), ty, false))
                }
                Answer::Maybe(Left::NotInstance(ty)) => {
                    left.push((val.loc, val.ty.clone(), ty, true));
                }
                // Where a class is not known, the names have decided.
                Answer::No | Answer::Maybe(Left::Unknown) => return None,
            }
        }
        Some(left)
    }

    /// A test whether a value is of a type, or is not.
    fn test(&self, values: &mut Vec<(Loc, Operand)>, val: &Val, ty: &str, negated: bool) -> Test {
        let by_runtime = !self.is_visible_everywhere(ty);
        Test { operand: operand(values, val), ty: ty.to_string(), negated, by_runtime }
    }

    /// Whether every class can name a type: a public one of `java.base`. Other modules of the JDK are
    /// not read by all modules, nor known to all loaders.
    fn is_visible_everywhere(&self, ty: &str) -> bool {
        is_in_java_base(ty) && self.world.class(ty).is_some_and(|facts| facts.access & 1 != 0)
    }

    fn is_everyone(&self, emit: &Emit) -> bool {
        self.selectors.observers[emit.event.index()] == emit.properties
    }

    fn emits(
        &self,
        selector: &Selector,
        point: &Point,
        body: &Body<'_, '_>,
        values: &mut Vec<(Loc, Operand)>,
        notes: &mut BTreeSet<String>,
    ) -> Vec<Emit> {
        let place = body.place(point.offset);
        let event = selector.event;
        let name = &self.model.events[event.index()].name;
        let mut properties = self.selectors.observers[event.index()].clone();
        properties.retain(|id| {
            let property = &self.model.properties[id.index()].name;
            !self.options.silenced.silences(property, name, &place)
        });
        if properties.is_empty() {
            return Vec::new();
        }
        let mut emits = match (selector.letter, &point.target) {
            (Some(letter), Some(target)) => {
                self.letters(selector, letter, target, point, properties, values)
            }
            _ => {
                let mut args = vec![Arg::Const(Value::Null); selector.params];
                for (param, term) in &selector.captures {
                    let Some(arg) = args.get_mut(*param) else { continue };
                    match self.arg(point.term(term, body, self.world), values) {
                        Ok(found) => *arg = found,
                        Err(why) => {
                            notes.extend(why.map(|why| format!("event {name}: {why}")));
                        }
                    }
                }
                vec![Emit { event, args, properties, for_all: false }]
            }
        };
        for emit in &mut emits {
            emit.for_all = self.is_everyone(emit);
        }
        emits
    }

    fn arg(&self, term: Termed, values: &mut Vec<(Loc, Operand)>) -> Result<Arg, Option<String>> {
        Ok(match term {
            Termed::Val(val) => Arg::Operand(operand(values, &val)),
            Termed::Const(value) => Arg::Const(value),
            Termed::Thread => Arg::Thread,
            Termed::Read(val, mut read) => {
                if let Some(val) = val {
                    read.start = Start::Operand(operand(values, &val));
                }
                Arg::Read(read)
            }
            Termed::Java(call, given) => {
                let mut args = Vec::new();
                for (term, declared) in given.into_iter().zip(&call.args) {
                    // What is not there is null for the code.
                    let arg = self.arg(term, values).unwrap_or(Arg::Const(Value::Null));
                    args.push((arg, declared.primitive));
                }
                Arg::Java { class: call.class, method: call.method, args, keys: call.keys }
            }
            Termed::Nothing(why) => return Err(why),
        })
    }

    /// The event of a call for properties that observe all calls and choose by name.
    fn letters(
        &self,
        selector: &Selector,
        letter: ProgramEvent,
        target: &Target,
        point: &Point,
        properties: Vec<PropertyId>,
        values: &mut Vec<(Loc, Operand)>,
    ) -> Vec<Emit> {
        let method = self.method(letter, target);
        let statics = self.statics(letter, target, point);
        let mut known = vec![method.clone()];
        known.extend(statics.iter().take(DECIDED).cloned());
        let properties: Vec<PropertyId> =
            properties.into_iter().filter(|id| self.concerns(*id, selector, &known)).collect();
        let mut emits = Vec::new();
        if !properties.is_empty() {
            let mut args = vec![Arg::Const(method)];
            let mut push = |val: Option<&Val>| {
                args.push(match val {
                    Some(val) => Arg::Operand(operand(values, val)),
                    None => Arg::Const(Value::Null),
                });
            };
            let constructor = target.name == "<init>";
            let receiver = point.receiver.as_ref().filter(|_| target.virtual_call && !constructor);
            match letter {
                ProgramEvent::Call => {
                    if target.virtual_call && !constructor {
                        push(receiver);
                    }
                    point.args.iter().for_each(|arg| push(arg.as_ref()));
                }
                ProgramEvent::Return => {
                    let object = point.receiver.as_ref().filter(|_| constructor);
                    push(point.result.as_ref().or(object));
                    // Of the arguments only the number is known to matter.
                    let count = point.args.len() + usize::from(target.virtual_call && !constructor);
                    (0..count).for_each(|_| push(None));
                }
                ProgramEvent::Done => {
                    args.extend(statics.iter().cloned().map(Arg::Const));
                    let mut push = |val: Option<&Val>| {
                        args.push(match val {
                            Some(val) => Arg::Operand(operand(values, val)),
                            None => Arg::Const(Value::Null),
                        });
                    };
                    if target.virtual_call {
                        push(point.receiver.as_ref());
                    }
                    point.args.iter().for_each(|arg| push(arg.as_ref()));
                    push(point.result.as_ref());
                }
                // It is no event of calls.
                ProgramEvent::ArrayWrite => {}
            }
            emits.push(Emit { event: selector.event, args, properties, for_all: false });
        }
        emits
    }

    /// Whether some property could care about a call.
    pub fn is_interesting(&self, selector: &Selector, target: &Target, point: &Point) -> bool {
        let Some(letter) = selector.letter else { return true };
        let mut known = vec![self.method(letter, target)];
        known.extend(self.statics(letter, target, point).into_iter().take(DECIDED));
        let observers = &self.selectors.observers[selector.event.index()];
        observers.iter().any(|id| self.concerns(*id, selector, &known))
    }

    /// The names a called method goes by: for `call` and `return` also those by which supertypes
    /// declare it.
    fn method(&self, letter: ProgramEvent, target: &Target) -> Value {
        let names = match letter {
            ProgramEvent::Call | ProgramEvent::Return => self.world.names_of(&target.called()),
            ProgramEvent::Done | ProgramEvent::ArrayWrite => vec![target.full_name()],
        };
        let mut names: Vec<Value> = names.iter().map(|name| Value::str(name)).collect();
        if names.len() == 1 { names.remove(0) } else { Value::List(Arc::new(names)) }
    }

    /// What `done` carries between the name and the values: annotations, and the declared types of
    /// the values, which are those of null. The runtime puts the types that values have in their
    /// place.
    fn statics(&self, letter: ProgramEvent, target: &Target, point: &Point) -> Vec<Value> {
        if letter != ProgramEvent::Done {
            return Vec::new();
        }
        let list = |items: Vec<Value>| Value::List(Arc::new(items));
        let names = |descriptor: &str| {
            let all = self.world.supertype_descriptors(descriptor);
            list(all.iter().map(|d| Value::str(&dotted_type(d))).collect())
        };
        let annotations = point.annotations.iter().map(|name| Value::str(name)).collect();
        let mut types = Vec::new();
        if target.virtual_call {
            types.push(names(&descriptor_of(&target.owner)));
        }
        types.extend(target.params.iter().map(|ty| names(ty)));
        types.push(names(&target.result));
        vec![list(annotations), list(types)]
    }

    /// Whether an event with this static context may concern a property: whether leaving it out
    /// could change anything.
    fn concerns(&self, id: PropertyId, selector: &Selector, known: &[Value]) -> bool {
        let property = &self.model.properties[id.index()];
        let Some(observed) = property.observes(selector.event) else { return false };
        if !may_hold(observed.filter.as_ref(), known) {
            return false;
        }
        let concerned = |transition: &&watchword_model::Transition| {
            transition.labels.iter().any(|label| {
                label.event.is_none_or(|event| event == selector.event)
                    && may_hold(label.guard.as_ref(), known)
            })
        };
        let concerned: Vec<_> = property.transitions.iter().filter(concerned).collect();
        // An observed event that no label matches breaks a word of several letters.
        let words = property.transitions.iter().any(|t| t.labels.len() > 1);
        // An event that enters a window changes what later ones do.
        let enters = property.windows.iter().any(|w| w.label.event == Some(selector.event));
        if words || enters {
            return true;
        }
        if observed.filter.is_some() {
            return !concerned.is_empty();
        }
        concerned.iter().any(|t| moves(t))
    }
}

/// How much of what `done` carries between the name and the values is known before it happens: the
/// annotations. What a value is may be a subtype of what it is declared to be.
const DECIDED: usize = 1;

/// The position of a value among those passed; added if it is not there yet.
fn operand(values: &mut Vec<(Loc, Operand)>, val: &Val) -> usize {
    if let Some(at) = values.iter().position(|(loc, _)| *loc == val.loc) {
        return at;
    }
    let kind = match val.ty.as_bytes().first() {
        Some(b'Z') => OperandKind::Bool,
        Some(b'C') => OperandKind::Char,
        Some(b'B' | b'S' | b'I' | b'J') => OperandKind::Int,
        Some(b'F' | b'D') => OperandKind::Float,
        _ => OperandKind::Object,
    };
    values.push((val.loc, Operand { kind, ty: val.ty.clone() }));
    values.len() - 1
}

/// Gives the operands in an argument their new positions.
fn rename(arg: &mut Arg, position: &dyn Fn(usize) -> usize) {
    match arg {
        Arg::Operand(operand) => *operand = position(*operand),
        Arg::Read(read) => {
            if let Start::Operand(operand) = &mut read.start {
                *operand = position(*operand);
            }
        }
        Arg::Java { args, .. } => args.iter_mut().for_each(|(arg, _)| rename(arg, position)),
        Arg::Const(_) | Arg::Thread => {}
    }
}

/// Sorts the values as hooks pass them, and renames them in the events.
fn objects_first(draft: &mut Draft) {
    let is_long = |index: &usize| draft.values[*index].1.kind != OperandKind::Object;
    let mut order: Vec<usize> = (0..draft.values.len()).collect();
    order.sort_by_key(|index| is_long(index));
    let position = |old: usize| order.iter().position(|o| *o == old).unwrap_or(old);
    for emit in &mut draft.emits {
        emit.args.iter_mut().for_each(|arg| rename(arg, &position));
    }
    for test in &mut draft.tests {
        test.operand = position(test.operand);
    }
    if let Some(thrown) = &mut draft.thrown {
        thrown.operand = position(thrown.operand);
    }
    draft.values = order.iter().map(|old| draft.values[*old].clone()).collect();
}
