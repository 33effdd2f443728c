//! Membership against the definitions, for all short words.

use watchword_automata::register::*;

use super::{Style, data_words, naive, random_plain, words};
use watchword_testing::Random;

#[test]
fn simple_and_rollback() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..300 {
        let mut rng = Random::new(seed);
        let simple = Style::SMALL.simple(&mut rng);
        for word in data_words(simple.signature(), 3) {
            let expected = naive::simple(&simple, &word, naive::NO);
            assert_eq!(simple.accepts(&word), expected, "simple, seed {seed}: {word:?}");
        }
        let rollback = Style::SMALL.rollback(&mut rng);
        for word in data_words(rollback.signature(), 3) {
            let expected = naive::rollback(&rollback, &word, naive::NO);
            *(if expected { &mut yes } else { &mut no }) += 1;
            assert_eq!(rollback.accepts(&word), expected, "rollback, seed {seed}: {word:?}");
            let mut run = Run::new(&rollback);
            for letter in &word {
                run.push(letter);
                for c in run.configurations() {
                    assert!(c.pending.len() < rollback.depth(c.state).max(1), "seed {seed}");
                }
            }
            assert_eq!(run.finish(), expected, "run, seed {seed}: {word:?}");
        }
    }
    assert!(yes > 1000 && no > 1000, "{yes} words accepted, {no} not");
}

#[test]
fn opaque_tests_are_the_callers() {
    let style = Style { opaque: true, ..Style::SMALL };
    let answer = |id: u32, store: &[Value], letter: &DataLetter| {
        let sum: u64 = store.iter().chain(&letter.values).map(|value| value.0).sum();
        (sum + u64::from(id + letter.kind.0)).is_multiple_of(2)
    };
    for seed in 0..150 {
        let mut rng = Random::new(seed);
        let (simple, rollback) = (style.simple(&mut rng), style.rollback(&mut rng));
        for word in data_words(simple.signature(), 2) {
            let expected = naive::simple(&simple, &word, &answer);
            let found = simple.accepts_with(&word, &mut { answer });
            assert_eq!(found, expected, "simple, seed {seed}: {word:?}");
        }
        for word in data_words(rollback.signature(), 2) {
            let expected = naive::rollback(&rollback, &word, &answer);
            let found = rollback.accepts_with(&word, &mut { answer });
            assert_eq!(found, expected, "rollback, seed {seed}: {word:?}");
            let mut run = Run::new(&rollback);
            for letter in &word {
                run.push_with(letter, &mut { answer });
            }
            assert_eq!(run.finish_with(&mut { answer }), expected, "run, seed {seed}: {word:?}");
        }
    }
}

#[test]
fn plain() {
    let values: Vec<Value> = (0..4).map(Value).collect();
    let words = words(&values, 5);
    for seed in 0..200 {
        let automaton = random_plain(&mut Random::new(seed));
        for word in &words {
            let expected = naive::plain(&automaton, word);
            assert_eq!(automaton.accepts(word), expected, "seed {seed}: {word:?}");
        }
    }
}

#[test]
fn foreign_letters_are_not_read() {
    let mut rollback = RollbackAutomaton::new(Signature::tuples(1), []);
    let start = rollback.start();
    rollback.add_accepting(start);
    let good = DataLetter::new(Kind(0), [Value(1)]);
    let (kind, arity) = (DataLetter::new(Kind(1), [Value(1)]), DataLetter::new(Kind(0), []));
    assert!(rollback.accepts(std::slice::from_ref(&good)));
    for foreign in [kind, arity] {
        assert!(!rollback.accepts(std::slice::from_ref(&foreign)));
        let mut run = Run::new(&rollback);
        run.push(&foreign);
        run.push(&good);
        assert!(!run.finish());
    }
}
