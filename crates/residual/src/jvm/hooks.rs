//! What of a program works behind the back of its instructions, as far as its classes show it: fields
//! that are reached by name, interfaces that are implemented at run time, methods of the JDK that ask
//! methods of the program what to return.

use std::collections::{HashMap, HashSet};

use watchword_classfile::{ClassFile, Constant, Constants, Member, Opcode, access};

use super::jdk;
use super::lower::Names;
use super::program::{Program, PropertyWorld, instructions};
use super::select::Types;
use crate::body::BodyId;
use crate::flow::{Flows, Returned};
use crate::world::World;

/// See the module.
#[derive(Default)]
pub struct Hooks {
    /// Names of fields that are reached by name.
    fields: HashSet<String>,
    /// Whether any field may be: some name is computed.
    every_field: bool,
    /// Interfaces that handlers may implement at run time.
    proxies: Proxies,
    /// Methods that return iterators which are not clearly new, if the JDK may return these as its
    /// own.
    pub suspects: Vec<BodyId>,
    /// Whether bulk operations of collections of unknown class may hand their argument to the program.
    pub takers: bool,
    /// Whether collections and iterators of unknown class may run code of the program.
    pub code: bool,
    /// By class of the program: what it overrides, see [`jdk::asked`].
    overrides: HashMap<String, u8>,
}

/// What `java.lang.reflect.Proxy` and the like may implement.
#[derive(Default)]
enum Proxies {
    /// Nothing.
    #[default]
    None,
    /// These interfaces, and those above them.
    Named {
        /// Which the program names.
        all: HashSet<String>,
        /// Without those of the JDK that only classes name which make no proxies.
        near: HashSet<String>,
    },
    /// Any interface.
    All,
}

/// How the call that reaches a field by name is given the name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// As the last argument.
    Last,
    /// As the last but one.
    Before,
    /// Not at all: all fields are meant.
    All,
}

/// Whether a method makes means to reach a field, and how the field is named.
fn names_field(class: &str, name: &str) -> Option<Named> {
    match (class, name) {
        ("java/util/concurrent/atomic/AtomicReferenceFieldUpdater", "newUpdater") => {
            Some(Named::Last)
        }
        (
            "java/lang/invoke/MethodHandles$Lookup",
            "findVarHandle"
            | "findStaticVarHandle"
            | "findGetter"
            | "findSetter"
            | "findStaticGetter"
            | "findStaticSetter",
        ) => Some(Named::Before),
        ("java/lang/invoke/ConstantBootstraps", _) => Some(Named::All),
        ("java/lang/Class", "getField" | "getDeclaredField") => Some(Named::Last),
        ("java/lang/Class", "getFields" | "getDeclaredFields") => Some(Named::All),
        _ => None,
    }
}

/// Whether a method reaches a field that reflection found.
fn uses_reflection(class: &str, name: &str) -> bool {
    match class {
        "java/lang/reflect/Field" => name == "get" || name == "set",
        "java/lang/invoke/MethodHandles$Lookup" => {
            ["unreflectGetter", "unreflectSetter", "unreflectVarHandle"].contains(&name)
        }
        "sun/misc/Unsafe" | "jdk/internal/misc/Unsafe" => {
            name == "objectFieldOffset" || name == "staticFieldOffset"
        }
        _ => false,
    }
}

/// Whether a method makes objects that implement any interface.
fn makes_proxies(class: &str, name: &str) -> bool {
    matches!(
        (class, name),
        ("java/lang/reflect/Proxy", "newProxyInstance" | "getProxyClass")
            | ("java/lang/invoke/MethodHandleProxies", "asInterfaceInstance")
            | ("java/beans/EventHandler", "create")
    )
}

/// Whether a method finds interfaces that nobody named.
fn finds_interfaces(class: &str, name: &str) -> bool {
    match class {
        "java/lang/Class" => name == "getInterfaces" || name == "getGenericInterfaces",
        _ => false,
    }
}

/// Whether a method wraps a collection such that iterators are asked of what is wrapped.
fn hands_through(class: &str, name: &str) -> bool {
    class == "java/util/Collections"
        && (name.starts_with("synchronized") || name == "asLifoQueue" || name == "newSetFromMap")
}

