//! Boolean combinations, by walking two automata in step.

use std::collections::HashMap;

use super::{Dfa, Nfa, StateId};
use crate::Error;

impl Dfa {
    /// The words either automaton accepts.
    pub fn union(&self, other: &Dfa) -> Dfa {
        self.product(other, usize::MAX, |one, two| one || two).expect("no limit was given")
    }

    /// The words both automata accept.
    pub fn intersection(&self, other: &Dfa) -> Dfa {
        self.intersection_within(other, usize::MAX).expect("no limit was given")
    }

    /// Like [`intersection`](Dfa::intersection), but fails if more than `limit` states are needed.
    pub fn intersection_within(&self, other: &Dfa, limit: usize) -> Result<Dfa, Error> {
        self.product(other, limit, |one, two| one && two)
    }

    /// The words this automaton accepts and `other` does not.
    pub fn difference(&self, other: &Dfa) -> Dfa {
        self.product(other, usize::MAX, |one, two| one && !two).expect("no limit was given")
    }

    /// The words exactly one of the automata accepts.
    pub fn symmetric_difference(&self, other: &Dfa) -> Dfa {
        self.product(other, usize::MAX, |one, two| one != two).expect("no limit was given")
    }

    /// Walks both automata in step; `accept` must be false if both arguments are.
    ///
    /// `None` stands for being stuck. Pairs from which `accept` can never hold are not built.
    fn product(
        &self,
        other: &Dfa,
        limit: usize,
        accept: impl Fn(bool, bool) -> bool,
    ) -> Result<Dfa, Error> {
        type Pair = (Option<StateId>, Option<StateId>);
        let step = |&(one, two): &Pair, letter| {
            let next = (
                one.and_then(|state| self.next(state, letter)),
                two.and_then(|state| other.next(state, letter)),
            );
            let hopeful = match next {
                (Some(_), Some(_)) => true,
                (Some(_), None) => accept(true, false),
                (None, Some(_)) => accept(false, true),
                (None, None) => false,
            };
            hopeful.then_some(next)
        };
        let accepting = |&(one, two): &Pair| {
            accept(
                one.is_some_and(|state| self.is_accepting(state)),
                two.is_some_and(|state| other.is_accepting(state)),
            )
        };
        let alphabet = self.alphabet.join(other.alphabet);
        let first = (Some(self.start), Some(other.start));
        let (dfa, _) = Dfa::explore_within(alphabet, first, step, accepting, limit)?;
        Ok(dfa)
    }
}

impl Nfa {
    /// The words either automaton accepts.
    pub fn union(&self, other: &Nfa) -> Nfa {
        let mut union = Nfa::new(self.alphabet.join(other.alphabet));
        for part in [self, other] {
            let shift = union.absorb(part);
            for &start in &part.starts {
                union.add_start(shift.apply(start));
            }
        }
        union
    }

    /// The words both automata accept; only reachable pairs of states are built.
    pub fn intersection(&self, other: &Nfa) -> Nfa {
        let mut pairs = Pairs {
            nfa: Nfa::new(self.alphabet.join(other.alphabet)),
            list: Vec::new(),
            ids: HashMap::new(),
        };
        for &one in &self.starts {
            for &two in &other.starts {
                let start = pairs.id(one, two);
                pairs.nfa.add_start(start);
            }
        }
        let mut done = 0;
        while done < pairs.list.len() {
            let (one, two) = pairs.list[done];
            let from = StateId::from_index(done);
            if self.is_accepting(one) && other.is_accepting(two) {
                pairs.nfa.add_accepting(from);
            }
            for &next in self.silent_edges(one) {
                let to = pairs.id(next, two);
                pairs.nfa.add_silent_edge(from, to);
            }
            for &next in other.silent_edges(two) {
                let to = pairs.id(one, next);
                pairs.nfa.add_silent_edge(from, to);
            }
            for &(letter, next) in self.edges(one) {
                for &(_, other_next) in other.edges(two).iter().filter(|edge| edge.0 == letter) {
                    let to = pairs.id(next, other_next);
                    pairs.nfa.add_edge(from, letter, to);
                }
            }
            done += 1;
        }
        pairs.nfa
    }
}

/// The pairs of states seen so far, each a state of `nfa`.
struct Pairs {
    nfa: Nfa,
    list: Vec<(StateId, StateId)>,
    ids: HashMap<(StateId, StateId), StateId>,
}

impl Pairs {
    fn id(&mut self, one: StateId, two: StateId) -> StateId {
        *self.ids.entry((one, two)).or_insert_with(|| {
            self.list.push((one, two));
            self.nfa.add_state()
        })
    }
}
