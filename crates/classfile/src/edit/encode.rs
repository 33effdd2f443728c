//! Laying out edited code: sizes, widening, tables.

use super::code::{CodeAttribute, CodeEditor, Insertion, Slot};
use super::pool::PoolEditor;
use super::snippet::{FIRST_NEW_LABEL, Label, Op, Snippet, encode_jump, jump_size};
use crate::attribute::{
    ExceptionEntry, Frame, FrameKind, FrameType, LineNumber, LocalVariable, TypeTarget,
    write_attribute, write_frames, write_table, write_type_annotations,
};
use crate::bytes::{put_count, put_u2, put_u4};
use crate::error::{Error, Result};
use crate::insn::{Instruction, Operand};
use crate::opcode::{Flags, Opcode};
use crate::simulate::{FrameDecoder, TypeState, Types};

/// One element of the code to be emitted.
#[derive(Clone, Copy)]
enum Item<'e> {
    /// The place of the original instruction at this offset.
    Place(u32),
    /// An original instruction, by index.
    Old(u32),
    /// Code that replaces an original instruction, by index, starts here.
    Replaced(u32),
    /// Inserted code.
    New(&'e Op),
}

const UNSET: u32 = u32::MAX;

/// New offsets of everything.
struct Layout {
    /// By item.
    positions: Vec<u32>,
    /// By item: whether a branch has its 32-bit form.
    wide: Vec<bool>,
    /// By original offset: its place.
    places: Vec<u32>,
    /// By original offset: its instruction.
    instructions: Vec<u32>,
    /// By new label.
    labels: Vec<u32>,
    length: u32,
}

impl Layout {
    fn place(&self, offset: u32) -> u32 {
        self.places[offset as usize]
    }

    fn label(&self, label: Label) -> Result<u32> {
        let found = match label.0.checked_sub(FIRST_NEW_LABEL) {
            Some(new) => self.labels.get(new as usize),
            None => self.places.get(label.0 as usize),
        };
        match found {
            Some(position) if *position != UNSET => Ok(*position),
            _ => Err(Error::edit("a label that is used is not bound in the code")),
        }
    }

    fn label16(&self, label: Label) -> Result<u16> {
        // The layout has been checked to fit 16 bits.
        self.label(label).map(|position| position as u16)
    }

    fn place16(&self, offset: u16) -> u16 {
        self.place(offset.into()) as u16
    }

    fn instruction16(&self, offset: u16) -> u16 {
        self.instructions[usize::from(offset)] as u16
    }

    /// A range by its places.
    fn range(&self, start: u16, length: u16) -> (u16, u16) {
        let end = self.place(u32::from(start) + u32::from(length));
        let start = self.place16(start);
        (start, (end as u16).saturating_sub(start))
    }
}

/// Encodes edited code as the contents of a `Code` attribute.
pub(super) fn encode<'a>(editor: &CodeEditor<'a>, pool: &mut PoolEditor<'a>) -> Result<Vec<u8>> {
    let items = items(editor);
    let layout = lay_out(editor, &items)?;
    if layout.length == 0 {
        return Err(Error::edit("a method without instructions"));
    }
    let mut skips = Vec::new();
    let bytecode = emit(editor, &items, &layout, &mut skips)?;

    let mut out = Vec::with_capacity(bytecode.len() + 256);
    put_u2(&mut out, editor.max_stack);
    put_u2(&mut out, editor.max_locals);
    put_u4(&mut out, bytecode.len() as u32);
    out.extend_from_slice(&bytecode);
    write_handlers(editor, &layout, &mut out)?;
    write_attributes(editor, &items, &layout, &bytecode, &skips, pool, &mut out)?;
    Ok(out)
}

/// Everything in emission order.
fn items<'e>(editor: &'e CodeEditor<'_>) -> Vec<Item<'e>> {
    let mut insertions: Vec<&Insertion> = editor.insertions.iter().collect();
    insertions.sort_by_key(|insertion| (insertion.at, insertion.slot));
    let mut insertions = insertions.into_iter().peekable();
    let mut list = Emission {
        items: Vec::with_capacity(2 * editor.instructions.len() + 8),
        reachable: true,
        frames: editor.major >= 50,
    };
    for (index, instruction) in editor.instructions.iter().enumerate() {
        let offset = instruction.offset;
        while let Some(i) = insertions.next_if(|i| i.at == offset && i.slot < Slot::AfterPlace) {
            list.snippet(&i.snippet);
        }
        list.items.push(Item::Place(offset));
        list.reachable = true;
        while let Some(i) = insertions.next_if(|i| i.at == offset) {
            list.snippet(&i.snippet);
        }
        match editor.replacements.get(&offset) {
            Some(snippet) => {
                list.items.push(Item::Replaced(index as u32));
                list.snippet(snippet);
            }
            None => {
                list.items.push(Item::Old(index as u32));
                list.reachable = instruction.falls_through();
            }
        }
    }
    insertions.for_each(|i| list.snippet(&i.snippet));
    list.items.push(Item::Place(editor.code_len));
    list.reachable |= editor.instructions.is_empty();
    list.snippet(&editor.tail);
    list.items
}

