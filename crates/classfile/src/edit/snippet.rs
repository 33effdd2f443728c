//! Sequences of instructions to put into methods.

use crate::attribute::FrameType;
use crate::bytes::put_u2;
use crate::descriptor::Kind;
use crate::error::{Error, Result};
use crate::insn::Instruction;
use crate::opcode::{Flags, Layout, Opcode};

/// A place in the code of one [`CodeEditor`](super::CodeEditor): an original instruction (or the
/// end of the code), or a place in inserted code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Label(pub(super) u32);

/// Labels from here on are in inserted code; smaller ones are original offsets.
pub(super) const FIRST_NEW_LABEL: u32 = 1 << 16;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Op {
    /// An instruction without branch targets, encoded.
    Plain { bytes: [u8; 6], size: u8, stops: bool },
    /// A branch in its 16-bit form.
    Jump(Opcode, Label),
    /// A switch: lowest key for tables, cases, default.
    Switch(Box<SwitchOp>),
    /// Binds a label here.
    Bind(Label),
    /// The stack map here: locals and stack.
    Frame(Box<(Vec<FrameType>, Vec<FrameType>)>),
    /// A source line starts here.
    Line(u16),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SwitchOp {
    pub(super) table: bool,
    pub(super) cases: Vec<(i32, Label)>,
    pub(super) default: Label,
}

/// A sequence of instructions, built call by call.
///
/// Constant indices come from the [`PoolEditor`](super::PoolEditor) of the class being edited;
/// labels from the [`CodeEditor`](super::CodeEditor) the snippet goes into.
///
/// ```
/// use watchword_classfile::{Opcode, Snippet};
///
/// let mut code = Snippet::new();
/// code.int(7).op(Opcode::POP);
/// assert_eq!(code.size(), 3);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Snippet {
    pub(super) ops: Vec<Op>,
}

impl Snippet {
    /// An empty snippet.
    pub fn new() -> Snippet {
        Snippet::default()
    }

    fn plain(&mut self, parts: &[u8]) -> &mut Snippet {
        let mut bytes = [0; 6];
        bytes[..parts.len()].copy_from_slice(parts);
        // Only single-byte instructions and `ret` end a path without naming a target.
        let opcode = Opcode::new(parts[0]).unwrap_or(Opcode::NOP);
        let stops = opcode.is(Flags::STOPS) || parts[..2.min(parts.len())] == [0xc4, 0xa9];
        self.ops.push(Op::Plain { bytes, size: parts.len() as u8, stops });
        self
    }

    /// An instruction without operands.
    ///
    /// # Panics
    /// If the opcode needs operands, which is a mistake in the calling code.
    pub fn op(&mut self, opcode: Opcode) -> &mut Snippet {
        assert_eq!(opcode.info().layout, Layout::None, "{opcode} needs operands");
        self.plain(&[opcode.byte()])
    }

    /// An instruction with a 16-bit constant index: fields, calls, `new`, `checkcast`,
    /// `instanceof`, `anewarray`, `ldc_w`, `ldc2_w`, `invokedynamic`.
    ///
    /// # Panics
    /// If the opcode has another operand layout, which is a mistake in the calling code. Interface
    /// calls need a slot count: [`invoke_interface`](Snippet::invoke_interface).
    pub fn with_constant(&mut self, opcode: Opcode, index: u16) -> &mut Snippet {
        let [high, low] = index.to_be_bytes();
        match opcode.info().layout {
            Layout::Constant => self.plain(&[opcode.byte(), high, low]),
            Layout::InvokeDynamic => self.plain(&[opcode.byte(), high, low, 0, 0]),
            layout => panic!("{opcode} has operand layout {layout:?}"),
        }
    }

    /// `invokeinterface`; `parameter_slots` does not count the receiver and is at most 254.
    pub fn invoke_interface(&mut self, index: u16, parameter_slots: u8) -> &mut Snippet {
        let [high, low] = index.to_be_bytes();
        let slots = parameter_slots.saturating_add(1);
        self.plain(&[Opcode::INVOKEINTERFACE.byte(), high, low, slots, 0])
    }

    /// `newarray` with an element-type code: 4 `boolean`, 5 `char`, 6 `float`, 7 `double`,
    /// 8 `byte`, 9 `short`, 10 `int`, 11 `long`.
    pub fn new_array(&mut self, element_type: u8) -> &mut Snippet {
        self.plain(&[Opcode::NEWARRAY.byte(), element_type])
    }

