//! Mechanisms of a program that its instructions do not show directly: fields that are accessed by
//! name, interfaces that are implemented at run time, methods of the JDK that call methods of the
//! program. They are found in the class files.

use std::collections::{HashMap, HashSet};

use watchword_classfile::{ClassFile, Constant, Constants, Instruction, Member, Opcode, access};

use super::handles::{self, LAMBDAS};
use super::jdk;
use super::lower::{Names, Target};
use super::program::{Program, instructions};
use super::property::PropertyWorld;
use super::reflected::constructs;
use super::runs::COMPARATOR;
use crate::body::{BodyId, ClassName, Node, Op};
use crate::flow::{Classes, Flows, NULL, State, old_bit, recent_bit};
use crate::mistake::Mistake;
use crate::world::World;

/// See the documentation of the module.
#[derive(Default)]
pub struct Hooks {
    /// Names of fields that are accessed by name.
    fields: HashSet<String>,
    /// Classes of which any field may be accessed, because some name is computed.
    wholly: HashSet<String>,
    /// Whether any public field may be accessed.
    every_public: bool,
    /// Whether any field may be accessed.
    every_field: bool,
    /// Whether fields that are accessed by name are also written.
    writes: bool,
    /// Interfaces that invocation handlers may implement at run time.
    proxies: Proxies,
    /// Whether wrappers of collections may request iterators from the wrapped collection.
    wraps: bool,
    /// Whether bulk operations of collections of unknown class may pass their argument to the
    /// program.
    pub takers: bool,
    /// Whether collections and iterators of unknown class may run code of the program.
    pub code: bool,
    /// Whether comparators may be functions of the program.
    pub compares: bool,
    /// Whether parts of sorted collections may compare elements by code of the program.
    pub sorts: bool,
    /// Whether iterators over such parts may, too.
    pub skips: bool,
    /// Whether the program may create parts of sorted collections.
    pub parts: bool,
    /// Whether there are iterators that do not belong to collections and may run any code.
    pub iterates: bool,
    /// Whether the program names classes of the JDK whose objects consist of texts of any class.
    pub wraps_texts: bool,
    /// Whether the program has spliterators of its own.
    pub splits: bool,
    /// Whether code of the program may read the fields of any JDK object, by `Unsafe`.
    pub walks: bool,
    /// Whether code of the program may get what readers and writers are locked by: often themselves.
    pub locks: bool,
    /// Whether code of the program may replace serialised objects: it receives the contents of
    /// serialisable objects' fields.
    pub replaces: bool,
    /// Whether objects of the program may be made of what is read from streams.
    pub restores: bool,
    /// Whether `this` of a method that reads fields by name may be a lambda.
    of_lambdas: bool,
    /// Classes and names of record components that the JDK compares.
    compared: HashSet<(String, String)>,
    /// By class of the program: the methods that it overrides, see [`jdk::asked`].
    overrides: HashMap<String, u8>,
}

/// The interfaces that `java.lang.reflect.Proxy` and similar classes may implement.
#[derive(Default)]
enum Proxies {
    /// None.
    #[default]
    None,
    /// These interfaces and their superinterfaces.
    Named(HashSet<String>),
    /// Any interface.
    All,
}

/// How the call that accesses a field by name receives the name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// As the last argument.
    Last,
    /// As the last argument but one.
    Before,
    /// Not at all: all fields are accessible.
    All,
}

/// Whether a method creates an accessor of a field, and how the field is named.
pub(super) fn names_field(class: &str, name: &str) -> Option<Named> {
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
        ("javax/sql/rowset/serial/SerialJavaObject", "getFields") => Some(Named::All),
        _ => None,
    }
}

