//! A program: its classes, what extends what, what a call may run.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use watchword_classfile::source::ClassSource;
use watchword_classfile::{
    ClassFile, Constant, Constants, FieldType, Flags, Instruction, Member, MethodDescriptor,
    Result, access,
};
use watchword_select::ClassFacts;

use super::handles;
use super::hooks::Hooks;
use super::indirect::Indirect;
use super::interner::Interner;
use super::jdk;
use super::lower::{Names, Target};
use super::points::Graph;
use super::property::Bodies;
use super::reflected::Reflected;
use super::select::Selector;
use super::types::Types;
use crate::body::{BodyId, ClassName, FieldId};
use crate::hash::FastMap;
use crate::machine::Letters;
use crate::mistake::Mistake;
use crate::world::{Receiver, Targets};

/// The class files of a program, and what was found out about them.
pub struct Program<'a> {
    /// Its class files.
    pub code: Code<'a>,
    /// What extends what.
    pub types: Types<'a>,
    pub(super) symbols: Symbols,
    pub(super) assumed: Assumed,
    pub(super) facts: Facts,
    pub(super) answers: Answers,
}

/// The class files.
#[derive(Default)]
pub struct Code<'a> {
    /// The classes whose sites are asked about come first.
    pub classes: Vec<ClassFile<'a>>,
    /// How many are asked about.
    pub own: usize,
    pub(super) index: HashMap<String, usize>,
    methods: Vec<(usize, usize)>,
    pub(super) ids: HashMap<(String, String, String), BodyId>,
    /// Interfaces that lambdas and method references of the program implement.
    lambdas: HashSet<String>,
    /// Whether some class asks a view for the map it is a view of.
    pub(super) reveals: bool,
    /// Classes that could not be read, with why.
    pub broken: Vec<(String, String)>,
}

/// Numbers for what code names.
pub(super) struct Symbols {
    pub fields: Interner<(String, String, String)>,
    pub targets: Interner<Target>,
    /// By class file and constant: the number of what it names, see [`Names::linked`].
    links: RefCell<FastMap<(usize, u32), u32>>,
}

/// What is taken for granted.
pub(super) struct Assumed {
    /// Missing classes may do anything.
    pub open: bool,
    /// Reflection is assumed away.
    pub unreflected: bool,
    /// Whether iterators of collections of unknown class count as new objects.
    pub fresh_iterators: bool,
}

/// Facts about the whole program, found when they are first asked for.
#[derive(Default)]
pub(super) struct Facts {
    /// By class: the program's classes below it, itself included.
    below: OnceCell<HashMap<String, Rc<Vec<String>>>>,
    /// By name and descriptor.
    namesakes: OnceCell<HashMap<(String, String), Vec<BodyId>>>,
    /// The program's classes above which some class is missing.
    torn: OnceCell<HashSet<String>>,
    missing: OnceCell<Vec<String>>,
    field_users: OnceCell<HashMap<FieldId, Vec<BodyId>>>,
    graph: OnceCell<Option<Rc<Graph>>>,
    hooks: OnceCell<Hooks>,
    reflected: OnceCell<Reflected>,
    indirect: OnceCell<Indirect>,
    /// Whether iterators of collections of unknown class may be shared, once that was asked.
    pub shared_iterators: Cell<Option<bool>>,
    /// Names and descriptors of methods that the JDK may call.
    pub called: OnceCell<HashSet<(String, String)>>,
}

/// Answers that were given before.
#[derive(Default)]
pub(super) struct Answers {
    /// What selectors asked about classes.
    facts: RefCell<HashMap<String, Option<Arc<ClassFacts>>>>,
    pub resolved: RefCell<FastMap<Dispatch, Rc<Targets>>>,
    /// Whether a class is the platform's.
    pub library: RefCell<FastMap<ClassName, bool>>,
    /// Bodies without events.
    pub plain: RefCell<Bodies>,
}

/// What is called, and on what.
type Dispatch = (u32, Receiver);

