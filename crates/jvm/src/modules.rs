//! A JVM that starts fast although a module of it is patched.
//!
//! The agent's classes are put into `java.base` (`--patch-module`). The JDK then works out anew, at
//! every start, which module reads which, instead of taking what it has prepared: that takes longer
//! than all the rest. But no class of ours is of a package that `java.base` does not have, so what is
//! prepared is right, as long as nobody else patches a module.

use watchword_classfile::simulate::MethodContext;
use watchword_classfile::{ClassEditor, ClassFile, CodeEditor, Kind, Opcode, Result, Snippet};

/// The class that knows which modules are patched.
pub const PATCHER: &str = "jdk/internal/module/ModulePatcher";
const MAP: [&str; 2] = ["map", "Ljava/util/Map;"];

/// That class, which now says that there are patches if there are more than ours, of another module
/// or of the same; `None` if it is not built as expected.
pub fn without_ours(bytes: &[u8]) -> Option<Vec<u8>> {
    edit(bytes).ok().flatten()
}

fn edit(bytes: &[u8]) -> Result<Option<Vec<u8>>> {
    let class = ClassFile::parse(bytes)?;
    let [name, descriptor] = MAP;
    let is_map = |f: watchword_classfile::Member<'_, '_>| {
        f.name().is_ok_and(|n| n == name) && f.descriptor().is_ok_and(|d| d == descriptor)
    };
    let asked = |m: &watchword_classfile::Member<'_, '_>| {
        m.name().is_ok_and(|n| n == "hasPatches") && m.descriptor().is_ok_and(|d| d == "()Z")
    };
    let method = class.methods().enumerate().find(|(_, method)| asked(method));
    let Some((index, method)) = method.filter(|_| class.fields().any(is_map)) else {
        return Ok(None);
    };
    let mut editor = ClassEditor::new(&class);
    let map = editor.pool.field(PATCHER, name, descriptor)?;
    let size = editor.pool.interface_method("java/util/Map", "size", "()I")?;
    let get = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let get = editor.pool.interface_method("java/util/Map", "get", get)?;
    let list = editor.pool.class("java/util/List")?;
    let length = editor.pool.interface_method("java/util/List", "size", "()I")?;
    let base = editor.pool.string("java.base")?;
    // `map.size() + map.get("java.base").size() > 2`, without a branch.
    let mut body = Snippet::new();
    body.int(2).load(Kind::Reference, 0).with_constant(Opcode::GETFIELD, map);
    body.invoke_interface(size, 0).op(Opcode::ISUB);
    body.load(Kind::Reference, 0).with_constant(Opcode::GETFIELD, map);
    body.load_constant(base).invoke_interface(get, 1).with_constant(Opcode::CHECKCAST, list);
    body.invoke_interface(length, 0).op(Opcode::ISUB);
    body.int(31).op(Opcode::IUSHR).ret(Some(Kind::Int));
    let context = MethodContext {
        class: class.name()?,
        name: method.name()?,
        descriptor: method.descriptor()?,
        access: method.access(),
    };
    let mut code = CodeEditor::create(class.major, context, 3)?;
    code.append(&body);
    let code = code.finish(&mut editor.pool)?;
    editor.set_code(index, code)?;
    editor.to_bytes().map(Some)
}