/// Whether a method accesses a field that reflection found.
pub(super) fn uses_reflection(class: &str, name: &str) -> bool {
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

/// Whether a method of `Unsafe` reads or writes a reference at an offset.
pub(super) fn uses_offsets(class: &str, name: &str) -> bool {
    is_unsafe(class) && (name.contains("Object") || name.contains("Reference")) && {
        // Other methods find offsets or create objects.
        let uses = ["get", "put", "compareAnd", "weakCompareAnd"];
        uses.iter().any(|start| name.starts_with(start))
    }
}

/// Whether a method of `Unsafe` returns an offset of a field or of array elements.
pub(super) fn finds_offsets(class: &str, name: &str) -> bool {
    is_unsafe(class)
        && ["objectFieldOffset", "staticFieldOffset", "arrayBaseOffset"].contains(&name)
}

pub(super) fn is_unsafe(class: &str) -> bool {
    class == "sun/misc/Unsafe" || class == "jdk/internal/misc/Unsafe"
}

/// Whether a method makes it possible to write fields that are accessed by name.
pub(super) fn writes_fields(class: &str, name: &str) -> bool {
    match class {
        "java/lang/reflect/Field" => name == "set",
        "java/lang/invoke/MethodHandles$Lookup" => {
            name.contains("VarHandle") || name.ends_with("Setter")
        }
        "java/lang/invoke/ConstantBootstraps" => true,
        _ => class.ends_with("/Unsafe") || class.ends_with("FieldUpdater"),
    }
}

/// Whether a method creates objects that implement any interface. Every class with a lambda names the
/// factory of lambdas, see [`handles::makes_lambdas`].
pub(super) fn makes_proxies(class: &str, name: &str) -> bool {
    matches!(
        (class, name),
        ("java/lang/reflect/Proxy", "newProxyInstance" | "getProxyClass")
            | ("java/lang/invoke/LambdaMetafactory", "metafactory" | "altMetafactory")
            | ("java/lang/invoke/MethodHandleProxies", "asInterfaceInstance")
            | ("java/beans/EventHandler", "create")
            | ("javax/management/JMX", "newMBeanProxy" | "newMXBeanProxy")
            | ("javax/management/MBeanServerInvocationHandler", "newProxyInstance")
            | ("java/lang/management/ManagementFactory", "newPlatformMXBeanProxy")
    )
}

/// Whether the methods of a class of the JDK return objects that are read from streams.
fn reads_objects(class: &str) -> bool {
    matches!(
        class,
        "java/io/ObjectInput"
            | "java/io/ObjectInputStream"
            | "java/rmi/MarshalledObject"
            | "java/security/SignedObject"
            | "javax/crypto/SealedObject"
    )
}

/// What there is in a program by which objects are read from streams.
#[derive(Default)]
struct Streams {
    /// Something makes streams of objects, or does so behind the scenes.
    is_made: bool,
    /// Something reads an object, perhaps from a stream that reflection made.
    is_read: bool,
    /// Reflection calls constructors.
    constructs: bool,
}

/// What somebody wants to be read from a clipboard.
const FLAVOR: &str = "java/awt/datatransfer/DataFlavor";

/// The class whose objects read others from streams.
const OBJECT_INPUT_STREAM: &str = "java/io/ObjectInputStream";

impl Streams {
    /// A class that the program names.
    fn note_class(&mut self, class: &str) {
        const READING: [&str; 14] = [
            "com/sun/jmx/",
            "com/sun/jndi/",
            "com/sun/rowset/",
            "java/awt/datatransfer/Flavor",
            "java/awt/datatransfer/SystemFlavorMap",
            "java/awt/dnd/",
            "java/beans/Beans",
            "java/beans/beancontext/",
            "java/rmi/",
            "javax/management/",
            "javax/naming/",
            "javax/sql/rowset/",
            "javax/swing/TransferHandler",
            "sun/rmi/",
        ];
        let stream = reads_objects(class) && !class.starts_with("java/io/");
        self.is_made |= stream || READING.iter().any(|start| class.starts_with(start));
    }

    /// A text: reflection finds classes and methods by their names.
    fn note_text(&mut self, text: &str) {
        let class = text.replace('.', "/");
        self.note_class(&class);
        self.is_made |= class == OBJECT_INPUT_STREAM || class == FLAVOR;
        self.is_read |= READ.contains(&text) || text == "getObject";
    }

    /// A method that the program names.
    fn note_method(&mut self, program: &Program<'_>, class: &str, name: &str, descriptor: &str) {
        self.is_made |= class == OBJECT_INPUT_STREAM && name == "<init>";
        // What is on a clipboard is read as an object, if somebody asks for it as one.
        self.is_made |= class == FLAVOR && name == "<init>"
            || !program.is_own_class(class)
                && descriptor.split_once(')').is_some_and(|(_, result)| result.contains(FLAVOR));
        self.is_read |= READ.contains(&name) && reads_objects(class);
        self.constructs |= constructs(class, name);
    }

    /// Whether objects of the program may come from streams.
    fn restore(&self, program: &Program<'_>) -> bool {
        let indirect = program.indirect();
        self.is_made
            || self.is_read && (self.constructs || indirect.constructs)
            || indirect.finds_methods
            || indirect.describes
            || program.expects_anything()
    }
}

/// Methods that read an object from a stream.
const READ: [&str; 2] = ["readObject", "readUnshared"];

/// Whether code of a class loads another class as a value.
fn loads_class(class: &ClassFile<'_>, wanted: &str) -> bool {
    let pool = class.pool();
    let named = (1..pool.count()).any(|index| {
        matches!(pool.constant(index), Ok(Constant::Class { .. }))
            && pool.class_name(index).is_ok_and(|name| name == wanted)
    });
    let loads = |i: &Instruction<'_>| {
        matches!(i.opcode, Opcode::LDC | Opcode::LDC_W)
            && i.constant().is_some_and(|index| {
                matches!(pool.constant(index), Ok(Constant::Class { .. }))
                    && pool.class_name(index).is_ok_and(|name| name == wanted)
            })
    };
    named
        && class.methods().any(|method| match instructions(method) {
            Ok(code) => code.iter().any(loads),
            Err(_) => true,
        })
}

