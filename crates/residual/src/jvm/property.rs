//! A program as one property sees it.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use watchword_classfile::{FieldType, JStr, MethodDescriptor, access};

use super::interner::remember;
use super::lower::{Names, Target, lower};
use super::points::Points;
use super::program::Program;
use super::select::Found;
use crate::body::{Body, BodyId, Call, ClassName, FieldId};
use crate::hash::{FastMap, FastSet};
use crate::world::{Receiver, Runs, Targets, World};

/// Some types.
#[derive(Default)]
struct TypeSet {
    all: FastSet<ClassName>,
    /// Everything above them.
    above: FastSet<ClassName>,
    /// Whether something above them is not known, or there are arrays.
    vague: bool,
    /// Whether there is an interface.
    interface: bool,
    /// Whether there is one that is not final.
    open: bool,
}

impl TypeSet {
    fn of(program: &Program<'_>, types: impl Iterator<Item = ClassName>) -> TypeSet {
        let mut set = TypeSet { all: types.collect(), ..TypeSet::default() };
        for class in &set.all {
            let name = program.types.class_name(*class);
            match program.types.above(*class) {
                Some(above) if !name.starts_with('[') => set.above.extend(above.iter()),
                _ => set.vague = true,
            }
            let flags = program.types.flags(&name);
            set.interface |= flags & access::INTERFACE != 0 && flags & access::FINAL == 0;
            set.open |= flags & access::FINAL == 0;
        }
        set
    }

    /// Whether an object of a class, or of one below it, may be of one of the types: see
    /// [`Program::may_share`].
    fn may_have(&self, program: &Program<'_>, class: ClassName) -> bool {
        let name = program.types.class_name(class);
        if program.is_own_class(&name) && !program.types.is_interface(class) {
            let of = |below: &String| program.types.is_below(program.class(below), &self.all);
            return program.below(&name).iter().any(|below| of(below) != Some(false));
        }
        if self.all.is_empty() {
            return false;
        }
        let related = program.types.is_below(class, &self.all) != Some(false)
            || class == program.types.object
            || self.above.contains(&class);
        let flags = program.types.flags(&name);
        let shared = match flags & access::INTERFACE != 0 {
            true => self.open,
            false => self.interface,
        };
        self.vague || name.starts_with('[') || related || shared && flags & access::FINAL == 0
    }
}

/// A program as one property sees it: bodies with its events.
pub struct PropertyWorld<'p, 'a> {
    /// The program.
    pub program: &'p Program<'a>,
    /// By method: its sites.
    pub sites: HashMap<BodyId, Vec<(u32, Found)>>,
    /// Types that events bind.
    pub bound: HashSet<String>,
    /// Sites that are silenced already.
    pub silenced: RefCell<HashSet<u32>>,
    /// Fields that are confined.
    pub confined: RefCell<HashMap<FieldId, Option<ClassName>>>,
    /// Where objects come from, if that was found out.
    points: RefCell<Option<Rc<Points>>>,
    bound_types: TypeSet,
    /// Types that events bind, and types of the JDK whose methods return objects of such types.
    wide: RefCell<TypeSet>,
    bodies: RefCell<Bodies>,
    followed: RefCell<FastMap<ClassName, bool>>,
    tracked: RefCell<FastMap<ClassName, bool>>,
    binds: RefCell<FastMap<ClassName, bool>>,
    matters: RefCell<FastMap<ClassName, bool>>,
    watched: RefCell<FastMap<u32, bool>>,
    returning: RefCell<FastMap<u32, bool>>,
    params: RefCell<FastMap<BodyId, Rc<Vec<bool>>>>,
}

impl<'p, 'a> PropertyWorld<'p, 'a> {
    /// A program with the sites of one property.
    pub fn new(
        program: &'p Program<'a>,
        sites: HashMap<BodyId, Vec<(u32, Found)>>,
        bound: HashSet<String>,
    ) -> Self {
        PropertyWorld {
            bound_types: TypeSet::of(program, bound.iter().map(|name| program.class(name))),
            program,
            sites,
            bound,
            silenced: RefCell::default(),
            confined: RefCell::default(),
            points: RefCell::default(),
            wide: RefCell::default(),
            bodies: RefCell::default(),
            followed: RefCell::default(),
            tracked: RefCell::default(),
            binds: RefCell::default(),
            matters: RefCell::default(),
            watched: RefCell::default(),
            returning: RefCell::default(),
            params: RefCell::default(),
        }
    }

    /// Makes known where objects come from.
    pub fn inform(&self, points: Rc<Points>) {
        *self.points.borrow_mut() = Some(points);
    }

