//! Instructions: a zero-copy iterator over bytecode, and the encoder that inverts it.

use std::fmt;

use crate::bytes::{put_u2, put_u4};
use crate::error::{Error, Result};
use crate::opcode::{Flags, Layout, Opcode};

/// A decoded instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction<'a> {
    /// Bytecode offset.
    pub offset: u32,
    /// Size in bytes, prefix and padding included.
    pub size: u32,
    /// What it does; for `wide` instructions the opcode behind the prefix.
    pub opcode: Opcode,
    /// Whether it has the `wide` prefix.
    pub wide: bool,
    /// Its operands.
    pub operand: Operand<'a>,
}

/// The operands of an instruction. Branch targets are absolute offsets inside the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand<'a> {
    /// None.
    None,
    /// The number that `bipush` or `sipush` pushes.
    Immediate(i16),
    /// A local-variable slot in an operand byte. Forms such as `aload_0` have no operand; see
    /// [`Instruction::local`].
    Local(u16),
    /// A constant-pool index.
    Constant(u16),
    /// `iinc`.
    #[allow(missing_docs, reason = "named as in the JVM specification")]
    Increment { local: u16, delta: i16 },
    /// Where a branch goes.
    Branch(u32),
    /// A switch.
    Switch(Switch<'a>),
    /// `invokeinterface`: method and its argument slots.
    #[allow(missing_docs, reason = "named as in the JVM specification")]
    Interface { method: u16, count: u8 },
    /// `newarray`: element-type code, 4 to 11.
    ElementType(u8),
    /// `multianewarray`.
    #[allow(missing_docs, reason = "named as in the JVM specification")]
    MultiArray { class: u16, dimensions: u8 },
}

/// A `tableswitch` or `lookupswitch`, zero-copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Switch<'a> {
    /// Everything behind the opcode, padding first; measured when decoded.
    bytes: &'a [u8],
    offset: u32,
    table: bool,
}

impl<'a> Switch<'a> {
    fn padding(&self) -> usize {
        3 - (self.offset % 4) as usize
    }

    fn target(&self, at: usize) -> u32 {
        self.offset.wrapping_add_signed(word(self.bytes, at))
    }

    fn case_bytes(&self) -> &'a [u8] {
        &self.bytes[self.padding() + if self.table { 12 } else { 8 }..]
    }

    /// Target of every other key.
    pub fn default(&self) -> u32 {
        self.target(self.padding())
    }

    /// Lowest key of a `tableswitch`; `None` for a `lookupswitch`.
    pub fn low(&self) -> Option<i32> {
        self.table.then(|| word(self.bytes, self.padding() + 4))
    }

    /// Number of cases, the default aside.
    pub fn len(&self) -> usize {
        self.case_bytes().len() / if self.table { 4 } else { 8 }
    }

    /// Whether only the default is there.
    pub fn is_empty(&self) -> bool {
        self.case_bytes().is_empty()
    }

    /// Keys and targets, in order.
    pub fn cases(&self) -> impl Iterator<Item = (i32, u32)> + use<'a> {
        let (low, offset) = (self.low(), self.offset);
        let size = if low.is_some() { 4 } else { 8 };
        self.case_bytes().chunks_exact(size).enumerate().map(move |(i, case)| {
            let key = match low {
                Some(low) => low.wrapping_add(i as i32),
                None => word(case, 0),
            };
            (key, offset.wrapping_add_signed(word(case, size - 4)))
        })
    }

    /// All targets: cases in order, then the default.
    pub fn targets(&self) -> impl Iterator<Item = u32> + use<'a> {
        self.cases().map(|(_, target)| target).chain([self.default()])
    }
}

impl fmt::Debug for Switch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.cases())
            .entry(&format_args!("default"), &self.default())
            .finish()
    }
}

