//! A JVM that starts fast although a module of it is patched.
//!
//! The agent's classes are put into `java.base` (`--patch-module`). The VM finds them there by
//! itself; but the JDK, told of the patch by a property, looks through it with streams and lambdas,
//! and works out anew which module reads which instead of taking what it has prepared. That takes
//! longer than all the rest. No class of ours is of a package that `java.base` does not have, so what is
//! prepared is right: the property is taken away before the JDK reads it, unless somebody else
//! patches a module, too.

use watchword_classfile::{ClassEditor, ClassFile, Landing, Opcode, Result, Snippet};

/// The class that reads the properties.
pub const BOOTSTRAP: &str = "jdk/internal/module/ModuleBootstrap";
/// Its method that reads those of patches, and what that gives.
const READER: [&str; 2] = ["initModulePatcher", "()Ljdk/internal/module/ModulePatcher;"];

/// That class, which now first does
///
/// ```java
/// System.getProperties().remove("jdk.module.patch.0",
///     System.getProperties().getProperty("jdk.module.patch.1", "").concat("java.base=…"));
/// ```
///
/// with the folder of our classes: there is no branch in it, and nothing is taken away if there is a
/// second patch, or if a person's own and ours are one. `None` if it is not built as expected.
pub fn without_ours(bytes: &[u8], folder: &str) -> Option<Vec<u8>> {
    edit(bytes, &format!("java.base={folder}")).ok().flatten()
}

fn edit(bytes: &[u8], ours: &str) -> Result<Option<Vec<u8>>> {
    let class = ClassFile::parse(bytes)?;
    let [name, descriptor] = READER;
    let Some(method) = class.method(name, descriptor) else { return Ok(None) };
    let mut editor = ClassEditor::new(&class);
    editor.edit_code(method, |code, pool| {
        let properties = "java/util/Properties";
        let text = "Ljava/lang/String;";
        let get_all =
            pool.method("java/lang/System", "getProperties", "()Ljava/util/Properties;")?;
        let get = pool.method(properties, "getProperty", &format!("({text}{text}){text}"))?;
        let concat = pool.method("java/lang/String", "concat", &format!("({text}){text}"))?;
        let object = "Ljava/lang/Object;";
        let remove = pool.method(properties, "remove", &format!("({object}{object})Z"))?;
        let [first, second] = ["jdk.module.patch.0", "jdk.module.patch.1"];
        let texts = [pool.string(first)?, pool.string(second)?, pool.string("")?];
        let ours = pool.string(ours)?;
        let mut before = Snippet::new();
        before.with_constant(Opcode::INVOKESTATIC, get_all).load_constant(texts[0]);
        before.with_constant(Opcode::INVOKESTATIC, get_all).load_constant(texts[1]);
        before.load_constant(texts[2]).with_constant(Opcode::INVOKEVIRTUAL, get);
        before.load_constant(ours).with_constant(Opcode::INVOKEVIRTUAL, concat);
        before.with_constant(Opcode::INVOKEVIRTUAL, remove).op(Opcode::POP);
        code.max_stack = code.max_stack.max(5);
        code.insert_before(0, Landing::Before, before)
    })?;
    editor.to_bytes().map(Some)
}
