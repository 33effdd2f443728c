//! Finding the caller's frame.

use std::rc::Rc;

use gimli::{
    BaseAddresses, CfaRule, DebugFrame, EhFrame, EndianRcSlice, LittleEndian, RegisterRule,
    UnwindContext, UnwindSection,
};
use object::{Object, ObjectSection};

use super::{DebugInfo, Reader, section};
use crate::error::{Error, ErrorKind, Result};
use crate::registers::{DWARF_RBP, DWARF_RIP, DWARF_RSP, Registers};

/// The registers of one frame; those a callee did not preserve are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRegisters {
    values: [Option<u64>; 17],
}

impl FrameRegisters {
    /// The innermost frame's registers.
    pub fn of(registers: &Registers) -> FrameRegisters {
        let mut values = [None; 17];
        for (i, v) in values.iter_mut().enumerate() {
            *v = registers.dwarf(i as u16);
        }
        FrameRegisters { values }
    }

    pub(crate) fn zero() -> FrameRegisters {
        FrameRegisters { values: [Some(0x1000); 17] }
    }

    /// A register by DWARF number.
    pub fn get(&self, number: u16) -> Option<u64> {
        self.values.get(number as usize).copied().flatten()
    }

    /// The program counter.
    pub fn pc(&self) -> u64 {
        self.get(DWARF_RIP).unwrap_or(0)
    }

    /// The stack pointer.
    pub fn sp(&self) -> u64 {
        self.get(DWARF_RSP).unwrap_or(0)
    }

    pub(crate) fn set(&mut self, number: u16, value: Option<u64>) {
        if let Some(v) = self.values.get_mut(number as usize) {
            *v = value;
        }
    }
}

/// The result of one unwinding step.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The stack pointer before the call; identifies the frame.
    pub cfa: u64,
    /// The caller's registers.
    pub registers: FrameRegisters,
    /// Whether the frame that was left is a signal trampoline: the caller was interrupted, its
    /// program counter is exact.
    pub interrupted: bool,
}

pub(super) struct FrameTable {
    eh: EhFrame<Reader>,
    eh_header: Option<gimli::ParsedEhFrameHdr<Reader>>,
    debug: DebugFrame<Reader>,
    bases: BaseAddresses,
}

impl FrameTable {
    pub fn load(file: &object::File<'_>) -> Result<FrameTable> {
        let mut bases = BaseAddresses::default();
        for s in file.sections() {
            let address = s.address();
            match s.name() {
                Ok(".eh_frame") => bases = bases.set_eh_frame(address),
                Ok(".eh_frame_hdr") => bases = bases.set_eh_frame_hdr(address),
                Ok(".text") => bases = bases.set_text(address),
                Ok(".got") => bases = bases.set_got(address),
                _ => {}
            }
        }
        let empty = || EndianRcSlice::new(Rc::from(&[][..]), LittleEndian);
        let or_empty = |name: &str| section(file, name).unwrap_or_else(|_| empty());
        let mut eh = EhFrame::from(or_empty(".eh_frame"));
        eh.set_address_size(8);
        let mut debug = DebugFrame::from(or_empty(".debug_frame"));
        debug.set_address_size(8);
        let header = gimli::EhFrameHdr::from(or_empty(".eh_frame_hdr"));
        let eh_header = header.parse(&bases, 8).ok();
        Ok(FrameTable { eh, eh_header, debug, bases })
    }
}

impl DebugInfo {
    /// One step up the stack from a frame whose program counter is `pc` in the file's numbering.
    /// `None` at the outermost frame.
    pub fn unwind(
        &self,
        pc: u64,
        frame: &FrameRegisters,
        read_word: &dyn Fn(u64) -> Result<u64>,
    ) -> Result<Option<Caller>> {
        let table = &self.frames;
        let mut context = UnwindContext::new();
        let from_header = table.eh_header.as_ref().and_then(|h| h.table()).and_then(|t| {
            t.fde_for_address(&table.eh, &table.bases, pc, |s, b, o| s.cie_from_offset(b, o)).ok()
        });
        let fde = match from_header {
            Some(fde) => Some(fde),
            None if table.eh_header.is_none() => {
                table.eh.fde_for_address(&table.bases, pc, |s, b, o| s.cie_from_offset(b, o)).ok()
            }
            None => None,
        };
        if let Some(fde) = fde {
            let row = fde.unwind_info_for_address(&table.eh, &table.bases, &mut context, pc)?;
            return apply(row, &table.eh, &fde, frame, read_word);
        }
        let fde = table
            .debug
            .fde_for_address(&table.bases, pc, |s, b, o| s.cie_from_offset(b, o))
            .map_err(|_| {
                Error::new(ErrorKind::NotFound, format!("no frame information for {pc:#x}"))
            })?;
        let row = fde.unwind_info_for_address(&table.debug, &table.bases, &mut context, pc)?;
        apply(row, &table.debug, &fde, frame, read_word)
    }
}

