//! Nondeterministic automata with silent (ε) edges.

use super::{Alphabet, Letter, StateId};

/// A nondeterministic finite automaton: any number of start states, silent edges allowed.
///
/// Build one state by state, or compile a [`Regex`](super::Regex).
///
/// ```
/// use watchword_automata::finite::{Alphabet, Letter, Nfa};
///
/// let [a, b] = [Letter(0), Letter(1)];
/// let mut nfa = Nfa::new(Alphabet::new(2)); // words whose last but one letter is `a`
/// let [any, seen, done] = [nfa.add_state(), nfa.add_state(), nfa.add_state()];
/// nfa.add_start(any);
/// nfa.add_accepting(done);
/// nfa.add_edge(any, a, any);
/// nfa.add_edge(any, b, any);
/// nfa.add_edge(any, a, seen);
/// nfa.add_edge(seen, a, done);
/// nfa.add_edge(seen, b, done);
/// assert!(nfa.accepts(&[b, a, b]));
/// assert!(!nfa.accepts(&[a, b, b]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nfa {
    pub(super) alphabet: Alphabet,
    pub(super) states: Vec<NfaState>,
    /// Sorted, without duplicates.
    pub(super) starts: Vec<StateId>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NfaState {
    /// Sorted, without duplicates, so that equal automata have equal representations.
    pub(super) edges: Vec<(Letter, StateId)>,
    pub(super) silent: Vec<StateId>,
    pub(super) accepting: bool,
}

impl Nfa {
    /// The automaton without states; it accepts nothing.
    pub fn new(alphabet: Alphabet) -> Self {
        Nfa { alphabet, states: Vec::new(), starts: Vec::new() }
    }

    /// Adds a state that is neither a start nor accepting.
    pub fn add_state(&mut self) -> StateId {
        self.states.push(NfaState::default());
        StateId::from_index(self.states.len() - 1)
    }

    /// Makes `state` a start state.
    ///
    /// # Panics
    /// If `state` is not a state of this automaton.
    pub fn add_start(&mut self, state: StateId) {
        assert!(state.index() < self.states.len(), "{state} is not a state of this automaton");
        insert_sorted(&mut self.starts, state);
    }

    /// Makes `state` accepting.
    ///
    /// # Panics
    /// If `state` is not a state of this automaton.
    pub fn add_accepting(&mut self, state: StateId) {
        self.states[state.index()].accepting = true;
    }

    /// Adds an edge that reads `letter`.
    ///
    /// # Panics
    /// If `from` or `to` is not a state of this automaton or `letter` not in its alphabet.
    pub fn add_edge(&mut self, from: StateId, letter: Letter, to: StateId) {
        assert!(to.index() < self.states.len(), "{to} is not a state of this automaton");
        assert!(self.alphabet.contains(letter), "letter {letter} is not in the alphabet");
        insert_sorted(&mut self.states[from.index()].edges, (letter, to));
    }

    /// Adds an edge that reads nothing.
    ///
    /// # Panics
    /// If `from` or `to` is not a state of this automaton.
    pub fn add_silent_edge(&mut self, from: StateId, to: StateId) {
        assert!(to.index() < self.states.len(), "{to} is not a state of this automaton");
        insert_sorted(&mut self.states[from.index()].silent, to);
    }

    /// The alphabet.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.states.len()).map(StateId::from_index)
    }

    /// The start states, in increasing order.
    pub fn starts(&self) -> &[StateId] {
        &self.starts
    }

    /// Whether `state` is accepting.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.states[state.index()].accepting
    }

    /// The edges leaving `state`, in increasing order of letter, then target.
    pub fn edges(&self, state: StateId) -> &[(Letter, StateId)] {
        &self.states[state.index()].edges
    }

    /// The targets of the silent edges leaving `state`, in increasing order.
    pub fn silent_edges(&self, state: StateId) -> &[StateId] {
        &self.states[state.index()].silent
    }

    /// Whether the automaton accepts `word`.
    pub fn accepts(&self, word: &[Letter]) -> bool {
        let mut current = self.silent_closure(self.starts.iter().copied());
        for &letter in word {
            current = self.successors(&current, letter);
        }
        self.any_accepting(&current)
    }

    /// All states reachable from `states` by silent edges alone, sorted.
    pub fn silent_closure(&self, states: impl IntoIterator<Item = StateId>) -> Vec<StateId> {
        let mut closure: Vec<StateId> = states.into_iter().collect();
        closure.sort_unstable();
        closure.dedup();
        if closure.iter().all(|&state| self.silent_edges(state).is_empty()) {
            return closure;
        }
        let mut seen = vec![false; self.len()];
        for &state in &closure {
            seen[state.index()] = true;
        }
        let mut done = 0;
        while done < closure.len() {
            for &target in self.silent_edges(closure[done]) {
                if !seen[target.index()] {
                    seen[target.index()] = true;
                    closure.push(target);
                }
            }
            done += 1;
        }
        closure.sort_unstable();
        closure
    }

    /// The closed set of states reached from the closed set `states` by reading `letter`.
    pub(super) fn successors(&self, states: &[StateId], letter: Letter) -> Vec<StateId> {
        let targets = states.iter().flat_map(|&state| {
            let edges = self.edges(state);
            let first = edges.partition_point(|&(l, _)| l < letter);
            edges[first..].iter().take_while(move |&&(l, _)| l == letter).map(|&(_, to)| to)
        });
        self.silent_closure(targets)
    }

    pub(super) fn any_accepting(&self, states: &[StateId]) -> bool {
        states.iter().any(|&state| self.is_accepting(state))
    }

    /// Copies the states and edges of `other`, which must not have a longer alphabet, behind the
    /// states already here; nothing becomes a start. Returns the shift to apply to `other`'s ids.
    pub(super) fn absorb(&mut self, other: &Nfa) -> Shift {
        let shift = Shift(self.states.len() as u32);
        self.states.extend(other.states.iter().map(|state| NfaState {
            edges: state.edges.iter().map(|&(l, to)| (l, shift.apply(to))).collect(),
            silent: state.silent.iter().map(|&to| shift.apply(to)).collect(),
            accepting: state.accepting,
        }));
        shift
    }
}

/// How ids change when one automaton is copied behind another.
#[derive(Clone, Copy)]
pub(super) struct Shift(u32);

impl Shift {
    pub(super) fn apply(self, state: StateId) -> StateId {
        StateId(state.0 + self.0)
    }
}

fn insert_sorted<T: Ord>(list: &mut Vec<T>, item: T) {
    if let Err(place) = list.binary_search(&item) {
        list.insert(place, item);
    }
}
