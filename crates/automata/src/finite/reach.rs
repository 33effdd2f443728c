//! Which states matter: reachable, co-reachable, both.

use super::{Dfa, Nfa, StateId};

impl Nfa {
    /// For every state, whether some word leads there from a start.
    pub fn reachable(&self) -> Vec<bool> {
        flood(self.len(), self.starts.iter().copied(), |state, visit| {
            self.edges(state).iter().for_each(|&(_, to)| visit(to));
            self.silent_edges(state).iter().for_each(|&to| visit(to));
        })
    }

    /// For every state, whether some word leads from there to acceptance.
    pub fn co_reachable(&self) -> Vec<bool> {
        let mut sources = vec![Vec::new(); self.len()];
        for state in self.states() {
            for &(_, to) in self.edges(state) {
                sources[to.index()].push(state);
            }
            for &to in self.silent_edges(state) {
                sources[to.index()].push(state);
            }
        }
        let accepting = self.states().filter(|&state| self.is_accepting(state));
        flood(self.len(), accepting, |state, visit| {
            sources[state.index()].iter().for_each(|&from| visit(from));
        })
    }

    /// Keeps only the states on a path from a start to acceptance, in the same order.
    pub fn trim(&self) -> Nfa {
        let (reachable, live) = (self.reachable(), self.co_reachable());
        let mut trimmed = Nfa::new(self.alphabet);
        let new: Vec<Option<StateId>> = (0..self.len())
            .map(|state| (reachable[state] && live[state]).then(|| trimmed.add_state()))
            .collect();
        for state in self.states() {
            let Some(from) = new[state.index()] else { continue };
            for &(letter, to) in self.edges(state) {
                if let Some(to) = new[to.index()] {
                    trimmed.add_edge(from, letter, to);
                }
            }
            for &to in self.silent_edges(state) {
                if let Some(to) = new[to.index()] {
                    trimmed.add_silent_edge(from, to);
                }
            }
            if self.is_accepting(state) {
                trimmed.add_accepting(from);
            }
        }
        for &start in &self.starts {
            if let Some(start) = new[start.index()] {
                trimmed.add_start(start);
            }
        }
        trimmed
    }
}

impl Dfa {
    /// For every state, whether some word leads there from the start.
    pub fn reachable(&self) -> Vec<bool> {
        flood(self.len(), [self.start], |state, visit| {
            self.edges(state).for_each(|(_, to)| visit(to));
        })
    }

    /// For every state, whether some word leads from there to acceptance.
    pub fn co_reachable(&self) -> Vec<bool> {
        let mut sources = vec![Vec::new(); self.len()];
        for state in self.states() {
            for (_, to) in self.edges(state) {
                sources[to.index()].push(state);
            }
        }
        let accepting = self.states().filter(|&state| self.is_accepting(state));
        flood(self.len(), accepting, |state, visit| {
            sources[state.index()].iter().for_each(|&from| visit(from));
        })
    }

    /// Keeps only the states on a path from the start to acceptance, in the same order, and the
    /// start itself; the result is partial in general.
    pub fn trim(&self) -> Dfa {
        let (reachable, live) = (self.reachable(), self.co_reachable());
        let mut trimmed = Dfa {
            alphabet: self.alphabet,
            table: Vec::new(),
            accepting: Vec::new(),
            start: StateId(0),
        };
        let new: Vec<Option<StateId>> = self
            .states()
            .map(|state| {
                let useful = reachable[state.index()] && live[state.index()];
                (useful || state == self.start).then(|| trimmed.add_state())
            })
            .collect();
        for state in self.states() {
            let Some(from) = new[state.index()] else { continue };
            if state == self.start {
                trimmed.start = from;
            }
            if self.is_accepting(state) {
                trimmed.add_accepting(from);
            }
            for (letter, to) in self.edges(state) {
                // A dead start is kept as a state but must not be entered again.
                if let Some(to) = new[to.index()].filter(|_| live[to.index()]) {
                    trimmed.set_next(from, letter, to);
                }
            }
        }
        trimmed
    }
}

/// All states reached from `from` by following `step`.
fn flood(
    len: usize,
    from: impl IntoIterator<Item = StateId>,
    step: impl Fn(StateId, &mut dyn FnMut(StateId)),
) -> Vec<bool> {
    let mut seen = vec![false; len];
    let mut stack = Vec::new();
    for state in from {
        if !seen[state.index()] {
            seen[state.index()] = true;
            stack.push(state);
        }
    }
    while let Some(state) = stack.pop() {
        step(state, &mut |next: StateId| {
            if !seen[next.index()] {
                seen[next.index()] = true;
                stack.push(next);
            }
        });
    }
    seen
}
