//! Which instructions are sites of which events: call selectors against call instructions.

use std::cell::RefCell;
use std::collections::HashMap;

use watchword_classfile::simulate::has_receiver;
use watchword_classfile::{Constants, Flags, Instruction, Member, MethodDescriptor, access};
use watchword_model::{
    Capture, Expr, JoinPoint, JvmSource, JvmTerm, JvmWhen, MethodPattern, Model, Origin,
    ParamPattern, Property, Source, TypePattern,
};

use super::lower::Target;
use super::methods;
use crate::body::When;
use crate::equality::is_equal;
use crate::machine::{Letter, Machines, Unsupported};
use crate::mistake::Mistake;

/// A site: an instruction and an event that happens there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Bytecode offset.
    pub offset: u32,
    /// The event.
    pub letter: Letter,
    /// Before, after, after an exception.
    pub when: When,
    /// What the parameters of the letter are bound to, in the order of its `binds`.
    pub terms: Vec<Term>,
    /// Whether the event happens whenever control passes.
    pub certain: bool,
}

/// What of a call an event binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// The object it is on.
    Receiver,
    /// An argument, the receiver not counted.
    Arg(u32),
    /// What it returned.
    Result,
    /// Something else.
    Other,
}

/// How a call gets the object it is about.
#[derive(Clone, Copy)]
enum How {
    /// It has none.
    Static,
    /// It is on one.
    On,
    /// It makes it; or perhaps it goes on making it.
    Makes { surely: bool },
    /// The constructor that a method reference stands for makes one.
    MakesLater,
}

/// Whether what a term gives can be followed: what the call itself is given or returns, or no object
/// that anybody follows.
pub fn is_followed(term: &JvmTerm) -> bool {
    match term {
        JvmTerm::Receiver | JvmTerm::Arg(_) | JvmTerm::Result | JvmTerm::Thread => true,
        JvmTerm::Class | JvmTerm::Method | JvmTerm::Line | JvmTerm::OpcodeName => true,
        JvmTerm::BlockId | JvmTerm::Successors | JvmTerm::Predecessors => true,
        JvmTerm::LoopDepth | JvmTerm::Target | JvmTerm::Names => true,
        JvmTerm::Equal(term) => is_followed(term),
        _ => false,
    }
}

/// What relates types by name; `None`: a class is missing.
pub trait Types {
    /// Whether a class is another or extends or implements it. Internal names.
    fn is_subtype(&self, sub: &str, sup: &str) -> Option<bool>;
    /// The class that declares the method an instruction means.
    fn declaring(&self, class: &str, name: &str, descriptor: &str) -> Option<String>;
    /// All names of a class and its supertypes.
    fn supertypes(&self, class: &str) -> Option<std::rc::Rc<Vec<String>>>;
    /// Whether some object may be of both types.
    fn may_share(&self, one: &str, two: &str) -> bool;
}

/// Class, name and descriptor as an instruction has them.
type Called = (String, String, String);

/// The call selectors of a property's events.
pub struct Selector<'m> {
    sources: Vec<(Letter, &'m JvmSource, &'m MethodPattern)>,
    machines: &'m Machines,
    /// By letter: what the called method must be like for the event to exist.
    filters: HashMap<Letter, Expr>,
    /// By what an instruction names: which sources select it, and how surely.
    known: RefCell<HashMap<Called, Vec<(usize, bool)>>>,
}

