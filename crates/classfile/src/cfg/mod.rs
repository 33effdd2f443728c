//! Control flow of a method: basic blocks, exceptional edges, dominators, loops.
//!
//! # Exceptional edges
//!
//! An instruction that can throw has an edge to every handler that covers it and may be chosen:
//! the rows of the exception table in order, up to and including the first that catches
//! everything. Blocks are also cut where protected ranges begin and end, so all instructions of a
//! block share the same handlers; [`Block::throwing`] says which of them can throw. Nothing is
//! assumed about exception types, so an edge may be impossible but none is missing, with one
//! exception: errors of the JVM itself that may strike anywhere (stack overflow, `Thread.stop`,
//! memory exhaustion at other instructions than allocations) have no edges.
//!
//! A handler is entered from the *middle* of a block: the instructions of the block before the
//! throwing one have run, the throwing one has not completed.
//!
//! Subroutines (`jsr`, `ret`, not allowed since class-file version 51) are unsupported and
//! reported as such.

mod dominators;
mod loops;

pub use dominators::Dominators;
pub use loops::{Loop, LoopId, Loops};

use std::fmt;
use std::ops::Range;

use crate::attribute::Code;
use crate::error::{Error, Result};
use crate::insn::{Instruction, Operand};
use crate::opcode::{Flags, Opcode};
use crate::pool::{Constant, Constants};

/// A basic block's number; blocks are numbered in code order and 0 is the entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "B{}", self.0)
    }
}

/// Why control goes from a block to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum EdgeKind {
    /// The next block follows in the code; of a conditional branch, the condition was false.
    Fall,
    /// A branch is taken; of a conditional one, the condition was true.
    Jump,
    /// A switch found this key.
    Case(i32),
    /// A switch found no key.
    Default,
}

/// An edge to a successor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// Where it goes.
    pub to: BlockId,
    /// Why.
    pub kind: EdgeKind,
}

/// An edge to an exception handler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HandlerEdge {
    /// The handler's block.
    pub to: BlockId,
    /// `Class` index of what is caught; 0 catches everything.
    pub catch_type: u16,
    /// Row of the exception table.
    pub row: usize,
}

/// A basic block: instructions that run one after the other.
#[derive(Clone, Debug)]
pub struct Block {
    /// Bytecode offsets, end excluded.
    pub range: Range<u32>,
    /// Its instructions, as positions in the method's instruction sequence.
    pub instructions: Range<usize>,
    /// Normal successors. A switch has one edge per key.
    pub successors: Vec<Edge>,
    /// Blocks with a normal edge to this one, in order, each once.
    pub predecessors: Vec<BlockId>,
    /// Handlers that cover the block, in search order. They are successors only if something here
    /// can throw; see [`Block::exceptional_successors`].
    pub handlers: Vec<HandlerEdge>,
    /// Blocks with an exceptional edge to this one, in order, each once.
    pub exceptional_predecessors: Vec<BlockId>,
    /// Offsets of the instructions that can throw.
    pub throwing: Vec<u32>,
    /// Whether the block ends with a return.
    pub returns: bool,
}

impl Block {
    /// The handlers control may go to from inside the block.
    pub fn exceptional_successors(&self) -> &[HandlerEdge] {
        if self.throwing.is_empty() { &[] } else { &self.handlers }
    }

    /// Whether an exception from here can leave the method.
    pub fn may_throw_out(&self) -> bool {
        !self.throwing.is_empty() && self.handlers.last().is_none_or(|h| h.catch_type != 0)
    }

    /// All successors, normal ones first, possibly repeated.
    pub fn all_successors(&self) -> impl Iterator<Item = BlockId> + '_ {
        let normal = self.successors.iter().map(|edge| edge.to);
        normal.chain(self.exceptional_successors().iter().map(|edge| edge.to))
    }

    /// All predecessors, normal ones first, possibly repeated.
    pub fn all_predecessors(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.predecessors.iter().chain(&self.exceptional_predecessors).copied()
    }
}

/// The control-flow graph of a method.
#[derive(Clone, Debug)]
pub struct Cfg<'a> {
    instructions: Vec<Instruction<'a>>,
    blocks: Vec<Block>,
    order: Vec<BlockId>,
    /// Position in `order` by block; `u32::MAX` for unreachable blocks.
    positions: Vec<u32>,
}

impl<'a> Cfg<'a> {
    /// The entry block.
    pub const ENTRY: BlockId = BlockId(0);

