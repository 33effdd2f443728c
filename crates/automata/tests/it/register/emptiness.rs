//! Emptiness against exhaustive searches.

use std::collections::BTreeSet;

use watchword_automata::register::*;

use super::{Style, data_words, letters, naive};
use watchword_testing::Random;

/// The length of a shortest accepted word, by walking all concrete configurations over as many
/// values as there are constants, registers and components: more make no difference, because a
/// value that is neither a constant nor in a register can be renamed.
fn shortest_length(automaton: &SimpleAutomaton) -> Option<usize> {
    let domain = 3 + automaton.initial_store().len() + automaton.signature().max_arity();
    let letters = letters(automaton.signature(), domain as u64);
    let mut current = BTreeSet::from([(automaton.start(), automaton.initial_store().to_vec())]);
    let mut seen = current.clone();
    for length in 0.. {
        if current.is_empty() {
            return None;
        }
        if current.iter().any(|(state, _)| automaton.is_accepting(*state)) {
            return Some(length);
        }
        let mut next = BTreeSet::new();
        for (state, store) in &current {
            for (label, to) in automaton.transitions(*state) {
                for letter in &letters {
                    let after = label.step(store, letter, &mut |_, _, _| false);
                    next.extend(after.map(|store| (*to, store)).filter(|c| seen.insert(c.clone())));
                }
            }
        }
        current = next;
    }
    None
}

#[test]
fn simple_automata_exactly() {
    let style = Style { states: 5, transitions: 9, registers: 3, ..Style::SMALL };
    let mut lengths = [0; 8];
    let mut empty = 0;
    for seed in 0..800 {
        let automaton = style.simple(&mut Random::new(seed));
        match (automaton.emptiness(), shortest_length(&automaton)) {
            (Emptiness::Empty, None) => empty += 1,
            (Emptiness::Witness(word), Some(length)) => {
                assert_eq!(word.len(), length, "seed {seed}: {word:?}");
                assert!(naive::simple(&automaton, &word, naive::NO), "seed {seed}: {word:?}");
                lengths[length.min(7)] += 1;
            }
            (found, expected) => panic!("seed {seed}: {found:?}, but {expected:?}"),
        }
    }
    assert!(empty > 100 && lengths[2] > 30 && lengths[3..].iter().sum::<i32>() > 10, "{lengths:?}");
}

/// A chain of transitions that constrain each other needs the whole path to be considered.
#[test]
fn simple_chains_exactly() {
    let style = Style { registers: 3, max_arity: 2, ..Style::SMALL };
    let (mut empty, mut found) = (0, 0);
    for seed in 0..1500 {
        let mut rng = Random::new(seed);
        let signature = style.signature(&mut rng);
        let store = style.store(&mut rng);
        let registers = store.len();
        let mut automaton = SimpleAutomaton::new(signature.clone(), store);
        let mut last = automaton.start();
        for _ in 0..4 {
            let next = automaton.add_state();
            for _ in 0..1 + rng.below(2) {
                let label = style.label(&mut rng, &signature, registers);
                automaton.add_transition(last, label, next);
            }
            last = next;
        }
        automaton.add_accepting(last);
        let expected = shortest_length(&automaton);
        match automaton.emptiness() {
            Emptiness::Empty => {
                empty += 1;
                assert_eq!(expected, None, "seed {seed}");
            }
            Emptiness::Witness(word) => {
                found += 1;
                assert!(naive::simple(&automaton, &word, naive::NO), "seed {seed}: {word:?}");
            }
            Emptiness::Unknown(reason) => panic!("seed {seed}: {reason:?}"),
        }
    }
    assert!(empty > 200 && found > 200, "{empty} empty, {found} not");
}

