//! Inserts hook calls into a method.

use std::collections::{BTreeMap, BTreeSet};

use watchword_classfile::simulate::{TypeState, VType};
use watchword_classfile::{
    CodeEditor, Constant, Error, FrameKind, FrameType, Handler, Instruction, Kind, Label, Landing,
    Opcode, PoolEditor, Result, Snippet,
};

use crate::body::Body;
use crate::hook;
use crate::outline::{self, Outline};
use crate::point::Loc;
use crate::points::{At, Hook, stack_effect};
use crate::runtime;
use crate::site::{OperandKind, SiteId};

/// Weaves the hooks of a method. `first` is the number of the first of them, `outlines` knows classes with the work of
/// handlers.
pub fn weave<'a>(
    code: &mut CodeEditor<'a>,
    pool: &mut PoolEditor<'a>,
    body: &Body<'_, 'a>,
    hooks: &[Hook],
    first: SiteId,
    outlines: Option<fn(&Outline) -> Option<String>>,
) -> Result<()> {
    let mut hooks: Vec<(SiteId, &Hook)> =
        hooks.iter().enumerate().map(|(i, h)| (SiteId(first.0 + i as u32), h)).collect();
    hooks.sort_by_key(|(id, hook)| (hook.offset, hook.at, *id));
    let mut weaving = Weaving {
        code,
        pool,
        body,
        outlines,
        unwinds: hooks.iter().any(|(_, hook)| hook.at == At::Unwind),
        pinned: BTreeMap::new(),
        temps: Vec::new(),
        parted: body.merges_types(),
        held: BTreeSet::new(),
        catches: Vec::new(),
        stack: 0,
    };
    weaving.pin(&hooks)?;
    weaving.entry(&hooks)?;
    for group in hooks.chunk_by(|(_, a), (_, b)| a.offset == b.offset) {
        weaving.instruction(group)?;
    }
    weaving.let_go_in_handlers()?;
    weaving.unwind(&hooks)?;
    let stack = weaving.stack;
    code.grow_stack(stack)
}

struct Weaving<'w, 'c, 'a> {
    code: &'w mut CodeEditor<'a>,
    pool: &'w mut PoolEditor<'a>,
    body: &'w Body<'c, 'a>,
    outlines: Option<fn(&Outline) -> Option<String>>,
    /// Whether there is a handler around the whole method, which needs parameters.
    unwinds: bool,
    /// Parameters that are assigned somewhere, and the locals that keep their initial values.
    pinned: BTreeMap<u16, u16>,
    /// Slots for temporary values, two each.
    temps: Vec<u16>,
    /// Whether each instruction has slots of its own, see [`Body::merges_types`].
    parted: bool,
    /// Those temporaries that hold objects while an instruction runs that may throw.
    held: BTreeSet<u16>,
    /// Handlers around single instructions: the offset of the instruction, and the handler's range.
    catches: Vec<(u32, Label, Label)>,
    /// The stack that the inserted code needs.
    stack: u16,
}

/// Where the values of one instruction are stored.
struct Values<'v> {
    pops: &'v [Kind],
    push: Option<Kind>,
}

impl Values<'_> {
    /// The temporary for the result.
    fn result_temp(&self) -> usize {
        self.pops.len()
    }

    /// The temporary for an exception.
    fn exception_temp(&self) -> usize {
        self.pops.len() + 1
    }
}

const NOTHING: Values<'static> = Values { pops: &[], push: None };

fn kind_of(descriptor: &str) -> Kind {
    match descriptor.as_bytes().first() {
        Some(b'B' | b'C' | b'I' | b'S' | b'Z') => Kind::Int,
        Some(b'J') => Kind::Long,
        Some(b'F') => Kind::Float,
        Some(b'D') => Kind::Double,
        _ => Kind::Reference,
    }
}

fn duplicate(code: &mut Snippet, kind: Kind) {
    code.op(if kind.slots() == 2 { Opcode::DUP2 } else { Opcode::DUP });
}

impl<'a> Weaving<'_, '_, 'a> {
    fn temp(&mut self, index: usize) -> Result<u16> {
        while self.temps.len() <= index {
            let slot = self.code.fresh_local(2)?;
            self.temps.push(slot);
        }
        Ok(self.temps[index])
    }

