//! Each operation on random automata against the definition of its language.

use watchword_automata::finite::{Alphabet, Letter, Nfa};

use super::{naive, random_dfa, random_nfa, words};
use watchword_testing::Random;

const AB: Alphabet = Alphabet::new(2);
const ABC: Alphabet = Alphabet::new(3);

#[test]
fn nfa_membership_and_determinising() {
    let words = words(AB, 6);
    for seed in 0..300 {
        let nfa = random_nfa(&mut Random::new(seed), AB, 6);
        let dfa = nfa.determinise();
        let minimal = dfa.minimise();
        assert!(minimal.is_complete(), "seed {seed}");
        for word in &words {
            let expected = naive::nfa_accepts(&nfa, word);
            assert_eq!(nfa.accepts(word), expected, "seed {seed} word {word:?}");
            assert_eq!(dfa.accepts(word), expected, "seed {seed} word {word:?}");
            assert_eq!(minimal.accepts(word), expected, "seed {seed} word {word:?}");
        }
    }
}

#[test]
fn nfa_unary_operations() {
    let all = words(AB, 5);
    for seed in 0..200 {
        let nfa = random_nfa(&mut Random::new(seed), AB, 4);
        let holds = |word: &[_]| naive::nfa_accepts(&nfa, word);
        let (star, reverse, trim) = (nfa.star(), nfa.reverse(), nfa.trim());
        let (up, factor, suffix) =
            (nfa.superwords(), nfa.containing_factor(), nfa.containing_suffix());
        let prefixes = nfa.prefixes();
        // If any extension is accepted, one shorter than the number of states is.
        let extensions = words(AB, nfa.len());
        for word in &all {
            let at = |what: &str| format!("{what}, seed {seed}, word {word:?}");
            assert_eq!(star.accepts(word), naive::star(&holds, word), "{}", at("star"));
            let backwards: Vec<_> = word.iter().rev().copied().collect();
            assert_eq!(reverse.accepts(word), holds(&backwards), "{}", at("reverse"));
            assert_eq!(trim.accepts(word), holds(word), "{}", at("trim"));
            let expected = naive::subwords(word).iter().any(|w| holds(w));
            assert_eq!(up.accepts(word), expected, "{}", at("superwords"));
            let expected = naive::factors(word).into_iter().any(holds);
            assert_eq!(factor.accepts(word), expected, "{}", at("containing_factor"));
            let expected = (0..=word.len()).any(|from| holds(&word[from..]));
            assert_eq!(suffix.accepts(word), expected, "{}", at("containing_suffix"));
            let expected = extensions.iter().any(|end| holds(&[word.as_slice(), end].concat()));
            assert_eq!(prefixes.accepts(word), expected, "{}", at("prefixes"));
        }
    }
}

/// The operands have different alphabets in some rounds: the result is over the longer one.
#[test]
fn nfa_binary_operations() {
    let all = words(ABC, 4);
    for seed in 0..200 {
        let mut rng = Random::new(seed);
        let alphabets = [*rng.pick(&[AB, ABC]), *rng.pick(&[AB, ABC])];
        let [one, two] = alphabets.map(|alphabet| random_nfa(&mut rng, alphabet, 5));
        let (union, both, concat) = (one.union(&two), one.intersection(&two), one.concat(&two));
        for word in &all {
            let at = |what: &str| format!("{what}, seed {seed}, word {word:?}");
            let (in_one, in_two) = (naive::nfa_accepts(&one, word), naive::nfa_accepts(&two, word));
            assert_eq!(union.accepts(word), in_one || in_two, "{}", at("union"));
            assert_eq!(both.accepts(word), in_one && in_two, "{}", at("intersection"));
            let expected = (0..=word.len()).any(|cut| {
                naive::nfa_accepts(&one, &word[..cut]) && naive::nfa_accepts(&two, &word[cut..])
            });
            assert_eq!(concat.accepts(word), expected, "{}", at("concat"));
        }
    }
}

#[test]
fn dfa_operations() {
    let all = words(ABC, 5);
    for seed in 0..200 {
        let mut rng = Random::new(seed);
        let alphabets = [*rng.pick(&[AB, ABC]), *rng.pick(&[AB, ABC])];
        let [one, two] = alphabets.map(|alphabet| random_dfa(&mut rng, alphabet, 6));
        let (union, both) = (one.union(&two), one.intersection(&two));
        let (minus, either) = (one.difference(&two), one.symmetric_difference(&two));
        let (complement, wide) = (one.complement(), one.complete_over(ABC));
        assert!(wide.is_complete() && complement.is_complete(), "seed {seed}");
        for word in &all {
            let at = |what: &str| format!("{what}, seed {seed}, word {word:?}");
            let (in_one, in_two) = (naive::dfa_accepts(&one, word), naive::dfa_accepts(&two, word));
            assert_eq!(one.accepts(word), in_one, "{}", at("accepts"));
            assert_eq!(union.accepts(word), in_one || in_two, "{}", at("union"));
            assert_eq!(both.accepts(word), in_one && in_two, "{}", at("intersection"));
            assert_eq!(minus.accepts(word), in_one && !in_two, "{}", at("difference"));
            assert_eq!(either.accepts(word), in_one != in_two, "{}", at("symmetric"));
            assert_eq!(wide.accepts(word), in_one, "{}", at("complete_over"));
            assert_eq!(one.trim().accepts(word), in_one, "{}", at("trim"));
            assert_eq!(one.to_nfa().accepts(word), in_one, "{}", at("to_nfa"));
            let known = word.iter().all(|&letter| one.alphabet().contains(letter));
            assert_eq!(complement.accepts(word), known && !in_one, "{}", at("complement"));
        }
    }
}

