//! Algebraic laws, checked on minimal automata, which are equal exactly if the languages are.

use watchword_automata::finite::{Alphabet, Dfa, Nfa};

use super::{random_dfa, random_nfa};
use watchword_testing::Random;

const AB: Alphabet = Alphabet::new(2);

fn minimal(nfa: &Nfa) -> Dfa {
    nfa.determinise().minimise()
}

#[test]
fn boolean_laws() {
    for seed in 0..200 {
        let mut rng = Random::new(seed);
        let [a, b, c] = std::array::from_fn(|_| random_dfa(&mut rng, AB, 6));
        let law = |left: Dfa, right: Dfa, name: &str| {
            assert_eq!(left.minimise(), right.minimise(), "{name}, seed {seed}");
        };
        law(a.complement().complement(), a.clone(), "double complement");
        law(a.union(&b).complement(), a.complement().intersection(&b.complement()), "De Morgan");
        law(a.difference(&b), a.intersection(&b.complement()), "difference");
        law(
            a.intersection(&b.union(&c)),
            a.intersection(&b).union(&a.intersection(&c)),
            "distributivity",
        );
        law(
            a.symmetric_difference(&b),
            a.difference(&b).union(&b.difference(&a)),
            "symmetric difference",
        );
        law(a.intersection(&a.complement()), Dfa::new(AB), "contradiction");
        assert!(a.intersection(&b).is_included_in(&a), "seed {seed}");
        assert_eq!(
            a.is_included_in(&b),
            a.union(&b).is_equivalent_to(&b),
            "inclusion is union, seed {seed}"
        );
    }
}

#[test]
fn kleene_laws() {
    for seed in 0..200 {
        let mut rng = Random::new(seed);
        let [a, b, c] = std::array::from_fn(|_| random_nfa(&mut rng, AB, 4));
        let law = |left: Nfa, right: Nfa, name: &str| {
            assert_eq!(minimal(&left), minimal(&right), "{name}, seed {seed}");
        };
        law(a.star().star(), a.star(), "star is idempotent");
        law(a.star().concat(&a.star()), a.star(), "star absorbs");
        law(a.union(&b).star(), a.star().concat(&b.concat(&a.star()).star()), "denesting");
        law(a.concat(&b.union(&c)), a.concat(&b).union(&a.concat(&c)), "distributivity");
        law(a.concat(&b).reverse(), b.reverse().concat(&a.reverse()), "reverse of concat");
        law(a.reverse().reverse(), a.clone(), "double reverse");
        law(a.superwords().superwords(), a.superwords(), "superwords is a closure");
        law(
            a.concat(&b).superwords(),
            a.superwords().concat(&b.superwords()),
            "superwords of concat",
        );
        law(a.prefixes().prefixes(), a.prefixes(), "prefixes is a closure");
        law(
            a.containing_factor(),
            a.reverse().containing_factor().reverse(),
            "factors read backwards",
        );
        assert!(minimal(&a.containing_factor()).is_included_in(&minimal(&a.superwords())));
    }
}

/// Reversing and determinising twice minimises (Brzozowski), an algorithm unrelated to ours.
#[test]
fn hopcroft_agrees_with_brzozowski() {
    for seed in 0..300 {
        let nfa = random_nfa(&mut Random::new(seed), AB, 7);
        let twice = nfa.reverse().determinise().to_nfa().reverse().determinise();
        assert_eq!(minimal(&nfa).trim().len(), twice.trim().len(), "seed {seed}");
        assert!(minimal(&nfa).is_equivalent_to(&twice), "seed {seed}");
    }
}

/// Renaming states does not change the minimal automaton, number by number.
#[test]
fn minimal_numbering_is_canonical() {
    for seed in 0..200 {
        let mut rng = Random::new(seed);
        let dfa = random_dfa(&mut rng, AB, 8);
        let mut order: Vec<_> = dfa.states().collect();
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
        let mut shuffled = Nfa::new(AB);
        for _ in &order {
            shuffled.add_state();
        }
        for state in dfa.states() {
            let new = order[state.index()];
            if dfa.is_accepting(state) {
                shuffled.add_accepting(new);
            }
            for (letter, to) in dfa.edges(state) {
                shuffled.add_edge(new, letter, order[to.index()]);
            }
        }
        shuffled.add_start(order[dfa.start().index()]);
        assert_eq!(minimal(&shuffled), dfa.minimise(), "seed {seed}");
    }
}