    /// Stores the initial values of parameters that hooks need and that the method overwrites.
    fn pin(&mut self, hooks: &[(SiteId, &Hook)]) -> Result<()> {
        let mut snippet = Snippet::new();
        let body = self.body;
        // In a constructor, code runs before the hooks at its beginning.
        let at_once = body.super_call().is_none();
        for (_, hook) in hooks.iter().filter(|(_, hook)| hook.at != At::Entry || !at_once) {
            for (loc, operand) in &hook.draft.values {
                let Loc::Param(slot) = loc else { continue };
                let unborn = !body.is_static() && *slot == 0 && !body.can_pin_this();
                if unborn || self.pinned.contains_key(slot) || body.keeps(*slot, &operand.ty) {
                    continue;
                }
                let kind = kind_of(&operand.ty);
                let ty = self.frame_type(&operand.ty)?;
                let kept = self.code.pinned_local(ty)?;
                snippet.load(kind, *slot).store(kind, kept);
                self.pinned.insert(*slot, kept);
                self.stack = self.stack.max(2);
            }
        }
        if !snippet.is_empty() {
            self.code.insert_before(0, Landing::After, snippet)?;
        }
        Ok(())
    }

    /// The stack-map type of a value, from its descriptor.
    fn frame_type(&mut self, descriptor: &str) -> Result<FrameType> {
        Ok(match kind_of(descriptor) {
            Kind::Int => FrameType::Integer,
            Kind::Long => FrameType::Long,
            Kind::Float => FrameType::Float,
            Kind::Double => FrameType::Double,
            Kind::Reference | Kind::Address => {
                FrameType::Object(self.pool.class(class_constant(descriptor))?)
            }
        })
    }

    fn entry(&mut self, hooks: &[(SiteId, &Hook)]) -> Result<()> {
        let mut snippet = Snippet::new();
        for (id, hook) in hooks.iter().filter(|(_, hook)| hook.at == At::Entry) {
            self.call(&mut snippet, *id, hook, &NOTHING)?;
        }
        if snippet.is_empty() {
            return Ok(());
        }
        let calls = self.body.super_calls();
        if calls.is_empty() {
            return self.code.insert_before(0, Landing::After, snippet);
        }
        calls.into_iter().try_for_each(|call| self.code.insert_after(call, snippet.clone()))
    }

    /// The hooks around one instruction.
    fn instruction(&mut self, hooks: &[(SiteId, &Hook)]) -> Result<()> {
        let offset = hooks[0].1.offset;
        if self.parted {
            self.temps.clear();
        }
        let at = |at: At| hooks.iter().filter(move |(_, hook)| hook.at == at);
        let Some(instruction) = self.body.instruction(offset).copied() else {
            return Err(Error::edit(format!("no instruction at {offset}")));
        };
        self.front(offset, &at(At::Front).copied().collect::<Vec<_>>())?;
        let before: Vec<_> = at(At::Before).copied().collect();
        let after: Vec<_> = at(At::After).copied().collect();
        let throwing: Vec<_> = at(At::Throwing).copied().collect();
        if before.is_empty() && after.is_empty() && throwing.is_empty() {
            return Ok(());
        }
        let (pops, push) = stack_effect(&instruction, self.body)?;
        let values = Values { pops: &pops, push };
        let later: Vec<_> = after.iter().chain(&throwing).copied().collect();
        let start = self.before(&instruction, &values, &before, &later, !throwing.is_empty())?;
        let held = self.objects_in(&values, &popped(&later))?;
        self.held.extend(&held);
        if let Some(start) = start {
            self.catch(offset, &values, start, &throwing, &held)?;
        }
        self.after(&instruction, &values, &after, &held)
    }

    /// The slots of the saved values that are objects, by their positions among the popped values.
    fn objects_in(&mut self, values: &Values<'_>, popped: &BTreeSet<usize>) -> Result<Vec<u16>> {
        let objects = popped.iter().filter(|index| values.pops[**index] == Kind::Reference);
        objects.map(|index| self.temp(*index)).collect()
    }

    /// Clears slots, so that they keep nothing reachable: in an interpreted frame, the garbage
    /// collector treats every local as used.
    fn let_go(&mut self, snippet: &mut Snippet, slots: &[u16]) {
        for slot in slots {
            snippet.op(Opcode::ACONST_NULL).store(Kind::Reference, *slot);
            self.stack = self.stack.max(1);
        }
    }

