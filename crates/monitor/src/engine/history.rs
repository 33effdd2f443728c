//! How instances came to where they are: bounded chains of steps that copies share.
//!
//! A letter that somebody takes is recorded once, as the words it came with; what a person reads is
//! made of it only for a report. Records and steps are used again, so that remembering costs no
//! allocation once as many were there at a time.

use std::sync::Arc;

use watchword_model::{EventId, Location, StateId, Time};
use watchword_step::Word;

use super::heap::Heap;
use super::world::Letter;
use crate::Step;

/// No history, and no record.
pub(crate) const EMPTY: u32 = u32::MAX;
/// The bit of a chain's length that says that it lost its beginning. It is inherited.
const CUT: u32 = 1 << 31;

/// Steps, each with the one before it. A copied instance shares its source's chain. A chain is
/// cut to its last `limit` steps when it has grown to twice that, so an instance holds at most
/// `2 × limit` steps and pays for cutting once in `limit` steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    limit: usize,
    nodes: Vec<Node>,
    free_nodes: Vec<u32>,
    records: Vec<Record>,
    free_records: Vec<u32>,
    /// Scratch.
    kept: Vec<u32>,
}

/// A step of a chain.
#[derive(Clone, Copy, Debug)]
struct Node {
    before: u32,
    holders: u32,
    /// Of the chain up to here, and [`CUT`]; asked of the last step only.
    length: u32,
    state: u32,
    record: u32,
}

/// A letter. The memory of its arguments is kept for the next one when nobody holds it any more.
#[derive(Clone, Debug)]
struct Record {
    holders: u32,
    /// `None` for a deadline.
    event: Option<EventId>,
    index: u64,
    time: Option<Time>,
    thread: Option<u64>,
    location: Option<Arc<Location>>,
    args: Vec<Word>,
}

impl History {
    pub fn new(limit: usize) -> History {
        History { limit, ..History::default() }
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        self.limit > 0
    }

    /// Records a letter; the caller holds the record.
    pub fn record(&mut self, letter: &Letter<'_>, timed: bool, by_deadline: bool) -> u32 {
        let id = match self.free_records.pop() {
            Some(id) => id,
            None => {
                self.records.push(Record {
                    holders: 0,
                    event: None,
                    index: 0,
                    time: None,
                    thread: None,
                    location: None,
                    args: Vec::new(),
                });
                self.records.len() as u32 - 1
            }
        };
        let record = &mut self.records[id as usize];
        record.holders = 1;
        record.event = (!by_deadline).then_some(letter.event);
        record.index = letter.index;
        record.time = timed.then_some(letter.time);
        record.thread = letter.thread;
        record.location = letter.location.cloned();
        record.args.clear();
        record.args.extend_from_slice(letter.args);
        id
    }

    /// One more holder of a record.
    pub fn hold(&mut self, record: u32) -> u32 {
        if record != EMPTY {
            self.records[record as usize].holders += 1;
        }
        record
    }

    /// One holder of a record less.
    #[inline]
    pub fn let_go(&mut self, record: u32) {
        if record == EMPTY {
            return;
        }
        let held = &mut self.records[record as usize];
        held.holders -= 1;
        if held.holders == 0 {
            held.location = None;
            self.free_records.push(record);
        }
    }

