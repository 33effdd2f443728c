//! `errno`: the C library keeps it per thread and tells where only its own function.

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

use super::Debugger;
use crate::error::{Error, ErrorKind, Result};
use crate::tracer::ProcessId;

/// More instructions than this no C library needs to compute the address.
const MOST: usize = 8;

impl Debugger {
    /// The address of `errno` for the thread with this thread pointer.
    pub(super) fn errno_address(&mut self, process: ProcessId, thread_pointer: u64) -> Result<u64> {
        let offset = match self.errno_offsets.get(&process) {
            Some(offset) => *offset,
            None => {
                let found = self.c_library_functions(process, "__errno_location");
                let entry = found.first().and_then(|t| t.entries().first().copied());
                let address = entry.and_then(|e| self.follow(process, e, thread_pointer));
                let unknown =
                    || Error::new(ErrorKind::NotFound, "the address of `errno` is not known");
                let offset = address.ok_or_else(unknown)?.wrapping_sub(thread_pointer);
                // The same for all threads: the C library is loaded from the start.
                self.errno_offsets.insert(process, offset);
                offset
            }
        };
        Ok(thread_pointer.wrapping_add(offset))
    }

    /// What the function that returns the address of `errno` computes, if it does nothing but add
    /// constants to the thread pointer.
    fn follow(&self, process: ProcessId, entry: u64, thread_pointer: u64) -> Option<u64> {
        let mut code = [0; 64];
        let n = self.tracer.read_partly(process, entry, &mut code);
        let mut rax: Option<u64> = None;
        let decoder = Decoder::with_ip(64, &code[..n], entry, DecoderOptions::NONE);
        for i in decoder.into_iter().take(MOST) {
            let operand = || self.operand(process, &i, thread_pointer);
            match i.mnemonic() {
                Mnemonic::Ret => return rax,
                Mnemonic::Endbr64 | Mnemonic::Nop => {}
                _ if i.op0_register() != Register::RAX => return None,
                Mnemonic::Mov => rax = Some(operand()?),
                Mnemonic::Add => rax = Some(rax?.wrapping_add(operand()?)),
                Mnemonic::Lea if i.memory_base() == Register::RAX => {
                    rax = Some(rax?.wrapping_add(i.memory_displacement64()));
                }
                _ => return None,
            }
        }
        None
    }

    /// The second operand: a constant, a word of the module, or the thread pointer.
    fn operand(&self, process: ProcessId, i: &Instruction, thread_pointer: u64) -> Option<u64> {
        match i.op1_kind() {
            OpKind::Memory if i.memory_segment() == Register::FS => {
                let at = thread_pointer.wrapping_add(i.memory_displacement64());
                self.tracer.read_u64(process, at).ok()
            }
            OpKind::Memory if i.is_ip_rel_memory_operand() => {
                self.tracer.read_u64(process, i.ip_rel_memory_address()).ok()
            }
            OpKind::Memory | OpKind::Register => None,
            _ if i.code() == Code::INVALID => None,
            _ => Some(i.immediate(1)),
        }
    }
}