    /// Builds the graph of a method's code.
    pub fn of<'p>(code: &Code<'a>, pool: &impl Constants<'p>) -> Result<Cfg<'a>> {
        let instructions = code.decode_all()?;
        let base = code.bytecode_offset as usize;
        let length = code.bytecode.len() as u32;
        let leaders = leaders(code, &instructions, base)?;
        let mut block_at = vec![u32::MAX; length as usize];
        let mut blocks: Vec<Block> = Vec::new();
        for (index, instruction) in instructions.iter().enumerate() {
            if leaders[instruction.offset as usize] {
                blocks.push(Block {
                    range: instruction.offset..instruction.offset,
                    instructions: index..index,
                    successors: Vec::new(),
                    predecessors: Vec::new(),
                    handlers: Vec::new(),
                    exceptional_predecessors: Vec::new(),
                    throwing: Vec::new(),
                    returns: false,
                });
            }
            block_at[instruction.offset as usize] = blocks.len() as u32 - 1;
            if let Some(block) = blocks.last_mut() {
                block.range.end = instruction.end();
                block.instructions.end = index + 1;
            }
        }
        let monitors = instructions.iter().any(|i| i.opcode.is(Flags::MONITOR));
        for block in &mut blocks {
            connect(block, &instructions, &block_at, base, length)?;
            for instruction in &instructions[block.instructions.clone()] {
                if can_throw(instruction, monitors, pool)? {
                    block.throwing.push(instruction.offset);
                }
            }
        }
        cover(&mut blocks, code, &block_at)?;
        let mut cfg = Cfg {
            instructions,
            positions: vec![u32::MAX; blocks.len()],
            blocks,
            order: Vec::new(),
        };
        cfg.link_predecessors();
        cfg.number();
        Ok(cfg)
    }

    fn link_predecessors(&mut self) {
        for from in 0..self.blocks.len() {
            let id = BlockId(from as u32);
            let normal: Vec<BlockId> = self.blocks[from].successors.iter().map(|e| e.to).collect();
            let exceptional: Vec<BlockId> =
                self.blocks[from].exceptional_successors().iter().map(|e| e.to).collect();
            for to in normal {
                push_once(&mut self.blocks[to.index()].predecessors, id);
            }
            for to in exceptional {
                push_once(&mut self.blocks[to.index()].exceptional_predecessors, id);
            }
        }
    }

    /// Computes the reverse post-order by depth-first search without recursion.
    fn number(&mut self) {
        let mut visited = vec![false; self.blocks.len()];
        let successors = |id: BlockId| {
            let mut list: Vec<BlockId> = self.blocks[id.index()].all_successors().collect();
            // Taken from the end; the first successor is visited first.
            list.reverse();
            list
        };
        let mut stack = vec![(Self::ENTRY, successors(Self::ENTRY))];
        let mut order = Vec::with_capacity(self.blocks.len());
        visited[0] = true;
        while let Some((id, pending)) = stack.last_mut() {
            match pending.pop() {
                Some(next) if !visited[next.index()] => {
                    visited[next.index()] = true;
                    stack.push((next, successors(next)));
                }
                Some(_) => {}
                None => {
                    order.push(*id);
                    stack.pop();
                }
            }
        }
        order.reverse();
        for (position, id) in order.iter().enumerate() {
            self.positions[id.index()] = position as u32;
        }
        self.order = order;
    }

    /// The method's instructions.
    pub fn instructions(&self) -> &[Instruction<'a>] {
        &self.instructions
    }

    /// The blocks in code order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The ids of all blocks, in code order.
    pub fn ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// The instructions of a block.
    pub fn block_instructions(&self, id: BlockId) -> &[Instruction<'a>] {
        &self.instructions[self.block(id).instructions.clone()]
    }

    /// The block that contains bytecode `offset`.
    pub fn block_at(&self, offset: u32) -> Option<BlockId> {
        let index = self.blocks.partition_point(|block| block.range.start <= offset);
        let id = BlockId(index.checked_sub(1)? as u32);
        self.block(id).range.contains(&offset).then_some(id)
    }

    /// The reachable blocks in reverse post-order over all edges, exceptional ones included: a
    /// block comes before its successors, except along the back edges of loops.
    pub fn reverse_post_order(&self) -> &[BlockId] {
        &self.order
    }

    /// Position in the reverse post-order; `None` for unreachable blocks.
    pub fn position(&self, id: BlockId) -> Option<u32> {
        Some(self.positions[id.index()]).filter(|position| *position != u32::MAX)
    }

    /// Whether some path leads from the entry to the block.
    pub fn is_reachable(&self, id: BlockId) -> bool {
        self.position(id).is_some()
    }

    /// Blocks that end with a return.
    pub fn returns(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.ids().filter(|id| self.block(*id).returns)
    }

    /// Blocks from which an exception can leave the method.
    pub fn throws_out(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.ids().filter(|id| self.block(*id).may_throw_out())
    }

    /// The dominator tree over all edges.
    pub fn dominators(&self) -> Dominators {
        Dominators::of(self)
    }

    /// The natural loops.
    pub fn loops(&self) -> Loops {
        Loops::of(self, &self.dominators())
    }
}