struct Emission<'e> {
    items: Vec<Item<'e>>,
    /// Whether control can be here.
    reachable: bool,
    /// Whether reachable places are told by frames.
    frames: bool,
}

impl<'e> Emission<'e> {
    fn snippet(&mut self, snippet: &'e Snippet) {
        for op in &snippet.ops {
            self.reachable |=
                matches!(op, Op::Frame(_)) || (!self.frames && matches!(op, Op::Bind(_)));
            // Unreachable code would need a frame that cannot be computed.
            if op.is_instruction() && !self.reachable {
                continue;
            }
            self.items.push(Item::New(op));
            match op {
                Op::Plain { stops, .. } => self.reachable = !stops,
                Op::Jump(opcode, _) => self.reachable = !opcode.is(Flags::STOPS),
                Op::Switch(_) => self.reachable = false,
                _ => {}
            }
        }
    }
}

/// The 16-bit branch an original instruction is, if any.
fn old_jump(instruction: &Instruction<'_>) -> Option<(Opcode, u32)> {
    match instruction.operand {
        Operand::Branch(target) if instruction.size == 3 => Some((instruction.opcode, target)),
        _ => None,
    }
}

fn lay_out(editor: &CodeEditor<'_>, items: &[Item<'_>]) -> Result<Layout> {
    let size = editor.code_len as usize + 1;
    let mut layout = Layout {
        positions: vec![0; items.len()],
        wide: vec![false; items.len()],
        places: vec![UNSET; size],
        instructions: vec![UNSET; size],
        labels: vec![UNSET; editor.new_labels as usize],
        length: 0,
    };
    // Widening only ever adds bytes, so this ends, at the latest with every branch wide.
    loop {
        assign(editor, items, &mut layout);
        if layout.length <= 0x7fff || !widen(editor, items, &mut layout)? {
            break;
        }
    }
    if layout.length > 0xffff {
        let from = editor.code_len;
        return Err(Error::limit(format!(
            "the code would grow from {from} to {} bytes, over 65535",
            layout.length
        )));
    }
    Ok(layout)
}

/// Computes all offsets for the current choice of wide branches.
fn assign(editor: &CodeEditor<'_>, items: &[Item<'_>], layout: &mut Layout) {
    let mut at = 0;
    for (i, item) in items.iter().enumerate() {
        layout.positions[i] = at;
        match item {
            Item::Place(offset) => layout.places[*offset as usize] = at,
            Item::Replaced(index) => {
                let instruction = &editor.instructions[*index as usize];
                let (start, end) = (instruction.offset as usize, instruction.end() as usize);
                layout.instructions[start..end].fill(at);
                layout.places[start + 1..end].fill(at);
            }
            Item::Old(index) => {
                let instruction = &editor.instructions[*index as usize];
                let size = match old_jump(instruction) {
                    Some((opcode, _)) => jump_size(opcode, layout.wide[i]),
                    None => instruction.size_at(at),
                };
                // Debug tables may point into the middle of an instruction.
                let (start, end) = (instruction.offset as usize, instruction.end() as usize);
                layout.instructions[start] = at;
                for k in start + 1..end {
                    let inside = at + ((k - start) as u32).min(size);
                    layout.places[k] = inside;
                    layout.instructions[k] = inside;
                }
                at += size;
            }
            Item::New(op) => {
                if let Op::Bind(Label(id)) = op
                    && let Some(new) = id.checked_sub(FIRST_NEW_LABEL)
                    && let Some(position) = layout.labels.get_mut(new as usize)
                {
                    *position = at;
                }
                at += op.size(at, layout.wide[i]);
            }
        }
    }
    layout.instructions[editor.code_len as usize] = layout.place(editor.code_len);
    layout.length = at;
}

