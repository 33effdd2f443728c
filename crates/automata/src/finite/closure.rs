//! Operations that rearrange words: concatenation, repetition, reversal, and closures.

use super::{Alphabet, Nfa, StateId};

impl Nfa {
    /// The words that are a word of this automaton followed by one of `next`.
    pub fn concat(&self, next: &Nfa) -> Nfa {
        let mut both = Nfa::new(self.alphabet.join(next.alphabet));
        both.absorb(self);
        both.starts = self.starts.clone();
        let shift = both.absorb(next);
        for state in self.states().filter(|&state| self.is_accepting(state)) {
            both.states[state.index()].accepting = false;
            for &start in &next.starts {
                both.add_silent_edge(state, shift.apply(start));
            }
        }
        both
    }

    /// The concatenations of any number of words of this automaton, also of none.
    pub fn star(&self) -> Nfa {
        let mut star = self.clone();
        // A fresh hub, since making an existing start accepting would accept words that merely
        // lead back to it.
        let hub = star.add_state();
        for &start in &self.starts {
            star.add_silent_edge(hub, start);
        }
        for state in self.states().filter(|&state| self.is_accepting(state)) {
            star.add_silent_edge(state, hub);
        }
        star.add_accepting(hub);
        star.starts = vec![hub];
        star
    }

    /// The words of this automaton read backwards.
    pub fn reverse(&self) -> Nfa {
        let mut reverse = Nfa::new(self.alphabet);
        for _ in self.states() {
            reverse.add_state();
        }
        for state in self.states() {
            for &(letter, to) in self.edges(state) {
                reverse.add_edge(to, letter, state);
            }
            for &to in self.silent_edges(state) {
                reverse.add_silent_edge(to, state);
            }
            if self.is_accepting(state) {
                reverse.add_start(state);
            }
        }
        for &start in &self.starts {
            reverse.add_accepting(start);
        }
        reverse
    }

    /// The upward closure: words that become a word of this automaton by deleting letters.
    ///
    /// ```
    /// use watchword_automata::finite::{Alphabet, Letter, Regex};
    ///
    /// let [a, b, c] = [Letter(0), Letter(1), Letter(2)];
    /// let up = Regex::word(&[a, b]).compile(Alphabet::new(3)).superwords();
    /// assert!(up.accepts(&[c, a, c, b]));
    /// assert!(!up.accepts(&[b, a]));
    /// ```
    pub fn superwords(&self) -> Nfa {
        let mut up = self.clone();
        for state in self.states() {
            up.add_loops(state);
        }
        up
    }

    /// The words that contain a word of this automaton as a contiguous part.
    pub fn containing_factor(&self) -> Nfa {
        let everything = Nfa::all_words(self.alphabet);
        everything.concat(self).concat(&everything)
    }

    /// The words that end in a word of this automaton.
    pub fn containing_suffix(&self) -> Nfa {
        Nfa::all_words(self.alphabet).concat(self)
    }

    /// The beginnings of words of this automaton, the words themselves among them.
    pub fn prefixes(&self) -> Nfa {
        let live = self.co_reachable();
        let mut prefixes = self.clone();
        for state in self.states().filter(|state| live[state.index()]) {
            prefixes.add_accepting(state);
        }
        prefixes
    }

    /// The automaton of all words over `alphabet`.
    pub fn all_words(alphabet: Alphabet) -> Nfa {
        let mut nfa = Nfa::new(alphabet);
        let state = nfa.add_state();
        nfa.add_start(state);
        nfa.add_accepting(state);
        nfa.add_loops(state);
        nfa
    }

    fn add_loops(&mut self, state: StateId) {
        for letter in self.alphabet.letters() {
            self.add_edge(state, letter, state);
        }
    }
}
