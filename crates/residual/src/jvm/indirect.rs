//! Methods of the JDK that find or use members of classes, where a program does not call them by an
//! instruction but finds them by reflection, or has them behind the description of a constant.

use std::collections::HashMap;

use watchword_classfile::{ClassFile, Constant, Constants};

use super::hooks::{
    finds_offsets, hands_through, is_unsafe, makes_proxies, names_field, uses_offsets,
    uses_reflection, writes_fields,
};
use super::program::{Program, instructions};
use super::reflected::{calls, constructs, finds, text};
use crate::mistake::Mistake;

/// What a program may do with members of classes without an instruction that says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Indirect {
    /// Find fields, by any name.
    pub names_fields: bool,
    /// Read fields that reflection found.
    pub reads_fields: bool,
    /// Write them.
    pub writes_fields: bool,
    /// Find methods, by any name.
    pub finds_methods: bool,
    /// Call methods that reflection found.
    pub calls: bool,
    /// Call constructors.
    pub constructs: bool,
    /// Make proxies.
    pub proxies: bool,
    /// Wrap collections, see [`hands_through`].
    pub wraps: bool,
    /// Read or write at offsets.
    pub walks: bool,
    /// Make what descriptions of constants say.
    pub describes: bool,
}

/// What a program, or a class with those nested in it, has to do with, as far as that decides what a
/// name can mean.
#[derive(Default)]
struct Near {
    /// Method handles and lookups.
    handles: bool,
    /// `Unsafe`.
    offsets: bool,
    /// The JDK has sequenced collections.
    sequences: bool,
}

/// A class and those nested in it.
#[derive(Default)]
struct Nest {
    near: Near,
    /// Which of [`CLASSES`] it names.
    classes: [bool; CLASSES.len()],
    texts: Vec<String>,
}

/// Classes of the JDK with methods that do such things.
const CLASSES: [&str; 12] = [
    "java/lang/Class",
    "java/lang/invoke/ConstantBootstraps",
    "java/lang/invoke/LambdaMetafactory",
    "java/lang/invoke/MethodHandleProxies",
    "java/lang/invoke/MethodHandles$Lookup",
    "java/lang/reflect/Constructor",
    "java/lang/reflect/Field",
    "java/lang/reflect/InvocationHandler",
    "java/lang/reflect/Method",
    "java/lang/reflect/Proxy",
    "java/util/Collections",
    "java/util/concurrent/atomic/AtomicReferenceFieldUpdater",
];

/// Whether a method makes what the description of a constant says: handles of any method or field, or
/// what a method returns.
fn resolves(class: &str, name: &str) -> bool {
    let plain = ["ClassDesc", "MethodTypeDesc"].iter().any(|end| class.ends_with(end));
    (name == "resolveConstantDesc" || name == "resolveCallSiteDesc") && !plain
}

