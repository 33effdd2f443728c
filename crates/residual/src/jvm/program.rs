//! A program: its classes, what extends what, what a call may run.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use watchword_classfile::source::ClassSource;
use watchword_classfile::{
    ClassFile, Constant, Constants, FieldType, Flags, Hierarchy, Instruction, JStr, Member,
    MethodDescriptor, Result, access,
};
use watchword_select::ClassFacts;

use super::handles;
use super::hooks::{Hooks, hands_through};
use super::jdk;
use super::lower::{Names, Target, lower};
use super::points::{Graph, Points};
use super::reflected::Reflected;
use super::runs::{ANY_OBJECT, overrides_values};
use super::select::{Found, Selector};
use crate::body::{Body, BodyId, Call, ClassName, FieldId};
use crate::hash::{FastMap, FastSet};
use crate::machine::Letters;
use crate::mistake::Mistake;
use crate::world::{Library, Receiver, Returns, Runs, Targets, World};

/// The class files of a program.
pub struct Program<'a> {
    /// The classes whose sites are asked about come first.
    pub classes: Vec<ClassFile<'a>>,
    /// How many are asked about.
    pub own: usize,
    index: HashMap<String, usize>,
    platform: &'a dyn ClassSource,
    hierarchy: RefCell<Hierarchy>,
    supertypes: RefCell<HashMap<String, Option<Rc<Vec<String>>>>>,
    /// What selectors asked about classes.
    facts: RefCell<HashMap<String, Option<Arc<ClassFacts>>>>,
    /// By class: itself and everything above it.
    above: RefCell<FastMap<ClassName, Option<Rc<FastSet<ClassName>>>>>,
    /// By class: the program's classes below it, itself included.
    below: OnceCell<HashMap<String, Rc<Vec<String>>>>,
    methods: Vec<(usize, usize)>,
    ids: HashMap<(String, String, String), BodyId>,
    /// By name and descriptor.
    namesakes: OnceCell<HashMap<(String, String), Vec<BodyId>>>,
    /// The program's classes above which some class is missing.
    torn: OnceCell<HashSet<String>>,
    /// Interfaces that lambdas and method references of the program implement.
    lambdas: HashSet<String>,
    class_names: Interner<str>,
    /// `java/lang/Object`.
    object: ClassName,
    fields: Interner<(String, String, String)>,
    targets: Interner<Target>,
    resolved: RefCell<FastMap<Dispatch, Rc<Targets>>>,
    /// By class file and constant: the number of what it names, see [`Names::linked`].
    links: RefCell<FastMap<(usize, u32), u32>>,
    /// Whether a class is the platform's.
    library: RefCell<FastMap<ClassName, bool>>,
    /// Whether everything above a class is there.
    whole: RefCell<HashMap<String, bool>>,
    graph: OnceCell<Option<Rc<Graph>>>,
    hooks: OnceCell<Hooks>,
    reflected: OnceCell<Reflected>,
    /// Missing classes may do anything.
    open: bool,
    missing: OnceCell<Vec<String>>,
    /// Reflection is assumed away.
    pub(super) unreflected: bool,
    field_users: OnceCell<HashMap<FieldId, Vec<BodyId>>>,
    /// Whether iterators of collections of unknown class may be shared, once that was asked.
    pub(super) shared_iterators: Cell<Option<bool>>,
    /// Whether some class asks a view for the map it is a view of.
    reveals: bool,
    /// Names and descriptors of methods that the JDK may call.
    pub(super) called: OnceCell<HashSet<(String, String)>>,
    /// Bodies without events.
    plain: RefCell<Bodies>,
    /// Whether iterators of collections of unknown class count as new objects.
    fresh_iterators: bool,
    /// Classes that could not be read, with why.
    pub broken: Vec<(String, String)>,
}

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

/// What is called, and on what.
type Dispatch = (u32, Receiver);

/// Bodies that were made, up to a number of nodes.
#[derive(Default)]
struct Bodies {
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

/// Numbers for values.
struct Interner<T: ?Sized> {
    ids: RefCell<HashMap<Rc<T>, u32>>,
    values: RefCell<Vec<Rc<T>>>,
}

impl<T: ?Sized + Eq + Hash> Interner<T> {
    fn new() -> Self {
        Interner { ids: RefCell::default(), values: RefCell::default() }
    }