impl Hooks {
    /// What there is in a program.
    pub fn of(program: &Program<'_>) -> Hooks {
        let mut hooks = Hooks::default();
        let (mut reflects, mut wraps, mut sorted) = (false, false, false);
        let mut reflected = Vec::new();
        let mut makers: HashSet<String> = HashSet::new();
        let mut all_proxies = false;
        for class in &program.classes {
            let pool = class.pool();
            let mut names = false;
            let (mut makes, mut finds) = (false, false);
            for index in 1..pool.count() {
                match pool.constant(index) {
                    Ok(Constant::Class { .. }) => {
                        sorted |=
                            pool.class_name(index).is_ok_and(|name| is_sorted(&name.to_str()));
                    }
                    Ok(Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. }) => {
                        let Ok(member) = pool.member(index) else { continue };
                        let (class, name) = (member.class.to_str(), member.name.to_str());
                        makes |= makes_proxies(&class, &name);
                        finds |= finds_interfaces(&class, &name);
                        reflects |= uses_reflection(&class, &name);
                        wraps |= hands_through(&class, &name);
                        names |= names_field(&class, &name).is_some();
                        hooks.code |= returns_iterator(&member.descriptor.to_str())
                            && !program.is_own_class(&class)
                            && !jdk::is_collection(&class);
                    }
                    _ => {}
                }
            }
            all_proxies |= makes && finds;
            if makes {
                makers.extend(class.name().map(|name| outermost(&name.to_str()).to_owned()));
            }
            hooks.handles(class);
            if names {
                reflected.push(class);
            }
        }
        for class in reflected {
            hooks.named(class, reflects);
        }
        for class in &program.classes {
            hooks.overrides(program, class);
        }
        hooks.proxies = match makers.is_empty() {
            true => Proxies::None,
            false if all_proxies => Proxies::All,
            false => program.proxies(&makers),
        };
        let own = |above: &str| !program.below(above).is_empty();
        let compares = program.has_lambda("java/util/Comparator")
            || own("java/util/Comparator")
            || program.declares("java/lang/Comparable", "compareTo");
        let collects = own("java/util/Collection") || own("java/util/Map");
        hooks.code |= !makers.is_empty()
            || collects
            || own("java/util/Iterator")
            || own("java/util/Enumeration")
            || sorted && compares;
        let takes = |above: &str| {
            let below = program.below(above);
            below.iter().any(|class| hooks.overridden(class) & jdk::BULK != 0)
        };
        hooks.takers = takes("java/util/Collection")
            || takes("java/util/Map")
            || hooks.proxied(program, "java/util/Collection")
            || hooks.proxied(program, "java/util/Map");
        if wraps {
            hooks.suspects = program.suspects();
        }
        hooks
    }

    /// Whether handlers may implement a type at run time.
    pub fn proxied(&self, program: &Program<'_>, class: &str) -> bool {
        let names = match &self.proxies {
            Proxies::None => return false,
            Proxies::All => return true,
            Proxies::Named { all, .. } if program.is_own_class(class) => all,
            Proxies::Named { near, .. } => near,
        };
        names.iter().any(|name| program.is_subtype(name, class) != Some(false))
    }

    /// Whether a field of that name may be read and written by name.
    pub fn reaches(&self, field: &str) -> bool {
        self.every_field || self.fields.contains(field)
    }

    /// What a class of the program overrides of methods that the JDK's own methods ask.
    pub fn overridden(&self, class: &str) -> u8 {
        self.overrides.get(class).copied().unwrap_or(0)
    }

    fn overrides(&mut self, program: &Program<'_>, class: &ClassFile<'_>) {
        let Ok(name) = class.name() else { return };
        let mut mask = 0;
        for method in class.methods() {
            let hidden = method.has_access(access::STATIC) || method.has_access(access::PRIVATE);
            if let (false, Ok(name)) = (hidden, method.name()) {
                mask |= jdk::asked(&name.to_str());
            }
        }
        if mask != 0 {
            for below in program.below(&name.to_str()).iter() {
                *self.overrides.entry(below.clone()).or_default() |= mask;
            }
        }
    }

    /// Fields that method handles in the constant pool reach, apart from those that records hand to
    /// the JDK for their `equals`, `hashCode` and `toString`.
    fn handles(&mut self, class: &ClassFile<'_>) {
        let pool = class.pool();
        let handle = |index: u16| match pool.constant(index) {
            Ok(Constant::MethodHandle { kind, reference }) => {
                pool.member(reference).ok().map(|member| (kind, member))
            }
            _ => None,
        };
        let mut of_records: HashSet<u16> = HashSet::new();
        let mut others: HashSet<u16> = HashSet::new();
        for bootstrap in class.bootstrap_methods().unwrap_or_default() {
            let record = handle(bootstrap.method)
                .is_some_and(|(_, m)| m.class == "java/lang/runtime/ObjectMethods");
            for argument in bootstrap.arguments.iter() {
                if record { &mut of_records } else { &mut others }.insert(argument.index);
            }
        }
        for index in 1..pool.count() {
            const LAST_OF_FIELDS: u8 = 4;
            if let Some((1..=LAST_OF_FIELDS, member)) = handle(index)
                && (others.contains(&index) || !of_records.contains(&index))
            {
                self.fields.insert(member.name.to_str().into_owned());
            }
        }
    }

    /// Fields that a class names in calls: their names are constants, or can be anything.
    fn named(&mut self, class: &ClassFile<'_>, reflects: bool) {
        let pool = class.pool();
        let mut computed = false;
        let mut found = false;
        for method in class.methods() {
            let Ok(code) = instructions(method) else {
                computed = true;
                continue;
            };
            let text = |at: Option<usize>| {
                let before = at.and_then(|at| code.get(at)).and_then(|i| i.constant());
                before.is_some_and(|c| matches!(pool.constant(c), Ok(Constant::String { .. })))
            };
            for (at, instruction) in code.iter().enumerate() {
                let called = instruction.constant().and_then(|index| pool.member(index).ok());
                let Some(called) = called else { continue };
                let (of, name) = (called.class.to_str(), called.name.to_str());
                let Some(how) = names_field(&of, &name) else { continue };
                // What reflection finds is of no use without what reads it.
                if of == "java/lang/Class" && !reflects {
                    continue;
                }
                found = true;
                computed |= match how {
                    Named::Last => !text(at.checked_sub(1)),
                    Named::Before => !text(at.checked_sub(2)),
                    Named::All => true,
                };
            }
        }
        // A handle of the method that finds fields may be called with any name.
        let refers = |index: u16| match pool.constant(index) {
            Ok(Constant::MethodHandle { reference, .. }) => pool
                .member(reference)
                .is_ok_and(|m| names_field(&m.class.to_str(), &m.name.to_str()).is_some()),
            _ => false,
        };
        self.every_field |= computed || (1..pool.count()).any(refers);
        if !found {
            return;
        }
        for index in 1..pool.count() {
            if let Ok(Constant::String { utf8 }) = pool.constant(index)
                && let Ok(text) = pool.utf8(utf8)
            {
                self.fields.insert(text.to_str().into_owned());
            }
        }
    }
}