impl<'a> Program<'a> {
    /// A program of classes to ask about, classes beside them, and the platform's classes. A class
    /// that cannot be read is noted in [`Code::broken`]; a class that comes twice counts once.
    pub fn new(
        own: Vec<(String, &'a [u8])>,
        beside: Vec<(String, &'a [u8])>,
        platform: &'a dyn ClassSource,
        fresh_iterators: bool,
    ) -> Program<'a> {
        let symbols = Symbols {
            fields: Interner::new(),
            targets: Interner::new(),
            links: RefCell::default(),
        };
        let mut program = Program {
            code: Code::default(),
            types: Types::new(platform),
            symbols,
            assumed: Assumed { open: false, unreflected: false, fresh_iterators },
            facts: Facts::default(),
            answers: Answers::default(),
        };
        for (place, bytes) in own {
            program.add(place, bytes);
        }
        program.code.own = program.code.classes.len();
        for (place, bytes) in beside {
            program.add(place, bytes);
        }
        program
    }

    fn add(&mut self, place: String, bytes: &'a [u8]) {
        let added = ClassFile::parse(bytes).and_then(|class| {
            let name = class.name()?.to_str().into_owned();
            if self.code.index.contains_key(&name) {
                return Ok(());
            }
            self.types.add(&class)?;
            let number = self.code.classes.len();
            for method in class.methods() {
                let id = BodyId(self.code.methods.len() as u32);
                self.code.methods.push((number, method.index()));
                let (method_name, descriptor) = (
                    method.name()?.to_str().into_owned(),
                    method.descriptor()?.to_str().into_owned(),
                );
                self.code.ids.insert((name.clone(), method_name, descriptor), id);
            }
            for index in 1..class.pool().count() {
                if let Ok(Constant::MethodRef { .. }) = class.pool().constant(index)
                    && let Ok(member) = class.pool().member(index)
                {
                    self.code.reveals |= member.name == "getMap"
                        && member.class.as_bytes().starts_with(b"java/util/concurrent/");
                }
                if let Ok(Constant::InvokeDynamic { .. }) = class.pool().constant(index)
                    && let Ok((_, _, descriptor)) = class.pool().dynamic(index)
                    && let Ok(descriptor) = MethodDescriptor::parse(descriptor)
                    && let Some(result) = descriptor.result().and_then(FieldType::class_name)
                {
                    self.code.lambdas.insert(result.to_str().into_owned());
                }
            }
            let markers = handles::markers(&class);
            self.code.lambdas.extend(markers);
            self.code.index.insert(name, number);
            self.code.classes.push(class);
            Ok(())
        });
        if let Err(error) = added {
            self.code.broken.push((place, error.to_string()));
        }
    }

    /// All methods.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.code.methods.len() as u32).map(BodyId)
    }

    /// Whether the sites of a method are asked about.
    pub fn is_own(&self, id: BodyId) -> bool {
        self.code.methods[id.0 as usize].0 < self.code.own
    }

    /// A method.
    pub fn method(&self, id: BodyId) -> Member<'_, 'a> {
        let (class, method) = self.code.methods[id.0 as usize];
        self.code.classes[class].methods().nth(method).expect("numbered when the class was added")
    }

