//! Classes in which every access to what threads share asks a scheduler (`WatchwordTurns`) who goes on.

use watchword_classfile::{
    ClassEditor, ClassFile, Constants, Kind, Landing, Opcode, Operand, Result, Snippet, access,
};

const TURNS: &str = "java/util/WatchwordTurns";

/// The class with calls before accesses to fields and elements of arrays, before atomic steps and before
/// objects are made, and with locks that the scheduler knows instead of the JVM's.
pub fn scheduled(bytes: &[u8]) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let name = class.name()?.to_str().into_owned();
    let mut editor = ClassEditor::new(&class);
    for method in class.methods() {
        let locked = method.has_access(access::SYNCHRONIZED);
        let is_static = method.has_access(access::STATIC);
        editor.edit_code(method, |code, pool| {
            let turn = pool.method(TURNS, "turn", "()V")?;
            let own = pool.class(&name)?;
            let mut lock = |what: &str| -> Result<Snippet> {
                let call = pool.method(TURNS, what, "(Ljava/lang/Object;)V")?;
                let mut snippet = Snippet::new();
                match is_static {
                    true => snippet.load_constant(own),
                    false => snippet.load(Kind::Reference, 0),
                };
                snippet.with_constant(Opcode::INVOKESTATIC, call);
                Ok(snippet)
            };
            let (enter, exit) = (lock("enter")?, lock("exit")?);
            let mut makes = Snippet::new();
            makes.with_constant(Opcode::INVOKESTATIC, pool.method(TURNS, "make", "()V")?);
            let mut turns = Snippet::new();
            turns.with_constant(Opcode::INVOKESTATIC, turn);
            for instruction in code.instructions().to_vec() {
                let is_atomic = || match instruction.operand {
                    Operand::Constant(index) => {
                        let called = class.pool().member(index);
                        called.is_ok_and(|m| m.name.to_str().starts_with("compareAndSet"))
                    }
                    _ => false,
                };
                match instruction.opcode {
                    Opcode::GETFIELD
                    | Opcode::PUTFIELD
                    | Opcode::IALOAD
                    | Opcode::IASTORE
                    | Opcode::AALOAD
                    | Opcode::AASTORE => {
                        code.insert_before(instruction.offset, Landing::Before, turns.clone())?;
                    }
                    Opcode::NEW | Opcode::NEWARRAY | Opcode::ANEWARRAY => {
                        code.insert_before(instruction.offset, Landing::Before, makes.clone())?;
                    }
                    Opcode::INVOKEVIRTUAL if is_atomic() => {
                        code.insert_before(instruction.offset, Landing::Before, turns.clone())?;
                    }
                    Opcode::RETURN | Opcode::IRETURN | Opcode::LRETURN | Opcode::ARETURN
                        if locked =>
                    {
                        code.insert_before(instruction.offset, Landing::Before, exit.clone())?;
                    }
                    _ => {}
                }
            }
            if locked {
                code.insert_before(0, Landing::After, enter)?;
            }
            code.grow_stack(1)
        })?;
        editor.methods[method.index()].access &= !access::SYNCHRONIZED;
    }
    editor.to_bytes()
}
