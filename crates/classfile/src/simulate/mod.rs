//! What instructions do to the operand stack.
//!
//! Three answers, from cheap to exact:
//!
//! * [`effect`]: slots and kinds one instruction pops and pushes; needs descriptors only.
//! * [`StackKinds`]: the kinds on the stack before every reachable instruction, for every class
//!   version, by following all paths. Needs no frames and no other classes.
//! * [`Types`]: verification types of locals and stack before every instruction, exactly as the
//!   JVM's type checker sees them, from the method's own stack-map frames. No merging happens, so
//!   no class hierarchy is needed either.

mod kinds;
mod types;

pub use kinds::StackKinds;
pub(crate) use types::FrameDecoder;
pub use types::{MethodContext, TypeState, Types, VType};

use crate::descriptor::{FieldType, Kind, MethodDescriptor};
use crate::error::{Error, Result};
use crate::insn::{Instruction, Operand};
use crate::opcode::{Flags, Opcode};
use crate::pool::{Constant, Constants};

/// What an instruction pops and pushes, deepest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// Kinds popped. Empty for instructions that only rearrange the stack (see
    /// [`Flags::SHUFFLE`]), whose effect depends on the values there.
    pub pops: Vec<Kind>,
    /// Kind pushed, if any.
    pub push: Option<Kind>,
}

impl Effect {}

/// The effect of one instruction.
pub fn effect<'p>(instruction: &Instruction<'_>, pool: &impl Constants<'p>) -> Result<Effect> {
    let opcode = instruction.opcode;
    let info = opcode.info();
    let letters = |text: &str| text.bytes().filter_map(Kind::of_letter).collect::<Vec<_>>();
    let placed = |e: Error| e.at(pool.constant_offset(instruction.constant().unwrap_or(0)));
    let mut result = Effect { pops: letters(info.pops), push: letters(info.pushes).pop() };
    if opcode.is(Flags::FIELD) {
        let member = pool.member(instruction.constant().unwrap_or(0))?;
        let kind = FieldType::parse(member.descriptor).map_err(placed)?.kind();
        match opcode {
            Opcode::GETSTATIC | Opcode::GETFIELD => result.push = Some(kind),
            Opcode::PUTFIELD => result.pops = vec![Kind::Reference, kind],
            _ => result.pops = vec![kind],
        }
    } else if opcode.is(Flags::INVOKE) {
        let (_, descriptor) = pool.invoked(instruction.constant().unwrap_or(0))?;
        let descriptor = MethodDescriptor::parse(descriptor).map_err(placed)?;
        if has_receiver(opcode) {
            result.pops.push(Kind::Reference);
        }
        result.pops.extend(descriptor.parameters().map(FieldType::kind));
        result.push = descriptor.result().map(FieldType::kind);
    } else {
        match (opcode, instruction.operand) {
            (Opcode::LDC | Opcode::LDC_W | Opcode::LDC2_W, Operand::Constant(index)) => {
                result.push = Some(constant_kind(index, pool)?);
            }
            (Opcode::MULTIANEWARRAY, Operand::MultiArray { dimensions, .. }) => {
                result.pops = vec![Kind::Int; usize::from(dimensions)];
            }
            _ => {}
        }
    }
    Ok(result)
}

/// Whether an invoke instruction takes a receiver.
pub fn has_receiver(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::INVOKEVIRTUAL | Opcode::INVOKESPECIAL | Opcode::INVOKEINTERFACE)
}

/// Whether an invoke instruction of a class calls what another class has by `super.m()`, or by `super(…)` and
/// `this(…)`.
pub fn is_by_super(opcode: Opcode, class: &str, called: &str) -> bool {
    opcode == Opcode::INVOKESPECIAL && class != called
}

fn constant_kind<'p>(index: u16, pool: &impl Constants<'p>) -> Result<Kind> {
    Ok(match pool.constant(index)? {
        Constant::Integer(_) => Kind::Int,
        Constant::Float(_) => Kind::Float,
        Constant::Long(_) => Kind::Long,
        Constant::Double(_) => Kind::Double,
        Constant::Dynamic { .. } => FieldType::parse(pool.dynamic(index)?.2)?.kind(),
        Constant::String { .. }
        | Constant::Class { .. }
        | Constant::MethodHandle { .. }
        | Constant::MethodType { .. } => Kind::Reference,
        other => return Err(pool.mismatch(index, "a loadable constant", other)),
    })
}

/// A value on a simulated stack.
trait Slot: Clone {
    fn is_wide(&self) -> bool;
}

/// Applies `pop`, `dup`, `swap` and kin.
fn shuffle<V: Slot>(opcode: Opcode, stack: &mut Vec<V>) -> Option<()> {
    // Take `top` slots, then `below` slots under them, and put copies back.
    let (top, below) = match opcode {
        Opcode::POP | Opcode::DUP => (1, 0),
        Opcode::POP2 | Opcode::DUP2 => (2, 0),
        Opcode::DUP_X1 | Opcode::SWAP => (1, 1),
        Opcode::DUP_X2 => (1, 2),
        Opcode::DUP2_X1 => (2, 1),
        Opcode::DUP2_X2 => (2, 2),
        _ => return None,
    };
    let take = |stack: &mut Vec<V>, slots: u32| {
        let (mut start, mut left) = (stack.len(), slots);
        while left > 0 {
            start = start.checked_sub(1)?;
            left = left.checked_sub(if stack[start].is_wide() { 2 } else { 1 })?;
        }
        Some(stack.split_off(start))
    };
    let top = take(stack, top)?;
    let below = take(stack, below)?;
    match opcode {
        Opcode::POP | Opcode::POP2 => {}
        Opcode::SWAP => {
            stack.extend(top);
            stack.extend(below);
        }
        _ => {
            stack.extend_from_slice(&top);
            stack.extend(below);
            stack.extend(top);
        }
    }
    Some(())
}

#[cold]
fn stack_error(instruction: &Instruction<'_>, base: usize) -> Error {
    Error::malformed(
        base + instruction.offset as usize,
        format!("expected other values on the stack for {}", instruction.opcode),
    )
}