    /// `iinc` of a local variable.
    pub fn increment(&mut self, slot: u16, delta: i16) -> &mut Snippet {
        match (u8::try_from(slot), i8::try_from(delta)) {
            (Ok(slot), Ok(delta)) => self.plain(&[Opcode::IINC.byte(), slot, delta as u8]),
            _ => {
                let ([s1, s2], [d1, d2]) = (slot.to_be_bytes(), delta.to_be_bytes());
                self.plain(&[Opcode::WIDE.byte(), Opcode::IINC.byte(), s1, s2, d1, d2])
            }
        }
    }

    /// A copy of an instruction. One with branch targets is an error: targets are labels here.
    pub fn copy(&mut self, instruction: &Instruction<'_>) -> Result<&mut Snippet> {
        if instruction.targets().next().is_some() {
            return Err(Error::edit(format!("{} cannot be copied", instruction.opcode)));
        }
        let mut bytes = Vec::with_capacity(6);
        instruction.encode(0, |target| target, &mut bytes)?;
        Ok(self.plain(&bytes))
    }

    /// Loads a one-slot constant (`int`, `float`, string, class …) by pool index.
    pub fn load_constant(&mut self, index: u16) -> &mut Snippet {
        match u8::try_from(index) {
            Ok(byte) => self.plain(&[Opcode::LDC.byte(), byte]),
            Err(_) => self.with_constant(Opcode::LDC_W, index),
        }
    }

    /// Pushes an `int` that needs no constant: −32768 to 32767.
    pub fn int(&mut self, value: i16) -> &mut Snippet {
        match value {
            -1..=5 => self.plain(&[(3 + value) as u8]),
            -128..=127 => self.plain(&[Opcode::BIPUSH.byte(), value as u8]),
            _ => {
                let [high, low] = value.to_be_bytes();
                self.plain(&[Opcode::SIPUSH.byte(), high, low])
            }
        }
    }

    fn local(&mut self, long: Opcode, short: Opcode, kind: Kind, slot: u16) -> &mut Snippet {
        let row = match kind {
            Kind::Int => 0,
            Kind::Long => 1,
            Kind::Float => 2,
            Kind::Double => 3,
            Kind::Reference | Kind::Address => 4,
        };
        let opcode = long.byte() + row;
        match slot {
            0..=3 => self.plain(&[short.byte() + 4 * row + slot as u8]),
            4..=255 => self.plain(&[opcode, slot as u8]),
            _ => {
                let [high, low] = slot.to_be_bytes();
                self.plain(&[Opcode::WIDE.byte(), opcode, high, low])
            }
        }
    }

    /// Pushes a local variable, in the shortest form.
    pub fn load(&mut self, kind: Kind, slot: u16) -> &mut Snippet {
        self.local(Opcode::ILOAD, Opcode::ILOAD_0, kind, slot)
    }

    /// Pops into a local variable, in the shortest form.
    pub fn store(&mut self, kind: Kind, slot: u16) -> &mut Snippet {
        self.local(Opcode::ISTORE, Opcode::ISTORE_0, kind, slot)
    }

    /// Pops a value of this kind.
    pub fn pop(&mut self, kind: Kind) -> &mut Snippet {
        self.op(if kind.slots() == 2 { Opcode::POP2 } else { Opcode::POP })
    }

    /// Returns a value of this kind, or nothing.
    pub fn ret(&mut self, kind: Option<Kind>) -> &mut Snippet {
        self.op(match kind {
            None => Opcode::RETURN,
            Some(Kind::Int) => Opcode::IRETURN,
            Some(Kind::Long) => Opcode::LRETURN,
            Some(Kind::Float) => Opcode::FRETURN,
            Some(Kind::Double) => Opcode::DRETURN,
            Some(Kind::Reference | Kind::Address) => Opcode::ARETURN,
        })
    }

    /// A branch; 32-bit forms are chosen when needed.
    ///
    /// # Panics
    /// If the opcode is not a branch, which is a mistake in the calling code.
    pub fn jump(&mut self, opcode: Opcode, target: Label) -> &mut Snippet {
        let opcode = match opcode {
            Opcode::GOTO_W => Opcode::GOTO,
            Opcode::JSR_W => Opcode::JSR,
            other => other,
        };
        assert!(opcode.is(Flags::BRANCH), "{opcode} is not a branch");
        self.ops.push(Op::Jump(opcode, target));
        self
    }