/// Whether a class of the JDK reads and writes public fields of beans by their names.
fn copies_beans(class: &str) -> bool {
    class.strip_prefix("java/beans/").is_some_and(|name| {
        name.ends_with("Encoder") || name.ends_with("Decoder") || name.ends_with("Delegate")
    }) || class == "javax/swing/plaf/synth/SynthLookAndFeel"
}

/// Whether a method finds interfaces that the program does not name: by a computed name, as the type
/// of a parameter or result, as the value of an annotation, and so on.
fn finds_classes(program: &Program<'_>, class: &str, name: &str, descriptor: &str) -> bool {
    let declared = (class.to_owned(), name.to_owned(), descriptor.to_owned());
    if let Some(own) = program.class_file(class)
        && program.code.ids.contains_key(&declared)
    {
        return own.has_access(access::ANNOTATION) && returns_class(descriptor);
    }
    match (class, name) {
        // These are no interfaces, or the caller has them already.
        ("java/lang/Object", "getClass")
        | ("java/lang/Class", "getSuperclass" | "asSubclass")
        | ("java/lang/Enum", "getDeclaringClass") => false,
        ("java/lang/Class", "getGenericInterfaces") => true,
        ("java/lang/invoke/MethodType", "parameterList") => true,
        // What such a proxy returns may be a proxy again.
        ("javax/management/JMX", "newMXBeanProxy") => true,
        _ if class.starts_with("java/lang/reflect/") => {
            name.contains("Type") || name.contains("Bounds") || returns_class(descriptor)
        }
        _ => name == "resolveConstantDesc" || returns_class(descriptor),
    }
}

/// Whether the declared result of a method is a class, or classes.
fn returns_class(descriptor: &str) -> bool {
    descriptor.ends_with(")Ljava/lang/Class;") || descriptor.ends_with(")[Ljava/lang/Class;")
}

/// Whether a method wraps its first argument or its receiver, a collection or a map, so that
/// iterators are requested from the wrapped object.
pub(super) fn hands_through(class: &str, name: &str) -> bool {
    match name {
        "asLifoQueue" | "newSetFromMap" | "newSequencedSetFromMap" => {
            class == "java/util/Collections"
        }
        // Views since JDK 21, for receivers of any class.
        "reversed" | "sequencedKeySet" | "sequencedValues" | "sequencedEntrySet" => true,
        _ => class == "java/util/Collections" && name.starts_with("synchronized"),
    }
}