    /// Finds the types of the JDK whose methods return objects that events bind, or objects of such
    /// types, among what is called.
    pub fn widen(&self, targets: impl Iterator<Item = u32>) {
        let targets: HashSet<u32> = targets.collect();
        let mut found: HashSet<(ClassName, ClassName)> = HashSet::new();
        for target in targets {
            let Target::Method { class, descriptor, .. } =
                &*self.program.symbols.targets.get(target)
            else {
                continue;
            };
            let parsed = MethodDescriptor::parse(JStr::new(descriptor.as_bytes()));
            let result = parsed.ok().and_then(|d| d.result()).and_then(FieldType::class_name);
            if let Some(result) = result.filter(|result| !result.as_bytes().starts_with(b"["))
                && self.program.is_platform(class)
            {
                found.insert((self.program.class(class), self.program.class(&result.to_str())));
            }
        }
        let mut wide = self.bound_types.all.clone();
        loop {
            let before = wide.len();
            for (class, result) in &found {
                if !wide.contains(class)
                    && self.program.types.is_below(*result, &wide) == Some(true)
                {
                    wide.insert(*class);
                }
            }
            if wide.len() == before {
                break;
            }
        }
        *self.wide.borrow_mut() = TypeSet::of(self.program, wide.into_iter());
        self.tracked.borrow_mut().clear();
        self.matters.borrow_mut().clear();
    }

    /// Whether objects of a class, or one below it, may be bound by events or be what these come
    /// from.
    pub fn matters(&self, class: ClassName) -> bool {
        remember(&self.matters, class, || self.wide.borrow().may_have(self.program, class))
    }

    /// Whether events may bind objects of a class or one below it.
    fn binds(&self, class: ClassName) -> bool {
        remember(&self.binds, class, || self.bound_types.may_have(self.program, class))
    }

    /// Whether objects of exactly this class may be bound by events or be what these come from.
    pub fn is_tracked(&self, class: ClassName) -> bool {
        remember(&self.tracked, class, || self.is_one(class, &self.wide.borrow()))
    }

    /// Whether every object that a target can be called on is tracked.
    pub fn is_watched(&self, target: u32) -> bool {
        remember(&self.watched, target, || match &*self.program.symbols.targets.get(target) {
            Target::Method { class, .. } => self.watches(class),
            _ => false,
        })
    }

    /// Whether every object of a type is tracked.
    pub fn watches(&self, class: &str) -> bool {
        let class = self.program.class(class);
        self.program.types.is_below(class, &self.wide.borrow().all) == Some(true)
    }

    fn is_one(&self, class: ClassName, types: &TypeSet) -> bool {
        // Strings and numbers may be compared by value.
        const VALUES: [&str; 9] = [
            "String",
            "Integer",
            "Long",
            "Short",
            "Byte",
            "Character",
            "Boolean",
            "Float",
            "Double",
        ];
        let name = self.program.types.class_name(class);
        let value = name.strip_prefix("java/lang/").is_some_and(|name| VALUES.contains(&name));
        !value && self.program.types.is_below(class, &types.all) != Some(false)
    }

    /// Takes silenced sites out of the bodies made from now on.
    pub fn silence(&self, sites: impl IntoIterator<Item = u32>) {
        let mut silenced = self.silenced.borrow_mut();
        let before = silenced.len();
        let new: FastSet<u32> = sites.into_iter().filter(|site| silenced.insert(*site)).collect();
        if silenced.len() > before {
            let changed = |id: &BodyId| {
                let sites = self.sites.get(id).into_iter().flatten();
                sites.into_iter().any(|(site, _)| new.contains(site))
            };
            self.bodies.borrow_mut().all.retain(|id, _| !changed(id));
        }
    }

    /// Whether a field may hold only what the program made, of the JDK's classes; `true` if where
    /// objects come from is not known.
    pub fn may_be_own(&self, field: FieldId) -> bool {
        self.points.borrow().as_ref().is_none_or(|points| points.is_own_field(field))
    }

    /// Whether calls of a target return a copy of their receiver.
    pub fn is_copy(&self, target: u32) -> bool {
        matches!(&*self.program.target_of(target), Target::Method { name, .. } if name == "clone")
    }

    /// The name of a field: class, name and descriptor.
    pub fn field(&self, field: FieldId) -> Rc<(String, String, String)> {
        self.program.symbols.fields.get(field.0)
    }

    fn lowered(&self, id: BodyId, found: &[(u32, Found)]) -> Option<Rc<Body>> {
        lower(self.program.method(id), found, self.program).ok().flatten().map(Rc::new)
    }
}