    fn id(&self, value: &T) -> u32
    where
        T: ToRc,
    {
        if let Some(id) = self.ids.borrow().get(value) {
            return *id;
        }
        let value = value.to_rc();
        let mut values = self.values.borrow_mut();
        values.push(value.clone());
        let id = values.len() as u32 - 1;
        self.ids.borrow_mut().insert(value, id);
        id
    }

    fn get(&self, id: u32) -> Rc<T> {
        self.values.borrow()[id as usize].clone()
    }
}

/// A copy that can be shared.
trait ToRc {
    fn to_rc(&self) -> Rc<Self>;
}

impl ToRc for str {
    fn to_rc(&self) -> Rc<str> {
        self.into()
    }
}

impl<T: Clone> ToRc for T {
    fn to_rc(&self) -> Rc<T> {
        Rc::new(self.clone())
    }
}

impl<'a> Program<'a> {
    /// A program of classes to ask about, classes beside them, and the platform's classes. A class
    /// that cannot be read is noted in [`Program::broken`]; a class that comes twice counts once.
    pub fn new(
        own: Vec<(String, &'a [u8])>,
        beside: Vec<(String, &'a [u8])>,
        platform: &'a dyn ClassSource,
        fresh_iterators: bool,
    ) -> Program<'a> {
        let class_names = Interner::new();
        let mut program = Program {
            object: ClassName(class_names.id("java/lang/Object")),
            class_names,
            classes: Vec::new(),
            own: 0,
            index: HashMap::new(),
            platform,
            hierarchy: RefCell::default(),
            supertypes: RefCell::default(),
            facts: RefCell::default(),
            above: RefCell::default(),
            below: OnceCell::new(),
            methods: Vec::new(),
            ids: HashMap::new(),
            namesakes: OnceCell::new(),
            torn: OnceCell::new(),
            lambdas: HashSet::new(),
            fields: Interner::new(),
            targets: Interner::new(),
            resolved: RefCell::default(),
            links: RefCell::default(),
            library: RefCell::default(),
            whole: RefCell::default(),
            graph: OnceCell::new(),
            hooks: OnceCell::new(),
            reflected: OnceCell::new(),
            open: false,
            missing: OnceCell::new(),
            unreflected: false,
            field_users: OnceCell::new(),
            shared_iterators: Cell::new(None),
            reveals: false,
            called: OnceCell::new(),
            plain: RefCell::default(),
            fresh_iterators,
            broken: Vec::new(),
        };
        for (place, bytes) in own {
            program.add(place, bytes);
        }
        program.own = program.classes.len();
        for (place, bytes) in beside {
            program.add(place, bytes);
        }
        program
    }

    fn add(&mut self, place: String, bytes: &'a [u8]) {
        let added = ClassFile::parse(bytes).and_then(|class| {
            let name = class.name()?.to_str().into_owned();
            if self.index.contains_key(&name) {
                return Ok(());
            }
            self.hierarchy.borrow_mut().add(&class)?;
            let number = self.classes.len();
            for method in class.methods() {
                let id = BodyId(self.methods.len() as u32);
                self.methods.push((number, method.index()));
                let (method_name, descriptor) = (
                    method.name()?.to_str().into_owned(),
                    method.descriptor()?.to_str().into_owned(),
                );
                self.ids.insert((name.clone(), method_name, descriptor), id);
            }
            for index in 1..class.pool().count() {
                if let Ok(Constant::MethodRef { .. }) = class.pool().constant(index)
                    && let Ok(member) = class.pool().member(index)
                {
                    self.reveals |= member.name == "getMap"
                        && member.class.as_bytes().starts_with(b"java/util/concurrent/");
                }
                if let Ok(Constant::InvokeDynamic { .. }) = class.pool().constant(index)
                    && let Ok((_, _, descriptor)) = class.pool().dynamic(index)
                    && let Ok(descriptor) = MethodDescriptor::parse(descriptor)
                    && let Some(result) = descriptor.result().and_then(FieldType::class_name)
                {
                    self.lambdas.insert(result.to_str().into_owned());
                }
            }
            self.index.insert(name, number);
            self.classes.push(class);
            Ok(())
        });
        if let Err(error) = added {
            self.broken.push((place, error.to_string()));
        }
    }

    /// All methods.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.methods.len() as u32).map(BodyId)
    }