impl Hooks {
    /// The relevant contents of a program.
    pub fn of(program: &Program<'_>) -> Hooks {
        let indirect = program.indirect();
        let mut hooks = Hooks {
            every_field: indirect.names_fields || indirect.walks,
            writes: indirect.writes_fields || indirect.walks,
            wraps: indirect.wraps,
            walks: indirect.walks,
            ..Hooks::default()
        };
        let (mut reflects, mut sorted, mut skips) = (indirect.reads_fields, false, false);
        let mut reflected = Vec::new();
        // Names of classes, if they can decide the behaviour of collections.
        let mut named: HashSet<String> = HashSet::new();
        // Classes that reflection finds can have any name.
        let (mut makes, mut finds) = (indirect.proxies, indirect.proxies);
        let mut reads = false;
        let mut streams = Streams::default();
        for class in &program.code.classes {
            let pool = class.pool();
            let mut names = false;
            let (mut uses, mut offsets) = (false, false);
            for index in 1..pool.count() {
                hooks.parts |= pool.utf8(index).is_ok_and(|text| makes_parts(&text.to_str()));
                match pool.constant(index) {
                    Ok(Constant::Class { .. }) => {
                        let Ok(name) = pool.class_name(index) else { continue };
                        reads |= reads_objects(&name.to_str());
                        streams.note_class(&name.to_str());
                        let copies = copies_beans(&name.to_str());
                        hooks.every_public |= copies;
                        hooks.writes |= copies;
                        named.insert(name.to_str().into_owned());
                    }
                    Ok(Constant::String { utf8 }) => {
                        let Ok(text) = pool.utf8(utf8) else { continue };
                        let text = text.to_str();
                        streams.note_text(&text);
                        if text.starts_with("java") {
                            named.insert(text.replace('.', "/"));
                        }
                    }
                    Ok(Constant::NameAndType { descriptor, .. }) => {
                        let Ok(descriptor) = pool.utf8(descriptor) else { continue };
                        named.extend(classes_in(&descriptor.to_str()).map(str::to_owned));
                    }
                    Ok(Constant::FieldRef { .. }) => {
                        let Ok(member) = pool.member(index) else { continue };
                        hooks.locks |=
                            is_lock(program, &member.class.to_str(), &member.name.to_str());
                    }
                    Ok(Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. }) => {
                        let Ok(member) = pool.member(index) else { continue };
                        let (class, name) = (member.class.to_str(), member.name.to_str());
                        makes |= class != LAMBDAS && makes_proxies(&class, &name);
                        let descriptor = member.descriptor.to_str();
                        streams.note_method(program, &class, &name, &descriptor);
                        finds |= finds_classes(program, &class, &name, &descriptor);
                        reflects |= uses_reflection(&class, &name);
                        hooks.writes |= writes_fields(&class, &name);
                        hooks.wraps |= hands_through(&class, &name);
                        names |= names_field(&class, &name).is_some();
                        uses |= uses_offsets(&class, &name);
                        offsets |= finds_offsets(&class, &name);
                        let iterates = returns_iterator(&member.descriptor.to_str())
                            && !program.is_own_class(&class)
                            && !jdk::is_collection(&class);
                        hooks.code |= iterates;
                        hooks.iterates |= iterates && !lists_files(&class);
                        let compares = ["comparing", "thenComparing"];
                        hooks.compares |= class == COMPARATOR
                            || compares.iter().any(|start| name.starts_with(start));
                    }
                    _ => {}
                }
            }
            hooks.handles(class);
            streams.is_made |= loads_class(class, OBJECT_INPUT_STREAM);
            makes |= handles::makes_lambdas(class);
            // Offsets that the class did not request may belong to any field.
            hooks.every_field |= uses && !offsets;
            hooks.walks |= uses && !offsets;
            if names {
                reflected.push(class);
            }
        }
        for name in &named {
            sorted |= is_sorted(name);
            skips |= is_skip_list(name);
            let odd = !Mistake::CollectionsAlike.is_made() && program.is_odd_collection(name);
            hooks.code |= odd;
            hooks.iterates |= odd;
            hooks.wraps_texts |=
                name == "java/nio/CharBuffer" || name.starts_with("java/util/regex/");
        }
        hooks.parts |= program.reflected().calls("subMap", access::PUBLIC);
        hooks.restores = streams.restore(program);
        for class in reflected {
            hooks.named(program, class, reflects);
        }
        hooks.locks |= hooks.every_field || hooks.fields.contains(LOCK);
        for class in &program.code.classes {
            hooks.overrides(program, class);
        }
        // What is read from a stream may be a proxy with a handler of the program.
        makes |= reads
            && program.below("java/lang/reflect/InvocationHandler").iter().any(|handler| {
                program.types.is_subtype(handler, "java/io/Serializable") != Some(false)
            });
        hooks.replaces = program.replaces() && !Mistake::NobodyWalks.is_made();
        hooks.walks &= !Mistake::NobodyWalks.is_made();
        hooks.proxies = match makes {
            false => Proxies::None,
            true if finds || reads => Proxies::All,
            true => program.proxies(),
        };
        let own = |above: &str| !program.below(above).is_empty();
        let compares = program.has_lambda(COMPARATOR)
            || own(COMPARATOR)
            || program.declares("java/lang/Comparable", "compareTo");
        hooks.compares |= program.has_lambda_of(COMPARATOR);
        let collects = own("java/util/Collection") || own("java/util/Map");
        hooks.code |= makes
            || collects
            || own("java/util/Iterator")
            || own("java/util/Enumeration")
            || sorted && compares;
        hooks.sorts = sorted && (compares || hooks.compares || hooks.proxied(program, COMPARATOR));
        hooks.skips = hooks.sorts && skips;
        hooks.splits =
            own("java/util/Spliterator") || hooks.proxied(program, "java/util/Spliterator");
        let takes = |above: &str| {
            let below = program.below(above);
            below.iter().any(|class| hooks.overridden(class) & jdk::BULK != 0)
        };
        hooks.takers = takes("java/util/Collection")
            || takes("java/util/Map")
            || hooks.proxied(program, "java/util/Collection")
            || hooks.proxied(program, "java/util/Map");
        hooks
    }

    /// Whether handlers may implement a type at run time.
    pub fn proxied(&self, program: &Program<'_>, class: &str) -> bool {
        let names = match &self.proxies {
            Proxies::None => return false,
            Proxies::All => return true,
            Proxies::Named(names) => names,
        };
        names.iter().any(|name| program.types.is_subtype(name, class) != Some(false))
    }

    /// Whether a field of a class may be read by name, with these access flags.
    pub fn reaches(&self, class: &str, field: &str, flags: u16) -> bool {
        self.every_field
            || self.fields.contains(field)
            || self.wholly.contains(class) && !Mistake::ClassesUnreached.is_made()
            || self.every_public
                && flags & access::PUBLIC != 0
                && !Mistake::PublicUnreached.is_made()
    }

    /// Whether some code may read values that lambdas capture, by the fields of their classes.
    pub fn reads_captures(&self) -> bool {
        // The JDK gives them these names.
        let named = |name: &String| name.starts_with("arg$");
        (self.every_field || self.of_lambdas || self.fields.iter().any(named))
            && !Mistake::CapturesUnread.is_made()
    }

    /// Whether a field is a component of a record that the JDK compares.
    pub fn compares_field(&self, class: &str, field: &str) -> bool {
        !self.compared.is_empty() && self.compared.contains(&(class.to_owned(), field.to_owned()))
    }

    /// Whether fields that are read by name may also be written.
    pub fn writes(&self) -> bool {
        self.writes && !Mistake::NamesOnlyRead.is_made()
    }

    /// The methods that a class of the program overrides and that the JDK's own methods call.
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

    /// Fields to which method handles in the constant pool refer. Fields that records pass to the
    /// JDK for their `equals`, `hashCode` and `toString` are only compared.
    fn handles(&mut self, class: &ClassFile<'_>) {
        let pool = class.pool();
        let handle = |index: u16| handles::handle(pool, index);
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
            const LAST_READ: u8 = 2;
            const LAST_OF_FIELDS: u8 = 4;
            let Some((kind @ 1..=LAST_OF_FIELDS, member)) = handle(index) else { continue };
            let name = member.name.to_str().into_owned();
            if of_records.contains(&index) && !Mistake::RecordsUncompared.is_made() {
                self.compared.insert((member.class.to_str().into_owned(), name.clone()));
            }
            if others.contains(&index) || !of_records.contains(&index) {
                self.fields.insert(name);
                self.writes |= kind > LAST_READ;
            }
        }
    }

    /// Fields that a class names in calls: their names are constants, or may be any name.
    fn named(&mut self, program: &Program<'_>, class: &ClassFile<'_>, reflects: bool) {
        let pool = class.pool();
        let mut computed = false;
        let mut found = false;
        for method in class.methods() {
            let Ok(code) = instructions(method) else {
                computed = true;
                continue;
            };
            let code = Straight::of(method, &code);
            for (at, instruction) in code.code.iter().enumerate() {
                let called = instruction.constant().and_then(|index| pool.member(index).ok());
                let Some(called) = called else { continue };
                let (of, name) = (called.class.to_str(), called.name.to_str());
                let Some(how) = names_field(&of, &name) else { continue };
                // Fields that reflection finds matter only if some code reads them.
                let reflection = !of.starts_with("java/lang/invoke/")
                    && of != "java/util/concurrent/atomic/AtomicReferenceFieldUpdater";
                if reflection && (!reflects || program.assumed.unreflected) {
                    continue;
                }
                found = true;
                let known = match how {
                    Named::Last => code.text(at, 1),
                    Named::Before => code.text(at, 2),
                    Named::All => false,
                };
                match (known, reflection) {
                    (true, _) => {}
                    (false, true) => self.any_of(program, &code, at, how, &name),
                    (false, false) => computed = true,
                }
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

impl Hooks {
    /// All fields that a call of a method of `Class` may find.
    fn any_of(
        &mut self,
        program: &Program<'_>,
        code: &Straight<'_, '_>,
        at: usize,
        how: Named,
        name: &str,
    ) {
        // Also those of superclasses, but only public ones.
        let public = name == "getField" || name == "getFields";
        let classes = match code.class(at, if how == Named::All { 1 } else { 2 }) {
            Some((class, false)) => vec![class],
            Some((class, true)) => {
                self.of_lambdas |= program.types.is_interface(program.class(&class));
                program.below(&class).to_vec()
            }
            None => {
                self.every_public |= public;
                self.every_field |= !public;
                return;
            }
        };
        for class in classes {
            let above = program.types.supertypes(&class).filter(|_| public);
            self.wholly.extend(above.iter().flat_map(|above| above.iter().cloned()));
            self.wholly.insert(class);
        }
    }
}

/// The instructions of a method, to find out what was pushed directly before a call.
struct Straight<'c, 'a> {
    method: Member<'c, 'a>,
    code: &'c [Instruction<'a>],
    /// Offsets of jump targets.
    jumps: HashSet<u32>,
}

impl<'c, 'a> Straight<'c, 'a> {
    fn of(method: Member<'c, 'a>, code: &'c [Instruction<'a>]) -> Self {
        Straight { method, code, jumps: code.iter().flat_map(|i| i.targets()).collect() }
    }

    /// The instruction that is `many` instructions before one, if control always passes from each
    /// to the next.
    fn before(&self, at: usize, count: usize) -> Option<&'c Instruction<'a>> {
        let from = at.checked_sub(count)?;
        let jumped = |i: &Instruction<'_>| self.jumps.contains(&i.offset);
        let passed = &self.code[from..at];
        let on = !self.code[from + 1..=at].iter().any(jumped);
        (on && passed.iter().all(|i| i.falls_through())).then(|| &self.code[from])
    }

    /// The text that the instruction pushes, if any.
    fn text(&self, at: usize, count: usize) -> bool {
        let pool = self.method.class().pool();
        let constant = self.before(at, count).and_then(|i| i.constant());
        constant.is_some_and(|index| matches!(pool.constant(index), Ok(Constant::String { .. })))
    }

    /// The class that the instruction pushes, or, for `this`, the class whose subclasses it may
    /// push. Each value that is pushed after it must be pushed by one instruction.
    fn class(&self, at: usize, count: usize) -> Option<(String, bool)> {
        let pool = self.method.class().pool();
        let pushes = |i: &Instruction<'_>| matches!(i.opcode, Opcode::LDC | Opcode::LDC_W);
        let loads = |i: &Instruction<'_>| {
            let byte = i.opcode.byte();
            i.opcode == Opcode::ALOAD || (0x2a..=0x2d).contains(&byte)
        };
        for between in 1..count {
            self.before(at, between).filter(|i| pushes(i) || loads(i))?;
        }
        let found = self.before(at, count)?;
        let index = found.constant()?;
        if pushes(found) && matches!(pool.constant(index), Ok(Constant::Class { .. })) {
            return Some((pool.class_name(index).ok()?.to_str().into_owned(), false));
        }
        let asked = found.opcode == Opcode::INVOKEVIRTUAL
            && pool
                .member(index)
                .is_ok_and(|m| m.name == "getClass" && m.descriptor == "()Ljava/lang/Class;");
        let this = self.before(at, count + 1).filter(|i| loads(i) && i.local() == Some(0));
        let stored = |i: &Instruction<'_>| {
            let byte = i.opcode.byte();
            i.local() == Some(0) && (i.opcode == Opcode::ASTORE || (0x4b..=0x4e).contains(&byte))
        };
        let kept = !self.method.has_access(access::STATIC) && !self.code.iter().any(stored);
        let class = self.method.class().name().ok()?.to_str().into_owned();
        (asked && this.is_some() && kept).then_some((class, true))
    }
}

