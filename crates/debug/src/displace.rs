//! Running an instruction away from its place.
//!
//! A thread that hit a breakpoint must execute the instruction the `int3` covers. Putting the
//! instruction back for a moment lets other threads run past the breakpoint unseen; instead a
//! copy, corrected for its new address and followed by a jump back, is kept in scratch memory of
//! the program. Calls would push the copy's address, so they are carried out by the tracer.

use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, Decoder, DecoderOptions, FlowControl, Instruction,
    InstructionBlock, OpKind,
};

use crate::error::{Error, ErrorKind, Result};

/// Bytes reserved per copy: an expanded branch with its far targets fits.
pub(crate) const SLOT_SIZE: usize = 64;

/// How a thread gets over a breakpoint.
#[derive(Clone, Debug)]
pub(crate) enum Displaced {
    /// Continue at the copy.
    Copy(Copy),
    /// The instruction does nothing (`endbr64`, `nop`): continue after it.
    Skip { next: u64 },
    /// A near call: push `next`, continue at the target the operand names.
    Call { next: u64, instruction: Box<Instruction> },
}

impl Displaced {
    /// Whether no instruction begins at the second byte of this one at `address`, whose first byte
    /// is `first`: it is longer, and that byte is no prefix that code may jump over.
    pub fn is_alone(&self, address: u64, first: u8) -> bool {
        const PREFIXES: [u8; 11] =
            [0xf0, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x66, 0x67];
        match self {
            Displaced::Copy(Copy { next, .. }) | Displaced::Call { next, .. } => {
                *next > address + 1 && !PREFIXES.contains(&first)
            }
            Displaced::Skip { next } => *next > address + 1,
        }
    }
}

/// An out-of-line copy of one instruction.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    /// Address of the copy.
    pub at: u64,
    /// The code: copied instruction and the jump back.
    pub code: Vec<u8>,
    /// Address of the instruction it stands for.
    pub original: u64,
    /// Address of the instruction after it.
    pub next: u64,
    /// Offset in `code` where the jump back begins, when execution falls through to it.
    pub back: Option<usize>,
    /// Whether the copied instruction enters the kernel.
    pub is_syscall: bool,
}

/// What to do at `address`, whose bytes are `bytes`, with a copy placed at `slot`.
pub(crate) fn displace(bytes: &[u8], address: u64, slot: u64) -> Result<Displaced> {
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let instruction = decoder.decode();
    if instruction.is_invalid() {
        return Err(Error::new(
            ErrorKind::NotFound,
            format!("there is no valid instruction at {address:#x}"),
        ));
    }
    let next = instruction.next_ip();
    match instruction.code() {
        Code::Endbr64 | Code::Nopd | Code::Nopw | Code::Nop_rm16 | Code::Nop_rm32 => {
            return Ok(Displaced::Skip { next });
        }
        Code::Call_rel32_64 | Code::Call_rm64 => {
            return Ok(Displaced::Call { next, instruction: Box::new(instruction) });
        }
        _ => {}
    }
    let falls_through =
        !matches!(instruction.flow_control(), FlowControl::Return | FlowControl::IndirectBranch);
    let mut block = vec![instruction];
    if falls_through {
        let mut jump = Instruction::with_branch(Code::Jmp_rel32_64, next)
            .map_err(|e| Error::new(ErrorKind::Unsupported, e.to_string()))?;
        // A distinct address, or the encoder would take `next` to be this very jump.
        jump.set_ip(address.wrapping_sub(64));
        block.push(jump);
    }
    let result = BlockEncoder::encode(
        64,
        InstructionBlock::new(&block, slot),
        BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS,
    )
    .map_err(|e| {
        Error::new(
            ErrorKind::Limit,
            format!("the instruction at {address:#x} cannot be moved within reach: {e}"),
        )
    })?;
    if result.code_buffer.len() > SLOT_SIZE {
        return Err(Error::new(
            ErrorKind::Limit,
            format!("the instruction at {address:#x} is too long to move"),
        ));
    }
    let back =
        result.new_instruction_offsets.get(1).filter(|&&o| o != u32::MAX).map(|&o| o as usize);
    Ok(Displaced::Copy(Copy {
        at: slot,
        code: result.code_buffer,
        original: address,
        next,
        back,
        is_syscall: matches!(instruction.code(), Code::Syscall | Code::Sysenter),
    }))
}