    /// A step after a chain the caller holds, who holds the step instead.
    fn node(&mut self, before: u32, record: u32, state: u32) -> u32 {
        let length = if before == EMPTY { 1 } else { self.nodes[before as usize].length + 1 };
        let record = self.hold(record);
        let node = Node { before, holders: 1, length, state, record };
        match self.free_nodes.pop() {
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
    pub fn push(&mut self, chain: u32, record: u32, state: u32) -> u32 {
        let long = self.length(chain) >= 2 * self.limit;
        let chain = if long { self.cut(chain) } else { chain };
        let step = self.node(chain, record, state);
        if long {
            self.nodes[step as usize].length |= CUT;
        }
        step
    }

    /// How many steps are kept of a chain.
    fn length(&self, chain: u32) -> usize {
        match chain {
            EMPTY => 0,
            chain => (self.nodes[chain as usize].length & !CUT) as usize,
        }
    }

    /// Whether a chain had more steps than [`History::steps`] gives.
    pub fn is_cut(&self, chain: u32) -> bool {
        self.limit > 0
            && chain != EMPTY
            && (self.nodes[chain as usize].length & CUT != 0 || self.length(chain) > self.limit)
    }

    /// The last `limit − 1` steps of a chain, instead of the chain: what is left of it if nobody
    /// else holds a part of it, else a copy.
    fn cut(&mut self, chain: u32) -> u32 {
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        let mut shared = false;
        let mut at = chain;
        while at != EMPTY && kept.len() + 1 < self.limit {
            let node = self.nodes[at as usize];
            shared |= node.holders > 1;
            kept.push(at);
            at = node.before;
        }
        let cut = match kept.last() {
            Some(oldest) if !shared => {
                self.nodes[*oldest as usize].before = EMPTY;
                // Only the length of the last step is ever looked at.
                self.nodes[chain as usize].length = kept.len() as u32 | CUT;
                self.release(at);
                chain
            }
            _ => {
                let mut copy = EMPTY;
                for id in kept.iter().rev() {
                    let Node { record, state, .. } = self.nodes[*id as usize];
                    copy = self.node(copy, record, state);
                }
                self.release(chain);
                copy
            }
        };
        self.kept = kept;
        cut
    }

    /// One more holder of a chain.
    pub fn share(&mut self, chain: u32) -> u32 {
        if chain != EMPTY {
            self.nodes[chain as usize].holders += 1;
        }
        chain
    }

    /// One holder of a chain less.
    #[inline]
    pub fn release(&mut self, chain: u32) {
        let mut at = chain;
        while at != EMPTY {
            let node = &mut self.nodes[at as usize];
            node.holders -= 1;
            if node.holders > 0 {
                return;
            }
            let Node { before, record, .. } = *node;
            self.let_go(record);
            self.free_nodes.push(at);
            at = before;
        }
    }

    /// The last `limit` steps, oldest first.
    pub fn steps(&self, chain: u32, heap: &Heap) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = chain;
        while at != EMPTY && steps.len() < self.limit {
            let node = self.nodes[at as usize];
            let record = &self.records[node.record as usize];
            steps.push(Step {
                index: record.index,
                event: record.event,
                args: record.args.iter().map(|w| heap.to_value(*w)).collect(),
                time: record.time,
                thread: record.thread,
                location: record.location.clone(),
                state: StateId(node.state),
            });
            at = node.before;
        }
        steps.reverse();
        steps
    }

    /// Marks what records hold.
    pub fn mark(&self, heap: &mut Heap) {
        for record in self.records.iter().filter(|r| r.holders > 0) {
            record.args.iter().for_each(|w| heap.mark(*w));
        }
    }

    /// How many steps and records are stored.
    #[cfg(test)]
    fn sizes(&self) -> (usize, usize) {
        (self.nodes.len() - self.free_nodes.len(), self.records.len() - self.free_records.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cause;

    fn push(history: &mut History, chain: u32, index: u64, state: u32) -> u32 {
        let letter = Letter {
            event: EventId::END,
            args: &[Word::int(index as i64)],
            index,
            cause: Cause::Event,
            time: 0,
            thread: None,
            location: None,
        };
        let record = history.record(&letter, false, false);
        let chain = history.push(chain, record, state);
        history.let_go(record);
        chain
    }

    #[test]
    fn chains_are_bounded_shared_and_given_back() {
        let mut history = History::new(4);
        let heap = Heap::default();
        let mut chain = EMPTY;
        for i in 0..1000 {
            chain = push(&mut history, chain, i, 0);
            assert!(history.sizes().0 <= 8 && history.sizes().1 <= 8);
        }
        let copy = history.share(chain);
        let copy = push(&mut history, copy, 5000, 1);
        assert!(history.sizes().0 <= 12);
        let mut long = history.share(chain);
        for i in 2000..2020 {
            long = push(&mut history, long, i, 0);
            assert!(history.sizes().0 <= 20);
        }
        let shown = |history: &History, chain| {
            let steps = history.steps(chain, &heap).into_iter();
            steps.map(|s| (s.index, s.args[0].to_string())).collect::<Vec<_>>()
        };
        let value = |i: u64| (i, i.to_string());
        assert_eq!(shown(&history, chain), [996, 997, 998, 999].map(value));
        assert!([chain, copy, long].iter().all(|chain| history.is_cut(*chain)));
        assert_eq!(shown(&history, copy), [997, 998, 999, 5000].map(value));
        assert_eq!(shown(&history, long), [2016, 2017, 2018, 2019].map(value));
        history.release(chain);
        history.release(copy);
        history.release(long);
        assert_eq!(history.sizes(), (0, 0));
    }

    #[test]
    fn what_was_left_out_is_known() {
        for limit in 1..5 {
            let mut history = History::new(limit);
            let mut chain = EMPTY;
            for i in 1..20 {
                chain = push(&mut history, chain, i, 0);
                assert_eq!(history.is_cut(chain), i as usize > limit, "{i} of {limit}");
            }
        }
    }
}
