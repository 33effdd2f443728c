//! Methods of a program that reflection may call, as far as its classes show it: by names that are
//! constants, or any.

use std::collections::HashSet;

use watchword_classfile::simulate::effect;
use watchword_classfile::{ClassFile, Constant, Constants, Flags, Instruction, Opcode, access};

use super::handles::{self, LAMBDAS};
use super::hooks::makes_proxies;
use super::program::{Program, instructions};
use crate::mistake::Mistake;

/// See the module.
#[derive(Default)]
pub struct Reflected {
    names: HashSet<String>,
    /// Names of methods that are called for others than the program.
    outside: HashSet<String>,
    every_public: bool,
    every: bool,
    /// Whether there are method handles.
    has_handles: bool,
    /// Whether what they return may come out of other methods of the JDK than [`passes`] says, and
    /// whether they may be called with what others are given.
    is_wide: bool,
    /// Whether the JDK may call them, behind interfaces, with what it was lent.
    is_behind: bool,
}

/// Which methods a call finds.
#[derive(Clone, Copy)]
pub(super) struct Finds {
    /// So many arguments come after the name; `None`: it is given none, and finds all.
    pub after_name: Option<usize>,
    /// Only public ones.
    pub public: bool,
}

/// What a method of the JDK finds, if it finds methods.
pub(super) fn finds(class: &str, name: &str) -> Option<Finds> {
    let (after_name, public) = match (class, name) {
        ("java/lang/Class", "getMethod") => (Some(1), true),
        ("java/lang/Class", "getDeclaredMethod") => (Some(1), false),
        ("java/lang/Class", "getMethods") => (None, true),
        (
            "java/lang/Class",
            "getDeclaredMethods" | "getEnclosingMethod" | "getRecordComponents",
        ) => (None, false),
        ("java/lang/invoke/MethodHandles$Lookup", "findVirtual" | "findStatic" | "bind") => {
            (Some(1), false)
        }
        ("java/lang/invoke/MethodHandles$Lookup", "findSpecial") => (Some(2), false),
        _ => return None,
    };
    Some(Finds { after_name, public })
}

/// Whether a method calls what reflection found, or makes something that does.
pub(super) fn calls(class: &str, name: &str) -> bool {
    match class {
        "java/lang/reflect/Method" => name == "invoke",
        "java/lang/reflect/InvocationHandler" => name == "invokeDefault",
        "java/lang/invoke/MethodHandles$Lookup" => true,
        _ => false,
    }
}

/// Whether a method calls constructors that reflection found, or makes something that does.
pub(super) fn constructs(class: &str, name: &str) -> bool {
    match class {
        "java/lang/reflect/Constructor" => name == "newInstance",
        "java/lang/invoke/MethodHandles$Lookup" => {
            name == "findConstructor" || name == "unreflectConstructor"
        }
        "java/security/Provider$Service" => name == "newInstance",
        // Servers of managed objects, by any of their interfaces.
        _ => {
            class.starts_with("javax/management/") && ["createMBean", "instantiate"].contains(&name)
        }
    }
}

/// Whether methods of a class of the JDK pass on to methods what they are given, or the elements of
/// it, and return what those return.
pub fn passes(class: &str) -> bool {
    class.strip_prefix("java/lang/reflect/").is_some_and(|n| n == "Method" || n == "Constructor")
        || class.starts_with("java/lang/invoke/MethodHandle")
}

/// Whether a class of the JDK finds public methods by itself, and calls them.
fn works_by_names(class: &str) -> bool {
    const OF_BEANS: [&str; 10] = [
        "Encoder",
        "EventHandler",
        "EventSetDescriptor",
        "Expression",
        "IndexedPropertyDescriptor",
        "Introspector",
        "MethodDescriptor",
        "PropertyDescriptor",
        "Statement",
        "XMLDecoder",
    ];
    class.strip_prefix("java/beans/").is_some_and(|name| OF_BEANS.contains(&name))
        || class == "java/beans/XMLEncoder"
        || class == "java/lang/invoke/MethodHandleProxies"
        || class == "javax/swing/TransferHandler"
        || class == "javax/swing/UIDefaults$ProxyLazyValue"
        || class == "javax/swing/plaf/synth/SynthLookAndFeel"
        || is_model(class)
}

