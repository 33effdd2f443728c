//! The label editor for method code.

use std::collections::BTreeMap;

use super::pool::PoolEditor;
use super::snippet::{FIRST_NEW_LABEL, Label, Snippet};
use crate::attribute::{
    Decoded, Frame, FrameType, LineNumber, LocalVariable, TypeAnnotation, TypeTarget,
};
use crate::class::{Member, access};
use crate::descriptor::MethodDescriptor;
use crate::error::{Error, Result};
use crate::insn::{Instruction, Operand};
use crate::opcode::Opcode;
use crate::simulate::MethodContext;

/// Where jumps to an instruction go when code is inserted before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Landing {
    /// Jumps land after the inserted code: only falling through from the previous instruction
    /// runs it.
    After,
    /// Jumps land before the inserted code, so every path to the instruction runs it.
    Before,
}

/// A protected range, by labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// First protected place.
    pub start: Label,
    /// First place after the range.
    pub end: Label,
    /// Where the handler starts.
    pub handler: Label,
    /// `Class` index of what is caught; 0 catches everything.
    pub catch_type: u16,
}

/// A method's code being edited.
///
/// Instructions are addressed by their **original** offsets throughout, whatever has been inserted
/// meanwhile; nothing moves until [`finish`](CodeEditor::finish) lays the code out once.
///
/// # What happens to tables
///
/// Around the instruction at offset *o* the new code is
///
/// ```text
///     code inserted after the previous instruction          (insert_after)
///     code inserted before o, jumps landing after it        (Landing::After)
/// o:  ← every jump, table and frame that said o now says this place
///     code inserted before o, jumps landing before it       (Landing::Before)
///     the instruction
/// ```
///
/// Several snippets at the same place run in the order in which they were inserted. Branches,
/// switches, exception ranges, handlers, line numbers, local-variable ranges and stack-map frames
/// follow the place; so code before the place belongs to the previous line and exception range,
/// code after it to those of *o*. What names an instruction rather than a place — `Uninitialized`
/// types in frames, which name a `new`, and type annotations on casts and allocations — follows the
/// instruction itself. Attributes of `Code` this crate does not know are kept as they are.
///
/// # Frames are only shifted
///
/// The editor never recomputes frames: each keeps its meaning at its place. Inserted code must
/// therefore be **stack-neutral** (the stack after it equals the stack before it, and it pops
/// nothing it has not pushed) and leave the original locals' types as they are. Branch-free code
/// needs nothing else. Code with branches must declare its own frames ([`Snippet::frame`]) at every
/// target. Code that nothing could reach — behind a `goto`, with jumps landing after it — is not
/// emitted, since the JVM refuses unreachable code without a frame.
///
/// Locals from [`fresh_local`](CodeEditor::fresh_local) lie above the original `max_locals`. No
/// original frame mentions them, so their contents are lost at every original frame: a value
/// stored there is readable until the next place with a frame (jump targets and handlers), not
/// beyond. Spill, call and reload within one straight line; then the same slots serve every site.
///
/// # Long jumps
///
/// A branch that no longer reaches its target becomes `goto_w` or `jsr_w`; a conditional one
/// becomes the opposite condition around a `goto_w`. Where the method has frames, the place after
/// that `goto_w` needs one; it is computed from the frames before it as the JVM's type checker
/// would. A method that passes 65535 bytes is an error for which
/// [`is_limit`](crate::Error::is_limit) holds.
#[derive(Clone)]
pub struct CodeEditor<'a> {
    /// Deepest operand stack in slots. Inserted code that pushes must raise it.
    pub max_stack: u16,
    /// Local-variable slots.
    pub max_locals: u16,
    /// Protected ranges in search order; new ones in front win over old ones.
    pub handlers: Vec<Handler>,
    pub(super) major: u16,
    pub(super) context: MethodContext<'a>,
    pub(super) code_len: u32,
    pub(super) instructions: Vec<Instruction<'a>>,
    pub(super) attributes: Vec<CodeAttribute<'a>>,
    pub(super) insertions: Vec<Insertion>,
    pub(super) replacements: BTreeMap<u32, Snippet>,
    pub(super) tail: Snippet,
    pub(super) new_labels: u32,
    pub(super) pins: Vec<(u16, FrameType)>,
}

