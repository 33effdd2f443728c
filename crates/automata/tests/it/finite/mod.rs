//! Finite automata.

mod laws;
mod naive;
mod operations;
mod regexes;
mod states;
mod verdicts;

use watchword_automata::finite::{Alphabet, Dfa, Letter, Nfa, StateId, Word};

use watchword_testing::Random;

/// All words over `alphabet` up to `length`, shortest first, then in letter order.
pub fn words(alphabet: Alphabet, length: usize) -> Vec<Word> {
    let mut all = vec![vec![]];
    let mut from = 0;
    for _ in 0..length {
        let to = all.len();
        for i in from..to {
            for letter in alphabet.letters() {
                let mut word: Word = all[i].clone();
                word.push(letter);
                all.push(word);
            }
        }
        from = to;
    }
    all
}

pub fn random_nfa(rng: &mut Random, alphabet: Alphabet, states: usize) -> Nfa {
    let mut nfa = Nfa::new(alphabet);
    let states: Vec<StateId> = (0..1 + rng.below(states)).map(|_| nfa.add_state()).collect();
    for _ in 0..rng.below(3 * states.len()) {
        let (from, to) = (*rng.pick(&states), *rng.pick(&states));
        let letter = Letter(rng.below(alphabet.len()) as u32);
        nfa.add_edge(from, letter, to);
    }
    for _ in 0..rng.below(states.len()) {
        let (from, to) = (*rng.pick(&states), *rng.pick(&states));
        nfa.add_silent_edge(from, to);
    }
    for &state in &states {
        if rng.chance(30) {
            nfa.add_accepting(state);
        }
        if rng.chance(30) || state == states[0] {
            nfa.add_start(state);
        }
    }
    nfa
}

pub fn random_dfa(rng: &mut Random, alphabet: Alphabet, states: usize) -> Dfa {
    let mut dfa = Dfa::new(alphabet);
    for _ in 0..rng.below(states) {
        dfa.add_state();
    }
    let states: Vec<StateId> = dfa.states().collect();
    // Sparse tables exercise missing successors, full ones the complete case.
    let density = *rng.pick(&[50, 80, 100]);
    for &state in &states {
        if rng.chance(35) {
            dfa.add_accepting(state);
        }
        for letter in alphabet.letters() {
            if rng.chance(density) {
                dfa.set_next(state, letter, *rng.pick(&states));
            }
        }
    }
    dfa
}
