//! A copy that `Object.clone` makes is another object: it begins with nothing of ours.
//!
//! Fields are copied by the JVM itself, hidden ones too. Whoever calls `Object.clone` does so by
//! `super.clone()`; after each such call the copy lets go of what it got.

use watchword_classfile::{ClassEditor, ClassFile, Constants, Opcode, Operand, Result, Snippet};
use watchword_weave::Hierarchy;
use watchword_weave::identity::Held;
use watchword_weave::runtime::{COPIED_DESCRIPTOR, HIDING, copied};

use crate::agent::names_class;

const NAME: &str = "clone";
const DESCRIPTOR: &str = "()Ljava/lang/Object;";

/// Whether a class file may have a method of that name, or call one: most do not have the word.
pub fn may_clone(bytes: &[u8]) -> bool {
    // The tag of a text, its length, the text.
    const WORD: &[u8] = b"\x01\x00\x05clone";
    memchr::memmem::find(bytes, WORD).is_some()
}

/// The class with copies of their own; `None` if it makes none.
pub fn told_apart(bytes: &[u8], seen: &dyn Hierarchy, held: Held) -> Option<Vec<u8>> {
    if may_clone(bytes) { edit(bytes, seen, held).ok().flatten() } else { None }
}

fn edit(bytes: &[u8], seen: &dyn Hierarchy, held: Held) -> Result<Option<Vec<u8>>> {
    let class = ClassFile::parse(bytes)?;
    // Another agent transforms it again, starting from the woven class.
    if names_class(&class, |name| name == HIDING) {
        return Ok(None);
    }
    let mut editor = ClassEditor::new(&class);
    let mut edited = false;
    for method in class.methods() {
        let mut calls = Vec::new();
        for instruction in method.code()?.iter().flat_map(|code| code.instructions()) {
            let instruction = instruction?;
            if instruction.opcode != Opcode::INVOKESPECIAL {
                continue;
            }
            if let Operand::Constant(index) = instruction.operand
                && let Ok(called) = class.pool().member(index)
                && called.name == *NAME
                && called.descriptor == *DESCRIPTOR
                && is_of_object(&called.class.to_str(), seen)
            {
                calls.push(instruction.offset);
            }
        }
        if calls.is_empty() {
            continue;
        }
        edited = true;
        editor.edit_code(method, |code, pool| {
            let copied = pool.method(HIDING, copied(held), COPIED_DESCRIPTOR)?;
            let mut forget = Snippet::new();
            forget.with_constant(Opcode::INVOKESTATIC, copied);
            for offset in calls {
                code.insert_after(offset, forget.clone())?;
            }
            Ok(())
        })?;
    }
    Ok(if edited { Some(editor.to_bytes()?) } else { None })
}

/// Whether the method that a class has from above is that of `Object`: others call that themselves.
fn is_of_object(class: &str, seen: &dyn Hierarchy) -> bool {
    let mut name = class.to_owned();
    while name != "java/lang/Object" {
        // For an unknown class, nothing is known to the contrary.
        let Some(facts) = seen.class(&name) else { return true };
        if facts.methods.iter().any(|m| m.name == NAME && m.descriptor == DESCRIPTOR) {
            return false;
        }
        let Some(above) = &facts.super_name else { return true };
        name.clone_from(above);
    }
    true
}