    /// Methods that read or write fields, by field; fields of arrays and numbers are left out.
    pub fn field_users(&self) -> &HashMap<FieldId, Vec<BodyId>> {
        self.facts.field_users.get_or_init(|| {
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
        self.declared(field).is_none()
            || self.is_written_with(field)
                && self.hooks().restores
                && !Mistake::NothingRestored.is_made()
    }

    /// Whether objects that hold a field may be written to a stream, and the field with them.
    fn is_written_with(&self, field: FieldId) -> bool {
        let Some(declared) = self.declared(field) else { return true };
        let (class, ..) = &*self.symbols.fields.get(field.0);
        // A class may name its fields that are written, those that are transient among them.
        let named = || {
            let mut fields = self.class_file(class).into_iter().flat_map(|class| class.fields());
            fields.any(|field| field.name().is_ok_and(|name| name == "serialPersistentFields"))
        };
        let kept = declared.has_access(access::STATIC)
            || declared.has_access(access::TRANSIENT)
                && (!named() || Mistake::TransientsUnwritten.is_made());
        !kept && self.types.is_subtype(class, "java/io/Serializable") != Some(false)
    }

    /// Letters of events that method handles may raise, apart from lambdas and method references.
    pub fn handle_letters(&self, selector: &Selector<'_>) -> Letters {
        if self.expects_anything() {
            return selector.all_letters();
        }
        let world = watchword_select::KnownTypes::open(self);
        let mut letters = 0;
        for (_, member) in self.code.classes.iter().flat_map(handles::others) {
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
        self.facts.missing.get_or_init(|| {
            let mut names = BTreeSet::new();
            for class in &self.code.classes {
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
                    if !names.contains(named) && !self.types.is_known(named) {
                        names.insert(named.to_owned());
                    }
                }
            }
            names.into_iter().map(|name| name.replace('/', ".")).collect()
        })
    }

    /// Expects anything of missing classes, where it is not found out whether they run.
    pub fn distrust_missing(&mut self) {
        self.assumed.open = true;
    }

    /// Whether a class is missing that may do anything.
    pub(super) fn expects_anything(&self) -> bool {
        self.assumed.open && !self.missing().is_empty()
    }

    /// Assumes that reflection calls no methods of the program and reaches no fields of it.
    pub fn ignore_reflection(&mut self) {
        self.assumed.unreflected = true;
    }

    /// What works behind the back of instructions.
    pub(super) fn hooks(&self) -> &Hooks {
        self.facts.hooks.get_or_init(|| Hooks::of(self))
    }

    /// What reflection does that reflection found.
    pub(super) fn indirect(&self) -> Indirect {
        *self.facts.indirect.get_or_init(|| match self.assumed.unreflected {
            true => Indirect::default(),
            false => Indirect::of(self),
        })
    }

    /// Methods that reflection may call.
    pub(super) fn reflected(&self) -> &Reflected {
        self.facts.reflected.get_or_init(|| match self.assumed.unreflected {
            true => Reflected::default(),
            false => Reflected::of(self),
        })
    }

    /// Forgets what calls may run.
    pub(super) fn forget_targets(&self) {
        self.answers.resolved.borrow_mut().clear();
    }

    /// Methods of the program's classes below a class.
    pub(super) fn own_methods(&self, above: &str) -> impl Iterator<Item = Member<'_, 'a>> {
        let below = self.below(above);
        let classes =
            (0..below.len()).map(move |at| &self.code.classes[self.code.index[&below[at]]]);
        classes.flat_map(|class| class.methods())
    }

    /// Whether lambdas or method references of the program implement an interface, or one below it.
    pub(super) fn has_lambda_of(&self, interface: &str) -> bool {
        self.code
            .lambdas
            .iter()
            .any(|lambda| self.types.is_subtype(lambda, interface) == Some(true))
    }

    /// Interfaces that lambdas and method references of the program implement.
    pub(super) fn lambdas(&self) -> &HashSet<String> {
        &self.code.lambdas
    }

    /// Whether lambdas or method references of the program implement an interface.
    pub(super) fn has_lambda(&self, interface: &str) -> bool {
        self.code.lambdas.contains(interface)
    }

    /// Whether a field may be read without an instruction that names it, and perhaps written.
    pub fn is_reached_otherwise(&self, field: FieldId) -> bool {
        let (class, name, _) = &*self.symbols.fields.get(field.0);
        self.declared(field)
            .is_none_or(|declared| self.hooks().reaches(class, name, declared.access()))
            || self.hooks().replaces && self.is_written_with(field)
    }

    /// Whether the JDK hands what a field holds to `equals` of what it holds in another object: it is
    /// a component of a record.
    pub fn is_compared(&self, field: FieldId) -> bool {
        let (class, name, _) = &*self.symbols.fields.get(field.0);
        self.hooks().compares_field(class, name)
    }

    /// Whether a field is one of the JDK's that hold a collection that is always empty.
    pub fn is_empty_collection(&self, field: FieldId) -> bool {
        let (class, name, _) = &*self.symbols.fields.get(field.0);
        class == "java/util/Collections" && name.starts_with("EMPTY_")
    }

    /// Whether a field may be written without an instruction that names it.
    pub fn is_written_otherwise(&self, field: FieldId) -> bool {
        self.is_reached_otherwise(field)
            && (self.hooks().writes() || self.class_with_field(field).is_none())
    }

    /// Whether the VM runs code of the program before it frees objects of a class.
    pub(super) fn is_finalized(&self, class: &str) -> bool {
        let own = self.types.supertypes(class);
        own.iter().flat_map(|all| all.iter()).any(|above| {
            let key = (above.clone(), "finalize".to_owned(), "()V".to_owned());
            self.code.ids.contains_key(&key)
        })
    }

    /// How references move in the program; `None` if that is not known.
    pub fn graph(&self) -> Option<Rc<Graph>> {
        self.facts.graph.get_or_init(|| Graph::of(self).map(Rc::new)).clone()
    }

    /// What a number of [`Names::target`] stands for.
    pub fn target_of(&self, target: u32) -> Rc<Target> {
        self.symbols.targets.get(target)
    }

    /// What messages call a method.
    pub fn full_name(&self, id: BodyId) -> String {
        let class = self.types.class_name(self.class_of(id));
        let simple = class.rsplit('/').next().unwrap_or(&class).replace('$', ".");
        let name = self.method(id).name().map(|name| name.to_str().into_owned());
        format!("{simple}.{}", name.unwrap_or_default())
    }

    /// The class a method is in.
    pub fn class_of(&self, id: BodyId) -> ClassName {
        let class = &self.code.classes[self.code.methods[id.0 as usize].0];
        self.class(&class.name().map(|n| n.to_str().into_owned()).unwrap_or_default())
    }

    /// The class file of a class of the program.
    pub fn class_file(&self, class: &str) -> Option<&ClassFile<'a>> {
        self.code.index.get(class).map(|index| &self.code.classes[*index])
    }

    /// Whether a class is the program's.
    pub fn is_own_class(&self, class: &str) -> bool {
        self.code.index.contains_key(class)
    }

    /// The declared type of a field, if it is a class.
    pub fn field_type(&self, field: FieldId) -> Option<ClassName> {
        let (_, _, descriptor) = &*self.symbols.fields.get(field.0);
        let ty = FieldType::parse(watchword_classfile::JStr::new(descriptor.as_bytes())).ok()?;
        ty.class_name().map(|name| self.class(&name.to_str()))
    }

    /// The class of the program that declares a field.
    pub fn class_with_field(&self, field: FieldId) -> Option<&ClassFile<'a>> {
        self.declared(field)?;
        self.class_file(&self.symbols.fields.get(field.0).0)
    }

