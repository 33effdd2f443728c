//! Which code creates the objects of a program's classes.
//!
//! Objects are followed from the `new` that makes them. Those of a class that may also be made by
//! other means are not followed.

use std::collections::{BTreeMap, HashSet};

use watchword_classfile::{ClassFile, Constant, Constants, Opcode, access};

use crate::body::BodyId;
use crate::jvm::program::Program;
use crate::mistake::Mistake;

/// The kind of a method handle that makes an object.
const NEW_INVOKE_SPECIAL: u8 = 8;

/// See the module.
#[derive(Default)]
pub struct Makers {
    /// By class: the methods with a `new` of it.
    by_new: BTreeMap<String, Vec<BodyId>>,
    /// Classes whose objects may be made otherwise: something names their constructors, or the
    /// classes themselves.
    otherwise: HashSet<String>,
    /// Whether objects of any class may be: by reflection, or by native code.
    all_otherwise: bool,
}

impl Makers {
    /// Which code creates objects of these classes.
    pub fn of(program: &Program<'_>, classes: &[String]) -> Makers {
        let mut makers = Makers::default();
        for class in &program.code.classes {
            makers.look_at(class);
        }
        for name in classes {
            if may_be_provided(program, name) {
                makers.otherwise.insert(name.clone());
            }
        }
        for id in program.bodies() {
            for class in made_in(program, id) {
                if classes.contains(&class) {
                    let makers = makers.by_new.entry(class).or_default();
                    if makers.last() != Some(&id) {
                        makers.push(id);
                    }
                }
            }
        }
        makers
    }

    /// The methods that make all objects of a class; `None` if others may, too.
    pub fn of_class(&self, name: &str) -> Option<&[BodyId]> {
        let known = self.by_new.get(name).map(Vec::as_slice);
        if Mistake::MadeByNewOnly.is_made() {
            return Some(known.unwrap_or_default());
        }
        known.filter(|_| !self.all_otherwise && !self.otherwise.contains(name))
    }

    /// All methods with a `new` of one of the classes.
    pub fn methods(&self) -> impl Iterator<Item = BodyId> {
        self.by_new.values().flatten().copied()
    }

    fn look_at(&mut self, class: &ClassFile<'_>) {
        let pool = class.pool();
        self.all_otherwise |= class.methods().into_iter().any(|m| m.has_access(access::NATIVE));
        for index in 1..pool.count() {
            match pool.constant(index) {
                Ok(Constant::MethodHandle { kind: NEW_INVOKE_SPECIAL, reference }) => {
                    if let Ok(constructor) = pool.member(reference) {
                        self.otherwise.insert(constructor.class.to_str().into_owned());
                    }
                }
                Ok(Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. }) => {
                    self.all_otherwise |= pool.member(index).is_ok_and(|called| {
                        makes_anything(&called.class.to_str(), &called.name.to_str())
                    });
                }
                _ => {}
            }
        }
        // A class that is a value may be given to whoever makes objects of it.
        for method in class.methods() {
            let Ok(Some(code)) = method.code() else { continue };
            for instruction in code.instructions().flatten() {
                if matches!(instruction.opcode, Opcode::LDC | Opcode::LDC_W)
                    && let Some(index) = instruction.constant()
                    && let Ok(name) = pool.class_name(index)
                {
                    self.otherwise.insert(name.to_str().into_owned());
                }
            }
        }
    }
}

/// Whether a method makes objects of classes that its arguments, or files beside the program, name.
fn makes_anything(class: &str, name: &str) -> bool {
    match class {
        "java/lang/Class" => {
            ["newInstance", "forName"].contains(&name) || name.contains("onstruct")
        }
        "java/lang/reflect/Constructor" => name == "newInstance",
        "java/lang/invoke/MethodHandles$Lookup" => {
            ["findConstructor", "unreflectConstructor", "findClass"].contains(&name)
        }
        "java/util/ServiceLoader" | "java/util/ResourceBundle" | "java/io/ObjectInputStream" => {
            true
        }
        "sun/misc/Unsafe" | "jdk/internal/misc/Unsafe" => name == "allocateInstance",
        _ => name == "loadClass" || name == "allocateInstance",
    }
}

/// Whether the platform may make objects of a class because something outside of the program names
/// it: a public one, with a public constructor without arguments, that the platform knows a type of.
fn may_be_provided(program: &Program<'_>, name: &str) -> bool {
    let Some(class) = program.class_file(name) else { return true };
    let has_constructor = class.methods().into_iter().any(|method| {
        method.has_access(access::PUBLIC)
            && method.name().is_ok_and(|n| n == "<init>")
            && method.descriptor().is_ok_and(|d| d == "()V")
    });
    class.has_access(access::PUBLIC) && has_constructor && {
        let above = program.types.supertypes(name);
        above.is_none_or(|above| {
            above.iter().any(|ty| &**ty != "java/lang/Object" && !program.is_own_class(ty))
        })
    }
}

/// The classes a method makes objects of.
fn made_in(program: &Program<'_>, id: BodyId) -> Vec<String> {
    let method = program.method(id);
    let pool = method.class().pool();
    let mut made = Vec::new();
    if let Ok(Some(code)) = method.code() {
        for instruction in code.instructions().flatten() {
            if instruction.opcode == Opcode::NEW
                && let Some(index) = instruction.constant()
                && let Ok(name) = pool.class_name(index)
            {
                made.push(name.to_str().into_owned());
            }
        }
    }
    made
}