#[derive(Clone)]
pub(super) struct Insertion {
    pub(super) at: u32,
    pub(super) slot: Slot,
    pub(super) snippet: Snippet,
}

/// Where inserted code stands relative to the place it is inserted at, in emission order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    AfterPrevious,
    BeforePlace,
    AfterPlace,
}

/// An attribute of `Code`, as far as offsets in it must move.
#[derive(Clone)]
pub(super) enum CodeAttribute<'a> {
    Frames(u16, Vec<Frame>),
    Lines(u16, Vec<LineNumber>),
    Locals(u16, Vec<LocalVariable>),
    Types(u16, Vec<TypeAnnotation>),
    Other(u16, &'a [u8]),
}

impl<'a> CodeEditor<'a> {
    /// Starts from the code of a method; `None` when it has none.
    pub fn new(method: Member<'_, 'a>) -> Result<Option<CodeEditor<'a>>> {
        let Some(code) = method.code()? else { return Ok(None) };
        let pool = method.class().pool();
        let instructions = code.decode_all()?;
        let code_len = code.bytecode.len() as u32;
        let mut attributes = Vec::with_capacity(code.attributes.len());
        for attribute in &code.attributes {
            let name = attribute.name_index;
            let at = attribute.offset as usize;
            let inside = |offset: u32| match offset <= code_len {
                true => Ok(()),
                false => Err(Error::malformed(
                    at,
                    format!("expected an offset inside the code, found {offset}"),
                )),
            };
            attributes.push(match attribute.decode(pool)? {
                Decoded::StackMapTable(table) => {
                    CodeAttribute::Frames(name, table.iter().collect::<Result<_>>()?)
                }
                Decoded::LineNumberTable(table) => {
                    table.iter().try_for_each(|row| inside(row.start.into()))?;
                    CodeAttribute::Lines(name, table.iter().collect())
                }
                Decoded::LocalVariableTable(table) | Decoded::LocalVariableTypeTable(table) => {
                    table
                        .iter()
                        .try_for_each(|row| inside(u32::from(row.start) + u32::from(row.length)))?;
                    CodeAttribute::Locals(name, table.iter().collect())
                }
                Decoded::TypeAnnotations(list) => {
                    list.iter().flat_map(target_ends).try_for_each(inside)?;
                    CodeAttribute::Types(name, list)
                }
                _ => CodeAttribute::Other(name, attribute.info),
            });
        }
        let handlers = code.exception_table.iter().map(|row| Handler {
            start: Label(row.start.into()),
            end: Label(row.end.into()),
            handler: Label(row.handler.into()),
            catch_type: row.catch_type,
        });
        let editor = CodeEditor {
            max_stack: code.max_stack,
            max_locals: code.max_locals,
            handlers: handlers.collect(),
            major: method.class().major,
            context: MethodContext::of(method)?,
            code_len,
            instructions,
            attributes,
            insertions: Vec::new(),
            replacements: BTreeMap::new(),
            tail: Snippet::new(),
            new_labels: 0,
            pins: Vec::new(),
        };
        editor.check_places(code.bytecode_offset as usize)?;
        Ok(Some(editor))
    }

    /// Starts with no instructions, for a method to be added to a class of version `major`. The
    /// body is [`append`](CodeEditor::append)ed; locals for receiver and parameters are reserved.
    pub fn create(
        major: u16,
        context: MethodContext<'a>,
        max_stack: u16,
    ) -> Result<CodeEditor<'a>> {
        let receiver = u16::from(context.access & access::STATIC == 0);
        let slots = MethodDescriptor::parse(context.descriptor)?.parameter_slots();
        let max_locals = slots
            .checked_add(receiver)
            .ok_or_else(|| Error::limit("a method with over 65535 parameter slots"))?;
        Ok(CodeEditor {
            max_stack,
            max_locals,
            handlers: Vec::new(),
            major,
            context,
            code_len: 0,
            instructions: Vec::new(),
            attributes: Vec::new(),
            insertions: Vec::new(),
            replacements: BTreeMap::new(),
            tail: Snippet::new(),
            new_labels: 0,
            pins: Vec::new(),
        })
    }

    /// Checks that everything control flow depends on is at the start of an instruction.
    fn check_places(&self, base: usize) -> Result<()> {
        let bad = |offset: u32| {
            Error::malformed(
                base + offset as usize,
                format!("expected an instruction to start at offset {offset}"),
            )
        };
        for target in self.instructions.iter().flat_map(Instruction::targets) {
            self.index_of(target).ok_or_else(|| bad(target))?;
        }
        for row in &self.handlers {
            for place in [row.start.0, row.handler.0] {
                self.index_of(place).ok_or_else(|| bad(place))?;
            }
            if row.end.0 != self.code_len {
                self.index_of(row.end.0).ok_or_else(|| bad(row.end.0))?;
            }
        }
        let frames = self.attributes.iter().filter_map(|attribute| match attribute {
            CodeAttribute::Frames(_, frames) => Some(frames),
            _ => None,
        });
        let mut tables = 0;
        for table in frames {
            tables += 1;
            for frame in table {
                self.index_of(frame.offset).ok_or_else(|| bad(frame.offset))?;
            }
        }
        if tables > 1 {
            return Err(Error::malformed(base, "expected at most one StackMapTable"));
        }
        Ok(())
    }

    pub(super) fn index_of(&self, offset: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&offset, |i| i.offset).ok()
    }

    fn expect(&self, offset: u32) -> Result<usize> {
        self.index_of(offset)
            .ok_or_else(|| Error::edit(format!("no instruction starts at offset {offset}")))
    }

    /// The original instructions.
    pub fn instructions(&self) -> &[Instruction<'a>] {
        &self.instructions
    }

    /// The place of the original instruction at `offset`; the code's length is its end.
    pub fn label(&self, offset: u32) -> Result<Label> {
        if offset != self.code_len {
            self.expect(offset)?;
        }
        Ok(Label(offset))
    }

    /// The original handlers that cover the instruction at `offset`, in search order.
    ///
    /// Appended code lies outside every original range. A handler put around an instruction that
    /// rethrows must therefore be covered itself by what covered the instruction: add each of
    /// these again with the range of the appended code.
    pub fn handlers_at(&self, offset: u32) -> Vec<Handler> {
        let covers =
            |h: &&Handler| h.end.0 < FIRST_NEW_LABEL && (h.start.0..h.end.0).contains(&offset);
        self.handlers.iter().filter(covers).copied().collect()
    }

    /// A label to be bound in inserted code.
    pub fn new_label(&mut self) -> Label {
        self.new_labels += 1;
        Label(FIRST_NEW_LABEL + self.new_labels - 1)
    }

    /// A fresh local-variable slot (two for wide kinds) above all others. See the type's
    /// documentation for how long a value lives there.
    pub fn fresh_local(&mut self, slots: u16) -> Result<u16> {
        let slot = self.max_locals;
        self.max_locals = slot
            .checked_add(slots)
            .ok_or_else(|| Error::limit("the method has no free local-variable slots"))?;
        Ok(slot)
    }

    /// A fresh local that keeps its value everywhere: every original frame says that it holds a
    /// value of this type. The code inserted in front of the first instruction
    /// ([`Landing::After`]) must store it, and every frame of inserted code must mention it.
    pub fn pinned_local(&mut self, ty: FrameType) -> Result<u16> {
        let slot = self.fresh_local(ty.slots() as u16)?;
        self.pins.push((slot, ty));
        Ok(slot)
    }

    /// The pinned locals, by slot.
    pub fn pins(&self) -> &[(u16, FrameType)] {
        &self.pins
    }

    /// Makes room for `slots` more on the operand stack.
    pub fn grow_stack(&mut self, slots: u16) -> Result<()> {
        self.max_stack = self
            .max_stack
            .checked_add(slots)
            .ok_or_else(|| Error::limit("the method has no free operand-stack slots"))?;
        Ok(())
    }

    /// Inserts code before the instruction at `offset`.
    pub fn insert_before(&mut self, offset: u32, landing: Landing, snippet: Snippet) -> Result<()> {
        self.expect(offset)?;
        let slot = match landing {
            Landing::After => Slot::BeforePlace,
            Landing::Before => Slot::AfterPlace,
        };
        self.insertions.push(Insertion { at: offset, slot, snippet });
        Ok(())
    }

    /// Inserts code after the instruction at `offset`: it runs when control falls through. Code
    /// after an instruction that never does (`goto`, `athrow`, returns, switches) is an error;
    /// labels may be bound there.
    pub fn insert_after(&mut self, offset: u32, snippet: Snippet) -> Result<()> {
        let instruction = &self.instructions[self.expect(offset)?];
        if !instruction.falls_through() && !snippet.is_empty() {
            return Err(Error::edit(format!(
                "nothing falls through from {} at offset {offset}",
                instruction.opcode
            )));
        }
        let at = instruction.end();
        self.insertions.push(Insertion { at, slot: Slot::AfterPrevious, snippet });
        Ok(())
    }

    /// Replaces the instruction at `offset`. The new code must leave the stack as the instruction
    /// did; a `new` that frames or annotations name may only be replaced by code that starts with
    /// one. The last replacement of an instruction wins.
    pub fn replace(&mut self, offset: u32, snippet: Snippet) -> Result<()> {
        self.expect(offset)?;
        self.replacements.insert(offset, snippet);
        Ok(())
    }

    /// Gives the instruction at `offset` another constant: a call another target, `new` another
    /// class. Nothing moves, so this is the cheapest edit there is.
    pub fn set_constant(&mut self, offset: u32, index: u16) -> Result<()> {
        let at = self.expect(offset)?;
        let instruction = &mut self.instructions[at];
        match &mut instruction.operand {
            Operand::Constant(_) if instruction.opcode == Opcode::LDC && index > 0xff => {
                return Err(Error::edit(format!("constant {index} does not fit an ldc")));
            }
            Operand::Constant(constant)
            | Operand::Interface { method: constant, .. }
            | Operand::MultiArray { class: constant, .. } => *constant = index,
            _ => {
                return Err(Error::edit(format!(
                    "{} at offset {offset} has no constant",
                    instruction.opcode
                )));
            }
        }
        Ok(())
    }

    /// Adds code at the very end, after every original instruction: handlers, and whole bodies of
    /// new methods.
    pub fn append(&mut self, snippet: &Snippet) {
        self.tail.append(snippet);
    }

    /// Lays the code out and returns the contents of its `Code` attribute. Constants are appended
    /// to `pool` when a widened branch needs a frame.
    pub fn finish(self, pool: &mut PoolEditor<'a>) -> Result<Vec<u8>> {
        super::encode::encode(&self, pool)
    }
}

/// The highest offsets a type annotation names.
fn target_ends(annotation: &TypeAnnotation) -> Vec<u32> {
    match &annotation.target {
        TypeTarget::Locals(ranges) => {
            ranges.iter().map(|(start, len, _)| u32::from(*start) + u32::from(*len)).collect()
        }
        TypeTarget::Offset(offset) | TypeTarget::Argument(offset, _) => vec![(*offset).into()],
        _ => Vec::new(),
    }
}