/// Whether methods with this name return parts of sorted collections.
fn makes_parts(name: &str) -> bool {
    matches!(name, "headMap" | "headSet" | "subMap" | "subSet" | "tailMap" | "tailSet")
}

/// The field of readers and writers that says what they are locked by.
const LOCK: &str = "lock";

/// Whether a field of a class is that one.
fn is_lock(program: &Program<'_>, class: &str, name: &str) -> bool {
    if name != LOCK || program.types.load_all(class).is_none() {
        return false;
    }
    let hierarchy = program.types.hierarchy();
    let found = hierarchy.resolve_field(class, name, "Ljava/lang/Object;");
    found.is_ok_and(|found| found.is_some_and(|found| LOCKED.contains(&found.class)))
}

/// The classes whose constructors keep the object in that field.
pub(super) const LOCKED: [&str; 2] = ["java/io/Reader", "java/io/Writer"];

/// The classes that a descriptor names.
fn classes_in(descriptor: &str) -> impl Iterator<Item = &str> {
    descriptor.split(';').filter_map(|part| part.split_once('L')).map(|(_, class)| class)
}

/// Whether the declared result of a method is an iterator.
fn returns_iterator(descriptor: &str) -> bool {
    const ITERATORS: [&str; 4] = ["Iterator", "ListIterator", "Enumeration", "PrimitiveIterator"];
    let result = descriptor.rsplit_once(")Ljava/util/").map(|(_, result)| result);
    let name = result.and_then(|result| result.split(['$', ';']).next());
    name.is_some_and(|name| ITERATORS.contains(&name))
}

