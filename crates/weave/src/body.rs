//! A method's code, and what is known about it before anything runs.

use std::cell::OnceCell;
use std::collections::HashSet;

use watchword_classfile::cfg::{BlockId, Loops};
use watchword_classfile::simulate::{MethodContext, Types, VType};
use watchword_classfile::{
    Cfg, ClassFile, Code, Constants, FieldType, Flags, Instruction, JStr, LineNumber,
    LocalVariable, Member, MethodDescriptor, Opcode, Operand, Result, access,
};

use crate::site::Place;
use crate::states::{State, States, keeps_locals};
use crate::target::Target;

/// What a method that was made for a method reference stands for.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Where the reference is.
    pub place: Place,
    /// The offset of the call that the method makes for it.
    pub call: u32,
    /// The method, as a call in place of the reference would name it.
    pub target: Target,
}

/// Types are computed for methods up to this size, in instructions times locals.
const MAX_TYPED: usize = 1 << 22;

/// A method with code.
pub struct Body<'c, 'a> {
    /// The method.
    pub member: Member<'c, 'a>,
    /// Its code.
    pub code: Code<'a>,
    /// The instructions.
    pub instructions: Vec<Instruction<'a>>,
    /// Internal name of the class.
    pub class: String,
    /// The method's name.
    pub name: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// Slots and descriptors of the parameters, the receiver not included.
    pub params: Vec<(u16, String)>,
    /// Slots that some instruction writes.
    written: Vec<bool>,
    lines: Vec<LineNumber>,
    locals: Vec<LocalVariable>,
    /// What it stands for, if it was made for a method reference.
    pub origin: Option<Origin>,
    file: Option<String>,
    /// The types before each instruction that can be reached.
    states: OnceCell<Option<States<'a>>>,
    reached: OnceCell<Option<Vec<bool>>>,
    graph: OnceCell<Option<(Cfg<'a>, Loops)>>,
}

impl<'c, 'a> Body<'c, 'a> {
    /// The body of a method, if it has one.
    pub fn of(member: Member<'c, 'a>, origin: Option<Origin>) -> Result<Option<Body<'c, 'a>>> {
        let class = member.class();
        let Some(code) = member.code()? else { return Ok(None) };
        let instructions = code.instructions().collect::<Result<Vec<_>>>()?;
        let descriptor = member.descriptor()?;
        let mut slot = u16::from(!member.has_access(access::STATIC));
        let mut params = Vec::new();
        for parameter in MethodDescriptor::parse(descriptor)?.parameters() {
            params.push((slot, parameter.descriptor().to_str().into_owned()));
            slot += parameter.slots();
        }
        let mut written = vec![false; usize::from(slot)];
        for instruction in &instructions {
            let Some(local) = instruction.local().filter(|_| instruction.opcode.is(Flags::STORE))
            else {
                continue;
            };
            let local = usize::from(local);
            let (pops, _) = instruction.opcode.static_effect().unwrap_or((1, 0));
            for slot in local..local + usize::from(pops.max(1)) {
                if let Some(written) = written.get_mut(slot) {
                    *written = true;
                }
            }
        }
        // An increment keeps the type but not the value.
        for instruction in &instructions {
            if let Operand::Increment { local, .. } = instruction.operand
                && let Some(written) = written.get_mut(usize::from(local))
            {
                *written = true;
            }
        }
        Ok(Some(Body {
            lines: code.line_numbers(class.pool())?,
            locals: code.local_variables(class.pool())?,
            class: class.name()?.to_str().into_owned(),
            name: member.name()?.to_str().into_owned(),
            descriptor: descriptor.to_str().into_owned(),
            file: class.source_file()?.map(|f| f.to_str().into_owned()),
            member,
            code,
            instructions,
            params,
            written,
            origin,
            states: OnceCell::new(),
            reached: OnceCell::new(),
            graph: OnceCell::new(),
        }))
    }

    /// The class around it.
    pub fn file(&self) -> &'c ClassFile<'a> {
        self.member.class()
    }

    /// Whether it has no receiver.
    pub fn is_static(&self) -> bool {
        self.member.has_access(access::STATIC)
    }

    /// Whether it is a constructor.
    pub fn is_constructor(&self) -> bool {
        self.name == "<init>"
    }