/// Where a near call goes, given registers and memory.
pub(crate) fn call_target(
    instruction: &Instruction,
    registers: &crate::Registers,
    mut read_word: impl FnMut(u64) -> Option<u64>,
) -> Option<u64> {
    match instruction.op0_kind() {
        OpKind::NearBranch64 => Some(instruction.near_branch64()),
        OpKind::Register => registers.decoded(instruction.op0_register()),
        OpKind::Memory => {
            let address =
                instruction.virtual_address(0, 0, |register, _, _| registers.decoded(register))?;
            read_word(address)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(bytes: &[u8]) -> Copy {
        match displace(bytes, 0x40_0000, 0x50_0000).unwrap() {
            Displaced::Copy(c) => c,
            other => panic!("not a copy: {other:?}"),
        }
    }

    fn decode(code: &[u8], at: u64) -> Vec<Instruction> {
        Decoder::with_ip(64, code, at, DecoderOptions::NONE).into_iter().collect()
    }

    #[test]
    fn push_then_jump_back() {
        let c = copy(&[0x55, 0x48, 0x89, 0xe5]);
        let code = decode(&c.code, c.at);
        assert_eq!(code[0].code(), Code::Push_r64);
        assert_eq!(code[1].near_branch64(), 0x40_0001);
        assert_eq!(c.back, Some(1));
    }

    #[test]
    fn rip_relative_operand_keeps_its_address() {
        // mov rax, [rip+0x1000]
        let c = copy(&[0x48, 0x8b, 0x05, 0x00, 0x10, 0x00, 0x00]);
        let code = decode(&c.code, c.at);
        assert_eq!(code[0].ip_rel_memory_address(), 0x40_0000 + 7 + 0x1000);
    }

    #[test]
    fn conditional_jump_keeps_its_target() {
        // je +0x10, also backwards onto the neighbourhood of the instruction itself
        for displacement in [0x10u8, 0xfe, 0xf0, 0x00] {
            let c = copy(&[0x74, displacement]);
            let code = decode(&c.code, c.at);
            let target = 0x40_0002u64.wrapping_add(displacement as i8 as u64);
            if target == 0x40_0000 {
                // A jump to itself may loop inside the copy: same behaviour.
                assert!([c.at, target].contains(&code[0].near_branch64()));
            } else {
                assert_eq!(code[0].near_branch64(), target);
            }
            assert_eq!(code[1].near_branch64(), 0x40_0002);
        }
    }

    #[test]
    fn out_of_reach_is_refused() {
        let e = displace(&[0x48, 0x8b, 0x05, 0, 0x10, 0, 0], 0x5555_0000_0000, 0x7fff_0000_0000);
        assert_eq!(e.unwrap_err().kind(), ErrorKind::Limit);
    }

    #[test]
    fn calls_and_nops_are_not_copied() {
        assert!(matches!(
            displace(&[0xe8, 1, 0, 0, 0], 0x1000, 0x2000),
            Ok(Displaced::Call { next: 0x1005, .. })
        ));
        assert!(matches!(
            displace(&[0xf3, 0x0f, 0x1e, 0xfa], 0x1000, 0x2000),
            Ok(Displaced::Skip { next: 0x1004 })
        ));
    }

    #[test]
    fn what_may_be_entered_at_its_second_byte_is_told_apart() {
        let codes: [(&[u8], bool); 6] = [
            (&[0x89, 0xf8], true),
            (&[0xf3, 0x0f, 0x1e, 0xfa], true),
            (&[0xe8, 1, 0, 0, 0], true),
            // push %rbp; nop
            (&[0x55], false),
            (&[0x90], false),
            // lock cmpxchg %ecx, (%rdx)
            (&[0xf0, 0x0f, 0xb1, 0x0a], false),
        ];
        for (code, alone) in codes {
            let displaced = displace(code, 0x40_0000, 0x50_0000).unwrap();
            assert_eq!(displaced.is_alone(0x40_0000, code[0]), alone, "{code:x?}");
        }
    }

    #[test]
    fn garbage_is_an_error() {
        assert!(displace(&[0x06], 0x1000, 0x2000).is_err());
        assert!(displace(&[], 0x1000, 0x2000).is_err());
    }
}