/// An automaton with n states accepts something exactly if it accepts a word shorter than n, so
/// looking through all words that short decides emptiness and finds the first shortest word.
#[test]
fn shortest_words() {
    let mut empty = 0;
    for seed in 0..400 {
        let mut rng = Random::new(seed);
        let nfa = random_nfa(&mut rng, AB, 6);
        let expected = words(AB, nfa.len()).into_iter().find(|w| naive::nfa_accepts(&nfa, w));
        let found = nfa.shortest_word();
        assert_eq!(found.is_none(), expected.is_none(), "seed {seed}");
        assert_eq!(nfa.is_empty_language(), expected.is_none(), "seed {seed}");
        if let (Some(found), Some(expected)) = (found, expected) {
            assert_eq!(found.len(), expected.len(), "seed {seed}");
            assert!(naive::nfa_accepts(&nfa, &found), "seed {seed}");
        }
        let dfa = random_dfa(&mut rng, AB, 6);
        let expected = words(AB, dfa.len()).into_iter().find(|w| naive::dfa_accepts(&dfa, w));
        empty += usize::from(expected.is_none());
        assert_eq!(dfa.shortest_word(), expected, "seed {seed}");
    }
    assert!(empty > 20, "only {empty} empty languages");
}

/// A path of silent edges is shorter than one letter, however many edges it has.
#[test]
fn silent_edges_have_no_length() {
    let mut nfa = Nfa::new(AB);
    let states: Vec<_> = (0..5).map(|_| nfa.add_state()).collect();
    nfa.add_start(states[0]);
    nfa.add_edge(states[0], Letter(0), states[4]);
    for pair in states[..4].windows(2) {
        nfa.add_silent_edge(pair[0], pair[1]);
    }
    nfa.add_accepting(states[3]);
    nfa.add_accepting(states[4]);
    assert_eq!(nfa.shortest_word(), Some(vec![]));
}

/// Two automata with n and m states that differ do so on a word shorter than n · m (counting the
/// implicit sinks); these are small enough to try all.
#[test]
fn inclusion_and_equivalence_counterexamples() {
    let all = words(AB, 9);
    let (mut included, mut equal) = (0, 0);
    for seed in 0..300 {
        let mut rng = Random::new(seed);
        let [one, two] = [random_dfa(&mut rng, AB, 2), random_dfa(&mut rng, AB, 2)];
        let in_one = |word: &&Vec<_>| naive::dfa_accepts(&one, word);
        let in_two = |word: &&Vec<_>| naive::dfa_accepts(&two, word);
        let expected = all.iter().find(|w| in_one(w) && !in_two(w)).cloned();
        included += usize::from(expected.is_none());
        assert_eq!(one.is_included_in(&two), expected.is_none(), "seed {seed}");
        assert_eq!(one.inclusion_counterexample(&two), expected, "seed {seed}");
        let expected = all.iter().find(|w| in_one(w) != in_two(w)).cloned();
        equal += usize::from(expected.is_none());
        assert_eq!(one.is_equivalent_to(&two), expected.is_none(), "seed {seed}");
        assert_eq!(one.equivalence_counterexample(&two), expected, "seed {seed}");
    }
    assert!(included > 50 && equal > 20, "{included} inclusions, {equal} equivalences");
}

/// The automata may have different alphabets, and the nondeterministic one silent edges.
#[test]
fn inclusion_of_nondeterministic_automata() {
    let mut included = 0;
    for seed in 0..400 {
        let mut rng = Random::new(seed);
        let alphabets = [*rng.pick(&[AB, ABC]), *rng.pick(&[AB, ABC])];
        let one = random_nfa(&mut rng, alphabets[0], 4);
        let two = random_dfa(&mut rng, alphabets[1], 2);
        let expected = one.determinise().inclusion_counterexample(&two);
        let found = one.inclusion_counterexample(&two);
        included += usize::from(expected.is_none());
        assert_eq!(found.as_ref().map(Vec::len), expected.map(|word| word.len()), "seed {seed}");
        if let Some(word) = found {
            assert!(naive::nfa_accepts(&one, &word) && !naive::dfa_accepts(&two, &word));
        }
    }
    assert!(included > 50, "{included} inclusions");
}

#[test]
fn degenerate_automata() {
    let nothing = Nfa::new(AB);
    assert!(!nothing.accepts(&[]));
    assert_eq!(nothing.determinise().len(), 1);
    assert!(nothing.star().accepts(&[]));
    assert!(nothing.concat(&Nfa::all_words(AB)).is_empty_language());
    assert!(nothing.reverse().is_empty_language());
    // Over the empty alphabet there are two languages.
    let none = Alphabet::new(0);
    assert!(Nfa::all_words(none).accepts(&[]));
    let minimal = Nfa::all_words(none).determinise().minimise();
    assert_eq!((minimal.len(), minimal.accepts(&[])), (1, true));
    assert!(minimal.complement().is_empty_language());
    assert!(nothing.determinise_within(0).unwrap_err().is_limit());
}