impl World for PropertyWorld<'_, '_> {
    fn body(&self, id: BodyId) -> Option<Rc<Body>> {
        let found: Vec<(u32, Found)> = match self.sites.get(&id) {
            Some(found) => {
                let silenced = self.silenced.borrow();
                found.iter().filter(|(site, _)| !silenced.contains(site)).cloned().collect()
            }
            None => Vec::new(),
        };
        let bodies = if found.is_empty() { &self.program.answers.plain } else { &self.bodies };
        if let Some(known) = bodies.borrow().all.get(&id) {
            return known.clone();
        }
        let body = self.lowered(id, &found);
        bodies.borrow_mut().add(id, body.clone());
        body
    }

    fn targets(&self, call: &Call, receiver: Receiver) -> Rc<Targets> {
        let program = self.program;
        remember(&program.answers.resolved, (call.target, receiver), || {
            Rc::new(program.resolve(&program.symbols.targets.get(call.target), receiver))
        })
    }

    fn receivers(&self, body: BodyId, offset: u32) -> Vec<Receiver> {
        let points = self.points.borrow();
        let known = points.as_ref().and_then(|points| points.receivers(body, offset));
        known.map_or(vec![Receiver::Any], <[Receiver]>::to_vec)
    }

    fn follows(&self, body: BodyId, param: usize) -> bool {
        let followed = remember(&self.params, body, || {
            let program = self.program;
            let method = program.method(body);
            let mut all = Vec::new();
            if !method.has_access(access::STATIC) {
                all.push(self.binds(program.class_of(body)));
            }
            let descriptor = method.descriptor().and_then(MethodDescriptor::parse);
            if let Ok(descriptor) = descriptor {
                all.extend(descriptor.parameters().map(|ty| {
                    ty.class_name().is_some_and(|name| self.binds(program.class(&name.to_str())))
                }));
            }
            Rc::new(all)
        });
        followed.get(param).copied().unwrap_or(true)
    }

    fn returns(&self, target: u32) -> bool {
        remember(&self.returning, target, || match &*self.program.symbols.targets.get(target) {
            Target::Method { descriptor, .. } => {
                let parsed = MethodDescriptor::parse(JStr::new(descriptor.as_bytes()));
                let result = parsed.ok().and_then(|d| d.result()).and_then(FieldType::class_name);
                result.is_none_or(|name| self.binds(self.program.class(&name.to_str())))
            }
            _ => true,
        })
    }

    fn is_library(&self, class: ClassName) -> bool {
        let program = self.program;
        remember(&program.answers.library, class, || {
            program.is_platform(&program.types.class_name(class))
        })
    }

    fn is_followed(&self, class: ClassName) -> bool {
        remember(&self.followed, class, || {
            self.is_one(class, &self.bound_types)
                && !self.program.is_finalized(&self.program.types.class_name(class))
        })
    }

    fn hooks(&self, of: Runs) -> Option<Vec<BodyId>> {
        self.program.run_by_jdk(of)
    }

    fn confined(&self, field: FieldId) -> bool {
        self.confined.borrow().contains_key(&field)
    }

    fn confined_class(&self, field: FieldId) -> Option<ClassName> {
        self.confined.borrow().get(&field).copied().flatten()
    }

    fn field_name(&self, field: FieldId) -> String {
        let (class, name, _) = &*self.field(field);
        let simple = class.rsplit('/').next().unwrap_or(class);
        format!("{}.{name}", simple.replace('$', "."))
    }

    fn target_name(&self, target: u32) -> String {
        match &*self.program.symbols.targets.get(target) {
            Target::Method { class, name, .. } => {
                let simple = class.rsplit('/').next().unwrap_or(class).replace('$', ".");
                match name.as_str() {
                    "<init>" => format!("new {simple}"),
                    name => format!("{simple}.{name}"),
                }
            }
            Target::Concat => "a concatenation".to_owned(),
            Target::Lambda { .. } => "a lambda or method reference".to_owned(),
            Target::Dynamic => "a dynamic call".to_owned(),
        }
    }
}

/// Bodies that were made, up to a number of nodes.
#[derive(Default)]
pub(super) struct Bodies {
    all: FastMap<BodyId, Option<Rc<Body>>>,
    nodes: usize,
}

impl Bodies {
    /// How many nodes are kept at once.
    const ROOM: usize = 1_000_000;

    fn add(&mut self, id: BodyId, body: Option<Rc<Body>>) {
        self.nodes += body.as_ref().map_or(1, |body| body.nodes.len());
        if self.nodes > Bodies::ROOM {
            *self = Bodies::default();
        }
        self.all.insert(id, body);
    }
}
