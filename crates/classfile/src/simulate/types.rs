//! Verification types, as the JVM's type checker computes them between frames.

use std::borrow::Cow;
use std::fmt;

use super::{Slot, effect, shuffle, stack_error};
use crate::attribute::{Frame, FrameKind, FrameType};
use crate::class::{Member, access};
use crate::descriptor::{FieldType, Kind, MethodDescriptor};
use crate::edit::PoolEditor;
use crate::error::{Error, Result};
use crate::insn::{Instruction, Instructions, Operand};
use crate::jstr::JStr;
use crate::opcode::{Flags, Opcode};
use crate::pool::{Constant, Constants};

/// A verification type, its class spelt out.
#[derive(Clone, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the JVM specification")]
pub enum VType<'p> {
    /// No usable value. The second slot of a `Long` or `Double` local is `Top` as well.
    Top,
    Int,
    Float,
    Long,
    Double,
    Null,
    /// `this` in a constructor, before the other constructor has been called.
    UninitializedThis,
    /// The result of the `new` at this offset, before its constructor has been called.
    Uninitialized(u32),
    /// Internal name or array descriptor, as raw modified UTF-8.
    Object(Cow<'p, [u8]>),
}

impl<'p> VType<'p> {
    fn object(name: JStr<'p>) -> VType<'p> {
        VType::Object(Cow::Borrowed(name.as_bytes()))
    }

    fn of_kind(kind: Kind) -> VType<'p> {
        match kind {
            Kind::Int => VType::Int,
            Kind::Long => VType::Long,
            Kind::Float => VType::Float,
            Kind::Double => VType::Double,
            // Return addresses do not occur where frames do.
            Kind::Reference | Kind::Address => VType::Top,
        }
    }

    /// The type of a value with this field type.
    pub fn of_field(field: FieldType<'p>) -> VType<'p> {
        match field.class_name() {
            Some(name) => VType::object(name),
            None => VType::of_kind(field.kind()),
        }
    }

    /// How the JVM computes with the value; `None` for `Top`.
    pub fn kind(&self) -> Option<Kind> {
        Some(match self {
            VType::Top => return None,
            VType::Int => Kind::Int,
            VType::Float => Kind::Float,
            VType::Long => Kind::Long,
            VType::Double => Kind::Double,
            _ => Kind::Reference,
        })
    }

    /// Whether it is an object whose constructor has not run.
    pub fn is_uninitialized(&self) -> bool {
        matches!(self, VType::UninitializedThis | VType::Uninitialized(_))
    }

    fn of_frame<'q: 'p>(frame: FrameType, pool: &impl Constants<'q>) -> Result<VType<'p>> {
        Ok(match frame {
            FrameType::Top => VType::Top,
            FrameType::Integer => VType::Int,
            FrameType::Float => VType::Float,
            FrameType::Double => VType::Double,
            FrameType::Long => VType::Long,
            FrameType::Null => VType::Null,
            FrameType::UninitializedThis => VType::UninitializedThis,
            FrameType::Object(class) => VType::object(pool.class_name(class)?),
            FrameType::Uninitialized(offset) => VType::Uninitialized(offset.into()),
        })
    }

    /// The type as a stack map stores it; classes become constants.
    pub fn to_frame(&self, pool: &mut PoolEditor<'_>) -> Result<FrameType> {
        Ok(match self {
            VType::Top => FrameType::Top,
            VType::Int => FrameType::Integer,
            VType::Float => FrameType::Float,
            VType::Long => FrameType::Long,
            VType::Double => FrameType::Double,
            VType::Null => FrameType::Null,
            VType::UninitializedThis => FrameType::UninitializedThis,
            VType::Uninitialized(offset) => FrameType::Uninitialized(*offset as u16),
            VType::Object(name) => FrameType::Object(pool.class_bytes(JStr::new(name))?),
        })
    }

    /// The same type, owning its name.
    pub fn into_owned(self) -> VType<'static> {
        match self {
            VType::Top => VType::Top,
            VType::Int => VType::Int,
            VType::Float => VType::Float,
            VType::Long => VType::Long,
            VType::Double => VType::Double,
            VType::Null => VType::Null,
            VType::UninitializedThis => VType::UninitializedThis,
            VType::Uninitialized(offset) => VType::Uninitialized(offset),
            VType::Object(name) => VType::Object(Cow::Owned(name.into_owned())),
        }
    }
}

impl fmt::Debug for VType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VType::Top => f.write_str("top"),
            VType::Int => f.write_str("int"),
            VType::Float => f.write_str("float"),
            VType::Long => f.write_str("long"),
            VType::Double => f.write_str("double"),
            VType::Null => f.write_str("null"),
            VType::UninitializedThis => f.write_str("uninitializedThis"),
            VType::Uninitialized(offset) => write!(f, "uninitialized({offset})"),
            VType::Object(name) => write!(f, "{}", JStr::new(name)),
        }
    }
}

