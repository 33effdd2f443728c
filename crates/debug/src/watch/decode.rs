//! What an instruction does to memory.

use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
};

use super::{Access, Watch};
use crate::registers::Registers;
use crate::space::Space;

/// One access of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    pub address: u64,
    pub size: u64,
    pub is_write: bool,
    pub is_read: bool,
}

/// The longest an instruction can be.
const LONGEST: usize = 15;

pub(super) fn instruction_at(space: &Space, address: u64) -> Option<Instruction> {
    let mut bytes = [0u8; LONGEST];
    let n = space.read_partly(address, &mut bytes);
    decoded(&bytes[..n], address)
}

fn decoded(bytes: &[u8], address: u64) -> Option<Instruction> {
    let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
    (!instruction.is_invalid()).then_some(instruction)
}

/// The code that ends at `pc`, as much of it as an instruction can take and as there is.
fn code_before(space: &Space, pc: u64) -> Vec<u8> {
    let mut bytes = vec![0; LONGEST];
    if space.read_partly(pc.wrapping_sub(LONGEST as u64), &mut bytes) < LONGEST {
        // What comes before the page of the last byte is not there.
        bytes.truncate((pc.wrapping_sub(1) & 0xfff) as usize + 1);
        let n = space.read_partly(pc.wrapping_sub(bytes.len() as u64), &mut bytes);
        if n < bytes.len() {
            bytes.clear();
        }
    }
    bytes
}

/// The accesses of an instruction that has not run yet.
pub(super) fn touches(instruction: &Instruction, registers: &Registers) -> Vec<Touch> {
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(instruction);
    let mut all = Vec::new();
    for memory in info.used_memory() {
        let is_write = matches!(
            memory.access(),
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        let is_read = matches!(
            memory.access(),
            OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        if !(is_read || is_write) {
            continue;
        }
        let address = memory.virtual_address(0, |r, _, _| registers.decoded(r));
        if let Some(address) = address {
            let size = (memory.memory_size().size() as u64).max(1);
            all.push(Touch { address, size, is_write, is_read });
        }
    }
    all
}

/// What the instruction at `address`, which has just run, did to the watched memory.
pub(super) fn at(
    space: &Space,
    address: u64,
    registers: &Registers,
    watch: &Watch,
) -> Option<Access> {
    judge(&instruction_at(space, address)?, registers, watch).map(|(access, _)| access)
}

/// Whether the instruction at `address`, which has just run, certainly refers to the watched memory in the way that is watched.
pub(super) fn refers_at(space: &Space, address: u64, registers: &Registers, watch: &Watch) -> bool {
    instruction_at(space, address).is_some_and(|i| refers(&i, registers, watch))
}

/// Whether an instruction that ends at `pc` certainly refers to the watched memory in the way that is watched.
pub(super) fn refers_before(space: &Space, pc: u64, registers: &Registers, watch: &Watch) -> bool {
    ending_at(&code_before(space, pc), pc).any(|i| refers(&i, registers, watch))
}

fn refers(instruction: &Instruction, registers: &Registers, watch: &Watch) -> bool {
    let access = judge(instruction, registers, watch);
    access.is_some_and(|(a, is_sure)| is_sure && (a == Access::Write || watch.access.wants_reads()))
}

/// All instructions the code that ends at `pc` may end with, the longest first.
fn ending_at(code: &[u8], pc: u64) -> impl Iterator<Item = Instruction> {
    (0..code.len()).filter_map(move |start| {
        let bytes = &code[start..];
        let instruction = decoded(bytes, pc.wrapping_sub(bytes.len() as u64))?;
        (instruction.len() == bytes.len()).then_some(instruction)
    })
}

/// Finds the instruction that ends at `pc` and did something to the watched memory. Instructions
/// cannot be read backwards for certain: of those that end here, the longest that refers to the
/// watched address is taken, else the longest that refers to memory at all (its address register
/// may have been overwritten by itself).
pub(super) fn before(
    space: &Space,
    pc: u64,
    registers: &Registers,
    watch: &Watch,
) -> (Option<u64>, Option<Access>) {
    let mut second = (None, None);
    for instruction in ending_at(&code_before(space, pc), pc) {
        let address = instruction.ip();
        match judge(&instruction, registers, watch) {
            Some((access, true)) => return (Some(address), Some(access)),
            Some((access, false)) if second.0.is_none() => {
                second = (Some(address), Some(access));
            }
            _ => {}
        }
    }
    second
}

/// What the instruction does to memory, and whether that is certainly the watched memory.
fn judge(
    instruction: &Instruction,
    registers: &Registers,
    watch: &Watch,
) -> Option<(Access, bool)> {
    let all = touches(instruction, registers);
    let kind = |t: &Touch| if t.is_write { Access::Write } else { Access::Read };
    let sure: Vec<&Touch> = all.iter().filter(|t| watch.touches(t.address, t.size)).collect();
    if let Some(t) = sure.iter().find(|t| t.is_write).or(sure.first()) {
        return Some((kind(t), true));
    }
    // The stack pointer and string registers have moved on since.
    let near = |t: &Touch| watch.touches(t.address.wrapping_sub(64), t.size + 128);
    let likely: Vec<&Touch> = all.iter().filter(|t| near(t)).collect();
    let best = likely.iter().find(|t| t.is_write).or(likely.first()).copied().or(all.first());
    best.map(|t| (kind(t), false))
}

/// A move between a register (or constant) and memory, which the tracer can carry out itself.
pub(super) enum Move {
    Store { address: u64, bytes: Vec<u8> },
    Load { address: u64, size: usize, to: iced_x86::Register, signed: bool },
}

pub(super) fn simple_move(instruction: &Instruction, registers: &Registers) -> Option<Move> {
    let signed = match instruction.mnemonic() {
        Mnemonic::Mov | Mnemonic::Movzx => false,
        Mnemonic::Movsx | Mnemonic::Movsxd => true,
        _ => return None,
    };
    if instruction.op_count() != 2 || instruction.has_lock_prefix() {
        return None;
    }
    let size = instruction.memory_size().size();
    if !matches!(size, 1 | 2 | 4 | 8) {
        return None;
    }
    let operand = if instruction.op0_kind() == OpKind::Memory { 0 } else { 1 };
    if instruction.op_kind(operand) != OpKind::Memory {
        return None;
    }
    let address = instruction.virtual_address(operand, 0, |r, _, _| registers.decoded(r))?;
    if operand == 1 {
        let to = instruction.op0_register();
        // Segment and control registers are none of ours.
        to.is_gpr().then_some(Move::Load { address, size, to, signed })
    } else {
        let value = match instruction.op1_kind() {
            OpKind::Register if instruction.op1_register().is_gpr() => {
                registers.decoded(instruction.op1_register())?
            }
            OpKind::Register => return None,
            _ => instruction.immediate(1),
        };
        Some(Move::Store { address, bytes: value.to_le_bytes()[..size].to_vec() })
    }
}