/// Whether a class of the JDK iterates over files, which runs no code of the program.
fn lists_files(class: &str) -> bool {
    class.starts_with("java/util/zip/") || class.starts_with("java/util/jar/")
}

const OBJECT_STREAM: &str = "java/io/ObjectOutputStream";

/// Whether code of a class may create an object of one of some classes; `by_name`: also without
/// naming the class.
fn makes_one(class: &ClassFile<'_>, wanted: &HashSet<String>, by_name: bool) -> bool {
    const MAKES: u8 = 8;
    let pool = class.pool();
    let is_wanted = |index: u16| {
        pool.class_name(index).is_ok_and(|name| wanted.contains(name.to_str().as_ref()))
    };
    let mut named = false;
    for index in 1..pool.count() {
        match pool.constant(index) {
            Ok(Constant::Class { .. }) => named |= is_wanted(index),
            Ok(Constant::MethodHandle { .. }) => {
                if let Some((MAKES, made)) = handles::handle(pool, index)
                    && wanted.contains(made.class.to_str().as_ref())
                {
                    return true;
                }
            }
            Ok(Constant::MethodRef { .. }) if by_name => {
                let creates =
                    pool.member(index).is_ok_and(|m| creates(&m.class.to_str(), &m.name.to_str()));
                if creates {
                    return true;
                }
            }
            _ => {}
        }
    }
    let news = |method: Member<'_, '_>| match instructions(method) {
        Ok(code) => {
            code.iter().any(|i| i.opcode == Opcode::NEW && i.constant().is_some_and(&is_wanted))
        }
        Err(_) => true,
    };
    named && class.methods().any(news)
}

