//! Natural loops.

use super::{BlockId, Cfg, Dominators};

/// A loop's number; outer loops come before the loops inside them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LoopId(pub u32);

/// A natural loop: the blocks that can reach the header again without leaving through it.
///
/// Exceptional edges count (a retry in a `catch` is a loop), except from a block to itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The block that every entry goes through.
    pub header: BlockId,
    /// Blocks with an edge back to the header.
    pub latches: Vec<BlockId>,
    /// The innermost loop around this one.
    pub parent: Option<LoopId>,
    /// 1 for outermost loops.
    pub depth: u32,
}

/// All loops of a method.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Vec<Loop>,
    /// Innermost loop by block.
    innermost: Vec<Option<LoopId>>,
    irreducible: bool,
}

impl Loops {
    pub(super) fn of(cfg: &Cfg<'_>, dominators: &Dominators) -> Loops {
        let mut loops: Vec<Loop> = Vec::new();
        let mut irreducible = false;
        // In reverse post-order, headers of outer loops come first.
        let mut innermost: Vec<Option<LoopId>> = vec![None; cfg.blocks().len()];
        for &header in cfg.reverse_post_order() {
            let mut latches = Vec::new();
            for latch in cfg.block(header).all_predecessors() {
                if !cfg.is_reachable(latch) || cfg.position(latch) < cfg.position(header) {
                    continue;
                }
                // Compilers let the handler of a `synchronized` block guard itself; that the unlock
                // may fail and be tried again is nothing a reader would call a loop.
                if latch == header && !cfg.block(header).predecessors.contains(&header) {
                    continue;
                }
                if dominators.dominates(header, latch) {
                    latches.push(latch);
                } else {
                    irreducible = true;
                }
            }
            if latches.is_empty() {
                continue;
            }
            latches.sort_unstable();
            latches.dedup();
            let parent = innermost[header.index()];
            let depth = parent.map_or(1, |p| loops[p.0 as usize].depth + 1);
            let id = LoopId(loops.len() as u32);
            mark(cfg, header, &latches, id, &mut innermost);
            loops.push(Loop { header, latches, parent, depth });
        }
        Loops { loops, innermost, irreducible }
    }

    /// All loops.
    pub fn all(&self) -> &[Loop] {
        &self.loops
    }

    /// A loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id.0 as usize]
    }

    /// The innermost loop around a block.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }

    /// Whether a block belongs to a loop.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        let mut at = self.innermost(block);
        while let Some(inner) = at {
            // Inner loops have larger numbers.
            if inner <= id {
                return inner == id;
            }
            at = self.get(inner).parent;
        }
        false
    }

    /// The blocks of a loop, in code order, the header included.
    pub fn blocks(&self, id: LoopId) -> impl Iterator<Item = BlockId> + '_ {
        let all = (0..self.innermost.len() as u32).map(BlockId);
        all.filter(move |block| self.contains(id, *block))
    }

    /// How many loops a block is in.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.innermost(block).map_or(0, |id| self.get(id).depth)
    }

    /// Whether the code also has a cycle that can be entered at two places. Such cycles are not
    /// among the loops; Java compilers do not make them.
    pub fn has_irreducible(&self) -> bool {
        self.irreducible
    }
}

/// Marks the blocks that reach a latch without passing the header. Loops inside this one have not
/// been marked yet.
fn mark(
    cfg: &Cfg<'_>,
    header: BlockId,
    latches: &[BlockId],
    id: LoopId,
    innermost: &mut [Option<LoopId>],
) {
    innermost[header.index()] = Some(id);
    let mut work = latches.to_vec();
    while let Some(block) = work.pop() {
        if innermost[block.index()] == Some(id) || !cfg.is_reachable(block) {
            continue;
        }
        innermost[block.index()] = Some(id);
        work.extend(cfg.block(block).all_predecessors());
    }
}