    /// Whether the sites of a method are asked about.
    pub fn is_own(&self, id: BodyId) -> bool {
        self.methods[id.0 as usize].0 < self.own
    }

    /// A method.
    pub fn method(&self, id: BodyId) -> Member<'_, 'a> {
        let (class, method) = self.methods[id.0 as usize];
        self.classes[class].methods().nth(method).expect("numbered when the class was added")
    }

    /// Methods that read or write fields, by field; fields of arrays and numbers are left out.
    pub fn field_users(&self) -> &HashMap<FieldId, Vec<BodyId>> {
        self.field_users.get_or_init(|| {
            let mut users: HashMap<FieldId, Vec<BodyId>> = HashMap::new();
            for id in self.bodies() {
                let method = self.method(id);
                let pool = method.class().pool();
                let Ok(Some(code)) = method.code() else { continue };
                for instruction in code.instructions().flatten() {
                    if !instruction.opcode.is(Flags::FIELD) {
                        continue;
                    }
                    let Some(Ok(member)) = instruction.constant().map(|index| pool.member(index))
                    else {
                        continue;
                    };
                    let Ok(ty) = FieldType::parse(member.descriptor) else { continue };
                    if ty.class_name().is_none_or(|ty| ty.as_bytes().starts_with(b"[")) {
                        continue;
                    }
                    let field = self.field(
                        &member.class.to_str(),
                        &member.name.to_str(),
                        &member.descriptor.to_str(),
                    );
                    let list = users.entry(field).or_default();
                    if list.last() != Some(&id) {
                        list.push(id);
                    }
                }
            }
            users
        })
    }

    /// Whether objects that hold a field can come from elsewhere than the program's constructors:
    /// the class is not the program's, or can be read from a stream.
    pub fn is_restored(&self, field: FieldId) -> bool {
        let Some(declared) = self.declared(field) else { return true };
        let (class, ..) = &*self.fields.get(field.0);
        // A class may name its fields that are written, those that are transient among them.
        let named = || {
            let mut fields = self.class_file(class).into_iter().flat_map(|class| class.fields());
            fields.any(|field| field.name().is_ok_and(|name| name == "serialPersistentFields"))
        };
        let kept = declared.has_access(access::STATIC)
            || declared.has_access(access::TRANSIENT)
                && (!named() || Mistake::TransientsUnwritten.is_made());
        !kept && self.is_subtype(class, "java/io/Serializable") != Some(false)
    }

    /// Letters of events that method handles may raise, apart from lambdas and method references.
    pub fn handle_letters(&self, selector: &Selector<'_>) -> Letters {
        if self.open && !self.missing().is_empty() {
            return selector.all_letters();
        }
        let world = watchword_select::KnownTypes::open(self);
        let mut letters = 0;
        for (_, member) in self.classes.iter().flat_map(handles::others) {
            letters |= selector.letters_of(
                &member.class.to_str(),
                &member.name.to_str(),
                &member.descriptor.to_str(),
                &world,
            );
        }
        letters
    }

    /// The classes, by names with dots, that the program's classes name and that are missing.
    pub fn missing(&self) -> &[String] {
        self.missing.get_or_init(|| {
            let mut names = BTreeSet::new();
            for class in &self.classes {
                let pool = class.pool();
                for index in 1..pool.count() {
                    let Ok(Constant::Class { .. }) = pool.constant(index) else { continue };
                    let Ok(name) = pool.class_name(index) else { continue };
                    let name = name.to_str();
                    let element = name.trim_start_matches('[');
                    let named = match (element.len() < name.len(), element.strip_prefix('L')) {
                        (true, Some(of)) => of.trim_end_matches(';'),
                        (true, None) => continue,
                        (false, _) => element,
                    };
                    if !names.contains(named) && !self.is_known(named) {
                        names.insert(named.to_owned());
                    }
                }
            }
            names.into_iter().map(|name| name.replace('/', ".")).collect()
        })
    }