impl Slot for VType<'_> {
    fn is_wide(&self) -> bool {
        matches!(self, VType::Long | VType::Double)
    }
}

/// Types of the locals (one entry per slot) and of the stack (one entry per value, deepest first).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TypeState<'p> {
    /// By slot; missing ones are `Top`.
    pub locals: Vec<VType<'p>>,
    /// Deepest first.
    pub stack: Vec<VType<'p>>,
}

impl<'p> TypeState<'p> {
    /// The local in `slot`.
    pub fn local(&self, slot: u16) -> &VType<'p> {
        self.locals.get(usize::from(slot)).unwrap_or(&VType::Top)
    }

    fn store(&mut self, slot: u16, value: VType<'p>) {
        let slot = usize::from(slot);
        let wide = value.is_wide();
        let needed = slot + if wide { 2 } else { 1 };
        if self.locals.len() < needed {
            self.locals.resize(needed, VType::Top);
        }
        // Writing the second half of a wide local destroys it, and so does its first half.
        if slot > 0 && self.locals[slot - 1].is_wide() {
            self.locals[slot - 1] = VType::Top;
        }
        if wide {
            if self.locals[slot + 1].is_wide() {
                self.locals[slot + 2] = VType::Top;
            }
            self.locals[slot + 1] = VType::Top;
        } else if self.locals[slot].is_wide() {
            self.locals[slot + 1] = VType::Top;
        }
        self.locals[slot] = value;
    }

    /// The state as a full stack-map frame.
    pub fn to_frame(&self, pool: &mut PoolEditor<'_>) -> Result<FrameKind> {
        let used = self.locals.iter().rposition(|v| *v != VType::Top).map_or(0, |last| last + 1);
        let (mut locals, mut slot) = (Vec::new(), 0);
        while slot < used {
            let value = &self.locals[slot];
            locals.push(value.to_frame(pool)?);
            slot += if value.is_wide() { 2 } else { 1 };
        }
        let stack = self.stack.iter().map(|v| v.to_frame(pool)).collect::<Result<_>>()?;
        Ok(FrameKind::Full { locals, stack })
    }

    /// Replaces every occurrence of an uninitialised object once its constructor has run.
    fn initialize(&mut self, object: &VType<'p>, class: &VType<'p>) {
        for value in self.locals.iter_mut().chain(&mut self.stack) {
            if value == object {
                *value = class.clone();
            }
        }
    }

    /// The same state, owning its names.
    pub fn into_owned(self) -> TypeState<'static> {
        TypeState {
            locals: self.locals.into_iter().map(VType::into_owned).collect(),
            stack: self.stack.into_iter().map(VType::into_owned).collect(),
        }
    }
}

/// What the type checker must know about the method around the code.
#[derive(Clone, Copy, Debug)]
pub struct MethodContext<'p> {
    /// Internal name of the class.
    pub class: JStr<'p>,
    /// Method name.
    pub name: JStr<'p>,
    /// Method descriptor.
    pub descriptor: JStr<'p>,
    /// Access flags of the method.
    pub access: u16,
}