/// Whether objects of a type are ordered by comparators or by their elements.
fn is_sorted(class: &str) -> bool {
    class.strip_prefix("java/util/").is_some_and(|name| {
        ["Tree", "Sorted", "Navigable"].iter().any(|start| name.starts_with(start))
    }) || is_skip_list(class)
}

/// Whether a type is a skip list: iterators over parts of it compare elements.
fn is_skip_list(class: &str) -> bool {
    class
        .strip_prefix("java/util/concurrent/Concurrent")
        .is_some_and(|name| ["Skip", "Navigable"].iter().any(|start| name.starts_with(start)))
}

/// Whether a method creates objects of classes that no instruction names.
fn creates(class: &str, name: &str) -> bool {
    match class {
        "java/lang/Class" | "java/lang/reflect/Constructor" => name == "newInstance",
        "java/lang/invoke/MethodHandles$Lookup" => name.ends_with("Constructor"),
        "java/util/ServiceLoader" => true,
        _ => is_unsafe(class) && name == "allocateInstance" || class.starts_with("java/beans/"),
    }
}

impl Program<'_> {
    /// Whether streams of the program may replace the objects that they serialise: a class
    /// overrides `replaceObject`, some code enables it, and an object of the class or of a subclass
    /// may be created.
    fn replaces(&self) -> bool {
        let replacing: HashSet<String> = self
            .own_methods(OBJECT_STREAM)
            .filter(|method| method.name().is_ok_and(|name| name == "replaceObject"))
            .filter_map(|method| method.class().name().ok())
            .flat_map(|class| self.below(&class.to_str()).to_vec())
            .collect();
        if replacing.is_empty() {
            return false;
        }
        // By a call, or by the name as a text.
        let enables = |class: &ClassFile<'_>| {
            let pool = class.pool();
            (1..pool.count())
                .any(|index| pool.utf8(index).is_ok_and(|text| text == "enableReplaceObject"))
        };
        (self.reflected().calls("enableReplaceObject", 0) || self.code.classes.iter().any(enables))
            && self
                .code
                .classes
                .iter()
                .any(|class| makes_one(class, &replacing, !self.assumed.unreflected))
    }

    /// Whether a subclass of another class of the program overrides a method of that name.
    pub(super) fn declares(&self, above: &str, name: &str) -> bool {
        self.own_methods(above).any(|method| method.name().is_ok_and(|n| n == name))
    }

    /// The interfaces that code of the program names, by class literals or as texts.
    fn proxies(&self) -> Proxies {
        let mut all = HashSet::new();
        for class in &self.code.classes {
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
                None => self.types.is_known(name) && self.types.is_interface(self.class(name)),
            });
            all.extend(names);
        }
        Proxies::Named(all)
    }

    /// Whether JDK collections of unknown class may return iterators that are not new, or that do
    /// not belong to the JDK. This is possible only if they request an iterator from a collection
    /// of the program or from a proxy: other code may know this iterator and may have used it.
    pub(super) fn shared_iterators(&self) -> bool {
        if let Some(known) = self.facts.shared_iterators.get() {
            return known;
        }
        // During this computation, no iterator counts as new.
        self.facts.shared_iterators.set(Some(true));
        let hooks = self.hooks();
        let own = !self.below("java/util/Collection").is_empty();
        let shared = hooks.proxied(self, "java/util/Collection")
            || hooks.wraps && own && self.wraps_own() && !Mistake::NothingHanded.is_made();
        self.facts.shared_iterators.set(Some(shared));
        self.forget_targets();
        shared
    }

    /// Whether a collection or map may be wrapped that was not created directly before, or whose
    /// class does not belong to the JDK.
    fn wraps_own(&self) -> bool {
        let wrapping = |class: &ClassFile<'_>, index: u16| {
            let member = class.pool().member(index);
            member.is_ok_and(|m| hands_through(&m.class.to_str(), &m.name.to_str()))
        };
        let by_handle = |class: &ClassFile<'_>| {
            (1..class.pool().count()).any(|index| match class.pool().constant(index) {
                Ok(Constant::MethodHandle { reference, .. }) => wrapping(class, reference),
                _ => false,
            })
        };
        if self.indirect().wraps || self.code.classes.iter().any(by_handle) {
            return true;
        }
        let wrapped = ["java/util/Collection", "java/util/Map"].map(str::to_owned);
        let world = PropertyWorld::new(self, HashMap::new(), HashSet::from(wrapped));
        let flows = Flows::of_threads(&world);
        let just_made = |id: BodyId| {
            let body = world.body(id)?;
            let flow = flows.of(id, &body)?;
            let classes = flow.origins.iter().map(|origin| origin.classes);
            let of_jdk = |classes: Classes| {
                let made = |class: &ClassName| jdk::is_made(&self.types.class_name(*class));
                classes.known().is_some_and(|all| all.iter().all(made))
            };
            let made = classes.enumerate().filter(|(_, classes)| of_jdk(*classes));
            let made = made.fold(NULL, |set, (o, _)| set | recent_bit(o) | old_bit(o));
            let holds = |(node, state): (&Node, &Option<State>)| match (&node.op, state) {
                (Op::Call(call), Some(state)) => match &*self.target_of(call.target) {
                    Target::Method { class, name, .. } if hands_through(class, name) => {
                        let held = |var: u16| state.vars[usize::from(var)] & !made == 0;
                        call.args.iter().flatten().next().is_some_and(|var| held(*var))
                    }
                    _ => true,
                },
                _ => true,
            };
            Some(body.nodes.iter().zip(&flow.before).all(holds))
        };
        self.bodies().any(|id| {
            let method = self.method(id);
            let Ok(code) = instructions(method) else { return true };
            let calls = code.iter().filter_map(|i| i.constant());
            calls.into_iter().any(|index| wrapping(method.class(), index))
                && just_made(id) != Some(true)
        })
    }
}