    /// Clears the slots that are still set because an instruction threw.
    fn let_go_in_handlers(&mut self) -> Result<()> {
        let held: Vec<u16> = self.held.iter().copied().collect();
        let rows = self.body.code.exception_table.iter();
        let handlers: BTreeSet<u32> = rows.map(|row| row.handler.into()).collect();
        for handler in handlers.into_iter().filter(|_| !held.is_empty()) {
            let mut snippet = Snippet::new();
            self.let_go(&mut snippet, &held);
            self.code.insert_before(handler, Landing::Before, snippet)?;
        }
        Ok(())
    }

    /// Hooks that need no value from the stack except an exception.
    fn front(&mut self, offset: u32, hooks: &[(SiteId, &Hook)]) -> Result<()> {
        let mut snippet = Snippet::new();
        let exception =
            hooks.iter().flat_map(|(_, h)| &h.draft.values).any(|(loc, _)| *loc == Loc::Exception);
        if exception {
            let temp = self.temp(NOTHING.exception_temp())?;
            snippet.op(Opcode::DUP).store(Kind::Reference, temp);
        }
        for (id, hook) in hooks {
            self.call(&mut snippet, *id, hook, &NOTHING)?;
        }
        if exception {
            let temp = self.temp(NOTHING.exception_temp())?;
            self.let_go(&mut snippet, &[temp]);
        }
        if snippet.is_empty() {
            return Ok(());
        }
        self.code.insert_before(offset, Landing::Before, snippet)
    }

    /// Saves the values that are needed, now and `later`, and calls the hooks before an
    /// instruction. With `protect`, returns a label directly before it.
    fn before(
        &mut self,
        instruction: &Instruction<'_>,
        values: &Values<'_>,
        before: &[(SiteId, &Hook)],
        later: &[(SiteId, &Hook)],
        protect: bool,
    ) -> Result<Option<Label>> {
        let mut snippet = Snippet::new();
        let kept = popped(later);
        let deepest = popped(before).union(&kept).min().copied();
        // In a damaged class, an instruction may pop less than its hooks expect.
        if deepest.is_some_and(|index| index >= values.pops.len()) {
            return Err(Error::edit("an operand is not on the stack"));
        }
        let top = values.pops.len().saturating_sub(1);
        match deepest {
            // A value on top of the stack needs no slot if only one hook uses it.
            Some(index) if index == top && later.is_empty() && is_single_object(before) => {
                let (id, hook) = &before[0];
                self.call_with_top(&mut snippet, *id, hook)?;
            }
            Some(index) if index == top => {
                let temp = self.temp(index)?;
                duplicate(&mut snippet, values.pops[index]);
                snippet.store(values.pops[index], temp);
                self.stack = self.stack.max(2);
                self.calls(&mut snippet, before, values)?;
                if !kept.contains(&index) && values.pops[index] == Kind::Reference {
                    self.let_go(&mut snippet, &[temp]);
                }
            }
            Some(index) => {
                for i in (index..values.pops.len()).rev() {
                    snippet.store(values.pops[i], self.temp(i)?);
                }
                self.calls(&mut snippet, before, values)?;
                for i in index..values.pops.len() {
                    snippet.load(values.pops[i], self.temp(i)?);
                }
                let done = (index..values.pops.len()).filter(|i| !kept.contains(i)).collect();
                let done = self.objects_in(values, &done)?;
                self.let_go(&mut snippet, &done);
            }
            None => self.calls(&mut snippet, before, values)?,
        }
        let start = protect.then(|| {
            let label = self.code.new_label();
            snippet.bind(label);
            label
        });
        if protect || !snippet.is_empty() {
            self.code.insert_before(instruction.offset, Landing::Before, snippet)?;
        }
        Ok(start)
    }