/// Whether a method says that it returns an iterator.
fn returns_iterator(descriptor: &str) -> bool {
    const ITERATORS: [&str; 4] = ["Iterator", "ListIterator", "Enumeration", "PrimitiveIterator"];
    let result = descriptor.rsplit_once(")Ljava/util/").map(|(_, result)| result);
    let name = result.and_then(|result| result.split(['$', ';']).next());
    name.is_some_and(|name| ITERATORS.contains(&name))
}

/// Whether objects of a type keep an order that comparators or elements make.
fn is_sorted(class: &str) -> bool {
    class.strip_prefix("java/util/").is_some_and(|name| {
        [
            "Tree",
            "Sorted",
            "Navigable",
            "concurrent/ConcurrentSkip",
            "concurrent/ConcurrentNavigable",
        ]
        .iter()
        .any(|start| name.starts_with(start))
    })
}

impl Program<'_> {
    /// Whether a class of the program below another has a method of its own of that name.
    fn declares(&self, above: &str, name: &str) -> bool {
        self.own_methods(above).any(|method| method.name().is_ok_and(|n| n == name))
    }

    /// The interfaces that code of the program names, by class literals or as texts, given the
    /// outermost classes that make proxies.
    fn proxies(&self, makers: &HashSet<String>) -> Proxies {
        let (mut all, mut near) = (HashSet::new(), HashSet::new());
        for class in &self.classes {
            let pool = class.pool();
            let mut names = Vec::new();
            for index in 1..pool.count() {
                if let Ok(Constant::String { utf8 }) = pool.constant(index)
                    && let Ok(text) = pool.utf8(utf8)
                {
                    names.push(text.to_str().replace('.', "/"));
                }
            }
            for method in class.methods() {
                let code = instructions(method).unwrap_or_default();
                let loads = code.iter().filter(|i| matches!(i.opcode, Opcode::LDC | Opcode::LDC_W));
                for index in loads.filter_map(|i| i.constant()) {
                    if let Ok(Constant::Class { .. }) = pool.constant(index)
                        && let Ok(name) = pool.class_name(index)
                    {
                        names.push(name.to_str().into_owned());
                    }
                }
            }
            names.retain(|name| match self.class_file(name) {
                Some(class) => class.has_access(access::INTERFACE),
                None => self.is_known(name) && self.is_interface(self.class(name)),
            });
            let makes = class.name().is_ok_and(|name| makers.contains(outermost(&name.to_str())));
            let close = |name: &&String| makes || self.is_strict() || self.is_own_class(name);
            near.extend(names.iter().filter(close).cloned());
            all.extend(names);
        }
        Proxies::Named { all, near }
    }

    /// Methods of collections that return iterators which are not clearly new.
    fn suspects(&self) -> Vec<BodyId> {
        let suspicious = |id: &BodyId| {
            let method = self.method(*id);
            let iterates = method.name().is_ok_and(|name| is_iterating(&name.to_str()));
            let runs = !method.has_access(access::ABSTRACT) && !method.has_access(access::STATIC);
            iterates && runs && !returns_new(method) && {
                let class = self.class_name(self.class_of(*id));
                self.is_subtype(&class, "java/util/Collection") != Some(false)
            }
        };
        self.bodies().filter(suspicious).collect()
    }

    /// Whether a collection of unknown class may return an iterator that is not new. Of the JDK's only
    /// those do that ask collections of the program, or proxies.
    pub(super) fn shared_iterators(&self) -> bool {
        if let Some(known) = self.shared_iterators.get() {
            return known;
        }
        let hooks = self.hooks();
        let proxied = hooks.proxied(self, "java/util/Collection");
        if proxied || hooks.suspects.is_empty() {
            self.shared_iterators.set(Some(proxied));
            return proxied;
        }
        // Calls end: that all iterators are new may be assumed of the calls inside while it is
        // shown for the calls around them.
        self.shared_iterators.set(Some(false));
        let iterator = "java/util/Iterator".to_owned();
        let world = PropertyWorld::new(self, HashMap::new(), HashSet::from([iterator]));
        let flows = Flows::of_threads(&world);
        let is_new = |id: &BodyId| {
            let flow = world.body(*id).and_then(|body| flows.of(*id, &body));
            flow.is_some_and(|flow| matches!(flow.summary.returns, Returned::Fresh(..)))
        };
        let shared = !hooks.suspects.iter().all(is_new);
        if shared {
            self.shared_iterators.set(Some(true));
            self.forget_targets();
        }
        shared
    }
}

/// The class around a nested class.
fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

fn is_iterating(name: &str) -> bool {
    ["iterator", "listIterator", "descendingIterator"].contains(&name)
}

/// Whether a method clearly returns a new iterator only, given that others do.
fn returns_new(method: Member<'_, '_>) -> bool {
    let Ok(code) = instructions(method) else { return false };
    let pool = method.class().pool();
    let jumps: HashSet<u32> = code.iter().flat_map(|i| i.targets()).collect();
    let fresh = |at: usize| {
        let called = at.checked_sub(1).map(|before| &code[before]);
        let made = called.and_then(|i| {
            let member = pool.member(i.constant()?).ok()?;
            Some(match i.opcode {
                Opcode::INVOKESPECIAL if member.name == "<init>" => true,
                Opcode::INVOKESPECIAL | Opcode::INVOKEVIRTUAL | Opcode::INVOKEINTERFACE => {
                    is_iterating(&member.name.to_str())
                }
                _ => false,
            })
        });
        made == Some(true) && !jumps.contains(&code[at].offset)
    };
    let mut returns = (0..code.len()).filter(|at| code[*at].opcode == Opcode::ARETURN);
    !code.is_empty() && returns.all(fresh)
}
