//! What a call may run: methods of the program, of the JDK, or unknown code.

use std::collections::BTreeSet;

use watchword_classfile::access;

use super::hooks::{LOCKED, hands_through};
use super::jdk;
use super::lower::{Names, Target};
use super::program::Program;
use super::runs::overrides_values;
use crate::body::BodyId;
use crate::mistake::Mistake;
use crate::world::{Library, Receiver, Returns, Runs, Targets};

/// The package of a class.
fn package(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

/// What is known about the object of the JDK that one of its methods is called on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    /// It is of the class that is named, or there is none.
    Exact,
    /// It hands through no iterator of the program.
    Plain,
    /// Nothing.
    Vague,
}

impl Program<'_> {
    /// Whether a method that a class of the program inherits from the JDK asks others that the
    /// program has overridden what to return, or gives them what it gets. A copy is of the
    /// program's class.
    fn is_swayed(&self, class: &str, name: &str, descriptor: &str) -> bool {
        self.is_own_class(class)
            && (name == "clone"
                || self.hooks().overridden(class) & jdk::asks(name, descriptor) != 0)
    }

    /// What a call of a method by name may run.
    pub(super) fn resolve(&self, target: &Target, receiver: Receiver) -> Targets {
        let unknown = Targets { unknown: true, ..Targets::default() };
        let (class, name, descriptor, dispatched) = match target {
            Target::Concat => {
                return Targets {
                    library: Some(Library {
                        keeps: 0,
                        calls: !0,
                        returns: Returns::Unknown,
                        view: None,
                        runs: self.any_text(),
                    }),
                    ..Targets::default()
                };
            }
            // To make it runs nothing.
            Target::Lambda { .. } => return Targets { runs: Runs::NOTHING, ..unknown },
            Target::Dynamic => return unknown,
            Target::Method { class, name, descriptor, dispatched } => {
                (class.as_str(), name.as_str(), descriptor.as_str(), *dispatched)
            }
        };
        if class.starts_with('[') {
            return unknown;
        }
        // Where it is not known what a method is, it may be any of the name.
        let namesakes = || Targets { bodies: self.namesakes(name, descriptor), ..unknown.clone() };
        if self.types.load_all(class).is_none() {
            return namesakes();
        }
        let declared = {
            let hierarchy = self.types.hierarchy();
            match hierarchy.resolve_method(class, name, descriptor) {
                Ok(Some(found)) => (found.class.to_owned(), found.access),
                _ => return namesakes(),
            }
        };
        let private = declared.1 & access::PRIVATE != 0;
        let is_final = declared.1 & access::FINAL != 0;
        if !dispatched || private || is_final && receiver == Receiver::Any {
            let inherited = declared.1 & access::STATIC == 0 && !self.is_own_class(&declared.0);
            let swayed = |below: &String| self.is_swayed(below, name, descriptor);
            if inherited && self.below(class).iter().any(swayed) {
                return unknown;
            }
            return self.exactly(&declared.0, declared.1, class, name, descriptor);
        }
        if receiver == Receiver::Library {
            // Its class is not known, that it is the JDK's is.
            let runs = self.runs(class, name, descriptor, false);
            return self.library(class, name, descriptor, On::Plain).map_or(
                Targets { runs, ..unknown },
                |mut library| {
                    library.calls &= !1;
                    Targets { library: Some(library), ..Targets::default() }
                },
            );
        }
        if let Receiver::Exactly(receiver) = receiver {
            let receiver = &*self.types.class_name(receiver);
            if self.types.load_all(receiver).is_none() {
                return namesakes();
            }
            let interface = self.types.hierarchy().is_interface(receiver).unwrap_or(true);
            if interface {
                // An object the JDK made; its class is not known, that it is the JDK's is.
                let runs = self.runs(receiver, name, descriptor, true);
                return self.library(receiver, name, descriptor, On::Exact).map_or(
                    Targets { runs, ..unknown },
                    |mut library| {
                        library.calls &= !1;
                        Targets { library: Some(library), ..Targets::default() }
                    },
                );
            }
            let hierarchy = self.types.hierarchy();
            let Ok(Some(selected)) = hierarchy.select_method(receiver, name, descriptor) else {
                return namesakes();
            };
            let (found, flags) = (selected.class.to_owned(), selected.access);
            drop(hierarchy);
            // Other packages do not override what is only seen in one.
            let seen = access::PUBLIC | access::PROTECTED;
            if declared.1 & seen == 0 && package(&found) != package(&declared.0) {
                return namesakes();
            }
            if !self.is_own_class(&found) && self.is_swayed(receiver, name, descriptor) {
                return unknown;
            }
            let mut targets = self.exactly(&found, flags, receiver, name, descriptor);
            // Methods of the JDK's own objects are the JDK's.
            if let Some(library) = targets.library.as_mut().filter(|_| !self.is_own_class(receiver))
            {
                library.calls &= !1;
            }
            return targets;
        }
        // Any object of the type: what the program's classes below it have for the method, their
        // own or the JDK's, and the JDK's objects.
        let mut targets = Targets::default();
        // Whether more may run than methods of the JDK and what overrides them.
        let mut wild = false;
        let mut inherited = false;
        // Classes of the JDK whose methods are run where the program's own type is asked.
        let mut foreign: BTreeSet<String> = BTreeSet::new();
        let is_asked_by_own = !self.is_platform(class) && !self.is_platform(&declared.0);
        let mut bodies = BTreeSet::new();
        for below in self.below(class).iter() {
            if self.types.load_all(below).is_none() {
                return namesakes();
            }
            // What follows may load classes, so the hierarchy must not stay borrowed.
            let selected = {
                let hierarchy = self.types.hierarchy();
                let selected = hierarchy.select_method(below, name, descriptor);
                selected.map(|found| found.map(|found| (found.class.to_owned(), found.access)))
            };
            let (found, flags) = match selected {
                Ok(None) => continue,
                Err(_) => return namesakes(),
                Ok(Some(found)) => found,
            };
            let is_native = flags & access::NATIVE != 0;
            let key = (found, name.to_owned(), descriptor.to_owned());
            match self.code.ids.get(&key) {
                _ if is_native => {
                    targets.unknown = true;
                    wild |= self.is_own_class(&key.0);
                }
                Some(id) => {
                    bodies.insert(*id);
                }
                None => {
                    inherited = true;
                    wild |= self.is_swayed(below, name, descriptor);
                    if is_asked_by_own && !Mistake::NothingInherited.is_made() {
                        foreign.insert(key.0);
                    }
                }
            }
        }
        // What a class extends that is not there may be anything.
        let torn = self.torn();
        let is_torn = |id: &BodyId| torn.contains(&*self.types.class_name(self.class_of(*id)));
        if !torn.is_empty() {
            let before = bodies.len();
            bodies.extend(self.namesakes(name, descriptor).into_iter().filter(is_torn));
            wild |= bodies.len() > before;
        }
        targets.bodies = bodies.into_iter().collect();
        // A lambda has the methods of objects as they are.
        let is_object = class == "java/lang/Object";
        let lambda = self.has_lambda_of(class);
        wild |= lambda && !is_object;
        let interface = self.types.hierarchy().is_interface(class).unwrap_or(true);
        if interface || is_object {
            wild |= self.hooks().proxied(self, class);
        }
        targets.unknown |= wild || lambda;
        if self.is_platform(class) || self.is_platform(&declared.0) {
            if !wild {
                targets.runs = self.runs_at_most(class, &declared.0, &targets, name, descriptor);
            }
            // A method that the program's class inherits is known by the class of the JDK.
            let known = self
                .library(class, name, descriptor, On::Vague)
                .or_else(|| self.library(&declared.0, name, descriptor, On::Vague));
            match known {
                Some(mut library) => {
                    // A wrapper of the JDK may hand it to any object of the program.
                    if name == "equals" && class != "java/lang/Object" {
                        library.keeps |= !1;
                    }
                    // The JDK's objects call no code of the program; those of a class of the
                    // program that inherits the JDK's method may.
                    if !inherited {
                        library.calls &= !1;
                    }
                    targets.library = Some(library);
                }
                None => targets.unknown = true,
            }
        }
        if let Some(found) = foreign.pop_first() {
            let known = self.library(&found, name, descriptor, On::Vague);
            targets.unknown |= known.is_none() || !foreign.is_empty();
            targets.library = known;
        }
        targets.unknown |= targets.bodies.is_empty() && targets.library.is_none();
        targets
    }

    /// What calls of a method of the JDK may run, those included that override it.
    fn runs_at_most(
        &self,
        class: &str,
        declaring: &str,
        targets: &Targets,
        name: &str,
        descriptor: &str,
    ) -> Runs {
        let class = if self.is_platform(class) { class } else { declaring };
        match targets.bodies.is_empty() {
            true => self.runs(class, name, descriptor, false),
            false if overrides_values(name) => {
                self.runs("java/lang/Object", name, descriptor, false)
            }
            false => Runs::ANYTHING,
        }
    }

    /// A call that runs one method.
    fn exactly(
        &self,
        class: &str,
        flags: u16,
        named: &str,
        name: &str,
        descriptor: &str,
    ) -> Targets {
        let unknown = Targets { unknown: true, ..Targets::default() };
        let key = (class.to_owned(), name.to_owned(), descriptor.to_owned());
        if let Some(id) = self.code.ids.get(&key) {
            let runs = flags & (access::ABSTRACT | access::NATIVE) == 0;
            return if runs {
                Targets { bodies: vec![*id], ..Targets::default() }
            } else {
                Targets { bodies: self.namesakes(name, descriptor), ..unknown }
            };
        }
        let named = if self.code.index.contains_key(named) { class } else { named };
        let found = self
            .library(named, name, descriptor, On::Exact)
            .or_else(|| self.library(class, name, descriptor, On::Exact));
        found.map_or_else(
            || match self.is_platform(class) {
                true => {
                    let named = if self.is_platform(named) { named } else { class };
                    Targets { runs: self.runs(named, name, descriptor, true), ..unknown }
                }
                false => unknown,
            },
            |library| Targets { library: Some(library), ..Targets::default() },
        )
    }

    fn library(&self, class: &str, name: &str, descriptor: &str, on: On) -> Option<Library> {
        let known = jdk::known(class, name, descriptor)?;
        let exact = on == On::Exact;
        if self.code.reveals && descriptor.ends_with("$KeySetView;") {
            return None;
        }
        if jdk::is_pipeline(class) && self.hooks().splits && !Mistake::NobodySplits.is_made() {
            return None;
        }
        let view = match known.returns {
            Returns::View(name) => Some(name),
            _ => None,
        };
        let returns = match known.returns {
            Returns::Fresh(_) if known.same_class => {
                if !exact {
                    return None;
                }
                Returns::Fresh(Some(self.class(class)))
            }
            // Hashtable hands out one shared iterator when it is empty.
            Returns::Fresh(_)
                if self.assumed.fresh_iterators
                    && (on != On::Vague || !self.shared_iterators())
                    || exact && class != "java/util/Hashtable" =>
            {
                Returns::Fresh(Some(self.class("java/util/Iterator")))
            }
            Returns::Fresh(_) => Returns::Unknown,
            Returns::View(_) if !exact => Returns::Unknown,
            // A part of something that hands iterators through hands them through as well.
            Returns::Made | Returns::Part | Returns::Wrapper
                if (on == On::Vague && !Mistake::PartsHandNothing.is_made()
                    || hands_through(class, name))
                    && self.shared_iterators() =>
            {
                Returns::Unknown
            }
            other => other,
        };
        // A constructor without arguments calls no method that could be overridden.
        let primitive = name == "<init>" && !descriptor.contains('L') && !descriptor.contains('[');
        // A collection of unknown class may hand what it gets to one of the program.
        let taken = !exact && self.hooks().takers && jdk::asks(name, descriptor) == jdk::BULK;
        let mut held = if self.hooks().replaces { jdk::holds(class, name) } else { 0 };
        if self.hooks().takers && !Mistake::WrappedKeepQuiet.is_made() {
            held |= jdk::shows_wrapped(class, name);
        }
        let locked = name == "<init>"
            && self.hooks().locks
            && LOCKED.iter().any(|above| self.types.is_subtype(class, above) != Some(false));
        // Exceptions call it while they are made.
        let filled = name == "<init>"
            && self.types.is_subtype(class, "java/lang/Throwable") != Some(false)
            && self.declares("java/lang/Throwable", "fillInStackTrace");
        let keeps = match taken {
            _ if self.hooks().walks || locked || filled => jdk::KEEPS_ALL,
            true => known.keeps | held | !1,
            false => known.keeps | held,
        };
        let made = exact && jdk::is_made(class) && self.below(class).is_empty();
        let runs = self.runs(class, name, descriptor, made);
        let calls = if primitive { 0 } else { !0 };
        Some(Library { keeps, calls, returns, view, runs })
    }
}