    fn after(
        &mut self,
        instruction: &Instruction<'_>,
        values: &Values<'_>,
        after: &[(SiteId, &Hook)],
        held: &[u16],
    ) -> Result<()> {
        if after.is_empty() && held.is_empty() {
            return Ok(());
        }
        let mut snippet = Snippet::new();
        let takes = |(_, hook): &&(SiteId, &Hook)| {
            hook.draft.values.iter().any(|(loc, _)| *loc == Loc::Push)
        };
        let takers = after.iter().filter(takes).count();
        match values.push {
            Some(kind) if takers > 0 => {
                if let [(id, hook)] = after
                    && let [(Loc::Push, operand)] = &hook.draft.values[..]
                    && operand.kind == OperandKind::Object
                    && hook.draft.tests.is_empty()
                {
                    self.call_with_top(&mut snippet, *id, hook)?;
                } else {
                    let temp = self.temp(values.result_temp())?;
                    duplicate(&mut snippet, kind);
                    snippet.store(kind, temp);
                    self.stack = self.stack.max(2);
                    self.calls(&mut snippet, after, values)?;
                    if kind == Kind::Reference {
                        self.let_go(&mut snippet, &[temp]);
                    }
                }
            }
            _ => self.calls(&mut snippet, after, values)?,
        }
        // Control never passes from an instruction that only throws to the next one; its handler
        // clears the slots.
        if after.is_empty() && !instruction.falls_through() {
            return Ok(());
        }
        self.let_go(&mut snippet, held);
        self.code.insert_after(instruction.offset, snippet)
    }

    fn calls(
        &mut self,
        snippet: &mut Snippet,
        hooks: &[(SiteId, &Hook)],
        values: &Values<'_>,
    ) -> Result<()> {
        hooks.iter().try_for_each(|(id, hook)| self.call(snippet, *id, hook, values))
    }

    fn push_id(&mut self, snippet: &mut Snippet, id: SiteId) -> Result<()> {
        match i16::try_from(id.0) {
            Ok(id) => snippet.int(id),
            Err(_) => {
                let index = self.pool.add(Constant::Integer(id.0 as i32))?;
                snippet.with_constant(Opcode::LDC_W, index)
            }
        };
        Ok(())
    }

    /// Passes the object on top of the stack, which stays there.
    fn call_with_top(&mut self, snippet: &mut Snippet, id: SiteId, hook: &Hook) -> Result<()> {
        snippet.op(Opcode::DUP);
        self.push_id(snippet, id)?;
        snippet.op(Opcode::SWAP);
        self.stack = self.stack.max(2);
        let shape = hook::Shape { objects: hook.draft.values.len(), longs: 0 };
        let class = hook.class.as_deref().unwrap_or(hook::CLASS);
        let method = self.pool.method(class, hook::ENTRY, &shape.descriptor())?;
        snippet.with_constant(Opcode::INVOKESTATIC, method);
        Ok(())
    }

    /// Calls a hook whose values are all in slots.
    fn call(
        &mut self,
        snippet: &mut Snippet,
        id: SiteId,
        hook: &Hook,
        values: &Values<'_>,
    ) -> Result<()> {
        let draft = &hook.draft;
        let objects = draft.values.iter().filter(|(_, o)| o.kind == OperandKind::Object).count();
        let shape = hook::Shape { objects, longs: draft.values.len() - objects };
        let woven_tests = draft.tests.iter().filter(|test| !test.by_runtime);
        let mut is_tested = false;
        for test in woven_tests {
            let (loc, operand) = &draft.values[test.operand];
            self.load(snippet, *loc, &operand.ty, values)?;
            let class = self.pool.class(&test.ty)?;
            snippet.with_constant(Opcode::INSTANCEOF, class);
            if test.negated {
                snippet.int(1).op(Opcode::IXOR);
            }
            if is_tested {
                snippet.op(Opcode::IAND);
            }
            is_tested = true;
        }
        if let Some(thrown) = &draft.thrown {
            if !is_tested {
                snippet.int(1);
            }
            let (loc, operand) = &draft.values[thrown.operand];
            self.load(snippet, *loc, &operand.ty, values)?;
            for text in [draft.name.called(), thrown.saying.as_deref()] {
                match text {
                    Some(text) => {
                        let text = self.pool.string(text)?;
                        snippet.with_constant(Opcode::LDC_W, text)
                    }
                    None => snippet.op(Opcode::ACONST_NULL),
                };
            }
            self.stack = self.stack.max(4);
            let class = if hook.class.is_some() { runtime::HOOK } else { hook::CLASS };
            let method = self.pool.method(class, hook::asked(thrown.by), hook::ASKED)?;
            snippet.with_constant(Opcode::INVOKESTATIC, method);
            is_tested = true;
        }
        self.push_id(snippet, id)?;
        if shape.in_arrays() {
            let object = self.pool.class("java/lang/Object")?;
            snippet.int(objects as i16).with_constant(Opcode::ANEWARRAY, object);
            for (i, (loc, operand)) in draft.values[..objects].iter().enumerate() {
                snippet.op(Opcode::DUP).int(i as i16);
                self.load(snippet, *loc, &operand.ty, values)?;
                snippet.op(Opcode::AASTORE);
            }
            snippet.int(shape.longs as i16).new_array(11);
            for (i, (loc, operand)) in draft.values[objects..].iter().enumerate() {
                snippet.op(Opcode::DUP).int(i as i16);
                self.load(snippet, *loc, &operand.ty, values)?;
                snippet.op(Opcode::LASTORE);
            }
            self.stack = self.stack.max(8);
        } else {
            for (loc, operand) in &draft.values {
                self.load(snippet, *loc, &operand.ty, values)?;
            }
            self.stack = self.stack.max((2 + shape.objects + 2 * shape.longs) as u16);
        }
        let descriptor = shape.descriptor();
        let class = hook.class.as_deref().unwrap_or(hook::CLASS);
        let method = match is_tested {
            true => {
                let descriptor = descriptor.replacen('(', "(Z", 1);
                self.pool.method(class, hook::TESTED, &descriptor)?
            }
            false => self.pool.method(class, hook::ENTRY, &descriptor)?,
        };
        snippet.with_constant(Opcode::INVOKESTATIC, method);
        Ok(())
    }