/// Whether a class of the JDK makes an object managed by whatever interface or description it is given,
/// or links calls to methods of any class.
fn is_model(class: &str) -> bool {
    const OF_INTERFACES: [&str; 2] = ["StandardMBean", "StandardEmitterMBean"];
    class
        .strip_prefix("javax/management/")
        .is_some_and(|name| OF_INTERFACES.contains(&name) || name.starts_with("modelmbean/"))
        || class.starts_with("jdk/dynalink/")
}

/// Whether a class of the JDK puts methods that were found behind interfaces, or calls where it finds them.
fn puts_behind(class: &str) -> bool {
    class == "java/beans/EventHandler"
        || class == "java/lang/invoke/MethodHandleProxies"
        || class.starts_with("jdk/dynalink/")
}

/// Scripts find public methods, where the JDK has an engine for them.
const ENGINE: &str = "jdk/nashorn/api/scripting/NashornScriptEngine";

/// Names of methods that the JDK calls on classes of the program where these use a class of its own.
fn asked_by(class: &str) -> &'static [&'static str] {
    match class {
        // Looks of components; what the editor of a box makes of a text.
        _ if class.starts_with("javax/swing/") => &["createUI", "valueOf"],
        _ if class.starts_with("javax/imageio/") => &["getInstance"],
        // Objects are made of composite data.
        _ if class.starts_with("javax/management/") => &["from"],
        _ => &[],
    }
}

/// Whether the JDK calls the methods that a class or interface declares for whoever asks from outside.
fn is_managed(program: &Program<'_>, class: &ClassFile<'_>) -> bool {
    let Ok(name) = class.name() else { return true };
    let name = name.to_str();
    let annotated =
        |index: u16| class.pool().utf8(index).is_ok_and(|text| text == "Ljavax/management/MXBean;");
    // Events of the flight recorder are asked whether they are wanted, by methods of any name.
    if program.types.is_subtype(&name, "jdk/jfr/Event") == Some(true) {
        return true;
    }
    class.has_access(access::INTERFACE)
        && (name.ends_with("MBean")
            || name.ends_with("MXBean")
            || (1..class.pool().count()).any(annotated)
            || program.types.is_subtype(&name, "java/rmi/Remote") != Some(false))
}

/// Whether instructions or constants of a class are what methods of the program say when they are first
/// used.
fn has_own_bootstrap(program: &Program<'_>, class: &ClassFile<'_>) -> bool {
    let own = |method: u16| {
        let handle = handles::handle(class.pool(), method);
        handle.is_none_or(|(_, member)| !program.is_platform(&member.class.to_str()))
    };
    class.bootstrap_methods().is_ok_and(|all| all.iter().any(|one| own(one.method)))
}

/// The names of a class's methods.
fn names_of(class: &ClassFile<'_>) -> Vec<String> {
    let names = class.methods().filter_map(|method| method.name().ok());
    names.map(|name| name.to_str().into_owned()).collect()
}