impl<'m> Selector<'m> {
    /// The selectors of a property's events, or why they are not followed.
    pub fn new(model: &'m Model, machines: &'m Machines) -> Result<Selector<'m>, Unsupported> {
        let mut sources = Vec::new();
        for (letter, info) in machines.letters.iter().enumerate() {
            let Origin::World(all) = &model.events[info.event.index()].origin else {
                return Err(Unsupported(format!("`{}` is no event of a program", info.name)));
            };
            for source in all {
                let Source::Jvm(source) = source else { continue };
                if source.captures.iter().any(|c| is_equal(&c.term)) {
                    return Err(Unsupported(format!(
                        "objects of `{}` are compared by `equals`",
                        info.name
                    )));
                }
                let JoinPoint::Call(pattern) = &source.point else {
                    return Err(Unsupported(format!(
                        "`{}` happens elsewhere than at calls",
                        info.name
                    )));
                };
                sources.push((letter, source, pattern));
            }
        }
        let filters = HashMap::new();
        Ok(Selector { sources, machines, filters, known: RefCell::default() })
    }

    /// Only events that exist for a property.
    pub fn observed_by(mut self, model: &Model, property: &Property) -> Selector<'m> {
        for (letter, info) in self.machines.letters.iter().enumerate() {
            let observed = property.observes(info.event).and_then(|o| o.filter.clone());
            if let Some(filter) = observed
                && methods::names_methods(&model.events[info.event.index()])
            {
                self.filters.insert(letter, filter);
            }
        }
        self
    }

    /// The letters of all events.
    pub fn all_letters(&self) -> crate::machine::Letters {
        self.sources.iter().fold(0, |set, (letter, ..)| set | 1 << letter)
    }

    /// Whether no event has a source in a JVM.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The sites of a method, in order.
    pub fn sites(
        &self,
        method: Member<'_, '_>,
        instructions: &[Instruction<'_>],
        types: &dyn Types,
    ) -> Vec<Found> {
        let mut found = Vec::new();
        let pool = method.class().pool();
        for instruction in instructions {
            if !instruction.opcode.is(Flags::INVOKE) {
                continue;
            }
            let Some(index) = instruction.constant() else { continue };
            let Ok(member) = pool.member(index) else { continue };
            // What the compiler's bridges hand over to was called where the bridge was.
            if method.has_access(access::BRIDGE)
                && method.name().is_ok_and(|name| name == member.name)
            {
                continue;
            }
            let key = (
                member.class.to_str().into_owned(),
                member.name.to_str().into_owned(),
                member.descriptor.to_str().into_owned(),
            );
            let mut known = self.known.borrow_mut();
            let selected = known.entry(key).or_insert_with_key(|(class, name, descriptor)| {
                self.select(class, name, descriptor, types)
            });
            let how = match (has_receiver(instruction.opcode), member.name == "<init>") {
                // In a constructor it may be `super(…)` or `this(…)`, where no event happens.
                (_, true) => How::Makes { surely: !method.name().is_ok_and(|n| n == "<init>") },
                (true, false) => How::On,
                (false, false) => How::Static,
            };
            let selected = selected.iter();
            found.extend(selected.map(|one| self.found(*one, instruction.offset, how)));
        }
        found
    }

    /// An event of a source at an instruction that calls a method in some way.
    fn found(&self, (source, certain): (usize, bool), offset: u32, how: How) -> Found {
        let (letter, source, _) = self.sources[source];
        let binds = &self.machines.letters[letter].binds;
        let term = |argument: u32| {
            let capture = source.captures.iter().find(|c| c.param == argument as usize);
            match (capture.map(|c| &c.term), how) {
                (Some(JvmTerm::Arg(n)), _) => Term::Arg(*n),
                (Some(JvmTerm::Receiver | JvmTerm::Result), How::Makes { .. }) => Term::Receiver,
                (Some(JvmTerm::Receiver), How::On) => Term::Receiver,
                (Some(JvmTerm::Result), How::On | How::Static) => Term::Result,
                _ => Term::Other,
            }
        };
        let when = match source.when {
            JvmWhen::Before => When::Before,
            JvmWhen::After => When::After,
            JvmWhen::Throwing => When::Throwing,
        };
        let terms: Vec<Term> = binds.iter().map(|(_, argument)| term(*argument)).collect();
        // What is not made yet is bound to nothing, and then the event is about nobody.
        let happens = match how {
            How::Makes { surely } => {
                let made = when == When::After || !terms.contains(&Term::Receiver);
                surely && made || Mistake::MadeBefore.is_made()
            }
            How::On | How::Static | How::MakesLater => true,
        };
        // Where a selector is restricted to some methods, lambdas of them included,
        // the event may also not happen here.
        let certain = certain && source.within.is_empty() && happens;
        Found { offset, letter, when, terms, certain }
    }

    /// Why what events bind cannot be followed: an object may be bound that nobody has given to the
    /// call.
    pub fn unfollowed(&self) -> Option<Unsupported> {
        self.sources.iter().find_map(|(letter, source, _)| {
            let info = &self.machines.letters[*letter];
            let bound = |c: &&Capture<JvmTerm>| {
                info.binds.iter().any(|(_, argument)| c.param == *argument as usize)
            };
            source.captures.iter().filter(bound).any(|c| !is_followed(&c.term)).then(|| {
                let why = "binds something other than receiver, arguments and result of a call";
                Unsupported(format!("`{}` {why}", info.name))
            })
        })
    }

    /// The events that the method may raise which a method reference at an offset stands for.
    pub fn referred(&self, target: &Target, offset: u32, types: &dyn Types) -> Vec<Found> {
        const INVOKE_STATIC: u8 = 6;
        const NEW: u8 = 8;
        let Target::Lambda { name, descriptor, kind, named, .. } = target else {
            return Vec::new();
        };
        let mut selected = self.select(&named.class, name, descriptor, types);
        if let Some(also) = &named.also {
            // What is selected by one name happens perhaps, what is by both for sure.
            let other = self.select(also, name, descriptor, types);
            selected.iter_mut().for_each(|one| one.1 &= other.contains(one));
            let known: Vec<usize> = selected.iter().map(|(source, _)| *source).collect();
            let more = other.into_iter().filter(|(source, _)| !known.contains(source));
            selected.extend(more.map(|(source, _)| (source, false)));
        }
        let how = match *kind {
            INVOKE_STATIC => How::Static,
            NEW => How::MakesLater,
            _ => How::On,
        };
        selected.into_iter().map(|one| self.found(one, offset, how)).collect()
    }

    /// The letters of events that a call of a method by name may raise.
    pub fn letters_of(
        &self,
        class: &str,
        name: &str,
        descriptor: &str,
        types: &dyn Types,
    ) -> crate::machine::Letters {
        let selected = self.select(class, name, descriptor, types);
        selected.into_iter().fold(0, |set, (source, _)| set | 1 << self.sources[source].0)
    }

    /// Whether a call of a method of this name may be selected.
    pub fn names(&self, name: &str) -> bool {
        self.sources.iter().any(|(_, _, p)| p.negated || p.name.matches(name))
    }

    fn select(
        &self,
        class: &str,
        name: &str,
        descriptor: &str,
        types: &dyn Types,
    ) -> Vec<(usize, bool)> {
        let selects = |pattern: &MethodPattern| {
            // Negation is over the whole pattern.
            let one = method(pattern, class, name, descriptor, types);
            match (one, pattern.negated) {
                (one, false) => one,
                (Some(true), true) => None,
                (Some(false), true) => Some(false),
                (None, true) => Some(true),
            }
        };
        self.sources
            .iter()
            .enumerate()
            .filter(|(_, (letter, _, _))| match self.filters.get(letter) {
                Some(filter) => methods::names(class, name, types)
                    .is_none_or(|names| methods::may_hold(filter, &names)),
                None => true,
            })
            .filter_map(|(index, (_, _, pattern))| Some((index, selects(pattern)?)))
            .collect()
    }
}