    /// Pushes a value in the form that hooks expect.
    fn load(
        &mut self,
        snippet: &mut Snippet,
        loc: Loc,
        ty: &str,
        values: &Values<'_>,
    ) -> Result<()> {
        let slot = match loc {
            Loc::Pop(index) => self.temp(index)?,
            Loc::Push => self.temp(values.result_temp())?,
            Loc::Exception => self.temp(values.exception_temp())?,
            Loc::Local(slot) => slot,
            Loc::Param(slot) => self.pinned.get(&slot).copied().unwrap_or(slot),
            Loc::OwnClass => {
                let class = self.pool.class(&self.body.class)?;
                snippet.with_constant(Opcode::LDC_W, class);
                return Ok(());
            }
        };
        let kind = kind_of(ty);
        snippet.load(kind, slot);
        match kind {
            Kind::Int => {
                snippet.op(Opcode::I2L);
            }
            Kind::Float | Kind::Double => {
                if kind == Kind::Float {
                    snippet.op(Opcode::F2D);
                }
                let bits = self.pool.method("java/lang/Double", "doubleToRawLongBits", "(D)J")?;
                snippet.with_constant(Opcode::INVOKESTATIC, bits);
            }
            Kind::Long | Kind::Reference | Kind::Address => {}
        }
        Ok(())
    }

    /// A handler around one instruction that calls hooks and throws again.
    fn catch(
        &mut self,
        offset: u32,
        values: &Values<'_>,
        start: Label,
        hooks: &[(SiteId, &Hook)],
        held: &[u16],
    ) -> Result<()> {
        let (end, handler, after) =
            (self.code.new_label(), self.code.new_label(), self.code.new_label());
        let mut mark = Snippet::new();
        mark.bind(end);
        self.code.insert_after(offset, mark)?;
        let outer = self.code.handlers_at(offset);

        let mut tail = Snippet::new();
        tail.bind(handler);
        // Stack traces show the line of the call.
        if let Some(line) = self.body.line(offset).and_then(|line| u16::try_from(line).ok()) {
            tail.line(line);
        }
        let outlined = self.outlined(hooks);
        // Who throws the exception on to the caller needs none of the method's locals.
        let leaves = outer.is_empty() && !self.unwinds && !self.body.is_constructor();
        let frame = match &outlined {
            Some(_) if leaves && self.body.file().major > 50 => Some(self.leaving_frame(hooks)?),
            _ if self.needs_frames()? => Some(self.handler_frame(offset, values, hooks)?),
            _ => None,
        };
        if let Some(locals) = frame {
            tail.frame(locals, vec![FrameType::Object(self.pool.class("java/lang/Throwable")?)]);
        }
        let temp = self.temp(values.exception_temp())?;
        tail.store(Kind::Reference, temp);
        match outlined {
            Some((class, passed)) => self.call_outlined(&mut tail, &class, &passed, hooks, temp)?,
            None => self.calls(&mut tail, hooks, values)?,
        }
        tail.load(Kind::Reference, temp);
        if !leaves {
            self.let_go(&mut tail, held);
            self.let_go(&mut tail, &[temp]);
        }
        tail.op(Opcode::ATHROW).bind(after);
        self.code.append(&tail);

        // The exception leaves through the handlers that would have received it.
        for row in outer {
            self.code.handlers.push(Handler { start: handler, end: after, ..row });
        }
        let row = Handler { start, end, handler, catch_type: 0 };
        self.code.handlers.insert(0, row);
        self.catches.push((offset, handler, after));
        Ok(())
    }

