//! How the code writes the object that a point is about: `Account.lock`, `Account.this`.
//!
//! Found by looking back from the instruction that takes the object to the one that put it on the stack. There is
//! an answer only where that is certain: where nothing jumps in between, and a local variable has one value.

use watchword_classfile::{Constants, Flags, Instruction, Opcode};
use watchword_select::dotted;

use crate::body::Body;
use crate::point::{Loc, Point};

/// How many instructions an expression may have: `this.rw.readLock()` has three.
const LONGEST: usize = 8;

/// The expression of the receiver, or else of the object, of a point.
pub fn of(point: &Point, body: &Body<'_, '_>) -> Option<String> {
    let object = point.receiver.as_ref().or(point.object.as_ref())?;
    match object.loc {
        // The lock of a synchronized method.
        Loc::Param(0) => return Some(format!("{}.this", simple(&body.class))),
        Loc::OwnClass => return Some(format!("{}.class", simple(&body.class))),
        _ => {}
    }
    let taker = body.instructions.iter().position(|i| i.offset == point.offset)?;
    // The object lies below the arguments, each of which one instruction has pushed.
    let below = taker.checked_sub(point.args.len() + 1)?;
    let pushed = &body.instructions[below + 1..taker];
    if !pushed.iter().all(|i| pushes_one(i) && !is_target(body, i.offset)) {
        return None;
    }
    expression(body, below, taker, LONGEST)
}

/// The expression whose value an instruction leaves on the stack for a later one.
fn expression(body: &Body<'_, '_>, at: usize, taker: usize, left: usize) -> Option<String> {
    let left = left.checked_sub(1)?;
    let instruction = &body.instructions[at];
    if is_target(body, body.instructions[taker].offset) {
        return None;
    }
    let pool = body.file().pool();
    let below = |at: usize| expression(body, at.checked_sub(1)?, at, left);
    match instruction.opcode {
        Opcode::GETFIELD | Opcode::GETSTATIC => {
            let member = pool.member(instruction.constant()?).ok()?;
            Some(format!("{}.{}", simple(&member.class.to_str()), member.name.to_str()))
        }
        Opcode::LDC | Opcode::LDC_W => {
            let class = pool.class_name(instruction.constant()?).ok()?;
            Some(format!("{}.class", simple(&class.to_str())))
        }
        Opcode::INVOKEVIRTUAL | Opcode::INVOKEINTERFACE => {
            let member = pool.member(instruction.constant()?).ok()?;
            if !member.descriptor.to_str().starts_with("()") {
                return None;
            }
            let on = below(at).unwrap_or_else(|| simple(&member.class.to_str()));
            Some(format!("{on}.{}()", member.name.to_str()))
        }
        Opcode::CHECKCAST | Opcode::DUP => below(at),
        // A copy was stored, as before each `monitorenter`: it is the value before.
        _ if instruction.opcode.mnemonic().starts_with("astore") => {
            let copy = at.checked_sub(1)?;
            (body.instructions[copy].opcode == Opcode::DUP).then(|| below(copy)).flatten()
        }
        _ if instruction.opcode.mnemonic().starts_with("aload") => {
            let slot = instruction.local()?;
            if slot == 0 && !body.is_static() && body.has_this(instruction.offset) {
                return Some(format!("{}.this", simple(&body.class)));
            }
            stored(body, slot, at, left)
        }
        _ => None,
    }
}

/// The expression of a local variable that is written once, or last in code that nothing jumps into.
fn stored(body: &Body<'_, '_>, slot: u16, user: usize, left: usize) -> Option<String> {
    if body.params.iter().any(|(param, _)| *param == slot) {
        return None;
    }
    let stores = |i: &Instruction<'_>| i.local() == Some(slot) && i.opcode.is(Flags::STORE);
    let all = &body.instructions;
    let at = all[..user].iter().rposition(stores)?;
    let is_only = all.iter().filter(|i| stores(i)).count() == 1;
    let jumps_in = || all[at + 1..=user].iter().any(|i| is_target(body, i.offset));
    if !all[at].opcode.mnemonic().starts_with("astore") || (!is_only && jumps_in()) {
        return None;
    }
    expression(body, at.checked_sub(1)?, at, left)
}

fn pushes_one(instruction: &Instruction<'_>) -> bool {
    let name = instruction.opcode.mnemonic();
    matches!(instruction.opcode, Opcode::GETSTATIC | Opcode::LDC | Opcode::LDC_W | Opcode::LDC2_W)
        || ["iconst", "lconst", "bipush", "sipush", "aconst", "iload", "lload", "aload"]
            .iter()
            .any(|begin| name.starts_with(begin))
}

/// Whether something jumps to an instruction.
fn is_target(body: &Body<'_, '_>, offset: u32) -> bool {
    body.instructions.iter().any(|i| i.targets().any(|target| target == offset))
}

/// The name of a class without its package, as sources have it.
fn simple(class: &str) -> String {
    let name = dotted(class);
    name.rsplit('.').next().unwrap_or(&name).replace('$', ".")
}
