//! Union, intersection, concatenation and star, for all short words.

use watchword_automata::register::*;

use super::{Style, data_words, naive};
use watchword_testing::Random;

#[test]
fn combinations_have_the_combined_languages() {
    let mut hits = [0; 4];
    for seed in 0..300 {
        let mut rng = Random::new(seed);
        let signature = Style::SMALL.signature(&mut rng);
        let [one, two] = [0, 1].map(|_| Style::SMALL.simple_over(&mut rng, signature.clone()));
        let (union, both) = (one.union(&two), one.intersection(&two));
        let (concat, star) = (one.concat(&two), one.star());
        let in_one = |word: &[DataLetter]| naive::simple(&one, word, naive::NO);
        let in_two = |word: &[DataLetter]| naive::simple(&two, word, naive::NO);
        for word in data_words(&signature, 3) {
            let cuts = || (0..=word.len()).map(|cut| word.split_at(cut));
            let expected = [
                in_one(&word) || in_two(&word),
                in_one(&word) && in_two(&word),
                cuts().any(|(first, second)| in_one(first) && in_two(second)),
                in_star(&in_one, &word),
            ];
            let found = [&union, &both, &concat, &star].map(|automaton| automaton.accepts(&word));
            assert_eq!(found, expected, "union, intersection, concat, star; seed {seed}: {word:?}");
            for (hits, expected) in hits.iter_mut().zip(expected) {
                *hits += usize::from(expected);
            }
        }
    }
    assert!(hits.iter().all(|&hits| hits > 500), "{hits:?}");
}

fn in_star(holds: &dyn Fn(&[DataLetter]) -> bool, word: &[DataLetter]) -> bool {
    word.is_empty()
        || (1..=word.len()).any(|cut| holds(&word[..cut]) && in_star(holds, &word[cut..]))
}

/// Every round of a star starts from the initial store, not from what the last round left.
#[test]
fn star_restores_the_initial_store() {
    let (c, r) = (Component(0), Register(0));
    let mut automaton = SimpleAutomaton::new(Signature::tuples(1), [Value(7)]);
    let [mid, end] = [automaton.add_state(), automaton.add_state()];
    automaton.add_transition(automaton.start(), Label::any().equal(c, r), mid);
    automaton.add_transition(mid, Label::any().set(r, c), end);
    automaton.add_accepting(end);
    let star = automaton.star();
    assert!(star.accepts(&unary_word(&[7, 1, 7, 2].map(Value))));
    assert!(!star.accepts(&unary_word(&[7, 1, 1, 2].map(Value))));
}

#[test]
fn transitions_in_order() {
    let style = Style { states: 2, transitions: 6, opaque: true, ..Style::SMALL };
    let oracle = |id: u32, store: &[Value], letter: &DataLetter| {
        let sum: u64 = store.iter().chain(&letter.values).map(|value| value.0).sum();
        (sum + u64::from(id)).is_multiple_of(2)
    };
    let mut shadowed = 0;
    for seed in 0..300 {
        let automaton = style.simple(&mut Random::new(seed));
        let ordered = automaton.first_enabled();
        for word in data_words(automaton.signature(), 3) {
            let expected = naive::ordered(&automaton, &word, &oracle);
            let found = ordered.accepts_with(&word, &mut { oracle });
            assert_eq!(found, expected, "seed {seed}: {word:?}");
            shadowed += usize::from(!expected && naive::simple(&automaton, &word, &oracle));
        }
    }
    assert!(shadowed > 500, "{shadowed} words");
}

/// Transitions on different kinds do not get in each other's way.
#[test]
fn order_costs_nothing_across_kinds() {
    let kinds = 30;
    let signature = Signature::new(vec![1; kinds as usize]);
    let mut automaton = SimpleAutomaton::new(signature, []);
    let start = automaton.start();
    for kind in (0..kinds).map(Kind) {
        let value = Value(kind.0.into());
        automaton.add_transition(start, Label::kind(kind).equal(Component(0), value), start);
    }
    let ordered = automaton.first_enabled_within(1).unwrap();
    assert_eq!(ordered.transition_count(), kinds as usize);
}
