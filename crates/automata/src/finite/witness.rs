//! Emptiness, inclusion and equivalence, each answered with a shortest word.

use std::collections::VecDeque;

use super::{Dfa, Letter, Nfa, StateId, Word};

impl Nfa {
    /// A shortest accepted word; none if the language is empty.
    pub fn shortest_word(&self) -> Option<Word> {
        // How each state was first reached: by a letter or silently, and from where.
        let mut reached: Vec<Option<Step>> = vec![None; self.len()];
        let mut distance = vec![usize::MAX; self.len()];
        let mut queue = VecDeque::new();
        for &start in &self.starts {
            reached[start.index()] = Some(Step::Start);
            distance[start.index()] = 0;
            queue.push_back((start, 0));
        }
        while let Some((state, at)) = queue.pop_front() {
            if at > distance[state.index()] {
                continue;
            }
            if self.is_accepting(state) {
                return Some(trace_back(&reached, state));
            }
            // Silent edges cost nothing, so their targets go to the front of the queue.
            for &to in self.silent_edges(state) {
                if at < distance[to.index()] {
                    distance[to.index()] = at;
                    reached[to.index()] = Some(Step::Silent(state));
                    queue.push_front((to, at));
                }
            }
            for &(letter, to) in self.edges(state) {
                if at + 1 < distance[to.index()] {
                    distance[to.index()] = at + 1;
                    reached[to.index()] = Some(Step::Read(state, letter));
                    queue.push_back((to, at + 1));
                }
            }
        }
        None
    }

    /// Whether no word is accepted.
    pub fn is_empty_language(&self) -> bool {
        self.shortest_word().is_none()
    }

    /// A shortest word accepted here and not by `other`; none if this language is included.
    ///
    /// This automaton is not determinised, so the cost is the product of the sizes.
    pub fn inclusion_counterexample(&self, other: &Dfa) -> Option<Word> {
        let others = other.complete_over(self.alphabet).complement();
        self.intersection(&others.to_nfa()).shortest_word()
    }
}

impl Dfa {
    /// The shortest accepted word, the first in letter order among equally short ones; none if the
    /// language is empty.
    pub fn shortest_word(&self) -> Option<Word> {
        self.shortest_word_from(self.start)
    }

    /// The shortest word that leads from `state` to acceptance, as
    /// [`shortest_word`](Dfa::shortest_word).
    pub fn shortest_word_from(&self, state: StateId) -> Option<Word> {
        let mut reached = vec![None; self.len()];
        reached[state.index()] = Some(Step::Start);
        let mut queue = VecDeque::from([state]);
        while let Some(state) = queue.pop_front() {
            if self.is_accepting(state) {
                return Some(trace_back(&reached, state));
            }
            for (letter, to) in self.edges(state) {
                if reached[to.index()].is_none() {
                    reached[to.index()] = Some(Step::Read(state, letter));
                    queue.push_back(to);
                }
            }
        }
        None
    }

    /// Whether no word is accepted.
    pub fn is_empty_language(&self) -> bool {
        self.shortest_word().is_none()
    }

    /// The shortest word accepted here and not by `other`; none if this language is included.
    pub fn inclusion_counterexample(&self, other: &Dfa) -> Option<Word> {
        self.difference(other).shortest_word()
    }

    /// Whether `other` accepts every word this automaton accepts.
    pub fn is_included_in(&self, other: &Dfa) -> bool {
        self.inclusion_counterexample(other).is_none()
    }

    /// The shortest word that exactly one of the two automata accepts; none if there is none.
    ///
    /// ```
    /// use watchword_automata::finite::{Alphabet, Letter, Regex};
    ///
    /// let a = Regex::letter(Letter(0));
    /// let alphabet = Alphabet::new(1);
    /// let [star, plus] = [a.clone().star(), a.plus()].map(|regex| regex.to_dfa(alphabet));
    /// assert_eq!(star.equivalence_counterexample(&plus), Some(vec![]));
    /// assert!(plus.is_included_in(&star));
    /// ```
    pub fn equivalence_counterexample(&self, other: &Dfa) -> Option<Word> {
        self.symmetric_difference(other).shortest_word()
    }

    /// Whether both automata accept the same words.
    pub fn is_equivalent_to(&self, other: &Dfa) -> bool {
        self.equivalence_counterexample(other).is_none()
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Start,
    Silent(StateId),
    Read(StateId, Letter),
}

fn trace_back(reached: &[Option<Step>], mut state: StateId) -> Word {
    let mut word = Vec::new();
    while let Some(step) = reached[state.index()] {
        match step {
            Step::Start => break,
            Step::Silent(from) => state = from,
            Step::Read(from, letter) => {
                word.push(letter);
                state = from;
            }
        }
    }
    word.reverse();
    word
}