fn word(bytes: &[u8], at: usize) -> i32 {
    i32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl<'a> Instruction<'a> {
    /// Decodes the instruction at `offset` of `code`; `base` is where the code stands in the
    /// class file, for messages.
    pub fn decode(code: &'a [u8], offset: u32, base: usize) -> Result<Instruction<'a>> {
        let at = offset as usize;
        let bad = |expected: &str| Error::malformed(base + at, format!("expected {expected}"));
        let rest = code.get(at..).unwrap_or(&[]);
        let byte = |i: usize| {
            rest.get(i).copied().ok_or_else(|| bad("an instruction, but the code ends in it"))
        };
        let short = |i: usize| Ok::<u16, Error>(u16::from_be_bytes([byte(i)?, byte(i + 1)?]));
        let int = |i: usize| match rest.get(i..).and_then(|b| b.first_chunk::<4>()) {
            Some(bytes) => Ok(i32::from_be_bytes(*bytes)),
            None => Err(bad("an instruction, but the code ends in it")),
        };
        let target = |delta: i32| {
            offset
                .checked_add_signed(delta)
                .filter(|target| (*target as usize) < code.len())
                .ok_or_else(|| bad(&format!("a branch target inside the code, found {delta:+}")))
        };
        let first = byte(0)?;
        let opcode =
            Opcode::new(first).ok_or_else(|| bad(&format!("an opcode, found {first:#04x}")))?;
        let layout = opcode.info().layout;
        if layout == Layout::Wide {
            let inner = byte(1)?;
            let inner = Opcode::new(inner)
                .ok_or_else(|| bad(&format!("an opcode after wide, found {inner:#04x}")))?;
            let (size, operand) = match inner.info().layout {
                Layout::Local => (4, Operand::Local(short(2)?)),
                Layout::Increment => {
                    (6, Operand::Increment { local: short(2)?, delta: short(4)? as i16 })
                }
                _ => {
                    return Err(bad(&format!("a local-variable opcode after wide, found {inner}")));
                }
            };
            return Ok(Instruction { offset, size, opcode: inner, wide: true, operand });
        }
        let (size, operand) = match layout {
            Layout::None | Layout::Wide => (1, Operand::None),
            Layout::Byte => (2, Operand::Immediate(i16::from(byte(1)? as i8))),
            Layout::Short => (3, Operand::Immediate(short(1)? as i16)),
            Layout::ConstantByte => (2, Operand::Constant(u16::from(byte(1)?))),
            Layout::Constant => (3, Operand::Constant(short(1)?)),
            Layout::Local => (2, Operand::Local(u16::from(byte(1)?))),
            Layout::Increment => (
                3,
                Operand::Increment { local: u16::from(byte(1)?), delta: i16::from(byte(2)? as i8) },
            ),
            Layout::Branch => (3, Operand::Branch(target(i32::from(short(1)? as i16))?)),
            Layout::WideBranch => (5, Operand::Branch(target(int(1)?)?)),
            Layout::InvokeInterface => {
                if byte(4)? != 0 {
                    return Err(bad("a zero as the last byte of invokeinterface"));
                }
                (5, Operand::Interface { method: short(1)?, count: byte(3)? })
            }
            Layout::InvokeDynamic => {
                if short(3)? != 0 {
                    return Err(bad("zeros as the last two bytes of invokedynamic"));
                }
                (5, Operand::Constant(short(1)?))
            }
            Layout::NewArray => (2, Operand::ElementType(byte(1)?)),
            Layout::MultiArray => {
                (4, Operand::MultiArray { class: short(1)?, dimensions: byte(3)? })
            }
            Layout::TableSwitch | Layout::LookupSwitch => {
                let pad = 3 - at % 4;
                target(int(1 + pad)?)?;
                let table = layout == Layout::TableSwitch;
                let (start, stride, count) = if table {
                    let (low, high) = (int(5 + pad)?, int(9 + pad)?);
                    if low > high {
                        return Err(bad(&format!("an ordered key range, found {low} to {high}")));
                    }
                    (13 + pad, 4, (i64::from(high) - i64::from(low) + 1) as usize)
                } else {
                    let count = int(5 + pad)?;
                    let count = usize::try_from(count)
                        .map_err(|_| bad(&format!("a number of cases, found {count}")))?;
                    (9 + pad, 8, count)
                };
                let end = start.saturating_add(count.saturating_mul(stride));
                let bytes = rest
                    .get(1..end)
                    .ok_or_else(|| bad("switch cases, but the code ends in them"))?;
                let switch = Switch { bytes, offset, table };
                for case in switch.case_bytes().chunks_exact(stride) {
                    target(word(case, stride - 4))?;
                }
                (end as u32, Operand::Switch(switch))
            }
        };
        if size as usize > rest.len() {
            return Err(bad("an instruction, but the code ends in it"));
        }
        Ok(Instruction { offset, size, opcode, wide: false, operand })
    }

    /// Offset of the following instruction.
    pub fn end(&self) -> u32 {
        self.offset + self.size
    }

    /// The local-variable slot read or written, also for `aload_0` and kin.
    pub fn local(&self) -> Option<u16> {
        match self.operand {
            Operand::Local(slot) | Operand::Increment { local: slot, .. } => Some(slot),
            _ => {
                let byte = self.opcode.byte();
                match byte {
                    0x1a..=0x2d => Some(u16::from((byte - 0x1a) & 3)),
                    0x3b..=0x4e => Some(u16::from((byte - 0x3b) & 3)),
                    _ => None,
                }
            }
        }
    }

    /// The constant-pool index in the operands, if there is one.
    pub fn constant(&self) -> Option<u16> {
        match self.operand {
            Operand::Constant(index)
            | Operand::Interface { method: index, .. }
            | Operand::MultiArray { class: index, .. } => Some(index),
            _ => None,
        }
    }

    /// Whether control can reach the next instruction.
    pub fn falls_through(&self) -> bool {
        !self.opcode.is(Flags::STOPS)
    }

    /// The targets of a branch or switch.
    pub fn targets(&self) -> impl Iterator<Item = u32> + use<'a> {
        let (branch, switch) = match self.operand {
            Operand::Branch(target) => (Some(target), None),
            Operand::Switch(switch) => (None, Some(switch)),
            _ => (None, None),
        };
        branch.into_iter().chain(switch.into_iter().flat_map(|s| s.targets()))
    }

    /// Size when placed at `offset`: only switches depend on it, by their padding.
    pub(crate) fn size_at(&self, offset: u32) -> u32 {
        match self.operand {
            Operand::Switch(_) => {
                let old = 3 - self.offset % 4;
                let new = 3 - offset % 4;
                self.size - old + new
            }
            _ => self.size,
        }
    }

    /// Appends the instruction as it reads at `offset`, each branch target replaced by
    /// `relocate(target)`. Fails when a 16-bit branch does not reach.
    pub fn encode(
        &self,
        offset: u32,
        relocate: impl Fn(u32) -> u32,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if self.wide {
            out.push(Opcode::WIDE.byte());
        }
        out.push(self.opcode.byte());
        let jump = |target: u32| relocate(target).wrapping_sub(offset) as i32;
        match self.operand {
            Operand::None => {}
            Operand::Immediate(value) if self.opcode == Opcode::BIPUSH => out.push(value as u8),
            Operand::Immediate(value) => put_u2(out, value as u16),
            Operand::Local(slot) if self.wide => put_u2(out, slot),
            Operand::Local(slot) => out.push(slot as u8),
            Operand::Increment { local, delta } if self.wide => {
                put_u2(out, local);
                put_u2(out, delta as u16);
            }
            Operand::Increment { local, delta } => out.extend([local as u8, delta as u8]),
            Operand::Constant(index) => match self.opcode.info().layout {
                Layout::ConstantByte => out.push(index as u8),
                Layout::InvokeDynamic => {
                    put_u2(out, index);
                    put_u2(out, 0);
                }
                _ => put_u2(out, index),
            },
            Operand::Branch(target) => {
                let delta = jump(target);
                if self.opcode.info().layout == Layout::WideBranch {
                    put_u4(out, delta as u32);
                } else {
                    let delta = i16::try_from(delta).map_err(|_| {
                        Error::edit(format!("a branch of {delta:+} bytes does not fit 16 bits"))
                    })?;
                    put_u2(out, delta as u16);
                }
            }
            Operand::Interface { method, count } => {
                put_u2(out, method);
                out.extend([count, 0]);
            }
            Operand::ElementType(code) => out.push(code),
            Operand::MultiArray { class, dimensions } => {
                put_u2(out, class);
                out.push(dimensions);
            }
            Operand::Switch(switch) => {
                let pad = 3 - (offset % 4) as usize;
                // Padding is usually zero; odd padding survives as long as its length does.
                match switch.padding() == pad {
                    true => out.extend_from_slice(&switch.bytes[..pad]),
                    false => out.extend(std::iter::repeat_n(0, pad)),
                }
                put_u4(out, jump(switch.default()) as u32);
                match switch.low() {
                    Some(low) => {
                        put_u4(out, low as u32);
                        put_u4(out, low.wrapping_add(switch.len() as i32 - 1) as u32);
                    }
                    None => put_u4(out, switch.len() as u32),
                }
                for (key, target) in switch.cases() {
                    if !switch.table {
                        put_u4(out, key as u32);
                    }
                    put_u4(out, jump(target) as u32);
                }
            }
        }
        Ok(())
    }
}

/// Iterator over the instructions of a method; ends after the first error.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    base: usize,
    next: u32,
}

impl<'a> Instructions<'a> {
    /// Instructions of `code`, which stands at `base` of the class file.
    pub fn new(code: &'a [u8], base: usize) -> Instructions<'a> {
        Instructions { code, base, next: 0 }
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next as usize >= self.code.len() {
            return None;
        }
        let item = Instruction::decode(self.code, self.next, self.base);
        self.next = match &item {
            Ok(instruction) => instruction.end(),
            Err(_) => self.code.len() as u32,
        };
        Some(item)
    }
}