/// Marks branches that do not reach their targets; `false` when all do.
fn widen(editor: &CodeEditor<'_>, items: &[Item<'_>], layout: &mut Layout) -> Result<bool> {
    let mut changed = false;
    for (i, item) in items.iter().enumerate() {
        let target = match item {
            Item::Old(index) => match old_jump(&editor.instructions[*index as usize]) {
                Some((_, target)) => layout.place(target),
                None => continue,
            },
            Item::New(Op::Jump(_, label)) => layout.label(*label)?,
            _ => continue,
        };
        let delta = i64::from(target) - i64::from(layout.positions[i]);
        if !layout.wide[i] && i16::try_from(delta).is_err() {
            layout.wide[i] = true;
            changed = true;
        }
    }
    Ok(changed)
}

/// Writes the bytecode; collects the places behind widened conditional branches.
fn emit(
    editor: &CodeEditor<'_>,
    items: &[Item<'_>],
    layout: &Layout,
    skips: &mut Vec<u32>,
) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(layout.length as usize);
    for (i, item) in items.iter().enumerate() {
        let at = layout.positions[i];
        debug_assert_eq!(at as usize, out.len());
        let jump = match item {
            Item::Place(_) | Item::Replaced(_) => continue,
            Item::Old(index) => {
                let instruction = &editor.instructions[*index as usize];
                let jump = old_jump(instruction);
                if jump.is_none() {
                    instruction.encode(at, |target| layout.place(target), &mut out)?;
                }
                jump.map(|(opcode, target)| (opcode, layout.place(target)))
            }
            Item::New(Op::Jump(opcode, label)) => Some((*opcode, layout.label(*label)?)),
            Item::New(op) => {
                op.encode(at, |label| layout.label(label), &mut out)?;
                None
            }
        };
        if let Some((opcode, target)) = jump {
            let delta = target.wrapping_sub(at) as i32;
            encode_jump(opcode, layout.wide[i], delta, &mut out)?;
            if layout.wide[i] && opcode.is(Flags::CONDITIONAL) {
                skips.push(out.len() as u32);
            }
        }
    }
    Ok(out)
}

fn write_handlers(editor: &CodeEditor<'_>, layout: &Layout, out: &mut Vec<u8>) -> Result<()> {
    let mut rows = Vec::with_capacity(editor.handlers.len());
    for row in &editor.handlers {
        let entry = ExceptionEntry {
            start: layout.label16(row.start)?,
            end: layout.label16(row.end)?,
            handler: layout.label16(row.handler)?,
            catch_type: row.catch_type,
        };
        if entry.start >= entry.end {
            return Err(Error::edit("a protected range without instructions"));
        }
        rows.push(entry);
    }
    write_table(rows.into_iter(), out)
}

fn write_attributes<'a>(
    editor: &CodeEditor<'a>,
    items: &[Item<'_>],
    layout: &Layout,
    bytecode: &[u8],
    skips: &[u32],
    pool: &mut PoolEditor<'a>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let new_lines = new_lines(items, layout);
    let (frames, changed) = frames(editor, items, layout, bytecode, skips, pool)?;
    let has_frames = editor.attributes.iter().any(|a| matches!(a, CodeAttribute::Frames(..)));
    let has_lines = editor.attributes.iter().any(|a| matches!(a, CodeAttribute::Lines(..)));
    let add_frames = changed && !has_frames && !frames.is_empty();
    let add_lines = !has_lines && !new_lines.is_empty();

    let count = editor.attributes.len() + usize::from(add_frames) + usize::from(add_lines);
    put_count(out, count, "attributes")?;
    let mut info = Vec::new();
    let mut unwritten_lines = Some(new_lines);
    for attribute in &editor.attributes {
        info.clear();
        let name = match attribute {
            CodeAttribute::Frames(name, _) => {
                write_frames(frames.iter(), &mut info)?;
                *name
            }
            CodeAttribute::Lines(name, rows) => {
                let moved = |row: &LineNumber| LineNumber {
                    start: layout.place16(row.start),
                    line: row.line,
                };
                let mut rows: Vec<LineNumber> = rows.iter().map(moved).collect();
                if let Some(new) = unwritten_lines.take().filter(|new| !new.is_empty()) {
                    rows.extend(new);
                    rows.sort_by_key(|row| row.start);
                }
                write_table(rows.into_iter(), &mut info)?;
                *name
            }
            CodeAttribute::Locals(name, rows) => {
                let moved = |row: &LocalVariable| {
                    let (start, length) = layout.range(row.start, row.length);
                    LocalVariable { start, length, ..*row }
                };
                write_table(rows.iter().map(moved), &mut info)?;
                *name
            }
            CodeAttribute::Types(name, list) => {
                let mut list = list.clone();
                for annotation in &mut list {
                    match &mut annotation.target {
                        TypeTarget::Locals(ranges) => {
                            for (start, length, _) in ranges {
                                (*start, *length) = layout.range(*start, *length);
                            }
                        }
                        TypeTarget::Offset(offset) | TypeTarget::Argument(offset, _) => {
                            *offset = layout.instruction16(*offset);
                        }
                        _ => {}
                    }
                }
                write_type_annotations(&list, &mut info)?;
                *name
            }
            CodeAttribute::Other(name, bytes) => {
                info.extend_from_slice(bytes);
                *name
            }
        };
        write_attribute(name, &info, out)?;
    }
    if add_frames {
        info.clear();
        write_frames(frames.iter(), &mut info)?;
        write_attribute(pool.utf8("StackMapTable")?, &info, out)?;
    }
    if add_lines {
        info.clear();
        write_table(unwritten_lines.unwrap_or_default().into_iter(), &mut info)?;
        write_attribute(pool.utf8("LineNumberTable")?, &info, out)?;
    }
    Ok(())
}

