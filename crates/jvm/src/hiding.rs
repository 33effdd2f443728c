//! Injected members are not to be seen by the program that has them.
//!
//! Reflection of the JDK finds members in three places, and each passes what it found through one
//! method before it hands it out: those get one more call, to `WatchwordHiding.visible`, which leaves out what
//! is ours. And a proxy for all interfaces of an object would ask its handler for the object's
//! identity: such a class gets a field like every other.

use watchword_classfile::simulate::MethodContext;
use watchword_classfile::{
    ClassEditor, ClassFile, CodeEditor, Constants, Landing, Opcode, Operand, Result, Snippet,
};
use watchword_weave::identity::{self, Held};
use watchword_weave::runtime::{HIDING, TRACKED, VISIBLE, VISIBLE_DESCRIPTOR};

use crate::agent::names_class;

/// What proxies extend.
pub const PROXY: &str = "java/lang/reflect/Proxy";

/// A method of the JDK that hands out members: class, name, the array it hands out, and the method
/// whose result is to be filtered; its own if there is none.
const PLACES: [(&str, &str, &str, Option<&str>); 3] = [
    ("jdk/internal/reflect/Reflection", "filterFields", "[Ljava/lang/reflect/Field;", None),
    ("jdk/internal/reflect/Reflection", "filterMethods", "[Ljava/lang/reflect/Method;", None),
    ("java/lang/Class", "getInterfaces", "[Ljava/lang/Class;", Some("getInterfaces0")),
];

/// Whether a class of the JDK hands out members.
pub fn hands_out(name: &str) -> bool {
    PLACES.iter().any(|(class, ..)| *class == name)
}

/// A class that hands out members, without ours; `None` if it is not built as expected.
pub fn filtered(bytes: &[u8]) -> Option<Vec<u8>> {
    edit(bytes).ok().flatten()
}

fn edit(bytes: &[u8]) -> Result<Option<Vec<u8>>> {
    let class = ClassFile::parse(bytes)?;
    // Another agent transforms it again, starting from the woven class.
    if names_class(&class, |name| name == HIDING) {
        return Ok(None);
    }
    let class_name = class.name()?.to_str().into_owned();
    let mut editor = ClassEditor::new(&class);
    let mut edited = false;
    for method in class.methods() {
        let name = method.name()?.to_str().into_owned();
        let descriptor = method.descriptor()?.to_str().into_owned();
        let place = PLACES.iter().find(|(class, method, array, _)| {
            *class == class_name && *method == name && descriptor.ends_with(array)
        });
        let Some((_, _, array, source)) = place else { continue };
        editor.edit_code(method, |code, pool| {
            let visible = pool.method(HIDING, VISIBLE, VISIBLE_DESCRIPTOR)?;
            let array = pool.class(array)?;
            let mut filter = Snippet::new();
            filter.with_constant(Opcode::INVOKESTATIC, visible);
            filter.with_constant(Opcode::CHECKCAST, array);
            for instruction in code.instructions().to_vec() {
                match (source, &instruction.operand) {
                    (None, _) if instruction.opcode == Opcode::ARETURN => {
                        code.insert_before(instruction.offset, Landing::Before, filter.clone())?;
                        edited = true;
                    }
                    (Some(source), Operand::Constant(index)) => {
                        let called = class.pool().member(*index).ok();
                        if called.is_some_and(|called| called.name == *source) {
                            code.insert_after(instruction.offset, filter.clone())?;
                            edited = true;
                        }
                    }
                    _ => {}
                }
            }
            Ok(())
        })?;
    }
    Ok(if edited { Some(editor.to_bytes()?) } else { None })
}

/// A proxy class that would ask its handler for identities, with a field for them instead; `None`
/// for every other class.
pub fn tamed_proxy(bytes: &[u8]) -> Option<Vec<u8>> {
    tame(bytes).ok().flatten()
}

fn tame(bytes: &[u8]) -> Result<Option<Vec<u8>>> {
    let class = ClassFile::parse(bytes)?;
    if class.super_name()?.is_none_or(|name| name != PROXY) {
        return Ok(None);
    }
    let interfaces = class.interface_names().collect::<Result<Vec<_>>>()?;
    let tamed = class.fields().any(|field| field.name().is_ok_and(|name| name == identity::FIELD));
    if tamed || !interfaces.iter().any(|name| *name == TRACKED) {
        return Ok(None);
    }
    let mut editor = ClassEditor::new(&class);
    let name = class.name()?.to_str().into_owned();
    identity::add_fields(&mut editor, Held::Both)?;
    for (index, method) in class.methods().enumerate() {
        let method_name = method.name()?;
        let known = identity::accessors(Held::Both).iter().find(|(name, _)| method_name == *name);
        let Some((accessor, _)) = known else { continue };
        let body = identity::accessor(&mut editor, &name, class.major, Held::Both, accessor)?;
        let context = MethodContext {
            class: class.name()?,
            name: method_name,
            descriptor: method.descriptor()?,
            access: method.access(),
        };
        let mut code = CodeEditor::create(class.major, context, identity::STACK)?;
        code.append(&body);
        let code = code.finish(&mut editor.pool)?;
        editor.set_code(index, code)?;
    }
    Ok(Some(editor.to_bytes()?))
}