    /// Whether no instruction writes a parameter (or `this`).
    fn is_untouched(&self, slot: u16, descriptor: &str) -> bool {
        let slots = if matches!(descriptor, "J" | "D") { 2 } else { 1 };
        (slot..slot + slots).all(|slot| !self.written.get(usize::from(slot)).unwrap_or(&true))
    }

    /// Whether a parameter (or `this`, from the point on where it is an object) can be read
    /// everywhere in the method with the value it had on entry. Optimisers reuse its slot, or leave it
    /// out of stack-map frames from which on it is not used any more.
    pub fn keeps(&self, slot: u16, descriptor: &str) -> bool {
        if !self.is_untouched(slot, descriptor) {
            return false;
        }
        // Without frames, paths do not meet, or the JVM infers the types where they do.
        if matches!(self.code.stack_map(self.file().pool()), Ok(None)) {
            return true;
        }
        let Some(states) = self.states() else { return false };
        let Ok(field) = FieldType::parse(JStr::new(descriptor.as_bytes())) else { return false };
        let declared = VType::of_field(field);
        states.iter().all(|state| {
            let is_unborn = self.is_constructor() && state.has_unfinished();
            is_unborn || *state.local(slot) == declared
        })
    }

    /// Whether the JVM infers the types at the handlers of this method. There it merges what a slot has held
    /// anywhere below, and loads both classes to find the one above them, which may be missing and not
    /// matter to the program.
    pub fn merges_types(&self) -> bool {
        let has_table =
            || self.code.stack_map(self.file().pool()).is_ok_and(|table| table.is_some());
        let infers = match self.file().major {
            ..50 => true,
            50 => !has_table(),
            _ => false,
        };
        infers && !self.code.exception_table.is_empty()
    }

    /// Whether `this` can be read when an exception leaves the method, or with every exit of it.
    pub fn has_this_throughout(&self) -> bool {
        let has = !self.is_static() && self.origin.is_none();
        has && (self.can_pin_this() || self.keeps(0, &self.own_type()))
    }

    /// Whether `this` is an object from the first instruction on: then it can be put aside there.
    pub fn can_pin_this(&self) -> bool {
        !self.is_constructor() || self.class == "java/lang/Object"
    }

    /// The descriptor of the class.
    pub fn own_type(&self) -> String {
        format!("L{};", self.class)
    }

    /// The place of an instruction, as users know it.
    pub fn place(&self, offset: u32) -> Place {
        if let Some(origin) = &self.origin {
            return origin.place.clone();
        }
        Place {
            class: watchword_select::dotted(&self.class),
            method: self.name.clone(),
            descriptor: self.descriptor.clone(),
            offset,
            line: self.line(offset),
            file: self.file.clone(),
        }
    }

    /// Class, by its internal name, and method for `within`.
    pub fn home(&self) -> (String, &str) {
        match &self.origin {
            Some(Origin { place, .. }) => (place.class.replace('.', "/"), &place.method),
            None => (self.class.clone(), &self.name),
        }
    }

    /// The source line of an instruction.
    pub fn line(&self, offset: u32) -> Option<u32> {
        let before = self.lines.iter().filter(|row| u32::from(row.start) <= offset);
        before.max_by_key(|row| row.start).map(|row| row.line.into())
    }

    /// Whether stack-map frames say what types there are.
    pub fn has_frames(&self) -> bool {
        self.states().is_some()
    }

    /// The types before an instruction: `None` if nothing reaches it, or nothing says.
    pub fn state(&self, offset: u32) -> Option<State<'_, 'a>> {
        self.states()?.get(self.at(offset)?)
    }

    /// The instruction at an offset.
    pub fn instruction(&self, offset: u32) -> Option<&Instruction<'a>> {
        self.instructions.get(self.at(offset)?)
    }

