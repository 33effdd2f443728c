//! From regular expressions to automata.

use super::{Alphabet, Dfa, Letter, Nfa, Regex, StateId};
use crate::Error;

impl Regex {
    /// The automaton of the expression over `alphabet`.
    ///
    /// Linear in the expression, except that intersections and complements inside it are
    /// determinised; use [`compile_within`](Regex::compile_within) to bound that.
    pub fn compile(&self, alphabet: Alphabet) -> Nfa {
        self.compile_within(alphabet, usize::MAX).expect("no limit was given")
    }

    /// Like [`compile`](Regex::compile), but fails if an intersection or a complement inside the
    /// expression needs a deterministic automaton of more than `limit` states.
    pub fn compile_within(&self, alphabet: Alphabet, limit: usize) -> Result<Nfa, Error> {
        let mut builder = Builder { nfa: Nfa::new(alphabet), limit };
        let (start, end) = builder.part(self)?;
        builder.nfa.add_start(start);
        builder.nfa.add_accepting(end);
        Ok(builder.nfa)
    }

    /// The minimal complete deterministic automaton of the expression over `alphabet`.
    pub fn to_dfa(&self, alphabet: Alphabet) -> Dfa {
        self.to_dfa_within(alphabet, usize::MAX).expect("no limit was given")
    }

    /// Like [`to_dfa`](Regex::to_dfa), but fails if some deterministic automaton on the way needs
    /// more than `limit` states.
    pub fn to_dfa_within(&self, alphabet: Alphabet, limit: usize) -> Result<Dfa, Error> {
        let dfa = match self {
            // Straight on deterministic automata; a detour through Nfa would determinise twice.
            Regex::Complement(inner) => inner.to_dfa_within(alphabet, limit)?.complement(),
            Regex::Intersection(parts) => {
                let mut all = Regex::Any.star().to_dfa_within(alphabet, limit)?;
                for part in parts {
                    let part = part.to_dfa_within(alphabet, limit)?;
                    all = all.intersection_within(&part, limit)?.minimise();
                }
                all
            }
            _ => self.compile_within(alphabet, limit)?.determinise_within(limit)?,
        };
        Ok(dfa.minimise())
    }
}

/// Builds fragments with one entry that nothing leads back to from outside and one exit.
struct Builder {
    nfa: Nfa,
    limit: usize,
}

impl Builder {
    fn part(&mut self, regex: &Regex) -> Result<(StateId, StateId), Error> {
        let alphabet = self.nfa.alphabet();
        match regex {
            Regex::Empty => Ok((self.nfa.add_state(), self.nfa.add_state())),
            Regex::Epsilon => {
                let state = self.nfa.add_state();
                Ok((state, state))
            }
            Regex::Letter(letter) => Ok(self.one_of([*letter].into_iter())),
            Regex::Set(letters) => Ok(self.one_of(letters.iter().copied())),
            Regex::Except(letters) => {
                Ok(self.one_of(alphabet.letters().filter(|letter| !letters.contains(letter))))
            }
            Regex::Any => Ok(self.one_of(alphabet.letters())),
            Regex::Concat(parts) => {
                let start = self.nfa.add_state();
                let mut end = start;
                for part in parts {
                    let (next, last) = self.part(part)?;
                    self.nfa.add_silent_edge(end, next);
                    end = last;
                }
                Ok((start, end))
            }
            Regex::Union(parts) => {
                let (start, end) = (self.nfa.add_state(), self.nfa.add_state());
                for part in parts {
                    let (first, last) = self.part(part)?;
                    self.nfa.add_silent_edge(start, first);
                    self.nfa.add_silent_edge(last, end);
                }
                Ok((start, end))
            }
            Regex::Star(inner) => {
                let (start, end) = self.plus(inner)?;
                self.nfa.add_silent_edge(start, end);
                Ok((start, end))
            }
            Regex::Plus(inner) => self.plus(inner),
            Regex::Optional(inner) => {
                let (start, end) = self.wrapped(inner)?;
                self.nfa.add_silent_edge(start, end);
                Ok((start, end))
            }
            Regex::Intersection(_) | Regex::Complement(_) => {
                let dfa = regex.to_dfa_within(alphabet, self.limit)?.trim();
                let end = self.nfa.add_state();
                let shift = self.nfa.absorb(&dfa.to_nfa());
                for state in dfa.states().filter(|&state| dfa.is_accepting(state)) {
                    self.nfa.states[shift.apply(state).index()].accepting = false;
                    self.nfa.add_silent_edge(shift.apply(state), end);
                }
                Ok((shift.apply(dfa.start()), end))
            }
        }
    }

    fn one_of(&mut self, letters: impl Iterator<Item = Letter>) -> (StateId, StateId) {
        let (start, end) = (self.nfa.add_state(), self.nfa.add_state());
        let alphabet = self.nfa.alphabet();
        for letter in letters.filter(|&letter| alphabet.contains(letter)) {
            self.nfa.add_edge(start, letter, end);
        }
        (start, end)
    }

    fn plus(&mut self, inner: &Regex) -> Result<(StateId, StateId), Error> {
        let (first, last) = self.part(inner)?;
        let (start, end) = (self.nfa.add_state(), self.nfa.add_state());
        self.nfa.add_silent_edge(start, first);
        self.nfa.add_silent_edge(last, first);
        self.nfa.add_silent_edge(last, end);
        Ok((start, end))
    }

    fn wrapped(&mut self, inner: &Regex) -> Result<(StateId, StateId), Error> {
        let (first, last) = self.part(inner)?;
        let (start, end) = (self.nfa.add_state(), self.nfa.add_state());
        self.nfa.add_silent_edge(start, first);
        self.nfa.add_silent_edge(last, end);
        Ok((start, end))
    }
}