#[test]
fn rollback_automata() {
    let style = Style { states: 4, transitions: 7, max_arity: 1, ..Style::SMALL };
    let (mut empty, mut found) = (0, 0);
    for seed in 0..500 {
        let automaton = style.rollback(&mut Random::new(seed));
        let first = data_words(automaton.signature(), 4)
            .into_iter()
            .find(|word| naive::rollback(&automaton, word, naive::NO));
        match automaton.emptiness() {
            Emptiness::Empty => {
                empty += 1;
                assert_eq!(first, None, "seed {seed}");
            }
            Emptiness::Witness(word) => {
                found += 1;
                assert!(naive::rollback(&automaton, &word, naive::NO), "seed {seed}: {word:?}");
                if let Some(first) = first {
                    assert!(word.len() <= first.len(), "seed {seed}: {word:?}, but {first:?}");
                }
            }
            Emptiness::Unknown(reason) => panic!("seed {seed}: {reason:?}"),
        }
    }
    assert!(empty > 50 && found > 50, "{empty} empty, {found} not");
}

/// The long way round: translate, then search; same answer.
#[test]
fn rollback_emptiness_agrees_with_the_translation() {
    let style = Style { max_arity: 1, depth: 2, ..Style::SMALL };
    let mut compared = 0;
    for seed in 0..150 {
        let rollback = style.rollback(&mut Random::new(seed));
        let Ok(simple) = rollback.to_simple_within(1000) else { continue };
        compared += 1;
        let padding = simple.encode(&[]).len();
        match (rollback.emptiness(), simple.automaton().emptiness()) {
            (Emptiness::Empty, Emptiness::Empty) => {}
            (Emptiness::Witness(short), Emptiness::Witness(padded)) => {
                assert_eq!(short.len() + padding, padded.len(), "seed {seed}");
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(compared > 100, "{compared} compared");
}

/// Opaque tests: what is certain holds for every way of deciding them.
#[test]
fn opaque_tests_leave_only_what_is_certain() {
    let style = Style { opaque: true, max_arity: 1, ..Style::SMALL };
    let parity = |id: u32, store: &[Value], letter: &DataLetter| {
        let sum: u64 = store.iter().chain(&letter.values).map(|value| value.0).sum();
        (sum + u64::from(id)).is_multiple_of(2)
    };
    let oracles: [naive::Oracle; 4] =
        [&|_, _, _| true, &|_, _, _| false, &|id, _, _| id == 0, &parity];
    let (mut empty, mut certain, mut unknown) = (0, 0, 0);
    for seed in 0..500 {
        let automaton = style.rollback(&mut Random::new(seed));
        let words = data_words(automaton.signature(), 3);
        match automaton.emptiness() {
            Emptiness::Empty => {
                empty += 1;
                for oracle in oracles {
                    let word = words.iter().find(|w| naive::rollback(&automaton, w, oracle));
                    assert_eq!(word, None, "seed {seed}");
                }
            }
            Emptiness::Witness(word) => {
                certain += 1;
                for oracle in oracles {
                    assert!(naive::rollback(&automaton, &word, oracle), "seed {seed}: {word:?}");
                }
            }
            Emptiness::Unknown(Unknown::Opaque { candidate }) => {
                unknown += 1;
                let certain = without_opaque(&automaton);
                let word = words.iter().find(|w| naive::rollback(&certain, w, naive::NO));
                assert_eq!(word, None, "seed {seed}");
                // If all tests can hold at once, that makes the candidate a word.
                let labels = (automaton.states())
                    .flat_map(|state| automaton.transitions(state))
                    .flat_map(|transition| transition.steps.labels());
                let negated =
                    labels.flat_map(Label::tests).any(|t| matches!(t, Test::NotOpaque(_)));
                if !negated {
                    assert!(naive::rollback(&automaton, &candidate, oracles[0]), "seed {seed}");
                }
            }
            Emptiness::Unknown(limit) => panic!("seed {seed}: {limit:?}"),
        }
    }
    assert!(empty > 50 && certain > 50 && unknown > 20, "{empty} {certain} {unknown}");
}

/// The automaton without the transitions that have opaque tests. Its language may be larger, as
/// more is skipped, but it is empty exactly if no transition without opaque tests leads to
/// acceptance.
fn without_opaque(automaton: &RollbackAutomaton) -> RollbackAutomaton {
    let store = automaton.initial_store().iter().copied();
    let mut result = RollbackAutomaton::new(automaton.signature().clone(), store);
    for _ in 1..automaton.len() {
        result.add_state();
    }
    for state in automaton.states() {
        if automaton.is_accepting(state) {
            result.add_accepting(state);
        }
        for transition in automaton.transitions(state) {
            let labels = transition.steps.labels().iter();
            if !labels.flat_map(Label::tests).any(|test| test.is_opaque()) {
                result.add_transition(state, transition.steps.clone(), transition.to);
            }
        }
    }
    result
}

/// Many registers and wide letters: partitions would number in the billions.
#[test]
fn relations_nobody_asks_about_cost_nothing() {
    let (n, c) = (14, Component);
    let mut automaton = SimpleAutomaton::new(Signature::tuples(n), vec![Value(0); n]);
    let [mid, end] = [automaton.add_state(), automaton.add_state()];
    let store = (0..n).fold(Label::any(), |label, i| label.set(Register(i as u32), c(i)));
    automaton.add_transition(automaton.start(), store.clone(), mid);
    automaton.add_transition(mid, store.differ(c(0), Register(3)), mid);
    let pairs = (1..n).map(|i| (i, Register(i as u32 - 1)));
    let label = pairs.fold(Label::any(), |label, (i, r)| label.equal(c(i), r).differ(c(0), r));
    automaton.add_transition(mid, label.clone(), end);
    automaton.add_accepting(end);
    let Emptiness::Witness(word) = automaton.emptiness_within(20) else { panic!("not empty") };
    assert!(automaton.accepts(&word));

    let mut impossible = SimpleAutomaton::new(Signature::tuples(n), vec![Value(0); n]);
    let end = impossible.add_state();
    impossible.add_transition(impossible.start(), label.differ(c(1), c(2)), end);
    impossible.add_accepting(end);
    assert_eq!(impossible.emptiness_within(20), Emptiness::Empty);
}

/// Registers that are not read any more do not multiply what has to be explored.
#[test]
fn registers_nobody_reads_any_more_cost_nothing() {
    let (n, c) = (16, Component(0));
    let mut automaton = SimpleAutomaton::new(Signature::tuples(1), vec![Value(0); n]);
    let mut last = automaton.start();
    for i in 1..n as u32 {
        let next = automaton.add_state();
        let [before, here] = [Register(i - 1), Register(i)];
        automaton.add_transition(last, Label::any().equal(c, before).set(here, c), next);
        automaton.add_transition(last, Label::any().differ(c, before).set(here, c), next);
        last = next;
    }
    let end = automaton.add_state();
    automaton.add_transition(last, Label::any().differ(c, c), end);
    automaton.add_accepting(end);
    assert_eq!(automaton.emptiness_within(100), Emptiness::Empty);
}

#[test]
fn limits_and_reachable_states() {
    let c = Component(0);
    let mut automaton = SimpleAutomaton::new(Signature::tuples(1), [Value(0), Value(1)]);
    let [one, two, never] = std::array::from_fn(|_| automaton.add_state());
    let start = automaton.start();
    automaton.add_transition(start, Label::any().set(Register(0), c), one);
    automaton.add_transition(one, Label::any().differ(c, Register(0)).equal(c, Value(1)), two);
    automaton.add_transition(two, Label::any().differ(c, c), never);
    automaton.add_accepting(never);
    assert_eq!(automaton.emptiness(), Emptiness::Empty);
    let limited = automaton.emptiness_within(2);
    assert_eq!(limited, Emptiness::Unknown(Unknown::Limit { explored: 2 }));
    let word = |values: &[u64]| unary_word(&values.iter().copied().map(Value).collect::<Vec<_>>());
    assert_eq!(automaton.reach_within(start, 9), Emptiness::Witness(vec![]));
    assert_eq!(automaton.reach_within(two, 9), Emptiness::Witness(word(&[2, 1])));
    assert_eq!(automaton.reach_within(never, 9), Emptiness::Empty);
}
