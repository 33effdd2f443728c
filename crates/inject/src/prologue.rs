//! The first instructions of a function, and whether they may be executed elsewhere.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};

/// Bytes that a jump to a trampoline takes.
pub const PATCH: usize = 5;

/// The instructions that a jump to a trampoline replaces.
#[derive(Clone, Debug)]
pub struct Prologue {
    /// They are here in the program.
    pub address: u64,
    /// Their bytes, at least [`PATCH`].
    pub bytes: Vec<u8>,
    pub(crate) instructions: Vec<Instruction>,
    /// Whether what comes after them is ever reached from them.
    pub(crate) falls_through: bool,
}

impl Prologue {
    /// The first instructions of the function whose code is `body`, at `address`. `after` are the bytes
    /// that follow it up to the next function: a function that is shorter than a jump may be patched
    /// if only padding follows. Fails with the reason why they must stay where they are.
    pub fn read(address: u64, body: &[u8], after: &[u8]) -> Result<Prologue, &'static str> {
        let mut instructions = Vec::new();
        let mut length = 0usize;
        let mut ends = false;
        let decoder = Decoder::with_ip(64, body, address, DecoderOptions::NONE);
        for i in decoder {
            if i.is_invalid() {
                return Err("its first instructions could not be decoded");
            }
            may_move(&i)?;
            length += i.len();
            ends = matches!(
                i.flow_control(),
                FlowControl::Return
                    | FlowControl::UnconditionalBranch
                    | FlowControl::IndirectBranch
            );
            instructions.push(i);
            if ends || length >= PATCH {
                break;
            }
        }
        let mut bytes = body[..length].to_vec();
        if length < PATCH {
            let missing = PATCH - length;
            let rest: Vec<u8> = body[length..].iter().chain(after).take(missing).copied().collect();
            if !ends
                || rest.len() < missing
                || !is_padding(body.get(length..).unwrap_or(&[]), after)
            {
                return Err("it is shorter than a jump");
            }
            bytes.extend(rest);
        }
        let end = address + bytes.len() as u64;
        for i in Decoder::with_ip(64, body, address, DecoderOptions::NONE) {
            // A call of itself begins anew.
            let is_near = i.flow_control() != FlowControl::Call
                && (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::NearBranch64);
            if is_near && (address..end).contains(&i.near_branch_target()) {
                return Err("it jumps back to its first instructions");
            }
        }
        Ok(Prologue { address, bytes, instructions, falls_through: !ends })
    }

    /// Where the function goes on after them.
    pub fn next(&self) -> u64 {
        self.address + self.instructions.iter().map(|i| i.len() as u64).sum::<u64>()
    }
}

/// Whether nothing but padding follows the end of a function for as long as a jump needs.
fn is_padding(rest: &[u8], after: &[u8]) -> bool {
    let bytes: Vec<u8> = rest.iter().chain(after).take(16).copied().collect();
    let mut decoder = Decoder::new(64, &bytes, DecoderOptions::NONE);
    let mut done = 0;
    while done < PATCH - 1 && decoder.can_decode() {
        let i = decoder.decode();
        if !matches!(i.mnemonic(), Mnemonic::Nop | Mnemonic::Int3) {
            return false;
        }
        done += i.len();
    }
    done >= PATCH - 1
}

/// Whether an instruction does the same elsewhere. If it faults, the tracer puts the thread back to where
/// the instruction belongs.
fn may_move(i: &Instruction) -> Result<(), &'static str> {
    match i.flow_control() {
        FlowControl::Next
        | FlowControl::Return
        | FlowControl::UnconditionalBranch
        | FlowControl::IndirectBranch
        | FlowControl::ConditionalBranch => {}
        FlowControl::Call | FlowControl::IndirectCall => {
            return Err("one of its first instructions is a call");
        }
        _ => return Err("one of its first instructions enters the kernel"),
    }
    if matches!(i.mnemonic(), Mnemonic::Syscall | Mnemonic::Sysenter) {
        return Err("one of its first instructions enters the kernel");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &[u8]) -> Result<Prologue, &'static str> {
        Prologue::read(0x40_0000, body, &[0x90; 16])
    }

    #[test]
    fn whole_instructions_are_taken() {
        // push %rbp; mov %rsp, %rbp; sub $16, %rsp; ret
        let p = read(&[0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc3]).unwrap();
        assert_eq!((p.bytes.len(), p.next(), p.falls_through), (8, 0x40_0008, true));
    }

    #[test]
    fn a_short_function_needs_padding_behind_it() {
        let p = read(&[0xc3]).unwrap();
        assert_eq!((p.bytes.len(), p.falls_through), (5, false));
        assert!(Prologue::read(0x40_0000, &[0xc3], &[0x90, 0x55, 0x90, 0x90, 0x90]).is_err());
        assert!(Prologue::read(0x40_0000, &[0xc3], &[]).is_err());
        // xor %eax, %eax, and then the function goes on elsewhere: nothing to tell what follows
        assert!(Prologue::read(0x40_0000, &[0x31, 0xc0], &[0x90; 16]).is_err());
    }

    #[test]
    fn what_calls_or_enters_the_kernel_stays() {
        // call; ret
        assert!(read(&[0xe8, 1, 0, 0, 0, 0xc3]).is_err());
        // syscall; ret
        assert!(read(&[0x0f, 0x05, 0xc3, 0x90, 0x90]).is_err());
        // mov (%rdi), %rax; ret
        assert!(read(&[0x48, 0x8b, 0x07, 0xc3, 0x90]).is_ok());
        // mov 0x1000(%rip), %rax; ret
        assert!(read(&[0x48, 0x8b, 0x05, 0, 0x10, 0, 0, 0xc3]).is_ok());
    }

    #[test]
    fn a_loop_to_the_beginning_stays() {
        // dec %edi; nop; nop; nop; jne to the second instruction
        let body = [0xff, 0xcf, 0x90, 0x90, 0x90, 0x75, 0xfb, 0xc3];
        assert_eq!(read(&body).unwrap_err(), "it jumps back to its first instructions");
        // to behind the patch
        let body = [0xff, 0xcf, 0x90, 0x90, 0x90, 0x90, 0x75, 0xfd, 0xc3];
        assert!(read(&body).is_ok());
        // push %rbp; mov %rsp, %rbp; nop; call itself; ret
        let body = [0x55, 0x48, 0x89, 0xe5, 0x90, 0xe8, 0xf6, 0xff, 0xff, 0xff, 0xc3];
        assert!(read(&body).is_ok());
    }
}