fn new_lines(items: &[Item<'_>], layout: &Layout) -> Vec<LineNumber> {
    let line = |(i, item): (usize, &Item<'_>)| match item {
        Item::New(Op::Line(line)) => {
            Some(LineNumber { start: layout.positions[i] as u16, line: *line })
        }
        _ => None,
    };
    items.iter().enumerate().filter_map(line).collect()
}

/// A frame that was not there before, at its new offset.
struct NewFrame {
    offset: u32,
    kind: FrameKind,
}

/// All frames at their new offsets; `true` when there are new ones.
fn frames<'a>(
    editor: &CodeEditor<'a>,
    items: &[Item<'_>],
    layout: &Layout,
    bytecode: &[u8],
    skips: &[u32],
    pool: &mut PoolEditor<'a>,
) -> Result<(Vec<Frame>, bool)> {
    let old = editor.attributes.iter().find_map(|attribute| match attribute {
        CodeAttribute::Frames(_, frames) => Some(frames.as_slice()),
        _ => None,
    });
    let moved_type = |value: &FrameType| match value {
        FrameType::Uninitialized(new) if u32::from(*new) < editor.code_len => {
            FrameType::Uninitialized(layout.instruction16(*new))
        }
        other => *other,
    };
    let moved_types = |types: &[FrameType]| types.iter().map(moved_type).collect::<Vec<_>>();
    let moved_frame = |frame: &Frame| Frame {
        offset: layout.place(frame.offset),
        extended: frame.extended,
        kind: match &frame.kind {
            FrameKind::SameLocals1(value) => FrameKind::SameLocals1(moved_type(value)),
            FrameKind::Append(types) => FrameKind::Append(moved_types(types)),
            FrameKind::Full { locals, stack } => {
                FrameKind::Full { locals: moved_types(locals), stack: moved_types(stack) }
            }
            kind => kind.clone(),
        },
    };
    let mut frames: Vec<Frame> = old.unwrap_or_default().iter().map(moved_frame).collect();
    if !editor.pins.is_empty() {
        pin(editor, &mut frames, pool)?;
    }

    let mut new = Vec::new();
    for (i, item) in items.iter().enumerate() {
        if let Item::New(Op::Frame(types)) = item {
            let kind =
                FrameKind::Full { locals: moved_types(&types.0), stack: moved_types(&types.1) };
            new.push(NewFrame { offset: layout.positions[i], kind });
        }
    }
    let mut changed = !new.is_empty();
    if !new.is_empty() {
        frames = merge(editor, frames, new, pool)?;
    }
    // Before version 50 nothing has frames; in 50 a method without them is checked the old way.
    let checked = editor.major > 50 || (editor.major == 50 && old.is_some());
    if checked && skips.iter().any(|skip| frames.binary_search_by_key(skip, |f| f.offset).is_err())
    {
        let new = skip_frames(editor, &frames, bytecode, skips, pool)?;
        frames = merge(editor, frames, new, pool)?;
        changed = true;
    }
    Ok((frames, changed))
}

/// Spells every frame out, with the pinned locals in it.
fn pin<'a>(editor: &CodeEditor<'a>, frames: &mut [Frame], pool: &mut PoolEditor<'a>) -> Result<()> {
    let mut absolute = FrameDecoder::new(entry_locals(editor, pool)?);
    for frame in frames {
        let (locals, stack) = absolute.next(frame)?;
        let mut locals = locals.to_vec();
        let mut slots: usize = locals.iter().map(|value| value.slots()).sum();
        for (slot, value) in &editor.pins {
            let gap = usize::from(*slot).checked_sub(slots).ok_or_else(|| {
                Error::malformed_value("expected a stack-map frame within max_locals")
            })?;
            locals.extend(std::iter::repeat_n(FrameType::Top, gap));
            locals.push(*value);
            slots += gap + value.slots();
        }
        frame.kind = FrameKind::Full { locals, stack };
    }
    Ok(())
}