impl Indirect {
    /// What there is in a program. A name that is computed may be any text that stands in one nest with
    /// the class whose method it names; [`crate::analysis::assumptions`] says so.
    pub fn of(program: &Program<'_>) -> Indirect {
        let mut found = Indirect::default();
        if Mistake::NobodyReflects.is_made() {
            return found;
        }
        let mut computed = false;
        let sequences = program.types.is_known("java/util/SequencedCollection");
        let mut near = Near { sequences, ..Near::default() };
        let mut names: Vec<String> = Vec::new();
        let mut nests: HashMap<String, Nest> = HashMap::new();
        for class in &program.code.classes {
            let pool = class.pool();
            let own = class.name().map(|name| name.to_str().into_owned()).unwrap_or_default();
            let outermost = own.split('$').next().unwrap_or_default().to_owned();
            let nest = nests.entry(outermost).or_default();
            let mut finding = false;
            for index in 1..pool.count() {
                match pool.constant(index) {
                    Ok(Constant::Class { .. }) => {
                        let Ok(name) = pool.class_name(index) else { continue };
                        found.proxies |= near.note(&name.to_str());
                        nest.note(&name.to_str());
                    }
                    Ok(Constant::String { utf8 }) => {
                        let Ok(text) = pool.utf8(utf8) else { continue };
                        nest.note(&text.to_str().replace('.', "/"));
                        nest.texts.push(text.to_str().into_owned());
                    }
                    Ok(Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. }) => {
                        let Ok(member) = pool.member(index) else { continue };
                        let (of, name) = (member.class.to_str(), member.name.to_str());
                        finding |= finds(&of, &name).is_some();
                        if resolves(&of, &name) && !program.is_own_class(&of) {
                            found = found.with_descriptions();
                        }
                    }
                    _ => {}
                }
            }
            if finding {
                computed |= constant_names(class, &mut names);
            }
        }
        if computed {
            for text in nests.values().flat_map(|nest| &nest.texts) {
                found.proxies |= near.note(&text.replace('.', "/"));
            }
            for nest in nests.values_mut() {
                nest.near.sequences = sequences;
                let of = |class: &&&str| {
                    let at = CLASSES.iter().position(|other| other == *class);
                    at.is_some_and(|at| nest.classes[at])
                };
                let classes: Vec<&str> = CLASSES.iter().filter(of).copied().collect();
                nest.texts.iter().for_each(|text| found.add(text, &classes, &nest.near));
            }
        }
        let has = |class: &&&str| near.handles || !class.starts_with("java/lang/invoke/");
        let classes: Vec<&str> = CLASSES.iter().filter(has).copied().collect();
        names.iter().for_each(|name| found.add(name, &classes, &near));
        found
    }

    /// What descriptions of constants can do.
    fn with_descriptions(self) -> Indirect {
        Indirect {
            names_fields: true,
            writes_fields: true,
            proxies: true,
            finds_methods: true,
            calls: true,
            constructs: true,
            describes: true,
            ..self
        }
    }

    /// Reflection finds methods of a name, in some of [`CLASSES`].
    fn add(&mut self, name: &str, classes: &[&str], near: &Near) {
        let any = |does: &dyn Fn(&str, &str) -> bool| classes.iter().any(|class| does(class, name));
        self.names_fields |= any(&|class, name| names_field_only(class, name));
        self.reads_fields |= any(&uses_reflection);
        self.writes_fields |= any(&|class, name| {
            writes_fields(class, name) && (names_field_only(class, name) || name == "set")
        });
        self.finds_methods |= any(&|class, name| finds(class, name).is_some());
        self.calls |= any(&|class, name| calls(class, name) && is_found(class, name));
        self.constructs |= any(&constructs);
        self.proxies |= any(&makes_proxies);
        self.wraps |= classes.contains(&"java/util/Collections")
            && hands_through("java/util/Collections", name)
            && (near.sequences || !hands_through("java/lang/Object", name));
        let offsets = |does: fn(&str, &str) -> bool| near.offsets && does("sun/misc/Unsafe", name);
        self.walks |= offsets(uses_offsets) || offsets(finds_offsets);
    }
}

impl Near {
    /// A class that the program names; whether it makes proxies.
    fn note(&mut self, class: &str) -> bool {
        self.handles |= class.starts_with("java/lang/invoke/MethodHandle");
        self.offsets |= is_unsafe(class);
        class == "java/beans/EventHandler"
    }
}

impl Nest {
    /// A class that it names.
    fn note(&mut self, class: &str) {
        self.near.note(class);
        // An array, or what a method takes, leads to the class too.
        let class = class.trim_start_matches('[');
        let class = class.strip_prefix('L').and_then(|c| c.strip_suffix(';')).unwrap_or(class);
        for (at, other) in CLASSES.iter().enumerate() {
            self.classes[at] |= class == *other;
        }
    }
}

/// Whether a class has a method that finds fields and is called so; [`names_field`] takes every method
/// of the bootstraps for one.
fn names_field_only(class: &str, name: &str) -> bool {
    const BOOTSTRAPS: [&str; 3] = ["fieldVarHandle", "getStaticFinal", "staticFieldVarHandle"];
    match class {
        "java/lang/invoke/ConstantBootstraps" => BOOTSTRAPS.contains(&name),
        _ => names_field(class, name).is_some(),
    }
}

/// Whether a method that calls others is called so; [`calls`] takes every method of lookups for one.
fn is_found(class: &str, name: &str) -> bool {
    class != "java/lang/invoke/MethodHandles$Lookup"
        || name.starts_with("unreflect")
        || finds(class, name).is_some()
}

/// Adds the names under which a class finds methods; whether some are no constants.
fn constant_names(class: &ClassFile<'_>, names: &mut Vec<String>) -> bool {
    let pool = class.pool();
    let mut computed = false;
    for method in class.methods() {
        let Ok(code) = instructions(method) else { return true };
        for (at, instruction) in code.iter().enumerate() {
            let called = instruction.constant().and_then(|index| pool.member(index).ok());
            let found = called.and_then(|m| finds(&m.class.to_str(), &m.name.to_str()));
            let Some(found) = found else { continue };
            match found.after_name.and_then(|after| text(class, &code, at, after)) {
                Some(name) => names.push(name),
                None => computed = true,
            }
        }
    }
    // A method reference may be called with any name.
    let refers = |index: u16| match pool.constant(index) {
        Ok(Constant::MethodHandle { reference, .. }) => pool
            .member(reference)
            .is_ok_and(|m| finds(&m.class.to_str(), &m.name.to_str()).is_some()),
        _ => false,
    };
    computed || (1..pool.count()).any(refers)
}
