//! Questions about types, for one class being woven.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use watchword_classfile::access;
use watchword_model::internal_names;

use crate::facts::{ClassFacts, Hierarchy, MemberFacts};

const OBJECT: &str = "java/lang/Object";

/// The hierarchy as seen from one class: what it answered, and what it could not.
pub struct World<'h> {
    hierarchy: &'h dyn Hierarchy,
    own: Arc<ClassFacts>,
    supertypes: RefCell<HashMap<String, Rc<[String]>>>,
    named: RefCell<HashMap<String, String>>,
    missing: RefCell<BTreeSet<String>>,
}

impl<'h> World<'h> {
    /// The world around a class.
    pub fn new(hierarchy: &'h dyn Hierarchy, own: Arc<ClassFacts>) -> World<'h> {
        World {
            hierarchy,
            own,
            supertypes: RefCell::default(),
            named: RefCell::default(),
            missing: RefCell::default(),
        }
    }

    /// Facts about a class by internal name.
    pub fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        if name == self.own.name {
            return Some(self.own.clone());
        }
        let found = self.hierarchy.class(name);
        // The interface of identities has no supertypes, and is nobody's business.
        if found.is_none() && name != crate::runtime::TRACKED {
            self.missing.borrow_mut().insert(name.to_string());
        }
        found
    }

    /// The internal name of the class that a name with dots means. If nobody knows one, it is taken
    /// to be in a package.
    pub fn class_named(&self, dotted: &str) -> String {
        if let Some(known) = self.named.borrow().get(dotted) {
            return known.clone();
        }
        let is_known =
            |name: &String| *name == self.own.name || self.hierarchy.class(name).is_some();
        let name = internal_names(dotted).find(is_known);
        let name = name.unwrap_or_else(|| dotted.replace('.', "/"));
        self.named.borrow_mut().insert(dotted.to_string(), name.clone());
        name
    }

    /// Classes that were asked for and are not known.
    pub fn missing(&self) -> Vec<String> {
        self.missing.borrow().iter().cloned().collect()
    }

    /// A class and its supertypes by internal name: the superclasses upwards, then the interfaces,
    /// nearest first. `Object` is among them also for an interface.
    pub fn supertypes(&self, name: &str) -> Rc<[String]> {
        if let Some(known) = self.supertypes.borrow().get(name) {
            return known.clone();
        }
        let mut found: Vec<String> = Vec::new();
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
            if let Some(facts) = self.class(&found[next]) {
                for interface in &facts.interfaces {
                    if !found.contains(interface) {
                        found.push(interface.clone());
                    }
                }
            }
            next += 1;
        }
        if !found.iter().any(|name| name == OBJECT) {
            found.push(OBJECT.to_string());
        }
        let found: Rc<[String]> = found.into();
        self.supertypes.borrow_mut().insert(name.to_string(), found.clone());
        found
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

    /// Whether some object may be of both types, neither of which is below the other: one is an
    /// interface, and the other no final class. Of types that are not known, it is not said.
    pub fn may_share(&self, one: &str, two: &str) -> bool {
        let (Some(one), Some(two)) = (self.class(one), self.class(two)) else { return false };
        let flags = one.access | two.access;
        flags & access::INTERFACE != 0 && flags & access::FINAL == 0
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
}
