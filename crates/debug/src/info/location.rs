//! Where a variable lives: evaluating DWARF location descriptions.

use gimli::{EvaluationResult, Location};

use super::{DebugInfo, Reader};
use crate::error::{Error, ErrorKind, Result};

/// What a location description may ask of the stopped program.
pub(crate) trait Machine {
    /// A register of the frame, by DWARF number; `None` if it was not preserved.
    fn register(&self, number: u16) -> Option<u64>;
    /// Memory.
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<()>;
    /// The frame's canonical address: the stack pointer before the call.
    fn cfa(&self) -> Result<u64>;
    /// What to add to the file's addresses.
    fn bias(&self) -> u64;
    /// The thread pointer.
    fn thread_pointer(&self) -> u64;
    /// A register as it was when the function was entered, if that is known.
    fn entry_register(&self, number: u16) -> Option<u64>;
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// In memory, at a run-time address.
    Memory(u64),
    /// In a register, by DWARF number (17 to 32 are vector registers).
    Register(u16),
    /// Nowhere, but known.
    Value(Vec<u8>),
    /// In several places; each with its size in bytes, `None` for a part that is lost.
    Pieces(Vec<(Option<Place>, u64)>),
}

impl DebugInfo {
    /// Evaluates the location attribute of a variable at an address of the file.
    pub(crate) fn locate(
        &self,
        unit: usize,
        attribute: &gimli::AttributeValue<Reader>,
        frame_base: Option<&gimli::AttributeValue<Reader>>,
        pc: u64,
        machine: &dyn Machine,
    ) -> Result<Place> {
        let expression = self.expression_at(unit, attribute, pc)?;
        self.evaluate(unit, expression, frame_base, pc, machine, 0)
    }

    /// Whether the location can be trusted at a function's first instruction: a list says for
    /// each address, and a register is a register; a place in the frame only exists later.
    pub(crate) fn is_valid_at_entry(attribute: &gimli::AttributeValue<Reader>) -> bool {
        let (gimli::AttributeValue::Exprloc(gimli::Expression(bytes))
        | gimli::AttributeValue::Block(bytes)) = attribute
        else {
            return true;
        };
        let first = gimli::Reader::to_slice(bytes).ok().and_then(|b| b.first().copied());
        first.is_some_and(|op| {
            (gimli::DW_OP_lit0.0..=gimli::DW_OP_reg31.0).contains(&op) || op == gimli::DW_OP_regx.0
        })
    }

    fn expression_at(
        &self,
        unit: usize,
        attribute: &gimli::AttributeValue<Reader>,
        pc: u64,
    ) -> Result<gimli::Expression<Reader>> {
        match attribute {
            gimli::AttributeValue::Exprloc(e) => Ok(e.clone()),
            gimli::AttributeValue::Block(b) => Ok(gimli::Expression(b.clone())),
            other => {
                let u = &self.units()[unit];
                let mut list =
                    self.dwarf_of(unit).attr_locations(u, other.clone())?.ok_or_else(|| {
                        Error::new(ErrorKind::DebugInfo, "a location of an unknown form")
                    })?;
                while let Some(entry) = list.next()? {
                    if (entry.range.begin..entry.range.end).contains(&pc) {
                        return Ok(entry.data);
                    }
                }
                Err(optimized_out())
            }
        }
    }

