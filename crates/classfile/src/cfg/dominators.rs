//! Dominators, by the iterative algorithm of Cooper, Harvey and Kennedy.

use super::{BlockId, Cfg};

/// The dominator tree of a graph: a block dominates another if every path from the entry to the
/// other passes it.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Immediate dominator by block; the entry is its own; `None` for unreachable blocks.
    immediate: Vec<Option<BlockId>>,
    /// Depth in the tree by block.
    depths: Vec<u32>,
}

impl Dominators {
    pub(super) fn of(cfg: &Cfg<'_>) -> Dominators {
        let mut immediate: Vec<Option<BlockId>> = vec![None; cfg.blocks().len()];
        immediate[0] = Some(Cfg::ENTRY);
        let position = |id: BlockId| cfg.position(id).unwrap_or(u32::MAX);
        let mut changed = true;
        while changed {
            changed = false;
            for &id in cfg.reverse_post_order().iter().skip(1) {
                let mut new: Option<BlockId> = None;
                for predecessor in cfg.block(id).all_predecessors() {
                    if immediate[predecessor.index()].is_none() {
                        continue;
                    }
                    new = Some(match new {
                        None => predecessor,
                        Some(other) => common(predecessor, other, &immediate, position),
                    });
                }
                if new.is_some() && immediate[id.index()] != new {
                    immediate[id.index()] = new;
                    changed = true;
                }
            }
        }
        let mut depths = vec![0; immediate.len()];
        for &id in cfg.reverse_post_order().iter().skip(1) {
            if let Some(parent) = immediate[id.index()] {
                depths[id.index()] = depths[parent.index()] + 1;
            }
        }
        Dominators { immediate, depths }
    }

    /// The closest other block that dominates `id`; `None` for the entry and unreachable blocks.
    pub fn immediate(&self, id: BlockId) -> Option<BlockId> {
        self.immediate[id.index()].filter(|parent| *parent != id)
    }

    /// Whether `a` dominates `b`. Every reachable block dominates itself.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        if self.immediate[a.index()].is_none() || self.immediate[b.index()].is_none() {
            return false;
        }
        let mut at = b;
        while self.depths[at.index()] > self.depths[a.index()] {
            match self.immediate(at) {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        at == a
    }
}

/// Closest common ancestor in the tree built so far.
fn common(
    mut a: BlockId,
    mut b: BlockId,
    immediate: &[Option<BlockId>],
    position: impl Fn(BlockId) -> u32,
) -> BlockId {
    while a != b {
        let (low, high) = if position(a) > position(b) { (a, b) } else { (b, a) };
        // The walk goes up the tree, to smaller positions, and ends at the entry.
        a = immediate[low.index()].unwrap_or(Cfg::ENTRY);
        b = high;
    }
    a
}