/// Whether a method fits a pattern: `None` no, `Some(false)` depends on the object, `Some(true)` yes.
fn method(
    pattern: &MethodPattern,
    class: &str,
    name: &str,
    descriptor: &str,
    types: &dyn Types,
) -> Option<bool> {
    if !pattern.name.matches(name) {
        return None;
    }
    let mut sure = pattern.annotations.is_empty();
    let parsed =
        MethodDescriptor::parse(watchword_classfile::JStr::new(descriptor.as_bytes())).ok()?;
    if let Some(patterns) = &pattern.params {
        let given: Vec<String> = parsed.parameters().map(|p| p.to_string()).collect();
        if !params(patterns, &given, types) {
            return None;
        }
    }
    if let Some(returns) = &pattern.returns {
        let result = parsed.result().map_or("void".to_owned(), |r| r.to_string());
        if named(returns, &result, types) == Some(false) {
            return None;
        }
    }
    match type_matches(&pattern.owner, class, types) {
        Some(true) => {}
        None => sure = false,
        Some(false) => {
            // An object of a selected type may be called through a type above it.
            let literal = pattern.owner.name.is_literal() && pattern.owner.subtypes;
            let selected = pattern.owner.name.text().replace('.', "/");
            if !pattern.owner.subtypes && !pattern.owner.negated {
                // The pattern may name the class the method is inherited from.
                match types.declaring(class, name, descriptor) {
                    Some(owner) if type_matches(&pattern.owner, &owner, types) == Some(false) => {
                        return None;
                    }
                    Some(_) => {}
                    None => sure = false,
                }
            } else if !literal || pattern.owner.negated || name == "<init>" {
                return None;
            } else {
                // Or through a type beside it, if both have the method.
                let beside = || {
                    types.declaring(&selected, name, descriptor).is_some()
                        && types.may_share(&selected, class)
                };
                match types.is_subtype(&selected, class) {
                    Some(false) if !beside() => return None,
                    _ => sure = false,
                }
            }
        }
    }
    Some(sure)
}

fn params(patterns: &[ParamPattern], given: &[String], types: &dyn Types) -> bool {
    match (patterns, given) {
        ([], []) => true,
        ([ParamPattern::Rest, rest @ ..], _) => {
            (0..=given.len()).any(|skip| params(rest, &given[skip..], types))
        }
        ([ParamPattern::One(one), rest @ ..], [first, others @ ..]) => {
            named(one, first, types) != Some(false) && params(rest, others, types)
        }
        _ => false,
    }
}

/// Whether a type as sources write it fits a pattern.
fn named(pattern: &TypePattern, name: &str, types: &dyn Types) -> Option<bool> {
    if !pattern.subtypes || name.ends_with("[]") {
        return Some(fits(pattern, name) != pattern.negated);
    }
    type_matches(pattern, &name.replace('.', "/"), types)
}

fn fits(pattern: &TypePattern, dotted: &str) -> bool {
    pattern.names(dotted)
}

/// Whether a class, by internal name, fits a pattern; `None` if a missing class decides.
fn type_matches(pattern: &TypePattern, class: &str, types: &dyn Types) -> Option<bool> {
    let found = if fits(pattern, &class.replace('/', ".")) {
        Some(true)
    } else if pattern.subtypes {
        types
            .supertypes(class)
            .map(|all| all.iter().any(|name| fits(pattern, &name.replace('/', "."))))
    } else {
        Some(false)
    };
    let found = if pattern.annotations.is_empty() { found } else { None };
    found.map(|found| found != pattern.negated)
}
