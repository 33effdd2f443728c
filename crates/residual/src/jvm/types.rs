//! Types by name: what extends what, in the program and on the platform.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use watchword_classfile::source::ClassSource;
use watchword_classfile::{ClassFile, Hierarchy, Result};

use super::interner::{Interner, remember};
use crate::body::ClassName;
use crate::hash::{FastMap, FastSet};

/// What is known of types. Classes of the platform are looked up when they are asked for.
pub struct Types<'a> {
    platform: &'a dyn ClassSource,
    hierarchy: RefCell<Hierarchy>,
    supertypes: RefCell<HashMap<String, Option<Rc<Vec<String>>>>>,
    /// By class: itself and everything above it.
    above: RefCell<FastMap<ClassName, Option<Rc<FastSet<ClassName>>>>>,
    /// Whether everything above a class is there.
    whole: RefCell<HashMap<String, bool>>,
    names: Interner<str>,
    /// `java/lang/Object`.
    pub(super) object: ClassName,
}

impl<'a> Types<'a> {
    pub(super) fn new(platform: &'a dyn ClassSource) -> Types<'a> {
        let names = Interner::new();
        Types {
            platform,
            hierarchy: RefCell::default(),
            supertypes: RefCell::default(),
            above: RefCell::default(),
            whole: RefCell::default(),
            object: ClassName(names.id("java/lang/Object")),
            names,
        }
    }

    /// Makes a class of the program known.
    pub(super) fn add(&self, class: &ClassFile<'_>) -> Result<()> {
        self.hierarchy.borrow_mut().add(class).map(|_| ())
    }

    /// Everything that was asked for so far.
    pub(super) fn hierarchy(&self) -> Ref<'_, Hierarchy> {
        self.hierarchy.borrow()
    }

    /// The number of a name.
    pub fn id(&self, class: &str) -> ClassName {
        ClassName(self.names.id(class))
    }

    /// The internal name of a class.
    pub fn class_name(&self, class: ClassName) -> Rc<str> {
        self.names.get(class.0)
    }

    /// Whether a class is an interface, or not known.
    pub fn is_interface(&self, class: ClassName) -> bool {
        let name = self.class_name(class);
        self.load_all(&name).is_none()
            || self.hierarchy.borrow().is_interface(&name).unwrap_or(true)
    }

    /// The class file of a class of the platform.
    pub fn platform_class(&self, class: &str) -> Option<Cow<'_, [u8]>> {
        self.platform.class(class).ok().flatten()
    }

    /// Whether a class is the program's or the platform's.
    pub(crate) fn is_known(&self, class: &str) -> bool {
        self.load(class)
    }

    /// Whether a class is known, of the program or the platform's.
    fn load(&self, class: &str) -> bool {
        let mut hierarchy = self.hierarchy.borrow_mut();
        hierarchy.contains(class) || hierarchy.load(class, self.platform).unwrap_or(false)
    }

    /// Loads a class and everything above it.
    pub(super) fn load_all(&self, class: &str) -> Option<()> {
        if let Some(whole) = self.whole.borrow().get(class) {
            return whole.then_some(());
        }
        let found = self.load_above(class);
        self.whole.borrow_mut().insert(class.to_owned(), found.is_some());
        found
    }

    fn load_above(&self, class: &str) -> Option<()> {
        if !self.load(class) {
            return None;
        }
        let mut work = vec![class.to_owned()];
        let mut seen = HashSet::new();
        while let Some(name) = work.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if !self.load(&name) {
                return None;
            }
            let hierarchy = self.hierarchy.borrow();
            work.extend(hierarchy.super_class(&name).ok()?.map(str::to_owned));
            work.extend(hierarchy.interfaces(&name).ok()?.into_iter().map(str::to_owned));
        }
        Some(())
    }

    /// [`Types::is_subtype`], of numbered names.
    pub fn extends(&self, sub: ClassName, sup: ClassName) -> Option<bool> {
        if sub == sup || sup == self.object {
            return Some(true);
        }
        self.above(sub).map(|above| above.contains(&sup))
    }

    /// [`Types::supertypes`], of numbered names.
    pub(super) fn above(&self, class: ClassName) -> Option<Rc<FastSet<ClassName>>> {
        remember(&self.above, class, || {
            let all = self.supertypes(&self.class_name(class))?;
            Some(Rc::new(all.iter().map(|name| self.id(name)).collect()))
        })
    }

    pub(super) fn flags(&self, class: &str) -> u16 {
        self.hierarchy.borrow().access(class).unwrap_or(0)
    }

    /// Whether a class is one of some types, or below one.
    pub(super) fn is_below(&self, class: ClassName, types: &FastSet<ClassName>) -> Option<bool> {
        if types.contains(&class) || types.contains(&self.object) {
            return Some(true);
        }
        match self.above(class) {
            Some(above) => Some(above.iter().any(|above| types.contains(above))),
            None if types.is_empty() => Some(false),
            None => None,
        }
    }

    /// Whether a class is another or extends or implements it, by internal names; `None`: a class is
    /// missing.
    pub fn is_subtype(&self, sub: &str, sup: &str) -> Option<bool> {
        if sub == sup || sup == "java/lang/Object" {
            return Some(true);
        }
        self.supertypes(sub).map(|all| all.iter().any(|name| name == sup))
    }

    /// The class that declares the method an instruction means.
    pub fn declaring(&self, class: &str, name: &str, descriptor: &str) -> Option<String> {
        self.load_all(class)?;
        let hierarchy = self.hierarchy.borrow();
        let found = hierarchy.resolve_method(class, name, descriptor).ok()??;
        Some(found.class.to_owned())
    }

    /// All names of a class and its supertypes; `None`: a class is missing.
    pub fn supertypes(&self, class: &str) -> Option<Rc<Vec<String>>> {
        if let Some(known) = self.supertypes.borrow().get(class) {
            return known.clone();
        }
        let root = if class.starts_with('[') { "java/lang/Object" } else { class };
        let found = self.load_all(root).and_then(|()| {
            let hierarchy = self.hierarchy.borrow();
            let mut all = vec![root.to_owned()];
            let mut next = 0;
            while let Some(name) = all.get(next).cloned() {
                next += 1;
                let above = hierarchy.super_class(&name).ok()?.into_iter();
                for parent in above.chain(hierarchy.interfaces(&name).ok()?) {
                    if !all.iter().any(|n| n == parent) {
                        all.push(parent.to_owned());
                    }
                }
            }
            Some(Rc::new(all))
        });
        self.supertypes.borrow_mut().insert(class.to_owned(), found.clone());
        found
    }
}
