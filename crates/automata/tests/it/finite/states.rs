//! Reachability, Nerode classes and minimal automata against their definitions.

use watchword_automata::finite::Alphabet;

use super::{naive, random_dfa, words};
use watchword_testing::Random;

const AB: Alphabet = Alphabet::new(2);

#[test]
fn reachable_and_co_reachable() {
    for seed in 0..300 {
        let dfa = random_dfa(&mut Random::new(seed), AB, 6);
        let short = words(AB, dfa.len());
        let (reachable, live) = (dfa.reachable(), dfa.co_reachable());
        let nfa = dfa.to_nfa();
        assert_eq!((nfa.reachable(), nfa.co_reachable()), (reachable.clone(), live.clone()));
        for state in dfa.states() {
            let expected = short.iter().any(|word| dfa.run(word) == Some(state));
            assert_eq!(reachable[state.index()], expected, "seed {seed} {state}");
            let expected = short.iter().any(|word| naive::dfa_accepts_from(&dfa, state, word));
            assert_eq!(live[state.index()], expected, "seed {seed} {state}");
        }
        let trim = dfa.trim();
        let useful = trim.reachable().into_iter().zip(trim.co_reachable());
        let useless = useful.filter(|&(reached, live)| !(reached && live)).count();
        assert_eq!(useless, usize::from(dfa.is_empty_language()), "seed {seed}");
        if dfa.is_empty_language() {
            assert_eq!(trim.edges(trim.start()).count(), 0, "seed {seed}");
        }
    }
}

/// Two states of an n-state automaton are equivalent exactly if no word shorter than n + 1 (with
/// the implicit sink) tells them apart.
#[test]
fn equivalent_states_are_told_apart_by_no_word() {
    let mut equivalent = 0;
    for seed in 0..300 {
        let dfa = random_dfa(&mut Random::new(seed), AB, 7);
        let short = words(AB, dfa.len() + 1);
        let classes = dfa.equivalent_states();
        for one in dfa.states() {
            for two in dfa.states() {
                let same = short.iter().all(|word| {
                    naive::dfa_accepts_from(&dfa, one, word)
                        == naive::dfa_accepts_from(&dfa, two, word)
                });
                equivalent += usize::from(same && one != two);
                assert_eq!(classes.equivalent(one, two), same, "seed {seed} {one} {two}");
                let residuals = [one, two].map(|state| dfa.residual(state).minimise());
                assert_eq!(residuals[0] == residuals[1], same, "seed {seed} {one} {two}");
            }
        }
        let members: Vec<_> =
            (0..classes.len()).flat_map(|c| classes.members(c).to_vec()).collect();
        assert_eq!(members.len(), dfa.len(), "seed {seed}");
        let least: Vec<_> = (0..classes.len()).map(|c| classes.members(c)[0]).collect();
        assert!(least.is_sorted(), "seed {seed}");
    }
    assert!(equivalent > 100, "only {equivalent} equivalent pairs");
}

/// The number of Nerode classes of the language, counted by brute force, is the number of states.
#[test]
fn minimal_automata_are_minimal() {
    for seed in 0..200 {
        let dfa = random_dfa(&mut Random::new(seed), AB, 5);
        let minimal = dfa.minimise();
        let (prefixes, ends) = (words(AB, dfa.len()), words(AB, dfa.len() + 1));
        let mut residuals: Vec<Vec<bool>> = prefixes
            .iter()
            .map(|prefix| {
                let holds = |end: &Vec<_>| naive::dfa_accepts(&dfa, &[&prefix[..], end].concat());
                ends.iter().map(holds).collect()
            })
            .collect();
        residuals.sort();
        residuals.dedup();
        assert_eq!(minimal.len(), residuals.len(), "seed {seed}");
        assert_eq!(minimal.minimise(), minimal, "seed {seed}");
        assert!(minimal.reachable().into_iter().all(|reached| reached), "seed {seed}");
    }
}