    /// The class that does the work of a handler, and the values that it is passed.
    fn outlined(&self, hooks: &[(SiteId, &Hook)]) -> Option<(String, Vec<Loc>)> {
        let (outline, passed) = Outline::of(hooks)?;
        Some((self.outlines?(&outline)?, passed))
    }

    /// Has a class do the work of a handler that has stored its exception.
    fn call_outlined(
        &mut self,
        tail: &mut Snippet,
        class: &str,
        passed: &[Loc],
        hooks: &[(SiteId, &Hook)],
        exception: u16,
    ) -> Result<()> {
        let (first, hook) = hooks[0];
        self.push_id(tail, first)?;
        tail.load(Kind::Reference, exception);
        for at in 0..outline::OBJECTS {
            match passed.get(at) {
                Some(Loc::Pop(index)) => tail.load(Kind::Reference, self.temp(*index)?),
                _ => tail.op(Opcode::ACONST_NULL),
            };
        }
        match hook.draft.name.called() {
            Some(name) => {
                let name = self.pool.string(name)?;
                tail.with_constant(Opcode::LDC_W, name)
            }
            None => tail.op(Opcode::ACONST_NULL),
        };
        let method = self.pool.method(class, outline::METHOD, outline::DESCRIPTOR)?;
        tail.with_constant(Opcode::INVOKESTATIC, method);
        self.stack = self.stack.max(outline::PARAMETERS);
        Ok(())
    }

    /// The locals of a handler from which the exception leaves the method: the saved values.
    fn leaving_frame(&mut self, hooks: &[(SiteId, &Hook)]) -> Result<Vec<FrameType>> {
        let mut saved: Vec<(u16, FrameType)> = self.code.pins().to_vec();
        for index in popped(hooks) {
            let object = FrameType::Object(self.pool.class("java/lang/Object")?);
            saved.push((self.temp(index)?, object));
        }
        saved.sort_by_key(|(slot, _)| *slot);
        let mut locals = Vec::new();
        extend_to(&mut locals, &saved)?;
        Ok(locals)
    }

    /// Whether inserted handlers must declare frames.
    fn needs_frames(&self) -> Result<bool> {
        if self.body.has_frames() {
            return Ok(self.body.file().major >= 50);
        }
        if self.body.file().major > 50 {
            return Err(Error::edit("the types in the method are not known"));
        }
        Ok(false)
    }

    /// The locals of a handler around an instruction: the locals before it, and the saved values.
    fn handler_frame(
        &mut self,
        offset: u32,
        values: &Values<'_>,
        hooks: &[(SiteId, &Hook)],
    ) -> Result<Vec<FrameType>> {
        let Some(state) = self.body.state(offset) else {
            return Err(Error::edit(format!("the types at offset {offset} are not known")));
        };
        let first = state.stack.len().checked_sub(values.pops.len());
        // While a constructor runs, the verifier treats the new object as unfinished and as
        // finished. No frame can describe a local that contains it.
        let made =
            first.and_then(|first| state.stack.get(first)).filter(|ty| ty.is_uninitialized());
        let mut usable = TypeState { locals: state.locals.to_vec(), stack: Vec::new() };
        for local in usable.locals.iter_mut().filter(|local| Some(&**local) == made) {
            *local = VType::Top;
        }
        let FrameKind::Full { mut locals, .. } = usable.to_frame(self.pool)? else {
            return Err(Error::edit("a frame that is not spelt out"));
        };
        let mut saved: Vec<(u16, FrameType)> = self.code.pins().to_vec();
        for index in popped(hooks) {
            let ty = first.and_then(|first| state.stack.get(first + index));
            let ty = ty.unwrap_or(&VType::Top);
            saved.push((self.temp(index)?, ty.to_frame(self.pool)?));
        }
        saved.sort_by_key(|(slot, _)| *slot);
        extend_to(&mut locals, &saved)?;
        Ok(locals)
    }