    /// The position of the instruction at an offset.
    fn at(&self, offset: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&offset, |i| i.offset).ok()
    }

    fn states(&self) -> Option<&States<'a>> {
        self.states.get_or_init(|| self.compute_states().ok().flatten()).as_ref()
    }

    fn compute_states(&self) -> Result<Option<States<'a>>> {
        let class = self.file();
        let table = self.code.stack_map(class.pool())?;
        let straight = self.code.exception_table.is_empty()
            && !self.instructions.iter().any(|i| i.targets().next().is_some());
        // Without frames, types are known only where paths do not meet.
        let told = class.major > 50 || (class.major == 50 && table.is_some()) || straight;
        let size = self.instructions.len() * usize::from(self.code.max_locals.max(1));
        if !told || size > MAX_TYPED {
            return Ok(None);
        }
        let frames = match table {
            Some(table) => table.iter().collect::<Result<Vec<_>>>()?,
            None => Vec::new(),
        };
        let framed: HashSet<u32> = frames.iter().map(|frame| frame.offset).collect();
        let context = MethodContext::of(self.member)?;
        let base = self.code.bytecode_offset as usize;
        let pool = class.pool().clone();
        let mut types = Types::new(self.code.bytecode, base, frames, context, pool)?;
        let mut states = States::default();
        let mut same_locals = false;
        while let Some((instruction, state)) = types.advance()? {
            states.push(state, same_locals && !framed.contains(&instruction.offset));
            same_locals = keeps_locals(&instruction);
        }
        Ok(Some(states))
    }

    /// Whether an instruction can run at all, as far as is known.
    pub fn is_live(&self, offset: u32) -> bool {
        self.is_reached(offset) || self.states().is_none() || self.state(offset).is_some()
    }

    /// Whether control falls through to an instruction or a frame says what it comes with: then it
    /// is live whatever the types are, which take longer to find.
    fn is_reached(&self, offset: u32) -> bool {
        let find = || self.find_reached().ok();
        let reached = self.reached.get_or_init(find).as_ref();
        self.at(offset).and_then(|at| reached?.get(at).copied()).unwrap_or(false)
    }

    fn find_reached(&self) -> Result<Vec<bool>> {
        let frames = match self.code.stack_map(self.file().pool())? {
            Some(table) => table.iter().map(|f| Ok(f?.offset)).collect::<Result<Vec<_>>>()?,
            None => Vec::new(),
        };
        let mut live = true;
        let reach = |instruction: &Instruction<'_>| {
            let here = live || frames.binary_search(&instruction.offset).is_ok();
            live = here && instruction.falls_through();
            here
        };
        Ok(self.instructions.iter().map(reach).collect())
    }

    /// The control-flow graph and its loops; `None` for code with subroutines.
    pub fn graph(&self) -> Option<&(Cfg<'a>, Loops)> {
        let build = || {
            let graph = Cfg::of(&self.code, self.file().pool()).ok()?;
            let loops = graph.loops();
            Some((graph, loops))
        };
        self.graph.get_or_init(build).as_ref()
    }

    /// The block of an instruction.
    pub fn block(&self, offset: u32) -> Option<BlockId> {
        self.graph()?.0.block_at(offset)
    }

    /// Whether an exception handler can be put around an instruction. Its frame has to say that `this`
    /// is unfinished, which it cannot if only the stack holds `this`: optimisers use its slot again.
    pub fn can_catch(&self, offset: u32) -> bool {
        if !self.is_constructor() {
            return true;
        }
        let Some(state) = self.state(offset) else { return true };
        !state.stack.contains(&VType::UninitializedThis)
            || state.locals.contains(&VType::UninitializedThis)
    }

    /// The offset of a constructor's call of another constructor: of the last one, if paths
    /// differ. Before it, `this` is not an object yet.
    pub fn super_call(&self) -> Option<u32> {
        self.super_calls().last().copied()
    }

    /// Whether `this` is not an object yet at an instruction. Paths with calls of different constructors may
    /// stand in any order.
    pub fn is_unborn(&self, offset: u32) -> bool {
        if self.can_pin_this() {
            return false;
        }
        match self.state(offset) {
            Some(state) => state.has_unfinished(),
            None => self.super_call().is_some_and(|call| offset <= call),
        }
    }

    /// The offsets of a constructor's calls of another constructor: one on each path that returns.
    pub fn super_calls(&self) -> Vec<u32> {
        let mut found = Vec::new();
        if self.can_pin_this() {
            return found;
        }
        let mut pending = 0u32;
        for instruction in &self.instructions {
            match instruction.opcode {
                Opcode::NEW => pending += 1,
                Opcode::INVOKESPECIAL if self.is_init(instruction) => {
                    let on_this = match self.receiver_type(instruction) {
                        Some(ty) => *ty == VType::UninitializedThis,
                        None => pending == 0,
                    };
                    if on_this {
                        found.push(instruction.offset);
                    } else {
                        pending = pending.saturating_sub(1);
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn is_init(&self, instruction: &Instruction<'_>) -> bool {
        let member = instruction.constant().and_then(|i| self.file().pool().member(i).ok());
        member.is_some_and(|member| member.name == "<init>")
    }

    /// The type of the receiver below the arguments of a call.
    fn receiver_type(&self, instruction: &Instruction<'_>) -> Option<&VType<'a>> {
        let member = self.file().pool().member(instruction.constant()?).ok()?;
        let count = MethodDescriptor::parse(member.descriptor).ok()?.parameters().count();
        let state = self.state(instruction.offset)?;
        state.stack.get(state.stack.len().checked_sub(count + 1)?)
    }

    /// Offsets of the calls that initialise objects made by a `new` of this method.
    pub fn constructions(&self) -> Vec<u32> {
        let mut pending = 0u32;
        let mut found = Vec::new();
        // Types, which take long to find, only matter where both kinds may be.
        let makes = self.instructions.iter().any(|i| i.opcode == Opcode::NEW);
        if self.is_constructor() && !makes {
            return found;
        }
        for instruction in &self.instructions {
            match instruction.opcode {
                Opcode::NEW => pending += 1,
                Opcode::INVOKESPECIAL if self.is_init(instruction) => {
                    let made_here = !self.is_constructor()
                        || match self.receiver_type(instruction) {
                            Some(ty) => matches!(ty, VType::Uninitialized(_)),
                            None => pending > 0,
                        };
                    if made_here {
                        found.push(instruction.offset);
                        pending = pending.saturating_sub(1);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Whether `this` is an object at an instruction.
    pub fn has_this(&self, offset: u32) -> bool {
        if self.is_static() || self.origin.is_some() {
            return false;
        }
        if self.can_pin_this() {
            return true;
        }
        if !self.is_untouched(0, "L") {
            return false;
        }
        match self.state(offset) {
            Some(state) => matches!(state.local(0), VType::Object(_)),
            None => self.super_call().is_some_and(|call| offset > call),
        }
    }

    /// Slot and descriptor of a local variable, by its name in the debug information.
    pub fn named_local(&self, name: &str, offset: u32) -> Option<(u16, String)> {
        let pool = self.file().pool();
        let row = self.locals.iter().find(|row| {
            let start = u32::from(row.start);
            (start..start + u32::from(row.length)).contains(&offset)
                && pool.utf8(row.name).is_ok_and(|n| n == name)
        })?;
        let descriptor = pool.utf8(row.descriptor).ok()?.to_str().into_owned();
        self.checked_local(row.slot, Some(&descriptor), offset)
    }

    /// Slot and descriptor of a local variable that verifiably holds a value.
    pub fn checked_local(
        &self,
        slot: u16,
        declared: Option<&str>,
        offset: u32,
    ) -> Option<(u16, String)> {
        if self.origin.is_some() {
            return None;
        }
        let Some(state) = self.state(offset) else {
            // Nothing but the signature is to be trusted.
            let (_, ty) = self.params.iter().find(|(s, _)| *s == slot)?;
            return self.keeps(slot, ty).then(|| (slot, ty.clone()));
        };
        let found = match state.local(slot) {
            VType::Int => match declared {
                Some(ty @ ("Z" | "B" | "C" | "S")) => ty.to_string(),
                _ => "I".to_string(),
            },
            VType::Long => "J".to_string(),
            VType::Float => "F".to_string(),
            VType::Double => "D".to_string(),
            VType::Null => "Ljava/lang/Object;".to_string(),
            VType::Object(name) => watchword_select::descriptor_of(&JStr::new(name).to_str()),
            VType::Top | VType::UninitializedThis | VType::Uninitialized(_) => return None,
        };
        let reference = |ty: &str| ty.starts_with(['L', '[']);
        let fits = declared.is_none_or(|ty| ty == found || (reference(ty) && reference(&found)));
        fits.then_some((slot, found))
    }
}