impl<'p> MethodContext<'p> {
    /// The context of a method of a parsed class.
    pub fn of(method: Member<'_, 'p>) -> Result<MethodContext<'p>> {
        Ok(MethodContext {
            class: method.class().name()?,
            name: method.name()?,
            descriptor: method.descriptor()?,
            access: method.access(),
        })
    }

    /// The types on entry: receiver and parameters.
    pub fn entry(&self) -> Result<TypeState<'p>> {
        let mut state = TypeState::default();
        let mut slot = 0;
        if self.access & access::STATIC == 0 {
            let constructor = self.name == "<init>" && self.class != "java/lang/Object";
            let this = match constructor {
                true => VType::UninitializedThis,
                false => VType::object(self.class),
            };
            state.store(0, this);
            slot = 1;
        }
        for parameter in MethodDescriptor::parse(self.descriptor)?.parameters() {
            let value = VType::of_field(parameter);
            let slots = parameter.slots();
            state.store(slot, value);
            slot += slots;
        }
        Ok(state)
    }
}

/// Makes frames absolute: what each says about all locals, whatever form it is stored in.
pub(crate) struct FrameDecoder {
    locals: Vec<FrameType>,
}

impl FrameDecoder {
    pub(crate) fn new(entry: Vec<FrameType>) -> FrameDecoder {
        FrameDecoder { locals: entry }
    }

    /// Locals and stack of the next frame in order.
    pub(crate) fn next(&mut self, frame: &Frame) -> Result<(&[FrameType], Vec<FrameType>)> {
        let mut on_stack = Vec::new();
        match &frame.kind {
            FrameKind::Same => {}
            FrameKind::SameLocals1(value) => on_stack.push(*value),
            FrameKind::Chop(count) => {
                let left = self.locals.len().checked_sub(usize::from(*count)).ok_or_else(|| {
                    Error::malformed_value("expected a stack-map frame that chops existing locals")
                })?;
                self.locals.truncate(left);
            }
            FrameKind::Append(types) => self.locals.extend_from_slice(types),
            FrameKind::Full { locals, stack } => {
                self.locals.clone_from(locals);
                on_stack.clone_from(stack);
            }
        }
        if self.locals.len() > 0xffff {
            return Err(Error::limit("a stack-map frame of over 65535 locals"));
        }
        Ok((&self.locals, on_stack))
    }
}

/// Walks the instructions of a method with the types before each of them.
pub struct Types<'p, P> {
    instructions: Instructions<'p>,
    base: usize,
    frames: std::iter::Peekable<std::vec::IntoIter<Frame>>,
    /// Locals of the last frame passed, one entry per value.
    frame_locals: Vec<VType<'p>>,
    context: MethodContext<'p>,
    pool: P,
    state: TypeState<'p>,
    /// Whether `state` holds for the next instruction.
    live: bool,
    previous: Option<Instruction<'p>>,
}