    /// The declaration of a field of the program.
    fn declared(&self, field: FieldId) -> Option<Member<'_, 'a>> {
        let (class, name, descriptor) = &*self.symbols.fields.get(field.0);
        self.class_file(class)?.fields().into_iter().find(|f| {
            f.name().is_ok_and(|n| n == name.as_str())
                && f.descriptor().is_ok_and(|d| d == descriptor.as_str())
        })
    }

    pub(super) fn is_platform(&self, class: &str) -> bool {
        !self.code.index.contains_key(class) && self.types.is_known(class)
    }

    /// The program's classes above which some class is missing. They cannot run without it; if it is
    /// there then, it may be anything.
    pub fn torn(&self) -> &HashSet<String> {
        self.facts.torn.get_or_init(|| {
            self.code
                .index
                .keys()
                .filter(|name| self.types.load_all(name).is_none())
                .cloned()
                .collect()
        })
    }

    /// All methods of the program with a name and a descriptor.
    pub(super) fn namesakes(&self, name: &str, descriptor: &str) -> Vec<BodyId> {
        let all = self.facts.namesakes.get_or_init(|| {
            let mut all: HashMap<(String, String), Vec<BodyId>> = HashMap::new();
            for ((_, name, descriptor), id) in &self.code.ids {
                all.entry((name.clone(), descriptor.clone())).or_default().push(*id);
            }
            all.values_mut().for_each(|bodies| bodies.sort_unstable());
            all
        });
        all.get(&(name.to_owned(), descriptor.to_owned())).cloned().unwrap_or_default()
    }

