//! Lemmas 1 to 4: the translated automaton accepts the translated word exactly if the original
//! accepts the original, for all short words.

use watchword_automata::register::*;

use super::{Style, data_words, letters, naive, random_plain, words};
use watchword_testing::Random;

#[test]
fn lemma_1_plain_to_simple() {
    let values: Vec<Value> = (0..5).map(Value).collect();
    let words = words(&values, 4);
    for seed in 0..200 {
        let plain = random_plain(&mut Random::new(seed));
        let simple = plain.to_simple();
        assert_eq!(simple.len(), plain.len());
        assert_eq!(simple.transition_count(), plain.transition_count());
        for word in &words {
            let found = naive::simple(&simple, &unary_word(word), naive::NO);
            assert_eq!(found, naive::plain(&plain, word), "seed {seed}: {word:?}");
        }
    }
}

/// Values 0 and 1 are also constants and stand for kinds, 2 and 3 may fill registers at the start.
#[test]
fn lemma_2_simple_to_plain() {
    let (mut translated, mut accepted) = (0, 0);
    for seed in 0..400 {
        let simple = Style::SMALL.simple(&mut Random::new(seed));
        let plain = match simple.to_plain_within(5000) {
            Ok(plain) => plain,
            Err(error) => {
                assert!(error.is_limit());
                continue;
            }
        };
        translated += 1;
        for word in data_words(simple.signature(), 4) {
            let expected = naive::simple(&simple, &word, naive::NO);
            accepted += usize::from(expected);
            // The definition, not its recursion: words get long, and so does the naive search.
            let found = plain.automaton().accepts(&plain.encode(&word));
            assert_eq!(found, expected, "seed {seed}: {word:?}");
        }
    }
    assert!(translated > 350 && accepted > 2000, "{translated} automata, {accepted} words");
}

/// One register more than the original, and one pass over the letter for the guard and each
/// assignment.
#[test]
fn lemma_2_sizes() {
    let (c, d) = (Component(0), Component(1));
    let mut simple = SimpleAutomaton::new(Signature::tuples(2), [Value(0), Value(1)]);
    let end = simple.add_state();
    let label = Label::any().equal(c, Register(0)).differ(d, Register(1)).set(Register(1), d);
    simple.add_transition(simple.start(), label, end);
    simple.add_accepting(end);
    let plain = simple.to_plain().unwrap();
    assert_eq!(plain.automaton().initial_store().len(), 3);
    let word = [DataLetter::new(Kind(0), [Value(0), Value(7)])];
    assert_eq!(plain.encode(&word), [0, 7, 0, 7].map(Value));
    assert!(plain.automaton().accepts(&plain.encode(&word)));
}

#[test]
fn lemma_3_simple_to_rollback() {
    let mut skips = 0;
    for seed in 0..400 {
        let simple = Style::SMALL.simple(&mut Random::new(seed));
        let rollback = simple.to_rollback();
        assert_eq!(rollback.len(), simple.len() + 1);
        for word in data_words(simple.signature(), 3) {
            let expected = naive::simple(&simple, &word, naive::NO);
            let found = naive::rollback(&rollback, &word, naive::NO);
            assert_eq!(found, expected, "seed {seed}: {word:?}");
            skips += usize::from(!expected);
        }
    }
    assert!(skips > 1000);
}

/// The additional guards hold exactly if no original one does: from no configuration both an
/// original and an additional transition can be taken.
#[test]
fn lemma_3_guards_are_exact() {
    for seed in 0..200 {
        let simple = Style::SMALL.simple(&mut Random::new(seed));
        let rollback = simple.to_rollback();
        let values: Vec<Value> = (0..3).map(Value).collect();
        let registers = simple.initial_store().len();
        let stores = words(&values, registers).into_iter().filter(|s| s.len() == registers);
        for store in stores {
            for state in simple.states() {
                for letter in letters(simple.signature(), 3) {
                    let enabled = |t: &&RollbackTransition| {
                        t.steps.labels()[0].step(&store, &letter, &mut |_, _, _| false).is_some()
                    };
                    let (own, added) =
                        rollback.transitions(state).split_at(simple.transitions(state).len());
                    for transition in added {
                        let tests = transition.steps.labels()[0].tests();
                        let kinds = tests.iter().filter(|t| matches!(t, Test::Kind(_))).count();
                        assert!(kinds <= 1, "seed {seed}: a guard that never holds");
                    }
                    let own = own.iter().filter(enabled).count();
                    let added = added.iter().filter(enabled).count();
                    assert_eq!(own == 0, added > 0, "seed {seed} {state} {store:?} {letter}");
                }
            }
        }
    }
}

