//! How exceptions and cancelled threads find their way through a trampoline that waits for a return.
//!
//! The unwinder of GCC looks up, for every return address on the stack, a description of the frame
//! there (`_Unwind_Find_FDE`). Trampolines are in no file, so that function gets a hook: for an address
//! in trampoline code it answers with [`description`].

use iced_x86::code_asm::*;

use crate::error::Result;
use crate::prologue::Prologue;
use crate::trampoline::FRAME;

/// One range of trampoline code in the table that the hook reads.
pub const ENTRY: u64 = 24;

/// The frame description, in the format of `.eh_frame`, of all trampolines in a range of code: the
/// caller's frame is [`FRAME`] bytes above the return address, and all registers are the caller's.
/// Also answers how far from its beginning the description of the range itself is, which is what the
/// unwinder wants to be given.
pub fn description(start: u64, end: u64) -> (Vec<u8>, u64) {
    const RSP: u8 = 7;
    const RETURN_ADDRESS: u8 = 16;
    const DEF_CFA: u8 = 0x0c;
    const OFFSET: u8 = 0x80;
    let mut common = vec![0; 4]; // it is no description of a range
    common.push(1); // version
    common.push(0); // no augmentation
    common.extend([1, 0x78, RETURN_ADDRESS]); // code alignment 1, data alignment -8
    common.extend([DEF_CFA, RSP, (FRAME + 8) as u8]);
    common.extend([OFFSET | RETURN_ADDRESS, 1]);
    pad(&mut common);
    let mut bytes = (common.len() as u32).to_le_bytes().to_vec();
    bytes.extend(common);
    let own = bytes.len() as u64;
    let mut range = ((own + 4) as u32).to_le_bytes().to_vec(); // how far back the common part is
    range.extend(start.to_le_bytes());
    range.extend((end - start).to_le_bytes());
    pad(&mut range);
    bytes.extend((range.len() as u32).to_le_bytes());
    bytes.extend(range);
    bytes.extend([0; 4]);
    (bytes, own)
}

/// Fills up with instructions that do nothing. A length word of four bytes comes before.
fn pad(bytes: &mut Vec<u8>) {
    while !(bytes.len() + 4).is_multiple_of(8) {
        bytes.push(0);
    }
}

/// The table that the hook reads: for each range of code its start, its end and its description;
/// zeros end it.
pub fn table(ranges: &[(u64, u64, u64)]) -> Vec<u8> {
    let words = ranges.iter().flat_map(|(start, end, description)| [*start, *end, *description]);
    words.chain([0; 3]).flat_map(u64::to_le_bytes).collect()
}

/// The code that goes in front of `_Unwind_Find_FDE`.
pub fn hook(prologue: &Prologue, code: u64, table: u64) -> Result<Vec<u8>> {
    let mut a = CodeAssembler::new(64)?;
    let (mut again, mut next, mut other) = (a.create_label(), a.create_label(), a.create_label());
    a.push(rax)?;
    a.push(r10)?;
    a.mov(rax, table)?;
    a.set_label(&mut again)?;
    a.mov(r10, qword_ptr(rax))?;
    a.test(r10, r10)?;
    a.je(other)?;
    a.cmp(rdi, r10)?;
    a.jb(next)?;
    a.cmp(rdi, qword_ptr(rax + 8))?;
    a.jae(next)?;
    // The bases for relative addresses, of which the description has none, and the function.
    a.mov(qword_ptr(rsi), 0)?;
    a.mov(qword_ptr(rsi + 8), 0)?;
    a.mov(qword_ptr(rsi + 16), r10)?;
    a.mov(rax, qword_ptr(rax + 16))?;
    a.pop(r10)?;
    a.lea(rsp, rsp + 8)?;
    a.ret()?;
    a.set_label(&mut next)?;
    a.add(rax, ENTRY as i32)?;
    a.jmp(again)?;
    a.set_label(&mut other)?;
    a.pop(r10)?;
    a.pop(rax)?;
    for i in &prologue.instructions {
        a.add_instruction(*i)?;
    }
    if prologue.falls_through {
        a.jmp(prologue.next())?;
    }
    Ok(a.assemble(code)?)
}