fn push_once(list: &mut Vec<BlockId>, id: BlockId) {
    // Blocks are linked in order, so a repetition is at the end.
    if list.last() != Some(&id) {
        list.push(id);
    }
}

/// Marks where blocks start; checks all places that control flow names.
fn leaders(code: &Code<'_>, instructions: &[Instruction<'_>], base: usize) -> Result<Vec<bool>> {
    let length = code.bytecode.len();
    let mut starts = vec![false; length + 1];
    starts[length] = true;
    for instruction in instructions {
        starts[instruction.offset as usize] = true;
    }
    let mut leaders = vec![false; length + 1];
    let mut lead = |offset: u32| match starts.get(offset as usize) {
        Some(true) => {
            leaders[offset as usize] = true;
            Ok(())
        }
        _ => Err(Error::malformed(
            base + offset as usize,
            format!("expected an instruction to start at offset {offset}"),
        )),
    };
    lead(0)?;
    for instruction in instructions {
        let opcode = instruction.opcode;
        if opcode.is(Flags::SUBROUTINE) {
            return Err(Error::unsupported(format!(
                "control flow of subroutines ({opcode} at offset {})",
                instruction.offset
            )));
        }
        instruction.targets().try_for_each(&mut lead)?;
        if opcode.is(Flags::BRANCH) || opcode.is(Flags::STOPS) {
            lead(instruction.end())?;
        }
    }
    for row in code.exception_table.iter() {
        lead(row.start.into())?;
        lead(row.end.into())?;
        lead(row.handler.into())?;
        if usize::from(row.handler) >= length || row.start >= row.end {
            return Err(Error::malformed(base, "expected a protected range with a handler"));
        }
    }
    Ok(leaders)
}

/// Tells blocks their handlers, in the order of the exception table.
fn cover(blocks: &mut [Block], code: &Code<'_>, block_at: &[u32]) -> Result<()> {
    // Ranges that all cover everything would make a small class file need enormous lists.
    const MAX_WORK: usize = 1 << 24;
    let mut work = 0;
    for (row, entry) in code.exception_table.iter().enumerate() {
        let index = |offset: u16| blocks.partition_point(|b| b.range.start < u32::from(offset));
        let covered = index(entry.start)..index(entry.end);
        let to = BlockId(block_at[usize::from(entry.handler)]);
        for block in &mut blocks[covered] {
            work += 1 + block.handlers.len();
            if work > MAX_WORK {
                return Err(Error::limit("exception ranges overlap too often"));
            }
            // Whatever an earlier row catches, a later one never sees.
            let caught = |h: &HandlerEdge| h.catch_type == 0 || h.catch_type == entry.catch_type;
            if !block.handlers.iter().any(caught) {
                block.handlers.push(HandlerEdge { to, catch_type: entry.catch_type, row });
            }
        }
    }
    Ok(())
}

/// Adds the normal successors of a block.
fn connect(
    block: &mut Block,
    instructions: &[Instruction<'_>],
    block_at: &[u32],
    base: usize,
    length: u32,
) -> Result<()> {
    let last = &instructions[block.instructions.end - 1];
    let id = |offset: u32| BlockId(block_at[offset as usize]);
    block.returns = last.opcode.is(Flags::RETURN);
    match last.operand {
        Operand::Branch(target) => {
            block.successors.push(Edge { to: id(target), kind: EdgeKind::Jump });
        }
        Operand::Switch(switch) => {
            for (key, target) in switch.cases() {
                block.successors.push(Edge { to: id(target), kind: EdgeKind::Case(key) });
            }
            block.successors.push(Edge { to: id(switch.default()), kind: EdgeKind::Default });
        }
        _ => {}
    }
    if last.falls_through() {
        if last.end() >= length {
            return Err(Error::malformed(
                base + last.offset as usize,
                "expected control not to fall off the end of the code",
            ));
        }
        let edge = Edge { to: id(last.end()), kind: EdgeKind::Fall };
        block.successors.insert(0, edge);
    }
    Ok(())
}

/// Whether an instruction can throw, by the JVM specification. `monitors` says whether the method
/// contains `monitorenter` or `monitorexit`: only then can a return find monitors out of balance.
pub fn can_throw<'p>(
    instruction: &Instruction<'_>,
    monitors: bool,
    pool: &impl Constants<'p>,
) -> Result<bool> {
    let opcode = instruction.opcode;
    if opcode.is(Flags::RETURN) {
        return Ok(monitors);
    }
    if let (Opcode::LDC | Opcode::LDC_W | Opcode::LDC2_W, Some(index)) =
        (opcode, instruction.constant())
    {
        return Ok(!matches!(
            pool.constant(index)?,
            Constant::Integer(_)
                | Constant::Float(_)
                | Constant::Long(_)
                | Constant::Double(_)
                | Constant::String { .. }
        ));
    }
    Ok(opcode.is(Flags::THROWS))
}