    /// Expects anything of missing classes, where it is not found out whether they run.
    pub fn distrust_missing(&mut self) {
        self.open = true;
    }

    /// Assumes that reflection calls no methods of the program and reaches no fields of it.
    pub fn ignore_reflection(&mut self) {
        self.unreflected = true;
    }

    /// What works behind the back of instructions.
    pub(super) fn hooks(&self) -> &Hooks {
        self.hooks.get_or_init(|| Hooks::of(self))
    }

    /// Methods that reflection may call.
    pub(super) fn reflected(&self) -> &Reflected {
        self.reflected.get_or_init(|| match self.unreflected {
            true => Reflected::default(),
            false => Reflected::of(self),
        })
    }

    /// Forgets what calls may run.
    pub(super) fn forget_targets(&self) {
        self.resolved.borrow_mut().clear();
    }

    /// Methods of the program's classes below a class.
    pub(super) fn own_methods(&self, above: &str) -> impl Iterator<Item = Member<'_, 'a>> {
        let below = self.below(above);
        let classes = (0..below.len()).map(move |at| &self.classes[self.index[&below[at]]]);
        classes.flat_map(|class| class.methods())
    }

    /// Whether lambdas or method references of the program implement an interface, or one below it.
    pub(super) fn has_lambda_of(&self, interface: &str) -> bool {
        self.lambdas.iter().any(|lambda| self.is_subtype(lambda, interface) == Some(true))
    }

    /// Whether lambdas or method references of the program implement an interface.
    pub(super) fn has_lambda(&self, interface: &str) -> bool {
        self.lambdas.contains(interface)
    }

    /// Whether a field may be read without an instruction that names it, and perhaps written.
    pub fn is_reached_otherwise(&self, field: FieldId) -> bool {
        let (class, name, _) = &*self.fields.get(field.0);
        self.declared(field)
            .is_none_or(|declared| self.hooks().reaches(class, name, declared.access()))
            || self.hooks().replaces && self.is_restored(field)
    }

    /// Whether the JDK hands what a field holds to `equals` of what it holds in another object: it is
    /// a component of a record.
    pub fn is_compared(&self, field: FieldId) -> bool {
        let (class, name, _) = &*self.fields.get(field.0);
        self.hooks().compares_field(class, name)
    }

    /// Whether a field is one of the JDK's that hold a collection that is always empty.
    pub fn is_empty_collection(&self, field: FieldId) -> bool {
        let (class, name, _) = &*self.fields.get(field.0);
        class == "java/util/Collections" && name.starts_with("EMPTY_")
    }

    /// Whether a field may be written without an instruction that names it.
    pub fn is_written_otherwise(&self, field: FieldId) -> bool {
        self.is_reached_otherwise(field)
            && (self.hooks().writes() || self.class_with_field(field).is_none())
    }

    /// Whether the VM runs code of the program before it frees objects of a class.
    fn is_finalized(&self, class: &str) -> bool {
        let own = self.supertypes(class);
        own.iter().flat_map(|all| all.iter()).any(|above| {
            let key = (above.clone(), "finalize".to_owned(), "()V".to_owned());
            self.ids.contains_key(&key)
        })
    }

    /// Whether a method that a class of the program inherits from the JDK asks others that the
    /// program has overridden what to return, or gives them what it gets. A copy is of the
    /// program's class.
    fn is_swayed(&self, class: &str, name: &str, descriptor: &str) -> bool {
        self.is_own_class(class)
            && (name == "clone"
                || self.hooks().overridden(class) & jdk::asks(name, descriptor) != 0)
    }

    /// How references move in the program; `None` if that is not known.
    pub fn graph(&self) -> Option<Rc<Graph>> {
        self.graph.get_or_init(|| Graph::of(self).map(Rc::new)).clone()
    }