    /// The program's classes below a class, itself included. A class whose ancestors are missing
    /// cannot be loaded.
    pub(crate) fn below(&self, class: &str) -> Rc<Vec<String>> {
        let all = self.facts.below.get_or_init(|| {
            let mut all: HashMap<String, Vec<String>> = HashMap::new();
            let mut names: Vec<&String> = self.code.index.keys().collect();
            names.sort_unstable();
            for name in names {
                for above in self.types.supertypes(name).iter().flat_map(|above| above.iter()) {
                    all.entry(above.clone()).or_default().push(name.clone());
                }
            }
            all.into_iter().map(|(class, below)| (class, Rc::new(below))).collect()
        });
        all.get(class).cloned().unwrap_or_default()
    }
}

impl Program<'_> {
    /// Whether some object may be of both types.
    pub fn may_share(&self, one: &str, two: &str) -> bool {
        if one == two || one.starts_with('[') || two.starts_with('[') {
            return true;
        }
        let related = self.types.is_subtype(one, two) != Some(false)
            || self.types.is_subtype(two, one) != Some(false);
        if related {
            return true;
        }
        let kinds = (self.kind(one), self.kind(two));
        if kinds.0.is_some() && kinds.1.is_some() && kinds.0 != kinds.1 {
            return self.has_both(one, two);
        }
        let (one, two) = (self.types.flags(one), self.types.flags(two));
        // Two classes share no object unless one extends the other; a final class has no subclass
        // that could implement an interface.
        let open = |flags: u16| flags & access::INTERFACE != 0;
        (open(one) || open(two)) && (one | two) & access::FINAL == 0
    }

    /// The first of [`jdk::KINDS`] that a type is.
    fn kind(&self, class: &str) -> Option<&'static str> {
        jdk::KINDS.into_iter().find(|kind| self.types.is_subtype(class, kind) == Some(true))
    }

    /// Whether an object may be of two types of different [`jdk::KINDS`]: it is one of the program's, or
    /// implements them at run time.
    fn has_both(&self, one: &str, two: &str) -> bool {
        let own =
            self.below(one).iter().any(|below| self.types.is_subtype(below, two) != Some(false));
        let made = self.hooks().proxied(self, one) && self.hooks().proxied(self, two);
        let missing = self.expects_anything();
        (own || made || missing) && !Mistake::NobodyIsBoth.is_made()
    }
}

impl watchword_select::Hierarchy for Program<'_> {
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        if let Some(known) = self.answers.facts.borrow().get(name) {
            return known.clone();
        }
        let found = match self.class_file(name) {
            Some(class) => ClassFacts::of(class).ok(),
            None => self.types.platform_class(name).and_then(|bytes| {
                ClassFile::parse(&bytes).and_then(|class| ClassFacts::of(&class)).ok()
            }),
        };
        let found = found.map(Arc::new);
        self.answers.facts.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }
}

impl Names for Program<'_> {
    fn class(&self, name: &str) -> ClassName {
        self.types.id(name)
    }

    fn field(&self, class: &str, name: &str, descriptor: &str) -> FieldId {
        self.types.load_all(class);
        let hierarchy = self.types.hierarchy();
        let owner = match hierarchy.resolve_field(class, name, descriptor) {
            Ok(Some(found)) => found.class,
            _ => class,
        };
        FieldId(self.symbols.fields.id(&(owner.to_owned(), name.to_owned(), descriptor.to_owned())))
    }

    fn target(&self, target: Target) -> u32 {
        self.symbols.targets.id(&target)
    }

    fn linked(
        &self,
        class: &ClassFile<'_>,
        key: u32,
        find: &dyn Fn() -> Result<u32>,
    ) -> Result<u32> {
        // Classes stay where they are once the program is there.
        let key = (std::ptr::from_ref(class).addr(), key);
        if let Some(known) = self.symbols.links.borrow().get(&key) {
            return Ok(*known);
        }
        let found = find()?;
        self.symbols.links.borrow_mut().insert(key, found);
        Ok(found)
    }
}

/// The instructions of a method, if it has any that can be read.
pub fn instructions<'a>(method: Member<'_, 'a>) -> Result<Vec<Instruction<'a>>> {
    match method.code()? {
        Some(code) => code.instructions().collect(),
        None => Ok(Vec::new()),
    }
}
