//! The types before each instruction of a method.
//!
//! A method has many more instructions than anybody asks about. So the types of all of them are in two lists, and what
//! is asked for is a part of each: a walk over a method takes no memory per instruction. Locals change at few
//! instructions; the others share those of the one before.

use std::ops::Range;

use watchword_classfile::simulate::{TypeState, VType};
use watchword_classfile::{Flags, Instruction, Opcode};

/// The types before each instruction, by its position; see [`States::get`].
#[derive(Default)]
pub struct States<'a> {
    locals: Vec<VType<'a>>,
    stacks: Vec<VType<'a>>,
    each: Vec<Option<Span>>,
}

/// Which parts of the lists are of an instruction.
#[derive(Clone)]
struct Span {
    locals: Range<u32>,
    stack: Range<u32>,
}

/// The types before one instruction.
#[derive(Clone, Copy)]
pub struct State<'s, 'a> {
    /// By slot; missing ones are `Top`.
    pub locals: &'s [VType<'a>],
    /// Deepest first.
    pub stack: &'s [VType<'a>],
}

impl<'s, 'a> State<'s, 'a> {
    /// The local in a slot.
    pub fn local(self, slot: u16) -> &'s VType<'a> {
        self.locals.get(usize::from(slot)).unwrap_or(&VType::Top)
    }

    /// Whether a constructor has not called another one yet on the way here.
    pub fn has_unfinished(self) -> bool {
        self.locals.iter().chain(self.stack).any(|ty| *ty == VType::UninitializedThis)
    }
}

impl<'a> States<'a> {
    /// Adds the types before the next instruction; `None` if nothing reaches it. `same_locals` if they cannot differ
    /// from those before the instruction that was added last.
    pub fn push(&mut self, state: Option<&TypeState<'a>>, same_locals: bool) {
        let span = state.map(|state| {
            let last = self.each.last().and_then(|last| last.as_ref());
            let locals = match last.filter(|_| same_locals) {
                Some(last) => last.locals.clone(),
                None => append(&mut self.locals, &state.locals),
            };
            Span { locals, stack: append(&mut self.stacks, &state.stack) }
        });
        self.each.push(span);
    }

    /// The types before an instruction, by its position; `None` if nothing reaches it.
    pub fn get(&self, at: usize) -> Option<State<'_, 'a>> {
        let span = self.each.get(at)?.as_ref()?;
        let part = |range: &Range<u32>| range.start as usize..range.end as usize;
        Some(State {
            locals: &self.locals[part(&span.locals)],
            stack: &self.stacks[part(&span.stack)],
        })
    }

    /// Those of all instructions that something reaches.
    pub fn iter(&self) -> impl Iterator<Item = State<'_, 'a>> {
        (0..self.each.len()).filter_map(|at| self.get(at))
    }
}

/// Whether an instruction leaves all locals as they are. A constructor makes an unfinished object a finished one.
pub fn keeps_locals(instruction: &Instruction<'_>) -> bool {
    !instruction.opcode.is(Flags::STORE) && instruction.opcode != Opcode::INVOKESPECIAL
}

fn append<'a>(list: &mut Vec<VType<'a>>, more: &[VType<'a>]) -> Range<u32> {
    let start = list.len() as u32;
    list.extend_from_slice(more);
    start..list.len() as u32
}