#[test]
fn lemma_4_rollback_to_simple() {
    let mut translated = [0; 4];
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..300 {
        let mut rng = Random::new(seed);
        let max_arity = 1 + rng.below(2);
        let depth = if max_arity == 1 { 3 } else { 2 };
        let style = Style { max_arity, depth, ..Style::SMALL };
        let rollback = style.rollback(&mut rng);
        let Ok(simple) = rollback.to_simple_within(1000) else { continue };
        let window = rollback.states().map(|state| rollback.depth(state)).max().unwrap_or(0);
        translated[window] += 1;
        for word in data_words(rollback.signature(), 3) {
            let expected = naive::rollback(&rollback, &word, naive::NO);
            *(if expected { &mut accepted } else { &mut rejected }) += 1;
            let found = simple.automaton().accepts(&simple.encode(&word));
            assert_eq!(found, expected, "seed {seed}: {word:?}");
        }
    }
    assert!(translated[1] > 10 && translated[2] > 50 && translated[3] > 50, "{translated:?}");
    assert!(accepted > 1000 && rejected > 1000, "{accepted} words accepted, {rejected} not");
}

/// With letters of two components, new values may or may not equal each other.
#[test]
fn lemma_4_pairs() {
    let style = Style {
        states: 2,
        transitions: 3,
        registers: 1,
        max_arity: 2,
        depth: 2,
        constants: false,
        opaque: false,
    };
    let mut translated = 0;
    for seed in 0..150 {
        let rollback = style.rollback(&mut Random::new(seed));
        if rollback.signature().max_arity() < 2 {
            continue;
        }
        let Ok(simple) = rollback.to_simple_within(2000) else { continue };
        translated += 1;
        for word in data_words(rollback.signature(), 3) {
            let expected = naive::rollback(&rollback, &word, naive::NO);
            let found = simple.automaton().accepts(&simple.encode(&word));
            assert_eq!(found, expected, "seed {seed}: {word:?}");
        }
    }
    assert!(translated > 30, "{translated} translated");
}

/// Padding elsewhere than at the end, or too much or too little of it, is not accepted.
#[test]
fn lemma_4_accepts_nothing_but_padded_words() {
    for seed in 0..60 {
        let style = Style { max_arity: 1, depth: 2, ..Style::SMALL };
        let rollback = style.rollback(&mut Random::new(seed));
        let Ok(simple) = rollback.to_simple_within(3000) else { continue };
        let padding = simple.encode(&[]);
        let letters = letters(simple.automaton().signature(), 2);
        for word in words(&letters, 4) {
            let is_padded = word
                .strip_suffix(padding.as_slice())
                .is_some_and(|word| word.iter().all(|l| l.kind != padding[0].kind));
            let found = simple.automaton().accepts(&word);
            assert!(!found || is_padded, "seed {seed}: {word:?}");
        }
    }
}

#[test]
fn translations_refuse_opaque_tests_and_respect_limits() {
    let mut simple = SimpleAutomaton::new(Signature::tuples(1), [Value(0)]);
    simple.add_transition(simple.start(), Label::any().test(Test::NotOpaque(9)), simple.start());
    assert_eq!(simple.to_plain().unwrap_err().opaque_test(), Some(9));
    let mut rollback = RollbackAutomaton::new(Signature::tuples(1), [Value(0)]);
    let label = Label::any().test(Test::Opaque(8));
    rollback.add_transition(rollback.start(), label, rollback.start());
    assert_eq!(rollback.to_simple().unwrap_err().opaque_test(), Some(8));

    let rollback = Style::SMALL.rollback(&mut Random::new(1));
    assert!(rollback.to_simple_within(2).unwrap_err().is_limit());
    let c = Component(0);
    let mut simple = SimpleAutomaton::new(Signature::tuples(1), (0..6).map(Value));
    for r in 0..6 {
        let label = Label::any().differ(c, Register(r)).differ(c, Value(u64::from(r) + 20));
        simple.add_transition(simple.start(), label, simple.start());
    }
    assert!(simple.to_rollback_within(10).unwrap_err().is_limit());
    assert!(simple.to_rollback_within(64).is_ok());
}
