//! Regular expressions against a matcher that reads the definition off the tree.

use watchword_automata::finite::{Alphabet, Letter, Regex};

use super::{naive, words};
use watchword_testing::Random;

/// Letter 2 is outside the alphabet the expressions are compiled over.
const AB: Alphabet = Alphabet::new(2);

pub fn random_regex(rng: &mut Random, depth: usize) -> Regex {
    let letter = |rng: &mut Random| Letter(rng.below(3) as u32);
    let letters = |rng: &mut Random| (0..rng.below(3)).map(|_| letter(rng)).collect::<Vec<_>>();
    let parts = |rng: &mut Random| {
        (0..rng.below(4)).map(|_| random_regex(rng, depth - 1)).collect::<Vec<_>>()
    };
    let kinds = if depth == 0 { 6 } else { 16 };
    match rng.below(kinds) {
        0 => Regex::Empty,
        1 => Regex::Epsilon,
        2 => Regex::Letter(letter(rng)),
        3 => Regex::Set(letters(rng)),
        4 => Regex::Except(letters(rng)),
        5 => Regex::Any,
        6 | 7 => Regex::Concat(parts(rng)),
        8 | 9 => Regex::Union(parts(rng)),
        10 => Regex::Intersection(parts(rng)),
        11 => random_regex(rng, depth - 1).plus(),
        12 => random_regex(rng, depth - 1).optional(),
        13 => random_regex(rng, depth - 1).complement(),
        _ => random_regex(rng, depth - 1).star(),
    }
}

#[test]
fn compiling_keeps_the_meaning() {
    let all = words(Alphabet::new(3), 4);
    for seed in 0..1000 {
        let regex = random_regex(&mut Random::new(seed), 3);
        let (nfa, dfa) = (regex.compile(AB), regex.to_dfa(AB));
        assert_eq!(regex.is_nullable(), naive::matches(&regex, AB, &[]), "seed {seed}: {regex}");
        for word in &all {
            let known = word.iter().all(|&letter| AB.contains(letter));
            // Words with foreign letters are outside every language over the alphabet.
            let expected = known && naive::matches(&regex, AB, word);
            assert_eq!(nfa.accepts(word), expected, "seed {seed}: {regex} on {word:?}");
            assert_eq!(dfa.accepts(word), expected, "seed {seed}: {regex} on {word:?}");
        }
    }
}

#[test]
fn limits_are_errors_not_blow_ups() {
    let nth = |n: usize| {
        (1..n).fold(Regex::Any.star().then(Regex::letter(Letter(0))), |r, _| r.then(Regex::Any))
    };
    assert!(nth(30).to_dfa_within(AB, 1000).unwrap_err().is_limit());
    assert!(nth(30).complement().compile_within(AB, 1000).unwrap_err().is_limit());
    assert!(nth(8).complement().compile_within(AB, 1000).is_ok());
    let error = nth(30).to_dfa_within(AB, 1000).unwrap_err();
    assert_eq!(error.to_string(), "the result needs more than the allowed 1000 states");
}

#[test]
fn printing() {
    let [a, b, c] = [0, 1, 2].map(|n| Regex::letter(Letter(n)));
    let regex = a.clone().or(b.clone()).star().then(c.clone()).and(Regex::Any.plus());
    assert_eq!(regex.to_string(), "(0 | 1)* 2 & _+");
    let nested = a.clone().and(b).or(Regex::except([Letter(0), Letter(1)])).then(c);
    assert_eq!(nested.to_string(), "(0 & 1 | [^0 1]) 2");
    assert_eq!(a.complement().optional().to_string(), "!(0)?");
    assert_eq!(Regex::Concat(vec![]).or(Regex::Empty).to_string(), "ε | ∅");
}
