//! Deterministic automata as dense tables.

use super::{Alphabet, Letter, Nfa, StateId};

/// A deterministic finite automaton: one start state, at most one successor per letter.
///
/// A missing successor rejects. There is always at least one state, the start.
///
/// ```
/// use watchword_automata::finite::{Alphabet, Dfa, Letter};
///
/// let tick = Letter(0);
/// let mut even = Dfa::new(Alphabet::new(1));
/// let odd = even.add_state();
/// even.add_accepting(even.start());
/// even.set_next(even.start(), tick, odd);
/// even.set_next(odd, tick, even.start());
/// assert!(even.accepts(&[tick, tick]));
/// assert!(!even.accepts(&[tick]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dfa {
    pub(super) alphabet: Alphabet,
    /// Row per state, column per letter; `NONE` where there is no successor.
    pub(super) table: Vec<u32>,
    pub(super) accepting: Vec<bool>,
    pub(super) start: StateId,
}

pub(super) const NONE: u32 = u32::MAX;

impl Dfa {
    /// The automaton with a start state and no edges; it accepts nothing.
    pub fn new(alphabet: Alphabet) -> Self {
        let mut dfa = Dfa { alphabet, table: Vec::new(), accepting: Vec::new(), start: StateId(0) };
        dfa.add_state();
        dfa
    }

    /// Adds a state that is not accepting and has no successors.
    pub fn add_state(&mut self) -> StateId {
        self.accepting.push(false);
        self.table.resize(self.table.len() + self.alphabet.len(), NONE);
        StateId::from_index(self.accepting.len() - 1)
    }

    /// Makes `state` accepting.
    ///
    /// # Panics
    /// If `state` is not a state of this automaton.
    pub fn add_accepting(&mut self, state: StateId) {
        self.accepting[state.index()] = true;
    }

    /// Sets the successor of `from` under `letter`, replacing an earlier one.
    ///
    /// # Panics
    /// If `from` or `to` is not a state of this automaton or `letter` not in its alphabet.
    pub fn set_next(&mut self, from: StateId, letter: Letter, to: StateId) {
        assert!(to.index() < self.len(), "{to} is not a state of this automaton");
        assert!(self.alphabet.contains(letter), "letter {letter} is not in the alphabet");
        let cell = from.index() * self.alphabet.len() + letter.index();
        self.table[cell] = to.0;
    }

    /// The alphabet.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// How many states there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "there is always a start state")]
    pub fn len(&self) -> usize {
        self.accepting.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.len()).map(StateId::from_index)
    }

    /// The start state.
    pub fn start(&self) -> StateId {
        self.start
    }

    /// Whether `state` is accepting.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state.index()]
    }

    /// The successor of `state` under `letter`; none for a letter outside the alphabet.
    pub fn next(&self, state: StateId, letter: Letter) -> Option<StateId> {
        if !self.alphabet.contains(letter) {
            return None;
        }
        match self.table[state.index() * self.alphabet.len() + letter.index()] {
            NONE => None,
            number => Some(StateId(number)),
        }
    }

    /// The existing edges leaving `state`, in increasing order of letter.
    pub fn edges(&self, state: StateId) -> impl Iterator<Item = (Letter, StateId)> + '_ {
        let row = state.index() * self.alphabet.len();
        self.table[row..row + self.alphabet.len()]
            .iter()
            .enumerate()
            .filter(|&(_, &number)| number != NONE)
            .map(|(letter, &number)| (Letter(letter as u32), StateId(number)))
    }

    /// Where `word` leads from `state`, if the automaton does not get stuck on the way.
    pub fn run_from(&self, state: StateId, word: &[Letter]) -> Option<StateId> {
        word.iter().try_fold(state, |state, &letter| self.next(state, letter))
    }

    /// Where `word` leads from the start, if the automaton does not get stuck on the way.
    pub fn run(&self, word: &[Letter]) -> Option<StateId> {
        self.run_from(self.start, word)
    }

    /// Whether the automaton accepts `word`.
    pub fn accepts(&self, word: &[Letter]) -> bool {
        self.run(word).is_some_and(|state| self.is_accepting(state))
    }

    /// Whether every state has a successor under every letter.
    pub fn is_complete(&self) -> bool {
        !self.table.contains(&NONE)
    }

    /// The same language over a complete table: missing successors lead to a new rejecting sink,
    /// which is added only if needed and then has the highest number.
    pub fn complete(&self) -> Dfa {
        self.complete_over(self.alphabet)
    }

    /// Like [`complete`](Dfa::complete), over the join of the automaton's alphabet and `alphabet`.
    pub fn complete_over(&self, alphabet: Alphabet) -> Dfa {
        let mut dfa = self.widen(alphabet);
        if !dfa.is_complete() {
            let sink = dfa.add_state();
            for cell in dfa.table.iter_mut().filter(|cell| **cell == NONE) {
                *cell = sink.0;
            }
        }
        dfa
    }

    /// The words over the automaton's alphabet that it does not accept.
    pub fn complement(&self) -> Dfa {
        let mut dfa = self.complete();
        for accepting in &mut dfa.accepting {
            *accepting = !*accepting;
        }
        dfa
    }

    /// The words accepted from `state` on: the same automaton with another start.
    ///
    /// Compare residuals of one automaton with
    /// [`equivalent_states`](Dfa::equivalent_states), and of two with
    /// [`is_equivalent_to`](Dfa::is_equivalent_to).
    ///
    /// # Panics
    /// If `state` is not a state of this automaton.
    pub fn residual(&self, state: StateId) -> Dfa {
        assert!(state.index() < self.len(), "{state} is not a state of this automaton");
        Dfa { start: state, ..self.clone() }
    }

    /// The same automaton read as a nondeterministic one, with the same state numbers.
    pub fn to_nfa(&self) -> Nfa {
        let mut nfa = Nfa::new(self.alphabet);
        for state in self.states() {
            nfa.add_state();
            if self.is_accepting(state) {
                nfa.add_accepting(state);
            }
        }
        for state in self.states() {
            nfa.states[state.index()].edges = self.edges(state).collect();
        }
        nfa.add_start(self.start);
        nfa
    }

    /// The same edges in a table wide enough for both alphabets.
    pub(super) fn widen(&self, alphabet: Alphabet) -> Dfa {
        let alphabet = self.alphabet.join(alphabet);
        if alphabet == self.alphabet {
            return self.clone();
        }
        let mut wide = Dfa {
            alphabet,
            table: vec![NONE; self.len() * alphabet.len()],
            accepting: self.accepting.clone(),
            start: self.start,
        };
        for state in self.states() {
            for (letter, to) in self.edges(state) {
                wide.set_next(state, letter, to);
            }
        }
        wide
    }
}
