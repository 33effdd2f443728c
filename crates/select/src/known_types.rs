//! Types as class files describe them.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use watchword_classfile::access;
use watchword_model::{internal_names, source_name};

use crate::answer::{Answer, Test};
use crate::called::Called;
use crate::facts::{ClassFacts, Hierarchy, MemberFacts};
use crate::names::full_name;
use crate::ty::Ty;
use crate::types::{Annotated, Types};

const OBJECT: &str = "java/lang/Object";

/// What is known of types, and of which classes it was asked in vain.
pub struct KnownTypes<'h> {
    hierarchy: &'h dyn Hierarchy,
    own: Arc<ClassFacts>,
    /// What counts where a class is missing.
    unknown: Answer,
    supertypes: RefCell<HashMap<String, Above>>,
    /// By name with dots: the class that is meant, and whether that varies.
    named: RefCell<HashMap<String, (String, bool)>>,
    missing: RefCell<BTreeSet<String>>,
    /// See [`KnownTypes::fixed`].
    varies: Cell<bool>,
}

/// A class and everything above it that is known.
#[derive(Clone)]
struct Above {
    names: Rc<[String]>,
    /// Nothing is missing.
    whole: bool,
    /// It may be otherwise for another class.
    varies: bool,
}

impl<'h> KnownTypes<'h> {
    /// The world around a class that is woven: names alone decide about classes that are missing.
    pub fn new(hierarchy: &'h dyn Hierarchy, own: Arc<ClassFacts>) -> KnownTypes<'h> {
        KnownTypes {
            hierarchy,
            own,
            unknown: Answer::No,
            supertypes: RefCell::default(),
            named: RefCell::default(),
            missing: RefCell::default(),
            varies: Cell::new(false),
        }
    }

    /// The world around a program that is analysed: what depends on missing classes may be.
    pub fn open(hierarchy: &'h dyn Hierarchy) -> KnownTypes<'h> {
        let unknown = Answer::Maybe(Test::Unknown);
        KnownTypes { unknown, ..KnownTypes::new(hierarchy, Arc::default()) }
    }

    /// Facts about a class by internal name.
    pub fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        let found = self.find(name);
        if found.is_none() {
            self.missing.borrow_mut().insert(name.to_string());
            self.varies.set(true);
        }
        found
    }

    /// The same, and that it is missing is not worth telling.
    fn find(&self, name: &str) -> Option<Arc<ClassFacts>> {
        if name == self.own.name {
            self.varies.set(true);
            return Some(self.own.clone());
        }
        if !self.hierarchy.is_fixed(name) {
            self.varies.set(true);
        }
        self.hierarchy.class(name)
    }

    /// What a question finds out, and whether the answer is the same around every other class: only
    /// [fixed](Hierarchy::is_fixed) classes were looked at, and none was missing.
    pub fn fixed<T>(&self, question: impl FnOnce() -> T) -> (T, bool) {
        let varied = self.varies.replace(false);
        let answer = question();
        let varies = self.varies.replace(varied);
        self.varies.set(varied || varies);
        (answer, !varies)
    }

    /// Classes that were asked for and are not known.
    pub fn missing(&self) -> Vec<String> {
        self.missing.borrow().iter().cloned().collect()
    }

    /// A class and its known supertypes by internal name: the superclasses upwards, then the interfaces,
    /// nearest first. `Object` is among them also for an interface.
    pub fn supertypes(&self, name: &str) -> Rc<[String]> {
        self.all_above(name).names
    }

    /// Whether everything above a class, or an array, is known.
    pub fn is_whole(&self, class: &str) -> bool {
        self.all_above(if class.starts_with('[') { OBJECT } else { class }).whole
    }

    fn all_above(&self, name: &str) -> Above {
        if let Some(known) = self.supertypes.borrow().get(name) {
            self.varies.set(self.varies.get() || known.varies);
            return known.clone();
        }
        let (found, fixed) = self.fixed(|| self.find_above(name));
        let found = Above { varies: !fixed, ..found };
        self.supertypes.borrow_mut().insert(name.to_string(), found.clone());
        found
    }

    fn find_above(&self, name: &str) -> Above {
        let mut found: Vec<String> = Vec::new();
        let mut whole = true;
        let mut at = Some(name.to_string());
        while let Some(name) = at {
            if found.contains(&name) {
                break;
            }
            at = self.class(&name).and_then(|facts| facts.super_name.clone());
            found.push(name);
        }
        let mut next = 0;
        while next < found.len() {
            match self.class(&found[next]) {
                Some(facts) => {
                    for interface in &facts.interfaces {
                        if !found.contains(interface) {
                            found.push(interface.clone());
                        }
                    }
                }
                None => whole = false,
            }
            next += 1;
        }
        if !found.iter().any(|name| name == OBJECT) {
            found.push(OBJECT.to_string());
        }
        Above { names: found.into(), whole, varies: true }
    }

    /// The descriptors of a type and of its supertypes; a primitive type has none but itself.
    pub fn supertype_descriptors(&self, descriptor: &str) -> Vec<String> {
        let element = descriptor.trim_start_matches('[');
        let prefix = &descriptor[..descriptor.len() - element.len()];
        let mut all = match element.strip_prefix('L').and_then(|n| n.strip_suffix(';')) {
            Some(name) => {
                let names = self.supertypes(name);
                names.iter().map(|name| format!("{prefix}L{name};")).collect()
            }
            None => vec![descriptor.to_string()],
        };
        if !prefix.is_empty() {
            let general = ["java/lang/Object", "java/lang/Cloneable", "java/io/Serializable"];
            all.extend(general.map(|name| format!("L{name};")));
        }
        all
    }

    /// Whether a class is a subtype of another, both by internal name.
    pub fn is_subtype(&self, sub: &str, super_type: &str) -> bool {
        sub == super_type
            || (super_type == OBJECT && self.class(sub).is_some())
            || self.supertypes(sub).iter().any(|name| name == super_type)
    }

    /// The method a reference means, and the class that declares it.
    pub fn resolve_method(
        &self,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> Option<(Arc<ClassFacts>, MemberFacts)> {
        let owner = if owner.starts_with('[') { OBJECT } else { owner };
        self.supertypes(owner).iter().find_map(|class| {
            let facts = self.class(class)?;
            let method = facts.method(name, descriptor)?.clone();
            Some((facts, method))
        })
    }

    /// The field of that name that a reference through a class means, by the name alone.
    pub fn resolve_field(&self, owner: &str, name: &str) -> Option<(Arc<ClassFacts>, MemberFacts)> {
        self.supertypes(owner).iter().find_map(|class| {
            let facts = self.class(class)?;
            let field = facts.field(name)?.clone();
            Some((facts, field))
        })
    }

    /// The method without parameters of that name.
    pub fn resolve_getter(
        &self,
        owner: &str,
        name: &str,
    ) -> Option<(Arc<ClassFacts>, MemberFacts)> {
        let owner = if owner.starts_with('[') { OBJECT } else { owner };
        self.supertypes(owner).iter().find_map(|class| {
            let facts = self.class(class)?;
            let matching = |m: &&MemberFacts| m.name == name && m.descriptor.starts_with("()");
            let method = facts.methods.iter().find(matching)?.clone();
            Some((facts, method))
        })
    }

    /// The supertypes that declare a method which the called one is, or overrides; the owner itself
    /// comes first, whoever declares it.
    pub fn overridden(&self, called: &Called<'_>) -> Vec<String> {
        let owner = if called.owner.starts_with('[') { OBJECT } else { called.owner };
        let mut owners = vec![called.owner.to_string()];
        if called.name.starts_with('<') {
            return owners;
        }
        for class in self.supertypes(owner).iter().skip(1) {
            let Some(facts) = self.class(class) else { continue };
            let declares = facts.methods.iter().any(|m| {
                m.name == called.name
                    && (m.descriptor == called.descriptor || erases_to(&m.descriptor, called))
            });
            if declares {
                owners.push(class.clone());
            }
        }
        owners
    }

    /// Every name a called method goes by: its own, those by which supertypes of its owner declare it,
    /// and the same with dots before nested classes, as sources have them.
    pub fn names_of(&self, called: &Called<'_>) -> Vec<String> {
        let owners = self.overridden(called);
        let mut names: Vec<String> = owners.iter().map(|o| full_name(o, called.name)).collect();
        let nested: Vec<String> = names.iter().filter_map(|name| source_name(name)).collect();
        names.extend(nested);
        names
    }
}

/// Whether a method with that descriptor could be what the called one overrides after erasure: as many
/// parameters, references where the called one has references.
fn erases_to(descriptor: &str, called: &Called<'_>) -> bool {
    let Some(Called { params: Some(params), .. }) = Called::new("", "", descriptor, false) else {
        return false;
    };
    let own = called.params.as_deref().unwrap_or_default();
    let object = Ty::of_class(OBJECT);
    params.len() == own.len()
        && params.iter().zip(own).all(|(a, b)| a == b || (*a == object && b.is_reference()))
}

impl Types for KnownTypes<'_> {
    fn above(&self, class: &str, is: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
        let Above { names, whole, .. } = self.all_above(class);
        match names.iter().any(|name| is(name)) {
            true => Some(true),
            false => whole.then_some(false),
        }
    }

    /// That a guess is wrong is not worth telling.
    fn exists(&self, class: &str) -> bool {
        self.find(class).is_some()
    }

    /// An unknown class is assumed to be in a package.
    fn class_named(&self, dotted: &str) -> String {
        if let Some((known, varies)) = self.named.borrow().get(dotted) {
            self.varies.set(self.varies.get() || *varies);
            return known.clone();
        }
        let find = || internal_names(dotted).find(|name| self.find(name).is_some());
        let (name, fixed) = self.fixed(find);
        let name = name.unwrap_or_else(|| dotted.replace('.', "/"));
        self.named.borrow_mut().insert(dotted.to_string(), (name.clone(), !fixed));
        name
    }

    /// One is an interface, and the other no final class.
    fn may_share(&self, one: &str, two: &str) -> Option<bool> {
        let flags = self.class(one)?.access | self.class(two)?.access;
        Some(flags & access::INTERFACE != 0 && flags & access::FINAL == 0)
    }

    fn declares_method(&self, class: &str, called: &Called<'_>) -> Option<Option<String>> {
        let found = self.resolve_method(class, called.name, called.descriptor);
        self.declared(class, found)
    }

    fn declares_field(&self, class: &str, name: &str) -> Option<Option<String>> {
        self.declared(class, self.resolve_field(class, name))
    }

    fn annotated(&self, what: Annotated<'_>, is: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
        let mut any = |names: &[String]| names.iter().any(|name| is(name));
        match what {
            Annotated::Class(name) => Some(any(&self.class(name)?.annotations)),
            Annotated::Method(called) => {
                let found = self.resolve_method(called.owner, called.name, called.descriptor);
                match found {
                    Some((_, method)) => Some(any(&method.annotations)),
                    None => self.declared(called.owner, None).map(|_| false),
                }
            }
            Annotated::Field(owner, name) => match self.resolve_field(owner, name) {
                Some((_, field)) => Some(any(&field.annotations)),
                None => self.declared(owner, None).map(|_| false),
            },
        }
    }

    fn unknown(&self) -> Answer {
        self.unknown.clone()
    }
}

impl KnownTypes<'_> {
    /// The class that declares a member that was looked for from a class upwards; `None` if it was not
    /// found and a class is missing.
    fn declared(
        &self,
        class: &str,
        found: Option<(Arc<ClassFacts>, MemberFacts)>,
    ) -> Option<Option<String>> {
        // A class that is missing on the way up may have such a member, too.
        let decides = self.unknown == Answer::No;
        match found {
            Some((facts, _)) if decides || facts.name == class || self.is_whole(class) => {
                Some(Some(facts.name.clone()))
            }
            None if self.is_whole(class) => Some(None),
            _ => None,
        }
    }
}