impl<'p, P: Constants<'p>> Types<'p, P> {
    /// A walk over `bytecode` (at `base` of the class file) with its stack-map frames.
    pub fn new(
        bytecode: &'p [u8],
        base: usize,
        frames: Vec<Frame>,
        context: MethodContext<'p>,
        pool: P,
    ) -> Result<Types<'p, P>> {
        let state = context.entry()?;
        let mut frame_locals = Vec::new();
        let mut slot = 0;
        while slot < state.locals.len() {
            frame_locals.push(state.locals[slot].clone());
            slot += if state.locals[slot].is_wide() { 2 } else { 1 };
        }
        Ok(Types {
            instructions: Instructions::new(bytecode, base),
            base,
            frames: frames.into_iter().peekable(),
            frame_locals,
            context,
            pool,
            state,
            live: true,
            previous: None,
        })
    }

    /// The next instruction, and the types before it; `None` types mean that no path reaches it
    /// (code that a current JVM would refuse).
    pub fn advance(&mut self) -> Result<Option<(Instruction<'p>, Option<&TypeState<'p>>)>> {
        if let Some(previous) = self.previous.take() {
            if self.live {
                self.step(&previous)?;
            }
            self.live &= previous.falls_through();
        }
        let Some(instruction) = self.instructions.next().transpose()? else { return Ok(None) };
        if let Some(frame) = self.frames.next_if(|frame| frame.offset == instruction.offset) {
            self.enter(&frame)?;
            self.live = true;
        } else if let Some(frame) = self.frames.peek()
            && frame.offset < instruction.offset
        {
            return Err(Error::malformed(
                self.base + frame.offset as usize,
                "expected a stack-map frame at the start of an instruction",
            ));
        }
        self.previous = Some(instruction);
        Ok(Some((instruction, self.live.then_some(&self.state))))
    }

    /// Declares that the next instruction is reached with `state`, although nothing falls through
    /// to it.
    pub(crate) fn resume(&mut self, state: TypeState<'p>) {
        self.previous = None;
        self.state = state;
        self.live = true;
    }

    /// The types after the instruction last returned, if control falls through.
    pub(crate) fn after(&mut self) -> Result<Option<TypeState<'p>>> {
        let Some(previous) = self.previous.filter(|_| self.live) else { return Ok(None) };
        let before = self.state.clone();
        self.step(&previous)?;
        Ok(Some(std::mem::replace(&mut self.state, before)))
    }

    fn enter(&mut self, frame: &Frame) -> Result<()> {
        let pool = &self.pool;
        let convert = |types: &[FrameType]| {
            types.iter().map(|t| VType::of_frame(*t, pool)).collect::<Result<Vec<_>>>()
        };
        self.state.stack.clear();
        match &frame.kind {
            FrameKind::Same => {}
            FrameKind::SameLocals1(value) => {
                self.state.stack.push(VType::of_frame(*value, pool)?);
            }
            FrameKind::Chop(count) => {
                let left = self.frame_locals.len().saturating_sub((*count).into());
                self.frame_locals.truncate(left);
            }
            FrameKind::Append(types) => self.frame_locals.extend(convert(types)?),
            FrameKind::Full { locals, stack } => {
                self.frame_locals = convert(locals)?;
                self.state.stack = convert(stack)?;
            }
        }
        if self.frame_locals.len() > 0xffff {
            return Err(Error::limit("a stack-map frame of over 65535 locals"));
        }
        self.state.locals.clear();
        for value in &self.frame_locals {
            let wide = value.is_wide();
            self.state.locals.push(value.clone());
            if wide {
                self.state.locals.push(VType::Top);
            }
        }
        Ok(())
    }

    fn step(&mut self, instruction: &Instruction<'p>) -> Result<()> {
        let base = self.base;
        let wrong = || stack_error(instruction, base);
        let opcode = instruction.opcode;
        if opcode.is(Flags::SUBROUTINE) {
            return Err(Error::unsupported("subroutines (jsr, ret)"));
        }
        if opcode.is(Flags::SHUFFLE) {
            return shuffle(opcode, &mut self.state.stack).ok_or_else(wrong);
        }
        let effect = effect(instruction, &self.pool)?;
        let rest = self.state.stack.len().checked_sub(effect.pops.len()).ok_or_else(wrong)?;
        let popped = self.state.stack.split_off(rest);
        if popped.iter().zip(&effect.pops).any(|(value, kind)| value.kind() != Some(*kind)) {
            return Err(wrong());
        }
        if opcode.is(Flags::STORE)
            && let (Some(slot), Some(value)) = (instruction.local(), popped.last())
        {
            self.state.store(slot, value.clone());
            return Ok(());
        }
        if opcode == Opcode::INVOKESPECIAL {
            self.construct(instruction, &popped)?;
        }
        if let Some(kind) = effect.push {
            let value = match kind {
                Kind::Reference => self.reference(instruction, &popped)?,
                _ => VType::of_kind(kind),
            };
            self.state.stack.push(value);
        }
        Ok(())
    }

    /// A constructor call initialises its receiver.
    fn construct(&mut self, instruction: &Instruction<'p>, popped: &[VType<'p>]) -> Result<()> {
        let member = self.pool.member(instruction.constant().unwrap_or(0))?;
        let Some(receiver) = popped.first().filter(|_| member.name == "<init>") else {
            return Ok(());
        };
        match receiver {
            VType::UninitializedThis => {
                let class = VType::object(self.context.class);
                self.state.initialize(&VType::UninitializedThis, &class);
            }
            VType::Uninitialized(_) => {
                self.state.initialize(receiver, &VType::object(member.class));
            }
            _ => return Err(stack_error(instruction, self.base)),
        }
        Ok(())
    }

    /// The reference an instruction pushes.
    fn reference(&self, instruction: &Instruction<'p>, popped: &[VType<'p>]) -> Result<VType<'p>> {
        let pool = &self.pool;
        let named = |name: &'static str| VType::Object(Cow::Borrowed(name.as_bytes()));
        let constant = instruction.constant().unwrap_or(0);
        let opcode = instruction.opcode;
        if opcode.is(Flags::LOAD) {
            return Ok(self.state.local(instruction.local().unwrap_or(0)).clone());
        }
        if opcode.is(Flags::INVOKE) {
            let (_, descriptor) = pool.invoked(constant)?;
            let result = MethodDescriptor::parse(descriptor)?.result();
            return Ok(result.map_or(VType::Top, VType::of_field));
        }
        Ok(match opcode {
            Opcode::ACONST_NULL => VType::Null,
            Opcode::LDC | Opcode::LDC_W => match pool.constant(constant)? {
                Constant::String { .. } => named("java/lang/String"),
                Constant::Class { .. } => named("java/lang/Class"),
                Constant::MethodHandle { .. } => named("java/lang/invoke/MethodHandle"),
                Constant::MethodType { .. } => named("java/lang/invoke/MethodType"),
                _ => VType::of_field(FieldType::parse(pool.dynamic(constant)?.2)?),
            },
            Opcode::AALOAD => match popped.first() {
                Some(VType::Object(array)) => {
                    element(array).ok_or_else(|| stack_error(instruction, self.base))?
                }
                _ => VType::Null,
            },
            Opcode::GETFIELD | Opcode::GETSTATIC => {
                VType::of_field(FieldType::parse(pool.member(constant)?.descriptor)?)
            }
            Opcode::NEW => VType::Uninitialized(instruction.offset),
            Opcode::NEWARRAY => {
                let Operand::ElementType(code @ 4..=11) = instruction.operand else {
                    return Err(Error::malformed(
                        self.base + instruction.offset as usize,
                        "expected an element-type code from 4 to 11",
                    ));
                };
                named(["[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"][usize::from(code) - 4])
            }
            Opcode::ANEWARRAY => {
                let name = pool.class_name(constant)?.as_bytes();
                VType::Object(Cow::Owned(match name.first() {
                    Some(b'[') => [b"[", name].concat(),
                    _ => [b"[L", name, b";"].concat(),
                }))
            }
            // `checkcast`, `multianewarray`
            _ => VType::object(pool.class_name(constant)?),
        })
    }
}

/// Element type of a reference array, by the array's descriptor.
fn element<'p>(array: &Cow<'p, [u8]>) -> Option<VType<'p>> {
    fn strip(array: &[u8]) -> Option<&[u8]> {
        match array {
            [b'[', b'L', name @ .., b';'] => Some(name),
            [b'[', inner @ ..] if inner.first() == Some(&b'[') => Some(inner),
            _ => None,
        }
    }
    Some(VType::Object(match array {
        Cow::Borrowed(array) => Cow::Borrowed(strip(array)?),
        Cow::Owned(array) => Cow::Owned(strip(array)?.to_vec()),
    }))
}