    /// What a number of [`Names::target`] stands for.
    pub fn target_of(&self, target: u32) -> Rc<Target> {
        self.targets.get(target)
    }

    /// What messages call a method.
    pub fn full_name(&self, id: BodyId) -> String {
        let class = self.class_name(self.class_of(id));
        let simple = class.rsplit('/').next().unwrap_or(&class).replace('$', ".");
        let name = self.method(id).name().map(|name| name.to_str().into_owned());
        format!("{simple}.{}", name.unwrap_or_default())
    }

    /// The class a method is in.
    pub fn class_of(&self, id: BodyId) -> ClassName {
        let class = &self.classes[self.methods[id.0 as usize].0];
        self.class(&class.name().map(|n| n.to_str().into_owned()).unwrap_or_default())
    }

    /// The internal name of a class.
    pub fn class_name(&self, class: ClassName) -> Rc<str> {
        self.class_names.get(class.0)
    }

    /// The class file of a class of the program.
    pub fn class_file(&self, class: &str) -> Option<&ClassFile<'a>> {
        self.index.get(class).map(|index| &self.classes[*index])
    }

    /// Whether a class is the program's.
    pub fn is_own_class(&self, class: &str) -> bool {
        self.index.contains_key(class)
    }

    /// Whether a class is an interface, or not known.
    pub fn is_interface(&self, class: ClassName) -> bool {
        let name = self.class_name(class);
        self.load_all(&name).is_none()
            || self.hierarchy.borrow().is_interface(&name).unwrap_or(true)
    }

    /// The declared type of a field, if it is a class.
    pub fn field_type(&self, field: FieldId) -> Option<ClassName> {
        let (_, _, descriptor) = &*self.fields.get(field.0);
        let ty = FieldType::parse(watchword_classfile::JStr::new(descriptor.as_bytes())).ok()?;
        ty.class_name().map(|name| self.class(&name.to_str()))
    }