    /// A switch over sorted keys; a table when they are dense. Fails when keys are not ascending.
    pub fn switch(&mut self, cases: &[(i32, Label)], default: Label) -> Result<&mut Snippet> {
        if cases.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return Err(Error::edit("switch keys are not in ascending order"));
        }
        let dense = cases.windows(2).all(|pair| i64::from(pair[1].0) - i64::from(pair[0].0) == 1);
        let switch = SwitchOp { table: dense && !cases.is_empty(), cases: cases.to_vec(), default };
        self.ops.push(Op::Switch(Box::new(switch)));
        Ok(self)
    }

    /// Binds `label` to this place.
    pub fn bind(&mut self, label: Label) -> &mut Snippet {
        self.ops.push(Op::Bind(label));
        self
    }

    /// Declares the types here, as code that is reached by a branch or an exception needs it.
    /// `Uninitialized` names the original offset of the `new`.
    pub fn frame(&mut self, locals: Vec<FrameType>, stack: Vec<FrameType>) -> &mut Snippet {
        self.ops.push(Op::Frame(Box::new((locals, stack))));
        self
    }

    /// Declares that source line `line` starts here.
    pub fn line(&mut self, line: u16) -> &mut Snippet {
        self.ops.push(Op::Line(line));
        self
    }

    /// Appends another snippet.
    pub fn append(&mut self, other: &Snippet) -> &mut Snippet {
        self.ops.extend_from_slice(&other.ops);
        self
    }

    /// Bytes the instructions take when no branch needs widening and switches need no padding.
    pub fn size(&self) -> usize {
        self.ops.iter().map(|op| op.size(3, false) as usize).sum()
    }

    /// Whether there are no instructions (there may be labels).
    pub fn is_empty(&self) -> bool {
        !self.ops.iter().any(Op::is_instruction)
    }
}

impl Op {
    pub(super) fn is_instruction(&self) -> bool {
        matches!(self, Op::Plain { .. } | Op::Jump(..) | Op::Switch(_))
    }

    /// Size at `offset`; `wide` for branches in their 32-bit form.
    pub(super) fn size(&self, offset: u32, wide: bool) -> u32 {
        match self {
            Op::Plain { size, .. } => u32::from(*size),
            Op::Jump(opcode, _) => jump_size(*opcode, wide),
            Op::Switch(switch) => {
                let head = 1 + 3 - offset % 4;
                let count = switch.cases.len() as u32;
                head + if switch.table { 12 + 4 * count } else { 8 + 8 * count }
            }
            Op::Bind(_) | Op::Frame(_) | Op::Line(_) => 0,
        }
    }

    /// Appends the instruction as it reads at `offset`.
    pub(super) fn encode(
        &self,
        offset: u32,
        target: impl Fn(Label) -> Result<u32>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self {
            Op::Plain { bytes, size, .. } => out.extend_from_slice(&bytes[..usize::from(*size)]),
            Op::Switch(switch) => {
                let delta = |label| Ok::<u32, Error>(target(label)?.wrapping_sub(offset));
                let opcode = if switch.table { Opcode::TABLESWITCH } else { Opcode::LOOKUPSWITCH };
                out.push(opcode.byte());
                out.extend(std::iter::repeat_n(0, 3 - (offset % 4) as usize));
                out.extend(delta(switch.default)?.to_be_bytes());
                match (switch.table, switch.cases.first(), switch.cases.last()) {
                    (true, Some((low, _)), Some((high, _))) => {
                        out.extend(low.to_be_bytes());
                        out.extend(high.to_be_bytes());
                    }
                    _ => out.extend((switch.cases.len() as u32).to_be_bytes()),
                }
                for (key, label) in &switch.cases {
                    if !switch.table {
                        out.extend(key.to_be_bytes());
                    }
                    out.extend(delta(*label)?.to_be_bytes());
                }
            }
            // Branches have two forms and are written by `encode_jump`.
            Op::Jump(..) | Op::Bind(_) | Op::Frame(_) | Op::Line(_) => {}
        }
        Ok(())
    }
}

/// Size of a branch in its 16-bit or 32-bit form.
pub(super) fn jump_size(opcode: Opcode, wide: bool) -> u32 {
    match (wide, opcode.is(Flags::CONDITIONAL)) {
        (false, _) => 3,
        (true, false) => 5,
        (true, true) => 8,
    }
}

/// Writes a branch. The wide form of a conditional one is the opposite condition around a
/// `goto_w`.
pub(super) fn encode_jump(opcode: Opcode, wide: bool, delta: i32, out: &mut Vec<u8>) -> Result<()> {
    if !wide {
        let delta = i16::try_from(delta)
            .map_err(|_| Error::edit(format!("a branch of {delta:+} bytes was not widened")))?;
        out.push(opcode.byte());
        put_u2(out, delta as u16);
        return Ok(());
    }
    let (long, delta) = match opcode.inverted() {
        Some(inverse) => {
            out.extend([inverse.byte(), 0, 8]);
            (Opcode::GOTO_W, delta - 3)
        }
        None if opcode == Opcode::JSR => (Opcode::JSR_W, delta),
        None => (Opcode::GOTO_W, delta),
    };
    out.push(long.byte());
    out.extend(delta.to_be_bytes());
    Ok(())
}
