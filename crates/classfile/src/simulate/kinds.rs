//! Kinds on the stack, by following every path.

use super::{Slot, effect, shuffle, stack_error};
use crate::attribute::Code;
use crate::descriptor::Kind;
use crate::error::{Error, Result};
use crate::insn::{Instruction, Instructions};
use crate::opcode::Flags;
use crate::pool::Constants;

impl Slot for Kind {
    fn is_wide(&self) -> bool {
        self.slots() == 2
    }
}

/// The kinds on the operand stack before every reachable instruction of a method.
#[derive(Clone, Debug)]
pub struct StackKinds {
    /// By bytecode offset.
    before: Vec<Option<Box<[Kind]>>>,
    max: u16,
}

impl StackKinds {
    /// Follows all paths of `code`, exception handlers included. Code with subroutines (`jsr`) is
    /// unsupported.
    pub fn of<'p>(code: &Code<'_>, pool: &impl Constants<'p>) -> Result<StackKinds> {
        let rows = code.exception_table.iter().map(|row| (row.start, row.handler));
        StackKinds::of_parts(code.bytecode, code.bytecode_offset as usize, rows, pool)
    }

    /// Like [`of`](StackKinds::of), from the bytecode and the (start, handler) pairs of the
    /// exception table.
    pub(crate) fn of_parts<'p>(
        bytecode: &[u8],
        base: usize,
        handlers: impl Iterator<Item = (u16, u16)>,
        pool: &impl Constants<'p>,
    ) -> Result<StackKinds> {
        let mut starts = vec![false; bytecode.len()];
        for instruction in Instructions::new(bytecode, base) {
            starts[instruction?.offset as usize] = true;
        }
        let mut run = Run {
            result: StackKinds { before: vec![None; bytecode.len()], max: 0 },
            starts,
            work: Vec::new(),
            base,
            stored: 0,
        };
        run.flow(0, 0, &[])?;
        // A handler is entered with the exception only, whatever was on the stack. Handlers of
        // unreachable ranges are followed too, which does no harm.
        for (from, handler) in handlers {
            run.flow(u32::from(from), u32::from(handler), &[Kind::Reference])?;
        }
        while let Some(offset) = run.work.pop() {
            let instruction = Instruction::decode(bytecode, offset, base)?;
            let mut stack =
                run.result.before[offset as usize].clone().unwrap_or_default().into_vec();
            step(&instruction, &mut stack, base, pool)?;
            for target in instruction.targets() {
                run.flow(offset, target, &stack)?;
            }
            if instruction.falls_through() {
                run.flow(offset, instruction.end(), &stack)?;
            }
        }
        Ok(run.result)
    }

    /// Kinds on the stack before the instruction at `offset`, deepest first; `None` when no path
    /// reaches it.
    pub fn before(&self, offset: u32) -> Option<&[Kind]> {
        self.before.get(offset as usize)?.as_deref()
    }

    /// The deepest stack in slots: what `max_stack` must be at least.
    pub fn max_stack(&self) -> u16 {
        self.max
    }
}

/// All stacks together hold at most this many values: a hundred times what real methods need.
const MAX_STORED: usize = 1 << 24;

struct Run {
    stored: usize,
    result: StackKinds,
    starts: Vec<bool>,
    work: Vec<u32>,
    base: usize,
}

impl Run {
    fn flow(&mut self, from: u32, to: u32, stack: &[Kind]) -> Result<()> {
        let at = self.base + from as usize;
        if !self.starts.get(to as usize).is_some_and(|start| *start) {
            return Err(Error::malformed(at, format!("expected an instruction at offset {to}")));
        }
        let known = &mut self.result.before[to as usize];
        match known {
            None => {
                let slots: u32 = stack.iter().map(|kind| u32::from(kind.slots())).sum();
                let slots = u16::try_from(slots)
                    .map_err(|_| Error::limit("an operand stack of over 65535 slots"))?;
                self.result.max = self.result.max.max(slots);
                self.stored += stack.len();
                if self.stored > MAX_STORED {
                    return Err(Error::limit("operand stacks too deep at too many instructions"));
                }
                *known = Some(stack.into());
                self.work.push(to);
                Ok(())
            }
            Some(known) if **known == *stack => Ok(()),
            Some(_) => Err(Error::malformed(
                at,
                format!("expected the same stack on every path to offset {to}"),
            )),
        }
    }
}

fn step<'p>(
    instruction: &Instruction<'_>,
    stack: &mut Vec<Kind>,
    base: usize,
    pool: &impl Constants<'p>,
) -> Result<()> {
    let wrong = || stack_error(instruction, base);
    if instruction.opcode.is(Flags::SUBROUTINE) {
        return Err(Error::unsupported("subroutines (jsr, ret)"));
    }
    if instruction.opcode.is(Flags::SHUFFLE) {
        return shuffle(instruction.opcode, stack).ok_or_else(wrong);
    }
    let effect = effect(instruction, pool)?;
    let rest = stack.len().checked_sub(effect.pops.len()).ok_or_else(wrong)?;
    if stack[rest..] != effect.pops[..] {
        return Err(wrong());
    }
    stack.truncate(rest);
    stack.extend(effect.push);
    Ok(())
}