    /// The class file of a class of the platform.
    pub fn platform_class(&self, class: &str) -> Option<std::borrow::Cow<'_, [u8]>> {
        self.platform.class(class).ok().flatten()
    }

    /// The class of the program that declares a field.
    pub fn class_with_field(&self, field: FieldId) -> Option<&ClassFile<'a>> {
        self.declared(field)?;
        self.class_file(&self.fields.get(field.0).0)
    }

    /// The declaration of a field of the program.
    fn declared(&self, field: FieldId) -> Option<Member<'_, 'a>> {
        let (class, name, descriptor) = &*self.fields.get(field.0);
        self.class_file(class)?.fields().into_iter().find(|f| {
            f.name().is_ok_and(|n| n == name.as_str())
                && f.descriptor().is_ok_and(|d| d == descriptor.as_str())
        })
    }

    /// Whether a class is the program's or the platform's.
    pub(crate) fn is_known(&self, class: &str) -> bool {
        self.load(class)
    }

    fn is_platform(&self, class: &str) -> bool {
        !self.index.contains_key(class) && self.load(class)
    }

    /// Whether a class is known, of the program or the platform's.
    fn load(&self, class: &str) -> bool {
        let mut hierarchy = self.hierarchy.borrow_mut();
        hierarchy.contains(class) || hierarchy.load(class, self.platform).unwrap_or(false)
    }

    /// Loads a class and everything above it.
    fn load_all(&self, class: &str) -> Option<()> {
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

    /// [`Program::is_subtype`], of numbered names.
    pub fn extends(&self, sub: ClassName, sup: ClassName) -> Option<bool> {
        if sub == sup || sup == self.object {
            return Some(true);
        }
        self.above(sub).map(|above| above.contains(&sup))
    }

    /// [`Types::supertypes`], of numbered names.
    fn above(&self, class: ClassName) -> Option<Rc<FastSet<ClassName>>> {
        remember(&self.above, class, || {
            let all = self.supertypes(&self.class_name(class))?;
            Some(Rc::new(all.iter().map(|name| self.class(name)).collect()))
        })
    }

    fn flags(&self, class: &str) -> u16 {
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

    /// What a call of a method by name may run.
    fn resolve(&self, target: &Target, receiver: Receiver) -> Targets {
        let unknown = Targets { unknown: true, ..Targets::default() };
        let (class, name, descriptor, dispatched) = match target {
            Target::Concat => {
                return Targets {
                    library: Some(Library {
                        keeps: 0,
                        calls: !0,
                        returns: Returns::Unknown,
                        view: None,
                        runs: ANY_OBJECT,
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
        if self.load_all(class).is_none() {
            return namesakes();
        }
        let declared = {
            let hierarchy = self.hierarchy.borrow();
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
            let receiver = &*self.class_names.get(receiver.0);
            if self.load_all(receiver).is_none() {
                return namesakes();
            }
            let interface = self.hierarchy.borrow().is_interface(receiver).unwrap_or(true);
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
            let hierarchy = self.hierarchy.borrow();
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
        let mut bodies = std::collections::BTreeSet::new();
        for below in self.below(class).iter() {
            if self.load_all(below).is_none() {
                return namesakes();
            }
            let hierarchy = self.hierarchy.borrow();
            match hierarchy.select_method(below, name, descriptor) {
                Ok(None) => {}
                Err(_) => return namesakes(),
                Ok(Some(found)) => {
                    let key = (found.class.to_owned(), name.to_owned(), descriptor.to_owned());
                    match self.ids.get(&key) {
                        _ if found.access & access::NATIVE != 0 => {
                            targets.unknown = true;
                            wild |= self.is_own_class(found.class);
                        }
                        Some(id) => {
                            bodies.insert(*id);
                        }
                        None => {
                            inherited = true;
                            wild |= self.is_swayed(below, name, descriptor);
                        }
                    }
                }
            }
        }
        // What a class extends that is not there may be anything.
        let torn = self.torn();
        let is_torn = |id: &BodyId| torn.contains(&*self.class_name(self.class_of(*id)));
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
        let interface = self.hierarchy.borrow().is_interface(class).unwrap_or(true);
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
        targets.unknown |= targets.bodies.is_empty() && targets.library.is_none();
        targets
    }

    /// The program's classes above which some class is missing. They cannot run without it; if it is
    /// there then, it may be anything.
    pub fn torn(&self) -> &HashSet<String> {
        self.torn.get_or_init(|| {
            self.index.keys().filter(|name| self.load_all(name).is_none()).cloned().collect()
        })
    }

    /// All methods of the program with a name and a descriptor.
    fn namesakes(&self, name: &str, descriptor: &str) -> Vec<BodyId> {
        let all = self.namesakes.get_or_init(|| {
            let mut all: HashMap<(String, String), Vec<BodyId>> = HashMap::new();
            for ((_, name, descriptor), id) in &self.ids {
                all.entry((name.clone(), descriptor.clone())).or_default().push(*id);
            }
            all.values_mut().for_each(|bodies| bodies.sort_unstable());
            all
        });
        all.get(&(name.to_owned(), descriptor.to_owned())).cloned().unwrap_or_default()
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

    /// The program's classes below a class, itself included. A class whose ancestors are missing
    /// cannot be loaded.
    pub(crate) fn below(&self, class: &str) -> Rc<Vec<String>> {
        let all = self.below.get_or_init(|| {
            let mut all: HashMap<String, Vec<String>> = HashMap::new();
            let mut names: Vec<&String> = self.index.keys().collect();
            names.sort_unstable();
            for name in names {
                for above in self.supertypes(name).iter().flat_map(|above| above.iter()) {
                    all.entry(above.clone()).or_default().push(name.clone());
                }
            }
            all.into_iter().map(|(class, below)| (class, Rc::new(below))).collect()
        });
        all.get(class).cloned().unwrap_or_default()
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
        if let Some(id) = self.ids.get(&key) {
            let runs = flags & (access::ABSTRACT | access::NATIVE) == 0;
            return if runs {
                Targets { bodies: vec![*id], ..Targets::default() }
            } else {
                Targets { bodies: self.namesakes(name, descriptor), ..unknown }
            };
        }
        let named = if self.index.contains_key(named) { class } else { named };
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
        if self.reveals && descriptor.ends_with("$KeySetView;") {
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
                if self.fresh_iterators && (on != On::Vague || !self.shared_iterators())
                    || exact && class != "java/util/Hashtable" =>
            {
                Returns::Fresh(Some(self.class("java/util/Iterator")))
            }
            Returns::Fresh(_) => Returns::Unknown,
            Returns::View(_) if !exact => Returns::Unknown,
            // A part of something that hands iterators through hands them through as well.
            Returns::Made
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
        let held = if self.hooks().replaces { jdk::holds(class, name) } else { 0 };
        let keeps = match taken {
            _ if self.hooks().walks => jdk::KEEPS_ALL,
            true => known.keeps | held | !1,
            false => known.keeps | held,
        };
        let made = exact && jdk::is_made(class) && self.below(class).is_empty();
        let runs = self.runs(class, name, descriptor, made);
        let calls = if primitive { 0 } else { !0 };
        Some(Library { keeps, calls, returns, view, runs })
    }
}

impl Program<'_> {
    /// Whether a class is another or extends or implements it, by internal names; `None`: a class is
    /// missing.
    pub fn is_subtype(&self, sub: &str, sup: &str) -> Option<bool> {
        if sub == sup || sup == "java/lang/Object" {
            return Some(true);
        }
        self.supertypes(sub).map(|all| all.iter().any(|name| name == sup))
    }

    /// Whether some object may be of both types.
    pub fn may_share(&self, one: &str, two: &str) -> bool {
        if one == two || one.starts_with('[') || two.starts_with('[') {
            return true;
        }
        let related =
            self.is_subtype(one, two) != Some(false) || self.is_subtype(two, one) != Some(false);
        if related {
            return true;
        }
        let kinds = (self.kind(one), self.kind(two));
        if kinds.0.is_some() && kinds.1.is_some() && kinds.0 != kinds.1 {
            return self.has_both(one, two);
        }
        let (one, two) = (self.flags(one), self.flags(two));
        // Two classes share no object unless one extends the other; a final class has no subclass
        // that could implement an interface.
        let open = |flags: u16| flags & access::INTERFACE != 0;
        (open(one) || open(two)) && (one | two) & access::FINAL == 0
    }

    /// The first of [`jdk::KINDS`] that a type is.
    fn kind(&self, class: &str) -> Option<&'static str> {
        jdk::KINDS.into_iter().find(|kind| self.is_subtype(class, kind) == Some(true))
    }

    /// Whether an object may be of two types of different [`jdk::KINDS`]: it is one of the program's, or
    /// implements them at run time.
    fn has_both(&self, one: &str, two: &str) -> bool {
        let own = self.below(one).iter().any(|below| self.is_subtype(below, two) != Some(false));
        let made = self.hooks().proxied(self, one) && self.hooks().proxied(self, two);
        let missing = self.open && !self.missing().is_empty();
        (own || made || missing) && !Mistake::NobodyIsBoth.is_made()
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

impl watchword_select::Hierarchy for Program<'_> {
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        if let Some(known) = self.facts.borrow().get(name) {
            return known.clone();
        }
        let found = match self.class_file(name) {
            Some(class) => ClassFacts::of(class).ok(),
            None => self.platform_class(name).and_then(|bytes| {
                ClassFile::parse(&bytes).and_then(|class| ClassFacts::of(&class)).ok()
            }),
        };
        let found = found.map(Arc::new);
        self.facts.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }
}

impl Names for Program<'_> {
    fn class(&self, name: &str) -> ClassName {
        ClassName(self.class_names.id(name))
    }

    fn field(&self, class: &str, name: &str, descriptor: &str) -> FieldId {
        self.load_all(class);
        let hierarchy = self.hierarchy.borrow();
        let owner = match hierarchy.resolve_field(class, name, descriptor) {
            Ok(Some(found)) => found.class,
            _ => class,
        };
        FieldId(self.fields.id(&(owner.to_owned(), name.to_owned(), descriptor.to_owned())))
    }

    fn target(&self, target: Target) -> u32 {
        self.targets.id(&target)
    }

    fn linked(
        &self,
        class: &ClassFile<'_>,
        key: u32,
        find: &dyn Fn() -> Result<u32>,
    ) -> Result<u32> {
        // Classes stay where they are once the program is there.
        let key = (std::ptr::from_ref(class).addr(), key);
        if let Some(known) = self.links.borrow().get(&key) {
            return Ok(*known);
        }
        let found = find()?;
        self.links.borrow_mut().insert(key, found);
        Ok(found)
    }
}

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
            let name = program.class_name(*class);
            match program.above(*class) {
                Some(above) if !name.starts_with('[') => set.above.extend(above.iter()),
                _ => set.vague = true,
            }
            let flags = program.flags(&name);
            set.interface |= flags & access::INTERFACE != 0 && flags & access::FINAL == 0;
            set.open |= flags & access::FINAL == 0;
        }
        set
    }

    /// Whether an object of a class, or of one below it, may be of one of the types: see
    /// [`Program::may_share`].
    fn may_have(&self, program: &Program<'_>, class: ClassName) -> bool {
        let name = program.class_name(class);
        if program.is_own_class(&name) && !program.is_interface(class) {
            let of = |below: &String| program.is_below(program.class(below), &self.all);
            return program.below(&name).iter().any(|below| of(below) != Some(false));
        }
        if self.all.is_empty() {
            return false;
        }
        let related = program.is_below(class, &self.all) != Some(false)
            || class == program.object
            || self.above.contains(&class);
        let flags = program.flags(&name);
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
            let Target::Method { class, descriptor, .. } = &*self.program.targets.get(target)
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
                if !wide.contains(class) && self.program.is_below(*result, &wide) == Some(true) {
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
        remember(&self.watched, target, || match &*self.program.targets.get(target) {
            Target::Method { class, .. } => self.watches(class),
            _ => false,
        })
    }

    /// Whether every object of a type is tracked.
    pub fn watches(&self, class: &str) -> bool {
        let class = self.program.class(class);
        self.program.is_below(class, &self.wide.borrow().all) == Some(true)
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
        let name = self.program.class_names.get(class.0);
        let value = name.strip_prefix("java/lang/").is_some_and(|name| VALUES.contains(&name));
        !value && self.program.is_below(class, &types.all) != Some(false)
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
        self.program.fields.get(field.0)
    }

    fn lowered(&self, id: BodyId, found: &[(u32, Found)]) -> Option<Rc<Body>> {
        lower(self.program.method(id), found, self.program).ok().flatten().map(Rc::new)
    }
}

/// What was found out before, or is now.
fn remember<K: Copy + Eq + Hash, V: Clone>(
    known: &RefCell<FastMap<K, V>>,
    key: K,
    find: impl FnOnce() -> V,
) -> V {
    if let Some(known) = known.borrow().get(&key) {
        return known.clone();
    }
    let found = find();
    known.borrow_mut().insert(key, found.clone());
    found
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
        let bodies = if found.is_empty() { &self.program.plain } else { &self.bodies };
        if let Some(known) = bodies.borrow().all.get(&id) {
            return known.clone();
        }
        let body = self.lowered(id, &found);
        bodies.borrow_mut().add(id, body.clone());
        body
    }

    fn targets(&self, call: &Call, receiver: Receiver) -> Rc<Targets> {
        let program = self.program;
        remember(&program.resolved, (call.target, receiver), || {
            Rc::new(program.resolve(&program.targets.get(call.target), receiver))
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
        remember(&self.returning, target, || match &*self.program.targets.get(target) {
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
        remember(&program.library, class, || program.is_platform(&program.class_name(class)))
    }

    fn is_followed(&self, class: ClassName) -> bool {
        remember(&self.followed, class, || {
            self.is_one(class, &self.bound_types)
                && !self.program.is_finalized(&self.program.class_name(class))
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
        match &*self.program.targets.get(target) {
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

/// The instructions of a method, if it has any that can be read.
pub fn instructions<'a>(method: Member<'_, 'a>) -> Result<Vec<Instruction<'a>>> {
    match method.code()? {
        Some(code) => code.instructions().collect(),
        None => Ok(Vec::new()),
    }
}