    /// A handler around the whole method.
    fn unwind(&mut self, hooks: &[(SiteId, &Hook)]) -> Result<()> {
        let hooks: Vec<_> = hooks.iter().filter(|(_, h)| h.at == At::Unwind).copied().collect();
        if hooks.is_empty() {
            return Ok(());
        }
        let mut ranges = self.finished_ranges()?;
        if ranges.is_empty() {
            return Ok(());
        }
        let handler = self.code.new_label();
        let mut tail = Snippet::new();
        tail.bind(handler);
        if self.needs_frames()? {
            let mut used = BTreeMap::new();
            for (loc, operand) in hooks.iter().flat_map(|(_, hook)| &hook.draft.values) {
                if let Loc::Param(slot) = loc
                    && !self.pinned.contains_key(slot)
                {
                    used.insert(*slot, self.frame_type(&operand.ty)?);
                }
            }
            let mut saved: Vec<(u16, FrameType)> = used.into_iter().collect();
            saved.extend_from_slice(self.code.pins());
            let mut locals = Vec::new();
            extend_to(&mut locals, &saved)?;
            tail.frame(locals, vec![FrameType::Object(self.pool.class("java/lang/Throwable")?)]);
        }
        let temp = self.temp(NOTHING.exception_temp())?;
        tail.store(Kind::Reference, temp);
        self.calls(&mut tail, &hooks, &NOTHING)?;
        tail.load(Kind::Reference, temp).op(Opcode::ATHROW);
        self.code.append(&tail);
        // An exception that the handlers above throw again also leaves the method.
        let catches = self.catches.iter().filter(|(at, ..)| !self.body.is_unborn(*at));
        ranges.extend(catches.map(|(_, start, end)| (*start, *end)));
        for (start, end) in ranges {
            self.code.handlers.push(Handler { start, end, handler, catch_type: 0 });
        }
        Ok(())
    }

    /// The parts of the method in which `this` is an object: a handler that does not say that it is unfinished must not
    /// cover others.
    fn finished_ranges(&self) -> Result<Vec<(Label, Label)>> {
        let body = self.body;
        let mut ranges = Vec::new();
        let mut start = None;
        for instruction in &body.instructions {
            let offset = instruction.offset;
            match (start, body.is_unborn(offset)) {
                (None, false) => start = Some(self.code.label(offset)?),
                (Some(from), true) => {
                    ranges.push((from, self.code.label(offset)?));
                    start = None;
                }
                (Some(_), false) | (None, true) => {}
            }
        }
        if let Some(from) = start {
            ranges.push((from, self.code.label(body.code.bytecode.len() as u32)?));
        }
        Ok(ranges)
    }
}

/// Adds locals at their slots, unusable ones between them.
fn extend_to(locals: &mut Vec<FrameType>, saved: &[(u16, FrameType)]) -> Result<()> {
    let mut slots: usize = locals.iter().map(|ty| ty.slots()).sum();
    for (slot, ty) in saved {
        let gap = usize::from(*slot)
            .checked_sub(slots)
            .ok_or_else(|| Error::edit("locals in the wrong order"))?;
        locals.extend(std::iter::repeat_n(FrameType::Top, gap));
        locals.push(*ty);
        slots += gap + ty.slots();
    }
    Ok(())
}

/// A type as class constants name it: `Ljava/util/List;` → `java/util/List`, arrays as they are.
fn class_constant(descriptor: &str) -> &str {
    descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(descriptor)
}

/// The positions, among the values that an instruction pops, of those that hooks need.
fn popped(hooks: &[(SiteId, &Hook)]) -> BTreeSet<usize> {
    let values = hooks.iter().flat_map(|(_, hook)| &hook.draft.values);
    let position = |(loc, _): &(Loc, _)| match loc {
        Loc::Pop(index) => Some(*index),
        _ => None,
    };
    values.filter_map(position).collect()
}

/// Whether there is one hook, and it needs one object from the stack and nothing else.
fn is_single_object(before: &[(SiteId, &Hook)]) -> bool {
    match before {
        [(_, hook)] => {
            let [(Loc::Pop(_), operand)] = &hook.draft.values[..] else { return false };
            operand.kind == OperandKind::Object && hook.draft.tests.is_empty()
        }
        _ => false,
    }
}