    fn evaluate(
        &self,
        unit: usize,
        expression: gimli::Expression<Reader>,
        frame_base: Option<&gimli::AttributeValue<Reader>>,
        pc: u64,
        machine: &dyn Machine,
        depth: u32,
    ) -> Result<Place> {
        let u = &self.units()[unit];
        if gimli::Reader::is_empty(&expression.0) {
            return Err(optimized_out());
        }
        let mut evaluation = expression.evaluation(u.encoding());
        evaluation.set_max_iterations(10_000);
        let mut result = evaluation.evaluate()?;
        // Each request is answered once; hostile input could go on asking.
        for _ in 0..10_000 {
            result = match result {
                EvaluationResult::Complete => return self.place(evaluation.result()),
                EvaluationResult::RequiresMemory { address, size, base_type, .. } => {
                    let mut word = [0u8; 8];
                    let size = (size as usize).min(8);
                    machine.read(address, &mut word[..size])?;
                    let value = self.typed(unit, base_type, u64::from_le_bytes(word))?;
                    evaluation.resume_with_memory(value)?
                }
                EvaluationResult::RequiresRegister { register, base_type } => {
                    let value = machine.register(register.0).ok_or_else(optimized_out)?;
                    let value = self.typed(unit, base_type, value)?;
                    evaluation.resume_with_register(value)?
                }
                EvaluationResult::RequiresFrameBase => {
                    let base = frame_base.ok_or_else(|| {
                        Error::new(ErrorKind::DebugInfo, "a variable without a frame")
                    })?;
                    if depth > 4 {
                        return Err(Error::new(ErrorKind::DebugInfo, "a frame base in circles"));
                    }
                    let e = self.expression_at(unit, base, pc)?;
                    let value = match self.evaluate(unit, e, None, pc, machine, depth + 1)? {
                        Place::Memory(address) => address,
                        Place::Register(n) => machine.register(n).ok_or_else(optimized_out)?,
                        _ => return Err(optimized_out()),
                    };
                    evaluation.resume_with_frame_base(value)?
                }
                EvaluationResult::RequiresCallFrameCfa => {
                    evaluation.resume_with_call_frame_cfa(machine.cfa()?)?
                }
                EvaluationResult::RequiresRelocatedAddress(address) => evaluation
                    .resume_with_relocated_address(address.wrapping_add(machine.bias()))?,
                EvaluationResult::RequiresIndexedAddress { index, relocate } => {
                    let mut address = self.dwarf_of(unit).address(u, index)?;
                    if relocate {
                        address = address.wrapping_add(machine.bias());
                    }
                    evaluation.resume_with_indexed_address(address)?
                }
                EvaluationResult::RequiresTls(offset) => {
                    let size = self.thread_local_size.ok_or_else(|| {
                        Error::new(
                            ErrorKind::Unsupported,
                            "thread-local variables of libraries cannot be located",
                        )
                    })?;
                    let at = machine.thread_pointer().wrapping_sub(size).wrapping_add(offset);
                    evaluation.resume_with_tls(at)?
                }
                EvaluationResult::RequiresEntryValue(e) => {
                    // In practice always a single register.
                    let mut operations = e.operations(u.encoding());
                    let register = match operations.next()? {
                        Some(gimli::Operation::Register { register }) => register.0,
                        _ => return Err(optimized_out()),
                    };
                    let value = machine.entry_register(register).ok_or_else(optimized_out)?;
                    evaluation.resume_with_entry_value(gimli::Value::Generic(value))?
                }
                EvaluationResult::RequiresBaseType(offset) => {
                    let ty = self.value_type(unit, offset)?;
                    evaluation.resume_with_base_type(ty)?
                }
                _ => return Err(optimized_out()),
            };
        }
        Err(Error::new(ErrorKind::DebugInfo, "a location that never ends"))
    }

    fn value_type(
        &self,
        unit: usize,
        offset: gimli::UnitOffset<usize>,
    ) -> Result<gimli::ValueType> {
        if offset.0 == 0 {
            return Ok(gimli::ValueType::Generic);
        }
        let entry = self.units()[unit].entry(offset)?;
        let encoding = match entry.attr_value(gimli::DW_AT_encoding) {
            Some(gimli::AttributeValue::Encoding(e)) => e,
            _ => return Ok(gimli::ValueType::Generic),
        };
        let size = entry.attr_value(gimli::DW_AT_byte_size).and_then(|v| v.udata_value());
        Ok(gimli::ValueType::from_encoding(encoding, size.unwrap_or(8))
            .unwrap_or(gimli::ValueType::Generic))
    }

    fn typed(
        &self,
        unit: usize,
        base: gimli::UnitOffset<usize>,
        value: u64,
    ) -> Result<gimli::Value> {
        let ty = self.value_type(unit, base)?;
        Ok(match ty {
            gimli::ValueType::F64 => gimli::Value::F64(f64::from_bits(value)),
            gimli::ValueType::F32 => gimli::Value::F32(f32::from_bits(value as u32)),
            other => gimli::Value::from_u64(other, value)?,
        })
    }

    fn place(&self, pieces: Vec<gimli::Piece<Reader>>) -> Result<Place> {
        let one = |location: Location<Reader>| -> Result<Option<Place>> {
            Ok(match location {
                Location::Empty => None,
                Location::Register { register } => Some(Place::Register(register.0)),
                Location::Address { address } => Some(Place::Memory(address)),
                Location::Value { value } => {
                    let bits = match value {
                        gimli::Value::F32(f) => u64::from(f.to_bits()),
                        gimli::Value::F64(f) => f.to_bits(),
                        other => other.to_u64(!0)?,
                    };
                    Some(Place::Value(bits.to_le_bytes().to_vec()))
                }
                Location::Bytes { value } => {
                    Some(Place::Value(gimli::Reader::to_slice(&value)?.into_owned()))
                }
                Location::ImplicitPointer { .. } => None,
            })
        };
        let mut pieces = pieces;
        if pieces.len() == 1 && pieces[0].size_in_bits.is_none() {
            return one(pieces.remove(0).location)?.ok_or_else(optimized_out);
        }
        let mut parts = Vec::new();
        for piece in pieces {
            let bits = piece.size_in_bits.unwrap_or(64);
            if bits % 8 != 0 || piece.bit_offset.unwrap_or(0) != 0 || bits > 1 << 20 {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    "a variable in pieces that are not whole bytes",
                ));
            }
            parts.push((one(piece.location)?, bits / 8));
        }
        if parts.iter().all(|p| p.0.is_none()) {
            return Err(optimized_out());
        }
        Ok(Place::Pieces(parts))
    }
}

pub(crate) fn optimized_out() -> Error {
    Error::new(ErrorKind::OptimizedOut, "the value is optimised out here")
}