fn apply<S: UnwindSection<Reader>>(
    row: &gimli::UnwindTableRow<usize>,
    section: &S,
    fde: &gimli::FrameDescriptionEntry<Reader>,
    frame: &FrameRegisters,
    read_word: &dyn Fn(u64) -> Result<u64>,
) -> Result<Option<Caller>> {
    let encoding = fde.cie().encoding();
    let cfa = match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => {
            frame.get(register.0).ok_or_else(lost)?.wrapping_add(*offset as u64)
        }
        CfaRule::Expression(e) => compute(e.get(section)?, encoding, frame, None, read_word)?,
    };
    let mut registers = *frame;
    registers.set(DWARF_RSP, Some(cfa));
    for number in 0..=DWARF_RIP {
        let value = match row.register(gimli::Register(number)) {
            None => {
                // Not mentioned: the convention decides. Callee-saved registers are unchanged.
                let saved = matches!(number, 3 | 6 | 7 | 12..=15);
                if number == DWARF_RIP {
                    return Ok(None);
                }
                if saved { continue } else { None }
            }
            Some(RegisterRule::Undefined) if number == DWARF_RIP => return Ok(None),
            Some(RegisterRule::Undefined) => None,
            Some(RegisterRule::SameValue) => continue,
            Some(RegisterRule::Offset(o)) => Some(read_word(cfa.wrapping_add(o as u64))?),
            Some(RegisterRule::ValOffset(o)) => Some(cfa.wrapping_add(o as u64)),
            Some(RegisterRule::Register(r)) => frame.get(r.0),
            Some(RegisterRule::Expression(e)) => {
                let at = compute(e.get(section)?, encoding, frame, Some(cfa), read_word)?;
                Some(read_word(at)?)
            }
            Some(RegisterRule::ValExpression(e)) => {
                Some(compute(e.get(section)?, encoding, frame, Some(cfa), read_word)?)
            }
            Some(RegisterRule::Constant(c)) => Some(c),
            _ => None,
        };
        registers.set(number, value);
    }
    if registers.pc() == 0 {
        return Ok(None);
    }
    Ok(Some(Caller { cfa, registers, interrupted: fde.is_signal_trampoline() }))
}

fn lost() -> Error {
    Error::new(ErrorKind::NotFound, "a register needed to find the caller is lost")
}

fn compute(
    expression: gimli::Expression<Reader>,
    encoding: gimli::Encoding,
    frame: &FrameRegisters,
    initial: Option<u64>,
    read_word: &dyn Fn(u64) -> Result<u64>,
) -> Result<u64> {
    let mut evaluation = expression.evaluation(encoding);
    evaluation.set_max_iterations(10_000);
    if let Some(value) = initial {
        evaluation.set_initial_value(value);
    }
    let mut result = evaluation.evaluate()?;
    for _ in 0..1000 {
        result = match result {
            gimli::EvaluationResult::Complete => {
                return match evaluation.result().first().map(|p| &p.location) {
                    Some(gimli::Location::Address { address }) => Ok(*address),
                    Some(gimli::Location::Value { value }) => Ok(value.to_u64(!0)?),
                    _ => Err(lost()),
                };
            }
            gimli::EvaluationResult::RequiresMemory { address, size, .. } => {
                let word = read_word(address)?;
                let mask = if size >= 8 { !0 } else { (1u64 << (size * 8)) - 1 };
                evaluation.resume_with_memory(gimli::Value::Generic(word & mask))?
            }
            gimli::EvaluationResult::RequiresRegister { register, .. } => {
                let value = frame.get(register.0).ok_or_else(lost)?;
                evaluation.resume_with_register(gimli::Value::Generic(value))?
            }
            _ => return Err(lost()),
        };
    }
    Err(lost())
}

/// The caller by the frame-pointer chain, when there is no frame information.
pub(crate) fn unwind_by_frame_pointer(
    frame: &FrameRegisters,
    read_word: &dyn Fn(u64) -> Result<u64>,
) -> Option<Caller> {
    let bp = frame.get(DWARF_RBP)?;
    if bp < frame.sp() || bp & 7 != 0 {
        return None;
    }
    let (saved, ret) = (read_word(bp).ok()?, read_word(bp + 8).ok()?);
    if ret == 0 {
        return None;
    }
    let mut registers = FrameRegisters { values: [None; 17] };
    registers.set(DWARF_RBP, Some(saved));
    registers.set(DWARF_RSP, Some(bp + 16));
    registers.set(DWARF_RIP, Some(ret));
    Some(Caller { cfa: bp + 16, registers, interrupted: false })
}