impl Reflected {
    /// What there is in a program.
    pub fn of(program: &Program<'_>) -> Reflected {
        let indirect = program.indirect();
        let mut found = Reflected {
            every: indirect.finds_methods,
            is_wide: indirect.describes || indirect.proxies,
            is_behind: indirect.describes || indirect.proxies,
            ..Reflected::default()
        };
        if indirect.constructs {
            found.names.insert("<init>".to_owned());
        }
        let (mut is_called, mut proxies) = (indirect.calls, indirect.proxies);
        let mut finding = Vec::new();
        for class in &program.code.classes {
            let pool = class.pool();
            let mut finds_some = false;
            for index in 1..pool.count() {
                match pool.constant(index) {
                    Ok(Constant::Class { .. }) => {
                        let Ok(name) = pool.class_name(index) else { continue };
                        let works = works_by_names(&name.to_str())
                            || name == "javax/script/ScriptEngine"
                                && program.types.is_known(ENGINE);
                        found.every_public |= works;
                        found.is_wide |= works;
                        found.is_behind |= puts_behind(&name.to_str());
                        let asked = asked_by(&name.to_str());
                        found.outside.extend(asked.iter().map(|&name| name.to_owned()));
                    }
                    Ok(Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. }) => {
                        let Ok(member) = pool.member(index) else { continue };
                        let (of, name) = (member.class.to_str(), member.name.to_str());
                        is_called |= calls(&of, &name);
                        proxies |= of != LAMBDAS && makes_proxies(&of, &name);
                        found.has_handles |= of == "java/lang/invoke/MethodHandle";
                        finds_some |= finds(&of, &name).is_some();
                        if constructs(&of, &name) {
                            found.names.insert("<init>".to_owned());
                        }
                        // Services come from methods of this name.
                        if of == "java/util/ServiceLoader" {
                            found.outside.insert("provider".to_owned());
                        }
                    }
                    _ => {}
                }
            }
            if is_managed(program, class) {
                found.outside.extend(names_of(class));
            }
            found.handles(class);
            // Whatever is made of a handle calls its method.
            let by_hand = handles::makes_lambdas(class);
            proxies |= by_hand;
            let linked = by_hand || has_own_bootstrap(program, class);
            found.is_wide |= linked;
            found.is_behind |= linked;
            if finds_some {
                finding.push(class);
            }
        }
        // Handlers of proxies receive the called method.
        for class in program.code.classes.iter().filter(|_| is_called && proxies) {
            if class.has_access(access::INTERFACE) {
                found.names.extend(names_of(class));
            }
        }
        for class in finding.into_iter().filter(|_| is_called) {
            found.named(class);
        }
        found
    }

    /// See the field.
    pub fn has_handles(&self) -> bool {
        self.has_handles || self.is_wide
    }

    /// See the field.
    pub fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// See the field.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Whether the JDK calls a method for whoever asks from outside.
    pub fn is_asked_from_outside(&self, name: &str) -> bool {
        self.outside.contains(name) && !Mistake::NobodyReflects.is_made()
    }

    /// Whether a method of a name, with these access flags, may be called.
    pub fn calls(&self, name: &str, flags: u16) -> bool {
        !Mistake::NobodyReflects.is_made()
            && (self.every
                || self.names.contains(name)
                || self.every_public && flags & access::PUBLIC != 0)
    }

    /// Methods that handles in the constant pool call, apart from those of lambdas and method
    /// references.
    fn handles(&mut self, class: &ClassFile<'_>) {
        const FIRST_OF_METHODS: u8 = 5;
        let methods = handles::others(class).into_iter().filter(|(k, _)| *k >= FIRST_OF_METHODS);
        self.names.extend(methods.map(|(_, member)| member.name.to_str().into_owned()));
    }

    /// Methods that a class finds by calls.
    fn named(&mut self, class: &ClassFile<'_>) {
        let pool = class.pool();
        for method in class.methods() {
            let Ok(code) = instructions(method) else {
                self.every = true;
                continue;
            };
            for (at, instruction) in code.iter().enumerate() {
                let called = instruction.constant().and_then(|index| pool.member(index).ok());
                let Some(called) = called else { continue };
                let Some(finds) = finds(&called.class.to_str(), &called.name.to_str()) else {
                    continue;
                };
                match finds.after_name.and_then(|after| text(class, &code, at, after)) {
                    Some(name) => _ = self.names.insert(name),
                    None if finds.public => self.every_public = true,
                    None => self.every = true,
                }
            }
        }
        // A handle of a method that finds others may be called with any name.
        let refers = |index: u16| match pool.constant(index) {
            Ok(Constant::MethodHandle { reference, .. }) => pool
                .member(reference)
                .is_ok_and(|m| finds(&m.class.to_str(), &m.name.to_str()).is_some()),
            _ => false,
        };
        self.every |= (1..pool.count()).any(refers);
    }
}

/// The text that the instructions before a call put on the stack below so many other arguments, if
/// they always run one after the other.
pub(super) fn text(
    class: &ClassFile<'_>,
    code: &[Instruction<'_>],
    call: usize,
    above: usize,
) -> Option<String> {
    let pool = class.pool();
    let jumps: HashSet<u32> = code.iter().flat_map(|i| i.targets()).collect();
    let mut above = above;
    let mut at = call;
    loop {
        if jumps.contains(&code[at].offset) {
            return None;
        }
        at = at.checked_sub(1)?;
        let instruction = &code[at];
        if !instruction.falls_through() {
            return None;
        }
        let (pops, pushes) = match instruction.opcode {
            Opcode::DUP => (1, 2),
            opcode if opcode.is(Flags::SHUFFLE) => return None,
            _ => {
                let effect = effect(instruction, pool).ok()?;
                (effect.pops.len(), usize::from(effect.push.is_some()))
            }
        };
        if pushes > above {
            let Constant::String { utf8 } = pool.constant(instruction.constant()?).ok()? else {
                return None;
            };
            return Some(pool.utf8(utf8).ok()?.to_str().into_owned());
        }
        above = above - pushes + pops;
    }
}
