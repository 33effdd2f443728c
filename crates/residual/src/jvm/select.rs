//! Which instructions are sites of which events: call selectors against call instructions.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use watchword_classfile::simulate::{has_receiver, is_by_super};
use watchword_classfile::{Constants, Flags, Instruction, Member, Opcode, access};
use watchword_model::{
    Capture, Expr, JvmSource, JvmTerm, JvmWhen, MethodPattern, Model, Origin, Property, Source,
    Within,
};
use watchword_select::{
    Answer, Called, KnownTypes, Test, Types, are_instances, is_within, matches_method,
};

use super::lower::{Target, lambda};
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
        JvmTerm::LoopDepth | JvmTerm::Target | JvmTerm::Names | JvmTerm::Expression => true,
        JvmTerm::Equal(term) => is_followed(term),
        _ => false,
    }
}

/// Class, name and descriptor as an instruction has them, and whether it is on an object and by `super`.
type Key = (String, String, String, (bool, bool));

/// The call selectors of a property's events.
pub struct Selector<'m> {
    sources: Vec<(Letter, &'m JvmSource, &'m MethodPattern)>,
    machines: &'m Machines,
    /// By letter: what the called method must be like for the event to exist.
    filters: HashMap<Letter, Expr>,
    /// By what an instruction names: which sources select it, and how surely.
    known: RefCell<HashMap<Key, Vec<(usize, bool)>>>,
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
                let Some(pattern) = source.point.called() else {
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
                && model.events[info.event.index()].names_methods()
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
        types: &KnownTypes<'_>,
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
            let on_object = has_receiver(instruction.opcode);
            let owner = member.class.to_str().into_owned();
            let class = method.class().name();
            let by_super =
                class.is_ok_and(|own| is_by_super(instruction.opcode, &own.to_str(), &owner));
            let key = (
                owner,
                member.name.to_str().into_owned(),
                member.descriptor.to_str().into_owned(),
                (on_object, by_super),
            );
            let mut known = self.known.borrow_mut();
            let selected = known.entry(key).or_insert_with_key(|(class, name, descriptor, _)| {
                let called = Called::new(class, name, descriptor, on_object);
                called
                    .map_or(Vec::new(), |called| self.select(&Called { by_super, ..called }, types))
            });
            let how = match (on_object, member.name == "<init>") {
                // In a constructor it may be `super(…)` or `this(…)`, where no event happens.
                (_, true) => How::Makes { surely: !method.name().is_ok_and(|n| n == "<init>") },
                (true, false) => How::On,
                (false, false) => How::Static,
            };
            found.extend(self.found_in(method, selected, instruction.offset, how, types));
        }
        found
    }

    /// The events of sources at an instruction of a method, where they are not restricted to others.
    fn found_in(
        &self,
        method: Member<'_, '_>,
        selected: &[(usize, bool)],
        offset: u32,
        how: How,
        types: &KnownTypes<'_>,
    ) -> Vec<Found> {
        let inside = |within: &[Within]| {
            let (Ok(class), Ok(name)) = (method.class().name(), method.name()) else {
                return types.unknown();
            };
            is_within(within, &class.to_str(), &name.to_str(), types)
        };
        let found =
            |&(source, certain): &(usize, bool)| match inside(&self.sources[source].1.within) {
                Answer::No => None,
                answer => Some(self.found((source, certain && answer == Answer::Yes), offset, how)),
            };
        selected.iter().filter_map(found).collect()
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
        // Which exception it is, only the run tells.
        let certain = certain && happens && source.thrown.is_none();
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

    /// The events that methods may raise which the method references of a method stand for, at the
    /// places of the references.
    pub fn references(
        &self,
        method: Member<'_, '_>,
        instructions: &[Instruction<'_>],
        types: &KnownTypes<'_>,
    ) -> Vec<Found> {
        const INVOKE_STATIC: u8 = 6;
        const NEW: u8 = 8;
        let mut found = Vec::new();
        for instruction in instructions.iter().filter(|i| i.opcode == Opcode::INVOKEDYNAMIC) {
            let target = instruction.constant().and_then(|index| lambda(method.class(), index));
            let Some(Target::Lambda { name, descriptor, kind, named, .. }) = &target else {
                continue;
            };
            let called = Called::new(&named.class, name, descriptor, *kind != INVOKE_STATIC);
            let Some(called) = called else { continue };
            let selected = self.select(&Called { also: named.also.as_deref(), ..called }, types);
            let how = match *kind {
                INVOKE_STATIC => How::Static,
                NEW => How::MakesLater,
                _ => How::On,
            };
            found.extend(self.found_in(method, &selected, instruction.offset, how, types));
        }
        found
    }

    /// The letters of events that a call of a method by name may raise.
    pub fn letters_of(
        &self,
        class: &str,
        name: &str,
        descriptor: &str,
        types: &KnownTypes<'_>,
    ) -> crate::machine::Letters {
        let called = Called::new(class, name, descriptor, true);
        let selected = called.map_or(Vec::new(), |called| self.select(&called, types));
        selected.into_iter().fold(0, |set, (source, _)| set | 1 << self.sources[source].0)
    }

    /// Whether a call of a method of this name may be selected.
    pub fn names(&self, name: &str) -> bool {
        self.sources.iter().any(|(_, _, p)| p.negated || p.name.matches(name))
    }

    /// The sources that select a call, and how surely.
    fn select(&self, called: &Called<'_>, types: &KnownTypes<'_>) -> Vec<(usize, bool)> {
        let names = OnceCell::new();
        let exists = |letter: &Letter| match self.filters.get(letter) {
            Some(filter) => match names.get_or_init(|| methods::names(called, types)) {
                Some(names) if methods::must_hold(filter, names) => Answer::Yes,
                Some(names) if !methods::may_hold(filter, names) => Answer::No,
                // A class is missing, or the filter asks for more than the name.
                _ => Answer::Maybe(Test::Unknown),
            },
            None => Answer::Yes,
        };
        let mut selected = Vec::new();
        for (index, (letter, source, pattern)) in self.sources.iter().enumerate() {
            let exists = exists(letter);
            if exists.may() {
                let matches = matches_method(pattern, called, types);
                match exists.and(matches).and(are_instances(&source.instances, called, types)) {
                    Answer::No => {}
                    answer => selected.push((index, answer == Answer::Yes)),
                }
            }
        }
        selected
    }
}
