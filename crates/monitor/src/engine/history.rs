//! How instances came to where they are: bounded chains of steps that copies share.

use std::sync::Arc;

use watchword_model::StateId;

use crate::Step;

/// No history.
pub(crate) const EMPTY: u32 = u32::MAX;

/// Steps, each with the one before it. A copied instance shares its source's chain. A chain is
/// cut to its last `limit` steps when it has grown to twice that, so an instance holds at most
/// `2 × limit` steps and pays for cutting once in `limit` steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    limit: usize,
    nodes: Vec<Node>,
    free: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Node {
    before: u32,
    holders: u32,
    length: u32,
    state: StateId,
    step: Option<Arc<Step>>,
}

impl History {
    pub fn new(limit: usize) -> History {
        History { limit, ..History::default() }
    }

    pub fn is_on(&self) -> bool {
        self.limit > 0
    }

    fn node(&mut self, before: u32, step: Arc<Step>, state: StateId) -> u32 {
        let length = if before == EMPTY { 1 } else { self.nodes[before as usize].length + 1 };
        let node = Node { before, holders: 1, length, state, step: Some(step) };
        match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// Adds a step to a chain its caller holds, and gives the chain the caller holds instead.
    pub fn push(&mut self, chain: u32, step: &Arc<Step>, state: StateId) -> u32 {
        let long = chain != EMPTY && self.nodes[chain as usize].length as usize >= 2 * self.limit;
        let chain = if long { self.cut(chain) } else { chain };
        self.node(chain, step.clone(), state)
    }

    /// A copy of the last `limit − 1` steps of a chain, instead of the chain.
    fn cut(&mut self, chain: u32) -> u32 {
        let mut kept = Vec::new();
        let mut at = chain;
        while at != EMPTY && kept.len() + 1 < self.limit {
            let node = &self.nodes[at as usize];
            kept.push((node.step.clone(), node.state));
            at = node.before;
        }
        let mut copy = EMPTY;
        for (step, state) in kept.into_iter().rev() {
            if let Some(step) = step {
                copy = self.node(copy, step, state);
            }
        }
        self.release(chain);
        copy
    }

    /// One more holder of a chain.
    pub fn share(&mut self, chain: u32) -> u32 {
        if chain != EMPTY {
            self.nodes[chain as usize].holders += 1;
        }
        chain
    }

    /// One holder less.
    pub fn release(&mut self, chain: u32) {
        let mut at = chain;
        while at != EMPTY {
            let node = &mut self.nodes[at as usize];
            node.holders -= 1;
            if node.holders > 0 {
                return;
            }
            node.step = None;
            let before = node.before;
            self.free.push(at);
            at = before;
        }
    }

    /// The last `limit` steps, oldest first.
    pub fn steps(&self, chain: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = chain;
        while at != EMPTY && steps.len() < self.limit {
            let node = &self.nodes[at as usize];
            if let Some(step) = &node.step {
                steps.push(Step { state: node.state, ..Step::clone(step) });
            }
            at = node.before;
        }
        steps.reverse();
        steps
    }

    /// How many steps are stored.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(index: u64) -> Arc<Step> {
        Arc::new(Step {
            index,
            event: None,
            args: Vec::new(),
            time: None,
            thread: None,
            location: None,
            state: StateId(0),
        })
    }

    #[test]
    fn chains_are_bounded_shared_and_given_back() {
        let mut history = History::new(4);
        let mut chain = EMPTY;
        for i in 0..1000 {
            chain = history.push(chain, &step(i), StateId(0));
            assert!(history.len() <= 8);
        }
        let copy = history.share(chain);
        let copy = history.push(copy, &step(5000), StateId(1));
        assert!(history.len() <= 12);
        let shown: Vec<u64> = history.steps(chain).iter().map(|s| s.index).collect();
        assert_eq!(shown, [996, 997, 998, 999]);
        let shown: Vec<u64> = history.steps(copy).iter().map(|s| s.index).collect();
        assert_eq!(shown, [997, 998, 999, 5000]);
        history.release(chain);
        history.release(copy);
        assert_eq!(history.len(), 0);
    }
}