/// The locals on entry, as a frame has them.
fn entry_locals<'a>(editor: &CodeEditor<'a>, pool: &mut PoolEditor<'a>) -> Result<Vec<FrameType>> {
    Ok(match editor.context.entry()?.to_frame(pool)? {
        FrameKind::Full { locals, .. } => locals,
        _ => Vec::new(),
    })
}

/// Puts new frames among existing ones. Existing frames are stored relative to their predecessor,
/// so one that follows a new frame is spelt out.
fn merge<'a>(
    editor: &CodeEditor<'a>,
    old: Vec<Frame>,
    new: Vec<NewFrame>,
    pool: &mut PoolEditor<'a>,
) -> Result<Vec<Frame>> {
    let mut absolute = FrameDecoder::new(entry_locals(editor, pool)?);
    let mut new = new.into_iter().peekable();
    let mut merged: Vec<Frame> = Vec::with_capacity(old.len() + new.len());
    let mut spell_out = false;
    let full = |frame: NewFrame| Frame { offset: frame.offset, extended: false, kind: frame.kind };
    for frame in old {
        while let Some(new) = new.next_if(|new| new.offset < frame.offset) {
            merged.push(full(new));
            spell_out = true;
        }
        let (locals, stack) = absolute.next(&frame)?;
        if let Some(same) = new.next_if(|new| new.offset == frame.offset) {
            let old = FrameKind::Full { locals: locals.to_vec(), stack };
            if same.kind != old {
                return Err(Error::edit(format!(
                    "inserted code declares another frame at offset {} than is there",
                    frame.offset
                )));
            }
            merged.push(Frame { kind: old, ..frame });
        } else if spell_out {
            merged
                .push(Frame { kind: FrameKind::Full { locals: locals.to_vec(), stack }, ..frame });
        } else {
            merged.push(frame);
        }
        spell_out = false;
    }
    merged.extend(new.map(full));
    Ok(merged)
}

/// The frames that widened conditional branches need behind them.
fn skip_frames<'a>(
    editor: &CodeEditor<'a>,
    frames: &[Frame],
    bytecode: &[u8],
    skips: &[u32],
    pool: &mut PoolEditor<'a>,
) -> Result<Vec<NewFrame>> {
    let mut states: Vec<(u32, TypeState<'static>)> = Vec::new();
    {
        let mut types = Types::new(bytecode, 0, frames.to_vec(), editor.context, &*pool)?;
        let mut skips = skips.iter().copied().peekable();
        let mut pending: Option<TypeState<'_>> = None;
        while let Some((instruction, live)) = types.advance()? {
            let live = live.is_some();
            // The opposite condition stands eight bytes before the place, the goto_w five.
            match skips.peek() {
                Some(skip) if instruction.offset + 8 == *skip => pending = types.after()?,
                Some(skip) if instruction.end() == *skip => {
                    let skip = *skip;
                    skips.next();
                    let framed = frames.binary_search_by_key(&skip, |f| f.offset).is_ok();
                    if framed || !live {
                        continue;
                    }
                    let state = pending.take().ok_or_else(|| {
                        Error::edit(format!("no types are known at the long branch before {skip}"))
                    })?;
                    states.push((skip, state.clone().into_owned()));
                    types.resume(state);
                }
                _ => {}
            }
        }
    }
    let frame = |(offset, state): (u32, TypeState<'static>)| {
        Ok(NewFrame { offset, kind: state.to_frame(pool)? })
    };
    states.into_iter().map(frame).collect()
}
